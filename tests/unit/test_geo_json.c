// The two token streams and the number texts, against known answers.
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "geo/json_in.h"
#include "shim/number.h"
#include "support/rv_test.h"

static RvJsonIn open_bytes(const void* bytes, size_t count, RvError* error) {
  RvJsonIn in;
  assert_true(rv_json_open(&in, bytes, count, "", error));
  return in;
}

static void text_tokens(void** state) {
  (void)state;
  static const char text[] =
      " [null, true,false ,0,-7,9223372036854775807,-9223372036854775808,9223372036854775808,-0,1.5,-2e-3,\n"
      "nan,-inf,NaN,Infinity,\"a\\n\\u00e9\\ud83d\\ude00\\\"\",{\"k\":[],\"l\":{}}]\n";
  RvError error = {0};
  RvJsonIn in = open_bytes(text, sizeof text - 1, &error);
  RvJsonToken t;
  static const RvJsonKind kinds[] = {RV_JSON_ARRAY,     RV_JSON_NULL,   RV_JSON_BOOL, RV_JSON_BOOL,    RV_JSON_INT,
                                     RV_JSON_INT,       RV_JSON_INT,    RV_JSON_INT,  RV_JSON_REAL,    RV_JSON_REAL,
                                     RV_JSON_REAL,      RV_JSON_REAL,   RV_JSON_REAL, RV_JSON_REAL,    RV_JSON_REAL,
                                     RV_JSON_REAL,      RV_JSON_STRING, RV_JSON_MAP,  RV_JSON_STRING,  RV_JSON_ARRAY,
                                     RV_JSON_ARRAY_END, RV_JSON_STRING, RV_JSON_MAP,  RV_JSON_MAP_END, RV_JSON_MAP_END,
                                     RV_JSON_ARRAY_END, RV_JSON_END};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (rv_json_next(&in, &t) != kinds[i])
      fail_msg("token %zu at %zu is %s, not %s: %s", i, t.offset, rv_json_kind_name(t.kind),
               rv_json_kind_name(kinds[i]), error.text);
    if (i == 1) assert_int_equal(t.offset, 2);
    if (i == 2) assert_int_equal(t.integer, 1);
    if (i == 5) assert_int_equal(t.integer, -7);
    if (i == 6) assert_true(t.integer == INT64_MAX);
    if (i == 7) assert_true(t.integer == INT64_MIN);
    if (i == 8) assert_true(t.real == 0x1p63);
    if (i == 9) assert_true(t.real == 0 && signbit(t.real));
    if (i == 11) assert_true(t.real == -2e-3);
    if (i == 12) assert_true(isnan(t.real));
    if (i == 13) assert_true(t.real == -INFINITY);
    if (i == 14) assert_true(isnan(t.real));
    if (i == 15) assert_true(t.real == INFINITY);
    if (i == 16) {
      static const char expected[] = "a\n\xc3\xa9\xf0\x9f\x98\x80\"";
      assert_int_equal(t.length, sizeof expected - 1);
      assert_memory_equal(t.text, expected, t.length);
    }
  }
  rv_json_close(&in);
}

