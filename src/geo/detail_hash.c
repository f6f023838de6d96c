// Content hash of a detail. Attributes and groups are hashed in the order of their names, so that two details with the
// same content have the same hash whatever the order of adding. Only the hash of a grid needs memory.
#include <string.h>

#include "base/hash.h"
#include "geo/detail.h"
#include "geo/detail_hash.h"
#include "geo/prim_vdb.h"

enum { CHUNK = 512 };  // string hashes passed to the hasher in one call

// The attribute of an owner whose name follows `name` in the order of names (NULL: the first one); NULL after the last.
// Searching instead of sorting needs no memory, and owners have few attributes.
static const RvAttrib* next_attrib(const RvDetail* detail, int owner, const char* name) {
  const RvAttrib* next = NULL;
  for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
    const RvAttrib* attrib = detail->attribs[owner].data[i];
    bool after = !name || strcmp(attrib->name, name) > 0;
    if (after && (!next || strcmp(attrib->name, next->name) < 0)) next = attrib;
  }
  return next;
}

// The same for groups.
static const RvGroup* next_group(const RvDetail* detail, int owner, const char* name) {
  const RvGroup* next = NULL;
  for (size_t i = 0; i < detail->groups[owner].count; ++i) {
    const RvGroup* group = detail->groups[owner].data[i];
    bool after = !name || strcmp(group->name, name) > 0;
    if (after && (!next || strcmp(group->name, next->name) < 0)) next = group;
  }
  return next;
}

// Adds strings by their content, not by their index, as two equal attributes may have different tables. Each string of
// the table is hashed once; without memory for that, each element is hashed anew.
static void add_strings(RvHasher* hasher, const RvAttrib* attrib, const int32_t* index, size_t count) {
  size_t table_size = rv_attrib_string_count(attrib);
  uint64_t* table_hash = rv_alloc(table_size, sizeof *table_hash);
  for (size_t i = 0; table_hash && i < table_size; ++i)
    table_hash[i] = rv_hash(attrib->strings->texts.data[i], strlen(attrib->strings->texts.data[i]), 0);
  uint64_t empty = rv_hash("", 0, 0);
  uint64_t chunk[CHUNK];
  // Hashes of the elements, a chunk at a time.
  for (size_t i = 0; i < count;) {
    size_t n = 0;
    for (; n < CHUNK && i < count; ++n, ++i) {
      const char* text = table_hash ? NULL : rv_attrib_string_at(attrib, index[i]);
      chunk[n] = index[i] < 0 ? empty : table_hash ? table_hash[index[i]] : rv_hash(text, strlen(text), 0);
    }
    rv_hasher_add(hasher, chunk, n * sizeof *chunk);
  }
  rv_free(table_hash);
}

// The values of numbers enter by the hash of their buffer, which is cached while it is shared.
void rv_hash_attrib(RvHasher* hasher, const RvAttrib* attrib) {
  rv_hasher_add_string(hasher, attrib->name);
  uint64_t form[5] = {attrib->owner, attrib->storage, (uint64_t)attrib->size, attrib->tag, attrib->count};
  rv_hasher_add(hasher, form, sizeof form);
  if (attrib->storage == RV_STRING) {
    add_strings(hasher, attrib, attrib->default_tuple, (size_t)attrib->size);
    add_strings(hasher, attrib, attrib->values->data, attrib->count * (size_t)attrib->size);
  } else {
    rv_hasher_add(hasher, attrib->default_tuple, attrib->stride);
    rv_hasher_add_u64(hasher, rv_buffer_hash(attrib->values));
  }
}

// Adds all attributes of an owner in the order of their names.
static void add_attribs(RvHasher* hasher, const RvDetail* detail, int owner) {
  rv_hasher_add_u64(hasher, detail->attribs[owner].count);
  for (const RvAttrib* a = next_attrib(detail, owner, NULL); a; a = next_attrib(detail, owner, a->name))
    rv_hash_attrib(hasher, a);
}

// Adds all groups of an owner in the order of their names.
static void add_groups(RvHasher* hasher, const RvDetail* detail, int owner) {
  rv_hasher_add_u64(hasher, detail->groups[owner].count);
  for (const RvGroup* g = next_group(detail, owner, NULL); g; g = next_group(detail, owner, g->name)) {
    rv_hasher_add_string(hasher, g->name);
    rv_hasher_add_u64(hasher, rv_buffer_hash(g->values));
  }
}

bool rv_hash_topology(RvHasher* hasher, const RvDetail* detail) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) rv_hasher_add_u64(hasher, detail->count[owner]);
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->prim_type));
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->prim_start));
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->vertex_point));
  // Grids by their content.
  for (size_t i = 0; i < detail->grids.count; ++i) {
    rv_hasher_add_u64(hasher, (uint64_t)detail->grids.data[i].prim);
    uint64_t grid = rv_prim_grid_hash(detail->grids.data[i].grid);
    if (!grid) return false;
    rv_hasher_add_u64(hasher, grid);
  }
  return true;
}

uint64_t rv_detail_hash(const RvDetail* detail) {
  RvHasher hasher = rv_hasher_new(1);
  if (!rv_hash_topology(&hasher, detail)) return 0;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    add_attribs(&hasher, detail, owner);
    add_groups(&hasher, detail, owner);
  }
  uint64_t hash = rv_hasher_done(&hasher);
  return hash ? hash : 1;
}
