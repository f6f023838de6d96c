#include "node/solver/liquid_port.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/input_notes.h"
#include "node/solver/liquid_mixture.h"

// How P and v of the scene become metres and metres a simulated second.
static RvLiquidUnits units_of(const RvCook* cook, const RvWetParms* p) {
  return (RvLiquidUnits){rv_cook_meters(cook), p->timescale};
}

enum { SHEAR_SPLIT = 1 };  // of the menu shearsolve

// The liquid's model from the parameters; dx is the side of a cell, m.
static RvLiquidModel model_of(const RvWetParms* p, double dx) {
  RvLiquidModel m = rv_liquid_model_default(dx);
  m.density = p->liquiddensity;
  memcpy(m.gravity, p->gravity, sizeof m.gravity);
  m.cfl = p->cfl;
  m.viscosity = p->viscosity;
  m.law = (RvRheology){p->shearmodulus, p->yieldstress, p->viscosity, p->flowindex};
  // beside liquid that goes its own way there are drops alone, and the law is that of the film
  if (p->liquidmode != 0) m.law = (RvRheology){.consistency = p->viscosity, .index = 1};
  m.split = p->shearsolve == SHEAR_SPLIT;
  m.stick = p->stick;
  m.tension = p->surfacetension;
  m.sessile = (RvSessile){p->droptension, rv_radians(p->dropadvancing), rv_radians(p->dropreceding), p->dropviscosity,
                          p->droptrail};
  m.drift_time = p->volumetime;
  m.tolerance = p->pressuretolerance;
  // maxmemory is in GB.
  m.most_tiles = (size_t)(p->maxmemory * 1e9 / RV_LIQUID_TILE_BYTES) + 1;
  // the nominal volume is that of the separation, whatever the grid's
  m.resample.nominal = dx * dx * dx / (p->gridscale * p->gridscale * p->gridscale);
  if (!p->reseeding) m.resample_every = 0;
  return m;
}

// A drop whose rear has the larger angle would run uphill by itself.
static RvResult check_drops(const RvWetParms* p, RvError* error) {
  if (!(p->droptension > 0) || p->dropreceding <= p->dropadvancing) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "dropreceding of %g degrees is above dropadvancing of %g: lower it",
                 p->dropreceding, p->dropadvancing);
}

//---------------------------------------------------------------------------------------------- telling

// Tells of particles that were left out, numbered anew or edited.
static void tell_faults(const RvCook* cook, const RvLiquidFaults* f) {
  if (f->lost)
    rv_cook_warn(cook, "%zu particle%s left out: place, velocity or volume no number, or too far away (%g m3)", f->lost,
                 f->lost == 1 ? " was" : "s were", f->lost_volume);
  if (f->empty)
    rv_cook_warn(cook, "%zu particle%s without volume %s left out", f->empty, f->empty == 1 ? "" : "s",
                 f->empty == 1 ? "was" : "were");
  if (f->numbered) rv_cook_warn(cook, "some ids of the particles are there twice: all are numbered anew");
  if (f->strained)
    rv_cook_warn(cook, "the elastic strain of %zu particles is none that a liquid can have: it is taken as 0",
                 f->strained);
  if (f->edited) rv_cook_info(cook, "P or v of %zu particles were edited: the edits are taken", f->edited);
}

