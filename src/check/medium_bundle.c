// Check medium_bundle: a bundle of strands under a load that presses it together.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/continuum.h"

enum { STRANDS = 300, LINKS = 8 };
static const double LENGTH = 0.08;                     // m
static const double GOLDEN_ANGLE = 2.399963229728653;  // rad, spreads roots evenly
static const double RADIUS = 40e-6, DENSITY = 1320;    // m, kg/m3, of a hair
static const double PACKING = 1197;                    // kg/m3

typedef struct Bundle {
  RvContinuum c;
  double pull;     // 1/s2: the load presses a mass at r towards the axis by pull r
  double line;     // kg/m: mass of the bundle a length
  float* force;    // [vertices][3] N a hair
  int32_t* first;  // [strands]
  double* hairs;   // [strands]
} Bundle;

// Part of the strands, from their roots, that is measured: neither roots nor tips.
static const double BAND_FROM = 0.5, BAND_TO = 0.8;

// What is measured in the middle of the strands.
typedef struct Rest {
  double pressure;  // Pa, of the cells around the axis, or of the particles within their reach
  double density;   // kg/m3, of the same
  double load;      // Pa, of the hair that lies outside of them: it has to be borne by the pressure there
  double radius;    // m: root of the mean square distance of the hair from the axis
  double speed;     // m/s, of any vertex
  double highest;   // kg/m3, of any cell or particle at any time of the second half
} Rest;

static RvResult new_bundle(Bundle* b, double hairs, double radius, RvError* error) {
  static double root[STRANDS][2];
  for (int i = 0; i < STRANDS; ++i) {
    double r = radius * sqrt((i + 0.5) / STRANDS);
    root[i][0] = r * cos(GOLDEN_ANGLE * i);
    root[i][1] = r * sin(GOLDEN_ANGLE * i);
  }
  *b = (Bundle){.line = STRANDS * hairs * DENSITY * RV_PI * RADIUS * RADIUS};
  RvResult result = rv_rig_bundle_new(&b->c,
                                      &(RvRigBundleDef){.root = (const double(*)[2])root,
                                                        .strands = STRANDS,
                                                        .links = LINKS,
                                                        .length = LENGTH,
                                                        .radius = RADIUS,
                                                        .density = DENSITY,
                                                        .youngs = 3e6,
                                                        .shear = 1.1e6,
                                                        .viscosity = 1e4,
                                                        .hairs = hairs},
                                      error);
  b->force = rv_alloc_zero((size_t)STRANDS * (LINKS + 1) * 3, sizeof *b->force);
  b->first = rv_alloc(STRANDS, sizeof *b->first);
  b->hairs = rv_alloc(STRANDS, sizeof *b->hairs);
  if (!result && !(b->force && b->first && b->hairs)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int s = 0; !result && s < STRANDS; ++s) {
    b->first[s] = s * (LINKS + 1);
    b->hairs[s] = hairs;
  }
  b->c.loads.first = b->first;
  b->c.loads.multiple = b->hairs;
  b->c.loads.force_at = b->force;
  b->c.loads.drag_normal = b->c.loads.drag_tangent = 1e-4;  // kg/(m s): comes to rest in a second
  return result;
}

static void free_bundle(Bundle* b) {
  RV_FREE_ALL(b->force, b->first, b->hairs);
  rv_continuum_free(&b->c);
}

// The load at the places now, on the vertices: half of the links on both sides, at the tip of one.
static void set_load(Bundle* b) {
  const RvChainModel* m = b->c.model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 1; i <= LINKS; ++i) {
        const RvChainBatch* batch = &m->batches[k];
        RvVec3 x = rv_strand_vector(b->c.state->x, rv_chain_vertex(batch, lane, i, 3, 0));
        double mass = (i < LINKS ? 1 : 0.5) * DENSITY * RV_PI * RADIUS * RADIUS * LENGTH / LINKS;
        float* f = b->force + 3 * ((size_t)b->first[batch->strand[lane]] + (size_t)i);
        f[0] = (float)(-b->pull * mass * x.x);
        f[2] = (float)(-b->pull * mass * x.z);
      }
}

