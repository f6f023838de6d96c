// Liquid and pores through lookdevsolver: the same state for any number of workers, scrubbed and from files; the ledger
// closes with sources, sinks, pores and drying; clumps only where hair is wet; wet hair hangs lower and dries back.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/scene_log.h"
#include "support/shot.h"

enum { LAST = 10 };

#define TUFT                                                                                                        \
  "\"h\": {\"type\": \"groom\", \"parms\": {\"layout\": \"disk\", \"size\": 0.02, \"count\": 40, \"length\": 0.06," \
  "  \"points\": 10, \"lift\": 1, \"bend\": 0}},"                                                                   \
  "\"hang\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"r\": [180, 0, 0]}},"
#define BLOCK                                                                                  \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.03, 0.02, 0.03], \"t\": [0, 0.02, 0]," \
  "  \"particlesep\": 0.004}},"
#define TAP                                                                                \
  "\"g\": {\"type\": \"grid\", \"parms\": {\"size\": [0.01, 0.01], \"t\": [0, 0.03, 0]}}," \
  "\"tap\": {\"type\": \"source\", \"inputs\": [\"g\"], \"parms\": {\"mode\": \"emit\", \"rate\": 2e-5}},"
#define BALL                                                                             \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.015, \"t\": [0, -0.03, 0]}}," \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"b\"]},"
#define SOLVER(more)                                                                                                   \
  "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", \"w\", \"c\", \"tap\"], \"parms\": {\"killbox\": true," \
  "  \"killmin\": [-1, -0.15, -1], \"killmax\": [1, 1, 1]" more "}}"

static RvTestShot shot = {
    .text = "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 10], \"nodes\": {" TUFT BLOCK BALL TAP SOLVER(
        ", \"drying\": 1e-6") "}}",
    .last = LAST,
    .workers = {1, 2, 3, 16},
    .visits = {LAST, 3, 7, 1, LAST},
    .edit = 0.001f};

//---------------------------------------------------------------------------------------------- ledger

typedef struct Seen {
  RvLedger ledger;
  double drift;
  RvTestLog* log;  // warnings and notes of all frames
} Seen;

static void see(void* user, const RvFrameReport* report) {
  Seen* s = user;
  s->ledger = report->stats.ledger;
  s->drift = fmax(s->drift, fabs(rv_ledger_drift(&s->ledger)));
}

static void hear(void* user, RvLevel level, const char* node, double frame, const char* text) {
  (void)node;
  (void)frame;
  Seen* s = user;
  size_t used = strlen(s->log->text);
  if (level == RV_LEVEL_WARNING) s->log->warnings++;
  snprintf(s->log->text + used, sizeof s->log->text - used, "%s\n", text);
}

static void expect(const RvTestLog* log, const char* words) {
  if (!strstr(log->text, words)) fail_msg("no message with '%s' in: %s", words, log->text);
}

// Runs to `last`; the state of that frame stays with the scene.
static RvScene* run(const char* text, int last, Seen* seen, RvTestLog* log) {
  RvError error = {0};
  *seen = (Seen){.log = log};
  RvScene* scene = rv_test_scene(text, log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = seen, .frame_done = see, .message = hear});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = last}, &error), error);
  return scene;
}

static void no_drop_is_lost(void** state) {
  (void)state;
  RvTestLog log;
  Seen seen;
  RvScene* scene = run(TUFT BLOCK BALL TAP SOLVER(", \"drying\": 1e-5"), 16, &seen, &log);
  rv_scene_free(scene);
  CHECK_NEAR(seen.drift, 0, 1e-12);
  assert_true(seen.ledger.film > 0);
  assert_true(seen.ledger.sources > 0);
  assert_true(seen.ledger.evaporated > 0);
  assert_true(seen.ledger.killed > 0);
  // What the limit of the reaction takes from the momentum is told.
  expect(&log, "the head bears the rest");
}

//---------------------------------------------------------------------------------------------- wet hair

// Mean height of the tips, mean distance of a tip to its three nearest ones, and mean wetness of all points.
typedef struct Tips {
  double height, apart;  // m
  double wetness;
} Tips;

enum { POINTS = 10, STRANDS = 40, NEAREST = 3 };

// Mean distance of a tip to the nearest others, m.
static double nearest_tips(const float* P, size_t tip) {
  double nearest[NEAREST] = {INFINITY, INFINITY, INFINITY};
  for (size_t k = 0; k < STRANDS; ++k) {
    const float* a = P + 3 * (tip * POINTS + POINTS - 1);
    const float* b = P + 3 * (k * POINTS + POINTS - 1);
    double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    for (int n = 0; n < NEAREST && k != tip; ++n)
      if (d < nearest[n]) {
        double next = nearest[n];
        nearest[n] = d;
        d = next;
      }
  }
  return (nearest[0] + nearest[1] + nearest[2]) / NEAREST;
}

