// Assigns elements to blocks: pairs of block key and element, sorted by key.
#include <math.h>
#include <string.h>

#include "space/sort.h"
#include "space/tiles.h"
#include "surface/parts.h"

enum { KEY_BITS = 63 };  // of a block's sort key

typedef struct Box {
  double lo[3], hi[3];
} Box;

// Extends a box by a ball.
static void grow(Box* box, const double x[3], double by) {
  for (int c = 0; c < 3; ++c) {
    box->lo[c] = fmin(box->lo[c], x[c] - by);
    box->hi[c] = fmax(box->hi[c], x[c] + by);
  }
}

void rv_surface_parts_box(const void* user, size_t e, double lo[3], double hi[3]) {
  const RvParts* p = user;
  Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  if (e < p->nblob) {
    const RvBlob* b = &p->blobs[e];
    for (int c = 0; c < 3; ++c) {
      double reach = fmax(b->reach[c], b->wide);
      box.lo[c] = b->x[c] - reach;
      box.hi[c] = b->x[c] + reach;
    }
  } else if (e < p->nblob + p->ntube) {
    const RvTube* t = &p->tubes[e - p->nblob];
    grow(&box, t->a, t->r[0]);
    grow(&box, t->b, t->r[1]);
  } else {
    const RvWeb* w = &p->webs[e - p->nblob - p->ntube];
    for (int k = 0; k < 2; ++k) {
      grow(&box, w->a[k], w->edge);
      grow(&box, w->b[k], w->edge);
    }
  }
  memcpy(lo, box.lo, sizeof box.lo);
  memcpy(hi, box.hi, sizeof box.hi);
}

// First and last block along each axis that an element may influence.
static void span_of(RvBoxFn* box, const void* user, size_t e, double lo[3], double hi[3]) {
  box(user, e, lo, hi);
  for (int c = 0; c < 3; ++c) {
    lo[c] = floor((lo[c] - RV_MARGIN) / RV_BLOCK);
    hi[c] = floor((hi[c] + RV_MARGIN) / RV_BLOCK);
  }
}

double rv_surface_pairs(size_t count, RvBoxFn* box, const void* user) {
  double sum = 0;
  for (size_t e = 0; e < count; ++e) {
    double lo[3], hi[3], blocks = 1;
    span_of(box, user, e, lo, hi);
    for (int c = 0; c < 3; ++c) {
      if (!(lo[c] >= -RV_TILE_RANGE && hi[c] < RV_TILE_RANGE)) return INFINITY;
      blocks *= hi[c] - lo[c] + 1;
    }
    sum += blocks;
  }
  return sum;
}

// Writes all pairs; returns their number.
static size_t list_pairs(size_t n, RvBoxFn* box, const void* user, uint64_t* keys, uint32_t* element) {
  size_t count = 0;
  for (size_t e = 0; e < n; ++e) {
    double lo[3], hi[3];
    span_of(box, user, e, lo, hi);
    for (int32_t x = (int32_t)lo[0]; x <= (int32_t)hi[0]; ++x)
      for (int32_t y = (int32_t)lo[1]; y <= (int32_t)hi[1]; ++y)
        for (int32_t z = (int32_t)lo[2]; z <= (int32_t)hi[2]; ++z) {
          keys[count] = rv_tile_key(x, y, z);
          element[count++] = (uint32_t)e;
        }
  }
  return count;
}

// Lists the blocks of the sorted pairs; false: out of memory.
static bool list_blocks(RvBlockList* out, const uint64_t* keys, size_t pairs) {
  for (size_t i = 0; i < pairs; ++i) out->count += i == 0 || keys[i] != keys[i - 1];
  out->at = rv_alloc(out->count + 1, sizeof *out->at);
  out->first = rv_alloc(out->count + 1, sizeof *out->first);
  if (!out->at || !out->first) return false;
  size_t b = 0;
  for (size_t i = 0; i < pairs; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) {
      out->first[b] = i;
      rv_tile_from_key(keys[i], out->at[b++]);
    }
  out->first[out->count] = pairs;
  return true;
}

RvResult rv_surface_bins(size_t count, RvBoxFn* box, const void* user, RvBlockList* out, RvError* error) {
  *out = (RvBlockList){0};
  double pairs = rv_surface_pairs(count, box, user);
  if (!(pairs < UINT32_MAX) || count >= UINT32_MAX)
    return rv_fail(error, RV_LIMIT,
                   "the liquid is spread over too many voxels: raise voxelsize, or check for stray particles");
  size_t n = (size_t)pairs;
  uint64_t *keys = rv_alloc(n + 1, 8), *spare = rv_alloc(n + 1, 8);
  uint32_t* spare_element = rv_alloc(n + 1, 4);
  out->element = rv_alloc(n + 1, 4);
  bool good = keys && spare && spare_element && out->element;
  if (good) n = list_pairs(count, box, user, keys, out->element);
  // The sort is stable, so elements stay in order within a block.
  if (good) rv_sort_keys(keys, out->element, spare, spare_element, n, KEY_BITS);
  good = good && list_blocks(out, keys, n);
  rv_free(keys);
  rv_free(spare);
  rv_free(spare_element);
  if (good) return RV_OK;
  rv_surface_bins_free(out);
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the blocks of the surface: raise voxelsize");
}

void rv_surface_bins_free(RvBlockList* list) {
  rv_free(list->at);
  rv_free(list->first);
  rv_free(list->element);
  *list = (RvBlockList){0};
}
