// Chains of rigid links for the checks: one strand, or copies of it, built and stepped by hand.
#ifndef RV_RIG_CHAIN_H
#define RV_RIG_CHAIN_H

#include "continuum/chain.h"

typedef struct RvRigChain {
  int links;
  RvChainModel* model;
  RvChainState* state;
  RvChainStepDef def;  // of the next step; implicit Euler without loads at first
} RvRigChain;

typedef struct RvRigChainDef {
  int links;
  double length;                                     // m, of the strand
  RvVec3 direction;                                  // in which it is straight, if x is NULL
  const double *x, *rest;                            // [links + 1][3] m; NULL: straight, as x
  double radius, density, youngs, shear, viscosity;  // m, kg/m3, Pa, Pa, Pa s
  bool hinged;                                       // the joint at the base has no stiffness
} RvRigChainDef;

RvResult rv_rig_chain_new(RvRigChain* rig, const RvRigChainDef* def, RvError* error);
void rv_rig_chain_free(RvRigChain* rig);
RvResult rv_rig_chain_step(RvRigChain* rig, double dt, RvError* error);
// Steps until `seconds` have passed.
RvResult rv_rig_chain_run(RvRigChain* rig, double dt, double seconds, RvError* error);

// Lane 0 is the strand; setting acts on all lanes.
RvVec3 rv_rig_chain_x(const RvRigChain* rig, int vertex);
RvQuat rv_rig_chain_orient(const RvRigChain* rig, int link);
RvVec3 rv_rig_chain_spin(const RvRigChain* rig, int link);
void rv_rig_chain_set_spin(RvRigChain* rig, int link, RvVec3 spin);
// Turns a link by the rotation `turn` of the world; the links after it keep their orientation.
void rv_rig_chain_turn(RvRigChain* rig, int link, RvQuat turn);
// Vector from the joint of a link to its end, m.
RvVec3 rv_rig_chain_arm(const RvRigChain* rig, int link);
// Turn of a joint from its rest, in the axes of its outer link.
RvQuat rv_rig_chain_joint(const RvRigChain* rig, int link);
// Kinetic energy, elastic energy of the joints and energy of the weight, J.
double rv_rig_chain_kinetic(const RvRigChain* rig);
double rv_rig_chain_elastic(const RvRigChain* rig);
double rv_rig_chain_weight(const RvRigChain* rig);

#endif
