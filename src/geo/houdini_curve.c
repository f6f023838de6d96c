// NURBS and Bezier curves of a Houdini file become open polygons: each span is sampled at four equal steps of its
// parameter (one where the curve is linear). Attributes of reals are interpolated with the weights of the position; all
// others come from the control vertex with the largest weight.
// Basis functions by the Cox-de Boor recurrence: Piegl and Tiller, The NURBS Book, 2nd edition, A2.2.
#include <math.h>
#include <string.h>

#include "geo/half.h"
#include "geo/houdini_read.h"

enum {
  SEGMENTS = 4,    // of a sampled span
  MAX_ORDER = 32,  // of a curve; houdini_prims.c admits no higher one
  // Memory charged for a sample: vertex and weight of each column, and the new point and vertex.
  COLUMN_BYTES = sizeof(int32_t) + sizeof(double),
  SAMPLE_BYTES = 64,
};

// The samples of all curves. Each is a weighted sum of control vertices: a row of `width` vertices and weights.
typedef struct Samples {
  RV_ARRAY(int32_t) vertex;   // control vertices of the old detail, `width` a sample
  RV_ARRAY(double) weight;    // their weights, which sum to 1; unused columns have weight 0
  RV_ARRAY(int32_t) nearest;  // the control vertex with the largest weight
  size_t width;               // the largest order of all curves
  size_t* budget;             // bytes that may still be used
} Samples;

// Appends a sample of `order` control vertices, from number `from` of the curve on (cyclic), with the given weights.
// `rational` is the weight of each point of a rational curve, or NULL. False when out of memory or budget.
static bool add_sample(Samples* samples, int32_t first, size_t ncontrol, size_t from, int order, const double* weights,
                       const float* rational, const int32_t* vertex_point) {
  size_t bytes = samples->width * COLUMN_BYTES + SAMPLE_BYTES;
  if (*samples->budget < bytes) return false;
  *samples->budget -= bytes;
  size_t row = samples->vertex.count;
  if (!rv_array_resize(&samples->vertex, row + samples->width) ||
      !rv_array_resize(&samples->weight, row + samples->width))
    return false;
  // Weights, multiplied by the rational ones.
  double sum = 0;
  double largest = -INFINITY;
  int32_t nearest = first;
  for (size_t k = 0; k < samples->width; ++k) {
    int32_t vertex = first + (int32_t)((from + (k < (size_t)order ? k : 0)) % ncontrol);
    double weight = k < (size_t)order ? weights[k] : 0;
    if (rational && k < (size_t)order) weight *= (double)rational[vertex_point[vertex]];
    samples->vertex.data[row + k] = vertex;
    samples->weight.data[row + k] = weight;
    sum += weight;
    if (weight > largest) {
      largest = weight;
      nearest = vertex;
    }
  }
  // Normalise them, where that is possible.
  for (size_t k = 0; k < samples->width && sum != 0 && isfinite(sum); ++k) samples->weight.data[row + k] /= sum;
  return rv_array_push(&samples->nearest, nearest);
}

//---------------------------------------------------------------------------------------------- bases

// The degree + 1 basis functions that are not 0 in [knot[span], knot[span + 1]) at parameter u.
static void basis_functions(const double* knot, size_t span, double u, int degree, double* out) {
  double left[MAX_ORDER], right[MAX_ORDER];
  out[0] = 1;
  // Raise the degree by one each time, from the functions of degree j - 1 to those of degree j.
  for (int j = 1; j <= degree; ++j) {
    left[j] = u - knot[span + 1 - (size_t)j];
    right[j] = knot[span + (size_t)j] - u;
    double saved = 0;
    for (int r = 0; r < j; ++r) {
      double width = right[r + 1] + left[j - r];
      double term = width != 0 ? out[r] / width : 0;
      out[r] = saved + right[r + 1] * term;
      saved = left[j - r] * term;
    }
    out[j] = saved;
  }
}

