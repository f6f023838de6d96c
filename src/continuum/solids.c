// Forces of solids on chains, and the last correction of places.
#include "continuum/solids.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

// Added mass of a vertex on a plane over the mass of its strand: it sinks in by the inverse share of its way.
static const double PLANE_MASS = 1e4;
// m/s: slip below which Coulomb's friction is viscous.
static const double STICK_SPEED = 1e-3;
// Solves of the chains that find planes and forces.
enum { ROUNDS = 3 };
// Rounds of the last correction.
enum { CORRECTIONS = 16 };
// Passes over a strand in a round: inward and outward (FABRIK, Aristidou and Lasenby 2011).
enum { REACHES = 4 };

RvResult rv_chain_solids_init(RvChainSolids* s, const RvChainModel* m, RvError* error) {
  s->from = rv_alloc_zero(3 * m->vertices + 1, sizeof(double));
  s->planes = rv_alloc_zero(m->vertices + 1, sizeof *s->planes);
  s->fresh = true;
  return s->from && s->planes ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
}

void rv_chain_solids_free(RvChainSolids* s) {
  RV_FREE_ALL(s->from, s->planes);
  *s = (RvChainSolids){0};
}

void rv_chain_solids_begin(RvChainSolids* s, const RvChainModel* m, const RvChainState* state) {
  memcpy(s->from, state->x, 3 * m->vertices * sizeof(double));
}

//---------------------------------------------------------------------------------------------- forces

// A step that the planes act in.
typedef struct Load {
  const RvChainSolids* s;
  const RvChainModel* m;
  const RvChainState* state;
  double dt, h;  // s; h: times the implicitness
  const double* multiple;
  RvChainLoads* out;
} Load;

static void add_vector(double* blocks, size_t at, RvVec3 v) {
  rv_strand_set_vector(blocks, at, rv_add(rv_strand_vector(blocks, at), v));
}

// Adds a force at the end of a link, and the mass a + b n n^T.
static void add_end(const Load* w, const RvChainBatch* b, int lane, int link, RvVec3 force, double a, double c,
                    const double n[3]) {
  add_vector(w->out->end_force, rv_chain_link(b, lane, link, 3, 0), force);
  int k = 0;
  for (int row = 0; row < 3; ++row)
    for (int column = row; column < 3; ++column, ++k)
      w->out->end_mass[rv_chain_link(b, lane, link, 6, k)] += (row == column ? a : 0) + c * n[row] * n[column];
}

static double strand_mass(const RvChainModel* m, const RvChainBatch* b, int lane) {
  double sum = 0;
  for (int i = 0; i < b->links; ++i) sum += m->mass[rv_chain_link(b, lane, i, 1, 0)];
  return sum;
}

// Length of the strand that vertex i stands for.
static double cell_length(const RvChainModel* m, const RvChainBatch* b, int lane, int i) {
  double sum = m->length[rv_chain_link(b, lane, i - 1, 1, 0)];
  if (i < b->links) sum += m->length[rv_chain_link(b, lane, i, 1, 0)];
  return 0.5 * sum;
}

// The plane holds the vertex at the end of the step; friction resists its slip. Both act on the velocity that the spins
// after the step give the vertex in its place before it, as predict() has it. The chains' solve adds `turning`, the
// centripetal acceleration of the vertex at the start. It is a velocity times the turn in the step, which would be made
// up for by spins: above a turn of 1 limp hair on a solid would drive itself. So its part is given back.
static void load_vertex(const Load* w, const RvChainBatch* b, int lane, int i, double mass, RvVec3 turning) {
  const RvChainPlane* p = &w->s->planes[rv_chain_vertex(b, lane, i, 1, 0)];
  if (!p->blocks && !(p->slip > 0)) return;
  size_t at = rv_chain_vertex(b, lane, i, 3, 0);
  RvVec3 n = rv_vec3_load64(p->normal), x = rv_strand_vector(w->state->x, at), v = rv_strand_vector(w->state->v, at);
  if (p->blocks) {
    double added = PLANE_MASS * mass, way = p->offset - rv_dot(n, rv_mad(x, w->dt, v));
    const double push = added * (way / (w->h * w->dt) + rv_dot(n, turning));
    add_end(w, b, lane, i - 1, rv_scale(n, push), 0, added, p->normal);
  }
  // Friction: a drag across the normal.
  RvVec3 slip = rv_sub(v, rv_vec3_load64(p->surface));
  slip = rv_mad(slip, -rv_dot(slip, n), n);
  double hairs = w->multiple ? w->multiple[b->strand[lane]] : 1;
  double drag = w->s->slip * p->slip * hairs * cell_length(w->m, b, lane, i);
  drag += p->friction * p->press / fmax(rv_length(slip), STICK_SPEED);
  if (!(drag > 0)) return;
  const RvVec3 across = rv_mad(turning, -rv_dot(turning, n), n);
  const RvVec3 force = rv_scale(rv_mad(rv_scale(slip, -1), w->h, across), drag);
  add_end(w, b, lane, i - 1, force, w->h * drag, -w->h * drag, p->normal);
}

