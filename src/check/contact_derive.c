// Check contact_derivatives: the energy of dry contact, its gradient and its Hessian, in a rough bundle where strands
// press, slide and lie on a plane; and the law itself (WH-10 without liquid, spec E45, WH-12).
//
// The third derivative of the pressure's energy jumps at d_min and d0, so a central difference of the gradient with the
// step h is off by h / (d0 - d_min) where one of them lies within it: with h = 1e-7 r, 1e-7 of the largest entry, and
// rounding adds 1e-9. 1e-6 is asked.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "contact/law.h"
#include "rig/contact.h"

enum { STRANDS = 11, VERTICES = 6, MAX_LIST = 3 * STRANDS * VERTICES, BATCHES = 2 };
#define RADIUS 1e-3

static double noise(uint64_t stream, uint64_t i) {
  return 2 * rv_random(11, stream, i, 0) - 1;
}

// along x, 2.6 radii apart: most neighbours are within d0 of each other
static RvVec3 bundle(void* user, size_t strand, int vertex) {
  (void)user;
  uint64_t k = 3 * (strand * VERTICES + (size_t)vertex);
  double y = RADIUS * (1.4 + 2.6 * (double)(strand / 4)), z = 2.6 * RADIUS * (double)(strand % 4);
  return rv_vec3(0.01 * vertex + 0.003 * noise(1, strand), y + 0.4 * RADIUS * noise(2, k),
                 z + 0.4 * RADIUS * noise(2, k + 1));
}

typedef struct Pressed {
  RvContactRig rig;
  RvCollider plane;
  RvContactWet liquid;
  double* area;
  RvContactDef def;
  RvContactStats stats;
  size_t list[MAX_LIST], n;
  double *q, *g, *plus, *minus, *h, *unit, *d;  // [unknowns]
  double *band[BATCHES], *memory;
} Pressed;

static void drop(Pressed* p) {
  rv_free(p->memory);
  rv_free(p->area);
  rv_rig_contact_free(&p->rig);
}

static void shake(const Pressed* p, const double* from, uint64_t stream, double by) {
  size_t count = p->rig.model->unknowns;
  if (p->q != from) memcpy(p->q, from, count * sizeof(double));
  for (size_t k = 0; k < STRANDS; ++k)
    for (int i = 0; i < VERTICES; ++i) {
      uint64_t at = 3 * (k * VERTICES + (size_t)i);
      RvVec3 d = rv_vec3(noise(stream, at), noise(stream, at + 1), noise(stream, at + 2));
      rv_rig_contact_set(&p->rig, p->q, k, i, rv_mad(rv_rig_contact_get(&p->rig, p->q, k, i), by, d));
    }
}

// films of 4 r^2, and a tension that makes their pull as strong as the pressure
static bool wet(Pressed* p) {
  size_t n = p->rig.model->vertices;
  p->area = rv_alloc(n, sizeof(double));
  for (size_t k = 0; p->area && k < n; ++k) p->area[k] = 4 * RADIUS * RADIUS;
  p->liquid = (RvContactWet){.tension = 0.3, .angle = 1, .cohesion = 1, .area = p->area};
  p->def.liquid = &p->liquid;
  p->plane.angle = 0.8;
  return p->area != NULL;
}

// a step without pressure that leaves anchors, then pressure and slip
static RvResult press(Pressed* p, double friction, bool plane, bool liquid, RvError* error) {
  *p = (Pressed){.plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .midpoints = true}};
  RvContactRigDef hair = {STRANDS, VERTICES, RADIUS, 1300, 1e7, 0, {0, 0, 0}, bundle, NULL, NULL};
  RvResult result = rv_rig_contact_new(&p->rig, &hair, error);
  if (result) return result;
  size_t count = p->rig.model->unknowns, band = rv_ldlt_size(4 * VERTICES, RV_ROD_BAND);
  p->memory = rv_alloc_zero(7 * count + BATCHES * band, sizeof(double));
  if (!p->memory || p->rig.model->nbatch > BATCHES) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double** arrays[] = {&p->q, &p->g, &p->plus, &p->minus, &p->h, &p->unit, &p->d};
  for (int i = 0; i < 7; ++i) *arrays[i] = p->memory + (size_t)i * count;
  for (int i = 0; i < BATCHES; ++i) p->band[i] = p->memory + 7 * count + (size_t)i * band;
  p->n = rv_rig_contact_list(&p->rig, p->list);
  p->def = rv_contact_defaults();
  p->def.friction = p->plane.friction = friction;
  p->def.colliders = &p->plane;
  p->def.ncollider = plane;
  if (liquid && !wet(p)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int pass = 0; pass < 2 && !result; ++pass) {
    shake(p, p->rig.state->q, 5 + (uint64_t)pass, pass * 0.3 * RADIUS);
    result = rv_contacts_find(p->rig.contacts, p->q, p->rig.velocity, 0.01, &p->def, &p->stats, error);
    if (!result && pass == 0) rv_contacts_accept(p->rig.contacts, p->q);
  }
  shake(p, p->q, 9, 0.1 * RADIUS);
  return result;
}

