// Benchmark pressure: one projection of falling, stirred liquid by multigrid CG, Jacobi-CG and incomplete-Cholesky CG,
// on the same operator, right side, tolerance, threads and lanes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/list.h"
#include "rig/pressure.h"

enum {
  SMALLEST = 32,  // cells of the cube's side
  LARGEST = 256,
  COMPARED = 128,  // size at which the baselines run
  REPEATS = 3
};

typedef struct Run {
  RvPressureReport report;
  double cpu;  // s
} Run;

// Least CPU of several solves to a tolerance, as other load of the machine only adds.
static RvResult run_to(double tolerance, RvPressureRig* rig, RvPressureMethod method, int repeats, Run* best,
                       RvError* error) {
  RvPressureOptions options = {.tolerance = tolerance, .divergence = -1, .max_iterations = 2000, .method = method};
  *best = (Run){.cpu = 1e9};
  for (int k = 0; k < repeats; ++k) {
    rv_rig_pressure_stir(rig);
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig->grid, &rig->solids, 1000, 1e-3);
    double cpu = rv_clock_cpu();
    RvResult result = rv_liquid_pressure_solve(rig->pressure, &in, &options, &best->report, error);
    if (result) return result;
    best->cpu = fmin(best->cpu, rv_clock_cpu() - cpu);
  }
  return RV_OK;
}

// The same to the benchmark's tolerance, 1e-6.
static RvResult run(RvPressureRig* rig, RvPressureMethod method, int repeats, Run* best, RvError* error) {
  return run_to(1e-6, rig, method, repeats, best, error);
}

// Large arrays, to measure the bandwidth of a copy by all workers.
typedef struct Copy {
  float *from, *to;
} Copy;

enum { COPY_FLOATS = 1 << 25, COPY_GRAIN = 1 << 16 };

// Copies a part.
static void copy_range(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  memcpy(c->to + begin, c->from + begin, (end - begin) * sizeof(float));
}

// Bytes a CPU second that a copy moves, reads and writes counted.
static double copy_bandwidth(int shrink) {
  size_t count = COPY_FLOATS / (size_t)shrink;
  Copy c = {rv_alloc_zero(count, sizeof(float)), rv_alloc_zero(count, sizeof(float))};
  double best = 1e9;
  for (int k = 0; c.from && c.to && k < REPEATS; ++k) {
    double cpu = rv_clock_cpu();
    rv_parallel_for(count, COPY_GRAIN, copy_range, &c);
    best = fmin(best, rv_clock_cpu() - cpu);
  }
  rv_free(c.from);
  rv_free(c.to);
  return 2.0 * (double)count * sizeof(float) / best;
}

// Emits a figure named SCENE_SIZE_WHAT.
static void emit(const RvBenchOut* out, int kind, int n, const char* what, double value, const char* unit) {
  char metric[64];
  snprintf(metric, sizeof metric, "%s_%d_%s", rv_rig_pressure_scenes[kind], n, what);
  rv_bench_emit(out, metric, value, unit);
}

// The baselines' iterations and times.
static RvResult compare(const RvBenchOut* out, RvPressureRig* rig, int kind, int n, const Run* mg, RvError* error) {
  static const RvPressureMethod methods[] = {RV_PRESSURE_JACOBI, RV_PRESSURE_CHOLESKY};
  static const char* const label[2][2] = {{"jacobi_iterations", "speedup_over_jacobi"},
                                          {"cholesky_iterations", "speedup_over_cholesky"}};
  Run none;
  // A tolerance of 2 ends before the first iteration: the time of coefficients, right side and velocities, which every
  // method needs.
  RvResult result = run_to(2, rig, RV_PRESSURE_JACOBI, REPEATS, &none, error);
  if (!result) emit(out, kind, n, "share_of_all_methods", none.cpu / mg->cpu, "");
  for (int k = 0; k < 2 && !result; ++k) {
    Run other;
    result = run(rig, methods[k], REPEATS, &other, error);
    if (result) break;
    emit(out, kind, n, label[k][0], other.report.iterations, "");
    emit(out, kind, n, label[k][1], other.cpu / mg->cpu, "x");
  }
  return result;
}

// All figures of a scene at a size.
static RvResult scene(const RvBenchOut* out, int kind, int n, double copy, RvError* error) {
  RvPressureRig rig = {0};
  Run mg;
  RvResult result = rv_rig_pressure_scene(&rig, kind, n, error);
  if (!result) result = run(&rig, RV_PRESSURE_MULTIGRID, REPEATS, &mg, error);
  if (!result) {
    emit(out, kind, n, "cells", (double)mg.report.cells, "");
    emit(out, kind, n, "iterations", mg.report.iterations, "");
    emit(out, kind, n, "cpu", mg.cpu, "s");
    emit(out, kind, n, "ns_per_cell", mg.cpu * 1e9 / (double)mg.report.cells, "ns");
    emit(out, kind, n, "bytes_per_cell", mg.report.traffic / (double)mg.report.cells, "B");
    emit(out, kind, n, "memory_per_cell", (double)rv_liquid_pressure_bytes(rig.pressure) / (double)mg.report.cells,
         "B");
    // Bytes that the iterations alone move, over the time of the whole solve.
    emit(out, kind, n, "share_of_copy_bandwidth", mg.report.traffic / mg.cpu / copy, "");
    if (n == COMPARED) result = compare(out, &rig, kind, n, &mg, error);
  }
  rv_rig_pressure_free(&rig);
  return result;
}

// All scenes at all sizes, which double.
RvResult rv_bench_pressure(const RvBenchOut* out, RvError* error) {
  RvResult result = RV_OK;
  double copy = copy_bandwidth(out->shrink);
  rv_bench_emit(out, "copy_bandwidth_per_cpu", copy * 1e-9, "GB/s");
  for (int kind = 0; kind < RV_PRESSURE_SCENES && !result; ++kind)
    for (int n = SMALLEST; n <= LARGEST / out->shrink && !result; n *= 2) result = scene(out, kind, n, copy, error);
  return result;
}
