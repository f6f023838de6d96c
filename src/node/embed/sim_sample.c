// What a solver sees of the inputs of an embedded simulation: at the frame of the step, at the one before it, and,
// where the program has a callback for it, at any moment between them.
#include <string.h>

#include "base/memory.h"
#include "node/embed/sim.h"

// One cook of the node behind a mesh.
typedef struct Cook {
  RvSim* sim;
  size_t port, piece;
  bool quiet;                   // samples between frames repeat the warnings of whole ones
  RV_ARRAY(RvDetail*) samples;  // the mesh at other moments, until the cook ends
} Cook;

// Name of an input, for the callback and for errors.
static const char* port_name(const RvSim* sim, size_t port) {
  return sim->type->inputs[port].name;
}

//---------------------------------------------------------------------------------------------- pieces

// Whether the callback knows the points of an input at the frame of the step. One that does not is not asked at other
// moments of the step either, and stays as it was set.
static RvResult ask_once(RvSim* sim, size_t port, RvError* error) {
  RvSimPort* p = &sim->ports[port];
  p->asked = false;
  size_t count = rv_sim_port_points(p, true);
  if (!sim->def.points_at || !count) return RV_OK;
  float* all = rv_alloc(3 * count, sizeof *all);
  if (!all) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
  rv_sim_port_read(p, true, all);
  p->asked = sim->def.points_at(sim->def.user, port_name(sim, port), sim->target, count, all);
  rv_free(all);
  return RV_OK;
}

// Asks the callback for a piece at a moment. *out is NULL where it does not know.
static RvResult ask(RvSim* sim, size_t port, size_t piece, double frame, RvDetail** out, RvError* error) {
  const RvSimPort* p = &sim->ports[port];
  *out = NULL;
  if (!p->asked) return RV_OK;
  // the callback is given all points of the input, as they were set, and fills in those of the moment
  size_t count = rv_sim_port_points(p, true);
  size_t first = 0;
  for (size_t i = 0; i < piece; ++i) first += rv_detail_count(rv_sim_piece_shape(&p->pieces.data[i], true), RV_POINT);
  float* all = rv_alloc(3 * count, sizeof *all);
  if (!all) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
  rv_sim_port_read(p, true, all);
  RvResult result = RV_OK;
  if (sim->def.points_at(sim->def.user, port_name(sim, port), frame, count, all)) {
    // of its answer the piece takes the part that is its own
    result = rv_sim_check_positions(port_name(sim, port), all, count, error);
    if (!result) *out = rv_detail_copy(rv_sim_piece_shape(&p->pieces.data[piece], true));
    float* P = *out ? rv_detail_f32_write(*out, RV_POINT, "P", 3, error) : NULL;
    if (P)
      memcpy(P, all + 3 * first, 3 * rv_detail_count(*out, RV_POINT) * sizeof *P);
    else if (!result)
      result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
  }
  rv_free(all);
  if (result) {
    rv_detail_free(*out);
    *out = NULL;
  }
  return result;
}

// A piece where no callback knows it, at the last known frame that is not later; NULL after the step's frame.
static const RvDetail* known(const RvSim* sim, const RvSimPiece* piece, double frame) {
  if (frame > sim->target) return NULL;
  bool stepping = sim->target > sim->frame;
  if (stepping && frame > sim->frame && piece->next) return piece->next;
  if (frame <= sim->frame - 1 && piece->earlier) return piece->earlier;
  return piece->shape;
}

// RvHost.input_at of the node behind a mesh.
static RvResult piece_input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  Cook* cook = user;
  (void)index;
  RvDetail* asked = NULL;
  RvResult result = ask(cook->sim, cook->port, cook->piece, frame, &asked, error);
  if (result) return result;
  if (asked) {
    if (!rv_array_push(&cook->samples, asked)) {
      rv_detail_free(asked);
      return rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
    *out = asked;
    return RV_OK;
  }
  // a mesh is not known after the step's frame: its velocity is then that since the frame before
  *out = known(cook->sim, &cook->sim->ports[cook->port].pieces.data[cook->piece], frame);
  return *out ? RV_OK : rv_fail(error, RV_NOT_FOUND, "the next frame is not known");
}

