// Rigid motions: fitted to points, shared out over a step, and their rates.
#ifndef RV_MATH_RIGID_H
#define RV_MATH_RIGID_H

#include <stdbool.h>
#include <stddef.h>

#include "math/vec.h"

// x -> to + turn (x - from)
typedef struct RvRigid {
  RvQuat turn;
  RvVec3 from, to;
  double arc;  // how the centre goes from one to the other: 0 straight, 1 about the axis of the whole motion
} RvRigid;

// The rigid motion nearest to that of `count` points (Horn 1987, least squares; of many equal ones the smallest turn).
RvRigid rv_rigid_fit(size_t count, const double* before, const double* after);
RvVec3 rv_rigid_apply(const RvRigid* rigid, RvVec3 x);
// A share of the motion: the turn and the way of its centre.
RvRigid rv_rigid_share(const RvRigid* rigid, double share);
// The velocity at the start or the end of the motion, in ways a motion: of its centre, and the turning.
void rv_rigid_slope(const RvRigid* rigid, bool end, RvVec3* centre, RvVec3* turning);
// Chooses the arc by the velocity that the centre had before: a head nods about its neck, a wheel rolls straight on.
void rv_rigid_lean(RvRigid* rigid, RvVec3 before);
// Velocity of the centre, angular velocity and centre of a motion that takes dt.
void rv_rigid_rates(const RvRigid* rigid, double dt, double carry[9]);
// Angular velocity that turns pose a into pose b in dt, the shorter way round.
RvVec3 rv_rigid_turning(const RvRigid* a, const RvRigid* b, double dt);

#endif
