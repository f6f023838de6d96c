// The end of the process inside a library of others. OpenVDB, TBB and blosc do not check every allocation of theirs:
// what would be a signal is told here as an error, with exit code 2. Files are whole, because they are written under
// temporary names, which the next run removes. A crash of our own code stays one.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/parallel.h"
#include "cli/cli.h"
#include "rivulet/base.h"

enum { START_SECONDS = 20 };  // in which all threads have started, on a busy machine too

// Writes a text by the system call, which is allowed in a signal handler.
static void say(const char* text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void on_crash(int signal_number) {
  const char* library = rv_foreign_library();
  if (!library) {
    // SA_RESETHAND has restored the default, which ends the process with the signal.
    raise(signal_number);
    return;
  }
  say("rivulet: the library ");
  say(library);
  say(" cannot go on, as happens when memory runs out; all files are whole: ");
  say(rv_cli_memory_advice);
  say("\n");
  _exit(rv_result_exit_code(RV_SHIM));
}

RvResult rv_cli_threads_start(RvError* error) {
  // TBB may wait forever for a thread that could not be started; the alarm ends that.
  alarm(START_SECONDS);
  RvResult result = rv_threads_start(error);
  alarm(0);
  return result;
}

void rv_cli_last_resort(void) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGALRM};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) sigaction(signals[i], &action, NULL);
#endif
}
