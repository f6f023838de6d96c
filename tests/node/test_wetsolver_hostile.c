// Bad input to the wet solver and the film solver: it adapts, or says what is wrong; never a crash, never no numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

enum { STRANDS = 20, N = 10, BAD = 3 };

#define BALL "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"
#define FUR                                                                                                          \
  BALL "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 40, \"length\": 0.02, \"points\": " \
       "9}},"
#define WATER                                                                                                    \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.04, 0.02, 0.04], \"t\": [0, 0.02, 0], \"particlesep\": " \
  "0.004}},"

//---------------------------------------------------------------------------------------------- helpers

static char* path_of(const char* name) {
  static char path[400];
  snprintf(path, sizeof path, "%s/%s", rv_test_folder(), name);
  return path;
}

static void save(const RvDetail* d, const char* name) {
  RvError error = {0};
  CHECK_OK(rv_detail_save(d, path_of(name), NULL, &error), error);
}

// level strands, 4 mm apart
static RvDetail* strands(double x0) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, STRANDS, N, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < STRANDS * N; ++i) {
    P[3 * i] = (float)(x0 + 0.003 * (i % N));
    P[3 * i + 1] = 0.02f;
    P[3 * i + 2] = 0.002f * (float)(i / N) - 0.02f;
  }
  return d;
}

static bool all_numbers(const RvDetail* d) {
  static const char* const names[] = {"P",       "v",        "filmheight", "filmradius",   "filmv", "waterload",
                                      "wetness", "absorbed", "rv_film",    "rv_filmspeed", "rv_x",  "rv_v"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    const RvAttrib* a = rv_detail_find(d, RV_POINT, names[k]);
    for (size_t i = 0; a && i < rv_detail_count(d, RV_POINT); ++i)
      for (int c = 0; c < rv_attrib_size(a); ++c)
        if (!isfinite(rv_attrib_get(a, i, c))) {
          print_error("%s of point %zu is %g\n", names[k], i, rv_attrib_get(a, i, c));
          return false;
        }
  }
  return true;
}

typedef struct Seen {
  double drift;
  RvLedger ledger;
} Seen;

static void see(void* user, const RvFrameReport* report) {
  Seen* s = user;
  const RvLedger* l = &report->stats.ledger;
  double in = l->initial + l->sources, out = l->killed + l->evaporated + l->outflow;
  if (in > 0) s->drift = fmax(s->drift, fabs(l->bulk + l->film + l->absorbed + out - in) / in);
  s->ledger = *l;
}

// Runs some frames. Either all is well, numbers everywhere and no drop lost, or it fails with a message that has
// `words` (NULL: it may not fail).
static Seen survive(const char* name, const char* nodes, const char* words) {
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  RvScene* scene = rv_test_scene(nodes, &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  RvResult result = rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 4}, &error);
  if (result) {
    if (!words || !strstr(error.text, words)) fail_msg("%s: %s", name, error.text);
  } else {
    static const char* const outputs[] = {"s:1", "s:2", "s:3"};
    for (int k = 0; k < 3; ++k) {
      const RvDetail* out;
      CHECK_OK(rv_scene_cook(scene, outputs[k], 4, &out, &error), error);
      if (!all_numbers(out)) fail_msg("%s: no numbers in %s", name, outputs[k]);
    }
    if (!(seen.drift < 1e-12)) fail_msg("%s: drift %g", name, seen.drift);
  }
  rv_scene_free(scene);
  return seen;
}

//---------------------------------------------------------------------------------------------- things in each other

static void strands_inside_colliders(void** state) {
  (void)state;
  survive("inside",
          FUR WATER
          "\"big\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05}},"
          "\"c\": {\"type\": \"collider\", \"inputs\": [\"big\"], \"parms\": {\"voxelsize\": 0.005}},"
          "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"h\", \"w\", \"c\"]}",
          NULL);
}

static void liquid_inside_hair(void** state) {
  (void)state;
  survive("within",
          FUR
          "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.08, 0.08, 0.08], \"particlesep\": 0.004}},"
          "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"h\", \"w\"]}",
          NULL);
}

