// Reading curves from USD text: what other programs write around the curves is passed over, and damage is told with its
// line, wherever it is.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geo/io_usda.h"
#include "support/rv_test.h"

#define HEAD "#usda 1.0\n"
#define TWO_POINTS "int[] curveVertexCounts = [2]\npoint3f[] points = [(0, 0, 0), (1, 2, 3)]\n"

static RvResult decode(const char* text, RvDetail** out, RvError* error) {
  *error = (RvError){0};
  return rv_usda_decode(text, strlen(text), "t.usda", out, NULL, error);
}

// The last point of the curves of a text that must be read.
static const float* last_point(const char* text, RvDetail** out) {
  RvError error;
  CHECK_OK(decode(text, out, &error), error);
  CHECK_OK(rv_detail_check(*out, &error), error);
  return rv_detail_f32(*out, RV_POINT, "P", 3) + 3 * (rv_detail_count(*out, RV_POINT) - 1);
}

// Quotes and brackets in comments and in paths of files neither open a string nor a group.
static void comments_and_paths(void** state) {
  (void)state;
  static const char* const texts[] = {
      HEAD "(\n    doc = \"it is\" # it's a ( comment\n)\ndef BasisCurves \"c\" {\n" TWO_POINTS "}\n",
      HEAD "def BasisCurves \"c\" {\nint size = 3 # it's (odd\n" TWO_POINTS "}\n",
      HEAD "def BasisCurves \"c\" {\nasset image = @it's [one].png@\n" TWO_POINTS "}\n",
      HEAD "over \"o\" {\n  # don't\n  asset a = @b\"c@\n}\ndef BasisCurves \"c\" {\n" TWO_POINTS "}\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    RvDetail* d;
    const float* p = last_point(texts[i], &d);
    if (p[0] != 1 || p[1] != 2 || p[2] != 3)
      fail_msg("text %zu: %g %g %g", i, (double)p[0], (double)p[1], (double)p[2]);
    rv_detail_free(d);
  }
}

// A stage whose Z is up is turned; a name that only begins like it is not.
static void up_axis(void** state) {
  (void)state;
  RvDetail* d;
  const float* p = last_point(HEAD "(\n upAxis = \"Z\"\n)\ndef BasisCurves \"c\" {\n" TWO_POINTS "}\n", &d);
  assert_true(p[0] == 1 && p[1] == 3 && p[2] == -2);
  rv_detail_free(d);
  p = last_point(HEAD "(\n upAxis = \"Y\"\n doc = \"Z\"\n)\ndef BasisCurves \"c\" {\n" TWO_POINTS "}\n", &d);
  assert_true(p[0] == 1 && p[1] == 2 && p[2] == 3);
  rv_detail_free(d);
}

// Each kind of damage has its line and its word.
static void damage_is_told(void** state) {
  (void)state;
  static const struct {
    const char *text, *told;
  } cases[] = {
      {"#usda", "no BasisCurves"},
      {"PXR-USDC", "begin with #usda"},
      {HEAD "def BasisCurves \"c\" {\npoint3f[] points = [(0, nan, 0)]\n}\n", "line 3: a number is not finite"},
      {HEAD "def BasisCurves \"c\" {\npoint3f[] points = [(0, -inf, 0)]\n}\n", "line 3: a number is not finite"},
      {HEAD "def BasisCurves \"c\" {\npoint3f[] points = [(0, 1e999, 0)]\n}\n", "line 3: a number is not finite"},
      {HEAD "def BasisCurves \"c\" {\nint[] primvars:id = [nan]\n}\n", "line 3: a number is not finite"},
      {HEAD "def BasisCurves \"c\" {\npoint3f[] points = [(0, x, 0)]\n}\n", "line 3: a number is expected"},
      {HEAD "def BasisCurves \"c\" {\nint[] curveVertexCounts = [3]\npoint3f[] points = [(0, 0, 0)]\n}\n",
       "cut or damaged"},
      {HEAD "def BasisCurves \"c\" {\nint[] curveVertexCounts = [1.5]\n}\n", "no count"},
      {HEAD "def BasisCurves \"c\" {\nint[] curveVertexCounts = [1e18]\n}\n", "no count"},
      {HEAD "def BasisCurves \"c\" {\nuniform token[] xformOpOrder = [", "a prim does not end"},
      {HEAD "def BasisCurves \"c\" {\npoint3f[] points.timeSamples = { 1", "a time sample has no value"},
      {HEAD "def BasisCurves \"c\" {\nstring s = \"abc\n}\n", "a string does not end"},
      {HEAD "}\n", "a } has no {"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    RvError error;
    RvDetail* d;
    if (!decode(cases[i].text, &d, &error)) fail_msg("case %zu is read", i);
    assert_null(d);
    if (!strstr(error.text, cases[i].told)) fail_msg("case %zu: '%s' does not say '%s'", i, error.text, cases[i].told);
  }
}

// Prims within prims, ever deeper.
static void deep_prims(void** state) {
  (void)state;
  static char text[20000] = HEAD;
  for (int i = 0; i < 1000; ++i) strcat(text, "def Xform \"x\" {");
  RvError error;
  RvDetail* d;
  CHECK_FAILS(decode(text, &d, &error), RV_BAD_INPUT, error, "nested too deeply");
}

// A file that ends anywhere is read or refused with a text; what is read is sound.
static void every_end(void** state) {
  (void)state;
  static const char whole[] = HEAD
      "(\n upAxis = \"Z\"\n metersPerUnit = 0.01\n)\n"
      "def Xform \"g\" {\n float3 xformOp:rotateXYZ = (1, 2, 3)\n uniform token[] xformOpOrder = "
      "[\"xformOp:rotateXYZ\"]\n"
      "def BasisCurves \"c\" (a = 1) {\n uniform token basis = \"bspline\"\n" TWO_POINTS
      "float[] widths.timeSamples = { 1: [0.1, 0.2], 2: [1, 1] }\nint[] primvars:id = [4]\n"
      "string s = \"\"\"a\n\"b\"\"\"\n asset i = @x@ # y\n}\n}\n";
  size_t read = 0, length = strlen(whole);
  for (size_t end = 0; end <= length; ++end) {
    RvError error = {0};
    RvDetail* d = NULL;
    // a copy of its own, so that a read beyond its end is found by a sanitizer
    char* part = rv_alloc(end ? end : 1, 1);
    assert_non_null(part);
    memcpy(part, whole, end);
    RvResult result = rv_usda_decode(part, end, "t.usda", &d, NULL, &error);
    if (result) assert_true(error.text[0] && !d);
    if (!result) CHECK_OK(rv_detail_check(d, &error), error);
    read += !result;
    rv_detail_free(d);
    rv_free(part);
  }
  // only the last line end is not needed
  assert_int_equal(read, 2);
}

RV_TESTS(cmocka_unit_test(comments_and_paths), cmocka_unit_test(up_axis), cmocka_unit_test(damage_is_told),
         cmocka_unit_test(deep_prims), cmocka_unit_test(every_end))
