// Benchmarks row32 to dunk1k: the whole wet substep with the counts, sizes, step and substeps of scenes of libWetHair.
// Its CPU seconds a step and megabytes were measured on a machine of the same kind. A step is 4 ms, with four substeps
// of strands and film.
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/groom.h"
#include "bench/list.h"
#include "rig/wet.h"

// ROW: a wet row or grid of hanging hair. FUR: a slab of liquid falls on standing fur. DUNK: hair is pulled out of a
// pool.
typedef enum Kind { ROW, FUR, DUNK } Kind;

typedef struct Case {
  Kind kind;
  size_t across, deep;    // hairs along x and z
  double spacing;         // m
  int vertices;           // of a hair
  double length, radius;  // m
  double youngs;          // Pa
  double peer_cpu;        // CPU seconds a step of libWetHair
  double peer_mb;         // megabytes of libWetHair
} Case;

static const double STEP = 4e-3;           // s
enum { SUBSTEPS = 4 };                     // of strands and film in a step
static const double BOX = 0.04;            // m: side of the box of liquid
static const double CELL = 0.04 / 64;      // m: cell of the grid in that box
static const double ROW_CELL = 0.08 / 48;  // m: cell for the drops of the row
static const double HAIR_DENSITY = 1320;   // kg/m3
static const double LEAN = 0.15;           // largest slope of fur along x and z
static const double PULL_HEIGHT = 0.015;   // m, within one second
static const double ROW_FILM = 3e-4;       // m: height of the film on the row
static const double SLAB_LAYERS = 4;       // cells: depth of the slab that falls on fur
static const double POOL_LAYERS = 5.3;     // cells: depth of the pool
static const double WHOLE_TIME = 0.1;      // s: a run until tips are compared
static const double MEASURED_TIME = 0.04;  // s
static const double NUDGE = 1e-9;          // m

//---------------------------------------------------------------------------------------------- scenes

// Initial position of a vertex: hanging hair, or standing fur that leans at random.
static RvVec3 place(void* user, size_t strand, int vertex) {
  const Case* c = user;
  double x = ((double)(strand % c->across) - 0.5 * (double)(c->across - 1)) * c->spacing;
  double z = ((double)(strand / c->across) - 0.5 * (double)(c->deep - 1)) * c->spacing;
  double s = c->length * vertex / (c->vertices - 1);
  if (c->kind != FUR) return rv_vec3(x, -s, z);
  double a = LEAN * (2 * rv_random(7, strand, 0, 0) - 1), b = LEAN * (2 * rv_random(7, strand, 1, 0) - 1);
  double k = s / sqrt(1 + a * a + b * b);
  return rv_vec3(x + a * k, k, z + b * k);
}

// Pulls the roots up by PULL_HEIGHT in a second.
static void pull(RvWetRig* rig, double time) {
  for (size_t k = 0; k < rig->hair.model->nbatch; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(&rig->hair.model->batches[k], lane, i, 1);
        rig->hair.target[at] = rig->start[at] + PULL_HEIGHT * fmin(time, 1);
      }
}

// The measured run, or the reference it is compared with: an eighth of the step, and converged solves.
typedef enum Exact { MEASURED, REFERENCE } Exact;
enum { FINER = 8 };

// The liquid of a case, in a tank: a slab that falls from above the tips of fur, or a pool around the tips.
static RvResult add_liquid(RvWetRig* rig, const Case* c, RvError* error) {
  double bottom = c->kind == FUR ? 0 : -c->length - 2e-3;
  double low[3] = {-BOX / 2, bottom, -BOX / 2}, high[3] = {BOX / 2, bottom + BOX, BOX / 2};
  rv_rig_liquid_tank(&rig->pool, low, high, 8);
  double base = c->kind == FUR ? c->length + 1e-3 : low[1];
  double depth = c->kind == FUR ? SLAB_LAYERS * BOX / 64 : POOL_LAYERS * BOX / 64;
  double from[3] = {low[0], base, low[2]}, to[3] = {high[0], base + depth, high[2]};
  return rv_rig_liquid_fill(&rig->pool, from, to, 0.1, error);
}

