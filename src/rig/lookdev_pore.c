// The rig of pores; see lookdev_pore.h.
#include "rig/lookdev_pore.h"

#include "base/memory.h"
#include "math/scalar.h"

#define HAIR_RADIUS 4e-5     // m
#define HAIR_DENSITY 1320.0  // kg/m3

// Places and masses of the strands.
static void hang(RvPoreRig* rig, int side, double apart, double length, double hairs) {
  double edge = length / (double)(rig->points - 1);
  double mass = hairs * RV_PI * HAIR_RADIUS * HAIR_RADIUS * HAIR_DENSITY * edge;
  for (size_t s = 0; s < rig->nstrand; ++s)
    for (size_t i = 0; i < rig->points; ++i) {
      size_t at = s * rig->points + i;
      double column = (double)(s % (size_t)side) - 0.5 * (side - 1);
      double row = (double)(s / (size_t)side) - 0.5 * (side - 1);
      rig->x[3 * at] = apart * column;
      rig->x[3 * at + 1] = -edge * (double)i;
      rig->x[3 * at + 2] = apart * row;
      rig->mass[at] = mass;
      rig->area[at] = hairs * 2 * RV_PI * HAIR_RADIUS * edge;
    }
}

RvResult rv_rig_pore_new(RvPoreRig* rig, const RvLookdevLiquidModel* liquid, const RvPoreModel* model, int side,
                         double apart, int points, double length, double hairs, RvError* error) {
  *rig = (RvPoreRig){.nstrand = (size_t)(side * side), .points = (size_t)points};
  size_t count = rig->nstrand * rig->points;
  rig->x = rv_alloc_zero(3 * count, sizeof(double));
  rig->v = rv_alloc_zero(3 * count, sizeof(double));
  rig->mass = rv_alloc_zero(count, sizeof(double));
  rig->area = rv_alloc_zero(count, sizeof(double));
  rig->force = rv_alloc_zero(3 * count, sizeof(double));
  uint32_t* first = rv_alloc(rig->nstrand + 1, sizeof *first);
  RvResult result = rv_rig_lookdev_liquid_new(&rig->bulk, liquid, error);
  if (!result && (!rig->x || !rig->v || !rig->mass || !rig->area || !rig->force || !first))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t s = 0; s <= rig->nstrand && !result; ++s) first[s] = (uint32_t)(s * rig->points);
  if (!result) result = rv_pores_init(&rig->pores, model, rig->nstrand, first, error);
  rv_free(first);
  if (result) {
    rv_rig_pore_free(rig);
    return result;
  }
  hang(rig, side, apart, length, hairs);
  rig->hair = (RvPoreHair){rig->x, rig->v, rig->mass, rig->area, rig->force};
  return RV_OK;
}

void rv_rig_pore_free(RvPoreRig* rig) {
  rv_rig_lookdev_liquid_free(&rig->bulk);
  rv_pores_free(&rig->pores);
  RV_FREE_ALL(rig->x, rig->v, rig->mass, rig->area, rig->force);
}

RvResult rv_rig_pore_frame(RvPoreRig* rig, double seconds, int substeps, RvError* error) {
  RvResult result = RV_OK;
  RvParticlesLost lost = {0};
  rig->pores.known_space = false;
  for (int k = 0; k < substeps && !result; ++k)
    result =
        rv_pores_substep(&rig->pores, &rig->hair, &rig->bulk.liquid, seconds / substeps, &rig->bulk.next_id, error);
  return result ? result : rv_liquid_particles_sort_by_id(&rig->bulk.particles, &lost, error);
}

double rv_rig_pore_total(const RvPoreRig* rig) {
  RvSum sum = {0, 0};
  for (size_t i = 0; i < rig->bulk.particles.count; ++i) rv_sum_add(&sum, rig->bulk.particles.volume[i]);
  for (size_t k = 0; k < rig->pores.count; ++k) rv_sum_add(&sum, rig->pores.held[k]);
  rv_sum_add(&sum, rig->pores.evaporated);
  return rv_sum_total(&sum);
}
