// Random strands in a box of liquid, for the checks of the exchange between film and bulk.
#ifndef RV_CHECK_RANDOM_STRANDS_H
#define RV_CHECK_RANDOM_STRANDS_H

#include "rig/couple.h"
#include "rig/liquid.h"

enum { RV_CHECK_RANDOM_VERTICES = 12 };  // of a strand

// Strands with film and velocities among jittered particles with velocities, in cells of dx metres, without gravity.
RvResult rv_check_random_scene(RvCoupleRig* rig, RvLiquidRig* bulk, double dx, RvError* error);
// Removes the film of spare lanes, which are no strands.
void rv_check_clear_spare(RvCoupleRig* rig);
RvVec3 rv_check_bulk_momentum(const RvLiquidRig* bulk);
// Size of a vector relative to another's.
double rv_check_relative_size(RvVec3 error, RvVec3 scale);

#endif
