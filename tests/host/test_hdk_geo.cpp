// Geometry through the glue and the mock of the HDK, both ways: every kind of attribute, groups, VDBs, holes, data ids.
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "hdk_geo.h"
#include "mock_ga.h"

extern "C" {
#include "support/rv_test.h"
}

static RvError error;

static RvAttrib* add(RvDetail* d, RvOwner owner, const char* name, RvStorage storage, int size, RvTag tag) {
  RvAttrib* attrib = nullptr;
  CHECK_OK(rv_detail_add_attrib(d, owner, name, storage, size, tag, &attrib, &error), error);
  return attrib;
}

// Faces and curves in turn, every owner, storage, size and tag, with values that a wrong width would spoil.
static RvDetail* sample(bool with_prims) {
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 9, nullptr, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 27; ++i) p[i] = 0.1f * (float)i - 1;
  if (with_prims) {
    const int32_t three[] = {3, 4}, points[] = {0, 1, 2, 3, 4, 5, 6}, curve[] = {2}, line[] = {8, 0};
    CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 2, three, points, nullptr, &error), error);
    CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, curve, line, nullptr, &error), error);
    CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, three, points + 2, nullptr, &error), error);
  }
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (int storage = 0; storage < RV_STORAGE_COUNT; ++storage) {
      int size = storage == RV_F64 ? 16 : storage == RV_I32 ? 2 : storage == RV_F32 ? 9 : 1;
      char name[32];
      snprintf(name, sizeof name, "a_%s", rv_storage_name((RvStorage)storage));
      RvTag tag = size == 16 ? RV_TAG_MATRIX : size == 9 ? RV_TAG_MATRIX3 : RV_TAG_NONE;
      RvAttrib* a = add(d, (RvOwner)owner, name, (RvStorage)storage, size, tag);
      for (size_t i = 0; i < rv_attrib_count(a); ++i)
        for (int c = 0; c < size; ++c) {
          size_t at = i * (size_t)size + (size_t)c;
          void* to = rv_attrib_write(a);
          if (storage == RV_F16) static_cast<uint16_t*>(to)[at] = (uint16_t)(0x3555 + 7 * at);
          if (storage == RV_F32) static_cast<float*>(to)[at] = 1 / (3 + (float)at);
          if (storage == RV_F64) static_cast<double*>(to)[at] = 1 / (3 + (double)at);
          if (storage == RV_I8) static_cast<int8_t*>(to)[at] = (int8_t)(-128 + (int)at);
          if (storage == RV_I32) static_cast<int32_t*>(to)[at] = INT32_MIN + (int32_t)at;
          if (storage == RV_I64) static_cast<int64_t*>(to)[at] = INT64_MAX - (int64_t)at;
          const char* texts[] = {"", "wet", "a \"b\" $c", "\xc3\xa9"};
          if (storage == RV_STRING) CHECK_OK(rv_attrib_set_string(a, i, c, texts[at % 4], &error), error);
        }
    }
    if (owner == RV_GLOBAL) continue;
    RvGroup *some, *none;
    CHECK_OK(rv_detail_add_group(d, (RvOwner)owner, "some", &some, &error), error);
    CHECK_OK(rv_detail_add_group(d, (RvOwner)owner, "none", &none, &error), error);
    for (size_t i = 0; i < rv_detail_count(d, (RvOwner)owner); i += 2) rv_group_write(some)[i] = 1;
  }
  static const RvTag tags[] = {RV_TAG_POINT, RV_TAG_VECTOR, RV_TAG_NORMAL, RV_TAG_COLOR, RV_TAG_TEXTURE};
  for (RvTag tag : tags) add(d, RV_POINT, rv_tag_name(tag), RV_F32, 3, tag);
  add(d, RV_POINT, "h", RV_F32, 4, RV_TAG_HPOINT);
  add(d, RV_POINT, "orient", RV_F32, 4, RV_TAG_QUATERNION);
  const float one[] = {1, -0.5f};
  const int32_t minus = -1;
  CHECK_OK(rv_attrib_set_default(add(d, RV_POINT, "standard", RV_F32, 2, RV_TAG_NONE), one, &error), error);
  CHECK_OK(rv_attrib_set_default(add(d, RV_POINT, "id", RV_I32, 1, RV_TAG_ID), &minus, &error), error);
  return d;
}

