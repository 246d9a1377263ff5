#!/usr/bin/env bash
# Runs the benchmarks of a build folder, one after the other: tools/run_bench.sh build [NAME...]
# Every comment `bench: NAME ARGUMENTS` of the documentation is a run of NAME_bench with these
# arguments; a benchmark that no page shows runs without any. NAME picks benchmarks (contact for
# contact_bench). Those with --all take an hour together: VESICA_BENCH_ALL=1 runs them too. What each
# prints is kept in build/bench/, with machine, load, compiler, commit and date, from where make docs
# takes it onto the pages. Status 1 if one of them fails to run.
set -euo pipefail
build=$1
shift
mkdir -p "$build/bench"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
shown=$(grep -rhoE --include='*.md' '^<!-- bench: .+ -->' README.md docs |
  sed -E 's/^<!-- bench: (.+) -->$/\1/' | awk '!seen[$0]++')
runs=$shown
for program in "$build"/bin/*_bench; do
  name=$(basename "$program" _bench)
  grep -qE "^$name( |$)" <<<"$shown" || runs+=$'\n'$name
done
status=0
while read -r name arguments; do
  [ -n "$name" ] || continue
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  case " $arguments " in *' --all '*) [ -n "${VESICA_BENCH_ALL:-}" ] || continue ;; esac
  printf '\n== %s\n' "$name $arguments"
  kept="$build/bench/$(tr -c 'A-Za-z0-9\n' _ <<<"$name${arguments:+ $arguments}")"
  # What a benchmark says on standard error is progress.
  {
    printf '%s, %s cores, load %s; %s; %s; %s\n\n' "$processor" "$(nproc)" \
      "$(cut -d ' ' -f 1 /proc/loadavg)" "$("$compiler" --version | head -n 1)" \
      "$(git rev-parse --short HEAD 2>/dev/null || echo 'no commit')" "$(date -u +%Y-%m-%d)"
    # shellcheck disable=SC2086  # arguments are words
    "$build/bin/${name}_bench" $arguments </dev/null || echo "${name}_bench failed with status $?"
  } >"$kept.part"
  cat "$kept.part"
  if grep -q "^${name}_bench failed with status" "$kept.part"; then
    status=1
  else
    mv "$kept.part" "$kept.txt"
  fi
done <<<"$runs"
exit $status
