// JSON that knows the line of every value, so that a wrong one can be shown to the person who wrote it.
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
  int line;
  bool boolean;
  double number;
  const char* string;  // UTF-8, no zero inside
  const char* key;     // in an object
  size_t count;
  struct RvDoc* first;
  struct RvDoc* next;
} RvDoc;

// Bounds that keep a hostile text cheap.
enum { RV_DOC_MAX_DEPTH = 64, RV_DOC_MAX_VALUES = 2 * 1000 * 1000, RV_DOC_MAX_NUMBER = 400 };

// Strict JSON: one value, no duplicate keys, valid UTF-8. The tree lives in the arena. Errors begin "name:line: ".
RvResult rv_scene_doc_parse(const char* text, size_t bytes, const char* name, RvArena* arena, RvDoc** out,
                            RvError* error);
const char* rv_scene_doc_kind_name(RvDocKind kind);  // "a number"
const RvDoc* rv_scene_doc_find(const RvDoc* object, const char* key);
// The first member whose key is none of the list that NULL ends; NULL: all are.
const RvDoc* rv_scene_doc_unknown(const RvDoc* object, const char* const* known);

// Writing: a string with its quotes and escapes; a number, or null if it is not finite.
void rv_scene_doc_add_string(RvText* text, const char* string);
void rv_scene_doc_add_number(RvText* text, double number);

#endif
