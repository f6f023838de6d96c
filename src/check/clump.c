// Check clump_packing: hairs that bridges draw together lie side by side and do not overlap (WH-10, WH-14, WH-16).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum {
  HAIRS = 60,
  ROW = 8,      // hairs of a row of the patch
  POINTS = 16,  // vertices of a hair
  STEPS = 120,
  FROM = 60,     // first step that is measured
  SECTIONS = 3,  // planes across the hair that are measured
  GROUP = 10     // hairs of the smallest bundle that counts
};
static const double LENGTH = 0.03;     // of a hair, m
static const double RADIUS = 40e-6;    // m
static const double GAP = 3e-4;        // between roots, m
static const double FILM = 1e-4;       // height, m, kept constant
static const double STEP = 4e-3;       // s
static const double CLOSEST = 0.9069;  // pi / sqrt 12: share of the plane that equal discs can cover
static const double PI = 3.14159265358979;

// A hexagonal patch of hanging hair, displaced at random by a tenth of the spacing and inclined by up to 0.01.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double i = (double)(strand % ROW);
  double s = LENGTH * vertex / (POINTS - 1);
  double c[4];
  size_t j = strand / ROW;
  for (uint64_t k = 0; k < 4; ++k) c[k] = rv_random(5, strand, k, 0) - 0.5;
  return rv_vec3(GAP * (i + 0.5 * (double)(j % 2) + 0.2 * c[0]) + 0.02 * c[2] * s, -s,
                 GAP * (0.866 * (double)j + 0.2 * c[1]) + 0.02 * c[3] * s);
}

// Moves the roots along x by 5 mm, four times a second.
static void shake(RvWetRig* rig, double time) {
  for (size_t k = 0; k < rig->hair.model->nbatch; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(&rig->hair.model->batches[k], lane, i, 0);
        rig->hair.target[at] = rig->start[at] + 5e-3 * sin(8 * PI * time);
      }
}

typedef struct Point {
  double x, y;
} Point;

// Intersections of the strands with the plane across their mean direction at a vertex, through their mean position.
// Strands that do not cross it are left out. Returns their number.
static int cut(const RvWetRig* rig, int vertex, Point* out) {
  const RvContactRig* h = &rig->hair;
  // The plane, and two axes in it.
  RvVec3 mean = {0, 0, 0}, along = {0, 0, 0};
  for (size_t k = 0; k < HAIRS; ++k) {
    RvVec3 a = rv_rig_contact_get(h, h->state->q, k, vertex), b = rv_rig_contact_get(h, h->state->q, k, vertex + 1);
    mean = rv_mad(mean, 1.0 / HAIRS, a);
    along = rv_add(along, rv_sub(b, a));
  }
  along = rv_normalize(along, rv_vec3(0, -1, 0));
  RvVec3 u = rv_normalize(rv_cross(along, rv_vec3(0, 0, 1)), rv_vec3(1, 0, 0)), v = rv_cross(along, u);
  // The first edge of each strand that crosses the plane.
  int n = 0;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i + 1 < POINTS; ++i) {
      RvVec3 a = rv_sub(rv_rig_contact_get(h, h->state->q, k, i), mean),
             b = rv_sub(rv_rig_contact_get(h, h->state->q, k, i + 1), mean);
      double from = rv_dot(a, along), to = rv_dot(b, along);
      if (from > 0 || to <= 0) continue;
      RvVec3 p = rv_lerp(a, b, from / (from - to));
      out[n++] = (Point){rv_dot(p, u), rv_dot(p, v)};
      break;
    }
  return n;
}

// Distance below which two hairs of a section are neighbours: two diameters, m.
#define NEAR (4 * RADIUS)

