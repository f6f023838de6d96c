// The loads of a step on chains: air drag, the artist's forces, springs to goals, and pins, as in strand/forces.h.
#ifndef RV_CONTINUUM_CHAIN_LOADS_H
#define RV_CONTINUUM_CHAIN_LOADS_H

#include "continuum/chain.h"

typedef struct RvChainLoadDef {
  double dt, implicitness;           // of the step, as in RvChainStepDef
  double drag_normal, drag_tangent;  // kg/(m s): drag a length of one hair, across and along it
  double wind[3];                    // m/s, everywhere
  // By vertex of the input, strand s from first[s] on; each of them may be NULL.
  const int32_t* first;                // [strands]
  const double* multiple;              // [strands] hairs that a strand stands for
  const float* wind_at;                // [vertices][3] m/s, added to the wind
  const float* force_at;               // [vertices][3] N a hair
  const float* goal_weight;            // [vertices] weight of the springs to the goals
  const uint8_t* pinned;               // [vertices] 1: the vertex follows its goal
  double pull;                         // rad/s: angular frequency of a spring of weight 1
  const double *goal, *goal_velocity;  // [vertices][3] in lanes: places at the end of the step, m, m/s
} RvChainLoadDef;

// Arrays as in RvChainStepDef; end_mass and end_force are needed with goals or pins only.
typedef struct RvChainLoads {
  double *force, *torque, *line_mass, *end_mass, *end_force;
} RvChainLoads;

// Sets all loads.
void rv_chain_loads(const RvChainModel* model, const RvChainState* state, const RvChainLoadDef* def, RvChainLoads* out);

#endif
