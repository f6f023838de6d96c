// Keys and waves against values worked out by hand, and the properties that the manual promises.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "parm/channel.h"
#include "support/parm_sample.h"
#include "support/rv_test.h"

// sums of a few products of numbers near 1
static const double ROUNDING = 1e-14;

static double keyed(const RvKey* keys, size_t count, RvInterp interp, RvExtend extend, double frame) {
  return rv_keys_eval(keys, count, interp, extend, frame);
}

static void constant_keys(void** state) {
  (void)state;
  const RvKey k[] = {{1, 5}, {3, 7}, {8, -2}};
  const double at[][2] = {{-4, 5}, {1, 5}, {2.999, 5}, {3, 7}, {7.5, 7}, {8, -2}, {100, -2}};
  for (size_t i = 0; i < sizeof at / sizeof *at; ++i)
    CHECK_NEAR(keyed(k, 3, RV_INTERP_CONSTANT, RV_EXTEND_HOLD, at[i][0]), at[i][1], 0);
  CHECK_NEAR(keyed(k, 3, RV_INTERP_CONSTANT, RV_EXTEND_LINEAR, 20), -2, 0);
}

static void linear_keys(void** state) {
  (void)state;
  const RvKey k[] = {{1, 0}, {3, 1}, {7, -1}};
  const double at[][2] = {{0, 0}, {1, 0}, {2, 0.5}, {3, 1}, {4, 0.5}, {6, -0.5}, {7, -1}, {9, -1}};
  for (size_t i = 0; i < sizeof at / sizeof *at; ++i)
    CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_HOLD, at[i][0]), at[i][1], ROUNDING);
  // goes on with the slopes of the ends, 1/2 and -1/2
  CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_LINEAR, -1), -1, ROUNDING);
  CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_LINEAR, 11), -3, ROUNDING);
}

static void smooth_keys(void** state) {
  (void)state;
  // two keys: 3 t^2 - 2 t^3
  const RvKey two[] = {{1, 0}, {25, -80}};
  CHECK_NEAR(keyed(two, 2, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, 13), -40, 80 * ROUNDING);
  CHECK_NEAR(keyed(two, 2, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, 7), -12.5, 80 * ROUNDING);
  // slopes 1 and 1/2 over 1 and 2 frames: the harmonic mean is 9 / (5 / 1 + 4 / (1/2)) = 9/13 at the middle key, and
  // half way along a segment the value is the mean plus h (m0 - m1) / 8
  const RvKey three[] = {{0, 0}, {1, 1}, {3, 2}};
  CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, 0.5), 0.5 - 9.0 / 104, ROUNDING);
  CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, 2), 1.5 + 2 * 9.0 / 104, ROUNDING);
  // with linear extension the end slopes are those of the end segments
  CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_LINEAR, 0.5), 0.5 + (1 - 9.0 / 13) / 8, ROUNDING);
  CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_LINEAR, 5), 3, ROUNDING);
  CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_LINEAR, -2), -2, ROUNDING);
  for (int i = 0; i < 3; ++i)
    CHECK_NEAR(keyed(three, 3, RV_INTERP_SMOOTH, RV_EXTEND_HOLD, three[i].frame), three[i].value, 0);
}

static void cycles(void** state) {
  (void)state;
  const RvKey k[] = {{1, 0}, {3, 4}, {5, 1}};
  for (int turn = -3; turn <= 3; ++turn) {
    double shift = 4.0 * turn;
    CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_CYCLE, 2 + shift), 2, ROUNDING);
    CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_CYCLE, 4 + shift), 2.5, ROUNDING);
    // the moment of the last key is the first key again
    CHECK_NEAR(keyed(k, 3, RV_INTERP_LINEAR, RV_EXTEND_CYCLE, 1 + shift), 0, 0);
    CHECK_NEAR(keyed(k, 3, RV_INTERP_CONSTANT, RV_EXTEND_CYCLE, 3 + shift), 4, 0);
  }
  CHECK_NEAR(keyed(k, 1, RV_INTERP_SMOOTH, RV_EXTEND_CYCLE, 77), 0, 0);
}

enum { NKEY = 9, NTRIAL = 200 };

static void random_keys(uint64_t trial, RvKey keys[NKEY]) {
  double frame = 10 * rv_random(1, trial, 0, 0) - 5;
  for (uint64_t i = 0; i < NKEY; ++i) {
    keys[i] = (RvKey){frame, 2 * rv_random(2, trial, i, 0) - 1};
    // some neighbours rest
    if (i && rv_random(3, trial, i, 0) < 0.2) keys[i].value = keys[i - 1].value;
    frame += 0.5 + 4 * rv_random(2, trial, i, 1);
  }
}

