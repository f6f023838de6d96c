// Check rheology: one particle of a liquid that yields and thins, in simple shear (SD-1, 3, 4, 6).
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "liquid/rheology.h"
#include "math/scalar.h"
#include "node/presets.h"

enum { MATERIALS = 6, RATES = 3 };
static const double rates[RATES] = {1, 10, 100};
// Steady stress of each, Pa: the law integrated with finite strain, by another program at a step of 1e-5 of strain.
static const struct {
  const char* token;
  double stress[RATES];
} steady[MATERIALS] = {{"mud", {1.354, 2.233, 5.120}},         {"paint", {11.55, 23.28, 47.29}},
                       {"cream", {72.40, 75.17, 80.31}},       {"shavingcream", {35.87, 47.15, 65.25}},
                       {"oystersauce", {2.448, 5.358, 17.47}}, {"chocolate", {18.70, 30.66, 134.9}}};
static const double STRAIN = 12;  // at which the stress is steady
static const double STEPS = 40;   // to the strain at which an elastic solid has the steady stress
enum { FINE_STEPS = 20 };         // of the fine integration in each

// The law of a preset.
static RvRheology law_of(const char* token) {
  const RvLiquidPreset* p = rv_liquid_preset_find(token);
  return (RvRheology){p->shearmodulus, p->yieldstress, p->consistency, p->flowindex};
}

// A particle in simple shear along x with a velocity that grows along y.
typedef struct Shear {
  RvRheology law;
  RvFlowTable table;
  double strain[RV_STRAINS];
} Shear;

static void start(Shear* s, const char* token) {
  *s = (Shear){.law = law_of(token)};
  rv_liquid_flow_table_make(&s->table, s->law.index);
}

// Advances by a strain in steps; the stress xy, Pa.
static double shear(Shear* s, double rate, double strain, double a_step) {
  double dt = a_step / rate, gradient[9] = {0, rate}, stress[RV_STRAINS];
  RvPlasticStep step = rv_liquid_plastic_step(&s->law, &s->table, dt);
  for (int k = (int)(strain / a_step + 0.5); k > 0; --k) rv_liquid_plastic_advance(&step, dt, gradient, s->strain);
  rv_liquid_plastic_stress(&step, s->strain, stress);
  return stress[RV_STRAIN_XY];
}

// Rests for a time; the stress xy, Pa.
static double rest(Shear* s, double time, int steps) {
  double dt = time / steps, gradient[9] = {0}, stress[RV_STRAINS];
  RvPlasticStep step = rv_liquid_plastic_step(&s->law, &s->table, dt);
  for (int k = 0; k < steps; ++k) rv_liquid_plastic_advance(&step, dt, gradient, s->strain);
  rv_liquid_plastic_stress(&step, s->strain, stress);
  return stress[RV_STRAIN_XY];
}

//---------------------------------------------------------------------------------------------- the fine integration

// db/dt of the law in simple shear: b is xx, yy, zz, xy; the other components stay 0.
static void slope_of(const RvRheology* law, double rate, const double b[4], double out[4]) {
  double mean = (b[0] + b[1] + b[2]) / 3, dev[4] = {b[0] - mean, b[1] - mean, b[2] - mean, b[3]};
  double size = sqrt(dev[0] * dev[0] + dev[1] * dev[1] + dev[2] * dev[2] + 2 * dev[3] * dev[3]);
  double eta = law->consistency * pow(2, (1 + law->index) / 2);
  double excess = law->modulus * size - sqrt(2) * law->yield;
  double flow = excess > 0 ? 2 * mean * pow(excess / eta, 1 / law->index) / size : 0;
  out[0] = 2 * rate * b[3] - flow * dev[0];
  out[1] = -flow * dev[1];
  out[2] = -flow * dev[2];
  out[3] = rate * b[1] - flow * dev[3];
}

// Runge-Kutta of fourth order; the determinant is then brought to 1 by the mean (E53).
static void integrate(const RvRheology* law, double rate, double dt, double b[4]) {
  double k[4][4], at[4];
  slope_of(law, rate, b, k[0]);
  for (int stage = 1; stage < 4; ++stage) {
    for (int i = 0; i < 4; ++i) at[i] = b[i] + (stage < 3 ? 0.5 : 1) * dt * k[stage - 1][i];
    slope_of(law, rate, at, k[stage]);
  }
  for (int i = 0; i < 4; ++i) b[i] += dt * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
  for (int i = 0; i < 3; ++i) {
    double det = b[2] * (b[0] * b[1] - b[3] * b[3]);
    double change = (1 - det) / (b[0] * b[1] + b[1] * b[2] + b[2] * b[0] - b[3] * b[3]);
    for (int k2 = 0; k2 < 3; ++k2) b[k2] += change;
  }
}

