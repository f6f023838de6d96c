// Internal layout of a detail, for the files of this module: copy-on-write buffers, string tables, attributes, groups
// and topology, and the functions by which readers hand over whole arrays. Code outside src/geo uses rivulet/geo.h.
#ifndef RV_GEO_DETAIL_H
#define RV_GEO_DETAIL_H

#include <stdatomic.h>

#include "base/array.h"
#include "rivulet/geo.h"

enum {
  RV_GEO_MAX_COUNT = INT32_MAX - 1,  // points, vertices or primitives; element indices are int32
  RV_GEO_MAX_NAMES = 8192,           // attributes, and groups, of one owner; lookup by name is a linear search
  RV_GEO_MAX_SIZE = 65536,           // components of a point, vertex or primitive attribute
  RV_GEO_MAX_LIST = 1 << 28,         // components of a detail attribute, which may store a whole list
  RV_GEO_MAX_NAME = 1023,            // bytes of an attribute or group name, without the final 0
};

//---------------------------------------------------------------------------------------------- buffers

// A byte array shared by reference count (copy on write): a writer first calls rv_buffer_own to get an unshared one.
typedef struct RvBuffer {
  atomic_int refs;        // number of holders; the last release frees the buffer
  _Atomic uint64_t hash;  // cached hash of the content, 0 if unknown; cached only while shared, when nobody may write
  size_t bytes;           // bytes in use
  size_t capacity;        // bytes allocated
  void* data;             // 64-byte aligned, never NULL
} RvBuffer;

// A new unshared buffer of uninitialised bytes, with one reference. NULL when out of memory.
RvBuffer* rv_buffer_new(size_t bytes);
// A buffer that owns `data`, which came from rv_alloc. NULL when `data` is NULL or out of memory; `data` is then freed.
RvBuffer* rv_buffer_adopt(void* data, size_t bytes);
// Adds a reference and returns the same buffer.
RvBuffer* rv_buffer_retain(RvBuffer* buffer);
// Removes a reference and frees the buffer with the last one. NULL is allowed.
void rv_buffer_release(RvBuffer* buffer);
// Makes *buffer unshared with at least `capacity` bytes allocated; the content stays. False when out of memory; the
// buffer is then unchanged.
bool rv_buffer_own(RvBuffer** buffer, size_t capacity);
// Hash of the bytes in use.
uint64_t rv_buffer_hash(RvBuffer* buffer);

//---------------------------------------------------------------------------------------------- string tables

// Table of distinct strings in insertion order, each at a fixed address, with an open-addressing hash table over them.
// Shared between attributes by reference count and copied on write.
typedef struct RvStrings {
  atomic_int refs;              // number of holders
  RV_ARRAY(const char*) texts;  // the strings by index
  RV_ARRAY(char*) blocks;       // memory that the strings live in
  size_t block_used;            // bytes used of the last block
  size_t block_size;            // bytes of the last block
  size_t bytes;                 // bytes of all blocks
  int32_t* slots;               // hash table of string indices (linear probing), -1 free
  size_t nslot;                 // a power of two, or 0
} RvStrings;

enum {
  RV_STRINGS_EMPTY = -1,   // index of the empty string, which is in no table
  RV_STRINGS_FAILED = -2,  // rv_strings_intern: out of memory, or the table is full
};

// A new empty table with one reference. NULL when out of memory.
RvStrings* rv_strings_new(void);
// Adds a reference; NULL stays NULL.
RvStrings* rv_strings_retain(RvStrings* strings);
// Removes a reference and frees the table with the last one. NULL is allowed.
void rv_strings_release(RvStrings* strings);
// Index of `text`, which is added if it is new: RV_STRINGS_EMPTY for "", RV_STRINGS_FAILED on failure. A shared table
// is copied before the addition, and *strings is then the copy.
int32_t rv_strings_intern(RvStrings** strings, const char* text);
// Index of `text`, or -1 if it is empty or not in the table. `strings` may be NULL.
int32_t rv_strings_find(const RvStrings* strings, const char* text);

//---------------------------------------------------------------------------------------------- detail

// One attribute. Struct, name and default tuple are one allocation; values and strings are shared between copies.
struct RvAttrib {
  RvOwner owner;
  RvStorage storage;
  RvTag tag;
  int size;             // components of an element
  size_t stride;        // bytes of one element
  size_t count;         // elements
  RvBuffer* values;     // count x stride bytes
  RvStrings* strings;   // table of a string attribute; NULL for numbers
  void* default_tuple;  // `stride` bytes behind the name, 16-byte aligned
  char name[];          // ended by 0
};

// One group: a byte an element, 1 for members and 0 for all others.
struct RvGroup {
  RvOwner owner;
  size_t count;      // elements
  RvBuffer* values;  // one byte an element
  char name[];       // ended by 0
};

// The grid of a VDB primitive; the detail holds a reference to it.
typedef struct RvPrimGrid {
  int32_t prim;
  RvGrid* grid;
} RvPrimGrid;

