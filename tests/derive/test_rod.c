// Forces are minus the gradient of the energy, and Hessians its second derivative, by central differences at random
// states (WH-1). The step is 1e-5 of the edge, the differences' own error about 1e-9 of the largest entry; 1e-6 asked.
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

static double step_of(int unknown) {
  return unknown % 4 == 3 ? 1e-5 : 1e-5 * EDGE;
}

// turns of up to a radian since the start of the step: the frames' own turning must be in the gradient
static void gradient_is_the_slope_of_the_energy(void** state) {
  (void)state;
  static Rod rod;
  _Alignas(64) double start[4 * N * W], q[4 * N * W], g[4 * N * W] = {0}, plus[W], minus[W];
  make_state(start, 1, 0.3);
  make_state(q, 2, 0.5);
  make_rod(&rod, start);
  rv_strand_rod_derivatives(&rod.batch, q, RV_ROD_GAUSS_NEWTON, g, NULL);
  double worst[2] = {0}, largest[2] = {0};
  for (int k = 0; k < DOF; ++k)
    for (int lane = 0; lane < W; ++lane) {
      double h = step_of(k), keep = q[k * W + lane];
      q[k * W + lane] = keep + h;
      rv_strand_rod_energy(&rod.batch, q, plus);
      q[k * W + lane] = keep - h;
      rv_strand_rod_energy(&rod.batch, q, minus);
      q[k * W + lane] = keep;
      int angle = k % 4 == 3;
      worst[angle] = fmax(worst[angle], fabs((plus[lane] - minus[lane]) / (2 * h) - g[k * W + lane]));
      largest[angle] = fmax(largest[angle], fabs(g[k * W + lane]));
    }
  print_message("positions %.2e angles %.2e\n", worst[0] / largest[0], worst[1] / largest[1]);
  assert_true(worst[0] <= 1e-6 * largest[0] && worst[1] <= 1e-6 * largest[1]);
}

static double band_entry(const double* band, int row, int column, int lane) {
  int hi = row > column ? row : column, lo = row > column ? column : row;
  return hi - lo > RV_ROD_BAND ? 0 : band[(lo * (RV_ROD_BAND + 1) + hi - lo) * W + lane];
}

// relative to the scale of the two unknowns' own diagonal, as positions and angles have different units
static void check_hessian(const Rod* rod, double* q, RvRodHessian kind) {
  static _Alignas(64) double band[4 * N * (RV_ROD_BAND + 1) * W];
  _Alignas(64) double g[4 * N * W] = {0}, plus[4 * N * W], minus[4 * N * W];
  memset(band, 0, sizeof band);
  rv_strand_rod_derivatives(&rod->batch, q, kind, g, band);
  double worst = 0;
  for (int k = 0; k < DOF; ++k)
    for (int lane = 0; lane < W; ++lane) {
      double h = step_of(k), keep = q[k * W + lane];
      memset(plus, 0, sizeof plus);
      memset(minus, 0, sizeof minus);
      q[k * W + lane] = keep + h;
      rv_strand_rod_derivatives(&rod->batch, q, kind, plus, NULL);
      q[k * W + lane] = keep - h;
      rv_strand_rod_derivatives(&rod->batch, q, kind, minus, NULL);
      q[k * W + lane] = keep;
      for (int r = 0; r < DOF; ++r) {
        double slope = (plus[r * W + lane] - minus[r * W + lane]) / (2 * h);
        double scale = sqrt(fabs(band_entry(band, r, r, lane) * band_entry(band, k, k, lane)));
        worst = fmax(worst, fabs(slope - band_entry(band, r, k, lane)) / scale);
      }
    }
  print_message("worst %.2e\n", worst);
  assert_true(worst <= 1e-6);
}

// with the frames of this very state the full Hessian is exact
static void full_hessian_is_the_slope_of_the_gradient(void** state) {
  (void)state;
  static Rod rod;
  _Alignas(64) double q[4 * N * W];
  make_state(q, 3, 0.4);
  make_rod(&rod, q);
  check_hessian(&rod, q, RV_ROD_FULL);
}

