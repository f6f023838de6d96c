// The angular momentum that a particle's affine vectors carry on the grid (WH-34), for those who make one particle of
// two or two of one (resample.h).
#ifndef RV_LIQUID_SPIN_H
#define RV_LIQUID_SPIN_H

#include "liquid/particles.h"
#include "math/vec.h"

// Cells^2/s, per mass: the first moments of the momentum that the weights of the faces make of the affine vectors. With
// weights linear between faces their second moment along an axis is f (1 - f), f the place between two of them.
RvVec3 rv_liquid_particle_spin(const RvParticles* particles, size_t i);
// Changes the affine vectors by the least squares such that the spin is `spin`. Where nearly all weight is on one face
// this would take a huge slope: there only the part that RV_SPIN_LEAST allows is added.
void rv_liquid_particle_set_spin(RvParticles* particles, size_t i, RvVec3 spin);

// Least second moment that is divided by, cells^2: that at about a thirtieth of a cell from a face.
#define RV_SPIN_LEAST (1.0 / 32)

#endif
