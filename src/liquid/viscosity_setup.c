// Sets up the viscosity solve: finds the tiles that take part, the weights of faces and stresses by the liquid around
// them, and the diagonal.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "liquid/viscosity_work.h"
#include "space/channel.h"

enum { GRAIN = 8, FIND_GRAIN = 64 };  // tiles a task
#define CLOSED_BELOW 0.5f             // a face less open than this has the velocity of the solid

// Steps along the axes in a tile with halo.
static const int step[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE* RV_HALO1_SIDE};

void rv_liquid_viscosity_read_block(const RvViscosityIn* in, size_t t, RvViscosityBlock* b) {
  float distance[RV_HALO1_CELLS], open[RV_HALO1_CELLS];
  rv_channel_gather1(in->tiles, in->distance, t, INFINITY, distance);
  for (int i = 0; i < RV_HALO1_CELLS; ++i) b->part[i] = rv_liquid_viscosity_part(in->dx, distance[i]);
  if (in->field) rv_channel_gather1(in->tiles, in->field, t, 1, b->factor);
  for (int axis = 0; axis < 3; ++axis) {
    if (in->open[axis]) rv_channel_gather1(in->tiles, in->open[axis], t, 1, open);
    // (no edge needs a face at the lower end along its own axis)
    for (int i = step[axis]; i < RV_HALO1_CELLS; ++i) {
      bool hi = distance[i] < INFINITY, lo = distance[i - step[axis]] < INFINITY;
      b->mass[axis][i] = 0.5f * (b->part[i - step[axis]] + b->part[i]);
      b->kind[axis][i] = !hi                                                 ? RV_FACE_ABSENT
                         : !lo || (in->open[axis] && open[i] < CLOSED_BELOW) ? RV_FACE_PRESCRIBED
                                                                             : RV_FACE_FREE;
    }
  }
}

// Weight of the shear stress at an edge: the liquid fraction of its four cells, if each of its four faces has liquid or
// is prescribed. A flat wall through the edge prescribes three of them, two in it and one beyond: then the shear is
// that over half a cell, in half of the volume, if the liquid sticks to the wall.
static float edge_weight(const RvViscosityIn* in, const RvViscosityBlock* block, int along, int at) {
  int a = (along + 1) % 3, b = (along + 2) % 3, prescribed = 0;
  const int face[4] = {at, at - step[b], at, at - step[a]};
  const int cell[4] = {at, at - step[a], at - step[b], at - step[a] - step[b]};
  float free_mass = 0, sum = 0, largest_factor = 0;
  for (int k = 0; k < 4; ++k) {
    int axis = k < 2 ? a : b;
    float mass = block->mass[axis][face[k]];
    RvFaceKind kind = (RvFaceKind)block->kind[axis][face[k]];
    if (kind == RV_FACE_ABSENT || (kind == RV_FACE_FREE && !(mass > 0))) return 0;
    prescribed += kind == RV_FACE_PRESCRIBED;
    if (kind == RV_FACE_FREE) free_mass = mass;
  }
  if (prescribed == 4 || (prescribed >= 2 && !in->stick)) return 0;
  for (int k = 0; k < 4; ++k) {
    float factor = in->field ? block->factor[cell[k]] : 1;
    sum += block->part[cell[k]] * factor;
    largest_factor = factor > largest_factor ? factor : largest_factor;
  }
  return prescribed == 3 ? 2 * free_mass * largest_factor : 0.25f * sum;
}

// Weights, unknowns and first velocities of a tile.
static void weigh_tile(const RvViscosityWork* w, size_t t) {
  const RvViscosityIn* in = w->in;
  RvViscosityBlock block;
  size_t from = (size_t)w->tile[t] * RV_TILE_CELLS, at = t * RV_TILE_CELLS;
  rv_liquid_viscosity_read_block(in, (size_t)w->tile[t], &block);
  for (int c = 0; c < RV_TILE_CELLS; ++c, ++at, ++from) {
    int i = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6);
    w->weight[0][at] = block.part[i] * (in->field ? block.factor[i] : 1);
    for (int k = 0; k < 3; ++k) {
      w->weight[1 + k][at] = edge_weight(in, &block, k, i);
      // a face with liquid is unknown unless it is prescribed
      bool prescribed = block.kind[k][i] != RV_FACE_FREE;
      bool solid = prescribed && in->open[k] && in->open[k][from] < CLOSED_BELOW;
      float solid_velocity = solid && in->solid[k] ? in->solid[k][from] : 0;
      float mass = in->inertia[k] ? block.mass[k][i] * in->inertia[k][from] : block.mass[k][i];
      w->mass[k][at] = mass;
      w->inverse[k][at] = !prescribed && block.mass[k][i] > 0;
      w->u[k][at] = prescribed ? solid_velocity : in->velocity[k][from];
      float before = in->before[k] ? in->before[k][from] : w->u[k][at];
      w->r[k][at] = w->inverse[k][at] > 0 ? mass * before : 0;
      w->p[k][at] = 0;
    }
  }
}

