// Check global: the coupled step against its own definition. Strands hang side by side, springs join them at many
// vertices, and after one implicit step the sum of inertia, elasticity, gravity and springs must vanish at every free
// unknown (WH-44, WH-45). Without springs CG must end in one iteration, as the preconditioner is then the matrix.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check/list.h"
#include "strand/strand.h"

enum { STRANDS = 13, N = 20, LINKS = (STRANDS - 1) * (N - 2) };

typedef struct Springs {
  const RvStrandModel* model;
  double stiffness;
  size_t at[LINKS][2];  // the x unknowns of the two ends
  double rest[LINKS][3];
  bool in_band;  // whether the springs' own terms are in the strands' factors
  double value[LINKS][2][3];
} Springs;

// all strands have N vertices, so a place tells its block
static size_t lane_of(size_t place) {
  return place / (4 * N * RV_LANES) * RV_LANES + place % RV_LANES;
}

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

static void spring_prepare(void* user, const double* q, const uint8_t* careful) {
  (void)careful;
  (void)user;
  (void)q;  // the Hessian is the same everywhere
}

static void spring_diagonal(void* user, size_t block, double* band) {
  const Springs* s = user;
  const RvStrandBatch* b = &s->model->batches[block];
  size_t end = b->at + (size_t)b->vertices * 4 * RV_LANES;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c) {
        size_t at = s->at[k][side] + (size_t)c * RV_LANES, unknown = (at - b->at) / RV_LANES, lane = at % RV_LANES;
        if (s->at[k][side] < b->at || at >= end) continue;
        band[unknown * (RV_ROD_BAND + 1) * RV_LANES + lane] += s->stiffness;
      }
}

static void spring_gather(void* user, size_t block, const double* p) {
  Springs* s = user;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (lane_of(s->at[k][side]) / RV_LANES == block)
          s->value[k][side][c] = p[s->at[k][side] + (size_t)c * RV_LANES];
}

static void spring_spread(void* user, size_t block, double* out) {
  const Springs* s = user;
  for (int k = 0; k < LINKS; ++k)
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < 3; ++c)
        if (lane_of(s->at[k][side]) / RV_LANES == block)
          out[s->at[k][side] + (size_t)c * RV_LANES] +=
              s->stiffness * ((s->in_band ? 0 : s->value[k][side][c]) - s->value[k][1 - side][c]);
}

typedef struct Bench {
  RvStrandModel* model;
  RvStrandState* state;
  double *force, *before_q, *before_v;
  double* frames;  // tangents, directors and reference twists of the start
  Springs springs;
} Bench;

static RvResult build(Bench* b, RvError* error) {
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
    defs[s] = (RvStrandDef){.vertices = N,
                            .x = x[s],
                            .radius = radius,
                            .density = 1300,
                            .youngs = 3e9,
                            .shear = 1.1e9,
                            .viscosity = 0,
                            .ellipse = 1,
                            .multiple = 1,
                            .id = s};
  }
  RvResult result = rv_strand_model_new(defs, STRANDS, &b->model, error);
  if (!result) result = rv_strand_state_new(b->model, defs, &b->state, error);
  if (result) return result;
  const RvStrandModel* m = b->model;
  b->force = rv_alloc_zero(m->unknowns, sizeof(double));
  b->before_q = rv_alloc(m->unknowns, sizeof(double));
  b->before_v = rv_alloc(m->unknowns, sizeof(double));
  b->frames = rv_alloc(6 * m->edges + m->vertices, sizeof(double));
  if (!b->force || !b->before_q || !b->before_v || !b->frames) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  b->springs = (Springs){.model = m, .stiffness = 0.5};
  size_t first[STRANDS][N];
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* batch = &m->batches[k];
      for (int i = 0; i < N; ++i) {
        size_t at = rv_strand_index(batch, lane, i, 0);
        if (lane < batch->lanes) first[batch->strand[lane]][i] = at;
        b->force[at + RV_LANES] = -9.81 * m->mass[at];
        // a push that the springs must share
        b->state->v[at] = 0.2 * (batch->strand[lane] % 2 ? 1 : -1) * i / N;
      }
      for (int c = 0; c < 7; ++c) m->free[rv_strand_index(batch, lane, 0, c)] = 0;
      for (int i = 0; i < 2; ++i) b->state->v[rv_strand_index(batch, lane, i, 0)] = 0;
    }
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

