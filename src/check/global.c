// Check global: the coupled step against its own definition. Strands hang side by side, joined by springs at many
// vertices. After one implicit step the sum of inertia, elasticity, gravity and spring forces must vanish at every free
// unknown (WH-44, WH-45). Without springs the preconditioner is the matrix, so CG must end after one iteration.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check/list.h"
#include "rig/strand.h"

enum {
  STRANDS = 13,
  N = 20,                           // vertices of a strand
  LINKS = (STRANDS - 1) * (N - 2),  // springs
  CLAMPED_UNKNOWNS = 7              // two vertices and the angle of the edge between them
};
static const double DT = 1.0 / 96;    // s
static const double STIFFNESS = 0.5;  // of a spring, N/m

// Linear springs between vertices of neighbouring strands, as an RvOperator.
typedef struct Springs {
  const RvStrandModel* model;
  double stiffness;           // N/m
  size_t at[LINKS][2];        // the x unknowns of the two ends
  double rest[LINKS][3];      // vector between the ends without force, m
  bool in_band;               // the diagonal blocks of the springs are in the strands' factors
  double value[LINKS][2][3];  // the vector to be multiplied, at the ends
} Springs;

// Number of the strand [batch][lane] that an unknown belongs to; all strands have N vertices.
static size_t lane_of(size_t place) {
  return place / (4 * N * RV_LANES) * RV_LANES + place % RV_LANES;
}

// Energy of all springs; half of each goes to either strand in `lanes`.
static double spring_energy(void* user, const double* q, double* lanes) {
  const Springs* s = user;
  double sum = 0;
  for (int k = 0; k < LINKS; ++k)
    for (int c = 0; c < 3; ++c) {
      double d = q[s->at[k][0] + (size_t)c * RV_LANES] - q[s->at[k][1] + (size_t)c * RV_LANES] - s->rest[k][c];
      double energy = 0.5 * s->stiffness * d * d;
      sum += energy;
      for (int side = 0; lanes && side < 2; ++side) lanes[lane_of(s->at[k][side])] += 0.5 * energy;
    }
  return sum;
}

// Adds the springs' gradient to g.
static void spring_gradient(void* user, const double* q, double* g) {
  const Springs* s = user;
  for (int k = 0; k < LINKS; ++k)
    for (int c = 0; c < 3; ++c) {
      size_t a = s->at[k][0] + (size_t)c * RV_LANES, b = s->at[k][1] + (size_t)c * RV_LANES;
      double f = s->stiffness * (q[a] - q[b] - s->rest[k][c]);
      g[a] += f;
      g[b] -= f;
    }
}

// Nothing to prepare: the Hessian is constant.
static void spring_prepare(void* user, const double* q, const uint8_t* careful) {
  (void)careful;
  (void)user;
  (void)q;
}

// Adds the springs' diagonal entries of a batch to its band.
static void spring_diagonal(void* user, size_t block, double* band) {
  const Springs* s = user;
  const RvStrandBatch* b = &s->model->batches[block];
  size_t end = b->at + (size_t)b->vertices * 4 * RV_LANES;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c) {
        size_t at = s->at[k][side] + (size_t)c * RV_LANES;
        size_t unknown = (at - b->at) / RV_LANES;
        size_t lane = at % RV_LANES;
        if (s->at[k][side] < b->at || at >= end) continue;
        band[unknown * (RV_ROD_BAND + 1) * RV_LANES + lane] += s->stiffness;
      }
}

// Reads the ends of the springs in a batch, before a product.
static void spring_gather(void* user, size_t block, const double* p) {
  Springs* s = user;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (lane_of(s->at[k][side]) / RV_LANES == block)
          s->value[k][side][c] = p[s->at[k][side] + (size_t)c * RV_LANES];
}

// Adds the product with the springs' Hessian in a batch; diagonal blocks only where they are not in the band.
static void spring_spread(void* user, size_t block, double* out) {
  const Springs* s = user;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (lane_of(s->at[k][side]) / RV_LANES == block)
          out[s->at[k][side] + (size_t)c * RV_LANES] +=
              s->stiffness * ((s->in_band ? 0 : s->value[k][side][c]) - s->value[k][1 - side][c]);
}

