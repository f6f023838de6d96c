// Setters: what they take, and the error of everything they do not.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "parm/find.h"
#include "parm/values.h"
#include "support/parm_sample.h"
#include "support/rv_test.h"

static SampleParms eval(RvParms* parms) {
  RvError error = {0};
  SampleParms out;
  RvVars vars = {.frame = 12, .fps = 24, .out = "/o", .hip = "/h", .node = "n1"};
  CHECK_OK(rv_parms_eval(parms, &vars, &out, &error), error);
  return out;
}

static void defaults(void** state) {
  (void)state;
  RvParms* parms = rv_parms_new(&sample_table);
  SampleParms p = eval(parms);
  assert_true(p.length == 0.25 && p.count == 1000 && p.closed && p.style == 1 && p.pitch == 0.01);
  assert_true(p.uv[0] == 0.5 && p.uv[1] == 0.5 && p.t[0] == 1 && p.t[1] == 2 && p.t[2] == 3 && p.q[3] == 1);
  assert_true(p.res[0] == 4 && p.res[1] == 5 && p.res[2] == 6 && p.tint[2] == 0.25);
  assert_string_equal(p.name, "an1");
  assert_string_equal(p.file, "/o/x.0012.bgeo.sc");
  assert_int_equal(p.taper.count, 3);
  assert_true(p.taper.keys[1].position == 0.5 && p.taper.keys[1].value == 0.75);
  assert_int_equal(p.taper.keys[1].interp, RV_INTERP_SMOOTH);
  rv_parms_free(parms);
}

static void sets_every_kind(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  CHECK_OK(rv_parms_set(parms, "length", 0, 0.5, &e), e);
  CHECK_OK(rv_parms_set(parms, "t", 1, -7, &e), e);
  CHECK_OK(rv_parms_set(parms, "tz", 0, 9, &e), e);
  CHECK_OK(rv_parms_set(parms, "q1", 0, 0.5, &e), e);
  CHECK_OK(rv_parms_set(parms, "qw", 0, -0.5, &e), e);
  CHECK_OK(rv_parms_set(parms, "tintg", 0, 0.125, &e), e);
  CHECK_OK(rv_parms_set(parms, "closed", 0, 0, &e), e);
  CHECK_OK(rv_parms_set_string(parms, "style", "coiled", &e), e);
  CHECK_OK(rv_parms_set_string(parms, "name", "$$ plain", &e), e);
  CHECK_OK(rv_parms_set_text(parms, "count", " 5000 ", &e), e);
  CHECK_OK(rv_parms_set_text(parms, "res", "7, 8 9", &e), e);
  CHECK_OK(rv_parms_set_text(parms, "uvy", "1e-3", &e), e);
  CHECK_OK(rv_parms_set_text(parms, "taper", "0.25 3", &e), e);
  SampleParms p = eval(parms);
  assert_true(p.length == 0.5 && p.t[0] == 1 && p.t[1] == -7 && p.t[2] == 9 && p.q[0] == 0.5 && p.q[3] == -0.5);
  assert_true(p.tint[0] == 1 && p.tint[1] == 0.125 && !p.closed && p.style == 2 && p.count == 5000);
  assert_true(p.res[0] == 7 && p.res[1] == 8 && p.res[2] == 9 && p.uv[0] == 0.5 && p.uv[1] == 1e-3);
  assert_string_equal(p.name, "$ plain");
  assert_true(p.taper.count == 1 && p.taper.keys[0].value == 3);
  CHECK_OK(rv_parms_set_text(parms, "style", "0", &e), e);
  CHECK_OK(rv_parms_set(parms, "count", 0, 17, &e), e);
  CHECK_OK(rv_parms_reset(parms, "t", &e), e);
  p = eval(parms);
  assert_true(p.style == 0 && p.count == 17 && p.t[1] == 2 && p.t[2] == 3);
  rv_parms_free(parms);
}

