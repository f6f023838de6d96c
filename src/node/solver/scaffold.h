// The scaffold of a solver node: everything around the method, for every solver.
//
// A solver type provides its data, the rows of its state, its stages, and one substep (with the longest that it allows)
// or, where it has a loop of its own, one frame. The scaffold samples keyed parameters for every substep, checks the
// state, chooses the substeps, polls for a cancel, reads solids once a frame, keeps the seconds of the stages, and
// splits the outputs.
//
// What becomes of the state is the part of the media. Most solvers have one set of points, rv_solver_points (points.h),
// which loads and saves all by the rows of the state; strands, film and liquid are rv_wet_media (wet_frame.h). A solver
// of several sets of points has media of its own that call the functions of RvPointSet for each.
//
// The node's parameters must begin with the rows of RV_SOLVER_PARMS. See docs/contributing.md.
#ifndef RV_NODE_SOLVER_SCAFFOLD_H
#define RV_NODE_SOLVER_SCAFFOLD_H

#include <stddef.h>

#include "contact/collider.h"
#include "node/solver/cache.h"
#include "node/solver/colliders.h"
#include "node/solver/points.h"
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

typedef struct RvSolver RvSolver;
typedef struct RvSolverType RvSolverType;

// How the state of a solver becomes its data, and back. Functions that are NULL do nothing.
typedef struct RvSolverMedia {
  // Prepares the data, which are zero, before a start or a step.
  RvResult (*init)(RvSolver* solver, RvError* error);
  // The state of the start frame: new details, in the parts of *state, which are NULL before.
  RvResult (*start)(RvSolver* solver, RvState* state, RvError* error);
  // Loads the state of the frame before, and reads the inputs of the frame.
  RvResult (*load)(RvSolver* solver, RvError* error);
  // Inputs of a part of the frame of `dt` simulated seconds, between two shares of it. Not called with
  // RvSolverType.advance.
  RvResult (*inputs)(RvSolver* solver, double from, double to, double dt, RvError* error);
  // The state of the frame: new details, in the parts of *state, which are NULL before.
  RvResult (*save)(RvSolver* solver, RvState* state, RvError* error);
  // The outputs of the cook before the state, new details; those that stay NULL become empty ones.
  RvResult (*split)(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error);
  // Counts, stages and warnings of a frame that succeeded.
  void (*tell)(RvSolver* solver);
  // Frees what the data hold; it is called after failures too.
  void (*end)(RvSolver* solver);
} RvSolverMedia;

// What makes a node a solver. Either `substep` or `advance` is given.
struct RvSolverType {
  size_t data_bytes;   // of the solver's data
  size_t x, v;         // rv_solver_points: offsets of its members x and v
  int collider_input;  // index of the port; -1: none
  // rv_solver_points: data of the start frame, beyond x and v. Arrays of the fields are there, zero.
  RvResult (*start)(RvSolver* solver, RvError* error);
  // The longest substep that the solver allows now, s; NULL: any.
  double (*longest)(const RvSolver* solver);
  // One substep of `dt` simulated seconds, with the inputs of its end in `solver`.
  RvResult (*substep)(RvSolver* solver, double dt, RvError* error);
  // rv_solver_points: attributes that artists see, beyond P and v, and the ledger in cook->stats; NULL: none.
  RvResult (*look)(RvSolver* solver, RvDetail* out, RvError* error);
  // A whole frame, for solvers with a loop of their own. A frame that is frozen (time scale 0) is not advanced.
  RvResult (*advance)(RvSolver* solver, RvError* error);
  const RvSolverMedia* media;  // NULL: rv_solver_points
  const void* user;            // constants of the media
};

// The first members of the RvSolverType of a solver of points with these data.
#define RV_SOLVER_DATA(Data) .data_bytes = sizeof(Data), .x = offsetof(Data, x), .v = offsetof(Data, v)

