// Cached liquid that comes as VDBs only: particles are filled into the level set `surface` and moved by `vel`.
#include "base/memory.h"
#include "node/solver/cached_port.h"
#include "rivulet/vdb.h"

// In Houdini every VDB has a point of its own.
RvGrid* rv_cached_port_surface(const RvDetail* in) {
  RvGrid* grid = in ? rv_detail_find_vdb(in, "surface") : NULL;
  if (grid && rv_detail_count(in, RV_POINT) > rv_detail_count(in, RV_PRIM)) return NULL;
  return grid && rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET ? grid : NULL;
}

static bool cancelled(void* user, double fraction, const char* stage) {
  (void)fraction;
  return rv_cook_cancelled(user, 0, stage);
}

static void message(void* user, RvLevel level, const char* text) {
  const RvCook* whole = user;
  if (whole->host->message) whole->host->message(whole->host->user, level, text);
}

// the node `fill` does it, with its limits and its words for what is wrong
static RvResult fill(RvCook* whole, const RvDetail* in, double spacing, RvDetail** out, RvError* error) {
  const RvNodeType* type = rv_node_find("fill");
  RvParms* parms = rv_parms_new(type->parms);
  void* values = rv_alloc_zero(1, type->parms->struct_bytes);
  RvStats stats = {0};
  void* cache = NULL;
  RvHost host = {.user = whole, .cancelled = cancelled, .message = message};
  RvCook cook = {.type = type,
                 .node = whole->node,
                 .time = whole->time,
                 .parms = values,
                 .ninput = 1,
                 .input = &in,
                 .stats = &stats,
                 .cache = &cache,
                 .vars = whole->vars,
                 .host = &host};
  RvVars vars = {.frame = whole->time.frame, .fps = whole->time.fps};
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

static RvResult add_velocity(const RvGrid* vel, RvDetail* points, RvError* error) {
  size_t n = rv_detail_count(points, RV_POINT);
  float* v = rv_detail_f32_write(points, RV_POINT, "v", 3, error);
  const float* at = rv_detail_f32(points, RV_POINT, "P", 3);
  double* places = rv_alloc(3 * n + 1, sizeof *places);
  RvResult r = v && places ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the cached liquid");
  for (size_t k = 0; k < 3 * n && !r; ++k) places[k] = at[k];
  if (!r) r = rv_grid_sample(vel, n, places, v, error);
  rv_free(places);
  return r;
}

RvResult rv_cached_port_fill(RvCook* whole, int index, double spacing, RvDetail** out, RvError* error) {
  const RvDetail* in = whole->input[index];
  RvPortName port = rv_solver_port(whole, index);
  const RvGrid* vel = rv_detail_find_vdb(in, "vel");
  RvResult r = fill(whole, in, spacing, out, error);
  if (!r && !vel)
    rv_cook_warn(whole, "%s, has a VDB surface but no vel: it wets the strands, and is at rest", port.text);
  else if (!r && rv_grid_type(vel) != RV_GRID_VEC3)
    r = rv_fail(error, RV_BAD_INPUT, "%s, has a VDB vel that does not hold vectors", port.text);
  else if (!r)
    r = add_velocity(vel, *out, error);
  // the spacing tells how large they are, whatever the unit of the scene
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
