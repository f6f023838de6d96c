// Files and folders of Linux and macOS. See platform.h.
#if !defined(_WIN32)
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"

//---------------------------------------------------------------------------------------------- descriptors

int rv_platform_open(const char* path, int how) {
  int flags = O_CLOEXEC;
  if (how & RV_OPEN_WRITE)
    flags |= how & RV_OPEN_READ ? O_RDWR : O_WRONLY;
  else
    flags |= O_RDONLY;
  if (how & (RV_OPEN_CREATE | RV_OPEN_NEW)) flags |= O_CREAT;
  if (how & RV_OPEN_NEW) flags |= O_EXCL;
  if (how & RV_OPEN_EMPTY) flags |= O_TRUNC;
  if (how & RV_OPEN_APPEND) flags |= O_APPEND;
  if (how & RV_OPEN_NO_LINK) flags |= O_NOFOLLOW;
  if (how & RV_OPEN_NO_WAIT) flags |= O_NONBLOCK;
  return open(path, flags, 0666);
}

void rv_platform_close(int file) {
  close(file);
}

ptrdiff_t rv_platform_read(int file, void* bytes, size_t count) {
  return read(file, bytes, count);
}

ptrdiff_t rv_platform_write(int file, const void* bytes, size_t count) {
  return write(file, bytes, count);
}

ptrdiff_t rv_platform_read_at(int file, void* bytes, size_t count, uint64_t at) {
  return pread(file, bytes, count, (off_t)at);
}

ptrdiff_t rv_platform_write_at(int file, const void* bytes, size_t count, uint64_t at) {
  return pwrite(file, bytes, count, (off_t)at);
}

bool rv_platform_cut(int file, uint64_t bytes) {
  return ftruncate(file, (off_t)bytes) == 0;
}

bool rv_platform_sync(int file) {
#if defined(__APPLE__)
  return fsync(file) == 0;
#else
  return fdatasync(file) == 0;
#endif
}

FILE* rv_platform_stream(int file, const char* mode) {
  return fdopen(file, mode);
}

int rv_platform_descriptor(FILE* stream) {
  return fileno(stream);
}

bool rv_platform_seek(FILE* stream, uint64_t at) {
  return fseeko(stream, (off_t)at, SEEK_SET) == 0;
}

// An open file lives without a name until it is closed.
FILE* rv_platform_spool(int file, const char* name) {
  unlink(name);
  return fdopen(file, "w+b");
}

RvLockState rv_platform_lock(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return RV_LOCK_HELD;
  return errno == EWOULDBLOCK ? RV_LOCK_TAKEN : RV_LOCK_NONE;
}

//---------------------------------------------------------------------------------------------- paths

static RvFileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return RV_FILE_REGULAR;
  if (S_ISDIR(mode)) return RV_FILE_FOLDER;
  if (S_ISLNK(mode)) return RV_FILE_LINK;
  return S_ISFIFO(mode) || S_ISSOCK(mode) ? RV_FILE_PIPE : RV_FILE_OTHER;
}

static RvFileInfo info_of(const struct stat* s) {
#if defined(__APPLE__)
  struct timespec changed = s->st_mtimespec;
#else
  struct timespec changed = s->st_mtim;
#endif
  return (RvFileInfo){.kind = kind_of(s->st_mode),
                      .bytes = (uint64_t)s->st_size,
                      .seconds = changed.tv_sec,
                      .nanoseconds = changed.tv_nsec,
                      .device = (uint64_t)s->st_dev,
                      .number = (uint64_t)s->st_ino};
}

bool rv_platform_info(const char* path, RvFileInfo* info) {
  struct stat s;
  if (stat(path, &s) != 0) return false;
  *info = info_of(&s);
  return true;
}

bool rv_platform_link_info(const char* path, RvFileInfo* info) {
  struct stat s;
  if (lstat(path, &s) != 0) return false;
  *info = info_of(&s);
  return true;
}

bool rv_platform_open_info(int file, RvFileInfo* info) {
  struct stat s;
  if (fstat(file, &s) != 0) return false;
  *info = info_of(&s);
  return true;
}

bool rv_platform_exists(const char* path) {
  return access(path, F_OK) == 0;
}

bool rv_platform_is_program(const char* path) {
  return access(path, X_OK) == 0;
}

// Flushes a file, or the entries of a folder. False: errno says why.
static bool sync_path(const char* path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0) return false;
  int status = fsync(fd);
  int saved = errno;
  close(fd);
  errno = saved;
  return status == 0;
}

bool rv_platform_replace(const char* from, const char* to) {
  return sync_path(from, O_RDONLY) && rename(from, to) == 0;
}

void rv_platform_sync_folder(const char* folder) {
  sync_path(folder, O_RDONLY | O_DIRECTORY);
}

bool rv_platform_remove(const char* path) {
  return unlink(path) == 0;
}

bool rv_platform_make_folder(const char* path) {
  return mkdir(path, 0777) == 0;
}

bool rv_platform_remove_folder(const char* path) {
  return rmdir(path) == 0;
}

bool rv_platform_temporary_folder(char* path) {
  return mkdtemp(path) != NULL;
}

const char* rv_platform_temporary_place(void) {
  const char* place = getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

_Static_assert(RV_PATH_BYTES >= PATH_MAX, "realpath writes at most PATH_MAX bytes");

bool rv_platform_real_path(const char* path, char real[RV_PATH_BYTES]) {
  return realpath(path, real) != NULL;
}

//---------------------------------------------------------------------------------------------- folders

// An RvFolder is the system's DIR.
RvFolder* rv_platform_folder_open(const char* path) {
  return (RvFolder*)opendir(path);
}

const char* rv_platform_folder_next(RvFolder* folder) {
  const struct dirent* entry = readdir((DIR*)folder);
  return entry ? entry->d_name : NULL;
}

bool rv_platform_folder_remove(RvFolder* folder, const char* name) {
  return unlinkat(dirfd((DIR*)folder), name, 0) == 0;
}

void rv_platform_folder_close(RvFolder* folder) {
  closedir((DIR*)folder);
}

#endif
