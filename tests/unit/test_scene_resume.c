// Runs that start from a state, what becomes of the checkpoints of a former run, and what a checkpoint cannot hold.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "scene/checkpoint.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"

static char folder[300];

static int new_folder(void** state) {
  (void)state;
  static int number;
  snprintf(folder, sizeof folder, "%s/r%d", rv_test_folder(), number++);
  return 0;
}

static RvScene* open_scene(void) {
  static const char text[] =
      "{\"rivulet\": 1, \"frames\": [1, 30], \"nodes\": {"
      "\"p\": {\"type\": \"testpoints\", \"parms\": {\"count\": 5, \"ty\": {\"wave\": {\"amplitude\": 0.3}}}},"
      "\"f\": {\"type\": \"testfail\", \"inputs\": [\"p\"], \"parms\": {\"frame\": 1000}},"
      "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"f\"]}}}";
  RvError error = {0};
  RvScene* scene;
  rv_test_register();
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  return scene;
}

typedef struct Log {
  int frames;
  double first;
  RvStats stats;  // of the first frame
} Log;

static void on_frame(void* user, const RvFrameReport* report) {
  Log* log = user;
  if (log->frames++) return;
  log->first = report->frame;
  log->stats = report->stats;
}

static RvResult run(const RvRun* job, const char* change, Log* log, RvError* error) {
  Log own;
  if (!log) log = &own;
  *log = (Log){0};
  RvScene* scene = open_scene();
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = log, .frame_done = on_frame});
  if (change) CHECK_OK(rv_scene_set(scene, change, error), *error);
  RvResult result = rv_scene_run(scene, job, error);
  rv_scene_free(scene);
  return result;
}

static bool has(double frame) {
  char* path = rv_scene_checkpoint_path(folder, "wet", frame);
  bool there = access(path, F_OK) == 0;
  rv_free(path);
  return there;
}

static uint64_t state_hash(const char* path) {
  RvError error = {0};
  RvCheckpoint c;
  CHECK_OK(rv_scene_checkpoint_read(path, &c, &error), error);
  uint64_t hash = c.state_hash;
  rv_scene_checkpoint_free(&c);
  return hash;
}

// a new run that fails before it has made anything leaves the old states
static void old_states_stay_until_there_is_a_new_one(void** state) {
  (void)state;
  RvError error = {0};
  RvRun job = {.first = 1, .last = 10, .checkpoint_dir = folder};
  CHECK_OK(run(&job, NULL, NULL, &error), error);
  CHECK_FAILS(run(&job, "f.frame=1", NULL, &error), RV_BAD_INPUT, error, "told to fail");
  assert_true(has(1) && has(8) && has(9) && has(10));
  // with the first new one they go
  CHECK_FAILS(run(&job, "f.frame=2", NULL, &error), RV_BAD_INPUT, error, "told to fail");
  assert_true(has(1) && !has(8) && !has(9) && !has(10));
}

static void a_state_in_the_same_folder_is_kept(void** state) {
  (void)state;
  RvError error = {0};
  Log log;
  RvRun job = {.first = 1, .last = 10, .checkpoint_dir = folder};
  CHECK_OK(run(&job, NULL, NULL, &error), error);
  char* origin = rv_scene_checkpoint_path(folder, "wet", 9);
  uint64_t hash = state_hash(origin);
  // as frame 1, in fewer frames than its name has
  job.from_state = origin;
  job.from_start = 1;
  job.last = 6;
  CHECK_OK(run(&job, "wet.kick=3", &log, &error), error);
  assert_int_equal(log.frames, 6);
  assert_true(has(9) && !has(8) && !has(10) && has(6));
  assert_true(state_hash(origin) == hash);
  // so it can go on
  job.resume = true;
  job.last = 8;
  CHECK_OK(run(&job, "wet.kick=3", &log, &error), error);
  CHECK_NEAR(log.first, 7, 0);
  // and once more, where its name is that of the next frame
  CHECK_OK(run(&job, "wet.kick=3", &log, &error), error);
  assert_int_equal(log.frames, 0);
  // but not over it
  job.last = 12;
  for (int i = 0; i < 2; ++i) {
    job.resume = i;
    CHECK_FAILS(run(&job, "wet.kick=3", &log, &error), RV_BAD_INPUT, error, "from which it starts");
  }
  assert_true(state_hash(origin) == hash);
  // from its own frame on the state of that name is the same
  job.from_start = 9;
  job.last = 20;
  job.resume = false;
  CHECK_OK(run(&job, "wet.kick=4", &log, &error), error);
  assert_true(has(9) && !has(1));
  assert_true(state_hash(origin) == hash);
  job.resume = true;
  job.last = 21;
  CHECK_OK(run(&job, "wet.kick=4", &log, &error), error);
  assert_int_equal(log.frames, 1);
  rv_free(origin);
}