static void add_grids(RvDetail* d) {
  for (int i = 0; i < 2; ++i) {
    RvGrid* grid;
    const float background[] = {i ? 0.3f : 0.0f, 0, 0};
    CHECK_OK(rv_grid_create(i ? RV_GRID_FLOAT : RV_GRID_VEC3, i ? "surface" : "vel",
                            i ? RV_GRID_LEVEL_SET : RV_GRID_STAGGERED, 0.1, background, &grid, &error),
             error);
    const int32_t at[] = {4, -9, 100};
    const float value[] = {-0.25f, 2, 3};
    CHECK_OK(rv_grid_set(grid, at, value, &error), error);
    CHECK_OK(rv_grid_set_meta_string(grid, "creator", "a test", &error), error);
    CHECK_OK(rv_detail_add_vdb(d, grid, &error), error);
    rv_grid_release(grid);
  }
}

static RvDetail* back(const GU_Detail& gdp) {
  RvDetail* out = nullptr;
  CHECK_OK(rv_hdk_geo_read(&gdp, &out, nullptr, &error), error);
  CHECK_OK(rv_detail_check(out, &error), error);
  return out;
}

static void check_same(const RvDetail* a, const GU_Detail& gdp) {
  RvDetail* b = back(gdp);
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner)
    for (size_t i = 0; i < rv_detail_attrib_count(a, (RvOwner)owner); ++i) {
      const RvAttrib* x = rv_detail_attrib(a, (RvOwner)owner, i);
      const RvAttrib* y = rv_detail_find(b, (RvOwner)owner, rv_attrib_name(x));
      if (!y || !rv_attrib_equal(x, y))
        fail_msg("%s attribute %s differs", rv_owner_name((RvOwner)owner), rv_attrib_name(x));
    }
  assert_true(rv_detail_hash(a) == rv_detail_hash(b));
  rv_detail_free(b);
}

static void round_trip(void**) {
  for (int prims = 0; prims < 2; ++prims)
    for (int grids = 0; grids < 2; ++grids) {
      RvDetail* d = sample(prims);
      if (grids) add_grids(d);
      GU_Detail gdp;
      CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
      assert_string_equal(mock_stale(gdp).c_str(), "");
      // a VDB of Houdini has a point and a vertex
      assert_int_equal(gdp.getNumPoints(), 9 + 2 * grids);
      if (prims) assert_true(gdp.pointOffset(0) != 0);
      check_same(d, gdp);
      // once more into what is there
      CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
      check_same(d, gdp);
      assert_string_equal(mock_stale(gdp).c_str(), "");
      rv_detail_free(d);
    }
}

static void nothing_at_all(void**) {
  RvDetail* d = rv_detail_new();
  GU_Detail gdp;
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  check_same(d, gdp);
  rv_detail_free(d);
}

