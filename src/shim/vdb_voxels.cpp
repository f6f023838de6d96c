// Access to voxels and leaves of float and vec3 grids without copies, and the hash of a grid.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <sstream>

#include "shim/vdb.hpp"

namespace rv {

static_assert(sizeof(openvdb::Vec3s) == 3 * sizeof(float), "a vector is three floats");
static_assert(sizeof(FloatTree::LeafNodeType::NodeMaskType) == LEAF_WORDS * sizeof(uint64_t), "a mask is eight words");

constexpr size_t GRAIN = 64;       // leaves of one task
constexpr uint64_t LEAF_SEED = 1;  // of the hash of a leaf

// Calls fn(tree) with the tree of a float or vec3 grid. False for other grids.
template <typename Fn>
static bool with_tree(const RvGrid* grid, Fn&& fn) {
  if (grid->type == RV_GRID_FLOAT)
    fn(grid->floats().tree());
  else if (grid->type == RV_GRID_VEC3)
    fn(grid->vectors().tree());
  else
    return false;
  return true;
}

// Conversions between voxel values and float arrays; the first argument of `load` selects the type.
static float load(float, const float* v) {
  return v[0];
}
static openvdb::Vec3s load(const openvdb::Vec3s&, const float* v) {
  return openvdb::Vec3s(v);
}
static void store(float value, float* v) {
  for (int i = 0; i < 3; ++i) v[i] = value;
}
static void store(const openvdb::Vec3s& value, float* v) {
  for (int i = 0; i < 3; ++i) v[i] = value[i];
}

// Visits the leaves in tree order: the root's map is sorted by origin and children by offset, whatever the order in
// which they were made.
template <typename Tree, typename Fn>
static void each_leaf(Tree& tree, Fn&& fn) {
  for (auto upper = tree.root().beginChildOn(); upper; ++upper)
    for (auto lower = upper->beginChildOn(); lower; ++lower)
      for (auto leaf = lower->beginChildOn(); leaf; ++leaf) fn(*leaf);
}

// A leaf as C sees it; it points into the tree.
template <typename Leaf>
static RvLeaf view(Leaf& leaf) {
  RvLeaf out;
  for (int i = 0; i < 3; ++i) out.origin[i] = leaf.origin()[i];
  out.values = reinterpret_cast<float*>(leaf.buffer().data());
  out.active = reinterpret_cast<const uint64_t*>(&leaf.getValueMask());
  return out;
}

// The list of leaves, made on demand (double-checked locking).
static const std::vector<RvLeaf>& leaves_of(const RvGrid* grid) {
  RvGrid* g = const_cast<RvGrid*>(grid);
  if (!g->listed.load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> guard(g->lock);
    if (!g->listed.load(std::memory_order_relaxed)) {
      std::vector<RvLeaf> list;
      with_tree(grid, [&](auto& tree) { each_leaf(tree, [&](auto& leaf) { list.push_back(view(leaf)); }); });
      g->leaves.swap(list);
      g->listed.store(true, std::memory_order_release);
    }
  }
  return g->leaves;
}

// Invalidates the list of leaves.
static void changed(RvGrid* grid) {
  grid->listed.store(false, std::memory_order_release);
}

// Refuses origins that are not multiples of 8 or occur twice.
static void check_blocks(const RvGrid* grid, size_t count, const int32_t* origins) {
  using Key = std::array<int32_t, 3>;
  std::vector<Key> keys(count);
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      keys[i][k] = origins[3 * i + k];
      if (keys[i][k] & (LEAF_SIDE - 1))
        vdb_refuse(RV_BAD_INPUT, "grid '%s': the origin of leaf %zu (%d %d %d) is not a multiple of 8",
                   grid->name.c_str(), i, origins[3 * i], origins[3 * i + 1], origins[3 * i + 2]);
    }
  std::sort(keys.begin(), keys.end());
  auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end())
    vdb_refuse(RV_BAD_INPUT, "grid '%s': the leaf at %d %d %d is given twice", grid->name.c_str(), (*twice)[0],
               (*twice)[1], (*twice)[2]);
}