// what the state holds is told from the first frame on
static void a_start_from_a_checkpoint_has_its_counts(void** state) {
  (void)state;
  RvError error = {0};
  Log log, straight;
  RvRun job = {.first = 1, .last = 10, .checkpoint_dir = folder};
  CHECK_OK(run(&job, NULL, NULL, &error), error);
  CHECK_OK(run(&(RvRun){.first = 10, .last = 10}, NULL, &straight, &error), error);
  char* origin = rv_scene_checkpoint_path(folder, "wet", 10);
  CHECK_OK(run(&(RvRun){.first = 1, .last = 12, .from_state = origin, .from_start = 10}, NULL, &log, &error), error);
  CHECK_NEAR(log.first, 10, 0);
  assert_int_equal(log.stats.strands, 5);
  assert_int_equal(log.stats.particles, straight.stats.particles);
  CHECK_NEAR(log.stats.ledger.bulk, straight.stats.ledger.bulk, 0);
  CHECK_NEAR(log.stats.ledger.sources, straight.stats.ledger.sources, 0);
  // beyond the last frame there is nothing to do, which is no success
  CHECK_FAILS(run(&(RvRun){.first = 1, .last = 12, .from_state = origin, .from_start = 13}, NULL, &log, &error),
              RV_BAD_INPUT, error, "last frame to cook is 12");
  assert_int_equal(log.frames, 0);
  rv_free(origin);
}

// every 24th state stays, also where frames are rounded: 1/3 + 27 - 3 - 1/3 is not 24 in doubles
static void every_24th_from_a_fractional_start(void** state) {
  (void)state;
  RvError error = {0};
  RvRun job = {.first = 1, .last = 2, .checkpoint_dir = folder};
  CHECK_OK(run(&job, NULL, NULL, &error), error);
  char* origin = rv_scene_checkpoint_path(folder, "wet", 2);
  const double starts[] = {0.1, 1.0 / 3, 0.7, 5.9, 100.3};
  for (int i = 0; i < 5; ++i) {
    new_folder(NULL);
    RvRun from = {.checkpoint_dir = folder, .from_state = origin, .from_start = starts[i]};
    from.first = starts[i];
    from.last = starts[i] + 52;
    CHECK_OK(run(&from, NULL, NULL, &error), error);
    for (int step = 0; step <= 52; ++step)
      if (has(starts[i] + step) != (step % 24 == 0 || step >= 50))
        fail_msg("start %g: the state of step %d is%s there", starts[i], step, has(starts[i] + step) ? "" : " not");
  }
  rv_free(origin);
}

// without an error the grid would be dropped, and the checkpoint never agree with its hash
static void a_state_with_a_vdb_is_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "surface", RV_GRID_LEVEL_SET, 0.1, (float[]){0.3f}, &grid, &error), error);
  CHECK_OK(rv_detail_add_vdb(detail, grid, &error), error);
  RvCheckpoint c = {"wet", "testsolver", "", 3, 0, 0, {0}, {{detail}}};
  void* bytes;
  size_t count;
  CHECK_FAILS(rv_scene_checkpoint_encode(&c, &bytes, &count, &error), RV_UNSUPPORTED, error,
              "node 'wet', frame 3: input 1 brings the VDB 'surface'");
  assert_null(bytes);
  rv_grid_release(grid);
  rv_detail_free(detail);
}

// a quarter of what the kernel says the machine has, within 256 MiB and 4 GiB
static void the_cache_is_a_share_of_memory(void** state) {
  (void)state;
  FILE* file = fopen("/proc/meminfo", "r");
  double kib = 0;
  if (!file || fscanf(file, "MemTotal: %lf kB", &kib) != 1) skip();
  fclose(file);
  double expected = fmin(fmax(kib * 1024 / 4, 256.0 * (1 << 20)), 4096.0 * (1 << 20));
  RvScene* scene = rv_scene_new();
  // the two sources count the kernel's own pages differently
  CHECK_NEAR((double)scene->cache.limit, expected, 0.02 * expected);
  rv_scene_free(scene);
}

#define IN_FOLDER(f) cmocka_unit_test_setup(f, new_folder)
RV_TESTS(IN_FOLDER(old_states_stay_until_there_is_a_new_one), IN_FOLDER(a_state_in_the_same_folder_is_kept),
         IN_FOLDER(a_start_from_a_checkpoint_has_its_counts), IN_FOLDER(every_24th_from_a_fractional_start),
         cmocka_unit_test(a_state_with_a_vdb_is_refused), cmocka_unit_test(the_cache_is_a_share_of_memory))