// Centripetal acceleration of the end of a link over its joint.
static RvVec3 centripetal(const Load* w, const RvChainBatch* b, int lane, int link) {
  size_t at = rv_chain_vertex(b, lane, link, 3, 0);
  RvVec3 arm = rv_sub(rv_strand_vector(w->state->x, at + 3 * RV_LANES), rv_strand_vector(w->state->x, at));
  RvVec3 spin = rv_strand_vector(w->state->spin, rv_chain_link(b, lane, link, 3, 0));
  return rv_cross(spin, rv_cross(spin, arm));
}

static void load_planes(const Load* w) {
  for (size_t k = 0; k < w->m->nbatch; ++k) {
    const RvChainBatch* b = &w->m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double mass = strand_mass(w->m, b, lane);
      RvVec3 turning = {0};
      for (int i = 1; i <= b->links; ++i) {
        turning = rv_add(turning, centripetal(w, b, lane, i - 1));
        load_vertex(w, b, lane, i, mass, turning);
      }
    }
  }
}

// Forces of the planes from places `to` that the step would end at; planes that pull are released.
static void press(const Load* w, const double* to) {
  for (size_t k = 0; k < w->m->nbatch; ++k) {
    const RvChainBatch* b = &w->m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double mass = strand_mass(w->m, b, lane);
      for (int i = 1; i <= b->links; ++i) {
        RvChainPlane* p = &w->s->planes[rv_chain_vertex(b, lane, i, 1, 0)];
        if (!p->blocks) continue;
        RvVec3 x = rv_strand_vector(to, rv_chain_vertex(b, lane, i, 3, 0));
        double depth = p->offset - rv_dot(rv_vec3_load64(p->normal), x);
        p->press = PLANE_MASS * mass * depth / (w->h * w->dt);
        if (p->press < 0) *p = (RvChainPlane){0};
      }
    }
  }
}

// Copies of the loads before the planes.
typedef struct Kept {
  double *end_force, *end_mass;
} Kept;

static bool keep(Kept* k, const RvChainLoads* loads, size_t links, RvArena* scratch) {
  *k = (Kept){RV_TAKE(scratch, double, 3 * links + 1), RV_TAKE(scratch, double, 6 * links + 1)};
  if (!k->end_force || !k->end_mass) return false;
  memcpy(k->end_force, loads->end_force, 3 * links * sizeof(double));
  memcpy(k->end_mass, loads->end_mass, 6 * links * sizeof(double));
  return true;
}

static void restore(const Kept* k, RvChainLoads* loads, size_t links) {
  memcpy(loads->end_force, k->end_force, 3 * links * sizeof(double));
  memcpy(loads->end_mass, k->end_mass, 6 * links * sizeof(double));
}

// The places that a step with these loads ends at, in `places`.
static RvResult predict(const Load* w, const RvChainStepDef* def, double* places, RvError* error) {
  RvResult result = rv_chain_predict(w->m, w->state, def, places, error);
  for (size_t i = 0; i < 3 * w->m->vertices && !result; ++i) places[i] = w->state->x[i] + w->dt * places[i];
  return result;
}

