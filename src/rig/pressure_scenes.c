// The four scenes of the benchmark `pressure` and the check `multigrid`, in a unit cube.
#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "rig/pressure.h"

const char* const rv_rig_pressure_scenes[RV_PRESSURE_SCENES] = {"box", "pool", "splash", "sheet"};

typedef struct Scene {
  int kind;   // index into rv_rig_pressure_scenes
  double dx;  // m
} Scene;

// Signed distance to a ball with its centre at a, b, c.
static double ball(const double x[3], double a, double b, double c, double radius) {
  return sqrt((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) + (x[2] - c) * (x[2] - c)) - radius;
}

// A wavy pool, the crown that a drop throws up from it, 2.5 hundredths thick, and two drops in the air.
static double splash(const double x[3]) {
  double pool = x[1] - (0.3 + 0.05 * rv_sin(9 * x[0]) * rv_cos(7 * x[2]));
  double ring = sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[2] - 0.5) * (x[2] - 0.5));
  double crown = fmax(fabs(ring - (0.2 + 0.1 * (x[1] - 0.3))) - 0.0125, x[1] - 0.65);
  return fmin(fmin(pool, crown), fmin(ball(x, 0.3, 0.75, 0.6, 0.04), ball(x, 0.7, 0.8, 0.3, 0.02)));
}

// Signed distance to the liquid of a scene: everywhere, a flat pool, the splash, a wavy sheet three cells thick.
static double liquid(const void* user, const double x[3]) {
  const Scene* s = user;
  if (s->kind == 0) return -1;
  if (s->kind == 1) return x[1] - 0.6;
  if (s->kind == 2) return splash(x);
  return fabs(x[1] - 0.5 - 0.1 * rv_sin(6 * x[0] + 2 * x[2])) - 1.5 * s->dx;
}

RvResult rv_rig_pressure_scene(RvPressureRig* rig, int kind, int n, RvError* error) {
  Scene scene = {kind, 1.0 / n};
  RvResult result = rv_rig_pressure_build(rig, (const int[3]){0, 0, 0}, (const int[3]){n / 8, n / 8, n / 8}, scene.dx,
                                          liquid, &scene, false, error);
  const RvSolidShape obstacle = {.kind = RV_SHAPE_SPHERE, .center = {0.55, 0.25, 0.5}, .size = {0.15}};
  if (!result && kind == 2) result = rv_rig_pressure_solids(rig, &obstacle, 1, error);
  return result;
}

// A fall of 1 m/s along y with vortices of 0.5 m/s.
static void stir_tiles(void* arg, size_t begin, size_t end) {
  RvPressureRig* rig = arg;
  RvLiquidGrid* g = &rig->grid;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      double x[3];
      rv_rig_pressure_center(rig, t, c, x);
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      g->velocity[0].data[at] = (float)(0.5 * rv_sin(7 * x[1]) * rv_cos(5 * x[0]));
      g->velocity[1].data[at] = (float)(-1 + 0.5 * rv_sin(6 * x[0]) * rv_sin(4 * x[1] + x[2]));
      g->velocity[2].data[at] = (float)(0.5 * rv_cos(6 * x[2]) * rv_sin(3 * x[0]));
    }
}

void rv_rig_pressure_stir(RvPressureRig* rig) {
  rv_parallel_for(rig->grid.tiles.count, 16, stir_tiles, rig);
}
