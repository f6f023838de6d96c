// A node that goes wrong when told to.
#include "node/define.h"
#include "support/node_counter.h"

#define FAIL_PARMS(X)                                                          \
  X(FLOAT, frame, "Frame", 1e6, SOFT(1), SOFT(100), "", "From this frame on.") \
  X(MENU, how, "How", 0, "fail=Fail|warn=Warn twice|none=No output|silent=Fail without a word", "What happens.")
RV_PARM_TABLE(FailParms, testfail_table, FAIL_PARMS)

static const RvPortDef fail_inputs[] = {{"input", "Input", "Passed on.", true}};
static const RvPortDef fail_outputs[] = {{"points", "Points", "The input.", false}};

static RvResult cook(RvCook* cook, RvError* error) {
  const FailParms* p = cook->parms;
  bool now = cook->time.frame >= p->frame;
  if (now && p->how == 0) return rv_fail(error, RV_BAD_INPUT, "told to fail");
  if (now && p->how == 2) return RV_OK;
  if (now && p->how == 3) return RV_BAD_INPUT;
  for (int i = 0; i < 2 && now && p->how == 1; ++i) rv_cook_warn(cook, "told to warn");
  cook->output[0] = rv_detail_copy(cook->input[0]);
  return cook->output[0] ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

RV_NODE_TYPE(testfail, "Test Fail", "Geometry", "Goes wrong when told to.", "",
             .flags = RV_NODE_TIME_DEPENDENT | RV_NODE_HIDDEN, RV_NODE_INPUTS(fail_inputs),
             RV_NODE_OUTPUTS(fail_outputs))
