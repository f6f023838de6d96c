// Extrapolation of one face channel in a tile and its halo: each layer takes the mean of the known faces next to it.
// Layers in the halo are computed again by each tile, so tiles do not wait for each other.
#include <string.h>

#include "liquid/transfer.h"
#include "math/lanes.h"

void RV_KERNEL(rv_liquid_spread2)(float* u, float* known, float* room);
void RV_KERNEL(rv_liquid_spread3)(float* u, float* known, float* room);

// `halo` layers: unknown faces take the mean of the known ones of the six around them. `u` is 0 where `known` is 0;
// both are cubes of a tile and `halo` faces around it, and `room` is two such cubes.
RV_INLINE void spread(float* u, float* known, float* room, const int halo) {
  const int side = RV_TILE_SIDE + 2 * halo, plane = side * side, cells = plane * side;
  float *a = u, *k = known, *b = room, *m = room + cells;
  for (int layer = 1; layer <= halo; ++layer) {
    memcpy(b, a, (size_t)cells * sizeof *a);
    memcpy(m, k, (size_t)cells * sizeof *k);
    for (int z = layer; z < side - layer; ++z)
      for (int y = layer; y < side - layer; ++y)
        for (int x = z * plane + y * side + layer; x < z * plane + y * side + side - layer; ++x) {
          float count = ((k[x - 1] + k[x + 1]) + (k[x - side] + k[x + side])) + (k[x - plane] + k[x + plane]);
          float sum = ((a[x - 1] + a[x + 1]) + (a[x - side] + a[x + side])) + (a[x - plane] + a[x + plane]);
          float mean = sum / (count > 0 ? count : 1);
          b[x] = k[x] > 0 ? a[x] : mean;
          m[x] = k[x] > 0 || count > 0 ? 1.0f : 0.0f;
        }
    // the layer becomes the source of the next
    float* swap = a;
    a = b;
    b = swap;
    swap = k;
    k = m;
    m = swap;
  }
  if (a == u) return;
  memcpy(u, a, (size_t)cells * sizeof *u);
  memcpy(known, k, (size_t)cells * sizeof *u);
}

void RV_KERNEL(rv_liquid_spread2)(float* u, float* known, float* room) {
  spread(u, known, room, 2);
}

void RV_KERNEL(rv_liquid_spread3)(float* u, float* known, float* room) {
  spread(u, known, room, 3);
}
