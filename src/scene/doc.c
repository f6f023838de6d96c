// JSON reader and writer that keep the line of every value for error messages.
#include "scene/doc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "parm/number.h"

typedef struct Reader {
  const char* at;    // next character
  const char* end;   // of the text
  const char* name;  // of the file, for errors
  int line;          // of `at`, from 1
  int depth;         // nested arrays and objects
  size_t values;     // read so far
  RvArena* arena;    // owns the tree
  RvError* error;
} Reader;

// Ranges of UTF-16 code units that together encode one code point beyond 0xffff.
enum { HIGH_SURROGATE = 0xd800, LOW_SURROGATE = 0xdc00, SURROGATE_END = 0xe000, SUPPLEMENTARY = 0x10000 };

static RvResult read_value(Reader* r, RvDoc** out);

const char* rv_scene_doc_kind_name(RvDocKind kind) {
  static const char* const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
  return names[kind];
}

const RvDoc* rv_scene_doc_unknown(const RvDoc* object, const char* const* known) {
  for (const RvDoc* member = object->first; member; member = member->next) {
    size_t i = 0;
    while (known[i] && strcmp(known[i], member->key) != 0) ++i;
    if (!known[i]) return member;
  }
  return NULL;
}

const RvDoc* rv_scene_doc_find(const RvDoc* object, const char* key) {
  for (const RvDoc* member = object->first; member; member = member->next)
    if (member->key && strcmp(member->key, key) == 0) return member;
  return NULL;
}

// The error for the current line.
static RvResult wrong(const Reader* r, const char* what) {
  return rv_fail(r->error, RV_BAD_INPUT, "%s:%d: %s", r->name, r->line, what);
}

static RvResult no_memory(const Reader* r) {
  return rv_fail(r->error, RV_NO_MEMORY, "%s:%d: out of memory", r->name, r->line);
}

// Skips white space and counts lines.
static void skip_space(Reader* r) {
  for (; r->at < r->end; ++r->at) {
    char c = *r->at;
    if (c == '\n')
      ++r->line;
    else if (c != ' ' && c != '\t' && c != '\r')
      break;
  }
}

//------------------------------------------------------------------------------------------------ strings

