// Stretched bridges: pairs that hold liquid and are farther apart than the broad phase searches. They are known from
// the step before; the pairs next to them, to which the bridge may have slid, are added too. They join the pairs of the
// broad phase as the extra ones.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"

enum { CHUNKS = 64 };              // chunks of old links
enum { LEAST_OF_CHUNK = 64 };      // pairs of a chunk that have room from the start
static const double NEARLY = 0.8;  // of the range of the broad phase: it finds nearer pairs and those next to them

// Lists that are kept from step to step.
typedef struct RvStretchWork {
  RvKeys found[CHUNKS];
} RvStretchWork;

void rv_contact_stretch_free(RvStretchWork* work) {
  if (!work) return;
  for (int k = 0; k < CHUNKS; ++k) rv_array_free(&work->found[k]);
  rv_free(work);
}

typedef struct Search {
  RvContacts* c;
  const RvContactDef* def;
  size_t grain;   // old links of a chunk
  RvKeys* found;  // [CHUNKS]
  bool failed[CHUNKS];
} Search;

// Sum of the radii of two edges.
static double radii_of(const RvContacts* c, size_t e, size_t f) {
  return c->segments.edge_radius[e] + c->segments.edge_radius[f];
}

// Whether the broad phase may miss a pair of that distance, or those next to it.
static bool is_far(const Search* s, size_t e, size_t f, double distance) {
  const RvContacts* c = s->c;
  const RvSegments* g = &c->segments;
  double radii = radii_of(c, e, f), film = g->film[e] + g->film[f];
  double sure = rv_min(g->height[e] + g->height[f], radii + rv_contact_table(c, e, f)->rupture * sqrt(film));
  sure = rv_max(sure, s->def->reach * (1 + s->def->margin) * radii);
  return distance > NEARLY * sure;
}

// Adds a pair, and those next to it within the range of a bridge of its area; false: no memory.
static bool push_around(Search* s, size_t chunk, size_t e, size_t f, double area) {
  const RvContacts* c = s->c;
  const RvContactStrand* a = &c->strands[c->strand_of[e]];
  const RvContactStrand* b = &c->strands[c->strand_of[f]];
  double reach = rv_contact_table(c, e, f)->rupture * sqrt(area);
  RvPairIndex index = {0};
  RvClosestLanes at;
  // Pairs next to it, and their distances.
  int count = 0;
  for (int k = 0; k < 9; ++k) {
    int64_t i = (int64_t)e + k / 3 - 1, j = (int64_t)f + k % 3 - 1;
    if (i < (int64_t)a[0].first || i >= (int64_t)a[1].first || j < (int64_t)b[0].first || j >= (int64_t)b[1].first)
      continue;
    // within one strand the earlier edge is the source
    if (k == 4 || (a == b && j - i <= s->def->neighbours)) continue;
    index.edge[0][count] = (uint32_t)i;
    index.edge[1][count] = (uint32_t)j;
    index.vertex[0][count] = (uint32_t)i + c->strand_of[e];
    index.vertex[1][count++] = (uint32_t)j + c->strand_of[f];
  }
  rv_contact_closest_lanes(c->segments.x, &index, &at);
  // The pair itself, then those in range.
  bool good = (a == b && (int64_t)f - (int64_t)e <= s->def->neighbours) ||
              rv_array_push(&s->found[chunk], (uint64_t)e << 32 | f);
  for (int k = 0; k < count && good; ++k) {
    size_t i = index.edge[0][k], j = index.edge[1][k];
    double limit = rv_max(c->segments.height[i] + c->segments.height[j], radii_of(c, i, j) + reach);
    if (at.distance[k] > limit) continue;
    good = rv_array_push(&s->found[chunk], (uint64_t)i << 32 | j);
  }
  return good;
}

// Stretched bridges of some chunks of old links.
static void search(void* arg, size_t begin, size_t end) {
  Search* s = arg;
  const RvContacts* c = s->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t n = c->old_keys.count;
    size_t last = (chunk + 1) * s->grain < n ? (chunk + 1) * s->grain : n;
    for (size_t k = chunk * s->grain; k < last && !s->failed[chunk]; ++k) {
      if (!(c->old_memory.data[k].area > 0)) continue;
      size_t e = (size_t)(c->old_keys.data[k] >> 32);
      size_t f = (size_t)(c->old_keys.data[k] & UINT32_MAX);
      if (is_far(s, e, f, c->old_distance[k]) && !push_around(s, chunk, e, f, c->old_memory.data[k].area))
        s->failed[chunk] = true;
    }
  }
}

// Counting sort of the pairs by source.
static RvResult by_source(Search* s, RvError* error) {
  RvContacts* c = s->c;
  size_t total = 0;
  bool room = true;
  for (int k = 0; k < CHUNKS; ++k) {
    total += s->found[k].count;
    room = room && !s->failed[k];
  }
  if (total == 0 && room) return RV_OK;
  uint32_t* first = RV_TAKE(c->scratch, uint32_t, c->nedge + 2);
  uint64_t* extra = RV_TAKE(c->scratch, uint64_t, total);
  if (total > UINT32_MAX)
    return rv_fail(error, RV_LIMIT, "contacts: %zu pairs of edges are more than fit; use fewer strands or points",
                   total);
  if (!room || !first || !extra)
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu pairs of edges", total);
  // Counts, prefix sums, and the pairs in order.
  memset(first, 0, (c->nedge + 2) * sizeof *first);
  for (int k = 0; k < CHUNKS; ++k)
    for (size_t i = 0; i < s->found[k].count; ++i) first[(s->found[k].data[i] >> 32) + 2]++;
  for (size_t e = 0; e < c->nedge; ++e) first[e + 2] += first[e + 1];
  for (int k = 0; k < CHUNKS; ++k)
    for (size_t i = 0; i < s->found[k].count; ++i) {
      uint64_t key = s->found[k].data[i];
      extra[first[(key >> 32) + 1]++] = key;
    }
  c->extra = extra;
  c->extra_first = first;
  return RV_OK;
}

RvResult rv_contact_stretched(RvContacts* c, const RvContactDef* def, RvError* error) {
  c->extra = NULL;
  size_t n = c->old_keys.count;
  if (!c->wet || !n) return RV_OK;
  if (!c->stretch && !(c->stretch = rv_alloc_zero(1, sizeof *c->stretch)))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu edges", c->nedge);
  Search s = {.c = c, .def = def, .grain = (n + CHUNKS - 1) / CHUNKS, .found = c->stretch->found};
  for (int k = 0; k < CHUNKS; ++k) {
    s.found[k].count = 0;
    s.failed[k] = !rv_array_reserve(&s.found[k], LEAST_OF_CHUNK);
  }
  rv_parallel_for((n + s.grain - 1) / s.grain, 1, search, &s);
  return by_source(&s, error);
}
