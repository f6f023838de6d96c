// Ear cutting (Meisters 1975) that looks again only at the two corners beside a cut, and only for reflex corners
// within.
#include "geo/triangulate.h"

#include <math.h>

typedef struct Face {
  double x[RV_TRIANGULATE_MAX], y[RV_TRIANGULATE_MAX];  // in its plane, wound anticlockwise
  int16_t prev[RV_TRIANGULATE_MAX], next[RV_TRIANGULATE_MAX];
  int16_t reflex[RV_TRIANGULATE_MAX];  // the corners left that are not strictly convex, in no order
  int16_t place[RV_TRIANGULATE_MAX];   // of each corner in `reflex`, -1 none
  bool ear[RV_TRIANGULATE_MAX];
  int nreflex;
} Face;

// the two axes across the largest part of its normal (Newell's sum); true if the area seen so is negative
static bool choose_plane(const float* points, const int32_t* corner, int count, int* u, int* v) {
  double n[3] = {0, 0, 0};
  for (int i = 0; i < count; ++i) {
    const float* p = points + 3 * (size_t)corner[i];
    const float* q = points + 3 * (size_t)corner[i + 1 < count ? i + 1 : 0];
    for (int k = 0; k < 3; ++k) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      n[k] += ((double)p[a] - q[a]) * ((double)p[b] + q[b]);
    }
  }
  int k = fabs(n[0]) > fabs(n[1]) ? 0 : 1;
  if (fabs(n[2]) > fabs(n[k])) k = 2;
  *u = (k + 1) % 3;
  *v = (k + 2) % 3;
  return n[k] < 0;
}

// twice the area of a b c, positive if they turn left
static double turn(const Face* f, int a, int b, int c) {
  return (f->x[b] - f->x[a]) * (f->y[c] - f->y[a]) - (f->y[b] - f->y[a]) * (f->x[c] - f->x[a]);
}

static bool same_place(const Face* f, int a, int b) {
  return f->x[a] == f->x[b] && f->y[a] == f->y[b];
}

// the triangle that would be cut off holds no other corner, rim included; doubled corners are no others
static bool is_ear(const Face* f, int b) {
  int a = f->prev[b], c = f->next[b];
  if (!(turn(f, a, b, c) > 0)) return false;
  double left = fmin(f->x[a], fmin(f->x[b], f->x[c])), right = fmax(f->x[a], fmax(f->x[b], f->x[c]));
  double low = fmin(f->y[a], fmin(f->y[b], f->y[c])), high = fmax(f->y[a], fmax(f->y[b], f->y[c]));
  for (int i = 0; i < f->nreflex; ++i) {
    int p = f->reflex[i];
    if (f->x[p] < left || f->x[p] > right || f->y[p] < low || f->y[p] > high) continue;
    if (same_place(f, p, a) || same_place(f, p, b) || same_place(f, p, c)) continue;
    if (turn(f, a, b, p) >= 0 && turn(f, b, c, p) >= 0 && turn(f, c, a, p) >= 0) return false;
  }
  return true;
}

static void set_reflex(Face* f, int i, bool reflex) {
  if (reflex == (f->place[i] >= 0)) return;
  if (reflex) {
    f->place[i] = (int16_t)f->nreflex;
    f->reflex[f->nreflex++] = (int16_t)i;
    return;
  }
  int last = f->reflex[--f->nreflex];
  f->reflex[f->place[i]] = (int16_t)last;
  f->place[last] = f->place[i];
  f->place[i] = -1;
}

static void look_again(Face* f, int i) {
  set_reflex(f, i, !(turn(f, f->prev[i], i, f->next[i]) > 0));
}

static void put(int32_t* out, int a, int b, int c) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
}

static void cut_ears(Face* f, int count, int32_t* out) {
  for (int i = 0; i < count; ++i) f->ear[i] = is_ear(f, i);
  int at = 0, waited = 0;
  while (count > 3) {
    // after a whole round without an ear the face crosses itself: any cut will do
    if (!f->ear[at] && waited++ < count) {
      at = f->next[at];
      continue;
    }
    int a = f->prev[at], c = f->next[at];
    put(out, a, at, c);
    out += 3;
    f->next[a] = (int16_t)c;
    f->prev[c] = (int16_t)a;
    set_reflex(f, at, false);
    look_again(f, a);
    look_again(f, c);
    f->ear[a] = is_ear(f, a);
    f->ear[c] = is_ear(f, c);
    --count;
    waited = 0;
    // go round, so that a long strip is not cut into slivers from one corner
    at = c;
  }
  put(out, f->prev[at], at, f->next[at]);
}

void rv_triangulate(const float* points, const int32_t* corner, int count, int32_t* out) {
  if (count > 3 && count <= RV_TRIANGULATE_MAX) {
    Face f;
    int u, v;
    bool flip = choose_plane(points, corner, count, &u, &v), convex = true;
    f.nreflex = 0;
    for (int i = 0; i < count; ++i) {
      const float* p = points + 3 * (size_t)corner[i];
      f.x[i] = p[u];
      f.y[i] = flip ? -(double)p[v] : (double)p[v];
      f.prev[i] = (int16_t)(i ? i - 1 : count - 1);
      f.next[i] = (int16_t)(i + 1 < count ? i + 1 : 0);
      f.place[i] = -1;
    }
    for (int i = 0; i < count; ++i) {
      look_again(&f, i);
      convex = convex && !(turn(&f, f.prev[i], i, f.next[i]) < 0);
    }
    if (!convex) {
      cut_ears(&f, count, out);
      return;
    }
  }
  for (int i = 1; i + 1 < count; ++i, out += 3) put(out, 0, i, i + 1);
}
