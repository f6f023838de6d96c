// The files that nodes read. A file is identified by its size and time (its stamp); a watch detects files that change
// during a run; prefix sums of hashes identify the files of any range of frames of a sequence.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/platform.h"
#include "node/load.h"
#include "scene/host.h"

enum {
  FIRST_WATCH_SLOTS = 64,  // of the table of watched files; a power of two
  MAX_SUMMED_RUNS = 4,     // times RV_SCENE_MAX_FRAMES: the longest range of frames that is summed
};

bool rv_scene_files_read(const RvSceneNode* node) {
  return node->reads_files || node->loads_from_disk;
}

bool rv_scene_files_sequence(const RvSceneNode* node) {
  return rv_scene_files_read(node) && rv_parms_animated(node->parms);
}

//------------------------------------------------------------------------------------------------ watching

// The slot of a path's hash, or the empty slot where it belongs (linear probing).
static RvWatchSlot* find_slot(RvWatch* watch, uint64_t path) {
  size_t at = path & (watch->capacity - 1);
  while (watch->slots[at].path && watch->slots[at].path != path) at = (at + 1) & (watch->capacity - 1);
  return &watch->slots[at];
}

// Keeps the table at most half full. False: out of memory.
static bool grow(RvWatch* watch) {
  if (2 * watch->count < watch->capacity) return true;
  RvWatch larger = {.capacity = watch->capacity ? 2 * watch->capacity : FIRST_WATCH_SLOTS};
  larger.slots = rv_alloc_zero(larger.capacity, sizeof *larger.slots);
  if (!larger.slots) return false;
  for (size_t i = 0; i < watch->capacity; ++i)
    if (watch->slots[i].path) *find_slot(&larger, watch->slots[i].path) = watch->slots[i];
  rv_free(watch->slots);
  watch->slots = larger.slots;
  watch->capacity = larger.capacity;
  return true;
}

// Notes a file to be examined again at the end of the frame, once per frame. False: out of memory.
static bool remember(RvWatch* watch, RvWatchSlot* slot, const RvSceneNode* node, const char* path) {
  if (slot->round == watch->round) return true;
  RvWatched watched = {node, rv_strdup(path)};
  if (!watched.path || !rv_array_push(&watch->recent, watched)) {
    rv_free(watched.path);
    return false;
  }
  slot->round = watch->round;
  return true;
}

// Records the first stamp of a file in a run and compares every later one with it. Returns the first stamp.
static uint64_t compare_with_first(RvWatch* watch, const RvSceneNode* node, const char* path, uint64_t stamp) {
  uint64_t hash = rv_hash(path, strlen(path), RV_SCENE_SEED_PATH) | 1;
  if (!grow(watch)) {
    watch->failed = true;
    return stamp;
  }
  // First time: record the stamp.
  RvWatchSlot* slot = find_slot(watch, hash);
  if (!slot->path) {
    *slot = (RvWatchSlot){.path = hash, .stamp = stamp};
    ++watch->count;
  }
  if (!remember(watch, slot, node, path)) watch->failed = true;
  // Later: remember the first file that changed.
  if (slot->stamp != stamp && !watch->changed.path) {
    watch->changed = (RvWatched){node, rv_strdup(path)};
    watch->failed = watch->failed || !watch->changed.path;
  }
  return slot->stamp;
}

// Stamp of a file: a hash of its size and time, never 0; 0 if the file does not exist.
static uint64_t file_stamp(RvScene* scene, const RvSceneNode* node, const char* path) {
  // The lowest bit is set, so that an existing file never has the stamp 0.
  RvFileInfo info;
  uint64_t stamp = 0;
  if (rv_platform_info(path, &info)) {
    int64_t facts[3] = {(int64_t)info.bytes, info.seconds, info.nanoseconds};
    stamp = rv_hash(facts, sizeof facts, 0) | 1;
  }
  return scene->watch.active ? compare_with_first(&scene->watch, node, path, stamp) : stamp;
}

// Begins the next frame of the watch.
static void clear_recent(RvWatch* watch) {
  for (size_t i = 0; i < watch->recent.count; ++i) rv_free(watch->recent.data[i].path);
  watch->recent.count = 0;
  ++watch->round;
}

void rv_scene_files_watch(RvScene* scene, bool active) {
  RvWatch* watch = &scene->watch;
  clear_recent(watch);
  rv_array_free(&watch->recent);
  rv_free(watch->slots);
  rv_free(watch->changed.path);
  *watch = (RvWatch){.active = active, .round = 1};
}

RvResult rv_scene_files_check(const RvScene* scene, RvError* error) {
  const RvWatch* watch = &scene->watch;
  if (watch->changed.path)
    return rv_fail(error, RV_BAD_INPUT,
                   "node '%s': the file '%s' changed during the run, so that earlier frames do not fit later ones; "
                   "run again without resuming, and do not change the file while the run lasts",
                   watch->changed.node->name, watch->changed.path);
  return watch->failed ? rv_fail(error, RV_NO_MEMORY, "out of memory") : RV_OK;
}

RvResult rv_scene_files_settle(RvScene* scene, RvError* error) {
  RvWatch* watch = &scene->watch;
  size_t count = watch->recent.count;
  for (size_t i = 0; i < count; ++i) file_stamp(scene, watch->recent.data[i].node, watch->recent.data[i].path);
  clear_recent(watch);
  return rv_scene_files_check(scene, error);
}

//------------------------------------------------------------------------------------------------ one frame

// A file parameter of a node.
typedef struct PathOf {
  RvScene* scene;
  RvSceneNode* node;
  size_t offset;  // of the parameter in the node's struct
} PathOf;

