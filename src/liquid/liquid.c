#include "liquid/liquid.h"

#include <math.h>

#include "base/parallel.h"
#include "base/timer.h"
#include "liquid/mixture_grid.h"
#include "liquid/straight.h"
#include "liquid/tension.h"

const char* const rv_liquid_stage_names[RV_LIQUID_STAGE_COUNT + 1] = {
#define NAME(name) #name,
    RV_LIQUID_STAGES(NAME)
#undef NAME
        NULL};

RvLiquidModel rv_liquid_model_default(double dx) {
  return (RvLiquidModel){.dx = dx,
                         .density = 1000,
                         .law.index = 1,
                         .gravity = {0, -9.81, 0},
                         .cfl = 2,
                         .drift_every = 4,
                         .drift_time = 0.1,
                         .margin = 0.1,
                         .resample = rv_liquid_resample_default(dx),
                         .resample_every = 4};
}

bool rv_liquid_init(RvLiquid* l, const RvLiquidModel* model) {
  *l = (RvLiquid){.model = *model, .pressure = rv_liquid_pressure_new()};
  l->grid.dx = model->dx;
  for (int a = 0; a < 3; ++a) l->grid.origin[a] = model->origin[a];
  l->grid.most_tiles = model->most_tiles;
  return l->pressure != NULL;
}

void rv_liquid_free(RvLiquid* l) {
  rv_liquid_particles_free(&l->particles);
  rv_liquid_grid_free(&l->grid);
  rv_liquid_solids_free(&l->solids);
  rv_liquid_scatter_free(&l->scatter);
  rv_channel_free(&l->increment);
  rv_liquid_pressure_free(l->pressure);
  rv_liquid_viscosity_free(l->viscosity);
  rv_liquid_shear_free(l->shear);
  rv_liquid_wall_drops_free(&l->drops);
  rv_liquid_stokes_free(l->stokes);
  *l = (RvLiquid){0};
}

void rv_liquid_set_scratch(RvLiquid* l, RvArena* scratch) {
  RvLiquidGrid* g = &l->grid;
  if (g->scratch == scratch) return;
  rv_liquid_grid_end(g);
  rv_liquid_particles_set_scratch(&l->particles, scratch);
  // what it has of its own is not needed, or grows again
  rv_liquid_scatter_free(&l->scatter);
  if (scratch) {
    RvChannel* axes[] = {g->velocity, g->valid, g->room, g->share, g->fibre, g->drag, g->drag_target, g->shift};
    for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
      for (int a = 0; a < 3; ++a) rv_channel_free(&axes[k][a]);
    rv_channel_free(&g->surface);
    rv_channel_free(&g->divergence);
    rv_channel_free(&g->straight);
    rv_channel_free(&g->shift_pressure);
    rv_channel_free(&g->pressure_before);
  }
  l->scatter.scratch = g->scratch = scratch;
  if (l->pressure) rv_liquid_pressure_set_scratch(l->pressure, scratch);
}

size_t rv_liquid_grid_memory(const RvLiquid* l) {
  return rv_liquid_grid_bytes(&l->grid) + rv_liquid_pressure_bytes(l->pressure) + rv_liquid_shear_bytes(l->shear) +
         rv_liquid_stokes_bytes(l->stokes) + l->scatter.room_capacity * RV_SCATTER_FLOATS * sizeof(float) +
         l->solids.distance.capacity * RV_TILE_CELLS * 8 * sizeof(float) + rv_tiles_bytes(&l->particles.homes) +
         l->particles.first_capacity * sizeof(uint32_t);
}

//---------------------------------------------------------------------------------------------- small stages

typedef struct Range {
  RvLiquid* l;
  double dt;
} Range;

static void add_gravity(void* arg, size_t begin, size_t end) {
  const Range* r = arg;
  const RvLiquidGrid* g = &r->l->grid;
  for (int a = 0; a < 3; ++a) {
    float gain = (float)(r->l->model.gravity[a] * r->dt), *u = g->velocity[a].data;
    const float* mass = g->mass[a].data;
    for (size_t i = begin * RV_TILE_CELLS; gain != 0 && i < end * RV_TILE_CELLS; ++i)
      if (mass[i] > 0) u[i] += gain;
  }
}

static void add_age(void* arg, size_t begin, size_t end) {
  const Range* r = arg;
  for (size_t i = begin; i < end; ++i) r->l->particles.age[i] += (float)r->dt;
}

