// Combing of a groom: guide curves and partings.
#include "node/groom/comb.h"

#include "base/memory.h"
#include "math/scalar.h"

enum { WAYS = RV_GROOM_NODES - 1, XYZ = 3 };

static const double LEAST_DISTANCE2 = 1e-12;  // m2, added to squared distances, so that a root on a guide has a weight
static const double PARTED = 0.05;            // strength of a parting from which strands keep to their side

//---------------------------------------------------------------------------------------------- curves

// Points of a curve of a detail.
typedef struct Curve {
  const float* P;
  const int32_t* point;  // [count] of its vertices
  int32_t count;
} Curve;

// Curve number `prim` of a detail; of no points if the primitive is another.
static Curve curve_of(const RvDetail* d, size_t prim) {
  const int32_t* start = rv_detail_prim_start(d);
  Curve c = {rv_detail_f32(d, RV_POINT, "P", XYZ), rv_detail_vertex_point(d) + start[prim], 0};
  if (rv_detail_prim_type(d, prim) == RV_PRIM_CURVE) c.count = start[prim + 1] - start[prim];
  return c;
}

static RvVec3 curve_point(const Curve* c, int32_t i) {
  return rv_vec3_load(c->P + XYZ * (size_t)c->point[i]);
}

// Length of a curve; NaN if one of its points is not a number.
static double curve_length(const Curve* c) {
  double length = 0;
  for (int32_t i = 1; i < c->count; ++i) length += rv_distance(curve_point(c, i - 1), curve_point(c, i));
  return length;
}

// Counts the curves that have a length. Curves with points that are not numbers are an error.
static RvResult count_curves(const RvDetail* d, const char* input, size_t* curves, size_t* segments, RvError* error) {
  *curves = 0;
  *segments = 0;
  for (size_t prim = 0; prim < rv_detail_count(d, RV_PRIM); ++prim) {
    Curve c = curve_of(d, prim);
    double length = curve_length(&c);
    if (!isfinite(length))
      return rv_fail(error, RV_BAD_INPUT, "%s: primitive %zu has a point that is not a number; remove it", input, prim);
    if (!(length > 0)) continue;
    ++*curves;
    *segments += (size_t)(c.count - 1);
  }
  if (*curves) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "%s: there is no open curve of two or more points; wire curves, root first",
                 input);
}

// Directions between nodes at equal arc lengths.
static void sample_ways(const Curve* c, RvVec3* ways) {
  double length = curve_length(c), before = 0;
  int32_t segment = 1;
  RvVec3 node = curve_point(c, 0);
  for (int i = 1; i <= WAYS; ++i) {
    double at = length * i / WAYS;
    double own = rv_distance(curve_point(c, segment - 1), curve_point(c, segment));
    while (segment + 1 < c->count && before + own < at) {
      before += own;
      ++segment;
      own = rv_distance(curve_point(c, segment - 1), curve_point(c, segment));
    }
    double share = own > 0 ? rv_clamp((at - before) / own, 0, 1) : 1;
    RvVec3 next = rv_lerp(curve_point(c, segment - 1), curve_point(c, segment), share);
    ways[i - 1] = rv_normalize(rv_sub(next, node), i > 1 ? ways[i - 2] : rv_vec3(0, 1, 0));
    node = next;
  }
}

// Stores a box.
static void put_box(float* box, RvVec3 a, RvVec3 b) {
  rv_vec3_store(box, rv_vec3(rv_min(a.x, b.x), rv_min(a.y, b.y), rv_min(a.z, b.z)));
  rv_vec3_store(box + XYZ, rv_vec3(rv_max(a.x, b.x), rv_max(a.y, b.y), rv_max(a.z, b.z)));
}

RvResult rv_groom_comb_guides(RvGroomComb* comb, const RvDetail* d, const char* input, RvError* error) {
  size_t curves, segments, n = 0;
  RvResult result = count_curves(d, input, &curves, &segments, error);
  if (result != RV_OK) return result;
  comb->ways = rv_alloc(curves, WAYS * sizeof *comb->ways);
  comb->guide_boxes = rv_alloc(curves, 2 * XYZ * sizeof(float));
  if (!comb->ways || !comb->guide_boxes) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu guides", curves);
  for (size_t prim = 0; prim < rv_detail_count(d, RV_PRIM); ++prim) {
    Curve c = curve_of(d, prim);
    if (!(curve_length(&c) > 0)) continue;
    sample_ways(&c, comb->ways + n * WAYS);
    put_box(comb->guide_boxes + 2 * XYZ * n, curve_point(&c, 0), curve_point(&c, 0));
    ++n;
  }
  comb->nguide = curves;
  return rv_nearest_init(&comb->guide_tree, curves, comb->guide_boxes, error);
}