// points removed in Houdini leave holes among the offsets, and elements are told by index
static void holes(void**) {
  GU_Detail gdp;
  GA_Offset first = gdp.appendPointBlock(6);
  GA_Attribute* p = gdp.findAttribute(GA_ATTRIB_POINT, "P");
  GA_OffsetList all;
  for (int i = 0; i < 6; ++i) all.append(first + i);
  float values[18];
  for (int i = 0; i < 18; ++i) values[i] = (float)i;
  p->getAIFTuple()->setRange(p, GA_Range(gdp.getIndexMap(GA_ATTRIB_POINT), all), values);
  const int line[] = {0, 3, 5};
  GEO_PolyCounts sizes;
  sizes.append(3);
  GEO_PrimPoly::buildBlock(&gdp, first, 6, sizes, line, false);
  gdp.remove_point(4);
  gdp.remove_point(1);
  RvDetail* d = back(gdp);
  assert_int_equal(rv_detail_count(d, RV_POINT), 4);
  const float* got = rv_detail_f32(d, RV_POINT, "P", 3);
  const float expected[] = {0, 6, 9, 15};
  for (int i = 0; i < 4; ++i) assert_true(got[3 * i] == expected[i]);
  const int32_t points[] = {0, 2, 3};
  assert_memory_equal(rv_detail_vertex_point(d), points, sizeof points);
  assert_int_equal(rv_detail_prim_type(d, 0), RV_PRIM_CURVE);
  // values written into details with holes stay at their points
  float* to = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 12; ++i) to[i] += 100;
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  assert_int_equal(gdp.pointOffset(1), first + 2);
  check_same(d, gdp);
  rv_detail_free(d);
}

static GA_DataId id_of(const GU_Detail& gdp, GA_AttributeOwner owner, const char* name) {
  return gdp.findAttribute(owner, name)->getDataId();
}

static void data_ids(void**) {
  RvDetail* d = sample(true);
  GU_Detail gdp;
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  GA_DataId p = id_of(gdp, GA_ATTRIB_POINT, "P"), f = id_of(gdp, GA_ATTRIB_POINT, "a_fpreal32");
  GA_DataId text = id_of(gdp, GA_ATTRIB_PRIMITIVE, "a_string"), topology = gdp.topology_id;
  GA_DataId some = gdp.findElementGroup(GA_ATTRIB_POINT, "some")->data_id;
  // nothing changed, nothing bumped
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  assert_true(p == id_of(gdp, GA_ATTRIB_POINT, "P") && topology == gdp.topology_id);
  // what changed is bumped, and no other
  rv_detail_f32_write(d, RV_POINT, "P", 3, &error)[4] = 7;
  CHECK_OK(rv_attrib_set_string(rv_detail_find_mutable(d, RV_PRIM, "a_string"), 1, 0, "dry", &error), error);
  rv_group_write(rv_detail_find_group(d, RV_POINT, "some"))[1] = 1;
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  assert_true(p < id_of(gdp, GA_ATTRIB_POINT, "P"));
  assert_true(text < id_of(gdp, GA_ATTRIB_PRIMITIVE, "a_string"));
  assert_true(some < gdp.findElementGroup(GA_ATTRIB_POINT, "some")->data_id);
  assert_true(f == id_of(gdp, GA_ATTRIB_POINT, "a_fpreal32") && topology == gdp.topology_id);
  assert_string_equal(mock_stale(gdp).c_str(), "");
  check_same(d, gdp);
  // gone, new, and of another kind
  rv_detail_remove_attrib(d, RV_POINT, "a_int32");
  rv_detail_remove_group(d, RV_POINT, "none");
  rv_detail_remove_attrib(d, RV_POINT, "a_int8");
  add(d, RV_POINT, "a_int8", RV_F64, 2, RV_TAG_NONE);
  add(d, RV_POINT, "new", RV_I64, 1, RV_TAG_ID);
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  assert_null(gdp.findAttribute(GA_ATTRIB_POINT, "a_int32"));
  assert_null(gdp.findElementGroup(GA_ATTRIB_POINT, "none"));
  assert_string_equal(mock_stale(gdp).c_str(), "");
  check_same(d, gdp);
  // another topology is all new
  const int32_t two = 2, line[] = {1, 2};
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, &two, line, nullptr, &error), error);
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  assert_true(topology < gdp.topology_id && f < id_of(gdp, GA_ATTRIB_POINT, "a_fpreal32"));
  assert_string_equal(mock_stale(gdp).c_str(), "");
  check_same(d, gdp);
  rv_detail_free(d);
}

