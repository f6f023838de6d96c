// Details for the tests of file formats: everything that can go wrong in a writer, with values that are easy to tell.
#ifndef RV_TEST_GEO_SAMPLES_H
#define RV_TEST_GEO_SAMPLES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "geo/half.h"
#include "rivulet/geo.h"
#include "support/rv_test.h"

// Writes an attribute's name, owner, form and range (NaN apart) as JSON; the default counts too where `with_default`.
static inline void sample_describe(FILE* out, const RvAttrib* attrib, bool with_default) {
  double lo = INFINITY, hi = -INFINITY;
  int size = rv_attrib_size(attrib);
  fprintf(out, "{\"owner\": \"%s\", \"name\": \"%s\", \"storage\": \"%s\", \"size\": %d, ",
          rv_owner_name(rv_attrib_owner(attrib)), rv_attrib_name(attrib), rv_storage_name(rv_attrib_storage(attrib)),
          size);
  if (rv_attrib_storage(attrib) == RV_STRING) {
    fputs("\"texts\": [", out);
    for (size_t i = 0; i < rv_attrib_count(attrib); ++i)
      fprintf(out, "%s\"%s\"", i ? ", " : "", rv_attrib_string(attrib, i, 0));
    fputs("]}", out);
    return;
  }
  for (size_t i = 0; i < rv_attrib_count(attrib); ++i) {
    for (int c = 0; c < size; ++c) {
      double value = rv_attrib_get(attrib, i, c);
      if (value < lo) lo = value;
      if (value > hi) hi = value;
    }
  }
  if (with_default && lo > 0) lo = 0;
  if (with_default && hi < 0) hi = 0;
  fprintf(out, "\"min\": %.17g, \"max\": %.17g}", lo, hi);
}

// All attributes and groups as JSON, with the counts of cells a reader must find.
static inline void sample_manifest(const char* folder, const char* name, const RvDetail* detail, size_t verts,
                                   size_t lines, size_t polys) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.json", folder, name);
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "{\"points\": %zu, \"verts\": %zu, \"lines\": %zu, \"polys\": %zu,\n\"attributes\": [\n",
          rv_detail_count(detail, RV_POINT), verts, lines, polys);
  bool first = true;
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (size_t i = 0; i < rv_detail_attrib_count(detail, owner); ++i, first = false) {
      if (!first) fputs(",\n", out);
      // cells of free points have the default, which is 0 in these samples
      sample_describe(out, rv_detail_attrib(detail, owner, i), owner == RV_PRIM && verts);
    }
  }
  fputs("],\n\"groups\": [", out);
  first = true;
  for (int owner = 0; owner < RV_GLOBAL; ++owner) {
    for (size_t i = 0; i < rv_detail_group_count(detail, owner); ++i, first = false) {
      const RvGroup* group = rv_detail_group(detail, owner, i);
      size_t members = 0;
      for (size_t k = 0; k < rv_detail_count(detail, owner); ++k) members += rv_group_read(group)[k];
      fprintf(out, "%s{\"owner\": \"%s\", \"name\": \"%s\", \"members\": %zu}", first ? "" : ", ", rv_owner_name(owner),
              rv_group_name(group), members);
    }
  }
  fputs("]}\n", out);
  fclose(out);
}

