// Check derivatives: the rod's gradient and Hessian against differences of its energy and gradient (WH-1, WH-2), each
// term alone, as stretching is some 1e5 times stiffer than bending and would hide its errors.
//
// The eight lanes are eight states: rough, curled, twisted, elliptic both ways, folded to 170 degrees, stretched,
// compressed. Differences are of fourth order, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h with h = 1e-4 of an edge.
// Their truncation error is (h / (l a))^4, a = 0.17 rad being the fold's distance from the singularity at 180 degrees,
// and their rounding error 1e-16 l / h: below 1e-10 together. The tolerance is 1e-6. Positions and angles have
// different units, so errors are relative to the largest entry of each pair of kinds.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "strand/newton.h"
#include "strand/strand.h"

enum { N = 9, DOF = 4 * N - 1, W = RV_LANES };
// The states, by strand; strands 0 and 1 are only rough.
enum { TWISTED = 2, ELLIPTIC = 3, ELLIPTIC_ACROSS = 4, FOLDED = 5, STRETCHED = 6, COMPRESSED = 7 };
#define EDGE 0.005     // m
#define STEP 1e-4      // of the differences, in edges and radians
#define INVERSE_DT 96  // 1/s, of the step whose viscous terms are compared

typedef enum Terms { STRETCH = 1, BEND = 2, TWIST = 4, ALL = 7 } Terms;

typedef struct Rods {
  RvStrandModel* model;
  RvStrandState* state;
  double *q, *zero, *viscous, *blended;  // state within the step; zeros, for a stiffness that is switched off
} Rods;

// Uniform random number in -1 to 1.
static double noise(uint64_t stream, int i) {
  return 2 * rv_random(17, stream, (uint64_t)i, 0) - 1;
}

// Positions of a lane: a curl whose radius and phase differ by lane, displaced at random by `rough` of an edge. The
// natural shape has rough = 0; the start of the folded lane is folded.
static void shape(int lane, double rough, double* x) {
  for (int i = 0; i < N; ++i) {
    double a = 0.5 * i + lane, r = lane == 0 ? 0 : 0.0006 * (1 + lane);
    double p[3] = {r * cos(a), EDGE * i, r * sin(a)};
    for (int c = 0; c < 3; ++c) x[3 * i + c] = p[c] + rough * EDGE * noise(100 + (uint64_t)lane, 3 * i + c);
  }
  // The second half goes back along the first at an angle of 10 degrees.
  double c = cos(10 * RV_PI / 180), s = sin(10 * RV_PI / 180);
  for (int i = N / 2 + 1; i < N && lane == FOLDED && rough > 0; ++i) {
    double k = EDGE * (i - N / 2);
    x[3 * i] = x[3 * (N / 2)] + k * s;
    x[3 * i + 1] = x[3 * (N / 2) + 1] - k * c;
    x[3 * i + 2] = x[3 * (N / 2) + 2];
    x[3 * (N - 1 - i)] = x[3 * (N / 2)];
    x[3 * (N - 1 - i) + 1] = x[3 * (N / 2) + 1] - k;
    x[3 * (N - 1 - i) + 2] = x[3 * (N / 2) + 2];
  }
}

static void release(Rods* r) {
  rv_strand_state_free(r->state);
  rv_strand_model_free(r->model);
  rv_free(r->q);
  *r = (Rods){0};
}

// The state within the step at which all is compared: rotated by some tenths of a radian since its start, twisted,
// stretched and compressed.
static void set_state_within_step(Rods* r) {
  const RvStrandBatch* b = &r->model->batches[0];
  memcpy(r->q, r->state->q, 4 * N * W * sizeof(double));
  for (int lane = 0; lane < W; ++lane) {
    int strand = b->strand[lane];
    double twist = strand == TWISTED ? 1.1 : 0.2;  // rad an edge
    double scale = strand == STRETCHED ? 1.2 : strand == COMPRESSED ? 0.8 : 1;
    for (int i = 0; i < N; ++i)
      for (int c = 0; c < 4; ++c) {
        double* q = &r->q[(4 * i + c) * W + lane];
        if (c < 3)
          *q = scale * (*q + (strand == FOLDED ? 0.01 : 0.12) * EDGE * noise(200 + (uint64_t)strand, 4 * i + c));
        if (c == 3) *q = twist * i + 0.3 * noise(300 + (uint64_t)strand, i);
      }
  }
}

