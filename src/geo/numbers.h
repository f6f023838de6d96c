// A run of numbers as a file contains it: either a view into the file's bytes or values of its own (parsed from text).
// rv_numbers_convert turns either into any storage.
#ifndef RV_GEO_NUMBERS_H
#define RV_GEO_NUMBERS_H

#include "rivulet/geo.h"

// Element types. The values are the type bytes of binary JSON (reference C.2).
typedef enum RvElement {
  RV_ELEMENT_BOOL = 0x10,  // packed bits in 32-bit words, lowest bit first
  RV_ELEMENT_I8 = 0x11,
  RV_ELEMENT_I16 = 0x12,
  RV_ELEMENT_I32 = 0x13,
  RV_ELEMENT_I64 = 0x14,
  RV_ELEMENT_F16 = 0x18,
  RV_ELEMENT_F32 = 0x19,
  RV_ELEMENT_F64 = 0x1a,
  RV_ELEMENT_U8 = 0x21,
  RV_ELEMENT_U16 = 0x22
} RvElement;

// Bytes that `count` elements take in a file. False for an unknown type, or if the product overflows.
bool rv_element_bytes(int element, size_t count, size_t* bytes);

// All zero is an empty run.
typedef struct RvNumbers {
  RvElement element;
  bool swap;             // the byte order of the file is not that of the machine
  size_t count;          // elements
  const uint8_t* bytes;  // the elements: in the file (borrowed), or own.data
  struct {
    uint8_t* data;  // NULL for a view
    size_t used;    // bytes
    size_t capacity;
  } own;
} RvNumbers;

// Frees own values and makes the run empty.
void rv_numbers_free(RvNumbers* numbers);
// Reserves memory for `more` further own values of type `element` (i64, f32 or f64); a view is first converted to own
// values. The caller writes at own.data + own.used and advances own.used and count. False when out of memory.
bool rv_numbers_reserve(RvNumbers* numbers, RvElement element, size_t more);

// Number `index` as double.
double rv_numbers_f64(const RvNumbers* numbers, size_t index);
// Number `index` as an integer: reals are truncated and clamped to the range, NaN becomes 0.
int64_t rv_numbers_i64(const RvNumbers* numbers, size_t index);

// Writes elements [first, first + tuples * width) as `tuples` rows of `width` numbers, rows `stride` bytes apart, in
// the storage (int32 for strings). Integers are clamped to the range of the storage.
void rv_numbers_convert(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage,
                        void* out, size_t stride);
// Converts all elements into one array without gaps, in parallel.
void rv_numbers_convert_all(const RvNumbers* numbers, RvStorage storage, void* out);
// Writes one tuple, elements [first, first + width), into all `tuples` rows: the value of a constant page.
void rv_numbers_fill(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage, void* out,
                     size_t stride);

#endif
