#include "wet/solver.h"

#include <math.h>
#include <string.h>

#include "base/timer.h"

// A share of the frame this close to 1 is its end: the input is known there exactly.
static const double END_OF_FRAME = 1 - 1e-9;

//---------------------------------------------------------------------------------------------- inputs

// Asks the host for the inputs of a medium in a part of the frame.
static RvResult ask(RvWetSolver* w, const RvWetSpan* span, RvWetMedium medium, RvError* error) {
  if (!w->host.inputs) return RV_OK;
  RvWetSpan asked = *span;
  asked.medium = medium;
  if (medium == RV_WET_MEDIUM_LIQUID) {
    // the liquid counts its own time, which its substeps add up to
    asked.from = w->liquid->time;
    asked.to = w->liquid->time + span->dt;
  }
  return w->host.inputs(w->host.user, &asked, error);
}

// Whether the host wants to stop.
static bool is_cancelled(const RvWetSolver* w, double share, const char* stage) {
  return w->host.cancelled && w->host.cancelled(w->host.user, share, stage);
}

//---------------------------------------------------------------------------------------------- exchange with the bulk

// The length of a substep by the liquid's clock.
static double clock_step(const RvLiquid* l, double dt) {
  return l->time + dt - l->time;
}

// capture: strands take up liquid around them.
static RvResult capture(RvWetSolver* w, RvLiquid* bulk, double dt, RvError* error) {
  return w->film ? rv_wet_capture(w->film, &bulk->particles, clock_step(bulk, dt), &bulk->exchanged, error) : RV_OK;
}

// drip: strands give off what they cannot hold.
static RvResult drip(RvWetSolver* w, double dt, RvError* error) {
  return w->film ? rv_wet_drip(w->film, clock_step(w->liquid, dt), &w->liquid->exchanged, error) : RV_OK;
}

// capture, of cached liquid: its particles remember what is left of them.
static RvResult capture_cached(RvWetSolver* w, double dt, RvError* error) {
  if (!w->film || !w->cached->liquid.particles.count) return RV_OK;
  RvCoupleReport* report = &w->film->report.couple;
  report->film_gain = 0;
  report->particle_loss = w->cached->loss;
  RvResult result = capture(w, &w->cached->liquid, dt, error);
  report->particle_loss = NULL;
  if (!result) rv_wet_cached_count(w->cached, report->film_gain);
  return result;
}

//---------------------------------------------------------------------------------------------- strands

// Relative rounding of a step's length: one of 4 ms is not cut in two for it.
static const double STEP_ROUNDING = 1e-6;
enum { MOST_STRAND_STEPS = 100 };  // of a substep, as many as Strand Substeps allows; longer substeps have longer steps

// The parts that the strands take a substep in: `strand_substeps`, or as many as keep their steps within the time in
// which bridges follow their films. A step takes the area of a bridge from the positions at its start, so the force is
// delayed by a step. A delay beyond the bridge's time constant drives the strands: a tuft that was painted wet swayed
// for ever and fell into 15, 20, 29 and 33 locks with 4, 8, 12 and 24 substeps.
static int count_strand_steps(const RvWetSolver* w, double dt) {
  if (!w->strands) return 0;
  bool bridged = w->film && w->contacts && rv_contact_solver_bridged(w->contacts);
  double wanted = bridged ? ceil(dt / RV_CONTACT_BRIDGE_TIME - STEP_ROUNDING) : 0;
  if (!(wanted > w->strand_substeps)) return w->strand_substeps;
  return wanted < MOST_STRAND_STEPS ? (int)wanted : MOST_STRAND_STEPS;
}

// The parts of a substep that the strands take one by one, each of which is halved where Newton did not converge. Those
// still to come are a stack, the next on top.
enum { MAX_PENDING = 5 };
typedef struct Parts {
  int count, next;  // of the substep's equal parts
  struct {
    double from, to;  // shares of the frame
    int depth;        // halvings
  } pending[MAX_PENDING];
  int npending;
  double from, to, dt;  // the part at hand
  int depth;
  bool may_halve;
} Parts;

// Puts a part on the stack.
static void add_part(Parts* p, double from, double to, int depth) {
  p->pending[p->npending].from = from;
  p->pending[p->npending].to = to;
  p->pending[p->npending].depth = depth;
  p->npending++;
}