// Model and state of the eight strands.
static RvResult build(Rods* r, RvError* error) {
  double x[W][3 * N], rest[W][3 * N], radius[N];
  RvStrandDef defs[W];
  for (int i = 0; i < N; ++i) radius[i] = 40e-6 * (1 + 0.1 * noise(9, i));
  for (int s = 0; s < W; ++s) {
    shape(s, 0.25, x[s]);
    shape(s, 0, rest[s]);
    defs[s] = (RvStrandDef){.vertices = N,
                            .x = x[s],
                            .rest = rest[s],
                            .radius = radius,
                            .density = 1300,
                            .youngs = 3e9,
                            .shear = 1.1e9,
                            .viscosity = 1e7,
                            // A straight round rod has no torques, to which an error could be relative.
                            .ellipse = s == 0                 ? 1.2
                                       : s == ELLIPTIC        ? 2
                                       : s == ELLIPTIC_ACROSS ? 0.5
                                                              : 1,
                            .multiple = 1,
                            .id = s};
  }
  // Model, start state and arrays.
  *r = (Rods){0};
  RvResult result = rv_strand_model_new(defs, W, &r->model, error);
  if (!result) result = rv_strand_state_new(r->model, defs, &r->state, error);
  size_t room = 4 * N * W;
  if (!result) {
    r->q = rv_alloc_zero(4 * room, sizeof(double));
    if (!r->q) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    r->zero = r->q + room;
    r->viscous = r->q + 2 * room;
    r->blended = r->q + 3 * room;
  }
  if (result) {
    release(r);
    return result;
  }
  set_state_within_step(r);
  return RV_OK;
}

// The rod with only some terms of its energy.
static RvRodBatch elastic(const Rods* r, Terms terms) {
  const RvStrandModel* m = r->model;
  const RvStrandState* s = r->state;
  return (RvRodBatch){N,
                      s->tangent,
                      s->director,
                      s->reference_twist,
                      m->rest_length,
                      terms & STRETCH ? m->stretch : r->zero,
                      m->rest_curvature,
                      terms & BEND ? m->bend : r->zero,
                      m->rest_twist,
                      terms & TWIST ? m->torsion : r->zero};
}

//---------------------------------------------------------------------------------------------- differences

typedef struct Worst {
  double difference[2][2], largest[2][2];  // by kind of row and column: positions, angles
} Worst;

// Largest relative difference of any pair of kinds.
static double relative(const Worst* w) {
  double largest_ratio = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      if (w->largest[a][b] > 0) largest_ratio = fmax(largest_ratio, w->difference[a][b] / w->largest[a][b]);
  return largest_ratio;
}

// Step of the difference for an unknown: rad or m.
static double step_of(int unknown) {
  return unknown % 4 == 3 ? STEP : STEP * EDGE;
}

// A function of the state whose derivative is taken; `out` has rows of lanes.
typedef void At(const void* user, const double* q, double* out);

// Derivative of `rows` rows of lanes with respect to unknown k of each lane, by the formula above.
static void slope(At* at, const void* user, double* q, int k, int rows, double* out) {
  static const double weight[4] = {-1, 8, -8, 1};
  double value[4 * N * W] __attribute__((aligned(64)));
  double value_at_q[W];
  double h = step_of(k);
  memcpy(value_at_q, q + k * W, sizeof value_at_q);
  memset(out, 0, (size_t)(rows * W) * sizeof *out);
  for (int s = 0; s < 4; ++s) {
    const double offset[4] = {2, 1, -1, -2};
    for (int lane = 0; lane < W; ++lane) q[k * W + lane] = value_at_q[lane] + offset[s] * h;
    memset(value, 0, sizeof value);
    at(user, q, value);
    for (int i = 0; i < rows * W; ++i) out[i] += weight[s] * value[i] / (12 * h);
  }
  memcpy(q + k * W, value_at_q, sizeof value_at_q);
}

static void energy_at(const void* user, const double* q, double* out) {
  rv_strand_rod_energy(user, q, out);
}

