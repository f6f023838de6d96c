// The bulk at the strands (WH-18, 38, 39, spec 1.2.5, 1.2.10 with E48).
//
// A point interpolates with weights w m / M: trilinear weight w times the face's mass m, over their sum M, so that
// faces without liquid do not count. Of the point's drag D the face then has D w m / M, and of the drag of all points m
// R, where R is the sum of D w / M. While the strands step implicitly, the liquid of the face is accelerated too: the
// drag that remains is the share 1 / (1 + dt R) (E48).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"
#include "math/scalar.h"

static const double FLOAT_ROUNDING = 1e-6;  // above the relative rounding of sums of floats
static const double LEAST_FILL = 1e-9;      // of a full cell: less liquid around a point counts as none

typedef struct Sample {
  RvCouple* c;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  double dt;
  double* force;
  const RvRenaud* renaud;  // NULL: a plain liquid
} Sample;

//---------------------------------------------------------------------------------------------- faces

enum { TILES_OF_TASK = 16, STRANDS_OF_TASK = 32 };

typedef struct Faces {
  RvCouple* c;
  const RvLiquidGrid* grid;
  double dt;
} Faces;

// Mass and velocity of the faces near points; faces without liquid have 0.
static void copy_faces(void* arg, size_t begin, size_t end) {
  const Faces* f = arg;
  for (size_t t = begin; t < end; ++t)
    for (int a = 0; a < 3; ++a) {
      size_t home = (size_t)f->c->near_home.data[t] * RV_TILE_CELLS;
      const float* mass = f->grid->mass[a].data + home;
      const float* momentum = f->grid->momentum[a].data + home;
      float* m = f->c->mass.axis[a] + t * RV_TILE_CELLS;
      float* u = f->c->velocity.axis[a] + t * RV_TILE_CELLS;
      for (size_t i = 0; i < RV_TILE_CELLS; ++i) {
        float v = momentum[i] / mass[i];
        bool wet = mass[i] > 0 && isfinite(v);
        m[i] = wet ? mass[i] : 0;
        u[i] = wet ? v : 0;
      }
    }
}

void rv_couple_copy_faces(RvCouple* c, const RvLiquidGrid* grid) {
  rv_parallel_for(c->near.count, TILES_OF_TASK, copy_faces, &(Faces){c, grid, 0});
}

// mass / (1 + dt rate) of the faces near points.
static void find_effective_mass(void* arg, size_t begin, size_t end) {
  const Faces* f = arg;
  const RvCouple* c = f->c;
  for (int a = 0; a < 3; ++a)
    for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i)
      c->effective_mass.axis[a][i] = c->mass.axis[a][i] / (1 + (float)f->dt * c->rate[a].data[i]);
}

void rv_couple_find_effective_mass(RvCouple* c, double dt) {
  rv_parallel_for(c->near.count, TILES_OF_TASK, find_effective_mass, &(Faces){c, NULL, dt});
}

// Clears the sums of some tiles.
static void clear_sums(void* arg, size_t begin, size_t end) {
  const RvCouple* c = arg;
  for (int a = 0; a < 3; ++a) {
    memset(c->volume[a].data + begin * RV_TILE_CELLS, 0, (end - begin) * RV_TILE_CELLS * sizeof(float));
    memset(c->rate[a].data + begin * RV_TILE_CELLS, 0, (end - begin) * RV_TILE_CELLS * sizeof(float));
  }
}

// Room for the face channels; false: no memory.
static bool fit_faces(RvCouple* c) {
  for (int a = 0; a < 3; ++a)
    if (!rv_channel_fit(&c->volume[a], c->near.count) || !rv_channel_fit(&c->rate[a], c->near.count)) return false;
  return rv_couple_take(c, &c->mass) && rv_couple_take(c, &c->velocity) && rv_couple_take(c, &c->effective_mass);
}

//---------------------------------------------------------------------------------------------- volume fraction

// The volume that fibres take up on the grid, for the pressure solve: it is scattered to the faces and divided by dx^3.
static bool give_volume(void* user, size_t point, double* give) {
  const Sample* s = user;
  give[0] = give[1] = give[2] = rv_couple_point_volume(s->c, &s->c->points.data[point]);
  return true;
}

