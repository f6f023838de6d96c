// A run of numbers as a file holds it: a view into the file's bytes, or values of our own from text. Turned into any
// storage by rv_numbers_convert.
#ifndef RV_GEO_NUMBERS_H
#define RV_GEO_NUMBERS_H

#include "rivulet/geo.h"

// The type bytes of binary JSON (reference C.2) serve as names of element types everywhere.
typedef enum RvElement {
  RV_ELEMENT_BOOL = 0x10,  // bits in 32-bit words, lowest first
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

// Bytes of `count` elements in a file; false if the type is none of the above or the product is too large.
bool rv_element_bytes(int element, size_t count, size_t* bytes);

typedef struct RvNumbers {
  RvElement element;
  bool swap;  // the file's byte order is not ours
  size_t count;
  const uint8_t* bytes;  // into the file, or own.data
  struct {
    uint8_t* data;
    size_t used, capacity;
  } own;
} RvNumbers;

void rv_numbers_free(RvNumbers* numbers);
// Makes room for more values of our own of type `element`; a view is first copied. False when out of memory.
bool rv_numbers_reserve(RvNumbers* numbers, RvElement element, size_t more);

double rv_numbers_f64(const RvNumbers* numbers, size_t index);
// Reals are truncated and held in range, NaN is 0.
int64_t rv_numbers_i64(const RvNumbers* numbers, size_t index);

// Writes elements [first, first + tuples * width) as `tuples` rows of `width` values, rows `stride` bytes apart, in
// the storage (int32 for strings). Integers out of the storage's range are held at its ends.
void rv_numbers_convert(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage,
                        void* out, size_t stride);
// The same in parallel for one block without gaps.
void rv_numbers_convert_all(const RvNumbers* numbers, RvStorage storage, void* out);
// Writes the first tuple into all `tuples` rows.
void rv_numbers_fill(const RvNumbers* numbers, size_t first, size_t tuples, size_t width, RvStorage storage, void* out,
                     size_t stride);

#endif
