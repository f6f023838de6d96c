// The rest shape that makes a pose an equilibrium (rest.h).
//
// A clamped strand is statically determinate: from the tip inwards, the three forces on vertex i + 1 and the torque on
// edge i determine the axial force of that edge and the moment at vertex i. Stresses are linear in the rest strains, so
// one sweep of 4 x 4 systems gives the rest shape exactly, in the discrete equations of the rod itself. Four curvatures
// carry two moments: of all stresses that balance, those of least elastic energy are taken.
#include "strand/rest.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "math/vec.h"

enum { STRESSES = 6, ROWS = 4 };  // stresses of an inner vertex: axial, four curvatures, twist; equations
enum { REFINEMENTS = 3 };         // solves of a 4 x 4 system, the later ones for the residual of the first
enum { CLAMPED_UNKNOWNS = 7 };    // of the first edge: two vertices and an angle

// A strand that cannot support its pose is made stiffer by this factor, the root of 2, until it can.
#define STIFFENING 1.4142135623730951
#define STIFFEN_ROUNDING (1 + 1e-9)  // of the product of such factors, against the limit
#define MIN_CHI 1e-4                 // as in rod_kernel.c
#define TINY_PIVOT 1e-300            // keeps divisions finite
#define LARGEST_TURN 3.0             // rad: larger limits have no finite curvature

// 1/s2: squared angular frequency of the slowest oscillation about a stable pose: a radian in half a second. A slower
// strand would hardly return.
static const double LEAST_STIFFNESS = 4;

// Result of one batch.
typedef struct Outcome {
  bool no_memory;
  size_t capped, loose, stiffened;
  double residual;
} Outcome;

typedef struct Balance {
  RvStrandModel* m;
  const RvStrandState* s;
  const RvRestDef* def;
  double* stiffen;  // [strands] factor of the stiffness
  Outcome* out;     // [batches]
} Balance;

typedef struct Edge {
  double length;
  RvVec3 t, m1, m2;
} Edge;

// Equilibrium matrix of an inner vertex by columns: force of each unit stress on its edges e and f, and torque on their
// angles.
typedef struct Columns {
  RvVec3 e[STRESSES], f[STRESSES];
  double angle_e[STRESSES], angle_f[STRESSES];
  double kappa[4];
} Columns;

// Length, tangent and material frame of edge j.
static Edge read_edge(const Balance* w, const RvStrandBatch* b, int lane, int j) {
  size_t at = rv_strand_index(b, lane, j, 0), frame = 3 * b->edge_at + (size_t)(3 * j) * RV_LANES + (size_t)lane;
  RvVec3 d = rv_sub(rv_strand_vector(w->s->q, at + 4 * RV_LANES), rv_strand_vector(w->s->q, at));
  RvVec3 u = rv_strand_vector(w->s->director, frame);
  Edge e = {.length = rv_length(d)};
  e.t = rv_scale(d, 1 / e.length);
  double angle = w->s->q[at + 3 * RV_LANES], c = rv_cos(angle), s = rv_sin(angle);
  RvVec3 v = rv_cross(e.t, u);
  e.m1 = rv_mad(rv_scale(u, c), s, v);
  e.m2 = rv_mad(rv_scale(v, c), -s, u);
  return e;
}

// Columns of the stresses: axial force of f, four curvatures, twist (spec 1.2.1, A13 to A16).
static Columns read_columns(const Edge* e, const Edge* f) {
  Columns c = {0};
  double chi = fmax(1 + rv_dot(e->t, f->t), MIN_CHI);
  RvVec3 kb = rv_scale(rv_cross(e->t, f->t), 2 / chi), half = rv_scale(rv_add(e->t, f->t), 1 / chi);
  const RvVec3 m[4] = {e->m2, e->m1, f->m2, f->m1};
  c.f[0] = f->t;
  for (int k = 0; k < 4; ++k) c.kappa[k] = (k & 1 ? -1 : 1) * rv_dot(m[k], kb);
  for (int k = 0; k < 4; ++k) {
    double sign = k & 1 ? -1 : 1, turned = k & 1 ? -c.kappa[k - 1] : c.kappa[k + 1];
    RvVec3 bend = rv_scale(half, -c.kappa[k]);
    c.e[k + 1] = rv_scale(rv_mad(bend, 2 * sign / chi, rv_cross(f->t, m[k])), 1 / e->length);
    c.f[k + 1] = rv_scale(rv_mad(bend, -2 * sign / chi, rv_cross(e->t, m[k])), 1 / f->length);
    *(k < 2 ? &c.angle_e[k + 1] : &c.angle_f[k + 1]) = turned;
  }
  c.e[5] = rv_scale(kb, 0.5 / e->length);
  c.f[5] = rv_scale(kb, 0.5 / f->length);
  c.angle_e[5] = -1;
  c.angle_f[5] = 1;
  return c;
}

