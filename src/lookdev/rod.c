// Rest shape, elasticity and equilibrium of the rods (rod.h).
#include "lookdev/rod.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"

// Least real part of a rest rotation: a turn of half a round at a vertex has no direction.
static const double LEAST_REAL = 0.05;
// Iterations of the rest rotation, whose compliance depends on it weakly.
enum { REST_ITERATIONS = 24 };
// Cosine of half a quarter of a round: coarser strands have under 4 points a turn.
static const double QUARTER_REAL = 0.70710678118654752;

//---------------------------------------------------------------------------------------------- memory

bool rv_cosserat_alloc(const RvStrandModel* m, RvCosseratModel* model, RvCosseratState* state) {
  struct {
    double** array;
    size_t count;
  } arrays[] = {{&model->length, m->edges},      {&model->stretch, m->edges},  {&model->rest, 4 * m->vertices},
                {&model->bend, 6 * m->vertices}, {&model->delay, m->vertices}, {&model->hairs, RV_LANES * m->nbatch},
                {&state->quat, 4 * m->edges},    {&state->spin, 3 * m->edges}, {&state->tension, m->edges}};
  *model = (RvCosseratModel){0};
  *state = (RvCosseratState){0};
  bool fine = true;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i].array = rv_alloc_zero(arrays[i].count + RV_LANES, sizeof(double));
    fine &= *arrays[i].array != NULL;
  }
  if (!fine) rv_cosserat_free(model, state);
  return fine;
}

void rv_cosserat_free(RvCosseratModel* model, RvCosseratState* state) {
  RV_FREE_ALL(model->length, model->stretch, model->rest, model->bend, model->delay, model->hairs);
  RV_FREE_ALL(state->quat, state->spin, state->tension);
  *model = (RvCosseratModel){0};
  *state = (RvCosseratState){0};
}

// Index of row `row` of `rows` rows a vertex (or edge) in a block that begins at vertex (or edge) number `begin`.
static size_t at_row(size_t begin, int i, int rows, int row, int lane) {
  return (size_t)rows * begin + (size_t)(rows * i + row) * RV_LANES + (size_t)lane;
}

// The same rotation on the side of another quaternion.
static RvQuat on_side_of(RvQuat q, RvQuat other) {
  return rv_quat_dot(q, other) < 0 ? (RvQuat){-q.x, -q.y, -q.z, -q.w} : q;
}

//---------------------------------------------------------------------------------------------- elasticity

// Compliance of bending and twisting in the strain 2 Im R at the rest rotation. The true strain of a fibre that bends
// evenly between two edges is the rotation vector; at a turn by phi about n its increments are those of 2 Im R times
// (phi/2) / sin(phi/2) across n and 1 / cos(phi/2) along it. So a coil of 5 points a turn is as stiff as one of 50.
static void compliance_at(RvVec3 im, const double stiffness[3], double out[6]) {
  const double SMALL_TURN = 1e-4;  // sin of half the turn, below which its series is exact
  double sine = fmin(rv_length(im), sqrt(1 - LEAST_REAL * LEAST_REAL));
  double cosine = sqrt(1 - sine * sine);
  double across = sine > SMALL_TURN ? sine / rv_atan2(sine, cosine) : 1 - sine * sine / 6;
  RvVec3 n = rv_normalize(im, rv_vec3(0, 0, 1));
  double axis[3];
  rv_vec3_store64(axis, n);
  // P^-1 diag(1 / k) P^-1 with P^-1 = across + (cosine - across) n n^T
  double p[3][3];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) p[r][c] = (r == c ? across : 0) + (cosine - across) * axis[r] * axis[c];
  int k = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = r; c < 3; ++c, ++k) {
      out[k] = 0;
      for (int q = 0; q < 3; ++q) out[k] += p[r][q] * p[c][q] / stiffness[q];
    }
}

