// Shapes of the pair forces, and their tensions; see pair.h.
#include "interface/pair.h"

#include "math/scalar.h"

static const RvSphKernel kernels[RV_PAIR_FORMS] = {
    [RV_PAIR_COSINE] = RV_SPH_COSINE,
    [RV_PAIR_TWO_KERNELS] = RV_SPH_TWO,
    [RV_PAIR_SPLINE] = RV_SPH_SPLINE,
};

// E67 has others, of another density kernel.
static const double factors[RV_PAIR_FORMS] = {
#define RV_PAIR_FACTOR(form, factor) [RV_PAIR_##form] = (factor),
#define RV_SOLID_ANGLE(measured, used)
#include "interface/measured.def"
#undef RV_PAIR_FACTOR
#undef RV_SOLID_ANGLE
};

RvSphKernel rv_pair_kernel(RvPairForm form) {
  return kernels[form];
}

double rv_pair_mean_field(RvPairForm form) {
  return -RV_PI / 8 * rv_sph_moment(kernels[form], 4);
}

double rv_pair_measured(RvPairForm form) {
  return factors[form];
}

double rv_pair_coefficient(RvPairForm form, double tension, double support) {
  double square = support * support;
  return tension / (rv_pair_mean_field(form) * factors[form] * square * square * support);
}
