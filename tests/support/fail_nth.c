// Fault injection for tests/host/test_fault_sweep.py: a library for LD_PRELOAD that makes one call of a program fail.
//
// A call is the n-th of its kind since main began: an allocation (NULL, ENOMEM), a write to a file (ENOSPC), an fsync
// (EIO), a rename (EACCES) or a thread (EAGAIN). Before main the library becomes a server, so that loading and linking
// the program is paid once: for each line "KIND N FOLDER" on standard input it forks a process that enters FOLDER and
// runs main with the call KIND number N failing; it answers with the wait status. KIND `none` fails nothing, and
// `drought` fails all allocations from number N on. The process leaves what it prints in FOLDER/stdout and
// FOLDER/stderr. Programs that it starts are not disturbed. FOLDER/fault.txt gets the stack at the failed call, the
// stack of a crash, and at the end the number of calls of each kind. KIND `stacks` fails nothing and writes a line
// "KIND N HASH" for each call to FOLDER/stacks.txt, so that one call of each place in the program can be chosen: HASH
// is that of the stack.
//
// Allocations are counted over all threads, so a program has to run with one worker for n to name the same call each
// time.
//
// KIND `walk_alloc` or `walk_drought` tries many allocations in one run: a process goes on undisturbed to allocation
// number N, writes "stop", and waits for a line, while the folder is put aside. Then it forks a process in which the
// allocation fails, answers with that process' wait status, and waits for the next N, while the folder is put back as
// it was; N = 0 ends it. So what comes before an allocation is cooked once for all, which is most of the work.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  KINDS = 5,
  DEPTH = 40,            // frames of a stack
  LINE = 4096,           // bytes of a request
  LONGEST_SECONDS = 30,  // of a run; SIGALRM ends one that hangs
  LISTED = 64,           // bytes of a line of stacks.txt
  FILES = 64,            // descriptors whose place in their file is put back
};
enum { ALLOC, WRITE, FSYNC, RENAME, THREAD };
static const char* const kind_names[KINDS] = {"alloc", "write", "fsync", "rename", "thread"};

static atomic_bool counting;
static atomic_long counts[KINDS];
static int failing_kind = -1;
static long failing_n;
static bool drought;
static int log_file = -1;
static int stacks_file = -1;
// The pipes to the test while the allocations of a run are walked over.
static bool walking;
static int orders = -1, answers = -1;

// Memory functions of glibc under their own names: dlsym would allocate.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

// Appends the stack to the log under a title. It does not allocate, as the unwinder was loaded before.
static void log_stack(const char* title) {
  if (log_file < 0) return;
  void* frames[DEPTH];
  int depth = backtrace(frames, DEPTH);
  dprintf(log_file, "%s\n", title);
  backtrace_symbols_fd(frames, depth, log_file);
}

// Appends a line to stacks.txt. The system call is made directly, since write counts.
static void list_stack(int kind, long n) {
  void* frames[DEPTH];
  atomic_store(&counting, false);
  int depth = backtrace(frames, DEPTH);
  unsigned long hash = 14695981039346656037u;  // FNV-1a over the addresses
  for (int i = 0; i < depth; ++i) hash = (hash ^ (unsigned long)frames[i]) * 1099511628211u;
  char line[LISTED];
  int bytes = snprintf(line, sizeof line, "%s %ld %lx\n", kind_names[kind], n, hash);
  if (syscall(SYS_write, stacks_file, line, (size_t)bytes) != bytes) abort();
  atomic_store(&counting, true);
}

// Answers the test. The system calls are made directly, since write counts.
static void answer(const char* text) {
  if (syscall(SYS_write, answers, text, strlen(text)) < 0) _exit(3);
}

// The number on the next line from the test.
static long order(void) {
  char line[LISTED] = {0};
  size_t have = 0;
  do {
    if (have + 1 == sizeof line || read(orders, line + have, 1) != 1) _exit(3);
  } while (line[have++] != '\n');
  return atol(line);
}

