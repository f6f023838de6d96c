// Reads strand definitions from curves and their attributes. Strands that cannot be simulated are left out and counted
// by reason (RvStrandFault).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geo/detail_hash.h"
#include "math/vec.h"
#include "strand/io.h"

// Smallest and largest number of vertices of a strand; the texts of the faults name both.
enum { MIN_VERTICES = 3, MAX_VERTICES = 4096 };
// Bounds that the texts of the faults name.
static const double MAX_RADIUS = 10;        // m
static const double MIN_RADIUS = 1e-8;      // m: thinner strands have no mass to speak of
static const double MAX_COORDINATE = 1e10;  // m
static const double MIN_EDGE = 1e-6;        // m: the stiffness of shorter edges would dominate the solve
static const double MIN_ELLIPSE = 0.05;     // ratio of the cross-section's axes
static const double MAX_ELLIPSE = 20;
static const double MIN_HAIRS_PER_GUIDE = 1e-6;
static const double MAX_HAIRS_PER_GUIDE = 1e9;
// Smallest radius of a vertex over the strand's largest: a tip that tapers to 0 would have no stiffness.
static const double MIN_TAPER = 0.1;

const char* rv_strand_fault_text(RvStrandFault fault) {
#define TEXT(name, text) text,
  static const char* const texts[] = {"is fine", RV_STRAND_FAULTS(TEXT)};
#undef TEXT
  return texts[fault];
}

//---------------------------------------------------------------------------------------------- attributes

// A number by attribute: the point's, else the primitive's, else the default. 0 means not given.
typedef struct Number {
  const RvAttrib *point, *prim;
  double standard;
} Number;

// A numeric attribute of at least `size` components, or NULL.
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
  const int32_t *start, *vertex_point;  // topology of the detail
  const float *P, *rest, *orient;       // attributes of the input
  // attributes of a state, NULL at the start: rv_x, rv_naturallength, rv_stiffen, rv_simulated
  const double *exact, *natural_length, *stiffen;
  const int32_t* simulated;
  Number density, youngs, shear, damping, stiffness, hairsperguide, ellipse;
  const RvAttrib *point_radius, *prim_radius, *point_width, *prim_width, *id;
  uint8_t* used;      // [points] 1: a strand has the point
  bool rest_refused;  // the `rest` of the current strand is unusable
  // arrays of the set: positions, natural shape (m), radius (m), factors of stiffness, mass and damping, edge lengths
  // (m)
  double *x, *natural, *radius, *multiplier, *heavier, *damper, *length;  // by vertex
  double* director;                                                       // [strands][3] material director at the root
} Reader;

// Looks up every attribute that the strands may have.
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

// Radius of a vertex, m: hairradius, else half of `width` where the artist asked for it, else the default.
static double radius_at(const Reader* r, int32_t point, int32_t prim) {
  double meters = r->material->metersperunit, half = 0.5 * meters;
  if (r->point_radius) return meters * rv_attrib_get(r->point_radius, (size_t)point, 0);
  if (r->prim_radius) return meters * rv_attrib_get(r->prim_radius, (size_t)prim, 0);
  if (r->point_width) return half * rv_attrib_get(r->point_width, (size_t)point, 0);
  if (r->prim_width) return half * rv_attrib_get(r->prim_width, (size_t)prim, 0);
  return r->material->hairradius;
}

//---------------------------------------------------------------------------------------------- one strand

// Position of a point relative to the origin, m.
static RvVec3 position_of(const Reader* r, int32_t point) {
  const RvStrandSet* s = r->set;
  RvVec3 x = r->exact ? rv_vec3_load64(r->exact + 3 * (size_t)point)
                      : rv_sub(rv_vec3_load(r->P + 3 * (size_t)point), rv_vec3_load64(s->origin));
  return rv_scale(x, s->metersperunit);
}

// Checks the number of points and that no other strand uses them, and marks them as used.
static RvStrandFault claim_points(Reader* r, size_t prim) {
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

// Radii of a strand's vertices, at least MIN_TAPER of the largest.
static RvStrandFault read_radii(Reader* r, int32_t prim, size_t at, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    double radius = radius_at(r, r->set->point[at + (size_t)i], prim);
    if (!(radius >= 0 && radius <= MAX_RADIUS)) return RV_STRAND_RADIUS;
    r->radius[at + (size_t)i] = radius;
    largest = fmax(largest, radius);
  }
  if (!(largest >= MIN_RADIUS)) return RV_STRAND_RADIUS;
  for (int i = 0; i < n; ++i) r->radius[at + (size_t)i] = fmax(r->radius[at + (size_t)i], MIN_TAPER * largest);
  return RV_STRAND_FINE;
}

