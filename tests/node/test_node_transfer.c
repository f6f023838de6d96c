#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "math/vec.h"
#include "node/transfer/transfer.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

#define TURN 1.9

typedef RvVec3 PlaceFn(void* user, size_t strand, RvVec3 x);

//---------------------------------------------------------------------------------------------- making

static float* places(RvDetail* d) {
  RvError error = {0};
  return rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
}

static RvVec3 place(const RvDetail* d, size_t point) {
  return rv_vec3_load(rv_detail_f32(d, RV_POINT, "P", 3) + 3 * point);
}

// curly hair on a ball, `points` points each
static RvDetail* groom(int count, int points) {
  char parms[200];
  snprintf(parms, sizeof parms, "count=%d; points=%d; style=curly; length=0.12; lengthrandom=0.3; curlpitch=0.06",
           count, points);
  RvDetail* skin = rv_test_sphere(0.09, 12, 16);
  RvTestCook c = rv_test_cook("groom", parms, 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  rv_detail_free(skin);
  return c.output[0];
}

static RvDetail* choose_guides(const RvDetail* all, const char* parms) {
  RvTestCook c = rv_test_cook("guides", parms, 1, (const RvDetail*[]){all});
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

static RvDetail* moved_copy(const RvDetail* from, PlaceFn* fn, void* user) {
  RvDetail* to = rv_detail_copy(from);
  float* P = places(to);
  const int32_t *start = rv_detail_prim_start(to), *point = rv_detail_vertex_point(to);
  for (size_t i = 0; i < rv_detail_count(to, RV_PRIM); ++i)
    for (int32_t v = start[i]; v < start[i + 1]; ++v)
      rv_vec3_store(P + 3 * (size_t)point[v], fn(user, i, place(from, (size_t)point[v])));
  return to;
}

// straight strands along +y, rooted where `root` says
static RvDetail* straight(size_t count, int points, double length, PlaceFn* root) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, count, (size_t)points, NULL, NULL, &error), error);
  float* P = places(d);
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < points; ++k) {
      RvVec3 x = root(NULL, i, rv_vec3(0, 0, 0));
      x.y += length * k / (points - 1);
      rv_vec3_store(P + 3 * (i * (size_t)points + (size_t)k), x);
    }
  return d;
}

static double largest(const RvDetail* a, const RvDetail* b) {
  double most = 0;
  assert_int_equal(rv_detail_count(a, RV_POINT), rv_detail_count(b, RV_POINT));
  for (size_t i = 0; i < rv_detail_count(a, RV_POINT); ++i) most = fmax(most, rv_distance(place(a, i), place(b, i)));
  return most;
}

//---------------------------------------------------------------------------------------------- motions

static RvVec3 rigid(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  RvQuat q = rv_quat_axis_angle(rv_vec3(1.0 / 3, 2.0 / 3, 2.0 / 3), TURN);
  return rv_add(rv_quat_rotate(q, x), rv_vec3(0.3, -0.2, 0.1));
}

// winds space up about a slanted axis and stretches it: nothing is rigid about it
static RvVec3 wild(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  RvQuat q = rv_quat_axis_angle(rv_vec3(0.6, 0.8, 0), 6 * x.z + 4 * x.y);
  return rv_mul(rv_quat_rotate(q, x), rv_vec3(1.2, 0.9, 1.1));
}

// x along y becomes an arc of radius 0.05 in the xy plane about (0.05, 0)
static RvVec3 arc(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  double angle = x.y / 0.05;
  return rv_vec3(0.05 - (0.05 - x.x) * cos(angle), (0.05 - x.x) * sin(angle), x.z);
}

//---------------------------------------------------------------------------------------------- exact cases

// places are 32-bit: 1e-8 at 0.2 m
static void still_guides_leave_the_groom(void** state) {
  (void)state;
  RvDetail *all = groom(600, 14), *rest = choose_guides(all, "step=12");
  const char* const parms[] = {"", "keeplength=0", "maxguides=1", "maxguides=16", "window=0", "window=10"};
  for (int i = 0; i < 6; ++i) {
    RvDetail* out = rv_test_carried(all, rest, rest, parms[i]);
    CHECK_NEAR(largest(all, out), 0, 1e-7);
    rv_detail_free(out);
  }
  // without input 2 the attribute rest of the simulated guides is meant
  RvDetail *moved = moved_copy(rest, wild, NULL), *a = rv_test_carried(all, rest, moved, ""),
           *b = rv_test_carried(all, NULL, moved, "");
  assert_int_equal(rv_detail_hash(a), rv_detail_hash(b));
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(a);
  rv_detail_free(b);
}

