// Strand solver: the hair stage alone (design section 3). Its method is in substep().
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "node/strandsolver_contact.h"
#include "parm/table.h"
#include "strand/rest.h"

#define STRAND_PARMS(X)                                                                                                \
  X(FOLDER, "Simulation")                                                                                              \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                    \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the groom; simulation begins after it.")      \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "",                                                           \
    "Simulated seconds a second of the scene. 0 freezes the strands, also where the input moves.")                     \
  X(INT, substeps, "Substeps", 4, HARD(1), HARD(1000), "", "Fewest steps a frame.")                                    \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "",                                                     \
    "Most steps a frame, when roots move fast or the solver does not converge.")                                       \
  X(FLOAT, cfl, "CFL", 1, HARD(0.01), SOFT(10), "", "Edge lengths that a root may move in a step.")                    \
  X(INT, niter, "Newton Iterations", 12, HARD(1), HARD(100), "",                                                       \
    "Most iterations a step. 1 is the linearised step, which is fast and soft.")                                       \
  X(FLOAT, tolerance, "Tolerance", 1e-4, HARD(1e-12), HARD(1), "", "Share of the first Newton step that ends a step.") \
  X(MENU, integrator, "Integrator", 1, "euler=Implicit Euler|bdf2=BDF2",                                               \
    "Implicit Euler damps motion with long steps; BDF2 keeps swings and spins alive.")                                 \
  X(FOLDER, "Strands")                                                                                                 \
  X(FLOAT, hairradius, "Hair Radius", 4e-5, HARD(1e-7), SOFT(2e-4), "m", "Where strands have no hairradius.")          \
  X(TOGGLE, usewidth, "Use Width", false, "Take half of width as the radius of strands that have no hairradius.")      \
  X(FLOAT, density, "Density", 1320, HARD(1), SOFT(2000), "kg1m-3", "Where strands have no density.")                  \
  X(FLOAT, youngs, "Young's Modulus", 3.9e9, HARD(1), SOFT(6e9), "kg1m-1s-2", "Where strands have no youngs.")         \
  X(FLOAT, shear, "Shear Modulus", 8.9e8, HARD(1), SOFT(3e9), "kg1m-1s-2", "Where strands have no shear.")             \
  X(FLOAT, damping, "Damping", 1e6, HARD(0), SOFT(1e7), "kg1m-1s-1", "Viscosity of the fibre, without damping.")       \
  X(FLOAT, stiffness, "Stiffness", 1, HARD(1e-6), SOFT(10), "", "Scales all stiffness and damping of the fibre.")      \
  X(FLOAT, hairsperguide, "Hairs per Guide", 1, HARD(1e-6), SOFT(100), "",                                             \
    "Hairs that a strand stands for, where it has no hairsperguide.")                                                  \
  X(MENU, restmode, "Rest Shape", 0, "equilibrium=Start Pose in Equilibrium|natural=Natural Shape",                    \
    "Equilibrium solves a rest shape that holds the start pose against gravity; natural takes rest, or the start "     \
    "pose, as the shape without weight, and sags.")                                                                    \
  X(FLOAT, restangle, "Rest Angle Cap", 60, HARD(0), HARD(170), "deg",                                                 \
    "Most that equilibrium may bend the rest shape at a point. Strands that need more sag; they are counted.",         \
    WHEN("{ restmode == natural }"))                                                                                   \
  X(FLOAT, reststretch, "Rest Stretch Cap", 0.01, HARD(0), HARD(0.5), "", "Most that it may change a rest length.",    \
    WHEN("{ restmode == natural }"))                                                                                   \
  X(FLOAT, reststiffen, "Rest Stiffening", 4, HARD(1), SOFT(16), "",                                                   \
    "Most that a strand may be made stiffer where its material could not hold the pose, or would not come back to it " \
    "after a push. 1 keeps the material.",                                                                             \
    WHEN("{ restmode == natural }"))                                                                                   \
  X(FOLDER, "Forces")                                                                                                  \
  X(VEC3, gravity, "Gravity", 0, -9.81, 0, SOFT(-20), SOFT(20), "m1s-2", "Acceleration.")                              \
  X(VEC3, wind, "Wind", 0, 0, 0, SOFT(-20), SOFT(20), "m1s-1", "Velocity of the air.")                                 \
  X(FLOAT, dragnormal, "Drag Normal", 3e-5, HARD(0), SOFT(1e-3), "kg1m-1s-1",                                          \
    "Drag across a hair, a length and a speed. A single hair in still air has some 2e-4, one among others less.")      \
  X(FLOAT, dragtangent, "Drag Tangent", 1.5e-5, HARD(0), SOFT(1e-3), "kg1m-1s-1", "Drag along a hair.")                \
  X(FLOAT, inertiascale, "Inertia Scale", 1, HARD(0), HARD(1), "",                                                     \
    "How much of the roots' common motion the strands feel: 0 moves them along, 1 is real.")                           \
  X(FLOAT, targettime, "Target Time", 0.2, HARD(1e-3), SOFT(2), "s",                                                   \
    "Period of the critically damped springs that pull points of targetweight 1 to the animation.")                    \
  X(FOLDER, "Contact")                                                                                                 \
  X(TOGGLE, strandcollisions, "Strand Collisions", false, "Strands touch each other, with friction.")                  \
  X(FLOAT, friction, "Friction", 0.3, HARD(0), SOFT(1), "", "Of strand on strand; colliders have their own.",          \
    WHEN("{ strandcollisions == 0 }"))                                                                                 \
  X(FLOAT, thickness, "Thickness", 0, HARD(0), SOFT(0.01), "m", "Added to the surface of the colliders.")              \
  X(FLOAT, rootfree, "Root Free", 0.01, HARD(0), SOFT(0.1), "m",                                                       \
    "Length at the root that colliders do not touch, since roots begin inside the skin.")                              \
  X(INT, collisionsiter, "Coupled Iterations", 100, HARD(1), HARD(10000), "",                                          \
    "Most iterations of the solve that joins strands in contact, a Newton iteration.")                                 \
  X(FOLDER, "Output")                                                                                                  \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the strands.")
