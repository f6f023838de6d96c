// Frames of a flipbook from a scene or from a folder of caches.
#include "cli/shots.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/platform.h"
#include "geo/compact.h"
#include "scene/host.h"
#include "view/lamp.h"

enum { MAX_DIGITS = 9 };  // of a frame number

//---------------------------------------------------------------------------------------------- scene

// True for a node of type camera.
static bool is_camera(const RvScene* scene, const char* node) {
  return strcmp(rv_scene_node_type(scene, node)->type, "camera") == 0;
}

// True for a node of type light.
static bool is_light(const RvScene* scene, const char* node) {
  return strcmp(rv_scene_node_type(scene, node)->type, "light") == 0;
}

// Adds a node to those that are drawn.
static RvResult add_output(RvShotSource* source, const char* output, RvError* error) {
  if (source->noutput == RV_SHOT_MAX_DETAILS)
    return rv_fail(error, RV_LIMIT, "the scene has more than %d outputs to draw; choose some with --node",
                   RV_SHOT_MAX_DETAILS);
  source->outputs[source->noutput++] = output;
  return RV_OK;
}

// True if a node is among those that are drawn.
static bool is_listed(const RvShotSource* source, const char* node) {
  for (size_t i = 0; i < source->noutput; ++i)
    if (strcmp(source->outputs[i], node) == 0) return true;
  return false;
}

RvResult rv_cli_shots_from_scene(RvShotSource* source, RvSession* session, const char* nodes, RvError* error) {
  const RvScene* scene = session->scene;
  *source = (RvShotSource){.session = session, .first = session->first, .last = session->last};
  RvResult result = RV_OK;
  size_t count = rv_scene_node_count(scene);
  for (size_t i = 0; i < count && !source->camera; ++i)
    if (is_camera(scene, rv_scene_node_name(scene, i))) source->camera = rv_scene_node_name(scene, i);
  if (nodes) {
    source->output_text = rv_strdup(nodes);
    if (!source->output_text) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    for (char* word = strtok(source->output_text, ", "); word && !result; word = strtok(NULL, ", "))
      result = add_output(source, word, error);
  }
  for (size_t i = 0; i < count && !nodes && !result; ++i) {
    const char* name = rv_scene_node_name(scene, i);
    if (!is_camera(scene, name) && !rv_scene_is_read(scene, name)) result = add_output(source, name, error);
  }
  // Lights shine whatever is drawn.
  for (size_t i = 0; i < count && nodes && !result; ++i) {
    const char* name = rv_scene_node_name(scene, i);
    if (is_light(scene, name) && !rv_scene_is_read(scene, name) && !is_listed(source, name))
      result = add_output(source, name, error);
  }
  if (!result && source->noutput == 0)
    result = rv_fail(error, RV_BAD_INPUT, "the scene has no output to draw; name nodes with --node");
  return result;
}

// RV_BAD_INPUT if a dome has an image outside of the folders that the scene is confined to. A light node is checked when
// it cooks; here its attributes may come from a file, whose author wrote the path.
static RvResult confine_domes(const RvScene* scene, const RvDetail* detail, const char* node, RvError* error) {
  size_t npoint = rv_view_lamp_kinds(detail) ? rv_detail_count(detail, RV_POINT) : 0;
  RvResult result = RV_OK;
  for (size_t i = 0; i < npoint && !result; ++i) {
    const char* path = rv_view_lamp_image(detail, i);
    if (path) result = rv_scene_confine_check(scene, path, false, error);
  }
  return result ? rv_error_context(error, "node '%s': image of a dome", node) : RV_OK;
}

