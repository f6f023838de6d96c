#include "node/solver/wet_frame.h"

#include <math.h>
#include <string.h>

#include "parm/common.h"

//---------------------------------------------------------------------------------------------- stages

// What a node itself does around the substeps: the state into lanes and particles, and back.
#define NODE_STAGES_BEFORE(X) X(NODE, load)
#define NODE_STAGES_AFTER(X) X(NODE, save)
#define ALL_STAGES(X)   \
  NODE_STAGES_BEFORE(X) \
  RV_WET_STAGES(X)      \
  NODE_STAGES_AFTER(X)

// Strands alone have `inputs` too, liquid alone has no other stage of the coupling.
#define NAME(name) #name,
#define NO_NAME(name)
#define IN_STRAND_NODE_NODE NAME
#define IN_STRAND_NODE_STRAND NAME
#define IN_STRAND_NODE_INPUTS NAME
#define IN_STRAND_NODE_LIQUID NO_NAME
#define IN_STRAND_NODE_WET NO_NAME
#define IN_LIQUID_NODE_NODE NAME
#define IN_LIQUID_NODE_STRAND NO_NAME
#define IN_LIQUID_NODE_INPUTS NAME
#define IN_LIQUID_NODE_LIQUID NAME
#define IN_LIQUID_NODE_WET NO_NAME
#define STRAND_NODE_NAME(owner, name) IN_STRAND_NODE_##owner(name)
#define LIQUID_NODE_NAME(owner, name) IN_LIQUID_NODE_##owner(name)
#define WET_NODE_NAME(owner, name) NAME(name)

const char* const rv_strand_node_stages[] = {ALL_STAGES(STRAND_NODE_NAME) NULL};
const char* const rv_liquid_node_stages[] = {ALL_STAGES(LIQUID_NODE_NAME) NULL};
const char* const rv_wet_node_stages[] = {ALL_STAGES(WET_NODE_NAME) NULL};

//---------------------------------------------------------------------------------------------- a frame

// Index of the part of the node's state that is liquid; strands, where the node has them, are the first.
static size_t liquid_part(const RvWetNode* node) {
  return node->strands ? 1 : 0;
}

typedef RvWetFrame Frame;

// Lengths of the parameters from units of the scene to metres. Those that the node lacks have the default, in metres.
static void to_meters(const RvCook* cook, RvWetParms* p) {
  double* const lengths[] = {&p->hairradius, &p->particlesep, &p->sliplength, &p->thickness, &p->rootfree};
  static const char* const tokens[] = {"hairradius", "particlesep", "sliplength", "thickness", "rootfree"};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
    if (rv_parm_find(cook->type->parms, tokens[i])) *lengths[i] *= rv_cook_meters(cook);
}

RvWetParms rv_wet_parms_of(const RvWetNode* node, const RvCook* cook, const void* own) {
  RvWetParms parms;
  rv_parm_fill_defaults(&rv_wet_parm_table, &parms);
  rv_parm_copy_common(cook->type->parms, own, &rv_wet_parm_table, &parms);
  node->translate(own, &parms);
  to_meters(cook, &parms);
  return parms;
}

// The particles whose material the frame has: those of the state, or, cached and at the start, of the input.
static const RvDetail* material_particles(const Frame* f) {
  const RvDetail* in = rv_solver_input(f->cook, f->node->liquid_input);
  bool ours = f->cook->prev && f->node->liquid && !f->parms.liquidmode;
  return ours ? f->cook->prev->part[liquid_part(f->node)] : in;
}

// RvSolverMedia.init
static RvResult init(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  const RvWetNode* node = s->type->user;
  RvCook* cook = s->cook;
  (void)error;
  *f = (Frame){.node = node, .scaffold = s, .cook = cook};
  f->strands = (RvStrandPort){
      .cook = cook, .input = node->strand_input, .frame_solids = &s->colliders, .wind_input = node->wind_input};
  f->liquid = (RvLiquidPort){
      .cook = cook, .input = node->liquid_input, .frame_solids = &s->colliders, .source_input = node->source_input};
  f->film.cook = cook;
  f->parms = rv_wet_parms_of(node, cook, cook->parms);
  f->material = rv_liquid_material_read(material_particles(f));
  rv_liquid_material_apply(&f->material, &f->parms);
  f->now = f->parms;
  return RV_OK;
}