static void keep_start(Bench* b) {
  const RvStrandModel* m = b->model;
  memcpy(b->before_q, b->state->q, m->unknowns * sizeof(double));
  memcpy(b->before_v, b->state->v, m->unknowns * sizeof(double));
  memcpy(b->frames, b->state->tangent, 3 * m->edges * sizeof(double));
  memcpy(b->frames + 3 * m->edges, b->state->director, 3 * m->edges * sizeof(double));
  memcpy(b->frames + 6 * m->edges, b->state->reference_twist, m->vertices * sizeof(double));
}

// largest force that is left at a free unknown of a real lane, of the whole equation of motion without viscosity
static RvResult residual(const Bench* b, const RvOperator* op, double dt, double* left, RvError* error) {
  const RvStrandModel* m = b->model;
  double* g = rv_alloc_zero(m->unknowns, sizeof(double));
  if (!g) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* batch = &m->batches[k];
    const RvRodBatch rod = {N,
                            b->frames + 3 * batch->edge_at,
                            b->frames + 3 * m->edges + 3 * batch->edge_at,
                            b->frames + 6 * m->edges + batch->vertex_at,
                            m->rest_length + batch->edge_at,
                            m->stretch + batch->edge_at,
                            m->rest_curvature + 4 * batch->vertex_at,
                            m->bend + 2 * batch->vertex_at,
                            m->rest_twist + batch->vertex_at,
                            m->torsion + batch->vertex_at};
    rv_strand_rod_derivatives(&rod, b->state->q + batch->at, RV_ROD_GAUSS_NEWTON, g + batch->at, NULL);
  }
  op->gradient(op->user, b->state->q, g);
  *left = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < N; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          double inertia = m->mass[at] * (b->state->q[at] - b->before_q[at] - dt * b->before_v[at]) / (dt * dt);
          if (m->free[at] != 0) *left = fmax(*left, fabs(g[at] + inertia - b->force[at]));
        }
  rv_free(g);
  return RV_OK;
}

RvResult rv_check_global(const RvCheckOut* out, RvError* error) {
  static const char* const names[] = {"residual_without_springs", "residual_with_springs", "residual_with_own_terms"};
  RvResult result = RV_OK;
  const double dt = 1.0 / 96;
  int cg[3] = {0};
  // each first with one iteration, whose CG is counted: in the last one of a whole step the right side is rounding
  for (int run = 0; run < 6 && !result; ++run) {
    const int pass = run / 2, whole = run % 2;
    Bench b = {0};
    result = build(&b, error);
    if (!result) {
      b.springs.stiffness = pass == 0 ? 0 : 0.5;
      b.springs.in_band = pass == 2;
      const RvOperator op = {&b.springs,
                             spring_energy,
                             spring_gradient,
                             NULL,
                             spring_prepare,
                             pass == 2 ? spring_diagonal : NULL,
                             spring_gather,
                             spring_spread,
                             NULL,
                             NULL,
                             NULL};
      RvStrandStats stats = {0};
      keep_start(&b);
      const RvStrandStepDef def = {.dt = dt,
                                   .max_iterations = whole ? 40 : 1,
                                   .tolerance = 1e-11,
                                   .force = b.force,
                                   .target = b.state->q,
                                   .couple = &op,
                                   .max_cg = 1000,
                                   .cg_tolerance = 1e-9};
      result = rv_strand_step(b.model, b.state, &def, &stats, error);
      double left = 0, weight = 9.81 * b.model->mass[rv_strand_index(&b.model->batches[0], 0, 5, 0)];
      if (!result) result = residual(&b, &op, dt, &left, error);
      if (!whole) cg[pass] = stats.cg_iterations;
      // relative to the weight of a vertex; stretching forces are 1e5 times that, so 1e-4 of it is 1e-9 of the terms
      if (!result && whole) rv_check_emit(out, names[pass], left / weight, 0, 1e-4);
    }
    rv_strand_state_free(b.state);
    rv_strand_model_free(b.model);
    rv_free(b.force);
    rv_free(b.before_q);
    rv_free(b.before_v);
    rv_free(b.frames);
  }
  if (result) return result;
  rv_check_emit(out, "cg_without_springs", cg[0], 1, 0);
  // the springs' own terms in the factors must pay
  rv_check_emit(out, "cg_with_own_terms", cg[2], 0, cg[1]);
  return RV_OK;
}
