#!/usr/bin/env bash
# tools/install_packages.sh LIST...: installs the Debian packages of tools/packages/LIST.txt that
# are missing; says what it does, and is silent when all are there. Works as root or with sudo.
set -euo pipefail
lists=$(cd "$(dirname "$0")/packages" && pwd)

[ $# -gt 0 ] || set -- ''
for list in "$@"; do
  [ -f "$lists/$list.txt" ] || {
    echo "packages: no list '$list'; there are: $(cd "$lists" && echo *.txt | sed 's/\.txt//g')" >&2
    exit 2
  }
done

files=("${@/#/$lists/}")
mapfile -t wanted < <(sed -E 's/#.*//; s/[[:space:]]//g; /^$/d' "${files[@]/%/.txt}" | sort -u)
# One question for all names takes milliseconds, so every make target can ask it. The status of
# dpkg-query is 1 when it knows nothing of a name: that name is missing.
mapfile -t missing < <(
  comm -23 <(printf '%s\n' "${wanted[@]}") \
    <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/ installed$//p' | sort -u))
[ ${#missing[@]} -gt 0 ] || exit 0

echo "packages: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "packages: neither root nor sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "packages: done"