// x = a^-1 b for a symmetric positive definite matrix, by LDL^T.
static void solve4(double a[ROWS][ROWS], const double* b, double* x) {
  double l[ROWS][ROWS] = {{0}}, d[ROWS];
  for (int j = 0; j < ROWS; ++j) {
    d[j] = a[j][j];
    for (int k = 0; k < j; ++k) d[j] -= l[j][k] * l[j][k] * d[k];
    d[j] = fmax(d[j], TINY_PIVOT);
    for (int i = j + 1; i < ROWS; ++i) {
      l[i][j] = a[i][j];
      for (int k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k] * d[k];
      l[i][j] /= d[j];
    }
  }
  for (int i = 0; i < ROWS; ++i) {
    x[i] = b[i];
    for (int k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
  }
  for (int i = 0; i < ROWS; ++i) x[i] /= d[i];
  for (int i = ROWS - 1; i >= 0; --i)
    for (int k = i + 1; k < ROWS; ++k) x[i] -= l[k][i] * x[k];
}

// Stresses y of least elastic energy that give the wanted force on the end of f and torque on it. Later passes solve
// for the residual of the first, as stretching is some 1e5 times stiffer than bending.
static void solve_stress(const Columns* c, const double weight[STRESSES], double scale, RvVec3 force, double torque,
                         double y[STRESSES]) {
  double rows[ROWS][STRESSES], a[ROWS][ROWS], x[ROWS];
  const double want[ROWS] = {force.x, force.y, force.z, torque * scale};
  for (int k = 0; k < STRESSES; ++k) {
    rows[0][k] = c->f[k].x;
    rows[1][k] = c->f[k].y;
    rows[2][k] = c->f[k].z;
    rows[3][k] = c->angle_f[k] * scale;
    y[k] = 0;
  }
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < ROWS; ++j) {
      a[i][j] = 0;
      for (int k = 0; k < STRESSES; ++k) a[i][j] += rows[i][k] * weight[k] * rows[j][k];
    }
  // y = W R^T (R W R^T)^-1 want, with refinement by the residual
  for (int pass = 0; pass < REFINEMENTS; ++pass) {
    double residual[ROWS];
    for (int i = 0; i < ROWS; ++i) {
      residual[i] = want[i];
      for (int k = 0; k < STRESSES; ++k) residual[i] -= rows[i][k] * y[k];
    }
    solve4(a, residual, x);
    for (int k = 0; k < STRESSES; ++k)
      for (int i = 0; i < ROWS; ++i) y[k] += weight[k] * rows[i][k] * x[i];
  }
}

// Limits a rest value to within `cap` of the natural one; true: it did.
static bool limit(double* rest, double natural, double cap) {
  double to = rv_clamp(*rest, natural - cap, natural + cap);
  bool cut = to != *rest;
  *rest = to;
  return cut;
}

