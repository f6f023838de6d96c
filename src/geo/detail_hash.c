// Content hash of a detail. Attributes and groups are hashed in the order of their names, so that two details with the
// same content have the same hash whatever the order of adding.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "geo/detail.h"
#include "geo/detail_hash.h"
#include "geo/prim_vdb.h"

enum { CHUNK = 512 };  // string hashes passed to the hasher in one call

// qsort order of attributes by name.
static int by_attrib_name(const void* a, const void* b) {
  return strcmp((*(const RvAttrib* const*)a)->name, (*(const RvAttrib* const*)b)->name);
}

// qsort order of groups by name.
static int by_group_name(const void* a, const void* b) {
  return strcmp((*(const RvGroup* const*)a)->name, (*(const RvGroup* const*)b)->name);
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

// The items of a list in an order, in memory that the caller frees; NULL: there is none, or no memory.
static void* sorted_items(const void* items, size_t count, size_t size, int (*order)(const void*, const void*)) {
  void* sorted = count ? rv_alloc(count, size) : NULL;
  if (!sorted) return NULL;
  memcpy(sorted, items, count * size);
  qsort(sorted, count, size, order);
  return sorted;
}

// Adds all attributes of an owner in the order of their names.
static void add_attribs(RvHasher* hasher, const RvDetail* detail, int owner) {
  size_t count = detail->attribs[owner].count;
  rv_hasher_add_u64(hasher, count);
  const RvAttrib** sorted = sorted_items(detail->attribs[owner].data, count, sizeof *sorted, by_attrib_name);
  for (size_t i = 0; sorted && i < count; ++i) rv_hash_attrib(hasher, sorted[i]);
  rv_free(sorted);
}

// Adds all groups of an owner in the order of their names.
static void add_groups(RvHasher* hasher, const RvDetail* detail, int owner) {
  size_t count = detail->groups[owner].count;
  rv_hasher_add_u64(hasher, count);
  const RvGroup** sorted = sorted_items(detail->groups[owner].data, count, sizeof *sorted, by_group_name);
  for (size_t i = 0; sorted && i < count; ++i) {
    rv_hasher_add_string(hasher, sorted[i]->name);
    rv_hasher_add_u64(hasher, rv_buffer_hash(sorted[i]->values));
  }
  rv_free(sorted);
}

void rv_hash_topology(RvHasher* hasher, const RvDetail* detail) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) rv_hasher_add_u64(hasher, detail->count[owner]);
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->prim_type));
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->prim_start));
  rv_hasher_add_u64(hasher, rv_buffer_hash(detail->vertex_point));
  // Grids by their content.
  for (size_t i = 0; i < detail->grids.count; ++i) {
    rv_hasher_add_u64(hasher, (uint64_t)detail->grids.data[i].prim);
    rv_hasher_add_u64(hasher, rv_prim_grid_hash(detail->grids.data[i].grid));
  }
}

uint64_t rv_detail_hash(const RvDetail* detail) {
  RvHasher hasher = rv_hasher_new(1);
  rv_hash_topology(&hasher, detail);
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    add_attribs(&hasher, detail, owner);
    add_groups(&hasher, detail, owner);
  }
  return rv_hasher_done(&hasher);
}
