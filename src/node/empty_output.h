// The warning of an output that a solver never fills, such as the strands of liquidsolver: a scene that reads it would
// get nothing without a word. The numbers of its outputs were others once.
#ifndef RV_NODE_EMPTY_OUTPUT_H
#define RV_NODE_EMPTY_OUTPUT_H

#include <stdio.h>

#include "rivulet/node.h"

enum { RV_EMPTY_OUTPUT_BYTES = 160 };  // of the text

// Whether an output (from 0) of the type is always empty; then the text says which one to take.
static inline bool rv_node_output_is_empty(const RvNodeType* type, size_t output, char text[RV_EMPTY_OUTPUT_BYTES]) {
  if (output + 1 != type->empty_output) return false;
  snprintf(text, RV_EMPTY_OUTPUT_BYTES, "output %zu (%s) of %s is always empty: wire output 1 (%s) instead",
           output + 1, type->outputs[output].name, type->type, type->outputs[0].name);
  return true;
}

#endif
