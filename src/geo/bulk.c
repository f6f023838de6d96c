// All topology of a detail at once, and the check of everything.
#include <string.h>

#include "geo/detail.h"

static RvResult check_starts(const int32_t* start, size_t nprim, size_t nvertex, RvError* error) {
  if (start[0] != 0) return rv_fail(error, RV_BAD_INPUT, "the first primitive starts at vertex %d, not 0", start[0]);
  for (size_t i = 0; i < nprim; ++i) {
    if (start[i + 1] < start[i] || (size_t)start[i + 1] > nvertex)
      return rv_fail(error, RV_BAD_INPUT, "primitive %zu has vertices %d to %d; there are %zu", i, start[i],
                     start[i + 1], nvertex);
  }
  if ((size_t)start[nprim] != nvertex)
    return rv_fail(error, RV_BAD_INPUT, "the primitives have %d vertices in all, not %zu", start[nprim], nvertex);
  return RV_OK;
}

static RvResult check_points(const int32_t* vertex_point, size_t nvertex, size_t npoint, RvError* error) {
  for (size_t i = 0; i < nvertex; ++i) {
    if (vertex_point[i] < 0 || (size_t)vertex_point[i] >= npoint)
      return rv_fail(error, RV_BAD_INPUT, "vertex %zu names point %d; there are %zu points", i, vertex_point[i],
                     npoint);
  }
  return RV_OK;
}

static RvResult check_topology(size_t npoint, size_t nvertex, size_t nprim, const int32_t* vertex_point,
                               const int32_t* prim_start, const uint8_t* prim_type, RvError* error) {
  RvResult result = rv_geo_check_count(RV_POINT, npoint, error);
  if (!result) result = rv_geo_check_count(RV_VERTEX, nvertex, error);
  if (!result) result = rv_geo_check_count(RV_PRIM, nprim, error);
  if (result) return result;
  if ((nvertex && !vertex_point) || (nprim && (!prim_start || !prim_type)))
    return rv_fail(error, RV_INTERNAL, "topology of %zu primitives without its arrays", nprim);
  if (prim_start) {
    result = check_starts(prim_start, nprim, nvertex, error);
  } else if (nvertex) {
    result = rv_fail(error, RV_BAD_INPUT, "%zu vertices belong to no primitive", nvertex);
  }
  if (!result) result = check_points(vertex_point, nvertex, npoint, error);
  for (size_t i = 0; !result && i < nprim; ++i) {
    if (prim_type[i] != RV_PRIM_POLYGON && prim_type[i] != RV_PRIM_CURVE)
      result = rv_fail(error, RV_BAD_INPUT, "primitive %zu is of type %d, not a polygon", i, prim_type[i]);
  }
  return result;
}

RvResult rv_detail_set_topology(RvDetail* detail, size_t npoint, size_t nvertex, size_t nprim, int32_t* vertex_point,
                                int32_t* prim_start, uint8_t* prim_type, RvError* error) {
  RvBuffer *points = NULL, *starts = NULL, *types = NULL;
  RvResult result = RV_OK;
  if (detail->count[RV_POINT] || detail->count[RV_VERTEX] || detail->count[RV_PRIM])
    result = rv_fail(error, RV_INTERNAL, "the detail has elements already");
  if (!result) result = check_topology(npoint, nvertex, nprim, vertex_point, prim_start, prim_type, error);
  if (result) goto done;
  // what was not given is empty
  points = vertex_point ? rv_buffer_adopt(vertex_point, nvertex * 4) : rv_buffer_new(0);
  bool start_given = prim_start != NULL;
  starts = start_given ? rv_buffer_adopt(prim_start, (nprim + 1) * 4) : rv_buffer_new(4);
  types = prim_type ? rv_buffer_adopt(prim_type, nprim) : rv_buffer_new(0);
  vertex_point = prim_start = NULL;
  prim_type = NULL;
  if (!points || !starts || !types) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the topology");
    goto done;
  }
  if (!start_given) memset(starts->data, 0, 4);
  size_t counts[3] = {npoint, nvertex, nprim};
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner) {
    result = rv_detail_grow(detail, (RvOwner)owner, counts[owner], error);
    for (int back = 0; result && back < owner; ++back) rv_detail_cut(detail, (RvOwner)back, 0);
  }
  if (result) goto done;
  rv_buffer_release(detail->vertex_point);
  rv_buffer_release(detail->prim_start);
  rv_buffer_release(detail->prim_type);
  detail->vertex_point = points;
  detail->prim_start = starts;
  detail->prim_type = types;
  return RV_OK;