// The file's knots if they have the right number and do not decrease, else uniform ones, clamped for an open curve.
// Free with rv_free; NULL when out of memory.
static double* make_knots(const RvHouCurve* curve, size_t ncontrol) {
  size_t order = (size_t)curve->order;
  size_t count = ncontrol + order;
  double* knots = rv_alloc(count, sizeof *knots);
  bool good = curve->knots.count == count;
  // The file's knots.
  for (size_t i = 0; knots && good && i < count; ++i) {
    knots[i] = rv_numbers_f64(&curve->knots, i);
    good = isfinite(knots[i]) && (!i || knots[i] >= knots[i - 1]);
  }
  // Uniform knots; an open curve repeats the first and last one `order` times.
  for (size_t i = 0; knots && !good && i < count; ++i) {
    size_t clamped = i < order ? 0 : i > ncontrol ? ncontrol - order + 1 : i - order + 1;
    knots[i] = curve->closed ? (double)i : (double)clamped;
  }
  return knots;
}

// Samples a NURBS curve of n control vertices from `first` on. A closed curve repeats its first control vertices.
static bool sample_nurbs(Samples* samples, const RvHouCurve* curve, int32_t first, size_t n, const float* rational,
                         const int32_t* vertex_point) {
  size_t degree = (size_t)curve->order - 1;
  size_t control = curve->closed ? n + degree : n;
  size_t last = 0;
  int steps = degree > 1 ? SEGMENTS : 1;
  double weights[MAX_ORDER];
  double* knot = make_knots(curve, control);
  bool good = knot != NULL;
  bool any = false;
  // Equal steps within every span of positive length, its end not included.
  for (size_t span = degree; good && span < control; ++span) {
    double begin = knot[span];
    double width = knot[span + 1] - begin;
    if (!(width > 0)) continue;
    any = true;
    last = span;
    for (int s = 0; s < steps && good; ++s) {
      basis_functions(knot, span, begin + width * s / steps, (int)degree, weights);
      good = add_sample(samples, first, n, span - degree, curve->order, weights, rational, vertex_point);
    }
  }
  // The end of the last span; a closed curve ends at its first sample.
  if (good && any && !curve->closed) {
    basis_functions(knot, last, knot[last + 1], (int)degree, weights);
    good = add_sample(samples, first, n, last - degree, curve->order, weights, rational, vertex_point);
  }
  rv_free(knot);
  return good;
}

// The degree + 1 Bernstein polynomials at t (de Casteljau).
static void bernstein(double t, int degree, double* out) {
  out[0] = 1;
  // Raise the degree by one each time.
  for (int j = 1; j <= degree; ++j) {
    double saved = 0;
    for (int r = 0; r < j; ++r) {
      double value = out[r];
      out[r] = saved + (1 - t) * value;
      saved = t * value;
    }
    out[j] = saved;
  }
}

// Samples a Bezier curve; consecutive spans share a control vertex.
static bool sample_bezier(Samples* samples, const RvHouCurve* curve, int32_t first, size_t n, const float* rational,
                          const int32_t* vertex_point) {
  size_t degree = (size_t)curve->order - 1;
  size_t spans = curve->closed ? n / degree : (n - 1) / degree;
  int steps = degree > 1 ? SEGMENTS : 1;
  double weights[MAX_ORDER];
  bool good = true;
  // Equal steps within every span, its end not included; the last end follows.
  for (size_t span = 0; good && span < spans; ++span)
    for (int s = 0; s < steps && good; ++s) {
      bernstein((double)s / steps, (int)degree, weights);
      good = add_sample(samples, first, n, span * degree, curve->order, weights, rational, vertex_point);
    }
  if (good && !curve->closed) {
    bernstein(1, (int)degree, weights);
    good = add_sample(samples, first, n, (spans - 1) * degree, curve->order, weights, rational, vertex_point);
  }
  return good;
}

//---------------------------------------------------------------------------------------------- the new detail

// The new detail while it is built.
typedef struct Rebuild {
  const RvDetail* old;
  Samples samples;
  RV_ARRAY(int32_t) vertex_point;  // point of each new vertex; points beyond the old ones are samples
  RV_ARRAY(int32_t) vertex_from;   // old vertex of each new vertex, or -1 - sample
  RV_ARRAY(int32_t) start;         // first vertex of each primitive, and the end
} Rebuild;

// Appends a vertex. False when out of memory.
static bool add_vertex(Rebuild* r, int32_t point, int32_t from) {
  return rv_array_push(&r->vertex_point, point) && rv_array_push(&r->vertex_from, from);
}

