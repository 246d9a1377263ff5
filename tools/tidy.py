#!/usr/bin/env python3
"""clang-tidy over the sources of a build, in parallel, remembering what was clean.

    tools/tidy.py BUILD_DIR [FOLDER...]     FOLDER: default vesica apps tests examples

Units are those of the build: where files are compiled together they are checked together, which
takes a third of the time. A unit is checked again when one of its files, a header of this
repository that they include, .clang-tidy or the compile flags have changed; so a run costs only what
moved. What was clean is remembered by content in ~/.cache/vesica/tidy (or $VESICA_TIDY_CACHE), for
all clones. The build uses GCC's precompiled headers, which clang cannot read: their flags are taken
out.
"""
import concurrent.futures
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
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
TIDY = "clang-tidy-14"
UNITY = "Unity"  # folder of the files that CMake writes to compile others together


def folder_of(path):
    """First folder of what is compiled: of a unit of several files, theirs."""
    if UNITY in path.parts:
        path = pathlib.Path(INCLUDE.search(path.read_text(encoding="utf-8")).group(1))
    return path.relative_to(ROOT).parts[0] if path.is_relative_to(ROOT) else ""


def make_command(entry):
    words = shlex.split(entry["command"])
    kept, skip = [], False
    for word, following in zip(words, words[1:] + [""]):
        if skip:
            skip = False
        elif word == "-include" and "cmake_pch" in following:
            skip = True
        elif word != "-Winvalid-pch":
            kept.append(word)
    # What clang does not know of GCC: pragmas (unroll), warnings.
    return kept + ["-Wno-unknown-pragmas", "-Wno-unknown-warning-option"]


def hash_of(path, command):
    """Of the file and of every header of the repository that it reaches."""
    seen, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        todo += [ROOT / name for name in INCLUDE.findall(file.read_text(encoding="utf-8"))]
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    digest.update(" ".join(command).replace(str(ROOT), "").encode())
    if UNITY in path.parts:
        seen.discard(path)  # holds this clone's place
    for file in sorted(seen):
        digest.update(file.relative_to(ROOT).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = sys.argv[2:] or ["vesica", "apps", "tests", "examples"]
    lint = build / "lint"
    lint.mkdir(parents=True, exist_ok=True)
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.suffix in (".cpp", ".cxx") and folder_of(path) in folders:
            entries[path] = dict(entry, command=shlex.join(make_command(entry)))
    (lint / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))

    cache = pathlib.Path(os.environ.get("VESICA_TIDY_CACHE",
                                        pathlib.Path.home() / ".cache/vesica/tidy"))
    cache.mkdir(parents=True, exist_ok=True)
    hashes = {p: hash_of(p, shlex.split(e["command"])) for p, e in entries.items()}
    todo = [p for p in sorted(entries) if not (cache / hashes[p]).exists()]
    start = time.monotonic()

    def check(path):
        run = subprocess.run([TIDY, "--quiet", "-p", str(lint), str(path)], cwd=ROOT,
                             capture_output=True, text=True)
        return path, run.returncode, run.stdout + ("" if run.returncode == 0 else run.stderr)

    bad = done = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, status, output in pool.map(check, todo):
            done += 1
            if sys.stderr.isatty():
                print(f"\rclang-tidy: {done} of {len(todo)} ", end="", file=sys.stderr, flush=True)
            if status == 0:
                (cache / hashes[path]).touch()
            else:
                bad += 1
                print(output.strip().replace(f"{ROOT}/", ""))
    print(f"clang-tidy: {len(todo)} of {len(entries)} units checked, {bad} with findings, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
