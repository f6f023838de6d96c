// The method of the lookdev solver: rv_lookdev_substep, and the stages that are short.
#include "lookdev/solver.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "lookdev/root_kernel.h"
#include "math/scalar.h"

enum { BATCHES_A_TASK = 16 };
// The first edge of a strand is its root.
enum { ROOT_VERTICES = 2 };
enum { ALL_LANES = (1 << RV_LANES) - 1 };

//---------------------------------------------------------------------------------------------- memory

// Points of the input of all lanes' roots, in the order of the batches.
static void find_root_points(RvLookdevSolver* s) {
  const RvStrandModel* m = s->strands->model;
  const RvStrandSet* set = &s->strands->set;
  for (size_t k = 0; k < m->nbatch * RV_LANES; ++k) {
    const int32_t* point = set->point + set->first[m->batches[k / RV_LANES].strand[k % RV_LANES]];
    for (size_t i = 0; i < ROOT_VERTICES; ++i) s->root_point[ROOT_VERTICES * k + i] = (uint32_t)point[i];
  }
}

RvResult rv_lookdev_init(RvLookdevSolver* s, RvError* error) {
  const RvStrandModel* m = s->strands->model;
  const size_t spare = RV_LANES;  // so that no array is empty
  bool fine = rv_cosserat_alloc(m, &s->model, &s->state);
  fine = fine && (s->press = rv_alloc_zero(m->vertices + spare, sizeof(double)));
  fine = fine && (s->rest_density = rv_alloc_zero(m->vertices + spare, sizeof(double)));
  fine = fine && (s->root = rv_alloc_zero(4 * (m->nbatch + 1), RV_LANES * sizeof(double)));
  fine = fine && (s->force = rv_alloc(m->unknowns + spare, sizeof(double)));
  fine = fine && (s->stiffness = rv_alloc(6 * (m->vertices + spare), sizeof(double)));
  fine = fine && (s->clearance = rv_alloc_zero(m->vertices + spare, sizeof(double)));
  fine = fine && (s->way = rv_alloc(m->vertices + spare, sizeof(double)));
  fine = fine && (s->candidate = rv_alloc_zero(m->vertices + spare, 1));
  fine = fine && (s->touch = rv_alloc_zero(m->vertices + spare, sizeof(RvTouch)));
  fine = fine && (s->busy = rv_alloc_zero(m->nbatch + 1, sizeof(bool)));
  fine = fine && (s->stiff = rv_alloc_zero(m->nbatch + 1, sizeof(bool)));
  fine = fine && (s->touched = rv_alloc_zero(m->nbatch + 1, sizeof(bool)));
  fine = fine && (s->root_point = rv_alloc_zero(ROOT_VERTICES * (m->nbatch + 1), RV_LANES * sizeof(uint32_t)));
  if (fine) find_root_points(s);
  const RvStrandGuide* guide = &s->strands->guide;
  if (fine && (guide->wind || s->strands->air)) {
    s->air = rv_alloc_zero(m->unknowns + spare, sizeof(double));
    fine = s->air != NULL;
  }
  RvResult result =
      fine ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the rods of %zu strands", m->nstrand);
  if (!result && s->settings.volume.speed > 0) result = rv_volume_init(&s->volume, m, error);
  return result;
}

void rv_lookdev_free(RvLookdevSolver* s) {
  rv_cosserat_free(&s->model, &s->state);
  rv_volume_free(&s->volume);
  RV_FREE_ALL(s->press, s->rest_density, s->root, s->force, s->stiffness, s->air, s->clearance, s->candidate, s->touch,
              s->root_point, s->way, s->busy, s->stiff, s->touched);
  *s = (RvLookdevSolver){0};
}

//---------------------------------------------------------------------------------------------- start frame

