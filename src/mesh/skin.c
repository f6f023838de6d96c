// The skin: patches, normals, uniform sites by scrambled Sobol points, and evaluation of sites.
#include "mesh/skin.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

enum { MAX_PATCH = 4 };  // vertices of a face that is one patch; larger faces are fans
// A skin is turned inside out if the flux of the position through it is below this fraction of its largest possible
// value. The threshold is not 0, so that flat and nearly flat skins keep their winding.
static const double inside_out_flux = -0.2;
static const double below_one = 0x1.fffffffffffffp-1;  // largest double below 1

//---------------------------------------------------------------------------------------------- patches

// Point of a corner of a primitive.
static int32_t corner_point(const RvSkin* s, int32_t prim, int32_t corner) {
  return s->vertex_point[s->start[prim] + corner];
}

// Position of a corner.
static RvVec3 corner(const RvSkin* s, int32_t prim, int32_t i) {
  return rv_vec3_load(s->P + 3 * (size_t)corner_point(s, prim, i));
}

// Number of corners of a primitive.
static int32_t corners(const RvSkin* s, int32_t prim) {
  return s->start[prim + 1] - s->start[prim];
}

// Mean of the corners: the centre of a fan.
static RvVec3 mean_corner(const RvSkin* s, int32_t prim) {
  int32_t n = corners(s, prim);
  RvVec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < n; ++i) sum = rv_add(sum, corner(s, prim, i));
  return rv_scale(sum, 1.0 / n);
}

// Edge of a fan at u in [0, 1], and the position along the edge in [0, 1].
static int32_t fan_edge(int32_t n, double u, double* along) {
  double x = u * n;
  int32_t edge = (int32_t)floor(x);
  edge = edge < 0 ? 0 : edge >= n ? n - 1 : edge;
  *along = x - edge;
  return edge;
}

// |dP/du x dP/dv| of a quad: the area per parametric area.
static double quad_jacobian(const RvSkin* s, int32_t prim, double u, double v) {
  RvVec3 a = corner(s, prim, 0), b = corner(s, prim, 1), c = corner(s, prim, 2), d = corner(s, prim, 3);
  RvVec3 du = rv_lerp(rv_sub(d, a), rv_sub(c, b), v);
  RvVec3 dv = rv_lerp(rv_sub(b, a), rv_sub(c, d), u);
  return rv_length(rv_cross(du, dv));
}

// Area of a facet; `edge` is that of a fan, or -1.
static double facet_area(const RvSkin* s, int32_t prim, int32_t edge) {
  int32_t n = corners(s, prim);
  if (edge < 0 && n == MAX_PATCH) {
    // The mean over the corners is exact for a planar quad, whose Jacobian is linear in u and v.
    return (quad_jacobian(s, prim, 0, 0) + quad_jacobian(s, prim, 1, 0) + quad_jacobian(s, prim, 0, 1) +
            quad_jacobian(s, prim, 1, 1)) /
           4;
  }
  RvVec3 a = corner(s, prim, edge < 0 ? 0 : edge), b = corner(s, prim, edge < 0 ? 1 : (edge + 1) % n);
  RvVec3 c = edge < 0 ? corner(s, prim, 2) : mean_corner(s, prim);
  return rv_length(rv_cross(rv_sub(b, a), rv_sub(c, a))) / 2;
}

//---------------------------------------------------------------------------------------------- initialisation

// Twice the outward area vector of a face, for Houdini's winding (clockwise seen from outside).
static RvVec3 face_normal(const RvSkin* s, int32_t prim) {
  int32_t n = corners(s, prim);
  RvVec3 origin = corner(s, prim, 0);
  RvVec3 sum = {0, 0, 0};
  for (int32_t i = 1; i + 1 < n; ++i) {
    RvVec3 a = rv_sub(corner(s, prim, i), origin);
    RvVec3 b = rv_sub(corner(s, prim, i + 1), origin);
    sum = rv_add(sum, rv_cross(b, a));
  }
  return sum;
}

bool rv_skin_has_face(const RvSkin* s, int64_t prim) {
  return prim >= 0 && (uint64_t)prim < s->nprim && rv_detail_prim_type(s->detail, (size_t)prim) == RV_PRIM_POLYGON &&
         corners(s, (int32_t)prim) >= 3;
}

// -1 if the winding of a closed skin is inside out, else 1. The flux of the position through a closed surface is
// positive for outward normals (divergence theorem).
static double outward_sign(const RvSkin* s) {
  double flux = 0, size = 0;
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i)) continue;
    RvVec3 normal = face_normal(s, (int32_t)i);
    RvVec3 out = rv_sub(mean_corner(s, (int32_t)i), s->centre);
    flux += rv_dot(normal, out);
    size += rv_length(normal) * rv_length(out);
  }
  return flux < inside_out_flux * size ? -1 : 1;
}