static bool in_band(double y) {
  return -y > BAND_FROM * LENGTH && -y < BAND_TO * LENGTH;
}

// Mean over the cells that touch the axis, and their distance from it, m.
static double look_at_cells(const RvMedium* m, Rest* rest) {
  const double dx = m->def.smoothing;
  double count = 0;
  for (size_t k = 0; k < m->cells.count; ++k) {
    const RvMediumFull* cell = &m->cells.data[k];
    size_t tile = (size_t)cell->corner[0] / RV_TILE_CELLS;
    int at = cell->corner[0] % RV_TILE_CELLS;
    int x = 8 * m->tiles.coord[tile][0] + (at & 7), y = 8 * m->tiles.coord[tile][1] + (at >> 3 & 7);
    int z = 8 * m->tiles.coord[tile][2] + (at >> 6);
    if (x < -1 || x > 0 || z < -1 || z > 0 || !in_band((y + 0.5) * dx)) continue;
    rest->pressure += cell->pressure;
    rest->density += cell->density;
    count++;
  }
  rest->pressure /= count;
  rest->density /= count;
  return sqrt(0.5) * dx;
}

// Mean over the particles within h of the axis, and the root of the mean of their squared distances.
static double look_at_pairs(const RvMediumPairs* p, const RvMediumDef* def, Rest* rest) {
  double count = 0, square = 0;
  for (size_t i = 0; i < p->points.count; ++i) {
    const RvPairPoint* own = &p->points.data[i];
    double r2 = own->x[0] * own->x[0] + own->x[2] * own->x[2];
    if (r2 > def->smoothing * def->smoothing || !in_band(own->x[1])) continue;
    rest->pressure += rv_medium_pressure(&def->law, own->density).pressure;
    rest->density += own->density;
    square += r2;
    count++;
  }
  rest->pressure /= count;
  rest->density /= count;
  return sqrt(square / count);
}

static void look(const Bundle* b, Rest* rest) {
  const RvChainModel* m = b->c.model;
  rest->pressure = rest->density = rest->speed = 0;
  const double at = b->c.medium_def.particles ? look_at_pairs(&b->c.pairs, &b->c.medium_def, rest)
                                              : look_at_cells(&b->c.medium, rest);
  // The shell at r is pressed by k r a mass: p(r) = k (mass a length outside of r) / 2 pi.
  double mass = 0, outside = 0, square = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < LINKS; ++i) {
        size_t vertex = rv_chain_vertex(&m->batches[k], lane, i, 3, 0);
        RvVec3 x = rv_lerp(rv_strand_vector(b->c.state->x, vertex),
                           rv_strand_vector(b->c.state->x, vertex + 3 * RV_LANES), 0.5);
        if (!in_band(x.y)) continue;
        double r2 = x.x * x.x + x.z * x.z;
        mass++;
        outside += r2 > at * at;
        square += r2;
      }
  rest->load = b->pull * b->line / (2 * RV_PI) * outside / mass;
  rest->radius = sqrt(square / mass);
  for (size_t i = 0; i < 3 * m->vertices; ++i) rest->speed = fmax(rest->speed, fabs(b->c.state->v[i]));
}

typedef struct Case {
  const char* name;
  double hairs, start, pull, stiffness, power;  // start: radius of the bundle, m
  double smoothing, dt;
  bool particles;
} Case;

static RvMediumDef medium_of(const Case* k) {
  return (RvMediumDef){
      .law = {.rest_density = 50, .packing_density = PACKING, .stiffness = k->stiffness, .power = k->power},
      .smoothing = k->smoothing,
      .particles = k->particles,
      .friction = 0.05,
      .tolerance = 1e-4,
      .max_sweeps = 60,
      .corrections = 1};
}

static RvResult settle(const Case* k, double seconds, Rest* rest, RvError* error) {
  Bundle b;
  RvResult result = new_bundle(&b, k->hairs, k->start, error);
  b.c.medium_def = medium_of(k);
  rest->highest = 0;
  // The load grows over the first half, as a weight that is let down.
  const long steps = (long)(seconds / k->dt + 0.5);
  for (long i = 1; i <= steps && !result; ++i) {
    b.pull = k->pull * fmin(1, 2 * (double)i / (double)steps);
    set_load(&b);
    result = rv_continuum_substep(&b.c, k->dt, error);
    rest->highest = fmax(rest->highest, k->particles ? b.c.pairs.largest_density : b.c.medium.largest_density);
  }
  if (!result) look(&b, rest);
  free_bundle(&b);
  return result;
}

