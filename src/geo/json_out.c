// Writer of Houdini's JSON, text and binary (reference C.1 and C.2). Binary files are little-endian.
#include "geo/json_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "geo/half.h"
#include "geo/json_bytes.h"
#include "shim/number.h"

enum {
  SPARE_BYTES = 64,              // allocated beyond the estimate
  FIRST_SLOTS = 128,             // of the hash table of words, a power of two; it then doubles
  BYTE_OF_MINUS_ONE = 0xff,      // fills the table with -1
  MIN_EXTERNAL_BYTES = 1 << 16,  // shorter arrays are copied into the document
  COPY_GRAIN = 1 << 20,          // bytes of a task of the parallel copy
  FIRST_PRINTABLE = 0x20,        // ASCII codes below are control characters
};

// Appends `bytes` uninitialised bytes and returns them; NULL when out of memory.
static uint8_t* append_room(RvJsonOut* out, size_t bytes) {
  if (out->failed) return NULL;
  if (bytes > out->capacity - out->count) {
    size_t wanted = out->count + bytes;
    size_t grown = out->capacity + out->capacity / 2;
    if (grown < wanted) grown = wanted;
    uint8_t* data = rv_realloc(out->data, out->count, grown, 1);
    if (!data) {
      out->failed = true;
      return NULL;
    }
    out->data = data;
    out->capacity = grown;
  }
  uint8_t* at = out->data + out->count;
  out->count += bytes;
  return at;
}

// Appends bytes.
static void put_bytes(RvJsonOut* out, const void* bytes, size_t count) {
  uint8_t* at = append_room(out, count);
  if (at && count) memcpy(at, bytes, count);
}

// Appends one byte.
static void put_byte(RvJsonOut* out, uint8_t byte) {
  put_bytes(out, &byte, 1);
}

// Appends the lowest `bytes` bytes of a number, little-endian.
static void put_little(RvJsonOut* out, uint64_t value, size_t bytes) {
  uint8_t* at = append_room(out, bytes);
  for (size_t i = 0; at && i < bytes; ++i) at[i] = (uint8_t)(value >> (8 * i));
}

void rv_json_out_begin(RvJsonOut* out, bool binary, size_t bytes) {
  memset(out, 0, sizeof *out);
  out->binary = binary;
  out->first = true;
  out->data = rv_alloc(bytes + SPARE_BYTES, 1);
  out->capacity = bytes + SPARE_BYTES;
  out->failed = !out->data;
  static const uint8_t magic[5] = {RV_JSON_BYTE_MAGIC, 0x4e, 0x53, 0x4a, 0x62};  // binary mark, then "NSJb"
  if (binary) put_bytes(out, magic, sizeof magic);
}

// Text ends with a line break.
bool rv_json_out_end(RvJsonOut* out, void** bytes, size_t* count) {
  if (!out->binary) put_byte(out, '\n');
  for (size_t i = 0; i < out->words.count; ++i) rv_free(out->words.data[i]);
  rv_array_free(&out->words);
  rv_free(out->slots);
  if (out->failed) {
    rv_free(out->data);
    rv_array_free(&out->externals);
    return false;
  }
  *bytes = out->data;
  *count = out->count;
  return true;
}

//---------------------------------------------------------------------------------------------- structure

// Text: writes the comma or colon that belongs before the next value. In a map keys and values alternate.
static void separate(RvJsonOut* out) {
  if (out->binary) return;
  if (out->after_key)
    put_byte(out, ':');
  else if (!out->first)
    put_byte(out, ',');
  out->first = false;
  bool in_map = out->depth > 0 && out->map[out->depth - 1];
  out->after_key = in_map && !out->after_key;
}

// Begins an array or a map.
static void open_level(RvJsonOut* out, char bracket) {
  separate(out);
  put_byte(out, (uint8_t)bracket);
  if (out->binary) return;
  if (out->depth < RV_JSON_OUT_DEPTH) out->map[out->depth] = bracket == '{';
  ++out->depth;
  out->first = true;
  out->after_key = false;
}

// Ends an array or a map.
static void close_level(RvJsonOut* out, char bracket) {
  put_byte(out, (uint8_t)bracket);
  if (out->binary) return;
  --out->depth;
  out->first = false;
  out->after_key = false;
}

void rv_json_put_array(RvJsonOut* out) {
  open_level(out, '[');
}

void rv_json_put_array_end(RvJsonOut* out) {
  close_level(out, ']');
}

void rv_json_put_map(RvJsonOut* out) {
  open_level(out, '{');
}

void rv_json_put_map_end(RvJsonOut* out) {
  close_level(out, '}');
}

