#include "wet/cached.h"

#include "base/memory.h"

// s: age of cached particles. None is a drop that has just left a strand, which would not be captured yet.
static const float CACHED_AGE = 1e3f;

// Cached liquid is never resampled: its particles are known by their ids.
RvResult rv_wet_cached_init(RvWetCached* c, const RvLiquidModel* model, RvError* error) {
  RvLiquidModel own = *model;
  own.resample_every = 0;
  return rv_liquid_init(&c->liquid, &own) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
}

void rv_wet_cached_free(RvWetCached* c) {
  rv_free(c->volume);
  rv_free(c->taken);
  rv_free(c->loss);
  rv_liquid_particles_free(&c->frame);
  rv_liquid_free(&c->liquid);
  *c = (RvWetCached){0};
}

RvResult rv_wet_cached_reserve(RvWetCached* c, RvError* error) {
  c->volume = rv_alloc(c->frame.count + 1, sizeof *c->volume);
  c->taken = rv_alloc_zero(c->frame.count + 1, sizeof *c->taken);
  c->loss = rv_alloc_zero(c->frame.count + 1, sizeof *c->loss);
  c->film_gain = (RvSum){0};
  if (c->volume && c->taken && c->loss) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
}

RvResult rv_wet_cached_place(RvWetCached* c, double before, RvError* error) {
  // Particles stand where they were `before` seconds earlier, on the straight path of their velocity.
  RvParticles *to = &c->liquid.particles, *from = &c->frame;
  double dx = c->liquid.model.dx;
  rv_liquid_particles_free(to);
  RvResult result = rv_liquid_particles_reserve(to, from->count, error);
  for (size_t i = 0; i < from->count && !result; ++i) {
    double cell[3];
    // What was captured whole is no longer there.
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
    to->age[k] = CACHED_AGE;
  }
  return result ? result : rv_liquid_particles_complete(to, error);
}

// Capture took volume of the placed particles; their rows lead back to those of the frame.
void rv_wet_cached_count(RvWetCached* c, double film_gain) {
  const RvParticles* p = &c->liquid.particles;
  for (size_t i = 0; i < p->count; ++i) {
    c->volume[p->row[i]] = p->volume[i] > 0 ? p->volume[i] : 0;
    c->taken[p->row[i]] += c->loss[i];
  }
  rv_sum_add(&c->film_gain, film_gain);
}