struct RvDetail {
  size_t count[RV_OWNER_COUNT];                 // elements of each owner; 1 for RV_GLOBAL
  RvBuffer* prim_type;                          // RvPrimType as uint8, one a primitive
  RvBuffer* prim_start;                         // int32 first vertex of each primitive; primitives + 1 entries
  RvBuffer* vertex_point;                       // int32 point of each vertex
  RV_ARRAY(RvAttrib*) attribs[RV_OWNER_COUNT];  // in the order of adding; point attribute 0 is P
  RV_ARRAY(RvGroup*) groups[RV_OWNER_COUNT];    // in the order of adding; none for RV_GLOBAL
  RV_ARRAY(RvPrimGrid) grids;                   // one for each VDB primitive, by ascending primitive
};

// "points", "vertices", "primitives" or "details", for messages.
const char* rv_owner_plural(RvOwner owner);
// RV_LIMIT when a detail cannot index `count` elements of an owner.
RvResult rv_geo_check_count(RvOwner owner, size_t count, RvError* error);
// RV_BAD_INPUT for an empty name, RV_LIMIT for one longer than RV_GEO_MAX_NAME; `what` ("an attribute") is for the
// message.
RvResult rv_geo_check_name(const char* what, const char* name, RvError* error);
// Grows an owner to `count` elements; the new elements get the attributes' defaults and belong to no group. On failure
// nothing has changed.
RvResult rv_detail_grow(RvDetail* detail, RvOwner owner, size_t count, RvError* error);
// Undoes a growth: sets the element count of an owner and of all its arrays back to `count`. Memory stays allocated.
void rv_detail_truncate(RvDetail* detail, RvOwner owner, size_t count);

// A new attribute of `count` elements that all have the default 0 (strings: empty). NULL when out of memory.
RvAttrib* rv_attrib_new(RvOwner owner, const char* name, RvStorage storage, int size, RvTag tag, size_t count);
// A copy that shares values and strings with the original. NULL when out of memory.
RvAttrib* rv_attrib_copy(const RvAttrib* attrib);
// Frees an attribute and releases its arrays. NULL is allowed.
void rv_attrib_free(RvAttrib* attrib);
// Writes the default tuple into elements [begin, end); the values must be unshared.
void rv_attrib_fill(RvAttrib* attrib, size_t begin, size_t end);
// Number `at` of an array of any numeric storage as double; 0 for strings.
double rv_number_get(RvStorage storage, const void* data, size_t at);
// Writes number `at` of such an array: integers are truncated and clamped to their range, NaN becomes integer 0.
void rv_number_put(RvStorage storage, void* data, size_t at, double value);
// A new group of `count` elements without members. NULL when out of memory.
RvGroup* rv_group_new(RvOwner owner, const char* name, size_t count);
// Frees a group. NULL is allowed.
void rv_group_free(RvGroup* group);

//---------------------------------------------------------------------------------------------- whole arrays

// Sets the whole topology of a detail that has no elements yet. It takes ownership of the arrays (from rv_alloc), on
// failure too: vertex_point[nvertex], prim_start[nprim + 1] beginning with 0, prim_type[nprim] of RV_PRIM_POLYGON or
// RV_PRIM_CURVE. Every index is checked. An array may be NULL where its count is 0. Existing attributes get default
// values.
RvResult rv_detail_set_topology(RvDetail* detail, size_t npoint, size_t nvertex, size_t nprim, int32_t* vertex_point,
                                int32_t* prim_start, uint8_t* prim_type, RvError* error);
// Adds a numeric attribute with its values, count x size numbers from rv_alloc, whose ownership it takes, on failure
// too. P may be replaced (as float 3); any other name that exists already is an error. *out (may be NULL) borrows the
// attribute.
RvResult rv_detail_adopt_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                                RvTag tag, void* values, RvAttrib** out, RvError* error);
// The same for a string attribute: index[i] is an index into the `ntable` strings of `table`, below 0 the empty string.
// It takes ownership of `index` and copies the strings.
RvResult rv_detail_adopt_strings(RvDetail* detail, RvOwner owner, const char* name, int size, int32_t* index,
                                 const char* const* table, size_t ntable, RvAttrib** out, RvError* error);
// Adds a group with its member bytes (from rv_alloc, ownership taken on failure too); every byte that is not 0 becomes
// 1. An existing group of that name is an error.
RvResult rv_detail_adopt_group(RvDetail* detail, RvOwner owner, const char* name, uint8_t* values, RvError* error);

//---------------------------------------------------------------------------------------------- copying values

// Copies element index[i] (NULL: i) of `from` to element first + i of `to`, for i in [0, count). Numbers are converted
// to the storage of `to`; components that `from` lacks get the default. `map` translates string indices (NULL:
// unchanged). The values of `to` must be unshared. Cannot fail.
void rv_attrib_transfer(RvAttrib* to, size_t first, size_t count, const RvAttrib* from, const int32_t* index,
                        const int32_t* map);
// Interns all strings of `from` in the table of `to`; *map (rv_free) gives the new index of each. *map is NULL where no
// translation is needed: both share a table, or they store numbers.
RvResult rv_attrib_map_strings(RvAttrib* to, const RvAttrib* from, int32_t** map, RvError* error);
// Adds the attributes and groups of `from` whose names neither an attribute nor a group of `detail` has; element i is
// copied from element index[i].
RvResult rv_detail_gather_missing(RvDetail* detail, RvOwner owner, const RvDetail* from, const int32_t* index,
                                  RvError* error);

#endif
