// The state of strands, film and liquid as one detail: the strands' points first, then the particles.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/wet_frame.h"

const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT] = {RV_WET_FIELDS};

//---------------------------------------------------------------------------------------------- two details in one

static int by_text(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// names of the point attributes of a part, to be told apart again; sorted, since hosts keep attributes in orders of
// their own, which must not be seen in the state
static RvResult keep_names(const RvDetail* part, const char* key, RvDetail* out, RvError* error) {
  RvAttrib* names;
  size_t n = rv_detail_attrib_count(part, RV_POINT), length = 1;
  for (size_t i = 0; i < n; ++i) length += strlen(rv_attrib_name(rv_detail_attrib(part, RV_POINT, i))) + 1;
  char* text = rv_alloc_zero(length, 1);
  const char** sorted = rv_alloc(n + 1, sizeof *sorted);
  if (!text || !sorted) {
    rv_free(text);
    rv_free(sorted);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  }
  for (size_t i = 0; i < n; ++i) sorted[i] = rv_attrib_name(rv_detail_attrib(part, RV_POINT, i));
  qsort(sorted, n, sizeof *sorted, by_text);
  for (size_t i = 0; i < n; ++i) strcat(strcat(text, i ? " " : ""), sorted[i]);
  rv_free(sorted);
  RvResult result = rv_detail_add_attrib(out, RV_GLOBAL, key, RV_STRING, 1, RV_TAG_NONE, &names, error);
  if (!result) result = rv_attrib_set_string(names, 0, 0, text, error);
  rv_free(text);
  return result;
}

RvResult rv_wet_state_join(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_copy(strands ? strands : liquid);
  RvResult result = d ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (!result && strands && liquid) {
    int64_t* points = rv_detail_i64_write(d, RV_GLOBAL, "rv_points", 1, error);
    if (points) *points = (int64_t)rv_detail_count(strands, RV_POINT);
    result = points ? keep_names(strands, "rv_strandnames", d, error) : error->code;
    if (!result) result = keep_names(liquid, "rv_liquidnames", d, error);
    if (!result) result = rv_detail_merge(d, liquid, error);
  }
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}

static bool listed(const char* names, const char* name) {
  size_t length = strlen(name);
  for (const char* at = names; (at = strstr(at, name)); at += length)
    if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

// the points [first, last), with the attributes that are theirs
static RvResult cut(const RvDetail* state, size_t first, size_t last, const char* key, RvDetail** out, RvError* error) {
  size_t n = rv_detail_count(state, RV_POINT);
  const RvAttrib* names = rv_detail_find(state, RV_GLOBAL, key);
  RvDetail* d = rv_detail_copy(state);
  uint8_t* keep = rv_alloc_zero(n + 1, 1);
  RvResult result = d && keep ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = rv_detail_attrib_count(state, RV_POINT); !result && names && i > 0; --i) {
    const char* name = rv_attrib_name(rv_detail_attrib(state, RV_POINT, i - 1));
    if (strcmp(name, "P") != 0 && !listed(rv_attrib_string(names, 0, 0), name))
      rv_detail_remove_attrib(d, RV_POINT, name);
  }
  if (!result) {
    memset(keep + first, 1, last - first);
    result = rv_detail_keep(d, keep, NULL, false, error);
  }
  rv_free(keep);
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}

RvResult rv_wet_state_part(const RvDetail* state, RvDetail** strands, RvDetail** liquid, RvError* error) {
  const int64_t* points = rv_detail_i64(state, RV_GLOBAL, "rv_points", 1);
  size_t n = rv_detail_count(state, RV_POINT), first = points && *points >= 0 ? (size_t)*points : 0;
  *strands = *liquid = NULL;
  if (!points) {
    RvDetail* only = rv_detail_copy(state);
    *(rv_detail_find(state, RV_POINT, "rv_x") ? strands : liquid) = only;
    return only ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  }
  if (first > n)
    return rv_fail(error, RV_BAD_INPUT, "rv_points of the state is %lld, but it has %zu points", (long long)*points, n);
  RvResult result = cut(state, 0, first, "rv_strandnames", strands, error);
  if (!result) result = cut(state, first, n, "rv_liquidnames", liquid, error);
  static const RvFieldDef own[][RV_LIQUID_FIELD_COUNT] = {{RV_LIQUID_FIELDS("")}};
  for (size_t i = 0; !result && i < RV_LIQUID_FIELD_COUNT; ++i)
    if (own[0][i].owner == RV_GLOBAL) rv_detail_remove_attrib(*strands, RV_GLOBAL, own[0][i].name);
  static const char* const both[] = {"rv_points", "rv_strandnames", "rv_liquidnames", "nextid"};
  for (size_t i = 0; !result && i < sizeof both / sizeof *both; ++i) {
    rv_detail_remove_attrib(*strands, RV_GLOBAL, both[i]);
    if (i < 3) rv_detail_remove_attrib(*liquid, RV_GLOBAL, both[i]);
  }
  for (size_t i = 0; !result && i < RV_WET_FIELD_COUNT; ++i)
    if (rv_wet_fields[i].owner == RV_GLOBAL && strcmp(rv_wet_fields[i].group, "liquid") != 0)
      rv_detail_remove_attrib(*liquid, RV_GLOBAL, rv_wet_fields[i].name);
  return result;
}
