// Runs of numbers from files: reading single elements and converting whole runs to attribute storages.
#include "geo/numbers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "geo/half.h"

enum {
  BITS_OF_WORD = 32,        // bools are packed into 32-bit words
  CONVERT_GRAIN = 1 << 17,  // numbers of a task of the parallel conversion; enough to outweigh its overhead
};

// Bytes of an element in a file; 0 for bits and unknown types.
static size_t element_size(int element) {
  switch (element) {
    case RV_ELEMENT_I8:
    case RV_ELEMENT_U8:
      return 1;
    case RV_ELEMENT_I16:
    case RV_ELEMENT_U16:
    case RV_ELEMENT_F16:
      return 2;
    case RV_ELEMENT_I32:
    case RV_ELEMENT_F32:
      return 4;
    case RV_ELEMENT_I64:
    case RV_ELEMENT_F64:
      return 8;
    default:
      return 0;
  }
}

// Bools are padded to whole words.
bool rv_element_bytes(int element, size_t count, size_t* bytes) {
  if (element == RV_ELEMENT_BOOL) {
    *bytes = (count / BITS_OF_WORD + (count % BITS_OF_WORD != 0)) * sizeof(uint32_t);
    return true;
  }
  size_t size = element_size(element);
  return size && rv_mul_ok(count, size, bytes);
}

void rv_numbers_free(RvNumbers* numbers) {
  // A view owns nothing.
  rv_free(numbers->own.data);
  memset(numbers, 0, sizeof *numbers);
}

bool rv_numbers_reserve(RvNumbers* numbers, RvElement element, size_t more) {
  size_t size = element_size(element);
  if (!numbers->own.data) {
    // A view so far: convert what it contains to own values. The bound keeps the sum from overflowing.
    RvNumbers view = *numbers;
    size_t count = view.count;
    size_t bytes;
    if (count > SIZE_MAX / 16 - more || !rv_mul_ok(count + more, size, &bytes)) return false;
    uint8_t* data = rv_alloc(bytes, 1);
    if (!data) return false;
    RvStorage storage = element == RV_ELEMENT_I64 ? RV_I64 : element == RV_ELEMENT_F64 ? RV_F64 : RV_F32;
    if (count) rv_numbers_convert(&view, 0, count, 1, storage, data, size);
    numbers->own.data = data;
    numbers->own.capacity = bytes;
    numbers->own.used = count * size;
    numbers->element = element;
    numbers->swap = false;
    numbers->bytes = data;
    return true;
  }
  // Own values already: at least double the capacity, so that n appends cost O(n).
  size_t wanted;
  if (!rv_mul_ok(more, size, &wanted) || wanted > SIZE_MAX / 4 - numbers->own.used) return false;
  wanted += numbers->own.used;
  if (wanted <= numbers->own.capacity) return true;
  size_t capacity = numbers->own.capacity * 2 > wanted ? numbers->own.capacity * 2 : wanted;
  uint8_t* data = rv_realloc(numbers->own.data, numbers->own.used, capacity, 1);
  if (!data) return false;
  numbers->own.data = data;
  numbers->own.capacity = capacity;
  numbers->bytes = data;
  return true;
}

// A 16-bit word from unaligned bytes, with the byte order reversed if `swap`.
static uint16_t load16(const uint8_t* p, bool swap) {
  uint16_t v;
  memcpy(&v, p, 2);
  return swap ? __builtin_bswap16(v) : v;
}

// The same for 32 bits.
static uint32_t load32(const uint8_t* p, bool swap) {
  uint32_t v;
  memcpy(&v, p, 4);
  return swap ? __builtin_bswap32(v) : v;
}

// The same for 64 bits.
static uint64_t load64(const uint8_t* p, bool swap) {
  uint64_t v;
  memcpy(&v, p, 8);
  return swap ? __builtin_bswap64(v) : v;
}

// True for the floating-point element types.
static bool is_real(RvElement element) {
  return element == RV_ELEMENT_F16 || element == RV_ELEMENT_F32 || element == RV_ELEMENT_F64;
}

