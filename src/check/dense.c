// Check dense: the coupled step by preconditioned CG against Newton with dense elimination on the same incremental
// potential (WH-45): inertia, elasticity, weight and dry contact of strands that lie on each other and on a plane.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/contact.h"
#include "rig/dense.h"

enum { STRANDS = 10, N = 7, DOF = 4 * N - 1, MAX_FREE = STRANDS * DOF };
#define RADIUS 2e-4    // m
#define DT (1.0 / 96)  // s

// Uniform random number in -1 to 1.
static double noise(uint64_t stream, uint64_t i) {
  return 2 * rv_random(31, stream, i, 0) - 1;
}

// A crossed heap: five strands along x, and five along z 2.6 radii above them, which is within d0.
static RvVec3 place_heap(void* user, size_t strand, int vertex) {
  (void)user;
  double along = 0.002 * (vertex - 3), side = 4 * RADIUS * ((double)(strand % 5) - 2);
  double y = RADIUS * (1.3 + 2.6 * (double)(strand / 5)) + 0.1 * RADIUS * noise(1, strand * N + (size_t)vertex);
  return strand / 5 ? rv_vec3(side, y, along) : rv_vec3(along, y, side);
}

// The dense problem: free unknowns, the potential's gradient and its Hessian.
typedef struct DenseProblem {
  const RvContactRig* rig;
  const RvOperator* op;
  size_t list[MAX_FREE], n;  // indices of the free unknowns
  // [unknowns]: iterate; positions and velocities of the start; gradient; a unit vector; a Hessian column.
  double *q, *start, *velocity, *g, *unit, *column;
  double *a, *d;          // [n][n] Hessian; [n] right side, then Newton's step
  double *band, *memory;  // bands of the strands' Hessians; block of all these
} DenseProblem;

// Lists the free unknowns and makes room; the step starts from the rig's state.
static RvResult open_dense(DenseProblem* o, RvContactRig* rig, RvError* error) {
  const RvStrandModel* m = rig->model;
  *o = (DenseProblem){.rig = rig, .op = rv_contacts_operator(rig->contacts)};
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < DOF; ++i) {
        size_t at = m->batches[k].at + (size_t)i * RV_LANES + (size_t)lane;
        if (m->free[at] != 0) o->list[o->n++] = at;
      }
  size_t room = rv_ldlt_size(DOF, RV_ROD_BAND) * m->nbatch;
  o->memory = rv_alloc_zero(6 * m->unknowns + o->n * (o->n + 1) + room, sizeof(double));
  if (!o->memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double** arrays[] = {&o->q, &o->start, &o->velocity, &o->g, &o->unit, &o->column};
  for (size_t i = 0; i < 6; ++i) *arrays[i] = o->memory + i * m->unknowns;
  // Arrays that are read in lanes come first, for their alignment.
  o->band = o->memory + 6 * m->unknowns;
  o->d = o->band + room;
  o->a = o->d + o->n;
  memcpy(o->start, rig->state->q, m->unknowns * sizeof(double));
  memcpy(o->q, o->start, m->unknowns * sizeof(double));
  memcpy(o->velocity, rig->state->v, m->unknowns * sizeof(double));
  return RV_OK;
}

// Gradient and bands of the strands' elasticity, with the reference frames of the start of the step.
static void add_elasticity(DenseProblem* o, size_t stride) {
  const RvStrandModel* m = o->rig->model;
  const RvStrandState* s = o->rig->state;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    const RvRodBatch rod = rv_strand_elastic_rods(m, s, b);
    rv_strand_rod_derivatives(&rod, o->q + b->at, RV_ROD_GAUSS_NEWTON, o->g + b->at, o->band + k * stride);
  }
}

// Column of the Hessian of unknown `at`: inertia, the operator's part between strands, and the strand's band.
static void make_column(DenseProblem* o, size_t at, double inertia, size_t stride) {
  const RvStrandModel* m = o->rig->model;
  memset(o->unit, 0, m->unknowns * sizeof(double));
  memset(o->column, 0, m->unknowns * sizeof(double));
  o->unit[at] = 1;
  o->column[at] = inertia;
  rv_operator_apply(o->op, m->nbatch, o->unit, o->column);
  size_t k = 0;
  while (k + 1 < m->nbatch && at >= m->batches[k + 1].at) ++k;
  size_t lane = (at - m->batches[k].at) % RV_LANES;
  size_t row = (at - m->batches[k].at) / RV_LANES;
  for (size_t i = 0; i < DOF; ++i) {
    size_t lo = i < row ? i : row;
    size_t off_diagonal = i < row ? row - i : i - row;
    if (off_diagonal <= RV_ROD_BAND)
      o->column[m->batches[k].at + i * RV_LANES + lane] +=
          o->band[k * stride + (lo * (RV_ROD_BAND + 1) + off_diagonal) * RV_LANES + lane];
  }
}

// Right side (minus the gradient of the potential) and Hessian at q.
static void assemble(DenseProblem* o) {
  const RvStrandModel* m = o->rig->model;
  size_t stride = rv_ldlt_size(DOF, RV_ROD_BAND);
  memset(o->g, 0, m->unknowns * sizeof(double));
  memset(o->band, 0, stride * m->nbatch * sizeof(double));
  add_elasticity(o, stride);
  // Contact.
  o->op->prepare(o->op->user, o->q, NULL);
  for (size_t k = 0; k < m->nbatch; ++k) o->op->diagonal(o->op->user, k, o->band + k * stride);
  o->op->gradient(o->op->user, o->q, o->g);
  // Inertia, weight and the Hessian's columns of the free unknowns.
  for (size_t j = 0; j < o->n; ++j) {
    size_t at = o->list[j];
    double inertia = m->mass[at] / (DT * DT);
    o->d[j] = -(o->g[at] + inertia * (o->q[at] - o->start[at] - DT * o->velocity[at]) - o->rig->force[at]);
    make_column(o, at, inertia, stride);
    for (size_t i = 0; i < o->n; ++i) o->a[i * o->n + j] = o->column[o->list[i]];
  }
}

