// One implicit step: what a batch needs before Newton and after it (WH-44).
#include "strand/step.h"

#include <math.h>
#include <string.h>

static double* take(double** next, size_t count) {
  double* p = *next;
  *next += (count + RV_LANES - 1) / RV_LANES * RV_LANES;
  return p;
}

size_t rv_strand_work_size(int n) {
  return (size_t)n * (2 * 4 + 10 + 4) * RV_LANES + rv_ldlt_size(4 * n - 1, RV_ROD_BAND);
}

size_t rv_strand_spare_size(int n) {
  return rv_ldlt_size(4 * n - 1, RV_ROD_BAND) + (size_t)n * 4 * RV_LANES;
}

void rv_strand_work_place(RvStrandWork* w, double* memory, int n) {
  size_t u = (size_t)n * 4 * RV_LANES, v = (size_t)n * RV_LANES;
  w->goal = take(&memory, u);
  w->inertia = take(&memory, u);
  w->band = take(&memory, rv_ldlt_size(4 * n - 1, RV_ROD_BAND));
  w->length = take(&memory, v);
  w->curvature = take(&memory, 4 * v);
  w->twist = take(&memory, v);
  w->stretch = take(&memory, v);
  w->bend = take(&memory, 2 * v);
  w->torsion = take(&memory, v);
  w->slide = take(&memory, 3 * v);
  w->slide_goal = take(&memory, v);
}

// Where each unknown would go without elasticity, and how strongly it is held to it: inertia (BDF2: Hairer and Wanner,
// II.7), drag and springs are all quadratic in one unknown, so they are one such term.
static void set_goal(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w) {
  const RvStrandState* s = step->s;
  const RvStrandStepDef* def = step->def;
  size_t count = (size_t)b->vertices * 4 * RV_LANES;
  for (size_t k = 0; k < count; ++k) {
    size_t at = b->at + k;
    bool bdf2 = rv_strand_step_bdf2(step, w, (int)(k % RV_LANES));
    double m = step->m->mass[at], force = def->force ? def->force[at] : 0, h = rv_strand_step_length(step, bdf2);
    double drift = bdf2 ? (s->q[at] - s->q_before[at]) / 3 : 0;
    double v = bdf2 ? s->v[at] + (s->v[at] - s->v_before[at]) / 3 : s->v[at];
    double weight = m / (h * h), pull = weight * (s->q[at] + drift + h * v) + force;
    if (def->drag) {
      double c = def->drag[at] / h;
      weight += c;
      pull += c * (s->q[at] + drift + (def->drag_velocity ? h * def->drag_velocity[at] : 0));
    }
    if (def->spring) {
      weight += def->spring[at];
      pull += def->spring[at] * def->spring_target[at];
    }
    w->inertia[k] = weight;
    w->goal[k] = weight > 0 ? pull / weight : s->q[at];
  }
}

// The inertia that vertices do not have along their tangents, about where it would take them.
static void set_slide(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w) {
  const RvStrandState* s = step->s;
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      bool bdf2 = rv_strand_step_bdf2(step, w, lane);
      double goal = 0, h = rv_strand_step_length(step, bdf2);
      for (int c = 0; c < 3; ++c) {
        size_t at = rv_strand_index(b, lane, i, c), k = (size_t)(3 * i + c) * RV_LANES + (size_t)lane;
        double drift = bdf2 ? (s->q[at] - s->q_before[at]) / 3 : 0;
        double v = bdf2 ? s->v[at] + (s->v[at] - s->v_before[at]) / 3 : s->v[at];
        w->slide[k] = step->def->slide[3 * b->vertex_at + k] * step->m->free[at] / h;
        goal += w->slide[k] * (s->q[at] + drift + h * v);
      }
      w->slide_goal[(size_t)i * RV_LANES + (size_t)lane] = goal;
    }
}

