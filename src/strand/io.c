// The state of the strands as attributes of a detail and back, bit for bit. The solver stores strands in SIMD lanes,
// the detail by point. Tangents are not saved: the kernel of the step computes them from the positions.
#include "strand/io.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec.h"

const RvFieldDef rv_strand_fields[RV_STRAND_FIELD_COUNT] = {RV_STRAND_FIELDS("")};

//---------------------------------------------------------------------------------------------- lanes

// Layout of an element of rv_rest: rest length, natural length, rest twist, four rest curvatures.
enum { REST_LENGTH = 0, REST_NATURAL_LENGTH = 1, REST_TWIST = 2, REST_CURVATURE = 3, REST_NUMBERS = 7 };

// Both sides of a copy between the detail's attributes and the lanes.
typedef struct Copy {
  const RvStrandSet* set;
  RvStrandModel* model;
  RvStrandState* state;
  double rate;  // as in RvStrandGlobals
  // attributes of the detail, by point: rv_x, rv_v, rv_xbefore, rv_vbefore, rv_angle, rv_director, rv_twist, rv_rest
  double *x, *v, *x_before, *v_before, *angle, *director, *twist, *rest;
  float *P, *V;  // rounded copies of x and v in scene units
} Copy;

// Copies the points of one strand to its lane.
static void load_lane(const Copy* c, const RvStrandBatch* b, int lane) {
  RvStrandState* s = c->state;
  const int32_t* points = c->set->point + c->set->first[b->strand[lane]];
  double unit = c->set->metersperunit;
  for (int i = 0; i < b->vertices; ++i) {
    size_t p = (size_t)points[i];
    size_t row = (size_t)i * RV_LANES + (size_t)lane;
    // Position and velocity, and those of one step before.
    for (int k = 0; k < 3; ++k) {
      size_t at = rv_strand_index(b, lane, i, k);
      s->q[at] = c->x[3 * p + (size_t)k] * unit;
      s->v[at] = c->v[3 * p + (size_t)k];
      s->q_before[at] = c->x_before[3 * p + (size_t)k] * unit;
      s->v_before[at] = c->v_before[3 * p + (size_t)k];
    }
    // Angle of the material frame.
    size_t at = rv_strand_index(b, lane, i, 3);
    s->q[at] = c->angle[4 * p];
    s->v[at] = c->angle[4 * p + 1];
    s->q_before[at] = c->angle[4 * p + 2];
    s->v_before[at] = c->angle[4 * p + 3];
    // Twist and rest strains of the vertex, then of the edge after it.
    const double* rest = c->rest + REST_NUMBERS * p;
    s->reference_twist[b->vertex_at + row] = c->twist[p];
    c->model->rest_twist[b->vertex_at + row] = rest[REST_TWIST];
    for (size_t k = 0; k < 4; ++k)
      c->model->rest_curvature[4 * b->vertex_at + ((size_t)(4 * i) + k) * RV_LANES + (size_t)lane] =
          rest[REST_CURVATURE + k];
    if (i + 1 == b->vertices) continue;
    c->model->rest_length[b->edge_at + row] = rest[REST_LENGTH];
    for (size_t k = 0; k < 3; ++k)
      s->director[3 * b->edge_at + ((size_t)(3 * i) + k) * RV_LANES + (size_t)lane] = c->director[3 * p + k];
  }
}

// Vector whose components are one lane of three consecutive rows.
static RvVec3 lane_vector(const double* a, size_t at) {
  return rv_vec3(a[at], a[at + RV_LANES], a[at + 2 * RV_LANES]);
}

