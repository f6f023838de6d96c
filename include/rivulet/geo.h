// A detail: points, vertices, primitives, their attributes and groups. The one geometry type of every node.
//
// A primitive owns a run of vertices, each of which names a point. An open polygon is a strand, root first; a closed
// one is a face; a VDB primitive holds a grid and no vertices. Arrays are shared between copies until one is written,
// so rv_detail_copy costs a few pointers an attribute. A detail may be read by many threads, or written by one.
#ifndef RIVULET_GEO_H
#define RIVULET_GEO_H

#include "rivulet/base.h"
#include "rivulet/vdb.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvDetail RvDetail;
typedef struct RvAttrib RvAttrib;
typedef struct RvGroup RvGroup;

typedef enum RvOwner { RV_POINT, RV_VERTEX, RV_PRIM, RV_GLOBAL, RV_OWNER_COUNT } RvOwner;

// name, bytes an element, Houdini's word for it
#define RV_STORAGES(X)  \
  X(F16, 2, "fpreal16") \
  X(F32, 4, "fpreal32") \
  X(F64, 8, "fpreal64") \
  X(I8, 1, "int8")      \
  X(I32, 4, "int32")    \
  X(I64, 8, "int64")    \
  X(STRING, 4, "string") /* an int32 index into the attribute's string table; -1 is the empty string */

typedef enum RvStorage {
#define RV_STORAGE_VALUE(name, bytes, word) RV_##name,
  RV_STORAGES(RV_STORAGE_VALUE)
#undef RV_STORAGE_VALUE
      RV_STORAGE_COUNT
} RvStorage;

// How a value moves with a transform; name, word in files ("" is none).
#define RV_TAGS(X)            \
  X(NONE, "")                 \
  X(POINT, "point")           \
  X(HPOINT, "hpoint")         \
  X(VECTOR, "vector")         \
  X(NORMAL, "normal")         \
  X(COLOR, "color")           \
  X(QUATERNION, "quaternion") \
  X(MATRIX3, "matrix3")       \
  X(MATRIX, "matrix")         \
  X(TEXTURE, "texturecoord")  \
  X(ID, "nonarithmetic_integer")

typedef enum RvTag {
#define RV_TAG_VALUE(name, word) RV_TAG_##name,
  RV_TAGS(RV_TAG_VALUE)
#undef RV_TAG_VALUE
      RV_TAG_COUNT
} RvTag;

typedef enum RvPrimType { RV_PRIM_POLYGON, RV_PRIM_CURVE, RV_PRIM_VDB } RvPrimType;

RV_API const char* rv_owner_name(RvOwner owner);
RV_API const char* rv_storage_name(RvStorage storage);
RV_API size_t rv_storage_bytes(RvStorage storage);
RV_API const char* rv_tag_name(RvTag tag);
RV_API RvTag rv_tag_from_name(const char* name);  // unknown words give RV_TAG_NONE
// That of a name that everybody knows: P, v, N, Cd, orient, id ...
RV_API RvTag rv_tag_well_known(const char* name, RvStorage storage, int size);

//---------------------------------------------------------------------------------------------- detail

// NULL only when out of memory. A new detail has the point attribute P (float 3, tag point) and nothing else.
RV_API RvDetail* rv_detail_new(void);
RV_API RvDetail* rv_detail_copy(const RvDetail* detail);
RV_API void rv_detail_free(RvDetail* detail);
// Bytes held, counting shared arrays in full.
RV_API size_t rv_detail_bytes(const RvDetail* detail);
// Hash of every byte of the content: topology, attributes (name, type, tag, defaults, values), groups, grids.
RV_API uint64_t rv_detail_hash(const RvDetail* detail);
// Elements of an owner; 1 for RV_GLOBAL.
RV_API size_t rv_detail_count(const RvDetail* detail, RvOwner owner);

//---------------------------------------------------------------------------------------------- topology

// Appends points; new values are the attributes' defaults. Returns the first new index in *first (may be NULL).
RV_API RvResult rv_detail_add_points(RvDetail* detail, size_t count, size_t* first, RvError* error);
// Appends `count` polygons of `type` (polygon or curve); primitive i has nvertex[i] vertices, whose points follow each
// other in `points`. Every point must exist. Returns the first new primitive in *first (may be NULL).
RV_API RvResult rv_detail_add_polygons(RvDetail* detail, RvPrimType type, size_t count, const int32_t* nvertex,
                                       const int32_t* points, size_t* first, RvError* error);
