// Water in pictures: a calm pool is flat, film is drawn once, and strands are smooth.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
#include "rivulet/scene.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "view/view_scene.h"

// rms slope of what a camera above sees in the middle half of the picture
static double slope_of(const RvDetail* d) {
  enum { SIDE = 64 };
  RvError error = {0};
  RvCamera camera = {.eye = {0, 0.6, 0}, .target = {0, 0.03, 0}, .up = {0, 0, -1}, .fov_y_degrees = 15};
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, SIDE, SIDE);
  o.layers = true;
  RvImage image;
  CHECK_OK(rv_view_render(&d, 1, &camera, &o, NULL, NULL, &image, &error), error);
  double sum = 0;
  int count = 0;
  for (int y = SIDE / 4; y < 3 * SIDE / 4; ++y)
    for (int x = SIDE / 4; x < 3 * SIDE / 4; ++x, ++count) {
      const float* n = image.normal + 3 * (y * SIDE + x);
      assert_true(n[1] > 0.5f);
      sum += (double)(n[0] * n[0] + n[2] * n[2]) / (n[1] * n[1]);
    }
  rv_view_image_free(&image);
  return sqrt(sum / count);
}

// particles strewn about their places by half their distance have ripples of slope 0.04 in the flipbook's own surface
// and 0.12 in that of the surface node; drawn they are below 0.02, at two separations
static void calm_pools_are_flat(void** state) {
  (void)state;
  const char* pools[] = {"size=0.16 0.06 0.16; particlesep=0.004", "size=0.16 0.06 0.16; particlesep=0.006"};
  for (int i = 0; i < 2; ++i) {
    RvTestCook pool = rv_test_cook("fill", pools[i], 0, NULL);
    CHECK_OK(pool.result, pool.error);
    double of_points = slope_of(pool.output[0]);
    RvTestCook skin = rv_test_cook("surface", "", 1, (const RvDetail*[]){pool.output[0]});
    CHECK_OK(skin.result, skin.error);
    double of_grid = slope_of(skin.output[0]);
    print_message("slope of points %.4f, of the level set %.4f\n", of_points, of_grid);
    assert_true(of_points < 0.02);
    assert_true(of_grid < 0.02);
    rv_test_cook_free(&skin);
    rv_test_cook_free(&pool);
  }
}

// a pool that was simulated until it is calm, at two separations: flat, and no particle lies on it as a ball
static void simulated_pools_are_flat(void** state) {
  (void)state;
  const char* text =
      "{ \"rivulet\": 1, \"fps\": 24, \"frames\": [1, 60], \"nodes\": {"
      "\"pool\": { \"type\": \"fill\", \"parms\": { \"size\": [0.2, 0.06, 0.2], \"particlesep\": %g } },"
      "\"sim\": { \"type\": \"liquidsolver\", \"inputs\": [\"pool\"], \"parms\": { \"particlesep\": %g,"
      "\"substeps\": 2, \"walls\": true, \"wallsmin\": [-0.1, -0.03, -0.1], \"wallsmax\": [0.1, 0.5, 0.1] } } } }";
  const double separations[] = {0.008, 0.006};
  for (int i = 0; i < 2; ++i) {
    char scene_text[1024];
    RvError error = {0};
    RvScene* scene = NULL;
    int bytes = snprintf(scene_text, sizeof scene_text, text, separations[i], separations[i]);
    CHECK_OK(rv_scene_parse(scene_text, (size_t)bytes, "pool", &scene, &error), error);
    const RvDetail* liquid = NULL;
    CHECK_OK(rv_scene_cook(scene, "sim", 48, &liquid, &error), error);
    double slope = slope_of(liquid);
    print_message("slope of a simulated pool %.4f\n", slope);
    assert_true(slope < 0.02);
    rv_scene_free(scene);
  }
}

// a strand of POINTS points along y with a thick film, and a drop at its tip
enum { POINTS = 20 };
static RvDetail* wet_strand(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 1, POINTS, NULL, NULL, &error), error);
  float *p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error),
        *film = rv_detail_f32_write(d, RV_POINT, "filmradius", 1, &error),
        *height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error),
        *drop = rv_detail_f32_write(d, RV_POINT, "dropradius", 1, &error);
  for (int i = 0; i < POINTS; ++i) {
    p[3 * i + 1] = -0.005f * (float)i;
    film[i] = 4e-3f;
    height[i] = 3e-3f;
    drop[i] = i == POINTS - 1 ? 6e-3f : 0;
  }
  *rv_detail_f32_write(d, RV_GLOBAL, "hairradius", 1, &error) = 1e-3f;
  return d;
}

