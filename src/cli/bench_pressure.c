// Benchmark pressure: one projection of liquid under gravity and stirred, by multigrid CG, Jacobi-CG and
// incomplete-Cholesky CG, on the same operator, right side, tolerance, threads and lanes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "cli/bench_list.h"
#include "cli/pressure_rig.h"
#include "math/scalar.h"

enum { SCENES = 4, SMALLEST = 32, LARGEST = 256, COMPARED = 128, REPEATS = 3 };

static const char* const names[SCENES] = {"box", "pool", "splash", "sheet"};

// the room is a cube of side 1, closed on all sides
typedef struct Scene {
  int kind;
  double dx;
} Scene;

static double ball(const double x[3], double a, double b, double c, double radius) {
  return sqrt((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) + (x[2] - c) * (x[2] - c)) - radius;
}

// a rough pool, the crown of a drop 2.5 hundredths thick that rises from it, and drops in the air
static double splash(const double x[3]) {
  double pool = x[1] - (0.3 + 0.05 * rv_sin(9 * x[0]) * rv_cos(7 * x[2]));
  double ring = sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[2] - 0.5) * (x[2] - 0.5));
  double crown = fmax(fabs(ring - (0.2 + 0.1 * (x[1] - 0.3))) - 0.0125, x[1] - 0.65);
  return fmin(fmin(pool, crown), fmin(ball(x, 0.3, 0.75, 0.6, 0.04), ball(x, 0.7, 0.8, 0.3, 0.02)));
}

static double liquid(const void* user, const double x[3]) {
  const Scene* s = user;
  if (s->kind == 0) return -1;
  if (s->kind == 1) return x[1] - 0.6;
  if (s->kind == 2) return splash(x);
  // three cells thick, wavy, from wall to wall
  return fabs(x[1] - 0.5 - 0.1 * rv_sin(6 * x[0] + 2 * x[2])) - 1.5 * s->dx;
}

// gravity over a step at which it moves a cell, and a stir
static void stir(RvPressureRig* rig) {
  RvLiquidGrid* g = &rig->grid;
  for (size_t t = 0; t < g->tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      double x[3];
      rv_pressure_rig_center(rig, t, c, x);
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      g->velocity[0].data[at] = (float)(0.5 * rv_sin(7 * x[1]) * rv_cos(5 * x[0]));
      g->velocity[1].data[at] = (float)(-1 + 0.5 * rv_sin(6 * x[0]) * rv_sin(4 * x[1] + x[2]));
      g->velocity[2].data[at] = (float)(0.5 * rv_cos(6 * x[2]) * rv_sin(3 * x[0]));
    }
}

static RvResult build(RvPressureRig* rig, int kind, int n, RvError* error) {
  Scene scene = {kind, 1.0 / n};
  RvResult result = rv_pressure_rig_build(rig, (const int[3]){0, 0, 0}, (const int[3]){n / 8, n / 8, n / 8}, scene.dx,
                                          liquid, &scene, false, error);
  const RvSolidShape obstacle = {.kind = RV_SHAPE_SPHERE, .center = {0.55, 0.25, 0.5}, .size = {0.15}};
  if (!result && kind == 2) result = rv_pressure_rig_solids(rig, &obstacle, 1, error);
  return result;
}

typedef struct Run {
  RvPressureReport report;
  double cpu, wall;
} Run;

// the least of several runs: what else the machine does only adds
static RvResult run(RvPressureRig* rig, RvPressureMethod method, int repeats, Run* best, RvError* error) {
  RvPressureOptions options = {.tolerance = 1e-6, .divergence = -1, .most = 2000, .method = method};
  *best = (Run){.cpu = 1e9, .wall = 1e9};
  for (int k = 0; k < repeats; ++k) {
    stir(rig);
    RvPressureIn in = rv_pressure_of_grid(&rig->grid, &rig->solids, 1000, 1e-3);
    double cpu = rv_clock_cpu(), wall = rv_clock_wall();
    RvResult result = rv_pressure_solve(rig->pressure, &in, &options, &best->report, error);
    if (result) return result;
    best->cpu = fmin(best->cpu, rv_clock_cpu() - cpu);
    best->wall = fmin(best->wall, rv_clock_wall() - wall);
  }
  return RV_OK;
}

// %s_%d_%s
static void emit(const RvBenchOut* out, int kind, int n, const char* what, double value, const char* unit) {
  char metric[64];
  snprintf(metric, sizeof metric, "%s_%d_%s", names[kind], n, what);
  rv_bench_emit(out, metric, value, unit);
}

static RvResult compare(const RvBenchOut* out, RvPressureRig* rig, int kind, int n, const Run* mg, RvError* error) {
  static const RvPressureMethod methods[] = {RV_PRESSURE_JACOBI, RV_PRESSURE_CHOLESKY};
  static const char* const label[2][2] = {{"jacobi_iterations", "speedup_over_jacobi"},
                                          {"cholesky_iterations", "speedup_over_cholesky"}};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    Run other;
    result = run(rig, methods[k], 1, &other, error);
    if (result) break;
    emit(out, kind, n, label[k][0], other.report.iterations, "");
    emit(out, kind, n, label[k][1], other.cpu / mg->cpu, "x");
  }
  return result;
}

static RvResult scene(const RvBenchOut* out, int kind, int n, RvError* error) {
  RvPressureRig rig = {0};
  Run mg;
  RvResult result = build(&rig, kind, n, error);
  if (!result) result = run(&rig, RV_PRESSURE_MULTIGRID, REPEATS, &mg, error);
  if (!result) {
    emit(out, kind, n, "cells", (double)mg.report.cells, "");
    emit(out, kind, n, "iterations", mg.report.iterations, "");
    emit(out, kind, n, "cpu", mg.cpu, "s");
    emit(out, kind, n, "ns_per_cell", mg.cpu * 1e9 / (double)mg.report.cells, "ns");
    if (n == COMPARED) result = compare(out, &rig, kind, n, &mg, error);
  }
  rv_pressure_rig_free(&rig);
  return result;
}

RvResult rv_bench_pressure(const RvBenchOut* out, RvError* error) {
  RvResult result = RV_OK;
  for (int kind = 0; kind < SCENES && !result; ++kind)
    for (int n = SMALLEST; n <= LARGEST / out->shrink && !result; n *= 2) result = scene(out, kind, n, error);
  return result;
}
