// Clocks of the system.
#include "base/timer.h"

#include <time.h>

// A clock in seconds; 0 if it cannot be read.
static double read_clock(clockid_t id) {
  struct timespec t;
  return clock_gettime(id, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

double rv_clock_wall(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double rv_clock_cpu(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