static void binary_tokens(void** state) {
  (void)state;
  static const uint8_t bytes[] = {
      0x7f, 0x4e, 0x53, 0x4a, 0x62, '[',  0x00, 0x10, 1,                                  // null, bool
      0x11, 0xfe, 0x12, 0x00, 0x80, 0x13, 0x04, 0x03, 0x02, 0x01,                         // -2, -32768, 0x01020304
      0x14, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,                               // 2^63 - 1
      0x21, 0xff, 0x22, 0xff, 0xff, 0x18, 0x00, 0xc0, 0x19, 0x00, 0x00, 0x80, 0x3e,       // 255, 65535, -2, 0.25
      0x1a, 0,    0,    0,    0,    0,    0,    0xf8, 0x3f, 0x30, 0x31,                   // 1.5, false, true
      0x27, 2,    'h',  'i',  0x2b, 5,    3,    'k',  'e',  'y',  0x26, 5,    ',',  ':',  // "hi", "key"
      0x2b, 5,    1,    'x',  0x26, 5,    0x2d, 5,                                        // "x", undefined again
      0x40, 0x10, 34,   0x05, 0,    0,    0x80, 0x02, 0,    0,    0,                      // 34 bools: 0, 2, 31, 33
      0x40, 0x12, 0xf2, 2,    0,    0x01, 0x00, 0xff, 0xff,                               // int16 1, -1
      0x40, 0x18, 0xf4, 1,    0,    0,    0,    0x00, 0x3c,                               // half 1
      0x40, 0x19, 0xf8, 1,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x80, 0x3f,  // float 1
      0x2b, 1,    1,    'z',  0x40, 0x27, 2,    1,    'p',  0,    0x40, 0x26, 1,    1,           // "p", ""; "z"
      '{',  0x27, 0,    0x11, 3,    '}',  ']'};
  RvError error = {0};
  RvJsonIn in = open_bytes(bytes, sizeof bytes, &error);
  RvJsonToken t;
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_ARRAY);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_NULL);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_BOOL);
  static const int64_t whole[] = {-2, -32768, 0x01020304, INT64_MAX, 255, 65535};
  for (size_t i = 0; i < 6; ++i) {
    assert_int_equal(rv_json_next(&in, &t), RV_JSON_INT);
    assert_true(t.integer == whole[i]);
  }
  static const double reals[] = {-2, 0.25, 1.5};
  for (size_t i = 0; i < 3; ++i) {
    assert_int_equal(rv_json_next(&in, &t), RV_JSON_REAL);
    assert_true(t.real == reals[i]);
  }
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_BOOL);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_BOOL);
  assert_int_equal(t.integer, 1);
  static const char* const texts[] = {"hi", "key", "x"};
  for (size_t i = 0; i < 3; ++i) {
    assert_int_equal(rv_json_next(&in, &t), RV_JSON_STRING);
    assert_int_equal(t.length, strlen(texts[i]));
    assert_memory_equal(t.text, texts[i], t.length);
  }
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_UNIFORM);
  assert_int_equal(t.numbers.count, 34);
  for (size_t i = 0; i < 34; ++i)
    assert_int_equal(rv_numbers_i64(&t.numbers, i), i == 0 || i == 2 || i == 31 || i == 33);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_UNIFORM);
  assert_int_equal(rv_numbers_i64(&t.numbers, 1), -1);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_UNIFORM);
  assert_true(rv_numbers_f64(&t.numbers, 0) == 1);
  assert_int_equal(rv_json_next(&in, &t), RV_JSON_UNIFORM);
  assert_true(rv_numbers_f64(&t.numbers, 0) == 1);
  static const RvJsonKind texts_again[] = {RV_JSON_ARRAY, RV_JSON_STRING, RV_JSON_STRING,   RV_JSON_ARRAY_END,
                                           RV_JSON_ARRAY, RV_JSON_STRING, RV_JSON_ARRAY_END};
  for (size_t i = 0; i < 7; ++i) {
    assert_int_equal(rv_json_next(&in, &t), texts_again[i]);
    if (i == 1) assert_true(t.length == 1 && *t.text == 'p');
    if (i == 5) assert_true(t.length == 1 && *t.text == 'z');
  }
  static const RvJsonKind rest[] = {RV_JSON_MAP,     RV_JSON_STRING,    RV_JSON_INT,
                                    RV_JSON_MAP_END, RV_JSON_ARRAY_END, RV_JSON_END};
  for (size_t i = 0; i < 6; ++i) assert_int_equal(rv_json_next(&in, &t), rest[i]);
  rv_json_close(&in);
}

static void check_damaged(const void* bytes, size_t count, const char* part) {
  RvError error = {0};
  RvJsonIn in;
  if (rv_json_open(&in, bytes, count, "", &error)) {
    rv_json_skip(&in);
    RvJsonToken t;
    rv_json_next(&in, &t);
  }
  rv_json_close(&in);
  if (error.code != RV_BAD_FILE || !strstr(error.text, part)) fail_msg("'%s' instead of '%s'", error.text, part);
}

