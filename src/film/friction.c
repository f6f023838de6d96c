// Friction of the film on its fibre: the artist's damping and the liquid's own viscosity (SD-9, spec 2.2.3).
#include <math.h>

#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

// m: lower bound of heights and radii in the friction rate, which otherwise divides by zero.
#define THINNEST 1e-10
// 1/s: lower bound of the shear rate, as the viscosity of a yield-stress liquid is unbounded at rest.
#define SLOWEST 1e-3
// sqrt(2/3), the factor of the yield stress in SD-9.
#define ROOT_TWO_THIRDS 0.81649658092772603

// Effective viscosity at a shear rate (SD-9, spec 2.2.3): sqrt(2/3) yield / rate + consistency rate^(index - 1).
static double viscosity(const RvFilmLiquid* l, double rate) {
  if (l->index == 1 && l->yield == 0) return l->consistency;
  double r = fmax(rate, SLOWEST), thick = l->index == 1 ? 1 : rv_pow(r, l->index - 1);
  return ROOT_TWO_THIRDS * l->yield / r + l->consistency * thick;
}

// Damping rate of a film of height h on a fibre of radius r by viscosity, 1/s. Under an acceleration a the mean steady
// flow of an annulus with slip on the fibre and a stress-free surface is
//   a rho / eta (slip h (1 + x / 2) + f(x) h^2 / 3),  x = h / r.
// The first term follows from the balance of forces on the fibre, the second from integrating
// a / 4 nu (2 (r + h)^2 ln(s / r) - s^2 + r^2). f is 1 on a plane, 1 + x / 2 for thin films and 2 at x = 3; the
// quotient `round` below fits it within 1% up to x = 30. Spec 2.2.3 unrolls the annulus, which is f = 1.
double rv_film_viscous_rate(const RvFilmLiquid* l, double height, double radius, double slip, double speed) {
  double h = fmax(height, THINNEST), x = h / fmax(radius, THINNEST);
  double round = (1 + x * (0.6366 + x * 0.00585)) / (1 + 0.1623 * x);
  return viscosity(l, fabs(speed) / h) / (l->density * h * (slip * (1 + 0.5 * x) + round * h / 3));
}

// An artist's multiplier; values that are not positive and finite count as 0.
static double multiplier(const double* at, size_t k) {
  double x = at ? at[k] : 1;
  return x > 0 && x < INFINITY ? x : 0;
}

// Implicit Euler of du/dt = -rate u removes the share rate dt / (1 + rate dt) of the speed.
void rv_film_hold(const RvFilmModel* m, const RvFilmBatch* b, const RvFilmSettings* settings, double dt,
                  const double* volume, const double* speed, const RvFilmShape* shape, double* hold) {
  bool viscous = settings->viscous && (m->liquid.consistency > 0 || m->liquid.yield > 0);
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = (size_t)i * RV_LANES + (size_t)lane, at = b->vertex_at + k;
      double rate = settings->friction * multiplier(settings->friction_at, at);
      if (viscous) {
        double height = rv_film_height(volume[k] / (m->hairs[at] * shape->cell[k]), m->radius[at]);
        double before = i > 0 ? speed[k - RV_LANES] : 0;
        double after = i + 1 < b->vertices ? speed[k] : 0;
        rate += rv_film_viscous_rate(&m->liquid, height, m->radius[at], settings->slip,
                                     (1 - shape->share[k]) * before + shape->share[k] * after);
      }
      hold[k] = rate * dt / (1 + rate * dt);
    }
}
