// Check contact_derivatives: energy, gradient and Hessian of contact by differences, in a random bundle of strands that
// press and slide on each other and on a plane, dry and wet; and the contact law itself (WH-10 without liquid, spec
// E45, WH-12).
//
// The third derivative of the contact energy jumps at d_min and d0, so a central difference of the gradient with the
// step h is off by h / (d0 - d_min) where one of them lies within it: with h = 1e-7 r this is 1e-7 of the largest
// entry, and rounding adds 1e-9. The tolerance is 1e-6.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "contact/law.h"
#include "rig/contact.h"

enum { STRANDS = 11, VERTICES = 6, MAX_LIST = 3 * STRANDS * VERTICES, BATCHES = 2, MIN_LINKS = 60 };
#define RADIUS 1e-3           // m
#define DIFFERENCE_STEP 1e-7  // step of the differences of gradients, in radii

// Uniform random number in -1 to 1.
static double noise(uint64_t stream, uint64_t i) {
  return 2 * rv_random(11, stream, i, 0) - 1;
}

// Strands along x, 2.6 radii apart and displaced at random: most neighbours are within d0 of each other.
static RvVec3 bundle(void* user, size_t strand, int vertex) {
  (void)user;
  uint64_t k = 3 * (strand * VERTICES + (size_t)vertex);
  double y = RADIUS * (1.4 + 2.6 * (double)(strand / 4)), z = 2.6 * RADIUS * (double)(strand % 4);
  return rv_vec3(0.01 * vertex + 0.003 * noise(1, strand), y + 0.4 * RADIUS * noise(2, k),
                 z + 0.4 * RADIUS * noise(2, k + 1));
}

// A bundle in contact and the arrays of the differences.
typedef struct Pressed {
  RvContactRig rig;
  RvCollider plane;
  RvContactWet liquid;
  double* area;
  RvContactDef def;
  RvContactStats stats;
  size_t list[MAX_LIST], n;  // indices of all coordinates of used lanes
  // [unknowns]: positions; gradients at q and beside it; a Hessian column; a unit vector; a direction.
  double *q, *g, *plus, *minus, *h, *unit, *d;
  double* band[BATCHES];  // the Hessian's part within the strands
  double* memory;         // block of all these
} Pressed;

static void release(Pressed* p) {
  rv_free(p->memory);
  rv_free(p->area);
  rv_rig_contact_free(&p->rig);
}

// q = from with every vertex displaced at random by up to `by`.
static void displace(const Pressed* p, const double* from, uint64_t stream, double by) {
  size_t count = p->rig.model->unknowns;
  if (p->q != from) memcpy(p->q, from, count * sizeof(double));
  for (size_t k = 0; k < STRANDS; ++k)
    for (int i = 0; i < VERTICES; ++i) {
      uint64_t at = 3 * (k * VERTICES + (size_t)i);
      RvVec3 d = rv_vec3(noise(stream, at), noise(stream, at + 1), noise(stream, at + 2));
      rv_rig_contact_set(&p->rig, p->q, k, i, rv_mad(rv_rig_contact_get(&p->rig, p->q, k, i), by, d));
    }
}

// Films of 4 r^2, and a tension that makes the bridges' pull as strong as the contact pressure.
static bool wet(Pressed* p) {
  size_t n = p->rig.model->vertices;
  p->area = rv_alloc(n, sizeof(double));
  for (size_t k = 0; p->area && k < n; ++k) p->area[k] = 4 * RADIUS * RADIUS;
  p->liquid = (RvContactWet){.tension = 0.3, .angle = 1, .cohesion = 1, .area = p->area};
  p->def.liquid = &p->liquid;
  p->plane.angle = 0.8;
  return p->area != NULL;
}

