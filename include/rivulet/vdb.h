// OpenVDB grids behind C handles. A grid is reference counted and must not be written once it is shared with a detail.
//
// Functions that return RvResult return RV_OK or fill `error` (may be NULL); a new grid in *out has one reference.
// World units are those of the scene.
#ifndef RIVULET_VDB_H
#define RIVULET_VDB_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvGrid RvGrid;

// Value type; RV_GRID_OTHER are types that are only passed through files.
typedef enum RvGridType { RV_GRID_FLOAT, RV_GRID_VEC3, RV_GRID_POINTS, RV_GRID_OTHER } RvGridType;
// What the values mean. A staggered grid has the components of a vector at the faces of the voxels.
typedef enum RvGridClass { RV_GRID_UNKNOWN, RV_GRID_LEVEL_SET, RV_GRID_FOG, RV_GRID_STAGGERED } RvGridClass;

// View of one 8^3 block of a float or vec3 grid. Voxel (x,y,z) of the block has value number x * 64 + y * 8 + z; bit b
// of active[w] belongs to value number 64 w + b.
typedef struct RvLeaf {
  int32_t origin[3];       // index of its first voxel, multiples of 8
  float* values;           // 512, or 512 x 3; belong to the grid
  const uint64_t* active;  // 8 words, 1 for active voxels
} RvLeaf;

// Creates an empty grid (float, vec3 or points) of cubic voxels, with voxel (0,0,0) centred on the world's origin.
// `voxel_size` in world units, 1.5e-5 to 1e12; `background` has 1 or 3 floats (NULL: 0); `name` may be NULL. The caller
// releases *out.
RV_API RvResult rv_grid_create(RvGridType type, const char* name, RvGridClass grid_class, double voxel_size,
                               const float* background, RvGrid** out, RvError* error);
// Adds a reference and returns the same grid. NULL stays NULL.
RV_API RvGrid* rv_grid_retain(RvGrid* grid);
// Removes a reference; the last one frees the grid. NULL is allowed.
RV_API void rv_grid_release(RvGrid* grid);
// Deep copy, which may be written. The caller releases *out.
RV_API RvResult rv_grid_copy(const RvGrid* grid, RvGrid** out, RvError* error);

// For C++ hosts that use the same OpenVDB: the address of the openvdb::GridBase::Ptr of the grid. Borrowed.
RV_API const void* rv_grid_native(const RvGrid* grid);
// For C++ hosts: a handle on the grid of an openvdb::GridBase::Ptr, whose address is `pointer`. The grid is shared and
// must not be written any more. The caller releases *out.
RV_API RvResult rv_grid_from_native(const void* pointer, RvGrid** out, RvError* error);

// Value type of a grid.
RV_API RvGridType rv_grid_type(const RvGrid* grid);
// Class of a grid: what its values mean.
RV_API RvGridClass rv_grid_class(const RvGrid* grid);
// Name of a grid. Borrowed: valid until the name is set or the grid freed.
RV_API const char* rv_grid_name(const RvGrid* grid);
// Sets the name (NULL: empty); the text is copied. On failure the old name stays.
RV_API RvResult rv_grid_set_name(RvGrid* grid, const char* name, RvError* error);
// Edge length of a voxel in world units; of voxels that are no cubes, that along x.
RV_API double rv_grid_voxel_size(const RvGrid* grid);
// Matrix from index to world space for row vectors, row major: world = (i, j, k, 1) * matrix. RV_UNSUPPORTED for a
// frustum.
RV_API RvResult rv_grid_transform(const RvGrid* grid, double matrix[16], RvError* error);
// Sets that matrix. RV_BAD_INPUT if it is not finite, affine and invertible.
RV_API RvResult rv_grid_set_transform(RvGrid* grid, const double matrix[16], RvError* error);
// Value of voxels outside of the tree. A float grid gives its value three times, a points grid zeros.
RV_API void rv_grid_background(const RvGrid* grid, float value[3]);
// Number of active voxels, those of active tiles included.
RV_API RvResult rv_grid_active_count(const RvGrid* grid, uint64_t* count, RvError* error);
// Bytes of memory of the grid. Where there is no memory to ask OpenVDB, an estimate from the number of its blocks.
RV_API size_t rv_grid_bytes(const RvGrid* grid);
// Box of the active voxels, in index space (inclusive) and in world space around their outer faces. False if there are
// none.
RV_API bool rv_grid_bounds(const RvGrid* grid, int32_t lo[3], int32_t hi[3], double world_lo[3], double world_hi[3]);
// Hash of the content: type, transform, metadata (name and class among it), tree and values. Metadata that only
// concerns the file does not count. 0: out of memory; no content has the hash 0.
RV_API uint64_t rv_grid_hash(const RvGrid* grid);

