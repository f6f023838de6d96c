#include "node/solver/points.h"

#include <string.h>

#include "base/memory.h"
#include "node/solver/scaffold.h"

const RvPortDef rv_solver_inputs[2] = {
    {"points", "Points", "Points at the start frame, and where they go after it.", true},
    {"colliders", "Colliders", "Solids that the points meet.", false}};
const RvPortDef rv_solver_outputs[2] = {{"points", "Points", "The simulated points.", false},
                                        {"state", "State", "The points with all that a resumed run needs.", false}};
const char* const rv_solver_stages[] = {"load", "inputs", "substep", "save", NULL};

// The index of the input that the points of rv_solver_points come from.
enum { POINT_INPUT = 0 };

// Fails for want of memory.
static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
}

//---------------------------------------------------------------------------------------------- a set of points

RvResult rv_points_start(RvPointSet* s, const RvDetail* in, RvDetail* state, RvError* error) {
  const float *P = rv_detail_f32(in, RV_POINT, "P", 3), *v = rv_detail_f32(in, RV_POINT, "v", 3);
  float* sample = rv_detail_f32_write(state, RV_POINT, "rv_sample", 6, error);
  if (!sample) return no_memory(s->count, error);
  // a scene that begins frozen has no rate: its velocities count as those of a time scale of 1
  double rate = s->timescale > 0 ? s->timescale / s->meters : 1 / s->meters;
  for (size_t i = 0; i < 3 * s->count; ++i) {
    s->x[i] = P[i] * s->meters;
    s->v[i] = v ? v[i] / rate : 0;
  }
  // The input at the start frame; its slope is not known yet and stays 0.
  for (size_t i = 0; i < s->count; ++i) memcpy(sample + 6 * i, P + 3 * i, 3 * sizeof *sample);
  return RV_OK;
}

// Where P or v are no longer the rounded copies, an artist edited them, and the edit wins.
static void take_edits(const RvPointSet* s, const RvDetail* state) {
  const float *P = rv_detail_f32(state, RV_POINT, "P", 3), *shown = rv_detail_f32(state, RV_POINT, "v", 3);
  // the time scale that turned the last velocities into those of the scene
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  double rate = dt ? dt[1] / s->meters : 0;
  size_t edited = 0;
  for (size_t i = 0; i < 3 * s->count; ++i) {
    bool moved = P && P[i] != (float)(s->x[i] / s->meters);
    bool pushed = shown && rate > 0 && shown[i] != (float)(s->v[i] * dt[1] / s->meters);
    if (moved) s->x[i] = P[i] * s->meters;
    if (pushed) s->v[i] = shown[i] / rate;
    edited += moved || pushed;
  }
  if (edited) rv_cook_info(s->cook, "P or v of some points were edited: the edits are taken (%zu numbers)", edited);
}

RvResult rv_points_begin(RvPointSet* s, int index, const RvDetail* state, RvError* error) {
  take_edits(s, state);
  if (index < 0) return RV_OK;
  s->goals = rv_alloc_zero(3 * s->count, sizeof *s->goals);
  if (!s->goals) return no_memory(s->count, error);
  return rv_sampler_begin(&s->sampler, s->cook, index, state, error);
}

RvResult rv_points_sample(RvPointSet* s, double share, RvError* error) {
  RvStrandSample in;
  RvResult result = rv_sampler_at(&s->sampler, share, &in, error);
  for (size_t i = 0; i < s->count && !result; ++i) {
    double p[3];
    rv_strand_sample_point(&in, i, p);
    for (int c = 0; c < 3; ++c) s->goals[3 * i + (size_t)c] = p[c] * s->meters;
  }
  return result;
}

RvResult rv_points_save(const RvPointSet* s, double last_substep, RvDetail* state, RvError* error) {
  double* dt = rv_detail_f64_write(state, RV_GLOBAL, "rv_dt", 2, error);
  float *P = rv_detail_f32_write(state, RV_POINT, "P", 3, error),
        *shown = rv_detail_f32_write(state, RV_POINT, "v", 3, error);
  if (!dt || !P || !shown) return no_memory(s->count, error);
  dt[0] = last_substep;
  dt[1] = s->timescale;
  // rounded copies of the exact fields, in units of the scene
  for (size_t i = 0; i < 3 * s->count; ++i) {
    P[i] = (float)(s->x[i] / s->meters);
    shown[i] = (float)(s->v[i] * s->timescale / s->meters);
  }
  return s->sampler.now ? rv_sampler_keep(&s->sampler, state, error) : RV_OK;
}

