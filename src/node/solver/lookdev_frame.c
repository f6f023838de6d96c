// Strands of the lookdev solver between inputs and state (lookdev_frame.h).
#include "node/solver/lookdev_frame.h"

#include <math.h>
#include <string.h>

#include "parm/common.h"

typedef RvLookdevFrame Frame;

// Indices of the node's inputs, those of the wet solver.
enum { STRANDS, LIQUID, COLLIDERS, SOURCES, WIND };
// Bytes of a vertex: state, model and work memory of strands and rods, as measured.
static const double BYTES_A_VERTEX = 2000;

#define NAME(name) #name,
const char* const rv_lookdev_node_stages[] = {"load", "inputs", RV_LOOKDEV_STAGES(NAME) "save", NULL};
#undef NAME

static const RvFieldDef fields[] = {RV_LOOKDEV_FIELDS("")};
enum { FIELDS = sizeof fields / sizeof *fields };

//---------------------------------------------------------------------------------------------- parameters

// Parameters that the wet solver has under the same token are taken as they are.
static void translate(const void* parms, RvWetParms* out) {
  (void)parms;
  (void)out;
}

static RvWetParms wet_parms(const RvCook* cook, const void* own) {
  static const RvWetNode node = {.translate = translate};
  RvWetParms out = rv_wet_parms_of(&node, cook, own);
  // contacts of single strands are the volume's work here
  out.strandcollisions = false;
  return out;
}

static RvLookdevSettings settings_of(const RvCook* cook, const RvLookdevParms* p) {
  double meters = rv_cook_meters(cook);
  return (RvLookdevSettings){
      .rodsolve = p->rodsolve ? RV_ROD_SWEEPS : RV_ROD_DIRECT,
      .iterations = (int)p->niter,
      .relaxation = p->relaxation,
      .rootfree = p->rootfree * meters,
      .volume = {.speed = p->strandcollisions && !p->hairmode ? p->volumespeed : 0, .cell = p->volumecell * meters}};
}

// RvSolverMedia.init
static RvResult init(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  RvCook* cook = s->cook;
  *f = (Frame){.scaffold = s, .cook = cook};
  f->strands = (RvStrandPort){
      .cook = cook, .input = STRANDS, .frame_solids = &s->colliders, .wind_input = WIND, .solids_only = true};
  f->parms = wet_parms(cook, cook->parms);
  f->now = f->parms;
  rv_lookdev_liquid_port_init(&f->wet, cook, LIQUID, SOURCES, &s->colliders);
  (void)error;
  return RV_OK;
}

// RvSolverMedia.end
static void end(RvSolver* s) {
  Frame* f = s->data;
  rv_lookdev_free(&f->solver);
  rv_lookdev_liquid_port_free(&f->wet);
  rv_strand_port_free(&f->strands);
  rv_state_free(&f->state);
}

// Refuses more strands than `maxmemory` allows.
static RvResult check_memory(const Frame* f, const RvDetail* in, RvError* error) {
  double gigabytes = 1e-9 * BYTES_A_VERTEX * (double)rv_detail_count(in, RV_POINT);
  if (gigabytes <= f->parms.maxmemory) return RV_OK;
  return rv_fail(error, RV_LIMIT,
                 "%s, has %zu points, which need about %.2g GB; raise maxmemory (%g), or simulate fewer guides",
                 rv_solver_port(f->cook, STRANDS).text, rv_detail_count(in, RV_POINT), gigabytes, f->parms.maxmemory);
}

//---------------------------------------------------------------------------------------------- start frame

// Writes the rods' rows.
static RvResult save_rods(Frame* f, RvDetail* out, RvError* error) {
  RvStateLanes lanes = rv_strands_lanes(&f->strands.solver.set, f->strands.solver.model);
  return rv_state_save_lanes(out, fields, FIELDS, &f->solver, &lanes, error);
}

// RvSolverMedia.start
static RvResult start(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  const RvDetail* in = rv_solver_input(f->cook, STRANDS);
  RvResult result = in ? check_memory(f, in, error) : RV_OK;
  if (!result) result = rv_strand_port_start(&f->strands, &f->parms, &state->part[0], error);
  if (result) return result;
  f->solver.strands = &f->strands.solver;
  f->solver.settings = settings_of(f->cook, f->cook->parms);
  result = rv_lookdev_init(&f->solver, error);
  size_t capped;
  if (!result) result = rv_lookdev_start(&f->solver, &capped, error);
  if (!result) result = rv_state_prepare(state->part[0], fields, FIELDS, error);
  if (!result) result = save_rods(f, state->part[0], error);
  if (!result && rv_lookdev_liquid_wanted(f->cook, STRANDS, LIQUID, SOURCES))
    result = rv_lookdev_liquid_port_start(&f->wet, &f->parms, &f->strands.solver.set, state->part[0], &state->part[1],
                                          error);
  size_t coarse = result ? 0 : rv_cosserat_coarse(f->strands.solver.model, &f->solver.model);
  if (coarse)
    rv_cook_warn(f->cook,
                 "%zu of %zu strands have fewer than 4 points a turn: their coils are too coarse to bend; raise the "
                 "points of the groom",
                 coarse, f->strands.solver.set.count);
  return result;
}

//---------------------------------------------------------------------------------------------- a frame

