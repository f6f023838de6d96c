// The lookdev solver's bits do not depend on the workers, on the instruction set, on how a frame was reached, nor on
// where its state has been.
#include "support/rv_test.h"
#include "support/shot.h"

// Coils on a ball that turns and nods, with a goal on the tips, hair volume, a solid, and water that falls on them:
// every stage has something to do.
static RvTestShot shot = {
    .text =
        "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
        "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
        "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 70, \"length\": 0.03, \"points\": 12,"
        "  \"style\": \"coiled\"}},"
        "\"g\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"targetweight\","
        "  \"mode\": \"ramp\", \"value\": [0.2, 0, 0, 0]}},"
        "\"turn\": {\"type\": \"transform\", \"inputs\": [\"g\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
        "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
        "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"
        "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.05, 0.02, 0.05], \"t\": [0, 0.06, 0],"
        "  \"particlesep\": 0.004, \"v\": [0, -1, 0]}},"
        "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\", \"w\", \"c\"], \"parms\": {\"inertiascale\": 0.7,"
        "  \"volumecell\": 0.004, \"rootfree\": 0.002, \"drying\": 1e-6}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.5f};

RV_TESTS(RV_TEST_SHOT(shot, rv_test_shot_run))
