// The state of a solver as attributes of a detail (rivulet/state.h): preparing, checking, hashing and stripping it by
// the table of its fields.
#include "rivulet/state.h"

#include <math.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/detail_hash.h"

RvResult rv_state_prepare(RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error) {
  // The schema number.
  int32_t* version = rv_detail_i32_write(detail, RV_GLOBAL, RV_STATE_VERSION, 1, error);
  if (!version) return error ? error->code : RV_NO_MEMORY;
  *version = RV_STATE_SCHEMA;
  // Every saved field of fixed size; lists are added when they are not empty, optional ones when they are saved.
  for (size_t i = 0; i < count; ++i) {
    const RvFieldDef* field = &fields[i];
    if (!field->saved || field->size == 0 || field->optional) continue;
    // The tag is only a hint to transforms and may differ on an artist's geometry; storage and size may not.
    const RvAttrib* have = rv_detail_find(detail, field->owner, field->name);
    RvTag tag = have ? have->tag : field->tag;
    RvResult result =
        rv_detail_add_attrib(detail, field->owner, field->name, field->storage, field->size, tag, NULL, error);
    if (result) return result;
  }
  return RV_OK;
}

// Checks one saved field: present, with the storage and size of its definition. A list (size 0) and an optional field
// may be absent.
static RvResult check_field(const RvDetail* detail, const RvFieldDef* field, RvError* error) {
  const RvAttrib* attrib = rv_detail_find(detail, field->owner, field->name);
  if (!attrib && (field->size == 0 || field->optional)) return RV_OK;
  if (!attrib)
    return rv_fail(
        error, RV_BAD_INPUT,
        "the state lacks the %s attribute '%s' (%s %d): it was stripped, or another solver wrote it; use a state "
        "that was saved with keepstate on",
        rv_owner_name(field->owner), field->name, rv_storage_name(field->storage), field->size);
  // A list may have any length, so only its storage is checked.
  if (attrib->storage != field->storage && field->size == 0)
    return rv_fail(error, RV_BAD_INPUT, "the state's %s attribute '%s' is %s; a list of %s is needed",
                   rv_owner_name(field->owner), field->name, rv_storage_name(attrib->storage),
                   rv_storage_name(field->storage));
  if (field->size != 0 && (attrib->storage != field->storage || attrib->size != field->size))
    return rv_fail(error, RV_BAD_INPUT, "the state's %s attribute '%s' is %s %d; %s %d is needed",
                   rv_owner_name(field->owner), field->name, rv_storage_name(attrib->storage), attrib->size,
                   rv_storage_name(field->storage), field->size);
  return RV_OK;
}

// True if none of the saved fields of a part ("strands", "liquid") is present: a solver of several parts may have a
// state without one of them.
static bool part_absent(const RvDetail* detail, const RvFieldDef* fields, size_t count, const char* part) {
  if (!part || !*part) return false;
  for (size_t i = 0; i < count; ++i)
    if (fields[i].saved && fields[i].group && strcmp(fields[i].group, part) == 0 &&
        rv_detail_find(detail, fields[i].owner, fields[i].name))
      return false;
  return true;
}

RvResult rv_state_check(const RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error) {
  const int32_t* version = rv_detail_i32(detail, RV_GLOBAL, RV_STATE_VERSION, 1);
  if (!version)
    return rv_fail(error, RV_BAD_INPUT,
                   "this is no solver state: the detail attribute '" RV_STATE_VERSION
                   "' is missing; save the state output with keepstate on");
  if (*version != RV_STATE_SCHEMA)
    return rv_fail(error, RV_UNSUPPORTED, "the state has schema %d; this version of Rivulet reads %d", *version,
                   RV_STATE_SCHEMA);
  // Every saved field of the parts that are present.
  RvResult result = RV_OK;
  for (size_t i = 0; !result && i < count; ++i) {
    if (fields[i].saved && !part_absent(detail, fields, count, fields[i].group))
      result = check_field(detail, &fields[i], error);
  }
  return result;
}

