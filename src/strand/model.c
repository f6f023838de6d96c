// Builds the model of all strands: batches of equal vertex count in Morton order, masses and stiffness (WH-1,
// spec 1.2.1).
#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "strand/def.h"
#include "strand/strand.h"

enum { MIN_VERTICES = 3, MAX_VERTICES = 4096 };

//---------------------------------------------------------------------------------------------- batches

// Cuts the sorted strands into batches of equal vertex count.
static RvResult make_batches(RvStrandModel* m, const RvStrandKey* keys, RvError* error) {
  for (size_t s = 0; s < m->nstrand; s += (size_t)rv_strand_lanes_from(keys, s, m->nstrand)) m->nbatch++;
  m->batches = rv_alloc_zero(m->nbatch, sizeof *m->batches);
  if (!m->batches) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  size_t s = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    RvStrandBatch* b = &m->batches[k];
    int vertices = keys[s].vertices, lanes = rv_strand_lanes_from(keys, s, m->nstrand);
    *b = (RvStrandBatch){vertices, lanes, {0}, m->unknowns, m->vertices, m->edges, false};
    rv_strand_fill_lanes(keys, s, lanes, b->strand);
    m->unknowns += (size_t)vertices * 4 * RV_LANES;
    m->vertices += (size_t)vertices * RV_LANES;
    m->edges += (size_t)(vertices - 1) * RV_LANES;
    m->nvertex += (size_t)(vertices * lanes);
    s += (size_t)lanes;
  }
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
  Vertex v = {.before = i > 0 ? rv_strand_def_length(d, i - 1) : 0,
              .after = i + 1 < d->vertices ? rv_strand_def_length(d, i) : 0,
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
  m->damp_stretch[edge] = v->stiffness * RV_STRAND_TROUTON * v->viscosity * section / v->after;
}

// Inner vertex i: stiffness and damping of bending and torsion.
static void fill_bend(RvStrandModel* m, const RvStrandBatch* b, int lane, const RvStrandDef* d, int i,
                      const Vertex* v) {
  size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
  size_t bend = 2 * b->vertex_at + (size_t)(2 * i) * RV_LANES + (size_t)lane;
  const RvStrandSection section = rv_strand_section(v->a, d->ellipse);
  double k = v->stiffness, i1 = section.about_second, i2 = section.about_first, polar = section.polar;
  m->bend[bend] = k * d->youngs * i1 / v->cell;
  m->bend[bend + RV_LANES] = k * d->youngs * i2 / v->cell;
  m->torsion[vertex] = k * d->shear * polar / v->cell;
  m->damp_bend[bend] = k * RV_STRAND_TROUTON * v->viscosity * i1 / v->cell;
  m->damp_bend[bend + RV_LANES] = k * RV_STRAND_TROUTON * v->viscosity * i2 / v->cell;
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

RvResult rv_strand_model_new(const RvStrandDef* strands, size_t count, RvStrandModel** out, RvError* error) {
  *out = NULL;
  static const RvStrandLimits limits = {MIN_VERTICES, MAX_VERTICES, false};
  RvResult result = rv_strand_defs_check(strands, count, &limits, error);
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
