// A simulation of an embedding program, inside. An input is a list of pieces: one of strands, particles or other
// geometry, or any number of meshes, each of which passes through the node collider or source. A piece is known at up
// to three frames: that of the state, the one before it, and the next.
#ifndef RV_NODE_EMBED_SIM_H
#define RV_NODE_EMBED_SIM_H

#include "base/array.h"
#include "rivulet/solver.h"

typedef struct RvSimPiece {
  RvDetail* shape;          // at the frame of the state
  RvDetail* earlier;        // at the frame before it; NULL: the same
  RvDetail* next;           // at the frame after it; NULL: the same
  const RvNodeType* maker;  // node that the piece passes through, or NULL
  RvParms* parms;           // its values
  uint64_t parms_hash;      // of the values that the input was made with
  void* cache;              // its disposable data
} RvSimPiece;

typedef struct RvSimPort {
  RV_ARRAY(RvSimPiece) pieces;
  RvDetail* made;       // what the solver saw of the input at the frame of the state
  RvDetail* made_next;  // what it sees in the step that is running; NULL: the same as `made`
  bool asked;           // the callback knows its points at the frame of the step
} RvSimPort;

// An input at another moment of the step that is running.
typedef struct RvSimSample {
  size_t port;
  double frame;
  RvDetail* detail;
} RvSimSample;

struct RvSim {
  RvSimDef def;
  char* name;
  const RvNodeType* type;
  RvParms* values;   // the solver's parameters
  RvParms* between;  // a copy of them during a step, to be evaluated at other frames
  RvSimPort ports[RV_NODE_MAX_INPUTS];
  RV_ARRAY(RvSimSample) samples;
  RvState state;                          // empty before the start
  double frame;                           // of the state
  double target;                          // frame of the step that is running, else `frame`
  bool running;                           // a start or advance is; callbacks may not call back
  RvDetail* output[RV_NODE_MAX_OUTPUTS];  // made of the state when they are asked for
  RvStats stats;
  size_t warning_count;
  char* warnings[RV_STATS_MAX_WARNINGS];
  void* cache;  // the solver's disposable data
};

// The frame that the parameter startframe says.
RvResult rv_sim_start_frame(RvSim* sim, double* out, RvError* error);
// Forgets the outputs that were made of the state.
void rv_sim_drop_outputs(RvSim* sim);
// RV_BAD_INPUT while a start or advance is running.
RvResult rv_sim_check_idle(const RvSim* sim, RvError* error);
// Takes note of a message, and hands it on.
void rv_sim_message(RvSim* sim, RvLevel level, const char* text);

//---------------------------------------------------------------------------------------------- sim_port.c

// Index of an input, or of an output, by its name; the error lists the names.
RvResult rv_sim_find_port(const RvSim* sim, const char* name, bool output, size_t* out, RvError* error);
// A piece at the frame after the state (`next`), as far as it is set, or at that of the state.
const RvDetail* rv_sim_piece_shape(const RvSimPiece* piece, bool next);
// How many points all pieces of an input have there, and their positions, one piece after the other.
size_t rv_sim_port_points(const RvSimPort* port, bool next);
void rv_sim_port_read(const RvSimPort* port, bool next, float* positions);
// Moves all pieces. Before the start it moves the start frame, else the next.
RvResult rv_sim_port_move(RvSim* sim, RvSimPort* port, const float* positions, RvError* error);
// Refuses a position that is no number; the error names the input and the point.
RvResult rv_sim_check_positions(const char* port, const float* positions, size_t count, RvError* error);
void rv_sim_port_clear(RvSimPort* port);

//---------------------------------------------------------------------------------------------- sim_sample.c

// Makes what the solver sees of all inputs at the step's frame.
RvResult rv_sim_make_inputs(RvSim* sim, RvError* error);
// RvHost.input_at.
RvResult rv_sim_input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error);
// Ends a step: the next frame becomes that of the state (`done`), or stays the next.
void rv_sim_end_inputs(RvSim* sim, bool done);

#endif
