// Processes, signals, clocks, memory and locale of Linux and macOS. See platform.h.
#if !defined(_WIN32)
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <os/lock.h>
#include <xlocale.h>
#endif

#include "base/platform.h"

extern char** environ;

//---------------------------------------------------------------------------------------------- processes

long rv_platform_process(void) {
  return (long)getpid();
}

// Signal 0 only checks.
bool rv_platform_process_exists(long process) {
  return process > 0 && process <= INT_MAX && (kill((pid_t)process, 0) == 0 || errno != ESRCH);
}

void rv_platform_host_name(char* name, size_t size) {
  if (gethostname(name, size) != 0) name[0] = 0;
  name[size - 1] = 0;
}

int rv_platform_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (int)cores : 1;
}

bool rv_platform_program(char path[RV_PATH_BYTES]) {
#if defined(__APPLE__)
  uint32_t size = RV_PATH_BYTES;
  return _NSGetExecutablePath(path, &size) == 0;
#else
  ssize_t length = readlink("/proc/self/exe", path, RV_PATH_BYTES - 1);
  path[length > 0 ? length : 0] = 0;
  return length > 0;
#endif
}

// Gives the child a file as its descriptor `to`, or the null device.
static int give_file(posix_spawn_file_actions_t* actions, int file, int to) {
  if (file == RV_FILE_NONE)
    return posix_spawn_file_actions_addopen(actions, to, "/dev/null", to ? O_WRONLY : O_RDONLY, 0);
  return posix_spawn_file_actions_adddup2(actions, file, to);
}

int rv_platform_start(const char* program, const char* const* words, int input, int output, int errors,
                      RvProcess* process) {
  posix_spawn_file_actions_t actions;
  pid_t pid = -1;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int status = give_file(&actions, input, 0);
  if (!status) status = give_file(&actions, output, 1);
  if (!status) status = give_file(&actions, errors, 2);
  if (!status) status = posix_spawnp(&pid, program, &actions, NULL, (char* const*)(uintptr_t)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  *process = pid;
  return status;
}

ptrdiff_t rv_platform_wait(const RvProcess* processes, size_t count, int* code) {
  for (;;) {
    int status = 0;
    pid_t pid = waitpid(count == 1 ? (pid_t)processes[0] : -1, &status, 0);
    if (pid < 0) return -1;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    for (size_t i = 0; i < count; ++i)
      if (processes[i] == pid) return (ptrdiff_t)i;
  }
}

void rv_platform_stop(RvProcess process) {
  kill((pid_t)process, SIGTERM);
}

// A socket, unlike a pipe, reports without a signal that its reader has closed.
bool rv_platform_channel(int ends[2]) {
#if defined(__APPLE__)
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  const int on = 1;
  for (int i = 0; i < 2; ++i) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  }
  return true;
#else
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
#endif
}

ptrdiff_t rv_platform_send(int end, const void* bytes, size_t count) {
#if defined(__APPLE__)
  return send(end, bytes, count, 0);
#else
  return send(end, bytes, count, MSG_NOSIGNAL);
#endif
}

FILE* rv_platform_shell(const char* command) {
  return popen(command, "r");
}

int rv_platform_shell_end(FILE* stream) {
  return pclose(stream);
}

//---------------------------------------------------------------------------------------------- signals

void rv_platform_catch_interrupts(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  // A closed terminal stops the run like SIGTERM, unless the program was started by nohup.
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
  // A parent that ignores its children would have ours vanish before their exit codes are read (ffmpeg, wedge).
  signal(SIGCHLD, SIG_DFL);
  // A closed pipe and a file over the size limit are reported as write errors instead of ending the process.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void rv_platform_catch_crashes(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGALRM};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) sigaction(signals[i], &action, NULL);
}

void rv_platform_alarm(unsigned seconds) {
  alarm(seconds);
}

// The system call is allowed in a signal handler.
void rv_platform_say(const char* text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

bool rv_platform_is_terminal(FILE* stream) {
  return isatty(fileno(stream)) != 0;
}

//---------------------------------------------------------------------------------------------- threads

#if defined(__APPLE__)
void rv_platform_mutex_lock(RvMutex* mutex) {
  os_unfair_lock_lock((os_unfair_lock*)&mutex->system);
}

void rv_platform_mutex_unlock(RvMutex* mutex) {
  os_unfair_lock_unlock((os_unfair_lock*)&mutex->system);
}
#else
// All bytes of PTHREAD_MUTEX_INITIALIZER are zero in glibc and musl.
_Static_assert(sizeof(pthread_mutex_t) <= sizeof(RvMutex), "RvMutex has room for the system's");

void rv_platform_mutex_lock(RvMutex* mutex) {
  pthread_mutex_lock((pthread_mutex_t*)&mutex->system);
}

void rv_platform_mutex_unlock(RvMutex* mutex) {
  pthread_mutex_unlock((pthread_mutex_t*)&mutex->system);
}
#endif

// Threads that wait for each other, so that all of them exist at once.
static void* wait_for_gate(void* gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int rv_platform_try_threads(int count, size_t stack) {
  pthread_t* threads = malloc((size_t)count * sizeof *threads);
  pthread_attr_t attributes;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  if (!threads && count > 0) return ENOMEM;
  int failure = pthread_attr_init(&attributes);
  if (failure) {
    free(threads);
    return failure;
  }
  int started = 0;
  failure = pthread_attr_setstacksize(&attributes, stack);
  pthread_mutex_lock(&gate);
  while (started < count && !failure) {
    failure = pthread_create(&threads[started], &attributes, wait_for_gate, &gate);
    started += !failure;
  }
  pthread_mutex_unlock(&gate);
  for (int k = 0; k < started; ++k) pthread_join(threads[k], NULL);
  pthread_attr_destroy(&attributes);
  free(threads);
  return failure;
}

//---------------------------------------------------------------------------------------------- clocks

// A clock in seconds; 0 if it cannot be read.
static double read_clock(clockid_t id) {
  struct timespec t;
  return clock_gettime(id, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double rv_platform_wall_seconds(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double rv_platform_cpu_seconds(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

//---------------------------------------------------------------------------------------------- locale

RvNumberLocale rv_platform_locale_enter(void) {
  locale_t made = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return (RvNumberLocale){.made = made, .former = made ? uselocale(made) : NULL};
}

void rv_platform_locale_leave(RvNumberLocale locale) {
  if (!locale.made) return;
  uselocale((locale_t)locale.former);
  freelocale((locale_t)locale.made);
}

#endif
