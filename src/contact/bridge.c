// Cross-section of a liquid bridge: closure of the menisci, area, energy and force; see bridge.h.
#include "contact/bridge.h"

#include <math.h>

#include "math/scalar.h"

// Numerical limits of the solvers below, relative to the quantity at hand.
static const double FLAT = 1e-9;           // curvature times radius: less counts as a plane
static const double EQUAL_RADII = 1e-12;   // bodies are alike
static const double BETA_RANGE = 1e-6;     // rad: bracket that has shrunk to the end of its range
static const double BETA_DIGITS = 1e-13;   // accuracy of beta
static const double CLOSURE = 1e-9;        // residual of the closure in lengths
static const double AREA_DIGITS = 1e-13;   // accuracy of the area
static const double AREA_ACCEPTED = 1e-7;  // accuracy of the area at the end of the iterations
enum { MOST_ITERATIONS = 60 };

static bool is_plane(const RvBridgePair* p) {
  return !(fabs(p->curvature * p->radius) > FLAT);
}

// The contact line on the second body, relative to the centre of the first, x towards the second.
typedef struct Line {
  double x, y, beta;
} Line;

static Line line_at(const RvBridgePair* p, double gap, double beta) {
  double c = rv_cos(beta), s = rv_sin(beta);
  return (Line){p->radius + gap + (1 - c) / p->curvature, s / p->curvature, beta};
}

// Residual of the closure E44 (the inclination of the chord is half the difference of the slopes at its ends), and its
// derivative by beta. It increases with beta while the wetted angles of the bodies sum to less than pi.
static double closure(const RvBridgePair* p, double gap, double alpha, double x1, double y1, double beta,
                      double* slope) {
  double delta = 0.5 * (p->angle[0] + alpha - p->angle[1] - beta);
  double c = rv_cos(delta);
  double s = rv_sin(delta);
  double cb = rv_cos(beta);
  double sb = rv_sin(beta);
  double x = p->radius + gap + (1 - cb) / p->curvature - x1;
  double y = sb / p->curvature - y1;
  *slope = (cb * c - sb * s) / p->curvature + 0.5 * (y * s + x * c);
  return y * c - x * s;
}

// Solves the closure for beta by Newton's method within a bracket; *out is the guess, then the solution. False: the
// menisci do not close.
static bool close_second(const RvBridgePair* p, double gap, double alpha, double x1, double y1, double* out) {
  double sign = p->curvature > 0 ? 1 : -1, lo = 0, hi = sign * (RV_PI - p->angle[1]), slope;
  // First guess: exact for bodies that are alike.
  double beta = sign * fmin(*out != 0 ? fabs(*out) : alpha * p->radius * fabs(p->curvature), 0.9 * fabs(hi));
  double first = 0.5 * (p->angle[0] + alpha - p->angle[1]), at;
  // Without wetted width on the second body there is nothing to close.
  if (!(-y1 * rv_cos(first) - (p->radius + gap - x1) * rv_sin(first) <= 0)) return false;
  if (p->curvature < 0) hi = fmax(hi, -0.5 * RV_PI);
  for (int it = 0; it < MOST_ITERATIONS; ++it) {
    at = closure(p, gap, alpha, x1, y1, beta, &slope);
    *out = beta;
    if (at > 0)
      hi = beta;
    else
      lo = beta;
    if (fabs(hi - lo) < BETA_RANGE && fabs(hi) > RV_PI - p->angle[1] - 1e-9) return false;
    double next = slope * sign > 0 ? beta - at / slope : 0.5 * (lo + hi);
    if (fabs(next - beta) <= BETA_DIGITS * (fabs(beta) + fabs(p->curvature) * p->radius)) break;
    if (!((next - lo) * sign > 0) || !((hi - next) * sign > 0)) next = 0.5 * (lo + hi);
    beta = next;
  }
  // at an end of the range the residual is not 0
  return fabs(at) < CLOSURE * (p->radius + gap);
}

// x / sin x, and (2 x - sin 2 x) / (4 sin^2 x), by their series where x is small.
static double over_sine(double x, double sine) {
  return fabs(x) < 1e-4 ? 1 + x * x / 6 : x / sine;
}
static double segment(double x, double sine, double cosine) {
  return fabs(x) < 1e-2 ? x / 3 * (1 + x * x * (2.0 / 15 + x * x * (2.0 / 105)))
                        : (x - sine * cosine) / (2 * sine * sine);
}

static bool are_alike(const RvBridgePair* p) {
  return p->angle[0] == p->angle[1] && fabs(p->radius * p->curvature - 1) < EQUAL_RADII;
}

