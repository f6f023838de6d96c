// Rigid motions: least-squares fit to points, interpolation over a step, and velocities.
#ifndef RV_MATH_RIGID_H
#define RV_MATH_RIGID_H

#include <stdbool.h>
#include <stddef.h>

#include "math/vec.h"

// The motion x -> to + turn (x - from).
typedef struct RvRigid {
  RvQuat turn;  // rotation
  RvVec3 from;  // centre before the motion
  RvVec3 to;    // centre after the motion
  double arc;   // path of the centre in between: 0 a straight line, 1 the screw motion about the axis of `turn`
} RvRigid;

// The rigid motion that best maps the points `before` (xyz each) to `after`, by least squares (Horn 1987). If the
// rotation is not unique, the smallest one. The centres are the means of the points. count 0: the identity.
RvRigid rv_rigid_fit(size_t count, const double* before, const double* after);
// Image of a point.
RvVec3 rv_rigid_apply(const RvRigid* rigid, RvVec3 x);
// The motion up to a fraction `share` of its time.
RvRigid rv_rigid_share(const RvRigid* rigid, double share);
// Derivative by the fraction of time, at the start or the end of the motion: velocity of the centre and angular
// velocity.
void rv_rigid_slope(const RvRigid* rigid, bool end, RvVec3* centre, RvVec3* turning);
// Sets `arc` so that the velocity of the centre at the start agrees best with `before`, that of the previous motion
// (per motion): a head nods about its neck, a rolling wheel moves straight.
void rv_rigid_lean(RvRigid* rigid, RvVec3 before);
// Velocity of the centre, angular velocity and final centre (xyz each) of a motion that takes `dt` seconds.
void rv_rigid_rates(const RvRigid* rigid, double dt, double carry[9]);
// Angular velocity that turns pose a into pose b in dt, the shorter way round.
RvVec3 rv_rigid_turning(const RvRigid* a, const RvRigid* b, double dt);

#endif
