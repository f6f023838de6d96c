// Memory, start frame and substep of hair as chains (hair.h).
#include "continuum/hair.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/scalar.h"

enum { BATCHES_A_TASK = 16 };
// rad/s: spin of a link from which its strand has failed; what is not a number counts as above. The tip of a link of a
// millimetre would be as fast as sound at a third of it.
static const double FAILED_SPIN = 1e6;

//---------------------------------------------------------------------------------------------- memory

// Lengths of the links are those of the strands' edges, and inertia follows.
static void take_lengths(RvContinuumHair* h) {
  RvChainModel* m = h->continuum.model;
  for (size_t i = 0; i < m->links; ++i) {
    m->length[i] = h->strands->model->rest_length[i];
    m->across[i] = m->mass[i] * m->length[i] * m->length[i] / 3 + 0.5 * m->axial[i];
  }
}

RvResult rv_continuum_hair_init(RvContinuumHair* h, RvStrandSolver* strands, RvError* error) {
  *h = (RvContinuumHair){.strands = strands, .carried = {.turn = rv_quat_identity()}};
  const bool guided = strands->guide.goal || strands->guide.pinned;
  RvChainModel* model = NULL;
  RvResult result = rv_chain_model_new(strands->set.defs, strands->set.count, &model, error);
  if (result) return result;
  RvChainState* state = rv_chain_state_alloc(model);
  if (!state) {
    rv_chain_model_free(model);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", strands->set.count);
  }
  result = rv_continuum_init(&h->continuum, model, state, true, error);
  if (result) return result;
  // One block: the bases, and the goals where there are any.
  size_t bases = model->nbatch * RV_LANES, goals = guided ? 3 * model->vertices : 0;
  h->base_x = rv_alloc_zero(13 * bases + 2 * goals + 1, sizeof(double));
  if (!h->base_x) return rv_fail(error, RV_NO_MEMORY, "out of memory for the roots of %zu strands", strands->set.count);
  h->base_orient = h->base_x + 3 * bases;
  h->base_v = h->base_x + 7 * bases;
  h->base_spin = h->base_x + 10 * bases;
  if (guided) {
    h->goal = h->base_x + 13 * bases;
    h->goal_velocity = h->goal + goals;
  }
  return RV_OK;
}

void rv_continuum_hair_free(RvContinuumHair* h) {
  rv_continuum_free(&h->continuum);
  rv_free(h->base_x);
  *h = (RvContinuumHair){0};
}

//---------------------------------------------------------------------------------------------- start and load

// The spin across a link that gives its ends the velocities v0 and v1.
static RvVec3 spin_of(RvVec3 arm, RvVec3 v0, RvVec3 v1) {
  return rv_scale(rv_cross(arm, rv_sub(v1, v0)), 1 / rv_dot(arm, arm));
}

static RvVec3 strand_vertex(const double* q, const RvStrandBatch* b, int lane, int i) {
  return rv_strand_vector(q, rv_strand_index(b, lane, i, 0));
}

// Links of one strand turn to the places of its marked vertices, and spin by their velocities.
static void take_edits(RvContinuumHair* h, size_t k, int lane, const uint8_t* moved) {
  const RvStrandBatch* s = &h->strands->model->batches[k];
  const RvChainBatch* b = &h->continuum.model->batches[k];
  RvChainState* state = h->continuum.state;
  int32_t first = h->strands->set.first[b->strand[lane]];
  for (int i = 0; i < b->links; ++i) {
    uint8_t edits = moved[first + i] | moved[first + i + 1];
    size_t at = rv_chain_link(b, lane, i, 4, 0), spin_at = rv_chain_link(b, lane, i, 3, 0);
    RvQuat q = rv_chain_quat(state->orient, at);
    RvVec3 axis = rv_quat_rotate(q, rv_vec3(0, 0, 1));
    if (edits & 1) {
      RvVec3 edge =
          rv_sub(strand_vertex(h->strands->state->q, s, lane, i + 1), strand_vertex(h->strands->state->q, s, lane, i));
      RvVec3 to = rv_normalize(edge, axis);
      rv_chain_set_quat(state->orient, at, rv_quat_normalize(rv_quat_mul(rv_quat_between(axis, to), q)));
      axis = to;
    }
    if (!(edits & 2)) continue;
    RvVec3 v0 = strand_vertex(h->strands->state->v, s, lane, i),
           v1 = strand_vertex(h->strands->state->v, s, lane, i + 1);
    RvVec3 spin = rv_strand_vector(state->spin, spin_at),
           arm = rv_scale(axis, h->continuum.model->length[b->at + (size_t)i * RV_LANES + (size_t)lane]);
    rv_strand_set_vector(state->spin, spin_at, rv_mad(spin_of(arm, v0, v1), rv_dot(spin, axis), axis));
  }
}

