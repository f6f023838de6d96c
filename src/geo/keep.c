// Removing elements: which stay is decided first, then every array is gathered, then all are put in place at
// once.
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

typedef struct Plan {
  size_t count[RV_OWNER_COUNT];    // after
  int32_t* index[RV_OWNER_COUNT];  // old index of each new element; NULL where nothing goes
  int32_t* point_map;              // new index of each old point, -1 gone
  RV_ARRAY(RvBuffer*) fresh;       // gathered arrays in the order of the detail's attributes and groups
  RvBuffer *prim_type, *prim_start, *vertex_point;
} Plan;

static void free_plan(Plan* plan) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) rv_free(plan->index[owner]);
  rv_free(plan->point_map);
  for (size_t i = 0; i < plan->fresh.count; ++i) rv_buffer_release(plan->fresh.data[i]);
  rv_array_free(&plan->fresh);
  rv_buffer_release(plan->prim_type);
  rv_buffer_release(plan->prim_start);
  rv_buffer_release(plan->vertex_point);
}

// marks: bytes per primitive and per point, 1 stays
static void mark(const RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop, uint8_t* keep_prim,
                 uint8_t* keep_point) {
  const int32_t *start = detail->prim_start->data, *vertex_point = detail->vertex_point->data;
  size_t npoint = detail->count[RV_POINT], nprim = detail->count[RV_PRIM];
  for (size_t i = 0; i < npoint; ++i) keep_point[i] = !points || points[i];
  for (size_t i = 0; i < nprim; ++i) {
    bool stays = !prims || prims[i];
    for (int32_t v = start[i]; stays && v < start[i + 1]; ++v) stays = keep_point[vertex_point[v]];
    keep_prim[i] = stays;
  }
  if (!drop) return;
  // 2 marks points of removed primitives; the primitives that stay take theirs back
  for (size_t i = 0; i < nprim; ++i) {
    for (int32_t v = start[i]; !keep_prim[i] && v < start[i + 1]; ++v) {
      if (keep_point[vertex_point[v]]) keep_point[vertex_point[v]] = 2;
    }
  }
  for (size_t i = 0; i < nprim; ++i) {
    for (int32_t v = start[i]; keep_prim[i] && v < start[i + 1]; ++v) keep_point[vertex_point[v]] = 1;
  }
  for (size_t i = 0; i < npoint; ++i) keep_point[i] = keep_point[i] == 1;
}

// list of the old indices that stay, or NULL if all do
static bool list_kept(Plan* plan, RvOwner owner, const uint8_t* keep, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) kept += keep[i] != 0;
  plan->count[owner] = kept;
  if (kept == count) return true;
  int32_t* index = plan->index[owner] = rv_alloc(kept, sizeof *index);
  if (!index) return false;
  kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (keep[i]) index[kept++] = (int32_t)i;
  }
  return true;
}

static bool list_vertices(Plan* plan, const RvDetail* detail) {
  const int32_t* start = detail->prim_start->data;
  plan->count[RV_VERTEX] = detail->count[RV_VERTEX];
  const int32_t* prims = plan->index[RV_PRIM];
  if (!prims) return true;
  size_t total = 0;
  for (size_t i = 0; i < plan->count[RV_PRIM]; ++i) total += (size_t)(start[prims[i] + 1] - start[prims[i]]);
  plan->count[RV_VERTEX] = total;
  if (total == detail->count[RV_VERTEX]) return true;
  int32_t* index = plan->index[RV_VERTEX] = rv_alloc(total, sizeof *index);
  if (!index) return false;
  total = 0;
  for (size_t i = 0; i < plan->count[RV_PRIM]; ++i) {
    for (int32_t v = start[prims[i]]; v < start[prims[i] + 1]; ++v) index[total++] = v;
  }
  return true;
}

static bool plan_topology(Plan* plan, const RvDetail* detail) {
  size_t nprim = plan->count[RV_PRIM], nvertex = plan->count[RV_VERTEX];
  const int32_t *start = detail->prim_start->data, *vertex_point = detail->vertex_point->data;
  const int32_t* prims = plan->index[RV_PRIM];
  if (plan->index[RV_POINT]) {
    plan->point_map = rv_alloc(detail->count[RV_POINT], sizeof *plan->point_map);
    if (!plan->point_map) return false;
    memset(plan->point_map, 0xff, detail->count[RV_POINT] * sizeof *plan->point_map);
    for (size_t i = 0; i < plan->count[RV_POINT]; ++i) plan->point_map[plan->index[RV_POINT][i]] = (int32_t)i;
  }
  if (prims) {
    plan->prim_type = rv_buffer_new(nprim);
    plan->prim_start = rv_buffer_new((nprim + 1) * 4);
    if (!plan->prim_type || !plan->prim_start) return false;
    int32_t* fresh = plan->prim_start->data;
    fresh[0] = 0;
    for (size_t i = 0; i < nprim; ++i) {
      ((uint8_t*)plan->prim_type->data)[i] = ((const uint8_t*)detail->prim_type->data)[prims[i]];
      fresh[i + 1] = fresh[i] + start[prims[i] + 1] - start[prims[i]];
    }
  }
  if (plan->point_map || plan->index[RV_VERTEX]) {
    plan->vertex_point = rv_buffer_new(nvertex * 4);
    if (!plan->vertex_point) return false;
    int32_t* fresh = plan->vertex_point->data;
    for (size_t i = 0; i < nvertex; ++i) {
      int32_t point = vertex_point[plan->index[RV_VERTEX] ? plan->index[RV_VERTEX][i] : (int32_t)i];
      fresh[i] = plan->point_map ? plan->point_map[point] : point;
    }
  }
  return true;
}