static void emit(const RvCheckOut* out, const char* what, const Case* k, double value, double expected, double within) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", what, k->name);
  rv_check_emit(out, name, value, expected, within);
}

RvResult rv_check_medium_bundle(const RvCheckOut* out, RvError* error) {
  // The load is 1.6 Pa, in the case `packed` 19 Pa, nearly that of close packing.
  static const Case cases[] = {{"120", 50, 0.014, 100, 8, 1, 2.5e-3, 1.0 / 120, false},
                               {"240", 50, 0.014, 100, 8, 1, 2.5e-3, 1.0 / 240, false},
                               {"packed", 200, 0.0118, 300, 20, 1, 2.5e-3, 1.0 / 240, false},
                               {"power_2", 50, 0.014, 100, 8, 2, 2.5e-3, 1.0 / 240, false}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    const RvMediumDef def = medium_of(&cases[k]);
    Rest rest = {0};
    result = settle(&cases[k], 1.5, &rest, error);
    if (result) break;
    emit(out, "pressure", &cases[k], rest.pressure, rest.load, 0.03 * rest.load);
    emit(out, "density", &cases[k], rv_medium_pressure(&def.law, rest.density).pressure, rest.load, 0.03 * rest.load);
    emit(out, "speed", &cases[k], rest.speed, 0, 3e-3);
    emit(out, "above_packing", &cases[k], fmax(rest.highest - PACKING, 0), 0, 0.02 * PACKING);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- settled radius

// Root of the mean square distance from the axis of the continuum at rest: dp/dr = - k r rho, with rho that of p, from
// the load on the axis outwards to where the pressure ends.
static double radius_at_rest(const Case* k) {
  const double dr = 1e-6, line = STRANDS * k->hairs * DENSITY * RV_PI * RADIUS * RADIUS;
  const RvMediumDef def = medium_of(k);
  double pressure = k->pull * line / (2 * RV_PI), mass = 0, square = 0;
  for (double r = 0.5 * dr; pressure > 0; r += dr) {
    double share = pow(pressure / def.law.stiffness, 1 / def.law.power);
    double density = def.law.rest_density + share * (def.law.packing_density - def.law.rest_density);
    mass += r * density;
    square += r * r * r * density;
    pressure -= dr * k->pull * r * density;
  }
  return sqrt(square / mass);
}

RvResult rv_check_medium_settled(const RvCheckOut* out, RvError* error) {
  // The medium is a mean over a kernel, and it is the mean whose radius is that of the continuum. Mean square of the
  // kernels along an axis, in smoothing^2: trilinear 1/6 (mean over the cell), binomial 1/2 and mean of a cell's nodes
  // 1/4; the spline by its integral.
  static const double spread[2] = {1.0 / 6 + 1.0 / 2 + 1.0 / 4, 0.3};
  static const Case cases[] = {{"grid", 50, 0.0135, 100, 8, 1, 2.5e-3, 1.0 / 120, false},
                               {"grid_fine", 50, 0.0135, 100, 8, 1, 1.8e-3, 1.0 / 120, false},
                               {"particles", 50, 0.0135, 100, 8, 1, 2.5e-3, 1.0 / 120, true},
                               {"particles_fine", 50, 0.0135, 100, 8, 1, 1.8e-3, 1.0 / 120, true}};
  double radius[4] = {0};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    Rest rest = {0};
    result = settle(&cases[k], 1, &rest, error);
    if (result) break;
    radius[k] = rest.radius;
    double square = rest.radius * rest.radius;
    double mean = sqrt(square + 2 * spread[cases[k].particles] * cases[k].smoothing * cases[k].smoothing);
    emit(out, "mean_radius", &cases[k], mean / radius_at_rest(&cases[k]), 1, 0.02);
  }
  if (!result) rv_check_emit(out, "grid_over_particles", radius[1] / radius[3], 1, 0.05);
  return result;
}
