// The benchmarks of `rivulet bench`: each emits figures, at least one of them a ratio to a baseline in the same run.
#ifndef RV_BENCH_BENCH_H
#define RV_BENCH_BENCH_H

#include <stdbool.h>

#include "rivulet/base.h"

// Receives the figures of a benchmark as they are measured.
typedef struct RvBenchOut {
  void* user;
  void (*figure)(void* user, const char* metric, double value, const char* unit);
  int shrink;  // sizes are divided by it for a quick look; 1 is the size that the name promises
} RvBenchOut;

typedef struct RvBench {
  const char* name;
  const char* help;
  RvResult (*run)(const RvBenchOut* out, RvError* error);
} RvBench;

extern const RvBench rv_benches[];
extern const size_t rv_bench_count;

// Long benchmarks ask between their steps whether the user wants them to stop. Without a function: never.
void rv_bench_set_interrupt(bool (*ask)(void));
bool rv_bench_interrupted(void);

#define rv_bench_emit(out, metric, value, unit) (out)->figure((out)->user, metric, value, unit)

#endif
