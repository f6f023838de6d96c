// Builds the model of all strands: batches of equal vertex count in Morton order, masses and stiffness (WH-1,
// spec 1.2.1).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "strand/order.h"
#include "strand/strand.h"

enum { MIN_VERTICES = 3, MAX_VERTICES = 4096 };

// Trouton's ratio: elongational over shear viscosity, for stretching and bending of a viscous thread.
static const double TROUTON = 3;

//---------------------------------------------------------------------------------------------- batches

// Cuts the sorted strands into batches of equal vertex count.
static RvResult make_batches(RvStrandModel* m, const RvStrandKey* keys, RvError* error) {
  size_t count = 0;
  for (int pass = 0; pass < 2; ++pass) {
    size_t n = 0;
    for (size_t s = 0; s < m->nstrand; ++n) {
      int vertices = keys[s].vertices, lanes = 0;
      while (s + (size_t)lanes < m->nstrand && lanes < RV_LANES && keys[s + (size_t)lanes].vertices == vertices)
        lanes++;
      // pass 0 counts the batches, pass 1 makes them; spare lanes repeat the last strand
      if (pass) {
        RvStrandBatch* b = &m->batches[n];
        *b = (RvStrandBatch){vertices, lanes, {0}, m->unknowns, m->vertices, m->edges, false};
        for (int k = 0; k < RV_LANES; ++k) b->strand[k] = keys[s + (size_t)(k < lanes ? k : lanes - 1)].strand;
        m->unknowns += (size_t)vertices * 4 * RV_LANES;
        m->vertices += (size_t)vertices * RV_LANES;
        m->edges += (size_t)(vertices - 1) * RV_LANES;
        m->nvertex += (size_t)(vertices * lanes);
      }
      s += (size_t)lanes;
    }
    if (pass) break;
    count = n;
    m->batches = rv_alloc_zero(count, sizeof *m->batches);
    if (!m->batches) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  }
  m->nbatch = count;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- masses and stiffness

// Allocates the arrays of a model. False: out of memory.
static bool take_arrays(RvStrandModel* m) {
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&m->rest_length, m->edges},     {&m->rest_curvature, 4 * m->vertices},
                {&m->rest_twist, m->vertices},   {&m->stretch, m->edges},
                {&m->bend, 2 * m->vertices},     {&m->torsion, m->vertices},
                {&m->damp_stretch, m->edges},    {&m->damp_bend, 2 * m->vertices},
                {&m->damp_torsion, m->vertices}, {&m->mass, m->unknowns},
                {&m->free, m->unknowns},         {&m->radius, m->vertices},
                {&m->hair_mass, m->vertices},    {&m->hair_turn, m->edges}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
    if (!(*arrays[i].array = rv_alloc_zero(arrays[i].count, sizeof(double)))) return false;
  return true;
}

// Length of edge j in a pose.
static double edge_length(const double* x, int j) {
  return rv_distance(rv_vec3_load64(x + 3 * j), rv_vec3_load64(x + 3 * j + 3));
}

// Natural length of edge j: given, or that of the natural shape.
static double natural_length(const RvStrandDef* d, int j) {
  return d->length ? d->length[j] : edge_length(d->rest ? d->rest : d->x, j);
}

// A vertex of a strand while its lane is filled.
typedef struct Vertex {
  double before, after;  // m: natural lengths of the edges on both sides, 0 beyond the ends
  double cell;           // m: length that the vertex stands for
  double a, c;           // m: half axes of the section
  double stiffness;      // multiplier of all stiffness
  double density;        // kg/m3
  double viscosity;      // Pa s
} Vertex;

static Vertex read_vertex(const RvStrandDef* d, int i) {
  Vertex v = {.before = i > 0 ? natural_length(d, i - 1) : 0,
              .after = i + 1 < d->vertices ? natural_length(d, i) : 0,
              .a = d->radius[i],
              .stiffness = d->multiple * (d->stiffness ? d->stiffness[i] : 1),
              .density = d->density * (d->heavier ? d->heavier[i] : 1),
              .viscosity = d->viscosity * (d->damper ? d->damper[i] : 1)};
  v.cell = 0.5 * (v.before + v.after);
  v.c = v.a / d->ellipse;
  return v;
}

// Edge i, of the mean radius of its ends: rotational inertia, stretching stiffness and damping.
static void fill_edge(RvStrandModel* m, const RvStrandBatch* b, int lane, const RvStrandDef* d, int i,
                      const Vertex* v) {
  size_t edge = b->edge_at + (size_t)i * RV_LANES + (size_t)lane;
  double mean = 0.5 * (v->a + d->radius[i + 1]), section = RV_PI * mean * mean / d->ellipse;
  m->hair_turn[edge] =
      d->multiple * v->density * section * v->after * 0.25 * (mean * mean + mean * mean / (d->ellipse * d->ellipse));
  m->mass[rv_strand_index(b, lane, i, 3)] = m->hair_turn[edge];
  m->free[rv_strand_index(b, lane, i, 3)] = 1;
  m->rest_length[edge] = v->after;
  m->stretch[edge] = v->stiffness * d->youngs * section / v->after;
  m->damp_stretch[edge] = v->stiffness * TROUTON * v->viscosity * section / v->after;
}

