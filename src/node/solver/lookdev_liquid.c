// Liquid and pores of the lookdev node; see lookdev_liquid.h.
#include "node/solver/lookdev_liquid.h"

#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/lookdev_film.h"

static const RvFieldDef fields[] = {RV_LOOKDEV_PORE_FIELDS("")};
enum { FIELDS = sizeof fields / sizeof *fields };

//---------------------------------------------------------------------------------------------- settings

// The liquid's model; the separation is that of the state.
static RvLookdevLiquidModel model_of(const RvLookdevLiquidPort* s, const RvWetParms* p, const RvLookdevParms* own) {
  RvLookdevLiquidModel m = rv_lookdev_liquid_defaults(s->liquid.separation);
  m.dx = s->liquid.globals.dx;
  m.density = p->liquiddensity;
  memcpy(m.gravity, p->gravity, sizeof m.gravity);
  m.viscosity = p->viscosity;
  m.tension = p->surfacetension;
  m.smoothing = own->smoothing;
  m.curvature = own->curvature;
  m.tolerance = own->densitytolerance;
  m.iterations = (int)own->densityiter;
  m.adhesion = own->adhesion;
  return m;
}

// The pores' model: multipliers of the wet solver scale the default rates.
static RvPoreModel pores_of(const RvWetParms* p, const RvLookdevParms* own) {
  RvPoreModel m = rv_pore_defaults();
  double gravity = rv_length(rv_vec3_load64(p->gravity));
  m.porosity = own->porosity;
  m.adhesion = own->adhesion;
  m.drag *= own->drag;
  m.clumping *= own->cohesion;
  m.clump_damping = own->clumpdamping;
  m.uptake *= own->capture;
  m.retention *= own->capacity;
  m.drain = own->drip;
  m.drying = own->drying;
  m.dripping = own->dripgrowth;
  m.wet_mass = own->wetmass;
  m.wet_softness = own->wetsoftness;
  // Without weight or tension the default stands.
  if (gravity > 0 && p->surfacetension > 0) m.capillary_length = sqrt(p->surfacetension / (p->liquiddensity * gravity));
  return m;
}

//---------------------------------------------------------------------------------------------- start

bool rv_lookdev_liquid_wanted(const RvCook* cook, int strand_input, int liquid_input, int source_input) {
  return rv_solver_input(cook, liquid_input) || rv_solver_input(cook, source_input) ||
         rv_lookdev_film_wanted(rv_solver_input(cook, strand_input));
}

void rv_lookdev_liquid_port_init(RvLookdevLiquidPort* s, RvCook* cook, int liquid_input, int source_input,
                                 RvColliders* solids) {
  *s = (RvLookdevLiquidPort){.cook = cook};
  s->liquid = (RvLiquidPort){.cook = cook,
                             .input = liquid_input,
                             .source_input = source_input,
                             .frame_solids = solids,
                             .walls_only = true,
                             .drips = true};
  const RvState* before = cook->prev;
  s->material = rv_liquid_material_read(before ? before->part[1] : rv_solver_input(cook, liquid_input));
}

RvResult rv_lookdev_liquid_port_start(RvLookdevLiquidPort* s, const RvWetParms* parms, const RvStrandSet* set,
                                      RvDetail* strands, RvDetail** liquid, RvError* error) {
  RvWetParms p = *parms;
  rv_liquid_material_apply(&s->material, &p);
  RvResult result = rv_state_prepare(strands, fields, FIELDS, error);
  double painted = 0;
  if (!result) result = rv_lookdev_film_start(s->cook, set, strands, &painted, error);
  if (!result) result = rv_liquid_port_start(&s->liquid, &p, liquid, error);
  // Film of the strands is a part of what there was at the start.
  double* ledger = !result && painted > 0 ? rv_detail_f64_write(*liquid, RV_GLOBAL, "rv_ledger", 5, error) : NULL;
  if (!result && painted > 0 && !ledger) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the ledger");
  if (ledger) {
    ledger[0] += painted;
    s->cook->stats->ledger.initial += painted;
    s->cook->stats->ledger.film += painted;
  }
  if (!result) rv_liquid_material_note(s->cook, &s->material, rv_solver_input(s->cook, s->liquid.input));
  return result;
}