RvResult rv_lookdev_start(RvLookdevSolver* s, size_t* capped, RvError* error) {
  RvStrandSolver* strands = s->strands;
  const RvStrandModel* m = strands->model;
  *capped = 0;
  rv_cosserat_frames(m, strands->state, &s->state);
  rv_cosserat_rest_from_defs(m, strands->set.defs, &s->model);
  rv_cosserat_elasticity(m, strands->multiple, &s->model);
  if (strands->settings.equilibrium) {
    // The load is the weight alone: air at rest, no goals.
    for (size_t k = 0; k < m->unknowns; ++k)
      s->force[k] = m->mass[k] * (k / RV_LANES % 4 < 3 ? strands->settings.gravity[k / RV_LANES % 4] : 0);
    RvCosseratBalance report;
    rv_cosserat_balance(m, strands->state, s->force, strands->settings.restangle, &s->model, &s->state, &report);
    *capped = report.capped;
  }
  if (!(s->settings.volume.speed > 0)) return RV_OK;
  return rv_volume_density(&s->volume, m, strands->state, s->settings.volume.cell, s->rest_density, error);
}

//---------------------------------------------------------------------------------------------- roots

typedef struct Sampled {
  RvStrandSolver* strands;
  const uint32_t* points;
  const RvStrandSample* sample;
} Sampled;

// Turns the quaternions of edges that have left their directions, as where an artist moved points: by the shortest arc
// onto the edge. Quaternions of a simulated state are within the shear of their edges and stay.
static void align_rods(RvLookdevSolver* s) {
  const double NEAR = 0.9;  // cosine
  const RvStrandModel* m = s->strands->model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int j = 0; j + 1 < m->batches[k].vertices; ++j) {
        const RvStrandBatch* b = &m->batches[k];
        size_t at = 4 * b->edge_at + (size_t)(4 * j) * RV_LANES + (size_t)lane, x = rv_strand_index(b, lane, j, 0);
        RvQuat q = rv_quat_normalize(rv_rod_load_quat(s->state.quat, at));
        RvVec3 d3 = rv_quat_rotate(q, rv_vec3(0, 0, 1));
        RvVec3 e =
            rv_sub(rv_strand_vector(s->strands->state->q, x + 4 * RV_LANES), rv_strand_vector(s->strands->state->q, x));
        RvVec3 t = rv_normalize(e, d3);
        if (rv_dot(d3, t) < NEAR)
          rv_rod_store_quat(s->state.quat, at, rv_quat_normalize(rv_quat_mul(rv_quat_between(d3, t), q)));
      }
}

void rv_lookdev_loaded(RvLookdevSolver* s) {
  rv_cosserat_elasticity(s->strands->model, s->strands->multiple, &s->model);
  align_rods(s);
}

// Whether only the first edges of the strands follow the input.
static bool only_roots_follow(const RvStrandSolver* strands) {
  return !strands->animated && !strands->guide.pinned && !strands->guide.goal;
}

// Places of the first edges.
static void root_targets(void* arg, size_t begin, size_t end) {
  const Sampled* w = arg;
  const RvStrandSet* set = &w->strands->set;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->strands->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < ROOT_VERTICES; ++i) {
        size_t point = w->points[(k * RV_LANES + (size_t)lane) * ROOT_VERTICES + (size_t)i];
        double p[3];
        rv_strand_sample_point(w->sample, point, p);
        RvVec3 x = rv_scale(rv_sub(rv_vec3_load64(p), rv_vec3_load64(set->origin)), set->metersperunit);
        size_t at = rv_strand_index(b, lane, i, 0);
        // a point that is not a number stays
        rv_strand_set_vector(w->strands->target, at,
                             rv_vec3_finite(x) ? x : rv_strand_vector(w->strands->state->q, at));
      }
  }
}

// roots: places of the input at the end of the substep, and their mean velocities for the goals.
static RvResult roots(RvLookdevSolver* s, const RvStrandSample* sample, double dt) {
  if (!sample->P && !sample->exact) return RV_OK;
  Sampled w = {s->strands, s->root_point, sample};
  if (only_roots_follow(s->strands))
    rv_parallel_for(s->strands->model->nbatch, BATCHES_A_TASK, root_targets, &w);
  else
    rv_strand_solver_roots(s->strands, sample, dt);
  return RV_OK;
}

