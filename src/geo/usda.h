// Internals of the USD writer. The samples of all properties are kept in a spool file until all frames have been seen,
// as USD lists the samples of each property together.
#ifndef RV_GEO_USDA_H
#define RV_GEO_USDA_H

#include <stdio.h>

#include "geo/detail.h"

// The prims of the file; one is written if any frame has such geometry.
typedef enum RvUsdaKind { RV_USDA_CURVES, RV_USDA_MESH, RV_USDA_POINTS, RV_USDA_KIND_COUNT } RvUsdaKind;

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
  RV_ARRAY(RvUsdaSample) samples;  // by ascending frame
} RvUsdaProperty;

// The writer.
typedef struct RvUsda {
  const RvLog* log;
  FILE* spool;       // temporary file without a name
  uint64_t spooled;  // bytes in it
  size_t frame;      // index of the current frame
  RV_ARRAY(RvUsdaProperty) properties[RV_USDA_KIND_COUNT];
  RV_ARRAY(uint8_t) present[RV_USDA_KIND_COUNT];  // for each frame whether it has such geometry
  char* text;                                     // text of the current sample
  size_t used;                                    // bytes of it
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
// Name of the primvar with this key: the known one, or a new one from `wanted` that no other key of the prim has. Free
// with rv_free; NULL when out of memory.
char* rv_usda_unique_name(const RvUsda* usda, RvUsdaKind kind, const char* key, const char* wanted, RvOwner owner);

// Adds the samples of all properties of a detail for the current frame.
RvResult rv_usda_add_detail(RvUsda* usda, const RvDetail* detail, RvError* error);

// Adds an attribute as a sample of a primvar: the elements index[0 .. count) (NULL: 0 .. count).
RvResult rv_usda_add_primvar(RvUsda* usda, RvUsdaKind kind, const RvAttrib* attrib, const int32_t* index, size_t count,
                             const char* interpolation, RvError* error);

#endif
