// A solver node on a bench, for the checks: its inputs come from a function of the frame, without a scene.
#ifndef RV_RIG_NODE_H
#define RV_RIG_NODE_H

#include "rivulet/node.h"

enum { RV_NODE_RIG_LENT = 1024 };

typedef struct RvNodeRigDef {
  const char* type;
  const char* const* parms;  // token, text, token, text, ... NULL; or NULL
  size_t ninput;
  // Makes input `index` at a frame; NULL in *out: not wired.
  RvResult (*make)(void* user, size_t index, double frame, RvDetail** out, RvError* error);
  void* user;
  bool whole;  // the host has whole frames only
} RvNodeRigDef;

typedef struct RvNodeRig {
  RvNodeRigDef def;
  RvCook cook;
  RvDetail* state;  // of the last frame
  RvDetail* now[RV_NODE_MAX_INPUTS];
  const RvDetail* inputs[RV_NODE_MAX_INPUTS];
  RvDetail* lent[RV_NODE_RIG_LENT];  // inputs at other moments, until the frame ends
  size_t nlent;
  RvStats stats;
  RvHost host;
  RvVars vars;
  RvParms* values;
  void *parms, *cache;
} RvNodeRig;

// The start frame, 1, at 24 frames a second. The rig must stay where it is. Close in any case.
RvResult rv_rig_node_open(RvNodeRig* rig, const RvNodeRigDef* def, RvError* error);
// Makes the inputs of the next frame; then rv_rig_node_step makes its state.
RvResult rv_rig_node_next(RvNodeRig* rig, RvError* error);
RvResult rv_rig_node_step(RvNodeRig* rig, RvError* error);
void rv_rig_node_close(RvNodeRig* rig);

#endif