// Arguments of the parallel loop of rv_grid_set_leaves.
template <typename Leaf>
struct Filling {
  std::vector<Leaf*> leaves;
  const float* values;
  const uint64_t* active;

  static void range(void* arg, size_t begin, size_t end) {
    const Filling* self = static_cast<const Filling*>(arg);
    constexpr size_t FLOATS = Leaf::SIZE * sizeof(typename Leaf::ValueType) / sizeof(float);
    for (size_t i = begin; i < end; ++i) {
      Leaf* leaf = self->leaves[i];
      std::memcpy(static_cast<void*>(leaf->buffer().data()), self->values + FLOATS * i, FLOATS * sizeof(float));
      typename Leaf::NodeMaskType mask(!self->active);
      for (int w = 0; self->active && w < LEAF_WORDS; ++w)
        mask.template getWord<uint64_t>(w) = self->active[LEAF_WORDS * i + w];
      leaf->setValueMask(mask);
    }
  }
};

// Makes the leaves one by one, then fills them in parallel.
template <typename Tree>
static void set_leaves(Tree& tree, size_t count, const int32_t* origins, const float* values, const uint64_t* active) {
  Filling<typename Tree::LeafNodeType> filling;
  filling.leaves.resize(count);
  filling.values = values;
  filling.active = active;
  for (size_t i = 0; i < count; ++i) {
    filling.leaves[i] = tree.root().touchLeaf(openvdb::Coord(origins + 3 * i));
    filling.leaves[i]->buffer().data();  // allocates the buffer here, not in the threads
  }
  rv_parallel_for(count, GRAIN, filling.range, &filling);
}

// A value times the matrix; floats use its first entry.
static float mapped(float value, const double m[9]) {
  return (float)(m[0] * value);
}
static openvdb::Vec3s mapped(const openvdb::Vec3s& v, const double m[9]) {
  openvdb::Vec3s out;
  for (int r = 0; r < 3; ++r) out[r] = (float)(m[3 * r] * v[0] + m[3 * r + 1] * v[1] + m[3 * r + 2] * v[2]);
  return out;
}

template <typename Value>
struct Mapping {
  const std::vector<RvLeaf>* leaves;
  const double* matrix;

  static void range(void* arg, size_t begin, size_t end) {
    const Mapping* self = static_cast<const Mapping*>(arg);
    for (size_t i = begin; i < end; ++i) {
      Value* values = reinterpret_cast<Value*>((*self->leaves)[i].values);
      for (int v = 0; v < LEAF_VOXELS; ++v) values[v] = mapped(values[v], self->matrix);
    }
  }
};

template <typename Node>
static void map_tiles(Node& node, const double m[9]) {
  for (auto tile = node.beginValueAll(); tile; ++tile) tile.setValue(mapped(tile.getValue(), m));
}

// Maps background, tiles and leaves.
template <typename Tree>
static void map_tree(Tree& tree, const std::vector<RvLeaf>& leaves, const double m[9]) {
  tree.root().setBackground(mapped(tree.root().background(), m), false);
  map_tiles(tree.root(), m);
  for (auto upper = tree.root().beginChildOn(); upper; ++upper) {
    map_tiles(*upper, m);
    for (auto lower = upper->beginChildOn(); lower; ++lower) map_tiles(*lower, m);
  }
  Mapping<typename Tree::ValueType> mapping{&leaves, m};
  rv_parallel_for(leaves.size(), GRAIN, mapping.range, &mapping);
}

