// The rod's energy, gradient and Hessian have the same bits on every path of the instruction sets. Whether they are
// right is asked by the check `derivatives`.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/rng.h"
#include "math/vec.h"
#include "strand/rod.h"
#include "support/rv_test.h"

enum { N = 7, DOF = 4 * N - 1, W = RV_LANES };
#define EDGE 0.01

typedef struct Rod {
  RvRodBatch batch;
  _Alignas(64) double tangent[(N - 1) * 3 * W], director[(N - 1) * 3 * W], reference[N * W], length[(N - 1) * W],
      stretch[(N - 1) * W], curvature[N * 4 * W], bend[N * 2 * W], twist[N * W], torsion[N * W];
} Rod;

static double noise(uint64_t stream, int i) {
  return 2 * rv_random(3, stream, (uint64_t)i, 0) - 1;
}

// a rough helix with its own noise in each lane
static void make_state(double* q, uint64_t seed, double roughness) {
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < N; ++i) {
      double s = EDGE * i, a = 0.6 * i + lane;
      double x[4] = {0.004 * cos(a), s, 0.004 * sin(a), 0};
      for (int c = 0; c < 4; ++c)
        q[(4 * i + c) * W + lane] =
            x[c] + (c < 3 ? EDGE * roughness : 1.0) * noise(seed + 100 * (uint64_t)lane, 4 * i + c);
    }
}

// frames of a state: tangents, and directors made from scratch
static void make_frames(Rod* rod, const double* q) {
  for (int lane = 0; lane < W; ++lane)
    for (int j = 0; j + 1 < N; ++j) {
      double e[3];
      for (int c = 0; c < 3; ++c) e[c] = q[(4 * j + 4 + c) * W + lane] - q[(4 * j + c) * W + lane];
      RvVec3 t = rv_normalize(rv_vec3_load64(e), rv_vec3(0, 1, 0)), u = rv_perpendicular(t);
      double ta[3] = {t.x, t.y, t.z}, ua[3] = {u.x, u.y, u.z};
      for (int c = 0; c < 3; ++c) {
        rod->tangent[(3 * j + c) * W + lane] = ta[c];
        rod->director[(3 * j + c) * W + lane] = ua[c];
      }
    }
}

static void make_rod(Rod* rod, const double* start) {
  memset(rod, 0, sizeof *rod);
  rod->batch =
      (RvRodBatch){N,         rod->tangent, rod->director, rod->reference, rod->length, rod->stretch, rod->curvature,
                   rod->bend, rod->twist,   rod->torsion};
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < N; ++i) {
      if (i + 1 < N) {
        rod->length[i * W + lane] = EDGE * (1 + 0.1 * noise(7, i));
        rod->stretch[i * W + lane] = 900 + 100 * lane;
      }
      for (int k = 0; k < 4; ++k) rod->curvature[(4 * i + k) * W + lane] = 0.3 * noise(8, 4 * i + k);
      rod->bend[(2 * i) * W + lane] = 0.02 + 0.001 * lane;
      rod->bend[(2 * i + 1) * W + lane] = 0.03;
      rod->twist[i * W + lane] = 0.2 * noise(9, i);
      rod->torsion[i * W + lane] = 0.015;
    }
  make_frames(rod, start);
  RvRodStrain strain = {.reference_twist = rod->reference};
  double copy[N * W];
  strain.reference_twist = copy;
  memset(copy, 0, sizeof copy);
  rv_strand_rod_strain(&rod->batch, start, &strain);
  memcpy(rod->reference, copy, sizeof copy);
}

static void same_bits_on_every_path(void** state) {
  (void)state;
  static Rod rod;
  static _Alignas(64) double band[2][4 * N * (RV_ROD_BAND + 1) * W];
  _Alignas(64) double q[4 * N * W], start[4 * N * W], g[2][4 * N * W], energy[2][W];
  make_state(start, 6, 0.3);
  make_state(q, 7, 0.4);
  make_rod(&rod, start);
  int paths = 0;
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    int at = paths++ > 0;
    memset(g[at], 0, sizeof g[at]);
    memset(band[at], 0, sizeof band[at]);
    rv_strand_rod_energy(&rod.batch, q, energy[at]);
    rv_strand_rod_derivatives(&rod.batch, q, RV_ROD_FULL, g[at], band[at]);
    if (!at) continue;
    assert_memory_equal(energy[0], energy[1], sizeof energy[0]);
    assert_memory_equal(g[0], g[1], sizeof g[0]);
    assert_memory_equal(band[0], band[1], sizeof band[0]);
  }
  rv_cpu_force(RV_ISA_COUNT);
  assert_true(paths >= 1);
}

RV_TESTS(cmocka_unit_test(same_bits_on_every_path))