//---------------------------------------------------------------------------------------------- begin

// Counts what pores of strands hold that are no longer simulated as outflow: no step would ever reach it again.
static void drop_lost(RvLookdevLiquidPort* s, double* held, size_t points) {
  RvSum lost = {0, 0};
  for (size_t i = 0; i < points; ++i) {
    if (held[i] > 0 && isfinite(held[i])) rv_sum_add(&lost, held[i]);
    held[i] = 0;
  }
  double volume = rv_sum_total(&lost);
  if (!(volume > 0)) return;
  s->liquid.globals.outflow += volume;
  rv_cook_warn(s->cook, "strands that cannot be simulated any more held %g m3 of liquid, which counts as outflow",
               volume);
}

// Liquid of the pores, which belong to the edges after their points.
static RvResult load_pores(RvLookdevLiquidPort* s, RvDetail* strands, RvError* error) {
  const RvStrandSet* set = &s->water.strands->set;
  RvPores* p = &s->water.pores;
  if (!rv_detail_f64(strands, RV_POINT, "rv_held", 1))
    return rv_fail(error, RV_BAD_INPUT, "the state has no rv_held: start the simulation again");
  double* held = rv_detail_f64_write(strands, RV_POINT, "rv_held", 1, error);
  if (!held) return rv_fail(error, RV_NO_MEMORY, "out of memory for the pores");
  for (size_t k = 0; k < p->count; ++k) {
    double* from = &held[set->point[p->point[k]]];
    p->held[k] = *from > 0 && isfinite(*from) ? *from : 0;
    *from = 0;
  }
  drop_lost(s, held, rv_detail_count(strands, RV_POINT));
  return RV_OK;
}

// The tank, as the liquid port has it.
static void set_walls(RvLookdevLiquidPort* s) {
  RvLookdevSolids* out = &s->water.liquid.solids;
  const RvSolidShape* tank = &s->liquid.tank;
  out->walls = s->liquid.walls.count > 0;
  out->open_sides = tank->open_sides;
  for (int a = 0; a < 3; ++a) {
    out->low[a] = tank->center[a] - tank->size[a];
    out->high[a] = tank->center[a] + tank->size[a];
  }
}

RvResult rv_lookdev_liquid_port_begin(RvLookdevLiquidPort* s, RvStrandPort* strands, const RvWetParms* parms,
                                      const RvLookdevParms* own, RvDetail* strand_state, const RvDetail* liquid_state,
                                      RvError* error) {
  RvWetParms p = *parms;
  rv_liquid_material_apply(&s->material, &p);
  s->present = true;
  RvResult result = rv_liquid_port_begin(&s->liquid, &p, liquid_state, error);
  if (result) return result;
  RvLookdevLiquidModel model = model_of(s, &p, own);
  RvPoreModel pores = pores_of(&p, own);
  RvLookdevWater* w = &s->water;
  w->strands = &strands->solver;
  w->bulk = &s->liquid.liquid;
  w->drip_row = s->liquid.drip_row;
  // Both media have an origin of their own.
  for (int a = 0; a < 3; ++a)
    w->offset[a] = (strands->solver.set.origin[a] - s->liquid.globals.origin[a]) * s->liquid.units.meters;
  result = rv_lookdev_water_init(w, &model, &pores, error);
  if (!result) result = load_pores(s, strand_state, error);
  const RvDetail* input = s->cook->input[strands->input];
  if (!result) result = rv_lookdev_film_rates(s->cook, &strands->solver.set, input, &s->paint, error);
  w->paint = s->paint;
  if (!result) set_walls(s);
  return result;
}

RvResult rv_lookdev_liquid_port_inputs(RvLookdevLiquidPort* s, const RvWetParms* parms, const RvLookdevParms* own,
                                       double from, double to, RvError* error) {
  RvWetParms p = *parms;
  rv_liquid_material_apply(&s->material, &p);
  s->water.liquid.model = model_of(s, &p, own);
  s->water.pores.model = pores_of(&p, own);
  return rv_liquid_port_inputs(&s->liquid, &p, from, to, error);
}

//---------------------------------------------------------------------------------------------- end

