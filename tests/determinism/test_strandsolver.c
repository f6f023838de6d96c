// The strand solver's bits do not depend on the workers, on how a frame was reached, nor on where its state has been.
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/shot.h"

// strands of two counts, so that batches are not full; an animated head, which with the shoulder is one solid that
// changes its shape; a ball beside it that moves as one; wind, goals and a keyed speed of time
static const char scene_text[] =
    "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 6], \"metersperunit\": 0.01, \"nodes\": {"
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 10}},"
    "\"a\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 45, \"length\": 12, \"points\": 17,"
    "  \"style\": \"curly\", \"curlradius\": 0.6, \"curlpitch\": 3}},"
    "\"b\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 13, \"length\": 9, \"points\": 9,"
    "  \"seed\": 3}},"
    "\"all\": {\"type\": \"merge\", \"inputs\": [\"a\", \"b\"]},"
    "\"goal\": {\"type\": \"attribute\", \"inputs\": [\"all\"], \"parms\": {\"name\": \"targetweight\","
    "  \"value\": [0.02, 0, 0, 0]}},"
    "\"turn\": {\"type\": \"transform\", \"inputs\": [\"goal\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [8, 120]],"
    "  \"interp\": \"smooth\", \"extend\": \"hold\"}, \"t\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 2}}, 0, "
    "0]}},"
    "\"core\": {\"type\": \"sphere\", \"parms\": {\"radius\": 10, \"rows\": 7, \"cols\": 12}},"
    "\"head\": {\"type\": \"transform\", \"inputs\": [\"core\"], \"parms\": {"
    "  \"t\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 2}}, 0, 0]}},"
    "\"shoulder\": {\"type\": \"sphere\", \"parms\": {\"radius\": 7, \"rows\": 7, \"cols\": 12, \"t\": [0, -17, 0]}},"
    "\"skin\": {\"type\": \"merge\", \"inputs\": [\"head\", \"shoulder\"]},"
    "\"body\": {\"type\": \"collider\", \"inputs\": [\"skin\"], \"parms\": {\"voxelsize\": 3}},"
    "\"bob\": {\"type\": \"sphere\", \"parms\": {\"radius\": 3, \"rows\": 7, \"cols\": 12}},"
    "\"swing\": {\"type\": \"transform\", \"inputs\": [\"bob\"], \"parms\": {\"t\": [16, {\"keys\": [[1, 8], [10, "
    "-16]], "
    "\"interp\": \"smooth\"}, 0]}},"
    "\"other\": {\"type\": \"collider\", \"inputs\": [\"swing\"], \"parms\": {\"voxelsize\": 2}},"
    "\"solids\": {\"type\": \"merge\", \"inputs\": [\"body\", \"other\"]},"
    "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"solids\"], \"parms\": {\"hairradius\": 5e-5, "
    "\"strandcollisions\": true, \"inertiascale\": "
    "0.7,"
    "  \"wind\": [{\"wave\": {\"amplitude\": 2, \"frequency\": 3}}, 0, 1],"
    "  \"timescale\": {\"keys\": [[1, 1], [10, 0.6]], \"interp\": \"linear\"}}}}}";

static RvTestShot shot = {.text = scene_text, .last = 6, .workers = {1, 3, 16}, .visits = {6, 3, 1, 5}, .edit = 1};

static int run_straight(void** state) {
  rv_test_shot_run(state);
  // strands touch each other and the solids, or nothing would be shown of their memory
  RvError error = {0};
  const RvDetail* out;
  RvScene* scene = rv_test_shot_open(&shot);
  CHECK_OK(rv_scene_cook(scene, "s:state", shot.last, &out, &error), error);
  assert_non_null(rv_detail_find(out, RV_GLOBAL, "rv_links"));
  assert_non_null(rv_detail_find(out, RV_GLOBAL, "rv_touches"));
  rv_scene_free(scene);
  return 0;
}

RV_TESTS(RV_TEST_SHOT(shot, run_straight), cmocka_unit_test_prestate(rv_test_shot_edit, &shot))