// Builds the bundle and finds its contacts twice: first undisplaced, which leaves the anchors of friction, then
// displaced, so that pairs press and slide.
static RvResult press(Pressed* p, double friction, bool plane, bool liquid, RvError* error) {
  *p = (Pressed){.plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .midpoints = true}};
  RvContactRigDef hair = {
      .count = STRANDS,
      .vertices = VERTICES,
      .radius = RADIUS,
      .density = 1300,
      .youngs = 1e7,
      .place = bundle,
  };
  RvResult result = rv_rig_contact_new(&p->rig, &hair, error);
  if (result) return result;
  // Arrays of the differences.
  size_t count = p->rig.model->unknowns, band = rv_ldlt_size(4 * VERTICES, RV_ROD_BAND);
  p->memory = rv_alloc_zero(7 * count + BATCHES * band, sizeof(double));
  if (!p->memory || p->rig.model->nbatch > BATCHES) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double** arrays[] = {&p->q, &p->g, &p->plus, &p->minus, &p->h, &p->unit, &p->d};
  for (int i = 0; i < 7; ++i) *arrays[i] = p->memory + (size_t)i * count;
  for (int i = 0; i < BATCHES; ++i) p->band[i] = p->memory + 7 * count + (size_t)i * band;
  p->n = rv_rig_contact_list(&p->rig, p->list);
  // Contact with the wanted friction, plane and liquid.
  p->def = rv_contact_defaults();
  p->def.friction = p->plane.friction = friction;
  p->def.colliders = &p->plane;
  p->def.ncollider = plane;
  if (liquid && !wet(p)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Contacts with anchors.
  for (int pass = 0; pass < 2 && !result; ++pass) {
    displace(p, p->rig.state->q, 5 + (uint64_t)pass, pass * 0.3 * RADIUS);
    result = rv_contacts_find(p->rig.contacts, p->q, p->rig.velocity, 0.01, &p->def, &p->stats, error);
    if (!result && pass == 0) rv_contacts_accept(p->rig.contacts, p->q);
  }
  displace(p, p->q, 9, 0.1 * RADIUS);
  return result;
}

// Largest difference between the gradient and central differences of the energy, relative to the largest entry.
static double gradient_error(Pressed* p, const RvOperator* op) {
  double worst = 0, largest = 0, h = 1e-5 * RADIUS;
  memset(p->g, 0, p->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, p->q, p->g);
  for (size_t k = 0; k < p->n; ++k) {
    double* q = &p->q[p->list[k]];
    double start = *q, plus, minus;
    *q = start + h;
    plus = op->energy(op->user, p->q, NULL);
    *q = start - h;
    minus = op->energy(op->user, p->q, NULL);
    *q = start;
    worst = fmax(worst, fabs((plus - minus) / (2 * h) - p->g[p->list[k]]));
    largest = fmax(largest, fabs(p->g[p->list[k]]));
  }
  return worst / largest;
}

// Sum of the forces of all links, relative to the sum of their sizes: 0, as a link pushes both strands equally.
static double sum_of_forces(Pressed* p, const RvOperator* op) {
  double sum[3] = {0}, size = 0;
  memset(p->g, 0, p->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, p->q, p->g);
  for (size_t k = 0; k < p->n; ++k) {
    sum[k % 3] += p->g[p->list[k]];
    size += fabs(p->g[p->list[k]]);
  }
  return fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / size;
}

// The Hessian at q: the operator's own data, and its blocks within strands in bands.
static void prepare(Pressed* p, const RvOperator* op) {
  op->prepare(op->user, p->q, NULL);
  for (size_t b = 0; b < p->rig.model->nbatch; ++b) {
    memset(p->band[b], 0, rv_ldlt_size(4 * VERTICES, RV_ROD_BAND) * sizeof(double));
    op->diagonal(op->user, b, p->band[b]);
  }
}

// One column of the Hessian: the operator's part between strands, plus the band of the strand.
static void column(const Pressed* p, const RvOperator* op, size_t at, double* out) {
  const RvStrandModel* m = p->rig.model;
  memset(out, 0, m->unknowns * sizeof(double));
  memset(p->unit, 0, m->unknowns * sizeof(double));
  p->unit[at] = 1;
  rv_operator_apply(op, m->nbatch, p->unit, out);
  for (size_t b = 0; b < m->nbatch; ++b) {
    const RvStrandBatch* batch = &m->batches[b];
    if (at < batch->at || at >= batch->at + (size_t)(4 * batch->vertices) * RV_LANES) continue;
    size_t lane = (at - batch->at) % RV_LANES, j = (at - batch->at) / RV_LANES;
    for (size_t i = 0; i < 4 * (size_t)batch->vertices - 1; ++i) {
      size_t lo = i < j ? i : j, apart = i < j ? j - i : i - j;
      if (apart <= RV_ROD_BAND)
        out[batch->at + i * RV_LANES + lane] += p->band[b][(lo * (RV_ROD_BAND + 1) + apart) * RV_LANES + lane];
    }
  }
}

