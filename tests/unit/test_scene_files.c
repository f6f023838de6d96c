// Files that change: while a run goes, between two runs, beside the frame that is cooked; and what a node's code is.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/checkpoint.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static char folder[300];

static int new_folder(void** state) {
  (void)state;
  static int number;
  snprintf(folder, sizeof folder, "%s/f%d", rv_test_folder(), number++);
  return 0;
}

// `count` points at `x`; the time of the file is a new one each time, however coarse the clock of the disk
static void write_points(const char* name, size_t count, float x) {
  RvError error = {0};
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_points(detail, count, NULL, &error), error);
  float* P = rv_detail_f32_write(detail, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < count; ++i) P[3 * i] = x;
  CHECK_OK(rv_detail_save(detail, path, NULL, &error), error);
  rv_detail_free(detail);
  static int second = 1000000000;
  ++second;
  struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_sequence(int last) {
  for (int frame = 1; frame <= last; ++frame) {
    char name[40];
    snprintf(name, sizeof name, "skin.%04d.bgeo", frame);
    write_points(name, 5, (float)frame);
  }
}

// a solver on `file`, which the reader of the files `motion` may see too
static RvScene* open_scene(const char* file) {
  RvError error = {0};
  RvScene* scene;
  char text[1000];
  snprintf(text, sizeof text,
           "{\"rivulet\": 1, \"frames\": [1, 8], \"nodes\": {"
           "\"skin\": {\"type\": \"file\", \"parms\": {\"file\": \"$OUT/%s\"}},"
           "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"skin\"]},"
           "\"motion\": {\"type\": \"testmotion\", \"inputs\": [\"skin\"]},"
           "\"moved\": {\"type\": \"testsolver\", \"inputs\": [\"motion\"]},"
           "\"copy\": {\"type\": \"testcopy\", \"inputs\": [\"skin\"]}}}",
           file);
  rv_test_register();
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  rv_scene_set_out(scene, folder, NULL);
  return scene;
}

//------------------------------------------------------------------------------------------------ during a run

typedef struct Saboteur {
  double frame;
  const char* stage;  // NULL: when the frame is done
  const char* name;
  int frames;
} Saboteur;

static void on_frame(void* user, const RvFrameReport* report) {
  Saboteur* s = user;
  s->frames++;
  if (!s->stage && report->frame == s->frame) write_points(s->name, 5, 1);
}

static bool on_step(void* user, const char* node, double frame, double fraction, const char* stage) {
  Saboteur* s = user;
  (void)node;
  (void)fraction;
  if (s->stage && frame == s->frame && stage && strcmp(stage, s->stage) == 0) write_points(s->name, 5, 1);
  return false;
}

static RvResult run_with(Saboteur* s, const char* file, const char* node, double last, RvError* error) {
  RvScene* scene = open_scene(file);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = s, .cancelled = on_step, .frame_done = on_frame});
  RvResult result = rv_scene_run(scene, &(RvRun){.node = node, .first = 1, .last = last}, error);
  rv_scene_free(scene);
  return result;
}

static void a_file_may_not_change_during_a_run(void** state) {
  (void)state;
  RvError error = {0};
  write_points("skin.bgeo", 5, 0);
  Saboteur s = {.frame = 3, .name = "skin.bgeo"};
  assert_int_equal(run_with(&s, "skin.bgeo", "wet", 6, &error), RV_BAD_INPUT);
  assert_non_null(strstr(error.text, "node 'skin': the file '"));
  assert_non_null(strstr(error.text, "skin.bgeo' changed during the run"));
  assert_int_equal(s.frames, 3);
  // in the last frame, after it was looked at: nobody would look again
  write_points("skin.bgeo", 5, 0);
  s = (Saboteur){.frame = 6, .stage = "step", .name = "skin.bgeo"};
  CHECK_FAILS(run_with(&s, "skin.bgeo", "wet", 6, &error), RV_BAD_INPUT, error, "changed during the run");
  assert_int_equal(s.frames, 5);
  s = (Saboteur){.frame = 1, .stage = "cook", .name = "skin.bgeo"};
  CHECK_FAILS(run_with(&s, "skin.bgeo", "copy", 1, &error), RV_BAD_INPUT, error, "changed during the run");
  assert_int_equal(s.frames, 0);
  // before the first look there is nothing that it could be mixed with
  write_sequence(8);
  s = (Saboteur){.frame = 3, .name = "skin.0004.bgeo"};
  CHECK_OK(run_with(&s, "skin.$F4.bgeo", "wet", 6, &error), error);
  // and after the last one the results belong to the old file
  s = (Saboteur){.frame = 5, .name = "skin.0002.bgeo"};
  CHECK_OK(run_with(&s, "skin.$F4.bgeo", "wet", 6, &error), error);
  assert_int_equal(s.frames, 6);
  // a file that no target reads is not looked at
  write_points("skin.bgeo", 5, 0);
  RvScene* scene = open_scene("skin.bgeo");
  CHECK_OK(rv_scene_add(scene, "lone", "testpoints", &error), error);
  s = (Saboteur){.frame = 2, .name = "skin.bgeo"};
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &s, .frame_done = on_frame});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "lone", .first = 1, .last = 4}, &error), error);
  // once the run is over, changes are welcome again
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "copy", .first = 1, .last = 2}, &error), error);
  rv_scene_free(scene);
}