RV_PARM_TABLE(StrandParms, strand_table, STRAND_PARMS)

#define STAGES(X)     \
  X(SAMPLE, "sample") \
  X(CARRY, "carry") X(FORCES, "forces") X(CONTACTS, "contacts") X(STRANDS, "strands") X(UPDATE, "update")
enum {
#define STAGE_ENUM(name, text) STAGE_##name,
  STAGES(STAGE_ENUM) STAGE_COUNT
};
static const char* const stages[] = {
#define STAGE_TEXT(name, text) text,
    STAGES(STAGE_TEXT) NULL};

static RvStrandSolveDef make_def(const StrandParms* p, double meters) {
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
  memcpy(d.gravity, p->gravity, sizeof d.gravity), memcpy(d.wind, p->wind, sizeof d.wind);
  return d;
}

static RvStrandContactDef make_contact_def(const StrandParms* p) {
  return (RvStrandContactDef){p->strandcollisions, true, p->friction, p->thickness, p->rootfree};
}

static double meters_per_unit(const RvCook* cook) {
  return cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
}

static void warn_faults(const RvCook* cook, const RvStrandSet* set) {
  for (int f = 1; f < RV_STRAND_FAULT_COUNT; ++f)
    if (set->faults[f])
      rv_cook_warn(cook, "%zu strand%s cannot be simulated and stay%s as animated; the first, primitive %d, %s",
                   set->faults[f], set->faults[f] == 1 ? "" : "s", set->faults[f] == 1 ? "s" : "", set->fault_prim[f],
                   rv_strand_fault_text((RvStrandFault)f));
  if (set->bad_rest)
    rv_cook_warn(cook,
                 "rest of %zu strand%s is no shape (not a number, or points in one place): the start pose is taken for "
                 "it; the first is primitive %d",
                 set->bad_rest, set->bad_rest == 1 ? "" : "s", set->bad_rest_prim);
}