// The strands, their springs, and the start of the step.
typedef struct Bench {
  RvStrandModel* model;
  RvStrandState* state;
  double *force, *before_q, *before_v;  // [unknowns] weight; positions and velocities of the start
  double* frames;                       // tangents, directors and reference twists of the start
  Springs springs;
} Bench;

// Model and state of 13 curled strands of hair side by side.
static RvResult make_strands(Bench* b, RvError* error) {
  static double x[STRANDS][N * 3], radius[N];
  RvStrandDef defs[STRANDS];
  for (int i = 0; i < N; ++i) radius[i] = 40e-6;
  for (int s = 0; s < STRANDS; ++s) {
    for (int i = 0; i < N; ++i) {
      double a = 0.5 * i + s;
      x[s][3 * i] = 0.004 * s + 0.002 * cos(a);
      x[s][3 * i + 1] = -0.004 * i;
      x[s][3 * i + 2] = 0.002 * sin(a);
    }
    defs[s] = rv_rig_hair_def(N, x[s], radius, s);
  }
  RvResult result = rv_strand_model_new(defs, STRANDS, &b->model, error);
  return result ? result : rv_strand_state_new(b->model, defs, &b->state, error);
}

// Weight of every vertex, clamps on the first edge, and velocities in alternating directions, so that the springs carry
// load. first[s][i] gets the index of the x unknown of each vertex.
static void set_motion(Bench* b, size_t first[STRANDS][N]) {
  const RvStrandModel* m = b->model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* batch = &m->batches[k];
      for (int i = 0; i < N; ++i) {
        size_t at = rv_strand_index(batch, lane, i, 0);
        if (lane < batch->lanes) first[batch->strand[lane]][i] = at;
        b->force[at + RV_LANES] = -9.81 * m->mass[at];
        b->state->v[at] = 0.2 * (batch->strand[lane] % 2 ? 1 : -1) * i / N;
      }
      for (int c = 0; c < CLAMPED_UNKNOWNS; ++c) m->free[rv_strand_index(batch, lane, 0, c)] = 0;
      for (int i = 0; i < 2; ++i) b->state->v[rv_strand_index(batch, lane, i, 0)] = 0;
    }
}

// The strands, and a spring between neighbours at every free vertex, without force at the start.
static RvResult build(Bench* b, RvError* error) {
  RvResult result = make_strands(b, error);
  if (result) return result;
  const RvStrandModel* m = b->model;
  b->force = rv_alloc_zero(m->unknowns, sizeof(double));
  b->before_q = rv_alloc(m->unknowns, sizeof(double));
  b->before_v = rv_alloc(m->unknowns, sizeof(double));
  b->frames = rv_alloc(6 * m->edges + m->vertices, sizeof(double));
  if (!b->force || !b->before_q || !b->before_v || !b->frames) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  b->springs = (Springs){.model = m, .stiffness = STIFFNESS};
  size_t first[STRANDS][N];
  set_motion(b, first);
  for (int s = 0, k = 0; s + 1 < STRANDS; ++s)
    for (int i = 2; i < N; ++i, ++k) {
      b->springs.at[k][0] = first[s][i];
      b->springs.at[k][1] = first[s + 1][i];
      for (int c = 0; c < 3; ++c)
        b->springs.rest[k][c] =
            b->state->q[first[s][i] + (size_t)c * RV_LANES] - b->state->q[first[s + 1][i] + (size_t)c * RV_LANES];
    }
  return RV_OK;
}

// Copies the start of the step.
static void save_start(Bench* b) {
  const RvStrandModel* m = b->model;
  memcpy(b->before_q, b->state->q, m->unknowns * sizeof(double));
  memcpy(b->before_v, b->state->v, m->unknowns * sizeof(double));
  memcpy(b->frames, b->state->tangent, 3 * m->edges * sizeof(double));
  memcpy(b->frames + 3 * m->edges, b->state->director, 3 * m->edges * sizeof(double));
  memcpy(b->frames + 6 * m->edges, b->state->reference_twist, m->vertices * sizeof(double));
}

