// Check pour_volume (WH-33, WH-43, WH-46): the volume within the level set follows the poured volume for twenty
// seconds.
#include <math.h>

#include "check/list.h"
#include "liquid/flows.h"
#include "math/scalar.h"
#include "rig/liquid.h"

// The spout: a square above the ball that faces down, of two triangles.
#define HALF 0.05    // half its side, m
#define HIGH 1.0     // its height, m
#define RATE 0.0056  // poured, m3/s
static const double spout[18] = {-HALF, HIGH, -HALF, -HALF, HIGH, HALF,  HALF,  HIGH, -HALF,
                                 HALF,  HIGH, HALF,  HALF,  HIGH, -HALF, -HALF, HIGH, HALF};

// The rig with a source.
typedef struct Pour {
  RvLiquidRig rig;
  RvLiquidFlows flows;
} Pour;

// A tank 12 cells wide with a pool, a ball above it and the source.
static RvResult begin(Pour* s, RvError* error) {
  const double dx = 1.0 / 16;
  const double wide = 6 * dx;
  const double low[3] = {-wide, 0, -wide};
  const double high[3] = {wide, 2, wide};
  RvLiquidModel model = rv_liquid_model_default(dx);
  // room for a million particles of RV_PARTICLE_BYTES each
  model.most_tiles = 1000000 / (RV_LIQUID_TILE_BYTES / RV_PARTICLE_BYTES);
  *s = (Pour){0};
  RvResult result = rv_rig_liquid_new(&s->rig, &model, error);
  if (!result) result = rv_liquid_flows_init(&s->flows, 1, error);
  if (result) return result;
  RvLiquidSource source = {.id = 1, .active = true, .rate = RATE, .velocity = {0, -1, 0}, .ntriangle = 2};
  source.corners = spout;
  s->flows.inlets[0] = (RvLiquidInlet){.id = 1, .present = true, .source = source};
  s->flows.any = true;
  s->flows.separation = dx / 2;
  s->rig.liquid.inputs.flows = &s->flows;
  rv_rig_liquid_tank(&s->rig, low, high, 8);
  RvSolidShape ball = {.kind = RV_SHAPE_SPHERE, .center = {0.01, 0.65, 0}, .size = {0.15}};
  rv_rig_liquid_solid(&s->rig, &ball);
  return result ? result : rv_rig_liquid_fill(&s->rig, low, (double[3]){high[0], 0.25, high[2]}, 0, error);
}

// Share of a cell outside of solids: a plane through it at the mean distance of its corners.
static double open_part(const RvLiquidSolids* s, const RvTiles* tiles, double dx, size_t t, int c) {
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    int x[3] = {(c & 7) + (k & 1), (c >> 3 & 7) + (k >> 1 & 1), (c >> 6) + (k >> 2)};
    sum += fmin((double)rv_tiles_read(tiles, s->distance.data, t, x[0], x[1], x[2], RV_SOLID_FAR), dx) / dx;
  }
  return rv_clamp(0.5 + sum / 8, 0, 1);
}

// Volume within the level set outside of solids, m3.
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

// Means over seconds 1 to 3 and over the last two.
RvResult rv_check_pour_volume(const RvCheckOut* out, RvError* error) {
  Pour s;
  RvResult result = begin(&s, error);
  RvLiquid* l = &s.rig.liquid;
  double initial = rv_liquid_particles_volume(&l->particles);
  double early = 0, late = 0, early_count = 0, late_count = 0, dt;
  for (double t = 0; t < 20 && !result; t += dt) {
    dt = fmin(rv_liquid_longest(l), 1.0 / 48);
    result = rv_liquid_substep(l, dt, error);
    // Enclosed less particle volume. The stream in the air, whose drops fill cells, is the same at both times.
    double surplus = occupied(l) - rv_liquid_particles_volume(&l->particles);
    if (t >= 1 && t < 3) {
      early += surplus;
      early_count++;
    }
    if (t >= 18) {
      late += surplus;
      late_count++;
    }
  }
  if (!result) {
    double bulk = rv_liquid_particles_volume(&l->particles), came = initial + s.flows.flow.sources;
    rv_check_emit(out, "occupied", (late / late_count - early / early_count) / bulk, 0, 0.01);
    rv_check_emit(out, "ledger", (bulk - came) / came, 0, 1e-12);
    rv_check_emit(out, "poured_over_rate", s.flows.flow.sources / (RATE * l->time), 1, 1e-3);
  }
  rv_liquid_flows_free(&s.flows);
  rv_rig_liquid_free(&s.rig);
  return result;
}