// the guides' own places are rounded to 3e-8, over first edges of 1 cm and up to 0.12 m of hair
static void rigid_guides_carry_all_rigidly(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* all = groom(600, 14);
  float* n = rv_detail_f32_write(all, RV_POINT, "N", 3, &error);
  for (size_t i = 0; i < rv_detail_count(all, RV_POINT); ++i) {
    n[3 * i] = 0;
    n[3 * i + 1] = 1;
    n[3 * i + 2] = 0;
  }
  RvDetail *rest = choose_guides(all, "step=12"), *moved = moved_copy(rest, rigid, NULL),
           *expected = moved_copy(all, rigid, NULL);
  const char* const parms[] = {"", "keeplength=0", "maxguides=1", "maxguides=16", "window=0", "window=10"};
  RvVec3 turned = rv_sub(rigid(NULL, 0, rv_vec3(0, 1, 0)), rigid(NULL, 0, rv_vec3(0, 0, 0)));
  for (int i = 0; i < 6; ++i) {
    RvDetail* out = rv_test_carried(all, rest, moved, parms[i]);
    CHECK_NEAR(largest(expected, out), 0, 1e-6);
    // directions and frames turn as well: z of orient stays what it was to the edge
    const float* N = rv_detail_f32(out, RV_POINT, "N", 3);
    const float *o = rv_detail_f32(out, RV_POINT, "orient", 4), *o0 = rv_detail_f32(all, RV_POINT, "orient", 4);
    for (size_t k = 0; k < rv_detail_count(out, RV_POINT); k += 7) {
      CHECK_NEAR(rv_distance(rv_vec3_load(N + 3 * k), turned), 0, 1e-5);
      RvVec3 z = rv_quat_rotate((RvQuat){o0[4 * k], o0[4 * k + 1], o0[4 * k + 2], o0[4 * k + 3]}, rv_vec3(0, 0, 1));
      RvVec3 z1 = rv_quat_rotate((RvQuat){o[4 * k], o[4 * k + 1], o[4 * k + 2], o[4 * k + 3]}, rv_vec3(0, 0, 1));
      CHECK_NEAR(rv_distance(z1, rv_sub(rigid(NULL, 0, z), rigid(NULL, 0, rv_vec3(0, 0, 0)))), 0, 1e-5);
    }
    assert_memory_equal(rv_detail_f32(out, RV_POINT, "rest", 3), rv_detail_f32(all, RV_POINT, "rest", 3),
                        3 * sizeof(float) * rv_detail_count(all, RV_POINT));
    rv_detail_free(out);
  }
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(expected);
}

// one guide, two and a row of them have less to tell how they turned than a head has
static RvVec3 in_row(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)x;
  return rv_vec3(0.01 * (double)strand, 0, 0);
}

static void few_guides_move_rigidly_too(void** state) {
  (void)state;
  for (size_t count = 2; count <= 12; count += 5) {
    RvDetail *rest = straight(count, 5, 0.1, in_row), *moved = moved_copy(rest, rigid, NULL);
    RvDetail *all = groom(50, 8), *expected = moved_copy(all, rigid, NULL),
             *out = rv_test_carried(all, rest, moved, "");
    CHECK_NEAR(largest(expected, out), 0, 3e-6);
    rv_detail_free(rest);
    rv_detail_free(moved);
    rv_detail_free(all);
    rv_detail_free(expected);
    rv_detail_free(out);
  }
}

