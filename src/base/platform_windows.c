// Files and folders of Windows. See platform.h. This file is compiled for Windows by a test and run there by the unit
// tests of the base (docs/building.md says how far).
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
// clang-format off
#include <windows.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/platform.h"

//---------------------------------------------------------------------------------------------- errors, names

// errno for the last error of the system.
static void set_errno(void) {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      errno = ENOENT;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      errno = ENOMEM;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_DIR_NOT_EMPTY:
      errno = ENOTEMPTY;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      errno = EACCES;
      break;
    default:
      errno = EIO;
  }
}

// A path in the system's letters. False: too long, or not UTF-8.
static bool widen(const char* path, WCHAR wide[RV_PATH_BYTES]) {
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, RV_PATH_BYTES) > 0) return true;
  errno = ENAMETOOLONG;
  return false;
}

// A name of the system as UTF-8 with slashes.
static bool narrow(const WCHAR* wide, char* path, int size) {
  if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, size, NULL, NULL) <= 0) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char* c = path; *c; ++c)
    if (*c == '\\') *c = '/';
  return true;
}

//---------------------------------------------------------------------------------------------- descriptors

// The attributes of a path say whether it is a link.
static bool is_link(const WCHAR* wide) {
  DWORD attributes = GetFileAttributesW(wide);
  return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

int rv_platform_open(const char* path, int how) {
  WCHAR wide[RV_PATH_BYTES];
  if (!widen(path, wide)) return -1;
  if (how & RV_OPEN_NO_LINK && is_link(wide)) {
    errno = ELOOP;
    return -1;
  }
  // Access, sharing as POSIX has it (others may rename and remove an open file), and what becomes of an existing file.
  DWORD access = (how & RV_OPEN_READ ? GENERIC_READ : 0) | (how & RV_OPEN_WRITE ? GENERIC_WRITE : 0);
  DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  DWORD create = OPEN_EXISTING;
  if (how & RV_OPEN_NEW)
    create = CREATE_NEW;
  else if (how & RV_OPEN_CREATE)
    create = how & RV_OPEN_EMPTY ? CREATE_ALWAYS : OPEN_ALWAYS;
  else if (how & RV_OPEN_EMPTY)
    create = TRUNCATE_EXISTING;
  HANDLE handle = CreateFileW(wide, access, share, NULL, create, FILE_ATTRIBUTE_NORMAL, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return -1;
  }
  int flags = _O_BINARY | _O_NOINHERIT | (how & RV_OPEN_APPEND ? _O_APPEND : 0);
  if (!(how & RV_OPEN_WRITE)) flags |= _O_RDONLY;
  int file = _open_osfhandle((intptr_t)handle, flags);
  if (file < 0) CloseHandle(handle);
  return file;
}

void rv_platform_close(int file) {
  _close(file);
}

// At most 1 GiB at once: the system's counts are unsigned int.
static unsigned at_most(size_t count) {
  return count < ((size_t)1 << 30) ? (unsigned)count : 1u << 30;
}

ptrdiff_t rv_platform_read(int file, void* bytes, size_t count) {
  return _read(file, bytes, at_most(count));
}

ptrdiff_t rv_platform_write(int file, const void* bytes, size_t count) {
  return _write(file, bytes, at_most(count));
}

// Where an access begins.
static OVERLAPPED place(uint64_t at) {
  OVERLAPPED where = {0};
  where.Offset = (DWORD)at;
  where.OffsetHigh = (DWORD)(at >> 32);
  return where;
}

ptrdiff_t rv_platform_read_at(int file, void* bytes, size_t count, uint64_t at) {
  OVERLAPPED where = place(at);
  DWORD done = 0;
  if (ReadFile((HANDLE)_get_osfhandle(file), bytes, at_most(count), &done, &where)) return (ptrdiff_t)done;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  set_errno();
  return -1;
}

ptrdiff_t rv_platform_write_at(int file, const void* bytes, size_t count, uint64_t at) {
  OVERLAPPED where = place(at);
  DWORD done = 0;
  if (WriteFile((HANDLE)_get_osfhandle(file), bytes, at_most(count), &done, &where)) return (ptrdiff_t)done;
  set_errno();
  return -1;
}

bool rv_platform_cut(int file, uint64_t bytes) {
  return _chsize_s(file, (long long)bytes) == 0;
}

bool rv_platform_sync(int file) {
  return _commit(file) == 0;
}

FILE* rv_platform_stream(int file, const char* mode) {
  return _fdopen(file, mode);
}

int rv_platform_descriptor(FILE* stream) {
  return _fileno(stream);
}

bool rv_platform_seek(FILE* stream, uint64_t at) {
  return _fseeki64(stream, (long long)at, SEEK_SET) == 0;
}

// An open file that is removed keeps its name until it is closed, which is all that a spool needs.
FILE* rv_platform_spool(int file, const char* name) {
  rv_platform_remove(name);
  return _fdopen(file, "w+b");
}

// The locked byte is far behind the contents, because a lock of Windows keeps others from reading it.
RvLockState rv_platform_lock(int file) {
  OVERLAPPED where = place((uint64_t)1 << 62);
  if (LockFileEx((HANDLE)_get_osfhandle(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where))
    return RV_LOCK_HELD;
  DWORD reason = GetLastError();
  return reason == ERROR_LOCK_VIOLATION || reason == ERROR_IO_PENDING ? RV_LOCK_TAKEN : RV_LOCK_NONE;
}

//---------------------------------------------------------------------------------------------- paths

static const int64_t SECONDS_TO_1970 = 11644473600;  // from 1601, where the system's time begins

bool rv_platform_open_info(int file, RvFileInfo* info) {
  HANDLE handle = (HANDLE)_get_osfhandle(file);
  BY_HANDLE_FILE_INFORMATION found;
  *info = (RvFileInfo){.kind = RV_FILE_OTHER};
  DWORD type = handle == INVALID_HANDLE_VALUE ? FILE_TYPE_UNKNOWN : GetFileType(handle);
  if (type == FILE_TYPE_PIPE) info->kind = RV_FILE_PIPE;
  if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) return true;
  if (handle == INVALID_HANDLE_VALUE || !GetFileInformationByHandle(handle, &found)) {
    set_errno();
    return false;
  }
  // The system counts in units of 100 ns.
  int64_t ticks = (int64_t)((uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 | found.ftLastWriteTime.dwLowDateTime);
  info->kind = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? RV_FILE_FOLDER : RV_FILE_REGULAR;
  if (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) info->kind = RV_FILE_LINK;
  info->bytes = (uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow;
  info->seconds = ticks / 10000000 - SECONDS_TO_1970;
  info->nanoseconds = ticks % 10000000 * 100;
  info->device = found.dwVolumeSerialNumber;
  info->number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
  return true;
}

// Opens a path, or the link itself, to ask about it.
static bool path_info(const char* path, DWORD flags, RvFileInfo* info) {
  WCHAR wide[RV_PATH_BYTES];
  if (!widen(path, wide)) return false;
  DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE handle = CreateFileW(wide, 0, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return false;
  }
  int file = _open_osfhandle((intptr_t)handle, _O_RDONLY);
  if (file < 0) {
    CloseHandle(handle);
    return false;
  }
  bool good = rv_platform_open_info(file, info);
  _close(file);
  return good;
}

bool rv_platform_info(const char* path, RvFileInfo* info) {
  return path_info(path, 0, info);
}

bool rv_platform_link_info(const char* path, RvFileInfo* info) {
  return path_info(path, FILE_FLAG_OPEN_REPARSE_POINT, info);
}

bool rv_platform_exists(const char* path) {
  WCHAR wide[RV_PATH_BYTES];
  return widen(path, wide) && GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

bool rv_platform_is_program(const char* path) {
  return rv_platform_exists(path);
}

bool rv_platform_replace(const char* from, const char* to) {
  WCHAR wide_from[RV_PATH_BYTES], wide_to[RV_PATH_BYTES];
  int file = rv_platform_open(from, RV_OPEN_READ | RV_OPEN_WRITE);
  if (file < 0) return false;
  bool good = _commit(file) == 0;
  _close(file);
  if (!good || !widen(from, wide_from) || !widen(to, wide_to)) return false;
  if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return true;
  set_errno();
  return false;
}

// MOVEFILE_WRITE_THROUGH has flushed the entry.
void rv_platform_sync_folder(const char* folder) {
  (void)folder;
}

// Calls a function of the system that takes a path.
static bool call(BOOL(WINAPI* function)(LPCWSTR), const char* path) {
  WCHAR wide[RV_PATH_BYTES];
  if (!widen(path, wide)) return false;
  if (function(wide)) return true;
  set_errno();
  return false;
}

bool rv_platform_remove(const char* path) {
  return call(DeleteFileW, path);
}

bool rv_platform_remove_folder(const char* path) {
  return call(RemoveDirectoryW, path);
}

bool rv_platform_make_folder(const char* path) {
  WCHAR wide[RV_PATH_BYTES];
  if (!widen(path, wide)) return false;
  // The root of a drive exists and cannot be made.
  size_t length = strlen(path);
  if (length == 2 && path[1] == ':') {
    errno = EEXIST;
    return false;
  }
  if (CreateDirectoryW(wide, NULL)) return true;
  set_errno();
  return false;
}

bool rv_platform_temporary_folder(char* path) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  size_t length = strlen(path);
  // The numbers follow from process and time; a name that exists is tried again with the next ones.
  uint64_t number = (uint64_t)GetCurrentProcessId() << 32 ^ GetTickCount64();
  for (int i = 0; i < 100 && length >= 6; ++i) {
    uint64_t left = number + (uint64_t)i * 7919;
    for (size_t k = length - 6; k < length; ++k) {
      path[k] = letters[left % 36];
      left /= 36;
    }
    if (rv_platform_make_folder(path)) return true;
    if (errno != EEXIST) return false;
  }
  errno = EEXIST;
  return false;
}

const char* rv_platform_temporary_place(void) {
  const char* place = getenv("TEMP");
  return place && *place ? place : ".";
}

bool rv_platform_real_path(const char* path, char real[RV_PATH_BYTES]) {
  WCHAR wide[RV_PATH_BYTES], full[RV_PATH_BYTES];
  if (!widen(path, wide)) return false;
  HANDLE handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
  if (handle == INVALID_HANDLE_VALUE) {
    set_errno();
    return false;
  }
  DWORD length = GetFinalPathNameByHandleW(handle, full, RV_PATH_BYTES, FILE_NAME_NORMALIZED);
  CloseHandle(handle);
  if (length == 0 || length >= RV_PATH_BYTES) {
    errno = ENAMETOOLONG;
    return false;
  }
  // The system's form begins with \\?\ .
  return narrow(full + (wcsncmp(full, L"\\\\?\\", 4) == 0 ? 4 : 0), real, RV_PATH_BYTES);
}

//---------------------------------------------------------------------------------------------- folders

struct RvFolder {
  HANDLE search;
  WIN32_FIND_DATAW found;
  bool first;  // `found` has not been handed out
  char path[RV_PATH_BYTES];
  char name[MAX_PATH * 3];  // a letter takes at most three bytes
};

RvFolder* rv_platform_folder_open(const char* path) {
  WCHAR wide[RV_PATH_BYTES];
  RvFolder* folder = malloc(sizeof *folder);
  if (!folder) return NULL;
  int length = snprintf(folder->path, sizeof folder->path, "%s/*", path);
  if (length > 0 && (size_t)length < sizeof folder->path && widen(folder->path, wide)) {
    folder->path[length - 2] = 0;
    folder->first = true;
    folder->search = FindFirstFileW(wide, &folder->found);
    if (folder->search != INVALID_HANDLE_VALUE) return folder;
    set_errno();
  }
  free(folder);
  return NULL;
}

const char* rv_platform_folder_next(RvFolder* folder) {
  if (!folder->first && !FindNextFileW(folder->search, &folder->found)) return NULL;
  folder->first = false;
  return narrow(folder->found.cFileName, folder->name, sizeof folder->name) ? folder->name : NULL;
}

bool rv_platform_folder_remove(RvFolder* folder, const char* name) {
  char path[2 * RV_PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", folder->path, name);
  return rv_platform_remove(path);
}

void rv_platform_folder_close(RvFolder* folder) {
  FindClose(folder->search);
  free(folder);
}

#endif
