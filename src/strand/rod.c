// Calls the kernels of the rods, of Newton and of CG on the path of this machine's instruction set (math/kernel.h).
#include "strand/rod.h"

#include "math/kernel.h"
#include "strand/newton.h"

RV_KERNEL_DECLARE(void, rv_strand_rod_energy, (const RvRodBatch*, const double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_rod_derivatives, (const RvRodBatch*, const double*, RvRodHessian, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_rod_strain, (const RvRodBatch*, const double*, const RvRodStrain*))
RV_KERNEL_DECLARE(void, rv_strand_newton_energy, (const RvNewtonBatch*, const double*, double*))
RV_KERNEL_DECLARE(unsigned, rv_strand_newton_assemble, (const RvNewtonBatch*, const double*, double*, double*, double*))
RV_KERNEL_DECLARE(unsigned, rv_strand_newton_derive, (const RvNewtonBatch*, const double*, double*, double*, double*))
RV_KERNEL_DECLARE(unsigned, rv_strand_newton_factor, (const RvNewtonBatch*, const double*, unsigned, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_cg_direction, (int, double, const double*, double*, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_cg_product, (int, const double*, const double*, const double*, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_cg_advance, (int, double, bool, const double*, double*, double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_dot, (int, const double*, const double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_move, (int, const double*, const double*, const double*, double*))
RV_KERNEL_DECLARE(void, rv_strand_newton_blend,
                  (int, int, int, const double*, const double*, double, const double*, const double*, double*, double*))

void rv_strand_rod_energy(const RvRodBatch* rod, const double* q, double energy[RV_LANES]) {
  RV_KERNEL_CALL(rv_strand_rod_energy, (rod, q, energy));
}

void rv_strand_rod_derivatives(const RvRodBatch* rod, const double* q, RvRodHessian kind, double* g, double* band) {
  RV_KERNEL_CALL(rv_strand_rod_derivatives, (rod, q, kind, g, band));
}

void rv_strand_rod_strain(const RvRodBatch* rod, const double* q, const RvRodStrain* out) {
  RV_KERNEL_CALL(rv_strand_rod_strain, (rod, q, out));
}

void rv_strand_newton_energy(const RvNewtonBatch* b, const double* q, double energy[RV_LANES]) {
  RV_KERNEL_CALL(rv_strand_newton_energy, (b, q, energy));
}

unsigned rv_strand_newton_assemble(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare) {
  return RV_KERNEL_CALL(rv_strand_newton_assemble, (b, q, g, band, spare));
}

unsigned rv_strand_newton_derive(const RvNewtonBatch* b, const double* q, double* g, double* band, double* spare) {
  return RV_KERNEL_CALL(rv_strand_newton_derive, (b, q, g, band, spare));
}

unsigned rv_strand_newton_factor(const RvNewtonBatch* b, const double* q, unsigned indefinite_lanes, double* band,
                                 double* spare) {
  return RV_KERNEL_CALL(rv_strand_newton_factor, (b, q, indefinite_lanes, band, spare));
}

void rv_strand_cg_direction(int vertices, double beta, const double* r, double* p, double* mp, double* ap) {
  RV_KERNEL_CALL(rv_strand_cg_direction, (vertices, beta, r, p, mp, ap));
}

void rv_strand_cg_product(int vertices, const double* free, const double* mp, const double* p, double* ap,
                          double dot[RV_LANES]) {
  RV_KERNEL_CALL(rv_strand_cg_product, (vertices, free, mp, p, ap, dot));
}

void rv_strand_cg_advance(int vertices, double alpha, bool first, const double* p, double* d, double* r, double* ap) {
  RV_KERNEL_CALL(rv_strand_cg_advance, (vertices, alpha, first, p, d, r, ap));
}

void rv_strand_newton_dot(int vertices, const double* a, const double* b, double dot[RV_LANES]) {
  RV_KERNEL_CALL(rv_strand_newton_dot, (vertices, a, b, dot));
}

void rv_strand_newton_move(int vertices, const double* q, const double alpha[RV_LANES], const double* d, double* out) {
  RV_KERNEL_CALL(rv_strand_newton_move, (vertices, q, alpha, d, out));
}

void rv_strand_newton_blend(int count, int width, int repeat, const double* elastic, const double* viscous,
                            double scale, const double* rest, const double* start, double* stiffness, double* blended) {
  RV_KERNEL_CALL(rv_strand_newton_blend,
                 (count, width, repeat, elastic, viscous, scale, rest, start, stiffness, blended));
}
