#include "node/solver/solver.h"

#include <stdio.h>

RvPortName rv_solver_port(const RvCook* cook, int index) {
  RvPortName name;
  // A cook of a test may have no type.
  const char* port =
      cook->type && index >= 0 && (size_t)index < cook->type->ninput ? cook->type->inputs[index].name : "?";
  snprintf(name.text, sizeof name.text, "input %d, the %s", index + 1, port);
  return name;
}

RvResult rv_solver_input_at(RvCook* cook, int index, double share, const RvDetail** out, RvError* error) {
  // What the host says counts only where the cook must end: a file of a sequence may be missing.
  RvError own = {0};
  *out = NULL;
  if (index < 0) return RV_OK;
  RvResult result = rv_cook_input_at(cook, (size_t)index, cook->time.frame - 1 + share, out, &own);
  if (result == RV_CANCELLED || result == RV_NO_MEMORY) return rv_fail(error, result, "%s", own.text);
  if (result) *out = NULL;
  return RV_OK;
}

// The attribute, if it has numbers and enough of them.
static const RvAttrib* usable(const RvAttrib* attrib, int size) {
  return attrib && rv_attrib_storage(attrib) != RV_STRING && rv_attrib_size(attrib) >= size ? attrib : NULL;
}

void rv_solver_find_attrib(const RvDetail* detail, const char* name, int size, const RvAttrib** point,
                           const RvAttrib** prim) {
  *point = usable(rv_detail_find(detail, RV_POINT, name), size);
  *prim = usable(rv_detail_find(detail, RV_PRIM, name), size);
}