// Stiffness about the directors at a vertex, N m. The strands' first number is that of the curvature about d2.
static void stiffness_at(const RvStrandModel* m, const RvStrandBatch* b, int lane, int i, double out[3]) {
  size_t bend = at_row(b->vertex_at, i, 2, 0, lane);
  out[0] = m->bend[bend + RV_LANES];
  out[1] = m->bend[bend];
  out[2] = m->torsion[at_row(b->vertex_at, i, 1, 0, lane)];
}

// Compliance of a vertex at a rest rotation, into the model.
static void set_compliance(const RvStrandModel* m, const RvStrandBatch* b, int lane, int i, RvVec3 im,
                           RvCosseratModel* out) {
  double stiffness[3], compliance[6];
  stiffness_at(m, b, lane, i, stiffness);
  compliance_at(im, stiffness, compliance);
  for (int k = 0; k < 6; ++k) out->bend[at_row(b->vertex_at, i, 6, k, lane)] = compliance[k];
}

static void elasticity_lane(const RvStrandModel* m, const RvStrandBatch* b, int lane, RvCosseratModel* out) {
  for (int j = 0; j + 1 < b->vertices; ++j) {
    size_t edge = at_row(b->edge_at, j, 1, 0, lane);
    out->stretch[edge] = 1 / m->stretch[edge];
  }
  for (int i = 1; i + 1 < b->vertices; ++i) {
    size_t vertex = at_row(b->vertex_at, i, 1, 0, lane), bend = at_row(b->vertex_at, i, 2, 0, lane);
    out->delay[vertex] = m->damp_bend[bend] / m->bend[bend];
    set_compliance(m, b, lane, i, rv_strand_vector(out->rest, at_row(b->vertex_at, i, 4, 0, lane)), out);
  }
}

void rv_cosserat_elasticity(const RvStrandModel* m, const double* multiple, RvCosseratModel* out) {
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* b = &m->batches[k];
      out->hairs[k * RV_LANES + (size_t)lane] = multiple ? multiple[b->strand[lane]] : 1;
      elasticity_lane(m, b, lane, out);
    }
}

//---------------------------------------------------------------------------------------------- frames

// Quaternion of the frame m1, t x m1, t.
static RvQuat frame_quat(RvVec3 m1, RvVec3 t) {
  return rv_quat_from_matrix((RvMat3){{m1, rv_cross(t, m1), t}});
}

void rv_cosserat_frames(const RvStrandModel* m, const RvStrandState* s, RvCosseratState* out) {
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* b = &m->batches[k];
      RvQuat last = rv_quat_identity();
      for (int j = 0; j + 1 < b->vertices; ++j) {
        size_t frame = at_row(b->edge_at, j, 3, 0, lane);
        RvVec3 t = rv_strand_vector(s->tangent, frame), u = rv_strand_vector(s->director, frame);
        double angle = s->q[rv_strand_index(b, lane, j, 3)];
        RvVec3 m1 = rv_mad(rv_scale(u, rv_cos(angle)), rv_sin(angle), rv_cross(t, u));
        last = on_side_of(frame_quat(m1, t), last);
        rv_rod_store_quat(out->quat, at_row(b->edge_at, j, 4, 0, lane), last);
      }
    }
}

void rv_cosserat_rest_from_pose(const RvStrandModel* m, const RvCosseratState* s, RvCosseratModel* out) {
  memcpy(out->length, m->rest_length, m->edges * sizeof(double));
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* b = &m->batches[k];
      for (int i = 1; i + 1 < b->vertices; ++i) {
        RvQuat before = rv_rod_load_quat(s->quat, at_row(b->edge_at, i - 1, 4, 0, lane));
        RvQuat after = rv_rod_load_quat(s->quat, at_row(b->edge_at, i, 4, 0, lane));
        rv_rod_store_quat(out->rest, at_row(b->vertex_at, i, 4, 0, lane),
                          rv_quat_mul(rv_quat_conjugate(before), after));
      }
    }
}

