// Cached liquid given as VDBs only: the level set `surface` is filled with particles, whose velocities are sampled from
// `vel`.
#include "base/memory.h"
#include "node/solver/cached_port.h"
#include "rivulet/vdb.h"

// In Houdini every VDB primitive has one point; more points are particles, and these are used then.
RvGrid* rv_cached_port_surface(const RvDetail* in) {
  RvGrid* grid = in ? rv_detail_find_vdb(in, "surface") : NULL;
  if (grid && rv_detail_count(in, RV_POINT) > rv_detail_count(in, RV_PRIM)) return NULL;
  return grid && rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET ? grid : NULL;
}

// Cancellation and messages of the inner node go to the host of the outer cook.
static bool cancelled(void* user, double fraction, const char* stage) {
  (void)fraction;
  return rv_cook_cancelled(user, 0, stage);
}

static void message(void* user, RvLevel level, const char* text) {
  const RvCook* outer = user;
  if (outer->host->message) outer->host->message(outer->host->user, level, text);
}

// Fills the level set with particles by cooking the node `fill`, with its limits and its error messages.
static RvResult fill(RvCook* outer, const RvDetail* in, double spacing, RvDetail** out, RvError* error) {
  // A cook of that node within the outer one.
  const RvNodeType* type = rv_node_find("fill");
  RvParms* parms = rv_parms_new(type->parms);
  void* values = rv_alloc_zero(1, type->parms->struct_bytes);
  RvStats stats = {0};
  void* cache = NULL;
  RvHost host = {.user = outer, .cancelled = cancelled, .message = message};
  RvCook cook = {.type = type,
                 .node = outer->node,
                 .time = outer->time,
                 .parms = values,
                 .ninput = 1,
                 .input = &in,
                 .stats = &stats,
                 .cache = &cache,
                 .vars = outer->vars,
                 .host = &host};
  // Its parameters, and the cook.
  RvVars vars = {.frame = outer->time.frame, .fps = outer->time.fps};
  RvResult r = parms && values ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  if (!r) r = rv_parms_set(parms, "particlesep", 0, spacing, error);
  if (!r) r = rv_parms_set_string(parms, "vdbname", "surface", error);
  if (!r) r = rv_parms_eval(parms, &vars, values, error);
  if (!r) r = type->cook(&cook, error);
  *out = cook.output[0];
  rv_parms_free(parms);
  rv_free(values);
  return r;
}

// Samples the velocity field at the particles.
static RvResult add_velocity(const RvGrid* vel, RvDetail* points, RvError* error) {
  size_t n = rv_detail_count(points, RV_POINT);
  float* v = rv_detail_f32_write(points, RV_POINT, "v", 3, error);
  const float* P = rv_detail_f32(points, RV_POINT, "P", 3);
  double* positions = rv_alloc(3 * n + 1, sizeof *positions);
  RvResult r = v && positions ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  for (size_t k = 0; k < 3 * n && !r; ++k) positions[k] = P[k];
  if (!r) r = rv_grid_sample(vel, n, positions, v, error);
  rv_free(positions);
  return r;
}

RvResult rv_cached_port_fill(RvCook* outer, int index, double spacing, RvDetail** out, RvError* error) {
  const RvDetail* in = outer->input[index];
  RvPortName port = rv_solver_port(outer, index);
  // Particles, and their velocities.
  const RvGrid* vel = rv_detail_find_vdb(in, "vel");
  RvResult r = fill(outer, in, spacing, out, error);
  if (!r && !vel)
    rv_cook_warn(outer, "%s, has a VDB surface but no vel: it wets the strands, and is at rest", port.text);
  else if (!r && rv_grid_type(vel) != RV_GRID_VEC3)
    r = rv_fail(error, RV_BAD_INPUT, "%s, has a VDB vel that does not hold vectors", port.text);
  else if (!r)
    r = add_velocity(vel, *out, error);
  // The size of the particles is that of the spacing, whatever the unit of the scene.
  if (!r) {
    rv_detail_remove_attrib(*out, RV_POINT, "volume");
    rv_detail_remove_attrib(*out, RV_POINT, "pscale");
  }
  if (r) {
    rv_detail_free(*out);
    *out = NULL;
  }
  return r;
}
