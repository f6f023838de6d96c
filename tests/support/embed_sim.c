#include "support/embed_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const float rv_test_unit = 1.0f / 256;
_Thread_local float rv_test_sim_hair[HAIRS * POINTS][3], rv_test_box[CORNERS][3];
_Thread_local int32_t rv_test_counts[HAIRS], rv_test_triangles[TRIANGLES][3];
static _Thread_local float water[PARTICLES][3];
static _Thread_local double volumes[PARTICLES];
// corners by the bits of their number, x y z; clockwise seen from outside
static const int32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};

void rv_test_arrays(void) {
  for (int i = 0; i < HAIRS * POINTS; ++i) {
    rv_test_counts[i / POINTS] = POINTS;
    rv_test_sim_hair[i][0] = rv_test_unit * (float)(i / POINTS % 3 - 1);
    rv_test_sim_hair[i][1] = rv_test_unit * (float)(2 * (POINTS - i % POINTS));
    rv_test_sim_hair[i][2] = rv_test_unit * (float)(i / POINTS / 3 - 1);
  }
  for (int i = 0; i < PARTICLES; ++i) {
    water[i][0] = rv_test_unit * ((float)(i % SIDE) - 2.5f);
    water[i][1] = rv_test_unit * ((float)(i / SIDE % SIDE) + 0.5f);
    water[i][2] = rv_test_unit * ((float)(i / SIDE / SIDE) - 2.5f);
    volumes[i] = (double)rv_test_unit * rv_test_unit * rv_test_unit;
  }
  for (int i = 0; i < CORNERS; ++i) {
    rv_test_box[i][0] = rv_test_unit * (float)(4 + 4 * (i & 1));
    rv_test_box[i][1] = rv_test_unit * (float)(2 + 4 * (i >> 1 & 1));
    rv_test_box[i][2] = rv_test_unit * (float)(-2 + 4 * (i >> 2));
  }
  for (int i = 0; i < TRIANGLES; ++i) {
    const int32_t* quad = faces[i / 2];
    memcpy(rv_test_triangles[i], (int32_t[]){quad[0], quad[1 + i % 2], quad[2 + i % 2]}, sizeof rv_test_triangles[i]);
  }
}

RvSimStrands rv_test_strands_def(void) {
  RvSimStrands strands = rv_sim_strands_default();
  strands.strand_count = HAIRS;
  strands.point_counts = rv_test_counts;
  strands.point_count = HAIRS * POINTS;
  strands.positions = rv_test_sim_hair[0];
  return strands;
}

RvSimLiquid rv_test_liquid_def(void) {
  RvSimLiquid liquid = rv_sim_liquid_default();
  liquid.point_count = PARTICLES;
  liquid.positions = water[0];
  liquid.volumes = volumes;
  return liquid;
}

RvSimMesh rv_test_mesh_def(void) {
  static const char* const parms[] = {"voxelsize", "0.002", "friction", "0.5", NULL};
  RvSimMesh mesh = rv_sim_mesh_default();
  mesh.point_count = CORNERS;
  mesh.positions = rv_test_box[0];
  mesh.triangle_count = TRIANGLES;
  mesh.triangles = rv_test_triangles[0];
  mesh.parms = parms;
  return mesh;
}

// Hair that hangs into water, and a rv_test_box beside it.
RvResult rv_test_sim(const RvSimDef* def, RvSim** out, RvError* error) {
  rv_test_arrays();
  RvSimStrands strands = rv_test_strands_def();
  RvSimLiquid liquid = rv_test_liquid_def();
  RvSimMesh mesh = rv_test_mesh_def();
  RvResult result = rv_sim_create(def, out, error);
  if (!result) result = rv_sim_set_strands(*out, "strands", &strands, error);
  if (!result) result = rv_sim_set_liquid(*out, "liquid", &liquid, error);
  if (!result) result = rv_sim_add_mesh(*out, "colliders", &mesh, NULL, error);
  return result;
}

// The rv_test_box moves towards the rv_test_sim_hair and turns a little, the rv_test_sim_hair goes up; exact in floats but for
// the turn.
static void place(double frame, float points[CORNERS][3], float strands[HAIRS * POINTS][3]) {
  double turn = 0.05 * (frame - 1);
  rv_test_arrays();
  for (int i = 0; i < CORNERS; ++i) {
    double x = rv_test_box[i][0], z = rv_test_box[i][2];
    points[i][0] = (float)(x * cos(turn) - z * sin(turn) - rv_test_unit * 0.5 * (frame - 1));
    points[i][1] = rv_test_box[i][1];
    points[i][2] = (float)(x * sin(turn) + z * cos(turn));
  }
  memcpy(strands, rv_test_sim_hair, sizeof rv_test_sim_hair);
  for (int i = 0; i < HAIRS * POINTS; ++i) strands[i][1] += (float)(rv_test_unit * 0.5 * (frame - 1));
}

RvResult rv_test_sim_next(RvSim* sim, RvError* error) {
  float points[CORNERS][3], strands[HAIRS * POINTS][3];
  place(rv_sim_frame(sim) + 1, points, strands);
  RvResult result = rv_sim_set_points(sim, "colliders", points[0], CORNERS, error);
  if (!result) result = rv_sim_set_points(sim, "strands", strands[0], HAIRS * POINTS, error);
  return result ? result : rv_sim_advance(sim, 1, error);
}

RvResult rv_test_sim_run(RvSim* sim, int frames, RvError* error) {
  RvResult result = RV_OK;
  for (int i = 0; i < frames && !result; ++i) result = rv_test_sim_next(sim, error);
  return result;
}

uint64_t rv_test_sim_hash(void) {
  RvError error = {0};
  RvSimDef def = rv_sim_def_default();
  RvSim* sim = NULL;
  RvResult result = rv_test_sim(&def, &sim, &error);
  if (!result) result = rv_sim_start(sim, &error);
  if (!result) result = rv_test_sim_run(sim, 5, &error);
  uint64_t hash = result ? 0 : rv_sim_hash(sim);
  if (result) fprintf(stderr, "%s\n", error.text);
  rv_sim_free(sim);
  return hash;
}
