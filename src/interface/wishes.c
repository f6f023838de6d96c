// Coefficients from wishes; see wishes.h.
#include "interface/wishes.h"

#include <math.h>

#include "math/scalar.h"

// Whether two liquids and air can meet in a line: Neumann's triangle of their three tensions closes.
static RvResult check_triangle(const RvInterfaceWishes* w, int a, int b, RvError* error) {
  double between = w->between[a][b];
  double sum = w->surface[a] + w->surface[b];
  double difference = fabs(w->surface[a] - w->surface[b]);
  if (!(between >= 0) || !isfinite(between))
    return rv_fail(error, RV_BAD_INPUT, "interfacetension: that of liquids %d and %d is %g: it must be 0 or more",
                   a + 1, b + 1, between);
  if (between > sum)
    return rv_fail(
        error, RV_BAD_INPUT,
        "interfacetension: that of liquids %d and %d is %g, above the sum %g of their surface tensions: they would "
        "leave each other; lower it",
        a + 1, b + 1, between, sum);
  if (between < difference)
    return rv_fail(
        error, RV_BAD_INPUT,
        "interfacetension: that of liquids %d and %d is %g, below the difference %g of their surface tensions: one "
        "would spread over the other for ever; raise it",
        a + 1, b + 1, between, difference);
  return RV_OK;
}

// Tension between two phases, either of which may be air.
static double tension_between(const RvInterfaceBonds* bonds, int a, int b) {
  if (a == RV_INTERFACE_AIR) return bonds->liquid[b][b];
  if (b == RV_INTERFACE_AIR) return bonds->liquid[a][a];
  return bonds->liquid[a][a] + bonds->liquid[b][b] - 2 * bonds->liquid[a][b];
}

// Share of the other two tensions by which rounding lets the third exceed their sum.
static const double ROUNDING = 1e-12;

// The tensions between three phases; side k is opposite to phase k. None may be above the sum of the others.
static RvResult find_sides(const RvInterfaceBonds* bonds, const int phase[3], double side[3], RvError* error) {
  for (int k = 0; k < 3; ++k) side[k] = tension_between(bonds, phase[(k + 1) % 3], phase[(k + 2) % 3]);
  for (int k = 0; k < 3; ++k)
    if (!(side[k] <= (side[(k + 1) % 3] + side[(k + 2) % 3]) * (1 + ROUNDING)))
      return rv_fail(error, RV_BAD_INPUT,
                     "phases %d, %d and %d do not meet in a line: of the tensions between them, %g, %g and %g, the "
                     "%s is above the sum of the others, so one phase spreads between the other two; bring the "
                     "tensions nearer to each other",
                     phase[0] + 1, phase[1] + 1, phase[2] + 1, side[0], side[1], side[2],
                     (const char* const[]){"first", "second", "third"}[k]);
  return RV_OK;
}

RvResult rv_interface_meeting(const RvInterfaceBonds* bonds, const int phase[3], double angle[3], RvError* error) {
  double side[3];
  RvResult result = find_sides(bonds, phase, side, error);
  if (result) return result;
  if (!(side[0] * side[1] * side[2] > 0))
    return rv_fail(error, RV_BAD_INPUT, "phases %d, %d and %d do not meet in a line: two of them mix, with no tension",
                   phase[0] + 1, phase[1] + 1, phase[2] + 1);
  for (int k = 0; k < 3; ++k) {
    double opposite = side[k];
    double first = side[(k + 1) % 3];
    double second = side[(k + 2) % 3];
    double cosine = (opposite * opposite - first * first - second * second) / (2 * first * second);
    angle[k] = rv_acos(rv_clamp(cosine, -1, 1));
  }
  return RV_OK;
}

// Whether each three liquids can meet in a line.
static RvResult check_liquids(const RvInterfaceWishes* w, const RvInterfaceBonds* bonds, RvError* error) {
  RvResult result = RV_OK;
  double side[3];
  for (int a = 0; a < w->phases && !result; ++a)
    for (int b = 0; b < a && !result; ++b)
      for (int c = 0; c < b && !result; ++c) result = find_sides(bonds, (const int[]){a, b, c}, side, error);
  return result;
}

RvResult rv_interface_bonds(const RvInterfaceWishes* w, RvInterfaceBonds* out, RvError* error) {
  RvResult result = RV_OK;
  *out = (RvInterfaceBonds){0};
  for (int a = 0; a < w->phases && !result; ++a) {
    if (!(w->surface[a] >= 0) || !isfinite(w->surface[a]))
      return rv_fail(error, RV_BAD_INPUT, "surfacetension of liquid %d is %g: it must be 0 or more", a + 1,
                     w->surface[a]);
    if (!(w->angle[a] >= 0 && w->angle[a] <= RV_PI))
      return rv_fail(error, RV_BAD_INPUT, "contactangle of liquid %d is %g degrees: it must be 0 to 180", a + 1,
                     w->angle[a] * 180 / RV_PI);
    out->liquid[a][a] = w->surface[a];
    out->solid[a] = 0.5 * w->surface[a] * (1 + rv_cos(w->angle[a]));
    // Half of c_ab = gamma_a + gamma_b - gamma_ab, as gamma_a is half of c_aa.
    for (int b = 0; b < a && !result; ++b) {
      result = check_triangle(w, a, b, error);
      out->liquid[a][b] = 0.5 * (w->surface[a] + w->surface[b] - w->between[a][b]);
      out->liquid[b][a] = out->liquid[a][b];
    }
  }
  return result ? result : check_liquids(w, out, error);
}

RvResult rv_interface_shared_angle(const RvInterfaceBonds* bonds, int a, int b, double* cosine, RvError* error) {
  double aa = bonds->liquid[a][a];
  double bb = bonds->liquid[b][b];
  double between = tension_between(bonds, a, b);
  *cosine = (aa - bb + 2 * bonds->solid[b] - 2 * bonds->solid[a]) / between;
  if (!(fabs(*cosine) <= 1))
    return rv_fail(error, RV_BAD_INPUT,
                   "liquids %d and %d cannot meet on the solid: the cosine of their angle would be %g, so one spreads; "
                   "bring contactangle and contactangle2 nearer to each other, or raise interfacetension",
                   a + 1, b + 1, *cosine);
  return RV_OK;
}