// Adds a part; false: out of memory.
static bool hash_part(RvHasher* hasher, const RvDetail* detail, const RvFieldDef* fields, size_t count) {
  if (!rv_hash_topology(hasher, detail)) return false;
  const RvAttrib* version = rv_detail_find(detail, RV_GLOBAL, RV_STATE_VERSION);
  if (version) rv_hash_attrib(hasher, version);
  for (size_t i = 0; i < count; ++i) {
    const RvFieldDef* field = &fields[i];
    if (!field->saved) continue;
    const RvAttrib* attrib = rv_detail_find(detail, field->owner, field->name);
    // The hash of an attribute includes its name, so an absent field needs no mark.
    if (attrib) rv_hash_attrib(hasher, attrib);
  }
  return true;
}

uint64_t rv_state_hash(const RvState* state, const RvFieldDef* fields, size_t count) {
  RvHasher hasher = rv_hasher_new(RV_STATE_SCHEMA);
  for (int i = 0; i < RV_STATE_PARTS; ++i)
    if (state->part[i] && !hash_part(&hasher, state->part[i], fields, count)) return 0;
  uint64_t hash = rv_hasher_done(&hasher);
  return hash ? hash : 1;
}

void rv_state_free(RvState* state) {
  for (int i = 0; i < RV_STATE_PARTS; ++i) rv_detail_free(state->part[i]);
  *state = (RvState){0};
}

RvResult rv_state_copy(const RvState* state, RvState* out, RvError* error) {
  *out = (RvState){0};
  for (int i = 0; i < RV_STATE_PARTS; ++i) {
    if (!state->part[i]) continue;
    out->part[i] = rv_detail_copy(state->part[i]);
    if (out->part[i]) continue;
    rv_state_free(out);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  }
  return RV_OK;
}

bool rv_state_empty(const RvState* state) {
  for (int i = 0; i < RV_STATE_PARTS; ++i)
    if (state->part[i]) return false;
  return true;
}

// Names that begin with rv_ are the solver's own, but for those of cameras, lamps, looks and sources, which the nodes
// that draw and emit read.
static bool is_private(const char* name) {
  static const char* const shared[] = {"rv_cam_", "rv_light_", "rv_look_", "rv_source_"};
  bool found = strncmp(name, "rv_", 3) == 0;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; ++i)
    if (strncmp(name, shared[i], strlen(shared[i])) == 0) found = false;
  return found;
}

void rv_state_strip(RvDetail* detail, bool keepstate) {
  for (int owner = 0; !keepstate && owner < RV_OWNER_COUNT; ++owner) {
    // Attributes.
    size_t kept = 0;
    for (size_t i = 0; i < detail->attribs[owner].count; ++i) {
      RvAttrib* attrib = detail->attribs[owner].data[i];
      if (is_private(attrib->name)) {
        rv_attrib_free(attrib);
      } else {
        detail->attribs[owner].data[kept++] = attrib;
      }
    }
    detail->attribs[owner].count = kept;
    // Groups.
    kept = 0;
    for (size_t i = 0; i < detail->groups[owner].count; ++i) {
      RvGroup* group = detail->groups[owner].data[i];
      if (is_private(group->name)) {
        rv_group_free(group);
      } else {
        detail->groups[owner].data[kept++] = group;
      }
    }
    detail->groups[owner].count = kept;
  }
}

size_t rv_state_reconcile(const float* rounded, double* exact, size_t count, int size, const double* origin) {
  size_t edited = 0;
  for (size_t i = 0; i < count; ++i) {
    bool element_edited = false;
    for (int c = 0; c < size; ++c) {
      size_t at = i * (size_t)size + (size_t)c;
      double base = origin ? origin[c] : 0;
      // An edit is a value that differs from the rounded exact one.
      float shown = (float)(base + exact[at]);
      // Two NaN are no edit.
      if (shown == rounded[at] || (isnan(shown) && isnan(rounded[at]))) continue;
      exact[at] = (double)rounded[at] - base;
      element_edited = true;
    }
    edited += element_edited;
  }
  return edited;
}
