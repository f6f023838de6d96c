// Results, errors, messages, threads and version. Every other header includes this one.
#ifndef RIVULET_BASE_H
#define RIVULET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Marks the functions of the library's interface. RV_STATIC: the core is linked statically and exports nothing.
#if defined(RV_STATIC)
#define RV_API
#else
#define RV_API __attribute__((visibility("default")))
#endif

// Lets the compiler check arguments against a printf format: `f` is the index of the format, `a` of the first argument.
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

// Result codes. Columns: name, exit code of the command line, text.
#define RV_RESULTS(X)                                      \
  X(OK, 0, "done")                                         \
  X(BAD_INPUT, 1, "the input is wrong")                    \
  X(BAD_FILE, 1, "the file is damaged or of another kind") \
  X(NOT_FOUND, 1, "not found")                             \
  X(IO, 1, "the file system reported an error")            \
  X(LIMIT, 1, "a limit was reached")                       \
  X(UNSUPPORTED, 1, "this is not supported")               \
  X(CANCELLED, 130, "interrupted")                         \
  X(NO_MEMORY, 2, "out of memory")                         \
  X(SHIM, 2, "a library failed")                           \
  X(INTERNAL, 2, "an internal error of Rivulet")

typedef enum RvResult {
#define RV_RESULT_VALUE(name, exit_code, text) RV_##name,
  RV_RESULTS(RV_RESULT_VALUE)
#undef RV_RESULT_VALUE
      RV_RESULT_COUNT
} RvResult;

// An error. Clear it ({0}) before a call. The first error is kept: a filled error is not overwritten, only given
// context.
typedef struct RvError {
  RvResult code;    // RV_OK: no error
  char text[1020];  // ended by a zero; longer texts are cut
} RvError;

// Name of a result such as "BAD_FILE"; "UNKNOWN" for other numbers. Static.
RV_API const char* rv_result_name(RvResult result);
// The result in plain words; "unknown result" for other numbers. Static.
RV_API const char* rv_result_text(RvResult result);
// Exit code of the command line for a result; 2 for other numbers.
RV_API int rv_result_exit_code(RvResult result);

// Fills `error` with the code and a printf text, unless it is NULL or filled already. Returns the code of the error
// that is kept; `code` if `error` is NULL.
RV_API RvResult rv_fail(RvError* error, RvResult code, const char* format, ...) RV_PRINTF(3, 4);
// Puts the printf text and ": " before the text of a filled error. Returns the error's code; RV_INTERNAL if `error` is
// NULL.
RV_API RvResult rv_error_context(RvError* error, const char* format, ...) RV_PRINTF(2, 3);

// Importance of a message that is not an error.
typedef enum RvLevel { RV_LEVEL_INFO, RV_LEVEL_WARNING } RvLevel;

// Receiver of messages that are not errors. The library itself never prints.
typedef struct RvLog {
  void* user;                                                    // passed to `message`
  void (*message)(void* user, RvLevel level, const char* text);  // `text` is borrowed; NULL: messages are dropped
} RvLog;

// Sends a printf text of at most 1019 characters to the log. Nothing happens if `log` or its function is NULL.
RV_API void rv_log(const RvLog* log, RvLevel level, const char* format, ...) RV_PRINTF(3, 4);

// Sets the number of threads of the parallel loops, at most 256; 0 or less: one per core. Results do not depend on it.
RV_API void rv_threads_set(int workers);
// Number of threads of the parallel loops, at least 1.
RV_API int rv_threads(void);

// Version of the library as it was built, such as "0.1.0". Static.
RV_API const char* rv_version(void);
// Whether a program that was compiled with the headers of that version may use this library: the same major and minor
// number, and a patch that is not later than the library's. Else RV_UNSUPPORTED with both versions in the error. Call
// it as rv_version_check(RV_VERSION_MAJOR, RV_VERSION_MINOR, RV_VERSION_PATCH, &error).
RV_API RvResult rv_version_check(int major, int minor, int patch, RvError* error);

// Frees memory that a function hands over to the caller "to be freed by rv_free". NULL is allowed.
RV_API void rv_free(void* memory);

#ifdef __cplusplus
}
#endif
#endif
