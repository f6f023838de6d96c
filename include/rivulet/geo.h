// A detail: points, vertices and primitives with their attributes and groups. It is the geometry type of every node.
//
// A primitive has a run of vertices, each of which refers to a point. An open polygon is a strand, root first; a
// closed one is a face; a VDB primitive has a grid and no vertices. Arrays are shared between copies until one of them
// is written (copy on write), so rv_detail_copy costs a few pointers an attribute. A detail may be read by several
// threads at once, or written by one.
//
// Functions that return RvResult return RV_OK or fill `error` (may be NULL). Pointers called borrowed belong to the
// detail. Detail, attribute, group and name arguments must not be NULL unless the comment says so.
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

// The kinds of elements that have attributes. RV_GLOBAL is the detail itself, an owner of one element.
typedef enum RvOwner { RV_POINT, RV_VERTEX, RV_PRIM, RV_GLOBAL, RV_OWNER_COUNT } RvOwner;

// Storages of attributes. Columns: name, bytes of a number, Houdini's name of it.
#define RV_STORAGES(X)  \
  X(F16, 2, "fpreal16") \
  X(F32, 4, "fpreal32") \
  X(F64, 8, "fpreal64") \
  X(I8, 1, "int8")      \
  X(I32, 4, "int32")    \
  X(I64, 8, "int64")    \
  X(STRING, 4, "string") /* an int32 index into the attribute's string table; -1: the empty string */

typedef enum RvStorage {
#define RV_STORAGE_VALUE(name, bytes, word) RV_##name,
  RV_STORAGES(RV_STORAGE_VALUE)
#undef RV_STORAGE_VALUE
      RV_STORAGE_COUNT
} RvStorage;

// Tags say how a value changes with a transform of the geometry. Columns: name, word in Houdini files ("": none).
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

// Closed polygon (face), open polygon (strand), volume.
typedef enum RvPrimType { RV_PRIM_POLYGON, RV_PRIM_CURVE, RV_PRIM_VDB } RvPrimType;

// "point", "vertex", "prim" or "detail", as in messages and scene files; "" for any other value. Never NULL.
RV_API const char* rv_owner_name(RvOwner owner);
// Houdini's name of a storage, such as "fpreal32"; "" for any other value.
RV_API const char* rv_storage_name(RvStorage storage);
// Bytes of one number of a storage; 0 for any other value.
RV_API size_t rv_storage_bytes(RvStorage storage);
// The word of a tag in files, such as "vector"; "" for RV_TAG_NONE.
RV_API const char* rv_tag_name(RvTag tag);
// The tag with this word; RV_TAG_NONE for NULL and unknown words.
RV_API RvTag rv_tag_from_name(const char* name);
// The tag that an attribute of a well-known name has by convention (P, v, N, Cd, orient, id ...), if storage and size
// fit; else RV_TAG_NONE.
RV_API RvTag rv_tag_well_known(const char* name, RvStorage storage, int size);

//---------------------------------------------------------------------------------------------- detail

// A new detail with the point attribute P (float 3, tag point) and nothing else. The caller frees it with
// rv_detail_free. NULL when out of memory.
RV_API RvDetail* rv_detail_new(void);
// A copy that shares all arrays with the original until one of the two is written. The caller frees it. NULL when out
// of memory.
RV_API RvDetail* rv_detail_copy(const RvDetail* detail);
// Frees a detail and releases the arrays and grids that it shares. NULL is allowed.
RV_API void rv_detail_free(RvDetail* detail);
// Bytes of memory of a detail; arrays that it shares with others are counted in full.
RV_API size_t rv_detail_bytes(const RvDetail* detail);
// Hash of the whole content: topology, attributes (name, type, tag, default, values), groups and grids. It does not
// depend on the order in which attributes and groups were added. 0: out of memory; no content has the hash 0.
RV_API uint64_t rv_detail_hash(const RvDetail* detail);
// Number of elements of an owner; 1 for RV_GLOBAL, 0 for any other value.
RV_API size_t rv_detail_count(const RvDetail* detail, RvOwner owner);

//---------------------------------------------------------------------------------------------- topology

// Appends `count` points with default attribute values. *first (may be NULL) becomes the number of the first new point.
// RV_LIMIT if there would be too many, RV_NO_MEMORY; the detail is then unchanged.
RV_API RvResult rv_detail_add_points(RvDetail* detail, size_t count, size_t* first, RvError* error);
// Appends `count` polygons, closed (RV_PRIM_POLYGON) or open (RV_PRIM_CURVE). Polygon i has nvertex[i] vertices;
// `points` lists the points of all of them in order, and every point must exist (else RV_BAD_INPUT). *first (may be
// NULL) becomes the number of the first new primitive. On failure the detail is unchanged.
RV_API RvResult rv_detail_add_polygons(RvDetail* detail, RvPrimType type, size_t count, const int32_t* nvertex,
                                       const int32_t* points, size_t* first, RvError* error);
