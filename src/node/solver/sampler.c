// Samples of the animated points within a frame: from the host, or interpolated between whole frames.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/sampler.h"

// Numbers of a point in rv_sample: position, then slope.
enum { SAMPLE_NUMBERS = 6, SAMPLE_SLOPE = 3 };

// The number of points and primitives must not change during a shot.
static RvResult check_topology(const RvCook* cook, int index, const RvDetail* state, RvError* error) {
  const RvDetail* input = cook->input[index];
  double frame = cook->time.frame;
  size_t points = rv_detail_count(input, RV_POINT), prims = rv_detail_count(input, RV_PRIM);
  if (points != rv_detail_count(state, RV_POINT) || prims != rv_detail_count(state, RV_PRIM))
    return rv_fail(error, RV_BAD_INPUT,
                   "%s, has %zu points and %zu primitives at frame %g and had %zu and %zu at the start: they must stay "
                   "the same",
                   rv_solver_port(cook, index).text, points, prims, frame, rv_detail_count(state, RV_POINT),
                   rv_detail_count(state, RV_PRIM));
  if (!rv_detail_f32(input, RV_POINT, "P", 3))
    return rv_fail(error, RV_BAD_INPUT, "%s, has no positions P of 32-bit floats at frame %g",
                   rv_solver_port(cook, index).text, frame);
  return RV_OK;
}

// The input at a share of the frame from the host; NULL where it has none, as before the first file of a sequence.
static RvResult input_at_share(RvPointSampler* s, double share, const RvDetail** out, RvError* error) {
  RvResult result = rv_solver_input_at(s->cook, s->input, share, out, error);
  if (*out && (rv_detail_count(*out, RV_POINT) != s->npoint || !rv_detail_f32(*out, RV_POINT, "P", 3))) *out = NULL;
  return result;
}

// Index in rv_sample of number i of P.
static size_t sample_index(size_t i) {
  return i / 3 * SAMPLE_NUMBERS + i % 3;
}

// Position of a point at the previous frame, in units of the scene.
static RvVec3 position_before(const RvPointSampler* s, size_t point) {
  return rv_vec3_load(s->before + SAMPLE_NUMBERS * point);
}

// Slope of its path there, in units a frame.
static RvVec3 slope_before(const RvPointSampler* s, size_t point) {
  return rv_vec3_load(s->before + SAMPLE_NUMBERS * point + SAMPLE_SLOPE);
}

// Fits a rigid motion to the points over the frame, and lets its centre continue the mean slope of the previous frame.
static RvResult fit_rigid(RvPointSampler* s, RvError* error) {
  double* points = rv_alloc(6 * s->npoint, sizeof *points);
  s->interpolated = rv_alloc(3 * s->npoint, sizeof *s->interpolated);
  if (!points || !s->interpolated) {
    rv_free(points);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of %zu points", s->npoint);
  }
  // The fit, of all points that are finite at both frames.
  size_t n = 0;
  double *before = points, *after = points + 3 * s->npoint;
  for (size_t i = 0; i < s->npoint; ++i) {
    bool finite = true;
    for (size_t c = 0; c < 3; ++c) {
      before[3 * n + c] = s->before[SAMPLE_NUMBERS * i + c];
      after[3 * n + c] = s->now[3 * i + c];
      finite = finite && isfinite(before[3 * n + c]) && isfinite(after[3 * n + c]);
    }
    n += finite;
  }
  s->rigid = rv_rigid_fit(n, before, after);
  rv_free(points);
  // The path of the centre, by the mean slope at the previous frame.
  RvVec3 sum = {0};
  n = 0;
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 slope = slope_before(s, i);
    if (rv_vec3_finite(slope)) {
      sum = rv_add(sum, slope);
      n++;
    }
  }
  // The centre goes on an arc, unless the slope of the frame before says otherwise.
  s->rigid.arc = 1;
  if (!s->first && n) rv_rigid_lean(&s->rigid, rv_scale(sum, 1 / (double)n));
  return RV_OK;
}

// Whether the host has whole frames only: it has no function for others, or answers with one of the two neighbours.
static RvResult find_whole_frames(RvPointSampler* s, RvError* error) {
  s->whole_frames = !s->cook->host->input_at;
  if (s->whole_frames) return RV_OK;
  const RvDetail* middle;
  RvResult result = input_at_share(s, 0.5, &middle, error);
  if (result) return result;
  const float* P = middle ? rv_detail_f32(middle, RV_POINT, "P", 3) : s->now;
  bool is_before = true, is_now = true;
  for (size_t i = 0; i < 3 * s->npoint && (is_before || is_now); ++i) {
    is_before = is_before && P[i] == s->before[sample_index(i)];
    is_now = is_now && P[i] == s->now[i];
  }
  s->whole_frames = is_before || is_now;
  return RV_OK;
}

RvResult rv_sampler_begin(RvPointSampler* s, RvCook* cook, int index, const RvDetail* state, RvError* error) {
  const RvDetail* input = cook->input[index];
  *s = (RvPointSampler){.cook = cook, .input = index, .npoint = rv_detail_count(state, RV_POINT)};
  RvResult result = check_topology(cook, index, state, error);
  if (result) return result;
  // Both ends of the frame.
  s->now = rv_detail_f32(input, RV_POINT, "P", 3);
  s->before = rv_detail_f32(state, RV_POINT, "rv_sample", SAMPLE_NUMBERS);
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  s->first = !dt || dt[0] == 0;
  // Points that stand still need no samples in between.
  bool moves = false;
  for (size_t i = 0; i < 3 * s->npoint && !moves; ++i) moves = s->now[i] != s->before[sample_index(i)];
  if (!moves) return RV_OK;
  result = find_whole_frames(s, error);
  if (result) return result;
  return s->whole_frames ? fit_rigid(s, error) : RV_OK;
}

