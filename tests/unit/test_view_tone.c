// Tone mapping against its sources: ACES by the matrices that follow from the primaries of its colour spaces and by the
// levels of its output transform, AgX by the sigmoid that its polynomial approximates.
#include <math.h>

#include "support/rv_test.h"
#include "view/view.h"

typedef struct Matrix {
  double m[3][3];
} Matrix;

static Matrix product(Matrix a, Matrix b) {
  Matrix out = {{{0}}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) out.m[i][k] += a.m[i][j] * b.m[j][k];
  return out;
}

// by cofactors
static Matrix inverse(Matrix a) {
  Matrix out;
  double det = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      int r = (k + 1) % 3, s = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out.m[i][k] = a.m[r][c] * a.m[s][d] - a.m[r][d] * a.m[s][c];
    }
  for (int k = 0; k < 3; ++k) det += a.m[0][k] * out.m[k][0];
  for (int i = 0; i < 9; ++i) out.m[i / 3][i % 3] /= det;
  return out;
}

static void apply(Matrix a, const double* in, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = a.m[i][0] * in[0] + a.m[i][1] * in[1] + a.m[i][2] * in[2];
}

// X Y Z of a chromaticity with Y = 1
static void xyz_of(const double xy[2], double* out) {
  out[0] = xy[0] / xy[1];
  out[1] = 1;
  out[2] = (1 - xy[0] - xy[1]) / xy[1];
}

// from RGB with these primaries and white to X Y Z
static Matrix to_xyz(const double primaries[3][2], const double white[2]) {
  Matrix x;
  double w[3], gain[3];
  for (int k = 0; k < 3; ++k) {
    double column[3];
    xyz_of(primaries[k], column);
    for (int i = 0; i < 3; ++i) x.m[i][k] = column[i];
  }
  xyz_of(white, w);
  apply(inverse(x), w, gain);
  for (int i = 0; i < 9; ++i) x.m[i / 3][i % 3] *= gain[i % 3];
  return x;
}

static const double D65[2] = {0.3127, 0.3290}, D60[2] = {0.32168, 0.33767};
static const double SRGB[3][2] = {{0.64, 0.33}, {0.3, 0.6}, {0.15, 0.06}};
static const double AP1[3][2] = {{0.713, 0.293}, {0.165, 0.830}, {0.128, 0.044}};

