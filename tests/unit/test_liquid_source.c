// Sources and sinks: Q t of volume to a particle however the time is cut, an even stream, a region that is kept full
// and no fuller, a ledger without a remainder, and what is refused.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "liquid/drop.h"
#include "liquid/source.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"

#define SEP 0.005
#define DX 0.01

static RvSourceSettings settings = {
    .dx = DX,
    .origin = {0.1, -0.2, 0.3},
    .separation = SEP,
    .jitter = 0.5,
    .max_particles = 1000000,
};

// a square of side 0.1 that looks up (+y), of two triangles, clockwise seen from above
static const double square[18] = {0,   0, 0,   0.1, 0, 0,   0,   0, 0.1,  //
                                  0.1, 0, 0.1, 0,   0, 0.1, 0.1, 0, 0};

static void where(const RvParticles* p, size_t i, double x[3]) {
  rv_liquid_particles_place(p, i, x);
  for (int a = 0; a < 3; ++a) x[a] = settings.origin[a] + DX * x[a];
}

static uint64_t hash_of(const RvParticles* p) {
  RvHasher h = rv_hasher_new(1);
  for (size_t i = 0; i < p->count; ++i) {
    double x[3];
    where(p, i, x);
    rv_hasher_add(&h, x, sizeof x);
    rv_hasher_add(&h, &p->id[i], 8);
  }
  return rv_hasher_done(&h);
}

static void rate_is_exact_however_time_is_cut(void** state) {
  (void)state;
  RvError error = {0};
  double v = SEP * SEP * SEP;
  RvLiquidSource s = {.id = 3, .active = true, .rate = 0.00137, .velocity = {0, 2, 0}, .ntriangle = 2};
  s.corners = square;
  for (int parts = 1; parts <= 1000; parts *= 10) {
    RvParticles p = {0};
    RvSourceState memory = {0};
    RvLiquidFlow flow = {0};
    int64_t id = 40;
    double t = 0;
    for (int k = 0; k < parts; ++k) {
      // unequal pieces, and off in the second third
      double dt = 0.5 * (k + 1) / (0.5 * parts * (parts + 1.0));
      t += dt;
      CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, dt, &p, &id, &flow, &error), error);
    }
    CHECK_NEAR(flow.sources, s.rate * t, v * (1 + 1e-9));
    assert_true(flow.sources <= s.rate * t * (1 + 1e-12));
    CHECK_NEAR(flow.sources + memory.owed, s.rate * t, 1e-15);
    CHECK_NEAR(rv_liquid_particles_volume(&p), flow.sources, 1e-12 * flow.sources);
    assert_int_equal(p.count, flow.born);
    assert_int_equal(id, 40 + (int64_t)p.count);
    assert_int_equal(memory.born, p.count);
    for (size_t i = 1; i < p.count; ++i) assert_int_equal(p.id[i], p.id[i - 1] + 1);
    rv_liquid_particles_free(&p);
  }
}

