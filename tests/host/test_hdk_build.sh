# The glue compiles against the mock of the HDK with gcc and with clang, is small, and uses no header of ours but the
# public ones; and the build files of the plug-in work with a mock of Houdini's CMake package. A mock compile: no Houdini.
#
#   test_hdk_build.sh [PART...]      glue, versions, package; all without a name
set -eu
top=$RV_SOURCE_DIR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ran=0

test_glue() {
  # lines of code: blank lines and whole-line comments do not count
  lines=$(cat "$top"/plugin/*.h "$top"/plugin/*.cpp | grep -cvE '^ *(//.*)?$')
  echo "the glue has $lines lines of code"
  test "$lines" -lt 900
  if grep -hE '#include "' "$top"/plugin/*.h "$top"/plugin/*.cpp | grep -vE '"(rivulet/[a-z]+\.h|hdk_[a-z]+\.h|rivulet_dop_rows\.def)"'; then
    echo "the glue may include the public headers only"
    exit 1
  fi

  for compiler in g++ clang++; do
    command -v $compiler >/dev/null || { echo "$compiler is not here"; continue; }
    for file in "$top"/plugin/hdk_*.cpp; do
      $compiler -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$top/include" -I"$top/plugin" -I"$RV_BUILD_DIR/plugin" \
        -I"$top/tests/hdk_mock" "$file"
    done
    echo "mock compile with $compiler: good"
    ran=1
  done
  # the wrappers' headers are C
  for header in "$top"/plugin/hdk_*.h; do
    ${CC:-cc} -std=c17 -Wall -Wextra -Werror -fsyntax-only -I"$top/include" -include "$header" -x c /dev/null
  done
}

test_versions() {
  # An older HDK has SOP_GraphProxy, and no header of OP_GraphProxy and OP_NodeParms: plugin/hdk_compat.h takes its forms.
  cp -r "$top/tests/hdk_mock" "$folder/old"
  rm "$folder/old/OP/OP_GraphProxy.h" "$folder/old/OP/OP_NodeParms.h"
  for file in $(grep -l '"hdk_compat.h"' "$top"/plugin/hdk_*.cpp); do
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DMOCK_HDK_OLD -I"$top/include" -I"$top/plugin" -I"$RV_BUILD_DIR/plugin" \
      -I"$folder/old" "$file"
  done
  # and a newer one has SOP_GraphProxyGeo.h in place of SOP_GraphProxy.h
  cp -r "$top/tests/hdk_mock" "$folder/new"
  mv "$folder/new/SOP/SOP_GraphProxy.h" "$folder/new/SOP/SOP_GraphProxyGeo.h"
  ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$top/include" -I"$top/plugin" -I"$RV_BUILD_DIR/plugin" -I"$folder/new" "$top/plugin/hdk_sop.cpp"
  if grep -nE '\b(OP_GraphProxy|OP_NodeParms|SOP_GraphProxy)\b' "$top"/plugin/*.cpp; then
    echo "forms that differ between versions belong into hdk_compat.h"
    exit 1
  fi
  echo "mock compile with the forms of older and newer HDKs: good"
  ran=1
}

configure() {
  (cd "$top" && cmake "$@" -B "$folder/build" -DHoudini_ROOT="$houdini" >"$folder/log" 2>&1)
}

test_package() {
  houdini=$folder/hfs
  make_mock_hfs "$houdini"
  # a preset a version; a Houdini of another version is refused, and so is one that the package does not know
  for release in 19.5 20.0 20.5 21.0; do
    configure --preset houdini-$release -DMOCK_HOUDINI_VERSION=$release.100 || { cat "$folder/log"; exit 1; }
    if configure --preset houdini-$release -DMOCK_HOUDINI_VERSION=18.5.1; then
      echo "the preset of $release takes another version"
      exit 1
    fi
    grep -q "is for Houdini $release" "$folder/log"
    grep -q "rivulet/$release\"" "$top/plugin/packages/rivulet.json"
  done
  if configure -DRV_HOUDINI_RELEASE= -DMOCK_HOUDINI_VERSION=22.0.1; then
    echo "a version that the package does not know is taken"
    exit 1
  fi
  configure --preset houdini-20.5 -DMOCK_HOUDINI_VERSION=20.5.278 || { cat "$folder/log"; exit 1; }
  cmake --build "$folder/build" --target help | grep -q rivulet_houdini
  # the libraries of the plug-in: Houdini's own Blosc, zlib and OpenVDB, and none of the command line's
  ninja -C "$folder/build" -t commands rivulet_houdini | tail -n 1 >"$folder/link"
  for name in blosc z openvdb_sesi; do grep -q "$houdini/dsolib/lib$name.so" "$folder/link"; done
  if grep -oE '[^ ]*(png|jansson|xxhash|embree)[^ ]*|-l(blosc|z)\b|/usr/[^ ]*lib(blosc|z)\.[^ ]*' "$folder/link"; then
    echo "the plug-in links what Houdini has not, or a second copy"
    exit 1
  fi
  ninja -C "$folder/build" -t commands rivulet_houdini | grep -E 'base/hash\.c' | grep -q -- -DXXH_INLINE_ALL
  # without Houdini's own Blosc there is no build
  mv "$houdini/dsolib/libblosc.so" "$folder"
  if configure -UHOUDINI_blosc; then
    echo "another Blosc than Houdini's is taken"
    exit 1
  fi
  grep -q "has no blosc" "$folder/log"
  mv "$folder/libblosc.so" "$houdini/dsolib"
  configure . || { cat "$folder/log"; exit 1; }

  # What is installed is the source, file by file. The plug-in itself is not built here, as it takes minutes
  # (tests/full/houdini_build.sh); an empty file stands for it.
  library=$(sed -n 's/.*FILES "\(.*rivulet_houdini[^"]*\)".*/\1/p' "$folder/build/plugin/cmake_install.cmake" | head -n 1)
  mkdir -p "$(dirname "$library")"
  test -e "$library" || : >"$library"
  cmake -DCMAKE_INSTALL_PREFIX="$folder/prefix" -DCMAKE_INSTALL_COMPONENT=houdini -P "$folder/build/plugin/cmake_install.cmake" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
  installed=$folder/prefix/packages
  cmp "$top/plugin/packages/rivulet.json" "$installed/rivulet.json"
  cmp "$top/plugin/houdini_smoke.py" "$installed/rivulet/scripts/houdini_smoke.py"
  for asset in "$top"/otls/*.hda; do diff -r "$asset" "$installed/rivulet/otls/$(basename "$asset")"; done
  for name in help config toolbar; do diff -r "$top/otls/$name" "$installed/rivulet/$name"; done
  diff -r -x __pycache__ "$top/otls/python" "$installed/rivulet/scripts/python"
  expected=$(cd "$top/otls" && find ./*.hda help config toolbar python -type f ! -path '*/__pycache__/*' | wc -l)
  found=$(find "$installed" -type f | wc -l)
  echo "installed: $found files, $expected of them from otls/"
  test "$found" = $((expected + 3))  # and the library, the package and the smoke test
  test -e "$installed/rivulet/20.5/dso/rivulet_houdini.so"
  rm -rf "$folder/none"
  if env -u HFS cmake -S "$top" -B "$folder/none" -DRV_HOUDINI=ON >"$folder/log" 2>&1; then
    echo "without a Houdini it must fail"
    exit 1
  fi
  grep -q "source houdini_setup" "$folder/log"
  python3 -c "import ast, json; json.load(open('$top/plugin/packages/rivulet.json')); ast.parse(open('$top/plugin/houdini_smoke.py').read())"
  ran=1
}

. "$top/tests/support/mock_hfs.sh"
for part in ${*:-glue versions package}; do test_$part; done
test $ran = 1 || exit 77
