# Each public header compiles alone, as C17 and as C++17, with every warning.
set -eu
cd "$RV_SOURCE_DIR"
for header in include/rivulet/*.h; do
  ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c -fsyntax-only "$header"
  ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -x c++ -fsyntax-only "$header"
done
# every declared function is in the shared library, and nothing else is
missing=$(grep -ho '\brv_[a-z0-9_]*(' include/rivulet/*.h | tr -d '(' | sort -u | while read -r name; do
  grep -hE "RV_API .*\b$name\(" include/rivulet/*.h >/dev/null || continue
  nm -D --defined-only "$RV_BUILD_DIR/librivulet.so" | grep -q " $name\$" || echo "$name"
done)
[ -z "$missing" ] || { echo "declared but not in the library:" $missing; exit 1; }
foreign=$(nm -D --defined-only "$RV_BUILD_DIR/librivulet.so" | awk '$2=="T"{print $3}' | grep -v '^rv_' | grep -v '^_' || true)
[ -z "$foreign" ] || { echo "exported but not ours:" $foreign; exit 1; }
