#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/nearest.h"
#include "node/transfer/transfer.h"

typedef struct Binding {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
  double window, apart;
  bool* failed;  // a chunk of hairs: there was no memory
  RvNearest tree;
} Binding;

enum { GRAIN = 256 };

static RvVec3 guide_root(const RvTransferGuides* g, size_t guide) {
  return rv_vec3_load64(g->rest + 3 * (size_t)g->first[guide]);
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

// How a hair curls: distances along it, and the way from its smoothed line to each of its points. `room` has 10 n
// numbers.
static void curl_of(const Binding* b, size_t hair, size_t n, double* room, double** along, double** curl) {
  const RvTransferHairs* h = b->hairs;
  const int32_t* point = h->vertex_point + h->start[h->prim[hair]];
  double *x = room + n, *line = x + 3 * n;
  for (size_t i = 0; i < n; ++i) {
    RvVec3 p = rv_vec3_load(h->P + 3 * (size_t)point[i]);
    room[i] = i ? room[i - 1] + rv_distance(p, rv_vec3_load64(x + 3 * i - 3)) : 0;
    rv_vec3_store64(x + 3 * i, p);
  }
  rv_transfer_smooth(n, room, x, b->window, line + 3 * n, line);
  for (size_t i = 0; i < 3 * n; ++i) x[i] -= line[i];
  *along = room;
  *curl = x;
}

// 1 where both curl alike or the guide does not curl, falling to 0 as the hair's points lie elsewhere on their curls
// than the guide's do
static double likeness(const Binding* b, size_t guide, size_t n, const double* along, const double* curl) {
  const RvTransferGuides* g = b->guides;
  size_t at = (size_t)g->first[guide], last = (size_t)g->first[guide + 1] - 2;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    while (at < last && g->along[at + 1] <= along[i]) ++at;
    double length = g->along[at + 1] - g->along[at], t = length > 0 ? fmin((along[i] - g->along[at]) / length, 1) : 0;
    RvVec3 own = rv_lerp(rv_vec3_load64(g->curl + 3 * at), rv_vec3_load64(g->curl + 3 * at + 3), t);
    RvVec3 d = rv_sub(rv_vec3_load64(curl + 3 * i), own);
    sum += fmin(rv_dot(d, d), 4 * rv_dot(own, own));
  }
  double apart2 = b->apart * b->apart;
  return apart2 / (apart2 + sum / (double)n);
}

static void bind_hair(const Binding* b, size_t hair, double* room) {
  const RvTransferHairs* h = b->hairs;
  size_t most = (size_t)b->bind->most, items[RV_TRANSFER_MOST + 1];
  double squares[RV_TRANSFER_MOST + 1], *along, *curl;
  int32_t* guide = b->bind->guide + hair * most;
  double *weight = b->bind->weight + hair * most, *alike = b->bind->alike + hair * most;
  int32_t first = h->start[h->prim[hair]];
  RvVec3 root = rv_vec3_load(h->P + 3 * (size_t)h->vertex_point[first]);
  size_t n = rv_nearest_many(&b->tree, root, most + 1, distance2, b->guides, items, squares);
  for (size_t j = 0; j < most; ++j) {
    guide[j] = -1;
    weight[j] = alike[j] = 0;
  }
  weigh(squares, n, most, weight);
  n = (size_t)(h->start[h->prim[hair] + 1] - first);
  curl_of(b, hair, n, room, &along, &curl);
  // those without weight, at the end of the list, are not looked at
  for (size_t j = 0; j < most && weight[j] > 0; ++j) {
    guide[j] = (int32_t)items[j];
    alike[j] = weight[j] * likeness(b, items[j], n, along, curl);
  }
}

static void bind_hairs(void* arg, size_t begin, size_t end) {
  const Binding* b = arg;
  double* room = rv_alloc((size_t)b->hairs->longest, 10 * sizeof *room);
  b->failed[begin / GRAIN] = !room;
  for (size_t i = begin; room && i < end; ++i) bind_hair(b, i, room);
  rv_free(room);
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

// all of the hairs at rest, and of the guides at rest
static uint64_t make_key(const RvTransferGuides* guides, const RvTransferHairs* hairs, int most, double window,
                         double apart) {
  RvHasher h = rv_hasher_new(0x7472);
  const double numbers[] = {most, window, apart, (double)hairs->count, (double)guides->count, (double)hairs->npoint};
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
  rv_free(bind->alike);
  rv_free(bind->near);
  rv_free(bind->own);
  rv_free(bind->slot);
  rv_free(bind->diameter);
  rv_free(bind->radius);
  rv_free(bind);
}

static RvResult fill(Binding* b, RvError* error) {
  RvTransferBind* bind = b->bind;
  size_t guides = b->guides->count, rows = bind->hairs * (size_t)bind->most, chunks = bind->hairs / GRAIN + 1;
  bind->guide = rv_alloc(rows, sizeof *bind->guide);
  bind->weight = rv_alloc(rows, sizeof *bind->weight);
  bind->alike = rv_alloc(rows, sizeof *bind->alike);
  bind->near = rv_alloc(guides * RV_TRANSFER_NEAR, sizeof *bind->near);
  b->failed = rv_alloc_zero(chunks, sizeof *b->failed);
  float* boxes = rv_alloc(guides, 6 * sizeof *boxes);
  bool enough = bind->guide && bind->weight && bind->alike && bind->near && b->failed && boxes;
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
  if (!enough) return rv_fail(error, RV_NO_MEMORY, "no memory to bind %zu hairs", bind->hairs);
  return result ? result : rv_transfer_slots(bind, b->guides, b->hairs, error);
}

RvResult rv_transfer_bind(const RvTransferGuides* guides, const RvTransferHairs* hairs, int most, double window,
                          double apart, void** cache, RvTransferBind** out, RvError* error) {
  uint64_t key = make_key(guides, hairs, most, window, apart);
  RvTransferBind* old = cache ? *cache : NULL;
  if (old && old->key == key) {
    *out = old;
    return RV_OK;
  }
  RvTransferBind* bind = rv_alloc_zero(1, sizeof *bind);
  if (!bind) return rv_fail(error, RV_NO_MEMORY, "no memory to bind %zu hairs", hairs->count);
  bind->key = key;
  bind->most = most;
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
