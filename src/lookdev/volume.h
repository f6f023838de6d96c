// Hair volume: strands that are denser than in the groom push apart, so that a head of hair does not collapse into
// itself (AH-7 has no contact of hair with hair).
//
// Masses of the vertices are spread to the nodes of a grid around the roots, and the density is interpolated where the
// vertices are. A vertex whose density is above (1 + slack) times that of the groom has the energy m c^2 / 2
// (excess)^2; the force is minus its gradient, so that the groom itself has none, and squeezing hair costs what it
// gives back.
//
// The grid covers the vertices within RV_VOLUME_REACH cells of the roots' centre; hair beyond has no volume. Sums are
// deterministic: batches are cut into parts whose number depends only on the strands, each part has nodes of its own,
// and these are added in order. A node has the four numbers that belong to it and its neighbours along x and y side by
// side, so that a vertex meets its cell in two places of memory instead of four.
#ifndef RV_LOOKDEV_VOLUME_H
#define RV_LOOKDEV_VOLUME_H

#include "strand/strand.h"

enum { RV_VOLUME_PARTS = 8, RV_VOLUME_REACH = 64 };

typedef struct RvVolumeSettings {
  double speed;  // m/s: c, with which squeezed hair expands; 0: none
  double cell;   // m: side of a cell
} RvVolumeSettings;

typedef struct RvVolume {
  int parts;        // of the batches
  int32_t low[3];   // cell of the first node
  int32_t size[3];  // nodes along each axis
  size_t nodes;     // of the grid
  size_t room;      // floats of each array below
  float* part[RV_VOLUME_PARTS];
  float* node;              // one number a node: the sum of the parts
  float *density, *push;    // quads (volume_kernel.h) of kg/m3, and of the sum of the slopes
  float* slope;             // [vertices of the blocks] d energy / d density, a mass
  struct RvVolumeRow* row;  // [rows of the blocks] places of this substep
  size_t squeezed;          // vertices above the density of the groom
} RvVolume;

RvResult rv_volume_init(RvVolume* volume, const RvStrandModel* model, RvError* error);
void rv_volume_free(RvVolume* volume);
// Density at the vertices, kg/m3, into `density` [vertices of the blocks]; 0 beyond the grid.
RvResult rv_volume_density(RvVolume* volume, const RvStrandModel* model, const RvStrandState* state, double cell,
                           double* density, RvError* error);
// Forces of a substep of dt seconds, added to `force` [unknowns]. The speed is at most that of half a cell a substep.
// `claim` is called for each batch before its forces are added; none is where nothing is squeezed.
RvResult rv_volume_forces(RvVolume* volume, const RvStrandModel* model, const RvStrandState* state,
                          const double* rest_density, const RvVolumeSettings* settings, double dt,
                          void (*claim)(void* user, size_t batch), void* user, double* force, RvError* error);

#endif
