// Sorts particles by tile and cell: one pass finds their tiles, a radix sort the order, and each block of 8 bytes is
// permuted through the spare one.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/particles.h"
#include "space/order.h"
#include "space/sort.h"

enum { GRAIN = RV_PARTICLE_CHUNK };  // particles a task
enum { CACHE = 64 };                 // recently met tiles, so that a chunk lists a tile about once
#define NOWHERE UINT64_MAX           // key of particles that are dead or lost
#define FARTHEST 1e9f  // cells from its tile beyond which a particle is lost; a float still counts tiles there

typedef struct Sort {
  RvParticles* p;
  uint64_t* seen_keys;  // GRAIN a chunk
  uint32_t* sorted;     // sorted keys, then the order
  uint64_t *from, *to;  // the block that is permuted, and where to
  bool halves;          // it holds two arrays of 4 bytes
} Sort;

// Key of the tile of a particle that may have left its own; its position is then within 0..8 of the new one. NOWHERE:
// out of range, or not a number.
static uint64_t settle(RvParticles* p, size_t i) {
  const int32_t* tile = rv_liquid_particles_tile(p, i);
  int64_t at[3];
  for (int a = 0; a < 3; ++a) {
    float x = p->x[a][i];
    at[a] = tile[a];
    if (x >= 0 && x < RV_TILE_SIDE) continue;
    if (!(fabsf(x) < FARTHEST)) return NOWHERE;
    float shift = floorf(x / RV_TILE_SIDE);
    float remainder = x - shift * RV_TILE_SIDE;
    // a position just below zero rounds up to the side of the tile: it belongs to the next one
    if (remainder >= RV_TILE_SIDE) {
      remainder = 0;
      shift += 1;
    }
    at[a] += (int64_t)shift;
    p->x[a][i] = remainder;
  }
  if (!rv_tile_in_range(at[0], at[1], at[2])) return NOWHERE;
  return rv_tile_key((int32_t)at[0], (int32_t)at[1], (int32_t)at[2]);
}

// Dead particles, and volumes that are no number, leave.
static bool stays(const RvParticles* p, size_t i) {
  return p->volume[i] > 0 && p->volume[i] < INFINITY;
}

// Tile of each particle into `spare`, and for each chunk a short list of the tiles it met.
static void find_tiles(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  RvParticles* p = s->p;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t low = chunk * GRAIN, high = low + GRAIN < p->count ? low + GRAIN : p->count;
    uint64_t *out = s->seen_keys + low, recent[CACHE];
    memset(recent, 0xff, sizeof recent);
    RvParticleChunk met = {0};
    for (size_t i = low; i < high; ++i) {
      uint64_t key = stays(p, i) ? settle(p, i) : NOWHERE;
      if (key == NOWHERE && !(p->volume[i] <= 0)) met.lost = true;
      p->spare[i] = key;
      uint64_t* slot = &recent[(key ^ key >> 6) % CACHE];
      if (*slot == key) continue;
      *slot = key;
      if (key != NOWHERE) out[met.tiles++] = key;
    }
    p->chunks[chunk] = met;
  }
}

// Tile and cell as one number; particles that leave come last.
static void make_keys(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  RvParticles* p = s->p;
  uint32_t* keys = (uint32_t*)p->room;
  uint64_t last = NOWHERE;
  uint32_t tile = 0;
  for (size_t i = begin; i < end; ++i) {
    uint64_t key = p->spare[i];
    if (key == NOWHERE) {
      keys[i] = (uint32_t)p->homes.count * RV_TILE_CELLS;
      continue;
    }
    if (key != last) {
      int32_t c[3];
      rv_tile_from_key(key, c);
      tile = (uint32_t)rv_tiles_find(&p->homes, c[0], c[1], c[2]);
      last = key;
    }
    keys[i] = tile * RV_TILE_CELLS + (uint32_t)rv_tile_cell((int)p->x[0][i], (int)p->x[1][i], (int)p->x[2][i]);
  }
}

