// Memory, stages and repeated parts of the strand solver; targets and root frames are in roots.c.
#include "strand/solver.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

// A part is repeated in two halves where Newton's residual ends this many times above the tolerance.
static const double RETRY_RESIDUAL = 100;
// Largest residual of a part that counts, whatever the tolerance. Wet hair that was left with residuals of 0.2 to 0.4
// crumpled: each step ended before the bending forces had answered the pull of the bridges.
static const double LARGEST_RESIDUAL = 0.1;
// Largest number of halvings: the shortest part is an eighth of the first.
enum { MAX_HALVINGS = 3 };
// Sum of all |q| and |v| of a strand (m, m/s, rad) from which its step has failed; NaN counts as above.
static const double FAILED_SUM = 1e12;

//---------------------------------------------------------------------------------------------- memory

RvResult rv_strand_solver_init(RvStrandSolver* s, RvError* error) {
  size_t unknowns = s->model->unknowns, strands = s->set.count;
  double** of_unknowns[] = {&s->forces.force, &s->forces.drag,   &s->forces.drag_velocity, &s->forces.spring,
                            &s->target,       &s->target_before, &s->target_velocity,      &s->backup_target};
  enum { ARRAYS = sizeof of_unknowns / sizeof *of_unknowns, NUMBERS_PER_STRAND = 5 };
  size_t numbers = ARRAYS * unknowns + NUMBERS_PER_STRAND * strands;
  // memory of an earlier solver is mapped already, which for many strands takes longer than clearing it
  if (s->memory)
    memset(s->memory, 0, numbers * sizeof *s->memory);
  else
    s->memory = rv_alloc_zero(numbers, sizeof *s->memory);
  if (!s->backup) s->backup = rv_strand_state_alloc(s->model);
  if (!s->scratch) s->scratch = rv_arena_new(0);
  if (!s->memory || !s->backup || !s->scratch)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", strands);
  double* next = s->memory;
  for (int i = 0; i < ARRAYS; ++i, next += unknowns) *of_unknowns[i] = next;
  s->multiple = next;
  s->stiffen = next + strands;
  s->root_director = next + 2 * strands;
  for (size_t i = 0; i < strands; ++i) {
    s->multiple[i] = s->set.defs[i].multiple;
    s->stiffen[i] = 1;
  }
  return RV_OK;
}

void rv_strand_guide_free(RvStrandGuide* g) {
  RV_FREE_ALL(g->wind, g->force, g->goal, g->pinned);
  *g = (RvStrandGuide){0};
}

void rv_strand_solver_free(RvStrandSolver* s) {
  rv_strand_guide_free(&s->guide);
  rv_free(s->air);
  rv_free(s->memory);
  rv_arena_free(s->scratch);
  rv_strand_state_free(s->state);
  rv_strand_state_free(s->backup);
  rv_strand_model_free(s->model);
  rv_strands_free(&s->set);
  *s = (RvStrandSolver){0};
}

void rv_strand_state_copy(const RvStrandModel* m, const RvStrandState* from, RvStrandState* to) {
  size_t unknowns = m->unknowns * sizeof(double), frames = 3 * m->edges * sizeof(double);
  memcpy(to->q, from->q, unknowns);
  memcpy(to->v, from->v, unknowns);
  memcpy(to->q_before, from->q_before, unknowns);
  memcpy(to->v_before, from->v_before, unknowns);
  memcpy(to->tangent, from->tangent, frames);
  memcpy(to->director, from->director, frames);
  memcpy(to->reference_twist, from->reference_twist, m->vertices * sizeof(double));
  to->has_before = from->has_before;
}

void rv_strand_solver_fix(RvStrandSolver* s) {
  RvStrandModel* m = s->model;
  for (size_t k = 0; k < m->nbatch; ++k) {
    RvStrandBatch* b = &m->batches[k];
    b->pinned = s->animated;
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        bool pinned = s->guide.pinned && s->guide.pinned[s->set.first[b->strand[lane]] + i];
        bool position_free = i > 1 && !pinned && !s->animated;
        bool angle_free = i > 0 && i + 1 < b->vertices && !s->animated;
        for (int c = 0; c < 3; ++c) m->free[rv_strand_index(b, lane, i, c)] = position_free;
        m->free[rv_strand_index(b, lane, i, 3)] = angle_free;
        b->pinned |= i > 1 && pinned;
      }
  }
}

//---------------------------------------------------------------------------------------------- stages

RvForceDef rv_strand_solver_force_def(const RvStrandSolver* s) {
  RvForceDef d = {.drag_normal = s->settings.dragnormal,
                  .drag_tangent = s->settings.dragtangent,
                  .first = s->set.first,
                  .multiple = s->multiple,
                  .wind_at = s->air ? s->air : s->guide.wind,
                  .force_at = s->guide.force,
                  .goal_weight = s->guide.goal,
                  .pull = 2 * RV_PI / s->settings.targettime,
                  .goal_target = s->target,
                  .goal_velocity = s->target_velocity};
  memcpy(d.gravity, s->settings.gravity, sizeof d.gravity);
  memcpy(d.wind, s->settings.wind, sizeof d.wind);
  return d;
}

void rv_strand_solver_forces(RvStrandSolver* s) {
  RvForceDef def = rv_strand_solver_force_def(s);
  rv_strand_forces(s->model, s->state, &def, &s->forces);
}

RvStrandStepDef rv_strand_solver_step_def(const RvStrandSolver* s, double dt) {
  return (RvStrandStepDef){.dt = dt,
                           .dt_before = s->globals.dt,
                           .integrator = s->settings.integrator,
                           .max_iterations = s->settings.niter,
                           .tolerance = s->settings.tolerance,
                           .force = s->forces.force,
                           .target = s->target,
                           .drag = s->forces.drag,
                           .drag_velocity = s->forces.drag_velocity,
                           .spring = s->guide.goal ? s->forces.spring : NULL,
                           .spring_target = s->target,
                           .max_cg = s->settings.max_cg,
                           .cg_tolerance = s->settings.cg_tolerance,
                           .scratch = s->scratch};
}