// Samples all curves and lists the vertices of all primitives anew. False when out of memory or over the limit.
static bool rebuild_prims(Rebuild* r, const RvHouCurve* curves, size_t ncurve) {
  const int32_t* start = rv_detail_prim_start(r->old);
  const int32_t* points = rv_detail_vertex_point(r->old);
  const float* rational = rv_detail_f32(r->old, RV_POINT, "Pw", 1);
  size_t nprim = rv_detail_count(r->old, RV_PRIM);
  size_t next = 0;
  int32_t npoint = (int32_t)rv_detail_count(r->old, RV_POINT);
  if (!rv_array_push(&r->start, 0)) return false;
  for (size_t p = 0; p < nprim; ++p) {
    // Sample a curve; other primitives, and curves without spans, keep their vertices.
    size_t before = r->samples.nearest.count;
    const RvHouCurve* curve = next < ncurve && curves[next].prim == p ? &curves[next++] : NULL;
    size_t n = (size_t)(start[p + 1] - start[p]);
    if (curve && !(curve->bezier ? sample_bezier : sample_nurbs)(&r->samples, curve, start[p], n, rational, points))
      return false;
    size_t sample_count = r->samples.nearest.count - before;
    // Samples become points and vertices, whose numbers must stay below the limit.
    if (sample_count > (size_t)(RV_GEO_MAX_COUNT - npoint) / 2 - before) return false;
    for (size_t s = before; s < before + sample_count; ++s)
      if (!add_vertex(r, npoint + (int32_t)s, -1 - (int32_t)s)) return false;
    // A closed curve ends with its first point again.
    if (sample_count && curve->closed && !add_vertex(r, npoint + (int32_t)before, -1 - (int32_t)before)) return false;
    for (int32_t v = start[p]; !sample_count && v < start[p + 1]; ++v)
      if (!add_vertex(r, points[v], v)) return false;
    if (!rv_array_push(&r->start, (int32_t)r->vertex_point.count)) return false;
  }
  return true;
}

// One component of an attribute at a sample: the weighted sum over its control vertices.
static double interpolated(const Rebuild* r, const RvAttrib* attrib, size_t sample, int component, bool by_point) {
  const int32_t* points = rv_detail_vertex_point(r->old);
  double sum = 0;
  for (size_t k = 0; k < r->samples.width; ++k) {
    double weight = r->samples.weight.data[sample * r->samples.width + k];
    int32_t vertex = r->samples.vertex.data[sample * r->samples.width + k];
    if (weight != 0) sum += weight * rv_attrib_get(attrib, (size_t)(by_point ? points[vertex] : vertex), component);
  }
  return sum;
}

// Writes a real in one of the three real storages.
static void store_real(RvStorage storage, uint8_t* out, double value) {
  float single = (float)value;
  uint16_t half = rv_half_from_float(single);
  if (storage == RV_F64) memcpy(out, &value, 8);
  if (storage == RV_F32) memcpy(out, &single, 4);
  if (storage == RV_F16) memcpy(out, &half, 2);
}

// Overwrites the reals at the samples, which came from the nearest control vertex, with interpolated ones.
static RvResult interpolate(Rebuild* r, RvDetail* detail, RvOwner owner, RvError* error) {
  size_t npoint = rv_detail_count(r->old, RV_POINT);
  for (size_t a = 0; a < rv_detail_attrib_count(r->old, owner); ++a) {
    const RvAttrib* from = rv_detail_attrib(r->old, owner, a);
    RvStorage storage = rv_attrib_storage(from);
    if (storage != RV_F16 && storage != RV_F32 && storage != RV_F64) continue;
    uint8_t* out = rv_attrib_write(rv_detail_find_mutable(detail, owner, rv_attrib_name(from)));
    if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    // The samples are the points beyond the old ones, and the vertices that come from a sample.
    size_t bytes = rv_storage_bytes(storage);
    size_t size = (size_t)rv_attrib_size(from);
    size_t count = owner == RV_POINT ? r->samples.nearest.count : r->vertex_from.count;
    for (size_t i = 0; i < count; ++i) {
      if (owner == RV_VERTEX && r->vertex_from.data[i] >= 0) continue;
      size_t sample = owner == RV_POINT ? i : (size_t)(-1 - r->vertex_from.data[i]);
      size_t element = owner == RV_POINT ? npoint + i : i;
      for (size_t c = 0; c < size; ++c)
        store_real(storage, out + (element * size + c) * bytes,
                   interpolated(r, from, sample, (int)c, owner == RV_POINT));
    }
  }
  return RV_OK;
}