// Appends `ncurve` open curves of `npoint` new points each, with the points in the order of the curves: the fast way to
// create strands. *first_point and *first_prim (may be NULL) become the first new point and primitive. On failure the
// detail has no new elements.
RV_API RvResult rv_detail_add_curves(RvDetail* detail, size_t ncurve, size_t npoint, size_t* first_point,
                                     size_t* first_prim, RvError* error);
// Appends a VDB primitive. The detail retains the grid, so the caller still releases its own reference; the grid must
// not be written any more. Its name becomes the value of the primitive attribute `name`. RV_BAD_INPUT if `grid` is
// NULL.
RV_API RvResult rv_detail_add_vdb(RvDetail* detail, RvGrid* grid, RvError* error);

// Type of a primitive; RV_PRIM_POLYGON if it does not exist.
RV_API RvPrimType rv_detail_prim_type(const RvDetail* detail, size_t prim);
// First vertex of every primitive: count(prim) + 1 entries, so primitive i has the vertices from start[i] up to, not
// including, start[i + 1]. Borrowed: valid until the topology changes. Never NULL.
RV_API const int32_t* rv_detail_prim_start(const RvDetail* detail);
// Point of every vertex. Borrowed: valid until the topology changes. Never NULL.
RV_API const int32_t* rv_detail_vertex_point(const RvDetail* detail);
// Grid of a VDB primitive, NULL for any other primitive. Borrowed: valid as long as the detail contains it.
RV_API RvGrid* rv_detail_prim_grid(const RvDetail* detail, size_t prim);
// True if both have the same points, vertices and primitives in the same order and, for VDBs, the very same grids.
// Attributes do not matter.
RV_API bool rv_detail_same_topology(const RvDetail* a, const RvDetail* b);
// Grid of the first VDB primitive whose `name` attribute (without one: whose grid's name) is `name`; of the first of
// all if `name` is NULL. Borrowed; NULL if there is none.
RV_API RvGrid* rv_detail_find_vdb(const RvDetail* detail, const char* name);
// Replaces the grid of a VDB primitive; the detail retains the new one and releases the old one, and the `name`
// attribute follows. RV_BAD_INPUT if the primitive is no VDB.
RV_API RvResult rv_detail_set_grid(RvDetail* detail, size_t prim, RvGrid* grid, RvError* error);
// Reverses the vertex order of every closed polygon whose mask byte is not 0 (NULL: of all), with vertex attributes and
// groups. Curves stay root first. RV_NO_MEMORY leaves the detail unchanged.
RV_API RvResult rv_detail_reverse(RvDetail* detail, const uint8_t* prims, RvError* error);

//---------------------------------------------------------------------------------------------- attributes

// Finds the attribute or adds it with the default 0 (strings: empty). *out (may be NULL) borrows it, valid until it is
// removed or the detail freed. RV_BAD_INPUT if an attribute of that name has another storage, size or tag; RV_LIMIT if
// the name or size is too large. *out is NULL on failure.
RV_API RvResult rv_detail_add_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                                     RvTag tag, RvAttrib** out, RvError* error);
// Removes an attribute. Nothing happens if it does not exist, or if it is P, which every detail has.
RV_API void rv_detail_remove_attrib(RvDetail* detail, RvOwner owner, const char* name);
// The attribute of an owner with this name, or NULL. Borrowed.
RV_API const RvAttrib* rv_detail_find(const RvDetail* detail, RvOwner owner, const char* name);
// The same for writing. The pointer does not unshare anything yet; rv_attrib_write does.
RV_API RvAttrib* rv_detail_find_mutable(RvDetail* detail, RvOwner owner, const char* name);
// Number of attributes of an owner.
RV_API size_t rv_detail_attrib_count(const RvDetail* detail, RvOwner owner);
// Attribute number `index` of an owner in the order of adding (P is point attribute 0); NULL if there are fewer.
// Borrowed.
RV_API const RvAttrib* rv_detail_attrib(const RvDetail* detail, RvOwner owner, size_t index);

