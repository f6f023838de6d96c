// The edges at the start of a step: positions, velocities, tangents and search extents (RvSegments).
#include <math.h>

#include "base/parallel.h"
#include "contact/store.h"
#include "math/scalar.h"

enum { CHUNKS = 64 };  // chunks of strands; fixed, so that sums do not depend on the number of threads
// Mean edge lengths by which an edge may move against its surroundings in a step. Faster edges are clipped and counted,
// as the number of pairs would otherwise be unbounded.
static const double MAX_SWEEP = 0.35;
static const double REGULARISATION = 1e-6;  // of the trace of the covariance: makes flat and straight sets solvable
// d0: distance up to which strands count as joined, as in E47. At 1, strands that start at d0 would or would not be
// bridged by the rounding of their positions.
static const double TOUCHING = 1.05;

// Rigid part of the affine velocity field that fits all vertices best. Motion with it, as of the hair on a turning
// head, does not change distances; the remainder of the velocities does.
typedef struct Flow {
  RvVec3 x, v;  // means, m, m/s
  RvVec3 spin;  // rad/s
} Flow;

// Sums over vertices.
typedef struct Moments {
  double n, x[3], v[3], xx[6], vx[9], length, film;
  RvVec3 lo, hi;
} Moments;

typedef struct Fill {
  RvContacts* c;
  const double *q, *velocity;
  const RvContactDef* def;
  double dt;
  RvVec3 origin;
  size_t grain;
  Moments* moments;
  Flow flow;
  size_t clipped[CHUNKS];
} Fill;

static RvVec3 load3(const double* p) {
  return rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
}

static RvVec3 min3(RvVec3 a, RvVec3 b) {
  return rv_vec3(rv_min(a.x, b.x), rv_min(a.y, b.y), rv_min(a.z, b.z));
}

static RvVec3 max3(RvVec3 a, RvVec3 b) {
  return rv_vec3(rv_max(a.x, b.x), rv_max(a.y, b.y), rv_max(a.z, b.z));
}

// Adds a vertex at p with velocity w.
static void add_moments(Moments* m, RvVec3 p, RvVec3 w) {
  double x[3] = {p.x, p.y, p.z}, v[3] = {w.x, w.y, w.z};
  m->n += 1;
  for (int i = 0, k = 0; i < 3; ++i) {
    m->x[i] += x[i];
    m->v[i] += v[i];
    for (int j = 0; j <= i; ++j) m->xx[k++] += x[i] * x[j];
    for (int j = 0; j < 3; ++j) m->vx[3 * i + j] += v[i] * x[j];
  }
}

// Film area and tension factor of a vertex (WH-18); returns their sum, which shows numbers that are not finite.
static double gather_film(const Fill* f, size_t at, size_t vertex) {
  const RvContactWet* wet = f->def->liquid;
  RvSegments* s = &f->c->segments;
  s->area[at] = rv_max(wet->area[vertex], 0);
  s->tension_factor[at] =
      wet->cohesion * (wet->wet ? wet->wet[vertex] : 1) * (wet->stronger ? wet->stronger[vertex] : 1);
  return wet->area[vertex] + s->tension_factor[at];
}

// Unpacks some chunks of strands from the blocks and sums their moments.
static void gather_strands(void* arg, size_t begin, size_t end) {
  Fill* f = arg;
  RvContacts* c = f->c;
  RvSegments* s = &c->segments;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Moments* m = &f->moments[chunk];
    *m = (Moments){.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}};
    size_t last = (chunk + 1) * f->grain < c->nstrand ? (chunk + 1) * f->grain : c->nstrand;
    for (size_t k = chunk * f->grain; k < last; ++k) {
      const RvContactStrand* strand = &c->strands[k];
      const RvStrandBatch* b = &c->model->batches[strand->batch];
      size_t at = strand->first + k;
      for (int i = 0; i < b->vertices; ++i, ++at) {
        // Position, velocity, radius and film.
        size_t place = rv_contact_unknown(c, strand, (size_t)i);
        s->x[at] = load3(f->q + place);
        s->v[at] = load3(f->velocity + place);
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)strand->lane;
        s->radius[at] = c->model->radius[vertex];
        if (c->wet) m->film += gather_film(f, at, vertex);
        // Sums.
        add_moments(m, rv_sub(s->x[at], f->origin), s->v[at]);
        m->lo = min3(m->lo, s->x[at]);
        m->hi = max3(m->hi, s->x[at]);
        if (i > 0) m->length += rv_distance(s->x[at - 1], s->x[at]);
      }
    }
  }
}

