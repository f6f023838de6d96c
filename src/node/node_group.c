// Group: names points or primitives in a box, with given ids, or on a range of their curve.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "node/define.h"
#include "node/groom/curveu.h"
#include "node/shape/select.h"

#define GROUP_PARMS(X)                                                                                                 \
  X(STRING, groupname, "Group Name", "group1", "Name of the group.")                                                   \
  X(MENU, grouptype, "Group Type", 0, "points=Points|prims=Primitives", "Elements of the group.")                      \
  X(STRING, basegroup, "Base Group", "", "Elements to choose from: groups, numbers and ranges. Empty: all.")           \
  X(MENU, mode, "Select", 0, "all=All|box=Box|ids=Ids|curveu=Curve U", "Selection from the base group.")               \
  X(VEC3, boxmin, "Box Minimum", -1, -1, -1, SOFT(-1), SOFT(1), "m",                                                   \
    "Lower corner of the box. Points on its faces count as inside.", HIDE("{ mode != box }"))                          \
  X(VEC3, boxmax, "Box Maximum", 1, 1, 1, SOFT(-1), SOFT(1), "m", "Upper corner of the box.", HIDE("{ mode != box }")) \
  X(STRING, ids, "Ids", "", "Values of the attribute id, or element numbers if there is none, such as \"3 7 10-20\".", \
    HIDE("{ mode != ids }"))                                                                                           \
  X(VEC2, curveu, "Curve U", 0, 0, SOFT(0), SOFT(1), "",                                                               \
    "Smallest and largest curveu. 0 0 selects the roots, 1 1 the tips.", HIDE("{ mode != curveu }"))                   \
  X(TOGGLE, invert, "Invert", 0, "Selects the other elements of the base group instead.")                              \
  X(MENU, mergeop, "Merge", 0, "replace=Replace|union=Union|intersect=Intersect|subtract=Subtract",                    \
    "Combines the selection with an existing group of that name.")
RV_PARM_TABLE(GroupParms, group_table, GROUP_PARMS)

// Entries of mode.
enum { ALL, BOX, IDS, CURVEU };
// Entries of mergeop.
enum { REPLACE, UNION, INTERSECT, SUBTRACT };

// A range of ids, both ends included.
typedef struct Range {
  int64_t first, last;
} Range;
typedef RV_ARRAY(Range) Ranges;

// Order of ranges, for qsort.
static int by_first(const void* a, const void* b) {
  const Range *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

// Reads numbers and ranges; sorts and merges them.
static RvResult read_ids(const char* text, Ranges* out, RvError* error) {
  const char* at = text;
  while (*at) {
    char* end;
    if (*at == ' ' || *at == ',' || *at == '\t') {
      ++at;
      continue;
    }
    // A number, or a range with a dash.
    Range r = {.first = strtoll(at, &end, 10)};
    r.last = r.first;
    if (end != at && *end == '-') {
      at = end + 1;
      r.last = strtoll(at, &end, 10);
    }
    if (end == at || (*end && !strchr(" ,\t", *end)) || r.last < r.first)
      return rv_fail(error, RV_BAD_INPUT, "ids: \"%.20s\" is neither a number nor a range such as 3-9", at);
    if (!rv_array_push(out, r)) return rv_fail(error, RV_NO_MEMORY, "out of memory for the ids");
    at = end;
  }
  if (out->count) qsort(out->data, out->count, sizeof *out->data, by_first);
  // Merge overlapping ranges, so that a binary search finds the only candidate.
  size_t n = 0;
  for (size_t i = 0; i < out->count; ++i) {
    if (n && out->data[i].first <= out->data[n - 1].last) {
      if (out->data[i].last > out->data[n - 1].last) out->data[n - 1].last = out->data[i].last;
    } else
      out->data[n++] = out->data[i];
  }
  out->count = n;
  return RV_OK;
}

// True if a range contains the id.
static bool has_id(const Ranges* ranges, int64_t id) {
  size_t lo = 0, hi = ranges->count;
  while (lo < hi) {
    size_t m = (lo + hi) / 2;
    if (ranges->data[m].last < id)
      lo = m + 1;
    else
      hi = m;
  }
  return lo < ranges->count && ranges->data[lo].first <= id;
}

// Selects elements by id.
static RvResult choose_ids(const RvDetail* d, RvOwner owner, const char* text, uint8_t* in, RvError* error) {
  Ranges ranges = {0};
  RvResult result = read_ids(text, &ranges, error);
  // 64-bit ids are read as they are: a double would round them.
  const RvAttrib* id = rv_detail_find(d, owner, "id");
  const int64_t* wide = rv_detail_i64(d, owner, "id", 1);
  for (size_t i = 0; result == RV_OK && i < rv_detail_count(d, owner); ++i)
    in[i] = has_id(&ranges, wide ? wide[i] : id ? (int64_t)rv_attrib_get(id, i, 0) : (int64_t)i);
  rv_array_free(&ranges);
  return result;
}

// Selects the points in the box.
static void choose_box(const RvDetail* d, const GroupParms* p, uint8_t* in) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    // Without positions nothing is inside.
    in[i] = P != NULL;
    for (int k = 0; P && k < 3; ++k)
      in[i] &= P[3 * i + (size_t)k] >= p->boxmin[k] && P[3 * i + (size_t)k] <= p->boxmax[k];
  }
}

