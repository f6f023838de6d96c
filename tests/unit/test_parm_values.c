// Variables in texts, ramps, copies and the hash of values.
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "parm/number.h"
#include "parm/ramp.h"
#include "parm/values.h"
#include "parm/vars.h"
#include "support/parm_sample.h"
#include "support/rv_test.h"

static void check_text(double frame, const char* text, const char* expected) {
  char* got = rv_vars_expand(&(RvVars){.frame = frame, .fps = 25, .out = "/out", .hip = "/hip", .node = "hair"}, text);
  assert_string_equal(got, expected);
  rv_free(got);
}

static void variables(void** state) {
  (void)state;
  check_text(7, "", "");
  check_text(7, "plain", "plain");
  check_text(7, "$F", "7");
  check_text(7, "$OUT/a.$F4.vdb", "/out/a.0007.vdb");
  check_text(12345, "$F4", "12345");
  check_text(7, "$F1 $F9", "7 000000007");
  check_text(7, "$F0", "70");
  check_text(-3, "$F $F4", "-3 -003");
  check_text(7.25, "$F $FF", "7 7.25");
  check_text(11.5, "$F", "12");
  check_text(11.9999999, "$F", "12");
  check_text(26, "$T", "1");
  check_text(1, "$T $FPS", "0 25");
  check_text(7, "${F4}x ${OS}_${HIP}", "0007x hair_/hip");
  check_text(7, "$F4_v2 $OS2 $OUT_x", "0007_v2 hair2 /out_x");
  check_text(7, "$$F $$$F", "$F $7");
  check_text(7, "$FILE $TEMP $HIPNAME ${NO} $", "$FILE $TEMP $HIPNAME ${NO} $");
  check_text(7, "${F4 ${ $} ${F}}", "${F4 ${ $} 7}");
}

static void missing_folders_stay_written(void** state) {
  (void)state;
  char* got = rv_vars_expand(&(RvVars){.frame = 1, .fps = 24}, "$OUT/$HIP/$OS");
  assert_string_equal(got, "$OUT/$HIP/$OS");
  rv_free(got);
}

static void animated_texts(void** state) {
  (void)state;
  const char* moving[] = {"$F", "a.$F4.b", "$FF", "$T", "${F}", "$$$F", "$X $F"};
  const char* still[] = {"", "$OUT", "$$F", "$FPS", "$FOO", "$OS", "F4", "${F", "$"};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; ++i) assert_true(rv_vars_animated(moving[i]));
  for (size_t i = 0; i < sizeof still / sizeof *still; ++i) assert_false(rv_vars_animated(still[i]));
}

// 4 MiB of "$HIP" in a text of 1 MiB would be gigabytes with a long path; it is refused instead
static void expansion_is_bounded(void** state) {
  (void)state;
  enum { N = 1 << 18, PATH = 4000 };
  char* text = rv_alloc(N * 4 + 1, 1);
  char* path = rv_alloc(PATH + 1, 1);
  for (int i = 0; i < N; ++i) memcpy(text + 4 * i, "$HIP", 4);
  text[N * 4] = 0;
  memset(path, 'p', PATH);
  path[PATH] = 0;
  assert_null(rv_vars_expand(&(RvVars){.frame = 1, .fps = 24, .hip = path}, text));
  rv_free(text);
  rv_free(path);
}

//---------------------------------------------------------------------------------------------- numbers

static void numbers_read_back(void** state) {
  (void)state;
  // the first locale with a comma that this machine has, if any
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "fr_FR.UTF-8");
  const double values[] = {0, 1, -1, 0.1, 0.0728, 1e-7, 1.0 / 3, 1e15, 123456789, 2.5e-300, 0.30000000000000004};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    char text[RV_NUMBER_BYTES];
    const char* end;
    double back;
    assert_true(rv_number_read(rv_number_write(values[i], text), &end, &back) && *end == 0);
    assert_true(back == values[i]);
    assert_null(strchr(text, ','));
  }
  char text[RV_NUMBER_BYTES];
  assert_string_equal(rv_number_write(0.0728, text), "0.0728");
  assert_string_equal(rv_number_write(1000000, text), "1000000");
  assert_string_equal(rv_number_write(0.1, text), "0.1");
  setlocale(LC_ALL, "C");
}

//---------------------------------------------------------------------------------------------- ramps

