// rivulet info: describes scenes, geometry files, VDB files and checkpoints, as text or JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "geo/text.h"
#include "scene/checkpoint.h"

// Frame range, rate and nodes of a scene file.
static RvResult describe_scene(json_t* object, const char* path, RvError* error) {
  RvScene* scene = NULL;
  RvResult result = rv_scene_load(path, &scene, error);
  if (result) return result;
  double first, last;
  rv_scene_frames(scene, &first, &last);
  json_object_set_new(object, "kind", json_string("scene"));
  json_object_set_new(object, "fps", json_real(rv_scene_fps(scene)));
  json_object_set_new(object, "frames", json_pack("[f,f]", first, last));
  json_t* nodes = json_array();
  for (size_t i = 0; i < rv_scene_node_count(scene); ++i) {
    const char* name = rv_scene_node_name(scene, i);
    json_array_append_new(nodes, json_pack("{s:s,s:s}", "name", name, "type", rv_scene_node_type(scene, name)->type));
  }
  json_object_set_new(object, "nodes", nodes);
  rv_scene_free(scene);
  return RV_OK;
}

// Contents of a geometry or VDB file.
static RvResult describe_geometry(json_t* object, const char* path, RvError* error) {
  RvDetail* detail = NULL;
  const RvLog log = {NULL, rv_cli_warning};
  RvResult result = rv_detail_load(path, &detail, &log, error);
  if (result) return result;
  json_object_set_new(object, "kind", json_string(rv_text_ends(path, ".vdb") ? "vdb" : "geometry"));
  result = rv_cli_describe_detail(object, detail, error);
  rv_detail_free(detail);
  return result;
}

// Node, frame and state of a checkpoint.
static RvResult describe_checkpoint(json_t* object, const char* path, RvError* error) {
  RvCheckpoint checkpoint = {0};
  RvResult result = rv_scene_checkpoint_read(path, &checkpoint, error);
  if (result) return result;
  char key[20];
  snprintf(key, sizeof key, "%016llx", (unsigned long long)checkpoint.key);
  json_object_set_new(object, "kind", json_string("checkpoint"));
  json_object_set_new(object, "node", json_string(checkpoint.node));
  json_object_set_new(object, "type", json_string(checkpoint.type));
  json_object_set_new(object, "frame", json_real(checkpoint.frame));
  json_object_set_new(object, "key", json_string(key));
  RvDetail* state = NULL;
  result = rv_node_join_state(&checkpoint.state, &state, error);
  if (!result) result = rv_cli_describe_detail(object, state, error);
  rv_detail_free(state);
  rv_scene_checkpoint_free(&checkpoint);
  return result;
}

// Describes a file by the ending of its name.
static RvResult describe(json_t* object, const char* path, RvError* error) {
  if (rv_text_ends(path, ".json")) return describe_scene(object, path, error);
  if (rv_text_ends(path, ".rvck")) return describe_checkpoint(object, path, error);
  return describe_geometry(object, path, error);
}

// Prints the numbers of a list; a dash for null.
static void print_list(const json_t* value) {
  const char* separator = "";
  size_t i;
  json_t* item;
  json_array_foreach(value, i, item) {
    if (json_is_null(item))
      printf("%s-", separator);
    else
      printf("%s%g", separator, json_number_value(item));
    separator = " ";
  }
}

enum { MAX_COMPONENTS = 16 };  // of an attribute whose ranges are printed one by one

// Prints the range of each component; for long lists, such as the contacts of a state, the range of all of them.
static void print_range(const json_t* low, const json_t* high) {
  if (json_array_size(low) <= MAX_COMPONENTS) {
    printf("  from ");
    print_list(low);
    printf(" to ");
    print_list(high);
    return;
  }
  double least = INFINITY, greatest = -INFINITY;
  size_t i;
  json_t* item;
  json_array_foreach(low, i, item) if (json_is_number(item)) least = fmin(least, json_number_value(item));
  json_array_foreach(high, i, item) if (json_is_number(item)) greatest = fmax(greatest, json_number_value(item));
  if (least <= greatest) printf("  all from %g to %g", least, greatest);
}

// Prints a name of the file, with blanks up to a width of 16.
static void print_padded(const char* name) {
  enum { WIDTH = 16 };
  rv_cli_put(stdout, name);
  for (size_t i = name ? strlen(name) : 0; i < WIDTH; ++i) putchar(' ');
}

// Prints one line per attribute.
static void print_attributes(const json_t* rows) {
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    printf("  %-7s ", json_string_value(json_object_get(row, "owner")));
    print_padded(json_string_value(json_object_get(row, "name")));
    printf(" %s", json_string_value(json_object_get(row, "type")));
    json_int_t size = json_integer_value(json_object_get(row, "size"));
    if (size != 1) printf("[%lld]", (long long)size);
    if (json_object_get(row, "min")) print_range(json_object_get(row, "min"), json_object_get(row, "max"));
    if (json_object_get(row, "nonfinite"))
      printf("  (%lld values are not finite)", (long long)json_integer_value(json_object_get(row, "nonfinite")));
    putchar('\n');
  }
}

// Prints one line per named row with one more member of it.
static void print_named(const char* title, const json_t* rows, const char* second) {
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    char* more = json_dumps(json_object_get(row, second), JSON_ENCODE_ANY);
    printf("  %-7s ", title);
    print_padded(json_string_value(json_object_get(row, "name")));
    printf(" %s ", second);
    rv_cli_put(stdout, more);
    putchar('\n');
    free(more);
  }
}

// Prints a description as text.
static void print_text(const json_t* object) {
  rv_cli_put(stdout, json_string_value(json_object_get(object, "file")));
  printf(": %s\n", json_string_value(json_object_get(object, "kind")));
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)object, key, value) {
    if (strcmp(key, "file") == 0 || strcmp(key, "kind") == 0) continue;
    if (strcmp(key, "attributes") == 0)
      print_attributes(value);
    else if (strcmp(key, "groups") == 0)
      print_named("group", value, "count");
    else if (strcmp(key, "grids") == 0)
      print_named("grid", value, "active");
    else if (strcmp(key, "nodes") == 0)
      print_named("node", value, "type");
    else {
      char* text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
      printf("  %-10s ", key);
      rv_cli_put(stdout, text);
      putchar('\n');
      free(text);
    }
  }
}

// Describes all files, as text or one JSON object a line.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  bool json = false;
  const RvOption options[] = {{"--json", RV_OPTION_FLAG, &json}};
  RvResult result = rv_cli_options(argc, argv, options, 1, words, error);
  if (result) return result;
  if (words->count == 0) return rv_fail(error, RV_BAD_INPUT, "info needs at least one file name");
  // OpenVDB counts voxels in parallel.
  result = rv_cli_threads_start(error);
  for (size_t i = 0; i < words->count && !result; ++i) {
    const char* path = words->items[i];
    rv_cli_json_begin();
    json_t* object = json_object();
    json_object_set_new(object, "file", json_string(path));
    result = describe(object, path, error);
    char* text = result ? NULL : json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII);
    if (!result && (!text || rv_cli_json_failed()))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory for the description of '%s'", path);
    if (!result && json) {
      printf("%s\n", text);
    } else if (!result) {
      print_text(object);
      // The values of the text are made as it is printed.
      if (rv_cli_json_failed())
        result = rv_fail(error, RV_NO_MEMORY, "out of memory for the description of '%s'; it is not complete", path);
    }
    free(text);
    json_decref(object);
  }
  return result;
}

int rv_cli_info(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
