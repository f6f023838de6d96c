// Parameters: Houdini's interface made from the node table, and the values that the artist set in it.
#pragma once

#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

// The PRM_Template list of a type's DialogScript in a format of rv_node_describe: "ds" for SOPs, "dop" for DOPs. It
// lives as long as the process.
void* rv_hdk_templates(const RvNodeType* type, const char* format);

// Where values come from: a graph of SOPs, or the options of a DOP. One of `graph` and `options` is NULL.
typedef struct RvHdkValues {
  const void* graph;    // an RvHdkGraph, which evaluates at any time
  const void* options;  // a SIM_Options, which has the values of one time
  int64_t node;         // index of the node in the graph
} RvHdkValues;

// The values of all rows of a table at a time in seconds. A value that the table refuses is an error that names it.
RvResult rv_hdk_parms(const RvHdkValues* from, const RvParmTable* table, double time, RvParms** out, RvError* error);

#ifdef __cplusplus
}
#endif