// every hair is its own guide: the simulated strands come out, whatever they did
static void guides_of_all_are_the_simulation(void** state) {
  (void)state;
  RvDetail *all = groom(300, 14), *moved = moved_copy(all, wild, NULL),
           *out = rv_test_carried(all, all, moved, "keeplength=0");
  CHECK_NEAR(largest(moved, out), 0, 1e-7);
  rv_detail_free(out);
  rv_detail_free(moved);
  // with lengths kept, if the simulation kept them: each edge turned by its own turn
  moved = rv_detail_copy(all);
  float* P = places(moved);
  const float* rest = rv_detail_f32(all, RV_POINT, "P", 3);
  for (size_t i = 0; i < 300; ++i)
    for (size_t k = 1; k < 14; ++k) {
      RvQuat q = rv_quat_axis_angle(rv_vec3(0, 0.6, 0.8), 0.3 * (double)k + 0.01 * (double)i);
      size_t p = 3 * (14 * i + k);
      RvVec3 edge = rv_sub(rv_vec3_load(rest + p), rv_vec3_load(rest + p - 3));
      rv_vec3_store(P + p, rv_add(rv_vec3_load(P + p - 3), rv_quat_rotate(q, edge)));
    }
  out = rv_test_carried(all, all, moved, "");
  CHECK_NEAR(largest(moved, out), 0, 1e-6);
  rv_detail_free(all);
  rv_detail_free(moved);
  rv_detail_free(out);
}

static void lengths_are_kept(void** state) {
  (void)state;
  RvDetail *all = groom(600, 14), *rest = choose_guides(all, "step=12"), *moved = moved_copy(rest, wild, NULL);
  RvDetail* out = rv_test_carried(all, rest, moved, "");
  for (size_t i = 0; i + 1 < rv_detail_count(all, RV_POINT); ++i)
    if ((i + 1) % 14)
      CHECK_NEAR(rv_distance(place(out, i), place(out, i + 1)), rv_distance(place(all, i), place(all, i + 1)), 1e-7);
  assert_true(largest(all, out) > 0.02);
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(out);
}

//---------------------------------------------------------------------------------------------- shapes

static RvVec3 at_origin(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  (void)x;
  return rv_vec3(0, 0, 0);
}

// A guide of 65 points is bent into an arc. A hair of 9 points on it lies on the arc, within the sagitta of the guide's
// segments (h^2 / 8 r = 6e-6 m); its longer end goes straight on from the tip, along the last segment, which is half of
// its angle (h / 2 r = 0.0125) off the tangent. A hair beside it stays as far
// from it as it was, and in the plane across it.
static void counts_and_lengths_differ(void** state) {
  (void)state;
  RvDetail *rest = straight(1, 65, 0.08, at_origin), *moved = moved_copy(rest, arc, NULL);
  RvDetail *on = straight(1, 9, 0.08, at_origin), *longer = straight(1, 13, 0.12, at_origin);
  RvDetail *a = rv_test_carried(on, rest, moved, "keeplength=0"),
           *b = rv_test_carried(longer, rest, moved, "keeplength=0; window=0");
  for (size_t i = 0; i < 9; ++i) CHECK_NEAR(rv_distance(place(a, i), arc(NULL, 0, place(on, i))), 0, 1e-5);
  RvVec3 tip = arc(NULL, 0, rv_vec3(0, 0.08, 0)), ahead = rv_vec3(sin(1.6), cos(1.6), 0);
  for (size_t i = 9; i < 13; ++i)
    CHECK_NEAR(rv_distance(place(b, i), rv_mad(tip, 0.01 * (double)(i - 8), ahead)), 0,
               0.0126 * 0.01 * (double)(i - 8));
  // beside: the binormal of the arc is z, and the offset has a part in each direction
  RvDetail* beside = straight(1, 9, 0.08, at_origin);
  float* P = places(beside);
  for (size_t i = 0; i < 9; ++i) {
    P[3 * i] += 0.003f;
    P[3 * i + 2] += 0.004f;
  }
  RvDetail* c = rv_test_carried(beside, rest, moved, "keeplength=0; window=0");
  for (size_t i = 0; i < 9; ++i) CHECK_NEAR(rv_distance(place(c, i), arc(NULL, 0, place(beside, i))), 0, 1e-4);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(on);
  rv_detail_free(longer);
  rv_detail_free(beside);
  rv_detail_free(a);
  rv_detail_free(b);
  rv_detail_free(c);
}

// A curl pulled to 1.5 times its length unwinds, and its frame by a third of a turn a coil. Hair beside it must not go
// round it: over a window of a pitch the guide's direction is its axis, which did not turn.
static RvVec3 pulled(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  return rv_vec3(0.7 * x.x, 1.5 * x.y, 0.7 * x.z);
}

