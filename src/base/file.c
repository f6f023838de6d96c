// Atomic writing of files, reading of whole files, and temporary names.
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"

RvResult rv_file_reason(int number) {
  return number == ENOMEM ? RV_NO_MEMORY : RV_IO;
}

// The error for a failed system call, from errno.
static RvResult refuse(RvError* error, const char* what, const char* path) {
  return rv_fail(error, errno == ENOENT ? RV_NOT_FOUND : rv_file_reason(errno), "cannot %s '%s': %s", what, path,
                 strerror(errno));
}

RvResult rv_file_make_folder(const char* path, RvError* error) {
  if (!*path) return rv_fail(error, RV_BAD_INPUT, "the name of the folder is empty; give one");
  char* partial = rv_strdup(path);
  if (!partial) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = RV_OK;
  // Make each parent in turn: cut the path at every slash, and at its end.
  for (char* c = partial + 1;; ++c) {
    if (*c != '/' && *c != 0) continue;
    char end = *c;
    *c = 0;
    if (!rv_platform_make_folder(partial) && errno != EEXIST) {
      result = rv_fail(error, rv_file_reason(errno), "cannot make the folder '%s': %s", partial, strerror(errno));
      break;
    }
    *c = end;
    if (end == 0) break;
  }
  rv_free(partial);
  return result;
}

// Makes the folder of a path, if it is missing.
static RvResult make_parent(const char* path, RvError* error) {
  const char* slash = strrchr(path, '/');
  if (!slash || slash == path) return RV_OK;
  char* folder = rv_strf("%.*s", (int)(slash - path), path);
  if (!folder) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_platform_exists(folder) ? RV_OK : rv_file_make_folder(folder, error);
  rv_free(folder);
  return result;
}

//------------------------------------------------------------------------------------------------ temporary files

enum {
  HOST_LETTERS = RV_FILE_HOST_BYTES - 1,  // of the machine's name in a temporary name
  NAME_LETTERS = 160,  // of the target's name in a temporary name; keeps it below the usual limit of 255
  HOST_BYTES = 256,    // of the machine's name
  NEW_FILE_TRIES = 3,  // to create a temporary file whose name is taken
};

static const char ending[] = ".tmp";  // of temporary names

// Numbers the temporary names of this process, so that no two of them are equal.
static atomic_uint name_count;

// The machine's name, cut and without dots. It is part of temporary names because process numbers are only unique on
// their own machine.
void rv_file_host_name(char host[RV_FILE_HOST_BYTES]) {
  char name[HOST_BYTES] = "";
  rv_platform_host_name(name, sizeof name);
  if (!name[0]) strcpy(name, "localhost");
  size_t n = 0;
  for (; name[n] && n < HOST_LETTERS; ++n) {
    char c = name[n];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    host[n] = plain ? c : '-';
  }
  host[n] = 0;
}

bool rv_file_is_abandoned(const char* name) {
  size_t length = strlen(name);
  if (name[0] != '.' || length < sizeof ending) return false;
  const char* dot = name + length - (sizeof ending - 1);
  if (strcmp(dot, ending) != 0) return false;
  // The process number before the ending.
  const char* digits = dot;
  while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') --digits;
  char host[RV_FILE_HOST_BYTES];
  rv_file_host_name(host);
  size_t n = strlen(host);
  // This machine's name before the number, with its dots, and the first dot of the whole name: n + 3 characters.
  if (digits == dot || (size_t)(digits - name) < n + 3) return false;
  if (digits[-1] != '.' || memcmp(digits - 1 - n, host, n) != 0 || digits[-2 - (ptrdiff_t)n] != '.') return false;
  // The process does not exist.
  errno = 0;
  long pid = strtol(digits, NULL, 10);
  if (errno || pid <= 0 || pid > INT_MAX || pid == rv_platform_process()) return false;
  return !rv_platform_process_exists(pid);
}

// A temporary name for a path; the caller frees it. NULL: out of memory.
static char* temporary_name(const char* path) {
  const char* slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char host[RV_FILE_HOST_BYTES];
  rv_file_host_name(host);
  // The name is hidden, next to the target so that the rename stays on one file system, and contains machine and
  // process. A long name is replaced by its beginning and a hash, because file systems limit the length.
  const char* name = path + folder;
  size_t length = strlen(name);
  unsigned number = atomic_fetch_add_explicit(&name_count, 1, memory_order_relaxed);
  if (length <= NAME_LETTERS)
    return rv_strf("%.*s.%s.%u.%s.%ld%s", folder, path, name, number, host, rv_platform_process(), ending);
  return rv_strf("%.*s.%.*s~%016llx.%u.%s.%ld%s", folder, path, NAME_LETTERS, name,
                 (unsigned long long)rv_hash(name, length, 0), number, host, rv_platform_process(), ending);
}

// Creates a file that did not exist, and opens it. A file or symbolic link of that name is removed: it is left over
// from a dead process of the same number, or was put there by somebody to have his file overwritten. -1: errno says
// why.
static int create_new(const char* path) {
  int fd = -1;
  for (int i = 0; fd < 0 && i < NEW_FILE_TRIES; ++i) {
    fd = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE | RV_OPEN_NEW | RV_OPEN_NO_LINK);
    if (fd >= 0 || errno != EEXIST || !rv_platform_remove(path)) break;
  }
  return fd;
}

