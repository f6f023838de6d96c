// What the interface solver reads and tells of the surface of its liquid: layers of particles, bubbles and their film.
#include <math.h>

#include "base/memory.h"
#include "interface/layers.h"
#include "node/solver/interface_frame.h"

typedef RvInterfaceFrame Frame;

// Attraction of particles of different bubbles; interface/bubbles.h says why.
static const double ACROSS = 0.5;

RvResult rv_interface_frame_numbers(const Frame* f, const RvDetail* d, const char* name, const char* are, int highest,
                                    int32_t** out, int* most, RvError* error) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  size_t count = rv_detail_count(d, RV_POINT);
  *out = NULL;
  *most = 0;
  if (!a || rv_attrib_storage(a) == RV_STRING) return RV_OK;
  int32_t* body = rv_alloc_zero(count + 1, sizeof *body);
  if (!body) return rv_fail(error, RV_NO_MEMORY, "out of memory for the %s", are);
  for (size_t i = 0; i < count; ++i) {
    double number = rv_attrib_get(a, i, 0);
    if (!(number >= 0 && number <= highest)) {
      rv_free(body);
      return rv_fail(error, RV_BAD_INPUT, "%s, has a point with %s %g: %s are numbered 1 to %d, 0 is none",
                     rv_solver_port(f->cook, 0).text, name, number, are, highest);
    }
    body[i] = (int32_t)number;
    if (body[i] > *most) *most = body[i];
  }
  *out = body;
  if (*most) return RV_OK;
  rv_free(body);
  *out = NULL;
  return RV_OK;
}

// Bubbles of a detail's points.
static RvResult read_bubbles(const Frame* f, const RvDetail* d, int32_t** out, int* most, RvError* error) {
  return rv_interface_frame_numbers(f, d, "bubbleid", "bubbles", RV_INTERFACE_MOST_BUBBLES, out, most, error);
}

//---------------------------------------------------------------------------------------------- a frame begins

// Why a bubble pops, if it does: its number, its age or its thin film.
static bool pops(const Frame* f, int bubble, double age, double share) {
  double life = rv_solver_number(f->cook, "poplife");
  return bubble == (int)rv_solver_number(f->cook, "popbubble") || (life > 0 && age >= life) ||
         share < rv_solver_number(f->cook, "popthin");
}

// Takes the particles of bubbles that pop out of the liquid. Film and gas are counted as killed.
static RvResult pop(Frame* f, const RvAttrib* film, int most, RvError* error) {
  RvParticles* p = &f->liquid.liquid.particles;
  double* age = rv_alloc_zero((size_t)most + 1, sizeof *age);
  double* share = rv_alloc_zero((size_t)most + 1, sizeof *share);
  if (age && share) {
    // The oldest particle's age, and the largest share of film, which is that of the surface.
    for (size_t i = 0; i < p->count; ++i) {
      int32_t b = f->row_body[p->row[i]];
      age[b] = fmax(age[b], (double)p->age[i]);
      share[b] = fmax(share[b], film ? rv_attrib_get(film, (size_t)p->row[i], 0) : 1);
    }
    for (size_t i = 0; i < p->count; ++i) {
      int32_t b = f->row_body[p->row[i]];
      if (!b || !pops(f, b, age[b], share[b])) continue;
      f->liquid.flows.flow.killed += p->volume[i];
      p->volume[i] = 0;
    }
  }
  RvResult result = age && share ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the bubbles");
  RV_FREE_ALL(age, share);
  return result ? result : rv_liquid_particles_sort(p, &f->liquid.liquid.report.lost, error);
}

// Film that sources blow into bubbles: that of the rows of new particles.
static RvResult read_blown(Frame* f, const RvDetail* rows, const RvAttrib* film, int most, RvError* error) {
  size_t count = rv_detail_count(rows, RV_POINT);
  size_t old = rv_detail_count(f->liquid.state, RV_POINT);
  bool any = false;
  for (size_t i = old; i < count && film; ++i) any = any || f->row_body[i];
  if (!any) return RV_OK;
  f->film_before = rv_alloc_zero((size_t)most + 1, sizeof *f->film_before);
  f->row_film = rv_alloc_zero(count + 1, sizeof *f->row_film);
  if (!f->film_before || !f->row_film) return rv_fail(error, RV_NO_MEMORY, "out of memory for the bubbles");
  for (int b = 0; b <= most; ++b) f->film_before[b] = f->film[b];
  for (size_t i = old; i < count; ++i) f->row_film[i] = rv_attrib_get(film, i, 0);
  return RV_OK;
}

void rv_interface_frame_blow(Frame* f) {
  const RvParticles* p = &f->liquid.liquid.particles;
  if (!f->row_film) return;
  for (int b = 0; b <= f->solver.bubbles.count; ++b) f->film[b] = f->film_before[b];
  // Rows of the state have none here: theirs is in the film at the start of the frame.
  for (size_t i = 0; i < p->count; ++i) f->film[f->row_body[p->row[i]]] += p->volume[i] * f->row_film[p->row[i]];
}

