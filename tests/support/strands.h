// Strands for tests of contact, made from a function of (strand, vertex).
#ifndef RV_TEST_STRANDS_H
#define RV_TEST_STRANDS_H

#include "contact/contact.h"
#include "math/vec.h"

typedef struct RvTestStrands {
  RvStrandDef* defs;
  double *x, *radius;
  size_t count;
  RvStrandModel* model;
  RvStrandState* state;
  double *force, *velocity;  // gravity, and room for what is predicted
} RvTestStrands;

typedef struct RvTestHair {
  double radius, density, youngs, viscosity;
} RvTestHair;

// Hair of 40 micrometres and 3 GPa.
RvTestHair rv_test_hair(void);
RvTestStrands rv_test_strands(size_t count, int vertices, RvTestHair hair,
                              RvVec3 (*place)(void* user, size_t strand, int vertex), void* user, RvVec3 gravity);
void rv_test_strands_free(RvTestStrands* s);
RvVec3 rv_test_point(const RvTestStrands* s, const double* blocks, size_t strand, int vertex);
void rv_test_set(const RvTestStrands* s, double* blocks, size_t strand, int vertex, RvVec3 value);
// One coupled step: find, solve, accept.
RvStrandStats rv_test_step(RvTestStrands* s, RvContacts* contacts, const RvContactDef* def, double dt,
                           RvContactStats* stats);

#endif
