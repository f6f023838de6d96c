// What the files of the strand solver share: one frame of the hair stage between its input and its state.
#ifndef RV_NODE_SOLVER_STRANDSOLVER_H
#define RV_NODE_SOLVER_STRANDSOLVER_H

#include "rivulet/node.h"
#include "strand/carry.h"
#include "strand/forces.h"
#include "strand/io.h"

// The node's parameters, in SI.
typedef struct RvStrandSolveDef {
  double timescale;
  int substeps, maxsubsteps, niter, max_cg;
  double cfl, tolerance;
  RvIntegrator integrator;
  RvStrandMaterial material;
  bool equilibrium;
  double restangle, reststretch, reststiffen;  // rad, share, times
  double gravity[3], wind[3];
  double dragnormal, dragtangent, inertiascale, targettime;
} RvStrandSolveDef;

//---------------------------------------------------------------------------------------------- strandsolver_sample.c

// The animated strands between two frames: asked of the host, or, where it has whole frames only, interpolated: the
// rigid part as a turn, the rest with continuous velocity.
typedef struct RvStrandSampler {
  RvCook* cook;
  size_t npoint;
  const float* sample;  // rv_sample of the state: [npoint] place and way at the frame before
  const float* now;     // P at the frame
  bool whole;           // whole frames only
  bool first;           // nothing was stepped before
  RvRigid rigid;        // of all points, from the frame before; used if `whole`
  double* made;         // room for what is interpolated: far from the origin a float between frames is too coarse
} RvStrandSampler;

typedef struct RvStrandSample {
  const float* P;
  const double* exact;  // in place of P, where it was interpolated
  const float* orient;  // NULL: none, or not known between frames
} RvStrandSample;

static inline void rv_sample_point(const RvStrandSample* sample, size_t point, double out[3]) {
  for (size_t c = 0; c < 3; ++c) out[c] = sample->exact ? sample->exact[3 * point + c] : sample->P[3 * point + c];
}

// `state` is of the frame before. The topology of the input must be that of the state.
RvResult rv_sampler_begin(RvStrandSampler* sampler, RvCook* cook, const RvDetail* state, RvError* error);
// At a share of the frame, above 0 to 1.
RvResult rv_sampler_at(RvStrandSampler* sampler, double share, RvStrandSample* out, RvError* error);
// Writes rv_sample of the frame into `state`.
RvResult rv_sampler_keep(const RvStrandSampler* sampler, RvDetail* state, RvError* error);
// Velocity of the input's points in units of the scene a second: its v, or its motion from half a frame before to half
// a frame after, or, of whole frames, the slope that the interpolation ends with. rv_free it; NULL with `error` filled.
float* rv_sampler_velocity(RvStrandSampler* sampler, RvError* error);
void rv_sampler_end(RvStrandSampler* sampler);

//---------------------------------------------------------------------------------------------- strandsolver_frame.c

// Point attributes of the input at the frame by vertex of the set; NULL where there is none.
typedef struct RvStrandGuide {
  float *wind, *force, *goal;
  uint8_t* pinned;
} RvStrandGuide;

typedef struct RvStrandSolve RvStrandSolve;
struct RvStrandSolve {
  RvCook* cook;
  RvStrandSolveDef def;
  RvStrandSet set;
  RvStrandModel* model;
  RvStrandState *state, *backup;
  RvStrandGlobals globals;
  RvStrandGuide guide;
  bool animated;               // every point goes where the input goes, not only roots and pins
  double *multiple, *stiffen;  // [strands]; stiffen as rv_stiffen, at the start
  RvForces forces;
  double *target, *target_before, *target_velocity;  // [unknowns]: the input's places, at both ends of the substep
  double* rootdir;                                   // [strands][3], as rv_rootdir
  float* air;                                        // [vertices][3] wind of all kinds, or NULL
  RvGrid* wind_grid;                                 // borrowed
  double* memory;
  RvArena* scratch;  // room of a step
  struct RvStrandContacts* contacts;
  // what the frame came to
  int substeps, iterations;
  double residual;
  size_t unconverged, healed;
  // The method, from one share of the frame to another; and what follows once a substep is taken, or NULL.
  RvResult (*substep)(RvStrandSolve* solve, RvStrandSampler* sampler, double from, double to, RvStrandStats* stats,
                      RvError* error);
  RvResult (*taken)(RvStrandSolve* solve, double from, double to, RvError* error);
  void* user;
};

