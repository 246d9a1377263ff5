#!/usr/bin/env bash
# tools/timed_compile.sh COMPILER...: runs the compiler; where VESICA_COMPILE_LOG names a file, a line
# "processor seconds <tab> output" is added to it. As CCACHE_PREFIX it sees only what ccache has not
# found.
[ -n "${VESICA_COMPILE_LOG:-}" ] || exec "$@"
output=
for ((k = 1; k < $#; ++k)); do
  if [ "${!k}" = -o ]; then
    next=$((k + 1))
    output=${!next}
  fi
done
exec 3>&1 4>&2
TIMEFORMAT='%3U %3S'
used=$({ time "$@" 1>&3 2>&4; } 2>&1)
status=$?
printf '%s\t%s\n' "$(awk '{print $1 + $2}' <<<"$used")" "$output" >>"$VESICA_COMPILE_LOG"
exit $status