static void damage_is_told_with_its_place(void** state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } texts[] = {{"[1,2", "cut short (offset 4)"},
               {"[1 2]", "comma or a closing bracket is expected (offset 3)"},
               {"[1,]", "(offset 3)"},
               {"[1}", "matches no opening one (offset 2)"},
               {"{\"a\" 1}", "a colon is expected"},
               {"{1:2}", "a key in quotes"},
               {"[\"abc", "a text that does not end (offset 1)"},
               {"[1]x", "more text after the end"},
               {"[truth]", "(offset 1)"},
               {"[\"\\u12g4\"]", "four hexadecimal digits"},
               {"[1.2.3]", "(offset 1)"},
               {"[--1]", "(offset 1)"},
               {"[", "(offset 1)"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    check_damaged(texts[i].text, strlen(texts[i].text), texts[i].part);
#define BYTES(part, ...)                                             \
  do {                                                               \
    const uint8_t b[] = {0x7f, 0x4e, 0x53, 0x4a, 0x62, __VA_ARGS__}; \
    check_damaged(b, sizeof b, part);                                \
  } while (0)
  BYTES("3000 values (12000 bytes) announced, 2 bytes left (offset 6)", '[', 0x40, 0x19, 0xf2, 0xb8, 0x0b, 0, 0);
  BYTES("token 3 was never defined (offset 6)", '[', 0x26, 3);
  BYTES("token 3 was never defined", '[', 0x2b, 3, 1, 'a', 0x2d, 3, 0x26, 3);
  BYTES("ff is no way to write a length", '[', 0x27, 0xff);
  BYTES("5 bytes announced, 1 bytes left", '[', 0x27, 5, 'a');
  BYTES("99 is no type", '[', 0x99);
  BYTES("needs 8 bytes, 3 are left", '[', 0x14, 1, 2, 3);
  BYTES("of the unknown type 77", '[', 0x40, 0x77, 1, 1);
  BYTES("more bytes after the end", '[', ']', 0x00);
  BYTES("token 240000", '[', 0x2b, 0xf4, 0x80, 0xa9, 0x03, 0x00, 1, 'a');
#undef BYTES
  check_damaged("\x7fNSJx", 5, "magic number");
  char deep[300];
  memset(deep, '[', sizeof deep);
  check_damaged(deep, sizeof deep, "nested deeper than 256 (offset 256)");
}

// every bit pattern class of float and double survives its text, also where the locale has a decimal comma
static void numbers_survive_text(void** state) {
  (void)state;
  const char* comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
  for (size_t i = 0; i < 3 && !setlocale(LC_ALL, comma[i]);) ++i;
  for (uint64_t i = 0; i < 200000; ++i) {
    RvRandom4 r = rv_random4(3, 0, i);
    char text[RV_NUMBER_TEXT];
    float single, single_back = 0;
    double wide, wide_back = 0;
    memcpy(&single, &r.v[0], 4);
    memcpy(&wide, &r.v[2], 8);
    if (isfinite(single)) {
      size_t length = rv_number_print_f32(text, single);
      assert_int_equal(rv_number_parse_f32(text, length, &single_back), length);
      assert_memory_equal(&single, &single_back, 4);
      assert_null(memchr(text, ',', length));
    }
    if (isfinite(wide)) {
      size_t length = rv_number_print_f64(text, wide);
      assert_int_equal(rv_number_parse_f64(text, length, &wide_back), length);
      assert_memory_equal(&wide, &wide_back, 8);
    }
  }
  setlocale(LC_ALL, "C");
  double out;
  // beyond the range as strtod has it
  static const char* const beyond[] = {"1e999", "-1e999", "1e-999", "-1e-999"};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(rv_number_parse_f64(beyond[i], strlen(beyond[i]), &out), strlen(beyond[i]));
    double expected = strtod(beyond[i], NULL);
    assert_memory_equal(&out, &expected, 8);
  }
}

RV_TESTS(cmocka_unit_test(text_tokens), cmocka_unit_test(binary_tokens),
         cmocka_unit_test(damage_is_told_with_its_place), cmocka_unit_test(numbers_survive_text))
