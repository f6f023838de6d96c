// Surface nets: a mesh of quads around the region where a function is below 0.
//
// The function is sampled on a lattice. Every cell with corners on both sides of the surface gets one point, and every
// edge of the lattice that crosses the surface gets a quad of the points of its four cells (Gibson 1998). Newton steps
// along the gradient then move the points onto the surface, so that the mesh does not show the lattice.
#ifndef RV_NODE_SHAPE_NETS_H
#define RV_NODE_SHAPE_NETS_H

#include "node/shape/shape.h"

typedef struct RvNets {
  RvVec3 low;                                          // first place of the lattice
  double spacing;                                      // of its places
  int count[3];                                        // places along x, y and z
  double (*distance)(const void* user, RvVec3 place);  // below 0 inside; about a distance near the surface
  const void* user;
} RvNets;

// Makes the closed mesh. The region must not touch the border of the lattice. The caller ends the shape.
RvResult rv_nets_mesh(const RvNets* nets, RvShape* shape, RvError* error);

#endif
