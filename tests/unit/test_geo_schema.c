// What a file may say besides plain polygons, as small text files with known answers, and what is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rivulet/geo.h"
#include "support/rv_test.h"

#define HEAD(p, v, n, indices)                                                                      \
  "[\"fileversion\",\"18.0.0\",\"pointcount\"," #p ",\"vertexcount\"," #v ",\"primitivecount\"," #n \
  ",\"topology\",[\"pointref\",[\"indices\"," indices "]],"
#define ATTRIB(name, type, size, storage, rest) \
  "[[\"type\",\"" type "\",\"name\",\"" name "\"],[\"size\"," #size ",\"storage\",\"" storage "\"," rest "]]"
#define TUPLES(size, list) "\"values\",[\"size\"," #size ",\"storage\",\"fpreal32\",\"tuples\"," list "]"
#define ARRAYS(list) "\"values\",[\"size\",1,\"storage\",\"int32\",\"arrays\",[" list "]]"
#define P4 "[[0,0,0],[1,0,0],[1,1,0],[0,1,0]]"
#define POINTS(list) "\"pointattributes\",[" ATTRIB("P", "numeric", 3, "fpreal32", TUPLES(3, list)) "]"

typedef struct Heard {
  int warnings;
  char text[8192];
} Heard;

static void hear(void* user, RvLevel level, const char* text) {
  Heard* heard = user;
  heard->warnings += level == RV_LEVEL_WARNING;
  strncat(heard->text, text, sizeof heard->text - strlen(heard->text) - 2);
  strcat(heard->text, "\n");
}

static RvDetail* decode(const char* text, Heard* heard) {
  RvError error = {0};
  Heard silent = {0};
  RvLog log = {heard ? heard : &silent, hear};
  RvDetail* detail;
  CHECK_OK(rv_detail_decode(text, strlen(text), &detail, &log, &error), error);
  CHECK_OK(rv_detail_check(detail, &error), error);
  return detail;
}

static void check_points(const RvDetail* d, size_t prim, size_t count, const int32_t* points) {
  const int32_t* start = rv_detail_prim_start(d);
  assert_int_equal(start[prim + 1] - start[prim], count);
  assert_memory_equal(rv_detail_vertex_point(d) + start[prim], points, count * sizeof *points);
}

// vertices in another order than the primitives: vertex attributes and groups follow
static void vertices_come_in_primitive_order(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(4, 6, 2, "[0,1,2,1,2,3]")
                       "\"attributes\",[\"vertexattributes\",["
                       ATTRIB("i", "numeric", 1, "int32", ARRAYS("[10,11,12,13,14,15]")) "]," POINTS(P4) "],"
                       "\"primitives\",[[[\"type\",\"Poly\"],[\"vertex\",[5,4,3],\"closed\",true]],"
                       "[[\"type\",\"Poly\"],[\"vertex\",[0,1,2],\"closed\",false]]],"
                       "\"vertexgroups\",[[[\"name\",\"g\"],[\"selection\",[\"unordered\",[\"i8\",[0,0,0,0,1,1]]]]]]]", NULL);
  check_points(d, 0, 3, (const int32_t[]){3, 2, 1});
  check_points(d, 1, 3, (const int32_t[]){0, 1, 2});
  assert_int_equal(rv_detail_prim_type(d, 0), RV_PRIM_POLYGON);
  assert_int_equal(rv_detail_prim_type(d, 1), RV_PRIM_CURVE);
  const int32_t expected[6] = {15, 14, 13, 10, 11, 12};
  assert_memory_equal(rv_detail_i32(d, RV_VERTEX, "i", 1), expected, sizeof expected);
  assert_memory_equal(rv_group_read(rv_detail_find_group(d, RV_VERTEX, "g")), ((uint8_t[]){1, 1, 0, 0, 0, 0}), 6);
  rv_detail_free(d);
}