static void one_without_the_other(void** state) {
  (void)state;
  survive("dry", FUR "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"h\"]}", NULL);
  survive("bare", WATER "\"s\": {\"type\": \"wetsolver\", \"inputs\": [null, \"w\"]}", NULL);
  survive("film alone", FUR "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"h\"]}", NULL);
  survive("nothing", "\"s\": {\"type\": \"wetsolver\"}", "input");
}

// an empty groom, as of a wrong path or group, is told; no wire at all is as it is meant
static void no_strands_are_told(void** state) {
  (void)state;
  RvError error = {0};
  for (int wired = 0; wired < 2; ++wired) {
    RvTestLog log;
    const RvDetail* out;
    RvScene* scene = rv_test_scene(wired ? FUR WATER
                                       "\"n\": {\"type\": \"blast\", \"inputs\": [\"h\"]}, \"s\": {\"type\": "
                                       "\"wetsolver\", \"inputs\": [\"n\", \"w\"]}"
                                         : WATER "\"s\": {\"type\": \"wetsolver\", \"inputs\": [null, \"w\"]}",
                                   &log);
    CHECK_OK(rv_scene_cook(scene, "s", 2, &out, &error), error);
    assert_int_equal(strstr(log.text, "input 1, the strands, has no points") != NULL, wired);
    rv_scene_free(scene);
  }
}

static void steps_far_too_long(void** state) {
  (void)state;
  // a second a frame, one step
  survive(
      "long",
      FUR WATER
      "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\", \"value\": "
      "[0.0002, 0, 0, 0]}},"
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"damp\", \"w\"], \"parms\": {\"timescale\": 24, \"substeps\": 1,"
      "  \"maxsubsteps\": 1, \"walls\": true, \"wallsmin\": [-0.1, -0.1, -0.1], \"wallsmax\": [0.1, 0.2, 0.1]}}",
      NULL);
  survive("long film",
          FUR
          "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\", \"value\": "
          "[0.0002, 0, 0, 0]}},"
          "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"damp\"], \"parms\": {\"timescale\": 240, \"substeps\": 1, "
          "\"maxsubsteps\": 1}}",
          NULL);
}

//---------------------------------------------------------------------------------------------- attributes

static const double bad_values[] = {NAN, INFINITY, -INFINITY, -1, 1e30, 0, 1e-30};

static void attributes_that_are_no_numbers(void** state) {
  (void)state;
  static const char* const names[] = {"filmheight", "wetadd",        "cohesion",  "drag",
                                      "capture",    "capacity",      "drip",      "filmfriction",
                                      "drying",     "hairsperguide", "hairradius"};
  RvError error = {0};
  for (size_t a = 0; a < sizeof names / sizeof *names; ++a)
    for (size_t k = 0; k < sizeof bad_values / sizeof *bad_values; ++k) {
      RvDetail* d = strands(0);
      bool film = strcmp(names[a], "filmheight") == 0;
      RvOwner owner = a >= 9 ? RV_PRIM : RV_POINT;
      float* value = rv_detail_f32_write(d, owner, names[a], 1, &error);
      size_t count = rv_detail_count(d, owner);
      for (size_t i = 0; i < count; ++i)
        value[i] = i % 7 == BAD ? (float)bad_values[k] : film ? 1e-4f : strcmp(names[a], "hairradius") == 0 ? 4e-5f : 1;
      if (!film) {
        float* height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
        for (int i = 0; i < STRANDS * N; ++i) height[i] = 1e-4f;
      }
      // a wetadd of 1 m/s is a flood of its own
      if (strcmp(names[a], "wetadd") == 0)
        for (size_t i = 0; i < count; ++i)
          if (i % 7 != BAD) value[i] = 1e-4f;
      save(d, "bad.bgeo.sc");
      rv_detail_free(d);
      for (int solver = 0; solver < 2; ++solver) {
        char nodes[1500], name[100];
        snprintf(name, sizeof name, "%s = %g, solver %d", names[a], bad_values[k], solver);
        snprintf(nodes, sizeof nodes,
                 "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, %s \"s\": {\"type\": \"%s\", \"inputs\": "
                 "[\"f\"%s]}",
                 path_of("bad.bgeo.sc"), solver ? "" : WATER, solver ? "filmsolver" : "wetsolver",
                 solver ? "" : ", \"w\"");
        survive(name, nodes, NULL);
      }
    }
}

