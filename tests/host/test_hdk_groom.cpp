// Grooms of Houdini's groom tools through the glue: guides (guidegroom), hair in packed geometry (hairgen), packed
// fragments (pack and assemble), and a groom package of guides and skin (guidepack). Values of every strand are those
// that were put in, and a solver gets from the glue what the headless host gets from the file that Houdini saves, bit
// for bit. Attribute names are those of the published pages; the records of packed primitives are those of Houdini 16's
// own files. No Houdini is in it.
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "hdk_geo.h"
#include "support/hdk_scene.h"

extern "C" {
#include "support/rv_test.h"
}

static RvError error;

enum { STRANDS = 4, POINTS = 5 };

//---------------------------------------------------------------------------------------------- values

// What the tools leave on a strand and its points; whole multiples of powers of two, which text keeps exactly.
static double strand_value(const std::string& name, int strand, int component) {
  if (name == "skinprim") return 7 * strand + 3;
  if (name == "skinprimuv") return component < 2 ? 0.125 * (strand + 1) + 0.25 * component : 0;
  if (name == "hairid") return 1000 + 11 * strand;
  return 0.5 + 0.0625 * strand;  // guidemask
}
static double point_value(const std::string& name, int strand, int point, int component) {
  const double bend = name == "P" ? 0.00390625 * point * strand : 0;  // P is groomed, rest is straight
  if (name == "width") return 0.0009765625 * (1 + 0.125 * point);
  return component == 0 ? 0.015625 * strand + bend : component == 1 ? 0.0078125 * point : 0.03125;
}
struct Named {
  const char* name;
  const char* storage;
  const char* tag;
  int size;
};
static const Named STRAND[] = {{"skinprim", "int32", "nonarithmetic_integer", 1},
                               {"skinprimuv", "fpreal32", "", 3},
                               {"hairid", "int32", "nonarithmetic_integer", 1},
                               {"guidemask", "fpreal32", "", 1}};
static const Named POINT[] = {
    {"P", "fpreal32", "point", 3}, {"rest", "fpreal32", "point", 3}, {"width", "fpreal32", "", 1}};

//---------------------------------------------------------------------------------------------- files

static std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return "[" + out + "]";
}

static std::string number(double value) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  return text;
}

static std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

// A numeric attribute of so many elements.
template <typename Value>
static std::string attribute(const Named& a, int count, Value value) {
  std::vector<std::string> rows;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> numbers;
    for (int c = 0; c < a.size; ++c) numbers.push_back(number(value(i, c)));
    rows.push_back(a.size > 1 ? list(numbers) : numbers[0]);
  }
  std::string options = *a.tag ? "{\"type\":{\"type\":\"string\",\"value\":" + quoted(a.tag) + "}}" : "{}";
  std::string form = "\"size\"," + std::to_string(a.size) + ",\"storage\"," + quoted(a.storage);
  std::string values = a.size > 1 ? "\"tuples\"," + list(rows) : "\"arrays\"," + list({list(rows)});
  return list(
      {list({"\"scope\"", "\"public\"", "\"type\"", "\"numeric\"", "\"name\"", quoted(a.name), "\"options\"", options}),
       list({form, "\"values\"", list({form, values})})});
}

// A string attribute: element i has the text i.
static std::string texts(const char* name, const std::vector<std::string>& all) {
  std::vector<std::string> words, indices;
  for (size_t i = 0; i < all.size(); ++i) {
    words.push_back(quoted(all[i]));
    indices.push_back(std::to_string(i));
  }
  return list(
      {list({"\"scope\"", "\"public\"", "\"type\"", "\"string\"", "\"name\"", quoted(name), "\"options\"", "{}"}),
       list({"\"size\",1,\"storage\",\"int32\"", "\"strings\"", list(words), "\"indices\"",
             list({"\"size\",1,\"storage\",\"int32\"", "\"arrays\"", list({list(indices)})})})});
}

// A whole file: counts, the points of the vertices in order, attributes, and the rest.
static std::string file(int points, int prims, const std::vector<std::string>& point_attributes,
                        const std::vector<std::string>& prim_attributes, const std::string& rest) {
  std::vector<std::string> indices;
  for (int i = 0; i < points; ++i) indices.push_back(std::to_string(i));
  std::vector<std::string> attributes = {"\"pointattributes\"", list(point_attributes)};
  if (!prim_attributes.empty()) {
    attributes.push_back("\"primitiveattributes\"");
    attributes.push_back(list(prim_attributes));
  }
  return list({"\"fileversion\"", "\"20.5.278\"", "\"hasindex\"", "false", "\"pointcount\"", std::to_string(points),
               "\"vertexcount\"", std::to_string(points), "\"primitivecount\"", std::to_string(prims), "\"topology\"",
               list({"\"pointref\"", list({"\"indices\"", list(indices)})}), "\"attributes\"", list(attributes), rest});
}

