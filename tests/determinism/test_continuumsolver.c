// The continuum solver's bits do not depend on the workers, on the instruction set, on how a frame was reached, nor on
// where its state has been.
#include "support/rv_test.h"
#include "support/shot.h"

// Wet hair on a ball that turns, with a goal on the tips, pressure, friction and a solid: every stage has something to
// do.
static RvTestShot shot = {
    .text =
        "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
        "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
        "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 70, \"length\": 0.03, \"points\": 12,"
        "  \"style\": \"wavy\"}},"
        "\"g\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"targetweight\","
        "  \"mode\": \"ramp\", \"value\": [0.2, 0, 0, 0]}},"
        "\"w\": {\"type\": \"attribute\", \"inputs\": [\"g\"], \"parms\": {\"name\": \"waterload\","
        "  \"mode\": \"ramp\", \"value\": [0.5, 0, 0, 0]}},"
        "\"turn\": {\"type\": \"transform\", \"inputs\": [\"w\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
        "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
        "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"
        "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"turn\", \"c\"], \"parms\": {\"inertiascale\": 0.7,"
        "  \"smoothing\": 0.004, \"restdensity\": 0.1, \"rootfree\": 0.002, \"wind\": [1, 0, 0], \"turbulence\": "
        "0.5}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.5f};

// Hair on a ball that turns in gusts: solved air, which the state carries, with a solid in it; and the medium as
// particles whose density follows the flow.
#define HEAD(parms)                                                                                                 \
  "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"                                                    \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"                                                   \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 70, \"length\": 0.03, \"points\": 8," \
  "  \"style\": \"straight\"}},"                                                                                     \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"  \
  "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}}," \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"                  \
  "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"turn\", \"c\"], \"parms\": {\"rootfree\": 0.002,"          \
  "  \"hairsperguide\": 30, \"wind\": [1, 0, 0], \"turbulence\": 0.5, " parms "}}}}"

static RvTestShot air = {.text = HEAD("\"air\": \"solved\", \"airsize\": 0.008, \"airreach\": 2"),
                         .last = 5,
                         .workers = {1, 2, 3, 16},
                         .visits = {5, 3, 4, 1, 5}};
static RvTestShot particles = {.text = HEAD("\"interaction\": \"particles\", \"smoothing\": 0.003,"
                                            "  \"continuity\": true, \"restdensity\": 0.1, \"volumepressure\": 50"),
                               .last = 5,
                               .workers = {1, 2, 3, 16},
                               .visits = {5, 3, 4, 1, 5}};

// Hair so soft that explicit steps are few.
static RvTestShot runge_kutta = {.text = HEAD("\"integrator\": \"rk4\", \"youngs\": 3e3, \"shear\": 1e3, \"damping\": 0,"
                                           "  \"smoothing\": 0.004, \"restdensity\": 0.1"),
                              .last = 5,
                              .workers = {1, 2, 3, 16},
                              .visits = {5, 3, 4, 1, 5}};

RV_TESTS(RV_TEST_SHOT(shot, rv_test_shot_run), RV_TEST_SHOT(air, rv_test_shot_run),
         RV_TEST_SHOT(particles, rv_test_shot_run), RV_TEST_SHOT(runge_kutta, rv_test_shot_run))
