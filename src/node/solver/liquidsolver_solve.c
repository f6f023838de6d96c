// One frame of the liquid: its state in and out, and what its substeps ask of the host.
#include <math.h>
#include <string.h>

#include "node/solver/liquidsolver.h"
#include "node/solver/liquidsolver_parms.h"

static RvLiquidUnits units_of(const RvCook* cook) {
  const RvLiquidParms* p = cook->parms;
  return (RvLiquidUnits){cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1, p->timescale};
}

static RvLiquidModel model_of(const RvLiquidParms* p, double dx) {
  RvLiquidModel m = rv_liquid_model_default(dx);
  m.density = p->density;
  memcpy(m.gravity, p->gravity, sizeof m.gravity);
  m.cfl = p->cfl;
  m.viscosity = p->viscosity;
  m.stick = p->stick;
  m.tension = p->surfacetension;
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

void rv_liquidsolve_tell(const RvLiquidSolve* s) {
  const RvLiquid* l = &s->liquid;
  RvStats* stats = s->cook->stats;
  const RvLiquidReport* r = &l->report;
  stats->particles = (int64_t)l->particles.count;
  stats->tiles = (int64_t)l->grid.tiles.count;
  stats->substeps = r->substeps;
  stats->iterations = r->iterations;
  stats->residual = r->pressure.residual;
  for (int i = 0; i < RV_LIQUID_STAGE_COUNT; ++i) stats->stage_seconds[i] = r->seconds[i];
  const RvLiquidGlobals* g = &s->globals;
  stats->ledger = (RvLedger){.bulk = rv_liquid_particles_volume(&l->particles),
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

RvResult rv_liquidsolve_start(RvCook* cook, RvDetail** out, RvError* error) {
  const RvDetail* in = cook->input[0];
  RvLiquidSolve s = {.cook = cook, .units = units_of(cook)};
  RvDetail* empty = NULL;
  RvLiquidModel model = rv_liquid_model_default(1);
  RvResult result = rv_liquid_init(&s.liquid, &model) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // nothing to begin with: sources may bring some
  if (!in) in = empty = rv_detail_new();
  if (!result && !in) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = read_start(&s, in, error);
  if (!result) result = rv_liquid_save(&s.liquid.particles, &s.units, &s.globals, in, out, error);
  if (!result) rv_liquidsolve_tell(&s);
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

RvLiquidHooks rv_liquidsolve_hooks(RvLiquidSolve* s) {
  return (RvLiquidHooks){.user = s,
                         .begin = begin_substep,
                         .flow = rv_liquid_flows_at,
                         .solids = rv_liquid_solids_at,
                         .cancelled = cancelled};
}

RvResult rv_liquidsolve_open(RvLiquidSolve* s, RvError* error) {
  RvLiquid* l = &s->liquid;
  RvResult result = rv_liquid_particles_sort_by_id(&l->particles, &l->report.lost, error);
  if (!result) result = rv_liquid_solids_begin(s, error);
  l->model.speed = s->speed;
  l->steps = 0;
  return result;
}

RvResult rv_liquidsolve_close(RvLiquidSolve* s, RvError* error) {
  // what is lost or flows out in the last move is told in this frame
  RvResult result = rv_liquid_flows_drain(s, error);
  return result ? result : rv_liquid_particles_sort(&s->liquid.particles, &s->liquid.report.lost, error);
}

RvResult rv_liquidsolve_frame(RvLiquidSolve* s, RvError* error) {
  const RvLiquidParms* p = s->cook->parms;
  RvLiquid* l = &s->liquid;
  RvLiquidHooks hooks = rv_liquidsolve_hooks(s);
  int least = (int)p->substeps, most = p->maxsubsteps > p->substeps ? (int)p->maxsubsteps : least;
  RvResult result = rv_liquidsolve_open(s, error);
  if (!result && (l->particles.count || s->flows.any))
    result = rv_liquid_advance(l, s->cook->dt * s->units.rate, least, most, &hooks, error);
  return result ? result : rv_liquidsolve_close(s, error);
}

static RvResult begin_flows(RvLiquidSolve* s, RvError* error) {
  const RvLiquidParms* p = s->cook->parms;
  s->separation = s->globals.dx / p->gridscale;
  s->flows.killing = p->killbox;
  memcpy(s->flows.kill[0], p->killmin, sizeof p->killmin);
  memcpy(s->flows.kill[1], p->killmax, sizeof p->killmax);
  RvResult result = rv_liquid_flows_begin(s, error);
  s->liquid.model.resample.material = materials_of(s->flows.rows ? s->flows.rows : s->cook->prev);
  return result;
}

static void add_to_ledger(RvLiquidSolve* s) {
  const RvLiquidReport* r = &s->liquid.report;
  s->globals.next_id = s->liquid.next_id;
  s->globals.killed += r->lost.volume + r->resampled.dropped_volume + s->flows.flow.killed;
  s->globals.sources += s->flows.flow.sources;
  s->globals.outflow += s->flows.flow.outflow;
}

RvResult rv_liquidsolve_begin(RvLiquidSolve* s, RvError* error) {
  RvCook* cook = s->cook;
  RvLiquidFaults faults = {0};
  s->units = units_of(cook);
  s->walls = walls_of(cook->parms);
  const double* ledger = rv_detail_f64(cook->prev, RV_GLOBAL, "rv_ledger", 6);
  RvLiquidModel model = model_of(cook->parms, ledger[0]);
  if (!rv_liquid_init(&s->liquid, &model)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_liquid_load(cook->prev, &s->units, &s->globals, &s->liquid.particles, &faults, error);
  if (!result) result = begin_flows(s, error);
  if (result) return result;
  tell_faults(cook, &faults);
  s->globals.killed += faults.lost_volume;
  s->liquid.next_id = s->globals.next_id;
  return RV_OK;
}

RvResult rv_liquidsolve_save(RvLiquidSolve* s, RvDetail** out, RvError* error) {
  add_to_ledger(s);
  RvDetail* made = NULL;
  const RvDetail* rows = s->flows.rows ? s->flows.rows : s->cook->prev;
  RvResult result = rv_liquid_save(&s->liquid.particles, &s->units, &s->globals, rows, &made, error);
  if (!result) result = rv_liquid_flows_save(s, made, error);
  if (result)
    rv_detail_free(made);
  else
    *out = made;
  return result;
}

void rv_liquidsolve_end(RvLiquidSolve* s) {
  rv_liquid_solids_end(s);
  rv_liquid_flows_end(s);
  rv_liquid_free(&s->liquid);
}
