#!/usr/bin/env python3
"""clang-tidy over the sources of a build, in parallel, remembering what was clean.

    tools/tidy.py BUILD_DIR [FOLDER...]     FOLDER: default vesica apps

A file is checked again when it, a header of this repository that it includes, .clang-tidy or its
compile flags have changed; so a run costs only what moved. What was clean is remembered by content
in ~/.cache/vesica/tidy (or $VESICA_TIDY_CACHE), for all clones. The build uses GCC's precompiled
headers, which clang cannot read: their flags are taken out.
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
    # GCC's pragmas (unroll) are unknown to clang and harmless.
    return kept + ["-Wno-unknown-pragmas"]


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
    for file in sorted(seen):
        digest.update(file.relative_to(ROOT).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = sys.argv[2:] or ["vesica", "apps"]
    lint = build / "lint"
    lint.mkdir(parents=True, exist_ok=True)
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in folders:
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

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, status, output in pool.map(check, todo):
            if status == 0:
                (cache / hashes[path]).touch()
            else:
                bad += 1
                print(output.strip().replace(f"{ROOT}/", ""))
    print(f"clang-tidy: {len(todo)} of {len(entries)} files checked, {bad} with findings, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
