// Blast: deletes a group of points or primitives, or all others.
#include "base/memory.h"
#include "node/define.h"
#include "node/shape/select.h"

#define BLAST_PARMS(X)                                                                                       \
  X(STRING, group, "Group", "", "Elements to delete: groups, numbers and ranges. Empty: all.")               \
  X(MENU, grouptype, "Group Type", 0, RV_SELECT_MENU, "Meaning of numbers and names: points or primitives.") \
  X(TOGGLE, negate, "Delete Non Selected", 0, "Keeps the group and deletes everything else.")                \
  X(TOGGLE, removeunused, "Delete Unused Points", 1, "Deletes points that only deleted primitives used.")    \
  X(TOGGLE, removegrp, "Delete Group", 0, "Deletes the group itself as well, if the text is the name of one group.")
RV_PARM_TABLE(BlastParms, blast_table, BLAST_PARMS)

// Copies the input and deletes the selected elements.
static RvResult cook(RvCook* cook, RvError* error) {
  const BlastParms* p = cook->parms;
  const RvDetail* in = cook->ninput ? cook->input[0] : NULL;
  if (!in) return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired");
  RvOwner owner;
  uint8_t* mask = NULL;
  RvResult result = rv_select(in, p->group, (RvSelectType)p->grouptype, &owner, &mask, error);
  if (result != RV_OK) return result;
  // Elements that stay.
  size_t count = rv_detail_count(in, owner);
  uint8_t* keep = rv_alloc(count, 1);
  RvDetail* out = rv_detail_copy(in);
  if (!keep || !out) result = rv_fail(error, RV_NO_MEMORY, "out of memory to delete from %zu elements", count);
  for (size_t i = 0; result == RV_OK && i < count; ++i) keep[i] = (mask ? mask[i] != 0 : 1) == p->negate;
  if (result == RV_OK)
    result = rv_detail_keep(out, owner == RV_POINT ? keep : NULL, owner == RV_PRIM ? keep : NULL,
                            owner == RV_PRIM && p->removeunused, error);
  // A text that is no name of a group removes none.
  if (result == RV_OK && p->removegrp) rv_detail_remove_group(out, owner, p->group);
  rv_node_give(cook, out, result);
  rv_free(keep);
  rv_free(mask);
  return result;
}

static const RvPortDef inputs[] = {{"geometry", "Geometry", "Geometry to delete from.", true}};
static const RvPortDef outputs[] = {{"geometry", "Geometry", "Remaining geometry.", false}};

RV_NODE_TYPE(blast, "Blast", "Geometry", "Deletes points or primitives.",
             "A primitive that loses a point is deleted as well, so a strand is never cut.", RV_NODE_INPUTS(inputs),
             RV_NODE_OUTPUTS(outputs))
