// The folder of checkpoints: writing them, removing old ones, resuming a run, and starting from a state file.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "base/timer.h"
#include "parm/number.h"
#include "scene/checkpoint.h"

enum { CHANGE_BYTES = 600 };  // of the text that says what changed
static const char ending[] = ".rvck";
static const double max_padded_frame = 1e9;  // whole frames below this are written as integers in file names

char* rv_scene_checkpoint_path(const char* folder, const char* node, double frame) {
  char number[RV_NUMBER_BYTES];
  if (frame == floor(frame) && fabs(frame) < max_padded_frame)
    snprintf(number, sizeof number, "%04d", (int)frame);
  else
    rv_number_write(frame, number);
  return rv_strf("%s/%s.%s%s", folder, node, number, ending);
}

//------------------------------------------------------------------------------------------------ listing

typedef struct FrameList {
  double* data;
  size_t count, capacity;
} FrameList;

// Reads the frame from "<node>.<frame>.rvck"; node names have no dots. False for any other name.
static bool parse_name(const char* file, const char* node, double* frame) {
  size_t length = strlen(node);
  if (strncmp(file, node, length) != 0 || file[length] != '.') return false;
  // Copy the number alone: rv_number_read would take the dot of the ending for a decimal point.
  char number[RV_NUMBER_BYTES];
  size_t digits = strlen(file + length + 1);
  if (digits <= sizeof ending - 1 || digits - (sizeof ending - 1) >= sizeof number) return false;
  digits -= sizeof ending - 1;
  memcpy(number, file + length + 1, digits);
  number[digits] = 0;
  const char* end;
  return strcmp(file + length + 1 + digits, ending) == 0 && rv_number_read(number, &end, frame) && !*end;
}