// Largest residual force of the equation of motion at a free position of a used lane, N. There is no viscosity.
static RvResult residual(const Bench* b, const RvOperator* op, double dt, double* largest_residual, RvError* error) {
  const RvStrandModel* m = b->model;
  double* g = rv_alloc_zero(m->unknowns, sizeof(double));
  if (!g) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Elasticity at the end of the step, with the frames of its start.
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* batch = &m->batches[k];
    RvRodBatch rod = rv_strand_elastic_rods(m, b->state, batch);
    rod.tangent = b->frames + 3 * batch->edge_at;
    rod.director = b->frames + 3 * m->edges + 3 * batch->edge_at;
    rod.reference_twist = b->frames + 6 * m->edges + batch->vertex_at;
    rv_strand_rod_derivatives(&rod, b->state->q + batch->at, RV_ROD_GAUSS_NEWTON, g + batch->at, NULL);
  }
  // Springs, then inertia and weight.
  op->gradient(op->user, b->state->q, g);
  *largest_residual = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < N; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          double inertia = m->mass[at] * (b->state->q[at] - b->before_q[at] - dt * b->before_v[at]) / (dt * dt);
          if (m->free[at] != 0) *largest_residual = fmax(*largest_residual, fabs(g[at] + inertia - b->force[at]));
        }
  rv_free(g);
  return RV_OK;
}

// The cases: no springs, springs, springs whose diagonal blocks are in the strands' factors.
typedef enum Case { WITHOUT, WITH, WITH_DIAGONAL, CASES } Case;

// One step with at most `iterations` of Newton: its CG iterations, and the largest residual relative to the weight of a
// vertex.
static RvResult step_once(Bench* b, Case which, int iterations, int* cg, double* relative_residual, RvError* error) {
  b->springs.stiffness = which == WITHOUT ? 0 : STIFFNESS;
  b->springs.in_band = which == WITH_DIAGONAL;
  const RvOperator op = {&b->springs,
                         spring_energy,
                         spring_gradient,
                         NULL,
                         spring_prepare,
                         which == WITH_DIAGONAL ? spring_diagonal : NULL,
                         spring_gather,
                         spring_spread,
                         NULL,
                         NULL,
                         NULL,
                         NULL};
  const RvStrandStepDef def = {.dt = DT,
                               .max_iterations = iterations,
                               .tolerance = 1e-11,
                               .force = b->force,
                               .target = b->state->q,
                               .couple = &op,
                               .max_cg = 1000,
                               .cg_tolerance = 1e-9};
  RvStrandStats stats = {0};
  save_start(b);
  RvResult result = rv_strand_step(b->model, b->state, &def, &stats, error);
  double largest_residual = 0;
  if (!result) result = residual(b, &op, DT, &largest_residual, error);
  *cg = stats.cg_iterations;
  *relative_residual = largest_residual / (9.81 * b->model->mass[rv_strand_index(&b->model->batches[0], 0, 5, 0)]);
  return result;
}

// Frees the strands and arrays.
static void release(Bench* b) {
  rv_strand_state_free(b->state);
  rv_strand_model_free(b->model);
  rv_free(b->force);
  rv_free(b->before_q);
  rv_free(b->before_v);
  rv_free(b->frames);
}

// Residuals and CG iterations of the three cases.
RvResult rv_check_global(const RvCheckOut* out, RvError* error) {
  static const char* const names[] = {"residual_without_springs", "residual_with_springs", "residual_with_own_terms"};
  RvResult result = RV_OK;
  int cg[CASES] = {0};
  // Each case runs once with a single Newton iteration, whose CG iterations are counted (in the last iteration of a
  // converged step the right side is rounding), and once to convergence.
  for (int run = 0; run < 2 * CASES && !result; ++run) {
    Case which = (Case)(run / 2);
    bool whole = run % 2;
    Bench b = {0};
    int iterations = 0;
    double relative_residual = 0;
    result = build(&b, error);
    if (!result) result = step_once(&b, which, whole ? 40 : 1, &iterations, &relative_residual, error);
    if (!whole) cg[which] = iterations;
    // Stretching forces are 1e5 times the weight of a vertex, so 1e-4 of it is 1e-9 of the terms.
    if (!result && whole) rv_check_emit(out, names[which], relative_residual, 0, 1e-4);
    release(&b);
  }
  if (result) return result;
  rv_check_emit(out, "cg_without_springs", cg[WITHOUT], 1, 0);
  // Diagonal blocks in the factors must not need more iterations.
  rv_check_emit(out, "cg_with_own_terms", cg[WITH_DIAGONAL], 0, cg[WITH]);
  return RV_OK;
}
