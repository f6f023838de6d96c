// What acts on strands from outside: weight, air and the artist's forces and goals.
#ifndef RV_STRAND_FORCES_H
#define RV_STRAND_FORCES_H

#include "strand/strand.h"

// Arrays of vectors have 3 numbers a vertex in the order of the strands' points (`first` of each strand, as in
// RvStrandSet), and any may be NULL.
typedef struct RvForceDef {
  double gravity[3];                 // m/s2
  double drag_normal, drag_tangent;  // kg/(m s): force a length and a speed, across and along the strand
  double wind[3];                    // m/s
  const int32_t* first;
  const double* multiple;  // [strands] hairs that each stands for
  const float* wind_at;    // m/s, added to wind
  const float* force_at;   // N a hair
  // Goals: a critically damped spring of circular frequency `pull` sqrt(weight) to goal_target moving at goal_velocity.
  const float* goal_weight;                   // one number a vertex
  double pull;                                // 1/s
  const double *goal_target, *goal_velocity;  // [unknowns]
} RvForceDef;

// [unknowns] each.
typedef struct RvForces {
  double *force, *drag, *drag_velocity, *spring;
} RvForces;

// The tensor of the drag has its diagonal taken implicitly and the rest, which is always smaller, at the velocities of
// the state: so it never adds energy to the motion relative to the air.
void rv_strand_forces(const RvStrandModel* model, const RvStrandState* state, const RvForceDef* def, RvForces* out);

#endif
