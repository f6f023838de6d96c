// Tone mapping: scene light to display light, linear, 0 to 1.
#include <math.h>

#include "math/scalar.h"
#include "view/view.h"

// Linear up to `knee`, then exponential towards 1 with a continuous slope, so that highlights keep their gradation.
static double shoulder(double x) {
  const double knee = 0.6;
  if (!(x > 0)) return 0;
  return x <= knee ? x : knee + (1 - knee) * (1 - rv_exp(-(x - knee) / (1 - knee)));
}

// Product of a matrix by rows and a vector.
static void multiply(const double m[3][3], const double* in, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
}

// ACES: the fit by Hill of the reference rendering transform and the output transform for sRGB monitors, in the
// desaturated working space of his matrices. Scene light is scaled so that middle grey keeps its place.
static void aces(const double* rgb, double* out) {
  static const double into[3][3] = {
      {0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}};
  static const double from[3][3] = {
      {1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}};
  const double grey = 1.46192;  // the curve maps 0.18 times this to 0.18
  double scaled[3], v[3], f[3];
  for (int k = 0; k < 3; ++k) scaled[k] = grey * rgb[k];
  multiply(into, scaled, v);
  for (int k = 0; k < 3; ++k)
    f[k] = (v[k] * (v[k] + 0.0245786) - 0.000090537) / (v[k] * (0.983729 * v[k] + 0.4329510) + 0.238081);
  multiply(from, f, out);
}

// AgX after Sobotka: a rotated and inset working space, a logarithmic range of 16.5 stops, and Wrensch's polynomial of
// the sigmoid. The display light is that of a 2.2 gamma, undone here because the picture is encoded as sRGB later.
static void agx(const double* rgb, double* out) {
  static const double into[3][3] = {{0.842479062253094, 0.0784335999999992, 0.0792237451477643},
                                    {0.0423282422610123, 0.878468636469772, 0.0791661274605434},
                                    {0.0423756549057051, 0.0784336000000000, 0.879142973793104}};
  static const double from[3][3] = {{1.19687900512017, -0.0980208811401368, -0.0990297440797205},
                                    {-0.0528968517574562, 1.15190312990417, -0.0989611768448433},
                                    {-0.0529716355144438, -0.0980434501171241, 1.15107367264116}};
  const double darkest = -12.47393, brightest = 4.026069;  // stops
  double v[3], f[3];
  multiply(into, rgb, v);
  for (int k = 0; k < 3; ++k) {
    double x = (rv_clamp(log2(fmax(v[k], 1e-10)), darkest, brightest) - darkest) / (brightest - darkest);
    double x2 = x * x, x4 = x2 * x2;
    f[k] = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
  }
  multiply(from, f, v);
  for (int k = 0; k < 3; ++k) out[k] = pow(fmax(v[k], 0), 2.2);
}

void rv_view_tone(int tone, const float* rgb, double* out) {
  double v[3];
  for (int k = 0; k < 3; ++k) v[k] = rgb[k] > 0 ? rgb[k] : 0;
  if (tone == RV_VIEW_TONE_ACES)
    aces(v, out);
  else if (tone == RV_VIEW_TONE_AGX)
    agx(v, out);
  for (int k = 0; k < 3; ++k)
    out[k] = tone == RV_VIEW_TONE_ACES || tone == RV_VIEW_TONE_AGX ? rv_clamp(out[k], 0, 1) : shoulder(v[k]);
}
