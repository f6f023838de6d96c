// Shear of a liquid that yields (shear.h): particles to cells, the share of flow in cells, outer iterations, particles.
#include "liquid/shear.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/viscosity_work.h"
#include "math/scalar.h"

enum { TILE_GRAIN = 4 };  // tiles a task
// Values of a node of a room: weight, and weight times stress or the weights of the materials.
enum { MOST_VALUES = 1 + RV_LIQUID_MOST_MATERIALS };
enum { MOST_ROOM = MOST_VALUES * RV_HALO1_CELLS };
enum { MOST_OUTER = 12 };  // outer iterations
// 1/s: below this rate a liquid without a shear modulus has the viscosity that it has at it, so that a liquid at rest
// that thins does not have an infinite one.
static const double LEAST_RATE = 1e-3;
// Pa s: of a material without any in a cell of several, as water beside cream.
static const double LEAST_VISCOSITY = 1e-6;
static const double SOLVE_TOLERANCE = 1e-6;  // of each viscosity solve

bool rv_liquid_shear_needed(const RvRheology* law) {
  return law->modulus > 0 || (law->consistency > 0 && law->index != 1);
}

RvShear* rv_liquid_shear_new(void) {
  RvShear* s = rv_alloc_zero(1, sizeof *s);
  if (s) s->table = rv_alloc_zero(1, sizeof *s->table);
  if (s && s->table) return s;
  rv_free(s);
  return NULL;
}

void rv_liquid_shear_free(RvShear* s) {
  if (!s) return;
  for (int k = 0; k < RV_STRAINS; ++k) rv_channel_free(&s->stress[k]);
  for (int a = 0; a < 3; ++a) rv_channel_free(&s->before[a]);
  for (int k = 0; k < 9; ++k) rv_channel_free(&s->gradient[k]);
  for (int k = 0; k < RV_LIQUID_MOST_MATERIALS; ++k) rv_channel_free(&s->part[k]);
  rv_channel_free(&s->flows);
  rv_channel_free(&s->share);
  rv_free(s->tables);
  rv_free(s->change);
  rv_free(s->table);
  rv_free(s);
}

size_t rv_liquid_shear_bytes(const RvShear* s) {
  if (!s) return 0;
  size_t tiles =
      s->share.capacity + 3 * s->before[0].capacity + 9 * s->gradient[0].capacity + RV_STRAINS * s->stress[0].capacity;
  tiles += s->flows.capacity;
  for (int k = 0; k < RV_LIQUID_MOST_MATERIALS; ++k) tiles += s->part[k].capacity;
  size_t tables = s->tables ? RV_LIQUID_MOST_MATERIALS * sizeof *s->tables : 0;
  return tiles * RV_TILE_CELLS * sizeof(float) + sizeof *s->table + tables;
}

const float* rv_liquid_shear_flows(const RvShear* s) {
  return s->mixed ? s->flows.data : s->share.data;
}

// The laws of several materials and their tables.
static RvResult set_laws(RvShear* s, const RvLiquidMaterials* mixed, RvError* error) {
  if (!s->tables && !(s->tables = rv_alloc_zero(RV_LIQUID_MOST_MATERIALS, sizeof *s->tables)))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the laws of %d materials", mixed->count);
  RvResult result = RV_OK;
  for (int k = 0; k < mixed->count && !result; ++k) {
    result = rv_liquid_rheology_check(&mixed->law[k], error);
    if (!result && s->tables[k].index != mixed->law[k].index)
      rv_liquid_flow_table_make(&s->tables[k], mixed->law[k].index);
  }
  s->law = rv_liquid_mixture_bounds(mixed);
  return result;
}

