// Check wet_frames (WH-19, WH-26, WH-35): a wet scene does not depend on its position, its orientation by quarter
// turns, nor on a common velocity (Galilean invariance).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum { HAIRS = 9, POINTS = 10 };
static const double LENGTH = 0.016;  // m
static const double DX = 1e-3;       // m, cell of the liquid
static const double STEP = 1e-3;     // s
static const double FILM = 4e-5;     // m, height

// A transform of the scene.
typedef struct View {
  bool turned;      // by a quarter turn about z
  double shift[3];  // cells
  RvVec3 boost;     // m/s, common velocity
} View;

// A vector of the original scene in a view.
static RvVec3 turn(const View* view, RvVec3 a) {
  return view->turned ? rv_vec3(-a.y, a.x, a.z) : a;
}

// A position of the original scene in a view.
static RvVec3 transform(const View* view, RvVec3 x) {
  return rv_add(turn(view, x), rv_scale(rv_vec3_load64(view->shift), DX));
}

// Three by three inclined strands.
static RvVec3 place(void* user, size_t strand, int vertex) {
  double x = 5e-4 * ((double)(strand % 3) - 1), z = 5e-4 * ((double)(strand / 3) - 1);
  double s = LENGTH * vertex / (POINTS - 1);
  return transform(user, rv_vec3(x + 0.3 * s, -0.2 * s, z + 0.9 * s));
}

// Moves the roots with the common velocity.
static void roots(RvWetRig* rig, double time) {
  const View* view = rig->def.hair.user;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < rig->def.clamped; ++i)
      rv_rig_contact_set(&rig->hair, rig->hair.target, k, i,
                         rv_mad(rv_rig_contact_get(&rig->hair, rig->start, k, i), time, view->boost));
}

// Adds a drop above the strands: the particles of the original scene, transformed.
static RvResult add_drop(RvWetRig* rig, const View* view, RvError* error) {
  RvParticles* p = &rig->pool.liquid.particles;
  const double radius = 3.5;                            // cells
  enum { SIDE = 16, CANDIDATES = SIDE * SIDE * SIDE };  // two particles a cell and axis
  RvResult result = rv_liquid_particles_reserve(p, CANDIDATES, error);
  int64_t id = 0;
  for (int n = 0; n < CANDIDATES && !result; ++n) {
    // A jittered lattice within the radius.
    RvVec3 at = rv_vec3(0.5 * (n % 16 - 8) + 0.25, 0.5 * (n / 16 % 16 - 8) + 0.25, 0.5 * (n / 256 - 8) + 0.25);
    RvVec3 jitter = rv_vec3(rv_random(4, (uint64_t)n, 0, 0), rv_random(4, (uint64_t)n, 1, 0), 0.5);
    if (rv_length(at) > radius) continue;
    at = rv_mad(at, 0.1, rv_sub(jitter, rv_vec3(0.5, 0.5, 0.5)));
    at = rv_add(at, rv_vec3(2, 3, 6));
    // Multiples of 1/4096 cell are exact in floats in every view.
    at = rv_vec3(round(at.x * 4096) / 4096, round(at.y * 4096) / 4096, round(at.z * 4096) / 4096);
    RvVec3 seen = rv_add(turn(view, at), rv_vec3_load64(view->shift));
    double cell[3] = {seen.x, seen.y, seen.z};
    size_t i = rv_liquid_particles_add(p, cell);
    if (i == SIZE_MAX) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    RvVec3 v = rv_add(turn(view, rv_vec3(0, -0.4, 0)), view->boost);
    p->v[0][i] = (float)v.x;
    p->v[1][i] = (float)v.y;
    p->v[2][i] = (float)v.z;
    p->volume[i] = DX * DX * DX / 8;
    p->id[i] = id++;
  }
  rig->pool.liquid.next_id = id;
  return result;
}

// Makes the scene in a view, with or without bulk, and runs it.
static RvResult run(RvWetRig* rig, View* view, bool bulk, int steps, RvError* error) {
  // Converged solves, so that only rounding differs between the views.
  RvContactRigDef hair = rv_rig_contact_hair(HAIRS, POINTS, place, view);
  hair.gravity = turn(view, hair.gravity);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.niter = 60;
  def.tolerance = 1e-11;
  def.roots = roots;
  def.wet.couple.capacity = 0.2;
  def.wet.film.viscous = true;
  if (bulk) {
    def.liquid = rv_liquid_model_default(DX);
    def.liquid.tolerance = 1e-9;
  }
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  // Drop, film and velocities.
  if (bulk) result = add_drop(rig, view, error);
  rv_rig_wet_film(rig, FILM);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 v = i < 2 ? rv_vec3(0, 0, 0) : rv_vec3(0.05 * rv_random(6, k, 0, 0) * i / POINTS, 0, 0);
      rv_rig_contact_set(&rig->hair, rig->hair.state->v, k, i, rv_add(turn(view, v), view->boost));
    }
  for (int k = 0; k < steps && !result; ++k) result = rv_rig_wet_step(rig, STEP, error);
  if (result) rv_rig_wet_free(rig);
  return result;
}

// Differences of two runs.
typedef struct Off {
  double places;  // largest distance of a vertex, over the length
  double film;    // largest difference of film volume, over the largest volume
  double bulk;    // distance of the bulk's centre of mass, cells
  double total;   // relative difference of all film
} Off;

// Film volume at a vertex of a strand. Batches are ordered by the roots, which differs between the views.
static const double* film_at(const RvWetRig* rig, size_t strand, int i) {
  const RvStrandModel* m = rig->hair.model;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      if ((size_t)m->batches[k].strand[lane] == strand)
        return &rig->wet.film_state.volume[m->batches[k].vertex_at + (size_t)(i * RV_LANES + lane)];
  return rig->wet.film_state.volume;
}