// Normals of the points: the attribute N if it is wanted and valid, else the area-weighted mean of the faces' normals.
static RvResult make_normals(RvSkin* s, bool outward, RvError* error) {
  s->normals = rv_alloc_zero(s->npoint, 3 * sizeof(float));
  RvVec3* sum = rv_alloc_zero(s->npoint, sizeof *sum);
  if (!s->normals || !sum) {
    rv_free(sum);
    return rv_fail(error, RV_NO_MEMORY, "no memory for the normals of %zu points", s->npoint);
  }
  // Sum the normals of the faces.
  const float* given = outward ? rv_detail_f32(s->detail, RV_POINT, "N", 3) : NULL;
  double sign = outward ? outward_sign(s) : 1;
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i)) continue;
    RvVec3 normal = rv_scale(face_normal(s, (int32_t)i), sign);
    for (int32_t k = 0; k < corners(s, (int32_t)i); ++k) {
      RvVec3* at = &sum[corner_point(s, (int32_t)i, k)];
      *at = rv_add(*at, normal);
    }
  }
  // Take N where it is valid, and normalise.
  const RvVec3 zero = {0, 0, 0};
  for (size_t i = 0; i < s->npoint; ++i) {
    RvVec3 normal = given ? rv_vec3_load(given + 3 * i) : sum[i];
    if (!rv_vec3_finite(normal) || rv_dot(normal, normal) == 0) normal = sum[i];
    rv_vec3_store(s->normals + 3 * i, rv_normalize(normal, zero));
  }
  rv_free(sum);
  return RV_OK;
}

// Refuses positions that are not finite.
static RvResult check_positions(const RvSkin* s, const char* what, RvError* error) {
  for (size_t i = 0; i < 3 * s->npoint; ++i) {
    if (!isfinite(s->P[i]))
      return rv_fail(error, RV_BAD_INPUT, "%s: point %zu has a position (P) that is not finite", what, i / 3);
  }
  return RV_OK;
}

// Lists the facets of positive area with their cumulative area, and finds the centre of the skin.
static RvResult make_facets(RvSkin* s, const uint8_t* prims, RvError* error) {
  // Count.
  size_t capacity = 0;
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i) || (prims && !prims[i])) continue;
    int32_t n = corners(s, (int32_t)i);
    capacity += n <= MAX_PATCH ? 1 : (size_t)n;
  }
  s->facet_prim = rv_alloc(capacity, sizeof *s->facet_prim);
  s->facet_edge = rv_alloc(capacity, sizeof *s->facet_edge);
  s->cumulative = rv_alloc(capacity, sizeof *s->cumulative);
  if (!s->facet_prim || !s->facet_edge || !s->cumulative)
    return rv_fail(error, RV_NO_MEMORY, "no memory for the %zu facets of the skin", capacity);
  // Fill.
  RvVec3 weighted = {0, 0, 0};
  for (size_t i = 0; i < s->nprim; ++i) {
    if (!rv_skin_has_face(s, (int64_t)i) || (prims && !prims[i])) continue;
    int32_t n = corners(s, (int32_t)i);
    for (int32_t e = n <= MAX_PATCH ? -1 : 0; e < (n <= MAX_PATCH ? 0 : n); ++e) {
      double area = facet_area(s, (int32_t)i, e);
      if (!(area > 0)) continue;
      s->area += area;
      weighted = rv_mad(weighted, area, mean_corner(s, (int32_t)i));
      s->facet_prim[s->nfacet] = (int32_t)i;
      s->facet_edge[s->nfacet] = e;
      s->cumulative[s->nfacet++] = s->area;
    }
  }
  if (s->area > 0) s->centre = rv_scale(weighted, 1 / s->area);
  return RV_OK;
}

RvResult rv_skin_init(RvSkin* s, const RvDetail* detail, const uint8_t* prims, unsigned flags, const char* what,
                      RvError* error) {
  *s = (RvSkin){.detail = detail,
                .P = rv_detail_f32(detail, RV_POINT, "P", 3),
                .start = rv_detail_prim_start(detail),
                .vertex_point = rv_detail_vertex_point(detail),
                .npoint = rv_detail_count(detail, RV_POINT),
                .nprim = rv_detail_count(detail, RV_PRIM)};
  if (!s->P) return rv_fail(error, RV_BAD_INPUT, "%s: the position attribute P must be three 32-bit floats", what);
  // Facets, checks of the area, and normals.
  RvResult result = check_positions(s, what, error);
  if (result == RV_OK) result = make_facets(s, prims, error);
  if (result == RV_OK && (flags & RV_SKIN_NEED_AREA) && !s->nfacet)
    result = rv_fail(error, RV_BAD_INPUT, "%s: %s", what,
                     s->nprim ? "no face has any area (are these curves, or faces outside the group?)"
                              : "there are no faces; connect a mesh, or leave the input empty");
  if (result == RV_OK && !isfinite(s->area))
    result = rv_fail(error, RV_BAD_INPUT, "%s: the area is not finite; check the scale of the mesh", what);
  if (result == RV_OK) result = make_normals(s, flags & RV_SKIN_OUTWARD, error);
  if (result != RV_OK) rv_skin_free(s);
  return result;
}

