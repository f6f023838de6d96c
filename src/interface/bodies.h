// Free bodies of particles (VI-20): rigid, moved by the liquid, and felt by it.
//
// Particles of a body are particles as all others: they have density, pair forces and pressure. What makes them one is
// that their displacement is projected onto rigid motions after every pressure step, by the masses of the particles.
// The projection keeps momentum and angular momentum, and the pressure's equations stay symmetric: so whatever the
// liquid gives to a body it loses. At the end of a substep the body turns by Cayley's map of its rotation, which keeps
// its shape, and the velocities of its particles are those of the rigid motion about the turned inertia.
//
// Bodies meet liquid and each other by pressure, and walls and colliders by impulses on the whole body: a pressure that
// is known to a residual of single particles would bounce a block that a hundred of them carry.
//
// A body is solid: its own particles may lie closer than liquid does. What they add to each other's density beyond that
// at rest is left out.
#ifndef RV_INTERFACE_BODIES_H
#define RV_INTERFACE_BODIES_H

#include "base/arena.h"
#include "math/vec.h"

// Largest number of a body.
enum { RV_INTERFACE_MOST_BODIES = 65535 };

typedef struct RvInterfaceBodies {
  int count;                // bodies are numbered 1 to count; 0 is liquid
  const int32_t* row_body;  // bodies of the particles' rows; NULL: there are none
} RvInterfaceBodies;

// A body in a substep.
typedef struct RvInterfaceBody {
  size_t first, last;  // its members
  double mass;         // in masses of a whole particle of the first phase
  RvVec3 centre;       // m
  RvMat3 inertia;      // about the centre, that mass times m2
  RvMat3 inverse;      // of the inertia
  RvVec3 shift;        // of the last projection: displacement of the centre
  RvVec3 turn;         // and of the rotation a metre from the centre
} RvInterfaceBody;

// All bodies of a substep; arrays are of the arena.
typedef struct RvInterfaceBodyWork {
  size_t count;  // bodies with particles
  RvInterfaceBody* body;
  uint32_t* member;  // [members] indices of the sorted set, body by body
} RvInterfaceBodyWork;

#endif
