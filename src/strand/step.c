// One implicit step (WH-44): the incremental potential of a batch, its first guess, and what follows Newton. A step is
// implicit Euler or BDF2; elasticity and its viscous twin are one quadratic energy of each strain.
#include "strand/step.h"

#include <math.h>
#include <string.h>

// The next `count` doubles, rounded up to whole rows of lanes.
static double* take(double** next, size_t count) {
  double* p = *next;
  *next += (count + RV_LANES - 1) / RV_LANES * RV_LANES;
  return p;
}

size_t rv_strand_work_size(int n) {
  // doubles a vertex: goal and inertia 4 each; strains and stiffness 6 and 4; slide and its goal 4
  return (size_t)n * (2 * 4 + 10 + 4) * RV_LANES + rv_ldlt_size(4 * n - 1, RV_ROD_BAND);
}

size_t rv_strand_spare_size(int n) {
  // a second band and a vector of unknowns
  return rv_ldlt_size(4 * n - 1, RV_ROD_BAND) + (size_t)n * 4 * RV_LANES;
}

void rv_strand_work_place(RvStrandWork* w, double* memory, int n) {
  const size_t unknowns = (size_t)n * 4 * RV_LANES, v = (size_t)n * RV_LANES;
  w->goal = take(&memory, unknowns);
  w->inertia = take(&memory, unknowns);
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

// Where an unknown would be at the end of the step without forces: with h = 2/3 dt, BDF2 extrapolates position and
// velocity from the last two steps by a third of their differences (Hairer and Wanner, II.7).
static double free_flight(const RvStrandState* s, size_t at, bool bdf2, double h) {
  double drift = bdf2 ? (s->q[at] - s->q_before[at]) / 3 : 0;
  double v = bdf2 ? s->v[at] + (s->v[at] - s->v_before[at]) / 3 : s->v[at];
  return s->q[at] + drift + h * v;
}

// Goal and weight of each unknown, weight (q - goal)^2 / 2: inertia, external force, drag and springs are all quadratic
// in one unknown, so together they are one such term.
static void set_goal(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w) {
  const RvStrandState* s = step->s;
  const RvStrandStepDef* def = step->def;
  size_t count = (size_t)b->vertices * 4 * RV_LANES;
  for (size_t k = 0; k < count; ++k) {
    size_t at = b->at + k;
    bool bdf2 = rv_strand_step_bdf2(step, w, (int)(k % RV_LANES));
    double h = rv_strand_step_length(step, bdf2);
    double force = def->force ? def->force[at] : 0;
    // inertia and the force of the start
    double weight = step->m->mass[at] / (h * h);
    double pull = weight * free_flight(s, at, bdf2, h) + force;
    // implicit drag towards the velocity of the medium
    if (def->drag) {
      double c = def->drag[at] / h;
      double drift = bdf2 ? (s->q[at] - s->q_before[at]) / 3 : 0;
      weight += c;
      pull += c * (s->q[at] + drift + (def->drag_velocity ? h * def->drag_velocity[at] : 0));
    }
    // implicit springs
    if (def->spring) {
      weight += def->spring[at];
      pull += def->spring[at] * def->spring_target[at];
    }
    w->inertia[k] = weight;
    w->goal[k] = weight > 0 ? pull / weight : s->q[at];
  }
}

// The inertia that vertices lack along their tangents (spec E43): e of each vertex and e . x of its free flight.
static void set_slide(const RvStrandStep* step, const RvStrandBatch* b, const RvStrandWork* w) {
  const RvStrandState* s = step->s;
  for (int i = 0; i < b->vertices; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      bool bdf2 = rv_strand_step_bdf2(step, w, lane);
      double goal = 0, h = rv_strand_step_length(step, bdf2);
      for (int c = 0; c < 3; ++c) {
        size_t at = rv_strand_index(b, lane, i, c);
        size_t k = (size_t)(3 * i + c) * RV_LANES + (size_t)lane;
        w->slide[k] = step->def->slide[3 * b->vertex_at + k] * step->m->free[at] / h;
        goal += w->slide[k] * free_flight(s, at, bdf2, h);
      }
      w->slide_goal[(size_t)i * RV_LANES + (size_t)lane] = goal;
    }
}

// The incremental potential: goal, coupling and rods. Stiffness and rest strains join elasticity with its viscous twin,
// whose rest strain is that of the start of the step (spec 1.2.1).
static void set_potential(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  const RvStrandModel* m = step->m;
  RvNewtonBatch* p = &w->potential;
  // inertia, goal and coupling
  *p = (RvNewtonBatch){.inertia = w->inertia,
                       .goal = w->goal,
                       .free = m->free + b->at,
                       .couple = step->def->couple,
                       .slide = step->def->slide ? w->slide : NULL,
                       .slide_goal = w->slide_goal,
                       .block = (size_t)(b - m->batches),
                       .block_terms = step->def->couple && !step->def->couple->gather};
  // reference frames of the start of the step
  p->rod = (RvRodBatch){.vertices = b->vertices,
                        .tangent = step->s->tangent + 3 * b->edge_at,
                        .director = step->s->director + 3 * b->edge_at,
                        .reference_twist = step->s->reference_twist + b->vertex_at};
  // strains of the start, at which the viscous twins have no stress, in room that Newton needs only later
  double *length = w->d, *curvature = w->trial, *twist = w->g;
  rv_strand_rod_strain(&p->rod, step->s->q + b->at,
                       &(RvRodStrain){.length = length, .curvature = curvature, .twist = twist});
  // elastic and viscous stiffness and rest strain together
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

// Lays out the free vertices of x from the root on: edges have the directions of `like` and the lengths of `before`, so
// that a root that jumps does not stretch the strand. Fixed vertices of x are given.
static void lay_out_edges(int n, const double* before, const double* like, const double* free, double* x) {
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = 0, at = lane; i + 1 < n; ++i, at += 4 * RV_LANES) {
      const int next = at + 4 * RV_LANES;
      if (free[next] == 0) continue;
      double e[3], squared_before = 0, squared_like = 0;
      for (int c = 0; c < 3 * RV_LANES; c += RV_LANES) {
        double component = before[next + c] - before[at + c];
        e[c / RV_LANES] = like[next + c] - like[at + c];
        squared_before += component * component;
        squared_like += e[c / RV_LANES] * e[c / RV_LANES];
      }
      double scale = squared_like > 0 ? sqrt(squared_before / squared_like) : 1;
      for (int c = 0; c < 3; ++c) x[next + c * RV_LANES] = x[at + c * RV_LANES] + scale * e[c];
    }
}

static const unsigned ALL_LANES = 0xffu;

unsigned rv_strand_step_start_lanes(const RvStrandStep* step, const RvStrandBatch* b) {
  const RvOperator* op = step->def->couple;
  unsigned lanes = op && op->held ? op->held(op->user, (size_t)(b - step->m->batches)) : 0;
  // spare lanes repeat the last one
  if (lanes >> (b->lanes - 1) & 1) lanes |= ALL_LANES << b->lanes;
  return lanes & ALL_LANES;
}

// First guess: of free flight and the start of the step, the one of lower energy, lane by lane. Fixed unknowns are at
// their targets.
static void set_guess(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  size_t count = (size_t)b->vertices * 4 * RV_LANES;
  const double* before = step->s->q + b->at;
  unsigned start_lanes = rv_strand_step_start_lanes(step, b);
  // both guesses, free flight in w->trial and the start in w->d
  for (size_t k = 0; k < count; ++k) {
    bool fixed = w->potential.free[k] == 0;
    double given = fixed && step->def->target ? step->def->target[b->at + k] : before[k];
    w->trial[k] = fixed ? given : w->goal[k];
    w->d[k] = fixed ? given : before[k];
  }
  if (!b->pinned) {
    lay_out_edges(b->vertices, before, w->goal, w->potential.free, w->trial);
    lay_out_edges(b->vertices, before, before, w->potential.free, w->d);
  }
  w->has_guess_energy = start_lanes != ALL_LANES;
  if (start_lanes == ALL_LANES) {
    memcpy(w->q, w->d, count * sizeof(double));
    return;
  }
  // the one of lower energy
  double start_energy[RV_LANES] __attribute__((aligned(64)));
  double flight_energy[RV_LANES] __attribute__((aligned(64)));
  rv_strand_newton_energy(&w->potential, w->d, start_energy);
  rv_strand_newton_energy(&w->potential, w->trial, flight_energy);
  bool flies[RV_LANES];
  for (int lane = 0; lane < RV_LANES; ++lane) {
    flies[lane] = flight_energy[lane] < start_energy[lane] && !(start_lanes >> lane & 1);
    w->guess_energy[lane] = flies[lane] ? flight_energy[lane] : start_energy[lane];
  }
  for (size_t k = 0; k < count; ++k) w->q[k] = flies[k % RV_LANES] ? w->trial[k] : w->d[k];
}

// m/s2, some 300 g, as in an impact: residuals of short steps are relative to the motion it causes
static const double LARGE_ACCELERATION = 3000;

void rv_strand_step_begin(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  w->large_displacement = LARGE_ACCELERATION * step->def->dt * step->def->dt;
  w->euler_lanes = 0;
  rv_strand_step_rebuild(step, b, w);
  set_guess(step, b, w);
}

void rv_strand_step_rebuild(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  set_goal(step, b, w);
  if (step->def->slide) set_slide(step, b, w);
  set_potential(step, b, w);
}

void rv_strand_step_scale(const RvStrandBatch* b, const RvStrandWork* w, double scale[RV_LANES]) {
  for (int lane = 0; lane < RV_LANES; ++lane) {
    double inertia = 0, edge = 0;  // kg/s2, m
    for (int i = 0; i < b->vertices; ++i) inertia += w->inertia[4 * i * RV_LANES + lane];
    for (int j = 0; j + 1 < b->vertices; ++j) edge += w->length[j * RV_LANES + lane];
    scale[lane] = sqrt(inertia) * fmin(edge / (b->vertices - 1), w->large_displacement);
  }
}

void rv_strand_step_finish(const RvStrandStep* step, const RvStrandBatch* b, RvStrandWork* w) {
  RvStrandState* s = step->s;
  const size_t count = (size_t)b->vertices * 4 * RV_LANES, row = (size_t)b->vertices * RV_LANES;
  const size_t edges = (size_t)(b->vertices - 1) * RV_LANES;
  // frames of the end, first to room of their own, as the strain reads those of the start
  double* tangent = w->band;
  double* director = w->band + 3 * row;
  double* twist = w->spare;
  rv_strand_rod_strain(&w->potential.rod, w->q,
                       &(RvRodStrain){.tangent = tangent, .director = director, .reference_twist = twist});
  // positions, velocities, and their values of the start for the next step
  for (size_t k = 0; k < count; ++k) {
    const size_t at = b->at + k;
    const bool bdf2 = rv_strand_step_bdf2(step, w, (int)(k % RV_LANES));
    const double before = s->q[at];
    const double v = rv_strand_step_velocity(step, bdf2, at, w->q[k]);
    s->q_before[at] = before;
    s->v_before[at] = s->v[at];
    s->q[at] = w->q[k];
    s->v[at] = v;
  }
  // frames; the ends have no reference twist
  memcpy(s->tangent + 3 * b->edge_at, tangent, 3 * edges * sizeof(double));
  memcpy(s->director + 3 * b->edge_at, director, 3 * edges * sizeof(double));
  size_t inner = (size_t)(b->vertices - 2) * RV_LANES;
  memcpy(s->reference_twist + b->vertex_at + RV_LANES, twist + RV_LANES, inner * sizeof(double));
}

RvResult rv_strand_step(const RvStrandModel* m, RvStrandState* s, const RvStrandStepDef* def, RvStrandStats* stats,
                        RvError* error) {
  // BDF2 needs two steps of equal length; fractions of a frame differ by rounding
  const double dt_rounding = 1e-9;
  bool equal = fabs(def->dt_before - def->dt) <= dt_rounding * def->dt;
  bool bdf2 = def->integrator == RV_BDF2 && s->has_before && equal;
  RvStrandStep step = {m, s, def, bdf2};
  *stats = (RvStrandStats){0};
  // room of the step
  RvArena* arena = def->scratch ? def->scratch : rv_arena_new(0);
  if (!arena) return rv_fail(error, RV_NO_MEMORY, "out of memory in the step of %zu strands", m->nstrand);
  RvArenaMark mark = rv_arena_mark(arena);
  // all strands together if something joins them
  bool joined = def->couple && def->couple->gather;
  RvResult result =
      joined ? rv_strand_step_coupled(&step, arena, stats, error) : rv_strand_step_free(&step, arena, stats, error);
  rv_arena_release(arena, mark);
  if (!def->scratch) rv_arena_free(arena);
  s->has_before = true;
  return result;
}
