// Benchmarks row32 to dunk1k: the whole wet substep with the counts, sizes, step and substeps of scenes of libWetHair,
// whose times were taken on a machine of the same kind: CPU seconds a step, megabytes. A step is 4 ms, with four
// substeps of strands and film.
#include <math.h>
#include <stddef.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/groom.h"
#include "bench/list.h"
#include "rig/wet.h"

typedef enum Kind { ROW, FUR, DUNK } Kind;

typedef struct Case {
  Kind kind;
  size_t across, deep;  // hairs
  double spacing;       // m
  int vertices;
  double length, radius, youngs;
  double peer_cpu, peer_mb;
} Case;

static const double STEP = 4e-3, BOX = 0.04;

//---------------------------------------------------------------------------------------------- scenes

static RvVec3 place(void* user, size_t strand, int vertex) {
  const Case* c = user;
  double x = ((double)(strand % c->across) - 0.5 * (double)(c->across - 1)) * c->spacing;
  double z = ((double)(strand / c->across) - 0.5 * (double)(c->deep - 1)) * c->spacing;
  double s = c->length * vertex / (c->vertices - 1);
  if (c->kind != FUR) return rv_vec3(x, -s, z);
  // fur stands, and leans by up to 0.15
  double a = 0.15 * (2 * rv_random(7, strand, 0, 0) - 1), b = 0.15 * (2 * rv_random(7, strand, 1, 0) - 1);
  double k = s / sqrt(1 + a * a + b * b);
  return rv_vec3(x + a * k, k, z + b * k);
}

// pulled up by 1.5 cm in a second
static void pull(RvWetRig* rig, double time) {
  for (size_t k = 0; k < rig->hair.model->nbatch; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(&rig->hair.model->batches[k], lane, i, 1);
        rig->hair.target[at] = rig->start[at] + 0.015 * fmin(time, 1);
      }
}

// As it is measured, or the run that it is compared with: an eighth of the step, solved to the end.
typedef enum Exact { MEASURED, REFERENCE } Exact;
enum { FINER = 8 };

static RvResult make(RvWetRig* rig, Case* c, const RvCollider* floor, Exact exact, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(c->across * c->deep, c->vertices, place, c);
  hair.radius = c->radius;
  hair.youngs = c->youngs;
  hair.density = 1320;
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.strand_substeps = 4;
  def.niter = exact ? 12 : 3;
  def.tolerance = exact ? 1e-4 : 1e-2;
  def.liquid = rv_liquid_model_default(c->kind == ROW ? 0.08 / 48 : BOX / 64);
  def.wet.film.absorption = 0;
  if (c->kind == DUNK) def.roots = pull;
  if (c->kind == FUR) {
    def.contact.colliders = floor;
    def.contact.ncollider = 1;
    def.contact.root_free = 1e-3;
  }
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  if (c->kind == ROW) rv_rig_wet_film(rig, 3e-4);
  double bottom = c->kind == FUR ? 0 : -c->length - 2e-3;
  double low[3] = {-BOX / 2, bottom, -BOX / 2}, high[3] = {BOX / 2, bottom + BOX, BOX / 2};
  if (c->kind == ROW) return RV_OK;
  rv_rig_liquid_tank(&rig->pool, low, high, 8);
  // four layers of cells that fall from above the tips, or a pool around the tips
  double base = c->kind == FUR ? c->length + 1e-3 : low[1], depth = c->kind == FUR ? 4 * BOX / 64 : 5.3 * BOX / 64;
  double from[3] = {low[0], base, low[2]}, to[3] = {high[0], base + depth, high[2]};
  return rv_rig_liquid_fill(&rig->pool, from, to, 0.1, error);
}

//---------------------------------------------------------------------------------------------- measuring

static const RvCollider floor_plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = 0.3};

// `seconds` in steps of STEP / finer
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

static double held(const RvWetRig* rig) {
  double film, absorbed;
  rv_wet_volumes(&rig->wet, &film, &absorbed);
  return film;
}

