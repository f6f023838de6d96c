// Number of strands in each clump, by a hash table of clump ids.
#include "base/memory.h"
#include "node/transfer/wetness.h"

enum { LEAST_SLOTS = 16, HASH_SHIFT = 20 };  // smallest table; discards the low, less mixed bits

static const uint64_t GOLDEN_RATIO = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio: multiplicative hashing

// An entry of the hash table with open addressing.
typedef struct Clump {
  int64_t id;
  int32_t strands;  // 0: free entry
  int32_t last;     // strand that was counted last
} Clump;

// Entry of an id, or the free one where it belongs.
static size_t slot_of(const Clump* table, size_t mask, int64_t id) {
  size_t at = (size_t)((uint64_t)id * GOLDEN_RATIO >> HASH_SHIFT) & mask;
  while (table[at].strands && table[at].id != id) at = (at + 1) & mask;
  return at;
}

// Clump id of an element in the storage of the attribute.
static int64_t id_at(const RvAttrib* a, size_t point) {
  if (rv_attrib_storage(a) == RV_I32) return ((const int32_t*)rv_attrib_read(a))[point];
  return rv_attrib_storage(a) == RV_I64 ? ((const int64_t*)rv_attrib_read(a))[point]
                                        : ((const int8_t*)rv_attrib_read(a))[point];
}

int32_t* rv_wet_clump_sizes(const RvDetail* d, const char* name, RvError* error) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  if (!a || (rv_attrib_storage(a) != RV_I32 && rv_attrib_storage(a) != RV_I64 && rv_attrib_storage(a) != RV_I8))
    return NULL;
  size_t npoint = rv_detail_count(d, RV_POINT);
  size_t nprim = rv_detail_count(d, RV_PRIM);
  size_t slots = LEAST_SLOTS;
  size_t size = (size_t)rv_attrib_size(a);
  while (slots < 2 * npoint) slots *= 2;
  int32_t* out = rv_alloc(npoint, sizeof *out);
  Clump* table = rv_alloc_zero(slots, sizeof *table);
  if (!out || !table) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for the clumps of %zu points", npoint);
    rv_free(out);
    rv_free(table);
    return NULL;
  }
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  // Count each strand once per clump; its points follow each other.
  for (size_t i = 0; i < nprim; ++i)
    for (int32_t v = start[i]; v < start[i + 1]; ++v) {
      Clump* c = &table[slot_of(table, slots - 1, id_at(a, (size_t)point[v] * size))];
      if (c->strands && c->last == (int32_t)i) continue;
      c->id = id_at(a, (size_t)point[v] * size);
      c->last = (int32_t)i;
      c->strands++;
    }
  // Loose points and clumps of one strand have size 1.
  for (size_t i = 0; i < npoint; ++i) {
    int32_t n = table[slot_of(table, slots - 1, id_at(a, i * size))].strands;
    out[i] = n > 1 ? n : 1;
  }
  rv_free(table);
  return out;
}
