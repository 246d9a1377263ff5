#!/bin/sh
# tools/run_fuzz.sh BUILD SECONDS: every fuzz target of BUILD/bin for SECONDS, from the seeds in
# fuzz/corpus. What it learns stays in BUILD; an input that fails is kept there and named.
set -eu
build=$1
seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
failed=0
for target in "$build"/bin/*_fuzz; do
  name=$(basename "$target" _fuzz)
  mkdir -p "$build/fuzz/$name"
  seeds="$root/fuzz/corpus/$name"
  [ -d "$seeds" ] || seeds=
  echo "fuzz: $name for $seconds s"
  if "$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/$name-" "$build/fuzz/$name" $seeds >"$build/fuzz/$name.log" 2>&1; then
    grep -E 'number_of_executed_units|average_exec' "$build/fuzz/$name.log" || true
  else
    failed=1
    echo "fuzz: $name FAILED; log $build/fuzz/$name.log, inputs $build/fuzz/$name-*"
    grep -E 'ERROR|SUMMARY' "$build/fuzz/$name.log" || true
  fi
done
exit $failed
