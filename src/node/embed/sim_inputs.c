// Arrays of an embedding program as the inputs of its simulation.
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/result.h"
#include "node/embed/sim.h"
#include "parm/values.h"

//---------------------------------------------------------------------------------------------- points

// The error of arrays that do not fit.
static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", count);
}

// Positions of either kind as floats, checked; rv_free *out.
static RvResult read_positions(const char* port, const float* positions, const double* positions64, size_t count,
                               float** out, RvError* error) {
  *out = NULL;
  if (count > INT32_MAX / 3) return rv_fail(error, RV_LIMIT, "input '%s': %zu points are too many", port, count);
  if (count && !positions == !positions64)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': give either positions or positions64", port);
  float* copy = rv_alloc(3 * count, sizeof *copy);
  if (!copy) return no_memory(count, error);
  for (size_t i = 0; i < 3 * count; ++i) copy[i] = positions ? positions[i] : (float)positions64[i];
  RvResult result = rv_sim_check_positions(port, copy, count, error);
  if (result)
    rv_free(copy);
  else
    *out = copy;
  return result;
}

// One attribute of the caller's as a point attribute, with the tag that its name is known for.
static RvResult add_attrib(RvDetail* detail, const char* port, const RvSimAttrib* attrib, RvError* error) {
  size_t count = rv_detail_count(detail, RV_POINT);
  if (!attrib->name || !*attrib->name)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': an attribute has no name", port);
  if ((unsigned)attrib->storage >= RV_STORAGE_COUNT || attrib->storage == RV_STRING || attrib->size < 1)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': attribute '%s' has no storage of numbers, or no size", port,
                   attrib->name);
  if (count && !attrib->values)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': attribute '%s' has no values", port, attrib->name);
  RvAttrib* made;
  RvTag tag = rv_tag_well_known(attrib->name, attrib->storage, attrib->size);
  RvResult result =
      rv_detail_add_attrib(detail, RV_POINT, attrib->name, attrib->storage, attrib->size, tag, &made, error);
  if (result) rv_error_context(error, "input '%s'", port);
  if (result) return result;
  void* values = rv_attrib_write(made);
  if (!values) return no_memory(count, error);
  memcpy(values, attrib->values, count * (size_t)attrib->size * rv_storage_bytes(attrib->storage));
  return RV_OK;
}

// New points with positions and two lists of attributes: those that the definition has members for, of which the ones
// without values are left out, and the caller's own.
static RvResult add_points(RvDetail* detail, const char* port, const float* positions, size_t count,
                           const RvSimAttrib* const lists[2], const size_t counts[2], RvError* error) {
  RvResult result = rv_detail_add_points(detail, count, NULL, error);
  float* P = result ? NULL : rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
  if (!result && !P) result = no_memory(count, error);
  if (!result) memcpy(P, positions, 3 * count * sizeof *P);
  for (int list = 0; list < 2; ++list)
    for (size_t i = 0; i < counts[list] && !result; ++i) {
      const RvSimAttrib* attrib = &lists[list][i];
      if (list == 0 && !attrib->values) continue;
      result = add_attrib(detail, port, attrib, error);
    }
  return result;
}

// Whether the attribute list itself can be read.
static RvResult check_list(const char* port, const RvSimAttrib* attribs, size_t count, RvError* error) {
  if (!count || attribs) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "input '%s': attrib_count is %zu and attribs is NULL", port, count);
}

//---------------------------------------------------------------------------------------------- single pieces

