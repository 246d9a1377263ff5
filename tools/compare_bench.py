#!/usr/bin/env python3
"""Two builds of a benchmark, one against the other.

    tools/compare_bench.py OLD NEW [--repeats N] [--limit R] [-- ARGUMENT...]

Runs the two programs in turns, N times each (5), so that a change of the machine's speed meets
both, and compares every number that they print: the same line is the one with the same words.
Prints the medians and the ratio new/old of the lines where a number has moved by more than R
(0.05), and in the end, per column, the median ratio over all lines. Which numbers are times the
heading of the benchmark says; errors and counts should have ratio 1.
"""
import argparse
import collections
import re
import statistics
import subprocess
import sys

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.])", re.I)


def run(program, arguments):
    """Numbers by (words of the line, how often they came before)."""
    output = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    seen, rows = collections.Counter(), {}
    for line in output.splitlines():
        words = " ".join(NUMBER.sub(" ", line).split())
        numbers = [float(number) for number in NUMBER.findall(line)]
        if numbers:
            rows[words, seen[words]] = numbers
            seen[words] += 1
    return rows


def medians(runs, key):
    columns = zip(*(r[key] for r in runs if key in r))
    return [statistics.median(column) for column in columns]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.05)
    # What follows -- is the programs' own.
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    arguments = sys.argv[split + 1:]

    old, new = [], []
    for k in range(options.repeats):
        # The first of a pair changes, so that neither always follows the other's heat.
        for program, runs in [(options.old, old), (options.new, new)][:: 1 if k % 2 == 0 else -1]:
            runs.append(run(program, arguments))
        print(f"\r{k + 1} of {options.repeats} pairs ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)

    ratios = collections.defaultdict(list)
    for key in old[0]:
        before, after = medians(old, key), medians(new, key)
        if len(before) != len(after) or not before:
            continue
        moved = []
        for column, (a, b) in enumerate(zip(before, after)):
            if a == 0:
                continue
            ratios[column].append(b / a)
            if abs(b / a - 1) > options.limit:
                moved.append(f"[{column}] {a:.4g} -> {b:.4g} ({b / a:.2f})")
        if moved:
            print(f"{key[0][:60]:<60} {'  '.join(moved)}")
    for column, values in sorted(ratios.items()):
        print(f"column {column}: median ratio {statistics.median(values):.3f}, from "
              f"{min(values):.2f} to {max(values):.2f} over {len(values)} lines")
    missing = [key[0] for key in old[0] if not medians(new, key)]
    if missing:
        print(f"only in the old one: {'; '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
