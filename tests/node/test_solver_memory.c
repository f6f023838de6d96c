// Allocations of ours fail, alone and with all after them, while a tiny scene of each solver is cooked: the cook says
// "out of memory", or gives the bits of an undisturbed one. A place is a call stack; the first allocation of each place
// fails, of liquidsolver and filmsolver, most of whose places are those of wetsolver, of every third; with RV_EVERY=1
// each allocation. host/test_fault_sweep fails those of libraries too.
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <execinfo.h>
#include <malloc.h>
#endif

#include "base/hash.h"
#include "base/memory.h"
#include "rivulet/host.h"
#include "support/node_counter.h"
#include "support/rv_test.h"
#include "support/sanitized.h"

enum { MOST = 20000, DEPTH = 32 };  // allocations of a cook; frames of a stack

// Allocations until one fails; 0: none fails. In a drought all after it fail as well.
static long until_failure;
static bool drought, dry;
// Stacks of the allocations of an undisturbed cook, while they are listed.
static uint64_t stacks[MOST];
static long listed;
static bool listing;

// Adds the stack of the caller to the list. Without backtrace each allocation counts as a place of its own.
static void list_stack(void) {
  if (listed == MOST) fail_msg("more than %d allocations", MOST);
  void* frames[DEPTH] = {0};
#ifdef __GLIBC__
  int depth = backtrace(frames, DEPTH);
  stacks[listed++] = rv_hash(frames, (size_t)depth * sizeof *frames, 0);
#else
  frames[0] = (void*)(uintptr_t)listed;
  stacks[listed++] = rv_hash(frames, sizeof *frames, 0);
#endif
}

static void* alloc_or_fail(void* user, size_t bytes, size_t alignment) {
  (void)user;
  if (listing) list_stack();
  if (dry) return NULL;
  if (until_failure && --until_failure == 0) {
    dry = drought;
    return NULL;
  }
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void* user, void* memory) {
  (void)user;
  free(memory);
}

//---------------------------------------------------------------------------------------------- scenes

#define HEAD "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 2], \"nodes\": {"
// Wet hairs on a ball that turns; a pool over it.
#define HAIR                                                                                                         \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.01, \"rows\": 4, \"cols\": 5}},"                       \
  "\"grow\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 4, \"length\": 0.02, \"points\": " \
  "5}},"                                                                                                             \
  "\"paint\": {\"type\": \"attribute\", \"inputs\": [\"grow\"], \"parms\": {\"name\": \"filmheight\", "              \
  "  \"value\": [5e-5, 0, 0, 0]}},"                                                                                  \
  "\"body\": {\"type\": \"collider\", \"inputs\": [\"ball\"], \"parms\": {\"voxelsize\": 0.004}},"
#define POOL                                                                                                          \
  "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.012, 0.008, 0.012], \"t\": [0, 0.016, 0], "                \
  "  \"particlesep\": 0.004}},"                                                                                       \
  "\"spout\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.006, \"t\": [0, 0.03, 0], \"rows\": 4, \"cols\": 5}}," \
  "\"jet\": {\"type\": \"source\", \"inputs\": [\"spout\"], \"parms\": {\"rate\": 1e-5, \"vel\": [0, -1, 0]}},"