struct RvSolver {
  const RvSolverType* type;
  const RvSolverMedia* media;
  RvCook* cook;
  void* data;
  const void* parms;       // the node's, at the moment that was asked for last
  double meters;           // of a unit of the scene
  double timescale;        // simulated seconds a second of the scene
  double frame_seconds;    // simulated seconds of the frame
  double substep_seconds;  // of the last substep; 0 before the first
  RvColliders colliders;   // solids of the frame, for the views of the media
  // rv_solver_points and rv_solver_move_solids
  size_t count;              // points
  const double* goal;        // [count][3] the input's places at the end of the substep, m
  const RvCollider* solids;  // at the start of the substep, with their motion
  size_t nsolid;
  // the scaffold's own
  RvPointSet points;
  RvDetail* state;  // that the points are loaded from, until it is saved
  RvColliderView view;
  RvSolidStep* steps;
  RvCollider* solid_steps;
  void *parm_room, *sampled_parms;
  RvArena* scratch;
};

// A number of the node's parameters by its token; 0 where it has none.
double rv_solver_number(const RvCook* cook, const char* token);

// RvNodeType's start, step and split.
RvResult rv_solver_start(const RvSolverType* type, RvCook* cook, RvError* error);
RvResult rv_solver_step(const RvSolverType* type, RvCook* cook, RvError* error);
RvResult rv_solver_split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error);

// The node's parameters at a share of the frame, in `parms`; keyed values change within a frame too. *changed: they are
// others than before.
RvResult rv_solver_sample_parms(RvSolver* solver, double share, bool* changed, RvError* error);
// Adds seconds to the timer of a stage; a node without the stage does not show them.
void rv_solver_add_seconds(RvSolver* solver, const char* stage, double seconds);

//---------------------------------------------------------------------------------------------- solids
//(solver_solids.c)

// Begins the solver's own view of the solids, as contacts see them, in metres about the scene's origin.
RvResult rv_solver_begin_solids(RvSolver* solver, RvError* error);
// Sets `solids` for a part of the frame.
RvResult rv_solver_move_solids(RvSolver* solver, double from, double to, double dt, RvError* error);
// Releases the view.
void rv_solver_end_solids(RvSolver* solver);
// Distance of a place (m) to the nearest solid, negative inside, with its normal and the solid's velocity; infinite
// without solids.
RvResult rv_solver_distance(const RvSolver* solver, const double x[3], double* distance, RvVec3* normal,
                            RvVec3* velocity, RvError* error);

//---------------------------------------------------------------------------------------------- the node

// Media of one set of points in the members x and v of the data; the type names their offsets.
extern const RvSolverMedia rv_solver_points;

// Ports and stages of a solver of points: points and colliders in; points and the state out.
extern const RvPortDef rv_solver_inputs[2], rv_solver_outputs[2];
extern const char* const rv_solver_stages[];

// The functions symbol_start, symbol_step and symbol_split of a node type, and its cache: members of RvNodeType.
#define RV_SOLVER_CALLS(symbol, solver)                                                \
  static RvResult symbol##_start(RvCook* cook, RvError* error) {                       \
    return rv_solver_start(&(solver), cook, error);                                    \
  }                                                                                    \
  static RvResult symbol##_step(RvCook* cook, RvError* error) {                        \
    return rv_solver_step(&(solver), cook, error);                                     \
  }                                                                                    \
  static RvResult symbol##_split(RvCook* cook, const RvState* state, RvError* error) { \
    return rv_solver_split(&(solver), cook, state, error);                             \
  }
#define RV_SOLVER_MEMBERS(symbol) \
  .start = symbol##_start, .step = symbol##_step, .split = symbol##_split, .free_cache = rv_solver_free_cache

// The node type `symbol` of a solver of points: its name, label and what the manual says of it, its table of
// parameters, its fields and its RvSolverType.
#define RV_SOLVER_NODE(symbol, type_name, label_text, summary_text, help_text, table, field_rows, solver) \
  RV_SOLVER_CALLS(symbol, solver)                                                                         \
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
                             RV_SOLVER_MEMBERS(symbol)};

#endif
