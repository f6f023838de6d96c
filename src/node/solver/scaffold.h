// The scaffold of a solver node: everything around the method. A solver of points provides its parameters, state
// fields, stages, ports, and the functions below; the scaffold reads and checks the state, samples animated points,
// solids and keyed parameters for every substep, chooses the substeps, polls for a cancel, keeps edits of P and v,
// passes unknown attributes through, saves the state and splits the outputs.
//
// The node's parameters must begin with the rows of RV_SOLVER_PARMS, and its state needs two fields of the scaffold's:
//
//   static const RvFieldDef fields[] = {RV_SOLVER_FIELDS(Data), ...};
//
// whose places and velocities stand in the members `x` and `v` of its data. See docs/contributing.md.
#ifndef RV_NODE_SOLVER_SCAFFOLD_H
#define RV_NODE_SOLVER_SCAFFOLD_H

#include <stddef.h>

#include "contact/collider.h"
#include "node/solver/colliders.h"
#include "node/solver/sampler.h"
#include "node/solver/solids.h"
#include "parm/table.h"

// Rows that every solver node has.
#define RV_SOLVER_PARMS(X)                                                                                          \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                 \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the input; simulation begins after it.")   \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "", "Simulated seconds a second of the scene; 0 freezes.") \
  X(INT, substeps, "Min Substeps", 1, HARD(1), HARD(1000), "", "Fewest steps a frame.")                             \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "", "Most steps a frame.")                           \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the output.")

// A row of the state in the member `m` of the data: an array of points or primitives, or numbers of the whole.
#define RV_SOLVER_ARRAY(Data, m, of, type, n, unit, stage, help) \
  RV_FIELD_OF(Data, m, "rv_" #m, of, type, n, RV_LAYOUT_ARRAY, "", unit, stage, help)
#define RV_SOLVER_NUMBERS(Data, m, type, n, unit, stage, help) \
  RV_FIELD_OF(Data, m, "rv_" #m, RV_GLOBAL, type, n, RV_LAYOUT_NUMBERS, "", unit, stage, help)
// Places (m, relative to the scene's origin) and velocities (m/s), and the samples of the input.
#define RV_SOLVER_FIELDS(Data)                                                                                  \
  RV_SOLVER_ARRAY(Data, x, RV_POINT, RV_F64, 3, "m", "substep", "Exact place, in metres."),                     \
      RV_SOLVER_ARRAY(Data, v, RV_POINT, RV_F64, 3, "m/s", "substep", "Exact velocity, per simulated second."), \
      RV_FIELD("rv_sample", RV_POINT, RV_F32, 6, RV_TAG_NONE, "", "", "inputs", true,                           \
               "The input at the state's frame: P, and its motion in the frame before."),                       \
      RV_FIELD("rv_dt", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, "", "s", "substep", true,                            \
               "The last substep, and the time scale.")

typedef struct RvSolver RvSolver;

typedef struct RvSolverType {
  size_t data_bytes;   // of the solver's data
  size_t x, v;         // offsets of its members x and v
  int collider_input;  // index of the port; -1: none. Points are input 1.
  // Data of the start frame, beyond x and v. Arrays of the fields are there, zero.
  RvResult (*start)(RvSolver* solver, RvError* error);
  // The longest substep that the solver allows now, s; NULL: any.
  double (*longest)(const RvSolver* solver);
  // One substep of `dt` simulated seconds, with the inputs of its end in `solver`.
  RvResult (*substep)(RvSolver* solver, double dt, RvError* error);
  // Attributes that artists see, beyond P and v, and the ledger in cook->stats; NULL: none.
  RvResult (*look)(RvSolver* solver, RvDetail* out, RvError* error);
} RvSolverType;

struct RvSolver {
  const RvSolverType* type;
  RvCook* cook;
  void* data;
  size_t count;        // points
  const void* parms;   // the node's, at the end of the substep
  const double* goal;  // [count][3] the input's places at the end of the substep, m
  const RvCollider* solids;
  size_t nsolid;
  double meters;  // of a unit of the scene
  // the scaffold's own
  double timescale, frame_seconds;
  RvPointSampler sampler;
  RvColliders colliders;
  RvSolidStep* steps;
  RvCollider* solid_steps;
  double* goals;
  void* parm_room;
  RvArena* scratch;
};

// RvNodeType's start, step and split.
RvResult rv_solver_start(const RvSolverType* type, RvCook* cook, RvError* error);
RvResult rv_solver_step(const RvSolverType* type, RvCook* cook, RvError* error);
RvResult rv_solver_split(RvCook* cook, const RvState* state, RvError* error);

// Distance of a place (m) to the nearest solid, negative inside, with its normal and the solid's velocity; infinite
// without solids.
RvResult rv_solver_distance(const RvSolver* solver, const double x[3], double* distance, RvVec3* normal,
                            RvVec3* velocity, RvError* error);

//---------------------------------------------------------------------------------------------- the node

// Ports of a solver of points: points and colliders in; points and the state out.
extern const RvPortDef rv_solver_inputs[2], rv_solver_outputs[2];
extern const char* const rv_solver_stages[];

// The node type `symbol` of a solver of points: its name, label and what the manual says of it, its table of
// parameters, its fields and its RvSolverType.
#define RV_SOLVER_NODE(symbol, type_name, label_text, summary_text, help_text, table, field_rows, solver) \
  static RvResult symbol##_start(RvCook* cook, RvError* error) {                                          \
    return rv_solver_start(&(solver), cook, error);                                                       \
  }                                                                                                       \
  static RvResult symbol##_step(RvCook* cook, RvError* error) {                                           \
    return rv_solver_step(&(solver), cook, error);                                                        \
  }                                                                                                       \
  const RvNodeType symbol = {.type = type_name,                                                           \
                             .label = label_text,                                                         \
                             .category = "Solvers",                                                       \
                             .summary = summary_text,                                                     \
                             .help = help_text,                                                           \
                             .flags = RV_NODE_SOLVER,                                                     \
                             .revision = 1,                                                               \
                             .inputs = rv_solver_inputs,                                                  \
                             .ninput = 2,                                                                 \
                             .outputs = rv_solver_outputs,                                                \
                             .noutput = 2,                                                                \
                             .parms = &(table),                                                           \
                             .stages = rv_solver_stages,                                                  \
                             .fields = field_rows,                                                        \
                             .nfield = sizeof(field_rows) / sizeof *(field_rows),                         \
                             .start = symbol##_start,                                                     \
                             .step = symbol##_step,                                                       \
                             .split = rv_solver_split,                                                    \
                             .free_cache = rv_colliders_free_cache};

#endif
