// The law of flow_law.h.
#include "film/flow_law.h"

#include <math.h>

#include "math/scalar.h"

static const double LN2 = 0.69314718055994530942;
static const double SLOWEST = 1e-12;           // m/s: slower films are at rest
static const double LEAST_CONSISTENCY = 1e-6;  // Pa s^index: a liquid without one would slide at any speed
static const double ROOT_TOLERANCE = 1e-10;    // of the logarithm of the excess stress
enum { MOST_ITERATIONS = 24 };                 // of Newton in that logarithm; four are usual

bool rv_film_flow_is_plain(const RvFilmLiquid* l) {
  return l->index == 1 && l->yield == 0;
}

//---------------------------------------------------------------------------------------------- table

// Nodes of Gauss and Legendre on 0 to 1 and their weights, eight a panel.
static const double NODE[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
static const double WEIGHT[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
enum { PANELS = 3 };

// The integrand of form at the height q^2 of the flowing layer below the plug, in units of the radius. A film of height
// x flows up to the height `layer`; q removes the corner of the law there.
static double integrand(double x, double y, double power, double layer, double q) {
  double height = layer * (1 - q * q);
  double s = 1 + height, top = (1 + x) * (1 + x);
  double wall = x * (1 + 0.5 * x);  // stress at the fibre, of unit force
  double stress = 0.5 * (top - s * s) / s;
  double excess = (stress / wall - y) / (1 - y);
  return excess > 0 ? rv_pow(excess, power) * (top - s * s) * 2 * q * layer : 0;
}

// The mean over the section of the speed that the rate between fibre and surface adds up to: the rate of a layer moves
// all that is above it.
static double form_at(double x, double y, double power) {
  double wall = x * (1 + 0.5 * x), yield = y * wall;
  double layer = (sqrt(yield * yield + (1 + x) * (1 + x)) - yield) - 1;  // where the stress is the yield stress
  double sum = 0;
  for (int p = 0; p < PANELS; ++p)
    for (int k = 0; k < 8; ++k) {
      double node = 0.5 + (k < 4 ? 0.5 : -0.5) * NODE[k % 4];
      sum += 0.5 * WEIGHT[k % 4] / PANELS * integrand(x, y, power, layer, (p + node) / PANELS);
    }
  return sum / (2 * wall * x * (1 - y));
}

void rv_film_flow_make(RvFilmFlow* flow, double index) {
  const double nearly = 1 - 1e-4;  // at y = 1 nothing flows, and form has a limit
  for (int i = 0; i < RV_FILM_FLOW_COLUMNS; ++i)
    for (int j = 0; j < RV_FILM_FLOW_ROWS; ++j) {
      double x = rv_exp(LN2 * (RV_FILM_FLOW_FIRST + (double)i / RV_FILM_FLOW_PER_OCTAVE));
      double y = rv_min((double)j / (RV_FILM_FLOW_ROWS - 1), nearly);
      flow->form[i][j] = rv_log_e(form_at(x, y, 1 / index));
    }
}

// Form at x and y; *slope: its relative change with y.
static double form_of(const RvFilmFlow* flow, double log2_x, double y, double* slope) {
  double column = rv_clamp((log2_x - RV_FILM_FLOW_FIRST) * RV_FILM_FLOW_PER_OCTAVE, 0, RV_FILM_FLOW_COLUMNS - 1);
  double row = rv_clamp(y, 0, 1) * (RV_FILM_FLOW_ROWS - 1);
  int i = column < RV_FILM_FLOW_COLUMNS - 2 ? (int)column : RV_FILM_FLOW_COLUMNS - 2;
  int j = row < RV_FILM_FLOW_ROWS - 2 ? (int)row : RV_FILM_FLOW_ROWS - 2;
  double u = column - i, v = row - j;
  double low = flow->form[i][j] + u * (flow->form[i + 1][j] - flow->form[i][j]);
  double high = flow->form[i][j + 1] + u * (flow->form[i + 1][j + 1] - flow->form[i][j + 1]);
  *slope = (high - low) * (RV_FILM_FLOW_ROWS - 1);
  return rv_exp(low + v * (high - low));
}

//---------------------------------------------------------------------------------------------- flow

// A film of one height.
typedef struct Film {
  const RvFilmLiquid* liquid;
  double height, log2_x, slip;
} Film;

static Film film_of(const RvFilmLiquid* liquid, double height, double radius, double slip) {
  return (Film){liquid, height, rv_log_e(height / radius) / LN2, slip};
}

// Mean speed at an excess of the stress at the fibre, Pa; *slope: change of its logarithm with that of the excess.
static double speed_of(const Film* f, double excess, double* slope) {
  const RvFilmLiquid* l = f->liquid;
  double power = 1 / l->index;
  double y = l->yield / (excess + l->yield);
  double form_slope;
  double form = form_of(l->flow, f->log2_x, y, &form_slope);
  double flows = f->height * (1 - y) * form, both = flows + f->slip;
  *slope = power + flows / both * y * (1 - form_slope * (1 - y));
  return rv_pow(excess / rv_max(l->consistency, LEAST_CONSISTENCY), power) * both;
}

double rv_film_flow_speed(const RvFilmLiquid* l, double height, double radius, double slip, double force) {
  double excess = fabs(force) * rv_film_flow_arm(height, radius) - l->yield, slope;
  if (!(excess > 0)) return 0;
  Film f = film_of(l, height, radius, slip);
  return copysign(speed_of(&f, excess, &slope), force);
}

// Newton for the logarithm of the excess stress. Both terms are nearly powers of it, so that the logarithm of their sum
// is convex, and Newton comes down to the root from the excess that stops the film within the step.
double rv_film_flow_kept(const RvFilmLiquid* l, double height, double radius, double slip, double friction, double dt,
                         double speed) {
  double start = rv_max(fabs(speed), SLOWEST);
  double braking = dt / (l->density * rv_film_flow_arm(height, radius));  // m/s a Pa of stress at the fibre
  double available = start - braking * l->yield;
  if (!(available > 0)) return RV_FILM_FLOW_STILL;
  Film f = film_of(l, height, radius, slip);
  double damping = 1 + friction * dt;
  double x = rv_log_e(available / braking), wanted = rv_log_e(available), kept = 0;
  for (int k = 0; k < MOST_ITERATIONS; ++k) {
    double excess = rv_exp(x), slope;
    kept = speed_of(&f, excess, &slope);
    double brakes = braking * excess, sum = damping * kept + brakes;
    double change = (rv_log_e(sum) - wanted) * sum / (damping * kept * slope + brakes);
    x -= change;
    if (fabs(change) < ROOT_TOLERANCE) break;
  }
  return rv_clamp(kept / start, RV_FILM_FLOW_STILL, 1);
}
