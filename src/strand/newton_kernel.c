// Energy, gradient and factored Hessian of the incremental potential of one batch, in SIMD lanes (WH-44); see newton.h.
//
// To the rod's own terms (rod_kernel.c) this adds inertia, the part of it that slides, and the coupling; then fixed
// unknowns are eliminated and the band is factored. A lane whose full Hessian is not positive definite takes that of
// Gauss and Newton.
#include "math/lanes_math.h"
#include "strand/newton.h"

void RV_KERNEL(rv_strand_rod_energy)(const RvRodBatch* rod, const double* q, double* energy);
void RV_KERNEL(rv_strand_rod_derivatives)(const RvRodBatch* rod, const double* q, RvRodHessian kind, double* g,
                                          double* band);
unsigned RV_KERNEL(rv_ldlt_factor)(double* a, int n, int band);

void RV_KERNEL(rv_strand_newton_energy)(const RvNewtonBatch* b, const double* q, double* energy);
unsigned RV_KERNEL(rv_strand_newton_derive)(const RvNewtonBatch* b, const double* q, double* g, double* band,
                                            double* spare);
unsigned RV_KERNEL(rv_strand_newton_assemble)(const RvNewtonBatch* b, const double* q, double* g, double* band,
                                              double* spare);
unsigned RV_KERNEL(rv_strand_newton_factor)(const RvNewtonBatch* b, const double* q, unsigned indefinite_lanes,
                                            double* band, double* spare);
void RV_KERNEL(rv_strand_newton_dot)(int vertices, const double* a, const double* b, double* dot);
void RV_KERNEL(rv_strand_newton_move)(int vertices, const double* q, const double* alpha, const double* d, double* out);
void RV_KERNEL(rv_strand_newton_blend)(int count, int width, int repeat, const double* elastic, const double* viscous,
                                       double scale, const double* rest, const double* start, double* stiffness,
                                       double* blended);

#define STRIDE (RV_ROD_BAND + 1)  // entries of a column of the band

// m: below any edge length, only to keep divisions finite (squared, as it is compared with squares)
#define TINY_SQUARED_LENGTH 1e-60
// A step that would turn an edge inside out leaves this share of its length.
#define LEAST_EDGE_SHARE 0.1

// e . x - slide_goal: how far vertex i is from its free flight along the tangent, times the root of the sliding
// inertia.
RV_INLINE RvLanes slide_offset(const RvNewtonBatch* b, const double* q, int i, int lane) {
  const RvLanes3 e = rv_lanes3_load(b->slide + (size_t)(3 * i) * RV_W + lane);
  const RvLanes3 x = rv_lanes3_load(q + (size_t)(4 * i) * RV_W + lane);
  return rv_lanes3_dot(e, x) - rv_lanes_load(b->slide_goal + (size_t)i * RV_W + lane);
}

void RV_KERNEL(rv_strand_newton_energy)(const RvNewtonBatch* b, const double* q, double* energy) {
  RV_KERNEL(rv_strand_rod_energy)(&b->rod, q, energy);
  if (b->block_terms) b->couple->block(b->couple->user, b->block, q, 0, energy, NULL, NULL);
  const int n = rv_strand_rod_size(b->rod.vertices);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    // inertia over the free unknowns
    RvLanes sum = rv_lanes_set(0);
    for (int k = 0; k < n; ++k) {
      const RvLanes d = rv_lanes_load(q + k * RV_W + lane) - rv_lanes_load(b->goal + k * RV_W + lane);
      const RvLanes w = rv_lanes_load(b->inertia + k * RV_W + lane) * rv_lanes_load(b->free + k * RV_W + lane);
      sum = rv_lanes_fma(w * d, d, sum);
    }
    // less the inertia that slides
    for (int i = 0; b->slide && i < b->rod.vertices; ++i) {
      const RvLanes offset = slide_offset(b, q, i, lane);
      sum = rv_lanes_fma(-offset, offset, sum);
    }
    rv_lanes_store(energy + lane, rv_lanes_fma(rv_lanes_set(0.5), sum, rv_lanes_load(energy + lane)));
  }
}

// Adds the coupling's part of the Hessian that fits into the band.
RV_INLINE void add_coupling(const RvNewtonBatch* b, const double* q, double* band) {
  if (b->block_terms)
    b->couple->block(b->couple->user, b->block, q, b->cautious_lanes, NULL, NULL, band);
  else if (b->couple && b->couple->diagonal)
    b->couple->diagonal(b->couple->user, b->block, band);
}

// Subtracts a share of e e^T, the inertia that slides, from the diagonal blocks of the vertices.
RV_INLINE void subtract_slide(const RvNewtonBatch* b, double* band, double share) {
  for (int i = 0; b->slide && i < b->rod.vertices; ++i)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c <= r; ++c)
        for (int lane = 0; lane < RV_W; lane += RV_V) {
          const double* e = b->slide + (size_t)(3 * i) * RV_W + lane;
          double* at = band + ((size_t)(4 * i + c) * STRIDE + (size_t)(r - c)) * RV_W + lane;
          const RvLanes product = rv_lanes_load(e + r * RV_W) * rv_lanes_load(e + c * RV_W);
          rv_lanes_store(at, rv_lanes_fma(rv_lanes_set(-share), product, rv_lanes_load(at)));
        }
}

