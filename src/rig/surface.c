// The rig of the surface: particles in balls, wet strands, the node cooked alone, and measures of the mesh it makes.
#include "rig/surface.h"

#include "base/rng.h"
#include "math/scalar.h"

// Lattice of separation s cut to the ball; pscale is the radius of a ball of the particle's volume.
bool rv_rig_drops_ball(RvDrops* drops, RvVec3 centre, double radius, double s, double jitter, uint64_t seed) {
  int n = (int)(radius / s) + 2;
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      for (int k = -n; k < n; ++k) {
        // Every site has its own random numbers, whatever the radius; a side has fewer than 4096 sites.
        uint64_t at = ((uint64_t)(i + n) * 4096 + (uint64_t)(j + n)) * 4096 + (uint64_t)(k + n);
        RvVec3 x = rv_vec3(i + 0.5, j + 0.5, k + 0.5);
        x.x += jitter * (rv_random(seed, at, 0, 0) - 0.5);
        x.y += jitter * (rv_random(seed, at, 0, 1) - 0.5);
        x.z += jitter * (rv_random(seed, at, 1, 0) - 0.5);
        x = rv_scale(x, s);
        RvDrop drop = {rv_add(centre, x), s * s * s, s * rv_pow(3 / (4 * RV_PI), 1.0 / 3)};
        if (rv_length(x) <= radius && !rv_array_push(drops, drop)) return false;
      }
  return true;
}

// Attributes as a cache or a solver gives them.
RvDetail* rv_rig_drops_detail(const RvDrops* drops, bool volume, bool pscale, RvError* error) {
  RvDetail* d = rv_detail_new();
  if (!d || rv_detail_add_points(d, drops->count, NULL, error)) {
    rv_detail_free(d);
    return NULL;
  }
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  double* v = volume ? rv_detail_f64_write(d, RV_POINT, "volume", 1, error) : NULL;
  float* r = pscale ? rv_detail_f32_write(d, RV_POINT, "pscale", 1, error) : NULL;
  for (size_t i = 0; P && i < drops->count; ++i) {
    rv_vec3_store(P + 3 * i, drops->data[i].x);
    if (v) v[i] = drops->data[i].volume;
    if (r) r[i] = (float)drops->data[i].pscale;
  }
  return d;
}

RvResult rv_rig_surface_strand(RvDetail* d, RvVec3 from, double step, int count, double radius, const double* height,
                               RvError* error) {
  size_t first;
  RvResult r = rv_detail_add_curves(d, 1, (size_t)count, &first, NULL, error);
  float* P = r ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* h = P ? rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error) : NULL;
  float* hair = h ? rv_detail_f32_write(d, RV_POINT, "hairradius", 1, error) : NULL;
  for (int i = 0; hair && i < count; ++i) {
    size_t at = first + (size_t)i;
    rv_vec3_store(P + 3 * at, rv_add(from, rv_vec3(step * i, 0, 0)));
    h[at] = (float)height[i];
    hair[at] = (float)radius;
  }
  return hair ? RV_OK : error->code;
}

// A node needs variables, statistics, a cache and a host; these are the least of each.
RvResult rv_rig_surface_cook(const RvDetail* input, const char* const* parms, RvDetail* out[3], RvError* error) {
  const RvNodeType* type = rv_node_find("surface");
  RvVars vars = {.frame = 1, .fps = 24, .out = ".", .hip = ".", .node = "surface"};
  RvStats stats = {0};
  RvHost host = {0};
  void *cache = NULL, *values = rv_alloc_zero(1, type->parms->struct_bytes);
  RvParms* set = rv_parms_new(type->parms);
  RvCook cook = {.type = type,
                 .node = "surface",
                 .time = {1, 24, 0, 1},
                 .parms = values,
                 .ninput = 1,
                 .input = (const RvDetail*[]){input},
                 .stats = &stats,
                 .cache = &cache,
                 .vars = &vars,
                 .host = &host};
  // Parameters by token, then the node's own cook.
  RvResult r = set && values ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; parms && parms[i] && !r; i += 2) r = rv_parms_set_text(set, parms[i], parms[i + 1], error);
  if (!r) r = rv_parms_eval(set, &vars, values, error);
  if (!r) r = type->cook(&cook, error);
  for (int i = 0; i < 3; ++i) out[i] = r ? NULL : cook.output[i];
  rv_free(values);
  rv_parms_free(set);
  return r;
}

