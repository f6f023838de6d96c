// Bundles of parallel strands in the hair medium, for the checks.
#ifndef RV_RIG_CONTINUUM_H
#define RV_RIG_CONTINUUM_H

#include "continuum/solver.h"

typedef struct RvRigBundleDef {
  const double (*root)[2];  // [strands] x and z of the roots, m; strands run along -y
  size_t strands;
  int links;
  double length, radius, density, youngs, shear, viscosity;  // m, m, kg/m3, Pa, Pa, Pa s
  double hairs;                                              // that a strand stands for
} RvRigBundleDef;

// Without weight, drag and medium at first.
RvResult rv_rig_bundle_new(RvContinuum* c, const RvRigBundleDef* def, RvError* error);
// Mass of all strands, kg.
double rv_rig_bundle_mass(const RvContinuum* c);

#endif
