// Inner loops of the viscosity solve (viscosity_work.h), a row of eight cells at a time: stress of a velocity, force of
// a stress, and the vector operations of conjugate gradients.
#include "liquid/rows.h"
#include "liquid/viscosity_work.h"

// Kernels are also built with one lane, as baselines of benchmarks; rows have one width only.
#if RV_W == 8

// Weighted strain rates times dx: diagonal ones at centres, shear ones at edges.
void RV_KERNEL(rv_liquid_viscosity_stress)(const RvViscosityWork* w, float* const v[3], size_t begin, size_t end) {
  const int32_t(*near)[6] = (const int32_t(*)[6])w->near;
  for (size_t t = begin; t < end; ++t) {
    RvAround ax = rv_liquid_around(near, v[0], t), ay = rv_liquid_around(near, v[1], t),
             az = rv_liquid_around(near, v[2], t);
    for (int z = 0; z < 8; ++z) {
      RvSlice sx = rv_liquid_slice(&ax, z), sy = rv_liquid_slice(&ay, z), sz = rv_liquid_slice(&az, z);
      size_t at = t * RV_TILE_CELLS + (size_t)z * 64;
      RV_UNROLL for (int y = 0; y < 8; ++y, at += 8) {
        RvRow u = rv_liquid_slice_own(&sx, y), v1 = rv_liquid_slice_own(&sy, y), w1 = rv_liquid_slice_own(&sz, y);
        // xx, yy, zz
        RvRow center = rv_row_load(w->weight[0] + at);
        rv_row_store(w->stress[RV_STRESS_XX] + at, center * (rv_liquid_slice_right(&sx, y) - u));
        rv_row_store(w->stress[RV_STRESS_YY] + at, center * (rv_liquid_slice_up(&sy, y) - v1));
        rv_row_store(w->stress[RV_STRESS_ZZ] + at, center * (rv_liquid_slice_front(&sz, y) - w1));
        // yz, xz, xy
        rv_row_store(w->stress[RV_STRESS_YZ] + at,
                     rv_row_load(w->weight[1] + at) *
                         ((v1 - rv_liquid_slice_back(&sy, y)) + (w1 - rv_liquid_slice_down(&sz, y))));
        rv_row_store(w->stress[RV_STRESS_XZ] + at,
                     rv_row_load(w->weight[2] + at) *
                         ((u - rv_liquid_slice_back(&sx, y)) + (w1 - rv_liquid_slice_left(&sz, y))));
        rv_row_store(w->stress[RV_STRESS_XY] + at,
                     rv_row_load(w->weight[3] + at) *
                         ((u - rv_liquid_slice_down(&sx, y)) + (v1 - rv_liquid_slice_left(&sy, y))));
      }
    }
  }
}

// x where the face is unknown, 0 elsewhere.
RV_INLINE RvRow unknown_only(RvRow inverse, RvRow x) {
  typedef int Mask __attribute__((vector_size(32)));
  Mask m = inverse > (RvRow){0};
  return (RvRow)((Mask)x & m);
}

// Row of A v along an axis: mass and the divergence of the stress; the diagonal stress counts twice.
RV_INLINE RvRow force_row(const RvViscosityWork* w, int axis, size_t at, RvRow v, RvRow diagonal, RvRow shear) {
  RvRow f = rv_row_load(w->mass[axis] + at) * v + rv_row_set(w->beta) * ((diagonal + diagonal) + shear);
  return unknown_only(rv_row_load(w->inverse[axis] + at), f);
}