// every free vertex, sideways by up to so much
static void nudge(RvWetRig* rig, double most) {
  for (size_t k = 0; k < rig->hair.model->nbatch; ++k)
    for (int i = rig->def.clamped; i < rig->hair.n; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(&rig->hair.model->batches[k], lane, i, 0);
        rig->hair.state->q[at] += most * (2 * rv_random(11, at, 0, 0) - 1);
      }
}

// How far the tips are from those of an eighth of the step; and how far two such runs are from each other that began a
// nanometre apart: which clump a hair of a regular row goes to is decided by less than that, and no step is short
// enough to foretell it.
static RvResult emit_tips(const RvBenchOut* out, Case* c, const RvWetRig* rig, RvError* error) {
  RvWetRig fine, nudged;
  double mean, rms;
  RvResult result = make(&fine, c, &floor_plane, REFERENCE, error);
  if (result) return result;
  result = run_to(&fine, 0.1, FINER, error);
  if (!result) {
    compare(rig, &fine, c->length, &mean, &rms);
    rv_bench_emit(out, "tips_mean_off", mean, "");
    rv_bench_emit(out, "tips_rms_off", rms, "");
    if (!(result = make(&nudged, c, &floor_plane, REFERENCE, error))) {
      nudge(&nudged, 1e-9);
      if (!(result = run_to(&nudged, 0.1, FINER, error))) {
        compare(&nudged, &fine, c->length, &mean, &rms);
        rv_bench_emit(out, "tips_rms_unknowable", rms, "");
      }
      rv_rig_wet_free(&nudged);
    }
  }
  rv_rig_wet_free(&fine);
  return result;
}

static RvResult run(const RvBenchOut* out, Case c, RvError* error) {
  if (out->shrink > 1) c.across = c.across / (size_t)out->shrink > 4 ? c.across / (size_t)out->shrink : 4;
  RvWetRig rig;
  double idle = rv_bench_memory_mark();
  RvResult result = make(&rig, &c, &floor_plane, MEASURED, error);
  // the first steps are dry: fur is measured when the slab is among it
  double before = c.kind == FUR ? 0.06 : 0.02, measured = 0.04;
  if (!result) result = run_to(&rig, before, 1, error);
  rig.strands.iterations = rig.strands.cg_iterations = 0;
  rig.strands.residual = 0;
  double cpu = rv_clock_cpu(), wall = rv_clock_wall();
  if (!result) result = run_to(&rig, measured, 1, error);
  double per_step = (rv_clock_cpu() - cpu) / (measured / STEP);
  if (result) return result;
  double mb = (rv_bench_memory_peak() - idle) / 1e6, vertices = (double)rig.hair.model->nvertex;
  rv_bench_emit(out, "cpu_s_per_step", per_step, "s");
  rv_bench_emit(out, "speedup_over_libwethair", c.peer_cpu / per_step, "x");
  rv_bench_emit(out, "wall_s_per_step", (rv_clock_wall() - wall) / (measured / STEP), "s");
  rv_bench_emit(out, "us_per_vertex_substep", 1e6 * per_step / 4 / vertices, "us");
  rv_bench_emit(out, "memory", mb, "MB");
  rv_bench_emit(out, "memory_of_libwethair", mb / c.peer_mb, "");
  rv_bench_emit(out, "particles", (double)rig.pool.liquid.particles.count, "");
  rv_bench_emit(out, "links_per_vertex", (double)rig.contacts.stats.links / vertices, "");
  rv_bench_emit(out, "bridges_per_vertex", (double)rig.contacts.stats.bridges / vertices, "");
  rv_bench_emit(out, "newton_iterations", rig.strands.iterations, "");
  rv_bench_emit(out, "cg_iterations", rig.strands.cg_iterations, "");
  rv_bench_emit(out, "residual", rig.strands.residual, "");
  rv_bench_emit(out, "film_per_hair", 1e9 * held(&rig) / (double)rig.hair.count, "mm3");
  result = run_to(&rig, 0.1 - before - measured, 1, error);
  if (!result) result = emit_tips(out, &c, &rig, error);
  rv_rig_wet_free(&rig);
  return result;
}

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