// Differences between run a, transformed, and run b.
static Off compare(const RvWetRig* a, const RvWetRig* b, const View* view) {
  Off off = {0};
  // Positions of the strands.
  RvVec3 moved = rv_scale(view->boost, a->time);
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      RvVec3 want = rv_add(transform(view, rv_rig_contact_get(&a->hair, a->hair.state->q, k, i)), moved);
      off.places = fmax(off.places, rv_distance(want, rv_rig_contact_get(&b->hair, b->hair.state->q, k, i)) / LENGTH);
    }
  // Film.
  double largest = 0, sum = 0, difference = 0;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i) {
      double one = *film_at(a, k, i), other = *film_at(b, k, i);
      largest = fmax(largest, one);
      off.film = fmax(off.film, fabs(one - other));
      sum += one;
      difference += other - one;
    }
  off.film /= largest;
  off.total = fabs(difference) / sum;
  // Bulk.
  RvVec3 c = rv_rig_liquid_sums(&a->pool, rv_vec3(0, 0, 0)).center,
         d = rv_rig_liquid_sums(&b->pool, rv_vec3(0, 0, 0)).center;
  off.bulk = rv_distance(rv_add(transform(view, c), moved), d) / DX;
  return off;
}

typedef struct Row {
  const char *places, *film, *bulk, *total;  // names of the figures; bulk NULL: none
  View view;
  bool wet;  // with the drop
  Off tolerance;
} Row;

// Whether enough was captured and returned for a comparison: a twentieth of the film each.
static bool exchanged(const RvWetRig* rig) {
  double film, absorbed;
  rv_wet_volumes(&rig->wet, &film, &absorbed);
  const RvCoupleReport* report = &rig->wet.report.couple;
  return fmin(report->captured_volume, report->returned_volume) > 0.05 * film;
}

// Runs the scene in the original view and in that of the row, and compares them.
static RvResult compare_row(const RvCheckOut* out, Row* row, RvError* error) {
  View here = {false, {0, 0, 0}, {0, 0, 0}};
  RvWetRig a, b;
  // From the ninth step on the menisci draw two hairs together, and a difference between the views doubles in every
  // step: their attraction grows as the inverse of the distance.
  int steps = row->wet ? 8 : 30;
  RvResult result = run(&a, &here, row->wet, steps, error);
  if (result) return result;
  result = run(&b, &row->view, row->wet, steps, error);
  if (!result) {
    Off off = compare(&a, &b, &row->view);
    rv_check_emit(out, row->places, off.places, 0, row->tolerance.places);
    rv_check_emit(out, row->film, off.film, 0, row->tolerance.film);
    if (row->bulk) rv_check_emit(out, row->bulk, off.bulk, 0, row->tolerance.bulk);
    if (row->bulk) rv_check_emit(out, row->total, off.total, 0, row->tolerance.total);
    // one row says it for all: the scene is the same
    if (row->bulk && row->view.shift[0] > 0) rv_check_emit(out, "exchanged", exchanged(&a), 1, 0);
    rv_rig_wet_free(&b);
  }
  rv_rig_wet_free(&a);
  return result;
}

RvResult rv_check_wet_frames(const RvCheckOut* out, RvError* error) {
  Row rows[] = {{"far", "far_film", NULL, NULL, {false, {24.3, -16.1, 8.7}, {0, 0, 0}}, false, {1e-6, 1e-6, 0, 0}},
                {"turned", "turned_film", NULL, NULL, {true, {0, 0, 0}, {0, 0, 0}}, false, {1e-6, 1e-6, 0, 0}},
                {"passing", "passing_film", NULL, NULL, {false, {0, 0, 0}, {2, 1, -1}}, false, {1e-6, 1e-6, 0, 0}},
                {"liquid_far",
                 "liquid_far_film",
                 "liquid_far_bulk",
                 "liquid_far_all_film",
                 {false, {24, -16, 8}, {0, 0, 0}},
                 true,
                 {1e-6, 1e-6, 1e-6, 1e-6}},
                {"liquid_turned",
                 "liquid_turned_film",
                 "liquid_turned_bulk",
                 "liquid_turned_all_film",
                 {true, {0, 0, 0}, {0, 0, 0}},
                 true,
                 {1e-6, 1e-4, 1e-6, 1e-5}},
                {"liquid_slowly_passing",
                 "liquid_slowly_passing_film",
                 "liquid_slowly_passing_bulk",
                 "liquid_slowly_passing_all_film",
                 {false, {0, 0, 0}, {0.1, 0, 0}},
                 true,
                 {1e-3, 1e-2, 0.003, 2e-3}},
                {"liquid_passing",
                 "liquid_passing_film",
                 "liquid_passing_bulk",
                 "liquid_passing_all_film",
                 {false, {0, 0, 0}, {1, 0, 0}},
                 true,
                 {1e-5, 1e-3, 1e-4, 1e-4}},
                {"liquid_passing_fast",
                 "liquid_passing_fast_film",
                 "liquid_passing_fast_bulk",
                 "liquid_passing_fast_all_film",
                 {false, {0, 0, 0}, {2, 0, 0}},
                 true,
                 {1e-5, 1e-3, 1e-4, 1e-4}},
                {"liquid_passing_aslant",
                 "liquid_passing_aslant_film",
                 "liquid_passing_aslant_bulk",
                 "liquid_passing_aslant_all_film",
                 {false, {0, 0, 0}, {1.37, 0.61, -0.43}},
                 true,
                 {2e-3, 0.03, 1e-3, 3e-3}}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof rows / sizeof *rows && !result; ++k) result = compare_row(out, &rows[k], error);
  return result;
}
