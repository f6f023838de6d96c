// Clocks of the system.
#include "base/timer.h"

#include "base/platform.h"

double rv_clock_wall(void) {
  return rv_platform_wall_seconds();
}

double rv_clock_cpu(void) {
  return rv_platform_cpu_seconds();
}
