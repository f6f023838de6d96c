// Reader of Houdini's JSON as a stream of tokens, with one interface for text (.geo) and binary JSON (.bgeo). The input
// is not trusted: lengths are checked against the bytes that remain, the depth is limited, and every error gives the
// byte offset.
#ifndef RV_GEO_JSON_IN_H
#define RV_GEO_JSON_IN_H

#include "base/array.h"
#include "geo/numbers.h"

enum { RV_JSON_DEPTH = 256 };  // nested arrays and maps at max_bytes; bounds the recursion of embedded documents

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

// One token; which members are set depends on the kind.
typedef struct RvJsonToken {
  RvJsonKind kind;
  size_t offset;      // of its first byte
  int64_t integer;    // bool, int
  double real;        // int, real
  const char* text;   // string: not ended by 0, valid until the next token
  size_t length;      // string: bytes
  RvNumbers numbers;  // uniform: a view into the file
} RvJsonToken;

// A string that a binary file defines once and then refers to by its id. Not ended by 0, borrowed from the file.
typedef struct RvJsonWord {
  const char* text;  // NULL: not defined
  size_t length;
} RvJsonWord;

// The reader.
typedef struct RvJsonIn {
  const uint8_t* bytes;  // the document, borrowed
  size_t count;          // bytes
  size_t at;             // offset of the next byte to read
  bool binary;
  bool swap;                  // binary: the byte order of the file is not that of the machine
  RvError* error;             // filled with the first error
  bool failed;                // every call fails from here on
  const char* what;           // what the offsets in errors refer to, such as " of the unpacked data"
  int depth;                  // open arrays and maps
  char stack[RV_JSON_DEPTH];  // '[' or '{' of each of them; text: ':' for a map after a key
  bool started;               // a value was read in the innermost container, so text must have a comma next
  bool has_peek;              // `peek` is the next token
  RvJsonToken peek;
  RV_ARRAY(RvJsonWord) words;  // binary: defined strings by id
  size_t texts_remaining;      // binary: strings and the end still to come of a uniform array of strings
  uint8_t texts_type;          // binary: type byte of these strings
  RV_ARRAY(char) unescaped;    // text: content of the last string that had escapes
} RvJsonIn;

// Opens a document, text or binary by its first byte. `bytes` and `error` must outlive the reader; `what` (NULL:
// nothing) follows the offset in errors. False with `error` filled if the binary header is wrong. Call rv_json_close in
// either case.
bool rv_json_open(RvJsonIn* in, const void* bytes, size_t count, const char* what, RvError* error);
// Frees the memory of the reader, not the document.
void rv_json_close(RvJsonIn* in);

// Reads the next token and returns its kind; RV_JSON_FAILED from the first error on.
RvJsonKind rv_json_next(RvJsonIn* in, RvJsonToken* token);
// The next token without consuming it; valid until the next call.
const RvJsonToken* rv_json_peek(RvJsonIn* in);
// Fills the error with a message and the offset, unless it is filled already. The macro is for `return
// rv_json_fail(...)`: the compiler sees that it is always false.
void rv_json_set_failed(RvJsonIn* in, size_t offset, const char* format, ...) RV_PRINTF(3, 4);
#define rv_json_fail(...) (rv_json_set_failed(__VA_ARGS__), false)
// Description of a kind for messages, such as "an array".
const char* rv_json_kind_name(RvJsonKind kind);

// Skips one value of any kind. False with the error filled on damaged input, as all functions below.
bool rv_json_skip(RvJsonIn* in);
// Reads an integer within [lo, hi]; a real without fraction and a bool are accepted. `what` is for the message.
bool rv_json_int(RvJsonIn* in, const char* what, int64_t lo, int64_t hi, int64_t* out);
// Reads a bool; a number other than 0 is true.
bool rv_json_bool(RvJsonIn* in, const char* what, bool* out);
// Reads a string into new memory (rv_free), ended by 0. A string with a 0 inside or longer than `max_bytes` is refused.
// A binary file can repeat a long string with two bytes, so a caller that keeps copies must charge their length to a
// limit.
bool rv_json_string(RvJsonIn* in, const char* what, size_t max_bytes, char** out);
// Appends an array of numbers. `wanted` (i64, f32 or f64) is the element type for numbers that come from text or one by
// one; a uniform array that is read into empty `numbers` stays a view into the file.
bool rv_json_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers);
// Consumes the beginning of an array or a map.
bool rv_json_begin(RvJsonIn* in, const char* what);
// True while another element follows; at the end it consumes the closing bracket. Also false after an error.
bool rv_json_more(RvJsonIn* in);

// Key-value pairs, written as ["key", value, ...] or {"key": value, ...}.
//   RvJsonKey key;  if (rv_json_begin(in, "info")) while (rv_json_key(in, &key)) if (rv_json_is(&key, "date")) ...
typedef struct RvJsonKey {
  char text[64];  // ended by 0; longer keys are cut, as no known key is that long
  size_t offset;
} RvJsonKey;
// Reads the next key; the caller then reads or skips its value. False at the end, and after an error.
bool rv_json_key(RvJsonIn* in, RvJsonKey* key);
// Reads a string that is only compared with known ones, such as a type name; longer ones are cut in the same way.
bool rv_json_word(RvJsonIn* in, const char* what, RvJsonKey* word);
// True if the key is `text`.
bool rv_json_is(const RvJsonKey* key, const char* text);

// Text back end, json_text.c: reads the next token.
bool rv_json_text_next(RvJsonIn* in, RvJsonToken* token);
// Text back end: reads an array of numbers from behind its '[' to its ']' inclusive.
bool rv_json_text_numbers(RvJsonIn* in, const char* what, RvElement wanted, RvNumbers* numbers);
// Binary back end, json_binary.c: checks the magic number and finds the byte order.
bool rv_json_binary_open(RvJsonIn* in);
// Binary back end: reads the next token.
bool rv_json_binary_next(RvJsonIn* in, RvJsonToken* token);

#endif
