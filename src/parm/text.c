// The text builder.
#include "parm/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "parm/number.h"

void rv_text_add_bytes(RvText* text, const char* part, size_t count) {
  if (text->failed || !rv_array_reserve(text, text->count + count + 1)) {
    text->failed = true;
    return;
  }
  memcpy(text->data + text->count, part, count);
  text->count += count;
  text->data[text->count] = 0;
}

void rv_text_add(RvText* text, const char* part) {
  rv_text_add_bytes(text, part, strlen(part));
}

void rv_text_addf(RvText* text, const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  // Measure, then print.
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0 || text->failed || !rv_array_reserve(text, text->count + (size_t)n + 1)) {
    text->failed = true;
  } else {
    vsnprintf(text->data + text->count, (size_t)n + 1, format, again);
    text->count += (size_t)n;
  }
  va_end(again);
}

void rv_text_number(RvText* text, double value) {
  char buffer[RV_NUMBER_BYTES];
  rv_text_add(text, rv_number_write(value, buffer));
}

void rv_text_fill(RvText* text, char c, size_t count) {
  for (size_t i = 0; i < count; ++i) rv_text_add_bytes(text, &c, 1);
}

void rv_text_quoted(RvText* text, const char* part) {
  rv_text_add(text, "\"");
  for (; *part; ++part) {
    if (*part == '"' || *part == '\\') rv_text_add(text, "\\");
    rv_text_add_bytes(text, *part == '\n' ? " " : part, 1);
  }
  rv_text_add(text, "\"");
}

char* rv_text_done(RvText* text) {
  // An empty text also needs its ending zero.
  rv_text_add_bytes(text, "", 0);
  char* data = text->failed ? NULL : text->data;
  if (!data) rv_free(text->data);
  *text = (RvText){0};
  return data;
}
