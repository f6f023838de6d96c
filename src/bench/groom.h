// Curly human hair on a rotating head, for the benchmarks of the strand solver.
#ifndef RV_BENCH_GROOM_H
#define RV_BENCH_GROOM_H

#include "strand/strand.h"

typedef struct RvBenchGroom {
  RvStrandModel* model;
  RvStrandState* state;
  double* force;    // [unknowns] weight, N
  double* target;   // [unknowns] positions of the fixed unknowns at the end of the next step
  double *x, *z;    // start coordinates of the fixed vertices, two of each lane, m
  double time, dt;  // s
} RvBenchGroom;

typedef struct RvBenchGroomDef {
  size_t strands;
  size_t of;            // strands of the whole head, of which those of the crown are made
  int vertices;         // of a strand
  double length, curl;  // length along the axis of the curl, and its radius, m
  double dt;            // s
} RvBenchGroomDef;

RvResult rv_bench_groom_new(RvBenchGroom* groom, const RvBenchGroomDef* def, RvError* error);
void rv_bench_groom_free(RvBenchGroom* groom);
// Rotates the head to the end of the next step; returns that step.
RvStrandStepDef rv_bench_groom_move(RvBenchGroom* groom);

// Resident bytes now, and their peak since rv_bench_memory_mark (since the start of the process where the system cannot
// reset it).
double rv_bench_memory_now(void);
double rv_bench_memory_mark(void);
double rv_bench_memory_peak(void);

#endif
