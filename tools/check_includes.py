#!/usr/bin/env python3
"""Checks that includes follow the order of the rooms, and that headers guard themselves.

    tools/check_includes.py [ROOT]           file:line, what is included and what is allowed
    tools/check_includes.py --draw [FILE]    the rooms as a picture (SVG), on standard output or in FILE
    tools/check_includes.py --table          the same as a table of Markdown

ROOMS below says what the files of a folder may include besides their own folder. The check fails
on an include that it does not allow, on a room that is not in it, and on a cycle. Everything may
include FREE_HEADERS; tests, bench, fuzz, examples and adapters everything.
"""
import pathlib
import re
import sys

# Folder: what it is for, and the rooms that it may include. A name ending in * means that room and
# all that it may include.
ROOMS = {
    "vesica/math":           ("scalars, poses, splines, linear algebra", ""),
    "vesica/geometry":       ("what a body is made of", "math"),
    "vesica/io":             ("files, and only files", "math geometry"),
    "vesica/interference":   ("what two shapes share", "geometry*"),
    "vesica/contact":        ("what the shared volume does", "interference*"),
    "vesica/multibody":      ("joints, trees, loops, force elements", "contact*"),
    "vesica/model":          ("the description of a scene", "multibody* io"),
    "vesica/simulation":     ("state, events, steppers, runs", "model*"),
    "vesica/motion":         ("recordings of people", "math geometry io"),
    "vesica/markers":        ("marker models, fitted to all frames", "math io motion"),
    "vesica/forces":         ("ground forces from motion alone", "math io motion"),
    "vesica/identification": ("contact parameters from experiments and gait",
                              "simulation* motion forces biomechanics"),
    "vesica/biomechanics":   ("foot and knee, as models", "model* motion"),
    "vesica/studies":        ("many runs: designs, runner, results",
                              "simulation* identification* markers*"),
    "vesica/report":         ("pages, plots, pictures, law sheets",
                              "simulation* markers* forces* identification* biomechanics* studies*"),
    "reproduce":             ("the systems of the sources", "report*"),
    "apps/vesica":           ("the command line: options in, calls out", "reproduce*"),
}
# Included by everybody: what is thrown, and tables that include nothing of the library.
FREE_HEADERS = {"vesica/error.h", "vesica/multibody/joint_table.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def short(room):
    return room.split("/")[-1] if room.startswith("vesica/") else room


NAMES = {short(room): room for room in ROOMS}


def make_allowed():
    """Room: the rooms that it may include. A cycle ends the program."""
    allowed = {}

    def resolve(room, path):
        if room in path:
            sys.exit("check_includes: a cycle: " + " -> ".join(path[path.index(room):] + [room]))
        if room not in allowed:
            found = set()
            for word in ROOMS[room][1].split():
                other = NAMES[word.rstrip("*")]
                below = resolve(other, path + [room])
                found |= {other} | (below if word.endswith("*") else set())
            allowed[room] = found
        return allowed[room]

    for room in ROOMS:
        resolve(room, [])
    return allowed


def room_of(path):
    """The room of a file or of what is included, by its first folders; None outside of all."""
    parts = path.split("/")
    for depth in (2, 1):
        if len(parts) > depth and "/".join(parts[:depth]) in ROOMS:
            return "/".join(parts[:depth])
    return None


def list_files(root):
    for folder in ["vesica", "reproduce", "apps/vesica"]:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(root).as_posix()


def list_includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, *match.groups()


def is_ours(target):
    return target.split("/")[0] in {"vesica", "reproduce", "apps"}


def find_violations(root):
    allowed = make_allowed()
    for name in list_files(root):
        room = room_of(name)
        if room is None and name.count("/") > 1:
            yield f"{name}:1: its folder has no place in the order; add it to tools/check_includes.py"
            continue
        text = (root / name).read_text(encoding="utf-8")
        if name.endswith(".h") and "#pragma once" not in text:
            yield f"{name}:1: a header starts with #pragma once"
        for number, quote, target in list_includes(text):
            if quote == "<":
                if is_ours(target):
                    yield f'{name}:{number}: write #include "{target}" with quotes'
            elif not is_ours(target):
                yield (f'{name}:{number}: #include "{target}": paths start at the repository root '
                       "(vesica/...)")
            elif not (root / target).is_file():
                yield f'{name}:{number}: #include "{target}": there is no such file'
            elif target not in FREE_HEADERS and room is not None:
                other = room_of(target)
                if other != room and other not in allowed[room]:
                    may = ", ".join(short(r) for r in ROOMS if r in allowed[room])
                    yield (f"{name}:{number}: {short(room)} must not include {target}: "
                           f"it may use {may or 'vesica/error.h only'}")


def has_files(root, room):
    return any((root / room).glob("*.h")) or any((root / room).glob("*.cpp"))


def find_arrows(root):
    """Room: rooms that it may include, of those that there are, without what a longer way implies."""
    allowed = make_allowed()
    rooms = [room for room in ROOMS if has_files(root, room)]
    return {room: [other for other in rooms if other in allowed[room]
                   and not any(other in allowed[between] for between in allowed[room]
                               if between in rooms)]
            for room in rooms}


# Where a room stands in the picture: row from the bottom, first and last column.
PLACES = {
    "math": (0, 0, 3), "geometry": (1, 0, 3),
    "interference": (2, 0, 0), "contact": (3, 0, 0), "multibody": (4, 0, 0), "model": (5, 0, 0),
    "simulation": (6, 0, 0), "studies": (8, 0, 3), "identification": (7, 1, 1),
    "biomechanics": (7, 2, 2), "io": (2, 3, 3), "motion": (3, 3, 3), "markers": (4, 3, 3), "forces": (5, 3, 3),
    "report": (9, 0, 3), "reproduce": (10, 0, 3), "apps/vesica": (11, 0, 3),
}


def draw(root):
    """The rooms that there are, and who may include whom, as an SVG."""
    arrows = find_arrows(root)
    rows = sorted({PLACES[short(room)][0] for room in arrows})
    width, height, gap_x, gap_y, margin = 250, 44, 22, 30, 16
    total_w = 2 * margin + 4 * width + 3 * gap_x
    total_h = 2 * margin + len(rows) * (height + gap_y) - gap_y
    box = {}  # left, top, width
    for room in arrows:
        row, first, last = PLACES[short(room)]
        box[room] = (margin + first * (width + gap_x),
                     total_h - margin - height - rows.index(row) * (height + gap_y),
                     (last - first + 1) * width + (last - first) * gap_x)
    middle = {room: x + w / 2 for room, (x, _, w) in box.items()}

    def foot(room, other):
        """Where an arrow leaves or meets a room: above or below the other one, where it is wide."""
        x, _, w = box[room]
        return middle[other] if w > width >= box[other][2] else middle[room]

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w}" height="{total_h}" '
           f'viewBox="0 0 {total_w} {total_h}" font-family="sans-serif" font-size="13">',
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
           'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5d6877"/></marker></defs>',
           '<rect width="100%" height="100%" fill="white"/>']
    for room, others in arrows.items():
        for other in others:
            x1, x2 = foot(room, other), foot(other, room)
            # Side by side where two meet.
            if x1 != x2:
                x1 += 0.2 * width * (1 if x2 > x1 else -1)
                x2 -= 0.2 * width * (1 if x2 > middle[room] else -1)
            y1, y2 = box[room][1] + height, box[other][1]
            bend = 0.45 * (y2 - y1)
            out.append(f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} '
                       f'{y2 - bend:.0f} {x2:.0f} {y2 - 2:.0f}" fill="none" stroke="#5d6877" '
                       f'stroke-width="1.3" marker-end="url(#tip)"/>')
    for room, (x, y, w) in box.items():
        fill = "#eef3f9" if room.startswith("vesica/") else "#fbf3e6"
        out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{height}" rx="7" fill="{fill}" '
                   f'stroke="#8aa0b8"/>'
                   f'<text x="{x + w / 2:.0f}" y="{y + 18}" text-anchor="middle" '
                   f'font-weight="bold">{short(room)}</text>'
                   f'<text x="{x + w / 2:.0f}" y="{y + 35}" text-anchor="middle" fill="#5d6877" '
                   f'font-size="12">{ROOMS[room][0]}</text>')
    return "\n".join(out + ["</svg>", ""])


def make_table(root):
    allowed = make_allowed()
    lines = ["| room | what it is for | may include |", "|---|---|---|"]
    for room, (purpose, _) in ROOMS.items():
        if has_files(root, room):
            may = [short(r) for r in ROOMS if r in allowed[room] and has_files(root, r)]
            lines.append(f"| `{room}/` | {purpose} | {', '.join(may)} |")
    return "\n".join(lines)


def main():
    arguments = sys.argv[1:]
    here = pathlib.Path(__file__).resolve().parent.parent
    if arguments[:1] == ["--draw"]:
        if len(arguments) > 1:
            pathlib.Path(arguments[1]).write_text(draw(here), encoding="utf-8")
        else:
            print(draw(here), end="")
        return 0
    if arguments == ["--table"]:
        print(make_table(here))
        return 0
    violations = list(find_violations(pathlib.Path(arguments[0]).resolve() if arguments else here))
    for violation in violations:
        print(violation)
    if violations:
        print(f"check_includes: {len(violations)} violation(s)", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
