// The whole state of an embedded simulation to a file or memory and back. Beside the solver's own state a saved one has
// as detail attributes the frame, and for each input of strands or meshes its points at that frame and the one before:
// the solver needs them to know how a collider moved.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "node/embed/sim.h"

#define FRAME_NAME "rv_sim_frame"

// Name of the attribute that keeps the points of an input.
typedef struct Name {
  char text[96];
} Name;

static Name points_name(const RvSim* sim, size_t port, bool earlier) {
  Name name;
  snprintf(name.text, sizeof name.text, "rv_sim_%s_%s", earlier ? "earlier" : "points", sim->type->inputs[port].name);
  return name;
}

// Liquid is an input of the start frame alone, or of every frame anew; VDBs have no points.
static bool kept(const RvSim* sim, size_t port) {
  const RvSimPort* p = &sim->ports[port];
  return p->pieces.count && rv_sim_port_points(p, false) && rv_detail_count(p->pieces.data[0].shape, RV_VERTEX);
}

//---------------------------------------------------------------------------------------------- save

// Adds the points of an input at the state's frame, and those of the frame before if they were elsewhere.
static RvResult keep_points(const RvSim* sim, size_t port, RvDetail* state, RvError* error) {
  const RvSimPort* p = &sim->ports[port];
  size_t count = rv_sim_port_points(p, false);
  bool moved = false;
  for (size_t i = 0; i < p->pieces.count; ++i) moved = moved || p->pieces.data[i].earlier;
  for (int earlier = 0; earlier <= (int)moved; ++earlier) {
    Name name = points_name(sim, port, earlier);
    float* points = rv_detail_f32_write(state, RV_GLOBAL, name.text, (int)(3 * count), error);
    if (!points) return rv_fail(error, RV_NO_MEMORY, "out of memory for the points of input '%s'", name.text);
    for (size_t i = 0; i < p->pieces.count; ++i) {
      const RvSimPiece* piece = &p->pieces.data[i];
      const RvDetail* shape = earlier && piece->earlier ? piece->earlier : piece->shape;
      size_t n = 3 * rv_detail_count(piece->shape, RV_POINT);
      memcpy(points, rv_detail_f32(shape, RV_POINT, "P", 3), n * sizeof *points);
      points += n;
    }
  }
  return RV_OK;
}

// The state with all that a load needs.
static RvResult whole_state(const RvSim* sim, RvDetail** out, RvError* error) {
  if (rv_state_empty(&sim->state))
    return rv_fail(error, RV_BAD_INPUT, "sim '%s' has no state to save: call rv_sim_start before", sim->name);
  RvResult result = rv_sim_check_idle(sim, error);
  if (result) return result;
  RvDetail* copy = NULL;
  result = rv_node_join_state(&sim->state, &copy, error);
  if (result) return result;
  double* frame = copy ? rv_detail_f64_write(copy, RV_GLOBAL, FRAME_NAME, 1, error) : NULL;
  if (frame)
    *frame = sim->frame;
  else
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = 0; i < sim->type->ninput && !result; ++i)
    if (kept(sim, i)) result = keep_points(sim, i, copy, error);
  if (result)
    rv_detail_free(copy);
  else
    *out = copy;
  return result;
}

RvResult rv_sim_save(const RvSim* sim, const char* path, RvError* error) {
  RvDetail* whole = NULL;
  RvResult result = whole_state(sim, &whole, error);
  if (!result) result = rv_detail_save(whole, path, NULL, error);
  rv_detail_free(whole);
  return result;
}

RvResult rv_sim_save_memory(const RvSim* sim, void** bytes, size_t* count, RvError* error) {
  RvDetail* whole = NULL;
  *bytes = NULL;
  *count = 0;
  RvResult result = whole_state(sim, &whole, error);
  if (!result) result = rv_detail_encode(whole, "bgeo.sc", bytes, count, NULL, error);
  rv_detail_free(whole);
  return result;
}

//---------------------------------------------------------------------------------------------- load

// Saved points must be those of the inputs that are set now.
static RvResult check_points(const RvSim* sim, size_t port, const RvDetail* state, RvError* error) {
  size_t count = rv_sim_port_points(&sim->ports[port], false);
  for (int earlier = 0; earlier < 2; ++earlier) {
    const RvAttrib* points = rv_detail_find(state, RV_GLOBAL, points_name(sim, port, earlier).text);
    if (points && (rv_attrib_storage(points) != RV_F32 || (size_t)rv_attrib_size(points) != 3 * count))
      return rv_fail(error, RV_BAD_INPUT,
                     "input '%s' had %d points when the state was saved and has %zu now: set the same inputs before",
                     sim->type->inputs[port].name, rv_attrib_size(points) / 3, count);
  }
  return RV_OK;
}

