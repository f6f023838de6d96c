// Liquid of links and touches: which pairs hold it, how the films are shared among them, and the laws that follow.
//
// The film of a strand stays with it; a bridge has a share of the films of its two sides. On each edge the shares of
// the bridges, by the length that each faces, sum to 1 (E51), or to less where a part of it faces nothing: no place
// gives more than the film it has. The weights fall with the distance, so that the nearest have most of it, and are 0
// where a bridge breaks. What would get less than a part FORM of either film does not become a bridge, and one that
// gets less than STAY ends: in a dense bundle strands have bridges with those beside them, not with all that the film,
// were it not shared, could reach.
//
// A pair becomes a bridge where the films touch, and is one until it is farther than both that and its rupture (WH-11).
// It has its share of the films at once, and its force with a time of RELAX, from 0 on; later its area follows its
// share with the same time. So forces come and go gradually, whatever the step. Were it the area that grew from 0, a
// bridge would have no force until it reaches across, and then, near rupture, one that falls with the distance: a row
// of wet hairs then fell into pairs at once, which ones being decided by drops and by the step.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/store.h"
#include "math/scalar.h"

static const double RELAX = 4e-3;  // s
static const double FORM = 0.05, STAY = 0.025;

//---------------------------------------------------------------------------------------------- the step

static bool take_arrays(RvContacts* c) {
  RvSegments* s = &c->segments;
  size_t n = c->model->nvertex;
  if (!s->area) s->area = rv_alloc_zero(n, sizeof(double));
  if (!s->tension_factor) s->tension_factor = rv_alloc_zero(n, sizeof(double));
  if (!s->height) s->height = rv_alloc_zero(c->nedge, sizeof(double));
  if (!c->share) c->share = rv_alloc_zero(c->nedge, sizeof(double));
  if (!c->bridge_range) c->bridge_range = rv_alloc_zero(c->nedge, sizeof(double));
  return s->area && s->tension_factor && s->height && c->share && c->bridge_range;
}

static void radii_of(RvContacts* c) {
  const RvStrandModel* m = c->model;
  c->least_radius = INFINITY;
  c->largest_radius = 0;
  for (size_t k = 0; k < m->vertices; ++k) {
    c->least_radius = rv_min(c->least_radius, m->radius[k]);
    c->largest_radius = rv_max(c->largest_radius, m->radius[k]);
  }
}

RvResult rv_contact_wet_begin_step(RvContacts* c, const RvContactDef* def, RvError* error) {
  const RvContactWet* wet = def->liquid;
  c->wet = wet != NULL && c->nstrand > 0;
  c->wet_touches.count = c->touch_laws.count = c->spans.count = 0;
  if (!c->wet) return RV_OK;
  if (!(wet->tension >= 0) || !isfinite(wet->tension) || !(wet->cohesion >= 0) || !isfinite(wet->cohesion) ||
      !(wet->angle >= 0 && wet->angle < RV_PI))
    return rv_fail(error, RV_BAD_INPUT,
                   "contacts: tension and cohesion must not be below 0, and the contact angle in 0 to 180 degrees");
  if (!(c->largest_radius > 0)) radii_of(c);
  bool room = take_arrays(c) && rv_contact_angles_begin(c, def);
  return room ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for liquid between strands");
}

// falls with the fourth power of the distance
static double nearness(double distance, double reach) {
  double y = distance / reach, near = 1 / (1 + y * y);
  return near * near;
}

// WH-11: links form at min(H1 + H2, d_max) and stay up to max(H1 + H2, d_max), in the distance of centres
bool rv_contact_wet_meets(const RvBridgeTable* t, const RvWetMeeting* m, double* weight) {
  double film = m->film[0] + m->film[1];
  if (!(film > 0)) return false;
  double full = m->touch + t->rupture * sqrt(film);
  double limit =
      m->old_area > 0 ? rv_max(m->height, m->touch + t->rupture * sqrt(m->old_area)) : rv_min(m->height, full);
  if (!(m->distance <= limit)) return false;
  double d = rv_max(m->distance, 0), x = d / rv_max(rv_max(m->height, full), limit);
  double vanish = rv_max(1 - x * x, 1e-6);
  *weight = vanish * vanish * nearness(d, m->reach);
  return true;
}

