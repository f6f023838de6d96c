# The whole plug-in as docs/houdini.md says, with a mock of Houdini: configured by the preset of 20.5, built, installed; the
# installed library has the right symbols and needs, and is loaded into the tests of nodes and scenes, which cook with it.
#
#   houdini_build.sh SOURCE BUILD SCRATCH      BUILD: a release build with its tests; SCRATCH is kept
set -eu
export RV_SOURCE_DIR=$1 RV_BUILD_DIR=$2
scratch=$3
. "$RV_SOURCE_DIR/tests/support/mock_hfs.sh"
rm -rf "$scratch/hfs" "$scratch/prefix"
mkdir -p "$scratch"
make_mock_hfs "$scratch/hfs"
cd "$RV_SOURCE_DIR"
cmake --preset houdini-20.5 -B "$scratch/build" -DHoudini_ROOT="$scratch/hfs" -DMOCK_HOUDINI_VERSION=20.5.278 >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/build" >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }
cmake --install "$scratch/build" --prefix "$scratch/prefix" --component houdini >"$scratch/log"
library=$scratch/prefix/packages/rivulet/20.5/dso/rivulet_houdini.so
ls -l "$library"
# an installed library looks for others where Houdini has them, not in the folders of the build
if readelf -d "$library" | grep -E 'R(UN)?PATH'; then
  echo "the installed plug-in has a path of this machine in it"
  exit 1
fi
RV_HOUDINI_MOCK=$library /usr/bin/python3 tests/host/test_hdk_library.py
cmake --build "$RV_BUILD_DIR" --target host_test_hdk_nodes host_test_hdk_scenes host_test_hdk_groom >/dev/null
for name in nodes scenes groom; do export RV_test_hdk_$name="$RV_BUILD_DIR/tests/host_test_hdk_$name"; done
/usr/bin/python3 tests/host/test_hdk_loaded.py "$library"
