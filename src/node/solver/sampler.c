#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/sampler.h"

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

// P at a share of the frame as the host gives it; NULL where it has none, as before a sequence of files begins
static RvResult ask(RvPointSampler* s, double share, const RvDetail** out, RvError* error) {
  RvResult result = rv_solver_input_at(s->cook, s->input, share, out, error);
  if (*out && (rv_detail_count(*out, RV_POINT) != s->npoint || !rv_detail_f32(*out, RV_POINT, "P", 3))) *out = NULL;
  return result;
}

// the rigid part of the points' motion over the frame
static RvResult fit(RvPointSampler* s, RvError* error) {
  double* points = rv_alloc(6 * s->npoint, sizeof *points);
  s->interpolated = rv_alloc(3 * s->npoint, sizeof *s->interpolated);
  if (!points || !s->interpolated) {
    rv_free(points);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of %zu points", s->npoint);
  }
  size_t n = 0;
  double *before = points, *after = points + 3 * s->npoint;
  for (size_t i = 0; i < s->npoint; ++i) {
    bool fine = true;
    for (size_t c = 0; c < 3; ++c) {
      before[3 * n + c] = s->before[6 * i + c];
      after[3 * n + c] = s->now[3 * i + c];
      fine = fine && isfinite(before[3 * n + c]) && isfinite(after[3 * n + c]);
    }
    n += fine;
  }
  s->rigid = rv_rigid_fit(n, before, after);
  rv_free(points);
  RvVec3 sum = {0};
  n = 0;
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 slope = rv_vec3_load(s->before + 6 * i + 3);
    if (rv_vec3_finite(slope)) {
      sum = rv_add(sum, slope);
      n++;
    }
  }
  s->rigid.arc = 1;
  if (!s->first && n) rv_rigid_lean(&s->rigid, rv_scale(sum, 1 / (double)n));
  return RV_OK;
}

RvResult rv_sampler_begin(RvPointSampler* s, RvCook* cook, int index, const RvDetail* state, RvError* error) {
  const RvDetail* input = cook->input[index];
  *s = (RvPointSampler){.cook = cook, .input = index, .npoint = rv_detail_count(state, RV_POINT)};
  RvResult result = check_topology(cook, index, state, error);
  if (result) return result;
  s->now = rv_detail_f32(input, RV_POINT, "P", 3);
  s->before = rv_detail_f32(state, RV_POINT, "rv_sample", 6);
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  s->first = !dt || dt[0] == 0;
  bool moves = false;
  for (size_t i = 0; i < 3 * s->npoint && !moves; ++i) moves = s->now[i] != s->before[i / 3 * 6 + i % 3];
  if (!moves) return RV_OK;
  s->whole_frames = !cook->host->input_at;
  if (!s->whole_frames) {
    // a source of whole frames answers with one of its two neighbours
    const RvDetail* middle;
    if ((result = ask(s, 0.5, &middle, error))) return result;
    const float* P = middle ? rv_detail_f32(middle, RV_POINT, "P", 3) : s->now;
    bool first = true, second = true;
    for (size_t i = 0; i < 3 * s->npoint && (first || second); ++i) {
      first = first && P[i] == s->before[i / 3 * 6 + i % 3];
      second = second && P[i] == s->now[i];
    }
    s->whole_frames = first || second;
  }
  return s->whole_frames ? fit(s, error) : RV_OK;
}

// a cubic from 0 with slope `start` to `way` with slope `end`
static RvVec3 hermite(RvVec3 start, RvVec3 way, RvVec3 end, double t) {
  RvVec3 x = rv_scale(way, t * t * (3 - 2 * t));
  return rv_mad(rv_mad(x, t * (1 - t) * (1 - t), start), t * t * (t - 1), end);
}

// how a point moves beside the turning, in the frame that turns: from and to the places at the ends
static RvVec3 own_way(const RvPointSampler* s, size_t i) {
  RvVec3 before = rv_sub(rv_vec3_load(s->before + 6 * i), s->rigid.from);
  RvVec3 after = rv_sub(rv_vec3_load(s->now + 3 * i), s->rigid.to);
  return rv_sub(rv_quat_rotate(rv_quat_conjugate(s->rigid.turn), after), before);
}

