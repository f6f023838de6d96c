// Buffers of the detail: reference-counted byte arrays that are copied on write.
#include <string.h>

#include "base/hash.h"
#include "geo/detail.h"

// A failed allocation of `data` may be passed on: NULL gives NULL.
RvBuffer* rv_buffer_adopt(void* data, size_t bytes) {
  RvBuffer* buffer = data ? rv_alloc_zero(1, sizeof *buffer) : NULL;
  if (!buffer) {
    rv_free(data);
    return NULL;
  }
  atomic_init(&buffer->refs, 1);
  atomic_init(&buffer->hash, 0);
  buffer->bytes = buffer->capacity = bytes;
  buffer->data = data;
  return buffer;
}

RvBuffer* rv_buffer_new(size_t bytes) {
  return rv_buffer_adopt(rv_alloc(bytes, 1), bytes);
}

RvBuffer* rv_buffer_retain(RvBuffer* buffer) {
  atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
  return buffer;
}

// acq_rel: what other threads wrote or read before their release must happen before the memory is freed.
void rv_buffer_release(RvBuffer* buffer) {
  if (!buffer || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1) return;
  rv_free(buffer->data);
  rv_free(buffer);
}

// The content changes after this call, so a cached hash is dropped.
bool rv_buffer_own(RvBuffer** buffer, size_t capacity) {
  RvBuffer* old = *buffer;
  bool shared = atomic_load_explicit(&old->refs, memory_order_acquire) > 1;
  if (!shared && capacity <= old->capacity) {
    atomic_store_explicit(&old->hash, 0, memory_order_relaxed);
    return true;
  }
  // Capacity grows by at least half of the size, so that n small appends cost O(n).
  size_t wanted = capacity > old->bytes ? capacity : old->bytes;
  if (wanted > old->capacity && old->bytes && wanted < old->bytes + old->bytes / 2)
    wanted = old->bytes + old->bytes / 2;
  // Copy into a buffer of its own.
  RvBuffer* fresh = rv_buffer_new(wanted);
  if (!fresh) return false;
  memcpy(fresh->data, old->data, old->bytes);
  fresh->bytes = old->bytes;
  rv_buffer_release(old);
  *buffer = fresh;
  return true;
}

// Two threads may compute the hash at once; both store the same value.
uint64_t rv_buffer_hash(RvBuffer* buffer) {
  uint64_t hash = atomic_load_explicit(&buffer->hash, memory_order_relaxed);
  if (hash) return hash;
  hash = rv_hash(buffer->data, buffer->bytes, 0);
  // The hash of an unshared buffer is not cached: it may be written through a pointer taken earlier.
  if (atomic_load_explicit(&buffer->refs, memory_order_acquire) > 1)
    atomic_store_explicit(&buffer->hash, hash, memory_order_relaxed);
  return hash;
}
