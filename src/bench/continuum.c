// Benchmark continuum: 10,000 strands of 30 links on a head that begins to nod, a frame of 1/60 s.
#include <math.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/chain_lanes.h"
#include "bench/groom.h"
#include "bench/list.h"
#include "continuum/solver.h"
#include "math/scalar.h"
#include "rig/strand.h"

static const double HEAD = 0.09;                       // radius, m
static const double LENGTH = 0.15;                     // of a strand, m
static const double GOLDEN_ANGLE = 2.399963229728653;  // rad, spreads roots evenly
static const double DT = 1.0 / 60;                     // s
enum { LINKS = 30, STEPS = 6, HAIRS_PER_GUIDE = 10 };

typedef struct Hair {
  RvChainModel* model;
  RvChainState* state;
  RvArena* scratch;
} Hair;

static void hair_free(Hair* h) {
  rv_chain_state_free(h->state);
  rv_chain_model_free(h->model);
  rv_arena_free(h->scratch);
}

// Roots in a golden spiral on the head, strands straight along its normals.
static RvResult hair_new(Hair* h, size_t strands, RvError* error) {
  *h = (Hair){.scratch = rv_arena_new(0)};
  enum { VERTICES = LINKS + 1 };
  RvStrandDef* defs = rv_alloc_zero(strands, sizeof *defs);
  double* x = rv_alloc(strands * VERTICES * 3, sizeof(double));
  double radius[VERTICES];
  RvResult result = defs && x && h->scratch ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int i = 0; i < VERTICES; ++i) radius[i] = 40e-6;
  for (size_t s = 0; !result && s < strands; ++s) {
    double y = 1 - 1.5 * ((double)s + 0.5) / (double)strands, turn = GOLDEN_ANGLE * (double)s;
    RvVec3 normal = rv_vec3(sqrt(1 - y * y) * cos(turn), y, sqrt(1 - y * y) * sin(turn));
    for (int i = 0; i < VERTICES; ++i)
      rv_vec3_store64(x + 3 * (s * VERTICES + (size_t)i), rv_scale(normal, HEAD + LENGTH * i / LINKS));
    defs[s] = rv_rig_hair_def(VERTICES, x + 3 * s * VERTICES, radius, (int64_t)s);
    defs[s].viscosity = 1e5;
    defs[s].multiple = HAIRS_PER_GUIDE;
  }
  if (!result) result = rv_chain_model_new(defs, strands, &h->model, error);
  if (!result) result = rv_chain_state_new(h->model, defs, &h->state, error);
  rv_free(defs);
  rv_free(x);
  return result;
}

// Least CPU seconds of a step of the chains, over STEPS samples of `steps` steps.
static RvResult time_chains(Hair* h, RvChainIntegrator integrator, double dt, int steps, double* seconds,
                            RvError* error) {
  const RvChainStepDef def = {
      .dt = dt,
      .integrator = integrator,
      .implicitness = 1,
      .gravity = {0, -9.81, 0},
      .scratch = h->scratch,
  };
  RvResult result = RV_OK;
  *seconds = INFINITY;
  for (int k = 0; k < STEPS && !result; ++k) {
    double start = rv_clock_cpu();
    for (int i = 0; i < steps && !result; ++i) result = rv_chain_step(h->model, h->state, &def, error);
    *seconds = fmin(*seconds, (rv_clock_cpu() - start) / steps);
  }
  return result;
}

// Eight lanes against one, for every instruction set.
static RvResult lanes(const RvBenchOut* out, const Hair* h, RvError* error) {
  static const char* const ratios[RV_ISA_COUNT] = {"chain_base_speedup_over_w1", "chain_avx2_speedup_over_w1",
                                                   "chain_avx512_speedup_over_w1"};
  RvResult result = RV_OK;
  for (int isa = 0; isa < RV_ISA_COUNT && !result; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    RvBenchChainLanes l;
    result = rv_bench_chain_lanes(h->model, h->state, &l, error);
    if (!result) rv_bench_emit(out, ratios[isa], l.single / l.wide, "x");
  }
  rv_cpu_force(RV_ISA_COUNT);
  return result;
}

// The chains alone: cost a link, lanes, memory, and growth with the number of strands.
static RvResult chains(const RvBenchOut* out, RvError* error) {
  size_t counts[2] = {1000 / (size_t)out->shrink + 8, 100000 / (size_t)out->shrink + 8};
  double seconds[2] = {0}, explicit = 0;
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    Hair h = {0};
    double idle = rv_bench_memory_mark();
    result = hair_new(&h, counts[k], error);
    // Samples of both sizes last equally long, as a short one may fall into a moment without disturbance.
    int steps = (int)(counts[1] / counts[k]);
    if (!result) result = time_chains(&h, RV_CHAIN_IMPLICIT, DT, steps, &seconds[k], error);
    double links = (double)counts[k] * LINKS;
    if (!result && k == 1) {
      rv_bench_emit(out, "chain_ns_per_link_step", 1e9 * seconds[k] / links, "ns");
      rv_bench_emit(out, "chain_bytes_per_link", (rv_bench_memory_now() - idle) / links, "B");
      result = lanes(out, &h, error);
    }
    if (!result && k == 1) result = time_chains(&h, RV_CHAIN_RK4, 1e-6, 1, &explicit, error);
    if (!result && k == 1) rv_bench_emit(out, "chain_rk4_over_implicit", explicit / seconds[k], "x");
    hair_free(&h);
  }
  double exponent = log(seconds[1] / seconds[0]) / log((double)counts[1] / (double)counts[0]);
  if (!result) rv_bench_emit(out, "chain_cost_exponent", exponent, "");
  return result;
}