// Name of an attribute. Borrowed.
RV_API const char* rv_attrib_name(const RvAttrib* attrib);
// Owner of an attribute: what its elements are.
RV_API RvOwner rv_attrib_owner(const RvAttrib* attrib);
// Storage of its numbers, or RV_STRING.
RV_API RvStorage rv_attrib_storage(const RvAttrib* attrib);
// Components of an element.
RV_API int rv_attrib_size(const RvAttrib* attrib);
// How its values change with a transform.
RV_API RvTag rv_attrib_tag(const RvAttrib* attrib);
// Number of elements: that of its owner.
RV_API size_t rv_attrib_count(const RvAttrib* attrib);
// The default tuple, `size` numbers of the storage (string indices for strings). Borrowed.
RV_API const void* rv_attrib_default(const RvAttrib* attrib);
// Sets the default tuple, `size` numbers of the storage; existing values stay. RV_BAD_INPUT for a string index that is
// not in the table.
RV_API RvResult rv_attrib_set_default(RvAttrib* attrib, const void* tuple, RvError* error);
// The values, count x size numbers of the storage (string indices for strings). Borrowed: valid until the attribute is
// written or resized.
RV_API const void* rv_attrib_read(const RvAttrib* attrib);
// The same for writing: copies the array first if it is shared. NULL when out of memory.
RV_API void* rv_attrib_write(RvAttrib* attrib);
// One number of any numeric storage as double (int64 beyond 2^53 is rounded); 0 for strings and out of range.
RV_API double rv_attrib_get(const RvAttrib* attrib, size_t element, int component);
// Reads all values, count x size, as doubles.
RV_API void rv_attrib_get_doubles(const RvAttrib* attrib, double* out);
// Writes all values, count x size, from doubles; integers are truncated and clamped to their range, NaN becomes integer
// 0. RV_NO_MEMORY leaves the attribute unchanged.
RV_API RvResult rv_attrib_set_doubles(RvAttrib* attrib, const double* values, RvError* error);
// Reads the default tuple, `size` numbers, as doubles.
RV_API void rv_attrib_get_default(const RvAttrib* attrib, double* tuple);
// Sets the default tuple from doubles, converted as by rv_attrib_set_doubles.
RV_API void rv_attrib_set_default_doubles(RvAttrib* attrib, const double* tuple);
// True if storage, size, tag and (for numbers) default are the same. Names do not matter.
RV_API bool rv_attrib_same_kind(const RvAttrib* a, const RvAttrib* b);
// True if, besides, the values are the same: numbers byte for byte, strings by content. Names do not matter.
RV_API bool rv_attrib_equal(const RvAttrib* a, const RvAttrib* b);
// One string; "" for a number and out of range. Never NULL. Borrowed: valid until the attribute is removed or its table
// copied by a write.
RV_API const char* rv_attrib_string(const RvAttrib* attrib, size_t element, int component);
// Sets one string; the text (NULL: empty) is copied into the attribute's table. RV_BAD_INPUT for a numeric attribute
// and out of range, RV_NO_MEMORY.
RV_API RvResult rv_attrib_set_string(RvAttrib* attrib, size_t element, int component, const char* text, RvError* error);
// Number of strings in the attribute's table; 0 for numbers.
RV_API size_t rv_attrib_string_count(const RvAttrib* attrib);
// String `index` of the attribute's table; "" out of range. Borrowed.
RV_API const char* rv_attrib_string_at(const RvAttrib* attrib, int index);

// Values of an attribute of exactly this storage and size; NULL if there is no such attribute. Borrowed, as from
// rv_attrib_read.
RV_API const float* rv_detail_f32(const RvDetail* detail, RvOwner owner, const char* name, int size);
// The same for double.
RV_API const double* rv_detail_f64(const RvDetail* detail, RvOwner owner, const char* name, int size);
// The same for int32.
RV_API const int32_t* rv_detail_i32(const RvDetail* detail, RvOwner owner, const char* name, int size);
// The same for int64.
RV_API const int64_t* rv_detail_i64(const RvDetail* detail, RvOwner owner, const char* name, int size);
// Values for writing, as from rv_attrib_write. A missing attribute is added, with the tag of its well-known name. NULL
// with `error` filled if it has another storage or size, or when out of memory.
RV_API float* rv_detail_f32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
// The same for double.
RV_API double* rv_detail_f64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
// The same for int32.
RV_API int32_t* rv_detail_i32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);
// The same for int64.
RV_API int64_t* rv_detail_i64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error);

//---------------------------------------------------------------------------------------------- groups

// Groups are of points, vertices or primitives: a byte an element, 1 for members.

