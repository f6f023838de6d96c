#include "node/solver/scaffold.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

const RvPortDef rv_solver_inputs[2] = {
    {"points", "Points", "Points at the start frame, and where they go after it.", true},
    {"colliders", "Colliders", "Solids that the points meet.", false}};
const RvPortDef rv_solver_outputs[2] = {{"points", "Points", "The simulated points.", false},
                                        {"state", "State", "The points with all that a resumed run needs.", false}};
const char* const rv_solver_stages[] = {"load", "inputs", "substep", "save", NULL};
enum { STAGE_LOAD, STAGE_INPUTS, STAGE_SUBSTEP, STAGE_SAVE };

// A number of the node's parameters by its token.
static double number(const RvCook* cook, const void* parms, const char* token) {
  const RvParmDef* row = rv_parm_find(cook->type->parms, token);
  const char* at = row ? (const char*)parms + row->offset : NULL;
  if (!at) return 0;
  if (row->type == RV_PARM_TOGGLE) return *(const bool*)at;
  return row->type == RV_PARM_INT ? (double)*(const int64_t*)at : *(const double*)at;
}

static double* member(const RvSolver* s, size_t offset) {
  return *(double**)((char*)s->data + offset);
}

//---------------------------------------------------------------------------------------------- making

static RvResult init(RvSolver* s, const RvSolverType* type, RvCook* cook, RvError* error) {
  *s = (RvSolver){.type = type, .cook = cook, .parms = cook->parms, .meters = rv_cook_meters(cook)};
  s->timescale = number(cook, cook->parms, "timescale");
  s->frame_seconds = cook->dt * s->timescale;
  s->data = rv_alloc_zero(1, type->data_bytes);
  s->parm_room = rv_alloc_zero(1, cook->type->parms->struct_bytes);
  s->scratch = rv_arena_new(0);
  if (!s->data || !s->parm_room || !s->scratch) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!rv_solver_input(cook, 0)) return rv_fail(error, RV_BAD_INPUT, "%s, is empty", rv_solver_port(cook, 0).text);
  return RV_OK;
}

static void end(RvSolver* s) {
  if (s->data) rv_state_release(s->cook->type->fields, s->cook->type->nfield, s->data);
  rv_sampler_end(&s->sampler);
  rv_colliders_end(&s->colliders);
  rv_free(s->steps);
  rv_free(s->solid_steps);
  rv_free(s->goals);
  rv_free(s->data);
  rv_free(s->parm_room);
  rv_arena_free(s->scratch);
}

//---------------------------------------------------------------------------------------------- state

// P and v are rounded copies of the exact fields, in units of the scene.
static RvResult publish(const RvSolver* s, RvDetail* out, RvError* error) {
  const double *x = member(s, s->type->x), *v = member(s, s->type->v);
  float* P = rv_detail_f32_write(out, RV_POINT, "P", 3, error);
  float* shown = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  if (!P || !shown) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", s->count);
  for (size_t i = 0; i < 3 * s->count; ++i) {
    P[i] = (float)(x[i] / s->meters);
    shown[i] = (float)(v[i] * s->timescale / s->meters);
  }
  return RV_OK;
}

// Where P or v are no longer the rounded copies, an artist edited them, and the edit wins.
static void take_edits(const RvSolver* s, const RvDetail* state) {
  double *x = member(s, s->type->x), *v = member(s, s->type->v);
  const float* P = rv_detail_f32(state, RV_POINT, "P", 3);
  const float* shown = rv_detail_f32(state, RV_POINT, "v", 3);
  // the time scale that turned the last velocities into those of the scene
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  double rate = dt ? dt[1] / s->meters : 0;
  size_t edited = 0;
  for (size_t i = 0; i < 3 * s->count; ++i) {
    bool moved = P && P[i] != (float)(x[i] / s->meters);
    bool pushed = shown && rate > 0 && shown[i] != (float)(v[i] * dt[1] / s->meters);
    if (moved) x[i] = P[i] * s->meters;
    if (pushed) v[i] = shown[i] / rate;
    edited += moved || pushed;
  }
  if (edited) rv_cook_info(s->cook, "P or v of some points were edited: the edits are taken (%zu numbers)", edited);
}

