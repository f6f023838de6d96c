// The files that nodes read: known by size and time, watched during a run, and summed up over the frames of a sequence.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "node/load.h"
#include "scene/host.h"

bool rv_scene_files_read(const RvSceneNode* node) {
  return node->reads_files || node->cut;
}

bool rv_scene_files_sequence(const RvSceneNode* node) {
  return rv_scene_files_read(node) && rv_parms_animated(node->parms);
}

//------------------------------------------------------------------------------------------------ watching

static RvWatchSlot* find_slot(RvWatch* watch, uint64_t path) {
  size_t at = path & (watch->capacity - 1);
  while (watch->slots[at].path && watch->slots[at].path != path) at = (at + 1) & (watch->capacity - 1);
  return &watch->slots[at];
}

static bool grow(RvWatch* watch) {
  if (2 * watch->count < watch->capacity) return true;
  RvWatch larger = {.capacity = watch->capacity ? 2 * watch->capacity : 64};
  larger.slots = rv_alloc_zero(larger.capacity, sizeof *larger.slots);
  if (!larger.slots) return false;
  for (size_t i = 0; i < watch->capacity; ++i)
    if (watch->slots[i].path) *find_slot(&larger, watch->slots[i].path) = watch->slots[i];
  rv_free(watch->slots);
  watch->slots = larger.slots;
  watch->capacity = larger.capacity;
  return true;
}

// the same file twice in a frame is looked at once more at its end
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

// the first look holds for the whole run, and every other must agree with it
static uint64_t compare(RvWatch* watch, const RvSceneNode* node, const char* path, uint64_t stamp) {
  uint64_t hash = rv_hash(path, strlen(path), 7) | 1;
  if (!grow(watch)) {
    watch->failed = true;
    return stamp;
  }
  RvWatchSlot* slot = find_slot(watch, hash);
  if (!slot->path) {
    *slot = (RvWatchSlot){.path = hash, .stamp = stamp};
    ++watch->count;
  }
  if (!remember(watch, slot, node, path)) watch->failed = true;
  if (slot->stamp != stamp && !watch->changed.path) {
    watch->changed = (RvWatched){node, rv_strdup(path)};
    watch->failed = watch->failed || !watch->changed.path;
  }
  return slot->stamp;
}

// size and time as one number; 0: it is not there
static uint64_t look(RvScene* scene, const RvSceneNode* node, const char* path) {
  struct stat info;
  uint64_t stamp = 0;
  if (stat(path, &info) == 0) {
    int64_t facts[3] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    stamp = rv_hash(facts, sizeof facts, 0) | 1;
  }
  return scene->watch.active ? compare(&scene->watch, node, path, stamp) : stamp;
}

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
                   "run again without resuming, and do not write it meanwhile",
                   watch->changed.node->name, watch->changed.path);
  return watch->failed ? rv_fail(error, RV_NO_MEMORY, "out of memory") : RV_OK;
}

RvResult rv_scene_files_settle(RvScene* scene, RvError* error) {
  RvWatch* watch = &scene->watch;
  size_t count = watch->recent.count;
  for (size_t i = 0; i < count; ++i) look(scene, watch->recent.data[i].node, watch->recent.data[i].path);
  clear_recent(watch);
  return rv_scene_files_check(scene, error);
}

//------------------------------------------------------------------------------------------------ one frame

typedef struct PathOf {
  RvScene* scene;
  RvSceneNode* node;
  size_t offset;
} PathOf;

static char* path_at(void* user, double frame) {
  const PathOf* of = user;
  char* parms = rv_scene_order_values(of->scene, of->node, frame);
  char* path = parms ? rv_strdup(*(const char**)(parms + of->offset)) : NULL;
  rv_free(parms);
  return path;
}

// a frame without a file may show the one before it
static bool holds(RvScene* scene, RvSceneNode* node, double frame) {
  const RvParmDef* def = rv_parm_find(node->type->parms, "missingframe");
  char* parms = def && def->type == RV_PARM_MENU ? rv_scene_order_values(scene, node, frame) : NULL;
  bool yes = parms && *(const int*)(parms + def->offset) == RV_MISSING_HOLD;
  rv_free(parms);
  return yes;
}

uint64_t rv_scene_files_stamp(RvScene* scene, RvSceneNode* node, double frame) {
  if (!rv_scene_files_read(node)) return 0;
  uint64_t sum = 0;
  const RvParmTable* table = node->type->parms;
  for (size_t i = 0; i < table->count; ++i) {
    if (table->rows[i].type != RV_PARM_FILE) continue;
    PathOf of = {scene, node, table->rows[i].offset};
    char* path = path_at(&of, frame);
    bool named = path && *path;
    uint64_t stamp = named ? look(scene, node, path) : 0;
    char* held = named && !stamp && holds(scene, node, frame) ? rv_load_earlier(path_at, &of, path, frame) : NULL;
    if (held) stamp = look(scene, node, held);
    if (stamp) sum = rv_hash(&stamp, sizeof stamp, sum + i + 1);
    rv_free(held);
    rv_free(path);
  }
  return sum;
}

//------------------------------------------------------------------------------------------------ many frames

static uint64_t term(RvScene* scene, RvSceneNode* node, double frame) {
  struct {
    double frame;
    uint64_t stamp;
  } facts = {frame, rv_scene_files_stamp(scene, node, frame)};
  return rv_hash(&facts, sizeof facts, 6);
}

// A sum of hashes, so that any part of the frames is a difference of two, and each frame is looked at once.
uint64_t rv_scene_files_sum(RvScene* scene, RvSceneNode* node, double first, double last) {
  RvFrameSums* sums = &node->sums;
  if (!(last >= first) || last - first > 4.0 * RV_SCENE_MAX_FRAMES) return 0;
  if (!sums->to.count || first < sums->first || first > sums->first + (double)sums->to.count) {
    sums->to.count = 0;
    sums->first = first;
  }
  while (sums->first + (double)sums->to.count <= last) {
    double frame = sums->first + (double)sums->to.count;
    uint64_t next = (sums->to.count ? sums->to.data[sums->to.count - 1] : 0) + term(scene, node, frame);
    if (rv_array_push(&sums->to, next)) continue;
    // without memory to remember them, all are looked at again
    uint64_t sum = 0;
    for (double f = first; f <= last; ++f) sum += term(scene, node, f);
    return sum;
  }
  size_t from = (size_t)(first - sums->first), to = (size_t)(last - sums->first);
  return sums->to.data[to] - (from ? sums->to.data[from - 1] : 0);
}

void rv_scene_files_range(const RvSceneNode* node, double* first, double* last) {
  *first = floor(fmin(*first, node->earliest)) - node->samples;
  *last = ceil(fmax(*last, node->latest_start)) + node->samples;
}

uint64_t rv_scene_files_above(RvScene* scene, RvSceneNode* node, double first, double last) {
  if (!node->sequence) return 0;
  RvSceneNode** order;
  size_t count;
  RvError ignored = {0};
  // without memory no key is like another, and nothing is reused
  if (rv_scene_order_live(scene, &node, 1, &order, &count, &ignored)) return ++scene->nameless;
  RvHasher hasher = rv_hasher_new(8);
  for (size_t i = 0; i < count; ++i) {
    if (!rv_scene_files_sequence(order[i])) continue;
    rv_hasher_add_string(&hasher, order[i]->name);
    rv_hasher_add_u64(&hasher, rv_scene_files_sum(scene, order[i], first, last));
  }
  rv_free(order);
  return rv_hasher_done(&hasher);
}
