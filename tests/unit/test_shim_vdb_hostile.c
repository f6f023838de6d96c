// Damaged VDB files: cut, with flipped bits, with absurd lengths. Each is read in a child of its own, with limited
// memory and time, and must end with an error or with grids that can be used, never with a crash.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "rivulet/vdb.h"
#include "support/grids.h"
#include "support/rv_test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static RvError error;
static char path[512], bad_path[512];

// the two kinds whose trees OpenVDB reads by different code
static void write_sample(bool points) {
  RvGrid* grid = NULL;
  snprintf(path, sizeof path, "%s/good.vdb", rv_test_folder());
  snprintf(bad_path, sizeof bad_path, "%s/bad.vdb", rv_test_folder());
  float centres[3 * 40], radii[40];
  int32_t ids[40];
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 3; ++k) centres[3 * i + k] = (float)(20 * rv_random(5, 0, (uint64_t)i, k));
    radii[i] = 3;
    ids[i] = i;
  }
  const RvPointChannel channels[2] = {{"id", 1, true, ids}, {"pscale", 1, false, radii}};
  if (points)
    CHECK_OK(rv_grid_from_points("points", 1, 40, centres, channels, 2, &grid, &error), error);
  else
    CHECK_OK(rv_grid_from_spheres("surface", 1, 3, 10, centres, radii, &grid, &error), error);
  CHECK_OK(rv_grid_set_meta_string(grid, "note", "wet", &error), error);
  CHECK_OK(rv_grid_write_file(path, &grid, 1, false, &error), error);
  rv_grid_release(grid);
}

// all that a program does with a grid that it has read
static void use(RvGrid* grid) {
  int32_t lo[3], hi[3];
  double world_lo[3], world_hi[3];
  rv_grid_bounds(grid, lo, hi, world_lo, world_hi);
  rv_test_active(grid);
  rv_grid_hash(grid);
  RvError ignored = {0};
  if (rv_grid_type(grid) == RV_GRID_POINTS) {
    size_t count = 0;
    float* p = NULL;
    void* ids = NULL;
    int size;
    bool is_int;
    rv_grid_points(grid, &count, &p, &ignored);
    rv_grid_points_channel(grid, "id", &size, &is_int, &ids, &ignored);
    rv_free(p);
    rv_free(ids);
  } else {
    float value[3];
    rv_grid_sample(grid, 1, (const double[3]){3, 4, 5}, value, &ignored);
    for (size_t i = 0; i < rv_grid_leaf_count(grid); ++i) assert_non_null(rv_test_leaf(grid, i).values);
  }
}

enum { READ = 0, REFUSED = 1, BROKEN = 2, CRASHED = 3 };

enum { CHILD_SECONDS = 20, ATTEMPTS = 3 };

// Reads bad_path in a child; texts of errors must name the file. *waited: the child was ended by its clock.
static int read_in_child(bool* waited) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    for (int s = 1; s < 32; ++s) signal(s, SIG_DFL);
    alarm(CHILD_SECONDS);
    struct rlimit memory = {2ull << 30, 2ull << 30}, seconds = {20, 20}, core = {0, 0};
    if (!SANITIZED) setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &core);
    RvGrid** grids = NULL;
    size_t count = 0;
    RvError got = {0};
    RvResult result = rv_grid_read_file(bad_path, &grids, &count, NULL, &got);
    for (size_t i = 0; i < count; ++i) use(grids[i]);
    if (result == RV_OK) _exit(READ);
    bool clear = (result == RV_BAD_FILE || result == RV_UNSUPPORTED || result == RV_LIMIT) && !grids && !count &&
                 strstr(got.text, "bad.vdb");
    if (!clear) fprintf(stderr, "%s: %s\n", rv_result_name(result), got.text);
    _exit(clear ? REFUSED : BROKEN);
  }
  int status = 0;
  waitpid(child, &status, 0);
  *waited = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  return WIFEXITED(status) && WEXITSTATUS(status) <= BROKEN ? WEXITSTATUS(status) : CRASHED;
}

// What reading bad_path leads to. A child may inherit a lock that a thread of TBB held when it was forked, and then
// waits for ever; a file that makes the reader wait does so in every attempt.
static int outcome(void) {
  bool waited = true;
  int got = CRASHED;
  for (int i = 0; waited && i < ATTEMPTS; ++i) got = read_in_child(&waited);
  return got;
}