//---------------------------------------------------------------------------------------------- sizes

static void films_of_a_metre(void** state) {
  (void)state;
  survive("thick",
          FUR
          "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\", \"value\": "
          "[1, 0, 0, 0]}},"
          "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"damp\"]}",
          NULL);
}

static void particles_without_size(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 10, NULL, &error), error);
  save(d, "points.bgeo.sc");
  rv_detail_free(d);
  char nodes[1000];
  for (int cached = 0; cached < 2; ++cached) {
    snprintf(nodes, sizeof nodes,
             FUR
             "\"w\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}},"
             "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"h\", \"w\"], \"parms\": {\"liquidmode\": %d}}",
             path_of("points.bgeo.sc"), cached);
    survive("sizeless", nodes, "particlesep");
  }
}

static void curves_of_one_vertex(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = strands(0);
  size_t first;
  CHECK_OK(rv_detail_add_points(d, 3, &first, &error), error);
  const int32_t corners[] = {(int32_t)first, (int32_t)first + 1, (int32_t)first + 2}, sizes[] = {1, 2};
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 2, sizes, corners, NULL, &error), error);
  float* height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) height[i] = 1e-4f;
  save(d, "short.bgeo.sc");
  rv_detail_free(d);
  char nodes[1000];
  snprintf(nodes, sizeof nodes,
           WATER
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"wetsolver\", \"inputs\": "
           "[\"f\", \"w\"]}",
           path_of("short.bgeo.sc"));
  survive("short", nodes, NULL);
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"filmsolver\", \"inputs\": "
           "[\"f\"]}",
           path_of("short.bgeo.sc"));
  survive("short film", nodes, NULL);
}

// liquid here, strands 10 km away, and all of it there
static void far_away(void** state) {
  (void)state;
  RvDetail* d = strands(1e4);
  save(d, "far.bgeo.sc");
  rv_detail_free(d);
  char nodes[1500];
  snprintf(nodes, sizeof nodes,
           WATER
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"wetsolver\", \"inputs\": "
           "[\"f\", \"w\"]}",
           path_of("far.bgeo.sc"));
  survive("apart", nodes, NULL);
  survive("far",
          FUR WATER
          "\"hf\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"t\": [8192, 4096, 0]}},"
          "\"wf\": {\"type\": \"transform\", \"inputs\": [\"w\"], \"parms\": {\"t\": [8192, 4096, 0]}},"
          "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hf\", \"wf\"]}",
          NULL);
}

//---------------------------------------------------------------------------------------------- states

static const char shot[] = FUR WATER
    "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\", \"value\": "
    "[0.0002, 0, 0, 0]}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"damp\", \"w\"]}";

// what is done to a state: an attribute gets a value, or goes
typedef struct Harm {
  const char* name;
  RvOwner owner;
  int component;
  double value;
  bool gone;
} Harm;

