// The scenes of hair as a continuum (docs/scenes/continuum), with fewer strands that stand for as many hairs: what the
// pictures show is measured.
#include <math.h>
#include <stdio.h>

#include "math/vec.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static RvScene* open_scene(const char* name, const char* const* sets) {
  char path[1024];
  RvScene* scene = NULL;
  RvError error = {0};
  snprintf(path, sizeof path, "%s/docs/scenes/continuum/%s.json", RV_SOURCE_DIR, name);
  CHECK_OK(rv_scene_load(path, &scene, &error), error);
  for (; *sets; ++sets) CHECK_OK(rv_scene_set(scene, *sets, &error), error);
  return scene;
}

static RvVec3 point_of(const RvDetail* d, size_t i) {
  return rv_vec3_load(rv_detail_f32(d, RV_POINT, "P", 3) + 3 * i);
}

// Means over the strands, of `points` points each.
typedef struct Look {
  double straight;    // distance of root and tip over the length
  double tip_height;  // m: of the tips above the roots
  double tip_radius;  // m: of the tips from the vertical through the middle of the roots
  double tip_along;   // m: of the tips along x from the roots
} Look;

static Look look(const RvDetail* d, size_t points) {
  size_t strands = rv_detail_count(d, RV_POINT) / points;
  RvVec3 middle = {0};
  Look out = {0};
  for (size_t s = 0; s < strands; ++s) middle = rv_mad(middle, 1.0 / (double)strands, point_of(d, s * points));
  for (size_t s = 0; s < strands; ++s) {
    RvVec3 root = point_of(d, s * points), tip = point_of(d, (s + 1) * points - 1);
    double length = 0;
    for (size_t i = s * points; i + 1 < (s + 1) * points; ++i)
      length += rv_distance(point_of(d, i), point_of(d, i + 1));
    out.straight += rv_distance(root, tip) / length / (double)strands;
    out.tip_height += (tip.y - root.y) / (double)strands;
    out.tip_along += (tip.x - root.x) / (double)strands;
    out.tip_radius += hypot(tip.x - middle.x, tip.z - middle.z) / (double)strands;
  }
  return out;
}

//---------------------------------------------------------------------------------------------- collapse

// Spread hair falls together. With shape memory its curls stay; without, it is straight by frame 24 (HC, spec 4.4).
// Pressure keeps volume, which hair without the medium does not.
static void collapse(void** state) {
  (void)state;
  enum { POINTS = 24 };
  static const char* const sets[] = {"spread.count=60", "memory.hairsperguide=267", "limp.hairsperguide=267", NULL};
  RvScene* scene = open_scene("collapse", sets);
  RvError error = {0};
  Look start = look(rv_test_scene_cook(scene, "limp", 1), POINTS),
       limp = look(rv_test_scene_cook(scene, "limp", 24), POINTS),
       memory = look(rv_test_scene_cook(scene, "memory", 24), POINTS);
  CHECK_OK(rv_scene_set(scene, "limp.interaction=none", &error), error);
  Look alone = look(rv_test_scene_cook(scene, "limp", 24), POINTS);
  print_message("straight: start %g, with memory %g, without %g; radius %g, %g, %g, alone %g m; tips %g, %g, %g m\n",
                start.straight, memory.straight, limp.straight, start.tip_radius, memory.tip_radius, limp.tip_radius,
                alone.tip_radius, start.tip_height, memory.tip_height, limp.tip_height);
  // A curl of 6 mm and 40 mm a turn is 0.75 of its fibre long.
  assert_true(start.straight < 0.85 && memory.straight < 0.85 && limp.straight > 0.95);
  assert_true(limp.tip_height < -0.15 && memory.tip_height < -0.1 && start.tip_height > -0.1);
  assert_true(limp.tip_radius < 0.6 * start.tip_radius && limp.tip_radius > 1.3 * alone.tip_radius);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- ponytail

// A gale along x blows the tail out level, on the far side of where it hung.
static void ponytail(void** state) {
  (void)state;
  enum { POINTS = 24 };
  static const char* const sets[] = {"band.count=60", "solve.hairsperguide=1167", NULL};
  RvScene* scene = open_scene("ponytail", sets);
  Look start = look(rv_test_scene_cook(scene, "solve", 1), POINTS),
       blown = look(rv_test_scene_cook(scene, "solve", 24), POINTS);
  print_message("tips: start %g along, %g up; blown %g along, %g up\n", start.tip_along, start.tip_height,
                blown.tip_along, blown.tip_height);
  assert_true(fabs(start.tip_along) < 0.05 && start.tip_height < -0.2);
  assert_true(blown.tip_along > 0.2 && blown.tip_height > -0.6 * blown.tip_along);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- free fall

// Hair that stood up falls freely, is stopped by its length and the shoulders, bursts sideways and closes again.
static void free_fall(void** state) {
  (void)state;
  enum { POINTS = 20 };
  static const char* const sets[] = {"hair.count=60", "solve.hairsperguide=1200", NULL};
  // Twelve frames of 1/24 s at a quarter of the speed.
  const double fallen = 0.5 * 9.81 * (12.0 / 24 / 4) * (12.0 / 24 / 4);
  RvScene* scene = open_scene("free_fall", sets);
  static const double frames[] = {1, 13, 29, 37, 49};
  Look at[5];
  for (int k = 0; k < 5; ++k) {
    at[k] = look(rv_test_scene_cook(scene, "solve", frames[k]), POINTS);
    print_message("frame %g: tips %g m above the roots, %g m from the middle\n", frames[k], at[k].tip_height,
                  at[k].tip_radius);
  }
  // Standing strands resist a little, and topple, which is faster.
  CHECK_NEAR(at[0].tip_height - at[1].tip_height, fallen, 0.15 * fallen);
  assert_true(at[1].tip_height > 0.1 && at[3].tip_height < -0.15 && at[4].tip_height < at[3].tip_height);
  assert_true(at[3].tip_radius > 1.35 * at[0].tip_radius && at[4].tip_radius < 0.95 * at[3].tip_radius);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(collapse), cmocka_unit_test(ponytail), cmocka_unit_test(free_fall))
