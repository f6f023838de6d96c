// Benchmark interface: cubes of 4,913, 19,683 and 50,653 particles become round: milliseconds a step as they begin and
// later, nanoseconds a pair of each stage, bytes a particle, and the same source at one lane.
#include <stdio.h>

#include "base/timer.h"
#include "bench/list.h"
#include "interface/solver.h"

#define SPACING 1e-3  // m
// ms a step of SPlisHSPlasH 2.16 on the same machine and cubes, one thread, tension by Akinci 2013.
static const double dfsph[] = {11.6, 48.8, 138};
static const double pcisph[] = {24.5, 94.7, 257};
static const int sides[] = {17, 27, 37};

typedef struct Run {
  double cpu;  // s a step
  double stage[RV_INTERFACE_STAGE_COUNT];
  double particles, near, pairs, iterations, bytes;
} Run;

// `steps` steps of a cube of `side` particles along each edge, after `before` that are not timed.
static RvResult run(int side, int before, int steps, bool single, Run* out, RvError* error) {
  RvInterfaceModel model = rv_interface_defaults(SPACING);
  RvLiquidModel bulk = rv_liquid_model_default(model.dx);
  RvLiquid liquid = {0};
  RvArena* arena = rv_arena_new(0);
  RvResult result = arena && rv_liquid_init(&liquid, &bulk) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvInterfaceSolver s = {.bulk = &liquid, .arena = arena, .single = single, .cpu_time = true};
  model.gravity[1] = 0;
  rv_interface_init(&s, &model);
  for (int i = 0; i < side * side * side && !result; ++i) {
    const double cell[3] = {0.5 * (i % side), 0.5 * (i / side % side), 0.5 * (i / side / side)};
    size_t k = rv_liquid_particles_add(&liquid.particles, cell);
    result = rv_liquid_particles_complete(&liquid.particles, error);
    if (result) break;
    liquid.particles.volume[k] = SPACING * SPACING * SPACING;
    liquid.particles.id[k] = i;
  }
  if (!result) result = rv_liquid_particles_sort(&liquid.particles, &liquid.report.lost, error);
  double dt = rv_interface_longest(&s);
  for (int k = 0; k < before && !result && !rv_bench_interrupted(); ++k) result = rv_interface_substep(&s, dt, error);
  s.report = (RvInterfaceReport){0};
  double start = rv_clock_cpu();
  for (int k = 0; k < steps && !result && !rv_bench_interrupted(); ++k) result = rv_interface_substep(&s, dt, error);
  out->cpu = (rv_clock_cpu() - start) / steps;
  for (int k = 0; k < RV_INTERFACE_STAGE_COUNT; ++k) out->stage[k] = s.report.seconds[k] / steps;
  out->particles = (double)liquid.particles.count;
  out->near = (double)s.report.near;
  out->pairs = (double)s.report.pairs;
  out->iterations = (double)s.report.iterations / steps;
  out->bytes = (double)(rv_arena_peak(arena) + rv_liquid_particles_bytes(&liquid.particles));
  rv_liquid_free(&liquid);
  rv_arena_free(arena);
  return result;
}

// Figures of a size at a moment of the run, `word` in their names.
static void emit(const RvBenchOut* out, const char* word, int size, const Run* run) {
  char name[64];
  int count = (int)run->particles;
  double step = 1e3 * run->cpu;
  snprintf(name, sizeof name, "%s_%d", word, count);
  rv_bench_emit(out, name, step, "ms");
  snprintf(name, sizeof name, "%s_iterations_%d", word, count);
  rv_bench_emit(out, name, run->iterations, "1");
  if (out->shrink > 1) return;
  snprintf(name, sizeof name, "%s_against_dfsph_%d", word, count);
  rv_bench_emit(out, name, dfsph[size] / step, "x");
  snprintf(name, sizeof name, "%s_against_pcisph_%d", word, count);
  rv_bench_emit(out, name, pcisph[size] / step, "x");
}

// Steps that are not timed before the cube's edges draw in, which takes the most iterations, and before it is round.
enum { START = 10, LATER = 130 };

RvResult rv_bench_interface(const RvBenchOut* out, RvError* error) {
  RvResult result = RV_OK;
  Run lanes = {0};
  for (int k = 0; k < 3 && !result; ++k) {
    char name[64];
    Run later = {0};
    int side = sides[k] / out->shrink > 6 ? sides[k] / out->shrink : 6;
    result = run(side, START, 20, false, &lanes, error);
    if (!result) result = run(side, LATER, 20, false, &later, error);
    if (result) break;
    emit(out, "start", k, &lanes);
    emit(out, "later", k, &later);
    snprintf(name, sizeof name, "bytes_%d", (int)lanes.particles);
    rv_bench_emit(out, name, lanes.bytes / lanes.particles, "B");
  }
  if (result) return result;
  // Nanoseconds a pair; an iteration goes over the pairs within h twice.
  rv_bench_emit(out, "pairs_pair", 1e9 * lanes.stage[RV_INTERFACE_STAGE_pairs] / lanes.pairs, "ns");
  rv_bench_emit(out, "density_pair", 1e9 * lanes.stage[RV_INTERFACE_STAGE_density] / lanes.near, "ns");
  rv_bench_emit(out, "pressure_pair",
                1e9 * lanes.stage[RV_INTERFACE_STAGE_pressure] / (2 * (lanes.iterations + 1) * lanes.near), "ns");
  Run same = {0}, single = {0};
  const int side = sides[0] / out->shrink > 6 ? sides[0] / out->shrink : 6;
  result = run(side, START, 10, false, &same, error);
  if (!result) result = run(side, START, 10, true, &single, error);
  if (!result) rv_bench_emit(out, "one_lane", single.cpu / same.cpu, "x");
  return result;
}
