// The union of spheres as a level set: the exact distance to the nearest sphere, for spheres of any size.
//
// OpenVDB's ParticlesToLevelSet leaves out spheres of less than 1.5 voxels, the size of most drops. Here the spheres
// are sorted into blocks of 128^3 voxels; the value of a voxel is the minimum over the spheres of its block. A minimum
// does not depend on the order, so the result is reproducible to the bit.
#include "shim/vdb.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/SignedFloodFill.h>
#pragma GCC visibility pop

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace rv {

constexpr int BLOCK = 128;            // voxels along each axis of a block
constexpr int LEAF = LEAF_SIDE;       // voxels along each axis of a leaf
constexpr int LEAVES = BLOCK / LEAF;  // leaves along each axis of a block
// (block, sphere) pairs, at most; a sphere of a radius of a thousand voxels makes about four thousand.
constexpr double PAIRS_MAX = 1e8;
// Least and largest half width of the narrow band, in voxels.
constexpr double BAND_MIN = 3;
constexpr double BAND_MAX = 1000;

namespace {

using Leaf = FloatTree::LeafNodeType;

struct Sphere {
  double centre[3];  // in voxels, like all lengths here
  double radius;
};

// A sphere that reaches a block.
struct Pair {
  std::array<int32_t, 3> block;
  uint32_t sphere;
  bool operator<(const Pair& b) const { return block != b.block ? block < b.block : sphere < b.sphere; }
};

struct Block {
  size_t begin, end;          // range of its pairs
  std::vector<Leaf*> leaves;  // owned until the tree takes them
  size_t count = 0;           // leaves in the band, at most
  bool failed = false;        // out of memory
};

// A conversion in progress.
struct Work {
  double voxel_size, band;
  std::vector<Sphere> spheres;
  std::vector<Pair> pairs;
  std::vector<Block> blocks;
  ~Work() {
    for (Block& block : blocks)
      for (Leaf* leaf : block.leaves) delete leaf;
  }
};

int block_of(double x) {
  return (int)std::floor(x / BLOCK);
}

// Smallest and largest distance from a sphere's centre to the voxels of a cube.
void reach(const Sphere& s, const int origin[3], int size, double& least, double& greatest) {
  double lo = 0, hi = 0;
  for (int k = 0; k < 3; ++k) {
    double below = origin[k] - s.centre[k];
    double above = s.centre[k] - (origin[k] + size - 1);
    double near = std::fmax(0, std::fmax(below, above));
    double far = std::fmax(std::fabs(below), std::fabs(above));
    lo += near * near;
    hi += far * far;
  }
  least = std::sqrt(lo);
  greatest = std::sqrt(hi);
}

// Relation of a cube to a sphere: outside of its band, touched by the band, or completely inside.
enum Touch { NOTHING, BAND, INSIDE };

Touch touch(const Work& w, const Sphere& s, const int origin[3], int size) {
  double least, greatest;
  reach(s, origin, size, least, greatest);
  if (greatest - s.radius <= -w.band) return INSIDE;
  return least - s.radius < w.band ? BAND : NOTHING;
}

// Calls fn(leaf number in the block, origin, sphere, touch) for all leaves that the block's spheres touch.
template <typename Fn>
void each_touched(const Work& w, const Block& block, Fn&& fn) {
  const std::array<int32_t, 3>& at = w.pairs[block.begin].block;
  for (size_t p = block.begin; p < block.end; ++p) {
    const Sphere& s = w.spheres[w.pairs[p].sphere];
    int lo[3], hi[3], n[3];
    for (int k = 0; k < 3; ++k) {
      double first = s.centre[k] - s.radius - w.band - at[k] * (double)BLOCK;
      double width = 2 * (s.radius + w.band);
      lo[k] = (int)std::fmin(std::fmax(std::floor(first / LEAF), 0), LEAVES);
      hi[k] = (int)std::fmin(std::floor((first + width) / LEAF), LEAVES - 1);
    }
    for (n[0] = lo[0]; n[0] <= hi[0]; ++n[0])
      for (n[1] = lo[1]; n[1] <= hi[1]; ++n[1])
        for (n[2] = lo[2]; n[2] <= hi[2]; ++n[2]) {
          int origin[3];
          for (int k = 0; k < 3; ++k) origin[k] = at[k] * BLOCK + n[k] * LEAF;
          Touch how = touch(w, s, origin, LEAF);
          if (how != NOTHING) fn((n[0] * LEAVES + n[1]) * LEAVES + n[2], origin, s, how);
        }
  }
}

// The relation of each leaf of a block to its spheres; a leaf inside of any sphere is inside.
using Marks = std::array<uint8_t, LEAVES * LEAVES * LEAVES>;

// Marks the leaves of a block. False if the whole block is inside of a sphere.
bool mark(const Work& w, const Block& block, Marks& marks) {
  marks.fill(NOTHING);
  const std::array<int32_t, 3>& at = w.pairs[block.begin].block;
  const int origin[3] = {at[0] * BLOCK, at[1] * BLOCK, at[2] * BLOCK};
  for (size_t p = block.begin; p < block.end; ++p)
    if (touch(w, w.spheres[w.pairs[p].sphere], origin, BLOCK) == INSIDE) return false;
  each_touched(w, block, [&](int n, const int*, const Sphere&, Touch how) {
    if (marks[n] < how) marks[n] = how;
  });
  return true;
}

// Lowers the values of a leaf to the distance of a sphere. Distances are float, in world units.
void lower(float* values, const int origin[3], const Sphere& s, float voxel_size) {
  float c[3];
  for (int k = 0; k < 3; ++k) c[k] = (float)(s.centre[k] - origin[k]);
  float radius = (float)s.radius;
  for (int x = 0; x < LEAF; ++x)
    for (int y = 0; y < LEAF; ++y) {
      float dx = (float)x - c[0];
      float dy = (float)y - c[1];
      float xy = dx * dx + dy * dy;
      float* row = values + x * (LEAF * LEAF) + y * LEAF;
      for (int z = 0; z < LEAF; ++z) {
        float dz = (float)z - c[2];
        float d = (sqrtf(xy + dz * dz) - radius) * voxel_size;
        row[z] = d < row[z] ? d : row[z];
      }
    }
}

// Activates the voxels inside of the band and clamps the others. False if none is active.
bool finish(Leaf& leaf, float background) {
  float* values = leaf.buffer().data();
  bool any = false;
  for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
    bool active = values[i] > -background && values[i] < background;
    if (!active) values[i] = values[i] < 0 ? -background : background;
    leaf.setActiveState(i, active);
    any |= active;
  }
  return any;
}

// Counts the leaves in the band, for a range of blocks.
void count_blocks(void* arg, size_t begin, size_t end) {
  Work* w = static_cast<Work*>(arg);
  Marks marks;
  for (size_t b = begin; b < end; ++b)
    if (mark(*w, w->blocks[b], marks)) w->blocks[b].count = (size_t)std::count(marks.begin(), marks.end(), BAND);
}

// Makes the leaves of a block.
void fill_block(Work& w, Block& block) {
  float background = (float)(w.band * w.voxel_size);
  Marks marks;
  if (!block.count || !mark(w, block, marks)) return;
  std::vector<std::unique_ptr<Leaf>> made(marks.size());
  each_touched(w, block, [&](int n, const int* origin, const Sphere& s, Touch) {
    if (marks[n] != BAND) return;
    if (!made[n]) made[n].reset(new Leaf(openvdb::Coord(origin[0], origin[1], origin[2]), background));
    lower(made[n]->buffer().data(), origin, s, (float)w.voxel_size);
  });
  block.leaves.reserve(block.count);
  for (std::unique_ptr<Leaf>& leaf : made)
    if (leaf && finish(*leaf, background)) block.leaves.push_back(leaf.release());
}

// Makes the leaves of a range of blocks; exceptions must not leave the parallel loop.
void fill_blocks(void* arg, size_t begin, size_t end) {
  Work* w = static_cast<Work*>(arg);
  for (size_t b = begin; b < end; ++b) {
    try {
      fill_block(*w, w->blocks[b]);
    } catch (...) {
      w->blocks[b].failed = true;
    }
  }
}

// Checks the spheres and converts them to voxels.
void take_spheres(Work& w, size_t count, const float* centres, const float* radii) {
  double pairs = 0;
  w.spheres.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    Sphere s;
    s.radius = radii[i] / w.voxel_size;
    double blocks = 1, far = s.radius;
    for (int k = 0; k < 3; ++k) {
      s.centre[k] = centres[3 * i + k] / w.voxel_size;
      far += std::fabs(s.centre[k]);
      blocks *= 2 * (s.radius + w.band) / BLOCK + 2;
    }
    if (!std::isfinite(far)) vdb_refuse(RV_BAD_INPUT, "the centre or the radius of sphere %zu is not finite", i);
    if (radii[i] < 0) vdb_refuse(RV_BAD_INPUT, "the radius of sphere %zu is negative (%g)", i, radii[i]);
    if (far > INDEX_MAX)
      vdb_refuse(
          RV_LIMIT,
          "sphere %zu reaches %g voxels of %g from the origin, more than %g; use larger voxels or move the spheres", i,
          far, w.voxel_size, INDEX_MAX);
    // A small sphere touches at most 8 blocks; of the box of a large one about half the blocks are touched.
    pairs += std::fmin(blocks, 8 + 0.5 * blocks);
    if (pairs > PAIRS_MAX)
      vdb_refuse(RV_LIMIT,
                 "%zu spheres, here number %zu of radius %g, are too large for voxels of %g; use larger voxels", count,
                 i, radii[i], w.voxel_size);
    w.spheres.push_back(s);
  }
}

