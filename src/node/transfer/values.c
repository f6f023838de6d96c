// Transfer of point attributes from guides to hairs.
#include <string.h>

#include "base/memory.h"
#include "geo/half.h"
#include "node/shape/select.h"
#include "node/transfer/transfer.h"

// True for floating-point storage.
static bool is_float(RvStorage storage) {
  return storage == RV_F16 || storage == RV_F32 || storage == RV_F64;
}

// True for attributes that are never transferred: positions and frames of the hairs, and private state of solvers.
static bool is_excluded(const char* name) {
  return strcmp(name, "P") == 0 || strcmp(name, "rest") == 0 || strcmp(name, "orient") == 0 ||
         strncmp(name, "rv_", 3) == 0;
}

// Prepares the transfer of one attribute.
static RvResult open_value(const RvAttrib* a, const RvTransferGuides* g, RvDetail* out, RvTransferValue* value,
                           RvError* error) {
  const char* name = rv_attrib_name(a);
  int size = rv_attrib_size(a);
  *value = (RvTransferValue){.storage = rv_attrib_storage(a), .size = size};
  if (is_float(value->storage)) {
    value->from = rv_alloc(g->nsample * (size_t)size, sizeof *value->from);
    for (size_t i = 0; value->from && i < g->nsample; ++i)
      for (int c = 0; c < size; ++c)
        value->from[i * (size_t)size + (size_t)c] = rv_attrib_get(a, (size_t)g->point[i], c);
  } else {
    value->raw = rv_attrib_read(a);
  }
  // The attribute takes the type of the guides', whatever the hairs had.
  RvAttrib* to = NULL;
  rv_detail_remove_attrib(out, RV_POINT, name);
  RvResult result = rv_detail_add_attrib(out, RV_POINT, name, value->storage, size, rv_attrib_tag(a), &to, error);
  if (result) return result;
  result = rv_attrib_set_default(to, rv_attrib_default(a), error);
  value->to = result ? NULL : rv_attrib_write(to);
  if (!result && (!value->to || (is_float(value->storage) && !value->from)))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", name);
  return result;
}

RvResult rv_transfer_values_open(RvCook* cook, const char* patterns, const RvDetail* moved, const RvTransferGuides* g,
                                 RvDetail* out, RvTransferValues* values, RvError* error) {
  size_t count = rv_detail_attrib_count(moved, RV_POINT);
  *values = (RvTransferValues){rv_alloc_zero(count, sizeof *values->data), 0};
  if (!values->data) return rv_fail(error, RV_NO_MEMORY, "out of memory for the guides' attributes");
  for (size_t i = 0; i < count; ++i) {
    const RvAttrib* a = rv_detail_attrib(moved, RV_POINT, i);
    const char* name = rv_attrib_name(a);
    if (is_excluded(name) || !rv_select_name(patterns, name)) continue;
    if (rv_attrib_storage(a) == RV_STRING) {
      rv_cook_warn(cook, "the attribute %s of the guides is a string and is not transferred", name);
      continue;
    }
    RvResult result = open_value(a, g, out, &values->data[values->count++], error);
    if (result) return result;
  }
  return RV_OK;
}

// Stores a float in the storage of the attribute.
static void set_float(const RvTransferValue* v, size_t element, double value) {
  if (v->storage == RV_F32)
    ((float*)v->to)[element] = (float)value;
  else if (v->storage == RV_F64)
    ((double*)v->to)[element] = value;
  else
    ((uint16_t*)v->to)[element] = rv_half_from_float((float)value);
}

void rv_transfer_values_set(const RvTransferValues* values, const RvTransferGuides* g, const RvTransferSpot* spot,
                            size_t point) {
  for (size_t k = 0; k < values->count; ++k) {
    const RvTransferValue* v = &values->data[k];
    size_t size = (size_t)v->size;
    // Integers are copied from the nearest sample of the own guide, floats interpolated.
    if (v->raw) {
      size_t bytes = rv_storage_bytes(v->storage) * size;
      size_t from = (size_t)g->point[spot->at[spot->owner] + (spot->share[spot->owner] > 0.5)];
      memcpy((char*)v->to + point * bytes, v->raw + from * bytes, bytes);
      continue;
    }
    for (size_t c = 0; c < size; ++c) {
      double sum = 0;
      for (int j = 0; j < spot->count; ++j) {
        const double* a = v->from + (size_t)spot->at[j] * size + c;
        sum += spot->weight[j] * (a[0] + spot->share[j] * (a[size] - a[0]));
      }
      set_float(v, point * size + c, sum);
    }
  }
}

void rv_transfer_values_free(RvTransferValues* values) {
  for (size_t i = 0; i < values->count; ++i) rv_free(values->data[i].from);
  rv_free(values->data);
  *values = (RvTransferValues){0};
}
