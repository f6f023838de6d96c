// Life of a detail, its element counts and topology: creating, copying, freeing, and appending points, polygons, curves
// and VDB primitives.
#include <stdio.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

const char* rv_owner_name(RvOwner owner) {
  static const char* const names[RV_OWNER_COUNT] = {"point", "vertex", "prim", "detail"};
  return (unsigned)owner < RV_OWNER_COUNT ? names[owner] : "";
}

const char* rv_owner_plural(RvOwner owner) {
  static const char* const names[RV_OWNER_COUNT] = {"points", "vertices", "primitives", "details"};
  return (unsigned)owner < RV_OWNER_COUNT ? names[owner] : "";
}

RvResult rv_geo_check_count(RvOwner owner, size_t count, RvError* error) {
  if (count <= RV_GEO_MAX_COUNT) return RV_OK;
  return rv_fail(error, RV_LIMIT, "%zu %s are more than a detail can hold (%d); split the geometry", count,
                 rv_owner_plural(owner), RV_GEO_MAX_COUNT);
}

// A name that is too long is quoted only in part.
RvResult rv_geo_check_name(const char* what, const char* name, RvError* error) {
  if (!name || !*name) return rv_fail(error, RV_BAD_INPUT, "the name of %s is empty", what);
  if (strlen(name) > RV_GEO_MAX_NAME)
    return rv_fail(error, RV_LIMIT, "the name of %s, '%.40s...', is longer than %d bytes", what, name, RV_GEO_MAX_NAME);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- creation, copy, memory

RvDetail* rv_detail_new(void) {
  RvDetail* detail = rv_alloc_zero(1, sizeof *detail);
  if (!detail) return NULL;
  detail->count[RV_GLOBAL] = 1;
  detail->prim_type = rv_buffer_new(0);
  detail->prim_start = rv_buffer_new(sizeof(int32_t));
  detail->vertex_point = rv_buffer_new(0);
  RvAttrib* position = rv_attrib_new(RV_POINT, "P", RV_F32, 3, RV_TAG_POINT, 0);
  bool ok = detail->prim_type && detail->prim_start && detail->vertex_point && position;
  if (!ok || !rv_array_push(&detail->attribs[RV_POINT], position)) {
    rv_attrib_free(position);
    rv_detail_free(detail);
    return NULL;
  }
  // The first primitive starts at vertex 0.
  memset(detail->prim_start->data, 0, sizeof(int32_t));
  return detail;
}

// Copies the attributes and groups of one owner; their arrays are shared. False when out of memory.
static bool copy_owner(RvDetail* copy, const RvDetail* detail, RvOwner owner) {
  size_t nattrib = detail->attribs[owner].count, ngroup = detail->groups[owner].count;
  if (!rv_array_reserve(&copy->attribs[owner], nattrib) || !rv_array_reserve(&copy->groups[owner], ngroup))
    return false;
  for (size_t i = 0; i < nattrib; ++i) {
    RvAttrib* attrib = rv_attrib_copy(detail->attribs[owner].data[i]);
    if (!attrib) return false;
    copy->attribs[owner].data[copy->attribs[owner].count++] = attrib;
  }
  for (size_t i = 0; i < ngroup; ++i) {
    const RvGroup* group = detail->groups[owner].data[i];
    size_t bytes = sizeof *group + strlen(group->name) + 1;
    // A group and its name are one allocation.
    RvGroup* group_copy = rv_alloc(bytes, 1);
    if (!group_copy) return false;
    memcpy(group_copy, group, bytes);
    group_copy->values = rv_buffer_retain(group->values);
    copy->groups[owner].data[copy->groups[owner].count++] = group_copy;
  }
  return true;
}

RvDetail* rv_detail_copy(const RvDetail* detail) {
  RvDetail* copy = rv_alloc_zero(1, sizeof *copy);
  if (!copy) return NULL;
  memcpy(copy->count, detail->count, sizeof copy->count);
  copy->prim_type = rv_buffer_retain(detail->prim_type);
  copy->prim_start = rv_buffer_retain(detail->prim_start);
  copy->vertex_point = rv_buffer_retain(detail->vertex_point);
  // Grids are shared.
  bool ok = rv_array_reserve(&copy->grids, detail->grids.count);
  for (size_t i = 0; ok && i < detail->grids.count; ++i) {
    RvPrimGrid entry = detail->grids.data[i];
    rv_prim_grid_retain(entry.grid);
    copy->grids.data[copy->grids.count++] = entry;
  }
  for (int owner = 0; ok && owner < RV_OWNER_COUNT; ++owner) ok = copy_owner(copy, detail, (RvOwner)owner);
  if (ok) return copy;
  rv_detail_free(copy);
  return NULL;
}

// The buffers may be NULL if rv_detail_new ran out of memory.
void rv_detail_free(RvDetail* detail) {
  if (!detail) return;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < detail->attribs[owner].count; ++i) rv_attrib_free(detail->attribs[owner].data[i]);
    for (size_t i = 0; i < detail->groups[owner].count; ++i) rv_group_free(detail->groups[owner].data[i]);
    rv_array_free(&detail->attribs[owner]);
    rv_array_free(&detail->groups[owner]);
  }
  for (size_t i = 0; i < detail->grids.count; ++i) rv_prim_grid_release(detail->grids.data[i].grid);
  rv_array_free(&detail->grids);
  rv_buffer_release(detail->prim_type);
  rv_buffer_release(detail->prim_start);
  rv_buffer_release(detail->vertex_point);
  rv_free(detail);
}

