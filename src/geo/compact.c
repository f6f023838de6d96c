// Compact geometry for caches that are only rendered.
#include "geo/compact.h"

#include <string.h>

#include "base/memory.h"

// Point attributes that only solvers and grooms read: the rest shape, the frames, and film that no shader uses.
#define RV_COMPACT_DROPPED "rest", "orient", "curveu", "filmv", "waterload", "absorbed"
// Point attributes that a picture shows to 3 digits: motion blur, film and shading. A film of 1 micrometre keeps 3%.
#define RV_COMPACT_HALVED \
  "v", "width", "filmheight", "filmradius", "dropradius", "wetness", "Cd", "Alpha", "roughness", "pscale", "age"

static const char* const dropped[] = {RV_COMPACT_DROPPED};
static const char* const halved[] = {RV_COMPACT_HALVED};

// Replaces an attribute by one of the same name, tag and values in another storage.
static RvResult convert(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, RvError* error) {
  const RvAttrib* from = rv_detail_find(detail, owner, name);
  int size = rv_attrib_size(from);
  RvTag tag = rv_attrib_tag(from);
  size_t count = rv_attrib_count(from) * (size_t)size;
  double* values = rv_alloc(count, sizeof *values);
  double* tuple = rv_alloc((size_t)size, sizeof *tuple);
  char* kept = rv_strdup(name);
  RvResult result =
      values && tuple && kept ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for attribute %s", name);
  if (result == RV_OK) {
    rv_attrib_get_doubles(from, values);
    rv_attrib_get_default(from, tuple);
    rv_detail_remove_attrib(detail, owner, name);
    RvAttrib* to;
    result = rv_detail_add_attrib(detail, owner, kept, storage, size, tag, &to, error);
    if (result == RV_OK) rv_attrib_set_default_doubles(to, tuple);
    if (result == RV_OK) result = rv_attrib_set_doubles(to, values, error);
  }
  rv_free(values);
  rv_free(tuple);
  rv_free(kept);
  return result;
}

RvResult rv_detail_compact(RvDetail* detail, RvError* error) {
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped; ++i) rv_detail_remove_attrib(detail, RV_POINT, dropped[i]);
  RvResult result = RV_OK;
  for (size_t i = 0; i < sizeof halved / sizeof *halved && result == RV_OK; ++i) {
    const RvAttrib* attrib = rv_detail_find(detail, RV_POINT, halved[i]);
    if (attrib && rv_attrib_storage(attrib) == RV_F32) result = convert(detail, RV_POINT, halved[i], RV_F16, error);
  }
  return result;
}

// Name of the first attribute of 16-bit floats; NULL: there is none.
static const char* first_half(const RvDetail* detail, RvOwner owner) {
  for (size_t i = 0; i < rv_detail_attrib_count(detail, owner); ++i) {
    const RvAttrib* attrib = rv_detail_attrib(detail, owner, i);
    if (rv_attrib_storage(attrib) == RV_F16 && strcmp(rv_attrib_name(attrib), "P") != 0) return rv_attrib_name(attrib);
  }
  return NULL;
}

RvResult rv_detail_widen(RvDetail* detail, RvError* error) {
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    const char* name = first_half(detail, (RvOwner)owner);
    while (name) {
      RvResult result = convert(detail, (RvOwner)owner, name, RV_F32, error);
      if (result != RV_OK) return result;
      name = first_half(detail, (RvOwner)owner);
    }
  }
  return RV_OK;
}