static double distance_between(Point a, Point b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

// Bundle of the first point: all that are connected by distances of at most two diameters. They are moved to the front
// of `all`; returns their number.
static int group_of(Point* all, int n) {
  int count = 1;
  for (int i = 0; i < count; ++i)
    for (int j = count; j < n; ++j)
      if (distance_between(all[i], all[j]) < NEAR) {
        Point p = all[j];
        all[j] = all[count];
        all[count++] = p;
      }
  return count;
}

// Twice the signed area of a triangle.
static double orientation(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Order by x, then y, for the hull.
static int by_x(const void* pa, const void* pb) {
  const Point* a = pa;
  const Point* b = pb;
  return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

// Area within a band around the hairs: their convex hull (monotone chain) widened by a radius.
static double area_of(Point* p, int n) {
  Point hull[2 * HAIRS];
  double area = 0, perimeter = 0;
  int m = 0;
  qsort(p, (size_t)n, sizeof *p, by_x);
  for (int side = 0; side < 2; ++side) {
    int first = m + 1;
    for (int i = 0; i < n; ++i) {
      Point next = p[side ? n - 1 - i : i];
      while (m > first && orientation(hull[m - 2], hull[m - 1], next) <= 0) --m;
      hull[m++] = next;
    }
    // The last point of a side is the first of the other.
    --m;
  }
  for (int i = 0; i < m; ++i) {
    Point a = hull[i], b = hull[(i + 1) % m];
    area += 0.5 * (a.x * b.y - a.y * b.x);
    perimeter += distance_between(a, b);
  }
  return area + perimeter * RADIUS + PI * RADIUS * RADIUS;
}

// Figures of the sections.
typedef struct Packing {
  double covered;  // largest share of a bundle's area that its hairs cover
  double crowd;    // largest number of hairs within two diameters of one, over those that have room there
  double grouped;  // sum over samples of the share of hairs in bundles of GROUP or more
  int samples;
} Packing;

// Adds the section at a vertex to the figures.
static void measure_section(const RvWetRig* rig, int vertex, Packing* s) {
  Point all[HAIRS];
  int n = cut(rig, vertex, all);
  for (int i = 0; i < n; ++i) {
    int near = 0;
    for (int j = 0; j < n; ++j) near += distance_between(all[i], all[j]) < NEAR;
    // Neighbours lie within a disc of five radii, which has room for 25 CLOSEST discs.
    s->crowd = fmax(s->crowd, near / (CLOSEST * 25));
  }
  for (int first = 0, count; first < n; first += count) {
    count = group_of(all + first, n - first);
    if (count < GROUP) continue;
    s->covered = fmax(s->covered, count * PI * RADIUS * RADIUS / area_of(all + first, count));
    s->grouped += (double)count / HAIRS;
  }
  s->samples++;
}

// Wet hairs whose roots are shaken; sections at half, two thirds and five sixths of the length are measured every tenth
// step of the second half.
RvResult rv_check_clump_packing(const RvCheckOut* out, RvError* error) {
  RvWetRig rig;
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, NULL);
  hair.youngs = 6e8;  // Pa: softer than hair, so that bundles form within the time
  // At most 4 Newton iterations to a rough tolerance, as in a shot; nothing is absorbed.
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = 4;
  def.tolerance = 1e-2;
  def.roots = shake;
  def.wet.film.absorption = 0;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  Packing packing = {0};
  size_t skipped = 0;
  for (int k = 0; k < STEPS && !result; ++k) {
    rv_rig_wet_film(&rig, FILM);
    result = rv_rig_wet_step(&rig, STEP, error);
    skipped += rig.contacts.stats.skipped;
    for (int i = 0; i < SECTIONS && k >= FROM && k % 10 == 0; ++i)
      measure_section(&rig, POINTS * (3 + i) / 6, &packing);
  }
  if (!result) {
    rv_check_emit(out, "grouped", packing.grouped / packing.samples, 1, 0.3);
    rv_check_emit(out, "covered", packing.covered, 0, CLOSEST);
    rv_check_emit(out, "crowd", packing.crowd, 0, 1);
    rv_check_emit(out, "pairs_not_looked_at", (double)skipped, 0, 0);
  }
  rv_rig_wet_free(&rig);
  return result;
}
