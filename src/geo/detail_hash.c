// The hash of a detail. Names are taken in their own order, so that the order of adding does not count.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "geo/detail.h"
#include "geo/detail_hash.h"
#include "geo/prim_vdb.h"

enum { CHUNK = 512 };

static int by_attrib_name(const void* a, const void* b) {
  return strcmp((*(const RvAttrib* const*)a)->name, (*(const RvAttrib* const*)b)->name);
}

static int by_group_name(const void* a, const void* b) {
  return strcmp((*(const RvGroup* const*)a)->name, (*(const RvGroup* const*)b)->name);
}

// texts count by what they say, not by where they stand in the table
static void add_texts(RvHasher* hasher, const RvAttrib* attrib, const int32_t* index, size_t count) {
  size_t texts = rv_attrib_string_count(attrib);
  uint64_t* each = rv_alloc(texts, sizeof *each);
  for (size_t i = 0; each && i < texts; ++i)
    each[i] = rv_hash(attrib->strings->texts.data[i], strlen(attrib->strings->texts.data[i]), 0);
  uint64_t empty = rv_hash("", 0, 0), chunk[CHUNK];
  for (size_t i = 0; i < count;) {
    size_t n = 0;
    for (; n < CHUNK && i < count; ++n, ++i) {
      const char* text = each ? NULL : rv_attrib_string_at(attrib, index[i]);
      chunk[n] = index[i] < 0 ? empty : each ? each[index[i]] : rv_hash(text, strlen(text), 0);
    }
    rv_hasher_add(hasher, chunk, n * sizeof *chunk);
  }
  rv_free(each);
}

void rv_hash_attrib(RvHasher* hasher, const RvAttrib* attrib) {
  rv_hasher_add_string(hasher, attrib->name);
  uint64_t form[5] = {attrib->owner, attrib->storage, (uint64_t)attrib->size, attrib->tag, attrib->count};
  rv_hasher_add(hasher, form, sizeof form);
  if (attrib->storage == RV_STRING) {
    add_texts(hasher, attrib, attrib->standard, (size_t)attrib->size);
    add_texts(hasher, attrib, attrib->values->data, attrib->count * (size_t)attrib->size);
  } else {
    rv_hasher_add(hasher, attrib->standard, attrib->stride);
    rv_hasher_add_u64(hasher, rv_buffer_hash(attrib->values));
  }
}

static void add_attribs(RvHasher* hasher, const RvDetail* detail, int owner) {
  size_t count = detail->attribs[owner].count;
  rv_hasher_add_u64(hasher, count);
  const RvAttrib** sorted = rv_alloc(count, sizeof *sorted);
  if (sorted && count) {
    memcpy(sorted, detail->attribs[owner].data, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_attrib_name);
  }
  for (size_t i = 0; sorted && i < count; ++i) rv_hash_attrib(hasher, sorted[i]);
  rv_free(sorted);
}

static void add_groups(RvHasher* hasher, const RvDetail* detail, int owner) {
  size_t count = detail->groups[owner].count;
  rv_hasher_add_u64(hasher, count);
  const RvGroup** sorted = rv_alloc(count, sizeof *sorted);
  if (sorted && count) {
    memcpy(sorted, detail->groups[owner].data, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_group_name);
  }
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
