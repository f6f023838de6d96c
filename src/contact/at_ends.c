// Calls of the kernel for this machine.
#include "contact/at_ends.h"

#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_contact_gather_ends, (const RvBatchEnds*, const double*, RvEndValue*))
RV_KERNEL_DECLARE(void, rv_contact_push_ends, (const RvBatchEnds*, const RvLinkEnergy*, double*))
RV_KERNEL_DECLARE(void, rv_contact_spread_ends, (const RvBatchEnds*, const RvEndValue*, const RvSym3f*, double*))
RV_KERNEL_DECLARE(void, rv_contact_band_ends, (const RvBatchEnds*, const RvSym3f*, double*))

void rv_contact_gather_ends(const RvBatchEnds* at, const double* in, RvEndValue* values) {
  RV_KERNEL_CALL(rv_contact_gather_ends, (at, in, values));
}

void rv_contact_push_ends(const RvBatchEnds* at, const RvLinkEnergy* energies, double* out) {
  RV_KERNEL_CALL(rv_contact_push_ends, (at, energies, out));
}

void rv_contact_spread_ends(const RvBatchEnds* at, const RvEndValue* values, const RvSym3f* hessian, double* out) {
  RV_KERNEL_CALL(rv_contact_spread_ends, (at, values, hessian, out));
}

void rv_contact_band_ends(const RvBatchEnds* at, const RvSym3f* hessian, double* band) {
  RV_KERNEL_CALL(rv_contact_band_ends, (at, hessian, band));
}
