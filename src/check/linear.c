// Check linear: one Newton iteration is the linearised implicit step (WH-44).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/dense.h"
#include "rig/strand.h"

// A step of implicit Euler with a single Newton iteration.
static RvResult one_iteration(RvRig* rig, double dt, RvStrandStats* stats, RvError* error) {
  const RvStrandStepDef def = {.dt = dt,
                               .dt_before = dt,
                               .integrator = RV_EULER,
                               .max_iterations = 1,
                               .tolerance = 1e-14,
                               .force = rig->force,
                               .target = rig->target};
  return rv_strand_step(rig->model, rig->state, &def, stats, error);
}

// Three vertices, two clamped: along the axis the third is a mass on a spring EA / l, and the frame of its edge an
// inertia on a torsion spring GJ / l. Implicit Euler is x' = (x + dt v) / (1 + k dt^2 / m). The strand is stretched by
// a thousandth, so that it does not buckle. Gives the largest relative errors over 24 steps.
static RvResult springs(double* axial, double* twist, RvError* error) {
  const double x[9] = {0, 0, 0, 0.01, 0, 0, 0.02, 0, 0}, dt = 1.0 / 96;
  RvRig rig;
  const RvRigDef def = {
      .vertices = 3,
      .x = x,
      .radius = 50e-6,
      .density = 1300,
      .youngs = 1e6,
      .shear = 4e5,
      .clamped = 2,
  };
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  const RvStrandModel* m = rig.model;
  double y[2] = {1e-5, 0.1}, v[2] = {0, 0}, scale[2] = {y[0], y[1]};
  // The two oscillators: axial position and angle of the last edge.
  double stiffness[2] = {m->stretch[RV_LANES], m->torsion[RV_LANES]};
  double mass[2] = {rv_rig_mass(&rig, 2, 0), rv_rig_mass(&rig, 1, 3)};
  for (int lane = 0; lane < RV_LANES; ++lane) {
    rig.state->q[rv_strand_index(&m->batches[0], lane, 2, 0)] += y[0];
    rig.state->q[rv_strand_index(&m->batches[0], lane, 1, 3)] += y[1];
  }
  // 24 steps of the strand and of the recurrence.
  *axial = *twist = 0;
  for (int k = 0; k < 24 && !result; ++k) {
    RvStrandStats stats;
    result = one_iteration(&rig, dt, &stats, error);
    for (int c = 0; c < 2; ++c) {
      double next = (y[c] + dt * v[c]) / (1 + stiffness[c] * dt * dt / mass[c]);
      v[c] = (next - y[c]) / dt;
      y[c] = next;
    }
    *axial = fmax(*axial, fabs(rv_rig_x(&rig, 2, 0) - 0.02 - y[0]) / scale[0]);
    *twist = fmax(*twist, fabs(rv_rig_x(&rig, 1, 3) - y[1]) / scale[1]);
  }
  rv_rig_free(&rig);
  return result;
}

// The curl of `curl`: its free unknowns are all but those of the first two vertices and the edge between them.
enum { CURL_VERTICES = 12, DOF = 4 * CURL_VERTICES - 1, CLAMPED = 7, FREE = DOF - CLAMPED };

// d = (M / dt^2 + K)^-1 (f - gradient) over the free unknowns by dense elimination; K is the rod's full Hessian.
static RvResult linear_step(const RvRig* rig, double dt, double d[FREE], RvError* error) {
  const RvStrandModel* m = rig->model;
  const RvStrandState* s = rig->state;
  const RvRodBatch rod = rv_strand_elastic_rods(m, s, m->batches);
  size_t room = rv_ldlt_size(DOF, RV_ROD_BAND);
  double* band = rv_alloc_zero(room + m->unknowns + FREE * FREE, sizeof(double));
  if (!band) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double* gradient = band + room;
  double* a = gradient + m->unknowns;
  // The band's lower half to the dense matrix, with inertia on the diagonal.
  rv_strand_rod_derivatives(&rod, s->q, RV_ROD_FULL, gradient, band);
  for (int j = 0; j < FREE; ++j) {
    int k = j + CLAMPED;
    for (int i = 0; i <= RV_ROD_BAND && j + i < FREE; ++i)
      a[(j + i) * FREE + j] = band[(k * (RV_ROD_BAND + 1) + i) * RV_LANES];
    a[j * FREE + j] += m->mass[k * RV_LANES] / (dt * dt);
    d[j] = rig->force[k * RV_LANES] - gradient[k * RV_LANES];
  }
  bool positive = rv_rig_dense_solve(FREE, a, d);
  rv_free(band);
  return positive ? RV_OK : rv_fail(error, RV_INTERNAL, "the Hessian of the curl is not positive definite");
}

