// Film to bulk and back: capacity, capture, drip, and the momentum of all together.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/check.h"
#include "liquid/stages.h"
#include "math/scalar.h"
#include "rig/couple.h"
#include "rig/film.h"
#include "rig/liquid.h"

static const double RADIUS = 5e-5, G = 9.81;

//---------------------------------------------------------------------------------------------- what strands hold

// `count` parallel level strands of 4 cm, a tenth of a millimetre apart
static RvResult bundle(RvCoupleRig* rig, int count, int vertices, RvError* error) {
  RvCoupleLine lines[64];
  int side = (int)ceil(sqrt(count));
  for (int i = 0; i < count; ++i) {
    double y = 0.05 + 1e-4 * (i / side), z = 0.0413 + 1e-4 * (i % side);
    lines[i] = (RvCoupleLine){.from = {0.02, y, z}, .to = {0.06, y, z}, .radius = RADIUS, .density = 1300};
  }
  return rv_rig_couple_new(rig, lines, (size_t)count, vertices, 1, error);
}

// film of the middle half, m3 a m
static double held(const RvCoupleRig* rig, int count, int n) {
  double sum = 0, length = 0.04 / (n - 1);
  int seen = 0;
  for (int k = 0; k < count; ++k)
    for (int i = n / 4; i < n - n / 4; ++i, ++seen)
      sum += rig->film_state.volume[rv_rig_couple_vertex(rig, (size_t)k, i)];
  return sum / (seen / count * length);
}

typedef struct Space {
  RvLiquidGrid grid;
  RvParticles particles;
  int64_t next_id;
} Space;

static RvResult hold(int count, int n, double* ratio, double* volume, RvError* error) {
  RvCoupleRig rig;
  Space space = {.grid = {.dx = 0.002}};
  RvCoupleReport report = {0};
  RvResult result = bundle(&rig, count, n, error);
  if (result) return result;
  double reach = rv_couple_capacity_radius(RADIUS, 0.072, 1000, G, count);
  rig.set.nominal = 4e-11;
  rig.set.drip = 1e4;
  rv_rig_couple_wet(&rig, 4 * (2.0 / 3 * RV_PI * reach * reach / count));
  for (int i = 0; i < 400 && !result; ++i) {
    result = rv_couple_drip(rig.couple, &rig.strands, &rig.set, &space.grid, &space.particles, &space.next_id, 0, 1e-3,
                            (uint64_t)i, rig.kick, &report, error);
    space.particles.count = 0;
  }
  *volume = held(&rig, count, n) * 2 * reach;
  *ratio = *volume / (4.0 / 3 * RV_PI * reach * reach * reach);
  rv_liquid_particles_free(&space.particles);
  rv_rig_couple_free(&rig);
  return result;
}

