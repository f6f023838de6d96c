// Check roller: bristles on a roller at 300 rpm, 75 degrees a frame (WH-4). A straight line between frames would cut
// the radius by a fifth; at every substep the roots must be on their circle within 0.1%. With bristles all around the
// centre of all points stands still; with bristles on one side it goes round as well. The input is asked at every
// substep, and then given at whole frames only, as files have it.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/check_list.h"
#include "math/scalar.h"
#include "node/strandsolver.h"

enum { COUNT = 24, N = 8, FRAMES = 12, SAMPLES = 32, LENT = 512 };
#define RADIUS 0.03
#define TURN (75 * RV_PI / 180)

typedef struct Roller {
  double around;  // angle that the bristles take
  RvDetail *now, *state;
  RvDetail* lent[LENT];  // the input at other moments, until the frame ends
  int nlent;
  RvCook cook;
  const RvDetail* inputs[3];
  RvStats stats;
  RvHost host;
  RvVars vars;
  RvParms* values;
  void *parms, *cache;
} Roller;

static RvResult bristles(const Roller* r, double frame, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_new();
  RvResult result = d ? rv_detail_add_curves(d, COUNT, N, NULL, NULL, error) : RV_NO_MEMORY;
  float* P = result ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  if (!P) {
    rv_detail_free(d);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  for (int i = 0; i < COUNT * N; ++i) {
    double along = RADIUS + 0.02 * (i % N) / (N - 1), a = TURN * (frame - 1) + r->around * (i / N) / COUNT;
    P[3 * i] = (float)(along * rv_cos(a)), P[3 * i + 1] = (float)(along * rv_sin(a));
    P[3 * i + 2] = 0.01f * (float)(i / N % 5);
  }
  *out = d;
  return RV_OK;
}

static RvResult input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  Roller* r = user;
  *out = NULL;
  if (index > 0) return RV_OK;
  if (r->nlent == LENT) return rv_fail(error, RV_LIMIT, "more than %d samples a frame", LENT);
  RvResult result = bristles(r, frame, &r->lent[r->nlent], error);
  if (!result) *out = r->lent[r->nlent++];
  return result;
}

static void take_back(Roller* r) {
  while (r->nlent) rv_detail_free(r->lent[--r->nlent]);
}

static RvResult open_roller(Roller* r, double around, bool whole, RvError* error) {
  *r = (Roller){.around = around, .vars = {.frame = 1, .fps = 24, .out = ".", .hip = ".", .node = "roller"}};
  const RvNodeType* type = rv_node_find("strandsolver");
  if (!type) return rv_fail(error, RV_INTERNAL, "there is no strandsolver");
  r->values = rv_parms_new(type->parms);
  r->parms = rv_alloc_zero(1, type->parms->struct_bytes);
  if (!r->values || !r->parms) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_parms_eval(r->values, &r->vars, r->parms, error);
  if (!result) result = bristles(r, 1, &r->now, error);
  r->inputs[0] = r->now;
  r->host.user = r;
  if (!whole) r->host.input_at = input_at;
  r->cook = (RvCook){.type = type,
                     .node = "roller",
                     .time = {1, 24, 0, 1},
                     .start_frame = 1,
                     .parms = r->parms,
                     .ninput = 3,
                     .input = r->inputs,
                     .stats = &r->stats,
                     .cache = &r->cache,
                     .vars = &r->vars,
                     .host = &r->host};
  if (!result) result = type->start(&r->cook, error);
  r->state = r->cook.output[2];
  return result;
}

static void close_roller(Roller* r) {
  take_back(r);
  rv_detail_free(r->now), rv_detail_free(r->state);
  rv_parms_free(r->values);
  rv_free(r->parms);
}

static void compare(const float* P, double frame, double around, double* radius, double* angle) {
  for (int i = 0; i < COUNT * N; i += N) {
    double x = P[3 * i], y = P[3 * i + 1], a = TURN * (frame - 1) + around * (i / N) / COUNT;
    double c = rv_cos(a), s = rv_sin(a);
    *radius = fmax(*radius, fabs(hypot(x, y) / RADIUS - 1));
    *angle = fmax(*angle, fabs(rv_atan2(c * y - s * x, c * x + s * y)));
  }
}

// a frame: what a substep may be given, at many shares, and what the frame came to
static RvResult frame(Roller* r, int number, double* radius, double* angle, RvError* error) {
  RvStrandSampler sampler;
  take_back(r);
  rv_detail_free(r->now);
  r->now = NULL;
  RvResult result = bristles(r, number, &r->now, error);
  if (result) return result;
  r->inputs[0] = r->now, r->cook.prev = r->state, r->cook.output[2] = NULL;
  r->cook.time = (RvTime){number, 24, (number - 1) / 24.0, 1}, r->cook.dt = 1 / 24.0;
  result = rv_sampler_begin(&sampler, &r->cook, r->state, error);
  for (int k = 1; k <= SAMPLES && !result; ++k) {
    RvStrandSample in;
    result = rv_sampler_at(&sampler, (double)k / SAMPLES, &in, error);
    if (!result) compare(in.P, number - 1 + (double)k / SAMPLES, r->around, radius, angle);
  }
  rv_sampler_end(&sampler);
  if (!result) result = r->cook.type->step(&r->cook, error);
  if (result) return result;
  rv_detail_free(r->state);
  r->state = r->cook.output[2];
  compare(rv_detail_f32(r->state, RV_POINT, "P", 3), number, r->around, radius, angle);
  return RV_OK;
}

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
    Roller roller;
    double radius = 0, angle = 0;
    result = open_roller(&roller, cases[k].around, cases[k].whole, error);
    for (int f = 2; f <= FRAMES && !result; ++f) {
      result = frame(&roller, f, &radius, &angle, error);
      fewest = fmin(fewest, roller.stats.substeps);
    }
    close_roller(&roller);
    if (result) break;
    rv_check_emit(out, cases[k].radius, radius, 0, 1e-3);
    // an even turn is known at every moment
    rv_check_emit(out, cases[k].angle, angle, 0, 1e-3);
  }
  // half a radian a substep at most
  if (!result) rv_check_emit(out, "turn_a_substep", TURN / fewest, 0, 0.5);
  return result;
}