void rv_continuum_hair_loaded(RvContinuumHair* h, const uint8_t* moved) {
  take_lengths(h);
  for (size_t k = 0; moved && k < h->continuum.model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) take_edits(h, k, lane, moved);
  rv_chain_place(h->continuum.model, h->continuum.state);
}

// Velocities of the start pose: of the roots, and spins by the others.
static void start_velocities(RvContinuumHair* h) {
  RvChainState* s = h->continuum.state;
  for (size_t k = 0; k < h->continuum.model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* strands = &h->strands->model->batches[k];
      const RvChainBatch* b = &h->continuum.model->batches[k];
      rv_strand_set_vector(s->base_v, rv_chain_base(k, lane, 3, 0),
                           strand_vertex(h->strands->state->v, strands, lane, 0));
      for (int i = 0; i < b->links; ++i) {
        RvVec3 v0 = strand_vertex(h->strands->state->v, strands, lane, i);
        RvVec3 v1 = strand_vertex(h->strands->state->v, strands, lane, i + 1);
        size_t vertex = rv_chain_vertex(b, lane, i, 3, 0);
        RvVec3 arm = rv_sub(rv_strand_vector(s->x, vertex + 3 * RV_LANES), rv_strand_vector(s->x, vertex));
        rv_strand_set_vector(s->spin, rv_chain_link(b, lane, i, 3, 0), spin_of(arm, v0, v1));
      }
    }
}

RvResult rv_continuum_hair_start(RvContinuumHair* h, RvChainRestReport* report, RvError* error) {
  RvStrandSolver* strands = h->strands;
  RvContinuum* c = &h->continuum;
  RvChainState* pose = NULL;
  *report = (RvChainRestReport){0};
  take_lengths(h);
  RvResult result = rv_chain_state_new(c->model, strands->set.defs, &pose, error);
  if (result) return result;
  rv_chain_state_copy(c->model, pose, c->state);
  rv_chain_state_free(pose);
  if (strands->settings.equilibrium) {
    RvChainRestDef def = {.max_turn = strands->settings.restangle, .max_stiffen = strands->settings.reststiffen};
    memcpy(def.gravity, strands->settings.gravity, sizeof def.gravity);
    result = rv_chain_balance(c->model, c->state, &def, strands->stiffen, report, error);
  }
  if (!result) start_velocities(h);
  return result;
}

//---------------------------------------------------------------------------------------------- roots

