// The state of the strands as attributes of a detail and back, bit for bit. The solver stores strands in SIMD lanes,
// the detail by point. Tangents are not saved: the kernel of the step computes them from the positions.
#include "strand/io.h"

#include <math.h>
#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec.h"

const RvFieldDef rv_strand_fields[RV_STRAND_FIELD_COUNT] = {RV_STRAND_FIELDS("")};

//---------------------------------------------------------------------------------------------- lanes

// RvStateLanes.batch.
static void describe_batch(const void* user, size_t index, RvStateBatch* out) {
  const RvStrandBatch* b = &((const RvStrandModel*)user)->batches[index];
  *out = (RvStateBatch){b->strand, b->lanes, b->vertices, b->vertex_at, b->edge_at};
}

RvStateLanes rv_strands_lanes(const RvStrandSet* set, const RvStrandModel* model) {
  return (RvStateLanes){.nbatch = model->nbatch,
                        .batch = describe_batch,
                        .user = model,
                        .prim = set->prim,
                        .first = set->first,
                        .point = set->point,
                        .scale = set->metersperunit};
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

typedef struct Loaded {
  const RvStrandModel* model;
  RvStrandState* state;
} Loaded;

// Body of a parallel loop over the batches.
static void orthogonalize_batches(void* arg, size_t begin, size_t end) {
  const Loaded* l = arg;
  for (size_t k = begin; k < end; ++k) orthogonalize_directors(&l->model->batches[k], l->state);
}

// The rounded copies of positions and velocities that artists see.
typedef struct Shown {
  const RvStrandSet* set;
  const RvStrandModel* model;
  const RvStrandState* state;
  double rate;  // as in RvStrandGlobals
  float *P, *v;
} Shown;

// Body of a parallel loop over the batches.
static void show_batches(void* arg, size_t begin, size_t end) {
  const Shown* s = arg;
  double unit = s->set->metersperunit;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(b, lane, i, c);
          size_t to = 3 * (size_t)s->set->point[s->set->first[b->strand[lane]] + i] + (size_t)c;
          s->P[to] = (float)(s->set->origin[c] + s->state->q[at] / unit);
          s->v[to] = (float)(s->state->v[at] * s->rate);
        }
  }
}

//---------------------------------------------------------------------------------------------- load and save

RvResult rv_strands_load_globals(const RvDetail* state, RvStrandGlobals* out, RvError* error) {
  RvStrandRecord record = {0};
  RvResult result = rv_state_load(state, rv_strand_fields, RV_STRAND_FIELD_COUNT, &record, error);
  if (result) return result;
  *out = record.globals;
  return RV_OK;
}

RvResult rv_strands_load(const RvDetail* d, const RvStrandSet* set, RvStrandModel* model, RvStrandState** out,
                         RvError* error) {
  *out = NULL;
  RvStrandState* s = rv_strand_state_alloc(model);
  if (!s) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", set->count);
  // Spare lanes step like the others, so they need sound numbers.
  RvStateLanes lanes = rv_strands_lanes(set, model);
  lanes.spare_lanes = true;
  RvStrandRecord record = {.state = s, .model = model};
  RvResult result = rv_state_load_lanes(d, rv_strand_fields, RV_STRAND_FIELD_COUNT, &record, &lanes, error);
  if (result) {
    rv_strand_state_free(s);
    return result;
  }
  rv_parallel_for(model->nbatch, 1, orthogonalize_batches, &(Loaded){model, s});
  *out = s;
  return RV_OK;
}

RvResult rv_strands_save(const RvStrandSet* set, const RvStrandModel* model, const RvStrandState* state,
                         const RvStrandGlobals* globals, RvDetail* d, RvError* error) {
  // The exact fields, by their rows.
  RvStrandRecord record = {*globals, (RvStrandState*)state, (RvStrandModel*)model};
  RvStateLanes lanes = rv_strands_lanes(set, model);
  RvResult result = rv_state_save(d, rv_strand_fields, RV_STRAND_FIELD_COUNT, &record, error);
  if (!result) result = rv_state_save_lanes(d, rv_strand_fields, RV_STRAND_FIELD_COUNT, &record, &lanes, error);
  if (result) return result;
  // Their rounded copies.
  Shown shown = {set,
                 model,
                 state,
                 globals->rate,
                 rv_detail_f32_write(d, RV_POINT, "P", 3, error),
                 rv_detail_f32_write(d, RV_POINT, "v", 3, error)};
  // out of memory, or an attribute of the input with another type: told already
  if (!shown.P || !shown.v) return error ? error->code : RV_NO_MEMORY;
  rv_parallel_for(model->nbatch, 1, show_batches, &shown);
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
