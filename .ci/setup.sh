# Sourced by ./run and ./test: installs what is missing on a Debian 12 and builds. Prints to standard error only.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$top/build/release"

run_packages="gcc g++ cmake ninja-build pkg-config libtbb-dev libopenvdb-dev libboost-dev libblosc-dev libjansson-dev libembree-dev
  libopenexr-dev libpng-dev libxxhash-dev zlib1g-dev libcmocka-dev ffmpeg"
test_packages="clang libclang-rt-14-dev liblapacke-dev python3 python3-numpy python3-openvdb libopenvdb-tools git procps
  mingw-w64-x86-64-dev libc6-dev-arm64-cross linux-libc-dev-arm64-cross"
full_packages="paraview python3-paraview blender xvfb munge slurmctld slurmd slurm-client gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev wine64 nodejs npm"

say() { echo "rivulet: $*" >&2; }

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || echo "$package"
  done
}

install_packages() {
  local wanted sudo=""
  wanted=$(missing_packages "$@")
  [ -n "$wanted" ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "these packages are missing and there is no apt-get to install them:" $wanted
    return 1
  fi
  [ "$(id -u)" = 0 ] || sudo=sudo
  say "installing" $wanted
  $sudo apt-get update -qq >&2
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >&2
}

# build_targets TARGET...: configures once, then builds the targets
build_targets() {
  [ -f "$build/build.ninja" ] || (cd "$top" && cmake --preset release >&2)
  cmake --build "$build" --target "$@" >&2
}
