// A node that merges up to eight inputs and writes nothing; its output moves by `shift`.
#include "node/define.h"
#include "support/node_counter.h"

#define COPY_PARMS(X) X(FLOAT, shift, "Shift", 0, SOFT(-1), SOFT(1), "m", "Added to the x of all points.")
RV_PARM_TABLE(CopyParms, testcopy_table, COPY_PARMS)

#define INPUT(n) \
  { "input" n, "Input " n, "Merged with the others.", false }
static const RvPortDef copy_inputs[] = {INPUT("1"), INPUT("2"), INPUT("3"), INPUT("4"),
                                        INPUT("5"), INPUT("6"), INPUT("7"), INPUT("8")};
static const RvPortDef copy_outputs[] = {{"points", "Points", "All inputs together.", false}};

static RvResult fill(RvCook* cook, RvDetail* out, RvError* error) {
  const CopyParms* p = cook->parms;
  RvResult result = RV_OK;
  for (size_t i = 0; i < cook->ninput && !result; ++i)
    if (cook->input[i]) result = rv_detail_merge(out, cook->input[i], error);
  float* P = result ? NULL : rv_detail_f32_write(out, RV_POINT, "P", 3, error);
  if (!P) return error->code;
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) P[3 * i] += (float)p->shift;
  return RV_OK;
}

static RvResult cook(RvCook* cook, RvError* error) {
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = fill(cook, out, error);
  return rv_node_give(cook, out, result);
}

RV_NODE_TYPE(testcopy, "Test Copy", "Geometry", "Merges its inputs.", "", .flags = RV_NODE_HIDDEN,
             RV_NODE_INPUTS(copy_inputs), RV_NODE_OUTPUTS(copy_outputs))