// Two soups in a run, as Houdini 13 to 16.5 writes them: the vertices of `polyinfo` are those of the whole file, so the
// second soup begins at vertex 4; vertices that its polygons share are split.
static void soups_number_vertices_of_the_file(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(6, 8, 2, "[0,1,2,3,1,4,5,2]")
                       "\"attributes\",[\"vertexattributes\",["
                       ATTRIB("i", "numeric", 1, "int32", ARRAYS("[10,11,12,13,14,15,16,17]")) "],"
                       POINTS("[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[2,0,0],[2,1,0]]") "],"
                       "\"primitives\",[[[\"type\",\"run\",\"runtype\",\"PolySoup\",\"varyingfields\",[\"vertex\",\"polyinfo\"],"
                       "\"uniformfields\",{}],[[[0,1,2,3],[[4],[1],[0,1,2,3]]],"
                       "[[4,5,6,7],[[3],[2],[4,5,6,6,7,4]]]]]]]", NULL);
  assert_int_equal(rv_detail_count(d, RV_PRIM), 3);
  check_points(d, 0, 4, (const int32_t[]){0, 1, 2, 3});
  check_points(d, 1, 3, (const int32_t[]){1, 4, 5});
  check_points(d, 2, 3, (const int32_t[]){5, 2, 1});
  const int32_t expected[10] = {10, 11, 12, 13, 14, 15, 16, 16, 17, 14};
  assert_memory_equal(rv_detail_i32(d, RV_VERTEX, "i", 1), expected, sizeof expected);
  rv_detail_free(d);
}

static void old_runs_with_varying_fields(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(4, 5, 2, "[0,1,2,3,0]") "\"attributes\",[" POINTS(P4) "],"
                       "\"primitives\",[[[\"type\",\"run\",\"runtype\",\"Poly\",\"varyingfields\",[\"closed\",\"vertex\"],"
                       "\"uniformfields\",{}],[[true,[0,1,2]],[false,[3,4]]]]]]", NULL);
  assert_int_equal(rv_detail_prim_type(d, 0), RV_PRIM_POLYGON);
  assert_int_equal(rv_detail_prim_type(d, 1), RV_PRIM_CURVE);
  check_points(d, 1, 2, (const int32_t[]){3, 0});
  rv_detail_free(d);
}

// a skipped primitive between two polygons takes its attributes and group membership with it; a tetrahedron gives
// four triangles that all have its value and together close a surface
static void skipped_and_expanded_primitives(void** state) {
  (void)state;
  Heard heard = {0};
  RvDetail* d = decode(HEAD(4, 11, 4, "[0,1,2,3,0,1,2,3,1,2,3]") "\"attributes\",[" POINTS(P4)
                       ",\"primitiveattributes\",[" ATTRIB("k", "numeric", 1, "int32", ARRAYS("[7,8,9,10]")) "]],"
                       "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\",1,\"nvertices\",[3]]],"
                       "[[\"type\",\"Sphere\"],[\"vertex\",3,\"transform\",[1,0,0,0,1,0,0,0,1]]],"
                       "[[\"type\",\"t_r\"],[\"s_v\",4,\"n_p\",1]],"
                       "[[\"type\",\"PolygonCurve_run\"],[\"startvertex\",8,\"nprimitives\",1,\"nvertices_rle\",[3,1]]]],"
                       "\"primitivegroups\",[[[\"name\",\"g\"],[\"selection\",[\"unordered\",[\"boolRLE\",[1,false,2,true,1,false]]]]]]]",
                       &heard);
  assert_int_equal(heard.warnings, 1);
  assert_non_null(strstr(heard.text, "1 primitive(s) of type 'Sphere'"));
  assert_int_equal(rv_detail_count(d, RV_PRIM), 6);
  const int32_t k[6] = {7, 9, 9, 9, 9, 10};
  assert_memory_equal(rv_detail_i32(d, RV_PRIM, "k", 1), k, sizeof k);
  assert_memory_equal(rv_group_read(rv_detail_find_group(d, RV_PRIM, "g")), ((uint8_t[]){0, 1, 1, 1, 1, 0}), 6);
  // each edge of the tetrahedron is walked once in each direction
  int walked[4][4] = {{0}};
  for (int f = 1; f <= 4; ++f)
    for (int e = 0; e < 3; ++e) {
      const int32_t* v = rv_detail_vertex_point(d) + rv_detail_prim_start(d)[f];
      ++walked[v[e]][v[(e + 1) % 3]];
    }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) assert_int_equal(walked[i][j], i != j);
  rv_detail_free(d);
}