void rv_liquid_port_tell(const RvLiquidPort* s) {
  const RvLiquid* l = &s->liquid;
  RvStats* stats = s->cook->stats;
  const RvLiquidReport* r = &l->report;
  stats->particles = (int64_t)l->particles.count;
  stats->tiles = (int64_t)l->grid.tiles.count;
  // The ledger: what is there now, and what came in and went out since the start frame.
  const RvLiquidGlobals* g = &s->globals;
  stats->ledger = (RvLedger){.bulk = rv_liquid_particles_volume(&l->particles),
                             .initial = g->initial,
                             .sources = g->sources,
                             .killed = g->killed,
                             .evaporated = g->evaporated,
                             .outflow = g->outflow};
  if (r->unconverged && r->unbalanced > 0)
    rv_cook_warn(s->cook,
                 "pressure and shear of %d of %d substeps are not in balance (residual %.1e); more substeps help",
                 r->unconverged, r->substeps, r->unbalanced);
  else if (r->unconverged)
    rv_cook_warn(s->cook, "the pressure of %d of %d substeps did not converge (residual %.1e)", r->unconverged,
                 r->substeps, r->pressure.residual);
  if (r->hurried)
    rv_cook_warn(s->cook, "maxsubsteps is too small for the speed of the liquid: its fastest particles lag behind");
  if (r->shear_hurried)
    rv_cook_warn(s->cook,
                 "maxsubsteps is too small for shearmodulus: shear waves go more than %g cells in a substep, and the "
                 "liquid wobbles less than it should",
                 RV_LIQUID_SHEAR_CELLS);
  // a few are in every tight corner
  size_t between = r->caught - r->inside;
  if (r->inside * 1000 > l->particles.count)
    rv_cook_warn(
        s->cook,
        "%zu particles are caught inside of a collider and wait there until it leaves: a closed mesh is solid all "
        "through. A vessel needs an opening (the node tube has cap), or a collider with mode open, of which "
        "only the wall is solid",
        r->inside);
  else if (between * 1000 > l->particles.count)
    rv_cook_warn(s->cook,
                 "%zu particles are caught between solids that leave them no room: they wait there until there is some",
                 between);
  if (r->lost.count)
    rv_cook_warn(s->cook, "%zu particles went out of all bounds and were taken away (%g m3)", r->lost.count,
                 r->lost.volume);
  rv_liquid_port_tell_flows(s);
}

//---------------------------------------------------------------------------------------------- start

// Particles of the start frame; the origin and the cell size are chosen here, once for the shot.
static RvResult read_start(RvLiquidPort* s, const RvWetParms* p, const RvDetail* in, RvError* error) {
  RvLiquidFaults faults = {0};
  double spacing;
  size_t primitives = rv_detail_count(in, RV_PRIM);
  if (primitives)
    rv_cook_warn(s->cook, "%s, has %zu primitives: its points are the liquid, and they are left out",
                 rv_solver_port(s->cook, s->input).text, primitives);
  // A shot that begins frozen takes v as of a time scale of 1.
  RvLiquidUnits units = {s->units.meters, s->units.rate > 0 ? s->units.rate : 1};
  RvResult result = rv_liquid_measure(in, p->particlesep, &units, &spacing, s->globals.origin, error);
  if (result) return result;
  // cells that begin at the walls leave the liquid there without steps
  if (p->walls) memcpy(s->globals.origin, p->wallsmin, sizeof s->globals.origin);
  s->globals.dx = spacing * p->gridscale;
  result = rv_liquid_read(in, &units, spacing, &s->globals, &s->liquid.particles, &faults, error);
  if (!result) tell_faults(s->cook, &faults);
  if (!result && rv_detail_count(in, RV_POINT)) rv_solver_note_separation(s->cook, spacing);
  return result;
}

RvResult rv_liquid_port_start(RvLiquidPort* s, const RvWetParms* p, RvDetail** out, RvError* error) {
  const RvDetail* in = rv_solver_input(s->cook, s->input);
  RvDetail* empty = NULL;
  RvLiquidModel model = rv_liquid_model_default(1);
  s->units = units_of(s->cook, p);
  RvResult result = rv_liquid_init(&s->liquid, &model) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvRheology law = model_of(p, 1).law;
  if (!result) result = rv_liquid_rheology_check(&law, error);
  if (!result) result = check_drops(p, error);
  // nothing to begin with: sources may bring some
  if (!in) in = empty = rv_detail_new();
  if (!result && !in) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = read_start(s, p, in, error);
  if (!result) result = rv_liquid_save(&s->liquid.particles, &s->units, &s->globals, in, out, error);
  if (!result) rv_liquid_port_tell(s);
  rv_detail_free(empty);
  return result;
}

//---------------------------------------------------------------------------------------------- step

// Materials of the rows, where the points name them.
static const int32_t* materials_of(const RvDetail* d) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, "material");
  bool usable = a && rv_attrib_size(a) == 1 && (rv_attrib_storage(a) == RV_STRING || rv_attrib_storage(a) == RV_I32);
  return usable ? rv_attrib_read(a) : NULL;
}

// The points whose attributes particles carry by their row.
static const RvDetail* rows_of(const RvLiquidPort* s) {
  return s->rows ? s->rows : s->state;
}

