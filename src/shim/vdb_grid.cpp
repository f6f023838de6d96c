// Grid handles: creation, copies, names, transforms, metadata and bounds.
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <memory>

#include "shim/arena.hpp"
#include "shim/reserve.h"
#include "shim/vdb.hpp"
#include "shim/vdb_voxel.h"

extern "C" {
#include "base/budget.h"
}

namespace openvdb {
OPENVDB_USE_VERSION_NAMESPACE
namespace OPENVDB_VERSION_NAME {
// Declared here, because openvdb.h would include the point grids.
OPENVDB_API void initialize();
}  // namespace OPENVDB_VERSION_NAME
}  // namespace openvdb

namespace rv {

constexpr double VOXEL_SIZE_MAX = 1e12;  // positions and indices then stay within float
constexpr size_t TEXT_BYTES = 900;       // of an error; fits into RvError

double vdb_bytes_max() {
  return std::fmin(GRID_BYTES_MAX, (double)rv_budget_room());
}

void vdb_init() {
  static std::once_flag once;
  std::call_once(once, [] { openvdb::initialize(); });
}

void vdb_run(const std::function<void()>& fn) {
  Foreign call;
  vdb_init();
  tbb_arena_run(rv_threads(), fn);
  // OpenVDB has used the last memory of the process.
  if (!rv_reserve_renew()) throw std::bad_alloc();
}

void vdb_refuse(RvResult code, const char* format, ...) {
  char text[TEXT_BYTES];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  throw Refused(code, text);
}

void vdb_check_voxel(double voxel_size) {
  if (!(voxel_size >= RV_VDB_LEAST_VOXEL && voxel_size <= VOXEL_SIZE_MAX))
    vdb_refuse(RV_BAD_INPUT,
               "the voxel size is %g units; a VDB takes %g to %g: use larger voxels, or smaller units (metersperunit)",
               voxel_size, RV_VDB_LEAST_VOXEL, VOXEL_SIZE_MAX);
}

bool vdb_is_file_meta(const std::string& name) {
  return name.compare(0, std::strlen("file_"), "file_") == 0 || name == openvdb::GridBase::META_SAVE_HALF_FLOAT;
}

void vdb_tag_velocity(openvdb::GridBase& grid) {
  const std::string name = grid.getName();
  bool velocity = name == "v" || name == "vel" || name == "collisionvel";
  if (velocity && grid.type() == TYPE_VEC3 && !grid[openvdb::GridBase::META_VECTOR_TYPE])
    grid.setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
}

openvdb::GridBase::Ptr vdb_new(const char* type) {
  vdb_init();
  return openvdb::GridBase::createGrid(type);
}

openvdb::SharedPtr<FloatGrid> vdb_new_float(float background) {
  auto grid = openvdb::StaticPtrCast<FloatGrid>(vdb_new(TYPE_FLOAT));
  grid->tree().root().setBackground(background, false);
  return grid;
}

// Class of a grid as C sees it.
static RvGridClass from_class(openvdb::GridClass grid_class) {
  switch (grid_class) {
    case openvdb::GRID_LEVEL_SET:
      return RV_GRID_LEVEL_SET;
    case openvdb::GRID_FOG_VOLUME:
      return RV_GRID_FOG;
    case openvdb::GRID_STAGGERED:
      return RV_GRID_STAGGERED;
    default:
      return RV_GRID_UNKNOWN;
  }
}

// Copies name and class from the grid into its handle.
static void read_labels(RvGrid* handle) {
  handle->name = handle->grid->getName();
  handle->grid_class = from_class(handle->grid->getGridClass());
}

RvGrid* vdb_wrap(const openvdb::GridBase::Ptr& grid) {
  std::unique_ptr<RvGrid> handle(new RvGrid);
  handle->grid = grid;
  read_labels(handle.get());
  if (grid->type() == TYPE_FLOAT)
    handle->type = RV_GRID_FLOAT;
  else if (grid->type() == TYPE_VEC3)
    handle->type = RV_GRID_VEC3;
  else if (grid->type() == TYPE_POINTS)
    handle->type = RV_GRID_POINTS;
  return handle.release();
}

static openvdb::GridClass to_class(RvGridClass grid_class) {
  switch (grid_class) {
    case RV_GRID_LEVEL_SET:
      return openvdb::GRID_LEVEL_SET;
    case RV_GRID_FOG:
      return openvdb::GRID_FOG_VOLUME;
    case RV_GRID_STAGGERED:
      return openvdb::GRID_STAGGERED;
    default:
      return openvdb::GRID_UNKNOWN;
  }
}

static void check_background(const float* background, int size) {
  for (int i = 0; background && i < size; ++i)
    if (!std::isfinite(background[i])) vdb_refuse(RV_BAD_INPUT, "the background value of the grid is not finite");
}

}  // namespace rv

using namespace rv;

