// Checks of wicking between strands through bridges (film_across, WH-27), and of absorption and drying (film_dry,
// WH-19, WH-46).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/film.h"

static const double HAIR_RADIUS = 4e-5;  // m
static const double DENSITY = 1000;      // kg/m3

// Strands of different vertex counts side by side, each a batch of one lane.
typedef struct Row {
  int count;
  RvFilmBatch* batches;
  RvFilmModel model;
  RvFilmState state;
  RvFilmStepDef def;
  double *x, *v, *kick;    // [unknowns]
  double *radius, *hairs;  // [vertices]
  double* arrays;          // block of all these
} Row;

// `count` strands along x, `apart` from each other along y, at rest, with water.
static RvResult row_new(Row* row, int count, const int* vertices, double length, double apart, RvError* error) {
  *row = (Row){.count = count, .batches = rv_alloc_zero((size_t)count, sizeof(RvFilmBatch))};
  size_t at = 0, edges = 0;
  for (int k = 0; row->batches && k < count; ++k) {
    size_t n = (size_t)vertices[k] * RV_LANES;
    row->batches[k] = (RvFilmBatch){vertices[k], 1, 4 * at, at, edges};
    at += n;
    edges += n - RV_LANES;
  }
  row->arrays = rv_alloc_zero(14 * at, sizeof(double));
  if (!row->batches || !row->arrays) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Divides the block.
  row->x = row->arrays;
  row->v = row->x + 4 * at;
  row->kick = row->v + 4 * at;
  row->radius = row->kick + 4 * at;
  row->hairs = row->radius + at;
  row->model = (RvFilmModel){
      .nbatch = (size_t)count,
      .batches = row->batches,
      .unknowns = 4 * at,
      .vertices = at,
      .edges = edges,
      .radius = row->radius,
      .hairs = row->hairs,
      .liquid = {.density = DENSITY, .tension = 0.072, .consistency = 1e-3, .index = 1},
  };
  row->def = (RvFilmStepDef){.dt = 1e-3, .x_before = row->x, .v_before = row->v, .x = row->x, .v = row->v};
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < vertices[k]; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t v = row->batches[k].vertex_at + (size_t)(i * RV_LANES + lane);
        double* x = &row->x[row->batches[k].at + (size_t)(4 * i * RV_LANES + lane)];
        row->radius[v] = HAIR_RADIUS;
        row->hairs[v] = 1;
        x[0] = length * i / (vertices[k] - 1);
        x[RV_LANES] = apart * k;
      }
  return rv_film_state_init(&row->state, &row->model) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

static void row_free(Row* row) {
  rv_film_state_free(&row->state);
  rv_free(row->arrays);
  rv_free(row->batches);
}

// Film of one height on a strand.
static void row_fill(Row* row, int strand, double length, double height) {
  const RvFilmBatch* b = &row->batches[strand];
  double edge = length / (b->vertices - 1);
  for (int i = 0; i < b->vertices; ++i) {
    double cell = i == 0 || i + 1 == b->vertices ? 0.5 * edge : edge;
    row->state.volume[b->vertex_at + (size_t)(i * RV_LANES)] = rv_film_area(height, HAIR_RADIUS) * cell;
  }
}

// Film height at a vertex.
static double row_height(const Row* row, int strand, double length, int i) {
  const RvFilmBatch* b = &row->batches[strand];
  double edge = length / (b->vertices - 1), cell = i == 0 || i + 1 == b->vertices ? 0.5 * edge : edge;
  return rv_film_height(row->state.volume[b->vertex_at + (size_t)(i * RV_LANES)] / cell, HAIR_RADIUS);
}

// Film of all strands, m3.
static double row_volume(const Row* row) {
  double film, absorbed;
  rv_film_volumes(&row->model, &row->state, &film, &absorbed);
  return film;
}

// Momentum of the film of all strands with the impulses on the hair; the hair itself does not move.
static void row_momentum(const Row* row, double p[3], double* mass) {
  rv_film_edge_masses(&row->model, &row->state, row->x, mass);
  for (int c = 0; c < 3; ++c) p[c] = 0;
  for (int k = 0; k < row->count; ++k)
    for (int i = 0; i < row->batches[k].vertices; ++i) {
      const RvFilmBatch* b = &row->batches[k];
      size_t v = b->vertex_at + (size_t)(i * RV_LANES), at = b->at + (size_t)(4 * i * RV_LANES);
      for (int c = 0; c < 3; ++c)
        p[c] += DENSITY * row->state.volume[v] * row->v[at + (size_t)(c * RV_LANES)] +
                row->kick[at + (size_t)(c * RV_LANES)];
      if (i + 1 < b->vertices)
        p[0] += mass[b->edge_at + (size_t)(i * RV_LANES)] * row->state.speed[b->edge_at + (size_t)(i * RV_LANES)];
    }
}