// Orientation of a base at the end of the substep: turned by the roots' common motion, then by the shortest arc onto
// the first edge of the target; with `orient` the director that the root had in it at the start.
static RvQuat base_frame(const RvStrandSolver* s, const RvStrandBatch* b, int lane, RvQuat now, const float* orient,
                         const RvRigid* motion) {
  size_t at = rv_strand_index(b, lane, 0, 0), strand = (size_t)b->strand[lane];
  RvQuat turned = rv_quat_normalize(rv_quat_mul(motion->turn, now));
  RvVec3 axis = rv_quat_rotate(turned, rv_vec3(0, 0, 1));
  RvVec3 edge = rv_sub(rv_strand_vector(s->target, at + 4 * RV_LANES), rv_strand_vector(s->target, at));
  RvVec3 t = rv_normalize(edge, axis);
  RvQuat out = rv_quat_normalize(rv_quat_mul(rv_quat_between(axis, t), turned));
  const float* o = orient ? orient + 4 * (size_t)s->set.point[s->set.first[strand]] : NULL;
  if (o && isfinite(o[0] + o[1] + o[2] + o[3])) {
    RvQuat frame = rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
    RvVec3 u = rv_quat_rotate(frame, rv_vec3_load64(s->root_director + 3 * strand));
    u = rv_normalize(rv_mad(u, -rv_dot(u, t), t), rv_quat_rotate(out, rv_vec3(1, 0, 0)));
    out = rv_quat_from_matrix((RvMat3){{u, rv_cross(t, u), t}});
  }
  return rv_quat_dot(out, now) < 0 ? (RvQuat){-out.x, -out.y, -out.z, -out.w} : out;
}

// The velocity field of a carried frame.
typedef struct Carry {
  RvVec3 v, omega, centre;
} Carry;

static Carry carry_of(const double rates[9]) {
  return (Carry){rv_vec3_load64(rates), rv_vec3_load64(rates + 3), rv_vec3_load64(rates + 6)};
}

static void add_vector(double* blocks, size_t at, double by, RvVec3 v) {
  rv_strand_set_vector(blocks, at, rv_mad(rv_strand_vector(blocks, at), by, v));
}

// Adds `sign` times the carried frame's velocity to bases and links.
static void add_carry(RvContinuumHair* h, double sign) {
  RvChainState* s = h->continuum.state;
  const Carry c = carry_of(h->strands->globals.carry);
  for (size_t k = 0; k < h->continuum.model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t base = rv_chain_base(k, lane, 3, 0);
      RvVec3 field = rv_add(c.v, rv_cross(c.omega, rv_sub(rv_strand_vector(s->base_x, base), c.centre)));
      add_vector(s->base_v, base, sign, field);
      add_vector(s->base_spin, base, sign, c.omega);
    }
  for (size_t i = 0; i < h->continuum.model->links; ++i)
    add_vector(s->spin, i / RV_LANES * 3 * RV_LANES + i % RV_LANES, sign, c.omega);
}

static void turn_vector(double* blocks, size_t at, RvQuat turn) {
  rv_strand_set_vector(blocks, at, rv_quat_rotate(turn, rv_strand_vector(blocks, at)));
}

static void turn_quat(double* blocks, size_t at, RvQuat turn) {
  rv_chain_set_quat(blocks, at, rv_quat_normalize(rv_quat_mul(turn, rv_chain_quat(blocks, at))));
}

// Moves the whole state rigidly.
static void move_state(RvContinuumHair* h, const RvRigid* rigid) {
  RvChainState* s = h->continuum.state;
  for (size_t k = 0; k < h->continuum.model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t base = rv_chain_base(k, lane, 3, 0);
      rv_strand_set_vector(s->base_x, base, rv_rigid_apply(rigid, rv_strand_vector(s->base_x, base)));
      turn_vector(s->base_v, base, rigid->turn);
      turn_vector(s->base_spin, base, rigid->turn);
      turn_quat(s->base_orient, rv_chain_base(k, lane, 4, 0), rigid->turn);
    }
  for (size_t i = 0; i < h->continuum.model->links; ++i) {
    turn_quat(s->orient, i / RV_LANES * 4 * RV_LANES + i % RV_LANES, rigid->turn);
    turn_vector(s->spin, i / RV_LANES * 3 * RV_LANES + i % RV_LANES, rigid->turn);
  }
}

