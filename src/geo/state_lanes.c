// State fields of strands in SIMD lanes: one copy loop for all rows.
#include "base/parallel.h"
#include "geo/detail.h"
#include "geo/state_map.h"
#include "math/ldlt.h"

// Copy of one field.
typedef struct Copy {
  const RvFieldDef* field;
  const RvStateLanes* lanes;
  double* member;
  double* values;  // of the attribute
  double least, most;
} Copy;

// Numbers of one lane of a batch: value k of element e of the lane is member[at + (e * width + k) * RV_LANES].
typedef struct Lane {
  size_t at, count;       // of the elements that are in lanes
  size_t elements;        // of the detail; edges have one more, the tip
  const int32_t* points;  // elements of the detail
} Lane;

static bool in_lanes(const RvFieldDef* field) {
  return field->layout == RV_LAYOUT_VERTEX_LANES || field->layout == RV_LAYOUT_EDGE_LANES ||
         field->layout == RV_LAYOUT_STRAND_LANES;
}

// Whether an optional field has no array.
static bool absent(const RvFieldDef* field, void* data) {
  return field->optional && !*(double**)rv_state_member(field, data);
}

static Lane lane_of(const Copy* c, const RvStateBatch* b, size_t index, int lane) {
  const RvFieldDef* field = c->field;
  const size_t width = (size_t)field->width, vertices = (size_t)b->vertices;
  const int32_t strand = b->strand[lane];
  const int32_t* points = c->lanes->point + c->lanes->first[strand];
  const size_t shift = (size_t)field->component * RV_LANES + (size_t)lane;
  switch (field->layout) {
    case RV_LAYOUT_VERTEX_LANES:
      return (Lane){width * b->vertex_at + shift, vertices, vertices, points};
    case RV_LAYOUT_EDGE_LANES:
      return (Lane){width * b->edge_at + shift, vertices - 1, vertices, points};
    default:
      return (Lane){width * index * RV_LANES + shift, 1, 1, c->lanes->prim + strand};
  }
}

//---------------------------------------------------------------------------------------------- load

// Returns the number of values that the row does not allow.
static size_t load_lane(const Copy* c, const Lane* l) {
  const size_t size = (size_t)c->field->size, width = (size_t)c->field->width;
  const double scale = c->field->scaled ? c->lanes->scale : 1;
  size_t bad = 0;
  for (size_t e = 0; e < l->count; ++e) {
    const double* from = c->values + size * (size_t)l->points[e];
    double* to = c->member + l->at + e * width * RV_LANES;
    for (size_t k = 0; k < size; ++k) {
      bad += !(from[k] >= c->least && from[k] <= c->most);
      to[k * RV_LANES] = from[k] * scale;
    }
  }
  return bad;
}

static double load_batches(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  size_t bad = 0;
  for (size_t k = begin; k < end; ++k) {
    RvStateBatch b;
    c->lanes->batch(c->lanes->user, k, &b);
    int lanes = c->lanes->spare_lanes ? RV_LANES : b.lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      Lane l = lane_of(c, &b, k, lane);
      bad += load_lane(c, &l);
    }
  }
  return (double)bad;
}

RvResult rv_state_load_lanes(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                             const RvStateLanes* lanes, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    const RvFieldDef* field = &fields[i];
    if (!in_lanes(field) || absent(field, data)) continue;
    // Numbers that the state lacks stay as they were made.
    if (field->optional && !rv_detail_find(detail, field->owner, field->name)) continue;
    const void* values = NULL;
    result = rv_state_values(detail, field, &values, error);
    if (result) return result;
    Copy c = {
        .field = field,
        .lanes = lanes,
        .member = *(double**)rv_state_member(field, data),
        .values = (double*)values,
    };
    rv_state_bounds(field, &c.least, &c.most);
    double bad = rv_parallel_sum(lanes->nbatch, 1, load_batches, &c);
    if (bad > 0) result = rv_state_refuse(field, (size_t)bad, error);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- save

static void save_lane(const Copy* c, const Lane* l) {
  const size_t size = (size_t)c->field->size, width = (size_t)c->field->width;
  const double scale = c->field->scaled ? c->lanes->scale : 1;
  for (size_t e = 0; e < l->count; ++e) {
    const double* from = c->member + l->at + e * width * RV_LANES;
    double* to = c->values + size * (size_t)l->points[e];
    for (size_t k = 0; k < size; ++k) to[k] = from[k * RV_LANES] / scale;
  }
  // The tip has no edge.
  for (size_t e = l->count; e < l->elements; ++e)
    for (size_t k = 0; k < size; ++k) c->values[size * (size_t)l->points[e] + k] = 0;
}

static void save_batches(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  for (size_t k = begin; k < end; ++k) {
    RvStateBatch b;
    c->lanes->batch(c->lanes->user, k, &b);
    for (int lane = 0; lane < b.lanes; ++lane) {
      Lane l = lane_of(c, &b, k, lane);
      save_lane(c, &l);
    }
  }
}

RvResult rv_state_save_lanes(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                             const RvStateLanes* lanes, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    const RvFieldDef* field = &fields[i];
    if (!in_lanes(field) || !field->saved || absent(field, (void*)data)) continue;
    void* values = NULL;
    if (field->optional)
      result =
          rv_detail_add_attrib(detail, field->owner, field->name, field->storage, field->size, field->tag, NULL, error);
    if (!result) result = rv_state_values_write(detail, field, &values, error);
    Copy c = {
        .field = field,
        .lanes = lanes,
        .member = *(double**)rv_state_member(field, (void*)data),
        .values = values,
    };
    if (!result) rv_parallel_for(lanes->nbatch, 1, save_batches, &c);
  }
  return result;
}