static void weights_of_old_points(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(2, 0, 0, "[]") "\"attributes\",[\"pointattributes\",[" ATTRIB(
                           "P", "numeric", 4, "fpreal32",
                           "\"defaults\",[\"size\",4,\"storage\",\"fpreal64\",\"values\",[0,0,0,1]]," TUPLES(
                               4, "[[1,2,3,1],[4,5,6,0.5]]")) "]],\"primitives\",[]]",
                       NULL);
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "P", 3), ((float[]){1, 2, 3, 4, 5, 6}), 24);
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "Pw", 1), ((float[]){1, 0.5f}), 8);
  rv_detail_free(d);
}

static void string_values(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(3, 0, 0, "[]") "\"attributes\",[\"pointattributes\",["
                       "[[\"type\",\"string\",\"name\",\"s\"],[\"size\",1,\"storage\",\"int32\",\"strings\",[\"a\",\"\",\"b\",\"a\"],"
                       "\"indices\",[\"size\",1,\"storage\",\"int32\",\"arrays\",[[2,-1,3]]]]],"
                       ATTRIB("c", "numeric", 3, "fpreal32", "\"defaults\",[\"size\",1,\"storage\",\"fpreal64\",\"values\",[0.5]],"
                              TUPLES(3, "[[0,0,0],[1,1,1],[2,2,2]]")) "]]]", NULL);
  const RvAttrib* s = rv_detail_find(d, RV_POINT, "s");
  assert_string_equal(rv_attrib_string(s, 0, 0), "b");
  assert_string_equal(rv_attrib_string(s, 1, 0), "");
  assert_string_equal(rv_attrib_string(s, 2, 0), "a");
  assert_memory_equal(rv_attrib_default(rv_detail_find(d, RV_POINT, "c")), ((float[]){0.5f, 0.5f, 0.5f}), 12);
  rv_detail_free(d);
}

// what we do not hold is named, and the rest is read
static void unknown_things_are_named(void** state) {
  (void)state;
  Heard heard = {0};
  RvDetail* d = decode(HEAD(1, 0, 0, "[]") "\"wonder\",[1,{\"a\":2}],\"attributes\",[\"pointattributes\",["
                       "[[\"type\",\"arraynumeric\",\"name\",\"pieces\"],[\"anything\",{\"x\":[1,2]}]],"
                       ATTRIB("P", "numeric", 3, "fpreal32", TUPLES(3, "[[1,2,3]]")) "]],\"primitives\",[],"
                       "\"edgegroups\",[[[\"name\",\"seams\"],[\"selection\",[0,1]]]],"
                       "\"pointgroups\",[[[\"name\",\"o\"],[\"selection\",[\"ordered\",[0]]]]]]", &heard);
  assert_int_equal(heard.warnings, 3);
  assert_non_null(strstr(heard.text, "'wonder'"));
  assert_non_null(strstr(heard.text, "'pieces' is of type 'arraynumeric'"));
  assert_non_null(strstr(heard.text, "'seams'"));
  assert_non_null(strstr(heard.text, "'o' is ordered"));
  assert_int_equal(rv_group_read(rv_detail_find_group(d, RV_POINT, "o"))[0], 1);
  rv_detail_free(d);
}

#define CURVE(n, prim) HEAD(n, n, 1, "[0,1,2,3]") "\"attributes\",[" POINTS(P4) "],\"primitives\",[" prim "]]"

