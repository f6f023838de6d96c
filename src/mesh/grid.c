// Level sets of meshes.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/mesh.h"
#include "mesh/nearest.h"

// OpenVDB's distances are exact up to here, in voxels; farther out it follows one of a few near faces
static const double exact_reach = 1.5;

typedef struct Refine {
  const RvMesh* mesh;
  const RvGrid* grid;
  RvNearest tree;
  double matrix[16];
  float near, background;
} Refine;

static double triangle_distance2(const void* arg, size_t i, RvVec3 p) {
  const RvMesh* m = arg;
  const int32_t* t = m->triangles + 3 * i;
  return rv_nearest_triangle2(p, rv_vec3_load(m->points + 3 * (size_t)t[0]), rv_vec3_load(m->points + 3 * (size_t)t[1]),
                              rv_vec3_load(m->points + 3 * (size_t)t[2]));
}

static RvVec3 voxel_place(const double m[16], const int32_t origin[3], int i) {
  double x = origin[0] + i / 64, y = origin[1] + i / 8 % 8, z = origin[2] + i % 8;
  return rv_vec3(x * m[0] + y * m[4] + z * m[8] + m[12], x * m[1] + y * m[5] + z * m[9] + m[13],
                 x * m[2] + y * m[6] + z * m[10] + m[14]);
}

static void refine_leaves(void* arg, size_t begin, size_t end) {
  const Refine* r = arg;
  for (size_t l = begin; l < end; ++l) {
    RvLeaf leaf;
    if (!rv_grid_leaf(r->grid, l, &leaf)) continue;
    for (int i = 0; i < 512; ++i) {
      float value = leaf.values[i];
      if (!(leaf.active[i / 64] >> (i % 64) & 1) || fabsf(value) < r->near) continue;
      RvVec3 p = voxel_place(r->matrix, leaf.origin, i);
      // what is there is the distance of some face, so no less than the least; a little more for its rounding
      double limit2 = (double)value * value * 1.0001;
      if (rv_nearest_within(&r->tree, p, SIZE_MAX, triangle_distance2, r->mesh, &limit2) == SIZE_MAX) continue;
      leaf.values[i] = copysignf(fminf((float)sqrt(limit2), r->background), value);
    }
  }
}

// the true distance to the nearest face, with the sign that is there; also the same bits however it was found before
static RvResult refine_distances(const RvMesh* mesh, RvGrid* grid, double voxel_size, RvError* error) {
  float background[3];
  rv_grid_background(grid, background);
  Refine refine = {.mesh = mesh, .grid = grid, .near = (float)(exact_reach * voxel_size), .background = background[0]};
  float* boxes = rv_alloc(mesh->ntriangle, 6 * sizeof *boxes);
  if (!boxes) return rv_fail(error, RV_NO_MEMORY, "no memory for the boxes of %zu triangles", mesh->ntriangle);
  for (size_t i = 0; i < mesh->ntriangle; ++i)
    for (int k = 0; k < 3; ++k) {
      const int32_t* t = mesh->triangles + 3 * i;
      float a = mesh->points[3 * (size_t)t[0] + (size_t)k], b = mesh->points[3 * (size_t)t[1] + (size_t)k];
      float c = mesh->points[3 * (size_t)t[2] + (size_t)k];
      boxes[6 * i + (size_t)k] = fminf(a, fminf(b, c));
      boxes[6 * i + 3 + (size_t)k] = fmaxf(a, fmaxf(b, c));
    }
  RvResult r = rv_grid_transform(grid, refine.matrix, error);
  if (r == RV_OK) r = rv_nearest_init(&refine.tree, mesh->ntriangle, boxes, error);
  rv_free(boxes);
  if (r != RV_OK) return r;
  rv_parallel_for(rv_grid_leaf_count(grid), 4, refine_leaves, &refine);
  rv_nearest_free(&refine.tree);
  return RV_OK;
}

// distance to both sides of a shell: |d| - thickness / 2, below 0 within it
static RvResult make_shell(const RvGrid* sheet, double voxel, double band, double thickness, RvGrid** out,
                           RvError* error) {
  float half = (float)(thickness / 2), background = (float)(band * voxel) - half;
  RvResult r = rv_grid_create(RV_GRID_FLOAT, rv_grid_name(sheet), RV_GRID_LEVEL_SET, voxel, &background, out, error);
  size_t count = rv_grid_leaf_count(sheet);
  enum { BATCH = 512 };
  float* values = rv_alloc(BATCH, 512 * sizeof *values);
  uint64_t* active = rv_alloc(BATCH, 8 * sizeof *active);
  int32_t* origins = rv_alloc(BATCH, 3 * sizeof *origins);
  if (!values || !active || !origins) r = rv_fail(error, RV_NO_MEMORY, "no memory for a shell of %zu blocks", count);
  for (size_t i = 0; i < count && r == RV_OK; i += BATCH) {
    size_t n = count - i < BATCH ? count - i : BATCH;
    for (size_t k = 0; k < n; ++k) {
      RvLeaf leaf;
      if (!rv_grid_leaf(sheet, i + k, &leaf)) {
        r = rv_fail(error, RV_INTERNAL, "block %zu of a grid went missing", i + k);
        break;
      }
      memcpy(origins + 3 * k, leaf.origin, sizeof leaf.origin);
      memcpy(active + 8 * k, leaf.active, 8 * sizeof *active);
      for (int j = 0; j < 512; ++j) values[512 * k + (size_t)j] = fabsf(leaf.values[j]) - half;
    }
    if (r == RV_OK) r = rv_grid_set_leaves(*out, n, origins, values, active, error);
  }
  rv_free(values);
  rv_free(active);
  rv_free(origins);
  return r;
}

RvResult rv_mesh_to_grid(const RvMesh* mesh, const RvMeshFacts* facts, const RvMeshGrid* want, RvGrid** out,
                         RvError* error) {
  // whole blocks of 8 are stored, so count some voxels more on each side of the surface
  // and the band is counted from a shell's surface
  double size = want->voxel_size, band = want->band + want->shell / 2 / size;
  double voxels = facts->area / (size * size) * (2 * band + 8);
  const double most = 5e8;
  *out = NULL;
  if (voxels > most) {
    return rv_fail(error, RV_LIMIT,
                   "%s: voxels of %g m make a level set of about %.3g of them for this mesh, more than %.3g; make it "
                   "larger by a factor of %.2g",
                   want->parm, size, voxels, most, sqrt(voxels / most) * 1.05);
  }
  RvGrid* grid = NULL;
  RvResult r = rv_grid_from_mesh(want->name, size, band, mesh->npoint, mesh->points, mesh->ntriangle, mesh->triangles,
                                 want->shell > 0, &grid, error);
  if (r == RV_OK && want->exact) r = refine_distances(mesh, grid, size, error);
  if (r == RV_OK && want->shell > 0)
    r = make_shell(grid, size, band, want->shell, out, error);
  else {
    *out = grid;
    grid = NULL;
  }
  if (grid) rv_grid_release(grid);
  if (r != RV_OK && *out) {
    rv_grid_release(*out);
    *out = NULL;
  }
  return r;
}
