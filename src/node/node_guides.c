// Guides: chooses every n-th strand of a groom, which represents the strands around it.
#include <stdlib.h>

#include "base/memory.h"
#include "math/vec.h"
#include "node/define.h"
#include "node/shape/select.h"

#define GUIDES_PARMS(X)                                                                                               \
  X(STRING, group, "Group", "",                                                                                       \
    "Strands to choose from and to represent. The others are dropped. Empty: all strands.")                           \
  X(INT, step, "Step", 50, HARD(1), SOFT(200), "",                                                                    \
    "Number of strands that one guide represents. Higher simulates faster and shows less detail; 1 keeps all, 20 to " \
    "200 is usual.")                                                                                                  \
  X(MENU, order, "Order", 0, "even=Evenly over the Skin|list=In List Order",                                          \
    "Evenly takes the strand in the middle of every patch of that many roots. In List Order takes strands 0, n, 2 n " \
    "and so on.")
RV_PARM_TABLE(GuidesParms, guides_table, GUIDES_PARMS)

enum { EVEN, LIST };
enum { BITS = 20 };  // of a coordinate on the Hilbert curve

// A strand.
typedef struct Root {
  uint64_t key;  // position along the Hilbert curve
  int32_t prim;
  double mass;   // up to a factor common to all strands
  RvVec3 place;  // position
} Root;

//---------------------------------------------------------------------------------------------- measuring

// Mean of a point attribute over a strand, or its primitive attribute; `standard` if both are missing or 0.
static double mean_value(const RvDetail* d, const char* name, size_t prim, double standard) {
  const RvAttrib* point = rv_detail_find(d, RV_POINT, name);
  const RvAttrib* whole = rv_detail_find(d, RV_PRIM, name);
  const int32_t *start = rv_detail_prim_start(d), *at = rv_detail_vertex_point(d);
  double sum = 0;
  if (point && rv_attrib_storage(point) != RV_STRING)
    for (int32_t v = start[prim]; v < start[prim + 1]; ++v)
      sum += rv_attrib_get(point, (size_t)at[v], 0) / (start[prim + 1] - start[prim]);
  if (sum == 0 && whole && rv_attrib_storage(whole) != RV_STRING) sum = rv_attrib_get(whole, prim, 0);
  return sum == 0 ? standard : sum;
}

// Mass of a strand from length, radius, density and hairsperguide, up to a factor; 0 for a strand that cannot be a
// guide.
static double mass_of(const RvDetail* d, const float* P, size_t prim) {
  const int32_t *start = rv_detail_prim_start(d), *at = rv_detail_vertex_point(d);
  double length = 0, radius = mean_value(d, "hairradius", prim, 1);
  for (int32_t v = start[prim] + 1; v < start[prim + 1]; ++v)
    length += rv_distance(rv_vec3_load(P + 3 * (size_t)at[v]), rv_vec3_load(P + 3 * (size_t)at[v - 1]));
  double mass = length * radius * radius * mean_value(d, "density", prim, 1) * mean_value(d, "hairsperguide", prim, 1);
  return isfinite(mass) && mass > 0 ? mass : 0;
}

// Lists the usable strands; *bad: number of unusable ones.
static size_t read_roots(const RvDetail* d, const uint8_t* mask, Root* roots, size_t* bad, int32_t* first_bad) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const int32_t *start = rv_detail_prim_start(d), *at = rv_detail_vertex_point(d);
  size_t n = 0;
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) {
    if ((mask && !mask[i]) || rv_detail_prim_type(d, i) != RV_PRIM_CURVE) continue;
    double mass = mass_of(d, P, i);
    if (mass > 0)
      roots[n++] = (Root){0, (int32_t)i, mass, rv_vec3_load(P + 3 * (size_t)at[start[i]])};
    else if (!(*bad)++)
      *first_bad = (int32_t)i;
  }
  return n;
}

//---------------------------------------------------------------------------------------------- choosing

// Position along the Hilbert curve (J. Skilling, "Programming the Hilbert curve", 2004). The curve is continuous, so
// each interval of it is a compact patch.
static uint64_t hilbert(uint32_t x[3]) {
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (int i = 0; i < 3; ++i) {
      uint32_t p = q - 1, t = (x[0] ^ x[i]) & p;
      if (x[i] & q)
        x[0] ^= p;
      else {
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  // Gray code of the transformed coordinates.
  for (int i = 1; i < 3; ++i) x[i] ^= x[i - 1];
  uint32_t t = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    if (x[2] & q) t ^= q - 1;
  // Interleave the bits.
  uint64_t key = 0;
  for (int bit = BITS - 1; bit >= 0; --bit)
    for (int i = 0; i < 3; ++i) key = key << 1 | ((x[i] ^ t) >> bit & 1);
  return key;
}

// Order along the curve, then by primitive, for qsort.
static int by_key(const void* pa, const void* pb) {
  const Root *a = pa, *b = pb;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->prim > b->prim) - (a->prim < b->prim);
}

// Sorts the roots along the Hilbert curve through their bounding cube.
static void sort_evenly(Root* roots, size_t n) {
  RvVec3 lo = roots[0].place;
  double size = 0;
  for (size_t i = 0; i < n; ++i)
    lo = rv_vec3(fmin(lo.x, roots[i].place.x), fmin(lo.y, roots[i].place.y), fmin(lo.z, roots[i].place.z));
  for (size_t i = 0; i < n; ++i) {
    RvVec3 d = rv_sub(roots[i].place, lo);
    size = fmax(size, fmax(d.x, fmax(d.y, d.z)));
  }
  // The cube has 2^BITS steps a side.
  double scale = size > 0 ? ((1 << BITS) - 1) / size : 0;
  for (size_t i = 0; i < n; ++i) {
    RvVec3 d = rv_scale(rv_sub(roots[i].place, lo), scale);
    roots[i].key = hilbert((uint32_t[3]){(uint32_t)d.x, (uint32_t)d.y, (uint32_t)d.z});
  }
  qsort(roots, n, sizeof *roots, by_key);
}

// Strand whose root is nearest to the mean root of a patch.
static size_t middle_of(const Root* roots, size_t n) {
  RvVec3 mean = {0, 0, 0};
  for (size_t i = 0; i < n; ++i) mean = rv_mad(mean, 1.0 / (double)n, rv_sub(roots[i].place, roots[0].place));
  mean = rv_add(mean, roots[0].place);
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < n; ++i) {
    double d = rv_distance(roots[i].place, mean);
    if (d < least || (d == least && roots[i].prim < roots[best].prim)) {
      least = d;
      best = i;
    }
  }
  return best;
}

