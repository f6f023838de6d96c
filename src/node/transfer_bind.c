#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "node/nearest.h"
#include "node/transfer.h"

typedef struct Binding {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvVec3* roots;
  RvNearest tree;
} Binding;

static RvVec3 guide_root(const RvTransferGuides* g, size_t guide) {
  return rv_vec3_load64(g->samples[g->first[guide]].rest);
}

static double distance2(const void* arg, size_t item, RvVec3 p) {
  RvVec3 d = rv_sub(guide_root(arg, item), p);
  return rv_dot(d, d);
}

// Weights that fall to 0 where a guide would leave the list (R. Franke and G. Nielson 1980: ((D - d) / (D d))^2), so
// that neighbouring hairs move alike; a hair that is rooted where a guide is follows that one alone.
static void weigh(const double* squares, size_t count, size_t most, double* weight) {
  double sum = 0, d0 = sqrt(squares[0]);
  double limit = count > most ? sqrt(squares[most]) : INFINITY;
  size_t n = count < most ? count : most;
  for (size_t j = 0; j < n; ++j) {
    double d = sqrt(squares[j]), fall = isfinite(limit) && limit > 0 ? fmax(limit - d, 0) / limit : 1;
    // relative to the nearest, so that nothing grows beyond bounds
    double near = d > 0 ? d0 / d : 1;
    weight[j] = fall * fall * near * near;
    sum += weight[j];
  }
  for (size_t j = 0; j < n; ++j) weight[j] = sum > 0 ? weight[j] / sum : 1.0 / (double)n;
}

static void bind_hairs(void* arg, size_t begin, size_t end) {
  const Binding* b = arg;
  size_t most = (size_t)b->bind->most, items[RV_TRANSFER_MOST + 1];
  double squares[RV_TRANSFER_MOST + 1];
  for (size_t i = begin; i < end; ++i) {
    int32_t* guide = b->bind->guide + i * most;
    double* weight = b->bind->weight + i * most;
    size_t n = rv_nearest_many(&b->tree, b->roots[i], most + 1, distance2, b->guides, items, squares);
    for (size_t j = 0; j < most; ++j) guide[j] = j < n ? (int32_t)items[j] : -1, weight[j] = 0;
    weigh(squares, n, most, weight);
    // those without weight are not looked at
    for (size_t j = 0; j < most; ++j)
      if (weight[j] == 0) guide[j] = -1;
  }
}

static void bind_guides(void* arg, size_t begin, size_t end) {
  const Binding* b = arg;
  size_t items[RV_TRANSFER_NEAR + 1];
  double squares[RV_TRANSFER_NEAR + 1];
  for (size_t i = begin; i < end; ++i) {
    RvVec3 p = guide_root(b->guides, i);
    size_t n = rv_nearest_many(&b->tree, p, RV_TRANSFER_NEAR + 1, distance2, b->guides, items, squares), k = 0;
    int32_t* near = b->bind->near + i * RV_TRANSFER_NEAR;
    for (size_t j = 0; j < n && k < RV_TRANSFER_NEAR; ++j)
      if (items[j] != i) near[k++] = (int32_t)items[j];
    while (k < RV_TRANSFER_NEAR) near[k++] = -1;
  }
}

static uint64_t make_key(const RvTransferGuides* guides, size_t hairs, const RvVec3* roots, int most) {
  RvHasher h = rv_hasher_new(0x7472);
  rv_hasher_add_u64(&h, (uint64_t)most), rv_hasher_add_u64(&h, hairs), rv_hasher_add_u64(&h, guides->count);
  rv_hasher_add(&h, roots, hairs * sizeof *roots);
  for (size_t i = 0; i < guides->count; ++i) {
    RvVec3 p = guide_root(guides, i);
    rv_hasher_add(&h, &p, sizeof p);
  }
  return rv_hasher_done(&h);
}

void rv_transfer_bind_free(void* memory) {
  RvTransferBind* bind = memory;
  if (!bind) return;
  rv_free(bind->guide), rv_free(bind->weight), rv_free(bind->near);
  rv_free(bind);
}

static RvResult make_bind(const RvTransferGuides* guides, size_t hairs, const RvVec3* roots, RvTransferBind* bind,
                          RvError* error) {
  size_t most = (size_t)bind->most;
  bind->hairs = hairs;
  bind->guide = rv_alloc(hairs * most, sizeof *bind->guide);
  bind->weight = rv_alloc(hairs * most, sizeof *bind->weight);
  bind->near = rv_alloc(guides->count * RV_TRANSFER_NEAR, sizeof *bind->near);
  float* boxes = rv_alloc(guides->count, 6 * sizeof *boxes);
  Binding b = {bind, guides, roots, {0}};
  RvResult result = RV_OK;
  if (!bind->guide || !bind->weight || !bind->near || !boxes)
    result = rv_fail(error, RV_NO_MEMORY, "no memory to bind %zu hairs", hairs);
  for (size_t i = 0; result == RV_OK && i < guides->count; ++i)
    for (int c = 0; c < 2; ++c) rv_vec3_store(boxes + 6 * i + 3 * c, guide_root(guides, i));
  if (result == RV_OK) result = rv_nearest_init(&b.tree, guides->count, boxes, error);
  if (result == RV_OK) {
    rv_parallel_for(guides->count, 64, bind_guides, &b);
    rv_parallel_for(hairs, 256, bind_hairs, &b);
  }
  rv_nearest_free(&b.tree);
  rv_free(boxes);
  return result;
}

RvResult rv_transfer_bind(const RvTransferGuides* guides, size_t hairs, const RvVec3* roots, int most, void** cache,
                          RvTransferBind** out, RvError* error) {
  uint64_t key = make_key(guides, hairs, roots, most);
  RvTransferBind* old = cache ? *cache : NULL;
  if (old && old->key == key) {
    *out = old;
    return RV_OK;
  }
  RvTransferBind* bind = rv_alloc_zero(1, sizeof *bind);
  if (!bind) return rv_fail(error, RV_NO_MEMORY, "no memory to bind %zu hairs", hairs);
  bind->key = key, bind->most = most;
  RvResult result = make_bind(guides, hairs, roots, bind, error);
  if (result) {
    rv_transfer_bind_free(bind);
    return result;
  }
  if (cache) {
    rv_transfer_bind_free(old);
    *cache = bind;
  }
  *out = bind;
  return RV_OK;
}