RvResult rv_liquid_shear_set_law(RvShear* s, const RvRheology* law, const RvLiquidMaterials* mixed, RvError* error) {
  s->mixed = mixed;
  if (mixed) return set_laws(s, mixed, error);
  RvResult result = rv_liquid_rheology_check(law, error);
  if (result) return result;
  s->law = *law;
  if (s->table->index != law->index) rv_liquid_flow_table_make(s->table, law->index);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- particles to cells

typedef struct Gather {
  const RvShear* shear;
  const RvLiquidGrid* grid;
  const RvScatter* scatter;
  const RvParticles* p;
  float* room;    // `values` at each node, a room for each tile of particles
  int values;     // 1 + those of the particles
  RvChannel* to;  // [values - 1] means in the cells
  void (*read)(const RvShear* shear, const RvParticles* p, size_t i, double* value);
} Gather;

// The cell below a particle, counted by centres, and the part of the way to the next centre along each axis.
static void find_spot(const RvParticles* p, size_t i, int node[3], double part[3]) {
  for (int a = 0; a < 3; ++a) {
    int up = (int)(p->x[a][i] + 0.5f);
    node[a] = up - 1;
    part[a] = (double)(p->x[a][i] - (float)up) + 0.5;
  }
}

// Deviator of the stress of a particle.
static void read_stress(const RvShear* s, const RvParticles* p, size_t i, double* stress) {
  double modulus = s->mixed ? s->mixed->law[rv_liquid_material_of(s->mixed, p->row[i])].modulus : s->law.modulus;
  for (int k = 0; k < RV_STRAINS; ++k) stress[k] = (double)p->strain[k][i];
  double mean = (stress[0] + stress[1] + stress[2]) / 3;
  for (int k = 0; k < RV_STRAINS; ++k) stress[k] = modulus * (k < 3 ? stress[k] - mean : stress[k]);
}

// 1 for the material of a particle.
static void read_material(const RvShear* s, const RvParticles* p, size_t i, double* value) {
  for (int k = 0; k < s->mixed->count; ++k) value[k] = 0;
  value[rv_liquid_material_of(s->mixed, p->row[i])] = 1;
}

// Adds a particle to the eight cells around it.
static void add_particle(const Gather* g, size_t i, double* room) {
  const RvParticles* p = g->p;
  int node[3];
  double part[3], value[MOST_VALUES];
  find_spot(p, i, node, part);
  g->read(g->shear, p, i, value);
  for (int corner = 0; corner < 8; ++corner) {
    int d[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    double weight = p->volume[i];
    for (int a = 0; a < 3; ++a) weight *= d[a] ? part[a] : 1 - part[a];
    double* to = room + g->values * rv_halo1_at(node[0] + d[0], node[1] + d[1], node[2] + d[2]);
    to[0] += weight;
    for (int k = 1; k < g->values; ++k) to[k] += weight * value[k - 1];
  }
}

// Adds the particles of each tile up in its room.
static void scatter_tiles(void* arg, size_t begin, size_t end) {
  const Gather* g = arg;
  // volumes in units of the cell, as floats store them
  double room[MOST_ROOM], unit = 1 / (g->grid->dx * g->grid->dx * g->grid->dx);
  const int size = g->values * RV_HALO1_CELLS;
  for (size_t home = begin; home < end; ++home) {
    memset(room, 0, (size_t)size * sizeof *room);
    size_t last = g->p->cell_first[(home + 1) * RV_TILE_CELLS];
    for (size_t i = g->p->cell_first[home * RV_TILE_CELLS]; i < last; ++i) add_particle(g, i, room);
    float* out = g->room + home * (size_t)size;
    for (int k = 0; k < size; ++k) out[k] = (float)(room[k] * unit);
  }
}

// The means of the cells of a tile: the rooms of the 27 tiles around, in a fixed order.
static void combine_tile(const Gather* g, size_t t) {
  double sum[RV_TILE_CELLS][MOST_VALUES];
  const int values = g->values;
  memset(sum, 0, sizeof sum);
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    int32_t near = g->grid->tiles.near[t][n], home = near < 0 ? -1 : g->scatter->home_of[near];
    if (home < 0) continue;
    // cells lo..hi of the tile that the room reaches, and where they are in it
    int d[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, lo[3], hi[3];
    for (int a = 0; a < 3; ++a) {
      lo[a] = d[a] > 0 ? 7 : 0;
      hi[a] = d[a] < 0 ? 0 : 7;
    }
    const float* room = g->room + (size_t)home * (size_t)(values * RV_HALO1_CELLS);
    for (int z = lo[2]; z <= hi[2]; ++z)
      for (int y = lo[1]; y <= hi[1]; ++y)
        for (int x = lo[0]; x <= hi[0]; ++x) {
          const float* from = room + values * rv_halo1_at(x - 8 * d[0], y - 8 * d[1], z - 8 * d[2]);
          double* to = sum[rv_tile_cell(x, y, z)];
          for (int k = 0; k < values; ++k) to[k] += (double)from[k];
        }
  }
  for (int c = 0; c < RV_TILE_CELLS; ++c)
    for (int k = 0; k + 1 < values; ++k)
      g->to[k].data[t * RV_TILE_CELLS + (size_t)c] = sum[c][0] > 0 ? (float)(sum[c][1 + k] / sum[c][0]) : 0;
}

static void combine_tiles(void* arg, size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) combine_tile(arg, t);
}

// Means of the particles' values in the cells. False: no memory.
static bool gather(Gather g) {
  size_t tiles = g.grid->tiles.count;
  g.room = rv_alloc(g.p->homes.count * (size_t)(g.values * RV_HALO1_CELLS), sizeof(float));
  bool made = g.room != NULL;
  for (int k = 0; k + 1 < g.values; ++k) made = made && rv_channel_fit(&g.to[k], tiles);
  if (made) {
    rv_parallel_for(g.p->homes.count, 1, scatter_tiles, &g);
    rv_parallel_for(tiles, TILE_GRAIN, combine_tiles, &g);
  }
  rv_free(g.room);
  return made;
}

// The law of a cell of several materials; its shares sum to 1 where there is liquid.
static RvRheology law_at(const RvShear* s, size_t at, int* pure) {
  double part[RV_LIQUID_MOST_MATERIALS];
  for (int k = 0; k < s->mixed->count; ++k) part[k] = (double)s->part[k].data[at];
  *pure = rv_liquid_mixture_pure(s->mixed->count, part);
  return *pure < 0 ? rv_liquid_mixture_law(s->mixed, part) : s->mixed->law[*pure];
}

// The history in units of the cell's own modulus over the largest: the solve multiplies it with both.
static void scale_history(void* arg, size_t begin, size_t end) {
  const RvShear* s = arg;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
    int pure;
    double modulus = law_at(s, at, &pure).modulus, scale = modulus > 0 ? s->law.modulus / modulus : 0;
    for (int k = 0; k < RV_STRAINS; ++k) s->stress[k].data[at] = (float)(scale * (double)s->stress[k].data[at]);
  }
}

