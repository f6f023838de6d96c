// Curves and their attributes become definitions of strands; what cannot be simulated is left out and counted.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
#include "strand/io.h"

enum { MIN_VERTICES = 3, MAX_VERTICES = 4096 };

const char* rv_strand_fault_text(RvStrandFault fault) {
#define TEXT(name, text) text,
  static const char* const texts[] = {"is fine", RV_STRAND_FAULTS(TEXT)};
#undef TEXT
  return texts[fault];
}

//---------------------------------------------------------------------------------------------- attributes

// a number by attribute: the point's, else the primitive's, else the standard
typedef struct Number {
  const RvAttrib *point, *prim;
  double standard;
} Number;

static const RvAttrib* numeric(const RvDetail* d, RvOwner owner, const char* name, int size) {
  const RvAttrib* a = rv_detail_find(d, owner, name);
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= size ? a : NULL;
}

static Number find_number(const RvDetail* d, const char* name, double standard) {
  return (Number){numeric(d, RV_POINT, name, 1), numeric(d, RV_PRIM, name, 1), standard};
}

static double get(const Number* n, int32_t point, int32_t prim) {
  double value = n->point ? rv_attrib_get(n->point, (size_t)point, 0) : 0;
  if (value == 0 && n->prim) value = rv_attrib_get(n->prim, (size_t)prim, 0);
  return value == 0 ? n->standard : value;
}

typedef struct Reader {
  const RvDetail* d;
  const RvStrandMaterial* material;
  RvStrandSet* set;
  const int32_t *start, *vertex_point, *simulated;
  const float *P, *rest, *orient;
  const double *exact, *kept, *stiffen;  // of a state: places, rest values, what was done to hold the pose
  Number hairradius, density, youngs, shear, damping, stiffness, hairsperguide, ellipse;
  const RvAttrib *point_radius, *prim_radius, *point_width, *prim_width, *id;
  uint8_t* used;  // points
  bool no_rest;   // of the strand that is read
  // the arrays of the set, by vertex and by strand
  double *x, *natural, *radius, *multiplier, *heavier, *damper, *length, *director;
} Reader;

static void find_attributes(Reader* r) {
  const RvDetail* d = r->d;
  const RvStrandMaterial* m = r->material;
  r->start = rv_detail_prim_start(d);
  r->vertex_point = rv_detail_vertex_point(d);
  r->P = rv_detail_f32(d, RV_POINT, "P", 3);
  r->rest = rv_detail_f32(d, RV_POINT, "rest", 3);
  r->orient = rv_detail_f32(d, RV_POINT, "orient", 4);
  r->density = find_number(d, "density", m->density);
  r->youngs = find_number(d, "youngs", m->youngs);
  r->shear = find_number(d, "shear", m->shear);
  r->damping = find_number(d, "damping", m->damping);
  r->stiffness = find_number(d, "stiffness", 1);
  r->ellipse = find_number(d, "ellipse", 1);
  r->hairsperguide = find_number(d, "hairsperguide", m->hairsperguide);
  r->point_radius = numeric(d, RV_POINT, "hairradius", 1);
  r->prim_radius = numeric(d, RV_PRIM, "hairradius", 1);
  if (m->usewidth) {
    r->point_width = numeric(d, RV_POINT, "width", 1);
    r->prim_width = numeric(d, RV_PRIM, "width", 1);
  }
  r->id = numeric(d, RV_PRIM, "id", 1);
}

static double radius_at(const Reader* r, int32_t point, int32_t prim) {
  double half = 0.5 * r->material->metersperunit;
  if (r->point_radius) return rv_attrib_get(r->point_radius, (size_t)point, 0);
  if (r->prim_radius) return rv_attrib_get(r->prim_radius, (size_t)prim, 0);
  if (r->point_width) return half * rv_attrib_get(r->point_width, (size_t)point, 0);
  if (r->prim_width) return half * rv_attrib_get(r->prim_width, (size_t)prim, 0);
  return r->material->hairradius;
}

//---------------------------------------------------------------------------------------------- one strand

static RvVec3 place(const Reader* r, int32_t point) {
  const RvStrandSet* s = r->set;
  RvVec3 x = r->exact ? rv_vec3_load64(r->exact + 3 * (size_t)point)
                      : rv_sub(rv_vec3_load(r->P + 3 * (size_t)point), rv_vec3_load64(s->origin));
  return rv_scale(x, s->metersperunit);
}