// Adds the volume fractions of some faces.
static void take_volume(void* user, int axis, size_t at, int count, const double* sums, size_t stride,
                        double carry[2]) {
  const Sample* s = user;
  float* volume = s->c->volume[axis].data + at;
  double inverse = 1 / (s->grid->dx * s->grid->dx * s->grid->dx);
  (void)stride;
  (void)carry;
  for (int i = 0; i < count; ++i) volume[i] += (float)(sums[i] * inverse);
}

//---------------------------------------------------------------------------------------------- drag of a point

// Share of the liquid in what fibres leave to it around a point: 1 in full cells; cells in solids (fill < 0) do not
// count.
static double fill_at(const RvCouple* c, const RvCouplePoint* p) {
  RvStencil s = rv_couple_stencil(p, RV_LATTICE_CELLS);
  int64_t at[8];
  double sum = 0, weight = 0;
  rv_couple_stencil_nodes(&s, &c->near, p->tile, at);
  for (int k = 0; k < 8; ++k) {
    double fill = at[k] < 0 ? 0 : (double)c->fill.data[at[k]];
    if (fill >= 0) {
      sum += s.w[k] * fill;
      weight += s.w[k];
    }
  }
  return weight > 0 ? sum / weight : 0;
}

// The liquid around a point.
typedef struct Around {
  double mass[3];      // kg, sum of weight times mass on each axis
  double velocity[3];  // m/s
} Around;

// Interpolates with weights times mass.
static Around interpolate(const Sample* s, const RvCouplePoint* p) {
  const RvCouple* c = s->c;
  Around r;
  for (int a = 0; a < 3; ++a) {
    RvStencil st = rv_couple_stencil(p, a);
    int64_t at[8];
    double mass = 0, momentum = 0;
    rv_couple_stencil_nodes(&st, &s->c->near, p->tile, at);
    for (int k = 0; k < 8; ++k) {
      if (at[k] < 0) continue;
      double m = st.w[k] * (double)c->mass.axis[a][at[k]];
      mass += m;
      momentum += m * (double)c->velocity.axis[a][at[k]];
    }
    r.mass[a] = mass;
    r.velocity[a] = mass > 0 ? momentum / mass : 0;
  }
  return r;
}

// Share of a point that is under water, for the drag: the fill of the space around it. Summed over the section of a
// body of liquid it is the section itself, however few cells wide the body is, so that a jet is braked by as many hairs
// as stand in it. A step of the fill would be right for a pool alone: on the axis of a jet of 1.5 cells the fill is
// 0.7, and half of its section is below 1/2. The surface of a pool lies where cells are half full. The submersion of
// WH-18, which is 1 from RV_COUPLE_FULL on, lies 0.23 cells above it.
static double under_water(double fill) {
  return rv_clamp(fill, 0, 1);
}

// Volume fraction, submersion and drag tensor of a point.
static void measure_point(const Sample* s, const RvCoupleVertex* v, RvVec3 tangent, double factor, RvCouplePoint* p) {
  Around r = interpolate(s, p);
  double t[3] = {tangent.x, tangent.y, tangent.z}, radius = v[0].radius + (double)p->t * (v[1].radius - v[0].radius);
  double least = LEAST_FILL * s->set->density * s->grid->dx * s->grid->dx * s->grid->dx, speed2 = 0, along, across;
  const double* share = &s->c->fibre_share.data[p->edge];
  p->share = (float)(share[0] + (double)p->t * (share[1] - share[0]));
  // Submersion (WH-18), and the share under water.
  double fill = fill_at(s->c, p);
  p->submersion = (float)rv_smooth_step(fill / RV_COUPLE_FULL);
  p->under_water = (float)under_water(fill);
  // Relative speed of the liquid, and the mass around.
  for (int a = 0; a < 3; ++a) {
    bool wet = r.mass[a] > least;
    double du = wet ? r.velocity[a] - (v[0].v[a] + (double)p->t * (v[1].v[a] - v[0].v[a])) : 0;
    speed2 += du * du;
    p->inverse_mass[a] = wet ? (float)(1 / r.mass[a]) : 0;
    p->off_diagonal[a] = 0;
  }
  // Drag tensor across + (along - across) t t^T.
  rv_couple_drag(s->set, s->renaud, (double)p->share, radius, sqrt(speed2), &along, &across);
  double scale = (double)p->length * (double)p->hairs * (double)p->under_water * s->set->drag * factor;
  p->slant = (float)(scale * (along - across));
  for (int a = 0; a < 3; ++a)
    p->drag[a] = p->inverse_mass[a] > 0 ? (float)(scale * (across + (along - across) * t[a] * t[a])) : 0;
}

