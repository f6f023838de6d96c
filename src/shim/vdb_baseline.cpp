// OpenVDB's own conversion of particles to a level set.
#include "shim/baseline.h"

#include "shim/vdb.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/ParticlesToLevelSet.h>
#pragma GCC visibility pop

namespace rv {
namespace {

// The interface that OpenVDB expects of a list of particles.
struct Spheres {
  using PosType = openvdb::Vec3R;
  const float* centres;
  size_t count;
  float radius;
  size_t size() const { return count; }
  void getPos(size_t i, openvdb::Vec3R& x) const {
    x = openvdb::Vec3R(centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
  }
  void getPosRad(size_t i, openvdb::Vec3R& x, openvdb::Real& r) const {
    getPos(i, x);
    r = radius;
  }
};

}  // namespace
}  // namespace rv

using namespace rv;

RvResult rv_vdb_particles_baseline(double voxel_size, size_t count, const float* centres, float radius, size_t* dropped,
                                   RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_run([&] {
    auto grid = vdb_new_float((float)(3 * voxel_size));  // a narrow band of 3 voxels, OpenVDB's default
    grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    openvdb::tools::ParticlesToLevelSet<FloatGrid, void, openvdb::util::NullInterrupter> raster(*grid, nullptr);
    raster.rasterizeSpheres(Spheres{centres, count, radius});
    raster.finalize(true);
    *dropped = raster.getMinCount() + raster.getMaxCount();
    *out = vdb_wrap(grid);
  });
  return RV_OK;
  RV_VDB_END(error)
}