// Drops have the same volumes, places and times whatever the separation of the particles and the steps: each is one
// small particle, or several around the same centre.
static void drops_do_not_depend_on_the_separation(void** state) {
  (void)state;
  RvError error = {0};
  const double drop = 0.3 * SEP * SEP * SEP;
  RvLiquidSource s = {
      .id = 3,
      .active = true,
      .rate = 40.5 * drop,
      .drop = drop,
      .velocity = {0, 2, 0},
      .ntriangle = 2,
  };
  s.corners = square;
  double first[40][3];
  for (int k = 0; k < 4; ++k) {
    RvSourceSettings set = settings;
    set.separation = SEP / (1 << k);
    RvParticles p = {0};
    RvSourceState memory = {0};
    RvLiquidFlow flow = {0};
    int64_t id = 7;
    for (int n = 0; n <= k; ++n)
      CHECK_OK(rv_liquid_source_flow(&s, &memory, &set, 1.0 / (k + 1), &p, &id, &flow, &error), error);
    size_t each = rv_liquid_drop_count(drop, set.separation * set.separation * set.separation);
    assert_int_equal(each, k == 0 ? 1 : k == 1 ? 2 : k == 2 ? 19 : 154);
    assert_int_equal(p.count, 40 * each);
    assert_int_equal(id, 7 + 40 * (int64_t)each);
    assert_int_equal(memory.born, 40);
    CHECK_NEAR(rv_liquid_particles_volume(&p), 40 * drop, 1e-12 * drop);
    CHECK_NEAR(memory.owed, 0.5 * drop, 1e-9 * drop);
    for (size_t n = 0; n < 40; ++n) {
      double mean[3] = {0}, volume = 0;
      for (size_t i = n * each; i < (n + 1) * each; ++i) {
        double x[3];
        where(&p, i, x);
        // where it was born: nothing moves particles after their step here
        x[1] -= 2 * (double)p.age[i];
        volume += p.volume[i];
        for (int a = 0; a < 3; ++a) mean[a] += p.volume[i] / drop * x[a];
      }
      CHECK_NEAR(volume, drop, 1e-12 * drop);
      for (int a = 0; a < 3; ++a) {
        if (k == 0) first[n][a] = mean[a];
        // particles have places and ages of floats
        CHECK_NEAR(mean[a], first[n][a], 1e-4 * SEP);
      }
    }
    rv_liquid_particles_free(&p);
  }
}

// A stream of rate = area times speed is liquid without gaps: each layer of the height of a particle has as many as
// fit.
static void stream_is_even(void** state) {
  (void)state;
  RvError error = {0};
  uint64_t first = 0;
  for (int parts = 1; parts <= 7; parts += 3) {
    RvLiquidSource s = {.id = 1, .active = true, .rate = 0.01 * 2, .speed = 2, .ntriangle = 2, .corners = square};
    RvParticles p = {0};
    RvSourceState memory = {0};
    RvLiquidFlow flow = {0};
    int64_t id = 0;
    double dt = 0.05 / parts;
    for (int k = 0; k < parts; ++k) {
      CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, dt, &p, &id, &flow, &error), error);
      // the earlier ones go on
      for (size_t i = 0; k + 1 < parts && i < p.count; ++i) p.x[1][i] += (float)(2 * dt / DX);
    }
    assert_in_range(p.count, 7999, 8000);
    // boxes of 2 cm: 64 particles each by volume; the sequence leaves a few to its neighbours
    int boxes[5][5][5] = {{{0}}};
    for (size_t i = 0; i < p.count; ++i) {
      double x[3];
      where(&p, i, x);
      int b[3];
      for (int a = 0; a < 3; ++a) {
        assert_true(x[a] > -1e-6 && x[a] < 0.1 + 1e-6);
        b[a] = (int)fmin(x[a] / 0.02, 4);
        CHECK_NEAR(p.v[a][i], a == 1 ? 2 : 0, 1e-6);
      }
      boxes[b[0]][b[1]][b[2]]++;
    }
    int least = 1000, most = 0;
    for (int k = 0; k < 125; ++k) {
      int n = (&boxes[0][0][0])[k];
      least = n < least ? n : least;
      most = n > most ? n : most;
    }
    // by chance alone 64 would stray by 8 and more
    assert_in_range(least, 54, 64);
    assert_in_range(most, 64, 74);
    // the same stream to the rounding of a place
    if (parts == 1) first = p.count;
    assert_int_equal(p.count, first);
    rv_liquid_particles_free(&p);
  }
}

