// State fields of particles: one array for each number of an element, in the solver's own order.
#include <string.h>

#include "base/parallel.h"
#include "geo/state_map.h"

enum { GRAIN = 4096 };  // elements of a parallel task

// Copy of one number of each element of a field.
typedef struct Copy {
  char* plane;             // [numbers] of the solver
  char* values;            // of the attribute, from this number of the first element on
  size_t stride;           // bytes of an element of the attribute
  size_t bytes;            // of a number: 4 or 8
  const int32_t* element;  // load: element of each number, or NULL
  const uint32_t* order;   // save: number of each element
} Copy;

// One number; constant sizes compile to single moves.
static void copy_number(char* to, const char* from, size_t bytes) {
  if (bytes == 8)
    memcpy(to, from, 8);
  else
    memcpy(to, from, 4);
}

static void load_range(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  for (size_t i = begin; i < end; ++i) {
    size_t e = c->element ? (size_t)c->element[i] : i;
    copy_number(c->plane + i * c->bytes, c->values + e * c->stride, c->bytes);
  }
}

static void save_range(void* arg, size_t begin, size_t end) {
  const Copy* c = arg;
  for (size_t e = begin; e < end; ++e)
    copy_number(c->values + e * c->stride, c->plane + (size_t)c->order[e] * c->bytes, c->bytes);
}

// Copies every number of a field.
static void copy_field(const RvFieldDef* field, void* data, char* values, Copy c, size_t number, RvRangeFn* copy) {
  char* const* planes = rv_state_member(field, data);
  c.bytes = rv_storage_bytes(field->storage);
  c.stride = c.bytes * (size_t)field->size;
  for (int k = 0; k < field->size; ++k) {
    c.plane = planes[k];
    c.values = values + (size_t)k * c.bytes;
    rv_parallel_for(number, GRAIN, copy, &c);
  }
}

// Whether an optional field has no arrays.
static bool absent(const RvFieldDef* field, void* data) {
  char* const* planes = rv_state_member(field, data);
  return field->optional && !planes[0];
}

RvResult rv_state_load_planes(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                              const int32_t* element, size_t number, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    if (fields[i].layout != RV_LAYOUT_PLANES || absent(&fields[i], data)) continue;
    const void* values = NULL;
    result = rv_state_values(detail, &fields[i], &values, error);
    if (!result) copy_field(&fields[i], data, (char*)values, (Copy){.element = element}, number, load_range);
  }
  return result;
}

RvResult rv_state_save_planes(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                              const uint32_t* order, size_t number, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    const RvFieldDef* f = &fields[i];
    if (f->layout != RV_LAYOUT_PLANES || !f->saved || absent(f, (void*)data)) continue;
    void* values = NULL;
    if (f->optional) result = rv_detail_add_attrib(detail, f->owner, f->name, f->storage, f->size, f->tag, NULL, error);
    if (!result) result = rv_state_values_write(detail, f, &values, error);
    if (!result) copy_field(f, (void*)data, values, (Copy){.order = order}, number, save_range);
  }
  return result;
}
