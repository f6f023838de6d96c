// What the parts of a pressure solve share. Unknowns are q = p dt / (density dx), m/s, so that the operator is that of
// liquid/multigrid.h: at every wet cell, sum of c (q - q_j) + drain q = b, c = open share s.
#ifndef RV_LIQUID_PRESSURE_WORK_H
#define RV_LIQUID_PRESSURE_WORK_H

#include "liquid/multigrid.h"
#include "liquid/pressure.h"

typedef struct RvPressureWork {
  const RvPressureIn* in;
  RvArena* arena;
  RvMultigrid mg;        // level 0: the tiles that hold liquid
  int32_t* tile;         // of a wet tile: its number among the input's
  int32_t* wet;          // of an input tile: its number among the wet ones, -1: dry
  double* x;             // q
  float *r, *q;          // residual, and A p
  float* p[RV_MG_KEPT];  // the last directions, in turn
  float* largest;        // |r| of each tile
  double* cross;         // r . level.x of each tile
  double speed;          // m/s: largest, before the solve
  double norm;           // of b
  size_t cells;          // wet cells
  // Connected components: pieces within tiles, which are nodes of a graph, and the closed bodies that they form.
  uint8_t* piece;        // of each cell of a slot, from 1 on; 0: dry
  int32_t* first;        // node of the first piece of each tile
  int32_t* body;         // of each node; -1: it reaches air
  double *sum, *size;    // of each node: sum of a vector over its cells, and their number
  double *mean, *whole;  // the same of each body
  size_t closed;         // number of closed bodies
} RvPressureWork;

// Coefficients, right side and first guess. False when out of memory.
bool rv_liquid_pressure_set_up(RvPressureWork* work);
// Finds the bodies of liquid that reach no air. False when out of memory.
bool rv_liquid_pressure_find_closed(RvPressureWork* work);
// Subtracts the mean over each closed body from a vector, of floats or doubles. Returns the sum of |sum over a body|.
double rv_liquid_pressure_take_mean(RvPressureWork* work, float* v, double* x);
// r = b - A x, from r = b.
void rv_liquid_pressure_residual(RvPressureWork* work);
// Velocities, pressure and valid faces from x.
void rv_liquid_pressure_finish(RvPressureWork* work);

// A face of the input at `at` along `axis`: its open part, the liquid's share of that, how much of an acceleration it
// takes (E48), and its velocity before the pressure.
typedef struct RvPressureFace {
  float open, share, scale, velocity;
} RvPressureFace;

static inline RvPressureFace rv_liquid_pressure_face(const RvPressureIn* in, int axis, size_t at) {
  RvPressureFace f = {1, 1, 1, in->velocity[axis][at]};
  if (in->open[axis]) {
    f.open = in->open[axis][at];
    f.open = f.open > 0 ? f.open < 1 ? f.open : 1 : 0;
  }
  if (in->share[axis]) {
    f.share = in->share[axis][at];
    f.share = f.share > 0 ? f.share < 1 ? f.share : 1 : 0;
  }
  if (in->drag[axis] && in->drag[axis][at] > 0) {
    double mass = f.share * in->density;
    if (in->heavy[axis]) mass *= (double)in->heavy[axis][at];
    f.scale = (float)(mass / (mass + in->dt * in->drag[axis][at]));
    if (!in->drag_done) f.velocity = f.scale * f.velocity + (1 - f.scale) * in->drag_target[axis][at];
  }
  if (in->heavy[axis]) f.scale /= in->heavy[axis][at];
  if (in->mobility[axis]) f.scale *= in->mobility[axis][at];
  return f;
}

// Theta of a face between a wet cell at distance `wet` and a dry one at `dry`: where the surface lies between their
// centres, at least RV_PRESSURE_THETA.
static inline float rv_liquid_pressure_theta(const RvPressureIn* in, float wet, float dry) {
  if (in->dry_centres) return 1;
  float theta = wet / (wet - dry);
  return theta > (float)RV_PRESSURE_THETA ? theta < 1 ? theta : 1 : (float)RV_PRESSURE_THETA;
}

// q at the free surface between a wet and a dry cell. It is interpolated with the true theta, not the limited one: the
// difference to it is divided by theta, so the error of a wrong place would be large for near surfaces.
static inline double rv_liquid_pressure_surface(const RvPressureIn* in, size_t wet, size_t dry) {
  if (!in->surface) return 0;
  double theta = (double)in->distance[wet] / ((double)in->distance[wet] - in->distance[dry]);
  double p = in->surface[wet] + theta * ((double)in->surface[dry] - in->surface[wet]);
  return p * in->dt / (in->density * in->dx);
}

#endif
