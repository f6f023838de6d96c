# The glue compiles against the mock of the HDK with gcc and with clang, is small, and uses no header of ours but the
# public ones; and the build files of the plug-in work with a mock of Houdini's CMake package. A mock compile: no Houdini.
set -eu
top=$RV_SOURCE_DIR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# lines of code: blank lines and whole-line comments do not count
lines=$(cat "$top"/plugin/*.h "$top"/plugin/*.cpp | grep -cvE '^ *(//.*)?$')
echo "the glue has $lines lines of code"
test "$lines" -lt 900
if grep -hE '#include "' "$top"/plugin/*.h "$top"/plugin/*.cpp | grep -vE '"(rivulet/[a-z]+\.h|hdk_[a-z]+\.h|rivulet_dop_rows\.def)"'; then
  echo "the glue may include the public headers only"
  exit 1
fi

ran=0
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

cmake -S "$top" -B "$folder/build" -DRV_HOUDINI=ON -DHoudini_ROOT="$top/tests/hdk_mock" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" --target help | grep -q rivulet_houdini

# What is installed is the source, file by file. The plug-in itself is not built here; an empty file stands for it.
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
if env -u HFS cmake -S "$top" -B "$folder/none" -DRV_HOUDINI=ON >"$folder/log" 2>&1; then
  echo "without a Houdini it must fail"
  exit 1
fi
grep -q "source houdini_setup" "$folder/log"
python3 -c "import ast, json; json.load(open('$top/plugin/packages/rivulet.json')); ast.parse(open('$top/plugin/houdini_smoke.py').read())"
test $ran = 1 || exit 77
