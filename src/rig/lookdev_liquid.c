// The rig of position-based liquid; see lookdev_liquid.h.
#include "rig/lookdev_liquid.h"

#include <math.h>

#include "base/rng.h"

enum { FIRST_BLOCK = 1 << 20 };  // bytes of the arena

RvResult rv_rig_lookdev_liquid_new(RvLookdevLiquidRig* rig, const RvLookdevLiquidModel* model, RvError* error) {
  *rig = (RvLookdevLiquidRig){.arena = rv_arena_new(FIRST_BLOCK)};
  if (!rig->arena) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_lookdev_liquid_init(&rig->liquid, model, &rig->particles, rig->arena);
  return RV_OK;
}

void rv_rig_lookdev_liquid_free(RvLookdevLiquidRig* rig) {
  rv_liquid_particles_free(&rig->particles);
  rv_arena_free(rig->arena);
}

RvResult rv_rig_lookdev_liquid_add(RvLookdevLiquidRig* rig, RvVec3 at, RvError* error) {
  const RvLookdevLiquidModel* m = &rig->liquid.model;
  const double cell[3] = {at.x / m->dx, at.y / m->dx, at.z / m->dx};
  size_t i = rv_liquid_particles_add(&rig->particles, cell);
  if (i == SIZE_MAX) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rig->particles.volume[i] = m->spacing * m->spacing * m->spacing;
  rig->particles.id[i] = rig->next_id++;
  return RV_OK;
}

RvResult rv_rig_lookdev_liquid_fill(RvLookdevLiquidRig* rig, const double low[3], const double high[3], double jitter,
                                    RvError* error) {
  double s = rig->liquid.model.spacing;
  int count[3];
  for (int a = 0; a < 3; ++a) count[a] = (int)floor((high[a] - low[a]) / s + 0.5);
  RvResult result = RV_OK;
  for (int k = 0; k < count[2] && !result; ++k)
    for (int j = 0; j < count[1] && !result; ++j)
      for (int i = 0; i < count[0] && !result; ++i) {
        const double site[3] = {i + 0.5, j + 0.5, k + 0.5};
        double at[3];
        for (int a = 0; a < 3; ++a)
          at[a] = low[a] + s * (site[a] + jitter * (rv_random(12, (uint64_t)rig->next_id, (uint64_t)a, 0) - 0.5));
        result = rv_rig_lookdev_liquid_add(rig, rv_vec3_load64(at), error);
      }
  RvParticlesLost lost = {0};
  return result ? result : rv_liquid_particles_sort_by_id(&rig->particles, &lost, error);
}

RvVec3 rv_rig_lookdev_liquid_at(const RvLookdevLiquidRig* rig, size_t i) {
  double cell[3];
  rv_liquid_particles_place(&rig->particles, i, cell);
  return rv_scale(rv_vec3_load64(cell), rig->liquid.model.dx);
}

RvResult rv_rig_lookdev_liquid_frame(RvLookdevLiquidRig* rig, double seconds, int substeps, RvError* error) {
  RvResult result = RV_OK;
  RvParticlesLost lost = {0};
  for (int k = 0; k < substeps && !result; ++k)
    result = rv_lookdev_liquid_substep(&rig->liquid, seconds / substeps, error);
  return result ? result : rv_liquid_particles_sort_by_id(&rig->particles, &lost, error);
}
