// Drafts: few samples leave noise on skin, solids and the floor, where it shows most. Their light varies slowly, so a
// pixel takes the weighted mean of the pixels around it that show the same surface (a joint bilateral filter; Eisemann
// and Durand 2004, Petschnigg et al. 2004), in passes of few pixels that lie farther and farther apart (Dammertz et al.
// 2010, "Edge-avoiding a-trous wavelet transform"). Hair, water and edges keep their detail; only single pixels that
// are much brighter than all around them, where one sample of few met a lamp, are dimmed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "view/view_scene.h"

enum { REACH = 2, PASSES = 3, ROWS_A_TASK = 8 };  // steps to each side; passes, with steps of 1, 2 and 4 pixels

static const double WEIGHTS[REACH + 1] = {6.0 / 16, 4.0 / 16, 1.0 / 16};  // by steps: a cubic B-spline
static const double LEAST_COSINE = 0.97;                                  // of the normals of pixels that are joined
static const double OUTSTANDING = 1.25;    // times the mean around it that a pixel may have
static const double LEAST_LIMIT = 0.02;    // and this in any case
static const double BRIGHTEST_AROUND = 1;  // that a pixel around it counts
static const double DEPTH_SHARE = 0.02;    // difference of their depths, over the depth

// One pass over the rows.
typedef struct Smooth {
  const RvViewGuide* guides;
  const float* from;
  RvImage* image;
  int step;  // distance of the pixels that a mean takes
} Smooth;

// True if two pixels show the same smooth surface.
static bool joined(const RvViewGuide* a, const RvViewGuide* b) {
  if (a->surface != b->surface) return false;
  if (a->surface == RV_VIEW_GUIDE_FLOOR) return true;
  return fabs(a->depth - b->depth) < DEPTH_SHARE * a->depth &&
         rv_dot(rv_vec3_load(a->normal), rv_vec3_load(b->normal)) > LEAST_COSINE;
}

// Rec. 709 luminance of a pixel.
static double luminance(const float* c) {
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

// Dims a pixel that stands out.
static void dim(const Smooth* s, int x, int y) {
  int width = s->image->width, height = s->image->height, count = 0;
  double sum = 0;
  for (int j = y > 0 ? y - 1 : 0; j < height && j <= y + 1; ++j)
    for (int i = x > 0 ? x - 1 : 0; i < width && i <= x + 1; ++i) {
      if (i == x && j == y) continue;
      sum += fmin(luminance(s->from + 3 * ((size_t)j * (size_t)width + (size_t)i)), BRIGHTEST_AROUND);
      count++;
    }
  float* to = s->image->rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
  double own = luminance(to), most = OUTSTANDING * sum / fmax(count, 1) + LEAST_LIMIT;
  if (own > most) rv_vec3_store(to, rv_scale(rv_vec3_load(to), most / own));
}

// Mean of the pixels around one that show the same surface.
static RvVec3 mean_around(const Smooth* s, int x, int y) {
  int width = s->image->width, height = s->image->height;
  const RvViewGuide* own = &s->guides[(size_t)y * (size_t)width + (size_t)x];
  RvVec3 sum = {0, 0, 0};
  double whole = 0;
  for (int b = -REACH; b <= REACH; ++b)
    for (int a = -REACH; a <= REACH; ++a) {
      int i = x + a * s->step, j = y + b * s->step;
      if (i < 0 || j < 0 || i >= width || j >= height) continue;
      size_t other = (size_t)j * (size_t)width + (size_t)i;
      if (!joined(own, &s->guides[other])) continue;
      double w = WEIGHTS[abs(a)] * WEIGHTS[abs(b)];
      sum = rv_mad(sum, w, rv_vec3_load(s->from + 3 * other));
      whole += w;
    }
  return rv_scale(sum, 1 / whole);
}

// One pass over a range of rows. Single bright pixels are dimmed in the first.
static void smooth_rows(void* arg, size_t begin, size_t end) {
  const Smooth* s = arg;
  int width = s->image->width;
  for (int y = (int)begin; y < (int)end; ++y)
    for (int x = 0; x < width; ++x) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (s->guides[at].surface != RV_VIEW_GUIDE_NONE)
        rv_vec3_store(s->image->rgb + 3 * at, mean_around(s, x, y));
      else if (s->step == 1)
        dim(s, x, y);
    }
}

bool rv_view_smooth(RvImage* image, const RvViewGuide* guides) {
  size_t floats = 3 * (size_t)image->width * (size_t)image->height;
  float* from = rv_alloc(floats, sizeof(float));
  if (!from) return false;
  Smooth s = {.guides = guides, .from = from, .image = image, .step = 1};
  for (int pass = 0; pass < PASSES; ++pass, s.step *= 2) {
    memcpy(from, image->rgb, floats * sizeof(float));
    rv_parallel_for((size_t)image->height, ROWS_A_TASK, smooth_rows, &s);
  }
  rv_free(from);
  return true;
}