// Inner vertex i: stiffness and damping of bending and torsion.
static void fill_bend(RvStrandModel* m, const RvStrandBatch* b, int lane, const RvStrandDef* d, int i,
                      const Vertex* v) {
  size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
  size_t bend = 2 * b->vertex_at + (size_t)(2 * i) * RV_LANES + (size_t)lane;
  double a = v->a, c = v->c, k = v->stiffness;
  double i1 = 0.25 * RV_PI * a * a * a * c, i2 = 0.25 * RV_PI * a * c * c * c;
  double polar = RV_PI * a * a * a * c * c * c / (a * a + c * c);  // St Venant's torsion constant of an ellipse
  m->bend[bend] = k * d->youngs * i1 / v->cell;
  m->bend[bend + RV_LANES] = k * d->youngs * i2 / v->cell;
  m->torsion[vertex] = k * d->shear * polar / v->cell;
  m->damp_bend[bend] = k * TROUTON * v->viscosity * i1 / v->cell;
  m->damp_bend[bend + RV_LANES] = k * TROUTON * v->viscosity * i2 / v->cell;
  m->damp_torsion[vertex] = k * v->viscosity * polar / v->cell;
}

// Masses and stiffness of one strand in one lane (spec 1.2.1). The half axes of the section are a and a / ellipse.
static void fill_lane(RvStrandModel* m, const RvStrandBatch* b, int lane, const RvStrandDef* d) {
  int n = d->vertices;
  for (int i = 0; i < n; ++i) {
    const Vertex v = read_vertex(d, i);
    size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
    double area = RV_PI * v.a * v.c;
    m->radius[vertex] = v.a;
    m->hair_mass[vertex] = d->multiple * v.density * area * v.cell;
    for (int q = 0; q < 3; ++q) {
      m->mass[rv_strand_index(b, lane, i, q)] = m->hair_mass[vertex];
      m->free[rv_strand_index(b, lane, i, q)] = 1;
    }
    if (i + 1 < n) fill_edge(m, b, lane, d, i, &v);
    if (i > 0 && i + 1 < n) fill_bend(m, b, lane, d, i, &v);
  }
}

// Refuses strands that cannot be simulated, naming the strand and the point.
static RvResult check(const RvStrandDef* strands, size_t count, RvError* error) {
  // indices of lanes are 32-bit
  if (count > INT32_MAX / RV_LANES)
    return rv_fail(error, RV_LIMIT, "%zu strands are more than can be simulated", count);
  for (size_t s = 0; s < count; ++s) {
    const RvStrandDef* d = &strands[s];
    if (d->vertices < MIN_VERTICES || d->vertices > MAX_VERTICES)
      return rv_fail(error, RV_BAD_INPUT, "strand %zu has %d points; a strand needs %d to %d", s, d->vertices,
                     MIN_VERTICES, MAX_VERTICES);
    // finite points, of edges that have a length and a radius
    const double* shape = d->rest ? d->rest : d->x;
    for (int i = 0; i < 3 * d->vertices; ++i)
      if (!isfinite(d->x[i]) || !isfinite(shape[i]))
        return rv_fail(error, RV_BAD_INPUT, "strand %zu, point %d: a coordinate is not a number", s, i / 3);
    for (int i = 0; i + 1 < d->vertices; ++i)
      if (!(natural_length(d, i) > 0) || !(edge_length(d->x, i) > 0))
        return rv_fail(error, RV_BAD_INPUT, "strand %zu: points %d and %d coincide; remove one of them", s, i, i + 1);
    for (int i = 0; i < d->vertices; ++i)
      if (!(d->radius[i] > 0))
        return rv_fail(error, RV_BAD_INPUT, "strand %zu, point %d: the radius is not above 0; give it a width", s, i);
    // material
    if (!(d->density > 0 && d->youngs > 0 && d->shear > 0 && d->viscosity >= 0 && d->ellipse > 0 && d->multiple > 0))
      return rv_fail(error, RV_BAD_INPUT, "strand %zu: density, youngs and shear must be above 0, viscosity not below",
                     s);
  }
  return RV_OK;
}

RvResult rv_strand_model_new(const RvStrandDef* strands, size_t count, RvStrandModel** out, RvError* error) {
  *out = NULL;
  RvResult result = check(strands, count, error);
  if (result) return result;
  RvStrandModel* m = rv_alloc_zero(1, sizeof *m);
  RvStrandKey* keys = m ? rv_strand_order(strands, count) : NULL;
  if (!keys) {
    rv_strand_model_free(m);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", count);
  }
  m->nstrand = count;
  result = make_batches(m, keys, error);
  rv_free(keys);
  if (!result && !take_arrays(m)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", count);
  if (result) {
    rv_strand_model_free(m);
    return result;
  }
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane)
      fill_lane(m, &m->batches[k], lane, &strands[m->batches[k].strand[lane]]);
  *out = m;
  return RV_OK;
}

void rv_strand_model_free(RvStrandModel* m) {
  if (!m) return;
  double* arrays[] = {m->rest_length, m->rest_curvature, m->rest_twist, m->stretch,      m->bend,
                      m->torsion,     m->damp_stretch,   m->damp_bend,  m->damp_torsion, m->mass,
                      m->free,        m->radius,         m->hair_mass,  m->hair_turn};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) rv_free(arrays[i]);
  rv_free(m->batches);
  rv_free(m);
}