RvResult rv_strand_solver_step(RvStrandSolver* s, const RvStrandStepDef* step, RvError* error) {
  RvResult result = rv_strand_step(s->model, s->state, step, &s->stats, error);
  s->iterations = s->stats.iterations > s->iterations ? s->stats.iterations : s->iterations;
  s->cg_iterations = s->stats.cg_iterations > s->cg_iterations ? s->stats.cg_iterations : s->cg_iterations;
  return result;
}

void rv_strand_solver_update(RvStrandSolver* s, double dt) {
  if (s->settings.inertiascale < 1) rv_strand_add_carry(s->model, s->state, s->globals.carry, 1);
  s->healed += rv_strand_solver_heal(s);
  s->globals.dt = dt;
  s->globals.has_before = s->state->has_before;
  memcpy(s->target_before, s->target, s->model->unknowns * sizeof(double));
}

// Restores one lane of a batch from the backup, with zero velocity.
static void restore_lane(RvStrandSolver* s, const RvStrandBatch* b, int lane) {
  for (int i = 0; i < 4 * b->vertices; ++i) {
    size_t at = b->at + (size_t)i * RV_LANES + (size_t)lane;
    s->state->q[at] = s->backup->q[at];
    s->state->q_before[at] = s->backup->q[at];
    s->state->v[at] = 0;
    s->state->v_before[at] = 0;
  }
  for (int j = 0; j < 3 * (b->vertices - 1); ++j) {
    size_t at = 3 * b->edge_at + (size_t)j * RV_LANES + (size_t)lane;
    s->state->tangent[at] = s->backup->tangent[at];
    s->state->director[at] = s->backup->director[at];
  }
  for (int i = 0; i < b->vertices; ++i) {
    size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
    s->state->reference_twist[at] = s->backup->reference_twist[at];
  }
}

size_t rv_strand_solver_heal(RvStrandSolver* s) {
  size_t healed = 0;
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double sum = 0;
      for (int i = 0; i < 4 * b->vertices; ++i) {
        size_t at = b->at + (size_t)i * RV_LANES + (size_t)lane;
        sum += fabs(s->state->q[at]) + fabs(s->state->v[at]);
      }
      if (sum < FAILED_SUM) continue;
      healed += lane < b->lanes;
      restore_lane(s, b, lane);
    }
  }
  return healed;
}

// The length of an edge over its rest length.
static double edge_stretch(const RvStrandSolver* s, const RvStrandBatch* b, int lane, int i) {
  double square = 0;
  for (int c = 0; c < 3; ++c) {
    double d = s->state->q[rv_strand_index(b, lane, i + 1, c)] - s->state->q[rv_strand_index(b, lane, i, c)];
    square += d * d;
  }
  double rest = s->model->rest_length[b->edge_at + (size_t)i * RV_LANES + (size_t)lane];
  return rest > 0 ? sqrt(square) / rest : 1;
}

// Whether a stretch is beyond another one on the side of the bound. What is not a number is.
static bool is_beyond(double stretch, double other, double bound) {
  return bound > 1 ? !(stretch <= other) : !(stretch >= other);
}

// The longest edge of a strand over its rest length, or the shortest for a bound below 1.
static double strand_stretch(const RvStrandSolver* s, const RvStrandBatch* b, int lane, double bound) {
  double worst = 1;
  for (int i = 0; i + 1 < b->vertices; ++i) {
    double stretch = edge_stretch(s, b, lane, i);
    if (is_beyond(stretch, worst, bound)) worst = stretch;
  }
  return worst;
}

RvStrandStretch rv_strand_solver_stretch(const RvStrandSolver* s, double bound) {
  RvStrandStretch found = {.worst = 1};
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      double stretch = strand_stretch(s, b, lane, bound);
      if (!is_beyond(stretch, bound, bound)) continue;
      found.count++;
      if (!is_beyond(stretch, found.worst, bound)) continue;
      found.worst = stretch;
      found.strand = (size_t)b->strand[lane];
    }
  }
  return found;
}

//---------------------------------------------------------------------------------------------- parts of a frame

void rv_strand_solver_remember(RvStrandSolver* s) {
  rv_strand_state_copy(s->model, s->state, s->backup);
  s->backup_globals = s->globals;
  s->backup_healed = s->healed;
  memcpy(s->backup_target, s->target_before, s->model->unknowns * sizeof(double));
}

void rv_strand_solver_recall(RvStrandSolver* s) {
  rv_strand_state_copy(s->model, s->backup, s->state);
  s->globals = s->backup_globals;
  s->healed = s->backup_healed;
  memcpy(s->target_before, s->backup_target, s->model->unknowns * sizeof(double));
}

bool rv_strand_solver_may_halve(const RvStrandSolver* s, int depth) {
  return depth < MAX_HALVINGS && s->settings.niter > 1 && s->substeps + 2 <= s->settings.maxsubsteps;
}

// Whether the last step ended far above Newton's tolerance.
static bool unconverged(const RvStrandSolver* s) {
  return s->stats.residual > fmin(RETRY_RESIDUAL * s->settings.tolerance, LARGEST_RESIDUAL);
}

bool rv_strand_solver_failed(const RvStrandSolver* s) {
  return unconverged(s) || s->healed > s->backup_healed;
}

void rv_strand_solver_count_part(RvStrandSolver* s) {
  s->substeps++;
  s->residual = fmax(s->residual, s->stats.residual);
  s->unconverged += unconverged(s);
}
