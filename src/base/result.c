// Names and texts of results, errors and messages.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/result.h"

// The rows of RV_RESULTS, by result.
static const struct {
  const char* name;
  int exit_code;
  const char* text;
} results[RV_RESULT_COUNT] = {
#define RV_RESULT_ROW(name, exit_code, text) {#name, exit_code, text},
    RV_RESULTS(RV_RESULT_ROW)
#undef RV_RESULT_ROW
};

// False for numbers that are no result.
static bool known(RvResult result) {
  return (unsigned)result < RV_RESULT_COUNT;
}

const char* rv_result_name(RvResult result) {
  return known(result) ? results[result].name : "UNKNOWN";
}

const char* rv_result_text(RvResult result) {
  return known(result) ? results[result].text : "unknown result";
}

int rv_result_exit_code(RvResult result) {
  return known(result) ? results[result].exit_code : results[RV_INTERNAL].exit_code;
}

RvResult rv_fail(RvError* error, RvResult code, const char* format, ...) {
  // The first error is kept.
  if (error && error->code == RV_OK) {
    error->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
  }
  // The code belongs to the text that is kept.
  return error ? error->code : code;
}

RvResult rv_error_context(RvError* error, const char* format, ...) {
  if (!error) return RV_INTERNAL;
  if (error->code == RV_OK) return RV_OK;
  // Write the context over the old text.
  char old[sizeof error->text];
  memcpy(old, error->text, sizeof old);
  va_list args;
  va_start(args, format);
  int n = vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n < sizeof error->text ? (size_t)n : sizeof error->text - 1;
  // Append ": " and the old text, cut to the size. snprintf would give a compiler warning about the truncation.
  const char* parts[] = {": ", old};
  for (int i = 0; i < 2; ++i)
    for (const char* c = parts[i]; *c && used + 1 < sizeof error->text; ++c) error->text[used++] = *c;
  error->text[used] = 0;
  return error->code;
}

void rv_log(const RvLog* log, RvLevel level, const char* format, ...) {
  if (!log || !log->message) return;
  char text[sizeof((RvError*)0)->text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  log->message(log->user, level, text);
}

const char* rv_version(void) {
  return RV_VERSION_STRING;
}

RvResult rv_version_check(int major, int minor, int patch, RvError* error) {
  if (major == RV_VERSION_MAJOR && minor == RV_VERSION_MINOR && patch >= 0 && patch <= RV_VERSION_PATCH) return RV_OK;
  return rv_fail(error, RV_UNSUPPORTED,
                 "the program was compiled with the headers of Rivulet %d.%d.%d and runs with the library %s: compile "
                 "it with the headers of that library, or install the library of its headers",
                 major, minor, patch, RV_VERSION_STRING);
}

RvResult rv_struct_check(const char* name, const char* fill, uint32_t size, uint32_t version, size_t expected,
                         RvError* error) {
  if (size == 0 || version == 0) return rv_fail(error, RV_BAD_INPUT, "%s was not filled: begin with %s()", name, fill);
  // the number is major * 1000000 + minor * 1000 + patch
  RvResult result =
      rv_version_check((int)(version / 1000000 % 1000), (int)(version / 1000 % 1000), (int)(version % 1000), error);
  if (result) rv_error_context(error, "%s", name);
  if (result) return result;
  if (size == expected) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT,
                 "%s has %u bytes and should have %zu: begin with %s(), and do not change its size", name, size,
                 expected, fill);
}
