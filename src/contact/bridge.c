#include "contact/bridge.h"

#include <math.h>

#include "math/scalar.h"

static bool is_plane(const RvBridgePair* p) {
  return !(fabs(p->curvature * p->radius) > 1e-9);
}

// where the contact line is on the second body, in the frame of the first's centre with x towards the second
typedef struct Line {
  double x, y, beta;
} Line;

static Line line_at(const RvBridgePair* p, double gap, double beta) {
  double c = rv_cos(beta), s = rv_sin(beta);
  return (Line){p->radius + gap + (1 - c) / p->curvature, s / p->curvature, beta};
}

// E44: the chord leans by half the difference of the slopes at its ends. Rises with beta while the bodies' wetted
// angles sum to less than pi.
static double lean(const RvBridgePair* p, double gap, double alpha, double x1, double y1, double beta, double* slope) {
  double delta = 0.5 * (p->angle[0] + alpha - p->angle[1] - beta), c = rv_cos(delta), s = rv_sin(delta);
  double cb = rv_cos(beta), sb = rv_sin(beta), x = p->radius + gap + (1 - cb) / p->curvature - x1;
  double y = sb / p->curvature - y1;
  *slope = (cb * c - sb * s) / p->curvature + 0.5 * (y * s + x * c);
  return y * c - x * s;
}

// `out` is a guess first
static bool close_second(const RvBridgePair* p, double gap, double alpha, double x1, double y1, double* out) {
  double sign = p->curvature > 0 ? 1 : -1, lo = 0, hi = sign * (RV_PI - p->angle[1]), slope;
  // of like bodies the answer; of others near it
  double beta = sign * fmin(*out != 0 ? fabs(*out) : alpha * p->radius * fabs(p->curvature), 0.9 * fabs(hi));
  double first = 0.5 * (p->angle[0] + alpha - p->angle[1]), at;
  // no wetted width on the second body: nothing to close
  if (!(-y1 * rv_cos(first) - (p->radius + gap - x1) * rv_sin(first) <= 0)) return false;
  if (p->curvature < 0) hi = fmax(hi, -0.5 * RV_PI);
  for (int it = 0; it < 60; ++it) {
    at = lean(p, gap, alpha, x1, y1, beta, &slope);
    *out = beta;
    if (at > 0)
      hi = beta;
    else
      lo = beta;
    if (fabs(hi - lo) < 1e-6 && fabs(hi) > RV_PI - p->angle[1] - 1e-9) return false;
    double next = slope * sign > 0 ? beta - at / slope : 0.5 * (lo + hi);
    if (fabs(next - beta) <= 1e-13 * (fabs(beta) + fabs(p->curvature) * p->radius)) break;
    if (!((next - lo) * sign > 0) || !((hi - next) * sign > 0)) next = 0.5 * (lo + hi);
    beta = next;
  }
  // at an end of the range nothing closes
  return fabs(at) < 1e-9 * (p->radius + gap);
}

// x / sin x, and (2 x - sin 2 x) / (4 sin^2 x), both without a division by 0
static double over_sine(double x, double sine) {
  return fabs(x) < 1e-4 ? 1 + x * x / 6 : x / sine;
}
static double segment(double x, double sine, double cosine) {
  return fabs(x) < 1e-2 ? x / 3 * (1 + x * x * (2.0 / 15 + x * x * (2.0 / 105)))
                        : (x - sine * cosine) / (2 * sine * sine);
}

static bool are_alike(const RvBridgePair* p) {
  return p->angle[0] == p->angle[1] && fabs(p->radius * p->curvature - 1) < 1e-12;
}

static bool bridge_at(const RvBridgePair* p, double gap, double alpha, double beta, RvBridge* out) {
  double r = p->radius, x1 = r * rv_cos(alpha), y1 = r * rv_sin(alpha);
  bool plane = is_plane(p);
  if (are_alike(p))
    beta = alpha;
  else if (!plane && !close_second(p, gap, alpha, x1, y1, &beta))
    return false;
  double delta = 0.5 * (p->angle[0] + alpha - p->angle[1] - beta), c = rv_cos(delta), s = rv_sin(delta);
  Line l = plane ? (Line){.x = r + gap} : line_at(p, gap, beta);
  if (!(c > 0)) return false;
  double chord = plane ? (l.x - x1) / c : (l.x - x1) * c + (l.y - y1) * s;
  if (plane) l.y = y1 + chord * s;
  if (!(chord > 0) || !(l.y >= 0)) return false;
  double half = 0.5 * (RV_PI - p->angle[0] - alpha - p->angle[1] - beta), sine = rv_sin(half), cosine = rv_cos(half);
  double arc = chord * over_sine(half, sine);
  // under the chord, less the cylinder's sector, the second body's segment and that of the hollow meniscus; both sides
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

// The area rises with alpha; secants within a bracket.
bool rv_contact_bridge_solve(const RvBridgePair* p, double gap, double area, double guess, RvBridge* out) {
  double lo = 0, hi = RV_PI - p->angle[0], at_lo = -1, at_hi = -1, x = guess > 0 ? guess : 0.5 * hi;
  double before = -1, at_before = 0, beta = 0;
  if (!(gap > 0) || !(area > 0)) return false;
  for (int it = 0; it < 60; ++it) {
    bool closed = bridge_at(p, gap, x, beta, out);
    beta = closed ? out->beta : 0;
    double at = closed ? out->area - area : 0;
    if (closed && fabs(at) <= 1e-13 * area + 1e-16 * p->radius * p->radius) return true;
    if (!closed) {
      // nearer to what closed, or towards small angles first
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
      double next = 0.5 * (lo + hi);
      if (before >= 0 && at != at_before)
        next = x - at * (x - before) / (at - at_before);
      else if (guess > 0)
        next = x * (at > 0 ? 0.98 : 1.02);
      if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
      before = x;
      at_before = at;
      if (fabs(next - x) <= 1e-15) return fabs(at) <= 1e-7 * area;
      x = next;
    }
    if (!(hi - lo > 1e-12)) break;
  }
  return rv_contact_bridge_at(p, gap, 0.5 * (lo + hi), out) && fabs(out->area - area) <= 1e-7 * area;
}

// spec 1.2.2: 2 sigma sin(theta + alpha) + 2 r sigma sin(alpha) / R
double rv_contact_bridge_force(const RvBridgePair* p, const RvBridge* b) {
  return 2 * (rv_sin(p->angle[0] + b->alpha) + p->radius * rv_sin(b->alpha) * b->bend);
}

double rv_contact_bridge_force_second(const RvBridgePair* p, const RvBridge* b) {
  return 2 * (rv_sin(p->angle[1] + b->beta) + b->width * b->bend);
}

double rv_contact_bridge_rupture(const RvBridgePair* p, double area) {
  return (1 + 0.25 * (p->angle[0] + p->angle[1])) * sqrt(area);
}