// Pressure of the tension at the surface, if there is any.
static RvResult find_tension(RvLiquid* l, RvError* error) {
  if (!(l->model.tension > 0)) return RV_OK;
  if (!rv_liquid_grid_fit(&l->grid, &l->grid.surface, l->grid.tiles.count))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the tension of %zu tiles", l->grid.tiles.count);
  const RvLiquidModel* m = &l->model;
  rv_liquid_tension_surface(&l->grid.tiles, l->grid.distance.data, l->grid.dx, m->tension, l->grid.surface.data);
  if (m->materials && rv_liquid_mixture_tense(m->materials))
    rv_liquid_mixture_tension(&l->grid, m->materials, l->shear->part, m->tension);
  return RV_OK;
}

static RvResult project(RvLiquid* l, double dt, RvPressureOptions options, RvError* error) {
  bool any = l->solids.any;
  RvPressureIn in = rv_liquid_pressure_of_grid(&l->grid, any ? &l->solids : NULL, l->model.density, dt);
  in.warm = l->steps > 0;
  RvResult tension = find_tension(l, error);
  if (tension) return tension;
  if (l->model.tension > 0) in.surface = l->grid.surface.data;
  return rv_liquid_pressure_solve(l->pressure, &in, &options, &l->report.pressure, error);
}

static void add_pressure(void* arg, size_t begin, size_t end) {
  const Range* r = arg;
  float* sum = r->l->grid.pressure.data;
  const float* more = r->l->increment.data;
  for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i) sum[i] += more[i];
}

// what viscosity left to do, beside the pressure that was there before it
static RvResult project_again(RvLiquid* l, double dt, RvError* error) {
  RvPressureIn in = rv_liquid_pressure_of_grid(&l->grid, l->solids.any ? &l->solids : NULL, l->model.density, dt);
  in.pressure = l->increment.data;
  in.drag_done = true;
  // the bound of the divergence is absolute
  RvPressureOptions options = {.tolerance = 1e-3};
  RvResult result = rv_liquid_pressure_solve(l->pressure, &in, &options, &l->report.pressure, error);
  if (!result) rv_parallel_for(l->grid.tiles.count, 16, add_pressure, &(Range){l, dt});
  return result;
}

// Whether pressure and shear are solved together.
static bool is_together(const RvLiquid* l) {
  return l->model.viscosity > 0 && !l->model.split;
}

static RvResult solve_pressure(RvLiquid* l, double dt, RvError* error) {
  if (is_together(l)) return RV_OK;
  RvPressureOptions options = {.tolerance = l->model.tolerance};
  RvResult result = l->model.viscosity > 0 ? project_again(l, dt, error) : project(l, dt, options, error);
  if (l->report.pressure.iterations > l->report.iterations) l->report.iterations = l->report.pressure.iterations;
  l->report.unconverged += !result && !l->report.pressure.converged;
  return result;
}

// Whether the liquid is more than one plain viscosity.
static bool has_law(const RvLiquid* l) {
  return l->model.materials || rv_liquid_shear_needed(&l->model.law);
}

static RvViscosityIn viscosity_in(RvLiquid* l, double dt) {
  const RvLiquidModel* m = &l->model;
  RvViscosityIn in =
      rv_liquid_viscosity_of_grid(&l->grid, l->solids.any ? &l->solids : NULL, m->density, m->viscosity, dt);
  in.stick = m->stick;
  return in;
}

// Pressure and shear together (stokes.h).
static RvResult balance(RvLiquid* l, double dt, RvError* error) {
  if (!l->stokes && !(l->stokes = rv_liquid_stokes_new()))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the shear");
  RvResult result = find_tension(l, error);
  if (result) return result;
  RvStokesIn in = {.grid = &l->grid,
                   .solids = l->solids.any ? &l->solids : NULL,
                   .pressure = l->pressure,
                   .viscosity = l->viscosity,
                   .shear = has_law(l) ? l->shear : NULL,
                   .of_viscosity = viscosity_in(l, dt),
                   .tension = l->model.tension,
                   .dt = dt,
                   .warm = l->steps > 0};
  RvStokesReport report;
  result = rv_liquid_stokes_solve(l->stokes, &in, &report, error);
  l->report.pressure = report.pressure;
  l->report.outer = report.outer > l->report.outer ? report.outer : l->report.outer;
  l->report.unbalanced = fmax(l->report.unbalanced, report.residual);
  l->report.unconverged += !result && !report.converged;
  return result;
}

