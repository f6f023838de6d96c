// Linear maps of the values of a grid.
#include "shim/vdb.hpp"

namespace {

using namespace rv;

template <class Tree, class Fn>
void map_tree(Tree& tree, const Fn& fn) {
  for (auto leaf = tree.beginLeaf(); leaf; ++leaf) {
    auto* values = leaf->buffer().data();
    for (openvdb::Index i = 0; i < Tree::LeafNodeType::SIZE; ++i) values[i] = fn(values[i]);
  }
  auto tile = tree.beginValueAll();
  tile.setMaxDepth(Tree::ValueAllIter::LEAF_DEPTH - 1);
  for (; tile; ++tile) tile.setValue(fn(*tile));
  tree.root().setBackground(fn(tree.root().background()), false);
}

}  // namespace

RvResult rv_grid_map_values(RvGrid* grid, const double m[9], RvError* error) {
  RV_SHIM_BEGIN
  if (grid->type == RV_GRID_FLOAT) {
    map_tree(grid->floats().tree(), [m](float v) { return static_cast<float>(m[0] * v); });
  } else if (grid->type == RV_GRID_VEC3) {
    map_tree(grid->vectors().tree(), [m](const openvdb::Vec3s& v) {
      openvdb::Vec3s out;
      for (int i = 0; i < 3; ++i)
        out[i] = static_cast<float>(m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]);
      return out;
    });
  } else {
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' holds neither numbers nor vectors", grid->name.c_str());
  }
  return RV_OK;
  RV_VDB_END(error)
}
