// Film of bubbles; see bubbles.h.
#include "interface/bubbles.h"

#include <string.h>

RvResult rv_interface_share_film(RvInterfaceFilm* f, RvArena* arena, RvError* error) {
  size_t bubbles = (size_t)f->bubbles + 1;
  RvArenaMark mark = rv_arena_mark(arena);
  double* outer = RV_TAKE(arena, double, bubbles);
  double* inner = RV_TAKE(arena, double, bubbles);
  if (!outer || !inner) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film of %d bubbles", f->bubbles);
  memset(outer, 0, bubbles * sizeof *outer);
  memset(inner, 0, bubbles * sizeof *inner);
  // Volumes of surface and inside, in the order of the particles.
  for (size_t i = 0; i < f->count; ++i) {
    double* sum = f->layer[i] == 1 ? outer : inner;
    sum[f->body[i]] += f->volume[i];
  }
  // Shares of both. Film that the surface does not hold is spread inside.
  f->overfull = 0;
  for (size_t b = 1; b < bubbles; ++b) {
    double on_surface = f->film[b] < outer[b] ? f->film[b] : outer[b];
    double left = f->film[b] - on_surface;
    f->overfull += left > 0 && outer[b] > 0;
    outer[b] = outer[b] > 0 ? on_surface / outer[b] : 0;
    inner[b] = inner[b] > 0 ? left / inner[b] : 0;
  }
  outer[0] = 1;
  inner[0] = 1;
  for (size_t i = 0; i < f->count; ++i) f->share[i] = (f->layer[i] == 1 ? outer : inner)[f->body[i]];
  rv_arena_release(arena, mark);
  return RV_OK;
}
