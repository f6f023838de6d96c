// Internals of the USD writer. The samples of all properties are kept in a spool file until all frames have been seen,
// as USD lists the samples of each property together.
#ifndef RV_GEO_USDA_H
#define RV_GEO_USDA_H

#include <stdio.h>

#include "geo/detail.h"
#include "geo/io_usda.h"

// The prims of the file; one is written if any frame has such geometry.
typedef enum RvUsdaKind {
  RV_USDA_CURVES,
  RV_USDA_MESH,
  RV_USDA_POINTS,
  RV_USDA_VOLUME,
  RV_USDA_CAMERA,
  RV_USDA_KIND_COUNT
} RvUsdaKind;

// One sample of a property: its text in the spool.
typedef struct RvUsdaSample {
  size_t frame;     // index of the frame
  uint64_t offset;  // bytes
  uint64_t length;  // bytes
  uint64_t hash;    // of the text
} RvUsdaSample;

// A property of a prim.
typedef struct RvUsdaProperty {
  char* key;                       // identifies it over the frames: owner and name of its attribute
  char* name;                      // in the file: "points", "primvars:wetness"
  char* type;                      // USD type: "point3f[]"
  char* metadata;                  // "interpolation = \"vertex\"", or ""
  const char* missing;             // value of an element in frames without the attribute; NULL: none
  RvOwner owner;                   // of which elements it has values, for those frames
  int per_element;                 // values of an element
  RV_ARRAY(RvUsdaSample) samples;  // by ascending frame
} RvUsdaProperty;

// A grid of the volume.
typedef struct RvUsdaField {
  char* grid;  // name of the grid
  char* prim;  // name of its prim
  int index;   // among the grids of that name
  RvGridType type;
  RvGridClass grid_class;
  RV_ARRAY(uint8_t) present;  // for each frame whether it has the grid; frames after the last have not
} RvUsdaField;

// The elements of a prim at a frame; without points it has no geometry.
typedef struct RvUsdaCounts {
  size_t element[RV_OWNER_COUNT];
} RvUsdaCounts;

// The writer.
typedef struct RvUsda {
  const RvLog* log;
  const RvUsdaSequence* sequence;
  const char* path;  // of the layer
  FILE* spool;       // temporary file without a name
  uint64_t spooled;  // bytes in it
  size_t frame;      // index of the current frame
  RV_ARRAY(RvUsdaProperty) properties[RV_USDA_KIND_COUNT];
  RV_ARRAY(RvUsdaCounts) counts[RV_USDA_KIND_COUNT];  // for each frame
  RV_ARRAY(RvUsdaField) fields;                       // of the volume
  RV_ARRAY(char*) files;                              // .vdb files that were written
  char* text;                                         // text of the current sample
  size_t used;                                        // bytes of it
  size_t capacity;
  bool failed;  // out of memory; reported by rv_usda_sample
} RvUsda;

// Appends a string to the current sample.
void rv_usda_put(RvUsda* usda, const char* text);
// Appends a float as the shortest decimal that reads back to it; nan, inf or -inf if it is not finite.
void rv_usda_put_f32(RvUsda* usda, float value);
// The same for a double.
void rv_usda_put_f64(RvUsda* usda, double value);
// Appends an integer.
void rv_usda_put_int(RvUsda* usda, int64_t value);
// Ends the current sample and adds it to the property `key` of the prim, which is created with its first sample. If the
// property has another type or metadata, the sample is dropped with a warning.
RvResult rv_usda_sample(RvUsda* usda, RvUsdaKind kind, const char* key, const char* name, const char* type,
                        const char* metadata, RvError* error);
// Value of the property in frames that have the geometry and not the attribute: `missing` for each value.
void rv_usda_set_missing(RvUsda* usda, RvUsdaKind kind, const char* key, RvOwner owner, int per_element,
                         const char* missing);
// Name of the primvar with this key: the known one, or a new one from `wanted` that no other key of the prim has. Free
// with rv_free; NULL when out of memory.
char* rv_usda_unique_name(const RvUsda* usda, RvUsdaKind kind, const char* key, const char* wanted, RvOwner owner);

// Adds the samples of all properties of a detail for the current frame.
RvResult rv_usda_add_detail(RvUsda* usda, const RvDetail* detail, RvError* error);

// Adds an attribute as a sample of a primvar: the elements index[0 .. count) (NULL: 0 .. count).
RvResult rv_usda_add_primvar(RvUsda* usda, RvUsdaKind kind, const RvAttrib* attrib, const int32_t* index, size_t count,
                             const char* interpolation, RvError* error);

// Writes a number between two strings, independent of the locale.
void rv_usda_write_number(FILE* out, const char* before, double value, const char* after);
// Metres of a unit.
double rv_usda_meters(const RvUsdaSequence* sequence);

// Writes the VDBs of a detail to the file of the current frame and adds its grids to the volume.
RvResult rv_usda_add_grids(RvUsda* usda, const RvDetail* detail, RvError* error);
// Writes the prims of the grids, and the relationships to them. False: out of memory.
bool rv_usda_write_fields(const RvUsda* usda, FILE* out);
// Removes the .vdb files (after a failure).
void rv_usda_remove_files(const RvUsda* usda);
void rv_usda_free_fields(RvUsda* usda);

// Adds the camera of a detail, if it has one (the attributes of a camera node).
RvResult rv_usda_add_camera(RvUsda* usda, const RvDetail* detail, RvError* error);
// Position of that camera's eye; false if there is none.
bool rv_usda_camera_eye(const RvDetail* detail, float eye[3]);
// Name of the material of a prim; NULL: none.
const char* rv_usda_material(const RvUsda* usda, RvUsdaKind kind);
// Writes the materials that prims of the file have.
void rv_usda_write_materials(const RvUsda* usda, FILE* out);

#endif
