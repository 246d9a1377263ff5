#!/bin/sh
# Runs every benchmark of a build folder, one after the other: tools/run_bench.sh build [NAME...]
# NAME picks benchmarks (contact for contact_bench). What each prints is kept in build/bench/NAME.txt,
# with machine, compiler and date, from where make docs takes it onto the pages. Status 1 if one of
# them fails to run.
set -eu
build=$1
shift
mkdir -p "$build/bench"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
status=0
for program in "$build"/bin/*_bench; do
  name=$(basename "$program" _bench)
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  printf '\n== %s\n' "$name"
  {
    printf '%s, %s cores, load %s; %s; %s; %s\n\n' "$processor" "$(nproc)" \
      "$(cut -d ' ' -f 1 /proc/loadavg)" "$("$compiler" --version | head -n 1)" \
      "$(git rev-parse --short HEAD 2>/dev/null || echo 'no commit')" "$(date -u +%Y-%m-%d)"
    "$program" 2>&1 || echo "$program failed with status $?"
  } >"$build/bench/$name.part"
  cat "$build/bench/$name.part"
  if grep -q "$program failed with status" "$build/bench/$name.part"; then
    status=1
  else
    mv "$build/bench/$name.part" "$build/bench/$name.txt"
  fi
done
exit $status
