// Samples of the picture: stratified over the samples of a pixel and over the pixels around it, and independent of the
// order of work.
#include <math.h>
#include <string.h>

#include "support/rv_test.h"
#include "view/view_scene.h"

enum { BITS = 6, COUNT = 1 << BITS };

// of COUNT points every box of each shape with area 1 / COUNT holds exactly one
static void check_net(double points[COUNT][2]) {
  for (int wide = 0; wide <= BITS; ++wide) {
    int columns = 1 << wide, rows = 1 << (BITS - wide), held[COUNT] = {0};
    for (int i = 0; i < COUNT; ++i) held[(int)(points[i][1] * rows) * columns + (int)(points[i][0] * columns)]++;
    for (int i = 0; i < COUNT; ++i) assert_int_equal(held[i], 1);
  }
}

// number `dimension` of sample `index` of a pixel
static void sample_at(int x, int y, int samples, uint32_t index, int dimension, double out[2]) {
  RvSampler s = rv_view_sampler_at(7, x, y, samples);
  s.index = index;
  for (int k = 0; k <= dimension; ++k) rv_view_sampler_next(&s, out);
}

static void pixels_are_stratified(void** state) {
  (void)state;
  double points[COUNT][2];
  for (int dimension = 0; dimension < 5; ++dimension) {
    for (uint32_t i = 0; i < COUNT; ++i) sample_at(300, 17, COUNT, i, dimension, points[i]);
    check_net(points);
  }
}

// 4 samples of each of 4 x 4 pixels complement each other
static void neighbours_are_stratified(void** state) {
  (void)state;
  double points[COUNT][2];
  for (int dimension = 0; dimension < 5; ++dimension) {
    for (int i = 0; i < COUNT; ++i) sample_at(40 + i / 4 % 4, 64 + i / 16, 4, (uint32_t)(i % 4), dimension, points[i]);
    check_net(points);
  }
}

// pairs of numbers are not correlated with each other: the mean of products over many pixels is a quarter
static void dimensions_are_independent(void** state) {
  (void)state;
  enum { SIDE = 64, SAMPLES = 4 };
  for (int other = 1; other < 6; ++other) {
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE * SAMPLES; ++i) {
      double a[2], b[2];
      int pixel = i / SAMPLES;
      sample_at(pixel % SIDE, pixel / SIDE, SAMPLES, (uint32_t)(i % SAMPLES), 0, a);
      sample_at(pixel % SIDE, pixel / SIDE, SAMPLES, (uint32_t)(i % SAMPLES), other, b);
      sum += (a[0] - 0.5) * (b[0] - 0.5) + (a[1] - 0.5) * (b[1] - 0.5);
    }
    // of independent numbers the deviation is 1 / 12 sqrt(2 / n): 0.0009
    CHECK_NEAR(sum / (SIDE * SIDE * SAMPLES), 0, 0.004);
  }
}

RV_TESTS(cmocka_unit_test(pixels_are_stratified), cmocka_unit_test(neighbours_are_stratified),
         cmocka_unit_test(dimensions_are_independent))