RvResult rv_chain_solids_load(RvChainSolids* s, const RvChainModel* m, const RvChainState* state,
                              const RvChainStepDef* def, const double* multiple, double* velocity, RvChainLoads* loads,
                              RvError* error) {
  Load w = {s, m, state, def->dt, def->implicitness * def->dt, multiple, loads};
  RvArenaMark mark = rv_arena_mark(def->scratch);
  Kept kept;
  size_t inside = 0;
  RvResult result = keep(&kept, loads, m->links, def->scratch)
                        ? RV_OK
                        : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  for (int round = 0; round < ROUNDS && !result; ++round) {
    result = predict(&w, def, velocity, error);
    if (result) break;
    if (round) press(&w, velocity);
    result = rv_chain_solids_find(s, m, velocity, def->dt, RV_CHAIN_MARGIN, round > 0, def->scratch, &inside, error);
    if (s->fresh) s->inside = inside;
    s->fresh = false;
    restore(&kept, loads, m->links);
    if (!result) load_planes(&w);
  }
  rv_arena_release(def->scratch, mark);
  return result;
}

//---------------------------------------------------------------------------------------------- correction

// A strand while its places are corrected: x [links + 1].
typedef struct Correction {
  const RvChainSolids* s;
  const RvChainModel* m;
  RvChainState* state;
  const RvChainBatch* b;
  int lane;
  RvVec3* x;
} Correction;

static const RvChainPlane* plane_of(const Correction* c, int i) {
  return &c->s->planes[rv_chain_vertex(c->b, c->lane, i, 1, 0)];
}

static double link_length(const Correction* c, int link) {
  return c->m->length[rv_chain_link(c->b, c->lane, link, 1, 0)];
}

// How far a vertex is behind its plane, m.
static double depth_of(const Correction* c, int i, RvVec3 x) {
  const RvChainPlane* p = plane_of(c, i);
  return p->blocks ? p->offset - rv_dot(rv_vec3_load64(p->normal), x) : 0;
}

// The place on its plane for vertex i: straight out, or where the strand, whose length up to it is `arc`, is too short
// for that, as much nearer to the root along the plane.
static RvVec3 place_on_plane(const Correction* c, int i, double depth, double arc) {
  RvVec3 n = rv_vec3_load64(plane_of(c, i)->normal), to = rv_mad(c->x[i], depth, n);
  double height = rv_dot(n, rv_sub(to, c->x[0])), reach = sqrt(fmax(arc * arc - height * height, 0));
  RvVec3 foot = rv_mad(c->x[0], height, n), along = rv_sub(to, foot);
  double way = rv_length(along);
  return way > reach ? rv_mad(foot, reach / way, along) : to;
}

// From the tip inwards: vertices go onto their planes and draw the inner ones along.
static void draw_inward(const Correction* c) {
  double arc = 0;
  for (int i = 0; i < c->b->links; ++i) arc += link_length(c, i);
  for (int i = c->b->links; i > 1; --i) {
    double depth = depth_of(c, i, c->x[i]), length = link_length(c, i - 1);
    if (depth > 0) c->x[i] = place_on_plane(c, i, depth, arc);
    arc -= length;
    RvVec3 back = rv_sub(c->x[i - 1], c->x[i]);
    double now = rv_length(back);
    if (now > length) c->x[i - 1] = rv_mad(c->x[i], length / now, back);
  }
}

// The direction of a link from its joint at x towards `d` whose end is not behind its plane.
static RvVec3 direction_before(const Correction* c, int i, RvVec3 x, RvVec3 d, double length) {
  RvVec3 n = rv_vec3_load64(plane_of(c, i)->normal);
  if (!(depth_of(c, i, rv_mad(x, length, d)) > 0)) return d;
  double rise = fmin((plane_of(c, i)->offset - rv_dot(n, x)) / length, 1);
  RvVec3 along = rv_normalize(rv_mad(d, -rv_dot(d, n), n), rv_perpendicular(n));
  return rv_mad(rv_scale(n, rise), sqrt(fmax(1 - rise * rise, 0)), along);
}

