// Parts of a detail's hash, for hashes of less than all of it.
#ifndef RV_GEO_DETAIL_HASH_H
#define RV_GEO_DETAIL_HASH_H

#include "base/hash.h"
#include "rivulet/geo.h"

// Counts, primitive types, vertices and grids.
void rv_hash_topology(RvHasher* hasher, const RvDetail* detail);
// Name, form, default and values.
void rv_hash_attrib(RvHasher* hasher, const RvAttrib* attrib);

#endif
