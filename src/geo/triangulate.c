// Triangulation by ear cutting (Meisters 1975). After each cut only the two neighbouring corners are tested again, and
// only reflex corners are tested for lying inside an ear.
#include "geo/triangulate.h"

#include <math.h>

// A face in its plane, as a doubly linked ring of the corners that are left.
typedef struct Face {
  double x[RV_TRIANGULATE_MAX], y[RV_TRIANGULATE_MAX];  // corners in the plane, counterclockwise
  int16_t prev[RV_TRIANGULATE_MAX], next[RV_TRIANGULATE_MAX];
  int16_t reflex[RV_TRIANGULATE_MAX];  // the remaining corners that are not strictly convex, in no order
  int16_t place[RV_TRIANGULATE_MAX];   // position of each corner in `reflex`, -1 if it is convex
  bool ear[RV_TRIANGULATE_MAX];        // the corner can be cut off
  int nreflex;                         // corners in `reflex`
} Face;

// Chooses the coordinate plane across the largest component of the face's normal (Newell's sum): axes *u and *v. True
// if the projected area is negative, that is, the face is clockwise in it.
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

// Twice the signed area of triangle a b c, positive if it is counterclockwise.
static double signed_area(const Face* f, int a, int b, int c) {
  return (f->x[b] - f->x[a]) * (f->y[c] - f->y[a]) - (f->y[b] - f->y[a]) * (f->x[c] - f->x[a]);
}

// True if two corners coincide in the plane.
static bool coincide(const Face* f, int a, int b) {
  return f->x[a] == f->x[b] && f->y[a] == f->y[b];
}

// True if corner b can be cut off: it is strictly convex, and no other corner lies in its triangle or on the rim.
// Corners that coincide with a corner of the triangle (double edges) do not count.
static bool is_ear(const Face* f, int b) {
  int a = f->prev[b], c = f->next[b];
  if (!(signed_area(f, a, b, c) > 0)) return false;
  // Bounding box of the triangle, for a quick rejection.
  double left = fmin(f->x[a], fmin(f->x[b], f->x[c])), right = fmax(f->x[a], fmax(f->x[b], f->x[c]));
  double low = fmin(f->y[a], fmin(f->y[b], f->y[c])), high = fmax(f->y[a], fmax(f->y[b], f->y[c]));
  for (int i = 0; i < f->nreflex; ++i) {
    int p = f->reflex[i];
    if (f->x[p] < left || f->x[p] > right || f->y[p] < low || f->y[p] > high) continue;
    if (coincide(f, p, a) || coincide(f, p, b) || coincide(f, p, c)) continue;
    if (signed_area(f, a, b, p) >= 0 && signed_area(f, b, c, p) >= 0 && signed_area(f, c, a, p) >= 0) return false;
  }
  return true;
}

// Adds a corner to the list of reflex corners or removes it, if its state changes.
static void set_reflex(Face* f, int i, bool reflex) {
  if (reflex == (f->place[i] >= 0)) return;
  if (reflex) {
    f->place[i] = (int16_t)f->nreflex;
    f->reflex[f->nreflex++] = (int16_t)i;
    return;
  }
  // Removal: the last entry takes the place of the removed one.
  int last = f->reflex[--f->nreflex];
  f->reflex[f->place[i]] = (int16_t)last;
  f->place[last] = f->place[i];
  f->place[i] = -1;
}

// Classifies a corner anew as convex or reflex.
static void update_reflex(Face* f, int i) {
  set_reflex(f, i, !(signed_area(f, f->prev[i], i, f->next[i]) > 0));
}

// Writes one triangle.
static void put_triangle(int32_t* out, int a, int b, int c) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
}

// Cuts ears off until a triangle is left.
static void cut_ears(Face* f, int count, int32_t* out) {
  for (int i = 0; i < count; ++i) f->ear[i] = is_ear(f, i);
  int at = 0, skipped = 0;
  while (count > 3) {
    // If a whole round finds no ear, the face crosses itself; then the next corner is cut off whatever it is.
    if (!f->ear[at] && skipped++ < count) {
      at = f->next[at];
      continue;
    }
    // Cut the ear off and close the ring.
    int a = f->prev[at], c = f->next[at];
    put_triangle(out, a, at, c);
    out += 3;
    f->next[a] = (int16_t)c;
    f->prev[c] = (int16_t)a;
    // Only the two neighbours can have changed.
    set_reflex(f, at, false);
    update_reflex(f, a);
    update_reflex(f, c);
    f->ear[a] = is_ear(f, a);
    f->ear[c] = is_ear(f, c);
    --count;
    skipped = 0;
    // Continue with the next corner, so that a long strip is not cut into slivers from one corner.
    at = c;
  }
  // The last triangle.
  put_triangle(out, f->prev[at], at, f->next[at]);
}

void rv_triangulate(const float* points, const int32_t* corner, int count, int32_t* out) {
  // Concave faces: project to a plane, then cut ears.
  if (count > 3 && count <= RV_TRIANGULATE_MAX) {
    Face f;
    int u, v;
    bool clockwise = choose_plane(points, corner, count, &u, &v);
    bool convex = true;
    f.nreflex = 0;
    for (int i = 0; i < count; ++i) {
      const float* p = points + 3 * (size_t)corner[i];
      f.x[i] = p[u];
      f.y[i] = clockwise ? -(double)p[v] : (double)p[v];
      f.prev[i] = (int16_t)(i ? i - 1 : count - 1);
      f.next[i] = (int16_t)(i + 1 < count ? i + 1 : 0);
      f.place[i] = -1;
    }
    for (int i = 0; i < count; ++i) {
      update_reflex(&f, i);
      convex = convex && !(signed_area(&f, f.prev[i], i, f.next[i]) < 0);
    }
    if (!convex) {
      cut_ears(&f, count, out);
      return;
    }
  }
  // Triangles, convex faces and very large ones: a fan from corner 0.
  for (int i = 1; i + 1 < count; ++i, out += 3) put_triangle(out, 0, i, i + 1);
}
