// The cross-section of a liquid bridge between a cylinder and a second body (WH-6 to WH-9, spec 1.2.2 with E1, E2,
// E44): pure functions.
//
// The second body is round with a curvature of either sign: 1 / r2 for a cylinder, 0 for a plane, the mean curvature
// for a solid. The two menisci are mirror images: circular arcs of curvature `bend` (1/R, positive where concave). An
// arc's chord makes the same angle with its tangents at both ends, so the inclination of the chord is half the
// difference of the slopes there. That is the closure of E44 without R, and it is not singular where the menisci are
// flat.
#ifndef RV_CONTACT_BRIDGE_H
#define RV_CONTACT_BRIDGE_H

#include <stdbool.h>

typedef struct RvBridgePair {
  double radius;     // m, of the first, a cylinder
  double curvature;  // 1/m, of the second
  double angle[2];   // rad, contact angles
} RvBridgePair;

typedef struct RvBridge {
  double alpha;   // rad, wetted half-angle of the first
  double beta;    // rad, and of the second; 0 for a plane
  double width;   // m, wetted half-width of the second, r2 sin(beta)
  double chord;   // m, of a meniscus
  double turn;    // rad, angle of the meniscus arc: pi - (theta1 + alpha + theta2 + beta)
  double bend;    // 1/R
  double area;    // m2
  double energy;  // m: energy per length over the tension, up to a constant
} RvBridge;

// The bridge of wetted half-angle alpha over `gap` between the surfaces. False: the menisci do not close.
bool rv_contact_bridge_at(const RvBridgePair* pair, double gap, double alpha, RvBridge* out);
// The bridge of a given area. `guess`, if above 0, is an alpha to start from. False: there is none, as the liquid
// engulfs the bodies before.
bool rv_contact_bridge_solve(const RvBridgePair* pair, double gap, double area, double guess, RvBridge* out);
// Attractive force per length over the tension, on the first and on the second body: tension of both menisci and
// suction on the wetted width. The two are equal (E44).
double rv_contact_bridge_force(const RvBridgePair* pair, const RvBridge* bridge);
double rv_contact_bridge_force_second(const RvBridgePair* pair, const RvBridge* bridge);
// d_max of WH-11 as the gap between the surfaces: (1 + theta / 2) sqrt(A), theta the mean of both angles.
double rv_contact_bridge_rupture(const RvBridgePair* pair, double area);

#endif