// Cubic Hermite curve from 0 with slope `start` to `displacement` with slope `end`.
static RvVec3 hermite(RvVec3 start, RvVec3 displacement, RvVec3 end, double t) {
  RvVec3 x = rv_scale(displacement, t * t * (3 - 2 * t));
  return rv_mad(rv_mad(x, t * (1 - t) * (1 - t), start), t * t * (t - 1), end);
}

// Displacement of a point over the frame relative to the rigid motion, in the moving frame.
static RvVec3 relative_displacement(const RvPointSampler* s, size_t i) {
  RvVec3 before = rv_sub(position_before(s, i), s->rigid.from);
  RvVec3 after = rv_sub(rv_vec3_load(s->now + 3 * i), s->rigid.to);
  return rv_sub(rv_quat_rotate(rv_quat_conjugate(s->rigid.turn), after), before);
}

// All points at the share t of the frame. The rotation is uniform, and the centre moves straight or about an axis, as
// it did before. In the frame that moves so, every point follows a cubic from the slope at the previous frame to its
// displacement over this one; the end slope needs no later frame, and velocities are continuous.
static void interpolate(const RvPointSampler* s, double t) {
  RvRigid part = rv_rigid_share(&s->rigid, t);
  RvVec3 velocity, omega;
  rv_rigid_slope(&s->rigid, false, &velocity, &omega);
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 own = relative_displacement(s, i);
    RvVec3 from = position_before(s, i);
    RvVec3 start = slope_before(s, i);
    start = rv_sub(start, rv_add(velocity, rv_cross(omega, rv_sub(from, s->rigid.from))));
    // Before the first step no slope is known.
    if (s->first || !rv_vec3_finite(start)) start = rv_vec3(0, 0, 0);
    rv_vec3_store64(s->interpolated + 3 * i, rv_rigid_apply(&part, rv_add(from, hermite(start, own, own, t))));
  }
}

// Slope of a point at the end of the frame, units a frame: that of interpolate, or the displacement.
static RvVec3 end_slope(const RvPointSampler* s, size_t i) {
  RvVec3 now = rv_vec3_load(s->now + 3 * i);
  if (!s->interpolated) return rv_sub(now, position_before(s, i));
  RvVec3 velocity, omega;
  rv_rigid_slope(&s->rigid, true, &velocity, &omega);
  velocity = rv_add(velocity, rv_cross(omega, rv_sub(now, s->rigid.to)));
  return rv_add(velocity, rv_quat_rotate(s->rigid.turn, relative_displacement(s, i)));
}

RvResult rv_sampler_at(RvPointSampler* s, double share, RvStrandSample* out, RvError* error) {
  *out = (RvStrandSample){.P = s->now};
  const RvDetail* detail = s->cook->input[s->input];
  if (share < 1 && s->interpolated) {
    interpolate(s, share);
    out->exact = s->interpolated;
    return RV_OK;
  }
  if (share < 1) {
    RvResult result = input_at_share(s, share, &detail, error);
    if (result) return result;
    if (!detail) detail = s->cook->input[s->input];
  }
  out->P = rv_detail_f32(detail, RV_POINT, "P", 3);
  out->orient = rv_detail_f32(detail, RV_POINT, "orient", 4);
  return RV_OK;
}

RvResult rv_sampler_keep(const RvPointSampler* s, RvDetail* state, RvError* error) {
  float* sample = rv_detail_f32_write(state, RV_POINT, "rv_sample", SAMPLE_NUMBERS, error);
  if (!sample) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Opening the attribute for writing may have moved the samples of the previous frame.
  RvPointSampler moved = *s;
  moved.before = sample;
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 slope = end_slope(&moved, i);
    memcpy(sample + SAMPLE_NUMBERS * i, s->now + 3 * i, 3 * sizeof *sample);
    rv_vec3_store(sample + SAMPLE_NUMBERS * i + SAMPLE_SLOPE, slope);
  }
  return RV_OK;
}

float* rv_sampler_velocity(RvPointSampler* s, RvError* error) {
  float* v = rv_alloc_zero(3 * s->npoint, sizeof *v);
  if (!v) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for the velocity of %zu points", s->npoint);
    return NULL;
  }
  // The attribute, if there is one.
  const float* given = rv_detail_f32(s->cook->input[s->input], RV_POINT, "v", 3);
  if (given) {
    memcpy(v, given, 3 * s->npoint * sizeof *v);
    return v;
  }
  // A central difference about the current frame, or a backward one where the host lacks a sample.
  double fps = s->cook->time.fps;
  const RvDetail *a = NULL, *b = NULL;
  bool central = !s->whole_frames && s->cook->host->input_at;
  if (central && (input_at_share(s, 0.5, &a, error) || input_at_share(s, 1.5, &b, error))) {
    rv_free(v);
    return NULL;
  }
  const float* earlier = a ? rv_detail_f32(a, RV_POINT, "P", 3) : NULL;
  const float* later = b ? rv_detail_f32(b, RV_POINT, "P", 3) : NULL;
  for (size_t i = 0; i < 3 * s->npoint; ++i) {
    double displacement =
        earlier && later ? (double)later[i] - earlier[i] : (double)s->now[i] - s->before[sample_index(i)];
    v[i] = (float)(displacement * fps);
  }
  // The slope of the interpolation, where points were interpolated.
  for (size_t i = 0; s->interpolated && i < s->npoint; ++i) rv_vec3_store(v + 3 * i, rv_scale(end_slope(s, i), fps));
  return v;
}

void rv_sampler_end(RvPointSampler* s) {
  rv_free(s->interpolated);
  s->interpolated = NULL;
}