// Whether the material of a whole strand lies within the bounds.
static bool material_is_usable(const RvStrandDef* d) {
  return d->youngs > 0 && d->shear > 0 && isfinite(d->youngs + d->shear + d->density + d->viscosity) &&
         d->multiple >= MIN_HAIRS_PER_GUIDE && d->multiple <= MAX_HAIRS_PER_GUIDE && d->ellipse >= MIN_ELLIPSE &&
         d->ellipse <= MAX_ELLIPSE;
}

// Material of a strand: means over its vertices, and each vertex's factors relative to them.
static RvStrandFault read_material(Reader* r, int32_t prim, size_t at, RvStrandDef* d) {
  double density = 0, youngs = 0, shear = 0, damping = 0;
  int n = d->vertices;
  // Values of the vertices, and their sums.
  for (int i = 0; i < n; ++i) {
    int32_t point = r->set->point[at + (size_t)i];
    r->heavier[at + (size_t)i] = get(&r->density, point, prim);
    r->damper[at + (size_t)i] = get(&r->damping, point, prim);
    density += r->heavier[at + (size_t)i];
    damping += r->damper[at + (size_t)i];
    double modulus = get(&r->youngs, point, prim);
    youngs += modulus;
    shear += get(&r->shear, point, prim);
    double stiffness = r->material->stiffness * get(&r->stiffness, point, prim) * (r->stiffen ? r->stiffen[prim] : 1);
    r->multiplier[at + (size_t)i] = stiffness * modulus;
    if (!(stiffness * modulus > 0) || !(r->heavier[at + (size_t)i] > 0) || !(r->damper[at + (size_t)i] >= 0))
      return RV_STRAND_MATERIAL;
  }
  // Means of the strand.
  d->density = density / n;
  d->youngs = youngs / n;
  d->shear = shear / n;
  d->viscosity = damping / n;
  d->multiple = get(&r->hairsperguide, r->set->point[at], prim);
  d->ellipse = get(&r->ellipse, r->set->point[at], prim);
  // Factors of the vertices. Bending and twisting stiffness both vary with youngs; shear is constant along a strand.
  for (int i = 0; i < n; ++i) {
    r->multiplier[at + (size_t)i] /= d->youngs;
    r->heavier[at + (size_t)i] /= d->density;
    r->damper[at + (size_t)i] = d->viscosity > 0 ? r->damper[at + (size_t)i] / d->viscosity : 1;
  }
  return material_is_usable(d) ? RV_STRAND_FINE : RV_STRAND_MATERIAL;
}

// Checks that coordinates are finite and edges longer than `min_edge`.
static RvStrandFault check_shape(const double* x, int n, double min_edge) {
  for (int i = 0; i < 3 * n; ++i)
    if (!isfinite(x[i]) || fabs(x[i]) > MAX_COORDINATE) return RV_STRAND_NUMBER;
  for (int i = 0; i + 1 < n; ++i)
    if (!(rv_distance(rv_vec3_load64(x + 3 * i), rv_vec3_load64(x + 3 * i + 3)) > min_edge))
      return RV_STRAND_COINCIDENT;
  return RV_STRAND_FINE;
}

// Moves the natural shape rigidly onto the pose: the root and the direction of the first edge agree, and the turn about
// that edge is the least-squares one. So one director serves both shapes, and a strand that was moved as a whole has no
// strain.
static void align(double* rest, const double* x, int n) {
  RvVec3 root = rv_vec3_load64(rest), to = rv_vec3_load64(x), up = rv_vec3(0, 1, 0);
  // Turn the first edge into that of the pose.
  RvVec3 a = rv_normalize(rv_sub(rv_vec3_load64(rest + 3), root), up);
  RvVec3 t = rv_normalize(rv_sub(rv_vec3_load64(x + 3), to), up);
  RvQuat q = rv_quat_between(a, t);
  // Turn about that edge: cosine and sine of the angle, summed over the other vertices.
  double along = 0, across = 0;
  for (int i = 2; i < n; ++i) {
    RvVec3 p = rv_quat_rotate(q, rv_sub(rv_vec3_load64(rest + 3 * i), root));
    RvVec3 o = rv_sub(rv_vec3_load64(x + 3 * i), to);
    p = rv_mad(p, -rv_dot(p, t), t);
    o = rv_mad(o, -rv_dot(o, t), t);
    along += rv_dot(p, o);
    across += rv_dot(t, rv_cross(p, o));
  }
  // Quaternion of that turn, by the half-angle formulas.
  double size = sqrt(along * along + across * across);
  if (size > 0) {
    double c = sqrt(fmax(0.5 * (1 + along / size), 0)), s = copysign(sqrt(fmax(0.5 * (1 - along / size), 0)), across);
    q = rv_quat_mul((RvQuat){t.x * s, t.y * s, t.z * s, c}, q);
  }
  // Apply both.
  for (int i = 0; i < n; ++i)
    rv_vec3_store64(rest + 3 * i, rv_add(to, rv_quat_rotate(q, rv_sub(rv_vec3_load64(rest + 3 * i), root))));
}