static void set_potential(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  const RvStrandModel* m = step->m;
  RvNewtonBatch* p = &w->potential;
  *p = (RvNewtonBatch){.inertia = w->inertia,
                       .goal = w->goal,
                       .free = m->free + b->at,
                       .couple = step->def->couple,
                       .slide = step->def->slide ? w->slide : NULL,
                       .slide_goal = w->slide_goal,
                       .block = (size_t)(b - m->batches),
                       .alone = step->def->couple && !step->def->couple->gather};
  p->rod = (RvRodBatch){.vertices = b->vertices,
                        .tangent = step->s->tangent + 3 * b->edge_at,
                        .director = step->s->director + 3 * b->edge_at,
                        .reference_twist = step->s->reference_twist + b->vertex_at};
  // the strains of the start, where the viscous twins rest; their room is needed only here
  double *length = w->d, *curvature = w->trial, *twist = w->g;
  rv_strand_rod_strain(&p->rod, step->s->q + b->at,
                       &(RvRodStrain){.length = length, .curvature = curvature, .twist = twist});
  double scale = 1 / step->def->dt;
  int n = b->vertices;
  rv_strand_newton_blend(n - 1, 1, 1, m->stretch + b->edge_at, m->damp_stretch + b->edge_at, scale,
                         m->rest_length + b->edge_at, length, w->stretch, w->length);
  rv_strand_newton_blend(n, 2, 2, m->bend + 2 * b->vertex_at, m->damp_bend + 2 * b->vertex_at, scale,
                         m->rest_curvature + 4 * b->vertex_at, curvature, w->bend, w->curvature);
  rv_strand_newton_blend(n, 1, 1, m->torsion + b->vertex_at, m->damp_torsion + b->vertex_at, scale,
                         m->rest_twist + b->vertex_at, twist, w->torsion, w->twist);
  p->rod.length = w->length;
  p->rod.stretch = w->stretch;
  p->rod.curvature = w->curvature;
  p->rod.bend = w->bend;
  p->rod.twist = w->twist;
  p->rod.torsion = w->torsion;
}

// Free points of `x`, which holds the given ones: the edges have the directions of `like` and the lengths of the start,
// from the root on, so that a root that jumps does not stretch the strand.
static void lay_edges(int n, const double* before, const double* like, const double* may, double* x) {
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = 0, at = lane; i + 1 < n; ++i, at += 4 * RV_LANES) {
      const int next = at + 4 * RV_LANES;
      if (may[next] == 0) continue;
      double e[3], old = 0, now = 0;
      for (int c = 0; c < 3 * RV_LANES; c += RV_LANES) {
        double was = before[next + c] - before[at + c];
        e[c / RV_LANES] = like[next + c] - like[at + c];
        old += was * was;
        now += e[c / RV_LANES] * e[c / RV_LANES];
      }
      double scale = now > 0 ? sqrt(old / now) : 1;
      for (int c = 0; c < 3; ++c) x[next + c * RV_LANES] = x[at + c * RV_LANES] + scale * e[c];
    }
}

unsigned rv_strand_step_held(const RvStrandStep* step, const RvStrandBatch* b) {
  const RvOperator* op = step->def->couple;
  unsigned held = op && op->held ? op->held(op->user, (size_t)(b - step->m->batches)) : 0;
  // spare lanes repeat the last one
  if (held >> (b->lanes - 1) & 1) held |= 0xffu << b->lanes;
  return held & 0xffu;
}