void rv_skin_free(RvSkin* s) {
  rv_free(s->facet_prim);
  rv_free(s->facet_edge);
  rv_free(s->cumulative);
  rv_free(s->normals);
  *s = (RvSkin){0};
}

//---------------------------------------------------------------------------------------------- sites

// Reverses the bits by swaps of single bits, pairs, nibbles and bytes.
static uint32_t reverse_bits(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}

// Sobol's sequence, dimensions 0 to 2, with the direction numbers of the primitive polynomials 1, x + 1 and x^2 + x
// + 1.
static uint32_t sobol_bits(uint32_t index, int dimension) {
  if (dimension == 0) return reverse_bits(index);
  uint32_t result = 0;
  uint32_t older = 1u << 31, old = 3u << 30;  // the last two direction numbers
  for (int i = 0; index; ++i, index >>= 1) {
    // XOR of the direction numbers of the set bits of the index.
    uint32_t direction = i == 0 ? older : old;
    if (index & 1) result ^= direction;
    if (i == 0) continue;
    // Recurrence of the direction numbers, by the polynomial.
    uint32_t next = dimension == 1 ? old ^ old >> 1 : older ^ older >> 2 ^ old;
    older = old;
    old = next;
  }
  return result;
}

// Nested uniform (Owen) scrambling by a hash on reversed bits in which lower bits affect higher ones only; the
// constants are from Burley 2020, "Practical hash-based Owen scrambling".
static uint32_t scramble(uint32_t x, uint32_t seed) {
  x = reverse_bits(x);
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= seed >> 16 | 1;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return reverse_bits(x);
}

double rv_sobol(uint64_t seed, uint64_t stream, uint64_t index, int dimension) {
  RvRandom4 key = rv_random4(seed, stream, UINT64_MAX - (uint64_t)dimension);
  uint32_t bits = scramble(sobol_bits((uint32_t)index, dimension), key.v[0]);
  // Random bits below the 32 bits of Sobol's point give facets smaller than 2^-32 of the area their share. The factor
  // below 1 and the constant of the stream keep the sum below the next point and the bits independent of other uses.
  double fine = rv_random(seed, stream ^ 0x5ca1ab1eull, index, dimension & 1);
  return ((double)bits + fine * (1 - 0x1p-20)) * 0x1p-32;
}

// Inverse transform sampling: x in [0, 1) of density proportional to (1 - x) a + x b, from a uniform r.
static double linear_quantile(double r, double a, double b) {
  double total = a + b;
  if (!(total > 0)) return r;
  // The root of (b - a) x^2 / 2 + a x = r (a + b) / 2, in the form without cancellation.
  double root = sqrt(a * a + (b * b - a * a) * r);
  double x = a + root > 0 ? r * total / (a + root) : r;
  return x < 1 ? x : below_one;
}

RvSite rv_skin_site(const RvSkin* s, uint64_t seed, uint64_t stream, uint64_t index) {
  // One Sobol coordinate runs through the facets by cumulative area, its remainder within the facet; the other runs
  // across the facet. So the even spread of the points in the unit square becomes one on the skin.
  double wanted = rv_sobol(seed, stream, index, 1) * s->area;
  size_t lo = 0, hi = s->nfacet - 1;
  while (lo < hi) {
    size_t middle = (lo + hi) / 2;
    if (s->cumulative[middle] > wanted)
      hi = middle;
    else
      lo = middle + 1;
  }
  int32_t prim = s->facet_prim[lo];
  int32_t edge = s->facet_edge[lo];
  int32_t n = corners(s, prim);
  // Uniform coordinates within the facet.
  double before = lo ? s->cumulative[lo - 1] : 0;
  double r0 = (wanted - before) / (s->cumulative[lo] - before);
  double r1 = rv_sobol(seed, stream, index, 0);
  r0 = r0 < 0 ? 0 : r0 < 1 ? r0 : below_one;
  // Map them to the facet with uniform density: a fan's triangle, a triangle, or a bilinear quad.
  if (edge >= 0) {
    return (RvSite){prim, (edge + r1) / n, 1 - sqrt(1 - r0)};
  }
  if (n == 3) {
    double root = sqrt(r0);
    return (RvSite){prim, root * (1 - r1), root * r1};
  }
  double j00 = quad_jacobian(s, prim, 0, 0), j10 = quad_jacobian(s, prim, 1, 0);
  double j01 = quad_jacobian(s, prim, 0, 1), j11 = quad_jacobian(s, prim, 1, 1);
  double u = linear_quantile(r0, j00 + j01, j10 + j11);
  double v = linear_quantile(r1, j00 + u * (j10 - j00), j01 + u * (j11 - j01));
  return (RvSite){prim, u, v};
}