// a strand whose points are its own; marks them
static RvStrandFault take_points(Reader* r, size_t prim) {
  int32_t begin = r->start[prim], end = r->start[prim + 1];
  if (end - begin < MIN_VERTICES) return RV_STRAND_SHORT;
  if (end - begin > MAX_VERTICES) return RV_STRAND_LONG;
  for (int32_t v = begin; v < end; ++v) {
    if (!r->used[r->vertex_point[v]]++) continue;
    for (int32_t w = begin; w <= v; ++w) r->used[r->vertex_point[w]]--;
    return RV_STRAND_SHARED;
  }
  return RV_STRAND_FINE;
}

// a tip may taper to nothing, which has no stiffness: a tenth of the largest radius is kept
static RvStrandFault read_radii(Reader* r, int32_t prim, size_t at, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double radius = radius_at(r, r->set->point[at + (size_t)i], prim);
    if (!(radius >= 0 && radius <= 10)) return RV_STRAND_RADIUS;
    r->radius[at + (size_t)i] = radius;
    largest = fmax(largest, radius);
  }
  // hundredths of a micrometre are no hair, and weigh nothing
  if (!(largest >= 1e-8)) return RV_STRAND_RADIUS;
  for (int i = 0; i < n; ++i) r->radius[at + (size_t)i] = fmax(r->radius[at + (size_t)i], 0.1 * largest);
  return RV_STRAND_FINE;
}

static RvStrandFault read_material(Reader* r, int32_t prim, size_t at, RvStrandDef* d) {
  double density = 0, youngs = 0, shear = 0, damping = 0;
  int n = d->vertices;
  for (int i = 0; i < n; ++i) {
    int32_t point = r->set->point[at + (size_t)i];
    density += r->heavier[at + (size_t)i] = get(&r->density, point, prim);
    damping += r->damper[at + (size_t)i] = get(&r->damping, point, prim);
    double modulus = get(&r->youngs, point, prim);
    youngs += modulus;
    shear += get(&r->shear, point, prim);
    double stiffness = r->material->stiffness * get(&r->stiffness, point, prim) * (r->stiffen ? r->stiffen[prim] : 1);
    r->multiplier[at + (size_t)i] = stiffness * modulus;
    if (!(stiffness * modulus > 0) || !(r->heavier[at + (size_t)i] > 0) || !(r->damper[at + (size_t)i] >= 0))
      return RV_STRAND_MATERIAL;
  }
  d->density = density / n;
  d->youngs = youngs / n;
  d->shear = shear / n;
  d->viscosity = damping / n;
  d->multiple = get(&r->hairsperguide, r->set->point[at], prim);
  d->ellipse = get(&r->ellipse, r->set->point[at], prim);
  for (int i = 0; i < n; ++i) {
    // along a strand bending and twisting both follow youngs; shear is the strand's
    r->multiplier[at + (size_t)i] /= d->youngs;
    r->heavier[at + (size_t)i] /= d->density;
    r->damper[at + (size_t)i] = d->viscosity > 0 ? r->damper[at + (size_t)i] / d->viscosity : 1;
  }
  return d->youngs > 0 && d->shear > 0 && isfinite(d->youngs + d->shear + d->density + d->viscosity) &&
                 d->multiple >= 1e-6 && d->multiple <= 1e9 && d->ellipse >= 0.05 && d->ellipse <= 20
             ? RV_STRAND_FINE
             : RV_STRAND_MATERIAL;
}

// m: shorter edges than a micrometre are no hair, and their stiffness would drown all else
static const double SHORTEST = 1e-6;

static RvStrandFault check_shape(const double* x, int n, double least) {
  for (int i = 0; i < 3 * n; ++i)
    if (!isfinite(x[i]) || fabs(x[i]) > 1e10) return RV_STRAND_NUMBER;
  for (int i = 0; i + 1 < n; ++i)
    if (!(rv_distance(rv_vec3_load64(x + 3 * i), rv_vec3_load64(x + 3 * i + 3)) > least)) return RV_STRAND_COINCIDENT;
  return RV_STRAND_FINE;
}

