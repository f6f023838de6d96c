// Attributes of a detail by name: lookup, adding, removing, handing over whole arrays, and the typed shorthands.
#include <string.h>

#include "geo/detail.h"

//---------------------------------------------------------------------------------------------- attributes

// Details have few attributes, so a linear search is fast enough.
RvAttrib* rv_detail_find_mutable(RvDetail* detail, RvOwner owner, const char* name) {
  for (size_t i = 0; (unsigned)owner < RV_OWNER_COUNT && i < detail->attribs[owner].count; ++i) {
    if (strcmp(detail->attribs[owner].data[i]->name, name) == 0) return detail->attribs[owner].data[i];
  }
  return NULL;
}

const RvAttrib* rv_detail_find(const RvDetail* detail, RvOwner owner, const char* name) {
  return rv_detail_find_mutable((RvDetail*)detail, owner, name);
}

size_t rv_detail_attrib_count(const RvDetail* detail, RvOwner owner) {
  return (unsigned)owner < RV_OWNER_COUNT ? detail->attribs[owner].count : 0;
}

const RvAttrib* rv_detail_attrib(const RvDetail* detail, RvOwner owner, size_t index) {
  return index < rv_detail_attrib_count(detail, owner) ? detail->attribs[owner].data[index] : NULL;
}

// Checks owner, name, storage and component count of a new attribute.
static RvResult check_form(RvOwner owner, const char* name, RvStorage storage, int size, RvError* error) {
  RvResult result = rv_geo_check_name("an attribute", name, error);
  if (result) return result;
  if ((unsigned)owner >= RV_OWNER_COUNT || (unsigned)storage >= RV_STORAGE_COUNT)
    return rv_fail(error, RV_BAD_INPUT, "attribute '%s': owner %d or storage %d does not exist", name, (int)owner,
                   (int)storage);
  // A detail attribute may store a list.
  int max_size = owner == RV_GLOBAL ? RV_GEO_MAX_LIST : RV_GEO_MAX_SIZE;
  if (size < 1 || size > max_size)
    return rv_fail(error, RV_LIMIT, "attribute '%s': %d components; 1 to %d are allowed", name, size, max_size);
  return RV_OK;
}

// Appends a new attribute (NULL: it could not be allocated) to the detail, or frees it on failure.
static RvResult insert(RvDetail* detail, RvAttrib* attrib, const char* name, RvOwner owner, RvError* error) {
  if (!attrib)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the %s attribute '%s'", rv_owner_name(owner), name);
  RvResult result = RV_OK;
  if (detail->attribs[owner].count >= RV_GEO_MAX_NAMES) {
    result = rv_fail(error, RV_LIMIT, "more than %d %s attributes", RV_GEO_MAX_NAMES, rv_owner_name(owner));
  } else if (!rv_array_push(&detail->attribs[owner], attrib)) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s'", name);
  }
  if (result) rv_attrib_free(attrib);
  return result;
}

// Fails because the attribute exists with another storage, size or tag.
static RvResult fail_type_mismatch(const RvAttrib* have, RvStorage storage, int size, RvTag tag, RvError* error) {
  return rv_fail(error, RV_BAD_INPUT,
                 "the %s attribute '%s' is %s %d%s%s, and %s %d%s%s is wanted; rename or delete it, or change its type",
                 rv_owner_name(have->owner), have->name, rv_storage_name(have->storage), have->size,
                 have->tag ? " " : "", rv_tag_name(have->tag), rv_storage_name(storage), size, tag ? " " : "",
                 rv_tag_name(tag));
}

RvResult rv_detail_add_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size, RvTag tag,
                              RvAttrib** out, RvError* error) {
  if (out) *out = NULL;
  RvResult result = check_form(owner, name, storage, size, error);
  if (result) return result;
  RvAttrib* attrib = rv_detail_find_mutable(detail, owner, name);
  if (attrib && (attrib->storage != storage || attrib->size != size || attrib->tag != tag))
    return fail_type_mismatch(attrib, storage, size, tag, error);
  // Add it with default values.
  if (!attrib) {
    attrib = rv_attrib_new(owner, name, storage, size, tag, detail->count[owner]);
    result = insert(detail, attrib, name, owner, error);
    if (result) return result;
  }
  if (out) *out = attrib;
  return RV_OK;
}