RvResult rv_liquid_shear_gather(RvShear* s, const RvLiquidGrid* grid, const RvScatter* scatter, const RvParticles* p,
                                RvError* error) {
  const bool elastic = s->law.modulus > 0;
  Gather g = {s, grid, scatter, p, .values = 1 + RV_STRAINS, .to = s->stress, .read = read_stress};
  bool made = !elastic || gather(g);
  if (s->mixed && made) {
    g.values = 1 + s->mixed->count;
    g.to = s->part;
    g.read = read_material;
    made = gather(g);
    if (made && elastic) rv_parallel_for(grid->tiles.count, TILE_GRAIN, scale_history, s);
  }
  if (made) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY, "no memory for the stress of %zu tiles of liquid; use a larger particlesep",
                 grid->tiles.count);
}

//---------------------------------------------------------------------------------------------- share of the flow

typedef struct Flow {
  const RvShear* shear;
  const RvViscosityIn* in;
  RvPlasticStep step;
  RvPlasticStep laws[RV_LIQUID_MOST_MATERIALS];  // of several materials
  double dt;
  double taken;    // part of a new share that is taken, in logarithms
  double* change;  // of each tile, the largest
} Flow;

// Velocities of a tile with its halo, and what its faces are.
typedef struct Field {
  RvViscosityBlock block;
  float u[3][RV_HALO1_CELLS], solid[3][RV_HALO1_CELLS];
  double dx;
  bool stick;
} Field;

