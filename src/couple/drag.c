// Drag of a fibre in the bulk, for its length and speed (WH-38, SD-19, SD-20; spec 1.2.10 and 2.2.6 with E48, E56).
//
// A plain liquid follows (19) with the quadratic part of Ergun's form. A liquid that yields, thins or thickens follows
// Renaud's coefficient (13.80) with the fibres' share of the space by Di Felice (13.79). The coefficient is that of a
// compact body, so a fibre counts as a row of pieces of PIECE_ASPECT diameters each: the drag of a length is then the
// same however long the edges are (E56).
//
// The numbers are a rheometer's, stress = yield + consistency rate^index. At a rate u / d_p the Reynolds number is
//
//   Re = (1 - phi) rho u^2 / (yield_weight yield + consistency (u / d_p)^index),
//
// where yield_weight gives a slow cylinder the drag of plasticity, PLATEAU yield x diameter for each length.
#include <math.h>

#include "couple/couple.h"
#include "couple/store.h"
#include "math/scalar.h"

static const double QUADRATIC = 0.14288690166235205;  // 1.75 / sqrt(150), of the quadratic drag (spec 1.2.10)
// Diameters. The creeping drag of a plain liquid is then 5.3 viscosity x speed a length; (19) gives a lone hair of 50
// micrometres 5.5.
static const double PIECE_ASPECT = 4;
// Drag of a cylinder that moves across, over yield x diameter x length: the liquid does not slip on hair (11.94; 9.14
// where it slips, Randolph and Houlsby 1984). A fibre that moves along has the yield stress on its surface: pi.
static const double PLATEAU = 11.94;
static const double FAST = 0.44;            // drag coefficient at high Reynolds numbers (13.80)
static const double CREEP = 1e-5;           // m/s: slower motion has the drag coefficient of this speed
static const double LEAST_REYNOLDS = 1e-9;  // keeps the powers of (13.80) finite

RvRenaud rv_couple_renaud(double index) {
  const double root6 = 2.449489742783178, ln3 = 1.0986122886681098, ln6 = 1.791759469228055;
  double alpha = 3 / (index * index + index + 1), power = (3 - alpha) / (2 * alpha);
  double x = rv_pow(6, (index - 1) / 2) * rv_pow(alpha, index + 1);
  return (RvRenaud){.index = index,
                    .x = x,
                    .turn = 6 * x * rv_exp(3 * (alpha - ln6)),
                    .k = (3 - alpha) / (6 * alpha) * rv_exp(power * ln3),
                    .beta = 11 * root6 / 48 * (1 - rv_exp(power * power * rv_log_e((root6 - 1) / root6)))};
}

double rv_couple_renaud_coefficient(const RvRenaud* r, double areas, double reynolds) {
  double slow = 24 * r->x / rv_max(reynolds, LEAST_REYNOLDS);
  double layer = areas * FAST * r->k * rv_pow(slow * slow * r->turn / (r->turn + slow), r->beta);
  return slow + layer + FAST * r->turn / (r->turn + 128 * slow);
}

double rv_couple_voidage_power(double reynolds) {
  const double per_ln10 = 0.4342944819032518;
  double decades = 1.5 - per_ln10 * rv_log_e(rv_max(reynolds, LEAST_REYNOLDS));
  return 3.7 - 0.65 * rv_exp(-0.5 * decades * decades);
}

// (19): E48, the law is for the superficial velocity (1 - phi) du and for the whole force, of which the pressure on the
// fibres' volume is the share phi. So the linear part has the factor (1 - phi)^2, and the quadratic part one more.
static void plain_drag(const RvCoupleSettings* set, double phi, double radius, double speed, double* along,
                       double* across) {
  double d[2];
  rv_couple_drag_law(phi, &d[0], &d[1]);
  double free = 1 - phi;
  double inertia = QUADRATIC * set->density * radius * speed * free * free * free;
  for (int k = 0; k < 2; ++k) {
    double root = sqrt(set->law == RV_DRAG_FORCHHEIMER ? RV_PI * d[k] / phi : d[k]);
    *(k == 0 ? along : across) = free * free * set->viscosity * d[k] + inertia * root;
  }
}

// (13.78) to (13.82). Along the fibre the viscous part is less by the ratio of (19), and the plastic part is that of
// its surface.
static void yield_drag(const RvCoupleSettings* set, const RvRenaud* r, double phi, double radius, double speed,
                       double* along, double* across) {
  double d[2], diameter = 2 * radius, size = 2 * sqrt(PIECE_ASPECT / RV_PI) * diameter;
  double u = rv_max(speed, CREEP);
  double plastic = PLATEAU / (12 * r->x) * set->yield;
  double viscous = set->viscosity * rv_pow(u / size, r->index);
  double reynolds = (1 - phi) * set->density * u * u / (plastic + viscous);
  double crowd = rv_pow(1 - phi, -rv_couple_voidage_power(reynolds));
  *across = 0.5 * set->density * diameter * u * crowd * rv_couple_renaud_coefficient(r, RV_PI, reynolds);
  rv_couple_drag_law(phi, &d[0], &d[1]);
  *along = *across * (RV_PI / PLATEAU * plastic + d[0] / d[1] * viscous) / (plastic + viscous);
}

void rv_couple_drag(const RvCoupleSettings* set, const RvRenaud* renaud, double phi, double radius, double speed,
                    double* along, double* across) {
  phi = rv_clamp(phi, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  if (renaud)
    yield_drag(set, renaud, phi, radius, speed, along, across);
  else
    plain_drag(set, phi, radius, speed, along, across);
}
