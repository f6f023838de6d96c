// The part of cmocka that our unit tests use, for systems without the library: a failed assertion ends its test.
#ifndef RV_TEST_CMOCKA_H
#define RV_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
  const char* name;
  void (*test)(void** state);
};

extern jmp_buf rv_test_failed;
_Noreturn void rv_test_stop(const char* file, int line, const char* what);
int rv_test_run_all(const struct CMUnitTest* tests, size_t count);

#define RV_TEST_REQUIRE(condition) ((condition) ? (void)0 : rv_test_stop(__FILE__, __LINE__, #condition))
#define assert_true(c) RV_TEST_REQUIRE(c)
#define assert_false(c) RV_TEST_REQUIRE(!(c))
#define assert_null(p) RV_TEST_REQUIRE((p) == NULL)
#define assert_non_null(p) RV_TEST_REQUIRE((p) != NULL)
#define assert_int_equal(a, b) RV_TEST_REQUIRE((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b) RV_TEST_REQUIRE((uintmax_t)(a) != (uintmax_t)(b))
#define assert_ptr_equal(a, b) RV_TEST_REQUIRE((const void*)(a) == (const void*)(b))
#define assert_ptr_not_equal(a, b) RV_TEST_REQUIRE((const void*)(a) != (const void*)(b))
#define assert_string_equal(a, b) RV_TEST_REQUIRE(strcmp(a, b) == 0)
#define assert_string_not_equal(a, b) RV_TEST_REQUIRE(strcmp(a, b) != 0)
#define assert_memory_equal(a, b, n) RV_TEST_REQUIRE(memcmp(a, b, n) == 0)
#define assert_in_range(x, low, high) \
  RV_TEST_REQUIRE((uintmax_t)(x) >= (uintmax_t)(low) && (uintmax_t)(x) <= (uintmax_t)(high))
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define print_message(...) printf(__VA_ARGS__)
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), rv_test_stop(__FILE__, __LINE__, "failed"))
#define skip() rv_test_stop(__FILE__, __LINE__, "skipped")
#define cmocka_set_test_filter(pattern) ((void)(pattern))
#define _fail(file, line) rv_test_stop(file, line, "failed")
#define cmocka_unit_test(f) \
  { #f, f }
#define _cmocka_run_group_tests(name, tests, count, setup, teardown) rv_test_run_all(tests, count)

#endif
