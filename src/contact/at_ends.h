// Sums over the ends of a batch's links, an end at a time with x, y and z side by side. Private to src/contact.
//
// In the blocks of unknowns the x, y and z of a vertex are RV_LANES numbers apart. Where a batch has many ends for each
// vertex, it pays to turn the block first, so that a vertex is four numbers in a row: x, y, z, angle. Every number gets
// the same terms in the same order as in operate.c, which sums one by one: the bits are the same.
#ifndef RV_CONTACT_AT_ENDS_H
#define RV_CONTACT_AT_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "math/ldlt.h"
#include "math/vec.h"

// One end of a link, or a touch: the point (1 - t) x_i + t x_{i+1} of an edge.
typedef struct RvContactEnd {
  float t;
  uint32_t unknown;  // index of x_i in the blocks of unknowns
  uint32_t link;     // 2 x slot + side (0: source, 1: receiver); for a touch its number
  uint32_t other;    // index of the link's other end
} RvContactEnd;

// A vector at an end; `rest` fills it up to a whole register.
typedef struct RvEndValue {
  RvVec3 x;
  double rest;
} __attribute__((aligned(32))) RvEndValue;

// Energy of a link and its gradient with respect to delta, at the last q.
typedef struct RvLinkEnergy {
  RvVec3 gradient;  // N
  double energy;    // J
} __attribute__((aligned(32))) RvLinkEnergy;

// A symmetric 3 x 3 in floats, for matrix-vector products: all of them use the same rounded matrix. xx xy xz 0 yy yz zz
// 0: its first column, and what the others have more.
typedef struct RvSym3f {
  float m[8];
} __attribute__((aligned(32))) RvSym3f;

// The ends of one batch.
typedef struct RvBatchEnds {
  const RvContactEnd* ends;
  size_t count;
  size_t first;  // unknown of the batch
  int vertices;
} RvBatchEnds;

enum { RV_TURNED_VERTICES = 96 };  // of a batch at most: what is turned lies on the stack

// Value of a vector at each end. in: the batch's part.
void rv_contact_gather_ends(const RvBatchEnds* at, const double* in, RvEndValue* values);
// Adds the gradients of the links. out: the batch's part; energies [slots].
void rv_contact_push_ends(const RvBatchEnds* at, const RvLinkEnergy* energies, double* out);
// Adds the product of the links' Hessian with the values at their other ends. values [all ends], hessian [slots].
void rv_contact_spread_ends(const RvBatchEnds* at, const RvEndValue* values, const RvSym3f* hessian, double* out);
// Adds the part of the Hessian that lies in the batch's band.
void rv_contact_band_ends(const RvBatchEnds* at, const RvSym3f* hessian, double* band);

#endif
