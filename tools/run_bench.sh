#!/bin/sh
# Runs every benchmark of a build folder, one after the other: tools/run_bench.sh build [NAME...]
# NAME picks benchmarks (contact for contact_bench). Status 1 if one of them fails to run.
set -eu
build=$1
shift
status=0
for program in "$build"/bin/*_bench; do
  name=$(basename "$program" _bench)
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  printf '\n== %s\n' "$name"
  "$program" || { echo "run_bench: $program failed with status $?" >&2; status=1; }
done
exit $status
