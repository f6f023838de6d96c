// The graph: names, wires, outputs, cycles, removal.
#include <string.h>

#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"

static RvScene* chain(const char* const* names, size_t count) {
  RvError error = {0};
  rv_test_register();
  RvScene* scene = rv_scene_new();
  for (size_t i = 0; i < count; ++i) CHECK_OK(rv_scene_add(scene, names[i], "testcopy", &error), error);
  return scene;
}

static void names_are_checked(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = chain((const char*[]){"a"}, 1);
  CHECK_FAILS(rv_scene_add(scene, "a", "testcopy", &error), RV_BAD_INPUT, error, "already a node 'a'");
  CHECK_FAILS(rv_scene_add(scene, "", "testcopy", &error), RV_BAD_INPUT, error, "1 to 64");
  CHECK_FAILS(rv_scene_add(scene, "../x", "testcopy", &error), RV_BAD_INPUT, error, "letters, digits");
  CHECK_FAILS(rv_scene_add(scene, "a:b", "testcopy", &error), RV_BAD_INPUT, error, "letters, digits");
  CHECK_FAILS(rv_scene_add(scene, "b", "tetscopy", &error), RV_NOT_FOUND, error, "did you mean 'testcopy'");
  char name[80];
  memset(name, 'n', 65);
  name[65] = 0;
  CHECK_FAILS(rv_scene_add(scene, name, "testcopy", &error), RV_BAD_INPUT, error, "has 65");
  name[64] = 0;
  CHECK_OK(rv_scene_add(scene, name, "testcopy", &error), error);
  CHECK_OK(rv_scene_add(scene, "c", "rivulet::testcopy::1.0", &error), error);
  assert_int_equal(rv_scene_node_count(scene), 3);
  rv_scene_free(scene);
}

static void wires_by_number_and_name(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = chain((const char*[]){"a", "b"}, 2);
  CHECK_OK(rv_scene_add(scene, "wet", "testsolver", &error), error);
  RvSceneNode* b = rv_scene_graph_find(scene, "b");
  const struct {
    const char* source;
    size_t output;
  } good[] = {{"wet", 0},         {"wet:1", 0},      {"wet:2", 1},    {"wet:3", 2},
              {"wet:strands", 0}, {"wet:liquid", 1}, {"wet:state", 2}};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    CHECK_OK(rv_scene_connect(scene, "b", 7, good[i].source, &error), error);
    assert_ptr_equal(b->inputs[7].node, rv_scene_graph_find(scene, "wet"));
    assert_int_equal(b->inputs[7].output, good[i].output);
  }
  assert_int_equal(rv_scene_graph_find(scene, "wet")->readers, 1);
  CHECK_OK(rv_scene_connect(scene, "b", 7, NULL, &error), error);
  assert_int_equal(rv_scene_graph_find(scene, "wet")->readers, 0);
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wet:4", &error), RV_NOT_FOUND, error, "outputs 1 to 3");
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wet:0", &error), RV_NOT_FOUND, error, "outputs 1 to 3");
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wet:99999999999999999999", &error), RV_NOT_FOUND, error,
              "outputs 1 to 3");
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wet:liqiud", &error), RV_NOT_FOUND, error, "did you mean 'liquid'");
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wet:", &error), RV_NOT_FOUND, error, "no output ''");
  CHECK_FAILS(rv_scene_connect(scene, "b", 0, "wte", &error), RV_NOT_FOUND, error, "did you mean 'wet'");
  CHECK_FAILS(rv_scene_connect(scene, "b", 8, "a", &error), RV_BAD_INPUT, error, "at most 8 inputs");
  CHECK_FAILS(rv_scene_connect(scene, "nobody", 0, "a", &error), RV_NOT_FOUND, error, "no node 'nobody'");
  rv_scene_free(scene);
}