// a cubic Bezier segment at t = 1/2 is (p0 + 3 p1 + 3 p2 + p3) / 8; a NURBS curve with the knots 0 0 0 0 1 1 1 1 is
// the same curve
static void curves_are_sampled(void** state) {
  (void)state;
  RvDetail* bezier = decode(CURVE(4,
                                  "[[\"type\",\"BezierCurve\"],[\"vertex\",[0,1,2,3],\"closed\",false,\"basis\","
                                  "[\"type\",\"Bezier\",\"order\",4,\"knots\",[0,1]]]]"),
                            NULL);
  RvDetail* nurbs =
      decode(CURVE(4,
                   "[[\"type\",\"NURBCurve\"],[\"vertex\",[0,1,2,3],\"closed\",false,\"basis\","
                   "[\"type\",\"NURBS\",\"order\",4,\"endinterpolation\",true,\"knots\",[0,0,0,0,1,1,1,1]]]]"),
             NULL);
  assert_int_equal(rv_detail_count(bezier, RV_POINT), 5);
  assert_int_equal(rv_detail_count(nurbs, RV_POINT), 5);
  const float *b = rv_detail_f32(bezier, RV_POINT, "P", 3), *n = rv_detail_f32(nurbs, RV_POINT, "P", 3);
  for (int i = 0; i < 15; ++i) CHECK_NEAR(n[i], b[i], 1e-7);  // one rounding to float
  CHECK_NEAR(b[6], 6.0 / 8, 0);
  CHECK_NEAR(b[7], 4.0 / 8, 0);
  assert_true(b[0] == 0 && b[1] == 0 && b[12] == 0 && b[13] == 1);
  assert_int_equal(rv_detail_prim_type(bezier, 0), RV_PRIM_CURVE);
  rv_detail_free(bezier);
  rv_detail_free(nurbs);
  // a closed quadratic B-spline of the unit square is inside it, symmetric about its centre, and ends where it began
  RvDetail* ring = decode(CURVE(4,
                                "[[\"type\",\"NURBCurve\"],[\"vertex\",[0,1,2,3],\"closed\",true,\"basis\","
                                "[\"type\",\"NURBS\",\"order\",3,\"knots\",[0,1,2,3,4,5,6,7,8]]]]"),
                          NULL);
  size_t count = rv_detail_count(ring, RV_VERTEX);
  assert_int_equal(count, 17);
  assert_int_equal(rv_detail_count(ring, RV_POINT), 16);
  const int32_t* points = rv_detail_vertex_point(ring);
  assert_int_equal(points[0], points[16]);
  const float* p = rv_detail_f32(ring, RV_POINT, "P", 3);
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 2; ++c) CHECK_NEAR(p[3 * i + c] + p[3 * (i + 8) + c], 1, 1e-6);
  rv_detail_free(ring);
  // the rational quadratic with weights 1, sqrt(1/2), 1 is a quarter of a circle
  RvDetail* arc = decode(HEAD(3, 3, 1, "[0,1,2]") "\"attributes\",[\"pointattributes\",["
                         ATTRIB("P", "numeric", 4, "fpreal32", TUPLES(4, "[[1,0,0,1],[1,1,0,0.70710678118654752],[0,1,0,1]]"))
                         "]],\"primitives\",[[[\"type\",\"NURBCurve\"],[\"vertex\",[0,1,2],\"closed\",false,\"basis\","
                         "[\"order\",3,\"knots\",[0,0,0,1,1,1]]]]]]", NULL);
  assert_int_equal(rv_detail_count(arc, RV_POINT), 5);
  p = rv_detail_f32(arc, RV_POINT, "P", 3);
  // the weight and the result are floats: two roundings
  for (int i = 0; i < 5; ++i) CHECK_NEAR(p[3 * i] * p[3 * i] + p[3 * i + 1] * p[3 * i + 1], 1, 3e-7);
  CHECK_NEAR(p[6], p[7], 1e-7);
  rv_detail_free(arc);
}

#define EMBEDDED \
  "\"sharedprimitivedata\",[\"PackedGeometry\",[\"gu:embeddedgeo\",\"embed:1\"," HEAD(3, 3, 1, "[0,1,2]") \
  "\"attributes\",[" POINTS("[[1,0,0],[0,1,0],[0,0,1]]") "],\"primitives\",[[[\"type\",\"Polygon_run\"]," \
  "[\"startvertex\",0,\"nprimitives\",1,\"nvertices\",[3]]]]]]]"

