// The text back end: strict JSON, with nan and inf besides, as Houdini writes them.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "geo/json_in.h"
#include "shim/number.h"

static bool is_space(uint8_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_space(RvJsonIn* in) {
  while (in->at < in->count && is_space(in->bytes[in->at])) ++in->at;
}

static bool at_delimiter(const RvJsonIn* in) {
  if (in->at == in->count) return true;
  uint8_t c = in->bytes[in->at];
  return is_space(c) || c == ',' || c == ']' || c == '}' || c == ':';
}

typedef struct Number {
  bool whole;
  int64_t value;
  double real;
  float single;
} Number;

// nan, inf, infinity in any case, signed or not
static bool parse_word(RvJsonIn* in, bool negative, Number* out) {
  static const struct {
    const char* text;
    bool nan;
  } words[] = {{"nan", true}, {"infinity", false}, {"inf", false}};
  const char* text = (const char*)in->bytes + in->at;
  size_t left = in->count - in->at;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    size_t length = strlen(words[i].text);
    if (left < length || strncasecmp(text, words[i].text, length) != 0) continue;
    in->at += length;
    out->whole = false;
    out->single = words[i].nan ? NAN : INFINITY;
    if (negative) out->single = copysignf(out->single, -1);
    out->real = (double)out->single;
    return true;
  }
  return false;
}

// at the first byte of a number; `single` asks for a float of the exact decimal, else a double
static bool parse_number(RvJsonIn* in, bool single, Number* out) {
  size_t begin = in->at;
  bool negative = in->bytes[in->at] == '-';
  if (negative || in->bytes[in->at] == '+') ++in->at;
  size_t digits = in->at;
  uint64_t value = 0;
  while (in->at < in->count && in->bytes[in->at] >= '0' && in->bytes[in->at] <= '9' && in->at - digits < 18)
    value = value * 10 + (in->bytes[in->at++] - '0');
  if (in->at > digits && at_delimiter(in)) {
    out->whole = true;
    out->value = negative ? -(int64_t)value : (int64_t)value;
    out->real = negative && !value ? -0.0 : (double)out->value;
    out->single = (float)out->real;
    // "-0" is a real: an integer has no sign to keep
    if (negative && !value) out->whole = false;
    return true;
  }
  in->at = digits;
  if (in->at < in->count && (in->bytes[in->at] | 0x20) >= 'a' && (in->bytes[in->at] | 0x20) <= 'z')
    return (parse_word(in, negative, out) && at_delimiter(in)) ||
           rv_json_fail(in, begin, "a word that is neither a number nor true, false or null");
  // 19 digits may still be a whole number
  out->whole = false;
  size_t end = digits;
  while (end < in->count && in->bytes[end] >= '0' && in->bytes[end] <= '9') ++end;
  if (end - digits == 19 && (end == in->count || !strchr(".eE", in->bytes[end]) || !in->bytes[end])) {
    uint64_t large = 0;
    for (size_t i = digits; i < end; ++i) large = large * 10 + (in->bytes[i] - '0');
    if (large <= (uint64_t)INT64_MAX + negative) {
      out->whole = true;
      out->value = negative ? (int64_t)(0 - large) : (int64_t)large;
    }
  }
  const char* text = (const char*)in->bytes + digits;
  size_t used;
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

static int hex_digit(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hex4(RvJsonIn* in, uint32_t* out) {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    int digit = in->at < in->count ? hex_digit(in->bytes[in->at]) : -1;
    if (digit < 0) return rv_json_fail(in, in->at, "four hexadecimal digits are expected after \\u");
    code = code << 4 | (uint32_t)digit;
    ++in->at;
  }
  *out = code;
  return true;
}

static bool parse_escape(RvJsonIn* in, char* out, size_t* length) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
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
    // Houdini's own texts may escape any character
    *out = c;
    return true;
  }
  uint32_t code, low;
  if (!parse_hex4(in, &code)) return false;
  if (code >= 0xd800 && code < 0xdc00 && in->count - in->at >= 6 && in->bytes[in->at] == '\\' &&
      in->bytes[in->at + 1] == 'u') {
    in->at += 2;
    if (!parse_hex4(in, &low)) return false;
    code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
  }
  *length = rv_utf8_put(out, code);
  return true;
}

