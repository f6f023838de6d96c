// Collision of strands with solids of every shape (AH-7): vertices near a surface get a stiff spring along its normal
// and implicit friction across it, both part of the rods' solve, so that hair lies on a head without jitter.
//
// Only vertices that may have come near are tested: a vertex at a distance keeps it as clearance, which the motion of
// vertex and solid uses up. It is part of the state, and at most MOST_CLEARANCE, so that a solid which jumps from frame
// to frame is noticed soon.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "lookdev/collide_kernel.h"
#include "lookdev/solver.h"
#include "math/scalar.h"

// Stiffness of a contact in masses over dt^2: a vertex sinks in by a thousandth of the way it would fall in a substep.
static const double CONTACT_STIFFNESS = 1e3;
// m/s: slip below which friction is viscous.
static const double STICK_SPEED = 1e-3;
// m/s: speed at which a vertex that was inside is pushed out, besides that of the solid. Faster pushes turn an edge by
// more in a substep than one linear solve can follow.
static const double PUSH_SPEED = 0.3;
// m: hair closer than this to a solid is tested again in every substep.
static const double LEAST_CLEARANCE = 1e-4;
// m: largest clearance that is believed.
static const double MOST_CLEARANCE = 0.05;
// m: clearance of a vertex whose distance is not known. It bounds what vertices that are never tested, as roots, have
// in the state however fast they move.
static const double NO_CLEARANCE = -1;
enum { BATCHES_A_TASK = 16, CANDIDATES_A_TASK = 1024 };

// A vertex that may touch.
typedef struct Candidate {
  uint32_t batch;
  int32_t vertex, lane;
  int32_t solid;         // the nearest; -1: none is known
  double distance;       // m to it, at the end of the substep
  double way;            // m that the vertex moves relative to the solids until then
  RvVec3 x;              // where the vertex goes without forces
  RvVec3 drift, normal;  // of the nearest solid: its deformation in its space, m/s, and its normal in the world
} Candidate;

typedef struct Contacts {
  RvLookdevSolver* s;
  double dt;
  RvVec3 fall;  // m: way of a free fall in the substep
  const RvNearSolid* solids;
  uint32_t* count;  // [batches + 1] candidates before each batch
  Candidate* found;
} Contacts;

void rv_lookdev_claim(RvLookdevSolver* s, size_t k) {
  const RvStrandBatch* b = &s->strands->model->batches[k];
  if (s->busy[k]) return;
  s->busy[k] = true;
  memset(s->force + b->at, 0, 4 * (size_t)b->vertices * RV_LANES * sizeof(double));
}

void rv_lookdev_claim_stiffness(RvLookdevSolver* s, size_t k) {
  const RvStrandBatch* b = &s->strands->model->batches[k];
  if (s->stiff[k]) return;
  s->stiff[k] = true;
  memset(s->stiffness + 6 * b->vertex_at, 0, 6 * (size_t)b->vertices * RV_LANES * sizeof(double));
}

//---------------------------------------------------------------------------------------------- candidates

// Vertices that must be tested: the way of the last substep and that of this one use up their clearance. Counts them by
// batch.
static void mark_candidates(void* arg, size_t begin, size_t end) {
  Contacts* w = arg;
  RvLookdevSolver* s = w->s;
  const RvStrandModel* m = s->strands->model;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    const RvNearBatch near = {.vertices = b->vertices,
                              .dt = w->dt,
                              .least = LEAST_CLEARANCE + rv_length(w->fall),
                              .rootfree = s->settings.rootfree,
                              .solids = w->solids,
                              .nsolid = s->ncollider,
                              .x = s->strands->state->q + b->at,
                              .v = s->strands->state->v + b->at,
                              .free = m->free + b->at,
                              .length = m->rest_length + b->edge_at,
                              .press = s->press + b->vertex_at,
                              .clearance = s->clearance + b->vertex_at,
                              .least_clearance = NO_CLEARANCE,
                              .way = s->way + b->vertex_at,
                              .candidate = s->candidate + b->vertex_at / RV_LANES};
    w->count[k + 1] = RV_KERNEL_CALL(rv_lookdev_near, (&near));
  }
}

// Motions of the solids, for the kernel. A velocity grid has no known bound: all is tested.
static void move_solids(const RvLookdevSolver* s, RvNearSolid* out) {
  for (size_t k = 0; k < s->ncollider; ++k) {
    const RvCollider* c = &s->colliders[k];
    rv_vec3_store64(out[k].position, c->position);
    rv_vec3_store64(out[k].linear, c->linear);
    rv_vec3_store64(out[k].angular, c->angular);
    out[k].fastest = c->velocity && !c->motion ? INFINITY : c->fastest;
  }
}

