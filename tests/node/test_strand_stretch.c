// Strands that are stretched by more than 5% are counted and told in every frame, by every solver that has strands. The
// worst one is named with its primitive, and its stretch is that of the output.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rivulet/scene.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

enum { POINTS = 9, STRANDS = 6, LAST = 5 };

// Hair of 1 um radius whose roots set off at 47 m/s (frame 2 on), in thick air.
#define FAST                                                                                                          \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"                                                     \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 6, \"length\": 0.3, \"points\": 9, "      \
  "\"radius\": 1e-6}},"                                                                                               \
  "\"go\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"tx\": {\"keys\": [[1, 0], [2, 0], [6, 7.83]]" \
  "}}},"
// Animated hair that grows to twice its length.
#define GROWING                                                                                                       \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"                                                     \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 6, \"length\": 0.02, \"points\": 9}},"    \
  "\"go\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"scale\": {\"keys\": [[1, 1], [2, 1], [5, 2]]" \
  "}}},"

// Largest ratio of the length of an edge to that at frame 1, and its primitive.
static double worst_edge(const RvDetail* rest, const RvDetail* now, int* prim) {
  const float *a = rv_detail_f32(rest, RV_POINT, "P", 3), *b = rv_detail_f32(now, RV_POINT, "P", 3);
  double worst = 0;
  for (int i = 0; i + 1 < POINTS * STRANDS; ++i) {
    double length[2] = {0, 0};
    if (i % POINTS == POINTS - 1) continue;
    for (int c = 0; c < 3; ++c) {
      length[0] += pow((double)a[3 * i + 3 + c] - a[3 * i + c], 2);
      length[1] += pow((double)b[3 * i + 3 + c] - b[3 * i + c], 2);
    }
    double ratio = sqrt(length[1] / length[0]);
    if (ratio <= worst) continue;
    worst = ratio;
    *prim = i / POINTS;
  }
  return worst;
}

// The last warning of stretch: its number of strands, primitive and ratio. Returns the number of warnings.
static int read_warnings(const char* text, int* count, int* prim, double* ratio) {
  int found = 0;
  for (const char* at = strstr(text, "strands are stretched"); at; at = strstr(at + 1, "strands are stretched")) {
    const char* line = at;
    while (line > text && line[-1] != '\n') --line;
    const char* number = strstr(line, "s: ");
    *count = atoi(number ? number + 3 : line);
    const char* primitive = strstr(at, "primitive ");
    const char* edge = strstr(at, "an edge is ");
    assert_true(primitive && edge);
    *prim = atoi(primitive + strlen("primitive "));
    *ratio = atof(edge + strlen("an edge is "));
    ++found;
  }
  return found;
}

// Cooks the frames; `stretched` of them must be told, and the last warning must be true. `even`: all strands are
// stretched by the same, so that any may be named.
static void check(const char* name, const char* nodes, int stretched, double least, bool even) {
  RvTestLog log;
  RvScene* scene = rv_test_scene(nodes, &log);
  RvDetail* rest = rv_test_scene_copy(scene, "h", 1);
  const RvDetail* now = NULL;
  for (int frame = 1; frame <= LAST; ++frame) now = rv_test_scene_cook(scene, "s", frame);
  int count = 0, prim = -1, worst_prim = -1;
  double ratio = 1, worst = worst_edge(rest, now, &worst_prim);
  int told = read_warnings(log.text, &count, &prim, &ratio);
  print_message("%s: %d warnings, %d strands, primitive %d: %g (measured %g at %d)\n", name, told, count, prim, ratio,
                worst, worst_prim);
  assert_int_equal(told, stretched);
  if (stretched) {
    assert_int_equal(count, STRANDS);
    if (!even) assert_int_equal(prim, worst_prim);
    // the message has three digits, and rest lengths may differ by the 1% of reststretch
    CHECK_NEAR(ratio / worst, 1, 0.02);
    assert_true(worst > least);
  }
  rv_detail_free(rest);
  rv_scene_free(scene);
}