// Marks the guides and computes how many strands of its own mass each represents, so that mass is conserved.
static void choose(Root* roots, size_t n, const GuidesParms* p, uint8_t* keep, float* hairs) {
  size_t step = (size_t)p->step, count = n / step + (n % step != 0);
  if (p->order == EVEN && n && step > 1) sort_evenly(roots, n);
  for (size_t k = 0; k < count; ++k) {
    // In list order patches have `step` strands and the last one the remainder; evenly, their sizes differ by at
    // most 1.
    size_t first = p->order == LIST ? k * step : k * n / count;
    size_t last = p->order == LIST ? first + step : (k + 1) * n / count;
    if (last > n) last = n;
    const Root* guide = roots + first + (p->order == LIST ? 0 : middle_of(roots + first, last - first));
    double mass = 0;
    for (size_t i = first; i < last; ++i) mass += roots[i].mass;
    keep[guide->prim] = 1;
    hairs[guide->prim] = (float)(mass / guide->mass);
  }
}

//---------------------------------------------------------------------------------------------- node

// Writes hairsperguide. The masses include that of the input, so the ratio is multiplied by the guide's own.
static RvResult write_hairs(RvDetail* out, const uint8_t* keep, float* hairs, RvError* error) {
  size_t n = rv_detail_count(out, RV_PRIM);
  for (size_t i = 0; i < n; ++i)
    if (keep[i]) hairs[i] *= (float)mean_value(out, "hairsperguide", i, 1);
  rv_detail_remove_attrib(out, RV_POINT, "hairsperguide");
  rv_detail_remove_attrib(out, RV_PRIM, "hairsperguide");
  float* to = rv_detail_f32_write(out, RV_PRIM, "hairsperguide", 1, error);
  if (!to) return error && error->code ? error->code : RV_NO_MEMORY;
  for (size_t i = 0; i < n; ++i) to[i] = hairs[i];
  return RV_OK;
}

// Chooses the guides, writes hairsperguide and deletes the other strands.
static RvResult cook(RvCook* cook, RvError* error) {
  const GuidesParms* p = cook->parms;
  const RvDetail* in = cook->ninput ? cook->input[0] : NULL;
  if (!in) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is not wired");
  size_t nprim = rv_detail_count(in, RV_PRIM), bad = 0;
  int32_t first_bad = 0;
  RvOwner owner;
  uint8_t *mask = NULL, *keep = rv_alloc_zero(nprim, 1);
  float* hairs = rv_alloc_zero(nprim, sizeof *hairs);
  Root* roots = rv_alloc(nprim, sizeof *roots);
  RvDetail* out = rv_detail_copy(in);
  RvResult result = RV_OK;
  if (!keep || !hairs || !roots || !out) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", nprim);
  if (result == RV_OK) result = rv_select(in, p->group, RV_SELECT_PRIMS, &owner, &mask, error);
  if (result == RV_OK) {
    // Strands that can be guides.
    size_t n = read_roots(in, mask, roots, &bad, &first_bad);
    if (bad)
      rv_cook_warn(cook,
                   "%zu strands cannot be guides and are dropped; the first, primitive %d, has no length, radius or "
                   "density, or a point whose position is not finite",
                   bad, first_bad);
    // Guides and the strands that each represents.
    choose(roots, n, p, keep, hairs);
    result = write_hairs(out, keep, hairs, error);
  }
  if (result == RV_OK) result = rv_detail_keep(out, NULL, keep, true, error);
  if (result == RV_OK) {
    cook->stats->strands = (int64_t)rv_detail_count(out, RV_PRIM);
    cook->stats->vertices = (int64_t)rv_detail_count(out, RV_POINT);
  }
  rv_node_give(cook, out, result);
  rv_free(mask);
  rv_free(keep);
  rv_free(hairs);
  rv_free(roots);
  return result;
}

static const RvPortDef inputs[] = {{"strands", "Strands", "A groom: curves, root first.", true}};
static const unsigned takes[] = {RV_PORT_CURVES};
static const RvPortDef outputs[] = {{"guides", "Guides", "Strands to simulate.", false}};

RV_NODE_TYPE(guides, "Guides", "Hair", "Chooses every n-th strand of a groom to be simulated in place of all.",
             "A guide represents the strands around it: the primitive attribute hairsperguide, which the solvers "
             "read, is the mass of those strands over the guide's own, so the mass of the whole groom is conserved. "
             "For strands of equal length and radius it is their number.\n\n"
             "Evenly sorts the roots along a space-filling Hilbert curve and cuts it into patches with equal numbers "
             "of strands; the strand nearest to the middle of a patch is its guide. So guides are dense where hair is "
             "dense. The choice depends on the roots only.\n\n"
             "The node transfer moves all strands by the guides.",
             RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs))