// The marked vertices of some batches, in order.
static void fill_candidates(void* arg, size_t begin, size_t end) {
  Contacts* w = arg;
  const RvStrandModel* m = w->s->strands->model;
  const RvStrandState* state = w->s->strands->state;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    uint32_t n = w->count[k];
    for (int i = 1; i < b->vertices && n < w->count[k + 1]; ++i)
      for (unsigned left = w->s->candidate[b->vertex_at / RV_LANES + (size_t)i]; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        size_t at = rv_strand_index(b, lane, i, 0);
        RvVec3 to = rv_mad(rv_strand_vector(state->q, at), w->dt, rv_strand_vector(state->v, at));
        double way = w->s->way[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane];
        w->found[n++] = (Candidate){
            .batch = (uint32_t)k, .vertex = i, .lane = lane, .solid = -1, .distance = INFINITY, .way = way, .x = to};
      }
  }
}

//---------------------------------------------------------------------------------------------- distances

// Work arrays of the candidates, for one solid after the other.
typedef struct Places {
  RvVec3 *at, *drift, *normal;
  double* distance;
  uint32_t* index;
} Places;

// Candidates in the space of one solid.
typedef struct Probe {
  Contacts* w;
  const Places* p;
  int32_t solid;
  RvPose pose;
  double since;  // s since the time of the solid's grids
} Probe;

// Places of some candidates in the solid's space.
static void place_some(void* arg, size_t begin, size_t end) {
  const Probe* t = arg;
  for (size_t k = begin; k < end; ++k) t->p->at[k] = rv_contact_pose_in(&t->pose, t->w->found[t->p->index[k]].x);
}

// The same with the deformation since then removed.
static void undo_drift(void* arg, size_t begin, size_t end) {
  const Probe* t = arg;
  place_some(arg, begin, end);
  for (size_t k = begin; k < end; ++k) t->p->at[k] = rv_mad(t->p->at[k], -t->since, t->p->drift[k]);
}

// Places in the solid's space at the time of its grids, with its deformation removed.
static RvResult into_solid(Contacts* w, const RvCollider* c, size_t n, const Places* p, RvError* error) {
  Probe t = {.w = w, .p = p, .since = c->grid_time + w->dt};
  const bool deforms = c->shape == RV_COLLIDER_GRID && (c->motion || c->velocity);
  t.pose = rv_contact_collider_pose(c, deforms ? 0 : w->dt);
  rv_parallel_for(n, CANDIDATES_A_TASK, place_some, &t);
  if (!deforms) {
    memset(p->drift, 0, n * sizeof *p->drift);
    return RV_OK;
  }
  RvArena* scratch = w->s->strands->scratch;
  double reach = c->offset + c->fastest * (fabs(c->grid_time) + w->dt);
  RvResult result = rv_contact_collider_velocity(c, scratch, n, p->at, reach + LEAST_CLEARANCE, p->drift, error);
  t.pose = rv_contact_collider_pose(c, w->dt);
  if (!result) rv_parallel_for(n, CANDIDATES_A_TASK, undo_drift, &t);
  return result;
}

// Keeps the solid where it is the nearest.
static void compare_some(void* arg, size_t begin, size_t end) {
  const Probe* t = arg;
  for (size_t k = begin; k < end; ++k) {
    Candidate* c = &t->w->found[k];
    if (!(t->p->distance[k] < c->distance)) continue;
    c->distance = t->p->distance[k];
    c->solid = t->solid;
    c->drift = t->p->drift[k];
  }
}

// The nearest solid of every candidate.
static RvResult nearest(Contacts* w, size_t n, const Places* p, RvError* error) {
  RvLookdevSolver* s = w->s;
  RvResult result = RV_OK;
  for (size_t k = 0; k < n; ++k) p->index[k] = (uint32_t)k;
  for (size_t c = 0; c < s->ncollider && !result; ++c) {
    result = into_solid(w, &s->colliders[c], n, p, error);
    if (!result)
      result = rv_contact_collider_distance(&s->colliders[c], s->strands->scratch, n, p->at, p->distance, NULL, error);
    if (!result) rv_parallel_for(n, CANDIDATES_A_TASK, compare_some, &(Probe){.w = w, .p = p, .solid = (int32_t)c});
  }
  return result;
}

