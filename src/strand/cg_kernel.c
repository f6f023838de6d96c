// The vector operations of conjugate gradients for one batch, in SIMD lanes (WH-45); see newton.h. They are fused so
// that each vector is read and written once, as they are bound by memory.
#include "math/lanes_math.h"
#include "strand/newton.h"

void RV_KERNEL(rv_strand_cg_direction)(int vertices, double beta, const double* r, double* p, double* mp, double* ap);
void RV_KERNEL(rv_strand_cg_product)(int vertices, const double* free, const double* mp, const double* p, double* ap,
                                     double* dot);
void RV_KERNEL(rv_strand_cg_advance)(int vertices, double alpha, bool first, const double* p, double* d, double* r,
                                     double* ap);

void RV_KERNEL(rv_strand_cg_direction)(int vertices, double beta, const double* r, double* p, double* mp, double* ap) {
  const RvLanes b = rv_lanes_set(beta);
  const RvLanes zero = rv_lanes_set(0);
  const int count = 4 * vertices * RV_W;
  // first direction: p = z, M p = r
  if (beta == 0) {
    for (int k = 0; k < count; k += RV_V) {
      rv_lanes_store(p + k, rv_lanes_load(ap + k));
      rv_lanes_store(mp + k, rv_lanes_load(r + k));
      rv_lanes_store(ap + k, zero);
    }
    return;
  }
  // later ones: p = z + beta p, M p = r + beta M p
  for (int k = 0; k < count; k += RV_V) {
    rv_lanes_store(p + k, rv_lanes_fma(b, rv_lanes_load(p + k), rv_lanes_load(ap + k)));
    rv_lanes_store(mp + k, rv_lanes_fma(b, rv_lanes_load(mp + k), rv_lanes_load(r + k)));
    rv_lanes_store(ap + k, zero);
  }
}

void RV_KERNEL(rv_strand_cg_product)(int vertices, const double* free, const double* mp, const double* p, double* ap,
                                     double* dot) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes sum = rv_lanes_set(0);
    for (int i = 0; i < 4 * vertices; ++i) {
      const int k = i * RV_W + lane;
      const RvLanes x = rv_lanes_fma(rv_lanes_load(free + k), rv_lanes_load(ap + k), rv_lanes_load(mp + k));
      rv_lanes_store(ap + k, x);
      sum = rv_lanes_fma(rv_lanes_load(p + k), x, sum);
    }
    rv_lanes_store(dot + lane, sum);
  }
}

void RV_KERNEL(rv_strand_cg_advance)(int vertices, double alpha, bool first, const double* p, double* d, double* r,
                                     double* ap) {
  const RvLanes a = rv_lanes_set(alpha);
  const RvLanes minus = rv_lanes_set(-alpha);
  const int count = 4 * vertices * RV_W;
  // d += alpha p
  if (first)
    for (int k = 0; k < count; k += RV_V) rv_lanes_store(d + k, a * rv_lanes_load(p + k));
  else
    for (int k = 0; k < count; k += RV_V)
      rv_lanes_store(d + k, rv_lanes_fma(a, rv_lanes_load(p + k), rv_lanes_load(d + k)));
  // r -= alpha A p, with a copy for the preconditioner
  for (int k = 0; k < count; k += RV_V) {
    const RvLanes residual = rv_lanes_fma(minus, rv_lanes_load(ap + k), rv_lanes_load(r + k));
    rv_lanes_store(r + k, residual);
    rv_lanes_store(ap + k, residual);
  }
}
