// OpenVDB files: VDB primitives as grids, and details of points only as a points grid.
#include <ctype.h>
#include <string.h>

#include "base/platform.h"
#include "geo/detail.h"
#include "geo/io.h"
#include "shim/vdb_bytes.h"
#include "shim/vdb_voxel.h"

//---------------------------------------------------------------------------------------------- write

enum {
  POINTS_OF_VOXEL = 8,   // that the voxel size of a points grid aims at
  BISECTION_STEPS = 60,  // of the cube root; more than the bits of a double's mantissa
};
static const double MIN_SIDE_SHARE = 1e-3;   // of the longest side: flat boxes count as this thick
static const double MIN_VOXEL_SHARE = 1e-5;  // of the longest side: least voxel size, so that indices stay small

// Voxel size of a points grid: about eight points a voxel if the points filled their box evenly.
static double voxel_for_points(const RvDetail* detail) {
  double lo[3], hi[3];
  double volume = 1;
  double longest = 0;
  if (!rv_detail_bounds(detail, lo, hi)) return 1;
  for (int c = 0; c < 3; ++c) {
    if (hi[c] - lo[c] > longest) longest = hi[c] - lo[c];
  }
  if (!(longest > 0)) return 1;
  for (int c = 0; c < 3; ++c)
    volume *= hi[c] - lo[c] > longest * MIN_SIDE_SHARE ? hi[c] - lo[c] : longest * MIN_SIDE_SHARE;
  // Cube root by bisection, which needs no libm function; no great precision is needed.
  double voxel_volume = volume * POINTS_OF_VOXEL / (double)detail->count[RV_POINT];
  double size = longest;
  double low = 0;
  for (int i = 0; i < BISECTION_STEPS; ++i) {
    double middle = (low + size) / 2;
    if (middle * middle * middle > voxel_volume) {
      size = middle;
    } else {
      low = middle;
    }
  }
  if (size < longest * MIN_VOXEL_SHARE) size = longest * MIN_VOXEL_SHARE;
  return size > RV_VDB_LEAST_VOXEL ? size : RV_VDB_LEAST_VOXEL;
}

// True if OpenVDB accepts the name for a point attribute.
static bool is_channel_name(const char* name) {
  while (isalnum((unsigned char)*name) || *name == '_' || *name == ':' || *name == '|') ++name;
  return !*name;
}

// Describes an attribute as a channel of a points grid: one or three floats, or one int32. A 64-bit id is converted to
// int32 (*narrowed, rv_free) if all ids fit. False if the grid cannot contain it.
static bool as_channel(const RvAttrib* attrib, RvPointChannel* channel, int32_t** narrowed) {
  size_t count = attrib->count;
  if (!is_channel_name(attrib->name)) return false;
  *channel = (RvPointChannel){attrib->name, attrib->size, attrib->storage != RV_F32, attrib->values->data};
  if (attrib->storage == RV_F32) return attrib->size == 1 || attrib->size == 3;
  if (attrib->size != 1) return false;
  if (attrib->storage == RV_I32) return true;
  if (attrib->storage != RV_I64 || strcmp(attrib->name, "id") != 0) return false;
  // Ids of 64 bits where all of them fit into 32.
  const int64_t* wide = attrib->values->data;
  for (size_t i = 0; i < count; ++i) {
    if (wide[i] < INT32_MIN || wide[i] > INT32_MAX) return false;
  }
  *narrowed = rv_alloc(count, sizeof **narrowed);
  for (size_t i = 0; *narrowed && i < count; ++i) (*narrowed)[i] = (int32_t)wide[i];
  channel->data = *narrowed;
  return *narrowed != NULL;
}

