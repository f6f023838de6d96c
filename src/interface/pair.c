// Shapes of the pair forces, and their tensions; see pair.h.
#include "interface/pair.h"

#include "math/scalar.h"

typedef struct Form {
  RvSphKernel kernel;
  double measured;
} Form;

// Measured at h of two spacings: the spline by drops of 7 and 9 spacings that swing (check interface_tension), the
// others estimated from single drops. E67 has others, of another density kernel.
static const Form forms[RV_PAIR_FORMS] = {[RV_PAIR_COSINE] = {RV_SPH_COSINE, 0.77},
                                          [RV_PAIR_TWO_KERNELS] = {RV_SPH_TWO, 0.62},
                                          [RV_PAIR_SPLINE] = {RV_SPH_SPLINE, 0.6}};

RvSphKernel rv_pair_kernel(RvPairForm form) {
  return forms[form].kernel;
}

double rv_pair_mean_field(RvPairForm form) {
  return -RV_PI / 8 * rv_sph_moment(forms[form].kernel, 4);
}

double rv_pair_measured(RvPairForm form) {
  return forms[form].measured;
}

double rv_pair_coefficient(RvPairForm form, double tension, double support) {
  double square = support * support;
  return tension / (rv_pair_mean_field(form) * forms[form].measured * square * square * support);
}