static void fast_roots_are_told(void** state) {
  (void)state;
  check("strandsolver",
        FAST "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"go\"], \"parms\": {\"dragtangent\": 1e-3}}", 3, 1.2,
        false);
  check("wetsolver", FAST "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"go\"], \"parms\": {\"dragtangent\": 1e-3}}",
        3, 1.2, false);
}

// A frozen frame has no strands in memory.
static void frozen_strands_are_not(void** state) {
  (void)state;
  check("frozen strandsolver",
        FAST "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"go\"], \"parms\": {\"timescale\": 0}}", 0, 0, false);
  check("frozen wetsolver",
        FAST "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"go\"], \"parms\": {\"timescale\": 0}}", 0, 0, false);
}

static void animated_strands_are_told(void** state) {
  (void)state;
  check("filmsolver",
        GROWING
        "\"f\": {\"type\": \"attribute\", \"inputs\": [\"go\"], \"parms\": {\"name\": \"filmheight\", \"value\": "
        "[1e-5, 0, 0, 0]}}, \"s\": {\"type\": \"filmsolver\", \"inputs\": [\"f\"]}",
        3, 1.9, true);
}

static void hair_that_keeps_its_length_is_not(void** state) {
  (void)state;
  check("slow",
        "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"
        "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 6, \"length\": 0.1, \"points\": 9}},"
        "\"go\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"tx\": {\"keys\": [[1, 0], [5, 0.5]]}}},"
        "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"go\"]}",
        0, 0, false);
}

// Writes a groom whose points are drawn together to half of their `rest`, as a file of another program may have it.
static const char* squeezed_file(void) {
  static char path[600];
  RvTestCook groom = rv_test_cook("groom", "count=6; length=0.1; points=9", 0, NULL);
  CHECK_OK(groom.result, groom.error);
  float* P = rv_detail_f32_write(groom.output[0], RV_POINT, "P", 3, NULL);
  assert_non_null(P);
  for (size_t i = 0; i < 3 * rv_detail_count(groom.output[0], RV_POINT); ++i) P[i] *= 0.5f;
  snprintf(path, sizeof path, "%s/squeezed.bgeo", rv_test_folder());
  RvError error = {0};
  CHECK_OK(rv_detail_save(groom.output[0], path, NULL, &error), error);
  rv_test_cook_free(&groom);
  return path;
}

// A groom of half its length whose `rest` is the whole: it springs back in the first step. Told once, at the start
// frame, with the strands and their ratio; not told where the solver takes the strands as animated.
static void squeezed_strands_are_told(void** state) {
  (void)state;
  static const char* const solvers[] = {"strandsolver", "wetsolver", "filmsolver"};
  for (int i = 0; i < 3; ++i) {
    RvTestLog log;
    char nodes[2048];
    snprintf(nodes, sizeof nodes,
             "\"go\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}},"
             "\"s\": {\"type\": \"%s\", \"inputs\": [\"go\"]%s}",
             squeezed_file(), solvers[i], i < 2 ? ", \"parms\": {\"restmode\": \"natural\"}" : "");
    RvScene* scene = rv_test_scene(nodes, &log);
    for (int frame = 1; frame <= 2; ++frame) rv_test_scene_cook(scene, "s", frame);
    static const char* const text = "6 of 6 strands are more than 5% shorter than their rest shape";
    const char* told = strstr(log.text, text);
    print_message("%s: %s\n", solvers[i], log.text);
    assert_int_equal(told != NULL, i < 2);
    if (told) assert_non_null(strstr(told, "an edge is 0.5 times its rest length"));
    if (told) assert_null(strstr(told + 1, text));
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(squeezed_strands_are_told), cmocka_unit_test(fast_roots_are_told),
         cmocka_unit_test(frozen_strands_are_not), cmocka_unit_test(animated_strands_are_told),
         cmocka_unit_test(hair_that_keeps_its_length_is_not))