// Hashes a tile: a value of 8^3, 128^3 or 4096^3 voxels. Inactive tiles of the background value are left out.
template <typename Value>
static void hash_tile(RvHasher* hasher, const openvdb::Coord& origin, int level, const Value& value, bool active,
                      const Value& background) {
  if (!active && std::memcmp(&value, &background, sizeof value) == 0) return;
  const int32_t head[5] = {origin.x(), origin.y(), origin.z(), level, active};
  rv_hasher_add(hasher, head, sizeof head);
  rv_hasher_add(hasher, &value, sizeof value);
}

template <typename Node, typename Value>
static void hash_tiles(RvHasher* hasher, Node& node, int level, const Value& background) {
  for (auto tile = node.cbeginValueAll(); tile; ++tile)
    hash_tile<Value>(hasher, tile.getCoord(), level, tile.getValue(), tile.isValueOn(), background);
}

// Hashes of all leaves, computed in parallel.
struct LeafHashes {
  const std::vector<RvLeaf>* leaves;
  const float* background;
  size_t floats;               // of a value
  std::vector<uint64_t> hash;  // 0: the leaf is empty

  // True for an inactive leaf of background values only, which is equivalent to no leaf.
  bool is_empty(const RvLeaf& leaf) const {
    uint64_t any = 0;
    for (int w = 0; w < LEAF_WORDS; ++w) any |= leaf.active[w];
    for (size_t i = 0; !any && i < LEAF_VOXELS; ++i)
      any |= std::memcmp(leaf.values + floats * i, background, floats * sizeof(float)) != 0;
    return !any;
  }
  static void range(void* arg, size_t begin, size_t end) {
    LeafHashes* self = static_cast<LeafHashes*>(arg);
    for (size_t i = begin; i < end; ++i) {
      const RvLeaf& leaf = (*self->leaves)[i];
      if (self->is_empty(leaf)) continue;
      uint64_t h = rv_hash(leaf.origin, sizeof leaf.origin, LEAF_SEED);
      h = rv_hash(leaf.active, LEAF_WORDS * sizeof(uint64_t), h);
      h = rv_hash(leaf.values, LEAF_VOXELS * self->floats * sizeof(float), h);
      self->hash[i] = h ? h : 1;
    }
  }
};

// Hashes background, tiles (levels 3 to 1 from the root down) and leaves.
template <typename Tree>
static void hash_tree(RvHasher* hasher, const Tree& tree, const std::vector<RvLeaf>& leaves) {
  using Value = typename Tree::ValueType;
  const Value background = tree.root().background();
  rv_hasher_add(hasher, &background, sizeof background);
  hash_tiles(hasher, tree.root(), 3, background);
  for (auto upper = tree.root().cbeginChildOn(); upper; ++upper) {
    hash_tiles(hasher, *upper, 2, background);
    for (auto lower = upper->cbeginChildOn(); lower; ++lower) hash_tiles(hasher, *lower, 1, background);
  }
  LeafHashes all{&leaves, reinterpret_cast<const float*>(&background), sizeof(Value) / sizeof(float),
                 std::vector<uint64_t>(leaves.size())};
  rv_parallel_for(leaves.size(), GRAIN, all.range, &all);
  for (uint64_t h : all.hash)
    if (h) rv_hasher_add_u64(hasher, h);
}

static void hash_bytes(RvHasher* hasher, const std::string& bytes) {
  rv_hasher_add_u64(hasher, bytes.size());
  rv_hasher_add(hasher, bytes.data(), bytes.size());
}