// Arrays that several details share are counted in full in each.
size_t rv_detail_bytes(const RvDetail* detail) {
  size_t bytes = sizeof *detail + detail->prim_type->capacity + detail->prim_start->capacity;
  bytes += detail->vertex_point->capacity;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
      // Struct, default and values; the name is not counted.
      const RvAttrib* attrib = detail->attribs[owner].data[i];
      bytes += sizeof *attrib + attrib->stride + attrib->values->capacity;
      if (attrib->strings) bytes += attrib->strings->bytes + attrib->strings->nslot * sizeof(int32_t);
    }
    for (size_t i = 0; i < detail->groups[owner].count; ++i)
      bytes += sizeof(RvGroup) + detail->groups[owner].data[i]->values->capacity;
  }
  for (size_t i = 0; i < detail->grids.count; ++i) bytes += rv_prim_grid_bytes(detail->grids.data[i].grid);
  return bytes;
}

size_t rv_detail_count(const RvDetail* detail, RvOwner owner) {
  return (unsigned)owner < RV_OWNER_COUNT ? detail->count[owner] : 0;
}

//---------------------------------------------------------------------------------------------- topology

RvResult rv_detail_grow(RvDetail* detail, RvOwner owner, size_t count, RvError* error) {
  RvResult result = rv_geo_check_count(owner, count, error);
  if (result) return result;
  // Reserve memory in every array first, so that a failure leaves all counts unchanged.
  for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
    RvAttrib* attrib = detail->attribs[owner].data[i];
    size_t bytes;
    if (!rv_mul_ok(count, attrib->stride, &bytes) || !rv_buffer_own(&attrib->values, bytes))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s' of %zu %s", attrib->name, count,
                     rv_owner_plural(owner));
  }
  for (size_t i = 0; i < detail->groups[owner].count; ++i) {
    if (!rv_buffer_own(&detail->groups[owner].data[i]->values, count))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", detail->groups[owner].data[i]->name);
  }
  // Nothing can fail any more: set the counts and fill the new elements.
  for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
    RvAttrib* attrib = detail->attribs[owner].data[i];
    attrib->values->bytes = count * attrib->stride;
    rv_attrib_fill(attrib, attrib->count, count);
    attrib->count = count;
  }
  for (size_t i = 0; i < detail->groups[owner].count; ++i) {
    RvGroup* group = detail->groups[owner].data[i];
    group->values->bytes = count;
    memset((uint8_t*)group->values->data + group->count, 0, count - group->count);
    group->count = count;
  }
  detail->count[owner] = count;
  return RV_OK;
}

// Capacities stay, so growing again needs no allocation.
void rv_detail_truncate(RvDetail* detail, RvOwner owner, size_t count) {
  for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
    RvAttrib* attrib = detail->attribs[owner].data[i];
    attrib->count = count;
    attrib->values->bytes = count * attrib->stride;
  }
  for (size_t i = 0; i < detail->groups[owner].count; ++i) {
    RvGroup* group = detail->groups[owner].data[i];
    group->count = count;
    group->values->bytes = count;
  }
  detail->count[owner] = count;
}

