// Copying values between attributes, with conversion where storage or size differ.
#include <string.h>

#include "base/parallel.h"
#include "geo/detail.h"
#include "geo/half.h"

enum { GRAIN = 16384 };  // elements of a task of the parallel loops; enough to outweigh its overhead

// Work of the parallel loops; see rv_attrib_transfer.
typedef struct Transfer {
  RvAttrib* to;
  size_t first;  // first element written in `to`
  const RvAttrib* from;
  const int32_t* index;  // source element of each, NULL: the same
  const int32_t* map;    // new index of each string, NULL: unchanged
} Transfer;

// Truncates to an integer clamped to [lo, hi]; NaN becomes 0.
static int64_t clamped_int(double value, int64_t lo, int64_t hi) {
  if (!(value == value)) return 0;
  if (value <= (double)lo) return lo;
  if (value >= (double)hi) return hi;
  return (int64_t)value;
}

// Clamps to [lo, hi].
static int64_t clamp_int(int64_t value, int64_t lo, int64_t hi) {
  return value < lo ? lo : value > hi ? hi : value;
}

// True for the integer storages; strings are none.
static bool is_int(RvStorage storage) {
  return storage == RV_I8 || storage == RV_I32 || storage == RV_I64;
}

// Number `at` of an integer attribute, without loss.
static int64_t get_int(const RvAttrib* attrib, size_t at) {
  const void* data = attrib->values->data;
  if (attrib->storage == RV_I8) return ((const int8_t*)data)[at];
  if (attrib->storage == RV_I32) return ((const int32_t*)data)[at];
  return ((const int64_t*)data)[at];
}

// Number `at` of a numeric attribute as double.
static double get_real(const RvAttrib* attrib, size_t at) {
  return rv_attrib_get(attrib, at / (size_t)attrib->size, (int)(at % (size_t)attrib->size));
}

// A double beyond the range of float becomes infinite, as in C.
void rv_number_put(RvStorage storage, void* data, size_t at, double value) {
  switch (storage) {
    case RV_F16:
      ((uint16_t*)data)[at] = rv_half_from_float((float)value);
      break;
    case RV_F32:
      ((float*)data)[at] = (float)value;
      break;
    case RV_F64:
      ((double*)data)[at] = value;
      break;
    case RV_I8:
      ((int8_t*)data)[at] = (int8_t)clamped_int(value, INT8_MIN, INT8_MAX);
      break;
    case RV_I32:
      ((int32_t*)data)[at] = (int32_t)clamped_int(value, INT32_MIN, INT32_MAX);
      break;
    case RV_I64:
      ((int64_t*)data)[at] = clamped_int(value, INT64_MIN, INT64_MAX);
      break;
    default:
      break;
  }
}

// Converts one number. Integers go to integers directly, so that 64-bit values are not rounded to double.
static void convert_one(RvAttrib* to, size_t at, const RvAttrib* from, size_t source) {
  void* data = to->values->data;
  int64_t integer = is_int(from->storage) ? get_int(from, source) : 0;
  // Any real on either side: through double.
  if (!is_int(from->storage) || !is_int(to->storage))
    rv_number_put(to->storage, data, at, get_real(from, source));
  else if (to->storage == RV_I8)
    ((int8_t*)data)[at] = (int8_t)clamp_int(integer, INT8_MIN, INT8_MAX);
  else if (to->storage == RV_I32)
    ((int32_t*)data)[at] = (int32_t)clamp_int(integer, INT32_MIN, INT32_MAX);
  else
    ((int64_t*)data)[at] = integer;
}

// Copies elements between attributes of equal storage and size.
static void copy_range(void* arg, size_t begin, size_t end) {
  const Transfer* job = arg;
  size_t stride = job->to->stride;
  char* to = (char*)job->to->values->data + job->first * stride;
  const char* from = job->from->values->data;
  // Without an index a range is one block of memory.
  if (!job->index) {
    memcpy(to + begin * stride, from + begin * stride, (end - begin) * stride);
    return;
  }
  for (size_t i = begin; i < end; ++i) {
    const char* source = from + (size_t)job->index[i] * stride;
    // The common element sizes are spelled out, so that the compiler makes single moves of them.
    switch (stride) {
      case 1:
        to[i] = *source;
        break;
      case 4:
        memcpy(to + i * 4, source, 4);
        break;
      case 8:
        memcpy(to + i * 8, source, 8);
        break;
      case 12:
        memcpy(to + i * 12, source, 12);
        break;
      case 16:
        memcpy(to + i * 16, source, 16);
        break;
      default:
        memcpy(to + i * stride, source, stride);
    }
  }
}

// Copies elements component by component, converting each; components that the source lacks get the default.
static void convert_range(void* arg, size_t begin, size_t end) {
  const Transfer* job = arg;
  const RvAttrib* from = job->from;
  RvAttrib* to = job->to;
  // Components that both have.
  int shared = to->size < from->size ? to->size : from->size;
  for (size_t i = begin; i < end; ++i) {
    size_t source = (job->index ? (size_t)job->index[i] : i) * (size_t)from->size;
    size_t at = (job->first + i) * (size_t)to->size;
    for (int c = 0; c < to->size; ++c) {
      if (c >= shared) {
        size_t bytes = rv_storage_bytes(to->storage);
        memcpy((char*)to->values->data + (at + (size_t)c) * bytes, (char*)to->default_tuple + (size_t)c * bytes, bytes);
      } else if (to->storage == RV_STRING) {
        int32_t text = ((const int32_t*)from->values->data)[source + (size_t)c];
        ((int32_t*)to->values->data)[at + (size_t)c] = text < 0 ? -1 : job->map ? job->map[text] : text;
      } else {
        convert_one(to, at + (size_t)c, from, source + (size_t)c);
      }
    }
  }
}

void rv_attrib_transfer(RvAttrib* to, size_t first, size_t count, const RvAttrib* from, const int32_t* index,
                        const int32_t* map) {
  bool same_layout = to->storage == from->storage && to->size == from->size && !(to->storage == RV_STRING && map);
  Transfer job = {to, first, from, index, map};
  rv_parallel_for(count, GRAIN, same_layout ? copy_range : convert_range, &job);
}