// Lines only help readers of the text.
void rv_json_put_line(RvJsonOut* out) {
  if (out->binary) return;
  // The comma belongs before the line break, not behind it.
  if (!out->first && !out->after_key) {
    put_byte(out, ',');
    out->first = true;
  }
  put_byte(out, '\n');
  for (int i = 0; i < out->depth; ++i) put_byte(out, ' ');
}

//---------------------------------------------------------------------------------------------- texts

// Appends a length or an id.
static void put_length(RvJsonOut* out, uint64_t length) {
  if (length < RV_JSON_LENGTH_ESCAPES) {
    put_byte(out, (uint8_t)length);
  } else if (length <= UINT16_MAX) {
    put_byte(out, RV_JSON_LENGTH_2_BYTES);
    put_little(out, length, 2);
  } else if (length <= UINT32_MAX) {
    put_byte(out, RV_JSON_LENGTH_4_BYTES);
    put_little(out, length, 4);
  } else {
    put_byte(out, RV_JSON_LENGTH_8_BYTES);
    put_little(out, length, 8);
  }
}

// Text: appends a string in quotes, with JSON's escapes.
static void put_quoted(RvJsonOut* out, const char* text) {
  put_byte(out, '"');
  for (const char* c = text; *c; ++c) {
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    // Short escapes, \u for other control characters, everything else as it is.
    const char* found = strchr(from, *c);
    if (found) {
      put_byte(out, '\\');
      put_byte(out, (uint8_t)to[found - from]);
    } else if ((uint8_t)*c < FIRST_PRINTABLE) {
      char code[8];
      put_bytes(out, code, (size_t)snprintf(code, sizeof code, "\\u%04x", (unsigned)(uint8_t)*c));
    } else {
      put_byte(out, (uint8_t)*c);
    }
  }
  put_byte(out, '"');
}

void rv_json_put_text(RvJsonOut* out, const char* text) {
  separate(out);
  if (!out->binary) {
    put_quoted(out, text);
    return;
  }
  size_t length = strlen(text);
  put_byte(out, RV_JSON_BYTE_STRING);
  put_length(out, length);
  put_bytes(out, text, length);
}

// Doubles the hash table of words and inserts all of them again.
static void grow_slots(RvJsonOut* out) {
  size_t nslot = out->nslot ? out->nslot * 2 : FIRST_SLOTS;
  int32_t* slots = rv_alloc(nslot, sizeof *slots);
  if (!slots) {
    out->failed = true;
    return;
  }
  memset(slots, BYTE_OF_MINUS_ONE, nslot * sizeof *slots);
  for (size_t i = 0; i < out->words.count; ++i) {
    size_t slot = rv_hash(out->words.data[i], strlen(out->words.data[i]), 0) & (nslot - 1);
    while (slots[slot] >= 0) slot = (slot + 1) & (nslot - 1);
    slots[slot] = (int32_t)i;
  }
  rv_free(out->slots);
  out->slots = slots;
  out->nslot = nslot;
}

// The id of a word that was defined before; -1 if it is new, after adding it to the table. At most half of the slots
// are used.
static int32_t find_word(RvJsonOut* out, const char* text) {
  if (out->words.count * 2 >= out->nslot) {
    grow_slots(out);
    if (out->failed) return 0;
  }
  // Look it up with linear probing.
  size_t slot = rv_hash(text, strlen(text), 0) & (out->nslot - 1);
  while (out->slots[slot] >= 0 && strcmp(out->words.data[out->slots[slot]], text) != 0)
    slot = (slot + 1) & (out->nslot - 1);
  if (out->slots[slot] >= 0) return out->slots[slot];
  // New: it is listed, and its id is its position in the list.
  char* copy = rv_strdup(text);
  if (!copy || !rv_array_push(&out->words, copy)) {
    rv_free(copy);
    out->failed = true;
    return 0;
  }
  out->slots[slot] = (int32_t)out->words.count - 1;
  return -1;
}

void rv_json_put_word(RvJsonOut* out, const char* text) {
  if (!out->binary) {
    rv_json_put_text(out, text);
    return;
  }
  int32_t id = find_word(out, text);
  if (out->failed) return;
  // A new word is defined before its first use.
  if (id < 0) {
    id = (int32_t)out->words.count - 1;
    size_t length = strlen(text);
    put_byte(out, RV_JSON_BYTE_DEFINE);
    put_length(out, (uint64_t)id);
    put_length(out, length);
    put_bytes(out, text, length);
  }
  put_byte(out, RV_JSON_BYTE_USE);
  put_length(out, (uint64_t)id);
}

//---------------------------------------------------------------------------------------------- numbers