static void toggle_words(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  const char* words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (int i = 0; i < 8; ++i) {
    CHECK_OK(rv_parms_set_text(parms, "closed", words[i], &e), e);
    assert_int_equal(eval(parms).closed, i % 2);
  }
  CHECK_FAILS(rv_parms_set_text(parms, "closed", "maybe", &e), RV_BAD_INPUT, e, "on or off");
  CHECK_FAILS(rv_parms_set_text(parms, "closed", "2", &e), RV_BAD_INPUT, e, "on or off");
  CHECK_FAILS(rv_parms_set(parms, "closed", 0, -1, &e), RV_BAD_INPUT, e, "on or off");
  rv_parms_free(parms);
}

static void unknown_tokens_suggest(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  CHECK_FAILS(rv_parms_set(parms, "lenght", 0, 1, &e), RV_NOT_FOUND, e, "'lenght'; did you mean 'length'?");
  CHECK_FAILS(rv_parms_set_text(parms, "tinr", "1", &e), RV_NOT_FOUND, e, "did you mean 'tint'");
  CHECK_FAILS(rv_parms_set_string(parms, "fil", "x", &e), RV_NOT_FOUND, e, "did you mean 'file'");
  CHECK_FAILS(rv_parms_set_ramp(parms, "tapr", &(RvRamp){0}, &e), RV_NOT_FOUND, e, "did you mean 'taper'");
  CHECK_FAILS(rv_parms_set(parms, "uvz", 0, 1, &e), RV_NOT_FOUND, e, "did you mean 'uv");
  CHECK_FAILS(rv_parms_set(parms, "tintx", 0, 1, &e), RV_NOT_FOUND, e, "did you mean 'tint");
  assert_int_equal(rv_parms_set(parms, "xxxxxxxxxx", 0, 1, &e), RV_NOT_FOUND);
  assert_string_equal(e.text, "there is no parameter 'xxxxxxxxxx'");
  e = (RvError){0};
  CHECK_FAILS(rv_parms_set(parms, "", 0, 1, &e), RV_NOT_FOUND, e, "no parameter ''");
  CHECK_FAILS(rv_parms_set(parms, NULL, 0, 1, &e), RV_BAD_INPUT, e, "is missing");
  CHECK_FAILS(rv_parms_set(parms, "Shape", 0, 1, &e), RV_NOT_FOUND, e, "Shape");
  char* huge = rv_alloc(1, 100001);
  memset(huge, 'a', 100000);
  huge[100000] = 0;
  CHECK_FAILS(rv_parms_set(parms, huge, 0, 1, &e), RV_NOT_FOUND, e, "aaaa");
  rv_free(huge);
  assert_int_equal(rv_parms_set(parms, "nope", 0, 1, NULL), RV_NOT_FOUND);
  rv_parms_free(parms);
}