// Quaternion of a root at the end of the substep. With `orient` the frame that the start had in it; without, that of
// the state, turned by the roots' common motion and then onto the first edge of the target by the shortest arc.
static RvQuat root_frame(const RvStrandSolver* strands, const RvStrandBatch* b, int lane, RvQuat now,
                         const float* orient, const RvRigid* motion) {
  size_t at = rv_strand_index(b, lane, 0, 0), strand = (size_t)b->strand[lane];
  RvQuat turned = rv_quat_normalize(rv_quat_mul(motion->turn, now));
  RvVec3 d3 = rv_quat_rotate(turned, rv_vec3(0, 0, 1));
  RvVec3 e = rv_sub(rv_strand_vector(strands->target, at + 4 * RV_LANES), rv_strand_vector(strands->target, at));
  RvVec3 t = rv_normalize(e, d3);
  const float* o = orient ? orient + 4 * (size_t)strands->set.point[strands->set.first[strand]] : NULL;
  RvQuat out = rv_quat_normalize(rv_quat_mul(rv_quat_between(d3, t), turned));
  if (o && isfinite(o[0] + o[1] + o[2] + o[3])) {
    RvQuat frame = rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
    RvVec3 m1 = rv_quat_rotate(frame, rv_vec3_load64(strands->root_director + 3 * strand));
    m1 = rv_normalize(rv_mad(m1, -rv_dot(m1, t), t), rv_quat_rotate(out, rv_vec3(1, 0, 0)));
    out = rv_quat_from_matrix((RvMat3){{m1, rv_cross(t, m1), t}});
  }
  return rv_quat_dot(out, now) < 0 ? (RvQuat){-out.x, -out.y, -out.z, -out.w} : out;
}

// Turns all quaternions with a motion of the whole state.
static void turn_rods(RvLookdevSolver* s, RvQuat turn) {
  const RvStrandModel* m = s->strands->model;
  for (size_t e = 0; e < m->edges; ++e) {
    size_t at = e / RV_LANES * 4 * RV_LANES + e % RV_LANES;
    rv_rod_store_quat(s->state.quat, at, rv_quat_normalize(rv_quat_mul(turn, rv_rod_load_quat(s->state.quat, at))));
  }
}

typedef struct Carried {
  RvLookdevSolver* s;
  const float* orient;
  const RvRigid* motion;
} Carried;

// Quaternions of the roots of some batches.
static void frame_batches(void* arg, size_t begin, size_t end) {
  const Carried* w = arg;
  RvLookdevSolver* s = w->s;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->strands->model->batches[k];
    const RvQuat turn = w->motion->turn;
    const RvRootBatch roots = {.quat = s->state.quat + 4 * b->edge_at,
                               .target = s->strands->target + b->at,
                               .turn = {turn.x, turn.y, turn.z, turn.w},
                               .out = s->root + 4 * RV_LANES * k};
    // Frames of the input, and edges without a shortest arc, one by one.
    unsigned others = w->orient ? ALL_LANES : RV_KERNEL_CALL(rv_lookdev_root_frames, (&roots));
    for (; others; others &= others - 1) {
      int lane = __builtin_ctz(others);
      RvQuat now = rv_rod_load_quat(s->state.quat, 4 * b->edge_at + (size_t)lane);
      RvQuat next = root_frame(s->strands, b, lane, now, w->orient, w->motion);
      rv_rod_store_quat(s->root, 4 * RV_LANES * k + (size_t)lane, next);
    }
  }
}

// carry: moves the state by the share of the roots' common motion that the strands do not feel, and finds the
// quaternions of the roots.
static RvResult carry(RvLookdevSolver* s, const RvStrandSample* sample, double dt, RvError* error) {
  RvStrandSolver* strands = s->strands;
  const RvStrandModel* m = strands->model;
  RvRigid motion;
  RvResult result = rv_strand_root_motion(m, strands->state, strands->target, strands->scratch, &motion, error);
  if (!result && strands->settings.inertiascale < 1) {
    RvRigid share = rv_rigid_share(&motion, 1 - strands->settings.inertiascale);
    rv_strand_add_carry(m, strands->state, strands->globals.carry, -1);
    rv_strand_move(m, strands->state, &share);
    turn_rods(s, share.turn);
    rv_rigid_rates(&share, dt, strands->globals.carry);
    result = rv_strand_root_motion(m, strands->state, strands->target, strands->scratch, &motion, error);
  }
  if (!result) rv_parallel_for(m->nbatch, BATCHES_A_TASK, frame_batches, &(Carried){s, sample->orient, &motion});
  return result;
}

