// Houdini's JSON, written: one interface over text (.geo) and binary JSON (.bgeo).
#ifndef RV_GEO_JSON_OUT_H
#define RV_GEO_JSON_OUT_H

#include "base/array.h"
#include "geo/numbers.h"

// An array that was left where it is; it stands behind the first `at` bytes of the others.
typedef struct RvJsonCut {
  size_t at, bytes;
  const void* values;
} RvJsonCut;

typedef struct RvJsonOut {
  bool binary;
  bool failed;  // out of memory
  uint8_t* data;
  size_t count, capacity;
  // text
  int depth;
  bool first;      // no comma before the next value
  bool after_key;  // of a map
  bool map[64];    // of each level
  // binary: texts that were defined as tokens, by their hash
  RV_ARRAY(char*) words;
  int32_t* slots;
  size_t nslot;
  bool cutting;  // set it after the beginning: long arrays that last are not copied
  RV_ARRAY(RvJsonCut) cuts;
} RvJsonOut;

// `bytes` is a guess of the final size, to avoid copies.
void rv_json_out_begin(RvJsonOut* out, bool binary, size_t bytes);
// Gives the bytes away (rv_free), those of cuts apart, and leaves `cuts` to be freed; false when out of memory.
bool rv_json_out_end(RvJsonOut* out, void** bytes, size_t* count);

void rv_json_put_array(RvJsonOut* out);
void rv_json_put_array_end(RvJsonOut* out);
void rv_json_put_map(RvJsonOut* out);
void rv_json_put_map_end(RvJsonOut* out);
// A key or any other word that comes often: a token in binary.
void rv_json_put_word(RvJsonOut* out, const char* text);
void rv_json_put_text(RvJsonOut* out, const char* text);
void rv_json_put_int(RvJsonOut* out, int64_t value);
void rv_json_put_bool(RvJsonOut* out, bool value);
void rv_json_put_real(RvJsonOut* out, double value);
// An array of `count` numbers of a storage; uniform in binary. In text every `stride`-th value from `values` on.
void rv_json_put_numbers(RvJsonOut* out, RvStorage storage, size_t count, const void* values, size_t stride);
// The same for values without gaps that stay as they are until the bytes were used.
void rv_json_put_lasting(RvJsonOut* out, RvStorage storage, size_t count, const void* values);
// A new line, indented by the depth. Nothing in binary.
void rv_json_put_line(RvJsonOut* out);

#endif
