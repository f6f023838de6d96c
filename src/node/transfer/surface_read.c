// Reads the liquid of a detail: loose points and pendant drops as particles, and wet curves as films.
#include "node/transfer/surface_read.h"

#include <math.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/solver.h"

// Limits of sensible input, in units of the scene.
static const double FARTHEST = 1e15;
static const double LARGEST_VOLUME = 1e30;
static const double LARGEST_FILM = 1e10;

// Working set.
typedef struct Reader {
  const RvDetail* d;
  const RvSurfaceRead* how;
  RvSurfaceInput* out;
  double meters;       // per unit of length
  const float *P, *v;  // v may be NULL
} Reader;

// A numeric attribute of one component; NULL if there is none.
static const RvAttrib* number(const RvDetail* d, RvOwner owner, const char* name) {
  const RvAttrib* a = rv_detail_find(d, owner, name);
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) == 1 ? a : NULL;
}

// Fails for lack of memory.
static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
}

// Marks the points that no primitive uses.
static RvResult find_loose(Reader* r, size_t* count, RvError* error) {
  size_t n = rv_detail_count(r->d, RV_POINT), nvertex = rv_detail_count(r->d, RV_VERTEX);
  const int32_t* point = rv_detail_vertex_point(r->d);
  r->out->loose = rv_alloc(n + 1, 1);
  if (!r->out->loose) return no_memory(n, error);
  for (size_t i = 0; i < n; ++i) r->out->loose[i] = 1;
  for (size_t i = 0; i < nvertex; ++i) r->out->loose[point[i]] = 0;
  *count = 0;
  for (size_t i = 0; i < n; ++i) *count += r->out->loose[i];
  return RV_OK;
}

// Copies position and velocity of a point; velocities that are not finite count as 0.
static void put_point(const Reader* r, size_t point, double* x, float* v) {
  for (size_t c = 0; c < 3; ++c) {
    x[c] = r->P[3 * point + c];
    v[c] = r->v && isfinite(r->v[3 * point + c]) ? r->v[3 * point + c] : 0;
  }
}

// True for a finite position whose square does not overflow a float.
static bool is_position(const double x[3]) {
  return fabs(x[0]) < FARTHEST && fabs(x[1]) < FARTHEST && fabs(x[2]) < FARTHEST;
}

//---------------------------------------------------------------------------------------------- particles

// Copies the particles with their volumes, from `volume` or `pscale`.
static RvResult put_particles(Reader* r, RvError* error) {
  RvSurfaceParticles* p = &r->out->particles;
  const RvAttrib* volume = number(r->d, RV_POINT, "volume");
  const RvAttrib* pscale = number(r->d, RV_POINT, "pscale");
  size_t n = rv_detail_count(r->d, RV_POINT);
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!r->out->loose[i]) continue;
    double *x = p->x + 3 * p->count, size = pscale ? rv_attrib_get(pscale, i, 0) : 0;
    // Position and velocity.
    put_point(r, i, x, p->v + 3 * p->count);
    if (!is_position(x))
      return rv_fail(error, RV_BAD_INPUT,
                     "point %zu has the position (%g %g %g), which is not finite or too far away: check P upstream", i,
                     x[0], x[1], x[2]);
    // Volume, or that of the sphere of pscale.
    double v = volume ? rv_attrib_get(volume, i, 0) : 4.0 / 3 * RV_PI * size * size * size;
    if (!(fabs(v) < LARGEST_VOLUME))
      return rv_fail(error, RV_BAD_INPUT, "point %zu has a %s of %g, which is not finite or too large", i,
                     volume ? "volume" : "pscale", volume ? v : size);
    // Without volume and pscale the size follows from the separation.
    if (!(v > 0) && (volume || pscale)) {
      r->out->empty++;
      continue;
    }
    p->volume[p->count++] = v;
    sum += v;
  }
  r->out->separation = p->count ? rv_pow(sum / (double)p->count, 1.0 / 3) : 0;
  return RV_OK;
}

// Completes the volumes of particles without a `volume` attribute: in the interior the cube of the separation, whatever
// their pscale; isolated particles keep the volume of their pscale.
static RvResult settle_volumes(Reader* r, RvError* error) {
  RvSurfaceParticles* p = &r->out->particles;
  double sep = r->how->particlesep, found = r->out->separation, lo[3], hi[3];
  if (!p->count || (number(r->d, RV_POINT, "volume") && !(sep > 0))) return RV_OK;
  if (!(sep > 0)) {
    double guess = found;
    if (!(guess > 0) && rv_detail_bounds(r->d, lo, hi))
      guess = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2])) / 64;
    sep = rv_surface_separation(p->count, p->x, guess > 0 ? guess : 1);
  }
  if (!(sep > 0) && found > 0) return RV_OK;
  if (!(sep > 0))
    return rv_fail(error, RV_BAD_INPUT,
                   "the particles have neither volume nor pscale, and are too sparse to estimate their separation: set "
                   "particlesep");
  RvResult result = rv_surface_fill_volumes(p, sep, error);
  r->out->separation = sep;
  return result;
}

