// What links do at a place, eight at a time. Private to src/contact.
//
// Only what a step needs of a link is here, in floats where it is a parameter and not a place: energy, force and
// Hessian are all of the same numbers, so they agree with each other as if these had been exact.
#ifndef RV_CONTACT_RESPOND_H
#define RV_CONTACT_RESPOND_H

#include "contact/bridge_table.h"

enum { RV_LINKS = 8 };

// As RvContactShape, with no offset.
typedef struct RvLinkBlock {
  double normal[3][RV_LINKS], origin[3][RV_LINKS], reach[RV_LINKS];
  float width[RV_LINKS], stiffness[RV_LINKS];
  float friction_limit[RV_LINKS], slip[RV_LINKS];
} __attribute__((aligned(64))) RvLinkBlock;

// As RvWetLaw. Force is 0 at the first two knots and the last, slope at the first and the last; the energies follow.
typedef struct RvLawBlock {
  double strength[RV_LINKS];  // multiplies the rest
  float low[RV_LINKS], start[RV_LINKS], turn[RV_LINKS], fade[RV_LINKS], rupture[RV_LINKS];
  float side[3][RV_LINKS], shift[RV_LINKS];
  float force[RV_WET_KNOTS - 3][RV_LINKS];  // from knot 2 on
  float slope[RV_WET_KNOTS - 2][RV_LINKS];  // from knot 1 on
} __attribute__((aligned(64))) RvLawBlock;

typedef struct RvLinkResponse {
  double energy[RV_LINKS], gradient[3][RV_LINKS];
  double hessian[6][RV_LINKS];  // xx xy yy xz yz zz
} __attribute__((aligned(64))) RvLinkResponse;

// What the laws of eight bridges are made of, as RvWetDef; low is start - width.
typedef struct RvWetLanes {
  double area[RV_LINKS], rupture[RV_LINKS];  // rupture as that of the table
  float touch[RV_LINKS], start[RV_LINKS], width[RV_LINKS], turn[RV_LINKS], radius[RV_LINKS], ratio[RV_LINKS];
  const RvBridgeTable* table[RV_LINKS];
} __attribute__((aligned(64))) RvWetLanes;
// The laws of the first `count` of them, but for the side; rupture 0: no force at all. `begin` [RV_LINKS], aligned:
// from where on there is any.
void rv_contact_wet_law_lanes(const RvWetLanes* in, int count, RvLawBlock* out, float* begin);

// `law` NULL: dry. delta [3][RV_LINKS], aligned, from the receiver to the source.
void rv_contact_respond_lanes(const RvLinkBlock* link, const RvLawBlock* law, const double* delta, RvLinkResponse* out);

#endif
