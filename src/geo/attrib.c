// One attribute: storage and tag names, creation, values, defaults and strings.
#include <stdio.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/half.h"

// Rows of RV_STORAGES: bytes of a number and Houdini's name of the storage.
static const struct {
  size_t bytes;
  const char* word;
} STORAGES[RV_STORAGE_COUNT] = {
#define ROW(name, bytes, word) {bytes, word},
    RV_STORAGES(ROW)
#undef ROW
};

// Rows of RV_TAGS: the word in Houdini files.
static const char* const TAGS[RV_TAG_COUNT] = {
#define ROW(name, word) word,
    RV_TAGS(ROW)
#undef ROW
};

// The names and sizes below tolerate values outside of the enums, which may come from files or bindings.
const char* rv_storage_name(RvStorage storage) {
  return (unsigned)storage < RV_STORAGE_COUNT ? STORAGES[storage].word : "";
}

size_t rv_storage_bytes(RvStorage storage) {
  return (unsigned)storage < RV_STORAGE_COUNT ? STORAGES[storage].bytes : 0;
}

const char* rv_tag_name(RvTag tag) {
  return (unsigned)tag < RV_TAG_COUNT ? TAGS[tag] : "";
}

RvTag rv_tag_from_name(const char* name) {
  for (int i = 0; name && i < RV_TAG_COUNT; ++i) {
    if (strcmp(name, TAGS[i]) == 0) return (RvTag)i;
  }
  return RV_TAG_NONE;
}

//---------------------------------------------------------------------------------------------- one attribute

enum {
  TUPLE_ALIGNMENT = 16,  // bytes; of the default tuple, a power of two
  BYTE_OF_MINUS_ONE = 0xff,
};

RvAttrib* rv_attrib_new(RvOwner owner, const char* name, RvStorage storage, int size, RvTag tag, size_t count) {
  size_t stride = rv_storage_bytes(storage) * (size_t)size;
  size_t length = strlen(name);
  size_t bytes;
  // The default tuple follows the name, aligned for any storage.
  size_t at = (sizeof(RvAttrib) + length + 1 + TUPLE_ALIGNMENT - 1) & ~(size_t)(TUPLE_ALIGNMENT - 1);
  if (!rv_mul_ok(count, stride, &bytes)) return NULL;
  RvAttrib* attrib = rv_alloc_zero(at + stride, 1);
  if (!attrib) return NULL;
  attrib->owner = owner;
  attrib->storage = storage;
  attrib->tag = tag;
  attrib->size = size;
  attrib->stride = stride;
  attrib->count = count;
  attrib->default_tuple = (char*)attrib + at;
  memcpy(attrib->name, name, length + 1);
  // Values, and for strings the table.
  attrib->values = rv_buffer_new(bytes);
  if (storage == RV_STRING) {
    // Every component of a string's default is -1, the empty string.
    memset(attrib->default_tuple, BYTE_OF_MINUS_ONE, stride);
    attrib->strings = rv_strings_new();
  }
  if (!attrib->values || (storage == RV_STRING && !attrib->strings)) {
    rv_attrib_free(attrib);
    return NULL;
  }
  rv_attrib_fill(attrib, 0, count);
  return attrib;
}

// The block is copied with memcpy; the pointer to the default tuple must then point into the copy.
RvAttrib* rv_attrib_copy(const RvAttrib* attrib) {
  size_t at = (size_t)((char*)attrib->default_tuple - (char*)attrib);
  size_t bytes = at + attrib->stride;
  RvAttrib* copy = rv_alloc(bytes, 1);
  if (!copy) return NULL;
  memcpy(copy, attrib, bytes);
  copy->default_tuple = (char*)copy + at;
  copy->values = rv_buffer_retain(attrib->values);
  copy->strings = rv_strings_retain(attrib->strings);
  return copy;
}

void rv_attrib_free(RvAttrib* attrib) {
  if (!attrib) return;
  rv_buffer_release(attrib->values);
  rv_strings_release(attrib->strings);
  rv_free(attrib);
}

// A default whose bytes are all equal (0 or -1) is written by memset, which is much faster.
void rv_attrib_fill(RvAttrib* attrib, size_t begin, size_t end) {
  if (begin >= end) return;
  char* data = attrib->values->data;
  const unsigned char* tuple = attrib->default_tuple;
  // Are all bytes of the default equal?
  bool uniform = true;
  for (size_t i = 1; i < attrib->stride; ++i) uniform &= tuple[i] == tuple[0];
  if (uniform) {
    memset(data + begin * attrib->stride, tuple[0], (end - begin) * attrib->stride);
    return;
  }
  for (size_t i = begin; i < end; ++i) memcpy(data + i * attrib->stride, tuple, attrib->stride);
}

const char* rv_attrib_name(const RvAttrib* attrib) {
  return attrib->name;
}

RvOwner rv_attrib_owner(const RvAttrib* attrib) {
  return attrib->owner;
}

