// A single strand, for the checks: built, loaded and stepped by hand.
#ifndef RV_RIG_STRAND_H
#define RV_RIG_STRAND_H

#include "strand/strand.h"

typedef struct RvRig {
  int n;  // vertices
  RvStrandModel* model;
  RvStrandState* state;
  double* force;   // [unknowns] N
  double* target;  // [unknowns] positions of the fixed unknowns
} RvRig;

// A round strand of hair (1300 kg/m3, 3 GPa) that stands for itself alone; x [n][3] and radius [n] in m.
RvStrandDef rv_rig_hair_def(int vertices, const double* x, const double* radius, int64_t id);

typedef struct RvRigDef {
  int vertices;
  const double* x;                                   // [n][3] start positions, m
  const double* rest;                                // [n][3] natural shape, m; NULL: as x
  double radius, density, youngs, shear, viscosity;  // m, kg/m3, Pa, Pa, Pa s
  int clamped;  // vertices fixed at the root; the edges between them keep their angle too
} RvRigDef;

// Hair of 40 micrometres, 1300 kg/m3 and 3 GPa, free and without viscosity.
RvRigDef rv_rig_hair(int vertices, const double* x);
RvResult rv_rig_new(RvRig* rig, const RvRigDef* def, RvError* error);
void rv_rig_free(RvRig* rig);
void rv_rig_fix(RvRig* rig, int vertex, int component);  // component 3: the angle of the edge
// Sets the force to the weight.
void rv_rig_gravity(RvRig* rig, const double g[3]);
// One step of Newton's method to `tolerance` (relative residual).
RvResult rv_rig_step(RvRig* rig, double dt, RvIntegrator integrator, double tolerance, RvError* error);
// Coordinate c of vertex i, and its velocity; c = 3 is the angle of edge i, which the last vertex does not have.
double rv_rig_x(const RvRig* rig, int vertex, int component);
double rv_rig_v(const RvRig* rig, int vertex, int component);
void rv_rig_set_v(RvRig* rig, int vertex, int component, double value);
double rv_rig_mass(const RvRig* rig, int vertex, int component);
// Elastic and kinetic energy, J.
double rv_rig_elastic(const RvRig* rig);
double rv_rig_kinetic(const RvRig* rig);

#endif
