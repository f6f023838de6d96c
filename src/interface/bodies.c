// Bodies of a substep: their members, density, projection and turn; see bodies.h.
#include "interface/bodies.h"

#include <string.h>

#include "interface/solver.h"
#include "math/scalar.h"

// Inertia that is added to that of the particles, in mass times the square of the spacing: bodies of one particle, or
// of a row of them, have none about some axis.
static const double LEAST_INERTIA = 1e-9;

// Distance that particles of bodies keep from solids, in spacings: a body ends half a spacing outside of them.
static const double MARGIN = 0.5;
// Sweeps over the contacts of a body with solids. A block on a floor needs a handful.
enum { SWEEPS = 8 };

typedef RvInterfaceSolver Solver;

// Number of the body of particle k of the sorted set; 0: liquid.
static int32_t body_of(const Solver* s, size_t k) {
  return s->bodies.row_body[s->bulk->particles.row[s->work.set.from[k]]];
}

// Mass of particle k in whole particles of the first phase.
static double mass_of(const Solver* s, size_t k) {
  const RvInterfaceSums* m = &s->work.sums;
  return (double)m->at[4 * k + 3] / (double)m->drift[4 * k + 3];
}

// From the centre of a body to particle k, m.
static RvVec3 arm_of(const Solver* s, const RvInterfaceBody* b, size_t k) {
  return rv_sub(rv_vec3_load64(s->work.place + 3 * (size_t)s->work.set.from[k]), b->centre);
}

// Mass, centre and inertia of a body.
static void weigh(const Solver* s, const uint32_t* member, RvInterfaceBody* b) {
  RvVec3 moment = rv_vec3(0, 0, 0);
  b->mass = 0;
  for (size_t n = b->first; n < b->last; ++n) {
    double mass = mass_of(s, member[n]);
    RvVec3 at = rv_vec3_load64(s->work.place + 3 * (size_t)s->work.set.from[member[n]]);
    b->mass += mass;
    moment = rv_mad(moment, mass, at);
  }
  b->centre = rv_scale(moment, 1 / b->mass);
  double least = LEAST_INERTIA * b->mass * s->model.spacing * s->model.spacing;
  RvMat3 inertia = {{{least, 0, 0}, {0, least, 0}, {0, 0, least}}};
  for (size_t n = b->first; n < b->last; ++n) {
    double mass = mass_of(s, member[n]);
    RvVec3 r = arm_of(s, b, member[n]);
    double square = rv_dot(r, r);
    const double part[3] = {r.x, r.y, r.z};
    for (int a = 0; a < 3; ++a) {
      RvVec3 own = rv_vec3(a == 0 ? square : 0, a == 1 ? square : 0, a == 2 ? square : 0);
      inertia.c[a] = rv_mad(inertia.c[a], mass, rv_mad(own, -part[a], r));
    }
  }
  b->inertia = inertia;
  RvMat3 adjugate = rv_mat3_adjugate(inertia);
  double inverse = 1 / rv_mat3_det(inertia);
  for (int a = 0; a < 3; ++a) b->inverse.c[a] = rv_scale(adjugate.c[a], inverse);
}

RvResult rv_interface_gather_bodies(Solver* s, RvError* error) {
  RvInterfaceBodyWork* w = &s->work.bodies;
  size_t count = s->work.set.count;
  size_t most = (size_t)s->bodies.count + 1;
  if (!s->bodies.row_body) return RV_OK;
  uint32_t* first = RV_TAKE(s->arena, uint32_t, most + 1);
  w->body = RV_TAKE(s->arena, RvInterfaceBody, most);
  w->member = RV_TAKE(s->arena, uint32_t, count + 1);
  if (!first || !w->body || !w->member) return rv_fail(error, RV_NO_MEMORY, "out of memory for the bodies");
  // Members by counting, in the order of the sorted set.
  memset(first, 0, (most + 1) * sizeof *first);
  for (size_t k = 0; k < count; ++k) first[body_of(s, k) + 1]++;
  first[0] = 0;
  first[1] = 0;
  for (size_t b = 1; b < most; ++b) first[b + 1] += first[b];
  for (size_t b = 1; b < most; ++b) {
    if (first[b + 1] == first[b]) continue;
    w->body[w->count++] = (RvInterfaceBody){.first = first[b], .last = first[b + 1]};
  }
  for (size_t k = 0; k < count; ++k) {
    int32_t b = body_of(s, k);
    if (b) w->member[first[b]++] = (uint32_t)k;
  }
  for (size_t b = 0; b < w->count; ++b) weigh(s, w->member, &w->body[b]);
  return RV_OK;
}