static void hair_is_not_wound_about_a_pulled_curl(void** state) {
  (void)state;
  RvDetail* rest = straight(1, 121, 0.12, at_origin);
  float* P = places(rest);
  for (int i = 0; i < 121; ++i) {
    double phase = 2 * 3.14159265358979 * 0.001 * i / 0.02;
    P[3 * i] = (float)(0.004 * cos(phase));
    P[3 * i + 2] = (float)(0.004 * sin(phase));
  }
  RvDetail *moved = moved_copy(rest, pulled, NULL), *hair = rv_detail_copy(rest);
  float* Q = places(hair);
  for (int i = 0; i < 121; ++i) Q[3 * i] += 0.01f;
  // one turn takes 2 pi sqrt(r^2 + (p / 2 pi)^2) = 0.032 m of fibre
  RvDetail *out = rv_test_carried(hair, rest, moved, "window=0.0321; keeplength=0"),
           *wound = rv_test_carried(hair, rest, moved, "window=0; keeplength=0");
  double most = 0, without = 0;
  for (size_t i = 30; i < 91; ++i) {
    RvVec3 offset = rv_sub(place(out, i), place(moved, i)), other = rv_sub(place(wound, i), place(moved, i));
    most = fmax(most, rv_distance(offset, rv_vec3(0.01, 0, 0)));
    without = fmax(without, rv_distance(other, rv_vec3(0.01, 0, 0)));
  }
  print_message("offset changes by %.1f%%, %.0f%% without a window\n", 1e4 * most, 1e4 * without);
  // near the root, which the skin holds, the window is shorter, and what it turns there stays: less than 30 degrees
  assert_true(most < 0.01 * 0.5176 && without > 0.01);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(hair);
  rv_detail_free(out);
  rv_detail_free(wound);
}

// Curls of a guide shrink to half. A hair in step with it does the same; one that curls against it keeps its own, and
// does not grow as the guide shrinks (to 1.5 times, if it were given the guide's motion as it is).
static RvVec3 shrunk(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  return rv_vec3(0.5 * x.x, x.y, 0.5 * x.z);
}

static double amplitude(const RvDetail* d, double axis) {
  double sum = 0;
  for (size_t i = 40; i < 81; ++i) sum += rv_distance(place(d, i), rv_vec3(axis, place(d, i).y, 0)) / 41;
  return sum;
}

static void curls_out_of_step_keep_their_own(void** state) {
  (void)state;
  RvDetail* rest = straight(1, 121, 0.12, at_origin);
  float* P = places(rest);
  for (int i = 0; i < 121; ++i) {
    double phase = 2 * 3.14159265358979 * 0.001 * i / 0.02;
    P[3 * i] = (float)(0.004 * cos(phase));
    P[3 * i + 2] = (float)(0.004 * sin(phase));
  }
  RvDetail *moved = moved_copy(rest, shrunk, NULL), *with = rv_detail_copy(rest), *against = rv_detail_copy(rest);
  float *A = places(with), *B = places(against);
  for (int i = 0; i < 121; ++i) {
    A[3 * i] += 0.01f;
    B[3 * i] = 0.01f - B[3 * i];
    B[3 * i + 2] = -B[3 * i + 2];
  }
  RvDetail *a = rv_test_carried(with, rest, moved, "window=0.0321; keeplength=0"),
           *b = rv_test_carried(against, rest, moved, "window=0.0321; keeplength=0");
  // the hair's axis turns a little about the guide's at the root, where the window is short: 2 mm of 10
  double in_step = rv_distance(place(a, 60), place(moved, 60)), against_step = amplitude(b, 0.01);
  print_message("curls of 4 mm: in step %.4f m from the guide, against it %.4f m wide\n", in_step, against_step);
  CHECK_NEAR(in_step, 0.01, 1e-6);
  assert_true(against_step > 0.003 && against_step < 0.005);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(with);
  rv_detail_free(against);
  rv_detail_free(a);
  rv_detail_free(b);
}

