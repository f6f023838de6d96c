// The frame cache: results by key in a hash table and a list by last use. The least recently used entries are evicted
// first; pinned entries stay.
#include <string.h>

#include "base/memory.h"
#include "scene/host.h"

enum { FIRST_BUCKETS = 256 };  // of the hash table; a power of two

// Memory of an entry and its outputs.
static size_t entry_bytes(const RvEntry* entry) {
  size_t bytes = sizeof *entry;
  for (int i = 0; i < RV_NODE_MAX_OUTPUTS; ++i)
    if (entry->output[i]) bytes += rv_detail_bytes(entry->output[i]);
  for (int i = 0; i < RV_STATE_PARTS; ++i)
    if (entry->state.part[i]) bytes += rv_detail_bytes(entry->state.part[i]);
  return bytes;
}

RvEntry* rv_scene_entry_new(RvSceneNode* node, uint64_t key, double frame) {
  RvEntry* entry = rv_alloc_zero(1, sizeof *entry);
  if (!entry) return NULL;
  entry->node = node;
  entry->key = key;
  entry->frame = frame;
  entry->pins = 1;
  return entry;
}

static void entry_free(RvEntry* entry) {
  for (int i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) rv_detail_free(entry->output[i]);
  rv_state_free(&entry->state);
  rv_free(entry);
}

uint64_t rv_scene_entry_state_hash(RvEntry* entry) {
  if (!entry->hashed) {
    entry->hash = rv_state_hash(&entry->state, entry->node->type->fields, entry->node->type->nfield);
    entry->hashed = entry->hash != 0;
  }
  return entry->hash;
}

//------------------------------------------------------------------------------------------------ list and table

// Takes an entry out of the list by last use.
static void unlink_entry(RvCache* cache, RvEntry* entry) {
  // An end of the list is stored in the cache instead of a neighbour.
  *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
  *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
  entry->newer = entry->older = NULL;
}

// Puts an entry at the new end of the list.
static void link_newest(RvCache* cache, RvEntry* entry) {
  entry->older = cache->newest;
  *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
  cache->newest = entry;
}

// Bucket of a key; the table must not be empty.
static RvEntry** bucket(RvCache* cache, uint64_t key) {
  return &cache->buckets[key & (cache->nbucket - 1)];
}

// Doubles the table when it has as many entries as buckets. False: there is no table at all for lack of memory.
static bool grow(RvCache* cache) {
  if (cache->count < cache->nbucket) return true;
  size_t wanted = cache->nbucket ? cache->nbucket * 2 : FIRST_BUCKETS;
  RvEntry** old = cache->buckets;
  size_t nold = cache->nbucket;
  RvEntry** buckets = rv_alloc_zero(wanted, sizeof *buckets);
  if (!buckets) return nold > 0;
  // Move the entries to the new buckets.
  cache->buckets = buckets;
  cache->nbucket = wanted;
  for (size_t i = 0; i < nold; ++i) {
    for (RvEntry *entry = old[i], *next; entry; entry = next) {
      next = entry->chain;
      RvEntry** slot = bucket(cache, entry->key);
      entry->chain = *slot;
      *slot = entry;
    }
  }
  rv_free(old);
  return true;
}

void rv_scene_cache_drop(RvCache* cache, RvEntry* entry) {
  if (!entry->cached) return;
  RvEntry** slot = bucket(cache, entry->key);
  while (*slot != entry) slot = &(*slot)->chain;
  *slot = entry->chain;
  unlink_entry(cache, entry);
  cache->bytes -= entry->bytes;
  --cache->count;
  entry->cached = false;
  if (entry->pins == 0) entry_free(entry);
}

void rv_scene_cache_trim(RvCache* cache) {
  for (RvEntry *entry = cache->oldest, *next; entry && cache->bytes > cache->limit; entry = next) {
    next = entry->newer;
    if (entry->pins == 0) rv_scene_cache_drop(cache, entry);
  }
}

RvEntry* rv_scene_cache_find(RvCache* cache, uint64_t key) {
  // Search its bucket.
  if (!cache->nbucket) return NULL;
  RvEntry* entry = *bucket(cache, key);
  while (entry && entry->key != key) entry = entry->chain;
  if (!entry) return NULL;
  // It is the most recently used one now.
  unlink_entry(cache, entry);
  link_newest(cache, entry);
  ++entry->pins;
  return entry;
}

void rv_scene_cache_put(RvCache* cache, RvEntry* entry) {
  // Out of memory for the table, the result is not cached.
  if (entry->cached || !grow(cache)) return;
  // Replace an entry of the same key.
  RvEntry* old = rv_scene_cache_find(cache, entry->key);
  if (old) {
    rv_scene_cache_drop(cache, old);
    rv_scene_entry_unpin(cache, old);
  }
  // Insert, count, and evict what is too much.
  RvEntry** slot = bucket(cache, entry->key);
  entry->chain = *slot;
  *slot = entry;
  link_newest(cache, entry);
  entry->bytes = entry_bytes(entry);
  entry->cached = true;
  cache->bytes += entry->bytes;
  ++cache->count;
  rv_scene_cache_trim(cache);
}

void rv_scene_cache_changed(RvCache* cache, RvEntry* entry) {
  if (!entry->cached) return;
  cache->bytes -= entry->bytes;
  entry->bytes = entry_bytes(entry);
  cache->bytes += entry->bytes;
  rv_scene_cache_trim(cache);
}

void rv_scene_entry_unpin(RvCache* cache, RvEntry* entry) {
  if (!entry || --entry->pins > 0) return;
  if (!entry->cached)
    entry_free(entry);
  else
    rv_scene_cache_trim(cache);
}

void rv_scene_cache_clear(RvCache* cache) {
  for (RvEntry *entry = cache->oldest, *next; entry; entry = next) {
    next = entry->newer;
    rv_scene_cache_drop(cache, entry);
  }
  rv_free(cache->buckets);
  *cache = (RvCache){.limit = cache->limit};
}