// Bridges between two strands at `count` places along them.
static void bridges_between(const Row* row, int a, int b, int count, double length, double distance,
                            RvFilmBridge* out) {
  // Positions and hairs.
  for (int k = 0; k < count; ++k) {
    double s = (k + 0.5) / count;
    const int strand[2] = {a, b};
    for (int v = 0; v < 2; ++v) {
      const RvFilmBatch* batch = &row->batches[strand[v]];
      double place = s * (batch->vertices - 1);
      int i = (int)place;
      out[k].vertex[v] = (uint32_t)(batch->vertex_at + (size_t)(i * RV_LANES));
      out[k].t[v] = place - i;
    }
    out[k].distance = distance;
    out[k].length = length / count;
  }
}

// A wet strand of 20 vertices beside a dry one of 7: conservation, and equal heights at the end.
static RvResult pair(const RvCheckOut* out, RvError* error) {
  enum { BRIDGES = 40 };
  const int vertices[] = {20, 7};
  const double length = 0.02;
  Row row;
  RvFilmBridge bridges[BRIDGES];
  RvResult result = row_new(&row, 2, vertices, length, 1e-4, error);
  double* mass = result ? NULL : rv_alloc(row.model.edges, sizeof(double));
  if (!result && !mass) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result) {
    row_free(&row);
    return result;
  }
  row_fill(&row, 0, length, 6e-5);
  for (size_t k = 0; k < row.model.edges; ++k) row.state.speed[k] = 0.1 * sin((double)k);
  for (size_t k = 0; k < row.model.unknowns; ++k) row.v[k] = 0.1 * cos((double)k);
  bridges_between(&row, 0, 1, BRIDGES, length, 2e-5, bridges);
  // Steps, then momentum and heights.
  double first = row_volume(&row);
  double drift = 0, p0[3], p1[3], momentum_error = 0, least = 0;
  row_momentum(&row, p0, mass);
  // 200 steps of a millisecond, 380 of a second, 20 of a year.
  for (int k = 0; k < 600 && !result; ++k) {
    double before = row_volume(&row);
    row.def.dt = k < 200 ? 1e-3 : k < 580 ? 1 : 3e7;
    result = rv_film_across(&row.model, &row.state, &row.def, bridges, BRIDGES, row.kick, error);
    drift = fmax(drift, fabs(row_volume(&row) - before) / first);
    for (size_t i = 0; i < row.model.vertices; ++i) least = fmin(least, row.state.volume[i]);
  }
  row_momentum(&row, p1, mass);
  for (int c = 0; c < 3; ++c) momentum_error = fmax(momentum_error, fabs(p1[c] - p0[c]) / (DENSITY * first * 0.1));
  double lo = INFINITY, hi = 0;
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < vertices[s]; ++i) {
      lo = fmin(lo, row_height(&row, s, length, i));
      hi = fmax(hi, row_height(&row, s, length, i));
    }
  if (!result) {
    rv_check_emit(out, "volume_a_step", drift, 0, 1e-12);
    rv_check_emit(out, "below_zero", least, 0, 0);
    // Rounding of 600 steps; unequal edges cannot have exactly equal heights.
    rv_check_emit(out, "momentum", momentum_error, 0, 1e-11);
    rv_check_emit(out, "heights_equalise", lo / hi, 1, 0.02);
  }
  rv_free(mass);
  row_free(&row);
  return result;
}

// Exchanging the wet and the drier strand reverses the flow.
static RvResult antisymmetric(const RvCheckOut* out, RvError* error) {
  const int vertices[] = {9, 9};
  double moved[2];
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    Row row;
    RvFilmBridge bridges[12];
    result = row_new(&row, 2, vertices, 0.02, 1e-4, error);
    if (result) {
      row_free(&row);
      return result;
    }
    row_fill(&row, k, 0.02, 6e-5);
    row_fill(&row, 1 - k, 0.02, 1e-5);
    double before = row.state.volume[row.batches[0].vertex_at + 4 * RV_LANES];
    bridges_between(&row, 0, 1, 12, 0.02, 2e-5, bridges);
    result = rv_film_across(&row.model, &row.state, &row.def, bridges, 12, row.kick, error);
    moved[k] = row.state.volume[row.batches[0].vertex_at + 4 * RV_LANES] - before;
    row_free(&row);
  }
  if (!result) rv_check_emit(out, "antisymmetric", moved[0] / moved[1], -1, 1e-12);
  return result;
}

