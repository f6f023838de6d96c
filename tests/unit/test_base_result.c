#include <string.h>

#include "support/rv_test.h"

static void first_error_wins_and_gathers_context(void** state) {
  (void)state;
  RvError error = {0};
  assert_int_equal(rv_fail(&error, RV_BAD_FILE, "byte %d", 12), RV_BAD_FILE);
  // the result and the text tell of one failure
  assert_int_equal(rv_fail(&error, RV_IO, "later"), RV_BAD_FILE);
  assert_int_equal(error.code, RV_BAD_FILE);
  assert_int_equal(rv_error_context(&error, "node '%s'", "hair"), RV_BAD_FILE);
  assert_string_equal(error.text, "node 'hair': byte 12");
  assert_int_equal(rv_fail(NULL, RV_LIMIT, "nobody listens"), RV_LIMIT);
}

static void long_texts_are_cut_and_end(void** state) {
  (void)state;
  char text[5000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  RvError error = {0};
  rv_fail(&error, RV_IO, "%s", text);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
  rv_error_context(&error, "%s", text);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void every_result_has_its_words(void** state) {
  (void)state;
  for (int r = 0; r < RV_RESULT_COUNT; ++r) {
    assert_true(strlen(rv_result_name((RvResult)r)) > 1 && strlen(rv_result_text((RvResult)r)) > 3);
    int code = rv_result_exit_code((RvResult)r);
    assert_true(code == 0 || code == 1 || code == 2 || code == 130);
    assert_int_equal(code == 0, r == RV_OK);
  }
  assert_int_equal(rv_result_exit_code(RV_CANCELLED), 130);
  assert_int_equal(rv_result_exit_code((RvResult)999), 2);
}

RV_TESTS(cmocka_unit_test(first_error_wins_and_gathers_context), cmocka_unit_test(long_texts_are_cut_and_end),
         cmocka_unit_test(every_result_has_its_words))
