// Binds hairs to guides: nearest roots, weights, similarity of curls, and the neighbours of each guide.
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/nearest.h"
#include "node/transfer/transfer.h"

// Working set.
typedef struct Binding {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
  double window, apart;  // smoothing length; distance of curls of half similarity
  bool* failed;          // [chunks of hairs] out of memory
  RvNearest tree;        // of the guides' roots
} Binding;

enum {
  GRAIN = 256,           // hairs or guides a task
  SCRATCH_A_POINT = 10,  // numbers of scratch memory a vertex: arc length, points, line, its integral
  KEY_SEED = 0x7472      // "tr"
};

// Root of a guide at rest.
static RvVec3 guide_root(const RvTransferGuides* g, size_t guide) {
  return rv_vec3_load64(g->rest + 3 * (size_t)g->first[guide]);
}

// Squared distance of a guide's root, for the search tree.
static double distance2(const void* arg, size_t item, RvVec3 p) {
  RvVec3 d = rv_sub(guide_root(arg, item), p);
  return rv_dot(d, d);
}

// Inverse-distance weights that fall to 0 where a guide leaves the list (R. Franke and G. Nielson 1980:
// ((D - d) / (D d))^2), so that the motion is continuous from hair to hair. A hair rooted at a guide follows that guide
// alone.
static void weigh(const double* squares, size_t count, size_t max_guides, double* weight) {
  double sum = 0, d0 = sqrt(squares[0]);
  double limit = count > max_guides ? sqrt(squares[max_guides]) : INFINITY;
  size_t n = count < max_guides ? count : max_guides;
  for (size_t j = 0; j < n; ++j) {
    double d = sqrt(squares[j]);
    double fall = isfinite(limit) && limit > 0 ? fmax(limit - d, 0) / limit : 1;
    // Relative to the nearest distance, so that weights stay finite.
    double near = d > 0 ? d0 / d : 1;
    weight[j] = fall * fall * near * near;
    sum += weight[j];
  }
  for (size_t j = 0; j < n; ++j) weight[j] = sum > 0 ? weight[j] / sum : 1.0 / (double)n;
}

// Curl of a hair: arc lengths of its points, and the vectors from its smoothed line to them.
static void curl_of(const Binding* b, size_t hair, size_t n, double* scratch, double** along, double** curl) {
  const RvTransferHairs* h = b->hairs;
  const int32_t* point = h->vertex_point + h->start[h->prim[hair]];
  double *x = scratch + n, *line = x + 3 * n;
  for (size_t i = 0; i < n; ++i) {
    RvVec3 p = rv_vec3_load(h->P + 3 * (size_t)point[i]);
    scratch[i] = i ? scratch[i - 1] + rv_distance(p, rv_vec3_load64(x + 3 * i - 3)) : 0;
    rv_vec3_store64(x + 3 * i, p);
  }
  rv_transfer_smooth(n, scratch, x, b->window, line + 3 * n, line);
  for (size_t i = 0; i < 3 * n; ++i) x[i] -= line[i];
  *along = scratch;
  *curl = x;
}

// Similarity of the curls of a hair and a guide: 1 for equal curls or a guide without curls, falling to 0 as the mean
// squared difference of both grows.
static double curl_similarity(const Binding* b, size_t guide, size_t n, const double* along, const double* curl) {
  const RvTransferGuides* g = b->guides;
  size_t at = (size_t)g->first[guide], last = (size_t)g->first[guide + 1] - 2;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    while (at < last && g->along[at + 1] <= along[i]) ++at;
    double length = g->along[at + 1] - g->along[at];
    double t = length > 0 ? fmin((along[i] - g->along[at]) / length, 1) : 0;
    RvVec3 own = rv_lerp(rv_vec3_load64(g->curl + 3 * at), rv_vec3_load64(g->curl + 3 * at + 3), t);
    RvVec3 d = rv_sub(rv_vec3_load64(curl + 3 * i), own);
    sum += fmin(rv_dot(d, d), 4 * rv_dot(own, own));
  }
  double apart2 = b->apart * b->apart;
  return apart2 / (apart2 + sum / (double)n);
}

// Finds the guides of a hair and their weights.
static void bind_hair(const Binding* b, size_t hair, double* scratch) {
  const RvTransferHairs* h = b->hairs;
  size_t max_guides = (size_t)b->bind->max_guides, items[RV_TRANSFER_MAX_GUIDES + 1];
  double squares[RV_TRANSFER_MAX_GUIDES + 1], *along, *curl;
  int32_t* guide = b->bind->guide + hair * max_guides;
  double* weight = b->bind->weight + hair * max_guides;
  double* curl_weight = b->bind->curl_weight + hair * max_guides;
  int32_t first = h->start[h->prim[hair]];
  RvVec3 root = rv_vec3_load(h->P + 3 * (size_t)h->vertex_point[first]);
  size_t n = rv_nearest_many(&b->tree, root, max_guides + 1, distance2, b->guides, items, squares);
  for (size_t j = 0; j < max_guides; ++j) {
    guide[j] = -1;
    weight[j] = 0;
    curl_weight[j] = 0;
  }
  weigh(squares, n, max_guides, weight);
  n = (size_t)(h->start[h->prim[hair] + 1] - first);
  curl_of(b, hair, n, scratch, &along, &curl);
  // Guides without weight, at the end of the list, are left out.
  for (size_t j = 0; j < max_guides && weight[j] > 0; ++j) {
    guide[j] = (int32_t)items[j];
    curl_weight[j] = weight[j] * curl_similarity(b, items[j], n, along, curl);
  }
}

