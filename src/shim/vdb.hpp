// Shared by the OpenVDB files: the handle, the grid types, checks and errors.
#ifndef RV_SHIM_VDB_HPP
#define RV_SHIM_VDB_HPP

// The static data of OpenVDB's templates must be those of the library; hidden copies of some of them make it crash.
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

#include "base/foreign.h"
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

constexpr double MIB = 1048576, GIB = 1073741824;  // bytes
// Memory of a grid made here, at most.
constexpr double GRID_BYTES_MAX = 4 * GIB;
// The same within what is left of the process's memory limit.
double vdb_bytes_max();
// Magnitude of index coordinates: 2^29, so that sums of a few of them fit into an int32.
constexpr double INDEX_MAX = 536870912;
constexpr int LEAF_SIDE = 8;      // voxels along each axis of a leaf
constexpr int LEAF_VOXELS = 512;  // of a leaf, z fastest
constexpr int LEAF_WORDS = 8;     // 64-bit words of a leaf's mask of active voxels
// Factor on a voxel size suggested in an error, so that the rounded number is large enough.
constexpr double ADVICE_MARGIN = 1.05;

// Calls openvdb::initialize() once.
void vdb_init();
// Runs fn in an arena of rv_threads() threads, so that OpenVDB's own loops obey the limit. Exceptions are passed on.
void vdb_run(const std::function<void()>& fn);
// A new handle, with one reference.
RvGrid* vdb_wrap(const openvdb::GridBase::Ptr& grid);
// An empty grid from OpenVDB's registry of types. Grids are not constructed by their own types here, because that would
// compile all of their code again (17 s of CPU for two).
openvdb::GridBase::Ptr vdb_new(const char* type);
// An empty float grid with a background value.
openvdb::SharedPtr<FloatGrid> vdb_new_float(float background);
constexpr const char* TYPE_FLOAT = "Tree_float_5_4_3";
constexpr const char* TYPE_VEC3 = "Tree_vec3s_5_4_3";
constexpr const char* TYPE_POINTS = "Tree_ptdataidx32_5_4_3";
// True for metadata that describe a file (statistics and storage). They are left out of hashes and copies.
bool vdb_is_file_meta(const std::string& name);
// Hash of any grid by its uncompressed bytes as in a file.
uint64_t vdb_hash_stream(const openvdb::GridBase& grid);
// Marks a vec3 grid with the name of a velocity as one, as Houdini does.
void vdb_tag_velocity(openvdb::GridBase& grid);
// Throws Refused unless the voxel size is positive and of a usable magnitude.
void vdb_check_voxel(double voxel_size);
// The half width of the narrow band in voxels, raised to at least 3. Throws Refused if it is too large.
double vdb_check_band(double band);

// An open call into OpenVDB.
struct Foreign {
  Foreign() { rv_foreign_enter("OpenVDB"); }
  ~Foreign() { rv_foreign_leave(); }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
};

// Exception inside the shim, with the result code and text that C gets.
struct Refused : std::exception {
  RvResult code;
  std::string text;
  Refused(RvResult c, std::string t) : code(c), text(std::move(t)) {}
  const char* what() const noexcept override { return text.c_str(); }
};
// Throws Refused with a printf text.
[[noreturn]] void vdb_refuse(RvResult code, const char* format, ...) RV_PRINTF(2, 3);

}  // namespace rv

// The handle that C sees.
struct RvGrid {
  std::atomic<int> references{1};
  openvdb::GridBase::Ptr grid;
  RvGridType type = RV_GRID_OTHER;
  RvGridClass grid_class = RV_GRID_UNKNOWN;  // copy of the grid's, whose text OpenVDB would allocate to read
  std::string name;                          // copy of the grid's, for rv_grid_name
  std::mutex lock;                           // of the lists below
  // List of leaves, made on demand and invalidated by a change of the tree.
  std::atomic<bool> listed{false};
  std::vector<RvLeaf> leaves;
  // Names of the attributes of a points grid, made on demand once: points are never changed.
  bool named = false;
  std::vector<std::string> channels;

  rv::FloatGrid& floats() const { return static_cast<rv::FloatGrid&>(*grid); }
  rv::Vec3Grid& vectors() const { return static_cast<rv::Vec3Grid&>(*grid); }
};

// Begins the body of a function that makes grids. Those that it does not hand over are freed within the call into
// OpenVDB, since even freeing a tree allocates.
#define RV_VDB_BEGIN              \
  const rv::Foreign foreign_call; \
  try {
// Ends the body of a function that calls OpenVDB; begin it by RV_VDB_BEGIN or RV_SHIM_BEGIN.
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
