// Pair forces between phases (VI-1 to VI-3): three shapes, and the tension that they make.
//
// Two particles of the volumes V_i and V_j at the distance r push each other with the force C V_i V_j f(r / K) along
// their line, K = k h. f is 1 at contact and -1 where it attracts most. The coefficient C replaces c m_i m_j of the
// seed (4) by c rho_i rho_j: so tension does not depend on the densities of the phases.
//
// The tension of a flat surface is sigma = C K^5 S: S = -(pi / 8) integral of q^4 f, the mean field of a fluid without
// structure (spec 5.2), times a factor that is measured by oscillating drops (E67).
#ifndef RV_INTERFACE_PAIR_H
#define RV_INTERFACE_PAIR_H

#include "sph/kernels.h"

typedef enum RvPairForm {
  RV_PAIR_COSINE,       // VI-1
  RV_PAIR_TWO_KERNELS,  // VI-2
  RV_PAIR_SPLINE,       // VI-3
  RV_PAIR_FORMS
} RvPairForm;

// The shape of a form, in sph/kernels.h.
RvSphKernel rv_pair_kernel(RvPairForm form);
// Tension over C K^5 by the mean field.
double rv_pair_mean_field(RvPairForm form);
// Measured tension over that of the mean field.
double rv_pair_measured(RvPairForm form);
// The coefficient C, N/m^6, that makes a tension, N/m, at the support K, m.
double rv_pair_coefficient(RvPairForm form, double tension, double support);

#endif