//------------------------------------------------------------------------------------------------ between runs

static RvResult run(const char* node, double last, bool resume, RvError* error) {
  RvScene* scene = open_scene("skin.$F4.bgeo");
  RvRun job = {.node = node, .first = 1, .last = last, .checkpoint_dir = folder, .resume = resume};
  RvResult result = rv_scene_run(scene, &job, error);
  rv_scene_free(scene);
  return result;
}

static void lose_note(void) {
  char path[400];
  snprintf(path, sizeof path, "%s/progress.rvck", folder);
  assert_int_equal(unlink(path), 0);
}

static void a_changed_sequence_is_stale(void** state) {
  (void)state;
  RvError error = {0};
  write_sequence(8);
  CHECK_OK(run("wet", 4, false, &error), error);
  // frames to come may still change
  write_points("skin.0005.bgeo", 5, 0.5f + 5);
  CHECK_OK(run("wet", 5, true, &error), error);
  // one that was stepped through long ago may not, and the note of progress says so
  write_points("skin.0002.bgeo", 5, 0.5f + 2);
  CHECK_FAILS(run("wet", 6, true, &error), RV_BAD_INPUT, error,
              "node 'skin': files of the sequence '$OUT/skin.$F4.bgeo' have changed");
  // nor does a state go on without the note: then all is written again, from the initial state that is kept
  lose_note();
  write_points("skin.0001.bgeo", 5, 1.5f);
  assert_int_equal(run("wet", 6, true, &error), RV_BAD_INPUT);
  assert_non_null(strstr(error.text, "wet.0001.rvck' is stale"));
  assert_non_null(strstr(error.text, "'$OUT/skin.$F4.bgeo' have changed"));
  CHECK_OK(run("wet", 6, false, &error), error);
  CHECK_OK(run("wet", 7, true, &error), error);
}

static void a_changed_sequence_without_a_solver(void** state) {
  (void)state;
  RvError error = {0};
  write_sequence(8);
  CHECK_OK(run("copy", 4, false, &error), error);
  write_points("skin.0005.bgeo", 5, 0.5f + 5);
  CHECK_OK(run("copy", 5, true, &error), error);
  write_points("skin.0003.bgeo", 5, 0.5f + 3);
  CHECK_FAILS(run("copy", 6, true, &error), RV_BAD_INPUT, error, "'$OUT/skin.$F4.bgeo' have changed");
}

// a node that looks a frame ahead makes its frame depend on the next one's file
static void a_sample_ahead_is_part_of_the_state(void** state) {
  (void)state;
  RvError error = {0};
  write_sequence(8);
  CHECK_OK(run("moved", 4, false, &error), error);
  write_points("skin.0006.bgeo", 5, 0.5f + 6);
  CHECK_OK(run("moved", 4, true, &error), error);
  write_points("skin.0005.bgeo", 5, 0.5f + 5);
  CHECK_FAILS(run("moved", 5, true, &error), RV_BAD_INPUT, error, "'$OUT/skin.$F4.bgeo' have changed");
}

static void states_in_memory_follow_the_sequence(void** state) {
  (void)state;
  write_sequence(8);
  RvScene* scene = open_scene("skin.$F4.bgeo");
  RvSceneNode* wet = rv_scene_graph_find(scene, "wet");
  uint64_t before = rv_test_scene_hash(scene, "wet:3", 6);
  assert_int_equal(wet->nstep, 5);
  assert_true(rv_test_scene_hash(scene, "wet:3", 6) == before);
  assert_int_equal(wet->nstep, 5);
  // from frame 4 on all is new, what came before is not computed again
  write_points("skin.0004.bgeo", 5, 9);
  uint64_t after = rv_test_scene_hash(scene, "wet:3", 6);
  assert_true(after != before);
  assert_int_equal(wet->nstep, 8);
  rv_scene_free(scene);
  scene = open_scene("skin.$F4.bgeo");
  assert_true(rv_test_scene_hash(scene, "wet:3", 6) == after);
  rv_scene_free(scene);
}

//------------------------------------------------------------------------------------------------ other frames

static const char moving[] =
    "{\"rivulet\": 1, \"frames\": [1, 8], \"nodes\": {"
    "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 3, \"ty\": {\"keys\": [[1, 0], [9, 8]]}}},"
    "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"p\"], \"parms\": {\"birthrate\": 0}},"
    "\"still\": {\"type\": \"testpoints\"}, \"rest\": {\"type\": \"testmotion\", \"inputs\": [\"still\"]},"
    "\"motion\": {\"type\": \"testmotion\", \"inputs\": [\"wet\"]}}}";