// Rest rotations of one strand: the director of the root, transported along the shape without twist, as
// rv_strand_state_new does.
static void rest_lane(const RvStrandBatch* b, int lane, const RvStrandDef* d, RvCosseratModel* out) {
  const double* x = d->rest ? d->rest : d->x;
  RvVec3 before = {0}, u = {0};
  RvQuat last = rv_quat_identity();
  for (int j = 0; j + 1 < b->vertices; ++j) {
    RvVec3 t = rv_normalize(rv_sub(rv_vec3_load64(x + 3 * j + 3), rv_vec3_load64(x + 3 * j)), rv_vec3(0, 1, 0));
    RvVec3 wanted = j > 0         ? rv_quat_rotate(rv_quat_between(before, t), u)
                    : d->director ? rv_vec3_load64(d->director)
                                  : rv_perpendicular(t);
    u = rv_normalize(rv_mad(wanted, -rv_dot(wanted, t), t), rv_perpendicular(t));
    RvQuat q = on_side_of(frame_quat(u, t), last);
    if (j > 0)
      rv_rod_store_quat(out->rest, at_row(b->vertex_at, j, 4, 0, lane), rv_quat_mul(rv_quat_conjugate(last), q));
    before = t;
    last = q;
  }
}

void rv_cosserat_rest_from_defs(const RvStrandModel* m, const RvStrandDef* defs, RvCosseratModel* out) {
  memcpy(out->length, m->rest_length, m->edges * sizeof(double));
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) rest_lane(&m->batches[k], lane, &defs[m->batches[k].strand[lane]], out);
}

size_t rv_cosserat_coarse(const RvStrandModel* m, const RvCosseratModel* model) {
  size_t coarse = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      bool found = false;
      for (int i = 1; i + 1 < b->vertices; ++i)
        found |= model->rest[at_row(b->vertex_at, i, 4, 3, lane)] < QUARTER_REAL;
      coarse += found;
    }
  }
  return coarse;
}

//---------------------------------------------------------------------------------------------- equilibrium

// Rest length and direction of edge j under its force `pull`, the multiplier of stretch-shear: l d3 = e + c pull.
static void balance_edge(const RvStrandBatch* b, int lane, int j, RvVec3 e, RvVec3 pull, RvCosseratModel* model,
                         RvCosseratState* state) {
  size_t edge = at_row(b->edge_at, j, 1, 0, lane), at = at_row(b->edge_at, j, 4, 0, lane);
  RvVec3 rest = rv_mad(e, model->stretch[edge], pull);
  RvVec3 d3 = rv_normalize(rest, rv_vec3(0, 1, 0));
  RvQuat q = rv_rod_load_quat(state->quat, at);
  model->length[edge] = rv_length(rest);
  if (j > 0) q = rv_quat_normalize(rv_quat_mul(rv_quat_between(rv_quat_rotate(q, rv_vec3(0, 0, 1)), d3), q));
  rv_rod_store_quat(state->quat, at, q);
  state->tension[edge] = -rv_dot(pull, d3);
}

// The moment at vertex i that balances edge i: B_i^T moment = B_{i+1} moment_after - torque of the force.
static RvVec3 moment_before(RvQuat turn, RvVec3 needed) {
  RvVec3 v = {turn.x, turn.y, turn.z};
  double w = copysign(fmax(fabs(turn.w), LEAST_REAL), turn.w);
  return rv_add(rv_add(rv_scale(needed, w), rv_cross(v, needed)), rv_scale(v, rv_dot(v, needed) / w));
}