//---------------------------------------------------------------------------------------------- crowds

typedef struct Crowd {
  RvContacts* c;
  const RvContactDef* def;
  double* near;  // [old links] distances
  float* press;  // and what they count
} Crowd;

static float press_of(const Crowd* w, size_t k) {
  const RvContacts* c = w->c;
  const double* r = c->segments.radius;
  size_t i = rv_contact_vertex(c, (size_t)(c->old_keys.data[k] >> 32));
  size_t j = rv_contact_vertex(c, (size_t)(c->old_keys.data[k] & UINT32_MAX));
  // edges that are not abreast face two of another strand each, so all of them count a little less than whole
  return (float)(0.75 * nearness(w->near[k], w->def->reach * (r[i] + r[j])));
}

// eight at a time
static void measure_old(void* arg, size_t begin, size_t end) {
  const Crowd* w = arg;
  RvPairIndex index = {0};
  RvClosestLanes at;
  size_t link[RV_PAIRS];
  int count = 0;
  for (size_t k = begin; k < end; ++k) {
    w->near[k] = INFINITY;
    w->press[k] = 0;
    if (w->c->old_memory.data[k].area > 0) {
      size_t e = (size_t)(w->c->old_keys.data[k] >> 32), f = (size_t)(w->c->old_keys.data[k] & UINT32_MAX);
      index.vertex[0][count] = (uint32_t)rv_contact_vertex(w->c, e);
      index.vertex[1][count] = (uint32_t)rv_contact_vertex(w->c, f);
      link[count++] = k;
    }
    if (count < RV_PAIRS && (k + 1 < end || count == 0)) continue;
    rv_contact_closest_lanes(w->c->segments.x, &index, &at);
    while (count > 0) {
      --count;
      w->near[link[count]] = at.distance[count];
      w->press[link[count]] = press_of(w, link[count]);
    }
  }
}

static void finish_crowd(void* arg, size_t begin, size_t end) {
  double* bridge_range = ((const Crowd*)arg)->c->bridge_range;
  for (size_t e = begin; e < end; ++e)
    bridge_range[e] = bridge_range[e] > 0 ? sqrt(rv_max(1 / sqrt(FORM * bridge_range[e]) - 1, 0)) : 1e30;
}

// The distance at which a new pair's weight would be FORM of those that are there; from the state and the places alone,
// so that a run that is resumed goes on with the same bits.
bool rv_contact_wet_bridge_ranges(RvContacts* c, const RvContactDef* def) {
  size_t n = c->old_keys.count;
  Crowd w = {c, def, RV_TAKE(c->scratch, double, n), RV_TAKE(c->scratch, float, n)};
  if (!w.near || !w.press) return false;
  c->old_distance = w.near;
  memset(c->bridge_range, 0, c->nedge * sizeof *c->bridge_range);
  rv_parallel_for(n, 512, measure_old, &w);
  for (size_t k = 0; k < n; ++k) {
    c->bridge_range[c->old_keys.data[k] >> 32] += w.press[k];
    c->bridge_range[c->old_keys.data[k] & UINT32_MAX] += w.press[k];
  }
  rv_parallel_for(c->nedge, 4096, finish_crowd, &w);
  return true;
}

//---------------------------------------------------------------------------------------------- shares

typedef struct Sharing {
  RvContacts* c;
  double rate, left;  // of what is missing: the part that comes in the step, and that is missing in the mean of it
  bool unshared;
} Sharing;

static double edge_length(const RvContacts* c, size_t e) {
  return rv_max(c->segments.edge_length[e], 1e-30);
}

// the one or two edges of a touch's point
static int edges_of_point(const RvContacts* c, uint64_t key, size_t edge[2]) {
  size_t point = (size_t)(key >> 32), vertex = point / 2, strand = rv_contact_strand(c, vertex), e = vertex - strand;
  int n = 0;
  if (point % 2 == 0 && e > c->strands[strand].first) edge[n++] = e - 1;
  if (e < c->strands[strand + 1].first) edge[n++] = e;
  return n;
}

