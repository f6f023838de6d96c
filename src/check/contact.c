// Checks of dry contact in motion: Coulomb's law on an incline (incline, WH-12), and fast solids (head, WH-4).
#include <math.h>

#include "check/list.h"
#include "contact/collider.h"
#include "contact/pair.h"
#include "rig/contact.h"
#include "rig/scene.h"
#include "rivulet/vdb.h"

#define DT (1.0 / 96)      // s, four substeps a frame
#define HAIR_RADIUS 40e-6  // m
#define FRICTION 0.3       // coefficient of all solids here
#define GRAVITY 9.81       // m/s2

//---------------------------------------------------------------------------------------------- incline

// A strand along x, just above the plane.
static RvVec3 lying(void* user, size_t strand, int vertex) {
  (void)user;
  (void)strand;
  return rv_vec3(0.004 * (vertex - 4), 1.55 * HAIR_RADIUS, 0);
}

// Gravity is turned by an angle of that tangent about x or z, so that the strand slides across or along itself. Gives
// the path and the mean acceleration of its middle vertex in the second half of the time.
static RvResult slide(double tangent, bool across, double seconds, double* path, double* acceleration, RvError* error) {
  double cosine = 1 / sqrt(1 + tangent * tangent), g = GRAVITY * tangent * cosine;
  RvContactRigDef hair = rv_rig_contact_hair(1, 9, lying, NULL);
  hair.gravity = across ? rv_vec3(0, -GRAVITY * cosine, g) : rv_vec3(g, -GRAVITY * cosine, 0);
  RvContactRig rig;
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  // The plane y = 0.
  RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = FRICTION};
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats;
  RvStrandStats solved;
  def.colliders = &plane;
  def.ncollider = 1;
  // Position and velocity at half time, then their change until the end.
  int steps = (int)(seconds / DT);
  RvVec3 x = {0}, v = {0};
  for (int k = 0; k < steps && !result; ++k) {
    result = rv_rig_contact_step(&rig, &def, DT, 1e-7, &stats, &solved, error);
    if (k == steps / 2) {
      x = rv_rig_contact_get(&rig, rig.state->q, 0, 4);
      v = rv_rig_contact_get(&rig, rig.state->v, 0, 4);
    }
  }
  if (!result) {
    x = rv_sub(rv_rig_contact_get(&rig, rig.state->q, 0, 4), x);
    v = rv_sub(rv_rig_contact_get(&rig, rig.state->v, 0, 4), v);
    *path = across ? x.z : x.x;
    *acceleration = (across ? v.z : v.x) / (DT * (steps - 1 - steps / 2));
  }
  rv_rig_contact_free(&rig);
  return result;
}

