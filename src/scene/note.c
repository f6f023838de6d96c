// The progress file of a run: which frames have all their files, and what they depend on. It is a text of four parts:
// a title, the first and the last finished frame, the manifest of the targets, and a hash of everything before it.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "parm/number.h"
#include "scene/checkpoint.h"

static const char title[] = "rivulet progress 1\n";
enum {
  HASH_BYTES = 17,       // 16 hexadecimal digits and a line end
  MAX_BYTES = 64 << 20,  // of a progress file; larger ones are refused
  CHANGE_BYTES = 600,    // of the text that says what changed
};

// Path of the progress file; the caller frees it.
static char* file_path(const char* folder) {
  return rv_strf("%s/progress.rvck", folder);
}

RvResult rv_scene_note_save(const char* folder, const RvRunNote* progress, RvError* error) {
  RvText text = {0};
  rv_text_add(&text, title);
  rv_text_number(&text, progress->first);
  rv_text_add(&text, " ");
  rv_text_number(&text, progress->done);
  rv_text_add(&text, "\n");
  rv_text_add(&text, progress->manifest);
  if (!text.failed) rv_text_addf(&text, "%016" PRIx64 "\n", rv_hash(text.data, text.count, 0));
  // Write.
  size_t count = text.count;
  char* bytes = rv_text_done(&text);
  char* path = file_path(folder);
  RvResult result =
      bytes && path ? rv_file_write(path, bytes, count, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(bytes);
  rv_free(path);
  return result;
}

// Parses the file in place and copies its manifest (NULL: out of memory). False if the file is damaged.
static bool read_note(char* text, size_t count, RvRunNote* out) {
  // Title and hash.
  size_t head = sizeof title - 1;
  if (count < head + HASH_BYTES || memcmp(text, title, head) != 0) return false;
  size_t body = count - HASH_BYTES;
  char expected[HASH_BYTES + 1];
  snprintf(expected, sizeof expected, "%016" PRIx64 "\n", rv_hash(text, body, 0));
  if (memcmp(text + body, expected, HASH_BYTES) != 0) return false;
  // Frames and manifest.
  text[body] = 0;
  const char* at;
  if (!rv_number_read(text + head, &at, &out->first) || *at != ' ') return false;
  if (!rv_number_read(at + 1, &at, &out->done) || *at != '\n') return false;
  out->manifest = rv_strdup(at + 1);
  return true;
}

RvResult rv_scene_note_load(RvScene* scene, const char* folder, RvRunNote* out, bool* found, RvError* error) {
  *out = (RvRunNote){0};
  *found = false;
  char* path = file_path(folder);
  if (!path) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  void* bytes = NULL;
  size_t count;
  RvError why = {0};
  RvResult result = rv_file_read(path, MAX_BYTES, &bytes, &count, &why);
  if (result == RV_OK && read_note(bytes, count, out)) {
    *found = out->manifest != NULL;
    if (!*found) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  } else if (result == RV_NO_MEMORY) {
    rv_fail(error, result, "%s", why.text);
  } else {
    // A missing or damaged file only means that no frame counts as done.
    if (result != RV_NOT_FOUND)
      rv_scene_message(scene, RV_LEVEL_WARNING, "host", scene->first,
                       "the progress file '%s' is damaged (%s); all frames are cooked again", path,
                       result ? why.text : "its hash does not agree");
    result = RV_OK;
  }
  rv_free(bytes);
  rv_free(path);
  return result;
}

RvResult rv_scene_note_resume(RvScene* scene, const char* folder, const char* base, RvSceneNode* const* targets,
                              size_t count, double first, double* next, double* done, RvError* error) {
  *next = first;
  *done = -INFINITY;
  RvRunNote old;
  bool found;
  RvResult result = rv_scene_note_load(scene, folder, &old, &found, error);
  if (result || !found) return result;
  // Compare what the finished frames depended on with the scene as it is now.
  char* manifest;
  result = rv_scene_manifest_frames(scene, base, targets, count, old.first, old.done, &manifest, error);
  if (result) {
    rv_free(old.manifest);
    return result;
  }
  if (strcmp(old.manifest, manifest) != 0) {
    char change[CHANGE_BYTES];
    rv_scene_manifest_compare(old.manifest, manifest, change, sizeof change);
    result =
        rv_fail(error, RV_BAD_INPUT,
                "the frames up to %g in '%s' are stale: they were made with other parameters or files (%s). Undo the "
                "change, run without resuming, or start from a state on purpose with --from",
                old.done, folder, change);
  } else if (first >= old.first && first <= old.done) {
    *next = first + floor(old.done - first) + 1;
    *done = old.done;
  }
  rv_free(old.manifest);
  rv_free(manifest);
  return result;
}

void rv_scene_note_remove(const char* folder) {
  char* path = file_path(folder);
  if (path) rv_platform_remove(path);
  rv_free(path);
}