// RvSolverMedia.end
static void end(RvSolver* s) {
  Frame* f = s->data;
  rv_cached_port_free(&f->cached);
  rv_film_port_free(&f->film);
  rv_strand_port_free(&f->strands);
  rv_liquid_port_free(&f->liquid);
  rv_state_free(&f->state);
}

// Parameters at a share of the frame, in `now`. The time scale is the frame's.
static RvResult sample_parms(Frame* f, double share, RvError* error) {
  bool changed;
  RvResult result = rv_solver_sample_parms(f->scaffold, share, &changed, error);
  if (changed) {
    f->now = rv_wet_parms_of(f->node, f->cook, f->scaffold->parms);
    rv_liquid_material_apply(&f->material, &f->now);
    f->now.timescale = f->parms.timescale;
  }
  return result;
}

//---------------------------------------------------------------------------------------------- what the solver asks

// RvWetHost.inputs
static RvResult inputs(void* user, const RvWetSpan* span, RvError* error) {
  Frame* f = user;
  if (span->medium == RV_WET_MEDIUM_STRANDS) {
    RvResult result = sample_parms(f, span->share_to, error);
    if (result) return result;
    return rv_strand_port_inputs(&f->strands, &f->now, span->share_from, span->share_to, span->dt, &f->solver.sample,
                                 error);
  }
  // the liquid takes keyed values of the middle of its substep
  RvResult result = sample_parms(f, 0.5 * (span->from + span->to) / f->solver.frame_seconds, error);
  if (!result) result = rv_liquid_port_inputs(&f->liquid, &f->now, span->from, span->to, error);
  if (!result && f->solver.cached)
    result = rv_wet_cached_place(f->solver.cached, f->solver.frame_seconds - span->to, error);
  return result;
}

// RvWetHost.cancelled
static bool cancelled(void* user, double share, const char* stage) {
  return rv_cook_cancelled(((const Frame*)user)->cook, share, stage);
}

// RvLiquid.cancelled
static bool liquid_cancelled(void* user, double time, const char* stage) {
  const Frame* f = user;
  return rv_cook_cancelled(f->cook, time / f->solver.frame_seconds, stage);
}

//---------------------------------------------------------------------------------------------- begin and end

// RvSolverMedia.load
static RvResult load(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  RvResult result = rv_state_copy(f->cook->prev, &f->state, error);
  if (result) return result;
  f->strand_state = f->node->strands ? f->state.part[0] : NULL;
  f->liquid_state = f->node->liquid ? f->state.part[liquid_part(f->node)] : NULL;
  f->has_strands = f->strand_state != NULL;
  f->has_liquid = f->liquid_state != NULL;
  // A solver without liquid has no film, though the state that it starts from may be one of wet strands.
  f->has_film = f->has_strands && f->node->liquid && rv_detail_find(f->strand_state, RV_POINT, "rv_film");
  f->liquid.drips = f->has_film;
  // a frozen frame moves no strand, and its input may be anywhere
  bool moving = f->parms.timescale > 0;
  if (f->has_strands && (moving || f->has_film))
    result = rv_strand_port_begin(&f->strands, &f->parms, f->strand_state, error);
  if (!result && f->has_liquid) result = rv_liquid_port_begin(&f->liquid, &f->parms, f->liquid_state, error);
  if (!result && f->has_film)
    result = rv_film_port_begin(&f->film, &f->strands, &f->liquid, &f->parms, f->strand_state, error);
  if (!result && f->has_film && moving && f->parms.liquidmode)
    result = rv_cached_port_begin(&f->cached, &f->liquid, &f->film, error);
  return result;
}

// The solver of the media that the state has.
static RvWetSolver solver_of(Frame* f) {
  bool cached = f->has_film && f->parms.liquidmode;
  return (RvWetSolver){.host = {f, inputs, cancelled},
                       .strands = f->has_strands ? &f->strands.solver : NULL,
                       .contacts = f->has_strands ? &f->strands.contacts : NULL,
                       .liquid = f->has_liquid ? &f->liquid.liquid : NULL,
                       .film = f->has_film ? &f->film.film : NULL,
                       .cached = cached ? &f->cached.cached : NULL,
                       .frame_seconds = f->cook->dt * f->parms.timescale,
                       .strand_substeps = f->has_liquid ? (int)f->parms.strandsubsteps : 1,
                       .paint_rate = f->film.paint};
}

