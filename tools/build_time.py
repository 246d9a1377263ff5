#!/usr/bin/env python3
"""What compiling costs, per folder and file, in processor seconds.

    tools/build_time.py BUILD_DIR LOG                      prints the tables as Markdown
    tools/build_time.py BUILD_DIR LOG --write FILE.csv     keeps them: FILE.csv, and FILE.md to read
    tools/build_time.py BUILD_DIR LOG --check FILE.csv     compares; status 1 if too slow

LOG is what tools/timed_compile.sh wrote while BUILD_DIR was built: processor seconds, so that other
work on the machine does not count. Machines differ, so seconds are compared in units of one fixed
file, tools/build_time_reference.cpp. What ccache finds is not compiled and not in the log: all that
was not compiled here keeps the seconds of FILE.csv. So CI needs no second build; with an empty cache
it measures all, with a full one nothing.
"""
import argparse
import collections
import csv
import datetime
import json
import os
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

REFERENCE = pathlib.Path(__file__).resolve().parent / "build_time_reference.cpp"
TOO_SLOW = 1.5   # times the stored seconds of all: status 1; of a folder: said
NOTABLE = 1.2    # a warning
SMALL = 5.0      # [s] by which a folder must have grown before anything is said of it
SLOWEST = 20
HEADERS = "precompiled headers"

# source: as the compiler is given it; files: how many it holds
Step = collections.namedtuple("Step", "kind name source output files")


def folder_of(kind, name):
    if kind in ("compile", "unity"):
        return str(pathlib.PurePosixPath(name).parent)
    return HEADERS


def load_cache(build):
    """The variables of CMakeCache.txt."""
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    return dict(re.match(r"([^:]+):[^=]*=(.*)", line).groups()
                for line in lines if re.match(r"[A-Za-z_]\w*:", line))


def make_compile_step(entry, root, build):
    words = shlex.split(entry["command"])
    output = words[words.index("-o") + 1]
    source = pathlib.Path(entry["file"])
    if source.name.startswith("cmake_pch."):
        target = pathlib.PurePosixPath(output).parent.name.removesuffix(".dir")
        return Step("header", target, entry["file"], output, 1)
    if source.is_relative_to(build) and source.name.startswith("unity_"):
        included = re.findall(r'#include "([^"]+)"', source.read_text())
        folder = os.path.relpath(os.path.commonpath([os.path.dirname(i) for i in included]), root)
        # vesica_kernels and vesica_plain both have files of a folder.
        target = re.search(r"CMakeFiles/([^/]+)\.dir", output)[1]
        name = f"{folder}/{source.stem.removesuffix('_cxx')} of {target}"
        return Step("unity", name, entry["file"], output, len(included))
    return Step("compile", os.path.relpath(source, root), entry["file"], output, 1)


def load_steps(build, root):
    """Every compilation of the build."""
    return [make_compile_step(entry, root, build)
            for entry in json.loads((build / "compile_commands.json").read_text())]


def load_log(log):
    """Seconds per output; the newest entry of an output counts."""
    lines = log.read_text().splitlines() if log.exists() else []
    return {output: float(seconds) for seconds, output in (line.split("\t") for line in lines)}


