// Wet hair as a shader sees it: what the files of the node wetness share.
#ifndef RV_NODE_TRANSFER_WETNESS_H
#define RV_NODE_TRANSFER_WETNESS_H

#include "rivulet/node.h"

//---------------------------------------------------------------------------------------------- wetness_attrib.c

// What is done to an attribute, a number a point and component: multiplied, or brought towards 1 by that share.
typedef enum RvWetOp { RV_WET_MULTIPLY, RV_WET_TOWARDS } RvWetOp;

typedef struct RvWetChange {
  const char* name;  // "": nothing is done
  RvTag tag;         // of an attribute that is made anew
  int size;          // 1 or 3
  RvWetOp op;
  const double* amount;  // [points][size]
  double base[3];        // of an attribute that is made anew; with
  const char* like;      // NULL, or an attribute whose double is the base; without it nothing is made
} RvWetChange;

// Changes vertex or point values in place; those of primitives and of the whole are made point values first, and stay
// as they were. Where the amount is neutral (1, 0) not a bit changes. What is no float is left alone, with a warning.
RvResult rv_wet_change(RvCook* cook, RvDetail* out, const RvWetChange* change, RvError* error);

//---------------------------------------------------------------------------------------------- wetness_clumps.c

// Number of strands in the clump of each point, at least 1, by the integer point attribute `name`. rv_free the result;
// NULL with no error: there is no such attribute.
int32_t* rv_wet_clump_sizes(const RvDetail* detail, const char* name, RvError* error);

#endif
