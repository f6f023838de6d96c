// Checks of hair as a continuum against solids, as the node that ships: nothing passes, and slip decays.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "continuum/solver.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"
#include "rivulet/vdb.h"

// A scene of hair that hangs from y = 0, and a solid that is moved into it at 5 m/s.
typedef struct Crash {
  const char* name;
  const char* solid;  // nodes up to "body", a collider
  const char* hair;   // motion of the hair, parameters of transform
  double stop;        // frame at which the solid stops
  // Whether a point has passed the solid, which has moved by `way` m.
  bool (*passed)(RvVec3 x, double way, const RvGrid* distance);
} Crash;

static const double SPEED = 5;    // m/s
static const double DEEP = 1e-4;  // m: less is the rounding of a level set at curved places between its voxels
enum { STRANDS = 2500, FEWER = 1000, POINTS = 12, LAST = 6 };

static double way_at(const Crash* c, double frame) {
  return SPEED * (fmin(frame, c->stop) - 1) / 24;
}

static bool in_solid(RvVec3 x, double way, const RvGrid* distance) {
  (void)way;
  RvError error;
  const double at[3] = {x.x, x.y, x.z};
  float d = 0;
  return distance && !rv_grid_sample(distance, 1, at, &d, &error) && d < -DEEP;
}

// Hair that was moved towards a still sheet at x = 0.
static bool beyond_sheet(RvVec3 x, double way, const RvGrid* distance) {
  (void)way;
  (void)distance;
  return x.x > 1e-3;
}

// Hair leans towards a sheet that began at x = -0.45167 m.
static bool behind_sheet(RvVec3 x, double way, const RvGrid* distance) {
  (void)distance;
  return x.x < -0.4516667 + way - 1e-3;
}

static const Crash crashes[] = {
    {"sphere",
     "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.04, \"rows\": 41, \"cols\": 60}},"
     "\"move\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"ty\": -0.1, \"tx\": {\"keys\": [[1, "
     "-0.4], [4, 0.225]]}}},"
     "\"body\": {\"type\": \"collider\", \"inputs\": [\"move\"], \"parms\": {\"voxelsize\": 0.004}},",
     "", 4, in_solid},
    {"sheet",
     "\"flat\": {\"type\": \"grid\", \"parms\": {\"orient\": \"yz\", \"size\": [0.45, 0.45]}},"
     "\"move\": {\"type\": \"transform\", \"inputs\": [\"flat\"], \"parms\": {\"tx\": {\"keys\": [[1, -0.4516667],"
     "  [3, -0.035]], \"extend\": \"hold\"}}},"
     "\"body\": {\"type\": \"collider\", \"inputs\": [\"move\"], \"parms\": {\"thickness\": 0.002, \"voxelsize\": "
     "0.001}},",
     ", \"rz\": -40", 3, behind_sheet},
    {"thrown_at_sheet",
     "\"flat\": {\"type\": \"grid\", \"parms\": {\"orient\": \"yz\", \"size\": [0.45, 0.45]}},"
     "\"body\": {\"type\": \"collider\", \"inputs\": [\"flat\"], \"parms\": {\"thickness\": 0.002, \"voxelsize\": "
     "0.001}},",
     ", \"tx\": {\"keys\": [[1, -0.45], [3, -0.0333333]], \"extend\": \"hold\"}", 0, beyond_sheet},
    {"shoulder",
     "\"person\": {\"type\": \"bust\", \"parms\": {\"divisions\": 32}},"
     "\"move\": {\"type\": \"transform\", \"inputs\": [\"person\"], \"parms\": {\"tx\": 0.14, \"ty\": {\"keys\": [[1, "
     "-0.5], [3, -0.0833333]], \"extend\": \"hold\"}}},"
     "\"body\": {\"type\": \"collider\", \"inputs\": [\"move\"], \"parms\": {\"voxelsize\": 0.006}},",
     "", 3, in_solid}};