// Cells along an axis of a tile with a halo of two, and steps along the axes in it.
enum { WIDE_SIDE = RV_TILE_SIDE + 4, WIDE_CELLS = WIDE_SIDE * WIDE_SIDE * WIDE_SIDE };
static const int wide_step[3] = {1, WIDE_SIDE, WIDE_SIDE* WIDE_SIDE};

// Direction from a wall into the liquid at an edge that three prescribed faces meet at: an axis and its sign. False: it
// is no such edge.
static bool wall_at(const RvViscosityBlock* block, int along, int at, int* axis, int* sign) {
  int a = (along + 1) % 3, b = (along + 2) % 3, free_faces = 0;
  const int face[4] = {at, at - step[b], at, at - step[a]};
  for (int k = 0; k < 4; ++k) {
    if (block->kind[k < 2 ? a : b][face[k]] != RV_FACE_FREE) continue;
    free_faces++;
    *axis = k < 2 ? b : a;
    *sign = k % 2 ? -1 : 1;
  }
  return free_faces == 1;
}

// A shear component of the history stress at an edge: the mean of its four cells, weighed as the viscosity is. At a
// wall, where only cells on one side have liquid, it is continued to the wall along a straight line. `wide`: history of
// the tile with a halo of two, (x, y, z) the lower cell of the edge.
static float edge_history(const RvViscosityBlock* block, const float* wide, int along, const int x[3]) {
  int a = (along + 1) % 3, b = (along + 2) % 3, axis = 0, sign = 0;
  int at = rv_halo1_at(x[0], x[1], x[2]), there = x[0] + 2 + (x[1] + 2) * wide_step[1] + (x[2] + 2) * wide_step[2];
  bool wall = wall_at(block, along, at, &axis, &sign);
  float sum = 0, weight = 0;
  for (int k = 0; k < 4; ++k) {
    int cell = at - (k & 1) * step[a] - (k >> 1) * step[b];
    int w = there - (k & 1) * wide_step[a] - (k >> 1) * wide_step[b];
    float share = block->part[cell] * block->factor[cell];
    sum += share * (wall ? 1.5f * wide[w] - 0.5f * wide[w + sign * wide_step[axis]] : wide[w]);
    weight += share;
  }
  // The weight of an edge at a wall counts a difference of velocities over half a cell twice; a stress counts once.
  float mean = weight > 0 ? sum / weight : 0;
  return wall ? 0.5f * mean : mean;
}

// The history stress of a tile in the units of the velocity's: a stress of 2 viscosity D counts as the difference of
// velocities that D is made of.
static void remember_tile(const RvViscosityWork* w, size_t t) {
  const RvViscosityIn* in = w->in;
  RvViscosityBlock block;
  float history[3][WIDE_CELLS], unit = (float)(in->dx / in->viscosity);
  size_t from = (size_t)w->tile[t] * RV_TILE_CELLS, at = t * RV_TILE_CELLS;
  rv_liquid_viscosity_read_block(in, (size_t)w->tile[t], &block);
  for (int k = 0; k < 3; ++k) rv_channel_gather(in->tiles, in->history[3 + k], (size_t)w->tile[t], 2, 0, history[k]);
  for (int c = 0; c < RV_TILE_CELLS; ++c, ++at, ++from) {
    const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
    for (int k = 0; k < 3; ++k) {
      w->stress[k][at] = 0.5f * unit * w->weight[0][at] * in->history[k][from];
      w->stress[3 + k][at] = unit * w->weight[1 + k][at] * edge_history(&block, history[k], k, x);
    }
  }
}

static void remember_tiles(void* arg, size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) remember_tile(arg, t);
}

static void weigh_tiles(void* arg, size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) weigh_tile(arg, t);
}

// A value of a vector at x, of which at most one coordinate leaves the tile.
static float read_near(const RvViscosityWork* w, const float* v, size_t t, const int x[3]) {
  for (int a = 0; a < 3; ++a)
    if (x[a] < 0 || x[a] > 7) t = (size_t)w->near[t][2 * a + (x[a] > 7)];
  return v[t * RV_TILE_CELLS + (size_t)rv_tile_cell(x[0] & 7, x[1] & 7, x[2] & 7)];
}

