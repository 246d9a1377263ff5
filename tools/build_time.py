#!/usr/bin/env python3
"""What compiling costs, per folder and file, from the log that ninja keeps of a build.

    tools/build_time.py BUILD_DIR                      prints the tables as Markdown
    tools/build_time.py BUILD_DIR --write FILE.csv     keeps them: FILE.csv, and FILE.md to read
    tools/build_time.py BUILD_DIR --check FILE.csv     compares; status 1 if it has become too slow
        [--ccache-log LOG]    what ccache wrote while BUILD_DIR was built (CCACHE_STATSLOG=LOG)

Seconds are processor seconds as far as the log tells: where more steps run at once than there are
cores, a step counts for its share of them. Machines differ, so seconds are compared in units of one
fixed file, tools/build_time_reference.cpp, compiled beside as many copies of itself as there are
cores.

What ccache finds takes milliseconds and says nothing about compiling. A build that uses ccache
therefore needs its log: only what was compiled for real counts, all else keeps the seconds of
FILE.csv. So CI needs no second build; with an empty cache it measures all, with a full one nothing.
"""
import argparse
import collections
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

REFERENCE = pathlib.Path(__file__).resolve().parent / "build_time_reference.cpp"
TOO_SLOW = 1.5   # times the stored seconds, all or a folder's: status 1
NOTABLE = 1.2    # a warning
SMALL = 5.0      # [s] by which a folder must have grown before anything is said of it
SLOWEST = 20
HEADERS, LINKING = "precompiled headers", "linking"

# source: as the compiler is given it; files: how many it holds
Step = collections.namedtuple("Step", "kind name source output files")


def folder_of(kind, name):
    if kind in ("compile", "unity"):
        return str(pathlib.PurePosixPath(name).parent)
    return HEADERS if kind == "header" else LINKING


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
        name = f"{folder}/{source.stem.removesuffix('_cxx')}"
        return Step("unity", name, entry["file"], output, len(included))
    return Step("compile", os.path.relpath(source, root), entry["file"], output, 1)


def load_steps(build, root):
    """Every compilation of the build, and every program and library that it links."""
    steps = [make_compile_step(entry, root, build)
             for entry in json.loads((build / "compile_commands.json").read_text())]
    for line in (build / "build.ninja").read_text().splitlines():
        match = re.match(r"build (\S+?)(?: \|.*?)?: C(?:XX)?_\w+_LINKER__", line)
        if match:
            steps.append(Step("link", match[1], None, match[1], 1))
    return steps


def share_cores(spans):
    """Seconds per output of one run of ninja, given when each step started and ended."""
    events = sorted([(start, 1, output) for output, (start, end) in spans.items() if end > start] +
                    [(end, 0, output) for output, (start, end) in spans.items() if end > start])
    cores = os.cpu_count()
    seconds = {output: 0.0 for output in spans}
    # `done` is the work that a step would have got that runs from the first moment on.
    done, before, running = 0.0, 0, 0
    for moment, starts, output in events:
        done += (moment - before) / 1e3 * min(1.0, cores / max(running, 1))
        before = moment
        running += 1 if starts else -1
        seconds[output] = done - seconds[output]  # at its start 0 is taken off, at its end that
    return seconds


def load_log(build):
    """Seconds per output. The log is appended to as steps end, with times from the start of ninja:
    an end before the last one belongs to a new run. The newest entry of an output counts."""
    seconds, run, last = {}, {}, 0
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        if int(end) < last:
            seconds.update(share_cores(run))
            run = {}
        last = int(end)
        run[output] = (int(start), int(end))
    seconds.update(share_cores(run))
    return seconds


def load_compiled(log):
    """Sources that ccache had to compile, every time that the log names them."""
    compiled, found = set(), set()
    for record in re.split(r"^# ", log.read_text(), flags=re.M)[1:]:
        source, *counters = record.splitlines()
        hit = {"direct_cache_hit", "preprocessed_cache_hit"} & set(counters)
        (found if hit else compiled).add(source)
    return compiled - found


