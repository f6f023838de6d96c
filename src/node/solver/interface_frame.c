// Particles of the interface solver between inputs and state (interface_frame.h).
#include "node/solver/interface_frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/wet_frame.h"

typedef RvInterfaceFrame Frame;

// Indices of the node's inputs, those of the liquid solver.
enum { LIQUID, COLLIDERS, SOURCES };
// Bytes of a particle: state, sorted copies, sums and lists, as measured by the benchmark `interface`.
static const double BYTES_A_PARTICLE = 700;

#define NAME(name) #name,
const char* const rv_interface_node_stages[] = {"load", "inputs", RV_INTERFACE_STAGES(NAME) "save", NULL};
#undef NAME

//---------------------------------------------------------------------------------------------- parameters

// The wet solver tells the densities of strands and liquid apart.
static void translate(const void* parms, RvWetParms* out) {
  out->liquiddensity = ((const RvInterfaceParms*)parms)->density;
}

static RvWetParms wet_parms(const RvCook* cook, const void* own) {
  static const RvWetNode node = {.translate = translate};
  return rv_wet_parms_of(&node, cook, own);
}

// RvSolverMedia.init
static RvResult init(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  RvCook* cook = s->cook;
  *f = (Frame){.scaffold = s, .cook = cook, .least_longest = INFINITY};
  f->liquid = (RvLiquidPort){
      .cook = cook, .input = LIQUID, .frame_solids = &s->colliders, .source_input = SOURCES, .walls_only = true};
  f->parms = wet_parms(cook, cook->parms);
  f->material = rv_liquid_material_read(cook->prev ? cook->prev->part[0] : rv_solver_input(cook, LIQUID));
  f->arena = rv_arena_new(0);
  return f->arena ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// RvSolverMedia.end
static void end(RvSolver* s) {
  Frame* f = s->data;
  rv_collider_view_end(&f->view);
  RV_FREE_ALL(f->steps, f->colliders, f->row_phase, f->row_body, f->row_solid, f->film, f->film_before, f->row_film);
  rv_liquid_port_free(&f->liquid);
  rv_arena_free(f->arena);
}

//---------------------------------------------------------------------------------------------- start frame

// RvSolverMedia.start
static RvResult start(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  const RvDetail* in = rv_solver_input(f->cook, LIQUID);
  size_t count = in ? rv_detail_count(in, RV_POINT) : 0;
  double gigabytes = 1e-9 * BYTES_A_PARTICLE * (double)count;
  if (gigabytes > f->parms.maxmemory)
    return rv_fail(error, RV_LIMIT,
                   "%s, has %zu points, which need about %.2g GB; raise maxmemory (%g), or raise particlesep of the "
                   "fill",
                   rv_solver_port(f->cook, LIQUID).text, count, gigabytes, f->parms.maxmemory);
  RvResult result = rv_liquid_port_start(&f->liquid, &f->parms, &state->part[0], error);
  if (!result) rv_liquid_material_note(f->cook, &f->material, in);
  return result ? result : rv_interface_frame_mark(f, state->part[0], error);
}

//---------------------------------------------------------------------------------------------- a frame

// The view of the solids: level sets fine enough for the density, and known as far as the pair force reaches.
static RvResult begin_solids(Frame* f, RvError* error) {
  double support = rv_interface_support(&f->solver.model);
  const RvColliderNeeds needs = {.voxel = 0.25 * support, .band = support};
  RvResult result = rv_collider_view_begin(&f->view, &f->scaffold->colliders, &needs, error);
  if (result || !f->view.count) return result;
  f->steps = rv_alloc_zero(f->view.count, sizeof *f->steps);
  f->colliders = rv_alloc_zero(f->view.count, sizeof *f->colliders);
  if (!f->steps || !f->colliders) return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  f->solver.solids.colliders = f->colliders;
  f->solver.solids.ncollider = f->view.count;
  return RV_OK;
}

// The tank, as the liquid port has it.
static void set_walls(Frame* f) {
  RvContactSolids* out = &f->solver.solids;
  const RvSolidShape* tank = &f->liquid.tank;
  out->walls = f->liquid.walls.count > 0;
  out->open_sides = tank->open_sides;
  for (int a = 0; a < 3; ++a) {
    out->low[a] = tank->center[a] - tank->size[a];
    out->high[a] = tank->center[a] + tank->size[a];
  }
}

// RvSolverMedia.load
static RvResult load(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  RvResult result = rv_liquid_port_begin(&f->liquid, &f->parms, f->cook->prev->part[0], error);
  if (result) return result;
  f->solver = (RvInterfaceSolver){.bulk = &f->liquid.liquid, .arena = f->arena};
  RvInterfaceModel model;
  result = rv_interface_frame_phases(f, error);
  if (!result) result = rv_interface_frame_model(f, f->cook->parms, &model, error);
  if (result) return result;
  rv_interface_init(&f->solver, &model);
  set_walls(f);
  result = rv_interface_frame_bubbles(f, error);
  if (result) return result;
  return f->parms.timescale > 0 ? begin_solids(f, error) : RV_OK;
}

// RvSolverMedia.inputs
static RvResult inputs(RvSolver* s, double from, double to, double dt, RvError* error) {
  Frame* f = s->data;
  RvWetParms parms = wet_parms(f->cook, s->parms);
  parms.timescale = f->parms.timescale;
  RvPairForm form = f->solver.model.form;
  RvInterfaceModel model;
  RvResult result = rv_interface_frame_model(f, s->parms, &model, error);
  if (result) return result;
  if (model.form != form)
    rv_interface_init(&f->solver, &model);
  else
    f->solver.model = model;
  f->solver.bubbles.gas_gas = ((const RvInterfaceParms*)s->parms)->gascohesion;
  f->solver.bubbles.film_gas = 0.5 * (1 + f->solver.bubbles.gas_gas);
  f->solver.solids.wall_angle = rv_radians(((const RvInterfaceParms*)s->parms)->contactangle);
  result = f->view.count ? rv_collider_view_step(&f->view, from, to, dt, f->steps, error) : RV_OK;
  if (result) return result;
  RvVec3 origin = rv_scale(rv_vec3_load64(f->liquid.globals.origin), f->liquid.units.meters);
  rv_solver_solids(&f->view, f->steps, origin, 0, dt, f->colliders);
  return rv_liquid_port_inputs(&f->liquid, &parms, from * s->frame_seconds, to * s->frame_seconds, error);
}

double rv_interface_frame_longest(const RvSolver* s) {
  Frame* f = s->data;
  double longest = rv_interface_longest(&f->solver);
  f->least_longest = fmin(f->least_longest, longest);
  return longest;
}

RvResult rv_interface_frame_substep(RvSolver* s, double dt, RvError* error) {
  rv_interface_frame_blow(s->data);
  return rv_interface_substep(&((Frame*)s->data)->solver, dt, error);
}

// RvSolverMedia.save
static RvResult save(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  RvLiquid* liquid = &f->liquid.liquid;
  RvResult result = rv_liquid_particles_sort(&liquid->particles, &liquid->report.lost, error);
  if (!result) result = rv_liquid_port_end(&f->liquid, &state->part[0], error);
  return result ? result : rv_interface_frame_mark(f, state->part[0], error);
}

// RvSolverMedia.tell
static void tell(RvSolver* s) {
  Frame* f = s->data;
  const RvInterfaceReport* r = &f->solver.report;
  RvStats* stats = f->cook->stats;
  rv_liquid_port_tell(&f->liquid);
  stats->substeps = r->substeps;
  stats->iterations = r->most_iterations;
  stats->residual = r->excess;
  double wanted = ceil(s->frame_seconds / f->least_longest);
  double most = rv_solver_number(f->cook, "maxsubsteps");
  if (wanted > fmax(most, rv_solver_number(f->cook, "substeps")))
    rv_cook_warn(f->cook,
                 "the surface tension, viscosity or speed of the liquid needs %g substeps a frame, and maxsubsteps is "
                 "%g: drops may burst; raise maxsubsteps or particlesep",
                 wanted, most);
  if (r->overfull)
    rv_cook_warn(f->cook,
                 "%zu bubbles have more film than their surfaces hold, so the rest is inside and they behave as drops; "
                 "lower film, or raise the number of their particles",
                 r->overfull);
  if (r->full)
    rv_cook_warn(
        f->cook,
        "%zu times a particle had more than %d neighbours: particles lie in one place, or particlesep is larger "
        "than their distance",
        r->full, RV_INTERFACE_MOST_NEAR);
  if (r->buried)
    rv_cook_warn(f->cook,
                 "%zu particles lie so deep in a collider that they cannot come out: move the source or the liquid out "
                 "of it",
                 r->buried);
  if (r->unconverged)
    rv_cook_warn(f->cook, "the density of %d of %d substeps did not converge (mean excess %.2g%%): raise densityiter",
                 r->unconverged, r->substeps, 100 * r->excess);
#define TELL(name) rv_solver_add_seconds(s, #name, r->seconds[RV_INTERFACE_STAGE_##name]);
  RV_INTERFACE_STAGES(TELL)
#undef TELL
}

// RvSolverMedia.split
static RvResult split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  (void)type;
  if (state->part[0] && !(cook->output[0] = rv_detail_copy(state->part[0])))
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return RV_OK;
}

const RvSolverMedia rv_interface_media = {.init = init,
                                          .start = start,
                                          .load = load,
                                          .inputs = inputs,
                                          .save = save,
                                          .split = split,
                                          .tell = tell,
                                          .end = end};