// roots, carry: bases at the end of the substep, and the state moved by the share of the roots' common motion that the
// strands do not feel.
static RvResult move_roots(RvContinuumHair* h, const RvStrandSample* sample, double dt, RvError* error) {
  RvStrandSolver* s = h->strands;
  RvChainState* state = h->continuum.state;
  const RvStrandState before = {.q = s->target_before};
  RvRigid motion;
  RvResult result = rv_strand_root_motion(s->model, &before, s->target, s->scratch, &motion, error);
  if (result) return result;
  // Orientations first: they continue those of the bases before the state is carried.
  for (size_t k = 0; k < s->model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      RvQuat now = rv_chain_quat(state->base_orient, rv_chain_base(k, lane, 4, 0));
      rv_chain_set_quat(h->base_orient, rv_chain_base(k, lane, 4, 0),
                        base_frame(s, &s->model->batches[k], lane, now, sample->orient, &motion));
    }
  h->carried = (RvRigid){.turn = rv_quat_identity()};
  if (s->settings.inertiascale < 1) {
    h->carried = rv_rigid_share(&motion, 1 - s->settings.inertiascale);
    add_carry(h, -1);
    move_state(h, &h->carried);
    rv_rigid_rates(&h->carried, dt, s->globals.carry);
    rv_chain_place(h->continuum.model, state);
  }
  // Places and rates.
  for (size_t k = 0; k < s->model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t base = rv_chain_base(k, lane, 3, 0), turn = rv_chain_base(k, lane, 4, 0);
      RvVec3 from = rv_strand_vector(state->base_x, base),
             to = strand_vertex(s->target, &s->model->batches[k], lane, 0);
      RvRigid a = {.turn = rv_chain_quat(state->base_orient, turn)}, b = {.turn = rv_chain_quat(h->base_orient, turn)};
      rv_strand_set_vector(h->base_x, base, to);
      rv_strand_set_vector(h->base_v, base, rv_scale(rv_sub(to, from), 1 / dt));
      rv_strand_set_vector(h->base_spin, base, rv_rigid_turning(&a, &b, dt));
    }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- goals

typedef struct Goals {
  RvContinuumHair* h;
  double dt;
} Goals;

// Places and velocities of the input at all vertices; velocities are relative to the carried frame.
static void goal_batches(void* arg, size_t begin, size_t end) {
  const Goals* w = arg;
  const RvStrandSolver* s = w->h->strands;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        RvVec3 to = strand_vertex(s->target, b, lane, i), from = strand_vertex(s->target_before, b, lane, i);
        size_t at = 3 * b->vertex_at + (size_t)(3 * i) * RV_LANES + (size_t)lane;
        from = rv_rigid_apply(&w->h->carried, from);
        rv_strand_set_vector(w->h->goal, at, to);
        rv_strand_set_vector(w->h->goal_velocity, at, rv_scale(rv_sub(to, from), 1 / w->dt));
      }
  }
}

static void set_loads(RvContinuumHair* h, double dt) {
  const RvStrandSolver* s = h->strands;
  const RvStrandSettings* set = &s->settings;
  RvContinuum* c = &h->continuum;
  Goals goals = {h, dt};
  if (h->goal) rv_parallel_for(s->model->nbatch, BATCHES_A_TASK, goal_batches, &goals);
  memcpy(c->gravity, set->gravity, sizeof c->gravity);
  c->loads = (RvChainLoadDef){.drag_normal = set->dragnormal,
                              .drag_tangent = set->dragtangent,
                              .first = s->set.first,
                              .multiple = s->multiple,
                              .wind_at = h->wind_at ? h->wind_at
                                         : s->air   ? s->air
                                                    : s->guide.wind,
                              .force_at = s->guide.force,
                              .goal_weight = s->guide.goal,
                              .pinned = s->guide.pinned,
                              .pull = 2 * RV_PI / set->targettime,
                              .goal = h->goal,
                              .goal_velocity = h->goal_velocity};
  memcpy(c->loads.wind, set->wind, sizeof set->wind);
  c->base_x = h->base_x;
  c->base_orient = h->base_orient;
  c->base_v = h->base_v;
  c->base_spin = h->base_spin;
}