static void wrong_types_and_ranges(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  uint64_t before = rv_parms_hash(parms);
  CHECK_FAILS(rv_parms_set(parms, "length", 0, -0.1, &e), RV_BAD_INPUT, e, "'length' is -0.1; it must be at least 0 m");
  CHECK_FAILS(rv_parms_set(parms, "count", 0, 5001, &e), RV_BAD_INPUT, e, "at most 5000");
  CHECK_FAILS(rv_parms_set(parms, "count", 0, 1.5, &e), RV_BAD_INPUT, e, "a whole number, not 1.5");
  CHECK_FAILS(rv_parms_set(parms, "length", 0, NAN, &e), RV_BAD_INPUT, e, "finite");
  CHECK_FAILS(rv_parms_set(parms, "length", 0, INFINITY, &e), RV_BAD_INPUT, e, "finite");
  CHECK_FAILS(rv_parms_set(parms, "t", 3, 1, &e), RV_BAD_INPUT, e, "no component 3");
  CHECK_FAILS(rv_parms_set(parms, "t", -1, 1, &e), RV_BAD_INPUT, e, "no component -1");
  CHECK_FAILS(rv_parms_set(parms, "tx", 1, 1, &e), RV_BAD_INPUT, e, "no component 1");
  CHECK_FAILS(rv_parms_set(parms, "name", 0, 1, &e), RV_BAD_INPUT, e, "takes a text");
  CHECK_FAILS(rv_parms_set(parms, "taper", 0, 1, &e), RV_BAD_INPUT, e, "takes a ramp");
  CHECK_FAILS(rv_parms_set(parms, "reset", 0, 1, &e), RV_BAD_INPUT, e, "button");
  CHECK_FAILS(rv_parms_set(parms, "style", 0, 3, &e), RV_BAD_INPUT, e, "at most 2");
  CHECK_FAILS(rv_parms_set_string(parms, "style", "curly", &e), RV_BAD_INPUT, e, "straight, wavy, coiled");
  CHECK_FAILS(rv_parms_set_text(parms, "style", "3", &e), RV_BAD_INPUT, e, "at most 2");
  CHECK_FAILS(rv_parms_set_string(parms, "length", "abc", &e), RV_BAD_INPUT, e, "a number, not the text 'abc'");
  CHECK_FAILS(rv_parms_set_string(parms, "name", NULL, &e), RV_BAD_INPUT, e, "no text");
  CHECK_FAILS(rv_parms_set_text(parms, "name", NULL, &e), RV_BAD_INPUT, e, "no text");
  const char* bad[] = {"abc", "1x", "nan", "inf", "0x10", "--1", "1e999", "."};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    CHECK_FAILS(rv_parms_set_text(parms, "length", bad[i], &e), RV_BAD_INPUT, e, bad[i]);
  CHECK_FAILS(rv_parms_set_text(parms, "length", "", &e), RV_BAD_INPUT, e, "takes 1 number, not 0");
  CHECK_FAILS(rv_parms_set_text(parms, "t", "1 2", &e), RV_BAD_INPUT, e, "takes 3 numbers, not 2");
  CHECK_FAILS(rv_parms_set_text(parms, "t", "1 2 3 4", &e), RV_BAD_INPUT, e, "takes 3 numbers, not 4");
  CHECK_FAILS(rv_parms_set_text(parms, "res", "1 2 0", &e), RV_BAD_INPUT, e, "at least 1");
  CHECK_FAILS(rv_parms_set_text(parms, "tx", "1 2", &e), RV_BAD_INPUT, e, "takes 1 number, not 2");
  // nothing of a refused value stays
  assert_true(rv_parms_hash(parms) == before);
  rv_parms_free(parms);
}