// Drag of the points of some strands.
static void measure_some(void* arg, size_t begin, size_t end) {
  const Sample* s = arg;
  RvCouple* c = s->c;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* strand = &c->strands.data[k];
    for (int i = 0; i + 1 < strand->count; ++i) {
      const RvCoupleVertex* v = c->vertices.data + strand->first + i;
      size_t first = c->edge_first.data[strand->first + (size_t)i];
      size_t last = c->edge_first.data[strand->first + (size_t)i + 1];
      if (first == last) continue;
      RvVec3 tangent = rv_couple_tangent(v);
      double f0 = rv_couple_at(s->set->drag_at, strand, i);
      double f1 = rv_couple_at(s->set->drag_at, strand, i + 1);
      for (size_t n = first; n < last; ++n) {
        RvCouplePoint* p = &c->points.data[n];
        measure_point(s, v, tangent, fmax(f0 + (double)p->t * (f1 - f0), 0), p);
      }
    }
  }
}

// Drag rate R of the faces: each point gives D w / M.
static bool give_rate(void* user, size_t point, double* give) {
  const Sample* s = user;
  const RvCouplePoint* p = &s->c->points.data[point];
  for (int a = 0; a < 3; ++a) give[a] = (double)p->drag[a] * (double)p->inverse_mass[a];
  return give[0] + give[1] + give[2] > 0;
}

// Adds the drag rates of some faces.
static void take_rate(void* user, int axis, size_t at, int count, const double* sums, size_t stride, double carry[2]) {
  const Sample* s = user;
  float* rate = s->c->rate[axis].data + at;
  (void)stride;
  (void)carry;
  for (int i = 0; i < count; ++i) rate[i] += (float)sums[i];
}

//---------------------------------------------------------------------------------------------- to the vertices

// Sums over the faces of an axis of w m' and w m' u, m' the effective mass.
static void sum_effective(const Sample* s, const RvCouplePoint* p, int axis, double* mass, double* momentum) {
  const RvCouple* c = s->c;
  RvStencil st = rv_couple_stencil(p, axis);
  int64_t at[8];
  *mass = *momentum = 0;
  rv_couple_stencil_nodes(&st, &s->c->near, p->tile, at);
  for (int k = 0; k < 8; ++k) {
    if (at[k] < 0) continue;
    double m = st.w[k] * (double)c->effective_mass.axis[axis][at[k]];
    *mass += m;
    *momentum += m * (double)c->velocity.axis[axis][at[k]];
  }
}

// Sums over the points of a vertex, doubles only (add_part treats them as an array).
typedef struct Sums {
  double length;           // m
  double submersion;       // m, length times submersion
  double under_water;      // m, length times the share under water
  double share;            // m, length times volume fraction of fibres
  double wet_length;       // m of points in liquid
  double u[3];             // m2/s, wet length times velocity of the liquid
  double drag[3];          // kg/s
  double push[3];          // N, drag times velocity of the liquid
  double off_diagonal[3];  // N, off-diagonal drag
} Sums;

// to += part from
static void add_part(Sums* to, const Sums* from, double part) {
  const double* in = (const double*)from;
  double* out = (double*)to;
  for (size_t k = 0; k < sizeof *to / sizeof *out; ++k) out[k] += part * in[k];
}

