// Scene JSON: every error has its line, and what is written reads back the same.
#include <stdlib.h>
#include <string.h>

#include "scene/doc.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"

static RvResult parse(const char* text, RvScene** scene, RvError* error) {
  rv_test_register();
  return rv_scene_parse(text, strlen(text), "shot.json", scene, error);
}

typedef struct Case {
  const char* text;
  const char* where;  // "shot.json:LINE:"
  const char* part;
} Case;

static void check_cases(const Case* cases, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    RvScene* scene = (RvScene*)1;
    RvError error = {0};
    RvResult result = parse(cases[i].text, &scene, &error);
    if (!result || scene || strncmp(error.text, cases[i].where, strlen(cases[i].where)) != 0 ||
        !strstr(error.text, cases[i].part))
      fail_msg("case %zu: %s gave \"%s\", expected %s ... %s", i, cases[i].text, error.text, cases[i].where,
               cases[i].part);
  }
}

static void syntax_errors(void** state) {
  (void)state;
  static const Case cases[] = {
      {"", "shot.json:1:", "ends where a value"},
      {"{", "shot.json:1:", "'}' is missing"},
      {"\n\n[1, 2", "shot.json:3:", "']' is missing"},
      {"{\"a\" 1}", "shot.json:1:", "':' is missing"},
      {"{a: 1}", "shot.json:1:", "name in double quotes"},
      {"{\"a\": 1\n\"b\": 2}", "shot.json:2:", "',' is missing"},
      {"{\"a\": 1,\n}", "shot.json:2:", "comma stands before"},
      {"[1,]", "shot.json:1:", "comma stands before"},
      {"{\"a\": 01}", "shot.json:1:", "a number is not written"},
      {"{\"a\": 1.}", "shot.json:1:", "a number is not written"},
      {"{\"a\": -}", "shot.json:1:", "a number is not written"},
      {"{\"a\": 1e}", "shot.json:1:", "a number is not written"},
      {"{\"a\": 1e999}", "shot.json:1:", "too large"},
      {"{\"a\": nul}", "shot.json:1:", "no JSON value"},
      {"{\"a\": \"x}", "shot.json:1:", "not closed"},
      {"{\"a\": \"x\n\"}", "shot.json:1:", "on its line"},
      {"{\"a\": \"\\q\"}", "shot.json:1:", "unknown escape"},
      {"{\"a\": \"\\ud800\"}", "shot.json:1:", "surrogate"},
      {"{\"a\": \"\\u00\"}", "shot.json:1:", "four hexadecimal"},
      {"{\"a\": \"\\u0000\"}", "shot.json:1:", "\\u0000"},
      {"{\"a\": \"\xff\"}", "shot.json:1:", "UTF-8"},
      {"{\"a\": \"\xc0\xaf\"}", "shot.json:1:", "UTF-8"},
      {"{\"a\": 1,\n\n\"b\": 2,\n\"a\": 3}", "shot.json:4:", "'a' is given twice, first on line 1"},
      {"{} x", "shot.json:1:", "more text"},
  };
  check_cases(cases, sizeof cases / sizeof *cases);
}

#define NODE(parms) "{\"rivulet\": 1,\n\"nodes\": {\n\"p\": {\"type\": \"testpoints\",\n\"parms\": {\n" parms "}}}}"

