// Liquid of links and touches: which pairs are bridged, how the films are shared among the bridges, and their force
// laws.
//
// The film stays on its strand; a bridge has a share of the films of its two sides. On each edge the shares of the
// bridges, weighted by the length that each faces, sum to 1 (E51), or to less where a part of it faces nothing: no film
// is counted twice. The weights fall with the distance, so that the nearest bridges have most of the film, and vanish
// at rupture. A pair that would get less than the share FORM of either film does not become a bridge, and a bridge with
// less than STAY breaks: in a dense bundle strands have bridges to their neighbours only, not to all strands that the
// whole film could reach.
//
// A bridge forms where the films touch, and breaks beyond both that distance and its rupture (WH-11). It has its share
// of the films at once; its force grows from 0 with the time constant RELAX, and later its area relaxes to its share
// with the same time constant. So forces change gradually for every step length. (If the area grew from 0 instead, a
// bridge would have no force until it spans the gap, and then, near rupture, a force that falls with the distance: a
// row of wet hairs collapsed into pairs at once, chosen by drops and by the step.) Bridges of the initial state are not
// new: they have their whole force from the first step on, or hairs that start joined would spring apart.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/pair.h"
#include "contact/solver.h"
#include "contact/store.h"
#include "math/scalar.h"

static const double RELAX = RV_CONTACT_BRIDGE_TIME;
static const double FORM = 0.05;          // share of either film that a new bridge needs
static const double STAY = 0.025;         // share that an existing bridge needs
static const double LEAST_WEIGHT = 1e-6;  // of 1 - (d / d_max)^2: the weight of a bridge at rupture is not 0
static const double NOT_ABREAST = 0.75;   // an edge faces parts of two edges of another strand: each counts less than 1
static const double UNLIMITED = 1e30;     // halves of d0
static const double LEAST_LENGTH = 1e-30;  // m
enum { OLD_LINKS_OF_TASK = 512, EDGES_OF_TASK = 4096, BLOCKS_OF_TASK = 4, TOUCHES_OF_TASK = 256 };

//---------------------------------------------------------------------------------------------- the step

// Arrays of wet steps, which are kept; false: no memory.
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

// Smallest and largest radius of all vertices.
static void find_radii(RvContacts* c) {
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
  if (!(c->largest_radius > 0)) find_radii(c);
  bool room = take_arrays(c) && rv_contact_angles_begin(c, def);
  return room ? RV_OK : rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for the liquid between strands");
}

// Weight by distance, 1 at 0 and falling with its fourth power.
static double proximity(double distance, double reach) {
  double y = distance / reach, near = 1 / (1 + y * y);
  return near * near;
}

// WH-11: bridges form at min(H1 + H2, d_max) and last up to max(H1 + H2, d_max), in the distance of the centre lines.
bool rv_contact_wet_meets(const RvBridgeTable* t, const RvWetMeeting* m, double* weight) {
  double film = m->film[0] + m->film[1];
  if (!(film > 0)) return false;
  double full = m->touch + t->rupture * sqrt(film), half = 0.5 * m->spread;
  double limit =
      m->old_area > 0 ? rv_max(m->height, m->touch + t->rupture * sqrt(m->old_area) + half) : rv_min(m->height, full);
  if (!(m->distance <= limit)) return false;
  double d = rv_max(m->distance, 0), x = d / rv_max(rv_max(m->height, full + half), limit);
  double vanish = rv_max(1 - x * x, LEAST_WEIGHT);
  *weight = vanish * vanish * proximity(d, m->reach);
  return true;
}

//---------------------------------------------------------------------------------------------- range of new bridges

typedef struct Range {
  RvContacts* c;
  const RvContactDef* def;
  double* distance;  // [old links] m, now
  float* weight;     // [old links] in the films of their edges
} Range;

// Weight of an old bridge.
static float old_weight(const Range* w, size_t k) {
  const RvContacts* c = w->c;
  const double* r = c->segments.radius;
  size_t i = rv_contact_vertex(c, (size_t)(c->old_keys.data[k] >> 32));
  size_t j = rv_contact_vertex(c, (size_t)(c->old_keys.data[k] & UINT32_MAX));
  return (float)(NOT_ABREAST * proximity(w->distance[k], w->def->reach * (r[i] + r[j])));
}

