// Macros that define a row of the node table.
//
//   RV_PARM_TABLE(BlastParms, blast_table, BLAST_PARMS)
//   static RvResult cook(RvCook* cook, RvError* error) { ... }
//   RV_NODE_TYPE(blast, "Blast", "Geometry", "Deletes points or primitives.", "Paragraphs of the manual.",
//                RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
//
// makes `const RvNodeType rv_node_blast`. The name gives the type, the variable and the table of parameters, so none of
// them can disagree with another; ports are counted by the compiler.
#ifndef RV_NODE_DEFINE_H
#define RV_NODE_DEFINE_H

#include "parm/table.h"
#include "rivulet/node.h"

// Ends a cook: where it succeeded, the geometry becomes output 1 and is the host's; otherwise it is freed. Returns
// `result`.
static inline RvResult rv_node_give(RvCook* cook, RvDetail* out, RvResult result) {
  if (result == RV_OK)
    cook->output[0] = out;
  else
    rv_detail_free(out);
  return result;
}

// Members of RvNodeType: an array of RvPortDef and its length.
#define RV_NODE_INPUTS(ports) .inputs = (ports), .ninput = sizeof(ports) / sizeof *(ports)
#define RV_NODE_OUTPUTS(ports) .outputs = (ports), .noutput = sizeof(ports) / sizeof *(ports)
// The same for an array of RvPresetDef.
#define RV_NODE_PRESETS(rows) .presets = (rows), .npreset = sizeof(rows) / sizeof *(rows)

// A node that is cooked by the function `cook` of its file. Further members of RvNodeType follow the help text.
#define RV_NODE_TYPE(name, label_text, category_text, summary_text, help_text, ...) \
  const RvNodeType rv_node_##name = {.type = #name,                                 \
                                     .label = label_text,                           \
                                     .category = category_text,                     \
                                     .summary = summary_text,                       \
                                     .help = help_text,                             \
                                     .parms = &name##_table,                        \
                                     .cook = cook,                                  \
                                     __VA_ARGS__};

#endif