// Several materials: the law of each, and their bounds in the place of the one law.
static void use_materials(const RvLiquidPort* s, RvLiquidModel* model) {
  if (s->materials.count < 2) return;
  model->materials = &s->materials;
  model->law = rv_liquid_mixture_bounds(&s->materials);
  model->viscosity = model->law.consistency;
}

// The materials of the frame. Beside liquid that goes its own way there are drops alone.
static RvResult find_materials(RvLiquidPort* s, const RvWetParms* p, RvError* error) {
  RvLiquidModel* model = &s->liquid.model;
  bool too_many = false;
  if (p->liquidmode != 0) return RV_OK;
  RvLiquidStandard standard = {model->law, model->density, model->tension};
  RvResult result = rv_liquid_mixture_read(rows_of(s), &standard, &s->materials, &s->material_of_row, &too_many, error);
  for (int k = 0; k < s->materials.count && !result; ++k)
    result = rv_liquid_rheology_check(&s->materials.law[k], error);
  if (too_many)
    rv_cook_warn(s->cook,
                 "the particles are of more than %d materials (name, viscosity, yield stress, flow index, shear "
                 "modulus, density, surface tension): all flow as their mean; bring fewer kinds",
                 RV_LIQUID_MOST_MATERIALS);
  use_materials(s, model);
  return result;
}

RvResult rv_liquid_port_begin(RvLiquidPort* s, const RvWetParms* p, const RvDetail* state, RvError* error) {
  RvLiquidFaults faults = {0};
  s->state = state;
  s->units = units_of(s->cook, p);
  const double* dx = rv_detail_f64(state, RV_GLOBAL, "rv_dx", 1);
  RvLiquidModel model = model_of(p, *dx);
  if (!rv_liquid_init(&s->liquid, &model)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_liquid_load(state, &s->units, &s->globals, &s->liquid.particles, &faults, error);
  s->separation = s->globals.dx / p->gridscale;
  if (!result) result = rv_liquid_port_begin_flows(s, p, error);
  if (!result) result = find_materials(s, p, error);
  if (result) return result;
  // Particles of different materials are never merged.
  s->liquid.model.resample.material = materials_of(rows_of(s));
  tell_faults(s->cook, &faults);
  // Liquid that an edit made unusable is a sink, so that the ledger is balanced.
  s->globals.killed += faults.lost_volume;
  s->liquid.next_id = s->globals.next_id;
  if (s->units.rate > 0) result = rv_liquid_port_begin_solids(s, p, error);
  s->liquid.model.speed = s->speed;
  return result;
}

RvResult rv_liquid_port_inputs(RvLiquidPort* s, const RvWetParms* p, double from, double to, RvError* error) {
  RvLiquidModel* model = &s->liquid.model;
  // Keyed parameters; the cell size and the materials are those of the frame.
  const int32_t* material = model->resample.material;
  *model = model_of(p, model->dx);
  model->resample.material = material;
  model->speed = s->speed;
  use_materials(s, model);
  RvResult result = rv_liquid_port_move_solids(s, from, to, error);
  return result ? result : rv_liquid_port_set_flows(s, from, to, error);
}

// Adds what the frame gained and lost to the sums since the start frame.
static void add_to_ledger(RvLiquidPort* s) {
  const RvLiquidReport* r = &s->liquid.report;
  const RvLiquidFlow* flow = &s->flows.flow;
  s->globals.next_id = s->liquid.next_id;
  s->globals.killed += r->lost.volume + r->resampled.dropped_volume + flow->killed;
  s->globals.sources += flow->sources;
  s->globals.outflow += flow->outflow;
}

RvResult rv_liquid_port_end(RvLiquidPort* s, RvDetail** out, RvError* error) {
  add_to_ledger(s);
  RvDetail* made = NULL;
  RvResult result = rv_liquid_save(&s->liquid.particles, &s->units, &s->globals, rows_of(s), &made, error);
  if (!result) result = rv_liquid_port_save_flows(s, made, error);
  if (result)
    rv_detail_free(made);
  else
    *out = made;
  return result;
}

void rv_liquid_port_free(RvLiquidPort* s) {
  rv_liquid_port_free_solids(s);
  rv_liquid_port_free_flows(s);
  rv_liquid_free(&s->liquid);
  rv_free(s->material_of_row);
  s->material_of_row = NULL;
}
