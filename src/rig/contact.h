// A few strands in contact, for the checks: placed by a function of (strand, vertex) and stepped by hand.
#ifndef RV_RIG_CONTACT_H
#define RV_RIG_CONTACT_H

#include "contact/contact.h"

typedef struct RvContactRig {
  size_t count;  // strands
  int n;         // vertices of a strand
  RvStrandModel* model;
  RvStrandState* state;
  RvContacts* contacts;
  double* force;     // [unknowns] weight, N
  double* velocity;  // [unknowns] predicted velocity of the coming step, by which contacts are found
  double* target;    // [unknowns] positions of the fixed unknowns
} RvContactRig;

typedef struct RvContactRigDef {
  size_t count;                                            // strands
  int vertices;                                            // of a strand
  double radius, density, youngs, viscosity;               // m, kg/m3, Pa, Pa s
  RvVec3 gravity;                                          // m/s2
  RvVec3 (*place)(void* user, size_t strand, int vertex);  // start position, m
  void* user;
  RvVec3 (*rest)(void* user, size_t strand, int vertex);  // natural shape; NULL: as placed
} RvContactRigDef;

// Hair of 40 micrometres and 3 GPa under gravity along -y.
RvContactRigDef rv_rig_contact_hair(size_t count, int vertices, RvVec3 (*place)(void*, size_t, int), void* user);
RvResult rv_rig_contact_new(RvContactRig* rig, const RvContactRigDef* def, RvError* error);
void rv_rig_contact_free(RvContactRig* rig);
// Reads or writes the three coordinates of a vertex in q, v or another array of unknowns.
RvVec3 rv_rig_contact_get(const RvContactRig* rig, const double* blocks, size_t strand, int vertex);
void rv_rig_contact_set(const RvContactRig* rig, double* blocks, size_t strand, int vertex, RvVec3 value);
// Indices of the coordinates of all vertices of used lanes, [3 count n]. Returns their number.
size_t rv_rig_contact_list(const RvContactRig* rig, size_t* list);
// Fixes the first vertices of all strands, and the angles of the edges between them.
void rv_rig_contact_clamp(RvContactRig* rig, int vertices);
// Elastic and kinetic energy of all strands, J.
double rv_rig_contact_elastic(const RvContactRig* rig);
double rv_rig_contact_kinetic(const RvContactRig* rig);
// One coupled step: find, solve to `tolerance`, accept.
RvResult rv_rig_contact_step(RvContactRig* rig, const RvContactDef* def, double dt, double tolerance,
                             RvContactStats* stats, RvStrandStats* solved, RvError* error);

#endif