RvResult rv_wet_advance(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  f->solver = solver_of(f);
  f->liquid.liquid.cancelled = liquid_cancelled;
  f->liquid.liquid.cancel_user = f;
  // Roots that move far need more substeps than the artist asks for.
  int least = (int)f->parms.substeps;
  RvResult result = f->has_strands ? rv_strand_port_substeps(&f->strands, &least, error) : RV_OK;
  int most = f->parms.maxsubsteps > least ? (int)f->parms.maxsubsteps : least;
  if (!result) result = rv_wet_frame(&f->solver, least, most, error);
  if (!result && f->solver.cached) result = rv_cached_port_end(&f->cached, &f->film, error);
  f->film.film.cached = NULL;
  return result;
}

// RvSolverMedia.save
static RvResult save(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  double seconds = s->frame_seconds;
  RvResult result = RV_OK;
  if (f->has_strands && !(seconds > 0)) result = rv_strand_port_freeze(f->strand_state, error);
  if (f->has_strands && seconds > 0) result = rv_strand_port_end(&f->strands, f->strand_state, error);
  if (!result && f->has_film) result = rv_film_port_end(&f->film, &f->parms, seconds, f->strand_state, error);
  if (!result && f->has_liquid) result = rv_liquid_port_end(&f->liquid, &state->part[liquid_part(f->node)], error);
  if (result || !f->has_strands) return result;
  // Strands keep their detail; particles are others in each frame.
  state->part[0] = f->state.part[0];
  f->state.part[0] = NULL;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- telling

// Seconds of the stages, whoever owns them.
static void tell_stages(Frame* f) {
#define TELL(owner, name) \
  rv_solver_add_seconds(f->scaffold, #name, rv_wet_stage_seconds(&f->solver, RV_WET_STAGE_##name));
  RV_WET_STAGES(TELL)
#undef TELL
}

// RvSolverMedia.tell
static void tell(RvSolver* s) {
  Frame* f = s->data;
  RvStats* out = f->cook->stats;
  const RvLiquidReport* liquid = &f->liquid.liquid.report;
  const RvStrandSolver* strands = &f->strands.solver;
  if (f->has_strands) rv_strand_port_tell(&f->strands);
  if (f->has_liquid) rv_liquid_port_tell(&f->liquid);
  if (f->has_film) rv_film_port_tell(&f->film);
  out->substeps = f->has_liquid ? liquid->substeps : strands->substeps;
  out->iterations = strands->iterations > liquid->iterations ? strands->iterations : liquid->iterations;
  out->residual = f->has_strands ? strands->residual : liquid->pressure.residual;
  tell_stages(f);
}

//---------------------------------------------------------------------------------------------- start frame

// Whether a detail is there and has points.
static bool has_points(const RvDetail* d) {
  return d && rv_detail_count(d, RV_POINT) > 0;
}

// Whether anything can ever be wet.
static bool can_be_wet(const Frame* f) {
  const RvDetail* strands = rv_solver_input(f->cook, f->node->strand_input);
  if (rv_solver_input(f->cook, f->node->liquid_input) || rv_solver_input(f->cook, f->node->source_input)) return true;
  return rv_detail_find(strands, RV_POINT, "filmheight") || rv_detail_find(strands, RV_POINT, "wetadd") ||
         rv_detail_find(strands, RV_PRIM, "wetadd");
}

// Particle separation of drops of strands without liquid around them: the side of a cube with the volume of the drop
// that one hair holds.
static double drop_separation(const RvWetParms* p) {
  // (4 pi / 3)^(1/3): side of the cube of a ball's volume, in its radii
  const double CUBE_OF_BALL = 1.61;
  const double LEAST_RADIUS = 1e-5;  // m
  double g = sqrt(p->gravity[0] * p->gravity[0] + p->gravity[1] * p->gravity[1] + p->gravity[2] * p->gravity[2]);
  // weightless hair would hold drops without bound
  double r = rv_couple_capacity_radius(p->hairradius, p->tension, p->liquiddensity, fmax(g, 1), 1);
  return CUBE_OF_BALL * fmax(r, LEAST_RADIUS);
}

// Liquid that is cached is not ours: only its drops are, as large as its particles.
static RvResult start_liquid(Frame* f, RvDetail** out, RvError* error) {
  RvWetParms* p = &f->parms;
  const RvDetail* in = rv_solver_input(f->cook, f->node->liquid_input);
  RvGrid* surface = rv_cached_port_surface(in);
  double meters = rv_cook_meters(f->cook);
  if (p->liquidmode && has_points(in) && !surface) {
    RvLiquidUnits units = {meters, p->timescale > 0 ? p->timescale : 1};
    double spacing, origin[3];
    RvResult result = rv_liquid_measure(in, p->particlesep, &units, &spacing, origin, error);
    if (result) return result;
    p->particlesep = spacing;
    f->liquid.input = -1;
  } else if (p->liquidmode && surface) {
    if (!(p->particlesep > 0)) p->particlesep = rv_grid_voxel_size(surface) * meters;
    f->liquid.input = -1;
  } else if (!has_points(in) && !(p->particlesep > 0) && f->node->strands) {
    p->particlesep = drop_separation(p);
  }
  return rv_liquid_port_start(&f->liquid, p, out, error);
}

// States of the media at the start frame: those that the node has and that can be there in this shot.
static RvResult start_media(Frame* f, RvDetail** strands, RvDetail** liquid, RvError* error) {
  const RvDetail* in = rv_solver_input(f->cook, f->node->strand_input);
  f->has_strands = f->node->strands && (has_points(in) || !f->node->liquid);
  if (in && !f->has_strands)
    rv_cook_warn(f->cook, "%s, has no points: only liquid is simulated",
                 rv_solver_port(f->cook, f->node->strand_input).text);
  f->has_liquid = f->node->liquid && (!f->has_strands || can_be_wet(f));
  f->has_film = f->has_strands && f->has_liquid;
  RvResult result = RV_OK;
  if (f->has_strands) result = rv_strand_port_start(&f->strands, &f->parms, strands, error);
  if (!result && f->has_film) result = rv_film_port_start(f->cook, &f->parms, *strands, error);
  if (!result && f->has_liquid) result = start_liquid(f, liquid, error);
  if (!result && f->has_liquid) rv_liquid_material_note(f->cook, &f->material, material_particles(f));
  return result;
}

// RvSolverMedia.start
static RvResult start(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  RvResult result = start_media(f, &state->part[0], &state->part[liquid_part(f->node)], error);
  const double* film = !result && f->has_strands ? rv_detail_f64(state->part[0], RV_GLOBAL, "rv_wetledger", 4) : NULL;
  if (film) {
    s->cook->stats->ledger.initial += film[0];
    s->cook->stats->ledger.film += film[0];
  }
  return result;
}

// RvSolverMedia.split: strands and liquid; a solver without strands has the liquid first. A state from a file may have
// any filmheight, which no field of it is.
static RvResult split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  const RvWetNode* node = type->user;
  RvDetail** outputs = cook->output;
  const RvDetail* strands = node->strands ? state->part[0] : NULL;
  const RvDetail* liquid = node->liquid ? state->part[liquid_part(node)] : NULL;
  if (strands && !(outputs[0] = rv_detail_copy(strands))) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = strands && liquid ? rv_film_port_check_height(cook, outputs[0], error) : RV_OK;
  if (!result && strands && liquid) {
    RvWetParms parms = rv_wet_parms_of(node, cook, cook->parms);
    result = rv_film_port_look_dry(cook, &parms, outputs[0], error);
  }
  if (result) return result;
  if (strands && rv_solver_number(cook, "guides") != 0)
    result = rv_film_port_guides(rv_solver_number(cook, "hairradius"), outputs[0], error);
  if (result) return result;
  if (strands && liquid) return rv_wet_liquid_output(strands, liquid, &outputs[1], error);
  RvDetail** alone = &outputs[node->strands ? 1 : 0];
  if (liquid && !(*alone = rv_detail_copy(liquid))) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return RV_OK;
}

const RvSolverMedia rv_wet_media = {
    .init = init, .start = start, .load = load, .save = save, .split = split, .tell = tell, .end = end};
