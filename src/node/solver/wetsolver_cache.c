#include "node/solver/wetsolver_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// s: none of it is a drop that has just left a strand, which would not be captured yet
static const float OLD = 1e3f;

// pairs of id and volume, by id
static int by_id(const void* a, const void* b) {
  const double *x = a, *y = b;
  return (x[0] > y[0]) - (x[0] < y[0]);
}

static double taken_of(const RvWetSolve* s, double id) {
  const double* found = s->ntaken ? bsearch(&id, s->taken, s->ntaken, 2 * sizeof *s->taken, by_id) : NULL;
  return found ? found[1] : 0;
}

// the particles at a time before the frame's end, each on the straight way of its velocity; rows are those of `frame`
static RvResult place(RvWetCache* c, double before, RvError* error) {
  RvParticles *to = &c->liquid.particles, *from = &c->frame;
  double dx = c->liquid.model.dx;
  rv_liquid_particles_free(to);
  RvResult result = rv_liquid_particles_reserve(to, from->count, error);
  for (size_t i = 0; i < from->count && !result; ++i) {
    double cell[3];
    if (!(c->volume[i] > 0)) continue;
    rv_liquid_particles_place(from, i, cell);
    for (int a = 0; a < 3; ++a) cell[a] -= from->v[a][i] * before / dx;
    size_t k = rv_liquid_particles_add(to, cell);
    if (k == SIZE_MAX) continue;
    for (int a = 0; a < 3; ++a) to->v[a][k] = from->v[a][i];
    for (int a = 0; a < 9; ++a) to->c[a][k] = 0;
    to->volume[k] = c->volume[i];
    to->id[k] = from->id[i];
    to->row[k] = (int32_t)i;
    to->age[k] = OLD;
  }
  return result;
}

static RvResult begin(void* user, RvLiquidModel* model, double from, double to, RvError* error) {
  RvWetCache* c = user;
  (void)model;
  (void)from;
  return place(c, c->whole->cook->dt * c->whole->parms.timescale - to, error);
}

static RvResult flow(void* user, RvParticles* p, int64_t* next_id, double from, double to, bool* any, RvError* error) {
  RvWetCache* c = user;
  (void)next_id;
  RvResult result = rv_wet_capture(&c->whole->wet, p, to - from, any, error);
  for (size_t i = 0; i < p->count; ++i) c->volume[p->row[i]] = p->volume[i] > 0 ? p->volume[i] : 0;
  return result;
}

RvResult rv_wetcache_open(RvWetCache* c, RvWetSolve* s, RvError* error) {
  const RvDetail* in = s->liquid_part.input[0];
  RvLiquidModel model = s->liquid.liquid.model;
  RvLiquidGlobals globals = s->liquid.globals;
  RvLiquidFaults faults = {0};
  c->whole = s;
  model.resample_every = 0;
  c->hooks = (RvLiquidHooks){.user = c, .begin = begin, .flow = flow};
  if (!rv_liquid_init(&c->liquid, &model)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  c->begun = true;
  // also where there is nothing: the drops are no bulk
  s->wet.cached = &c->liquid;
  RvResult result = RV_OK;
  if (rv_wetcache_surface(in)) {
    result = rv_wetcache_fill(s->cook, in, s->liquid.separation / s->liquid.units.meters, &c->filled, error);
    in = c->filled;
  }
  if (result || !in || !rv_detail_count(in, RV_POINT)) return result;
  result = rv_liquid_read(in, &s->liquid.units, s->liquid.separation, &globals, &c->frame, &faults, error);
  if (result) return result;
  if (faults.lost || faults.empty)
    rv_cook_warn(s->cook, "%zu points of input 2, the cached liquid, have no volume or are nowhere: they are left out",
                 faults.lost + faults.empty);
  if (!rv_detail_find(in, RV_POINT, "id") || faults.numbered)
    rv_cook_warn(s->cook,
                 "the points of input 2, the cached liquid, have no id, or some twice: what is captured of them is "
                 "remembered by their order");
  c->volume = rv_alloc(c->frame.count + 1, sizeof *c->volume);
  c->before = rv_alloc(c->frame.count + 1, sizeof *c->before);
  if (!c->volume || !c->before) return rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  for (size_t i = 0; i < c->frame.count; ++i) {
    double left = c->frame.volume[i] - (c->filled ? 0 : taken_of(s, (double)c->frame.id[i]));
    c->volume[i] = c->before[i] = left > 0 ? left : 0;
  }
  return RV_OK;
}

static bool in_frame(const double* rows, size_t n, double id) {
  return n && bsearch(&id, rows, n, 2 * sizeof *rows, by_id);
}

// What was captured of an id is remembered for good: one that is not in this frame, or smaller, may come back.
RvResult rv_wetcache_close(RvWetCache* c, RvWetSolve* s, RvError* error) {
  s->wet.cached = NULL;
  size_t n = 0;
  double* rows = rv_alloc(2 * (c->frame.count + s->ntaken) + 2, sizeof *rows);
  if (!rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  for (size_t i = 0; i < c->frame.count; ++i) {
    double id = (double)c->frame.id[i], now = c->before[i] - c->volume[i], taken = taken_of(s, id) + now;
    s->film_sources += now;
    if (taken > 0 && !c->filled) {
      rows[2 * n] = id;
      rows[2 * n + 1] = taken;
      ++n;
    }
  }
  qsort(rows, n, 2 * sizeof *rows, by_id);
  size_t here = n;
  for (size_t k = 0; k < s->ntaken; ++k)
    if (!in_frame(rows, here, s->taken[2 * k])) memcpy(rows + 2 * n++, s->taken + 2 * k, 2 * sizeof *rows);
  qsort(rows, n, 2 * sizeof *rows, by_id);
  rv_free(s->taken);
  s->taken = rows;
  s->ntaken = n;
  return RV_OK;
}

void rv_wetcache_free(RvWetCache* c) {
  rv_free(c->volume);
  rv_free(c->before);
  rv_detail_free(c->filled);
  rv_liquid_particles_free(&c->frame);
  if (c->begun) rv_liquid_free(&c->liquid);
}