// Poses of an input at the state's frame and the one before; without saved ones it stays as it is.
static RvResult take_points(RvSim* sim, size_t port, const RvDetail* state, RvError* error) {
  RvSimPort* p = &sim->ports[port];
  RvResult result = RV_OK;
  int count = (int)(3 * rv_sim_port_points(p, false));
  const float* now = rv_detail_f32(state, RV_GLOBAL, points_name(sim, port, false).text, count);
  const float* earlier = rv_detail_f32(state, RV_GLOBAL, points_name(sim, port, true).text, count);
  if (earlier) {
    result = rv_sim_port_move(sim, p, earlier, error);
    for (size_t i = 0; i < p->pieces.count && !result; ++i) {
      RvSimPiece* piece = &p->pieces.data[i];
      if (!(piece->earlier = rv_detail_copy(piece->shape))) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
  }
  if (!result && now) result = rv_sim_port_move(sim, p, now, error);
  return result;
}

// Everything that can be wrong with a state, before the present one is given up; and its parts.
static RvResult check_whole(RvSim* sim, const RvDetail* state, RvState* parts, double* frame, RvError* error) {
  RvResult result = rv_sim_check_idle(sim, error);
  if (!result) result = rv_detail_check(state, error);
  if (!result) result = rv_node_cut_state(sim->type, state, parts, error);
  if (result) rv_error_context(error, "this is no state of a %s", sim->type->type);
  if (result) return result;
  // a state of a scene says nothing of the frame
  const double* saved = rv_detail_f64(state, RV_GLOBAL, FRAME_NAME, 1);
  if (saved && isfinite(*saved))
    *frame = *saved;
  else
    result = rv_sim_start_frame(sim, frame, error);
  for (size_t i = 0; i < sim->type->ninput && !result; ++i)
    if (kept(sim, i)) result = check_points(sim, i, state, error);
  return result;
}

// Inputs as at the start, in the poses that were saved; what the solver saw of them is made anew.
static RvResult restore_inputs(RvSim* sim, const RvDetail* state, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < sim->type->ninput && !result; ++i) {
    RvSimPort* port = &sim->ports[i];
    for (size_t k = 0; k < port->pieces.count; ++k) {
      RvSimPiece* piece = &port->pieces.data[k];
      rv_detail_free(piece->earlier);
      rv_detail_free(piece->next);
      piece->earlier = NULL;
      piece->next = NULL;
    }
    if (kept(sim, i)) result = take_points(sim, i, state, error);
    rv_detail_free(port->made);
    port->made = NULL;
  }
  if (!result) result = rv_sim_make_inputs(sim, error);
  rv_sim_end_inputs(sim, !result);
  return result;
}

// What a save added is no part of the state, and would go into the outputs.
static void strip(const RvSim* sim, RvState* state) {
  for (int k = 0; k < RV_STATE_PARTS; ++k) {
    if (!state->part[k]) continue;
    rv_detail_remove_attrib(state->part[k], RV_GLOBAL, FRAME_NAME);
    for (size_t i = 0; i < sim->type->ninput; ++i) {
      rv_detail_remove_attrib(state->part[k], RV_GLOBAL, points_name(sim, i, false).text);
      rv_detail_remove_attrib(state->part[k], RV_GLOBAL, points_name(sim, i, true).text);
    }
  }
}

// Puts a state in the place of the simulation's, and frees the detail.
static RvResult adopt(RvSim* sim, RvDetail* state, RvError* error) {
  double frame;
  RvError own = {0};
  RvState parts = {0};
  if (!error) error = &own;
  RvResult result = check_whole(sim, state, &parts, &frame, error);
  if (result) {
    rv_state_free(&parts);
    rv_detail_free(state);
    return result;
  }
  // from here on the old state is gone; without one, points that are set are those of the frame itself
  rv_sim_drop_outputs(sim);
  rv_state_free(&sim->state);
  sim->stats = (RvStats){0};
  sim->frame = frame;
  sim->target = frame;
  sim->running = true;
  result = restore_inputs(sim, state, error);
  sim->running = false;
  strip(sim, &parts);
  if (result)
    rv_state_free(&parts);
  else
    sim->state = parts;
  rv_detail_free(state);
  return result;
}

RvResult rv_sim_load(RvSim* sim, const char* path, RvError* error) {
  RvDetail* state = NULL;
  RvResult result = rv_detail_load(path, &state, NULL, error);
  return result ? result : adopt(sim, state, error);
}

RvResult rv_sim_load_memory(RvSim* sim, const void* bytes, size_t count, RvError* error) {
  RvDetail* state = NULL;
  RvResult result = rv_detail_decode(bytes, count, &state, NULL, error);
  return result ? result : adopt(sim, state, error);
}
