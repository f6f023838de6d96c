// Springs between places on strands, as a term of the strands' Newton solve (meniscus.c). Private to src/couple.
#ifndef RV_COUPLE_MENISCUS_SPRINGS_H
#define RV_COUPLE_MENISCUS_SPRINGS_H

#include "base/array.h"
#include "math/operator.h"
#include "strand/strand.h"

// A place on a strand: the point (1 - t) x_i + t x_{i+1} of an edge.
typedef struct RvMeniscusEnd {
  size_t unknown;    // index of x_i in the blocks of unknowns
  double t;          // 0..1
  double stiffness;  // N/m, sum of its springs
  uint32_t lane;     // of its strand, among those of all batches
} RvMeniscusEnd;

// Each pair of places is listed at both of them, with one stiffness.
typedef struct RvMeniscusSprings {
  const RvStrandModel* model;
  double across[2][3];             // unit: springs act along these directions, across gravity
  RV_ARRAY(RvMeniscusEnd) ends;    // by batches; none: there are no springs
  RV_ARRAY(uint32_t) batch_first;  // [batches + 1] first place of each
  RV_ARRAY(uint32_t) first;        // [places + 1] first spring of each
  RV_ARRAY(uint32_t) neighbour;    // [springs] the other place
  RV_ARRAY(double) stiffness;      // [springs] N/m
  RV_ARRAY(double) value;          // [2 x places] of a vector, along both directions
  RvOperator op;
} RvMeniscusSprings;

void rv_couple_springs_free(RvMeniscusSprings* springs);
// Makes room for places and springs, which the caller fills; false: no memory.
bool rv_couple_springs_resize(RvMeniscusSprings* springs, size_t places, size_t count);
// Sorts the places of the strands to batches and sets the operator; false: no memory.
bool rv_couple_springs_bind(RvMeniscusSprings* springs, const RvStrandModel* model, const double up[3]);

#endif