static void cycles_are_named_in_order(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = chain((const char*[]){"a", "b", "c"}, 3);
  CHECK_OK(rv_scene_connect(scene, "b", 0, "a", &error), error);
  CHECK_OK(rv_scene_connect(scene, "c", 0, "b", &error), error);
  // a feeds b feeds c; c into a closes the ring, and the old wire stays
  CHECK_FAILS(rv_scene_connect(scene, "a", 3, "c", &error), RV_BAD_INPUT, error, "a -> b -> c -> a");
  CHECK_FAILS(rv_scene_connect(scene, "a", 0, "a", &error), RV_BAD_INPUT, error, "a -> a");
  assert_null(rv_scene_graph_find(scene, "a")->inputs[3].node);
  assert_int_equal(rv_scene_graph_find(scene, "c")->readers, 0);
  // a diamond is no ring
  CHECK_OK(rv_scene_connect(scene, "c", 1, "a", &error), error);
  rv_scene_free(scene);
}

static void removal_cuts_the_wires(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = chain((const char*[]){"a", "b", "c"}, 3);
  CHECK_OK(rv_scene_connect(scene, "b", 0, "a", &error), error);
  CHECK_OK(rv_scene_connect(scene, "c", 0, "b", &error), error);
  CHECK_OK(rv_scene_remove(scene, "b", &error), error);
  CHECK_FAILS(rv_scene_remove(scene, "b", &error), RV_NOT_FOUND, error, "no node 'b'");
  assert_int_equal(rv_scene_node_count(scene), 2);
  assert_string_equal(rv_scene_node_name(scene, 1), "c");
  assert_null(rv_scene_graph_find(scene, "c")->inputs[0].node);
  assert_int_equal(rv_scene_graph_find(scene, "a")->readers, 0);
  // what was a ring is none any more
  CHECK_OK(rv_scene_connect(scene, "a", 0, "c", &error), error);
  rv_scene_free(scene);
}

// ten thousand nodes in a row, wired from the last to the first: order and cycle check must not recurse
static void long_chains_do_not_recurse(void** state) {
  (void)state;
  enum { N = 10000 };
  RvError error = {0};
  rv_test_register();
  RvScene* scene = rv_scene_new();
  char name[16], before[16];
  for (int i = 0; i < N; ++i) {
    snprintf(name, sizeof name, "n%d", i);
    CHECK_OK(rv_scene_add(scene, name, "testcopy", &error), error);
    snprintf(before, sizeof before, "n%d", i - 1);
    if (i) CHECK_OK(rv_scene_connect(scene, name, 0, before, &error), error);
  }
  CHECK_FAILS(rv_scene_connect(scene, "n0", 0, "n9999", &error), RV_BAD_INPUT, error, "n0 -> n1 -> n2");
  CHECK_OK(rv_scene_add(scene, "source", "testpoints", &error), error);
  CHECK_OK(rv_scene_connect(scene, "n0", 0, "source", &error), error);
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "n9999", 1, &out, &error), error);
  assert_int_equal(rv_detail_count(out, RV_POINT), 4);
  rv_scene_free(scene);
}

static void settings_by_text(void** state) {
  (void)state;
  RvError error = {0};
  RvScene* scene = chain((const char*[]){"a"}, 1);
  CHECK_OK(rv_scene_set(scene, "a.shift=0.5", &error), error);
  CHECK_FAILS(rv_scene_set(scene, "a.shfit=0.5", &error), RV_NOT_FOUND, error, "node 'a'");
  CHECK_FAILS(rv_scene_set(scene, "b.shift=0.5", &error), RV_NOT_FOUND, error, "no node 'b'");
  const char* const forms[] = {"", "a", "a.shift", "a=1", ".shift=1", "a.=1", "=a.b"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
    CHECK_FAILS(rv_scene_set(scene, forms[i], &error), RV_BAD_INPUT, error, "NODE.PARM=VALUE");
  RvValue value;
  assert_true(rv_parms_get(rv_scene_parms(scene, "a"), "shift", 0, &value));
  CHECK_NEAR(value.number, 0.5, 0);
  assert_null(rv_scene_parms(scene, "b"));
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(names_are_checked), cmocka_unit_test(wires_by_number_and_name),
         cmocka_unit_test(cycles_are_named_in_order), cmocka_unit_test(removal_cuts_the_wires),
         cmocka_unit_test(long_chains_do_not_recurse), cmocka_unit_test(settings_by_text))
