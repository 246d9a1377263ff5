#!/bin/sh
# tools/run_fuzz.sh BUILD SECONDS [RUNS]: every fuzz target of BUILD/bin for SECONDS, from the seeds in
# fuzz/corpus; with RUNS until so many executions, however long they take. FUZZ_TARGETS="c3d csv" picks
# some. What it learns stays in BUILD; an input that fails is kept there and named.
set -eu
build=$1
seconds=$2
runs=${3:-0}
root=$(cd "$(dirname "$0")/.." && pwd)
failed=0
# A stack trace with every allocation, and a long list of freed memory, are most of the time of a
# reader that takes microseconds; without them c3d and csv run several times as often, and what is
# found is still told with its stack.
export ASAN_OPTIONS="malloc_context_size=0:quarantine_size_mb=16:${ASAN_OPTIONS:-}"
for target in "$build"/bin/*_fuzz; do
  name=$(basename "$target" _fuzz)
  if [ -n "${FUZZ_TARGETS:-}" ]; then
    case " $FUZZ_TARGETS " in *" $name "*) ;; *) continue ;; esac
  fi
  mkdir -p "$build/fuzz/$name"
  seeds="$root/fuzz/corpus/$name"
  [ -d "$seeds" ] || seeds=
  # Tables and maps say all they can in a few lines; a C3D has a kilobyte of header,
  # a calibration has twenty curves of 101 numbers.
  case $name in c3d | stl | osim) length=2048 ;; forces) length=8192 ;; *) length=1024 ;; esac
  if [ "$runs" -gt 0 ]; then
    limit="-runs=$runs"
    echo "fuzz: $name, $runs executions"
  else
    limit="-max_total_time=$seconds"
    echo "fuzz: $name for $seconds s"
  fi
  # Its schedule by rare features costs more than such a reader.
  if "$target" "$limit" -entropic=0 -max_len=$length -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/$name-" "$build/fuzz/$name" $seeds >"$build/fuzz/$name.log" 2>&1; then
    grep -E 'number_of_executed_units|average_exec' "$build/fuzz/$name.log" || true
  else
    failed=1
    echo "fuzz: $name FAILED; log $build/fuzz/$name.log, inputs $build/fuzz/$name-*"
    grep -E 'ERROR|SUMMARY' "$build/fuzz/$name.log" || true
  fi
done
exit $failed
