// The liquid solver's bits do not depend on the workers, on how a frame was reached, nor on where its state has been.
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/shot.h"

// a block that falls and splashes in a tank, in centimetres and at a keyed speed of time, with sizes that are split,
// onto a ball that turns and one that grows, under a spray, with a drain
// `liquid`: the node that feeds the solver, "block" or "mud" (the block as mud); `spray`, `more`: further parameters of
// the source and of the solver
#define SCENE(more) SCENE_OF("block", "", more)
#define SCENE_OF(liquid, spray, more)                                                                                  \
  "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"metersperunit\": 0.01, \"nodes\": {"                            \
  "\"block\": {\"type\": \"fill\", \"parms\": {\"size\": [13, 17, 11], \"t\": [3, 1, 0], \"particlesep\": 1,"          \
  "  \"jitter\": 0.5, \"v\": [100, -150, 30]}},"                                                                       \
  "\"mud\": {\"type\": \"material\", \"inputs\": [\"block\"], \"parms\": {\"kind\": \"liquid\", \"liquid\": "          \
  "\"mud\"}},"                                                                                                         \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 4}},"                                                         \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"t\": [5, -8, 0],"                            \
  "  \"rz\": {\"keys\": [[1, 0], [5, 200]]}, \"tx\": {\"keys\": [[1, 9], [5, 0]]}}},"                                  \
  "\"grow\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"t\": [-8, -9, 0],"                           \
  "  \"scale\": {\"keys\": [[1, 0.7], [5, 1.3]]}}},"                                                                   \
  "\"one\": {\"type\": \"collider\", \"inputs\": [\"turn\"], \"parms\": {\"voxelsize\": 1.5}},"                        \
  "\"both\": {\"type\": \"merge\", \"inputs\": [\"one\", \"grow\"]},"                                                  \
  "\"spray\": {\"type\": \"source\", \"parms\": {" spray                                                               \
  "\"rate\": 0.002, \"vel\": [1, -2, 0], \"spread\": 30, \"size\": [5, "                                               \
  "1, 5],"                                                                                                             \
  "  \"t\": [0, 20, 0], \"sourceid\": 2}},"                                                                            \
  "\"drain\": {\"type\": \"source\", \"parms\": {\"mode\": \"sink\", \"shape\": \"box\", \"size\": [5, 4, 5], \"t\": " \
  "[17, -9, 0],"                                                                                                       \
  "  \"sourceid\": 3}},"                                                                                               \
  "\"flows\": {\"type\": \"merge\", \"inputs\": [\"spray\", \"drain\"]},"                                              \
  "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"" liquid                                                         \
  "\", \"both\", \"flows\"], \"parms\": {\"walls\": true, "                                                            \
  "\"particlesep\": 0.9," more                                                                                         \
  "  \"wallsmin\": [-20, -10, -10], \"wallsmax\": [20, 30, 10],"                                                       \
  "  \"gravity\": [{\"wave\": {\"amplitude\": 4, \"frequency\": 3}}, -9.81, 0],"                                       \
  "  \"timescale\": {\"keys\": [[1, 1], [5, 0.6]], \"interp\": \"linear\"}}}}}"

// the same as water, as a liquid that yields and thins, whose particles carry a strain, as mud under a spray of oil,
// each with its own density and tension, and as one whose drops of up to 55 cm3 stick to the balls, run and leave beads
static const char water_text[] = SCENE("");
static const char cream_text[] =
    SCENE("\"viscosity\": 3, \"yieldstress\": 30, \"shearmodulus\": 500, \"flowindex\": 0.6,");
static const char two_text[] = SCENE_OF("mud", "\"material\": \"siliconeoil\",", "\"surfacetension\": 0.05,");
static const char drops_text[] = SCENE("\"droptension\": 2, \"dropviscosity\": 0.5,");

#define SHOT_OF(scene) \
  { .text = (scene), .last = 5, .workers = {1, 2, 16}, .visits = {5, 3, 4, 1, 5}, .edit = 0.5f }
static RvTestShot shot = SHOT_OF(water_text);
static RvTestShot cream = SHOT_OF(cream_text);
static RvTestShot two = SHOT_OF(two_text);
static RvTestShot drops = SHOT_OF(drops_text);

RV_TESTS(RV_TEST_SHOT(shot, rv_test_shot_run), cmocka_unit_test_prestate(rv_test_shot_edit, &shot),
         RV_TEST_SHOT(cream, rv_test_shot_run), RV_TEST_SHOT(two, rv_test_shot_run),
         RV_TEST_SHOT(drops, rv_test_shot_run))