// The turn is shared out evenly, and the centre goes on as it came: straight or about an axis. In the frame that moves
// so every point's own way is a cubic, whose slope at a frame is known when the frame is: velocities are continuous.
static void interpolate(const RvPointSampler* s, double t) {
  RvRigid part = rv_rigid_share(&s->rigid, t);
  RvVec3 centre, turning;
  rv_rigid_slope(&s->rigid, false, &centre, &turning);
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 own = own_way(s, i), from = rv_vec3_load(s->before + 6 * i), start = rv_vec3_load(s->before + 6 * i + 3);
    start = rv_sub(start, rv_add(centre, rv_cross(turning, rv_sub(from, s->rigid.from))));
    // of the first frame nothing is known before it
    if (s->first || !rv_vec3_finite(start)) start = rv_vec3(0, 0, 0);
    rv_vec3_store64(s->interpolated + 3 * i, rv_rigid_apply(&part, rv_add(from, hermite(start, own, own, t))));
  }
}

// the slope at the frame that interpolate comes to
static RvVec3 end_slope(const RvPointSampler* s, size_t i) {
  RvVec3 centre, turning, now = rv_vec3_load(s->now + 3 * i);
  if (!s->interpolated) return rv_sub(now, rv_vec3_load(s->before + 6 * i));
  rv_rigid_slope(&s->rigid, true, &centre, &turning);
  centre = rv_add(centre, rv_cross(turning, rv_sub(now, s->rigid.to)));
  return rv_add(centre, rv_quat_rotate(s->rigid.turn, own_way(s, i)));
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
    RvResult result = ask(s, share, &detail, error);
    if (result) return result;
    if (!detail) detail = s->cook->input[s->input];
  }
  out->P = rv_detail_f32(detail, RV_POINT, "P", 3);
  out->orient = rv_detail_f32(detail, RV_POINT, "orient", 4);
  return RV_OK;
}

RvResult rv_sampler_keep(const RvPointSampler* s, RvDetail* state, RvError* error) {
  float* sample = rv_detail_f32_write(state, RV_POINT, "rv_sample", 6, error);
  if (!sample) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvPointSampler before = *s;
  before.before = sample;  // writing may have moved it
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 slope = end_slope(&before, i);
    memcpy(sample + 6 * i, s->now + 3 * i, 3 * sizeof *sample);
    rv_vec3_store(sample + 6 * i + 3, slope);
  }
  return RV_OK;
}

float* rv_sampler_velocity(RvPointSampler* s, RvError* error) {
  float* v = rv_alloc_zero(3 * s->npoint, sizeof *v);
  if (!v) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for the velocity of %zu points", s->npoint);
    return NULL;
  }
  const float* given = rv_detail_f32(s->cook->input[s->input], RV_POINT, "v", 3);
  if (given) {
    memcpy(v, given, 3 * s->npoint * sizeof *v);
    return v;
  }
  double fps = s->cook->time.fps;
  const RvDetail *a = NULL, *b = NULL;
  bool central = !s->whole_frames && s->cook->host->input_at;
  if (central && (ask(s, 0.5, &a, error) || ask(s, 1.5, &b, error))) {
    rv_free(v);
    return NULL;
  }
  const float *before = a ? rv_detail_f32(a, RV_POINT, "P", 3) : NULL,
              *after = b ? rv_detail_f32(b, RV_POINT, "P", 3) : NULL;
  for (size_t i = 0; i < 3 * s->npoint; ++i) {
    size_t at = i / 3 * 6 + i % 3;
    double way = before && after ? (double)after[i] - before[i] : (double)s->now[i] - s->before[at];
    v[i] = (float)(way * fps);
  }
  for (size_t i = 0; s->interpolated && i < s->npoint; ++i) rv_vec3_store(v + 3 * i, rv_scale(end_slope(s, i), fps));
  return v;
}

void rv_sampler_end(RvPointSampler* s) {
  rv_free(s->interpolated);
  s->interpolated = NULL;
}