// the better of two guesses, lane by lane: carried by inertia, or left where it was; fixed unknowns at their targets
static void set_guess(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w) {
  size_t count = (size_t)b->vertices * 4 * RV_LANES;
  double still[RV_LANES] __attribute__((aligned(64))), carried[RV_LANES] __attribute__((aligned(64)));
  const double* before = step->s->q + b->at;
  unsigned held = rv_strand_step_held(step, b);
  for (size_t k = 0; k < count; ++k) {
    bool fixed = w->potential.free[k] == 0;
    double given = fixed && step->def->target ? step->def->target[b->at + k] : before[k];
    w->trial[k] = fixed ? given : w->goal[k];
    w->d[k] = fixed ? given : before[k];
  }
  if (!b->pinned) {
    lay_edges(b->vertices, before, w->goal, w->potential.free, w->trial);
    lay_edges(b->vertices, before, before, w->potential.free, w->d);
  }
  if (held == 0xffu) {
    memcpy(w->q, w->d, count * sizeof(double));
    return;
  }
  rv_strand_newton_energy(&w->potential, w->d, still);
  rv_strand_newton_energy(&w->potential, w->trial, carried);
  for (size_t k = 0; k < count; ++k) {
    size_t lane = k % RV_LANES;
    w->q[k] = carried[lane] < still[lane] && !(held >> lane & 1) ? w->trial[k] : w->d[k];
  }
}

// m/s2, three hundred g, as in blows: what residuals are measured against in short steps
static const double LARGE_ACCELERATION = 3000;

void rv_strand_step_begin(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  w->fall = LARGE_ACCELERATION * step->def->dt * step->def->dt;
  w->euler = 0;
  rv_strand_step_again(step, b, w);
  set_guess(step, b, w);
}

void rv_strand_step_again(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  set_goal(step, b, w);
  if (step->def->slide) set_slide(step, b, w);
  set_potential(step, b, w);
}

void rv_strand_step_scale(const RvStrandBatch* b, const RvStrandWork* w, double scale[RV_LANES]) {
  for (int lane = 0; lane < RV_LANES; ++lane) {
    double inertia = 0, edge = 0;
    for (int i = 0; i < b->vertices; ++i) inertia += w->inertia[4 * i * RV_LANES + lane];
    for (int j = 0; j + 1 < b->vertices; ++j) edge += w->length[j * RV_LANES + lane];
    scale[lane] = sqrt(inertia) * fmin(edge / (b->vertices - 1), w->fall);
  }
}

void rv_strand_step_finish(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  RvStrandState* s = step->s;
  size_t count = (size_t)b->vertices * 4 * RV_LANES, row = (size_t)b->vertices * RV_LANES;
  size_t edges = (size_t)(b->vertices - 1) * RV_LANES;
  // into scratch first: the strain reads the frames of the start
  double *tangent = w->band, *director = w->band + 3 * row, *twist = w->spare;
  rv_strand_rod_strain(&w->potential.rod, w->q,
                       &(RvRodStrain){.tangent = tangent, .director = director, .reference_twist = twist});
  for (size_t k = 0; k < count; ++k) {
    size_t at = b->at + k;
    double before = s->q[at],
           v = rv_strand_step_velocity(step, rv_strand_step_bdf2(step, w, (int)(k % RV_LANES)), at, w->q[k]);
    s->q_before[at] = before;
    s->v_before[at] = s->v[at];
    s->q[at] = w->q[k];
    s->v[at] = v;
  }
  memcpy(s->tangent + 3 * b->edge_at, tangent, 3 * edges * sizeof(double));
  memcpy(s->director + 3 * b->edge_at, director, 3 * edges * sizeof(double));
  size_t inner = (size_t)(b->vertices - 2) * RV_LANES;
  memcpy(s->reference_twist + b->vertex_at + RV_LANES, twist + RV_LANES, inner * sizeof(double));
}

RvResult rv_strand_step(const RvStrandModel* m, RvStrandState* s, const RvStrandStepDef* def, RvStrandStats* stats,
                        RvError* error) {
  // shares of a frame differ by rounding: thirds and fifths of it are equal steps too
  bool equal = fabs(def->dt_before - def->dt) <= 1e-9 * def->dt;
  bool bdf2 = def->integrator == RV_BDF2 && s->has_before && equal;
  RvStrandStep step = {m, s, def, bdf2};
  *stats = (RvStrandStats){0};
  bool joined = def->couple && def->couple->gather;
  RvResult result = joined ? rv_strand_step_coupled(&step, stats, error) : rv_strand_step_free(&step, stats, error);
  s->has_before = true;
  return result;
}