// out = A v from the stress of v, on unknown faces; returns v . out.
double RV_KERNEL(rv_liquid_viscosity_force)(const RvViscosityWork* w, float* const v[3], float* const out[3],
                                            size_t begin, size_t end) {
  const int32_t(*near)[6] = (const int32_t(*)[6])w->near;
  RvRowSum sum = {0};
  for (size_t t = begin; t < end; ++t) {
    RvAround a[RV_STRESSES];
    for (int k = 0; k < RV_STRESSES; ++k) a[k] = rv_liquid_around(near, w->stress[k], t);
    for (int z = 0; z < 8; ++z) {
      RvSlice s[RV_STRESSES];
      for (int k = 0; k < RV_STRESSES; ++k) s[k] = rv_liquid_slice(&a[k], z);
      size_t at = t * RV_TILE_CELLS + (size_t)z * 64;
      RV_UNROLL for (int y = 0; y < 8; ++y, at += 8) {
        RvRow yz = rv_liquid_slice_own(&s[RV_STRESS_YZ], y), xz = rv_liquid_slice_own(&s[RV_STRESS_XZ], y);
        RvRow xy = rv_liquid_slice_own(&s[RV_STRESS_XY], y);
        RvRow vx = rv_row_load(v[0] + at), vy = rv_row_load(v[1] + at), vz = rv_row_load(v[2] + at);
        // divergence of the stress, component by component
        RvRow fx = force_row(
            w, 0, at, vx, rv_liquid_slice_left(&s[RV_STRESS_XX], y) - rv_liquid_slice_own(&s[RV_STRESS_XX], y),
            (xy - rv_liquid_slice_up(&s[RV_STRESS_XY], y)) + (xz - rv_liquid_slice_front(&s[RV_STRESS_XZ], y)));
        RvRow fy = force_row(
            w, 1, at, vy, rv_liquid_slice_down(&s[RV_STRESS_YY], y) - rv_liquid_slice_own(&s[RV_STRESS_YY], y),
            (xy - rv_liquid_slice_right(&s[RV_STRESS_XY], y)) + (yz - rv_liquid_slice_front(&s[RV_STRESS_YZ], y)));
        RvRow fz = force_row(
            w, 2, at, vz, rv_liquid_slice_back(&s[RV_STRESS_ZZ], y) - rv_liquid_slice_own(&s[RV_STRESS_ZZ], y),
            (xz - rv_liquid_slice_right(&s[RV_STRESS_XZ], y)) + (yz - rv_liquid_slice_up(&s[RV_STRESS_YZ], y)));
        rv_row_store(out[0] + at, fx);
        rv_row_store(out[1] + at, fy);
        rv_row_store(out[2] + at, fz);
        sum +=
            rv_row_wide(vx) * rv_row_wide(fx) + rv_row_wide(vy) * rv_row_wide(fy) + rv_row_wide(vz) * rv_row_wide(fz);
      }
    }
  }
  return rv_row_total(sum);
}

// CG step: u += alpha p, r -= alpha q. Returns r . inverse r, and r . r of each tile.
double RV_KERNEL(rv_liquid_viscosity_advance)(const RvViscosityWork* w, float alpha, double* square, size_t begin,
                                              size_t end) {
  RvRowSum sum = {0};
  RvRow step = rv_row_set(alpha);
  for (size_t t = begin; t < end; ++t) {
    RvRowSum own = {0};
    for (int axis = 0; axis < 3; ++axis)
      for (size_t at = t * RV_TILE_CELLS; at < (t + 1) * RV_TILE_CELLS; at += 8) {
        RvRow r = rv_row_load(w->r[axis] + at) - step * rv_row_load(w->q[axis] + at);
        rv_row_store(w->u[axis] + at, rv_row_load(w->u[axis] + at) + step * rv_row_load(w->p[axis] + at));
        rv_row_store(w->r[axis] + at, r);
        RvRowSum wide = rv_row_wide(r);
        own += wide * wide;
        sum += wide * wide * rv_row_wide(rv_row_load(w->inverse[axis] + at));
      }
    square[t] = rv_row_total(own);
  }
  return rv_row_total(sum);
}

// CG direction: p = inverse r + beta p.
void RV_KERNEL(rv_liquid_viscosity_turn)(const RvViscosityWork* w, float beta, size_t begin, size_t end) {
  RvRow scale = rv_row_set(beta);
  for (int axis = 0; axis < 3; ++axis)
    for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; at += 8)
      rv_row_store(w->p[axis] + at, rv_row_load(w->inverse[axis] + at) * rv_row_load(w->r[axis] + at) +
                                        scale * rv_row_load(w->p[axis] + at));
}

#endif