// the mock itself must bite: a write without a bump is seen
static void the_mock_sees_a_missing_bump(void**) {
  GU_Detail gdp;
  gdp.appendPointBlock(1);
  gdp.bumpDataIdsForAddOrRemove(true, true, true);
  assert_string_equal(mock_stale(gdp).c_str(), "");
  GA_OffsetList one;
  one.append(gdp.pointOffset(0));
  const float value[] = {1, 2, 3};
  GA_Attribute* p = gdp.findAttribute(GA_ATTRIB_POINT, "P");
  p->getAIFTuple()->setRange(p, GA_Range(gdp.getIndexMap(GA_ATTRIB_POINT), one), value);
  assert_string_equal(mock_stale(gdp).c_str(), "P\n");
}

static void what_has_no_place_is_said(void**) {
  GU_Detail gdp;
  gdp.appendPointBlock(2);
  gdp.addTuple(MOCK_STORE_ARRAY, GA_ATTRIB_POINT, "list", 1);
  gdp.addTuple(GA_STORE_BOOL, GA_ATTRIB_POINT, "flag", 1);
  std::string said;
  RvLog log = {&said, [](void* user, RvLevel, const char* text) { *static_cast<std::string*>(user) += text; }};
  RvDetail* d = nullptr;
  CHECK_OK(rv_hdk_geo_read(&gdp, &d, &log, &error), error);
  assert_non_null(strstr(said.c_str(), "attribute list is neither numeric nor a string"));
  assert_non_null(rv_detail_i32(d, RV_POINT, "flag", 1));
  rv_detail_free(d);
}

//---------------------------------------------------------------------------------------------- packed, curved

// A GU_Detail of one primitive that only Houdini can take apart, with the bytes of the file that Houdini saves of it.
static void foreign(GU_Detail& gdp, int type, const std::string& bytes) {
  GA_Primitive* prim = gdp.add_prim(new GEO_PrimPoly, type);
  gdp.add_vertex(prim, gdp.appendPointBlock(1));
  gdp.saved = bytes;
}

