// The look of hair in pictures, through the nodes that set it: dry, damp and soaked are three looks, and black hair is
// black.
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "view/view_scene.h"

enum { STRANDS = 400, POINTS = 24, W = 40, H = 60, MARGIN = 6, LAYERS = 4 };

static const double SIZE = 0.01;     // of the cylinder that the hair covers, m
static const float WIDTH = 8e-5f;    // of a hair, m
static const double LAYER = 1.5e-4;  // distance of two layers, m

// Layers of strands side by side along x, bent over the front of a cylinder about the x axis, with liquid on and in
// them.
static RvDetail* coat(double filmheight, double absorbed, int layers) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, (size_t)(STRANDS * layers), POINTS, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* film = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  float* inside = rv_detail_f32_write(d, RV_POINT, "absorbed", 1, &error);
  for (int s = 0; s < STRANDS * layers; ++s)
    for (int i = 0; i < POINTS; ++i, p += 3) {
      double a = M_PI * (i + 0.5) / POINTS, r = SIZE - LAYER * (s / STRANDS);
      p[0] = (float)(SIZE * (-1 + 2.0 * (s % STRANDS + 0.37 * (s / STRANDS)) / STRANDS));
      p[1] = (float)(r * cos(a));
      p[2] = (float)(r * sin(a));
      *film++ = (float)filmheight;
      *inside++ = (float)absorbed;
    }
  *rv_detail_f32_write(d, RV_GLOBAL, "width", 1, &error) = WIDTH;
  return d;
}

// Mean colour of a coat in a light, after lookmaterial and wetness; `look` and `light` are parameters, an empty light
// is the flipbook's own studio.
static RvVec3 seen(double filmheight, double absorbed, int layers, const char* look, const char* light) {
  RvError error = {0};
  RvDetail* hair = coat(filmheight, absorbed, layers);
  RvDetail* colored = rv_test_cooked("lookmaterial", look, hair);
  RvTestCook lamp = rv_test_cook("light", light, 0, NULL);
  CHECK_OK(lamp.result, lamp.error);
  RvDetail* d[] = {rv_test_cooked("wetness", "", colored), lamp.output[0]};
  RvCamera camera = {.eye = {0, 0, 12 * SIZE}, .up = {0, 1, 0}, .fov_y_degrees = 8};
  RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, W, H);
  o.samples = 48;
  o.noise = 0;
  o.ground = false;
  RvImage image;
  CHECK_OK(rv_view_render((const RvDetail* const*)d, *light ? 2 : 1, &camera, &o, NULL, NULL, &image, &error), error);
  RvVec3 sum = {0, 0, 0};
  int count = 0;
  for (int y = MARGIN; y < H - MARGIN; ++y)
    for (int x = MARGIN; x < W - MARGIN; ++x, ++count) sum = rv_add(sum, rv_vec3_load(image.rgb + 3 * (y * W + x)));
  rv_view_image_free(&image);
  rv_detail_free(hair);
  rv_detail_free(colored);
  rv_detail_free(d[0]);
  rv_test_cook_free(&lamp);
  return rv_scale(sum, 1.0 / count);
}

static double luminance(RvVec3 c) {
  return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

static const char* const LIGHTS[] = {"lighttype=distant; t=0 1 2; angle=6; intensity=3", "lighttype=dome",
                                     "lighttype=dome; dome=uniform"};

// With liquid on the same hair luminance falls in steps that an eye sees: a tenth is an eighth of a stop. Damp is a
// film of 8 micrometres on a fibre that is 0.6 full, soaked one of 60 on a full one. Black hair sends back only what
// its surface reflects, which a film lessens once. Towelled hair, full but without a film, keeps the reflection of its
// scales.
static void dry_damp_and_soaked_are_three_looks(void** state) {
  (void)state;
  const char* const colors[] = {"haircolor=brown", "haircolor=blonde", "haircolor=black"};
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) {
      double dry = luminance(seen(0, 0, LAYERS, colors[c], LIGHTS[i]));
      double damp = luminance(seen(8e-6, 0.6, LAYERS, colors[c], LIGHTS[i]));
      double soaked = luminance(seen(6e-5, 1, LAYERS, colors[c], LIGHTS[i]));
      print_message("%s, light %d: dry %.4f, damp %.3f, soaked %.3f of it\n", colors[c], i, dry, damp / dry,
                    soaked / dry);
      assert_true(damp < 0.9 * dry);
      assert_true(soaked < (c < 2 ? 0.9 : 0.995) * damp);
    }
  double dry = luminance(seen(0, 0, LAYERS, colors[2], LIGHTS[0]));
  CHECK_NEAR(luminance(seen(0, 1, LAYERS, colors[2], LIGHTS[0])) / dry, 1, 0.02);
}

// In even light of 1 a coat of black hair sends back less than 5%: the reflection of its surface, 3.4% of light from
// the eye's side by Fresnel for an index of 1.55, and little of what is reflected twice. It is as white as its lamp,
// also where a lamp behind one layer would show the colour of light that passed through; there it is far darker than
// brown hair.
static void black_hair_is_black(void** state) {
  (void)state;
  RvVec3 even = seen(0, 0, LAYERS, "haircolor=black", "lighttype=dome; dome=uniform");
  print_message("black in even light: %.4f %.4f %.4f\n", even.x, even.y, even.z);
  assert_true(luminance(even) < 0.05);
  CHECK_NEAR(even.x / even.z, 1, 0.05);
  const char* behind = "lighttype=distant; t=0 0.6 -1; angle=6; intensity=3";
  RvVec3 black = seen(0, 0, 1, "haircolor=black", behind), brown = seen(0, 0, 1, "haircolor=brown", behind);
  print_message("from behind: black %.4f %.4f %.4f, brown %.4f %.4f %.4f\n", black.x, black.y, black.z, brown.x,
                brown.y, brown.z);
}

// Counts warnings of hair that is drawn twice.
static void count_twice(void* user, RvLevel level, const char* text) {
  if (level == RV_LEVEL_WARNING && strstr(text, "same strands")) ++*(int*)user;
}

// The same strands in two details are told of, whatever their look; other strands are not.
static void hair_drawn_twice_is_told(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* hair = coat(0, 0, 1);
  RvDetail *black = rv_test_cooked("lookmaterial", "haircolor=black", hair),
           *moved = rv_test_cooked("transform", "t=0.03 0 0", hair);
  for (int i = 0; i < 2; ++i) {
    const RvDetail* d[] = {hair, i ? moved : black};
    int warnings = 0;
    RvLog log = {&warnings, count_twice};
    RvCamera camera = {.eye = {0, 0, 12 * SIZE}, .up = {0, 1, 0}, .fov_y_degrees = 8};
    RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 8, 8);
    o.log = &log;
    RvImage image;
    CHECK_OK(rv_view_render(d, 2, &camera, &o, NULL, NULL, &image, &error), error);
    assert_int_equal(warnings, i == 0);
    rv_view_image_free(&image);
  }
  rv_detail_free(hair);
  rv_detail_free(black);
  rv_detail_free(moved);
}

RV_TESTS(cmocka_unit_test(dry_damp_and_soaked_are_three_looks), cmocka_unit_test(black_hair_is_black),
         cmocka_unit_test(hair_drawn_twice_is_told))
