// Solids in the way of chains (HC-14, HC-15): no vertex passes a surface, and hair that lies on one slips against
// friction.
//
// The way of every vertex in a step is followed in the space of each solid by steps as long as the distance to it, so
// that thin sheets are found at any speed. Where it enters, the surface's tangent plane holds the vertex: an implicit
// force along the normal, a part of the chains' solve. Planes that would pull are released. What the solve could not
// keep out, such as vertices with planes of two solids, is turned out link by link after the step.
//
// Friction is a drag K_f against the slip (E31), for hair within a layer of the surface, faded out by a Hamming window,
// and the Coulomb friction of the solid by the force of the plane.
#ifndef RV_CONTINUUM_SOLIDS_H
#define RV_CONTINUUM_SOLIDS_H

#include "contact/collider.h"
#include "continuum/chain_loads.h"

// m: places are held this far from a surface. It is above the rounding of a level set of floats.
static const double RV_CHAIN_MARGIN = 2e-5;

// The tangent plane of a solid at a vertex, for a step: normal . x = offset at its end.
typedef struct RvChainPlane {
  double normal[3], offset;  // m
  double surface[3];         // m/s: velocity of the surface
  double press;              // N along the normal
  double slip;               // share of K_f, 0 to 1: window of the distance
  float friction;            // Coulomb's coefficient
  bool blocks;               // the way enters the solid, or begins in it
  bool inside;               // it begins in it
} RvChainPlane;

typedef struct RvChainSolids {
  // Set by the caller.
  const RvCollider* colliders;
  size_t count;
  double rootfree;  // m at the root that solids do not touch
  double slip;      // kg/(m s): K_f a length of one hair
  double layer;     // m: reach of the slip
  // Work memory.
  double* from;          // [vertices][3] places at the start of the step
  RvChainPlane* planes;  // [vertices]
  bool fresh;            // the next step is the first of the frame
  // Report of the frame.
  size_t touching;  // vertices that planes hold at the end
  size_t inside;    // vertices inside a solid at the first step
  size_t passed;    // vertices that ended in a solid though they began outside
} RvChainSolids;

RvResult rv_chain_solids_init(RvChainSolids* solids, const RvChainModel* model, RvError* error);
void rv_chain_solids_free(RvChainSolids* solids);
// Keeps the places before a step.
void rv_chain_solids_begin(RvChainSolids* solids, const RvChainModel* model, const RvChainState* state);
// Adds the forces of the solids to the loads of a step of `def`; `velocity` [vertices][3] is work memory, `multiple`
// [strands] the hairs that strands stand for, or NULL.
RvResult rv_chain_solids_load(RvChainSolids* solids, const RvChainModel* model, const RvChainState* state,
                              const RvChainStepDef* def, const double* multiple, double* velocity, RvChainLoads* loads,
                              RvError* error);
// After the step: turns out what is still inside.
RvResult rv_chain_solids_project(RvChainSolids* solids, const RvChainModel* model, RvChainState* state, double dt,
                                 RvArena* scratch, RvError* error);

//---------------------------------------------------------------------------------------------- solids_find.c

// Planes of the ways from `from` to `to` [vertices][3] in dt; ways that end nearer than `near` are blocked too. Planes
// that block stay where `keep` is true. *inside counts vertices of lanes in use that begin inside.
RvResult rv_chain_solids_find(RvChainSolids* solids, const RvChainModel* model, const double* to, double dt,
                              double near, bool keep, RvArena* scratch, size_t* inside, RvError* error);

#endif
