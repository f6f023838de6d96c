// What every C test includes: cmocka, checks with tolerances, and one list of tests a file.
//
//   static void adds(void** state) { (void)state; CHECK_NEAR(1 + 1, 2, 0); }
//   RV_TESTS(cmocka_unit_test(adds))
#ifndef RV_TEST_H
#define RV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rivulet/base.h"

// |value - expected| <= tolerance, said with the numbers when it is not
#define CHECK_NEAR(value, expected, tolerance) \
  rv_test_near((double)(value), (double)(expected), (double)(tolerance), #value, __FILE__, __LINE__)
void rv_test_near(double value, double expected, double tolerance, const char* what, const char* file, int line);

// The call must end well, or with that result and a text that contains `part`.
#define CHECK_OK(call, error)                                                             \
  do {                                                                                    \
    RvResult rv_r = (call);                                                               \
    if (rv_r != RV_OK) fail_msg("%s: %s: %s", #call, rv_result_name(rv_r), (error).text); \
  } while (0)
#define CHECK_FAILS(call, code, error, part) rv_test_fails((call), (code), &(error), (part), #call, __FILE__, __LINE__)
void rv_test_fails(RvResult got, RvResult wanted, RvError* error, const char* part, const char* what, const char* file,
                   int line);

// A new folder under the system's temporary one, removed when the process ends.
const char* rv_test_folder(void);
// The path of a file in it, in memory that the next call overwrites.
const char* rv_test_path(const char* name);

// A solve must give the same hash for every instruction set (RvIsa) and number of threads.
void rv_test_same_bits(uint64_t (*solve)(void));

#define RV_TESTS(...)                                        \
  int main(void) {                                           \
    const struct CMUnitTest tests[] = {__VA_ARGS__};         \
    return rv_test_run(tests, sizeof tests / sizeof *tests); \
  }
int rv_test_run(const struct CMUnitTest* tests, size_t count);

#endif
