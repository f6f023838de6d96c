// Energy, gradient and Hessian of links, eight at a time, and their force laws. Private to src/contact.
//
// Blocks hold only what a step needs of a link. Parameters are floats, positions are doubles: energy, gradient and
// Hessian use the same rounded parameters, so they are consistent with each other.
#ifndef RV_CONTACT_RESPOND_H
#define RV_CONTACT_RESPOND_H

#include "contact/bridge_table.h"

enum { RV_LINKS = 8 };  // of a block

// Parameters of eight links, as RvContactShape without offset.
typedef struct RvLinkBlock {
  double normal[3][RV_LINKS], origin[3][RV_LINKS], reach[RV_LINKS];
  float width[RV_LINKS], stiffness[RV_LINKS];
  float friction_limit[RV_LINKS], slip[RV_LINKS];
} __attribute__((aligned(64))) RvLinkBlock;

// Bridge laws of eight links, as RvWetLaw. The force is 0 at the first two knots and the last, the slope at the first
// and the last; energies are integrated from these.
typedef struct RvLawBlock {
  double strength[RV_LINKS];  // N, multiplies forces, slopes and energies
  float low[RV_LINKS], start[RV_LINKS], turn[RV_LINKS], fade[RV_LINKS], rupture[RV_LINKS];
  float side[3][RV_LINKS];
  float force[RV_WET_KNOTS - 3][RV_LINKS];  // from knot 2 on
  float slope[RV_WET_KNOTS - 2][RV_LINKS];  // from knot 1 on
} __attribute__((aligned(64))) RvLawBlock;

typedef struct RvLinkResponse {
  double energy[RV_LINKS], gradient[3][RV_LINKS];
  double hessian[6][RV_LINKS];  // xx xy yy xz yz zz
} __attribute__((aligned(64))) RvLinkResponse;

// Input of the laws of eight bridges, as RvWetDef; low is start - width.
typedef struct RvWetLanes {
  double area[RV_LINKS];     // m2
  double rupture[RV_LINKS];  // of the table
  float touch[RV_LINKS], start[RV_LINKS], width[RV_LINKS], turn[RV_LINKS], radius[RV_LINKS], ratio[RV_LINKS],
      spread[RV_LINKS];
  float distance[RV_LINKS];  // m, at the start of the step
  const RvBridgeTable* table[RV_LINKS];
} __attribute__((aligned(64))) RvWetLanes;
// Makes the laws of the first `count`, except side; rupture 0: no force. `begin` [RV_LINKS], aligned, is the
// distance from which on there is a force. `push` [RV_LINKS], aligned, is rv_contact_wet_push at the start of the step,
// over the strength.
void rv_contact_wet_law_lanes(const RvWetLanes* in, int count, RvLawBlock* out, float* begin, float* push);

// Evaluates eight links. `law` NULL: dry. delta [3][RV_LINKS], aligned: from the receiver's point to the source's.
void rv_contact_respond_lanes(const RvLinkBlock* link, const RvLawBlock* law, const double* delta, RvLinkResponse* out);

#endif