// Appends the drop at a point of a strand: a ball about it, as an isolated particle is.
static RvResult put_drop(Reader* r, size_t prim, size_t point, double radius, RvError* error) {
  RvSurfaceParticles* p = &r->out->particles;
  double* x = p->x + 3 * p->count;
  put_point(r, point, x, p->v + 3 * p->count);
  if (!is_position(x) || !(radius > 0 && radius < LARGEST_FILM))
    return rv_fail(error, RV_BAD_INPUT,
                   "point %zu of strand %zu has a dropradius of %g at (%g %g %g): check dropradius and P upstream",
                   point, prim, radius, x[0], x[1], x[2]);
  p->volume[p->count] = 4.0 / 3 * RV_PI * radius * radius * radius;
  r->out->drops += p->volume[p->count++];
  return RV_OK;
}

// Counts the points of curves where a drop hangs, and appends the drops with `put`.
static RvResult find_drops(Reader* r, bool put, size_t* count, RvError* error) {
  const RvAttrib* radius = number(r->d, RV_POINT, "dropradius");
  const int32_t *start = rv_detail_prim_start(r->d), *point = rv_detail_vertex_point(r->d);
  RvResult result = RV_OK;
  *count = 0;
  for (size_t prim = 0; radius && prim < rv_detail_count(r->d, RV_PRIM); ++prim)
    for (int32_t k = start[prim]; rv_detail_prim_type(r->d, prim) == RV_PRIM_CURVE && k < start[prim + 1]; ++k) {
      double size = rv_attrib_get(radius, (size_t)point[k], 0);
      if (size == 0) continue;
      ++*count;
      if (put && !result) result = put_drop(r, prim, (size_t)point[k], size, error);
    }
  return result;
}

// Reads all particles, then the drops at the tips of strands (WH-28), whose volume is as given whatever the particles'.
static RvResult read_particles(Reader* r, RvError* error) {
  size_t count = 0, drops = 0;
  RvSurfaceParticles* p = &r->out->particles;
  RvResult result = find_loose(r, &count, error);
  if (!result) result = find_drops(r, false, &drops, error);
  if (result) return result;
  count += drops;
  p->x = rv_alloc(3 * count + 3, sizeof *p->x);
  p->volume = rv_alloc(count + 1, sizeof *p->volume);
  p->v = rv_alloc(3 * count + 3, sizeof *p->v);
  if (!p->x || !p->volume || !p->v) return no_memory(count, error);
  result = put_particles(r, error);
  if (!result) result = settle_volumes(r, error);
  return result ? result : find_drops(r, true, &drops, error);
}

//---------------------------------------------------------------------------------------------- film

// Attributes of wet strands; NULL where missing.
typedef struct FilmAttribs {
  const RvAttrib *height, *outer, *radius, *prim_radius, *wetness;
  const int32_t* clump;
} FilmAttribs;

// True for a curve with film at one of its points.
static bool is_wet(const Reader* r, const RvAttrib* height, size_t prim) {
  const int32_t *start = rv_detail_prim_start(r->d), *point = rv_detail_vertex_point(r->d);
  if (rv_detail_prim_type(r->d, prim) != RV_PRIM_CURVE) return false;
  for (int32_t k = start[prim]; k < start[prim + 1]; ++k)
    if (!(rv_attrib_get(height, (size_t)point[k], 0) <= 0)) return true;
  return false;
}

// Fibre radius under the film, in units of the scene.
static double radius_of(const Reader* r, const FilmAttribs* a, size_t prim, size_t point, double height) {
  double outer = a->outer ? rv_attrib_get(a->outer, point, 0) : 0;
  if (outer > height) return outer - height;
  if (a->radius) return rv_attrib_get(a->radius, point, 0);
  if (a->prim_radius) return rv_attrib_get(a->prim_radius, prim, 0);
  return r->how->hairradius;
}

