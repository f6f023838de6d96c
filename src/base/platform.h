// Everything that C17 does not have: files beyond stdio, folders, processes, signals, clocks, memory of the system, and
// text functions that are not the same everywhere. No other file includes a header of the system; a guard and the build
// for other systems see to it. platform.c is plain C; platform_posix*.c and platform_windows*.c hold one system each.
//
// Functions that return bool or a descriptor set errno when they fail. Paths are UTF-8 with slashes.
#ifndef RV_BASE_PLATFORM_H
#define RV_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RV_PATH_BYTES = 4096 };  // of the longest path, with its ending zero

//---------------------------------------------------------------------------------------------- text (platform.c)

// Length of a text that may have no end: at most `most`.
size_t rv_platform_strnlen(const char* text, size_t most);
// The next word of *text, which is cut there; neighbouring delimiters enclose empty words. NULL at the end.
char* rv_platform_strsep(char** text, const char* delimiters);
// The next word that is not empty, as strtok with its place kept in *next. NULL at the end.
char* rv_platform_strtok(char* text, const char* delimiters, char** next);
// Comparison of texts in which ASCII letters of both cases are equal.
int rv_platform_strcasecmp(const char* a, const char* b);
int rv_platform_strncasecmp(const char* a, const char* b, size_t count);
// True if the text matches a pattern of a shell: * ? [a-z] [!a-z], and a backslash before a plain character.
bool rv_platform_match(const char* pattern, const char* text);
// A number between the machine's byte order and little endian, either way.
uint64_t rv_platform_little64(uint64_t value);

//---------------------------------------------------------------------------------------------- files

// How a file is opened. It is never inherited by other processes, and never translated (no text mode).
enum {
  RV_OPEN_READ = 1,
  RV_OPEN_WRITE = 2,
  RV_OPEN_CREATE = 4,     // it is made if it is missing
  RV_OPEN_NEW = 8,        // it is made; an existing one is an error (EEXIST)
  RV_OPEN_EMPTY = 16,     // its contents are removed
  RV_OPEN_APPEND = 32,    // writes go to the end
  RV_OPEN_NO_LINK = 64,   // a symbolic link is an error (ELOOP)
  RV_OPEN_NO_WAIT = 128,  // a pipe without a writer is not waited for
};
// A descriptor, which rv_platform_close closes; -1 on failure.
int rv_platform_open(const char* path, int how);
void rv_platform_close(int file);
// Bytes that were read or written; -1 on failure, 0 at the end of the file.
ptrdiff_t rv_platform_read(int file, void* bytes, size_t count);
ptrdiff_t rv_platform_write(int file, const void* bytes, size_t count);
// The same at a place, whatever was read before.
ptrdiff_t rv_platform_read_at(int file, void* bytes, size_t count, uint64_t at);
ptrdiff_t rv_platform_write_at(int file, const void* bytes, size_t count, uint64_t at);
bool rv_platform_cut(int file, uint64_t bytes);
// Flushes contents and length to disk.
bool rv_platform_sync(int file);
// A stream over a descriptor, which it closes from then on; NULL: out of memory.
FILE* rv_platform_stream(int file, const char* mode);
int rv_platform_descriptor(FILE* stream);
// Moves a stream to a place beyond 2 GiB too.
bool rv_platform_seek(FILE* stream, uint64_t at);
// A stream over an open file that is deleted when it is closed, whatever ends the process; `name` is its path.
FILE* rv_platform_spool(int file, const char* name);

typedef enum RvLockState { RV_LOCK_HELD, RV_LOCK_TAKEN, RV_LOCK_NONE } RvLockState;
// Locks a file for this process without waiting: held, taken by another one, or the file system has no locks. The lock
// ends with the descriptor or the process.
RvLockState rv_platform_lock(int file);

typedef enum RvFileKind { RV_FILE_REGULAR, RV_FILE_FOLDER, RV_FILE_LINK, RV_FILE_PIPE, RV_FILE_OTHER } RvFileKind;
typedef struct RvFileInfo {
  RvFileKind kind;
  uint64_t bytes;
  int64_t seconds, nanoseconds;  // of the last change, since 1970
  uint64_t device, number;       // equal for two paths of one file
} RvFileInfo;
bool rv_platform_info(const char* path, RvFileInfo* info);
bool rv_platform_link_info(const char* path, RvFileInfo* info);  // of a link itself
bool rv_platform_open_info(int file, RvFileInfo* info);
bool rv_platform_exists(const char* path);
bool rv_platform_is_program(const char* path);
bool rv_platform_same_file(const RvFileInfo* a, const RvFileInfo* b);

