// Elementary functions with the same bits on every machine and instruction set (libm picks its path by the machine).
// Series and reductions are the textbook ones; the tests hold them to a few units in the last place of libm.
#ifndef RV_MATH_SCALAR_H
#define RV_MATH_SCALAR_H

#define RV_PI 3.14159265358979323846

double rv_sin(double x);  // within 2 ulp for |x| < 1e5; any finite x is allowed
double rv_cos(double x);
double rv_exp(double x);
double rv_log_e(double x);          // -inf at 0, NaN below
double rv_pow(double x, double y);  // x >= 0; relative error about (1 + |y log x|) 2e-16
double rv_atan2(double y, double x);
double rv_acos(double x);  // the argument is clamped to [-1, 1]

// a b + c with one rounding, in every path: the only contraction that we allow
static inline double rv_fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// of finite numbers; fmin and fmax are calls
static inline double rv_min(double a, double b) {
  return a < b ? a : b;
}

static inline double rv_max(double a, double b) {
  return a > b ? a : b;
}

static inline double rv_clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

// A sum that does not lose what rounding cuts off (Neumaier 1974): of a hundred thousand equal volumes a plain one is
// off by 1e-12 of it, always to the same side, which a ledger would take for liquid.
typedef struct RvSum {
  double sum, rest;
} RvSum;

static inline void rv_sum_add(RvSum* s, double x) {
  double next = s->sum + x, large = __builtin_fabs(s->sum), size = __builtin_fabs(x);
  s->rest += large >= size ? (s->sum - next) + x : (x - next) + s->sum;
  s->sum = next;
}

static inline double rv_sum_total(const RvSum* s) {
  return s->sum + s->rest;
}

static inline double rv_radians(double degrees) {
  return degrees * (RV_PI / 180);
}

#endif