// Fibres of contact angles 30 and 70 degrees, equally wet: in equilibrium their suctions, cos(angle) / (r + h +
// distance / 2), are equal.
static RvResult unlike(const RvCheckOut* out, RvError* error) {
  const int vertices[] = {9, 9};
  const double length = 0.02;
  const double angle[] = {RV_PI / 6, 7 * RV_PI / 18};
  const double distance = 2e-5;
  double suction[2], angles[2 * 9 * RV_LANES];
  Row row;
  RvFilmBridge bridges[12];
  RvResult result = row_new(&row, 2, vertices, length, 1e-4, error);
  if (result) {
    row_free(&row);
    return result;
  }
  for (int k = 0; k < 2; ++k) {
    row_fill(&row, k, length, 6e-5);
    for (int i = 0; i < 9 * RV_LANES; ++i) angles[9 * RV_LANES * k + i] = angle[k];
  }
  // 200 s of wicking, then the suctions of the middle vertices.
  row.def.settings.angle_at = angles;
  row.def.dt = 0.1;
  bridges_between(&row, 0, 1, 12, length, distance, bridges);
  for (int k = 0; k < 2000 && !result; ++k)
    result = rv_film_across(&row.model, &row.state, &row.def, bridges, 12, row.kick, error);
  for (int k = 0; k < 2; ++k)
    suction[k] = cos(angle[k]) / (HAIR_RADIUS + row_height(&row, k, length, 4) + 0.5 * distance);
  row_free(&row);
  if (!result) rv_check_emit(out, "unlike_fibres_suck_alike", suction[0] / suction[1], 1, 1e-3);
  return result;
}

// Washburn's law: along a row of hairs whose first is kept wet the front advances with the root of time. Its exponent
// is that between steps 1000 and 4000.
static RvResult washburn(const RvCheckOut* out, RvError* error) {
  enum { HAIRS = 60, BRIDGES = 4 };
  int vertices[HAIRS];
  double front[2];
  RvFilmBridge bridges[(HAIRS - 1) * BRIDGES];
  for (int k = 0; k < HAIRS; ++k) vertices[k] = 3 + k % 3;
  Row row;
  RvResult result = row_new(&row, HAIRS, vertices, 5e-3, 1e-4, error);
  if (result) {
    row_free(&row);
    return result;
  }
  for (int k = 0; k + 1 < HAIRS; ++k) bridges_between(&row, k, k + 1, BRIDGES, 5e-3, 2e-5, bridges + k * BRIDGES);
  // 80 ms; the first hair is refilled before every step.
  row.def.dt = 2e-5;
  for (int step = 1, k = 0; step <= 4000 && !result; ++step) {
    row_fill(&row, 0, 5e-3, 4e-5);
    result = rv_film_across(&row.model, &row.state, &row.def, bridges, (HAIRS - 1) * BRIDGES, row.kick, error);
    if (step != 1000 && step != 4000) continue;
    // The front: where the height falls below a tenth of the first hair's, interpolated between hairs.
    int i = 0;
    while (i + 1 < HAIRS && row_height(&row, i, 5e-3, 1) > 4e-6) ++i;
    double a = row_height(&row, i - 1, 5e-3, 1), b = row_height(&row, i, 5e-3, 1);
    front[k++] = i - 1 + (a - 4e-6) / (a - b);
  }
  row_free(&row);
  // The front is a dozen hairs long.
  if (!result) rv_check_emit(out, "washburn_exponent", log(front[1] / front[0]) / log(4), 0.5, 0.03);
  return result;
}

// Conservation, antisymmetry, contact angles, Washburn's law (WH-27).
RvResult rv_check_film_across(const RvCheckOut* out, RvError* error) {
  RvResult result = pair(out, error);
  if (!result) result = antisymmetric(out, error);
  if (!result) result = unlike(out, error);
  return result ? result : washburn(out, error);
}

