# Each public header compiles alone, as C17 and as C++17, with every warning.
set -eu
cd "$RV_SOURCE_DIR"
for header in include/rivulet/*.h; do
  # included, as a user does it: a header that is compiled as the file itself has unused functions
  line="#include \"${header#include/}\""
  echo "$line" | ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c -fsyntax-only -
  echo "$line" | ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c++ -fsyntax-only -
done
# every declared function is in the shared library, and nothing else is
exported=$(nm -D --defined-only "$RV_BUILD_DIR/librivulet.so" | awk '$2=="T"{print $3}' | sort -u)
declared=$(cat include/rivulet/*.h | tr '\n' ' ' | grep -oE 'RV_API [^;]*;' | grep -oE '\brv_[a-z0-9_]+\(' | tr -d '(' | sort -u)
missing=$(comm -13 <(echo "$exported") <(echo "$declared"))
[ -z "$missing" ] || { echo "declared but not in the library:" $missing; exit 1; }
foreign=$(comm -23 <(echo "$exported") <(echo "$declared") | grep -v '^_' || true)
[ -z "$foreign" ] || { echo "exported but not declared:" $foreign; exit 1; }