static void read_field(const RvViscosityIn* in, size_t t, Field* f) {
  rv_liquid_viscosity_read_block(in, t, &f->block);
  f->dx = in->dx;
  f->stick = in->stick;
  for (int a = 0; a < 3; ++a) {
    rv_channel_gather1(in->tiles, in->velocity[a], t, 0, f->u[a]);
    if (in->solid[a])
      rv_channel_gather1(in->tiles, in->solid[a], t, 0, f->solid[a]);
    else
      memset(f->solid[a], 0, sizeof f->solid[a]);
  }
}

static const int steps[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE* RV_HALO1_SIDE};

static bool is_liquid(const Field* f, int a, int at) {
  return f->block.kind[a][at] == RV_FACE_FREE && f->block.mass[a][at] > 0;
}

static bool is_wall(const Field* f, int a, int at) {
  return f->block.kind[a][at] == RV_FACE_PRESCRIBED;
}

// Whether a cell holds liquid and has a face that moves.
static bool has_liquid(const Field* f, int at) {
  bool moves = false;
  for (int a = 0; a < 3; ++a) moves = moves || is_liquid(f, a, at) || is_liquid(f, a, at + steps[a]);
  return moves && f->block.part[at] > 0;
}

// Slope of component a across the face `at`, along another axis. To a wall that the liquid sticks to there is half a
// cell: the parabola through the wall and two faces. Into air the slope is one-sided.
static double slope_at(const Field* f, int a, int at, int along) {
  int low = at - along, high = at + along;
  bool low_wall = is_wall(f, a, low), high_wall = is_wall(f, a, high);
  double u = (double)f->u[a][at], below = (double)f->u[a][low], above = (double)f->u[a][high];
  double wall_below = (double)f->solid[a][low], wall_above = (double)f->solid[a][high];
  bool low_wet = is_liquid(f, a, low), high_wet = is_liquid(f, a, high);
  if (low_wet && high_wet) return (above - below) / (2 * f->dx);
  if (low_wall && high_wall) return f->stick ? (wall_above - wall_below) / f->dx : 0;
  if (low_wall && high_wet) return (f->stick ? u + above / 3 - 4 * wall_below / 3 : 0.5 * (above - u)) / f->dx;
  if (high_wall && low_wet) return (f->stick ? 4 * wall_above / 3 - u - below / 3 : 0.5 * (u - below)) / f->dx;
  if (low_wall) return f->stick ? 2 * (u - wall_below) / f->dx : 0;
  if (high_wall) return f->stick ? 2 * (wall_above - u) / f->dx : 0;
  if (high_wet) return (above - u) / f->dx;
  return low_wet ? (u - below) / f->dx : 0;
}

// Velocity gradient at the centre of a cell: gradient[3 a + b] is the change of component a along axis b.
static void gradient_at(const Field* f, int at, double gradient[9]) {
  for (int a = 0; a < 3; ++a) {
    int low = at, high = at + steps[a];
    bool low_wet = is_liquid(f, a, low), high_wet = is_liquid(f, a, high);
    double u[2] = {low_wet ? (double)f->u[a][low] : (double)f->solid[a][low],
                   high_wet ? (double)f->u[a][high] : (double)f->solid[a][high]};
    // a face in air has no velocity of its own
    bool known = (low_wet || is_wall(f, a, low)) && (high_wet || is_wall(f, a, high));
    gradient[4 * a] = known ? (u[1] - u[0]) / f->dx : 0;
    for (int b = 0; b < 3; ++b) {
      if (b == a) continue;
      double sum = low_wet ? slope_at(f, a, low, steps[b]) : 0;
      sum += high_wet ? slope_at(f, a, high, steps[b]) : 0;
      gradient[3 * a + b] = low_wet || high_wet ? sum / (low_wet + high_wet) : 0;
    }
  }
}

