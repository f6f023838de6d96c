// Drops through the node interfacesolver that tension and contact angles are measured on.
#ifndef RV_RIG_INTERFACE_DROPS_H
#define RV_RIG_INTERFACE_DROPS_H

#include "interface/pair.h"
#include "rivulet/geo.h"

// A drop that comes to rest, is stretched by 1.2 and oscillates.
typedef struct RvDropSwing {
  double radius;     // spacings
  double tension;    // N/m
  double viscosity;  // Pa s, while it oscillates
  const char* form;  // parameter `pairforce`
  int substeps;      // a frame, at least
} RvDropSwing;

typedef struct RvDropPeriod {
  double period;    // of the second mode, over that of Rayleigh
  double decay;     // 1/s
  double lamb;      // 1/s: decay by Lamb's law, 5 nu / R^2
  double residual;  // rms error of the fit over the amplitude
} RvDropPeriod;

// Two periods of a drop of water's density with particles of a millimetre, without gravity.
RvResult rv_rig_drop_swing(const RvDropSwing* swing, RvDropPeriod* out, RvError* error);

// The factor of a pair force by the mean of several drops of water, their radii in spacings: single drops scatter, as
// each takes its own way through the arrangements of its particles. `scatter` is the standard deviation over the mean.
typedef struct RvDropFactor {
  double factor, scatter;
} RvDropFactor;

RvResult rv_rig_drop_factor(RvPairForm form, const double* radii, int count, RvDropFactor* out, RvError* error);

// Where a cap begins: near its shape, since thin caps spread slowly and round ones jump off a floor without gravity.
typedef struct RvCapBlock {
  double across, high;  // spacings
  double viscosity;     // Pa s
} RvCapBlock;

// Contact angle, degrees, by volume and height of a cap after 20 frames on the floor of a tank whose contact angle is
// set to `angle`, without gravity.
RvResult rv_rig_cap_angle(double angle, const RvCapBlock* block, double* measured, RvError* error);

#endif