// Adds a share of the inertia to the band, and makes rows and columns of fixed unknowns those of the identity.
RV_INLINE void constrain(const RvNewtonBatch* b, double* band, int n, double share) {
  subtract_slide(b, band, share);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j < n; ++j) {
      const RvLanes free = rv_lanes_load(b->free + j * RV_W + lane);
      double* column = band + (size_t)j * STRIDE * RV_W + lane;
      const RvLanes inertia = rv_lanes_load(b->inertia + j * RV_W + lane);
      const RvLanes d = rv_lanes_fma(rv_lanes_set(share), inertia, rv_lanes_load(column));
      // The stiffness of twist is as small as 1e-10, so the 1 of fixed unknowns must not be added to a free diagonal.
      rv_lanes_store(column, rv_lanes_fma(free, d, rv_lanes_set(1) - free));
      const int rows = n - 1 - j < RV_ROD_BAND ? n - 1 - j : RV_ROD_BAND;
      for (int k = 1; k <= rows; ++k) {
        const RvLanes other = rv_lanes_load(b->free + (j + k) * RV_W + lane);
        rv_lanes_store(column + k * RV_W, rv_lanes_load(column + k * RV_W) * (free * other));
      }
    }
}

// Gradient of the inertia that slides.
RV_INLINE void slide_gradient(const RvNewtonBatch* b, const double* q, double* g) {
  for (int i = 0; b->slide && i < b->rod.vertices; ++i)
    for (int lane = 0; lane < RV_W; lane += RV_V) {
      double* at = g + (size_t)(4 * i) * RV_W + lane;
      const RvLanes3 e = rv_lanes3_load(b->slide + (size_t)(3 * i) * RV_W + lane);
      rv_lanes3_store(at, rv_lanes3_mad(rv_lanes3_load(at), -slide_offset(b, q, i, lane), e));
    }
}

// Adds the gradient of inertia; fixed unknowns get 0.
RV_INLINE void inertia_gradient(const RvNewtonBatch* b, const double* q, double* g, int n) {
  slide_gradient(b, q, g);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int k = 0; k < n; ++k) {
      const int at = k * RV_W + lane;
      const RvLanes d = rv_lanes_load(q + at) - rv_lanes_load(b->goal + at);
      const RvLanes sum = rv_lanes_fma(rv_lanes_load(b->inertia + at), d, rv_lanes_load(g + at));
      rv_lanes_store(g + at, sum * rv_lanes_load(b->free + at));
    }
}

static void clear(double* a, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = 0;
}

// The Hessian to assemble: if all lanes are cautious, the full one is not needed at all.
RV_INLINE RvRodHessian hessian_kind(const RvNewtonBatch* b) {
  return b->cautious_lanes == 0xff ? RV_ROD_GAUSS_NEWTON : RV_ROD_FULL;
}

unsigned RV_KERNEL(rv_strand_newton_derive)(const RvNewtonBatch* b, const double* q, double* g, double* band,
                                            double* spare) {
  const int n = rv_strand_rod_size(b->rod.vertices);
  const size_t room = (size_t)n * STRIDE * RV_W;
  // gradient, and the Hessian of the rods
  clear(g, (size_t)(n + 1) * RV_W);
  if (band) clear(band, room);
  RV_KERNEL(rv_strand_rod_derivatives)(&b->rod, q, hessian_kind(b), g, band);
  if (b->block_terms) b->couple->block(b->couple->user, b->block, q, 0, NULL, g, NULL);
  inertia_gradient(b, q, g, n);
  // Definiteness is tested without the coupling and with half of the inertia. The coupling's diagonal can make an
  // indefinite band positive definite, but it has no effect on two strands that move together: for the joint matrix to
  // be positive definite, each strand's band must be so without it, and with a margin.
  if (!band || !b->couple || hessian_kind(b) != RV_ROD_FULL) return 0;
  for (size_t i = 0; i < room; ++i) spare[i] = band[i];
  constrain(b, spare, n, 0.5);
  return RV_KERNEL(rv_ldlt_factor)(spare, n, RV_ROD_BAND);
}

unsigned RV_KERNEL(rv_strand_newton_factor)(const RvNewtonBatch* b, const double* q, unsigned indefinite_lanes,
                                            double* band, double* spare) {
  const int n = rv_strand_rod_size(b->rod.vertices);
  const size_t room = (size_t)n * STRIDE * RV_W;
  add_coupling(b, q, band);
  constrain(b, band, n, 1);
  // full Hessian with coupling and inertia
  const unsigned failed = RV_KERNEL(rv_ldlt_factor)(band, n, RV_ROD_BAND) | indefinite_lanes;
  const unsigned replaced = hessian_kind(b) == RV_ROD_FULL ? failed | b->cautious_lanes : 0;
  if (!replaced) return failed;

  // Lanes that failed or are cautious take the Gauss-Newton factor. The others keep theirs, so that no lane depends on
  // its neighbours.
  clear(spare, room + (size_t)(n + 1) * RV_W);
  RV_KERNEL(rv_strand_rod_derivatives)(&b->rod, q, RV_ROD_GAUSS_NEWTON, spare + room, spare);
  add_coupling(b, q, spare);
  constrain(b, spare, n, 1);
  RV_KERNEL(rv_ldlt_factor)(spare, n, RV_ROD_BAND);
  for (size_t i = 0; i < room; i += RV_W)
    for (int lane = 0; lane < RV_W; ++lane)
      if (replaced >> lane & 1) band[i + (size_t)lane] = spare[i + (size_t)lane];
  return failed;
}

