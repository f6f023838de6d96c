// The inside of a detail, for the files of this module: shared buffers, string tables, and the bulk ways in
// that the readers use. Everybody else goes through rivulet/geo.h.
#ifndef RV_GEO_DETAIL_H
#define RV_GEO_DETAIL_H

#include <stdatomic.h>

#include "base/array.h"
#include "rivulet/geo.h"

enum {
  RV_GEO_MAX_COUNT = INT32_MAX - 1,  // points, vertices or primitives: indices are int32
  RV_GEO_MAX_NAMES = 8192,           // attributes, and groups, of one owner: they are found by a linear search
  RV_GEO_MAX_SIZE = 65536,           // components of an attribute
  RV_GEO_MAX_LIST = 1 << 28,         // of a detail attribute, which may hold a list
  RV_GEO_MAX_NAME = 1023,            // bytes of a name
};

//---------------------------------------------------------------------------------------------- buffers

// Bytes shared by reference count. Whoever wants to write asks for a buffer of his own first.
typedef struct RvBuffer {
  atomic_int refs;
  _Atomic uint64_t hash;  // of `bytes`; 0 is not known. Kept only while shared, when nobody may write.
  size_t bytes, capacity;
  void* data;  // 64-byte aligned, never NULL
} RvBuffer;

RvBuffer* rv_buffer_new(size_t bytes);
// Takes `data`, which came from rv_alloc; frees it when out of memory.
RvBuffer* rv_buffer_adopt(void* data, size_t bytes);
RvBuffer* rv_buffer_retain(RvBuffer* buffer);
void rv_buffer_release(RvBuffer* buffer);
// Makes *buffer unshared, with room for `capacity` bytes; the content stays. False when out of memory: as it
// was.
bool rv_buffer_own(RvBuffer** buffer, size_t capacity);
uint64_t rv_buffer_hash(RvBuffer* buffer);

//---------------------------------------------------------------------------------------------- string tables

// Distinct texts in the order of their coming, each at a fixed address, with a hash index over them.
typedef struct RvStrings {
  atomic_int refs;
  RV_ARRAY(const char*) texts;
  RV_ARRAY(char*) blocks;
  size_t block_used, block_size, bytes;
  int32_t* slots;  // open addressing, -1 free
  size_t nslot;    // a power of two, or 0
} RvStrings;

RvStrings* rv_strings_new(void);
RvStrings* rv_strings_retain(RvStrings* strings);
void rv_strings_release(RvStrings* strings);
// Index of `text`, added if it is new; -1 for the empty text, -2 when out of memory or the table is full.
// Unshares.
int32_t rv_strings_intern(RvStrings** strings, const char* text);
int32_t rv_strings_find(const RvStrings* strings, const char* text);

//---------------------------------------------------------------------------------------------- detail

struct RvAttrib {
  RvOwner owner;
  RvStorage storage;
  RvTag tag;
  int size;
  size_t stride;  // bytes of one element
  size_t count;
  RvBuffer* values;    // count x stride bytes
  RvStrings* strings;  // string attributes only
  void* standard;      // the default tuple, after the name in the same block
  char name[];
};

struct RvGroup {
  RvOwner owner;
  size_t count;
  RvBuffer* values;  // one byte an element
  char name[];
};

typedef struct RvPrimGrid {
  int32_t prim;
  RvGrid* grid;
} RvPrimGrid;

struct RvDetail {
  size_t count[RV_OWNER_COUNT];
  RvBuffer* prim_type;     // uint8 a primitive
  RvBuffer* prim_start;    // int32, primitives + 1
  RvBuffer* vertex_point;  // int32 a vertex
  RV_ARRAY(RvAttrib*) attribs[RV_OWNER_COUNT];
  RV_ARRAY(RvGroup*) groups[RV_OWNER_COUNT];
  RV_ARRAY(RvPrimGrid) grids;  // by ascending primitive
};

// "points", "vertices" ... for messages
const char* rv_owner_plural(RvOwner owner);
// Fails when `count` elements are more than a detail can index.
RvResult rv_geo_check_count(RvOwner owner, size_t count, RvError* error);
// Fails on an empty or overlong name.
RvResult rv_geo_check_name(const char* what, const char* name, RvError* error);
// Grows an owner to `count` elements, new values being defaults. All or nothing.
RvResult rv_detail_grow(RvDetail* detail, RvOwner owner, size_t count, RvError* error);
// The way back from a growth that failed halfway: counts and lengths only.
void rv_detail_cut(RvDetail* detail, RvOwner owner, size_t count);

RvAttrib* rv_attrib_new(RvOwner owner, const char* name, RvStorage storage, int size, RvTag tag, size_t count);
RvAttrib* rv_attrib_copy(const RvAttrib* attrib);
void rv_attrib_free(RvAttrib* attrib);
// Writes the default into elements [begin, end) of an unshared attribute.
void rv_attrib_fill(RvAttrib* attrib, size_t begin, size_t end);
// One number of an array of any numeric storage. Put: out of range goes to the nearest bound, NaN in integers to 0.
double rv_number_get(RvStorage storage, const void* data, size_t at);
void rv_number_put(RvStorage storage, void* data, size_t at, double value);
RvGroup* rv_group_new(RvOwner owner, const char* name, size_t count);
void rv_group_free(RvGroup* group);

//---------------------------------------------------------------------------------------------- bulk ways in

// Gives an empty detail all its topology at once. The arrays (from rv_alloc) are taken in any case, also on
// failure: vertex_point[nvertex], prim_start[nprim + 1] beginning with 0, prim_type[nprim] of RV_PRIM_POLYGON
// or RV_PRIM_CURVE. Every index is checked. NULL arrays are allowed where the count is 0. Attributes get
// defaults.
RvResult rv_detail_set_topology(RvDetail* detail, size_t npoint, size_t nvertex, size_t nprim, int32_t* vertex_point,
                                int32_t* prim_start, uint8_t* prim_type, RvError* error);
// Adds a numeric attribute with its values, count x size elements from rv_alloc, taken in any case. P may be
// replaced (as float 3); any other name that is there already is an error.
RvResult rv_detail_adopt_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                                RvTag tag, void* values, RvAttrib** out, RvError* error);
// The same for texts: `index` (taken in any case) refers to the `ntable` texts of `table`; below 0 is the
// empty text.
RvResult rv_detail_adopt_strings(RvDetail* detail, RvOwner owner, const char* name, int size, int32_t* index,
                                 const char* const* table, size_t ntable, RvAttrib** out, RvError* error);
// Adds a group with its bytes (taken in any case); whatever is not 0 becomes 1.
RvResult rv_detail_adopt_group(RvDetail* detail, RvOwner owner, const char* name, uint8_t* values, RvError* error);

//---------------------------------------------------------------------------------------------- copying values

// Copies elements index[i] (NULL: i) of `from` to elements first + i of the unshared `to`, converting
// numbers; surplus components keep the default. `map` translates string indices (NULL: they stay). Cannot
// fail.
void rv_attrib_transfer(RvAttrib* to, size_t first, size_t count, const RvAttrib* from, const int32_t* index,
                        const int32_t* map);
// Interns all texts of `from` in `to`; *map (rv_free) gives the new index of each. NULL when both share a
// table.
RvResult rv_attrib_map_strings(RvAttrib* to, const RvAttrib* from, int32_t** map, RvError* error);
// Gives all elements the attributes and groups of `from` whose names are neither an attribute's nor a group's of
// `detail`; element i is copied from index[i].
RvResult rv_detail_gather_missing(RvDetail* detail, RvOwner owner, const RvDetail* from, const int32_t* index,
                                  RvError* error);

#endif
