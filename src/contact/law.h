// Normal force and friction of a dry contact: pure functions of distance and slip.
#ifndef RV_CONTACT_LAW_H
#define RV_CONTACT_LAW_H

#include <math.h>

typedef struct RvContactForce {
  double energy;  // J
  double force;   // N, dE/dd, not positive
  double slope;   // N/m, d2E/dd2, not negative
} RvContactForce;

// WH-10 with A_L = 0, spec E45: k (d - reach) below reach - width; above it, with y = (reach - d) / width,
// -k width y^2 (2 - y), which has value and slope 0 at the reach and those of the line at its other end.
static inline RvContactForce rv_contact_force(double d, double reach, double width, double k) {
  double y = (reach - d) / width;
  if (!(y > 0)) return (RvContactForce){0, 0, 0};
  if (y >= 1) {
    double p = reach - d;
    return (RvContactForce){k * (0.5 * p * p - width * width / 12), -k * p, k};
  }
  double kw = k * width;
  return (RvContactForce){kw * width * y * y * y * (2.0 / 3 - 0.25 * y), -kw * y * y * (2 - y), k * y * (4 - 3 * y)};
}

typedef struct RvFrictionForce {
  double energy;  // J
  double secant;  // N/m, (dE/ds) / s
  double slope;   // N/m, d2E/ds2
} RvFrictionForce;

// Friction at a slip s: the force is `limit` beyond `slip`, and limit (2 y - y^2) with y = s / slip below it, which is
// C1.
static inline RvFrictionForce rv_contact_friction_force(double s, double slip, double limit) {
  double y = s / slip;
  if (y >= 1) return (RvFrictionForce){limit * (s - slip / 3), limit / s, 0};
  return (RvFrictionForce){limit * slip * y * y * (1 - y / 3), limit * (2 - y) / slip, limit * 2 * (1 - y) / slip};
}

#endif