// a helix over the fibre of one turn is its axis; a straight line, and the ends of any, stay
static void lines_are_smoothed(void** state) {
  (void)state;
  enum { N = 401 };
  static double along[N], x[3 * N], room[3 * N], out[3 * N];
  for (int i = 0; i < N; ++i) {
    double phase = 2 * 3.14159265358979323846 * i / 100;
    x[3 * i] = 1000 + 0.004 * cos(phase);
    x[3 * i + 1] = 2e-4 * i;
    x[3 * i + 2] = 0.004 * sin(phase);
    along[i] = i ? along[i - 1] + rv_distance(rv_vec3_load64(x + 3 * i), rv_vec3_load64(x + 3 * i - 3)) : 0;
  }
  rv_transfer_smooth(N, along, x, along[100], room, out);
  for (int i = 50; i <= 350; ++i)
    CHECK_NEAR(rv_distance(rv_vec3_load64(out + 3 * i), rv_vec3(1000, x[3 * i + 1], 0)), 0, 1e-9);
  for (int i = 0; i < N; i += N - 1)
    CHECK_NEAR(rv_distance(rv_vec3_load64(out + 3 * i), rv_vec3_load64(x + 3 * i)), 0, 0);
  for (int i = 0; i < N; ++i) {
    x[3 * i] = 1000 + i * i * 1e-6;
    x[3 * i + 1] = x[3 * i + 2] = 0;
    along[i] = i * i * 1e-6;
  }
  rv_transfer_smooth(N, along, x, 0.02, room, out);
  for (int i = 0; i < N; ++i) CHECK_NEAR(out[3 * i], x[3 * i], 1e-10);
}

// Guides in a plane go up each by a random way. Along a line of hairs the way has no jumps: of twice as many hairs the
// largest step is half as long.
static RvVec3 lifted(void* user, size_t strand, RvVec3 x) {
  (void)user;
  x.y += 0.1 * (double)(rv_random4(3, 0, strand).v[0] >> 8) * 0x1p-24;
  return x;
}

static RvVec3 scattered(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)x;
  RvRandom4 r = rv_random4(5, 0, strand);
  return rv_vec3((double)(r.v[0] >> 8) * 0x1p-24, 0, (double)(r.v[1] >> 8) * 0x1p-24);
}

static size_t line_count;
static RvVec3 on_line(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)x;
  double t = (double)strand / (double)line_count;
  return rv_vec3(t, 0, 0.3 + 0.4 * t);
}

static double largest_jump(const RvDetail* rest, const RvDetail* moved, size_t count) {
  line_count = count;
  RvDetail *line = straight(count, 2, 0.01, on_line), *out = rv_test_carried(line, rest, moved, "keeplength=0");
  double most = 0;
  for (size_t i = 0; i + 1 < count; ++i)
    most = fmax(most, fabs((place(out, 2 * i + 2).y - place(line, 2 * i + 2).y) -
                           (place(out, 2 * i).y - place(line, 2 * i).y)));
  rv_detail_free(line);
  rv_detail_free(out);
  return most;
}

static void neighbours_move_alike(void** state) {
  (void)state;
  RvDetail *rest = straight(200, 3, 0.1, scattered), *moved = moved_copy(rest, lifted, NULL);
  double coarse = largest_jump(rest, moved, 5000), fine = largest_jump(rest, moved, 10000);
  print_message("largest step %.2e m, of twice as many hairs %.2e\n", coarse, fine);
  assert_true(fine < 0.6 * coarse);
  rv_detail_free(rest);
  rv_detail_free(moved);
}

//---------------------------------------------------------------------------------------------- attributes