def measure_reference(compiler, launcher):
    """Median seconds of the reference file, on all cores at once. With ccache as the build had it,
    each time with an empty cache: what ccache does beside compiling is part of its steps too."""
    cores = os.cpu_count()

    def compile_once(folder):
        environment = dict(os.environ, CCACHE_DIR=folder)
        environment.pop("CCACHE_STATSLOG", None)
        if not launcher:
            environment["CCACHE_DISABLE"] = "1"
        start = time.monotonic()
        run = subprocess.run([*launcher, compiler, "-std=c++20", "-O3", "-DNDEBUG", "-c",
                              str(REFERENCE), "-o", f"{folder}/reference.o"], env=environment)
        if run.returncode != 0:
            sys.exit(f"build time: {compiler} failed on {REFERENCE.name}; nothing was measured")
        return time.monotonic() - start

    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as work:
            folders = [os.path.join(work, str(k)) for k in range(cores)]
            for folder in folders:
                os.mkdir(folder)
            with concurrent.futures.ThreadPoolExecutor(cores) as pool:
                seconds += pool.map(compile_once, folders)
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
        "on this machine, with a copy of it on every core. The whole build is "
        f"{total / reference:.0f} times that.",
        "- Seconds are those of ninja's log, from start to end of a step; where more steps ran "
        "than there are cores, a step counts for its share of the cores.",
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
        prefix = {"header": "precompiled header of ", "link": "linking "}.get(kind, "")
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


def check(path, steps, fresh, compiler, launcher):
    """Whether the build keeps to the stored table: fresh steps as measured, others as stored."""
    if not fresh:
        print("build time: by its log nothing was compiled here; nothing to compare")
        return True
    stored, stored_reference = load_stored(path)
    reference = measure_reference(compiler, launcher)
    unit = reference / stored_reference
    stored = {step: seconds * unit for step, seconds in stored.items()}
    now, unknown = collections.Counter(), 0
    for key in {(step.kind, step.name) for step in steps}:
        now[key] = fresh.get(key, stored.get(key, 0.0))
        unknown += key not in fresh and key not in stored
    old_folders, new_folders = total_by_folder(stored), total_by_folder(now)
    bad = [compare(folder, seconds, old_folders[folder], SMALL)
           for folder, seconds in sorted(new_folders.items())]
    bad.append(compare("all", sum(now.values()), sum(stored.values())))
    print(f"build time: {sum(now.values()):.0f} s, stored {sum(stored.values()):.0f} s (times "
          f"{unit:.2f}, the speed of this machine); {len(fresh)} of {len(now)} steps measured here")
    if unknown:
        print(f"build time: {unknown} steps are in no table and came from ccache; not counted")
    if any(bad):
        print("build time: make buildtime shows where; if it is worth it, commit the new table")
    return not any(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE.csv")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE.csv")
    parser.add_argument("--ccache-log", type=pathlib.Path, metavar="LOG")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / ".ninja_log").exists():
        parser.error(f"{options.build} has not been built by ninja")
    if options.check and not options.check.exists():
        parser.error(f"{options.check} does not exist: make buildtime writes it")

    cache = load_cache(build)
    compiler = cache["CMAKE_CXX_COMPILER"]
    launcher = [word for word in cache.get("CMAKE_CXX_COMPILER_LAUNCHER", "").split(";") if word]
    steps, seconds = load_steps(build, cache["CMAKE_HOME_DIRECTORY"]), load_log(build)
    if options.check:
        if launcher:
            if not options.ccache_log:
                parser.error("this build used ccache: --ccache-log says what it really compiled")
            real = load_compiled(options.ccache_log) if options.ccache_log.exists() else set()
            steps_now = [step for step in steps if step.source in real]
        else:
            steps_now = steps
        fresh = add_up(steps_now, seconds)
        return 0 if check(options.check, steps, fresh, compiler, launcher) else 1

    if launcher:
        parser.error("this build used ccache; make buildtime builds without it")
    missing = [step.output for step in steps if step.output not in seconds]
    if missing:
        parser.error(f"not built yet: {missing[0]} and {len(missing) - 1} more")
    table, reference = add_up(steps, seconds), measure_reference(compiler, launcher)
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