static void warn_roots(const RvStrandSolve* s) {
  int32_t first = 0;
  size_t lost = rv_solve_lost_roots(s, rv_detail_f32(s->cook->input[0], RV_POINT, "P", 3), &first);
  if (lost)
    rv_cook_warn(s->cook,
                 "the root or a pinned point of %zu strand%s is not a number in the input and stays where it was; the "
                 "first is primitive %d",
                 lost, lost == 1 ? "" : "s", first);
}

//---------------------------------------------------------------------------------------------- one substep

static const RvForceDef* force_def(RvStrandSolve* s, RvForceDef* d) {
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
  memcpy(d->gravity, s->def.gravity, sizeof d->gravity), memcpy(d->wind, s->def.wind, sizeof d->wind);
  return d;
}

// keyed values change within a frame too
static RvResult sample_parms(RvStrandSolve* s, double frame, RvError* error) {
  StrandParms p;
  if (!s->cook->host->parms_at) return RV_OK;
  RvResult result = s->cook->host->parms_at(s->cook->host->user, frame, &p, error);
  if (result) return result;
  double timescale = s->def.timescale;
  s->def = make_def(&p, s->set.metersperunit);
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

static RvResult sample(RvStrandSolve* s, RvStrandSampler* sampler, double share, double dt, RvStrandSample* in,
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
static RvResult carry(RvStrandSolve* s, const RvStrandSample* in, double dt, RvError* error) {
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

static RvStrandStepDef step_def(const RvStrandSolve* s, double dt) {
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
                           .cg_tolerance = 1e-3};
}

static RvResult strands(RvStrandSolve* s, const RvStrandStepDef* step, RvStrandStats* stats, RvError* error) {
  RvResult result = rv_strand_step(s->model, s->state, step, stats, error);
  s->iterations = stats->iterations > s->iterations ? stats->iterations : s->iterations;
  return result;
}

static void update(RvStrandSolve* s, double dt) {
  rv_strand_contacts_accept(s->contacts, s);
  if (s->def.inertiascale < 1) rv_strand_add_carry(s->model, s->state, s->globals.carry, 1);
  s->healed += rv_solve_heal(s);
  s->globals.dt = dt, s->globals.has_before = s->state->has_before;
  memcpy(s->target_before, s->target, s->model->unknowns * sizeof(double));
}

// From one share of the frame to another.
static RvResult substep(RvStrandSolve* s, RvStrandSampler* sampler, double from, double to, RvStrandStats* stats,
                        RvError* error) {
  RvStrandSample in;
  RvForceDef forces;
  double dt = s->cook->dt * s->def.timescale * (to - from), clock[STAGE_COUNT + 1] = {rv_clock_wall()};
  RvResult result = sample(s, sampler, to, dt, &in, error);
  clock[1] = rv_clock_wall();
  if (!result) result = carry(s, &in, dt, error);
  clock[2] = rv_clock_wall();
  if (!result) rv_strand_forces(s->model, s->state, force_def(s, &forces), &s->forces);
  RvStrandStepDef step = step_def(s, dt);
  clock[3] = rv_clock_wall();
  if (!result) result = rv_strand_contacts_find(s->contacts, s, &step, from, to, &step.couple, error);
  clock[4] = rv_clock_wall();
  if (!result) result = strands(s, &step, stats, error);
  clock[5] = rv_clock_wall();
  if (!result) update(s, dt);
  clock[6] = rv_clock_wall();
  for (int i = 0; i < STAGE_COUNT; ++i) s->cook->stats->stage_seconds[i] += clock[i + 1] - clock[i];
  return result;
}

//---------------------------------------------------------------------------------------------- one frame

// [from, to] of the frame in one substep, or in two of half its length where that did not converge
static RvResult advance(RvStrandSolve* s, RvStrandSampler* sampler, double from, double to, int depth, RvError* error) {
  if (rv_cook_cancelled(s->cook, from, stages[STAGE_STRANDS])) return RV_CANCELLED;
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
  if (!result) result = substep(s, sampler, from, to, &stats, error);
  again = again && !result && (stats.residual > 100 * s->def.tolerance || s->healed > healed);
  if (again) {
    rv_solve_copy_state(s->model, s->backup, s->state);
    memcpy(s->target_before, before, s->model->unknowns * sizeof *before);
    s->globals = globals, s->healed = healed;
    result = rv_strand_contacts_recall(s->contacts, s, error);
  }
  rv_free(before);
  if (again && !result) {
    double middle = 0.5 * (from + to);
    result = advance(s, sampler, from, middle, depth + 1, error);
    return result ? result : advance(s, sampler, middle, to, depth + 1, error);
  }
  s->substeps++;
  // a step that was done again in two does not count
  if (!result) s->residual = fmax(s->residual, stats.residual);
  if (!result && stats.residual > 100 * s->def.tolerance) s->unconverged++;
  return result;
}

static RvResult frame(RvStrandSolve* s, RvStrandSampler* sampler, RvError* error) {
  RvStrandSample middle, end;
  RvResult result = rv_sampler_at(sampler, 1, &end, error);
  int count = s->def.substeps;
  if (!result) result = rv_sampler_at(sampler, 0.5, &middle, error);
  if (!result) count = rv_solve_count(s, &middle, &end);
  for (int i = 0; i < count && !result; ++i)
    result = advance(s, sampler, (double)i / count, i + 1 == count ? 1 : (double)(i + 1) / count, 0, error);
  float* v = result ? NULL : rv_sampler_velocity(sampler, error);
  if (!result && !v) result = error->code;
  if (!result) rv_solve_skin_velocity(s, v);
  rv_free(v);
  return result;
}

//---------------------------------------------------------------------------------------------- state

// points that are not simulated show the input, and the state says so
static RvResult show_others(const RvStrandSet* set, const float* P, const float* v, double rate, RvDetail* out,
                            RvError* error) {
  size_t n = rv_detail_count(out, RV_POINT);
  uint8_t* mine = rv_alloc_zero(n, 1);
  float *p = rv_detail_f32_write(out, RV_POINT, "P", 3, error),
        *shown = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  double *x = rv_detail_f64_write(out, RV_POINT, "rv_x", 3, error),
         *exact = rv_detail_f64_write(out, RV_POINT, "rv_v", 3, error);
  if (!mine || !p || !shown || !x || !exact) {
    rv_free(mine);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", n);
  }
  for (size_t i = 0; i < set->vertices; ++i) mine[set->point[i]] = 1;
  for (size_t i = 0; i < 3 * n; ++i) {
    if (mine[i / 3]) continue;
    p[i] = P[i], x[i] = (double)P[i] - set->origin[i % 3];
    shown[i] = v ? v[i] : 0;
    exact[i] = rate > 0 ? shown[i] / rate : 0;
    shown[i] = (float)(exact[i] * rate);
  }
  rv_free(mine);
  return RV_OK;
}

static RvResult save_start(RvStrandSolve* s, RvDetail* out, RvError* error) {
  RvResult result = rv_state_prepare(out, rv_strand_fields, RV_STRAND_FIELD_COUNT, error);
  if (!result) result = rv_strands_save(&s->set, s->model, s->state, &s->globals, out, error);
  const RvDetail* in = s->cook->input[0];
  const float *P = rv_detail_f32(in, RV_POINT, "P", 3), *v = rv_detail_f32(in, RV_POINT, "v", 3);
  if (!result) result = show_others(&s->set, P, v, s->globals.rate, out, error);
  if (result) return result;
  int32_t* simulated = rv_detail_i32_write(out, RV_PRIM, "rv_simulated", 1, error);
  double* rootdir = rv_detail_f64_write(out, RV_PRIM, "rv_rootdir", 3, error);
  double* stiffen = rv_detail_f64_write(out, RV_PRIM, "rv_stiffen", 1, error);
  float* sample = rv_detail_f32_write(out, RV_POINT, "rv_sample", 6, error);
  if (!simulated || !rootdir || !sample || !stiffen) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = 0; i < s->set.count; ++i) {
    simulated[s->set.prim[i]] = 1, stiffen[s->set.prim[i]] = s->stiffen[i];
    memcpy(rootdir + 3 * (size_t)s->set.prim[i], s->rootdir + 3 * i, 3 * sizeof *rootdir);
  }
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    memcpy(sample + 6 * i, P + 3 * i, 3 * sizeof *sample);
    memset(sample + 6 * i + 3, 0, 3 * sizeof *sample);
  }
  return RV_OK;
}