static float root_motion(RvScene* scene, double frame) {
  RvError error = {0};
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "motion", frame, &out, &error), error);
  return rv_detail_f32(out, RV_POINT, "P", 3)[1];
}

// A solver shows one state between frames, so at 1 and at 1.5 the input is the same, but not the same beside it: frame
// 1 looks at 0.5 and 1.5, which both show the initial state, 1.5 at 1 and 2, and roots go 1 a frame.
static void samples_of_other_frames_have_their_own_key(void** state) {
  (void)state;
  const double early[] = {1, 1.5};
  for (int turn = 0; turn < 2; ++turn) {
    RvScene* scene;
    RvError error = {0};
    rv_test_register();
    CHECK_OK(rv_scene_parse(moving, strlen(moving), "test", &scene, &error), error);
    for (int i = 0; i < 2; ++i) CHECK_NEAR(root_motion(scene, early[(i + turn) % 2]), (i + turn) % 2, 1e-6);
    // what does not move is cooked once
    const RvDetail* out;
    for (int i = 1; i < 5; ++i) CHECK_OK(rv_scene_cook(scene, "rest", i, &out, &error), error);
    assert_int_equal(rv_scene_graph_find(scene, "rest")->ncook, 1);
    rv_scene_free(scene);
  }
}

static void a_neighbour_that_changes_is_seen(void** state) {
  (void)state;
  write_sequence(8);
  RvScene* scene = open_scene("skin.$F4.bgeo");
  uint64_t before = rv_test_scene_hash(scene, "motion", 3);
  // 3.5 reads the file of frame 4
  write_points("skin.0004.bgeo", 5, 40);
  assert_true(rv_test_scene_hash(scene, "motion", 3) != before);
  assert_int_equal(rv_scene_graph_find(scene, "motion")->ncook, 2);
  rv_scene_free(scene);
}

static size_t points(RvScene* scene, double frame) {
  RvError error = {0};
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "skin", frame, &out, &error), error);
  return rv_detail_count(out, RV_POINT);
}

static void a_held_file_that_changes_is_seen(void** state) {
  (void)state;
  RvError error = {0};
  write_points("skin.0001.bgeo", 5, 1);
  RvScene* scene = open_scene("skin.$F4.bgeo");
  CHECK_OK(rv_scene_set(scene, "skin.missingframe=hold", &error), error);
  assert_int_equal(points(scene, 4), 5);
  write_points("skin.0001.bgeo", 6, 1);
  assert_int_equal(points(scene, 4), 6);
  write_points("skin.0003.bgeo", 7, 1);
  assert_int_equal(points(scene, 4), 7);
  assert_int_equal(points(scene, 2), 6);
  // Between two frames the earlier one is held, not the one before it.
  assert_int_equal(points(scene, 3.5), 7);
  assert_int_equal(points(scene, 1.5), 6);
  rv_scene_free(scene);
}

//------------------------------------------------------------------------------------------------ code

// a type whose code gives other bits says so by its revision
static void a_revision_is_part_of_the_key(void** state) {
  (void)state;
  RvError error = {0};
  static RvNodeType type;
  type = rv_node_testcopy;
  type.type = "testrevised";
  rv_test_register();
  CHECK_OK(rv_node_register(&type, &error), error);
  const char text[] =
      "{\"rivulet\": 1, \"nodes\": {\"p\": {\"type\": \"testpoints\"},"
      "\"c\": {\"type\": \"testrevised\", \"inputs\": [\"p\"]}}}";
  RvScene* scene;
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  RvRun job = {.first = 1, .last = 2, .checkpoint_dir = folder};
  CHECK_OK(rv_scene_run(scene, &job, &error), error);
  job.resume = true;
  CHECK_OK(rv_scene_run(scene, &job, &error), error);
  uint64_t before = rv_scene_graph_find(scene, "c")->ncook;
  type.revision = 1;
  CHECK_FAILS(rv_scene_run(scene, &job, &error), RV_BAD_INPUT, error, "node 'c', revision was 0 and is 1");
  rv_scene_touch(scene, "c");
  const RvDetail* out;
  CHECK_OK(rv_scene_cook(scene, "c", 1, &out, &error), error);
  assert_int_equal(rv_scene_graph_find(scene, "c")->ncook, before + 1);
  rv_scene_free(scene);
}

#define IN_FOLDER(f) cmocka_unit_test_setup(f, new_folder)
RV_TESTS(IN_FOLDER(a_file_may_not_change_during_a_run), IN_FOLDER(a_changed_sequence_is_stale),
         IN_FOLDER(a_changed_sequence_without_a_solver), IN_FOLDER(a_sample_ahead_is_part_of_the_state),
         IN_FOLDER(states_in_memory_follow_the_sequence), IN_FOLDER(samples_of_other_frames_have_their_own_key),
         IN_FOLDER(a_neighbour_that_changes_is_seen), IN_FOLDER(a_held_file_that_changes_is_seen),
         IN_FOLDER(a_revision_is_part_of_the_key))
