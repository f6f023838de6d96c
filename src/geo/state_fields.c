// State fields that are loaded and saved by their rows alone: the row says which member of the solver's data an
// attribute goes to, and how it is laid out.
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "geo/state_map.h"

void* rv_state_member(const RvFieldDef* field, void* data) {
  char* base = field->held ? *(char**)((char*)data + field->holder) : data;
  return base + field->member;
}

RvResult rv_state_values(const RvDetail* detail, const RvFieldDef* field, const void** out, RvError* error) {
  const RvAttrib* attrib = rv_detail_find(detail, field->owner, field->name);
  if (!attrib || rv_attrib_storage(attrib) != field->storage || rv_attrib_size(attrib) != field->size)
    return rv_fail(error, RV_BAD_INPUT, "the state has no attribute '%s' of the kind that the solver writes",
                   field->name);
  *out = rv_attrib_read(attrib);
  return RV_OK;
}

RvResult rv_state_values_write(RvDetail* detail, const RvFieldDef* field, void** out, RvError* error) {
  RvAttrib* attrib = rv_detail_find_mutable(detail, field->owner, field->name);
  *out = attrib ? rv_attrib_write(attrib) : NULL;
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
}

void rv_state_bounds(const RvFieldDef* field, double* least, double* most) {
  bool any = field->least == 0 && field->most == 0;
  *least = any ? -DBL_MAX : field->least;
  *most = any ? DBL_MAX : field->most;
}

RvResult rv_state_refuse(const RvFieldDef* field, size_t bad, RvError* error) {
  return rv_fail(error, RV_BAD_INPUT,
                 "%zu numbers of the state's %s are none that the solver writes: the state was changed or damaged; "
                 "simulate from the start frame, or from another state",
                 bad, field->name);
}

// Bytes of one element of a field that is copied element by element; 0: it is not.
static size_t element_bytes(const RvFieldDef* field) {
  bool whole = field->layout == RV_LAYOUT_ARRAY || field->layout == RV_LAYOUT_NUMBERS;
  return whole ? (size_t)field->size * rv_storage_bytes(field->storage) : 0;
}

//---------------------------------------------------------------------------------------------- load

// A list may be absent: then it is empty.
static RvResult load_list(const RvDetail* detail, const RvFieldDef* field, RvStateList* list, RvError* error) {
  const RvAttrib* attrib = rv_detail_find(detail, field->owner, field->name);
  *list = (RvStateList){0};
  if (!attrib) return RV_OK;
  if (rv_attrib_storage(attrib) != RV_F64)
    return rv_fail(error, RV_BAD_INPUT, "the state's '%s' is no list of 64-bit numbers", field->name);
  list->count = (size_t)rv_attrib_size(attrib);
  list->data = rv_alloc(list->count, sizeof *list->data);
  if (!list->data) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
  memcpy(list->data, rv_attrib_read(attrib), list->count * sizeof *list->data);
  return RV_OK;
}

// Numbers of a member that the row does not allow.
static size_t count_bad(const RvFieldDef* field, const void* values) {
  double least, most;
  size_t bad = 0;
  rv_state_bounds(field, &least, &most);
  for (int k = 0; k < field->size && field->storage == RV_F64; ++k) {
    double x = ((const double*)values)[k];
    bad += !(x >= least && x <= most);
  }
  return bad;
}

static RvResult load_field(const RvDetail* detail, const RvFieldDef* field, void* data, RvError* error) {
  const void* values = NULL;
  size_t count = rv_detail_count(detail, field->owner), bytes = element_bytes(field);
  RvResult result = field->saved ? rv_state_values(detail, field, &values, error) : RV_OK;
  if (result) return result;
  void* member = rv_state_member(field, data);
  if (field->layout == RV_LAYOUT_NUMBERS) {
    memcpy(member, values, bytes);
    size_t bad = count_bad(field, values);
    return bad ? rv_state_refuse(field, bad, error) : RV_OK;
  }
  void* array = rv_alloc_zero(count, bytes);
  if (!array) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
  if (values) memcpy(array, values, count * bytes);
  *(void**)member = array;
  return RV_OK;
}

RvResult rv_state_load(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    if (fields[i].layout == RV_LAYOUT_LIST)
      result = load_list(detail, &fields[i], rv_state_member(&fields[i], data), error);
    else if (element_bytes(&fields[i]))
      result = load_field(detail, &fields[i], data, error);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- save

static RvResult save_list(RvDetail* detail, const RvFieldDef* field, const RvStateList* list, RvError* error) {
  rv_detail_remove_attrib(detail, field->owner, field->name);
  if (!list->count) return RV_OK;
  if (list->count > INT32_MAX / sizeof *list->data)
    return rv_fail(error, RV_LIMIT, "the state's '%s' has %zu numbers, more than an attribute can hold", field->name,
                   list->count);
  double* out = rv_detail_f64_write(detail, field->owner, field->name, (int)list->count, error);
  if (!out) rv_fail(error, RV_NO_MEMORY, "out of memory for the state's '%s'", field->name);
  // an attribute of the input with another type is told already
  if (!out) return error ? error->code : RV_NO_MEMORY;
  memcpy(out, list->data, list->count * sizeof *out);
  return RV_OK;
}

static RvResult save_field(RvDetail* detail, const RvFieldDef* field, const void* member, RvError* error) {
  const void* from = field->layout == RV_LAYOUT_ARRAY ? *(void* const*)member : member;
  void* to;
  RvResult result = rv_state_values_write(detail, field, &to, error);
  if (!result) memcpy(to, from, rv_detail_count(detail, field->owner) * element_bytes(field));
  return result;
}

RvResult rv_state_save(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data, RvError* error) {
  RvResult result = rv_state_prepare(detail, fields, count, error);
  for (size_t i = 0; i < count && !result; ++i) {
    const RvFieldDef* field = &fields[i];
    if (!field->saved) continue;
    if (field->layout == RV_LAYOUT_LIST)
      result = save_list(detail, field, rv_state_member(field, (void*)data), error);
    else if (element_bytes(field))
      result = save_field(detail, field, rv_state_member(field, (void*)data), error);
  }
  return result;
}

void rv_state_release(const RvFieldDef* fields, size_t count, void* data) {
  for (size_t i = 0; i < count; ++i) {
    if (fields[i].layout == RV_LAYOUT_LIST) {
      RvStateList* list = rv_state_member(&fields[i], data);
      rv_free(list->data);
      *list = (RvStateList){0};
    } else if (fields[i].layout == RV_LAYOUT_ARRAY) {
      void** array = rv_state_member(&fields[i], data);
      rv_free(*array);
      *array = NULL;
    }
  }
}
