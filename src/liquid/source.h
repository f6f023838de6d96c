// Where liquid comes from and where it goes (WH-43): emitters by rate, regions kept full, sinks, open sides, kill
// boxes.
//
// Use, once a substep, by the solver's frame:
//   1. rv_liquid_sinks_take   after particles moved: marks what leaves as dead and counts it
//   2. rv_liquid_particles_sort      takes the dead away
//   3. rv_liquid_source_flow  for each source in the order of its id, before the grid is built: new particles stand
//                             behind the sorted ones
//   4. rv_liquid_particles_sort      if flow->born rose: after each source that fills, as the next one counts sorted
//                             particles, and after the last
// The ledger is exact: each particle's volume is counted as it comes or goes. bulk = initial + sources - killed -
// outflow.
#ifndef RV_LIQUID_SOURCE_H
#define RV_LIQUID_SOURCE_H

#include "liquid/sink.h"

typedef enum RvSourceMode {
  RV_SOURCE_EMIT,  // a volume per second out of triangles
  RV_SOURCE_FILL   // keeps a region full
} RvSourceMode;

// What a source remembers from substep to substep; part of the solver's state, zero at the start.
typedef struct RvSourceState {
  double owed;   // m^3 that flowed but are less than a particle, or a drop
  int64_t born;  // particles or drops so far: the number of the next
} RvSourceState;

typedef struct RvLiquidSource {
  RvSourceMode mode;
  int32_t id;   // chooses the random numbers; unique among the sources
  int32_t row;  // of its particles: point of the input whose attributes they get (liquid/particles.h)
  bool active;
  double rate;         // m^3/s over all triangles
  double drop;         // m^3 of a drop; 0: a stream of single particles
  double velocity[3];  // m/s in the world
  double speed;        // m/s along the outward normal, added
  double inherit;      // share of the shape's own velocity, added
  double spread;       // rad: half the angle of the cone of directions around velocity + speed
  // RV_SOURCE_EMIT: three corners (m) a triangle at the end of the substep, clockwise seen from outside as Houdini
  // winds them, and the corners' velocities (m/s) or NULL
  size_t ntriangle;
  const double* corners;
  const float* corner_velocity;
  // RV_SOURCE_FILL: the inside at the end of the substep, and the rigid motion of the shape: of its `center`, m/s, and
  // about it, rad/s
  RvRegion region;
  double center[3], linear[3], angular[3];
} RvLiquidSource;

typedef struct RvSourceSettings {
  double dx;              // m, of the grid
  double origin[3];       // of the grid
  double separation;      // m: a new particle has its cube of volume
  double jitter;          // random offset of a filled particle, as a share of its site, 0..1; usual: 0.5
  uint64_t seed;          // of the random numbers
  size_t max_particles;   // limit of all particles, checked before memory is taken
  const RvRegion* solid;  // solids, which are not filled; or NULL
  RvArena* scratch;       // work memory of the call
} RvSourceSettings;

// New particles of a substep of `dt` that ends now. A stream is even in space and time and does not depend on the
// length of the substeps: a particle is born when the volume that flowed reaches its own, and has moved since. Drops
// are born in the same way, each as several particles or as one small one (drop.h), so that their volumes, places and
// times do not depend on the size of the particles either. A region that is kept full gets as many whole particles as
// its volume lacks, in the emptiest cells first; never more, so that the noise of the particles does not pump liquid
// in. *next_id counts up, ids are never used again. Fails on an number of particles above max_particles, on a place out
// of range, and on values that are not numbers; then nothing is added.
RvResult rv_liquid_source_flow(const RvLiquidSource* source, RvSourceState* state, const RvSourceSettings* settings,
                               double dt, RvParticles* particles, int64_t* next_id, RvLiquidFlow* flow, RvError* error);

#endif