// RvSolverMedia.load
static RvResult load(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  RvResult result = rv_state_copy(f->cook->prev, &f->state, error);
  // a frozen frame moves no strand, and its input may be anywhere
  if (result || !(f->parms.timescale > 0)) return result;
  result = rv_strand_port_begin(&f->strands, &f->parms, f->state.part[0], error);
  if (result) return result;
  f->first = !(f->strands.solver.globals.dt > 0);
  f->solver.strands = &f->strands.solver;
  f->solver.settings = settings_of(f->cook, f->cook->parms);
  f->solver.colliders = f->strands.colliders;
  f->solver.ncollider = f->strands.solids.count;
  result = rv_lookdev_init(&f->solver, error);
  RvStateLanes lanes = rv_strands_lanes(&f->strands.solver.set, f->strands.solver.model);
  lanes.spare_lanes = true;
  if (!result) result = rv_state_load_lanes(f->state.part[0], fields, FIELDS, &f->solver, &lanes, error);
  if (!result) rv_lookdev_loaded(&f->solver);
  if (!result && f->state.part[1]) {
    result = rv_lookdev_liquid_port_begin(&f->wet, &f->strands, &f->parms, f->cook->parms, f->state.part[0],
                                          f->state.part[1], error);
    f->solver.water = &f->wet.water;
  }
  return result;
}

// One of `count` equal parts of the frame.
static RvResult part(Frame* f, int k, int count, RvError* error) {
  double from = (double)k / count, to = k + 1 == count ? 1 : (double)(k + 1) / count;
  double dt = f->scaffold->frame_seconds * (to - from);
  // inputs, of which the stages know nothing
  bool changed;
  RvStrandSample sample;
  RvResult result = rv_solver_sample_parms(f->scaffold, to, &changed, error);
  if (!result && changed) {
    f->now = wet_parms(f->cook, f->scaffold->parms);
    f->now.timescale = f->parms.timescale;
    f->solver.settings = settings_of(f->cook, f->scaffold->parms);
  }
  if (!result) result = rv_strand_port_inputs(&f->strands, &f->now, from, to, dt, &sample, error);
  if (!result && f->wet.present) {
    double seconds = f->scaffold->frame_seconds;
    result = rv_lookdev_liquid_port_inputs(&f->wet, &f->now, f->scaffold->parms, from * seconds, to * seconds, error);
  }
  return result ? result : rv_lookdev_substep(&f->solver, &sample, dt, error);
}

// Substeps that the liquid wants, at least `count`.
static int liquid_substeps(const Frame* f, int count) {
  double wanted = ceil(f->scaffold->frame_seconds / rv_lookdev_liquid_longest(&f->wet.water.liquid));
  double most = fmax((double)f->parms.maxsubsteps, count);
  return wanted > count ? (int)fmin(wanted, most) : count;
}

RvResult rv_lookdev_advance(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  int count;
  RvResult result = rv_strand_port_substeps(&f->strands, &count, error);
  if (!result && f->wet.present) count = liquid_substeps(f, count);
  for (int k = 0; k < count && !result; ++k) {
    if (rv_cook_cancelled(f->cook, (double)k / count, "rods"))
      result = rv_fail(error, RV_CANCELLED, "cancelled");
    else
      result = part(f, k, count, error);
  }
  return result;
}

// RvSolverMedia.save
static RvResult save(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  RvDetail* out = f->state.part[0];
  RvResult result;
  if (s->frame_seconds > 0) {
    f->strands.solver.healed = f->solver.failed;
    result = rv_strand_port_end(&f->strands, out, error);
    if (!result) result = save_rods(f, out, error);
  } else {
    result = rv_strand_port_freeze(out, error);
  }
  if (!result && f->wet.present) result = rv_lookdev_liquid_port_end(&f->wet, out, &state->part[1], error);
  if (!result && !f->wet.present && f->state.part[1])
    result = rv_lookdev_liquid_port_freeze(f->state.part[1], &state->part[1], error);
  if (result) return result;
  state->part[0] = out;
  f->state.part[0] = NULL;
  return RV_OK;
}

// RvSolverMedia.tell
static void tell(RvSolver* s) {
  Frame* f = s->data;
  RvStats* stats = f->cook->stats;
  if (!(s->frame_seconds > 0)) return;
  rv_strand_port_tell(&f->strands);
  if (f->wet.present) rv_lookdev_liquid_port_tell(&f->wet);
  stats->substeps = f->solver.substeps;
  if (stats->iterations < f->solver.settings.iterations) stats->iterations = f->solver.settings.iterations;
  size_t touching = 0;
  const RvStrandModel* m = f->strands.solver.model;
  for (size_t k = 0; k < m->vertices; ++k) touching += f->solver.press[k] > 0;
  stats->contacts = (int64_t)touching;
  // only the frame after the start tells of the groom
  if (f->solver.inside && f->first)
    rv_cook_warn(f->cook,
                 "%zu points of strands begin inside of solids and are pushed out; raise rootfree, or comb the groom",
                 f->solver.inside);
#define TELL(name) rv_solver_add_seconds(s, #name, f->solver.seconds[RV_LOOKDEV_STAGE_##name]);
  RV_LOOKDEV_STAGES(TELL)
#undef TELL
}

// RvSolverMedia.split
static RvResult split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  (void)type;
  if (state->part[0] && !(cook->output[0] = rv_detail_copy(state->part[0])))
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (state->part[0] && state->part[1])
    return rv_wet_liquid_output(state->part[0], state->part[1], &cook->output[1], error);
  return RV_OK;
}

const RvSolverMedia rv_lookdev_media = {
    .init = init, .start = start, .load = load, .save = save, .split = split, .tell = tell, .end = end};
