// One frame of the strands: the stages of a substep, and how the frame is cut into substeps.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/strandsolver_contact.h"
#include "node/solver/strandsolver_parms.h"

RvStrandSolveDef rv_strandsolve_def(const RvStrandParms* p, double meters) {
  RvStrandSolveDef d = {.timescale = p->timescale,
                        .substeps = (int)p->substeps,
                        .maxsubsteps = (int)p->maxsubsteps,
                        .niter = (int)p->niter,
                        .max_cg = (int)p->collisionsiter,
                        .cfl = p->cfl,
                        .tolerance = p->tolerance,
                        .integrator = p->integrator ? RV_BDF2 : RV_EULER,
                        .material = {p->hairradius, p->density, p->youngs, p->shear, p->damping, p->stiffness,
                                     p->hairsperguide, p->usewidth, meters},
                        .equilibrium = p->restmode == 0,
                        .restangle = rv_radians(p->restangle),
                        .reststretch = p->reststretch,
                        .reststiffen = p->reststiffen,
                        .dragnormal = p->dragnormal,
                        .dragtangent = p->dragtangent,
                        .inertiascale = p->inertiascale,
                        .targettime = p->targettime};
  memcpy(d.gravity, p->gravity, sizeof d.gravity);
  memcpy(d.wind, p->wind, sizeof d.wind);
  return d;
}

RvStrandContactDef rv_strandsolve_contact_def(const RvStrandParms* p) {
  return (RvStrandContactDef){p->strandcollisions, true, p->friction, p->thickness, p->rootfree};
}

//---------------------------------------------------------------------------------------------- stages

const RvForceDef* rv_strandsolve_force_def(RvStrandSolve* s, RvForceDef* d) {
  *d = (RvForceDef){.drag_normal = s->def.dragnormal,
                    .drag_tangent = s->def.dragtangent,
                    .first = s->set.first,
                    .multiple = s->multiple,
                    .wind_at = s->air ? s->air : s->guide.wind,
                    .force_at = s->guide.force,
                    .goal_weight = s->guide.goal,
                    .pull = 2 * RV_PI / s->def.targettime,
                    .goal_target = s->target,
                    .goal_velocity = s->target_velocity};
  memcpy(d->gravity, s->def.gravity, sizeof d->gravity);
  memcpy(d->wind, s->def.wind, sizeof d->wind);
  return d;
}

// keyed values change within a frame too
static RvResult sample_parms(RvStrandSolve* s, double frame, RvError* error) {
  RvStrandParms p;
  if (!s->cook->host->parms_at) return RV_OK;
  RvResult result = s->cook->host->parms_at(s->cook->host->user, frame, &p, error);
  if (result) return result;
  double timescale = s->def.timescale;
  s->def = rv_strandsolve_def(&p, s->set.metersperunit);
  s->def.timescale = timescale;
  return RV_OK;
}

// the wind of the points and of the grid together
static RvResult sample_wind(RvStrandSolve* s, RvError* error) {
  if (!s->wind_grid) return RV_OK;
  size_t n = s->set.vertices;
  double* at = rv_alloc(3 * n, sizeof *at);
  if (!s->air) s->air = rv_alloc(3 * n, sizeof *s->air);
  RvResult result = at && s->air ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the wind");
  for (size_t k = 0; !result && k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c)
          at[3 * (size_t)(s->set.first[b->strand[lane]] + i) + (size_t)c] =
              s->state->q[rv_strand_index(b, lane, i, c)] / s->set.metersperunit + s->set.origin[c];
  }
  if (!result) result = rv_grid_sample(s->wind_grid, n, at, s->air, error);
  for (size_t i = 0; !result && i < 3 * n; ++i)
    s->air[i] = (float)(s->air[i] * s->set.metersperunit + (s->guide.wind ? s->guide.wind[i] : 0));
  rv_free(at);
  return result;
}

RvResult rv_strandsolve_sample(RvStrandSolve* s, RvStrandSampler* sampler, double share, double dt, RvStrandSample* in,
                               RvError* error) {
  RvResult result = rv_sampler_at(sampler, share, in, error);
  if (!result) result = sample_parms(s, s->cook->time.frame - 1 + share, error);
  if (!result) result = sample_wind(s, error);
  if (result) return result;
  rv_solve_targets(s, in, s->target);
  for (size_t i = 0; i < s->model->unknowns; ++i) s->target_velocity[i] = (s->target[i] - s->target_before[i]) / dt;
  return RV_OK;
}

// the share of the roots' common motion that the strands do not feel is done for them
RvResult rv_strandsolve_carry(RvStrandSolve* s, const RvStrandSample* in, double dt, RvError* error) {
  RvRigid motion;
  bool carried = s->def.inertiascale < 1;
  RvResult result = rv_strand_root_motion(s->model, s->state, s->target, &motion, error);
  if (result) return result;
  if (carried) {
    RvRigid share = rv_rigid_share(&motion, 1 - s->def.inertiascale);
    rv_strand_add_carry(s->model, s->state, s->globals.carry, -1);
    rv_strand_move(s->model, s->state, &share);
    rv_rigid_rates(&share, dt, s->globals.carry);
    result = rv_strand_root_motion(s->model, s->state, s->target, &motion, error);
  }
  if (!result) rv_solve_root_angles(s, in->orient, &motion);
  return result;
}