// Rest strains of vertex i and edge i from the stresses y, within the limits; true: a limit was reached.
static bool set_rest(const Balance* w, const RvStrandBatch* b, int lane, int i, const Columns* c, double length,
                     double twist, const double weight[STRESSES], const double y[STRESSES]) {
  RvStrandModel* m = w->m;
  size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
  size_t edge = b->edge_at + (size_t)i * RV_LANES + (size_t)lane;
  double* curvature = m->rest_curvature + 4 * b->vertex_at + (size_t)(4 * i) * RV_LANES + (size_t)lane;
  bool capped = false;
  // limit of the turn as a curvature, and the change of curvature
  double half = 0.5 * fmin(w->def->max_turn, LARGEST_TURN);
  double cap = 2 * rv_sin(half) / rv_cos(half);
  double squared_change = 0, rest[4];
  for (int k = 0; k < 4; ++k) {
    rest[k] = c->kappa[k] - y[k + 1] / weight[k + 1];
    double change = rest[k] - curvature[k * RV_LANES];
    squared_change += 0.5 * change * change;
  }
  double rest_length = length - y[0] / weight[0], rest_twist = twist - y[5] / weight[5];
  // strands of kilometres have no finite rest shape
  if (!isfinite(squared_change + rest_length + rest_twist)) return true;
  // within the limits
  double keep = squared_change > cap * cap ? cap / sqrt(squared_change) : 1;
  for (int k = 0; k < 4; ++k) {
    double natural = curvature[k * RV_LANES];
    curvature[k * RV_LANES] = keep < 1 ? natural + keep * (rest[k] - natural) : rest[k];
  }
  double natural = m->rest_length[edge];
  capped |= keep < 1;
  capped |= limit(&rest_length, natural, w->def->max_stretch * natural);
  capped |= limit(&rest_twist, m->rest_twist[vertex], w->def->max_turn);
  m->rest_length[edge] = rest_length;
  m->rest_twist[vertex] = rest_twist;
  return capped;
}

// Rest shape of one strand, from the tip to the root. `reaction`, a vector and a torque a vertex, is room for the
// forces of the stresses found so far. True: a limit was reached.
static bool balance_lane(const Balance* w, const RvStrandBatch* b, int lane, double* reaction) {
  const RvStrandModel* m = w->m;
  bool capped = false;
  memset(reaction, 0, (size_t)b->vertices * 4 * sizeof *reaction);
  for (int i = b->vertices - 2; i >= 1; --i) {
    size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
    size_t bend = 2 * b->vertex_at + (size_t)(2 * i) * RV_LANES + (size_t)lane;
    // stresses that balance vertex i + 1 and edge i
    Edge e = read_edge(w, b, lane, i - 1), f = read_edge(w, b, lane, i);
    Columns c = read_columns(&e, &f);
    double k1 = 0.5 * m->bend[bend], k2 = 0.5 * m->bend[bend + RV_LANES];
    const double weight[STRESSES] = {
        m->stretch[b->edge_at + (size_t)i * RV_LANES + (size_t)lane], k1, k2, k1, k2, m->torsion[vertex]};
    double y[STRESSES], *here = reaction + 4 * i, *next = here + 4, *before = here - 4;
    RvVec3 force = rv_sub(rv_strand_vector(w->def->force, rv_strand_index(b, lane, i + 1, 0)), rv_vec3_load64(next));
    double torque = w->def->force[rv_strand_index(b, lane, i, 3)] - here[3];
    solve_stress(&c, weight, 1 / f.length, force, torque, y);
    // their reaction on the vertices before
    RvVec3 force_e = {0}, force_f = {0};
    for (int k = 0; k < STRESSES; ++k) {
      force_e = rv_mad(force_e, y[k], c.e[k]);
      force_f = rv_mad(force_f, y[k], c.f[k]);
      before[3] += y[k] * c.angle_e[k];
      here[3] += y[k] * c.angle_f[k];
    }
    rv_vec3_store64(before, rv_sub(rv_vec3_load64(before), force_e));
    rv_vec3_store64(here, rv_add(rv_vec3_load64(here), rv_sub(force_e, force_f)));
    rv_vec3_store64(next, rv_add(rv_vec3_load64(next), force_f));
    // the rest strains that cause them
    double twist = w->s->q[rv_strand_index(b, lane, i, 3)] - w->s->q[rv_strand_index(b, lane, i - 1, 3)] +
                   w->s->reference_twist[vertex];
    capped |= set_rest(w, b, lane, i, &c, f.length, twist, weight, y);
  }
  return capped;
}