// The bridge of half-angle alpha; `beta` is a guess.
static bool bridge_at(const RvBridgePair* p, double gap, double alpha, double beta, RvBridge* out) {
  double r = p->radius, x1 = r * rv_cos(alpha), y1 = r * rv_sin(alpha);
  bool plane = is_plane(p);
  if (are_alike(p))
    beta = alpha;
  else if (!plane && !close_second(p, gap, alpha, x1, y1, &beta))
    return false;
  // Contact line on the second body, and the chord of the meniscus.
  double delta = 0.5 * (p->angle[0] + alpha - p->angle[1] - beta);
  double c = rv_cos(delta);
  double s = rv_sin(delta);
  Line l = plane ? (Line){.x = r + gap} : line_at(p, gap, beta);
  if (!(c > 0)) return false;
  double chord = plane ? (l.x - x1) / c : (l.x - x1) * c + (l.y - y1) * s;
  if (plane) l.y = y1 + chord * s;
  if (!(chord > 0) || !(l.y >= 0)) return false;
  // Arc of the meniscus: half of its angle, and its length.
  double half = 0.5 * (RV_PI - p->angle[0] - alpha - p->angle[1] - beta);
  double sine = rv_sin(half);
  double cosine = rv_cos(half);
  double arc = chord * over_sine(half, sine);
  // Half of the area: under the chord, less the cylinder's sector, the second body's segment and that of the meniscus.
  double under = 0.5 * (x1 * y1 + (l.x - x1) * (y1 + l.y)), solid = 0.5 * r * r * alpha;
  double b = plane ? 0 : l.y * l.y * segment(beta, rv_sin(beta), rv_cos(beta));
  double hollow = 0.5 * chord * chord * segment(half, sine, cosine);
  double wetted = plane ? l.y : beta / p->curvature;
  *out = (RvBridge){.alpha = alpha,
                    .beta = beta,
                    .width = l.y,
                    .chord = chord,
                    .turn = 2 * half,
                    .bend = 2 * sine / chord,
                    .area = 2 * (under - solid - b - hollow),
                    .energy = 2 * (arc - rv_cos(p->angle[0]) * r * alpha - rv_cos(p->angle[1]) * wetted)};
  return true;
}

bool rv_contact_bridge_at(const RvBridgePair* pair, double gap, double alpha, RvBridge* out) {
  return bridge_at(pair, gap, alpha, 0, out);
}

// The area increases with alpha: the secant method within a bracket.
bool rv_contact_bridge_solve(const RvBridgePair* p, double gap, double area, double guess, RvBridge* out) {
  double lo = 0;
  double hi = RV_PI - p->angle[0];
  double at_lo = -1;
  double at_hi = -1;
  double x = guess > 0 ? guess : 0.5 * hi;
  double before = -1, at_before = 0, beta = 0;
  if (!(gap > 0) || !(area > 0)) return false;
  for (int it = 0; it < MOST_ITERATIONS; ++it) {
    // The bridge at the present alpha.
    bool closed = bridge_at(p, gap, x, beta, out);
    beta = closed ? out->beta : 0;
    double at = closed ? out->area - area : 0;
    if (closed && fabs(at) <= AREA_DIGITS * area + 1e-16 * p->radius * p->radius) return true;
    // Shrink the bracket.
    if (!closed) {
      // towards an angle that closed, or towards small angles at first
      if (at_lo > -1 && before > lo)
        hi = x;
      else if (at_hi > -1)
        lo = x;
      else
        hi = x;
      before = -1;
      x = 0.5 * (lo + hi);
    } else {
      if (at > 0) {
        hi = x;
        at_hi = 0;
      } else {
        lo = x;
        at_lo = 0;
      }
      // The next alpha: secant, a small step from the guess, or bisection.
      double next = 0.5 * (lo + hi);
      if (before >= 0 && at != at_before)
        next = x - at * (x - before) / (at - at_before);
      else if (guess > 0)
        next = x * (at > 0 ? 0.98 : 1.02);
      if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
      before = x;
      at_before = at;
      if (fabs(next - x) <= 1e-15) return fabs(at) <= AREA_ACCEPTED * area;
      x = next;
    }
    if (!(hi - lo > 1e-12)) break;
  }
  return rv_contact_bridge_at(p, gap, 0.5 * (lo + hi), out) && fabs(out->area - area) <= AREA_ACCEPTED * area;
}

// spec 1.2.2: 2 sigma sin(theta + alpha) + 2 r sigma sin(alpha) / R
double rv_contact_bridge_force(const RvBridgePair* p, const RvBridge* b) {
  return 2 * (rv_sin(p->angle[0] + b->alpha) + p->radius * rv_sin(b->alpha) * b->bend);
}

double rv_contact_bridge_force_second(const RvBridgePair* p, const RvBridge* b) {
  return 2 * (rv_sin(p->angle[1] + b->beta) + b->width * b->bend);
}

// WH-11: d_max = (1 + theta / 2) sqrt(A), theta the mean of both contact angles
double rv_contact_bridge_rupture(const RvBridgePair* p, double area) {
  return (1 + 0.25 * (p->angle[0] + p->angle[1])) * sqrt(area);
}
