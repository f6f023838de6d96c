#include "support/cook.h"
#include "support/rv_test.h"

static void strands_go_whole(void** state) {
  (void)state;
  RvError error = {0};
  RvTestCook made = rv_test_cook("curve", "points=5; count=3; spacing=1 0 0", 0, NULL);
  RvDetail* in = made.output[0];
  int32_t* id = rv_detail_i32_write(in, RV_PRIM, "id", 1, &error);
  id[0] = 5;
  id[1] = 6;
  id[2] = 7;
  const struct {
    const char* parms;
    size_t prims, points;
    int32_t first;
  } cases[] = {
      {"group=1; grouptype=prims", 2, 10, 5},
      {"group=1; grouptype=prims; negate=on", 1, 5, 6},
      {"group=1; grouptype=prims; removeunused=off", 2, 15, 5},
      {"group=0; grouptype=points", 2, 14, 6},
      {"group=0-4; grouptype=points; negate=on", 1, 5, 5},
      {"grouptype=prims", 0, 0, -1},
      {"grouptype=prims; negate=on", 3, 15, 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    RvTestCook c = rv_test_cook("blast", cases[i].parms, 1, (const RvDetail*[]){in});
    CHECK_OK(c.result, c.error);
    CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
    assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), cases[i].prims);
    assert_int_equal(rv_detail_count(c.output[0], RV_POINT), cases[i].points);
    if (cases[i].prims) assert_int_equal(rv_detail_i32(c.output[0], RV_PRIM, "id", 1)[0], cases[i].first);
    rv_test_cook_free(&c);
  }
  RvTestCook c = rv_test_cook("blast", "group=tips", 1, (const RvDetail*[]){in});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "tips");
  rv_test_cook_free(&made);
}

RV_TESTS(cmocka_unit_test(strands_go_whole))
