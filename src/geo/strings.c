// String tables of string attributes: distinct strings with a hash index, shared between attributes and copied on
// write.
#include <string.h>

#include "base/hash.h"
#include "geo/detail.h"

enum {
  BLOCK_BYTES = 4096,  // of a memory block for strings; a longer string gets a block of its own
  FIRST_SLOTS = 16,    // of the hash table at its first growth, a power of two; it then doubles
  BYTE_OF_MINUS_ONE = 0xff,
};

RvStrings* rv_strings_new(void) {
  RvStrings* strings = rv_alloc_zero(1, sizeof *strings);
  if (strings) atomic_init(&strings->refs, 1);
  return strings;
}

RvStrings* rv_strings_retain(RvStrings* strings) {
  if (strings) atomic_fetch_add_explicit(&strings->refs, 1, memory_order_relaxed);
  return strings;
}

void rv_strings_release(RvStrings* strings) {
  if (!strings || atomic_fetch_sub_explicit(&strings->refs, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < strings->blocks.count; ++i) rv_free(strings->blocks.data[i]);
  rv_array_free(&strings->blocks);
  rv_array_free(&strings->texts);
  rv_free(strings->slots);
  rv_free(strings);
}

// The slot of `text`, or the free slot where it would be inserted. There always is a free one.
static size_t find_slot(const RvStrings* strings, const char* text, size_t length) {
  size_t slot = rv_hash(text, length, 0) & (strings->nslot - 1);
  while (strings->slots[slot] >= 0 && strcmp(strings->texts.data[strings->slots[slot]], text) != 0)
    slot = (slot + 1) & (strings->nslot - 1);
  return slot;
}

// Doubles the hash table and inserts all strings again. False when out of memory.
static bool grow_slots(RvStrings* strings) {
  size_t nslot = strings->nslot ? strings->nslot * 2 : FIRST_SLOTS;
  int32_t* slots = rv_alloc(nslot, sizeof *slots);
  if (!slots) return false;
  // All slots are free, then every string is inserted again.
  memset(slots, BYTE_OF_MINUS_ONE, nslot * sizeof *slots);
  rv_free(strings->slots);
  strings->slots = slots;
  strings->nslot = nslot;
  for (size_t i = 0; i < strings->texts.count; ++i) {
    const char* text = strings->texts.data[i];
    slots[find_slot(strings, text, strlen(text))] = (int32_t)i;
  }
  return true;
}

// Copies the text (`bytes` with its 0) to an address that never moves. NULL when out of memory.
static const char* store(RvStrings* strings, const char* text, size_t bytes) {
  // A new block; what is left of the old one stays unused.
  if (strings->block_used + bytes > strings->block_size) {
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    char* block = rv_alloc(size, 1);
    if (!block) return NULL;
    if (!rv_array_push(&strings->blocks, block)) {
      rv_free(block);
      return NULL;
    }
    strings->block_used = 0;
    strings->block_size = size;
    strings->bytes += size;
  }
  char* at = strings->blocks.data[strings->blocks.count - 1] + strings->block_used;
  memcpy(at, text, bytes);
  strings->block_used += bytes;
  return at;
}

// Index of `text` in an unshared table, added if it is new; RV_STRINGS_FAILED on failure. At most half of the slots are
// used.
static int32_t append(RvStrings* strings, const char* text) {
  if (strings->texts.count >= RV_GEO_MAX_COUNT) return RV_STRINGS_FAILED;
  if (strings->texts.count * 2 >= strings->nslot && !grow_slots(strings)) return RV_STRINGS_FAILED;
  // Known already, or stored and entered into the hash table.
  size_t length = strlen(text);
  size_t slot = find_slot(strings, text, length);
  if (strings->slots[slot] >= 0) return strings->slots[slot];
  if (!rv_array_reserve(&strings->texts, strings->texts.count + 1)) return RV_STRINGS_FAILED;
  const char* stored = store(strings, text, length + 1);
  if (!stored) return RV_STRINGS_FAILED;
  strings->texts.data[strings->texts.count] = stored;
  strings->slots[slot] = (int32_t)strings->texts.count;
  return (int32_t)strings->texts.count++;
}

int32_t rv_strings_find(const RvStrings* strings, const char* text) {
  if (!strings || !strings->nslot || !*text) return -1;
  return strings->slots[find_slot(strings, text, strlen(text))];
}

int32_t rv_strings_intern(RvStrings** strings, const char* text) {
  if (!*text) return RV_STRINGS_EMPTY;
  // A known string needs no change.
  int32_t found = rv_strings_find(*strings, text);
  if (found >= 0) return found;
  // A shared table is copied before a string is added.
  if (atomic_load_explicit(&(*strings)->refs, memory_order_acquire) > 1) {
    RvStrings* fresh = rv_strings_new();
    if (!fresh) return RV_STRINGS_FAILED;
    for (size_t i = 0; i < (*strings)->texts.count; ++i) {
      if (append(fresh, (*strings)->texts.data[i]) < 0) {
        rv_strings_release(fresh);
        return RV_STRINGS_FAILED;
      }
    }
    // Another holder keeps the old table alive, so `text` may still point into it.
    rv_strings_release(*strings);
    *strings = fresh;
  }
  return append(*strings, text);
}