// Forks a process in which the allocation at hand fails; true in that process.
static bool fork_failure(void) {
  off_t at[FILES];
  answer("stop\n");
  order();
  for (int fd = 0; fd < FILES; ++fd) at[fd] = lseek(fd, 0, SEEK_CUR);
  pid_t child = fork();
  if (child < 0) _exit(3);
  if (child == 0) {
    walking = false;
    close(orders);
    close(answers);
    alarm(LONGEST_SECONDS);
    return true;
  }
  int status;
  if (waitpid(child, &status, 0) != child) _exit(3);
  // both processes have the same place in an open file
  for (int fd = 0; fd < FILES; ++fd)
    if (at[fd] >= 0) lseek(fd, at[fd], SEEK_SET);
  char text[LISTED];
  snprintf(text, sizeof text, "%d\n", status);
  answer(text);
  failing_n = order();
  if (!failing_n) _exit(0);
  return false;
}

// Counts a call; true if it has to fail.
static bool fails(int kind) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return false;
  long n = atomic_fetch_add(&counts[kind], 1) + 1;
  if (stacks_file >= 0) list_stack(kind, n);
  if (kind != failing_kind || n < failing_n) return false;
  if (walking) {
    atomic_store(&counting, false);
    bool here = fork_failure();
    atomic_store(&counting, true);
    if (!here) return false;
  }
  if (n > failing_n) return drought;
  atomic_store(&counting, false);
  log_stack("failed");
  atomic_store(&counting, true);
  return true;
}

// ---------------------------------------------------------------------------------------------- allocations

void* malloc(size_t bytes) {
  if (!fails(ALLOC)) return __libc_malloc(bytes);
  errno = ENOMEM;
  return NULL;
}

void* calloc(size_t count, size_t bytes) {
  if (!fails(ALLOC)) return __libc_calloc(count, bytes);
  errno = ENOMEM;
  return NULL;
}

void* realloc(void* memory, size_t bytes) {
  if (!fails(ALLOC)) return __libc_realloc(memory, bytes);
  errno = ENOMEM;
  return NULL;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  if (!fails(ALLOC)) return __libc_memalign(alignment, bytes);
  errno = ENOMEM;
  return NULL;
}

void* memalign(size_t alignment, size_t bytes) {
  return aligned_alloc(alignment, bytes);
}

int posix_memalign(void** out, size_t alignment, size_t bytes) {
  if (fails(ALLOC)) return ENOMEM;
  void* memory = __libc_memalign(alignment, bytes);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}

// ---------------------------------------------------------------------------------------------- files

// The next definition of a function, found once.
#define NEXT(name)                         \
  static __typeof__(name)* next;           \
  if (!next) {                             \
    void* found = dlsym(RTLD_NEXT, #name); \
    memcpy(&next, &found, sizeof next);    \
  }

// Counts a write to a descriptor; those of standard output and error are left alone.
static bool write_fails(int fd) {
  if (fd <= STDERR_FILENO || fd == log_file || !fails(WRITE)) return false;
  errno = ENOSPC;
  return true;
}

ssize_t write(int fd, const void* bytes, size_t count) {
  NEXT(write)
  return write_fails(fd) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  NEXT(pwrite)
  return write_fails(fd) ? -1 : next(fd, bytes, count, offset);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  NEXT(writev)
  return write_fails(fd) ? -1 : next(fd, parts, count);
}

// Counts a call that may write a buffer of stdio. glibc writes it by a call that cannot be replaced, so the file under
// the stream is replaced by /dev/full, which fails as a full disk does.
static void stream_may_fail(FILE* stream) {
  int fd = stream ? fileno(stream) : -1;
  if (fd <= STDERR_FILENO || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY || !fails(WRITE)) return;
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) abort();
  dup2(full, fd);
  close(full);
}

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  NEXT(fwrite)
  stream_may_fail(stream);
  return next(bytes, size, count, stream);
}

