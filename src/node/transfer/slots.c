// Slots of hairs in wet clumps. A hair belongs to the nearest guide that leaves the skin in a similar direction; at a
// parting or a crown that is never one of the other side. The hairs of a guide lie in rings around it, of 1, 6, 12
// ... hairs, one diameter apart. So they end beside each other, and a clump is as thick as its hairs. The hairs
// nearest at rest are innermost, and those of a ring keep their order around the guide, so that hairs do not cross.
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "node/transfer/transfer.h"

enum { HAIRS_A_TASK = 256, GUIDES_A_TASK = 16 };

//---------------------------------------------------------------------------------------------- owner of a hair

// Root of a hair.
static RvVec3 hair_root(const RvTransferHairs* h, size_t hair) {
  return rv_vec3_load(h->P + 3 * (size_t)h->vertex_point[h->start[h->prim[hair]]]);
}

// Direction from the root to the middle of a hair; *along: arc length of the middle.
static RvVec3 hair_direction(const RvTransferHairs* h, size_t hair, double* along) {
  const int32_t* point = h->vertex_point + h->start[h->prim[hair]];
  int32_t n = h->start[h->prim[hair] + 1] - h->start[h->prim[hair]], half = n / 2;
  *along = 0;
  for (int32_t i = 1; i <= half && i < n; ++i)
    *along += rv_distance(rv_vec3_load(h->P + 3 * (size_t)point[i]), rv_vec3_load(h->P + 3 * (size_t)point[i - 1]));
  RvVec3 middle = rv_vec3_load(h->P + 3 * (size_t)point[half < n ? half : 0]);
  return rv_normalize(rv_sub(middle, hair_root(h, hair)), rv_vec3(0, 0, 0));
}

// Direction from the root of a guide to its point at an arc length.
static RvVec3 guide_direction(const RvTransferGuides* g, size_t guide, double along) {
  size_t first = (size_t)g->first[guide], i = first + 1, last = (size_t)g->first[guide + 1] - 1;
  while (i < last && g->along[i] < along) ++i;
  return rv_normalize(rv_sub(rv_vec3_load64(g->rest + 3 * i), rv_vec3_load64(g->rest + 3 * first)), rv_vec3(0, 0, 0));
}

// Arguments of own_range.
typedef struct Owning {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
} Owning;

// Chooses the guide of each hair: largest weight times similarity of directions.
static void own_range(void* arg, size_t begin, size_t end) {
  const Owning* w = arg;
  size_t max_guides = (size_t)w->bind->max_guides;
  for (size_t i = begin; i < end; ++i) {
    double along, best = -1;
    RvVec3 direction = hair_direction(w->hairs, i, &along);
    for (size_t j = 0; j < max_guides && w->bind->guide[i * max_guides + j] >= 0; ++j) {
      RvVec3 other = guide_direction(w->guides, (size_t)w->bind->guide[i * max_guides + j], along);
      // The factor is one half at 47 degrees and a sixteenth at right angles.
      double alike = 0.5 * (1 + rv_dot(direction, other));
      double score = w->bind->weight[i * max_guides + j] * alike * alike * alike * alike;
      if (score > best) {
        best = score;
        w->bind->owner[i] = (uint8_t)j;
      }
    }
  }
}

//---------------------------------------------------------------------------------------------- rings

// A hair of a clump.
typedef struct Member {
  double key;    // sort key: distance from the guide's root, then angle
  double angle;  // around the guide, radians
  int32_t hair;
} Member;

// Hairs by guide.
typedef struct Slots {
  RvTransferBind* bind;
  const RvTransferGuides* guides;
  const RvTransferHairs* hairs;
  size_t* first;    // [guides + 1] into members
  Member* members;  // [hairs]
} Slots;

// Order by key, then by hair, for qsort.
static int by_key(const void* a, const void* b) {
  const Member *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->hair > y->hair) - (x->hair < y->hair);
}

// Assigns the slots of one ring: evenly spaced, rotated so that the mean displacement around the guide is smallest.
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

// Assigns the slots of one clump, ring by ring.
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
    size_t capacity = ring ? 6 * ring : 1;  // hexagonal packing
    size_t take = n - at < capacity ? n - at : capacity;
    fill_ring(s, m + at, take, ring);
    at += take;
  }
  s->bind->diameter[guide] = widest;
  s->bind->radius[guide] = widest * (ring ? (double)ring - 0.5 : 0);
}

// Assigns the slots of a range of guides.
static void fill_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) fill_guide(arg, i);
}

RvResult rv_transfer_slots(RvTransferBind* bind, const RvTransferGuides* guides, const RvTransferHairs* hairs,
                           RvError* error) {
  Slots s = {bind, guides, hairs, NULL, NULL};
  size_t count = guides->count, max_guides = (size_t)bind->max_guides;
  bind->owner = rv_alloc_zero(bind->hairs, sizeof *bind->owner);
  bind->slot = rv_alloc_zero(bind->hairs, 2 * sizeof *bind->slot);
  bind->diameter = rv_alloc(count, sizeof *bind->diameter);
  bind->radius = rv_alloc(count, sizeof *bind->radius);
  s.first = rv_alloc_zero(count + 2, sizeof *s.first);
  s.members = rv_alloc(bind->hairs, sizeof *s.members);
  bool enough = bind->owner && bind->slot && bind->diameter && bind->radius && s.first && s.members;
  if (enough) {
    rv_parallel_for(bind->hairs, HAIRS_A_TASK, own_range, &(Owning){bind, guides, hairs});
    // Counting sort by guide: counts are stored two places ahead, and filling advances each start to its final value.
    for (size_t i = 0; i < bind->hairs; ++i) s.first[bind->guide[i * max_guides + bind->owner[i]] + 2]++;
    for (size_t k = 1; k <= count; ++k) s.first[k + 1] += s.first[k];
    for (size_t i = 0; i < bind->hairs; ++i)
      s.members[s.first[bind->guide[i * max_guides + bind->owner[i]] + 1]++].hair = (int32_t)i;
    rv_parallel_for(count, GUIDES_A_TASK, fill_range, &s);
  }
  rv_free(s.first);
  rv_free(s.members);
  return enough ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the clumps of %zu hairs", bind->hairs);
}
