// Files that are whole or not there: written beside the target under a temporary name, flushed, then renamed.
#ifndef RV_BASE_FILE_H
#define RV_BASE_FILE_H

#include <stdio.h>

#include "rivulet/base.h"

typedef struct RvFileOut {
  FILE* stream;
  char* path;
  char* temporary;
} RvFileOut;

// Makes missing folders, opens the temporary. The error names the path and the reason.
RvResult rv_file_begin(RvFileOut* out, const char* path, RvError* error);
// Flushes to disk, checks every earlier write, renames. On failure the temporary is removed and an older file stays.
RvResult rv_file_commit(RvFileOut* out, RvError* error);
void rv_file_abandon(RvFileOut* out);
// The three in one.
RvResult rv_file_write(const char* path, const void* bytes, size_t count, RvError* error);
// Reads all of a file; refuses more than `limit` bytes (0: none). Free *bytes with rv_free; a 0 follows them.
RvResult rv_file_read(const char* path, size_t limit, void** bytes, size_t* count, RvError* error);

// For libraries that open files by name: a temporary name beside `path` (folders are made; rv_free it), and the rename.
RvResult rv_file_temporary(const char* path, char** temporary, RvError* error);
// True for the name (without folder) of a temporary that a process of this machine made that is gone.
bool rv_file_is_abandoned(const char* name);
RvResult rv_file_rename(const char* temporary, const char* path, RvError* error);
RvResult rv_file_make_folder(const char* path, RvError* error);

#endif
