// Damaged VDB files of every kind that we write, as a file of another program would be: without our checksum. A child
// process reads one after the other; each must end with an error that names the file and says what to do, or with
// geometry that can be used. The child may not die, nor take more than 1 GB. RV_DAMAGED gives the number of files.
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "rivulet/geo.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"
#include "support/sanitized.h"

enum { SAMPLES = 6, POINTS = 300, UUID_AT = 21, QUICK_FILES = 500 };
static const char* const sample_names[SAMPLES] = {"level set", "fog", "velocity", "points", "half", "two grids"};
static RvError error;

typedef struct Sample {
  unsigned char* bytes;
  size_t size;
} Sample;
static Sample samples[SAMPLES];

// What the child tells: which file it reads, and the outcomes.
typedef struct Tally {
  size_t at, read, refused, unclear;
} Tally;

//---------------------------------------------------------------------------------------------- samples

static RvGrid* spheres(const char* name) {
  float centres[3 * 8], radii[8];
  RvGrid* grid = NULL;
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 3; ++k) centres[3 * i + k] = (float)(8 * rv_random(5, 0, (uint64_t)i, k));
    radii[i] = 3;
  }
  CHECK_OK(rv_grid_from_spheres(name, 1, 3, 8, centres, radii, &grid, &error), error);
  return grid;
}

static RvGrid* velocity(void) {
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_STAGGERED, 1, NULL, &grid, &error), error);
  for (int i = 0; i < 400; ++i) {
    const int32_t place[3] = {i % 11, i / 11 % 9, i / 99};
    const float value[3] = {(float)i, 1, (float)-i};
    CHECK_OK(rv_grid_set(grid, place, value, &error), error);
  }
  return grid;
}

static RvGrid* points(void) {
  float centres[3 * POINTS], radii[POINTS], equal[3 * POINTS];
  int32_t ids[POINTS];
  RvGrid* grid = NULL;
  for (int i = 0; i < POINTS; ++i) {
    for (int k = 0; k < 3; ++k) centres[3 * i + k] = (float)(20 * rv_random(6, 0, (uint64_t)i, k));
    for (int k = 0; k < 3; ++k) equal[3 * i + k] = 1;
    radii[i] = (float)i;
    ids[i] = i;
  }
  const RvPointChannel channels[3] = {{"id", 1, true, ids}, {"pscale", 1, false, radii}, {"v", 3, false, equal}};
  CHECK_OK(rv_grid_from_points("points", 1, POINTS, centres, channels, 3, &grid, &error), error);
  return grid;
}

// The grids of a sample; half: with half precision.
static size_t make(int kind, RvGrid* grids[2], bool* half) {
  RvGrid* whole = kind == 1 ? spheres("whole") : NULL;
  *half = kind == 4;
  if (whole) CHECK_OK(rv_grid_to_fog(whole, "density", &grids[0], &error), error);
  rv_grid_release(whole);
  if (kind == 0 || kind == 4 || kind == 5) grids[0] = spheres("surface");
  if (kind == 2) grids[0] = velocity();
  if (kind == 3) grids[0] = points();
  if (kind == 5) grids[1] = points();
  return kind == 5 ? 2 : 1;
}

static int make_samples(void** state) {
  (void)state;
  const char* path = rv_test_path("good.vdb");
  for (int kind = 0; kind < SAMPLES; ++kind) {
    RvGrid* grids[2] = {NULL, NULL};
    bool half;
    size_t count = make(kind, grids, &half);
    CHECK_OK(rv_grid_write_file(path, grids, count, half, &error), error);
    CHECK_OK(rv_file_read(path, 0, (void**)&samples[kind].bytes, &samples[kind].size, &error), error);
    // as another program would have written it: the identity in the header is random
    memcpy(samples[kind].bytes + UUID_AT, "0a1b2c3d-0123-4567-89ab-0123456789ab", 36);
    for (size_t i = 0; i < count; ++i) rv_grid_release(grids[i]);
  }
  return 0;
}

static int free_samples(void** state) {
  (void)state;
  for (int kind = 0; kind < SAMPLES; ++kind) rv_free(samples[kind].bytes);
  return 0;
}

//---------------------------------------------------------------------------------------------- damage

static size_t pick(uint64_t file, int what, size_t count) {
  size_t i = (size_t)(rv_random(9, 0, file, what) * (double)count);
  return i < count ? i : count - 1;
}

// A number of 1 to 8 bytes in place of another: sizes and counts that lie.
static void splice(unsigned char* bytes, size_t size, uint64_t file) {
  static const uint64_t lies[] = {0, 1, 7, 255, 65535, 0x7fffffff, 0x80000000, 0xfffffff0, 0x7fffffffffffffff, ~0ull};
  size_t width = (size_t)1 << pick(file, 4, 4);
  uint64_t value = lies[pick(file, 5, sizeof lies / sizeof *lies)];
  size_t at = pick(file, 3, size - width);
  memcpy(bytes + at, &value, width);
}

