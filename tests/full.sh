# The long checks of ./test --full: other compilers, sanitizers, seeded faults, the wet hair flip, fur mats, and ten
# minutes of fuzzing a target.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
seconds=${RV_FUZZ_SECONDS:-600}

# the tests of the host run the program as a user would, which is timed by the release build alone; of the checks only
# those that are short and reach every part of strands and contacts; under the thread sanitizer the physics would take an
# hour
for preset in clang asan tsan; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  without='host|check|mutations'
  [ "$preset" = tsan ] && without='host|check|mutations|physics'
  ctest --preset "$preset" -j "$(nproc)" -LE "$without"
  checks='derivatives|contact_derivatives'
  [ "$preset" = tsan ] || checks="$checks|cantilever|swing|incline|head"
  ctest --preset "$preset" -j "$(nproc)" --no-tests=error -R "^check/($checks)\$"
done

echo "== 10,000 damaged .vdb files"
RV_DAMAGED=10000 build/release/tests/unit_test_shim_vdb_damage

echo "== seeded faults: each must fail its checks"
python3 tests/mutations/mutate.py "$top" build/release

echo "== a stage, a parameter, a state field, a node and a solver more, as docs/contributing.md says"
copy=$(mktemp -d --tmpdir=build)
/usr/bin/python3 tests/full/additions.py "$top" "$copy"
rm -rf "$copy"

echo "== wedges on Slurm"
/usr/bin/python3 tests/full/slurm.py build/release/rivulet

echo "== figures in the docs"
RIVULET=build/release/rivulet /usr/bin/python3 tests/full/docs_figures.py

echo "== the wet hair flip"
flip=$(mktemp -d)
/usr/bin/python3 tests/full/flip.py build/release/rivulet "$flip"
rm -rf "$flip"

echo "== fur mats of 2 to 5 cm"
mats=$(mktemp -d)
/usr/bin/python3 tests/full/fur_mats.py build/release/rivulet "$mats"
rm -rf "$mats"

echo "== a tuft drawn out of a pool: sizes of particles, substeps and points"
RIVULET="$top/build/release/rivulet" /usr/bin/python3 tests/full/dip.py full

echo "== convergence in the step and in the number of points"
for name in zip two_hairs; do
  RIVULET=build/release/rivulet RV_SOURCE_DIR=$top /usr/bin/python3 "tests/physics/test_$name.py" --full
done

echo "== fuzz, $seconds s a target"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
for target in build/fuzz/tests/fuzz/fuzz_*; do
  [ -x "$target" ] && [ -f "$target" ] || continue
  name=$(basename "$target" | sed 's/^fuzz_//')
  # a scene may be cooked for some seconds, many times that under sanitizers on a busy machine
  longest=10
  [ "$name" = cook ] && longest=120
  work=$(mktemp -d)
  "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout="$longest" -print_final_stats=1 \
    -artifact_prefix="$work/" "$work" "tests/fuzz/corpus/$name" 2>&1 | tail -n 12
  rm -rf "$work"
done
