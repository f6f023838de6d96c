// Keeps the files that a scene reads and writes within given folders, whatever links and dots are in their paths.
#include <string.h>

#include "base/file.h"
#include "scene/host.h"

void rv_scene_confine_free(RvScene* scene) {
  for (size_t i = 0; i < scene->confine.count; ++i) rv_free(scene->confine.data[i]);
  rv_array_free(&scene->confine);
}

RvResult rv_scene_confine(RvScene* scene, const char* folders, RvError* error) {
  rv_scene_confine_free(scene);
  if (!folders) return RV_OK;
  RvResult result = RV_OK;
  for (const char* at = folders; *at && !result; at += *at == ':') {
    size_t length = strcspn(at, ":");
    if (length) {
      char* folder = rv_strf("%.*s", (int)length, at);
      char* resolved = NULL;
      result = folder ? rv_file_resolve(folder, true, &resolved, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
      rv_free(folder);
      if (!result && !rv_array_push(&scene->confine, resolved)) {
        rv_free(resolved);
        result = rv_fail(error, RV_NO_MEMORY, "out of memory");
      }
    }
    at += length;
  }
  if (!result && !scene->confine.count)
    result = rv_fail(error, RV_BAD_INPUT, "the list of folders is empty; write DIR or DIR:DIR");
  // Without its folders a scene that should be confined must not be cooked.
  if (result) rv_scene_confine_free(scene);
  return result;
}

RvResult rv_scene_confine_check(const RvScene* scene, const char* path, bool written, RvError* error) {
  if (!scene->confine.count || !*path) return RV_OK;
  char* resolved;
  // A file is written by a rename, which replaces a link; reading follows it.
  RvResult result = rv_file_resolve(path, !written, &resolved, error);
  if (result) return rv_error_context(error, "file: it cannot be confined");
  bool within = false;
  for (size_t i = 0; i < scene->confine.count && !within; ++i)
    within = rv_file_is_within(resolved, scene->confine.data[i]);
  if (!within)
    result = rv_fail(error, RV_BAD_INPUT,
                     "file: '%.300s' is '%.300s', outside of the folders that the scene is confined to (%.100s%s); add "
                     "its folder to --confine if the scene may %s it",
                     path, resolved, scene->confine.data[0], scene->confine.count > 1 ? ", ..." : "",
                     written ? "write" : "read");
  rv_free(resolved);
  return result;
}

RvResult rv_scene_confine_checkpoints(const RvScene* scene, const char* folder, RvError* error) {
  if (!scene->confine.count || !folder) return RV_OK;
  char* with_link = NULL;
  char* followed = NULL;
  RvResult result = rv_file_resolve(folder, false, &with_link, error);
  if (!result) result = rv_file_resolve(folder, true, &followed, error);
  // The output folder is the user's choice; a link in it may be a stranger's.
  if (!result && strcmp(with_link, followed) != 0) result = rv_scene_confine_check(scene, followed, true, error);
  if (result) rv_error_context(error, "--out: the folder of checkpoints '%s'", folder);
  rv_free(with_link);
  rv_free(followed);
  return result;
}

RvResult rv_scene_confine_node(const RvScene* scene, const RvSceneNode* node, const void* parms, RvError* error) {
  if (!scene->confine.count) return RV_OK;
  const RvParmTable* table = node->type->parms;
  bool written = (node->type->flags & RV_NODE_WRITES) && !node->loads_from_disk;
  RvResult result = RV_OK;
  for (size_t i = 0; i < table->count && !result; ++i) {
    if (table->rows[i].type != RV_PARM_FILE) continue;
    const char* path = *(const char* const*)((const char*)parms + table->rows[i].offset);
    if (path) result = rv_scene_confine_check(scene, path, written, error);
  }
  return result;
}
