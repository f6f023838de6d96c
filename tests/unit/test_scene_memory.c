// Each allocation of the host fails once: a scene that reads files either says so or gives the same geometry and the
// same keys of its checkpoints.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rivulet/host.h"
#include "scene/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"

// Allocations until one fails; 0: none fails.
static long until_failure;

static void* alloc_or_fail(void* user, size_t bytes, size_t alignment) {
  (void)user;
  if (until_failure && --until_failure == 0) return NULL;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void* user, void* memory) {
  (void)user;
  free(memory);
}

// Frames 8 and 13 have a file, the others hold the one before.
static void write_files(void) {
  RvError error = {0};
  for (int frame = 8; frame <= 13; frame += 5) {
    char name[40];
    snprintf(name, sizeof name, "skin.%04d.bgeo", frame);
    RvDetail* detail = rv_detail_new();
    CHECK_OK(rv_detail_add_points(detail, 5, NULL, &error), error);
    rv_detail_f32_write(detail, RV_POINT, "P", 3, &error)[0] = (float)frame;
    CHECK_OK(rv_detail_save(detail, rv_test_path(name), NULL, &error), error);
    rv_detail_free(detail);
  }
}

static RvScene* open_scene(void) {
  RvScene* scene = rv_test_parse(
      "{\"rivulet\": 1, \"frames\": [11, 14], \"nodes\": {"
      "\"skin\": {\"type\": \"file\", \"parms\": {\"file\": \"$OUT/skin.$F4.bgeo\", \"missingframe\": \"hold\"}},"
      "\"first\": {\"type\": \"file\", \"parms\": {\"file\": \"$OUT/skin.0008.bgeo\"}},"
      "\"disk\": {\"type\": \"filecache\", \"inputs\": [\"first\"], \"parms\": {\"file\": \"$OUT/skin.0013.bgeo\","
      "  \"loadfromdisk\": true}},"
      "\"motion\": {\"type\": \"testmotion\", \"inputs\": [\"skin\"]},"
      "\"all\": {\"type\": \"testcopy\", \"inputs\": [\"motion\", \"first\", \"disk\"]},"
      "\"wet\": {\"type\": \"testsolver\", \"inputs\": [\"all\"], \"parms\": {\"startframe\": 12}}}}");
  assert_true(rv_scene_set_out(scene, rv_test_folder(), NULL) == RV_OK);
  return scene;
}

// What a scene gives: the hash of a frame, and the text of which the key of its checkpoint is made.
typedef struct Given {
  uint64_t hash;
  char* key;
} Given;

static RvResult evaluate(RvScene* scene, Given* given, RvError* error) {
  const RvDetail* out;
  char* base = NULL;
  RvSceneNode* wet = rv_scene_graph_find(scene, "wet");
  *given = (Given){0};
  RvResult result = rv_scene_cook(scene, "wet", 14, &out, error);
  if (!result) given->hash = rv_detail_hash(out);
  if (!result && !given->hash) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the hash");
  if (!result) result = rv_scene_manifest_write(scene, &wet, 1, &base, error);
  if (!result) result = rv_scene_manifest_frames(scene, base, &wet, 1, 11, 14, &given->key, error);
  rv_free(base);
  return result;
}

static void a_failed_allocation_is_never_another_result(void** state) {
  (void)state;
  RvError error = {0};
  RvHostServices services = rv_host_services_default();
  services.alloc = alloc_or_fail;
  services.free_memory = give_back;
  CHECK_OK(rv_host_services_set(&services, &error), error);
  write_files();
  Given clean, now;
  RvScene* scene = open_scene();
  CHECK_OK(evaluate(scene, &clean, &error), error);
  rv_scene_free(scene);
  // The n-th allocation fails, until a run has fewer.
  int failed = 0, passed = 0;
  for (long n = 1, left = 0; !left; ++n) {
    scene = open_scene();
    until_failure = n;
    RvResult result = evaluate(scene, &now, &error);
    left = until_failure;
    until_failure = 0;
    if (result) {
      CHECK_FAILS(result, RV_NO_MEMORY, error, "memory");
    } else if (now.hash != clean.hash || strcmp(now.key, clean.key) != 0) {
      fail_msg("allocation %ld: hash %llx and key\n%s\ninstead of %llx and\n%s", n, (unsigned long long)now.hash,
               now.key, (unsigned long long)clean.hash, clean.key);
    }
    failed += result != RV_OK;
    passed += result == RV_OK;
    rv_free(now.key);
    rv_scene_free(scene);
  }
  print_message("%d allocations: %d errors, %d without effect\n", failed + passed - 1, failed, passed - 1);
  assert_true(failed > 100);
  rv_free(clean.key);
}

RV_TESTS(cmocka_unit_test(a_failed_allocation_is_never_another_result))