static const struct {
  const char *name, *nodes;
  const char* outputs[3];
  int stride;  // of the places that are tried
} scenes[] = {
    {"strandsolver",
     HEAD HAIR "\"sim\": {\"type\": \"strandsolver\", \"inputs\": [\"grow\", \"body\"], \"parms\": {\"substeps\": 1, "
               "  \"strandcollisions\": true}}}}",
     {"sim", "sim:state"},
     1},
    {"liquidsolver",
     HEAD HAIR POOL
     "\"sim\": {\"type\": \"liquidsolver\", \"inputs\": [\"pool\", \"body\", \"jet\"], \"parms\": {\"substeps\": 1, "
     "  \"viscosity\": 0.01, \"surfacetension\": 0.07}},"
     "\"skin\": {\"type\": \"surface\", \"inputs\": [\"sim\"], \"parms\": {\"voxelsize\": 0.004}}}}",
     {"sim", "sim:state", "skin"},
     3},
    {"filmsolver",
     HEAD HAIR POOL
     "\"sim\": {\"type\": \"filmsolver\", \"inputs\": [\"paint\", \"pool\", \"body\", \"jet\"], \"parms\": "
     "  {\"substeps\": 1}}}}",
     {"sim", "sim:2", "sim:state"},
     3},
    {"wetsolver",
     HEAD HAIR POOL
     "\"sim\": {\"type\": \"wetsolver\", \"inputs\": [\"paint\", \"pool\", \"body\", \"jet\"], \"parms\": "
     "  {\"substeps\": 1, \"strandcollisions\": true}}}}",
     {"sim", "sim:2", "sim:state"},
     1},
    {"lookdevsolver",
     HEAD HAIR POOL
     "\"sim\": {\"type\": \"lookdevsolver\", \"inputs\": [\"paint\", \"pool\", \"body\", \"jet\"], \"parms\": "
     "  {\"substeps\": 1}}}}",
     {"sim", "sim:2", "sim:state"},
     1},
    {"continuumsolver",
     HEAD HAIR
     "\"sim\": {\"type\": \"continuumsolver\", \"inputs\": [\"paint\", \"body\"], \"parms\": {\"substeps\": 1, "
     "  \"turbulence\": 1, \"wind\": [2, 0, 0], \"volumepower\": 2}}}}",
     {"sim", "sim:state"},
     1},
    // two liquids, and a bubble beside them
    {"interfacesolver",
     HEAD HAIR POOL
     "\"oil\": {\"type\": \"attribute\", \"inputs\": [\"pool\"], \"parms\": {\"name\": \"phase\", \"type\": \"int\", "
     "  \"value\": [1, 0, 0, 0]}},"
     "\"beside\": {\"type\": \"transform\", \"inputs\": [\"pool\"], \"parms\": {\"t\": [0.012, 0, 0]}},"
     "\"gas\": {\"type\": \"attribute\", \"inputs\": [\"beside\"], \"parms\": {\"name\": \"bubbleid\", \"type\": "
     "  \"int\", \"value\": [1, 0, 0, 0]}},"
     "\"above\": {\"type\": \"transform\", \"inputs\": [\"pool\"], \"parms\": {\"t\": [0, 0.008, 0]}},"
     "\"all\": {\"type\": \"merge\", \"inputs\": [\"oil\", \"gas\", \"above\"]},"
     "\"sim\": {\"type\": \"interfacesolver\", \"inputs\": [\"all\", \"body\", \"jet\"], \"parms\": "
     "  {\"timescale\": 0.02, \"layers\": 2, \"popbubble\": 1}}}}",
     {"sim", "sim:state"},
     1},
    {"a liquid that yields",
     HEAD POOL
     "\"sim\": {\"type\": \"liquidsolver\", \"inputs\": [\"pool\"], \"parms\": {\"substeps\": 1, \"viscosity\": 1, "
     "  \"yieldstress\": 20, \"shearmodulus\": 500, \"wallsmin\": [-0.006, 0.012, -0.006], \"wallsmax\": [0.006, 0.1, "
     "  0.006]}}}}",
     {"sim", "sim:state"},
     1},
    // strands that meet by pairs of points, in air of their own
    {"solved air",
     HEAD HAIR
     "\"sim\": {\"type\": \"continuumsolver\", \"inputs\": [\"paint\", \"body\"], \"parms\": {\"substeps\": 1, "
     "  \"wind\": [2, 0, 0], \"air\": \"solved\", \"interaction\": \"particles\", \"continuity\": true, "
     "  \"airreach\": 1, \"turbulence\": 1}}}}",
     {"sim", "sim:state"},
     1},
    // two materials, and drops that stick to a solid
    {"several materials",
     HEAD HAIR POOL
     "\"cream\": {\"type\": \"attribute\", \"inputs\": [\"pool\"], \"parms\": {\"name\": \"material\", \"type\": "
     "  \"string\", \"string\": \"cream\"}},"
     "\"beside\": {\"type\": \"transform\", \"inputs\": [\"pool\"], \"parms\": {\"t\": [0.014, -0.012, 0]}},"
     "\"all\": {\"type\": \"merge\", \"inputs\": [\"cream\", \"beside\"]},"
     "\"sim\": {\"type\": \"liquidsolver\", \"inputs\": [\"all\", \"body\"], \"parms\": {\"substeps\": 1, "
     "  \"viscosity\": 0.1, \"droptension\": 0.07}}}}",
     {"sim", "sim:state"},
     1},
};
enum { OUTPUTS = 3 };

