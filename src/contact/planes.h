// Planes of solids near places, for particle methods: a particle sees of each solid only the plane of its surface
// (AH-7, AH-16, VI-9).
#ifndef RV_CONTACT_PLANES_H
#define RV_CONTACT_PLANES_H

#include "contact/collider.h"

enum { RV_CONTACT_PLANES = 4 };  // surfaces of solids near a place, at most

// Surfaces of solids near a place: unit normal and offset, so that the distance at x is n . x + offset.
typedef struct RvContactPlanes {
  double offset[RV_CONTACT_PLANES];      // m, in the metres of the places
  float plane[RV_CONTACT_PLANES][4];     // normal, and room for an offset in other units
  float velocity[RV_CONTACT_PLANES][3];  // m/s, of the solid there
  float friction[RV_CONTACT_PLANES];
  float angle[RV_CONTACT_PLANES];  // rad, contact angle
  int count;
} RvContactPlanes;

// Walls of a box, and colliders; lengths in metres of the places.
typedef struct RvContactSolids {
  bool walls;
  double low[3], high[3];
  unsigned open_sides;          // bit 2a for the lower, 2a+1 for the upper side of axis a that is no wall
  double wall_angle;            // rad, contact angle of liquid on the walls
  const RvCollider* colliders;  // at the start of the substep, with their motion
  size_t ncollider;
} RvContactSolids;

typedef struct RvPlaneSearch {
  const RvContactSolids* solids;
  double time;    // s after the start of the substep at which solids are met
  double reach;   // m: planes nearer than this are kept
  double margin;  // m: places nearer than this are moved out to it
  size_t count;
  double* place;            // [count][3] m
  RvContactPlanes* planes;  // [count], defined where `near` is set
  uint8_t* near;            // [count]
  size_t* buried;           // NULL, or counts places in solids that have no surface near: they are not moved
} RvPlaneSearch;

// Finds the planes near all places, and moves places out of the margin. Work memory is the arena's.
RvResult rv_contact_planes_find(const RvPlaneSearch* search, RvArena* arena, RvError* error);

#endif
