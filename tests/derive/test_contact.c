// Contact: the gradient is the slope of the energy and the Hessian that of the gradient, by central differences, in a
// bundle where strands press, slide and lie on a plane (WH-10). The Hessian of friction is the secant, which is not
// below the true one and is it where nothing has slid; that of the pressure is exact. The differences' own error is
// about 1e-8 of the largest entry where the law is smooth, and the law's second derivative jumps at its ends: 1e-5
// asked, with a step of 1e-5 of the reach.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "contact/law.h"
#include "support/rv_test.h"
#include "support/strands.h"

enum { STRANDS = 11, VERTICES = 6 };
#define RADIUS 1e-3

static double noise(uint64_t stream, uint64_t i) {
  return 2 * rv_random(11, stream, i, 0) - 1;
}

// a rough bundle along x, 2.6 radii apart: most neighbours are within d0 of each other
static RvVec3 bundle(void* user, size_t strand, int vertex) {
  (void)user;
  uint64_t k = 3 * (strand * VERTICES + (size_t)vertex);
  double y = RADIUS * (1.4 + 2.6 * (double)(strand / 4)), z = 2.6 * RADIUS * (double)(strand % 4);
  return rv_vec3(0.01 * vertex + 0.003 * noise(1, strand), y + 0.4 * RADIUS * noise(2, k),
                 z + 0.4 * RADIUS * noise(2, k + 1));
}

typedef struct Pressed {
  RvTestStrands s;
  RvContacts* contacts;
  RvCollider plane;
  RvContactDef def;
  double* q;
} Pressed;

static void shake(const RvTestStrands* s, const double* from, double* to, uint64_t stream, double by) {
  memcpy(to, from, s->model->unknowns * sizeof(double));
  for (size_t k = 0; k < STRANDS; ++k)
    for (int i = 0; i < VERTICES; ++i) {
      uint64_t at = 3 * (k * VERTICES + (size_t)i);
      RvVec3 d = rv_vec3(noise(stream, at), noise(stream, at + 1), noise(stream, at + 2));
      rv_test_set(s, to, k, i, rv_mad(rv_test_point(s, from, k, i), by, d));
    }
}

// one step's memory of no pressure, then pressure and slip
static Pressed press(double friction) {
  Pressed p = {.plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .midpoints = true}};
  RvError error = {0};
  RvContactStats stats;
  p.s = rv_test_strands(STRANDS, VERTICES, (RvTestHair){RADIUS, 1300, 1e7, 0}, bundle, NULL, rv_vec3(0, 0, 0));
  p.def = rv_contact_defaults();
  p.def.friction = friction;
  p.plane.friction = friction;
  p.q = rv_alloc(p.s.model->unknowns, sizeof(double));
  CHECK_OK(rv_contacts_new(p.s.model, &p.contacts, &error), error);
  for (int pass = 0; pass < 2; ++pass) {
    p.def.colliders = &p.plane;
    p.def.ncollider = 1;
    shake(&p.s, p.s.state->q, p.q, 5 + (uint64_t)pass, pass * 0.3 * RADIUS);
    CHECK_OK(rv_contacts_find(p.contacts, p.q, p.s.velocity, 0.01, &p.def, &stats, &error), error);
    if (pass == 0) rv_contacts_accept(p.contacts, p.q);
  }
  shake(&p.s, p.q, p.q, 9, 0.1 * RADIUS);
  print_message("%zu links, %zu touches\n", stats.links, stats.touches);
  assert_true(stats.links > 60 && stats.touches > 20);
  return p;
}

static void drop(Pressed* p) {
  rv_contacts_free(p->contacts);
  rv_test_strands_free(&p->s);
  rv_free(p->q);
}

// unknowns of the used lanes
static size_t unknowns(const Pressed* p, size_t* list) {
  size_t n = 0;
  for (size_t k = 0; k < p->s.model->nbatch; ++k)
    for (int lane = 0; lane < p->s.model->batches[k].lanes; ++lane)
      for (int i = 0; i < VERTICES; ++i)
        for (int c = 0; c < 3; ++c) list[n++] = rv_strand_index(&p->s.model->batches[k], lane, i, c);
  return n;
}

static void gradient_is_the_slope_of_the_energy(void** state) {
  (void)state;
  Pressed p = press(0.4);
  const RvOperator* op = rv_contacts_operator(p.contacts);
  double* g = rv_alloc_zero(p.s.model->unknowns, sizeof(double));
  size_t list[3 * STRANDS * VERTICES], n = unknowns(&p, list);
  op->gradient(op->user, p.q, g);
  double worst = 0, largest = 0, h = 1e-5 * RADIUS;
  for (size_t k = 0; k < n; ++k) {
    double keep = p.q[list[k]];
    p.q[list[k]] = keep + h;
    double plus = op->energy(op->user, p.q, NULL);
    p.q[list[k]] = keep - h;
    double minus = op->energy(op->user, p.q, NULL);
    p.q[list[k]] = keep;
    worst = fmax(worst, fabs((plus - minus) / (2 * h) - g[list[k]]));
    largest = fmax(largest, fabs(g[list[k]]));
  }
  print_message("worst %.2e of %.2e\n", worst, largest);
  assert_true(largest > 0 && worst <= 1e-6 * largest);
  rv_free(g);
  drop(&p);
}