RvResult rv_grid_create(RvGridType type, const char* name, RvGridClass grid_class, double voxel_size,
                        const float* background, RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_init();
  vdb_check_voxel(voxel_size);
  openvdb::GridBase::Ptr grid;
  if (type == RV_GRID_FLOAT) {
    check_background(background, 1);
    grid = vdb_new_float(background ? background[0] : 0.0f);
  } else if (type == RV_GRID_VEC3) {
    check_background(background, 3);
    grid = vdb_new(TYPE_VEC3);
    if (background) static_cast<Vec3Grid&>(*grid).tree().root().setBackground(openvdb::Vec3s(background), false);
  } else if (type == RV_GRID_POINTS) {
    grid = vdb_new(TYPE_POINTS);
  } else {
    vdb_refuse(RV_BAD_INPUT, "a grid '%s' of type %d cannot be made; use float, vec3 or points", name ? name : "",
               (int)type);
  }
  grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
  grid->setName(name ? name : "");
  if (grid_class != RV_GRID_UNKNOWN) grid->setGridClass(to_class(grid_class));
  vdb_tag_velocity(*grid);
  *out = vdb_wrap(grid);
  return RV_OK;
  RV_VDB_END(error)
}

RvGrid* rv_grid_retain(RvGrid* grid) {
  if (grid) grid->references.fetch_add(1, std::memory_order_relaxed);
  return grid;
}

