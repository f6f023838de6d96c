// The attributes that show the film on the strands: filmheight, filmradius, dropradius, filmv, waterload, wetness,
// absorbed, clumpid, and of a
// liquid with solids solids and coating. They are computed anew in every frame; only wetness depends on the frame
// before.
#include <math.h>

#include "base/memory.h"
#include "film/solids.h"
#include "math/scalar.h"
#include "node/solver/film_port.h"

// Lower bound of a mass in a quotient, kg, and upper bound of waterload, so that it fits in a float.
static const double TINY_MASS = 1e-30;
static const double MAX_WATERLOAD = 1e9;

// The attributes, by point.
typedef struct Look {
  float* filmheight;      // units of the scene
  float* filmradius;      // units of the scene: radius of the tube of strand and film
  float* dropradius;      // units of the scene: radius of the drop that hangs at a tip, a ball; 0 at other points
  float* filmv;           // units of the scene a second, along the strand
  float* waterload;       // mass of liquid over mass of hair
  float* wetness;         // 0 to 1, for shading
  float* absorbed;        // liquid in the fibre over what it can hold
  float* solids;          // share of solids of the film; only of a liquid with solids
  float* coating;         // units of the scene: height of the crust that the film dries to; as solids
  int32_t* clumpid;       // primitive of a strand that stands for the clump
  double* exact_wetness;  // rv_wetness: wetness before rounding
} Look;

// Opens all attributes for writing; false with `error` filled where one cannot be made.
static bool open_look(RvDetail* d, bool solids, Look* l, RvError* error) {
  *l = (Look){0};
  l->filmheight = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error);
  l->filmradius = rv_detail_f32_write(d, RV_POINT, "filmradius", 1, error);
  l->dropradius = rv_detail_f32_write(d, RV_POINT, "dropradius", 1, error);
  l->filmv = rv_detail_f32_write(d, RV_POINT, "filmv", 1, error);
  l->waterload = rv_detail_f32_write(d, RV_POINT, "waterload", 1, error);
  l->wetness = rv_detail_f32_write(d, RV_POINT, "wetness", 1, error);
  l->absorbed = rv_detail_f32_write(d, RV_POINT, "absorbed", 1, error);
  l->clumpid = rv_detail_i32_write(d, RV_POINT, "clumpid", 1, error);
  l->exact_wetness = rv_detail_f64_write(d, RV_POINT, "rv_wetness", 1, error);
  if (solids) {
    l->solids = rv_detail_f32_write(d, RV_POINT, "solids", 1, error);
    l->coating = rv_detail_f32_write(d, RV_POINT, "coating", 1, error);
    if (!l->solids || !l->coating) return false;
  }
  return l->filmheight && l->filmradius && l->dropradius && l->filmv && l->waterload && l->wetness && l->absorbed &&
         l->clumpid && l->exact_wetness;
}

// Wetness that the attribute tends to: 0.5 for a film as thick as the hair's radius, or for a half saturated fibre.
static double wetness_of(double height, double radius, double saturation) {
  return 1 - (1 - height / (height + radius)) * (1 - saturation);
}

// The vertex's share of the strand: half of the length of each adjacent edge, m.
static double cell_length(const RvStrandModel* m, const RvStrandBatch* b, int lane, int i) {
  double length = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j)
    length += 0.5 * m->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
  return length;
}

// Mean speed of the film on the edges at a vertex, m/s.
static double film_speed(const RvWetFilm* w, const RvStrandBatch* b, int lane, int i) {
  double speed = 0;
  int n = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j, ++n)
    speed += w->film_state.speed[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
  return n ? speed / n : 0;
}

// Radius of the pendant drop at a vertex, m: 0 but at the tip.
static double drop_radius(const RvWetFilm* w, const RvStrandBatch* b, int lane, int i) {
  size_t drop = (size_t)(b - w->strands->batches) * RV_LANES + (size_t)lane;
  return i + 1 == b->vertices ? rv_pow(3 / (4 * RV_PI) * w->film_state.drop[drop], 1.0 / 3) : 0;
}

// Attributes of one vertex; `follow` is the share of the way to its new value that wetness goes in this frame.
static void show_vertex(const RvFilmPort* s, const RvStrandBatch* b, int lane, int i, double follow, Look* l) {
  const RvWetFilm* w = &s->film;
  const RvStrandModel* m = w->strands;
  size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
  size_t strand = (size_t)b->strand[lane];
  size_t point = (size_t)s->strands->solver.set.point[s->strands->solver.set.first[strand] + i];
  // Film height, saturation of the fibre, mass of liquid.
  double r = m->radius[vertex];
  double fibre_volume = RV_PI * r * r * cell_length(m, b, lane, i) * w->hairs[vertex];
  double height = rv_film_height(w->area[vertex], r);
  double absorbed = w->film_state.absorbed[vertex];
  double capacity = fibre_volume * w->settings.film.saturation;
  double saturation = capacity > 0 ? fmin(absorbed / capacity, 1) : 0;
  double liquid_mass = (w->film_state.volume[vertex] + absorbed) * w->film.liquid.density;
  // A crust is dry: what it will keep is not wet.
  double crust = 0, share = w->film_state.solids ? w->film_state.solids[vertex] : 0;
  if (w->film_state.solids) {
    crust = rv_film_height(rv_film_solids_kept(w->area[vertex], share), r);
    l->solids[point] = (float)(height > 0 ? share : 0);
    l->coating[point] = (float)(crust / rv_cook_meters(s->cook));
  }
  // Wetness relaxes towards its new value, so that it never jumps.
  double* wetness = &l->exact_wetness[point];
  if (!(*wetness >= 0 && *wetness <= 1)) *wetness = 0;
  *wetness += follow * (wetness_of(height - crust, r, saturation) - *wetness);
  // WH-48: the tube of strand and film, in the scene's units.
  double meters = rv_cook_meters(s->cook);
  l->filmradius[point] = (float)((r + height) / meters);
  l->dropradius[point] = (float)(drop_radius(w, b, lane, i) / meters);
  l->filmheight[point] = (float)(height / meters);
  l->filmv[point] = (float)(film_speed(w, b, lane, i) / meters);
  l->waterload[point] = (float)fmin(liquid_mass / fmax(m->hair_mass[vertex], TINY_MASS), MAX_WATERLOAD);
  l->absorbed[point] = (float)saturation;
  l->wetness[point] = (float)*wetness;
}