// Writes the points as a points grid; warns about each attribute and group that it cannot contain.
static RvResult write_points(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  RV_ARRAY(RvPointChannel) channels = {0};
  int32_t* narrowed = NULL;
  RvGrid* grid = NULL;
  RvResult result = RV_OK;
  // Channels of all attributes but P, which is attribute 0.
  for (size_t i = 1; !result && i < detail->attribs[RV_POINT].count; ++i) {
    const RvAttrib* attrib = detail->attribs[RV_POINT].data[i];
    RvPointChannel channel;
    if (!as_channel(attrib, &channel, &narrowed)) {
      rv_log(log, RV_LEVEL_WARNING,
             "the point attribute '%s' was not written: points in a .vdb have one or three floats, or one int32, under "
             "a name of letters, digits, '_' and ':'",
             attrib->name);
    } else if (!rv_array_push(&channels, channel)) {
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
  }
  for (size_t i = 0; i < detail->groups[RV_POINT].count; ++i)
    rv_log(log, RV_LEVEL_WARNING, "the point group '%s' was not written into the .vdb",
           detail->groups[RV_POINT].data[i]->name);
  // Grid and file.
  if (!result)
    result = rv_grid_from_points("points", voxel_for_points(detail), detail->count[RV_POINT],
                                 rv_detail_f32(detail, RV_POINT, "P", 3), channels.data, channels.count, &grid, error);
  if (!result) result = rv_grid_write_file(path, &grid, 1, false, error);
  if (grid) rv_grid_release(grid);
  rv_array_free(&channels);
  rv_free(narrowed);
  return result;
}

RvResult rv_vdb_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  size_t ngrid = detail->grids.count;
  RvResult result = RV_OK;
  if (!ngrid && detail->count[RV_PRIM]) {
    result = rv_fail(error, RV_BAD_INPUT,
                     "there are %zu polygons and no VDB: a .vdb file contains VDBs, or points without primitives; save "
                     "as .bgeo.sc instead",
                     detail->count[RV_PRIM]);
  } else if (!ngrid) {
    result = write_points(detail, path, log, error);
  } else {
    if (detail->count[RV_POINT] || detail->count[RV_PRIM] > ngrid)
      rv_log(log, RV_LEVEL_WARNING,
             "%zu points and %zu polygons were not written: a .vdb file with VDBs contains nothing else",
             detail->count[RV_POINT], detail->count[RV_PRIM] - ngrid);
    // The grids stay the detail's own.
    RvGrid** grids = rv_alloc(ngrid, sizeof *grids);
    if (!grids) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < ngrid; ++i) grids[i] = detail->grids.data[i].grid;
    result = rv_grid_write_file(path, grids, ngrid, false, error);
    rv_free(grids);
  }
  if (result && error && !strstr(error->text, path)) rv_error_context(error, "cannot write '%s'", path);
  return result;
}

//---------------------------------------------------------------------------------------------- read

// A file stores equal values of a block of points once, so a small file can describe very much data. The positions and
// values of its points may take at most this many times its size on disk plus EXPANSION_FLOOR bytes.
enum { EXPANSION = 1024 };
#define EXPANSION_FLOOR ((size_t)64 << 20)

enum {
  COMPONENT_BYTES = 4,                      // float or int32
  MAX_CHANNEL_BYTES = 3 * COMPONENT_BYTES,  // of a point in a channel
};

// Reads one attribute of a points grid into the points [first, first + count). Unsupported types are skipped with a
// warning.
static RvResult read_channel(RvDetail* detail, const RvGrid* grid, const char* name, size_t first, size_t count,
                             const RvLog* log, RvError* error) {
  int size = 0;
  bool is_int = false;
  void* data = NULL;
  // A channel that cannot be read is no error of the file.
  RvError reason = {0};
  RvResult found = rv_grid_points_channel(grid, name, &size, &is_int, &data, &reason);
  if (found == RV_NOT_FOUND) return RV_OK;
  if (found == RV_NO_MEMORY) return rv_fail(error, found, "%s", reason.text);
  if (found) {
    rv_log(log, RV_LEVEL_WARNING, "the point attribute '%s' was not read: %s", name, reason.text);
    return RV_OK;
  }
  // Copy behind the points of earlier grids.
  void* to = is_int ? (void*)rv_detail_i32_write(detail, RV_POINT, name, size, error)
                    : (void*)rv_detail_f32_write(detail, RV_POINT, name, size, error);
  if (to) memcpy((char*)to + first * COMPONENT_BYTES * (size_t)size, data, count * COMPONENT_BYTES * (size_t)size);
  rv_free(data);
  if (to || (error && error->code == RV_NO_MEMORY)) return to ? RV_OK : RV_NO_MEMORY;
  return rv_fail(error, RV_BAD_FILE, "the point attribute '%s' has two types in this file", name);
}