RvResult rv_check_capacity(const RvCheckOut* out, RvError* error) {
  static const int counts[] = {1, 4, 16};
  static const char* const names[] = {"one_fibre", "four_fibres", "sixteen_fibres"};
  double ratio, volume[3];
  // spec 8.6
  rv_check_emit(out, "r_max", rv_couple_capacity_radius(RADIUS, 0.072, 1000, G, 1), 1.0326e-3, 1e-7);
  rv_check_emit(out, "r_max_100", rv_couple_capacity_radius(RADIUS, 0.072, 1000, G, 100), 2.2246e-3, 1e-7);
  for (int i = 0; i < 3; ++i) {
    RvResult result = hold(counts[i], 61, &ratio, &volume[i], error);
    if (result) return result;
    rv_check_emit(out, names[i], ratio, 1, 0.02);
  }
  rv_check_emit(out, "four_times_as_many", volume[1] / volume[0], 2, 0.04);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- whatever the resolution

typedef struct Flow {
  double held, rate;
} Flow;

// four strands that get film at a steady rate; what they hold and let go once that is even
static RvResult feed(double dx, int n, Flow* flow, RvError* error) {
  enum { STEPS = 3000, COUNT = 4 };
  RvCoupleRig rig;
  Space space = {.grid = {.dx = dx}};
  RvCoupleReport report = {0};
  RvResult result = bundle(&rig, COUNT, n, error);
  if (result) return result;
  const double dt = 1e-3, each = 2e-8;  // m3/s a strand
  rig.set.nominal = dx * dx * dx / 8;
  rig.set.drip = 20;
  rv_rig_couple_wet(&rig, 9e-7);
  double mean = 0, before = 0;
  for (int i = 0; i < STEPS && !result; ++i) {
    for (int k = 0; k < COUNT; ++k)
      for (int j = 0; j < n; ++j)
        rig.film_state.volume[rv_rig_couple_vertex(&rig, (size_t)k, j)] +=
            dt * each / (n - 1) * (j == 0 || j == n - 1 ? 0.5 : 1);
    result = rv_couple_drip(rig.couple, &rig.strands, &rig.set, &space.grid, &space.particles, &space.next_id, 0, dt,
                            (uint64_t)i, rig.kick, &report, error);
    space.particles.count = 0;
    if (i + 1 == STEPS / 3) before = report.dripped_volume;
    if (i >= STEPS / 3) mean += rv_rig_couple_film(&rig) / (STEPS - STEPS / 3);
  }
  flow->held = mean;
  flow->rate = (report.dripped_volume - before) / (dt * (STEPS - STEPS / 3));
  rv_liquid_particles_free(&space.particles);
  rv_rig_couple_free(&rig);
  return result;
}

RvResult rv_check_capacity_scale(const RvCheckOut* out, RvError* error) {
  Flow f[4];
  RvResult result = feed(0.004, 41, &f[0], error);
  if (!result) result = feed(0.002, 41, &f[1], error);
  if (!result) result = feed(0.001, 41, &f[2], error);
  if (!result) result = feed(0.004, 81, &f[3], error);
  if (result) return result;
  rv_check_emit(out, "held_half_dx", f[1].held / f[0].held, 1, 0.1);
  rv_check_emit(out, "held_quarter_dx", f[2].held / f[0].held, 1, 0.1);
  rv_check_emit(out, "held_twice_vertices", f[3].held / f[0].held, 1, 0.1);
  rv_check_emit(out, "rate_half_dx", f[1].rate / f[0].rate, 1, 0.1);
  rv_check_emit(out, "rate_quarter_dx", f[2].rate / f[0].rate, 1, 0.1);
  rv_check_emit(out, "rate_twice_vertices", f[3].rate / f[0].rate, 1, 0.1);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a wild scene

enum { WILD = 13, WILD_VERTICES = 12 };

// strands, film and speeds of chance among a cloud of particles
static RvResult wild(RvCoupleRig* rig, RvLiquidRig* bulk, double dx, RvError* error) {
  RvCoupleLine lines[WILD];
  for (uint64_t k = 0; k < WILD; ++k) {
    lines[k] = (RvCoupleLine){.radius = RADIUS, .density = 1300};
    for (uint64_t a = 0; a < 3; ++a) {
      lines[k].from[a] = 0.03 * rv_random(1, k, a, 0);
      lines[k].to[a] = lines[k].from[a] + 0.02 * (rv_random(1, k, a, 1) - 0.3);
    }
  }
  RvResult result = rv_rig_couple_new(rig, lines, WILD, WILD_VERTICES, 1, error);
  if (result) return result;
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < WILD_VERTICES; ++i)
        for (int c = 0; c < 3; ++c) {
          uint64_t strand = (uint64_t)rig->model->batches[b].strand[lane];
          rig->state->v[rv_strand_index(&rig->model->batches[b], lane, i, c)] =
              rv_random(2, strand, (uint64_t)c, 0) - 0.5 + 0.2 * rv_random(2, strand, (uint64_t)(8 + i), 1);
        }
  rv_rig_couple_wet(rig, 2e-7);
  for (size_t e = 0; e < rig->model->edges; ++e) rig->film_state.speed[e] = 0.2 * (rv_random(3, e, 0, 0) - 0.5);
  const double lo[3] = {0, 0, 0}, hi[3] = {0.032, 0.032, 0.032};
  RvLiquidModel model = rv_liquid_model_default(dx);
  for (int a = 0; a < 3; ++a) model.gravity[a] = 0;
  result = rv_rig_liquid_new(bulk, &model, error);
  if (!result) result = rv_rig_liquid_fill(bulk, lo, hi, 0.8, error);
  RvParticles* p = &bulk->liquid.particles;
  for (size_t i = 0; i < p->count && !result; ++i) {
    p->age[i] = 1;
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)(rv_random(4, i, (uint64_t)a, 0) - 0.3);
  }
  rig->set.nominal = dx * dx * dx / 8;
  memset(rig->set.gravity, 0, sizeof rig->set.gravity);
  return result ? result : rv_liquid_particles_sort(p, &bulk->liquid.report.lost, error);
}