// Sets up the scene of a case.
static RvResult make(RvWetRig* rig, Case* c, const RvCollider* floor, Exact exact, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(c->across * c->deep, c->vertices, place, c);
  hair.radius = c->radius;
  hair.youngs = c->youngs;
  hair.density = HAIR_DENSITY;
  // Solver settings: rough ones, as in a shot, for the measurement.
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.strand_substeps = SUBSTEPS;
  def.niter = exact ? 12 : 3;
  def.tolerance = exact ? 1e-4 : 1e-2;
  def.liquid = rv_liquid_model_default(c->kind == ROW ? ROW_CELL : CELL);
  def.wet.film.absorption = 0;
  // Motion of the roots, and the skin under the fur.
  if (c->kind == DUNK) def.roots = pull;
  if (c->kind == FUR) {
    def.contact.colliders = floor;
    def.contact.ncollider = 1;
    def.contact.root_free = 1e-3;
  }
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  // Film on a row, bulk for the others.
  if (c->kind == ROW)
    rv_rig_wet_film(rig, ROW_FILM);
  else
    result = add_liquid(rig, c, error);
  if (result) rv_rig_wet_free(rig);
  return result;
}

//---------------------------------------------------------------------------------------------- measurement

static const RvCollider floor_plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = 0.3};

// Simulates `seconds` in steps of STEP / finer.
static RvResult run_to(RvWetRig* rig, double seconds, int finer, RvError* error) {
  RvResult result = RV_OK;
  int steps = (int)(seconds / STEP * finer + 0.5);
  for (int k = 0; k < steps && !result; ++k) {
    if (rv_bench_interrupted()) return rv_fail(error, RV_CANCELLED, "interrupted");
    result = rv_rig_wet_step(rig, STEP / finer, error);
  }
  return result;
}

// Distance of the tips of two runs over the length: of the mean tip, and root mean square.
static void compare(const RvWetRig* a, const RvWetRig* b, double length, double* mean, double* rms) {
  RvVec3 sum = {0};
  double square = 0;
  for (size_t k = 0; k < a->hair.count; ++k) {
    RvVec3 d = rv_sub(rv_rig_contact_get(&a->hair, a->hair.state->q, k, a->hair.n - 1),
                      rv_rig_contact_get(&b->hair, b->hair.state->q, k, b->hair.n - 1));
    sum = rv_add(sum, d);
    square += rv_dot(d, d);
  }
  *mean = rv_length(sum) / (double)a->hair.count / length;
  *rms = sqrt(square / (double)a->hair.count) / length;
}

// m3 of film on all hairs.
static double film_volume(const RvWetRig* rig) {
  double film, absorbed;
  rv_wet_volumes(&rig->wet, &film, &absorbed);
  return film;
}

// Moves every free vertex along x by a random distance of at most `limit`, m.
static void nudge(RvWetRig* rig, double limit) {
  for (size_t k = 0; k < rig->hair.model->nbatch; ++k)
    for (int i = rig->def.clamped; i < rig->hair.n; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(&rig->hair.model->batches[k], lane, i, 0);
        rig->hair.state->q[at] += limit * (2 * rv_random(11, at, 0, 0) - 1);
      }
}

// Distance of the reference to a second reference run that starts a nanometre beside it. Which clump a hair of a
// regular row joins depends on less than that, so no step is short enough to predict it.
static RvResult emit_unpredictable(const RvBenchOut* out, Case* c, const RvWetRig* reference, RvError* error) {
  RvWetRig nudged;
  double mean, rms;
  RvResult result = make(&nudged, c, &floor_plane, REFERENCE, error);
  if (result) return result;
  nudge(&nudged, NUDGE);
  result = run_to(&nudged, WHOLE_TIME, FINER, error);
  if (!result) {
    compare(&nudged, reference, c->length, &mean, &rms);
    rv_bench_emit(out, "tips_rms_unknowable", rms, "");
  }
  rv_rig_wet_free(&nudged);
  return result;
}

