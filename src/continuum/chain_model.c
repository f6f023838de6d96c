// Builds the model of all chains: batches of equal link count in Morton order, inertia of the links, stiffness of the
// joints (HC-9, HC-12, HC-21).
#include "base/memory.h"
#include "continuum/chain.h"
#include "math/scalar.h"
#include "strand/def.h"

enum { MIN_VERTICES = 2, MAX_VERTICES = 4097 };  // 1 to 4,096 links

//---------------------------------------------------------------------------------------------- batches

// Cuts the sorted strands into batches; spare lanes repeat the last strand.
static RvResult make_batches(RvChainModel* m, const RvStrandKey* keys, RvError* error) {
  for (size_t s = 0; s < m->nstrand; s += (size_t)rv_strand_lanes_from(keys, s, m->nstrand)) m->nbatch++;
  m->batches = rv_alloc_zero(m->nbatch, sizeof *m->batches);
  if (!m->batches) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  size_t s = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    RvChainBatch* b = &m->batches[k];
    *b = (RvChainBatch){.links = keys[s].vertices - 1, .at = m->links, .vertex_at = m->vertices};
    b->lanes = rv_strand_lanes_from(keys, s, m->nstrand);
    rv_strand_fill_lanes(keys, s, b->lanes, b->strand);
    m->links += (size_t)b->links * RV_LANES;
    m->vertices += (size_t)(b->links + 1) * RV_LANES;
    m->nlink += (size_t)(b->links * b->lanes);
    m->longest = b->links > m->longest ? b->links : m->longest;
    s += (size_t)b->lanes;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- links and joints

static double factor(const double* factors, int i) {
  return factors ? factors[i] : 1;
}

// Mass and moments of inertia of link i, a rod of the mean radius of its ends. The two moments across of an elliptic
// section differ by less than the square of radius over length; their mean is taken.
static void fill_link(RvChainModel* m, const RvChainBatch* b, int lane, const RvStrandDef* d, int i) {
  size_t at = rv_chain_link(b, lane, i, 1, 0);
  double length = rv_strand_def_length(d, i);
  double a = 0.5 * (d->radius[i] + d->radius[i + 1]), c = a / d->ellipse;
  double density = d->density * 0.5 * (factor(d->heavier, i) + factor(d->heavier, i + 1));
  double mass = d->multiple * density * RV_PI * a * c * length;
  m->length[at] = length;
  m->mass[at] = mass;
  m->axial[at] = 0.25 * mass * (a * a + c * c);
  m->across[at] = mass * length * length / 3 + 0.5 * m->axial[at];
}

// Stiffness and damping of joint i, which stands for half of the links on both sides.
static void fill_joint(RvChainModel* m, const RvChainBatch* b, int lane, const RvStrandDef* d, int i) {
  double half = 0.5 * (rv_strand_def_length(d, i) + (i > 0 ? rv_strand_def_length(d, i - 1) : 0));
  const RvStrandSection section = rv_strand_section(d->radius[i], d->ellipse);
  double multiple = d->multiple * factor(d->stiffness, i) / half;
  double viscosity = multiple * d->viscosity * factor(d->damper, i);
  const double stiffness[3] = {d->youngs * section.about_first, d->youngs * section.about_second,
                               d->shear * section.polar};
  const double damping[3] = {RV_STRAND_TROUTON * section.about_first, RV_STRAND_TROUTON * section.about_second,
                             section.polar};
  for (int k = 0; k < 3; ++k) {
    m->stiffness[rv_chain_link(b, lane, i, 3, k)] = multiple * stiffness[k];
    m->damping[rv_chain_link(b, lane, i, 3, k)] = viscosity * damping[k];
  }
}

//---------------------------------------------------------------------------------------------- rest shape

// Body axes of a link with direction t and first director u.
static RvQuat frame(RvVec3 u, RvVec3 t) {
  return rv_quat_from_matrix((RvMat3){{u, rv_cross(t, u), t}});
}

// The part of u at right angles to t, as a unit vector.
static RvVec3 across_of(RvVec3 u, RvVec3 t) {
  return rv_normalize(rv_mad(u, -rv_dot(u, t), t), rv_perpendicular(t));
}

void rv_chain_frames(const RvStrandDef* d, const double* x, RvQuat* frames) {
  RvVec3 before = {0}, u = {0};
  for (int i = 0; i + 1 < d->vertices; ++i) {
    RvVec3 t = rv_normalize(rv_sub(rv_vec3_load64(x + 3 * i + 3), rv_vec3_load64(x + 3 * i)), rv_vec3(0, 1, 0));
    if (i == 0)
      u = across_of(d->director ? rv_vec3_load64(d->director) : rv_perpendicular(t), t);
    else
      u = across_of(rv_quat_rotate(rv_quat_between(before, t), u), t);
    frames[i] = frame(u, t);
    before = t;
  }
}

// Natural turn of every joint. The base has the axes of the first link of the natural shape.
static void fill_rest(RvChainModel* m, const RvChainBatch* b, int lane, const RvStrandDef* d, RvQuat* frames) {
  rv_chain_frames(d, d->rest ? d->rest : d->x, frames);
  for (int i = 0; i < b->links; ++i) {
    RvQuat inner = i > 0 ? frames[i - 1] : frames[0];
    RvQuat rest = rv_quat_normalize(rv_quat_mul(rv_quat_conjugate(inner), frames[i]));
    rv_chain_set_quat(m->rest, rv_chain_link(b, lane, i, 4, 0), rest);
  }
}

//---------------------------------------------------------------------------------------------- all

// Allocates the arrays. False: out of memory.
static bool take_arrays(RvChainModel* m) {
  const struct {
    double** array;
    size_t size;
  } arrays[] = {{&m->length, 1},    {&m->mass, 1},    {&m->across, 1}, {&m->axial, 1},
                {&m->stiffness, 3}, {&m->damping, 3}, {&m->rest, 4}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
    if (!(*arrays[i].array = rv_alloc_zero(arrays[i].size * m->links, sizeof(double)))) return false;
  return true;
}

static RvResult fill(RvChainModel* m, const RvStrandDef* strands, RvError* error) {
  RvQuat* frames = take_arrays(m) ? rv_alloc((size_t)m->longest, sizeof *frames) : NULL;
  if (!frames) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvChainBatch* b = &m->batches[k];
      const RvStrandDef* d = &strands[b->strand[lane]];
      for (int i = 0; i < b->links; ++i) {
        fill_link(m, b, lane, d, i);
        fill_joint(m, b, lane, d, i);
      }
      fill_rest(m, b, lane, d, frames);
    }
  rv_free(frames);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- explicit steps

// Step times the fastest rate of the joints: Runge and Kutta's classic method is stable up to 2.78, for oscillation
// and decay alike. The margin is for joints that are turned far from rest.
static const double STABLE_TURN = 2.5;

// Bounds of the fastest rate of a link about one body axis: the largest row of stiffness and of damping over inertia
// (Gershgorin 1931). Inertia is that about the middle of the link: joints that hold it only add to it.
static double fastest_turn(const RvChainModel* m, const RvChainBatch* b, int lane, int i, int axis) {
  size_t link = rv_chain_link(b, lane, i, 1, 0), joint = rv_chain_link(b, lane, i, 3, axis);
  double stiffness = m->stiffness[joint], damping = m->damping[joint];
  double inertia =
      axis == 2 ? m->axial[link] : m->across[link] - 0.25 * m->mass[link] * m->length[link] * m->length[link];
  if (i + 1 < b->links) {
    size_t outer = rv_chain_link(b, lane, i + 1, 3, axis);
    stiffness += m->stiffness[outer];
    damping += m->damping[outer];
  }
  return fmax(sqrt(2 * stiffness / inertia), 2 * damping / inertia);
}

double rv_chain_explicit_step(const RvChainModel* m) {
  double fastest = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < m->batches[k].links; ++i)
        for (int axis = 0; axis < 3; ++axis) fastest = fmax(fastest, fastest_turn(m, &m->batches[k], lane, i, axis));
  return STABLE_TURN / fastest;
}

RvResult rv_chain_model_new(const RvStrandDef* strands, size_t count, RvChainModel** out, RvError* error) {
  *out = NULL;
  static const RvStrandLimits limits = {MIN_VERTICES, MAX_VERTICES, true};
  RvResult result = rv_strand_defs_check(strands, count, &limits, error);
  if (result) return result;
  RvChainModel* m = rv_alloc_zero(1, sizeof *m);
  RvStrandKey* keys = m ? rv_strand_order(strands, count) : NULL;
  if (keys) {
    m->nstrand = count;
    result = make_batches(m, keys, error);
    if (!result) result = fill(m, strands, error);
  } else {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", count);
  }
  rv_free(keys);
  if (result)
    rv_chain_model_free(m);
  else
    *out = m;
  return result;
}

void rv_chain_model_free(RvChainModel* m) {
  if (!m) return;
  RV_FREE_ALL(m->batches, m->length, m->mass, m->across, m->axial, m->stiffness, m->damping, m->rest, m);
}
