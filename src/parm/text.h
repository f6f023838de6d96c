// A text that grows. Running out of memory is remembered, so that a writer checks once, at the end.
#ifndef RV_PARM_TEXT_H
#define RV_PARM_TEXT_H

#include "rivulet/base.h"

typedef struct RvText {
  char* data;
  size_t count, capacity;
  bool failed;
} RvText;

void rv_text_add(RvText* text, const char* part);
void rv_text_add_bytes(RvText* text, const char* part, size_t count);
void rv_text_addf(RvText* text, const char* format, ...) RV_PRINTF(2, 3);
void rv_text_number(RvText* text, double value);
// `count` times the character.
void rv_text_fill(RvText* text, char c, size_t count);
// The characters between quotes, with backslashes before quotes and backslashes; line ends become blanks.
void rv_text_quoted(RvText* text, const char* part);
// The text, ended by a 0, to be freed with rv_free; NULL if memory ran out on the way. The builder is empty
// then.
char* rv_text_done(RvText* text);

#endif
