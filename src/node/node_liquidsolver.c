// Liquid solver: the liquid stage alone (design section 3). Its method is rv_liquid_substep in liquid/liquid.c.
#include <math.h>
#include <string.h>

#include "node/liquidsolver.h"
#include "node/liquidsolver_parms.h"

RV_PARM_ROWS(RvLiquidParms, liquid_table, RV_LIQUID_PARMS)

static RvLiquidUnits units_of(const RvCook* cook) {
  const RvLiquidParms* p = cook->parms;
  return (RvLiquidUnits){cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1, p->timescale};
}

static RvLiquidModel model_of(const RvLiquidParms* p, double dx) {
  RvLiquidModel m = rv_liquid_model_default(dx);
  m.density = p->density;
  memcpy(m.gravity, p->gravity, sizeof m.gravity);
  m.cfl = p->cfl;
  m.viscosity = p->viscosity, m.stick = p->stick, m.tension = p->surfacetension;
  m.drift_time = p->volumetime;
  m.tolerance = p->tolerance;
  m.most_tiles = (size_t)(p->maxmemory * 1e9 / RV_LIQUID_TILE_BYTES) + 1;
  // the nominal volume is that of the separation, whatever the grid's
  m.resample.nominal = dx * dx * dx / (p->gridscale * p->gridscale * p->gridscale);
  if (!p->reseeding) m.resample_every = 0;
  return m;
}

static RvLiquidWalls walls_of(const RvLiquidParms* p) {
  RvLiquidWalls w = {.on = p->walls, .open = {!p->wallnx, !p->wallpx, !p->wallny, !p->wallpy, !p->wallnz, !p->wallpz}};
  memcpy(w.low, p->wallsmin, sizeof w.low);
  memcpy(w.high, p->wallsmax, sizeof w.high);
  return w;
}

static void tell_faults(const RvCook* cook, const RvLiquidFaults* f) {
  if (f->lost)
    rv_cook_warn(cook, "%zu particle%s left out: place, velocity or volume no number, or too far away (%g m3)", f->lost,
                 f->lost == 1 ? " was" : "s were", f->lost_volume);
  if (f->empty)
    rv_cook_warn(cook, "%zu particle%s without volume %s left out", f->empty, f->empty == 1 ? "" : "s",
                 f->empty == 1 ? "was" : "were");
  if (f->numbered) rv_cook_warn(cook, "some ids of the particles are there twice: all are numbered anew");
  if (f->edited) rv_cook_info(cook, "P or v of %zu particles were edited: the edits are taken", f->edited);
}