RvStrandStepDef rv_strandsolve_step_def(const RvStrandSolve* s, double dt) {
  return (RvStrandStepDef){.dt = dt,
                           .dt_before = s->globals.dt,
                           .integrator = s->def.integrator,
                           .max_iterations = s->def.niter,
                           .tolerance = s->def.tolerance,
                           .force = s->forces.force,
                           .target = s->target,
                           .drag = s->forces.drag,
                           .drag_velocity = s->forces.drag_velocity,
                           .spring = s->guide.goal ? s->forces.spring : NULL,
                           .spring_target = s->target,
                           .max_cg = s->def.max_cg,
                           .cg_tolerance = 1e-3,
                           .scratch = s->scratch};
}

RvResult rv_strandsolve_step(RvStrandSolve* s, const RvStrandStepDef* step, RvStrandStats* stats, RvError* error) {
  RvResult result = rv_strand_step(s->model, s->state, step, stats, error);
  s->iterations = stats->iterations > s->iterations ? stats->iterations : s->iterations;
  return result;
}

void rv_strandsolve_update(RvStrandSolve* s, double dt) {
  rv_strand_contacts_accept(s->contacts, s);
  if (s->def.inertiascale < 1) rv_strand_add_carry(s->model, s->state, s->globals.carry, 1);
  s->healed += rv_solve_heal(s);
  s->globals.dt = dt;
  s->globals.has_before = s->state->has_before;
  memcpy(s->target_before, s->target, s->model->unknowns * sizeof(double));
}

//---------------------------------------------------------------------------------------------- one frame

// [from, to] of the frame in one substep, or in two of half its length where that did not converge
RvResult rv_strandsolve_advance(RvStrandSolve* s, RvStrandSampler* sampler, double from, double to, int depth,
                                RvError* error) {
  if (rv_cook_cancelled(s->cook, from, "strands")) return RV_CANCELLED;
  RvStrandStats stats;
  RvStrandGlobals globals = s->globals;
  size_t healed = s->healed;
  rv_solve_copy_state(s->model, s->state, s->backup);
  double* before = NULL;
  bool again = depth < 3 && s->def.niter > 1 && s->substeps + 2 <= s->def.maxsubsteps;
  if (again) {
    before = rv_alloc(s->model->unknowns, sizeof *before);
    if (!before) return rv_fail(error, RV_NO_MEMORY, "out of memory for a substep");
    memcpy(before, s->target_before, s->model->unknowns * sizeof *before);
  }
  RvResult result = again ? rv_strand_contacts_remember(s->contacts, error) : RV_OK;
  if (!result) result = s->substep(s, sampler, from, to, &stats, error);
  again = again && !result && (stats.residual > 100 * s->def.tolerance || s->healed > healed);
  if (again) {
    rv_solve_copy_state(s->model, s->backup, s->state);
    memcpy(s->target_before, before, s->model->unknowns * sizeof *before);
    s->globals = globals;
    s->healed = healed;
    result = rv_strand_contacts_recall(s->contacts, s, error);
  }
  rv_free(before);
  if (again && !result) {
    double middle = 0.5 * (from + to);
    result = rv_strandsolve_advance(s, sampler, from, middle, depth + 1, error);
    return result ? result : rv_strandsolve_advance(s, sampler, middle, to, depth + 1, error);
  }
  s->substeps++;
  // a step that was done again in two does not count
  if (!result) s->residual = fmax(s->residual, stats.residual);
  if (!result && stats.residual > 100 * s->def.tolerance) s->unconverged++;
  if (!result && s->taken) result = s->taken(s, from, to, error);
  return result;
}

RvResult rv_strandsolve_count(RvStrandSolve* s, RvStrandSampler* sampler, int* count, RvError* error) {
  RvStrandSample middle, end;
  RvResult result = rv_sampler_at(sampler, 1, &end, error);
  *count = s->def.substeps;
  if (!result) result = rv_sampler_at(sampler, 0.5, &middle, error);
  if (!result) *count = rv_solve_count(s, &middle, &end);
  return result;
}

RvResult rv_strandsolve_frame(RvStrandSolve* s, RvStrandSampler* sampler, RvError* error) {
  int count = 0;
  RvResult result = rv_strandsolve_count(s, sampler, &count, error);
  for (int i = 0; i < count && !result; ++i)
    result =
        rv_strandsolve_advance(s, sampler, (double)i / count, i + 1 == count ? 1 : (double)(i + 1) / count, 0, error);
  return result;
}