static Tips tips_of(RvScene* scene, int frame) {
  RvError error = {0};
  const RvDetail* d;
  Tips t = {0};
  CHECK_OK(rv_scene_cook(scene, "s", frame, &d, &error), error);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const float* wetness = rv_detail_f32(d, RV_POINT, "wetness", 1);
  assert_int_equal(rv_detail_count(d, RV_POINT), STRANDS * POINTS);
  for (size_t k = 0; k < STRANDS; ++k) {
    t.height += P[3 * (k * POINTS + POINTS - 1) + 1] / STRANDS;
    t.apart += nearest_tips(P, k) / STRANDS;
  }
  for (size_t i = 0; wetness && i < STRANDS * POINTS; ++i) t.wetness += wetness[i] / (STRANDS * POINTS);
  return t;
}

#define ALONE(more)                                                                                    \
  "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", \"w\"], \"parms\": {\"killbox\": true," \
  "  \"killmin\": [-1, -0.15, -1], \"killmax\": [1, 1, 1]" more "}}"

static void wet_tips_clump_and_dry_ones_do_not(void** state) {
  (void)state;
  RvTestLog log;
  Seen seen;
  RvScene* wet = run(TUFT BLOCK ALONE(""), 48, &seen, &log);
  Tips clumped = tips_of(wet, 48);
  rv_scene_free(wet);
  RvScene* loose = run(TUFT BLOCK ALONE(", \"cohesion\": 0"), 48, &seen, &log);
  Tips loose_tips = tips_of(loose, 48);
  rv_scene_free(loose);
  // Water that falls far beside the tuft.
  RvScene* dry = run(TUFT
                     "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.03, 0.02, 0.03], \"t\": [0.3, 0.02, 0],"
                     "  \"particlesep\": 0.004}}," ALONE(""),
                     48, &seen, &log);
  Tips still = tips_of(dry, 48);
  Tips groom = tips_of(dry, 1);
  rv_scene_free(dry);
  print_message("tips %g mm apart, %g without cohesion, %g dry, %g in the groom; wetness %g\n", 1e3 * clumped.apart,
                1e3 * loose_tips.apart, 1e3 * still.apart, 1e3 * groom.apart, clumped.wetness);
  assert_true(clumped.wetness > 0.05);
  // The pull ends where the cohesion kernel turns repulsive, at 0.27 of the support of two separations: tips that clump
  // come nearer than that to their neighbours, others do not.
  const double reach = 0.27 * 2 * 0.004;
  assert_true(clumped.apart < reach);
  assert_true(loose_tips.apart > reach);
  CHECK_NEAR(still.wetness, 0, 0);
  CHECK_NEAR(still.apart / groom.apart, 1, 1e-3);
}

static void dried_hair_returns_to_the_groom(void** state) {
  (void)state;
  RvTestLog log;
  Seen seen;
  RvScene* scene = run(TUFT BLOCK ALONE(", \"drying\": 5e-3"), 150, &seen, &log);
  Tips first = tips_of(scene, 1);
  Tips last = tips_of(scene, 150);
  rv_scene_free(scene);
  print_message("tips %g m at the start, %g m dried; held %g m3\n", first.height, last.height, seen.ledger.film);
  CHECK_NEAR(seen.ledger.film, 0, 0);
  CHECK_NEAR(last.wetness, 0, 0);
  // 1e-4 of the length of 6 cm.
  CHECK_NEAR(last.height, first.height, 6e-6);
  CHECK_NEAR(last.apart, first.apart, 6e-6);
}

// Height of the tips of horizontal strands that water fell on, with a wet mass and a wet softness; no other force of
// the liquid acts.
static double height_of(const char* wet) {
  RvTestLog log;
  Seen seen;
  char text[2000];
  snprintf(text, sizeof text,
           TUFT
           "\"lie\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"r\": [0, 0, -90]}},"
           "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.07, 0.02, 0.03], \"t\": [0.03, 0.025, 0],"
           "  \"particlesep\": 0.004}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"lie\", \"w\"], \"parms\": {\"killbox\": true,"
           "  \"killmin\": [-1, -0.15, -1], \"killmax\": [1, 1, 1], \"adhesion\": 0, \"drag\": 0, \"cohesion\": 0,"
           "  \"damping\": 0.2, %s}}",
           wet);
  RvScene* scene = run(text, 48, &seen, &log);
  double height = tips_of(scene, 48).height;
  assert_true(tips_of(scene, 48).wetness > 0.05);
  rv_scene_free(scene);
  return height;
}

