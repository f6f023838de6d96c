// Edits of primitives in place: replacing the grid of a VDB primitive, reversing the vertex order of faces.
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

RvResult rv_detail_set_grid(RvDetail* detail, size_t prim, RvGrid* grid, RvError* error) {
  for (size_t i = 0; i < detail->grids.count; ++i) {
    RvPrimGrid* slot = &detail->grids.data[i];
    if ((size_t)slot->prim != prim) continue;
    // The name attribute follows the grid's name.
    const char* text = rv_prim_grid_name(grid);
    RvAttrib* name = rv_detail_find_mutable(detail, RV_PRIM, "name");
    if (name && name->storage == RV_STRING && strcmp(rv_attrib_string(name, prim, 0), text) != 0) {
      RvResult r = rv_attrib_set_string(name, prim, 0, text, error);
      if (r != RV_OK) return r;
    }
    // Retain first: both may be the same grid.
    rv_prim_grid_retain(grid);
    rv_prim_grid_release(slot->grid);
    slot->grid = grid;
    return RV_OK;
  }
  return rv_fail(error, RV_BAD_INPUT, "primitive %zu holds no VDB", prim);
}

// Exchanges two runs of bytes.
static void swap_bytes(unsigned char* a, unsigned char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    unsigned char t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// Reverses one vertex array (elements of `stride` bytes) within every closed polygon that the mask selects.
static void reverse_array(const RvDetail* detail, const uint8_t* prims, unsigned char* values, size_t stride) {
  const int32_t* start = detail->prim_start->data;
  const uint8_t* type = detail->prim_type->data;
  for (size_t i = 0; i < detail->count[RV_PRIM]; ++i) {
    if (type[i] != RV_PRIM_POLYGON || (prims && !prims[i])) continue;
    for (int32_t a = start[i], b = start[i + 1] - 1; a < b; ++a, --b)
      swap_bytes(values + (size_t)a * stride, values + (size_t)b * stride, stride);
  }
}

RvResult rv_detail_reverse(RvDetail* detail, const uint8_t* prims, RvError* error) {
  // Unshare every array first, so that a failure leaves the detail unchanged.
  bool ok = rv_buffer_own(&detail->vertex_point, detail->vertex_point->bytes);
  for (size_t i = 0; ok && i < detail->attribs[RV_VERTEX].count; ++i)
    ok = rv_attrib_write(detail->attribs[RV_VERTEX].data[i]) != NULL;
  for (size_t i = 0; ok && i < detail->groups[RV_VERTEX].count; ++i)
    ok = rv_group_write(detail->groups[RV_VERTEX].data[i]) != NULL;
  if (!ok) return rv_fail(error, RV_NO_MEMORY, "out of memory reversing %zu faces", detail->count[RV_PRIM]);
  // Reverse the point references, the vertex attributes and the vertex groups alike.
  reverse_array(detail, prims, detail->vertex_point->data, sizeof(int32_t));
  for (size_t i = 0; i < detail->attribs[RV_VERTEX].count; ++i) {
    RvAttrib* attrib = detail->attribs[RV_VERTEX].data[i];
    reverse_array(detail, prims, rv_attrib_write(attrib), attrib->stride);
  }
  for (size_t i = 0; i < detail->groups[RV_VERTEX].count; ++i)
    reverse_array(detail, prims, rv_group_write(detail->groups[RV_VERTEX].data[i]), 1);
  return RV_OK;
}
