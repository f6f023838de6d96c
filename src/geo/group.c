// Groups of points, vertices or primitives: creation, lookup by name, member bytes.
#include <string.h>

#include "geo/detail.h"

// Struct and name are one allocation.
RvGroup* rv_group_new(RvOwner owner, const char* name, size_t count) {
  size_t length = strlen(name);
  RvGroup* group = rv_alloc_zero(sizeof *group + length + 1, 1);
  if (!group) return NULL;
  group->owner = owner;
  group->count = count;
  memcpy(group->name, name, length + 1);
  group->values = rv_buffer_new(count);
  if (!group->values) {
    rv_free(group);
    return NULL;
  }
  memset(group->values->data, 0, count);
  return group;
}

void rv_group_free(RvGroup* group) {
  if (!group) return;
  rv_buffer_release(group->values);
  rv_free(group);
}

// True for the owners that can have groups: all but the detail itself.
static bool has_groups(RvOwner owner) {
  return owner == RV_POINT || owner == RV_VERTEX || owner == RV_PRIM;
}

RvGroup* rv_detail_find_group(const RvDetail* detail, RvOwner owner, const char* name) {
  for (size_t i = 0; has_groups(owner) && i < detail->groups[owner].count; ++i) {
    if (strcmp(detail->groups[owner].data[i]->name, name) == 0) return detail->groups[owner].data[i];
  }
  return NULL;
}

RvResult rv_detail_add_group(RvDetail* detail, RvOwner owner, const char* name, RvGroup** out, RvError* error) {
  if (out) *out = NULL;
  RvResult result = rv_geo_check_name("a group", name, error);
  if (result) return result;
  if (!has_groups(owner))
    return rv_fail(error, RV_BAD_INPUT, "group '%s': groups are of points, vertices or primitives", name);
  // An existing group of that name is returned as it is.
  RvGroup* group = rv_detail_find_group(detail, owner, name);
  if (!group) {
    if (detail->groups[owner].count >= RV_GEO_MAX_NAMES)
      return rv_fail(error, RV_LIMIT, "more than %d %s groups", RV_GEO_MAX_NAMES, rv_owner_name(owner));
    group = rv_group_new(owner, name, detail->count[owner]);
    if (!group || !rv_array_push(&detail->groups[owner], group)) {
      rv_group_free(group);
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", name);
    }
  }
  if (out) *out = group;
  return RV_OK;
}

void rv_detail_remove_group(RvDetail* detail, RvOwner owner, const char* name) {
  for (size_t i = 0; has_groups(owner) && i < detail->groups[owner].count; ++i) {
    RvGroup** at = &detail->groups[owner].data[i];
    if (strcmp((*at)->name, name) != 0) continue;
    rv_group_free(*at);
    memmove(at, at + 1, (--detail->groups[owner].count - i) * sizeof *at);
    return;
  }
}

RvResult rv_detail_adopt_group(RvDetail* detail, RvOwner owner, const char* name, uint8_t* values, RvError* error) {
  RvGroup* group = NULL;
  RvResult result = RV_OK;
  if (name && rv_detail_find_group(detail, owner, name)) {
    result = rv_fail(error, RV_BAD_INPUT, "there are two %s groups named '%s'", rv_owner_name(owner), name);
  } else {
    result = rv_detail_add_group(detail, owner, name, &group, error);
  }
  if (result) {
    rv_free(values);
    return result;
  }
  // Normalise the bytes and replace the empty array of the new group.
  for (size_t i = 0; i < group->count; ++i) values[i] = values[i] != 0;
  RvBuffer* buffer = rv_buffer_adopt(values, group->count);
  if (!buffer) {
    rv_detail_remove_group(detail, owner, name);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", name);
  }
  rv_buffer_release(group->values);
  group->values = buffer;
  return RV_OK;
}

size_t rv_detail_group_count(const RvDetail* detail, RvOwner owner) {
  return has_groups(owner) ? detail->groups[owner].count : 0;
}

const RvGroup* rv_detail_group(const RvDetail* detail, RvOwner owner, size_t index) {
  return index < rv_detail_group_count(detail, owner) ? detail->groups[owner].data[index] : NULL;
}

const char* rv_group_name(const RvGroup* group) {
  return group->name;
}

const uint8_t* rv_group_read(const RvGroup* group) {
  return group->values->data;
}

// Copies the bytes first if another group shares them.
uint8_t* rv_group_write(RvGroup* group) {
  return rv_buffer_own(&group->values, group->values->bytes) ? group->values->data : NULL;
}
