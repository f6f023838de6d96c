// Memory and threads that a host gives the library: all memory is the host's, and any threads give the same bits.
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/embed_sim.h"
#include "support/rv_test.h"

// The hash with the library's own memory and threads, from a process of its own.
static uint64_t default_hash;

// The program runs itself: a fork would not do, as threads must not be started in the copy of a process that has some,
// and the thread sanitizer's runtime has one from the start. HASH_TO names the pipe in the second program.
static const char HASH_TO[] = "RV_TEST_HASH_TO";
extern char** environ;

static void with_the_librarys_own_services(void** state) {
  (void)state;
  const char* to = getenv(HASH_TO);
  if (to) {
    uint64_t hash = rv_test_sim_hash();
    _exit(write(atoi(to), &hash, sizeof hash) == sizeof hash ? 0 : 1);
  }
  int ends[2], status;
  char name[] = "test_embed_host", number[16];
  char* const arguments[] = {name, NULL};
  pid_t child;
  assert_int_equal(pipe(ends), 0);
  snprintf(number, sizeof number, "%d", ends[1]);
  assert_int_equal(setenv(HASH_TO, number, 1), 0);
  assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
  unsetenv(HASH_TO);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(read(ends[0], &default_hash, sizeof default_hash), sizeof default_hash);
  assert_true(default_hash != 0);
}

static atomic_long live, taken;

static void* count_alloc(void* user, size_t bytes, size_t alignment) {
  assert_ptr_equal(user, &live);
  assert_true(bytes > 0 && alignment % 64 == 0);
  atomic_fetch_add(&live, 1);
  atomic_fetch_add(&taken, 1);
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_free(void* user, void* memory) {
  (void)user;
  assert_non_null(memory);
  atomic_fetch_sub(&live, 1);
  free(memory);
}

static void* failing_alloc(void* user, size_t bytes, size_t alignment);

static RvHostServices counting(void) {
  RvHostServices services = rv_host_services_default();
  services.user = &live;
  services.alloc = failing_alloc;
  services.free_memory = count_free;
  return services;
}

static void all_memory_is_the_hosts_and_goes_back(void** state) {
  (void)state;
  RvError error = {0};
  RvHostServices services = counting();
  CHECK_OK(rv_host_services_set(&services, &error), error);
  assert_true(rv_test_sim_hash() == default_hash);
  assert_true(atomic_load(&taken) > 1000);
  assert_int_equal(atomic_load(&live), 0);
  // too late for another
  services.user = &taken;
  CHECK_FAILS(rv_host_services_set(&services, &error), RV_BAD_INPUT, error, "has taken memory already");
  CHECK_FAILS(rv_host_services_set(NULL, &error), RV_BAD_INPUT, error, "before all other functions");
}

typedef struct Range {
  RvTaskFn* fn;
  void* arg;
  size_t begin, end;
} Range;

static void* run_range(void* user) {
  const Range* range = user;
  range->fn(range->arg, range->begin, range->end);
  return NULL;
}

static atomic_long loops;
static int pool_workers;

// A host's pool: threads made anew for each loop.
static void pool_for(void* user, size_t count, size_t grain, RvTaskFn* fn, void* arg) {
  (void)user;
  (void)grain;
  atomic_fetch_add(&loops, 1);
  enum { MOST = 8 };
  pthread_t threads[MOST];
  Range ranges[MOST];
  size_t n = (size_t)pool_workers < count ? (size_t)pool_workers : count;
  for (size_t i = 0; i < n; ++i) {
    ranges[i] = (Range){fn, arg, count * i / n, count * (i + 1) / n};
    if (i > 0) pthread_create(&threads[i], NULL, run_range, &ranges[i]);
  }
  run_range(&ranges[0]);
  for (size_t i = 1; i < n; ++i) pthread_join(threads[i], NULL);
}

static void threads_of_the_host_give_the_same_bits(void** state) {
  (void)state;
  const int workers[] = {1, 3};
  for (int i = 0; i < 2; ++i) {
    RvError error = {0};
    RvHostServices services = counting();
    services.parallel_for = pool_for;
    services.workers = pool_workers = workers[i];
    CHECK_OK(rv_host_services_set(&services, &error), error);
    assert_int_equal(rv_threads(), workers[i]);
    assert_true(rv_test_sim_hash() == default_hash);
  }
  assert_true(atomic_load(&loops) > 10);
  RvError error = {0};
  RvHostServices services = counting();
  CHECK_OK(rv_host_services_set(&services, &error), error);
}

static void services_that_make_no_sense_are_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvHostServices services = counting();
  services.free_memory = NULL;
  CHECK_FAILS(rv_host_services_set(&services, &error), RV_BAD_INPUT, error, "both alloc and free_memory");
  services = counting();
  services.parallel_for = pool_for;
  CHECK_FAILS(rv_host_services_set(&services, &error), RV_BAD_INPUT, error, "workers is 0");
  memset(&services, 0, sizeof services);
  CHECK_FAILS(rv_host_services_set(&services, &error), RV_BAD_INPUT, error, "rv_host_services_default()");
}

// When this many allocations are done the next fails, and those after it; negative: never.
static atomic_long allowed = -1;

static void* failing_alloc(void* user, size_t bytes, size_t alignment) {
  if (atomic_load(&allowed) >= 0 && atomic_fetch_sub(&allowed, 1) <= 0) {
    atomic_store(&allowed, 0);
    return NULL;
  }
  return count_alloc(user, bytes, alignment);
}

// The first allocation that fails is one of the set-up, of the start, or of the frames.
static void a_host_without_memory_gets_an_error(void** state) {
  (void)state;
  int failed = 0, done = 0, tries = 0;
  for (long n = 0; n < 8000; n += 1 + n / 12) {
    tries++;
    atomic_store(&allowed, n);
    RvError error = {0};
    RvSimDef def = rv_sim_def_default();
    RvSim* sim = NULL;
    RvResult result = rv_test_sim(&def, &sim, &error);
    if (!result) result = rv_sim_start(sim, &error);
    if (!result) result = rv_test_sim_run(sim, 3, &error);
    assert_int_equal(error.code, result);
    failed += result == RV_NO_MEMORY;
    done += result == RV_OK;
    rv_sim_free(sim);
    assert_int_equal(atomic_load(&live), 0);
    atomic_store(&allowed, -1);
  }
  // not one ended otherwise, and the last had enough
  assert_true(failed > 40 && done > 0);
  assert_int_equal(failed + done, tries);
}

static void* run_in_thread(void* user) {
  *(uint64_t*)user = rv_test_sim_hash();
  return NULL;
}

static void simulations_run_at_once(void** state) {
  (void)state;
  pthread_t threads[3];
  uint64_t hashes[3];
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &hashes[i]), 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; ++i) assert_true(hashes[i] == default_hash);
}

RV_TESTS(cmocka_unit_test(with_the_librarys_own_services), cmocka_unit_test(all_memory_is_the_hosts_and_goes_back),
         cmocka_unit_test(threads_of_the_host_give_the_same_bits),
         cmocka_unit_test(a_host_without_memory_gets_an_error), cmocka_unit_test(simulations_run_at_once),
         cmocka_unit_test(services_that_make_no_sense_are_refused))
