// The node table, its names and the checks of rows that are registered; the cook's helpers and the ledger.
#include <string.h>

#include "node/table.h"
#include "parm/table.h"
#include "support/node_stub.h"
#include "support/rv_test.h"

static const RvPortDef port[] = {{"geometry", "Geometry", "It.", false}, {"more", "More", "It.", false}};
static const char* const stages[] = {"one", NULL};

static RvNodeType good(const char* name) {
  return (RvNodeType){.type = name,
                      .label = "Test",
                      .category = "Test",
                      .summary = "Does nothing.",
                      .help = "",
                      .inputs = port,
                      .ninput = 1,
                      .outputs = port,
                      .noutput = 1,
                      .parms = &rv_parm_table_empty,
                      .cook = nothing};
}

static void finds_by_every_name(void** state) {
  (void)state;
  static RvNodeType row;
  row = good("testnode");
  RvError e = {0};
  size_t before = rv_node_type_count();
  CHECK_OK(rv_node_register(&row, &e), e);
  assert_int_equal(rv_node_type_count(), before + 1);
  assert_ptr_equal(rv_node_type(before), &row);
  assert_null(rv_node_type(before + 1));
  assert_ptr_equal(rv_node_find("testnode"), &row);
  assert_ptr_equal(rv_node_find("rivulet::testnode"), &row);
  assert_ptr_equal(rv_node_find("rivulet::testnode::1.0"), &row);
  const char* wrong[] = {
      "test", "testnodes",  "rivulet::",          "rivulet::testnode::2.0", "other::testnode", "rivulet::testnode:1.0",
      "",     "::testnode", "rivulet::testnode::"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) assert_null(rv_node_find(wrong[i]));
  assert_null(rv_node_find(NULL));
  CHECK_FAILS(rv_node_register(&row, &e), RV_BAD_INPUT, e, "testnode: the name is taken");
  for (size_t i = 0; i < rv_node_builtin_count(); ++i)
    assert_ptr_equal(rv_node_find(rv_node_type(i)->type), rv_node_type(i));
}

static void refuses_incomplete_rows(void** state) {
  (void)state;
  RvError e = {0};
  size_t before = rv_node_type_count();
#define REFUSED(change, part)                                       \
  do {                                                              \
    RvNodeType row = good("incomplete");                            \
    change;                                                         \
    CHECK_FAILS(rv_node_register(&row, &e), RV_BAD_INPUT, e, part); \
  } while (0)
  CHECK_FAILS(rv_node_register(NULL, &e), RV_BAD_INPUT, e, "no row");
  REFUSED(row.type = NULL, "lower-case");
  REFUSED(row.type = "Upper", "'Upper'");
  REFUSED(row.type = "under_score", "lower-case");
  REFUSED(row.type = "2d", "letter first");
  REFUSED(row.label = "", "a label");
  REFUSED(row.category = NULL, "a category");
  REFUSED(row.summary = "", "a summary");
  REFUSED(row.help = NULL, "a help text");
  REFUSED(row.parms = NULL, "a parameter table");
  REFUSED(row.noutput = 0, "an output");
  REFUSED(row.noutput = 4, "at most 3");
  REFUSED(row.ninput = 9, "at most 8");
  REFUSED(row.inputs = NULL, "no table of inputs");
  REFUSED(row.inputs = (&(RvPortDef){.name = "x"}), "input 1 needs");
  REFUSED(row.cook = NULL, "incomplete needs a cook function");
  REFUSED(row.flags = RV_NODE_SOLVER, "a start function");
  REFUSED((row.flags = RV_NODE_SOLVER, row.start = nothing), "a step function");
  REFUSED((row.flags = RV_NODE_SOLVER, row.start = row.step = nothing), "stages");
  REFUSED((row.flags = RV_NODE_SOLVER, row.start = row.step = nothing, row.stages = stages, row.noutput = 2), "split");
  REFUSED((row.flags = RV_NODE_SOLVER, row.start = row.step = nothing, row.stages = stages, row.nfield = 1), "fields");
  assert_int_equal(rv_node_type_count(), before);
  static RvNodeType solver;
  solver = good("testsolver");
  solver.flags = RV_NODE_SOLVER;
  solver.start = solver.step = nothing;
  solver.split = split;
  solver.stages = stages;
  solver.noutput = 2;
  CHECK_OK(rv_node_register(&solver, &e), e);
}