static void semantic_errors(void** state) {
  (void)state;
  static const Case cases[] = {
      {"[]", "shot.json:1:", "a scene is an object"},
      {"{\n\"nodes\": {}}", "shot.json:1:", "\"rivulet\": 1 is missing"},
      {"{\n\"rivulet\": 2}", "shot.json:2:", "version 1 only"},
      {"{\n\"rivulet\": 1}", "shot.json:1:", "no \"nodes\""},
      {"{\"rivulet\": 1,\n\"nodse\": {}}", "shot.json:2:", "unknown key 'nodse'; did you mean 'nodes'?"},
      {"{\"rivulet\": 1,\n\"fps\": 0, \"nodes\": {}}", "shot.json:2:", "above 0"},
      {"{\"rivulet\": 1,\n\"fps\": \"24\", \"nodes\": {}}", "shot.json:2:", "above 0"},
      {"{\"rivulet\": 1,\n\"metersperunit\": -1, \"nodes\": {}}", "shot.json:2:", "above 0"},
      {"{\"rivulet\": 1,\n\"frames\": [5, 1], \"nodes\": {}}", "shot.json:2:", "first <= last"},
      {"{\"rivulet\": 1,\n\"frames\": [1], \"nodes\": {}}", "shot.json:2:", "first <= last"},
      {"{\"rivulet\": 1,\n\"frames\": [1, 1e8], \"nodes\": {}}", "shot.json:2:", "million"},
      {"{\"rivulet\": 1,\n\"nodes\": []}", "shot.json:2:", "\"nodes\" must be an object"},
      {"{\"rivulet\": 1, \"nodes\": {\n\"p\": 3}}", "shot.json:2:", "node 'p' must be an object"},
      {"{\"rivulet\": 1, \"nodes\": {\n\"p\": {}}}", "shot.json:2:", "needs a \"type\""},
      {"{\"rivulet\": 1, \"nodes\": {\"p\": {\n\"type\": \"testpiont\"}}}",
       "shot.json:2:", "did you mean 'testpoints'"},
      {"{\"rivulet\": 1, \"nodes\": {\"p\": {\"type\": \"testpoints\",\n\"parm\": {}}}}",
       "shot.json:2:", "node 'p': unknown key 'parm'; did you mean 'parms'?"},
      {"{\"rivulet\": 1, \"nodes\": {\"a/b\":\n {\"type\": \"testpoints\"}}}", "shot.json:2:", "letters, digits"},
      {"{\"rivulet\": 1, \"nodes\": {\"c\": {\"type\": \"testcopy\",\n\"inputs\": \"p\"}}}",
       "shot.json:2:", "must be a list"},
      {"{\"rivulet\": 1, \"nodes\": {\"c\": {\"type\": \"testcopy\",\n\"inputs\": [null,\n 3]}}}",
       "shot.json:3:", "node 'c', input 2"},
      {"{\"rivulet\": 1, \"nodes\": {\"pool\": {\"type\": \"testpoints\"}, \"c\": {\"type\": "
       "\"testcopy\",\n\"inputs\": "
       "[\"poool\"]}}}",
       "shot.json:2:", "no node 'poool'; did you mean 'pool'?"},
      {"{\"rivulet\": 1, \"nodes\": {\"p\": {\"type\": \"testpoints\",\n\"inputs\": [\"p\"]}}}",
       "shot.json:2:", "takes no inputs"},
      {"{\"rivulet\": 1,\n\"nodes\": {\"a\": {\"type\": \"testcopy\", \"inputs\": [\"b\"]}, \"b\": {\"type\": "
       "\"testcopy\", "
       "\"inputs\": [\"a\"]}}}",
       "shot.json:2:", "cycle: a -> b -> a"},
      {NODE("\"cuont\": 3"), "shot.json:5:", "node 'p': "},
      {NODE("\"cuont\": 3"), "shot.json:5:", "count"},
      {NODE("\"count\": 2.5"), "shot.json:5:", "'count'"},
      {NODE("\"count\": -1"), "shot.json:5:", "at least 0"},
      {NODE("\"count\": \"3\""), "shot.json:5:", "takes a whole number here, not a string"},
      {NODE("\"count\": null"), "shot.json:5:", "takes a whole number here, not null"},
      {NODE("\"t\": 1"), "shot.json:5:", "three numbers [x, y, z]"},
      {NODE("\"t\": [1, 2]"), "shot.json:5:", "three numbers"},
      {NODE("\"t\": [1, 2,\n true]"), "shot.json:6:", "not true or false"},
      {NODE("\"flip\": \"on\""), "shot.json:5:", "true or false"},
      {NODE("\"axis\": \"w\""), "shot.json:5:", "'axis'"},
      {NODE("\"name\": 3"), "shot.json:5:", "a text in quotes"},
      {NODE("\"spacing\": {\"kesy\": []}"), "shot.json:5:", "did you mean 'keys'"},
      {NODE("\"spacing\": {}"), "shot.json:5:", "keys"},
      {NODE("\"spacing\": {\"keys\": [[1, 0],\n[2]]}"), "shot.json:6:", "[frame, value]"},
      {NODE("\"spacing\": {\"keys\": [[1, 0],\n[2, [1, 2, 3]]]}"), "shot.json:6:", "a number"},
      {NODE("\"t\": {\"keys\": [[1, [0, 0, 0]],\n[2, 3]]}"), "shot.json:6:", "as many numbers"},
      {NODE("\"spacing\": {\"keys\": [[1, 0]],\n\"interp\": \"cubic\"}"), "shot.json:6:", "constant"},
      {NODE("\"spacing\": {\"keys\": [[1, 0]],\n\"extend\": 3}"), "shot.json:6:", "cycle"},
      {NODE("\"spacing\": {\"keys\": [[2, 0], [1, 1]]}"), "shot.json:5:", "spacing"},
      {NODE("\"spacing\": {\"wave\": {\n\"amplitdue\": 1}}"), "shot.json:6:", "did you mean 'amplitude'"},
      {NODE("\"spacing\": {\"wave\": 3}"), "shot.json:5:", "wave"},
      {NODE("\"spacing\": {\"wave\": {}, \"keys\": []}"), "shot.json:5:", "unknown key 'keys'"},
      {NODE("\"profile\": [[0, 1],\n[1, 1, \"round\"]]"), "shot.json:6:", "interpolation"},
      {NODE("\"profile\": [[0]]"), "shot.json:5:", "ramp"},
      {NODE("\"profile\": 1"), "shot.json:5:", "ramp"},
      {NODE("\"ty\": [1, 2, 3]"), "shot.json:5:", "a number"},
  };
  check_cases(cases, sizeof cases / sizeof *cases);
}

