// Blind fuzzing: see blind.h.
#include "fuzz/blind.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_BYTES = 1 << 17,  // of a changed input
  MOST_SEEDS = 256,      // inputs of the corpus
  MOST_CHANGES = 5,      // of one input
  LONGEST_SECONDS = 60,  // CPU time of one input: SIGPROF ends one that hangs
};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// The name that libFuzzer's own has, which mutators of targets call.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
// A target's own mutator, where it has one.
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed);

static struct {
  uint8_t* data;
  size_t size;
} seeds[MOST_SEEDS];
static size_t seed_count;
static uint64_t state;
// The input at hand, for the handler of a crash.
static uint8_t* current;
static size_t current_size;
static char crash_file[64];

// Next random number below a bound (xorshift64*).
static size_t below(size_t bound) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return bound ? (size_t)((state * 2685821657736338717u) >> 33) % bound : 0;
}

int blind_add(const uint8_t* data, size_t size) {
  if (seed_count == MOST_SEEDS || size > MOST_BYTES) return 1;
  uint8_t* copy = malloc(size ? size : 1);
  if (!copy) return 0;
  memcpy(copy, data, size);
  seeds[seed_count].data = copy;
  seeds[seed_count++].size = size;
  return 1;
}

// Copies a piece of any seed over the input, or between its bytes.
static size_t splice(uint8_t* data, size_t size, size_t most) {
  size_t k = below(seed_count), from = below(seeds[k].size), at = below(size + 1);
  size_t length = 1 + below(seeds[k].size - from);
  if (below(2)) {  // over
    length = length < size - at ? length : size - at;
    memcpy(data + at, seeds[k].data + from, length);
    return size;
  }
  if (size + length > most || from + length > seeds[k].size) return size;
  memmove(data + at + length, data + at, size - at);
  memcpy(data + at, seeds[k].data + from, length);
  return size + length;
}

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most) {
  static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '"', '{', '[', ',', '\n', '-', '9'};
  if (!size) return splice(data, size, most);
  size_t at = below(size), length = 1 + below(size - at < 16 ? size - at : 16);
  switch (below(6)) {
    case 0:
      data[at] ^= (uint8_t)(1u << below(8));
      return size;
    case 1:
      data[at] = edges[below(sizeof edges)];
      return size;
    case 2:  // a number of the file's becomes a very large or small one
      memset(data + at, below(2) ? 0xff : 0, length);
      return size;
    case 3:
      memmove(data + at, data + at + length, size - at - length);
      return size - length;
    case 4:
      return below(16) ? splice(data, size, most) : at;  // or cut
    default:
      data[at] = (uint8_t)below(256);
      return size;
  }
}

// Writes the input that ended the process. Only calls that a handler of signals may use.
static void on_crash(int number) {
  signal(number, SIG_DFL);
  int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || write(file, current, current_size) < 0) _exit(3);
  raise(number);
}

static double cpu_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

unsigned long blind_run(double seconds, unsigned seed) {
  const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF};
  const struct itimerval longest = {.it_value.tv_sec = LONGEST_SECONDS}, never = {0};
  unsigned long count = 0;
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; ++i) signal(crashes[i], on_crash);
  snprintf(crash_file, sizeof crash_file, "crash.%u", seed);
  state = 0x9e3779b97f4a7c15u * (seed + 1);
  current = malloc(MOST_BYTES);
  for (double end = cpu_seconds() + seconds; current && seed_count && cpu_seconds() < end; ++count) {
    size_t k = below(seed_count);
    current_size = seeds[k].size;
    memcpy(current, seeds[k].data, current_size);
    for (size_t changes = 1 + below(MOST_CHANGES); changes; --changes)
      current_size = LLVMFuzzerCustomMutator
                         ? LLVMFuzzerCustomMutator(current, current_size, MOST_BYTES, (unsigned)below(1u << 30))
                         : LLVMFuzzerMutate(current, current_size, MOST_BYTES);
    setitimer(ITIMER_PROF, &longest, NULL);
    LLVMFuzzerTestOneInput(current, current_size);
  }
  setitimer(ITIMER_PROF, &never, NULL);
  free(current);
  for (size_t k = 0; k < seed_count; ++k) free(seeds[k].data);
  return count;
}
