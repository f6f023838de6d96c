// Checks of capillary bridges between few strands and on solids at prescribed positions (WH-9, WH-11, WH-14 to WH-18,
// spec 1.2.3 and 1.2.5 with E51): parting, bridge_angles, two_hairs, bridge_onset, bridge_energy, bridge_sweep,
// bridge_share, adhesion. Hairs lie along x, with a radius of 50 micrometres and edges of 1 mm.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "contact/bridge_table.h"
#include "contact/pair.h"
#include "math/scalar.h"
#include "rig/contact.h"

#define R 50e-6                  // m: radius of a hair
#define EDGE 1e-3                // m
#define TENSION 0.072            // N/m
#define THETA (RV_PI / 3)        // rad: contact angle
#define RUPTURE (1 + THETA / 2)  // gap at rupture over sqrt(A) (E51)
#define LONG_TIME 1.0            // s: the areas of bridges have reached their shares
#define HAIR_DENSITY 1300        // kg/m3
#define YOUNGS 3.4e8             // Pa

typedef struct Wet {
  RvContactRig rig;
  double* area;      // [vertices] m2, cross-section of the film
  double* wff;       // [vertices] w_FF: 1 in air, 0 submerged
  double* gradient;  // [unknowns] N, of the contact energy
  RvContactWet liquid;
  RvContactDef def;
  RvContactStats stats;
} Wet;

// Initial positions, far apart; the checks move the hairs.
static RvVec3 anywhere(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(EDGE * vertex, 0, 0.01 * (double)strand);
}

// Frees the set-up.
static void drop(Wet* w) {
  rv_free(w->area);
  rv_free(w->wff);
  rv_free(w->gradient);
  rv_rig_contact_free(&w->rig);
}

