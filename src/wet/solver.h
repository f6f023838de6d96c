// The coupled solver without a host: strands, their contacts, the film on them and the liquid around them, each of
// which may be missing. rv_wet_substep is the method (spec 1.3) and the only text of it: nodes, checks, benchmarks and
// embedding programs all call it. Strands alone make it the strand solver, liquid alone the liquid solver.
//
// The order is that of the spec, begun at another place: a substep begins with particles that were moved, so that the
// grid which the strands feel is made of them and needs no memory, and ends with their move.
//
// Data comes in through one callback, asked at the head of each substep for what stands beside the liquid and at the
// head of each of the strands' steps for their roots: it writes into the media's own inputs.
#ifndef RV_WET_SOLVER_H
#define RV_WET_SOLVER_H

#include "contact/solver.h"
#include "wet/cached.h"
#include "wet/film.h"

// The stages in their order: owner, name. The owner's timers hold the seconds: the solver's own (WET), or the liquid's.
// `inputs` is the time that the callback takes.
#define RV_WET_STAGES(X) \
  X(INPUTS, inputs)      \
  X(LIQUID, resample)    \
  X(LIQUID, sort)        \
  X(WET, capture)        \
  X(WET, drip)           \
  X(LIQUID, sources)     \
  X(LIQUID, grid)        \
  X(LIQUID, togrid)      \
  X(LIQUID, solids)      \
  X(LIQUID, surface)     \
  X(WET, sample)         \
  X(WET, bundle)         \
  X(WET, meniscus)       \
  X(STRAND, roots)       \
  X(STRAND, carry)       \
  X(WET, loads)          \
  X(STRAND, hairforces)  \
  X(STRAND, contacts)    \
  X(STRAND, strands)     \
  X(STRAND, update)      \
  X(WET, film)           \
  X(WET, across)         \
  X(WET, dry)            \
  X(WET, react)          \
  X(LIQUID, forces)      \
  X(LIQUID, viscosity)   \
  X(LIQUID, volume)      \
  X(LIQUID, pressure)    \
  X(WET, feedback)       \
  X(LIQUID, extrapolate) \
  X(LIQUID, fromgrid)    \
  X(LIQUID, collide)

typedef enum RvWetStage {
#define RV_WET_STAGE_ENUM(owner, name) RV_WET_STAGE_##name,
  RV_WET_STAGES(RV_WET_STAGE_ENUM)
#undef RV_WET_STAGE_ENUM
      RV_WET_STAGE_COUNT
} RvWetStage;

typedef enum RvWetMedium { RV_WET_MEDIUM_LIQUID, RV_WET_MEDIUM_STRANDS } RvWetMedium;

// A part of a frame for which inputs are asked.
typedef struct RvWetSpan {
  RvWetMedium medium;           // whose inputs
  double from, to;              // simulated seconds since the frame before; of the liquid
  double share_from, share_to;  // the same as shares of the frame
  double dt;                    // simulated seconds
} RvWetSpan;

// What the solver asks of its surroundings; each function may be NULL.
typedef struct RvWetHost {
  void* user;
  // Liquid: writes liquid->model and liquid->inputs, and places the cached liquid. Strands: writes strands->settings,
  // strands->air, contacts->colliders and `sample`. What it does not write stays as it was.
  RvResult (*inputs)(void* user, const RvWetSpan* span, RvError* error);
  // Asked between stages with the share of the frame that is done: true ends with RV_CANCELLED.
  bool (*cancelled)(void* user, double share, const char* stage);
} RvWetHost;

typedef struct RvWetSolver {
  RvWetHost host;
  // Media; NULL: there is none. They are the caller's. Film needs strands and liquid, contacts need strands.
  RvStrandSolver* strands;
  RvContactSolver* contacts;
  RvLiquid* liquid;
  RvWetFilm* film;
  RvWetCached* cached;
  // Model.
  double frame_seconds;  // simulated seconds of a frame
  int strand_substeps;   // steps of strands and film in each substep of the liquid
  // Inputs.
  RvStrandSample sample;     // of the strands at the end of their step; P NULL: the caller sets the targets itself
  const double* paint_rate;  // [vertices] m/s of film height; NULL: nothing is painted
  // What the frame came to.
  double seconds[RV_WET_STAGE_COUNT];  // of the stages of STRAND and WET
} RvWetSolver;

// One substep of all media over a part of the frame; its `medium` does not count.
RvResult rv_wet_substep(RvWetSolver* solver, const RvWetSpan* span, RvError* error);
// A frame in at least `least` and at most `most` substeps: as many as the liquid's CFL wants, or `least` without
// liquid.
RvResult rv_wet_frame(RvWetSolver* solver, int least, int most, RvError* error);
// Seconds of a stage, whoever owns it.
double rv_wet_stage_seconds(const RvWetSolver* solver, RvWetStage stage);

#endif
