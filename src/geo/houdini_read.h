// The Houdini reader's own data: the parts of a file as they were read, before they become a detail. A file is read in
// order (houdini_read.c, _values.c, _groups.c, _prims.c, _topology.c) and then built (_build.c, _packed.c, _curve.c).
#ifndef RV_GEO_HOUDINI_READ_H
#define RV_GEO_HOUDINI_READ_H

#include "geo/detail.h"
#include "geo/json_in.h"

// A small file can describe very much data (constant pages, run lengths, packed copies). What it describes may take at
// most EXPANSION times its size on disk plus EXPANSION_FLOOR bytes; more is refused as damaged or hostile.
enum { RV_HOU_EXPANSION = 1024 };
#define RV_HOU_EXPANSION_FLOOR ((size_t)64 << 20)

// Bytes of memory that a file of `on_disk` bytes may take, decompressed and built together.
size_t rv_hou_expansion_limit(size_t on_disk);

// Limits that all documents of a file share.
typedef struct RvHouLimits {
  size_t budget;               // bytes of memory that may still be used
  size_t messages;             // messages given
  size_t suppressed_messages;  // messages counted but not given
} RvHouLimits;

// Layout of an attribute's values in the file: one list an element, one list a component, or pages of elements.
typedef enum RvHouLayout { RV_HOU_TUPLES, RV_HOU_ARRAYS, RV_HOU_PAGES } RvHouLayout;

// Values of an attribute as the file lays them out. In pages, the components of an element are divided into packs;
// a page stores one pack after the other, and a constant pack of a page stores one tuple for all its elements.
typedef struct RvHouValues {
  bool present;  // false: every element has the default
  RvHouLayout layout;
  int size;                      // components of an element
  RvNumbers numbers;             // in the order of the file
  size_t page_size;              // elements of a page
  RvNumbers packing;             // components of each pack; empty: one pack of all components
  RV_ARRAY(RvNumbers) constant;  // for each pack a flag a page; missing flags mean not constant
} RvHouValues;

// An attribute of the file.
typedef struct RvHouAttrib {
  char* name;
  RvJsonKey type;  // "numeric" or "string"
  bool is_string;
  RvStorage storage;
  int size;  // components of an element
  RvTag tag;
  RvNumbers defaults;      // the default tuple; one value serves all components
  RvHouValues values;      // of a string attribute: indices into its table
  RV_ARRAY(char) letters;  // string table: the strings one behind the other, each ended by 0
  size_t nstring;          // strings in it
} RvHouAttrib;

// Form of a group's members in the file: a flag an element, pairs (length, flag) of runs, or a list of element numbers.
typedef enum RvHouSelection { RV_HOU_FLAGS, RV_HOU_RUNS, RV_HOU_LIST } RvHouSelection;

// A group of the file.
typedef struct RvHouGroup {
  char* name;
  RvHouSelection selection;
  bool present;  // false: no members
  RvNumbers numbers;
} RvHouGroup;

// The primitives of the resulting detail, in order. One primitive of the file may become several (tetrahedra, soups)
// or none. The lists `vertex` and `source` are not stored while they are the identity 0, 1, 2 ..., as in most files.
typedef struct RvHouTopology {
  RV_ARRAY(int32_t) start;   // first vertex of each primitive, and the end
  RV_ARRAY(uint8_t) type;    // RvPrimType of each
  RV_ARRAY(int32_t) vertex;  // the file's vertex of each vertex, unless identity_vertices
  RV_ARRAY(int32_t) source;  // the file's primitive of each primitive, unless identity_prims
  size_t nprim;
  size_t nvertex;
  bool identity_vertices;
  bool identity_prims;
  size_t source_prims;  // primitives of the file read so far
} RvHouTopology;

// A NURBS or Bezier curve. Its control polygon is an open polygon of the topology until it is sampled.
typedef struct RvHouCurve {
  size_t prim;  // of the topology
  bool bezier;  // else NURBS
  bool closed;
  int order;        // degree + 1
  RvNumbers knots;  // empty: uniform ones
} RvHouCurve;

// A packed primitive: an embedded geometry and its placement.
typedef struct RvHouPacked {
  size_t source;    // primitive of the file
  int64_t vertex;   // vertex of the file; its point is the origin of the copy
  char* embedded;   // id of the embedded geometry; NULL once it was found missing
  char* attribute;  // fragment: only the primitives whose string attribute of this name is `name`; else NULL
  char* name;
  bool instance_transform;  // the file asks for a transform by point attributes, which is not supported
  double transform[9];      // 3 x 3, row vectors
  double pivot[3];
} RvHouPacked;