// (p - pivot) times the matrix from the right, plus the point
static void packed_geometry_is_moved(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(2, 2, 2, "[1,0]") "\"attributes\",[" POINTS("[[10,0,0],[0,20,0]]")
                       ",\"primitiveattributes\",[" ATTRIB("k", "numeric", 1, "int32", ARRAYS("[5,6]")) "]],"
                       "\"primitives\",[[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"embed:1\"},"
                       "\"pivot\",[1,0,0],\"transform\",[0,2,0,-2,0,0,0,0,2],\"vertex\",0]],"
                       "[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"embed:1\"},\"vertex\",1]]]," EMBEDDED "]",
                       NULL);
  assert_int_equal(rv_detail_count(d, RV_POINT), 6);
  const float expected[18] = {0, 20, 0, -2, 18, 0, 0, 18, 2, 11, 0, 0, 10, 1, 0, 10, 0, 1};
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "P", 3), expected, sizeof expected);
  assert_memory_equal(rv_detail_i32(d, RV_PRIM, "k", 1), ((int32_t[]){5, 6}), 8);
  rv_detail_free(d);
  Heard heard = {0};
  d = decode(HEAD(1, 1, 1, "[0]") "\"attributes\",[" POINTS("[[10,0,0]]") "],"
             "\"primitives\",[[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"embed:2\"},\"vertex\",0]]]," EMBEDDED "]",
             &heard);
  assert_non_null(strstr(heard.text, "1 packed primitive(s) were skipped"));
  assert_int_equal(rv_detail_count(d, RV_PRIM), 0);
  rv_detail_free(d);
}

// control points go when a curve is sampled, and a packed primitive still finds its own point
static void curves_beside_packed_geometry(void** state) {
  (void)state;
  RvDetail* d = decode(HEAD(4, 4, 2, "[0,1,2,3]") "\"attributes\",[" POINTS("[[0,0,0],[1,0,0],[2,0,0],[0,0,50]]") "],"
                       "\"primitives\",[[[\"type\",\"BezierCurve\"],[\"vertex\",[0,1,2],\"closed\",false,\"basis\","
                       "[\"order\",3,\"knots\",[0,1]]]],[[\"type\",\"PackedGeometry\"],[\"parameters\","
                       "{\"embedded\":\"embed:1\"},\"vertex\",3]]]," EMBEDDED "]", NULL);
  // three of the packed triangle, five samples
  assert_int_equal(rv_detail_count(d, RV_POINT), 8);
  assert_int_equal(rv_detail_prim_type(d, 0), RV_PRIM_CURVE);
  assert_int_equal(rv_detail_prim_type(d, 1), RV_PRIM_POLYGON);
  const float* p = rv_detail_f32(d, RV_POINT, "P", 3);
  const int32_t* points = rv_detail_vertex_point(d);
  for (int i = 0; i < 5; ++i) CHECK_NEAR(p[3 * points[i]], 0.5 * i, 0);
  assert_memory_equal(p + 3 * points[5], ((float[]){1, 0, 50}), 12);
  rv_detail_free(d);
}

// a quarter turn about z and a scale of 2: vectors scale, normals shrink, quaternions only turn
static void packed_attributes_turn(void** state) {
  (void)state;
#define TAGGED(name, size, tag, list)                                                                        \
  "[[\"type\",\"numeric\",\"name\",\"" name "\",\"options\",{\"type\":{\"type\":\"string\",\"value\":\"" tag \
  "\"}}],"                                                                                                   \
  "[\"size\"," #size ",\"storage\",\"fpreal32\"," TUPLES(size, list) "]]"
  RvDetail* d = decode(
      HEAD(1, 1, 1, "[0]") "\"attributes\",[" POINTS("[[0,0,0]]")
          "],\"primitives\",[[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"e\"},"
          "\"transform\",[0,2,0,-2,0,0,0,0,2],\"vertex\",0]]],"
          "\"sharedprimitivedata\",[\"PackedGeometry\",[\"gu:embeddedgeo\",\"e\"," HEAD(
              1, 0, 0, "[]") "\"attributes\",[\"pointattributes\",[" TAGGED("v", 3, "vector", "[[1,0,0]]") ","
              TAGGED("N", 3, "normal", "[[1,0,0]]") "," TAGGED("orient", 4, "quaternion", "[[0,0,0,1]]") ","
              TAGGED("rest", 3, "point", "[[1,0,0]]") "]]]]]]",
      NULL);
#undef TAGGED
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "v", 3), ((float[]){0, 2, 0}), 12);
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "N", 3), ((float[]){0, 0.5f, 0}), 12);
  assert_memory_equal(rv_detail_f32(d, RV_POINT, "rest", 3), ((float[]){1, 0, 0}), 12);
  const float* q = rv_detail_f32(d, RV_POINT, "orient", 4);
  CHECK_NEAR(q[2], 0.70710678, 1e-7);
  CHECK_NEAR(q[3], 0.70710678, 1e-7);
  rv_detail_free(d);
}

