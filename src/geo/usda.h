// Inside the USD writer: properties with samples, kept in a spool file until all frames are seen.
#ifndef RV_GEO_USDA_H
#define RV_GEO_USDA_H

#include <stdio.h>

#include "geo/detail.h"

// The prims of the file; each is there if any frame has it.
typedef enum RvUsdaKind { RV_USDA_CURVES, RV_USDA_MESH, RV_USDA_POINTS, RV_USDA_KIND_COUNT } RvUsdaKind;

typedef struct RvUsdaSample {
  size_t frame;
  uint64_t offset, length, hash;  // text in the spool
} RvUsdaSample;

typedef struct RvUsdaProperty {
  char* key;       // owner and name of the attribute it comes from
  char* name;      // "points", "primvars:wetness"
  char* type;      // "point3f[]"
  char* metadata;  // "interpolation = \"vertex\"", or ""
  RV_ARRAY(RvUsdaSample) samples;
} RvUsdaProperty;

typedef struct RvUsda {
  const RvLog* log;
  FILE* spool;
  uint64_t spooled;
  size_t frame;
  RV_ARRAY(RvUsdaProperty) properties[RV_USDA_KIND_COUNT];
  RV_ARRAY(uint8_t) present[RV_USDA_KIND_COUNT];  // a flag a frame
  char* text;                                     // the sample being made
  size_t used, capacity;
  bool failed;  // out of memory
} RvUsda;

// Appends to the sample being made.
void rv_usda_put(RvUsda* usda, const char* text);
void rv_usda_put_f32(RvUsda* usda, float value);
void rv_usda_put_f64(RvUsda* usda, double value);
void rv_usda_put_int(RvUsda* usda, int64_t value);
// Ends the sample and gives it to the property `key` of the kind, which is made at its first sight. A property that
// was there with another type keeps it and loses this sample, with a warning.
RvResult rv_usda_sample(RvUsda* usda, RvUsdaKind kind, const char* key, const char* name, const char* type,
                        const char* metadata, RvError* error);
// A name for a primvar that no other key of the kind has. rv_free it.
char* rv_usda_unique_name(const RvUsda* usda, RvUsdaKind kind, const char* key, const char* wanted, RvOwner owner);

// All samples of one detail at usda->frame.
RvResult rv_usda_add_detail(RvUsda* usda, const RvDetail* detail, RvError* error);

// One attribute as a sample: elements `index` (NULL: all in order).
RvResult rv_usda_add_primvar(RvUsda* usda, RvUsdaKind kind, const RvAttrib* attrib, const int32_t* index, size_t count,
                             const char* interpolation, RvError* error);

#endif