static RvVec3 bulk_momentum(const RvLiquidRig* bulk) {
  return rv_rig_liquid_sums(bulk, rv_vec3(0, 0, 0)).linear;
}

static double part(RvVec3 lost, RvVec3 of) {
  return rv_length(lost) / rv_length(of);
}

// lanes without a strand of their own hold nothing
static void clear_spare(RvCoupleRig* rig) {
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = rig->model->batches[b].lanes; lane < RV_LANES; ++lane)
      for (int i = 0; i < rig->model->batches[b].vertices; ++i)
        rig->film_state.volume[rig->model->batches[b].vertex_at + (size_t)(i * RV_LANES + lane)] = 0;
}

RvResult rv_check_capture(const RvCheckOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = wild(&rig, &bulk, 0.002, error);
  if (result) return result;
  clear_spare(&rig);
  RvParticles* p = &bulk.liquid.particles;
  double volume = rv_liquid_particles_volume(p), film = rv_rig_couple_film(&rig), smallest = 1;
  RvVec3 before = rv_rig_couple_momentum(&rig, 0), bulk_before = bulk_momentum(&bulk);
  for (size_t i = 0; i < rig.model->vertices; ++i) rig.film_state.strain[i] = rv_random(5, i, 0, 0) - 0.3;
  double strained = rv_rig_film_strained(&rig.film_state, rig.model->vertices);
  for (int i = 0; i < 8 && !result; ++i)
    result = rv_rig_couple_capture_submerged(&rig, &bulk.liquid.grid, p, 2e-3, &report, error);
  RvVec3 gain = rv_sub(rv_rig_couple_momentum(&rig, 0), before), lost = rv_sub(bulk_before, bulk_momentum(&bulk));
  double over = 0;
  double* capacity = rv_alloc(rig.model->vertices, sizeof *capacity);
  if (!capacity) result = RV_NO_MEMORY;
  if (!result) result = rv_couple_capacity(rig.couple, &rig.strands, &rig.set, capacity, NULL, error);
  for (size_t i = 0; i < rig.model->vertices && !result; ++i)
    over = fmax(over, rig.film_state.volume[i] / (capacity[i] > 0 ? capacity[i] : 1) - 1);
  for (size_t i = 0; i < p->count; ++i)
    if (p->volume[i] > 0) smallest = fmin(smallest, p->volume[i] / rig.set.nominal);
  rv_check_emit(out, "volume", (rv_liquid_particles_volume(p) + rv_rig_couple_film(&rig)) / (volume + film) - 1, 0,
                1e-12);
  rv_check_emit(out, "reported", report.captured_volume / (volume - rv_liquid_particles_volume(p)), 1, 1e-9);
  rv_check_emit(out, "momentum", part(rv_sub(gain, lost), lost), 0, 1e-12);
  rv_check_emit(out, "strain", rv_rig_film_strained(&rig.film_state, rig.model->vertices) / strained - 1, 0, 1e-12);
  rv_check_emit(out, "any", report.captured_volume > 0.05 * film, 1, 0);
  rv_check_emit(out, "above_capacity", over, 0, 1e-12);
  rv_check_emit(out, "smallest_left", fmin(smallest, 0.1), 0.1, 1e-12);
  rv_free(capacity);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

// momentum of tips whose drop is gone
static double left_behind(const RvCoupleRig* rig) {
  const RvFilmState* f = &rig->film_state;
  double sum = 0;
  for (size_t k = 0; k < rig->model->nbatch * RV_LANES; ++k)
    for (size_t a = 0; a < 3 && f->drop[k] == 0; ++a)
      sum += fabs(f->drop_momentum[(3 * (k / RV_LANES) + a) * RV_LANES + k % RV_LANES]);
  return sum;
}

RvResult rv_check_drip(const RvCheckOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = wild(&rig, &bulk, 0.002, error);
  if (result) return result;
  rv_rig_couple_wet(&rig, 6e-6);
  clear_spare(&rig);
  rig.set.gravity[1] = -9.81;
  for (size_t b = 0; b < rig.model->nbatch; ++b)
    for (int lane = 0; lane < rig.model->batches[b].lanes; ++lane) {
      size_t drop = b * RV_LANES + (size_t)lane;
      rig.film_state.drop[drop] = 3e-10 * rv_random(5, drop, 0, 0);
      for (size_t a = 0; a < 3; ++a)
        rig.film_state.drop_momentum[(3 * b + a) * RV_LANES + (size_t)lane] = 1e-8 * rv_random(5, drop, a, 1);
    }
  RvParticles* p = &bulk.liquid.particles;
  size_t first = p->count;
  double volume = rv_liquid_particles_volume(p), film = rv_rig_couple_film(&rig), smallest = 1, largest = 0, age = 0;
  RvVec3 before = rv_add(rv_rig_couple_momentum(&rig, 0), bulk_momentum(&bulk));
  for (uint64_t i = 0; i < 8 && !result; ++i)
    result = rv_couple_drip(rig.couple, &rig.strands, &rig.set, &bulk.liquid.grid, p, &bulk.liquid.next_id, 7, 2e-3, i,
                            rig.kick, &report, error);
  RvVec3 after = rv_add(rv_rig_couple_momentum(&rig, 0), bulk_momentum(&bulk));
  bool rows = p->count > first;
  for (size_t i = first; i < p->count; ++i) {
    smallest = fmin(smallest, p->volume[i] / rig.set.nominal);
    largest = fmax(largest, p->volume[i] / rig.set.nominal);
    rows = rows && p->row[i] == 7;
    age = fmax(age, (double)p->age[i]);
  }
  rv_check_emit(out, "volume", (rv_liquid_particles_volume(p) + rv_rig_couple_film(&rig)) / (volume + film) - 1, 0,
                1e-12);
  rv_check_emit(out, "momentum", part(rv_sub(after, before), before), 0, 1e-12);
  rv_check_emit(out, "smallest", fmin(smallest, 0.1), 0.1, 1e-12);
  rv_check_emit(out, "largest", fmax(largest, 0.5), 0.5, 1e-12);
  rv_check_emit(out, "age", age, 0, 0);
  rv_check_emit(out, "rows", rows, 1, 0);
  rv_check_emit(out, "left_behind", left_behind(&rig), 0, 0);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

//---------------------------------------------------------------------------------------------- drag and film on the
// grid

static RvResult to_grid(RvLiquidRig* bulk, RvError* error) {
  RvLiquid* l = &bulk->liquid;
  RvResult result = rv_liquid_grid_build(&l->grid, &l->particles, error);
  if (!result) result = rv_liquid_to_grid(&l->grid, &l->scatter, &l->particles, l->model.density, error);
  return result ? result : rv_liquid_surface(&l->grid, NULL, &l->particles, &l->scatter, error);
}

// sums over faces, one an axis
static RvVec3 faces(const RvLiquidGrid* g, const RvChannel* channel) {
  double sum[3] = {0, 0, 0};
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i) sum[a] += (double)channel[a].data[i];
  return rv_vec3_load64(sum);
}

// what drag gave to the strands: the implicit part and the rest, which is all that is in `force`
static RvVec3 drag_impulse(const RvCoupleRig* rig, double dt) {
  double sum[3] = {0, 0, 0};
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = 0; lane < rig->model->batches[b].lanes; ++lane)
      for (int i = 0; i < rig->model->batches[b].vertices; ++i)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&rig->model->batches[b], lane, i, c);
          sum[c] +=
              dt * (rig->sample->drag[at] * (rig->sample->drag_velocity[at] - rig->state->v[at]) + rig->force[at]);
        }
  return rv_vec3_load64(sum);
}

