// Checkpoints: as they come, and with the hash of all bytes and the key made right, so that what lies behind is
// reached.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scene/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void try_bytes(const uint8_t* data, size_t size) {
  RvError error = {0};
  RvCheckpoint c;
  if (rv_scene_checkpoint_decode(data, size, "fuzz", &c, &error)) {
    if (!error.text[0] || !rv_state_empty(&c.state) || c.node) abort();
    return;
  }
  for (int i = 0; i < RV_STATE_PARTS; ++i)
    if (c.state.part[i] && rv_detail_check(c.state.part[i], &error)) abort();
  rv_scene_checkpoint_free(&c);
}

// the manifest is the last of the four texts
static void repair(uint8_t* data, size_t size) {
  uint64_t texts;
  memcpy(&texts, data + 40, sizeof texts);
  if (texts && texts <= size - 64 && !data[56 + texts - 1]) {
    size_t at = 56;
    for (int i = 0; i < 3 && at < 56 + texts; ++i) at += strlen((char*)data + at) + 1;
    if (at < 56 + texts) {
      uint64_t key = rv_hash(data + at, strlen((char*)data + at), 0);
      memcpy(data + 24, &key, sizeof key);
    }
  }
  uint64_t hash = rv_hash(data, size - 8, 0);
  memcpy(data + size - 8, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try_bytes(data, size);
  if (size < 64) return 0;
  uint8_t* copy = malloc(size);
  if (!copy) return 0;
  memcpy(copy, data, size);
  memcpy(copy, "RVCHECK\n", 8);
  repair(copy, size);
  try_bytes(copy, size);
  free(copy);
  return 0;
}
