// The law of liquids with a yield stress (rheology.h).
#include "liquid/rheology.h"

#include <math.h>

#include "math/scalar.h"

static const double DETERMINANT_ROUNDING = 1e-5;  // strains are stored as floats, 6e-8, in products of three
static const double LN2 = 0.69314718055994530942;
enum { BISECTIONS = 64 };       // halvings of an octave of z: to rounding
enum { ROOT_ITERATIONS = 12 };  // Newton for the determinant: to rounding for strains up to 100

RvResult rv_liquid_rheology_check(const RvRheology* law, RvError* error) {
  if (!(law->index >= RV_FLOW_INDEX_LEAST && law->index <= RV_FLOW_INDEX_MOST))
    return rv_fail(error, RV_BAD_INPUT, "flowindex %g is outside %g to %g; 1 is a plain viscosity, below 1 thins",
                   law->index, RV_FLOW_INDEX_LEAST, RV_FLOW_INDEX_MOST);
  if (!(law->modulus >= 0) || !isfinite(law->modulus))
    return rv_fail(error, RV_BAD_INPUT, "shearmodulus %g Pa is not a finite number of 0 or more", law->modulus);
  if (!(law->yield >= 0) || !isfinite(law->yield))
    return rv_fail(error, RV_BAD_INPUT, "yieldstress %g Pa is not a finite number of 0 or more", law->yield);
  if (!(law->consistency >= 0) || !isfinite(law->consistency))
    return rv_fail(error, RV_BAD_INPUT, "consistency %g is not a finite number of 0 or more", law->consistency);
  if (law->yield > 0 && !(law->modulus > 0))
    return rv_fail(
        error, RV_BAD_INPUT,
        "yieldstress %g Pa needs a shearmodulus, which holds the liquid up below it; 100 to 2000 Pa are usual",
        law->yield);
  if (law->modulus > 0 && !(law->consistency > 0))
    return rv_fail(error, RV_BAD_INPUT, "shearmodulus %g Pa needs a consistency above 0, or flow has no rate",
                   law->modulus);
  return RV_OK;
}

double rv_liquid_rheology_stress(const RvRheology* law, double rate) {
  return rate > 0 ? law->yield + law->consistency * rv_pow(rate, law->index) : 0;
}

//---------------------------------------------------------------------------------------------- table

// The root of z + 2^log2_a z^power = 1, by bisection in log2(z); the left side grows with z.
static double root(double log2_a, double power) {
  // z lies above half the smaller of 1 and a^(-1/power), and not above it.
  double high = rv_min(0, -log2_a / power);
  double low = rv_min(-1, (-1 - log2_a) / power);
  for (int i = 0; i < BISECTIONS; ++i) {
    double mid = 0.5 * (low + high);
    double sum = rv_exp(LN2 * mid) + rv_exp(LN2 * (log2_a + power * mid));
    if (sum > 1)
      high = mid;
    else
      low = mid;
  }
  return rv_exp(LN2 * 0.5 * (low + high));
}

void rv_liquid_flow_table_make(RvFlowTable* t, double index) {
  t->index = index;
  for (int k = 0; k < RV_FLOW_VALUES; ++k) {
    double log2_a = RV_FLOW_FIRST + (double)k / RV_FLOW_CELLS;
    double z = root(log2_a, 1 / index);
    t->z[k] = z;
    // dz / dlog2(a), as a z^power = 1 - z
    t->slope[k] = -LN2 * z * (1 - z) / (z + (1 - z) / index) / RV_FLOW_CELLS;
  }
}

double rv_liquid_flow_table_at(const RvFlowTable* t, double log2_a) {
  double x = (log2_a - RV_FLOW_FIRST) * RV_FLOW_CELLS;
  // Below the table z = 1 - a to the square of a, above it z is a power.
  if (!(x > 0)) return 1 - rv_exp(LN2 * log2_a);
  enum { LAST = RV_FLOW_VALUES - 1 };
  if (x >= LAST) return t->z[LAST] * rv_exp((x - LAST) * t->slope[LAST] / t->z[LAST]);
  int k = (int)x;
  double f = x - k;
  double rise = t->z[k + 1] - t->z[k];
  double lower = t->slope[k] - rise, upper = rise - t->slope[k + 1];
  return t->z[k] + f * (rise + (1 - f) * ((1 - f) * lower + f * upper));
}

//---------------------------------------------------------------------------------------------- flow

RvPlasticStep rv_liquid_plastic_step(const RvRheology* law, const RvFlowTable* table, double dt) {
  double power = 1 / law->index;
  double log2_eta = 0.5 * (1 + law->index) + rv_log_e(law->consistency) / LN2;
  return (RvPlasticStep){.modulus = law->modulus,
                         .threshold = sqrt(2) * law->yield,
                         .power = power,
                         .log2_a = rv_log_e(2 * dt * law->modulus) / LN2 - power * log2_eta,
                         .table = table};
}

double rv_liquid_plastic_share(const RvPlasticStep* step, double trial, double mean, double* slope) {
  double excess = trial - step->threshold;
  if (slope) *slope = 1;
  if (!(excess > 0)) return 1;
  double log2_a = step->log2_a + ((step->power - 1) * rv_log_e(excess) + rv_log_e(mean)) / LN2;
  double z = rv_liquid_flow_table_at(step->table, log2_a);
  // s + k (s - threshold)^power = s*, and k power (s - threshold)^(power - 1) = power (1 - z) / z
  if (slope) *slope = z / (z + step->power * (1 - z));
  return (step->threshold + z * excess) / trial;
}