static bool parse_string(RvJsonIn* in, RvJsonToken* token) {
  size_t begin = in->at++;
  // most texts have no escapes and stay where they are
  while (in->at < in->count && in->bytes[in->at] != '"' && in->bytes[in->at] != '\\') ++in->at;
  token->kind = RV_JSON_STRING;
  token->text = (const char*)in->bytes + begin + 1;
  token->length = in->at - begin - 1;
  if (in->at < in->count && in->bytes[in->at] == '"') {
    ++in->at;
    return true;
  }
  in->unescaped.count = 0;
  size_t plain = begin + 1;
  for (;;) {
    size_t run = in->at - plain;
    if (!rv_array_reserve(&in->unescaped, in->unescaped.count + run + 4)) {
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

static bool parse_literal(RvJsonIn* in, const char* word) {
  size_t length = strlen(word);
  if (in->count - in->at < length || memcmp(in->bytes + in->at, word, length) != 0) return false;
  size_t begin = in->at;
  in->at += length;
  if (at_delimiter(in)) return true;
  in->at = begin;
  return false;
}

static bool parse_scalar(RvJsonIn* in, RvJsonToken* token) {
  if (in->bytes[in->at] == '"') return parse_string(in, token);
  if (parse_literal(in, "true") || parse_literal(in, "false")) {
    token->kind = RV_JSON_BOOL;
    token->whole = in->bytes[token->offset] == 't';
    return true;
  }
  if (parse_literal(in, "null")) {
    token->kind = RV_JSON_NULL;
    return true;
  }
  Number number;
  if (!parse_number(in, false, &number)) return false;
  token->kind = number.whole ? RV_JSON_INT : RV_JSON_REAL;
  token->whole = number.whole ? number.value : 0;
  token->real = number.real;
  return true;
}

// takes the comma that must stand between two values
static bool pass_comma(RvJsonIn* in) {
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
  if (top && *top != ':' && (c == ']' || c == '}')) {
    ++in->at;
    token->kind = c == ']' ? RV_JSON_ARRAY_END : RV_JSON_MAP_END;
    return true;
  }
  if (!(top && *top == ':') && !pass_comma(in)) return false;
  token->offset = in->at;
  c = in->bytes[in->at];
  if (top && *top == '{') {
    // a key, and the colon after it
    if (c != '"') return rv_json_fail(in, in->at, "a key in quotes is expected");
    if (!parse_string(in, token)) return false;
    skip_space(in);
    if (in->at == in->count || in->bytes[in->at] != ':') return rv_json_fail(in, in->at, "a colon is expected");
    ++in->at;
    *top = ':';
    return true;
  }
  if (top && *top == ':') *top = '{';
  if (c == '[' || c == '{') {
    ++in->at;
    token->kind = c == '[' ? RV_JSON_ARRAY : RV_JSON_MAP;
    return true;
  }
  return parse_scalar(in, token);
}

bool rv_json_text_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers) {
  size_t size = wanted == RV_ELEMENT_F32 ? 4 : 8;
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
      c = in->bytes[in->at];
    }
    Number number = {0};
    if (c == 't' || c == 'f') {
      bool yes = parse_literal(in, "true");
      if (!yes && !parse_literal(in, "false")) return rv_json_fail(in, in->at, "%s: a number is expected", what);
      number = (Number){true, yes, yes, yes};
    } else if (c == '"' || c == '[' || c == '{') {
      return rv_json_fail(in, in->at, "%s: a number is expected", what);
    } else if (!parse_number(in, wanted == RV_ELEMENT_F32, &number)) {
      return false;
    }
    if (!rv_numbers_reserve(numbers, wanted, 1)) {
      rv_fail(in->error, RV_NO_MEMORY, "out of memory");
      in->failed = true;
      return false;
    }
    uint8_t* at = numbers->own.data + numbers->own.used;
    if (wanted == RV_ELEMENT_F32) {
      memcpy(at, &number.single, 4);
    } else if (wanted == RV_ELEMENT_F64) {
      memcpy(at, &number.real, 8);
    } else {
      RvNumbers real = {.element = RV_ELEMENT_F64, .count = 1, .bytes = (const uint8_t*)&number.real};
      int64_t whole = number.whole ? number.value : rv_numbers_i64(&real, 0);
      memcpy(at, &whole, 8);
    }
    numbers->own.used += size;
    ++numbers->count;
  }
}