// Rest rotation at vertex i that has this moment in the pose: Im R0 = Im R + compliance moment / 2. True: the largest
// turn was reached.
static bool balance_vertex(const RvStrandModel* m, const RvStrandBatch* b, int lane, int i, RvQuat turn, RvVec3 moment,
                           double max_turn, RvCosseratModel* model) {
  const RvVec3 pose = {turn.x, turn.y, turn.z};
  const double most = rv_sin(0.5 * fmin(max_turn, RV_PI)), most_im = sqrt(1 - LEAST_REAL * LEAST_REAL);
  RvVec3 im = pose;
  bool capped = false;
  for (int k = 0; k < REST_ITERATIONS; ++k) {
    set_compliance(m, b, lane, i, im, model);
    size_t at = at_row(b->vertex_at, i, 6, 0, lane);
    double c[6];
    for (int q = 0; q < 6; ++q) c[q] = model->bend[at + (size_t)q * RV_LANES];
    RvVec3 strain = rv_scale(rv_vec3(c[0] * moment.x + c[1] * moment.y + c[2] * moment.z,
                                     c[1] * moment.x + c[3] * moment.y + c[4] * moment.z,
                                     c[2] * moment.x + c[4] * moment.y + c[5] * moment.z),
                             0.5);
    double size = rv_length(strain);
    capped = size > most;
    if (capped) strain = rv_scale(strain, most / size);
    im = rv_add(pose, strain);
    size = rv_length(im);
    capped |= size > most_im;
    if (size > most_im) im = rv_scale(im, most_im / size);
  }
  set_compliance(m, b, lane, i, im, model);
  rv_rod_store_quat(model->rest, at_row(b->vertex_at, i, 4, 0, lane),
                    (RvQuat){im.x, im.y, im.z, sqrt(fmax(1 - rv_dot(im, im), 0))});
  return capped;
}

// One strand, from the tip to the root; the first edge is clamped. True: a limit was reached.
static bool balance_lane(const RvStrandModel* m, const RvStrandBatch* b, int lane, const RvStrandState* pose,
                         const double* force, double max_turn, RvCosseratModel* model, RvCosseratState* state) {
  // Forces, and with them lengths and directions of all edges.
  RvVec3 pull = {0};
  for (int j = b->vertices - 2; j >= 0; --j) {
    pull = rv_sub(pull, rv_strand_vector(force, rv_strand_index(b, lane, j + 1, 0)));
    RvVec3 e = rv_sub(rv_strand_vector(pose->q, rv_strand_index(b, lane, j + 1, 0)),
                      rv_strand_vector(pose->q, rv_strand_index(b, lane, j, 0)));
    balance_edge(b, lane, j, e, pull, model, state);
  }
  // Moments, and with them the rest rotations.
  bool capped = false;
  RvVec3 moment_after = {0};
  RvQuat turn_after = rv_quat_identity();
  pull = rv_vec3(0, 0, 0);
  for (int j = b->vertices - 2; j >= 1; --j) {
    pull = rv_sub(pull, rv_strand_vector(force, rv_strand_index(b, lane, j + 1, 0)));
    RvQuat q = rv_rod_load_quat(state->quat, at_row(b->edge_at, j, 4, 0, lane));
    RvQuat before = rv_rod_load_quat(state->quat, at_row(b->edge_at, j - 1, 4, 0, lane));
    RvQuat turn = rv_quat_mul(rv_quat_conjugate(before), q);
    // Torque of the force in the frame of the edge, as in rod_direct_kernel.c.
    RvVec3 local = rv_quat_rotate(rv_quat_conjugate(q), pull);
    double l = model->length[at_row(b->edge_at, j, 1, 0, lane)];
    RvVec3 v = {turn_after.x, turn_after.y, turn_after.z};
    RvVec3 needed = rv_add(rv_scale(moment_after, turn_after.w), rv_cross(v, moment_after));
    needed = rv_sub(needed, rv_vec3(l * local.y, -l * local.x, 0));
    RvVec3 moment = moment_before(turn, needed);
    capped |= balance_vertex(m, b, lane, j, turn, moment, max_turn, model);
    moment_after = moment;
    turn_after = turn;
  }
  return capped;
}

void rv_cosserat_balance(const RvStrandModel* m, const RvStrandState* pose, const double* force, double max_turn,
                         RvCosseratModel* model, RvCosseratState* state, RvCosseratBalance* report) {
  *report = (RvCosseratBalance){0};
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      bool capped = balance_lane(m, b, lane, pose, force, max_turn, model, state);
      report->capped += capped && lane < b->lanes;
    }
  }
}
