// Removing points and primitives (rv_detail_keep). First the elements that stay are chosen, then every array is
// gathered into a new one, and only when all of that has succeeded are the arrays of the detail replaced.
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

// The detail after the removal, before it is committed.
typedef struct Plan {
  size_t count[RV_OWNER_COUNT];    // elements that stay
  int32_t* index[RV_OWNER_COUNT];  // old index of each element that stays; NULL where nothing is removed
  int32_t* point_map;              // new index of each old point, -1 if removed; NULL where all points stay
  RV_ARRAY(RvBuffer*) fresh;       // gathered arrays in the order of the detail's attributes and groups
  RvBuffer* prim_type;             // new topology; NULL where it does not change
  RvBuffer* prim_start;
  RvBuffer* vertex_point;
} Plan;

enum { BYTE_OF_MINUS_ONE = 0xff };

// Frees whatever the plan still owns.
static void free_plan(Plan* plan) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) rv_free(plan->index[owner]);
  rv_free(plan->point_map);
  for (size_t i = 0; i < plan->fresh.count; ++i) rv_buffer_release(plan->fresh.data[i]);
  rv_array_free(&plan->fresh);
  rv_buffer_release(plan->prim_type);
  rv_buffer_release(plan->prim_start);
  rv_buffer_release(plan->vertex_point);
}