// Binds a range of hairs.
static void bind_hairs(void* arg, size_t begin, size_t end) {
  const Binding* b = arg;
  double* scratch = rv_alloc((size_t)b->hairs->longest, SCRATCH_A_POINT * sizeof *scratch);
  b->failed[begin / GRAIN] = !scratch;
  for (size_t i = begin; scratch && i < end; ++i) bind_hair(b, i, scratch);
  rv_free(scratch);
}

// Finds the neighbours of a range of guides.
static void bind_guides(void* arg, size_t begin, size_t end) {
  const Binding* b = arg;
  size_t items[RV_TRANSFER_NEAR + 1];
  double squares[RV_TRANSFER_NEAR + 1];
  for (size_t i = begin; i < end; ++i) {
    RvVec3 p = guide_root(b->guides, i);
    size_t n = rv_nearest_many(&b->tree, p, RV_TRANSFER_NEAR + 1, distance2, b->guides, items, squares);
    size_t k = 0;
    int32_t* near = b->bind->near + i * RV_TRANSFER_NEAR;
    for (size_t j = 0; j < n && k < RV_TRANSFER_NEAR; ++j)
      if (items[j] != i) near[k++] = (int32_t)items[j];
    while (k < RV_TRANSFER_NEAR) near[k++] = -1;
  }
}

// Hash of the hairs at rest, the guides at rest and the settings.
static uint64_t make_key(const RvTransferGuides* guides, const RvTransferHairs* hairs, int max_guides, double window,
                         double apart) {
  RvHasher h = rv_hasher_new(KEY_SEED);
  const double numbers[] = {max_guides,           window, apart, (double)hairs->count, (double)guides->count,
                            (double)hairs->npoint};
  rv_hasher_add(&h, numbers, sizeof numbers);
  rv_hasher_add(&h, hairs->prim, hairs->count * sizeof *hairs->prim);
  rv_hasher_add(&h, hairs->P, 3 * hairs->npoint * sizeof *hairs->P);
  rv_hasher_add(&h, hairs->diameter, hairs->count * sizeof *hairs->diameter);
  for (size_t i = 0; i < hairs->count; ++i) {
    int32_t first = hairs->start[hairs->prim[i]], n = hairs->start[hairs->prim[i] + 1] - first;
    rv_hasher_add(&h, &n, sizeof n);
    rv_hasher_add(&h, hairs->vertex_point + first, (size_t)n * sizeof n);
  }
  rv_hasher_add(&h, guides->first, (guides->count + 1) * sizeof *guides->first);
  rv_hasher_add(&h, guides->rest, 3 * guides->nsample * sizeof *guides->rest);
  return rv_hasher_done(&h);
}

void rv_transfer_bind_free(void* memory) {
  RvTransferBind* bind = memory;
  if (!bind) return;
  rv_free(bind->guide);
  rv_free(bind->weight);
  rv_free(bind->curl_weight);
  rv_free(bind->near);
  rv_free(bind->owner);
  rv_free(bind->slot);
  rv_free(bind->diameter);
  rv_free(bind->radius);
  rv_free(bind);
}

// Computes a binding.
static RvResult fill(Binding* b, RvError* error) {
  RvTransferBind* bind = b->bind;
  size_t guides = b->guides->count;
  size_t rows = bind->hairs * (size_t)bind->max_guides;
  size_t chunks = bind->hairs / GRAIN + 1;
  bind->guide = rv_alloc(rows, sizeof *bind->guide);
  bind->weight = rv_alloc(rows, sizeof *bind->weight);
  bind->curl_weight = rv_alloc(rows, sizeof *bind->curl_weight);
  bind->near = rv_alloc(guides * RV_TRANSFER_NEAR, sizeof *bind->near);
  b->failed = rv_alloc_zero(chunks, sizeof *b->failed);
  float* boxes = rv_alloc(guides, 6 * sizeof *boxes);
  bool enough = bind->guide && bind->weight && bind->curl_weight && bind->near && b->failed && boxes;
  for (size_t i = 0; enough && i < guides; ++i)
    for (int c = 0; c < 2; ++c) rv_vec3_store(boxes + 6 * i + 3 * c, guide_root(b->guides, i));
  RvResult result = enough ? rv_nearest_init(&b->tree, guides, boxes, error) : RV_OK;
  if (enough && !result) {
    rv_parallel_for(guides, GRAIN, bind_guides, b);
    rv_parallel_for(bind->hairs, GRAIN, bind_hairs, b);
    for (size_t i = 0; i < chunks; ++i) enough &= !b->failed[i];
  }
  rv_nearest_free(&b->tree);
  rv_free(b->failed);
  rv_free(boxes);
  if (!enough) return rv_fail(error, RV_NO_MEMORY, "out of memory for binding %zu hairs", bind->hairs);
  return result ? result : rv_transfer_slots(bind, b->guides, b->hairs, error);
}

RvResult rv_transfer_bind(const RvTransferGuides* guides, const RvTransferHairs* hairs, int max_guides, double window,
                          double apart, void** cache, RvTransferBind** out, RvError* error) {
  uint64_t key = make_key(guides, hairs, max_guides, window, apart);
  // Reuse the cached binding if nothing at rest has changed.
  RvTransferBind* old = cache ? *cache : NULL;
  if (old && old->key == key) {
    *out = old;
    return RV_OK;
  }
  // Otherwise bind anew and replace the cached binding.
  RvTransferBind* bind = rv_alloc_zero(1, sizeof *bind);
  if (!bind) return rv_fail(error, RV_NO_MEMORY, "out of memory for binding %zu hairs", hairs->count);
  bind->key = key;
  bind->max_guides = max_guides;
  bind->hairs = hairs->count;
  RvResult result =
      fill(&(Binding){.bind = bind, .guides = guides, .hairs = hairs, .window = window, .apart = apart}, error);
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