// Copies every attribute and group: old elements from themselves, samples from their nearest control vertex, whose
// reals are then interpolated.
static RvResult gather_all(Rebuild* r, RvDetail* detail, RvError* error) {
  const int32_t* points = rv_detail_vertex_point(r->old);
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    size_t count = rv_detail_count(detail, (RvOwner)owner);
    size_t npoint = rv_detail_count(r->old, RV_POINT);
    int32_t* index = rv_alloc(count, sizeof *index);
    if (!index) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    // Source of each element.
    for (size_t i = 0; i < count; ++i) {
      index[i] = (int32_t)i;
      if (owner == RV_POINT && i >= npoint) index[i] = points[r->samples.nearest.data[i - npoint]];
      if (owner == RV_VERTEX) {
        int32_t from = r->vertex_from.data[i];
        index[i] = from >= 0 ? from : r->samples.nearest.data[-1 - from];
      }
    }
    RvResult result = rv_detail_gather(detail, (RvOwner)owner, 0, count, r->old, index, NULL, error);
    rv_free(index);
    if (!result && (owner == RV_POINT || owner == RV_VERTEX)) result = interpolate(r, detail, (RvOwner)owner, error);
    if (result) return result;
  }
  return RV_OK;
}

// Removes the control points that no primitive uses any more.
static RvResult remove_control_points(Rebuild* r, RvDetail* detail, const RvHouCurve* curves, size_t ncurve,
                                      RvError* error) {
  const int32_t* start = rv_detail_prim_start(r->old);
  const int32_t* old_points = rv_detail_vertex_point(r->old);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  uint8_t* keep = rv_alloc(npoint, 1);
  if (!keep) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(keep, 1, npoint);
  for (size_t i = 0; i < ncurve; ++i)
    for (int32_t v = start[curves[i].prim]; v < start[curves[i].prim + 1]; ++v) keep[old_points[v]] = 0;
  // A control point that another primitive uses stays.
  const int32_t* points = rv_detail_vertex_point(detail);
  for (size_t v = 0; v < rv_detail_count(detail, RV_VERTEX); ++v) keep[points[v]] = 1;
  RvResult result = rv_detail_keep(detail, keep, NULL, false, error);
  rv_free(keep);
  return result;
}

RvResult rv_hou_sample_curves(RvDetail** detail, const RvHouCurve* curves, size_t count, size_t* budget,
                              RvError* error) {
  Rebuild r = {.old = *detail, .samples = {.budget = budget}};
  for (size_t i = 0; i < count; ++i)
    if ((size_t)curves[i].order > r.samples.width) r.samples.width = (size_t)curves[i].order;
  // Sample the curves and build a new detail.
  RvDetail* fresh = rv_detail_new();
  RvResult result = RV_OK;
  size_t nprim = rv_detail_count(*detail, RV_PRIM);
  uint8_t* types = rv_alloc(nprim, 1);
  if (!fresh || !types || !rebuild_prims(&r, curves, count))
    result =
        rv_fail(error, RV_LIMIT,
                "the curves of the file need more points than the limit of a file of this size or the memory allows");
  for (size_t i = 0; !result && i < nprim; ++i) types[i] = (uint8_t)rv_detail_prim_type(*detail, i);
  // rv_detail_set_topology takes the arrays.
  if (!result) {
    result = rv_detail_set_topology(fresh, rv_detail_count(*detail, RV_POINT) + r.samples.nearest.count,
                                    r.vertex_point.count, nprim, r.vertex_point.data, r.start.data, types, error);
    memset(&r.vertex_point, 0, sizeof r.vertex_point);
    memset(&r.start, 0, sizeof r.start);
    types = NULL;
  }
  // Values, then cleaning up.
  if (!result) result = gather_all(&r, fresh, error);
  if (!result) result = remove_control_points(&r, fresh, curves, count, error);
  if (!result) {
    rv_detail_free(*detail);
    *detail = fresh;
    fresh = NULL;
  }
  rv_detail_free(fresh);
  rv_free(types);
  rv_array_free(&r.samples.vertex);
  rv_array_free(&r.samples.weight);
  rv_array_free(&r.samples.nearest);
  rv_array_free(&r.vertex_point);
  rv_array_free(&r.vertex_from);
  rv_array_free(&r.start);
  return result;
}
