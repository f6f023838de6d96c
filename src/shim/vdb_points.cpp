// Points grids: conversion from and to arrays. They have their own file because they take the longest to compile.
#include "shim/vdb.hpp"
#include "shim/vdb_bytes.h"
#include "shim/vdb_scan.hpp"

#pragma GCC visibility push(default)
#include <openvdb/points/AttributeArray.h>
#include <openvdb/points/PointDataGrid.h>
#pragma GCC visibility pop

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

namespace rv {

using namespace openvdb::points;
using openvdb::Coord;
using openvdb::Vec3d;
using openvdb::Vec3s;
using Leaf = PointDataTree::LeafNodeType;

// What to do about damage.
#define ADVICE "; replace its file by another copy, or write it again"

namespace {

// A point with its leaf and voxel, for sorting.
struct Place {
  std::array<int32_t, 3> leaf;
  uint32_t voxel, point;
  bool operator<(const Place& b) const {
    if (leaf != b.leaf) return leaf < b.leaf;
    return voxel != b.voxel ? voxel < b.voxel : point < b.point;
  }
};

// Arguments of rv_grid_from_points.
struct Input {
  double voxel_size;
  size_t count;
  const float* positions;
  const RvPointChannel* channels;
  size_t nchannel;
  // Voxel of a point: the nearest index position.
  Coord voxel(size_t i) const {
    int32_t ijk[3];
    for (int k = 0; k < 3; ++k) ijk[k] = (int32_t)std::floor(positions[3 * i + k] / voxel_size + 0.5);
    return Coord(ijk);
  }
};

// OpenVDB's type of a channel.
openvdb::NamePair type_of(const RvPointChannel& channel) {
  if (channel.is_int && channel.size == 1) return {"int32", "null"};
  if (!channel.is_int && channel.size == 1) return {"float", "null"};
  if (!channel.is_int && channel.size == 3) return {"vec3s", "null"};
  vdb_refuse(RV_UNSUPPORTED, "the point attribute '%s' has %d %s; points of a VDB take 1 or 3 floats, or 1 int",
             channel.name, channel.size, channel.is_int ? "ints" : "floats");
}

// The attributes of the grid: P and the channels.
AttributeSet::Descriptor::Ptr describe(const Input& in) {
  AttributeSet::Descriptor::Ptr descriptor = AttributeSet::Descriptor::create({"vec3s", "null"});
  for (size_t c = 0; c < in.nchannel; ++c) {
    const RvPointChannel& channel = in.channels[c];
    openvdb::NamePair type = type_of(channel);
    if (!AttributeSet::Descriptor::validName(channel.name) ||
        descriptor->find(channel.name) != AttributeSet::INVALID_POS)
      vdb_refuse(RV_BAD_INPUT, "the point attribute '%s' has an empty or odd name, or one that is taken; rename it",
                 channel.name);
    descriptor = descriptor->duplicateAppend(channel.name, type);
  }
  return descriptor;
}

// Checks the points and sorts them by leaf, voxel and index.
std::vector<Place> sort_points(const Input& in) {
  std::vector<Place> places(in.count);
  for (size_t i = 0; i < in.count; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = in.positions[3 * i + k] / in.voxel_size;
      if (!std::isfinite(x)) vdb_refuse(RV_BAD_INPUT, "point %zu has a position (P) that is not finite", i);
      if (std::fabs(x) > INDEX_MAX)
        vdb_refuse(RV_LIMIT,
                   "point %zu is %g voxels of %g from the origin, more than %g; use larger voxels or move the points",
                   i, std::fabs(x), in.voxel_size, INDEX_MAX);
    }
    Coord voxel = in.voxel(i);
    const int32_t mask = ~(LEAF_SIDE - 1);
    places[i] = {{voxel.x() & mask, voxel.y() & mask, voxel.z() & mask}, Leaf::coordToOffset(voxel), (uint32_t)i};
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Copies a channel into a leaf in the order of its points.
template <typename T>
void fill_channel(AttributeArray& array, const Place* first, size_t count, const void* data) {
  AttributeWriteHandle<T> handle(array);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(static_cast<void*>(&value), static_cast<const char*>(data) + first[i].point * sizeof(T), sizeof(T));
    handle.set((openvdb::Index)i, value);
  }
}

// Positions are stored relative to the voxel's centre, in voxels.
void fill_positions(const Input& in, AttributeArray& array, const Place* first, size_t count) {
  AttributeWriteHandle<Vec3s> handle(array);
  for (size_t i = 0; i < count; ++i) {
    size_t point = first[i].point;
    Coord voxel = in.voxel(point);
    Vec3s local;
    for (int k = 0; k < 3; ++k) local[k] = (float)(in.positions[3 * point + k] / in.voxel_size - voxel[k]);
    handle.set((openvdb::Index)i, local);
  }
}

// Fills a leaf with `count` sorted points.
void fill_leaf(const Input& in, const AttributeSet::Descriptor::Ptr& descriptor, Leaf& leaf, const Place* first,
               size_t count) {
  // initializeAttributes() would only take P.
  leaf.replaceAttributeSet(new AttributeSet(descriptor, (openvdb::Index)count), true);
  // Each voxel stores the end of its points.
  std::vector<Leaf::ValueType> ends(Leaf::SIZE);
  size_t p = 0;
  for (uint32_t voxel = 0; voxel < Leaf::SIZE; ++voxel) {
    while (p < count && first[p].voxel == voxel) ++p;
    ends[voxel] = (uint32_t)p;
  }
  leaf.setOffsets(ends);
  // Attributes.
  fill_positions(in, leaf.attributeArray(0), first, count);
  for (size_t c = 0; c < in.nchannel; ++c) {
    const RvPointChannel& channel = in.channels[c];
    AttributeArray& array = leaf.attributeArray(channel.name);
    if (channel.is_int)
      fill_channel<int32_t>(array, first, count, channel.data);
    else if (channel.size == 1)
      fill_channel<float>(array, first, count, channel.data);
    else
      fill_channel<Vec3s>(array, first, count, channel.data);
  }
}

// Builds the grid leaf by leaf.
openvdb::GridBase::Ptr build(const Input& in) {
  std::vector<Place> places = sort_points(in);
  AttributeSet::Descriptor::Ptr descriptor = describe(in);
  openvdb::GridBase::Ptr grid = vdb_new(TYPE_POINTS);
  PointDataTree& tree = static_cast<PointDataGrid&>(*grid).tree();
  for (size_t begin = 0, end; begin < places.size(); begin = end) {
    for (end = begin; end < places.size() && places[end].leaf == places[begin].leaf;) ++end;
    Leaf* leaf = tree.root().touchLeaf(Coord(places[begin].leaf.data()));
    fill_leaf(in, descriptor, *leaf, &places[begin], end - begin);
  }
  return grid;
}

// Number of points of a leaf. The ends of the voxels are checked, because a damaged file can contain anything.
size_t points_of(const Leaf& leaf) {
  uint32_t last = 0;
  for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
    uint32_t end = leaf.getValue(i);
    if (end < last)
      vdb_refuse(RV_BAD_FILE, "a points grid is damaged: the point ranges of its voxels are not in order" ADVICE);
    last = end;
  }
  return last;
}

// Calls fn with all leaves of a points grid, in tree order.
template <typename Fn>
void each_leaf(const RvGrid* grid, Fn&& fn) {
  if (grid->type != RV_GRID_POINTS)
    vdb_refuse(RV_BAD_INPUT, "grid '%s' is of type %s and has no points", grid->name.c_str(),
               grid->grid->type().c_str());
  const PointDataTree& tree = static_cast<const PointDataGrid&>(*grid->grid).constTree();
  for (auto upper = tree.root().cbeginChildOn(); upper; ++upper)
    for (auto lower = upper->cbeginChildOn(); lower; ++lower)
      for (auto leaf = lower->cbeginChildOn(); leaf; ++leaf) fn(*leaf);
}

// The attribute array of a leaf, checked to have all points; NULL if the leaf has no such attribute.
const AttributeArray* array_of(const RvGrid* grid, const Leaf& leaf, const char* name, size_t count) {
  size_t at = leaf.attributeSet().find(name);
  if (at == AttributeSet::INVALID_POS) return nullptr;
  const AttributeArray& array = leaf.attributeArray(at);
  if (array.size() < count)
    vdb_refuse(RV_BAD_FILE, "points grid '%s' is damaged: '%s' has fewer values than there are points" ADVICE,
               grid->name.c_str(), name);
  return &array;
}

// Appends the names of a leaf's attributes that are not in `seen`, in the order of the attributes, then its groups.
void list_names(const AttributeSet::Descriptor& descriptor, std::set<std::string>& seen,
                std::vector<std::string>& out) {
  std::vector<std::pair<size_t, std::string>> found;
  for (const auto& entry : descriptor.map()) {
    // Attributes of type "grp" store the bits of groups and are not listed.
    if (entry.first == "P" || descriptor.type(entry.second).second == "grp") continue;
    found.emplace_back(entry.second, entry.first);
  }
  std::sort(found.begin(), found.end());
  for (const auto& entry : found)
    if (seen.insert(entry.second).second) out.push_back(entry.second);
  for (const auto& entry : descriptor.groupMap())
    if (seen.insert(entry.first).second) out.push_back(entry.first);
}

// Names of all attributes and groups, made on demand. Most leaves share one descriptor.
const std::vector<std::string>& names_of(const RvGrid* grid) {
  RvGrid* mutable_grid = const_cast<RvGrid*>(grid);
  std::lock_guard<std::mutex> guard(mutable_grid->lock);
  if (grid->named) return grid->channels;
  std::set<std::string> seen;
  std::vector<std::string> names;
  const AttributeSet::Descriptor* last = nullptr;
  each_leaf(grid, [&](const Leaf& leaf) {
    const AttributeSet::Descriptor& descriptor = leaf.attributeSet().descriptor();
    if (&descriptor != last) list_names(descriptor, seen, names);
    last = &descriptor;
  });
  mutable_grid->channels = std::move(names);
  mutable_grid->named = true;
  return grid->channels;
}

// Number of points of the grid, limited by their memory.
size_t count_all(const RvGrid* grid) {
  size_t count = 0;
  each_leaf(grid, [&](const Leaf& leaf) { count += points_of(leaf); });
  if ((double)count * sizeof(Vec3s) > GRID_BYTES_MAX)
    vdb_refuse(RV_LIMIT, "points grid '%s' claims to have %zu points, more than fit into %.3g GiB" ADVICE,
               grid->name.c_str(), count, GRID_BYTES_MAX / GIB);
  return count;
}

// Reads an attribute of all points, which must have the same type in all leaves.
template <typename T>
void read_channel(const RvGrid* grid, const char* name, void* data) {
  char* to = static_cast<char*>(data);
  each_leaf(grid, [&](const Leaf& leaf) {
    size_t count = points_of(leaf);
    if (!count) return;
    const AttributeArray* array = array_of(grid, leaf, name, count);
    if (!array || array->valueType() != openvdb::typeNameAsString<T>() || array->stride() != 1)
      vdb_refuse(RV_BAD_FILE, "points grid '%s': the attribute '%s' has different types in different places" ADVICE,
                 grid->name.c_str(), name);
    AttributeHandle<T> handle(*array);
    for (size_t i = 0; i < count; ++i, to += sizeof(T)) {
      T value = handle.get((openvdb::Index)i);
      std::memcpy(to, static_cast<const void*>(&value), sizeof(T));
    }
  });
}

// Reads the positions in world space.
void read_positions(const RvGrid* grid, Vec3s* out) {
  each_leaf(grid, [&](const Leaf& leaf) {
    size_t count = points_of(leaf);
    if (!count) return;
    const AttributeArray* array = array_of(grid, leaf, "P", count);
    if (!array || array->valueType() != "vec3s" || array->stride() != 1)
      vdb_refuse(RV_UNSUPPORTED, "points grid '%s' has no uncompressed position P of three floats; save it with one",
                 grid->name.c_str());
    AttributeHandle<Vec3s> handle(*array);
    size_t i = 0;
    for (openvdb::Index voxel = 0; voxel < Leaf::SIZE; ++voxel) {
      Vec3d centre = leaf.offsetToGlobalCoord(voxel).asVec3d();
      for (size_t end = leaf.getValue(voxel); i < end; ++i)
        *out++ = Vec3s(grid->grid->indexToWorld(centre + Vec3d(handle.get((openvdb::Index)i))));
    }
  });
}

}  // namespace

