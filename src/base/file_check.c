// Checksums of files, canonical paths, and locks.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"

enum {
  CHUNK = 1 << 20,   // bytes that are read at once
  OWNER_BYTES = 96,  // of the text in a lock file
};

//------------------------------------------------------------------------------------------------ checksum

// Adds all bytes of an open file to the hash. Returns 0, or an error number.
static int hash_all(int fd, unsigned char* chunk, RvHasher* hasher, uint64_t* bytes) {
  for (;;) {
    ptrdiff_t got = rv_platform_read(fd, chunk, CHUNK);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    rv_hasher_add(hasher, chunk, (size_t)got);
    *bytes += (uint64_t)got;
  }
}

RvResult rv_file_checksum(const char* path, uint64_t* bytes, uint64_t* hash, RvError* error) {
  *bytes = 0;
  *hash = 0;
  // Open without blocking, so that a pipe without a writer is refused below instead of waited for.
  int fd = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_NO_WAIT);
  if (fd < 0)
    return rv_fail(error, errno == ENOENT ? RV_NOT_FOUND : RV_IO, "cannot read '%s': %s", path, strerror(errno));
  RvResult result = RV_OK;
  RvFileInfo info;
  unsigned char* chunk = rv_alloc(CHUNK, 1);
  RvHasher hasher = rv_hasher_new(0);
  if (!chunk) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  } else if (!rv_platform_open_info(fd, &info) || info.kind != RV_FILE_REGULAR) {
    result = rv_fail(error, RV_IO, "cannot read '%s': it is not a file", path);
  } else {
    int reason = hash_all(fd, chunk, &hasher, bytes);
    if (reason) result = rv_fail(error, RV_IO, "cannot read '%s': %s", path, strerror(reason));
  }
  *hash = rv_hasher_done(&hasher);
  rv_free(chunk);
  rv_platform_close(fd);
  return result;
}

//------------------------------------------------------------------------------------------------ paths

// Appends a component to a resolved path of `size` bytes: "." is left out, ".." removes the last one. False: too long.
static bool append(char* path, size_t size, const char* word, size_t length) {
  size_t used = strlen(path);
  if (length == 0 || (length == 1 && word[0] == '.')) return true;
  if (length == 2 && word[0] == '.' && word[1] == '.') {
    char* slash = strrchr(path, '/');
    if (slash) slash[slash == path] = 0;
    return true;
  }
  bool root = used == 1;
  if (used + length + 2 > size) return false;
  snprintf(path + used, size - used, "%s%.*s", root ? "" : "/", (int)length, word);
  return true;
}

// Resolves links of the longest existing part of `path`, and appends the remainder. False: errno says why.
static bool resolve_existing(const char* path, char out[RV_PATH_BYTES]) {
  char* head = rv_strdup(*path ? path : ".");
  size_t length = head ? strlen(head) : 0;
  bool good = head != NULL;
  errno = head ? 0 : ENOMEM;
  // Cut components off the end until the path exists.
  while (good && !rv_platform_real_path(head, out)) {
    good = errno == ENOENT || errno == ENOTDIR;
    if (!good) break;
    // A dangling link is not followed by anybody: it leads to a file that may be made anywhere.
    RvFileInfo info;
    if (rv_platform_link_info(head, &info) && info.kind == RV_FILE_LINK) {
      errno = ELOOP;
      good = false;
      break;
    }
    while (length > 0 && head[length - 1] == '/') head[--length] = 0;
    while (length > 0 && head[length - 1] != '/') head[--length] = 0;
    if (length == 0) {
      good = rv_platform_real_path(".", out);
      break;
    }
  }
  // Append what does not exist.
  const char* rest = path + length;
  while (good && *rest) {
    size_t word = strcspn(rest, "/");
    good = append(out, RV_PATH_BYTES, rest, word);
    if (!good) errno = ENAMETOOLONG;
    rest += word + (rest[word] == '/');
  }
  rv_free(head);
  return good;
}

RvResult rv_file_resolve(const char* path, bool follow, char** resolved, RvError* error) {
  *resolved = NULL;
  char out[RV_PATH_BYTES] = "";
  bool good;
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  bool plain = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
  if (follow || !plain) {
    good = resolve_existing(path, out);
  } else {
    char* folder = slash ? rv_strf("%.*s", (int)(slash - path) + 1, path) : rv_strdup(".");
    good = folder && resolve_existing(folder, out);
    if (!folder) errno = ENOMEM;
    rv_free(folder);
    if (good && !append(out, sizeof out, name, strlen(name))) {
      good = false;
      errno = ENAMETOOLONG;
    }
  }
  if (!good) return rv_fail(error, errno == ENOMEM ? RV_NO_MEMORY : RV_IO, "'%s': %s", path, strerror(errno));
  *resolved = rv_strdup(out);
  return *resolved ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

bool rv_file_is_within(const char* path, const char* folder) {
  size_t length = strlen(folder);
  if (length == 1 && folder[0] == '/') return path[0] == '/';
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

//------------------------------------------------------------------------------------------------ locks

// The process that wrote the lock file: "process 7 on farm3"; "" if it does not say. *lives: it is of this machine and
// exists.
static void read_owner(int fd, char owner[OWNER_BYTES], bool* lives) {
  char text[OWNER_BYTES] = "", host[RV_FILE_HOST_BYTES] = "", own[RV_FILE_HOST_BYTES];
  long pid = 0;
  owner[0] = 0;
  *lives = false;
  ptrdiff_t got = rv_platform_read_at(fd, text, sizeof text - 1, 0);
  if (got <= 0 || sscanf(text, "%ld %32[A-Za-z0-9_-]", &pid, host) != 2 || pid <= 0 || pid > INT_MAX) return;
  snprintf(owner, OWNER_BYTES, "process %ld on %s", pid, host);
  rv_file_host_name(own);
  *lives = strcmp(own, host) == 0 && pid != rv_platform_process() && rv_platform_process_exists(pid);
}

// Writes this process into the lock file. It only serves messages, so failures do not matter.
static void write_owner(int fd) {
  char text[OWNER_BYTES], host[RV_FILE_HOST_BYTES];
  rv_file_host_name(host);
  int length = snprintf(text, sizeof text, "%ld %s\n", rv_platform_process(), host);
  if (rv_platform_cut(fd, 0)) rv_platform_write_at(fd, text, (size_t)length, 0);
}

RvResult rv_file_lock(const char* path, const char* what, int* lock, RvError* error) {
  *lock = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE | RV_OPEN_CREATE | RV_OPEN_NO_LINK);
  if (*lock < 0) return rv_fail(error, RV_IO, "cannot write '%s': %s", path, strerror(errno));
  RvLockState state = rv_platform_lock(*lock);
  if (state == RV_LOCK_HELD) {
    write_owner(*lock);
    return RV_OK;
  }
  // Taken, or the file system has no locks; then a process of this machine that is alive is believed.
  bool taken = state == RV_LOCK_TAKEN, lives;
  char owner[OWNER_BYTES];
  read_owner(*lock, owner, &lives);
  if (!taken && !lives) write_owner(*lock);
  rv_platform_close(*lock);
  *lock = -1;
  if (!taken && !lives) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "another run%s%s%s uses %s; wait for it, or choose another one",
                 owner[0] ? " (" : "", owner, owner[0] ? ")" : "", what);
}