static void directions_and_own_motion(void** state) {
  (void)state;
  RvError error = {0};
  float own[18];
  for (int i = 0; i < 6; ++i) {
    own[3 * i] = 0.5f;
    own[3 * i + 1] = -0.25f;
    own[3 * i + 2] = 1;
  }
  RvLiquidSource s = {.id = 2,
                      .active = true,
                      .rate = 0.01,
                      .speed = 3,
                      .velocity = {0, 1, 0},
                      .ntriangle = 2,
                      .corners = square,
                      .corner_velocity = own,
                      .inherit = 0.5,
                      .spread = 0.3};
  RvParticles p = {0};
  RvSourceState memory = {0};
  RvLiquidFlow flow = {0};
  int64_t id = 0;
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.05, &p, &id, &flow, &error), error);
  assert_true(p.count > 3000);
  double mean = 0;
  for (size_t i = 0; i < p.count; ++i) {
    double v[3] = {p.v[0][i] - 0.25, p.v[1][i] + 0.125, p.v[2][i] - 0.5};
    double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    CHECK_NEAR(n, 4, 1e-5);
    assert_true(v[1] / n >= cos(0.3) - 1e-6);
    mean += v[1] / n / (double)p.count;
  }
  // even over the cap: the mean height is halfway
  CHECK_NEAR(mean, (1 + cos(0.3)) / 2, 1e-3);
  rv_liquid_particles_free(&p);
}

static double in_ball(const RvParticles* p, const double ball[4]) {
  double sum = 0;
  for (size_t i = 0; i < p->count; ++i) {
    double x[3], d = 0;
    where(p, i, x);
    for (int a = 0; a < 3; ++a) d += (x[a] - ball[a]) * (x[a] - ball[a]);
    if (sqrt(d) < ball[3]) sum += p->volume[i];
  }
  return sum;
}

static void fills_and_keeps_full(void** state) {
  (void)state;
  RvError error = {0};
  static const double ball[4] = {0.12, -0.3, 0.35, 0.08};
  RvLiquidSource s = {.id = 7, .active = true, .mode = RV_SOURCE_FILL, .row = 5, .velocity = {1, 0, 0}};
  s.region = rv_liquid_region_ball(ball);
  s.linear[1] = 2;
  s.angular[2] = 3;
  s.inherit = 1;
  for (int a = 0; a < 3; ++a) s.center[a] = ball[a];
  RvParticles p = {0};
  RvSourceState memory = {0};
  RvLiquidFlow flow = {0};
  int64_t id = 0;
  double whole = 4.0 / 3 * acos(-1) * 0.08 * 0.08 * 0.08;
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  // sites of the ball by their middles: 17000 of them, the surface's error of Gauss's circle problem
  CHECK_NEAR(flow.sources, whole, 0.01 * whole);
  CHECK_NEAR(in_ball(&p, ball), flow.sources, 1e-12 * whole);
  for (size_t i = 0; i < p.count; ++i) {
    double x[3];
    where(&p, i, x);
    CHECK_NEAR(p.v[0][i], 1 - 3 * (x[1] - ball[1]), 1e-5);
    CHECK_NEAR(p.v[1][i], 2 + 3 * (x[0] - ball[0]), 1e-5);
    assert_int_equal(p.row[i], 5);
  }
  // full is full, also after noise moved everything
  size_t full = p.count;
  double before = flow.sources;
  for (int k = 0; k < 30; ++k) {
    CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
    CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
    // a place on the surface is inside for a double and not for a float
    assert_true(in_ball(&p, ball) <= before + 3 * SEP * SEP * SEP);
    for (size_t i = 0; i < p.count; ++i)
      for (int a = 0; a < 3; ++a) p.x[a][i] += 0.6f * (float)(rv_random(1, i, (uint64_t)(3 * k + a), 0) - 0.5);
  }
  // half of it is taken: that half comes back, and ids go on
  double plane[2][3] = {{-1, -1, -1}, {0.12, 1, 1}};
  RvLiquidSink sink = {.region = rv_liquid_region_box(plane)};
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  assert_true(rv_liquid_sinks_take(&p, DX, settings.origin, &sink, 1, &flow));
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  assert_true(in_ball(&p, ball) < 0.6 * whole);
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  double there = in_ball(&p, ball);
  assert_true(there <= before + 3 * SEP * SEP * SEP && there > 0.98 * before);
  assert_int_equal(id, (int64_t)(flow.born));
  CHECK_NEAR(flow.sources - flow.outflow, rv_liquid_particles_volume(&p), 1e-12 * flow.sources);
  assert_true(p.count >= full - full / 50);
  // where a solid is nothing is kept full
  static const double rock[4] = {0.12, -0.3, 0.35, 0.04};
  RvRegion solid = rv_liquid_region_ball(rock);
  RvSourceSettings with = settings;
  with.solid = &solid;
  rv_liquid_particles_free(&p);
  memory = (RvSourceState){0};
  flow = (RvLiquidFlow){0};
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &with, 0.01, &p, &id, &flow, &error), error);
  CHECK_NEAR(flow.sources, whole * 7 / 8, 0.01 * whole);
  CHECK_NEAR(in_ball(&p, rock), 0, 1e-12);
  rv_liquid_particles_free(&p);
}