// Cooks the outputs of a scene at a frame.
static RvResult scene_frame(RvShotSource* source, double frame, RvShotFrame* out, RvError* error) {
  for (size_t i = 0; i < source->noutput; ++i) {
    const RvDetail* detail = NULL;
    RvResult result = rv_scene_cook(source->session->scene, source->outputs[i], frame, &detail, error);
    if (!result) result = confine_domes(source->session->scene, detail, source->outputs[i], error);
    // The scene owns the detail until the next cook, so keep a copy, which shares its arrays.
    RvDetail* copy = result ? NULL : rv_detail_copy(detail);
    if (!result && !copy) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (result) return result;
    out->details[out->count++] = copy;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- folder

// Ending of a readable file name; NULL if the format is not supported.
static const char* known_ending(const char* name) {
  static const char* const endings[] = {".bgeo.sc", ".bgeo", ".geo", ".vdb"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
    size_t n = strlen(endings[i]);
    if (length > n && rv_platform_strcasecmp(name + length - n, endings[i]) == 0) return name + length - n;
  }
  return NULL;
}

// Frame number at the end of a name's stem: "hair.0012.bgeo.sc" is frame 12. False if there is none.
static bool frame_of(const char* name, const char* ending, double* frame) {
  const char* digit = ending;
  while (digit > name && isdigit((unsigned char)digit[-1])) digit--;
  if (digit == ending || ending - digit > MAX_DIGITS) return false;
  *frame = (double)strtol(digit, NULL, 10);
  if (digit > name + 1 && digit[-1] == '-' && digit[-2] == '.') *frame = -*frame;
  return true;
}

// Order of paths, for qsort.
static int by_name(const void* a, const void* b) {
  return strcmp(((const RvShotFile*)a)->path, ((const RvShotFile*)b)->path);
}

// Lists the readable files of a folder by name.
static RvResult list_files(RvShotSource* source, RvFolder* stream, RvError* error) {
  RV_ARRAY(RvShotFile) files = {0};
  bool good = true;
  for (const char* name = rv_platform_folder_next(stream); good && name; name = rv_platform_folder_next(stream)) {
    const char* ending = name[0] == '.' ? NULL : known_ending(name);
    if (!ending) continue;
    RvShotFile file = {.path = rv_strf("%s/%s", source->folder, name)};
    file.still = !frame_of(name, ending, &file.frame);
    good = file.path && rv_array_push(&files, file);
    if (!good) rv_free(file.path);
  }
  source->files = files.data;
  source->nfile = files.count;
  if (!good) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (files.count) qsort(files.data, files.count, sizeof *files.data, by_name);
  return RV_OK;
}

RvResult rv_cli_shots_from_folder(RvShotSource* source, const char* folder, RvError* error) {
  *source = (RvShotSource){.folder = rv_strdup(folder), .first = INFINITY, .last = -INFINITY};
  if (!source->folder) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvFolder* stream = rv_platform_folder_open(folder);
  if (!stream) return rv_fail(error, RV_NOT_FOUND, "cannot open the folder '%s': %s", folder, strerror(errno));
  RvResult result = list_files(source, stream, error);
  rv_platform_folder_close(stream);
  if (result) return result;
  if (source->nfile == 0)
    return rv_fail(error, RV_NOT_FOUND, "'%s' holds no .geo, .bgeo, .bgeo.sc or .vdb files", folder);
  for (size_t i = 0; i < source->nfile; ++i) {
    if (source->files[i].still) continue;
    source->first = fmin(source->first, source->files[i].frame);
    source->last = fmax(source->last, source->files[i].frame);
  }
  if (source->first > source->last) {
    source->first = 1;
    source->last = 1;
  }
  return RV_OK;
}

// Loads the files of a frame, and those without a frame number.
static RvResult folder_frame(RvShotSource* source, double frame, RvShotFrame* out, RvError* error) {
  for (size_t i = 0; i < source->nfile; ++i) {
    const RvShotFile* file = &source->files[i];
    if (!file->still && file->frame != frame) continue;
    if (out->count == RV_SHOT_MAX_DETAILS)
      return rv_fail(error, RV_LIMIT, "'%s' has more than %d files of frame %g", source->folder, RV_SHOT_MAX_DETAILS,
                     frame);
    RvDetail* detail = NULL;
    RvResult result = rv_detail_load(file->path, &detail, &source->log, error);
    if (!result) result = rv_detail_widen(detail, error);
    if (result) {
      rv_detail_free(detail);
      return result;
    }
    out->details[out->count++] = detail;
  }
  if (out->count == 0) return rv_fail(error, RV_NOT_FOUND, "'%s' has no file of frame %g", source->folder, frame);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- frames

void rv_cli_shot_close(RvShotSource* source) {
  for (size_t i = 0; i < source->nfile; ++i) rv_free(source->files[i].path);
  rv_free(source->files);
  rv_free(source->folder);
  rv_free(source->output_text);
  *source = (RvShotSource){0};
}

RvResult rv_cli_shot_frame(RvShotSource* source, double frame, RvShotFrame* out, RvError* error) {
  *out = (RvShotFrame){0};
  RvResult result = source->session ? scene_frame(source, frame, out, error) : folder_frame(source, frame, out, error);
  if (result) rv_cli_shot_release(out);
  return result;
}

void rv_cli_shot_release(RvShotFrame* frame) {
  for (size_t i = 0; i < frame->count; ++i) rv_detail_free(frame->details[i]);
  *frame = (RvShotFrame){0};
}