static RvResult crash(const Crash* c, int cfl, double* passed, RvError* error) {
  char nodes[3000];
  snprintf(
      nodes, sizeof nodes,
      "%s"
      "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": %d, \"size\": 0.06, \"length\": 0.15, \"points\": %d,"
      "  \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0}},"
      "\"hang\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rx\": 180%s}},"
      "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"hang\", \"body\"], \"parms\": {\"cfl\": %d,"
      "  \"rootfree\": 0.005}}",
      c->solid, cfl == 1 ? STRANDS : FEWER, POINTS, c->hair, cfl);
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  *passed = 0;
  for (int frame = 2; frame <= LAST && !result; ++frame) {
    RvDetail *now = NULL, *body = NULL;
    result = rv_rig_scene_cook(&rig, "s", frame, &now, error);
    if (!result) result = rv_rig_scene_cook(&rig, "body", frame, &body, error);
    const float* P = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
    const RvGrid* distance = result ? NULL : rv_detail_find_vdb(body, "collision");
    for (size_t i = 0; P && i < rv_detail_count(now, RV_POINT); ++i)
      *passed += c->passed(rv_vec3_load(P + 3 * i), way_at(c, frame), distance);
    rv_detail_free(now);
    rv_detail_free(body);
  }
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_continuum_solids(const RvCheckOut* out, RvError* error) {
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof crashes / sizeof *crashes && !result; ++k)
    for (int cfl = 1; cfl <= 2 && !result; ++cfl) {
      char name[64];
      double passed;
      result = crash(&crashes[k], cfl, &passed, error);
      snprintf(name, sizeof name, "%s_cfl_%d", crashes[k].name, cfl);
      if (!result) rv_check_emit(out, name, passed, 0, 0);
    }
  return result;
}

//---------------------------------------------------------------------------------------------- slip

// Angular momentum of the first strand about its root and the vertical.
static double turning(const RvContinuum* c) {
  const RvChainBatch* b = &c->model->batches[0];
  double sum = 0;
  for (int i = 0; i < b->links; ++i) {
    size_t at = rv_chain_vertex(b, 0, i, 3, 0);
    RvVec3 x0 = rv_strand_vector(c->state->x, at), x1 = rv_strand_vector(c->state->x, at + 3 * RV_LANES);
    RvVec3 v0 = rv_strand_vector(c->state->v, at), v1 = rv_strand_vector(c->state->v, at + 3 * RV_LANES);
    // Simpson's rule, exact for a rod
    RvVec3 middle = rv_cross(rv_lerp(x0, x1, 0.5), rv_lerp(v0, v1, 0.5));
    double mean = (rv_cross(x0, v0).y + 4 * middle.y + rv_cross(x1, v1).y) / 6;
    sum += c->model->mass[rv_chain_link(b, 0, i, 1, 0)] * mean;
  }
  return sum;
}

// A limp strand of length L that lies on a plane and turns about its root: slip takes its spin w by I w' = -K_f L^2 / 3
// w, with the moment of inertia m L^2 / 3, so that w decays as exp(-K_f t / m).
static RvResult turn_on_plane(int links, double dt, double seconds, double slip, double* left, RvError* error) {
  enum { MOST = 64 };
  const double length = 0.1, radius = 40e-6, start = 2;
  double x[3 * (MOST + 1)], radii[MOST + 1];
  for (int i = 0; i <= links; ++i) {
    rv_vec3_store64(x + 3 * i, rv_vec3(length * i / links, 0, 0));
    radii[i] = radius;
  }
  // Stiff, so that it stays straight; hinged at its root.
  RvStrandDef def = {.vertices = links + 1,
                     .x = x,
                     .radius = radii,
                     .density = 1320,
                     .youngs = 3e9,
                     .shear = 1e9,
                     .ellipse = 1,
                     .multiple = 1};
  RvContinuum c = {0};
  RvChainModel* model = NULL;
  RvChainState* state = NULL;
  RvResult result = rv_chain_model_new(&def, 1, &model, error);
  if (!result) result = rv_chain_state_new(model, &def, &state, error);
  if (result) {
    rv_chain_model_free(model);
    return result;
  }
  for (int k = 0; k < 3 * RV_LANES; ++k) model->stiffness[k] = 0;
  for (int i = 0; i < links; ++i)
    for (int lane = 0; lane < RV_LANES; ++lane) state->spin[rv_chain_link(&model->batches[0], lane, i, 3, 1)] = start;
  rv_chain_place(model, state);
  const double whole = turning(&(RvContinuum){.model = model, .state = state});
  const RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = rv_quat_identity()};
  result = rv_continuum_init(&c, model, state, true, error);
  if (!result) result = rv_chain_solids_init(&c.solids, model, error);
  c.gravity[1] = -9.81;
  c.solids.colliders = &plane;
  c.solids.count = 1;
  c.solids.slip = slip;
  c.solids.layer = 1e-3;
  for (int k = 0; k < (int)(seconds / dt + 0.5) && !result; ++k) {
    rv_chain_solids_begin(&c.solids, c.model, c.state);
    result = rv_continuum_substep(&c, dt, error);
  }
  if (!result) *left = turning(&c) / whole;
  rv_continuum_free(&c);
  return result;
}

