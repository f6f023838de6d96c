// What other programs put into a .vdb and ours cannot make: a frustum, attributes of other types, groups of points.
#include "shim/vdb.hpp"

#pragma GCC visibility push(default)
#include <openvdb/points/PointDataGrid.h>
#pragma GCC visibility pop

extern "C" {
#include "rivulet/geo.h"
#include "support/rv_test.h"
}

#include <cmath>
#include <cstring>

static RvError error;

static RvGrid* make_frustum(double taper) {
  openvdb::GridBase::Ptr grid = rv::vdb_new_float(0);
  openvdb::BBoxd box(openvdb::Vec3d(0), openvdb::Vec3d(10));
  grid->setTransform(openvdb::math::Transform::createFrustumTransform(box, taper, 1, 1));
  return rv::vdb_wrap(grid);
}

static void hash_and_release(RvGrid* grid, uint64_t* hash) {
  *hash = rv_grid_hash(grid);
  rv_grid_release(grid);
}

static void the_hash_sees_every_bit(void**) {
  uint64_t a, b, c;
  hash_and_release(make_frustum(0.5), &a);
  hash_and_release(make_frustum(0.5), &b);
  hash_and_release(make_frustum(std::nextafter(0.5, 1.0)), &c);
  assert_true(a == b && a != c);
  // two that look alike in six digits
  RvGrid *one, *two;
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "x", RV_GRID_FOG, 1, nullptr, &one, &error), error);
  CHECK_OK(rv_grid_copy(one, &two, &error), error);
  CHECK_OK(rv_grid_set_meta_float(one, "rest", 0.1f, &error), error);
  CHECK_OK(rv_grid_set_meta_float(two, "rest", 0.1f, &error), error);
  assert_true(rv_grid_hash(one) == rv_grid_hash(two));
  CHECK_OK(rv_grid_set_meta_float(two, "rest", std::nextafter(0.1f, 1.0f), &error), error);
  assert_true(rv_grid_hash(one) != rv_grid_hash(two));
  rv_grid_release(one);
  rv_grid_release(two);
}

// one block of two points with attributes of many types
static RvGrid* make_points() {
  using namespace openvdb::points;
  rv::vdb_init();
  AttributeSet::Descriptor::Ptr descriptor = AttributeSet::Descriptor::create({"vec3s", "null"});
  descriptor = descriptor->duplicateAppend("exact", {"double", "null"});
  descriptor = descriptor->duplicateAppend("serial", {"int64", "null"});
  descriptor = descriptor->duplicateAppend("height", {"float", "trnc"});
  descriptor = descriptor->duplicateAppend("__group0", {"uint8", "grp"});
  descriptor->setGroup("splash", 0);
  openvdb::GridBase::Ptr grid = rv::vdb_new(rv::TYPE_POINTS);
  auto* leaf = static_cast<PointDataGrid&>(*grid).tree().root().touchLeaf(openvdb::Coord(0));
  leaf->replaceAttributeSet(new AttributeSet(descriptor, 2), true);
  leaf->setOffsets(std::vector<PointDataTree::LeafNodeType::ValueType>(512, 2u));
  AttributeWriteHandle<float> height(leaf->attributeArray("height"));
  height.set(0, 1.5f);
  height.set(1, -2.0f);
  grid->setName("points");
  return rv::vdb_wrap(grid);
}

static char heard[2048];

static void hear(void*, RvLevel, const char* text) {
  strncat(heard, text, sizeof heard - strlen(heard) - 2);
  strcat(heard, "\n");
}

static void other_attributes_are_named(void**) {
  RvGrid* grid = make_points();
  char path[512];
  snprintf(path, sizeof path, "%s/others.vdb", rv_test_folder());
  CHECK_OK(rv_grid_write_file(path, &grid, 1, false, &error), error);
  size_t count = 0;
  const char** names = nullptr;
  CHECK_OK(rv_grid_points_channels(grid, &count, &names, &error), error);
  assert_int_equal(count, 4);
  rv_free(names);
  rv_grid_release(grid);
  RvLog log = {nullptr, hear};
  RvDetail* detail = nullptr;
  CHECK_OK(rv_detail_load(path, &detail, &log, &error), error);
  assert_int_equal(rv_detail_count(detail, RV_POINT), 2);
  assert_int_equal(rv_detail_attrib_count(detail, RV_POINT), 2);
  const float* height = rv_detail_f32(detail, RV_POINT, "height", 1);
  assert_non_null(height);
  // stored as halves, which hold these
  assert_true(height[0] == 1.5f && height[1] == -2.0f);
  assert_non_null(strstr(heard, "'exact' was not read"));
  assert_non_null(strstr(heard, "type double"));
  assert_non_null(strstr(heard, "'serial' was not read"));
  assert_non_null(strstr(heard, "'splash' was not read"));
  assert_null(strstr(heard, "__group"));
  rv_detail_free(detail);
}

// values that are equal everywhere take no room in the file: nine million points are a few thousand bytes
static void small_files_stay_small(void**) {
  using namespace openvdb::points;
  const uint32_t count = 9000000;
  RvGrid* grid = nullptr;
  const float p[3] = {0, 0, 0};
  const RvPointChannel channel = {"height", 1, false, p};
  CHECK_OK(rv_grid_from_points("points", 1, 1, p, &channel, 1, &grid, &error), error);
  auto* leaf = static_cast<PointDataGrid&>(*grid->grid).tree().root().touchLeaf(openvdb::Coord(0));
  leaf->replaceAttributeSet(new AttributeSet(leaf->attributeSet().descriptorPtr(), count), true);
  leaf->setOffsets(std::vector<PointDataTree::LeafNodeType::ValueType>(512, count));
  char path[512];
  snprintf(path, sizeof path, "%s/much.vdb", rv_test_folder());
  CHECK_OK(rv_grid_write_file(path, &grid, 1, false, &error), error);
  rv_grid_release(grid);
  RvDetail* detail = nullptr;
  CHECK_FAILS(rv_detail_load(path, &detail, nullptr, &error), RV_LIMIT, error, "'P'");
  assert_null(detail);
}

RV_TESTS(cmocka_unit_test(the_hash_sees_every_bit), cmocka_unit_test(other_attributes_are_named),
         cmocka_unit_test(small_files_stay_small))