// what the geometry has itself it keeps, also under a name with a blank, which is no list of two
static void packed_geometry_keeps_its_own(void** state) {
  (void)state;
#define NUMBER(name, value) ATTRIB(name, "numeric", 1, "int32", ARRAYS("[" #value "]"))
#define GROUP(name, flag) "[[\"name\",\"" name "\"],[\"selection\",[\"unordered\",[\"i8\",[" #flag "]]]]]"
  RvDetail* d = decode(
      HEAD(1, 1, 1, "[0]") "\"attributes\",[" POINTS("[[0,0,0]]") ",\"primitiveattributes\",[" NUMBER("my name", 5) ","
          NUMBER("name", 6) "]],\"primitivegroups\",[" GROUP("my group", 1) "," GROUP("group", 1) "],"
          "\"primitives\",[[[\"type\",\"PackedGeometry\"],[\"parameters\",{\"embedded\":\"e\"},\"vertex\",0]]],"
          "\"sharedprimitivedata\",[\"PackedGeometry\",[\"gu:embeddedgeo\",\"e\"," HEAD(3, 3, 1, "[0,1,2]")
          "\"attributes\",[\"primitiveattributes\",[" NUMBER("my name", 1) "]],"
          "\"primitivegroups\",[" GROUP("my group", 0) "],"
          "\"primitives\",[[[\"type\",\"Poly\"],[\"vertex\",[0,1,2],\"closed\",true]]]]]]]", NULL);
#undef NUMBER
#undef GROUP
  assert_int_equal(rv_detail_count(d, RV_PRIM), 1);
  assert_int_equal(*rv_detail_i32(d, RV_PRIM, "my name", 1), 1);
  assert_int_equal(*rv_detail_i32(d, RV_PRIM, "name", 1), 6);
  assert_int_equal(*rv_group_read(rv_detail_find_group(d, RV_PRIM, "my group")), 0);
  assert_int_equal(*rv_group_read(rv_detail_find_group(d, RV_PRIM, "group")), 1);
  rv_detail_free(d);
}

// the first are told by name, the others by their number
static void many_messages_are_counted(void** state) {
  (void)state;
  enum { KEYS = 100000 };
  char* text = malloc(64 * KEYS + 1024);
  assert_non_null(text);
  char* at = text + sprintf(text, "%s\"attributes\",[", HEAD(0, 0, 0, "[]"));
  for (int i = 0; i < KEYS; ++i) at += sprintf(at, "%s\"odd%d\",0", i ? "," : "", i);
  sprintf(at, "]]");
  Heard heard = {0};
  rv_detail_free(decode(text, &heard));
  assert_int_equal(heard.warnings, 65);
  assert_non_null(strstr(heard.text, "'odd63'"));
  assert_non_null(strstr(heard.text, "99936 more"));
  free(text);
}

