// JSON that knows the line of every value, so that a wrong one can be shown to the person who wrote it.
#ifndef RV_SCENE_JSON_H
#define RV_SCENE_JSON_H

#include "base/arena.h"
#include "parm/text.h"
#include "rivulet/base.h"

typedef enum RvJsonKind {
  RV_JSON_NULL,
  RV_JSON_BOOL,
  RV_JSON_NUMBER,
  RV_JSON_STRING,
  RV_JSON_ARRAY,
  RV_JSON_OBJECT,
} RvJsonKind;

// One value; members of an object and items of an array are a list in the order of the file.
typedef struct RvJson {
  RvJsonKind kind;
  int line;
  bool boolean;
  double number;
  const char* string;  // UTF-8, no zero inside
  const char* key;     // in an object
  size_t count;
  struct RvJson* first;
  struct RvJson* next;
} RvJson;

// Bounds that keep a hostile text cheap.
enum { RV_JSON_MAX_DEPTH = 64, RV_JSON_MAX_VALUES = 2 * 1000 * 1000, RV_JSON_MAX_NUMBER = 400 };

// Strict JSON: one value, no duplicate keys, valid UTF-8. The tree lives in the arena. Errors begin "name:line: ".
RvResult rv_json_parse(const char* text, size_t bytes, const char* name, RvArena* arena, RvJson** out, RvError* error);
const char* rv_json_kind_name(RvJsonKind kind);  // "a number"
const RvJson* rv_json_find(const RvJson* object, const char* key);

// Writing: a string with its quotes and escapes; a number, or null if it is not finite.
void rv_json_add_string(RvText* text, const char* string);
void rv_json_add_number(RvText* text, double number);

#endif