// A natural curl of hair under 1e-5 g: one iteration against (M / dt^2 + K)^-1 f by dense elimination, K the rod's
// Hessian. Newton moves along arcs, so that edges keep their length; the difference from the linear step is its square
// over the edge length, which is negligible for so small a step.
static RvResult curl(double* difference, RvError* error) {
  enum { N = CURL_VERTICES };
  const double dt = 1.0 / 96, g[3] = {0, -9.81e-5, 0};
  double x[3 * N], start[4 * N], d[FREE], largest_motion = 0;
  for (int i = 0; i < N; ++i) {
    x[3 * i] = 0.005 * cos(0.6 * i);
    x[3 * i + 1] = -0.002 * i;
    x[3 * i + 2] = 0.005 * sin(0.6 * i);
  }
  RvRig rig;
  RvRigDef def = rv_rig_hair(N, x);
  def.clamped = 2;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  rv_rig_gravity(&rig, g);
  // The same start for both; then the largest difference of an unknown, relative to the largest motion.
  for (int k = 0; k < DOF; ++k) start[k] = rig.state->q[k * RV_LANES];
  RvStrandStats stats;
  result = linear_step(&rig, dt, d, error);
  if (!result) result = one_iteration(&rig, dt, &stats, error);
  *difference = 0;
  for (int j = 0; j < FREE && !result; ++j) {
    int k = j + CLAMPED;
    // Angles count as the motion of a point an edge away.
    double unit = k % 4 == 3 ? 0.003 : 1;
    double moved = rig.state->q[k * RV_LANES] - start[k];
    *difference = fmax(*difference, unit * fabs(moved - d[j]));
    largest_motion = fmax(largest_motion, unit * fabs(d[j]));
  }
  *difference /= largest_motion;
  rv_rig_free(&rig);
  return result;
}

// Hair of 300 GPa with random velocities, one iteration a frame: largest gain of energy over two seconds.
static RvResult stiff(double* gain, RvError* error) {
  enum { N = 24 };
  double x[3 * N] = {0};
  for (int i = 0; i < N; ++i) x[3 * i + 1] = -0.2 * i / (N - 1);
  RvRig rig;
  RvRigDef def = rv_rig_hair(N, x);
  def.radius = 50e-6;
  def.youngs *= 100;
  def.shear *= 100;
  def.clamped = 2;
  RvResult result = rv_rig_new(&rig, &def, error);
  if (result) return result;
  for (int i = 2; i < N; ++i)
    for (int c = 0; c < 3; ++c) rv_rig_set_v(&rig, i, c, 5 * (2 * rv_random(29, 1, (uint64_t)(3 * i + c), 0) - 1));
  double first = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig);
  *gain = -1;
  for (int k = 0; k < 48 && !result; ++k) {
    RvStrandStats stats;
    result = one_iteration(&rig, 1.0 / 24, &stats, error);
    double now = rv_rig_kinetic(&rig) + rv_rig_elastic(&rig);
    *gain = isfinite(now) ? fmax(*gain, now / first - 1) : INFINITY;
  }
  rv_rig_free(&rig);
  return result;
}

// Axial and torsional oscillators, a curl, and very stiff hair (WH-44).
RvResult rv_check_linear(const RvCheckOut* out, RvError* error) {
  double axial, twist, difference, gain;
  RvResult result = springs(&axial, &twist, error);
  if (!result) result = curl(&difference, error);
  if (!result) result = stiff(&gain, error);
  if (result) return result;
  // Rounding of positions of 0.02 m (1e-16 of them) against a motion of 1e-5 m.
  rv_check_emit(out, "spring", axial, 0, 1e-10);
  rv_check_emit(out, "torsion", twist, 0, 1e-10);
  // Motions of 2 nm over edges of 3.5 mm.
  rv_check_emit(out, "curl", difference, 0, 1e-6);
  // Only a gain counts.
  rv_check_emit(out, "stiff_gain", fmax(gain, 0), 0, 1e-9);
  return RV_OK;
}
