#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/cpu.h"
#include "base/platform.h"
#include "support/rv_test.h"

static char folder[256];

void rv_test_near(double value, double expected, double tolerance, const char* what, const char* file, int line) {
  // written so that NaN fails
  if (fabs(value - expected) <= tolerance) return;
  print_error("%s = %.17g, expected %.17g within %g\n", what, value, expected, tolerance);
  _fail(file, line);
}

void rv_test_fails(RvResult got, RvResult wanted, RvError* error, const char* part, const char* what, const char* file,
                   int line) {
  if (got != wanted || error->code != wanted || !strstr(error->text, part)) {
    print_error("%s: %s (%s), expected %s with \"%s\" in its text\n", what, rv_result_name(got), error->text,
                rv_result_name(wanted), part);
    _fail(file, line);
  }
  *error = (RvError){0};
}

static void remove_folder(void) {
  char command[300];
#if defined(_WIN32)
  for (char* c = folder; *c; ++c)
    if (*c == '/') *c = '\\';
  snprintf(command, sizeof command, "rmdir /s /q \"%s\"", folder);
#else
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
#endif
  if (system(command) != 0) print_error("cannot remove %s\n", folder);
}

const char* rv_test_folder(void) {
  if (!folder[0]) {
    const char* base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/rivulet_test_XXXXXX", base ? base : "/tmp");
    if (!rv_platform_temporary_folder(folder)) fail_msg("cannot make %s", folder);
    atexit(remove_folder);
  }
  return folder;
}

const char* rv_test_path(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", rv_test_folder(), name);
  return path;
}

void rv_test_same_bits(uint64_t (*solve)(void)) {
  static const int threads[] = {1, 2, 3, 16};
  rv_threads_set(1);
  assert_true(rv_cpu_force(RV_ISA_BASE));
  uint64_t hash = solve();
  for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
    rv_threads_set(threads[k]);
    assert_int_equal(solve(), hash);
  }
  rv_threads_set(2);
  for (int isa = 1; isa < RV_ISA_COUNT; ++isa)
    if (rv_cpu_force((RvIsa)isa)) assert_int_equal(solve(), hash);
  rv_cpu_force(RV_ISA_COUNT);
  rv_threads_set(0);
}

static void assertion(const char* expression, const char* file, int line) {
  print_error("assertion failed: %s at %s:%d\n", expression, file, line);
  abort();
}

int rv_test_run(const struct CMUnitTest* tests, size_t count) {
  rv_assert_set(assertion);
  // one test of a file alone, as the seeded faults ask for it
  if (getenv("RV_TEST_FILTER")) cmocka_set_test_filter(getenv("RV_TEST_FILTER"));
  return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