// Finds the group or adds it without members. *out (may be NULL) borrows it and is NULL on failure. RV_BAD_INPUT for
// RV_GLOBAL, which has no groups, RV_LIMIT for too many groups or too long a name.
RV_API RvResult rv_detail_add_group(RvDetail* detail, RvOwner owner, const char* name, RvGroup** out, RvError* error);
// Removes a group. Nothing happens if it does not exist.
RV_API void rv_detail_remove_group(RvDetail* detail, RvOwner owner, const char* name);
// The group of an owner with this name, or NULL. Borrowed.
RV_API RvGroup* rv_detail_find_group(const RvDetail* detail, RvOwner owner, const char* name);
// Number of groups of an owner.
RV_API size_t rv_detail_group_count(const RvDetail* detail, RvOwner owner);
// Group number `index` of an owner in the order of adding; NULL if there are fewer. Borrowed.
RV_API const RvGroup* rv_detail_group(const RvDetail* detail, RvOwner owner, size_t index);
// Name of a group. Borrowed.
RV_API const char* rv_group_name(const RvGroup* group);
// Membership of every element, a byte each, 0 or 1. Borrowed: valid until the group is written or resized.
RV_API const uint8_t* rv_group_read(const RvGroup* group);
// The same for writing (only 0 and 1): copies the array first if it is shared. NULL when out of memory.
RV_API uint8_t* rv_group_write(RvGroup* group);

//---------------------------------------------------------------------------------------------- whole-detail edits

// Removes the points and primitives whose mask byte is 0 (a NULL mask keeps all). A primitive that loses a point is
// removed too. With `drop_unused_points` the points that only removed primitives used are removed as well. Attributes
// and groups follow. RV_NO_MEMORY leaves the detail unchanged.
RV_API RvResult rv_detail_keep(RvDetail* detail, const uint8_t* points, const uint8_t* prims, bool drop_unused_points,
                               RvError* error);
// Appends all of `other`. Attributes missing on one side get their default there. Of two with the same name and
// different storage or size the first detail's type stays and values are converted; RV_BAD_INPUT if one is of strings
// and the other of numbers. Of two detail attributes the first detail's value stays.
RV_API RvResult rv_detail_merge(RvDetail* detail, const RvDetail* other, RvError* error);
// Copies all attributes and groups of `from` into the elements [first, first + count) of `detail`: element first + i
// from element index[i]. Missing attributes are added; names in `except` (separated by blanks, NULL: none) are not
// copied. RV_BAD_INPUT for indices out of range and for strings against numbers.
RV_API RvResult rv_detail_gather(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                                 const int32_t* index, const char* except, RvError* error);
// Checks every count and index of a detail, for tests and data from outside; the error says what is wrong.
RV_API RvResult rv_detail_check(const RvDetail* detail, RvError* error);
// Bounding box of the finite points and of the active voxels of the VDBs. False, with zeros, if there are none.
RV_API bool rv_detail_bounds(const RvDetail* detail, double lo[3], double hi[3]);

//---------------------------------------------------------------------------------------------- files

// Reads a file; its ending says whether it is a .vdb or one of Houdini's (.geo .bgeo .bgeo.sc and .gz of these). The
// caller frees *out, which is NULL on failure. `log` (may be NULL) receives warnings about skipped content. The error
// names the file, and the byte offset if it is damaged: RV_BAD_FILE, RV_IO, RV_UNSUPPORTED for other endings, RV_LIMIT
// if it describes far more data than it contains.
RV_API RvResult rv_detail_load(const char* path, RvDetail** out, const RvLog* log, RvError* error);
// Writes a file as its ending says: .geo .bgeo .bgeo.sc .vdb .vtp .usda. It is written under a temporary name beside
// the target, flushed and renamed, so that a failure leaves no partial file. `log` (may be NULL) receives a warning for
// each part that the format cannot contain.
RV_API RvResult rv_detail_save(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);
// Reads a detail from the bytes of a .geo, .bgeo or .bgeo.sc file (or a .gz of these), told apart by their content.
// Otherwise as rv_detail_load.
RV_API RvResult rv_detail_decode(const void* bytes, size_t count, RvDetail** out, const RvLog* log, RvError* error);
// Writes a detail to memory; `format` is "geo", "bgeo" or "bgeo.sc" (else RV_BAD_INPUT). The caller frees *bytes with
// rv_free. `log` as for rv_detail_save.
RV_API RvResult rv_detail_encode(const RvDetail* detail, const char* format, void** bytes, size_t* count,
                                 const RvLog* log, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
