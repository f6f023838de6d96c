// Runs: which nodes, which frames, the report's lines, files written and passed through.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene/doc.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"

enum { MAX_LINES = 64 };
typedef struct Log {
  int count;
  double frames[MAX_LINES];
  char* lines[MAX_LINES];
  RvStats stats[MAX_LINES];
  char stages[MAX_LINES][200];  // the names, joined by blanks
  int messages;
} Log;

static void on_frame(void* user, const RvFrameReport* report) {
  Log* log = user;
  assert_true(log->count < MAX_LINES);
  log->frames[log->count] = report->frame;
  log->stats[log->count] = report->stats;
  for (size_t i = 0; i < report->nstage; ++i) strcat(strcat(log->stages[log->count], report->stages[i].name), " ");
  log->lines[log->count++] = strdup(report->json);
}

static void on_message(void* user, RvLevel level, const char* node, double frame, const char* text) {
  (void)level;
  (void)node;
  (void)frame;
  (void)text;
  ((Log*)user)->messages++;
}

static void run(RvScene* scene, const RvRun* job, Log* log) {
  RvError error = {0};
  *log = (Log){0};
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = log, .message = on_message, .frame_done = on_frame});
  CHECK_OK(rv_scene_run(scene, job, &error), error);
}

static void log_free(Log* log) {
  for (int i = 0; i < log->count; ++i) free(log->lines[i]);
}

static const RvDoc* find(const RvDoc* object, const char* key) {
  const RvDoc* member = rv_scene_doc_find(object, key);
  if (!member) fail_msg("the report has no '%s'", key);
  return member;
}

static const char shot[] =
    "{\"rivulet\": 1, \"frames\": [1, 6], \"nodes\": {"
    "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 20}},"
    "\"f\": {\"type\": \"testfail\", \"inputs\": [\"p\"], \"parms\": {\"how\": \"warn\", \"frame\": 4}},"
    "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"f\"]},"
    "\"lone\": {\"type\": \"testcopy\", \"inputs\": [\"p\"]}}}";

static void reports_have_every_key(void** state) {
  (void)state;
  RvScene* scene = rv_test_parse(shot);
  Log log;
  run(scene, &(RvRun){.first = 1, .last = 0}, &log);
  assert_int_equal(log.count, 6);
  RvError error = {0};
  for (int i = 0; i < 6; ++i) {
    RvArena* arena = rv_arena_new(4096);
    RvDoc* line;
    CHECK_OK(rv_scene_doc_parse(log.lines[i], strlen(log.lines[i]), "report", arena, &line, &error), error);
    CHECK_NEAR(find(line, "frame")->number, i + 1, 0);
    assert_true(find(line, "seconds")->number >= 0);
    assert_true(find(line, "cpu_seconds")->number >= 0);
    CHECK_NEAR(find(line, "substeps")->number, i ? 4 : 0, 0);
    const char* const stages[] = {"sample", "springs", "drops", "births"};
    for (int k = 0; k < 4; ++k) assert_true(find(find(line, "stages"), stages[k])->number >= 0);
#define RV_COUNT_CHECK(name) find(find(line, "counts"), #name);
    RV_COUNTS(RV_COUNT_CHECK)
    CHECK_NEAR(find(find(line, "counts"), "strands")->number, 20, 0);
    CHECK_NEAR(find(find(line, "counts"), "vertices")->number, 40, 0);
    const RvDoc* ledger = find(line, "ledger");
    const char* const sums[] = {"bulk", "film", "absorbed", "sources", "total", "drift"};
    for (int k = 0; k < 6; ++k) assert_int_equal(find(ledger, sums[k])->kind, RV_DOC_NUMBER);
    // every drop is one volume, born or still there; a sum of as many terms as drops
    double drops = find(find(line, "counts"), "particles")->number;
    CHECK_NEAR(find(ledger, "total")->number, drops * 1e-9, 1e-22);
    CHECK_NEAR(find(ledger, "drift")->number, 0, 1e-13);
    // the same as numbers, for hosts that show them
    CHECK_NEAR(log.stats[i].ledger.bulk, find(ledger, "bulk")->number, 0);
    CHECK_NEAR((double)log.stats[i].particles, drops, 0);
    assert_int_equal(log.stats[i].substeps, i ? 4 : 0);
    assert_string_equal(log.stages[i], "sample springs drops births geometry write checkpoint ");
    find(find(ledger, "sinks"), "killed");
    find(find(ledger, "sinks"), "evaporated");
    find(find(ledger, "sinks"), "outflow");
    assert_int_equal(find(line, "iterations")->kind, RV_DOC_NUMBER);
    assert_int_equal(find(line, "residuals")->count, 1);
    // one line for a warning that came often: at frame f the solver samples the node at 4 substeps
    const RvDoc* warnings = find(line, "warnings");
    assert_int_equal(warnings->count, i >= 3 ? 1 : 0);
    if (i >= 3) assert_non_null(strstr(warnings->first->string, "f: told to warn ("));
    assert_int_equal(strlen(find(line, "hash")->string), 16);
    rv_arena_free(arena);
  }
  // the hash is that of the state
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "wet:3", 6, &out, &error), error);
  char expected[40];
  uint64_t hash = rv_node_state_hash(rv_node_find("testsolver"), out);
  snprintf(expected, sizeof expected, "\"hash\": \"%016llx\"", (unsigned long long)hash);
  assert_non_null(strstr(log.lines[5], expected));
  log_free(&log);
  rv_scene_free(scene);
}

static uint64_t cooks(RvScene* scene, const char* node) {
  return rv_scene_graph_find(scene, node)->ncook;
}

