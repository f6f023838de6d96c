// Reads the file of a frame, and finds the last earlier frame with a file where a missing one is held.
#include "node/load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "geo/compact.h"

// Largest gap in a sequence that is searched for an earlier file, in frames.
enum { MAX_GAP_FRAMES = 1000 };

// Whether no file has this path; a file that cannot be read is not missing.
static bool is_missing(const char* path) {
  RvFileInfo info;
  return !rv_platform_info(path, &info) && (errno == ENOENT || errno == ENOTDIR);
}

RvResult rv_load_earlier(RvPathFn* path_at, void* user, const char* path, double frame, char** found, RvError* error) {
  *found = NULL;
  char* last = rv_strdup(path);
  RvResult result = last ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // A sample between two frames may stand for the later one ($F is rounded), so the search begins with the earlier one.
  for (int i = 1; last && !*found && i <= MAX_GAP_FRAMES; ++i) {
    char* text;
    result = path_at(user, ceil(frame) - i, &text, error);
    // A path without a frame number is the same at all frames: the search ends.
    bool same = text && i > 1 && strcmp(text, last) == 0;
    bool exists = text && !same && !is_missing(text);
    rv_free(last);
    last = same || exists ? NULL : text;
    if (exists) *found = text;
    if (same) rv_free(text);
  }
  rv_free(last);
  return result;
}

// A text parameter of a node.
typedef struct PathOf {
  const RvCook* cook;
  size_t offset;  // in the type's struct
} PathOf;

// RvPathFn: the value of a parameter at a frame, as a copy, since the host may free its texts when it evaluates the
// parameters at another frame.
static RvResult path_at(void* user, double frame, char** path, RvError* error) {
  const PathOf* of = user;
  const RvHost* host = of->cook->host;
  *path = NULL;
  if (!host->parms_at) return RV_OK;
  void* parms = rv_alloc_zero(1, of->cook->type->parms->struct_bytes);
  RvError why = {0};
  RvResult result = parms ? host->parms_at(host->user, frame, parms, &why) : RV_NO_MEMORY;
  if (!result) *path = rv_strdup(*(const char* const*)((const char*)parms + of->offset));
  rv_free(parms);
  return result == RV_NO_MEMORY || (!result && !*path) ? rv_fail(error, RV_NO_MEMORY, "out of memory") : RV_OK;
}

// Reads a file; the error names the parameter `file`.
static RvResult read_path(RvCook* cook, const char* path, RvDetail** out, RvError* error) {
  RvLog log = rv_cook_log(cook);
  RvResult r = cook->host->may_read ? cook->host->may_read(cook->host->user, path, error) : RV_OK;
  if (r != RV_OK) return r;
  r = rv_detail_load(path, out, &log, error);
  if (r == RV_OK) r = rv_detail_widen(*out, error);
  if (r == RV_OK) return RV_OK;
  rv_detail_free(*out);
  *out = NULL;
  return rv_error_context(error, "file");
}

RvResult rv_load_frame(RvCook* cook, const char* path, RvMissing missing, size_t offset, RvDetail** out,
                       RvError* error) {
  *out = NULL;
  if (!path[0]) return rv_fail(error, RV_BAD_INPUT, "file: the name is empty; enter the path of a file");
  // The file of the frame, or the error that there is none.
  if (!is_missing(path) || missing == RV_MISSING_ERROR) {
    if (!is_missing(path)) return read_path(cook, path, out, error);
    return rv_fail(
        error, RV_NOT_FOUND,
        "file: there is no %s (frame %g); cook that frame first, check the path, or set missingframe to empty or "
        "hold",
        path, cook->time.frame);
  }
  if (missing == RV_MISSING_EMPTY) {
    *out = rv_detail_new();
    return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for empty geometry");
  }
  // The last earlier frame. The message needs a copy of the path, as the search may end the life of the text.
  char* wanted = rv_strdup(path);
  char* earlier;
  RvResult r = rv_load_earlier(path_at, &(PathOf){cook, offset}, path, cook->time.frame, &earlier, error);
  if (earlier)
    r = read_path(cook, earlier, out, error);
  else if (!r)
    r = rv_fail(error, RV_NOT_FOUND, "file: there is no %s, and no earlier frame to hold", wanted ? wanted : "file");
  rv_free(wanted);
  rv_free(earlier);
  return r;
}