// Largest error of the stress, in parts of the steady stress, while shear starts and while the stress relaxes for a
// tenth of a second.
static void compare(const char* token, double rate, double* starting, double* relaxing) {
  Shear s;
  start(&s, token);
  double b[4] = {1, 1, 1, 0}, unit = rv_liquid_rheology_stress(&s.law, rate), a_step = unit / (s.law.modulus * STEPS);
  for (int i = 0; i < 3 * STEPS; ++i) {
    double measured = shear(&s, rate, a_step, a_step);
    for (int k = 0; k < FINE_STEPS; ++k) integrate(&s.law, rate, a_step / rate / FINE_STEPS, b);
    *starting = fmax(*starting, fabs(measured - s.law.modulus * b[3]) / unit);
  }
  for (int i = 0; i < 10; ++i) {
    double measured = rest(&s, 0.01, 20);
    for (int k = 0; k < 4000; ++k) integrate(&s.law, 0, 0.01 / 4000, b);
    *relaxing = fmax(*relaxing, fabs(measured - s.law.modulus * b[3]) / unit);
  }
}

//---------------------------------------------------------------------------------------------- lines

// Largest error of the table between its values and of its continuation, relative, and of the slope ds / ds* against
// differences.
static void compare_table(double* value, double* beyond, double* slope) {
  RvRheology law = {.modulus = 100, .yield = 2, .consistency = 1};
  RvFlowTable table;
  for (double index = RV_FLOW_INDEX_LEAST; index < RV_FLOW_INDEX_MOST; index *= 1.7) {
    law.index = index;
    rv_liquid_flow_table_make(&table, index);
    RvPlasticStep step = rv_liquid_plastic_step(&law, &table, 1e-3);
    for (double log2_a = -26; log2_a < 76; log2_a += 0.37) {
      double z = rv_liquid_flow_table_at(&table, log2_a);
      // residual of the equation over its slope: the error of z, relative
      double term = pow(2, log2_a) * pow(z, 1 / index);
      double off = fabs(z + term - 1) / (z + term / index);
      bool within = log2_a < RV_FLOW_FIRST + RV_FLOW_OCTAVES;
      *value = within ? fmax(*value, off) : *value;
      *beyond = within ? *beyond : fmax(*beyond, off);
    }
    for (double trial = 2.9; trial < 300; trial *= 1.3) {
      double given, h = 1e-3 * trial;
      rv_liquid_plastic_share(&step, trial, 1.1, &given);
      double up = rv_liquid_plastic_share(&step, trial + h, 1.1, NULL) * (trial + h);
      double down = rv_liquid_plastic_share(&step, trial - h, 1.1, NULL) * (trial - h);
      *slope = fmax(*slope, fabs((up - down) / (2 * h) - given));
    }
  }
}

RvResult rv_check_rheology(const RvCheckOut* out, RvError* error) {
  (void)error;
  double coarse = 0, determinant = 0, starting = 0, relaxing = 0, value = 0, beyond = 0, slope = 0;
  char name[64];
  Shear s;
  for (int m = 0; m < MATERIALS; ++m)
    for (int r = 0; r < RATES; ++r) {
      start(&s, steady[m].token);
      double measured = shear(&s, rates[r], STRAIN, 0.05), expected = steady[m].stress[r];
      snprintf(name, sizeof name, "steady_%s_%g", steady[m].token, rates[r]);
      rv_check_emit(out, name, measured, expected, 0.01 * expected);
      // the other components are 0 in simple shear
      double b[4] = {1 + s.strain[0], 1 + s.strain[1], 1 + s.strain[2], s.strain[RV_STRAIN_XY]};
      determinant = fmax(determinant, fabs(b[2] * (b[0] * b[1] - b[3] * b[3]) - 1));
      start(&s, steady[m].token);
      coarse = fmax(coarse, fabs(shear(&s, rates[r], STRAIN, 0.1) / expected - 1));
      compare(steady[m].token, rates[r], &starting, &relaxing);
    }
  // below its yield stress a liquid is elastic: it keeps the stress that it was given
  start(&s, "cream");
  double held = shear(&s, 10, 0.02, 0.01);
  compare_table(&value, &beyond, &slope);
  rv_check_emit(out, "steady_at_twice_the_step", coarse, 0, 0.04);
  rv_check_emit(out, "determinant", determinant, 0, 1e-12);
  rv_check_emit(out, "starting", starting, 0, 0.02);
  rv_check_emit(out, "relaxing", relaxing, 0, 0.02);
  rv_check_emit(out, "held_below_yield", rest(&s, 10, 100), held, 1e-12 * held);
  rv_check_emit(out, "table", value, 0, 1e-6);
  rv_check_emit(out, "beyond_the_table", beyond, 0, 1e-4);
  rv_check_emit(out, "slope", slope, 0, 1e-3);
  return RV_OK;
}