// Puts a detail, which becomes the simulation's, on an input.
static RvResult put(RvSim* sim, size_t port, RvDetail* detail, RvError* error) {
  // after the start it is the input at the next frame
  RvSimPort* p = &sim->ports[port];
  bool single = p->pieces.count == 1 && !p->pieces.data[0].maker;
  if (!rv_state_empty(&sim->state) && single) {
    rv_detail_free(p->pieces.data[0].next);
    p->pieces.data[0].next = detail;
    return RV_OK;
  }
  // before it, it takes the place of what was there
  RvResult result = RV_OK;
  if (!rv_state_empty(&sim->state))
    result = rv_fail(error, RV_BAD_INPUT, "input '%s' was %s at the start, and cannot become something else",
                     sim->type->inputs[port].name, p->pieces.count ? "meshes" : "empty");
  if (!result) {
    rv_sim_port_clear(p);
    RvSimPiece piece = {.shape = detail};
    if (!rv_array_push(&p->pieces, piece)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (result) rv_detail_free(detail);
  return result;
}

// Finds the input of a setter, which must not be called while a step runs.
static RvResult begin(RvSim* sim, const char* port, size_t* index, RvError* error) {
  RvResult result = rv_sim_check_idle(sim, error);
  return result ? result : rv_sim_find_port(sim, port, false, index, error);
}

// Counts that agree with each other; positions are checked where they are read.
static RvResult check_strands(const char* port, const RvSimStrands* s, RvError* error) {
  RvResult result = rv_struct_check("RvSimStrands", "rv_sim_strands_default", s->size, s->version, sizeof *s, error);
  if (result) return result;
  if (s->strand_count && !s->point_counts)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': point_counts is NULL, but there are %zu strands", port,
                   s->strand_count);
  size_t sum = 0;
  for (size_t i = 0; i < s->strand_count; ++i) {
    if (s->point_counts[i] < 2)
      return rv_fail(error, RV_BAD_INPUT, "input '%s': strand %zu has %d points; a strand needs 2 or more", port, i,
                     s->point_counts[i]);
    sum += (size_t)s->point_counts[i];
  }
  if (sum != s->point_count)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': point_counts add up to %zu points, but point_count is %zu", port,
                   sum, s->point_count);
  return check_list(port, s->attribs, s->attrib_count, error);
}

// Open curves over points that follow each other.
static RvResult add_curves(RvDetail* detail, const RvSimStrands* s, RvError* error) {
  int32_t* points = rv_alloc(s->point_count, sizeof *points);
  if (!points) return no_memory(s->point_count, error);
  for (size_t i = 0; i < s->point_count; ++i) points[i] = (int32_t)i;
  RvResult result =
      rv_detail_add_polygons(detail, RV_PRIM_CURVE, s->strand_count, s->point_counts, points, NULL, error);
  rv_free(points);
  return result;
}

RvResult rv_sim_set_strands(RvSim* sim, const char* port, const RvSimStrands* strands, RvError* error) {
  size_t index;
  float* positions = NULL;
  RvDetail* detail = NULL;
  // checks
  RvResult result = begin(sim, port, &index, error);
  if (!result) result = check_strands(port, strands, error);
  if (!result)
    result = read_positions(port, strands->positions, strands->positions64, strands->point_count, &positions, error);
  // points and their attributes by the names that the solvers read, then the curves over them
  if (!result && !(detail = rv_detail_new())) result = no_memory(strands->point_count, error);
  if (!result) {
    const RvSimAttrib own[] = {{"hairradius", RV_F32, 1, strands->hair_radius},
                               {"filmheight", RV_F32, 1, strands->film_height}};
    const RvSimAttrib* const lists[2] = {own, strands->attribs};
    const size_t counts[2] = {sizeof own / sizeof *own, strands->attrib_count};
    result = add_points(detail, port, positions, strands->point_count, lists, counts, error);
  }
  if (!result) result = add_curves(detail, strands, error);
  rv_free(positions);
  if (!result) return put(sim, index, detail, error);
  rv_detail_free(detail);
  return result;
}