static void gradient_at(const void* user, const double* q, double* out) {
  rv_strand_rod_derivatives(user, q, RV_ROD_FULL, out, NULL);
}

// Error of the gradient `g` against differences of the energy, of the worst lane.
static double compare_gradient(At* energy, const void* user, double* q, const double* g) {
  double largest_error = 0, found[W];
  Worst worst[W] = {0};
  for (int k = 0; k < DOF; ++k) {
    slope(energy, user, q, k, 1, found);
    for (int lane = 0; lane < W; ++lane) {
      Worst* w = &worst[lane];
      int kind = k % 4 == 3;
      w->difference[kind][0] = fmax(w->difference[kind][0], fabs(found[lane] - g[k * W + lane]));
      w->largest[kind][0] = fmax(w->largest[kind][0], fabs(g[k * W + lane]));
    }
  }
  for (int lane = 0; lane < W; ++lane) largest_error = fmax(largest_error, relative(&worst[lane]));
  return largest_error;
}

// Error of the elastic gradient.
static double gradient_error(const Rods* r, Terms terms) {
  RvRodBatch rod = elastic(r, terms);
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  rv_strand_rod_derivatives(&rod, r->q, RV_ROD_FULL, g, NULL);
  return compare_gradient(energy_at, &rod, r->q, g);
}

// Error of the Hessian against differences of the gradient, of the worst lane; entries beyond the band must be 0.
static double hessian_error(const Rods* r, const RvRodBatch* rod, RvRodHessian kind, double* band) {
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  double found[4 * N * W], largest_error = 0;
  Worst worst[W] = {0};
  memset(band, 0, rv_ldlt_size(DOF, RV_ROD_BAND) * sizeof *band);
  rv_strand_rod_derivatives(rod, r->q, kind, g, band);
  for (int k = 0; k < DOF; ++k) {
    slope(gradient_at, rod, r->q, k, DOF, found);
    for (int i = 0; i < DOF; ++i)
      for (int lane = 0; lane < W; ++lane) {
        int lo = i < k ? i : k, apart = i < k ? k - i : i - k;
        double h = apart <= RV_ROD_BAND ? band[(lo * (RV_ROD_BAND + 1) + apart) * W + lane] : 0;
        double* difference = &worst[lane].difference[i % 4 == 3][k % 4 == 3];
        double* largest = &worst[lane].largest[i % 4 == 3][k % 4 == 3];
        *difference = fmax(*difference, fabs(found[i * W + lane] - h));
        *largest = fmax(*largest, fabs(h));
      }
  }
  for (int lane = 0; lane < W; ++lane) largest_error = fmax(largest_error, relative(&worst[lane]));
  return largest_error;
}

//---------------------------------------------------------------------------------------------- viscous terms

// The viscous energies have the elastic form, with the strains at the start of the step as natural strains and the
// viscosity over dt as stiffness (WH-2). `both` is the single rod into which a step blends the two.
typedef struct Viscous {
  RvRodBatch elastic, viscous, both;
  double numbers[12 * N * W] __attribute__((aligned(64)));
} Viscous;

// Sum of the elastic and viscous energies of each lane.
static void both_energies(const void* user, const double* q, double* out) {
  const Viscous* t = user;
  double more[W] __attribute__((aligned(64)));
  rv_strand_rod_energy(&t->elastic, q, out);
  rv_strand_rod_energy(&t->viscous, q, more);
  for (int lane = 0; lane < W; ++lane) out[lane] += more[lane];
}

// Rest strains and stiffness of a rod.
static void set_elasticity(RvRodBatch* rod, const double* length, const double* curvature, const double* twist,
                           const double* stretch, const double* bend, const double* torsion) {
  rod->length = length;
  rod->curvature = curvature;
  rod->twist = twist;
  rod->stretch = stretch;
  rod->bend = bend;
  rod->torsion = torsion;
}