void rv_detail_remove_attrib(RvDetail* detail, RvOwner owner, const char* name) {
  // Every detail has P.
  if (owner == RV_POINT && strcmp(name, "P") == 0) return;
  for (size_t i = 0; (unsigned)owner < RV_OWNER_COUNT && i < detail->attribs[owner].count; ++i) {
    RvAttrib** at = &detail->attribs[owner].data[i];
    if (strcmp((*at)->name, name) != 0) continue;
    rv_attrib_free(*at);
    memmove(at, at + 1, (--detail->attribs[owner].count - i) * sizeof *at);
    return;
  }
}

RvResult rv_detail_adopt_attrib(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                                RvTag tag, void* values, RvAttrib** out, RvError* error) {
  if (out) *out = NULL;
  RvAttrib* attrib = NULL;
  RvResult result = check_form(owner, name, storage, size, error);
  if (result) goto done;
  attrib = rv_detail_find_mutable(detail, owner, name);
  bool position = attrib && owner == RV_POINT && strcmp(name, "P") == 0;
  // Only P may exist already, and only as three floats.
  if (attrib && !position) {
    result = rv_fail(error, RV_BAD_INPUT, "there are two %s attributes named '%s'", rv_owner_name(owner), name);
    goto done;
  }
  if (position && (storage != RV_F32 || size != 3)) {
    result = fail_type_mismatch(attrib, storage, size, tag, error);
    goto done;
  }
  // A new attribute starts without elements, so that no defaults are written only to be replaced.
  if (!attrib) {
    attrib = rv_attrib_new(owner, name, storage, size, tag, 0);
    result = insert(detail, attrib, name, owner, error);
    if (result) goto done;
  }
  // Replace its array by the given one.
  RvBuffer* buffer = rv_buffer_adopt(values, detail->count[owner] * attrib->stride);
  values = NULL;
  if (!buffer) {
    if (!position) rv_detail_remove_attrib(detail, owner, name);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s'", name);
  }
  rv_buffer_release(attrib->values);
  attrib->values = buffer;
  attrib->count = detail->count[owner];
  if (out) *out = attrib;
done:
  rv_free(values);
  return result;
}

RvResult rv_detail_adopt_strings(RvDetail* detail, RvOwner owner, const char* name, int size, int32_t* index,
                                 const char* const* table, size_t ntable, RvAttrib** out, RvError* error) {
  if (out) *out = NULL;
  RvStrings* strings = rv_strings_new();
  int32_t* map = rv_alloc(ntable, sizeof *map);
  RvResult result = check_form(owner, name, RV_STRING, size, error);
  bool identity = true;
  bool ok = strings && map;
  // Intern the table; equal strings get one index.
  for (size_t i = 0; !result && ok && i < ntable; ++i) {
    map[i] = rv_strings_intern(&strings, table[i]);
    ok = map[i] != RV_STRINGS_FAILED;
    identity = identity && map[i] == (int32_t)i;
  }
  if (!result && !ok) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the texts of '%s'", name);
  // Check the indices and translate them to the new table.
  size_t count = result ? 0 : detail->count[owner] * (size_t)size;
  for (size_t i = 0; i < count; ++i) {
    if (index[i] >= 0 && (size_t)index[i] >= ntable) {
      result =
          rv_fail(error, RV_BAD_INPUT, "the attribute '%s' names text %d; its table has %zu", name, index[i], ntable);
      break;
    }
    index[i] = index[i] < 0 ? RV_STRINGS_EMPTY : identity ? index[i] : map[index[i]];
  }
  // Add the indices as the attribute's values, then give it the table.
  RvAttrib* attrib = NULL;
  if (!result) {
    result = rv_detail_adopt_attrib(detail, owner, name, RV_STRING, size, RV_TAG_NONE, index, &attrib, error);
    index = NULL;
  }
  if (attrib) {
    rv_strings_release(attrib->strings);
    attrib->strings = strings;
    strings = NULL;
    if (out) *out = attrib;
  }
  rv_free(index);
  rv_free(map);
  rv_strings_release(strings);
  return result;
}

