#include "support/detail_compare.h"

#include <stdio.h>
#include <string.h>

static bool attribs_equal(const RvAttrib* a, const RvAttrib* b, char* why, size_t size) {
  const char* name = rv_attrib_name(a);
  if (strcmp(name, rv_attrib_name(b)) != 0) {
    snprintf(why, size, "attribute %s is %s", name, rv_attrib_name(b));
    return false;
  }
  if (rv_attrib_storage(a) != rv_attrib_storage(b) || rv_attrib_size(a) != rv_attrib_size(b) ||
      rv_attrib_tag(a) != rv_attrib_tag(b) || rv_attrib_count(a) != rv_attrib_count(b)) {
    snprintf(why, size, "attribute %s has another form", name);
    return false;
  }
  size_t count = rv_attrib_count(a), n = (size_t)rv_attrib_size(a), bytes = n * rv_storage_bytes(rv_attrib_storage(a));
  if (rv_attrib_storage(a) == RV_STRING) {
    for (size_t i = 0; i < count; ++i)
      for (size_t c = 0; c < n; ++c)
        if (strcmp(rv_attrib_string(a, i, (int)c), rv_attrib_string(b, i, (int)c)) != 0) {
          snprintf(why, size, "attribute %s differs at element %zu", name, i);
          return false;
        }
    return true;
  }
  if (memcmp(rv_attrib_default(a), rv_attrib_default(b), bytes) != 0) {
    snprintf(why, size, "attribute %s has another default", name);
    return false;
  }
  const unsigned char *x = rv_attrib_read(a), *y = rv_attrib_read(b);
  for (size_t i = 0; i < count; ++i)
    if (memcmp(x + i * bytes, y + i * bytes, bytes) != 0) {
      snprintf(why, size, "attribute %s differs at element %zu: %.17g and %.17g", name, i, rv_attrib_get(a, i, 0),
               rv_attrib_get(b, i, 0));
      return false;
    }
  return true;
}

static bool groups_equal(const RvGroup* a, const RvGroup* b, size_t count, char* why, size_t size) {
  bool equal =
      strcmp(rv_group_name(a), rv_group_name(b)) == 0 && memcmp(rv_group_read(a), rv_group_read(b), count) == 0;
  if (!equal) snprintf(why, size, "groups %s and %s differ", rv_group_name(a), rv_group_name(b));
  return equal;
}

bool rv_test_details_equal(const RvDetail* a, const RvDetail* b, char* why, size_t size) {
  for (int o = 0; o < RV_OWNER_COUNT; ++o) {
    RvOwner owner = (RvOwner)o;
    size_t count = rv_detail_count(a, owner);
    if (count != rv_detail_count(b, owner) || rv_detail_attrib_count(a, owner) != rv_detail_attrib_count(b, owner) ||
        rv_detail_group_count(a, owner) != rv_detail_group_count(b, owner)) {
      snprintf(why, size, "%s: %zu and %zu elements, %zu and %zu attributes, %zu and %zu groups", rv_owner_name(owner),
               count, rv_detail_count(b, owner), rv_detail_attrib_count(a, owner), rv_detail_attrib_count(b, owner),
               rv_detail_group_count(a, owner), rv_detail_group_count(b, owner));
      return false;
    }
    for (size_t i = 0; i < rv_detail_attrib_count(a, owner); ++i)
      if (!attribs_equal(rv_detail_attrib(a, owner, i), rv_detail_attrib(b, owner, i), why, size)) return false;
    for (size_t i = 0; i < rv_detail_group_count(a, owner); ++i)
      if (!groups_equal(rv_detail_group(a, owner, i), rv_detail_group(b, owner, i), count, why, size)) return false;
  }
  size_t nprim = rv_detail_count(a, RV_PRIM), nvertex = rv_detail_count(a, RV_VERTEX);
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_type(a, i) != rv_detail_prim_type(b, i) ||
        rv_detail_prim_start(a)[i + 1] != rv_detail_prim_start(b)[i + 1]) {
      snprintf(why, size, "primitive %zu differs", i);
      return false;
    }
  for (size_t i = 0; i < nvertex; ++i)
    if (rv_detail_vertex_point(a)[i] != rv_detail_vertex_point(b)[i]) {
      snprintf(why, size, "vertex %zu differs", i);
      return false;
    }
  return true;
}