static void wrong_files_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *text, *part;
    RvResult code;
  } cases[] = {
      {"", "empty", RV_BAD_FILE},
      {"Bgeo V5 and so on", "Bgeo V5", RV_UNSUPPORTED},
      {"PGEOMETRY V5", "PGEOMETRY", RV_UNSUPPORTED},
      {"hello", "no .geo", RV_BAD_FILE},
      {"[]", "pointcount", RV_BAD_FILE},
      {"[\"pointcount\",1,\"pointcount\",1]", "'pointcount' appears twice", RV_BAD_FILE},
      {"[\"pointcount\",-1]", "pointcount is -1", RV_BAD_FILE},
      {"[\"pointcount\",3000000000]", "pointcount is 3000000000", RV_BAD_FILE},
      {HEAD(1, 1, 0, "[]") "\"primitives\",[]]", "topology: 1 vertices announced, but 0 found", RV_BAD_FILE},
      {HEAD(1, 0, 3, "[]") "\"primitives\",[]]", "primitives: 3 announced, but 0 found", RV_BAD_FILE},
      {HEAD(1, 3, 1, "[0,0,1]") "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\",1,"
                                "\"nvertices\",[3]]]]]",
       "topology: vertex 2 names point 1", RV_BAD_INPUT},
      {HEAD(1, 3, 1, "[0,0,0]") "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",1,\"nprimitives\",1,"
                                "\"nvertices\",[3]]]]]",
       "primitives 'Polygon_run': a run uses vertices 1 .. 3 of 3", RV_BAD_FILE},
      {HEAD(1, 3, 1, "[0,0,0]") "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\",2,"
                                "\"nvertices\",[3]]]]]",
       "a run of 2 polygons has 1 vertex counts", RV_BAD_FILE},
      {HEAD(1, 0, 2000000000, "[]") "\"primitives\",[[[\"type\",\"Polygon_run\"],[\"startvertex\",0,\"nprimitives\","
                                    "2000000000,\"nvertices_rle\",[0,2000000000]]]]]",
       "primitives", RV_LIMIT},
      {HEAD(1, 3, 1, "[0,0,0]") "\"primitives\",[[[\"type\",\"Poly\"],[\"vertex\",[0,1,3],\"closed\",true]]]]",
       "vertex 3 of 3", RV_BAD_FILE},
      {HEAD(2, 0, 0, "[]") "\"attributes\",[" POINTS("[[0,0,0]]") "]]",
       "pointattributes 'P': 2 elements of 3 values announced, but 3 values found", RV_BAD_FILE},
      {HEAD(1, 0, 0, "[]") "\"attributes\",[" POINTS("[[0,0]]") "]]", "pointattributes 'P': a tuple of 2 values",
       RV_BAD_FILE},
      {HEAD(1, 0, 0, "[]") "\"attributes\",[\"pointattributes\",[" ATTRIB(
           "a", "numeric", 1, "int32", ARRAYS("[1]")) "," ATTRIB("a", "numeric", 1, "int32", ARRAYS("[1]")) "]]]",
       "pointattributes 'a' appears twice", RV_BAD_FILE},
      {HEAD(1, 0, 0, "[]") "\"attributes\",[\"pointattributes\",[" ATTRIB("a", "numeric", 1, "int31",
                                                                          ARRAYS("[1]")) "]]]",
       "unknown storage 'int31'", RV_BAD_FILE},
      {HEAD(3, 0, 0,
            "[]") "\"pointgroups\",[[[\"name\",\"g\"],[\"selection\",[\"unordered\",[\"boolRLE\",[2,true]]]]]]]",
       "pointgroups 'g': boolRLE covers 2 of 3", RV_BAD_FILE},
      {HEAD(3, 0, 0, "[]") "\"pointgroups\",[[[\"name\",\"g\"],[\"selection\",[\"unordered\",[\"i8\",[1,1]]]]]]]",
       "pointgroups 'g': 2 flags for 3 elements", RV_BAD_FILE},
      {HEAD(3, 0, 0, "[]") "\"pointgroups\",[[[\"name\",\"g\"],[\"selection\",[\"ordered\",[3]]]]]]",
       "pointgroups 'g': member 3 of 3", RV_BAD_FILE},
      {"[\"attributes\",[\"pointattributes\",[[[],[]]]]]", "lacks its name or type (offset 37)", RV_BAD_FILE},
      {"[\"primitives\",[[[],[]]]]", "lacks its type (offset 18)", RV_BAD_FILE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    RvError error = {0};
    RvDetail* detail = NULL;
    RvResult result = rv_detail_decode(cases[i].text, strlen(cases[i].text), &detail, NULL, &error);
    if (result != cases[i].code || !strstr(error.text, cases[i].part))
      fail_msg("case %zu: %s '%s', not '%s'", i, rv_result_name(result), error.text, cases[i].part);
    assert_null(detail);
  }
}

RV_TESTS(cmocka_unit_test(vertices_come_in_primitive_order), cmocka_unit_test(old_runs_with_varying_fields),
         cmocka_unit_test(soups_number_vertices_of_the_file),
         cmocka_unit_test(skipped_and_expanded_primitives), cmocka_unit_test(weights_of_old_points),
         cmocka_unit_test(string_values), cmocka_unit_test(unknown_things_are_named),
         cmocka_unit_test(curves_are_sampled), cmocka_unit_test(packed_geometry_is_moved),
         cmocka_unit_test(packed_attributes_turn), cmocka_unit_test(curves_beside_packed_geometry),
         cmocka_unit_test(packed_geometry_keeps_its_own), cmocka_unit_test(many_messages_are_counted),
         cmocka_unit_test(wrong_files_are_refused))