// A floating-point element as double.
static double load_real(const RvNumbers* n, size_t i) {
  // By its type; the bits are moved by memcpy, as the bytes may be unaligned.
  if (n->element == RV_ELEMENT_F16) return (double)rv_half_to_float(load16(n->bytes + 2 * i, n->swap));
  if (n->element == RV_ELEMENT_F32) {
    uint32_t bits = load32(n->bytes + 4 * i, n->swap);
    float value;
    memcpy(&value, &bits, 4);
    return (double)value;
  }
  uint64_t bits = load64(n->bytes + 8 * i, n->swap);
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

// An integer or bool element.
static int64_t load_integer(const RvNumbers* n, size_t i) {
  switch (n->element) {
    case RV_ELEMENT_BOOL:
      return load32(n->bytes + 4 * (i / BITS_OF_WORD), n->swap) >> (i % BITS_OF_WORD) & 1;
    case RV_ELEMENT_I8:
      return (int8_t)n->bytes[i];
    case RV_ELEMENT_U8:
      return n->bytes[i];
    case RV_ELEMENT_I16:
      return (int16_t)load16(n->bytes + 2 * i, n->swap);
    case RV_ELEMENT_U16:
      return load16(n->bytes + 2 * i, n->swap);
    case RV_ELEMENT_I32:
      return (int32_t)load32(n->bytes + 4 * i, n->swap);
    default:
      return (int64_t)load64(n->bytes + 8 * i, n->swap);
  }
}

double rv_numbers_f64(const RvNumbers* numbers, size_t index) {
  return is_real(numbers->element) ? load_real(numbers, index) : (double)load_integer(numbers, index);
}

int64_t rv_numbers_i64(const RvNumbers* numbers, size_t index) {
  if (!is_real(numbers->element)) return load_integer(numbers, index);
  double value = load_real(numbers, index);
  // Comparisons with 2^63, as INT64_MAX is no double.
  if (isnan(value)) return 0;
  if (value >= 0x1p63) return INT64_MAX;
  if (value < -0x1p63) return INT64_MIN;
  return (int64_t)value;
}

// Writes element i in a storage, clamping integers.
static void store_number(const RvNumbers* n, size_t i, RvStorage storage, uint8_t* out) {
  // Reals.
  if (storage == RV_F16 || storage == RV_F32 || storage == RV_F64) {
    double real = rv_numbers_f64(n, i);
    float single = (float)real;
    uint16_t half = rv_half_from_float(single);
    memcpy(out,
           storage == RV_F16   ? (void*)&half
           : storage == RV_F32 ? (void*)&single
                               : (void*)&real,
           rv_storage_bytes(storage));
    return;
  }
  // Integers, clamped to the storage.
  int64_t integer = rv_numbers_i64(n, i);
  if (storage == RV_I64) {
    memcpy(out, &integer, 8);
  } else if (storage == RV_I8) {
    *out = (uint8_t)(int8_t)(integer < INT8_MIN ? INT8_MIN : integer > INT8_MAX ? INT8_MAX : integer);
  } else {
    int32_t word = (int32_t)(integer < INT32_MIN ? INT32_MIN : integer > INT32_MAX ? INT32_MAX : integer);
    memcpy(out, &word, 4);
  }
}

// True if the element type is the storage's own, so that bytes can be copied (and swapped).
static bool same_layout(RvElement element, RvStorage storage) {
  return (element == RV_ELEMENT_F16 && storage == RV_F16) || (element == RV_ELEMENT_F32 && storage == RV_F32) ||
         (element == RV_ELEMENT_F64 && storage == RV_F64) || (element == RV_ELEMENT_I8 && storage == RV_I8) ||
         (element == RV_ELEMENT_I32 && (storage == RV_I32 || storage == RV_STRING)) ||
         (element == RV_ELEMENT_I64 && storage == RV_I64);
}

// Reverses the byte order of `width` elements of `size` bytes.
static void swap_row(uint8_t* row, size_t width, size_t size) {
  for (size_t i = 0; i < width; ++i, row += size) {
    if (size == 2) {
      uint16_t v = load16(row, true);
      memcpy(row, &v, 2);
    } else if (size == 4) {
      uint32_t v = load32(row, true);
      memcpy(row, &v, 4);
    } else if (size == 8) {
      uint64_t v = load64(row, true);
      memcpy(row, &v, 8);
    }
  }
}

void rv_numbers_convert(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage,
                        void* out, size_t stride) {
  uint8_t* row = out;
  size_t size = rv_storage_bytes(storage);
  // The same type: copy the bytes.
  if (same_layout(numbers->element, storage)) {
    const uint8_t* from = numbers->bytes + first * size;
    // Rows without gaps are copied as one long row.
    if (stride == width * size) {
      width *= tuples;
      tuples = tuples != 0;
    }
    for (size_t t = 0; t < tuples; ++t, row += stride, from += width * size) {
      memcpy(row, from, width * size);
      if (numbers->swap) swap_row(row, width, size);
    }
    return;
  }
  for (size_t t = 0; t < tuples; ++t, row += stride)
    for (size_t c = 0; c < width; ++c) store_number(numbers, first + t * width + c, storage, row + c * size);
}

// Work of rv_numbers_convert_all.
typedef struct ConvertAll {
  const RvNumbers* numbers;
  RvStorage storage;
  uint8_t* out;
} ConvertAll;

// Converts elements [begin, end).
static void convert_range(void* arg, size_t begin, size_t end) {
  ConvertAll* all = arg;
  size_t size = rv_storage_bytes(all->storage);
  rv_numbers_convert(all->numbers, begin, end - begin, 1, all->storage, all->out + begin * size, size);
}

void rv_numbers_convert_all(const RvNumbers* numbers, RvStorage storage, void* out) {
  ConvertAll all = {numbers, storage, out};
  rv_parallel_for(numbers->count, CONVERT_GRAIN, convert_range, &all);
}

// Convert once, then copy.
void rv_numbers_fill(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage, void* out,
                     size_t stride) {
  if (!tuples) return;
  size_t bytes = width * rv_storage_bytes(storage);
  rv_numbers_convert(numbers, first, 1, width, storage, out, stride);
  uint8_t* row = out;
  for (size_t t = 1; t < tuples; ++t) memcpy(row + t * stride, row, bytes);
}
