// Binary back end of the JSON reader (binary JSON, reference C.2). A document begins with 7f and a magic number; each
// value begins with a type byte.
#include <string.h>

#include "geo/half.h"
#include "geo/json_bytes.h"
#include "geo/json_in.h"

enum {
  MAGIC_BYTES = 4,  // of the magic number behind the byte 7f
  // String ids count up from 0 and each definition takes some bytes, so an id that exceeds both the number of
  // definitions and the bytes of the file by this much is damage. It bounds the memory of the table.
  WORD_SLACK = 65536,
};

// The magic number is the same 32-bit word in both byte orders.
bool rv_json_binary_open(RvJsonIn* in) {
  static const uint8_t little_magic[MAGIC_BYTES] = {0x4e, 0x53, 0x4a, 0x62};
  static const uint8_t big_magic[MAGIC_BYTES] = {0x62, 0x4a, 0x53, 0x4e};
  if (in->count > MAGIC_BYTES && memcmp(in->bytes + 1, little_magic, MAGIC_BYTES) == 0) {
    in->swap = false;
  } else if (in->count > MAGIC_BYTES && memcmp(in->bytes + 1, big_magic, MAGIC_BYTES) == 0) {
    in->swap = true;
  } else {
    return rv_json_fail(in, 0, "not a binary geometry file: the magic number after the byte 7f is wrong");
  }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  in->swap = !in->swap;
#endif
  in->at = 1 + MAGIC_BYTES;
  return true;
}

// Fails if fewer than `bytes` bytes remain.
static bool require_bytes(RvJsonIn* in, size_t bytes, const char* what) {
  if (in->count - in->at >= bytes) return true;
  return rv_json_fail(in, in->at, "%s needs %zu bytes, %zu are left: the file was cut short", what, bytes,
                      in->count - in->at);
}

// Consumes an unsigned number of 1, 2, 4 or 8 bytes in the byte order of the file. The bytes must be there.
static uint64_t take_unsigned(RvJsonIn* in, size_t bytes) {
  const uint8_t* p = in->bytes + in->at;
  uint64_t value = 0;
  bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != in->swap;
  for (size_t i = 0; i < bytes; ++i) value |= (uint64_t)p[i] << (8 * (little ? i : bytes - 1 - i));
  in->at += bytes;
  return value;
}

// Consumes a length or an id.
static bool take_length(RvJsonIn* in, const char* what, uint64_t* out) {
  if (!require_bytes(in, 1, what)) return false;
  uint8_t first = in->bytes[in->at++];
  if (first < RV_JSON_LENGTH_ESCAPES) {
    *out = first;
    return true;
  }
  size_t bytes = first == RV_JSON_LENGTH_2_BYTES   ? 2
                 : first == RV_JSON_LENGTH_4_BYTES ? 4
                 : first == RV_JSON_LENGTH_8_BYTES ? 8
                                                   : 0;
  if (!bytes) return rv_json_fail(in, in->at - 1, "%s: %02x is no way to write a length", what, first);
  if (!require_bytes(in, bytes, what)) return false;
  *out = take_unsigned(in, bytes);
  return true;
}

// Consumes the length and bytes of a string; *out borrows them from the file.
static bool take_text(RvJsonIn* in, const char* what, RvJsonWord* out) {
  uint64_t length;
  if (!take_length(in, what, &length)) return false;
  if (length > in->count - in->at)
    return rv_json_fail(in, in->at, "a text of %llu bytes announced, %zu bytes left", (unsigned long long)length,
                        in->count - in->at);
  *out = (RvJsonWord){(const char*)in->bytes + in->at, (size_t)length};
  in->at += (size_t)length;
  return true;
}

// Consumes the definition of a string: id, length, bytes. Its type byte is consumed already.
static bool define_word(RvJsonIn* in) {
  size_t begin = in->at - 1;
  uint64_t id;
  RvJsonWord word;
  if (!take_length(in, "the id of a token", &id) || !take_text(in, "a token", &word)) return false;
  if (id > in->words.count + WORD_SLACK || id > in->count + WORD_SLACK)
    return rv_json_fail(in, begin, "token %llu follows token %zu", (unsigned long long)id, in->words.count);
  // Ids may be skipped; those in between stay undefined.
  while (in->words.count <= id) {
    if (!rv_array_push(&in->words, ((RvJsonWord){NULL, 0}))) {
      rv_fail(in->error, RV_NO_MEMORY, "out of memory");
      in->failed = true;
      return false;
    }
  }
  in->words.data[id] = word;
  return true;
}

// Consumes an id and forgets its string.
static bool undefine_word(RvJsonIn* in) {
  uint64_t id;
  if (!take_length(in, "the id of a token", &id)) return false;
  if (id < in->words.count) in->words.data[id] = (RvJsonWord){NULL, 0};
  return true;
}

// Consumes an id; the token is the string that was defined for it.
static bool use_word(RvJsonIn* in, RvJsonToken* token) {
  uint64_t id;
  if (!take_length(in, "the id of a token", &id)) return false;
  if (id >= in->words.count || !in->words.data[id].text)
    return rv_json_fail(in, token->offset, "token %llu was never defined", (unsigned long long)id);
  token->kind = RV_JSON_STRING;
  token->text = in->words.data[id].text;
  token->length = in->words.data[id].length;
  return true;
}

