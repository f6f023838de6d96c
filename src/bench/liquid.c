// Benchmarks of the liquid's whole substep: dam_200k and dam_2m (a block that collapses in a tank) and splash_sparse (a
// thin sheet in a large room). Figures in us are CPU time of all workers; stages are in ns of one worker.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/list.h"
#include "math/scalar.h"
#include "rig/liquid.h"

// Means over the measured substeps.
typedef struct Run {
  double cpu, wall;                     // s a substep
  double stage[RV_LIQUID_STAGE_COUNT];  // s a substep
  double particles, tiles, iterations, grid_bytes, particle_bytes;
  double sampling;  // s: transfer from the grid without advection
} Run;

//---------------------------------------------------------------------------------------------- baselines

enum { PLAIN_CHUNKS = 64, PLAIN_STEPS = 100000 };

// Plain arithmetic that touches no memory.
static void arithmetic_chunk(void* arg, size_t begin, size_t end) {
  double* out = arg;
  for (size_t k = begin; k < end; ++k) {
    double x = 1 + (double)k;
    for (int i = 0; i < PLAIN_STEPS; ++i) x = x * 0.999999 + 1e-6;
    out[k] = x;
  }
}

// Least wall seconds of plain arithmetic with that many workers.
static double time_arithmetic(int workers) {
  double out[PLAIN_CHUNKS], best = 1e9;
  rv_threads_set(workers);
  for (int k = 0; k < 3; ++k) {
    double start = rv_clock_wall();
    rv_parallel_for(PLAIN_CHUNKS, 1, arithmetic_chunk, out);
    best = fmin(best, rv_clock_wall() - start);
  }
  return best;
}

// Bytes a second that one worker copies, reads and writes counted as in STREAM.
static double copy_rate(void) {
  const size_t bytes = (size_t)128 << 20;
  char* a = rv_alloc(bytes, 1);
  char* b = rv_alloc(bytes, 1);
  double best = 1e9;
  if (a && b) {
    memset(a, 1, bytes);
    for (int k = 0; k < 4; ++k) {
      memset(b, k, 64);
      double start = rv_clock_cpu();
      memcpy(b, a, bytes);
      best = fmin(best, rv_clock_cpu() - start);
      a[k] = b[k + 64];
    }
  }
  rv_free(a);
  rv_free(b);
  return 2 * (double)bytes / best;
}

//---------------------------------------------------------------------------------------------- runs

// A unit cube of liquid in a tank of 3 x 2 x 1 m.
static RvResult make_dam(RvLiquidRig* rig, int cells, RvError* error) {
  double dx = 1.0 / cells;
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_rig_liquid_new(rig, &model, error);
  rv_rig_liquid_tank(rig, (double[3]){0, 0, 0}, (double[3]){3, 2, 1}, 8);
  return result ? result : rv_rig_liquid_fill(rig, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 0.3, error);
}

// Two layers of particles, `side` m square, that fall obliquely onto the floor of a room.
static RvResult make_sheet(RvLiquidRig* rig, double side, double room, RvError* error) {
  const double dx = 0.01;
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_rig_liquid_new(rig, &model, error);
  rv_rig_liquid_tank(rig, (double[3]){-room / 2, 0, -room / 2}, (double[3]){room / 2, room / 2, room / 2}, 8);
  double h = side / 2;
  if (!result) result = rv_rig_liquid_fill(rig, (double[3]){-h, 0.02, -h}, (double[3]){h, 0.03, h}, 0.3, error);
  for (size_t i = 0; i < rig->liquid.particles.count; ++i) {
    rig->liquid.particles.v[0][i] = 1;
    rig->liquid.particles.v[1][i] = -1;
  }
  return result;
}