// with the level set of the surface node beside it, neither the film nor the drop is drawn again
static void film_is_drawn_once(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* strand = wet_strand();
  RvTestCook skin = rv_test_cook("surface", "voxelsize=0.001", 1, (const RvDetail*[]){strand});
  CHECK_OK(skin.result, skin.error);
  RvCamera camera = {.eye = {0, -0.05, 0.3}, .target = {0, -0.05, 0}, .up = {0, 1, 0}, .fov_y_degrees = 25};
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 64, 64);
  for (int with = 0; with < 2; ++with) {
    const RvDetail* d[] = {strand, skin.output[0]};
    RvLens lens;
    RvViewScene scene;
    CHECK_OK(rv_view_lens_make(&camera, 64, 64, &lens, &error), error);
    CHECK_OK(rv_view_scene_build(&scene, d, (size_t)with + 1, &lens, &o, &error), error);
    size_t tubes = 0, vertices = 0;
    for (size_t i = 0; i < scene.count; ++i)
      for (size_t k = 0; scene.parts[i].kind == RV_PART_HAIR && k < scene.parts[i].nvertex; ++k) {
        vertices++;
        tubes += scene.parts[i].core[k] < 1;
      }
    assert_true(vertices >= POINTS);
    if (with) {
      assert_int_equal(tubes, 0);
      assert_int_equal(scene.stats.spheres, 0);
    } else {
      assert_true(tubes >= POINTS);
      assert_int_equal(scene.stats.spheres, 1);
    }
    rv_view_scene_free(&scene);
  }
  rv_test_cook_free(&skin);
  rv_detail_free(strand);
}

// the particles of a pool beside its level set are not drawn again
static void liquid_is_drawn_once(void** state) {
  (void)state;
  RvError error = {0};
  RvTestCook pool = rv_test_cook("fill", "size=0.1 0.06 0.1; particlesep=0.01", 0, NULL);
  RvTestCook skin = rv_test_cook("surface", "", 1, (const RvDetail*[]){pool.output[0]});
  CHECK_OK(skin.result, skin.error);
  RvCamera camera = {.eye = {0, 0.1, 0.5}, .up = {0, 1, 0}, .fov_y_degrees = 25};
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 32, 32);
  o.layers = true;
  RvImage images[2];
  for (int with = 0; with < 2; ++with) {
    const RvDetail* d[] = {skin.output[0], pool.output[0]};
    CHECK_OK(rv_view_render(d, (size_t)with + 1, &camera, &o, NULL, NULL, &images[with], &error), error);
  }
  assert_memory_equal(images[0].depth, images[1].depth, 32 * 32 * sizeof(float));
  for (int i = 0; i < 2; ++i) rv_view_image_free(&images[i]);
  rv_test_cook_free(&skin);
  rv_test_cook_free(&pool);
}

// the vertices of a strand through points of a circle lie on the circle, between the points too
static void strands_are_smooth(void** state) {
  (void)state;
  enum { N = 9 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 1, N, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < N; ++i) {
    p[3 * i] = (float)cos(M_PI * i / (N - 1));
    p[3 * i + 1] = (float)sin(M_PI * i / (N - 1));
  }
  RvCamera camera = {.eye = {0, 0, 4}, .up = {0, 1, 0}, .fov_y_degrees = 40};
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 800, 800);
  RvLens lens;
  RvViewScene scene;
  CHECK_OK(rv_view_lens_make(&camera, 800, 800, &lens, &error), error);
  CHECK_OK(rv_view_scene_build(&scene, (const RvDetail* const*)&d, 1, &lens, &o, &error), error);
  const RvPart* part = &scene.parts[0];
  assert_true(part->count > 2 * (N - 1));
  double worst = 0;
  for (size_t i = 0; i < part->nvertex; ++i) {
    RvVec3 v = rv_vec3_load(part->vertices + 4 * i);
    // the first and the last span have no point beyond them
    if (v.y > sin(M_PI / (N - 1)) + 1e-6) worst = fmax(worst, fabs(rv_length(v) - 1));
  }
  // chords would be off by 1 - cos(pi / 16) = 0.019
  assert_true(worst < 0.002);
  rv_view_scene_free(&scene);
  rv_detail_free(d);
}

// A drop on the floor is a cap of its volume that meets the floor at the contact angle; one above it stays a ball, and
// it spreads without a jump as it comes down.
static void drops_lie_on_the_floor(void** state) {
  (void)state;
  const double floor = -0.3, r = 0.002;
  double last = 0;
  for (int i = 0; i <= 40; ++i) {
    double height = r * (1.5 - 0.05 * i);
    float drop[4] = {0.1f, (float)(floor + height), 0.2f, (float)r};
    rv_view_drop_on_floor(drop, floor);
    double R = drop[3], top = drop[1] + R - floor;  // height of the cap
    double volume = M_PI * top * top * (R - top / 3);
    if (height >= r) {
      CHECK_NEAR(R, r, 1e-9);
      CHECK_NEAR(drop[1], floor + height, 1e-7);
    } else {
      // positions are floats of 0.3: 3e-8 of a cap of 1e-3
      CHECK_NEAR(volume / (4 * M_PI / 3 * r * r * r), 1, 1e-3);
      if (last > 0) assert_true(R >= last - 1e-7 && R < 1.25 * last);
    }
    last = R;
    // at rest: an angle of about 50 degrees, and 1.8 times as wide as the ball
    if (height <= 0) {
      CHECK_NEAR(acos((floor - drop[1]) / R), 0.9, 0.01);
      CHECK_NEAR(sqrt(R * R - (drop[1] - floor) * (drop[1] - floor)) / r, 1.77, 0.05);
    }
  }
}

RV_TESTS(cmocka_unit_test(calm_pools_are_flat), cmocka_unit_test(simulated_pools_are_flat),
         cmocka_unit_test(film_is_drawn_once), cmocka_unit_test(liquid_is_drawn_once),
         cmocka_unit_test(strands_are_smooth), cmocka_unit_test(drops_lie_on_the_floor))
