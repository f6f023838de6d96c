// Inputs of an embedded simulation by name, and the motion of their points.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "node/embed/sim.h"

RvResult rv_sim_find_port(const RvSim* sim, const char* name, bool output, size_t* out, RvError* error) {
  // by name, as the node table lists them
  const RvPortDef* ports = output ? sim->type->outputs : sim->type->inputs;
  size_t count = output ? sim->type->noutput : sim->type->ninput;
  for (size_t i = 0; name && i < count; ++i)
    if (strcmp(ports[i].name, name) == 0) {
      *out = i;
      return RV_OK;
    }
  // an unknown name is answered with those that there are
  char names[256] = "";
  for (size_t i = 0; i < count; ++i) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", ports[i].name);
  }
  return rv_fail(error, RV_NOT_FOUND, "sim '%s' (%s) has no %s '%s'; it has %s", sim->name, sim->type->type,
                 output ? "output" : "input", name ? name : "", names);
}

const RvDetail* rv_sim_piece_shape(const RvSimPiece* piece, bool next) {
  return next && piece->next ? piece->next : piece->shape;
}

size_t rv_sim_port_points(const RvSimPort* port, bool next) {
  size_t count = 0;
  for (size_t i = 0; i < port->pieces.count; ++i)
    count += rv_detail_count(rv_sim_piece_shape(&port->pieces.data[i], next), RV_POINT);
  return count;
}

void rv_sim_port_read(const RvSimPort* port, bool next, float* positions) {
  for (size_t i = 0; i < port->pieces.count; ++i) {
    const RvDetail* shape = rv_sim_piece_shape(&port->pieces.data[i], next);
    const float* P = rv_detail_f32(shape, RV_POINT, "P", 3);
    size_t count = 3 * rv_detail_count(shape, RV_POINT);
    if (P) memcpy(positions, P, count * sizeof *P);
    positions += count;
  }
}

RvResult rv_sim_check_positions(const char* port, const float* positions, size_t count, RvError* error) {
  for (size_t i = 0; i < 3 * count; ++i)
    if (!isfinite(positions[i]))
      return rv_fail(error, RV_BAD_INPUT, "input '%s': coordinate %c of point %zu is %g, which is no position", port,
                     "xyz"[i % 3], i / 3, (double)positions[i]);
  return RV_OK;
}

// A copy of a shape with other positions.
static RvResult moved(const RvDetail* shape, const float* positions, RvDetail** out, RvError* error) {
  RvDetail* copy = rv_detail_copy(shape);
  float* P = copy ? rv_detail_f32_write(copy, RV_POINT, "P", 3, error) : NULL;
  if (!P) {
    rv_detail_free(copy);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the points of an input");
  }
  memcpy(P, positions, 3 * rv_detail_count(copy, RV_POINT) * sizeof *P);
  *out = copy;
  return RV_OK;
}

RvResult rv_sim_port_move(RvSim* sim, RvSimPort* port, const float* positions, RvError* error) {
  for (size_t i = 0; i < port->pieces.count; ++i) {
    RvSimPiece* piece = &port->pieces.data[i];
    RvDetail* copy = NULL;
    // attributes that were set for the next frame stay with it
    RvResult result = moved(rv_sim_piece_shape(piece, true), positions, &copy, error);
    if (result) return result;
    positions += 3 * rv_detail_count(copy, RV_POINT);
    RvDetail** place = !rv_state_empty(&sim->state) ? &piece->next : &piece->shape;
    rv_detail_free(*place);
    *place = copy;
  }
  return RV_OK;
}

void rv_sim_port_clear(RvSimPort* port) {
  for (size_t i = 0; i < port->pieces.count; ++i) {
    RvSimPiece* piece = &port->pieces.data[i];
    rv_detail_free(piece->shape);
    rv_detail_free(piece->earlier);
    rv_detail_free(piece->next);
    rv_parms_free(piece->parms);
    if (piece->cache && piece->maker->free_cache) piece->maker->free_cache(piece->cache);
  }
  rv_array_free(&port->pieces);
  rv_detail_free(port->made);
  rv_detail_free(port->made_next);
  port->made = NULL;
  port->made_next = NULL;
}
