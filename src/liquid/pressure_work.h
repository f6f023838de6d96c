// What the parts of a pressure solve share. Unknowns are q = p dt / (density dx), m/s, so that the operator is that of
// liquid/multigrid.h: at every wet cell, sum of c (q - q_j) + drain q = b, c = open share s.
#ifndef RV_LIQUID_PRESSURE_WORK_H
#define RV_LIQUID_PRESSURE_WORK_H

#include "liquid/multigrid.h"
#include "liquid/pressure.h"

typedef struct RvPressureWork {
  const RvPressureIn* in;
  RvArena* arena;
  RvMultigrid mg;  // level 0: the tiles that hold liquid
  int32_t* tile;   // of a wet tile: its number among the input's
  int32_t* wet;    // of an input tile: its number among the wet ones, -1: dry
  double* x;       // q
  float *r, *q;
  float* p[RV_MG_HELD];  // the last directions, in turn
  float* largest;        // |r| of each tile
  double* cross;         // r . level.x of each tile
  double speed;          // largest, before the solve
  double norm;           // of b
  size_t cells;
  // pieces of tiles that hang together, and the closed bodies that they make
  uint8_t* piece;                     // of each cell of a slot, from 1 on; 0: dry
  int32_t* first;                     // node of the first piece of each tile
  int32_t* body;                      // of each node; -1: it reaches air
  double *sum, *size, *mean, *whole;  // room: two numbers a node, two a body
  size_t closed;
} RvPressureWork;

// Coefficients, right side and first guess. False when out of memory.
bool rv_liquid_pressure_set_up(RvPressureWork* work);
// Finds the bodies of liquid that reach no air. False when out of memory.
bool rv_liquid_pressure_find_closed(RvPressureWork* work);
// Takes the mean over each of them from a vector, of floats or doubles; returns the sum of the absolute values of what
// there was in each.
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
    f.scale = (float)(mass / (mass + in->dt * in->drag[axis][at]));
    if (!in->drag_done) f.velocity = f.scale * f.velocity + (1 - f.scale) * in->drag_target[axis][at];
  }
  return f;
}

// theta of a face between a wet cell at distance `wet` and a dry one at `dry`
static inline float rv_liquid_pressure_theta(float wet, float dry) {
  float theta = wet / (wet - dry);
  return theta > (float)RV_PRESSURE_THETA ? theta < 1 ? theta : 1 : (float)RV_PRESSURE_THETA;
}

// q at the free surface between the wet cell and the dry one, where it truly lies: with theta as it is limited, the
// pressures of near surfaces would be those of other places, and their difference is divided by theta
static inline double rv_liquid_pressure_surface(const RvPressureIn* in, size_t wet, size_t dry) {
  if (!in->surface) return 0;
  double theta = (double)in->distance[wet] / ((double)in->distance[wet] - in->distance[dry]);
  double p = in->surface[wet] + theta * ((double)in->surface[dry] - in->surface[wet]);
  return p * in->dt / (in->density * in->dx);
}

#endif
