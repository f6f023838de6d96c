// Kinds of geometry: whether a wire brings what its input takes.
#include <stdio.h>

#include "base/memory.h"
#include "rivulet/node.h"

enum { KINDS = 4, LIST_BYTES = 160 };

// Words for the kinds, in the order of their bits.
static const char* const WORDS[KINDS] = {"curves", "faces", "loose points", "VDBs"};

// Kind of a primitive.
static unsigned prim_kind(const RvDetail* detail, size_t prim) {
  switch (rv_detail_prim_type(detail, prim)) {
    case RV_PRIM_CURVE:
      return RV_PORT_CURVES;
    case RV_PRIM_VDB:
      return RV_PORT_VDBS;
    default:
      return RV_PORT_FACES;
  }
}

// Counts the primitives by kind, and the points that none of them uses. Out of memory, no point counts as loose.
static void count_kinds(const RvDetail* detail, size_t count[KINDS]) {
  size_t points = rv_detail_count(detail, RV_POINT);
  uint8_t* used = rv_alloc_zero(points, 1);
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* corner = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    unsigned kind = prim_kind(detail, i);
    for (int k = 0; k < KINDS; ++k) count[k] += kind == 1u << k;
    // The point of a VDB is its place, not a particle.
    for (int32_t v = start[i]; used && v < start[i + 1]; ++v) used[corner[v]] = 1;
  }
  for (size_t i = 0; used && i < points; ++i) count[2] += !used[i];
  rv_free(used);
}

// True if geometry has a kind of the bits; looks no further than needed.
static bool has_kind(const RvDetail* detail, unsigned kinds) {
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i)
    if (prim_kind(detail, i) & kinds) return true;
  if (!(kinds & RV_PORT_POINTS)) return false;
  // More points than corners: some are loose.
  if (rv_detail_count(detail, RV_POINT) > rv_detail_count(detail, RV_VERTEX)) return true;
  size_t count[KINDS] = {0};
  count_kinds(detail, count);
  return count[2] > 0;
}

RvResult rv_node_check_input(const RvNodeType* type, size_t index, const RvDetail* detail, RvError* error) {
  unsigned takes = type->takes && index < type->ninput ? type->takes[index] : 0;
  if (!takes || !detail || (!rv_detail_count(detail, RV_POINT) && !rv_detail_count(detail, RV_PRIM))) return RV_OK;
  if (has_kind(detail, takes)) return RV_OK;
  // What is there, and what is wanted.
  size_t count[KINDS] = {0};
  char there[LIST_BYTES] = "", wanted[LIST_BYTES] = "";
  count_kinds(detail, count);
  for (int k = 0, used = 0, named = 0; k < KINDS; ++k) {
    if (count[k])
      used += snprintf(there + used, sizeof there - (size_t)used, "%s%zu %s", used ? ", " : "", count[k], WORDS[k]);
    if (takes >> k & 1)
      named += snprintf(wanted + named, sizeof wanted - (size_t)named, "%s%s", named ? " or " : "", WORDS[k]);
  }
  return rv_fail(error, RV_BAD_INPUT, "input %zu (%s) takes %s, and the wire brings %s; wire another node into it",
                 index + 1, type->inputs[index].label, wanted, *there ? there : "none of them");
}
