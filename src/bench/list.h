// The functions of the benchmark table.
#ifndef RV_BENCH_LIST_H
#define RV_BENCH_LIST_H

#include "bench/bench.h"

#define RV_BENCH(name, help) RvResult rv_bench_##name(const RvBenchOut* out, RvError* error);
#include "bench/benches.def"
#undef RV_BENCH

#endif
