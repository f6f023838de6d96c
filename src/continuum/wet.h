// Wet hair in the continuum: water makes links heavier and joints softer, and lets the medium collapse.
//
// The water on a link is a mass over that of the dry hair, `load`. A fibre is saturated at RV_WET_SATURATION; its
// wetness is the share of that, at most 1. Saturated keratin has about half the modulus of dry keratin, and the film
// between wet hairs draws them together until they are packed: the rest density rises towards the packing density.
#ifndef RV_CONTINUUM_WET_H
#define RV_CONTINUUM_WET_H

#include "continuum/chain.h"

// Water that a fibre of keratin holds at 100% humidity, over its dry mass (Robbins, Chemical and Physical Behavior of
// Human Hair: 0.31).
static const double RV_WET_SATURATION = 0.31;

typedef struct RvWetHair {
  const double* load;  // [links] mass of the water over that of the dry link; NULL: dry
  double softness;     // share of its stiffness that saturated hair loses, 0 to 1
  double collapse;     // share of the way from rest to packing density that saturated hair collapses by, 0 to 1
  // Made by rv_wet_hair_model.
  double* memory;
  double* water;  // [links] kg
} RvWetHair;

static inline double rv_wetness(double load) {
  double share = load / RV_WET_SATURATION;
  return share < 1 ? share : 1;
}

// The model with the water: `now` has the arrays of the dry model where water changes nothing. Dry hair costs nothing.
RvResult rv_wet_hair_model(RvWetHair* wet, const RvChainModel* dry, RvChainModel* now, RvError* error);
void rv_wet_hair_free(RvWetHair* wet);

#endif
