// Elementary functions that give the same bits on every machine and instruction set, which libm does not. Series and
// argument reductions are the textbook ones; tests compare them with libm to a few units in the last place.
#ifndef RV_MATH_SCALAR_H
#define RV_MATH_SCALAR_H

#include "base/platform_machine.h"

#define RV_PI 3.14159265358979323846

double rv_sin(double x);              // within 2 ulp for |x| < 1e5; any finite x is allowed
double rv_cos(double x);              // as rv_sin
double rv_exp(double x);              // infinity above 709.8, 0 below -745.2
double rv_log_e(double x);            // natural logarithm; -infinity at 0, NaN below
double rv_root3(double x);            // cube root; 0 unless x is a positive finite number
double rv_pow(double x, double y);    // x >= 0; relative error about (1 + |y log x|) 2e-16
double rv_atan2(double y, double x);  // as of libm, with its signs of zeros
double rv_acos(double x);             // the argument is clamped to [-1, 1]

// a b + c with one rounding in integers, for systems whose C library rounds twice.
double rv_fma_exact(double a, double b, double c);

// a b + c with one rounding on every machine. It is the only contraction that we allow.
static inline double rv_fma(double a, double b, double c) {
#if RV_PLATFORM_FMA_ROUNDS_TWICE
  return rv_fma_exact(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

// Minimum, maximum and clamping of finite numbers. They are inline, while fmin and fmax are calls.
static inline double rv_min(double a, double b) {
  return a < b ? a : b;
}

static inline double rv_max(double a, double b) {
  return a > b ? a : b;
}

static inline double rv_clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

// A compensated sum (Neumaier 1974). A plain sum of a hundred thousand equal volumes has a relative error of 1e-12,
// always of the same sign, which the liquid ledger would count as a loss.
typedef struct RvSum {
  double sum;         // rounded
  double correction;  // sum of the rounding errors
} RvSum;

// Adds a number.
static inline void rv_sum_add(RvSum* s, double x) {
  double next = s->sum + x;
  double large = __builtin_fabs(s->sum);
  double size = __builtin_fabs(x);
  s->correction += large >= size ? (s->sum - next) + x : (x - next) + s->sum;
  s->sum = next;
}

// The corrected total.
static inline double rv_sum_total(const RvSum* s) {
  return s->sum + s->correction;
}

// From 0 at x = 0 to 1 at x = 1, with slopes of 0 there; constant beyond.
static inline double rv_smooth_step(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

static inline double rv_radians(double degrees) {
  return degrees * (RV_PI / 180);
}

#endif
