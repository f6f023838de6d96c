// OpenVDB grids behind C handles. A grid is reference counted and, once shared with a detail, not to be written.
#ifndef RIVULET_VDB_H
#define RIVULET_VDB_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvGrid RvGrid;

typedef enum RvGridType { RV_GRID_FLOAT, RV_GRID_VEC3, RV_GRID_POINTS, RV_GRID_OTHER } RvGridType;
typedef enum RvGridClass { RV_GRID_UNKNOWN, RV_GRID_LEVEL_SET, RV_GRID_FOG, RV_GRID_STAGGERED } RvGridClass;

// One 8^3 block of a float or vec3 grid, shared with the grid: no copy. Voxel (x,y,z) of the block is value
// (x * 64 + y * 8 + z); bit b of active[w] belongs to value 64 w + b.
typedef struct RvLeaf {
  int32_t origin[3];
  float* values;           // 512, or 512 x 3
  const uint64_t* active;  // 8 words
} RvLeaf;

// A uniform grid with its voxel (0,0,0) centred on the world's origin.
RV_API RvResult rv_grid_create(RvGridType type, const char* name, RvGridClass grid_class, double voxel_size,
                               const float* background, RvGrid** out, RvError* error);
RV_API RvGrid* rv_grid_retain(RvGrid* grid);
RV_API void rv_grid_release(RvGrid* grid);
RV_API RvResult rv_grid_copy(const RvGrid* grid, RvGrid** out, RvError* error);

// For hosts in C++ that hold grids of the same OpenVDB: the address of an openvdb::GridBase::Ptr, borrowed, and a
// handle on the grid that such a pointer names, which is shared and must not be written any more.
RV_API const void* rv_grid_native(const RvGrid* grid);
RV_API RvResult rv_grid_from_native(const void* pointer, RvGrid** out, RvError* error);

RV_API RvGridType rv_grid_type(const RvGrid* grid);
RV_API RvGridClass rv_grid_class(const RvGrid* grid);
RV_API const char* rv_grid_name(const RvGrid* grid);
RV_API void rv_grid_set_name(RvGrid* grid, const char* name);
RV_API double rv_grid_voxel_size(const RvGrid* grid);
// Index to world, row vectors, row major: world = (i, j, k, 1) * m. Fails on a frustum.
RV_API RvResult rv_grid_transform(const RvGrid* grid, double matrix[16], RvError* error);
RV_API RvResult rv_grid_set_transform(RvGrid* grid, const double matrix[16], RvError* error);
RV_API void rv_grid_background(const RvGrid* grid, float value[3]);
RV_API uint64_t rv_grid_active_count(const RvGrid* grid);
RV_API size_t rv_grid_bytes(const RvGrid* grid);
// Box of the active voxels, in index space (inclusive) and as the world's box of their outer faces. False when empty.
RV_API bool rv_grid_bounds(const RvGrid* grid, int32_t lo[3], int32_t hi[3], double world_lo[3], double world_hi[3]);
RV_API uint64_t rv_grid_hash(const RvGrid* grid);

// Metadata as text: returns a malloc'd string (rv_free) or NULL. Set takes string, float, int ("true"/"false" bool).
RV_API char* rv_grid_meta(const RvGrid* grid, const char* name);
RV_API RvResult rv_grid_set_meta_string(RvGrid* grid, const char* name, const char* value, RvError* error);
RV_API RvResult rv_grid_set_meta_float(RvGrid* grid, const char* name, double value, RvError* error);
RV_API RvResult rv_grid_set_meta_bool(RvGrid* grid, const char* name, bool value, RvError* error);

// Voxels by index.
RV_API void rv_grid_get(const RvGrid* grid, const int32_t ijk[3], float value[3]);
RV_API RvResult rv_grid_set(RvGrid* grid, const int32_t ijk[3], const float* value, RvError* error);
// Writes `count` whole blocks at once (origins are multiples of 8; NULL active = all on). The bulk way in.
RV_API RvResult rv_grid_set_leaves(RvGrid* grid, size_t count, const int32_t* origins, const float* values,
                                   const uint64_t* active, RvError* error);
