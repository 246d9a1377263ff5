#!/usr/bin/env python3
"""Checks that includes follow the order of the folders, and that headers guard themselves.

    math <- geometry <- interference <- contact <- multibody <- simulation <- identification

A folder may include itself and what stands to its left. `io` has files only: math and geometry.
Folders right of geometry may read their own input through io. `motion` stands beside: math,
geometry and io; `markers` (math, io, and the table of joints, which includes nothing) and
`identification` may use it.
Everything may include vesica/error.h; apps, tests, bench, fuzz, examples and adapters everything.

Prints file:line, what is included and what is allowed; exit status 1 if there is any violation.
"""
import pathlib
import re
import sys

CHAIN = ["math", "geometry", "interference", "contact", "multibody", "simulation",
         "identification"]
ROOT_HEADERS = {"vesica/error.h"}
# Headers that include nothing of the library, open to a folder besides its own.
TABLES = {"markers": {"vesica/multibody/joint_table.h"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def make_allowed():
    allowed = {}
    for position, folder in enumerate(CHAIN):
        allowed[folder] = set(CHAIN[: position + 1])
        if position > CHAIN.index("geometry"):
            allowed[folder].add("io")
    allowed["io"] = {"io", "math", "geometry"}
    allowed["motion"] = {"motion", "math", "geometry", "io"}
    allowed["markers"] = {"markers", "motion", "math", "io"}
    allowed["identification"].add("motion")
    return allowed


def find_violations(root):
    allowed = make_allowed()
    for path in sorted((root / "vesica").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).as_posix()
        parts = name.split("/")
        folder = parts[1] if len(parts) > 2 else ""
        if folder and folder not in allowed:
            yield f"{name}:1: the folder '{folder}' has no place in the order; add it to {__file__}"
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".h" and "#pragma once" not in text:
            yield f"{name}:1: a header starts with #pragma once"
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            if quote == "<":
                if target.startswith("vesica/"):
                    yield f'{name}:{number}: write #include "{target}" with quotes'
                continue
            if target.split("/")[0] != "vesica":
                yield (f'{name}:{number}: #include "{target}": the library includes only itself; '
                       "paths start at the repository root (vesica/...)")
            elif not (root / target).is_file():
                yield f'{name}:{number}: #include "{target}": there is no such file'
            elif target not in ROOT_HEADERS | TABLES.get(folder, set()):
                other = target.split("/")[1]
                if other not in allowed.get(folder, set()):
                    may = ", ".join(sorted(allowed.get(folder, set()))) or "vesica/error.h only"
                    yield (f"{name}:{number}: {folder or 'vesica'} must not include {target}: "
                           f"it may use {may}")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    violations = list(find_violations(root.resolve()))
    for violation in violations:
        print(violation)
    if violations:
        print(f"check_includes: {len(violations)} violation(s)", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
