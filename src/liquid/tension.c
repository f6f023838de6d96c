// Pressure of the surface tension at the free surface (tension.h).
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

enum { X = 1, Y = RV_HALO1_SIDE, Z = RV_HALO1_SIDE * RV_HALO1_SIDE };  // steps in a tile with halo
enum { GRAIN = 16 };                                                   // tiles a task
static const double ABSENT_DISTANCE = 3;    // cells: in absent tiles, which are beyond the band
static const double BAND = 2;               // cells from the surface within which there is a pressure
static const double LARGEST_CURVATURE = 2;  // times 1 / dx: that of a drop with a radius of a cell

// div (grad d / |grad d|) times dx, from the 18 cells around.
static double curvature(const float* d) {
  // central first, second and mixed differences
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

// Tension times curvature in the cells near the surface, 0 elsewhere.
static void surface_tiles(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  for (size_t t = begin; t < end; ++t) {
    float d[RV_HALO1_CELLS];
    rv_channel_gather1(j->tiles, j->distance, t, (float)(ABSENT_DISTANCE * j->dx), d);
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      const float* at = &d[rv_halo1_at(c & 7, c >> 3 & 7, c >> 6)];
      bool near = fabsf(at[0]) <= BAND * j->dx;
      double value = near ? rv_clamp(curvature(at), -LARGEST_CURVATURE, LARGEST_CURVATURE) * j->tension / j->dx : 0;
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