// Director of the root's material frame from the x axis of `orient`, where that is given and finite.
static void read_director(Reader* r, size_t at, size_t strand, RvStrandDef* d) {
  const float* o = r->orient ? r->orient + 4 * (size_t)r->set->point[at] : NULL;
  if (!o || !isfinite(o[0] + o[1] + o[2] + o[3])) return;
  RvQuat q = rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
  rv_vec3_store64(r->director + 3 * strand, rv_quat_rotate(q, rv_vec3(1, 0, 0)));
  d->director = r->director + 3 * strand;
}

// Pose, natural shape, edge lengths and root director of a strand.
static RvStrandFault read_shape(Reader* r, size_t at, size_t strand, RvStrandDef* d) {
  int n = d->vertices;
  double* x = r->x + 3 * at;
  double* natural = r->natural + 3 * at;
  // Positions; the natural lengths of a state, or the natural shape of the input.
  for (int i = 0; i < n; ++i) {
    size_t p = (size_t)r->set->point[at + (size_t)i];
    rv_vec3_store64(x + 3 * i, position_of(r, (int32_t)p));
    if (r->natural_length) r->length[at + (size_t)i] = r->natural_length[p];
    if (r->rest && !r->natural_length)
      rv_vec3_store64(natural + 3 * i, rv_scale(rv_vec3_load(r->rest + 3 * p), r->set->metersperunit));
  }
  d->x = x;
  // A simulated strand may have very short edges: leaving it out would lose its film.
  RvStrandFault fault = check_shape(x, n, r->natural_length ? 0 : MIN_EDGE);
  // The natural shape, if it is usable.
  if (!fault && r->rest && !r->natural_length) {
    if (check_shape(natural, n, MIN_EDGE) == RV_STRAND_FINE) {
      align(natural, x, n);
      d->rest = natural;
    } else {
      r->rest_refused = true;
    }
  }
  const double* shape = d->rest ? d->rest : x;
  for (int i = 0; i + 1 < n && !r->natural_length; ++i)
    r->length[at + (size_t)i] = rv_distance(rv_vec3_load64(shape + 3 * i), rv_vec3_load64(shape + 3 * i + 3));
  d->length = r->length + at;
  read_director(r, at, strand, d);
  return fault;
}

// Reads the strand of a primitive and appends it to the set, unless it has a fault.
static RvStrandFault read_strand(Reader* r, size_t prim) {
  RvStrandSet* s = r->set;
  // Points and an empty definition.
  RvStrandFault fault = claim_points(r, prim);
  if (fault) return fault;
  r->rest_refused = false;
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
  // Its content; a fault releases the points again.
  fault = read_shape(r, at, s->count, d);
  if (!fault) fault = read_radii(r, (int32_t)prim, at, n);
  if (!fault) fault = read_material(r, (int32_t)prim, at, d);
  if (fault) {
    for (int i = 0; i < n; ++i) r->used[s->point[at + (size_t)i]]--;
    return fault;
  }
  // Append it.
  if (r->rest_refused && !s->bad_rest++) s->bad_rest_prim = (int32_t)prim;
  s->prim[s->count] = (int32_t)prim;
  s->first[s->count] = (int32_t)at;
  s->vertices += (size_t)n;
  s->first[++s->count] = (int32_t)s->vertices;
  return RV_STRAND_FINE;
}

//---------------------------------------------------------------------------------------------- all strands

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

