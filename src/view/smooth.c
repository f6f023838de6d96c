// Drafts: few samples leave noise on skin, solids and the floor, where it shows most. Their light varies slowly, so a
// pixel takes the weighted mean of the pixels around it that show the same surface (a joint bilateral filter; Eisemann
// and Durand 2004, Petschnigg et al. 2004). Hair, water and edges keep their detail; only single pixels that are much
// brighter than all around them, where one sample of few met a lamp, are dimmed.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "view/view_scene.h"

enum { REACH = 4, ROWS_A_TASK = 8 };  // pixels to each side

static const double SPREAD = 2.2;          // deviation of the weights, pixels
static const double LEAST_COSINE = 0.97;   // of the normals of pixels that are joined
static const double OUTSTANDING = 1.25;    // times the mean around it that a pixel may have
static const double LEAST_LIMIT = 0.02;    // and this in any case
static const double BRIGHTEST_AROUND = 1;  // that a pixel around it counts
static const double DEPTH_SHARE = 0.02;    // difference of their depths, over the depth

// One pass over the rows.
typedef struct Smooth {
  const RvViewGuide* guides;
  const float* from;
  RvImage* image;
  double weight[REACH + 1][REACH + 1];
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

// Means of a range of rows.
static void smooth_rows(void* arg, size_t begin, size_t end) {
  const Smooth* s = arg;
  int width = s->image->width, height = s->image->height;
  for (int y = (int)begin; y < (int)end; ++y)
    for (int x = 0; x < width; ++x) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      if (s->guides[at].surface == RV_VIEW_GUIDE_NONE) {
        dim(s, x, y);
        continue;
      }
      RvVec3 sum = {0, 0, 0};
      double whole = 0;
      for (int j = y > REACH ? y - REACH : 0; j < height && j <= y + REACH; ++j)
        for (int i = x > REACH ? x - REACH : 0; i < width && i <= x + REACH; ++i) {
          size_t other = (size_t)j * (size_t)width + (size_t)i;
          if (!joined(&s->guides[at], &s->guides[other])) continue;
          double w = s->weight[j > y ? j - y : y - j][i > x ? i - x : x - i];
          sum = rv_mad(sum, w, rv_vec3_load(s->from + 3 * other));
          whole += w;
        }
      rv_vec3_store(s->image->rgb + 3 * at, rv_scale(sum, 1 / whole));
    }
}

bool rv_view_smooth(RvImage* image, const RvViewGuide* guides) {
  size_t floats = 3 * (size_t)image->width * (size_t)image->height;
  float* from = rv_alloc(floats, sizeof(float));
  if (!from) return false;
  memcpy(from, image->rgb, floats * sizeof(float));
  Smooth s = {.guides = guides, .from = from, .image = image};
  for (int j = 0; j <= REACH; ++j)
    for (int i = 0; i <= REACH; ++i) s.weight[j][i] = exp(-(i * i + j * j) / (2 * SPREAD * SPREAD));
  rv_parallel_for((size_t)image->height, ROWS_A_TASK, smooth_rows, &s);
  rv_free(from);
  return true;
}
