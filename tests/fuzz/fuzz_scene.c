// Scene JSON: whatever parses must be written as text that parses to the same text again. Nothing is cooked.
#include <stdlib.h>
#include <string.h>

#include "rivulet/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RvError error = {0};
  RvScene *scene, *again;
  if (rv_scene_parse((const char*)data, size, "fuzz", &scene, &error)) {
    // an error has a text, and no scene
    if (!error.text[0] || scene) abort();
    return 0;
  }
  char *text, *twice;
  if (rv_scene_write(scene, &text, &error)) abort();
  if (rv_scene_parse(text, strlen(text), "written", &again, &error)) abort();
  if (rv_scene_write(again, &twice, &error)) abort();
  if (strcmp(text, twice) != 0) abort();
  rv_free(text);
  rv_free(twice);
  rv_scene_free(scene);
  rv_scene_free(again);
  return 0;
}