// plainly: a flush to disk for each would take most of the time
static void write_bad(const unsigned char* bytes, size_t count) {
  FILE* file = fopen(bad_path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

static void make_foreign(unsigned char* bytes);

static void cut_files_are_refused(void** state) {
  (void)state;
  for (int n = 0; n < 4; ++n) {
    bool points = n & 1, foreign = n & 2;
    write_sample(points);
    void* bytes;
    size_t count;
    CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
    if (foreign) make_foreign(bytes);
    write_bad(bytes, count);
    assert_int_equal(outcome(), READ);
    for (int i = 0; i < 30; ++i) {
      // every place of the header, then anywhere
      size_t cut = i < 20 ? (size_t)i * 9 : (size_t)(rv_random(6, 0, (uint64_t)i, n) * (double)count);
      write_bad(bytes, cut);
      int got = outcome();
      if (got != REFUSED)
        fail_msg("cut to %zu of %zu bytes (points %d, foreign %d): %d", cut, count, points, foreign, got);
    }
    rv_free(bytes);
  }
}

// as another program would have written it: the identity in the header is random, and so no checksum
static void make_foreign(unsigned char* bytes) {
  memcpy(bytes + 21, "0a1b2c3d-0123-4567-89ab-0123456789ab", 36);
}

// what the scan sees before OpenVDB does
static void absurd_lengths_are_refused_at_their_place(void** state) {
  (void)state;
  write_sample(false);
  unsigned char* bytes;
  size_t count;
  CHECK_OK(rv_file_read(path, 0, (void**)&bytes, &count, &error), error);
  RvGrid** grids = NULL;
  size_t n = 0;
  make_foreign(bytes);
  // 57: the number of file metadata; 61: the length of the first name, "creator"
  const uint32_t huge = 0xfffffff0u;
  memcpy(bytes + 61, &huge, 4);
  write_bad(bytes, count);
  CHECK_FAILS(rv_grid_read_file(bad_path, &grids, &n, NULL, &error), RV_BAD_FILE, error, "byte 65");
  const uint32_t seven = 7;
  memcpy(bytes + 61, &seven, 4);
  const uint32_t version = 9999;
  memcpy(bytes + 8, &version, 4);
  write_bad(bytes, count);
  CHECK_FAILS(rv_grid_read_file(bad_path, &grids, &n, NULL, &error), RV_UNSUPPORTED, error, "9999");
  rv_free(bytes);
}

// A truth value of the metadata is a byte of 0 or 1. OpenVDB takes any byte for one, which may then be both.
static void a_bool_that_is_neither_is_refused(void** state) {
  (void)state;
  RvGrid *grid = NULL, **grids = NULL;
  unsigned char* bytes;
  size_t count, n = 0, at = 0;
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "half", RV_GRID_UNKNOWN, 0.5, (float[3]){0}, &grid, &error), error);
  CHECK_OK(rv_grid_set(grid, (int32_t[3]){1, 2, 3}, (float[3]){1}, &error), error);
  CHECK_OK(rv_grid_write_file(path, &grid, 1, true, &error), error);
  CHECK_OK(rv_file_read(path, 0, (void**)&bytes, &count, &error), error);
  make_foreign(bytes);
  // the type, the length of the value (1), the value
  static const unsigned char head[] = {'b', 'o', 'o', 'l', 1, 0, 0, 0};
  while (at + sizeof head < count && memcmp(bytes + at, head, sizeof head) != 0) ++at;
  at += sizeof head;
  assert_true(at < count && bytes[at] == 1);
  bytes[at] = 96;
  write_bad(bytes, count);
  CHECK_FAILS(rv_grid_read_file(bad_path, &grids, &n, NULL, &error), RV_BAD_FILE, error, "not 0 or 1");
  // So is the byte that says whether a tile of the root is active; the fuzzer found this file.
  const char* tile = RV_SOURCE_DIR "/tests/fuzz/regressions/vdb/tile_neither_active.vdb";
  CHECK_FAILS(rv_grid_read_file(tile, &grids, &n, NULL, &error), RV_BAD_FILE, error, "neither active");
  rv_free(bytes);
  rv_grid_release(grid);
}