// Sum over the chunks, in their order.
static Moments sum_moments(const Moments* part, size_t count) {
  Moments sum = part[0];
  for (size_t k = 1; k < count; ++k) {
    sum.n += part[k].n;
    sum.length += part[k].length;
    sum.film += part[k].film;
    for (int i = 0; i < 3; ++i) {
      sum.x[i] += part[k].x[i];
      sum.v[i] += part[k].v[i];
    }
    for (int i = 0; i < 6; ++i) sum.xx[i] += part[k].xx[i];
    for (int i = 0; i < 9; ++i) sum.vx[i] += part[k].vx[i];
    sum.lo = min3(sum.lo, part[k].lo);
    sum.hi = max3(sum.hi, part[k].hi);
  }
  return sum;
}

// Least-squares fit of an affine velocity field, of which the rotation is kept.
static Flow fit_flow(const Moments* m, RvVec3 origin) {
  // Means, covariance of positions, and covariance of velocities with positions.
  double n = m->n, x[3], v[3], a[3][3], w[3][3];
  for (int i = 0; i < 3; ++i) {
    x[i] = m->x[i] / n;
    v[i] = m->v[i] / n;
  }
  for (int i = 0, k = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j, ++k) a[i][j] = a[j][i] = m->xx[k] / n - x[i] * x[j];
    for (int j = 0; j < 3; ++j) w[i][j] = m->vx[3 * i + j] / n - v[i] * x[j];
  }
  double trace = a[0][0] + a[1][1] + a[2][2];
  Flow flow = {.x = rv_add(origin, rv_vec3_load64(x)), .v = rv_vec3_load64(v)};
  for (int i = 0; i < 3; ++i) a[i][i] += REGULARISATION * trace;
  RvMat3 cov = {{rv_vec3_load64(a[0]), rv_vec3_load64(a[1]), rv_vec3_load64(a[2])}};
  double det = rv_mat3_det(cov);
  if (!(det > 0)) return flow;
  // velocity gradient = w cov^-1; its curl is twice the spin
  RvMat3 inverse = rv_mat3_adjugate(cov), slope;
  for (int k = 0; k < 3; ++k) {
    RvVec3 column = rv_scale(inverse.c[k], 1 / det);
    slope.c[k] = rv_vec3(rv_dot(rv_vec3_load64(w[0]), column), rv_dot(rv_vec3_load64(w[1]), column),
                         rv_dot(rv_vec3_load64(w[2]), column));
  }
  RvVec3 spin =
      rv_scale(rv_vec3(slope.c[1].z - slope.c[2].y, slope.c[2].x - slope.c[0].z, slope.c[0].y - slope.c[1].x), 0.5);
  if (rv_vec3_finite(spin)) flow.spin = spin;
  return flow;
}

// Velocity relative to the flow.
static RvVec3 relative_velocity(const Flow* flow, RvVec3 x, RvVec3 v) {
  return rv_sub(v, rv_add(flow->v, rv_cross(flow->spin, rv_sub(x, flow->x))));
}

// Motion of an edge along an axis in the step, by the faster of its ends.
static double sweep(const Fill* f, double a, double b) {
  return f->dt * rv_max(fabs(a), fabs(b));
}

// H of WH-11: radius of strand and film, at least TOUCHING halves of d0, so that strands in equilibrium at d0 have
// touching films.
static double height_of(const Fill* f, size_t e, size_t at) {
  const RvSegments* s = &f->c->segments;
  double r = s->radius[at];
  // among many bridges only neighbours near enough to get a share of the film count
  double h = rv_min(sqrt(s->area[at] * (1 / RV_PI) + r * r), f->c->bridge_range[e] * f->def->reach * r);
  return rv_max(h, TOUCHING * f->def->reach * r);
}

// Plane normals of a strand: the mean tangent of both edges at each vertex; at an end that edge's own.
static void set_planes(const RvSegments* s, size_t strand, size_t first, size_t last) {
  for (size_t e = first; e <= last; ++e)
    s->plane[e + strand] = e == first  ? s->tangent[e]
                           : e == last ? s->tangent[e - 1]
                                       : rv_normalize(rv_add(s->tangent[e], s->tangent[e - 1]), s->tangent[e]);
}