RvResult rv_sim_set_liquid(RvSim* sim, const char* port, const RvSimLiquid* liquid, RvError* error) {
  size_t index;
  float* positions = NULL;
  RvDetail* detail = NULL;
  RvResult result = begin(sim, port, &index, error);
  if (!result)
    result =
        rv_struct_check("RvSimLiquid", "rv_sim_liquid_default", liquid->size, liquid->version, sizeof *liquid, error);
  if (!result) result = check_list(port, liquid->attribs, liquid->attrib_count, error);
  if (!result)
    result = read_positions(port, liquid->positions, liquid->positions64, liquid->point_count, &positions, error);
  // points and their attributes by the names that the solvers read
  if (!result && !(detail = rv_detail_new())) result = no_memory(liquid->point_count, error);
  if (!result) {
    const RvSimAttrib own[] = {{"v", RV_F32, 3, liquid->velocities},
                               {"pscale", RV_F32, 1, liquid->radii},
                               {"id", RV_I64, 1, liquid->ids},
                               {"volume", RV_F64, 1, liquid->volumes}};
    const RvSimAttrib* const lists[2] = {own, liquid->attribs};
    const size_t counts[2] = {sizeof own / sizeof *own, liquid->attrib_count};
    result = add_points(detail, port, positions, liquid->point_count, lists, counts, error);
  }
  rv_free(positions);
  if (!result) return put(sim, index, detail, error);
  rv_detail_free(detail);
  return result;
}

RvResult rv_sim_set_detail(RvSim* sim, const char* port, const RvDetail* detail, RvError* error) {
  size_t index;
  RvResult result = begin(sim, port, &index, error);
  if (!result && !detail) result = rv_fail(error, RV_BAD_INPUT, "input '%s': the detail is NULL", port);
  if (!result) result = rv_detail_check(detail, error);
  if (result) return result;
  RvDetail* copy = rv_detail_copy(detail);
  return copy ? put(sim, index, copy, error) : rv_fail(error, RV_NO_MEMORY, "out of memory for an input");
}

//---------------------------------------------------------------------------------------------- meshes

// The node that makes an input out of meshes.
static RvResult find_maker(const char* port, const RvNodeType** out, RvError* error) {
  *out = NULL;
  if (strcmp(port, "colliders") == 0) *out = rv_node_find("collider");
  if (strcmp(port, "sources") == 0) *out = rv_node_find("source");
  if (*out) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT,
                 "input '%s' takes no meshes: colliders and sources do; rv_sim_set_detail takes any geometry", port);
}

// Triangles that name points of the mesh.
static RvResult check_mesh(const char* port, const RvSimMesh* m, RvError* error) {
  RvResult result = rv_struct_check("RvSimMesh", "rv_sim_mesh_default", m->size, m->version, sizeof *m, error);
  if (result) return result;
  if (m->triangle_count && !m->triangles)
    return rv_fail(error, RV_BAD_INPUT, "input '%s': triangles is NULL, but there are %zu", port, m->triangle_count);
  for (size_t i = 0; i < 3 * m->triangle_count; ++i)
    if (m->triangles[i] < 0 || (size_t)m->triangles[i] >= m->point_count)
      return rv_fail(error, RV_BAD_INPUT, "input '%s': triangle %zu names point %d; the mesh has %zu points", port,
                     i / 3, m->triangles[i], m->point_count);
  return check_list(port, m->attribs, m->attrib_count, error);
}

// Closed polygons of three corners.
static RvResult add_triangles(RvDetail* detail, const RvSimMesh* m, RvError* error) {
  int32_t* corners = rv_alloc(m->triangle_count, sizeof *corners);
  if (!corners) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu triangles", m->triangle_count);
  for (size_t i = 0; i < m->triangle_count; ++i) corners[i] = 3;
  RvResult result =
      rv_detail_add_polygons(detail, RV_PRIM_POLYGON, m->triangle_count, corners, m->triangles, NULL, error);
  rv_free(corners);
  return result;
}

