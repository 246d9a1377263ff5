#!/usr/bin/env python3
"""Checks that includes follow the order of the rooms, and that headers guard themselves.

    tools/check_includes.py [ROOT]           file:line, what is included and what is allowed
    tools/check_includes.py --draw [FILE]    the rooms as a picture (SVG), on standard output or in FILE
    tools/check_includes.py --table          the same as a table of Markdown

ROOMS below says what the files of a folder may include besides their own folder. The check fails
on an include that it does not allow, on a room that is not in it, and on a cycle. Everything may
include vesica/error.h; tests, bench, fuzz, examples and adapters everything.
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
    "vesica/contact":        ("what the shared volume does", "interference* io"),
    "vesica/multibody":      ("joints, trees, loops, force elements", "contact* io"),
    "vesica/model":          ("the description of a scene", "multibody* io"),
    "vesica/simulation":     ("state, events, steppers, runs", "model*"),
    "vesica/motion":         ("recordings of people", "math geometry io"),
    "vesica/markers":        ("marker models, fitted to all frames", "math io motion"),
    "vesica/identification": ("contact parameters from experiments", "simulation* motion"),
    "vesica/biomechanics":   ("foot, knee: functions that return a model", "model* motion"),
    "vesica/studies":        ("many runs: designs, runner, results", "simulation*"),
    "vesica/report":         ("pages, plots, pictures, law sheets",
                              "simulation* markers* identification* biomechanics* studies*"),
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


def find_edges(root):
    """Room: rooms that its files include today."""
    edges = {room: set() for room in ROOMS}
    for name in list_files(root):
        room = room_of(name)
        for _, quote, target in list_includes((root / name).read_text(encoding="utf-8")):
            other = room_of(target) if quote == '"' else None
            if room and other and other != room:
                edges[room].add(other)
    return edges


def has_files(root, room):
    return any((root / room).glob("*.h")) or any((root / room).glob("*.cpp"))


def reduce_edges(edges):
    """Without the arrows that a longer way says too."""
    def reach(room):
        found, left = set(), list(edges[room])
        while left:
            other = left.pop()
            if other not in found:
                found.add(other)
                left += edges[other]
        return found
    below = {room: reach(room) for room in edges}
    return {room: {o for o in others if not any(o in below[p] for p in others if p != o)}
            for room, others in edges.items()}


# Rows of the picture, from the bottom.
LEVELS = [["math"], ["geometry"], ["interference", "io"], ["contact", "motion"],
          ["multibody", "markers"], ["model"], ["simulation", "biomechanics"],
          ["identification", "studies"], ["report"], ["reproduce"], ["apps/vesica"]]


def draw(root):
    """The rooms that there are, and who includes whom, as an SVG."""
    edges = reduce_edges(find_edges(root))
    rooms = [[NAMES[n] for n in row if has_files(root, NAMES[n])] for row in LEVELS]
    rooms = [row for row in rooms if row]
    width, height, gap_x, gap_y, margin = 290, 46, 40, 34, 20
    total_w = 2 * margin + 2 * width + gap_x
    total_h = 2 * margin + len(rooms) * height + (len(rooms) - 1) * gap_y
    place = {}
    for level, row in enumerate(rooms):
        y = total_h - margin - height - level * (height + gap_y)
        left = (total_w - len(row) * width - (len(row) - 1) * gap_x) / 2
        for k, room in enumerate(row):
            place[room] = (left + k * (width + gap_x), y, level)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w}" height="{total_h}" '
           f'viewBox="0 0 {total_w} {total_h}" font-family="sans-serif" font-size="13">',
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
           'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5d6877"/></marker></defs>',
           '<rect width="100%" height="100%" fill="white"/>']
    for room, (x, y, level) in place.items():
        below = sorted((o for o in edges[room] if o in place), key=lambda o: place[o][0])
        for k, other in enumerate(below):
            ox, oy, other_level = place[other]
            x1 = x + width * (k + 1) / (len(below) + 1)
            above = sorted((r for r in place if other in edges[r]), key=lambda r: place[r][0])
            x2 = ox + width * (above.index(room) + 1) / (len(above) + 1)
            y1, y2 = y + height, oy
            bend = (y2 - y1) * 0.45
            out.append(f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} '
                       f'{y2 - bend:.0f} {x2:.0f} {y2 - 2:.0f}" fill="none" stroke="#5d6877" '
                       f'stroke-width="1.3" marker-end="url(#tip)"/>')
    for room, (x, y, _) in place.items():
        fill = "#eef3f9" if room.startswith("vesica/") else "#fbf3e6"
        out.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{width}" height="{height}" rx="7" '
                   f'fill="{fill}" stroke="#8aa0b8"/>'
                   f'<text x="{x + width / 2:.0f}" y="{y + 19:.0f}" text-anchor="middle" '
                   f'font-weight="bold">{short(room)}</text>'
                   f'<text x="{x + width / 2:.0f}" y="{y + 36:.0f}" text-anchor="middle" '
                   f'fill="#5d6877" font-size="12">{ROOMS[room][0]}</text>')
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