// Inverse diagonal: mass and the weights of the stresses around each face, centres before and after it and edges beside
// it.
static void invert_tiles(void* arg, size_t begin, size_t end) {
  const RvViscosityWork* w = arg;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int axis = 0; axis < 3; ++axis) {
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        if (!(w->inverse[axis][at] > 0)) continue;
        int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        // edges on both sides of the face along the other axes
        float shear = 0;
        for (int along = 0; along < 3; ++along) {
          if (along == axis) continue;
          int d[3] = {x[0], x[1], x[2]};
          d[3 - axis - along]++;
          shear += w->weight[1 + along][at] + read_near(w, w->weight[1 + along], t, d);
        }
        // centres before and after it
        x[axis]--;
        float before = read_near(w, w->weight[0], t, x);
        w->inverse[axis][at] = 1 / (w->mass[axis][at] + w->beta * (2 * (w->weight[0][at] + before) + shear));
      }
}

//---------------------------------------------------------------------------------------------- tiles

// Marks tiles that hold liquid: a surface within half a cell of a centre.
static void find_wet(void* arg, size_t begin, size_t end) {
  const RvViscosityWork* w = arg;
  float threshold = (float)(0.5 * w->in->dx);
  for (size_t t = begin; t < end; ++t) {
    const float* d = w->in->distance + t * RV_TILE_CELLS;
    float smallest = d[0];
    for (int c = 1; c < RV_TILE_CELLS; ++c) smallest = d[c] < smallest ? d[c] : smallest;
    w->number[t] = smallest < threshold;
  }
}

// Numbers the tiles that hold liquid and those around them, which have faces of it; the others take no part.
static void number_tiles(RvViscosityWork* w) {
  const RvTiles* tiles = w->in->tiles;
  rv_parallel_for(tiles->count, FIND_GRAIN, find_wet, w);
  // wet tiles and their neighbours
  for (size_t t = 0; t < tiles->count; ++t) {
    bool any = false;
    for (int n = 0; n < RV_TILE_NEAR; ++n) any = any || (tiles->near[t][n] >= 0 && w->number[tiles->near[t][n]] == 1);
    if (any) w->tile[w->count++] = (int32_t)t;
  }
  // numbers both ways
  for (size_t t = 0; t < tiles->count; ++t) w->number[t] = (int32_t)w->count;
  for (size_t k = 0; k < w->count; ++k) w->number[w->tile[k]] = (int32_t)k;
}

// Neighbours of the tiles that take part.
static void link_near(const RvViscosityWork* w) {
  for (size_t k = 0; k < w->count; ++k)
    for (int side = 0; side < 6; ++side) {
      int d[3] = {0};
      d[side / 2] = side % 2 ? 1 : -1;
      int32_t other = w->in->tiles->near[w->tile[k]][rv_tile_near(d[0], d[1], d[2])];
      w->near[k][side] = other < 0 ? (int32_t)w->count : w->number[other];
    }
}

// All vectors, with a tile of zeros behind. False: out of memory.
static bool take_vectors(RvViscosityWork* w, RvArena* arena) {
  float** vectors[] = {&w->mass[0],   &w->inverse[0], &w->u[0],      &w->r[0],      &w->p[0],      &w->q[0],
                       &w->mass[1],   &w->inverse[1], &w->u[1],      &w->r[1],      &w->p[1],      &w->q[1],
                       &w->mass[2],   &w->inverse[2], &w->u[2],      &w->r[2],      &w->p[2],      &w->q[2],
                       &w->weight[0], &w->weight[1],  &w->weight[2], &w->weight[3], &w->stress[0], &w->stress[1],
                       &w->stress[2], &w->stress[3],  &w->stress[4], &w->stress[5]};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    *vectors[k] = RV_TAKE(arena, float, (w->count + 1) * RV_TILE_CELLS);
    if (!*vectors[k]) return false;
    memset(*vectors[k] + w->count * RV_TILE_CELLS, 0, RV_TILE_CELLS * sizeof(float));
  }
  return true;
}

bool rv_liquid_viscosity_set_up(RvViscosityWork* w, RvArena* arena) {
  const RvViscosityIn* in = w->in;
  w->tile = RV_TAKE(arena, int32_t, in->tiles->count);
  w->number = RV_TAKE(arena, int32_t, in->tiles->count);
  if (!w->tile || !w->number) return false;
  // tiles, vectors, neighbours
  number_tiles(w);
  w->near = rv_arena_take(arena, w->count, sizeof *w->near);
  if (!w->near || !take_vectors(w, arena)) return false;
  link_near(w);
  // weights, then the diagonal
  w->beta = (float)(in->viscosity * in->dt / (in->density * in->dx * in->dx));
  rv_parallel_for(w->count, GRAIN, weigh_tiles, w);
  rv_parallel_for(w->count, GRAIN, invert_tiles, w);
  if (in->history[0]) rv_parallel_for(w->count, GRAIN, remember_tiles, w);
  return true;
}
