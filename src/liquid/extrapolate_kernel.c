// One axis of one tile and RV_LIQUID_BAND faces around it: each layer takes the mean of the known faces next to it.
// What is needed of the neighbours is computed here again, so tiles need not wait for each other.
#include <string.h>

#include "liquid/transfer.h"
#include "math/lanes.h"

void RV_KERNEL(rv_liquid_spread)(float* u, float* known, float* room);

enum { SIDE = RV_SAMPLE_SIDE, PLANE = SIDE * SIDE, HALO = RV_SAMPLE_HALO };

// `u` is 0 where `known` is 0; both are cubes of RV_SAMPLE_SIDE, and so are the two in `room`
void RV_KERNEL(rv_liquid_spread)(float* u, float* known, float* room) {
  float *next = room, *next_known = room + RV_SAMPLE_CELLS;
  for (int layer = 1; layer <= HALO; ++layer) {
    memcpy(next, u, RV_SAMPLE_CELLS * sizeof *u);
    memcpy(next_known, known, RV_SAMPLE_CELLS * sizeof *u);
    for (int z = layer; z < SIDE - layer; ++z)
      for (int y = layer; y < SIDE - layer; ++y) {
        const float *a = u + z * PLANE + y * SIDE, *k = known + z * PLANE + y * SIDE;
        float *b = next + z * PLANE + y * SIDE, *m = next_known + z * PLANE + y * SIDE;
        for (int x = layer; x < SIDE - layer; ++x) {
          float count = ((k[x - 1] + k[x + 1]) + (k[x - SIDE] + k[x + SIDE])) + (k[x - PLANE] + k[x + PLANE]);
          float sum = ((a[x - 1] + a[x + 1]) + (a[x - SIDE] + a[x + SIDE])) + (a[x - PLANE] + a[x + PLANE]);
          float mean = sum / (count > 0 ? count : 1);
          b[x] = k[x] > 0 ? a[x] : mean;
          m[x] = k[x] > 0 || count > 0 ? 1.0f : 0.0f;
        }
      }
    float* swap = u;
    u = next, next = swap;
    swap = known, known = next_known, next_known = swap;
  }
  // an odd number of layers ends in the room
  for (int z = HALO; z < HALO + RV_TILE_SIDE; ++z)
    for (int y = HALO; y < HALO + RV_TILE_SIDE; ++y) {
      int row = z * PLANE + y * SIDE + HALO;
      memcpy(next + row, u + row, RV_TILE_SIDE * sizeof *u);
      memcpy(next_known + row, known + row, RV_TILE_SIDE * sizeof *u);
    }
}