// Angles below and above the friction angle, along the strand and across.
RvResult rv_check_incline(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    double tangent;
    bool across;
  } cases[] = {{"sticks_at_0.1", 0.1, false},   {"sticks_at_0.28", 0.28, false}, {"sticks_across_at_0.28", 0.28, true},
               {"slides_at_0.33", 0.33, false}, {"slides_at_0.6", 0.6, false},   {"slides_across_at_0.6", 0.6, true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double path, acceleration;
    double t = cases[k].tangent;
    double slides = t > FRICTION;
    RvResult result = slide(t, cases[k].across, slides ? 0.5 : 1, &path, &acceleration, error);
    if (result) return result;
    // In half a second it creeps by less than the slip at which friction is fully mobilised, 0.1 d0.
    if (!slides) rv_check_emit(out, cases[k].name, path / HAIR_RADIUS, 0, 0.15);
    // The normal force is that of the start of each step, which settles with the strand: 1%.
    if (slides) rv_check_emit(out, cases[k].name, acceleration / (GRAVITY * (t - FRICTION) / sqrt(1 + t * t)), 1, 0.01);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- moving head

static const double BALL_SPEED = 3;    // m/s: 31 mm a step, less than the ball's radius
static const double SWEPT_SPEED = 15;  // m/s: 156 mm a step, more than its diameter

// Upright strands in the path of the ball, not at its centre.
static RvVec3 upright(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.07, 0.005 * (vertex - 6.2), 0.011 * (double)strand + 0.001);
}

typedef struct Hit {
  double deepest;  // penetration of a vertex at the end of any step, m
  double chord;    // penetration of the straight path of a vertex relative to the ball, m
  double passed;   // vertices that passed through the ball
  double touches;  // most contacts in a step
} Hit;

// Penetration of the straight path between two positions relative to the centre of a ball of radius 5 cm.
static double depth_of_path(RvVec3 from, RvVec3 to) {
  RvClosest near = rv_contact_closest_points(from, to, rv_vec3(0, 0, 0), rv_vec3(1e-9, 0, 0));
  return 0.05 - rv_length(near.delta);
}

// A ball of radius 5 cm hits three free strands. The ball is a sphere, or the level set of one; speed in m/s.
static RvResult ball(RvGrid* level_set, double speed, Hit* hit, RvError* error) {
  enum { STRANDS = 3, N = 13 };
  RvVec3 before[STRANDS][N];  // positions relative to the ball at the start of the step
  RvContactRig rig;
  RvContactRigDef hair = rv_rig_contact_hair(STRANDS, N, upright, NULL);
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  RvCollider solid = {.shape = level_set ? RV_COLLIDER_GRID : RV_COLLIDER_SPHERE,
                      .distance = level_set,
                      .radius = 0.05,
                      .orientation = {0, 0, 0, 1},
                      .linear = {speed, 0, 0},
                      .angular = {0, 4, 0},
                      .friction = FRICTION};
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats;
  RvStrandStats solved;
  def.colliders = &solid;
  def.ncollider = 1;
  *hit = (Hit){0};
  for (size_t k = 0; k < STRANDS; ++k)
    for (int i = 0; i < N; ++i) before[k][i] = rv_sub(rv_rig_contact_get(&rig, rig.state->q, k, i), solid.position);
  // Twelve steps: the ball passes the strands' place in the first or the second.
  for (int step = 0; step < 12 && !result; ++step) {
    result = rv_rig_contact_step(&rig, &def, DT, 1e-7, &stats, &solved, error);
    hit->touches = fmax(hit->touches, (double)stats.touches);
    RvPose end = rv_contact_collider_pose(&solid, DT);
    solid.position = end.position;
    solid.orientation = end.orientation;
    for (size_t k = 0; k < STRANDS; ++k)
      for (int i = 0; i < N; ++i) {
        RvVec3 x = rv_sub(rv_rig_contact_get(&rig, rig.state->q, k, i), solid.position);
        hit->deepest = fmax(hit->deepest, 0.05 - rv_length(x));
        hit->chord = fmax(hit->chord, depth_of_path(before[k][i], x));
        before[k][i] = x;
        // Within the ball's wake, and behind its centre.
        hit->passed += step == 11 && hypot(x.y, x.z) < 0.04 && x.x < 0;
      }
  }
  rv_rig_contact_free(&rig);
  return result;
}

// A head of radius 9 cm with straight hair of 20 cm is flipped about its neck, 90 degrees forward and back in 12
// frames; its crown reaches 4.5 m/s. Gives the deepest penetration of any vertex beyond the free length at the root
// (m), and the largest motion against the groom (m).
static RvResult flip(double* deepest, double* moved, RvError* error) {
  static const char nodes[] =
      "\"head\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.09, \"rows\": 33, \"cols\": 48}},"
      "\"hair\": {\"type\": \"groom\", \"inputs\": [\"head\"], \"parms\": {\"count\": 60, \"length\": 0.2,"
      "  \"points\": 21, \"style\": \"straight\"}},"
      "\"nod\": {\"type\": \"transform\", \"inputs\": [\"head\"], \"parms\": {\"p\": [0, -0.15, 0], \"rx\":"
      "  {\"keys\": [[1, 0], [7, -90], [13, 0]], \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
      "\"flip\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"p\": [0, -0.15, 0], \"rx\":"
      "  {\"keys\": [[1, 0], [7, -90], [13, 0]], \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
      "\"solid\": {\"type\": \"collider\", \"inputs\": [\"nod\"], \"parms\": {\"voxelsize\": 0.005}},"
      "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"flip\", \"solid\"], \"parms\": {\"rootfree\": 0.02}}";
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  *deepest = *moved = 0;
  for (int frame = 2; frame <= 16 && !result; ++frame) {
    RvDetail *out = NULL, *head = NULL, *in = NULL;
    result = rv_rig_scene_cook(&rig, "s", frame, &out, error);
    if (!result) result = rv_rig_scene_cook(&rig, "nod", frame, &head, error);
    if (!result) result = rv_rig_scene_cook(&rig, "flip", frame, &in, error);
    const float* p = result ? NULL : rv_detail_f32(out, RV_POINT, "P", 3);
    const float* h = result ? NULL : rv_detail_f32(head, RV_POINT, "P", 3);
    const float* q = result ? NULL : rv_detail_f32(in, RV_POINT, "P", 3);
    size_t n = result ? 0 : rv_detail_count(head, RV_POINT);
    // Centre of the head as the mean of its points.
    RvVec3 centre = {0};
    for (size_t i = 0; i < n; ++i) centre = rv_add(centre, rv_scale(rv_vec3_load(h + 3 * i), 1 / (double)n));
    for (size_t i = 0; !result && i < rv_detail_count(out, RV_POINT); ++i) {
      *moved = fmax(*moved, rv_distance(rv_vec3_load(p + 3 * i), rv_vec3_load(q + 3 * i)));
      // 21 points a strand; the first three are within the free length.
      if (i % 21 > 2) *deepest = fmax(*deepest, 0.09 - rv_distance(rv_vec3_load(p + 3 * i), centre));
    }
    rv_detail_free(out);
    rv_detail_free(head);
    rv_detail_free(in);
  }
  rv_rig_scene_close(&rig);
  return result;
}

// The ball as the level set of a sphere, with voxels of 4 mm.
static RvResult level_set_ball(double speed, Hit* hit, RvError* error) {
  const float centre[3] = {0, 0, 0}, radius = 0.05f;
  RvGrid* grid = NULL;
  RvResult result = rv_grid_from_spheres("surface", 0.004, 4, 1, centre, &radius, &grid, error);
  if (!result) result = ball(grid, speed, hit, error);
  if (grid) rv_grid_release(grid);
  return result;
}

// The ball at 15 m/s moves by three of its radii a step: at the end of the first it is behind the strands, and does not
// touch their places. Only the path of their vertices meets it.
static RvResult swept(const RvCheckOut* out, RvError* error) {
  static const char* const names[2][3] = {
      {"swept_ball_depth", "swept_ball_passed", "swept_ball_touches"},
      {"swept_level_set_depth", "swept_level_set_passed", "swept_level_set_touches"}};
  for (int k = 0; k < 2; ++k) {
    Hit hit;
    RvResult result = k ? level_set_ball(SWEPT_SPEED, &hit, error) : ball(NULL, SWEPT_SPEED, &hit, error);
    if (result) return result;
    // As at 3 m/s: the depth follows from the spacing of the vertices, not from the speed.
    rv_check_emit(out, names[k][0], hit.deepest, 0, k ? 0.75e-3 : 0.25e-3);
    rv_check_emit(out, names[k][1], hit.passed, 0, 0);
    rv_check_emit(out, names[k][2], hit.touches > 20, 1, 0);
  }
  return RV_OK;
}

// The ball, then the flipped head.
RvResult rv_check_head(const RvCheckOut* out, RvError* error) {
  double deepest = 0, moved = 0;
  Hit hit;
  RvResult result = ball(NULL, BALL_SPEED, &hit, error);
  if (result) return result;
  // A vertex collides with the tangent plane of its own path; its strand may pull it d = 5 mm along the ball: d^2 / 2
  // R.
  rv_check_emit(out, "ball_depth", hit.deepest, 0, 0.25e-3);
  // The chord of a vertex that slides 30 mm along the ball cuts 2 mm deep.
  rv_check_emit(out, "ball_chord", hit.chord, 0, 5e-3);
  rv_check_emit(out, "ball_passed", hit.passed, 0, 0);
  rv_check_emit(out, "ball_touches", hit.touches > 20, 1, 0);
  result = level_set_ball(BALL_SPEED, &hit, error);
  if (result) return result;
  // An eighth of a voxel more for the error of the level set.
  rv_check_emit(out, "level_set_depth", hit.deepest, 0, 0.75e-3);
  rv_check_emit(out, "level_set_chord", hit.chord, 0, 5e-3);
  rv_check_emit(out, "level_set_passed", hit.passed, 0, 0);
  rv_check_emit(out, "level_set_touches", hit.touches > 20, 1, 0);
  result = swept(out, error);
  if (!result) result = flip(&deepest, &moved, error);
  if (result) return result;
  // The mesh's chords lie R (1 - cos(pi / 32)) = 0.43 mm within the ball; the curvature within a step adds to it.
  rv_check_emit(out, "flip_depth", deepest, 0, 0.7e-3);
  rv_check_emit(out, "flip_moves", moved > 0.1, 1, 0);
  return RV_OK;
}
