# The long checks of ./test --full: other compilers, sanitizers, random scenes, seeded faults, the wet hair flip, fur mats,
# and ten minutes of fuzzing a target.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
seconds=${RV_FUZZ_SECONDS:-600}

# Clang's program is that of the release build, so that the host's tests would show nothing new. Under the sanitizers they
# run with longer time limits. Of the checks only those run that are short and reach every part of strands and contacts;
# under the thread sanitizer the physics and the scenes of the documentation would take hours, and its own memory counts
# against a memory limit.
for preset in clang asan tsan; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  without='check|mutations'
  scenes='^$'
  [ "$preset" = clang ] && without='host|check|mutations'
  if [ "$preset" = tsan ]; then
    without='check|mutations|physics'
    scenes='host/test_(docs_scenes|docs_groom|wet_scenes|blender|memory_limit)'
  fi
  ctest --preset "$preset" -j "$(nproc)" -LE "$without" -E "$scenes"
  checks='derivatives|contact_derivatives'
  [ "$preset" = tsan ] || checks="$checks|cantilever|swing|incline|head"
  ctest --preset "$preset" -j "$(nproc)" --no-tests=error -R "^check/($checks)\$"
done

echo "== 10,000 damaged .vdb files"
RV_DAMAGED=10000 build/release/tests/unit_test_shim_vdb_damage

echo "== random scenes: 1,000, and 40 over workers, instruction sets and kills"
/usr/bin/python3 tests/full/random_scenes.py "$top/build/release/rivulet"

echo "== seeded faults: each must fail its checks"
python3 tests/mutations/mutate.py "$top" build/release

echo "== a stage, a parameter, a state field, a node and a solver more, as docs/contributing.md says"
copy=$(mktemp -d --tmpdir=build)
/usr/bin/python3 tests/full/additions.py "$top" "$copy"
rm -rf "$copy"

echo "== every allocation, write, fsync, rename and thread of a tiny scene of each solver fails once"
RIVULET="$top/build/release/rivulet" RV_FAIL_NTH="$top/build/release/tests/libfail_nth.so" /usr/bin/python3 tests/host/test_fault_sweep.py --full

echo "== every allocation of ours fails once, alone and with all after it, in a cook of each solver"
RV_EVERY=1 build/release/tests/node_test_solver_memory

echo "== tinyusdz reads USD stages (skipped without npm)"
/usr/bin/python3 tests/full/usd_tinyusdz.py build/release/rivulet || [ $? = 77 ]

echo "== unit tests of base, math, geo and parm as Windows programs under wine (skipped without mingw-w64 and wine64)"
windows=$(mktemp -d)
/usr/bin/python3 tests/full/windows.py "$top" "$windows" || [ $? = 77 ]
rm -rf "$windows"

echo "== the whole Houdini plug-in over the mock: built, installed, loaded, cooked"
houdini=$(mktemp -d)
bash tests/full/houdini_build.sh "$top" "$top/build/release" "$houdini"
rm -rf "$houdini"

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

echo "== a jet on a tuft: sizes of particles, substeps and points"
RIVULET="$top/build/release/rivulet" /usr/bin/python3 tests/full/pour.py full

echo "== rain on a tuft: sizes of particles, substeps and points"
RIVULET="$top/build/release/rivulet" /usr/bin/python3 tests/full/rain.py full

echo "== convergence in the step and in the number of points"
for name in zip two_hairs row_groups; do
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
