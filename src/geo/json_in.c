// Reader of Houdini's JSON: the part that text and binary share. It checks the nesting and reads typed values.
#include "geo/json_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geo/json_bytes.h"

// Largest real that rv_json_int accepts; any bound below 2^63 keeps the cast to int64 defined.
#define MAX_EXACT_REAL 0x1p62

// The first error stays, as later ones only follow from it.
void rv_json_set_failed(RvJsonIn* in, size_t offset, const char* format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!in->failed) rv_fail(in->error, RV_BAD_FILE, "%s (offset %zu%s)", text, offset, in->what);
  in->failed = true;
}

// Fails because memory is out. Always false.
static bool no_memory(RvJsonIn* in) {
  if (!in->failed) rv_fail(in->error, RV_NO_MEMORY, "out of memory");
  in->failed = true;
  return false;
}

bool rv_json_open(RvJsonIn* in, const void* bytes, size_t count, const char* what, RvError* error) {
  memset(in, 0, sizeof *in);
  in->bytes = bytes;
  in->count = count;
  in->what = what ? what : "";
  in->error = error;
  in->binary = count > 0 && in->bytes[0] == RV_JSON_BYTE_MAGIC;
  return !in->binary || rv_json_binary_open(in);
}

void rv_json_close(RvJsonIn* in) {
  rv_array_free(&in->words);
  rv_array_free(&in->unescaped);
}

