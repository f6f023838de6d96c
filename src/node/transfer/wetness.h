// Shading attributes of wet hair: shared declarations of the node wetness.
#ifndef RV_NODE_TRANSFER_WETNESS_H
#define RV_NODE_TRANSFER_WETNESS_H

#include "rivulet/node.h"

//---------------------------------------------------------------------------------------------- wetness_attrib.c

// Operation on an attribute with an amount per point and component: multiply by it, or blend towards 1 by it.
typedef enum RvWetOp { RV_WET_MULTIPLY, RV_WET_TOWARDS } RvWetOp;

// A change of one attribute.
typedef struct RvWetChange {
  const char* name;  // of the attribute; "": none
  RvTag tag;         // of a new attribute
  int size;          // 1 or 3
  RvWetOp op;
  const double* amount;  // [points][size]
  double base[3];        // value of a new attribute
  const char* like;  // attribute whose double is the base instead; if it is missing too, nothing is made. NULL: unused
} RvWetChange;

// Changes vertex or point attributes in place; primitive and detail attributes are copied to points first. Where the
// amount is neutral (1 or 0) the value does not change by a bit. Attributes that are not floats are left alone, with a
// warning.
RvResult rv_wet_change(RvCook* cook, RvDetail* out, const RvWetChange* change, RvError* error);

//---------------------------------------------------------------------------------------------- wetness_clumps.c

// Number of strands, at least 1, in the clump of each point, by the integer point attribute `name`. rv_free the result;
// NULL without an error: there is no such attribute.
int32_t* rv_wet_clump_sizes(const RvDetail* detail, const char* name, RvError* error);

#endif
