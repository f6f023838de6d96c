// The look of hair, skin, water and backdrop as attributes, and what the flipbook reads of them.
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "node/look.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "view/view.h"

enum { STRANDS = 400 };

static RvDetail* strands(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, STRANDS, 3, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 3 * STRANDS; ++i) {
    p[3 * i] = (float)(i / 3) / STRANDS;
    p[3 * i + 1] = (float)(i % 3);
  }
  return d;
}

static RvDetail* looked(RvDetail* in, const char* parms) {
  RvTestCook c = rv_test_cook("lookmaterial", parms, 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  RvDetail* out = c.output[0];
  c.output[0] = NULL;
  rv_test_cook_free(&c);
  return out;
}

// mean colour over the strands
static RvVec3 mean_color(const RvDetail* d) {
  const float* c = rv_detail_f32(d, RV_PRIM, "Cd", 3);
  double sum[3] = {0};
  for (int i = 0; i < 3 * STRANDS; ++i) sum[i % 3] += c[i] / STRANDS;
  return rv_vec3(sum[0], sum[1], sum[2]);
}

static double grey(RvVec3 c) {
  return (c.x + c.y + c.z) / 3;
}

static void natural_colours(void** state) {
  (void)state;
  const char* names[] = {"blonde", "brown", "black", "red", "grey"};
  RvVec3 c[5];
  for (int i = 0; i < 5; ++i) {
    char text[64];
    snprintf(text, sizeof text, "haircolor=%s", names[i]);
    RvDetail *in = strands(), *out = looked(in, text);
    c[i] = mean_color(out);
    assert_true(c[i].x > 0 && c[i].x < 1 && c[i].x >= c[i].y && c[i].y >= c[i].z);
    assert_true(rv_detail_f32(out, RV_PRIM, "roughness", 1)[7] == 0.3f);
    assert_true(rv_detail_f32(out, RV_PRIM, "ior", 1)[7] == 1.55f);
    rv_detail_free(out);
    rv_detail_free(in);
  }
  // by brightness black, brown, red, blonde; red has the most saturated colour
  assert_true(grey(c[2]) < grey(c[1]) && grey(c[1]) < grey(c[0]) && grey(c[1]) < grey(c[3]));
  assert_true(c[3].x / c[3].z > 2 * c[0].x / c[0].z);
  assert_true(grey(c[4]) > 2 * grey(c[1]));
  // grey is grey: its strands differ in how light they are, by Color Random, and hardly in hue
  assert_true(c[4].x < 1.25 * c[4].z);
  double spread[2];
  const char* random[] = {"haircolor=grey; colorrandom=0.05", "haircolor=grey; colorrandom=0.25"};
  for (int i = 0; i < 2; ++i) {
    RvDetail *in = strands(), *out = looked(in, random[i]);
    const float* cd = rv_detail_f32(out, RV_PRIM, "Cd", 3);
    double mean = mean_color(out).y, squares = 0;
    for (int k = 0; k < STRANDS; ++k) squares += (cd[3 * k + 1] - mean) * (cd[3 * k + 1] - mean) / STRANDS;
    spread[i] = sqrt(squares);
    rv_detail_free(out);
    rv_detail_free(in);
  }
  assert_true(spread[1] > 1.3 * spread[0]);
}

// more pigment is darker; strands differ by Color Random; the same id has the same colour whatever stands beside it
static void melanin_and_variation(void** state) {
  (void)state;
  RvDetail* in = strands();
  double last = 2;
  for (double m = 0; m <= 1; m += 0.25) {
    char text[96];
    snprintf(text, sizeof text, "haircolor=melanin; melanin=%g; colorrandom=0", m);
    RvDetail* out = looked(in, text);
    const float* cd = rv_detail_f32(out, RV_PRIM, "Cd", 3);
    assert_true(cd[0] == cd[30]);
    double now = grey(mean_color(out));
    assert_true(now < last);
    last = now;
    rv_detail_free(out);
  }
  RvDetail* a = looked(in, "colorrandom=0.5");
  RvDetail* b = looked(in, "colorrandom=0.5; seed=1");
  const float *x = rv_detail_f32(a, RV_PRIM, "Cd", 3), *y = rv_detail_f32(b, RV_PRIM, "Cd", 3);
  assert_true(x[0] != x[3] && x[0] != y[0]);
  rv_detail_free(a);
  rv_detail_free(b);
  // a colour that is given is kept
  a = looked(in, "haircolor=color; color=0.6 0.1 0.3; colorrandom=0");
  x = rv_detail_f32(a, RV_PRIM, "Cd", 3);
  CHECK_NEAR(x[0], 0.6, 1e-6);
  CHECK_NEAR(x[2], 0.3, 1e-6);
  rv_detail_free(a);
  // half of the strands white
  a = looked(in, "haircolor=black; whitehair=0.5");
  x = rv_detail_f32(a, RV_PRIM, "Cd", 3);
  int white = 0;
  for (int i = 0; i < STRANDS; ++i) white += x[3 * i] > 0.5f;
  CHECK_NEAR(white, STRANDS / 2, 40);
  rv_detail_free(a);
  rv_detail_free(in);
}

// outside the group values stay, also those of points, which would hide the new ones
static void groups_and_owners(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = strands();
  float* cd = rv_detail_f32_write(in, RV_POINT, "Cd", 3, &error);
  for (int i = 0; i < 9 * STRANDS; ++i) cd[i] = 0.25f;
  RvDetail* out = looked(in, "group=0-9; haircolor=color; color=0.5 0.5 0.5; colorrandom=0");
  assert_null(rv_detail_find(out, RV_POINT, "Cd"));
  CHECK_NEAR(rv_detail_f32(out, RV_PRIM, "Cd", 3)[0], 0.5, 1e-6);
  CHECK_NEAR(rv_detail_f32(out, RV_PRIM, "Cd", 3)[30], 0.25, 1e-6);
  CHECK_NEAR(rv_detail_f32(out, RV_PRIM, "roughness", 1)[30], 0.3, 1e-6);
  rv_detail_free(out);
  rv_detail_free(in);
}

static void water_and_backdrop(void** state) {
  (void)state;
  RvDetail* in = strands();
  RvDetail* out = looked(in, "kind=water; tint=0.5 1 0.25; tintdepth=0.1; roughness=0.2");
  const float* w = rv_detail_f32(out, RV_GLOBAL, RV_LOOK_WATER, 5);
  CHECK_NEAR(w[0], log(2) / 0.1, 1e-4);
  CHECK_NEAR(w[1], 0, 1e-6);
  CHECK_NEAR(w[3], 1.333, 1e-6);
  CHECK_NEAR(w[4], 0.2, 1e-6);
  rv_detail_free(out);
  rv_detail_free(in);
  RvTestCook c =
      rv_test_cook("lookmaterial", "kind=backdrop; topcolor=0.1 0.2 0.3; groundat=height; groundheight=-2", 0, NULL);
  CHECK_OK(c.result, c.error);
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 8, 8);
  assert_true(rv_view_backdrop_from_details((const RvDetail* const*)&c.output[0], 1, &o));
  CHECK_NEAR(o.background_top[1], 0.2, 1e-6);
  assert_true(o.ground && o.ground_height == -2);
  rv_test_cook_free(&c);
  rv_test_cook_fails("lookmaterial", "kind=hair", NULL, RV_BAD_INPUT, "not wired");
}