// Sets keep_prim and keep_point to 1 for elements that stay. A primitive stays if its mask says so and all its points
// stay. With `drop` the points that only removed primitives use are removed as well.
static void mark_kept(const RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop_unused,
                      uint8_t* keep_prim, uint8_t* keep_point) {
  const int32_t* start = detail->prim_start->data;
  const int32_t* vertex_point = detail->vertex_point->data;
  size_t npoint = detail->count[RV_POINT], nprim = detail->count[RV_PRIM];
  // By the masks.
  for (size_t i = 0; i < npoint; ++i) keep_point[i] = !points || points[i];
  for (size_t i = 0; i < nprim; ++i) {
    bool kept = !prims || prims[i];
    for (int32_t v = start[i]; kept && v < start[i + 1]; ++v) kept = keep_point[vertex_point[v]];
    keep_prim[i] = kept;
  }
  if (!drop_unused) return;
  // Points of removed primitives get the mark 2, then those of remaining primitives 1 again; what is still 2 goes.
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

// Counts the elements that stay and lists their old indices; no list where all stay. False when out of memory.
static bool list_kept(Plan* plan, RvOwner owner, const uint8_t* keep, size_t count) {
  // Count, then list.
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

// Lists the vertices of the primitives that stay; no list where all stay. False when out of memory.
static bool list_vertices(Plan* plan, const RvDetail* detail) {
  const int32_t* start = detail->prim_start->data;
  plan->count[RV_VERTEX] = detail->count[RV_VERTEX];
  const int32_t* prims = plan->index[RV_PRIM];
  if (!prims) return true;
  // Count, then list.
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

// Builds the topology arrays that change. False when out of memory.
static bool plan_topology(Plan* plan, const RvDetail* detail) {
  size_t nprim = plan->count[RV_PRIM], nvertex = plan->count[RV_VERTEX];
  const int32_t* start = detail->prim_start->data;
  const int32_t* vertex_point = detail->vertex_point->data;
  const int32_t* prims = plan->index[RV_PRIM];
  // New number of each point.
  if (plan->index[RV_POINT]) {
    plan->point_map = rv_alloc(detail->count[RV_POINT], sizeof *plan->point_map);
    if (!plan->point_map) return false;
    memset(plan->point_map, BYTE_OF_MINUS_ONE, detail->count[RV_POINT] * sizeof *plan->point_map);
    for (size_t i = 0; i < plan->count[RV_POINT]; ++i) plan->point_map[plan->index[RV_POINT][i]] = (int32_t)i;
  }
  // Types and first vertices of the primitives that stay.
  if (prims) {
    plan->prim_type = rv_buffer_new(nprim);
    plan->prim_start = rv_buffer_new((nprim + 1) * sizeof(int32_t));
    if (!plan->prim_type || !plan->prim_start) return false;
    int32_t* fresh = plan->prim_start->data;
    fresh[0] = 0;
    for (size_t i = 0; i < nprim; ++i) {
      ((uint8_t*)plan->prim_type->data)[i] = ((const uint8_t*)detail->prim_type->data)[prims[i]];
      fresh[i + 1] = fresh[i] + start[prims[i] + 1] - start[prims[i]];
    }
  }
  // Points of the vertices that stay, renumbered.
  if (plan->point_map || plan->index[RV_VERTEX]) {
    plan->vertex_point = rv_buffer_new(nvertex * sizeof(int32_t));
    if (!plan->vertex_point) return false;
    int32_t* fresh = plan->vertex_point->data;
    for (size_t i = 0; i < nvertex; ++i) {
      int32_t point = vertex_point[plan->index[RV_VERTEX] ? plan->index[RV_VERTEX][i] : (int32_t)i];
      fresh[i] = plan->point_map ? plan->point_map[point] : point;
    }
  }
  return true;
}

// Gathers the values of every attribute and group whose owner loses elements. False when out of memory.
static bool plan_arrays(Plan* plan, const RvDetail* detail) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    const int32_t* index = plan->index[owner];
    if (!index) continue;
    size_t nattrib = detail->attribs[owner].count;
    size_t ngroup = detail->groups[owner].count;
    size_t count = plan->count[owner];
    for (size_t i = 0; i < nattrib; ++i) {
      const RvAttrib* attrib = detail->attribs[owner].data[i];
      RvBuffer* buffer = rv_buffer_new(count * attrib->stride);
      if (!buffer || !rv_array_push(&plan->fresh, buffer)) {
        rv_buffer_release(buffer);
        return false;
      }
      // rv_attrib_transfer needs an attribute to write to: a temporary one around the new array.
      RvAttrib target = {.storage = attrib->storage, .size = attrib->size, .stride = attrib->stride, .values = buffer};
      rv_attrib_transfer(&target, 0, count, attrib, index, NULL);
    }
    // Groups.
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

// Replaces a buffer of the detail by a new one, if there is one; the plan no longer owns it then.
static void replace_buffer(RvBuffer** place, RvBuffer** fresh) {
  if (!*fresh) return;
  rv_buffer_release(*place);
  *place = *fresh;
  *fresh = NULL;
}

// Renumbers the grids of the VDB primitives that stay and releases the others. Both lists are ascending.
static void keep_grids(RvDetail* detail, const Plan* plan) {
  if (!plan->index[RV_PRIM]) return;
  size_t kept = 0, prim = 0;
  for (size_t i = 0; i < detail->grids.count; ++i) {
    // Advance to the primitive of this grid, or past it if it was removed.
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

// Puts the plan into effect. Cannot fail.
static void commit(RvDetail* detail, Plan* plan) {
  // The gathered arrays are in the order in which plan_arrays made them.
  size_t next = 0;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    if (!plan->index[owner]) continue;
    for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
      replace_buffer(&detail->attribs[owner].data[i]->values, &plan->fresh.data[next++]);
      detail->attribs[owner].data[i]->count = plan->count[owner];
    }
    for (size_t i = 0; i < detail->groups[owner].count; ++i) {
      replace_buffer(&detail->groups[owner].data[i]->values, &plan->fresh.data[next++]);
      detail->groups[owner].data[i]->count = plan->count[owner];
    }
    detail->count[owner] = plan->count[owner];
  }
  replace_buffer(&detail->prim_type, &plan->prim_type);
  replace_buffer(&detail->prim_start, &plan->prim_start);
  replace_buffer(&detail->vertex_point, &plan->vertex_point);
  keep_grids(detail, plan);
}

RvResult rv_detail_keep(RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop_unused_points,
                        RvError* error) {
  Plan plan = {0};
  uint8_t* keep_prim = rv_alloc(detail->count[RV_PRIM], 1);
  uint8_t* keep_point = rv_alloc(detail->count[RV_POINT], 1);
  bool ok = keep_prim && keep_point;
  if (ok) mark_kept(detail, points, prims, drop_unused_points, keep_prim, keep_point);
  ok = ok && list_kept(&plan, RV_POINT, keep_point, detail->count[RV_POINT]) &&
       list_kept(&plan, RV_PRIM, keep_prim, detail->count[RV_PRIM]) && list_vertices(&plan, detail) &&
       plan_topology(&plan, detail) && plan_arrays(&plan, detail);
  // Nothing can fail any more.
  if (ok) commit(detail, &plan);
  free_plan(&plan);
  rv_free(keep_prim);
  rv_free(keep_point);
  return ok ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory removing elements");
}
