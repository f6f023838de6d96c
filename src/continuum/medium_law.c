// The equation of state, and its implicit solution in one cell.
#include "continuum/medium_law.h"

#include "math/scalar.h"

enum { MOST_WHOLE_POWER = 16 };  // larger exponents, and fractions, take rv_pow
enum { ITERATIONS = 60 };        // of a bracketed Newton method, which needs 3 or 4 unless the law is capped
static const double TOLERANCE = 1e-13;

// x^power for x in [0, 1].
static double raise(double x, double power) {
  int whole = (int)power;
  if (power != whole || whole > MOST_WHOLE_POWER) return rv_pow(x, power);
  double y = 1;
  for (int i = 0; i < whole; ++i) y *= x;
  return y;
}

RvMediumPressure rv_medium_pressure(const RvMediumLaw* law, double density) {
  double range = law->packing_density - law->rest_density;
  double x = (density - law->rest_density) / range;
  if (!(x > 0)) return (RvMediumPressure){0, 0};
  double steepness = law->stiffness * law->power / range;
  if (x >= 1) {
    if (law->capped) return (RvMediumPressure){law->stiffness, 0};
    return (RvMediumPressure){law->stiffness + steepness * (x - 1) * range, steepness};
  }
  double lower = raise(x, law->power - 1);
  return (RvMediumPressure){law->stiffness * lower * x, steepness * lower};
}

// Pressure at y, and its slope by y.
static RvMediumPressure pressure_at(const RvMediumLaw* law, const RvMediumCell* c, double y) {
  RvMediumPressure p = rv_medium_pressure(law, c->density * y);
  p.slope *= c->density;
  if (y > 1) {
    p.pressure += c->friction * (y - 1);
    p.slope += c->friction;
  }
  return p;
}

// Root of y - ratio + give p(y), which rises with y.
double rv_medium_cell_pressure(const RvMediumLaw* law, const RvMediumCell* c) {
  double y = c->ratio;
  RvMediumPressure p = pressure_at(law, c, y);
  if (!(p.pressure > 0)) return 0;
  // There is no pressure at `lo`, and too much at `hi`.
  double lo = law->stiffness > 0 ? rv_min(y, law->rest_density / c->density) : y, hi = y;
  if (c->friction > 0) lo = rv_min(lo, 1);
  for (int i = 0; i < ITERATIONS; ++i) {
    double excess = y - c->ratio + c->give * p.pressure;
    if (excess > 0)
      hi = y;
    else
      lo = y;
    double step = excess / (1 + c->give * p.slope), next = y - step;
    if (__builtin_fabs(step) <= TOLERANCE * c->ratio) break;
    if (next <= lo || next >= hi) next = 0.5 * (lo + hi);
    if (hi - lo <= TOLERANCE * c->ratio) break;
    y = next;
    p = pressure_at(law, c, y);
  }
  return p.pressure;
}