// Tangents, lengths, heights and search extents of some chunks of strands.
static void set_extents(void* arg, size_t begin, size_t end) {
  Fill* f = arg;
  RvContacts* c = f->c;
  RvSegments* s = &c->segments;
  double cap = MAX_SWEEP * s->mean_length;
  double base = f->def->reach * (1 + f->def->margin) * (1 + rv_min(1, rv_length(f->flow.spin) * f->dt));
  // half of the distance that one of a pair may fall while the other is supported
  RvVec3 fall = rv_scale(f->def->acceleration, 0.5 * f->dt * f->dt);
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * f->grain < c->nstrand ? (chunk + 1) * f->grain : c->nstrand;
    size_t clipped = 0;
    for (size_t k = chunk * f->grain; k < last; ++k) {
      for (size_t e = c->strands[k].first; e < c->strands[k + 1].first; ++e) {
        size_t at = e + k;
        RvVec3 v = relative_velocity(&f->flow, s->x[at], s->v[at]);
        RvVec3 w = relative_velocity(&f->flow, s->x[at + 1], s->v[at + 1]);
        // Geometry of the edge.
        RvVec3 d = rv_sub(s->x[at + 1], s->x[at]);
        s->tangent[e] = rv_normalize(d, rv_vec3(0, 0, 0));
        s->edge_length[e] = rv_length(d);
        s->edge_radius[e] = rv_max(s->radius[at], s->radius[at + 1]);
        if (c->wet) s->film[e] = rv_max(s->area[at], s->area[at + 1]);
        // Its search extent: reach of forces and films, fall, and relative motion.
        double x = sweep(f, v.x, w.x), y = sweep(f, v.y, w.y), z = sweep(f, v.z, w.z);
        double r = base * s->edge_radius[e];
        if (c->wet) {
          s->height[e] = rv_max(height_of(f, e, at), height_of(f, e, at + 1));
          r = rv_max(r, s->height[e]);
        }
        clipped += x > cap || y > cap || z > cap;
        s->search_extent[e] = rv_vec3(r + fabs(fall.x) + rv_min(x, cap), r + fabs(fall.y) + rv_min(y, cap),
                                      r + fabs(fall.z) + rv_min(z, cap));
      }
      set_planes(s, k, c->strands[k].first, c->strands[k + 1].first);
    }
    f->clipped[chunk] = clipped;
  }
}

RvResult rv_contact_segments_fill(RvContacts* c, const double* q, const double* velocity, double dt,
                                  const RvContactDef* def, RvContactStats* stats, RvError* error) {
  Moments moments[CHUNKS];
  size_t grain = (c->nstrand + CHUNKS - 1) / CHUNKS;
  size_t chunks = (c->nstrand + grain - 1) / grain;
  Fill f = {.c = c, .q = q, .velocity = velocity, .def = def, .dt = dt, .grain = grain, .moments = moments};
  f.origin = load3(q + rv_contact_unknown(c, &c->strands[0], 0));
  rv_parallel_for(chunks, 1, gather_strands, &f);
  Moments sum = sum_moments(moments, chunks);
  // A sum is not finite if any of its numbers is not.
  for (int k = 0; k < 3; ++k)
    if (!isfinite(sum.x[k]) || !isfinite(sum.v[k]) || !isfinite(sum.length))
      return rv_fail(error, RV_BAD_INPUT, "contacts: a strand's position or velocity is not a finite number");
  if (!isfinite(sum.film))
    return rv_fail(error, RV_BAD_INPUT, "contacts: the film or the cohesion of a strand is not a finite number");
  c->segments.mean_length = sum.length / (double)c->nedge;
  c->segments.lo = sum.lo;
  c->segments.hi = sum.hi;
  f.flow = fit_flow(&sum, f.origin);
  if (c->wet && !rv_contact_wet_bridge_ranges(c, def))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for the liquid between strands");
  rv_parallel_for(chunks, 1, set_extents, &f);
  for (size_t k = 0; k < chunks; ++k) stats->clipped += f.clipped[k];
  stats->segments = c->nedge;
  return RV_OK;
}