// Takes memory for `count` points of a channel from the budget.
static RvResult spend(const RvGrid* grid, const char* name, size_t count, size_t* budget, RvError* error) {
  if (count > *budget / MAX_CHANNEL_BYTES)
    return rv_fail(error, RV_LIMIT,
                   "points grid '%s': with '%s' the file would need more than %d times its size on disk plus 64 MiB: "
                   "it is damaged; replace it by another copy, or write it again",
                   rv_grid_name(grid), name, EXPANSION);
  *budget -= MAX_CHANNEL_BYTES * count;
  return RV_OK;
}

// Appends the positions of a points grid.
static RvResult read_positions(RvDetail* detail, const RvGrid* grid, size_t count, size_t* first, RvError* error) {
  size_t read = 0;
  float* positions = NULL;
  RvResult result = rv_grid_points(grid, &read, &positions, error);
  if (!result) result = rv_detail_add_points(detail, count, first, error);
  float* to = result ? NULL : rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
  if (to && count) memcpy(to + 3 * *first, positions, count * 3 * sizeof *positions);
  rv_free(positions);
  return result || to ? result : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Appends the points of a points grid with all their attributes. *budget is the bytes that may still be used.
static RvResult read_points(RvDetail* detail, const RvGrid* grid, size_t* budget, const RvLog* log, RvError* error) {
  size_t count = 0, first = 0;
  RvResult result = rv_grid_points_count(grid, &count, error);
  if (!result) result = spend(grid, "P", count, budget, error);
  if (!result) result = read_positions(detail, grid, count, &first, error);
  size_t channels = 0;
  const char** names = NULL;
  if (!result) result = rv_grid_points_channels(grid, &channels, &names, error);
  for (size_t i = 0; !result && i < channels; ++i) {
    result = spend(grid, names[i], count, budget, error);
    if (!result) result = read_channel(detail, grid, names[i], first, count, log, error);
  }
  rv_free(names);
  return result;
}

RvResult rv_vdb_read(const char* path, RvDetail** out, const RvLog* log, RvError* error) {
  *out = NULL;
  RvGrid** grids = NULL;
  size_t count = 0;
  RvFileInfo info;
  // A missing file is reported by rv_grid_read_file.
  size_t budget = !rv_platform_info(path, &info) ? 0 : (size_t)info.bytes * EXPANSION + EXPANSION_FLOOR;
  RvResult result = rv_grid_read_file(path, &grids, &count, log, error);
  RvDetail* detail = result ? NULL : rv_detail_new();
  if (!result && !detail) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Points grids become points, all others VDB primitives.
  for (size_t i = 0; !result && i < count; ++i) {
    bool points = rv_grid_type(grids[i]) == RV_GRID_POINTS;
    result = points ? read_points(detail, grids[i], &budget, log, error) : rv_detail_add_vdb(detail, grids[i], error);
  }
  for (size_t i = 0; i < count; ++i) rv_grid_release(grids[i]);
  rv_free(grids);
  if (result && error && !strstr(error->text, path)) rv_error_context(error, "'%s'", path);
  if (result) {
    rv_detail_free(detail);
  } else {
    *out = detail;
  }
  return result;
}
