// Order of the incomplete Cholesky factorisation (pressure_cholesky.h): tiles run in waves, each after the waves of its
// lower neighbours.
#include "liquid/pressure_cholesky.h"

#include "base/parallel.h"
#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_liquid_cholesky_factor, (const RvCholesky*, size_t tile))
RV_KERNEL_DECLARE(void, rv_liquid_cholesky_forward, (const RvCholesky*, const float* r, float* w, size_t tile))
RV_KERNEL_DECLARE(double, rv_liquid_cholesky_backward, (const RvCholesky*, const float* r, float* w, size_t tile))

enum { FACTOR, FORWARD, BACKWARD };

typedef struct Job {
  const RvCholesky* cholesky;
  const int32_t* tile;
  const float* r;
  float* w;
  int stage;  // FACTOR, FORWARD or BACKWARD
} Job;

// One stage over the tiles of a wave; returns the dot product of the backward one.
static double run_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    size_t t = (size_t)j->tile[i];
    if (j->stage == FACTOR)
      RV_KERNEL_CALL(rv_liquid_cholesky_factor, (j->cholesky, t));
    else if (j->stage == FORWARD)
      RV_KERNEL_CALL(rv_liquid_cholesky_forward, (j->cholesky, j->r, j->w, t));
    else
      sum += RV_KERNEL_CALL(rv_liquid_cholesky_backward, (j->cholesky, j->r, j->w, t));
  }
  return sum;
}

// A stage over all waves in order; backwards for the transpose.
static double run(const RvCholesky* c, int stage, const float* r, float* w) {
  double sum = 0;
  for (size_t k = 0; k < c->waves; ++k) {
    size_t wave = stage == BACKWARD ? c->waves - 1 - k : k, first = c->wave[wave], count = c->wave[wave + 1] - first;
    Job job = {c, c->order + first, r, w, stage};
    sum += count <= 2 ? run_tiles(&job, 0, count) : rv_parallel_sum(count, 2, run_tiles, &job);
  }
  return sum;
}

bool rv_liquid_cholesky_build(RvCholesky* c, const RvMgLevel* level, RvArena* arena) {
  *c = (RvCholesky){.level = level};
  size_t n = level->count;
  c->pivot = rv_liquid_mg_vector(level, arena);
  c->order = RV_TAKE(arena, int32_t, n);
  c->wave = RV_TAKE(arena, size_t, n + 2);
  int32_t* of = RV_TAKE(arena, int32_t, n);
  if (!c->pivot || !c->order || !c->wave || !of) return false;
  // wave of a tile: one after the latest of its lower neighbours
  for (size_t t = 0; t < n; ++t) {
    of[t] = 0;
    for (int k = 0; k < 6; k += 2)
      if (level->near[t][k] < (int32_t)n && of[level->near[t][k]] >= of[t]) of[t] = of[level->near[t][k]] + 1;
    if ((size_t)of[t] + 1 > c->waves) c->waves = (size_t)of[t] + 1;
  }
  // counting sort by wave
  for (size_t k = 0; k <= c->waves; ++k) c->wave[k] = 0;
  for (size_t t = 0; t < n; ++t) c->wave[of[t] + 1]++;
  for (size_t k = 0; k < c->waves; ++k) c->wave[k + 1] += c->wave[k];
  for (size_t t = 0; t < n; ++t) c->order[c->wave[of[t]]++] = (int32_t)t;
  for (size_t k = c->waves; k > 0; --k) c->wave[k] = c->wave[k - 1];
  c->wave[0] = 0;
  run(c, FACTOR, NULL, NULL);
  return true;
}

double rv_liquid_cholesky_solve(const RvCholesky* c, const float* r, float* z) {
  run(c, FORWARD, r, z);
  return run(c, BACKWARD, r, z);
}