static void attributes_come_from_the_guides(void** state) {
  (void)state;
  RvError error = {0};
  enum { G = 6 };
  RvDetail *rest = straight(G, 5, 0.1, in_row), *hairs = straight(2, 9, 0.1, in_row), *moved = rv_detail_copy(rest);
  float* P = places(hairs);
  // one hair on guide 1, one between 3 and 4 and nearer to 4
  for (int k = 0; k < 9; ++k) {
    P[3 * k] = 0.01f;
    P[3 * (9 + k)] = 0.036f;
  }
  float *wet = rv_detail_f32_write(moved, RV_POINT, "wetness", 1, &error),
        *v = rv_detail_f32_write(moved, RV_POINT, "v", 3, &error);
  int32_t* clump = rv_detail_i32_write(moved, RV_POINT, "clumpid", 1, &error);
  double* own = rv_detail_f64_write(moved, RV_POINT, "rv_x", 1, &error);
  double* fine = rv_detail_f64_write(moved, RV_POINT, "filmv", 1, &error);
  rv_detail_f32_write(moved, RV_POINT, "other", 1, &error);
  RvAttrib *coarse, *text;
  CHECK_OK(rv_detail_add_attrib(moved, RV_POINT, "filmheight", RV_F16, 1, RV_TAG_NONE, &coarse, &error), error);
  CHECK_OK(rv_detail_add_attrib(moved, RV_POINT, "waterload", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  for (int i = 0; i < G; ++i)
    for (int k = 0; k < 5; ++k) {
      int p = 5 * i + k;
      wet[p] = (float)i + 0.1f * (float)k;
      clump[p] = 100 * i + k;
      own[p] = 1;
      fine[p] = 1e-9 * (i + 1);
      v[3 * p] = (float)i;
      v[3 * p + 1] = 2;
      v[3 * p + 2] = (float)-k;
      ((uint16_t*)rv_attrib_write(coarse))[p] = 0x3c00;  // 1
    }
  // an attribute of another kind gives way
  rv_detail_i32_write(hairs, RV_POINT, "wetness", 2, &error);
  RvTestCook c = rv_test_cook("transfer", "", 3, (const RvDetail*[]){hairs, rest, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "waterload of the guides is a string"));
  const RvDetail* out = c.output[0];
  const float *w = rv_detail_f32(out, RV_POINT, "wetness", 1), *u = rv_detail_f32(out, RV_POINT, "v", 3);
  const int32_t* id = rv_detail_i32(out, RV_POINT, "clumpid", 1);
  const double* f = rv_detail_f64(out, RV_POINT, "filmv", 1);
  assert_true(w && u && id && f && !rv_detail_find(out, RV_POINT, "rv_x") && !rv_detail_find(out, RV_POINT, "other"));
  for (int k = 0; k < 9; ++k) {
    CHECK_NEAR(w[k], 1 + 0.05 * k, 1e-5);
    CHECK_NEAR(u[3 * k + 2], -0.5 * k, 1e-5);
    CHECK_NEAR(f[k], 2e-9, 1e-22);
    // odd points lie half-way between two of a guide
    if (k % 2 == 0) assert_int_equal(id[k], 100 + k / 2);
    if (k % 2 == 0) assert_int_equal(id[9 + k], 400 + k / 2);
    assert_int_equal(id[k] / 100, 1);
    assert_int_equal(id[9 + k] / 100, 4);
    assert_true(w[9 + k] > 3 && w[9 + k] < 5);
    CHECK_NEAR(u[3 * (9 + k) + 1], 2, 1e-6);
    CHECK_NEAR(rv_attrib_get(rv_detail_find(out, RV_POINT, "filmheight"), (size_t)k, 0), 1, 1e-3);
  }
  assert_int_equal(rv_attrib_tag(rv_detail_find(out, RV_POINT, "v")), RV_TAG_VECTOR);
  rv_test_cook_free(&c);
  c = rv_test_cook("transfer", "attribs=* ^v ^waterload", 3, (const RvDetail*[]){hairs, rest, moved});
  CHECK_OK(c.result, c.error);
  assert_true(rv_detail_find(c.output[0], RV_POINT, "other") && !rv_detail_find(c.output[0], RV_POINT, "v") &&
              !rv_detail_find(c.output[0], RV_POINT, "rv_x"));
  rv_test_cook_free(&c);
  rv_detail_free(rest);
  rv_detail_free(hairs);
  rv_detail_free(moved);
}

// the skin is sheared, which no turn of guides can follow: roots lie on it all the same
static RvVec3 sheared(void* user, size_t strand, RvVec3 x) {
  (void)user;
  (void)strand;
  return rv_vec3(1.5 * x.x + 0.5 * x.z, x.y, x.z);
}

static void skin_holds_the_roots(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *skin = rv_test_square(1), *bent = moved_copy(skin, sheared, NULL);
  RvTestCook g = rv_test_cook("groom", "count=200; points=5; length=0.1; lift=1; bend=0", 1, (const RvDetail*[]){skin});
  CHECK_OK(g.result, g.error);
  RvDetail *rest = choose_guides(g.output[0], "step=10"), *moved = moved_copy(rest, sheared, NULL);
  RvTestCook c = rv_test_cook("transfer", "", 4, (const RvDetail*[]){g.output[0], rest, moved, bent});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  RvDetail* free_roots = rv_test_carried(g.output[0], rest, moved, "");
  double off = 0;
  for (size_t i = 0; i < 200; ++i) {
    RvVec3 x = sheared(NULL, 0, place(g.output[0], 5 * i));
    CHECK_NEAR(rv_distance(place(c.output[0], 5 * i), x), 0, 1e-6);
    off = fmax(off, rv_distance(place(free_roots, 5 * i), x));
    // the hair goes along with its root
    CHECK_NEAR(rv_distance(rv_sub(place(c.output[0], 5 * i + 4), place(c.output[0], 5 * i)),
                           rv_sub(place(free_roots, 5 * i + 4), place(free_roots, 5 * i))),
               0, 1e-6);
  }
  assert_true(off > 1e-3);
  rv_test_cook_free(&c);
  int32_t* prim = rv_detail_i32_write(g.output[0], RV_PRIM, "skinprim", 1, &error);
  prim[3] = 77;
  prim[8] = -1;
  c = rv_test_cook("transfer", "", 4, (const RvDetail*[]){g.output[0], rest, moved, bent});
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "2 hairs name no face of the skin in skinprim"));
  assert_non_null(strstr(c.warnings, "the first is primitive 3"));
  rv_test_cook_free(&c);
  c = rv_test_cook("transfer", "primnumattrib=nothing", 4, (const RvDetail*[]){g.output[0], rest, moved, bent});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  rv_test_cook_free(&c);
  rv_test_cook_free(&g);
  rv_detail_free(skin);
  rv_detail_free(bent);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(free_roots);
}

