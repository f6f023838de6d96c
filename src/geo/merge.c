// Copying values of one detail into another: merging whole details, and gathering attributes and groups by index.
#include <stdlib.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

// Names of attributes and groups that are not copied, given in either or both of two forms.
typedef struct Except {
  const char* list;          // names separated by blanks, or NULL
  const char* const* names;  // sorted names, which may contain blanks
  size_t count;              // of `names`
} Except;

// qsort and bsearch order of strings.
static int by_text(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// True if a name is excluded.
static bool is_excluded(const Except* except, const char* name) {
  size_t length = strlen(name);
  if (except->count && bsearch(&name, except->names, except->count, sizeof name, by_text)) return true;
  for (const char* at = except->list; at && *at;) {
    at += strspn(at, " ");
    size_t word = strcspn(at, " ");
    if (word == length && word && memcmp(at, name, word) == 0) return true;
    at += word;
  }
  return false;
}

// Fails if an attribute is of numbers in one detail and of strings in the other: these do not convert.
static RvResult check_kinds(const RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except,
                            RvError* error) {
  for (size_t i = 0; i < other->attribs[owner].count; ++i) {
    const RvAttrib* from = other->attribs[owner].data[i];
    const RvAttrib* to = rv_detail_find(detail, owner, from->name);
    // Only a pair of strings and numbers is refused.
    if (to && !is_excluded(except, from->name) && (to->storage == RV_STRING) != (from->storage == RV_STRING))
      return rv_fail(error, RV_BAD_INPUT,
                     "the %s attribute '%s' is %s in one input and %s in the other: rename one of them",
                     rv_owner_name(owner), from->name, rv_storage_name(to->storage), rv_storage_name(from->storage));
  }
  return RV_OK;
}

// Finds the attribute in `detail`, or adds it with the default of `from` in all elements (*added).
static RvResult find_or_add_attrib(RvDetail* detail, const RvAttrib* from, RvAttrib** out, bool* added,
                                   RvError* error) {
  *out = rv_detail_find_mutable(detail, from->owner, from->name);
  *added = !*out;
  if (*out) return RV_OK;
  RvResult result =
      rv_detail_add_attrib(detail, from->owner, from->name, from->storage, from->size, from->tag, out, error);
  if (result) return result;
  if (from->strings) {
    // Share the string table; it is copied when one side adds a string.
    rv_strings_release((*out)->strings);
    (*out)->strings = rv_strings_retain(from->strings);
  }
  memcpy((*out)->default_tuple, from->default_tuple, from->stride);
  rv_attrib_fill(*out, 0, (*out)->count);
  return RV_OK;
}

// An attribute of the source and its counterpart in the target.
typedef struct Pair {
  RvAttrib* to;
  const RvAttrib* from;
  int32_t* map;  // new index of each string, or NULL
  bool added;    // `to` is new in the target
} Pair;

typedef RV_ARRAY(Pair) Pairs;

// Frees the list and the string maps.
static void free_pairs(Pairs* pairs) {
  for (size_t i = 0; i < pairs->count; ++i) rv_free(pairs->data[i].map);
  rv_array_free(pairs);
}

// Finds or adds the target of every attribute that is not excluded and interns the strings: all steps of copying
// attributes that can fail.
static RvResult pair_attribs(RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except, Pairs* pairs,
                             RvError* error) {
  for (size_t i = 0; i < other->attribs[owner].count; ++i) {
    const RvAttrib* from = other->attribs[owner].data[i];
    if (is_excluded(except, from->name)) continue;
    // Its counterpart, and the translation of its strings.
    Pair pair = {.from = from};
    RvResult result = find_or_add_attrib(detail, from, &pair.to, &pair.added, error);
    if (!result) result = rv_attrib_map_strings(pair.to, from, &pair.map, error);
    if (result) return result;
    if (!rv_array_push(pairs, pair)) {
      rv_free(pair.map);
      return rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
  }
  return RV_OK;
}

// Adds the groups that the target lacks, without members.
static RvResult add_groups(RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except,
                           RvError* error) {
  for (size_t i = 0; i < other->groups[owner].count; ++i) {
    const char* name = other->groups[owner].data[i]->name;
    RvResult result = is_excluded(except, name) ? RV_OK : rv_detail_add_group(detail, owner, name, NULL, error);
    if (result) return result;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- merge

// Appends the topology of `other`; the arrays have the memory for it. `old` is the element counts before.
static void append_topology(RvDetail* detail, const RvDetail* other, const size_t old[RV_OWNER_COUNT]) {
  size_t nvertex = other->count[RV_VERTEX];
  size_t nprim = other->count[RV_PRIM];
  const int32_t* points = other->vertex_point->data;
  const int32_t* starts = other->prim_start->data;
  int32_t* vertex_point = (int32_t*)detail->vertex_point->data + old[RV_VERTEX];
  int32_t* start = (int32_t*)detail->prim_start->data + old[RV_PRIM];
  // Indices move by the counts of the first detail.
  for (size_t i = 0; i < nvertex; ++i) vertex_point[i] = points[i] + (int32_t)old[RV_POINT];
  for (size_t i = 0; i <= nprim; ++i) start[i] = starts[i] + (int32_t)old[RV_VERTEX];
  if (nprim) memcpy((uint8_t*)detail->prim_type->data + old[RV_PRIM], other->prim_type->data, nprim);
  detail->vertex_point->bytes = (old[RV_VERTEX] + nvertex) * sizeof(int32_t);
  detail->prim_start->bytes = (old[RV_PRIM] + nprim + 1) * sizeof(int32_t);
  detail->prim_type->bytes = old[RV_PRIM] + nprim;
  // Grids are shared.
  for (size_t i = 0; i < other->grids.count; ++i) {
    RvPrimGrid entry = other->grids.data[i];
    rv_prim_grid_retain(entry.grid);
    entry.prim += (int32_t)old[RV_PRIM];
    detail->grids.data[detail->grids.count++] = entry;
  }
}

// Reserves memory for the topology of both, so that only the growth of the attributes can fail after it.
static RvResult reserve(RvDetail* detail, const RvDetail* other, RvError* error) {
  RvResult result = RV_OK;
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner)
    result = rv_geo_check_count((RvOwner)owner, detail->count[owner] + other->count[owner], error);
  if (result) return result;
  // Topology arrays and the list of grids.
  size_t nvertex = detail->count[RV_VERTEX] + other->count[RV_VERTEX];
  size_t nprim = detail->count[RV_PRIM] + other->count[RV_PRIM];
  if (!rv_buffer_own(&detail->vertex_point, nvertex * sizeof(int32_t)) ||
      !rv_buffer_own(&detail->prim_start, (nprim + 1) * sizeof(int32_t)) || !rv_buffer_own(&detail->prim_type, nprim) ||
      !rv_array_reserve(&detail->grids, detail->grids.count + other->grids.count))
    return rv_fail(error, RV_NO_MEMORY, "out of memory merging %zu primitives", nprim);
  return RV_OK;
}

// Copies the values of `other` into the elements that were appended for them. Of two detail attributes with one name
// that of the first detail stays.
static void append_values(RvDetail* detail, const RvDetail* other, const Pairs* pairs,
                          const size_t old[RV_OWNER_COUNT]) {
  for (size_t i = 0; i < pairs->count; ++i) {
    Pair pair = pairs->data[i];
    bool global = pair.from->owner == RV_GLOBAL;
    if (global && !pair.added) continue;
    size_t first = global ? 0 : old[pair.from->owner];
    rv_attrib_transfer(pair.to, first, pair.from->count, pair.from, NULL, pair.map);
  }
  // Group members.
  for (int owner = 0; owner < RV_GLOBAL; ++owner) {
    for (size_t i = 0; i < other->groups[owner].count; ++i) {
      const RvGroup* from = other->groups[owner].data[i];
      RvGroup* to = rv_detail_find_group(detail, (RvOwner)owner, from->name);
      memcpy((uint8_t*)to->values->data + old[owner], from->values->data, from->count);
    }
  }
}

// Merges two different details. Whatever can fail comes first, so that a failure changes no elements.
static RvResult merge_distinct(RvDetail* detail, const RvDetail* other, RvError* error) {
  Pairs pairs = {0};
  const Except none = {0};
  size_t old[RV_OWNER_COUNT];
  memcpy(old, detail->count, sizeof old);
  // Check and reserve everything that can fail, then grow the owners.
  RvResult result = reserve(detail, other, error);
  for (int owner = 0; !result && owner < RV_OWNER_COUNT; ++owner)
    result = check_kinds(detail, other, (RvOwner)owner, &none, error);
  for (int owner = 0; !result && owner < RV_OWNER_COUNT; ++owner) {
    result = pair_attribs(detail, other, (RvOwner)owner, &none, &pairs, error);
    if (!result) result = add_groups(detail, other, (RvOwner)owner, &none, error);
  }
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner) {
    result = rv_detail_grow(detail, (RvOwner)owner, old[owner] + other->count[owner], error);
    // If one owner fails, those that grew before it are truncated to their old counts.
    for (int grown = 0; result && grown < owner; ++grown) rv_detail_truncate(detail, (RvOwner)grown, old[grown]);
  }
  if (result) goto done;
  // Nothing can fail any more.
  append_topology(detail, other, old);
  append_values(detail, other, &pairs, old);
done:
  free_pairs(&pairs);
  return result;
}

RvResult rv_detail_merge(RvDetail* detail, const RvDetail* other, RvError* error) {
  if (detail != other) return merge_distinct(detail, other, error);
  // A detail that is merged with itself is read from a copy.
  RvDetail* copy = rv_detail_copy(other);
  if (!copy) return rv_fail(error, RV_NO_MEMORY, "out of memory merging a detail with itself");
  RvResult result = merge_distinct(detail, copy, error);
  rv_detail_free(copy);
  return result;
}

//---------------------------------------------------------------------------------------------- gather

// Checks the target range and every source index.
static RvResult check_ranges(const RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                             const int32_t* index, RvError* error) {
  if ((unsigned)owner >= RV_OWNER_COUNT) return rv_fail(error, RV_BAD_INPUT, "owner %d does not exist", (int)owner);
  size_t have = detail->count[owner];
  size_t source = from->count[owner];
  if (first > have || count > have - first)
    return rv_fail(error, RV_BAD_INPUT, "%zu %s from %zu on are wanted; there are %zu", count, rv_owner_plural(owner),
                   first, have);
  // Every source element exists.
  for (size_t i = 0; i < count; ++i) {
    if (index[i] < 0 || (size_t)index[i] >= source)
      return rv_fail(error, RV_BAD_INPUT, "entry %zu asks for %s %d; the source has %zu", i, rv_owner_name(owner),
                     index[i], source);
  }
  return RV_OK;
}

// Copies the membership of every group that is not excluded. The target has the groups already.
static RvResult gather_groups(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                              const int32_t* index, const Except* except, RvError* error) {
  for (size_t i = 0; i < from->groups[owner].count; ++i) {
    const RvGroup* source = from->groups[owner].data[i];
    if (is_excluded(except, source->name)) continue;
    RvGroup* to = rv_detail_find_group(detail, owner, source->name);
    uint8_t* values = rv_group_write(to);
    if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", source->name);
    // Element k comes from element index[k].
    const uint8_t* bytes = source->values->data;
    for (size_t k = 0; k < count; ++k) values[first + k] = bytes[index[k]];
  }
  return RV_OK;
}

// rv_detail_gather with the excluded names in either form.
static RvResult gather(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                       const int32_t* index, const Except* except, RvError* error) {
  RvResult result = check_ranges(detail, owner, first, count, from, index, error);
  if (!result) result = check_kinds(detail, from, owner, except, error);
  if (result) return result;
  // A detail that is gathered from itself is read from a copy of its state before.
  RvDetail* copy = detail == from ? rv_detail_copy(from) : NULL;
  if (detail == from && !copy) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const RvDetail* source = copy ? copy : from;
  Pairs pairs = {0};
  // Add and unshare everything first; the transfer at the end cannot fail.
  result = pair_attribs(detail, source, owner, except, &pairs, error);
  if (!result) result = add_groups(detail, source, owner, except, error);
  for (size_t i = 0; !result && i < pairs.count; ++i) {
    if (!rv_attrib_write(pairs.data[i].to))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s'", pairs.data[i].to->name);
  }
  if (!result) result = gather_groups(detail, owner, first, count, source, index, except, error);
  for (size_t i = 0; !result && i < pairs.count; ++i)
    rv_attrib_transfer(pairs.data[i].to, first, count, pairs.data[i].from, index, pairs.data[i].map);
  free_pairs(&pairs);
  rv_detail_free(copy);
  return result;
}

RvResult rv_detail_gather(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                          const int32_t* index, const char* except, RvError* error) {
  return gather(detail, owner, first, count, from, index, &(Except){.list = except}, error);
}

// Excludes all names that the detail has. They go as a sorted array, as a name may contain blanks.
RvResult rv_detail_gather_missing(RvDetail* detail, RvOwner owner, const RvDetail* from, const int32_t* index,
                                  RvError* error) {
  size_t nattrib = detail->attribs[owner].count, ngroup = detail->groups[owner].count;
  const char** names = rv_alloc(nattrib + ngroup, sizeof *names);
  if (!names) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < nattrib; ++i) names[i] = detail->attribs[owner].data[i]->name;
  for (size_t i = 0; i < ngroup; ++i) names[nattrib + i] = detail->groups[owner].data[i]->name;
  qsort(names, nattrib + ngroup, sizeof *names, by_text);
  const Except own = {.names = names, .count = nattrib + ngroup};
  RvResult result = gather(detail, owner, 0, detail->count[owner], from, index, &own, error);
  rv_free(names);
  return result;
}
