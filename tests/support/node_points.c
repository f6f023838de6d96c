// Points on a line, the cheapest source there is.
#include "node/define.h"
#include "support/node_counter.h"

#define POINTS_PARMS(X)                                                             \
  X(INT, count, "Count", 4, HARD(0), HARD(10000000), "", "Points.")                 \
  X(FLOAT, spacing, "Spacing", 0.1, SOFT(0), SOFT(1), "m", "From one to the next.") \
  X(VEC3, t, "Translate", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Moves all of them.")    \
  X(TOGGLE, flip, "Flip", 0, "Counts downwards.")                                   \
  X(MENU, axis, "Axis", 0, "x=X|y=Y|z=Z", "Direction of the line.")                 \
  X(STRING, name, "Name", "", "Goes to the detail attribute name.")                 \
  X(COLOR, tint, "Tint", 1, 1, 1, "Not used.")                                      \
  X(RAMP, profile, "Profile", "0 1 linear, 1 1 linear", "Not used.")
RV_PARM_TABLE(PointsParms, testpoints_table, POINTS_PARMS)

static const RvPortDef points_outputs[] = {{"points", "Points", "The points.", false}};

static RvResult fill(RvDetail* out, const PointsParms* p, RvError* error) {
  RvResult result = rv_detail_add_points(out, (size_t)p->count, NULL, error);
  float* P = result ? NULL : rv_detail_f32_write(out, RV_POINT, "P", 3, error);
  if (!P) return error->code;
  for (int64_t i = 0; i < p->count; ++i) {
    for (int k = 0; k < 3; ++k) P[3 * i + k] = (float)p->t[k];
    P[3 * i + p->axis] += (float)(p->spacing * (double)(p->flip ? p->count - 1 - i : i));
  }
  if (!*p->name) return RV_OK;
  RvAttrib* name;
  result = rv_detail_add_attrib(out, RV_GLOBAL, "name", RV_STRING, 1, RV_TAG_NONE, &name, error);
  return result ? result : rv_attrib_set_string(name, 0, 0, p->name, error);
}

static RvResult cook(RvCook* cook, RvError* error) {
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = fill(out, cook->parms, error);
  return rv_node_give(cook, out, result);
}

RV_NODE_TYPE(testpoints, "Test Points", "Geometry", "Points on a line.", "",
             .flags = RV_NODE_GENERATOR | RV_NODE_HIDDEN, RV_NODE_OUTPUTS(points_outputs))