// From the root outwards: links get their length again.
static void lay_outward(const Correction* c) {
  for (int i = 1; i <= c->b->links; ++i) {
    double length = link_length(c, i - 1);
    RvVec3 d = rv_normalize(rv_sub(c->x[i], c->x[i - 1]), rv_vec3(0, -1, 0));
    c->x[i] = rv_mad(c->x[i - 1], length, direction_before(c, i, c->x[i - 1], d, length));
  }
}

// Turns the links to the corrected places. The spin of a link whose end was behind its plane loses the approach; outer
// links go with it, so that each takes only what those before it left. A link that stands upright on its plane cannot
// stop its end by turning: its spin changes by the part that it can, as a change of the whole would throw it aside.
static void take_places(const Correction* c) {
  RvVec3 gained = {0};  // m/s: change of the velocity of the joint
  for (int i = 1; i <= c->b->links; ++i) {
    size_t at = rv_chain_link(c->b, c->lane, i - 1, 4, 0), vertex = rv_chain_vertex(c->b, c->lane, i, 3, 0);
    const RvChainPlane* p = plane_of(c, i);
    double length = link_length(c, i - 1);
    RvQuat q = rv_chain_quat(c->state->orient, at);
    RvVec3 d = rv_quat_rotate(q, rv_vec3(0, 0, 1)), to = rv_normalize(rv_sub(c->x[i], c->x[i - 1]), d);
    rv_chain_set_quat(c->state->orient, at, rv_quat_normalize(rv_quat_mul(rv_quat_between(d, to), q)));
    if (!(depth_of(c, i, rv_strand_vector(c->state->x, vertex)) > 0)) continue;
    RvVec3 n = rv_vec3_load64(p->normal), lever = rv_scale(rv_cross(to, n), length);
    RvVec3 v = rv_add(rv_strand_vector(c->state->v, vertex), gained);
    double approach = rv_dot(n, rv_sub(rv_vec3_load64(p->surface), v));
    if (!(approach > 0)) continue;
    RvVec3 spin = rv_scale(lever, approach / (length * length));
    add_vector(c->state->spin, rv_chain_link(c->b, c->lane, i - 1, 3, 0), spin);
    gained = rv_add(gained, rv_cross(spin, rv_scale(to, length)));
  }
}

// Corrects a strand; true: it had a vertex behind its plane.
static bool correct_strand(const Correction* c) {
  bool any = false;
  for (int i = 0; i <= c->b->links; ++i) {
    c->x[i] = rv_strand_vector(c->state->x, rv_chain_vertex(c->b, c->lane, i, 3, 0));
    any |= i > 0 && plane_of(c, i)->blocks;
  }
  if (!any) return false;
  for (int round = 0; round < REACHES; ++round) {
    draw_inward(c);
    lay_outward(c);
  }
  take_places(c);
  return true;
}

RvResult rv_chain_solids_project(RvChainSolids* s, const RvChainModel* m, RvChainState* state, double dt,
                                 RvArena* scratch, RvError* error) {
  RvResult result = RV_OK;
  size_t inside = 0;
  bool any = true;
  RvArenaMark mark = rv_arena_mark(scratch);
  RvVec3* x = RV_TAKE(scratch, RvVec3, (size_t)m->longest + 1);
  if (!x) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  s->touching = 0;
  for (size_t i = 0; i < m->vertices; ++i) s->touching += s->planes[i].blocks;
  for (int round = 0; round < CORRECTIONS && any && !result; ++round) {
    result = rv_chain_solids_find(s, m, state->x, dt, 0, false, scratch, &inside, error);
    any = false;
    for (size_t k = 0; k < m->nbatch && !result; ++k)
      for (int lane = 0; lane < RV_LANES; ++lane)
        any |= correct_strand(&(Correction){s, m, state, &m->batches[k], lane, x});
    if (any) rv_chain_place(m, state);
  }
  rv_arena_release(scratch, mark);
  if (!any || result) return result;
  result = rv_chain_solids_find(s, m, state->x, dt, 0, false, scratch, &inside, error);
  for (size_t i = 0; i < m->vertices; ++i) s->passed += s->planes[i].blocks && !s->planes[i].inside;
  return result;
}