// 20 strands of 8 points with P v id pscale wetness, every storage, texts, vertex values and groups.
static inline RvDetail* sample_strands(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 20, 8, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
  int32_t* id = rv_detail_i32_write(d, RV_POINT, "id", 1, &error);
  float* pscale = rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error);
  float* wetness = rv_detail_f32_write(d, RV_POINT, "wetness", 1, &error);
  float* orient = rv_detail_f32_write(d, RV_POINT, "orient", 4, &error);
  double* exact = rv_detail_f64_write(d, RV_POINT, "rv_x64", 3, &error);
  RvAttrib *half, *byte, *name;
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, "coarse", RV_F16, 2, RV_TAG_NONE, &half, &error), error);
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, "flag", RV_I8, 1, RV_TAG_NONE, &byte, &error), error);
  CHECK_OK(rv_detail_add_attrib(d, RV_PRIM, "name", RV_STRING, 1, RV_TAG_NONE, &name, &error), error);
  double* arc = rv_detail_f64_write(d, RV_VERTEX, "arc", 1, &error);
  int64_t* skin = rv_detail_i64_write(d, RV_PRIM, "skinprim", 1, &error);
  float* uv = rv_detail_f32_write(d, RV_PRIM, "skinprimuv", 3, &error);
  double* matrix = rv_detail_f64_write(d, RV_GLOBAL, "world", 16, &error);
  for (int i = 0; i < 160; ++i) {
    p[3 * i] = (float)(i / 8) * 0.1f;
    p[3 * i + 1] = (float)(i % 8) * -0.25f;
    p[3 * i + 2] = 1e-7f * (float)i;
    v[3 * i] = 0;
    v[3 * i + 1] = (float)i;
    v[3 * i + 2] = -(float)i / 3;
    id[i] = 1000000 + i;
    pscale[i] = 0.001f * (float)(1 + i);
    wetness[i] = (float)(i % 8) / 7;
    orient[4 * i] = 0.1f;
    orient[4 * i + 1] = 0.2f;
    orient[4 * i + 2] = 0.3f;
    orient[4 * i + 3] = 0.9f;
    for (int c = 0; c < 3; ++c) exact[3 * i + c] = p[3 * i + c] + 1e-12 * i;
    ((uint16_t*)rv_attrib_write(half))[2 * i] = rv_half_from_float((float)i / 4);
    ((int8_t*)rv_attrib_write(byte))[i] = (int8_t)(i - 80);
    arc[i] = i % 8 / 7.0;
  }
  // a number that is none must not hurt a reader
  wetness[17] = NAN;
  char text[32];
  for (int i = 0; i < 20; ++i) {
    snprintf(text, sizeof text, "tuft %d", i % 5);
    if (i % 5 == 0) text[0] = 0;
    CHECK_OK(rv_attrib_set_string(name, (size_t)i, 0, text, &error), error);
    skin[i] = INT64_C(5000000000) + i;
    for (int c = 0; c < 3; ++c) uv[3 * i + c] = (float)(i + c) / 22;
  }
  for (int i = 0; i < 16; ++i) matrix[i] = i % 5 == 0;
  RvGroup *wet, *roots;
  CHECK_OK(rv_detail_add_group(d, RV_POINT, "roots", &roots, &error), error);
  CHECK_OK(rv_detail_add_group(d, RV_PRIM, "wet", &wet, &error), error);
  for (int i = 0; i < 20; ++i) rv_group_write(roots)[8 * i] = 1;
  rv_group_write(wet)[3] = rv_group_write(wet)[19] = 1;
  return d;
}

// Free points, as liquid.
static inline RvDetail* sample_points(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 500, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
  int32_t* id = rv_detail_i32_write(d, RV_POINT, "id", 1, &error);
  float* pscale = rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error);
  for (int i = 0; i < 500; ++i) {
    p[3 * i] = (float)(i % 10);
    p[3 * i + 1] = (float)(i / 10 % 10);
    p[3 * i + 2] = (float)(i / 100);
    v[3 * i + 1] = -9.81f * (float)i;
    id[i] = 499 - i;
    pscale[i] = 0.05f;
  }
  return d;
}

// A closed tetrahedron with clockwise faces seen from outside, two free points, a curve of two points, one of one
// point.
static inline RvDetail* sample_mixed(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 9, NULL, &error), error);
  static const float corner[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9};
  memcpy(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), corner, sizeof corner);
  int32_t three[4] = {3, 3, 3, 3}, faces[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2}, two = 2, line[2] = {4, 5}, one = 1,
          dot = 6;
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, &two, line, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 4, three, faces, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, &one, &dot, NULL, &error), error);
  int32_t* piece = rv_detail_i32_write(d, RV_PRIM, "piece", 1, &error);
  for (int i = 0; i < 6; ++i) piece[i] = 10 + i;
  float* color = rv_detail_f32_write(d, RV_POINT, "Cd", 3, &error);
  for (int i = 0; i < 27; ++i) color[i] = (float)i / 27;
  rv_detail_f32_write(d, RV_POINT, "odd <name> & \"quotes\"", 1, &error)[3] = 2;
  return d;
}

#if !defined(_WIN32)
// Runs a command in the shell; its exit status.
static inline int sample_run(const char* command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

#endif
