// Where along its curve a point lies: the attribute curveu, or worked out where it is missing.
#ifndef RV_NODE_GROOM_CURVEU_H
#define RV_NODE_GROOM_CURVEU_H

#include "rivulet/geo.h"

// 0 at a curve's first point, 1 at its last, by arc length; the attribute's value where there is one. Points of no open
// curve get 0. rv_free the result; NULL with `error` filled.
float* rv_curveu(const RvDetail* detail, RvError* error);

#endif