// Density that the particles of its own body give to particle k.
static float own_density(const Solver* s, size_t k, int32_t body) {
  const RvInterfaceSums* m = &s->work.sums;
  const uint32_t* list = m->lists->index + RV_SPH_LANES * (size_t)m->lists->first[k];
  const unsigned listed = RV_SPH_LANES * (unsigned)m->lists->groups[k];
  float sum = 0;
  for (unsigned n = 0; n < listed; ++n) {
    size_t j = list[n];
    if (j >= s->work.set.count || body_of(s, j) != body) continue;
    float square = 0;
    for (size_t a = 0; a < 3; ++a) {
      float d = m->at[4 * k + a] - m->at[4 * j + a];
      square += d * d;
    }
    float u = 1 - m->ratio * sqrtf(square);
    u = u > 0 ? u : 0;
    sum += m->at[4 * j + 3] * (u * u * u * u * (5 - 4 * u));
  }
  return m->value_factor * sum;
}

void rv_interface_relieve_bodies(Solver* s) {
  const RvInterfaceBodyWork* w = &s->work.bodies;
  for (size_t b = 0; b < w->count; ++b)
    for (size_t n = w->body[b].first; n < w->body[b].last; ++n) {
      size_t k = w->member[n];
      float own = own_density(s, k, body_of(s, k));
      if (own > 1) s->work.sums.own[4 * k + 3] -= own - 1;
    }
}

void rv_interface_project_bodies(Solver* s) {
  RvInterfaceBodyWork* w = &s->work.bodies;
  float* y = s->work.sums.move;
  for (size_t i = 0; i < w->count; ++i) {
    RvInterfaceBody* b = &w->body[i];
    RvVec3 linear = rv_vec3(0, 0, 0), angular = rv_vec3(0, 0, 0);
    for (size_t n = b->first; n < b->last; ++n) {
      size_t k = w->member[n];
      RvVec3 path = rv_scale(rv_vec3_load(y + 4 * k), mass_of(s, k));
      linear = rv_add(linear, path);
      angular = rv_add(angular, rv_cross(arm_of(s, b, k), path));
    }
    b->shift = rv_scale(linear, 1 / b->mass);
    b->turn = rv_mat3_apply(b->inverse, angular);
    for (size_t n = b->first; n < b->last; ++n) {
      size_t k = w->member[n];
      rv_vec3_store(y + 4 * k, rv_add(b->shift, rv_cross(b->turn, arm_of(s, b, k))));
    }
  }
}

// Displacement of a body at the arm r, m.
static RvVec3 path_at(const RvInterfaceBody* b, RvVec3 r) {
  return rv_add(b->shift, rv_cross(b->turn, r));
}

// Moves a body by a push (its mass times m) at the arm r.
static void push_body(RvInterfaceBody* b, RvVec3 r, RvVec3 push) {
  b->shift = rv_mad(b->shift, 1 / b->mass, push);
  b->turn = rv_add(b->turn, rv_mat3_apply(b->inverse, rv_cross(r, push)));
}

// Push along the unit vector n at the arm r that moves that place by 1 m.
static double mass_along(const RvInterfaceBody* b, RvVec3 r, RvVec3 n) {
  RvVec3 arm = rv_cross(r, n);
  return 1 / (1 / b->mass + rv_dot(arm, rv_mat3_apply(b->inverse, arm)));
}