// Flushes a file and puts it in the place of another one, or of none: a reader sees the old one or the new one, whole.
bool rv_platform_replace(const char* from, const char* to);
// Flushes the entries of a folder; where systems cannot, nothing happens.
void rv_platform_sync_folder(const char* folder);
bool rv_platform_remove(const char* path);
bool rv_platform_make_folder(const char* path);
bool rv_platform_remove_folder(const char* path);
// Makes a new folder; the six X at the end of its name are replaced.
bool rv_platform_temporary_folder(char* path);
// The folder for temporary files.
const char* rv_platform_temporary_place(void);
// The absolute path without symbolic links; false if it does not exist.
bool rv_platform_real_path(const char* path, char real[RV_PATH_BYTES]);

typedef struct RvFolder RvFolder;
// The entries of a folder, "." and ".." among them; NULL from `next` at the end.
RvFolder* rv_platform_folder_open(const char* path);
const char* rv_platform_folder_next(RvFolder* folder);
bool rv_platform_folder_remove(RvFolder* folder, const char* name);
void rv_platform_folder_close(RvFolder* folder);

//---------------------------------------------------------------------------------------------- processes

long rv_platform_process(void);  // number of this process
bool rv_platform_process_exists(long process);
void rv_platform_host_name(char* name, size_t size);
int rv_platform_cores(void);
// Path of this program.
bool rv_platform_program(char path[RV_PATH_BYTES]);

typedef intptr_t RvProcess;
enum { RV_FILE_NONE = -1 };  // in place of a descriptor: what is written is lost
// Starts a program, which is looked for on the PATH if it has no slash. No shell is involved. Returns an errno value.
int rv_platform_start(const char* program, const char* const* words, int input, int output, int errors,
                      RvProcess* process);
// Waits until one of the processes ends; its code is -1 if a signal ended it. Returns its place; -1 with EINTR after a
// signal.
ptrdiff_t rv_platform_wait(const RvProcess* processes, size_t count, int* code);
void rv_platform_stop(RvProcess process);
// A pair of connected ends, [0] for the reading process and [1] for us.
bool rv_platform_channel(int ends[2]);
// Bytes that were sent; at most 0 where the reader has closed its end, without a signal.
ptrdiff_t rv_platform_send(int end, const void* bytes, size_t count);
// Runs a command of the shell and reads what it prints.
FILE* rv_platform_shell(const char* command);
int rv_platform_shell_end(FILE* stream);

// Has Ctrl-C, a request to end and a closed terminal call the handler. Closed pipes and files over the size limit
// become write errors, and exit codes of child processes are kept.
void rv_platform_catch_interrupts(void (*handler)(int));
// Has faults of memory access, aborts and the alarm call the handler, once.
void rv_platform_catch_crashes(void (*handler)(int));
// Ends a wait of the program after some seconds, by the handler above; 0: no more.
void rv_platform_alarm(unsigned seconds);
// Writes to standard error; allowed in such a handler.
void rv_platform_say(const char* text);
bool rv_platform_is_terminal(FILE* stream);

// A lock for short sections; all bytes zero is an open one, and it needs no end.
typedef struct RvMutex {
  union {
    uint64_t room[8];
    void* alignment;
  } system;
} RvMutex;
void rv_platform_mutex_lock(RvMutex* mutex);
void rv_platform_mutex_unlock(RvMutex* mutex);

// Starts and ends `count` threads of `stack` bytes, all of which exist at once. Returns an errno value.
int rv_platform_try_threads(int count, size_t stack);

//---------------------------------------------------------------------------------------------- clocks, memory, locale

double rv_platform_wall_seconds(void);  // since some moment
double rv_platform_cpu_seconds(void);   // of all threads of the process

// Memory of the C library, aligned; `bytes` is a multiple of the alignment. Huge: on huge pages where there are any.
void* rv_platform_alloc(size_t bytes, size_t alignment, bool huge);
void rv_platform_free(void* memory);
// Bytes of a block; 0 where the library does not tell.
size_t rv_platform_block_bytes(void* memory);
// Has large blocks go back to the system when they are freed, and small ones stay.
void rv_platform_tune_memory(void);
// Gives free memory back to the system.
void rv_platform_trim_memory(void);
// Resident memory of the process and its peak, bytes; 0 if the system does not tell.
size_t rv_platform_resident(void);
size_t rv_platform_peak_resident(void);
// Memory of the machine, and the part of it that the process may have, bytes; 0, SIZE_MAX: unknown.
size_t rv_platform_physical_memory(void);
size_t rv_platform_allowed_memory(void);

// The thread reads and writes numbers with decimal points, whatever locale the host has set, until `leave`.
typedef struct RvNumberLocale {
  void *made, *former;
} RvNumberLocale;
RvNumberLocale rv_platform_locale_enter(void);
void rv_platform_locale_leave(RvNumberLocale locale);

#ifdef __cplusplus
}
#endif
#endif
