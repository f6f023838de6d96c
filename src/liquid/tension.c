#include "liquid/tension.h"

#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"

typedef struct Job {
  const RvTiles* tiles;
  const float* distance;
  double dx, tension;
  float* surface;
} Job;

enum { X = 1, Y = RV_HALO1_SIDE, Z = RV_HALO1_SIDE * RV_HALO1_SIDE, GRAIN = 16 };

// div (grad d / |grad d|) times dx, from the 18 cells around
static double curvature(const float* d) {
  double x = 0.5 * ((double)d[X] - d[-X]), y = 0.5 * ((double)d[Y] - d[-Y]), z = 0.5 * ((double)d[Z] - d[-Z]);
  double xx = (double)d[X] - 2.0 * d[0] + d[-X], yy = (double)d[Y] - 2.0 * d[0] + d[-Y];
  double zz = (double)d[Z] - 2.0 * d[0] + d[-Z];
  double xy = 0.25 * (((double)d[X + Y] - d[X - Y]) - ((double)d[Y - X] - d[-X - Y]));
  double xz = 0.25 * (((double)d[X + Z] - d[X - Z]) - ((double)d[Z - X] - d[-X - Z]));
  double yz = 0.25 * (((double)d[Y + Z] - d[Y - Z]) - ((double)d[Z - Y] - d[-Y - Z]));
  double square = x * x + y * y + z * z;
  if (!(square > 0)) return 0;
  double k = x * x * (yy + zz) + y * y * (xx + zz) + z * z * (xx + yy) - 2 * (x * y * xy + x * z * xz + y * z * yz);
  return k / (square * sqrt(square));
}

static void surface_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  for (size_t t = begin; t < end; ++t) {
    float d[RV_HALO1_CELLS];
    // what lies in absent tiles goes on as far away: they are beyond the band
    rv_channel_gather1(j->tiles, j->distance, t, (float)(3 * j->dx), d);
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      const float* at = &d[rv_halo1_at(c & 7, c >> 3 & 7, c >> 6)];
      double value = fabsf(at[0]) <= 2 * j->dx ? rv_clamp(curvature(at), -2, 2) * j->tension / j->dx : 0;
      j->surface[t * RV_TILE_CELLS + (size_t)c] = (float)value;
    }
  }
}

void rv_liquid_tension_surface(const RvTiles* tiles, const float* distance, double dx, double tension, float* surface) {
  Job job = {tiles, distance, dx, tension, surface};
  rv_parallel_for(tiles->count, GRAIN, surface_tiles, &job);
}

double rv_liquid_tension_step(double density, double dx, double tension) {
  return tension > 0 ? sqrt(density * dx * dx * dx / (4 * RV_PI * tension)) : (double)INFINITY;
}