// a column of H: what the band holds of it, and what joins strands
static void column(const Pressed* p, const RvOperator* op, double** bands, size_t at, double* out) {
  const RvStrandModel* m = p->s.model;
  double* unit = rv_alloc_zero(m->unknowns, sizeof(double));
  memset(out, 0, m->unknowns * sizeof(double));
  unit[at] = 1;
  rv_operator_apply(op, m->nbatch, unit, out);
  for (size_t b = 0; b < m->nbatch; ++b) {
    const RvStrandBatch* batch = &m->batches[b];
    size_t rows = 4 * (size_t)batch->vertices - 1;
    if (at < batch->at || at >= batch->at + 4 * (size_t)batch->vertices * RV_LANES) continue;
    size_t lane = (at - batch->at) % RV_LANES, j = (at - batch->at) / RV_LANES;
    for (size_t i = 0; i < rows; ++i) {
      size_t lo = i < j ? i : j, hi = i < j ? j : i;
      if (hi - lo <= RV_ROD_BAND)
        out[batch->at + i * RV_LANES + lane] += bands[b][(lo * (RV_ROD_BAND + 1) + hi - lo) * RV_LANES + lane];
    }
  }
  rv_free(unit);
}

static void hessian_is_the_slope_of_the_gradient(void** state) {
  (void)state;
  Pressed p = press(0);
  const RvOperator* op = rv_contacts_operator(p.contacts);
  const RvStrandModel* m = p.s.model;
  double *plus = rv_alloc(m->unknowns, sizeof(double)), *minus = rv_alloc(m->unknowns, sizeof(double));
  double *h = rv_alloc(m->unknowns, sizeof(double)), *bands[4];
  size_t list[3 * STRANDS * VERTICES], n = unknowns(&p, list);
  op->prepare(op->user, p.q, NULL);
  for (size_t b = 0; b < m->nbatch; ++b) {
    bands[b] = rv_alloc_zero(rv_ldlt_size(4 * VERTICES, RV_ROD_BAND), sizeof(double));
    op->diagonal(op->user, b, bands[b]);
  }
  double worst = 0, largest = 0, step = 1e-5 * RADIUS;
  for (size_t k = 0; k < n; ++k) {
    double keep = p.q[list[k]];
    column(&p, op, bands, list[k], h);
    memset(plus, 0, m->unknowns * sizeof(double));
    memset(minus, 0, m->unknowns * sizeof(double));
    p.q[list[k]] = keep + step;
    op->gradient(op->user, p.q, plus);
    p.q[list[k]] = keep - step;
    op->gradient(op->user, p.q, minus);
    p.q[list[k]] = keep;
    for (size_t i = 0; i < n; ++i) {
      worst = fmax(worst, fabs((plus[list[i]] - minus[list[i]]) / (2 * step) - h[list[i]]));
      largest = fmax(largest, fabs(h[list[i]]));
    }
    // positive semidefinite at least along the axes
    assert_true(h[list[k]] >= 0);
  }
  print_message("worst %.2e of %.2e\n", worst, largest);
  assert_true(largest > 0 && worst <= 1e-5 * largest);
  for (size_t b = 0; b < m->nbatch; ++b) rv_free(bands[b]);
  rv_free(plus);
  rv_free(minus);
  rv_free(h);
  drop(&p);
}