// Lists the blocks and the spheres that touch each.
void sort_into_blocks(Work& w) {
  for (size_t i = 0; i < w.spheres.size(); ++i) {
    const Sphere& s = w.spheres[i];
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
      lo[k] = block_of(s.centre[k] - s.radius - w.band);
      hi[k] = block_of(s.centre[k] + s.radius + w.band);
    }
    for (int x = lo[0]; x <= hi[0]; ++x)
      for (int y = lo[1]; y <= hi[1]; ++y)
        for (int z = lo[2]; z <= hi[2]; ++z) {
          const int origin[3] = {x * BLOCK, y * BLOCK, z * BLOCK};
          if (touch(w, s, origin, BLOCK) != NOTHING) w.pairs.push_back({{x, y, z}, (uint32_t)i});
        }
  }
  std::sort(w.pairs.begin(), w.pairs.end());
  for (size_t p = 0; p < w.pairs.size(); ++p) {
    if (p == 0 || w.pairs[p].block != w.pairs[p - 1].block) w.blocks.push_back({p, p, {}, 0, false});
    w.blocks.back().end = p + 1;
  }
}

// Computes the level set: counts and checks the memory, fills the leaves in parallel, and joins them.
openvdb::GridBase::Ptr rasterise(Work& w) {
  sort_into_blocks(w);
  rv_parallel_for(w.blocks.size(), 1, count_blocks, &w);
  double leaves = 0;
  for (const Block& block : w.blocks) leaves += (double)block.count;
  double bytes = leaves * (sizeof(Leaf) + Leaf::SIZE * sizeof(float));
  const double most = vdb_bytes_max();
  if (bytes > most)
    vdb_refuse(RV_LIMIT,
               "a level set of these spheres with voxels of %g would take %.3g GiB, more than %.3g GiB; voxels "
               "of %.3g fit",
               w.voxel_size, bytes / GIB, most / GIB, w.voxel_size * std::sqrt(bytes / most) * ADVICE_MARGIN);
  rv_parallel_for(w.blocks.size(), 1, fill_blocks, &w);
  auto grid = vdb_new_float((float)(w.band * w.voxel_size));
  for (Block& block : w.blocks) {
    if (block.failed) throw std::bad_alloc();
    for (Leaf*& leaf : block.leaves) {
      grid->tree().root().addLeaf(leaf);
      leaf = nullptr;
    }
  }
  openvdb::tools::signedFloodFill(grid->tree());
  return grid;
}

}  // namespace