// What artists see of the pores: wetness from 0 to 1, and the mass of the liquid over that of the dry hair.
static RvResult show_pores(RvLookdevLiquidPort* s, RvDetail* strands, RvError* error) {
  float* wetness = rv_detail_f32_write(strands, RV_POINT, "wetness", 1, error);
  float* load = wetness ? rv_detail_f32_write(strands, RV_POINT, "waterload", 1, error) : NULL;
  double* held = load ? rv_detail_f64_write(strands, RV_POINT, "rv_held", 1, error) : NULL;
  if (!held) return rv_fail(error, RV_NO_MEMORY, "out of memory for the wetness");
  const RvStrandSet* set = &s->water.strands->set;
  const RvPores* p = &s->water.pores;
  for (size_t i = 0; i < p->points; ++i) {
    wetness[set->point[i]] = (float)rv_min((double)p->wetness[i], 1);
    load[set->point[i]] = p->mass_factor[i] - 1;
  }
  for (size_t k = 0; k < p->count; ++k) held[set->point[p->point[k]]] = p->held[k];
  return rv_lookdev_film_show(&s->water, strands, error);
}

RvResult rv_lookdev_liquid_port_end(RvLookdevLiquidPort* s, RvDetail* strands, RvDetail** liquid, RvError* error) {
  s->liquid.globals.evaporated += s->water.pores.evaporated;
  s->water.pores.evaporated = 0;
  s->liquid.globals.sources += s->water.pores.painted;
  s->water.pores.painted = 0;
  // Particles that ended in a pore are left out of the state.
  RvResult result = rv_liquid_particles_sort(&s->liquid.liquid.particles, &s->liquid.liquid.report.lost, error);
  if (!result) result = show_pores(s, strands, error);
  return result ? result : rv_liquid_port_end(&s->liquid, liquid, error);
}

RvResult rv_lookdev_liquid_port_freeze(const RvDetail* before, RvDetail** liquid, RvError* error) {
  *liquid = rv_detail_copy(before);
  return *liquid ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the liquid");
}

void rv_lookdev_liquid_port_tell(RvLookdevLiquidPort* s) {
  const RvLookdevLiquidReport* r = &s->water.liquid.report;
  RvStats* stats = s->cook->stats;
  rv_liquid_port_tell(&s->liquid);
  stats->ledger.film = rv_pores_volume(&s->water.pores);
  stats->iterations = stats->iterations > r->most_iterations ? stats->iterations : r->most_iterations;
  if (r->full || s->water.pores.full)
    rv_cook_warn(
        s->cook,
        "%zu times a particle had more than %d neighbours: particles lie in one place, or particlesep is larger "
        "than their distance",
        r->full + s->water.pores.full, RV_SPH_MOST_LISTED);
  if (r->buried)
    rv_cook_warn(s->cook,
                 "%zu particles lie so deep in a collider that they cannot come out: raise substeps if they flew in, or "
                 "move the source or the liquid out of it",
                 r->buried);
  // Drops and sheets are often a little dense; a tenth is seen as liquid that sinks.
  const double DENSE = 0.1;
  if (r->unconverged && r->excess > DENSE)
    rv_cook_info(s->cook,
                 "the liquid is %.0f%% too dense on average: %d of %d substeps ended above densitytolerance; raise "
                 "densityiter or substeps",
                 100 * r->excess, r->unconverged, r->substeps);
  if (r->calmed)
    rv_cook_info(
        s->cook,
        "impacts: %zu times a particle was held back, which took %.3g kg m/s from the liquid in this frame; more "
        "substeps take less",
        r->calmed, r->calmed_momentum);
  if (s->water.pores.capped)
    rv_cook_info(
        s->cook,
        "liquid presses on hair with more than %g weights of it at %zu places (summed over substeps); the head "
        "bears the rest, %.3g N s in this frame",
        s->water.pores.model.most_reaction, s->water.pores.capped, s->water.pores.unfelt);
  if (r->limited)
    rv_cook_warn(s->cook,
                 "viscosity is too large for the length of the substeps and was limited in %d of %d: raise substeps",
                 r->limited, r->substeps);
}

void rv_lookdev_liquid_port_free(RvLookdevLiquidPort* s) {
  rv_lookdev_water_free(&s->water);
  rv_free(s->paint);
  rv_liquid_port_free(&s->liquid);
}