static RvResult thicken(RvLiquid* l, double dt, RvError* error) {
  const RvLiquidModel* m = &l->model;
  if (!(m->viscosity > 0)) return RV_OK;
  if (!l->viscosity && !(l->viscosity = rv_liquid_viscosity_new()))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the viscosity");
  if (is_together(l)) return balance(l, dt, error);
  // Forces that pressure will meet must not reach it: the liquid at a wall that it sticks to would feel less of its
  // weight than the rest, and rise.
  if (!rv_channel_fit(&l->increment, l->grid.tiles.count))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the pressure of %zu tiles", l->grid.tiles.count);
  RvResult before = project(l, dt, (RvPressureOptions){.tolerance = 1e-4, .divergence = -1}, error);
  if (before) return before;
  RvViscosityIn in = viscosity_in(l, dt);
  RvViscosityReport report;
  int outer = 0;
  rv_liquid_turn(&l->grid, -1);
  RvResult result = has_law(l) ? rv_liquid_shear_solve(l->shear, l->viscosity, in, dt, &report, &outer, error)
                               : rv_liquid_viscosity_solve(l->viscosity, &in, 0, 0, &report, error);
  l->report.outer = outer > l->report.outer ? outer : l->report.outer;
  if (!result) rv_liquid_turn(&l->grid, 1);
  l->report.unconverged += !result && !report.converged;
  return result;
}

static RvResult sort(RvLiquid* l, RvError* error) {
  return rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
}

// The law of the substep, and strains of the particles where it has a shear modulus.
static RvResult prepare_shear(RvLiquid* l, RvError* error) {
  const RvRheology* law = &l->model.law;
  if (!(law->modulus > 0) && l->particles.strained) rv_liquid_particles_unstrain(&l->particles);
  if (!has_law(l)) return RV_OK;
  if (!l->shear && !(l->shear = rv_liquid_shear_new())) return rv_fail(error, RV_NO_MEMORY, "no memory for the shear");
  RvResult result = rv_liquid_shear_set_law(l->shear, law, l->model.materials, error);
  return result || !(law->modulus > 0) ? result : rv_liquid_particles_strain(&l->particles, error);
}

static RvResult resample(RvLiquid* l, RvError* error) {
  // by the cells of the last sort, before the next: who shared a cell is still near
  if (l->model.resample_every <= 0 || l->steps % l->model.resample_every || !l->particles.sorted) return RV_OK;
  RvResampled done = {0}, *sum = &l->report.resampled;
  RvResult result = rv_liquid_resample(&l->particles, &l->model.resample, &l->next_id, &done, error);
  sum->merged += done.merged;
  sum->split += done.split;
  sum->dropped += done.dropped;
  sum->dropped_volume += done.dropped_volume;
  return result;
}

// Sinks take, sources give. Particles are sorted again if any came or went, also by exchange with a film; one that only
// gave a part of its volume stays where it is.
static RvResult flow(RvLiquid* l, double dt, RvError* error) {
  const RvLiquidFlow* sum = l->inputs.flows ? &l->inputs.flows->flow : NULL;
  size_t removed = sum ? sum->removed : 0, born = sum ? sum->born : 0;
  RvResult result = rv_liquid_take(l, error);
  // the length of the substep by the liquid's clock
  if (!result) result = rv_liquid_give(l, l->time + dt - l->time, error);
  bool changed = l->exchanged || (sum && (sum->removed > removed || sum->born > born));
  l->exchanged = false;
  return result || !changed || rv_liquid_particles_in_order(&l->particles) ? result : sort(l, error);
}

// Mass and momentum, and the stress of a liquid that yields.
static RvResult to_grid(RvLiquid* l, RvError* error) {
  const RvLiquidMaterials* materials = l->model.materials;
  const double density = l->model.density;
  RvResult result = materials && rv_liquid_mixture_weighed(materials)
                        ? rv_liquid_mixture_to_grid(&l->grid, &l->scatter, &l->particles, materials, density, error)
                        : rv_liquid_to_grid(&l->grid, &l->scatter, &l->particles, density, NULL, error);
  if (result || !has_law(l)) return result;
  return rv_liquid_shear_gather(l->shear, &l->grid, &l->scatter, &l->particles, error);
}