double vdb_check_band(double band) {
  if (!(band <= BAND_MAX)) vdb_refuse(RV_BAD_INPUT, "the narrow band has %g voxels; it must have 3 to 1000", band);
  return std::fmax(band, BAND_MIN);
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_from_spheres(const char* name, double voxel_size, double band, size_t count, const float* centres,
                              const float* radii, RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_check_voxel(voxel_size);
  if (count > UINT32_MAX) vdb_refuse(RV_LIMIT, "%zu spheres are too many; at most 2^32 are possible", count);
  Work work;
  work.voxel_size = voxel_size;
  work.band = vdb_check_band(band);
  take_spheres(work, count, centres, radii);
  vdb_run([&] {
    openvdb::GridBase::Ptr grid = rasterise(work);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
    grid->setName(name ? name : "");
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    *out = vdb_wrap(grid);
  });
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_flood_fill(RvGrid* level_set, RvError* error) {
  RV_SHIM_BEGIN
  if (level_set->type != RV_GRID_FLOAT)
    vdb_refuse(RV_BAD_INPUT, "grid '%s' is no level set of floats, which a flood fill needs", level_set->name.c_str());
  level_set->listed.store(false, std::memory_order_release);
  vdb_run([&] { openvdb::tools::signedFloodFill(level_set->floats().tree()); });
  return RV_OK;
  RV_VDB_END(error)
}
