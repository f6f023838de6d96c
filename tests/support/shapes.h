// Small meshes for tests of nodes, wound clockwise from outside as in Houdini.
#ifndef RV_TEST_SHAPES_H
#define RV_TEST_SHAPES_H

#include "rivulet/geo.h"

// Polygons from points (xyz) and, for each, its corner count and corners. Never NULL: a failure ends the test.
RvDetail* rv_test_polygons(size_t npoint, const float* points, size_t nface, const int32_t* ncorner,
                           const int32_t* corners);
// A sphere of quads and triangles about the origin.
RvDetail* rv_test_sphere(double radius, int rows, int columns);
// One quad in the XZ plane about the origin that looks up.
RvDetail* rv_test_square(double size);

#endif