// Appends a vertex of a wet strand.
static RvResult put_vertex(Reader* r, const FilmAttribs* a, size_t prim, size_t point, RvError* error) {
  RvSurfaceFilm* f = &r->out->film;
  size_t i = f->count;
  double height = rv_attrib_get(a->height, point, 0);
  double radius = radius_of(r, a, prim, point, height);
  double wet = a->wetness ? rv_attrib_get(a->wetness, point, 0) : 1;
  put_point(r, point, f->x + 3 * i, f->v + 3 * i);
  if (!is_position(f->x + 3 * i) || !(fabs(height) < LARGEST_FILM) || !(radius >= 0 && radius < LARGEST_FILM))
    return rv_fail(error, RV_BAD_INPUT,
                   "point %zu of strand %zu has a filmheight of %g m on a hair of %g m at (%g %g %g): check filmheight "
                   "and filmradius upstream",
                   point, prim, height * r->meters, radius * r->meters, f->x[3 * i], f->x[3 * i + 1], f->x[3 * i + 2]);
  f->radius[i] = (float)radius;
  f->height[i] = (float)fmax(height, 0);
  f->strand[i] = (int32_t)prim;
  f->wetness[i] = (float)(wet >= 0 ? fmin(wet, 1) : 0);
  if (f->clump) f->clump[i] = a->clump[point];
  f->count++;
  return RV_OK;
}

// Allocates the arrays of the film.
static RvResult allocate_film(Reader* r, size_t count, bool clumps, RvError* error) {
  RvSurfaceFilm* f = &r->out->film;
  f->x = rv_alloc(3 * count + 3, sizeof *f->x);
  f->v = rv_alloc(3 * count + 3, sizeof *f->v);
  f->radius = rv_alloc(count + 1, 4);
  f->height = rv_alloc(count + 1, 4);
  f->wetness = rv_alloc(count + 1, 4);
  f->strand = rv_alloc(count + 1, 4);
  f->clump = clumps ? rv_alloc(count + 1, 4) : NULL;
  bool good = f->x && f->v && f->radius && f->height && f->wetness && f->strand && (f->clump || !clumps);
  return good ? RV_OK : no_memory(count, error);
}

// Reads all wet curves.
static RvResult read_film(Reader* r, RvError* error) {
  const RvDetail* d = r->d;
  FilmAttribs a = {number(d, RV_POINT, "filmheight"), number(d, RV_POINT, "filmradius"),
                   number(d, RV_POINT, "hairradius"), number(d, RV_PRIM, "hairradius"),
                   number(d, RV_POINT, "wetness"),    rv_detail_i32(d, RV_POINT, "clumpid", 1)};
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  size_t nprim = rv_detail_count(d, RV_PRIM), count = 0;
  for (size_t p = 0; a.height && p < nprim; ++p)
    if (is_wet(r, a.height, p)) count += (size_t)(start[p + 1] - start[p]);
  RvResult result = allocate_film(r, count, a.clump != NULL, error);
  for (size_t p = 0; a.height && p < nprim && !result; ++p)
    for (int32_t k = start[p]; is_wet(r, a.height, p) && k < start[p + 1] && !result; ++k)
      result = put_vertex(r, &a, p, (size_t)point[k], error);
  // Mean outer radius.
  double sum = 0, wet = 0;
  for (size_t i = 0; i < r->out->film.count; ++i)
    if (r->out->film.height[i] > 0) {
      sum += r->out->film.radius[i] + r->out->film.height[i];
      wet++;
    }
  r->out->outer = wet > 0 ? sum / wet : 0;
  return result;
}

RvResult rv_surface_read(const RvCook* cook, const RvDetail* detail, const RvSurfaceRead* how, RvSurfaceInput* out,
                         RvError* error) {
  *out = (RvSurfaceInput){0};
  Reader r = {.d = detail,
              .how = how,
              .out = out,
              .meters = rv_cook_meters(cook),
              .P = rv_detail_f32(detail, RV_POINT, "P", 3),
              .v = rv_detail_f32(detail, RV_POINT, "v", 3)};
  if (!r.P) return rv_fail(error, RV_BAD_INPUT, "the points have no positions P of 32-bit floats");
  RvResult result = read_particles(&r, error);
  return result ? result : read_film(&r, error);
}

void rv_surface_input_free(RvSurfaceInput* input) {
  RvSurfaceParticles* p = &input->particles;
  RvSurfaceFilm* f = &input->film;
  rv_free(p->x);
  rv_free(p->volume);
  rv_free(p->v);
  rv_free(input->loose);
  rv_free(f->x);
  rv_free(f->v);
  rv_free(f->radius);
  rv_free(f->height);
  rv_free(f->wetness);
  rv_free(f->strand);
  rv_free(f->clump);
  *input = (RvSurfaceInput){0};
}
