// Houdini's JSON, read as a stream of tokens: one interface over text (.geo) and binary JSON (.bgeo). Nothing is
// trusted: lengths are checked against the bytes left, depth is limited, and every error tells the byte offset.
#ifndef RV_GEO_JSON_IN_H
#define RV_GEO_JSON_IN_H

#include "base/array.h"
#include "geo/numbers.h"

enum { RV_JSON_DEPTH = 256 };

typedef enum RvJsonKind {
  RV_JSON_FAILED,
  RV_JSON_END,  // of the document
  RV_JSON_NULL,
  RV_JSON_BOOL,
  RV_JSON_INT,
  RV_JSON_REAL,
  RV_JSON_STRING,
  RV_JSON_ARRAY,
  RV_JSON_ARRAY_END,
  RV_JSON_MAP,
  RV_JSON_MAP_END,
  RV_JSON_UNIFORM  // a whole array of numbers of one type (binary only)
} RvJsonKind;

typedef struct RvJsonToken {
  RvJsonKind kind;
  size_t offset;
  int64_t whole;     // bool, int
  double real;       // int, real
  const char* text;  // string: not ended by 0, good until the next token
  size_t length;
  RvNumbers numbers;  // uniform: a view
} RvJsonToken;

typedef struct RvJsonWord {
  const char* text;
  size_t length;
} RvJsonWord;

typedef struct RvJsonIn {
  const uint8_t* bytes;
  size_t count, at;
  bool binary, swap;
  RvError* error;
  bool failed;
  const char* what;  // what the offsets count in, such as " of the unpacked data"
  int depth;
  char stack[RV_JSON_DEPTH];  // '[' or '{' of each open container
  bool started;               // text: a value was seen in the innermost container, so a comma must come
  bool after_key;             // text: a colon was seen
  bool has_peek;
  RvJsonToken peek;
  RV_ARRAY(RvJsonWord) words;  // binary: defined tokens
  size_t texts_left;           // binary: of a uniform array of texts, which is handed on as a plain array
  uint8_t texts_type;
  RV_ARRAY(char) unescaped;  // text: the last string that had escapes
} RvJsonIn;

// Looks at the first bytes to tell text from binary. False with `error` filled if it is neither.
bool rv_json_open(RvJsonIn* in, const void* bytes, size_t count, const char* what, RvError* error);
void rv_json_close(RvJsonIn* in);

// The next token; RV_JSON_FAILED once anything went wrong.
RvJsonKind rv_json_next(RvJsonIn* in, RvJsonToken* token);
const RvJsonToken* rv_json_peek(RvJsonIn* in);
// Says what is wrong and adds the offset. A macro, so that the compiler sees that it is always false.
void rv_json_set_failed(RvJsonIn* in, size_t offset, const char* format, ...) RV_PRINTF(3, 4);
#define rv_json_fail(...) (rv_json_set_failed(__VA_ARGS__), false)
const char* rv_json_kind_name(RvJsonKind kind);

// Passes over one value, whatever it is.
bool rv_json_skip(RvJsonIn* in);
// One value of a kind; a number may be an int, a real or a bool wherever a number is expected.
bool rv_json_int(RvJsonIn* in, const char* what, int64_t lo, int64_t hi, int64_t* out);
bool rv_json_bool(RvJsonIn* in, const char* what, bool* out);
// New memory (rv_free), ended by 0. Texts with a 0 inside, and those longer than `most` bytes, are refused. A binary
// file says a long text again with two bytes: whoever keeps the copy holds its length against a limit.
bool rv_json_string(RvJsonIn* in, const char* what, size_t most, char** out);
// Appends an array of numbers. `wanted` (i64, f32 or f64) is the type for values that come from text or one by one; a
// uniform array into empty `numbers` stays a view.
bool rv_json_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers);
// Begins an array (or a map); rv_json_more is true while another element comes, and takes its end.
bool rv_json_begin(RvJsonIn* in, const char* what);
bool rv_json_more(RvJsonIn* in);

// Pairs: ["key", value, ...] or {"key": value, ...}.
//   RvJsonKey key;  if (rv_json_begin(in, "info")) while (rv_json_key(in, &key)) if (rv_json_is(&key, "date")) ...
typedef struct RvJsonKey {
  char text[64];  // longer ones are cut: no key of ours is
  size_t offset;
} RvJsonKey;
bool rv_json_key(RvJsonIn* in, RvJsonKey* key);
// A text that is only compared with those we know, such as a type: cut in the same way.
bool rv_json_word(RvJsonIn* in, const char* what, RvJsonKey* word);
bool rv_json_is(const RvJsonKey* key, const char* text);

// The back ends.
bool rv_json_text_next(RvJsonIn* in, RvJsonToken* token);
// Reads an array of plain numbers after its '[', up to and with its ']'.
bool rv_json_text_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers);
bool rv_json_binary_open(RvJsonIn* in);
bool rv_json_binary_next(RvJsonIn* in, RvJsonToken* token);

#endif
