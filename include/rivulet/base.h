// Results, errors, messages, threads and version: what every other header builds on.
#ifndef RIVULET_BASE_H
#define RIVULET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(RV_STATIC)
#define RV_API
#else
#define RV_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define RV_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define RV_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RV_VERSION_MAJOR 0
#define RV_VERSION_MINOR 1
#define RV_VERSION_PATCH 0
#define RV_VERSION_STRING "0.1.0"
// One number for a version, larger for a later one; definition structs carry it.
#define RV_VERSION_NUMBER (RV_VERSION_MAJOR * 1000000 + RV_VERSION_MINOR * 1000 + RV_VERSION_PATCH)

// Every way in which a call can end. Columns: name, exit code of the command line, text.
#define RV_RESULTS(X)                                      \
  X(OK, 0, "done")                                         \
  X(BAD_INPUT, 1, "the input is wrong")                    \
  X(BAD_FILE, 1, "the file is damaged or of another kind") \
  X(NOT_FOUND, 1, "there is no such thing")                \
  X(IO, 1, "the file system refused")                      \
  X(LIMIT, 1, "a limit was reached")                       \
  X(UNSUPPORTED, 1, "this is not supported")               \
  X(CANCELLED, 130, "interrupted")                         \
  X(NO_MEMORY, 2, "out of memory")                         \
  X(SHIM, 2, "a library failed")                           \
  X(INTERNAL, 2, "a fault of Rivulet's own")

typedef enum RvResult {
#define RV_RESULT_VALUE(name, exit_code, text) RV_##name,
  RV_RESULTS(RV_RESULT_VALUE)
#undef RV_RESULT_VALUE
      RV_RESULT_COUNT
} RvResult;

// What went wrong. The first error wins: a filled error is not overwritten, only given context.
typedef struct RvError {
  RvResult code;
  char text[1020];
} RvError;

// Name of a result such as "BAD_FILE", its plain text, and the exit code of the command line for it.
RV_API const char* rv_result_name(RvResult result);
RV_API const char* rv_result_text(RvResult result);
RV_API int rv_result_exit_code(RvResult result);

// Fills `error` (may be NULL; kept if already filled) and returns `code`.
RV_API RvResult rv_fail(RvError* error, RvResult code, const char* format, ...) RV_PRINTF(3, 4);
// Puts "context: " before the text of a filled error. Returns the error's code.
RV_API RvResult rv_error_context(RvError* error, const char* format, ...) RV_PRINTF(2, 3);

typedef enum RvLevel { RV_LEVEL_INFO, RV_LEVEL_WARNING } RvLevel;

// Where a call may say something that is not an error. Zero means silence; the core never prints.
typedef struct RvLog {
  void* user;
  void (*message)(void* user, RvLevel level, const char* text);
} RvLog;

RV_API void rv_log(const RvLog* log, RvLevel level, const char* format, ...) RV_PRINTF(3, 4);

// Number of workers of the parallel loops; 0 asks for one a core. The result of no call depends on it.
RV_API void rv_threads_set(int workers);
RV_API int rv_threads(void);

// "0.1.0", as the library was built.
RV_API const char* rv_version(void);
// Whether a program that was compiled with the headers of that version may use this library: the same major and minor
// number, and a patch that is not later than the library's. Else RV_UNSUPPORTED with both versions in the error. Call
// it as rv_version_check(RV_VERSION_MAJOR, RV_VERSION_MINOR, RV_VERSION_PATCH, &error).
RV_API RvResult rv_version_check(int major, int minor, int patch, RvError* error);

// Frees what a call said the caller must free with rv_free.
RV_API void rv_free(void* memory);

#ifdef __cplusplus
}
#endif
#endif
