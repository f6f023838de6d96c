// What the unit tests of base, math, geo and parm link with on Windows: a runner, loops on one thread, numbers by the C
// library, zlib in the place of blosc, and no OpenVDB. These have no packages there; tests that need more of them
// are not run (tests/full/windows.py lists them).
#include <blosc.h>
#include <stdlib.h>
#include <zlib.h>

#include "geo/io.h"
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

// The stand-ins use none of their parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

void rv_tbb_run(int workers, size_t count, void (*body)(void* arg, size_t index), void* arg, const void* site) {
  for (size_t i = 0; i < count; ++i) body(arg, i);
}

RvResult rv_tbb_start(int workers, RvError* error) {
  return RV_OK;
}

int rv_tbb_cores(void) {
  return 1;
}

//---------------------------------------------------------------------------------------------- no OpenVDB

// A function that gives back a constant, or fails.
#define STAND_IN(type, name, parameters, value) \
  type name parameters {                        \
    return value;                               \
  }
#define NO_OPENVDB(name, parameters) \
  STAND_IN(RvResult, name, parameters, rv_fail(error, RV_UNSUPPORTED, "there is no OpenVDB in this build"))

// A grid without voxels, which knows what it is.
struct RvGrid {
  int owners;
  RvGridType type;
  RvGridClass kind;
  char name[64];
};

RvResult rv_grid_create(RvGridType type, const char* name, RvGridClass kind, double voxel, const float background[3],
                        RvGrid** out, RvError* error) {
  *out = calloc(1, sizeof **out);
  **out = (RvGrid){.owners = 1, .type = type, .kind = kind};
  snprintf((*out)->name, sizeof(*out)->name, "%s", name);
  return RV_OK;
}
RvGrid* rv_grid_retain(RvGrid* grid) {
  ++grid->owners;
  return grid;
}
void rv_grid_release(RvGrid* grid) {
  if (grid && --grid->owners == 0) free(grid);
}
RvResult rv_grid_copy(const RvGrid* grid, RvGrid** out, RvError* error) {
  return rv_grid_create(grid->type, grid->name, grid->kind, 0, NULL, out, error);
}
STAND_IN(RvGridType, rv_grid_type, (const RvGrid* grid), grid->type)
STAND_IN(RvGridClass, rv_grid_class, (const RvGrid* grid), grid->kind)
STAND_IN(const char*, rv_grid_name, (const RvGrid* grid), grid->name)
STAND_IN(size_t, rv_grid_bytes, (const RvGrid* grid), sizeof *grid)
STAND_IN(uint64_t, rv_grid_hash, (const RvGrid* grid), 1)
STAND_IN(bool, rv_grid_bounds,
         (const RvGrid* grid, int32_t lo[3], int32_t hi[3], double world_lo[3], double world_hi[3]), false)
NO_OPENVDB(rv_grid_write_file, (const char* path, RvGrid* const* grids, size_t count, bool half, RvError* error))
NO_OPENVDB(rv_vdb_write, (const RvDetail* detail, const char* path, const RvLog* log, RvError* error))
NO_OPENVDB(rv_vdb_read, (const char* path, RvDetail** out, const RvLog* log, RvError* error))

//---------------------------------------------------------------------------------------------- blosc

// Buffers with blosc's head of 16 bytes: four bytes of format, codec, flags and size of an element, and three words, which
// are the bytes before, of a block, and after. The bytes behind it are zlib's, or copies where zlib has no gain: as with
// blosc a buffer is never more than its head longer than what is in it. The real blosc does not read zlib's.
enum { FORMAT = 2, CODEC = 1, COPIED = 2 };

int blosc_compress_ctx(int level, int shuffle, size_t element, size_t bytes, const void* from, void* to, size_t room,
                       const char* codec, size_t block, int threads) {
  uint8_t* out = to;
  uint8_t first[4] = {FORMAT, CODEC, 0, (uint8_t)element};
  uLongf packed = room > BLOSC_MIN_HEADER_LENGTH ? (uLongf)(room - BLOSC_MIN_HEADER_LENGTH) : 0;
  if (compress2(out + BLOSC_MIN_HEADER_LENGTH, &packed, from, (uLong)bytes, 1) != Z_OK || packed >= bytes) {
    if (room < bytes + BLOSC_MIN_HEADER_LENGTH) return 0;
    first[2] = COPIED;
    packed = (uLongf)bytes;
    memcpy(out + BLOSC_MIN_HEADER_LENGTH, from, bytes);
  }
  const uint32_t words[3] = {(uint32_t)bytes, (uint32_t)bytes, (uint32_t)packed + BLOSC_MIN_HEADER_LENGTH};
  memcpy(out, first, sizeof first);
  memcpy(out + sizeof first, words, sizeof words);
  return (int)words[2];
}

int blosc_cbuffer_validate(const void* buffer, size_t room, size_t* bytes) {
  uint32_t head[4];
  if (room < sizeof head) return -1;
  memcpy(head, buffer, sizeof head);
  *bytes = head[1];
  return head[3] == room ? 0 : -1;
}

int blosc_decompress_ctx(const void* from, void* to, size_t room, int threads) {
  uint32_t head[4];
  memcpy(head, from, sizeof head);
  const uint8_t* packed = (const uint8_t*)from + sizeof head;
  if (((const uint8_t*)from)[2] & COPIED) {
    if (head[1] > room || head[3] - sizeof head != head[1]) return -1;
    memcpy(to, packed, head[1]);
    return (int)head[1];
  }
  uLongf bytes = (uLongf)room;
  int state = uncompress(to, &bytes, packed, head[3] - sizeof head);
  return state == Z_OK && bytes == head[1] ? (int)bytes : -1;
}

//---------------------------------------------------------------------------------------------- numbers without C++

// The text with an ending zero.
#define COPY_TEXT(copy, text, length)                                     \
  char copy[RV_NUMBER_TEXT * 8];                                          \
  size_t count = (length) < sizeof copy - 1 ? (length) : sizeof copy - 1; \
  memcpy(copy, text, count);                                              \
  copy[count] = 0

size_t rv_number_parse_f64(const char* text, size_t length, double* out) {
  COPY_TEXT(copy, text, length);
  char* end;
  *out = strtod(copy, &end);
  return (size_t)(end - copy);
}
size_t rv_number_parse_f32(const char* text, size_t length, float* out) {
  COPY_TEXT(copy, text, length);
  char* end;
  *out = strtof(copy, &end);
  return (size_t)(end - copy);
}
// The shortest text that reads back as the number: `most` are the digits that are always enough.
#define PRINT_SHORTEST(parse, most)                                         \
  int length = 0;                                                           \
  for (int digits = 1; digits <= most; ++digits) {                          \
    length = snprintf(text, RV_NUMBER_TEXT, "%.*g", digits, (double)value); \
    if (parse(text, NULL) == value) break;                                  \
  }                                                                         \
  return (size_t)length

size_t rv_number_print_f64(char text[RV_NUMBER_TEXT], double value) {
  PRINT_SHORTEST(strtod, 17);
}
size_t rv_number_print_f32(char text[RV_NUMBER_TEXT], float value) {
  PRINT_SHORTEST(strtof, 9);
}