// A mesh as geometry, before it goes through its node.
static RvResult make_mesh(const char* port, const RvSimMesh* m, RvDetail** out, RvError* error) {
  float* positions = NULL;
  RvDetail* detail = NULL;
  RvResult result = read_positions(port, m->positions, m->positions64, m->point_count, &positions, error);
  if (!result && !(detail = rv_detail_new())) result = no_memory(m->point_count, error);
  if (!result) {
    const RvSimAttrib* const lists[2] = {NULL, m->attribs};
    const size_t counts[2] = {0, m->attrib_count};
    result = add_points(detail, port, positions, m->point_count, lists, counts, error);
  }
  if (!result) result = add_triangles(detail, m, error);
  rv_free(positions);
  if (result)
    rv_detail_free(detail);
  else
    *out = detail;
  return result;
}

// Values of the node of a mesh, from pairs of token and text.
static RvResult make_parms(const RvSim* sim, const RvNodeType* maker, const char* const* pairs, RvParms** out,
                           RvError* error) {
  *out = rv_parms_new(maker->parms);
  if (!*out) return rv_fail(error, RV_NO_MEMORY, "out of memory for a mesh");
  rv_parms_set_meters(*out, sim->def.meters_per_unit);
  for (size_t i = 0; pairs && pairs[i]; i += 2) {
    if (!pairs[i + 1]) return rv_fail(error, RV_BAD_INPUT, "parameter '%s' has no value after it", pairs[i]);
    RvResult result = rv_parms_set_text(*out, pairs[i], pairs[i + 1], error);
    if (result) return result;
  }
  return RV_OK;
}

RvResult rv_sim_add_mesh(RvSim* sim, const char* port, const RvSimMesh* def, size_t* mesh, RvError* error) {
  size_t index;
  RvSimPiece piece = {0};
  // everything is checked and made before the input is touched
  RvResult result = begin(sim, port, &index, error);
  if (!result) result = find_maker(port, &piece.maker, error);
  if (!result && !rv_state_empty(&sim->state))
    result = rv_fail(error, RV_BAD_INPUT, "input '%s': meshes are added before the start; rv_sim_set_points moves them",
                     port);
  if (!result) result = check_mesh(port, def, error);
  if (!result) result = make_mesh(port, def, &piece.shape, error);
  if (result) return result;
  RvSimPort* p = &sim->ports[index];
  result = make_parms(sim, piece.maker, def->parms, &piece.parms, error);
  if (result) rv_error_context(error, "input '%s', mesh %zu (%s)", port, p->pieces.count, piece.maker->type);
  // geometry that was there gives way to meshes
  if (!result && p->pieces.count && !p->pieces.data[0].maker) rv_sim_port_clear(p);
  if (!result && !rv_array_push(&p->pieces, piece)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for a mesh");
  if (result) {
    rv_detail_free(piece.shape);
    rv_parms_free(piece.parms);
  } else if (mesh) {
    *mesh = p->pieces.count - 1;
  }
  return result;
}

//---------------------------------------------------------------------------------------------- motion

// Positions of either kind for all points of an input.
static RvResult move(RvSim* sim, const char* port, const float* positions, const double* positions64, size_t count,
                     RvError* error) {
  size_t index;
  float* copy;
  RvResult result = begin(sim, port, &index, error);
  if (result) return result;
  RvSimPort* p = &sim->ports[index];
  size_t has = rv_sim_port_points(p, true);
  if (count != has)
    return rv_fail(error, RV_BAD_INPUT, "input '%s' has %zu points, and %zu positions were given: give one for each",
                   port, has, count);
  result = read_positions(port, positions, positions64, count, &copy, error);
  if (!result) result = rv_sim_port_move(sim, p, copy, error);
  rv_free(copy);
  return result;
}

RvResult rv_sim_set_points(RvSim* sim, const char* port, const float* positions, size_t count, RvError* error) {
  return move(sim, port, positions, NULL, count, error);
}

RvResult rv_sim_set_points64(RvSim* sim, const char* port, const double* positions, size_t count, RvError* error) {
  return move(sim, port, NULL, positions, count, error);
}