int fputs(const char* text, FILE* stream) {
  NEXT(fputs)
  stream_may_fail(stream);
  return next(text, stream);
}

int fflush(FILE* stream) {
  NEXT(fflush)
  stream_may_fail(stream);
  return next(stream);
}

int fclose(FILE* stream) {
  NEXT(fclose)
  stream_may_fail(stream);
  return next(stream);
}

int fsync(int fd) {
  NEXT(fsync)
  if (!fails(FSYNC)) return next(fd);
  errno = EIO;
  return -1;
}

int rename(const char* from, const char* to) {
  NEXT(rename)
  if (!fails(RENAME)) return next(from, to);
  errno = EACCES;
  return -1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* arg) {
  NEXT(pthread_create)
  return fails(THREAD) ? EAGAIN : next(thread, attributes, start, arg);
}

// ---------------------------------------------------------------------------------------------- server

static void on_crash(int signal_number) {
  atomic_store(&counting, false);
  signal(signal_number, SIG_DFL);
  log_stack("crash");
  raise(signal_number);
}

// Enters the folder and counts from here on.
static void begin_run(int kind, long n, const char* folder, bool stacks) {
  if (chdir(folder) != 0) abort();
  int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666), nothing = open("/dev/null", O_RDWR);
  int said = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  log_file = open("fault.txt", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out < 0 || nothing < 0 || said < 0 || log_file < 0 || unsetenv("LD_PRELOAD") != 0) abort();
  if (stacks) stacks_file = open("stacks.txt", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(said, STDERR_FILENO);
  close(out);
  close(said);
  close(nothing);
  const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; ++i) signal(crashes[i], on_crash);
  if (!walking) alarm(LONGEST_SECONDS);
  failing_kind = kind;
  failing_n = n;
  atomic_store(&counting, true);
}

// Keeps the pipes to the test, above all descriptors that are looked at, and closed to other programs.
static void begin_walk(void) {
  orders = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, FILES);
  answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FILES);
  if (orders < 0 || answers < 0) exit(3);
}

// Answers requests until the end of standard input. Returns in the forked processes only.
static void serve(void) {
  char line[LINE], name[LINE], folder[LINE];
  long n;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%s %ld %s", name, &n, folder) != 3) exit(3);
    int kind = -1;
    walking = strncmp(name, "walk_", 5) == 0;
    if (walking) memmove(name, name + 5, strlen(name + 5) + 1);
    for (int k = 0; k < KINDS; ++k)
      if (strcmp(name, kind_names[k]) == 0) kind = k;
    drought = strcmp(name, "drought") == 0;
    if (drought) kind = ALLOC;
    pid_t child = fork();
    if (child < 0) exit(3);
    if (child == 0) {
      if (walking) begin_walk();
      begin_run(kind, n, folder, strcmp(name, "stacks") == 0);
      return;
    }
    int status;
    if (waitpid(child, &status, 0) != child) exit(3);
    printf(walking ? "end %d\n" : "%d\n", status);
    fflush(stdout);
  }
  exit(0);
}

static int (*program_main)(int, char**, char**);

static int main_with_faults(int argc, char** argv, char** environment) {
  // The first call of backtrace loads the unwinder, which allocates.
  void* frames[2];
  backtrace(frames, 2);
  serve();
  int code = program_main(argc, argv, environment);
  atomic_store(&counting, false);
  for (int k = 0; k < KINDS; ++k) dprintf(log_file, "count %s %ld\n", kind_names[k], atomic_load(&counts[k]));
  // Without static destructors: those of log4cplus, which OpenVDB loads, wait for threads that a fork does not have.
  fflush(NULL);
  _exit(code);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, int (*init)(int, char**, char**),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end);
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, int (*init)(int, char**, char**),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  NEXT(__libc_start_main)
  program_main = main;
  return next(main_with_faults, argc, argv, init, fini, rtld_fini, stack_end);
}