// Hashes of the outputs at the second frame.
static RvResult evaluate(RvScene* scene, const char* const* outputs, uint64_t hash[OUTPUTS], RvError* error) {
  RvResult result = RV_OK;
  for (int i = 0; i < OUTPUTS && outputs[i] && !result; ++i) {
    const RvDetail* out;
    result = rv_scene_cook(scene, outputs[i], 2, &out, error);
    if (!result) hash[i] = rv_detail_hash(out);
    if (!result && !hash[i]) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the hash");
  }
  return result;
}

// Whether the n-th allocation is the first of its place.
static bool is_first(long n) {
  for (long k = 0; k < n - 1; ++k)
    if (stacks[k] == stacks[n - 1]) return false;
  return true;
}

// Cooks with the n-th allocation failing; true if that was told.
static bool try_one(size_t k, long n, const uint64_t clean[OUTPUTS]) {
  RvError error = {0};
  uint64_t now[OUTPUTS] = {0};
  RvScene* scene = rv_test_parse(scenes[k].nodes);
  until_failure = n;
  RvResult result = evaluate(scene, scenes[k].outputs, now, &error);
  until_failure = 0;
  dry = false;
  const char* kind = drought ? "drought from" : "failed";
  if (result && (result != RV_NO_MEMORY || !strstr(error.text, "memory")))
    fail_msg("%s, %s allocation %ld: %s: %s", scenes[k].name, kind, n, rv_result_name(result), error.text);
  if (!result && memcmp(now, clean, sizeof now) != 0)
    fail_msg("%s, %s allocation %ld: no error, and another result", scenes[k].name, kind, n);
  rv_scene_free(scene);
  return result != RV_OK;
}

// Fails the allocations of a scene; droughts begin at every DROUGHT-th of them.
static void sweep(size_t k) {
  enum { DROUGHT = 8 };
  RvError error = {0};
  uint64_t clean[OUTPUTS] = {0};
  const bool every = getenv("RV_EVERY") != NULL;
#ifdef SANITIZED
  const int stride = 16;
#else
  const int stride = scenes[k].stride;
#endif
  RvHostServices services = rv_host_services_default();
  services.alloc = alloc_or_fail;
  services.free_memory = give_back;
  CHECK_OK(rv_host_services_set(&services, &error), error);
  rv_threads_set(1);
#ifdef __GLIBC__
  // freed blocks stay with the process: thousands of cooks would otherwise spend half of their time in the system
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  // the first cook makes what lives as long as the process
  for (int turn = 0; turn < 2; ++turn) {
    RvScene* scene = rv_test_parse(scenes[k].nodes);
    listed = 0;
    listing = true;
    CHECK_OK(evaluate(scene, scenes[k].outputs, clean, &error), error);
    listing = false;
    rv_scene_free(scene);
  }
  long places = 0, told[2] = {0}, tried[2] = {0};
  for (long n = 1; n <= listed; ++n) {
    if (!every && !is_first(n)) continue;
    if (!every && places++ % stride) continue;
    for (int all_after = 0; all_after < 2; ++all_after) {
      if (all_after && !every && tried[0] % DROUGHT) continue;
      drought = all_after;
      told[all_after] += try_one(k, n, clean);
      tried[all_after]++;
    }
  }
  print_message(
      "%s: %ld allocations; %ld fail alone: %ld errors, %ld without effect; %ld droughts: %ld errors, %ld without\n",
      scenes[k].name, listed, tried[0], told[0], tried[0] - told[0], tried[1], told[1], tried[1] - told[1]);
  assert_true(told[0] * stride > 100);
}

#define SOLVER_TEST(name, index)   \
  static void name(void** state) { \
    (void)state;                   \
    sweep(index);                  \
  }
SOLVER_TEST(strandsolver, 0)
SOLVER_TEST(liquidsolver, 1)
SOLVER_TEST(filmsolver, 2)
SOLVER_TEST(wetsolver, 3)
SOLVER_TEST(lookdevsolver, 4)
SOLVER_TEST(continuumsolver, 5)
SOLVER_TEST(interfacesolver, 6)
SOLVER_TEST(liquid_that_yields, 7)
SOLVER_TEST(solved_air, 8)
SOLVER_TEST(several_materials, 9)

RV_TESTS(cmocka_unit_test(strandsolver), cmocka_unit_test(liquidsolver), cmocka_unit_test(filmsolver),
         cmocka_unit_test(wetsolver), cmocka_unit_test(lookdevsolver), cmocka_unit_test(continuumsolver),
         cmocka_unit_test(interfacesolver), cmocka_unit_test(liquid_that_yields),
         cmocka_unit_test(solved_air), cmocka_unit_test(several_materials))