// The hair of the frames: it stands out at first.
static RvResult frames_new(const RvBenchOut* out, RvContinuum* c, RvError* error) {
  Hair h = {0};
  RvResult result = hair_new(&h, 10000 / (size_t)out->shrink + 8, error);
  if (!result) result = rv_continuum_init(c, h.model, h.state, false, error);
  rv_arena_free(h.scratch);
  if (result) return result;
  c->gravity[1] = -9.81;
  c->loads.drag_normal = 1e-4;
  c->loads.drag_tangent = 3e-5;
  c->medium_def = (RvMediumDef){.law = {.rest_density = 2, .packing_density = 1197, .stiffness = 800, .power = 1},
                                .smoothing = 0.01,
                                .friction = 0.1,
                                .tolerance = 1e-2,
                                .max_sweeps = 60};
  return RV_OK;
}

// A step of the medium as particles, and how many of them its sound asks for in a frame, of hair that has fallen for a
// while.
static RvResult particle_step(const RvBenchOut* out, RvError* error) {
  enum { FALL = 12 };
  RvContinuum c = {0};
  RvResult result = frames_new(out, &c, error);
  for (int k = 0; k < FALL && !result; ++k) result = rv_continuum_substep(&c, DT, error);
  c.medium_def.particles = true;
  c.medium_def.continuity = true;
  c.medium_def.smoothing = 5e-3;
  const double steps = ceil(DT / rv_medium_pairs_longest(&c.medium_def)), start = rv_clock_cpu();
  if (!result) result = rv_continuum_substep(&c, DT / steps, error);
  if (!result) {
    rv_bench_emit(out, "particles_cpu_seconds_per_step", rv_clock_cpu() - start, "s");
    rv_bench_emit(out, "particles_steps_per_frame", steps, "");
    rv_bench_emit(out, "particles_points", (double)c.pairs.points.count, "");
  }
  rv_continuum_free(&c);
  return result;
}

// Frames of the whole method on the grid, from hair that stands out and falls together.
static RvResult frames(const RvBenchOut* out, RvError* error) {
  enum { FRAMES = 24 };
  RvContinuum c = {0};
  RvResult result = frames_new(out, &c, error);
  if (result) return result;
  c.air_def = (RvAirDef){.dx = 0.02, .reach = 4, .density = 1.2, .fibre_density = 1320};
  double total[3] = {0}, worst = 0, sweeps = 0;
  for (int k = 0; k < 3 * FRAMES && !result; ++k) {
    // The second part with a correction of the pressures, the last with solved air and a wind.
    c.medium_def.corrections = k / FRAMES == 1;
    c.air_solved = k / FRAMES == 2;
    c.loads.wind[0] = c.air_solved ? 3 : 0;
    double start = rv_clock_cpu();
    result = rv_continuum_substep(&c, DT, error);
    double seconds = rv_clock_cpu() - start;
    total[k / FRAMES] += seconds;
    if (!c.air_solved) worst = fmax(worst, seconds);
    sweeps = fmax(sweeps, c.medium.sweeps);
  }
  if (!result) {
    rv_bench_emit(out, "grid_cpu_seconds_per_frame", total[0] / FRAMES, "s");
    rv_bench_emit(out, "grid_corrected_cpu_seconds_per_frame", total[1] / FRAMES, "s");
    rv_bench_emit(out, "grid_cpu_seconds_of_worst_frame", worst, "s");
    rv_bench_emit(out, "air_cpu_seconds_more_per_frame", (total[2] - total[0]) / FRAMES, "s");
    rv_bench_emit(out, "air_tiles", (double)c.air.hair.tiles.count, "");
    rv_bench_emit(out, "air_cycles", c.air.cycles, "");
    rv_bench_emit(out, "air_iterations", c.air.iterations, "");
    rv_bench_emit(out, "grid_sweeps", sweeps, "");
    rv_bench_emit(out, "grid_cells", (double)c.medium.cells.count, "");
    rv_bench_emit(out, "grid_tiles", (double)c.medium.tiles.count, "");
    rv_bench_emit(out, "grid_largest_density", c.medium.largest_density, "kg/m3");
    rv_bench_emit(out, "grid_largest_pressure", c.medium.largest_pressure, "Pa");
  }
  rv_continuum_free(&c);
  return result;
}

RvResult rv_bench_continuum(const RvBenchOut* out, RvError* error) {
  RvResult result = chains(out, error);
  if (!result) result = frames(out, error);
  return result ? result : particle_step(out, error);
}
