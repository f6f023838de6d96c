// Times one Newton iteration at eight lanes and, from the same source, at one, stage by stage.
#ifndef RV_BENCH_STRAND_LANES_H
#define RV_BENCH_STRAND_LANES_H

#include "base/cpu.h"
#include "bench/groom.h"

enum { RV_BENCH_DERIVATIVES, RV_BENCH_FACTOR, RV_BENCH_SOLVE, RV_BENCH_SEARCH, RV_BENCH_STAGES };

// Seconds of the stages of an iteration for one vertex, each the least of several runs.
typedef struct RvBenchLanes {
  double wide[RV_BENCH_STAGES], single[RV_BENCH_STAGES];
} RvBenchLanes;

// Times some batches of the groom in its current state, with the instruction set of rv_cpu_isa().
RvResult rv_bench_lanes(const RvBenchGroom* groom, RvBenchLanes* out, RvError* error);

#endif
