// The scene object: creation, settings, queries, messages and destruction.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "parm/values.h"
#include "rivulet/host.h"
#include "scene/host.h"

// Settings of a new scene, those of a new Houdini scene.
static const double default_fps = 24;
static const double default_first = 1;
static const double default_last = 240;
static const double default_meters_per_unit = 1;

enum { MESSAGE_BYTES = 1020 };  // of a message, as of RvError.text

// Limit of the frame cache: a quarter of the machine's memory, but at least 256 MB and at most 4 GB, and a quarter of
// the memory limit at most.
static size_t default_cache_limit(void) {
  const size_t min_bytes = (size_t)256 << 20;
  const size_t max_bytes = (size_t)4 << 30;
  size_t share = rv_platform_physical_memory() / 4;
  share = share < min_bytes ? min_bytes : share > max_bytes ? max_bytes : share;
  // Within a memory limit the cache leaves three quarters to the nodes.
  size_t limited = rv_memory_limit() / 4;
  return limited && limited < share ? limited : share;
}

RvScene* rv_scene_new(void) {
  RvScene* scene = rv_alloc_zero(1, sizeof *scene);
  if (!scene) return NULL;
  scene->fps = default_fps;
  scene->first = default_first;
  scene->last = default_last;
  scene->meters = default_meters_per_unit;
  scene->cache.limit = default_cache_limit();
  scene->out = rv_strdup(".");
  scene->hip = rv_strdup(".");
  if (!scene->out || !scene->hip) {
    rv_scene_free(scene);
    return NULL;
  }
  return scene;
}

void rv_scene_free(RvScene* scene) {
  if (!scene) return;
  rv_scene_entry_unpin(&scene->cache, scene->lent_entry);
  scene->lent_entry = NULL;
  // Unpin the nodes' latest states, then clear the cache, then free the nodes.
  for (size_t i = 0; i < scene->nodes.count; ++i) rv_scene_solve_forget(scene, scene->nodes.data[i]);
  rv_scene_cache_clear(&scene->cache);
  rv_scene_graph_free(scene);
  rv_scene_report_free(scene);
  rv_scene_confine_free(scene);
  rv_free(scene->out);
  rv_free(scene->hip);
  rv_free(scene);
}

void rv_scene_set_fps(RvScene* scene, double fps) {
  if (!(fps > 0) || !isfinite(fps)) return;
  scene->fps = fps;
  scene->prepared = false;
}

void rv_scene_set_frames(RvScene* scene, double first, double last) {
  if (!isfinite(first) || !isfinite(last)) return;
  scene->first = first;
  scene->last = last;
  scene->prepared = false;
}

void rv_scene_set_meters_per_unit(RvScene* scene, double meters) {
  if (!(meters > 0) || !isfinite(meters)) return;
  scene->meters = meters;
  for (size_t i = 0; i < scene->nodes.count; ++i) rv_parms_set_meters(scene->nodes.data[i]->parms, meters);
  scene->prepared = false;
}

double rv_scene_meters_per_unit(const RvScene* scene) {
  return scene->meters;
}

RvResult rv_scene_set_out(RvScene* scene, const char* folder, RvError* error) {
  char* copy = rv_strdup(folder && *folder ? folder : ".");
  if (!copy) return rv_fail(error, RV_NO_MEMORY, "out of memory for the name of the output folder");
  rv_free(scene->out);
  scene->out = copy;
  scene->prepared = false;
  return RV_OK;
}

void rv_scene_set_cache_limit(RvScene* scene, size_t bytes) {
  scene->cache.limit = bytes;
  rv_scene_cache_trim(&scene->cache);
}

void rv_scene_set_hooks(RvScene* scene, const RvSceneHooks* hooks) {
  scene->hooks = hooks ? *hooks : (RvSceneHooks){0};
}

double rv_scene_fps(const RvScene* scene) {
  return scene->fps;
}

void rv_scene_frames(const RvScene* scene, double* first, double* last) {
  if (first) *first = scene->first;
  if (last) *last = scene->last;
}

size_t rv_scene_node_count(const RvScene* scene) {
  return scene->nodes.count;
}

const char* rv_scene_node_name(const RvScene* scene, size_t index) {
  return index < scene->nodes.count ? scene->nodes.data[index]->name : NULL;
}

bool rv_scene_is_read(const RvScene* scene, const char* name) {
  const RvSceneNode* node = rv_scene_graph_find(scene, name);
  return node && node->readers > 0;
}

const RvNodeType* rv_scene_node_type(const RvScene* scene, const char* name) {
  const RvSceneNode* node = rv_scene_graph_find(scene, name);
  return node ? node->type : NULL;
}

bool rv_scene_is_cancelled(RvScene* scene, const char* node, double frame, double fraction, const char* stage) {
  return scene->hooks.cancelled && scene->hooks.cancelled(scene->hooks.user, node, frame, fraction, stage);
}

// Records a warning for the report. Equal warnings are counted; after RV_STATS_MAX_WARNINGS different ones all others
// are counted together.
static void remember_warning(RvFrameLog* log, const char* node, const char* text) {
  // Count it if it is known.
  char* line = rv_strf("%s: %s", node, text);
  if (!line) log->incomplete = true;
  if (!line) return;
  for (size_t i = 0; i < log->warnings.count; ++i) {
    if (strcmp(log->warnings.data[i].text, line) != 0) continue;
    log->warnings.data[i].count++;
    rv_free(line);
    return;
  }
  // A new text: append it, or count it under "further warnings".
  RvWarning warning = {line, 1};
  if (log->warnings.count >= RV_STATS_MAX_WARNINGS) {
    RvWarning* last = &log->warnings.data[RV_STATS_MAX_WARNINGS];
    rv_free(line);
    if (log->warnings.count > RV_STATS_MAX_WARNINGS) {
      last->count++;
      return;
    }
    warning.text = rv_strdup("further warnings");
  }
  if (warning.text && rv_array_push(&log->warnings, warning)) return;
  log->incomplete = true;
  rv_free(warning.text);
}

void rv_scene_message(RvScene* scene, RvLevel level, const char* node, double frame, const char* format, ...) {
  char text[MESSAGE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (level == RV_LEVEL_WARNING) remember_warning(&scene->log, node, text);
  if (scene->hooks.message) scene->hooks.message(scene->hooks.user, level, node, frame, text);
}