// Whether a candidate touches: it moves inside, or was held before. Its fall does not count: the rod may hold it. What
// was held and pushed out in a long substep has the speed of the push, which is none of the contact's: it is still held
// if its way from where it is now is what parts it from the solid.
static bool touches(const Contacts* w, const Candidate* c) {
  const RvStrandBatch* b = &w->s->strands->model->batches[c->batch];
  size_t vertex = b->vertex_at + (size_t)c->vertex * RV_LANES + (size_t)c->lane;
  bool held = w->s->press[vertex] > 0 && c->distance - c->way < LEAST_CLEARANCE;
  return c->solid >= 0 && (c->distance < 0 || held);
}

// Normals of the candidates that touch.
static RvResult normals(Contacts* w, size_t n, const Places* p, RvError* error) {
  RvLookdevSolver* s = w->s;
  RvResult result = RV_OK;
  for (size_t c = 0; c < s->ncollider && !result; ++c) {
    size_t some = 0;
    for (size_t k = 0; k < n; ++k)
      if (w->found[k].solid == (int32_t)c && touches(w, &w->found[k])) p->index[some++] = (uint32_t)k;
    RvPose end = rv_contact_collider_pose(&s->colliders[c], w->dt);
    result = into_solid(w, &s->colliders[c], some, p, error);
    if (!result)
      result = rv_contact_collider_distance(&s->colliders[c], s->strands->scratch, some, p->at, p->distance, p->normal,
                                            error);
    for (size_t k = 0; k < some && !result; ++k)
      w->found[p->index[k]].normal = rv_quat_rotate(end.orientation, p->normal[k]);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- contacts

// Adds a symmetric matrix a + b n n^T at a vertex.
static void add_stiffness(double* stiffness, size_t at, double a, double b, const double n[3]) {
  int k = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = r; c < 3; ++c, ++k) stiffness[at + (size_t)k * RV_LANES] += (r == c ? a : 0) + b * n[r] * n[c];
}

// Spring along the normal and friction across it: Coulomb's law with the force of the substep before, as drag that
// would stop the slip. The rods' solve takes -stiffness (x - x_before) + force.
static void hold(Contacts* w, const Candidate* c) {
  RvLookdevSolver* s = w->s;
  const RvStrandModel* m = s->strands->model;
  const RvStrandBatch* b = &m->batches[c->batch];
  const RvCollider* solid = &s->colliders[c->solid];
  size_t at = rv_strand_index(b, c->lane, c->vertex, 0);
  size_t vertex = b->vertex_at + (size_t)c->vertex * RV_LANES + (size_t)c->lane;
  if (rv_dot(c->normal, c->normal) == 0) return;
  rv_lookdev_claim(s, c->batch);
  rv_lookdev_claim_stiffness(s, c->batch);
  s->touched[c->batch] = true;
  RvVec3 x = rv_strand_vector(s->strands->state->q, at), v = rv_strand_vector(s->strands->state->v, at);
  // Velocity of the solid's surface.
  RvPose end = rv_contact_collider_pose(solid, w->dt);
  RvVec3 carried = rv_add(solid->linear, rv_cross(solid->angular, rv_sub(c->x, end.position)));
  carried = rv_add(carried, rv_quat_rotate(end.orientation, c->drift));
  // The plane of the surface; a vertex far inside comes out slowly.
  double approach = fmax(rv_dot(rv_sub(carried, v), c->normal), 0);
  double depth = fmin(-c->distance, (PUSH_SPEED + approach) * w->dt);
  double stiffness = CONTACT_STIFFNESS * m->mass[at] / (w->dt * w->dt);
  double offset = rv_dot(c->normal, c->x) + depth, n[3];
  rv_vec3_store64(n, c->normal);
  double push = stiffness * (offset - rv_dot(c->normal, x));
  // Friction.
  RvVec3 slip = rv_sub(v, carried);
  slip = rv_mad(slip, -rv_dot(slip, c->normal), c->normal);
  double drag = solid->friction * s->press[vertex] / fmax(rv_length(slip), STICK_SPEED);
  RvVec3 along = rv_mad(carried, -rv_dot(carried, c->normal), c->normal);
  add_stiffness(s->stiffness, 6 * b->vertex_at + (size_t)(6 * c->vertex) * RV_LANES + (size_t)c->lane, drag / w->dt,
                stiffness - drag / w->dt, n);
  RvVec3 force = rv_mad(rv_scale(c->normal, push), drag, along);
  rv_strand_set_vector(s->force, at, rv_add(rv_strand_vector(s->force, at), force));
  s->touch[vertex] = (RvTouch){{n[0], n[1], n[2]}, offset, stiffness};
}

static void hold_batches(void* arg, size_t begin, size_t end) {
  Contacts* w = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->s->strands->model->batches[k];
    for (uint32_t i = w->count[k]; i < w->count[k + 1]; ++i) {
      const Candidate* c = &w->found[i];
      size_t vertex = b->vertex_at + (size_t)c->vertex * RV_LANES + (size_t)c->lane;
      w->s->clearance[vertex] = fmax(fmin(c->distance, MOST_CLEARANCE) - c->way, NO_CLEARANCE);
      w->s->touch[vertex].stiffness = 0;
      if (touches(w, c))
        hold(w, c);
      else
        w->s->press[vertex] = 0;
    }
  }
}

