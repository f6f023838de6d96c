// A solver node without a scene, for the checks: a function of the frame makes its inputs.
#ifndef RV_RIG_NODE_H
#define RV_RIG_NODE_H

#include "rivulet/node.h"

// Maximum number of inputs at other moments in one frame.
enum { RV_NODE_RIG_LENT = 1024 };

typedef struct RvNodeRigDef {
  const char* type;
  const char* const* parms;  // token, text, token, text, ... NULL; or NULL
  size_t ninput;
  // Makes input `index` at a frame; NULL in *out: not wired.
  RvResult (*make)(void* user, size_t index, double frame, RvDetail** out, RvError* error);
  void* user;
  bool whole;  // the rig gives inputs at whole frames only
} RvNodeRigDef;

typedef struct RvNodeRig {
  RvNodeRigDef def;
  RvCook cook;
  RvState state;                               // of the last frame
  RvDetail* now[RV_NODE_MAX_INPUTS];           // inputs at the current frame
  const RvDetail* inputs[RV_NODE_MAX_INPUTS];  // the same, as the cook takes them
  RvDetail* lent[RV_NODE_RIG_LENT];            // inputs at other moments, until the frame ends
  size_t nlent;
  RvStats stats;
  RvHost host;
  RvVars vars;
  RvParms* values;
  void *parms, *cache;
} RvNodeRig;

// Cooks the start frame, which is 1, at 24 frames a second. The rig must stay at its address. Close it also after a
// failure.
RvResult rv_rig_node_open(RvNodeRig* rig, const RvNodeRigDef* def, RvError* error);
// Makes the inputs and parameters of the next frame.
RvResult rv_rig_node_next(RvNodeRig* rig, RvError* error);
// Cooks the state of the frame that rv_rig_node_next prepared.
RvResult rv_rig_node_step(RvNodeRig* rig, RvError* error);
// Frees everything that the rig holds.
void rv_rig_node_close(RvNodeRig* rig);

#endif
