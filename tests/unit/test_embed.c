// Solvers inside another program: what is refused, memory and threads of the host, the same bits as a scene, saving.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rivulet/rivulet.h"
#include "support/rv_test.h"

enum { HAIRS = 9, POINTS = 6, SIDE = 6, PARTICLES = SIDE * SIDE * SIDE, CORNERS = 8, TRIANGLES = 12 };

static const float unit = 1.0f / 256;  // m
// each thread has its own
static _Thread_local float hair[HAIRS * POINTS][3], water[PARTICLES][3], box[CORNERS][3];
static _Thread_local double volumes[PARTICLES];
static _Thread_local int32_t counts[HAIRS];
// corners by the bits of their number, x y z; clockwise seen from outside
static const int32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
static _Thread_local int32_t triangles[TRIANGLES][3];

//---------------------------------------------------------------------------------------------- a wet scene

static void make_arrays(void) {
  for (int i = 0; i < HAIRS * POINTS; ++i) {
    counts[i / POINTS] = POINTS;
    hair[i][0] = unit * (float)(i / POINTS % 3 - 1);
    hair[i][1] = unit * (float)(2 * (POINTS - i % POINTS));
    hair[i][2] = unit * (float)(i / POINTS / 3 - 1);
  }
  for (int i = 0; i < PARTICLES; ++i) {
    water[i][0] = unit * ((float)(i % SIDE) - 2.5f);
    water[i][1] = unit * ((float)(i / SIDE % SIDE) + 0.5f);
    water[i][2] = unit * ((float)(i / SIDE / SIDE) - 2.5f);
    volumes[i] = (double)unit * unit * unit;
  }
  for (int i = 0; i < CORNERS; ++i) {
    box[i][0] = unit * (float)(4 + 4 * (i & 1));
    box[i][1] = unit * (float)(2 + 4 * (i >> 1 & 1));
    box[i][2] = unit * (float)(-2 + 4 * (i >> 2));
  }
  for (int i = 0; i < TRIANGLES; ++i) {
    const int32_t* quad = faces[i / 2];
    memcpy(triangles[i], (int32_t[]){quad[0], quad[1 + i % 2], quad[2 + i % 2]}, sizeof triangles[i]);
  }
}

static RvSimStrands strands_def(void) {
  RvSimStrands strands = rv_sim_strands_default();
  strands.strand_count = HAIRS;
  strands.point_counts = counts;
  strands.point_count = HAIRS * POINTS;
  strands.positions = hair[0];
  return strands;
}

static RvSimLiquid liquid_def(void) {
  RvSimLiquid liquid = rv_sim_liquid_default();
  liquid.point_count = PARTICLES;
  liquid.positions = water[0];
  liquid.volumes = volumes;
  return liquid;
}

static RvSimMesh mesh_def(void) {
  static const char* const parms[] = {"voxelsize", "0.002", "friction", "0.5", NULL};
  RvSimMesh mesh = rv_sim_mesh_default();
  mesh.point_count = CORNERS;
  mesh.positions = box[0];
  mesh.triangle_count = TRIANGLES;
  mesh.triangles = triangles[0];
  mesh.parms = parms;
  return mesh;
}

// Hair that hangs into water, and a box beside it.
static RvResult make(const RvSimDef* def, RvSim** out, RvError* error) {
  make_arrays();
  RvSimStrands strands = strands_def();
  RvSimLiquid liquid = liquid_def();
  RvSimMesh mesh = mesh_def();
  RvResult result = rv_sim_create(def, out, error);
  if (!result) result = rv_sim_set_strands(*out, "strands", &strands, error);
  if (!result) result = rv_sim_set_liquid(*out, "liquid", &liquid, error);
  if (!result) result = rv_sim_add_mesh(*out, "colliders", &mesh, NULL, error);
  return result;
}

// The box moves towards the hair and turns a little, the hair goes up; exact in floats but for the turn.
static void place(double frame, float points[CORNERS][3], float strands[HAIRS * POINTS][3]) {
  double turn = 0.05 * (frame - 1);
  make_arrays();
  for (int i = 0; i < CORNERS; ++i) {
    double x = box[i][0], z = box[i][2];
    points[i][0] = (float)(x * cos(turn) - z * sin(turn) - unit * 0.5 * (frame - 1));
    points[i][1] = box[i][1];
    points[i][2] = (float)(x * sin(turn) + z * cos(turn));
  }
  memcpy(strands, hair, sizeof hair);
  for (int i = 0; i < HAIRS * POINTS; ++i) strands[i][1] += (float)(unit * 0.5 * (frame - 1));
}