// Metadata entry as text in *text; free it with rv_free. *text is NULL if there is none of that name.
RV_API RvResult rv_grid_meta(const RvGrid* grid, const char* name, char** text, RvError* error);
// Sets a metadata entry of type string (NULL: empty), replacing one of any type. RV_BAD_INPUT for an empty name.
RV_API RvResult rv_grid_set_meta_string(RvGrid* grid, const char* name, const char* value, RvError* error);
// The same for a float.
RV_API RvResult rv_grid_set_meta_float(RvGrid* grid, const char* name, double value, RvError* error);
// The same for a bool.
RV_API RvResult rv_grid_set_meta_bool(RvGrid* grid, const char* name, bool value, RvError* error);

// Value of the voxel with this index, the background outside of the tree. A float grid gives its value three times, a
// points grid zeros.
RV_API void rv_grid_get(const RvGrid* grid, const int32_t ijk[3], float value[3]);
// Sets the value of one voxel, 1 or 3 floats, and makes it active. RV_UNSUPPORTED for other types than float and vec3.
RV_API RvResult rv_grid_set(RvGrid* grid, const int32_t ijk[3], const float* value, RvError* error);
// Writes `count` whole 8^3 blocks at once. origins: 3 a block, multiples of 8; values: 512 (or 512 x 3) a block in the
// order of RvLeaf; active: 8 words a block, NULL: all voxels active.
RV_API RvResult rv_grid_set_leaves(RvGrid* grid, size_t count, const int32_t* origins, const float* values,
                                   const uint64_t* active, RvError* error);
// Multiplies every value, also of tiles, inactive voxels and the background, by a 3 x 3 matrix (row major, the value a
// column vector); values of a float grid by matrix[0].
RV_API RvResult rv_grid_map_values(RvGrid* grid, const double matrix[9], RvError* error);
// Number of 8^3 blocks of a float or vec3 grid; 0 for any other grid.
RV_API size_t rv_grid_leaf_count(const RvGrid* grid);
// Views of all 8^3 blocks of a float or vec3 grid, rv_grid_leaf_count of them in a fixed order. They belong to the grid
// and are valid until it changes.
RV_API RvResult rv_grid_leaves(const RvGrid* grid, const RvLeaf** leaves, RvError* error);
// Called by rv_grid_each_leaf with its `arg` and a view of a block.
typedef void RvLeafFn(void* arg, const RvLeaf* leaf);
// Visits all 8^3 blocks of a float or vec3 grid in the same order. It needs no memory, so it cannot fail.
RV_API void rv_grid_each_leaf(const RvGrid* grid, RvLeafFn* fn, void* arg);

// Trilinear samples at `count` world positions (xyz each); `out` receives 1 or 3 floats each. A staggered grid is
// sampled at its faces. Parallel, with the same bits for any number of threads. RV_UNSUPPORTED for other types than
// float and vec3.
RV_API RvResult rv_grid_sample(const RvGrid* grid, size_t count, const double* positions, float* out, RvError* error);

