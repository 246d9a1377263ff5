"""The work behind tools/make_docs.sh, which explains it."""
import pathlib
import re
import subprocess
import sys
import tempfile

# Pictures: file under docs/pictures and the command that makes it ({} is the file).
PICTURES = {
    "heel_on_ground.svg": "vesica probe heel_on_ground --quiet --cells 80 --pressure-map {}",
    "laws_of_the_slip.svg": "vesica laws --quiet --svg {}",
    "rooms.svg": "tools/check_includes.py --draw {}",
}
for system in ["cylinder_volumetric", "block_over_step", "tippe_top", "knee"]:
    PICTURES[f"{system}.svg"] = f"vesica reproduce {system} --once --quiet --out {{0}}.run --svg {{0}}"
# One per page of docs/theory/laws that shows one.
for page in pathlib.Path("docs/theory/laws").glob("*.md"):
    if f"law_{page.stem}.svg" in page.read_text(encoding="utf-8"):
        PICTURES[f"law_{page.stem}.svg"] = f"vesica laws {page.stem} --quiet --svg {{}}"
BLOCK = re.compile(r"(<!-- (run|file): (.*?) -->\n```\w*\n)(.*?)(```\n)", re.S)
# Taken over from the last `make bench`, where there was one: times are no matter of a check.
BENCH = re.compile(r"(<!-- bench: (.*?) -->\n```\w*\n)(.*?)(```\n)", re.S)
TABLE = re.compile(r"(<!-- table: (.*?) -->\n)((?:\|.*\n)*)")


def output_of(command):
    run = subprocess.run(command, shell=True, capture_output=True, text=True)
    if run.returncode in (126, 127):  # the shell found no such program: nothing to show
        sys.exit(f"make_docs: {command}\n{run.stderr}")
    return run.stdout + run.stderr


def renew_benchmarks(text):
    def block(match):
        name = re.sub("[^A-Za-z0-9]", "_", match.group(2))  # as tools/run_bench.sh names it
        printed = pathlib.Path("build/bench") / f"{name}.txt"
        body = printed.read_text() if printed.exists() else match.group(3)
        return match.group(1) + body.rstrip("\n") + "\n" + match.group(4)
    return BENCH.sub(block, text)


def renew(text):
    def block(match):
        head, kind, argument, _, tail = match.groups()
        body = output_of(argument) if kind == "run" else pathlib.Path(argument).read_text()
        return head + body.rstrip("\n") + "\n" + tail
    def table(match):
        return match.group(1) + output_of(match.group(2)).rstrip("\n") + "\n"
    return TABLE.sub(table, BLOCK.sub(block, text))


NUMBER = re.compile(rb"-?\d+\.?\d*(?:e[-+]?\d+)?")


def look_alike(a, b):
    """The same drawing to a pixel: the last digits of a run depend on the machine's arithmetic."""
    if a == b:
        return True
    if NUMBER.sub(b"#", a) != NUMBER.sub(b"#", b):
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)))
    return all(abs(x - y) <= 1 + 1e-6 * abs(x) for x, y in pairs)


def main():
    check = sys.argv[1:] == ["--check"]
    stale, blocks = [], 0
    for page in [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        blocks += len(BLOCK.findall(text)) + len(TABLE.findall(text))
        new = renew(text if check else renew_benchmarks(text))
        if new != text:
            stale.append(page)
            if not check:
                page.write_text(new, encoding="utf-8")
    pictures = pathlib.Path("docs/pictures")
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, command in PICTURES.items():
            made = pathlib.Path(folder) / name
            message = output_of(command.format(made) + " >/dev/null")
            if not made.exists():
                sys.exit(f"make_docs: {command}\n{message}")
            kept = pictures / name
            if not kept.exists() or not look_alike(kept.read_bytes(), made.read_bytes()):
                stale.append(kept)
                if not check:
                    kept.write_bytes(made.read_bytes())
    for path in stale:
        print(f"docs: {path} {'is out of date, run make docs' if check else 'renewed'}")
    print(f"docs: {blocks} blocks and {len(PICTURES)} pictures, {len(stale)} "
          f"{'out of date' if check else 'renewed'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
