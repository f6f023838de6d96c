// Memory of the particles (particles.h): arrays of 4 bytes are paired in blocks of 8, so that a sort moves all
// quantities through one spare block.
#include "liquid/particles.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "space/order.h"

int rv_liquid_particles_blocks(const RvParticles* p) {
  return p->strained ? RV_PARTICLE_MOST_BLOCKS : RV_PARTICLE_BLOCKS;
}

bool rv_liquid_particles_paired(int b) {
  return b < RV_PARTICLE_BLOCKS - 2 || b >= RV_PARTICLE_BLOCKS;
}

// Sets the array pointers to the halves of the blocks.
void rv_liquid_particles_bind(RvParticles* p) {
  // blocks of two 4-byte arrays
  float* half[2 * (RV_PARTICLE_BLOCKS - 2)];
  for (int b = 0; b < RV_PARTICLE_BLOCKS - 2; ++b) {
    half[2 * b] = (float*)p->block[b];
    half[2 * b + 1] = (float*)p->block[b] + p->capacity;
  }
  // 18 halves: x 3, v 3, c 9, age, row, home
  for (int a = 0; a < 3; ++a) {
    p->x[a] = half[a];
    p->v[a] = half[3 + a];
  }
  for (int a = 0; a < 9; ++a) p->c[a] = half[6 + a];
  p->age = half[15];
  p->row = (int32_t*)half[16];
  p->home = (uint32_t*)half[17];
  // blocks of one 8-byte array
  p->volume = (double*)p->block[9];
  p->id = (int64_t*)p->block[10];
  // three blocks of strain
  for (int a = 0; p->strained && a < 2 * RV_STRAIN_BLOCKS; ++a)
    p->strain[a] = (float*)p->block[RV_PARTICLE_BLOCKS + a / 2] + (a % 2 ? p->capacity : 0);
}

RvResult rv_liquid_particles_strain(RvParticles* p, RvError* error) {
  if (p->strained) return RV_OK;
  RvResult result = p->capacity ? RV_OK : rv_liquid_particles_reserve(p, 1, error);
  if (result) return result;
  for (int b = RV_PARTICLE_BLOCKS; b < RV_PARTICLE_MOST_BLOCKS; ++b) {
    rv_free(p->block[b]);
    p->block[b] = rv_alloc_zero(p->capacity, 8);
    if (!p->block[b]) return rv_fail(error, RV_NO_MEMORY, "no memory for the strain of %zu particles", p->count);
  }
  p->strained = true;
  rv_liquid_particles_bind(p);
  return RV_OK;
}

void rv_liquid_particles_unstrain(RvParticles* p) {
  for (int b = RV_PARTICLE_BLOCKS; b < RV_PARTICLE_MOST_BLOCKS; ++b) {
    rv_free(p->block[b]);
    p->block[b] = NULL;
  }
  for (int a = 0; a < 2 * RV_STRAIN_BLOCKS; ++a) p->strain[a] = NULL;
  p->strained = false;
}

void rv_liquid_particles_free(RvParticles* p) {
  rv_liquid_particles_set_scratch(p, NULL);
  for (int b = 0; b < RV_PARTICLE_MOST_BLOCKS; ++b) rv_free(p->block[b]);
  RV_FREE_ALL(p->room, p->spare, p->counters, p->chunks, p->tallies, p->cell_first, p->extra);
  rv_tiles_free(&p->homes);
  *p = (RvParticles){0};
}

void rv_liquid_particles_set_scratch(RvParticles* p, RvArena* scratch) {
  if (scratch == p->scratch) return;
  if (!p->scratch) {
    rv_free(p->room);
    rv_free(p->spare);
  }
  p->room = NULL;
  p->spare = NULL;
  p->scratch = scratch;
}

bool rv_liquid_particles_take_room(RvParticles* p, RvArenaMark* mark) {
  if (p->scratch) {
    *mark = rv_arena_mark(p->scratch);
    p->room = RV_TAKE(p->scratch, uint64_t, p->capacity);
    p->spare = RV_TAKE(p->scratch, uint64_t, p->capacity);
  } else {
    if (!p->room) p->room = rv_alloc(p->capacity, 8);
    if (!p->spare) p->spare = rv_alloc(p->capacity, 8);
  }
  return p->room && p->spare;
}

void rv_liquid_particles_give_room(RvParticles* p, RvArenaMark mark) {
  if (!p->scratch) return;
  rv_arena_release(p->scratch, mark);
  p->room = NULL;
  p->spare = NULL;
}

// Replaces a block by a larger one. The second array of a block begins behind the room of the first, so it moves.
static bool grow_block(RvParticles* p, int b, size_t capacity) {
  uint64_t* fresh = rv_alloc(capacity, 8);
  if (!fresh) return false;
  // one array of 8 bytes, or two of 4
  if (p->block[b] && !rv_liquid_particles_paired(b)) memcpy(fresh, p->block[b], p->count * 8);
  if (p->block[b] && rv_liquid_particles_paired(b)) {
    memcpy(fresh, p->block[b], p->count * 4);
    memcpy((float*)fresh + capacity, (float*)p->block[b] + p->capacity, p->count * 4);
  }
  rv_free(p->block[b]);
  p->block[b] = fresh;
  return true;
}