static void states_that_were_tampered_with(void** state) {
  (void)state;
  static const Harm harms[] = {{"rv_film", RV_POINT, 0, NAN, false},
                               {"rv_film", RV_POINT, 0, -1, false},
                               {"rv_film", RV_POINT, 0, 1e300, false},
                               {"rv_absorbed", RV_POINT, 0, NAN, false},
                               {"rv_absorbed", RV_POINT, 0, 1e300, false},
                               {"rv_airshare", RV_POINT, 0, 7, false},
                               {"rv_filmspeed", RV_POINT, 0, NAN, false},
                               {"rv_filmspeed", RV_POINT, 0, 1e200, false},
                               {"rv_feedback", RV_POINT, 1, INFINITY, false},
                               {"rv_feedback", RV_POINT, 1, 1e200, false},
                               {"rv_drop", RV_PRIM, 0, NAN, false},
                               {"rv_drop", RV_PRIM, 0, 1e200, false},
                               {"rv_dropmomentum", RV_PRIM, 1, 1e200, false},
                               {"rv_wetness", RV_POINT, 0, NAN, false},
                               {"rv_wetledger", RV_GLOBAL, 0, NAN, false},
                               {"rv_film", RV_POINT, 0, 0, true},
                               {"rv_drop", RV_PRIM, 0, 0, true},
                               {"rv_wetledger", RV_GLOBAL, 0, 0, true}};
  RvTestLog log;
  RvError error = {0};
  const RvDetail* made;
  RvScene* scene = rv_test_scene(shot, &log);
  CHECK_OK(rv_scene_cook(scene, "s:3", 3, &made, &error), error);
  RvDetail* good = rv_detail_copy(made);
  rv_scene_free(scene);
  for (size_t k = 0; k < sizeof harms / sizeof *harms; ++k) {
    const Harm* h = &harms[k];
    RvDetail* d = rv_detail_copy(good);
    const RvAttrib* a = rv_detail_find(d, h->owner, h->name);
    assert_non_null(a);
    if (h->gone) {
      rv_detail_remove_attrib(d, h->owner, h->name);
    } else {
      int size = rv_attrib_size(a);
      double* values = rv_detail_f64_write(d, h->owner, h->name, size, &error);
      for (size_t i = 0; i < rv_detail_count(d, h->owner); i += 5)
        values[i * (size_t)size + (size_t)h->component] = h->value;
    }
    save(d, "harmed.bgeo.sc");
    rv_detail_free(d);
    scene = rv_test_scene(shot, &log);
    error = (RvError){0};
    RvRun run = {.node = "s", .first = 3, .last = 5, .from_state = path_of("harmed.bgeo.sc"), .from_start = 3};
    RvResult result = rv_scene_run(scene, &run, &error);
    if (result) {
      if (strlen(error.text) < 10) fail_msg("%s %g: %s", h->name, h->value, error.text);
      print_message("%s %g: %s\n", h->name, h->value, error.text);
    } else {
      CHECK_OK(rv_scene_cook(scene, "s:3", 5, &made, &error), error);
      if (!all_numbers(made)) fail_msg("%s = %g: no numbers", h->name, h->value);
    }
    rv_scene_free(scene);
  }
  rv_detail_free(good);
}

// Frame 1 shows filmheight as the film has it, whether it comes from the strands or from a state.
static void bad_film_heights_are_told_in_the_first_frame(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = strands(0);
  float* height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  for (int i = 0; i < STRANDS * N; ++i) height[i] = 1e-4f;
  height[0] = NAN;
  height[1] = -1;
  height[2] = INFINITY;
  save(d, "heights.bgeo.sc");
  rv_detail_free(d);
  char nodes[1000];
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"filmsolver\", "
           "\"inputs\": [\"f\"]}",
           path_of("heights.bgeo.sc"));
  RvTestLog log;
  RvScene* scene = rv_test_scene(nodes, &log);
  RvDetail* made = rv_test_scene_copy(scene, "s:3", 1);
  assert_non_null(strstr(log.text, "filmheight of 3 points"));
  const float* shown = rv_detail_f32(made, RV_POINT, "filmheight", 1);
  assert_true(shown[0] == 0 && shown[1] == 0 && isfinite(shown[2]) && shown[2] > 1e-3f && shown[3] == 1e-4f);
  rv_scene_free(scene);
  // A state with such heights.
  height = rv_detail_f32_write(made, RV_POINT, "filmheight", 1, &error);
  height[4] = NAN;
  save(made, "state.bgeo.sc");
  rv_detail_free(made);
  scene = rv_test_scene(nodes, &log);
  RvRun run = {.node = "s", .first = 1, .last = 1, .from_state = path_of("state.bgeo.sc"), .from_start = 1};
  CHECK_OK(rv_scene_run(scene, &run, &error), error);
  assert_non_null(strstr(log.text, "filmheight of 1 points"));
  shown = rv_detail_f32(rv_test_scene_cook(scene, "s", 1), RV_POINT, "filmheight", 1);
  assert_true(shown[4] == 0);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(bad_film_heights_are_told_in_the_first_frame), cmocka_unit_test(strands_inside_colliders),
         cmocka_unit_test(liquid_inside_hair), cmocka_unit_test(one_without_the_other),
         cmocka_unit_test(no_strands_are_told), cmocka_unit_test(steps_far_too_long),
         cmocka_unit_test(attributes_that_are_no_numbers), cmocka_unit_test(films_of_a_metre),
         cmocka_unit_test(particles_without_size), cmocka_unit_test(curves_of_one_vertex), cmocka_unit_test(far_away),
         cmocka_unit_test(states_that_were_tampered_with))