static RvResult save(RvSolver* s, RvDetail* state, double dt, RvError* error) {
  const RvNodeType* type = s->cook->type;
  RvResult result = rv_state_save(state, type->fields, type->nfield, s->data, error);
  double* last = result ? NULL : rv_detail_f64_write(state, RV_GLOBAL, "rv_dt", 2, error);
  if (!result && !last) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (result) return result;
  last[0] = dt;
  last[1] = s->timescale;
  result = publish(s, state, error);
  if (!result && s->sampler.now) result = rv_sampler_keep(&s->sampler, state, error);
  return result || !s->type->look ? result : s->type->look(s, state, error);
}

RvResult rv_solver_start(const RvSolverType* type, RvCook* cook, RvError* error) {
  RvSolver s;
  RvDetail* made = NULL;
  const RvNodeType* node = cook->type;
  RvResult result = init(&s, type, cook, error);
  const RvDetail* in = result ? NULL : cook->input[0];
  const float* P = in ? rv_detail_f32(in, RV_POINT, "P", 3) : NULL;
  if (!result && !P) result = rv_fail(error, RV_BAD_INPUT, "%s, has no P", rv_solver_port(cook, 0).text);
  // the state is the input with the solver's own attributes, so that unknown ones pass through
  if (!result && !(made = rv_detail_copy(in))) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_state_prepare(made, node->fields, node->nfield, error);
  if (!result) result = rv_state_load(made, node->fields, node->nfield, s.data, error);
  if (!result) {
    s.count = rv_detail_count(in, RV_POINT);
    const float* v = rv_detail_f32(in, RV_POINT, "v", 3);
    double *x = member(&s, type->x), *velocity = member(&s, type->v);
    double rate = s.timescale > 0 ? s.timescale / s.meters : 1 / s.meters;
    for (size_t i = 0; i < 3 * s.count; ++i) {
      x[i] = P[i] * s.meters;
      velocity[i] = v ? v[i] / rate : 0;
    }
    if (type->start) result = type->start(&s, error);
  }
  if (!result) result = save(&s, made, 0, error);
  float* sample = result ? NULL : rv_detail_f32_write(made, RV_POINT, "rv_sample", 6, error);
  for (size_t i = 0; sample && i < s.count; ++i) memcpy(sample + 6 * i, P + 3 * i, 3 * sizeof *sample);
  if (!result && !sample) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (result)
    rv_detail_free(made);
  else
    cook->state.part[0] = made;
  end(&s);
  return result;
}

//---------------------------------------------------------------------------------------------- a frame

