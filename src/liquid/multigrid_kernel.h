// The inner loops of multigrid, one path for each instruction set (math/kernel.h): over tiles begin..end of a level.
#ifndef RV_LIQUID_MULTIGRID_KERNEL_H
#define RV_LIQUID_MULTIGRID_KERNEL_H

#include "liquid/multigrid.h"
#include "math/kernel.h"

// out = x + w inverse (b - A x); returns b . out if wanted
RV_KERNEL_DECLARE(double, rv_liquid_mg_sweep,
                  (const RvMgLevel*, const float* x, const float* b, float w, float* out, int dot, size_t begin,
                   size_t end))
RV_KERNEL_DECLARE(double, rv_liquid_mg_apply, (const RvMgLevel*, const float* p, float* out, size_t begin, size_t end))
// over tiles of the coarser level: its b and x from the residual of the finer
RV_KERNEL_DECLARE(void, rv_liquid_mg_restrict,
                  (const RvMgLevel* fine, const RvMgLevel* coarse, const float* x, const float* b, size_t begin,
                   size_t end))
// over tiles of the coarser level: adds its y to the finer's
RV_KERNEL_DECLARE(void, rv_liquid_mg_prolong,
                  (const RvMgLevel* fine, const RvMgLevel* coarse, size_t begin, size_t end))
RV_KERNEL_DECLARE(double, rv_liquid_mg_advance,
                  (const RvMgLevel*, float alpha, const float* q, float* r, float* largest, double* cross, size_t begin,
                   size_t end))
RV_KERNEL_DECLARE(void, rv_liquid_mg_turn,
                  (const RvMgLevel*, const float* z, float beta, const float* p, float* out, size_t begin, size_t end))
RV_KERNEL_DECLARE(void, rv_liquid_mg_gather,
                  (const RvMgLevel*, float* const* p, const float* alpha, int count, double* x, size_t begin,
                   size_t end))

#endif
