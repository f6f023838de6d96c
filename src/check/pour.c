// Check pour_volume (WH-33, WH-43, WH-46): what the cells hold and what was poured do not part in twenty seconds.
#include <math.h>

#include "check/list.h"
#include "liquid/source.h"
#include "math/scalar.h"
#include "rig/liquid.h"

// a square that looks down, above the ball, of two triangles
#define HALF 0.05
#define HIGH 1.0
static const double spout[18] = {-HALF, HIGH, -HALF, -HALF, HIGH, HALF,  HALF,  HIGH, -HALF,
                                 HALF,  HIGH, HALF,  HALF,  HIGH, -HALF, -HALF, HIGH, HALF};

typedef struct Pour {
  RvLiquidRig rig;
  RvLiquidSource source;
  RvSourceState state;
  RvSourceSettings settings;
  RvLiquidFlow flow;
  RvResult (*solids)(void*, RvLiquidSolids*, const RvLiquidGrid*, double, double, RvError*);
} Pour;

static RvResult pour(void* user, RvParticles* p, int64_t* next_id, double from, double to, bool* any, RvError* error) {
  Pour* s = user;
  size_t born = s->flow.born;
  RvResult result = rv_liquid_source_flow(&s->source, &s->state, &s->settings, to - from, p, next_id, &s->flow, error);
  *any = s->flow.born > born;
  return result;
}

static RvResult find_solids(void* user, RvLiquidSolids* solids, const RvLiquidGrid* grid, double from, double to,
                            RvError* error) {
  Pour* s = user;
  return s->solids(&s->rig, solids, grid, from, to, error);
}

static RvResult begin(Pour* s, RvError* error) {
  const double dx = 1.0 / 16, wide = 6 * dx, low[3] = {-wide, 0, -wide}, high[3] = {wide, 2, wide};
  RvLiquidModel model = rv_liquid_model_default(dx);
  *s = (Pour){.source = {.id = 1, .active = true, .rate = 0.0056, .velocity = {0, -1, 0}, .ntriangle = 2},
              .settings = {.dx = dx, .separation = dx / 2, .jitter = 0.5, .max_particles = 1000000}};
  s->source.corners = spout;
  RvResult result = rv_rig_liquid_new(&s->rig, &model, error);
  rv_rig_liquid_tank(&s->rig, low, high, 8);
  RvSolidShape ball = {.kind = RV_SHAPE_SPHERE, .center = {0.01, 0.65, 0}, .size = {0.15}};
  rv_rig_liquid_solid(&s->rig, &ball);
  s->solids = s->rig.hooks.solids;
  s->rig.hooks.user = s;
  s->rig.hooks.flow = pour;
  s->rig.hooks.solids = find_solids;
  return result ? result : rv_rig_liquid_fill(&s->rig, low, (double[3]){high[0], 0.25, high[2]}, 0, error);
}

// what of a cell no solid takes: a flat side of one through it, as far from its middle as the mean of its corners
static double open_part(const RvLiquidSolids* s, const RvTiles* tiles, double dx, size_t t, int c) {
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    int x[3] = {(c & 7) + (k & 1), (c >> 3 & 7) + (k >> 1 & 1), (c >> 6) + (k >> 2)};
    sum += fmin((double)rv_tiles_read(tiles, s->distance.data, t, x[0], x[1], x[2], RV_SOLID_FAR), dx) / dx;
  }
  return rv_clamp(0.5 + sum / 8, 0, 1);
}

// volume of the cells by where the surface cuts them
static double occupied(const RvLiquid* l) {
  const RvLiquidGrid* g = &l->grid;
  double sum = 0;
  for (size_t t = 0; t < g->tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t i = t * RV_TILE_CELLS + (size_t)c;
      if (!(g->fill.data[i] > 0)) continue;
      sum += rv_clamp(0.5 - (double)g->distance.data[i] / g->dx, 0, 1) * open_part(&l->solids, &g->tiles, g->dx, t, c);
    }
  return sum * g->dx * g->dx * g->dx;
}

RvResult rv_check_pour_volume(const RvCheckOut* out, RvError* error) {
  Pour s;
  RvResult result = begin(&s, error);
  RvLiquid* l = &s.rig.liquid;
  double initial = rv_liquid_particles_volume(&l->particles), early = 0, late = 0, nearly = 0, nlate = 0, dt;
  for (double t = 0; t < 20 && !result; t += dt) {
    dt = fmin(rv_liquid_longest(l), 1.0 / 48);
    result = rv_liquid_substep(l, dt, &s.rig.hooks, error);
    // the stream in the air, whose drops count as cells, is the same at both times
    double more = occupied(l) - rv_liquid_particles_volume(&l->particles);
    if (t >= 1 && t < 3) {
      early += more;
      nearly++;
    }
    if (t >= 18) {
      late += more;
      nlate++;
    }
  }
  if (!result) {
    double bulk = rv_liquid_particles_volume(&l->particles), came = initial + s.flow.sources;
    rv_check_emit(out, "occupied", (late / nlate - early / nearly) / bulk, 0, 0.01);
    rv_check_emit(out, "ledger", (bulk - came) / came, 0, 1e-12);
    rv_check_emit(out, "poured_over_rate", s.flow.sources / (0.0056 * l->time), 1, 1e-3);
  }
  rv_rig_liquid_free(&s.rig);
  return result;
}
