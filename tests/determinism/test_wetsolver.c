// The wet solver's bits do not depend on the workers, on how a frame was reached, nor on where its state has been; and
// without one of its parts it is the solver of the other.
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/scene_log.h"
#include "support/shot.h"

// damp fur on a ball that turns, hit by a falling block and a spray, with a drain below: capture, film, bridges, drag,
// drops, absorbed liquid and drying are all there
#define GROOM                                                                                                        \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"                                                    \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 60, \"length\": 0.03, \"points\": 12}}," \
  "\"d\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\","                      \
  "  \"value\": [0.0001, 0, 0, 0]}},"                                                                                \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"d\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"    \
  "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"   \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"
#define WATER                                                                                                   \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.05, 0.02, 0.05], \"t\": [0, 0.06, 0],"                  \
  "  \"particlesep\": 0.004, \"v\": [0, -1, 0]}},"                                                              \
  "\"spray\": {\"type\": \"source\", \"parms\": {\"rate\": 2e-5, \"vel\": [0, -1, 0], \"size\": [0.02, 0.004, " \
  "0.02], \"t\": [0.01, 0.1, 0]}},"

static RvTestShot shot = {
    .text = "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {" GROOM WATER
            "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", \"w\", \"c\", \"spray\"], \"parms\": {"
            "  \"walls\": true, \"wallsmin\": [-0.1, -0.07, -0.1], \"wallsmax\": [0.1, 0.3, 0.1], \"drying\": 1e-6, "
            "\"solids\": 0.1,"
            "  \"transverse\": true, \"cohesion\": {\"keys\": [[1, 1], [5, 2]]}}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.5f};

//---------------------------------------------------------------------------------------------- one part alone

static uint64_t hash_at(const char* nodes, double frame) {
  RvTestLog log;
  RvError error = {0};
  const RvDetail* state;
  RvScene* scene = rv_test_scene(nodes, &log);
  CHECK_OK(rv_scene_cook(scene, "s:3", frame, &state, &error), error);
  const RvNodeType* wet = rv_node_find("wetsolver");
  // by the table of all parts: what is not there does not count
  uint64_t hash = rv_node_state_hash(wet, state);
  rv_scene_free(scene);
  return hash;
}

static void without_liquid_it_is_the_strand_solver(void** state) {
  (void)state;
  // dry strands: without filmheight
  static const char dry[] =
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
      "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 60, \"length\": 0.03, \"points\": 12}},"
      "\"turn\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
      "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
      "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},";
  char a[3000], b[3000];
  snprintf(a, sizeof a, "%s\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", null, \"c\"]}", dry);
  snprintf(b, sizeof b,
           "%s\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"c\"], \"parms\": {\"strandcollisions\": "
           "true, \"niter\": 8, \"tolerance\": 1e-3}}",
           dry);
  assert_int_equal(hash_at(a, 5), hash_at(b, 5));
  assert_int_not_equal(hash_at(a, 5), hash_at(b, 4));
}

static void without_strands_it_is_the_liquid_solver(void** state) {
  (void)state;
  static const char wet[] = WATER
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [null, \"w\", null, \"spray\"], \"parms\": {\"walls\": true}}";
  static const char bulk[] = WATER
      "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"w\", null, \"spray\"], \"parms\": {\"walls\": true,"
      " \"substeps\": 4, \"tolerance\": 1e-5}}";
  assert_int_equal(hash_at(wet, 5), hash_at(bulk, 5));
  assert_int_not_equal(hash_at(wet, 5), hash_at(bulk, 4));
}

RV_TESTS(RV_TEST_SHOT(shot, rv_test_shot_run), cmocka_unit_test(without_liquid_it_is_the_strand_solver),
         cmocka_unit_test(without_strands_it_is_the_liquid_solver))