// Appends `ncurve` open curves of `npoint` new points each, in point order; the fast way to make strands.
RV_API RvResult rv_detail_add_curves(RvDetail* detail, size_t ncurve, size_t npoint, size_t* first_point,
                                     size_t* first_prim, RvError* error);
// Appends a VDB primitive that shares the grid; its name goes to the primitive attribute `name`.
RV_API RvResult rv_detail_add_vdb(RvDetail* detail, RvGrid* grid, RvError* error);

RV_API RvPrimType rv_detail_prim_type(const RvDetail* detail, size_t prim);
// First vertex of every primitive: count(prim) + 1 entries, so primitive i has vertices [start[i], start[i+1]).
RV_API const int32_t* rv_detail_prim_start(const RvDetail* detail);
// Point of every vertex.
RV_API const int32_t* rv_detail_vertex_point(const RvDetail* detail);
// The grid of a VDB primitive, else NULL. Borrowed.
RV_API RvGrid* rv_detail_prim_grid(const RvDetail* detail, size_t prim);
// The same points, vertices and primitives in the same order, VDBs with the very same grids; attributes do not count.
RV_API bool rv_detail_same_topology(const RvDetail* a, const RvDetail* b);
// First VDB primitive whose `name` is `name` (NULL: any). Borrowed; NULL if there is none.
RV_API RvGrid* rv_detail_find_vdb(const RvDetail* detail, const char* name);
// Puts another grid into a VDB primitive, which shares it and takes its name.
RV_API RvResult rv_detail_set_grid(RvDetail* detail, size_t prim, RvGrid* grid, RvError* error);
// Turns the order of the vertices of every closed polygon whose mask byte is not 0 (NULL: all), with their attributes
// and groups. Curves stay root first.
RV_API RvResult rv_detail_reverse(RvDetail* detail, const uint8_t* prims, RvError* error);

//---------------------------------------------------------------------------------------------- attributes

// Finds or adds. An attribute of that name with another storage, size or tag is an error that says so.
RV_API RvResult rv_detail_add_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                                     RvTag tag, RvAttrib** out, RvError* error);
RV_API void rv_detail_remove_attrib(RvDetail* detail, RvOwner owner, const char* name);
RV_API const RvAttrib* rv_detail_find(const RvDetail* detail, RvOwner owner, const char* name);
RV_API RvAttrib* rv_detail_find_mutable(RvDetail* detail, RvOwner owner, const char* name);
// Attributes of an owner in the order of their adding (P is point attribute 0).
RV_API size_t rv_detail_attrib_count(const RvDetail* detail, RvOwner owner);
RV_API const RvAttrib* rv_detail_attrib(const RvDetail* detail, RvOwner owner, size_t index);

RV_API const char* rv_attrib_name(const RvAttrib* attrib);
RV_API RvOwner rv_attrib_owner(const RvAttrib* attrib);
RV_API RvStorage rv_attrib_storage(const RvAttrib* attrib);
RV_API int rv_attrib_size(const RvAttrib* attrib);
RV_API RvTag rv_attrib_tag(const RvAttrib* attrib);
RV_API size_t rv_attrib_count(const RvAttrib* attrib);
// The default tuple, `size` elements of the storage.
RV_API const void* rv_attrib_default(const RvAttrib* attrib);
RV_API RvResult rv_attrib_set_default(RvAttrib* attrib, const void* tuple, RvError* error);
// count x size elements. The write form unshares first and is NULL when out of memory.
RV_API const void* rv_attrib_read(const RvAttrib* attrib);
RV_API void* rv_attrib_write(RvAttrib* attrib);
// One number of any numeric storage as double (i64 beyond 2^53 rounds).
RV_API double rv_attrib_get(const RvAttrib* attrib, size_t element, int component);
// All of them, count x size, to and from any numeric storage: what does not fit goes to the nearest that does.
RV_API void rv_attrib_get_doubles(const RvAttrib* attrib, double* out);
RV_API RvResult rv_attrib_set_doubles(RvAttrib* attrib, const double* values, RvError* error);
// The default tuple likewise.
RV_API void rv_attrib_get_default(const RvAttrib* attrib, double* tuple);
RV_API void rv_attrib_set_default_doubles(RvAttrib* attrib, const double* tuple);
// The same storage, size, tag and default; and the same values besides, byte for byte. Names do not count.
RV_API bool rv_attrib_same_kind(const RvAttrib* a, const RvAttrib* b);
RV_API bool rv_attrib_equal(const RvAttrib* a, const RvAttrib* b);
// Strings. The empty string is never NULL. Setting interns the text in the attribute's table.
RV_API const char* rv_attrib_string(const RvAttrib* attrib, size_t element, int component);
RV_API RvResult rv_attrib_set_string(RvAttrib* attrib, size_t element, int component, const char* text, RvError* error);
RV_API size_t rv_attrib_string_count(const RvAttrib* attrib);               // of the table
RV_API const char* rv_attrib_string_at(const RvAttrib* attrib, int index);  // of the table

