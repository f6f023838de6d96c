// Text back end of the JSON reader: strict JSON, and also nan and inf, which Houdini writes.
#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "base/utf8.h"
#include "geo/json_in.h"
#include "shim/number.h"

enum {
  SAFE_DIGITS = 18,          // decimal digits that always fit into int64
  ASCII_LOWER_CASE = 0x20,   // bit that is set in lower-case letters
  HEX_DIGITS = 4,            // of a \u escape
  HIGH_SURROGATES = 0xd800,  // UTF-16: first of the high surrogates
  LOW_SURROGATES = 0xdc00,   // first of the low surrogates
  SURROGATE_MASK = 0x3ff,    // ten bits of payload in each
  SURROGATE_BASE = 0x10000,  // code point of a pair without payload
  ESCAPE_BYTES = 6,          // of \uXXXX
  MAX_UTF8_BYTES = 4,        // of a character
};

// JSON's white space.
static bool is_space(uint8_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Moves to the next byte that is no white space, or to the end.
static void skip_space(RvJsonIn* in) {
  while (in->at < in->count && is_space(in->bytes[in->at])) ++in->at;
}

// True if a number or word ends here: at the end, a space, a comma, a colon or a closing bracket.
static bool at_delimiter(const RvJsonIn* in) {
  if (in->at == in->count) return true;
  uint8_t c = in->bytes[in->at];
  return is_space(c) || c == ',' || c == ']' || c == '}' || c == ':';
}

// A parsed number in all forms that a caller may want.
typedef struct Number {
  bool is_integer;  // written without fraction and exponent, and within int64
  int64_t integer;  // if is_integer
  double real;
  float single;  // rounded from the decimal text directly when asked for, else from `real`
} Number;

// Parses nan, inf or infinity in any letter case; the sign was consumed before.
static bool parse_special(RvJsonIn* in, bool negative, Number* out) {
  static const struct {
    const char* text;
    bool nan;
  } specials[] = {{"nan", true}, {"infinity", false}, {"inf", false}};
  const char* text = (const char*)in->bytes + in->at;
  size_t remaining = in->count - in->at;
  for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i) {
    size_t length = strlen(specials[i].text);
    if (remaining < length || rv_platform_strncasecmp(text, specials[i].text, length) != 0) continue;
    in->at += length;
    out->is_integer = false;
    out->single = specials[i].nan ? NAN : INFINITY;
    if (negative) out->single = copysignf(out->single, -1);
    out->real = (double)out->single;
    return true;
  }
  return false;
}

// True for an ASCII letter of either case.
static bool is_letter(uint8_t c) {
  return (c | ASCII_LOWER_CASE) >= 'a' && (c | ASCII_LOWER_CASE) <= 'z';
}

// The fast path of parse_number, from the first digit on: an integer of at most 18 digits, which cannot overflow.
// False with nothing consumed if it is anything else.
static bool parse_short_integer(RvJsonIn* in, bool negative, Number* out) {
  size_t digits = in->at;
  uint64_t value = 0;
  while (in->at < in->count && in->bytes[in->at] >= '0' && in->bytes[in->at] <= '9' && in->at - digits < SAFE_DIGITS) {
    value = value * 10 + (in->bytes[in->at] - '0');
    ++in->at;
  }
  if (in->at == digits || !at_delimiter(in)) {
    in->at = digits;
    return false;
  }
  // "-0" is a real, as an integer cannot keep its sign.
  out->is_integer = !(negative && !value);
  out->integer = negative ? -(int64_t)value : (int64_t)value;
  out->real = negative && !value ? -0.0 : (double)out->integer;
  out->single = (float)out->real;
  return true;
}

// Integers of 19 digits, which may or may not fit into int64; does not consume anything.
static void parse_long_integer(const RvJsonIn* in, size_t digits, bool negative, Number* out) {
  size_t end = digits;
  while (end < in->count && in->bytes[end] >= '0' && in->bytes[end] <= '9') ++end;
  if (end - digits != SAFE_DIGITS + 1) return;
  if (end < in->count && in->bytes[end] && strchr(".eE", in->bytes[end])) return;
  uint64_t large = 0;
  for (size_t i = digits; i < end; ++i) large = large * 10 + (in->bytes[i] - '0');
  if (large > (uint64_t)INT64_MAX + negative) return;
  out->is_integer = true;
  out->integer = negative ? (int64_t)(0 - large) : (int64_t)large;
}