static RvResult next(RvSim* sim, RvError* error) {
  float points[CORNERS][3], strands[HAIRS * POINTS][3];
  place(rv_sim_frame(sim) + 1, points, strands);
  RvResult result = rv_sim_set_points(sim, "colliders", points[0], CORNERS, error);
  if (!result) result = rv_sim_set_points(sim, "strands", strands[0], HAIRS * POINTS, error);
  return result ? result : rv_sim_advance(sim, 1, error);
}

static RvResult run(RvSim* sim, int frames, RvError* error) {
  RvResult result = RV_OK;
  for (int i = 0; i < frames && !result; ++i) result = next(sim, error);
  return result;
}

// The hash after five frames; 0 on failure.
static uint64_t run_all(void) {
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  RvResult result = make(&def, &sim, &error);
  if (!result) result = rv_sim_start(sim, &error);
  if (!result) result = run(sim, 5, &error);
  uint64_t hash = result ? 0 : rv_sim_hash(sim);
  if (result) fprintf(stderr, "%s\n", error.text);
  rv_sim_free(sim);
  return hash;
}

//---------------------------------------------------------------------------------------------- services of a host

// The hash with the library's own memory and threads, from a process of its own.
static uint64_t default_hash;

static void with_the_librarys_own_services(void** state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    uint64_t hash = run_all();
    _exit(write(ends[1], &hash, sizeof hash) == sizeof hash ? 0 : 1);
  }
  int status;
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
  assert_true(run_all() == default_hash);
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
    assert_true(run_all() == default_hash);
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
    RvResult result = make(&def, &sim, &error);
    if (!result) result = rv_sim_start(sim, &error);
    if (!result) result = run(sim, 3, &error);
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
  *(uint64_t*)user = run_all();
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

//---------------------------------------------------------------------------------------------- what is refused

static void definitions_that_were_not_filled_are_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvSim* sim;
  RvSimDef def;
  memset(&def, 0, sizeof def);
  CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_BAD_INPUT, error, "not filled: begin with rv_sim_def_default()");
  assert_null(sim);
  CHECK_FAILS(rv_sim_create(NULL, &sim, &error), RV_BAD_INPUT, error, "rv_sim_def_default()");
  def = rv_sim_def_default();
  def.size += 8;
  CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_BAD_INPUT, error, "bytes and should have");
  const uint32_t versions[] = {RV_VERSION_NUMBER + 1, RV_VERSION_NUMBER + 1000, RV_VERSION_NUMBER + 1000000};
  for (int i = 0; i < 3; ++i) {
    def = rv_sim_def_default();
    def.version = versions[i];
    CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_UNSUPPORTED, error, "runs with the library " RV_VERSION_STRING);
  }
  CHECK_OK(rv_version_check(RV_VERSION_MAJOR, RV_VERSION_MINOR, RV_VERSION_PATCH, &error), error);
  CHECK_FAILS(rv_version_check(RV_VERSION_MAJOR, RV_VERSION_MINOR + 1, 0, &error), RV_UNSUPPORTED, error, "headers");
  def = rv_sim_def_default();
  def.fps = 0;
  CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_BAD_INPUT, error, "fps is 0");
  def = rv_sim_def_default();
  def.kind = "wetsolvr";
  CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_NOT_FOUND, error, "there are strandsolver");
  def.kind = "groom";
  CHECK_FAILS(rv_sim_create(&def, &sim, &error), RV_BAD_INPUT, error, "'groom' is no solver");
  // without an error to fill, too
  assert_int_equal(rv_sim_create(&def, &sim, NULL), RV_BAD_INPUT);
}

