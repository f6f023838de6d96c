// The loops over vertices of the hair volume, a batch at a time; compiled for each instruction set. They are plain C
// over the lanes of a row, whose order of operations no instruction set changes.
#ifndef RV_LOOKDEV_VOLUME_KERNEL_H
#define RV_LOOKDEV_VOLUME_KERNEL_H

#include "math/kernel.h"
#include "strand/strand.h"

// A row of vertices on the grid. Vertices beyond it, and spare lanes, are at its first node and count nothing.
typedef struct RvVolumeRow {
  int32_t node[RV_LANES];  // first node of the cell
  float at[3][RV_LANES];   // place in the cell, 0 to 1
  float mass[RV_LANES];    // kg, or 0
} RvVolumeRow;

// The grid, and a batch on it.
typedef struct RvVolumeBatch {
  double per_cell;       // 1/m
  int32_t low[3];        // cell of the first node
  int32_t size[3];       // nodes along each axis
  int vertices, lanes;   // of the batch; lanes in use
  const double* x;       // [n][4] places
  const double* mass;    // [n] kg
  const double* rest;    // [n] kg/m3, density of the groom, or NULL
  double slack;          // share of it that is tolerated
  double slack_density;  // kg/m3 a kg of the vertex: tolerated besides
  double speed2;         // m2/s2
  double* density;       // [n], or NULL
  float* slope;          // [n] d energy / d density, a mass
  double* force;         // [n][4] N
  RvVolumeRow* row;      // [n]
} RvVolumeBatch;

// Box of the vertices, which grows; and of the first ones. Each number has a row of lanes.
typedef struct RvVolumeBox {
  double low[3][RV_LANES], high[3][RV_LANES];
} RvVolumeBox __attribute__((aligned(64)));
RV_KERNEL_DECLARE(void, rv_volume_extend, (const RvVolumeBatch*, RvVolumeBox* all, RvVolumeBox* roots))
// Places of the vertices on the grid.
RV_KERNEL_DECLARE(void, rv_volume_place, (const RvVolumeBatch*))
// The kernels below see quads of nodes: node n with its neighbours along x, along y, and along both.
// Adds masses, or masses times slopes, to the quads of the cells' two faces across z.
RV_KERNEL_DECLARE(void, rv_volume_spread, (const RvVolumeBatch*, bool, float*))
// Densities and slopes at the vertices; returns how many have a slope.
RV_KERNEL_DECLARE(int, rv_volume_sample, (const RvVolumeBatch*, const float*))
// Whether a vertex of the batch is near one with a slope; and the forces of both.
RV_KERNEL_DECLARE(bool, rv_volume_near, (const RvVolumeBatch*, const float*))
RV_KERNEL_DECLARE(void, rv_volume_push, (const RvVolumeBatch*, const float*, const float*))

#endif