// at rest nothing is stressed: no force, and Gauss-Newton is the whole Hessian
static void at_rest_no_force_and_gauss_newton_is_exact(void** state) {
  (void)state;
  static Rod rod;
  _Alignas(64) double q[4 * N * W], g[4 * N * W] = {0}, energy[W];
  make_state(q, 4, 0.3);
  make_rod(&rod, q);
  RvRodStrain rest = {.length = rod.length, .curvature = rod.curvature, .twist = rod.twist};
  rv_strand_rod_strain(&rod.batch, q, &rest);
  rv_strand_rod_derivatives(&rod.batch, q, RV_ROD_GAUSS_NEWTON, g, NULL);
  rv_strand_rod_energy(&rod.batch, q, energy);
  for (int k = 0; k < DOF * W; ++k) CHECK_NEAR(g[k], 0, 1e-12);
  for (int lane = 0; lane < W; ++lane) CHECK_NEAR(energy[lane], 0, 1e-20);
  check_hessian(&rod, q, RV_ROD_GAUSS_NEWTON);
}

// a rigid motion of positions and frames changes neither energy nor (turned) forces
static void rigid_motion_changes_nothing(void** state) {
  (void)state;
  static Rod rod, moved;
  _Alignas(64) double q[4 * N * W], p[4 * N * W], g[4 * N * W] = {0}, h[4 * N * W] = {0}, a[W], b[W];
  make_state(q, 5, 0.4);
  make_rod(&rod, q);
  moved = rod;
  moved.batch = (RvRodBatch){
      N,          moved.tangent, moved.director, moved.reference, moved.length, moved.stretch, moved.curvature,
      moved.bend, moved.twist,   moved.torsion};
  RvQuat turn = rv_quat_normalize((RvQuat){0.3, -0.5, 0.2, 0.7});
  memcpy(p, q, sizeof p);
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < N; ++i) {
      double x[3];
      for (int c = 0; c < 3; ++c) x[c] = q[(4 * i + c) * W + lane];
      RvVec3 y = rv_add(rv_quat_rotate(turn, rv_vec3_load64(x)), rv_vec3(3, -2, 5));
      p[(4 * i) * W + lane] = y.x;
      p[(4 * i + 1) * W + lane] = y.y;
      p[(4 * i + 2) * W + lane] = y.z;
      for (int k = 0; k < 2 && i + 1 < N; ++k) {
        double* v = k ? moved.director : moved.tangent;
        for (int c = 0; c < 3; ++c) x[c] = v[(3 * i + c) * W + lane];
        y = rv_quat_rotate(turn, rv_vec3_load64(x));
        v[(3 * i) * W + lane] = y.x;
        v[(3 * i + 1) * W + lane] = y.y;
        v[(3 * i + 2) * W + lane] = y.z;
      }
    }
  rv_strand_rod_energy(&rod.batch, q, a);
  rv_strand_rod_energy(&moved.batch, p, b);
  rv_strand_rod_derivatives(&rod.batch, q, RV_ROD_GAUSS_NEWTON, g, NULL);
  rv_strand_rod_derivatives(&moved.batch, p, RV_ROD_GAUSS_NEWTON, h, NULL);
  for (int lane = 0; lane < W; ++lane) {
    // a shift by 5 m leaves 1e-15 / EDGE of a strain's digits
    CHECK_NEAR(b[lane] / a[lane], 1, 1e-11);
    for (int i = 0; i < N; ++i) {
      double x[3] = {g[(4 * i) * W + lane], g[(4 * i + 1) * W + lane], g[(4 * i + 2) * W + lane]};
      RvVec3 y = rv_quat_rotate(turn, rv_vec3_load64(x));
      CHECK_NEAR(h[(4 * i) * W + lane], y.x, 1e-9);
      CHECK_NEAR(h[(4 * i + 1) * W + lane], y.y, 1e-9);
      CHECK_NEAR(h[(4 * i + 2) * W + lane], y.z, 1e-9);
      if (i + 1 < N) CHECK_NEAR(h[(4 * i + 3) * W + lane], g[(4 * i + 3) * W + lane], 1e-11);
    }
  }
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

RV_TESTS(cmocka_unit_test(gradient_is_the_slope_of_the_energy),
         cmocka_unit_test(full_hessian_is_the_slope_of_the_gradient),
         cmocka_unit_test(at_rest_no_force_and_gauss_newton_is_exact), cmocka_unit_test(rigid_motion_changes_nothing),
         cmocka_unit_test(same_bits_on_every_path))
