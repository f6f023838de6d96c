// A text builder. It remembers when memory ran out, so that a writer checks once, at the end.
#ifndef RV_PARM_TEXT_H
#define RV_PARM_TEXT_H

#include "rivulet/base.h"

// Begins as {0}.
typedef struct RvText {
  char* data;              // ended by a zero, which is not counted
  size_t count, capacity;  // bytes
  bool failed;             // memory ran out; nothing more is added
} RvText;

// Appends a text.
void rv_text_add(RvText* text, const char* part);
// Appends `count` bytes.
void rv_text_add_bytes(RvText* text, const char* part, size_t count);
// Appends a printf text.
void rv_text_addf(RvText* text, const char* format, ...) RV_PRINTF(2, 3);
// Appends a number as by rv_number_write.
void rv_text_number(RvText* text, double value);
// Appends a character `count` times.
void rv_text_fill(RvText* text, char c, size_t count);
// Appends a text in double quotes, with a backslash before quotes and backslashes; line ends become blanks.
void rv_text_quoted(RvText* text, const char* part);
// Hands over the text, ended by a zero; the caller frees it by rv_free. NULL if memory ran out. The builder is empty
// afterwards.
char* rv_text_done(RvText* text);

#endif