static void hostile_texts_are_bounded(void** state) {
  (void)state;
  RvScene* scene;
  RvError error = {0};
  // a million brackets
  size_t n = 1000000;
  char* deep = malloc(n);
  memset(deep, '[', n);
  CHECK_FAILS(rv_scene_parse(deep, n, "deep", &scene, &error), RV_BAD_INPUT, error, "nested too deeply");
  // three million values
  for (size_t i = 0; i < n; ++i) deep[i] = i % 2 ? ',' : '1';
  free(deep);
  n = 6000001;
  char* wide = malloc(n);
  wide[0] = '[';
  for (size_t i = 1; i < n; ++i) wide[i] = i % 2 ? '1' : ',';
  CHECK_FAILS(rv_scene_parse(wide, n, "wide", &scene, &error), RV_LIMIT, error, "values");
  free(wide);
  CHECK_FAILS(rv_scene_parse("{}", (size_t)65 << 20, "huge", &scene, &error), RV_LIMIT, error, "64 MB");
  // a zero byte is no JSON
  CHECK_FAILS(rv_scene_parse("{\"a\": \0}", 8, "zero", &scene, &error), RV_BAD_INPUT, error, "no JSON value");
}

static const char sample[] =
    "{\"rivulet\": 1, \"fps\": 25, \"frames\": [-3, 48.5], \"metersperunit\": 0.01, \"nodes\": {"
    "\"copy\": {\"type\": \"testcopy\", \"inputs\": [null, \"wet:3\", \"points\", null], \"parms\": {\"shift\": 0.1}},"
    "\"points\": {\"type\": \"rivulet::testpoints::1.0\", \"parms\": {\"count\": 7, \"flip\": true, \"axis\": \"z\","
    "  \"name\": \"a \\\"b\\\"\\n\\u00e9 $F4\", \"t\": [1, {\"keys\": [[1, 0], [24, -80]], \"interp\": \"smooth\", "
    "\"extend\": \"cycle\"}, {\"wave\": {\"amplitude\": 2, \"frequency\": 0.3, \"phase\": 45, \"offset\": 1, "
    "\"envelope\": {\"keys\": [[1, 0], [5, 1]], \"interp\": \"smooth\"}}}],"
    "  \"tint\": [0.1, 0.2, 0.3], \"profile\": [[0, 1, \"smooth\"], [0.5, 2], [1, 0.25, \"constant\"]]}},"
    "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"points\"], \"parms\": {\"seed\": 99, \"kick\": {\"keys\": [[1, "
    "1]]}}}}}";

static uint64_t graph_key(RvScene* scene, const char* node) {
  RvError error = {0};
  CHECK_OK(rv_scene_order_prepare(scene, &error), error);
  return rv_scene_graph_find(scene, node)->graph_key;
}

