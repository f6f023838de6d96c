// Hair volume: strands that are denser than in the groom push apart, so that a head of hair does not collapse into
// itself (AH-7 has no contact of hair with hair).
//
// Masses of the vertices are spread to the nodes of a sparse grid, and the density is interpolated where the vertices
// are. A vertex whose density is above (1 + slack) times that of the groom has the energy m c^2 / 2 (excess)^2; the
// force is minus its gradient, so that the groom itself has none, and squeezing hair costs what it gives back.
#ifndef RV_LOOKDEV_VOLUME_H
#define RV_LOOKDEV_VOLUME_H

#include "space/tiles.h"
#include "strand/strand.h"

typedef struct RvVolumeSettings {
  double speed;  // m/s: c, with which squeezed hair expands; 0: none
  double cell;   // m: side of a cell
} RvVolumeSettings;

typedef struct RvVolume {
  // vertices of the lanes in use
  size_t count;
  uint32_t *vertex, *unknown;  // [count] index in blocks of vertices, and of its x in those of unknowns
  int32_t (*cell)[3];
  uint32_t *keys, *spare, *counters, *order;  // sorted by tile and cell; `order` is one of the two
  // nodes
  RvTiles tiles;
  size_t tile_room;
  uint32_t* first;                  // [tiles + 1] vertices of each tile
  double *padded, *density, *push;  // [tiles][729] sums of one tile's vertices; [tiles][512] of all
  double *weight, *slope;           // [count] numbers to spread; d energy / d density of a vertex
  size_t squeezed;                  // vertices above the density of the groom
} RvVolume;

// Allocates the arrays of vertices for the strands of a model.
RvResult rv_volume_init(RvVolume* volume, const RvStrandModel* model, RvError* error);
void rv_volume_free(RvVolume* volume);
// Density at the vertices, kg/m3, into `density` [vertices of the blocks].
RvResult rv_volume_density(RvVolume* volume, const RvStrandModel* model, const RvStrandState* state, double cell,
                           double* density, RvError* error);
// Forces of a substep of dt seconds, into `force` [unknowns], where `squeezed` is not 0 afterwards. The speed is at
// most that of half a cell a substep. `claim` is called for each batch before its forces are added.
RvResult rv_volume_forces(RvVolume* volume, const RvStrandModel* model, const RvStrandState* state,
                          const double* rest_density, const RvVolumeSettings* settings, double dt,
                          void (*claim)(void* user, size_t batch), void* user, double* force, RvError* error);

#endif
