// Candidate links of the pairs: the part of an edge that faces the other, its history, and its liquid.
//
// Pairs go in groups of eight through the kernels of pair.h. A fast pair, which meets only within the step, is
// evaluated again at the time when it meets.
#include <math.h>

#include "base/parallel.h"
#include "contact/law.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"

static const double PASSED = 2;      // d0: strands farther than this on the wrong side have passed through each other
static const double PARALLEL = 0.1;  // rad: strands within this angle are side by side
// s in which a bridged pair that met closer than d0 regains its whole d0. Without it a bundle, whose pairs part and
// meet all the time, would become thinner with each meeting.
static const double REGAIN = 0.02;
static const double SLACK = 0.25;  // d0: margin of the distances that a bridge may have in the step
static const double BLEND = 0.01;  // square of the sine at which sideways motion counts half, as in pair.c
enum { INDEX_EDGES = 8192 };       // edges of a parallel task

typedef struct Build {
  RvContacts* c;
  const RvContactDef* def;
  double dt;
} Build;

// Index of the first key that is not below `key`.
static size_t lower_bound(const uint64_t* keys, size_t count, uint64_t key) {
  size_t lo = 0, hi = count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (keys[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

size_t rv_contact_find_key(const uint64_t* keys, size_t count, uint64_t key) {
  size_t at = lower_bound(keys, count, key);
  return at < count && keys[at] == key ? at : count;
}

// First old link of some source edges.
static void index_some(void* arg, size_t begin, size_t end) {
  RvContacts* c = arg;
  size_t at = lower_bound(c->old_keys.data, c->old_keys.count, (uint64_t)begin << 32);
  for (size_t e = begin; e < end; ++e) {
    while (at < c->old_keys.count && c->old_keys.data[at] >> 32 < e) ++at;
    c->old_first[e] = (uint32_t)at;
  }
}

void rv_contact_index_old(RvContacts* c) {
  rv_parallel_for(c->nedge + 1, INDEX_EDGES, index_some, c);
}

// Cursors into the old links of a source edge and of the edges before and after it. Pairs come in ascending order, so
// the cursors only move forward.
typedef struct Around {
  size_t source;
  uint32_t at[3], end[3];  // of the edges before, at and after the source
} Around;
// Memories of the old links around a pair: [source's neighbours][receiver's neighbours], NULL where there is none.
typedef const RvLinkMemory* Beside[3][3];

// Sets the cursors to the old links of a new source edge.
static void begin_around(const RvContacts* c, size_t e, Around* a) {
  const RvContactStrand* s = &c->strands[c->strand_of[e]];
  a->source = e;
  for (size_t k = 0; k < 3; ++k) {
    bool none = (k == 0 && e == s[0].first) || (k == 2 && e + 1 == s[1].first);
    a->at[k] = a->end[k] = 0;
    if (!none) {
      a->at[k] = c->old_first[e + k - 1];
      a->end[k] = c->old_first[e + k];
    }
  }
}

// Finds the old links around the pair (e, f).
static void find_old(const RvContacts* c, size_t e, size_t f, Around* a, Beside found) {
  const RvContactStrand* s = &c->strands[c->strand_of[f]];
  const uint64_t* keys = c->old_keys.data;
  uint32_t first = (uint32_t)(f > s[0].first ? f - 1 : f);
  uint32_t last = (uint32_t)(f + 1 < s[1].first ? f + 1 : f);
  if (e != a->source) begin_around(c, e, a);
  for (int k = 0; k < 3; ++k) {
    found[k][0] = found[k][1] = found[k][2] = NULL;
    uint32_t at = a->at[k], end = a->end[k];
    while (at < end && (uint32_t)keys[at] < first) ++at;
    a->at[k] = at;
    for (; at < end && (uint32_t)keys[at] <= last; ++at)
      found[k][(uint32_t)keys[at] + 1 - (uint32_t)f] = &c->old_memory.data[at];
  }
}

// Largest area of the bridges next to a pair. Liquid wicks along a wedge: next to a bridge a pair counts as bridged, if
// it is not beyond rupture.
static double area_beside(Beside found) {
  double area = 0;
  for (int k = 0; k < 9; ++k)
    if (found[k / 3][k % 3]) area = rv_max(area, found[k / 3][k % 3]->area);
  return area;
}

// Memory of this pair from the step before; a contact that slid over a vertex takes that of its old pair. Nearer pairs
// come first.
static const RvLinkMemory* recall(Beside found) {
  static const int8_t order[9][2] = {{1, 1}, {1, 0}, {1, 2}, {0, 1}, {2, 1}, {0, 0}, {2, 2}, {0, 2}, {2, 0}};
  for (int k = 0; k < 9; ++k)
    if (found[order[k][0]][order[k][1]]) return found[order[k][0]][order[k][1]];
  return NULL;
}

// The pair at the start of the step.
static RvEdgePair pair_now(const RvContacts* c, size_t e, size_t f) {
  const RvSegments* s = &c->segments;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  return (RvEdgePair){{s->x[i], s->x[i + 1]}, {s->x[j], s->x[j + 1]}, s->plane[j], s->plane[j + 1]};
}

static RvVec3 tangential(RvVec3 a, RvVec3 n) {
  return rv_mad(a, -rv_dot(a, n), n);
}

// Whether both vertices of an edge are fixed.
static bool all_fixed(const RvContacts* c, size_t e) {
  const RvContactStrand* s = &c->strands[c->strand_of[e]];
  size_t place = rv_contact_unknown(c, s, e - s->first);
  return c->model->free[place] == 0 && c->model->free[place + 4 * RV_LANES] == 0;
}

// Difference of a vector at the two points of a link.
static RvVec3 between(const RvVec3* x, size_t i, size_t j, const RvFacing* at) {
  return rv_sub(rv_lerp(x[i], x[i + 1], at->u), rv_lerp(x[j], x[j + 1], at->v));
}

// Length by which the gap may close in the step. One strand may fall while the other is supported, which matters only
// where the normal is not horizontal.
static double closing(const Build* b, size_t i, size_t j, const RvFacing* at) {
  return b->dt * (b->dt * fabs(rv_dot(at->normal, b->def->acceleration)) -
                  rv_dot(at->normal, between(b->c->segments.v, i, j, at)));
}

// Number of hairs in contact: the smaller one of both strands.
static double multiple_of(const Build* b, size_t e, size_t f) {
  const double* multiple = b->def->multiple;
  const RvContacts* c = b->c;
  return multiple ? rv_min(multiple[c->strands[c->strand_of[e]].input], multiple[c->strands[c->strand_of[f]].input])
                  : 1;
}

// Whether two edges are side by side. Such strands may go round each other, so their normals need not keep their side:
// in a bundle, forcing each hair back to its side of the next would draw all hairs into one.
static bool side_by_side(const RvSegments* s, size_t e, size_t f) {
  RvVec3 across = rv_cross(s->tangent[e], s->tangent[f]);
  return rv_dot(across, across) < PARALLEL * PARALLEL;
}

// The direction in which motion beside the normal separates a pair to second order, m^-1/2 (RvWetLaw): all of it where
// the edges are parallel, nothing where they cross, as they stay equally far apart then.
static RvFloat3 sideways_of(RvVec3 normal, RvVec3 ta, RvVec3 tb, double distance) {
  RvVec3 across = rv_cross(ta, tb);
  double parallel = BLEND / (rv_dot(across, across) + BLEND);
  return rv_contact_float3(
      rv_scale(rv_normalize(rv_cross(normal, tb), rv_vec3(0, 0, 0)), sqrt(parallel / distance)));
}

// Whether the pair is bridged; then fills the candidate's liquid: the input of its share and of its law.
static bool make_bridge(const Build* b, RvLinkCandidate* w, size_t e, size_t f, const RvFacing* at, Beside beside,
                        const RvLinkMemory* old, RvVec3 start) {
  RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  size_t i = rv_contact_vertex(c, e), j = rv_contact_vertex(c, f);
  double r = s->edge_radius[e], q = s->edge_radius[f];
  double along = rv_dot(at->normal, start), reach = b->def->reach * (r + q);
  RvVec3 tb = s->tangent[f];
  // The distance as the law has it. The normal is that of the nearest points, and of a later time for a pair that is
  // evaluated again, so the points of the link lie beside it.
  w->side = sideways_of(at->normal, s->tangent[e], tb, rv_max(along, reach));
  double beside_normal = rv_dot(rv_contact_from_float3(w->side), start);
  double gap = along + 0.5 * beside_normal * beside_normal;
  RvVec3 opening = rv_mad(s->tangent[e], rv_dot(s->tangent[e], tb) < 0 ? 1 : -1, tb);
  RvWetMeeting m = {gap, reach, r + q, s->height[e] + s->height[f], .old_area = old ? old->area : 0};
  m.spread = at->length * fabs(rv_dot(at->normal, opening));
  m.film[0] = s->area[i] * (1 - at->u) + s->area[i + 1] * at->u;
  m.film[1] = s->area[j] * (1 - at->v) + s->area[j + 1] * at->v;
  // A pair next to a bridge counts as bridged.
  double weight;
  const RvBridgeTable* table = rv_contact_table(c, e, f);
  if (!(m.old_area > 0) && gap > m.height &&
      gap < m.touch + table->rupture * sqrt(m.film[0] + m.film[1]) + 0.5 * m.spread)
    m.old_area = area_beside(beside);
  if (!rv_contact_wet_meets(table, &m, &weight)) return false;
  // Under water there is no force, whatever the other side is (WH-18).
  double tension_factor = rv_min(s->tension_factor[i] * (1 - at->u) + s->tension_factor[i + 1] * at->u,
                                 s->tension_factor[j] * (1 - at->v) + s->tension_factor[j + 1] * at->v);
  double apart = b->dt * rv_dot(at->normal, between(s->v, i, j, at));
  double slack = SLACK * reach;
  double fall = b->dt * b->dt * fabs(rv_dot(at->normal, b->def->acceleration));
  w->weight = weight;
  w->length = at->length;
  w->film[0] = m.film[0];
  w->film[1] = m.film[1];
  w->strength = b->def->liquid->tension * tension_factor * at->length * multiple_of(b, e, f);
  w->distance = (float)gap;
  w->distance_min = (float)(gap + rv_min(apart - fall, 0) - slack);
  w->distance_max = (float)(gap + rv_max(apart + fall, 0) + slack);
  w->touch = (float)(r + q);
  w->turn = (float)(2 * reach - (r + q));
  w->spread = (float)m.spread;
  w->radius = (float)rv_min(r, q);
  w->ratio = (float)(rv_min(r, q) / rv_max(r, q));
  return true;
}

// Eight pairs: how they face each other, their memories, and when they are evaluated again.
typedef struct Group {
  int count;
  RvPairIndex index;
  RvFacingLanes facing;
  Beside beside[RV_PAIRS];
  const RvLinkMemory* old[RV_PAIRS];
  double time[RV_PAIRS] __attribute__((aligned(64)));  // s after the start of the step; negative: not again
  bool none[RV_PAIRS];                                 // it is no candidate
} Group;

// Indices of a pair in lane k of a group.
static void add_to_group(const RvContacts* c, Group* g, int k, uint64_t pair) {
  uint32_t e = (uint32_t)(pair >> 32), f = (uint32_t)pair, j = f + c->strand_of[f];
  const RvContactStrand* strand = &c->strands[c->strand_of[f]];
  g->index.edge[0][k] = e;
  g->index.edge[1][k] = f;
  g->index.vertex[0][k] = e + c->strand_of[e];
  g->index.vertex[1][k] = j;
  g->index.beside[0][k] = f > strand[0].first ? j - 1 : j;
  g->index.beside[1][k] = f + 1 < strand[1].first ? j + 2 : j + 1;
  g->time[k] = -1;
}

static RvFacing facing_of(const Group* g, int k) {
  const RvFacingLanes* at = &g->facing;
  return (RvFacing){at->u[k], at->v[k], at->length[k], rv_vec3(at->normal[0][k], at->normal[1][k], at->normal[2][k]),
                    at->gap[k]};
}

// Evaluates a pair whose normal has reversed on the side of its old normal. Returns its memory, or NULL where the
// strands have passed through each other: to pull them back would be a violent impulse.
static const RvLinkMemory* keep_side(const Build* b, Group* g, int k, const RvLinkMemory* old, double reach) {
  RvEdgePair pair = pair_now(b->c, g->index.edge[0][k], g->index.edge[1][k]);
  RvFacing at = rv_contact_facing(&pair, reach, rv_contact_from_float3(old->normal));
  if (at.gap < -PASSED * reach) return NULL;
  RvFacingLanes* to = &g->facing;
  to->u[k] = at.u;
  to->v[k] = at.v;
  to->length[k] = at.length;
  to->gap[k] = at.gap;
  to->normal[0][k] = at.normal.x;
  to->normal[1][k] = at.normal.y;
  to->normal[2][k] = at.normal.z;
  to->close[k] = closing(b, g->index.vertex[0][k], g->index.vertex[1][k], &at);
  return old;
}

// Memory and side of a pair, and the time at which a fast one is evaluated again.
static void consider(const Build* b, Group* g, int k, Around* around) {
  RvContacts* c = b->c;
  const RvContactDef* def = b->def;
  const RvSegments* s = &c->segments;
  const RvFacingLanes* at = &g->facing;
  size_t e = g->index.edge[0][k], f = g->index.edge[1][k];
  double reach = def->reach * (s->edge_radius[e] + s->edge_radius[f]);
  double film = c->wet ? s->film[e] + s->film[f] : 0;
  // A pair with film that faces nothing and is far is no candidate: most bridged pairs are side by side.
  g->none[k] =
      (film > 0 && !(at->length[k] > 0) && at->gap[k] - at->close[k] > reach) || (all_fixed(c, e) && all_fixed(c, f));
  if (g->none[k]) return;
  find_old(c, e, f, around, g->beside[k]);
  const RvLinkMemory* old = recall(g->beside[k]);
  if (old && rv_dot(facing_of(g, k).normal, rv_contact_from_float3(old->normal)) < 0 && !side_by_side(s, e, f))
    old = keep_side(b, g, k, old, reach);
  g->old[k] = old;
  double gap = at->gap[k], close = at->close[k];
  if (close > 0 && gap > reach && (film == 0 || gap - close < reach * (1 + def->margin)))
    g->time[k] = rv_min(1, (gap - reach) / close) * b->dt;
}

enum { GROUPS = 8 };  // groups at a time, so that their fast pairs fill all lanes

// Copies the facing of one pair: a lane of each row.
static void copy_facing(const RvFacingLanes* from, int k, RvFacingLanes* to, int i) {
  enum { ROWS = sizeof(RvFacingLanes) / (RV_PAIRS * sizeof(double)) };
  const double* in = (const double*)from + k;
  double* out = (double*)to + i;
  for (int row = 0; row < ROWS; ++row) out[row * RV_PAIRS] = in[row * RV_PAIRS];
}

// Evaluates the fast pairs of some groups again, eight at a time, at the time when they meet.
static void evaluate_again(const RvPairSource* from, Group* groups, int ngroup) {
  Group bunch = {0};
  int where[RV_PAIRS], last = ngroup * RV_PAIRS;
  for (int k = 0; k <= last; ++k) {
    Group* g = &groups[k / RV_PAIRS];
    int lane = k % RV_PAIRS;
    if (k < last && lane < g->count && !g->none[lane] && g->time[lane] >= 0) {
      int i = bunch.count++;
      where[i] = k;
      bunch.time[i] = g->time[lane];
      for (int side = 0; side < 2; ++side) {
        bunch.index.vertex[side][i] = g->index.vertex[side][lane];
        bunch.index.edge[side][i] = g->index.edge[side][lane];
        bunch.index.beside[side][i] = g->index.beside[side][lane];
      }
      copy_facing(&g->facing, lane, &bunch.facing, i);
    }
    if (bunch.count < RV_PAIRS && (k < last || bunch.count == 0)) continue;
    rv_contact_facing_moved_lanes(from, &bunch.index, bunch.time, &bunch.facing);
    for (int i = 0; i < bunch.count; ++i)
      copy_facing(&bunch.facing, i, &groups[where[i] / RV_PAIRS].facing, where[i] % RV_PAIRS);
    bunch.count = 0;
  }
}

// Makes the candidate of a pair. False: it is neither a link nor a bridge.
static bool make_link(const Build* b, RvLinkCandidate* out, Group* g, int k) {
  RvContacts* c = b->c;
  const RvContactDef* def = b->def;
  const RvSegments* s = &c->segments;
  size_t e = g->index.edge[0][k];
  size_t f = g->index.edge[1][k];
  size_t i = g->index.vertex[0][k];
  size_t j = g->index.vertex[1][k];
  if (g->none[k] || !(g->facing.length[k] > 0)) return false;
  RvFacing facing = facing_of(g, k);
  const RvLinkMemory* old = g->old[k];
  double reach = def->reach * (s->edge_radius[e] + s->edge_radius[f]);
  // rounded as they are stored
  facing.u = (float)facing.u;
  facing.v = (float)facing.v;
  RvVec3 start = between(s->x, i, j, &facing);
  double gap = rv_dot(facing.normal, start);
  bool dry = rv_min(gap, gap - g->facing.close[k]) < reach * (1 + def->margin);
  bool bridged = c->wet && make_bridge(b, out, e, f, &facing, g->beside[k], old, start);
  if (!dry && !bridged) return false;
  // d0 of the pair: smaller where it met closer, so that nothing jumps.
  double keep = old ? rv_max(old->reach, rv_min(reach, gap)) : rv_min(reach, gap);
  if (bridged) keep = rv_min(reach, keep + reach * b->dt / REGAIN);
  double width = reach * (1 - 1 / def->reach);
  double stiffness = multiple_of(b, e, f) * def->stiffness * facing.length;
  // Strands that have crossed are brought back by at most d0 a step, which bounds the energy.
  out->reach = rv_min(keep, gap + reach);
  out->normal = facing.normal;
  out->width = (float)width;
  out->stiffness = (float)stiffness;
  out->friction_limit = (float)(-def->friction * rv_contact_force(gap, out->reach, width, stiffness).force);
  out->slip = (float)rv_max(def->slip * reach, def->slip_speed * b->dt);
  // Friction anchor.
  RvVec3 slip = old ? tangential(rv_contact_from_float3(old->slip), facing.normal) : rv_vec3(0, 0, 0);
  out->origin = rv_sub(tangential(start, facing.normal), slip);
  out->along[0] = (float)facing.u;
  out->along[1] = (float)facing.v;
  out->memory = (RvLinkMemory){rv_contact_float3(slip), rv_contact_float3(facing.normal), (float)keep,
                               old ? old->age : 0,      bridged && old ? old->area : 0,   old ? old->pull : 0};
  out->has_law = false;
  out->law_lane = false;
  out->dry = out->active = dry && stiffness > 0;
  if (!bridged) out->weight = 0;
  return bridged || stiffness > 0;
}

//---------------------------------------------------------------------------------------------- blocks

// Candidates of a block of source edges.
static void make_block(const Build* b, size_t block) {
  RvContacts* c = b->c;
  const RvSegments* s = &c->segments;
  const RvPairSource from = {s->x,           s->v,          s->plane, s->tangent,          s->edge_length,
                             s->edge_radius, b->def->reach, b->dt,    b->def->acceleration};
  const uint64_t* pairs = c->pairs.data;
  RvLinkCandidate* out = c->candidates.links[block];
  Group groups[GROUPS] = {0};
  Around around = {.source = SIZE_MAX};
  size_t last_edge = (block + 1) * RV_CANDIDATE_EDGES < c->nedge ? (block + 1) * RV_CANDIDATE_EDGES : c->nedge;
  size_t begin = c->pair_first[block * RV_CANDIDATE_EDGES];
  size_t end = c->pair_first[last_edge];
  RvFilmClaim* claims = c->candidates.claims[block];
  uint32_t count = 0, wet = 0;
  for (size_t first = begin; first < end;) {
    // Groups of pairs.
    int n = 0;
    for (; n < GROUPS && first < end; ++n) {
      Group* g = &groups[n];
      for (g->count = 0; g->count < RV_PAIRS && first < end; ++g->count, ++first)
        add_to_group(c, g, g->count, pairs[first]);
      rv_contact_facing_lanes(&from, &g->index, &g->facing);
      for (int k = 0; k < g->count; ++k) consider(b, g, k, &around);
    }
    evaluate_again(&from, groups, n);
    // Candidates and their claims on the films.
    for (int k = 0; k < n * RV_PAIRS; ++k) {
      Group* g = &groups[k / RV_PAIRS];
      if (k % RV_PAIRS >= g->count || !make_link(b, &out[count], g, k % RV_PAIRS)) continue;
      uint32_t e = g->index.edge[0][k % RV_PAIRS], f = g->index.edge[1][k % RV_PAIRS];
      if (out[count].weight > 0) claims[wet++] = (RvFilmClaim){{e, f}, out[count].weight * out[count].length};
      out[count++].key = (uint64_t)e << 32 | f;
    }
  }
  c->candidates.count[block] = count;
  c->candidates.bridges[block] = wet;
}

static void make_blocks(void* arg, size_t begin, size_t end) {
  for (size_t block = begin; block < end; ++block) make_block(arg, block);
}

// Memory of the blocks; false: no memory.
static bool take_blocks(RvContacts* c, size_t blocks) {
  RvLinkCandidates* m = &c->candidates;
  RvArena* a = c->scratch;
  m->count = RV_TAKE(a, uint32_t, blocks);
  m->bridges = RV_TAKE(a, uint32_t, blocks);
  m->law_first = RV_TAKE(a, uint32_t, blocks);
  m->kept = RV_TAKE(a, RvKeptCount, blocks);
  m->links = RV_TAKE(a, RvLinkCandidate*, blocks);
  m->claims = RV_TAKE(a, RvFilmClaim*, blocks);
  bool room = m->count && m->bridges && m->law_first && m->kept && m->links && m->claims;
  for (size_t k = 0; room && k < blocks; ++k) {
    size_t last = (k + 1) * RV_CANDIDATE_EDGES < c->nedge ? (k + 1) * RV_CANDIDATE_EDGES : c->nedge;
    size_t pairs = c->pair_first[last] - c->pair_first[k * RV_CANDIDATE_EDGES];
    m->links[k] = RV_TAKE(a, RvLinkCandidate, pairs);
    m->claims[k] = RV_TAKE(a, RvFilmClaim, c->wet ? pairs : 0);
    room = m->links[k] && m->claims[k];
  }
  return room;
}

RvResult rv_contact_links(RvContacts* c, double dt, const RvContactDef* def, RvError* error) {
  Build b = {c, def, dt};
  size_t blocks = (c->nedge + RV_CANDIDATE_EDGES - 1) / RV_CANDIDATE_EDGES;
  if (!take_blocks(c, blocks))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu pairs of edges", c->pairs.count);
  c->candidates.blocks = blocks;
  rv_parallel_for(blocks, 1, make_blocks, &b);
  return RV_OK;
}