static void written_scenes_read_back(void** state) {
  (void)state;
  RvError error = {0};
  RvScene *scene, *again;
  CHECK_OK(parse(sample, &scene, &error), error);
  char *text, *twice;
  CHECK_OK(rv_scene_write(scene, &text, &error), error);
  CHECK_OK(parse(text, &again, &error), error);
  // the key of the last node covers all that can be said in a scene
  assert_true(graph_key(scene, "copy") == graph_key(again, "copy"));
  CHECK_OK(rv_scene_write(again, &twice, &error), error);
  assert_string_equal(text, twice);
  double first, last;
  rv_scene_frames(again, &first, &last);
  CHECK_NEAR(first, -3, 0);
  CHECK_NEAR(last, 48.5, 0);
  CHECK_NEAR(rv_scene_fps(again), 25, 0);
  // and a change of any value changes it
  const char* const changes[] = {"points.count=8", "points.flip=off",         "points.axis=y",
                                 "points.name=x",  "points.tx=1.5",           "points.ty=0",
                                 "points.tz=0",    "points.tint=0.1 0.2 0.4", "wet.seed=98",
                                 "wet.kick=1",     "copy.shift=0.2",          "points.profile=0 1 smooth, 1 1 linear"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    uint64_t before = graph_key(again, "copy");
    CHECK_OK(rv_scene_set(again, changes[i], &error), error);
    if (graph_key(again, "copy") == before) fail_msg("%s changed nothing", changes[i]);
  }
  rv_free(text);
  rv_free(twice);
  rv_scene_free(scene);
  rv_scene_free(again);
}

static void values_arrive(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene;
  CHECK_OK(parse(sample, &scene, &error), error);
  const RvParms* parms = rv_scene_parms(scene, "points");
  RvValue value;
  assert_true(rv_parms_get(parms, "t", 1, &value));
  assert_int_equal(value.kind, RV_VALUE_KEYS);
  assert_int_equal(value.count, 2);
  CHECK_NEAR(value.keys[1].frame, 24, 0);
  CHECK_NEAR(value.keys[1].value, -80, 0);
  assert_int_equal(value.interp, RV_INTERP_SMOOTH);
  assert_int_equal(value.extend, RV_EXTEND_CYCLE);
  assert_true(rv_parms_get(parms, "tz", 0, &value));
  assert_int_equal(value.kind, RV_VALUE_WAVE);
  CHECK_NEAR(value.wave.phase, 45, 0);
  assert_int_equal(value.wave.envelope_count, 2);
  assert_true(rv_parms_get(parms, "name", 0, &value));
  assert_string_equal(value.text, "a \"b\"\n\xc3\xa9 $F4");
  assert_true(rv_parms_get(parms, "profile", 0, &value));
  assert_int_equal(value.ramp->count, 3);
  assert_int_equal(value.ramp->keys[1].interp, RV_INTERP_LINEAR);
  rv_scene_free(scene);
}

// vector keys are the same as keys a component
static void vector_keys(void** state) {
  (void)state;
  RvError error = {0};
  RvScene *a, *b;
  CHECK_OK(parse(NODE("\"t\": {\"keys\": [[1, [0, 1, 2]], [5, [3, 4, 5]]], \"interp\": \"linear\"}"), &a, &error),
           error);
  CHECK_OK(parse(NODE("\"tx\": {\"keys\": [[1, 0], [5, 3]]}, \"ty\": {\"keys\": [[1, 1], [5, 4]]}, "
                      "\"tz\": {\"keys\": [[1, 2], [5, 5]]}"),
                 &b, &error),
           error);
  assert_true(graph_key(a, "p") == graph_key(b, "p"));
  rv_scene_free(a);
  rv_scene_free(b);
}

// a file: its folder is $HIP; a missing one and a folder are clear errors
static void files(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene;
  char path[300];
  snprintf(path, sizeof path, "%s/s.json", rv_test_folder());
  CHECK_FAILS(rv_scene_load(path, &scene, &error), RV_NOT_FOUND, error, path);
  CHECK_FAILS(rv_scene_load(rv_test_folder(), &scene, &error), RV_IO, error, "not a file");
  FILE* file = fopen(path, "w");
  fputs("\xef\xbb\xbf" NODE("\"name\": \"$HIP\""), file);
  fclose(file);
  CHECK_OK(rv_scene_load(path, &scene, &error), error);
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "p", 1, &out, &error), error);
  const RvAttrib* name = rv_detail_find(out, RV_GLOBAL, "name");
  char* folder = realpath(rv_test_folder(), NULL);
  assert_string_equal(rv_attrib_string(name, 0, 0), folder);
  free(folder);
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(syntax_errors), cmocka_unit_test(semantic_errors),
         cmocka_unit_test(hostile_texts_are_bounded), cmocka_unit_test(written_scenes_read_back),
         cmocka_unit_test(values_arrive), cmocka_unit_test(vector_keys), cmocka_unit_test(files))
