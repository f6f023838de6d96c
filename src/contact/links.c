// Links of the pairs: which part of an edge faces the other, with what history.
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "contact/law.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"

// in d0: strands that got further than this to the wrong side have passed
static const double PASSED = 2;
// rad: strands side by side
static const double PARALLEL = 0.1;
// s in which a pair with liquid between that met too near gets its whole d0: else a bundle, whose pairs part and meet
// again all the time, grows thinner with each meeting
static const double REGAIN = 0.02;

typedef struct Build {
  RvContacts* c;
  const RvContactDef* def;
  double dt;
} Build;

size_t rv_contact_find_key(const uint64_t* keys, size_t count, uint64_t key) {
  size_t lo = 0, hi = count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (keys[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < count && keys[lo] == key ? lo : count;
}

// Where the old links of each source edge begin.
void rv_contact_index_old(RvContacts* c) {
  size_t at = 0;
  for (size_t e = 0; e <= c->nedge; ++e) {
    while (at < c->old_keys.count && c->old_keys.data[at] >> 32 < e) ++at;
    c->old_first[e] = (uint32_t)at;
  }
}

// The old links around a pair: those of the source and of the edges before and after it, to the receiver and its two
// neighbours. Pairs come in ascending order, so that each is reached from the one before.
typedef struct Around {
  size_t source;
  uint32_t at[3], end[3];  // of the sources before, at and after
  const RvLinkMemory* found[3][3];
} Around;

static void begin_around(const RvContacts* c, size_t e, Around* a) {
  const RvContactStrand* s = &c->strands[c->strand_of[e]];
  a->source = e;
  for (size_t k = 0; k < 3; ++k) {
    bool none = (k == 0 && e == s[0].first) || (k == 2 && e + 1 == s[1].first);
    a->at[k] = a->end[k] = 0;
    if (!none) a->at[k] = c->old_first[e + k - 1], a->end[k] = c->old_first[e + k];
  }
}

static void look_around(const RvContacts* c, size_t e, size_t f, Around* a) {
  const RvContactStrand* s = &c->strands[c->strand_of[f]];
  const uint64_t* keys = c->old_keys.data;
  uint32_t first = (uint32_t)(f > s[0].first ? f - 1 : f), last = (uint32_t)(f + 1 < s[1].first ? f + 1 : f);
  if (e != a->source) begin_around(c, e, a);
  for (int k = 0; k < 3; ++k) {
    a->found[k][0] = a->found[k][1] = a->found[k][2] = NULL;
    uint32_t at = a->at[k], end = a->end[k];
    while (at < end && (uint32_t)keys[at] < first) ++at;
    a->at[k] = at;
    for (; at < end && (uint32_t)keys[at] <= last; ++at)
      a->found[k][(uint32_t)keys[at] + 1 - (uint32_t)f] = &c->old_memory.data[at];
  }
}

// The largest area of the bridges beside a pair. Liquid goes along a wedge: where the next place is bridged, this one
// is as if it had been, as far as it is not beyond rupture.
static double area_beside(const Around* a) {
  double area = 0;
  for (int k = 0; k < 9; ++k)
    if (a->found[k / 3][k % 3]) area = rv_max(area, a->found[k / 3][k % 3]->area);
  return area;
}

// What is known of this pair from the step before; a contact that slid over a vertex takes the memory of its old pair.
static const RvLinkMemory* recall(const Around* a) {
  static const int8_t order[9][2] = {{1, 1}, {1, 0}, {1, 2}, {0, 1}, {2, 1}, {0, 0}, {2, 2}, {0, 2}, {2, 0}};
  for (int k = 0; k < 9; ++k)
    if (a->found[order[k][0]][order[k][1]]) return a->found[order[k][0]][order[k][1]];
  return NULL;
}

static RvVec3 place_at(const RvSegments* s, size_t vertex, double time) {
  return rv_mad(s->x[vertex], time, s->v[vertex]);
}

static RvVec3 direction(const RvContacts* c, size_t vertex, double time) {
  return rv_normalize(rv_sub(place_at(&c->segments, vertex + 1, time), place_at(&c->segments, vertex, time)),
                      rv_vec3(0, 0, 0));
}

// the pair as it is
static RvEdgePair pair_now(const RvContacts* c, size_t e, size_t f) {
  const RvSegments* s = &c->segments;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  return (RvEdgePair){{s->x[i], s->x[i + 1]}, {s->x[j], s->x[j + 1]}, s->plane[j], s->plane[j + 1]};
}

static void put_pair(const Build* b, size_t e, size_t f, int lane, RvPairLanes* out) {
  const RvSegments* s = &b->c->segments;
  size_t i = rv_contact_vertex(b->c, e), j = rv_contact_vertex(b->c, f);
  rv_pair_put(out->a[0], lane, s->x[i]), rv_pair_put(out->a[1], lane, s->x[i + 1]);
  rv_pair_put(out->b[0], lane, s->x[j]), rv_pair_put(out->b[1], lane, s->x[j + 1]);
  rv_pair_put(out->along[0], lane, s->along[e]), rv_pair_put(out->along[1], lane, s->along[f]);
  rv_pair_put(out->before, lane, s->plane[j]), rv_pair_put(out->after, lane, s->plane[j + 1]);
  out->length[0][lane] = s->span[e], out->length[1][lane] = s->span[f];
  out->wide[lane] = b->def->reach * (s->thick[e] + s->thick[f]);
}

// the pair as it will be after `time` of free motion
static RvEdgePair pair_at(const RvContacts* c, size_t e, size_t f, double time) {
  const RvSegments* s = &c->segments;
  const RvContactStrand* b = &c->strands[c->strand_of[f]];
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  RvVec3 own = direction(c, j, time), before = own, after = own;
  if (f > b[0].first) before = rv_normalize(rv_add(own, direction(c, j - 1, time)), own);
  if (f + 1 < b[1].first) after = rv_normalize(rv_add(own, direction(c, j + 1, time)), own);
  return (RvEdgePair){{place_at(s, i, time), place_at(s, i + 1, time)},
                      {place_at(s, j, time), place_at(s, j + 1, time)},
                      before,
                      after};
}

static RvVec3 tangential(RvVec3 a, RvVec3 n) {
  return rv_mad(a, -rv_dot(a, n), n);
}

static bool all_fixed(const RvContacts* c, size_t e) {
  const RvContactStrand* s = &c->strands[c->strand_of[e]];
  size_t place = rv_contact_place(c, s, e - s->first);
  return c->model->free[place] == 0 && c->model->free[place + 4 * RV_LANES] == 0;
}

// Difference of the two points of a link, at the start of the step or in velocity.
static RvVec3 between(const RvVec3* x, size_t i, size_t j, const RvFacing* at) {
  return rv_sub(rv_lerp(x[i], x[i + 1], at->u), rv_lerp(x[j], x[j + 1], at->v));
}

// By how much they may close the gap in the step, along the normal: that one falls and the other is held is reckoned
// with, which concerns only what lies above each other.
static double closing(const Build* b, size_t i, size_t j, const RvFacing* at) {
  return b->dt * (b->dt * fabs(rv_dot(at->normal, b->def->acceleration)) -
                  rv_dot(at->normal, between(b->c->segments.v, i, j, at)));
}

static double multiple_of(const Build* b, size_t e, size_t f) {
  const double* multiple = b->def->multiple;
  const RvContacts* c = b->c;
  return multiple ? rv_min(multiple[c->strands[c->strand_of[e]].input], multiple[c->strands[c->strand_of[f]].input])
                  : 1;
}

// They go round each other, so neither has a side of the other to keep to: where three hairs of a bundle each had to
// get back to their side of the next, all would be drawn into one.
static bool side_by_side(const RvSegments* s, size_t e, size_t f) {
  RvVec3 across = rv_cross(s->along[e], s->along[f]);
  return rv_dot(across, across) < PARALLEL * PARALLEL;
}

// Whether the pair holds liquid; what is needed to share it out and to make its law.
static bool make_bridge(const Build* b, RvWetPair* w, size_t e, size_t f, const RvFacing* at, const Around* around,
                        const RvLinkMemory* old, RvVec3 start) {
  RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  double r = s->thick[e], q = s->thick[f];
  double gap = rv_dot(at->normal, start), reach = b->def->reach * (r + q);
  RvWetMeeting m = {gap, reach, r + q, s->height[e] + s->height[f], .old_area = old ? old->area : 0};
  m.film[0] = s->area[i] * (1 - at->u) + s->area[i + 1] * at->u;
  m.film[1] = s->area[j] * (1 - at->v) + s->area[j + 1] * at->v;
  double weight;
  const RvBridgeTable* table = rv_contact_table(c, e, f);
  if (!(m.old_area > 0) && gap > m.height && gap < m.touch + table->rupture * sqrt(m.film[0] + m.film[1]))
    m.old_area = area_beside(around);
  if (!rv_wet_meets(table, &m, &weight)) return false;
  // one that is under water does not pull, whatever the other is (WH-18)
  double lift =
      rv_min(s->lift[i] * (1 - at->u) + s->lift[i + 1] * at->u, s->lift[j] * (1 - at->v) + s->lift[j + 1] * at->v);
  double apart = b->dt * rv_dot(at->normal, between(s->v, i, j, at)), slack = 0.25 * reach;
  double fall = b->dt * b->dt * fabs(rv_dot(at->normal, b->def->acceleration));
  *w = (RvWetPair){.weight = weight,
                   .length = at->length,
                   .film = {m.film[0], m.film[1]},
                   .strength = b->def->liquid->tension * lift * at->length * multiple_of(b, e, f),
                   .distance = gap,
                   .least = gap + rv_min(apart - fall, 0) - slack,
                   .most = gap + rv_max(apart + fall, 0) + slack,
                   .touch = r + q,
                   .turn = 2 * reach - (r + q),
                   .radius = rv_min(r, q),
                   .ratio = rv_min(r, q) / rv_max(r, q)};
  // where they are parallel, going sideways parts them too
  RvVec3 tb = s->along[f], across = rv_cross(s->along[e], tb);
  double parallel = 0.01 / (rv_dot(across, across) + 0.01);
  w->side = rv_scale(rv_normalize(rv_cross(at->normal, tb), rv_vec3(0, 0, 0)), sqrt(parallel / rv_max(gap, reach)));
  w->shift = rv_dot(w->side, start);
  return true;
}

// False: it is neither a link nor a bridge.
static bool make_link(const Build* b, RvMadeLink* out, size_t e, size_t f, RvFacing facing, Around* around) {
  RvContacts* c = b->c;
  const RvContactDef* def = b->def;
  const RvSegments* s = &c->segments;
  RvContactShape* shape = &out->shape;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  if (all_fixed(c, e) && all_fixed(c, f)) return false;
  double reach = def->reach * (s->thick[e] + s->thick[f]), film = c->wet ? s->film[e] + s->film[f] : 0;
  // most pairs with liquid are side by side: what faces nothing now, and is far, is soon seen
  if (film > 0 && !(facing.length > 0) && facing.gap - closing(b, i, j, &facing) > reach) return false;
  look_around(c, e, f, around);
  const RvLinkMemory* old = recall(around);
  if (old && rv_dot(facing.normal, old->normal) < 0 && !side_by_side(s, e, f)) {
    RvEdgePair pair = pair_now(c, e, f);
    RvFacing first = facing;
    facing = rv_facing(&pair, reach, old->normal);
    // they are through: to pull them back would be a blow
    if (facing.gap < -PASSED * reach) old = NULL, facing = first;
  }
  double close = closing(b, i, j, &facing);
  if (close > 0 && facing.gap > reach && (film == 0 || facing.gap - close < reach * (1 + def->margin))) {
    // a fast pair is looked at when it meets
    double share = rv_min(1, (facing.gap - reach) / close);
    RvEdgePair pair = pair_at(c, e, f, share * b->dt);
    facing = rv_facing(&pair, reach, facing.normal);
    close = closing(b, i, j, &facing);
  }
  RvVec3 start = between(s->x, i, j, &facing);
  double gap = rv_dot(facing.normal, start);
  bool dry = rv_min(gap, gap - close) < reach * (1 + def->margin);
  if (!(facing.length > 0)) return false;
  bool bridged = c->wet && make_bridge(b, &out->wet, e, f, &facing, around, old, start);
  if (!dry && !bridged) return false;
  shape->normal = facing.normal, shape->offset = 0;
  double keep = old ? rv_max(old->reach, rv_min(reach, gap)) : rv_min(reach, gap);
  if (bridged) keep = rv_min(reach, keep + reach * b->dt / REGAIN);
  // what has crossed is brought back by d0 a step at most, so that no energy comes of it
  shape->reach = rv_min(keep, gap + reach);
  shape->width = reach * (1 - 1 / def->reach);
  shape->stiffness = multiple_of(b, e, f) * def->stiffness * facing.length;
  shape->limit = -def->friction * rv_contact_force(gap, shape->reach, shape->width, shape->stiffness).force;
  shape->slip = rv_max(def->slip * reach, def->slip_speed * b->dt);
  RvVec3 slip = old ? tangential(old->slip, facing.normal) : rv_vec3(0, 0, 0);
  shape->origin = rv_sub(tangential(start, facing.normal), slip);
  out->along[0] = facing.u, out->along[1] = facing.v;
  out->memory = (RvLinkMemory){slip, facing.normal, keep, bridged && old ? old->area : 0, old ? old->age : 0};
  if (!bridged) {
    out->wet.weight = 0;
    return shape->stiffness > 0;
  }
  out->wet.dry = out->wet.needed = dry && shape->stiffness > 0;
  out->wet.start = keep, out->wet.low = keep - shape->width;
  return true;
}

// Pairs are made block by block, so many at a time: only what is something is kept.
enum { BLOCK = 256, BLOCKS = 16, WAVE = BLOCK * BLOCKS };

typedef struct Wave {
  Build build;
  size_t first, last;                        // pairs
  size_t live[BLOCKS + 1], wet[BLOCKS + 1];  // of each block, then where they go
} Wave;

static void make_block(Wave* w, size_t block) {
  const Build* b = &w->build;
  const uint64_t* pairs = b->c->pairs.data;
  RvMadeLink* out = b->c->made.data + block * BLOCK;
  RvPairLanes in = {0};
  RvFacingLanes facings;
  Around around = {.source = SIZE_MAX};
  size_t begin = w->first + block * BLOCK, end = begin + BLOCK < w->last ? begin + BLOCK : w->last;
  size_t live = 0, wet = 0;
  for (size_t first = begin; first < end; first += RV_PAIRS) {
    int count = (int)(end - first < RV_PAIRS ? end - first : RV_PAIRS);
    for (int k = 0; k < count; ++k)
      put_pair(b, (size_t)(pairs[first + (size_t)k] >> 32), (size_t)(pairs[first + (size_t)k] & UINT32_MAX), k, &in);
    rv_facing_lanes(&in, &facings);
    for (int k = 0; k < count; ++k) {
      RvFacing facing = {facings.u[k], facings.v[k], facings.length[k],
                         rv_vec3(facings.normal[0][k], facings.normal[1][k], facings.normal[2][k]), facings.gap[k]};
      uint64_t key = pairs[first + (size_t)k];
      if (!make_link(b, &out[live], (size_t)(key >> 32), (size_t)(key & UINT32_MAX), facing, &around)) continue;
      wet += b->c->wet && out[live].wet.weight > 0;
      out[live++].key = key;
    }
  }
  w->live[block] = live, w->wet[block] = wet;
}

static void make_blocks(void* arg, size_t begin, size_t end) {
  for (size_t block = begin; block < end; ++block) make_block(arg, block);
}

static void put_blocks(void* arg, size_t begin, size_t end) {
  const Wave* w = arg;
  RvContacts* c = w->build.c;
  for (size_t block = begin; block < end; ++block) {
    const RvMadeLink* from = c->made.data + block * BLOCK;
    size_t wet = w->wet[block];
    for (size_t k = w->live[block]; k < w->live[block + 1]; ++k, ++from) {
      c->keys.data[k] = from->key, c->shapes.data[k] = from->shape, c->memory.data[k] = from->memory;
      c->along.data[2 * k] = from->along[0], c->along.data[2 * k + 1] = from->along[1];
      if (!c->wet) continue;
      c->law_of.data[k] = from->wet.weight > 0 ? (uint32_t)wet : RV_NO_LAW;
      if (from->wet.weight > 0) c->wet_pairs.data[wet++] = from->wet;
    }
  }
}

static bool make_wave(Wave* w) {
  RvContacts* c = w->build.c;
  size_t blocks = (w->last - w->first + BLOCK - 1) / BLOCK, live = c->keys.count, wet = c->wet_pairs.count;
  rv_parallel_for(blocks, 1, make_blocks, w);
  for (size_t k = 0; k < blocks; ++k) {
    size_t own = w->live[k], own_wet = w->wet[k];
    w->live[k] = live, w->wet[k] = wet;
    live += own, wet += own_wet;
  }
  w->live[blocks] = live;
  if (!rv_array_resize(&c->keys, live) || !rv_array_resize(&c->shapes, live) || !rv_array_resize(&c->memory, live) ||
      !rv_array_resize(&c->along, 2 * live) ||
      (c->wet && (!rv_array_resize(&c->law_of, live) || !rv_array_resize(&c->wet_pairs, wet))))
    return false;
  rv_parallel_for(blocks, 4, put_blocks, w);
  return true;
}

//---------------------------------------------------------------------------------------------- the nearest few

typedef struct Near {
  double gap;
  size_t index;
} Near;

static int by_gap(const void* pa, const void* pb) {
  const Near *a = pa, *b = pb;
  if (a->gap != b->gap) return a->gap < b->gap ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static RvWetPair* bridge_of(const RvContacts* c, size_t k) {
  return c->wet && c->law_of.data[k] != RV_NO_LAW ? &c->wet_pairs.data[c->law_of.data[k]] : NULL;
}

static bool needed(const RvContacts* c, size_t k) {
  const RvWetPair* w = bridge_of(c, k);
  return w ? w->needed : c->shapes.data[k].stiffness > 0;
}

// a bridge without force
static bool is_idle(const RvContacts* c, size_t k) {
  const RvWetPair* w = bridge_of(c, k);
  return w && w->weight > 0 && !w->needed;
}

static void leave_out(RvContacts* c, size_t k) {
  RvWetPair* w = bridge_of(c, k);
  c->shapes.data[k].stiffness = 0;
  if (w) w->needed = false;
}

// drops all but the nearest links of one source edge, which are [first, last)
static size_t keep_nearest(RvContacts* c, size_t first, size_t last) {
  size_t n = 0;
  for (size_t k = first; k < last; ++k) n += needed(c, k);
  if (n <= RV_CONTACT_MAX_LINKS) return 0;
  Near* near = rv_alloc(n, sizeof *near);
  size_t count = 0, dropped = n - RV_CONTACT_MAX_LINKS;
  for (size_t k = first; k < last; ++k) {
    if (!needed(c, k)) continue;
    // without memory the first ones stay: a bound is a bound
    if (!near && ++count > RV_CONTACT_MAX_LINKS) leave_out(c, k);
    const RvContactShape* s = &c->shapes.data[k];
    size_t i = rv_contact_vertex(c, (size_t)(c->keys.data[k] >> 32));
    size_t j = rv_contact_vertex(c, (size_t)(c->keys.data[k] & UINT32_MAX));
    RvFacing at = {.u = c->along.data[2 * k], .v = c->along.data[2 * k + 1]};
    if (near) near[count++] = (Near){rv_dot(s->normal, between(c->segments.x, i, j, &at)), k};
  }
  if (near) {
    qsort(near, n, sizeof *near, by_gap);
    for (size_t k = RV_CONTACT_MAX_LINKS; k < n; ++k) leave_out(c, near[k].index);
  }
  rv_free(near);
  return dropped;
}

// shapes and laws, which are large, stay where they are
static void move_link(RvContacts* c, size_t from, size_t to) {
  const RvWetPair* w = bridge_of(c, from);
  c->keys.data[to] = c->keys.data[from];
  c->shape_of.data[to] = (uint32_t)from;
  c->memory.data[to] = c->memory.data[from];
  c->along.data[2 * to] = c->along.data[2 * from], c->along.data[2 * to + 1] = c->along.data[2 * from + 1];
  if (!c->wet) return;
  c->law_of.data[to] = w && w->pulls ? c->law_of.data[from] : RV_NO_LAW;
  c->spans.data[to] = c->spans.data[from];
}

// Bridges without force in this step, in the order of their keys behind the links. They stand in `idle` meanwhile.
static size_t keep_idle(RvContacts* c, size_t kept) {
  size_t n = 0;
  for (size_t k = 0; k < c->idle.count; ++k) {
    const RvIdleLink* l = &c->idle.data[k];
    c->keys.data[kept + n] = l->key, c->memory.data[kept + n] = l->memory, c->spans.data[kept + n] = l->span;
    c->along.data[2 * (kept + n)] = l->along[0], c->along.data[2 * (kept + n) + 1] = l->along[1];
    ++n;
  }
  return n;
}

static RvIdleLink idle_link(const RvContacts* c, size_t k) {
  return (RvIdleLink){
      c->keys.data[k], c->memory.data[k], c->spans.data[k], {c->along.data[2 * k], c->along.data[2 * k + 1]}};
}

// Of each source edge the nearest few.
static size_t drop_far(RvContacts* c) {
  size_t dropped = 0;
  for (size_t first = 0, last; first < c->keys.count; first = last) {
    for (last = first; last < c->keys.count && c->keys.data[last] >> 32 == c->keys.data[first] >> 32;) ++last;
    if (last - first > RV_CONTACT_MAX_LINKS) dropped += keep_nearest(c, first, last);
  }
  return dropped;
}

RvResult rv_contact_keep(RvContacts* c, RvContactStats* stats, RvError* error) {
  size_t n = c->keys.count, kept = 0, idle = 0;
  stats->dropped += drop_far(c);
  for (size_t k = 0; k < n; ++k) idle += is_idle(c, k);
  if (!rv_array_resize(&c->shape_of, n) || !rv_array_reserve(&c->idle, idle))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu contacts", n);
  c->idle.count = 0;
  for (size_t k = 0; k < n; ++k) {
    if (is_idle(c, k))
      c->idle.data[c->idle.count++] = idle_link(c, k);
    else if (needed(c, k))
      move_link(c, k, kept++);
  }
  c->active = stats->links = kept;
  kept += keep_idle(c, kept);
  c->keys.count = c->memory.count = kept;
  if (c->wet) c->spans.count = kept;
  c->along.count = 2 * kept;
  return RV_OK;
}

RvResult rv_contact_links(RvContacts* c, double dt, const RvContactDef* def, RvError* error) {
  size_t n = c->pairs.count;
  Wave w = {.build = {c, def, dt}};
  c->keys.count = c->shapes.count = c->memory.count = c->along.count = c->law_of.count = c->wet_pairs.count = 0;
  bool room = rv_array_resize(&c->made, n < WAVE ? n : WAVE);
  for (w.first = 0; w.first < n && room; w.first = w.last) {
    w.last = w.first + WAVE < n ? w.first + WAVE : n;
    room = make_wave(&w);
  }
  if (room && c->wet) room = rv_array_resize(&c->laws, c->wet_pairs.count) && rv_array_resize(&c->spans, c->keys.count);
  return room ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu contacts", n);
}