// Arrays of a solve whose set and model are there.
RvResult rv_solve_strands_new(RvStrandSolve* solve, RvError* error);
void rv_solve_strands_free(RvStrandSolve* solve);
// Reads the guiding attributes of the input and fixes the roots and what is pinned.
RvResult rv_solve_guide(RvStrandSolve* solve, const RvDetail* input, RvError* error);
// How many strands have a given point, a root, a pin, or any of an animated strand, whose place in the input is not a
// number: it stays where it was.
size_t rv_solve_lost_roots(const RvStrandSolve* solve, const float* P, int32_t* first);
// Places of the input's points as targets of all unknowns but the angles.
void rv_solve_targets(RvStrandSolve* solve, const RvStrandSample* sample, double* target);
// Directions of the material frames at the roots: by `orient`, or with the roots' common motion.
void rv_solve_root_angles(RvStrandSolve* solve, const float* orient, const RvRigid* motion);
// At the start: the root's director in the frame of `orient`, for rv_rootdir.
void rv_solve_root_directors(RvStrandSolve* solve, const float* orient);
// How many substeps the motion of the roots needs.
int rv_solve_count(const RvStrandSolve* solve, const RvStrandSample* middle, const RvStrandSample* end);
// Velocities of what is given become those of the skin.
void rv_solve_skin_velocity(RvStrandSolve* solve, const float* v);
// Strands that a step lost (numbers that are none) go back to the step's start, at rest. Returns how many.
size_t rv_solve_heal(RvStrandSolve* solve);
void rv_solve_copy_state(const RvStrandModel* model, const RvStrandState* from, RvStrandState* to);

//---------------------------------------------------------------------------------------------- strandsolver_solve.c

struct RvStrandParms;
RvStrandSolveDef rv_strandsolve_def(const struct RvStrandParms* parms, double meters);
// The stages of a substep, in their order.
RvResult rv_strandsolve_sample(RvStrandSolve* solve, RvStrandSampler* sampler, double share, double dt,
                               RvStrandSample* in, RvError* error);
RvResult rv_strandsolve_carry(RvStrandSolve* solve, const RvStrandSample* in, double dt, RvError* error);
const RvForceDef* rv_strandsolve_force_def(RvStrandSolve* solve, RvForceDef* def);
RvStrandStepDef rv_strandsolve_step_def(const RvStrandSolve* solve, double dt);
RvResult rv_strandsolve_step(RvStrandSolve* solve, const RvStrandStepDef* step, RvStrandStats* stats, RvError* error);
void rv_strandsolve_update(RvStrandSolve* solve, double dt);
// [from, to] of the frame in one substep, or in two of half its length where that did not converge. depth 0.
RvResult rv_strandsolve_advance(RvStrandSolve* solve, RvStrandSampler* sampler, double from, double to, int depth,
                                RvError* error);
// How many substeps the frame wants, and all of them.
RvResult rv_strandsolve_count(RvStrandSolve* solve, RvStrandSampler* sampler, int* count, RvError* error);
RvResult rv_strandsolve_frame(RvStrandSolve* solve, RvStrandSampler* sampler, RvError* error);

//---------------------------------------------------------------------------------------------- strandsolver_state.c

// The state of the start frame, from input 0; parms are RvStrandParms.
RvResult rv_strandsolve_start(RvCook* cook, RvDetail** out, RvError* error);
// A solve with cook, def and contacts set gets the state `out`, and writes it back after the frame.
RvResult rv_strandsolve_begin(RvStrandSolve* solve, RvStrandSampler* sampler, RvDetail* out, RvError* error);
RvResult rv_strandsolve_end(RvStrandSolve* solve, RvStrandSampler* sampler, RvDetail* out, RvError* error);
// Nothing moves, and nothing is forgotten.
RvResult rv_strandsolve_freeze(RvDetail* out, RvError* error);
// Counts and warnings of the frame.
void rv_strandsolve_tell(const RvStrandSolve* solve);

static inline double rv_cook_meters(const RvCook* cook) {
  return cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
}

#endif