static void wet_hair_hangs_lower(void** state) {
  (void)state;
  double dry = height_of("\"wetmass\": 0, \"wetsoftness\": 0");
  double heavy = height_of("\"wetmass\": 2, \"wetsoftness\": 0");
  double soft = height_of("\"wetmass\": 0, \"wetsoftness\": 0.8");
  print_message("tips at %g mm, heavier %g, softer %g\n", 1e3 * dry, 1e3 * heavy, 1e3 * soft);
  assert_true(heavy < dry - 1e-3);
  assert_true(soft < dry - 1e-3);
}

//---------------------------------------------------------------------------------------------- film of the strands

#define FILM(height, rate)                                                                         \
  "\"f\": {\"type\": \"attribute\", \"inputs\": [\"hang\"], \"parms\": {\"name\": \"filmheight\"," \
  "  \"value\": [" height                                                                          \
  ", 0, 0, 0]}},"                                                                                  \
  "\"paint\": {\"type\": \"attribute\", \"inputs\": [\"f\"], \"parms\": {\"name\": \"wetadd\","    \
  "  \"value\": [" rate ", 0, 0, 0]}},"

// filmheight at the start and wetadd in every frame bring the volumes that they bring to wetsolver, without any liquid
// input; the film that is shown grows by them.
static void film_is_read_as_in_wetsolver(void** state) {
  (void)state;
  enum { FRAMES = 7 };
  RvTestLog log;
  Seen own;
  Seen wet;
  RvError error = {0};
  const RvDetail* d;
  RvScene* scene = run(TUFT FILM("3e-5", "2e-5") "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"paint\"],"
                                                 "  \"parms\": {\"hairsperguide\": 5, \"drip\": 0}}",
                       FRAMES, &own, &log);
  CHECK_OK(rv_scene_cook(scene, "s", FRAMES, &d, &error), error);
  const float* height = rv_detail_f32(d, RV_POINT, "filmheight", 1);
  assert_non_null(height);
  for (size_t i = 0; i < STRANDS * POINTS; ++i) CHECK_NEAR(height[i] / (3e-5 + 2e-5 * (FRAMES - 1) / 24), 1, 1e-3);
  rv_scene_free(scene);
  scene = run(TUFT FILM("3e-5", "2e-5") "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"paint\"],"
                                        "  \"parms\": {\"hairsperguide\": 5}}",
              FRAMES, &wet, &log);
  rv_scene_free(scene);
  print_message("film %g and %g m3 at the start, painted %g and %g\n", own.ledger.initial, wet.ledger.initial,
                own.ledger.sources, wet.ledger.sources);
  assert_true(own.ledger.initial > 0);
  CHECK_NEAR(own.ledger.initial / wet.ledger.initial, 1, 1e-6);
  // The film of wetsolver flows meanwhile, which changes what a height adds.
  CHECK_NEAR(own.ledger.sources / wet.ledger.sources, 1, 0.02);
  CHECK_NEAR(own.drift, 0, 1e-12);
}

// Hair that a film makes heavy hangs the same with one substep a frame as with ten: it is wet from the first on.
static void wet_hair_is_heavy_in_every_substep(void** state) {
  (void)state;
  double height[3];
  const char* const ways[] = {"\"substeps\": 1, \"wetmass\": 3", "\"substeps\": 10, \"wetmass\": 3",
                              "\"substeps\": 10, \"wetmass\": 0"};
  for (int k = 0; k < 3; ++k) {
    RvTestLog log;
    Seen seen;
    char text[2400];
    snprintf(text, sizeof text,
             "\"h\": {\"type\": \"groom\", \"parms\": {\"layout\": \"disk\", \"size\": 0.02, \"count\": 40,"
             "  \"length\": 0.06, \"points\": 10, \"lift\": 1, \"bend\": 0}},"
             "\"hang\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"r\": [0, 0, -90]}},"
             FILM("5e-5", "0") "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"paint\"], \"parms\": {"
             "  \"hairsperguide\": 5, \"drip\": 0, \"cohesion\": 0, \"clumpdamping\": 0, \"wetsoftness\": 0,"
             "  \"porosity\": 0.05, \"damping\": 0.2, %s}}",
             ways[k]);
    RvScene* scene = run(text, 72, &seen, &log);
    height[k] = tips_of(scene, 72).height;
    rv_scene_free(scene);
  }
  print_message("tips at %g mm with one substep, %g with ten, %g without mass\n", 1e3 * height[0], 1e3 * height[1],
                1e3 * height[2]);
  assert_true(height[1] < height[2] - 1e-3);
  CHECK_NEAR(height[0], height[1], 0.02 * (height[2] - height[1]));
}