// Hashes everything except the tree: type, transform and metadata, which include class and name.
static void hash_head(RvHasher* hasher, const openvdb::GridBase& grid) {
  rv_hasher_add_string(hasher, grid.type().c_str());
  const openvdb::math::Transform& transform = grid.constTransform();
  rv_hasher_add_string(hasher, transform.mapType().c_str());
  if (transform.isLinear()) {
    openvdb::math::Mat4d m = transform.baseMap()->getAffineMap()->getMat4();
    for (int i = 0; i < 16; ++i) {
      double v = m.asPointer()[i] + 0.0;  // no negative zeros
      rv_hasher_add(hasher, &v, sizeof v);
    }
  } else {
    std::ostringstream bytes;
    transform.baseMap()->write(bytes);
    hash_bytes(hasher, bytes.str());
  }
  for (auto meta = grid.beginMeta(); meta != grid.endMeta(); ++meta) {
    if (vdb_is_file_meta(meta->first)) continue;
    rv_hasher_add_string(hasher, meta->first.c_str());
    rv_hasher_add_string(hasher, meta->second->typeName().c_str());
    // The bytes, because the text of a number has six digits only.
    std::ostringstream bytes;
    meta->second->write(bytes);
    hash_bytes(hasher, bytes.str());
  }
}

}  // namespace rv

using namespace rv;

void rv_grid_get(const RvGrid* grid, const int32_t ijk[3], float value[3]) {
  for (int i = 0; i < 3; ++i) value[i] = 0;
  with_tree(grid, [&](auto& tree) { store(tree.root().getValue(openvdb::Coord(ijk)), value); });
}

RvResult rv_grid_set(RvGrid* grid, const int32_t ijk[3], const float* value, RvError* error) {
  RV_SHIM_BEGIN
  changed(grid);
  bool done = with_tree(
      grid, [&](auto& tree) { tree.root().setValueOn(openvdb::Coord(ijk), load(tree.root().background(), value)); });
  if (!done)
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' is of type %s; only float and vec3 voxels can be set", grid->name.c_str(),
               grid->grid->type().c_str());
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_set_leaves(RvGrid* grid, size_t count, const int32_t* origins, const float* values,
                            const uint64_t* active, RvError* error) {
  RV_SHIM_BEGIN
  check_blocks(grid, count, origins);
  changed(grid);
  bool done = with_tree(grid, [&](auto& tree) { set_leaves(tree, count, origins, values, active); });
  if (!done)
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' is of type %s; only float and vec3 leaves can be set", grid->name.c_str(),
               grid->grid->type().c_str());
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_map_values(RvGrid* grid, const double matrix[9], RvError* error) {
  RV_SHIM_BEGIN
  // The leaves stay in place, so the list of leaves remains valid.
  bool done = with_tree(grid, [&](auto& tree) { map_tree(tree, leaves_of(grid), matrix); });
  if (!done)
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' is of type %s; only float and vec3 values can be mapped", grid->name.c_str(),
               grid->grid->type().c_str());
  return RV_OK;
  RV_VDB_END(error)
}

// Counting the nodes of a tree takes no memory.
size_t rv_grid_leaf_count(const RvGrid* grid) {
  size_t count = 0;
  with_tree(grid, [&](auto& tree) { count = tree.leafCount(); });
  return count;
}

void rv_grid_each_leaf(const RvGrid* grid, RvLeafFn* fn, void* arg) {
  with_tree(grid, [&](auto& tree) {
    each_leaf(tree, [&](auto& leaf) {
      const RvLeaf seen = view(leaf);
      fn(arg, &seen);
    });
  });
}

RvResult rv_grid_leaves(const RvGrid* grid, const RvLeaf** leaves, RvError* error) {
  *leaves = nullptr;
  RV_SHIM_BEGIN
  *leaves = leaves_of(grid).data();
  return RV_OK;
  RV_VDB_END(error)
}

uint64_t rv_grid_hash(const RvGrid* grid) {
  RvHasher hasher = rv_hasher_new(0);
  try {
    hash_head(&hasher, *grid->grid);
    bool done = with_tree(grid, [&](auto& tree) { hash_tree(&hasher, tree, leaves_of(grid)); });
    if (!done) rv_hasher_add_u64(&hasher, vdb_hash_stream(*grid->grid));
  } catch (...) {
    return 0;  // out of memory
  }
  uint64_t hash = rv_hasher_done(&hasher);
  return hash ? hash : 1;
}