// Distances and weights of some old bridges, eight at a time.
static void measure_old(void* arg, size_t begin, size_t end) {
  const Range* w = arg;
  RvPairIndex index = {0};
  RvClosestLanes at;
  size_t link[RV_PAIRS];
  int count = 0;
  for (size_t k = begin; k < end; ++k) {
    w->distance[k] = INFINITY;
    w->weight[k] = 0;
    if (w->c->old_memory.data[k].area > 0) {
      size_t e = (size_t)(w->c->old_keys.data[k] >> 32);
      size_t f = (size_t)(w->c->old_keys.data[k] & UINT32_MAX);
      index.vertex[0][count] = (uint32_t)rv_contact_vertex(w->c, e);
      index.vertex[1][count] = (uint32_t)rv_contact_vertex(w->c, f);
      link[count++] = k;
    }
    if (count < RV_PAIRS && (k + 1 < end || count == 0)) continue;
    rv_contact_closest_lanes(w->c->segments.x, &index, &at);
    while (count > 0) {
      --count;
      w->distance[link[count]] = at.distance[count];
      w->weight[link[count]] = old_weight(w, link[count]);
    }
  }
}

// The distance, in halves of d0, at which the weight of a new bridge would be FORM of the sum of the old ones.
static void finish_ranges(void* arg, size_t begin, size_t end) {
  double* bridge_range = ((const Range*)arg)->c->bridge_range;
  for (size_t e = begin; e < end; ++e)
    bridge_range[e] = bridge_range[e] > 0 ? sqrt(rv_max(1 / sqrt(FORM * bridge_range[e]) - 1, 0)) : UNLIMITED;
}

// It depends on the state and the positions alone, so that a resumed run continues with the same bits.
bool rv_contact_wet_bridge_ranges(RvContacts* c, const RvContactDef* def) {
  size_t n = c->old_keys.count;
  Range w = {c, def, RV_TAKE(c->scratch, double, n), RV_TAKE(c->scratch, float, n)};
  if (!w.distance || !w.weight) return false;
  c->old_distance = w.distance;
  memset(c->bridge_range, 0, c->nedge * sizeof *c->bridge_range);
  rv_parallel_for(n, OLD_LINKS_OF_TASK, measure_old, &w);
  for (size_t k = 0; k < n; ++k) {
    c->bridge_range[c->old_keys.data[k] >> 32] += w.weight[k];
    c->bridge_range[c->old_keys.data[k] & UINT32_MAX] += w.weight[k];
  }
  rv_parallel_for(c->nedge, EDGES_OF_TASK, finish_ranges, &w);
  return true;
}

//---------------------------------------------------------------------------------------------- shares

typedef struct Sharing {
  RvContacts* c;
  double rate;  // share of the difference to the target that relaxes within the step
  double left;  // share of the difference that remains in the mean over the step
  bool initial;  // the first step: its bridges belong to the initial state
  const RvContactDef* def;
} Sharing;

// Coulomb's limit of a contact: that of its dry push, and that of the push that its bridge's law contains (E76).
static double friction_limit(double dry_limit, double friction, double push) {
  return rv_max(dry_limit + friction * push, 0);
}

// Length of an edge, above 0.
static double edge_length(const RvContacts* c, size_t e) {
  return rv_max(c->segments.edge_length[e], LEAST_LENGTH);
}

// The one or two edges of a touch's point; returns their number.
static int edges_of_point(const RvContacts* c, uint64_t key, size_t edge[2]) {
  size_t point = (size_t)(key >> 32);
  size_t vertex = point / 2;
  size_t strand = rv_contact_strand(c, vertex);
  size_t e = vertex - strand;
  int n = 0;
  if (point % 2 == 0 && e > c->strands[strand].first) edge[n++] = e - 1;
  if (e < c->strands[strand + 1].first) edge[n++] = e;
  return n;
}

// Sum of the weights on each edge, in the order of the links, so that each sum has a fixed order.
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

// Share of a bridge in the film of an edge with that sum of weights.
static double share_of(double weight, double sum) {
  return rv_min(weight / sum, 1);
}

// Advances the share of its force that a bridge has reached; returns its mean over the step.
static double grow(const Sharing* s, bool young, float* pull) {
  double missing = young ? !s->initial : 1 - (double)*pull;
  *pull = (float)(1 - missing * (1 - s->rate));
  return 1 - missing * s->left;
}

// Makes the law of a touch's bridge, and finds whether it may have a force in the step, and how much its surfaces push.
static double make_touch_law(const RvBridgeTable* t, RvWetPair* w, double area, RvWetLaw* law) {
  const RvWetDef def = {w->touch, w->low, w->start, w->turn, w->radius, w->ratio, area, w->strength, 0};
  law->rupture = 0;
  // a bridge that stays beyond rupture in the step needs no law
  bool far = !w->dry && w->distance_min > w->touch + t->rupture * sqrt(area);
  if (far || !(w->weight > 0) || !rv_contact_wet_law(t, &def, law)) return 0;
  law->side = w->side;
  w->has_law = true;
  w->active = w->active || (w->distance_min < law->rupture && w->distance_max > rv_contact_wet_begin(law));
  return rv_contact_wet_push(law, w->distance);
}