// Lanes whose pose is not a stable minimum of the energy with the first edge clamped; the weight is linear and has no
// part in the Hessian. They balance, but a push makes them fall into another pose.
static unsigned unstable(const Balance* w, const RvStrandBatch* b, double* band) {
  const int size = rv_strand_rod_size(b->vertices), stride = RV_ROD_BAND + 1;
  for (int j = 0; j < size; ++j)
    for (int k = 0; k <= RV_ROD_BAND && j + k < size; ++k)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        double* a = &band[((size_t)(j * stride) + (size_t)k) * RV_LANES + (size_t)lane];
        if (j < CLAMPED_UNKNOWNS)
          *a = k == 0;
        else if (k == 0)
          *a -= LEAST_STIFFNESS * w->m->mass[b->at + (size_t)j * RV_LANES + (size_t)lane];
      }
  return rv_ldlt_factor(band, size, RV_ROD_BAND);
}

// Largest unbalanced force on a free vertex, relative to the largest weight of one, of lanes that reached no limit.
static double residual(const Balance* w, const RvStrandBatch* b, unsigned capped, const double* g) {
  double worst = 0;
  for (int lane = 0; lane < b->lanes; ++lane) {
    if (capped >> lane & 1) continue;
    double largest_force = 0, largest_error = 0;
    for (int i = 2; i < b->vertices; ++i)
      for (int c = 0; c < 3; ++c) {
        double f = w->def->force[rv_strand_index(b, lane, i, c)];
        largest_force = fmax(largest_force, fabs(f));
        largest_error = fmax(largest_error, fabs(g[rv_strand_index(b, lane, i, c) - b->at] - f));
      }
    if (largest_force > 0) worst = fmax(worst, largest_error / largest_force);
  }
  return worst;
}

static void scale_lane(double* a, size_t at, size_t rows, int lane, double by) {
  for (size_t i = 0; i < rows; ++i) a[at + i * RV_LANES + (size_t)lane] *= by;
}

// Multiplies all stiffness and damping of a strand.
static void stiffen_lane(RvStrandModel* m, const RvStrandBatch* b, int lane, double by) {
  size_t n = (size_t)b->vertices;
  scale_lane(m->stretch, b->edge_at, n - 1, lane, by);
  scale_lane(m->damp_stretch, b->edge_at, n - 1, lane, by);
  scale_lane(m->bend, 2 * b->vertex_at, 2 * n, lane, by);
  scale_lane(m->damp_bend, 2 * b->vertex_at, 2 * n, lane, by);
  scale_lane(m->torsion, b->vertex_at, n, lane, by);
  scale_lane(m->damp_torsion, b->vertex_at, n, lane, by);
}

static void copy_lane(double* to, const double* from, size_t rows, int lane) {
  for (size_t i = 0; i < rows; ++i) to[i * RV_LANES + (size_t)lane] = from[i * RV_LANES + (size_t)lane];
}

// Work memory of a batch, and its arrays of the model.
typedef struct Room {
  double *g, *band;                       // gradient and Hessian of the rods
  double* natural;                        // natural curvatures, twists and lengths, behind each other
  double* reaction;                       // of a lane, 4 a vertex
  double *curvature, *twist, *length;     // rest strains of the model
  size_t gradient_size, band_size, rows;  // doubles; rows: one a vertex and lane
} Room;

// Doubles of a room for n vertices: gradient 4 and natural shape 6 a vertex and lane, reaction at most 4.
static size_t room_size(int n) {
  return rv_ldlt_size(rv_strand_rod_size(n), RV_ROD_BAND) + (size_t)(14 * n) * RV_LANES;
}

static Room place_room(const RvStrandModel* m, const RvStrandBatch* b, double* memory) {
  Room r = {.gradient_size = (size_t)b->vertices * 4 * RV_LANES,
            .band_size = rv_ldlt_size(rv_strand_rod_size(b->vertices), RV_ROD_BAND),
            .rows = (size_t)b->vertices * RV_LANES,
            .curvature = m->rest_curvature + 4 * b->vertex_at,
            .twist = m->rest_twist + b->vertex_at,
            .length = m->rest_length + b->edge_at};
  r.g = memory;
  r.band = r.g + r.gradient_size;
  r.natural = r.band + r.band_size;
  r.reaction = r.natural + 6 * r.rows;
  memcpy(r.natural, r.curvature, 4 * r.rows * sizeof *r.natural);
  memcpy(r.natural + 4 * r.rows, r.twist, r.rows * sizeof *r.natural);
  memcpy(r.natural + 5 * r.rows, r.length, (r.rows - RV_LANES) * sizeof *r.natural);
  return r;
}