static bool plan_arrays(Plan* plan, const RvDetail* detail) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    const int32_t* index = plan->index[owner];
    if (!index) continue;
    size_t nattrib = detail->attribs[owner].count, ngroup = detail->groups[owner].count, count = plan->count[owner];
    for (size_t i = 0; i < nattrib; ++i) {
      const RvAttrib* attrib = detail->attribs[owner].data[i];
      RvBuffer* buffer = rv_buffer_new(count * attrib->stride);
      if (!buffer || !rv_array_push(&plan->fresh, buffer)) {
        rv_buffer_release(buffer);
        return false;
      }
      RvAttrib target = {.storage = attrib->storage, .size = attrib->size, .stride = attrib->stride, .values = buffer};
      rv_attrib_transfer(&target, 0, count, attrib, index, NULL);
    }
    for (size_t i = 0; i < ngroup; ++i) {
      RvBuffer* buffer = rv_buffer_new(count);
      if (!buffer || !rv_array_push(&plan->fresh, buffer)) {
        rv_buffer_release(buffer);
        return false;
      }
      const uint8_t* from = detail->groups[owner].data[i]->values->data;
      for (size_t k = 0; k < count; ++k) ((uint8_t*)buffer->data)[k] = from[index[k]];
    }
  }
  return true;
}

static void swap_in(RvBuffer** place, RvBuffer** fresh) {
  if (!*fresh) return;
  rv_buffer_release(*place);
  *place = *fresh;
  *fresh = NULL;
}

// grids follow their primitives; both lists ascend
static void move_grids(RvDetail* detail, const Plan* plan) {
  if (!plan->index[RV_PRIM]) return;
  size_t kept = 0, prim = 0;
  for (size_t i = 0; i < detail->grids.count; ++i) {
    RvPrimGrid entry = detail->grids.data[i];
    while (prim < plan->count[RV_PRIM] && plan->index[RV_PRIM][prim] < entry.prim) ++prim;
    if (prim < plan->count[RV_PRIM] && plan->index[RV_PRIM][prim] == entry.prim) {
      detail->grids.data[kept++] = (RvPrimGrid){(int32_t)prim, entry.grid};
    } else {
      rv_prim_grid_release(entry.grid);
    }
  }
  detail->grids.count = kept;
}

static void commit(RvDetail* detail, Plan* plan) {
  size_t next = 0;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    if (!plan->index[owner]) continue;
    for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
      swap_in(&detail->attribs[owner].data[i]->values, &plan->fresh.data[next++]);
      detail->attribs[owner].data[i]->count = plan->count[owner];
    }
    for (size_t i = 0; i < detail->groups[owner].count; ++i) {
      swap_in(&detail->groups[owner].data[i]->values, &plan->fresh.data[next++]);
      detail->groups[owner].data[i]->count = plan->count[owner];
    }
    detail->count[owner] = plan->count[owner];
  }
  swap_in(&detail->prim_type, &plan->prim_type);
  swap_in(&detail->prim_start, &plan->prim_start);
  swap_in(&detail->vertex_point, &plan->vertex_point);
  move_grids(detail, plan);
}

RvResult rv_detail_keep(RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop_unused_points,
                        RvError* error) {
  Plan plan = {0};
  uint8_t* keep_prim = rv_alloc(detail->count[RV_PRIM], 1);
  uint8_t* keep_point = rv_alloc(detail->count[RV_POINT], 1);
  bool made = keep_prim && keep_point;
  if (made) mark(detail, points, prims, drop_unused_points, keep_prim, keep_point);
  made = made && list_kept(&plan, RV_POINT, keep_point, detail->count[RV_POINT]) &&
         list_kept(&plan, RV_PRIM, keep_prim, detail->count[RV_PRIM]) && list_vertices(&plan, detail) &&
         plan_topology(&plan, detail) && plan_arrays(&plan, detail);
  if (made) commit(detail, &plan);
  free_plan(&plan);
  rv_free(keep_prim);
  rv_free(keep_point);
  return made ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory removing elements");
}
