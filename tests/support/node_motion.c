// A node that looks at its input at other frames, as a collider does for its velocity.
#include "node/define.h"
#include "support/node_counter.h"

#define MOTION_PARMS(X) X(FLOAT, scale, "Scale", 1, SOFT(0), SOFT(10), "", "Of the motion.")
RV_PARM_TABLE(MotionParms, testmotion_table, MOTION_PARMS)

static const RvPortDef motion_inputs[] = {{"points", "Points", "What moves.", true}};
static const RvPortDef motion_outputs[] = {{"motion", "Motion", "The way of every point.", false}};

static RvResult cook(RvCook* cook, RvError* error) {
  const MotionParms* p = cook->parms;
  const RvDetail* sample[2];
  for (int i = 0; i < 2; ++i) {
    RvResult result = rv_cook_input_at(cook, 0, cook->time.frame + i - 0.5, &sample[i], error);
    if (result) return result;
  }
  RvDetail* out = rv_detail_copy(cook->input[0]);
  float* P = out ? rv_detail_f32_write(out, RV_POINT, "P", 3, error) : NULL;
  if (!P) {
    rv_detail_free(out);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  const float *a = rv_detail_f32(sample[0], RV_POINT, "P", 3), *b = rv_detail_f32(sample[1], RV_POINT, "P", 3);
  size_t count = rv_detail_count(out, RV_POINT);
  for (int i = 0; i < 2; ++i)
    if (rv_detail_count(sample[i], RV_POINT) < count) count = rv_detail_count(sample[i], RV_POINT);
  for (size_t i = 0; i < 3 * count; ++i) P[i] = (float)p->scale * (b[i] - a[i]);
  cook->output[0] = out;
  return RV_OK;
}

RV_NODE_TYPE(testmotion, "Test Motion", "Geometry", "The motion of its input.", "",
             .flags = RV_NODE_HIDDEN | RV_NODE_SAMPLES_FRAMES, RV_NODE_INPUTS(motion_inputs),
             RV_NODE_OUTPUTS(motion_outputs))