static RvResult balance(RvStrandSolve* s, RvError* error) {
  RvForceDef forces;
  RvRestReport report;
  RvStrandSolve still = *s;
  // the weight alone: air at rest, no goals
  still.def.dragnormal = still.def.dragtangent = 0;
  force_def(&still, &forces);
  forces.force_at = NULL, forces.goal_weight = NULL;
  rv_strand_forces(s->model, s->state, &forces, &s->forces);
  RvRestDef def = {s->forces.force, s->def.restangle, s->def.reststretch, s->def.reststiffen};
  RvResult result = rv_strand_balance(s->model, s->state, &def, s->stiffen, &report, error);
  if (result) return result;
  if (report.capped)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands sag from the start: to hold their pose they would have to be bent by more than "
                 "restangle; raise restangle, reststiffen or stiffness, or shorten them",
                 report.capped, s->set.count);
  if (report.loose)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands hold their pose only until they are pushed; raise reststiffen or stiffness, or "
                 "shorten them",
                 report.loose, s->set.count);
  rv_cook_info(s->cook,
               "the rest shape balances %zu strands to %.1e of their weight; %zu were made up to %g times stiffer",
               s->set.count - report.capped, report.residual, report.stiffened, s->def.reststiffen);
  return RV_OK;
}

static void start_velocity(RvStrandSolve* s, const RvDetail* in) {
  const float* v = rv_detail_f32(in, RV_POINT, "v", 3);
  for (size_t k = 0; v && k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c) {
          float value = v[3 * (size_t)s->set.point[s->set.first[b->strand[lane]] + i] + (size_t)c];
          if (isfinite(value)) s->state->v[rv_strand_index(b, lane, i, c)] = value / s->globals.rate;
        }
  }
}

