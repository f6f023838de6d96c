// The particles of the liquid: arrays, one a quantity, sorted by tile and cell. 104 bytes a particle, the room for
// sorting among them; 24 more where the liquid has an elastic strain.
//
// A position is a tile and three floats, cells from the tile's lower corner. So it is as exact ten kilometres from the
// origin as next to it (2^-21 of a cell), and the kernels work in float. Between moving and sorting the floats may
// leave 0..8; rv_liquid_particles_sort moves such particles to their tiles. As cells from the grid's origin a position
// is an exact double: rv_liquid_particles_place.
#ifndef RV_LIQUID_PARTICLES_H
#define RV_LIQUID_PARTICLES_H

#include "base/arena.h"
#include "space/tiles.h"

enum {
  RV_PARTICLE_BLOCKS = 11,
  RV_PARTICLE_BYTES = 8 * (RV_PARTICLE_BLOCKS + 2),
  RV_STRAIN_BLOCKS = 3,
  RV_PARTICLE_MOST_BLOCKS = RV_PARTICLE_BLOCKS + RV_STRAIN_BLOCKS
};

enum { RV_PARTICLE_CHUNK = 4096 };  // particles a task of the sort

// What a chunk of the sort met.
typedef struct RvParticleChunk {
  uint32_t tiles;  // named in its list
  bool lost;       // a particle of it is lost
} RvParticleChunk;

// What the resampling does in a tile.
typedef struct RvParticleTally {
  size_t merged, split, dropped;
  double dropped_volume;  // m^3
  size_t child_at;        // where its new particles go
} RvParticleTally;

typedef struct RvParticles {
  size_t count, capacity;
  float* x[3];       // cells from the lower corner of the tile
  float* v[3];       // m/s
  float* c[9];       // 1/s: c[3*a + b] is the change of v[a] along axis b, the affine vectors of WH-34
  float* strain[6];  // elastic strain (rheology.h); NULL: the liquid has none
  float* age;        // s since birth
  double* volume;    // m^3; at 0 or below the particle is dead and the next sort takes it away
  int64_t* id;       // unique, never used again
  int32_t* row;      // point of the input that has the attributes which the solver only carries; split halves share it
  uint32_t* home;    // tile of the particle: in `homes`, and from homes.count on in `extra`
  // Of the last sort. The particles of cell k of tile t are cell_first[t*512 + k] .. cell_first[t*512 + k + 1], those
  // of the whole tile cell_first[t*512] .. cell_first[t*512 + 512]. Particles added since stand behind.
  RvTiles homes;
  uint32_t* cell_first;
  size_t sorted;  // number of particles at the last sort
  // tiles of particles added since the last sort
  int32_t (*extra)[3];
  size_t extra_count, extra_capacity;
  bool no_memory;  // a particle could not be added for lack of memory
  // Memory of the arrays: two of 4 bytes or one of 8 a block; and work memory for the sort: two blocks, counters of the
  // order, and what each chunk of RV_PARTICLE_CHUNK particles met.
  uint64_t *block[RV_PARTICLE_MOST_BLOCKS], *room, *spare;
  bool strained;  // the blocks of the strain are there too
  uint32_t* counters;
  RvParticleChunk* chunks;
  RvParticleTally* tallies;  // [homes] work memory of the resampling
  size_t first_capacity;     // of cell_first
  RvArena* scratch;          // room and spare are taken from there while they are needed; NULL: they are kept
} RvParticles;

void rv_liquid_particles_free(RvParticles* particles);
// Room for `count` particles in all; keeps the present ones. It is the one place where the number of particles takes
// memory, at the head of a substep (resampling, drips, sources): it grows by an eighth at least, so that a substep
// rarely allocates and particles are copied a constant number of times.
RvResult rv_liquid_particles_reserve(RvParticles* particles, size_t count, RvError* error);
// Gives all particles an elastic strain, 0 at first. Nothing if they have one.
RvResult rv_liquid_particles_strain(RvParticles* particles, RvError* error);
// Takes the strain away.
void rv_liquid_particles_unstrain(RvParticles* particles);
// Number of blocks in use: with the strain more.
int rv_liquid_particles_blocks(const RvParticles* particles);
// Whether a block holds two arrays of 4 bytes, not one of 8.
bool rv_liquid_particles_paired(int block);
// Memory of particles and sort, without the lists of tiles.
size_t rv_liquid_particles_bytes(const RvParticles* particles);

// Sets the arena that the room is taken from; NULL: own memory.
void rv_liquid_particles_set_scratch(RvParticles* particles, RvArena* scratch);
// room and spare, each of 8 bytes a particle, until they are given back. False when out of memory.
bool rv_liquid_particles_take_room(RvParticles* particles, RvArenaMark* mark);
void rv_liquid_particles_give_room(RvParticles* particles, RvArenaMark mark);

// Sets the array pointers after blocks were exchanged.
void rv_liquid_particles_bind(RvParticles* particles);

// One more particle at `cell` (cells from the grid's origin, exact), at rest, without volume; its index, or SIZE_MAX
// when out of memory or when the place is out of range. The caller sets the other quantities, and asks
// rv_liquid_particles_complete after the last one.
size_t rv_liquid_particles_add(RvParticles* particles, const double cell[3]);
// RV_NO_MEMORY if there was none for a particle that should have been added.
RvResult rv_liquid_particles_complete(const RvParticles* particles, RvError* error);

static inline const int32_t* rv_liquid_particles_tile(const RvParticles* p, size_t i) {
  uint32_t home = p->home[i];
  return home < p->homes.count ? p->homes.coord[home] : p->extra[home - p->homes.count];
}
// Cells from the grid's origin; exact.
static inline void rv_liquid_particles_place(const RvParticles* p, size_t i, double cell[3]) {
  const int32_t* tile = rv_liquid_particles_tile(p, i);
  for (int a = 0; a < 3; ++a) cell[a] = (double)tile[a] * RV_TILE_SIDE + (double)p->x[a][i];
}

// Particles that a sort removed although they were not dead: out of range, or with a value that is not a number.
typedef struct RvParticlesLost {
  size_t count;
  double volume;  // m^3
} RvParticlesLost;

// Assigns every particle to its tile and sorts all by (tile, cell); particles of a cell keep their order. Dead and lost
// ones are removed, and the latter added to `lost`. Sets homes and cell_first.
RvResult rv_liquid_particles_sort(RvParticles* particles, RvParticlesLost* lost, RvError* error);
// The same with the particles of a cell by id: the result depends only on the set, as when a state is read (design,
// section 5).
RvResult rv_liquid_particles_sort_by_id(RvParticles* particles, RvParticlesLost* lost, RvError* error);
// Whether a sort would change nothing, provided that no particle has moved since the last one: none came, none left.
bool rv_liquid_particles_in_order(const RvParticles* particles);

// Sums over all particles, in double and in a fixed order.
double rv_liquid_particles_volume(const RvParticles* particles);

#endif
