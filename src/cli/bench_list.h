// The functions of the benchmark table.
#ifndef RV_CLI_BENCH_LIST_H
#define RV_CLI_BENCH_LIST_H

#include "cli/bench.h"

#define RV_BENCH(name, help) RvResult rv_bench_##name(const RvBenchOut* out, RvError* error);
#include "cli/benches.def"
#undef RV_BENCH

#endif
