// The same bits whatever way a frame is reached: straight, scrubbed, frame by frame from saved states, without the
// nodes' caches, with any number of threads, from a state file, or resumed.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "scene/checkpoint.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

enum { LAST = 24 };

// two solvers, one blown by the other, on an animated input
static const char shot[] =
    "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 24], \"nodes\": {"
    "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 300, \"spacing\": 0.01,"
    "  \"t\": [{\"wave\": {\"amplitude\": 0.3, \"frequency\": 2}}, {\"keys\": [[1, 0], [24, 1]], \"interp\": "
    "\"smooth\"}, 0]}},"
    "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"p\"]},"
    "\"windy\": {\"type\": \"testsolver\", \"inputs\": [\"p\", \"wet\"], \"parms\": {\"seed\": 11, \"startframe\": 5}},"
    "\"end\": {\"type\": \"testcopy\", \"inputs\": [\"windy\", \"wet:liquid\"]}}}";

static RvScene* open_shot(void) {
  RvError error = {0};
  RvScene* scene;
  rv_test_register();
  CHECK_OK(rv_scene_parse(shot, strlen(shot), "shot", &scene, &error), error);
  return scene;
}

// hashes of the straight run, the oracle of all tests here: both states and what is made of them
static uint64_t straight[LAST + 1][3];
static const char* const outputs[3] = {"wet:3", "windy:3", "end"};

static int run_straight(void** state) {
  (void)state;
  RvScene* scene = open_shot();
  for (int frame = 1; frame <= LAST; ++frame)
    for (int k = 0; k < 3; ++k) straight[frame][k] = rv_test_scene_hash(scene, outputs[k], frame);
  rv_scene_free(scene);
  // the shot moves: no two frames are alike
  for (int frame = 2; frame <= LAST; ++frame) assert_true(straight[frame][0] != straight[frame - 1][0]);
  return 0;
}

static void expect_all(RvScene* scene, int frame) {
  for (int k = 0; k < 3; ++k)
    if (rv_test_scene_hash(scene, outputs[k], frame) != straight[frame][k])
      fail_msg("%s differs at frame %d", outputs[k], frame);
}

static void scrubbing(void** state) {
  (void)state;
  RvScene* scene = open_shot();
  const int visits[] = {24, 12, 24, 3, 13, 1, 24};
  for (size_t i = 0; i < sizeof visits / sizeof *visits; ++i) expect_all(scene, visits[i]);
  // with little room, so that going back computes again
  rv_scene_set_cache_limit(scene, 1 << 16);
  for (size_t i = 0; i < sizeof visits / sizeof *visits; ++i) expect_all(scene, visits[i]);
  // and after a change that is undone
  RvError error = {0};
  CHECK_OK(rv_scene_set(scene, "wet.kick=1", &error), error);
  assert_true(rv_test_scene_hash(scene, "end", 12) != straight[12][2]);
  CHECK_OK(rv_scene_set(scene, "wet.kick=20", &error), error);
  expect_all(scene, 12);
  rv_scene_free(scene);
}

static void without_node_caches(void** state) {
  (void)state;
  RvScene* scene = open_shot();
  scene->drop_caches = true;
  for (int frame = 1; frame <= LAST; ++frame) expect_all(scene, frame);
  rv_scene_free(scene);
}

static void any_number_of_threads(void** state) {
  (void)state;
  const int workers[] = {1, 2, 3, 8, 16};
  for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i) {
    rv_threads_set(workers[i]);
    RvScene* scene = open_shot();
    expect_all(scene, LAST);
    rv_scene_free(scene);
  }
  rv_threads_set(0);
}

//------------------------------------------------------------------------------------------------ states from disk

static char folder[300];

static int new_folder(void** state) {
  (void)state;
  static int number;
  snprintf(folder, sizeof folder, "%s/run%d", rv_test_folder(), number++);
  return 0;
}

