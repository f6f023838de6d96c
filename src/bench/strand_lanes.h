// One Newton iteration at eight lanes and, from the same source, at one; and which part of it takes how long.
#ifndef RV_BENCH_STRAND_LANES_H
#define RV_BENCH_STRAND_LANES_H

#include "base/cpu.h"
#include "bench/groom.h"

enum { RV_BENCH_DERIVATIVES, RV_BENCH_FACTOR, RV_BENCH_SOLVE, RV_BENCH_SEARCH, RV_BENCH_STAGES };

// Seconds of the stages of an iteration for one vertex, each the least of several runs.
typedef struct RvBenchLanes {
  double wide[RV_BENCH_STAGES], single[RV_BENCH_STAGES];
} RvBenchLanes;

// Of some batches of the groom as it is; the path is the one that rv_cpu_isa() gives.
RvResult rv_bench_lanes(const RvBenchGroom* groom, RvBenchLanes* out, RvError* error);

#endif
