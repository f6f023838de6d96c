// The table of benchmarks, made from benches.def, and the interruption of long ones.
#include "bench/list.h"

const RvBench rv_benches[] = {
#define RV_BENCH(name, help) {#name, help, rv_bench_##name},
#include "bench/benches.def"
#undef RV_BENCH
};
const size_t rv_bench_count = sizeof rv_benches / sizeof *rv_benches;

static bool (*interrupt)(void);

void rv_bench_set_interrupt(bool (*ask)(void)) {
  interrupt = ask;
}

bool rv_bench_interrupted(void) {
  return interrupt && interrupt();
}
