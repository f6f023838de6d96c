// Bringing values of one detail into another: merge and gather.
#include <stdlib.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/prim_vdb.h"

// Names that are left alone: separated by blanks, or sorted in an array, where a name may hold blanks.
typedef struct Except {
  const char* list;
  const char* const* names;
  size_t count;
} Except;

static int by_text(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static bool listed(const Except* except, const char* name) {
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

// numbers convert to numbers, texts to texts
static RvResult check_kinds(const RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except,
                            RvError* error) {
  for (size_t i = 0; i < other->attribs[owner].count; ++i) {
    const RvAttrib* from = other->attribs[owner].data[i];
    const RvAttrib* to = rv_detail_find(detail, owner, from->name);
    if (to && !listed(except, from->name) && (to->storage == RV_STRING) != (from->storage == RV_STRING))
      return rv_fail(error, RV_BAD_INPUT, "the %s attribute '%s' is %s on one side and %s on the other; rename one",
                     rv_owner_name(owner), from->name, rv_storage_name(to->storage), rv_storage_name(from->storage));
  }
  return RV_OK;
}

// adds the attribute with the other's default everywhere; finds it if it is there
static RvResult take_attrib(RvDetail* detail, const RvAttrib* from, RvAttrib** out, bool* added, RvError* error) {
  *out = rv_detail_find_mutable(detail, from->owner, from->name);
  *added = !*out;
  if (*out) return RV_OK;
  RvResult result =
      rv_detail_add_attrib(detail, from->owner, from->name, from->storage, from->size, from->tag, out, error);
  if (result) return result;
  if (from->strings) {
    // the same table, shared until one side learns a new text
    rv_strings_release((*out)->strings);
    (*out)->strings = rv_strings_retain(from->strings);
  }
  memcpy((*out)->standard, from->standard, from->stride);
  rv_attrib_fill(*out, 0, (*out)->count);
  return RV_OK;
}

typedef struct Pair {
  RvAttrib* to;
  const RvAttrib* from;
  int32_t* map;
  bool added;
} Pair;

typedef RV_ARRAY(Pair) Pairs;

static void free_pairs(Pairs* pairs) {
  for (size_t i = 0; i < pairs->count; ++i) rv_free(pairs->data[i].map);
  rv_array_free(pairs);
}

// attributes of both sides, matched; whatever can fail is done here
static RvResult pair_attribs(RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except, Pairs* pairs,
                             RvError* error) {
  for (size_t i = 0; i < other->attribs[owner].count; ++i) {
    const RvAttrib* from = other->attribs[owner].data[i];
    if (listed(except, from->name)) continue;
    Pair pair = {.from = from};
    RvResult result = take_attrib(detail, from, &pair.to, &pair.added, error);
    if (!result) result = rv_attrib_map_strings(pair.to, from, &pair.map, error);
    if (result) return result;
    if (!rv_array_push(pairs, pair)) {
      rv_free(pair.map);
      return rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
  }
  return RV_OK;
}

static RvResult add_groups(RvDetail* detail, const RvDetail* other, RvOwner owner, const Except* except,
                           RvError* error) {
  for (size_t i = 0; i < other->groups[owner].count; ++i) {
    const char* name = other->groups[owner].data[i]->name;
    RvResult result = listed(except, name) ? RV_OK : rv_detail_add_group(detail, owner, name, NULL, error);
    if (result) return result;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- merge

// the topology of `other` behind that of `detail`, whose buffers have room for it
static void append_topology(RvDetail* detail, const RvDetail* other, const size_t old[RV_OWNER_COUNT]) {
  size_t nvertex = other->count[RV_VERTEX], nprim = other->count[RV_PRIM];
  const int32_t *points = other->vertex_point->data, *starts = other->prim_start->data;
  int32_t* vertex_point = (int32_t*)detail->vertex_point->data + old[RV_VERTEX];
  int32_t* start = (int32_t*)detail->prim_start->data + old[RV_PRIM];
  for (size_t i = 0; i < nvertex; ++i) vertex_point[i] = points[i] + (int32_t)old[RV_POINT];
  for (size_t i = 0; i <= nprim; ++i) start[i] = starts[i] + (int32_t)old[RV_VERTEX];
  if (nprim) memcpy((uint8_t*)detail->prim_type->data + old[RV_PRIM], other->prim_type->data, nprim);
  detail->vertex_point->bytes = (old[RV_VERTEX] + nvertex) * 4;
  detail->prim_start->bytes = (old[RV_PRIM] + nprim + 1) * 4;
  detail->prim_type->bytes = old[RV_PRIM] + nprim;
  for (size_t i = 0; i < other->grids.count; ++i) {
    RvPrimGrid entry = other->grids.data[i];
    rv_prim_grid_retain(entry.grid);
    entry.prim += (int32_t)old[RV_PRIM];
    detail->grids.data[detail->grids.count++] = entry;
  }
}

// room for everything of `other`, so that nothing after this can fail but the growth of the owners
static RvResult reserve(RvDetail* detail, const RvDetail* other, RvError* error) {
  RvResult result = RV_OK;
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner)
    result = rv_geo_check_count((RvOwner)owner, detail->count[owner] + other->count[owner], error);
  if (result) return result;
  size_t nvertex = detail->count[RV_VERTEX] + other->count[RV_VERTEX];
  size_t nprim = detail->count[RV_PRIM] + other->count[RV_PRIM];
  if (!rv_buffer_own(&detail->vertex_point, nvertex * 4) || !rv_buffer_own(&detail->prim_start, (nprim + 1) * 4) ||
      !rv_buffer_own(&detail->prim_type, nprim) ||
      !rv_array_reserve(&detail->grids, detail->grids.count + other->grids.count))
    return rv_fail(error, RV_NO_MEMORY, "out of memory merging %zu primitives", nprim);
  return RV_OK;
}

static RvResult merge_distinct(RvDetail* detail, const RvDetail* other, RvError* error) {
  Pairs pairs = {0};
  const Except none = {0};
  size_t old[RV_OWNER_COUNT];
  memcpy(old, detail->count, sizeof old);
  RvResult result = reserve(detail, other, error);
  for (int owner = 0; !result && owner < RV_OWNER_COUNT; ++owner)
    result = check_kinds(detail, other, (RvOwner)owner, &none, error);
  for (int owner = 0; !result && owner < RV_OWNER_COUNT; ++owner) {
    result = pair_attribs(detail, other, (RvOwner)owner, &none, &pairs, error);
    if (!result) result = add_groups(detail, other, (RvOwner)owner, &none, error);
  }
  for (int owner = 0; !result && owner < RV_GLOBAL; ++owner) {
    result = rv_detail_grow(detail, (RvOwner)owner, old[owner] + other->count[owner], error);
    // an owner that grew without the others goes back
    for (int back = 0; result && back < owner; ++back) rv_detail_cut(detail, (RvOwner)back, old[back]);
  }
  if (result) goto done;
  append_topology(detail, other, old);
  for (size_t i = 0; i < pairs.count; ++i) {
    Pair pair = pairs.data[i];
    bool global = pair.from->owner == RV_GLOBAL;
    // of two detail attributes the first wins
    if (global && !pair.added) continue;
    size_t first = global ? 0 : old[pair.from->owner];
    rv_attrib_transfer(pair.to, first, pair.from->count, pair.from, NULL, pair.map);
  }
  for (int owner = 0; owner < RV_GLOBAL; ++owner) {
    for (size_t i = 0; i < other->groups[owner].count; ++i) {
      const RvGroup* from = other->groups[owner].data[i];
      RvGroup* to = rv_detail_find_group(detail, (RvOwner)owner, from->name);
      memcpy((uint8_t*)to->values->data + old[owner], from->values->data, from->count);
    }
  }
done:
  free_pairs(&pairs);
  return result;
}

RvResult rv_detail_merge(RvDetail* detail, const RvDetail* other, RvError* error) {
  if (detail != other) return merge_distinct(detail, other, error);
  RvDetail* copy = rv_detail_copy(other);
  if (!copy) return rv_fail(error, RV_NO_MEMORY, "out of memory merging a detail with itself");
  RvResult result = merge_distinct(detail, copy, error);
  rv_detail_free(copy);
  return result;
}

//---------------------------------------------------------------------------------------------- gather

static RvResult check_ranges(const RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                             const int32_t* index, RvError* error) {
  if ((unsigned)owner >= RV_OWNER_COUNT) return rv_fail(error, RV_BAD_INPUT, "owner %d does not exist", (int)owner);
  size_t have = detail->count[owner], source = from->count[owner];
  if (first > have || count > have - first)
    return rv_fail(error, RV_BAD_INPUT, "%zu %s from %zu on are wanted; there are %zu", count, rv_owner_plural(owner),
                   first, have);
  for (size_t i = 0; i < count; ++i) {
    if (index[i] < 0 || (size_t)index[i] >= source)
      return rv_fail(error, RV_BAD_INPUT, "entry %zu asks for %s %d; the source has %zu", i, rv_owner_name(owner),
                     index[i], source);
  }
  return RV_OK;
}

static RvResult gather_groups(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                              const int32_t* index, const Except* except, RvError* error) {
  for (size_t i = 0; i < from->groups[owner].count; ++i) {
    const RvGroup* source = from->groups[owner].data[i];
    if (listed(except, source->name)) continue;
    RvGroup* to = rv_detail_find_group(detail, owner, source->name);
    uint8_t* values = rv_group_write(to);
    if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", source->name);
    const uint8_t* bytes = source->values->data;
    for (size_t k = 0; k < count; ++k) values[first + k] = bytes[index[k]];
  }
  return RV_OK;
}

static RvResult gather(RvDetail* detail, RvOwner owner, size_t first, size_t count, const RvDetail* from,
                       const int32_t* index, const Except* except, RvError* error) {
  RvResult result = check_ranges(detail, owner, first, count, from, index, error);
  if (!result) result = check_kinds(detail, from, owner, except, error);
  if (result) return result;
  // a detail gathered from itself is read as it was before
  RvDetail* copy = detail == from ? rv_detail_copy(from) : NULL;
  if (detail == from && !copy) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const RvDetail* source = copy ? copy : from;
  Pairs pairs = {0};
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