//---------------------------------------------------------------------------------------------- update

// Whether the links of a strand have numbers, and spins that can be.
static bool is_sound(const RvContinuumHair* h, const RvChainBatch* b, int lane) {
  double sum = 0, most = 0;
  for (int i = 0; i < b->links; ++i) {
    for (int c = 0; c < 4; ++c) sum += fabs(h->continuum.state->orient[rv_chain_link(b, lane, i, 4, c)]);
    for (int c = 0; c < 3; ++c) {
      double spin = fabs(h->continuum.state->spin[rv_chain_link(b, lane, i, 3, c)]);
      most = spin <= most ? most : spin;
    }
  }
  return isfinite(sum) && most < FAILED_SPIN;
}

// The strand in its rest shape, moving with its base.
static void rest_lane(RvContinuumHair* h, size_t k, int lane) {
  const RvChainBatch* b = &h->continuum.model->batches[k];
  RvChainState* s = h->continuum.state;
  RvQuat q = rv_chain_quat(s->base_orient, rv_chain_base(k, lane, 4, 0));
  for (int i = 0; i < b->links; ++i) {
    size_t at = rv_chain_link(b, lane, i, 4, 0);
    q = rv_quat_normalize(rv_quat_mul(q, rv_chain_quat(h->continuum.model->rest, at)));
    rv_chain_set_quat(s->orient, at, q);
    rv_strand_set_vector(s->spin, rv_chain_link(b, lane, i, 3, 0),
                         rv_strand_vector(s->base_spin, rv_chain_base(k, lane, 3, 0)));
  }
}

static void heal(RvContinuumHair* h) {
  const RvChainModel* m = h->continuum.model;
  bool any = false;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      if (is_sound(h, &m->batches[k], lane)) continue;
      rest_lane(h, k, lane);
      h->healed += lane < m->batches[k].lanes;
      any = true;
    }
  if (any) rv_chain_place(m, h->continuum.state);
}

// Places and velocities into the state of the strands.
static void show_batches(void* arg, size_t begin, size_t end) {
  RvContinuumHair* h = arg;
  RvStrandState* to = h->strands->state;
  const RvChainState* from = h->continuum.state;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &h->strands->model->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0),
               vertex = 3 * b->vertex_at + (size_t)(3 * i) * RV_LANES + (size_t)lane;
        rv_strand_set_vector(to->q, at, rv_strand_vector(from->x, vertex));
        rv_strand_set_vector(to->v, at, rv_strand_vector(from->v, vertex));
      }
  }
}

// update: velocities of the carried frame, failed strands, and what the next substep starts from.
static void update(RvContinuumHair* h, double dt) {
  RvStrandSolver* s = h->strands;
  heal(h);
  if (s->settings.inertiascale < 1) {
    add_carry(h, 1);
    rv_chain_place(h->continuum.model, h->continuum.state);
  }
  rv_parallel_for(s->model->nbatch, BATCHES_A_TASK, show_batches, h);
  s->globals.dt = dt;
  memcpy(s->target_before, s->target, s->model->unknowns * sizeof(double));
  h->substeps++;
}

RvResult rv_continuum_hair_substep(RvContinuumHair* h, const RvStrandSample* sample, double dt, RvError* error) {
  RvContinuum* c = &h->continuum;
  double start = rv_clock_wall();
  // Solids meet the strands where they are, before these are carried.
  if (c->solids.count) rv_chain_solids_begin(&c->solids, c->model, c->state);
  rv_strand_solver_roots(h->strands, sample, dt);
  RvResult result = move_roots(h, sample, dt, error);
  if (result) return result;
  set_loads(h, dt);
  c->seconds[RV_CONTINUUM_STAGE_roots] += rv_clock_wall() - start;
  result = rv_continuum_substep(c, dt, error);
  start = rv_clock_wall();
  if (!result) update(h, dt);
  c->seconds[RV_CONTINUUM_STAGE_update] += rv_clock_wall() - start;
  return result;
}
