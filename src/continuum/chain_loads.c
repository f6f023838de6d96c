// Drag, forces and springs of every link. Drag and springs are implicit: their rates become added mass (chain.h).
#include "continuum/chain_loads.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// Batches of a task of the parallel loop.
enum { BATCHES_A_TASK = 4 };
// Added mass of a pinned vertex over the mass of its strand. The vertex misses its goal by the inverse share of the way
// that the strand would have taken without the pin.
static const double PIN_MASS = 1e5;

typedef struct Work {
  const RvChainModel* m;
  const RvChainState* s;
  const RvChainLoadDef* def;
  RvChainLoads* out;
} Work;

// Attributes may hold NaN or infinity: such a value counts as not given.
static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

static RvVec3 attribute(const float* values, size_t vertex) {
  if (!values) return rv_vec3(0, 0, 0);
  const float* v = values + 3 * vertex;
  return rv_vec3(finite_or_zero(v[0]), finite_or_zero(v[1]), finite_or_zero(v[2]));
}

// Drag of a link whose velocity relative to the air is w0 at its joint and w1 at its end. The drag across it acts at
// the end of the step; along the link the difference of both coefficients is given back at the speed now.
static void add_drag(const Work* w, size_t link, size_t at, RvVec3 arm, double length, RvVec3 w0, RvVec3 w1,
                     double hairs) {
  const RvChainLoadDef* d = w->def;
  double across = hairs * d->drag_normal * length, along = hairs * d->drag_tangent * length;
  RvVec3 axis = rv_scale(arm, 1 / length), mean = rv_scale(rv_add(w0, w1), 0.5);
  // The torque of a velocity that varies linearly: length^2 (w0 / 6 + w1 / 3), over the length.
  RvVec3 force = rv_scale(mean, -across), lever = rv_mad(rv_scale(w0, 1.0 / 6), 1.0 / 3, w1);
  force = rv_mad(force, (across - along) * rv_dot(axis, mean), axis);
  rv_strand_set_vector(w->out->force, at, rv_add(rv_strand_vector(w->out->force, at), force));
  RvVec3 torque = rv_scale(rv_cross(arm, lever), -across);
  rv_strand_set_vector(w->out->torque, at, rv_add(rv_strand_vector(w->out->torque, at), torque));
  w->out->line_mass[link] = d->implicitness * d->dt * across;
}

// A force on the end of a link.
static void add_end_force(const Work* w, size_t at, RvVec3 arm, RvVec3 force) {
  rv_strand_set_vector(w->out->force, at, rv_add(rv_strand_vector(w->out->force, at), force));
  rv_strand_set_vector(w->out->torque, at, rv_add(rv_strand_vector(w->out->torque, at), rv_cross(arm, force)));
}

// The force of a spring whose added mass is at the end of a link.
static void add_spring_force(const Work* w, size_t at, RvVec3 force) {
  rv_strand_set_vector(w->out->end_force, at, rv_add(rv_strand_vector(w->out->end_force, at), force));
}

// The same added mass in all directions, at the end of a link.
static void add_end_mass(const Work* w, const RvChainBatch* b, int lane, int i, double mass) {
  static const int diagonal[3] = {0, 3, 5};  // of xx xy xz yy yz zz
  for (int c = 0; c < 3; ++c) w->out->end_mass[rv_chain_link(b, lane, i, 6, diagonal[c])] += mass;
}

// Critically damped spring of the end of a link to its goal, of the angular frequency `rate` for the mass.
static void add_spring(const Work* w, const RvChainBatch* b, int lane, int i, double mass, double rate) {
  const RvChainLoadDef* d = w->def;
  double h = d->implicitness * d->dt, spring = mass * rate * rate, damping = 2 * mass * rate;
  size_t end = rv_chain_vertex(b, lane, i + 1, 3, 0);
  RvVec3 x = rv_strand_vector(w->s->x, end), v = rv_strand_vector(w->s->v, end);
  RvVec3 slip = rv_sub(v, rv_strand_vector(d->goal_velocity, end));
  RvVec3 way = rv_sub(rv_strand_vector(d->goal, end), rv_mad(x, h, v));
  add_spring_force(w, rv_chain_link(b, lane, i, 3, 0), rv_mad(rv_scale(way, spring), -damping, slip));
  add_end_mass(w, b, lane, i, h * damping + h * h * spring);
}