//---------------------------------------------------------------------------------------------- forces

typedef struct Guided {
  RvLookdevSolver* s;
  double dt;
} Guided;

static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

// Goals, forces and wind of one vertex. A goal is a critically damped spring of circular frequency
// 2 pi / targettime sqrt(weight), implicit.
static void guide_vertex(const Guided* w, const RvStrandBatch* b, int lane, int i) {
  RvLookdevSolver* s = w->s;
  const RvStrandSolver* strands = s->strands;
  const RvStrandGuide* g = &strands->guide;
  const float* air = strands->air ? strands->air : g->wind;
  size_t strand = (size_t)b->strand[lane], own = (size_t)(strands->set.first[strand] + i);
  double weight = g->goal ? fmax(finite_or_zero(g->goal[own]), 0) : 0;
  double omega = 2 * RV_PI / strands->settings.targettime * sqrt(weight);
  for (int c = 0; c < 3; ++c) {
    size_t at = rv_strand_index(b, lane, i, c);
    if (air) s->air[at] = finite_or_zero(air[3 * own + (size_t)c]);
    if (g->force) s->force[at] += strands->multiple[strand] * finite_or_zero(g->force[3 * own + (size_t)c]);
    if (!(weight > 0)) continue;
    double mass = strands->model->mass[at], spring = mass * omega * omega, damping = 2 * mass * omega;
    const int diagonal[3] = {0, 3, 5};
    size_t stiff = 6 * b->vertex_at + (size_t)(6 * i + diagonal[c]) * RV_LANES + (size_t)lane;
    s->stiffness[stiff] += spring + damping / w->dt;
    s->force[at] += spring * (strands->target[at] - strands->state->q[at]) + damping * strands->target_velocity[at];
  }
}

static void guide_batches(void* arg, size_t begin, size_t end) {
  const Guided* w = arg;
  const RvStrandGuide* g = &w->s->strands->guide;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->s->strands->model->batches[k];
    if (g->goal || g->force) rv_lookdev_claim(w->s, k);
    if (g->goal) rv_lookdev_claim_stiffness(w->s, k);
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) guide_vertex(w, b, lane, i);
  }
}

// hairforces: goals, forces and wind that the input's points have. Weight and drag are the rods' own.
static RvResult hairforces(RvLookdevSolver* s, double dt) {
  const RvStrandModel* m = s->strands->model;
  const RvStrandGuide* g = &s->strands->guide;
  memset(s->busy, 0, m->nbatch * sizeof *s->busy);
  memset(s->stiff, 0, m->nbatch * sizeof *s->stiff);
  Guided w = {s, dt};
  if (g->goal || g->force || g->wind || s->strands->air) rv_parallel_for(m->nbatch, BATCHES_A_TASK, guide_batches, &w);
  return RV_OK;
}

static void claim(void* user, size_t batch) {
  rv_lookdev_claim(user, batch);
}

// volume: hair that is denser than in the groom pushes apart.
static RvResult volume(RvLookdevSolver* s, double dt, RvError* error) {
  if (!s->volume.row) return RV_OK;
  return rv_volume_forces(&s->volume, s->strands->model, s->strands->state, s->rest_density, &s->settings.volume, dt,
                          claim, s, s->force, error);
}

//---------------------------------------------------------------------------------------------- rods

// Animated strands go where the input goes.
static void follow(RvLookdevSolver* s, double dt) {
  RvStrandState* state = s->strands->state;
  for (size_t k = 0; k < s->strands->model->unknowns; ++k) {
    if (k / RV_LANES % 4 == 3) continue;
    state->v[k] = (s->strands->target[k] - state->q[k]) / dt;
    state->q[k] = s->strands->target[k];
  }
  align_rods(s);
}