static void wrong_arrays_are_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  CHECK_OK(make(&def, &sim, &error), error);
  RvSimStrands strands = strands_def();
  CHECK_FAILS(rv_sim_set_strands(sim, "hair", &strands, &error), RV_NOT_FOUND, error, "it has strands, liquid");
  strands.point_count++;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "add up to 54 points");
  strands = strands_def();
  counts[3] = 1;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "strand 3 has 1 points");
  make_arrays();
  hair[7][2] = NAN;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "coordinate z of point 7");
  CHECK_FAILS(rv_sim_set_points(sim, "strands", hair[0], HAIRS * POINTS, &error), RV_BAD_INPUT, error, "point 7");
  make_arrays();
  CHECK_FAILS(rv_sim_set_points(sim, "strands", hair[0], 3, &error), RV_BAD_INPUT, error, "54 points, and 3");
  strands.positions = NULL;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "either positions");
  strands = strands_def();
  strands.size = 0;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "rv_sim_strands_default()");
  RvSimAttrib attrib = {"youngs", RV_STRING, 1, hair};
  strands = strands_def();
  strands.attribs = &attrib;
  strands.attrib_count = 1;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "'youngs' has no storage");
  RvSimMesh mesh = mesh_def();
  triangles[4][1] = CORNERS;
  CHECK_FAILS(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), RV_BAD_INPUT, error, "triangle 4 names point 8");
  make_arrays();
  CHECK_FAILS(rv_sim_add_mesh(sim, "liquid", &mesh, NULL, &error), RV_BAD_INPUT, error, "takes no meshes");
  const char* const wrong[] = {"frictoin", "1", NULL};
  mesh.parms = wrong;
  CHECK_FAILS(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), RV_NOT_FOUND, error, "friction");
  rv_sim_free(sim);
}

static void wrong_names_are_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  RvSimArray array;
  CHECK_OK(make(&def, &sim, &error), error);
  CHECK_FAILS(rv_sim_set_number(sim, "gravty", 1, -5, &error), RV_NOT_FOUND, error, "gravity");
  CHECK_FAILS(rv_sim_set_number(sim, "gravity", 3, -5, &error), RV_BAD_INPUT, error, "no component 3");
  CHECK_FAILS(rv_sim_set_text(sim, "liquidmode", "frozen", &error), RV_BAD_INPUT, error, "cached");
  CHECK_FAILS(rv_sim_get(sim, "strands", "P", &array, &error), RV_BAD_INPUT, error, "rv_sim_start before");
  CHECK_FAILS(rv_sim_advance(sim, 1, &error), RV_BAD_INPUT, error, "rv_sim_start before");
  CHECK_FAILS(rv_sim_save(sim, "/tmp/none.bgeo.sc", &error), RV_BAD_INPUT, error, "no state to save");
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_FAILS(rv_sim_get(sim, "strands", "wettness", &array, &error), RV_NOT_FOUND, error, "it has P, v");
  CHECK_FAILS(rv_sim_get(sim, "hair", "P", &array, &error), RV_NOT_FOUND, error, "strands, liquid, state");
  CHECK_FAILS(rv_sim_advance(sim, -1, &error), RV_BAD_INPUT, error, "forward");
  rv_sim_free(sim);
  def.kind = "strandsolver";
  CHECK_OK(rv_sim_create(&def, &sim, &error), error);
  CHECK_FAILS(rv_sim_start(sim, &error), RV_BAD_INPUT, error, "input 'strands' is empty");
  rv_sim_free(sim);
}

//---------------------------------------------------------------------------------------------- running