// Parses a number from its first byte on. With `single` the float is rounded from the decimal directly, else the
// double is.
static bool parse_number(RvJsonIn* in, bool single, Number* out) {
  // Sign, then the fast path.
  size_t begin = in->at;
  bool negative = in->bytes[in->at] == '-';
  if (negative || in->bytes[in->at] == '+') ++in->at;
  if (parse_short_integer(in, negative, out)) return true;
  size_t digits = in->at;
  // nan and inf.
  if (in->at < in->count && is_letter(in->bytes[in->at]))
    return (parse_special(in, negative, out) && at_delimiter(in)) ||
           rv_json_fail(in, begin, "a word that is neither a number nor true, false or null");
  // All other numbers are parsed as reals; the longest integers are integers as well.
  out->is_integer = false;
  parse_long_integer(in, digits, negative, out);
  const char* text = (const char*)in->bytes + digits;
  size_t used;  // bytes parsed
  if (single) {
    used = rv_number_parse_f32(text, in->count - digits, &out->single);
    out->real = (double)out->single;
  } else {
    used = rv_number_parse_f64(text, in->count - digits, &out->real);
    out->single = (float)out->real;
  }
  if (used && negative) {
    out->real = -out->real;
    out->single = -out->single;
  }
  in->at = digits + used;
  if (!used || !at_delimiter(in) || in->bytes[digits] == '-')
    return rv_json_fail(in, begin, "a number or a value is expected here");
  return true;
}

