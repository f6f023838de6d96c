// Benchmark ldlt: the batched factorisation and solve of the rod's band against the same source at one lane.
#include "math/ldlt.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench/list.h"

enum { VERTICES = 32, N = 4 * VERTICES - 1, BAND = 10, BATCHES = 64, REPEATS = 7 };

typedef struct Batch {
  double *a, *x;       // eight lanes: band matrix; right side and solution
  double *single, *y;  // one lane: the same
} Batch;

// A diagonally dominant matrix, the same in all lanes, and a right side of ones.
static void fill(Batch* b) {
  size_t doubles = rv_ldlt_size(N, BAND);
  for (size_t i = 0; i < doubles; ++i) b->a[i] = i / RV_LANES % (BAND + 1) == 0 ? 10 : 0.3 * (double)(i * 37 % 11) / 11;
  for (size_t i = 0; i < doubles / RV_LANES; ++i) b->single[i] = b->a[i * RV_LANES];
  for (size_t i = 0; i < N * RV_LANES; ++i) b->x[i] = 1;
  for (size_t i = 0; i < N; ++i) b->y[i] = 1;
}

// Least wall seconds of several runs: factor and solve at eight lanes, then at one. Other load of the machine only
// adds.
static void measure(Batch* b, double best[4]) {
  for (int i = 0; i < 4; ++i) best[i] = 1e9;
  for (int repeat = 0; repeat < REPEATS * BATCHES; ++repeat) {
    fill(b);
    double t[5] = {rv_clock_wall()};
    rv_ldlt_factor(b->a, N, BAND);
    t[1] = rv_clock_wall();
    rv_ldlt_solve(b->a, N, BAND, b->x);
    t[2] = rv_clock_wall();
    rv_ldlt_factor_single(b->single, N, BAND);
    t[3] = rv_clock_wall();
    rv_ldlt_solve_single(b->single, N, BAND, b->y);
    t[4] = rv_clock_wall();
    for (int i = 0; i < 4; ++i) best[i] = t[i + 1] - t[i] < best[i] ? t[i + 1] - t[i] : best[i];
  }
}

// For every instruction set of the machine.
RvResult rv_bench_ldlt(const RvBenchOut* out, RvError* error) {
  static const char* const names[RV_ISA_COUNT][4] = {{"base_factor_ns_per_vertex", "base_solve_ns_per_vertex",
                                                      "base_factor_speedup_over_w1", "base_solve_speedup_over_w1"},
                                                     {"avx2_factor_ns_per_vertex", "avx2_solve_ns_per_vertex",
                                                      "avx2_factor_speedup_over_w1", "avx2_solve_speedup_over_w1"},
                                                     {"avx512_factor_ns_per_vertex", "avx512_solve_ns_per_vertex",
                                                      "avx512_factor_speedup_over_w1", "avx512_solve_speedup_over_w1"}};
  Batch b = {.a = rv_alloc(rv_ldlt_size(N, BAND), sizeof(double)),
             .x = rv_alloc(N * RV_LANES, sizeof(double)),
             .single = rv_alloc(rv_ldlt_size(N, BAND) / RV_LANES, sizeof(double)),
             .y = rv_alloc(N, sizeof(double))};
  RvResult result = b.a && b.x && b.single && b.y ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int isa = 0; !result && isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    double best[4];
    measure(&b, best);
    // ns a vertex at eight lanes, and the speed-up over eight strands at one lane.
    rv_bench_emit(out, names[isa][0], best[0] * 1e9 / (VERTICES * RV_LANES), "ns");
    rv_bench_emit(out, names[isa][1], best[1] * 1e9 / (VERTICES * RV_LANES), "ns");
    rv_bench_emit(out, names[isa][2], best[2] * RV_LANES / best[0], "x");
    rv_bench_emit(out, names[isa][3], best[3] * RV_LANES / best[1], "x");
  }
  // Back to the machine's own instruction set.
  rv_cpu_force(RV_ISA_COUNT);
  rv_free(b.a);
  rv_free(b.x);
  rv_free(b.single);
  rv_free(b.y);
  return result;
}
