// The order in which strands are taken into batches of lanes, so that a batch has strands of equal vertex count whose
// roots are near each other.
#ifndef RV_STRAND_ORDER_H
#define RV_STRAND_ORDER_H

#include "strand/strand.h"

// What strands are sorted by: vertex count, Morton code of the root, id.
typedef struct RvStrandKey {
  uint64_t morton;
  int64_t id;
  int32_t strand, vertices;
} RvStrandKey;

// Sorted keys of all strands, freed by rv_free. NULL: out of memory.
RvStrandKey* rv_strand_order(const RvStrandDef* strands, size_t count);

#endif