// Strain rate of a velocity gradient.
static void rate_of(const double gradient[9], double rate[RV_STRAINS]) {
  for (int a = 0; a < 3; ++a) rate[a] = gradient[4 * a];
  rate[RV_STRAIN_YZ] = 0.5 * (gradient[5] + gradient[7]);
  rate[RV_STRAIN_XZ] = 0.5 * (gradient[2] + gradient[6]);
  rate[RV_STRAIN_XY] = 0.5 * (gradient[1] + gradient[3]);
}

// A law's viscosity over its consistency at a strain rate.
static double thinning(const RvRheology* law, const double rate[RV_STRAINS]) {
  // rate of simple shear with the same norm, 2 |D|^2 = rate^2
  double simple = rv_max(sqrt(2) * rv_liquid_plastic_norm(rate), LEAST_RATE);
  return rv_pow(simple, law->index - 1);
}

// Factor of the viscosity in a cell of several materials.
static double mixed_share_at(const Flow* f, const double rate[RV_STRAINS], size_t at) {
  const RvShear* s = f->shear;
  int pure;
  RvRheology law = law_at(s, at, &pure);
  float* flows = &s->flows.data[at];
  *flows = 0;
  if (!(law.modulus > 0)) return rv_max(law.consistency * thinning(&law, rate), LEAST_VISCOSITY) / f->in->viscosity;
  double trial[RV_STRAINS], own = law.modulus / s->law.modulus;
  for (int k = 0; k < RV_STRAINS; ++k)
    trial[k] = own * (double)s->stress[k].data[at] + 2 * law.modulus * f->dt * rate[k];
  double size = rv_liquid_plastic_norm(trial);
  double share =
      pure < 0 ? rv_liquid_mixture_share(&law, f->dt, size) : rv_liquid_plastic_share(&f->laws[pure], size, 1, NULL);
  *flows = (float)share;
  return own * share;
}

// Factor of the viscosity in a cell.
static double share_at(const Flow* f, const double rate[RV_STRAINS], size_t at) {
  const RvRheology* law = &f->shear->law;
  if (f->shear->mixed) return mixed_share_at(f, rate, at);
  if (!(law->modulus > 0)) return thinning(law, rate);
  double trial[RV_STRAINS];
  for (int k = 0; k < RV_STRAINS; ++k)
    trial[k] = (double)f->shear->stress[k].data[at] + 2 * law->modulus * f->dt * rate[k];
  // a cell's mean strain is nearly of trace 3
  return rv_liquid_plastic_share(&f->step, rv_liquid_plastic_norm(trial), 1, NULL);
}

// The shares of a tile; cells without liquid have that of none.
static void share_tiles(void* arg, size_t begin, size_t end) {
  const Flow* f = arg;
  Field field;
  for (size_t t = begin; t < end; ++t) {
    read_field(f->in, t, &field);
    double change = 0;
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      int halo = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6);
      float* share = &f->shear->share.data[at];
      // A cell without liquid, also one within a solid, must not stiffen the edges that it shares.
      if (!has_liquid(&field, halo)) {
        *share = 0;
        if (f->shear->mixed) f->shear->flows.data[at] = 0;
        continue;
      }
      double gradient[9], rate[RV_STRAINS];
      gradient_at(&field, halo, gradient);
      rate_of(gradient, rate);
      double next = share_at(f, rate, at);
      change = rv_max(change, fabs(next - (double)*share) / next);
      if (f->taken < 1) next = rv_pow((double)*share, 1 - f->taken) * rv_pow(next, f->taken);
      *share = (float)next;
    }
    f->change[t] = change;
  }
}

