#!/usr/bin/env bash
# Reprints what the documentation shows: pictures in docs/pictures, and every block
#   <!-- run: COMMAND -->
#   ```text
#   ...
#   ```
# of the Markdown files with what COMMAND prints, and every
#   <!-- file: PATH -->
#   ```cpp
# with that file, and every table under
#   <!-- table: COMMAND -->
# with the one that COMMAND prints. What stands under
#   <!-- bench: NAME ARGUMENTS -->
# is what NAME_bench printed when `make bench` ran it so last in this build folder, with machine and date;
# `make bench docs` renews it. Same input, same bytes. With --check nothing is written: it says what is out of
# date and exits with status 1.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/build.ninja ] || { echo "make_docs: run make build first" >&2; exit 1; }
cmake --build build --target vesica_app examples >build/docs.log || { cat build/docs.log; exit 1; }
export PATH="$PWD/build/bin:$PATH"
exec python3 tools/make_docs.py "$@"
