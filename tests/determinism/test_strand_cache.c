// The strand model that a node keeps between frames changes no bit: frames with it are those of a node that forgets it
// before each frame, on a head that turns (so that the order of the roots changes), and after edits of everything that
// the model is made of.
#include <math.h>
#include <string.h>

#include "rig/node.h"
#include "support/cook.h"
#include "support/rv_test.h"

enum { LAST = 6, EDITED = 3 };

// The groom, turned by 40 degrees a frame and moved: RvNodeRigDef.make.
static RvResult make(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  (void)index;
  *out = rv_detail_copy(user);
  float* P = *out ? rv_detail_f32_write(*out, RV_POINT, "P", 3, error) : NULL;
  if (!P) return RV_NO_MEMORY;
  double angle = 0.7 * (frame - 1), c = cos(angle), s = sin(angle);
  for (size_t i = 0; i < rv_detail_count(*out, RV_POINT); ++i) {
    double x = P[3 * i], z = P[3 * i + 2];
    P[3 * i] = (float)(c * x + s * z + 0.01 * frame);
    P[3 * i + 2] = (float)(c * z - s * x);
  }
  return RV_OK;
}

// A film makes strands heavier, which the kept model must not remember.
static RvDetail* groom(void) {
  RvTestCook c = rv_test_cook("groom", "count=40; points=9; length=0.1; style=curly", 0, NULL);
  CHECK_OK(c.result, c.error);
  RvDetail* out = c.output[0];
  c.output[0] = NULL;
  float* film = rv_detail_f32_write(out, RV_POINT, "filmheight", 1, &c.error);
  float* stiffness = rv_detail_f32_write(out, RV_PRIM, "stiffness", 1, &c.error);
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) film[i] = 2e-5f;
  for (size_t i = 0; i < rv_detail_count(out, RV_PRIM); ++i) stiffness[i] = 1;
  rv_test_cook_free(&c);
  return out;
}

//---------------------------------------------------------------------------------------------- edits of a state

static void no_edit(RvNodeRig* r) {
  (void)r;
}

static void edit_place(RvNodeRig* r) {
  RvError error = {0};
  rv_detail_f32_write(r->state.part[0], RV_POINT, "P", 3, &error)[3 * 13] += 0.01f;
}

// Natural lengths of a strand: its mass and stiffness.
static void edit_natural_length(RvNodeRig* r) {
  RvError error = {0};
  double* length = rv_detail_f64_write(r->state.part[0], RV_POINT, "rv_naturallength", 1, &error);
  for (size_t i = 9; i < 18; ++i) length[i] *= 1.25;
}

// The rest shape of a strand: it curls more.
static void edit_curvature(RvNodeRig* r) {
  RvError error = {0};
  double* curvature = rv_detail_f64_write(r->state.part[0], RV_POINT, "rv_restcurvature", 4, &error);
  for (size_t i = 4 * 9; i < 4 * 18; ++i) curvature[i] *= 1.25;
}

static void edit_stiffness(RvNodeRig* r) {
  RvError error = {0};
  rv_detail_f32_write(r->state.part[0], RV_PRIM, "stiffness", 1, &error)[2] = 3;
}

static void edit_parameter(RvNodeRig* r) {
  RvError error = {0};
  CHECK_OK(rv_parms_set_text(r->values, "density", "2000", &error), error);
}

// A strand that is animated from now on: the others are numbered anew.
static void edit_simulated(RvNodeRig* r) {
  RvError error = {0};
  rv_detail_i32_write(r->state.part[0], RV_PRIM, "rv_simulated", 1, &error)[0] = 0;
}

//---------------------------------------------------------------------------------------------- the test

// Hashes of the frames with an edit of the state of frame EDITED; `keep` false: the cache is dropped before each frame.
static void run(const char* type, RvDetail* hair, bool keep, void (*edit)(RvNodeRig*), uint64_t hashes[LAST + 1]) {
  RvError error = {0};
  const char* const parms[] = {"substeps", "3", NULL};
  RvNodeRig r;
  CHECK_OK(rv_rig_node_open(&r, &(RvNodeRigDef){type, parms, 1, make, hair, false}, &error), error);
  for (int frame = 2; frame <= LAST; ++frame) {
    if (frame == EDITED + 1) edit(&r);
    if (!keep) {
      r.cook.type->free_cache(r.cache);
      r.cache = NULL;
    }
    CHECK_OK(rv_rig_node_next(&r, &error), error);
    CHECK_OK(rv_rig_node_step(&r, &error), error);
    hashes[frame] = rv_state_hash(&r.state, r.cook.type->fields, r.cook.type->nfield);
    // something is kept at all
    assert_non_null(r.cache);
  }
  rv_rig_node_close(&r);
}

static void same_bits_with_and_without(void** state) {
  (void)state;
  const struct {
    const char* name;
    void (*edit)(RvNodeRig*);
  } edits[] = {{"none", no_edit},
               {"P", edit_place},
               {"rv_naturallength", edit_natural_length},
               {"rv_restcurvature", edit_curvature},
               {"stiffness", edit_stiffness},
               {"density", edit_parameter},
               {"rv_simulated", edit_simulated}};
  const char* const types[] = {"strandsolver", "wetsolver"};
  RvDetail* hair = groom();
  for (size_t t = 0; t < 2; ++t) {
    uint64_t kept[LAST + 1], forgotten[LAST + 1], unedited[LAST + 1] = {0};
    for (size_t e = 0; e < sizeof edits / sizeof *edits; ++e) {
      run(types[t], hair, true, edits[e].edit, kept);
      run(types[t], hair, false, edits[e].edit, forgotten);
      for (int frame = 2; frame <= LAST; ++frame)
        if (kept[frame] != forgotten[frame])
          fail_msg("%s, edit of %s: frame %d differs", types[t], edits[e].name, frame);
      if (!e) memcpy(unedited, kept, sizeof kept);
      // the edit is seen
      if (e && kept[LAST] == unedited[LAST]) fail_msg("%s: the edit of %s has no effect", types[t], edits[e].name);
    }
  }
  rv_detail_free(hair);
}

RV_TESTS(cmocka_unit_test(same_bits_with_and_without))
