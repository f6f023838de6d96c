// Check far: a scene 10 km from the origin simulates as at the origin, to a micrometre after 48 frames.
//
// Floats are 2^-10 m apart at 10 km. All input coordinates and the 10 km are multiples of that, so both scenes are
// equal in exact arithmetic, and any difference comes from the solver. The roots move along x and up, the wind blows,
// and a ball is in the way.
#include <math.h>

#include "check/list.h"
#include "rig/node.h"
#include "rivulet/vdb.h"

enum { STRANDS = 16, N = 24, LAST = 48, FLOATS_PER_METRE = 1024 };

typedef struct Place {
  double shift;  // along x, m
} Place;

// Nearest multiple of 2^-10.
static float to_grid_of_floats(double x) {
  return (float)(floor(x * FLOATS_PER_METRE + 0.5) / FLOATS_PER_METRE);
}

// Straight strands along x with small kinks, moved to where they are at `frame`.
static RvResult add_strands(const Place* w, double frame, RvDetail* d, RvError* error) {
  RvResult result = rv_detail_add_curves(d, STRANDS, N, NULL, NULL, error);
  float* P = result ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  for (int i = 0; P && i < STRANDS * N; ++i) {
    int s = i / N, k = i % N;
    double t = (frame - 1) / 24;
    double along = 0.1 * t;
    double up = 0.02 * t * t;
    P[3 * i] = (float)(w->shift + to_grid_of_floats(along) + k / 256.0);
    P[3 * i + 1] = to_grid_of_floats(up) + (float)(k * (s + k) % 5 % 3) / 1024;
    P[3 * i + 2] = (float)s / 64;
  }
  return P ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// A ball below the strands. Its level set is sampled 2.6 million voxels from its origin, which leaves 1e-12 m of noise.
// A round solid does not amplify it, as an edge would from which a strand falls to one side or the other.
static RvResult add_ball(const Place* w, RvDetail* d, RvError* error) {
  const float centre[3] = {(float)(w->shift + 0.0625), -0.0625f, 0.125f};
  const float radius = 0.046875f;
  RvGrid* distance = NULL;
  RvResult result = rv_grid_from_spheres("collision", 1.0 / 256, 4, 1, centre, &radius, &distance, error);
  if (!result) result = rv_detail_add_vdb(d, distance, error);
  if (distance) rv_grid_release(distance);
  return result;
}

// Input of the node: 0 strands, 1 collider.
static RvResult make(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  const Place* w = user;
  *out = NULL;
  if (index > 1) return RV_OK;
  RvDetail* d = rv_detail_new();
  RvResult result = d ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = index ? add_ball(w, d, error) : add_strands(w, frame, d, error);
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}

// Largest difference of positions after taking off the shift, and the largest fall, m.
static void compare(const RvDetail* near, const RvDetail* far, double shift, double* largest_difference, double* fall) {
  const double* a = rv_detail_f64(near, RV_POINT, "rv_x", 3);
  const double* oa = rv_detail_f64(near, RV_GLOBAL, "rv_origin", 3);
  const double* b = rv_detail_f64(far, RV_POINT, "rv_x", 3);
  const double* ob = rv_detail_f64(far, RV_GLOBAL, "rv_origin", 3);
  if (!a || !b || !oa || !ob) *largest_difference = INFINITY;
  for (size_t i = 0; isfinite(*largest_difference) && i < 3 * STRANDS * N; ++i) {
    double apart = a[i] - b[i] + (oa[i % 3] - (ob[i % 3] - (i % 3 == 0 ? shift : 0)));
    *largest_difference = fmax(*largest_difference, fabs(apart));
    if (i % 3 == 1) *fall = fmax(*fall, -a[i]);
  }
}

// Both scenes step by step; the difference is taken after every frame.
RvResult rv_check_far(const RvCheckOut* out, RvError* error) {
  static const char* const parms[] = {"restmode", "natural", "wind", "0.5 0 1", "strandcollisions", "1", NULL};
  const double shift = 10000;
  Place places[2] = {{0}, {shift}};
  RvNodeRig rig[2] = {0};
  RvResult result = RV_OK;
  double largest_difference = 0, fall = 0, contacts = 0;
  for (int k = 0; k < 2 && !result; ++k)
    result = rv_rig_node_open(&rig[k], &(RvNodeRigDef){"strandsolver", parms, 3, make, &places[k], true}, error);
  // Both go on by a frame, then they are compared.
  for (int frame = 2; frame <= LAST && !result; ++frame) {
    for (int k = 0; k < 2 && !result; ++k) {
      result = rv_rig_node_next(&rig[k], error);
      if (!result) result = rv_rig_node_step(&rig[k], error);
    }
    if (!result) compare(rig[0].state.part[0], rig[1].state.part[0], shift, &largest_difference, &fall);
    contacts = fmax(contacts, (double)rig[0].stats.contacts);
  }
  rv_rig_node_close(&rig[0]);
  rv_rig_node_close(&rig[1]);
  if (result) return result;
  rv_check_emit(out, "difference", largest_difference, 0, 1e-6);
  // The strands fell and met the ball, or nothing was compared.
  rv_check_emit(out, "fall_missing", fmax(0.03 - fall, 0), 0, 0);
  rv_check_emit(out, "contacts_missing", contacts > 0 ? 0 : 1, 0, 0);
  return RV_OK;
}