// A spring so stiff that the end of the link is at its goal after the step.
static void add_pin(const Work* w, const RvChainBatch* b, int lane, int i, double strand_mass) {
  const RvChainLoadDef* d = w->def;
  size_t end = rv_chain_vertex(b, lane, i + 1, 3, 0);
  double h = d->implicitness * d->dt, added = PIN_MASS * strand_mass;
  RvVec3 x = rv_strand_vector(w->s->x, end), v = rv_strand_vector(w->s->v, end);
  RvVec3 way = rv_sub(rv_strand_vector(d->goal, end), rv_mad(x, d->dt, v));
  add_spring_force(w, rv_chain_link(b, lane, i, 3, 0), rv_scale(way, added / (h * d->dt)));
  add_end_mass(w, b, lane, i, added);
}

static double mass_of_strand(const Work* w, const RvChainBatch* b, int lane) {
  double sum = 0;
  for (int i = 0; i < b->links; ++i) sum += w->m->mass[rv_chain_link(b, lane, i, 1, 0)];
  return sum;
}

// All loads of one strand.
static void load_lane(const Work* w, const RvChainBatch* b, int lane) {
  const RvChainLoadDef* d = w->def;
  const bool held = d->goal && (d->goal_weight || d->pinned);
  const double strand_mass = held ? mass_of_strand(w, b, lane) : 0;
  size_t strand = (size_t)b->strand[lane], vertex = d->first ? (size_t)d->first[strand] : 0;
  double hairs = d->multiple ? d->multiple[strand] : 1;
  RvVec3 wind = rv_vec3_load64(d->wind), w0 = {0};
  for (int i = 0; i <= b->links; ++i, ++vertex) {
    size_t place = rv_chain_vertex(b, lane, i, 3, 0);
    RvVec3 w1 = rv_sub(rv_strand_vector(w->s->v, place), rv_add(wind, attribute(d->wind_at, vertex)));
    if (i > 0) {
      size_t link = rv_chain_link(b, lane, i - 1, 1, 0), at = rv_chain_link(b, lane, i - 1, 3, 0);
      double length = w->m->length[link];
      RvVec3 arm = rv_sub(rv_strand_vector(w->s->x, place), rv_strand_vector(w->s->x, place - 3 * RV_LANES));
      add_drag(w, link, at, arm, length, w0, w1, hairs);
      if (d->force_at) add_end_force(w, at, arm, rv_scale(attribute(d->force_at, vertex), hairs));
      double weight = held && d->goal_weight ? fmax(finite_or_zero(d->goal_weight[vertex]), 0) : 0;
      if (weight > 0) add_spring(w, b, lane, i - 1, w->m->mass[link], d->pull * sqrt(weight));
      if (held && d->pinned && d->pinned[vertex]) add_pin(w, b, lane, i - 1, strand_mass);
    }
    w0 = w1;
  }
}

static void load_batches(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->m->batches[k];
    size_t links = (size_t)b->links * RV_LANES;
    memset(w->out->force + 3 * b->at, 0, 3 * links * sizeof(double));
    memset(w->out->torque + 3 * b->at, 0, 3 * links * sizeof(double));
    if (w->out->end_mass) memset(w->out->end_mass + 6 * b->at, 0, 6 * links * sizeof(double));
    if (w->out->end_force) memset(w->out->end_force + 3 * b->at, 0, 3 * links * sizeof(double));
    for (int lane = 0; lane < RV_LANES; ++lane) load_lane(w, b, lane);
  }
}

void rv_chain_loads(const RvChainModel* m, const RvChainState* s, const RvChainLoadDef* def, RvChainLoads* out) {
  Work w = {m, s, def, out};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, load_batches, &w);
}