// Along any direction the Hessian with friction is not below the slope of the gradient, by differences.
static void hessian_of_friction_is_an_upper_bound(void** state) {
  (void)state;
  Pressed p = press(0.4);
  const RvOperator* op = rv_contacts_operator(p.contacts);
  const RvStrandModel* m = p.s.model;
  size_t count = m->unknowns, list[3 * STRANDS * VERTICES], n = unknowns(&p, list);
  double *g[2], *d = rv_alloc_zero(count, sizeof(double)), *hd = rv_alloc(count, sizeof(double)), *bands[4];
  double *h = rv_alloc(count, sizeof(double)), step = 1e-6 * RADIUS;
  for (int k = 0; k < 2; ++k) g[k] = rv_alloc(count, sizeof(double));
  op->prepare(op->user, p.q, NULL);
  for (size_t b = 0; b < m->nbatch; ++b) {
    bands[b] = rv_alloc_zero(rv_ldlt_size(4 * VERTICES, RV_ROD_BAND), sizeof(double));
    op->diagonal(op->user, b, bands[b]);
  }
  bool above = false;
  for (uint64_t trial = 0; trial < 8; ++trial) {
    memset(hd, 0, count * sizeof(double));
    for (size_t k = 0; k < n; ++k) {
      d[list[k]] = noise(50 + trial, k);
      column(&p, op, bands, list[k], h);
      for (size_t i = 0; i < n; ++i) hd[list[i]] += d[list[k]] * h[list[i]];
    }
    for (int side = 0; side < 2; ++side) {
      memset(g[side], 0, count * sizeof(double));
      for (size_t k = 0; k < n; ++k) p.q[list[k]] += (side ? -2 : 1) * step * d[list[k]];
      op->gradient(op->user, p.q, g[side]);
    }
    double bound = 0, slope = 0;
    for (size_t k = 0; k < n; ++k) {
      p.q[list[k]] += step * d[list[k]];
      bound += d[list[k]] * hd[list[k]];
      slope += d[list[k]] * (g[0][list[k]] - g[1][list[k]]) / (2 * step);
    }
    assert_true(bound >= slope * (1 - 1e-6));
    above |= bound > 1.001 * slope;
  }
  // and friction was at work
  assert_true(above);
  for (size_t b = 0; b < m->nbatch; ++b) rv_free(bands[b]);
  rv_free(g[0]);
  rv_free(g[1]);
  rv_free(d);
  rv_free(hd);
  rv_free(h);
  drop(&p);
}

// Links push both strands alike: with no solid the sum of all forces is 0 to rounding, 1e-12 of their size.
static void what_one_gives_the_other_takes(void** state) {
  (void)state;
  Pressed p = press(0.4);
  RvError error = {0};
  RvContactStats stats;
  p.def.ncollider = 0;
  CHECK_OK(rv_contacts_find(p.contacts, p.q, p.s.velocity, 0.01, &p.def, &stats, &error), error);
  const RvOperator* op = rv_contacts_operator(p.contacts);
  double* g = rv_alloc_zero(p.s.model->unknowns, sizeof(double));
  size_t list[3 * STRANDS * VERTICES], n = unknowns(&p, list);
  op->gradient(op->user, p.q, g);
  double sum[3] = {0}, size = 0;
  for (size_t k = 0; k < n; ++k) {
    sum[k % 3] += g[list[k]];
    size += fabs(g[list[k]]);
  }
  assert_true(size > 0);
  for (int c = 0; c < 3; ++c) CHECK_NEAR(sum[c], 0, 1e-12 * size);
  rv_free(g);
  drop(&p);
}

// The law has no jump of value or slope at d_min = 2 r nor at d0 = 3 r (spec E45), is WH-10's line below, and its
// energy is the integral of the force.
static void the_law_is_smooth(void** state) {
  (void)state;
  const double r = 50e-6, reach = 3 * r, width = r, k = 1e4, e = 1e-9 * r;
  const double ends[] = {2 * r, 3 * r};
  for (int i = 0; i < 2; ++i) {
    RvContactForce a = rv_contact_force(ends[i] - e, reach, width, k),
                   b = rv_contact_force(ends[i] + e, reach, width, k);
    CHECK_NEAR(a.force, b.force, 1e-8 * k * r);
    CHECK_NEAR(a.slope, b.slope, 1e-7 * k);
    CHECK_NEAR(a.energy, b.energy, 1e-8 * k * r * r);
  }
  CHECK_NEAR(rv_contact_force(2 * r, reach, width, k).force, k * (2 * r - 3 * r), 1e-12 * k * r);
  CHECK_NEAR(rv_contact_force(r, reach, width, k).force, k * (r - 3 * r), 1e-12 * k * r);
  double integral = 0;
  const int steps = 3000;
  for (int i = 0; i < steps; ++i) {
    double d = reach * (i + 0.5) / steps;
    integral -= rv_contact_force(d, reach, width, k).force * reach / steps;
    assert_true(rv_contact_force(d, reach, width, k).slope >= 0);
  }
  // the midpoint rule's error is (reach / steps)^2 k / 24 relative to the force's slope
  CHECK_NEAR(integral, rv_contact_force(0, reach, width, k).energy, 1e-6 * k * reach * reach);
  // friction: force mu N from the slip on, smooth there
  RvFrictionForce in = rv_contact_friction_force(1 - 1e-9, 1, 2), out = rv_contact_friction_force(1 + 1e-9, 1, 2);
  CHECK_NEAR(in.secant, out.secant, 1e-8);
  CHECK_NEAR(in.slope, out.slope, 1e-8);
  CHECK_NEAR(in.energy, out.energy, 1e-8);
  CHECK_NEAR(rv_contact_friction_force(5, 1, 2).secant * 5, 2, 1e-12);
}

RV_TESTS(cmocka_unit_test(gradient_is_the_slope_of_the_energy), cmocka_unit_test(hessian_is_the_slope_of_the_gradient),
         cmocka_unit_test(hessian_of_friction_is_an_upper_bound), cmocka_unit_test(what_one_gives_the_other_takes),
         cmocka_unit_test(the_law_is_smooth))
