#include "math/scalar.h"

#include <math.h>

double rv_sin(double x) { return sin(x); }
double rv_cos(double x) { return cos(x); }
double rv_exp(double x) { return exp(x); }
double rv_log_e(double x) { return log(x); }
double rv_pow(double x, double y) { return pow(x, y); }
double rv_atan2(double y, double x) { return atan2(y, x); }
double rv_acos(double x) { return acos(x < -1 ? -1 : x > 1 ? 1 : x); }