// Drag of a point (E48). The diagonal of the tensor, with the effective mass of the liquid, is implicit in the strands'
// step. The off-diagonal D_ab sqrt(s_a s_b), s the share m' / m, is explicit: it is always smaller than the diagonal,
// so iterating it from step to step converges.
static Sums point_sums(const Sample* s, const RvCoupleVertex* v, RvVec3 tangent, RvCouplePoint* p) {
  double t[3] = {tangent.x, tangent.y, tangent.z}, mass[3], slip[3], root[3];
  Sums r = {.length = (double)p->length, .submersion = (double)p->length * (double)p->submersion};
  r.under_water = r.length * (double)p->under_water;
  r.share = r.length * (double)p->share;
  r.wet_length = rv_couple_point_wet(p) ? r.length : 0;
  for (int a = 0; a < 3; ++a) {
    double momentum;
    sum_effective(s, p, a, &mass[a], &momentum);
    double rate = (double)p->drag[a] * (double)p->inverse_mass[a];
    double u = mass[a] > 0 ? momentum / mass[a] : 0;
    r.drag[a] = rate * mass[a];
    r.push[a] = rate * momentum;
    r.u[a] = r.wet_length * u;
    root[a] = sqrt((double)p->inverse_mass[a] * mass[a]);
    slip[a] = mass[a] > 0 ? root[a] * (u - (v[0].v[a] + (double)p->t * (v[1].v[a] - v[0].v[a]))) : 0;
  }
  double along = t[0] * slip[0] + t[1] * slip[1] + t[2] * slip[2];
  for (int a = 0; a < 3; ++a) {
    double force = (double)p->slant * t[a] * (along - t[a] * slip[a]) * root[a];
    p->off_diagonal[a] = p->drag[a] > 0 && mass[a] > 0 ? (float)(force / mass[a]) : 0;
    r.off_diagonal[a] = (double)p->off_diagonal[a] * mass[a];
  }
  return r;
}

// Writes the sample of a vertex from its sums.
static void finish_vertex(const Sample* s, const RvCoupleStrand* strand, int i, const Sums* r) {
  RvCouple* c = s->c;
  RvCoupleSample* out = &c->sample;
  size_t packed = strand->first + (size_t)i;
  const RvCoupleVertex* v = &c->vertices.data[packed];
  double u[3], push[3];
  c->wet_length.data[packed] = r->wet_length;
  for (int a = 0; a < 3; ++a) {
    c->sampled_velocity.data[3 * packed + (size_t)a] = v->v[a];
    u[a] = r->wet_length > 0 ? r->u[a] / r->wet_length : 0;
    push[a] = r->drag[a] > 0 ? r->push[a] / r->drag[a] : 0;
  }
  // the points' lengths are floats, so a submersion of 1 is reached within their rounding
  double submersion = v->length > 0 ? r->submersion / v->length : 0;
  rv_couple_put1(out->wet, strand, i, submersion < 1 - FLOAT_ROUNDING ? 1 - submersion : 0);
  rv_couple_put1(out->under_water, strand, i, v->length > 0 ? r->under_water / v->length : 0);
  rv_couple_put1(out->share, strand, i, r->length > 0 ? r->share / r->length : RV_COUPLE_SHARE_LEAST);
  rv_couple_put3(out->velocity, strand, i, rv_vec3_load64(u));
  rv_couple_put3(out->drag, strand, i, rv_vec3_load64(r->drag));
  rv_couple_put3(out->drag_velocity, strand, i, rv_vec3_load64(push));
  if (!s->force) return;
  for (int lane = 0; lane <= strand->last - strand->lane; ++lane)
    for (int a = 0; a < 3; ++a)
      s->force[strand->unknown + (size_t)(4 * i + a) * RV_LANES + (size_t)lane] += r->off_diagonal[a];
}

