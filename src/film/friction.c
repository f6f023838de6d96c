// Friction of the film on its fibre: the artist's damping and the liquid's own viscosity (SD-9, spec 2.2.3).
#include <math.h>

#include "film/flow_law.h"
#include "film/solids.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

// m: lower bound of heights and radii in the friction rate, which otherwise divides by zero.
#define THINNEST 1e-10
// Damping rate of a film of height h on a fibre of radius r by viscosity, 1/s. Under an acceleration a the mean steady
// flow of an annulus with slip on the fibre and a stress-free surface is
//   a rho / eta (slip h (1 + x / 2) + f(x) h^2 / 3),  x = h / r.
// The first term follows from the balance of forces on the fibre, the second from integrating
// a / 4 nu (2 (r + h)^2 ln(s / r) - s^2 + r^2). f is 1 on a plane, 1 + x / 2 for thin films and 2 at x = 3; the
// quotient `round` below fits it within 1% up to x = 30. Spec 2.2.3 unrolls the annulus, which is f = 1.
static double rate_of(const RvFilmLiquid* l, double height, double radius, double slip) {
  double h = fmax(height, THINNEST), x = h / fmax(radius, THINNEST);
  double round = (1 + x * (0.6366 + x * 0.00585)) / (1 + 0.1623 * x);
  return l->consistency / (l->density * h * (slip * (1 + 0.5 * x) + round * h / 3));
}

double rv_film_stopped_share(const RvFilmLiquid* l, double height, double radius, double dt, double speed) {
  double h = fmax(height, THINNEST), r = fmax(radius, THINNEST);
  if (l->flow) return 1 - rv_film_flow_kept(l, h, r, 0, 0, dt, speed);
  return 1 - rv_exp(-rate_of(l, h, r, 0) * dt);
}

// m/s2 of gravity along the strand at a vertex, less what the bulk around it supports.
static double fall_at(const RvFilmStepDef* d, const RvFilmShape* s, size_t at, int i, int lane) {
  size_t k = (size_t)(3 * i) * RV_LANES + (size_t)lane;
  double sum = 0;
  for (size_t c = 0; c < 3; ++c) sum += s->along[k + c * RV_LANES] * d->gravity[c];
  return (d->weight ? d->weight[at] : 1) * sum;
}

// An artist's multiplier; values that are not positive and finite count as 0.
static double multiplier(const double* at, size_t k) {
  double x = at ? at[k] : 1;
  return x > 0 && x < INFINITY ? x : 0;
}

// The film at one place of a strand.
typedef struct Place {
  double volume, length, hairs, radius;
  double solids;  // share of the volume; below 0: the liquid has none
} Place;

static const double NO_SOLIDS = -1;

// Share that friction removes from a speed within dt. Implicit Euler of du/dt = -rate u removes rate dt / (1 + rate
// dt).
static double held(const RvFilmModel* m, const RvFilmSettings* settings, const Place* p, double rate, double dt,
                   double speed) {
  RvFilmLiquid thicker;
  const RvFilmLiquid* l = &m->liquid;
  if (p->solids >= 0) {
    thicker = rv_film_solids_liquid(l, p->solids);
    l = &thicker;
  }
  if (settings->viscous && (l->consistency > 0 || l->yield > 0)) {
    double height = rv_film_height(p->volume / (p->hairs * p->length), p->radius);
    if (l->flow) {
      double h = fmax(height, THINNEST), r = fmax(p->radius, THINNEST);
      return 1 - rv_film_flow_kept(l, h, r, settings->slip, rate, dt, speed);
    }
    rate += rate_of(l, height, p->radius, settings->slip);
  }
  return rate * dt / (1 + rate * dt);
}

void rv_film_hold(const RvFilmModel* m, const RvFilmBatch* b, const RvFilmStepDef* def, double dt, const double* volume,
                  const double* solids, const double* speed, const RvFilmShape* shape, double* hold) {
  const RvFilmSettings* settings = &def->settings;
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = (size_t)i * RV_LANES + (size_t)lane, at = b->vertex_at + k;
      double rate = settings->friction * multiplier(settings->friction_at, at);
      Place p = {volume[k], shape->cell[k], m->hairs[at], m->radius[at], solids ? solids[k] : NO_SOLIDS};
      double before = i > 0 ? speed[k - RV_LANES] : 0;
      double after = i + 1 < b->vertices ? speed[k] : 0;
      double flow = (1 - shape->share[k]) * before + shape->share[k] * after;
      if (m->liquid.flow) flow += dt * fall_at(def, shape, at, i, lane);
      hold[k] = held(m, settings, &p, rate, dt, flow);
    }
}

// An edge has the mean line density of its ends, and their solids.
void rv_film_hold_edges(const RvFilmModel* m, const RvFilmBatch* b, const RvFilmSettings* settings, double dt,
                        const double* volume, const double* solids, const double* speed, const RvFilmShape* shape,
                        double* hold) {
  for (int j = 0; j + 1 < b->vertices; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t k = (size_t)j * RV_LANES + (size_t)lane, next = k + RV_LANES;
      size_t at = b->vertex_at + k, end = at + RV_LANES;
      double damping =
          0.5 * settings->friction * (multiplier(settings->friction_at, at) + multiplier(settings->friction_at, end));
      double above = shape->share[k] * volume[k], below = (1 - shape->share[next]) * volume[next];
      Place p = {.volume = above + below,
                 .length = shape->length[k],
                 .hairs = 0.5 * (m->hairs[at] + m->hairs[end]),
                 .radius = 0.5 * (m->radius[at] + m->radius[end]),
                 .solids = NO_SOLIDS};
      if (solids) p.solids = p.volume > 0 ? solids[k] + below / p.volume * (solids[next] - solids[k]) : solids[k];
      hold[k] = held(m, settings, &p, damping, dt, speed[k]);
    }
}
