// What artists see of the film on the strands: attributes made anew in every frame.
#include <math.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/film_port.h"

typedef struct Look {
  float *filmheight, *filmradius, *filmv, *waterload, *wetness, *absorbed;
  int32_t* clumpid;
  double* exact;  // of wetness
} Look;

static bool open_look(RvDetail* d, Look* l, RvError* error) {
  l->filmheight = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error);
  l->filmradius = rv_detail_f32_write(d, RV_POINT, "filmradius", 1, error);
  l->filmv = rv_detail_f32_write(d, RV_POINT, "filmv", 1, error);
  l->waterload = rv_detail_f32_write(d, RV_POINT, "waterload", 1, error);
  l->wetness = rv_detail_f32_write(d, RV_POINT, "wetness", 1, error);
  l->absorbed = rv_detail_f32_write(d, RV_POINT, "absorbed", 1, error);
  l->clumpid = rv_detail_i32_write(d, RV_POINT, "clumpid", 1, error);
  l->exact = rv_detail_f64_write(d, RV_POINT, "rv_wetness", 1, error);
  return l->filmheight && l->filmradius && l->filmv && l->waterload && l->wetness && l->absorbed && l->clumpid &&
         l->exact;
}

// A film as thick as the hair's radius looks half wet, and so does a fibre that is half full; nothing jumps, as the
// look follows within `wettime`.
static double wetness_of(double height, double radius, double full) {
  return 1 - (1 - height / (height + radius)) * (1 - full);
}

static double cell_length(const RvStrandModel* m, const RvStrandBatch* b, int lane, int i) {
  double length = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j)
    length += 0.5 * m->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
  return length;
}

static void show_vertex(const RvFilmPort* s, const RvStrandBatch* b, int lane, int i, double follow, Look* l) {
  const RvWetFilm* w = &s->film;
  const RvStrandModel* m = w->strands;
  size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane, strand = (size_t)b->strand[lane];
  size_t point = (size_t)s->strands->solver.set.point[s->strands->solver.set.first[strand] + i];
  double r = m->radius[vertex], fibre = RV_PI * r * r * cell_length(m, b, lane, i) * w->hairs[vertex];
  double height = rv_film_height(w->area[vertex], r), soaked = w->film_state.absorbed[vertex];
  double room = fibre * w->settings.film.saturation, full = room > 0 ? fmin(soaked / room, 1) : 0;
  double liquid = (w->film_state.volume[vertex] + soaked) * w->film.liquid.density, speed = 0;
  int n = 0;
  for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < b->vertices; ++j, ++n)
    speed += w->film_state.speed[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
  if (!(l->exact[point] >= 0 && l->exact[point] <= 1)) l->exact[point] = 0;
  l->exact[point] += follow * (wetness_of(height, r, full) - l->exact[point]);
  // WH-48: the tube that strand and film are, in the scene's units
  l->filmradius[point] = (float)((r + height) / rv_cook_meters(s->cook));
  l->filmheight[point] = (float)height;
  l->filmv[point] = (float)(n ? speed / n : 0);
  l->waterload[point] = (float)fmin(liquid / fmax(m->hair_mass[vertex], 1e-30), 1e9);
  l->absorbed[point] = (float)full;
  l->wetness[point] = (float)l->exact[point];
}

static RvResult show_clumps(RvFilmPort* s, Look* l, RvError* error) {
  const RvStrandModel* m = s->film.strands;
  int32_t* clump = rv_alloc(m->vertices + 1, sizeof *clump);
  if (!clump) return rv_fail(error, RV_NO_MEMORY, "out of memory for clumps");
  size_t count = s->strands->contacts.contacts ? rv_contacts_clumps(s->strands->contacts.contacts, clump) : m->nstrand;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        int32_t strand = b->strand[lane];
        if (s->strands->contacts.contacts && count != SIZE_MAX)
          strand = clump[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane];
        l->clumpid[s->strands->solver.set.point[s->strands->solver.set.first[b->strand[lane]] + i]] =
            s->strands->solver.set.prim[strand];
      }
  }
  s->cook->stats->clumps = count == SIZE_MAX ? 0 : (int64_t)count;
  rv_free(clump);
  return RV_OK;
}

RvResult rv_film_port_look(RvFilmPort* s, const RvWetParms* parms, double dt, RvDetail* d, RvError* error) {
  Look l;
  const RvStrandModel* m = s->film.strands;
  if (!open_look(d, &l, error)) return error->code;
  double time = parms->wettime, follow = dt > 0 && time > 0 ? 1 - rv_exp(-dt / time) : 1;
  rv_film_areas(&s->film.film, &s->film.film_state, s->film.state->q, s->film.area);
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < m->batches[k].vertices; ++i) show_vertex(s, &m->batches[k], lane, i, follow, &l);
  return show_clumps(s, &l, error);
}
