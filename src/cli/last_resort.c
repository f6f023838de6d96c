// The end of the process inside a library of others. OpenVDB, TBB and blosc do not check every allocation of theirs:
// what would be a signal is told here as an error, with exit code 2. Files are whole, because they are written under
// temporary names, which the next run removes. A crash of our own code stays one.
#include <signal.h>
#include <stdlib.h>

#include "base/foreign.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "rivulet/base.h"

enum { START_SECONDS = 20 };  // in which all threads have started, on a busy machine too

RvResult rv_cli_threads_start(RvError* error) {
  // TBB may wait forever for a thread that could not be started; the alarm ends that.
  rv_platform_alarm(START_SECONDS);
  RvResult result = rv_threads_start(error);
  rv_platform_alarm(0);
  return result;
}

// A sanitizer has handlers of its own, which tell more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void rv_cli_last_resort(void) {}
#else

static void on_crash(int signal_number) {
  const char* library = rv_foreign_library();
  if (!library) {
    // The default is restored, which ends the process with the signal.
    raise(signal_number);
    return;
  }
  rv_platform_say("rivulet: the library ");
  rv_platform_say(library);
  rv_platform_say(" cannot go on, as happens when memory runs out; all files are whole: ");
  rv_platform_say(rv_cli_memory_advice);
  rv_platform_say("\n");
  _Exit(rv_result_exit_code(RV_SHIM));
}

void rv_cli_last_resort(void) {
  rv_platform_catch_crashes(on_crash);
}
#endif