// Damages a copy of a sample in one of six ways and returns its new size.
static size_t damage(unsigned char* bytes, size_t size, uint64_t file) {
  size_t at = pick(file, 1, size);
  size_t length = 1 + pick(file, 6, 40);
  if (length > size - at) length = size - at;
  switch (pick(file, 2, 6)) {
    case 0:
      bytes[at] ^= (unsigned char)(1u << pick(file, 7, 8));
      return size;
    case 1:
      bytes[at] = (unsigned char)pick(file, 7, 256);
      return size;
    case 2:
      return at;
    case 3:
      splice(bytes, size, file);
      return size;
    case 4:  // a run that comes from elsewhere
      memmove(bytes + at, bytes + pick(file, 8, size - length), length);
      return size;
    default:  // a run that is missing, and the same number of bytes at the end
      memmove(bytes + at, bytes + at + length, size - at - length);
      return size;
  }
}

static void write_file(const char* path, const unsigned char* bytes, size_t size) {
  FILE* stream = fopen(path, "wb");
  if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) _exit(3);
}

// What a program does with geometry that it has read.
static void use(const RvDetail* detail) {
  rv_detail_hash(detail);
  rv_detail_bytes(detail);
  double lo[3], hi[3];
  rv_detail_bounds(detail, lo, hi);
  RvError ignored = {0};
  float value[3];
  static const char* const names[] = {"surface", "density", "vel"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const RvGrid* grid = rv_detail_find_vdb(detail, names[i]);
    if (!grid) continue;
    uint64_t active = 0;
    rv_grid_active_count(grid, &active, &ignored);
    rv_grid_sample(grid, 1, (const double[3]){3, 4, 5}, value, &ignored);
  }
}

// Reads the files [first, end) in this process.
static void read_files(size_t first, size_t end, Tally* tally) {
  static unsigned char bytes[1 << 20];
  const char* path = rv_test_path("bad.vdb");
  for (size_t file = first; file < end; ++file) {
    tally->at = file;
    const Sample* sample = &samples[pick(file, 0, SAMPLES)];
    memcpy(bytes, sample->bytes, sample->size);
    write_file(path, bytes, damage(bytes, sample->size, file));
    RvDetail* detail = NULL;
    RvError got = {0};
    RvResult result = rv_detail_load(path, &detail, NULL, &got);
    if (detail) use(detail);
    rv_detail_free(detail);
    bool advised = strstr(got.text, "replace it") || strstr(got.text, "save it") || strstr(got.text, "remove it") ||
                   strstr(got.text, "is not a VDB file");
    bool kind = result == RV_BAD_FILE || result == RV_UNSUPPORTED || result == RV_LIMIT;
    bool clear = kind && !detail && strstr(got.text, "bad.vdb") && advised;
    tally->read += result == RV_OK;
    tally->refused += result != RV_OK && clear;
    tally->unclear += result != RV_OK && !clear;
    if (result && !clear) fprintf(stderr, "file %zu: %s: %s\n", file, rv_result_name(result), got.text);
  }
}

// Reads files in a child until all are read or it dies. Returns the signal, 0 for none.
static int run_child(size_t first, size_t end, Tally* tally) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    for (int s = 1; s < 32; ++s) signal(s, SIG_DFL);
    const struct rlimit core = {0, 0}, seconds = {600, 600};
    setrlimit(RLIMIT_CORE, &core);
    setrlimit(RLIMIT_CPU, &seconds);
    rv_threads_set(1);
    read_files(first, end, tally);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void damaged_files_are_refused_or_read(void** state) {
  (void)state;
  const char* wanted = getenv("RV_DAMAGED");
  const size_t files = wanted ? strtoul(wanted, NULL, 10) : QUICK_FILES;
  Tally* tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(tally != MAP_FAILED);
  size_t died = 0;
  for (size_t next = 0; next < files; next = tally->at + 1) {
    int signal_number = run_child(next, files, tally);
    if (!signal_number) break;
    ++died;
    print_error("file %zu (%s) ended the process: signal %d\n", tally->at, sample_names[pick(tally->at, 0, SAMPLES)],
                signal_number);
  }
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  print_message("%zu files: %zu read, %zu refused, %zu unclear, %zu deaths, %.0f MB at most\n", files, tally->read,
                tally->refused, tally->unclear, died, (double)usage.ru_maxrss / 1024);
  assert_int_equal(died, 0);
  assert_int_equal(tally->unclear, 0);
  // some damage harms nothing that can be seen, such as another value of a voxel
  assert_true(tally->read > 0 && tally->refused > tally->read);
#ifndef SANITIZED
  assert_true(usage.ru_maxrss < 1024 * 1024);
#endif
  munmap(tally, sizeof *tally);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_refused_or_read)};
  return cmocka_run_group_tests(tests, make_samples, free_samples);
}