typedef struct Log {
  int frames, warnings;
  double first;
  char last_hash[20], text[2000];
  RvScene* scene;
} Log;

static void on_frame(void* user, const RvFrameReport* report) {
  Log* log = user;
  if (!log->frames++) log->first = report->frame;
  const char* at = strstr(report->json, "\"hash\": \"");
  assert_non_null(at);
  memcpy(log->last_hash, at + 9, 16);
}

static void on_message(void* user, RvLevel level, const char* node, double frame, const char* text) {
  (void)node;
  (void)frame;
  Log* log = user;
  if (level != RV_LEVEL_WARNING) return;
  log->warnings++;
  snprintf(log->text, sizeof log->text, "%s", text);
}

// runs to `last` in a new scene, as a new process would
static RvResult run(Log* log, double last, bool resume, const char* change, RvError* error) {
  *log = (Log){0};
  RvScene* scene = open_shot();
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = log, .message = on_message, .frame_done = on_frame});
  if (change) CHECK_OK(rv_scene_set(scene, change, error), *error);
  RvRun job = {.first = 1, .last = last, .checkpoint_dir = folder, .resume = resume};
  RvResult result = rv_scene_run(scene, &job, error);
  rv_scene_free(scene);
  return result;
}

// one frame a scene, each from the checkpoints of the one before
static void every_frame_in_a_new_scene(void** state) {
  (void)state;
  RvError error = {0};
  Log log, whole;
  for (int frame = 1; frame <= LAST; ++frame) {
    CHECK_OK(run(&log, frame, frame > 1, NULL, &error), error);
    assert_int_equal(log.frames, 1);
    CHECK_NEAR(log.first, frame, 0);
    assert_int_equal(log.warnings, 0);
  }
  char path[400];
  for (int k = 0; k < 2; ++k) {
    RvCheckpoint c;
    snprintf(path, sizeof path, "%s/%s.0024.rvck", folder, k ? "windy" : "wet");
    CHECK_OK(rv_scene_checkpoint_read(path, &c, &error), error);
    assert_true(c.state_hash == straight[LAST][k]);
    const RvNodeType* type = rv_node_find("testsolver");
    assert_true(rv_state_hash(&c.state, type->fields, type->nfield) == straight[LAST][k]);
    rv_scene_checkpoint_free(&c);
  }
  new_folder(NULL);
  CHECK_OK(run(&whole, LAST, false, NULL, &error), error);
  assert_int_equal(whole.frames, LAST);
  assert_string_equal(whole.last_hash, log.last_hash);
}

static size_t count_files(const char* part) {
  DIR* dir = opendir(folder);
  assert_non_null(dir);
  struct dirent* item;
  size_t count = 0;
  while ((item = readdir(dir))) count += strstr(item->d_name, part) != NULL;
  closedir(dir);
  return count;
}

// a half written file of another process; host NULL: this machine's
static void put_temporary(char* path, size_t size, const char* host, const char* pid) {
  RvError error = {0};
  char target[400], *own;
  snprintf(target, sizeof target, "%s/wet.0011.rvck", folder);
  CHECK_OK(rv_file_temporary(target, &own, NULL, &error), error);
  assert_int_equal(unlink(own), 0);
  // ".<name>.<number>.<host>.<pid>.tmp"
  char expected[40];
  snprintf(expected, sizeof expected, ".%ld.tmp", (long)getpid());
  char* tail = strstr(own, expected);
  assert_non_null(tail);
  *tail = 0;
  char* at = strrchr(own, '.');
  if (host) *at = 0;
  snprintf(path, size, "%s%s%s.%s.tmp", own, host ? "." : "", host ? host : "", pid);
  rv_free(own);
  CHECK_OK(rv_file_write(path, "x", 1, &error), error);
}

