// Who goes where in a wet clump. A hair belongs to the nearest guide that leaves the skin as it does: where hair is
// parted, or at a crown, not to one of the other side. Hairs of one guide lie in rings about it, one, six, twelve and
// so on, a diameter from ring to ring. So they end beside each other, and a clump is as thick as its hairs are. The
// nearest at rest are innermost, and those of a ring keep their order about the guide, so that hairs do not cross on
// their way.
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "node/transfer/transfer.h"

//---------------------------------------------------------------------------------------------- whose is it

static RvVec3 hair_root(const RvTransferHairs* h, size_t hair) {
  return rv_vec3_load(h->P + 3 * (size_t)h->vertex_point[h->start[h->prim[hair]]]);
}

// direction from the root to the middle of the hair, and how far along it that is
static RvVec3 hair_way(const RvTransferHairs* h, size_t hair, double* along) {
  const int32_t* point = h->vertex_point + h->start[h->prim[hair]];
  int32_t n = h->start[h->prim[hair] + 1] - h->start[h->prim[hair]], half = n / 2;
  *along = 0;
  for (int32_t i = 1; i <= half && i < n; ++i)
    *along += rv_distance(rv_vec3_load(h->P + 3 * (size_t)point[i]), rv_vec3_load(h->P + 3 * (size_t)point[i - 1]));
  RvVec3 middle = rv_vec3_load(h->P + 3 * (size_t)point[half < n ? half : 0]);
  return rv_normalize(rv_sub(middle, hair_root(h, hair)), rv_vec3(0, 0, 0));
}

static RvVec3 guide_way(const RvTransferGuides* g, size_t guide, double along) {
  size_t first = (size_t)g->first[guide], i = first + 1, last = (size_t)g->first[guide + 1] - 1;
  while (i < last && g->along[i] < along) ++i;
  return rv_normalize(rv_sub(rv_vec3_load64(g->rest + 3 * i), rv_vec3_load64(g->rest + 3 * first)), rv_vec3(0, 0, 0));
}

typedef struct Owning {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
} Owning;

static void own_range(void* arg, size_t begin, size_t end) {
  const Owning* w = arg;
  size_t most = (size_t)w->bind->most;
  for (size_t i = begin; i < end; ++i) {
    double along, best = -1;
    RvVec3 way = hair_way(w->hairs, i, &along);
    for (size_t j = 0; j < most && w->bind->guide[i * most + j] >= 0; ++j) {
      RvVec3 other = guide_way(w->guides, (size_t)w->bind->guide[i * most + j], along);
      // half as much at 47 degrees, a sixteenth at right angles
      double alike = 0.5 * (1 + rv_dot(way, other)),
             score = w->bind->weight[i * most + j] * alike * alike * alike * alike;
      if (score > best) {
        best = score;
        w->bind->own[i] = (uint8_t)j;
      }
    }
  }
}

//---------------------------------------------------------------------------------------------- rings

typedef struct Member {
  double key;  // distance from the guide's root, then angle about it
  double angle;
  int32_t hair;
} Member;

typedef struct Slots {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
  size_t* first;    // [guides + 1]
  Member* members;  // [hairs]
} Slots;

static int by_key(const void* a, const void* b) {
  const Member *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->hair > y->hair) - (x->hair < y->hair);
}

// The places of one ring, evenly spread; turned so that hairs go the shortest way about the guide, on average.
static void fill_ring(const Slots* s, Member* m, size_t n, size_t ring) {
  for (size_t i = 0; i < n; ++i) m[i].key = m[i].angle;
  qsort(m, n, sizeof *m, by_key);
  double step = 2 * RV_PI / (double)n, x = 0, y = 0;
  for (size_t i = 0; i < n; ++i) {
    x += rv_cos(m[i].angle - step * (double)i);
    y += rv_sin(m[i].angle - step * (double)i);
  }
  double begin = rv_atan2(y, x);
  for (size_t i = 0; i < n; ++i) {
    float* slot = s->bind->slot + 2 * (size_t)m[i].hair;
    slot[0] = (float)((double)ring * rv_cos(begin + step * (double)i));
    slot[1] = (float)((double)ring * rv_sin(begin + step * (double)i));
  }
}

static void fill_guide(const Slots* s, size_t guide) {
  const RvTransferGuides* g = s->guides;
  RvVec3 root, side, other;
  rv_transfer_root_frame(g, guide, &root, &side, &other);
  Member* m = s->members + s->first[guide];
  size_t n = s->first[guide + 1] - s->first[guide], ring = 0;
  double widest = 0;
  for (size_t i = 0; i < n; ++i) {
    const RvTransferHairs* h = s->hairs;
    RvVec3 d = rv_sub(hair_root(h, (size_t)m[i].hair), root);
    m[i].key = rv_length(d);
    m[i].angle = rv_atan2(rv_dot(d, other), rv_dot(d, side));
    widest = rv_max(widest, h->diameter[m[i].hair]);
  }
  qsort(m, n, sizeof *m, by_key);
  for (size_t at = 0; at < n; ++ring) {
    size_t room = ring ? 6 * ring : 1, take = n - at < room ? n - at : room;
    fill_ring(s, m + at, take, ring);
    at += take;
  }
  s->bind->diameter[guide] = widest;
  s->bind->radius[guide] = widest * (ring ? (double)ring - 0.5 : 0);
}

static void fill_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) fill_guide(arg, i);
}

RvResult rv_transfer_slots(RvTransferBind* bind, const RvTransferGuides* guides, const RvTransferHairs* hairs,
                           RvError* error) {
  Slots s = {bind, guides, hairs, NULL, NULL};
  size_t count = guides->count, most = (size_t)bind->most;
  bind->own = rv_alloc_zero(bind->hairs, sizeof *bind->own);
  bind->slot = rv_alloc_zero(bind->hairs, 2 * sizeof *bind->slot);
  bind->diameter = rv_alloc(count, sizeof *bind->diameter);
  bind->radius = rv_alloc(count, sizeof *bind->radius);
  s.first = rv_alloc_zero(count + 2, sizeof *s.first);
  s.members = rv_alloc(bind->hairs, sizeof *s.members);
  bool enough = bind->own && bind->slot && bind->diameter && bind->radius && s.first && s.members;
  if (enough) {
    rv_parallel_for(bind->hairs, 256, own_range, &(Owning){bind, guides, hairs});
    // counted one place too far, so that filling moves every start to where it belongs
    for (size_t i = 0; i < bind->hairs; ++i) s.first[bind->guide[i * most + bind->own[i]] + 2]++;
    for (size_t k = 1; k <= count; ++k) s.first[k + 1] += s.first[k];
    for (size_t i = 0; i < bind->hairs; ++i)
      s.members[s.first[bind->guide[i * most + bind->own[i]] + 1]++].hair = (int32_t)i;
    rv_parallel_for(count, 16, fill_range, &s);
  }
  rv_free(s.first);
  rv_free(s.members);
  return enough ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for the clumps of %zu hairs", bind->hairs);
}
