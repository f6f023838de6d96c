// Drag between the strands and the air around them (air.h, steps 2 to 4).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "continuum/air.h"

enum { BATCHES_A_TASK = 8, TILES_A_TASK = 8 };

//---------------------------------------------------------------------------------------------- stencil

// The faces of an axis around a point, and its trilinear weights.
typedef struct Stencil {
  size_t at[8];
  double w[8];
} Stencil;

static void stencil_of(const RvAir* a, const RvMediumPoint* p, int axis, Stencil* s) {
  int cell[3] = {p->cell & 7, p->cell >> 3 & 7, p->cell >> 6};
  double f[3] = {p->f[0], p->f[1], p->f[2]};
  for (int c = 0; c < 3; ++c) {
    if (c == axis) continue;
    f[c] -= 0.5;
    if (f[c] >= 0) continue;
    f[c] += 1;
    cell[c]--;
  }
  const double x[2] = {1 - f[0], f[0]}, y[2] = {1 - f[1], f[1]}, z[2] = {1 - f[2], f[2]};
  for (int n = 0; n < 8; ++n) s->w[n] = x[n & 1] * y[n >> 1 & 1] * z[n >> 2];
  // most points have all faces in their own tile
  static const size_t step[8] = {0, 1, 8, 9, 64, 65, 72, 73};
  const bool own = cell[0] >= 0 && cell[1] >= 0 && cell[2] >= 0 && cell[0] < 7 && cell[1] < 7 && cell[2] < 7;
  const size_t first = (size_t)p->tile * RV_TILE_CELLS;
  for (int n = 0; n < 8; ++n)
    s->at[n] = own ? first + (size_t)rv_tile_cell(cell[0], cell[1], cell[2]) + step[n]
                   : (size_t)rv_tiles_at(&a->hair.tiles, p->tile, cell[0] + (n & 1), cell[1] + (n >> 1 & 1),
                                         cell[2] + (n >> 2));
}

//---------------------------------------------------------------------------------------------- points of the links

// A step of the links' points.
typedef struct Links {
  RvAir* a;
  const RvAirHair* hair;
  double dt, implicitness;
  double *force, *torque, *line_mass;
  const double* v;  // [vertices][3] after the step
} Links;

// A link with its points.
typedef struct Link {
  size_t point;        // first of them
  size_t vertex;       // of a vector of its inner vertex, in lanes
  size_t link, at;     // of a number and of a vector of the link
  size_t input;        // its inner vertex in the input
  double drag, fibre;  // of a point, kg/s, m3
  double tangent;      // share of the drag that acts along the link
} Link;

typedef void LinkFn(const Links* w, const Link* link);

// Calls `fn` for all links of a range of batches.
static void each_link(const Links* w, size_t begin, size_t end, LinkFn* fn) {
  const RvMedium* m = &w->a->hair;
  const RvAirDef* d = &w->a->def;
  const RvChainModel* model = w->hair->model;
  size_t n = rv_medium_first_point(m, model, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t strand = (size_t)b->strand[lane];
      double hairs = w->hair->multiple ? w->hair->multiple[strand] : 1;
      for (int i = 0; i < b->links; ++i, n += (size_t)m->parts) {
        size_t link = rv_chain_link(b, lane, i, 1, 0);
        const Link own = {.point = n,
                          .vertex = rv_chain_vertex(b, lane, i, 3, 0),
                          .link = link,
                          .at = rv_chain_link(b, lane, i, 3, 0),
                          .input = (w->hair->first ? (size_t)w->hair->first[strand] : 0) + (size_t)i,
                          .drag = hairs * d->drag_normal * model->length[link] / m->parts,
                          .fibre = model->mass[link] / (d->fibre_density * m->parts),
                          .tangent = d->drag_normal > 0 ? d->drag_tangent / d->drag_normal : 1};
        fn(w, &own);
      }
    }
  }
}

// A vector that is linear between both vertices of a link, at one of its points.
static RvVec3 between(const double* values, size_t vertex, double share) {
  return rv_lerp(rv_strand_vector(values, vertex), rv_strand_vector(values, vertex + 3 * RV_LANES), share);
}

static double finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

static RvVec3 wind_of(const Links* w, size_t input) {
  RvVec3 wind = rv_vec3_load64(w->a->def.wind);
  if (!w->hair->wind_at) return wind;
  const float* at = w->hair->wind_at + 3 * input;
  return rv_add(wind, rv_vec3(finite_or_zero(at[0]), finite_or_zero(at[1]), finite_or_zero(at[2])));
}