RvResult rv_check_reaction(const RvCheckOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  const double dt = 2e-3;
  RvResult result = wild(&rig, &bulk, 0.004, error);
  if (result) return result;
  RvParticles* p = &bulk.liquid.particles;
  RvLiquidGrid* g = &bulk.liquid.grid;
  // all at one speed, so that the floats of faces do not hide what they get
  for (size_t i = 0; i < p->count; ++i)
    for (int a = 0; a < 3; ++a) p->v[a][i] = 0;
  rv_rig_couple_wet(&rig, 0);
  result = to_grid(&bulk, error);
  memset(rig.force, 0, rig.model->unknowns * sizeof(double));
  if (!result) result = rv_couple_sample(rig.couple, &rig.strands, &rig.set, g, dt, rig.force, &rig.sample, error);
  RvVec3 before = {0, 0, 0}, mass = {0, 0, 0};
  if (!result) {
    before = faces(g, g->momentum);
    mass = faces(g, g->mass);
  }
  if (!result) result = rv_rig_couple_step(&rig, dt, false, error);
  if (!result) result = rv_couple_react(rig.couple, &rig.strands, &rig.set, g, dt, error);
  if (!result) {
    RvVec3 given = drag_impulse(&rig, dt), taken = rv_sub(before, faces(g, g->momentum));
    rv_check_emit(out, "drag", part(rv_sub(given, taken), given), 0, 1e-9);
  }
  // WH-35: the same with film
  rv_rig_couple_wet(&rig, 2e-7);
  clear_spare(&rig);
  if (!result) result = to_grid(&bulk, error);
  if (!result) result = rv_couple_sample(rig.couple, &rig.strands, &rig.set, g, dt, rig.force, &rig.sample, error);
  if (!result) result = rv_couple_react(rig.couple, &rig.strands, &rig.set, g, dt, error);
  if (!result) {
    double film = 0;
    for (size_t i = 0; i < rig.model->vertices; ++i)
      film += rig.set.density * rig.film_state.volume[i] * (1 - rig.sample->wet[i]);
    RvVec3 now = rv_sub(faces(g, g->mass), mass);
    rv_check_emit(out, "film_mass_x", now.x / film, 1, 1e-6);
    rv_check_emit(out, "film_mass_y", now.y / film, 1, 1e-6);
    rv_check_emit(out, "film_mass_z", now.z / film, 1, 1e-6);
  }
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}