// RvPathFn: the path at a frame, expanded. *path is NULL if it cannot be evaluated.
static RvResult path_at(void* user, double frame, char** path, RvError* error) {
  const PathOf* of = user;
  void* parms;
  *path = NULL;
  RvResult result = rv_scene_order_values(of->scene, of->node, frame, &parms, error);
  if (!parms) return result;
  *path = rv_strdup(*(const char* const*)((const char*)parms + of->offset));
  rv_free(parms);
  return *path ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Sets *yes if the node shows the last existing file at a frame that has none (Missing Frame: Hold).
static RvResult holds_missing_frames(RvScene* scene, RvSceneNode* node, double frame, bool* yes, RvError* error) {
  *yes = false;
  const RvParmDef* def = rv_parm_find(node->type->parms, "missingframe");
  if (!def || def->type != RV_PARM_MENU) return RV_OK;
  void* parms;
  RvResult result = rv_scene_order_values(scene, node, frame, &parms, error);
  *yes = parms && *(const int*)((const char*)parms + def->offset) == RV_MISSING_HOLD;
  rv_free(parms);
  return result;
}

// Stamp of the file of one parameter, or of the earlier one that is shown instead; 0 if there is neither.
static RvResult stamp_parameter(PathOf* of, double frame, uint64_t* stamp, RvError* error) {
  *stamp = 0;
  char *path, *earlier = NULL;
  RvResult result = path_at(of, frame, &path, error);
  if (path && *path) *stamp = file_stamp(of->scene, of->node, path);
  bool holds = false;
  if (path && *path && !*stamp) result = holds_missing_frames(of->scene, of->node, frame, &holds, error);
  if (holds) result = rv_load_earlier(path_at, of, path, frame, &earlier, error);
  if (earlier) *stamp = file_stamp(of->scene, of->node, earlier);
  rv_free(earlier);
  rv_free(path);
  return result;
}

RvResult rv_scene_files_stamp(RvScene* scene, RvSceneNode* node, double frame, uint64_t* sum, RvError* error) {
  *sum = 0;
  if (!rv_scene_files_read(node)) return RV_OK;
  const RvParmTable* table = node->type->parms;
  RvResult result = RV_OK;
  for (size_t i = 0; i < table->count && !result; ++i) {
    if (table->rows[i].type != RV_PARM_FILE) continue;
    uint64_t stamp;
    result = stamp_parameter(&(PathOf){scene, node, table->rows[i].offset}, frame, &stamp, error);
    if (stamp) *sum = rv_hash(&stamp, sizeof stamp, *sum + i + 1);
  }
  return result;
}

//------------------------------------------------------------------------------------------------ many frames

// Hash of the node's files at one frame.
static RvResult frame_hash(RvScene* scene, RvSceneNode* node, double frame, uint64_t* hash, RvError* error) {
  struct {
    double frame;
    uint64_t stamp;
  } facts;
  facts.frame = frame;
  RvResult result = rv_scene_files_stamp(scene, node, frame, &facts.stamp, error);
  *hash = rv_hash(&facts, sizeof facts, RV_SCENE_SEED_FRAME_FILE);
  return result;
}

// The prefix sums make any range a difference of two of them, so that each frame's files are examined once.
RvResult rv_scene_files_sum(RvScene* scene, RvSceneNode* node, double first, double last, uint64_t* sum,
                            RvError* error) {
  *sum = 0;
  RvFrameSums* sums = &node->sums;
  if (!(last >= first) || last - first > (double)MAX_SUMMED_RUNS * RV_SCENE_MAX_FRAMES) return RV_OK;
  // Start over if the range begins outside the sums.
  if (!sums->prefix_sums.count || first < sums->first || first > sums->first + (double)sums->prefix_sums.count) {
    sums->prefix_sums.count = 0;
    sums->first = first;
  }
  // Extend the sums to the end of the range.
  while (sums->first + (double)sums->prefix_sums.count <= last) {
    double frame = sums->first + (double)sums->prefix_sums.count;
    uint64_t before = sums->prefix_sums.count ? sums->prefix_sums.data[sums->prefix_sums.count - 1] : 0;
    uint64_t hash;
    RvResult result = frame_hash(scene, node, frame, &hash, error);
    if (result) return result;
    if (!rv_array_push(&sums->prefix_sums, before + hash)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  size_t from = (size_t)(first - sums->first), to = (size_t)(last - sums->first);
  *sum = sums->prefix_sums.data[to] - (from ? sums->prefix_sums.data[from - 1] : 0);
  return RV_OK;
}

void rv_scene_files_range(const RvSceneNode* node, double* first, double* last) {
  *first = floor(fmin(*first, node->earliest_start)) - node->samples_frames;
  *last = ceil(fmax(*last, node->latest_start)) + node->samples_frames;
}

RvResult rv_scene_files_above(RvScene* scene, RvSceneNode* node, double first, double last, uint64_t* hash,
                              RvError* error) {
  *hash = 0;
  if (!node->depends_on_sequence) return RV_OK;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_live(scene, &node, 1, &order, &count, error);
  if (result) return result;
  // Hash the name and the sum of each sequence, in topological order.
  RvHasher hasher = rv_hasher_new(RV_SCENE_SEED_SEQUENCES);
  for (size_t i = 0; i < count && !result; ++i) {
    if (!rv_scene_files_sequence(order[i])) continue;
    uint64_t sum;
    result = rv_scene_files_sum(scene, order[i], first, last, &sum, error);
    rv_hasher_add_string(&hasher, order[i]->name);
    rv_hasher_add_u64(&hasher, sum);
  }
  rv_free(order);
  *hash = rv_hasher_done(&hasher);
  return result;
}