//---------------------------------------------------------------------------------------------- outer iterations

// Room for the shares, their changes and the velocity before. False: out of memory.
static bool fit(RvShear* s, size_t tiles) {
  bool made = rv_channel_fit(&s->share, tiles) && (!s->mixed || rv_channel_fit(&s->flows, tiles));
  for (int a = 0; a < 3; ++a) made = made && rv_channel_fit(&s->before[a], tiles);
  if (!made || s->change_capacity >= tiles) return made;
  rv_free(s->change);
  s->change = rv_alloc_zero(tiles, sizeof(double));
  s->change_capacity = s->change ? tiles : 0;
  return s->change != NULL;
}

RvResult rv_liquid_shear_begin(RvShear* s, RvViscosityIn* in, double dt, RvError* error) {
  size_t tiles = in->tiles->count;
  bool elastic = s->law.modulus > 0;
  if (!fit(s, tiles))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the shear of %zu tiles of liquid; use a larger particlesep",
                   tiles);
  in->viscosity = elastic ? s->law.modulus * dt : s->law.consistency;
  in->field = s->share.data;
  for (int k = 0; k < RV_STRAINS && elastic; ++k) in->history[k] = s->stress[k].data;
  rv_channel_fill(s->share.data, tiles, 1);
  return RV_OK;
}

// The laws of several materials for steps of dt; those without a modulus have none.
static void set_laws_of(const RvShear* s, double dt, RvPlasticStep* laws) {
  for (int k = 0; k < s->mixed->count; ++k)
    if (s->mixed->law[k].modulus > 0) laws[k] = rv_liquid_plastic_step(&s->mixed->law[k], &s->tables[k], dt);
}

// Under a given stress a viscosity that is e times too large makes the next one e^(1 - index): beyond an index of 2 the
// iterations would swing for ever. With this part, 1 / index, they meet at once there, and in a given flow in a few.
static double taken_part(const RvShear* s) {
  double index = rv_max(1, s->law.index);
  for (int k = 0; s->mixed && k < s->mixed->count; ++k) index = rv_max(index, s->mixed->law[k].index);
  return 1 / index;
}

bool rv_liquid_shear_thickens(const RvShear* s) {
  return taken_part(s) < 1;
}

double rv_liquid_shear_share(RvShear* s, const RvViscosityIn* in, double dt) {
  Flow flow = {.shear = s, .in = in, .dt = dt, .taken = taken_part(s), .change = s->change};
  if (s->mixed)
    set_laws_of(s, dt, flow.laws);
  else if (s->law.modulus > 0)
    flow.step = rv_liquid_plastic_step(&s->law, s->table, dt);
  rv_parallel_for(in->tiles->count, TILE_GRAIN, share_tiles, &flow);
  double change = 0;
  for (size_t t = 0; t < in->tiles->count; ++t) change = rv_max(change, s->change[t]);
  return change;
}

RvResult rv_liquid_shear_solve(RvShear* s, RvViscosity* viscosity, RvViscosityIn in, double dt,
                               RvViscosityReport* report, int* outer, RvError* error) {
  size_t bytes = in.tiles->count * RV_TILE_CELLS * sizeof(float);
  RvResult result = rv_liquid_shear_begin(s, &in, dt, error);
  if (result) return result;
  for (int a = 0; a < 3; ++a) {
    memcpy(s->before[a].data, in.velocity[a], bytes);
    in.before[a] = s->before[a].data;
  }
  int iterations = 0;
  for (*outer = 0; !result && *outer < MOST_OUTER; ++*outer) {
    double change = rv_liquid_shear_share(s, &in, dt);
    if (*outer && change < RV_SHEAR_TOLERANCE) break;
    result = rv_liquid_viscosity_solve(viscosity, &in, SOLVE_TOLERANCE, 0, report, error);
    iterations += report->iterations;
  }
  report->iterations = iterations;
  return result;
}

