#!/usr/bin/env bash
# tools/make_package.sh BUILD: makes the .deb and the tarball of a build into BUILD/packages, then
# unpacks both elsewhere and uses them as a stranger would. The status is 0 only if they work.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
packages=$build/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "package: $*" >&2; exit 1; }

[ -f "$build/CPackConfig.cmake" ] || fail "$1 is not configured for packages (make package)"
rm -rf "$packages"
(cd "$build" && cpack --config CPackConfig.cmake) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -rf "$build/_CPack_Packages"
deb=$(echo "$packages"/*.deb)
tarball=$(echo "$packages"/*.tar.gz)
[ -f "$deb" ] && [ -f "$tarball" ] || fail "expected one .deb and one .tar.gz in $packages"

# Unpacked beside a folder of the user's that happens to have a name of ours, and used from another.
mkdir -p "$work/tarball/scenes" "$work/deb" "$work/elsewhere"
tar -xzf "$tarball" -C "$work/tarball"
dpkg-deb -x "$deb" "$work/deb"
for tool in "$work"/tarball/*/bin/vesica "$work/deb/usr/bin/vesica"; do
  name=${tool#"$work/"}
  [ -x "$tool" ] || fail "no program at $name"
  cd "$work/elsewhere"
  for arguments in --version list "probe heel_on_ground" \
    "simulate bouncing_ball --out $work/run" "report $work/run"; do
    # shellcheck disable=SC2086  # words, none with blanks
    env -u VESICA_DATA "$tool" $arguments >"$work/out" 2>&1 ||
      { cat "$work/out"; fail "$name $arguments"; }
    echo "package: $name ${arguments//$work\//}: $(wc -l <"$work/out") lines"
  done
  # What comes along is found beside the program, not where it was built.
  "$tool" list >"$work/listed"
  for scene in "$root"/scenes/*.yaml; do
    grep -q "^$(basename "$scene" .yaml) " "$work/listed" ||
      fail "$name list has no $(basename "$scene" .yaml)"
  done
  rm -rf "$work/run"
done
if found=$(cd "$work" && grep -rlF "$root" tarball); then
  fail "the folder of the sources is named in: $found"
fi
depends=$(dpkg-deb -f "$deb" Depends)
[ -n "$depends" ] || fail "the .deb names no libraries that it needs"
case $depends in *sundials*) fail "the .deb needs the shared SUNDIALS, which brings PETSc and MPI" ;; esac

echo "package: contents of the .deb (headers not listed)"
dpkg-deb -c "$deb" | awk '$1 !~ /^d/ && $6 !~ /\.h$/ {print "  " $6 "  " $3}'
echo "package: fields of the .deb"
dpkg-deb -f "$deb" | sed 's/^/  /'
cd "$packages"
sha256sum ./*.deb ./*.tar.gz | sed 's|\./||' >SHA256SUMS
echo "package: in $packages"
sed 's/^/  /' SHA256SUMS