static double gradient_error(Pressed* p, const RvOperator* op) {
  double worst = 0, largest = 0, h = 1e-5 * RADIUS;
  memset(p->g, 0, p->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, p->q, p->g);
  for (size_t k = 0; k < p->n; ++k) {
    double* q = &p->q[p->list[k]];
    double keep = *q, plus, minus;
    *q = keep + h;
    plus = op->energy(op->user, p->q, NULL);
    *q = keep - h;
    minus = op->energy(op->user, p->q, NULL);
    *q = keep;
    worst = fmax(worst, fabs((plus - minus) / (2 * h) - p->g[p->list[k]]));
    largest = fmax(largest, fabs(p->g[p->list[k]]));
  }
  return worst / largest;
}

// links push both strands alike
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

static void prepare(Pressed* p, const RvOperator* op) {
  op->prepare(op->user, p->q, NULL);
  for (size_t b = 0; b < p->rig.model->nbatch; ++b) {
    memset(p->band[b], 0, rv_ldlt_size(4 * VERTICES, RV_ROD_BAND) * sizeof(double));
    op->diagonal(op->user, b, p->band[b]);
  }
}

// a column of the Hessian: what the band holds of it, and what joins strands
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

static void gradient_at(const Pressed* p, const RvOperator* op, double* g) {
  memset(g, 0, p->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, p->q, g);
}

// the Hessian against the slope of the gradient; `least` is its least diagonal entry against the largest of all
static double hessian_error(Pressed* p, const RvOperator* op, double* least) {
  double worst = 0, largest = 0, step = 1e-7 * RADIUS;
  *least = INFINITY;
  prepare(p, op);
  for (size_t k = 0; k < p->n; ++k) {
    double *q = &p->q[p->list[k]], keep = *q;
    column(p, op, p->list[k], p->h);
    *least = fmin(*least, p->h[p->list[k]]);
    *q = keep + step;
    gradient_at(p, op, p->plus);
    *q = keep - step;
    gradient_at(p, op, p->minus);
    *q = keep;
    for (size_t i = 0; i < p->n; ++i) {
      size_t at = p->list[i];
      worst = fmax(worst, fabs((p->plus[at] - p->minus[at]) / (2 * step) - p->h[at]));
      largest = fmax(largest, fabs(p->h[at]));
    }
  }
  *least /= largest;
  return worst / largest;
}

// How far the slope of the gradient is above the Hessian along random directions: with friction the Hessian is the
// secant, an upper bound, and more than the slope where something slides.
static void friction_bound(Pressed* p, const RvOperator* op, double* above, double* below) {
  const double step = 1e-7 * RADIUS;
  *above = *below = 0;
  prepare(p, op);
  for (uint64_t trial = 0; trial < 8; ++trial) {
    double bound = 0, slope = 0;
    memset(p->d, 0, p->rig.model->unknowns * sizeof(double));
    for (size_t k = 0; k < p->n; ++k) p->d[p->list[k]] = noise(50 + trial, k);
    for (size_t k = 0; k < p->n; ++k) {
      column(p, op, p->list[k], p->h);
      for (size_t i = 0; i < p->n; ++i) bound += p->d[p->list[i]] * p->h[p->list[i]] * p->d[p->list[k]];
    }
    for (int side = 0; side < 2; ++side) {
      for (size_t k = 0; k < p->n; ++k) p->q[p->list[k]] += (side ? -2 : 1) * step * p->d[p->list[k]];
      gradient_at(p, op, side ? p->minus : p->plus);
    }
    for (size_t k = 0; k < p->n; ++k) {
      size_t at = p->list[k];
      p->q[at] += step * p->d[at];
      slope += p->d[at] * (p->plus[at] - p->minus[at]) / (2 * step);
    }
    *above = fmax(*above, slope / bound - 1);
    *below = fmax(*below, 1 - slope / bound);
  }
}

