#include "node/solver/scaffold.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

double rv_solver_number(const RvCook* cook, const char* token) {
  const RvParmDef* row = rv_parm_find(cook->type->parms, token);
  const char* at = row ? (const char*)cook->parms + row->offset : NULL;
  if (!at) return 0;
  if (row->type == RV_PARM_TOGGLE) return *(const bool*)at;
  return row->type == RV_PARM_INT ? (double)*(const int64_t*)at : *(const double*)at;
}

//---------------------------------------------------------------------------------------------- making

// Most solvers have one set of points.
static const RvSolverMedia* media_of(const RvSolverType* type) {
  return type->media ? type->media : &rv_solver_points;
}

// Makes a solver for one call. `end` must follow, also after a failure.
static RvResult init(RvSolver* s, const RvSolverType* type, RvCook* cook, RvError* error) {
  size_t parm_bytes = cook->type->parms->struct_bytes;
  *s = (RvSolver){.type = type, .media = media_of(type), .cook = cook, .meters = rv_cook_meters(cook)};
  // The time scale is that of the frame: within a frame time runs evenly.
  s->timescale = rv_solver_number(cook, "timescale");
  s->frame_seconds = cook->dt * s->timescale;
  s->colliders.def = (RvCollidersDef){cook, type->collider_input, s->meters, s->timescale};
  s->data = rv_alloc_zero(1, type->data_bytes);
  s->parm_room = rv_alloc_zero(1, parm_bytes);
  s->sampled_parms = rv_alloc_zero(1, parm_bytes);
  s->scratch = rv_arena_new(0);
  if (!s->data || !s->parm_room || !s->sampled_parms || !s->scratch)
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Parameters may be asked for at other moments, so they are a copy.
  memcpy(s->parm_room, cook->parms, parm_bytes);
  s->parms = s->parm_room;
  return s->media->init ? s->media->init(s, error) : RV_OK;
}

// Frees the solver: views of solids before the solids.
static void end(RvSolver* s) {
  if (s->data && s->media->end) s->media->end(s);
  rv_solver_end_solids(s);
  rv_colliders_end(&s->colliders);
  rv_free(s->data);
  rv_free(s->parm_room);
  rv_free(s->sampled_parms);
  rv_arena_free(s->scratch);
}

RvResult rv_solver_sample_parms(RvSolver* s, double share, bool* changed, RvError* error) {
  const RvHost* host = s->cook->host;
  size_t bytes = s->cook->type->parms->struct_bytes;
  *changed = false;
  if (!host->parms_at) return RV_OK;
  RvResult result = host->parms_at(host->user, s->cook->time.frame - 1 + share, s->sampled_parms, error);
  // Padding may make equal values differ, which only costs their translation once more.
  *changed = !result && memcmp(s->sampled_parms, s->parm_room, bytes) != 0;
  if (*changed) memcpy(s->parm_room, s->sampled_parms, bytes);
  return result;
}

void rv_solver_add_seconds(RvSolver* s, const char* stage, double seconds) {
  const char* const* names = s->cook->type->stages;
  for (size_t i = 0; names && names[i]; ++i)
    if (strcmp(names[i], stage) == 0) s->cook->stats->stage_seconds[i] += seconds;
}

//---------------------------------------------------------------------------------------------- a frame

// The next part of what is left of the frame: equal ones, as many as the solver wants, within the artist's bounds.
static double next_part(const RvSolver* s, double left, int taken) {
  double least = rv_solver_number(s->cook, "substeps") - taken;
  double most = rv_solver_number(s->cook, "maxsubsteps") - taken;
  double longest = s->type->longest ? s->type->longest(s) : INFINITY;
  // rounding of a frame that is a whole number of longest substeps must not add one
  double wanted = ceil(left / longest - 1e-9);
  double count = fmax(fmax(fmin(fmax(wanted, least), most), least), 1);
  return count <= 1 ? left : left / count;
}

// The substeps of a frame, with parameters and inputs of the end of each.
static RvResult substeps(RvSolver* s, RvError* error) {
  double done = 0, frame = s->frame_seconds;
  RvResult result = RV_OK;
  for (int taken = 0; !result && done < frame; ++taken) {
    double left = frame - done, dt = next_part(s, left, taken);
    double from = done / frame, to = dt == left ? 1 : (done + dt) / frame;
    bool changed;
    if (rv_cook_cancelled(s->cook, from, "substep")) return rv_fail(error, RV_CANCELLED, "interrupted in a substep");
    double clock[3] = {rv_clock_wall()};
    if (s->media->inputs) result = s->media->inputs(s, from, to, dt, error);
    if (!result) result = rv_solver_sample_parms(s, to, &changed, error);
    clock[1] = rv_clock_wall();
    if (!result) result = s->type->substep(s, dt, error);
    clock[2] = rv_clock_wall();
    rv_solver_add_seconds(s, "inputs", clock[1] - clock[0]);
    rv_solver_add_seconds(s, "substep", clock[2] - clock[1]);
    done = dt == left ? frame : done + dt;
    s->cook->stats->substeps++;
    s->substep_seconds = dt;
  }
  return result;
}

//---------------------------------------------------------------------------------------------- the node's calls

RvResult rv_solver_start(const RvSolverType* type, RvCook* cook, RvError* error) {
  RvSolver s;
  RvResult result = init(&s, type, cook, error);
  if (!result) result = s.media->start(&s, &cook->state, error);
  if (result) rv_state_free(&cook->state);
  end(&s);
  return result;
}

RvResult rv_solver_step(const RvSolverType* type, RvCook* cook, RvError* error) {
  RvSolver s;
  double clock[4] = {rv_clock_wall()};
  RvResult result = rv_node_check_state(cook->type, cook->prev, error);
  if (result) return result;
  // Load, advance unless time stands still, and save.
  result = init(&s, type, cook, error);
  if (!result) result = s.media->load(&s, error);
  clock[1] = rv_clock_wall();
  if (!result && s.timescale > 0) result = type->advance ? type->advance(&s, error) : substeps(&s, error);
  clock[2] = rv_clock_wall();
  if (!result) result = s.media->save(&s, &cook->state, error);
  if (result) rv_state_free(&cook->state);
  clock[3] = rv_clock_wall();
  // Solids are inputs: asking for them cooks the nodes above.
  rv_solver_add_seconds(&s, "load", clock[1] - clock[0] - s.colliders.begin_seconds);
  rv_solver_add_seconds(&s, "inputs", s.colliders.begin_seconds);
  rv_solver_add_seconds(&s, "save", clock[3] - clock[2]);
  if (!result && s.media->tell) s.media->tell(&s);
  end(&s);
  return result;
}

RvResult rv_solver_split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  bool keep = rv_solver_number(cook, "keepstate") != 0;
  // Every output before the state is there, if empty.
  RvResult result = media_of(type)->split(type, cook, state, error);
  for (size_t i = 0; i + 1 < cook->type->noutput && !result; ++i) {
    if (!cook->output[i] && !(cook->output[i] = rv_detail_new())) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_state_strip(cook->output[i], keep);
  }
  return result;
}