// The next equal part of the substep. A span that is given by its shares alone is one part.
static void add_equal_part(const RvWetSolver* w, const RvWetSpan* span, Parts* p) {
  int i = p->next++;
  if (!(span->to > span->from)) {
    add_part(p, span->share_from, span->share_to, 0);
    return;
  }
  double length = span->to - span->from;
  double from = (span->from + length * i / p->count) / w->frame_seconds;
  double to = (span->from + length * (i + 1) / p->count) / w->frame_seconds;
  add_part(p, from, to > END_OF_FRAME ? 1 : to, 0);
}

// Takes the next part from the stack, or the next equal part of the substep. False: the substep is done.
static bool next_part(RvWetSolver* w, const RvWetSpan* span, Parts* p) {
  if (!p->npending && p->next < p->count) add_equal_part(w, span, p);
  if (!p->npending) return false;
  p->npending--;
  p->from = p->pending[p->npending].from;
  p->to = p->pending[p->npending].to;
  p->depth = p->pending[p->npending].depth;
  p->dt = w->frame_seconds * (p->to - p->from);
  return true;
}

// Remembers the start of a part and asks for the input at its end.
static RvResult begin_part(RvWetSolver* w, Parts* p, RvError* error) {
  if (is_cancelled(w, p->from, "strands")) return rv_fail(error, RV_CANCELLED, "interrupted in the stage strands");
  rv_strand_solver_remember(w->strands);
  p->may_halve = rv_strand_solver_may_halve(w->strands, p->depth);
  RvResult result = p->may_halve ? rv_contact_solver_remember(w->contacts, error) : RV_OK;
  RvWetSpan span = {.share_from = p->from, .share_to = p->to, .dt = p->dt};
  return result ? result : ask(w, &span, RV_WET_MEDIUM_STRANDS, error);
}

// Whether the part was undone, to be done again in two halves; else it counts.
static RvResult halve(RvWetSolver* w, Parts* p, bool* halved, RvError* error) {
  *halved = p->may_halve && rv_strand_solver_failed(w->strands);
  if (!*halved) {
    rv_strand_solver_count_part(w->strands);
    return RV_OK;
  }
  double middle = 0.5 * (p->from + p->to);
  rv_strand_solver_recall(w->strands);
  add_part(p, middle, p->to, p->depth + 1);
  add_part(p, p->from, middle, p->depth + 1);
  return rv_contact_solver_recall(w->contacts, w->strands->model, error);
}

// roots: targets of the prescribed points. Without a sample the caller sets them.
static RvResult roots(RvWetSolver* w, double dt) {
  if (w->sample.P) rv_strand_solver_roots(w->strands, &w->sample, dt);
  return RV_OK;
}

// carry: the share of the common motion that strands do not feel.
static RvResult carry(RvWetSolver* w, double dt, RvError* error) {
  return w->sample.P ? rv_strand_solver_carry(w->strands, &w->sample, dt, error) : RV_OK;
}

// loads: mass of the film.
static RvResult loads(RvWetSolver* w, double dt, RvError* error) {
  return w->film ? rv_wet_loads(w->film, dt, error) : RV_OK;
}

// hairforces: weight, air and goals, then those of film and bulk.
static RvResult forces(RvWetSolver* w) {
  RvForces* f = &w->strands->forces;
  rv_strand_solver_forces(w->strands);
  if (w->film) rv_wet_add_forces(w->film, f->force, f->drag, f->drag_velocity);
  return RV_OK;
}

static RvStrandStepDef step_def(const RvWetSolver* w, double dt) {
  RvStrandStepDef step = rv_strand_solver_step_def(w->strands, dt);
  if (w->film) {
    step.slide = w->film->slide;
    step.accept_predicted = true;
    step.scratch = w->film->scratch;
  }
  return step;
}

// Steps with menisci begin with residuals of 0.01 to 0.07, relative to the motion that LARGE_ACCELERATION causes.
static const double MENISCUS_FIRST_RESIDUAL = 0.07;
static const double MENISCUS_LARGEST_FORCING_TERM = 0.1;

// Largest forcing term of the linear solves in steps with menisci: the error of the first solve is within Newton's
// tolerance. Menisci draw many strands along in concert. The preconditioner contains each strand's share of all links,
// which do not resist such a motion, so that CG finds it late. With the usual forcing term the approach was left
// unsolved although Newton's residual was small: a tuft at the surface was 0.80 and 1.66 mm wide after 0.1 s with 8 and
// 32 substeps; it is 0.79 and 0.82 mm wide with this one, and 0.78 and 0.81 mm at a tenth of the tolerance.
static double meniscus_forcing_term(double tolerance) {
  return fmin(MENISCUS_LARGEST_FORCING_TERM, tolerance / MENISCUS_FIRST_RESIDUAL);
}