// Gradient at q.
static void gradient_at(const Pressed* p, const RvOperator* op, double* g) {
  memset(g, 0, p->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, p->q, g);
}

// Largest difference between the Hessian and central differences of the gradient, relative to the largest entry.
// `least` is the least diagonal entry of the Hessian, in the same unit.
static double hessian_error(Pressed* p, const RvOperator* op, double* least) {
  double worst = 0, largest = 0, step = DIFFERENCE_STEP * RADIUS;
  *least = INFINITY;
  prepare(p, op);
  for (size_t k = 0; k < p->n; ++k) {
    double* q = &p->q[p->list[k]];
    double start = *q;
    column(p, op, p->list[k], p->h);
    *least = fmin(*least, p->h[p->list[k]]);
    *q = start + step;
    gradient_at(p, op, p->plus);
    *q = start - step;
    gradient_at(p, op, p->minus);
    *q = start;
    for (size_t i = 0; i < p->n; ++i) {
      size_t at = p->list[i];
      worst = fmax(worst, fabs((p->plus[at] - p->minus[at]) / (2 * step) - p->h[at]));
      largest = fmax(largest, fabs(p->h[at]));
    }
  }
  *least /= largest;
  return worst / largest;
}

// The gradient's slope against the Hessian along random directions d, as the ratio of d^T slope to d^T H d less 1. With
// friction the Hessian is the secant, an upper bound: `above` is the excess of the slope (0 expected), `below` how much
// it falls short where something slides.
static void friction_bound(Pressed* p, const RvOperator* op, double* above, double* below) {
  const double step = DIFFERENCE_STEP * RADIUS;
  *above = *below = 0;
  prepare(p, op);
  // Eight random directions.
  for (uint64_t trial = 0; trial < 8; ++trial) {
    double bound = 0, slope = 0;
    memset(p->d, 0, p->rig.model->unknowns * sizeof(double));
    // d and d^T H d.
    for (size_t k = 0; k < p->n; ++k) p->d[p->list[k]] = noise(50 + trial, k);
    for (size_t k = 0; k < p->n; ++k) {
      column(p, op, p->list[k], p->h);
      for (size_t i = 0; i < p->n; ++i) bound += p->d[p->list[i]] * p->h[p->list[i]] * p->d[p->list[k]];
    }
    // Gradients at q + step d and q - step d.
    for (int side = 0; side < 2; ++side) {
      for (size_t k = 0; k < p->n; ++k) p->q[p->list[k]] += (side ? -2 : 1) * step * p->d[p->list[k]];
      gradient_at(p, op, side ? p->minus : p->plus);
    }
    for (size_t k = 0; k < p->n; ++k) {
      size_t at = p->list[k];
      // Back to q.
      p->q[at] += step * p->d[at];
      slope += p->d[at] * (p->plus[at] - p->minus[at]) / (2 * step);
    }
    *above = fmax(*above, slope / bound - 1);
    *below = fmax(*below, 1 - slope / bound);
  }
}

// The dry law: jumps of value and slope at d_min = 2 r and d0 = 3 r; the line below d_min; the work of the force
// against the energy by the midpoint rule, whose error is k (reach / steps)^2 / 24.
static void check_law(const RvCheckOut* out) {
  const double r = 50e-6;
  const double reach = 3 * r;
  const double width = r;
  const double k = 1e4;
  const double e = 1e-9 * r;
  const int steps = 3000;
  double jump = 0, energy_jump = 0, work = 0, least_slope = INFINITY;
  for (int i = 2; i <= 3; ++i) {
    RvContactForce a = rv_contact_force(i * r - e, reach, width, k), b = rv_contact_force(i * r + e, reach, width, k);
    jump = fmax(jump, fmax(fabs(a.force - b.force) / (k * r), fabs(a.slope - b.slope) / k));
    energy_jump = fmax(energy_jump, fabs(a.energy - b.energy) / (k * r * r));
  }
  // The slope itself changes by 6 e / r across the knot.
  rv_check_emit(out, "law_jumps", jump, 0, 1e-7);
  rv_check_emit(out, "law_energy_jumps", energy_jump, 0, 1e-8);
  rv_check_emit(out, "law_at_d0", rv_contact_force(reach, reach, width, k).force / (k * r), 0, 0);
  rv_check_emit(out, "law_line", rv_contact_force(r, reach, width, k).force / (k * r), -2, 1e-12);
  rv_check_emit(out, "law_line_end", rv_contact_force(2 * r, reach, width, k).force / (k * r), -1, 1e-12);
  for (int i = 0; i < steps; ++i) {
    RvContactForce f = rv_contact_force(reach * (i + 0.5) / steps, reach, width, k);
    work -= f.force * reach / steps;
    least_slope = fmin(least_slope, f.slope / k);
  }
  rv_check_emit(out, "law_softens", fmax(-least_slope, 0), 0, 0);
  rv_check_emit(out, "law_work", work / rv_contact_force(0, reach, width, k).energy, 1, 1e-6);
}