static void arrays_come_back(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  RvSimArray P, id, wet;
  CHECK_OK(make(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_sim_get(sim, "strands", "P", &P, &error), error);
  assert_int_equal(P.count, HAIRS * POINTS);
  assert_int_equal(P.size, 3);
  assert_int_equal(P.storage, RV_F32);
  assert_int_equal(P.owner, RV_POINT);
  // frame 1 is the groom
  make_arrays();
  assert_memory_equal(P.data, hair, sizeof hair);
  CHECK_OK(run(sim, 3, &error), error);
  CHECK_NEAR(rv_sim_frame(sim), 4, 0);
  const RvStats* stats = rv_sim_stats(sim);
  assert_true(stats->ledger.film > 0);
  CHECK_NEAR(rv_ledger_drift(&stats->ledger), 0, 1e-12);
  assert_int_equal(stats->strands, HAIRS);
  CHECK_OK(rv_sim_get(sim, "liquid", "id", &id, &error), error);
  CHECK_OK(rv_sim_get(sim, "strands", "wetness", &wet, &error), error);
  assert_int_equal(id.count, stats->particles);
  double all = 0, seconds;
  for (size_t i = 0; rv_sim_stage(sim, i, &seconds); ++i) all += seconds;
  assert_true(all > 0);
  assert_string_equal(rv_sim_stage(sim, 0, NULL), "load");
  rv_sim_free(sim);
}

static void every_kind_runs(void** state) {
  (void)state;
  const char* const kinds[] = {"wetsolver", "strandsolver", "liquidsolver", "filmsolver"};
  for (int i = 0; i < 4; ++i) {
    RvError error = {0};
    RvSimDef def = rv_sim_def_default();
    RvSim* sim = NULL;
    def.kind = kinds[i];
    make_arrays();
    RvSimStrands strands = strands_def();
    RvSimLiquid liquid = liquid_def();
    RvSimMesh mesh = mesh_def();
    CHECK_OK(rv_sim_create(&def, &sim, &error), error);
    if (i != 2) CHECK_OK(rv_sim_set_strands(sim, "strands", &strands, &error), error);
    if (i != 1) CHECK_OK(rv_sim_set_liquid(sim, "liquid", &liquid, &error), error);
    CHECK_OK(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), error);
    CHECK_OK(rv_sim_start(sim, &error), error);
    CHECK_OK(rv_sim_advance(sim, 2, &error), error);
    CHECK_NEAR(rv_sim_frame(sim), 3, 0);
    assert_true(rv_sim_stats(sim)->substeps > 0);
    rv_sim_free(sim);
  }
}