void rv_json_put_int(RvJsonOut* out, int64_t value) {
  separate(out);
  if (!out->binary) {
    char text[32];
    put_bytes(out, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)value));
  } else if (value >= INT8_MIN && value <= INT8_MAX) {
    put_byte(out, RV_ELEMENT_I8);
    put_little(out, (uint64_t)value, 1);
  } else if (value >= INT16_MIN && value <= INT16_MAX) {
    put_byte(out, RV_ELEMENT_I16);
    put_little(out, (uint64_t)value, 2);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    put_byte(out, RV_ELEMENT_I32);
    put_little(out, (uint64_t)value, 4);
  } else {
    put_byte(out, RV_ELEMENT_I64);
    put_little(out, (uint64_t)value, 8);
  }
}

void rv_json_put_bool(RvJsonOut* out, bool value) {
  separate(out);
  if (out->binary)
    put_byte(out, value ? RV_JSON_BYTE_TRUE : RV_JSON_BYTE_FALSE);
  else
    put_bytes(out, value ? "true" : "false", value ? 4 : 5);
}

// Text: appends nan or inf with its sign.
static void put_special(RvJsonOut* out, double value) {
  if (signbit(value)) put_byte(out, '-');
  put_bytes(out, isnan(value) ? "nan" : "inf", 3);
}

// Decimals are printed by the shim, independent of the locale.
void rv_json_put_real(RvJsonOut* out, double value) {
  separate(out);
  if (out->binary) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_byte(out, RV_ELEMENT_F64);
    put_little(out, bits, 8);
  } else if (!isfinite(value)) {
    put_special(out, value);
  } else {
    char text[RV_NUMBER_TEXT];
    put_bytes(out, text, rv_number_print_f64(text, value));
  }
}

// Text: appends one number of a storage. Floats get the shortest decimal of a float, not of a double.
static void put_text_number(RvJsonOut* out, RvStorage storage, const uint8_t* at) {
  char text[RV_NUMBER_TEXT];
  float single = 0;
  uint16_t half;
  int32_t index;
  int64_t integer = 0;
  double wide;
  // Doubles and integers have functions of their own; floats and halves go on below.
  switch (storage) {
    case RV_F64:
      memcpy(&wide, at, 8);
      rv_json_put_real(out, wide);
      return;
    case RV_F16:
      memcpy(&half, at, 2);
      single = rv_half_to_float(half);
      break;
    case RV_F32:
      memcpy(&single, at, 4);
      break;
    case RV_I8:
      rv_json_put_int(out, (int8_t)*at);
      return;
    case RV_I64:
      memcpy(&integer, at, 8);
      rv_json_put_int(out, integer);
      return;
    default:
      memcpy(&index, at, 4);
      rv_json_put_int(out, index);
      return;
  }
  separate(out);
  if (isfinite(single))
    put_bytes(out, text, rv_number_print_f32(text, single));
  else
    put_special(out, (double)single);
}

// Work of the parallel copy.
typedef struct Copy {
  uint8_t* to;
  const uint8_t* from;
} Copy;

// Copies bytes [begin, end).
static void copy_range(void* arg, size_t begin, size_t end) {
  Copy* copy = arg;
  memcpy(copy->to + begin, copy->from + begin, end - begin);
}

// Binary: writes the head of a uniform array. False when out of memory.
static bool begin_numbers(RvJsonOut* out, RvStorage storage, size_t count) {
  static const uint8_t types[RV_STORAGE_COUNT] = {RV_ELEMENT_F16, RV_ELEMENT_F32, RV_ELEMENT_F64, RV_ELEMENT_I8,
                                                  RV_ELEMENT_I32, RV_ELEMENT_I64, RV_ELEMENT_I32};
  put_byte(out, RV_JSON_BYTE_UNIFORM);
  put_byte(out, types[storage]);
  put_length(out, count);
  return !out->failed;
}

void rv_json_put_external(RvJsonOut* out, RvStorage storage, size_t count, const void* values) {
  size_t bytes = count * rv_storage_bytes(storage);
  if (!out->defer_arrays || bytes < MIN_EXTERNAL_BYTES) {
    rv_json_put_numbers(out, storage, count, values, 1);
  } else if (begin_numbers(out, storage, count)) {
    out->failed = !rv_array_push(&out->externals, ((RvJsonExternal){out->count, bytes, values}));
  }
}

void rv_json_put_numbers(RvJsonOut* out, RvStorage storage, size_t count, const void* values, size_t stride) {
  size_t bytes = rv_storage_bytes(storage);
  // Text: one number after the other.
  if (!out->binary) {
    rv_json_put_array(out);
    for (size_t i = 0; i < count && !out->failed; ++i)
      put_text_number(out, storage, (const uint8_t*)values + i * stride * bytes);
    rv_json_put_array_end(out);
    return;
  }
  // Binary: the bytes as they are.
  begin_numbers(out, storage, count);
  Copy copy = {append_room(out, count * bytes), values};
  if (copy.to) rv_parallel_for(count * bytes, COPY_GRAIN, copy_range, &copy);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "files are written in little-endian order: swap the bytes here"
#endif
}