// Selects the points on a range of their curve.
static RvResult choose_curveu(const RvDetail* d, const GroupParms* p, uint8_t* in, RvError* error) {
  float* u = rv_curveu(d, error);
  if (!u) return RV_NO_MEMORY;
  // The ends are rounded to float, like curveu.
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i)
    in[i] = u[i] >= (float)p->curveu[0] && u[i] <= (float)p->curveu[1];
  rv_free(u);
  return RV_OK;
}

// Selects primitives by their points: all of them, or any.
static void points_to_prims(const RvDetail* d, const uint8_t* points, bool all, uint8_t* prims) {
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) {
    size_t hits = 0;
    for (int32_t v = start[i]; v < start[i + 1]; ++v) hits += points[point[v]];
    size_t n = (size_t)(start[i + 1] - start[i]);
    prims[i] = all ? n && hits == n : hits > 0;
  }
}

// Selects elements by the mode.
static RvResult choose(const RvDetail* d, const GroupParms* p, RvOwner owner, uint8_t* in, RvError* error) {
  memset(in, 1, rv_detail_count(d, owner));
  if (p->mode == ALL) return RV_OK;
  // Ids are the elements' own; the other modes look at points, also for primitives.
  if (p->mode == IDS) return choose_ids(d, owner, p->ids, in, error);
  uint8_t* points = owner == RV_POINT ? in : rv_alloc(rv_detail_count(d, RV_POINT), 1);
  if (!points) return rv_fail(error, RV_NO_MEMORY, "out of memory for the group");
  RvResult result = RV_OK;
  if (p->mode == BOX)
    choose_box(d, p, points);
  else
    result = choose_curveu(d, p, points, error);
  // A strand is in the box with all its points, and on the range with any.
  if (points != in) {
    points_to_prims(d, points, p->mode == BOX, in);
    rv_free(points);
  }
  return result;
}

// Writes the group, merged with an existing one.
static RvResult write_group(RvDetail* out, const GroupParms* p, RvOwner owner, const uint8_t* in, const uint8_t* base,
                            RvError* error) {
  RvGroup* group;
  if (!*p->groupname) return rv_fail(error, RV_BAD_INPUT, "groupname: give the group a name");
  RvResult result = rv_detail_add_group(out, owner, p->groupname, &group, error);
  if (result != RV_OK) return result;
  // A new group is empty, so that union works on it as well.
  uint8_t* to = rv_group_write(group);
  if (!to) return rv_fail(error, RV_NO_MEMORY, "out of memory for the group '%s'", p->groupname);
  for (size_t i = 0; i < rv_detail_count(out, owner); ++i) {
    uint8_t member = (!base || base[i]) && (in[i] != 0) != p->invert;
    to[i] = p->mergeop == UNION       ? to[i] | member
            : p->mergeop == INTERSECT ? to[i] & member
            : p->mergeop == SUBTRACT  ? to[i] & !member
                                      : member;
  }
  return RV_OK;
}

// Selects elements and writes the group.
static RvResult cook(RvCook* cook, RvError* error) {
  const GroupParms* p = cook->parms;
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired");
  // The base group and the selection, by element.
  RvOwner owner = p->grouptype ? RV_PRIM : RV_POINT, selected;
  RvDetail* out = rv_detail_copy(cook->input[0]);
  uint8_t *base = NULL, *in = rv_alloc(rv_detail_count(cook->input[0], owner), 1);
  RvResult result = out && in ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the group");
  if (result == RV_OK)
    result = rv_select(out, p->basegroup, p->grouptype ? RV_SELECT_PRIMS : RV_SELECT_POINTS, &selected, &base, error);
  if (result == RV_OK) result = choose(out, p, owner, in, error);
  if (result == RV_OK) result = write_group(out, p, owner, in, base, error);
  rv_node_give(cook, out, result);
  rv_free(base);
  rv_free(in);
  return result;
}

static const RvPortDef inputs[] = {{"geometry", "Geometry", "Geometry that gets the group.", true}};
static const RvPortDef outputs[] = {{"geometry", "Geometry", "The same geometry with the group.", false}};

RV_NODE_TYPE(group, "Group", "Geometry",
             "Makes a group of points or primitives by box, ids or position along the curve.",
             "A primitive is in a box if all its points are, and within a range of curveu if any of its points is. "
             "Without the attribute curveu the range runs over arc length.",
             RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