RvResult rv_check_continuum_slip(const RvCheckOut* out, RvError* error) {
  const double radius = 40e-6, length = 0.1, seconds = 0.2;
  const double mass = 1320 * RV_PI * radius * radius * length, slip = 5 * mass / length;  // K_f / m is 5 1/s
  RvResult result = RV_OK;
  static const struct {
    const char* name;
    int links;
    double dt;
  } cases[] = {{"links_10", 10, 1e-3}, {"links_30", 30, 1e-3}, {"step_2_ms", 30, 2e-3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    double left = 0;
    result = turn_on_plane(cases[k].links, cases[k].dt, seconds, slip, &left, error);
    // -ln of what is left is K_f t / m
    if (!result) rv_check_emit(out, cases[k].name, -log(left) / seconds, 5, 0.1);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- a rim

// Limp level strands that fall on a sheet of 10 cm and drape over its rim.
typedef struct Drape {
  double thrown;  // m: highest point over the highest root, in all frames
  double hang;    // m: mean of the tips below the sheet at the end
} Drape;

static RvResult drape(int points, Drape* d, RvError* error) {
  enum { LAST_FRAME = 24 };
  const double highest_root = 0.06;  // m
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"flat\": {\"type\": \"grid\", \"parms\": {\"orient\": \"zx\", \"size\": [0.1, 0.1]}},"
           "\"body\": {\"type\": \"collider\", \"inputs\": [\"flat\"], \"parms\": {\"thickness\": 0.004,"
           "  \"voxelsize\": 0.002}},"
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 150, \"size\": 0.04, \"length\": 0.15,"
           "  \"points\": %d, \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0}},"
           "\"level\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": -90, \"ty\": 0.04,"
           "  \"tx\": -0.03}},"
           "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"level\", \"body\"], \"parms\": {\"restmode\":"
           "  \"natural\", \"stiffness\": 1e-3, \"rootfree\": 0.005}}",
           points);
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  *d = (Drape){0};
  for (int frame = 2; frame <= LAST_FRAME && !result; ++frame) {
    RvDetail* now = NULL;
    result = rv_rig_scene_cook(&rig, "s", frame, &now, error);
    const float* P = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
    const size_t count = P ? rv_detail_count(now, RV_POINT) : 0;
    d->hang = 0;
    for (size_t i = 0; i < count; ++i) {
      const bool tip = (i + 1) % (size_t)points == 0;
      d->thrown = fmax(d->thrown, P[3 * i + 1] - highest_root);
      if (tip) d->hang -= P[3 * i + 1] * points / (double)count;
    }
    rv_detail_free(now);
  }
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_continuum_rim(const RvCheckOut* out, RvError* error) {
  Drape coarse, fine;
  RvResult result = drape(12, &coarse, error);
  if (!result) result = drape(24, &fine, error);
  if (result) return result;
  rv_check_emit(out, "thrown_12", coarse.thrown, 0, 0.02);
  rv_check_emit(out, "thrown_24", fine.thrown, 0, 0.02);
  rv_check_emit(out, "drapes_12", coarse.hang > 0.02, 1, 0);
  rv_check_emit(out, "drapes_24", fine.hang > 0.02, 1, 0);
  return RV_OK;
}