RvStorage rv_attrib_storage(const RvAttrib* attrib) {
  return attrib->storage;
}

int rv_attrib_size(const RvAttrib* attrib) {
  return attrib->size;
}

RvTag rv_attrib_tag(const RvAttrib* attrib) {
  return attrib->tag;
}

size_t rv_attrib_count(const RvAttrib* attrib) {
  return attrib->count;
}

const void* rv_attrib_default(const RvAttrib* attrib) {
  return attrib->default_tuple;
}

// The default of a string attribute is checked: it must refer to strings of the table.
RvResult rv_attrib_set_default(RvAttrib* attrib, const void* tuple, RvError* error) {
  if (attrib->storage == RV_STRING) {
    const int32_t* index = tuple;
    for (int c = 0; c < attrib->size; ++c) {
      if (index[c] < RV_STRINGS_EMPTY || index[c] >= (int64_t)attrib->strings->texts.count)
        return rv_fail(error, RV_BAD_INPUT, "default of the attribute '%s': there is no text %d in its table",
                       attrib->name, index[c]);
    }
  }
  memcpy(attrib->default_tuple, tuple, attrib->stride);
  return RV_OK;
}

const void* rv_attrib_read(const RvAttrib* attrib) {
  return attrib->values->data;
}

// Unsharing keeps the capacity: rv_buffer_own copies only if another attribute has the buffer too.
void* rv_attrib_write(RvAttrib* attrib) {
  return rv_buffer_own(&attrib->values, attrib->values->bytes) ? attrib->values->data : NULL;
}

// Halves and floats are exact in double, int64 is rounded beyond 2^53.
double rv_number_get(RvStorage storage, const void* data, size_t at) {
  switch (storage) {
    case RV_F16:
      return rv_half_to_float(((const uint16_t*)data)[at]);
    case RV_F32:
      return ((const float*)data)[at];
    case RV_F64:
      return ((const double*)data)[at];
    case RV_I8:
      return ((const int8_t*)data)[at];
    case RV_I32:
      return ((const int32_t*)data)[at];
    case RV_I64:
      return (double)((const int64_t*)data)[at];
    default:
      return 0;
  }
}

double rv_attrib_get(const RvAttrib* attrib, size_t element, int component) {
  if (element >= attrib->count || component < 0 || component >= attrib->size) return 0;
  return rv_number_get(attrib->storage, attrib->values->data, element * (size_t)attrib->size + (size_t)component);
}

//---------------------------------------------------------------------------------------------- strings

// An index below 0 is the empty string, which is in no table.
const char* rv_attrib_string_at(const RvAttrib* attrib, int index) {
  if (!attrib->strings || index < 0 || (size_t)index >= attrib->strings->texts.count) return "";
  return attrib->strings->texts.data[index];
}

size_t rv_attrib_string_count(const RvAttrib* attrib) {
  return attrib->strings ? attrib->strings->texts.count : 0;
}

const char* rv_attrib_string(const RvAttrib* attrib, size_t element, int component) {
  if (attrib->storage != RV_STRING || element >= attrib->count || component < 0 || component >= attrib->size) return "";
  const int32_t* index = attrib->values->data;
  return rv_attrib_string_at(attrib, index[element * (size_t)attrib->size + (size_t)component]);
}

RvResult rv_attrib_set_string(RvAttrib* attrib, size_t element, int component, const char* text, RvError* error) {
  if (attrib->storage != RV_STRING)
    return rv_fail(error, RV_BAD_INPUT, "the attribute '%s' holds numbers, not texts", attrib->name);
  if (element >= attrib->count || component < 0 || component >= attrib->size)
    return rv_fail(error, RV_BAD_INPUT, "the attribute '%s' has no element %zu, component %d (it has %zu of size %d)",
                   attrib->name, element, component, attrib->count, attrib->size);
  // Intern before unsharing the values: `text` may belong to this very attribute.
  int32_t index = rv_strings_intern(&attrib->strings, text ? text : "");
  int32_t* values = index == RV_STRINGS_FAILED ? NULL : rv_attrib_write(attrib);
  if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory setting the attribute '%s'", attrib->name);
  values[element * (size_t)attrib->size + (size_t)component] = index;
  return RV_OK;
}

RvResult rv_attrib_map_strings(RvAttrib* to, const RvAttrib* from, int32_t** map, RvError* error) {
  *map = NULL;
  // Nothing to translate.
  if (to->storage != RV_STRING || to->strings == from->strings) return RV_OK;
  // New index of each string of the source; all strings are added, also those that no element uses.
  size_t count = from->strings->texts.count;
  int32_t* index = rv_alloc(count, sizeof *index);
  for (size_t i = 0; index && i < count; ++i) {
    index[i] = rv_strings_intern(&to->strings, from->strings->texts.data[i]);
    if (index[i] == RV_STRINGS_FAILED) {
      rv_free(index);
      index = NULL;
    }
  }
  *map = index;
  return index ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the texts of '%s'", to->name);
}