static void count_up(const RvLiquidSolve* s) {
  const RvLiquid* l = &s->liquid;
  RvStats* stats = s->cook->stats;
  const RvLiquidReport* r = &l->report;
  stats->particles = (int64_t)l->particles.count;
  stats->tiles = (int64_t)l->grid.tiles.count;
  stats->substeps = r->substeps, stats->iterations = r->iterations, stats->residual = r->pressure.residual;
  for (int i = 0; i < RV_LIQUID_STAGE_COUNT; ++i) stats->stage_seconds[i] = r->seconds[i];
  const RvLiquidGlobals* g = &s->globals;
  stats->ledger = (RvLedger){.bulk = rv_particles_volume(&l->particles),
                             .initial = g->initial,
                             .sources = g->sources,
                             .killed = g->killed,
                             .evaporated = g->evaporated,
                             .outflow = g->outflow};
  if (r->unconverged)
    rv_cook_warn(s->cook, "the pressure of %d of %d substeps did not converge (residual %.1e)", r->unconverged,
                 r->substeps, r->pressure.residual);
  if (r->hurried)
    rv_cook_warn(s->cook, "maxsubsteps is too small for the speed of the liquid: its fastest particles lag behind");
  // a few are in every tight corner
  size_t between = r->caught - r->inside;
  if (r->inside * 1000 > l->particles.count)
    rv_cook_warn(s->cook,
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
}

//---------------------------------------------------------------------------------------------- start

static RvResult read_start(RvLiquidSolve* s, const RvDetail* in, RvError* error) {
  const RvLiquidParms* p = s->cook->parms;
  RvLiquidFaults faults = {0};
  double spacing;
  if (rv_detail_count(in, RV_PRIM))
    rv_cook_warn(s->cook, "input 1, the liquid, has %zu primitives: its points are the liquid, and they are left out",
                 rv_detail_count(in, RV_PRIM));
  RvLiquidUnits units = {s->units.meters, s->units.rate > 0 ? s->units.rate : 1};
  RvResult result = rv_liquid_measure(in, p->particlesep, &units, &spacing, s->globals.origin, error);
  if (result) return result;
  // cells that begin at the walls leave the liquid there without steps
  if (p->walls) memcpy(s->globals.origin, p->wallsmin, sizeof s->globals.origin);
  s->globals.dx = spacing * p->gridscale;
  result = rv_liquid_read(in, &units, spacing, &s->globals, &s->liquid.particles, &faults, error);
  if (!result) tell_faults(s->cook, &faults);
  return result;
}

static RvResult start(RvCook* cook, RvError* error) {
  const RvDetail* in = cook->input[0];
  RvLiquidSolve s = {.cook = cook, .units = units_of(cook)};
  RvDetail *empty = NULL, *out = NULL;
  RvLiquidModel model = rv_liquid_model_default(1);
  RvResult result = rv_liquid_init(&s.liquid, &model) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // nothing to begin with: sources may bring some
  if (!in) in = empty = rv_detail_new();
  if (!result && !in) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = read_start(&s, in, error);
  if (!result) result = rv_liquid_save(&s.liquid.particles, &s.units, &s.globals, in, &out, error);
  if (!result) count_up(&s), cook->output[2] = out;
  rv_detail_free(empty);
  rv_liquid_free(&s.liquid);
  return result;
}

//---------------------------------------------------------------------------------------------- step

// keyed values change within a frame too
static RvResult begin_substep(void* user, RvLiquidModel* model, double from, double to, RvError* error) {
  RvLiquidSolve* s = user;
  RvCook* cook = s->cook;
  RvLiquidParms p;
  model->speed = s->speed;
  if (!cook->host->parms_at) return RV_OK;
  double share = 0.5 * (from + to) / (cook->dt * s->units.rate);
  RvResult result = cook->host->parms_at(cook->host->user, cook->time.frame - 1 + share, &p, error);
  if (result) return result;
  const int32_t* material = model->resample.material;
  *model = model_of(&p, model->dx);
  model->resample.material = material;
  model->speed = s->speed;
  return RV_OK;
}

static bool cancelled(void* user, double time, const char* stage) {
  const RvLiquidSolve* s = user;
  return rv_cook_cancelled(s->cook, time / (s->cook->dt * s->units.rate), stage);
}

// materials of the rows, where the points name them
static const int32_t* materials_of(const RvDetail* d) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, "material");
  bool usable = a && rv_attrib_size(a) == 1 && (rv_attrib_storage(a) == RV_STRING || rv_attrib_storage(a) == RV_I32);
  return usable ? rv_attrib_read(a) : NULL;
}

static RvResult advance(RvLiquidSolve* s, RvError* error) {
  const RvLiquidParms* p = s->cook->parms;
  RvLiquid* l = &s->liquid;
  RvLiquidHooks hooks = {.user = s,
                         .begin = begin_substep,
                         .flow = rv_liquid_flows_at,
                         .solids = rv_liquid_solids_at,
                         .cancelled = cancelled};
  int least = (int)p->substeps, most = p->maxsubsteps > p->substeps ? (int)p->maxsubsteps : least;
  RvResult result = rv_particles_sort_by_id(&l->particles, &l->report.lost, error);
  if (!result) result = rv_liquid_solids_begin(s, error);
  l->model.speed = s->speed;
  if (!result && (l->particles.count || s->flows.any))
    result = rv_liquid_advance(l, s->cook->dt * s->units.rate, least, most, &hooks, error);
  // what is lost or flows out in the last move is told in this frame
  if (!result) result = rv_liquid_flows_drain(s, error);
  if (!result) result = rv_particles_sort(&l->particles, &l->report.lost, error);
  rv_liquid_solids_end(s);
  return result;
}

static RvResult begin_flows(RvLiquidSolve* s, RvError* error) {
  const RvLiquidParms* p = s->cook->parms;
  s->separation = s->globals.dx / p->gridscale;
  s->flows.killing = p->killbox;
  memcpy(s->flows.kill[0], p->killmin, sizeof p->killmin), memcpy(s->flows.kill[1], p->killmax, sizeof p->killmax);
  RvResult result = rv_liquid_flows_begin(s, error);
  s->liquid.model.resample.material = materials_of(s->flows.rows ? s->flows.rows : s->cook->prev);
  return result;
}

static void add_to_ledger(RvLiquidSolve* s) {
  const RvLiquidReport* r = &s->liquid.report;
  s->globals.next_id = s->liquid.next_id;
  s->globals.killed += r->lost.volume + r->resampled.dropped_volume + s->flows.flow.killed;
  s->globals.sources += s->flows.flow.sources, s->globals.outflow += s->flows.flow.outflow;
}