// Value of a hexadecimal digit, -1 if it is none.
static int hex_digit(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= ASCII_LOWER_CASE;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Parses the four digits of a \u escape.
static bool parse_hex4(RvJsonIn* in, uint32_t* out) {
  uint32_t code = 0;
  for (int i = 0; i < HEX_DIGITS; ++i) {
    int digit = in->at < in->count ? hex_digit(in->bytes[in->at]) : -1;
    if (digit < 0) return rv_json_fail(in, in->at, "four hexadecimal digits are expected after \\u");
    code = code << 4 | (uint32_t)digit;
    ++in->at;
  }
  *out = code;
  return true;
}

// Parses an escape from behind its backslash and writes its UTF-8 bytes, at most four; *length is their number.
static bool parse_escape(RvJsonIn* in, char* out, size_t* length) {
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  size_t begin = in->at - 1;
  if (in->at == in->count) return rv_json_fail(in, begin, "the file ends inside a text");
  char c = (char)in->bytes[in->at++];
  const char* found = c ? strchr(from, c) : NULL;
  *length = 1;
  if (found) {
    *out = to[found - from];
    return true;
  }
  if (c != 'u') {
    // Houdini's own strings may escape any character.
    *out = c;
    return true;
  }
  // \uXXXX; a high surrogate may be followed by its low one.
  uint32_t code, low;
  if (!parse_hex4(in, &code)) return false;
  if (code >= HIGH_SURROGATES && code < LOW_SURROGATES && in->count - in->at >= ESCAPE_BYTES &&
      in->bytes[in->at] == '\\' && in->bytes[in->at + 1] == 'u') {
    in->at += 2;
    if (!parse_hex4(in, &low)) return false;
    code = SURROGATE_BASE + ((code & SURROGATE_MASK) << 10) + (low & SURROGATE_MASK);
  }
  *length = rv_utf8_put(out, code);
  return true;
}

// Parses a string from its opening quote on. The token borrows from the file, or from in->unescaped if it has escapes.
static bool parse_string(RvJsonIn* in, RvJsonToken* token) {
  size_t begin = in->at++;
  // Most strings have no escapes and are borrowed from the file.
  while (in->at < in->count && in->bytes[in->at] != '"' && in->bytes[in->at] != '\\') ++in->at;
  token->kind = RV_JSON_STRING;
  token->text = (const char*)in->bytes + begin + 1;
  token->length = in->at - begin - 1;
  if (in->at < in->count && in->bytes[in->at] == '"') {
    ++in->at;
    return true;
  }
  // Otherwise copy the runs between escapes and the bytes that the escapes stand for.
  in->unescaped.count = 0;
  size_t plain = begin + 1;
  for (;;) {
    size_t run = in->at - plain;
    if (!rv_array_reserve(&in->unescaped, in->unescaped.count + run + MAX_UTF8_BYTES)) {
      rv_fail(in->error, RV_NO_MEMORY, "out of memory");
      in->failed = true;
      return false;
    }
    memcpy(in->unescaped.data + in->unescaped.count, in->bytes + plain, run);
    in->unescaped.count += run;
    if (in->at == in->count) return rv_json_fail(in, begin, "a text that does not end");
    if (in->bytes[in->at++] == '"') break;
    size_t length = 0;
    if (!parse_escape(in, in->unescaped.data + in->unescaped.count, &length)) return false;
    in->unescaped.count += length;
    plain = in->at;
    while (in->at < in->count && in->bytes[in->at] != '"' && in->bytes[in->at] != '\\') ++in->at;
  }
  token->text = in->unescaped.data;
  token->length = in->unescaped.count;
  return true;
}

// Consumes `word` if it is next and complete.
static bool parse_literal(RvJsonIn* in, const char* word) {
  size_t length = strlen(word);
  if (in->count - in->at < length || memcmp(in->bytes + in->at, word, length) != 0) return false;
  size_t begin = in->at;
  in->at += length;
  if (at_delimiter(in)) return true;
  in->at = begin;
  return false;
}

// Parses a string, true, false, null or a number.
static bool parse_scalar(RvJsonIn* in, RvJsonToken* token) {
  if (in->bytes[in->at] == '"') return parse_string(in, token);
  if (parse_literal(in, "true") || parse_literal(in, "false")) {
    token->kind = RV_JSON_BOOL;
    token->integer = in->bytes[token->offset] == 't';
    return true;
  }
  if (parse_literal(in, "null")) {
    token->kind = RV_JSON_NULL;
    return true;
  }
  // Everything else must be a number.
  Number number;
  if (!parse_number(in, false, &number)) return false;
  token->kind = number.is_integer ? RV_JSON_INT : RV_JSON_REAL;
  token->integer = number.is_integer ? number.integer : 0;
  token->real = number.real;
  return true;
}

// Consumes the comma that must be between two values of a container.
static bool take_comma(RvJsonIn* in) {
  if (!in->started || !in->depth) return true;
  if (in->bytes[in->at] != ',') return rv_json_fail(in, in->at, "a comma or a closing bracket is expected");
  ++in->at;
  skip_space(in);
  if (in->at == in->count) return rv_json_fail(in, in->at, "the file ends after a comma: it was cut short");
  return true;
}

bool rv_json_text_next(RvJsonIn* in, RvJsonToken* token) {
  skip_space(in);
  token->offset = in->at;
  char* top = in->depth ? &in->stack[in->depth - 1] : NULL;
  if (in->at == in->count) {
    token->kind = RV_JSON_END;
    return in->started || rv_json_fail(in, in->at, "the file ends where a value is expected");
  }
  uint8_t c = in->bytes[in->at];
  if (!top && in->started) return rv_json_fail(in, in->at, "more text after the end of the document");
  // The innermost container ends.
  if (top && *top != ':' && (c == ']' || c == '}')) {
    ++in->at;
    token->kind = c == ']' ? RV_JSON_ARRAY_END : RV_JSON_MAP_END;
    return true;
  }
  if (!(top && *top == ':') && !take_comma(in)) return false;
  token->offset = in->at;
  c = in->bytes[in->at];
  if (top && *top == '{') {
    // In a map: a key and the colon behind it. The stack entry ':' marks that a value is next.
    if (c != '"') return rv_json_fail(in, in->at, "a key in quotes is expected");
    if (!parse_string(in, token)) return false;
    skip_space(in);
    if (in->at == in->count || in->bytes[in->at] != ':') return rv_json_fail(in, in->at, "a colon is expected");
    ++in->at;
    *top = ':';
    return true;
  }
  if (top && *top == ':') *top = '{';
  // A value: a container begins, or a scalar.
  if (c == '[' || c == '{') {
    ++in->at;
    token->kind = c == '[' ? RV_JSON_ARRAY : RV_JSON_MAP;
    return true;
  }
  return parse_scalar(in, token);
}

// Parses one element of an array of numbers, which may be true or false, and appends it in the wanted type.
static bool parse_element(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers) {
  Number number = {0};
  uint8_t c = in->bytes[in->at];
  // The number; true is 1, false is 0.
  if (c == 't' || c == 'f') {
    bool yes = parse_literal(in, "true");
    if (!yes && !parse_literal(in, "false")) return rv_json_fail(in, in->at, "%s: a number is expected", what);
    number = (Number){true, yes, yes, yes};
  } else if (c == '"' || c == '[' || c == '{') {
    return rv_json_fail(in, in->at, "%s: a number is expected", what);
  } else if (!parse_number(in, wanted == RV_ELEMENT_F32, &number)) {
    return false;
  }
  // Append it in the wanted type.
  if (!rv_numbers_reserve(numbers, wanted, 1)) {
    rv_fail(in->error, RV_NO_MEMORY, "out of memory");
    in->failed = true;
    return false;
  }
  uint8_t* at = numbers->own.data + numbers->own.used;
  if (wanted == RV_ELEMENT_F32) {
    memcpy(at, &number.single, sizeof number.single);
  } else if (wanted == RV_ELEMENT_F64) {
    memcpy(at, &number.real, sizeof number.real);
  } else {
    RvNumbers real = {.element = RV_ELEMENT_F64, .count = 1, .bytes = (const uint8_t*)&number.real};
    int64_t integer = number.is_integer ? number.integer : rv_numbers_i64(&real, 0);
    memcpy(at, &integer, sizeof integer);
  }
  numbers->own.used += wanted == RV_ELEMENT_F32 ? sizeof(float) : sizeof(double);
  ++numbers->count;
  return true;
}

// Large arrays are most of a text file, so this loop bypasses the tokens.
bool rv_json_text_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers) {
  for (bool first = true;; first = false) {
    skip_space(in);
    if (in->at == in->count) return rv_json_fail(in, in->at, "%s: the file ends inside an array", what);
    uint8_t c = in->bytes[in->at];
    if (c == ']') {
      ++in->at;
      --in->depth;
      in->started = true;
      return true;
    }
    if (!first) {
      if (c != ',') return rv_json_fail(in, in->at, "%s: a comma or ] is expected between numbers", what);
      ++in->at;
      skip_space(in);
      if (in->at == in->count) return rv_json_fail(in, in->at, "%s: the file ends inside an array", what);
    }
    if (!parse_element(in, what, wanted, numbers)) return false;
  }
}
