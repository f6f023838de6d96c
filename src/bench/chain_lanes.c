// One implicit step of a batch by its kernels, at eight lanes and at one, on copies of its data.
#include "bench/chain_lanes.h"

#include <math.h>

#include "base/memory.h"
#include "base/timer.h"
#include "continuum/chain_kernel.h"

enum { STEPS = 20, REPEATS = 30 };
static const double DT = 1.0 / 60;  // s

// Numbers a link: length, mass, two moments, stiffness 3, damping 3, rest 4, orientation 4, spin 3, spin rate 3, vertex
// 3 and its velocity 3; numbers of a base: place 3, orientation 4, velocity 3, spin 3, both rates 6; a last vertex 6.
enum { A_LINK = 4 + 3 + 3 + 4 + 4 + 3 + 3 + 6 + RV_CHAIN_ROOM, A_BASE = 19 + 6 };

// Copies rows of one lane (width 1) or of all lanes.
static double* put(double** next, const double* from, size_t rows, size_t width) {
  double* to = *next;
  for (size_t k = 0; k < rows; ++k)
    for (size_t l = 0; l < width; ++l) to[k * width + l] = from ? from[k * RV_LANES + l] : 0;
  *next += rows * width;
  return to;
}

// The first batch's data at a width.
static RvChainWork place(const RvChainModel* m, const RvChainState* s, size_t width, double* memory) {
  size_t n = (size_t)m->batches[0].links;
  double* next = memory;
  RvChainWork w = {.links = (int)n, .dt = DT, .implicitness = 1, .gravity = {0, -9.81, 0}};
  w.length = put(&next, m->length, n, width);
  w.mass = put(&next, m->mass, n, width);
  w.across = put(&next, m->across, n, width);
  w.axial = put(&next, m->axial, n, width);
  w.stiffness = put(&next, m->stiffness, 3 * n, width);
  w.damping = put(&next, m->damping, 3 * n, width);
  w.rest = put(&next, m->rest, 4 * n, width);
  w.orient = put(&next, s->orient, 4 * n, width);
  w.spin = put(&next, s->spin, 3 * n, width);
  w.base_x = put(&next, s->base_x, 3, width);
  w.base_orient = put(&next, s->base_orient, 4, width);
  w.base_v = put(&next, s->base_v, 3, width);
  w.base_spin = put(&next, s->base_spin, 3, width);
  w.base_acceleration = put(&next, NULL, 3, width);
  w.base_spin_rate = put(&next, NULL, 3, width);
  w.spin_rate = put(&next, NULL, 3 * n, width);
  w.x = put(&next, NULL, 3 * (n + 1), width);
  w.v = put(&next, NULL, 3 * (n + 1), width);
  w.room = put(&next, NULL, RV_CHAIN_ROOM * n, width);
  return w;
}

// Least seconds of a step.
static double time_steps(RvChainWork* w, bool wide) {
  double best = INFINITY;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    double start = rv_clock_wall();
    for (int k = 0; k < STEPS; ++k) {
      if (wide) {
        RV_KERNEL_CALL(rv_chain_accelerate, (w));
        RV_KERNEL_CALL(rv_chain_advance, (w));
        RV_KERNEL_CALL(rv_chain_place, (w));
      } else {
        RV_KERNEL_CALL_SINGLE(rv_chain_accelerate, (w));
        RV_KERNEL_CALL_SINGLE(rv_chain_advance, (w));
        RV_KERNEL_CALL_SINGLE(rv_chain_place, (w));
      }
    }
    best = fmin(best, (rv_clock_wall() - start) / STEPS);
  }
  return best;
}

RvResult rv_bench_chain_lanes(const RvChainModel* m, const RvChainState* s, RvBenchChainLanes* out, RvError* error) {
  size_t links = (size_t)m->batches[0].links;
  double* memory = rv_alloc((A_LINK * links + A_BASE) * RV_LANES, sizeof(double));
  if (!memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvChainWork w = place(m, s, RV_LANES, memory);
  out->wide = time_steps(&w, true) / (double)(links * RV_LANES);
  w = place(m, s, 1, memory);
  out->single = time_steps(&w, false) / (double)links;
  rv_free(memory);
  return RV_OK;
}