static void smooth_never_overshoots(void** state) {
  (void)state;
  for (uint64_t trial = 0; trial < NTRIAL; ++trial) {
    RvKey k[NKEY];
    random_keys(trial, k);
    for (int extend = 0; extend < 3; ++extend) {
      for (int i = 0; i + 1 < NKEY; ++i) {
        double before = k[i].value, sign = k[i + 1].value < k[i].value ? -1 : 1;
        for (int s = 1; s < 20; ++s) {
          double frame = k[i].frame + (k[i + 1].frame - k[i].frame) * s / 20;
          double value = keyed(k, NKEY, RV_INTERP_SMOOTH, (RvExtend)extend, frame);
          // monotone, but for rounding, and between the keys exactly
          assert_true(sign * (value - before) >= -ROUNDING);
          assert_true(value >= fmin(k[i].value, k[i + 1].value) && value <= fmax(k[i].value, k[i + 1].value));
          before = value;
        }
      }
    }
  }
}

// one-sided difference quotients over e = 1e-6 agree up to e times the second derivative, which for segments of 0.5
// frames and values within 1 stays below 6 * 2 / 0.25 + 4 * 12 / 0.5 < 200 a side; a kink would be of order 1
static void smooth_has_continuous_slope(void** state) {
  (void)state;
  const double e = 1e-6, tolerance = 2 * 200 * 1e-6;
  for (uint64_t trial = 0; trial < NTRIAL; ++trial) {
    RvKey k[NKEY];
    random_keys(trial, k);
    for (int extend = 0; extend < 3; extend += 2) {
      for (int i = 0; i < NKEY; ++i) {
        RvExtend how = (RvExtend)extend;
        double here = keyed(k, NKEY, RV_INTERP_SMOOTH, how, k[i].frame);
        double left = (here - keyed(k, NKEY, RV_INTERP_SMOOTH, how, k[i].frame - e)) / e;
        double right = (keyed(k, NKEY, RV_INTERP_SMOOTH, how, k[i].frame + e) - here) / e;
        CHECK_NEAR(left, right, tolerance);
        if (how == RV_EXTEND_HOLD && (i == 0 || i == NKEY - 1)) CHECK_NEAR(left, 0, tolerance);
      }
    }
  }
}

static void hostile_keys_stay_finite(void** state) {
  (void)state;
  const RvKey k[] = {{-1e9, -1e100}, {0, 1e100}, {1e-6, -1e100}, {1, 0}, {1e9, 1e100}};
  RvError e = {0};
  CHECK_OK(rv_keys_check(k, 5, &e), e);
  const double frames[] = {-1e300, -1e9, -3, 0, 5e-7, 1e-6, 0.5, 1e9, 1e300};
  for (int interp = 0; interp < 3; ++interp)
    for (int extend = 0; extend < 3; ++extend)
      for (size_t i = 1; i + 1 < sizeof frames / sizeof *frames; ++i)
        assert_true(isfinite(keyed(k, 5, (RvInterp)interp, (RvExtend)extend, frames[i])));
}

//---------------------------------------------------------------------------------------------- through a node's values

static RvResult eval_at(RvParms* parms, double frame, double fps, SampleParms* out, RvError* e) {
  return rv_parms_eval(parms, &(RvVars){.frame = frame, .fps = fps, .out = "o", .node = "n"}, out, e);
}

static void waves_follow_their_formula(void** state) {
  (void)state;
  RvError e = {0};
  RvParms* parms = rv_parms_new(&sample_table);
  const RvKey envelope[] = {{1, 0}, {25, 1}};
  RvWave wave = {2, 1.5, 30, 0.25, envelope, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD};
  RvWave plain = {.amplitude = 3, .frequency = 0.7, .phase = -90, .offset = -1};
  CHECK_OK(rv_parms_set_wave(parms, "tx", 0, &wave, &e), e);
  CHECK_OK(rv_parms_set_wave(parms, "t", 1, &plain, &e), e);
  assert_true(rv_parms_animated(parms));
  const double pi = 3.14159265358979323846;
  for (double frame = -3; frame < 60; frame += 0.37) {
    SampleParms p;
    CHECK_OK(eval_at(parms, frame, 30, &p, &e), e);
    double time = (frame - 1) / 30, grown = fmin(fmax((frame - 1) / 24, 0), 1);
    // the phase is a few turns, so its rounding moves the sine by some 1e-15 turns
    CHECK_NEAR(p.t[0], 0.25 + 2 * grown * sin(2 * pi * (1.5 * time + 30.0 / 360)), 1e-13);
    CHECK_NEAR(p.t[1], -1 + 3 * sin(2 * pi * (0.7 * time - 0.25)), 1e-13);
    CHECK_NEAR(p.t[2], 3, 0);
  }
  rv_parms_free(parms);
}