static void ramps(void** state) {
  (void)state;
  // slope at 0.5 of the smooth segments: secants 1 and 0.5 over equal lengths, 3 / (1.5 / 1 + 1.5 / 0.5) = 2/3
  RvRamp r = {4,
              {{0.25, 1, RV_INTERP_SMOOTH},
               {0.5, 1.25, RV_INTERP_SMOOTH},
               {0.75, 1.375, RV_INTERP_LINEAR},
               {1, 0, RV_INTERP_CONSTANT}}};
  CHECK_NEAR(rv_ramp_eval(&r, -1), 1, 0);
  CHECK_NEAR(rv_ramp_eval(&r, 0.25), 1, 0);
  // half way: the mean plus h (m0 - m1) / 8
  CHECK_NEAR(rv_ramp_eval(&r, 0.375), 1.125 - 0.25 * (2.0 / 3) / 8, 1e-15);
  CHECK_NEAR(rv_ramp_eval(&r, 0.5), 1.25, 0);
  // the values turn at 0.75, so the slope there is 0
  CHECK_NEAR(rv_ramp_eval(&r, 0.625), 1.3125 + 0.25 * (2.0 / 3) / 8, 1e-15);
  CHECK_NEAR(rv_ramp_eval(&r, 0.875), 0.6875, 1e-15);
  CHECK_NEAR(rv_ramp_eval(&r, 1), 0, 0);
  CHECK_NEAR(rv_ramp_eval(&r, 2), 0, 0);
  CHECK_NEAR(rv_ramp_eval(&r, NAN), 1, 0);
  r.keys[0].interp = RV_INTERP_CONSTANT;
  CHECK_NEAR(rv_ramp_eval(&r, 0.4999), 1, 0);
  CHECK_NEAR(rv_ramp_eval(&(RvRamp){0}, 0.5), 0, 0);
}

static void ramps_write_and_read_back(void** state) {
  (void)state;
  for (uint64_t trial = 0; trial < 500; ++trial) {
    RvRamp ramp = {.count = 1 + (int)(RV_RAMP_MAX_KEYS * rv_random(5, trial, 0, 0))}, back;
    for (int i = 0; i < ramp.count; ++i) {
      double jitter = rv_random(6, trial, (uint64_t)i, 0), value = rv_random(6, trial, (uint64_t)i, 1);
      ramp.keys[i] = (RvRampKey){(i + 0.9 * jitter) / RV_RAMP_MAX_KEYS, 1e3 * (value - 0.5), (RvInterp)(i % 3)};
    }
    RvError e = {0};
    RvText text = {0};
    rv_ramp_write(&ramp, &text);
    char* words = rv_text_done(&text);
    CHECK_OK(rv_ramp_parse(words, &back, &e), e);
    rv_free(words);
    assert_int_equal(back.count, ramp.count);
    for (int i = 0; i < ramp.count; ++i) {
      assert_true(back.keys[i].position == ramp.keys[i].position && back.keys[i].value == ramp.keys[i].value);
      assert_int_equal(back.keys[i].interp, ramp.keys[i].interp);
      CHECK_NEAR(rv_ramp_eval(&ramp, ramp.keys[i].position), ramp.keys[i].value, 0);
    }
  }
}

// words that look like values, in any order: each is taken whole or refused with a text, and what is taken is in range
static void any_text_is_taken_or_refused(void** state) {
  (void)state;
  static const char* const parts[] = {"0",  "1",  "-",    ".",    "5e",     ",",     " ",    "linear", "smooth",
                                      "on", "e9", "wavy", "$",    "{",      "}",     "F4",   "OUT",    "0x",
                                      "\n", "n",  "nan",  "\xff", "1e-400", "99999", "1e99", "\"",     "|"};
  enum { NPART = sizeof parts / sizeof *parts };
  RvParms* parms = rv_parms_new(&sample_table);
  int taken = 0, refused = 0;
  for (uint64_t trial = 0; trial < 20000; ++trial) {
    RvText text = {0};
    int words = (int)(8 * rv_random(7, trial, 0, 0));
    rv_text_add(&text, "");
    for (int i = 0; i < words; ++i) rv_text_add(&text, parts[(int)(NPART * rv_random(8, trial, (uint64_t)i, 0))]);
    char* value = rv_text_done(&text);
    const RvParmDef* row = sample_table.rows + (size_t)(sample_table.count * rv_random(9, trial, 0, 0));
    RvError e = {0};
    RvResult result = rv_parms_set_text(parms, row->token, value, &e);
    rv_free(value);
    if (result) {
      assert_true(e.code == result && *e.text);
      ++refused;
    } else {
      assert_int_equal(e.code, RV_OK);
      ++taken;
    }
    SampleParms p;
    if (trial % 16 == 0) {
      CHECK_OK(rv_parms_eval(parms, NULL, &p, &e), e);
      assert_true(p.length >= 0 && p.count >= 1 && p.count <= 5000 && p.style >= 0 && p.style <= 2);
      for (int c = 0; c < 4; ++c) assert_true(p.q[c] >= -1 && p.q[c] <= 1);
      CHECK_OK(rv_ramp_check(&p.taper, &e), e);
    }
  }
  assert_true(taken > 1000 && refused > 1000);
  rv_parms_free(parms);
}