//---------------------------------------------------------------------------------------------- cook

typedef struct Heard {
  char text[200];
  RvLevel level;
  double frame;
  bool stop;
} Heard;

static void hear(void* user, RvLevel level, const char* text) {
  Heard* heard = user;
  snprintf(heard->text, sizeof heard->text, "%s", text);
  heard->level = level;
}

static bool stopped(void* user, double fraction, const char* stage) {
  Heard* heard = user;
  return heard->stop && fraction == 0.5 && strcmp(stage, "one") == 0;
}

static RvResult at_frame(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  (void)index;
  (void)error;
  ((Heard*)user)->frame = frame;
  *out = (const RvDetail*)user;
  return RV_OK;
}

static void cook_speaks_to_its_host(void** state) {
  (void)state;
  RvError e = {0};
  Heard heard = {.stop = true};
  RvHost host = {.user = &heard, .cancelled = stopped, .message = hear, .input_at = at_frame}, silent = {0};
  const RvDetail* wired[2] = {(const RvDetail*)&host, NULL};
  RvCook cook = {.host = &host, .ninput = 2, .input = wired, .time = {.frame = 3}};
  rv_cook_warn(&cook, "%d drops", 3);
  assert_string_equal(heard.text, "3 drops");
  assert_int_equal(heard.level, RV_LEVEL_WARNING);
  RvLog log = rv_cook_log(&cook);
  rv_log(&log, RV_LEVEL_INFO, "from %s", "below");
  assert_string_equal(heard.text, "from below");
  assert_int_equal(heard.level, RV_LEVEL_INFO);
  assert_true(rv_cook_cancelled(&cook, 0.5, "one"));
  assert_false(rv_cook_cancelled(&cook, 0.25, "one"));
  const RvDetail* got;
  CHECK_OK(rv_cook_input_at(&cook, 0, 2.5, &got, &e), e);
  assert_ptr_equal(got, &heard);
  CHECK_NEAR(heard.frame, 2.5, 0);
  // what is not wired is not asked for
  CHECK_OK(rv_cook_input_at(&cook, 1, 2.5, &got, &e), e);
  assert_null(got);
  CHECK_OK(rv_cook_input_at(&cook, 7, 2.5, &got, &e), e);
  assert_null(got);
  // a host that can do nothing
  cook.host = &silent;
  rv_cook_info(&cook, "unheard");
  assert_false(rv_cook_cancelled(&cook, 0.5, "one"));
  CHECK_OK(rv_cook_input_at(&cook, 0, 2.5, &got, &e), e);
  assert_ptr_equal(got, wired[0]);
}

static void ledger_balances(void** state) {
  (void)state;
  RvLedger l = {
      .bulk = 4, .film = 2, .absorbed = 1, .initial = 8, .sources = 2, .killed = 1, .evaporated = 0.5, .outflow = 1.5};
  CHECK_NEAR(rv_ledger_total(&l), 7, 0);
  CHECK_NEAR(rv_ledger_drift(&l), 0, 0);
  l.film += 1;
  CHECK_NEAR(rv_ledger_drift(&l), 0.1, 1e-16);
  l.film -= 2;
  CHECK_NEAR(rv_ledger_drift(&l), -0.1, 1e-16);
  CHECK_NEAR(rv_ledger_drift(&(RvLedger){0}), 0, 0);
  CHECK_NEAR(rv_ledger_drift(&(RvLedger){.bulk = 3}), 1, 0);
}

RV_TESTS(cmocka_unit_test(finds_by_every_name), cmocka_unit_test(refuses_incomplete_rows),
         cmocka_unit_test(cook_speaks_to_its_host), cmocka_unit_test(ledger_balances))
