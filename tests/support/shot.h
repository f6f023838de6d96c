// What holds for every solver: the same state for any number of workers, scrubbed, from files, and edits that win.
#ifndef RV_TEST_SHOT_H
#define RV_TEST_SHOT_H

#include "rivulet/scene.h"

enum { RV_TEST_SHOT_LAST = 16 };

// A scene whose solver is the node "s", and its frames up to `last` (5 or more); lists end with 0.
typedef struct RvTestShot {
  const char* text;
  int last;
  int workers[8], visits[8];                 // numbers of workers to try; frames in the order of a scrub
  float edit;                                // m by which an artist moves a point
  uint64_t straight[RV_TEST_SHOT_LAST + 1];  // hashes of the states, by rv_test_shot_run
} RvTestShot;

RvScene* rv_test_shot_open(const RvTestShot* shot);
// Set-up of the first test, whose state is the shot: frames 1 to last in order, each other than the one before.
int rv_test_shot_run(void** shot);
// Tests of cmocka whose state is the shot.
void rv_test_shot_workers(void** shot);
void rv_test_shot_scrub(void** shot);
void rv_test_shot_files(void** shot);
void rv_test_shot_edit(void** shot);

// The tests of a shot after its set-up: any number of threads, scrubbing, and from files.
#define RV_TEST_SHOT(shot, run)                                                       \
  cmocka_unit_test_prestate_setup_teardown(rv_test_shot_workers, run, NULL, &(shot)), \
      cmocka_unit_test_prestate(rv_test_shot_scrub, &(shot)), cmocka_unit_test_prestate(rv_test_shot_files, &(shot))

#endif
