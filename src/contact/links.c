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
static void index_old(RvContacts* c) {
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

// Whether the pair holds liquid; what is needed to share it out and to make its law.
static bool make_bridge(const Build* b, size_t index, size_t e, size_t f, const RvFacing* at, const Around* around,
                        const RvLinkMemory* old, RvVec3 start) {
  RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  RvWetPair* w = &c->wet_pairs.data[index];
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  double r = s->thick[e], q = s->thick[f];
  double gap = rv_dot(at->normal, start), reach = b->def->reach * (r + q);
  RvWetMeeting m = {gap, reach, r + q, s->height[e] + s->height[f], .old_area = old ? old->area : 0};
  m.film[0] = s->area[i] * (1 - at->u) + s->area[i + 1] * at->u;
  m.film[1] = s->area[j] * (1 - at->v) + s->area[j + 1] * at->v;
  double weight;
  if (!(m.old_area > 0) && gap > m.height && gap < m.touch + c->table.rupture * sqrt(m.film[0] + m.film[1]))
    m.old_area = area_beside(around);
  if (!rv_wet_meets(&c->table, &m, &weight)) return false;
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

// Fills link `index`; a link that is not needed has no stiffness.
static void make_link(const Build* b, size_t index, size_t e, size_t f, RvFacing facing, Around* around) {
  RvContacts* c = b->c;
  const RvContactDef* def = b->def;
  const RvSegments* s = &c->segments;
  RvContactShape* shape = &c->shapes.data[index];
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  shape->stiffness = 0;
  if (c->wet) c->wet_pairs.data[index] = (RvWetPair){0};
  if (all_fixed(c, e) && all_fixed(c, f)) return;
  double reach = def->reach * (s->thick[e] + s->thick[f]), film = c->wet ? s->film[e] + s->film[f] : 0;
  // most pairs with liquid are side by side: what faces nothing now, and is far, is soon seen
  if (film > 0 && !(facing.length > 0) && facing.gap - closing(b, i, j, &facing) > reach) return;
  look_around(c, e, f, around);
  const RvLinkMemory* old = recall(around);
  if (old && rv_dot(facing.normal, old->normal) < 0) {
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
  if (!(facing.length > 0)) return;
  bool bridged = c->wet && make_bridge(b, index, e, f, &facing, around, old, start);
  if (!dry && !bridged) return;
  shape->normal = facing.normal, shape->offset = 0;
  double keep = old ? rv_max(old->reach, rv_min(reach, gap)) : rv_min(reach, gap);
  // what has crossed is brought back by d0 a step at most, so that no energy comes of it
  shape->reach = rv_min(keep, gap + reach);
  shape->width = reach * (1 - 1 / def->reach);
  shape->stiffness = multiple_of(b, e, f) * def->stiffness * facing.length;
  shape->limit = -def->friction * rv_contact_force(gap, shape->reach, shape->width, shape->stiffness).force;
  shape->slip = rv_max(def->slip * reach, def->slip_speed * b->dt);
  RvVec3 slip = old ? tangential(old->slip, facing.normal) : rv_vec3(0, 0, 0);
  shape->origin = rv_sub(tangential(start, facing.normal), slip);
  c->along.data[2 * index] = facing.u, c->along.data[2 * index + 1] = facing.v;
  c->memory.data[index] = (RvLinkMemory){slip, facing.normal, keep, old ? old->area : 0, old ? old->age : 0};
  if (!c->wet) return;
  c->wet_pairs.data[index].dry = dry && shape->stiffness > 0;
  c->wet_pairs.data[index].needed = c->wet_pairs.data[index].dry;
  c->wet_pairs.data[index].start = keep, c->wet_pairs.data[index].low = keep - shape->width;
  if (!bridged) c->memory.data[index].area = 0;
}

static void make_links(void* arg, size_t begin, size_t end) {
  const Build* b = arg;
  const uint64_t* pairs = b->c->pairs.data;
  RvPairLanes in = {0};
  RvFacingLanes out;
  Around around = {.source = SIZE_MAX};
  for (size_t first = begin; first < end; first += RV_PAIRS) {
    int count = (int)(end - first < RV_PAIRS ? end - first : RV_PAIRS);
    for (int k = 0; k < count; ++k)
      put_pair(b, (size_t)(pairs[first + (size_t)k] >> 32), (size_t)(pairs[first + (size_t)k] & UINT32_MAX), k, &in);
    rv_facing_lanes(&in, &out);
    for (int k = 0; k < count; ++k) {
      RvFacing facing = {out.u[k], out.v[k], out.length[k],
                         rv_vec3(out.normal[0][k], out.normal[1][k], out.normal[2][k]), out.gap[k]};
      uint64_t key = pairs[first + (size_t)k];
      make_link(b, first + (size_t)k, (size_t)(key >> 32), (size_t)(key & UINT32_MAX), facing, &around);
    }
  }
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

static bool needed(const RvContacts* c, size_t k) {
  return c->wet ? c->wet_pairs.data[k].needed : c->shapes.data[k].stiffness > 0;
}

// Notes the pairs that are something.
static void note_live(RvContacts* c) {
  size_t n = 0;
  for (size_t k = 0; k < c->pairs.count; ++k)
    if (c->wet ? c->wet_pairs.data[k].weight > 0 || c->wet_pairs.data[k].dry : c->shapes.data[k].stiffness > 0)
      c->live.data[n++] = (uint32_t)k;
  c->live.count = n;
}

static void leave_out(RvContacts* c, size_t k) {
  c->shapes.data[k].stiffness = 0;
  if (c->wet) c->wet_pairs.data[k].needed = false;
}

// drops all but the nearest links of one source edge, whose live pairs are [first, last)
static size_t keep_nearest(RvContacts* c, size_t first, size_t last) {
  size_t n = 0;
  for (size_t l = first; l < last; ++l) n += needed(c, c->live.data[l]);
  if (n <= RV_CONTACT_MAX_LINKS) return 0;
  Near* near = rv_alloc(n, sizeof *near);
  size_t count = 0, dropped = n - RV_CONTACT_MAX_LINKS;
  for (size_t l = first; l < last; ++l) {
    size_t k = c->live.data[l];
    if (!needed(c, k)) continue;
    // without memory the first ones stay: a bound is a bound
    if (!near && ++count > RV_CONTACT_MAX_LINKS) leave_out(c, k);
    const RvContactShape* s = &c->shapes.data[k];
    size_t i = rv_contact_vertex(c, (size_t)(c->pairs.data[k] >> 32));
    size_t j = rv_contact_vertex(c, (size_t)(c->pairs.data[k] & UINT32_MAX));
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
static void move_link(RvContacts* c, size_t live, size_t to) {
  size_t from = c->live.data[live];
  c->keys.data[to] = c->pairs.data[from];
  c->shape_of.data[to] = (uint32_t)from;
  c->memory.data[to] = c->memory.data[from];
  c->along.data[2 * to] = c->along.data[2 * from], c->along.data[2 * to + 1] = c->along.data[2 * from + 1];
  if (!c->wet) return;
  c->law_of.data[to] = c->wet_pairs.data[from].pulls ? (uint32_t)live : RV_NO_LAW;
  c->spans.data[to] = c->spans.data[live];
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

static void set_idle(RvContacts* c, size_t live) {
  size_t k = c->live.data[live];
  // there is room: it was reserved for all
  c->idle.data[c->idle.count++] = (RvIdleLink){
      c->pairs.data[k], c->memory.data[k], c->spans.data[live], {c->along.data[2 * k], c->along.data[2 * k + 1]}};
}

static size_t source_of(const RvContacts* c, size_t live) {
  return (size_t)(c->pairs.data[c->live.data[live]] >> 32);
}

void rv_contact_keep(RvContacts* c, RvContactStats* stats) {
  size_t n = c->live.count, kept = 0;
  c->idle.count = 0;
  for (size_t first = 0, last; first < n; first = last) {
    for (last = first; last < n && source_of(c, last) == source_of(c, first);) ++last;
    if (last - first > RV_CONTACT_MAX_LINKS) stats->dropped += keep_nearest(c, first, last);
    for (size_t l = first; l < last; ++l) {
      if (needed(c, c->live.data[l]))
        move_link(c, l, kept++);
      else if (c->wet && c->wet_pairs.data[c->live.data[l]].weight > 0)
        set_idle(c, l);
    }
  }
  c->active = stats->links = kept;
  kept += keep_idle(c, kept);
  c->keys.count = c->memory.count = kept;
  if (c->wet) c->spans.count = kept;
  c->along.count = 2 * kept;
}

RvResult rv_contact_links(RvContacts* c, double dt, const RvContactDef* def, RvError* error) {
  size_t n = c->pairs.count;
  bool room = rv_array_resize(&c->shapes, n) && rv_array_resize(&c->memory, n) && rv_array_resize(&c->along, 2 * n) &&
              rv_array_resize(&c->live, n) && (!c->wet || rv_array_resize(&c->wet_pairs, n));
  if (room) {
    Build b = {c, def, dt};
    index_old(c);
    rv_parallel_for(n, 512, make_links, &b);
    note_live(c);
    n = c->live.count;
    room = rv_array_resize(&c->keys, n) && rv_array_resize(&c->shape_of, n);
    if (c->wet)
      room = room && rv_array_resize(&c->laws, n) && rv_array_resize(&c->law_of, n) && rv_array_resize(&c->spans, n) &&
             rv_array_reserve(&c->idle, n);
  }
  return room ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu contacts", n);
}