void rv_grid_release(RvGrid* grid) {
  if (!grid || grid->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Even freeing a tree allocates in OpenVDB.
  Foreign call;
  delete grid;
}

RvResult rv_grid_copy(const RvGrid* grid, RvGrid** out, RvError* error) {
  RV_VDB_BEGIN
  *out = nullptr;
  vdb_run([&] { *out = vdb_wrap(grid->grid->deepCopyGrid()); });
  return RV_OK;
  RV_VDB_END(error)
}

const void* rv_grid_native(const RvGrid* grid) {
  return &grid->grid;
}

RvResult rv_grid_from_native(const void* pointer, RvGrid** out, RvError* error) {
  *out = nullptr;
  RV_VDB_BEGIN
  const auto& grid = *static_cast<const openvdb::GridBase::Ptr*>(pointer);
  if (!grid) return rv_fail(error, RV_BAD_INPUT, "the VDB primitive has no grid");
  vdb_init();
  *out = vdb_wrap(grid);
  return RV_OK;
  RV_VDB_END(error)
}

RvGridType rv_grid_type(const RvGrid* grid) {
  return grid->type;
}

RvGridClass rv_grid_class(const RvGrid* grid) {
  return grid->grid_class;
}

const char* rv_grid_name(const RvGrid* grid) {
  return grid->name.c_str();
}

RvResult rv_grid_set_name(RvGrid* grid, const char* name, RvError* error) {
  RV_SHIM_BEGIN
  std::string text = name ? name : "";
  grid->grid->setName(text);
  grid->name.swap(text);
  vdb_tag_velocity(*grid->grid);
  return RV_OK;
  RV_VDB_END(error)
}

double rv_grid_voxel_size(const RvGrid* grid) {
  return grid->grid->voxelSize()[0];
}

RvResult rv_grid_transform(const RvGrid* grid, double matrix[16], RvError* error) {
  RV_SHIM_BEGIN
  const openvdb::math::Transform& transform = grid->grid->constTransform();
  if (!transform.isLinear())
    vdb_refuse(RV_UNSUPPORTED, "grid '%s' has a frustum transform, which is not supported; resample it to a box first",
               grid->name.c_str());
  openvdb::math::Mat4d m = transform.baseMap()->getAffineMap()->getMat4();
  for (int i = 0; i < 16; ++i) matrix[i] = m.asPointer()[i];
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_set_transform(RvGrid* grid, const double matrix[16], RvError* error) {
  RV_SHIM_BEGIN
  for (int i = 0; i < 16; ++i)
    if (!std::isfinite(matrix[i]))
      vdb_refuse(RV_BAD_INPUT, "grid '%s': the transform is not finite", grid->name.c_str());
  if (matrix[3] != 0 || matrix[7] != 0 || matrix[11] != 0 || matrix[15] != 1)
    vdb_refuse(RV_BAD_INPUT, "grid '%s': the transform has a perspective part; its last column must be 0 0 0 1",
               grid->name.c_str());
  openvdb::math::Mat4d m(matrix);
  if (m.det() == 0) vdb_refuse(RV_BAD_INPUT, "grid '%s': the transform is singular (a scale is 0)", grid->name.c_str());
  // OpenVDB takes no transform that is nearly singular.
  const double least_det = RV_VDB_LEAST_VOXEL * RV_VDB_LEAST_VOXEL * RV_VDB_LEAST_VOXEL;
  if (std::fabs(m.det()) < least_det)
    vdb_refuse(
        RV_BAD_INPUT,
        "grid '%s': the transform makes voxels of about %g units, smaller than the %g that a VDB takes: scale it "
        "less, or use smaller units (metersperunit)",
        grid->name.c_str(), std::cbrt(std::fabs(m.det())), RV_VDB_LEAST_VOXEL);
  grid->grid->setTransform(openvdb::math::Transform::createLinearTransform(m));
  return RV_OK;
  RV_VDB_END(error)
}

void rv_grid_background(const RvGrid* grid, float value[3]) {
  for (int i = 0; i < 3; ++i) value[i] = 0;
  if (grid->type == RV_GRID_FLOAT) {
    for (int i = 0; i < 3; ++i) value[i] = grid->floats().constTree().root().background();
  } else if (grid->type == RV_GRID_VEC3) {
    const openvdb::Vec3s& v = grid->vectors().constTree().root().background();
    for (int i = 0; i < 3; ++i) value[i] = v[i];
  }
}

RvResult rv_grid_active_count(const RvGrid* grid, uint64_t* count, RvError* error) {
  *count = 0;
  RV_SHIM_BEGIN
  vdb_run([&] { *count = grid->grid->activeVoxelCount(); });
  return RV_OK;
  RV_VDB_END(error)
}

size_t rv_grid_bytes(const RvGrid* grid) {
  constexpr size_t NODE_BYTES = 40000;  // of a node of 16^3 blocks: pointers and two masks
  size_t bytes = 0;
  try {
    vdb_run([&] { bytes = grid->grid->memUsage(); });
  } catch (...) {
    // Counting the nodes of a tree takes no memory.
    const openvdb::TreeBase& tree = grid->grid->constBaseTree();
    size_t value = grid->type == RV_GRID_VEC3 ? sizeof(openvdb::Vec3s) : sizeof(float);
    bytes = tree.leafCount() * LEAF_VOXELS * value + tree.nonLeafCount() * NODE_BYTES;
  }
  return sizeof(RvGrid) + bytes;
}

// Neither the walk through the tree nor the transform allocates, so this cannot fail.
bool rv_grid_bounds(const RvGrid* grid, int32_t lo[3], int32_t hi[3], double world_lo[3], double world_hi[3]) {
  openvdb::CoordBBox box;
  bool any = grid->grid->constBaseTree().evalActiveVoxelBoundingBox(box);
  for (int i = 0; i < 3; ++i) {
    lo[i] = any ? box.min()[i] : 0;
    hi[i] = any ? box.max()[i] : 0;
    world_lo[i] = any ? HUGE_VAL : 0;
    world_hi[i] = any ? -HUGE_VAL : 0;
  }
  // World bounds: all corners of the box, at the outer faces of its voxels.
  for (int corner = 0; any && corner < 8; ++corner) {
    openvdb::Vec3d index;
    for (int i = 0; i < 3; ++i) index[i] = corner >> i & 1 ? hi[i] + 0.5 : lo[i] - 0.5;
    openvdb::Vec3d world = grid->grid->indexToWorld(index);
    for (int i = 0; i < 3; ++i) {
      world_lo[i] = std::fmin(world_lo[i], world[i]);
      world_hi[i] = std::fmax(world_hi[i], world[i]);
    }
  }
  return any;
}

RvResult rv_grid_meta(const RvGrid* grid, const char* name, char** text, RvError* error) {
  *text = nullptr;
  RV_SHIM_BEGIN
  openvdb::Metadata::ConstPtr found = static_cast<const openvdb::GridBase&>(*grid->grid)[name];
  if (!found) return RV_OK;
  *text = rv_strdup(found->str().c_str());
  if (!*text) throw std::bad_alloc();
  return RV_OK;
  RV_VDB_END(error)
}

// Replaces a metadata value, whatever its type was.
static RvResult set_meta(RvGrid* grid, const char* name, const openvdb::Metadata& value, RvError* error) {
  RV_SHIM_BEGIN
  if (!name || !*name) vdb_refuse(RV_BAD_INPUT, "grid '%s': the name of the metadata is empty", grid->name.c_str());
  // OpenVDB refuses a new value of another type, so the old one is removed first.
  grid->grid->removeMeta(name);
  grid->grid->insertMeta(name, value);
  read_labels(grid);
  return RV_OK;
  RV_VDB_END(error)
}

RvResult rv_grid_set_meta_string(RvGrid* grid, const char* name, const char* value, RvError* error) {
  RV_SHIM_BEGIN
  return set_meta(grid, name, openvdb::StringMetadata(value ? value : ""), error);
  RV_VDB_END(error)
}

RvResult rv_grid_set_meta_float(RvGrid* grid, const char* name, double value, RvError* error) {
  RV_SHIM_BEGIN
  return set_meta(grid, name, openvdb::FloatMetadata((float)value), error);
  RV_VDB_END(error)
}

RvResult rv_grid_set_meta_bool(RvGrid* grid, const char* name, bool value, RvError* error) {
  RV_SHIM_BEGIN
  return set_meta(grid, name, openvdb::BoolMetadata(value), error);
  RV_VDB_END(error)
}