// Distance of the tips from those of the reference run.
static RvResult emit_tips(const RvBenchOut* out, Case* c, const RvWetRig* rig, RvError* error) {
  RvWetRig reference;
  double mean, rms;
  RvResult result = make(&reference, c, &floor_plane, REFERENCE, error);
  if (result) return result;
  result = run_to(&reference, WHOLE_TIME, FINER, error);
  if (!result) {
    compare(rig, &reference, c->length, &mean, &rms);
    rv_bench_emit(out, "tips_mean_off", mean, "");
    rv_bench_emit(out, "tips_rms_off", rms, "");
    result = emit_unpredictable(out, c, &reference, error);
  }
  rv_rig_wet_free(&reference);
  return result;
}

// Number of groups of strands that bridges join at their tips.
static RvResult count_clumps(const RvWetRig* rig, double* count, RvError* error) {
  int32_t* clump = rv_alloc(rig->hair.model->vertices, sizeof *clump);
  if (!clump) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  *count = (double)rv_contacts_clumps(rig->contacts.contacts, clump);
  rv_free(clump);
  return RV_OK;
}

// Film, bridges and clumps of a row at the bench's tolerance and of one with converged solves at the same step.
static RvResult emit_converged(const RvBenchOut* out, Case* c, const RvWetRig* rig, RvError* error) {
  RvWetRig converged;
  double clumps = 0, clumps_converged = 0;
  RvResult result = make(&converged, c, &floor_plane, REFERENCE, error);
  if (result) return result;
  result = run_to(&converged, WHOLE_TIME, 1, error);
  if (!result) result = count_clumps(rig, &clumps, error);
  if (!result) result = count_clumps(&converged, &clumps_converged, error);
  if (!result) {
    rv_bench_emit(out, "film_at_end", 1e9 * film_volume(rig), "mm3");
    rv_bench_emit(out, "film_at_end_converged", 1e9 * film_volume(&converged), "mm3");
    rv_bench_emit(out, "bridges_at_end", (double)rig->contacts.stats.bridges, "");
    rv_bench_emit(out, "bridges_at_end_converged", (double)converged.contacts.stats.bridges, "");
    rv_bench_emit(out, "clumps_at_end", clumps, "");
    rv_bench_emit(out, "clumps_at_end_converged", clumps_converged, "");
  }
  rv_rig_wet_free(&converged);
  return result;
}

// Times of the measured part of a run.
typedef struct Times {
  double cpu, wall;                  // seconds a step
  double stage[RV_WET_STAGE_COUNT];  // seconds a step by the clock
} Times;

// Clocks so far.
static Times read_times(const RvWetRig* rig) {
  Times t = {.cpu = rv_clock_cpu(), .wall = rv_clock_wall()};
  for (int k = 0; k < RV_WET_STAGE_COUNT; ++k) t.stage[k] = rv_wet_stage_seconds(&rig->solver, (RvWetStage)k);
  return t;
}

// Times of a step between two readings.
static Times per_step(const Times* from, const Times* to, double steps) {
  Times t = {.cpu = (to->cpu - from->cpu) / steps, .wall = (to->wall - from->wall) / steps};
  for (int k = 0; k < RV_WET_STAGE_COUNT; ++k) t.stage[k] = (to->stage[k] - from->stage[k]) / steps;
  return t;
}