// Film that is painted in every frame, by an attribute of the strands.
static void attributes_change_with_the_frames(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  float painted[HAIRS * POINTS] = {0};
  RvSimAttrib attrib = {"wetadd", RV_F32, 1, painted};
  make_arrays();
  RvSimStrands strands = strands_def();
  strands.attribs = &attrib;
  strands.attrib_count = 1;
  CHECK_OK(rv_sim_create(&def, &sim, &error), error);
  CHECK_OK(rv_sim_set_strands(sim, "strands", &strands, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  CHECK_NEAR(rv_sim_stats(sim)->ledger.film, 0, 0);
  for (int i = 0; i < HAIRS * POINTS; ++i) painted[i] = 2e-4f;  // m/s
  CHECK_OK(rv_sim_set_strands(sim, "strands", &strands, &error), error);
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  assert_true(rv_sim_stats(sim)->ledger.film > 0);
  strands.strand_count--;
  strands.point_count -= POINTS;
  CHECK_OK(rv_sim_set_strands(sim, "strands", &strands, &error), error);
  CHECK_FAILS(rv_sim_advance(sim, 1, &error), RV_BAD_INPUT, error, "must stay the same");
  RvSimMesh mesh = mesh_def();
  CHECK_FAILS(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), RV_BAD_INPUT, error, "before the start");
  rv_sim_free(sim);
}

static void count_message(void* user, RvLevel level, const char* text) {
  (void)text;
  *(int*)user += level == RV_LEVEL_WARNING;
}

static void warnings_are_told_and_kept(void** state) {
  (void)state;
  RvError error = {0};
  int told = 0;
  RvSimDef def = rv_sim_def_default();
  def.user = &told;
  def.message = count_message;
  RvSim* sim = NULL;
  CHECK_OK(make(&def, &sim, &error), error);
  RvSimMesh open = mesh_def();
  open.triangle_count -= 2;
  CHECK_OK(rv_sim_add_mesh(sim, "colliders", &open, NULL, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  assert_int_equal(told, 1);
  assert_int_equal(rv_sim_warning_count(sim), 1);
  assert_non_null(strstr(rv_sim_warning(sim, 0), "open at 4 edges"));
  assert_null(rv_sim_warning(sim, 1));
  rv_sim_free(sim);
}

typedef struct Hooks {
  RvScene* scene;
  int cancel_after, polls, messages;
} Hooks;

static bool cancelled(void* user, double fraction, const char* stage) {
  Hooks* hooks = user;
  (void)fraction;
  (void)stage;
  return hooks->cancel_after > 0 && ++hooks->polls > hooks->cancel_after;
}

static void cancelled_frames_are_done_again(void** state) {
  (void)state;
  RvError error = {0};
  Hooks hooks = {0};
  RvSimDef def = rv_sim_def_default();
  def.user = &hooks;
  def.cancelled = cancelled;
  RvSim* sim = NULL;
  CHECK_OK(make(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(run(sim, 3, &error), error);
  uint64_t before = rv_sim_hash(sim);
  for (int after = 1; after < 20; after += 6) {
    hooks.cancel_after = after;
    hooks.polls = 0;
    CHECK_FAILS(next(sim, &error), RV_CANCELLED, error, "frame 5");
    CHECK_NEAR(rv_sim_frame(sim), 4, 0);
    assert_true(rv_sim_hash(sim) == before);
  }
  hooks.cancel_after = 0;
  // the points of the frame are still set
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  CHECK_OK(next(sim, &error), error);
  assert_true(rv_sim_hash(sim) == default_hash);
  rv_sim_free(sim);
}

static void saved_states_go_on_with_the_same_bits(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim *sim = NULL, *other = NULL;
  char path[512];
  void* bytes;
  size_t count;
  snprintf(path, sizeof path, "%s/state.bgeo.sc", rv_test_folder());
  CHECK_OK(make(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(run(sim, 3, &error), error);
  uint64_t hash = rv_sim_hash(sim);
  CHECK_OK(rv_sim_save(sim, path, &error), error);
  CHECK_OK(rv_sim_save_memory(sim, &bytes, &count, &error), error);
  rv_sim_free(sim);
  for (int memory = 0; memory < 2; ++memory) {
    CHECK_OK(make(&def, &other, &error), error);
    CHECK_OK(memory ? rv_sim_load_memory(other, bytes, count, &error) : rv_sim_load(other, path, &error), error);
    CHECK_NEAR(rv_sim_frame(other), 4, 0);
    assert_true(rv_sim_hash(other) == hash);
    CHECK_OK(run(other, 2, &error), error);
    assert_true(rv_sim_hash(other) == default_hash);
    // and again from the start
    make_arrays();
    CHECK_OK(rv_sim_set_points(other, "colliders", box[0], CORNERS, &error), error);
    CHECK_OK(rv_sim_set_points(other, "strands", hair[0], HAIRS * POINTS, &error), error);
    CHECK_OK(rv_sim_start(other, &error), error);
    CHECK_OK(run(other, 5, &error), error);
    assert_true(rv_sim_hash(other) == default_hash);
    rv_sim_free(other);
  }
  def.kind = "liquidsolver";
  CHECK_OK(rv_sim_create(&def, &other, &error), error);
  CHECK_FAILS(rv_sim_load_memory(other, bytes, count / 2, &error), RV_BAD_FILE, error, "");
  rv_sim_free(other);
  rv_free(bytes);
}

//---------------------------------------------------------------------------------------------- as in a scene

static const char scene_text[] =
    "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
    "\"box\": {\"type\": \"box\", \"parms\": {\"size\": [0.02, 0.02, 0.02]}},"
    "\"nod\": {\"type\": \"transform\", \"inputs\": [\"box\"], \"parms\": {"
    "\"ty\": {\"keys\": [[1, -0.02], [5, 0.01]], \"interp\": \"smooth\"},"
    "\"rz\": {\"keys\": [[1, 0], [5, 40]], \"interp\": \"smooth\"}}},"
    "\"body\": {\"type\": \"collider\", \"inputs\": [\"nod\"], \"parms\": {\"voxelsize\": 0.002}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"box\"], \"parms\": {\"count\": 12, \"length\": 0.03, \"points\": "
    "6}},"
    "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.04, 0.012, 0.04], \"t\": [0, -0.04, 0],"
    " \"particlesep\": 0.004}},"
    "\"wet\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"pool\", \"body\"], \"parms\": {\"walls\": true,"
    " \"wallsmin\": [-0.03, -0.046, -0.03], \"wallsmax\": [0.03, 1, 0.03],"
    " \"gravityx\": {\"keys\": [[1, 0], [5, 2]], \"interp\": \"linear\"}}}}}";

// RvSimDef.points_at by the nodes of the scene.
static bool scene_points(void* user, const char* port, double frame, size_t count, float* positions) {
  const RvDetail* made;
  RvError error = {0};
  const char* node = strcmp(port, "strands") == 0 ? "hair" : strcmp(port, "colliders") == 0 ? "nod" : NULL;
  if (!node || rv_scene_cook(((Hooks*)user)->scene, node, frame, &made, &error)) return false;
  assert_int_equal(rv_detail_count(made, RV_POINT), count);
  memcpy(positions, rv_detail_f32(made, RV_POINT, "P", 3), 3 * count * sizeof *positions);
  return true;
}

// A detail of the scene at frame 1, copied.
static RvDetail* scene_detail(RvScene* scene, const char* node) {
  const RvDetail* made;
  RvError error = {0};
  CHECK_OK(rv_scene_cook(scene, node, 1, &made, &error), error);
  return rv_detail_copy(made);
}

static void a_callback_gives_the_bits_of_a_scene(void** state) {
  (void)state;
  RvError error = {0};
  Hooks hooks = {0};
  RvScene* wet;
  CHECK_OK(rv_scene_parse(scene_text, strlen(scene_text), "test", &wet, &error), error);
  CHECK_OK(rv_scene_parse(scene_text, strlen(scene_text), "test", &hooks.scene, &error), error);
  RvSimDef def = rv_sim_def_default();
  def.user = &hooks;
  def.points_at = scene_points;
  RvSim* sim = NULL;
  CHECK_OK(rv_sim_create(&def, &sim, &error), error);
  RvDetail* hairs = scene_detail(hooks.scene, "hair");
  RvDetail* pool = scene_detail(hooks.scene, "pool");
  RvDetail* body = scene_detail(hooks.scene, "nod");
  CHECK_OK(rv_sim_set_detail(sim, "strands", hairs, &error), error);
  CHECK_OK(rv_sim_set_detail(sim, "liquid", pool, &error), error);
  // the quads of the box, cut as the node cuts them
  RvSimMesh mesh = rv_sim_mesh_default();
  int32_t cut[TRIANGLES][3];
  const int32_t *start = rv_detail_prim_start(body), *corner = rv_detail_vertex_point(body);
  assert_int_equal(rv_detail_count(body, RV_PRIM), 6);
  for (int i = 0; i < TRIANGLES; ++i)
    for (int k = 0; k < 3; ++k) cut[i][k] = corner[start[i / 2] + (k ? k + i % 2 : 0)];
  const char* const parms[] = {"voxelsize", "0.002", NULL};
  mesh.point_count = rv_detail_count(body, RV_POINT);
  mesh.positions = rv_detail_f32(body, RV_POINT, "P", 3);
  mesh.triangle_count = TRIANGLES;
  mesh.triangles = cut[0];
  mesh.parms = parms;
  CHECK_OK(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), error);
  CHECK_OK(rv_sim_set_text(sim, "walls", "on", &error), error);
  CHECK_OK(rv_sim_set_text(sim, "wallsmin", "-0.03 -0.046 -0.03", &error), error);
  CHECK_OK(rv_sim_set_text(sim, "wallsmax", "0.03 1 0.03", &error), error);
  const RvKey keys[] = {{1, 0}, {5, 2}};
  CHECK_OK(rv_sim_set_keys(sim, "gravity", 0, keys, 2, RV_INTERP_LINEAR, RV_EXTEND_HOLD, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_sim_advance(sim, 4, &error), error);
  const RvDetail* made;
  CHECK_OK(rv_scene_cook(wet, "wet:3", 5, &made, &error), error);
  assert_true(rv_sim_stats(sim)->ledger.film > 0);
  assert_true(rv_detail_hash(made) == rv_sim_hash(sim));
  // a state of the scene is gone on from
  void* bytes;
  size_t count;
  CHECK_OK(rv_scene_cook(wet, "wet:3", 3, &made, &error), error);
  CHECK_OK(rv_detail_encode(made, "bgeo.sc", &bytes, &count, NULL, &error), error);
  CHECK_OK(rv_sim_set_number(sim, "startframe", 0, 3, &error), error);
  uint64_t hash = rv_sim_hash(sim);
  CHECK_OK(rv_sim_load_memory(sim, bytes, count, &error), error);
  CHECK_NEAR(rv_sim_frame(sim), 3, 0);
  CHECK_OK(rv_sim_advance(sim, 2, &error), error);
  assert_true(rv_sim_hash(sim) == hash);
  rv_free(bytes);
  rv_detail_free(hairs);
  rv_detail_free(pool);
  rv_detail_free(body);
  rv_sim_free(sim);
  rv_scene_free(hooks.scene);
  rv_scene_free(wet);
}

static void sources_are_meshes_with_keys(void** state) {
  (void)state;
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  def.kind = "liquidsolver";
  RvSim* sim = NULL;
  size_t number = 9;
  make_arrays();
  RvSimMesh mesh = mesh_def();
  const char* const parms[] = {"rate", "1e-5", NULL};
  mesh.parms = parms;
  CHECK_OK(rv_sim_create(&def, &sim, &error), error);
  CHECK_OK(rv_sim_set_number(sim, "particlesep", 0, unit, &error), error);
  CHECK_OK(rv_sim_add_mesh(sim, "sources", &mesh, &number, &error), error);
  assert_int_equal(number, 0);
  assert_null(rv_sim_mesh_parms(sim, "sources", 1));
  const RvKey keys[] = {{1, 1}, {3, 0}};
  CHECK_OK(rv_parms_set_keys(rv_sim_mesh_parms(sim, "sources", 0), "active", 0, keys, 2, RV_INTERP_CONSTANT,
                             RV_EXTEND_HOLD, &error),
           error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_sim_advance(sim, 2, &error), error);
  double two = rv_sim_stats(sim)->ledger.sources;
  assert_true(two > 0);
  CHECK_OK(rv_sim_advance(sim, 2, &error), error);
  CHECK_NEAR(rv_sim_stats(sim)->ledger.sources, two, 0);
  // a value that is set between frames holds from then on
  RvParms* values = rv_sim_mesh_parms(sim, "sources", 0);
  CHECK_OK(rv_parms_set(values, "active", 0, 1, &error), error);
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  double three = rv_sim_stats(sim)->ledger.sources;
  assert_true(three > two);
  CHECK_OK(rv_parms_set(values, "active", 0, 0, &error), error);
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  CHECK_NEAR(rv_sim_stats(sim)->ledger.sources, three, 0);
  rv_sim_free(sim);
}

static bool knows_nothing(void* user, const char* port, double frame, size_t count, float* positions) {
  (void)port;
  (void)frame;
  // what is there may be read and written
  for (size_t i = 0; i < 3 * count; ++i) positions[i] += 1;
  ++*(int*)user;
  return false;
}

// Liquid of a cache, with another number of particles in every frame.
static void cached_liquid_is_set_for_every_frame(void** state) {
  (void)state;
  RvError error = {0};
  int asked = 0;
  RvSimDef def = rv_sim_def_default();
  def.user = &asked;
  def.points_at = knows_nothing;
  RvSim* sim = NULL;
  CHECK_OK(make(&def, &sim, &error), error);
  CHECK_OK(rv_sim_set_text(sim, "liquidmode", "cached", &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  for (int i = 0; i < 3; ++i) {
    RvSimLiquid liquid = liquid_def();
    liquid.point_count = (size_t)(PARTICLES - 70 * i);
    CHECK_OK(rv_sim_set_liquid(sim, "liquid", &liquid, &error), error);
    CHECK_OK(next(sim, &error), error);
  }
  assert_true(rv_sim_stats(sim)->ledger.film > 0);
  // once an input and frame: what is not known is not asked for again between the frames
  assert_int_equal(asked, 3 * 4);
  rv_sim_free(sim);
}

static void nothing_is_left(void** state) {
  (void)state;
  assert_int_equal(atomic_load(&live), 0);
}

RV_TESTS(cmocka_unit_test(with_the_librarys_own_services), cmocka_unit_test(all_memory_is_the_hosts_and_goes_back),
         cmocka_unit_test(threads_of_the_host_give_the_same_bits),
         cmocka_unit_test(a_host_without_memory_gets_an_error), cmocka_unit_test(simulations_run_at_once),
         cmocka_unit_test(services_that_make_no_sense_are_refused),
         cmocka_unit_test(definitions_that_were_not_filled_are_refused), cmocka_unit_test(wrong_arrays_are_refused),
         cmocka_unit_test(wrong_names_are_refused), cmocka_unit_test(arrays_come_back),
         cmocka_unit_test(every_kind_runs), cmocka_unit_test(attributes_change_with_the_frames),
         cmocka_unit_test(warnings_are_told_and_kept), cmocka_unit_test(cancelled_frames_are_done_again),
         cmocka_unit_test(saved_states_go_on_with_the_same_bits),
         cmocka_unit_test(a_callback_gives_the_bits_of_a_scene), cmocka_unit_test(sources_are_meshes_with_keys),
         cmocka_unit_test(cached_liquid_is_set_for_every_frame), cmocka_unit_test(nothing_is_left))
