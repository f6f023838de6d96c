// Scenes that are cooked: whatever parses is cooked for two frames, with little memory and time. It must end with sound
// geometry or with an error that is not ours. Nothing is written.
//
// The target is worth as much as the scenes that it tries a second. So the seeds of the corpus are scenes of some ten
// points and voxels, and the memory limit is low: it refuses a million particles before they cost seconds.
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/timer.h"
#include "fuzz/decode.h"
#include "rivulet/host.h"
#include "rivulet/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const double SECONDS = 0.2;  // CPU time of a scene, after which it is cancelled
enum { NODES = 12, FRAMES = 2 };
// Beyond what is in use: the sanitizer keeps freed memory for a while, which counts as resident.
#define MEMORY ((size_t)32 << 20)

static bool stop(void* user, const char* node, double frame, double fraction, const char* stage) {
  (void)node;
  (void)frame;
  (void)fraction;
  (void)stage;
  return rv_clock_cpu() > *(const double*)user;
}

// Cooks one output at one frame. False: the scene ended with an error.
static bool cook(RvScene* scene, const char* node, double frame) {
  RvError error = {0};
  const RvDetail* detail = NULL;
  RvResult result = rv_scene_cook(scene, node, frame, &detail, &error);
  if (result) {
    fuzz_require(error.code == result && error.text[0] && !detail, "an error without a text", rv_result_name(result));
    fuzz_require(result != RV_INTERNAL && result != RV_SHIM, "an internal error", error.text);
    return false;
  }
  fuzz_require(!rv_detail_check(detail, &error), "an unsound detail", error.text);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RvError error = {0};
  RvScene* scene = NULL;
  double first, end = rv_clock_cpu() + SECONDS;
  rv_threads_set(1);
  rv_memory_limit_set(rv_budget_used() + MEMORY);
  if (rv_scene_parse((const char*)data, size, "fuzz", &scene, &error)) return 0;
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &end, .cancelled = stop});
  rv_scene_frames(scene, &first, NULL);
  bool good = rv_scene_node_count(scene) <= NODES;
  for (size_t i = 0; good && i < rv_scene_node_count(scene); ++i)
    for (int frame = 0; good && frame < FRAMES; ++frame)
      good = cook(scene, rv_scene_node_name(scene, i), first + frame);
  rv_scene_free(scene);
  return 0;
}

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);

// Three times of four a number of the text becomes another one, which keeps the text a scene; else any bytes change.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  static const char* const numbers[] = {"0",    "1",    "-1",  "2",   "3",     "0.5",  "1e-3", "1e-6", "1e-9", "1e-30",
                                        "1e3",  "1e6",  "1e9", "0.1", "-0.01", "100",  "7",    "1e30", "0.02", "24",
                                        "true", "null", "[]",  "[1]", "1e308", "1e-5", "64",   "-1e3", "0.25", "10"};
  if (seed % 4 == 0 || size == 0) return LLVMFuzzerMutate(data, size, max_size);
  // the first number after a random place
  size_t at = seed / 4 % size, length = 0;
  while (at < size && !strchr("-.0123456789", data[at])) ++at;
  while (at + length < size && data[at + length] && strchr("-+.0123456789e", data[at + length])) ++length;
  const char* put = numbers[seed / 64 % (sizeof numbers / sizeof *numbers)];
  size_t put_length = strlen(put);
  if (at >= size || length == 0 || size - length + put_length > max_size) return LLVMFuzzerMutate(data, size, max_size);
  memmove(data + at + put_length, data + at + length, size - at - length);
  memcpy(data + at, put, put_length);
  return size - length + put_length;
}