// The viscous rod: strains of the start of the step, and damping over dt as stiffness.
static void make_viscous(const Rods* r, Viscous* t) {
  const RvStrandModel* m = r->model;
  const double scale = INVERSE_DT;
  double* length = t->numbers;
  double* curvature = length + N * W;
  double* twist = curvature + 4 * N * W;
  double* k = twist + N * W;
  double* stretch = k;
  double* bend = k + N * W;
  double* torsion = k + 3 * N * W;
  t->elastic = t->viscous = t->both = elastic(r, ALL);
  rv_strand_rod_strain(&t->elastic, r->state->q,
                       &(RvRodStrain){.length = length, .curvature = curvature, .twist = twist});
  for (size_t i = 0; i < m->edges; ++i) stretch[i] = scale * m->damp_stretch[i];
  for (size_t i = 0; i < 2 * m->vertices; ++i) bend[i] = scale * m->damp_bend[i];
  for (size_t i = 0; i < m->vertices; ++i) torsion[i] = scale * m->damp_torsion[i];
  set_elasticity(&t->viscous, length, curvature, twist, stretch, bend, torsion);
}

// Error of the gradient of the blended rod, as a step uses it, against the sum of both energies.
static double viscous_error(const Rods* r, Viscous* t, double* memory) {
  const RvStrandModel* m = r->model;
  double* length = memory;
  double* curvature = length + N * W;
  double* twist = curvature + 4 * N * W;
  double* stretch = twist + N * W;
  double* bend = stretch + N * W;
  double* torsion = bend + 2 * N * W;
  rv_strand_newton_blend(N - 1, 1, 1, m->stretch, m->damp_stretch, INVERSE_DT, m->rest_length, t->viscous.length,
                         stretch, length);
  rv_strand_newton_blend(N, 2, 2, m->bend, m->damp_bend, INVERSE_DT, m->rest_curvature, t->viscous.curvature, bend,
                         curvature);
  rv_strand_newton_blend(N, 1, 1, m->torsion, m->damp_torsion, INVERSE_DT, m->rest_twist, t->viscous.twist, torsion,
                         twist);
  set_elasticity(&t->both, length, curvature, twist, stretch, bend, torsion);
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  rv_strand_rod_derivatives(&t->both, r->q, RV_ROD_FULL, g, NULL);
  return compare_gradient(both_energies, t, r->q, g);
}

//---------------------------------------------------------------------------------------------- rigid motion

// Reads and writes three rows of a lane.
static RvVec3 vector_at(const double* a, int row) {
  return rv_vec3(a[row * W], a[(row + 1) * W], a[(row + 2) * W]);
}

static void put(double* a, int row, RvVec3 v) {
  a[row * W] = v.x;
  a[(row + 1) * W] = v.y;
  a[(row + 2) * W] = v.z;
}

// Any rotation, by which rigid motion is tested.
static RvQuat any_rotation(void) {
  return rv_quat_normalize((RvQuat){0.3, -0.5, 0.2, 0.7});
}

// Positions rotated and translated. The angles are such that the material frames rotate with the rod, although the
// reference frames are parallel-transported from those of the start.
static void turn_state(const Rods* r, const double* q, double* out) {
  RvQuat turn = any_rotation();
  memcpy(out, q, 4 * N * W * sizeof *out);
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < N; ++i)
      put(out + lane, 4 * i, rv_add(rv_quat_rotate(turn, vector_at(q + lane, 4 * i)), rv_vec3(0.3, -0.2, 0.5)));
    for (int j = 0; j + 1 < N; ++j) {
      RvVec3 t = vector_at(r->state->tangent + lane, 3 * j), u = vector_at(r->state->director + lane, 3 * j);
      RvVec3 to = rv_quat_rotate(turn, t), v = rv_cross(t, u);
      double angle = q[(4 * j + 3) * W + lane];
      RvVec3 m = rv_quat_rotate(turn, rv_mad(rv_scale(u, cos(angle)), sin(angle), v));
      u = rv_quat_rotate(rv_quat_between(t, to), u);
      out[(4 * j + 3) * W + lane] = atan2(rv_dot(m, rv_cross(to, u)), rv_dot(m, u));
    }
  }
}

// Largest entry of g relative to the largest of `scale`, the larger of positions and angles.
static double share(const double* g, const double* scale) {
  double largest[2] = {0}, scale_largest[2] = {0};
  for (int k = 0; k < DOF * W; ++k) {
    int kind = k / W % 4 == 3;
    largest[kind] = fmax(largest[kind], fabs(g[k]));
    scale_largest[kind] = fmax(scale_largest[kind], fabs(scale[k]));
  }
  return fmax(largest[0] / scale_largest[0], largest[1] / scale_largest[1]);
}