// The natural shape turned so that its first edge lies along the pose's and the rest of it as near as it can: then one
// director serves both, and a strand that was moved as a whole has no strain.
static void align(double* rest, const double* x, int n) {
  RvVec3 root = rv_vec3_load64(rest), to = rv_vec3_load64(x), up = rv_vec3(0, 1, 0);
  RvVec3 a = rv_normalize(rv_sub(rv_vec3_load64(rest + 3), root), up);
  RvVec3 t = rv_normalize(rv_sub(rv_vec3_load64(x + 3), to), up);
  RvQuat q = rv_quat_between(a, t);
  double along = 0, across = 0;
  for (int i = 2; i < n; ++i) {
    RvVec3 p = rv_quat_rotate(q, rv_sub(rv_vec3_load64(rest + 3 * i), root));
    RvVec3 o = rv_sub(rv_vec3_load64(x + 3 * i), to);
    p = rv_mad(p, -rv_dot(p, t), t);
    o = rv_mad(o, -rv_dot(o, t), t);
    along += rv_dot(p, o);
    across += rv_dot(t, rv_cross(p, o));
  }
  // half of the angle whose cosine and sine these are
  double size = sqrt(along * along + across * across);
  if (size > 0) {
    double c = sqrt(fmax(0.5 * (1 + along / size), 0)), s = copysign(sqrt(fmax(0.5 * (1 - along / size), 0)), across);
    q = rv_quat_mul((RvQuat){t.x * s, t.y * s, t.z * s, c}, q);
  }
  for (int i = 0; i < n; ++i)
    rv_vec3_store64(rest + 3 * i, rv_add(to, rv_quat_rotate(q, rv_sub(rv_vec3_load64(rest + 3 * i), root))));
}

static RvStrandFault read_shape(Reader* r, size_t at, size_t strand, RvStrandDef* d) {
  int n = d->vertices;
  double *x = r->x + 3 * at, *natural = r->natural + 3 * at;
  for (int i = 0; i < n; ++i) {
    size_t p = (size_t)r->set->point[at + (size_t)i];
    rv_vec3_store64(x + 3 * i, place(r, (int32_t)p));
    if (r->kept) r->length[at + (size_t)i] = r->kept[7 * p + 1];
    if (r->rest && !r->kept)
      rv_vec3_store64(natural + 3 * i, rv_scale(rv_vec3_load(r->rest + 3 * p), r->set->metersperunit));
  }
  d->x = x;
  // what was simulated may have been crushed; left out, its film would be lost with it
  RvStrandFault fault = check_shape(x, n, r->kept ? 0 : SHORTEST);
  if (!fault && r->rest && !r->kept) {
    if (check_shape(natural, n, SHORTEST) == RV_STRAND_FINE) {
      align(natural, x, n);
      d->rest = natural;
    } else {
      r->no_rest = true;
    }
  }
  const double* shape = d->rest ? d->rest : x;
  for (int i = 0; i + 1 < n && !r->kept; ++i)
    r->length[at + (size_t)i] = rv_distance(rv_vec3_load64(shape + 3 * i), rv_vec3_load64(shape + 3 * i + 3));
  d->length = r->length + at;
  const float* o = r->orient ? r->orient + 4 * (size_t)r->set->point[at] : NULL;
  if (o && isfinite(o[0] + o[1] + o[2] + o[3])) {
    RvQuat q = rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
    rv_vec3_store64(r->director + 3 * strand, rv_quat_rotate(q, rv_vec3(1, 0, 0)));
    d->director = r->director + 3 * strand;
  }
  return fault;
}

static RvStrandFault read_strand(Reader* r, size_t prim) {
  RvStrandSet* s = r->set;
  RvStrandFault fault = take_points(r, prim);
  if (fault) return fault;
  r->no_rest = false;
  size_t at = s->vertices;
  int n = r->start[prim + 1] - r->start[prim];
  memcpy(s->point + at, r->vertex_point + r->start[prim], (size_t)n * sizeof *s->point);
  RvStrandDef* d = &s->defs[s->count];
  *d = (RvStrandDef){.vertices = n,
                     .radius = r->radius + at,
                     .stiffness = r->multiplier + at,
                     .heavier = r->heavier + at,
                     .damper = r->damper + at,
                     .id = r->id ? (int64_t)rv_attrib_get(r->id, prim, 0) : (int64_t)prim};
  fault = read_shape(r, at, s->count, d);
  if (!fault) fault = read_radii(r, (int32_t)prim, at, n);
  if (!fault) fault = read_material(r, (int32_t)prim, at, d);
  if (fault) {
    for (int i = 0; i < n; ++i) r->used[s->point[at + (size_t)i]]--;
    return fault;
  }
  if (r->no_rest && !s->bad_rest++) s->bad_rest_prim = (int32_t)prim;
  s->prim[s->count] = (int32_t)prim;
  s->first[s->count] = (int32_t)at;
  s->vertices += (size_t)n;
  s->first[++s->count] = (int32_t)s->vertices;
  return RV_STRAND_FINE;
}

//---------------------------------------------------------------------------------------------- all

