// Parameters: the interface from the node table, and the values that Houdini has for it.
#pragma once

#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

// A PRM_Template list for the type's DialogScript, with `extra` (more of it) before its end; it is never freed. NULL
// out of memory.
void* rv_hdk_templates(const RvNodeType* type, const char* extra);

// Where values come from: an OP_GraphProxy and a node's index in it, or a SIM_Options, which has one time only.
typedef struct RvHdkValues {
  const void *graph, *options;
  int64_t node;
} RvHdkValues;

// New values of the table at a time in seconds. One that the table refuses is an error that names it.
RvResult rv_hdk_parms(const RvHdkValues* from, const RvParmTable* table, double time, RvParms** out, RvError* error);

#ifdef __cplusplus
}
#endif