//---------------------------------------------------------------------------------------------- evaluation

// Interpolation weights of a site: of at most four corners, and of the mean of all corners.
typedef struct Weights {
  int count;
  int32_t corner[MAX_PATCH];
  double weight[MAX_PATCH];
  double mean;  // weight of the mean, of fans only
} Weights;

// Weights of a site by the parametric forms of skin.h.
static Weights site_weights(const RvSkin* s, RvSite p) {
  int32_t n = corners(s, p.prim);
  if (n == 3) return (Weights){3, {0, 1, 2}, {1 - p.u - p.v, p.u, p.v}, 0};
  if (n == 4)
    return (Weights){4, {0, 1, 2, 3}, {(1 - p.u) * (1 - p.v), (1 - p.u) * p.v, p.u * p.v, p.u * (1 - p.v)}, 0};
  double along;
  int32_t edge = fan_edge(n, p.u, &along);
  return (Weights){2, {edge, (edge + 1) % n}, {(1 - p.v) * (1 - along), (1 - p.v) * along}, p.v};
}

// Interpolates an array of three floats per point.
static RvVec3 blend(const RvSkin* s, int32_t prim, const Weights* w, const float* values) {
  RvVec3 sum = {0, 0, 0};
  for (int i = 0; i < w->count; ++i)
    sum = rv_mad(sum, w->weight[i], rv_vec3_load(values + 3 * (size_t)corner_point(s, prim, w->corner[i])));
  int32_t n = corners(s, prim);
  for (int32_t i = 0; w->mean != 0 && i < n; ++i)
    sum = rv_mad(sum, w->mean / n, rv_vec3_load(values + 3 * (size_t)corner_point(s, prim, i)));
  return sum;
}

// Direction of increasing u at a site.
static RvVec3 along_u(const RvSkin* s, RvSite p) {
  int32_t n = corners(s, p.prim);
  double along;
  if (n == 3) return rv_sub(corner(s, p.prim, 1), corner(s, p.prim, 0));
  if (n == 4)
    return rv_lerp(rv_sub(corner(s, p.prim, 3), corner(s, p.prim, 0)),
                   rv_sub(corner(s, p.prim, 2), corner(s, p.prim, 1)), p.v);
  int32_t edge = fan_edge(n, p.u, &along);
  return rv_sub(corner(s, p.prim, (edge + 1) % n), corner(s, p.prim, edge));
}

RvSkinFrame rv_skin_frame(const RvSkin* s, RvSite p) {
  Weights w = site_weights(s, p);
  RvSkinFrame f = {.position = blend(s, p.prim, &w, s->P)};
  RvVec3 flat = rv_normalize(face_normal(s, p.prim), (RvVec3){0, 1, 0});
  f.normal = rv_normalize(blend(s, p.prim, &w, s->normals), flat);
  RvVec3 t = along_u(s, p);
  t = rv_mad(t, -rv_dot(t, f.normal), f.normal);
  f.tangent = rv_normalize(t, rv_perpendicular(f.normal));
  return f;
}

void rv_skin_width(const RvSkin* skin, double* low, double* high) {
  *low = HUGE_VAL;
  *high = -HUGE_VAL;
  for (size_t f = 0; f < skin->nfacet; ++f) {
    int32_t prim = skin->facet_prim[f];
    for (int32_t v = skin->start[prim]; v < skin->start[prim + 1]; ++v) {
      double x = skin->P[3 * (size_t)skin->vertex_point[v]];
      *low = fmin(*low, x);
      *high = fmax(*high, x);
    }
  }
}

double rv_skin_value(const RvSkin* s, RvSite p, const RvAttrib* attrib, int component) {
  Weights w = site_weights(s, p);
  double sum = 0;
  for (int i = 0; i < w.count; ++i)
    sum += w.weight[i] * rv_attrib_get(attrib, (size_t)corner_point(s, p.prim, w.corner[i]), component);
  int32_t n = corners(s, p.prim);
  for (int32_t i = 0; w.mean != 0 && i < n; ++i)
    sum += w.mean / n * rv_attrib_get(attrib, (size_t)corner_point(s, p.prim, i), component);
  return sum;
}
