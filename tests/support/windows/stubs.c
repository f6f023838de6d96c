// What the unit tests of base, math, geo and parm link with on Windows: a runner, loops on one thread, numbers by the C
// library, and no OpenVDB, blosc or zlib, which have no packages there. Tests that need these are not run
// (tests/full/windows.py lists them).
#include <stdlib.h>

#include "geo/io.h"
#include "geo/io_houdini.h"
#include "rivulet/vdb.h"
#include "shim/number.h"
#include "shim/tbb.h"
#include "support/windows/cmocka.h"

//---------------------------------------------------------------------------------------------- runner

jmp_buf rv_test_failed;

void rv_test_stop(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  longjmp(rv_test_failed, 1);
}

int rv_test_run_all(const struct CMUnitTest* tests, size_t count) {
  volatile int failed = 0;
  for (volatile size_t i = 0; i < count; ++i) {
    void* state = NULL;
    if (setjmp(rv_test_failed) == 0) {
      tests[i].test(&state);
      printf("ok %s\n", tests[i].name);
    } else {
      printf("FAILED %s\n", tests[i].name);
      ++failed;
    }
  }
  printf("%d of %d tests pass\n", (int)count - failed, (int)count);
  return failed;
}

//---------------------------------------------------------------------------------------------- loops

void rv_tbb_run(int workers, size_t count, void (*body)(void* arg, size_t index), void* arg, const void* site) {
  (void)workers;
  (void)site;
  for (size_t i = 0; i < count; ++i) body(arg, i);
}

RvResult rv_tbb_start(int workers, RvError* error) {
  (void)workers;
  (void)error;
  return RV_OK;
}

int rv_tbb_cores(void) {
  return 1;
}

//---------------------------------------------------------------------------------------------- no OpenVDB

static RvResult none(RvError* error) {
  return rv_fail(error, RV_UNSUPPORTED, "there is no OpenVDB in this build");
}

RvGrid* rv_grid_retain(RvGrid* grid) {
  return grid;
}
void rv_grid_release(RvGrid* grid) {
  (void)grid;
}
RvGridType rv_grid_type(const RvGrid* grid) {
  (void)grid;
  return RV_GRID_OTHER;
}
RvGridClass rv_grid_class(const RvGrid* grid) {
  (void)grid;
  return RV_GRID_UNKNOWN;
}
const char* rv_grid_name(const RvGrid* grid) {
  (void)grid;
  return "";
}
size_t rv_grid_bytes(const RvGrid* grid) {
  (void)grid;
  return 0;
}
uint64_t rv_grid_hash(const RvGrid* grid) {
  (void)grid;
  return 1;
}
bool rv_grid_bounds(const RvGrid* grid, int32_t lo[3], int32_t hi[3], double world_lo[3], double world_hi[3]) {
  (void)grid;
  (void)lo;
  (void)hi;
  (void)world_lo;
  (void)world_hi;
  return false;
}
RvResult rv_grid_write_file(const char* path, RvGrid* const* grids, size_t count, bool half, RvError* error) {
  (void)path;
  (void)grids;
  (void)count;
  (void)half;
  return none(error);
}
RvResult rv_vdb_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  (void)detail;
  (void)path;
  (void)log;
  return none(error);
}
RvResult rv_vdb_read(const char* path, RvDetail** out, const RvLog* log, RvError* error) {
  (void)path;
  (void)out;
  (void)log;
  return none(error);
}

//---------------------------------------------------------------------------------------------- no blosc, no zlib

static RvResult no_container(void** out, size_t* out_count, RvError* error) {
  *out = NULL;
  *out_count = 0;
  return rv_fail(error, RV_UNSUPPORTED, "there is no blosc and no zlib in this build");
}

bool rv_container_is_sc(const void* bytes, size_t count) {
  (void)bytes;
  (void)count;
  return false;
}
bool rv_container_is_gzip(const void* bytes, size_t count) {
  (void)bytes;
  (void)count;
  return false;
}
RvResult rv_container_pack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  (void)bytes;
  (void)count;
  return no_container(out, out_count, error);
}
RvResult rv_container_pack_pieces(const RvPiece* pieces, size_t npiece, void** out, size_t* out_count, RvError* error) {
  (void)pieces;
  (void)npiece;
  return no_container(out, out_count, error);
}
RvResult rv_container_unpack(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  (void)bytes;
  (void)count;
  return no_container(out, out_count, error);
}
RvResult rv_container_gunzip(const void* bytes, size_t count, void** out, size_t* out_count, RvError* error) {
  (void)bytes;
  (void)count;
  return no_container(out, out_count, error);
}

//---------------------------------------------------------------------------------------------- numbers without C++

size_t rv_number_parse_f64(const char* text, size_t length, double* out) {
  char copy[RV_NUMBER_TEXT * 8];
  size_t count = length < sizeof copy - 1 ? length : sizeof copy - 1;
  memcpy(copy, text, count);
  copy[count] = 0;
  char* end;
  *out = strtod(copy, &end);
  return (size_t)(end - copy);
}
size_t rv_number_parse_f32(const char* text, size_t length, float* out) {
  char copy[RV_NUMBER_TEXT * 8];
  size_t count = length < sizeof copy - 1 ? length : sizeof copy - 1;
  memcpy(copy, text, count);
  copy[count] = 0;
  char* end;
  *out = strtof(copy, &end);
  return (size_t)(end - copy);
}
size_t rv_number_print_f64(char text[RV_NUMBER_TEXT], double value) {
  int length = 0;
  for (int digits = 1; digits <= 17; ++digits) {
    length = snprintf(text, RV_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return (size_t)length;
}
size_t rv_number_print_f32(char text[RV_NUMBER_TEXT], float value) {
  int length = 0;
  for (int digits = 1; digits <= 9; ++digits) {
    length = snprintf(text, RV_NUMBER_TEXT, "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value) break;
  }
  return (size_t)length;
}
