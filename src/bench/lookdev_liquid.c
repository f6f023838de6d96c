// Benchmark lookdev_liquid: position-based liquid of 20,000 particles over hair of 1,369 x 10 points with pores, at 5
// substeps of a frame of 1/30 s and one density iteration: nanoseconds a particle and a pair of each stage, and the
// same source at one lane.
#include <stdio.h>

#include "base/timer.h"
#include "bench/list.h"
#include "rig/lookdev_pore.h"

enum { SIDE = 37, POINTS = 10, WIDE = 27, SUBSTEPS = 5 };
#define APART 0.006    // m, of strands
#define LENGTH 0.1     // m
#define SPACING 0.005  // m
#define FRAME (1.0 / 30)

static const char* const stages[] = {
#define NAME(name) #name,
    RV_LOOKDEV_LIQUID_STAGES(NAME)
#undef NAME
};

// What some frames came to.
typedef struct Run {
  double wall, cpu;  // s a substep
  double stage[RV_LOOKDEV_LIQUID_STAGE_COUNT], pores;
  double particles, pairs;
} Run;

// A block of liquid of 27 x 27 x 27 that falls into the hair; `frames` are timed after half as many.
static RvResult run(int shrink, int frames, bool single, Run* out, RvError* error) {
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(SPACING);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  int side = SIDE / shrink > 2 ? SIDE / shrink : 2;
  int wide = WIDE / shrink > 4 ? WIDE / shrink : 4;
  double half = 0.5 * SPACING * wide;
  const double low[3] = {-half, -0.02, -half};
  const double high[3] = {half, -0.02 + 2 * half, half};
  liquid.iterations = 1;
  RvResult result = rv_rig_pore_new(&rig, &liquid, &model, side, APART, POINTS, LENGTH, 70, error);
  if (result) return result;
  rig.bulk.liquid.single = single;
  rig.bulk.liquid.cpu_time = true;
  result = rv_rig_lookdev_liquid_fill(&rig.bulk, low, high, 0.1, error);
  for (int f = 0; f < frames / 2 && !result; ++f) result = rv_rig_pore_frame(&rig, FRAME, SUBSTEPS, error);
  rig.bulk.liquid.report = (RvLookdevLiquidReport){0};
  rig.pores.seconds = 0;
  double wall = rv_clock_wall();
  double cpu = rv_clock_cpu();
  for (int f = 0; f < frames && !result && !rv_bench_interrupted(); ++f)
    result = rv_rig_pore_frame(&rig, FRAME, SUBSTEPS, error);
  double substeps = frames * SUBSTEPS;
  out->wall = (rv_clock_wall() - wall) / substeps;
  out->cpu = (rv_clock_cpu() - cpu) / substeps;
  for (int k = 0; k < RV_LOOKDEV_LIQUID_STAGE_COUNT; ++k) out->stage[k] = rig.bulk.liquid.report.seconds[k] / substeps;
  out->pores = rig.pores.seconds / substeps;
  out->particles = (double)rig.bulk.particles.count;
  out->pairs = (double)rig.bulk.liquid.report.pairs;
  rv_rig_pore_free(&rig);
  return result;
}

RvResult rv_bench_lookdev_liquid(const RvBenchOut* out, RvError* error) {
  Run lanes;
  Run single;
  char name[64];
  RvResult result = run(out->shrink, 8, false, &lanes, error);
  if (!result) result = run(out->shrink, 4, true, &single, error);
  if (result) return result;
  rv_bench_emit(out, "particles", lanes.particles, "1");
  rv_bench_emit(out, "pairs_a_particle", lanes.pairs / lanes.particles, "1");
  rv_bench_emit(out, "substep", 1e3 * lanes.wall, "ms");
  rv_bench_emit(out, "substep_cpu", 1e3 * lanes.cpu, "ms");
  rv_bench_emit(out, "particle_cpu", 1e9 * lanes.cpu / lanes.particles, "ns");
  for (int k = 0; k < RV_LOOKDEV_LIQUID_STAGE_COUNT; ++k) {
    snprintf(name, sizeof name, "%s_particle", stages[k]);
    rv_bench_emit(out, name, 1e9 * lanes.stage[k] / lanes.particles, "ns");
  }
  rv_bench_emit(out, "pores_particle", 1e9 * lanes.pores / lanes.particles, "ns");
  rv_bench_emit(out, "neighbours_pair", 1e9 * lanes.stage[RV_LOOKDEV_LIQUID_STAGE_neighbours] / lanes.pairs, "ns");
  rv_bench_emit(out, "density_pair", 1e9 * lanes.stage[RV_LOOKDEV_LIQUID_STAGE_density] / lanes.pairs, "ns");
  rv_bench_emit(out, "forces_pair", 1e9 * lanes.stage[RV_LOOKDEV_LIQUID_STAGE_forces] / lanes.pairs, "ns");
  rv_bench_emit(out, "one_lane_neighbours",
                single.stage[RV_LOOKDEV_LIQUID_STAGE_neighbours] / lanes.stage[RV_LOOKDEV_LIQUID_STAGE_neighbours],
                "x");
  rv_bench_emit(out, "one_lane_density",
                single.stage[RV_LOOKDEV_LIQUID_STAGE_density] / lanes.stage[RV_LOOKDEV_LIQUID_STAGE_density], "x");
  rv_bench_emit(out, "one_lane_forces",
                single.stage[RV_LOOKDEV_LIQUID_STAGE_forces] / lanes.stage[RV_LOOKDEV_LIQUID_STAGE_forces], "x");
  rv_bench_emit(out, "one_lane", single.cpu / lanes.cpu, "x");
  return RV_OK;
}