RvResult rv_detail_add_points(RvDetail* detail, size_t count, size_t* first, RvError* error) {
  size_t old = detail->count[RV_POINT];
  if (first) *first = old;
  if (count > RV_GEO_MAX_COUNT) return rv_geo_check_count(RV_POINT, count, error);
  return rv_detail_grow(detail, RV_POINT, old + count, error);
}

// Sets the used sizes of the topology arrays, which have the memory for it.
static void set_topology_bytes(RvDetail* detail, size_t nvertex, size_t nprim) {
  detail->vertex_point->bytes = nvertex * sizeof(int32_t);
  detail->prim_start->bytes = (nprim + 1) * sizeof(int32_t);
  detail->prim_type->bytes = nprim;
}

// Grows vertices and primitives by the given numbers. The caller writes the new topology entries.
static RvResult grow_topology(RvDetail* detail, size_t nvertex, size_t nprim, RvError* error) {
  size_t old_vertices = detail->count[RV_VERTEX];
  size_t vertices = old_vertices + nvertex;
  size_t prims = detail->count[RV_PRIM] + nprim;
  // Limits and memory first.
  RvResult result = rv_geo_check_count(RV_VERTEX, vertices, error);
  if (!result) result = rv_geo_check_count(RV_PRIM, prims, error);
  if (result) return result;
  if (!rv_buffer_own(&detail->vertex_point, vertices * sizeof(int32_t)) ||
      !rv_buffer_own(&detail->prim_start, (prims + 1) * sizeof(int32_t)) || !rv_buffer_own(&detail->prim_type, prims))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu primitives with %zu vertices", prims, vertices);
  // Attributes and groups of both owners grow, or of none.
  result = rv_detail_grow(detail, RV_VERTEX, vertices, error);
  if (result) return result;
  result = rv_detail_grow(detail, RV_PRIM, prims, error);
  if (result) {
    rv_detail_truncate(detail, RV_VERTEX, old_vertices);
    return result;
  }
  set_topology_bytes(detail, vertices, prims);
  return RV_OK;
}

RvResult rv_detail_add_polygons(RvDetail* detail, RvPrimType type, size_t count, const int32_t* nvertex,
                                const int32_t* points, size_t* first, RvError* error) {
  size_t prim = detail->count[RV_PRIM];
  size_t vertex = detail->count[RV_VERTEX];
  size_t total = 0;
  if (first) *first = prim;
  if (type != RV_PRIM_POLYGON && type != RV_PRIM_CURVE)
    return rv_fail(error, RV_BAD_INPUT, "polygons are closed or open; type %d is neither", (int)type);
  // Check vertex counts and point indices before anything changes.
  for (size_t i = 0; i < count; ++i) {
    if (nvertex[i] < 0)
      return rv_fail(error, RV_BAD_INPUT, "primitive %zu of %zu: %d is no number of vertices", i, count, nvertex[i]);
    total += (size_t)nvertex[i];
  }
  for (size_t i = 0; i < total; ++i) {
    if (points[i] < 0 || (size_t)points[i] >= detail->count[RV_POINT])
      return rv_fail(error, RV_BAD_INPUT, "vertex %zu of the new primitives names point %d; there are %zu points", i,
                     points[i], detail->count[RV_POINT]);
  }
  // Append vertices, primitive types and the starts that follow from the counts.
  RvResult result = grow_topology(detail, total, count, error);
  if (result) return result;
  if (total) memcpy((int32_t*)detail->vertex_point->data + vertex, points, total * sizeof *points);
  if (count) memset((uint8_t*)detail->prim_type->data + prim, (int)type, count);
  int32_t* start = (int32_t*)detail->prim_start->data + prim;
  for (size_t i = 0; i < count; ++i) start[i + 1] = start[i] + nvertex[i];
  return RV_OK;
}

