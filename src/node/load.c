// Reads the file of a frame, and finds the last earlier frame with a file where a missing one is held.
#include "node/load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"

// Largest gap in a sequence that is searched for an earlier file, in frames.
enum { MAX_GAP_FRAMES = 1000 };

// Whether no file has this path; a file that cannot be read is not missing.
static bool is_missing(const char* path) {
  RvFileInfo info;
  return !rv_platform_info(path, &info) && (errno == ENOENT || errno == ENOTDIR);
}

char* rv_load_earlier(RvPathFn* path_at, void* user, const char* path, double frame) {
  char *found = NULL, *last = rv_strdup(path);
  for (int i = 1; last && !found && i <= MAX_GAP_FRAMES; ++i) {
    char* text = path_at(user, floor(frame) - i);
    // A path without a frame number is the same at all frames: the search ends.
    bool same = text && i > 1 && strcmp(text, last) == 0;
    rv_free(last);
    last = text;
    if (same) break;
    if (text && !is_missing(text)) found = rv_strdup(text);
  }
  rv_free(last);
  return found;
}

// A text parameter of a node.
typedef struct PathOf {
  const RvCook* cook;
  size_t offset;  // in the type's struct
} PathOf;

// RvPathFn: the value of a parameter at a frame, as a copy, since the host may free its texts when it evaluates the
// parameters at another frame.
static char* path_at(void* user, double frame) {
  const PathOf* of = user;
  const RvHost* host = of->cook->host;
  void* parms = host->parms_at ? rv_alloc_zero(1, of->cook->type->parms->struct_bytes) : NULL;
  RvError ignored = {0};
  char* path = NULL;
  if (parms && host->parms_at(host->user, frame, parms, &ignored) == RV_OK)
    path = rv_strdup(*(const char* const*)((const char*)parms + of->offset));
  rv_free(parms);
  return path;
}

// Reads a file; the error names the parameter `file`.
static RvResult read_path(RvCook* cook, const char* path, RvDetail** out, RvError* error) {
  RvLog log = rv_cook_log(cook);
  RvResult r = cook->host->may_read ? cook->host->may_read(cook->host->user, path, error) : RV_OK;
  if (r != RV_OK) return r;
  r = rv_detail_load(path, out, &log, error);
  return r == RV_OK ? r : rv_error_context(error, "file");
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
  char* earlier = rv_load_earlier(path_at, &(PathOf){cook, offset}, path, cook->time.frame);
  RvResult r;
  if (earlier)
    r = read_path(cook, earlier, out, error);
  else
    r = rv_fail(error, RV_NOT_FOUND, "file: there is no %s, and no earlier frame to hold", wanted ? wanted : "file");
  rv_free(wanted);
  rv_free(earlier);
  return r;
}