// RvHost.message of the node behind a mesh.
static void piece_message(void* user, RvLevel level, const char* text) {
  const Cook* cook = user;
  if (!cook->quiet) rv_sim_message(cook->sim, level, text);
}

// RvHost.cancelled of the node behind a mesh; the step of the solver has not begun.
static bool piece_cancelled(void* user, double fraction, const char* stage) {
  const RvSim* sim = ((const Cook*)user)->sim;
  (void)fraction;
  return sim->def.cancelled && sim->def.cancelled(sim->def.user, 0, stage);
}

// Sends a mesh through its node.
static RvResult cook_piece(Cook* c, const RvDetail* shape, double frame, RvDetail** out, RvError* error) {
  RvSim* sim = c->sim;
  RvSimPiece* piece = &sim->ports[c->port].pieces.data[c->piece];
  // what the node sees of its host
  RvVars vars = {.frame = frame, .fps = sim->def.fps, .out = ".", .hip = ".", .node = sim->name};
  RvHost host = {.user = c, .cancelled = piece_cancelled, .message = piece_message, .input_at = piece_input_at};
  RvStats stats = {0};
  void* parms = rv_alloc_zero(1, piece->maker->parms->struct_bytes + 1);
  if (!parms) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvCook cook = {.type = piece->maker,
                 .node = sim->name,
                 .time = {frame, sim->def.fps, (frame - 1) / sim->def.fps, sim->def.meters_per_unit},
                 .parms = parms,
                 .ninput = 1,
                 .input = &shape,
                 .stats = &stats,
                 .cache = &piece->cache,
                 .vars = &vars,
                 .host = &host};
  RvResult result = rv_parms_eval(piece->parms, &vars, parms, error);
  piece->parms_hash = rv_parms_hash(piece->parms);
  if (!result) result = piece->maker->cook(&cook, error);
  if (result)
    rv_error_context(error, "input '%s', mesh %zu (%s)", port_name(sim, c->port), c->piece, piece->maker->type);
  // the mesh at other moments was lent for the cook alone
  for (size_t i = 0; i < c->samples.count; ++i) rv_detail_free(c->samples.data[i]);
  rv_array_free(&c->samples);
  rv_free(parms);
  *out = cook.output[0];
  return result;
}

// A piece at a moment as the solver sees it.
static RvResult make_piece(RvSim* sim, size_t port, size_t piece, double frame, RvDetail** out, RvError* error) {
  RvSimPiece* p = &sim->ports[port].pieces.data[piece];
  RvDetail* asked = NULL;
  RvResult result = ask(sim, port, piece, frame, &asked, error);
  if (result) return result;
  bool whole = frame == sim->target;
  // the callback's pose of the step's frame is the next one, as if it had been set
  if (asked && whole) {
    RvDetail** place = sim->target > sim->frame ? &p->next : &p->shape;
    rv_detail_free(*place);
    *place = asked;
  }
  const RvDetail* shape = asked ? asked : known(sim, p, frame < sim->target ? frame : sim->target);
  Cook cook = {.sim = sim, .port = port, .piece = piece, .quiet = !whole};
  if (p->maker)
    result = cook_piece(&cook, shape, frame, out, error);
  else if (!(*out = rv_detail_copy(shape)))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for an input");
  if (asked && !whole) rv_detail_free(asked);
  return result;
}

//---------------------------------------------------------------------------------------------- inputs

// Whether parameters of the nodes behind an input's meshes change with time.
static bool is_keyed(const RvSimPort* port) {
  bool keyed = false;
  for (size_t i = 0; i < port->pieces.count && !keyed; ++i)
    keyed = port->pieces.data[i].parms && rv_parms_animated(port->pieces.data[i].parms);
  return keyed;
}