// Runs `warm` substeps that are not counted and `steps` that are.
static RvResult measure(RvLiquidRig* rig, int workers, int warm, int steps, Run* run, RvError* error) {
  RvLiquid* l = &rig->liquid;
  RvResult result = RV_OK;
  *run = (Run){0};
  rv_threads_set(workers);
  double cpu = 0, wall = 0;
  for (int k = 0; k < warm + steps && !result; ++k) {
    if (k == warm) {
      memset(&l->report, 0, sizeof l->report);
      cpu = rv_clock_cpu();
      wall = rv_clock_wall();
    }
    result = rv_liquid_substep(l, fmin(rv_liquid_longest(l), 1.0 / 48), error);
    run->particles += k >= warm ? (double)l->particles.count / steps : 0;
    run->iterations += k >= warm ? (double)l->report.pressure.iterations / steps : 0;
  }
  run->cpu = (rv_clock_cpu() - cpu) / steps;
  run->wall = (rv_clock_wall() - wall) / steps;
  // Stages are timed by the wall clock, which also counts the time of other processes; the ratio corrects for that.
  for (int s = 0; s < RV_LIQUID_STAGE_COUNT; ++s) run->stage[s] = l->report.seconds[s] / steps * (run->cpu / run->wall);
  run->tiles = (double)l->grid.tiles.count;
  run->grid_bytes = (double)rv_liquid_grid_memory(l);
  run->particle_bytes = (double)rv_liquid_particles_bytes(&l->particles);
  // The transfer from the grid once more without advection, to separate the two.
  double start = rv_clock_cpu();
  if (!result) rv_liquid_from_grid(&l->grid, &l->scatter, &l->particles, 0);
  run->sampling = rv_clock_cpu() - start;
  return result;
}

// Order for qsort.
static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Speed-up by a second worker over that of plain arithmetic: substeps with one and two workers in turn, and the median
// of 15 ratios, as other processes use the machine too.
static RvResult scaling(RvLiquidRig* rig, double* out, double* arithmetic, RvError* error) {
  enum { PAIRS = 15 };
  double ratio[PAIRS], plainly[PAIRS];
  RvLiquid* l = &rig->liquid;
  RvResult result = RV_OK;
  for (int k = 0; k < PAIRS && !result; ++k) {
    double wall[2] = {0}, flat[2] = {0};
    for (int w = 0; w < 2 && !result; ++w) {
      flat[w] = time_arithmetic(w + 1);
      rv_threads_set(w + 1);
      double start = rv_clock_wall();
      result = rv_liquid_substep(l, fmin(rv_liquid_longest(l), 1.0 / 48), error);
      wall[w] = rv_clock_wall() - start;
    }
    plainly[k] = flat[0] / flat[1];
    ratio[k] = wall[0] / wall[1] / plainly[k];
  }
  qsort(ratio, PAIRS, sizeof *ratio, ascending);
  qsort(plainly, PAIRS, sizeof *plainly, ascending);
  *out = ratio[PAIRS / 2];
  *arithmetic = plainly[PAIRS / 2];
  return result;
}

// Stages in ns of a particle. Advection is timed together with the transfer from the grid, so the plain transfer is
// taken off.
static void emit_stages(const RvBenchOut* out, const Run* one) {
  double ns = 1e9 / one->particles;
  const double* s = one->stage;
  double fromgrid = fmin(one->sampling, s[RV_LIQUID_STAGE_fromgrid]);
  rv_bench_emit(out, "sort_ns", s[RV_LIQUID_STAGE_sort] * ns, "ns");
  rv_bench_emit(out, "togrid_ns", s[RV_LIQUID_STAGE_togrid] * ns, "ns");
  rv_bench_emit(out, "pressure_ns", s[RV_LIQUID_STAGE_pressure] * ns, "ns");
  rv_bench_emit(out, "fromgrid_ns", fromgrid * ns, "ns");
  rv_bench_emit(out, "advect_ns", (s[RV_LIQUID_STAGE_fromgrid] - fromgrid + s[RV_LIQUID_STAGE_collide]) * ns, "ns");
  rv_bench_emit(out, "solids_ns", s[RV_LIQUID_STAGE_solids] * ns, "ns");
  rv_bench_emit(out, "volume_ns", s[RV_LIQUID_STAGE_volume] * ns, "ns");
  double other_stages = s[RV_LIQUID_STAGE_resample] + s[RV_LIQUID_STAGE_grid] + s[RV_LIQUID_STAGE_surface] +
                        s[RV_LIQUID_STAGE_forces] + s[RV_LIQUID_STAGE_extrapolate];
  rv_bench_emit(out, "rest_ns", other_stages * ns, "ns");
}

