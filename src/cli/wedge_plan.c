// Plan of a wedge: parsing --vary, naming variations, and the file wedge.json.
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "cli/wedge.h"

enum { MAX_BYTES = 1 << 20 };  // of wedge.json

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
static char* absolute(const char* path) {
  char full[RV_PATH_BYTES];
  return rv_platform_real_path(path, full) ? rv_strdup(full) : NULL;
}

RvResult rv_cli_wedge_plan(RvWedge* w, const char* scene, const char* dir, const RvTextList* vary, RvError* error) {
  *w = (RvWedge){.count = 1};
  RvResult result = rv_file_make_folder(dir, error);
  if (result) return result;
  w->dir = absolute(dir);
  w->scene = absolute(scene);
  if (!w->scene) return rv_fail(error, RV_NOT_FOUND, "cannot read '%s': %s", scene, strerror(errno));
  if (!w->dir) return rv_fail(error, rv_file_reason(errno), "cannot use '%s': %s", dir, strerror(errno));
  if (!vary->count) return rv_fail(error, RV_BAD_INPUT, "there is nothing to vary: give --vary NODE.PARM=a,b,c");
  for (size_t i = 0; i < vary->count && !result; ++i) result = add_axis(w, vary->items[i], error);
  // Try every value now, so that a wrong one is reported once and not by each task.
  RvScene* opened = NULL;
  if (!result) result = rv_scene_load(w->scene, &opened, error);
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

bool rv_cli_wedge_is_done(const RvWedge* w, size_t index) {
  char* path = rv_cli_wedge_path(w, index, "done");
  bool done = path && rv_platform_exists(path);
  rv_free(path);
  return done;
}

//---------------------------------------------------------------------------------------------- the file

// Contents of wedge.json.
static json_t* to_json(const RvWedge* w) {
  json_t* axes = json_array();
  for (size_t i = 0; i < w->naxis; ++i) {
    json_t* values = json_array();
    for (size_t k = 0; k < w->axes[i].count; ++k) json_array_append_new(values, json_string(w->axes[i].values[k]));
    json_array_append_new(axes, json_pack("{s:s, s:o}", "parm", w->axes[i].name, "values", values));
  }
  return json_pack("{s:s, s:s?, s:s?, s:s?, s:o}", "scene", w->scene, "frames", w->frames, "picture", w->picture,
                   "size", w->size, "vary", axes);
}

RvResult rv_cli_wedge_save(const RvWedge* w, RvError* error) {
  json_t* json = to_json(w);
  char* text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
  char* path = rv_strf("%s/wedge.json", w->dir);
  RvResult result =
      text && path ? rv_file_write(path, text, strlen(text), error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
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

// Copy of a text member; NULL if it is missing.
static char* text_of(json_t* json, const char* key) {
  const char* text = json_string_value(json_object_get(json, key));
  return text ? rv_strf("%s", text) : NULL;
}

RvResult rv_cli_wedge_load(RvWedge* w, const char* dir, RvError* error) {
  *w = (RvWedge){.count = 1};
  json_error_t where;
  void* text = NULL;
  size_t bytes = 0, k;
  json_t* row;
  // Read and parse the file.
  w->dir = absolute(dir);
  char* path = w->dir ? rv_strf("%s/wedge.json", w->dir) : NULL;
  RvResult result = path ? rv_file_read(path, MAX_BYTES, &text, &bytes, error)
                         : rv_fail(error, RV_NOT_FOUND, "there is no folder '%s'", dir);
  json_t* json = result ? NULL : json_loadb(text, bytes, 0, &where);
  if (!result && !json) result = rv_fail(error, RV_BAD_FILE, "%s, line %d: %s", path, where.line, where.text);
  if (!result) {
    // Scene and options as they were given.
    w->scene = text_of(json, "scene");
    w->frames = text_of(json, "frames");
    w->picture = text_of(json, "picture");
    w->size = text_of(json, "size");
    if (!w->scene || !json_array_size(json_object_get(json, "vary")))
      result = rv_fail(error, RV_BAD_FILE, "%s: 'scene' or 'vary' is missing", path);
  }
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
