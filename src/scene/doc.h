// JSON with the line of every value, so that an error can point at the line of the file.
#ifndef RV_SCENE_DOC_H
#define RV_SCENE_DOC_H

#include "base/arena.h"
#include "parm/text.h"
#include "rivulet/base.h"

typedef enum RvDocKind {
  RV_DOC_NULL,
  RV_DOC_BOOL,
  RV_DOC_NUMBER,
  RV_DOC_STRING,
  RV_DOC_ARRAY,
  RV_DOC_OBJECT,
} RvDocKind;

// One value; members of an object and items of an array are a list in the order of the file.
typedef struct RvDoc {
  RvDocKind kind;
  int line;             // of the key or the value, from 1
  bool boolean;         // RV_DOC_BOOL
  double number;        // RV_DOC_NUMBER
  const char* string;   // RV_DOC_STRING: UTF-8 without zero bytes
  const char* key;      // of a member of an object; else NULL
  size_t count;         // items or members
  struct RvDoc* first;  // item or member; NULL if there is none
  struct RvDoc* next;   // in the same array or object
} RvDoc;

// Bounds on time and memory that a hostile text can take.
enum {
  RV_DOC_MAX_DEPTH = 64,                // nested arrays and objects
  RV_DOC_MAX_VALUES = 2 * 1000 * 1000,  // in one text
  RV_DOC_MAX_NUMBER = 400,              // characters of a number
};

// Parses strict JSON: one value, no duplicate keys, valid UTF-8. The tree lives in the arena. `name` is that of the
// file; errors begin with "name:line: ".
RvResult rv_scene_doc_parse(const char* text, size_t bytes, const char* name, RvArena* arena, RvDoc** out,
                            RvError* error);
// The kind with its article, such as "a number".
const char* rv_scene_doc_kind_name(RvDocKind kind);
// The member of that key; NULL if there is none.
const RvDoc* rv_scene_doc_find(const RvDoc* object, const char* key);
// The first member whose key is not in `known`, a list that NULL ends; NULL if all are.
const RvDoc* rv_scene_doc_unknown(const RvDoc* object, const char* const* known);

// Appends a string with its quotes and escapes.
void rv_scene_doc_add_string(RvText* text, const char* string);
// Appends a number, or null if it is not finite.
void rv_scene_doc_add_number(RvText* text, double number);

#endif