// from sRGB to AP1, the white adapted by Bradford's matrix
static Matrix srgb_to_ap1(void) {
  const Matrix bradford = {{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
  double from[3], to[3], a[3], b[3];
  xyz_of(D65, from);
  xyz_of(D60, to);
  apply(bradford, from, a);
  apply(bradford, to, b);
  Matrix gain = {{{b[0] / a[0], 0, 0}, {0, b[1] / a[1], 0}, {0, 0, b[2] / a[2]}}};
  Matrix adapt = product(inverse(bradford), product(gain, bradford));
  return product(inverse(to_xyz(AP1, D60)), product(adapt, to_xyz(SRGB, D65)));
}

// desaturation in AP1 by a factor, which keeps luminance
static Matrix saturation(double factor) {
  Matrix y = to_xyz(AP1, D60), out;
  for (int i = 0; i < 9; ++i) out.m[i / 3][i % 3] = (1 - factor) * y.m[1][i % 3] + (i / 3 == i % 3 ? factor : 0);
  return out;
}

// Hill's curve of the reference and output transforms
static double hill(double v) {
  return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
}

static double tone_of(int tone, double r, double g, double b, int channel) {
  const float rgb[3] = {(float)r, (float)g, (float)b};
  double out[3];
  rv_view_tone(tone, rgb, out);
  return out[channel];
}

// colours go through AP1, desaturated by 0.96 before the curve and by 0.93 after it, as in the Academy's transforms
static void aces_by_its_colour_spaces(void** state) {
  (void)state;
  const double colors[][3] = {{0.8, 0.1, 0.05}, {0.02, 0.4, 0.1}, {0.05, 0.1, 0.9}, {3, 2, 0.5}, {0.02, 0.018, 0.015}};
  const double grey = 1.46192;  // factor that keeps middle grey in its place
  Matrix into = product(saturation(0.96), srgb_to_ap1());
  Matrix from = product(inverse(srgb_to_ap1()), saturation(0.93));
  for (size_t i = 0; i < sizeof colors / sizeof *colors; ++i) {
    double scaled[3], v[3], out[3];
    for (int k = 0; k < 3; ++k) scaled[k] = grey * colors[i][k];
    apply(into, scaled, v);
    for (int k = 0; k < 3; ++k) v[k] = hill(v[k]);
    apply(from, v, out);
    // the published matrices have five digits
    for (int k = 0; k < 3; ++k)
      CHECK_NEAR(tone_of(RV_VIEW_TONE_ACES, colors[i][0], colors[i][1], colors[i][2], k), fmin(fmax(out[k], 0), 1),
                 1e-4);
  }
}

// levels of the 48-nit output transform: 0.18 gives 4.8 nits, 6.5 stops more give the peak; ours is 1.46 times as
// bright, which keeps middle grey. The curve is a fit, good to a few percent of what it shows.
static void aces_levels(void** state) {
  (void)state;
  const double grey = 1.46192;
  CHECK_NEAR(tone_of(RV_VIEW_TONE_ACES, 0.18, 0.18, 0.18, 1), 0.18, 0.002);
  CHECK_NEAR(tone_of(RV_VIEW_TONE_ACES, 0.18 / grey, 0.18 / grey, 0.18 / grey, 1), 4.8 / 48, 0.01);
  double peak = 0.18 * pow(2, 6.5) / grey;
  CHECK_NEAR(tone_of(RV_VIEW_TONE_ACES, peak, peak, peak, 0), 1, 0.015);
  assert_true(tone_of(RV_VIEW_TONE_ACES, 0, 0, 0, 0) == 0);
}

// Sobotka's sigmoid: a line of slope 2 through the pivot, bent to 0 and 1 by hyperbolas of powers 3 and 3.25
static double sigmoid(double x) {
  const double pivot = 10 / 16.5, level = 0.5, slope = 2, toe = 3, shoulder = 3.25;
  bool low = x < pivot;
  double power = low ? toe : shoulder, run = low ? pivot : 1 - pivot, rise = low ? level : 1 - level;
  double scale = pow(pow(slope * run, -power) * (pow(slope * run / rise, power) - 1), -1 / power);
  double t = slope * fabs(x - pivot) / scale, bent = t / pow(1 + pow(t, power), 1 / power);
  return level + (low ? -scale : scale) * bent;
}

// greys pass the matrices of AgX unchanged: from 10 stops below middle grey to 6.5 above it they follow the sigmoid, of
// which the polynomial differs by at most 0.006; its display light has a gamma of 2.2
static void agx_by_its_sigmoid(void** state) {
  (void)state;
  for (int i = 0; i <= 33; ++i) {
    double stops = -10 + 0.5 * i, x = 0.18 * pow(2, stops);
    double shown = pow(tone_of(RV_VIEW_TONE_AGX, x, x, x, 1), 1 / 2.2);
    CHECK_NEAR(shown, sigmoid((stops + 10) / 16.5), 0.007);
  }
  // beyond both ends it stays
  assert_true(tone_of(RV_VIEW_TONE_AGX, 0, 0, 0, 0) < 1e-3);
  assert_true(tone_of(RV_VIEW_TONE_AGX, 1e4, 1e4, 1e4, 0) > 0.99);
  // bright red fades towards white instead of clipping to pure red
  double green = tone_of(RV_VIEW_TONE_AGX, 8, 0.1, 0.1, 1);
  assert_true(green > 0.1 && green < tone_of(RV_VIEW_TONE_AGX, 8, 0.1, 0.1, 0));
}

RV_TESTS(cmocka_unit_test(aces_by_its_colour_spaces), cmocka_unit_test(aces_levels),
         cmocka_unit_test(agx_by_its_sigmoid))
