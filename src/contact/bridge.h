// The cross-section of a liquid bridge between a cylinder and a second body (WH-6 to WH-9, spec 1.2.2 with E1, E2,
// E44): pure functions.
//
// The second body is round with a curvature of either sign: a cylinder of 1 / r2, a plane of 0, a solid by its mean
// curvature. Two menisci, mirror images of each other, are arcs of the curvature `bend` (1/R: positive where they are
// hollow). An arc's chord makes the same angle with its tangents at both ends; so the chord leans by half the
// difference of the slopes there, which is the closure of E44 with no R in it, and nothing is singular where the
// menisci are flat.
#ifndef RV_CONTACT_BRIDGE_H
#define RV_CONTACT_BRIDGE_H

#include <stdbool.h>

typedef struct RvBridgePair {
  double radius;     // m, of the first, a cylinder
  double curvature;  // 1/m, of the second
  double angle[2];   // rad, contact angles
} RvBridgePair;

typedef struct RvBridge {
  double alpha;   // wetted half-angle of the first
  double beta;    // and of the second; 0 for a plane
  double width;   // m, wetted half-width of the second, r2 sin(beta)
  double chord;   // m, of a meniscus
  double turn;    // pi - (theta1 + alpha + theta2 + beta): what a meniscus turns by
  double bend;    // 1/R
  double area;    // m2
  double energy;  // m: energy a length over the tension, less what does not change
} RvBridge;

// The bridge over `gap` between the surfaces whose first wetted half-angle is alpha. False: the menisci do not close.
bool rv_contact_bridge_at(const RvBridgePair* pair, double gap, double alpha, RvBridge* out);
// The one of a given area. `guess`, if above 0, is an alpha to start from. False: the geometry ends before (the liquid
// engulfs the bodies), or there is none.
bool rv_contact_bridge_solve(const RvBridgePair* pair, double gap, double area, double guess, RvBridge* out);
// Force a length over the tension that draws the bodies together, as it acts on the first and on the second: two pulls
// of the interface and the suction on the wetted width. They are equal (E44).
double rv_contact_bridge_force(const RvBridgePair* pair, const RvBridge* bridge);
double rv_contact_bridge_force_second(const RvBridgePair* pair, const RvBridge* bridge);
// d_max of WH-11 as the gap between the surfaces: (1 + theta / 2) sqrt(A), theta the mean of both angles.
double rv_contact_bridge_rupture(const RvBridgePair* pair, double area);

#endif