// A geometry embedded in the file.
typedef struct RvHouEmbedded {
  char* id;
  RvDetail* detail;
} RvHouEmbedded;

// Primitives of an unsupported type.
typedef struct RvHouSkipped {
  char type[64];  // cut if longer
  size_t count;
} RvHouSkipped;

// One document: the file itself, or a geometry embedded in it.
typedef struct RvHouFile {
  RvJsonIn* in;
  const RvLog* log;
  RvError* error;
  RvHouLimits* limits;
  int64_t count[RV_OWNER_COUNT];                                                     // elements that the file announces
  bool seen_count[RV_OWNER_COUNT], seen_topology, seen_attributes, seen_primitives;  // keys that were read
  RvNumbers vertex_point;                                                            // point of each vertex
  RV_ARRAY(RvHouAttrib) attribs[RV_OWNER_COUNT];
  RV_ARRAY(RvHouGroup) groups[RV_OWNER_COUNT];
  RvHouTopology topology;
  RV_ARRAY(RvHouCurve) curves;  // by ascending primitive
  RV_ARRAY(RvHouPacked) packed;
  RV_ARRAY(RvHouEmbedded) embedded;
  RV_ARRAY(RvHouSkipped) skipped;
} RvHouFile;

// The functions below return false (or NULL) with file->error filled and the reader failed, unless they say otherwise.

// Fails because memory is out. Always false.
bool rv_hou_no_memory(RvHouFile* file);
// Takes count x size bytes from the budget; RV_LIMIT with a message about `what` when it is exhausted.
bool rv_hou_charge(RvHouFile* file, size_t count, size_t size, const char* what);
// Reads a string into new memory (rv_free) and charges its bytes to the budget.
bool rv_hou_string(RvHouFile* file, const char* what, char** out);
// Logs as rv_log does. Only the first messages of a file are given; the others are counted.
void rv_hou_log(RvHouFile* file, RvLevel level, const char* format, ...) RV_PRINTF(3, 4);
// Reads one document into a new detail. Recursive, as embedded geometry is a document of its own.
bool rv_hou_read_document(RvJsonIn* in, const RvLog* log, RvHouLimits* limits, RvDetail** out);

// houdini_values.c: reads all attributes of an owner; `where` is the key, for messages.
bool rv_hou_read_attribs(RvHouFile* file, RvOwner owner, const char* where);
// Values of all `count` elements in element order and in the storage (int32 for strings). Free with rv_free.
void* rv_hou_decode(RvHouFile* file, const RvHouValues* values, size_t count, int size, RvStorage storage);
// Frees the content of an attribute.
void rv_hou_attrib_free(RvHouAttrib* attrib);

// houdini_groups.c: reads all groups of an owner; `where` is the key, for messages.
bool rv_hou_read_groups(RvHouFile* file, RvOwner owner, const char* where);
// Membership of every element of the file, a byte each. Free with rv_free.
uint8_t* rv_hou_decode_group(RvHouFile* file, const RvHouGroup* group, size_t count);

// houdini_prims.c: reads all primitives into topology, curves, packed and skipped.
bool rv_hou_read_primitives(RvHouFile* file);
// Frees the content of a packed primitive.
void rv_hou_packed_free(RvHouPacked* packed);

// houdini_topology.c: appends `nprim` polygons of consecutive vertices from `start` on. `counts` is the vertex count
// of each, or with `rle` pairs (vertex count, repetitions).
bool rv_hou_emit_run(RvHouFile* file, RvPrimType type, int64_t start, size_t nprim, const RvNumbers* counts, bool rle);
// Appends one polygon of the given vertices of the file, made from the file's primitive `source`.
bool rv_hou_emit(RvHouFile* file, RvPrimType type, size_t source, size_t count, const int32_t* vertices);

// houdini_build.c: builds the detail of a document. The caller frees *out.
bool rv_hou_build(RvHouFile* file, RvDetail** out);
// A detail whose primitives are the packed ones, without vertices: it carries their attributes and groups. The caller
// frees it.
RvDetail* rv_hou_build_carrier(RvHouFile* file);

// houdini_curve.c: replaces the control polygons of the curves by sampled ones; *detail becomes a new detail, the old
// one is freed. On failure *detail is unchanged. Bytes are taken from *budget.
RvResult rv_hou_sample_curves(RvDetail** detail, const RvHouCurve* curves, size_t count, size_t* budget,
                              RvError* error);

// houdini_packed.c: appends the geometry of all packed primitives to *detail.
bool rv_hou_unpack(RvHouFile* file, RvDetail** detail);

#endif