// A rod that is moved rigidly with its frames: relative change of the energy, and of the forces rotated back.
static void rigid_error(const Rods* r, double* energy, double* force) {
  RvRodBatch rod = elastic(r, ALL), moved = rod;
  double p[4 * N * W] __attribute__((aligned(64)));
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  double h[4 * N * W] __attribute__((aligned(64))) = {0};
  double frames[6 * N * W] __attribute__((aligned(64)));
  double a[W] __attribute__((aligned(64)));
  double b[W] __attribute__((aligned(64)));
  // Positions and frames rotated and translated.
  RvQuat turn = any_rotation();
  memcpy(p, r->q, sizeof p);
  for (int lane = 0; lane < W; ++lane)
    for (int i = 0; i < N; ++i) {
      put(p + lane, 4 * i, rv_add(rv_quat_rotate(turn, vector_at(r->q + lane, 4 * i)), rv_vec3(0.3, -0.2, 0.5)));
      if (i + 1 == N) continue;
      put(frames + lane, 3 * i, rv_quat_rotate(turn, vector_at(rod.tangent + lane, 3 * i)));
      put(frames + 3 * N * W + lane, 3 * i, rv_quat_rotate(turn, vector_at(rod.director + lane, 3 * i)));
    }
  // Energy and forces of both.
  moved.tangent = frames;
  moved.director = frames + 3 * N * W;
  rv_strand_rod_energy(&rod, r->q, a);
  rv_strand_rod_energy(&moved, p, b);
  rv_strand_rod_derivatives(&rod, r->q, RV_ROD_FULL, g, NULL);
  rv_strand_rod_derivatives(&moved, p, RV_ROD_FULL, h, NULL);
  // Forces less the rotated ones; torques are scalars and must be equal.
  *energy = 0;
  for (int lane = 0; lane < W; ++lane) {
    *energy = fmax(*energy, fabs(b[lane] / a[lane] - 1));
    for (int i = 0; i < N; ++i)
      put(h + lane, 4 * i, rv_sub(vector_at(h + lane, 4 * i), rv_quat_rotate(turn, vector_at(g + lane, 4 * i))));
    for (int j = 0; j + 1 < N; ++j) h[(4 * j + 3) * W + lane] -= g[(4 * j + 3) * W + lane];
  }
  *force = share(h, g);
}

// Viscous force on a rod that only rotates within the step, relative to that on the deformed one: 0 expected.
static double viscous_turned(const Rods* r, const Viscous* t) {
  double p[4 * N * W] __attribute__((aligned(64)));
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  double h[4 * N * W] __attribute__((aligned(64))) = {0};
  turn_state(r, r->state->q, p);
  rv_strand_rod_derivatives(&t->viscous, p, RV_ROD_FULL, g, NULL);
  rv_strand_rod_derivatives(&t->viscous, r->q, RV_ROD_FULL, h, NULL);
  return share(g, h);
}

// The rod whose natural strains are its current ones; memory: 6 N W numbers.
static RvRodBatch rod_at_rest(const Rods* r, double* memory) {
  RvRodBatch rod = elastic(r, ALL);
  double* length = memory;
  double* curvature = memory + N * W;
  double* twist = memory + 5 * N * W;
  rv_strand_rod_strain(&rod, r->q, &(RvRodStrain){.length = length, .curvature = curvature, .twist = twist});
  rod.length = length;
  rod.curvature = curvature;
  rod.twist = twist;
  return rod;
}

// Force on a rod at its natural strains, relative to the elastic force: 0 expected.
static double force_at_rest(const Rods* r, const RvRodBatch* rest) {
  double g[4 * N * W] __attribute__((aligned(64))) = {0};
  double h[4 * N * W] __attribute__((aligned(64))) = {0};
  RvRodBatch rod = elastic(r, ALL);
  rv_strand_rod_derivatives(&rod, r->q, RV_ROD_FULL, h, NULL);
  rv_strand_rod_derivatives(rest, r->q, RV_ROD_FULL, g, NULL);
  return share(g, h);
}