double rv_liquid_plastic_norm(const double s[RV_STRAINS]) {
  double shear =
      s[RV_STRAIN_YZ] * s[RV_STRAIN_YZ] + s[RV_STRAIN_XZ] * s[RV_STRAIN_XZ] + s[RV_STRAIN_XY] * s[RV_STRAIN_XY];
  return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * shear);
}

// Determinant of a symmetric tensor.
static double determinant(const double s[RV_STRAINS]) {
  double yz = s[RV_STRAIN_YZ], xz = s[RV_STRAIN_XZ], xy = s[RV_STRAIN_XY];
  return s[0] * (s[1] * s[2] - yz * yz) - xy * (xy * s[2] - yz * xz) + xz * (xy * yz - s[1] * xz);
}

// Takes the mean of the diagonal out; returns it.
static double take_mean(double s[RV_STRAINS]) {
  double mean = (s[0] + s[1] + s[2]) / 3;
  for (int i = 0; i < 3; ++i) s[i] -= mean;
  return mean;
}

// t with det(dev + t) = 1: the largest root of t^3 - (|dev|^2 / 2) t + det(dev) - 1, at which all principal strains are
// above 0. Newton falls to it from a guess above it, as is the mean of a strain of determinant 1 with a larger
// deviator.
static double mean_of_unit_determinant(const double dev[RV_STRAINS], double guess) {
  double size = rv_liquid_plastic_norm(dev);
  double half_square = 0.5 * size * size;
  double constant = determinant(dev) - 1;
  double t = guess;
  for (int i = 0; i < ROOT_ITERATIONS; ++i) t -= (t * (t * t - half_square) + constant) / (3 * t * t - half_square);
  return t;
}

// b* = f b f^T with f = 1 + dt gradient, scaled to determinant 1; from and to b.
static void follow(double dt, const double gradient[9], double b[RV_STRAINS]) {
  double f[9], full[9] = {b[0], b[5], b[4], b[5], b[1], b[3], b[4], b[3], b[2]}, half[9];
  for (int i = 0; i < 9; ++i) f[i] = dt * gradient[i] + (i % 4 == 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      half[3 * i + j] = f[3 * i] * full[j] + f[3 * i + 1] * full[3 + j] + f[3 * i + 2] * full[6 + j];
  static const int row[RV_STRAINS] = {0, 1, 2, 1, 0, 0}, column[RV_STRAINS] = {0, 1, 2, 2, 2, 1};
  for (int k = 0; k < RV_STRAINS; ++k) {
    const double *a = half + 3 * row[k], *c = f + 3 * column[k];
    b[k] = a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
  }
  // A step of a velocity without divergence changes the determinant in second order only.
  double det = determinant(b);
  double scale = rv_exp(-rv_log_e(rv_max(det, 1e-30)) / 3);
  for (int k = 0; k < RV_STRAINS; ++k) b[k] *= scale;
}

double rv_liquid_plastic_advance(const RvPlasticStep* step, double dt, const double gradient[9],
                                 double strain[RV_STRAINS]) {
  double b[RV_STRAINS];
  for (int k = 0; k < RV_STRAINS; ++k) b[k] = strain[k] + (k < 3);
  double mean_before = (b[0] + b[1] + b[2]) / 3;
  // elastic part
  follow(dt, gradient, b);
  double mean = take_mean(b);
  // flow
  double trial = step->modulus * rv_liquid_plastic_norm(b);
  double share = rv_liquid_plastic_share(step, trial, mean_before, NULL);
  for (int k = 0; k < RV_STRAINS; ++k) b[k] *= share;
  if (share < 1) mean = mean_of_unit_determinant(b, mean);
  for (int k = 0; k < RV_STRAINS; ++k) strain[k] = b[k] + (k < 3 ? mean - 1 : 0);
  return 0.5 * (1 - share) * trial / (step->modulus * mean_before);
}

void rv_liquid_plastic_unit_determinant(double strain[RV_STRAINS]) {
  take_mean(strain);
  // Every principal value is within sqrt(2/3) of the norm, so that this guess is above the root.
  double mean = mean_of_unit_determinant(strain, 1 + sqrt(2.0 / 3) * rv_liquid_plastic_norm(strain));
  for (int k = 0; k < 3; ++k) strain[k] += mean - 1;
}

bool rv_liquid_plastic_possible(const double strain[RV_STRAINS]) {
  double b[RV_STRAINS], sum = 0;
  for (int k = 0; k < RV_STRAINS; ++k) {
    b[k] = strain[k] + (k < 3);
    sum += fabs(b[k]);
  }
  double minor = b[0] * b[1] - b[RV_STRAIN_XY] * b[RV_STRAIN_XY];
  // rounding of the products in the determinant
  double tolerance = DETERMINANT_ROUNDING * (1 + sum * sum * sum);
  return b[0] > 0 && minor > 0 && fabs(determinant(b) - 1) <= tolerance;
}

void rv_liquid_plastic_stress(const RvPlasticStep* step, const double strain[RV_STRAINS], double stress[RV_STRAINS]) {
  for (int k = 0; k < RV_STRAINS; ++k) stress[k] = strain[k];
  take_mean(stress);
  for (int k = 0; k < RV_STRAINS; ++k) stress[k] *= step->modulus;
}