// clumpid of every point, and the number of clumps. Without contacts every strand is a clump of its own.
static RvResult show_clumps(RvFilmPort* s, Look* l, RvError* error) {
  const RvStrandModel* m = s->film.strands;
  int32_t* clump = rv_alloc(m->vertices + 1, sizeof *clump);
  if (!clump) return rv_fail(error, RV_NO_MEMORY, "out of memory for clumps");
  size_t count = s->strands->contacts.contacts ? rv_contacts_clumps(s->strands->contacts.contacts, clump) : m->nstrand;
  RvResult result = count == SIZE_MAX ? rv_fail(error, RV_NO_MEMORY, "out of memory for clumps") : RV_OK;
  for (size_t k = 0; !result && k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        int32_t strand = b->strand[lane];
        if (s->strands->contacts.contacts) strand = clump[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane];
        l->clumpid[s->strands->solver.set.point[s->strands->solver.set.first[b->strand[lane]] + i]] =
            s->strands->solver.set.prim[strand];
      }
  }
  if (!result) s->cook->stats->clumps = (int64_t)count;
  rv_free(clump);
  return result;
}

RvResult rv_film_port_look(RvFilmPort* s, const RvWetParms* parms, double dt, RvDetail* d, RvError* error) {
  Look l;
  const RvStrandModel* m = s->film.strands;
  if (!open_look(d, s->film.film_state.solids, &l, error)) return error->code;
  double time = parms->wettime, follow = dt > 0 && time > 0 ? 1 - rv_exp(-dt / time) : 1;
  rv_film_areas(&s->film.film, &s->film.film_state, s->film.state->q, s->film.area);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < m->batches[k].vertices; ++i) show_vertex(s, &m->batches[k], lane, i, follow, &l);
  return show_clumps(s, &l, error);
}

//---------------------------------------------------------------------------------------------- start frame

// Radius of the hair at a point, m: its own, that of its strand, half of its width, or the node's.
typedef struct Radii {
  const float *point, *prim, *width;
  double otherwise, meters;
} Radii;

static double radius_at(const Radii* r, size_t point, size_t prim) {
  if (r->point) return r->point[point] * r->meters;
  if (r->prim) return r->prim[prim] * r->meters;
  return r->width ? 0.5 * r->width[point] * r->meters : r->otherwise;
}

RvResult rv_film_port_look_dry(const RvCook* cook, const RvWetParms* parms, RvDetail* d, RvError* error) {
  static const char* const zeros[] = {"filmheight", "dropradius", "filmv", "waterload", "wetness", "absorbed"};
  double meters = rv_cook_meters(cook);
  Radii radii = {.point = rv_detail_f32(d, RV_POINT, "hairradius", 1),
                 .prim = rv_detail_f32(d, RV_PRIM, "hairradius", 1),
                 .width = parms->usewidth ? rv_detail_f32(d, RV_POINT, "width", 1) : NULL,
                 .otherwise = parms->hairradius,
                 .meters = meters};
  // Attributes that the artist gave, or a frame has written, stay.
  for (size_t i = 0; i < sizeof zeros / sizeof *zeros; ++i)
    if (!rv_detail_find(d, RV_POINT, zeros[i]) && !rv_detail_f32_write(d, RV_POINT, zeros[i], 1, error))
      return error->code;
  bool tube_there = rv_detail_find(d, RV_POINT, "filmradius") != NULL;
  bool clump_there = rv_detail_find(d, RV_POINT, "clumpid") != NULL;
  float* tube = tube_there ? NULL : rv_detail_f32_write(d, RV_POINT, "filmradius", 1, error);
  int32_t* clump = clump_there ? NULL : rv_detail_i32_write(d, RV_POINT, "clumpid", 1, error);
  if ((!tube && !tube_there) || (!clump && !clump_there)) return error->code;
  const int32_t* start = rv_detail_prim_start(d);
  const int32_t* corner = rv_detail_vertex_point(d);
  for (size_t k = 0; k < rv_detail_count(d, RV_PRIM); ++k)
    for (int32_t v = start[k]; v < start[k + 1]; ++v) {
      size_t point = (size_t)corner[v];
      if (tube) tube[point] = (float)(radius_at(&radii, point, k) / meters);
      if (clump) clump[point] = (int32_t)k;
    }
  return RV_OK;
}