static RvResult find_solids(RvLiquid* l, RvError* error) {
  const RvLiquidInputs* in = &l->inputs;
  bool fine = true;
  l->solids.any = false;
  if (in->solid)
    fine = rv_liquid_solids_from_fn(&l->solids, &l->grid, in->solid, in->solid_user);
  else if (in->nsolid || (in->walls && in->walls->count))
    fine = rv_liquid_solids_from_grids(&l->solids, &l->grid, in->solids, in->nsolid, in->walls);
  if (fine) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu tiles of liquid", l->grid.tiles.count);
}

static RvResult add_forces(RvLiquid* l, double dt, RvError* error) {
  if (!rv_liquid_grid_begin(&l->grid))
    return rv_fail(error, RV_NO_MEMORY, "no memory for a liquid of %zu tiles; use larger cells", l->grid.tiles.count);
  if (l->grid.weighed) rv_liquid_mixture_complete(&l->grid, l->model.materials, l->shear->part, l->model.density);
  rv_liquid_grid_velocity(&l->grid);
  rv_parallel_for(l->grid.tiles.count, 16, add_gravity, &(Range){l, dt});
  rv_liquid_mark_valid(&l->grid);
  return rv_liquid_go_straight(&l->grid, l->solids.any ? &l->solids : NULL, dt, l->model.viscosity > 0, error);
}

static RvResult keep_volume(RvLiquid* l, double dt, RvError* error) {
  if (l->model.drift_every <= 0 || !(l->model.drift_time > 0) || l->steps % l->model.drift_every) return RV_OK;
  double relax = fmin(dt * l->model.drift_every / l->model.drift_time, 0.5);
  const float* flow_share = is_together(l) && l->model.law.modulus > 0 ? rv_liquid_shear_flows(l->shear) : NULL;
  return rv_liquid_drift(&l->grid, l->solids.any ? &l->solids : NULL, l->pressure, relax, flow_share, error);
}

static RvResult extrapolate(RvLiquid* l) {
  l->grid.coherent = l->model.law.yield > 0;
  rv_liquid_extrapolate(&l->grid, &l->solids);
  return RV_OK;
}

// Drops on solids in this substep.
static bool has_wall_drops(const RvLiquid* l) {
  return l->model.sessile.tension > 0 && l->solids.any;
}

static RvWallDropsIn wall_drops_in(RvLiquid* l, double dt) {
  const RvLiquidModel* m = &l->model;
  return (RvWallDropsIn){
      &m->sessile, &l->grid, &l->solids, &l->scatter, &l->particles, m->density, rv_vec3_load64(m->gravity),
      m->margin,   dt};
}

static RvResult no_memory_for_drops(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "no memory for the drops on solids");
}

static RvResult from_grid(RvLiquid* l, double dt, RvError* error) {
  RvWallDropsIn drops = wall_drops_in(l, dt);
  if (has_wall_drops(l) && !rv_liquid_wall_drops_find(&l->drops, &drops)) return no_memory_for_drops(error);
  if (l->solids.any && !rv_liquid_remember_places(&l->particles))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the places of %zu particles", l->particles.count);
  if (has_law(l)) {
    RvViscosityIn in = viscosity_in(l, dt);
    RvResult result = rv_liquid_shear_advance(l->shear, in, &l->scatter, &l->particles, dt, error);
    if (result) return result;
  }
  rv_liquid_from_grid(&l->grid, &l->scatter, &l->particles, dt);
  rv_parallel_for(l->particles.count, 8192, add_age, &(Range){l, dt});
  return RV_OK;
}

static RvResult collide(RvLiquid* l, double dt, RvError* error) {
  RvWallDropsIn drops = wall_drops_in(l, dt);
  if (has_wall_drops(l) && !rv_liquid_wall_drops_move(&l->drops, &drops)) return no_memory_for_drops(error);
  RvCollide how = {l->model.margin, dt, l->model.speed};
  RvCollided done = rv_liquid_collide(&l->grid, &l->solids, &l->scatter, &l->particles, &how);
  l->report.collided += done.moved;
  l->report.caught = done.caught;
  l->report.inside = done.inside;
  return has_wall_drops(l) ? rv_liquid_wall_drops_leave(&l->drops, &l->particles, &l->next_id, error) : RV_OK;
}

//---------------------------------------------------------------------------------------------- the method

