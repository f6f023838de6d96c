// What the files of the Houdini reader share: the parts of a file as they were read, before they become a detail.
#ifndef RV_GEO_HOUDINI_READ_H
#define RV_GEO_HOUDINI_READ_H

#include "geo/detail.h"
#include "geo/json_in.h"

// A file may say much with few bytes (constant pages, run lengths, packed copies); more than this is refused.
enum { RV_HOU_EXPANSION = 1024 };
#define RV_HOU_EXPANSION_FLOOR ((size_t)64 << 20)

// What the bytes of a file on disk may become in memory, its container's content and all it describes together.
size_t rv_hou_expansion_limit(size_t on_disk);

// What all documents of a file share: the bytes that may still be made, and the messages that may still be given.
typedef struct RvHouLimits {
  size_t budget;
  size_t told, untold;
} RvHouLimits;

// How the values of an attribute are laid out.
typedef enum RvHouLayout { RV_HOU_TUPLES, RV_HOU_ARRAYS, RV_HOU_PAGES } RvHouLayout;

typedef struct RvHouValues {
  bool present;
  RvHouLayout layout;
  int size;
  RvNumbers numbers;
  size_t page_size;
  RvNumbers packing;             // widths of the packs; none: one pack of the full size
  RV_ARRAY(RvNumbers) constant;  // a list of flags for each pack; a missing or short one says no
} RvHouValues;

typedef struct RvHouAttrib {
  char* name;
  RvJsonKey type;  // "numeric", "string"
  bool text;
  RvStorage storage;
  int size;
  RvTag tag;
  RvNumbers defaults;
  RvHouValues values;
  RV_ARRAY(char) letters;  // the texts of its table one behind the other, each ended by 0
  size_t nstring;
} RvHouAttrib;

// How the members of a group are told: a flag an element, runs of equal flags, or a list of element numbers.
typedef enum RvHouSelection { RV_HOU_FLAGS, RV_HOU_RUNS, RV_HOU_LIST } RvHouSelection;

typedef struct RvHouGroup {
  char* name;
  RvHouSelection selection;
  bool present;
  RvNumbers numbers;
} RvHouGroup;

// The primitives that come out, in order: a list of vertices of the file for each, and the file's primitive it is made
// of. While these lists are 0, 1, 2 ... they are not kept.
typedef struct RvHouTopology {
  RV_ARRAY(int32_t) start;  // one more than primitives
  RV_ARRAY(uint8_t) type;
  RV_ARRAY(int32_t) vertex;
  RV_ARRAY(int32_t) source;
  size_t nprim, nvertex;
  bool plain_vertices, plain_prims;
  size_t source_prims;  // primitives of the file so far
} RvHouTopology;

// A NURBS or Bezier curve: its hull is an open polygon of the topology until it is sampled.
typedef struct RvHouCurve {
  size_t prim;  // of the topology
  bool bezier, closed;
  int order;
  RvNumbers knots;
} RvHouCurve;

// A packed primitive: the embedded geometry and where it goes.
typedef struct RvHouPacked {
  size_t source;  // primitive of the file
  int64_t vertex;
  char* embedded;
  char* attribute;  // fragments: the primitives whose attribute says `name`
  char* name;
  bool instance_transform;
  double transform[9], pivot[3];
} RvHouPacked;

typedef struct RvHouEmbedded {
  char* id;
  RvDetail* detail;
} RvHouEmbedded;

typedef struct RvHouSkipped {
  char type[64];
  size_t count;
} RvHouSkipped;

// One document: the file itself, or a geometry embedded in it.
typedef struct RvHouFile {
  RvJsonIn* in;
  const RvLog* log;
  RvError* error;
  RvHouLimits* limits;
  int64_t count[RV_OWNER_COUNT];
  bool seen_count[RV_OWNER_COUNT], seen_topology, seen_attributes, seen_primitives;
  RvNumbers vertex_point;
  RV_ARRAY(RvHouAttrib) attribs[RV_OWNER_COUNT];
  RV_ARRAY(RvHouGroup) groups[RV_OWNER_COUNT];
  RvHouTopology topology;
  RV_ARRAY(RvHouCurve) curves;
  RV_ARRAY(RvHouPacked) packed;
  RV_ARRAY(RvHouEmbedded) embedded;
  RV_ARRAY(RvHouSkipped) skipped;
} RvHouFile;

bool rv_hou_no_memory(RvHouFile* file);
// Takes bytes from the budget; an error that names `what` when it is used up.
bool rv_hou_charge(RvHouFile* file, size_t count, size_t size, const char* what);
// A text that is kept: its bytes are charged.
bool rv_hou_text(RvHouFile* file, const char* what, char** out);
// As rv_log; of a file with very many messages only the first are given, the others counted.
void rv_hou_log(RvHouFile* file, RvLevel level, const char* format, ...) RV_PRINTF(3, 4);
// Reads one document into a detail. Recursive: packed geometry is a document of its own.
bool rv_hou_read_document(RvJsonIn* in, const RvLog* log, RvHouLimits* limits, RvDetail** out);

// houdini_values.c
bool rv_hou_read_attribs(RvHouFile* file, RvOwner owner, const char* where);
// Values of all `count` elements in the storage (int32 for texts), from rv_alloc.
void* rv_hou_decode(RvHouFile* file, const RvHouValues* values, size_t count, int size, RvStorage storage);
void rv_hou_attrib_free(RvHouAttrib* attrib);

// houdini_groups.c
bool rv_hou_read_groups(RvHouFile* file, RvOwner owner, const char* where);
// One byte an element of the file, from rv_alloc.
uint8_t* rv_hou_decode_group(RvHouFile* file, const RvHouGroup* group, size_t count);

// houdini_prims.c
bool rv_hou_read_primitives(RvHouFile* file);
void rv_hou_packed_free(RvHouPacked* packed);
// houdini_topology.c
bool rv_hou_emit_run(RvHouFile* file, RvPrimType type, int64_t start, size_t nprim, const RvNumbers* counts, bool rle);
// One primitive that comes out for the file's primitive `source`.
bool rv_hou_emit(RvHouFile* file, RvPrimType type, size_t source, size_t count, const int32_t* vertices);

// houdini_build.c
bool rv_hou_build(RvHouFile* file, RvDetail** out);
// A detail whose primitives are the packed ones, without vertices: it carries their attributes and groups.
RvDetail* rv_hou_build_carrier(RvHouFile* file);
// houdini_curve.c: replaces hulls by sampled curves.
RvResult rv_hou_sample_curves(RvDetail** detail, const RvHouCurve* curves, size_t count, size_t* budget,
                              RvError* error);
// houdini_packed.c: appends what the packed primitives hold.
bool rv_hou_unpack(RvHouFile* file, RvDetail** detail);

#endif