// what the node sets is what the picture shows: every number changes it
static void pictures_change(void** state) {
  (void)state;
  const char* looks[] = {"haircolor=brown",
                         "haircolor=blonde",
                         "haircolor=brown; roughness=0.1",
                         "haircolor=brown; roughnessaround=0.7",
                         "haircolor=brown; ior=1.3",
                         "haircolor=brown; cuticletilt=8",
                         "haircolor=brown; colorrandom=0",
                         "haircolor=brown; whitehair=0.4"};
  enum { LOOKS = sizeof looks / sizeof *looks, W = 24, H = 24 };
  RvError error = {0};
  RvImage images[LOOKS];
  for (int i = 0; i < LOOKS; ++i) {
    RvDetail *in = strands(), *out = looked(in, looks[i]);
    *rv_detail_f32_write(out, RV_GLOBAL, "width", 1, &error) = 0.01f;
    RvCamera camera = {.eye = {0.5, 1, 6}, .target = {0.5, 1, 0}, .up = {0, 1, 0}, .fov_y_degrees = 20};
    RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, W, H);
    CHECK_OK(rv_view_render((const RvDetail* const*)&out, 1, &camera, &o, NULL, NULL, &images[i], &error), error);
    rv_detail_free(out);
    rv_detail_free(in);
  }
  for (int i = 0; i < LOOKS; ++i)
    for (int k = 0; k < i; ++k) assert_true(memcmp(images[i].rgb, images[k].rgb, W * H * 3 * sizeof(float)) != 0);
  for (int i = 0; i < LOOKS; ++i) rv_view_image_free(&images[i]);
}

RV_TESTS(cmocka_unit_test(natural_colours), cmocka_unit_test(melanin_and_variation),
         cmocka_unit_test(groups_and_owners), cmocka_unit_test(water_and_backdrop), cmocka_unit_test(pictures_change))
