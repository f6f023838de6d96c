// Check dense: the coupled step against Newton with dense elimination on the same incremental potential (WH-45):
// inertia, elasticity, weight and dry contact, of strands that lie on each other and on a plane.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/contact.h"
#include "rig/dense.h"

enum { STRANDS = 10, N = 7, DOF = 4 * N - 1, MAX_FREE = STRANDS * DOF };
#define RADIUS 2e-4
#define DT (1.0 / 96)

static double noise(uint64_t stream, uint64_t i) {
  return 2 * rv_random(31, stream, i, 0) - 1;
}

// a crossed heap: every other layer along z, 2.6 radii above the one below, which is within d0
static RvVec3 heap(void* user, size_t strand, int vertex) {
  (void)user;
  double along = 0.002 * (vertex - 3), side = 4 * RADIUS * ((double)(strand % 5) - 2);
  double y = RADIUS * (1.3 + 2.6 * (double)(strand / 5)) + 0.1 * RADIUS * noise(1, strand * N + (size_t)vertex);
  return strand / 5 ? rv_vec3(side, y, along) : rv_vec3(along, y, side);
}

typedef struct Oracle {
  const RvContactRig* rig;
  const RvOperator* op;
  size_t list[MAX_FREE], n;
  double *q, *start, *velocity, *g, *unit, *column;  // [unknowns]
  double *a, *d, *band, *memory;
} Oracle;

static RvResult open_oracle(Oracle* o, RvContactRig* rig, RvError* error) {
  const RvStrandModel* m = rig->model;
  *o = (Oracle){.rig = rig, .op = rv_contacts_operator(rig->contacts)};
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
  // what lanes read stands first
  o->band = o->memory + 6 * m->unknowns;
  o->d = o->band + room;
  o->a = o->d + o->n;
  memcpy(o->start, rig->state->q, m->unknowns * sizeof(double));
  memcpy(o->q, o->start, m->unknowns * sizeof(double));
  memcpy(o->velocity, rig->state->v, m->unknowns * sizeof(double));
  return RV_OK;
}

// gradient of the potential, and with `matrix` its Hessian, where frames are those of the start
static void assemble(Oracle* o, RvRodHessian kind, bool matrix) {
  const RvStrandModel* m = o->rig->model;
  const RvStrandState* s = o->rig->state;
  size_t stride = rv_ldlt_size(DOF, RV_ROD_BAND);
  memset(o->g, 0, m->unknowns * sizeof(double));
  memset(o->band, 0, stride * m->nbatch * sizeof(double));
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    const RvRodBatch rod = {N,
                            s->tangent + 3 * b->edge_at,
                            s->director + 3 * b->edge_at,
                            s->reference_twist + b->vertex_at,
                            m->rest_length + b->edge_at,
                            m->stretch + b->edge_at,
                            m->rest_curvature + 4 * b->vertex_at,
                            m->bend + 2 * b->vertex_at,
                            m->rest_twist + b->vertex_at,
                            m->torsion + b->vertex_at};
    rv_strand_rod_derivatives(&rod, o->q + b->at, kind, o->g + b->at, o->band + k * stride);
  }
  if (matrix) {
    o->op->prepare(o->op->user, o->q, NULL);
    for (size_t k = 0; k < m->nbatch; ++k) o->op->diagonal(o->op->user, k, o->band + k * stride);
  }
  o->op->gradient(o->op->user, o->q, o->g);
  for (size_t j = 0; j < o->n; ++j) {
    size_t at = o->list[j];
    double inertia = m->mass[at] / (DT * DT);
    o->d[j] = -(o->g[at] + inertia * (o->q[at] - o->start[at] - DT * o->velocity[at]) - o->rig->force[at]);
    if (!matrix) continue;
    // the column: what joins strands, what the band holds, inertia
    memset(o->unit, 0, m->unknowns * sizeof(double));
    memset(o->column, 0, m->unknowns * sizeof(double));
    o->unit[at] = 1;
    o->column[at] = inertia;
    rv_operator_apply(o->op, m->nbatch, o->unit, o->column);
    size_t k = 0;
    while (k + 1 < m->nbatch && at >= m->batches[k + 1].at) ++k;
    size_t lane = (at - m->batches[k].at) % RV_LANES, row = (at - m->batches[k].at) / RV_LANES;
    for (size_t i = 0; i < DOF; ++i) {
      size_t lo = i < row ? i : row, apart = i < row ? row - i : i - row;
      if (apart <= RV_ROD_BAND)
        o->column[m->batches[k].at + i * RV_LANES + lane] +=
            o->band[k * stride + (lo * (RV_ROD_BAND + 1) + apart) * RV_LANES + lane];
    }
    for (size_t i = 0; i < o->n; ++i) o->a[i * o->n + j] = o->column[o->list[i]];
  }
}

// Newton by elimination until it moves no more; the Gauss-Newton matrix is positive always
static RvResult minimise(Oracle* o, RvError* error) {
  double first = 0, moved = 0;
  for (int it = 0; it < 200; ++it) {
    assemble(o, RV_ROD_GAUSS_NEWTON, true);
    if (!rv_rig_dense_solve(o->n, o->a, o->d)) return rv_fail(error, RV_INTERNAL, "the coupled matrix is not positive");
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

static RvResult compare(double* difference, double* links, double* touches, RvError* error) {
  RvContactRig rig;
  RvContactRigDef hair = {STRANDS, N, RADIUS, 1300, 1e8, 0, {0.5, -9.81, 0.3}, heap, NULL, NULL};
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  Oracle o = {0};
  RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = 0.3};
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats = {0};
  RvStrandStats solved;
  def.colliders = &plane;
  def.ncollider = 1;
  // some steps, so that there is pressure and friction has anchors
  for (int k = 0; k < 6 && !result; ++k) result = rv_rig_contact_step(&rig, &def, DT, 1e-8, &stats, &solved, error);
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
  if (!result) result = open_oracle(&o, &rig, error);
  if (!result) result = minimise(&o, error);
  if (!result) result = rv_strand_step(rig.model, rig.state, &step, &solved, error);
  double most = 0;
  *difference = 0;
  *links = (double)stats.links;
  *touches = (double)stats.touches;
  for (size_t j = 0; j < o.n && !result; ++j) {
    size_t at = o.list[j];
    if ((at / RV_LANES) % 4 == 3) continue;
    most = fmax(most, fabs(o.q[at] - o.start[at]));
    *difference = fmax(*difference, fabs(o.q[at] - rig.state->q[at]));
  }
  *difference /= most;
  rv_free(o.memory);
  rv_rig_contact_free(&rig);
  return result;
}

static RvVec3 apart(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.002 * vertex, 0.05 * (double)(strand % 10), 0.05 * (double)(strand / 10));
}

// CG's iterations where nothing touches
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

RvResult rv_check_dense(const RvCheckOut* out, RvError* error) {
  double difference, links, touches;
  int few, many;
  RvResult result = compare(&difference, &links, &touches, error);
  if (!result) result = untouched(3, &few, error);
  if (!result) result = untouched(100, &many, error);
  if (result) return result;
  rv_check_emit(out, "difference", difference, 0, 1e-6);
  // five strands on five, and the lower ones on the plane
  rv_check_emit(out, "links_missing", fmax(20 - links, 0), 0, 0);
  rv_check_emit(out, "touches_missing", fmax(20 - touches, 0), 0, 0);
  rv_check_emit(out, "cg_of_3", few, 0, 0);
  rv_check_emit(out, "cg_of_100", many, 0, 0);
  return RV_OK;
}
