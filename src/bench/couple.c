// Benchmark couple: cost of each call of the coupling for strands half in a pool, against the transfer of the pool's
// particles to the grid.
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/list.h"
#include "liquid/stages.h"
#include "rig/couple.h"
#include "rig/liquid.h"

enum { STRANDS = 2000, VERTICES = 40, REPEATS = 10, MIN_STRANDS = 8 };

// CPU seconds of each call.
typedef struct Times {
  double grid, capture, drip, sample, react, pressure;
} Times;

// Wet strands at random in the middle of a pool of 16 x 8 x 16 cm, which they enter from above.
static RvResult make(RvCoupleRig* rig, RvLiquidRig* bulk, int strands, RvError* error) {
  const double dx = 0.004, lo[3] = {0, 0, 0}, hi[3] = {0.16, 0.08, 0.16};
  RvCoupleLine* lines = rv_alloc_zero((size_t)strands, sizeof *lines);
  if (!lines) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int i = 0; i < strands; ++i) {
    double x = 0.04 + 0.08 * rv_random(1, (uint64_t)i, 0, 0), z = 0.04 + 0.08 * rv_random(1, (uint64_t)i, 0, 1);
    lines[i] = (RvCoupleLine){.from = {x, 0.13, z}, .to = {x + 0.02, 0.03, z + 0.01}, .radius = 5e-5, .density = 1300};
  }
  RvResult result = rv_rig_couple_new(rig, lines, (size_t)strands, VERTICES, 1, error);
  rv_free(lines);
  RvLiquidModel model = rv_liquid_model_default(dx);
  if (result) return result;
  // Films of 1 mm2; particles of nominal volume, old enough to be captured.
  rv_rig_couple_set_film(rig, 1e-6);
  rig->set.nominal = dx * dx * dx / 8;
  result = rv_rig_liquid_new(bulk, &model, error);
  if (!result) result = rv_rig_liquid_fill(bulk, lo, hi, 0.5, error);
  for (size_t i = 0; !result && i < bulk->liquid.particles.count; ++i) bulk->liquid.particles.age[i] = 1;
  return result;
}

// Runs a call and adds its CPU time to t->field.
#define TIMED(field, call)              \
  if (!result) {                        \
    double start = rv_clock_cpu();      \
    result = (call);                    \
    t->field += rv_clock_cpu() - start; \
  }

// The baseline: particles to the grid, and the surface.
static RvResult to_grid(RvLiquid* l, RvError* error) {
  RvResult result = rv_liquid_grid_build(&l->grid, &l->particles, error);
  if (!result) result = rv_liquid_to_grid(&l->grid, &l->scatter, &l->particles, l->model.density, NULL, error);
  return result ? result : rv_liquid_surface(&l->grid, NULL, &l->particles, &l->scatter, error);
}

// One substep's calls of the coupling, in their order.
static RvResult step(RvCoupleRig* rig, RvLiquidRig* bulk, uint64_t random, Times* t, RvCoupleReport* report,
                     RvError* error) {
  RvLiquid* l = &bulk->liquid;
  RvParticles* p = &l->particles;
  const double dt = 1e-3;
  RvResult result = rv_liquid_particles_sort(p, &l->report.lost, error);
  // The strands do not move here. A changed bit of a position makes the capacity be computed again, as in a scene.
  rig->state->q[0] += 1e-12;
  TIMED(capture, rv_rig_couple_capture(rig, &l->grid, p, dt, random, report, error))
  TIMED(drip, rv_couple_drip(rig->couple, &rig->strands, &rig->set, &l->grid, p, &l->next_id, 0, dt, random, rig->kick,
                             report, error))
  if (!result) result = rv_liquid_particles_sort(p, &l->report.lost, error);
  TIMED(grid, to_grid(l, error))
  TIMED(sample, rv_couple_sample(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->force, &rig->sample, error))
  TIMED(react, rv_couple_react(rig->couple, &rig->strands, &rig->set, &l->grid, dt, error))
  rv_liquid_grid_velocity(&l->grid);
  rv_liquid_mark_valid(&l->grid);
  TIMED(pressure,
        rv_couple_pressure(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->stored, rig->kick, error))
  return result;
}

// A first step that is not counted, then ten.
RvResult rv_bench_couple(const RvBenchOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk = {0};
  int strands = STRANDS / out->shrink > MIN_STRANDS ? STRANDS / out->shrink : MIN_STRANDS;
  RvResult result = make(&rig, &bulk, strands, error);
  if (result) return result;
  Times t = {0}, first = {0};
  RvCoupleReport report = {0};
  result = step(&rig, &bulk, 0, &first, &report, error);
  for (uint64_t i = 1; i <= REPEATS && !result; ++i) result = step(&rig, &bulk, i, &t, &report, error);
  double vertices = (double)rig.model->nvertex * REPEATS, all = t.capture + t.drip + t.sample + t.react + t.pressure;
  rv_bench_emit(out, "capture", t.capture / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "drip", t.drip / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "sample", t.sample / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "react", t.react / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "pressure", t.pressure / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "all", all / vertices * 1e9, "ns/vertex");
  rv_bench_emit(out, "all_particle", all / ((double)bulk.liquid.particles.count * REPEATS) * 1e9, "ns/particle");
  // The ratio to the baseline.
  rv_bench_emit(out, "against_to_grid", all / t.grid, "x");
  rv_bench_emit(out, "particles", (double)bulk.liquid.particles.count, "");
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}
