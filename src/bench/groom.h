// Curly hair on a turning head, made in code, for the benchmarks: real hair, and roots that move.
#ifndef RV_BENCH_GROOM_H
#define RV_BENCH_GROOM_H

#include "strand/strand.h"

typedef struct RvBenchGroom {
  RvStrandModel* model;
  RvStrandState* state;
  double* force;    // [unknowns] gravity
  double* target;   // [unknowns] of the fixed ones, at the end of the next step
  double *x, *z;    // of the fixed vertices at the start, two a strand and lane, to turn them
  double time, dt;  // s
} RvBenchGroom;

typedef struct RvBenchGroomDef {
  size_t strands;
  size_t of;  // strands of the whole head: those of its crown are made
  int vertices;
  double length, curl;  // m along the axis of the curl; m, its radius
  double dt;
} RvBenchGroomDef;

RvResult rv_bench_groom_new(RvBenchGroom* groom, const RvBenchGroomDef* def, RvError* error);
void rv_bench_groom_free(RvBenchGroom* groom);
// Turns the head on to the end of the next step; returns that step.
RvStrandStepDef rv_bench_groom_move(RvBenchGroom* groom);

// Bytes in memory now, and the most since rv_bench_memory_mark (from the start of the process where the system does not
// let it be reset).
double rv_bench_memory_now(void);
double rv_bench_memory_mark(void);
double rv_bench_memory_peak(void);

#endif