// Bridges that wait for their laws, which are made eight at a time.
typedef struct Bunch {
  RvWetLanes in;
  RvLinkCandidate* link[RV_LINKS];
  int count;
} Bunch;

// Adds a bridge to those that wait; its law gets the next lane of `law`.
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
  in->spread[k] = w->spread;
  in->distance[k] = w->distance;
  law->side[0][k] = w->side.x;
  law->side[1][k] = w->side.y;
  law->side[2][k] = w->side.z;
  law->strength[k] = w->strength;
}

// Makes the laws of the waiting bridges.
static void finish_bunch(Bunch* b, double friction, RvLawBlock* law) {
  float begin[RV_LINKS] __attribute__((aligned(64)));
  float push[RV_LINKS] __attribute__((aligned(64)));
  rv_contact_wet_law_lanes(&b->in, b->count, law, begin, push);
  for (int k = 0; k < b->count; ++k) {
    RvLinkCandidate* w = b->link[k];
    w->has_law = law->rupture[k] > 0;
    w->friction_limit = (float)friction_limit(w->friction_limit, friction, w->strength * push[k]);
    w->active = w->active || (w->has_law && w->distance_min < law->rupture[k] && w->distance_max > begin[k]);
  }
  b->count = 0;
}

// Relaxes the area of a link's bridge to its share. False: it needs no law, or its share is too small and it breaks.
static bool settle_link(const Sharing* s, const RvBridgeTable* t, RvLinkCandidate* w) {
  const RvContacts* c = s->c;
  double mine = share_of(w->weight, c->share[w->key >> 32]);
  double other = share_of(w->weight, c->share[w->key & UINT32_MAX]);
  double area = w->memory.area;
  if (rv_min(mine, other) < (area > 0 ? STAY : FORM)) {
    w->weight = w->memory.area = 0;
    return false;
  }
  double target = mine * w->film[0] + other * w->film[1];
  w->strength *= grow(s, !(area > 0), &w->memory.pull);
  w->memory.area = (float)(area > 0 ? area + (target - area) * s->rate : target);
  return w->strength > 0 &&
         (w->dry || w->distance_min <= w->touch + t->rupture * sqrt(w->memory.area) + 0.5 * w->spread);
}

// Areas and laws of some blocks of candidates.
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
      if (bunch.count == RV_LINKS) finish_bunch(&bunch, s->def->friction, law++);
    }
    if (bunch.count > 0) finish_bunch(&bunch, s->def->friction, law);
    c->candidates.bridges[block] = bridges;
    rv_contact_count(c, block);
  }
}

// Areas and laws of some touches.
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
    double target = share_of(w->weight, sum) * w->film[0];
    *area = *area > 0 ? *area + (target - *area) * s->rate : target;
    double push = make_touch_law(t, w, *area, &c->touch_laws.data[k]);
    double* limit = &c->touch_shapes.data[k].friction_limit;
    *limit = friction_limit(*limit, s->def->colliders[c->touch_keys.data[k] & UINT32_MAX].friction, push);
  }
}

// Planes of the solids' tables for the curvatures that occur; false: no memory.
static bool make_solid_tables(RvContacts* c) {
  for (size_t k = 0; k < c->touch_keys.count; ++k) {
    const RvWetPair* w = &c->wet_touches.data[k];
    if (!(w->weight > 0)) continue;
    if (!rv_contact_bridge_table_make(rv_contact_solid_table(c, c->touch_keys.data[k]), w->ratio, w->ratio))
      return false;
  }
  return true;
}

// Memory of the laws of all blocks; false: no memory.
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
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for the liquid between strands");
  sum_weights(c);
  double rate = 1 - rv_exp(-dt / RELAX);
  Sharing s = {c, rate, dt > 0 ? rate * RELAX / dt : 1, !c->begun, def};
  rv_parallel_for(c->candidates.blocks, BLOCKS_OF_TASK, settle_links, &s);
  rv_parallel_for(c->touch_keys.count, TOUCHES_OF_TASK, settle_touches, &s);
  for (size_t k = 0; k < c->candidates.blocks; ++k) stats->bridges += c->candidates.bridges[k];
  for (size_t k = 0; k < c->touch_keys.count; ++k) stats->bridges += c->wet_touches.data[k].weight > 0;
  return RV_OK;
}