static RvResult step(RvCook* cook, RvError* error) {
  RvLiquidSolve s = {.cook = cook, .units = units_of(cook), .walls = walls_of(cook->parms)};
  RvLiquidFaults faults = {0};
  RvDetail* out = NULL;
  RvResult result = rv_state_check(cook->prev, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, error);
  if (result) return result;
  const double* ledger = rv_detail_f64(cook->prev, RV_GLOBAL, "rv_ledger", 6);
  RvLiquidModel model = model_of(cook->parms, ledger[0]);
  if (!rv_liquid_init(&s.liquid, &model)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  result = rv_liquid_load(cook->prev, &s.units, &s.globals, &s.liquid.particles, &faults, error);
  if (!result) result = begin_flows(&s, error);
  if (!result) {
    tell_faults(cook, &faults);
    s.globals.killed += faults.lost_volume;
    s.liquid.next_id = s.globals.next_id;
    if (s.units.rate > 0) result = advance(&s, error);
  }
  if (!result) {
    add_to_ledger(&s);
    const RvDetail* rows = s.flows.rows ? s.flows.rows : cook->prev;
    result = rv_liquid_save(&s.liquid.particles, &s.units, &s.globals, rows, &out, error);
  }
  if (!result) result = rv_liquid_flows_save(&s, out, error);
  if (!result) count_up(&s), cook->output[2] = out;
  if (result) rv_detail_free(out);
  rv_liquid_flows_end(&s);
  rv_liquid_free(&s.liquid);
  return result;
}

static RvResult split(RvCook* cook, const RvDetail* state, RvError* error) {
  const RvLiquidParms* p = cook->parms;
  cook->output[0] = rv_detail_new();
  cook->output[1] = rv_detail_copy(state);
  if (!cook->output[0] || !cook->output[1]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_state_strip(cook->output[1], p->keepstate);
  return RV_OK;
}

static const RvPortDef inputs[] = {
    {"liquid", "Liquid", "Particles at the start frame: P v pscale id volume material life.", false},
    {"colliders", "Colliders", "Solids that the liquid meets.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false}};
static const RvPortDef outputs[] = {{"strands", "Strands", "Nothing: this solver has no hair.", false},
                                    {"liquid", "Liquid", "The particles, with P v pscale id age volume.", false},
                                    {"state", "State", "The liquid with all that a resumed run needs.", false}};

const RvNodeType rv_node_liquidsolver = {
    .type = "liquidsolver",
    .label = "Liquid Solver",
    .category = "Solvers",
    .summary = "Simulates liquid as particles on a sparse grid.",
    .help =
        "Particles carry velocity and its slopes (APIC); a grid of cells of gridscale times particlesep, which exists "
        "only "
        "where there is liquid, makes them incompressible. There is no box around the scene: liquid goes as far as it "
        "goes, unless walls are asked for.\n\n"
        "The volume of every particle is kept exactly. Particles that became too small are merged, those too large or "
        "too "
        "few are split; a merged one keeps id, age and attributes of the larger, the halves of a split one both have "
        "the "
        "attributes of their parent, and one of them a new id. Where cells come to hold too much or too little liquid, "
        "the "
        "flow brings them back within volumetime.\n\n"
        "Solids are what the node collider makes, and also bare meshes, closed or with holes, and the VDB pair surface "
        "and vel. They may move and change their shape. What is thinner than 1.4 cells is made that thick, and a mesh "
        "with "
        "holes is a shell, so that no liquid passes; the primitive attribute friction is the coefficient of Coulomb's "
        "law "
        "for particles that hit the solid, and from 1 on they stick. Liquid that solids leave no room waits between "
        "them "
        "and comes out when they part; a warning tells of it.\n\n"
        "Sources are what the node source makes: they give volume by rate, exact to one particle, keep a region full, "
        "or "
        "drain it. New particles have the attributes source and material of their source, and of all others the "
        "defaults. "
        "What goes out through an open side of the tank is gone, unless gravity brings it back, and counts as outflow "
        "as "
        "what drains does; what leaves the kill box counts as killed.\n\n"
        "Other attributes and groups of the particles pass through. In the output points stand in the order of their "
        "ids.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 1,
    .inputs = inputs,
    .ninput = 3,
    .outputs = outputs,
    .noutput = 3,
    .parms = &liquid_table,
    .stages = rv_liquid_stage_names,
    .fields = rv_liquid_fields,
    .nfield = RV_LIQUID_FIELD_COUNT,
    .start = start,
    .step = step,
    .split = split,
    .free_cache = rv_colliders_free_cache,
};
