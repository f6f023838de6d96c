// Check bucket (WH-36, WH-43): the no-slip wall and floor of a rotating bucket bring its liquid into solid-body
// rotation with a paraboloid as its surface.
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/liquid.h"

static const double G = 9.81;       // m/s2
static const double RADIUS = 0.15;  // of the bucket, m
static const double OMEGA = 9;      // rad/s
static const double DX = 0.015;     // m, ten cells a radius

// Signed distance to the bucket, positive inside: a rotating cylinder with a floor, open above.
static double bucket(const void* user, const double x[3], double velocity[3], double* friction) {
  (void)user;
  *friction = 0;
  velocity[0] = OMEGA * x[2];
  velocity[1] = 0;
  velocity[2] = -OMEGA * x[0];
  return fmin(RADIUS - sqrt(x[0] * x[0] + x[2] * x[2]), x[1]);
}

// Jittered particles in the cylinder up to `depth`, a tenth of a cell off its wall.
static RvResult fill(RvLiquidRig* rig, double depth, RvError* error) {
  const double low[3] = {-RADIUS, 0, -RADIUS};
  const double high[3] = {RADIUS, depth, RADIUS};
  RvResult result = rv_rig_liquid_fill(rig, low, high, 0.3, error);
  for (size_t i = 0; i < rig->liquid.particles.count; ++i) {
    RvVec3 x = rv_rig_liquid_at(rig, i);
    // Particles of volume 0 are removed by the next sort.
    if (x.x * x.x + x.z * x.z > (RADIUS - 0.1 * DX) * (RADIUS - 0.1 * DX)) rig->liquid.particles.volume[i] = 0;
  }
  return result;
}

typedef struct Surface {
  double rise;  // m, from the axis to the wall: least-squares slope of the height over (r / R)^2
  double turn;  // rad/s: angular momentum over moment of inertia
} Surface;

// Rise of the surface: heights of the columns of cells by where the level set cuts them, without those within a cell of
// the wall, fitted by least squares.
static double rise_of(const RvLiquidGrid* g) {
  enum { WIDE = 32 };
  double height[WIDE][WIDE] = {{0}}, sums[5] = {0};
  for (size_t t = 0; t < g->tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      const int32_t* tile = g->tiles.coord[t];
      int x = tile[0] * RV_TILE_SIDE + (c & 7) + WIDE / 2, z = tile[2] * RV_TILE_SIDE + (c >> 6) + WIDE / 2;
      if (x < 0 || x >= WIDE || z < 0 || z >= WIDE || tile[1] < 0) continue;
      height[x][z] += g->dx * rv_clamp(0.5 - (double)g->distance.data[t * RV_TILE_CELLS + (size_t)c] / g->dx, 0, 1);
    }
  for (int x = 0; x < WIDE; ++x)
    for (int z = 0; z < WIDE; ++z) {
      double a = (x + 0.5 - WIDE / 2) * g->dx;
      double b = (z + 0.5 - WIDE / 2) * g->dx;
      double s = (a * a + b * b) / (RADIUS * RADIUS);
      if (sqrt(s) * RADIUS > RADIUS - g->dx) continue;
      sums[0] += 1;
      sums[1] += s;
      sums[2] += s * s;
      sums[3] += height[x][z];
      sums[4] += s * height[x][z];
    }
  return (sums[0] * sums[4] - sums[1] * sums[3]) / (sums[0] * sums[2] - sums[1] * sums[1]);
}

// Rise of the surface and mean rotation of the particles about y.
static Surface measure(const RvLiquidRig* rig) {
  const RvParticles* p = &rig->liquid.particles;
  double spin = 0, inertia = 0;
  for (size_t i = 0; i < p->count; ++i) {
    RvVec3 x = rv_rig_liquid_at(rig, i);
    spin += p->volume[i] * (x.z * (double)p->v[0][i] - x.x * (double)p->v[2][i]);
    inertia += p->volume[i] * (x.x * x.x + x.z * x.z);
  }
  return (Surface){rise_of(&rig->liquid.grid), spin / inertia};
}

// Liquid at rest in a bucket that rotates from the start, 40 frames.
RvResult rv_check_bucket(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(DX);
  // The wall transfers momentum at a rate of 14.7 nu / R^2 = 13/s, nu = viscosity / density. Beside the
  // wall, where paths are not straight, a step turns velocities by its pressure only, and loses omega^2 dt / 2 of them
  // a second, 0.28 at six steps a frame. In equilibrium at most omega^2 dt R^2 / (48 nu) = 1.3% of the rotation is
  // missing, and twice that of the rise.
  model.viscosity = 20;
  model.stick = true;
  model.speed = OMEGA * RADIUS;
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  rig.liquid.inputs.solid = bucket;
  if (!result) result = fill(&rig, 0.15, error);
  double mean = 0, turn = 0, volume = result ? 0 : rv_liquid_particles_volume(&rig.liquid.particles);
  // Means over the last eight of forty frames.
  enum { FRAMES = 40, LAST = 8 };
  for (int frame = 0; frame < FRAMES && !result; ++frame) {
    result = rv_liquid_advance(&rig.liquid, 1.0 / 24, 6, 100, error);
    Surface s = measure(&rig);
    if (frame >= FRAMES - LAST) {
      mean += s.rise / LAST;
      turn += s.turn / LAST;
    }
  }
  if (!result) {
    double expected = OMEGA * OMEGA * RADIUS * RADIUS / (2 * G);
    rv_check_emit(out, "rise", mean / expected, 1, 0.05);
    rv_check_emit(out, "turn", turn / OMEGA, 1, 0.02);
    rv_check_emit(out, "volume", rv_liquid_particles_volume(&rig.liquid.particles) / volume - 1, 0, 1e-12);
    rv_check_emit(out, "caught", (double)rig.liquid.report.caught, 0, 0);
  }
  rv_rig_liquid_free(&rig);
  return result;
}