static RvResult begin(RvSolver* s, RvDetail* state, RvError* error) {
  const RvNodeType* node = s->cook->type;
  RvResult result = rv_state_load(state, node->fields, node->nfield, s->data, error);
  s->count = rv_detail_count(state, RV_POINT);
  if (!result) take_edits(s, state);
  if (!result) result = rv_sampler_begin(&s->sampler, s->cook, 0, state, error);
  RvCollidersDef def = {s->cook, .input = s->type->collider_input, .unit = s->meters, .timescale = s->timescale};
  if (!result && s->timescale > 0) result = rv_colliders_begin(&s->colliders, &def, error);
  s->goals = rv_alloc(3 * s->count, sizeof *s->goals);
  s->steps = rv_alloc_zero(s->colliders.count, sizeof *s->steps);
  s->solid_steps = rv_alloc_zero(s->colliders.count, sizeof *s->solid_steps);
  s->goal = s->goals;
  s->solids = s->solid_steps;
  s->nsolid = s->colliders.count;
  if (!result && (!s->goals || !s->steps || !s->solid_steps)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  return result;
}

// Inputs of a part of the frame, as they are at its end; solids as they are at its start, with their motion.
static RvResult sample(RvSolver* s, double from, double to, double dt, RvError* error) {
  RvStrandSample in;
  const RvHost* host = s->cook->host;
  RvResult result = rv_sampler_at(&s->sampler, to, &in, error);
  for (size_t i = 0; i < s->count && !result; ++i) {
    double p[3];
    rv_strand_sample_point(&in, i, p);
    for (int c = 0; c < 3; ++c) s->goals[3 * i + (size_t)c] = p[c] * s->meters;
  }
  if (!result && s->nsolid) result = rv_colliders_step(&s->colliders, from, to, dt, s->steps, error);
  if (!result && s->nsolid) rv_solver_solids(&s->colliders, s->steps, rv_vec3(0, 0, 0), 0, dt, s->solid_steps);
  if (!result && host->parms_at) {
    result = host->parms_at(host->user, s->cook->time.frame - 1 + to, s->parm_room, error);
    s->parms = s->parm_room;
  }
  return result;
}

// The next part of what is left of the frame: equal ones, as many as the solver wants, within the artist's bounds.
static double next_part(const RvSolver* s, double left, int taken) {
  double least = number(s->cook, s->cook->parms, "substeps") - taken;
  double most = number(s->cook, s->cook->parms, "maxsubsteps") - taken;
  double longest = s->type->longest ? s->type->longest(s) : INFINITY;
  double wanted = ceil(left / longest - 1e-9);
  double count = fmax(fmax(fmin(fmax(wanted, least), most), least), 1);
  return count <= 1 ? left : left / count;
}

static RvResult advance(RvSolver* s, double* last, RvError* error) {
  double done = 0, frame = s->frame_seconds;
  RvResult result = RV_OK;
  for (int taken = 0; !result && done < frame; ++taken) {
    double left = frame - done, dt = next_part(s, left, taken);
    double from = done / frame, to = dt == left ? 1 : (done + dt) / frame;
    if (rv_cook_cancelled(s->cook, from, "substep")) return rv_fail(error, RV_CANCELLED, "interrupted in a substep");
    double clock[3] = {rv_clock_wall()}, *seconds = s->cook->stats->stage_seconds;
    result = sample(s, from, to, dt, error);
    clock[1] = rv_clock_wall();
    if (!result) result = s->type->substep(s, dt, error);
    clock[2] = rv_clock_wall();
    seconds[STAGE_INPUTS] += clock[1] - clock[0];
    seconds[STAGE_SUBSTEP] += clock[2] - clock[1];
    done = dt == left ? frame : done + dt;
    s->cook->stats->substeps++;
    *last = dt;
  }
  return result;
}

RvResult rv_solver_step(const RvSolverType* type, RvCook* cook, RvError* error) {
  RvSolver s;
  double dt = 0, start = rv_clock_wall();
  RvResult result = rv_node_check_state(cook->type, cook->prev, error);
  if (result) return result;
  result = init(&s, type, cook, error);
  RvDetail* state = result ? NULL : rv_detail_copy(cook->prev->part[0]);
  if (!result && !state) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (!result) result = begin(&s, state, error);
  cook->stats->stage_seconds[STAGE_LOAD] = rv_clock_wall() - start;
  if (!result && s.timescale > 0) result = advance(&s, &dt, error);
  start = rv_clock_wall();
  if (!result) result = save(&s, state, dt, error);
  cook->stats->stage_seconds[STAGE_SAVE] = rv_clock_wall() - start;
  if (result)
    rv_detail_free(state);
  else
    cook->state.part[0] = state;
  end(&s);
  return result;
}

RvResult rv_solver_split(RvCook* cook, const RvState* state, RvError* error) {
  bool keep = number(cook, cook->parms, "keepstate") != 0;
  for (size_t i = 0; i + 1 < cook->type->noutput; ++i) {
    cook->output[i] = i ? rv_detail_new() : rv_detail_copy(state->part[0]);
    if (!cook->output[i]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_state_strip(cook->output[i], keep);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- solids

RvResult rv_solver_distance(const RvSolver* s, const double x[3], double* distance, RvVec3* normal, RvVec3* velocity,
                            RvError* error) {
  RvResult result = RV_OK;
  *distance = INFINITY;
  *normal = *velocity = rv_vec3(0, 0, 0);
  for (size_t i = 0; i < s->nsolid && !result; ++i) {
    const RvCollider* solid = &s->solids[i];
    RvPose pose = rv_contact_collider_pose(solid, 0);
    RvVec3 world = rv_vec3_load64(x), local = rv_contact_pose_in(&pose, world), slope;
    double d;
    result = rv_contact_collider_distance(solid, s->scratch, 1, &local, &d, &slope, error);
    if (result || !(d < *distance)) continue;
    *distance = d;
    *normal = rv_quat_rotate(pose.orientation, slope);
    *velocity = rv_add(solid->linear, rv_cross(solid->angular, rv_sub(world, pose.position)));
  }
  return result;
}