// three last frames and every 24th; what a dead process left goes, what a live one writes stays
static void old_checkpoints_go(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  CHECK_OK(run(&log, 10, false, NULL, &error), error);
  assert_int_equal(count_files("wet."), 4);
  assert_int_equal(count_files("windy.0005"), 1);
  // pid 1 lives, and no pid is as large as that; of another machine's processes nothing is known
  char dead[400], live[400], foreign[400];
  put_temporary(dead, sizeof dead, NULL, "999999999");
  put_temporary(live, sizeof live, NULL, "1");
  put_temporary(foreign, sizeof foreign, "elsewhere", "999999999");
  CHECK_OK(run(&log, 11, true, NULL, &error), error);
  assert_int_not_equal(access(dead, F_OK), 0);
  assert_int_equal(access(live, F_OK), 0);
  assert_int_equal(access(foreign, F_OK), 0);
  // beginning anew removes the checkpoints of the former run
  CHECK_OK(run(&log, 2, false, NULL, &error), error);
  // wet ran ahead to frame 5, where windy starts: 1 and the last three, and two temporaries
  assert_int_equal(count_files("wet."), 6);
  assert_int_equal(count_files("windy."), 1);
}

static void changed_parameters_are_stale(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  CHECK_OK(run(&log, 8, false, NULL, &error), error);
  CHECK_FAILS(run(&log, 12, true, "wet.substeps=5", &error), RV_BAD_INPUT, error,
              "node 'wet', parm 'substeps' is 5 and was not set");
  CHECK_FAILS(run(&log, 12, true, "windy.seed=12", &error), RV_BAD_INPUT, error,
              "node 'windy', parm 'seed' was 11 and is 12");
  CHECK_FAILS(run(&log, 12, true, "windy.seed=7", &error), RV_BAD_INPUT, error,
              "node 'windy', parm 'seed' was 11 and is not set now");
  CHECK_FAILS(run(&log, 12, true, "p.count=301", &error), RV_BAD_INPUT, error,
              "node 'p', parm 'count' was 300 and is 301");
  CHECK_FAILS(run(&log, 12, true, "p.count=301", &error), RV_BAD_INPUT, error, "stale");
  assert_int_equal(log.frames, 0);
  // the frames that are on disk came from other values, though the solvers do not see them
  CHECK_FAILS(run(&log, 12, true, "end.shift=3", &error), RV_BAD_INPUT, error,
              "node 'end', parm 'shift' is 3 and was not set");
  // unchanged it goes on after the last whole frame, and a second time there is nothing to do
  CHECK_OK(run(&log, 12, true, NULL, &error), error);
  CHECK_NEAR(log.first, 9, 0);
  assert_int_equal(log.frames, 4);
  CHECK_OK(run(&log, 12, true, NULL, &error), error);
  assert_int_equal(log.frames, 0);
}

static void flip(const char* path, size_t at, int bit) {
  FILE* file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, (long)at, SEEK_SET);
  int c = fgetc(file);
  fseek(file, (long)at, SEEK_SET);
  fputc(c ^ 1 << bit, file);
  fclose(file);
}

// a damaged newest checkpoint is told and the one before serves; the end is the same
static void damaged_checkpoints_are_passed_over(void** state) {
  (void)state;
  RvError error = {0};
  Log whole, log;
  CHECK_OK(run(&whole, LAST, false, NULL, &error), error);
  CHECK_OK(run(&log, 10, false, NULL, &error), error);
  char path[400];
  snprintf(path, sizeof path, "%s/windy.0010.rvck", folder);
  flip(path, 1000, 3);
  CHECK_OK(run(&log, 15, true, NULL, &error), error);
  assert_int_equal(log.warnings, 1);
  assert_non_null(strstr(log.text, "windy.0010.rvck' is damaged"));
  CHECK_NEAR(log.first, 11, 0);
  // all of them damaged or cut off: the states come from the start again, with a warning each
  for (int i = 0; i < 3; ++i) {
    snprintf(path, sizeof path, "%s/windy.00%d.rvck", folder, 13 + i);
    if (i == 2)
      assert_int_equal(truncate(path, 100), 0);
    else
      flip(path, 60, i);
  }
  CHECK_OK(run(&log, LAST, true, NULL, &error), error);
  assert_int_equal(log.warnings, 3);
  CHECK_NEAR(log.first, 16, 0);
  assert_string_equal(log.last_hash, whole.last_hash);
}