static void set_points(const Links* w, const Link* l) {
  RvVec3 wind0 = wind_of(w, l->input), wind1 = wind_of(w, l->input + 1);
  const int parts = w->a->hair.parts;
  for (int part = 0; part < parts; ++part) {
    double share = (part + 0.5) / parts;
    RvVec3 over = rv_sub(between(w->hair->v, l->vertex, share), rv_lerp(wind0, wind1, share));
    w->a->points.data[l->point + (size_t)part] = (RvAirPoint){.drag = l->drag, .fibre = l->fibre, .over = over};
  }
}

static void set_batches(void* arg, size_t begin, size_t end) {
  each_link(arg, begin, end, set_points);
}

//---------------------------------------------------------------------------------------------- to the faces

typedef struct Sum {
  RvAir* a;
  size_t first;  // tiles of this colour begin here
  bool payment;  // impulses are taken from the air; else drag and volume are summed
} Sum;

static void add_hair(RvAir* a, const RvAirPoint* p, int axis, const Stencil* s) {
  const double over[3] = {p->over.x, p->over.y, p->over.z};
  for (int n = 0; n < 8; ++n) {
    a->drag[axis].data[s->at[n]] += s->w[n] * p->drag;
    a->pull[axis].data[s->at[n]] += s->w[n] * p->drag * over[axis];
    a->fibre[axis].data[s->at[n]] += s->w[n] * p->fibre;
  }
}

// Sum over the faces of weight times what the drag leaves of itself, g.
static double felt(const RvAir* a, int axis, const Stencil* s) {
  double sum = 0;
  for (int n = 0; n < 8; ++n) sum += s->w[n] * a->drag[axis].data[s->at[n]];
  return sum;
}

static void take_impulse(RvAir* a, const RvAirPoint* p, int axis, const Stencil* s) {
  const double impulse[3] = {p->impulse.x, p->impulse.y, p->impulse.z};
  double sum = p->felt[axis], change = sum > 0 ? impulse[axis] / (sum * rv_air_face_mass(a)) : 0;
  for (int n = 0; n < 8; ++n) a->w[axis].data[s->at[n]] -= change * s->w[n] * a->drag[axis].data[s->at[n]];
}

// Tiles of a colour share no face: their neighbours' faces that they write to are on different sides.
static void sum_tiles(void* arg, size_t begin, size_t end) {
  const Sum* f = arg;
  RvAir* a = f->a;
  for (size_t k = begin; k < end; ++k) {
    const RvMediumTile* t = &a->hair.occupied.data[f->first + k];
    for (size_t i = t->first; i < t->last; ++i) {
      const RvMediumPoint* p = &a->hair.points.data[a->hair.order.data[i]];
      const RvAirPoint* own = &a->points.data[a->hair.order.data[i]];
      for (int axis = 0; axis < 3; ++axis) {
        Stencil s;
        stencil_of(a, p, axis, &s);
        if (f->payment)
          take_impulse(a, own, axis, &s);
        else
          add_hair(a, own, axis, &s);
      }
    }
  }
}

static void sum_points(RvAir* a, bool payment) {
  Sum s = {a, 0, payment};
  for (int colour = 0; colour < RV_MEDIUM_COLOURS; ++colour) {
    s.first = a->hair.tile_colour[colour];
    rv_parallel_for(a->hair.tile_colour[colour + 1] - s.first, 1, sum_tiles, &s);
  }
}

