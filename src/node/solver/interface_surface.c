// What the interface solver tells of the surface of its liquid: layers of particles.
#include "interface/layers.h"
#include "node/solver/interface_frame.h"

// Exact places of a state's points, m; the arena's.
static double* places_of(const RvDetail* state, size_t count, RvArena* arena) {
  const double* cell = rv_detail_f64(state, RV_POINT, "rv_cell", 3);
  const double* dx = rv_detail_f64(state, RV_GLOBAL, "rv_dx", 1);
  double* place = RV_TAKE(arena, double, 3 * count + 1);
  for (size_t i = 0; place && cell && dx && i < 3 * count; ++i) place[i] = cell[i] * dx[0];
  return cell && dx ? place : NULL;
}

// Spacing of the particles, m: at the start frame the port does not know it yet.
static double spacing_of(const RvInterfaceFrame* f, const RvDetail* state) {
  const double* dx = rv_detail_f64(state, RV_GLOBAL, "rv_dx", 1);
  return dx ? dx[0] / f->parms.gridscale : 0;
}

RvResult rv_interface_frame_mark(RvInterfaceFrame* f, RvDetail* state, RvError* error) {
  int most = (int)rv_solver_number(f->cook, "layers");
  size_t count = state ? rv_detail_count(state, RV_POINT) : 0;
  if (!most || !count) return RV_OK;
  RvArenaMark mark = rv_arena_mark(f->arena);
  uint8_t* layer = RV_TAKE(f->arena, uint8_t, count);
  int32_t* out = rv_detail_i32_write(state, RV_POINT, "layer", 1, error);
  RvInterfaceLayers layers = {.count = count,
                              .place = places_of(state, count, f->arena),
                              .spacing = spacing_of(f, state),
                              .most = most,
                              .layer = layer};
  RvResult result = RV_OK;
  if (!layers.place || !layer || !out) result = rv_fail(error, RV_NO_MEMORY, "out of memory for the layers");
  if (!result) result = rv_interface_find_layers(&layers, f->arena, error);
  for (size_t i = 0; i < count && !result; ++i) out[i] = layer[i];
  rv_arena_release(f->arena, mark);
  return result;
}