// in the order of the links: each edge's sum has one order
static void sum_weights(RvContacts* c) {
  for (size_t e = 0; e < c->nedge; ++e) c->share[e] = 0;
  for (size_t block = 0; block < c->candidates.blocks; ++block) {
    const RvFilmClaim* w = c->candidates.claims[block];
    for (size_t k = 0; k < c->candidates.bridges[block]; ++k, ++w) {
      size_t e = w->edge[0], f = w->edge[1];
      c->share[e] += w->amount / edge_length(c, e);
      c->share[f] += w->amount / edge_length(c, f);
    }
  }
  for (size_t k = 0; k < c->touch_keys.count; ++k) {
    const RvWetPair* w = &c->wet_touches.data[k];
    size_t edge[2];
    int n = w->weight > 0 ? edges_of_point(c, c->touch_keys.data[k], edge) : 0;
    for (int i = 0; i < n; ++i) c->share[edge[i]] += w->weight * w->length / (n * edge_length(c, edge[i]));
  }
}

static double part(const Sharing* s, double weight, double sum) {
  return s->unshared ? 1 : rv_min(weight / sum, 1);
}

// The part of its force that a bridge has in the mean of the step; that at the end of it is kept.
static double grow(const Sharing* s, bool young, float* pull) {
  double missing = young ? 1 : 1 - (double)*pull;
  *pull = (float)(1 - missing * (1 - s->rate));
  return 1 - missing * s->left;
}

// the area follows its share; then the law, and whether it can have a force
static double settle(const RvBridgeTable* t, RvWetPair* w, double target, double area, double rate, RvWetLaw* law) {
  area = area > 0 ? area + (target - area) * rate : target;
  const RvWetDef def = {w->touch, w->low, w->start, w->turn, w->radius, w->ratio, area, w->strength};
  law->rupture = 0;
  // one that cannot get near enough in the step needs no law
  bool far = !w->dry && w->distance_min > w->touch + t->rupture * sqrt(area);
  if (!far && w->weight > 0 && rv_contact_wet_law(t, &def, law)) {
    law->side = w->side;
    law->shift = w->shift;
    w->has_law = true;
    w->active = w->active || (w->distance_min < law->rupture && w->distance_max > rv_contact_wet_begin(law));
  }
  return area;
}

// Bridges whose laws are made, when there are eight of them.
typedef struct Bunch {
  RvWetLanes in;
  RvLinkCandidate* link[RV_LINKS];
  int count;
} Bunch;

static void add_to_bunch(Bunch* b, const RvBridgeTable* t, RvLinkCandidate* w, RvLawBlock* law) {
  int k = b->count++;
  RvWetLanes* in = &b->in;
  b->link[k] = w;
  w->law_lane = 1;
  in->area[k] = w->memory.area;
  in->rupture[k] = t->rupture;
  in->table[k] = t;
  in->touch[k] = w->touch;
  in->start[k] = w->memory.reach;
  in->width[k] = w->width;
  in->turn[k] = w->turn;
  in->radius[k] = w->radius;
  in->ratio[k] = w->ratio;
  law->side[0][k] = w->side.x;
  law->side[1][k] = w->side.y;
  law->side[2][k] = w->side.z;
  law->shift[k] = w->shift;
  law->strength[k] = w->strength;
}

static void finish_bunch(Bunch* b, RvLawBlock* law) {
  float begin[RV_LINKS] __attribute__((aligned(64)));
  rv_contact_wet_law_lanes(&b->in, b->count, law, begin);
  for (int k = 0; k < b->count; ++k) {
    RvLinkCandidate* w = b->link[k];
    w->has_law = law->rupture[k] > 0;
    w->active = w->active || (w->has_law && w->distance_min < law->rupture[k] && w->distance_max > begin[k]);
  }
  b->count = 0;
}

// the area of a bridge follows its share; false: it has too little of it and ends, or needs no law
static bool settle_link(const Sharing* s, const RvBridgeTable* t, RvLinkCandidate* w) {
  const RvContacts* c = s->c;
  double mine = part(s, w->weight, c->share[w->key >> 32]);
  double other = part(s, w->weight, c->share[w->key & UINT32_MAX]);
  double area = w->memory.area;
  if (rv_min(mine, other) < (area > 0 ? STAY : FORM)) {
    w->weight = w->memory.area = 0;
    return false;
  }
  double target = mine * w->film[0] + other * w->film[1];
  w->strength *= grow(s, !(area > 0), &w->memory.pull);
  w->memory.area = (float)(area > 0 ? area + (target - area) * s->rate : target);
  return w->strength > 0 && (w->dry || w->distance_min <= w->touch + t->rupture * sqrt(w->memory.area));
}