static void ramp_errors(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  static const struct {
    const char *text, *part;
  } bad[] = {{"", "key 1"},
             {"0", "key 1"},
             {"0 0 linear,", "key 2"},
             {"0 0 round", "key 1"},
             {"0 0 linear 5", "key 1"},
             {"0 0linear", "key 1"},
             {"1.5 0", "between 0 and 1"},
             {"-0.1 0", "between 0 and 1"},
             {"0.5 0, 0.5 1", "key 2 does not come after"},
             {"0.5 0, 0.4 1", "key 2 does not come after"},
             {"0 1e200", "finite"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    CHECK_FAILS(rv_parms_set_text(parms, "taper", bad[i].text, &e), RV_BAD_INPUT, e, bad[i].part);
    CHECK_FAILS(rv_parms_set_string(parms, "taper", bad[i].text, &e), RV_BAD_INPUT, e, "'taper'");
  }
  RvText many = {0};
  for (int i = 0; i < RV_RAMP_MAX_KEYS + 1; ++i) {
    rv_text_addf(&many, "%s%d.0e-2 0", i ? "," : "", i);
  }
  char* text = rv_text_done(&many);
  CHECK_FAILS(rv_parms_set_text(parms, "taper", text, &e), RV_BAD_INPUT, e, "at most 32 keys");
  rv_free(text);
  RvRamp ramp = {1, {{0, NAN, RV_INTERP_LINEAR}}};
  CHECK_FAILS(rv_parms_set_ramp(parms, "taper", &ramp, &e), RV_BAD_INPUT, e, "finite");
  ramp = (RvRamp){1, {{0, 1, (RvInterp)9}}};
  CHECK_FAILS(rv_parms_set_ramp(parms, "taper", &ramp, &e), RV_BAD_INPUT, e, "constant, linear or smooth");
  ramp.count = 99;
  CHECK_FAILS(rv_parms_set_ramp(parms, "taper", &ramp, &e), RV_BAD_INPUT, e, "1 to 32");
  CHECK_FAILS(rv_parms_set_ramp(parms, "length", &ramp, &e), RV_BAD_INPUT, e, "not a ramp");
  rv_parms_free(parms);
}

static void long_texts_are_refused(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  size_t n = RV_PARM_MAX_TEXT + 1;
  char* text = rv_alloc(n + 1, 1);
  memset(text, 'x', n);
  text[n] = 0;
  CHECK_FAILS(rv_parms_set_string(parms, "name", text, &e), RV_LIMIT, e, "longer than");
  text[n - 1] = 0;
  CHECK_OK(rv_parms_set_string(parms, "name", text, &e), e);
  rv_free(text);
  rv_parms_free(parms);
}

static void key_errors(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  uint64_t before = rv_parms_hash(parms);
#define KEYS(token, component, ...)                                                                                  \
  rv_parms_set_keys(parms, token, component, (RvKey[]){__VA_ARGS__}, sizeof((RvKey[]){__VA_ARGS__}) / sizeof(RvKey), \
                    RV_INTERP_LINEAR, RV_EXTEND_HOLD, &e)
  CHECK_FAILS(KEYS("length", 0, {1, 0}, {5, 1}, {5, 2}), RV_BAD_INPUT, e, "at frame 5 does not come after");
  CHECK_FAILS(KEYS("length", 0, {1, 0}, {5, 1}, {4.5, 2}), RV_BAD_INPUT, e, "key 3 at frame 4.5");
  CHECK_FAILS(KEYS("length", 0, {1, 0}, {5, NAN}), RV_BAD_INPUT, e, "key 2 at frame 5");
  CHECK_FAILS(KEYS("length", 0, {NAN, 0}), RV_BAD_INPUT, e, "key 1");
  CHECK_FAILS(KEYS("length", 0, {1, 0}, {INFINITY, 0}), RV_BAD_INPUT, e, "key 2");
  CHECK_FAILS(KEYS("length", 0, {1, 0}, {24, -1}), RV_BAD_INPUT, e, "key at frame 24: parameter 'length' is -1");
  CHECK_FAILS(KEYS("count", 0, {1, 10}, {24, 6000}), RV_BAD_INPUT, e, "at most 5000");
  CHECK_FAILS(KEYS("style", 0, {1, 0}, {24, 3}), RV_BAD_INPUT, e, "at most 2");
  CHECK_FAILS(KEYS("name", 0, {1, 0}), RV_BAD_INPUT, e, "takes a text");
  CHECK_FAILS(KEYS("t", 5, {1, 0}), RV_BAD_INPUT, e, "no component 5");
  CHECK_FAILS(rv_parms_set_keys(parms, "length", 0, NULL, 0, RV_INTERP_LINEAR, RV_EXTEND_HOLD, &e), RV_BAD_INPUT, e,
              "no keys");
  CHECK_FAILS(rv_parms_set_keys(parms, "length", 0, &(RvKey){1, 1}, 1, (RvInterp)7, RV_EXTEND_HOLD, &e), RV_BAD_INPUT,
              e, "constant, linear or smooth");
  CHECK_FAILS(rv_parms_set_keys(parms, "length", 0, &(RvKey){1, 1}, 1, RV_INTERP_LINEAR, (RvExtend)7, &e), RV_BAD_INPUT,
              e, "hold, cycle");
  CHECK_FAILS(rv_parms_set_wave(parms, "length", 0, &(RvWave){.amplitude = NAN}, &e), RV_BAD_INPUT, e, "amplitude");
  CHECK_FAILS(rv_parms_set_wave(parms, "length", 0, &(RvWave){.frequency = INFINITY}, &e), RV_BAD_INPUT, e,
              "frequency");
  RvKey wrong[2] = {{3, 0}, {2, 1}};
  RvWave wave = {.amplitude = 1, .envelope = wrong, .envelope_count = 2};
  CHECK_FAILS(rv_parms_set_wave(parms, "length", 0, &wave, &e), RV_BAD_INPUT, e, "envelope: parameter 'length': key 2");
  assert_true(rv_parms_hash(parms) == before);
  rv_parms_free(parms);
}

// known distances; a swap of neighbours is one edit
static void edit_distances(void** state) {
  (void)state;
  assert_int_equal(rv_edit_distance("", ""), 0);
  assert_int_equal(rv_edit_distance("", "abc"), 3);
  assert_int_equal(rv_edit_distance("kitten", "sitting"), 3);
  assert_int_equal(rv_edit_distance("lenght", "length"), 1);
  assert_int_equal(rv_edit_distance("flaw", "lawn"), 2);
}

static void reads_back(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  RvValue v;
  assert_true(rv_parms_get(parms, "ty", 0, &v) && v.kind == RV_VALUE_DEFAULT && v.number == 2);
  assert_false(rv_parms_get(parms, "t", 3, &v));
  assert_false(rv_parms_get(parms, "reset", 0, &v));
  assert_false(rv_parms_get(parms, "nothing", 0, &v));
  RvKey keys[] = {{1, 0}, {2, 5}};
  CHECK_OK(rv_parms_set_keys(parms, "ty", 0, keys, 2, RV_INTERP_SMOOTH, RV_EXTEND_CYCLE, &e), e);
  assert_true(rv_parms_get(parms, "t", 1, &v) && v.kind == RV_VALUE_KEYS && v.count == 2);
  assert_true(v.keys[1].frame == 2 && v.keys[1].value == 5 && v.interp == RV_INTERP_SMOOTH &&
              v.extend == RV_EXTEND_CYCLE);
  RvWave wave = {1, 2, 3, 4, keys, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD};
  CHECK_OK(rv_parms_set_wave(parms, "tx", 0, &wave, &e), e);
  assert_true(rv_parms_get(parms, "tx", 0, &v) && v.kind == RV_VALUE_WAVE && v.wave.phase == 3);
  assert_true(v.wave.envelope_count == 2 && v.wave.envelope[1].value == 5);
  CHECK_OK(rv_parms_set_string(parms, "file", "$HIP/a", &e), e);
  assert_true(rv_parms_get(parms, "file", 0, &v) && v.kind == RV_VALUE_TEXT);
  assert_string_equal(v.text, "$HIP/a");
  CHECK_OK(rv_parms_set_text(parms, "taper", "0 0", &e), e);
  assert_true(rv_parms_get(parms, "taper", 0, &v) && v.kind == RV_VALUE_RAMP && v.ramp->count == 1);
  assert_ptr_equal(rv_parms_table(parms), &sample_table);
  rv_parms_free(parms);
}

RV_TESTS(cmocka_unit_test(defaults), cmocka_unit_test(sets_every_kind), cmocka_unit_test(toggle_words),
         cmocka_unit_test(unknown_tokens_suggest), cmocka_unit_test(wrong_types_and_ranges),
         cmocka_unit_test(ramp_errors), cmocka_unit_test(long_texts_are_refused), cmocka_unit_test(key_errors),
         cmocka_unit_test(edit_distances), cmocka_unit_test(reads_back))