done:
  rv_free(vertex_point);
  rv_free(prim_start);
  rv_free(prim_type);
  rv_buffer_release(points);
  rv_buffer_release(starts);
  rv_buffer_release(types);
  return result;
}

//---------------------------------------------------------------------------------------------- check

static RvResult check_attrib(const RvAttrib* attrib, size_t count, RvError* error) {
  if (attrib->count != count || attrib->values->bytes != count * attrib->stride)
    return rv_fail(error, RV_INTERNAL, "the attribute '%s' has %zu elements in %zu bytes, not %zu", attrib->name,
                   attrib->count, attrib->values->bytes, count);
  if (attrib->storage != RV_STRING) return RV_OK;
  const int32_t* index = attrib->values->data;
  int64_t texts = (int64_t)attrib->strings->texts.count;
  for (size_t i = 0; i < count * (size_t)attrib->size; ++i) {
    if (index[i] < -1 || index[i] >= texts)
      return rv_fail(error, RV_BAD_INPUT, "the attribute '%s' names text %d; its table has %lld", attrib->name,
                     index[i], (long long)texts);
  }
  return RV_OK;
}

static RvResult check_group(const RvGroup* group, size_t count, RvError* error) {
  if (group->count != count || group->values->bytes != count)
    return rv_fail(error, RV_INTERNAL, "the group '%s' has %zu elements, not %zu", group->name, group->count, count);
  const uint8_t* bytes = group->values->data;
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] > 1)
      return rv_fail(error, RV_BAD_INPUT, "the group '%s' holds %d at element %zu; only 0 and 1 are allowed",
                     group->name, bytes[i], i);
  }
  return RV_OK;
}

static RvResult check_prims(const RvDetail* detail, RvError* error) {
  const uint8_t* type = detail->prim_type->data;
  const int32_t* start = detail->prim_start->data;
  size_t grid = 0;
  for (size_t i = 0; i < detail->count[RV_PRIM]; ++i) {
    bool has_grid = grid < detail->grids.count && (size_t)detail->grids.data[grid].prim == i;
    if (type[i] > RV_PRIM_VDB || has_grid != (type[i] == RV_PRIM_VDB) || (has_grid && start[i] != start[i + 1]))
      return rv_fail(error, RV_BAD_INPUT, "primitive %zu is of type %d, with %d vertices and %s grid", i, type[i],
                     start[i + 1] - start[i], has_grid ? "a" : "no");
    grid += has_grid;
  }
  if (grid != detail->grids.count) return rv_fail(error, RV_INTERNAL, "a grid belongs to no primitive");
  return RV_OK;
}

RvResult rv_detail_check(const RvDetail* detail, RvError* error) {
  size_t npoint = detail->count[RV_POINT], nvertex = detail->count[RV_VERTEX], nprim = detail->count[RV_PRIM];
  if (detail->vertex_point->bytes != nvertex * 4 || detail->prim_start->bytes != (nprim + 1) * 4 ||
      detail->prim_type->bytes != nprim)
    return rv_fail(error, RV_INTERNAL, "the topology does not fit the counts");
  if (!rv_detail_f32(detail, RV_POINT, "P", 3)) return rv_fail(error, RV_INTERNAL, "there is no P of three floats");
  RvResult result = check_starts(detail->prim_start->data, nprim, nvertex, error);
  if (!result) result = check_points(detail->vertex_point->data, nvertex, npoint, error);
  if (!result) result = check_prims(detail, error);
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; !result && i < detail->attribs[owner].count; ++i)
      result = check_attrib(detail->attribs[owner].data[i], detail->count[owner], error);
    for (size_t i = 0; !result && i < detail->groups[owner].count; ++i)
      result = check_group(detail->groups[owner].data[i], detail->count[owner], error);
  }
  return result;
}