RvResult rv_air_sum_hair(RvAir* a, const RvAirHair* hair, RvError* error) {
  Links w = {.a = a, .hair = hair};
  if (!rv_array_resize(&a->points, a->hair.points.count))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the air around the hair");
  rv_parallel_for(hair->model->nbatch, BATCHES_A_TASK, set_batches, &w);
  for (int k = 0; k < 3; ++k) {
    size_t bytes = a->drag[k].count * sizeof(double);
    memset(a->drag[k].data, 0, bytes);
    memset(a->pull[k].data, 0, bytes);
    memset(a->fibre[k].data, 0, bytes);
  }
  sum_points(a, false);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- back to the links

// The share of its drag that a point feels: returns the mean over the axes, and writes that of each to `felt_by`.
// `target` is the velocity, over the wind, of the air that drags it. Where a solid closes all faces of an axis there is
// no air, and the mean is 0.
static double air_of(const RvAir* a, const RvMediumPoint* p, double felt_by[3], double target[3]) {
  double mean = 0;
  bool closed = false;
  for (int axis = 0; axis < 3; ++axis) {
    Stencil s;
    double sum = 0;
    stencil_of(a, p, axis, &s);
    for (int n = 0; n < 8; ++n) sum += s.w[n] * a->drag[axis].data[s.at[n]] * a->w[axis].data[s.at[n]];
    double share = felt(a, axis, &s);
    felt_by[axis] = share;
    target[axis] = share > 0 ? sum / share : 0;
    closed |= !(share > 0);
    mean += share / 3;
  }
  return closed ? 0 : mean;
}

// Force of the air on the points of a link, and the implicit mass of it.
static void load_link(const Links* w, const Link* l) {
  RvAir* a = w->a;
  const int parts = a->hair.parts;
  RvVec3 arm = rv_sub(rv_strand_vector(w->hair->x, l->vertex + 3 * RV_LANES), rv_strand_vector(w->hair->x, l->vertex));
  RvVec3 along = rv_normalize(arm, rv_vec3(0, 0, 0)), force = {0}, lever = {0};
  double added = 0;
  for (int part = 0; part < parts; ++part) {
    const RvMediumPoint* p = &a->hair.points.data[l->point + (size_t)part];
    RvAirPoint* own = &a->points.data[l->point + (size_t)part];
    double target[3];
    if (p->tile == RV_MEDIUM_NOWHERE) {
      own->drag = 0;
      continue;
    }
    double drag = l->drag * air_of(a, p, own->felt, target);
    RvVec3 f = rv_scale(rv_sub(rv_vec3_load64(target), own->over), drag);
    f = rv_mad(f, -(1 - l->tangent) * rv_dot(along, f), along);
    own->impulse = rv_scale(f, w->dt);
    own->drag = w->implicitness * w->dt * drag;
    added += own->drag;
    force = rv_add(force, f);
    lever = rv_mad(lever, (part + 0.5) / parts, f);
  }
  rv_strand_set_vector(w->force, l->at, rv_add(rv_strand_vector(w->force, l->at), force));
  rv_strand_set_vector(w->torque, l->at, rv_add(rv_strand_vector(w->torque, l->at), rv_cross(arm, lever)));
  w->line_mass[l->link] += added;
}

static void load_batches(void* arg, size_t begin, size_t end) {
  const Links* w = arg;
  each_link(w, begin, end, load_link);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &w->hair->model->batches[k];
    rv_medium_repeat_lane(w->force, b, 3);
    rv_medium_repeat_lane(w->torque, b, 3);
    rv_medium_repeat_lane(w->line_mass, b, 1);
  }
}

void rv_air_load_hair(RvAir* a, const RvAirHair* hair, double dt, double implicitness, double* force, double* torque,
                      double* line_mass) {
  Links w = {.a = a,
             .hair = hair,
             .dt = dt,
             .implicitness = implicitness,
             .force = force,
             .torque = torque,
             .line_mass = line_mass};
  rv_parallel_for(hair->model->nbatch, BATCHES_A_TASK, load_batches, &w);
}

//---------------------------------------------------------------------------------------------- reaction

// Less what the implicit mass of the link, which is spread evenly, resisted while the link changed its velocity. Points
// outside of the air have none.
static void finish_link(const Links* w, const Link* l) {
  RvAir* a = w->a;
  const int parts = a->hair.parts;
  double added = 0;
  int within = 0;
  RvVec3 middle = rv_sub(between(w->v, l->vertex, 0.5), between(w->hair->v, l->vertex, 0.5));
  for (int part = 0; part < parts; ++part) {
    const RvAirPoint* own = &a->points.data[l->point + (size_t)part];
    added += own->drag;
    within += own->drag > 0;
  }
  for (int part = 0; part < parts; ++part) {
    RvAirPoint* own = &a->points.data[l->point + (size_t)part];
    if (own->drag > 0) own->impulse = rv_mad(own->impulse, -added / within, middle);
  }
}

static void finish_batches(void* arg, size_t begin, size_t end) {
  each_link(arg, begin, end, finish_link);
}

void rv_air_pay_back(RvAir* a, const RvAirHair* hair, const double* v, double dt) {
  Links w = {.a = a, .hair = hair, .dt = dt, .v = v};
  rv_parallel_for(hair->model->nbatch, BATCHES_A_TASK, finish_batches, &w);
  sum_points(a, true);
}