// runs a stage unless one failed or the host wants to stop, and adds its time
#define STAGE(name, call)                                                          \
  if (!result) {                                                                   \
    double start = rv_clock_wall();                                                \
    result = (call);                                                               \
    l->report.seconds[RV_LIQUID_STAGE_##name] += rv_clock_wall() - start;          \
    if (!result && l->cancelled && l->cancelled(l->cancel_user, l->time, #name))   \
      result = rv_fail(error, RV_CANCELLED, "interrupted in the stage %s", #name); \
  }

RvResult rv_liquid_arrange(RvLiquid* l, RvError* error) {
  RvResult result = prepare_shear(l, error);
  STAGE(resample, resample(l, error))
  STAGE(sort, sort(l, error))
  return result;
}

RvResult rv_liquid_gather(RvLiquid* l, double dt, RvError* error) {
  RvResult result = RV_OK;
  STAGE(sources, flow(l, dt, error))
  STAGE(grid, rv_liquid_grid_build(&l->grid, &l->particles, error))
  STAGE(togrid, to_grid(l, error))
  STAGE(solids, find_solids(l, error))
  STAGE(surface, rv_liquid_surface(&l->grid, &l->solids, &l->particles, &l->scatter, error))
  return result;
}

RvResult rv_liquid_project(RvLiquid* l, double dt, RvError* error) {
  RvResult result = RV_OK;
  STAGE(forces, add_forces(l, dt, error))
  STAGE(viscosity, thicken(l, dt, error))
  STAGE(volume, keep_volume(l, dt, error))
  STAGE(pressure, solve_pressure(l, dt, error))
  return result;
}

RvResult rv_liquid_move(RvLiquid* l, double dt, RvError* error) {
  RvResult result = RV_OK;
  STAGE(extrapolate, extrapolate(l))
  STAGE(fromgrid, from_grid(l, dt, error))
  STAGE(collide, collide(l, dt, error))
  rv_liquid_grid_end(&l->grid);
  if (l->particles.scratch) l->particles.room = l->particles.spare = NULL;
  l->time += dt;
  l->steps++;
  l->report.substeps++;
  return result;
}

RvResult rv_liquid_substep(RvLiquid* l, double dt, RvError* error) {
  RvResult result = rv_liquid_arrange(l, error);
  if (!result) result = rv_liquid_gather(l, dt, error);
  if (!result) result = rv_liquid_project(l, dt, error);
  return result ? result : rv_liquid_move(l, dt, error);
}

// The longest substep for shear waves, s.
static double longest_for_shear(const RvLiquidModel* m) {
  double reach = RV_LIQUID_SHEAR_CELLS * m->dx;
  if (m->materials) return reach / rv_liquid_mixture_wave(m->materials);
  return m->law.modulus > 0 ? reach * sqrt(m->density / m->law.modulus) : (double)INFINITY;
}

double rv_liquid_longest(const RvLiquid* l) {
  const RvLiquidModel* m = &l->model;
  double speed = fmax(rv_liquid_speed(&l->particles), m->speed), g = 0, reach = fmin(m->cfl, 3) * m->dx;
  for (int a = 0; a < 3; ++a) g = fmax(g, fabs(m->gravity[a]));
  // (speed + g dt) dt = reach
  double longest = 2 * reach / (speed + sqrt(speed * speed + 4 * g * reach) + 1e-300);
  longest = fmin(longest, longest_for_shear(m));
  if (m->materials && m->tension > 0)
    return fmin(longest, rv_liquid_tension_step(rv_liquid_mixture_ripple(m->materials), m->dx, 1));
  return fmin(longest, rv_liquid_tension_step(m->density, m->dx, m->tension));
}

// Part of a substep by which rounding may make it longer.
static const double STEP_ROUNDING = 1e-9;

double rv_liquid_next(RvLiquid* l, double* left, int taken, int least, int most) {
  double longest = rv_liquid_longest(l), wanted = ceil(*left / longest - STEP_ROUNDING);
  int over = most - taken > 1 ? most - taken : 1, under = least - taken > 1 ? least - taken : 1;
  int count = wanted >= over ? over : wanted <= under ? under : (int)wanted;
  double step = count == 1 ? *left : *left / count;
  // three cells are what a particle can go at most
  l->report.hurried += step > longest * 3 / l->model.cfl;
  l->report.shear_hurried += step > longest_for_shear(&l->model) * (1 + STEP_ROUNDING);
  *left = count == 1 ? 0 : *left - step;
  return step;
}

RvResult rv_liquid_advance(RvLiquid* l, double dt, int least, int most, RvError* error) {
  double left = dt;
  l->steps = 0;
  for (int taken = 0; left > 0; ++taken) {
    double step = rv_liquid_next(l, &left, taken, least, most);
    RvResult result = rv_liquid_substep(l, step, error);
    if (result) return result;
  }
  return RV_OK;
}