// contacts: strands with each other and with solids, with bridges of liquid where there is film (WH-6 to WH-17), and
// the menisci between strands that pierce the bulk's surface.
static RvResult contacts(RvWetSolver* w, RvStrandStepDef* step, RvError* error) {
  w->contacts->liquid = w->film ? &w->film->bridges : NULL;
  RvResult result = rv_contact_solver_find(w->contacts, w->strands, step, error);
  if (!w->film || result) return result;
  const RvOperator* contacts_alone = step->couple;
  step->couple = rv_wet_join_menisci(w->film, contacts_alone);
  if (step->couple != contacts_alone) step->early_cg_tolerance = meniscus_forcing_term(step->tolerance);
  return RV_OK;
}

// update: accepts contacts and positions.
static RvResult update(RvWetSolver* w, double dt) {
  rv_contact_solver_accept(w->contacts, w->strands);
  rv_strand_solver_update(w->strands, dt);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- film

// film: paint, then flow along the strands since the start of the part.
static RvResult flow(RvWetSolver* w, double dt, RvError* error) {
  const RvStrandState* before = w->strands->backup;
  w->film->dt_before = w->strands->globals.dt;
  RvResult result = w->paint_rate ? rv_wet_paint(w->film, w->paint_rate, dt, error) : RV_OK;
  return result ? result : rv_wet_flow(w->film, dt, before->q, before->v, error);
}

// across: flow between strands in contact.
static RvResult across(RvWetSolver* w, double dt, RvError* error) {
  const RvStrandState* before = w->strands->backup;
  return rv_wet_across(w->film, dt, before->q, before->v, w->contacts->contacts, error);
}

// dry: absorption and evaporation; strands that its impulse broke are put back.
static RvResult dry(RvWetSolver* w, double dt, RvError* error) {
  const RvStrandState* before = w->strands->backup;
  RvResult result = rv_wet_dry(w->film, dt, before->q, before->v, error);
  w->strands->healed += rv_strand_solver_heal(w->strands);
  return result;
}

//---------------------------------------------------------------------------------------------- the method

// Runs a stage unless one failed, and adds its time.
#define STAGE(name, call)                                       \
  if (!result) {                                                \
    double start = rv_clock_wall();                             \
    result = (call);                                            \
    w->seconds[RV_WET_STAGE_##name] += rv_clock_wall() - start; \
  }
// The liquid's stages have timers of their own.
#define LIQUID(call) \
  if (!result) result = (call);

RvResult rv_wet_substep(RvWetSolver* w, const RvWetSpan* span, RvError* error) {
  RvLiquid *bulk = w->liquid, *cached = w->cached ? &w->cached->liquid : NULL;
  const double dt = span->dt;
  RvResult result = RV_OK;
  if (w->film) {
    rv_wet_begin_pose(w->film);
    result = rv_wet_weigh(w->film, dt, error);
  }
  if (bulk) STAGE(inputs, ask(w, span, RV_WET_MEDIUM_LIQUID, error))

  // Volume passes between bulk and film; then the particles, as they are, make a grid.
  if (cached) {
    LIQUID(rv_liquid_arrange(cached, error))
    STAGE(capture, capture_cached(w, dt, error))
    LIQUID(rv_liquid_gather(cached, dt, error))
    cached->time += dt;
  }
  if (bulk) {
    LIQUID(rv_liquid_arrange(bulk, error))
    STAGE(capture, capture(w, bulk, dt, error))
    STAGE(drip, drip(w, dt, error))
    LIQUID(rv_liquid_gather(bulk, dt, error))
  }
  if (w->film) {
    STAGE(sample, rv_wet_sample(w->film, dt, error))
    STAGE(bundle, rv_wet_bundle(w->film, error))
    STAGE(meniscus, rv_wet_meniscus(w->film, error))
  }

  // The strands step with the bulk's drag, the film's load and the bridges; after each of their steps the film flows.
  Parts part = {.count = count_strand_steps(w, dt)};
  while (!result && next_part(w, span, &part)) {
    bool halved = false;
    STAGE(inputs, begin_part(w, &part, error))
    STAGE(roots, roots(w, part.dt))
    STAGE(carry, carry(w, part.dt, error))
    STAGE(loads, loads(w, part.dt, error))
    STAGE(hairforces, forces(w))
    RvStrandStepDef step = step_def(w, part.dt);
    STAGE(contacts, contacts(w, &step, error))
    STAGE(strands, rv_strand_solver_step(w->strands, &step, error))
    STAGE(update, update(w, part.dt))
    STAGE(update, halve(w, &part, &halved, error))
    if (halved || !w->film) continue;
    STAGE(film, flow(w, part.dt, error))
    STAGE(across, across(w, part.dt, error))
    STAGE(dry, dry(w, part.dt, error))
  }

  if (w->film) rv_wet_begin_pose(w->film);

  // Drag and submerged film reach the grid; pressure acts on all of it, and back on the strands; the particles move.
  if (w->film) STAGE(react, rv_wet_react(w->film, dt, error))
  if (bulk) LIQUID(rv_liquid_project(bulk, dt, error))
  if (w->film) STAGE(feedback, rv_wet_feedback(w->film, dt, error))
  if (bulk) LIQUID(rv_liquid_move(bulk, dt, error))
  return result;
}

//---------------------------------------------------------------------------------------------- a frame

// Strands alone take equal shares of the frame.
static RvResult strand_frame(RvWetSolver* w, int count, RvError* error) {
  RvResult result = RV_OK;
  for (int i = 0; i < count && !result; ++i) {
    RvWetSpan span = {.share_from = (double)i / count, .share_to = i + 1 == count ? 1 : (double)(i + 1) / count};
    result = rv_wet_substep(w, &span, error);
  }
  return result;
}

// Whether a liquid alone can have anything to do in this frame.
static bool idle(const RvWetSolver* w) {
  const RvLiquidFlows* flows = w->liquid->inputs.flows;
  return !w->strands && !w->liquid->particles.count && !(flows && flows->any);
}

// Sorts the particles by id before the first substep, so that the frame does not depend on their order in the state.
static RvResult begin_liquid(RvLiquid* l, RvError* error) {
  double start = rv_clock_wall();
  l->steps = 0;
  RvResult result = rv_liquid_particles_sort_by_id(&l->particles, &l->report.lost, error);
  l->report.seconds[RV_LIQUID_STAGE_sort] += rv_clock_wall() - start;
  return result;
}

// What is lost or flows out in the last move is told in this frame.
static RvResult end_liquid(RvLiquid* l, RvError* error) {
  double start = rv_clock_wall();
  RvResult result = rv_liquid_take(l, error);
  if (!result) result = rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
  l->report.seconds[RV_LIQUID_STAGE_sort] += rv_clock_wall() - start;
  return result;
}

// Fewest substeps of a frame of which some are taken: the artist's, or as many as menisci need, up to the most.
static int fewest(const RvWetSolver* w, double left, int taken, int least, int most) {
  double wanted = w->film ? taken + ceil(left / rv_wet_longest(w->film)) : 0;
  return wanted <= least ? least : wanted < most ? (int)wanted : most;
}

RvResult rv_wet_frame(RvWetSolver* w, int least, int most, RvError* error) {
  if (!w->liquid) return strand_frame(w, least, error);
  RvResult result = begin_liquid(w->liquid, error);
  double left = result || idle(w) ? 0 : w->frame_seconds;
  for (int taken = 0; !result && left > 0; ++taken) {
    double start = rv_clock_wall(), from = w->frame_seconds - left;
    double dt = rv_liquid_next(w->liquid, &left, taken, fewest(w, left, taken, least, most), most);
    w->seconds[RV_WET_STAGE_inputs] += rv_clock_wall() - start;
    RvWetSpan span = {.from = from, .to = from + dt, .dt = dt};
    span.share_from = span.from / w->frame_seconds;
    span.share_to = span.to / w->frame_seconds;
    result = rv_wet_substep(w, &span, error);
  }
  return result ? result : end_liquid(w->liquid, error);
}

double rv_wet_stage_seconds(const RvWetSolver* w, RvWetStage stage) {
  double of_liquid = 0;
  switch (stage) {
#define SECONDS_WET(name)
#define SECONDS_STRAND(name)
#define SECONDS_INPUTS(name)
#define SECONDS_LIQUID(name)                                                               \
  case RV_WET_STAGE_##name:                                                                \
    of_liquid = w->liquid ? w->liquid->report.seconds[RV_LIQUID_STAGE_##name] : 0;         \
    of_liquid += w->cached ? w->cached->liquid.report.seconds[RV_LIQUID_STAGE_##name] : 0; \
    break;
#define SECONDS(owner, name) SECONDS_##owner(name)
    RV_WET_STAGES(SECONDS)
    default:
      break;
  }
  return of_liquid + w->seconds[stage];
}
