// States of solvers as hosts with one stream of geometry and files have them: one detail. Only the outermost layer of
// such a host joins and cuts; solvers and the headless host have a detail for each part.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rivulet/node.h"

// Detail attributes of a joined state: points of the first part, and the names of point and detail attributes of each.
#define POINTS "rv_points"
static const char* const name_keys[RV_STATE_PARTS][2] = {{"rv_names1", "rv_globals1"}, {"rv_names2", "rv_globals2"}};
static const RvOwner name_owners[2] = {RV_POINT, RV_GLOBAL};

static RvResult no_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
}

//---------------------------------------------------------------------------------------------- check

// The part that a field belongs to.
static size_t part_of(const RvNodeType* type, const RvFieldDef* field) {
  for (size_t i = 0; i < type->npart; ++i)
    if (strcmp(type->parts[i], field->group) == 0) return i;
  return 0;
}

// Whether a detail has some saved field of a part.
static bool has_part(const RvNodeType* type, const RvDetail* detail, size_t part) {
  for (size_t i = 0; i < type->nfield; ++i) {
    const RvFieldDef* field = &type->fields[i];
    if (field->saved && part_of(type, field) == part && rv_detail_find(detail, field->owner, field->name)) return true;
  }
  return false;
}

RvResult rv_node_check_state(const RvNodeType* type, const RvState* state, RvError* error) {
  if (rv_state_empty(state)) return rv_fail(error, RV_BAD_INPUT, "there is no state of a %s", type->type);
  for (size_t i = 0; i < RV_STATE_PARTS; ++i) {
    if (!state->part[i]) continue;
    if (i > 0 && i >= type->npart)
      return rv_fail(error, RV_BAD_INPUT, "the state has a second part, which a %s has not: another solver wrote it",
                     type->type);
    RvResult result = rv_state_check(state->part[i], type->fields, type->nfield, error);
    if (result) return result;
    if (type->npart && !has_part(type, state->part[i], i))
      return rv_fail(error, RV_BAD_INPUT, "the part %s of the state has none of its fields: another solver wrote it",
                     type->parts[i]);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- join

// qsort order of texts.
static int by_text(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// Keeps the names of a part's attributes, sorted: hosts keep attributes in orders of their own, which must not be seen
// in the state.
static RvResult keep_names(const RvDetail* part, RvOwner owner, const char* key, RvDetail* out, RvError* error) {
  size_t n = rv_detail_attrib_count(part, owner), length = 1;
  for (size_t i = 0; i < n; ++i) length += strlen(rv_attrib_name(rv_detail_attrib(part, owner, i))) + 1;
  char* text = rv_alloc_zero(length, 1);
  const char** sorted = rv_alloc(n + 1, sizeof *sorted);
  RvResult result = text && sorted ? RV_OK : no_memory(error);
  for (size_t i = 0; i < n && !result; ++i) sorted[i] = rv_attrib_name(rv_detail_attrib(part, owner, i));
  if (!result && n) qsort(sorted, n, sizeof *sorted, by_text);
  for (size_t i = 0; i < n && !result; ++i) strcat(strcat(text, i ? " " : ""), sorted[i]);
  RvAttrib* names = NULL;
  if (!result) result = rv_detail_add_attrib(out, RV_GLOBAL, key, RV_STRING, 1, RV_TAG_NONE, &names, error);
  if (!result) result = rv_attrib_set_string(names, 0, 0, text, error);
  rv_free(sorted);
  rv_free(text);
  return result;
}

// Appends the second part, with all that it takes to cut them again.
static RvResult append(RvDetail* joined, const RvState* state, RvError* error) {
  int64_t* points = rv_detail_i64_write(joined, RV_GLOBAL, POINTS, 1, error);
  if (!points) return no_memory(error);
  *points = (int64_t)rv_detail_count(state->part[0], RV_POINT);
  RvResult result = rv_detail_merge(joined, state->part[1], error);
  for (int i = 0; i < RV_STATE_PARTS; ++i)
    for (int k = 0; k < 2 && !result; ++k)
      result = keep_names(state->part[i], name_owners[k], name_keys[i][k], joined, error);
  return result;
}

RvResult rv_node_join_state(const RvState* state, RvDetail** out, RvError* error) {
  *out = NULL;
  if (rv_state_empty(state)) return rv_fail(error, RV_BAD_INPUT, "there is no state to write");
  RvDetail* joined = rv_detail_copy(state->part[0] ? state->part[0] : state->part[1]);
  RvResult result = joined ? RV_OK : no_memory(error);
  if (!result && state->part[0] && state->part[1]) result = append(joined, state, error);
  if (result)
    rv_detail_free(joined);
  else
    *out = joined;
  return result;
}

//---------------------------------------------------------------------------------------------- cut

static bool listed(const char* names, const char* name) {
  size_t length = strlen(name);
  for (const char* at = names; (at = strstr(at, name)); at += length)
    if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

// Removes the attributes that a list does not name. Without the list nothing is removed.
static void remove_unlisted(RvDetail* detail, const RvDetail* joined, RvOwner owner, const char* key) {
  const RvAttrib* list = rv_detail_find(joined, RV_GLOBAL, key);
  if (!list || rv_attrib_storage(list) != RV_STRING) return;
  const char* names = rv_attrib_string(list, 0, 0);
  for (size_t i = rv_detail_attrib_count(detail, owner); i > 0; --i) {
    const char* name = rv_attrib_name(rv_detail_attrib(detail, owner, i - 1));
    if (strcmp(name, "P") != 0 && !listed(names, name)) rv_detail_remove_attrib(detail, owner, name);
  }
}

// The points [first, last) of a joined state as a part of their own.
static RvResult cut(const RvDetail* joined, size_t first, size_t last, int part, RvDetail** out, RvError* error) {
  RvDetail* detail = rv_detail_copy(joined);
  uint8_t* keep = rv_alloc_zero(rv_detail_count(joined, RV_POINT) + 1, 1);
  RvResult result = detail && keep ? RV_OK : no_memory(error);
  if (!result) {
    for (int k = 0; k < 2; ++k) remove_unlisted(detail, joined, name_owners[k], name_keys[part][k]);
    memset(keep + first, 1, last - first);
    result = rv_detail_keep(detail, keep, NULL, false, error);
  }
  // A part without primitives has none of their attributes.
  static const RvOwner shapes[] = {RV_VERTEX, RV_PRIM};
  for (int k = 0; k < 2 && !result && part > 0; ++k)
    for (size_t i = rv_detail_attrib_count(detail, shapes[k]); i > 0; --i)
      rv_detail_remove_attrib(detail, shapes[k], rv_attrib_name(rv_detail_attrib(detail, shapes[k], i - 1)));
  rv_free(keep);
  if (result)
    rv_detail_free(detail);
  else
    *out = detail;
  return result;
}

RvResult rv_node_cut_state(const RvNodeType* type, const RvDetail* joined, RvState* out, RvError* error) {
  *out = (RvState){0};
  // The schema comes first: what else is wrong with a state of another schema says little.
  RvResult result = rv_state_check(joined, type->fields, type->nfield, error);
  if (result) return result;
  const int64_t* points = rv_detail_i64(joined, RV_GLOBAL, POINTS, 1);
  size_t n = rv_detail_count(joined, RV_POINT);
  if (type->npart < 2 || !points) {
    // One part: the first that it has fields of.
    size_t part = type->npart > 1 && !has_part(type, joined, 0) ? 1 : 0;
    out->part[part] = rv_detail_copy(joined);
    result = out->part[part] ? RV_OK : no_memory(error);
  } else if (*points < 0 || (size_t)*points > n) {
    result =
        rv_fail(error, RV_BAD_INPUT, "rv_points of the state is %lld, but it has %zu points", (long long)*points, n);
  } else {
    result = cut(joined, 0, (size_t)*points, 0, &out->part[0], error);
    if (!result) result = cut(joined, (size_t)*points, n, 1, &out->part[1], error);
  }
  if (!result) result = rv_node_check_state(type, out, error);
  if (result) rv_state_free(out);
  return result;
}

uint64_t rv_node_state_hash(const RvNodeType* type, const RvDetail* joined) {
  RvState state;
  RvError ignored = {0};
  if (rv_node_cut_state(type, joined, &state, &ignored)) return 0;
  uint64_t hash = rv_state_hash(&state, type->fields, type->nfield);
  rv_state_free(&state);
  return hash;
}
