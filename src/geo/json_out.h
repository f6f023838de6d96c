// Writer of Houdini's JSON, with one interface for text (.geo) and binary JSON (.bgeo). Failures are sticky: after
// running out of memory all calls do nothing and rv_json_out_end returns false.
#ifndef RV_GEO_JSON_OUT_H
#define RV_GEO_JSON_OUT_H

#include "base/array.h"
#include "geo/numbers.h"

// An array that the output refers to instead of copying it. In the document it follows the first `at` bytes of `data`.
typedef struct RvJsonExternal {
  size_t at;           // offset in `data`
  size_t bytes;        // of the array
  const void* values;  // borrowed
} RvJsonExternal;

enum { RV_JSON_OUT_DEPTH = 64 };  // nested arrays and maps at most; our documents have fewer than 12

// The writer.
typedef struct RvJsonOut {
  bool binary;
  bool failed;    // out of memory
  uint8_t* data;  // the document so far, without external arrays
  size_t count;   // bytes in use
  size_t capacity;
  // Text only:
  int depth;                    // open arrays and maps
  bool first;                   // no comma before the next value
  bool after_key;               // the next value belongs to a key: a colon comes before it
  bool map[RV_JSON_OUT_DEPTH];  // whether each open level is a map
  // Binary only: strings that were defined, by id, with a hash table of ids (-1 free) over them.
  RV_ARRAY(char*) words;
  int32_t* slots;
  size_t nslot;                        // a power of two, or 0
  bool defer_arrays;                   // set after rv_json_out_begin: long external arrays are not copied
  RV_ARRAY(RvJsonExternal) externals;  // these arrays, in order
} RvJsonOut;

// Starts a document. `bytes` is an estimate of its final size, which saves reallocations.
void rv_json_out_begin(RvJsonOut* out, bool binary, size_t bytes);
// Ends the document and gives *bytes to the caller (rv_free), without external arrays. The caller then frees
// `externals` with rv_array_free. False when out of memory; everything is then freed.
bool rv_json_out_end(RvJsonOut* out, void** bytes, size_t* count);

// Begins an array.
void rv_json_put_array(RvJsonOut* out);
// Ends an array.
void rv_json_put_array_end(RvJsonOut* out);
// Begins a map; keys and values alternate in it.
void rv_json_put_map(RvJsonOut* out);
// Ends a map.
void rv_json_put_map_end(RvJsonOut* out);
// Writes a key or another frequent string; binary defines it once and then refers to it by its id.
void rv_json_put_word(RvJsonOut* out, const char* text);
// Writes a string.
void rv_json_put_text(RvJsonOut* out, const char* text);
// Writes an integer; binary uses the smallest type that holds it.
void rv_json_put_int(RvJsonOut* out, int64_t value);
// Writes true or false.
void rv_json_put_bool(RvJsonOut* out, bool value);
// Writes a real as the shortest decimal that reads back to the same double, or its 8 bytes.
void rv_json_put_real(RvJsonOut* out, double value);
// Writes an array of `count` numbers of a storage, a uniform array in binary. In text it takes every `stride`-th
// number; binary requires stride 1.
void rv_json_put_numbers(RvJsonOut* out, RvStorage storage, size_t count, const void* values, size_t stride);
// The same for numbers without gaps that must stay unchanged until the document is used: with `defer_arrays` a long
// array is not copied but listed in `externals`.
void rv_json_put_external(RvJsonOut* out, RvStorage storage, size_t count, const void* values);
// Starts a new line, indented by the depth. Nothing in binary.
void rv_json_put_line(RvJsonOut* out);

#endif