// Balances a lane anew from its natural shape; true: a limit was reached.
static bool rebalance_lane(const Balance* w, const RvStrandBatch* b, int lane, const Room* r) {
  size_t n = (size_t)b->vertices;
  copy_lane(r->curvature, r->natural, 4 * n, lane);
  copy_lane(r->twist, r->natural + 4 * r->rows, n, lane);
  copy_lane(r->length, r->natural + 5 * r->rows, n - 1, lane);
  return balance_lane(w, b, lane, r->reaction);
}

// Balances the strands of a batch; those that reach a limit or are unstable are stiffened and balanced again.
static void balance_batch(const Balance* w, size_t k, double* memory) {
  const RvStrandBatch* b = &w->m->batches[k];
  Outcome* out = &w->out[k];
  const Room r = place_room(w->m, b, memory);
  RvRodBatch rod = rv_strand_elastic_rods(w->m, w->s, b);
  double factor[RV_LANES];
  for (int lane = 0; lane < RV_LANES; ++lane) factor[lane] = 1;
  unsigned open = (1u << RV_LANES) - 1, capped = 0, loose = 0;  // bits of lanes
  while (open) {
    // rest shape of the open lanes
    for (int lane = 0; lane < RV_LANES; ++lane)
      if (open >> lane & 1) capped = (capped & ~(1u << lane)) | (unsigned)rebalance_lane(w, b, lane, &r) << lane;
    // stability of the pose
    memset(r.g, 0, (r.gradient_size + r.band_size) * sizeof *r.g);
    rv_strand_rod_derivatives(&rod, w->s->q + b->at, RV_ROD_FULL, r.g, r.band);
    loose = unstable(w, b, r.band);
    // stiffen, up to the limit
    open = 0;
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double next = factor[lane] * STIFFENING;
      if (!((capped | loose) >> lane & 1) || next > w->def->max_stiffen * STIFFEN_ROUNDING) continue;
      stiffen_lane(w->m, b, lane, STIFFENING);
      factor[lane] = next;
      open |= 1u << lane;
    }
  }
  // report
  out->residual = residual(w, b, capped, r.g);
  for (int lane = 0; lane < b->lanes; ++lane) {
    out->capped += capped >> lane & 1;
    out->loose += (loose & ~capped) >> lane & 1;
    out->stiffened += factor[lane] > 1;
    w->stiffen[b->strand[lane]] = factor[lane];
  }
}

static void balance_batches(void* arg, size_t begin, size_t end) {
  const Balance* w = arg;
  for (size_t k = begin; k < end; ++k) {
    double* room = rv_alloc(room_size(w->m->batches[k].vertices), sizeof *room);
    if (room)
      balance_batch(w, k, room);
    else
      w->out[k].no_memory = true;
    rv_free(room);
  }
}

RvResult rv_strand_balance(RvStrandModel* m, const RvStrandState* s, const RvRestDef* def, double* stiffen,
                           RvRestReport* report, RvError* error) {
  *report = (RvRestReport){0};
  Balance w = {m, s, def, stiffen, rv_alloc_zero(m->nbatch, sizeof(Outcome))};
  if (!w.out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the rest shape");
  rv_parallel_for(m->nbatch, 1, balance_batches, &w);
  RvResult result = RV_OK;
  for (size_t k = 0; k < m->nbatch && !result; ++k) {
    const Outcome* o = &w.out[k];
    if (o->no_memory) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the rest shape");
    report->capped += o->capped;
    report->loose += o->loose;
    report->stiffened += o->stiffened;
    report->residual = fmax(report->residual, o->residual);
  }
  rv_free(w.out);
  return result;
}
