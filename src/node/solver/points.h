// A set of points that a solver simulates: exact places and velocities in its data, their rounded copies P and v on the
// state, an artist's edits of these, and the animated input that the points follow.
#ifndef RV_NODE_SOLVER_POINTS_H
#define RV_NODE_SOLVER_POINTS_H

#include "node/solver/sampler.h"

// A row of the state in the member `m` of the data: an array of points or primitives, or numbers of the whole.
#define RV_SOLVER_ARRAY(Data, m, of, type, n, unit, stage, help) \
  RV_FIELD_OF(Data, m, "rv_" #m, of, type, n, RV_LAYOUT_ARRAY, "", unit, stage, help)
#define RV_SOLVER_NUMBERS(Data, m, type, n, unit, stage, help) \
  RV_FIELD_OF(Data, m, "rv_" #m, RV_GLOBAL, type, n, RV_LAYOUT_NUMBERS, "", unit, stage, help)
// Places (m, relative to the scene's origin) and velocities (m/s), and the samples of the input. A solver of several
// sets of points has these rows for each part of its state (RvNodeType.parts).
#define RV_SOLVER_PART_FIELDS(Data, part)                                                                              \
  RV_FIELD_OF(Data, x, "rv_x", RV_POINT, RV_F64, 3, RV_LAYOUT_ARRAY, part, "m", "substep", "Exact place, in metres."), \
      RV_FIELD_OF(Data, v, "rv_v", RV_POINT, RV_F64, 3, RV_LAYOUT_ARRAY, part, "m/s", "substep",                       \
                  "Exact velocity, per simulated second."),                                                            \
      RV_FIELD("rv_sample", RV_POINT, RV_F32, 6, RV_TAG_NONE, part, "", "inputs", true,                                \
               "The input at the state's frame: P, and its motion in the frame before."),                              \
      RV_FIELD("rv_dt", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, part, "s", "substep", true,                                 \
               "The last substep, and the time scale.")
#define RV_SOLVER_FIELDS(Data) RV_SOLVER_PART_FIELDS(Data, "")

typedef struct RvPointSet {
  RvCook* cook;
  double meters;     // of a unit of the scene
  double timescale;  // simulated seconds a second of the scene
  size_t count;
  double *x, *v;  // [count][3] m, m/s; borrowed of the solver's data
  RvPointSampler sampler;
  double* goals;  // [count][3] m: the input at the moment that was asked for last
} RvPointSet;

// Places and velocities of the start frame, from P and v of the input; and rv_sample of the state, which has its
// points.
RvResult rv_points_start(RvPointSet* points, const RvDetail* in, RvDetail* state, RvError* error);
// Takes over an artist's edits of P and v, of which the cook tells, and begins to follow input `index`; -1: the points
// follow nothing, and `goals` stays NULL. `state` is that of the frame before, from which x and v were loaded.
RvResult rv_points_begin(RvPointSet* points, int index, const RvDetail* state, RvError* error);
// The input at a share of the frame, into `goals`.
RvResult rv_points_sample(RvPointSet* points, double share, RvError* error);
// Writes P, v, rv_sample, and rv_dt with the last substep, s.
RvResult rv_points_save(const RvPointSet* points, double last_substep, RvDetail* state, RvError* error);
// Frees what the set allocated.
void rv_points_end(RvPointSet* points);

#endif