// Recomputes the tangents and makes the directors orthogonal to them: an artist may have moved points, and rounding
// errors accumulate over a shot.
static void orthogonalize_directors(const RvStrandBatch* b, RvStrandState* s) {
  RvRodBatch rod = {.vertices = b->vertices,
                    .tangent = s->tangent + 3 * b->edge_at,
                    .director = s->director + 3 * b->edge_at,
                    .reference_twist = s->reference_twist + b->vertex_at};
  rv_strand_rod_strain(&rod, s->q + b->at, &(RvRodStrain){.tangent = s->tangent + 3 * b->edge_at});
  for (int j = 0; j + 1 < b->vertices; ++j)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t at = 3 * b->edge_at + (size_t)(3 * j) * RV_LANES + (size_t)lane;
      RvVec3 t = lane_vector(s->tangent, at), u = lane_vector(s->director, at);
      u = rv_normalize(rv_mad(u, -rv_dot(u, t), t), rv_perpendicular(t));
      s->director[at] = u.x;
      s->director[at + RV_LANES] = u.y;
      s->director[at + 2 * RV_LANES] = u.z;
    }
}

// Body of the parallel loop of rv_strands_load.
static void load_batches(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) load_lane(c, b, lane);
    orthogonalize_directors(b, c->state);
  }
}

// Copies the lane of one strand to its points.
static void save_lane(const Copy* c, const RvStrandBatch* b, int lane) {
  const RvStrandState* s = c->state;
  const int32_t* points = c->set->point + c->set->first[b->strand[lane]];
  const double* natural_length = c->set->defs[b->strand[lane]].length;
  const double* origin = c->set->origin;
  double unit = c->set->metersperunit;
  for (int i = 0; i < b->vertices; ++i) {
    size_t p = (size_t)points[i];
    size_t row = (size_t)i * RV_LANES + (size_t)lane;
    // Position and velocity, those of one step before, and the rounded copies.
    for (size_t k = 0; k < 3; ++k) {
      size_t at = rv_strand_index(b, lane, i, (int)k);
      c->x[3 * p + k] = s->q[at] / unit;
      c->v[3 * p + k] = s->v[at];
      c->x_before[3 * p + k] = s->q_before[at] / unit;
      c->v_before[3 * p + k] = s->v_before[at];
      c->P[3 * p + k] = (float)(origin[k] + c->x[3 * p + k]);
      c->V[3 * p + k] = (float)(s->v[at] * c->rate);
    }
    // Angle of the material frame.
    size_t at = rv_strand_index(b, lane, i, 3);
    c->angle[4 * p] = s->q[at];
    c->angle[4 * p + 1] = s->v[at];
    c->angle[4 * p + 2] = s->q_before[at];
    c->angle[4 * p + 3] = s->v_before[at];
    // Twist and rest strains of the vertex, then of the edge after it.
    double* rest = c->rest + REST_NUMBERS * p;
    c->twist[p] = s->reference_twist[b->vertex_at + row];
    rest[REST_TWIST] = c->model->rest_twist[b->vertex_at + row];
    for (size_t k = 0; k < 4; ++k)
      rest[REST_CURVATURE + k] =
          c->model->rest_curvature[4 * b->vertex_at + ((size_t)(4 * i) + k) * RV_LANES + (size_t)lane];
    if (i + 1 == b->vertices) continue;
    rest[REST_LENGTH] = c->model->rest_length[b->edge_at + row];
    if (natural_length) rest[REST_NATURAL_LENGTH] = natural_length[i];
    for (size_t k = 0; k < 3; ++k)
      c->director[3 * p + k] = s->director[3 * b->edge_at + ((size_t)(3 * i) + k) * RV_LANES + (size_t)lane];
  }
}

// Body of the parallel loop of rv_strands_save.
static void save_batches(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  for (size_t k = begin; k < end; ++k)
    for (int lane = 0; lane < c->model->batches[k].lanes; ++lane) save_lane(c, &c->model->batches[k], lane);
}

//---------------------------------------------------------------------------------------------- load and save