// Hairs with film of the same cross-section everywhere, without gravity and friction.
static RvResult make(Wet* w, size_t strands, int vertices, double area, RvError* error) {
  *w = (Wet){0};
  RvContactRigDef hair = {strands, vertices, R, HAIR_DENSITY, YOUNGS, 0, {0, 0, 0}, anywhere, NULL, NULL};
  RvResult result = rv_rig_contact_new(&w->rig, &hair, error);
  if (result) return result;
  const RvStrandModel* m = w->rig.model;
  w->area = rv_alloc(m->vertices, sizeof(double));
  w->wff = rv_alloc(m->vertices, sizeof(double));
  w->gradient = rv_alloc(m->unknowns, sizeof(double));
  if (!w->area || !w->wff || !w->gradient) {
    drop(w);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  for (size_t k = 0; k < m->vertices; ++k) {
    w->area[k] = area;
    w->wff[k] = 1;
  }
  w->liquid = (RvContactWet){.tension = TENSION, .angle = THETA, .cohesion = 1, .area = w->area, .wet = w->wff};
  w->def = rv_contact_defaults();
  w->def.friction = 0;
  w->def.acceleration = rv_vec3(0, 0, 0);
  w->def.liquid = &w->liquid;
  return RV_OK;
}

// Places a straight hair that starts at `from` and has edges `edge`.
static void lay(const Wet* w, size_t strand, RvVec3 from, RvVec3 edge) {
  for (int i = 0; i < w->rig.n; ++i) rv_rig_contact_set(&w->rig, w->rig.state->q, strand, i, rv_mad(from, i, edge));
}

// Finds the contacts of hairs at rest, computes their gradient, and accepts them as those of a step of dt seconds.
static RvResult find_contacts(Wet* w, double dt, RvError* error) {
  memset(w->rig.velocity, 0, w->rig.model->unknowns * sizeof(double));
  RvResult result = rv_contacts_find(w->rig.contacts, w->rig.state->q, w->rig.velocity, dt, &w->def, &w->stats, error);
  if (result) return result;
  const RvOperator* op = rv_contacts_operator(w->rig.contacts);
  memset(w->gradient, 0, w->rig.model->unknowns * sizeof(double));
  op->gradient(op->user, w->rig.state->q, w->gradient);
  rv_contacts_accept(w->rig.contacts, w->rig.state->q);
  return RV_OK;
}

// Contact force on a strand, N.
static RvVec3 force_on(const Wet* w, size_t strand) {
  RvVec3 sum = {0};
  for (int i = 0; i < w->rig.n; ++i) sum = rv_sub(sum, rv_rig_contact_get(&w->rig, w->gradient, strand, i));
  return sum;
}

// Pull per length of the closed form with its smoothed maximum, N/m; 0 beyond rupture.
static double closed_form(double radius, double curvature, double angle, double gap, double area) {
  const RvBridgePair pair = {radius, curvature, {THETA, angle}};
  RvBridge b;
  return rv_contact_bridge_solve(&pair, gap, area, 0, &b)
             ? TENSION * rv_contact_bridge_soft(rv_contact_bridge_force(&pair, &b))
             : 0;
}

//---------------------------------------------------------------------------------------------- parting

// Two parallel hairs approach and part again: distances at which the bridge forms and breaks, and pull in between.
RvResult rv_check_parting(const RvCheckOut* out, RvError* error) {
  enum { N = 9, STEPS = 200 };
  Wet w;
  const double film = 2 * R * R, step = 0.02 * R, length = EDGE * (N - 1);
  RvResult result = make(&w, 2, N, film, error);
  double forms = 0, parts = 0, early = 0, pull = 0;
  lay(&w, 0, rv_vec3(0, 0, 0), rv_vec3(EDGE, 0, 0));
  for (int k = 0; k < 2 * STEPS && !result; ++k) {
    // Distances from 6.8 r to 2.8 r, and back.
    double d = 6.8 * R - step * (k < STEPS ? k : 2 * STEPS - k);
    lay(&w, 1, rv_vec3(0, d, 0), rv_vec3(EDGE, 0, 0));
    result = find_contacts(&w, LONG_TIME, error);
    if (k < STEPS && w.stats.bridges && forms == 0) forms = d;
    if (k >= STEPS && w.stats.bridges) parts = d;
    if (fabs(d - 4.3 * R) < 0.5 * step) *(k < STEPS ? &early : &pull) = force_on(&w, 0).y;
  }
  if (!result) {
    // Within a step: the bridge forms at 1.05 d0, where hairs count as joined (E47), and breaks at d_max.
    rv_check_emit(out, "forms_at", forms / R, 1.05 * 3, 0.021);
    rv_check_emit(out, "parts_at", parts / R, 2 + RUPTURE * 2, 0.021);
    rv_check_emit(out, "before_it_forms", early, 0, 0);
    rv_check_emit(out, "pull", pull / (length * closed_form(R, 1 / R, THETA, 2.3 * R, 4 * R * R)), 1, 0.005);
  }
  drop(&w);
  return result;
}

// Pull of two hairs of given contact angles over that of their closed form.
static RvResult pull_of(double first, double second, double* ratio, RvError* error) {
  enum { N = 9 };
  Wet w;
  const double film = 2 * R * R, gap = 2 * R;
  RvResult result = make(&w, 2, N, film, error);
  double* angles = result ? NULL : rv_alloc(w.rig.model->vertices, sizeof *angles);
  if (!result && !angles) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t s = 0; s < 2 && !result; ++s)
    for (size_t i = 0; i < N; ++i) angles[i * RV_LANES + s] = s ? second : first;
  w.liquid.angle_at = angles;
  lay(&w, 0, rv_vec3(0, 0, 0), rv_vec3(EDGE, 0, 0));
  // A bridge forms at 2.8 r; the force is measured at a gap of 2 r.
  for (int k = 0; k < 2 && !result; ++k) {
    lay(&w, 1, rv_vec3(0, k ? gap + 2 * R : 2.8 * R, 0), rv_vec3(EDGE, 0, 0));
    result = find_contacts(&w, LONG_TIME, error);
  }
  const RvBridgePair pair = {R, 1 / R, {first, second}};
  RvBridge b;
  if (!result && rv_contact_bridge_solve(&pair, gap, 2 * film, 0, &b))
    *ratio =
        force_on(&w, 0).y / (EDGE * (N - 1) * TENSION * rv_contact_bridge_soft(rv_contact_bridge_force(&pair, &b)));
  rv_free(angles);
  drop(&w);
  return result;
}