// Vertices of lanes in use that are inside a solid.
static size_t count_inside(const Contacts* w, size_t n) {
  const RvStrandModel* m = w->s->strands->model;
  size_t inside = 0;
  for (size_t k = 0; k < n; ++k) {
    const Candidate* c = &w->found[k];
    double radius = m->radius[m->batches[c->batch].vertex_at + (size_t)c->vertex * RV_LANES + (size_t)c->lane];
    inside += c->lane < m->batches[c->batch].lanes && c->distance < -radius;
  }
  return inside;
}

RvResult rv_lookdev_contacts(RvLookdevSolver* s, double dt, RvError* error) {
  const RvStrandModel* m = s->strands->model;
  memset(s->touched, 0, m->nbatch * sizeof *s->touched);
  if (!s->ncollider) return RV_OK;
  RvArena* scratch = s->strands->scratch;
  RvArenaMark mark = rv_arena_mark(scratch);
  Contacts w = {.s = s, .dt = dt, .fall = rv_scale(rv_vec3_load64(s->strands->settings.gravity), dt * dt)};
  // Candidates: counted, placed, filled in.
  w.count = RV_TAKE(scratch, uint32_t, m->nbatch + 1);
  RvNearSolid* solids = RV_TAKE(scratch, RvNearSolid, s->ncollider);
  if (!w.count || !solids) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  move_solids(s, solids);
  w.solids = solids;
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, mark_candidates, &w);
  w.count[0] = 0;
  for (size_t k = 0; k < m->nbatch; ++k) w.count[k + 1] += w.count[k];
  size_t n = w.count[m->nbatch];
  w.found = RV_TAKE(scratch, Candidate, n + 1);
  Places p = {RV_TAKE(scratch, RvVec3, n + 1), RV_TAKE(scratch, RvVec3, n + 1), RV_TAKE(scratch, RvVec3, n + 1),
              RV_TAKE(scratch, double, n + 1), RV_TAKE(scratch, uint32_t, n + 1)};
  bool fine = w.found && p.at && p.drift && p.normal && p.distance && p.index;
  RvResult result = fine ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  if (!result) rv_parallel_for(m->nbatch, BATCHES_A_TASK, fill_candidates, &w);
  // Distances, normals, and what holds the vertices.
  if (!result) result = nearest(&w, n, &p, error);
  if (!result && !s->substeps) s->inside = count_inside(&w, n);
  if (!result) result = normals(&w, n, &p, error);
  if (!result) rv_parallel_for(m->nbatch, BATCHES_A_TASK, hold_batches, &w);
  rv_arena_release(scratch, mark);
  return result;
}

static void press_batches(void* arg, size_t begin, size_t end) {
  RvLookdevSolver* s = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->strands->model->batches[k];
    if (!s->touched[k]) continue;
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        const RvTouch* t = &s->touch[vertex];
        if (!(s->candidate[vertex / RV_LANES] >> lane & 1) || !(t->stiffness > 0)) continue;
        RvVec3 x = rv_strand_vector(s->strands->state->q, rv_strand_index(b, lane, i, 0));
        s->press[vertex] = fmax(t->stiffness * (t->offset - rv_dot(rv_vec3_load64(t->normal), x)), 0);
      }
  }
}

void rv_lookdev_press(RvLookdevSolver* s) {
  rv_parallel_for(s->strands->model->nbatch, BATCHES_A_TASK, press_batches, s);
}