//---------------------------------------------------------------------------------------------- faults

static void bad_guides_are_left_out(void** state) {
  (void)state;
  RvDetail *all = groom(400, 10), *rest = choose_guides(all, "step=10"), *moved = moved_copy(rest, rigid, NULL);
  float* P = places(moved);
  P[3 * (10 * 4 + 3)] = NAN;
  P[3 * (10 * 6)] = INFINITY;
  float* R = places(rest);
  for (int k = 1; k < 10; ++k) memcpy(R + 3 * (10 * 9 + k), R + 3 * 10 * 9, 3 * sizeof *R);
  RvTestCook c = rv_test_cook("transfer", "", 3, (const RvDetail*[]){all, rest, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 2);
  assert_non_null(
      strstr(c.warnings, "2 of 40 guides are left out; the first, primitive 4, has a point whose position"));
  assert_non_null(strstr(c.warnings, "1 of 40 guides are left out; the first, primitive 9, has no length at rest"));
  RvDetail* expected = moved_copy(all, rigid, NULL);
  CHECK_NEAR(largest(expected, c.output[0]), 0, 1e-6);
  rv_test_cook_free(&c);
  // a bad hair stays, the others go
  float* H = places(all);
  H[3 * (10 * 7 + 5) + 1] = NAN;
  RvDetail* good = choose_guides(all, "step=10; group=0-6 8-399");
  c = rv_test_cook("transfer", "", 3, (const RvDetail*[]){all, good, good});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "1 hairs stay where they are; the first, primitive 7,"));
  assert_memory_equal(rv_detail_f32(c.output[0], RV_POINT, "P", 3) + 3 * 70, H + 3 * 70, 30 * sizeof *H);
  rv_test_cook_free(&c);
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(expected);
  rv_detail_free(good);
}

static void check_fails(const RvDetail* a, const RvDetail* b, const RvDetail* c, const char* part) {
  RvTestCook cook = rv_test_cook("transfer", "", 3, (const RvDetail*[]){a, b, c});
  CHECK_FAILS(cook.result, RV_BAD_INPUT, cook.error, part);
  assert_null(cook.output[0]);
}