// which frames have their files is no guess: without the note of it, all are written again
static void lost_progress_writes_again(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  CHECK_OK(run(&log, 6, false, NULL, &error), error);
  char path[400];
  snprintf(path, sizeof path, "%s/progress.rvck", folder);
  flip(path, 30, 0);
  CHECK_OK(run(&log, 8, true, NULL, &error), error);
  assert_int_equal(log.warnings, 1);
  assert_non_null(strstr(log.text, "progress"));
  CHECK_NEAR(log.first, 1, 0);
  assert_int_equal(log.frames, 8);
}

//------------------------------------------------------------------------------------------------ bits of a checkpoint

// a small one: every byte, one bit each (all eight for the header), and every length
static void any_changed_bit_is_noticed(void** state) {
  (void)state;
  RvError error = {0};
  rv_test_register();
  RvScene* scene = open_shot();
  CHECK_OK(rv_scene_set(scene, "p.count=2", &error), error);
  const RvDetail* detail;
  CHECK_OK(rv_scene_cook(scene, "wet:3", 3, &detail, &error), error);
  char* manifest;
  CHECK_OK(rv_scene_manifest_write(scene, (RvSceneNode*[]){rv_scene_graph_find(scene, "wet")}, 1, &manifest, &error),
           error);
  uint64_t key = rv_hash(manifest, strlen(manifest), 0);
  uint64_t expected = rv_node_state_hash(rv_node_find("testsolver"), detail);
  RvCheckpoint c = {"wet", "testsolver", manifest, 3, key, expected, {.strands = 2}, {{(RvDetail*)detail}}};
  unsigned char* bytes;
  size_t count;
  CHECK_OK(rv_scene_checkpoint_encode(&c, (void**)&bytes, &count, &error), error);
  RvCheckpoint back;
  CHECK_OK(rv_scene_checkpoint_decode(bytes, count, "small", &back, &error), error);
  assert_string_equal(back.node, "wet");
  assert_string_equal(back.manifest, manifest);
  assert_int_equal(back.stats.strands, 2);
  CHECK_NEAR(back.frame, 3, 0);
  assert_true(rv_detail_hash(back.state.part[0]) == rv_detail_hash(detail));
  assert_null(back.state.part[1]);
  rv_scene_checkpoint_free(&back);
  for (size_t at = 0; at < count; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      if (at >= 64 && bit != (int)(at % 8)) continue;
      bytes[at] ^= (unsigned char)(1 << bit);
      if (rv_scene_checkpoint_decode(bytes, count, "small", &back, &error) != RV_BAD_FILE ||
          !rv_state_empty(&back.state))
        fail_msg("bit %d of byte %zu went unnoticed (%s)", bit, at, error.text);
      assert_non_null(strstr(error.text, "small"));
      error = (RvError){0};
      bytes[at] ^= (unsigned char)(1 << bit);
    }
  }
  for (size_t cut = 0; cut < count; cut += cut < 100 ? 1 : 37)
    if (rv_scene_checkpoint_decode(bytes, cut, "cut", &back, &error) != RV_BAD_FILE)
      fail_msg("cut at %zu went unnoticed", cut);
  rv_free(bytes);
  rv_free(manifest);
  rv_scene_free(scene);
}

//------------------------------------------------------------------------------------------------ from a state

