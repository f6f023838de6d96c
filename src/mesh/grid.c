// Level sets of meshes: the conversion by OpenVDB, exact distances in the whole band, and shells of open meshes.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/mesh.h"
#include "mesh/nearest.h"
#include "shim/vdb_voxel.h"

enum {
  LEAF_SIDE = 8,      // voxels along each axis of a leaf of the tree
  LEAF_VOXELS = 512,  // of a leaf, z fastest
  WORD_BITS = 64,     // of the leaf's mask of active voxels
  MASK_WORDS = 8,     // of the mask
  REFINE_GRAIN = 4,   // leaves of one task
  SHELL_BATCH = 512,  // leaves copied at once
};
// OpenVDB's distances are exact up to this many voxels; farther out it propagates the nearest of a few faces.
static const double exact_reach = 1.5;
// Factor on the squared distance found by OpenVDB, so that the search also finds the face behind it despite rounding.
static const double limit2_margin = 1.0001;
// Largest number of voxels of a level set. At 4 bytes each this is 2 GB.
static const double max_voxels = 5e8;

// Arguments of refine_leaves.
typedef struct Refine {
  const RvMesh* mesh;
  const RvLeaf* leaves;  // of the grid
  RvNearest tree;        // of the triangles
  double matrix[16];     // index to world
  float near;            // distances below this are exact already
  float background;      // value outside of the band
} Refine;

// Squared distance from p to a triangle, for the search tree.
static double triangle_distance2(const void* arg, size_t i, RvVec3 p) {
  const RvMesh* m = arg;
  const int32_t* t = m->triangles + 3 * i;
  return rv_nearest_triangle2(p, rv_vec3_load(m->points + 3 * (size_t)t[0]), rv_vec3_load(m->points + 3 * (size_t)t[1]),
                              rv_vec3_load(m->points + 3 * (size_t)t[2]));
}

// World position of voxel `i` of a leaf.
static RvVec3 voxel_position(const double m[16], const int32_t origin[3], int i) {
  double x = origin[0] + i / (LEAF_SIDE * LEAF_SIDE);
  double y = origin[1] + i / LEAF_SIDE % LEAF_SIDE;
  double z = origin[2] + i % LEAF_SIDE;
  return rv_vec3(x * m[0] + y * m[4] + z * m[8] + m[12], x * m[1] + y * m[5] + z * m[9] + m[13],
                 x * m[2] + y * m[6] + z * m[10] + m[14]);
}

// Replaces the distances of active voxels that are not near the surface by exact ones.
static void refine_leaves(void* arg, size_t begin, size_t end) {
  const Refine* r = arg;
  for (size_t l = begin; l < end; ++l) {
    const RvLeaf leaf = r->leaves[l];
    for (int i = 0; i < LEAF_VOXELS; ++i) {
      float value = leaf.values[i];
      if (!(leaf.active[i / WORD_BITS] >> (i % WORD_BITS) & 1) || fabsf(value) < r->near) continue;
      RvVec3 p = voxel_position(r->matrix, leaf.origin, i);
      // The value is the distance of some face, so the nearest face is no farther away.
      double limit2 = (double)value * value * limit2_margin;
      if (rv_nearest_within(&r->tree, p, SIZE_MAX, triangle_distance2, r->mesh, &limit2) == SIZE_MAX) continue;
      leaf.values[i] = copysignf(fminf((float)sqrt(limit2), r->background), value);
    }
  }
}

// Bounding box of each triangle: lo xyz, hi xyz.
static void fill_boxes(const RvMesh* mesh, float* boxes) {
  for (size_t i = 0; i < mesh->ntriangle; ++i)
    for (int k = 0; k < 3; ++k) {
      const int32_t* t = mesh->triangles + 3 * i;
      float a = mesh->points[3 * (size_t)t[0] + (size_t)k];
      float b = mesh->points[3 * (size_t)t[1] + (size_t)k];
      float c = mesh->points[3 * (size_t)t[2] + (size_t)k];
      boxes[6 * i + (size_t)k] = fminf(a, fminf(b, c));
      boxes[6 * i + 3 + (size_t)k] = fmaxf(a, fmaxf(b, c));
    }
}