//---------------------------------------------------------------------------------------------- all of it without
// weight

static RvVec3 at3(const double* block, const RvStrandBatch* b, int lane, int i) {
  return rv_vec3(block[rv_strand_index(b, lane, i, 0)], block[rv_strand_index(b, lane, i, 1)],
                 block[rv_strand_index(b, lane, i, 2)]);
}

static RvVec3 tangent(const double* q, const RvStrandBatch* b, int lane, int i) {
  return rv_normalize(rv_sub(at3(q, b, lane, i + 1), at3(q, b, lane, i)), rv_vec3(0, 1, 0));
}

// What the film's own step would see to: the momentum along an edge that turns goes to its strand, and film under water
// is not taken along.
static void turn_film(RvCoupleRig* rig, const double* q, const double* v) {
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t k = 0; k < rig->model->nbatch; ++k) {
      const RvStrandBatch* b = &rig->model->batches[k];
      for (int lane = 0; lane < b->lanes; ++lane)
        for (int i = 0; i + 1 < b->vertices; ++i) {
          size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
          double* speed = &rig->film_state.speed[b->edge_at + (size_t)i * RV_LANES + (size_t)lane];
          double part[2];
          rv_rig_couple_shares(rig, b, lane, i, part);
          RvVec3 t = tangent(rig->state->q, b, lane, i);
          RvVec3 turn = rv_scale(rv_sub(tangent(q, b, lane, i), t), 500 * (part[0] + part[1]) * *speed);
          double lag = 0, turned[3] = {turn.x, turn.y, turn.z};
          for (int end = 0; end < 2; ++end) {
            double under = 1 - rig->sample->wet[vertex + (size_t)(end * RV_LANES)];
            lag +=
                part[end] * under * rv_dot(rv_sub(at3(rig->state->v, b, lane, i + end), at3(v, b, lane, i + end)), t);
            for (int c = 0; c < 3 && pass == 0; ++c) rig->kick[rv_strand_index(b, lane, i + end, c)] += turned[c];
          }
          if (pass == 1 && part[0] + part[1] > 0) *speed -= lag / (part[0] + part[1]);
        }
    }
    if (pass == 0) rv_rig_couple_kick(rig);
  }
}

