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
if env -u HFS cmake -S "$top" -B "$folder/none" -DRV_HOUDINI=ON >"$folder/log" 2>&1; then
  echo "without a Houdini it must fail"
  exit 1
fi
grep -q "source houdini_setup" "$folder/log"
python3 -c "import ast, json; json.load(open('$top/plugin/packages/rivulet.json')); ast.parse(open('$top/plugin/houdini_smoke.py').read())"
test $ran = 1 || exit 77