// Permutes a block by the order.
static void move_block(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  const uint32_t* order = s->sorted + s->p->count;
  if (!s->halves) {
    for (size_t i = begin; i < end; ++i) s->to[i] = s->from[order[i]];
    return;
  }
  size_t half = s->p->capacity;
  const uint32_t *a = (const uint32_t*)s->from, *b = a + half;
  uint32_t *to_a = (uint32_t*)s->to, *to_b = to_a + half;
  for (size_t i = begin; i < end; ++i) {
    uint32_t at = order[i];
    to_a[i] = a[at];
    to_b[i] = b[at];
  }
}

// Where each cell begins, from the sorted keys: each step from one key to the next fills the cells between. Also
// `home`.
static void find_cells(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  RvParticles* p = s->p;
  const uint32_t* key = s->sorted;
  for (size_t i = begin; i < end; ++i) {
    uint32_t from = i ? key[i - 1] + 1 : 0, to = i < p->count ? key[i] : (uint32_t)p->homes.count * RV_TILE_CELLS;
    for (uint32_t k = from; k <= to; ++k) p->cell_first[k] = (uint32_t)i;
    if (i < p->count) p->home[i] = key[i] / RV_TILE_CELLS;
  }
}

static RvResult no_memory(const RvParticles* p, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "no memory to sort %zu particles; use a larger particlesep", p->count);
}

// Adds the lost particles of a chunk to `lost`.
static void count_lost(const RvParticles* p, size_t chunk, RvParticlesLost* lost) {
  for (size_t i = chunk * GRAIN; i < p->count && i < (chunk + 1) * GRAIN; ++i)
    if (p->spare[i] == NOWHERE && !(p->volume[i] <= 0)) {
      lost->count++;
      if (isfinite(p->volume[i])) lost->volume += p->volume[i];
    }
}

// Room for cell_first and tallies.
static RvResult fit_cells(RvParticles* p, RvError* error) {
  size_t firsts = p->homes.count * RV_TILE_CELLS + 1;
  if (firsts > UINT32_MAX / 2)
    return rv_fail(error, RV_LIMIT, "%zu tiles of liquid are too many; use a larger particlesep", p->homes.count);
  if (firsts <= p->first_capacity) return RV_OK;
  rv_free(p->cell_first);
  rv_free(p->tallies);
  p->first_capacity = firsts + firsts / 4;
  p->cell_first = rv_alloc(p->first_capacity, sizeof *p->cell_first);
  p->tallies = rv_alloc(p->first_capacity / RV_TILE_CELLS, sizeof *p->tallies);
  if (p->cell_first && p->tallies) return RV_OK;
  p->first_capacity = 0;
  return no_memory(p, error);
}

// Tiles of all particles: `homes`.
static RvResult list_tiles(RvParticles* p, RvParticlesLost* lost, RvError* error) {
  size_t chunks = (p->count + GRAIN - 1) / GRAIN, total = 0;
  Sort s = {.p = p, .seen_keys = p->room};
  rv_parallel_for(chunks, 1, find_tiles, &s);
  // the lists of the chunks behind each other
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    memmove(p->room + total, p->room + chunk * GRAIN, p->chunks[chunk].tiles * sizeof *p->room);
    total += p->chunks[chunk].tiles;
    if (p->chunks[chunk].lost && lost) count_lost(p, chunk, lost);
  }
  p->extra_count = 0;
  RvResult result = rv_tiles_build(&p->homes, p->room, total, error);
  return result ? result : fit_cells(p, error);
}

// Copies a block of two arrays.
static void bring_back(void* arg, size_t begin, size_t end) {
  const Sort* s = arg;
  size_t half = s->p->capacity, bytes = (end - begin) * 4;
  const uint32_t* from = (const uint32_t*)s->from;
  uint32_t* to = (uint32_t*)s->to;
  memcpy(to + begin, from + begin, bytes);
  memcpy(to + half + begin, from + half + begin, bytes);
}