// The strands as open polygons; `pieces`: each has a name.
static std::string guides(bool pieces = false) {
  std::vector<std::string> on_points, on_strands;
  for (const Named& a : POINT)
    on_points.push_back(
        attribute(a, STRANDS * POINTS, [&](int i, int c) { return point_value(a.name, i / POINTS, i % POINTS, c); }));
  for (const Named& a : STRAND)
    on_strands.push_back(attribute(a, STRANDS, [&](int i, int c) { return strand_value(a.name, i, c); }));
  std::vector<std::string> names;
  for (int i = 0; i < STRANDS; ++i) names.push_back("piece" + std::to_string(i));
  if (pieces) on_strands.push_back(texts("name", names));
  return file(STRANDS * POINTS, STRANDS, on_points, on_strands,
              "\"primitives\",[[[\"type\",\"PolygonCurve_run\"],[\"startvertex\",0,\"nprimitives\"," +
                  std::to_string(STRANDS) + ",\"nvertices_rle\",[" + std::to_string(POINTS) + "," +
                  std::to_string(STRANDS) + "]]]]");
}

// A quadrilateral below the roots.
static std::string skin() {
  return file(
      4, 1, {attribute(POINT[0], 4, [](int i, int c) { return c == 1   ? 0.0
                                                              : c == 0 ? (i == 1 || i == 2)
                                                                       : (i > 1); })},
      {}, "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\",1,\"nvertices\",[4]]]]");
}

// Packed primitives: a point for each at the origin, and the geometries that they show.
static std::string packed(const char* type, const std::vector<std::string>& parameters,
                          const std::vector<std::string>& prim_attributes, const std::vector<std::string>& embedded) {
  const int count = (int)parameters.size();
  std::vector<std::string> rows, shared;
  for (int i = 0; i < count; ++i)
    rows.push_back(list({"{" + parameters[(size_t)i] + ",\"pointinstancetransform\":false}", std::to_string(i)}));
  for (size_t i = 0; i < embedded.size(); ++i) {
    shared.push_back("\"gu:embeddedgeo\"");
    shared.push_back("\"embed:" + std::to_string(i) + "\"");
    shared.push_back(embedded[i]);
  }
  std::string run =
      list({"\"type\"", "\"run\"", "\"runtype\"", quoted(type), "\"varyingfields\"", "[\"parameters\",\"vertex\"]",
            "\"uniformfields\"", "{\"pivot\":[0,0,0],\"transform\":[1,0,0,0,1,0,0,0,1]}"});
  return file(count, count, {attribute(POINT[0], count, [](int, int) { return 0.0; })}, prim_attributes,
              "\"primitives\"," + list({list({run, list(rows)})}) + ",\"sharedprimitivedata\"," +
                  list({quoted(type), list(shared)}));
}

struct Form {
  const char* what;
  int type;  // of the mock's primitives; 0: those of the file
  std::string bytes;
};

static std::vector<Form> forms() {
  std::vector<std::string> pieces;
  for (int i = 0; i < STRANDS; ++i)
    pieces.push_back("\"attribute\":\"name\",\"bounds\":[0,1,0,1,0,1],\"embedded\":\"embed:0\",\"name\":\"piece" +
                     std::to_string(i) + "\"");
  return {{"guides of guidegroom", 0, guides()},
          {"hair of hairgen, packed", MOCK_PRIMPACKED,
           packed("PackedGeometry", {"\"embedded\":\"embed:0\""}, {}, {guides()})},
          {"packed fragments", MOCK_PRIMPACKED, packed("PackedFragment", pieces, {}, {guides(true)})},
          {"a groom package", MOCK_PRIMPACKED,
           packed("PackedGeometry", {"\"embedded\":\"embed:0\"", "\"embedded\":\"embed:1\""},
                  {texts("name", {"guides", "skin"})}, {guides(), skin()})}};
}

//---------------------------------------------------------------------------------------------- reading

static RvDetail* decoded(const Form& form) {
  RvDetail* detail = nullptr;
  error = RvError();
  if (rv_detail_decode(form.bytes.data(), form.bytes.size(), &detail, nullptr, &error))
    fail_msg("%s: %s", form.what, error.text);
  return detail;
}

// The form in the mock: primitives that only Houdini can take apart, with the file that it saves; or plain ones.
static void put(const Form& form, GU_Detail& gdp) {
  if (!form.type) {
    RvDetail* detail = decoded(form);
    CHECK_OK(rv_hdk_geo_write(detail, &gdp, &error), error);
    rv_detail_free(detail);
    return;
  }
  GA_Primitive* prim = gdp.add_prim(new GEO_PrimPoly, form.type);
  gdp.add_vertex(prim, gdp.appendPointBlock(1));
  gdp.saved = form.bytes;
}

