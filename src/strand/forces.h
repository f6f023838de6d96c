// External forces on strands: weight, air drag, the artist's forces, and springs to goals.
#ifndef RV_STRAND_FORCES_H
#define RV_STRAND_FORCES_H

#include "strand/strand.h"

// Arrays of vectors have 3 numbers a vertex in the order of the strands' points; any of them may be NULL.
typedef struct RvForceDef {
  double gravity[3];                 // m/s2
  double drag_normal, drag_tangent;  // kg/(m s): force per length and speed, across and along the strand
  double wind[3];                    // m/s
  const int32_t* first;              // [strands] first vertex of each strand, as in RvStrandSet
  const double* multiple;            // [strands] hairs that each stands for
  const float* wind_at;              // m/s, added to wind
  const float* force_at;             // N a hair
  // Goals: a critically damped spring of circular frequency `pull` sqrt(weight) to goal_target moving at goal_velocity.
  const float* goal_weight;                   // one number a vertex
  double pull;                                // 1/s
  const double *goal_target, *goal_velocity;  // [unknowns]
} RvForceDef;

// Forces as the step takes them, [unknowns] each; 0 for the angles.
typedef struct RvForces {
  double* force;          // N: explicit force
  double* drag;           // kg/s: coefficient of the implicit drag
  double* drag_velocity;  // m/s: velocity that the drag pulls towards
  double* spring;         // N/m: stiffness of the spring to the goal
} RvForces;

// Computes all forces at a state. The diagonal of the drag tensor is implicit; its off-diagonal part, which is always
// smaller, is evaluated at the velocities of the state. So drag never adds energy to the motion relative to the air.
void rv_strand_forces(const RvStrandModel* model, const RvStrandState* state, const RvForceDef* def, RvForces* out);

#endif