RvResult rv_interface_frame_bubbles(Frame* f, RvError* error) {
  const RvDetail* rows = f->liquid.rows ? f->liquid.rows : f->liquid.state;
  RvInterfaceBubbles* out = &f->solver.bubbles;
  int most;
  RvResult result = read_bubbles(f, rows, &f->row_body, &most, error);
  if (result || !f->row_body) return result;
  const RvAttrib* film = rv_detail_find(rows, RV_POINT, "film");
  result = pop(f, film, most, error);
  f->film = result ? NULL : rv_alloc_zero((size_t)most + 1, sizeof *f->film);
  if (!result && !f->film) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the bubbles");
  if (result) return result;
  const RvParticles* p = &f->liquid.liquid.particles;
  for (size_t i = 0; i < p->count && film; ++i)
    f->film[f->row_body[p->row[i]]] += p->volume[i] * rv_attrib_get(film, (size_t)p->row[i], 0);
  out->count = most;
  out->row_body = f->row_body;
  out->film = f->film;
  out->across = ACROSS;
  return read_blown(f, rows, film, most, error);
}

//---------------------------------------------------------------------------------------------- a frame ends

// A state whose surface is looked for.
typedef struct Marked {
  RvDetail* state;
  size_t count;
  int32_t* body;   // NULL: there are no bubbles
  int bubbles;     // the largest number
  uint8_t* layer;  // the arena's
  const double* volume;
} Marked;

// Exact places of a state's points, m; the arena's.
static double* places_of(const RvDetail* state, size_t count, RvArena* arena) {
  const double* cell = rv_detail_f64(state, RV_POINT, "rv_cell", 3);
  const double* dx = rv_detail_f64(state, RV_GLOBAL, "rv_dx", 1);
  double* place = RV_TAKE(arena, double, 3 * count + 1);
  for (size_t i = 0; place && cell && dx && i < 3 * count; ++i) place[i] = cell[i] * dx[0];
  return cell && dx ? place : NULL;
}

// Spacing of the particles, m: at the start frame the port does not know it yet.
static double spacing_of(const Frame* f, const RvDetail* state) {
  const double* dx = rv_detail_f64(state, RV_GLOBAL, "rv_dx", 1);
  return dx ? dx[0] / f->parms.gridscale : 0;
}

// Writes the attribute layer, if it is asked for.
static RvResult write_layers(const Marked* m, int most, RvError* error) {
  if (!most) return RV_OK;
  int32_t* out = rv_detail_i32_write(m->state, RV_POINT, "layer", 1, error);
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the layers");
  for (size_t i = 0; i < m->count; ++i) out[i] = m->layer[i];
  return RV_OK;
}

// Shares the film of each bubble out among its surface, as the attribute film. It has doubles, so that the volume stays
// to rounding. Film that the points bring, of whatever kind, is replaced.
static RvResult write_film(Frame* f, const Marked* m, RvError* error) {
  if (!m->body) return RV_OK;
  double* film = RV_TAKE(f->arena, double, (size_t)m->bubbles + 1);
  double* share = RV_TAKE(f->arena, double, m->count);
  if (!film || !share) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
  const RvAttrib* given = rv_detail_find(m->state, RV_POINT, "film");
  double usual = rv_solver_number(f->cook, "film");
  for (int b = 0; b <= m->bubbles; ++b) film[b] = 0;
  for (size_t i = 0; i < m->count; ++i) {
    double own = given ? rv_attrib_get(given, i, 0) : usual;
    if (!(own >= 0 && own <= 1))
      return rv_fail(error, RV_BAD_INPUT, "%s, has a point with film %g: a share of its volume is 0 to 1",
                     rv_solver_port(f->cook, 0).text, own);
    film[m->body[i]] += own * m->volume[i];
  }
  RvInterfaceFilm shares = {m->count, m->body, m->volume, m->layer, m->bubbles, film, share, 0};
  RvResult result = rv_interface_share_film(&shares, f->arena, error);
  if (result) return result;
  rv_detail_remove_attrib(m->state, RV_POINT, "film");
  double* out = rv_detail_f64_write(m->state, RV_POINT, "film", 1, error);
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
  for (size_t i = 0; i < m->count; ++i) out[i] = m->body[i] ? share[i] : 0;
  return RV_OK;
}

RvResult rv_interface_frame_mark(Frame* f, RvDetail* state, RvError* error) {
  int most = (int)rv_solver_number(f->cook, "layers");
  Marked m = {.state = state, .count = state ? rv_detail_count(state, RV_POINT) : 0};
  if (!m.count) return RV_OK;
  RvResult result = read_bubbles(f, state, &m.body, &m.bubbles, error);
  if (result || (!most && !m.body)) return result;
  RvArenaMark mark = rv_arena_mark(f->arena);
  m.layer = RV_TAKE(f->arena, uint8_t, m.count);
  m.volume = rv_detail_f64(state, RV_POINT, "rv_volume", 1);
  RvInterfaceLayers layers = {.count = m.count,
                              .place = places_of(state, m.count, f->arena),
                              .body = m.body,
                              .spacing = spacing_of(f, state),
                              .most = most ? most : 1,
                              .layer = m.layer};
  if (!layers.place || !m.layer || !m.volume) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the layers");
  if (!result) result = rv_interface_find_layers(&layers, f->arena, error);
  if (!result) result = write_layers(&m, most, error);
  if (!result) result = write_film(f, &m, error);
  rv_arena_release(f->arena, mark);
  rv_free(m.body);
  return result;
}