static RvResult float_step(RvCoupleRig* rig, RvLiquidRig* bulk, double dt, uint64_t step, RvCoupleReport* report,
                           RvError* error) {
  RvLiquid* l = &bulk->liquid;
  RvParticles* p = &l->particles;
  RvResult result = rv_liquid_particles_sort(p, &l->report.lost, error);
  if (!result)
    result = rig->sample
                 ? rv_couple_capture(rig->couple, &rig->strands, &rig->set, &l->grid, p, dt, rig->kick, report, error)
                 : rv_rig_couple_capture_submerged(rig, &l->grid, p, dt, report, error);
  if (!result)
    result = rv_couple_drip(rig->couple, &rig->strands, &rig->set, &l->grid, p, &l->next_id, 0, dt, step, rig->kick,
                            report, error);
  // all film goes with its strand from substep to substep (E42)
  rv_rig_couple_load(rig, NULL);
  rv_rig_couple_kick(rig);
  size_t n = rig->model->unknowns;
  double* before = rv_alloc(3 * n, sizeof(double));
  if (!before) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memcpy(before, rig->state->q, n * sizeof(double));
  memcpy(before + n, rig->state->v, n * sizeof(double));
  if (!result) result = rv_liquid_particles_sort(p, &l->report.lost, error);
  if (!result) result = to_grid(bulk, error);
  memset(rig->force, 0, rig->model->unknowns * sizeof(double));
  if (!result)
    result = rv_couple_sample(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->force, &rig->sample, error);
  if (!result) rv_rig_couple_load(rig, rig->sample->wet);
  if (!result) result = rv_rig_couple_step(rig, dt, false, error);
  memcpy(before + 2 * n, rig->state->v, n * sizeof(double));
  if (!result) turn_film(rig, before, before + n);
  rig->strands.v_step = before + 2 * n;
  if (!result) result = rv_couple_react(rig->couple, &rig->strands, &rig->set, &l->grid, dt, error);
  rig->strands.v_step = NULL;
  rv_free(before);
  if (result) return result;
  rv_liquid_grid_velocity(&l->grid);
  rv_liquid_mark_valid(&l->grid);
  result = rv_couple_pressure(rig->couple, &rig->strands, &rig->set, &l->grid, dt, rig->stored, rig->kick, error);
  rv_rig_couple_load(rig, NULL);
  rv_rig_couple_kick(rig);
  rv_liquid_extrapolate(&l->grid, NULL);
  rv_liquid_from_grid(&l->grid, &l->scatter, p, dt);
  return result;
}

RvResult rv_check_weightless(const RvCheckOut* out, RvError* error) {
  RvCoupleRig rig;
  RvLiquidRig bulk;
  RvCoupleReport report = {0};
  RvResult result = wild(&rig, &bulk, 0.004, error);
  if (result) return result;
  RvParticles* p = &bulk.liquid.particles;
  // a ball of it, so that some of the strands are outside and pass in and out
  for (size_t i = 0; i < p->count; ++i)
    if (rv_distance(rv_rig_liquid_at(&bulk, i), rv_vec3(0.014, 0.014, 0.014)) > 0.012) p->volume[i] = 0;
  rig.set.capacity = 0.1;
  rv_rig_couple_wet(&rig, 2e-6);
  // every other one has little
  for (size_t i = 0; i < rig.model->vertices; i += 2) rig.film_state.volume[i] *= 0.2;
  clear_spare(&rig);
  const double dt = 1e-3;
  RvVec3 before = rv_add(rv_rig_couple_momentum(&rig, dt), bulk_momentum(&bulk));
  double volume = rv_liquid_particles_volume(p) + rv_rig_couple_film(&rig), worst = 0;
  for (uint64_t i = 0; i < 30 && !result; ++i) {
    result = float_step(&rig, &bulk, dt, i, &report, error);
    RvVec3 now = rv_add(rv_rig_couple_momentum(&rig, dt), bulk_momentum(&bulk));
    worst = fmax(worst, part(rv_sub(now, before), before));
  }
  rv_check_emit(out, "momentum", worst, 0, 1e-6);
  rv_check_emit(out, "volume", (rv_liquid_particles_volume(p) + rv_rig_couple_film(&rig)) / volume - 1, 0, 1e-12);
  rv_check_emit(out, "captured", report.captured > 20, 1, 0);
  rv_check_emit(out, "dripped", report.dripped > 20, 1, 0);
  rv_rig_couple_free(&rig);
  rv_rig_liquid_free(&bulk);
  return result;
}
