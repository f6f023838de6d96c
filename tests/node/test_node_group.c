#include "support/cook.h"
#include "support/rv_test.h"

static RvDetail* lines(void) {
  RvTestCook c = rv_test_cook("curve", "points=5; count=3; dist=4; spacing=1 0 0", 0, NULL);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

// cooks and compares the group with a word of 0 and 1
static void check_group(const RvDetail* in, const char* parms, RvOwner owner, const char* expected) {
  RvTestCook c = rv_test_cook("group", parms, 1, &in);
  CHECK_OK(c.result, c.error);
  const RvGroup* group = rv_detail_find_group(c.output[0], owner, "group1");
  assert_non_null(group);
  char got[64] = "";
  for (size_t i = 0; i < rv_detail_count(c.output[0], owner); ++i) got[i] = (char)('0' + rv_group_read(group)[i]);
  assert_string_equal(got, expected);
  rv_test_cook_free(&c);
}

static void every_way_to_choose(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = lines();  // three lines at x = 0, 1, 2 with y = 0..4
  check_group(in, "", RV_POINT, "111111111111111");
  check_group(in, "mode=box; boxmin=0.5 1 -1; boxmax=1.5 2 1", RV_POINT, "000000110000000");
  check_group(in, "mode=box; boxmin=0.5 0 -1; boxmax=2.5 4 1; grouptype=prims", RV_PRIM, "011");
  check_group(in, "mode=box; boxmin=0.5 1 -1; boxmax=2.5 4 1; grouptype=prims", RV_PRIM, "000");
  check_group(in, "mode=curveu; curveu=0 0", RV_POINT, "100001000010000");
  check_group(in, "mode=curveu; curveu=0.5 1; invert=on", RV_POINT, "110001100011000");
  check_group(in, "mode=ids; ids=2 4-6, 5 14", RV_POINT, "001011100000001");
  check_group(in, "basegroup=0-4; mode=curveu; curveu=0.5 1; invert=on", RV_POINT, "110000000000000");
  int32_t* id = rv_detail_i32_write(in, RV_PRIM, "id", 1, &error);
  id[0] = 70;
  id[1] = -3;
  id[2] = 12;
  check_group(in, "mode=ids; ids=12-100; grouptype=prims", RV_PRIM, "101");
  check_group(in, "mode=ids; ids=-3; grouptype=prims", RV_PRIM, "010");
  rv_detail_free(in);
}

static void groups_that_are_there(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = lines();
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(in, RV_PRIM, "group1", &group, &error), error);
  rv_group_write(group)[0] = rv_group_write(group)[1] = 1;
  check_group(in, "grouptype=prims; mode=ids; ids=1-2", RV_PRIM, "011");
  check_group(in, "grouptype=prims; mode=ids; ids=1-2; mergeop=union", RV_PRIM, "111");
  check_group(in, "grouptype=prims; mode=ids; ids=1-2; mergeop=intersect", RV_PRIM, "010");
  check_group(in, "grouptype=prims; mode=ids; ids=1-2; mergeop=subtract", RV_PRIM, "100");
  const RvDetail* ins[] = {in};
  RvTestCook c = rv_test_cook("group", "mode=ids; ids=1-x", 1, ins);
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "ids");
  c = rv_test_cook("group", "groupname=", 1, ins);
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "groupname");
  rv_detail_free(in);
}

RV_TESTS(cmocka_unit_test(every_way_to_choose), cmocka_unit_test(groups_that_are_there))
