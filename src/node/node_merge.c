// Merge: joins all wired inputs in their order.
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "node/define.h"

#define MERGE_PARMS(X) X(STRING, exclude, "Exclude", "", "Numbers of inputs to leave out, from 1, separated by spaces.")
RV_PARM_TABLE(MergeParms, merge_table, MERGE_PARMS)

// True if the list contains the number.
static bool excluded(const char* list, size_t number) {
  for (char* end; *list; list = end) {
    unsigned long value = strtoul(list, &end, 10);
    if (end == list)
      end = (char*)list + 1;
    else if (value == number)
      return true;
  }
  return false;
}

// RV_BAD_INPUT if the list has anything but numbers of inputs.
static RvResult check_list(const char* list, size_t ninput, RvError* error) {
  for (char* end; *list; list = end) {
    size_t gap = strspn(list, " ,");
    list += gap;
    if (!*list) break;
    unsigned long value = strtoul(list, &end, 10);
    if (end == list || value < 1 || value > ninput || (*end && !strchr(" ,", *end)))
      return rv_fail(error, RV_BAD_INPUT, "exclude: '%s' is no list of inputs; write their numbers, 1 to %zu", list,
                     ninput);
  }
  return RV_OK;
}

// The output takes as much as all inputs together.
static RvResult check_memory(const RvCook* cook, const char* exclude, RvError* error) {
  size_t bytes = 0, points = 0;
  for (size_t i = 0; i < cook->ninput; ++i) {
    if (!cook->input[i] || excluded(exclude, i + 1)) continue;
    bytes += rv_detail_bytes(cook->input[i]);
    points += rv_detail_count(cook->input[i], RV_POINT);
  }
  return rv_budget_check((double)bytes, error, "%zu points in one geometry", points);
}

// Copies the first input and appends the others.
static RvResult cook(RvCook* cook, RvError* error) {
  const MergeParms* p = cook->parms;
  RvDetail* out = NULL;
  RvResult fits = check_list(p->exclude, cook->type->ninput, error);
  if (!fits) fits = check_memory(cook, p->exclude, error);
  if (fits) return fits;
  // The first input is copied, the others are appended.
  for (size_t i = 0; i < cook->ninput; ++i) {
    if (!cook->input[i] || excluded(p->exclude, i + 1)) continue;
    if (!out) {
      out = rv_detail_copy(cook->input[i]);
      if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory to merge");
      continue;
    }
    RvResult result = rv_detail_merge(out, cook->input[i], error);
    if (result != RV_OK) {
      rv_detail_free(out);
      return rv_error_context(error, "input %zu", i + 1);
    }
  }
  // Nothing to merge is empty geometry, not an error.
  if (!out) out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory to merge");
  cook->output[0] = out;
  return RV_OK;
}

#define MERGE_INPUT(n) \
  { "input" #n, "Input " #n, "Geometry to merge.", false }
static const RvPortDef inputs[] = {MERGE_INPUT(1), MERGE_INPUT(2), MERGE_INPUT(3), MERGE_INPUT(4),
                                   MERGE_INPUT(5), MERGE_INPUT(6), MERGE_INPUT(7), MERGE_INPUT(8)};
static const RvPortDef outputs[] = {{"geometry", "Geometry", "All inputs in one geometry.", false}};

RV_NODE_TYPE(merge, "Merge", "Geometry", "Joins up to eight geometries into one.",
             "Points and primitives follow each other in the order of the inputs. An attribute that one input lacks "
             "has its default there. If two attributes of one name have different types, the type of the first input "
             "is used.",
             .flags = RV_NODE_GENERATOR, RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