size_t vdb_attribute_bytes(const std::string& type, const std::string& codec) {
  const openvdb::NamePair name(type, codec);
  return AttributeArray::isRegistered(name) ? AttributeArray::create(name, 1, 1)->storageTypeSize() : 0;
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_from_points(const char* name, double voxel_size, size_t count, const float* positions,
                             const RvPointChannel* channels, size_t nchannel, RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_init();
  vdb_check_voxel(voxel_size);
  if (count > UINT32_MAX) vdb_refuse(RV_LIMIT, "%zu points are too many: a points grid has at most 2^32", count);
  openvdb::GridBase::Ptr grid = build({voxel_size, count, positions, channels, nchannel});
  grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
  grid->setName(name ? name : "");
  *out = vdb_wrap(grid);
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_points_count(const RvGrid* grid, size_t* count, RvError* error) {
  *count = 0;
  RV_SHIM_BEGIN
  *count = count_all(grid);
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_points(const RvGrid* grid, size_t* count, float** positions, RvError* error) {
  *count = 0;
  *positions = nullptr;
  void* data = nullptr;
  RvResult result = [&]() -> RvResult {
    RV_SHIM_BEGIN
    *count = count_all(grid);
    data = rv_alloc(*count, sizeof(Vec3s));
    if (!data) throw std::bad_alloc();
    read_positions(grid, static_cast<Vec3s*>(data));
    return RV_OK;
    RV_VDB_END(error)
  }();
  if (result) {
    rv_free(data);
    *count = 0;
  } else {
    *positions = static_cast<float*>(data);
  }
  return result;
}

RvResult rv_grid_points_channels(const RvGrid* grid, size_t* count, const char*** names, RvError* error) {
  *count = 0;
  *names = nullptr;
  RV_SHIM_BEGIN
  size_t found = grid->type == RV_GRID_POINTS ? names_of(grid).size() : 0;
  *names = static_cast<const char**>(rv_alloc(found, sizeof **names));
  if (!*names) throw std::bad_alloc();
  for (size_t i = 0; i < found; ++i) (*names)[i] = names_of(grid)[i].c_str();
  *count = found;
  return RV_OK;
  RV_VDB_END(error)
}

// Type of an attribute in the first leaf that has it. Throws Refused if it is a group or missing.
static std::string find_type(const RvGrid* grid, const char* name) {
  std::string type;
  bool group = false;
  each_leaf(grid, [&](const Leaf& leaf) {
    group = group || leaf.attributeSet().descriptor().hasGroup(name);
    const AttributeArray* array = type.empty() ? array_of(grid, leaf, name, 0) : nullptr;
    if (array) type = array->valueType();
  });
  if (type.empty() && group)
    vdb_refuse(RV_UNSUPPORTED, "'%s' of points grid '%s' is a point group, which cannot be read as an attribute", name,
               grid->name.c_str());
  if (type.empty()) vdb_refuse(RV_NOT_FOUND, "points grid '%s' has no attribute '%s'", grid->name.c_str(), name);
  return type;
}

RvResult rv_grid_points_channel(const RvGrid* grid, const char* name, int* size, bool* is_int, void** data,
                                RvError* error) {
  *data = nullptr;
  void* values = nullptr;
  RvResult result = [&]() -> RvResult {
    RV_SHIM_BEGIN
    size_t count = count_all(grid);
    std::string type = find_type(grid, name);
    *size = type == "vec3s" ? 3 : 1;
    *is_int = type == "int32";
    values = rv_alloc(count, sizeof(float) * (size_t)*size);  // an int32 has the same size
    if (!values) throw std::bad_alloc();
    if (type == "vec3s")
      read_channel<Vec3s>(grid, name, values);
    else if (type == "float")
      read_channel<float>(grid, name, values);
    else if (type == "int32")
      read_channel<int32_t>(grid, name, values);
    else
      vdb_refuse(RV_UNSUPPORTED,
                 "the attribute '%s' of points grid '%s' is of type %s; only float, vec3s and int32 can be read", name,
                 grid->name.c_str(), type.c_str());
    return RV_OK;
    RV_VDB_END(error)
  }();
  if (result)
    rv_free(values);
  else
    *data = values;
  return result;
}