static void count_up(RvStrandSolve* s) {
  RvStats* stats = s->cook->stats;
  stats->strands = (int64_t)s->set.count, stats->vertices = (int64_t)s->set.vertices;
  stats->substeps = s->substeps, stats->iterations = s->iterations, stats->residual = s->residual;
  if (s->unconverged)
    rv_cook_warn(s->cook, "%zu of %d substeps did not converge (residual %.1e); raise niter, substeps or maxsubsteps",
                 s->unconverged, s->substeps, s->residual);
  if (s->healed)
    rv_cook_warn(s->cook, "%zu strands were lost in a step and put back where they were, at rest", s->healed);
}

static RvResult start(RvCook* cook, RvError* error) {
  const RvDetail* in = cook->input[0];
  RvStrandSolve s = {.cook = cook, .def = make_def(cook->parms, meters_per_unit(cook))};
  RvDetail* out = NULL;
  if (!in) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is empty");
  rv_strands_origin(in, s.globals.origin);
  s.globals.rate = (s.def.timescale > 0 ? s.def.timescale : 1) / s.def.material.metersperunit;
  RvResult result = rv_strands_read(in, &s.def.material, s.globals.origin, false, &s.set, error);
  if (!result) warn_faults(cook, &s.set);
  if (!result) result = rv_strand_model_new(s.set.defs, s.set.count, &s.model, error);
  if (!result) result = rv_strand_state_new(s.model, s.set.defs, &s.state, error);
  if (!result) result = rv_solve_strands_new(&s, error);
  if (!result && s.def.equilibrium) result = balance(&s, error);
  if (!result) {
    start_velocity(&s, in);
    rv_solve_root_directors(&s, rv_detail_f32(in, RV_POINT, "orient", 4));
    out = rv_detail_copy(in);
    result = out ? save_start(&s, out, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (!result) count_up(&s);
  if (!result) cook->output[2] = out, out = NULL;
  rv_detail_free(out);
  rv_solve_strands_free(&s);
  return result;
}

// the state in lanes
static RvResult load(RvStrandSolve* s, RvDetail* out, RvError* error) {
  size_t edited;
  RvResult result = rv_strands_reconcile(out, &edited, error);
  if (!result) result = rv_strands_load_globals(out, &s->globals, error);
  if (!result) result = rv_strands_read(out, &s->def.material, s->globals.origin, true, &s->set, error);
  if (result) return result;
  if (edited) rv_cook_info(s->cook, "P or v of %zu points were edited: the edits are taken", edited);
  warn_faults(s->cook, &s->set);
  result = rv_strand_model_new(s->set.defs, s->set.count, &s->model, error);
  if (!result) result = rv_strands_load(out, &s->set, s->model, &s->state, error);
  if (!result) result = rv_solve_strands_new(s, error);
  if (result) return result;
  s->state->has_before = s->globals.has_before;
  const double* rootdir = rv_detail_f64(out, RV_PRIM, "rv_rootdir", 3);
  int32_t* simulated = rv_detail_i32_write(out, RV_PRIM, "rv_simulated", 1, error);
  if (!simulated) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(simulated, 0, rv_detail_count(out, RV_PRIM) * sizeof *simulated);
  for (size_t i = 0; i < s->set.count; ++i) {
    simulated[s->set.prim[i]] = 1;
    memcpy(s->rootdir + 3 * i, rootdir + 3 * (size_t)s->set.prim[i], 3 * sizeof *rootdir);
  }
  return RV_OK;
}

static RvResult find_wind(RvStrandSolve* s, RvError* error) {
  const RvDetail* wind = s->cook->ninput > 2 ? s->cook->input[2] : NULL;
  s->wind_grid = wind ? rv_detail_find_vdb(wind, "vel") : NULL;
  if (s->wind_grid && rv_grid_type(s->wind_grid) != RV_GRID_VEC3)
    return rv_fail(error, RV_BAD_INPUT, "input 3, the wind: the VDB vel is not one of vectors");
  if (wind && !s->wind_grid && rv_detail_count(wind, RV_PRIM))
    rv_cook_warn(s->cook, "input 3, the wind, has no VDB named vel and is ignored");
  return RV_OK;
}

static RvResult solve(RvStrandSolve* s, RvDetail* out, RvError* error) {
  RvStrandSampler sampler;
  RvResult result = rv_sampler_begin(&sampler, s->cook, out, error);
  if (!result) result = load(s, out, error);
  if (!result) result = rv_solve_guide(s, s->cook->input[0], error);
  if (!result) warn_roots(s);
  if (!result) result = find_wind(s, error);
  if (!result) result = rv_strand_contacts_begin(s->contacts, s, out, error);
  float* before = result ? NULL : rv_alloc(3 * sampler.npoint, sizeof *before);
  if (!result && !before) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    for (size_t i = 0; i < 3 * sampler.npoint; ++i) before[i] = sampler.sample[i / 3 * 6 + i % 3];
    rv_solve_targets(s, &(RvStrandSample){.P = before}, s->target_before);
    s->globals.rate = s->def.timescale / s->def.material.metersperunit;
    result = frame(s, &sampler, error);
  }
  rv_free(before);
  if (!result) result = rv_strands_save(&s->set, s->model, s->state, &s->globals, out, error);
  float* v = result ? NULL : rv_sampler_velocity(&sampler, error);
  if (!result) result = v ? show_others(&s->set, sampler.now, v, s->globals.rate, out, error) : error->code;
  if (!result) result = rv_sampler_keep(&sampler, out, error);
  if (!result) result = rv_strand_contacts_save(s->contacts, s, out, error);
  rv_free(v);
  rv_sampler_end(&sampler);
  return result;
}

// nothing moves, and nothing is forgotten
static RvResult freeze(RvDetail* out, RvError* error) {
  float* v = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  double* dt = rv_detail_f64_write(out, RV_GLOBAL, "rv_dt", 2, error);
  if (!v || !dt) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(v, 0, 3 * rv_detail_count(out, RV_POINT) * sizeof *v);
  dt[1] = 0;
  return RV_OK;
}

static RvResult step(RvCook* cook, RvError* error) {
  RvStrandContacts contacts = {.def = make_contact_def(cook->parms)};
  RvStrandSolve s = {.cook = cook, .def = make_def(cook->parms, meters_per_unit(cook)), .contacts = &contacts};
  if (!cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is empty");
  RvResult result = rv_state_check(cook->prev, rv_strand_fields, RV_STRAND_FIELD_COUNT, error);
  if (result) return result;
  RvDetail* out = rv_detail_copy(cook->prev);
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  result = s.def.timescale > 0 ? solve(&s, out, error) : freeze(out, error);
  if (!result) count_up(&s);
  if (!result) cook->output[2] = out, out = NULL;
  cook->stats->contacts = (int64_t)(contacts.stats.links + contacts.stats.touches);
  if (!result) rv_strand_contacts_warn(&contacts, cook);
  rv_strand_contacts_end(&contacts);
  rv_detail_free(out);
  rv_solve_strands_free(&s);
  return result;
}

static RvResult split(RvCook* cook, const RvDetail* state, RvError* error) {
  const StrandParms* p = cook->parms;
  cook->output[0] = rv_detail_copy(state);
  cook->output[1] = rv_detail_new();
  if (!cook->output[0] || !cook->output[1]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_state_strip(cook->output[0], p->keepstate);
  return RV_OK;
}

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     true},
    {"colliders", "Colliders", "Solids that the strands meet.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const RvPortDef outputs[] = {{"strands", "Strands", "The simulated strands.", false},
                                    {"liquid", "Liquid", "Nothing: this solver is dry.", false},
                                    {"state", "State", "The strands with all that a resumed run needs.", false}};

const RvNodeType rv_node_strandsolver = {
    .type = "strandsolver",
    .label = "Strand Solver",
    .category = "Solvers",
    .summary = "Simulates hair and fur as elastic rods.",
    .help =
        "Every curve is a discrete elastic rod that stretches, bends and twists; its first edge is held by the "
        "animated "
        "input, whose orient turns it. At the start frame the output is the groom itself, and with the rest shape in "
        "equilibrium nothing sags afterwards.\n\n"
        "Attributes of points, or else of primitives, come before the parameters: hairradius, density, youngs, shear, "
        "damping, stiffness, hairsperguide, and ellipse, the ratio of the section's half axes (the first is "
        "hairradius, along "
        "the frame of the root); a 0 is not given. They are metres, kilograms and seconds whatever the "
        "scene's unit; P, v and width are units of the scene. A radius that tapers to nothing is held at a tenth of "
        "the strand's largest.\n\n"
        "Each frame the input's attributes are read that guide the strands: pintoanimation of 0.5 or more holds a "
        "point to the animation, targetweight pulls it there, force (newton a hair) and wind (metres a second) push "
        "it.\n\n"
        "Roots are sampled at every substep. Where the input has whole frames only, as files do, the motion between "
        "them is interpolated: its common turn as a turn, the rest with continuous velocity.\n\n"
        "Drag is linear in the speed relative to the air, with one coefficient across and one along a hair.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 2,
    .inputs = inputs,
    .ninput = 3,
    .outputs = outputs,
    .noutput = 3,
    .parms = &strand_table,
    .stages = stages,
    .fields = rv_strand_fields,
    .nfield = RV_STRAND_FIELD_COUNT,
    .start = start,
    .step = step,
    .split = split,
};
