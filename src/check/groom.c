// Check still_groom: a groom on a head that does not move stays where it is, in a scene as an artist builds it (WH-3,
// WH-4).
#include <math.h>

#include "check/list.h"
#include "rig/scene.h"

enum { LAST = 48 };  // frames
#define LENGTH 0.15  // of a strand, m

// Largest and rms distance of all points of a state from the groom, m; the state's positions are doubles.
static void measure_motion(const RvDetail* groom, const RvDetail* state, double* farthest, double* rms) {
  const float* p = rv_detail_f32(groom, RV_POINT, "P", 3);
  const double* x = rv_detail_f64(state, RV_POINT, "rv_x", 3);
  const double* origin = rv_detail_f64(state, RV_GLOBAL, "rv_origin", 3);
  size_t n = rv_detail_count(groom, RV_POINT);
  double sum = 0, largest = 0;
  for (size_t i = 0; p && x && origin && i < n; ++i) {
    double d = 0;
    for (size_t c = 0; c < 3; ++c) {
      double offset = x[3 * i + c] + origin[c] - p[3 * i + c];
      d += offset * offset;
    }
    sum += d;
    largest = fmax(largest, sqrt(d));
  }
  *farthest = p && x && origin && n == rv_detail_count(state, RV_POINT) ? fmax(*farthest, largest) : INFINITY;
  *rms = fmax(*rms, sqrt(sum / (double)n));
}

// 5,000 curly strands of 15 cm of real hair that bend down under their weight, contacts off. Newton solves to rounding,
// so that no strand stays still only because it is within the tolerance.
RvResult rv_check_still_groom(const RvCheckOut* out, RvError* error) {
  static const char nodes[] =
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"rows\": 25, \"cols\": 36}},"
      "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 5000, \"length\": 0.15,"
      "  \"points\": 16, \"style\": \"curly\", \"curlradius\": 0.006, \"curlpitch\": 0.05, \"curlrandom\": 0.3,"
      "  \"lift\": 0.55, \"bend\": 0.85, \"bendlength\": 0.05}},"
      "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"hair\"], \"parms\": {\"substeps\": 1, \"tolerance\": 1e-12}}";
  RvSceneRig rig;
  RvDetail *groom = NULL, *now = NULL;
  double farthest = 0, rms = 0, start = 0, none = 0, strands = 0;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "hair", 1, &groom, error);
  for (int frame = 1; frame <= LAST && !result; ++frame) {
    result = rv_rig_scene_cook(&rig, "s:state", frame, &now, error);
    if (!result && frame == 1) measure_motion(groom, now, &start, &none);
    if (!result) measure_motion(groom, now, &farthest, &rms);
    rv_detail_free(now);
    now = NULL;
  }
  if (!result) strands = (double)rv_detail_count(groom, RV_PRIM);
  rv_detail_free(groom);
  if (!result) {
    rv_check_emit(out, "strands", strands, 5000, 0);
    // Rounding of the sum of the origin and a position relative to it.
    rv_check_emit(out, "frame_1", start, 0, 1e-15);
    rv_check_emit(out, "most", farthest / LENGTH, 0, 0.005);
    rv_check_emit(out, "rms", rms / LENGTH, 0, 0.005);
    // Shares of strands that the solver warns of, read from its warnings.
    rv_check_emit(out, "capped", rv_rig_scene_warned(&rig, "sag from the start") / strands, 0, 0.05);
    rv_check_emit(out, "loose", rv_rig_scene_warned(&rig, "only until they are pushed") / strands, 0, 0.5);
  }
  rv_rig_scene_close(&rig);
  return result;
}