// Bytes that the stages over particles must move at least, relative to what a copy moves in their time.
static void emit_bandwidth(const RvBenchOut* out, const Run* one) {
  double copy = copy_rate();
  // Bytes of a particle. Sort: 88 are read, and written after a read for ownership; the order is read for 11 arrays;
  // keys are written and read twice. To the grid: 68 are read. From the grid: 12 read, 60 read and written.
  double sort = 88 * 3 + 11 * 4 + 6 * 8;
  double to = 68;
  double from = 12 + 3 * 60;
  rv_bench_emit(out, "sort_share_of_copy", sort * one->particles / one->stage[RV_LIQUID_STAGE_sort] / copy, "");
  rv_bench_emit(out, "togrid_share_of_copy", to * one->particles / one->stage[RV_LIQUID_STAGE_togrid] / copy, "");
  rv_bench_emit(out, "fromgrid_share_of_copy", from * one->particles / one->stage[RV_LIQUID_STAGE_fromgrid] / copy, "");
  rv_bench_emit(out, "copy_gb_per_s", copy * 1e-9, "GB/s");
}

// One and two workers, then their scaling.
static RvResult bench_dam(const RvBenchOut* out, int cells, RvError* error) {
  Run run[2];
  double speedup = 0, arithmetic = 0;
  cells = (int)(cells / rv_clamp(cbrt(out->shrink), 1, cells / 8.0));
  for (int k = 0; k < 2; ++k) {
    RvLiquidRig rig;
    RvResult result = make_dam(&rig, cells, error);
    if (!result) result = measure(&rig, k + 1, 6, 16, &run[k], error);
    if (!result && k) result = scaling(&rig, &speedup, &arithmetic, error);
    rv_rig_liquid_free(&rig);
    rv_threads_set(0);
    if (result) return result;
  }
  rv_bench_emit(out, "particles", run[0].particles, "");
  rv_bench_emit(out, "us_per_particle_step", fmin(run[0].cpu, run[1].cpu) / run[0].particles * 1e6, "us");
  emit_stages(out, &run[0]);
  emit_bandwidth(out, &run[0]);
  rv_bench_emit(out, "pressure_iterations", run[0].iterations, "");
  rv_bench_emit(out, "bytes_per_particle", run[0].particle_bytes / run[0].particles, "B");
  rv_bench_emit(out, "grid_bytes_per_particle", run[0].grid_bytes / run[0].particles, "B");
  rv_bench_emit(out, "thread_scaling_to_arithmetic", speedup, "");
  rv_bench_emit(out, "arithmetic_thread_scaling", arithmetic, "x");
  return RV_OK;
}

// Cells of a side: eight particles a cell make 200,000 and two million.
RvResult rv_bench_dam_200k(const RvBenchOut* out, RvError* error) {
  return bench_dam(out, 29, error);
}

RvResult rv_bench_dam_2m(const RvBenchOut* out, RvError* error) {
  return bench_dam(out, 63, error);
}

// The sheet, a quarter of it, and the sheet in a room ten times as large.
RvResult rv_bench_splash_sparse(const RvBenchOut* out, RvError* error) {
  Run run[3];
  double side = 2 / sqrt(out->shrink > 0 ? out->shrink : 1);
  // Half the side has a quarter of the tiles; ten times the room has as many.
  const double sides[3] = {side, side / 2, side}, rooms[3] = {5, 5, 50};
  for (int k = 0; k < 3; ++k) {
    RvLiquidRig rig;
    RvResult result = make_sheet(&rig, sides[k], rooms[k], error);
    if (!result) result = measure(&rig, 1, 3, 6, &run[k], error);
    rv_rig_liquid_free(&rig);
    rv_threads_set(0);
    if (result) return result;
  }
  rv_bench_emit(out, "particles", run[0].particles, "");
  rv_bench_emit(out, "tiles", run[0].tiles, "");
  rv_bench_emit(out, "us_per_particle_step", run[0].cpu / run[0].particles * 1e6, "us");
  rv_bench_emit(out, "us_per_tile_step", run[0].cpu / run[0].tiles * 1e6, "us");
  emit_stages(out, &run[0]);
  rv_bench_emit(out, "cost_of_a_tile_at_a_quarter", run[1].cpu / run[1].tiles / (run[0].cpu / run[0].tiles), "x");
  rv_bench_emit(out, "cost_in_ten_times_the_room", run[2].cpu / run[0].cpu, "x");
  rv_bench_emit(out, "grid_bytes_per_tile", run[0].grid_bytes / run[0].tiles, "B");
  return RV_OK;
}