RvResult rv_detail_add_curves(RvDetail* detail, size_t ncurve, size_t npoint, size_t* first_point, size_t* first_prim,
                              RvError* error) {
  size_t point = detail->count[RV_POINT];
  size_t prim = detail->count[RV_PRIM];
  size_t vertex = detail->count[RV_VERTEX];
  size_t total;
  if (first_point) *first_point = point;
  if (first_prim) *first_prim = prim;
  if (!rv_mul_ok(ncurve, npoint, &total) || total > RV_GEO_MAX_COUNT || ncurve > RV_GEO_MAX_COUNT)
    return rv_fail(error, RV_LIMIT, "%zu curves of %zu points are more than a detail can hold (%d points)", ncurve,
                   npoint, RV_GEO_MAX_COUNT);
  // Append the topology: curve i has the next npoint points in order.
  RvResult result = rv_geo_check_count(RV_POINT, point + total, error);
  if (!result) result = grow_topology(detail, total, ncurve, error);
  if (result) return result;
  int32_t* vertex_point = (int32_t*)detail->vertex_point->data + vertex;
  int32_t* start = (int32_t*)detail->prim_start->data + prim;
  for (size_t i = 0; i < total; ++i) vertex_point[i] = (int32_t)(point + i);
  for (size_t i = 0; i < ncurve; ++i) start[i + 1] = start[i] + (int32_t)npoint;
  if (ncurve) memset((uint8_t*)detail->prim_type->data + prim, RV_PRIM_CURVE, ncurve);
  // Append the points.
  result = rv_detail_add_points(detail, total, NULL, error);
  if (!result) return RV_OK;
  // The points could not be added, so the primitives that refer to them are removed again.
  rv_detail_truncate(detail, RV_VERTEX, vertex);
  rv_detail_truncate(detail, RV_PRIM, prim);
  set_topology_bytes(detail, vertex, prim);
  return result;
}

RvResult rv_detail_add_vdb(RvDetail* detail, RvGrid* grid, RvError* error) {
  if (!grid) return rv_fail(error, RV_BAD_INPUT, "a VDB primitive needs a grid");
  RvAttrib* name;
  RvResult result = rv_detail_add_attrib(detail, RV_PRIM, "name", RV_STRING, 1, RV_TAG_NONE, &name, error);
  if (result) return result;
  if (!rv_array_reserve(&detail->grids, detail->grids.count + 1)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  size_t prim = detail->count[RV_PRIM];
  // Intern the name before the growth, so that the growth is the last step that can fail.
  int32_t text = rv_strings_intern(&name->strings, rv_prim_grid_name(grid));
  if (text == RV_STRINGS_FAILED) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  result = grow_topology(detail, 0, 1, error);
  if (result) return result;
  ((int32_t*)name->values->data)[prim] = text;
  // It has no vertices.
  int32_t* start = detail->prim_start->data;
  start[prim + 1] = start[prim];
  ((uint8_t*)detail->prim_type->data)[prim] = RV_PRIM_VDB;
  rv_prim_grid_retain(grid);
  detail->grids.data[detail->grids.count++] = (RvPrimGrid){(int32_t)prim, grid};
  return RV_OK;
}

RvPrimType rv_detail_prim_type(const RvDetail* detail, size_t prim) {
  if (prim >= detail->count[RV_PRIM]) return RV_PRIM_POLYGON;
  return (RvPrimType)((const uint8_t*)detail->prim_type->data)[prim];
}

const int32_t* rv_detail_prim_start(const RvDetail* detail) {
  return detail->prim_start->data;
}

const int32_t* rv_detail_vertex_point(const RvDetail* detail) {
  return detail->vertex_point->data;
}

// Binary search, as `grids` is sorted by primitive.
RvGrid* rv_detail_prim_grid(const RvDetail* detail, size_t prim) {
  size_t lo = 0, hi = detail->grids.count;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if ((size_t)detail->grids.data[mid].prim < prim) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  bool found = lo < detail->grids.count && (size_t)detail->grids.data[lo].prim == prim;
  return found ? detail->grids.data[lo].grid : NULL;
}

// The name attribute decides; without one of strings the grid's own name does.
RvGrid* rv_detail_find_vdb(const RvDetail* detail, const char* name) {
  const RvAttrib* names = rv_detail_find(detail, RV_PRIM, "name");
  for (size_t i = 0; i < detail->grids.count; ++i) {
    RvPrimGrid entry = detail->grids.data[i];
    bool has_names = names && names->storage == RV_STRING;
    const char* grid_name = has_names ? rv_attrib_string(names, (size_t)entry.prim, 0) : rv_prim_grid_name(entry.grid);
    if (!name || strcmp(grid_name, name) == 0) return entry.grid;
  }
  return NULL;
}
