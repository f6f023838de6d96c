// Which vertices of a batch must be tested against solids, RV_LANES strands at once; see collide.c.
#ifndef RV_LOOKDEV_COLLIDE_KERNEL_H
#define RV_LOOKDEV_COLLIDE_KERNEL_H

#include "math/kernel.h"
#include "strand/strand.h"

// Rigid motion of a solid, and the largest speed of its deformation, m and s.
typedef struct RvNearSolid {
  double position[3], linear[3], angular[3], fastest;
} RvNearSolid;

typedef struct RvNearBatch {
  int vertices;
  double dt;
  double least;     // m: vertices that may come nearer are tested
  double rootfree;  // m at the root that solids do not touch
  const RvNearSolid* solids;
  size_t nsolid;
  const double *x, *v, *free;    // [n][4]
  const double *length, *press;  // [n - 1] m; [n] N
  double* clearance;             // [n] m, which the way of the last substep uses up
  double least_clearance;        // m: its lower bound
  double* way;                   // [n] m in the substep, relative to the solids; in rows with a candidate
  uint8_t* candidate;            // [n] bit i: the vertex of lane i is tested
} RvNearBatch;

// Marks the vertices; returns how many.
RV_KERNEL_DECLARE(unsigned, rv_lookdev_near, (const RvNearBatch*))

#endif