//---------------------------------------------------------------------------------------------- tank

// Water in a tank without any collider: it stays within the walls, and keeps its depth but for its excess of density.
static void a_tank_keeps_its_water(void** state) {
  (void)state;
  enum { FRAMES = 24 };
  RvTestLog log;
  Seen seen;
  RvError error = {0};
  const RvDetail* d;
  RvScene* scene = run(
      TUFT
      "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.06, 0.04, 0.04], \"t\": [0, -0.2, 0],"
      "  \"particlesep\": 0.004}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", \"w\"], \"parms\": {\"walls\": true,"
      "  \"wallsmin\": [-0.03, -0.22, -0.02], \"wallsmax\": [0.03, 0.1, 0.02], \"substeps\": 10, \"densityiter\": 3}}",
      FRAMES, &seen, &log);
  CHECK_OK(rv_scene_cook(scene, "s:liquid", FRAMES, &d, &error), error);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  size_t count = rv_detail_count(d, RV_POINT);
  assert_int_equal(count, 15 * 10 * 10);
  double middle = 0;
  for (size_t i = 0; i < count; ++i) {
    assert_true(fabs((double)P[3 * i]) < 0.03 && fabs((double)P[3 * i + 2]) < 0.02 && P[3 * i + 1] > -0.22f);
    middle += ((double)P[3 * i + 1] + 0.22) / (double)count;
  }
  // Half of 4 cm. Particles may come a quarter of a spacing nearer to a wall than those of a lattice, which widens the
  // tank by 1 mm on every side: at most then the middle sinks to 17.4 mm. The bound of the density is 3%.
  const double widest = 0.5 * 0.04 * (0.06 * 0.04) / (0.062 * 0.042) - 0.001;
  print_message("mean height %g mm\n", 1e3 * middle);
  assert_true(middle > 0.97 * widest && middle < 0.02);
  CHECK_NEAR(seen.drift, 0, 1e-12);
  rv_test_scene_quiet(scene, &log);
}

//---------------------------------------------------------------------------------------------- bad input

static void particles_in_one_place_are_told(void** state) {
  (void)state;
  RvTestLog log;
  Seen seen;
  RvScene* scene =
      run(TUFT BLOCK
          "\"squeeze\": {\"type\": \"transform\", \"inputs\": [\"w\"], \"parms\": {\"s\": [1e-6, 1e-6, 1e-6]}},"
          "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", \"squeeze\"], \"parms\": "
          "{\"particlesep\": 0.004}}",
          4, &seen, &log);
  rv_scene_free(scene);
  expect(&log, "particles lie in one place");
  expect(&log, "particlesep");
  CHECK_NEAR(seen.drift, 0, 1e-12);
}

// Liquid that begins deep inside of a solid is counted and kept.
static void particles_in_the_head_are_told(void** state) {
  (void)state;
  RvTestLog log;
  Seen seen;
  RvScene* scene = run(TUFT
                       "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.08, \"t\": [0, -0.2, 0]}},"
                       "\"c\": {\"type\": \"collider\", \"inputs\": [\"b\"], \"parms\": {\"voxelsize\": 0.004}},"
                       "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.02, 0.02, 0.02],"
                       "  \"t\": [0, -0.2, 0], \"particlesep\": 0.004}},"
                       "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", \"w\", \"c\"]}",
                       2, &seen, &log);
  rv_scene_free(scene);
  expect(&log, "125 particles lie so deep in a collider");
  CHECK_NEAR(seen.drift, 0, 1e-12);
}

RV_TESTS(RV_TEST_SHOT(shot, rv_test_shot_run), cmocka_unit_test_prestate(rv_test_shot_edit, &shot),
         cmocka_unit_test(no_drop_is_lost), cmocka_unit_test(wet_tips_clump_and_dry_ones_do_not),
         cmocka_unit_test(dried_hair_returns_to_the_groom), cmocka_unit_test(wet_hair_hangs_lower),
         cmocka_unit_test(film_is_read_as_in_wetsolver), cmocka_unit_test(wet_hair_is_heavy_in_every_substep),
         cmocka_unit_test(a_tank_keeps_its_water), cmocka_unit_test(particles_in_one_place_are_told),
         cmocka_unit_test(particles_in_the_head_are_told))
