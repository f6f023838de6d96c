// Atomic writing of files: a file is written under a temporary name next to the target, flushed to disk, then renamed.
// So a file is complete or not there.
#ifndef RV_BASE_FILE_H
#define RV_BASE_FILE_H

#include <stdio.h>

#include "rivulet/base.h"

// A file that is being written. End it by rv_file_commit or rv_file_abandon.
typedef struct RvFileOut {
  FILE* stream;     // of the temporary file; the caller writes to it
  char* path;       // of the target
  char* temporary;  // name of the temporary file
} RvFileOut;

// Makes missing folders and opens the temporary file. The error names the path and the reason.
RvResult rv_file_begin(RvFileOut* out, const char* path, RvError* error);
// Flushes to disk, checks all writes and renames. On failure (RV_IO) the temporary file is removed and an older file of
// that name stays.
RvResult rv_file_commit(RvFileOut* out, RvError* error);
// Gives up: closes and removes the temporary file.
void rv_file_abandon(RvFileOut* out);
// Writes a whole file at once.
RvResult rv_file_write(const char* path, const void* bytes, size_t count, RvError* error);
// Reads a whole file; RV_LIMIT if it has more than `limit` bytes (0: no limit), RV_NOT_FOUND if there is none. The
// caller frees *bytes by rv_free; a zero byte follows them.
RvResult rv_file_read(const char* path, size_t limit, void** bytes, size_t* count, RvError* error);

// Makes a new, empty temporary file next to `path`, whose folders are made; symbolic links are not followed. *file is
// its descriptor, for reading and writing; NULL: it is closed, for libraries that open files by name. The caller
// renames or removes the file and frees *temporary by rv_free.
RvResult rv_file_temporary(const char* path, char** temporary, int* file, RvError* error);
// The machine's name, cut and without dots.
enum { RV_FILE_HOST_BYTES = 33 };
void rv_file_host_name(char host[RV_FILE_HOST_BYTES]);
// True if a file name (without folder) is that of a temporary file of a process of this machine that no longer exists.
bool rv_file_is_abandoned(const char* name);
// Flushes a temporary file to disk and renames it to `path`. On failure it is removed.
RvResult rv_file_rename(const char* temporary, const char* path, RvError* error);
// Result for a failed system call with this errno: RV_NO_MEMORY where the system had no memory, else RV_IO.
RvResult rv_file_reason(int number);
// Makes a folder and its missing parents. An existing folder is no error.
RvResult rv_file_make_folder(const char* path, RvError* error);

//---------------------------------------------------------------------------------------------- file_check.c

// Size and XXH3 of a regular file's contents. RV_NOT_FOUND if there is none.
RvResult rv_file_checksum(const char* path, uint64_t* bytes, uint64_t* hash, RvError* error);
// The absolute path of a file without symbolic links, "." and ".."; it need not exist. Without `follow`, a link at its
// end stands for itself, as it does for rename. The caller frees *resolved by rv_free.
RvResult rv_file_resolve(const char* path, bool follow, char** resolved, RvError* error);
// True if a resolved path is a resolved folder or lies in it.
bool rv_file_is_within(const char* path, const char* folder);

// Locks a file for this process, which is made if it is missing and holds the process number. *lock is a descriptor
// that the caller closes; the kernel releases the lock when the process ends, however it ends, so that a file that a
// crash left behind locks nothing. *lock is -1 where the file system has no locks. RV_BAD_INPUT if another process
// holds the lock; `what` begins the message: "another run (process 7 on farm3) uses WHAT".
RvResult rv_file_lock(const char* path, const char* what, int* lock, RvError* error);

#endif