const char* rv_json_kind_name(RvJsonKind kind) {
  static const char* const names[] = {"damaged data",
                                      "the end of the file",
                                      "null",
                                      "a bool",
                                      "a whole number",
                                      "a real number",
                                      "a text",
                                      "an array",
                                      "the end of an array",
                                      "a map",
                                      "the end of a map",
                                      "an array of numbers"};
  return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

// Checks depth and matching brackets after each token of either back end.
static bool track(RvJsonIn* in, const RvJsonToken* token) {
  switch (token->kind) {
    // A container begins.
    case RV_JSON_ARRAY:
    case RV_JSON_MAP:
      if (in->depth == RV_JSON_DEPTH)
        return rv_json_fail(in, token->offset, "arrays nested deeper than %d", RV_JSON_DEPTH);
      in->stack[in->depth++] = token->kind == RV_JSON_ARRAY ? '[' : '{';
      in->started = false;
      return true;
    // A container ends, which must be the innermost one.
    case RV_JSON_ARRAY_END:
    case RV_JSON_MAP_END: {
      char open = in->depth ? in->stack[in->depth - 1] : 0;
      if ((token->kind == RV_JSON_ARRAY_END) != (open == '[') || !open)
        return rv_json_fail(in, token->offset, "a closing bracket that matches no opening one");
      --in->depth;
      in->started = true;
      return true;
    }
    case RV_JSON_END:
      if (in->depth) return rv_json_fail(in, token->offset, "the file ends inside an array: it was cut short");
      return true;
    // Any other value.
    default:
      in->started = true;
      return true;
  }
}

// A token that was peeked at comes first.
RvJsonKind rv_json_next(RvJsonIn* in, RvJsonToken* token) {
  if (in->failed) return token->kind = RV_JSON_FAILED;
  if (in->has_peek) {
    in->has_peek = false;
    *token = in->peek;
    return token->kind;
  }
  token->numbers = (RvNumbers){0};
  bool good = in->binary ? rv_json_binary_next(in, token) : rv_json_text_next(in, token);
  if (!good || !track(in, token)) token->kind = RV_JSON_FAILED;
  return token->kind;
}

const RvJsonToken* rv_json_peek(RvJsonIn* in) {
  if (!in->has_peek) {
    rv_json_next(in, &in->peek);
    in->has_peek = !in->failed;
  }
  if (in->failed) in->peek.kind = RV_JSON_FAILED;
  return &in->peek;
}

// Containers are skipped with a counter instead of recursion.
bool rv_json_skip(RvJsonIn* in) {
  RvJsonToken token;
  int depth = 0;
  do {
    switch (rv_json_next(in, &token)) {
      case RV_JSON_FAILED:
        return false;
      case RV_JSON_END:
        return rv_json_fail(in, token.offset, "the file ends where a value is expected");
      case RV_JSON_ARRAY:
      case RV_JSON_MAP:
        ++depth;
        break;
      case RV_JSON_ARRAY_END:
      case RV_JSON_MAP_END:
        if (--depth < 0) return rv_json_fail(in, token.offset, "an array ends where a value is expected");
        break;
      default:
        break;
    }
  } while (depth);
  return true;
}

// Fails because the token is of another kind than expected. Always false.
static bool unexpected(RvJsonIn* in, const RvJsonToken* token, const char* what, const char* wanted) {
  return rv_json_fail(in, token->offset, "%s: %s where %s is expected", what, rv_json_kind_name(token->kind), wanted);
}

bool rv_json_int(RvJsonIn* in, const char* what, int64_t lo, int64_t hi, int64_t* out) {
  RvJsonToken token;
  RvJsonKind kind = rv_json_next(in, &token);
  int64_t integer = token.integer;
  // A real without fraction is accepted; the bound keeps the cast defined.
  if (kind == RV_JSON_REAL) {
    if (!(token.real >= -MAX_EXACT_REAL && token.real <= MAX_EXACT_REAL) || (double)(int64_t)token.real != token.real)
      return rv_json_fail(in, token.offset, "%s: a whole number is expected", what);
    integer = (int64_t)token.real;
  } else if (kind != RV_JSON_INT && kind != RV_JSON_BOOL) {
    return unexpected(in, &token, what, "a whole number");
  }
  if (integer < lo || integer > hi)
    return rv_json_fail(in, token.offset, "%s is %lld, outside %lld .. %lld", what, (long long)integer, (long long)lo,
                        (long long)hi);
  *out = integer;
  return true;
}

bool rv_json_bool(RvJsonIn* in, const char* what, bool* out) {
  int64_t value = 0;
  if (!rv_json_int(in, what, INT64_MIN, INT64_MAX, &value)) return false;
  *out = value != 0;
  return true;
}

// A 0 inside would cut the copy short for every user of C strings.
bool rv_json_string(RvJsonIn* in, const char* what, size_t max_bytes, char** out) {
  RvJsonToken token;
  if (rv_json_next(in, &token) != RV_JSON_STRING) return unexpected(in, &token, what, "a text");
  if (token.length > max_bytes)
    return rv_json_fail(in, token.offset, "%s: a text of %zu bytes; %zu are allowed", what, token.length, max_bytes);
  if (memchr(token.text, 0, token.length)) return rv_json_fail(in, token.offset, "%s: a 0 byte inside a string", what);
  char* copy = rv_alloc(token.length + 1, 1);
  if (!copy) return no_memory(in);
  memcpy(copy, token.text, token.length);
  copy[token.length] = 0;
  *out = copy;
  return true;
}

// Appends the number of a token in the wanted type.
static bool append_token(RvJsonIn* in, const char* what, RvElement wanted, const RvJsonToken* token,
                         RvNumbers* numbers) {
  if (token->kind != RV_JSON_INT && token->kind != RV_JSON_REAL && token->kind != RV_JSON_BOOL)
    return unexpected(in, token, what, "a number");
  if (!rv_numbers_reserve(numbers, wanted, 1)) return no_memory(in);
  uint8_t* at = numbers->own.data + numbers->own.used;
  if (wanted == RV_ELEMENT_I64) {
    // A real goes through RvNumbers, which truncates and clamps it as every other.
    RvNumbers one = {.element = RV_ELEMENT_F64, .count = 1, .bytes = (const uint8_t*)&token->real};
    int64_t integer = token->kind == RV_JSON_REAL ? rv_numbers_i64(&one, 0) : token->integer;
    memcpy(at, &integer, 8);
    numbers->own.used += 8;
  } else {
    double real = token->kind == RV_JSON_REAL ? token->real : (double)token->integer;
    float single = (float)real;
    size_t size = wanted == RV_ELEMENT_F64 ? 8 : 4;
    memcpy(at, size == 8 ? (void*)&real : (void*)&single, size);
    numbers->own.used += size;
  }
  ++numbers->count;
  return true;
}

bool rv_json_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers) {
  RvJsonToken token;
  RvJsonKind kind = rv_json_next(in, &token);
  // A uniform array: a view if it is the first, else its values are converted and appended.
  if (kind == RV_JSON_UNIFORM) {
    if (!numbers->count && !numbers->own.data) {
      *numbers = token.numbers;
      return true;
    }
    if (!rv_numbers_reserve(numbers, wanted, token.numbers.count)) return no_memory(in);
    // Append the converted values.
    size_t size = wanted == RV_ELEMENT_F32 ? 4 : 8;
    RvStorage storage = wanted == RV_ELEMENT_I64 ? RV_I64 : wanted == RV_ELEMENT_F64 ? RV_F64 : RV_F32;
    rv_numbers_convert(&token.numbers, 0, token.numbers.count, 1, storage, numbers->own.data + numbers->own.used, size);
    numbers->own.used += token.numbers.count * size;
    numbers->count += token.numbers.count;
    return true;
  }
  // A plain array: text has a fast reader of its own, binary goes token by token.
  if (kind != RV_JSON_ARRAY) return unexpected(in, &token, what, "an array of numbers");
  if (!in->binary) return rv_json_text_numbers(in, what, wanted, numbers);
  while (rv_json_next(in, &token) != RV_JSON_ARRAY_END)
    if (!append_token(in, what, wanted, &token, numbers)) return false;
  return true;
}