//---------------------------------------------------------------------------------------------- hash and copy

static const RvKey some_keys[] = {{1, 0.5}, {24, 1}};
static const RvKey other_keys[] = {{1, 0.5}, {25, 1}};

// one change each; all must have hashes of their own
static RvResult change(RvParms* p, int i, RvError* e) {
  RvWave wave = {1, 1, 0, 1, NULL, 0, 0, 0};
  RvWave enveloped = {1, 1, 0, 1, some_keys, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD};
  switch (i) {
    case 0:
      return rv_parms_set(p, "length", 0, 0.75, e);
    case 1:
      return rv_parms_set(p, "count", 0, 3, e);
    case 2:
      return rv_parms_set(p, "closed", 0, 0, e);
    case 3:
      return rv_parms_set_string(p, "style", "coiled", e);
    case 4:
      return rv_parms_set(p, "tx", 0, 9, e);
    case 5:
      return rv_parms_set(p, "ty", 0, 9, e);
    case 6:
      return rv_parms_set_string(p, "name", "x", e);
    case 7:
      return rv_parms_set_string(p, "file", "x", e);
    case 8:
      return rv_parms_set_text(p, "taper", "0 1 linear, 0.5 0.75 smooth, 1 0 linear", e);
    case 9:
      return rv_parms_set_keys(p, "length", 0, some_keys, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD, e);
    case 10:
      return rv_parms_set_keys(p, "length", 0, other_keys, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD, e);
    case 11:
      return rv_parms_set_keys(p, "length", 0, some_keys, 2, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, e);
    case 12:
      return rv_parms_set_keys(p, "length", 0, some_keys, 2, RV_INTERP_LINEAR, RV_EXTEND_CYCLE, e);
    case 13:
      return rv_parms_set_wave(p, "length", 0, &wave, e);
    case 14:
      wave.phase = 5;
      return rv_parms_set_wave(p, "length", 0, &wave, e);
    case 15:
      return rv_parms_set_wave(p, "length", 0, &enveloped, e);
    case 16:
      return rv_parms_set(p, "tintb", 0, 0.5, e);
    default:
      return rv_parms_set(p, "qw", 0, -1, e);
  }
}

static void hash_tells_values_apart(void** state) {
  (void)state;
  enum { N = 18 };
  uint64_t hashes[N + 1];
  RvError e = {0};
  for (int i = 0; i <= N; ++i) {
    RvParms* parms = rv_parms_new(&sample_table);
    if (i < N) CHECK_OK(change(parms, i, &e), e);
    hashes[i] = rv_parms_hash(parms);
    RvParms* copy = rv_parms_copy(parms);
    assert_true(rv_parms_hash(copy) == hashes[i]);
    rv_parms_free(copy);
    rv_parms_free(parms);
    for (int j = 0; j < i; ++j) assert_true(hashes[i] != hashes[j]);
  }
}

static void hash_forgets_the_order(void** state) {
  (void)state;
  RvError e = {0};
  RvParms *a = rv_parms_new(&sample_table), *b = rv_parms_new(&sample_table), *c = rv_parms_new(&sample_table);
  const int order[] = {3, 8, 15, 4, 6};
  for (int i = 0; i < 5; ++i) {
    CHECK_OK(change(a, order[i], &e), e);
    CHECK_OK(change(b, order[4 - i], &e), e);
  }
  assert_true(rv_parms_hash(a) == rv_parms_hash(b));
  assert_true(rv_parms_hash(a) != rv_parms_hash(c));
  // values equal to the defaults are the defaults
  CHECK_OK(rv_parms_set(b, "length", 0, 0.25, &e), e);
  CHECK_OK(rv_parms_set_text(b, "style", "wavy", &e), e);
  CHECK_OK(rv_parms_set_text(b, "taper", "0 1,0.50 .75 smooth, 1 0 constant", &e), e);
  CHECK_OK(rv_parms_set_text(b, "t", "1 2 3", &e), e);
  CHECK_OK(rv_parms_set_string(b, "name", "a$OS", &e), e);
  assert_true(rv_parms_hash(b) == rv_parms_hash(c));
  CHECK_OK(rv_parms_set(b, "pitch", 0, 0.0, &e), e);
  CHECK_OK(rv_parms_set(c, "pitch", 0, -0.0, &e), e);
  assert_true(rv_parms_hash(b) == rv_parms_hash(c));
  rv_parms_free(a);
  rv_parms_free(b);
  rv_parms_free(c);
}