def measure_reference(compiler):
    """Median processor seconds of the reference file."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    seconds = []
    with tempfile.TemporaryDirectory() as work:
        for _ in range(3):
            before = used()
            run = subprocess.run([compiler, "-std=c++20", "-O3", "-DNDEBUG", "-c", str(REFERENCE),
                                  "-o", f"{work}/reference.o"])
            if run.returncode != 0:
                sys.exit(f"build time: {compiler} failed on {REFERENCE.name}; nothing was measured")
            seconds.append(used() - before)
    return statistics.median(seconds)


def add_up(steps, seconds):
    """Seconds per (kind, name); a file that several targets compile counts each time."""
    table = collections.Counter()
    for step in steps:
        if step.output in seconds:
            table[step.kind, step.name] += seconds[step.output]
    return table


def total_by_folder(table):
    folders = collections.Counter()
    for (kind, name), seconds in table.items():
        folders[folder_of(kind, name)] += seconds
    return folders


def count_files(steps):
    files = {(step.kind, step.name): step.files for step in steps}
    counts = collections.Counter()
    for (kind, name), count in files.items():
        counts[folder_of(kind, name)] += count
    return counts


def as_markdown(steps, table, reference, compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    folders, counts, total = total_by_folder(table), count_files(steps), sum(table.values())
    lines = [
        "# Build time",
        "",
        "What a full build of tool and tests costs, in processor seconds, without ccache. Measured "
        "by `make buildtime`, which compiles everything anew and writes this page and the seconds "
        "of every step ([build_time.csv](build_time.csv)).",
        "",
        f"- {datetime.date.today().isoformat()}, {version.stdout.splitlines()[0]}, "
        f"{os.cpu_count()} cores.",
        f"- The unit: [one fixed file](../tools/build_time_reference.cpp) takes {reference:.2f} s "
        "on this machine. The whole build is "
        f"{total / reference:.0f} times that.",
        "- CI measures what it has to compile, takes the rest from here, and compares in that "
        f"unit. It warns above {NOTABLE} times the figures here and fails above {TOO_SLOW} times, "
        f"in all or in a folder that has grown by more than {SMALL:.0f} s.",
        "",
        "| folder | files | seconds | share |",
        "|---|---:|---:|---:|",
    ]
    for folder, seconds in sorted(folders.items(), key=lambda item: -item[1]):
        lines.append(f"| {folder} | {counts[folder]} | {seconds:.1f} | {seconds / total:.1%} |")
    lines += [f"| **all** | {sum(counts.values())} | {total:.1f} | |", "",
              f"The slowest {SLOWEST} steps:", "", "| step | seconds |", "|---|---:|"]
    for (kind, name), seconds in table.most_common(SLOWEST):
        prefix = "precompiled header of " if kind == "header" else ""
        lines.append(f"| {prefix}{name} | {seconds:.1f} |")
    return "\n".join(lines) + "\n"


def save(path, table, reference, markdown):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "name", "seconds"])
        writer.writerow(["reference", f"tools/{REFERENCE.name}", f"{reference:.2f}"])
        for (kind, name), seconds in sorted(table.items()):
            writer.writerow([kind, name, f"{seconds:.2f}"])
    path.with_suffix(".md").write_text(markdown, encoding="utf-8")


def load_stored(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {(r["kind"], r["name"]): float(r["seconds"]) for r in rows if r["kind"] != "reference"}
    return table, next(float(r["seconds"]) for r in rows if r["kind"] == "reference")


def compare(what, now, stored, may_grow=0.0):
    """Says so where `now` is notable; whether it is too slow. A new folder only adds to all."""
    if now <= NOTABLE * stored or now - stored <= may_grow:
        return False
    if stored == 0:
        print(f"build time: {what}: {now:.1f} s, new")
        return False
    too_slow = now > TOO_SLOW * stored
    print(f"build time: {'too slow' if too_slow else 'warning'}: {what}: {now:.1f} s, "
          f"{now / stored:.2f} times the stored {stored:.1f} s")
    return too_slow


def check(path, steps, fresh, compiler):
    """Whether the build keeps to the stored table: fresh steps as measured, others as stored."""
    if not fresh:
        print("build time: by its log nothing was compiled here; nothing to compare")
        return True
    stored, stored_reference = load_stored(path)
    reference = measure_reference(compiler)
    unit = reference / stored_reference
    stored = {step: seconds * unit for step, seconds in stored.items()}
    now, unknown = collections.Counter(), 0
    for key in {(step.kind, step.name) for step in steps}:
        now[key] = fresh.get(key, stored.get(key, 0.0))
        unknown += key not in fresh and key not in stored
    old_folders, new_folders = total_by_folder(stored), total_by_folder(now)
    # Folders are told, the whole decides: a folder that got new files is no fault by itself.
    for folder, seconds in sorted(new_folders.items()):
        compare(folder, seconds, old_folders[folder], SMALL)
    bad = compare("all", sum(now.values()), sum(stored.values()))
    print(f"build time: {sum(now.values()):.0f} s, stored {sum(stored.values()):.0f} s (times "
          f"{unit:.2f}, the speed of this machine); {len(fresh)} of {len(now)} steps measured here")
    if unknown:
        print(f"build time: {unknown} steps are in no table and came from ccache; not counted")
    if bad:
        print("build time: make buildtime shows where; if it is worth it, commit the new table")
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE.csv")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE.csv")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / "compile_commands.json").exists():
        parser.error(f"{options.build} has not been configured")
    if options.check and not options.check.exists():
        parser.error(f"{options.check} does not exist: make buildtime writes it")

    cache = load_cache(build)
    compiler = cache["CMAKE_CXX_COMPILER"]
    steps, seconds = load_steps(build, cache["CMAKE_HOME_DIRECTORY"]), load_log(options.log)
    if options.check:
        return 0 if check(options.check, steps, add_up(steps, seconds), compiler) else 1

    missing = [step.output for step in steps if step.output not in seconds]
    if len(missing) > len(steps) // 4:
        parser.error(f"{options.log} does not have {missing[0]} and {len(missing) - 1} more")
    if missing:  # what ccache hands on without asking the prefix command: precompiled headers
        print(f"build time: not timed: {', '.join(missing)}")
    table, reference = add_up(steps, seconds), measure_reference(compiler)
    markdown = as_markdown(steps, table, reference, compiler)
    if options.write:
        save(options.write, table, reference, markdown)
        print(f"build time: {sum(table.values()):.0f} s in all; "
              f"wrote {options.write} and {options.write.with_suffix('.md')}")
    else:
        print(markdown, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