void rv_strands_origin(const RvDetail* detail, double origin[3]) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  const float* P = rv_detail_f32(detail, RV_POINT, "P", 3);
  const int32_t *start = rv_detail_prim_start(detail), *point = rv_detail_vertex_point(detail);
  for (size_t i = 0; P && i < rv_detail_count(detail, RV_PRIM); ++i) {
    if (rv_detail_prim_type(detail, i) != RV_PRIM_CURVE || start[i + 1] == start[i]) continue;
    const float* p = P + 3 * (size_t)point[start[i]];
    if (!isfinite(p[0] + p[1] + p[2])) continue;
    for (int c = 0; c < 3; ++c) {
      lo[c] = fmin(lo[c], p[c]);
      hi[c] = fmax(hi[c], p[c]);
    }
  }
  for (int c = 0; c < 3; ++c) origin[c] = lo[c] <= hi[c] ? 0.5 * (lo[c] + hi[c]) : 0;
}

static bool take_memory(Reader* r, size_t prims, size_t vertices) {
  RvStrandSet* s = r->set;
  s->prim = rv_alloc(prims, sizeof *s->prim);
  s->first = rv_alloc_zero(prims + 1, sizeof *s->first);
  s->point = rv_alloc(vertices, sizeof *s->point);
  s->defs = rv_alloc(prims, sizeof *s->defs);
  s->numbers = rv_alloc(11 * vertices + 3 * prims, sizeof(double));
  r->used = rv_alloc_zero(rv_detail_count(r->d, RV_POINT), 1);
  if (!s->prim || !s->first || !s->point || !s->defs || !s->numbers || !r->used) return false;
  double* next = s->numbers;
  r->x = next;
  r->natural = next + 3 * vertices;
  r->radius = next + 6 * vertices;
  r->multiplier = next + 7 * vertices;
  r->heavier = next + 8 * vertices;
  r->damper = next + 9 * vertices;
  r->length = next + 10 * vertices;
  r->director = next + 11 * vertices;
  return true;
}

RvResult rv_strands_read(const RvDetail* detail, const RvStrandMaterial* material, const double origin[3], bool state,
                         RvStrandSet* out, RvError* error) {
  *out = (RvStrandSet){.metersperunit = material->metersperunit};
  memcpy(out->origin, origin, sizeof out->origin);
  Reader r = {.d = detail, .material = material, .set = out};
  find_attributes(&r);
  if (!r.P) return rv_fail(error, RV_BAD_INPUT, "the strands have no positions P of 32-bit floats");
  if (state) {
    r.exact = rv_detail_f64(detail, RV_POINT, "rv_x", 3);
    r.kept = rv_detail_f64(detail, RV_POINT, "rv_rest", 7);
    r.stiffen = rv_detail_f64(detail, RV_PRIM, "rv_stiffen", 1);
    r.simulated = rv_detail_i32(detail, RV_PRIM, "rv_simulated", 1);
  }
  size_t prims = rv_detail_count(detail, RV_PRIM);
  RvResult result = RV_OK;
  if (!take_memory(&r, prims, rv_detail_count(detail, RV_VERTEX)))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", prims);
  for (size_t i = 0; !result && i < prims; ++i) {
    if (rv_detail_prim_type(detail, i) != RV_PRIM_CURVE || (r.simulated && r.simulated[i] != 1)) continue;
    RvStrandFault fault = read_strand(&r, i);
    if (fault && !out->faults[fault]++) out->fault_prim[fault] = (int32_t)i;
  }
  rv_free(r.used);
  if (result) rv_strands_free(out);
  return result;
}

void rv_strands_free(RvStrandSet* set) {
  rv_free(set->prim);
  rv_free(set->first);
  rv_free(set->point);
  rv_free(set->defs);
  rv_free(set->numbers);
  *set = (RvStrandSet){0};
}

RvResult rv_strands_from_defs(const RvStrandDef* defs, size_t count, RvStrandSet* out, RvError* error) {
  *out = (RvStrandSet){.count = count, .metersperunit = 1};
  for (size_t k = 0; k < count; ++k) out->vertices += (size_t)defs[k].vertices;
  out->prim = rv_alloc(count, sizeof *out->prim);
  out->first = rv_alloc(count + 1, sizeof *out->first);
  out->point = rv_alloc(out->vertices, sizeof *out->point);
  out->defs = rv_alloc(count, sizeof *out->defs);
  if (!out->prim || !out->first || !out->point || !out->defs || out->vertices > INT32_MAX) {
    rv_strands_free(out);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", count);
  }
  out->first[0] = 0;
  for (size_t k = 0; k < count; ++k) {
    out->defs[k] = defs[k];
    out->prim[k] = (int32_t)k;
    out->first[k + 1] = out->first[k] + defs[k].vertices;
  }
  for (size_t i = 0; i < out->vertices; ++i) out->point[i] = (int32_t)i;
  return RV_OK;
}
