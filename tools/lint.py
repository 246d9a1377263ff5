#!/usr/bin/env python3
"""What reading the sources finds, in parallel, remembering what was clean.

    tools/lint.py BUILD_DIR [FOLDER...]     FOLDER: default vesica reproduce apps tests examples

Two kinds of checks, of what BUILD_DIR compiles:
- clang-tidy over its units: files that are compiled together are checked together, which takes a
  third of the time. The build uses GCC's precompiled headers, which clang cannot read: their flags
  are taken out.
- alone: every file that is compiled together with others also compiles by itself, as with
  VESICA_UNITY=OFF (the build's compiler, flags and precompiled header); every header by itself,
  without the precompiled one, as users include it. Where a .cpp includes its header first, it is
  the header's check.

A check is repeated when one of its files, a header of this repository that they include, the
command or .clang-tidy has changed; so a run costs only what moved. What was clean is remembered by
content in ~/.cache/vesica/lint (or $VESICA_LINT_CACHE), for all clones. Seconds per check go to
BUILD_DIR/lint/seconds.log.
"""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["vesica", "reproduce", "apps", "tests", "examples"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
TIDY = "clang-tidy-14"
UNITY = "Unity"  # folder of the files that CMake writes to compile others together


@dataclasses.dataclass
class Check:
    kind: str
    path: pathlib.Path  # the file, or CMake's unit of several
    files: list         # all of the repository that it reads
    command: list
    text: str = ""      # for the command's standard input
    settings: str = ""  # what else decides the outcome


def includes_of(file):
    return INCLUDE.findall(file.read_text(encoding="utf-8"))


def sources_of(path):
    """The files of this repository that a unit compiles."""
    return [ROOT / name for name in includes_of(path)] if UNITY in path.parts else [path]


def files_of(path):
    """The file and every header of the repository that it reaches."""
    seen, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        todo += [ROOT / name for name in includes_of(file)]
    return sorted(file for file in seen if UNITY not in file.parts)  # those hold this clone's place


def load_units(build, folders):
    """Command by unit; a file that several targets compile counts once."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.suffix not in (".cpp", ".cxx"):
            continue
        first = sources_of(path)[0]
        if first.is_relative_to(ROOT) and first.relative_to(ROOT).parts[0] in folders:
            units[path] = shlex.split(entry["command"])
    return units


def without(words, *flags):
    """The command without flags that take a word."""
    return [word for before, word in zip([""] + words, words)
            if word not in flags and before not in flags]


def without_precompiled(words):
    return without([word for word in words if word != "-Winvalid-pch"], "-include")


def as_clang_takes_it(words):
    """Without what clang does not know of GCC: pragmas (unroll), warnings, copying, its memory."""
    of_gcc = ("-mmemcpy-strategy=", "-mmove-max=", "-mstore-max=", "--param=")
    return ([word for word in without_precompiled(words) if not word.startswith(of_gcc)]
            + ["-Wno-unknown-pragmas", "-Wno-unknown-warning-option"])


def make_tidy_checks(units, lint):
    commands = {path: as_clang_takes_it(words) for path, words in units.items()}
    (lint / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(lint.parent), "file": str(path), "command": shlex.join(words)}
         for path, words in commands.items()], indent=1))
    return [Check("clang-tidy", path, files_of(path), [TIDY, "--quiet", "-p", str(lint), str(path)],
                  settings=(ROOT / ".clang-tidy").read_text() + shlex.join(words))
            for path, words in commands.items()]


def make_alone_checks(units, folders):
    checks, command_of, seen_first = [], {}, set()
    for unit, words in units.items():
        compiler = words[1:] if pathlib.Path(words[0]).name == "ccache" else words
        flags = without([word for word in compiler if word not in ("-c", "-MD", str(unit))],
                        "-o", "-MT", "-MF")
        for source in sources_of(unit):
            command_of.setdefault(source.parent, flags)
            first = next(iter(includes_of(source)), "")
            if first.removesuffix(".h") == source.relative_to(ROOT).as_posix().removesuffix(".cpp"):
                seen_first.add(ROOT / first)
            if UNITY in unit.parts:
                checks.append(Check("alone", source, files_of(source),
                                    [*flags, "-fsyntax-only", str(source)]))
    for folder in folders:
        for header in sorted((ROOT / folder).rglob("*.h")):
            if header in seen_first:
                continue
            flags = next((command_of[p] for p in header.parents if p in command_of), None)
            if flags is None:  # a folder of headers only: as its neighbours
                flags = next(command_of[p] for p in command_of if p.is_relative_to(ROOT / folder))
            name = header.relative_to(ROOT).as_posix()
            checks.append(Check("alone", header, files_of(header),
                                [*without_precompiled(flags), "-fsyntax-only", "-x", "c++", "-"],
                                f'#include "{name}"\n'))
    return checks


def hash_of(check):
    key = "\n".join([shlex.join(check.command), check.text, check.settings])
    digest = hashlib.sha256(key.replace(str(ROOT), "").encode())
    for file in check.files:
        digest.update(file.relative_to(ROOT).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def run(check, lint):
    """Whether it is clean, and what it said."""
    start = time.monotonic()
    run = subprocess.run(check.command, cwd=lint.parent, input=check.text, capture_output=True,
                         text=True)
    with open(lint / "seconds.log", "a", encoding="utf-8") as log:
        log.write(f"{time.monotonic() - start:.1f}\t{check.kind}\t{check.path}\n")
    return run.returncode == 0, run.stdout + ("" if run.returncode == 0 else run.stderr)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = sys.argv[2:] or FOLDERS
    lint = build / "lint"
    lint.mkdir(parents=True, exist_ok=True)
    (lint / "seconds.log").unlink(missing_ok=True)
    cache = pathlib.Path(os.environ.get("VESICA_LINT_CACHE",
                                        pathlib.Path.home() / ".cache/vesica/lint"))
    cache.mkdir(parents=True, exist_ok=True)

    units = load_units(build, folders)
    checks = make_tidy_checks(units, lint) + make_alone_checks(units, folders)
    hashes = {id(check): hash_of(check) for check in checks}
    todo = [check for check in checks if not (cache / hashes[id(check)]).exists()]
    # Those that read most first, so that no core waits at the end for a long one.
    todo.sort(key=lambda check: (check.kind == "clang-tidy",
                                 sum(file.stat().st_size for file in check.files)), reverse=True)
    start = time.monotonic()
    bad = done = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {pool.submit(run, check, lint): check for check in todo}
        for future in concurrent.futures.as_completed(futures):
            check, (clean, output) = futures[future], future.result()
            done += 1
            if sys.stderr.isatty():
                print(f"\rlint: {done} of {len(todo)} ", end="", file=sys.stderr, flush=True)
            if clean:
                (cache / hashes[id(check)]).touch()
            else:
                bad += 1
                print(f"lint: {check.kind}: {check.path.relative_to(ROOT)}\n"
                      f"{output.strip().replace(f'{ROOT}/', '')}", flush=True)
    print(f"lint: {len(todo)} of {len(checks)} checks ({len(units)} units by clang-tidy), "
          f"{bad} with findings, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
