// What every solver node shares: units and time of a cook, names of its ports, attributes of an input by point, and the
// passage of parameters that are keyed.
#ifndef RV_NODE_SOLVER_SOLVER_H
#define RV_NODE_SOLVER_SOLVER_H

#include "rivulet/node.h"

static inline double rv_cook_meters(const RvCook* cook) {
  return cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
}

// An input by its index; NULL: not wired, or the node has none (index below 0).
static inline const RvDetail* rv_solver_input(const RvCook* cook, int index) {
  return index >= 0 && (size_t)index < cook->ninput ? cook->input[index] : NULL;
}

// "input 3, the colliders": how messages name a port.
typedef struct RvPortName {
  char text[64];
} RvPortName;
RvPortName rv_solver_port(const RvCook* cook, int index);

// The input at a share of the frame, above 0 to 1. NULL where the host fails, as before a sequence of files begins; a
// cancel or a lack of memory is an error.
RvResult rv_solver_input_at(RvCook* cook, int index, double share, const RvDetail** out, RvError* error);

// A numeric attribute of points, else of primitives: `size` numbers or more. NULL in *point and *prim: there is none.
void rv_solver_find_attrib(const RvDetail* detail, const char* name, int size, const RvAttrib** point,
                           const RvAttrib** prim);

#endif
