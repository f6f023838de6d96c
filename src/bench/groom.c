// Curly hair on a head that swings about its axis, and readings of the process' memory.
#include "bench/groom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/strand.h"

static const double SWING = 0.6;                       // amplitude of the head's rotation, rad
static const double FREQUENCY = 1.5;                   // of the rotation, Hz
static const double HEAD = 0.09;                       // radius, m
static const double PITCH = 0.035;                     // of the curls, m
static const double GOLDEN_ANGLE = 2.399963229728653;  // rad, spreads roots evenly
enum { CLAMPED = 2, RADII = 16 };                      // clamped vertices of a strand; different radii of hair

// Positions of a strand: roots in a golden spiral on the upper three quarters of the head; the axis of the curl leaves
// along the normal and bends down.
static void place(const RvBenchGroomDef* d, size_t strand, double* x) {
  double share = ((double)strand + 0.5) / (double)d->of;
  double y = 1 - 1.5 * share;
  double turn = GOLDEN_ANGLE * (double)strand;
  double around = sqrt(1 - y * y), phase = 2 * RV_PI * rv_random(1, 0, strand, 0);
  RvVec3 normal = rv_vec3(around * cos(turn), y, around * sin(turn));
  RvVec3 side = rv_normalize(rv_cross(normal, rv_vec3(0, 1, 0)), rv_vec3(1, 0, 0)), at = rv_scale(normal, HEAD);
  double step = d->length / (d->vertices - 1);
  for (int i = 0; i < d->vertices; ++i) {
    double s = step * i;
    double down = fmin(1, s / (0.5 * d->length));
    double curl = d->curl * fmin(1, s / 0.01);
    RvVec3 axis = rv_normalize(rv_mad(rv_scale(normal, 1 - down), -(down + 0.1), rv_vec3(0, 1, 0)), normal);
    RvVec3 across = rv_normalize(rv_cross(axis, side), rv_vec3(0, 0, 1));
    double a = 2 * RV_PI * s / PITCH + phase;
    RvVec3 p = rv_mad(rv_mad(at, curl * cos(a), side), curl * sin(a), across);
    rv_vec3_store64(x + 3 * i, p);
    at = rv_mad(at, step, axis);
  }
}

// Model and state of the strands.
static RvResult make(RvBenchGroom* g, const RvBenchGroomDef* d, RvError* error) {
  size_t n = (size_t)d->vertices;
  RvStrandDef* defs = rv_alloc_zero(d->strands, sizeof *defs);
  double* x = rv_alloc(d->strands * n * 3, sizeof(double));
  double* radius = rv_alloc(RADII * n, sizeof(double));
  RvResult result = defs && x && radius ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Human hair: radii of 35 to 50 micrometres, 3 GPa.
  for (size_t k = 0; !result && k < RADII * n; ++k) radius[k] = 35e-6 + 1e-6 * (double)(k / n);
  for (size_t s = 0; !result && s < d->strands; ++s) {
    place(d, s, x + 3 * n * s);
    const double* own_radius = radius + n * (rv_random4(2, 0, s).v[0] % RADII);
    defs[s] = rv_rig_hair_def(d->vertices, x + 3 * n * s, own_radius, (int64_t)s);
    defs[s].density = 1320;
    defs[s].viscosity = 1e5;
  }
  if (!result) result = rv_strand_model_new(defs, d->strands, &g->model, error);
  if (!result) result = rv_strand_state_new(g->model, defs, &g->state, error);
  rv_free(defs);
  rv_free(x);
  rv_free(radius);
  return result;
}

// Clamps the first edge of every strand, remembers its position, and sets the weight.
static void clamp(RvBenchGroom* g) {
  const RvStrandModel* m = g->model;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      for (int c = 0; c < 4 * CLAMPED - 1; ++c) m->free[rv_strand_index(b, lane, 0, c)] = 0;
      for (int i = 0; i < CLAMPED; ++i) {
        size_t at = rv_strand_index(b, lane, i, 0), root = (k * RV_LANES + (size_t)lane) * CLAMPED + (size_t)i;
        g->x[root] = g->state->q[at];
        g->z[root] = g->state->q[at + 2 * RV_LANES];
      }
      for (int i = 0; i < b->vertices; ++i) {
        size_t y = rv_strand_index(b, lane, i, 1);
        g->force[y] = -9.81 * m->mass[y];
      }
    }
  }
}

RvResult rv_bench_groom_new(RvBenchGroom* g, const RvBenchGroomDef* d, RvError* error) {
  *g = (RvBenchGroom){.dt = d->dt};
  RvResult result = make(g, d, error);
  if (!result) {
    g->force = rv_alloc_zero(g->model->unknowns, sizeof(double));
    g->target = rv_alloc(g->model->unknowns, sizeof(double));
    g->x = rv_alloc(g->model->nbatch * RV_LANES * CLAMPED, sizeof(double));
    g->z = rv_alloc(g->model->nbatch * RV_LANES * CLAMPED, sizeof(double));
    if (!g->force || !g->target || !g->x || !g->z) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (result) {
    rv_bench_groom_free(g);
    return result;
  }
  memcpy(g->target, g->state->q, g->model->unknowns * sizeof(double));
  clamp(g);
  return RV_OK;
}

void rv_bench_groom_free(RvBenchGroom* g) {
  rv_strand_state_free(g->state);
  rv_strand_model_free(g->model);
  RV_FREE_ALL(g->force, g->target, g->x, g->z);
  *g = (RvBenchGroom){0};
}

RvStrandStepDef rv_bench_groom_move(RvBenchGroom* g) {
  const RvStrandModel* m = g->model;
  // Roots rotate about y.
  g->time += g->dt;
  double angle = SWING * sin(2 * RV_PI * FREQUENCY * g->time);
  double c = cos(angle);
  double s = sin(angle);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < CLAMPED; ++i) {
        size_t at = rv_strand_index(&m->batches[k], lane, i, 0);
        size_t root = (k * RV_LANES + (size_t)lane) * CLAMPED + (size_t)i;
        g->target[at] = c * g->x[root] + s * g->z[root];
        g->target[at + 2 * RV_LANES] = c * g->z[root] - s * g->x[root];
      }
  return (RvStrandStepDef){.dt = g->dt,
                           .dt_before = g->dt,
                           .integrator = RV_EULER,
                           .max_iterations = 20,  // Newton's limit, not reached without contacts
                           .tolerance = 1e-6,
                           .force = g->force,
                           .target = g->target};
}

//---------------------------------------------------------------------------------------------- memory

// Value of a field of /proc/self/status, bytes; 0 where there is none.
static double read_status(const char* field) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256];
  double kb = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, field, strlen(field)) == 0) sscanf(line + strlen(field), ": %lf", &kb);
  if (file) fclose(file);
  return 1024 * kb;
}

double rv_bench_memory_now(void) {
  return read_status("VmRSS");
}

double rv_bench_memory_mark(void) {
  rv_platform_trim_memory();  // memory that earlier benchmarks freed does not count
  // Writing 5 resets the peak of resident memory.
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file);
    fclose(file);
  }
  return rv_bench_memory_now();
}

// The current value where the system does not report the peak.
double rv_bench_memory_peak(void) {
  return fmax(read_status("VmHWM"), rv_bench_memory_now());
}
