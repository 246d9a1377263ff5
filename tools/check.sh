#!/usr/bin/env bash
# What CI holds the sources to, but for clang-tidy: formatting, the order of includes, documentation
# that shows what the tool prints. Needs the tool in build/ (make build). Every step runs; the exit
# status is 1 if any found something.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0

mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.h' '*.cpp')
if clang-format --dry-run -Werror "${sources[@]}" 2>build/format.log; then
  echo "clang-format: ${#sources[@]} files"
else
  grep -h 'error:' build/format.log | cut -d: -f1 | sort | uniq -c |
    sed -E 's/ *([0-9]+) (.*)/\2: \1 places not formatted/'
  echo "clang-format: run make format"
  status=1
fi

if tools/check_includes.py; then echo "includes: follow the order"; else status=1; fi

# A property that nobody looks at is no test.
if grep -rn 'rc::check(' tests | grep -v 'EXPECT_TRUE(rc::check(\|ASSERT_TRUE(rc::check('; then
  echo "tests: the result of rc::check is not asserted"
  status=1
else
  echo "tests: results of rc::check are asserted"
fi
tools/make_docs.sh --check || status=1
exit $status