bool rv_json_begin(RvJsonIn* in, const char* what) {
  RvJsonToken token;
  RvJsonKind kind = rv_json_next(in, &token);
  if (kind == RV_JSON_ARRAY || kind == RV_JSON_MAP) return true;
  // An empty uniform array counts as []: its end becomes the next token.
  if (kind == RV_JSON_UNIFORM && token.numbers.count == 0) {
    in->peek = (RvJsonToken){.kind = RV_JSON_ARRAY_END, .offset = token.offset};
    in->has_peek = true;
    return true;
  }
  return unexpected(in, &token, what, "an array");
}

bool rv_json_more(RvJsonIn* in) {
  RvJsonKind kind = rv_json_peek(in)->kind;
  if (kind == RV_JSON_FAILED) return false;
  if (kind == RV_JSON_END) return rv_json_fail(in, in->peek.offset, "the file ends inside an array");
  if (kind != RV_JSON_ARRAY_END && kind != RV_JSON_MAP_END) return true;
  // Consume the closing bracket.
  in->has_peek = false;
  return false;
}

// Copies a string token into a fixed buffer, cut to its size.
static void cut_text(const RvJsonToken* token, RvJsonKey* out) {
  size_t length = token->length < sizeof out->text - 1 ? token->length : sizeof out->text - 1;
  memcpy(out->text, token->text, length);
  out->text[length] = 0;
  out->offset = token->offset;
}

// Maps and arrays of pairs look the same here: a string, then its value.
bool rv_json_key(RvJsonIn* in, RvJsonKey* key) {
  RvJsonToken token;
  if (!rv_json_more(in)) return false;
  if (rv_json_next(in, &token) != RV_JSON_STRING) return unexpected(in, &token, "a list of pairs", "a key");
  cut_text(&token, key);
  return true;
}

bool rv_json_word(RvJsonIn* in, const char* what, RvJsonKey* word) {
  RvJsonToken token;
  if (rv_json_next(in, &token) != RV_JSON_STRING) return unexpected(in, &token, what, "a text");
  cut_text(&token, word);
  return true;
}

bool rv_json_is(const RvJsonKey* key, const char* text) {
  return strcmp(key->text, text) == 0;
}
