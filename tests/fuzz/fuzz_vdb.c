// VDB files: the walk over the bytes, OpenVDB behind it, and what a program does with the grids.
#include <stdlib.h>
#include <string.h>

#include "fuzz/decode.h"
#include "shim/vdb_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#if defined(RV_LIBFUZZER)
// OpenVDB 10.0 loses what it has as bare pointers when it refuses a file that passed the walk: page handles of point
// attributes (under 100 bytes each) when a later array is refused, and a node (270 kB at most) whose compressed values
// cannot be decoded. Nothing outside can free them. Handles of grids are ours, so that a grid that is lost is still told.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) {
  return "leak:libopenvdb.so";
}
#endif

static void use_points(const RvGrid* grid) {
  RvError error = {0};
  size_t count = 0;
  float* positions = NULL;
  // more than this is refused where files are read as geometry
  const size_t most = (size_t)16 << 20;
  if (rv_grid_points_count(grid, &count, &error) || count > most) return;
  rv_grid_points(grid, &count, &positions, &error);
  rv_free(positions);
  size_t channels = 0;
  const char** names = NULL;
  rv_grid_points_channels(grid, &channels, &names, &error);
  for (size_t i = 0; i < channels; ++i) {
    RvError ignored = {0};
    int components;
    bool is_int;
    void* values = NULL;
    rv_grid_points_channel(grid, names[i], &components, &is_int, &values, &ignored);
    rv_free(values);
  }
  rv_free(names);
}

static void use_values(const RvGrid* grid) {
  RvError error = {0};
  float value[3];
  const RvLeaf* leaves = NULL;
  rv_grid_sample(grid, 1, (const double[3]){3, 4, 5}, value, &error);
  if (rv_grid_type(grid) != RV_GRID_OTHER) rv_grid_leaves(grid, &leaves, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RvError error = {0};
  RvGrid** grids = NULL;
  size_t count = 0;
  rv_threads_set(1);
  // the reader may change the bytes
  unsigned char* copy = malloc(size ? size : 1);
  if (!copy) return 0;
  memcpy(copy, data, size);
  RvResult result = rv_grid_read_bytes("fuzz.vdb", copy, size, &grids, &count, NULL, &error);
  if (result) {
    bool foreseen = result == RV_BAD_FILE || result == RV_UNSUPPORTED || result == RV_LIMIT;
    fuzz_require(foreseen && strstr(error.text, "fuzz.vdb") && !grids, rv_result_name(result), error.text);
  }
  for (size_t i = 0; i < count; ++i) {
    int32_t lo[3], hi[3];
    double world_lo[3], world_hi[3];
    rv_grid_bounds(grids[i], lo, hi, world_lo, world_hi);
    uint64_t active = 0;
    rv_grid_active_count(grids[i], &active, &error);
    rv_grid_hash(grids[i]);
    if (rv_grid_type(grids[i]) == RV_GRID_POINTS)
      use_points(grids[i]);
    else
      use_values(grids[i]);
    rv_grid_release(grids[i]);
  }
  rv_free(grids);
  free(copy);
  return 0;
}