// Order of qsort and bsearch: descending frames.
static int newest_first(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

// Lists the frames of a node's checkpoints, newest first. The caller frees the list.
static RvResult list_frames(const char* folder, const char* node, FrameList* list, RvError* error) {
  *list = (FrameList){0};
  RvFolder* dir = rv_platform_folder_open(folder);
  if (!dir) return rv_fail(error, rv_file_reason(errno), "cannot read the folder '%s': %s", folder, strerror(errno));
  // Collect the frames of this node's files.
  bool ok = true;
  for (const char* name = rv_platform_folder_next(dir); ok && name; name = rv_platform_folder_next(dir)) {
    double frame;
    if (parse_name(name, node, &frame)) ok = rv_array_push(list, frame);
  }
  rv_platform_folder_close(dir);
  if (!ok) {
    rv_array_free(list);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (list->count) qsort(list->data, list->count, sizeof *list->data, newest_first);
  return RV_OK;
}

// True if the sorted list has the frame.
static bool has_frame(const FrameList* list, double frame) {
  return list->count && bsearch(&frame, list->data, list->count, sizeof frame, newest_first);
}

//------------------------------------------------------------------------------------------------ folder

void rv_scene_checkpoint_sweep(const char* folder) {
  RvFolder* dir = rv_platform_folder_open(folder);
  if (!dir) return;
  for (const char* name = rv_platform_folder_next(dir); name; name = rv_platform_folder_next(dir))
    if (rv_file_is_abandoned(name)) rv_platform_folder_remove(dir, name);
  rv_platform_folder_close(dir);
}

RvResult rv_scene_checkpoint_open(const char* folder, int* lock, RvError* error) {
  *lock = -1;
  RvResult result = rv_file_make_folder(folder, error);
  if (result) return result;
  char* path = rv_strf("%s/.lock", folder);
  char* what = rv_strf("the folder '%s'", folder);
  result = path && what ? rv_file_lock(path, what, lock, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(path);
  rv_free(what);
  // Without a lock the files of other runs are not removed.
  if (!result && *lock >= 0) rv_scene_checkpoint_sweep(folder);
  return result;
}

// True if `path` is the state file from which the run was started. It belongs to the user and is never removed.
static bool is_origin(const RvScene* scene, const char* path) {
  // The same file may have several paths.
  RvFileInfo a, b;
  return scene->from_path && rv_platform_info(scene->from_path, &a) && rv_platform_info(path, &b) &&
         rv_platform_same_file(&a, &b);
}

RvResult rv_scene_checkpoint_guard(const RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                   double last, RvError* error) {
  RvResult result = RV_OK;
  // A solver may run ahead to the start frame of another solver that reads it.
  for (size_t i = 0; i < count; ++i) last = fmax(last, solvers[i]->start);
  for (size_t i = 0; i < count && !result; ++i) {
    FrameList list;
    result = list_frames(folder, solvers[i]->name, &list, error);
    for (size_t k = 0; k < list.count && !result; ++k) {
      char* path = rv_scene_checkpoint_path(folder, solvers[i]->name, list.data[k]);
      if (!path) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
      // At the start frame the same state would be written, which does no harm.
      else if (list.data[k] > solvers[i]->start && list.data[k] <= last && is_origin(scene, path))
        result = rv_fail(error, RV_BAD_INPUT,
                         "the run would write its own frame %g over '%s', from which it starts; copy that file "
                         "elsewhere, or choose another --out",
                         list.data[k], path);
      rv_free(path);
    }
    rv_array_free(&list);
  }
  return result;
}

// Removes the checkpoints of a former run, once this run has written its first.
static RvResult remove_former_run(const RvScene* scene, const RvSceneNode* node, double frame, RvError* error) {
  FrameList list;
  RvResult result = list_frames(scene->checkpoint_dir, node->name, &list, error);
  for (size_t k = 0; k < list.count && !result; ++k) {
    if (list.data[k] == frame) continue;
    char* path = rv_scene_checkpoint_path(scene->checkpoint_dir, node->name, list.data[k]);
    if (!path)
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    else if (!is_origin(scene, path) && !rv_platform_remove(path) && errno != ENOENT)
      result =
          rv_fail(error, rv_file_reason(errno), "cannot remove the old checkpoint '%s': %s", path, strerror(errno));
    rv_free(path);
  }
  rv_array_free(&list);
  return result;
}

//------------------------------------------------------------------------------------------------ writing

// Removes the checkpoint that left the newest RV_CHECKPOINT_KEEP when `frame` was written, unless it is an
// RV_CHECKPOINT_EVERY-th one.
static void remove_old(const RvScene* scene, const RvSceneNode* node, double frame) {
  // Steps are rounded to whole ones, because a fractional start frame adds rounding errors.
  double steps = round(frame - node->start) - RV_CHECKPOINT_KEEP;
  if (steps < 0 || fmod(steps, RV_CHECKPOINT_EVERY) == 0) return;
  char* path = rv_scene_checkpoint_path(scene->checkpoint_dir, node->name, node->start + steps);
  if (path && !is_origin(scene, path)) rv_platform_remove(path);
  rv_free(path);
}

// The manifest of the node's state at a frame: everything it depends on. The caller frees it.
static RvResult write_manifest(RvScene* scene, RvSceneNode* node, double frame, char** manifest, RvError* error) {
  char* base;
  RvResult result = rv_scene_manifest_write(scene, &node, 1, &base, error);
  if (result) return result;
  result = rv_scene_manifest_frames(scene, base, &node, 1, frame, frame, manifest, error);
  rv_free(base);
  return result;
}

RvResult rv_scene_checkpoint_keep(RvScene* scene, RvEntry* entry, RvError* error) {
  double began = rv_clock_wall();
  RvSceneNode* node = entry->node;
  RvCheckpoint c = {.node = node->name,
                    .type = (char*)node->type->type,
                    .frame = entry->frame,
                    .state_hash = rv_scene_entry_state_hash(entry),
                    .stats = entry->stats,
                    .state = entry->state};
  // Encode.
  void* bytes = NULL;
  size_t count;
  char* path = rv_scene_checkpoint_path(scene->checkpoint_dir, node->name, entry->frame);
  RvResult result = path && c.state_hash ? write_manifest(scene, node, entry->frame, &c.manifest, error)
                                         : rv_fail(error, RV_NO_MEMORY, "out of memory for the checkpoint");
  if (!result) result = rv_scene_files_check(scene, error);
  if (!result) {
    c.key = rv_hash(c.manifest, strlen(c.manifest), 0);
    result = rv_scene_checkpoint_encode(&c, &bytes, &count, error);
  }
  // Write, then remove what is no longer needed.
  if (!result) result = rv_file_write(path, bytes, count, error);
  if (!result && node->replaces_checkpoints) result = remove_former_run(scene, node, entry->frame, error);
  if (!result) {
    node->replaces_checkpoints = false;
    remove_old(scene, node, entry->frame);
  }
  rv_free(bytes);
  rv_free(c.manifest);
  rv_free(path);
  scene->log.checkpoint_seconds += rv_clock_wall() - began;
  return result;
}

//------------------------------------------------------------------------------------------------ resuming

// Fails if the checkpoint was made with other parameters or files than the scene has now.
static RvResult check_fresh(RvScene* scene, RvSceneNode* node, const char* path, const RvCheckpoint* c,
                            RvError* error) {
  char* manifest;
  RvResult result = write_manifest(scene, node, c->frame, &manifest, error);
  if (result) return result;
  if (strcmp(manifest, c->manifest) != 0) {
    // Say what changed.
    char change[CHANGE_BYTES];
    rv_scene_manifest_compare(c->manifest, manifest, change, sizeof change);
    result = rv_fail(error, RV_BAD_INPUT,
                     "checkpoint '%s' is stale: it was made with other parameters or files (%s). Undo the change, run "
                     "without resuming, or start from it on purpose with --from",
                     path, change);
  }
  rv_free(manifest);
  return result;
}

// Loads and checks one solver's checkpoint of a frame. After RV_BAD_FILE or RV_UNSUPPORTED an older one may still work.
static RvResult load_state(RvScene* scene, const char* folder, RvSceneNode* node, double frame, RvCheckpoint* c,
                           RvError* error) {
  char* path = rv_scene_checkpoint_path(folder, node->name, frame);
  if (!path) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Read it; it must be that of this node and frame, of the present parameters, and complete.
  RvResult result = rv_scene_checkpoint_read(path, c, error);
  if (!result && (strcmp(c->node, node->name) != 0 || c->frame != frame))
    result = rv_fail(error, RV_BAD_FILE,
                     "checkpoint '%s' is of node '%.64s', frame %g: the file was renamed; give it back its name", path,
                     c->node, c->frame);
  if (!result) result = check_fresh(scene, node, path, c, error);
  if (!result) {
    result = rv_scene_solve_check_state(node, &c->state, error);
    if (result) rv_error_context(error, "checkpoint '%s'", path);
  }
  if (result) rv_scene_checkpoint_free(c);
  rv_free(path);
  return result;
}

// True if the solver has started at this frame, and so needs a checkpoint to resume from it.
static bool needs_state(const RvSceneNode* node, double frame) {
  return frame >= node->start;
}

// Gives all solvers their states of a frame, or none of them if one checkpoint cannot be used.
static RvResult try_frame(RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count, double frame,
                          RvError* error) {
  RvCheckpoint* loaded = rv_alloc_zero(count, sizeof *loaded);
  if (!loaded) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Load all checkpoints.
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i)
    if (needs_state(solvers[i], frame))
      result = load_state(scene, folder, solvers[i], rv_scene_solve_state_frame(solvers[i], frame), &loaded[i], error);
  // All are loaded: hand them over.
  for (size_t i = 0; i < count && !result; ++i) {
    if (rv_state_empty(&loaded[i].state)) continue;
    result = rv_scene_solve_adopt(scene, solvers[i], loaded[i].frame, &loaded[i].state, &loaded[i].stats, error);
  }
  for (size_t i = 0; i < count; ++i) rv_scene_checkpoint_free(&loaded[i]);
  rv_free(loaded);
  return result;
}

// Takes the state file from which this run is started off the list, unless the run itself writes that frame.
static void exclude_origin(const RvScene* scene, const char* folder, const RvSceneNode* node, FrameList* list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; ++i) {
    char* path = list->data[i] > node->start ? rv_scene_checkpoint_path(folder, node->name, list->data[i]) : NULL;
    if (!path || !is_origin(scene, path)) list->data[kept++] = list->data[i];
    rv_free(path);
  }
  list->count = kept;
}

// True if every started solver has a checkpoint of the frame.
static bool all_have(const FrameList* lists, RvSceneNode* const* solvers, size_t count, double frame) {
  for (size_t i = 0; i < count; ++i)
    if (needs_state(solvers[i], frame) && !has_frame(&lists[i], rv_scene_solve_state_frame(solvers[i], frame)))
      return false;
  return true;
}

// A checkpoint that cannot be read is skipped in favour of an older one; other errors end the search.
static bool may_skip(RvResult result) {
  return result == RV_BAD_FILE || result == RV_UNSUPPORTED || result == RV_IO || result == RV_NOT_FOUND;
}

// Tries the candidate frames, newest first, until every solver has a usable state of one of them.
static RvResult try_candidates(RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                               const FrameList* lists, const FrameList* candidates, bool* found, double* frame,
                               RvError* error) {
  for (size_t i = 0; i < candidates->count; ++i) {
    double candidate = candidates->data[i];
    bool repeated = i && candidate == candidates->data[i - 1];
    if (repeated || !all_have(lists, solvers, count, candidate)) continue;
    RvError why = {0};
    RvResult result = try_frame(scene, folder, solvers, count, candidate, &why);
    if (result == RV_OK) {
      *found = true;
      *frame = candidate;
      return RV_OK;
    }
    if (!may_skip(result)) return rv_fail(error, result, "%s", why.text);
    rv_scene_message(scene, RV_LEVEL_WARNING, "host", candidate, "%s; trying an earlier checkpoint", why.text);
  }
  return RV_OK;
}

RvResult rv_scene_checkpoint_resume(RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                    double last, bool* found, double* frame, RvError* error) {
  *found = false;
  FrameList* lists = rv_alloc_zero(count, sizeof *lists);
  if (!lists) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Collect the frames up to `last` at which any solver has a checkpoint.
  RvResult result = RV_OK;
  FrameList candidates = {0};
  for (size_t i = 0; i < count && !result; ++i) {
    result = list_frames(folder, solvers[i]->name, &lists[i], error);
    if (scene->from_path) exclude_origin(scene, folder, solvers[i], &lists[i]);
    for (size_t k = 0; k < lists[i].count && !result; ++k)
      if (lists[i].data[k] <= last && !rv_array_push(&candidates, lists[i].data[k]))
        result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (candidates.count) qsort(candidates.data, candidates.count, sizeof *candidates.data, newest_first);
  if (!result) result = try_candidates(scene, folder, solvers, count, lists, &candidates, found, frame, error);
  for (size_t i = 0; i < count; ++i) rv_array_free(&lists[i]);
  rv_array_free(&candidates);
  rv_free(lists);
  return result;
}

//------------------------------------------------------------------------------------------------ starting from a state

// The solver that the checkpoint names, else the only one; NULL if there are several.
static RvSceneNode* choose_solver(const RvCheckpoint* c, RvSceneNode* const* solvers, size_t count) {
  for (size_t i = 0; c->node && i < count; ++i)
    if (strcmp(solvers[i]->name, c->node) == 0) return solvers[i];
  return count == 1 ? solvers[0] : NULL;
}

// Reads a checkpoint or, if the file has no signature of one, a geometry file with a joined state.
static RvResult read_state(const char* path, RvCheckpoint* c, RvDetail** joined, RvError* error) {
  *c = (RvCheckpoint){0};
  *joined = NULL;
  // The signature decides how the file is read.
  char head[8] = {0};
  FILE* stream = fopen(path, "rbe");
  if (!stream)
    return rv_fail(error, errno == ENOENT ? RV_NOT_FOUND : rv_file_reason(errno), "cannot read the state '%s': %s",
                   path, strerror(errno));
  size_t got = fread(head, 1, sizeof head, stream);
  fclose(stream);
  if (rv_scene_checkpoint_is(head, got)) return rv_scene_checkpoint_read(path, c, error);
  return rv_detail_load(path, joined, NULL, error);
}

// The state of a file in the parts of its solver.
static RvResult take_parts(const RvSceneNode* node, const RvDetail* joined, RvCheckpoint* c, RvError* error) {
  if (!joined) return rv_scene_solve_check_state(node, &c->state, error);
  RvResult result = rv_node_cut_state(node->type, joined, &c->state, error);
  if (result) rv_error_context(error, "this is not a state of a %s", node->type->type);
  return result;
}

// Hash of all bytes of a state: two files that differ in anything give two initial states.
static RvResult content_hash(const RvState* state, uint64_t* out, RvError* error) {
  RvHasher hasher = rv_hasher_new(0);
  for (int i = 0; i < RV_STATE_PARTS; ++i) {
    uint64_t hash = state->part[i] ? rv_detail_hash(state->part[i]) : 0;
    if (state->part[i] && !hash) return rv_fail(error, RV_NO_MEMORY, "out of memory for the hash of a state");
    rv_hasher_add_u64(&hasher, hash);
  }
  *out = rv_hasher_done(&hasher);
  return RV_OK;
}

RvResult rv_scene_checkpoint_start_from(RvScene* scene, const char* path, double frame, RvSceneNode* const* solvers,
                                        size_t count, RvError* error) {
  if (!count) return rv_fail(error, RV_BAD_INPUT, "the scene has no solver that could start from the state '%s'", path);
  // Read the state and find its solver.
  RvCheckpoint c;
  RvDetail* joined;
  RvResult result = read_state(path, &c, &joined, error);
  if (result) return result;
  RvSceneNode* node = choose_solver(&c, solvers, count);
  if (!node)
    result = rv_fail(error, RV_BAD_INPUT,
                     "the scene has %zu solvers, and the state '%s' does not name one of them; start from a checkpoint "
                     "(.rvck) of one of them",
                     count, path);
  else
    result = take_parts(node, joined, &c, error);
  rv_detail_free(joined);
  uint64_t hash = 0;
  if (!result) result = content_hash(&c.state, &hash, error);
  if (result && node) rv_error_context(error, "'%s', for node '%s'", path, node->name);
  // The state becomes the solver's; its old results are forgotten.
  if (!result) {
    rv_scene_forget(scene, node->name);
    rv_state_free(&node->initial_state);
    node->initial_state = c.state;
    node->initial_state_hash = hash;
    node->initial_state_stats = c.stats;
    node->initial_state_frame = frame;
    c.state = (RvState){0};
    scene->prepared = false;
  }
  rv_scene_checkpoint_free(&c);
  return result;
}