// All or nothing, but block by block, so that at no time all particles are stored twice. On failure the larger blocks
// are kept, with their arrays back where the old capacity has them.
static bool grow_blocks(RvParticles* p, size_t capacity) {
  for (int b = 0; b < rv_liquid_particles_blocks(p); ++b) {
    if (grow_block(p, b, capacity)) continue;
    for (int k = 0; k < b; ++k)
      if (rv_liquid_particles_paired(k))
        memmove((float*)p->block[k] + p->capacity, (float*)p->block[k] + capacity, p->count * 4);
    return false;
  }
  return true;
}

// Work memory of the sort; its contents are not kept.
static bool grow_work(RvParticles* p, size_t capacity) {
  return rv_renew(&p->counters, rv_order_counters(capacity), sizeof *p->counters) &&
         rv_renew(&p->chunks, capacity / RV_PARTICLE_CHUNK + 1, sizeof *p->chunks);
}

RvResult rv_liquid_particles_reserve(RvParticles* p, size_t count, RvError* error) {
  if (count <= p->capacity) return RV_OK;
  // the sort orders particles by 32-bit numbers
  if (count > UINT32_MAX / 2)
    return rv_fail(error, RV_LIMIT, "%zu particles are more than the 2^31 that fit; use a larger particlesep", count);
  // an eighth more than before, and 1/64 more than asked for; a multiple of 16 keeps both halves of a block aligned
  size_t least = p->capacity + p->capacity / 8, wanted = count > least ? count : least;
  size_t capacity = (wanted + wanted / 64 + 64) & ~(size_t)15;
  if (!grow_work(p, capacity) || !grow_blocks(p, capacity))
    return rv_fail(error, RV_NO_MEMORY, "no memory for %zu particles (%zu MiB); use a larger particlesep", count,
                   capacity * RV_PARTICLE_BYTES >> 20);
  // the room is allocated when it is next needed
  if (!p->scratch) {
    rv_free(p->room);
    rv_free(p->spare);
  }
  p->room = NULL;
  p->spare = NULL;
  p->capacity = capacity;
  rv_liquid_particles_bind(p);
  return RV_OK;
}

size_t rv_liquid_particles_bytes(const RvParticles* p) {
  return p->capacity * (RV_PARTICLE_BYTES + (p->strained ? 8 * RV_STRAIN_BLOCKS : 0));
}

// Index of a tile among `homes` and `extra`, where it is added if it is new; the last extra one is tried first, as
// particles come in clusters. SIZE_MAX: out of memory.
static size_t home_of(RvParticles* p, const int32_t tile[3]) {
  int32_t known = rv_tiles_find(&p->homes, tile[0], tile[1], tile[2]);
  if (known >= 0) return (size_t)known;
  if (p->extra_count && memcmp(p->extra[p->extra_count - 1], tile, sizeof *p->extra) == 0)
    return p->homes.count + p->extra_count - 1;
  if (p->extra_count == p->extra_capacity) {
    size_t capacity = p->extra_capacity * 2 + 64;
    void* more = rv_realloc(p->extra, p->extra_count * sizeof *p->extra, capacity, sizeof *p->extra);
    if (!more) return SIZE_MAX;
    p->extra = more;
    p->extra_capacity = capacity;
  }
  memcpy(p->extra[p->extra_count], tile, sizeof *p->extra);
  return p->homes.count + p->extra_count++;
}

RvResult rv_liquid_particles_complete(const RvParticles* p, RvError* error) {
  return p->no_memory ? rv_fail(error, RV_NO_MEMORY, "out of memory for more than %zu particles", p->count) : RV_OK;
}

size_t rv_liquid_particles_add(RvParticles* p, const double cell[3]) {
  // tile, and position within it
  int32_t tile[3];
  float x[3];
  for (int a = 0; a < 3; ++a) {
    double t = floor(cell[a] / RV_TILE_SIDE);
    if (!(t >= -RV_TILE_RANGE && t < RV_TILE_RANGE)) return SIZE_MAX;
    tile[a] = (int32_t)t;
    x[a] = (float)(cell[a] - t * RV_TILE_SIDE);
  }
  size_t i = p->count;
  bool room = i < p->capacity || !rv_liquid_particles_reserve(p, i + 1, NULL);
  size_t home = room ? home_of(p, tile) : SIZE_MAX;
  if (home == SIZE_MAX) p->no_memory = true;
  if (home == SIZE_MAX) return SIZE_MAX;
  // at rest, without volume
  for (int a = 0; a < 3; ++a) {
    p->x[a][i] = x[a];
    p->v[a][i] = 0;
  }
  for (int a = 0; a < 9; ++a) p->c[a][i] = 0;
  for (int a = 0; p->strained && a < 6; ++a) p->strain[a][i] = 0;
  p->volume[i] = 0;
  p->age[i] = 0;
  p->id[i] = 0;
  p->row[i] = 0;
  p->home[i] = (uint32_t)home;
  p->count++;
  return i;
}

enum { VOLUME_GRAIN = 1024 };  // particles a task

static double add_volumes(void* arg, size_t begin, size_t end) {
  const RvParticles* p = arg;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += p->volume[i];
  return sum;
}

double rv_liquid_particles_volume(const RvParticles* p) {
  return rv_parallel_sum(p->count, VOLUME_GRAIN, add_volumes, (void*)p);
}