RvResult rv_strands_load_globals(const RvDetail* state, RvStrandGlobals* out, RvError* error) {
  const double* origin = rv_detail_f64(state, RV_GLOBAL, "rv_origin", 3);
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  const double* carry = rv_detail_f64(state, RV_GLOBAL, "rv_carry", 9);
  const int32_t* before = rv_detail_i32(state, RV_GLOBAL, "rv_hasbefore", 1);
  if (!origin || !dt || !carry || !before) return rv_fail(error, RV_BAD_INPUT, "the state lacks a detail attribute");
  *out = (RvStrandGlobals){.dt = dt[0], .rate = dt[1], .has_before = before[0] != 0};
  memcpy(out->origin, origin, sizeof out->origin);
  memcpy(out->carry, carry, sizeof out->carry);
  for (int i = 0; i < 9; ++i)
    if (!isfinite(carry[i]) || !isfinite(origin[i % 3]) || !isfinite(dt[0] + dt[1]))
      return rv_fail(error, RV_BAD_INPUT, "the state's rv_origin, rv_dt or rv_carry is not a number");
  return RV_OK;
}

static bool all_finite(const double* a, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(a[i])) return false;
  return true;
}

// Whether every number that was loaded is finite.
static bool loaded_is_finite(const RvStrandState* s, const RvStrandModel* model) {
  return all_finite(s->q, model->unknowns) && all_finite(s->v, model->unknowns) &&
         all_finite(s->q_before, model->unknowns) && all_finite(s->v_before, model->unknowns) &&
         all_finite(model->rest_curvature, 4 * model->vertices) && all_finite(model->rest_twist, model->vertices) &&
         all_finite(model->rest_length, model->edges);
}

RvResult rv_strands_load(const RvDetail* d, const RvStrandSet* set, RvStrandModel* model, RvStrandState** out,
                         RvError* error) {
  *out = NULL;
  Copy c = {.set = set, .model = model};
  // The attributes, opened for reading only: writing would copy shared data.
  const double* arrays[] = {rv_detail_f64(d, RV_POINT, "rv_x", 3),       rv_detail_f64(d, RV_POINT, "rv_v", 3),
                            rv_detail_f64(d, RV_POINT, "rv_xbefore", 3), rv_detail_f64(d, RV_POINT, "rv_vbefore", 3),
                            rv_detail_f64(d, RV_POINT, "rv_angle", 4),   rv_detail_f64(d, RV_POINT, "rv_director", 3),
                            rv_detail_f64(d, RV_POINT, "rv_twist", 1),   rv_detail_f64(d, RV_POINT, "rv_rest", 7)};
  double** members[] = {&c.x, &c.v, &c.x_before, &c.v_before, &c.angle, &c.director, &c.twist, &c.rest};
  for (int i = 0; i < 8; ++i) {
    if (!arrays[i]) return rv_fail(error, RV_BAD_INPUT, "the state lacks a point attribute of the strands");
    *members[i] = (double*)arrays[i];
  }
  // Copy to the lanes, and refuse damaged numbers.
  RvStrandState* s = rv_strand_state_alloc(model);
  if (!s) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", set->count);
  c.state = s;
  rv_parallel_for(model->nbatch, 1, load_batches, &c);
  if (!loaded_is_finite(s, model)) {
    rv_strand_state_free(s);
    return rv_fail(error, RV_BAD_INPUT,
                   "the state of the strands has values that are not numbers; start again from the inputs");
  }
  *out = s;
  return RV_OK;
}