// Permutes each block into the memory of the one before, the first into the spare one.
static void move_blocks(Sort* s) {
  RvParticles* p = s->p;
  for (int b = 0; b < rv_liquid_particles_blocks(p); ++b) {
    s->from = p->block[b];
    s->to = p->spare;
    s->halves = rv_liquid_particles_paired(b);
    rv_parallel_for(p->count, GRAIN, move_block, s);
    p->block[b] = s->to;
    p->spare = s->from;
  }
  // block 0 is now in scratch memory: exchange it with the spare one, which is the particles' own
  if (p->scratch) {
    s->from = p->block[0];
    s->to = p->spare;
    rv_parallel_for(p->count, GRAIN, bring_back, s);
    p->block[0] = s->to;
    p->spare = s->from;
  }
  rv_liquid_particles_bind(p);
}

// Sorts the keys in `room`; keys and order are in `room` again.
static void find_order(Sort* s, uint64_t limit) {
  RvParticles* p = s->p;
  rv_order_sort((uint32_t*)p->room, (uint32_t*)p->spare, p->count, limit, p->counters, &s->sorted);
  if (s->sorted == (uint32_t*)p->spare) {
    uint64_t* room = p->room;
    p->room = p->spare;
    p->spare = room;
  }
}

// Sorts by tile and cell; stable, so particles of a cell stay in their order.
static RvResult sort(Sort* s, RvParticlesLost* lost, RvError* error) {
  RvParticles* p = s->p;
  // tiles, keys, order
  RvResult result = list_tiles(p, lost, error);
  if (result) return result;
  rv_parallel_for(p->count, GRAIN, make_keys, s);
  find_order(s, (uint64_t)p->homes.count * RV_TILE_CELLS + 1);
  // permute, and find the cells
  move_blocks(s);
  rv_parallel_for(p->count + 1, GRAIN, find_cells, s);
  p->sorted = p->cell_first[p->homes.count * RV_TILE_CELLS];
  p->count = p->sorted;
  return RV_OK;
}

// Sorts by id: radix passes of 16 bits, least significant first, as many as differ.
static void sort_ids(Sort* s) {
  RvParticles* p = s->p;
  uint64_t any = 0;
  for (size_t i = 0; i < p->count; ++i) any |= (uint64_t)(p->id[i] ^ p->id[0]);
  for (int shift = 0; shift < 64 && any >> shift; shift += 16) {
    uint32_t* keys = (uint32_t*)p->room;
    for (size_t i = 0; i < p->count; ++i)
      keys[i] = (uint32_t)(((uint64_t)p->id[i] ^ (uint64_t)INT64_MIN) >> shift & 0xffff);
    find_order(s, 0x10000);
    move_blocks(s);
  }
}

// Takes the work memory, sorts by id first if asked for, then by cell.
static RvResult sort_with_room(RvParticles* p, bool by_id, RvParticlesLost* lost, RvError* error) {
  Sort s = {.p = p};
  RvArenaMark mark = {0};
  if (p->capacity == 0 && rv_liquid_particles_reserve(p, 1, error)) return error ? error->code : RV_NO_MEMORY;
  bool room = rv_liquid_particles_take_room(p, &mark);
  RvResult result = room ? RV_OK : no_memory(p, error);
  if (!result && by_id && p->count) sort_ids(&s);
  if (!result) result = sort(&s, lost, error);
  rv_liquid_particles_give_room(p, mark);
  return result;
}

RvResult rv_liquid_particles_sort(RvParticles* p, RvParticlesLost* lost, RvError* error) {
  return sort_with_room(p, false, lost, error);
}

RvResult rv_liquid_particles_sort_by_id(RvParticles* p, RvParticlesLost* lost, RvError* error) {
  return sort_with_room(p, true, lost, error);
}

static double count_leaving(void* arg, size_t begin, size_t end) {
  const RvParticles* p = arg;
  size_t count = 0;
  for (size_t i = begin; i < end; ++i) count += !stays(p, i);
  return (double)count;
}

bool rv_liquid_particles_in_order(const RvParticles* p) {
  return p->count == p->sorted && rv_parallel_sum(p->count, GRAIN, count_leaving, (void*)p) == 0;
}