// Makes all distances of the band exact and keeps their signs. The result then does not depend on the order in which
// OpenVDB found the faces, so it is reproducible to the bit.
static RvResult refine_distances(const RvMesh* mesh, RvGrid* grid, double voxel_size, RvError* error) {
  // Build a tree of the triangles.
  float background[3];
  rv_grid_background(grid, background);
  Refine refine = {.mesh = mesh, .near = (float)(exact_reach * voxel_size), .background = background[0]};
  float* boxes = rv_alloc(mesh->ntriangle, 6 * sizeof *boxes);
  if (!boxes) return rv_fail(error, RV_NO_MEMORY, "no memory for the boxes of %zu triangles", mesh->ntriangle);
  fill_boxes(mesh, boxes);
  RvResult r = rv_grid_transform(grid, refine.matrix, error);
  if (r == RV_OK) r = rv_grid_leaves(grid, &refine.leaves, error);
  if (r == RV_OK) r = rv_nearest_init(&refine.tree, mesh->ntriangle, boxes, error);
  rv_free(boxes);
  if (r != RV_OK) return r;
  // Refine.
  rv_parallel_for(rv_grid_leaf_count(grid), REFINE_GRAIN, refine_leaves, &refine);
  rv_nearest_free(&refine.tree);
  return RV_OK;
}

// Makes the level set of a shell from the unsigned distance d of a sheet: |d| - thickness / 2, negative inside the
// shell.
static RvResult make_shell(const RvGrid* sheet, double voxel, double band, double thickness, RvGrid** out,
                           RvError* error) {
  float half = (float)(thickness / 2);
  float background = (float)(band * voxel) - half;
  // A new grid and room for a batch of leaves.
  RvResult r = rv_grid_create(RV_GRID_FLOAT, rv_grid_name(sheet), RV_GRID_LEVEL_SET, voxel, &background, out, error);
  size_t count = rv_grid_leaf_count(sheet);
  const RvLeaf* leaves = NULL;
  if (r == RV_OK) r = rv_grid_leaves(sheet, &leaves, error);
  float* values = rv_alloc(SHELL_BATCH, LEAF_VOXELS * sizeof *values);
  uint64_t* active = rv_alloc(SHELL_BATCH, MASK_WORDS * sizeof *active);
  int32_t* origins = rv_alloc(SHELL_BATCH, 3 * sizeof *origins);
  if (!values || !active || !origins) r = rv_fail(error, RV_NO_MEMORY, "no memory for a shell of %zu blocks", count);
  // Convert the leaves batch by batch.
  for (size_t i = 0; i < count && r == RV_OK; i += SHELL_BATCH) {
    size_t n = count - i < SHELL_BATCH ? count - i : SHELL_BATCH;
    for (size_t k = 0; k < n; ++k) {
      const RvLeaf leaf = leaves[i + k];
      memcpy(origins + 3 * k, leaf.origin, sizeof leaf.origin);
      memcpy(active + MASK_WORDS * k, leaf.active, MASK_WORDS * sizeof *active);
      for (int j = 0; j < LEAF_VOXELS; ++j) values[LEAF_VOXELS * k + (size_t)j] = fabsf(leaf.values[j]) - half;
    }
    r = rv_grid_set_leaves(*out, n, origins, values, active, error);
  }
  rv_free(values);
  rv_free(active);
  rv_free(origins);
  return r;
}

RvResult rv_mesh_to_grid(const RvMesh* mesh, const RvMeshFacts* facts, const RvMeshGrid* want, RvGrid** out,
                         RvError* error) {
  // The band of a shell is counted from its surface, which is half its thickness from the mesh.
  double size = want->voxel_size;
  double band = want->band + want->shell / 2 / size;
  // Estimate the voxels: the band on both sides, and one leaf, because whole leaves are stored.
  double voxels = facts->area / (size * size) * (2 * band + LEAF_SIDE);
  *out = NULL;
  if (!(size >= RV_VDB_LEAST_VOXEL))
    return rv_fail(error, RV_BAD_INPUT,
                   "%s gives voxels of %g units, smaller than the %g that a VDB takes: make it larger, or use smaller "
                   "units (metersperunit)",
                   want->parm, size, RV_VDB_LEAST_VOXEL);
  if (voxels > max_voxels) {
    // The number of voxels goes with the inverse square of their size. The advice has two digits, so it is 5% more.
    double factor = sqrt(voxels / max_voxels) * 1.05;
    return rv_fail(error, RV_LIMIT,
                   "%s: voxels of %g m give this mesh a level set of about %.3g voxels, more than %.3g; make %s larger "
                   "by a factor of %.2g",
                   want->parm, size, voxels, max_voxels, want->parm, factor);
  }
  // Convert.
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
