// Plan of a wedge: parsing --vary, naming variations, and the file wedge.json.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "cli/describe.h"
#include "cli/wedge.h"
#include "parm/text.h"
#include "scene/cached.h"

enum {
  MAX_BYTES = 1 << 20,         // of wedge.json
  MAX_SCENE_BYTES = 64 << 20,  // of a scene file
};

// Parses "node.parm=a,b,c". A value of several components is written with spaces between them.
static RvResult split(const char* text, RvWedgeAxis* axis, RvError* error) {
  const char *equals = strchr(text, '='), *dot = strchr(text, '.');
  if (!equals || !dot || dot > equals || dot == text || equals == dot + 1 || !equals[1])
    return rv_fail(error, RV_BAD_INPUT, "--vary %s: write NODE.PARM=a,b,c", text);
  size_t count = 1;
  for (const char* c = equals + 1; *c; ++c) count += *c == ',';
  axis->name = rv_strf("%.*s", (int)(equals - text), text);
  axis->values = rv_alloc_zero(count, sizeof *axis->values);
  if (!axis->name || !axis->values) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (const char* from = equals + 1; axis->count < count;) {
    size_t length = strcspn(from, ",");
    if (!length) return rv_fail(error, RV_BAD_INPUT, "--vary %s: value %zu is empty", text, axis->count + 1);
    axis->values[axis->count] = rv_strf("%.*s", (int)length, from);
    if (!axis->values[axis->count++]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    from += length + 1;
  }
  return RV_OK;
}

// Adds a varied parameter.
static RvResult add_axis(RvWedge* w, const char* text, RvError* error) {
  if (w->naxis == RV_WEDGE_MAX_AXES)
    return rv_fail(error, RV_LIMIT, "--vary can be given at most %d times", RV_WEDGE_MAX_AXES);
  RvWedgeAxis* axis = &w->axes[w->naxis++];
  RvResult result = split(text, axis, error);
  if (result) return result;
  for (size_t k = 0; k + 1 < w->naxis; ++k)
    if (strcmp(w->axes[k].name, axis->name) == 0)
      return rv_fail(error, RV_BAD_INPUT, "--vary %s is given twice; write all values in one list", axis->name);
  w->count *= axis->count;
  if (w->count > RV_WEDGE_MAX)
    return rv_fail(error, RV_LIMIT, "%zu variations are more than %d: give fewer values", w->count, RV_WEDGE_MAX);
  return RV_OK;
}

// Absolute path, because a task may run in another folder.
static RvResult absolute(const char* path, char** out, RvError* error) {
  char full[RV_PATH_BYTES];
  int reason = rv_platform_real_path(path, full) ? 0 : errno;
  *out = reason ? NULL : rv_strdup(full);
  if (*out) return RV_OK;
  if (!reason || reason == ENOMEM) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult code = reason == ENOENT || reason == ENOTDIR ? RV_NOT_FOUND : rv_file_reason(reason);
  return rv_fail(error, code, "cannot use '%s': %s", path, strerror(reason));
}

// The folders of --confine as absolute paths.
static RvResult absolute_folders(const char* folders, char** out, RvError* error) {
  RvText text = {0};
  RvResult result = RV_OK;
  for (const char* at = folders; *at && !result; at += *at == ':') {
    int length = (int)strcspn(at, ":");
    char *folder = rv_strf("%.*s", length, at), *full = NULL;
    if (!folder) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (!result && length) result = rv_file_resolve(folder, true, &full, error);
    if (full) rv_text_addf(&text, "%s%s", text.count ? ":" : "", full);
    rv_free(folder);
    rv_free(full);
    at += length;
  }
  *out = rv_text_done(&text);
  return result || *out ? result : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Tries every value now, so that a wrong one is reported once and not by each task.
static RvResult try_values(RvWedge* w, RvError* error) {
  RvScene* opened = NULL;
  RvResult result = rv_scene_load(w->scene, &opened, error);
  if (!result && w->confine && rv_scene_confine(opened, w->confine, error))
    result = rv_error_context(error, "--confine");
  for (size_t i = 0; i < w->naxis && !result; ++i)
    for (size_t k = 0; k < w->axes[i].count && !result; ++k) {
      char* text = rv_strf("%s=%s", w->axes[i].name, w->axes[i].values[k]);
      result = text ? rv_scene_set(opened, text, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
      if (result) rv_error_context(error, "--vary");
      rv_free(text);
    }
  rv_scene_free(opened);
  return result;
}

RvResult rv_cli_wedge_check_look(const RvWedge* w, RvError* error) {
  RvScene* scene = NULL;
  RvResult result = rv_scene_load(w->scene, &scene, error);
  for (size_t i = 0; i < w->naxis && !result; ++i) {
    bool simulated = false;
    char* node = rv_strf("%.*s", (int)strcspn(w->axes[i].name, "."), w->axes[i].name);
    result = node ? rv_scene_cached_reaches_solver(scene, node, &simulated, error)
                  : rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (simulated)
      result = rv_fail(error, RV_BAD_INPUT,
                       "--vary %s: '%s' is part of the simulation, which --cached does not repeat. Leave --cached out "
                       "to simulate each variation, or vary a node behind the solver",
                       w->axes[i].name, node);
    rv_free(node);
  }
  rv_scene_free(scene);
  return result;
}

RvResult rv_cli_wedge_plan(RvWedge* w, const char* scene, const char* dir, const RvTextList* vary, const char* confine,
                           RvError* error) {
  *w = (RvWedge){.count = 1};
  RvResult result = rv_file_make_folder(dir, error);
  if (!result) result = absolute(scene, &w->scene, error);
  if (!result) result = absolute(dir, &w->dir, error);
  if (!result && confine && absolute_folders(confine, &w->confine, error))
    result = rv_error_context(error, "--confine");
  if (!result && !vary->count)
    result = rv_fail(error, RV_BAD_INPUT, "there is nothing to vary: give --vary NODE.PARM=a,b,c");
  for (size_t i = 0; i < vary->count && !result; ++i) result = add_axis(w, vary->items[i], error);
  return result ? result : try_values(w, error);
}

void rv_cli_wedge_free(RvWedge* w) {
  for (size_t i = 0; i < w->naxis; ++i) {
    for (size_t k = 0; k < w->axes[i].count; ++k) rv_free(w->axes[i].values[k]);
    rv_free(w->axes[i].values);
    rv_free(w->axes[i].name);
  }
  rv_free(w->dir);
  rv_free(w->scene);
  rv_free(w->frames);
  rv_free(w->picture);
  rv_free(w->size);
  rv_free(w->confine);
  rv_free(w->simulation);
  rv_free(w->key);
  *w = (RvWedge){0};
}

//---------------------------------------------------------------------------------------------- names

// Number of the value of an axis in a variation; the last axis varies fastest.
static size_t value_index(const RvWedge* w, size_t index, size_t axis) {
  for (size_t i = w->naxis; i-- > axis + 1;) index /= w->axes[i].count;
  return index % w->axes[axis].count;
}

char* rv_cli_wedge_assignment(const RvWedge* w, size_t index, size_t axis) {
  return rv_strf("%s=%s", w->axes[axis].name, w->axes[axis].values[value_index(w, index, axis)]);
}

char* rv_cli_wedge_path(const RvWedge* w, size_t index, const char* name) {
  return rv_strf("%s/w%04zu/%s", w->dir, index, name);
}

RvResult rv_cli_wedge_is_done(const RvWedge* w, size_t index, bool* done, RvError* error) {
  char* path = rv_cli_wedge_path(w, index, "done");
  if (!path) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  *done = rv_platform_exists(path);
  rv_free(path);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the file

// Contents of wedge.json; NULL when out of memory.
static json_t* to_json(const RvWedge* w) {
  json_t* axes = json_array();
  bool whole = axes != NULL;
  for (size_t i = 0; i < w->naxis && whole; ++i) {
    json_t* values = json_array();
    whole = values != NULL;
    for (size_t k = 0; k < w->axes[i].count && whole; ++k)
      whole = json_array_append_new(values, json_string(w->axes[i].values[k])) == 0;
    json_t* axis = whole ? json_pack("{s:s, s:O}", "parm", w->axes[i].name, "values", values) : NULL;
    whole = whole && json_array_append_new(axes, axis) == 0;
    json_decref(values);
  }
  json_t* json = whole ? json_pack("{s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:O}", "scene", w->scene, "frames",
                                   w->frames, "picture", w->picture, "size", w->size, "confine", w->confine,
                                   "simulation", w->simulation, "key", w->key, "vary", axes)
                       : NULL;
  json_decref(axes);
  return json;
}

RvResult rv_cli_wedge_save(const RvWedge* w, RvError* error) {
  // The JSON library does not report every failed allocation of its text: it would drop a key.
  rv_cli_json_begin();
  json_t* json = to_json(w);
  char* text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
  char* path = rv_strf("%s/wedge.json", w->dir);
  RvResult result = text && path && !rv_cli_json_failed() ? rv_file_write(path, text, strlen(text), error)
                                                          : rv_fail(error, RV_NO_MEMORY, "out of memory");
  free(text);
  rv_free(path);
  json_decref(json);
  return result;
}

// Reads a varied parameter from wedge.json.
static RvResult read_axis(json_t* row, RvWedge* w, RvError* error) {
  const char* name = json_string_value(json_object_get(row, "parm"));
  json_t* values = json_object_get(row, "values");
  size_t k;
  json_t* value;
  RvWedgeAxis* axis = &w->axes[w->naxis];
  if (w->naxis == RV_WEDGE_MAX_AXES || !name || !json_array_size(values) || json_array_size(values) > RV_WEDGE_MAX)
    return rv_fail(error, RV_BAD_FILE, "%s/wedge.json: 'vary' is damaged; start the wedge again", w->dir);
  w->naxis++;
  axis->name = rv_strf("%s", name);
  axis->values = rv_alloc_zero(json_array_size(values), sizeof *axis->values);
  if (!axis->name || !axis->values) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  json_array_foreach(values, k, value) {
    if (!json_is_string(value))
      return rv_fail(error, RV_BAD_FILE, "%s/wedge.json: 'vary' is damaged; start the wedge again", w->dir);
    axis->values[axis->count] = rv_strf("%s", json_string_value(value));
    if (!axis->values[axis->count++]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  w->count *= axis->count;
  return w->count <= RV_WEDGE_MAX ? RV_OK : rv_fail(error, RV_BAD_FILE, "%s/wedge.json: too many variations", w->dir);
}

// Copies the text members; those that are missing stay NULL.
static RvResult read_texts(json_t* json, RvWedge* w, RvError* error) {
  const struct {
    const char* key;
    char** copy;
  } members[] = {{"scene", &w->scene},     {"frames", &w->frames},         {"picture", &w->picture}, {"size", &w->size},
                 {"confine", &w->confine}, {"simulation", &w->simulation}, {"key", &w->key}};
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    const json_t* member = json_object_get(json, members[i].key);
    if (!member || json_is_null(member)) continue;
    if (!json_is_string(member))
      return rv_fail(error, RV_BAD_FILE, "%s/wedge.json: '%s' is no text; start the wedge again", w->dir,
                     members[i].key);
    *members[i].copy = rv_strdup(json_string_value(member));
    if (!*members[i].copy) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  return RV_OK;
}

RvResult rv_cli_wedge_load(RvWedge* w, const char* dir, RvError* error) {
  *w = (RvWedge){.count = 1};
  json_error_t where;
  void* text = NULL;
  size_t bytes = 0, k;
  json_t* row;
  // Read and parse the file.
  RvResult result = absolute(dir, &w->dir, error);
  char* path = result ? NULL : rv_strf("%s/wedge.json", w->dir);
  if (!result && !path) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_file_read(path, MAX_BYTES, &text, &bytes, error);
  // Without memory the JSON library may even give texts that lack a character.
  rv_cli_json_begin();
  json_t* json = result ? NULL : rv_cli_json_load(text, bytes, &where);
  if (!result && rv_cli_json_failed()) result = rv_fail(error, RV_NO_MEMORY, "out of memory for '%s'", path);
  if (!result && !json) result = rv_fail(error, RV_BAD_FILE, "%s, line %d: %s", path, where.line, where.text);
  // Scene and options as they were given.
  if (!result) result = read_texts(json, w, error);
  if (!result && (!w->scene || !json_array_size(json_object_get(json, "vary"))))
    result = rv_fail(error, RV_BAD_FILE, "%s: 'scene' or 'vary' is missing", path);
  // Varied parameters.
  if (!result) json_array_foreach(json_object_get(json, "vary"), k, row) {
      result = read_axis(row, w, error);
      if (result) break;
    }
  json_decref(json);
  rv_free(text);
  rv_free(path);
  return result;
}

//---------------------------------------------------------------------------------------------- key

// Hash of the scene file and of the whole plan.
static RvResult find_key(RvWedge* w, RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  RvResult result = rv_file_read(w->scene, MAX_SCENE_BYTES, &bytes, &count, error);
  if (result) return result;
  RvHasher hasher = rv_hasher_new(0);
  rv_hasher_add(&hasher, bytes, count);
  rv_free(bytes);
  const char* texts[] = {rv_version(), w->scene, w->frames, w->picture, w->size, w->confine, w->simulation};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) rv_hasher_add_string(&hasher, texts[i] ? texts[i] : "");
  for (size_t i = 0; i < w->naxis; ++i) {
    rv_hasher_add_string(&hasher, w->axes[i].name);
    for (size_t k = 0; k < w->axes[i].count; ++k) rv_hasher_add_string(&hasher, w->axes[i].values[k]);
  }
  w->key = rv_strf("%016llx", (unsigned long long)rv_hasher_done(&hasher));
  return w->key ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

RvResult rv_cli_wedge_claim(RvWedge* w, bool* resumed, RvError* error) {
  *resumed = false;
  RvResult result = find_key(w, error);
  char* path = result ? NULL : rv_strf("%s/wedge.json", w->dir);
  if (!result && !path) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  bool used = !result && rv_platform_exists(path);
  rv_free(path);
  if (result || !used) return result;
  RvWedge before;
  result = rv_cli_wedge_load(&before, w->dir, error);
  if (!result && (!before.key || strcmp(before.key, w->key) != 0))
    result = rv_fail(error, RV_BAD_INPUT,
                     "--out %s: the folder holds another wedge (of another scene, other values or other options); its "
                     "pictures would be mixed up with the new ones. Choose another folder, or remove this one",
                     w->dir);
  rv_cli_wedge_free(&before);
  *resumed = !result;
  return result;
}