// Friction: continuous with its slope at the slip from which it is fully mobilised, and its limit beyond.
static void check_friction(const RvCheckOut* out) {
  RvFrictionForce in = rv_contact_friction_force(1 - 1e-9, 1, 2);
  RvFrictionForce beyond = rv_contact_friction_force(1 + 1e-9, 1, 2);
  double jump = fmax(fabs(in.secant - beyond.secant), fmax(fabs(in.slope - beyond.slope), fabs(in.energy - beyond.energy)));
  // Force, slope and energy change by at most 4e-9 between the two slips.
  rv_check_emit(out, "friction_jumps", jump, 0, 1e-8);
  rv_check_emit(out, "friction_full", rv_contact_friction_force(5, 1, 2).secant * 5, 2, 1e-12);
}

// Five bundles: 0 with friction on a plane, 1 frictionless, 2 with friction and no plane, 3 and 4 wet.
RvResult rv_check_contact_derivatives(const RvCheckOut* out, RvError* error) {
  Pressed p = {0};
  RvResult result = RV_OK;
  for (int pass = 0; pass < 5 && !result; ++pass) {
    result = press(&p, pass == 1 || pass == 3 ? 0 : 0.4, pass != 2 && pass != 4, pass > 2, error);
    const RvOperator* op = result ? NULL : rv_contacts_operator(p.rig.contacts);
    if (!result && pass == 0) {
      double above, below;
      // 11 strands of 5 edges in four columns: each has more than one neighbour.
      rv_check_emit(out, "links_missing", fmax(MIN_LINKS - (double)p.stats.links, 0), 0, 0);
      // Every strand of the lowest row touches the plane with its vertices and edge midpoints.
      rv_check_emit(out, "touches_missing", fmax(20 - (double)p.stats.touches, 0), 0, 0);
      rv_check_emit(out, "gradient", gradient_error(&p, op), 0, 1e-6);
      friction_bound(&p, op, &above, &below);
      rv_check_emit(out, "friction_above_its_bound", fmax(above, 0), 0, 1e-6);
      // Something slides, or the bound was not tested.
      rv_check_emit(out, "friction_slides", below > 1e-3, 1, 0);
    }
    if (!result && pass == 1) {
      double least;
      rv_check_emit(out, "hessian", hessian_error(&p, op, &least), 0, 1e-6);
      rv_check_emit(out, "hessian_below_0_along_axes", fmax(-least, 0), 0, 0);
    }
    if (!result && pass == 3) {
      double above, below;
      rv_check_emit(out, "bridges_missing", fmax(MIN_LINKS - (double)p.stats.bridges, 0), 0, 0);
      rv_check_emit(out, "wet_gradient", gradient_error(&p, op), 0, 1e-6);
      friction_bound(&p, op, &above, &below);
      rv_check_emit(out, "wet_hessian_above_its_bound", fmax(above, 0), 0, 1e-6);
    }
    if (!result && pass == 4) rv_check_emit(out, "wet_sum_of_forces", sum_of_forces(&p, op), 0, 1e-12);
    // Rounding of a sum of some 200 forces.
    if (!result && pass == 2) rv_check_emit(out, "sum_of_forces", sum_of_forces(&p, op), 0, 1e-12);
    release(&p);
  }
  if (!result) check_law(out);
  if (!result) check_friction(out);
  return result;
}