// CPU of the stages of a step, and of contacts and strands a link. Stages are timed by the clock; with one thread their
// shares of it are those of the CPU.
static void emit_stages(const RvBenchOut* out, const RvWetRig* rig, const Times* a_step) {
  const double cpu_share = a_step->cpu / a_step->wall;
  const double links = (double)rig->contacts.stats.links;
  const double joint = a_step->stage[RV_WET_STAGE_contacts] + a_step->stage[RV_WET_STAGE_strands];
#define EMIT_STAGE(owner, name) \
  rv_bench_emit(out, "stage_" #name, 1e3 * cpu_share * a_step->stage[RV_WET_STAGE_##name], "ms");
  RV_WET_STAGES(EMIT_STAGE)
#undef EMIT_STAGE
  if (links > 0) rv_bench_emit(out, "us_per_link_substep", 1e6 * cpu_share * joint / SUBSTEPS / links, "us");
}

// Times, memory, counts and iterations of the measured steps.
static void emit_cost(const RvBenchOut* out, const Case* c, const RvWetRig* rig, const Times* a_step, double mb) {
  double vertices = (double)rig->hair.model->nvertex;
  rv_bench_emit(out, "cpu_s_per_step", a_step->cpu, "s");
  rv_bench_emit(out, "speedup_over_libwethair", c->peer_cpu / a_step->cpu, "x");
  rv_bench_emit(out, "wall_s_per_step", a_step->wall, "s");
  rv_bench_emit(out, "us_per_vertex_substep", 1e6 * a_step->cpu / SUBSTEPS / vertices, "us");
  emit_stages(out, rig, a_step);
  rv_bench_emit(out, "memory", mb, "MB");
  rv_bench_emit(out, "memory_of_libwethair", mb / c->peer_mb, "");
  rv_bench_emit(out, "particles", (double)rig->pool.liquid.particles.count, "");
  rv_bench_emit(out, "links_per_vertex", (double)rig->contacts.stats.links / vertices, "");
  rv_bench_emit(out, "bridges_per_vertex", (double)rig->contacts.stats.bridges / vertices, "");
  rv_bench_emit(out, "newton_iterations", rig->strands.iterations, "");
  rv_bench_emit(out, "cg_iterations", rig->strands.cg_iterations, "");
  rv_bench_emit(out, "residual", rig->strands.residual, "");
  rv_bench_emit(out, "tolerance", rig->def.tolerance, "");
  rv_bench_emit(out, "most_newton_iterations", rig->def.niter, "");
  rv_bench_emit(out, "film_per_hair", 1e9 * film_volume(rig) / (double)rig->hair.count, "mm3");
}

static RvResult run(const RvBenchOut* out, Case c, RvError* error) {
  if (out->shrink > 1) c.across = c.across / (size_t)out->shrink > 4 ? c.across / (size_t)out->shrink : 4;
  RvWetRig rig;
  double idle = rv_bench_memory_mark();
  RvResult result = make(&rig, &c, &floor_plane, MEASURED, error);
  if (result) return result;
  // Steps before the measurement: fur is dry until the slab has reached it.
  double before = c.kind == FUR ? 0.06 : 0.02;
  result = run_to(&rig, before, 1, error);
  // The measured steps.
  rig.strands.iterations = 0;
  rig.strands.cg_iterations = 0;
  rig.strands.residual = 0;
  const Times start = read_times(&rig);
  if (!result) result = run_to(&rig, MEASURED_TIME, 1, error);
  const Times end = read_times(&rig);
  const Times a_step = per_step(&start, &end, MEASURED_TIME / STEP);
  double mb = (rv_bench_memory_peak() - idle) / 1e6;
  if (!result) emit_cost(out, &c, &rig, &a_step, mb);
  // The steps until the tips are compared with the reference.
  if (!result) result = run_to(&rig, WHOLE_TIME - before - MEASURED_TIME, 1, error);
  if (!result && c.kind == ROW) result = emit_converged(out, &c, &rig, error);
  if (!result) result = emit_tips(out, &c, &rig, error);
  rv_rig_wet_free(&rig);
  return result;
}

// Hair of the cases: vertices, length (m), radius (m), Young's modulus (Pa).
#define ROW_HAIR 42, 0.047, 5e-5, 3.4e8
#define FUR_HAIR 16, 0.01, 3.7e-5, 3.9e9
#define DUNK_HAIR 40, 0.038, 3.7e-5, 3.9e9

RvResult rv_bench_row32(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){ROW, 32, 1, 5e-4, ROW_HAIR, 0.32, 138}, error);
}
RvResult rv_bench_row256(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){ROW, 16, 16, 5e-4, ROW_HAIR, 3.2, 738}, error);
}
RvResult rv_bench_fur400(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){FUR, 20, 20, 1e-3, FUR_HAIR, 2.3, 429}, error);
}
RvResult rv_bench_fur1k(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){FUR, 32, 32, 6e-4, FUR_HAIR, 4.3, 819}, error);
}
RvResult rv_bench_fur4k(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){FUR, 64, 64, 3e-4, FUR_HAIR, 18, 2907}, error);
}
RvResult rv_bench_dunk256(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){DUNK, 16, 16, 6e-4, DUNK_HAIR, 2.4, 599}, error);
}
RvResult rv_bench_dunk1k(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){DUNK, 32, 32, 6e-4, DUNK_HAIR, 8.0, 1966}, error);
}