static void from_a_state_file(void** state) {
  (void)state;
  RvError error = {0};
  Log log = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/state.bgeo.sc", rv_test_folder());
  RvScene* scene = open_shot();
  const RvDetail* detail;
  CHECK_OK(rv_scene_cook(scene, "wet:3", 9, &detail, &error), error);
  void* bytes;
  size_t count;
  CHECK_OK(rv_detail_encode(detail, "bgeo.sc", &bytes, &count, NULL, &error), error);
  CHECK_OK(rv_file_write(path, bytes, count, &error), error);
  rv_free(bytes);
  rv_scene_free(scene);
  // the same parameters go on to the same end
  scene = open_shot();
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &log, .frame_done = on_frame});
  RvRun job = {.node = "wet", .first = 1, .last = LAST, .from_state = path, .from_start = 9};
  CHECK_OK(rv_scene_run(scene, &job, &error), error);
  CHECK_NEAR(log.first, 9, 0);
  assert_int_equal(log.frames, LAST - 8);
  assert_true(rv_test_scene_hash(scene, "wet:3", LAST) == straight[LAST][0]);
  rv_scene_free(scene);
  // stopped on the way, it goes on when told again from what it began
  for (int i = 0; i < 2; ++i) {
    Log again = {0};
    scene = open_shot();
    rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &again, .frame_done = on_frame});
    RvRun part = job;
    part.checkpoint_dir = folder;
    part.resume = i > 0;
    if (!i) part.last = 15;
    CHECK_OK(rv_scene_run(scene, &part, &error), error);
    CHECK_NEAR(again.first, i ? 16 : 9, 0);
    if (i) assert_string_equal(again.last_hash, log.last_hash);
    part.from_state = NULL;
    part.resume = true;
    if (!i) CHECK_FAILS(rv_scene_run(scene, &part, &error), RV_BAD_INPUT, error, "stale");
    rv_scene_free(scene);
  }
  // others to another, from the same state
  scene = open_shot();
  CHECK_OK(rv_scene_set(scene, "wet.kick=0", &error), error);
  CHECK_OK(rv_scene_run(scene, &job, &error), error);
  assert_true(rv_test_scene_hash(scene, "wet:3", 9) == straight[9][0]);
  assert_true(rv_test_scene_hash(scene, "wet:3", LAST) != straight[LAST][0]);
  // two solvers and a state that names none
  job.node = "end";
  CHECK_FAILS(rv_scene_run(scene, &job, &error), RV_BAD_INPUT, error, "2 solvers");
  job.from_state = "/nonexistent/state.bgeo.sc";
  CHECK_FAILS(rv_scene_run(scene, &job, &error), RV_NOT_FOUND, error, "/nonexistent/state.bgeo.sc");
  rv_scene_free(scene);
}

// a checkpoint names its node, and need not be fresh
static void from_a_checkpoint(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  CHECK_OK(run(&log, 8, false, "wet.substeps=2", &error), error);
  char path[400];
  snprintf(path, sizeof path, "%s/wet.0008.rvck", folder);
  RvScene* scene = open_shot();
  RvRun job = {.first = 8, .last = 10, .from_state = path, .from_start = 8};
  CHECK_OK(rv_scene_run(scene, &job, &error), error);
  RvCheckpoint c;
  CHECK_OK(rv_scene_checkpoint_read(path, &c, &error), error);
  assert_true(rv_test_scene_hash(scene, "wet:3", 8) == c.state_hash);
  rv_scene_checkpoint_free(&c);
  rv_scene_free(scene);
}

#define IN_FOLDER(f) cmocka_unit_test_setup(f, new_folder)
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scrubbing),
      cmocka_unit_test(without_node_caches),
      cmocka_unit_test(any_number_of_threads),
      IN_FOLDER(every_frame_in_a_new_scene),
      IN_FOLDER(old_checkpoints_go),
      IN_FOLDER(changed_parameters_are_stale),
      IN_FOLDER(damaged_checkpoints_are_passed_over),
      IN_FOLDER(lost_progress_writes_again),
      cmocka_unit_test(any_changed_bit_is_noticed),
      IN_FOLDER(from_a_state_file),
      IN_FOLDER(from_a_checkpoint),
  };
  run_straight(NULL);
  return rv_test_run(tests, sizeof tests / sizeof *tests);
}
