// Parts of a detail's hash, for hashes over a selection of its content (the state hash).
#ifndef RV_GEO_DETAIL_HASH_H
#define RV_GEO_DETAIL_HASH_H

#include "base/hash.h"
#include "rivulet/geo.h"

// Adds the element counts, primitive types, vertices and grids. False: out of memory for the hash of a grid.
bool rv_hash_topology(RvHasher* hasher, const RvDetail* detail);
// Adds one attribute: name, owner, storage, size, tag, count, default and values. Strings count by content. It cannot
// fail.
void rv_hash_attrib(RvHasher* hasher, const RvAttrib* attrib);

#endif
