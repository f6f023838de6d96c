// Hair with pores at fixed places, and position-based liquid around it, for the checks and benchmarks.
#ifndef RV_RIG_LOOKDEV_PORE_H
#define RV_RIG_LOOKDEV_PORE_H

#include "lookdev/pore.h"
#include "rig/lookdev_liquid.h"

typedef struct RvPoreRig {
  RvLookdevLiquidRig bulk;
  RvPores pores;
  RvPoreHair hair;
  size_t nstrand, points;               // points: of a strand
  double *x, *v, *mass, *area, *force;  // by point
} RvPoreRig;

// `side` x `side` vertical strands `apart` (m), of `points` points over `length` (m), that hang from y = 0; their
// masses are those of `hairs` hairs of 40 um radius.
RvResult rv_rig_pore_new(RvPoreRig* rig, const RvLookdevLiquidModel* liquid, const RvPoreModel* model, int side,
                         double apart, int points, double length, double hairs, RvError* error);
void rv_rig_pore_free(RvPoreRig* rig);
// A frame in equal substeps; the particles are sorted at its end.
RvResult rv_rig_pore_frame(RvPoreRig* rig, double seconds, int substeps, RvError* error);
// Liquid of particles, pores, and what dried, m3.
double rv_rig_pore_total(const RvPoreRig* rig);

#endif
