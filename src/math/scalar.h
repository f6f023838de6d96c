// Elementary functions with the same bits on every machine and instruction set: libm may pick another path a machine.
#ifndef RV_MATH_SCALAR_H
#define RV_MATH_SCALAR_H

#define RV_PI 3.14159265358979323846

double rv_sin(double x);
double rv_cos(double x);
double rv_exp(double x);
double rv_log_e(double x);
double rv_pow(double x, double y);
double rv_atan2(double y, double x);
double rv_acos(double x);
static inline double rv_clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
static inline double rv_radians(double degrees) { return degrees * (RV_PI / 180); }

#endif
