#!/usr/bin/env python3
"""The last line of make test: how many tests ran, and how many were skipped and why.

tools/count_tests.py build   reads build/test_results/*.xml, which the test binaries write.
Status 1 where a binary left no result, or something failed."""
import collections
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def count(folder):
    ran, failed, skipped = 0, 0, collections.Counter()
    for path in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            if case.get("status") == "notrun":
                continue
            ran += 1
            failed += case.find("failure") is not None
            note = case.find("skipped")
            if note is not None:
                # "file:line\nreason"; a path in it differs from machine to machine.
                reason = (note.get("message") or "").split("\n", 1)[-1].strip()
                skipped[reason.split(" at /")[0].split(" beside ")[0] or "no reason given"] += 1
    return ran, failed, skipped


def expected(build):
    """Names of the tests whose binaries are to leave a result."""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                                       check=True, capture_output=True, text=True).stdout)
    names = set()
    for test in listed["tests"]:
        for entry in test.get("properties", []):
            if entry["name"] == "ENVIRONMENT":
                for variable in entry["value"]:
                    if variable.startswith("GTEST_OUTPUT=xml:"):
                        names.add(pathlib.Path(variable).stem)
    return names


def main():
    results = pathlib.Path(sys.argv[1]) / "test_results"
    ran, failed, skipped = count(results)
    silent = expected(pathlib.Path(sys.argv[1])) - {path.stem for path in results.glob("*.xml")}
    if ran == 0 or silent:
        print(f"tests: no results in {results} of {', '.join(sorted(silent)) or 'any binary'}")
        return 1
    total = sum(skipped.values())
    why = ", ".join(f"{n} {reason}" for reason, n in skipped.most_common())
    print(f"tests: {ran - total} of {ran} ran, {failed} failed, {total} skipped"
          + (f" ({why})" if total else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
