// Position of points along their curve: the attribute curveu, or the arc length where it is missing.
#ifndef RV_NODE_GROOM_CURVEU_H
#define RV_NODE_GROOM_CURVEU_H

#include "rivulet/geo.h"

// 0 at the first point of a curve, 1 at its last, by arc length, or the value of the attribute. Points that belong to
// no curve get 0. rv_free the result; NULL with an error.
float* rv_curveu(const RvDetail* detail, RvError* error);

#endif