// OpenVDB makes the leaves of a tree of points from its background and asserts that they begin without points: this file,
// of which one byte was changed, would end the process.
static void points_with_a_background_are_refused(void** state) {
  (void)state;
  const char* file = RV_SOURCE_DIR "/tests/fuzz/regressions/vdb/points_background.vdb";
  RvGrid** grids = NULL;
  size_t n = 0;
  CHECK_FAILS(rv_grid_read_file(file, &grids, &n, NULL, &error), RV_BAD_FILE, error, "background that is not 0");
}

// OpenVDB skips the space, and takes other bytes for lengths: this file of 8 kB would take 1.8 GB.
static void an_identity_with_a_space_is_refused(void** state) {
  (void)state;
  const char* file = RV_SOURCE_DIR "/tests/fuzz/regressions/vdb/space_in_identity.vdb";
  RvGrid** grids = NULL;
  size_t n = 0;
  CHECK_FAILS(rv_grid_read_file(file, &grids, &n, NULL, &error), RV_BAD_FILE, error, "the identity of the file");
}

// any bit of a file of ours, checked by the file's own checksum
static void a_flipped_bit_is_noticed(void** state) {
  (void)state;
  for (int points = 0; points < 2; ++points) {
    write_sample(points);
    unsigned char* bytes;
    size_t count;
    CHECK_OK(rv_file_read(path, 0, (void**)&bytes, &count, &error), error);
    for (int i = 0; i < 500; ++i) {
      size_t at = (size_t)(rv_random(7, (uint64_t)points, (uint64_t)i, 0) * (double)count);
      // the identity itself: what says that it is ours is 20 characters of it
      if (at >= 21 && at < 41) continue;
      unsigned char bit = (unsigned char)(1 << (int)(8 * rv_random(7, (uint64_t)points, (uint64_t)i, 1)));
      bytes[at] ^= bit;
      write_bad(bytes, count);
      bytes[at] ^= bit;
      RvGrid** grids = NULL;
      size_t n = 0;
      RvResult result = rv_grid_read_file(bad_path, &grids, &n, NULL, &error);
      if (result != RV_BAD_FILE && result != RV_UNSUPPORTED) fail_msg("byte %zu by %d: %d", at, bit, (int)result);
      assert_null(grids);
      error = (RvError){0};
    }
    rv_free(bytes);
  }
}

// lengths, names, counts and offsets of a file of another program: those of the first 600 bytes
static void a_foreign_header_with_flipped_bits_does_not_crash(void** state) {
  (void)state;
  int tally[4] = {0};
  for (int points = 0; points < 2; ++points) {
    write_sample(points);
    unsigned char* bytes;
    size_t count;
    CHECK_OK(rv_file_read(path, 0, (void**)&bytes, &count, &error), error);
    make_foreign(bytes);
    for (int i = 0; i < (SANITIZED ? 30 : 100); ++i) {
      size_t at = (size_t)(rv_random(8, (uint64_t)points, (uint64_t)i, 0) * 600);
      unsigned char bit = (unsigned char)(1 << (int)(8 * rv_random(8, (uint64_t)points, (uint64_t)i, 1)));
      bytes[at] ^= bit;
      write_bad(bytes, count);
      bytes[at] ^= bit;
      int got = outcome();
      tally[got]++;
      if (got >= BROKEN) print_error("flip of byte %zu by %d (points %d): %d\n", at, bit, points, got);
    }
    rv_free(bytes);
  }
  // some harm nothing, such as a letter of a name
  assert_true(tally[READ] > 0 && tally[REFUSED] > 0);
  assert_int_equal(tally[BROKEN], 0);
  assert_int_equal(tally[CRASHED], 0);
}

RV_TESTS(cmocka_unit_test(cut_files_are_refused), cmocka_unit_test(absurd_lengths_are_refused_at_their_place),
         cmocka_unit_test(a_bool_that_is_neither_is_refused), cmocka_unit_test(points_with_a_background_are_refused),
         cmocka_unit_test(an_identity_with_a_space_is_refused), cmocka_unit_test(a_flipped_bit_is_noticed),
         cmocka_unit_test(a_foreign_header_with_flipped_bits_does_not_crash))
