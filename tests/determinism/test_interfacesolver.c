// The interface solver's bits do not depend on the workers, on the instruction set, on how a frame was reached, nor on
// where its state has been.
#include "support/rv_test.h"
#include "support/shot.h"

// A block of liquid falls onto a turning solid in a tank, and a tap adds to it: every stage has something to do.
static RvTestShot shot = {
    .text =
        "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
        "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.012, \"t\": [0.003, 0, 0]}},"
        "\"turn\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
        "\"c\": {\"type\": \"collider\", \"inputs\": [\"turn\"], \"parms\": {\"voxelsize\": 0.002, \"friction\": 0.3}},"
        "\"g\": {\"type\": \"grid\", \"parms\": {\"size\": [0.01, 0.01], \"t\": [0, 0.05, 0]}},"
        "\"tap\": {\"type\": \"source\", \"inputs\": [\"g\"], \"parms\": {\"mode\": \"emit\", \"rate\": 2e-5,"
        "  \"vel\": [0, -0.3, 0]}},"
        "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.02, 0.02, 0.02], \"t\": [0, 0.03, 0],"
        "  \"particlesep\": 0.002, \"v\": [0, -0.3, 0]}},"
        "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"w\", \"c\", \"tap\"], \"parms\": {\"walls\": true,"
        "  \"wallsmin\": [-0.03, -0.03, -0.03], \"wallsmax\": [0.03, 0.1, 0.03], \"killbox\": true,"
        "  \"killmin\": [-0.025, -1, -1], \"killmax\": [1, 1, 1]}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.001f};

// Two bubbles that meet, of which one pops: surfaces, film, and layers.
static RvTestShot bubbles = {
    .text =
        "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
        "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.012, 0.006, 0.006], \"particlesep\": 0.001}},"
        "\"one\": {\"type\": \"attribute\", \"inputs\": [\"w\"], \"parms\": {\"name\": \"bubbleid\","
        "  \"type\": \"int\", \"value\": [1, 0, 0, 0]}},"
        "\"two\": {\"type\": \"attribute\", \"inputs\": [\"one\"], \"parms\": {\"name\": \"bubbleid\","
        "  \"type\": \"int\", \"mode\": \"box\", \"boxmin\": [0, -1, -1], \"boxmax\": [1, 1, 1],"
        "  \"value\": [2, 0, 0, 0]}},"
        "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"two\"], \"parms\": {\"gravity\": [0, 0, 0],"
        "  \"density\": 100, \"layers\": 3,"
        "  \"popbubble\": {\"keys\": [[1, 0], [4, 2], [5, 0]], \"interp\": \"constant\"}}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.001f};

// A block of a second liquid, ten times as light, under a free body that falls into it.
static RvTestShot bodies = {
    .text =
        "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 5], \"nodes\": {"
        "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.016, 0.016, 0.016], \"particlesep\": 0.002}},"
        "\"p\": {\"type\": \"attribute\", \"inputs\": [\"w\"], \"parms\": {\"name\": \"phase\", \"type\": \"int\","
        "  \"mode\": \"box\", \"boxmin\": [-1, -1, -1], \"boxmax\": [1, 0, 1], \"value\": [1, 0, 0, 0]}},"
        "\"b\": {\"type\": \"attribute\", \"inputs\": [\"p\"], \"parms\": {\"name\": \"bodyid\", \"type\": \"int\","
        "  \"mode\": \"box\", \"boxmin\": [-0.004, 0.002, -0.004], \"boxmax\": [0.004, 0.009, 0.005],"
        "  \"value\": [3, 0, 0, 0]}},"
        "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"b\"], \"parms\": {\"density2\": 100,"
        "  \"viscosity2\": 0.01, \"viscosity\": 0.01, \"pairupdates\": true, \"walls\": true,"
        "  \"wallsmin\": [-0.01, -0.009, -0.01], \"wallsmax\": [0.01, 0.05, 0.01]}}}}",
    .last = 5,
    .workers = {1, 2, 3, 16},
    .visits = {5, 3, 4, 1, 5},
    .edit = 0.001f};

RV_TESTS(RV_TEST_SHOT(bodies, rv_test_shot_run), RV_TEST_SHOT(bubbles, rv_test_shot_run), RV_TEST_SHOT(shot, rv_test_shot_run))