// Hairs whose contact angles are equal or differ: each pair pulls by its own closed form.
RvResult rv_check_bridge_angles(const RvCheckOut* out, RvError* error) {
  static const double DEGREES[][2] = {{30, 30}, {30, 80}, {80, 30}, {80, 80}};
  static const char* const NAMES[] = {"both_30", "30_and_80", "80_and_30", "both_80"};
  for (int k = 0; k < 4; ++k) {
    double ratio = 0;
    RvResult result = pull_of(DEGREES[k][0] * RV_PI / 180, DEGREES[k][1] * RV_PI / 180, &ratio, error);
    if (result) return result;
    rv_check_emit(out, NAMES[k], ratio, 1, 0.005);
  }
  return RV_OK;
}

// Two hairs that hang side by side, 3 r apart.
static RvVec3 hanging(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(3 * R * ((double)strand - 0.5), -EDGE * vertex, 0);
}

// Distance of the hairs 3 cm below their roots, m, after the roots were drawn 2 mm apart.
static RvResult draw(bool cohesion, double* apart, RvError* error) {
  enum { N = 41, STEPS = 400, MEASURED_VERTEX = 30 };
  Wet w = {0};
  RvContactRigDef hair = {2, N, R, HAIR_DENSITY, YOUNGS, 0, {0, -9.81, 0}, hanging, NULL, NULL};
  RvResult result = make(&w, 2, N, 2 * R * R, error);
  if (result) return result;
  rv_rig_contact_free(&w.rig);
  result = rv_rig_contact_new(&w.rig, &hair, error);
  if (!result) rv_rig_contact_clamp(&w.rig, 2);
  w.liquid.cohesion = cohesion;
  w.def.acceleration = rv_vec3(0, -9.81, 0);
  // The roots move during the first half.
  RvStrandStats solved;
  for (int k = 0; k < STEPS && !result; ++k) {
    double shift = 1e-3 * fmin(1, 2.0 * k / STEPS);
    for (size_t s = 0; s < 2; ++s)
      for (int i = 0; i < 2; ++i)
        rv_rig_contact_set(&w.rig, w.rig.target, s, i, rv_add(hanging(NULL, s, i), rv_vec3(s ? shift : -shift, 0, 0)));
    result = rv_rig_contact_step(&w.rig, &w.def, 1e-3, 1e-6, &w.stats, &solved, error);
  }
  if (!result)
    *apart = rv_distance(rv_rig_contact_get(&w.rig, w.rig.state->q, 0, MEASURED_VERTEX),
                         rv_rig_contact_get(&w.rig, w.rig.state->q, 1, MEASURED_VERTEX));
  drop(&w);
  return result;
}

