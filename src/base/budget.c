// The memory budget: a limit, a count, and what the system says.
#include "base/budget.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rivulet/host.h"

static const double GIB = 0x1p30;  // bytes

// Without a limit all of it may be used.
static atomic_size_t limit = SIZE_MAX;
static atomic_size_t taken;
static atomic_size_t refused, used_then;  // of the last refusal: its bytes, and those in use

void rv_memory_limit_set(size_t bytes) {
  atomic_store_explicit(&limit, bytes ? bytes : SIZE_MAX, memory_order_relaxed);
}

size_t rv_memory_limit(void) {
  size_t bytes = atomic_load_explicit(&limit, memory_order_relaxed);
  return bytes == SIZE_MAX ? 0 : bytes;
}

//---------------------------------------------------------------------------------------------- the system

// Reads the beginning of a small file; false if there is none.
static bool read_text(const char* path, char* text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, size - 1);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

// Resident memory of the process in bytes; 0 if the system does not tell.
static size_t resident(void) {
  char text[128];
  unsigned long long pages;
  if (!read_text("/proc/self/statm", text, sizeof text) || sscanf(text, "%*u %llu", &pages) != 1) return 0;
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// A limit of a control group: a number, or "max".
static size_t group_limit(const char* path) {
  char text[64];
  char* end;
  if (!read_text(path, text, sizeof text)) return SIZE_MAX;
  unsigned long long bytes = strtoull(text, &end, 10);
  return end == text || bytes == 0 ? SIZE_MAX : (size_t)bytes;
}

// The limits of a group and of all groups above it. `path` is its folder below `root`, and is cut.
static size_t path_limit(const char* root, char* path, const char* file) {
  size_t least = SIZE_MAX;
  for (char* end = path + strlen(path); end > path; *end = 0) {
    char name[1024];
    snprintf(name, sizeof name, "%s%s/%s", root, path, file);
    least = smaller(least, group_limit(name));
    while (end > path && *end != '/') --end;
  }
  return least;
}

// The limits of the control groups of this process. `text` is /proc/self/cgroup, whose lines are
// "number:controllers:path"; version 2 has the line "0::path".
static size_t groups_limit(char* text) {
  size_t least =
      smaller(group_limit("/sys/fs/cgroup/memory.max"), group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  char* next = NULL;
  for (char* line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
    char* path = strchr(line, '/');
    if (!path) continue;
    if (strncmp(line, "0::", 3) == 0)
      least = smaller(least, path_limit("/sys/fs/cgroup", path, "memory.max"));
    else if (strstr(line, ":memory:"))
      least = smaller(least, path_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

size_t rv_budget_machine(void) {
  size_t least = SIZE_MAX;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  char text[4096];
  struct rlimit space;
  if (pages > 0 && page > 0) least = (size_t)pages * (size_t)page;
  if (read_text("/proc/self/cgroup", text, sizeof text)) least = smaller(least, groups_limit(text));
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = smaller(least, (size_t)space.rlim_cur);
  return least;
}

//---------------------------------------------------------------------------------------------- the count

size_t rv_budget_used(void) {
  size_t counted = atomic_load_explicit(&taken, memory_order_relaxed), seen = resident();
  return counted > seen ? counted : seen;
}

size_t rv_budget_room(void) {
  size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
  if (most == SIZE_MAX) return SIZE_MAX;
  size_t used = rv_budget_used();
  return used < most ? most - used : 0;
}

RvResult rv_budget_check(double bytes, RvError* error, const char* format, ...) {
  size_t room = rv_budget_room();
  if (room == SIZE_MAX || bytes <= (double)room) return RV_OK;
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rv_fail(error, RV_LIMIT,
                 "%s: this needs about %.3g GiB of memory, and %.3g GiB are left of the limit of %.3g GiB; make it "
                 "smaller, or raise --max-memory",
                 what, bytes / GIB, (double)room / GIB, (double)rv_memory_limit() / GIB);
}

bool rv_budget_take(size_t bytes, bool large) {
  size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
  size_t before = atomic_fetch_add_explicit(&taken, bytes, memory_order_relaxed);
  if (most == SIZE_MAX) return true;
  bool fits = before <= most && bytes <= most - before;
  if (fits && large) {
    size_t seen = resident();
    fits = seen <= most && bytes <= most - seen;
  }
  if (fits) return true;
  rv_budget_give(bytes);
  atomic_store_explicit(&refused, bytes, memory_order_relaxed);
  atomic_store_explicit(&used_then, rv_budget_used(), memory_order_relaxed);
  return false;
}

void rv_budget_give(size_t bytes) {
  atomic_fetch_sub_explicit(&taken, bytes, memory_order_relaxed);
}

size_t rv_budget_refused(size_t* used) {
  if (used) *used = atomic_load_explicit(&used_then, memory_order_relaxed);
  return atomic_exchange_explicit(&refused, 0, memory_order_relaxed);
}