static void sinks_are_counted(void** state) {
  (void)state;
  RvError error = {0};
  static const double box[2][3] = {{0, 0, 0}, {0.1, 0.1, 0.1}};
  RvLiquidSource s = {.id = 1, .active = true, .mode = RV_SOURCE_FILL, .region = rv_liquid_region_box(box)};
  RvParticles p = {0};
  RvSourceState memory = {0};
  RvLiquidFlow flow = {0};
  RvLiquidSink sinks[3] = {{.region = {.lo = {-1, -1, -1}, .hi = {0.05, 1, 0.075}}, .outside = 2 | 32}};
  static const double kill[2][3] = {{0, 0, 0}, {0.02, 1, 0.02}};
  int64_t id = 0;
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  assert_int_equal(p.count, 8000);
  CHECK_NEAR(flow.sources, 1e-3, 1e-15);
  sinks[1] = (RvLiquidSink){.region = rv_liquid_region_box(kill), .kill = true};
  // a level set that stands turned and moved
  RvGrid* grid = NULL;
  float zero[3] = {0}, radius = 0.02f;
  CHECK_OK(rv_grid_from_spheres("collision", 0.002, 4, 1, zero, &radius, &grid, &error), error);
  RvPlacedGrid placed = {.distance = grid, .turn = rv_quat_axis_angle(rv_vec3(0, 0, 1), 1), .to = {0.025, 0.05, 0.05}};
  sinks[2] = (RvLiquidSink){.region = rv_liquid_region_grid(&placed)};
  double expect = 0;
  for (size_t i = 0; i < p.count; ++i) {
    double x[3];
    where(&p, i, x);
    if (x[0] <= 0.05 && x[2] <= 0.075 && x[0] < 0.02 && x[2] < 0.02) expect += p.volume[i];
  }
  assert_true(rv_liquid_sinks_take(&p, DX, settings.origin, sinks, 3, &flow));
  CHECK_NEAR(flow.killed, expect, 1e-18);
  // half, three quarters of that, and the ball out of the rest
  double ball = 4.0 / 3 * acos(-1) * 8e-6;
  CHECK_NEAR(flow.outflow, 1e-3 * (1 - 0.5 * 0.75) + ball, 0.05 * ball);
  RvParticlesLost lost = {0};
  CHECK_OK(rv_liquid_particles_sort(&p, &lost, &error), error);
  assert_int_equal(p.count, 8000 - flow.removed);
  CHECK_NEAR(flow.sources - flow.killed - flow.outflow, rv_liquid_particles_volume(&p), 1e-15);
  rv_grid_release(grid);
  rv_liquid_particles_free(&p);
}