// Newton with elimination until its step is 1e-12 of the first. The Gauss-Newton matrix is always positive definite.
static RvResult minimise(DenseProblem* o, RvError* error) {
  double first = 0, moved = 0;
  for (int it = 0; it < 200; ++it) {
    assemble(o);
    if (!rv_rig_dense_solve(o->n, o->a, o->d))
      return rv_fail(error, RV_INTERNAL, "the Hessian of the heap is not positive definite");
    moved = 0;
    for (size_t j = 0; j < o->n; ++j) {
      o->q[o->list[j]] += o->d[j];
      moved = fmax(moved, fabs(o->d[j]));
    }
    if (it == 0) first = moved;
    if (moved < 1e-12 * first) break;
  }
  return moved < 1e-9 * first ? RV_OK : rv_fail(error, RV_INTERNAL, "dense Newton did not converge");
}

// One step of the heap by both solvers: largest difference of a coordinate relative to the largest motion, and the
// number of contacts.
static RvResult compare(double* difference, double* links, double* touches, RvError* error) {
  RvContactRig rig;
  RvContactRigDef hair = {.count = STRANDS,
                          .vertices = N,
                          .radius = RADIUS,
                          .density = 1300,
                          .youngs = 1e8,
                          .gravity = {0.5, -9.81, 0.3},
                          .place = place_heap};
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  DenseProblem o = {0};
  RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = 0.3};
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats = {0};
  RvStrandStats solved;
  def.colliders = &plane;
  def.ncollider = 1;
  // Six steps build up pressure and the anchors of friction.
  for (int k = 0; k < 6 && !result; ++k) result = rv_rig_contact_step(&rig, &def, DT, 1e-8, &stats, &solved, error);
  // The same step by both, solved to rounding.
  const RvStrandStepDef step = {.dt = DT,
                                .max_iterations = 100,
                                .tolerance = 1e-12,
                                .force = rig.force,
                                .target = rig.target,
                                .couple = rv_contacts_operator(rig.contacts),
                                .max_cg = 2000,
                                .cg_tolerance = 1e-10};
  if (!result) rv_contacts_predict(rig.model, rig.state, &step, rig.velocity);
  if (!result) result = rv_contacts_find(rig.contacts, rig.state->q, rig.velocity, DT, &def, &stats, error);
  if (!result) result = open_dense(&o, &rig, error);
  if (!result) result = minimise(&o, error);
  if (!result) result = rv_strand_step(rig.model, rig.state, &step, &solved, error);
  // Angles are left out: they have another unit.
  double largest_motion = 0;
  *difference = 0;
  *links = (double)stats.links;
  *touches = (double)stats.touches;
  for (size_t j = 0; j < o.n && !result; ++j) {
    size_t at = o.list[j];
    if ((at / RV_LANES) % 4 == 3) continue;
    largest_motion = fmax(largest_motion, fabs(o.q[at] - o.start[at]));
    *difference = fmax(*difference, fabs(o.q[at] - rig.state->q[at]));
  }
  *difference /= largest_motion;
  rv_free(o.memory);
  rv_rig_contact_free(&rig);
  return result;
}

// Strands 5 cm apart.
static RvVec3 apart(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.002 * vertex, 0.05 * (double)(strand % 10), 0.05 * (double)(strand / 10));
}

// CG iterations of a step of strands that do not touch.
static RvResult untouched(size_t strands, int* iterations, RvError* error) {
  RvContactRig rig;
  RvContactRigDef hair = rv_rig_contact_hair(strands, N, apart, NULL);
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats;
  RvStrandStats solved = {0};
  for (size_t s = 0; s < strands; ++s) rv_rig_contact_set(&rig, rig.model->free, s, 0, rv_vec3(0, 0, 0));
  result = rv_rig_contact_step(&rig, &def, DT, 1e-6, &stats, &solved, error);
  *iterations = solved.cg_iterations;
  rv_rig_contact_free(&rig);
  return result;
}

// The heap by both solvers; then 3 and 100 strands that do not touch.
RvResult rv_check_dense(const RvCheckOut* out, RvError* error) {
  double difference, links, touches;
  int cg_of_3, cg_of_100;
  RvResult result = compare(&difference, &links, &touches, error);
  if (!result) result = untouched(3, &cg_of_3, error);
  if (!result) result = untouched(100, &cg_of_100, error);
  if (result) return result;
  // Both are solved to 1e-9 of the motion and better.
  rv_check_emit(out, "difference", difference, 0, 1e-6);
  // Five strands on five, and the lower five on the plane.
  rv_check_emit(out, "links_missing", fmax(20 - links, 0), 0, 0);
  rv_check_emit(out, "touches_missing", fmax(20 - touches, 0), 0, 0);
  rv_check_emit(out, "cg_of_3", cg_of_3, 0, 0);
  rv_check_emit(out, "cg_of_100", cg_of_100, 0, 0);
  return RV_OK;
}
