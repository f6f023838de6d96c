// Check roller: bristles on a roller at 300 rpm, 75 degrees a frame (WH-4). Linear interpolation between frames would
// cut the radius by a fifth; at every substep the roots must be on their circle within 0.1%. With bristles all around,
// the centre of all points is fixed; with bristles on one side it rotates as well. The input is sampled at every
// substep, or given at whole frames only, as files are.
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "node/solver/sampler.h"
#include "rig/node.h"

enum { COUNT = 24, N = 8, FRAMES = 12, SAMPLES = 32 };  // bristles; points of each; frames; samples of a frame
#define RADIUS 0.03                                     // of the roller, m
#define TURN (75 * RV_PI / 180)                         // rad a frame

// Input of the node: bristles spread over the angle that `user` points to, rotated to where they are at `frame`.
static RvResult bristles(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  const double* around = user;
  *out = NULL;
  if (index > 0) return RV_OK;
  RvDetail* d = rv_detail_new();
  RvResult result = d ? rv_detail_add_curves(d, COUNT, N, NULL, NULL, error) : RV_NO_MEMORY;
  float* P = result ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  if (!P) {
    rv_detail_free(d);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  for (int i = 0; i < COUNT * N; ++i) {
    double along = RADIUS + 0.02 * (i % N) / (N - 1), a = TURN * (frame - 1) + *around * (i / N) / COUNT;
    P[3 * i] = (float)(along * rv_cos(a));
    P[3 * i + 1] = (float)(along * rv_sin(a));
    P[3 * i + 2] = 0.01f * (float)(i / N % 5);
  }
  *out = d;
  return RV_OK;
}

// Updates the largest errors of radius (relative) and angle (rad) of a root.
static void compare(const double* p, int point, double frame, double around, double* radius, double* angle) {
  double x = p[0];
  double y = p[1];
  double a = TURN * (frame - 1) + around * (point / N) / COUNT;
  double c = rv_cos(a);
  double s = rv_sin(a);
  *radius = fmax(*radius, fabs(hypot(x, y) / RADIUS - 1));
  *angle = fmax(*angle, fabs(rv_atan2(c * y - s * x, c * x + s * y)));
}

// One frame: the sampled roots at 32 fractions of it, and the roots of its result.
static RvResult run_frame(RvNodeRig* r, double around, double* radius, double* angle, RvError* error) {
  RvPointSampler sampler;
  RvResult result = rv_rig_node_next(r, error);
  if (result) return result;
  double number = r->cook.time.frame;
  result = rv_sampler_begin(&sampler, &r->cook, 0, r->state.part[0], error);
  for (int k = 1; k <= SAMPLES && !result; ++k) {
    double at[3];
    RvStrandSample in;
    result = rv_sampler_at(&sampler, (double)k / SAMPLES, &in, error);
    for (int i = 0; i < COUNT * N && !result; i += N) {
      rv_strand_sample_point(&in, (size_t)i, at);
      compare(at, i, number - 1 + (double)k / SAMPLES, around, radius, angle);
    }
  }
  rv_sampler_end(&sampler);
  if (!result) result = rv_rig_node_step(r, error);
  const float* P = result ? NULL : rv_detail_f32(r->state.part[0], RV_POINT, "P", 3);
  for (int i = 0; P && i < COUNT * N; i += N)
    compare((const double[3]){P[3 * i], P[3 * i + 1], P[3 * i + 2]}, i, number, around, radius, angle);
  return result;
}

// Four cases, by the sampler and the solver.
RvResult rv_check_roller(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *radius, *angle;
    double around;
    bool whole;
  } cases[] = {{"radius", "angle", 2 * RV_PI, false},
               {"radius_one_sided", "angle_one_sided", RV_PI / 2, false},
               {"radius_whole_frames", "angle_whole_frames", 2 * RV_PI, true},
               {"radius_one_sided_whole_frames", "angle_one_sided_whole_frames", RV_PI / 2, true}};
  RvResult result = RV_OK;
  double fewest = INFINITY;
  for (int k = 0; k < 4 && !result; ++k) {
    RvNodeRig rig;
    double radius = 0, angle = 0, around = cases[k].around;
    RvNodeRigDef def = {"strandsolver", NULL, 1, bristles, &around, cases[k].whole};
    result = rv_rig_node_open(&rig, &def, error);
    for (int f = 2; f <= FRAMES && !result; ++f) {
      result = run_frame(&rig, around, &radius, &angle, error);
      fewest = fmin(fewest, rig.stats.substeps);
    }
    rv_rig_node_close(&rig);
    if (result) break;
    rv_check_emit(out, cases[k].radius, radius, 0, 1e-3);
    // A uniform rotation is known at every time.
    rv_check_emit(out, cases[k].angle, angle, 0, 1e-3);
  }
  // Substeps are short enough for half a radian each.
  if (!result) rv_check_emit(out, "turn_a_substep", TURN / fewest, 0, 0.5);
  return result;
}