//---------------------------------------------------------------------------------------------- particles

typedef struct Advance {
  const RvShear* shear;
  const RvViscosityIn* in;
  const RvScatter* scatter;
  RvParticles* p;
  RvPlasticStep step;
  RvPlasticStep laws[RV_LIQUID_MOST_MATERIALS];  // of several materials
  double dt;
} Advance;

// The velocity gradient of the cells of a tile, 0 where there is no liquid.
static void find_gradients(void* arg, size_t begin, size_t end) {
  const Advance* job = arg;
  Field field;
  for (size_t t = begin; t < end; ++t) {
    read_field(job->in, t, &field);
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      int halo = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6);
      double gradient[9] = {0};
      bool wet = has_liquid(&field, halo);
      if (wet) gradient_at(&field, halo, gradient);
      for (int k = 0; k < 9; ++k) job->shear->gradient[k].data[at] = (float)gradient[k];
      job->shear->share.data[at] = wet;
    }
  }
}

// A tile with its halo: gradients, and 1 where there is liquid.
typedef struct Sample {
  float gradient[9][RV_HALO1_CELLS], wet[RV_HALO1_CELLS];
} Sample;

enum { GHOST = 2 };  // `wet` of a cell that has a continued gradient

// Continues the gradient along straight lines into cells beside the liquid, so that a particle between a wall and the
// centres of cells does not have the gradient of those centres.
static void continue_gradients(Sample* s) {
  for (int at = 0; at < RV_HALO1_CELLS; ++at) {
    if (s->wet[at] != 0) continue;
    int x[3] = {at % RV_HALO1_SIDE, at / RV_HALO1_SIDE % RV_HALO1_SIDE, at / (RV_HALO1_SIDE * RV_HALO1_SIDE)};
    int count = 0;
    double sum[9] = {0};
    for (int side = 0; side < 6; ++side) {
      int a = side / 2, d = side % 2 ? 1 : -1, far = x[a] + 2 * d;
      if (far < 0 || far >= RV_HALO1_SIDE) continue;
      int near = at + d * steps[a], next = near + d * steps[a];
      if (s->wet[near] != 1 || s->wet[next] != 1) continue;
      for (int k = 0; k < 9; ++k) sum[k] += 2 * (double)s->gradient[k][near] - (double)s->gradient[k][next];
      count++;
    }
    if (!count) continue;
    for (int k = 0; k < 9; ++k) s->gradient[k][at] = (float)(sum[k] / count);
    s->wet[at] = GHOST;
  }
}

