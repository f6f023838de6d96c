// Conversion of meshes to level sets, of level sets to fog volumes, and of grids to meshes.
#include "shim/vdb.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/LevelSetUtil.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/VolumeToMesh.h>
#pragma GCC visibility pop

#include <cmath>
#include <cstring>

namespace rv {

using openvdb::Vec3d;
using openvdb::Vec3I;
using openvdb::Vec3s;
using openvdb::Vec4I;

// Refuses points that are not finite or too many voxels away from the origin.
static void check_points(size_t npoint, const float* points, double voxel_size) {
  for (size_t i = 0; i < 3 * npoint; ++i) {
    if (!std::isfinite(points[i]))
      vdb_refuse(RV_BAD_INPUT, "point %zu of the mesh has a position (P) that is not finite", i / 3);
    if (std::fabs(points[i] / voxel_size) > INDEX_MAX)
      vdb_refuse(
          RV_LIMIT,
          "point %zu of the mesh is %g voxels of %g from the origin, more than %g; use larger voxels or move the mesh",
          i / 3, std::fabs(points[i] / voxel_size), voxel_size, INDEX_MAX);
  }
}

// The triangles of positive area. One without area would cause a division by zero, and its neighbours cover it.
static std::vector<Vec3I> good_triangles(const std::vector<Vec3s>& points, size_t ntriangle, const int32_t* triangles) {
  std::vector<Vec3I> out;
  out.reserve(ntriangle);
  for (size_t t = 0; t < ntriangle; ++t) {
    const int32_t* v = triangles + 3 * t;
    for (int k = 0; k < 3; ++k)
      if (v[k] < 0 || (size_t)v[k] >= points.size())
        vdb_refuse(RV_BAD_INPUT, "triangle %zu of the mesh names point %d, and there are %zu points", t, v[k],
                   points.size());
    Vec3d a(points[(size_t)v[0]]);
    Vec3d b(points[(size_t)v[1]]);
    Vec3d c(points[(size_t)v[2]]);
    if ((b - a).cross(c - a).lengthSqr() > 0) out.emplace_back((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
  }
  return out;
}

// Factor on the number of leaves of a layer for its slant, measured on spheres of 20 to 200 voxels to within 5%.
constexpr double SLANT = 1.2;
// Edges longer than this, in voxels, count as slivers: two leaves.
constexpr double SLIVER_EDGE = 2 * LEAF_SIDE;

// Estimates the number of leaves near the surface (positions in voxels): a layer of 2 band + 8 voxels over the area,
// and along long edges those that a triangle of almost no area still touches.
static double estimate_blocks(const std::vector<Vec3s>& points, const std::vector<Vec3I>& triangles, double band) {
  double area = 0, sliver = 0;
  for (const Vec3I& t : triangles) {
    Vec3d a(points[t[0]]);
    Vec3d b(points[t[1]]);
    Vec3d c(points[t[2]]);
    area += 0.5 * (b - a).cross(c - a).length();
    double edge = std::sqrt(std::fmax((b - a).lengthSqr(), std::fmax((c - b).lengthSqr(), (a - c).lengthSqr())));
    if (edge > SLIVER_EDGE) sliver += edge / LEAF_SIDE;
  }
  double layers = (2 * band + LEAF_SIDE) / LEAF_SIDE;
  return area / (LEAF_SIDE * LEAF_SIDE) * SLANT * layers + sliver * layers * layers;
}

// Memory that OpenVDB needs per leaf while it converts: a distance and an index of 4 bytes per voxel, and half as much
// for copies; measured as 5 KB.
constexpr double WORK_BYTES_PER_BLOCK = 1.5 * 512 * 4 * 2;

// Refuses a level set that would need too much memory.
static void check_memory(double blocks, double voxel_size) {
  double bytes = blocks * WORK_BYTES_PER_BLOCK;
  const double most = vdb_bytes_max();
  if (bytes > most)
    vdb_refuse(
        RV_LIMIT,
        "a level set of this mesh with voxels of %g would take about %.3g GiB, more than %.3g GiB; voxels of %.3g "
        "fit",
        voxel_size, bytes / GIB, most / GIB, voxel_size * std::sqrt(bytes / most) * ADVICE_MARGIN);
}

// Converts a mesh by OpenVDB's meshToVolume, in voxel coordinates.
static openvdb::GridBase::Ptr from_mesh(double voxel_size, double band, size_t npoint, const float* points,
                                        size_t ntriangle, const int32_t* triangles, bool unsigned_distance) {
  check_points(npoint, points, voxel_size);
  // Positions in voxels.
  std::vector<Vec3s> local(npoint);
  for (size_t i = 0; i < npoint; ++i)
    for (int k = 0; k < 3; ++k) local[i][k] = (float)(points[3 * i + k] / voxel_size);
  std::vector<Vec3I> polygons = good_triangles(local, ntriangle, triangles);
  if (polygons.empty()) return vdb_new_float((float)(band * voxel_size));
  check_memory(estimate_blocks(local, polygons, band), voxel_size);
  openvdb::tools::QuadAndTriangleDataAdapter<Vec3s, Vec3I> adapter(local, polygons);
  openvdb::util::NullInterrupter no_interrupt;
  auto transform = openvdb::math::Transform::createLinearTransform(voxel_size);
  // Renormalisation is off: it would smooth the distances, which are exact within a voxel of the surface. Farther out a
  // few are up to 0.45 voxels too large on meshes as fine as the voxels, because OpenVDB propagates one triangle per
  // voxel.
  int flags = openvdb::tools::DISABLE_RENORMALIZATION;
  if (unsigned_distance) flags |= openvdb::tools::UNSIGNED_DISTANCE_FIELD;
  return openvdb::tools::meshToVolume<FloatGrid>(no_interrupt, adapter, *transform, (float)band, (float)band, flags,
                                                 nullptr);
}

// Refuses a grid that is not of floats, or not a level set.
static void need_float(const RvGrid* grid, bool level_set, const char* what) {
  if (grid->type != RV_GRID_FLOAT || (level_set && rv_grid_class(grid) != RV_GRID_LEVEL_SET))
    vdb_refuse(RV_BAD_INPUT, "grid '%s' is no %s, which %s needs", grid->name.c_str(),
               level_set ? "level set of floats" : "grid of floats", what);
}

// Result of volumeToMesh.
struct Mesh {
  std::vector<Vec3s> points;
  std::vector<Vec3I> triangles;
  std::vector<Vec4I> quads;
};

// Copies a mesh to C arrays. Quads are split along their first diagonal; faces are clockwise seen from outside, as in
// Houdini.
static void hand_over(const Mesh& mesh, float* points, int32_t* triangles) {
  if (!mesh.points.empty()) std::memcpy(points, mesh.points.data(), mesh.points.size() * sizeof(Vec3s));
  int32_t* out = triangles;
  auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
    *out++ = (int32_t)a;
    *out++ = (int32_t)b;
    *out++ = (int32_t)c;
  };
  for (const Vec3I& t : mesh.triangles) add(t[0], t[1], t[2]);
  for (const Vec4I& q : mesh.quads) {
    add(q[0], q[1], q[2]);
    add(q[0], q[2], q[3]);
  }
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_from_mesh(const char* name, double voxel_size, double band, size_t npoint, const float* points,
                           size_t ntriangle, const int32_t* triangles, bool unsigned_distance, RvGrid** out,
                           RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_check_voxel(voxel_size);
  band = vdb_check_band(band);
  vdb_run([&] {
    openvdb::GridBase::Ptr grid = from_mesh(voxel_size, band, npoint, points, ntriangle, triangles, unsigned_distance);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
    grid->setName(name ? name : "");
    grid->setGridClass(unsigned_distance ? openvdb::GRID_UNKNOWN : openvdb::GRID_LEVEL_SET);
    *out = vdb_wrap(grid);
  });
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_to_fog(const RvGrid* level_set, const char* name, RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  need_float(level_set, true, "a fog volume");
  vdb_run([&] {
    openvdb::GridBase::Ptr copy = level_set->grid->deepCopyGrid();
    FloatGrid& fog = static_cast<FloatGrid&>(*copy);
    openvdb::tools::sdfToFogVolume(fog, level_set->floats().constTree().root().background());
    fog.setName(name ? name : "");
    *out = vdb_wrap(copy);
  });
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_to_mesh(const RvGrid* grid, double iso, double adaptivity, size_t* npoint, float** points,
                         size_t* ntriangle, int32_t** triangles, RvError* error) {
  RV_VDB_BEGIN
  *npoint = 0;
  *ntriangle = 0;
  *points = nullptr;
  *triangles = nullptr;
  need_float(grid, false, "a mesh");
  if (!std::isfinite(iso)) vdb_refuse(RV_BAD_INPUT, "the iso value of the contour is not finite");
  adaptivity = adaptivity > 0 ? std::fmin(adaptivity, 1) : 0;
  // Extract the contour.
  Mesh mesh;
  vdb_run([&] {
    const FloatGrid& floats = grid->floats();
    openvdb::tools::volumeToMesh(floats, mesh.points, mesh.triangles, mesh.quads, iso, adaptivity, true);
  });
  size_t count = mesh.triangles.size() + 2 * mesh.quads.size();
  if (mesh.points.size() > INT32_MAX || count > INT32_MAX)
    vdb_refuse(RV_LIMIT, "the contour of grid '%s' has %zu triangles, more than 2^31", grid->name.c_str(), count);
  // Hand it over.
  *points = static_cast<float*>(rv_alloc(mesh.points.size(), sizeof(Vec3s)));
  *triangles = static_cast<int32_t*>(rv_alloc(count, 3 * sizeof(int32_t)));
  if (!*points || !*triangles) {
    rv_free(*points);
    rv_free(*triangles);
    *points = nullptr;
    *triangles = nullptr;
    return rv_fail(error, RV_NO_MEMORY, "no memory for %zu triangles of grid '%s'", count, grid->name.c_str());
  }
  hand_over(mesh, *points, *triangles);
  *npoint = mesh.points.size();
  *ntriangle = count;
  return RV_OK;
  RV_VDB_END(error)
}