// jumps of value and slope at d_min = 2 r and d0 = 3 r; the line below d_min; and the work of the force against the
// energy over the whole way, by the midpoint rule, whose error is k (reach / steps)^2 / 24
static void check_law(const RvCheckOut* out) {
  const double r = 50e-6, reach = 3 * r, width = r, k = 1e4, e = 1e-9 * r;
  const int steps = 3000;
  double jump = 0, energy_jump = 0, work = 0, softest = INFINITY;
  for (int i = 2; i <= 3; ++i) {
    RvContactForce a = rv_contact_force(i * r - e, reach, width, k), b = rv_contact_force(i * r + e, reach, width, k);
    jump = fmax(jump, fmax(fabs(a.force - b.force) / (k * r), fabs(a.slope - b.slope) / k));
    energy_jump = fmax(energy_jump, fabs(a.energy - b.energy) / (k * r * r));
  }
  // the slope itself changes by 6 e / r there
  rv_check_emit(out, "law_jumps", jump, 0, 1e-7);
  rv_check_emit(out, "law_energy_jumps", energy_jump, 0, 1e-8);
  rv_check_emit(out, "law_at_d0", rv_contact_force(reach, reach, width, k).force / (k * r), 0, 0);
  rv_check_emit(out, "law_line", rv_contact_force(r, reach, width, k).force / (k * r), -2, 1e-12);
  rv_check_emit(out, "law_line_end", rv_contact_force(2 * r, reach, width, k).force / (k * r), -1, 1e-12);
  for (int i = 0; i < steps; ++i) {
    RvContactForce f = rv_contact_force(reach * (i + 0.5) / steps, reach, width, k);
    work -= f.force * reach / steps;
    softest = fmin(softest, f.slope / k);
  }
  rv_check_emit(out, "law_softens", fmax(-softest, 0), 0, 0);
  rv_check_emit(out, "law_work", work / rv_contact_force(0, reach, width, k).energy, 1, 1e-6);
}

// friction: no jump at the slip from which it is full, and its limit from there on
static void check_friction(const RvCheckOut* out) {
  RvFrictionForce in = rv_contact_friction_force(1 - 1e-9, 1, 2), beyond = rv_contact_friction_force(1 + 1e-9, 1, 2);
  double jump = fmax(fabs(in.pull - beyond.pull), fmax(fabs(in.slope - beyond.slope), fabs(in.energy - beyond.energy)));
  // value, slope and energy change by at most 4e-9 over the two steps
  rv_check_emit(out, "friction_jumps", jump, 0, 1e-8);
  rv_check_emit(out, "friction_full", rv_contact_friction_force(5, 1, 2).pull * 5, 2, 1e-12);
}

RvResult rv_check_contact_derivatives(const RvCheckOut* out, RvError* error) {
  Pressed p = {0};
  RvResult result = RV_OK;
  for (int pass = 0; pass < 5 && !result; ++pass) {
    result = press(&p, pass == 1 || pass == 3 ? 0 : 0.4, pass != 2 && pass != 4, pass > 2, error);
    const RvOperator* op = result ? NULL : rv_contacts_operator(p.rig.contacts);
    if (!result && pass == 0) {
      double above, below;
      // of 11 strands of 5 edges in four columns: each has more than one neighbour
      rv_check_emit(out, "links_missing", fmax(60 - (double)p.stats.links, 0), 0, 0);
      rv_check_emit(out, "touches_missing", fmax(20 - (double)p.stats.touches, 0), 0, 0);
      rv_check_emit(out, "gradient", gradient_error(&p, op), 0, 1e-6);
      friction_bound(&p, op, &above, &below);
      rv_check_emit(out, "friction_above_its_bound", fmax(above, 0), 0, 1e-6);
      // and something slid
      rv_check_emit(out, "friction_slides", below > 1e-3, 1, 0);
    }
    if (!result && pass == 1) {
      double least;
      rv_check_emit(out, "hessian", hessian_error(&p, op, &least), 0, 1e-6);
      rv_check_emit(out, "hessian_below_0_along_axes", fmax(-least, 0), 0, 0);
    }
    if (!result && pass == 3) {
      double above, below;
      rv_check_emit(out, "bridges_missing", fmax(60 - (double)p.stats.bridges, 0), 0, 0);
      rv_check_emit(out, "wet_gradient", gradient_error(&p, op), 0, 1e-6);
      friction_bound(&p, op, &above, &below);
      rv_check_emit(out, "wet_hessian_above_its_bound", fmax(above, 0), 0, 1e-6);
    }
    if (!result && pass == 4) rv_check_emit(out, "wet_sum_of_forces", sum_of_forces(&p, op), 0, 1e-12);
    // rounding of sums of some 200 forces
    if (!result && pass == 2) rv_check_emit(out, "sum_of_forces", sum_of_forces(&p, op), 0, 1e-12);
    drop(&p);
  }
  if (!result) check_law(out);
  if (!result) check_friction(out);
  return result;
}