// Multiplies every value, also of tiles, inactive voxels and the background, by a 3 x 3 matrix (rows first, value a
// column); a float grid by matrix[0].
RV_API RvResult rv_grid_map_values(RvGrid* grid, const double matrix[9], RvError* error);
// Blocks of the grid in a fixed order. The view is valid until the grid is changed.
RV_API size_t rv_grid_leaf_count(const RvGrid* grid);
RV_API bool rv_grid_leaf(const RvGrid* grid, size_t index, RvLeaf* leaf);

// Trilinear samples at `count` world positions (xyz each); out has 1 or 3 floats each. In parallel, same bits always.
// A staggered grid is sampled at its faces.
RV_API RvResult rv_grid_sample(const RvGrid* grid, size_t count, const double* positions, float* out, RvError* error);

// Signed distance of a mesh of triangles, negative inside. Open meshes are told apart by `unsigned_distance`: then the
// distance has no sign. `band` in voxels on each side, at least 3. The winding does not matter: inside is what cannot
// be reached from far away. RV_LIMIT, with a voxel size that fits, when it would take more than 4 GiB.
RV_API RvResult rv_grid_from_mesh(const char* name, double voxel_size, double band, size_t npoint, const float* points,
                                  size_t ntriangle, const int32_t* triangles, bool unsigned_distance, RvGrid** out,
                                  RvError* error);
// Union of spheres of any size as a level set: the exact distance to the nearest. Same limit.
RV_API RvResult rv_grid_from_spheres(const char* name, double voxel_size, double band, size_t count,
                                     const float* centres, const float* radii, RvGrid** out, RvError* error);
// Gives what is not active in a level set the sign of the active voxels around it, also tiles: after
// rv_grid_set_leaves.
RV_API RvResult rv_grid_flood_fill(RvGrid* level_set, RvError* error);
// Level set to fog: 0 outside to 1 inside across the band.
RV_API RvResult rv_grid_to_fog(const RvGrid* level_set, const char* name, RvGrid** out, RvError* error);
// Contour as triangles, clockwise seen from outside as Houdini winds them. Free *points (xyz) and *triangles with
// rv_free.
RV_API RvResult rv_grid_to_mesh(const RvGrid* grid, double iso, double adaptivity, size_t* npoint, float** points,
                                size_t* ntriangle, int32_t** triangles, RvError* error);

// Points grids: positions and named float attributes (size 1 or 3; ids as size 1 of int32).
typedef struct RvPointChannel {
  const char* name;
  int size;          // 1 or 3
  bool is_int;       // size 1 only
  const void* data;  // float or int32, count x size
} RvPointChannel;
RV_API RvResult rv_grid_from_points(const char* name, double voxel_size, size_t count, const float* positions,
                                    const RvPointChannel* channels, size_t nchannel, RvGrid** out, RvError* error);
// Free *positions with rv_free.
RV_API RvResult rv_grid_points(const RvGrid* grid, size_t* count, float** positions, RvError* error);
// The attributes and groups of a points grid other than P, by name; the text lives as long as the grid. NULL, and 0 of
// them, where there are none.
RV_API size_t rv_grid_points_channel_count(const RvGrid* grid);
RV_API const char* rv_grid_points_channel_name(const RvGrid* grid, size_t index);
// One attribute of a points grid in the same order; *data is float or int32. Free with rv_free. RV_UNSUPPORTED for a
// group, and for an attribute of another type.
RV_API RvResult rv_grid_points_channel(const RvGrid* grid, const char* name, int* size, bool* is_int, void** data,
                                       RvError* error);

// Files. `half` stores floats as 16 bit; so are those of grids whose metadata is_saved_as_half_float is true.
// Compression is active mask plus Blosc. The creator and the class, name, vector_type and is_saved_as_half_float
// metadata are written as Houdini does. Temporary name, then rename.
RV_API RvResult rv_grid_write_file(const char* path, RvGrid* const* grids, size_t count, bool half, RvError* error);
// All grids of a file. Free *grids with rv_free after releasing each.
RV_API RvResult rv_grid_read_file(const char* path, RvGrid*** grids, size_t* count, const RvLog* log, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