// Signed distance to a triangle mesh as a level set, negative inside. Inside is what cannot be reached from far away,
// so the winding does not matter. With `unsigned_distance`, for open meshes, the distance has no sign. `band` is the
// half width of the narrow band in voxels, at least 3. RV_LIMIT, with a voxel size that would fit, if it needs more
// than 4 GiB. The caller releases *out.
RV_API RvResult rv_grid_from_mesh(const char* name, double voxel_size, double band, size_t npoint, const float* points,
                                  size_t ntriangle, const int32_t* triangles, bool unsigned_distance, RvGrid** out,
                                  RvError* error);
// Union of spheres of any size as a level set with the exact distance to the nearest one; same limit. centres: xyz
// each, world units. The caller releases *out.
RV_API RvResult rv_grid_from_spheres(const char* name, double voxel_size, double band, size_t count,
                                     const float* centres, const float* radii, RvGrid** out, RvError* error);
// Gives inactive voxels and tiles of a level set the sign of the active voxels around them. Call it after
// rv_grid_set_leaves.
RV_API RvResult rv_grid_flood_fill(RvGrid* level_set, RvError* error);
// Fog volume of a level set: 0 outside to 1 inside across the band. The caller releases *out.
RV_API RvResult rv_grid_to_fog(const RvGrid* level_set, const char* name, RvGrid** out, RvError* error);
// Isosurface at value `iso` as triangles, clockwise seen from outside as in Houdini. `adaptivity` from 0 to 1 merges
// triangles in flat regions. Free *points (xyz each) and *triangles (3 point numbers each) with rv_free.
RV_API RvResult rv_grid_to_mesh(const RvGrid* grid, double iso, double adaptivity, size_t* npoint, float** points,
                                size_t* ntriangle, int32_t** triangles, RvError* error);

// One attribute of a points grid.
typedef struct RvPointChannel {
  const char* name;
  int size;          // components: 1 or 3
  bool is_int;       // size 1 only
  const void* data;  // float or int32, count x size
} RvPointChannel;
// Creates a points grid. positions: xyz each, world units. The data of the channels are copied. The caller releases
// *out.
RV_API RvResult rv_grid_from_points(const char* name, double voxel_size, size_t count, const float* positions,
                                    const RvPointChannel* channels, size_t nchannel, RvGrid** out, RvError* error);
// Positions of a points grid, xyz each in world units; *count is the number of points. Free *positions with rv_free.
RV_API RvResult rv_grid_points(const RvGrid* grid, size_t* count, float** positions, RvError* error);
// Names of the *count attributes and groups of a points grid other than P; *count is 0 for any other grid. Free *names,
// not the texts, with rv_free; the texts are valid as long as the grid.
RV_API RvResult rv_grid_points_channels(const RvGrid* grid, size_t* count, const char*** names, RvError* error);
// Values of one attribute of a points grid, in the order of rv_grid_points: *size 1 or 3, *data int32 if *is_int, else
// float. Free *data with rv_free. RV_NOT_FOUND if there is none of that name, RV_UNSUPPORTED for a group and other
// types.
RV_API RvResult rv_grid_points_channel(const RvGrid* grid, const char* name, int* size, bool* is_int, void** data,
                                       RvError* error);

// Writes grids to a file under a temporary name, which is then renamed. `half` stores floats with 16 bits; so are those
// of grids whose metadata is_saved_as_half_float is true. Compression is active mask plus Blosc; creator, class, name,
// vector_type and is_saved_as_half_float metadata are those that Houdini writes.
RV_API RvResult rv_grid_write_file(const char* path, RvGrid* const* grids, size_t count, bool half, RvError* error);
// Reads all grids of a file. The caller releases each grid, then frees *grids with rv_free; *grids is NULL on failure:
// RV_NOT_FOUND, RV_IO, RV_BAD_FILE, RV_LIMIT. `log` (may be NULL) receives a warning for each grid of an unknown type,
// which is left out.
RV_API RvResult rv_grid_read_file(const char* path, RvGrid*** grids, size_t* count, const RvLog* log, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