// Consumes a bool, integer or real of the given type byte.
static bool take_number(RvJsonIn* in, uint8_t type, RvJsonToken* token) {
  // A view of a single element does the conversion. A bool is a byte here, not a bit.
  RvNumbers one = {.element = (RvElement)type, .swap = in->swap, .count = 1, .bytes = in->bytes + in->at};
  size_t bytes = 1;
  if (type != RV_ELEMENT_BOOL && !rv_element_bytes(type, 1, &bytes)) return false;
  if (!require_bytes(in, bytes, "a number")) return false;
  if (type == RV_ELEMENT_BOOL) {
    token->kind = RV_JSON_BOOL;
    token->integer = in->bytes[in->at] != 0;
  } else if (type == RV_ELEMENT_F16 || type == RV_ELEMENT_F32 || type == RV_ELEMENT_F64) {
    token->kind = RV_JSON_REAL;
    token->real = rv_numbers_f64(&one, 0);
  } else {
    token->kind = RV_JSON_INT;
    token->integer = rv_numbers_i64(&one, 0);
    token->real = (double)token->integer;
  }
  in->at += bytes;
  return true;
}

// Consumes the head of a uniform array. Numbers become one token with a view; strings are handed on one by one as a
// plain array.
static bool take_uniform(RvJsonIn* in, RvJsonToken* token) {
  if (!require_bytes(in, 1, "an array")) return false;
  uint8_t type = in->bytes[in->at++];
  uint64_t count;
  size_t bytes;
  if (!take_length(in, "an array", &count)) return false;
  // Strings: the elements follow as tokens of their own.
  if (type == RV_JSON_BYTE_STRING || type == RV_JSON_BYTE_USE) {
    // Each string takes a byte at least.
    if (count > in->count - in->at)
      return rv_json_fail(in, token->offset, "an array of %llu texts announced, %zu bytes left",
                          (unsigned long long)count, in->count - in->at);
    in->texts_remaining = (size_t)count + 1;
    in->texts_type = type;
    token->kind = RV_JSON_ARRAY;
    return true;
  }
  // Numbers must be complete.
  if (count > SIZE_MAX / 8 || !rv_element_bytes(type, (size_t)count, &bytes))
    return rv_json_fail(in, token->offset, "an array of %llu elements of the unknown type %02x",
                        (unsigned long long)count, type);
  if (bytes > in->count - in->at)
    return rv_json_fail(in, token->offset, "an array of %llu values (%zu bytes) announced, %zu bytes left",
                        (unsigned long long)count, bytes, in->count - in->at);
  token->kind = RV_JSON_UNIFORM;
  token->numbers =
      (RvNumbers){.element = (RvElement)type, .swap = in->swap, .count = (size_t)count, .bytes = in->bytes + in->at};
  in->at += bytes;
  return true;
}

// Consumes the value whose type byte was just read.
static bool take_value(RvJsonIn* in, uint8_t type, RvJsonToken* token) {
  RvJsonWord word;
  switch (type) {
    case RV_JSON_BYTE_NULL:
      token->kind = RV_JSON_NULL;
      return true;
    case RV_JSON_BYTE_FALSE:
    case RV_JSON_BYTE_TRUE:
      token->kind = RV_JSON_BOOL;
      token->integer = type == RV_JSON_BYTE_TRUE;
      return true;
    // Strings and uniform arrays.
    case RV_JSON_BYTE_STRING:
      if (!take_text(in, "a text", &word)) return false;
      token->kind = RV_JSON_STRING;
      token->text = word.text;
      token->length = word.length;
      return true;
    case RV_JSON_BYTE_USE:
      return use_word(in, token);
    case RV_JSON_BYTE_UNIFORM:
      return take_uniform(in, token);
    // Brackets.
    case '[':
      token->kind = RV_JSON_ARRAY;
      return true;
    case ']':
      token->kind = RV_JSON_ARRAY_END;
      return true;
    case '{':
      token->kind = RV_JSON_MAP;
      return true;
    case '}':
      token->kind = RV_JSON_MAP_END;
      return true;
    // Numbers.
    case RV_ELEMENT_BOOL:
    case RV_ELEMENT_I8:
    case RV_ELEMENT_I16:
    case RV_ELEMENT_I32:
    case RV_ELEMENT_I64:
    case RV_ELEMENT_F16:
    case RV_ELEMENT_F32:
    case RV_ELEMENT_F64:
    case RV_ELEMENT_U8:
    case RV_ELEMENT_U16:
      return take_number(in, type, token);
    default:
      return rv_json_fail(in, token->offset, "%02x is no type of binary JSON", type);
  }
}

// The next string of a uniform array of strings, or its end.
static bool take_uniform_text(RvJsonIn* in, RvJsonToken* token) {
  token->offset = in->at;
  if (--in->texts_remaining == 0) {
    token->kind = RV_JSON_ARRAY_END;
    return true;
  }
  return take_value(in, in->texts_type, token);
}

bool rv_json_binary_next(RvJsonIn* in, RvJsonToken* token) {
  if (in->texts_remaining) return take_uniform_text(in, token);
  while (in->at < in->count) {
    token->offset = in->at;
    uint8_t type = in->bytes[in->at++];
    // Definitions of strings are no tokens.
    if (type == RV_JSON_BYTE_DEFINE) {
      if (!define_word(in)) return false;
    } else if (type == RV_JSON_BYTE_UNDEFINE) {
      if (!undefine_word(in)) return false;
    } else if (type == RV_JSON_BYTE_MAGIC) {
      // Embedded documents may repeat the magic number; it is skipped.
      if (!require_bytes(in, MAGIC_BYTES, "a magic number")) return false;
      in->at += MAGIC_BYTES;
    } else if (type != ':' && type != ',') {
      if (in->started && !in->depth) return rv_json_fail(in, token->offset, "more bytes after the end of the document");
      return take_value(in, type, token);
    }
  }
  token->offset = in->at;
  token->kind = RV_JSON_END;
  return in->started || rv_json_fail(in, in->at, "the file ends where a value is expected");
}
