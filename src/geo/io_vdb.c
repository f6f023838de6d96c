// OpenVDB files as details.
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "geo/detail.h"
#include "geo/io.h"

//---------------------------------------------------------------------------------------------- write

// half the mean distance of the points, were they spread evenly over their box: about eight in a voxel
static double voxel_for_points(const RvDetail* detail) {
  double lo[3], hi[3], volume = 1, longest = 0;
  if (!rv_detail_bounds(detail, lo, hi)) return 1;
  for (int c = 0; c < 3; ++c) {
    if (hi[c] - lo[c] > longest) longest = hi[c] - lo[c];
  }
  if (!(longest > 0)) return 1;
  for (int c = 0; c < 3; ++c) volume *= hi[c] - lo[c] > longest * 1e-3 ? hi[c] - lo[c] : longest * 1e-3;
  double each = volume * 8 / (double)detail->count[RV_POINT], size = longest;
  // a cube root by bisection needs no libm and no great precision
  double low = 0;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + size) / 2;
    if (middle * middle * middle > each) {
      size = middle;
    } else {
      low = middle;
    }
  }
  return size > longest * 1e-5 ? size : longest * 1e-5;
}

// OpenVDB takes no other name
static bool is_channel_name(const char* name) {
  while (isalnum((unsigned char)*name) || *name == '_' || *name == ':' || *name == '|') ++name;
  return !*name;
}

// what a points grid can hold: one or three floats, or one int32; a wide id is narrowed where it fits
static bool as_channel(const RvAttrib* attrib, RvPointChannel* channel, int32_t** narrowed) {
  size_t count = attrib->count;
  if (!is_channel_name(attrib->name)) return false;
  *channel = (RvPointChannel){attrib->name, attrib->size, attrib->storage != RV_F32, attrib->values->data};
  if (attrib->storage == RV_F32) return attrib->size == 1 || attrib->size == 3;
  if (attrib->size != 1) return false;
  if (attrib->storage == RV_I32) return true;
  if (attrib->storage != RV_I64 || strcmp(attrib->name, "id") != 0) return false;
  const int64_t* wide = attrib->values->data;
  for (size_t i = 0; i < count; ++i) {
    if (wide[i] < INT32_MIN || wide[i] > INT32_MAX) return false;
  }
  *narrowed = rv_alloc(count, sizeof **narrowed);
  for (size_t i = 0; *narrowed && i < count; ++i) (*narrowed)[i] = (int32_t)wide[i];
  channel->data = *narrowed;
  return *narrowed != NULL;
}

static RvResult write_points(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  RV_ARRAY(RvPointChannel) channels = {0};
  int32_t* narrowed = NULL;
  RvGrid* grid = NULL;
  RvResult result = RV_OK;
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
                     "there are %zu polygons and no VDB; a .vdb holds VDBs, or points without primitives",
                     detail->count[RV_PRIM]);
  } else if (!ngrid) {
    result = write_points(detail, path, log, error);
  } else {
    if (detail->count[RV_POINT] || detail->count[RV_PRIM] > ngrid)
      rv_log(log, RV_LEVEL_WARNING, "%zu points and %zu polygons were not written: this .vdb holds the VDBs only",
             detail->count[RV_POINT], detail->count[RV_PRIM] - ngrid);
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

// values that are the same for all points of a block take no room in a file, so it may say much with few bytes
enum { EXPANSION = 1024 };

static RvResult read_channel(RvDetail* detail, const RvGrid* grid, const char* name, size_t first, size_t count,
                             const RvLog* log, RvError* error) {
  int size = 0;
  bool whole = false;
  void* data = NULL;
  RvError reason = {0};
  RvResult found = rv_grid_points_channel(grid, name, &size, &whole, &data, &reason);
  if (found == RV_NOT_FOUND) return RV_OK;
  if (found) {
    rv_log(log, RV_LEVEL_WARNING, "the point attribute '%s' was not read: %s", name, reason.text);
    return RV_OK;
  }
  void* to = whole ? (void*)rv_detail_i32_write(detail, RV_POINT, name, size, error)
                   : (void*)rv_detail_f32_write(detail, RV_POINT, name, size, error);
  if (to) memcpy((char*)to + first * 4 * (size_t)size, data, count * 4 * (size_t)size);
  rv_free(data);
  return to ? RV_OK : rv_fail(error, RV_BAD_FILE, "the point attribute '%s' has two kinds", name);
}

static RvResult read_points(RvDetail* detail, const RvGrid* grid, size_t* budget, const RvLog* log, RvError* error) {
  size_t count = 0, first = 0;
  float* positions = NULL;
  RvResult result = rv_grid_points(grid, &count, &positions, error);
  if (!result) result = rv_detail_add_points(detail, count, &first, error);
  float* to = result ? NULL : rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
  if (to && count) memcpy(to + 3 * first, positions, count * 12);
  rv_free(positions);
  if (!result && !to) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < rv_grid_points_channel_count(grid); ++i) {
    const char* name = rv_grid_points_channel_name(grid, i);
    if (count > *budget / 12)
      return rv_fail(error, RV_LIMIT, "points grid '%s': with '%s' the file becomes more than %d times its size",
                     rv_grid_name(grid), name, EXPANSION);
    *budget -= 12 * count;
    result = read_channel(detail, grid, name, first, count, log, error);
  }
  return result;
}

RvResult rv_vdb_read(const char* path, RvDetail** out, const RvLog* log, RvError* error) {
  *out = NULL;
  RvGrid** grids = NULL;
  size_t count = 0;
  struct stat info;
  // a file that is not there is told of below
  size_t budget = stat(path, &info) ? 0 : (size_t)info.st_size * EXPANSION + ((size_t)64 << 20);
  RvResult result = rv_grid_read_file(path, &grids, &count, log, error);
  RvDetail* detail = result ? NULL : rv_detail_new();
  if (!result && !detail) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
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