unsigned RV_KERNEL(rv_strand_newton_assemble)(const RvNewtonBatch* b, const double* q, double* g, double* band,
                                              double* spare) {
  const unsigned indefinite_lanes = RV_KERNEL(rv_strand_newton_derive)(b, q, g, band, spare);
  return RV_KERNEL(rv_strand_newton_factor)(b, q, indefinite_lanes, band, spare);
}

void RV_KERNEL(rv_strand_newton_dot)(int vertices, const double* a, const double* b, double* dot) {
  const int n = rv_strand_rod_size(vertices);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes sum = rv_lanes_set(0);
    for (int k = 0; k < n; ++k)
      sum = rv_lanes_fma(rv_lanes_load(a + k * RV_W + lane), rv_lanes_load(b + k * RV_W + lane), sum);
    rv_lanes_store(dot + lane, sum);
  }
}

// A straight step of a rotating edge stretches it to second order, which costs a stiff strand much energy. So an edge
// takes the step in polar form: its length grows by the part of the step along it, its direction follows the part
// across it. The path has the same tangent at alpha 0, so Newton's convergence and the line search are unaffected.
void RV_KERNEL(rv_strand_newton_move)(int vertices, const double* q, const double* alpha, const double* d,
                                      double* out) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    // the root moves straight
    const RvLanes a = rv_lanes_load(alpha + lane);
    RvLanes3 x = rv_lanes3_load(q + lane), dx = rv_lanes3_load(d + lane);
    RvLanes3 moved = rv_lanes3_mad(x, a, dx);
    rv_lanes3_store(out + lane, moved);
    for (int i = 0; i + 1 < vertices; ++i) {
      // angle of the edge: straight
      const size_t at = (size_t)(4 * i + 3) * RV_W + (size_t)lane;
      rv_lanes_store(out + at, rv_lanes_fma(a, rv_lanes_load(d + at), rv_lanes_load(q + at)));
      // the edge in polar form: growth along it, direction across it
      const RvLanes3 next = rv_lanes3_load(q + at + RV_W), dnext = rv_lanes3_load(d + at + RV_W);
      const RvLanes3 e = rv_lanes3_sub(next, x), de = rv_lanes3_scale(rv_lanes3_sub(dnext, dx), a);
      const RvLanes length = rv_lanes_sqrt(rv_lanes_max(rv_lanes3_dot(e, e), rv_lanes_set(TINY_SQUARED_LENGTH)));
      const RvLanes along = rv_lanes3_dot(e, de) / length;
      const RvLanes3 turned = rv_lanes3_mad(rv_lanes3_add(e, de), -(along / length), e);
      const RvLanes turned_length =
          rv_lanes_sqrt(rv_lanes_max(rv_lanes3_dot(turned, turned), rv_lanes_set(TINY_SQUARED_LENGTH)));
      const RvLanes grown = rv_lanes_max(length + along, rv_lanes_set(LEAST_EDGE_SHARE) * length);
      moved = rv_lanes3_mad(moved, grown / turned_length, turned);
      rv_lanes3_store(out + at + RV_W, moved);
      x = next;
      dx = dnext;
    }
  }
}

void RV_KERNEL(rv_strand_newton_blend)(int count, int width, int repeat, const double* elastic, const double* viscous,
                                       double scale, const double* rest, const double* start, double* stiffness,
                                       double* blended) {
  for (int i = 0; i < count; ++i)
    for (int lane = 0; lane < RV_W; lane += RV_V)
      for (int c = 0; c < width; ++c) {
        const size_t k = ((size_t)i * (size_t)width + (size_t)c) * RV_W + (size_t)lane;
        const RvLanes e = rv_lanes_load(elastic + k);
        const RvLanes v = rv_lanes_load(viscous + k) * rv_lanes_set(scale);
        const RvLanes sum = e + v;
        // 1e-300: ends of a strand have no stiffness, and any rest strain
        const RvLanes inverse = rv_lanes_set(1) / rv_lanes_max(sum, rv_lanes_set(1e-300));
        rv_lanes_store(stiffness + k, sum);
        // `repeat` strains share one stiffness: kappa_c in the frames of both edges
        for (int r = 0; r < repeat; ++r) {
          const size_t s = ((size_t)i * (size_t)(width * repeat) + (size_t)(r * width + c)) * RV_W + (size_t)lane;
          const RvLanes mixed = rv_lanes_fma(e, rv_lanes_load(rest + s), v * rv_lanes_load(start + s));
          rv_lanes_store(blended + s, mixed * inverse);
        }
      }
}
