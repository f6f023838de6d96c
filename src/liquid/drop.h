// A drop as particles: a ball of them with one velocity, or one particle where the drop is smaller.
#ifndef RV_LIQUID_DROP_H
#define RV_LIQUID_DROP_H

#include <stddef.h>

#include "math/vec.h"

// What a particle is a part of, by its row; whatever is not listed is the bulk.
typedef enum RvDropKind {
  RV_DROP_NONE,
  RV_DROP_OF_STRAND,  // left a strand, which does not take it back at once
  RV_DROP_OF_SOURCE   // rain
} RvDropKind;

// Particles of a drop, each of about the nominal volume: at least one.
size_t rv_liquid_drop_count(double volume, double nominal);
// Radius of the ball of a volume, m.
double rv_liquid_drop_radius(double volume);
// Mean of all places, which the caller takes off, so that a drop's centre is where it should be.
RvVec3 rv_liquid_drop_mean(size_t count);
// Place `n` of `count` in a ball of radius 1: shells of equal volume, directions of a low-discrepancy sequence.
RvVec3 rv_liquid_drop_place(size_t n, size_t count);

#endif