// Energy of a rod at its natural strains, relative to that of the strained one, of the worst lane: 0 expected.
static double energy_at_rest(const Rods* r, const RvRodBatch* rest) {
  double strained[W] __attribute__((aligned(64)));
  double none[W] __attribute__((aligned(64)));
  double largest = 0;
  RvRodBatch rod = elastic(r, ALL);
  rv_strand_rod_energy(&rod, r->q, strained);
  rv_strand_rod_energy(rest, r->q, none);
  for (int lane = 0; lane < W; ++lane) largest = fmax(largest, fabs(none[lane]) / strained[lane]);
  return largest;
}

// Takes the frames of the state itself as reference frames, for which the Hessian is that of the specification.
static void take_frames(Rods* r) {
  double frames[7 * N * W] __attribute__((aligned(64)));
  RvRodBatch rod = elastic(r, ALL);
  RvRodStrain strain = {frames, frames + 3 * N * W, frames + 6 * N * W, NULL, NULL, NULL};
  rv_strand_rod_strain(&rod, r->q, &strain);
  memcpy(r->state->tangent, strain.tangent, 3 * (N - 1) * W * sizeof(double));
  memcpy(r->state->director, strain.director, 3 * (N - 1) * W * sizeof(double));
  memcpy(r->state->reference_twist + W, strain.reference_twist + W, (N - 2) * W * sizeof(double));
}

// Gradients, viscous terms, rigid motion, then Hessians (WH-1, WH-2).
RvResult rv_check_derivatives(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *gradient, *hessian;
    Terms terms;
  } parts[] = {{"gradient_stretch", "hessian_stretch", STRETCH},
               {"gradient_bend", "hessian_bend", BEND},
               {"gradient_twist", "hessian_twist", TWIST},
               {"gradient", "hessian", ALL}};
  Rods rods;
  RvResult result = build(&rods, error);
  if (result) return result;
  double* memory = rv_alloc_zero(rv_ldlt_size(DOF, RV_ROD_BAND) + 12 * N * W, sizeof(double));
  Viscous* viscosity = rv_alloc_zero(1, sizeof *viscosity);
  if (!memory || !viscosity) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    double energy, force;
    double* natural = memory + rv_ldlt_size(DOF, RV_ROD_BAND);
    for (int k = 0; k < 4; ++k) rv_check_emit(out, parts[k].gradient, gradient_error(&rods, parts[k].terms), 0, 1e-6);
    make_viscous(&rods, viscosity);
    rv_check_emit(out, "gradient_viscous", viscous_error(&rods, viscosity, memory), 0, 1e-6);
    // Rounding of positions half a metre away (1e-16 m) against edges of 5 mm stretched by a tenth; twisting is 1e5
    // times softer than stretching and so more sensitive to it.
    rv_check_emit(out, "viscous_when_turned", viscous_turned(&rods, viscosity), 0, 1e-9);
    RvRodBatch rest = rod_at_rest(&rods, natural);
    rv_check_emit(out, "force_at_rest", force_at_rest(&rods, &rest), 0, 1e-12);
    rv_check_emit(out, "energy_at_rest", energy_at_rest(&rods, &rest), 0, 1e-20);
    rigid_error(&rods, &energy, &force);
    rv_check_emit(out, "rigid_energy", energy, 0, 1e-10);
    rv_check_emit(out, "rigid_force", force, 0, 1e-10);
    take_frames(&rods);
    for (int k = 0; k < 4; ++k) {
      RvRodBatch rod = elastic(&rods, parts[k].terms);
      rv_check_emit(out, parts[k].hessian, hessian_error(&rods, &rod, RV_ROD_FULL, memory), 0, 1e-6);
    }
    // Without stress the Gauss-Newton part is the whole Hessian.
    rest = rod_at_rest(&rods, natural);
    rv_check_emit(out, "gauss_newton_at_rest", hessian_error(&rods, &rest, RV_ROD_GAUSS_NEWTON, memory), 0, 1e-6);
  }
  rv_free(memory);
  rv_free(viscosity);
  release(&rods);
  return result;
}
