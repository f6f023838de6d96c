// Trilinear samples of float and vec3 grids at world positions.
#include <openvdb/math/Maps.h>

#include <cmath>

#include "shim/vdb.hpp"

namespace rv {

constexpr size_t GRAIN = 512;               // samples of one task
constexpr double MAX_INDEX = 2147483000.0;  // magnitude of an index position whose voxels still have int coordinates
constexpr int ORIGIN_MASK = ~(LEAF_SIDE - 1);

// Reads values of a tree and caches the last leaf, which neighbouring samples mostly share.
template <typename Tree>
class Lookup {
 public:
  using Value = typename Tree::ValueType;
  using Leaf = typename Tree::LeafNodeType;
  explicit Lookup(const Tree& tree) : tree_(tree), background_(tree.root().background()) {}

  // Value of a voxel.
  Value at(int i, int j, int k) {
    const openvdb::Coord ijk(i, j, k);
    if (leaf_ && (i & ORIGIN_MASK) == origin_.x() && (j & ORIGIN_MASK) == origin_.y() &&
        (k & ORIGIN_MASK) == origin_.z())
      return leaf_->getValue(ijk);
    const Leaf* leaf = tree_.root().probeConstLeaf(ijk);
    if (!leaf) return tree_.root().getValue(ijk);
    leaf_ = leaf;
    origin_ = leaf->origin();
    return leaf->getValue(ijk);
  }
  // Trilinear interpolation at an index position; the background if it is not finite or out of range.
  Value trilinear(const openvdb::Vec3d& p) {
    for (int a = 0; a < 3; ++a)
      if (!(std::fabs(p[a]) < MAX_INDEX)) return background_;
    int base[3];
    float w[3];
    for (int a = 0; a < 3; ++a) {
      double floor = std::floor(p[a]);
      base[a] = (int)floor;
      w[a] = (float)(p[a] - floor);
    }
    // Interpolate along z, then y, then x.
    Value face[2];
    for (int x = 0; x < 2; ++x) {
      Value edge[2];
      for (int y = 0; y < 2; ++y) {
        Value a = at(base[0] + x, base[1] + y, base[2]);
        edge[y] = a + (at(base[0] + x, base[1] + y, base[2] + 1) - a) * w[2];
      }
      face[x] = edge[0] + (edge[1] - edge[0]) * w[1];
    }
    return face[0] + (face[1] - face[0]) * w[0];
  }

 private:
  const Tree& tree_;
  const Value background_;
  const Leaf* leaf_ = nullptr;
  openvdb::Coord origin_;
};

// Arguments of the parallel loop.
template <typename Tree>
struct Sampling {
  const Tree* tree;
  const openvdb::math::Transform* transform;
  const double* positions;
  float* out;
  bool staggered;

  static openvdb::Vec3s sample(Lookup<Vec3Tree>& lookup, const openvdb::Vec3d& p, bool staggered) {
    if (!staggered) return lookup.trilinear(p);
    // Component a of voxel i belongs to the face at i - 1/2 along axis a.
    openvdb::Vec3s value;
    for (int a = 0; a < 3; ++a) {
      openvdb::Vec3d q = p;
      q[a] += 0.5;
      value[a] = lookup.trilinear(q)[a];
    }
    return value;
  }
  static float sample(Lookup<FloatTree>& lookup, const openvdb::Vec3d& p, bool) { return lookup.trilinear(p); }

  // Samples a range of positions.
  static void range(void* arg, size_t begin, size_t end) {
    using Value = typename Tree::ValueType;
    const Sampling* self = static_cast<const Sampling*>(arg);
    Lookup<Tree> lookup(*self->tree);
    for (size_t i = begin; i < end; ++i) {
      const double* p = self->positions + 3 * i;
      openvdb::Vec3d index = self->transform->worldToIndex(openvdb::Vec3d(p[0], p[1], p[2]));
      reinterpret_cast<Value*>(self->out)[i] = sample(lookup, index, self->staggered);
    }
  }
};

template <typename Tree>
static void sample_all(const Tree& tree, const RvGrid* grid, size_t count, const double* positions, float* out) {
  Sampling<Tree> sampling{&tree, &grid->grid->constTransform(), positions, out,
                          rv_grid_class(grid) == RV_GRID_STAGGERED};
  rv_parallel_for(count, GRAIN, sampling.range, &sampling);
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_sample(const RvGrid* grid, size_t count, const double* positions, float* out, RvError* error) {
  RV_SHIM_BEGIN
  if (grid->type == RV_GRID_FLOAT)
    sample_all(grid->floats().constTree(), grid, count, positions, out);
  else if (grid->type == RV_GRID_VEC3)
    sample_all(grid->vectors().constTree(), grid, count, positions, out);
  else
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' is of type %s; only float and vec3 grids can be sampled", grid->name.c_str(),
               grid->grid->type().c_str());
  return RV_OK;
  RV_VDB_END(error)
}
