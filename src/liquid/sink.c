// Removal of particles by sinks, open sides and age (WH-43): a removed particle gets volume 0, and its volume is
// counted.
#include "liquid/sink.h"

#include <math.h>

#include "base/parallel.h"

enum { GRAIN = 4096 };  // particles a task
enum { BATCH = 256 };   // points a call of a region

typedef struct Take {
  RvParticles* p;
  const RvLiquidSink* sink;
  double dx;
  const double* origin;
} Take;

// Whether a point is beyond an open side.
static bool beyond(const RvLiquidSink* s, const double at[3]) {
  for (int a = 0; a < 3; ++a)
    if ((s->outside >> (2 * a) & 1 && at[a] < s->region.lo[a]) ||
        (s->outside >> (2 * a + 1) & 1 && at[a] > s->region.hi[a]))
      return true;
  return false;
}

// Removes particle i, and adds its volume to *sum.
static void kill(RvParticles* p, size_t i, double* sum) {
  *sum += p->volume[i];
  p->volume[i] = 0;
}

// Removes those of n particles that are inside; *sum becomes NaN when the region is out of memory.
static void kill_inside(Take* t, size_t n, const size_t* index, const double* at, double* sum) {
  float d[BATCH];
  bool known = t->sink->region.distance(t->sink->region.user, n, at, d);
  for (size_t k = 0; k < n && known; ++k)
    if (d[k] < 0) kill(t->p, index[k], sum);
  if (!known) *sum = NAN;
}

// Removes the particles that a sink takes; returns their volume.
static double take_some(void* arg, size_t begin, size_t end) {
  Take* t = arg;
  size_t index[BATCH], n = 0;
  double at[3 * BATCH], sum = 0;
  for (size_t i = begin; i < end; ++i) {
    double x[3];
    if (!(t->p->volume[i] > 0)) continue;
    rv_liquid_particles_place(t->p, i, x);
    for (int a = 0; a < 3; ++a) x[a] = t->origin[a] + t->dx * x[a];
    // open sides: by the box alone
    if (t->sink->outside) {
      if (beyond(t->sink, x)) kill(t->p, i, &sum);
      continue;
    }
    if (!rv_liquid_region_near(&t->sink->region, x, 0)) continue;
    // regions: collected, and asked in batches
    index[n] = i;
    for (size_t a = 0; a < 3; ++a) at[3 * n + a] = x[a];
    if (++n == BATCH) {
      kill_inside(t, n, index, at, &sum);
      n = 0;
    }
  }
  if (n) kill_inside(t, n, index, at, &sum);
  return sum;
}

// Number of dead particles.
static double dead(void* arg, size_t begin, size_t end) {
  const Take* t = arg;
  size_t n = 0;
  for (size_t i = begin; i < end; ++i) n += !(t->p->volume[i] > 0);
  return (double)n;
}

bool rv_liquid_sinks_take(RvParticles* p, double dx, const double origin[3], const RvLiquidSink* sinks, size_t count,
                          RvLiquidFlow* flow) {
  if (!count) return true;
  Take t = {.p = p, .dx = dx, .origin = origin};
  // sinks one after the other, in the order given
  double before = rv_parallel_sum(p->count, GRAIN, dead, &t);
  for (size_t k = 0; k < count; ++k) {
    t.sink = &sinks[k];
    double volume = rv_parallel_sum(p->count, GRAIN, take_some, &t);
    if (isnan(volume)) return false;
    *(sinks[k].kill ? &flow->killed : &flow->outflow) += volume;
  }
  flow->removed += (size_t)(rv_parallel_sum(p->count, GRAIN, dead, &t) - before);
  return true;
}

//---------------------------------------------------------------------------------------------- age

typedef struct Lives {
  RvParticles* p;
  const RvAttrib* life;
} Lives;

// Removes the particles that have reached their life; returns their volume.
static double end_some(void* arg, size_t begin, size_t end) {
  const Lives* l = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    double life = l->p->volume[i] > 0 ? rv_attrib_get(l->life, (size_t)l->p->row[i], 0) : 0;
    if (life > 0 && (double)l->p->age[i] >= life) kill(l->p, i, &sum);
  }
  return sum;
}

void rv_liquid_lives_take(RvParticles* p, const RvAttrib* life, RvLiquidFlow* flow) {
  Take t = {.p = p};
  double before = rv_parallel_sum(p->count, GRAIN, dead, &t);
  flow->killed += rv_parallel_sum(p->count, GRAIN, end_some, &(Lives){p, life});
  flow->removed += (size_t)(rv_parallel_sum(p->count, GRAIN, dead, &t) - before);
}
