// The lookdev solver between the inputs and the state of its node, on the scaffold. Strands are those of the strand
// port; the method is rv_lookdev_substep in lookdev/solver.c.
#ifndef RV_NODE_SOLVER_LOOKDEV_FRAME_H
#define RV_NODE_SOLVER_LOOKDEV_FRAME_H

#include "lookdev/solver.h"
#include "node/solver/lookdev_liquid.h"
#include "node/solver/lookdev_parms.h"
#include "node/solver/scaffold.h"
#include "node/solver/wet_frame.h"

// Where a row's numbers are: rows of lanes a vertex or edge of an array of the solver.
#define RV_LOOKDEV_LANES(m, where, width) RV_AT(RvLookdevSolver, m), RV_IN_LANES(where, width, 0)

// Rows of the rods' state fields, beside those of the strands.
#define RV_LOOKDEV_FIELDS(part)                                                                                        \
  RV_FIELD_AT("rv_rodquat", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "", "rods",                                        \
              "Quaternion of the edge after the point: x, y, z, w.",                                                   \
              RV_LOOKDEV_LANES(state.quat, RV_LAYOUT_EDGE_LANES, 4)),                                                  \
      RV_FIELD_AT("rv_rodspin", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "rad/s", "rods",                               \
                  "Angular velocity of that edge in its own frame.",                                                   \
                  RV_LOOKDEV_LANES(state.spin, RV_LAYOUT_EDGE_LANES, 3)),                                              \
      RV_FIELD_AT("rv_tension", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "N", "rods", "Tension of that edge.",          \
                  RV_LOOKDEV_LANES(state.tension, RV_LAYOUT_EDGE_LANES, 1)),                                           \
      RV_FIELD_AT("rv_rodlength", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m", "start", "Rest length of that edge.",   \
                  RV_LOOKDEV_LANES(model.length, RV_LAYOUT_EDGE_LANES, 1)),                                            \
      RV_FIELD_AT("rv_rodrest", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "", "start",                                   \
                  "Rest rotation from the edge before the point to that after it: x, y, z, w.",                        \
                  RV_LOOKDEV_LANES(model.rest, RV_LAYOUT_VERTEX_LANES, 4)),                                            \
      RV_FIELD_AT("rv_press", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "N", "update", "Force of a solid on the point.", \
                  RV_LOOKDEV_LANES(press, RV_LAYOUT_VERTEX_LANES, 1)),                                                 \
      RV_FIELD_AT("rv_clearance", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m", "contacts",                             \
                  "No solid is nearer to the point; below 0: not known.",                                              \
                  RV_LOOKDEV_LANES(clearance, RV_LAYOUT_VERTEX_LANES, 1)),                                             \
      RV_FIELD_AT("rv_restdensity", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "kg/m3", "start",                          \
                  "Density of hair around the point in the groom.",                                                    \
                  RV_LOOKDEV_LANES(rest_density, RV_LAYOUT_VERTEX_LANES, 1))

// A frame: RvSolver.data.
typedef struct RvLookdevFrame {
  RvSolver* scaffold;
  RvCook* cook;
  RvWetParms parms, now;  // as those of the wet solver: at the frame, and at the moment asked for last
  RvStrandPort strands;
  RvLookdevLiquidPort wet;
  RvLookdevSolver solver;
  bool first;     // the frame after the start
  RvState state;  // copy of the state before; becomes that of the frame
} RvLookdevFrame;

extern const RvSolverMedia rv_lookdev_media;
RvResult rv_lookdev_advance(RvSolver* solver, RvError* error);
extern const char* const rv_lookdev_node_stages[];

#endif