static void settle_links(void* arg, size_t begin, size_t end) {
  const Sharing* s = arg;
  RvContacts* c = s->c;
  Bunch bunch = {0};
  for (size_t block = begin; block < end; ++block) {
    RvLinkCandidate* w = c->candidates.links[block];
    RvLawBlock* law = c->candidates.laws + c->candidates.law_first[block];
    uint32_t bridges = 0;
    for (size_t k = 0; k < c->candidates.count[block]; ++k, ++w) {
      if (!(w->weight > 0)) continue;
      const RvBridgeTable* t = rv_contact_table(c, (size_t)(w->key >> 32), (size_t)(w->key & UINT32_MAX));
      bool near = settle_link(s, t, w);
      bridges += w->weight > 0;
      if (near) add_to_bunch(&bunch, t, w, law);
      if (bunch.count == RV_LINKS) finish_bunch(&bunch, law++);
    }
    if (bunch.count > 0) finish_bunch(&bunch, law);
    c->candidates.bridges[block] = bridges;
    rv_contact_count(c, block);
  }
}

static void settle_touches(void* arg, size_t begin, size_t end) {
  const Sharing* s = arg;
  RvContacts* c = s->c;
  for (size_t k = begin; k < end; ++k) {
    RvWetPair* w = &c->wet_touches.data[k];
    c->touch_laws.data[k].rupture = 0;
    if (!(w->weight > 0)) continue;
    size_t edge[2] = {0};
    int n = edges_of_point(c, c->touch_keys.data[k], edge);
    double sum = n == 2 ? 0.5 * (c->share[edge[0]] + c->share[edge[1]]) : c->share[edge[0]];
    const RvBridgeTable* t = rv_contact_solid_table(c, c->touch_keys.data[k]);
    double* area = &c->touch_memory.data[k].area;
    w->strength *= grow(s, !(*area > 0), &c->touch_memory.data[k].pull);
    *area = settle(t, w, part(s, w->weight, sum) * w->film[0], *area, s->rate, &c->touch_laws.data[k]);
  }
}

// planes of the solids' tables, for the curvatures that are met
static bool make_solid_tables(RvContacts* c) {
  for (size_t k = 0; k < c->touch_keys.count; ++k) {
    const RvWetPair* w = &c->wet_touches.data[k];
    if (!(w->weight > 0)) continue;
    if (!rv_contact_bridge_table_make(rv_contact_solid_table(c, c->touch_keys.data[k]), w->ratio, w->ratio))
      return false;
  }
  return true;
}

static bool take_laws(RvContacts* c) {
  RvLinkCandidates* m = &c->candidates;
  uint32_t total = 0;
  for (size_t k = 0; k < m->blocks; ++k) {
    m->law_first[k] = total;
    total += (m->bridges[k] + RV_LINKS - 1) / RV_LINKS;
  }
  return (m->laws = RV_TAKE(c->scratch, RvLawBlock, total)) != NULL;
}

RvResult rv_contact_wet_share(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats,
                              RvError* error) {
  if (!c->wet) return RV_OK;
  if (!rv_array_resize(&c->touch_laws, c->touch_keys.count) || !make_solid_tables(c) || !take_laws(c))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for liquid between strands");
  sum_weights(c);
  double rate = 1 - rv_exp(-dt / RELAX);
  Sharing s = {c, rate, dt > 0 ? rate * RELAX / dt : 1, def->liquid->unshared};
  rv_parallel_for(c->candidates.blocks, 4, settle_links, &s);
  rv_parallel_for(c->touch_keys.count, 256, settle_touches, &s);
  for (size_t k = 0; k < c->candidates.blocks; ++k) stats->bridges += c->candidates.bridges[k];
  for (size_t k = 0; k < c->touch_keys.count; ++k) stats->bridges += c->wet_touches.data[k].weight > 0;
  return RV_OK;
}
