// Level sets of meshes that the node keeps between frames, by a hash of everything that goes into them: a mesh that
// stands still, or returns to an earlier shape, is converted once.
#include "base/hash.h"
#include "base/memory.h"
#include "node/solver/cache.h"
#include "node/solver/colliders.h"

// As many as a scene has solids, with some to spare: the oldest is replaced first.
enum { CACHED_GRIDS = 32 };

struct RvGridCache {
  struct {
    uint64_t key;
    RvGrid* grid;  // NULL: the entry is empty
  } entry[CACHED_GRIDS];
  size_t next;  // entry that is replaced next, modulo CACHED_GRIDS
};

void rv_grid_cache_free(RvGridCache* cache) {
  for (size_t i = 0; cache && i < CACHED_GRIDS; ++i)
    if (cache->entry[i].grid) rv_grid_release(cache->entry[i].grid);
  rv_free(cache);
}

// The level sets that the node keeps; NULL: there is no place for them.
static RvGridCache* cache_of(const RvCook* cook) {
  RvSolverCache* cache = rv_solver_cache(cook);
  if (cache && !cache->grids) cache->grids = rv_alloc_zero(1, sizeof *cache->grids);
  return cache ? cache->grids : NULL;
}

// Hash of a mesh and of the settings of its level set.
static uint64_t key_of(const RvMesh* mesh, const RvSolid* solid, const RvMeshGrid* want) {
  RvHasher h = rv_hasher_new(1);
  const double numbers[] = {want->voxel_size, want->band, want->shell, want->exact};
  rv_hasher_add(&h, numbers, sizeof numbers);
  rv_hasher_add(&h, mesh->points + 3 * solid->first, (solid->last - solid->first) * 3 * sizeof *mesh->points);
  rv_hasher_add(&h, mesh->triangles, mesh->ntriangle * 3 * sizeof *mesh->triangles);
  return rv_hasher_done(&h);
}

RvResult rv_collider_cache_grid(const RvCook* cook, const RvMesh* mesh, const RvMeshFacts* facts, const RvSolid* solid,
                                const RvMeshGrid* want, RvGrid** out, RvError* error) {
  RvGridCache* cache = cache_of(cook);
  uint64_t key = cache ? key_of(mesh, solid, want) : 0;
  for (size_t i = 0; cache && i < CACHED_GRIDS; ++i)
    if (cache->entry[i].grid && cache->entry[i].key == key) {
      *out = rv_grid_retain(cache->entry[i].grid);
      return RV_OK;
    }
  RvResult result = rv_mesh_to_grid(mesh, facts, want, out, error);
  if (result || !cache) return result;
  size_t i = cache->next++ % CACHED_GRIDS;
  if (cache->entry[i].grid) rv_grid_release(cache->entry[i].grid);
  cache->entry[i].key = key;
  cache->entry[i].grid = rv_grid_retain(*out);
  return RV_OK;
}