static void targets_are_chosen(void** state) {
  (void)state;
  Log log;
  // nobody writes: the nodes that nobody reads, wet and lone
  RvScene* scene = rv_test_parse(shot);
  run(scene, &(RvRun){.first = 2, .last = 3}, &log);
  assert_int_equal(log.count, 2);
  CHECK_NEAR(log.frames[0], 2, 0);
  assert_int_equal(cooks(scene, "lone"), 1);
  assert_int_equal(rv_scene_graph_find(scene, "wet")->nstep, 2);
  log_free(&log);
  rv_scene_free(scene);
  // one by name
  scene = rv_test_parse(shot);
  run(scene, &(RvRun){.node = "lone", .first = 1, .last = 1}, &log);
  assert_int_equal(cooks(scene, "lone"), 1);
  assert_int_equal(cooks(scene, "wet"), 0);
  // without a solver the counts are of what was cooked
  assert_non_null(strstr(log.lines[0], "\"particles\": 20"));
  log_free(&log);
  RvError error = {0};
  CHECK_FAILS(rv_scene_run(scene, &(RvRun){.node = "lnoe", .first = 1, .last = 1}, &error), RV_NOT_FOUND, error,
              "lone");
  CHECK_FAILS(rv_scene_run(scene, &(RvRun){.first = 1, .last = INFINITY}, &error), RV_BAD_INPUT, error, "numbers");
  CHECK_FAILS(rv_scene_run(scene, &(RvRun){.first = 1, .last = 1e8}, &error), RV_LIMIT, error, "million");
  rv_scene_free(scene);
  scene = rv_scene_new();
  CHECK_FAILS(rv_scene_run(scene, &(RvRun){.first = 1, .last = 1}, &error), RV_BAD_INPUT, error, "no nodes");
  rv_scene_free(scene);
}

static bool there(const char* name, int frame) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s.%04d.bgeo", rv_test_folder(), name, frame);
  return access(path, F_OK) == 0;
}

// a file cache writes as a target, passes through for others, and reads instead of cooking what is above it
static void file_caches(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  RvScene* scene = rv_test_parse(
      "{\"rivulet\": 1, \"frames\": [1, 3], \"nodes\": {"
      "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 5, \"tx\": {\"keys\": [[1, 0], [11, 10]]}}},"
      "\"c\": {\"type\": \"filecache\", \"inputs\": [\"p\"], \"parms\": {\"file\": \"$OUT/$OS.$F4.bgeo\"}},"
      "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"c\"]}}}");
  rv_scene_set_out(scene, rv_test_folder(), NULL);
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "wet:3", 3, &out, &error), error);
  uint64_t state_hash = rv_detail_hash(out);
  for (int frame = 1; frame <= 3; ++frame) assert_false(there("c", frame));
  run(scene, &(RvRun){.first = 1, .last = 0}, &log);
  for (int frame = 1; frame <= 3; ++frame) assert_true(there("c", frame));
  log_free(&log);
  // written again by a second run, though all is cached
  char path[400];
  snprintf(path, sizeof path, "%s/c.0002.bgeo", rv_test_folder());
  assert_int_equal(unlink(path), 0);
  run(scene, &(RvRun){.first = 1, .last = 0}, &log);
  assert_true(there("c", 2));
  log_free(&log);
  // from disk: the same points, and nothing above is cooked
  CHECK_OK(rv_scene_set(scene, "c.loadfromdisk=on", &error), error);
  rv_scene_forget(scene, NULL);
  uint64_t before = cooks(scene, "p");
  CHECK_OK(rv_scene_cook(scene, "c", 2, &out, &error), error);
  CHECK_NEAR(rv_detail_f32(out, RV_POINT, "P", 3)[0], 1, 0);
  assert_int_equal(cooks(scene, "p"), before);
  // a file that changes on disk is read again
  RvDetail* other = rv_detail_new();
  CHECK_OK(rv_detail_add_points(other, 77, NULL, &error), error);
  CHECK_OK(rv_detail_save(other, path, NULL, &error), error);
  rv_detail_free(other);
  CHECK_OK(rv_scene_cook(scene, "c", 2, &out, &error), error);
  assert_int_equal(rv_detail_count(out, RV_POINT), 77);
  CHECK_OK(rv_scene_set(scene, "c.loadfromdisk=off", &error), error);
  CHECK_OK(rv_scene_cook(scene, "wet:3", 3, &out, &error), error);
  assert_true(rv_detail_hash(out) == state_hash);
  rv_scene_free(scene);
}

// what the note of progress says when there is no solver
static void resuming_without_solvers(void** state) {
  (void)state;
  Log log;
  char folder[400];
  snprintf(folder, sizeof folder, "%s/points", rv_test_folder());
  const double lasts[] = {2, 5, 5}, firsts[] = {1, 3, 0};
  const int counts[] = {2, 3, 0};
  for (int i = 0; i < 3; ++i) {
    RvScene* scene = rv_test_parse("{\"rivulet\": 1, \"nodes\": {\"p\": {\"type\": \"testpoints\"}}}");
    run(scene, &(RvRun){.first = 1, .last = lasts[i], .checkpoint_dir = folder, .resume = i > 0}, &log);
    assert_int_equal(log.count, counts[i]);
    if (log.count) CHECK_NEAR(log.frames[0], firsts[i], 0);
    log_free(&log);
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(reports_have_every_key), cmocka_unit_test(targets_are_chosen), cmocka_unit_test(file_caches),
         cmocka_unit_test(resuming_without_solvers))
