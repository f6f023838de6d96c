// Contact angles that differ between strands: strands fall into a few classes, and each pair of classes has its own
// table of bridges (WH-13 with E44, spec 1.2.2).
//
// A table takes some milliseconds and a tenth of a megabyte a plane, so there are few classes: one for each distinct
// angle in whole degrees, or RV_ANGLE_CLASSES evenly spaced from the smallest to the largest. In a pair of unequal
// radii and angles the strand of the smaller angle counts as the thinner.
#include <math.h>

#include "base/memory.h"
#include "contact/store.h"
#include "math/scalar.h"

#define MOST_SOLID_ANGLE (0.999 * RV_PI)  // rad: at pi a bridge has no wetted width

// Begins a table anew where its angles changed.
static void set_angles(RvBridgeTable* t, double a, double b) {
  if (t->rupture > 0 && t->angle[0] == a && t->angle[1] == b) return;
  rv_contact_bridge_table_free(t);
  rv_contact_bridge_table_begin(t, a, b);
}

// Mean contact angle of a strand in whole degrees.
static double degrees_of(const RvContacts* c, size_t strand, const double* angle_at) {
  const RvContactStrand* s = &c->strands[strand];
  const RvStrandBatch* b = &c->model->batches[s->batch];
  double sum = 0;
  for (int i = 0; i < b->vertices; ++i) sum += angle_at[b->vertex_at + (size_t)i * RV_LANES + (size_t)s->lane];
  return rint(sum / b->vertices * (180 / RV_PI));
}

// Number of distinct angles, at most RV_ANGLE_CLASSES + 1; the first RV_ANGLE_CLASSES of them in `out`.
static int distinct(const double* degrees, size_t count, double* out) {
  int n = 0;
  for (size_t k = 0; k < count && n <= RV_ANGLE_CLASSES; ++k) {
    int at = 0;
    while (at < n && out[at] != degrees[k]) ++at;
    if (at == n && n++ < RV_ANGLE_CLASSES) out[at] = degrees[k];
  }
  return n;
}

// Insertion sort of a few numbers.
static void sort(double* x, int n) {
  for (int i = 1; i < n; ++i)
    for (int k = i; k > 0 && x[k] < x[k - 1]; --k) {
      double y = x[k];
      x[k] = x[k - 1];
      x[k - 1] = y;
    }
}

// Makes the classes and assigns each strand to the nearest one.
static void classify(RvContacts* c, const double* degrees) {
  // Distinct angles, or evenly spaced ones where there are too many.
  double of[RV_ANGLE_CLASSES + 1];
  int n = distinct(degrees, c->nstrand, of);
  if (n > RV_ANGLE_CLASSES) {
    double lo = degrees[0], hi = degrees[0];
    for (size_t k = 0; k < c->nstrand; ++k) {
      lo = rv_min(lo, degrees[k]);
      hi = rv_max(hi, degrees[k]);
    }
    n = RV_ANGLE_CLASSES;
    for (int i = 0; i < n; ++i) of[i] = lo + (hi - lo) * i / (n - 1);
  }
  // Nearest class of each strand.
  sort(of, n);
  for (size_t k = 0; k < c->nstrand; ++k) {
    int best = 0;
    for (int i = 1; i < n; ++i)
      if (fabs(of[i] - degrees[k]) < fabs(of[best] - degrees[k])) best = i;
    c->angle_of[k] = (uint8_t)best;
  }
  c->nangle = n;
  for (int i = 0; i < n; ++i) c->angles[i] = of[i] * (RV_PI / 180);
}

// Makes the classes if the array of angles is a new one; false: no memory.
static bool make_classes(RvContacts* c, const RvContactWet* wet) {
  if (!wet->angle_at) {
    rv_free(c->angle_of);
    c->angle_of = NULL;
    c->angles_from = NULL;
    c->nangle = 1;
    c->angles[0] = wet->angle;
    return true;
  }
  if (wet->angle_at == c->angles_from) return true;
  double* degrees = rv_alloc(c->nstrand, sizeof *degrees);
  if (!c->angle_of) c->angle_of = rv_alloc_zero(c->nstrand, 1);
  bool room = degrees && c->angle_of;
  for (size_t k = 0; room && k < c->nstrand; ++k) degrees[k] = degrees_of(c, k, wet->angle_at);
  if (room) {
    classify(c, degrees);
    c->angles_from = wet->angle_at;
  }
  rv_free(degrees);
  return room;
}

bool rv_contact_angles_begin(RvContacts* c, const RvContactDef* def) {
  if (!make_classes(c, def->liquid)) return false;
  size_t solids = (size_t)c->nangle * def->ncollider, had = c->solid_tables.count;
  if (solids > had) {
    if (!rv_array_resize(&c->solid_tables, solids)) return false;
    for (size_t k = had; k < solids; ++k) c->solid_tables.data[k] = (RvBridgeTable){0};
  }
  for (int i = 0; i < c->nangle; ++i) {
    for (int j = 0; j <= i; ++j) {
      set_angles(&c->tables[i * (i + 1) / 2 + j], c->angles[j], c->angles[i]);
      if (!rv_contact_bridge_table_make(&c->tables[i * (i + 1) / 2 + j], c->least_radius / c->largest_radius, 1))
        return false;
    }
    for (size_t k = 0; k < def->ncollider; ++k)
      set_angles(&c->solid_tables.data[k * (size_t)c->nangle + (size_t)i], c->angles[i],
                 rv_clamp(def->colliders[k].angle, 0, MOST_SOLID_ANGLE));
  }
  return true;
}
