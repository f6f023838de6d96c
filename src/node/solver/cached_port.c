#include "node/solver/cached_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// pairs of id and volume, by id
static int by_id(const void* a, const void* b) {
  const double *x = a, *y = b;
  return (x[0] > y[0]) - (x[0] < y[0]);
}

// m3 that was captured of a particle in earlier frames; below 0: film gave it more than that back.
static double captured_of(const RvFilmPort* s, double id) {
  const double* found = s->captured.count
                            ? bsearch(&id, s->captured.data, s->captured.count / 2, 2 * sizeof *s->captured.data, by_id)
                            : NULL;
  return found ? found[1] : 0;
}

// The particles of the frame, as the liquid of the solver sees them; faults of the cache are told.
static RvResult read_particles(RvCachedPort* c, const RvLiquidPort* liquid, const RvDetail* in, RvError* error) {
  RvCook* cook = liquid->cook;
  RvLiquidGlobals globals = liquid->globals;
  RvLiquidFaults faults = {0};
  RvResult result = rv_liquid_read(in, &liquid->units, liquid->separation, &globals, &c->cached.frame, &faults, error);
  if (result) return result;
  RvPortName port = rv_solver_port(cook, liquid->input);
  if (faults.lost || faults.empty)
    rv_cook_warn(cook, "%s: %zu cached points have no volume or are nowhere, and are left out", port.text,
                 faults.lost + faults.empty);
  if (!rv_detail_find(in, RV_POINT, "id") || faults.numbered)
    rv_cook_warn(
        cook, "%s: the cached points have no id, or some twice; what is captured of them is remembered by their order",
        port.text);
  return rv_wet_cached_reserve(&c->cached, error);
}

RvResult rv_cached_port_begin(RvCachedPort* c, const RvLiquidPort* liquid, RvFilmPort* film, RvError* error) {
  RvCook* cook = liquid->cook;
  const RvDetail* in = rv_solver_input(cook, liquid->input);
  // A grid of its own, beside that of the solver's drops.
  RvResult result = rv_wet_cached_init(&c->cached, &liquid->liquid.model, error);
  // also where there is nothing: the drops are no bulk
  film->film.cached = &c->cached.liquid;
  // A cache of VDBs alone is filled with particles, anew in every frame.
  if (!result && rv_cached_port_surface(in)) {
    double spacing = liquid->separation / liquid->units.meters;
    result = rv_cached_port_fill(cook, liquid->input, spacing, &c->filled, error);
    in = c->filled;
  }
  // Particles, each with what is left of it.
  if (result || !in || !rv_detail_count(in, RV_POINT)) return result;
  result = read_particles(c, liquid, in, error);
  for (size_t i = 0; !result && i < c->cached.frame.count; ++i) {
    double captured = c->filled ? 0 : captured_of(film, (double)c->cached.frame.id[i]);
    double left = c->cached.frame.volume[i] - captured;
    c->cached.volume[i] = left > 0 ? left : 0;
  }
  return result;
}

// Whether an id is among the sorted pairs `rows` [n].
static bool in_frame(const double* rows, size_t n, double id) {
  return n && bsearch(&id, rows, n, 2 * sizeof *rows, by_id);
}

// What was captured of an id is remembered for good: one that is not in this frame, or smaller, may come back.
RvResult rv_cached_port_end(RvCachedPort* c, RvFilmPort* film, RvError* error) {
  const RvParticles* frame = &c->cached.frame;
  size_t n = 0;
  double* rows = rv_alloc(2 * frame->count + film->captured.count + 2, sizeof *rows);
  if (!rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  // What the film gained counts as a source. What it lost is an outflow, so that the ledger is relative to all that
  // came, also when all of it goes back.
  double gain = rv_sum_total(&c->cached.film_gain);
  *(gain > 0 ? &film->sources : &film->returned) += fabs(gain);
  // Particles of this frame that exchanged something, now or before.
  for (size_t i = 0; i < frame->count; ++i) {
    double id = (double)frame->id[i];
    double captured = captured_of(film, id) + c->cached.taken[i];
    if (captured != 0 && !c->filled) {
      rows[2 * n] = id;
      rows[2 * n + 1] = captured;
      ++n;
    }
  }
  qsort(rows, n, 2 * sizeof *rows, by_id);
  // Those that are not in this frame.
  size_t here = n;
  for (size_t k = 0; k < film->captured.count / 2; ++k)
    if (!in_frame(rows, here, film->captured.data[2 * k]))
      memcpy(rows + 2 * n++, film->captured.data + 2 * k, 2 * sizeof *rows);
  qsort(rows, n, 2 * sizeof *rows, by_id);
  rv_free(film->captured.data);
  film->captured = (RvStateList){rows, 2 * n};
  return RV_OK;
}

void rv_cached_port_free(RvCachedPort* c) {
  rv_detail_free(c->filled);
  rv_wet_cached_free(&c->cached);
}