static void refuses(void** state) {
  (void)state;
  RvError error = {0};
  RvLiquidSource s = {.id = 9, .active = true, .rate = 1, .velocity = {0, 2, 0}, .ntriangle = 2, .corners = square};
  RvParticles p = {0};
  RvSourceState memory = {0};
  RvLiquidFlow flow = {0};
  int64_t id = 0;
  RvSourceSettings tiny = settings;
  tiny.separation = 1e-6;
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &tiny, 0.01, &p, &id, &flow, &error), RV_LIMIT);
  assert_non_null(strstr(error.text, "particlesep"));
  tiny.separation = 0;
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &tiny, 0.01, &p, &id, &flow, &error), RV_BAD_INPUT);
  s.rate = NAN;
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_BAD_INPUT);
  s.rate = 1;
  s.velocity[1] = INFINITY;
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_BAD_INPUT);
  s.velocity[1] = 0;
  double bad[18];
  memcpy(bad, square, sizeof bad);
  bad[4] = NAN;
  s.corners = bad;
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_BAD_INPUT);
  memcpy(bad, square, sizeof bad);
  for (int i = 0; i < 18; ++i) bad[i] += 1e9;
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_LIMIT);
  if (!strstr(error.text, "too far")) fail_msg("%s", error.text);
  // no area: nothing, and told
  memset(bad, 0, sizeof bad);
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  assert_int_equal(flow.idle, 1);
  s.ntriangle = 0;
  s.corners = NULL;
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
  assert_int_equal(flow.idle, 2);
  static const double wide[2][3] = {{-1e4, -1e4, -1e4}, {1e4, 1e4, 1e4}};
  s.mode = RV_SOURCE_FILL;
  s.region = rv_liquid_region_box(wide);
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_LIMIT);
  static const double big[2][3] = {{0, 0, 0}, {1, 1, 1}};
  s.region = rv_liquid_region_box(big);
  error = (RvError){0};
  assert_int_equal(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), RV_LIMIT);
  // nothing came of all that
  assert_int_equal(p.count, 0);
  assert_int_equal(id, 0);
  assert_true(flow.sources == 0 && memory.owed == 0 && memory.born == 0);
  // off is off
  s.active = false;
  CHECK_OK(rv_liquid_source_flow(&s, &memory, &tiny, 0.01, &p, &id, &flow, &error), error);
  rv_liquid_particles_free(&p);
}

// the same bits for any number of workers
static void same_bits(void** state) {
  (void)state;
  RvError error = {0};
  uint64_t first = 0;
  for (int workers = 1; workers <= 8; workers *= 2) {
    rv_threads_set(workers);
    static const double ball[4] = {0.12, -0.3, 0.35, 0.08};
    RvLiquidSource s = {.id = 7, .active = true, .mode = RV_SOURCE_FILL, .region = rv_liquid_region_ball(ball)};
    RvParticles p = {0};
    RvSourceState memory = {0};
    RvLiquidFlow flow = {0};
    int64_t id = 0;
    CHECK_OK(rv_liquid_source_flow(&s, &memory, &settings, 0.01, &p, &id, &flow, &error), error);
    uint64_t hash = hash_of(&p);
    if (workers == 1) first = hash;
    assert_true(hash == first);
    rv_liquid_particles_free(&p);
  }
  rv_threads_set(0);
}

static int take_scratch(void** state) {
  (void)state;
  settings.scratch = rv_arena_new(0);
  return settings.scratch ? 0 : -1;
}

static int free_scratch(void** state) {
  (void)state;
  rv_arena_free(settings.scratch);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rate_is_exact_however_time_is_cut),
      cmocka_unit_test(drops_do_not_depend_on_the_separation),
      cmocka_unit_test(stream_is_even),
      cmocka_unit_test(directions_and_own_motion),
      cmocka_unit_test(fills_and_keeps_full),
      cmocka_unit_test(sinks_are_counted),
      cmocka_unit_test(refuses),
      cmocka_unit_test(same_bits),
  };
  return cmocka_run_group_tests(tests, take_scratch, free_scratch);
}