//---------------------------------------------------------------------------------------------- shorthands

// Values of the attribute if it has exactly this storage and size, else NULL.
static const void* read_exact(const RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size) {
  const RvAttrib* attrib = rv_detail_find(detail, owner, name);
  return attrib && attrib->storage == storage && attrib->size == size ? attrib->values->data : NULL;
}

// The tag decides how a value moves with a transform (houdini.md C.1 and D.2). Names are found in blank-separated
// lists.
RvTag rv_tag_well_known(const char* name, RvStorage storage, int size) {
  static const struct {
    const char* names;
    int size;
    RvTag tag;
  } known[] = {{" P rest ", 3, RV_TAG_POINT},
               {" v w force wind accel ", 3, RV_TAG_VECTOR},
               {" N ", 3, RV_TAG_NORMAL},
               {" Cd ", 3, RV_TAG_COLOR},
               {" orient ", 4, RV_TAG_QUATERNION}};
  // Integers: only ids have a tag.
  bool real = storage == RV_F16 || storage == RV_F32 || storage == RV_F64;
  if (!name || !*name) return RV_TAG_NONE;
  if (!real) return size == 1 && (strcmp(name, "id") == 0 || strcmp(name, "nextid") == 0) ? RV_TAG_ID : RV_TAG_NONE;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    // A whole word of the list, not a part of one.
    const char* at = strstr(known[i].names, name);
    if (size == known[i].size && at && at[-1] == ' ' && at[strlen(name)] == ' ') return known[i].tag;
  }
  return RV_TAG_NONE;
}

// Unshared values of the attribute, which is added if it is missing. NULL with `error` filled on failure.
static void* write_exact(RvDetail* detail, RvOwner owner, const char* name, RvStorage storage, int size,
                         RvError* error) {
  RvAttrib* attrib = rv_detail_find_mutable(detail, owner, name);
  if (attrib && (attrib->storage != storage || attrib->size != size)) {
    fail_type_mismatch(attrib, storage, size, attrib->tag, error);
    return NULL;
  }
  if (!attrib) {
    RvTag tag = rv_tag_well_known(name, storage, size);
    if (rv_detail_add_attrib(detail, owner, name, storage, size, tag, &attrib, error)) return NULL;
    // The default of a quaternion (x, y, z, w) is no rotation.
    if (tag == RV_TAG_QUATERNION && storage == RV_F32) ((float*)attrib->default_tuple)[3] = 1;
    if (tag == RV_TAG_QUATERNION && storage == RV_F64) ((double*)attrib->default_tuple)[3] = 1;
    rv_attrib_fill(attrib, 0, attrib->count);
  }
  void* values = rv_attrib_write(attrib);
  if (!values) rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s'", name);
  return values;
}

const float* rv_detail_f32(const RvDetail* detail, RvOwner owner, const char* name, int size) {
  return read_exact(detail, owner, name, RV_F32, size);
}

const double* rv_detail_f64(const RvDetail* detail, RvOwner owner, const char* name, int size) {
  return read_exact(detail, owner, name, RV_F64, size);
}

const int32_t* rv_detail_i32(const RvDetail* detail, RvOwner owner, const char* name, int size) {
  return read_exact(detail, owner, name, RV_I32, size);
}

const int64_t* rv_detail_i64(const RvDetail* detail, RvOwner owner, const char* name, int size) {
  return read_exact(detail, owner, name, RV_I64, size);
}

float* rv_detail_f32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error) {
  return write_exact(detail, owner, name, RV_F32, size, error);
}

double* rv_detail_f64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error) {
  return write_exact(detail, owner, name, RV_F64, size, error);
}

int32_t* rv_detail_i32_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error) {
  return write_exact(detail, owner, name, RV_I32, size, error);
}

int64_t* rv_detail_i64_write(RvDetail* detail, RvOwner owner, const char* name, int size, RvError* error) {
  return write_exact(detail, owner, name, RV_I64, size, error);
}