// Whether what the solver sees of an input may differ from what it saw at the frame of the state.
static bool changes(const RvSimPort* port) {
  bool some = !port->made || port->asked;
  for (size_t i = 0; i < port->pieces.count && !some; ++i) {
    const RvSimPiece* piece = &port->pieces.data[i];
    // a mesh that has just stopped still has the velocity of the frame before
    some = piece->next || piece->earlier || (piece->parms && rv_parms_hash(piece->parms) != piece->parms_hash);
  }
  return some || is_keyed(port);
}

// All pieces of an input in one detail.
static RvResult make_port(RvSim* sim, size_t port, double frame, RvDetail** out, RvError* error) {
  *out = NULL;
  RvResult result = RV_OK;
  for (size_t i = 0; i < sim->ports[port].pieces.count && !result; ++i) {
    RvDetail* piece = NULL;
    result = make_piece(sim, port, i, frame, &piece, error);
    if (!result && *out) {
      result = rv_detail_merge(*out, piece, error);
      rv_detail_free(piece);
    } else if (!result) {
      *out = piece;
    }
  }
  if (result) {
    rv_detail_free(*out);
    *out = NULL;
  }
  return result;
}

RvResult rv_sim_make_inputs(RvSim* sim, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < sim->type->ninput && !result; ++i) {
    RvSimPort* port = &sim->ports[i];
    if (!port->pieces.count) continue;
    result = ask_once(sim, i, error);
    if (result || !changes(port)) continue;
    RvDetail* made = NULL;
    result = make_port(sim, i, sim->target, &made, error);
    rv_detail_free(port->made_next);
    port->made_next = made;
  }
  return result;
}

RvResult rv_sim_input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  RvSim* sim = user;
  *out = NULL;
  if (index >= sim->type->ninput) return RV_OK;
  RvSimPort* port = &sim->ports[index];
  const RvDetail* now = port->made_next ? port->made_next : port->made;
  // whole frames are known; without a callback the nearer known frame is the answer, and the solver interpolates
  bool animated = changes(port);
  if (!now || frame == sim->target || !animated) {
    *out = now;
    return RV_OK;
  }
  if (frame == sim->frame && port->made) {
    *out = port->made;
    return RV_OK;
  }
  if (!port->asked && !is_keyed(port)) {
    *out = frame < sim->target && port->made ? port->made : now;
    return RV_OK;
  }
  // what was asked for in this step already
  for (size_t i = 0; i < sim->samples.count; ++i) {
    const RvSimSample* sample = &sim->samples.data[i];
    if (sample->port != index || sample->frame != frame) continue;
    *out = sample->detail;
    return RV_OK;
  }
  // a new moment, kept until the step ends
  RvSimSample sample = {index, frame, NULL};
  RvResult result = make_port(sim, index, frame, &sample.detail, error);
  if (!result && !rv_array_push(&sim->samples, sample)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result)
    rv_detail_free(sample.detail);
  else
    *out = sample.detail;
  return result;
}

void rv_sim_end_inputs(RvSim* sim, bool done) {
  for (size_t i = 0; i < sim->samples.count; ++i) rv_detail_free(sim->samples.data[i].detail);
  rv_array_free(&sim->samples);
  for (size_t i = 0; i < sim->type->ninput; ++i) {
    RvSimPort* port = &sim->ports[i];
    // what the solver saw in this step is what it saw before the next
    if (done && port->made_next) {
      rv_detail_free(port->made);
      port->made = port->made_next;
    } else {
      rv_detail_free(port->made_next);
    }
    port->made_next = NULL;
    // the poses move on by one frame
    bool stepped = done && sim->target > sim->frame;
    for (size_t k = 0; k < port->pieces.count && stepped; ++k) {
      RvSimPiece* piece = &port->pieces.data[k];
      rv_detail_free(piece->earlier);
      piece->earlier = piece->next ? piece->shape : NULL;
      if (piece->next) piece->shape = piece->next;
      piece->next = NULL;
    }
  }
}