// The number of four hexadecimal digits; -1 if there are not four.
static int hex4(const Reader* r, const char* at) {
  if (r->end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    char c = at[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// Reads the code point after "\u", which may be a surrogate pair, and writes it as UTF-8.
static RvResult read_unicode(Reader* r, char** out) {
  int high = hex4(r, r->at);
  if (high < 0) return wrong(r, "\\u needs four hexadecimal digits");
  r->at += 4;
  // The second half of a surrogate pair follows as another \u.
  uint32_t code = (uint32_t)high;
  if (code >= HIGH_SURROGATE && code < LOW_SURROGATE) {
    int low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u' ? hex4(r, r->at + 2) : -1;
    if (low < LOW_SURROGATE || low >= SURROGATE_END) return wrong(r, "half of a \\u surrogate pair is missing");
    r->at += 6;
    code = SUPPLEMENTARY + ((code - HIGH_SURROGATE) << 10) + ((uint32_t)low - LOW_SURROGATE);
  } else if (code >= LOW_SURROGATE && code < SURROGATE_END) {
    return wrong(r, "half of a \\u surrogate pair is missing");
  }
  if (code == 0) return wrong(r, "a string may not hold \\u0000");
  *out += rv_utf8_put(*out, code);
  return RV_OK;
}

// Length of the UTF-8 sequence at `s` (RFC 3629); 0 if it is not valid.
static int utf8_length(const unsigned char* s, ptrdiff_t left) {
  if (s[0] < 0x80) return 1;
  int n = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
  if (!n || left < n) return 0;
  for (int i = 1; i < n; ++i)
    if ((s[i] & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and code points above 0x10ffff are not valid.
  if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
  if (s[0] == 0xed && s[1] > 0x9f) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
  return n;
}

// Reads an escape sequence after its backslash.
static RvResult read_escape(Reader* r, char** out) {
  if (r->at >= r->end) return wrong(r, "the text ends inside a string");
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = *r->at++;
  if (c == 'u') return read_unicode(r, out);
  const char* found = c ? strchr(from, c) : NULL;
  if (!found) return wrong(r, "a string has an unknown escape; a backslash is written \\\\");
  *(*out)++ = to[found - from];
  return RV_OK;
}

// Reads a string, from its opening to its closing quote, into the arena.
static RvResult read_string(Reader* r, const char** string) {
  // Find the end: the decoded text is never longer than the written one.
  const char* close = ++r->at;
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= r->end) return wrong(r, "a string is not closed by \"");
  char* text = RV_TAKE(r->arena, char, (size_t)(close - r->at) + 1);
  if (!text) return no_memory(r);
  // Decode.
  char* out = text;
  while (*r->at != '"') {
    unsigned char c = (unsigned char)*r->at;
    if (c == '\n') return wrong(r, "a string is not closed by \" on its line");
    if (c < ' ') return wrong(r, "a string holds a control character; write it with a backslash");
    if (c == '\\') {
      ++r->at;
      RvResult result = read_escape(r, &out);
      if (result) return result;
      continue;
    }
    int length = utf8_length((const unsigned char*)r->at, r->end - r->at);
    if (!length) return wrong(r, "a string is not valid UTF-8");
    memcpy(out, r->at, (size_t)length);
    out += length;
    r->at += length;
  }
  ++r->at;
  *out = 0;
  *string = text;
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ numbers

// Reads a number. The JSON grammar is checked here, because rv_number_read accepts more.
static RvResult read_number(Reader* r, double* number) {
  const char* start = r->at;
  const char* c = start;
  const char* end = r->end;
  // Sign and integer digits, without leading zeros.
  if (c < end && *c == '-') ++c;
  const char* digits = c;
  while (c < end && *c >= '0' && *c <= '9') ++c;
  bool ok = c > digits && !(digits[0] == '0' && c > digits + 1);
  // Fraction.
  if (ok && c < end && *c == '.') {
    const char* fraction = ++c;
    while (c < end && *c >= '0' && *c <= '9') ++c;
    ok = c > fraction;
  }
  // Exponent.
  if (ok && c < end && (*c == 'e' || *c == 'E')) {
    if (++c < end && (*c == '+' || *c == '-')) ++c;
    const char* exponent = c;
    while (c < end && *c >= '0' && *c <= '9') ++c;
    ok = c > exponent;
  }
  if (!ok) return wrong(r, "a number is not written as JSON wants it (such as 1, -0.5 or 2e-3)");
  // Value.
  char copy[RV_DOC_MAX_NUMBER + 1];
  size_t length = (size_t)(c - start);
  if (length > RV_DOC_MAX_NUMBER) return wrong(r, "a number has too many digits");
  memcpy(copy, start, length);
  copy[length] = 0;
  const char* stop;
  if (!rv_number_read(copy, &stop, number) || *stop) return wrong(r, "a number is too large");
  r->at = c;
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ containers

typedef struct KeyRef {
  uint64_t hash;
  const RvDoc* member;
} KeyRef;

// Order of qsort: by hash of the key, then by line.
static int compare_keys(const void* a, const void* b) {
  const KeyRef *x = a, *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return x->member->line < y->member->line ? -1 : x->member->line > y->member->line;
}

// Refuses a key that occurs twice. The members are sorted by hash, so that large objects do not take quadratic time.
static RvResult refuse_duplicates(Reader* r, const RvDoc* object) {
  if (object->count < 2) return RV_OK;
  KeyRef* refs = rv_alloc(object->count, sizeof *refs);
  if (!refs) return no_memory(r);
  size_t n = 0;
  for (const RvDoc* m = object->first; m; m = m->next) refs[n++] = (KeyRef){rv_hash(m->key, strlen(m->key), 0), m};
  qsort(refs, n, sizeof *refs, compare_keys);
  // Equal keys are neighbours now.
  RvResult result = RV_OK;
  for (size_t i = 1; i < n && !result; ++i)
    if (refs[i].hash == refs[i - 1].hash && strcmp(refs[i].member->key, refs[i - 1].member->key) == 0)
      result = rv_fail(r->error, RV_BAD_INPUT, "%s:%d: '%.100s' is given twice, first on line %d", r->name,
                       refs[i].member->line, refs[i].member->key, refs[i - 1].member->line);
  rv_free(refs);
  return result;
}

// Reads a key and its colon.
static RvResult read_key(Reader* r, const char** key) {
  if (r->at >= r->end || *r->at != '"') return wrong(r, "a name in double quotes is missing here");
  RvResult result = read_string(r, key);
  if (result) return result;
  skip_space(r);
  if (r->at >= r->end || *r->at != ':') return wrong(r, "':' is missing after a name");
  ++r->at;
  skip_space(r);
  return RV_OK;
}

// Reads the items of an array (`close` is ']') or the members of an object (`close` is '}').
static RvResult read_container(Reader* r, RvDoc* value, char close) {
  if (++r->depth > RV_DOC_MAX_DEPTH) return wrong(r, "values are nested too deeply (at most 64 levels)");
  ++r->at;
  skip_space(r);
  RvDoc** tail = &value->first;
  RvResult result = RV_OK;
  while (r->at < r->end && *r->at != close) {
    // Key and value; the line is that of the key.
    const char* key = NULL;
    int line = r->line;
    if (close == '}') result = read_key(r, &key);
    if (!result) result = read_value(r, tail);
    if (result) return result;
    (*tail)->key = key;
    if (key) (*tail)->line = line;
    tail = &(*tail)->next;
    ++value->count;
    // Comma or end.
    skip_space(r);
    if (r->at < r->end && *r->at == ',') {
      ++r->at;
      skip_space(r);
      if (r->at < r->end && *r->at == close) return wrong(r, "a comma stands before the closing bracket");
    } else if (r->at < r->end && *r->at != close) {
      return wrong(r, "',' is missing between two values");
    }
  }
  if (r->at >= r->end) return wrong(r, close == '}' ? "'}' is missing at the end" : "']' is missing at the end");
  ++r->at;
  --r->depth;
  return close == '}' ? refuse_duplicates(r, value) : RV_OK;
}

// Skips a literal word such as "true". False: the text does not continue with it.
static bool word(Reader* r, const char* expected) {
  size_t length = strlen(expected);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, expected, length) != 0) return false;
  r->at += length;
  return true;
}

// Reads any value, with the white space before it.
static RvResult read_value(Reader* r, RvDoc** out) {
  skip_space(r);
  if (r->at >= r->end) return wrong(r, "the text ends where a value should be");
  if (++r->values > RV_DOC_MAX_VALUES)
    return rv_fail(r->error, RV_LIMIT, "%s:%d: the file has more than %d values", r->name, r->line, RV_DOC_MAX_VALUES);
  // A new value of the tree.
  RvDoc* value = RV_TAKE(r->arena, RvDoc, 1);
  if (!value) return no_memory(r);
  *value = (RvDoc){.kind = RV_DOC_NULL, .line = r->line};
  *out = value;
  // Its kind is known from the first character.
  char c = *r->at;
  if (c == '{' || c == '[') {
    value->kind = c == '{' ? RV_DOC_OBJECT : RV_DOC_ARRAY;
    return read_container(r, value, c == '{' ? '}' : ']');
  }
  if (c == '"') {
    value->kind = RV_DOC_STRING;
    return read_string(r, &value->string);
  }
  if (c == '-' || (c >= '0' && c <= '9')) {
    value->kind = RV_DOC_NUMBER;
    return read_number(r, &value->number);
  }
  if (word(r, "null")) return RV_OK;
  value->kind = RV_DOC_BOOL;
  value->boolean = word(r, "true");
  if (value->boolean || word(r, "false")) return RV_OK;
  return wrong(r, "this is no JSON value (a number, \"text\", true, false, null, [...] or {...})");
}

RvResult rv_scene_doc_parse(const char* text, size_t bytes, const char* name, RvArena* arena, RvDoc** out,
                            RvError* error) {
  Reader r = {.at = text, .end = text + bytes, .name = name, .line = 1, .arena = arena, .error = error};
  // Skip a byte order mark, which some editors write.
  if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3;
  *out = NULL;
  RvResult result = read_value(&r, out);
  if (result) return result;
  skip_space(&r);
  return r.at == r.end ? RV_OK : wrong(&r, "there is more text after the end");
}

//------------------------------------------------------------------------------------------------ writing

void rv_scene_doc_add_string(RvText* text, const char* string) {
  rv_text_add(text, "\"");
  for (const char* c = string; *c; ++c) {
    // Append the characters up to the next one that needs an escape.
    size_t plain = 0;
    while (c[plain] && (unsigned char)c[plain] >= ' ' && c[plain] != '"' && c[plain] != '\\') ++plain;
    rv_text_add_bytes(text, c, plain);
    c += plain;
    if (!*c) break;
    if (*c == '"' || *c == '\\')
      rv_text_addf(text, "\\%c", *c);
    else
      rv_text_addf(text, "\\u%04x", (unsigned)(unsigned char)*c);
  }
  rv_text_add(text, "\"");
}

void rv_scene_doc_add_number(RvText* text, double number) {
  if (isfinite(number))
    rv_text_number(text, number);
  else
    rv_text_add(text, "null");
}