RvResult rv_groom_comb_partings(RvGroomComb* comb, const RvDetail* d, const char* input, RvError* error) {
  size_t curves, segments, n = 0;
  RvResult result = count_curves(d, input, &curves, &segments, error);
  if (result != RV_OK) return result;
  comb->segments = rv_alloc(segments, 2 * sizeof *comb->segments);
  comb->segment_boxes = rv_alloc(segments, 2 * XYZ * sizeof(float));
  if (!comb->segments || !comb->segment_boxes)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for partings of %zu segments", segments);
  for (size_t prim = 0; prim < rv_detail_count(d, RV_PRIM); ++prim) {
    Curve c = curve_of(d, prim);
    if (!(curve_length(&c) > 0)) continue;
    for (int32_t i = 1; i < c.count; ++i) {
      comb->segments[2 * n] = curve_point(&c, i - 1);
      comb->segments[2 * n + 1] = curve_point(&c, i);
      put_box(comb->segment_boxes + 2 * XYZ * n, comb->segments[2 * n], comb->segments[2 * n + 1]);
      ++n;
    }
  }
  comb->nsegment = segments;
  return rv_nearest_init(&comb->segment_tree, segments, comb->segment_boxes, error);
}

void rv_groom_comb_free(RvGroomComb* comb) {
  rv_free(comb->ways);
  rv_free(comb->guide_boxes);
  rv_nearest_free(&comb->guide_tree);
  rv_free(comb->segments);
  rv_free(comb->segment_boxes);
  rv_nearest_free(&comb->segment_tree);
  *comb = (RvGroomComb){0};
}

//---------------------------------------------------------------------------------------------- roots

// Squared distance of a guide's root.
static double guide_distance2(const void* arg, size_t item, RvVec3 p) {
  const RvGroomComb* comb = arg;
  RvVec3 d = rv_sub(rv_vec3_load(comb->guide_boxes + 2 * XYZ * item), p);
  return rv_dot(d, d);
}

// Nearest place of a segment of a parting.
static RvVec3 segment_place(const RvGroomComb* comb, size_t item, RvVec3 p) {
  RvVec3 a = comb->segments[2 * item], axis = rv_sub(comb->segments[2 * item + 1], a);
  double square = rv_dot(axis, axis);
  double t = square > 0 ? rv_clamp(rv_dot(rv_sub(p, a), axis) / square, 0, 1) : 0;
  return rv_mad(a, t, axis);
}

static double segment_distance2(const void* arg, size_t item, RvVec3 p) {
  RvVec3 d = rv_sub(segment_place(arg, item, p), p);
  return rv_dot(d, d);
}

// Gives a root its nearest guides.
static void find_guides(const RvGroomComb* comb, RvGroomRoot* root) {
  size_t found[RV_GROOM_GUIDES];
  double squares[RV_GROOM_GUIDES], total = 0;
  size_t n =
      rv_nearest_many(&comb->guide_tree, root->frame.position, RV_GROOM_GUIDES, guide_distance2, comb, found, squares);
  for (size_t i = 0; i < n; ++i) total += 1 / (squares[i] + LEAST_DISTANCE2);
  for (size_t i = 0; i < n; ++i) {
    root->guide[i] = (int32_t)found[i];
    root->guide_share[i] = 1 / (squares[i] + LEAST_DISTANCE2) / total;
  }
  root->nguide = (int)n;
  root->combed = comb->guide_weight;
  if (comb->guide_reach > 0 && n) root->combed *= rv_exp(-squares[0] / (comb->guide_reach * comb->guide_reach));
}

// Direction from the parting to a root, within the skin, and how strongly the parting acts there.
static double find_parting(const RvGroomComb* comb, const RvGroomRoot* root, RvVec3* away) {
  RvVec3 from, n = root->frame.normal;
  double reach = 1;
  if (comb->nsegment) {
    size_t item = rv_nearest_find(&comb->segment_tree, root->frame.position, SIZE_MAX, segment_distance2, comb);
    from = rv_sub(root->frame.position, segment_place(comb, item, root->frame.position));
  } else {
    from = rv_vec3(root->frame.position.x - comb->plane_x, 0, 0);
    // Hair is parted on top of the head; below, it falls together again.
    reach = rv_smooth_step(n.y);
  }
  double square = rv_dot(from, from);
  *away = rv_normalize(rv_mad(from, -rv_dot(from, n), n), root->frame.tangent);
  return comb->part_strength * reach * rv_exp(-square / (comb->part_width * comb->part_width));
}

void rv_groom_comb_root(const RvGroomComb* comb, RvGroomRoot* root) {
  root->comb = comb;
  if (comb->nguide && comb->guide_weight > 0) find_guides(comb, root);
  if ((comb->nsegment || comb->has_plane) && comb->part_width > 0 && comb->part_strength > 0) {
    root->parted = find_parting(comb, root, &root->away);
  }
}

bool rv_groom_comb_parts(const RvGroomRoot* a, const RvGroomRoot* b) {
  return a->parted > PARTED && b->parted > PARTED && rv_dot(a->away, b->away) < 0;
}

RvVec3 rv_groom_comb_way(const RvGroomRoot* root, int i) {
  RvVec3 sum = {0};
  for (int k = 0; k < root->nguide; ++k)
    sum = rv_mad(sum, root->guide_share[k], root->comb->ways[(size_t)root->guide[k] * WAYS + (size_t)(i - 1)]);
  return rv_normalize(sum, root->direction);
}
