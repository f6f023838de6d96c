// What the OpenVDB files share: the handle, the grid types, and the guards.
#ifndef RV_SHIM_VDB_HPP
#define RV_SHIM_VDB_HPP

// the statics of OpenVDB's templates must be the library's own; hidden copies of some of them crash it
#pragma GCC visibility push(default)
#include <openvdb/Grid.h>
#include <openvdb/tree/Tree.h>
#pragma GCC visibility pop

#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "rivulet/vdb.h"
#include "shim/shim.h"

extern "C" {
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
}

namespace rv {

using FloatTree = openvdb::tree::Tree4<float, 5, 4, 3>::Type;
using Vec3Tree = openvdb::tree::Tree4<openvdb::Vec3s, 5, 4, 3>::Type;
using FloatGrid = openvdb::Grid<FloatTree>;
using Vec3Grid = openvdb::Grid<Vec3Tree>;

// No grid made here may take more memory than this.
constexpr double GRID_BYTES_MAX = 4.0 * 1024 * 1024 * 1024;
// Index coordinates stay inside +-this, so that sums of a few of them fit an int32.
constexpr double INDEX_MAX = 536870912;

// openvdb::initialize(), once.
void vdb_init();
// Runs fn in an arena of rv_threads() workers: OpenVDB's own loops obey the limit. Exceptions come through.
void vdb_run(const std::function<void()>& fn);
// A new handle, with one reference.
RvGrid* vdb_wrap(const openvdb::GridBase::Ptr& grid);
// An empty grid out of OpenVDB's register. Grids are never constructed by their own types here: that would compile
// the whole of them again (17 s of CPU for two).
openvdb::GridBase::Ptr vdb_new(const char* type);
openvdb::SharedPtr<FloatGrid> vdb_new_float(float background);
constexpr const char* TYPE_FLOAT = "Tree_float_5_4_3";
constexpr const char* TYPE_VEC3 = "Tree_vec3s_5_4_3";
constexpr const char* TYPE_POINTS = "Tree_ptdataidx32_5_4_3";
// Metadata that only a file has: statistics and storage, left out of hashes and of copies.
bool vdb_is_file_meta(const std::string& name);
// Hash of any grid by its uncompressed bytes as they would stand in a file.
uint64_t vdb_hash_stream(const openvdb::GridBase& grid);
// A vec3 grid with a velocity's name is told to be one, as Houdini does.
void vdb_tag_velocity(openvdb::GridBase& grid);
void vdb_check_voxel(double voxel_size);
// The band in voxels, at least 3.
double vdb_check_band(double band);

// Thrown inside the shim, with the result that the C side gets.
struct Refused : std::exception {
  RvResult code;
  std::string text;
  Refused(RvResult c, std::string t) : code(c), text(std::move(t)) {}
  const char* what() const noexcept override { return text.c_str(); }
};
[[noreturn]] void vdb_refuse(RvResult code, const char* format, ...) RV_PRINTF(2, 3);

}  // namespace rv

struct RvGrid {
  std::atomic<int> references{1};
  openvdb::GridBase::Ptr grid;
  RvGridType type = RV_GRID_OTHER;
  std::string name;
  // the list of blocks, made on demand and dropped on a change
  std::mutex lock;
  std::atomic<bool> listed{false};
  std::vector<RvLeaf> leaves;
  // the names in a points grid, made on demand: points are never changed
  bool named = false;
  std::vector<std::string> channels;

  rv::FloatGrid& floats() const { return static_cast<rv::FloatGrid&>(*grid); }
  rv::Vec3Grid& vectors() const { return static_cast<rv::Vec3Grid&>(*grid); }
};

#define RV_VDB_END(error)                                         \
  }                                                               \
  catch (const rv::Refused& e) {                                  \
    return rv_fail(error, e.code, "%s", e.what());                \
  }                                                               \
  catch (const std::bad_alloc&) {                                 \
    return rv_fail(error, RV_NO_MEMORY, "out of memory");         \
  }                                                               \
  catch (const std::exception& e) {                               \
    return rv_fail(error, RV_SHIM, "OpenVDB: %s", e.what());      \
  }                                                               \
  catch (...) {                                                   \
    return rv_fail(error, RV_SHIM, "OpenVDB: unknown exception"); \
  }

#endif