//---------------------------------------------------------------------------------------------- absorption and drying

static const double SATURATION = 0.3;   // absorbed volume over the fibre's
static const double DRYING = 1e-6;      // m/s
static const double DRY_LENGTH = 0.02;  // of the strands, m

// A second of absorption at a rate of 2/s, without drying: volume and momentum are conserved.
static void absorb(const RvCheckOut* out, RvFilmRig* r) {
  double film = 0, absorbed = 0, p0[3], p1[3];
  double first = rv_rig_film_volume(r);
  r->def.dt = 0.05;
  r->def.settings.absorption = 2;
  r->def.settings.saturation = SATURATION;
  memset(r->kick, 0, r->model.unknowns * sizeof(double));
  rv_rig_film_momentum(r, p0);
  for (int k = 0; k < 20; ++k) rv_film_dry(&r->model, &r->state, &r->def, r->kick, &r->report);
  rv_rig_film_momentum(r, p1);
  for (size_t k = 0; k < r->model.unknowns; ++k) p1[0] += k / RV_LANES % 4 == 0 ? r->kick[k] : 0;
  rv_film_volumes(&r->model, &r->state, &film, &absorbed);
  double full = RV_PI * HAIR_RADIUS * HAIR_RADIUS * DRY_LENGTH * SATURATION * RV_LANES;
  rv_check_emit(out, "soaked", absorbed / full, 1 - rv_exp(-2.0), 1e-9);
  rv_check_emit(out, "soaking_keeps_volume", (film + absorbed) / first, 1, 1e-12);
  rv_check_emit(out, "soaking_keeps_momentum", p1[0] / p0[0], 1, 1e-12);
}

// Drying without absorption until nothing is left: a film thins at the drying rate, so it is gone after height /
// drying.
static RvResult dry(const RvCheckOut* out, RvFilmRig* r, RvError* error) {
  double film = 0, absorbed = 0;
  rv_film_volumes(&r->model, &r->state, &film, &absorbed);
  r->def.settings.absorption = 0;
  r->def.settings.drying = DRYING;
  double start_height = rv_rig_film_height(r, 10);
  double all = film + absorbed;
  double dry_at = 0, ledger_error = 0;
  for (int k = 1; k < 4000; ++k) {
    rv_film_dry(&r->model, &r->state, &r->def, NULL, &r->report);
    rv_film_volumes(&r->model, &r->state, &film, &absorbed);
    ledger_error = fmax(ledger_error, fabs(film + absorbed + r->report.evaporated - all) / all);
    if (dry_at == 0 && r->state.volume[10 * RV_LANES] == 0) dry_at = k * r->def.dt;
    if (film + absorbed == 0) break;
  }
  rv_check_emit(out, "time", dry_at * DRYING / start_height, 1, 0.01);
  rv_check_emit(out, "counted", ledger_error, 0, 1e-12);
  // No volume, speed, momentum or load is left.
  double remainder = film + absorbed;
  for (size_t k = 0; k < r->model.edges; ++k) remainder += fabs(r->state.speed[k]);
  for (int k = 0; k < 3 * RV_LANES; ++k) remainder += fabs(r->state.drop_momentum[k]);
  rv_check_emit(out, "nothing_left", remainder, 0, 0);
  RvResult result = rv_film_load(&r->model, &r->state, &r->def, r->load, r->slide, r->turn, r->force, error);
  double load = 0;
  for (size_t k = 0; k < r->model.vertices; ++k) load += r->load[k] + fabs(r->slide[k]);
  if (!result) rv_check_emit(out, "no_load", load, 0, 0);
  return result;
}

// Absorption up to the saturation, then drying: the film evaporates first, then the fibre. At the end all is exactly 0,
// and what evaporated is what was counted.
RvResult rv_check_film_dry(const RvCheckOut* out, RvError* error) {
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, 21, RV_LANES, DRY_LENGTH, HAIR_RADIUS, error);
  if (result) return result;
  for (int i = 0; i < r.n; ++i) rv_rig_film_set_height(&r, i, 3e-5);
  for (int j = 0; j + 1 < r.n; ++j) rv_rig_film_set_speed(&r, j, 0.01);
  r.state.drop[0] = 1e-12;
  r.state.drop_momentum[0] = 1e-12;
  absorb(out, &r);
  result = dry(out, &r, error);
  rv_rig_film_free(&r);
  return result;
}