// a copy evaluated elsewhere leaves the texts of the first alone
static void copies_are_apart(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* a = rv_parms_new(&sample_table);
  CHECK_OK(change(a, 15, &e), e);
  RvParms* b = rv_parms_copy(a);
  SampleParms p, q;
  CHECK_OK(rv_parms_eval(a, &(RvVars){.frame = 1, .fps = 24, .out = "o", .node = "n"}, &p, &e), e);
  CHECK_OK(rv_parms_eval(b, &(RvVars){.frame = 2, .fps = 24, .out = "o", .node = "n"}, &q, &e), e);
  assert_string_equal(p.file, "o/x.0001.bgeo.sc");
  assert_string_equal(q.file, "o/x.0002.bgeo.sc");
  rv_parms_free(a);
  CHECK_OK(rv_parms_eval(b, NULL, &q, &e), e);
  assert_string_equal(q.file, "$OUT/x.0001.bgeo.sc");
  rv_parms_free(b);
}

static void animated_values(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  // the default file has $F4 in it
  assert_true(rv_parms_animated(parms));
  CHECK_OK(rv_parms_set_string(parms, "file", "$OUT/one", &e), e);
  assert_false(rv_parms_animated(parms));
  CHECK_OK(change(parms, 9, &e), e);
  assert_true(rv_parms_animated(parms));
  CHECK_OK(rv_parms_set(parms, "length", 0, 1, &e), e);
  assert_false(rv_parms_animated(parms));
  RvParms* none = rv_parms_new(&rv_parm_table_empty);
  char nothing;
  CHECK_OK(rv_parms_eval(none, NULL, &nothing, &e), e);
  assert_false(rv_parms_animated(none));
  rv_parms_free(none);
  rv_parms_free(parms);
}

// lengths that are not set have their default in units of the scene; those that were set stay, also at the default's
// number
static void default_lengths_follow_the_unit(void** state) {
  (void)state;
  RvError e = {0};
  SampleParms p;
  RvValue value;
  RvParms* parms = rv_parms_new(&sample_table);
  CHECK_OK(rv_parms_set(parms, "pitch", 0, 0.5, &e), e);
  rv_parms_set_meters(parms, 0.01);
  CHECK_OK(rv_parms_eval(parms, NULL, &p, &e), e);
  CHECK_NEAR(p.length, 25, 1e-12);
  CHECK_NEAR(p.t[1], 200, 1e-12);
  assert_true(p.pitch == 0.5 && p.uv[0] == 0.5 && p.count == 1000);
  assert_true(rv_parms_get(parms, "length", 0, &value) && value.kind == RV_VALUE_DEFAULT);
  // the number of the default in metres is a value like any other
  CHECK_OK(rv_parms_set(parms, "length", 0, 0.25, &e), e);
  assert_true(rv_parms_get(parms, "length", 0, &value) && value.kind == RV_VALUE_NUMBER);
  RvParms* copy = rv_parms_copy(parms);
  CHECK_OK(rv_parms_reset(copy, "length", &e), e);
  CHECK_OK(rv_parms_eval(copy, NULL, &p, &e), e);
  CHECK_NEAR(p.length, 25, 1e-12);
  rv_parms_set_meters(copy, 1);
  CHECK_OK(rv_parms_eval(copy, NULL, &p, &e), e);
  assert_true(p.length == 0.25 && p.t[1] == 2 && p.pitch == 0.5);
  rv_parms_free(copy);
  rv_parms_free(parms);
}

RV_TESTS(cmocka_unit_test(default_lengths_follow_the_unit), cmocka_unit_test(variables),
         cmocka_unit_test(missing_folders_stay_written), cmocka_unit_test(animated_texts),
         cmocka_unit_test(expansion_is_bounded), cmocka_unit_test(numbers_read_back), cmocka_unit_test(ramps),
         cmocka_unit_test(ramps_write_and_read_back), cmocka_unit_test(any_text_is_taken_or_refused),
         cmocka_unit_test(hash_tells_values_apart), cmocka_unit_test(hash_forgets_the_order),
         cmocka_unit_test(copies_are_apart), cmocka_unit_test(animated_values))