// Contact of a member with one solid: it ends no nearer than the margin, and friction takes at most its share of the
// push (Coulomb).
static void meet_plane(const Solver* s, RvInterfaceBody* b, size_t i, int plane) {
  const RvContactPlanes* planes = &s->work.planes[i];
  RvVec3 n = rv_vec3_load(planes->plane[plane]);
  RvVec3 x = rv_vec3_load64(s->work.place + 3 * i);
  RvVec3 r = rv_sub(x, b->centre);
  RvVec3 own = rv_mad(path_at(b, r), -s->work.dt, rv_vec3_load(planes->velocity[plane]));
  double distance = rv_dot(n, x) + planes->offset[plane];
  double into = MARGIN * s->model.spacing - distance - rv_dot(own, n);
  if (!(into > 0)) return;
  double push = into * mass_along(b, r, n);
  push_body(b, r, rv_scale(n, push));
  RvVec3 along = rv_mad(own, -rv_dot(own, n), n);
  double way = rv_length(along);
  if (!(way > 0)) return;
  RvVec3 t = rv_scale(along, 1 / way);
  double drag = rv_min(planes->friction[plane] * push, way * mass_along(b, r, t));
  push_body(b, r, rv_scale(t, -drag));
}

void rv_interface_hold_bodies(Solver* s) {
  RvInterfaceWork* w = &s->work;
  const double support = w->lattice.support;
  if (!w->near) return;
  for (size_t k = 0; k < w->bodies.count; ++k) {
    RvInterfaceBody* b = &w->bodies.body[k];
    b->shift = rv_scale(b->shift, support);
    b->turn = rv_scale(b->turn, support);
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
      for (size_t m = b->first; m < b->last; ++m) {
        size_t i = w->set.from[w->bodies.member[m]];
        for (int n = 0; w->near[i] && n < w->planes[i].count; ++n) meet_plane(s, b, i, n);
      }
    b->shift = rv_scale(b->shift, 1 / support);
    b->turn = rv_scale(b->turn, 1 / support);
  }
}

// Cayley's map of a rotation vector: an exact turn without trigonometry, equal to it up to the third order.
static RvVec3 turned(RvVec3 rotation, RvVec3 r) {
  RvVec3 half = rv_scale(rotation, 0.5);
  RvVec3 across = rv_cross(half, r);
  return rv_mad(r, 2 / (1 + rv_dot(half, half)), rv_add(across, rv_cross(half, across)));
}

void rv_interface_turn_bodies(Solver* s) {
  const RvInterfaceBodyWork* w = &s->work.bodies;
  RvParticles* p = &s->bulk->particles;
  const double support = s->work.lattice.support;
  for (size_t i = 0; i < w->count; ++i) {
    const RvInterfaceBody* b = &w->body[i];
    RvVec3 rotation = rv_scale(b->turn, support);
    RvVec3 shift = rv_scale(b->shift, support);
    // The angular momentum stays while the inertia turns: w' = R I^-1 R^T I w.
    RvVec3 back = turned(rv_scale(rotation, -1), rv_mat3_apply(b->inertia, rotation));
    RvVec3 spin = turned(rotation, rv_mat3_apply(b->inverse, back));
    for (size_t n = b->first; n < b->last; ++n) {
      size_t k = s->work.set.from[w->member[n]];
      RvVec3 r = arm_of(s, b, w->member[n]);
      RvVec3 after = turned(rotation, r);
      RvVec3 path = rv_add(shift, rv_sub(after, r));
      RvVec3 v = rv_scale(rv_add(shift, rv_cross(spin, after)), 1 / s->work.dt);
      const double way[3] = {path.x, path.y, path.z}, speed[3] = {v.x, v.y, v.z};
      for (size_t a = 0; a < 3; ++a) {
        p->x[a][k] = (float)((double)p->x[a][k] + way[a] / s->model.dx);
        p->v[a][k] = (float)speed[a];
      }
    }
  }
}