RvResult rv_file_temporary(const char* path, char** temporary, int* file, RvError* error) {
  *temporary = NULL;
  if (file) *file = -1;
  if (!path || !*path) return rv_fail(error, RV_BAD_INPUT, "the name of the file is empty; give one");
  RvResult result = make_parent(path, error);
  if (result) return result;
  *temporary = temporary_name(path);
  if (!*temporary) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  int fd = create_new(*temporary);
  if (fd < 0) {
    result = rv_fail(error, RV_IO, "cannot write '%s': %s", path, strerror(errno));
    rv_free(*temporary);
    *temporary = NULL;
    return result;
  }
  if (file)
    *file = fd;
  else
    rv_platform_close(fd);
  return RV_OK;
}

RvResult rv_file_rename(const char* temporary, const char* path, RvError* error) {
  if (!rv_platform_replace(temporary, path)) {
    RvResult result = rv_fail(error, rv_file_reason(errno), "cannot write '%s': %s", path, strerror(errno));
    rv_platform_remove(temporary);
    return result;
  }
  // Flush the folder too. Failure is no error: a lost folder entry would only bring back the older file.
  const char* slash = strrchr(path, '/');
  char* folder = slash ? rv_strf("%.*s", (int)(slash - path) + 1, path) : rv_strdup(".");
  if (folder) rv_platform_sync_folder(folder);
  rv_free(folder);
  return RV_OK;
}

RvResult rv_file_begin(RvFileOut* out, const char* path, RvError* error) {
  *out = (RvFileOut){0};
  // A folder would only be noticed by the rename at the end.
  RvFileInfo info;
  if (path && rv_platform_info(path, &info) && info.kind == RV_FILE_FOLDER)
    return rv_fail(error, RV_IO, "cannot write '%s': it is a folder", path);
  // The temporary file and the name of the target.
  int fd;
  RvResult result = rv_file_temporary(path, &out->temporary, &fd, error);
  if (result) return result;
  out->path = rv_strdup(path);
  out->stream = out->path ? rv_platform_stream(fd, "wb") : NULL;
  if (out->stream) return RV_OK;
  // Out of memory: remove what was made.
  result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_platform_close(fd);
  rv_platform_remove(out->temporary);
  rv_file_abandon(out);
  return result;
}

RvResult rv_file_commit(RvFileOut* out, RvError* error) {
  errno = 0;
  // Flush and close; either may report that an earlier write failed.
  bool failed = fflush(out->stream) != 0 || ferror(out->stream);
  int reason = errno;
  if (fclose(out->stream) != 0 && !failed) {
    failed = true;
    reason = errno;
  }
  out->stream = NULL;
  RvResult result;
  if (failed)
    result = rv_fail(error, rv_file_reason(reason), "cannot write '%s': %s", out->path,
                     reason ? strerror(reason) : "write failed");
  else
    result = rv_file_rename(out->temporary, out->path, error);
  if (failed) rv_platform_remove(out->temporary);
  rv_free(out->path);
  rv_free(out->temporary);
  *out = (RvFileOut){0};
  return result;
}

void rv_file_abandon(RvFileOut* out) {
  if (out->stream) {
    fclose(out->stream);
    rv_platform_remove(out->temporary);
  }
  rv_free(out->path);
  rv_free(out->temporary);
  *out = (RvFileOut){0};
}

RvResult rv_file_write(const char* path, const void* bytes, size_t count, RvError* error) {
  RvFileOut out;
  RvResult result = rv_file_begin(&out, path, error);
  if (result) return result;
  errno = 0;
  if (count && fwrite(bytes, 1, count, out.stream) != count) {
    result = rv_fail(error, rv_file_reason(errno), "cannot write '%s': %s", path, strerror(errno));
    rv_file_abandon(&out);
    return result;
  }
  return rv_file_commit(&out, error);
}

#define NOT_A_FILE "cannot read '%s': it is not a file"

RvResult rv_file_read(const char* path, size_t limit, void** bytes, size_t* count, RvError* error) {
  *bytes = NULL;
  *count = 0;
  // Open without blocking, so that a pipe without a writer is refused below instead of waited for.
  int fd = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_NO_WAIT);
  FILE* stream = fd < 0 ? NULL : rv_platform_stream(fd, "rb");
  RvFileInfo info;
  if (!stream) {
    // Windows opens no folder and says that there is no permission.
    int reason = errno;
    bool folder = rv_platform_info(path, &info) && info.kind == RV_FILE_FOLDER;
    if (fd >= 0) rv_platform_close(fd);
    errno = reason;
    return folder ? rv_fail(error, RV_IO, NOT_A_FILE, path) : refuse(error, "read", path);
  }
  // Check and read.
  RvResult result = RV_OK;
  unsigned char* data = NULL;
  if (!rv_platform_open_info(rv_platform_descriptor(stream), &info)) {
    result = refuse(error, "read", path);
  } else if (info.kind != RV_FILE_REGULAR) {
    result = rv_fail(error, RV_IO, NOT_A_FILE, path);
  } else if (limit && (size_t)info.bytes > limit) {
    result =
        rv_fail(error, RV_LIMIT, "'%s' has %lld bytes, more than the limit of %zu", path, (long long)info.bytes, limit);
  } else if (!(data = rv_alloc((size_t)info.bytes + 1, 1))) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory reading '%s' (%lld bytes)", path, (long long)info.bytes);
  } else {
    *count = fread(data, 1, (size_t)info.bytes, stream);
    if (ferror(stream)) result = refuse(error, "read", path);
    data[*count] = 0;
  }
  // Hand over the bytes.
  fclose(stream);
  if (result) {
    rv_free(data);
    *count = 0;
    return result;
  }
  *bytes = data;
  return RV_OK;
}