RvResult rv_check_two_hairs(const RvCheckOut* out, RvError* error) {
  double wet = 0, dry = 0;
  RvResult result = draw(true, &wet, error);
  if (!result) result = draw(false, &dry, error);
  if (result) return result;
  // With cohesion they are at d0, up to the pull at the ends of the bridge; without it at the distance of their roots,
  // up to the swing.
  rv_check_emit(out, "with_cohesion", wet / R, 3, 0.3);
  rv_check_emit(out, "without", dry / (2e-3 + 3 * R), 1, 0.15);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- onset

// Impulse of a new bridge in its first 8 ms, in steps of dt, over that of the full force with a relaxation time of 4
// ms.
static RvResult begin_bridge(double dt, double* ratio, RvError* error) {
  enum { N = 9 };
  const double film = 2 * R * R, length = EDGE * (N - 1);
  const double time = 8e-3, relax = 4e-3;  // s
  const double moment = 1e-9;              // s: the hairs touch so shortly that the bridge gets no area
  Wet w;
  RvResult result = make(&w, 2, N, film, error);
  // The hairs are apart at first, touch for a moment, and are then held apart. (A bridge of the first step would be one
  // of the initial state, which has its whole force.)
  double impulse = 0;
  lay(&w, 0, rv_vec3(0, 0, 0), rv_vec3(EDGE, 0, 0));
  lay(&w, 1, rv_vec3(0, 8 * R, 0), rv_vec3(EDGE, 0, 0));
  if (!result) result = find_contacts(&w, moment, error);
  lay(&w, 1, rv_vec3(0, 2.9 * R, 0), rv_vec3(EDGE, 0, 0));
  if (!result) result = find_contacts(&w, moment, error);
  lay(&w, 1, rv_vec3(0, 4.3 * R, 0), rv_vec3(EDGE, 0, 0));
  for (int k = 0; k < (int)(time / dt + 0.5) && !result; ++k) {
    result = find_contacts(&w, dt, error);
    impulse += dt * force_on(&w, 0).y;
  }
  double full = closed_form(R, 1 / R, THETA, 2.3 * R, 2 * film) * length;
  *ratio = impulse / (full * (time - relax * (1 - rv_exp(-time / relax))));
  drop(&w);
  return result;
}

// The impulse does not depend on the step.
RvResult rv_check_bridge_onset(const RvCheckOut* out, RvError* error) {
  static const char* names[] = {"steps_of_4ms", "steps_of_1ms", "steps_of_quarter_ms"};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    double ratio;
    result = begin_bridge(4e-3 / (1 << 2 * k), &ratio, error);
    // The tolerance is that of the table of the force law, as in parting.
    if (!result) rv_check_emit(out, names[k], ratio, 1, 0.005);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- energy

// Three separate hairs that are thrown at each other: bridges form and break. Slow hairs stay together, fast ones part
// again.
static RvVec3 three(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(EDGE * vertex, strand == 2 ? 6 * R : 0, strand == 1 ? 5.5 * R : strand == 2 ? 2.7 * R : 0);
}

// Energies are kinetic and elastic together, over the initial kinetic energy.
typedef struct Clash {
  double step;            // largest rise in a step, with the contact energy of that step's links
  double outside;         // largest rise above the initial value plus the work of contacts
  double fewest_bridges;  // after the first one formed
  double most_bridges;
  double last_bridges;  // at the end
  double left;          // energy at the end
} Clash;

// One step; *given is the work of contacts so far, J.
static RvResult step_clash(Wet* w, double start, double* given, Clash* clash, RvError* error) {
  const double dt = 1e-4;
  const RvStrandStepDef step = {.dt = dt,
                                .max_iterations = 30,
                                .tolerance = 1e-10,
                                .force = w->rig.force,
                                .target = w->rig.target,
                                .couple = rv_contacts_operator(w->rig.contacts),
                                .max_cg = 500,
                                .cg_tolerance = 1e-10};
  // The links of the step, and the energies before it.
  RvStrandStats solved;
  rv_contacts_predict(w->rig.model, w->rig.state, &step, w->rig.velocity);
  RvResult result = rv_contacts_find(w->rig.contacts, w->rig.state->q, w->rig.velocity, dt, &w->def, &w->stats, error);
  if (result) return result;
  const RvOperator* op = rv_contacts_operator(w->rig.contacts);
  double contact = op->energy(op->user, w->rig.state->q, NULL);
  double before = rv_rig_contact_kinetic(&w->rig) + rv_rig_contact_elastic(&w->rig);
  // The step, and the energies after it.
  result = rv_strand_step(w->rig.model, w->rig.state, &step, &solved, error);
  if (result) return result;
  contact = op->energy(op->user, w->rig.state->q, NULL) - contact;
  double after = rv_rig_contact_kinetic(&w->rig) + rv_rig_contact_elastic(&w->rig);
  rv_contacts_accept(w->rig.contacts, w->rig.state->q);
  *given -= contact;
  clash->step = fmax(clash->step, after - before + contact);
  clash->outside = fmax(clash->outside, after - start - *given);
  return RV_OK;
}

// Throws the three hairs at each other.
static RvResult collide(double speed, Clash* clash, RvError* error) {
  enum { N = 13, STEPS = 400 };
  // The hairs and their velocities.
  Wet w = {0};
  RvContactRigDef hair = {3, N, R, HAIR_DENSITY, YOUNGS, 0, {0, 0, 0}, three, NULL, NULL};
  RvResult result = make(&w, 3, N, 6 * R * R, error);
  if (result) return result;
  rv_rig_contact_free(&w.rig);
  result = rv_rig_contact_new(&w.rig, &hair, error);
  for (size_t s = 0; s < 3 && !result; ++s)
    for (int i = 0; i < N; ++i)
      rv_rig_contact_set(
          &w.rig, w.rig.state->v, s, i,
          rv_vec3(0, speed * (s == 2 ? -0.7 : 0.5), speed * (s == 1 ? -1 : 0.7) * (1 + 0.5 * rv_sin(0.7 * i))));
  // The steps.
  double start = result ? 0 : rv_rig_contact_kinetic(&w.rig);
  double given = 0;
  *clash = (Clash){.fewest_bridges = INFINITY};
  for (int k = 0; k < STEPS && !result; ++k) {
    result = step_clash(&w, start, &given, clash, error);
    clash->last_bridges = (double)w.stats.bridges;
    clash->most_bridges = fmax(clash->most_bridges, clash->last_bridges);
    if (clash->most_bridges > 0) clash->fewest_bridges = fmin(clash->fewest_bridges, clash->last_bridges);
  }
  if (!result) {
    clash->step /= start;
    clash->outside /= start;
    clash->left = (rv_rig_contact_kinetic(&w.rig) + rv_rig_contact_elastic(&w.rig)) / start;
  }
  drop(&w);
  return result;
}

RvResult rv_check_bridge_energy(const RvCheckOut* out, RvError* error) {
  Clash slow, fast;
  RvResult result = collide(0.2, &slow, error);
  if (!result) result = collide(4, &fast, error);
  if (result) return result;
  // The tolerance is Newton's.
  rv_check_emit(out, "rise_in_a_step", fmax(slow.step, fast.step), 0, 1e-6);
  rv_check_emit(out, "above_what_bridges_gave", fmax(slow.outside, fast.outside), 0, 1e-6);
  rv_check_emit(out, "slow_ones_stay", slow.last_bridges > 20, 1, 0);
  rv_check_emit(out, "fast_ones_had_bridges", fast.most_bridges > 5, 1, 0);
  rv_check_emit(out, "fast_ones_part", fast.last_bridges, 0, 0);
  // Bridges that formed and broke have dissipated energy.
  rv_check_emit(out, "left_after_parting", fmax(fast.left, 1), 1, 0);
  rv_check_emit(out, "left_after_capture", fmax(slow.left, 1), 1, 0);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- sweeps

// Force between two hairs, one of which slides along the other (slope 0) or is swept across it. Results: largest change
// in a step, smallest and largest force along y, and largest violation of the third law. `turn`: strands swap roles.
static RvResult sweep(double slope, double step, double dt, bool turn, double* jump, double* level, double* third,
                      RvError* error) {
  enum { N = 9 };
  Wet w;
  RvResult result = make(&w, 2, N, slope > 0 ? 8 * R * R : 2 * R * R, error);
  double before = 0;
  *jump = 0;
  *third = 0;
  level[0] = INFINITY;
  level[1] = 0;
  // Edges of the moving hair; the one that slides is longer than the other.
  RvVec3 edge = slope > 0 ? rv_vec3(1, 0, slope) : rv_vec3(1, 0, 0);
  edge = rv_scale(edge, (slope > 0 ? EDGE : 1.7e-3) / rv_length(edge));
  int steps = (int)(2e-3 / step);
  for (int k = -1; k < steps && !result; ++k) {
    // It slides along x over two edges, or is swept along z over 1 mm to each side; at k = -1 the bridge forms.
    double s = step * (k < 0 ? 0 : k);
    RvVec3 from = slope > 0 ? rv_vec3(4e-3 - 4 * edge.x, 3.5 * R, s - 1e-3 - 4 * edge.z)
                            : rv_vec3(s - 4e-3, k < 0 ? 2.9 * R : 4.1 * R, 0);
    lay(&w, turn, rv_vec3(0, 0, 0), rv_vec3(EDGE, 0, 0));
    lay(&w, !turn, from, edge);
    result = find_contacts(&w, k < 0 ? LONG_TIME : dt, error);
    RvVec3 f = force_on(&w, turn), g = force_on(&w, !turn);
    if (k > 0) *jump = fmax(*jump, fabs(f.y - before));
    if (k >= 0) {
      level[0] = fmin(level[0], f.y);
      level[1] = fmax(level[1], f.y);
    }
    *third = fmax(*third, rv_length(rv_add(f, g)));
    before = f.y;
  }
  drop(&w);
  return result;
}

// Whether two edges are joined by a bridge.
static bool is_bridge(const Wet* w, const size_t strand[2], const int edge[2]) {
  for (size_t k = 0; k < rv_contacts_link_count(w->rig.contacts); ++k) {
    RvLinkState l = rv_contacts_link(w->rig.contacts, k);
    if (l.area > 0 && (size_t)l.strand[0] == strand[0] && (size_t)l.strand[1] == strand[1] && l.edge[0] == edge[0] &&
        l.edge[1] == edge[1])
      return true;
  }
  return false;
}

// Whether two edges face each other within the gap at which a bridge forms, by a test of this pair alone.
static bool would_meet(const Wet* w, const size_t strand[2], const int edge[2], double limit) {
  const double* q = w->rig.state->q;
  RvEdgePair p = {
      .a = {rv_rig_contact_get(&w->rig, q, strand[0], edge[0]), rv_rig_contact_get(&w->rig, q, strand[0], edge[0] + 1)},
      .b = {rv_rig_contact_get(&w->rig, q, strand[1], edge[1]),
            rv_rig_contact_get(&w->rig, q, strand[1], edge[1] + 1)}};
  p.before = p.after = rv_normalize(rv_sub(p.b[1], p.b[0]), rv_vec3(1, 0, 0));
  RvFacing f = rv_contact_facing(&p, 3 * R, rv_vec3(0, 0, 0));
  return f.length > 0 && f.gap <= limit;
}

// Bridges of a loose bundle against an exhaustive search over all pairs of edges: pairs that only one of them has.
static RvResult brute(double* different, double* found, RvError* error) {
  enum { STRANDS = 24, N = 7 };
  Wet w;
  RvResult result = make(&w, STRANDS, N, 5 * R * R, error);
  // A link forms at H1 + H2, which is less than d_max here. At most four of the hairs are near each other.
  const double limit = 2 * sqrt(5 / RV_PI + 1) * R;
  for (size_t k = 0; k < STRANDS && !result; ++k) {
    double a = rv_random(5, 1, k, 0), b = rv_random(5, 2, k, 0), c = rv_random(5, 3, k, 0);
    lay(&w, k, rv_vec3(1e-3 * a, 3.6 * R * ((double)(k % 6) + 0.3 * b), 3.6 * R * ((double)(k / 6) + 0.3 * c)),
        rv_vec3(1e-3, 1e-5 * (b - 0.5), 1e-5 * (c - 0.5)));
  }
  if (!result) result = find_contacts(&w, LONG_TIME, error);
  // All pairs. Which of the two hairs is the source follows from the order of the roots, so both orders are tested.
  *different = 0;
  *found = 0;
  for (size_t a = 0; a < STRANDS * (N - 1) && !result; ++a)
    for (size_t b = a + 1; b < STRANDS * (N - 1); ++b) {
      size_t ab[2] = {a / (N - 1), b / (N - 1)}, ba[2] = {ab[1], ab[0]};
      int ij[2] = {(int)(a % (N - 1)), (int)(b % (N - 1))}, ji[2] = {ij[1], ij[0]};
      if (ab[0] == ab[1]) continue;
      bool one = is_bridge(&w, ab, ij), other = is_bridge(&w, ba, ji);
      bool meets = would_meet(&w, ab, ij, limit), meets_swapped = would_meet(&w, ba, ji, limit);
      *found += one || other;
      *different += (one && !meets) || (other && !meets_swapped) || (!one && !other && meets && meets_swapped);
    }
  drop(&w);
  return result;
}

RvResult rv_check_bridge_sweep(const RvCheckOut* out, RvError* error) {
  double jump, half_jump, third;
  double level[2], swapped[2];
  // Along: the force is constant, as the whole length of the shorter hair faces the line of edges wherever its vertices
  // are.
  RvResult result = sweep(0, 2e-5, LONG_TIME, false, &jump, level, &third, error);
  if (result) return result;
  rv_check_emit(out, "slide_evenness", (level[1] - level[0]) / level[1], 0, 1e-9);
  rv_check_emit(out, "third_law", third / level[1], 0, 1e-12);
  result = sweep(0, 2e-5, LONG_TIME, true, &jump, swapped, &third, error);
  if (result) return result;
  rv_check_emit(out, "places_changed", swapped[1] / level[1], 1, 1e-9);
  // Across: the change in a step is proportional to the step.
  result = sweep(0.2, 2e-6, 1e-5, false, &jump, level, &third, error);
  if (!result) result = sweep(0.2, 1e-6, 5e-6, false, &half_jump, level, &third, error);
  if (result) return result;
  rv_check_emit(out, "jump_ratio_of_half_steps", half_jump / jump, 0.5, 0.1);
  // The pairs found.
  double different, found;
  result = brute(&different, &found, error);
  if (result) return result;
  rv_check_emit(out, "pairs_unlike_all_pairs", different, 0, 0);
  rv_check_emit(out, "pairs_found", found > 50, 1, 0);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- shares, submersion

enum { SHARE_VERTICES = 6 };

// Three hairs in a triangle: each film is divided between two bridges, equally and completely (E51).
static RvResult emit_shares(const RvCheckOut* out, Wet* w, double film, RvError* error) {
  enum { MAX_BRIDGES = 64 };
  lay(w, 0, rv_vec3(0, 0, 0), rv_vec3(EDGE, 0, 0));
  lay(w, 1, rv_vec3(0, 3 * R, 0), rv_vec3(EDGE, 0, 0));
  lay(w, 2, rv_vec3(0, 1.5 * R, 3 * R * sqrt(0.75)), rv_vec3(EDGE, 0, 0));
  for (int k = 0; k < 3; ++k) {
    RvResult result = find_contacts(w, LONG_TIME, error);
    if (result) return result;
  }
  // Areas of the bridges.
  double sum = 0, worst = 0;
  size_t bridges = 0;
  for (size_t k = 0; k < rv_contacts_link_count(w->rig.contacts); ++k) {
    RvLinkState l = rv_contacts_link(w->rig.contacts, k);
    if (l.area > 0) {
      sum += l.area;
      ++bridges;
      worst = fmax(worst, fabs(l.area / film - 1));
    }
  }
  rv_check_emit(out, "film_shared_out", sum / (3 * film * (SHARE_VERTICES - 1)), 1, 1e-6);
  rv_check_emit(out, "evenly", worst, 0, 1e-6);
  // What the film and the clumps get to know of them.
  RvFilmBridge rows[MAX_BRIDGES];
  size_t count = rv_contacts_bridges(w->rig.contacts, rows, MAX_BRIDGES);
  rv_check_emit(out, "rows_for_the_film", (double)count, (double)bridges, 0);
  int32_t clump[3 * RV_LANES * SHARE_VERTICES];
  rv_check_emit(out, "clumps", (double)rv_contacts_clumps(w->rig.contacts, clump), 1, 0);
  return RV_OK;
}

// WH-18: the pull is proportional to w_FF and vanishes under water; the bridges persist.
static RvResult emit_submersion(const RvCheckOut* out, Wet* w, RvError* error) {
  enum { LEVELS = 8 };
  double full = 0, off = 0, last = INFINITY, rises = 0;
  // Two hairs 3.8 r apart; the third one is far away.
  for (int i = 0; i < SHARE_VERTICES; ++i)
    rv_rig_contact_set(&w->rig, w->rig.state->q, 2, i, rv_vec3(EDGE * i, 1.5 * R, 20e-3));
  lay(w, 1, rv_vec3(0, 3.8 * R, 0), rv_vec3(EDGE, 0, 0));
  for (int k = 0; k <= LEVELS; ++k) {
    for (size_t i = 0; i < w->rig.model->vertices; ++i) w->wff[i] = 1 - k / (double)LEVELS;
    RvResult result = find_contacts(w, LONG_TIME, error);
    if (result) return result;
    double f = force_on(w, 0).y;
    if (k == 0) full = f;
    off = fmax(off, fabs(f / full - (1 - k / (double)LEVELS)));
    rises += !(f < last);
    last = f;
  }
  rv_check_emit(out, "submersion", off, 0, 1e-12);
  rv_check_emit(out, "submersion_rises", rises, 0, 0);
  rv_check_emit(out, "pulls_in_air", full > 0, 1, 0);
  rv_check_emit(out, "bridges_under_water", (double)w->stats.bridges, SHARE_VERTICES - 1, 0);
  return RV_OK;
}

RvResult rv_check_bridge_share(const RvCheckOut* out, RvError* error) {
  Wet w;
  const double film = 3 * R * R;
  RvResult result = make(&w, 3, SHARE_VERTICES, film, error);
  if (result) return result;
  result = emit_shares(out, &w, film, error);
  if (!result) result = emit_submersion(out, &w, error);
  drop(&w);
  return result;
}

//---------------------------------------------------------------------------------------------- solids

// A hair is raised from a solid, from a gap of 0.4 r on. Results: pull at a gap of 1.9 r over the closed form, and the
// last distance with a bridge over r. The hair has three vertices, the middle one above the top of the solid.
static RvResult adhere(RvCollider solid, double curvature, double* ratio, double* apart, RvError* error) {
  enum { N = 3, STEPS = 400 };
  Wet w;
  RvResult result = make(&w, 1, N, 4 * R * R, error);
  const double gap = 1.9 * R, top = solid.shape == RV_COLLIDER_SPHERE ? solid.radius : 0;
  w.def.colliders = &solid;
  w.def.ncollider = 1;
  w.def.solid_width = 0.5 * R;
  *ratio = 0;
  *apart = 0;
  for (int k = 0; k < STEPS && !result; ++k) {
    double d = R * (1.4 + 0.01 * k);
    lay(&w, 0, rv_vec3(-EDGE, top + d, 0), rv_vec3(EDGE, 0, 0));
    result = find_contacts(&w, LONG_TIME, error);
    double f = -rv_rig_contact_get(&w.rig, w.gradient, 0, 1).y;
    if (fabs(d - R - gap) < 0.005 * R) *ratio = -f / (EDGE * closed_form(R, curvature, solid.angle, gap, 4 * R * R));
    if (w.stats.bridges) *apart = d / R;
  }
  drop(&w);
  return result;
}

// Adhesion to a plane, a ball of 5 radii and one of a metre.
RvResult rv_check_adhesion(const RvCheckOut* out, RvError* error) {
  RvCollider solid = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .angle = 0.7};
  double ratio, apart, large;
  RvResult result = adhere(solid, 0, &ratio, &apart, error);
  if (result) return result;
  rv_check_emit(out, "plane", ratio, 1, 0.01);
  rv_check_emit(out, "plane_parts_at", apart, 1 + (1 + (THETA + 0.7) / 4) * 2, 0.011);
  solid.shape = RV_COLLIDER_SPHERE;
  solid.radius = 5 * R;
  result = adhere(solid, 1 / (5 * R), &ratio, &apart, error);
  if (result) return result;
  rv_check_emit(out, "ball", ratio, 1, 0.01);
  solid.radius = 1;
  result = adhere(solid, 0, &large, &apart, error);
  if (result) return result;
  rv_check_emit(out, "large_ball", large, 1, 0.01);
  return RV_OK;
}