// Gradient at a particle: trilinear between the centres of cells with liquid. False: there is none.
static bool sample_gradient(const Sample* s, const RvParticles* p, size_t i, double gradient[9]) {
  int node[3];
  double part[3], sum = 0;
  find_spot(p, i, node, part);
  memset(gradient, 0, 9 * sizeof *gradient);
  for (int corner = 0; corner < 8; ++corner) {
    int d[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    int at = rv_halo1_at(node[0] + d[0], node[1] + d[1], node[2] + d[2]);
    double weight = s->wet[at] != 0;
    for (int a = 0; a < 3; ++a) weight *= d[a] ? part[a] : 1 - part[a];
    for (int k = 0; k < 9; ++k) gradient[k] += weight * (double)s->gradient[k][at];
    sum += weight;
  }
  for (int k = 0; k < 9; ++k) gradient[k] = sum > 0 ? gradient[k] / sum : 0;
  return sum > 0;
}

// Gradient at a particle; one far from other liquid has its own slopes.
static void particle_gradient(const Sample* s, const RvParticles* p, size_t i, double gradient[9]) {
  if (sample_gradient(s, p, i, gradient)) return;
  for (int k = 0; k < 9; ++k) gradient[k] = (double)p->c[k][i];
}

// The gradient of a cell less the mean of its particles' samples, 0 outside of the liquid. Samples between centres have
// hardly anything of a gradient that changes from cell to cell, so that the stress that balances it in the solve would
// take a hundred steps to reach the particles, and a liquid that stands would creep meanwhile.
static void lost_gradient(const Sample* s, const RvParticles* p, int halo, size_t first, size_t last, double lost[9]) {
  memset(lost, 0, 9 * sizeof *lost);
  if (s->wet[halo] != 1 || first == last) return;
  for (size_t i = first; i < last; ++i) {
    double gradient[9];
    particle_gradient(s, p, i, gradient);
    for (int k = 0; k < 9; ++k) lost[k] -= gradient[k] / (double)(last - first);
  }
  for (int k = 0; k < 9; ++k) lost[k] += (double)s->gradient[k][halo];
}

// The law of a particle.
static const RvPlasticStep* step_of(const Advance* job, size_t i) {
  const RvLiquidMaterials* mixed = job->shear->mixed;
  return mixed ? &job->laws[rv_liquid_material_of(mixed, job->p->row[i])] : &job->step;
}

// Advances the strains of the particles first..last of a cell.
static void advance_cell(const Advance* job, const Sample* sample, int halo, size_t first, size_t last) {
  RvParticles* p = job->p;
  double lost[9];
  lost_gradient(sample, p, halo, first, last, lost);
  for (size_t i = first; i < last; ++i) {
    double gradient[9], strain[RV_STRAINS];
    const RvPlasticStep* step = step_of(job, i);
    if (!(step->modulus > 0)) {
      for (int k = 0; k < RV_STRAINS; ++k) p->strain[k][i] = 0;
      continue;
    }
    particle_gradient(sample, p, i, gradient);
    for (int k = 0; k < 9; ++k) gradient[k] += lost[k];
    for (int k = 0; k < RV_STRAINS; ++k) strain[k] = (double)p->strain[k][i];
    rv_liquid_plastic_advance(step, job->dt, gradient, strain);
    for (int k = 0; k < RV_STRAINS; ++k) p->strain[k][i] = (float)strain[k];
  }
}

static void advance_tiles(void* arg, size_t begin, size_t end) {
  const Advance* job = arg;
  Sample sample;
  for (size_t t = begin; t < end; ++t) {
    int32_t home = job->scatter->home_of[t];
    if (home < 0) continue;
    for (int k = 0; k < 9; ++k)
      rv_channel_gather1(job->in->tiles, job->shear->gradient[k].data, t, 0, sample.gradient[k]);
    rv_channel_gather1(job->in->tiles, job->shear->share.data, t, 0, sample.wet);
    continue_gradients(&sample);
    const uint32_t* first = job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      advance_cell(job, &sample, rv_halo1_at(c & 7, c >> 3 & 7, c >> 6), first[c], first[c + 1]);
  }
}

RvResult rv_liquid_shear_advance(RvShear* s, RvViscosityIn in, const RvScatter* scatter, RvParticles* p, double dt,
                                 RvError* error) {
  if (!(s->law.modulus > 0)) return RV_OK;
  bool made = true;
  for (int k = 0; k < 9; ++k) made = made && rv_channel_fit(&s->gradient[k], in.tiles->count);
  if (!made)
    return rv_fail(error, RV_NO_MEMORY, "no memory for the shear of %zu tiles of liquid; use a larger particlesep",
                   in.tiles->count);
  Advance job = {.shear = s, .in = &in, .scatter = scatter, .p = p, .dt = dt};
  if (s->mixed)
    set_laws_of(s, dt, job.laws);
  else
    job.step = rv_liquid_plastic_step(&s->law, s->table, dt);
  in.field = NULL;
  rv_parallel_for(in.tiles->count, TILE_GRAIN, find_gradients, &job);
  rv_parallel_for(in.tiles->count, TILE_GRAIN, advance_tiles, &job);
  return RV_OK;
}