// Every strand is there once, with the values that were put in.
static void check_values(const char* what, const RvDetail* detail) {
  int seen[STRANDS] = {0};
  const RvAttrib* id = rv_detail_find(detail, RV_PRIM, "hairid");
  if (!id) fail_msg("%s: there is no hairid", what);
  for (size_t prim = 0; prim < rv_detail_count(detail, RV_PRIM); ++prim) {
    if (rv_detail_prim_type(detail, prim) != RV_PRIM_CURVE) continue;
    int strand = ((int)rv_attrib_get(id, prim, 0) - 1000) / 11;
    assert_true(strand >= 0 && strand < STRANDS);
    ++seen[strand];
    for (const Named& a : STRAND)
      for (int c = 0; c < a.size; ++c)
        CHECK_NEAR(rv_attrib_get(rv_detail_find(detail, RV_PRIM, a.name), prim, c), strand_value(a.name, strand, c), 0);
    const int32_t* start = rv_detail_prim_start(detail);
    assert_int_equal(start[prim + 1] - start[prim], POINTS);
    for (int k = 0; k < POINTS; ++k)
      for (const Named& a : POINT)
        for (int c = 0; c < a.size; ++c)
          CHECK_NEAR(rv_attrib_get(rv_detail_find(detail, RV_POINT, a.name),
                                   (size_t)rv_detail_vertex_point(detail)[start[prim] + k], c),
                     point_value(a.name, strand, k, c), 0);
  }
  for (int strand = 0; strand < STRANDS; ++strand)
    if (seen[strand] != 1) fail_msg("%s: strand %d is there %d times", what, strand, seen[strand]);
}

static void strands_have_their_values(void**) {
  for (const Form& form : forms()) {
    GU_Detail gdp;
    put(form, gdp);
    RvDetail* got = nullptr;
    CHECK_OK(rv_hdk_geo_read(&gdp, &got, nullptr, &error), error);
    check_values(form.what, got);
    RvDetail* wanted = decoded(form);
    assert_true(rv_detail_hash(got) == rv_detail_hash(wanted));
    rv_detail_free(wanted);
    rv_detail_free(got);
  }
}

// the skin of a package comes along as a polygon, and both have the name of their packed primitive
static void a_package_has_its_skin(void**) {
  const Form form = forms().back();
  RvDetail* detail = decoded(form);
  assert_int_equal(rv_detail_count(detail, RV_PRIM), STRANDS + 1);
  const RvAttrib* name = rv_detail_find(detail, RV_PRIM, "name");
  assert_non_null(name);
  for (size_t prim = 0; prim <= STRANDS; ++prim) {
    bool curve = rv_detail_prim_type(detail, prim) == RV_PRIM_CURVE;
    assert_string_equal(rv_attrib_string(name, prim, 0), curve ? "guides" : "skin");
  }
  rv_detail_free(detail);
}

//---------------------------------------------------------------------------------------------- solvers

// A solver that reads the groom from the file, in the headless host; and one that reads it from Houdini, through the
// glue.
static void solvers_get_the_same_groom(void**) {
  for (const Form& form : forms()) {
    const char* path = rv_test_path("groom.geo");
    std::ofstream(path, std::ios::binary) << form.bytes;
    std::string text =
        std::string(
            "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 4], \"nodes\": {\"in\": {\"type\": \"file\", \"parms\": "
            "{\"file\": \"") +
        path + "\"}}, \"s\": {\"type\": \"strandsolver\", \"inputs\": [\"in\"], \"parms\": {\"usewidth\": true}}}}";
    RvScene* scene = nullptr;
    error = RvError();
    CHECK_OK(rv_scene_parse(text.data(), text.size(), "test", &scene, &error), error);
    HdkScene glue(scene);
    GU_Detail gdp;
    put(form, gdp);
    MockHoldSop hold("groom");
    hold.hold(gdp);
    glue.solver("s")->inner->inputs[1] = &hold;
    glue.solver("s")->inputs[0]->inputs[1] = &hold;
    uint64_t before = 0;
    for (int frame = 1; frame <= 3; ++frame) {
      const RvDetail* out = nullptr;
      CHECK_OK(rv_scene_cook(scene, "s:3", frame, &out, &error), error);
      if (rv_detail_hash(out) != glue.hash("s", 2, frame))
        fail_msg("%s: frame %d differs through the glue", form.what, frame);
      assert_true(rv_detail_hash(out) != before);
      before = rv_detail_hash(out);
      CHECK_OK(rv_scene_cook(scene, "s:1", frame, &out, &error), error);
      if (frame == 1) check_values(form.what, out);
    }
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(strands_have_their_values), cmocka_unit_test(a_package_has_its_skin),
         cmocka_unit_test(solvers_get_the_same_groom))