static void whole_numbers_are_rounded(void** state) {
  (void)state;
  RvError e = {0};
  SampleParms p;
  RvParms* parms = rv_parms_new(&sample_table);
  const RvKey count[] = {{1, 10}, {5, 11}}, closed[] = {{1, 0}, {3, 1}}, style[] = {{1, 0}, {5, 2}};
  CHECK_OK(rv_parms_set_keys(parms, "count", 0, count, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD, &e), e);
  CHECK_OK(rv_parms_set_keys(parms, "closed", 0, closed, 2, RV_INTERP_CONSTANT, RV_EXTEND_HOLD, &e), e);
  CHECK_OK(rv_parms_set_keys(parms, "style", 0, style, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD, &e), e);
  const int expected[][3] = {{10, 0, 0}, {10, 0, 1}, {11, 1, 1}, {11, 1, 2}, {11, 1, 2}};
  for (int frame = 1; frame <= 5; ++frame) {
    CHECK_OK(eval_at(parms, frame, 24, &p, &e), e);
    assert_int_equal(p.count, expected[frame - 1][0]);
    assert_int_equal(p.closed, expected[frame - 1][1]);
    assert_int_equal(p.style, expected[frame - 1][2]);
  }
  rv_parms_free(parms);
}

static void leaving_the_hard_range_is_an_error(void** state) {
  (void)state;
  RvError e = {0};
  SampleParms p;
  RvParms* parms = rv_parms_new(&sample_table);
  // a quarter of a period after frame 1 at 24 fps and 1 Hz is frame 7, the trough frame 19
  CHECK_OK(rv_parms_set_wave(parms, "length", 0, &(RvWave){.amplitude = 1, .frequency = 1, .offset = 0.5}, &e), e);
  CHECK_OK(eval_at(parms, 7, 24, &p, &e), e);
  CHECK_NEAR(p.length, 1.5, 1e-15);
  CHECK_FAILS(eval_at(parms, 19, 24, &p, &e), RV_BAD_INPUT, e, "'length' is -0.5 at frame 19, less than 0");
  // touching the bound is not leaving it, whatever the last bit says
  CHECK_OK(rv_parms_set_wave(parms, "length", 0, &(RvWave){.amplitude = 0.1 * 3, .frequency = 1, .offset = 0.3}, &e),
           e);
  CHECK_OK(eval_at(parms, 19, 24, &p, &e), e);
  CHECK_NEAR(p.length, 0, 0);
  const RvKey k[] = {{1, 0}, {2, 1}};
  CHECK_OK(rv_parms_set_keys(parms, "qx", 0, k, 2, RV_INTERP_LINEAR, RV_EXTEND_LINEAR, &e), e);
  CHECK_FAILS(eval_at(parms, 3.5, 24, &p, &e), RV_BAD_INPUT, e, "'qx' is 2.5 at frame 3.5, more than 1");
  CHECK_FAILS(eval_at(parms, NAN, 24, &p, &e), RV_BAD_INPUT, e, "finite");
  CHECK_FAILS(eval_at(parms, 1, 0, &p, &e), RV_BAD_INPUT, e, "rate");
  rv_parms_free(parms);
}

static void many_keys_are_quick(void** state) {
  (void)state;
  enum { N = 200000 };
  static RvKey keys[N];
  for (int i = 0; i < N; ++i) keys[i] = (RvKey){i, i % 7};
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += keyed(keys, N, RV_INTERP_CONSTANT, RV_EXTEND_HOLD, i + 0.25) - i % 7;
  CHECK_NEAR(sum, 0, 0);
}

RV_TESTS(cmocka_unit_test(constant_keys), cmocka_unit_test(linear_keys), cmocka_unit_test(smooth_keys),
         cmocka_unit_test(cycles), cmocka_unit_test(smooth_never_overshoots),
         cmocka_unit_test(smooth_has_continuous_slope), cmocka_unit_test(hostile_keys_stay_finite),
         cmocka_unit_test(waves_follow_their_formula), cmocka_unit_test(whole_numbers_are_rounded),
         cmocka_unit_test(leaving_the_hard_range_is_an_error), cmocka_unit_test(many_keys_are_quick))