// Allocates the set's arrays for the largest possible number of strands, and carves up the one of numbers.
static bool take_memory(Reader* r, size_t prims, size_t vertices) {
  enum { NUMBERS_A_VERTEX = 11, NUMBERS_A_STRAND = 3 };
  RvStrandSet* s = r->set;
  s->prim = rv_alloc(prims, sizeof *s->prim);
  s->first = rv_alloc_zero(prims + 1, sizeof *s->first);
  s->point = rv_alloc(vertices, sizeof *s->point);
  s->defs = rv_alloc(prims, sizeof *s->defs);
  s->numbers = rv_alloc(NUMBERS_A_VERTEX * vertices + NUMBERS_A_STRAND * prims, sizeof(double));
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
  r->director = next + NUMBERS_A_VERTEX * vertices;
  return true;
}

RvResult rv_strands_read(const RvDetail* detail, const RvStrandMaterial* material, const double origin[3], bool state,
                         RvStrandSet* out, RvError* error) {
  *out = (RvStrandSet){.metersperunit = material->metersperunit};
  memcpy(out->origin, origin, sizeof out->origin);
  // Attributes of the input, and of a state.
  Reader r = {.d = detail, .material = material, .set = out};
  find_attributes(&r);
  if (!r.P) return rv_fail(error, RV_BAD_INPUT, "the strands have no positions P of 32-bit floats");
  if (state) {
    r.exact = rv_detail_f64(detail, RV_POINT, "rv_x", 3);
    r.natural_length = rv_detail_f64(detail, RV_POINT, "rv_naturallength", 1);
    r.stiffen = rv_detail_f64(detail, RV_PRIM, "rv_stiffen", 1);
    r.simulated = rv_detail_i32(detail, RV_PRIM, "rv_simulated", 1);
  }
  // Every curve; those with a fault are counted.
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

uint64_t rv_strands_key(const RvDetail* state, const RvStrandMaterial* material, const double origin[3]) {
  // Every attribute that find_attributes and rv_strands_read look up, but P and rv_x, and the rest shape.
  static const char* const names[] = {"density", "youngs", "shear",  "damping",    "stiffness",    "ellipse",
                                      "width",   "id",     "orient", "hairradius", "hairsperguide"};
  static const char* const of_state[] = {"rv_naturallength", "rv_restlength", "rv_resttwist",
                                         "rv_restcurvature", "rv_stiffen",    "rv_simulated"};
  const double numbers[] = {material->hairradius,
                            material->density,
                            material->youngs,
                            material->shear,
                            material->damping,
                            material->stiffness,
                            material->hairsperguide,
                            material->usewidth,
                            material->metersperunit,
                            origin[0],
                            origin[1],
                            origin[2]};
  RvHasher h = rv_hasher_new(0);
  rv_hasher_add(&h, numbers, sizeof numbers);
  // Grids do not enter the strands, so that a grid without a hash changes nothing.
  (void)rv_hash_topology(&h, state);
  const RvOwner owners[] = {RV_POINT, RV_PRIM};
  for (size_t k = 0; k < sizeof owners / sizeof *owners; ++k) {
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
      const RvAttrib* a = rv_detail_find(state, owners[k], names[i]);
      if (a) rv_hash_attrib(&h, a);
    }
    for (size_t i = 0; i < sizeof of_state / sizeof *of_state; ++i) {
      const RvAttrib* a = rv_detail_find(state, owners[k], of_state[i]);
      if (a) rv_hash_attrib(&h, a);
    }
  }
  return rv_hasher_done(&h);
}

bool rv_strands_move(const RvDetail* state, RvStrandSet* set) {
  const double* exact = rv_detail_f64(state, RV_POINT, "rv_x", 3);
  if (!exact) return false;
  for (size_t k = 0; k < set->count; ++k) {
    // the positions are the first of the set's numbers, in the order of its vertices (take_memory)
    double* x = set->numbers + 3 * (size_t)set->first[k];
    for (int32_t v = set->first[k]; v < set->first[k + 1]; ++v) {
      RvVec3 place = rv_scale(rv_vec3_load64(exact + 3 * (size_t)set->point[v]), set->metersperunit);
      rv_vec3_store64(set->numbers + 3 * (size_t)v, place);
    }
    if (check_shape(x, set->defs[k].vertices, 0) != RV_STRAND_FINE) return false;
  }
  return true;
}

void rv_strands_free(RvStrandSet* set) {
  RV_FREE_ALL(set->prim, set->first, set->point, set->defs, set->numbers);
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