static void faults_are_named(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *all = groom(40, 6), *rest = choose_guides(all, "step=4"), *fewer = choose_guides(all, "step=5"),
           *shorter = groom(10, 5), *none = rv_detail_new(), *bare = rv_detail_copy(rest),
           *nowhere = rv_detail_copy(rest);
  check_fails(NULL, rest, rest, "input 1, the hairs, is not wired");
  check_fails(all, rest, NULL, "input 3, the simulated guides, is not wired");
  check_fails(all, rest, fewer, "have 8 primitives, the guides at rest (input 2) 10");
  check_fails(all, rest, shorter, "guide 0 has 5 points in the simulation (input 3) and 6 at rest (input 2)");
  check_fails(all, none, none, "has no strands");
  rv_detail_remove_attrib(bare, RV_POINT, "rest");
  check_fails(all, NULL, bare, "no point attribute rest");
  float* P = places(nowhere);
  for (int i = 0; i < 60; ++i) P[3 * i] = NAN;
  check_fails(all, rest, nowhere, "none of the 10 guides is usable; the first, primitive 0,");
  // hairs of one point, of none, and closed ones
  RvDetail* odd = rv_detail_new();
  const int32_t counts[4] = {1, 0, 3, 3}, points[7] = {0, 1, 2, 1, 3, 4, 5};
  CHECK_OK(rv_detail_add_points(odd, 6, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(odd, RV_PRIM_CURVE, 3, counts, points, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(odd, RV_PRIM_POLYGON, 1, counts + 3, points + 4, NULL, &error), error);
  P = places(odd);
  P[3] = 0.01f;
  P[7] = 0.02f;
  RvDetail *moved = moved_copy(rest, rigid, NULL), *out = rv_test_carried(odd, rest, moved, "");
  for (size_t i = 0; i < 6; ++i)
    CHECK_NEAR(rv_distance(place(out, i), i < 3 ? rigid(NULL, 0, place(odd, i)) : place(odd, i)), 0, 1e-6);
  RvDetail* empty = rv_test_carried(none, rest, moved, "");
  assert_int_equal(rv_detail_count(empty, RV_POINT), 0);
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(fewer);
  rv_detail_free(shorter);
  rv_detail_free(none);
  rv_detail_free(bare);
  rv_detail_free(nowhere);
  rv_detail_free(odd);
  rv_detail_free(moved);
  rv_detail_free(out);
  rv_detail_free(empty);
}

//---------------------------------------------------------------------------------------------- same bits

static void threads_and_cache_change_nothing(void** state) {
  (void)state;
  const RvNodeType* type = rv_node_find("transfer");
  RvDetail *all = groom(2000, 9), *rest = choose_guides(all, "step=20"), *moved = moved_copy(rest, wild, NULL),
           *other = choose_guides(all, "step=20; order=list"), *other_moved = moved_copy(other, rigid, NULL);
  uint64_t hash = 0;
  const int workers[] = {1, 2, 3, 8};
  for (int i = 0; i < 4; ++i) {
    rv_threads_set(workers[i]);
    RvDetail* out = rv_test_carried(all, rest, moved, "");
    if (!i) hash = rv_detail_hash(out);
    assert_int_equal(rv_detail_hash(out), hash);
    rv_detail_free(out);
  }
  rv_threads_set(0);
  // the cache serves frame after frame, and not when the guides are others or a hair goes by more of them
  void* cache = NULL;
  const RvDetail *one[] = {all, rest, moved}, *two[] = {all, other, other_moved};
  uint64_t hashes[3] = {hash};
  for (int i = 0; i < 6; ++i) {
    int k = i / 2;
    RvTestCook c = rv_test_cook_type(type, k == 2 ? "maxguides=9" : "", 3, k == 1 ? two : one, 1 + i, &cache);
    CHECK_OK(c.result, c.error);
    void* kept = cache;
    assert_non_null(kept);
    if (!hashes[k]) hashes[k] = rv_detail_hash(c.output[0]);
    assert_int_equal(rv_detail_hash(c.output[0]), hashes[k]);
    RvDetail* fresh =
        rv_test_carried(all, k == 1 ? other : rest, k == 1 ? other_moved : moved, k == 2 ? "maxguides=9" : "");
    assert_int_equal(rv_detail_hash(fresh), hashes[k]);
    rv_detail_free(fresh);
    rv_test_cook_free(&c);
  }
  assert_true(hashes[0] != hashes[1] && hashes[0] != hashes[2]);
  type->free_cache(cache);
  rv_detail_free(all);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(other);
  rv_detail_free(other_moved);
}

RV_TESTS(cmocka_unit_test(still_guides_leave_the_groom), cmocka_unit_test(rigid_guides_carry_all_rigidly),
         cmocka_unit_test(few_guides_move_rigidly_too), cmocka_unit_test(guides_of_all_are_the_simulation),
         cmocka_unit_test(lengths_are_kept), cmocka_unit_test(counts_and_lengths_differ),
         cmocka_unit_test(hair_is_not_wound_about_a_pulled_curl), cmocka_unit_test(curls_out_of_step_keep_their_own),
         cmocka_unit_test(lines_are_smoothed), cmocka_unit_test(neighbours_move_alike),
         cmocka_unit_test(attributes_come_from_the_guides), cmocka_unit_test(skin_holds_the_roots),
         cmocka_unit_test(bad_guides_are_left_out), cmocka_unit_test(faults_are_named),
         cmocka_unit_test(threads_and_cache_change_nothing))
