#include "support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rv_test.h"

RvDetail* rv_test_polygons(size_t npoint, const float* points, size_t nface, const int32_t* ncorner,
                           const int32_t* corners) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  assert_non_null(d);
  CHECK_OK(rv_detail_add_points(d, npoint, NULL, &error), error);
  memcpy(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), points, npoint * 3 * sizeof(float));
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, nface, ncorner, corners, NULL, &error), error);
  return d;
}

RvDetail* rv_test_sphere(double radius, int rows, int columns) {
  int npoint = (rows - 1) * columns + 2, nface = rows * columns, last = npoint - 1, n = 0, c = 0;
  float* points = calloc((size_t)npoint, 3 * sizeof(float));
  int32_t *sizes = calloc((size_t)nface, sizeof *sizes), *corners = calloc((size_t)nface, 4 * sizeof *corners);
  for (int i = 0; i < npoint; ++i) {
    int row = i == 0      ? 0
              : i == last ? rows
                          : (i - 1) / columns + 1,
        column = i == 0 || i == last ? 0 : (i - 1) % columns;
    double a = M_PI * row / rows, b = 2 * M_PI * column / columns;
    points[3 * i] = (float)(radius * sin(a) * cos(b));
    points[3 * i + 1] = (float)(radius * cos(a));
    points[3 * i + 2] = (float)(radius * sin(a) * sin(b));
  }
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      int next = (column + 1) % columns, up = 1 + (row - 1) * columns, down = up + columns;
      int32_t quad[4] = {up + column, down + column, down + next, up + next}, m = 0;
      if (row == 0) {
        quad[0] = 0;
        quad[3] = -1;
      }
      if (row == rows - 1) {
        quad[1] = last;
        quad[2] = -1;
      }
      for (int k = 0; k < 4; ++k)
        if (quad[k] >= 0) {
          corners[c++] = quad[k];
          ++m;
        }
      sizes[n++] = m;
    }
  }
  RvDetail* d = rv_test_polygons((size_t)npoint, points, (size_t)nface, sizes, corners);
  free(points);
  free(sizes);
  free(corners);
  return d;
}

RvDetail* rv_test_square(double size) {
  float s = (float)(size / 2), points[] = {-s, 0, -s, s, 0, -s, s, 0, s, -s, 0, s};
  return rv_test_polygons(4, points, 1, (int32_t[]){4}, (int32_t[]){0, 1, 2, 3});
}
