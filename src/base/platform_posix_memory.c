// Memory of Linux and macOS: huge pages, what the process has and may have. See platform.h.
#if !defined(_WIN32)
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/platform.h"

//---------------------------------------------------------------------------------------------- blocks

enum { HUGE_PAGE = 2 << 20 };  // bytes of a huge page on x86-64

void* rv_platform_alloc(size_t bytes, size_t alignment, bool huge) {
  if (!huge) return aligned_alloc(alignment, bytes);
  void* memory;
  if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0) return NULL;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(memory, bytes & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
  return memory;
}

void rv_platform_free(void* memory) {
  free(memory);
}

size_t rv_platform_block_bytes(void* memory) {
#if defined(__GLIBC__)
  return malloc_usable_size(memory);
#else
  (void)memory;
  return 0;
#endif
}

void rv_platform_tune_memory(void) {
#if defined(__GLIBC__)
  // Arrays above 2 MB are mapped, so that freeing returns them to the system. By default glibc raises this threshold as
  // it runs, and the holes of freed arrays stay resident.
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
  // Smaller arrays stay with the process: the next step reuses what a step frees.
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void rv_platform_trim_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

//---------------------------------------------------------------------------------------------- limits

// Reads the beginning of a small file; false if there is none. Nothing is allocated.
static bool read_text(const char* path, char* text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, size - 1);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

size_t rv_platform_resident(void) {
  char text[128];
  unsigned long long pages;
  if (!read_text("/proc/self/statm", text, sizeof text) || sscanf(text, "%*u %llu", &pages) != 1) return 0;
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

size_t rv_platform_peak_resident(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return (size_t)usage.ru_maxrss;
#else
  return (size_t)usage.ru_maxrss * 1024;
#endif
}

size_t rv_platform_physical_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
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

size_t rv_platform_allowed_memory(void) {
  char text[4096];
  struct rlimit space;
  size_t least = rv_platform_physical_memory();
  if (!least) least = SIZE_MAX;
  if (read_text("/proc/self/cgroup", text, sizeof text)) least = smaller(least, groups_limit(text));
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = smaller(least, (size_t)space.rlim_cur);
  return least;
}

#endif
