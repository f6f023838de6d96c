// Setting the whole topology of a detail from arrays, and the consistency check of a detail.
#include <string.h>

#include "geo/detail.h"

// Checks the first-vertex array: it begins with 0, never decreases and ends with the vertex count.
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

// Checks that every vertex refers to an existing point.
static RvResult check_points(const int32_t* vertex_point, size_t nvertex, size_t npoint, RvError* error) {
  for (size_t i = 0; i < nvertex; ++i) {
    if (vertex_point[i] < 0 || (size_t)vertex_point[i] >= npoint)
      return rv_fail(error, RV_BAD_INPUT, "vertex %zu names point %d; there are %zu points", i, vertex_point[i],
                     npoint);
  }
  return RV_OK;
}

// Checks counts, arrays and indices of a topology that is about to be set.
static RvResult check_topology(size_t npoint, size_t nvertex, size_t nprim, const int32_t* vertex_point,
                               const int32_t* prim_start, const uint8_t* prim_type, RvError* error) {
  RvResult result = rv_geo_check_count(RV_POINT, npoint, error);
  if (!result) result = rv_geo_check_count(RV_VERTEX, nvertex, error);
  if (!result) result = rv_geo_check_count(RV_PRIM, nprim, error);
  if (result) return result;
  // Arrays that must be there.
  if ((nvertex && !vertex_point) || (nprim && (!prim_start || !prim_type)))
    return rv_fail(error, RV_INTERNAL, "topology of %zu primitives without its arrays", nprim);
  // Indices and types.
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

// Grows points, vertices and primitives of an empty detail to `counts`. If one owner fails, those before it are empty
// again.
static RvResult grow_all(RvDetail* detail, const size_t counts[RV_GLOBAL], RvError* error) {
  RvResult result = RV_OK;
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner) {
    result = rv_detail_grow(detail, (RvOwner)owner, counts[owner], error);
    for (int grown = 0; result && grown < owner; ++grown) rv_detail_truncate(detail, (RvOwner)grown, 0);
  }
  return result;
}

RvResult rv_detail_set_topology(RvDetail* detail, size_t npoint, size_t nvertex, size_t nprim, int32_t* vertex_point,
                                int32_t* prim_start, uint8_t* prim_type, RvError* error) {
  RvBuffer* points = NULL;
  RvBuffer* starts = NULL;
  RvBuffer* types = NULL;
  RvResult result = RV_OK;
  if (detail->count[RV_POINT] || detail->count[RV_VERTEX] || detail->count[RV_PRIM])
    result = rv_fail(error, RV_INTERNAL, "the detail has elements already");
  if (!result) result = check_topology(npoint, nvertex, nprim, vertex_point, prim_start, prim_type, error);
  if (result) goto done;
  // Wrap the arrays in buffers, which own them from here on; a missing array becomes an empty one.
  points = vertex_point ? rv_buffer_adopt(vertex_point, nvertex * sizeof(int32_t)) : rv_buffer_new(0);
  bool start_given = prim_start != NULL;
  starts = start_given ? rv_buffer_adopt(prim_start, (nprim + 1) * sizeof(int32_t)) : rv_buffer_new(sizeof(int32_t));
  types = prim_type ? rv_buffer_adopt(prim_type, nprim) : rv_buffer_new(0);
  vertex_point = prim_start = NULL;
  prim_type = NULL;
  if (!points || !starts || !types) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the topology");
    goto done;
  }
  if (!start_given) memset(starts->data, 0, sizeof(int32_t));
  // Grow the attributes and groups of all owners, or of none.
  result = grow_all(detail, (size_t[]){npoint, nvertex, nprim}, error);
  if (result) goto done;
  // Nothing can fail any more: replace the topology.
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

// Checks the size of an attribute's array and the string indices in it.
static RvResult check_attrib(const RvAttrib* attrib, size_t count, RvError* error) {
  if (attrib->count != count || attrib->values->bytes != count * attrib->stride)
    return rv_fail(error, RV_INTERNAL, "the attribute '%s' has %zu elements in %zu bytes, not %zu", attrib->name,
                   attrib->count, attrib->values->bytes, count);
  // Strings: each index is in the table.
  if (attrib->storage != RV_STRING) return RV_OK;
  const int32_t* index = attrib->values->data;
  int64_t texts = (int64_t)attrib->strings->texts.count;
  for (size_t i = 0; i < count * (size_t)attrib->size; ++i) {
    if (index[i] < RV_STRINGS_EMPTY || index[i] >= texts)
      return rv_fail(error, RV_BAD_INPUT, "the attribute '%s' names text %d; its table has %lld", attrib->name,
                     index[i], (long long)texts);
  }
  return RV_OK;
}

// Checks the size of a group's array and that it contains only 0 and 1.
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

// Checks that VDB primitives, and only they, have a grid and no vertices.
static RvResult check_prims(const RvDetail* detail, RvError* error) {
  const uint8_t* type = detail->prim_type->data;
  const int32_t* start = detail->prim_start->data;
  // Grids are sorted by primitive, so both lists are walked together.
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
  // Topology: array sizes, then indices.
  if (detail->vertex_point->bytes != nvertex * sizeof(int32_t) ||
      detail->prim_start->bytes != (nprim + 1) * sizeof(int32_t) || detail->prim_type->bytes != nprim)
    return rv_fail(error, RV_INTERNAL, "the topology does not fit the counts");
  if (!rv_detail_f32(detail, RV_POINT, "P", 3)) return rv_fail(error, RV_INTERNAL, "there is no P of three floats");
  RvResult result = check_starts(detail->prim_start->data, nprim, nvertex, error);
  if (!result) result = check_points(detail->vertex_point->data, nvertex, npoint, error);
  if (!result) result = check_prims(detail, error);
  // Attributes and groups of every owner.
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; !result && i < detail->attribs[owner].count; ++i)
      result = check_attrib(detail->attribs[owner].data[i], detail->count[owner], error);
    for (size_t i = 0; !result && i < detail->groups[owner].count; ++i)
      result = check_group(detail->groups[owner].data[i], detail->count[owner], error);
  }
  return result;
}
