// Solvers inside another program: what is refused, arrays in and out, cancelling, saving, and the same bits as a scene.
#include <math.h>
#include <string.h>

#include "support/embed_sim.h"
#include "support/rv_test.h"

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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  RvSimStrands strands = rv_test_strands_def();
  CHECK_FAILS(rv_sim_set_strands(sim, "hair", &strands, &error), RV_NOT_FOUND, error, "it has strands, liquid");
  strands.point_count++;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "add up to 54 points");
  strands = rv_test_strands_def();
  rv_test_counts[3] = 1;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "strand 3 has 1 points");
  rv_test_arrays();
  rv_test_sim_hair[7][2] = NAN;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "coordinate z of point 7");
  CHECK_FAILS(rv_sim_set_points(sim, "strands", rv_test_sim_hair[0], HAIRS * POINTS, &error), RV_BAD_INPUT, error,
              "point 7");
  rv_test_arrays();
  CHECK_FAILS(rv_sim_set_points(sim, "strands", rv_test_sim_hair[0], 3, &error), RV_BAD_INPUT, error,
              "54 points, and 3");
  strands.positions = NULL;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "either positions");
  strands = rv_test_strands_def();
  strands.size = 0;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "rv_sim_strands_default()");
  RvSimAttrib attrib = {"youngs", RV_STRING, 1, rv_test_sim_hair};
  strands = rv_test_strands_def();
  strands.attribs = &attrib;
  strands.attrib_count = 1;
  CHECK_FAILS(rv_sim_set_strands(sim, "strands", &strands, &error), RV_BAD_INPUT, error, "'youngs' has no storage");
  RvSimMesh mesh = rv_test_mesh_def();
  rv_test_triangles[4][1] = CORNERS;
  CHECK_FAILS(rv_sim_add_mesh(sim, "colliders", &mesh, NULL, &error), RV_BAD_INPUT, error, "triangle 4 names point 8");
  rv_test_arrays();
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_sim_get(sim, "strands", "P", &P, &error), error);
  assert_int_equal(P.count, HAIRS * POINTS);
  assert_int_equal(P.size, 3);
  assert_int_equal(P.storage, RV_F32);
  assert_int_equal(P.owner, RV_POINT);
  // frame 1 is the groom
  rv_test_arrays();
  assert_memory_equal(P.data, rv_test_sim_hair, sizeof rv_test_sim_hair);
  CHECK_OK(rv_test_sim_run(sim, 3, &error), error);
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
    rv_test_arrays();
    RvSimStrands strands = rv_test_strands_def();
    RvSimLiquid liquid = rv_test_liquid_def();
    RvSimMesh mesh = rv_test_mesh_def();
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
  rv_test_arrays();
  RvSimStrands strands = rv_test_strands_def();
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
  RvSimMesh mesh = rv_test_mesh_def();
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  RvSimMesh open = rv_test_mesh_def();
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_test_sim_run(sim, 3, &error), error);
  uint64_t before = rv_sim_hash(sim);
  for (int after = 1; after < 20; after += 6) {
    hooks.cancel_after = after;
    hooks.polls = 0;
    CHECK_FAILS(rv_test_sim_next(sim, &error), RV_CANCELLED, error, "frame 5");
    CHECK_NEAR(rv_sim_frame(sim), 4, 0);
    assert_true(rv_sim_hash(sim) == before);
  }
  hooks.cancel_after = 0;
  // the points of the frame are still set
  CHECK_OK(rv_sim_advance(sim, 1, &error), error);
  CHECK_OK(rv_test_sim_next(sim, &error), error);
  assert_true(rv_sim_hash(sim) == rv_test_sim_hash());
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  CHECK_OK(rv_test_sim_run(sim, 3, &error), error);
  uint64_t hash = rv_sim_hash(sim);
  CHECK_OK(rv_sim_save(sim, path, &error), error);
  CHECK_OK(rv_sim_save_memory(sim, &bytes, &count, &error), error);
  rv_sim_free(sim);
  for (int memory = 0; memory < 2; ++memory) {
    CHECK_OK(rv_test_sim(&def, &other, &error), error);
    CHECK_OK(memory ? rv_sim_load_memory(other, bytes, count, &error) : rv_sim_load(other, path, &error), error);
    CHECK_NEAR(rv_sim_frame(other), 4, 0);
    assert_true(rv_sim_hash(other) == hash);
    CHECK_OK(rv_test_sim_run(other, 2, &error), error);
    assert_true(rv_sim_hash(other) == rv_test_sim_hash());
    // and again from the start
    rv_test_arrays();
    CHECK_OK(rv_sim_set_points(other, "colliders", rv_test_box[0], CORNERS, &error), error);
    CHECK_OK(rv_sim_set_points(other, "strands", rv_test_sim_hair[0], HAIRS * POINTS, &error), error);
    CHECK_OK(rv_sim_start(other, &error), error);
    CHECK_OK(rv_test_sim_run(other, 5, &error), error);
    assert_true(rv_sim_hash(other) == rv_test_sim_hash());
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
  // the quads of the rv_test_box, cut as the node cuts them
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
  assert_true(rv_node_state_hash(rv_node_find("wetsolver"), made) == rv_sim_hash(sim));
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
  rv_test_arrays();
  RvSimMesh mesh = rv_test_mesh_def();
  const char* const parms[] = {"rate", "1e-5", NULL};
  mesh.parms = parms;
  CHECK_OK(rv_sim_create(&def, &sim, &error), error);
  CHECK_OK(rv_sim_set_number(sim, "particlesep", 0, rv_test_unit, &error), error);
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
  CHECK_OK(rv_test_sim(&def, &sim, &error), error);
  CHECK_OK(rv_sim_set_text(sim, "liquidmode", "cached", &error), error);
  CHECK_OK(rv_sim_start(sim, &error), error);
  for (int i = 0; i < 3; ++i) {
    RvSimLiquid liquid = rv_test_liquid_def();
    liquid.point_count = (size_t)(PARTICLES - 70 * i);
    CHECK_OK(rv_sim_set_liquid(sim, "liquid", &liquid, &error), error);
    CHECK_OK(rv_test_sim_next(sim, &error), error);
  }
  assert_true(rv_sim_stats(sim)->ledger.film > 0);
  // once an input and frame: what is not known is not asked for again between the frames
  assert_int_equal(asked, 3 * 4);
  rv_sim_free(sim);
}

RV_TESTS(cmocka_unit_test(definitions_that_were_not_filled_are_refused), cmocka_unit_test(wrong_arrays_are_refused),
         cmocka_unit_test(wrong_names_are_refused), cmocka_unit_test(arrays_come_back),
         cmocka_unit_test(every_kind_runs), cmocka_unit_test(attributes_change_with_the_frames),
         cmocka_unit_test(warnings_are_told_and_kept), cmocka_unit_test(cancelled_frames_are_done_again),
         cmocka_unit_test(saved_states_go_on_with_the_same_bits),
         cmocka_unit_test(a_callback_gives_the_bits_of_a_scene), cmocka_unit_test(sources_are_meshes_with_keys),
         cmocka_unit_test(cached_liquid_is_set_for_every_frame))
