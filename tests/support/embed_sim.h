// A small wet simulation from arrays for tests of embedding: hair that hangs into water, and a box that moves beside
// it.
#ifndef RV_TEST_EMBED_SIM_H
#define RV_TEST_EMBED_SIM_H

#include "rivulet/rivulet.h"

enum { HAIRS = 9, POINTS = 6, SIDE = 6, PARTICLES = SIDE * SIDE * SIDE, CORNERS = 8, TRIANGLES = 12 };

extern const float rv_test_unit;  // m, spacing of the particles
// Each thread has its own; rv_test_arrays makes them as they should be.
extern _Thread_local float rv_test_sim_hair[HAIRS * POINTS][3], rv_test_box[CORNERS][3];
extern _Thread_local int32_t rv_test_counts[HAIRS], rv_test_triangles[TRIANGLES][3];
void rv_test_arrays(void);

RvSimStrands rv_test_strands_def(void);
RvSimLiquid rv_test_liquid_def(void);
RvSimMesh rv_test_mesh_def(void);

// A simulation with all three on its inputs.
RvResult rv_test_sim(const RvSimDef* def, RvSim** out, RvError* error);
// The next frame, to which the box and the roots move; and several.
RvResult rv_test_sim_next(RvSim* sim, RvError* error);
RvResult rv_test_sim_run(RvSim* sim, int frames, RvError* error);
// The hash of a new one after five frames; 0 on failure.
uint64_t rv_test_sim_hash(void);

#endif