//---------------------------------------------------------------------------------------------- measures

// Representative of a set of connected points, with path halving.
static int32_t root_of(int32_t* parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

// Connected components of the mesh by union-find over its triangles.
static int count_pieces(size_t npoint, size_t ntriangle, const int32_t* t, int32_t* parent) {
  int pieces = 0;
  for (size_t i = 0; i < npoint; ++i) parent[i] = (int32_t)i;
  for (size_t i = 0; i < ntriangle; ++i)
    for (int k = 1; k < 3; ++k) parent[root_of(parent, t[3 * i])] = root_of(parent, t[3 * i + (size_t)k]);
  for (size_t i = 0; i < npoint; ++i) pieces += parent[i] == (int32_t)i;
  return pieces;
}

// Volume and centre by the divergence theorem over the triangles of the zero contour; radius and roughness by area.
RvResult rv_rig_surface_mesh(const RvGrid* grid, RvSurfaceMeasure* m, RvError* error) {
  size_t np, nt;
  float* p;
  int32_t* t;
  *m = (RvSurfaceMeasure){.voxel = rv_grid_voxel_size(grid)};
  RvResult r = rv_grid_to_mesh(grid, 0, 0, &np, &p, &nt, &t, error);
  if (r) return r;
  // Volume, area and centre: each triangle closes a tetrahedron with the origin.
  RvVec3 moment = {0};
  for (size_t i = 0; i < nt; ++i) {
    RvVec3 a = rv_vec3_load(p + 3 * t[3 * i]);
    RvVec3 b = rv_vec3_load(p + 3 * t[3 * i + 1]);
    RvVec3 c = rv_vec3_load(p + 3 * t[3 * i + 2]);
    double v = -rv_dot(a, rv_cross(b, c)) / 6;
    m->volume += v;
    m->area += 0.5 * rv_length(rv_cross(rv_sub(b, a), rv_sub(c, a)));
    moment = rv_mad(moment, v / 4, rv_add(a, rv_add(b, c)));
  }
  if (m->volume != 0) m->centre = rv_scale(moment, 1 / m->volume);
  // Mean distance of the triangles from the centre, and its variance.
  for (size_t i = 0; i < nt; ++i) {
    RvVec3 a = rv_vec3_load(p + 3 * t[3 * i]);
    RvVec3 b = rv_vec3_load(p + 3 * t[3 * i + 1]);
    RvVec3 c = rv_vec3_load(p + 3 * t[3 * i + 2]);
    double area = 0.5 * rv_length(rv_cross(rv_sub(b, a), rv_sub(c, a)));
    double d = rv_distance(rv_scale(rv_add(a, rv_add(b, c)), 1.0 / 3), m->centre);
    m->radius += area / m->area * d;
    m->rough += area / m->area * d * d;
  }
  // Variance as the mean of squares less the square of the mean; rounding may make it negative.
  m->rough = sqrt(fmax(m->rough - m->radius * m->radius, 0));
  // Connected pieces.
  int32_t* parent = rv_alloc(np + 1, sizeof *parent);
  if (parent)
    m->pieces = count_pieces(np, nt, t, parent);
  else
    r = rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(parent);
  rv_free(p);
  rv_free(t);
  return r;
}

RvResult rv_rig_surface_measure(const RvDetail* input, const char* const* parms, RvSurfaceMeasure* m, RvError* error) {
  RvDetail* out[3] = {0};
  RvResult r = rv_rig_surface_cook(input, parms, out, error);
  if (!r) r = rv_rig_surface_mesh(rv_detail_find_vdb(out[0], "surface"), m, error);
  for (int i = 0; i < 3; ++i) rv_detail_free(out[i]);
  return r;
}