// Samples of the vertices of some strands: each point belongs to both vertices of its edge by its position.
static void gather_some(void* arg, size_t begin, size_t end) {
  const Sample* s = arg;
  RvCouple* c = s->c;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* strand = &c->strands.data[k];
    Sums here = {0};
    for (int i = 0; i < strand->count; ++i) {
      const RvCoupleVertex* v = c->vertices.data + strand->first + i;
      size_t first = c->edge_first.data[strand->first + (size_t)i];
      size_t last = c->edge_first.data[strand->first + (size_t)i + 1];
      Sums next = {0};
      if (last > first) {
        RvVec3 tangent = rv_couple_tangent(v);
        for (size_t n = first; n < last; ++n) {
          RvCouplePoint* p = &c->points.data[n];
          Sums r = point_sums(s, v, tangent, p);
          add_part(&here, &r, 1 - (double)p->t);
          add_part(&next, &r, (double)p->t);
        }
      }
      finish_vertex(s, strand, i, &here);
      here = next;
    }
  }
}

//---------------------------------------------------------------------------------------------- all of it

// Room for the output arrays; false: no memory.
static bool fit_out(RvCouple* c, const RvStrandModel* m) {
  size_t count = 3 * m->vertices + 3 * m->unknowns, n = c->vertices.count;
  if (!rv_array_resize(&c->out, count) || !rv_array_resize(&c->sampled_velocity, 3 * n) ||
      !rv_array_resize(&c->wet_length, n))
    return false;
  memset(c->out.data, 0, count * sizeof(double));
  c->sample.wet = c->out.data;
  c->sample.under_water = c->sample.wet + m->vertices;
  c->sample.share = c->sample.under_water + m->vertices;
  c->sample.velocity = c->sample.share + m->vertices;
  c->sample.drag = c->sample.velocity + m->unknowns;
  c->sample.drag_velocity = c->sample.drag + m->unknowns;
  return true;
}

// The method: fibres to faces, drag of points, drag rate to faces, everything to vertices. False: no memory.
static bool sample(Sample* s) {
  RvCouple* c = s->c;
  if (!fit_out(c, s->strands->model) || (c->has_points && !fit_faces(c))) return false;
  if (c->has_points) {
    rv_couple_copy_faces(c, s->grid);
    rv_parallel_for(c->near.count, TILES_OF_TASK, clear_sums, c);
    rv_couple_scatter(c, &c->near, 1, give_volume, take_volume, s);
    if (!rv_couple_find_fill(c, s->set, s->grid) || !rv_couple_find_fibre_share(c, s->set, s->grid)) return false;
    rv_parallel_for(c->strands.count, STRANDS_OF_TASK, measure_some, s);
    // cached liquid is not accelerated: its rate stays 0
    if (!s->set->bulk_fixed) rv_couple_scatter(c, &c->near, 1, give_rate, take_rate, s);
    rv_couple_find_effective_mass(c, s->dt);
  }
  rv_parallel_for(c->strands.count, STRANDS_OF_TASK, gather_some, s);
  return true;
}

RvResult rv_couple_sample(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                          const RvLiquidGrid* grid, double dt, double* force, const RvCoupleSample** out,
                          RvError* error) {
  bool plain = !(settings->yield > 0) && (settings->index == 1 || !(settings->index > 0));
  RvRenaud renaud = plain ? (RvRenaud){0} : rv_couple_renaud(settings->index > 0 ? settings->index : 1);
  Sample s = {c, strands, settings, grid, dt, force, plain ? NULL : &renaud};
  RvArenaMark mark = rv_arena_mark(c->scratch);
  c->has_points = c->has_submerged_film = false;
  RvResult result = rv_couple_pack(c, strands, settings, error);
  if (!result && (!(grid->dx > 0) || !(dt > 0) || !isfinite(dt) || !(settings->drag >= 0)))
    result = rv_fail(error, RV_BAD_INPUT, "coupling: dx %g m and dt %g s must be above 0, drag %g not below", grid->dx,
                     dt, settings->drag);
  if (!result) result = rv_couple_points(c, grid, error);
  c->has_points = !result && c->points.count > 0;
  if (!result && !sample(&s))
    result = rv_fail(error, RV_NO_MEMORY, "no memory to couple %zu strands", c->strands.count);
  rv_arena_release(c->scratch, mark);
  if (!result) *out = &c->sample;
  return result;
}