// rods: one step of all strands.
static RvResult rods(RvLookdevSolver* s, double dt, RvError* error) {
  const RvStrandSettings* set = &s->strands->settings;
  if (s->strands->animated) {
    follow(s, dt);
    return RV_OK;
  }
  RvRodStepDef def = {.dt = dt,
                      .iterations = s->settings.iterations,
                      .solve = s->settings.rodsolve,
                      .relaxation = s->settings.relaxation,
                      .target = s->strands->target,
                      .root = s->root,
                      .forces = {.dragnormal = set->dragnormal,
                                 .dragtangent = set->dragtangent,
                                 .air = s->air,
                                 .force = s->force,
                                 .stiffness = s->stiffness,
                                 .busy = s->busy,
                                 .stiff = s->stiff}};
  memcpy(def.forces.gravity, set->gravity, sizeof set->gravity);
  memcpy(def.forces.wind, set->wind, sizeof set->wind);
  // Wet hair is heavier and softer.
  RvStrandModel strands = *s->strands->model;
  RvCosseratModel model = s->model;
  if (s->water) {
    rv_lookdev_water_weigh(s->water, s->model.bend);
    strands.mass = s->water->wet_mass;
    model.bend = s->water->wet_bend;
  }
  size_t failed = 0;
  RvResult result =
      rv_cosserat_step(&strands, s->strands->state, &model, &s->state, &def, s->strands->scratch, &failed, error);
  s->failed += failed;
  return result;
}

// update: forces of the solids, velocities of the carried frame, and the target for the next substep.
static RvResult update(RvLookdevSolver* s, double dt) {
  RvStrandSolver* strands = s->strands;
  if (s->ncollider) rv_lookdev_press(s);
  if (strands->settings.inertiascale < 1)
    rv_strand_add_carry(strands->model, strands->state, strands->globals.carry, 1);
  strands->globals.dt = dt;
  if (!only_roots_follow(strands))
    memcpy(strands->target_before, strands->target, strands->model->unknowns * sizeof(double));
  strands->substeps++;
  s->substeps++;
  return RV_OK;
}

// sources: solids where they are in this substep, then what sinks take and sources give.
static RvResult sources(RvLookdevSolver* s, double dt, RvError* error) {
  RvResult result = rv_lookdev_water_solids(s->water, s->colliders, s->ncollider, error);
  return result ? result : rv_lookdev_water_flow(s->water, dt, error);
}

//---------------------------------------------------------------------------------------------- the method

static double clock_of(const RvLookdevSolver* s) {
  return s->cpu_time ? rv_clock_cpu() : rv_clock_wall();
}

#define STAGE(name, call)                                       \
  if (!result) {                                                \
    double start = clock_of(s);                                 \
    result = call;                                              \
    s->seconds[RV_LOOKDEV_STAGE_##name] += clock_of(s) - start; \
  }

RvResult rv_lookdev_substep(RvLookdevSolver* s, const RvStrandSample* sample, double dt, RvError* error) {
  RvResult result = RV_OK;
  RvLookdevWater* water = s->water;
  if (water) STAGE(sources, sources(s, dt, error))
  STAGE(roots, roots(s, sample, dt))
  STAGE(carry, carry(s, sample, dt, error))
  STAGE(hairforces, hairforces(s, dt))
  if (water) STAGE(neighbours, rv_lookdev_water_find(water, dt, error))
  if (water) STAGE(pores, rv_lookdev_water_pull(water, claim, s, s->force, error))
  STAGE(volume, volume(s, dt, error))
  STAGE(contacts, rv_lookdev_contacts(s, dt, error))
  STAGE(rods, rods(s, dt, error))
  STAGE(update, update(s, dt))
  if (water) STAGE(density, rv_lookdev_water_project(water, error))
  if (water) STAGE(move, rv_lookdev_water_move(water, dt, error))
  return result;
}
