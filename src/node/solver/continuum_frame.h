// The continuum solver between the inputs and the state of its node, on the scaffold. Strands are those of the strand
// port; the method is rv_continuum_substep in continuum/solver.c.
#ifndef RV_NODE_SOLVER_CONTINUUM_FRAME_H
#define RV_NODE_SOLVER_CONTINUUM_FRAME_H

#include "continuum/hair.h"
#include "continuum/turbulence.h"
#include "node/solver/continuum_parms.h"
#include "node/solver/scaffold.h"
#include "node/solver/wet_frame.h"

// Where a row's numbers are: an array of the chains' state or model, in lanes.
#define RV_CHAIN_STATE_LANES(m, where, width) \
  RV_AT_HELD(RvContinuum, state, RvChainState, m), RV_IN_LANES(where, width, 0)
#define RV_CHAIN_MODEL_LANES(m, where, width) \
  RV_AT_HELD(RvContinuum, model, RvChainModel, m), RV_IN_LANES(where, width, 0)

// Rows of the chains' state fields, beside those of the strands.
#define RV_CHAIN_FIELDS(part)                                                                                   \
  RV_FIELD_AT("rv_linkorient", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "", "chains",                            \
              "Orientation of the link after the point: x, y, z, w.",                                           \
              RV_CHAIN_STATE_LANES(orient, RV_LAYOUT_EDGE_LANES, 4)),                                           \
      RV_FIELD_AT("rv_linkspin", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "rad/s", "chains",                     \
                  "Angular velocity of that link.", RV_CHAIN_STATE_LANES(spin, RV_LAYOUT_EDGE_LANES, 3)),       \
      RV_FIELD_AT("rv_linkrest", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "", "start",                           \
                  "Rest turn from the link before the point, or the root, to that after it: x, y, z, w.",       \
                  RV_CHAIN_MODEL_LANES(rest, RV_LAYOUT_EDGE_LANES, 4)),                                         \
      RV_FIELD_AT("rv_rootx", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "m", "roots", "Place of the root.",        \
                  RV_CHAIN_STATE_LANES(base_x, RV_LAYOUT_STRAND_LANES, 3)),                                     \
      RV_FIELD_AT("rv_rootorient", RV_PRIM, RV_F64, 4, RV_TAG_NONE, part, "", "roots",                          \
                  "Orientation of the root: x, y, z, w.",                                                       \
                  RV_CHAIN_STATE_LANES(base_orient, RV_LAYOUT_STRAND_LANES, 4)),                                \
      RV_FIELD_AT("rv_rootv", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "m/s", "roots", "Velocity of the root.",   \
                  RV_CHAIN_STATE_LANES(base_v, RV_LAYOUT_STRAND_LANES, 3)),                                     \
      RV_FIELD_AT("rv_rootspin", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "rad/s", "roots",                       \
                  "Angular velocity of the root.", RV_CHAIN_STATE_LANES(base_spin, RV_LAYOUT_STRAND_LANES, 3)), \
      RV_FIELD("rv_airtiles", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "air", true,                         \
               "Solved air: size of a cell, m, and three coordinates of each tile."),                           \
      RV_FIELD("rv_airw", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "m/s", "air", true,                          \
               "Solved air: what hair and solids change of the wind, three times 512 faces of each tile."),     \
      RV_FIELD("rv_groomdensity", RV_GLOBAL, RV_F64, 1, RV_TAG_NONE, part, "kg/m3", "start", true,              \
               "Density of the hair at the densest place of the groom, or of a few strands in a cell.")

// A frame: RvSolver.data.
typedef struct RvContinuumFrame {
  RvSolver* scaffold;
  RvCook* cook;
  RvWetParms parms, now;  // as those of the wet solver: at the frame, and at the moment asked for last
  RvStrandPort strands;
  RvContinuumHair hair;
  bool first;            // the frame after the start
  double steps_wanted;   // by the motion of roots and solids, without maxsubsteps
  double groom_density;  // kg/m3
  double* water_load;    // [links] mass of water over that of dry hair; NULL: dry
  float* air;            // [vertices of the set][3] m/s: wind with its gusts; NULL: without
  RvTurbulence gusts;    // of the moment
  bool gusty;            // there are some
  uint8_t* edited;       // [vertices of the set] as in rv_continuum_hair_loaded; NULL: none
  RvState state;         // copy of the state before; becomes that of the frame
} RvContinuumFrame;

extern const RvSolverMedia rv_continuum_media;
RvResult rv_continuum_advance(RvSolver* solver, RvError* error);
extern const char* const rv_continuum_node_stages[];

//---------------------------------------------------------------------------------------------- continuum_look.c, continuum_air.c

// Reads the water on the strands of the input: waterload, or else filmheight.
RvResult rv_continuum_read_water(RvContinuumFrame* frame, RvError* error);
// Adds gusts to the wind at the vertices, at a share of the frame.
RvResult rv_continuum_gusts(RvContinuumFrame* frame, const RvContinuumParms* parms, double share, RvError* error);
// Settings of the solved air at a moment.
void rv_continuum_air_set_up(RvContinuumFrame* frame, const RvContinuumParms* parms);
// The solved air from the state, and back; its attributes are absent where the air is passive.
RvResult rv_continuum_air_load(RvContinuumFrame* frame, const RvDetail* state, RvError* error);
RvResult rv_continuum_air_save(RvContinuumFrame* frame, RvDetail* out, RvError* error);
// Attributes that artists see: hairdensity, airspeed, and the water of the frame.
RvResult rv_continuum_look(RvContinuumFrame* frame, RvDetail* out, RvError* error);

#endif
