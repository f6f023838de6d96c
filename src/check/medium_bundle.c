// Check medium_bundle: a bundle of strands under a load that presses it together.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/continuum.h"

enum { STRANDS = 300, LINKS = 8 };
static const double LENGTH = 0.08;                     // m
static const double GOLDEN_ANGLE = 2.399963229728653;  // rad, spreads roots evenly
static const double RADIUS = 40e-6, DENSITY = 1320;    // m, kg/m3, of a hair

typedef struct Bundle {
  RvContinuum c;
  double pull;     // 1/s2: the load presses a mass at r towards the axis by pull r
  double line;     // kg/m: mass of the bundle a length
  float* force;    // [vertices][3] N a hair
  int32_t* first;  // [strands]
  double* hairs;   // [strands]
} Bundle;

// What is measured in the middle of the strands.
typedef struct Rest {
  double pressure;  // Pa, on the axis
  double density;   // kg/m3, on the axis
  double speed;     // m/s, of any vertex
  double highest;   // kg/m3, of any cell at any time of the second half
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

// Mean over the cells that touch the axis in the middle of the strands.
static void look(const Bundle* b, Rest* rest) {
  const RvMedium* m = &b->c.medium;
  double dx = m->def.smoothing, count = 0;
  rest->pressure = rest->density = rest->speed = 0;
  for (size_t k = 0; k < m->cells.count; ++k) {
    const RvMediumFull* cell = &m->cells.data[k];
    size_t tile = (size_t)cell->corner[0] / RV_TILE_CELLS;
    int at = cell->corner[0] % RV_TILE_CELLS;
    int x = 8 * m->tiles.coord[tile][0] + (at & 7), y = 8 * m->tiles.coord[tile][1] + (at >> 3 & 7);
    int z = 8 * m->tiles.coord[tile][2] + (at >> 6);
    double height = -(y + 0.5) * dx;
    if (x < -1 || x > 0 || z < -1 || z > 0 || height < 0.5 * LENGTH || height > 0.8 * LENGTH) continue;
    rest->pressure += cell->pressure;
    rest->density += cell->density;
    count++;
  }
  rest->pressure /= count;
  rest->density /= count;
  for (size_t i = 0; i < 3 * b->c.model->vertices; ++i) rest->speed = fmax(rest->speed, fabs(b->c.state->v[i]));
}

typedef struct Case {
  double hairs, start, pull, stiffness, dt;  // start: radius of the bundle, m
} Case;

static RvResult settle(const Case* k, const RvMediumDef* def, Rest* rest, double* load, RvError* error) {
  const double seconds = 1.5;
  Bundle b;
  RvResult result = new_bundle(&b, k->hairs, k->start, error);
  b.c.medium_def = *def;
  *load = k->pull * b.line / (2 * RV_PI);
  rest->highest = 0;
  // The load grows over the first half, as a weight that is let down.
  const long steps = (long)(seconds / k->dt + 0.5);
  for (long i = 1; i <= steps && !result; ++i) {
    b.pull = k->pull * fmin(1, 2 * (double)i / (double)steps);
    set_load(&b);
    result = rv_continuum_substep(&b.c, k->dt, error);
    rest->highest = fmax(rest->highest, b.c.medium.largest_density);
  }
  if (!result) look(&b, rest);
  free_bundle(&b);
  return result;
}

RvResult rv_check_medium_bundle(const RvCheckOut* out, RvError* error) {
  const double packing = 1197;
  // The load is 1.6 Pa, in the last case 19 Pa, nearly that of close packing.
  static const Case cases[3] = {
      {50, 0.014, 100, 8, 1.0 / 120}, {50, 0.014, 100, 8, 1.0 / 240}, {200, 0.0118, 300, 20, 1.0 / 240}};
  static const char* const names[3][4] = {
      {"pressure_120", "density_120", "speed_120", "above_packing_120"},
      {"pressure_240", "density_240", "speed_240", "above_packing_240"},
      {"pressure_packed", "density_packed", "speed_packed", "above_packing_packed"}};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    const RvMediumDef def = {
        .law = {.rest_density = 50, .packing_density = packing, .stiffness = cases[k].stiffness, .power = 1},
        .smoothing = 2.5e-3,
        .friction = 0.05,
        .tolerance = 1e-4,
        .max_sweeps = 60,
        .corrections = 1};
    Rest rest = {0};
    double load = 0;
    result = settle(&cases[k], &def, &rest, &load, error);
    if (result) break;
    rv_check_emit(out, names[k][0], rest.pressure, load, 0.03 * load);
    rv_check_emit(out, names[k][1], rv_medium_pressure(&def.law, rest.density).pressure, load, 0.03 * load);
    rv_check_emit(out, names[k][2], rest.speed, 0, 3e-3);
    rv_check_emit(out, names[k][3], fmax(rest.highest - packing, 0), 0, 0.02 * packing);
  }
  return result;
}
