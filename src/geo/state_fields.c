// State fields that are loaded and saved by their rows alone: the row says which member of the solver's data an
// attribute goes to, and how it is laid out.
#include <string.h>

#include "base/memory.h"
#include "rivulet/state.h"

static size_t number_bytes(RvStorage storage) {
  switch (storage) {
    case RV_F64:
    case RV_I64:
      return 8;
    case RV_F32:
    case RV_I32:
      return 4;
    default:
      return 0;
  }
}

// Bytes of one element of a field that its row lays out; 0: the row leaves it to the solver.
static size_t element_bytes(const RvFieldDef* field) {
  return field->layout == RV_LAYOUT_OWN ? 0 : (size_t)field->size * number_bytes(field->storage);
}

// The member as an array.
static void** array_of(const RvFieldDef* field, void* data) {
  return (void**)((char*)data + field->member);
}

static RvResult load_field(const RvDetail* detail, const RvFieldDef* field, void* data, RvError* error) {
  const RvAttrib* attrib = field->saved ? rv_detail_find(detail, field->owner, field->name) : NULL;
  size_t count = rv_detail_count(detail, field->owner), bytes = element_bytes(field);
  if (field->saved && (!attrib || rv_attrib_storage(attrib) != field->storage || rv_attrib_size(attrib) != field->size))
    return rv_fail(error, RV_BAD_INPUT, "the state has no attribute '%s' of the kind that the solver writes",
                   field->name);
  if (field->layout == RV_LAYOUT_NUMBERS) {
    memcpy((char*)data + field->member, rv_attrib_read(attrib), bytes);
    return RV_OK;
  }
  void* array = rv_alloc_zero(count, bytes);
  if (!array) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
  if (attrib) memcpy(array, rv_attrib_read(attrib), count * bytes);
  *array_of(field, data) = array;
  return RV_OK;
}

RvResult rv_state_load(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i)
    if (element_bytes(&fields[i])) result = load_field(detail, &fields[i], data, error);
  return result;
}

RvResult rv_state_save(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data, RvError* error) {
  RvResult result = rv_state_prepare(detail, fields, count, error);
  for (size_t i = 0; i < count && !result; ++i) {
    const RvFieldDef* field = &fields[i];
    size_t bytes = element_bytes(field);
    if (!bytes || !field->saved) continue;
    const char* member = (const char*)data + field->member;
    const void* from = field->layout == RV_LAYOUT_ARRAY ? *(void* const*)member : member;
    void* to = rv_attrib_write(rv_detail_find_mutable(detail, field->owner, field->name));
    if (!to) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
    memcpy(to, from, rv_detail_count(detail, field->owner) * bytes);
  }
  return result;
}

void rv_state_release(const RvFieldDef* fields, size_t count, void* data) {
  for (size_t i = 0; i < count; ++i) {
    if (!element_bytes(&fields[i]) || fields[i].layout != RV_LAYOUT_ARRAY) continue;
    rv_free(*array_of(&fields[i], data));
    *array_of(&fields[i], data) = NULL;
  }
}