// Shorthands. Read: NULL if there is no such attribute of exactly that storage and size.
RV_API const float* rv_detail_f32(const RvDetail* detail, RvOwner owner, const char* name, int size);
RV_API const double* rv_detail_f64(const RvDetail* detail, RvOwner owner, const char* name, int size);
RV_API const int32_t* rv_detail_i32(const RvDetail* detail, RvOwner owner, const char* name, int size);
RV_API const int64_t* rv_detail_i64(const RvDetail* detail, RvOwner owner, const char* name, int size);
// Write: adds the attribute if missing (tag from the well-known name: v vector, orient quaternion, id ...), unshares
// it. NULL with `error` filled on failure.
RV_API float* rv_detail_f32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
RV_API double* rv_detail_f64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
RV_API int32_t* rv_detail_i32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
RV_API int64_t* rv_detail_i64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);

//---------------------------------------------------------------------------------------------- groups

// Points, vertices or primitives only; one byte an element, 0 or 1.
RV_API RvResult rv_detail_add_group(RvDetail* detail, RvOwner owner, const char* name, RvGroup** out, RvError* error);
RV_API void rv_detail_remove_group(RvDetail* detail, RvOwner owner, const char* name);
RV_API RvGroup* rv_detail_find_group(const RvDetail* detail, RvOwner owner, const char* name);
RV_API size_t rv_detail_group_count(const RvDetail* detail, RvOwner owner);
RV_API const RvGroup* rv_detail_group(const RvDetail* detail, RvOwner owner, size_t index);
RV_API const char* rv_group_name(const RvGroup* group);
RV_API const uint8_t* rv_group_read(const RvGroup* group);
RV_API uint8_t* rv_group_write(RvGroup* group);

//---------------------------------------------------------------------------------------------- whole-detail edits

// Keeps the points and primitives whose mask byte is not 0 (NULL keeps all). A primitive that lost a point goes too.
// With `drop_unused_points`, points that only removed primitives used go as well. Attributes and groups follow.
RV_API RvResult rv_detail_keep(RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop_unused_points,
                               RvError* error);
// Appends all of `other`. Attributes missing on one side get their defaults there; of two with one name and different
// storage or size the first detail's wins and the values are converted (strings and numbers do not convert: error).
RV_API RvResult rv_detail_merge(RvDetail* detail, const RvDetail* other, RvError* error);
// Gives the elements [first, first + count) of `detail` every attribute and group of `from`, element i copied from
// index[i]; attributes not yet there are added, and those in the list `except` (space separated, NULL none) left alone.
RV_API RvResult rv_detail_gather(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                                 const int32_t* index, const char* except, RvError* error);
// Checks every index and count; the error says what is wrong. For tests and for data from outside.
RV_API RvResult rv_detail_check(const RvDetail* detail, RvError* error);
// Box of P; false when there are no points (or none finite). VDBs count with their active voxels.
RV_API bool rv_detail_bounds(const RvDetail* detail, double lo[3], double hi[3]);

//---------------------------------------------------------------------------------------------- files

// By the name's ending: .geo .bgeo .bgeo.sc .vdb to read; these and .vtp .usda to write. Whole or not at all: written
// to a temporary name beside the target, flushed and renamed. The error names the file, and the offset if it is
// damaged.
RV_API RvResult rv_detail_load(const char* path, RvDetail** out, const RvLog* log, RvError* error);
RV_API RvResult rv_detail_save(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// The same from and to memory; `format` is "geo", "bgeo" or "bgeo.sc". Free *bytes with rv_free.
RV_API RvResult rv_detail_decode(const void* bytes, size_t count, RvDetail** out, const RvLog* log, RvError* error);
RV_API RvResult rv_detail_encode(const RvDetail* detail, const char* format, void** bytes, size_t* count,
                                 const RvLog* log, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