void rv_points_end(RvPointSet* s) {
  rv_sampler_end(&s->sampler);
  rv_free(s->goals);
}

//---------------------------------------------------------------------------------------------- rv_solver_points

// RvSolverMedia.init: the input must be wired.
static RvResult points_init(RvSolver* s, RvError* error) {
  const RvDetail* in = rv_solver_input(s->cook, POINT_INPUT);
  s->points = (RvPointSet){.cook = s->cook, .meters = s->meters, .timescale = s->timescale};
  RvPortName port = rv_solver_port(s->cook, POINT_INPUT);
  if (!in) return rv_fail(error, RV_BAD_INPUT, "%s, is empty", port.text);
  if (!rv_detail_f32(in, RV_POINT, "P", 3)) return rv_fail(error, RV_BAD_INPUT, "%s, has no P", port.text);
  return RV_OK;
}

// The arrays of the data from the state in `s->state`, by the rows of its fields.
static RvResult load_data(RvSolver* s, RvError* error) {
  const RvNodeType* node = s->cook->type;
  RvResult result = rv_state_load(s->state, node->fields, node->nfield, s->data, error);
  if (result) return result;
  s->count = s->points.count = rv_detail_count(s->state, RV_POINT);
  s->points.x = *(double**)((char*)s->data + s->type->x);
  s->points.v = *(double**)((char*)s->data + s->type->v);
  return RV_OK;
}

// RvSolverMedia.save: fields by their rows, then the rounded copies, then what artists see.
static RvResult points_save(RvSolver* s, RvState* state, RvError* error) {
  const RvNodeType* node = s->cook->type;
  RvResult result = rv_state_save(s->state, node->fields, node->nfield, s->data, error);
  if (!result) result = rv_points_save(&s->points, s->substep_seconds, s->state, error);
  if (!result && s->type->look) result = s->type->look(s, s->state, error);
  if (result) return result;
  state->part[0] = s->state;
  s->state = NULL;
  return RV_OK;
}

// The state is the input with the solver's own attributes, so that unknown ones pass through. Those of a solver before
// it, whose keepstate is on, do not: its sums and volumes would be taken for ours.
static RvResult points_start(RvSolver* s, RvState* state, RvError* error) {
  const RvNodeType* node = s->cook->type;
  const RvDetail* in = s->cook->input[POINT_INPUT];
  s->state = rv_detail_copy(in);
  RvResult result = s->state ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (!result) rv_state_strip(s->state, false);
  if (!result) result = rv_state_prepare(s->state, node->fields, node->nfield, error);
  if (!result) result = load_data(s, error);
  if (!result) result = rv_points_start(&s->points, in, s->state, error);
  if (!result && s->type->start) result = s->type->start(s, error);
  return result ? result : points_save(s, state, error);
}

// RvSolverMedia.load
static RvResult points_load(RvSolver* s, RvError* error) {
  s->state = rv_detail_copy(s->cook->prev->part[0]);
  RvResult result = s->state ? load_data(s, error) : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (!result) result = rv_points_begin(&s->points, POINT_INPUT, s->state, error);
  s->goal = s->points.goals;
  return result ? result : rv_solver_begin_solids(s, error);
}

// RvSolverMedia.inputs: goals of the end of the part, solids of its start with their motion.
static RvResult points_inputs(RvSolver* s, double from, double to, double dt, RvError* error) {
  RvResult result = rv_points_sample(&s->points, to, error);
  return result ? result : rv_solver_move_solids(s, from, to, dt, error);
}

// RvSolverMedia.split: the points are the state without what is stripped.
static RvResult points_split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  (void)type;
  cook->output[0] = rv_detail_copy(state->part[0]);
  return cook->output[0] ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// RvSolverMedia.end
static void points_end(RvSolver* s) {
  rv_state_release(s->cook->type->fields, s->cook->type->nfield, s->data);
  rv_points_end(&s->points);
  rv_detail_free(s->state);
}

const RvSolverMedia rv_solver_points = {.init = points_init,
                                        .start = points_start,
                                        .load = points_load,
                                        .inputs = points_inputs,
                                        .save = points_save,
                                        .split = points_split,
                                        .end = points_end};