RvResult rv_strands_save(const RvStrandSet* set, const RvStrandModel* model, const RvStrandState* state,
                         const RvStrandGlobals* globals, RvDetail* d, RvError* error) {
  // Attributes by point.
  Copy c = {.set = set, .model = (RvStrandModel*)model, .state = (RvStrandState*)state, .rate = globals->rate};
  c.x = rv_detail_f64_write(d, RV_POINT, "rv_x", 3, error);
  c.v = rv_detail_f64_write(d, RV_POINT, "rv_v", 3, error);
  c.x_before = rv_detail_f64_write(d, RV_POINT, "rv_xbefore", 3, error);
  c.v_before = rv_detail_f64_write(d, RV_POINT, "rv_vbefore", 3, error);
  c.angle = rv_detail_f64_write(d, RV_POINT, "rv_angle", 4, error);
  c.director = rv_detail_f64_write(d, RV_POINT, "rv_director", 3, error);
  c.twist = rv_detail_f64_write(d, RV_POINT, "rv_twist", 1, error);
  c.rest = rv_detail_f64_write(d, RV_POINT, "rv_rest", 7, error);
  c.P = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  c.V = rv_detail_f32_write(d, RV_POINT, "v", 3, error);
  // Attributes of the detail.
  double* origin = rv_detail_f64_write(d, RV_GLOBAL, "rv_origin", 3, error);
  double* dt = rv_detail_f64_write(d, RV_GLOBAL, "rv_dt", 2, error);
  double* carry = rv_detail_f64_write(d, RV_GLOBAL, "rv_carry", 9, error);
  int32_t* before = rv_detail_i32_write(d, RV_GLOBAL, "rv_hasbefore", 1, error);
  if (!c.x || !c.v || !c.x_before || !c.v_before || !c.angle || !c.director || !c.twist || !c.rest || !c.P || !c.V ||
      !origin || !dt || !carry || !before)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the state of %zu strands", set->count);
  // The numbers.
  memcpy(origin, globals->origin, sizeof globals->origin);
  memcpy(carry, globals->carry, sizeof globals->carry);
  dt[0] = globals->dt;
  dt[1] = globals->rate;
  *before = globals->has_before;
  rv_parallel_for(model->nbatch, 1, save_batches, &c);
  return RV_OK;
}

// Velocities whose rounded copy differs from V take the value of V. Returns how many points were changed.
static size_t reconcile_velocities(const float* V, double rate, size_t count, double* v) {
  size_t edited = 0;
  for (size_t i = 0; rate > 0 && i < count; ++i) {
    bool changed = false;
    for (size_t k = 3 * i; k < 3 * i + 3; ++k) {
      if ((float)(v[k] * rate) == V[k] || isnan(V[k])) continue;
      v[k] = V[k] / rate;
      changed = true;
    }
    edited += changed;
  }
  return edited;
}

RvResult rv_strands_reconcile(RvDetail* state, size_t* edited, RvError* error) {
  *edited = 0;
  RvStrandGlobals g;
  RvResult result = rv_strands_load_globals(state, &g, error);
  if (result) return result;
  size_t count = rv_detail_count(state, RV_POINT);
  const float* P = rv_detail_f32(state, RV_POINT, "P", 3);
  const float* V = rv_detail_f32(state, RV_POINT, "v", 3);
  const double* x = rv_detail_f64(state, RV_POINT, "rv_x", 3);
  const double* v = rv_detail_f64(state, RV_POINT, "rv_v", 3);
  if (!P || !V || !x || !v) return RV_OK;
  // Look for an edit first: opening the attributes for writing would copy shared data.
  bool differs = false;
  for (size_t i = 0; i < 3 * count && !differs; ++i)
    differs = (float)(g.origin[i % 3] + x[i]) != P[i] || (g.rate > 0 && (float)(v[i] * g.rate) != V[i]);
  if (!differs) return RV_OK;
  // Take the edits over.
  double* position = rv_detail_f64_write(state, RV_POINT, "rv_x", 3, error);
  double* velocity = rv_detail_f64_write(state, RV_POINT, "rv_v", 3, error);
  int32_t* has_before = rv_detail_i32_write(state, RV_GLOBAL, "rv_hasbefore", 1, error);
  if (!position || !velocity || !has_before) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  *edited = rv_state_reconcile(P, position, count, 3, g.origin);
  *edited += reconcile_velocities(V, g.rate, count, velocity);
  if (*edited) *has_before = 0;
  return RV_OK;
}