static std::string file_bytes(const char* name) {
  std::ifstream file(std::string(RV_TEST_DATA "/bgeo/") + name, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  assert_true(!bytes.str().empty());
  return bytes.str();
}

// A groom of one cubic NURBS curve; a packed triangle, moved. As Houdini writes them. Fragments: test_hdk_groom.
#define HEAD(p, v, n, indices)                                                                      \
  "[\"fileversion\",\"20.5.278\",\"pointcount\"," #p ",\"vertexcount\"," #v ",\"primitivecount\"," #n \
  ",\"topology\",[\"pointref\",[\"indices\"," indices "]],"
#define POINTS(list)                                                                                               \
  "\"attributes\",[\"pointattributes\",[[[\"type\",\"numeric\",\"name\",\"P\"],[\"size\",3,\"storage\",\"fpreal32\"," \
  "\"values\",[\"size\",3,\"storage\",\"fpreal32\",\"tuples\"," list "]]]]],"
static const char nurbs[] =
    HEAD(5, 5, 1, "[0,1,2,3,4]") POINTS("[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,2,1]]")
    "\"primitives\",[[[\"type\",\"NURBCurve\"],[\"vertex\",[0,1,2,3,4],\"closed\",false,\"basis\","
    "[\"type\",\"NURBS\",\"order\",4,\"endinterpolation\",true,\"knots\",[0,0,0,0,1,2,2,2,2]]]]]]";
static const char packed[] =
    HEAD(1, 1, 1, "[0]") POINTS("[[10,0,0]]")
    "\"primitives\",[[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"embed:1\"},"
    "\"pivot\",[1,0,0],\"transform\",[0,2,0,-2,0,0,0,0,2],\"vertex\",0]]],"
    "\"sharedprimitivedata\",[\"PackedGeometry\",[\"gu:embeddedgeo\",\"embed:1\","
    HEAD(3, 3, 1, "[0,1,2]") POINTS("[[1,0,0],[0,1,0],[0,0,1]]")
    "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\",1,\"nvertices\",[3]]]]]]]]";

// What Houdini gives us is what the headless host reads from the file that Houdini saves: equal to the bit.
static void packed_and_curved_primitives_are_read_as_from_a_file(void**) {
  const struct {
    int type;
    std::string bytes;
    size_t points;
  } all[] = {{MOCK_PRIMNURBS, nurbs, 9},
             {MOCK_PRIMPACKED, packed, 3},
             // files that Houdini 16 wrote: a packed sphere, of which the point stays, and a poly soup
             {MOCK_PRIMPACKED, file_bytes("pack1_16.bgeo"), 1},
             {MOCK_PRIMPACKED, file_bytes("psoup_simple_16.bgeo"), 8}};
  for (auto& one : all) {
    GU_Detail gdp;
    foreign(gdp, one.type, one.bytes);
    RvDetail* wanted = nullptr;
    CHECK_OK(rv_detail_decode(one.bytes.data(), one.bytes.size(), &wanted, nullptr, &error), error);
    RvDetail* got = back(gdp);
    assert_int_equal(rv_detail_count(got, RV_POINT), one.points);
    assert_true(rv_detail_hash(got) == rv_detail_hash(wanted));
    rv_detail_free(got);
    // VDBs beside it stay VDBs: their points are not ours, and no file holds them
    RvDetail* grids = rv_detail_new();
    add_grids(grids);
    GU_Detail mixed;
    CHECK_OK(rv_hdk_geo_write(grids, &mixed, &error), error);
    foreign(mixed, one.type, one.bytes);
    got = back(mixed);
    assert_int_equal(rv_detail_count(got, RV_POINT), rv_detail_count(wanted, RV_POINT));
    assert_int_equal(rv_detail_count(got, RV_PRIM), rv_detail_count(wanted, RV_PRIM) + 2);
    size_t last = rv_detail_count(got, RV_PRIM) - 1;
    assert_string_equal(rv_grid_name(rv_detail_prim_grid(got, last)), "surface");
    assert_string_equal(rv_grid_name(rv_detail_prim_grid(got, last - 1)), "vel");
    // what was read is untouched
    assert_int_equal(mixed.getNumPrimitives(), 3);
    rv_detail_free(got);
    rv_detail_free(grids);
    rv_detail_free(wanted);
    // a write replaces it
    RvDetail* d = sample(true);
    CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
    check_same(d, gdp);
    rv_detail_free(d);
  }
  // Houdini cannot save it: an error that says what to do
  GU_Detail gdp;
  foreign(gdp, MOCK_PRIMPACKED, "");
  RvDetail* d = nullptr;
  assert_int_equal(rv_hdk_geo_read(&gdp, &d, nullptr, &error), RV_SHIM);
  assert_non_null(strstr(error.text, "unpack or convert"));
}

// a point that a face and a VDB share is the face's
static void a_shared_point(void**) {
  RvDetail* d = rv_detail_new();
  add_grids(d);
  GU_Detail gdp;
  CHECK_OK(rv_hdk_geo_write(d, &gdp, &error), error);
  GA_Primitive* line = gdp.add_prim(new GEO_PrimPoly, GEO_PRIMPOLY);
  gdp.add_vertex(line, gdp.pointOffset(1));
  RvDetail* b = back(gdp);
  assert_int_equal(rv_detail_count(b, RV_POINT), 1);
  assert_int_equal(rv_detail_count(b, RV_PRIM), 3);
  rv_detail_free(b);
  rv_detail_free(d);
}

RV_TESTS(cmocka_unit_test(round_trip), cmocka_unit_test(nothing_at_all), cmocka_unit_test(holes),
         cmocka_unit_test(data_ids), cmocka_unit_test(the_mock_sees_a_missing_bump),
         cmocka_unit_test(what_has_no_place_is_said), cmocka_unit_test(a_shared_point),
         cmocka_unit_test(packed_and_curved_primitives_are_read_as_from_a_file))
