// State fields that are loaded and saved by their rows: load(save(x)) is x, bit for bit, for strands, film and liquid;
// and a row that is wrong or not saved is noticed.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "node/solver/wet_frame.h"
#include "support/rv_test.h"

// More strands than lanes, so that a batch has spare lanes.
enum { STRANDS = 11, VERTICES = 5, PARTICLES = 40, MOST_FIELDS = 64 };

// A number of [0, 1) that is another at every call.
static double any(void) {
  static uint64_t counter;
  return rv_random4(5, 0, counter++).v[0] / 4294967296.0;
}

//---------------------------------------------------------------------------------------------- strands

typedef struct Strands {
  double x[STRANDS][VERTICES][3], radius[VERTICES];
  RvStrandDef defs[STRANDS];
  RvStrandSet set;
  RvStrandModel* model;
  RvDetail* detail;
} Strands;

static void open_strands(Strands* s) {
  RvError error = {0};
  *s = (Strands){0};
  for (int i = 0; i < VERTICES; ++i) s->radius[i] = 4e-5;
  for (int k = 0; k < STRANDS; ++k) {
    for (int i = 0; i < VERTICES; ++i) {
      s->x[k][i][0] = 0.01 * k;
      s->x[k][i][1] = -0.01 * i;
    }
    s->defs[k] = (RvStrandDef){.vertices = VERTICES,
                               .x = s->x[k][0],
                               .radius = s->radius,
                               .density = 1300,
                               .youngs = 3e9,
                               .shear = 1e9,
                               .ellipse = 1,
                               .multiple = 1,
                               .id = k};
  }
  CHECK_OK(rv_strands_from_defs(s->defs, STRANDS, &s->set, &error), error);
  CHECK_OK(rv_strand_model_new(s->defs, STRANDS, &s->model, &error), error);
  s->detail = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(s->detail, STRANDS, VERTICES, NULL, NULL, &error), error);
}

static void close_strands(Strands* s) {
  rv_detail_free(s->detail);
  rv_strand_model_free(s->model);
  rv_strands_free(&s->set);
}

// An array in lanes, and which of its rows of lanes are saved: `width` a vertex (or edge, or strand), the first
// `saved`.
typedef struct Array {
  double* data;
  RvLayout where;
  int width, saved;
} Array;

// Calls for every number of the lanes in use.
static bool each_number(const Strands* s, const Array* a, const Array* other) {
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    size_t base = a->where == RV_LAYOUT_VERTEX_LANES ? b->vertex_at
                  : a->where == RV_LAYOUT_EDGE_LANES ? b->edge_at
                                                     : k * RV_LANES;
    int n = a->where == RV_LAYOUT_STRAND_LANES ? 1 : a->where == RV_LAYOUT_EDGE_LANES ? b->vertices - 1 : b->vertices;
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < a->saved; ++c)
        for (int lane = 0; lane < b->lanes; ++lane) {
          size_t at = (size_t)a->width * base + (size_t)(a->width * i + c) * RV_LANES + (size_t)lane;
          if (!other)
            a->data[at] = any();
          else if (memcmp(&a->data[at], &other->data[at], sizeof(double)) != 0)
            return false;
        }
  }
  return true;
}

static size_t numbers_of(const Strands* s, const Array* a) {
  size_t n = a->where == RV_LAYOUT_VERTEX_LANES ? s->model->vertices
             : a->where == RV_LAYOUT_EDGE_LANES ? s->model->edges
                                                : s->model->nbatch * RV_LANES;
  return (size_t)a->width * n;
}

// The arrays of the strands' state.
static size_t strand_arrays(RvStrandState* s, RvStrandModel* m, Array* out) {
  const Array all[] = {{s->q, RV_LAYOUT_VERTEX_LANES, 4, 4},
                       {s->v, RV_LAYOUT_VERTEX_LANES, 4, 4},
                       {s->q_before, RV_LAYOUT_VERTEX_LANES, 4, 4},
                       {s->v_before, RV_LAYOUT_VERTEX_LANES, 4, 4},
                       {s->director, RV_LAYOUT_EDGE_LANES, 3, 3},
                       {s->reference_twist, RV_LAYOUT_VERTEX_LANES, 1, 1},
                       {m->rest_length, RV_LAYOUT_EDGE_LANES, 1, 1},
                       {m->rest_twist, RV_LAYOUT_VERTEX_LANES, 1, 1},
                       {m->rest_curvature, RV_LAYOUT_VERTEX_LANES, 4, 4}};
  memcpy(out, all, sizeof all);
  return sizeof all / sizeof *all;
}

// Saves random numbers by one table of rows, loads them into another state, and says whether all bits came back.
static bool strands_come_back(const RvFieldDef* fields) {
  RvError error = {0};
  Strands s, t;
  open_strands(&s);
  open_strands(&t);
  RvStrandRecord a = {{{1, 2, 3}, 0.1, 24, 1, {7, 8, 9}}, rv_strand_state_alloc(s.model), s.model};
  RvStrandRecord b = {.state = rv_strand_state_alloc(t.model), .model = t.model};
  Array from[16], to[16];
  size_t n = strand_arrays(a.state, a.model, from);
  strand_arrays(b.state, b.model, to);
  for (size_t i = 0; i < n; ++i) {
    each_number(&s, &from[i], NULL);
    memset(to[i].data, 0, numbers_of(&t, &to[i]) * sizeof(double));
  }
  RvStateLanes lanes = rv_strands_lanes(&s.set, s.model);
  CHECK_OK(rv_state_save(s.detail, fields, RV_STRAND_FIELD_COUNT, &a, &error), error);
  CHECK_OK(rv_state_save_lanes(s.detail, fields, RV_STRAND_FIELD_COUNT, &a, &lanes, &error), error);
  // What a load does not find, it refuses; that is noticed, too.
  lanes = rv_strands_lanes(&t.set, t.model);
  bool same = !rv_state_load(s.detail, fields, RV_STRAND_FIELD_COUNT, &b, &error) &&
              !rv_state_load_lanes(s.detail, fields, RV_STRAND_FIELD_COUNT, &b, &lanes, &error);
  for (size_t i = 0; i < n && same; ++i) same = each_number(&s, &from[i], &to[i]);
  same = same && memcmp(a.globals.carry, b.globals.carry, sizeof a.globals.carry) == 0 &&
         memcmp(a.globals.origin, b.globals.origin, sizeof a.globals.origin) == 0 && a.globals.dt == b.globals.dt &&
         a.globals.rate == b.globals.rate && a.globals.has_before == b.globals.has_before;
  rv_strand_state_free(a.state);
  rv_strand_state_free(b.state);
  close_strands(&s);
  close_strands(&t);
  return same;
}

static void strands_round_trip(void** state) {
  (void)state;
  assert_true(strands_come_back(rv_strand_fields));
}

static void faulty_rows_are_noticed(void** state) {
  (void)state;
  RvFieldDef rows[MOST_FIELDS];
  for (size_t i = 0; i < RV_STRAND_FIELD_COUNT; ++i) {
    const RvFieldDef* row = &rv_strand_fields[i];
    if (row->layout == RV_LAYOUT_OWN) continue;
    // The member of another row.
    memcpy(rows, rv_strand_fields, sizeof rv_strand_fields);
    bool before = row->held && row->member == offsetof(RvStrandState, v_before);
    rows[i].member = row->layout == RV_LAYOUT_NUMBERS ? offsetof(RvStrandRecord, globals.carry[8])
                     : before                         ? offsetof(RvStrandState, v)
                                                      : offsetof(RvStrandState, v_before);
    if (rows[i].held) rows[i].holder = offsetof(RvStrandRecord, state);
    if (row->layout != RV_LAYOUT_NUMBERS && strands_come_back(rows)) fail_msg("wrong member of %s", row->name);
    // A field that is not saved.
    memcpy(rows, rv_strand_fields, sizeof rv_strand_fields);
    rows[i].saved = false;
    if (row->layout != RV_LAYOUT_NUMBERS && strands_come_back(rows)) fail_msg("%s is not saved", row->name);
  }
}

//---------------------------------------------------------------------------------------------- film

static size_t film_arrays(RvWetFilm* w, Array* out) {
  const Array all[] = {
      {w->film_state.volume, RV_LAYOUT_VERTEX_LANES, 1, 1}, {w->film_state.absorbed, RV_LAYOUT_VERTEX_LANES, 1, 1},
      {w->film_state.strain, RV_LAYOUT_VERTEX_LANES, 1, 1}, {w->film_state.speed, RV_LAYOUT_EDGE_LANES, 1, 1},
      {w->film_state.drop, RV_LAYOUT_STRAND_LANES, 1, 1},   {w->film_state.drop_momentum, RV_LAYOUT_STRAND_LANES, 3, 3},
      {w->air_share, RV_LAYOUT_VERTEX_LANES, 1, 1},         {w->drop_acceleration, RV_LAYOUT_VERTEX_LANES, 4, 3},
      {w->feedback_impulse, RV_LAYOUT_VERTEX_LANES, 4, 3},  {w->exchange_air, RV_LAYOUT_VERTEX_LANES, 1, 1}};
  memcpy(out, all, sizeof all);
  return sizeof all / sizeof *all;
}

static void open_film(const RvStrandModel* m, RvFilmPort* port) {
  *port = (RvFilmPort){0};
  RvFilmModel film = {.nbatch = m->nbatch, .unknowns = m->unknowns, .vertices = m->vertices, .edges = m->edges};
  assert_true(rv_film_state_init(&port->film.film_state, &film));
  port->film.air_share = calloc(m->vertices, sizeof(double));
  port->film.exchange_air = calloc(m->vertices, sizeof(double));
  port->film.drop_acceleration = calloc(m->unknowns, sizeof(double));
  port->film.feedback_impulse = calloc(m->unknowns, sizeof(double));
}

static void close_film(RvFilmPort* port) {
  rv_film_state_free(&port->film.film_state);
  free(port->film.air_share);
  free(port->film.exchange_air);
  free(port->film.drop_acceleration);
  free(port->film.feedback_impulse);
}

static void film_round_trip(void** state) {
  (void)state;
  RvError error = {0};
  Strands s;
  RvFilmPort a, b;
  open_strands(&s);
  open_film(s.model, &a);
  open_film(s.model, &b);
  Array from[16], to[16];
  size_t n = film_arrays(&a.film, from);
  film_arrays(&b.film, to);
  for (size_t i = 0; i < n; ++i) each_number(&s, &from[i], NULL);
  double taken[] = {3, 0.5, 9, 0.25};
  a.initial = 1;
  a.sources = 2;
  a.evaporated = 3;
  a.captured = (RvStateList){taken, 4};
  RvStateLanes lanes = rv_strands_lanes(&s.set, s.model);
  CHECK_OK(rv_state_save(s.detail, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &a, &error), error);
  CHECK_OK(rv_state_save_lanes(s.detail, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &a, &lanes, &error), error);
  CHECK_OK(rv_state_load(s.detail, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &b, &error), error);
  CHECK_OK(rv_state_load_lanes(s.detail, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &b, &lanes, &error), error);
  for (size_t i = 0; i < n; ++i) assert_true(each_number(&s, &from[i], &to[i]));
  assert_true(b.initial == 1 && b.sources == 2 && b.evaporated == 3);
  assert_int_equal(b.captured.count, 4);
  assert_memory_equal(b.captured.data, taken, sizeof taken);
  // Numbers that the solver cannot have written are refused, with the name of the field.
  rv_detail_f64_write(s.detail, RV_POINT, "rv_airshare", 1, &error)[7] = 1.5;
  CHECK_FAILS(rv_state_load_lanes(s.detail, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &b, &lanes, &error),
              RV_BAD_INPUT, error, "rv_airshare");
  rv_state_release(rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, &b);
  close_film(&a);
  close_film(&b);
  close_strands(&s);
}

//---------------------------------------------------------------------------------------------- liquid

static void fill(RvParticles* p) {
  RvError error = {0};
  CHECK_OK(rv_liquid_particles_reserve(p, PARTICLES, &error), error);
  for (int i = 0; i < PARTICLES; ++i) {
    double cell[3] = {100 * any(), 100 * any(), 100 * any()};
    size_t at = rv_liquid_particles_add(p, cell);
    for (int a = 0; a < 3; ++a) p->v[a][at] = (float)any();
    for (int a = 0; a < 9; ++a) p->c[a][at] = (float)any();
    p->age[at] = (float)any();
    p->volume[at] = 1e-6 * (0.5 + any());
    p->id[at] = 7 * i;
  }
}

static void liquid_round_trip(void** state) {
  (void)state;
  RvError error = {0};
  RvParticles p = {0}, q = {0};
  RvLiquidUnits units = {0.5, 2};
  RvLiquidFaults faults = {0};
  RvLiquidGlobals g = {{1, 2, 3}, 0.01, 7 * PARTICLES, 1, 2, 3, 4, 5}, h;
  RvDetail* made;
  fill(&p);
  CHECK_OK(rv_liquid_save(&p, &units, &g, NULL, &made, &error), error);
  CHECK_OK(rv_liquid_load(made, &units, &h, &q, &faults, &error), error);
  assert_true(!faults.lost && !faults.edited);
  assert_int_equal(q.count, PARTICLES);
  for (size_t i = 0; i < PARTICLES; ++i) {
    double a[3], b[3];
    rv_liquid_particles_place(&p, i, a);
    rv_liquid_particles_place(&q, i, b);
    assert_memory_equal(a, b, sizeof a);
    for (int k = 0; k < 3; ++k) assert_true(p.v[k][i] == q.v[k][i]);
    for (int k = 0; k < 9; ++k) assert_true(p.c[k][i] == q.c[k][i]);
    assert_true(p.age[i] == q.age[i] && p.volume[i] == q.volume[i] && p.id[i] == q.id[i]);
  }
  assert_memory_equal(&g, &h, sizeof g);
  // A particle without volume is left out, and the others keep their own numbers.
  RvParticles r = {0};
  rv_detail_f64_write(made, RV_POINT, "rv_volume", 1, &error)[4] = 0;
  CHECK_OK(rv_liquid_load(made, &units, &h, &r, &faults, &error), error);
  assert_int_equal(faults.lost, 1);
  assert_int_equal(r.count, PARTICLES - 1);
  assert_true(r.id[4] == p.id[5] && r.volume[4] == p.volume[5] && r.v[2][4] == p.v[2][5]);
  rv_detail_free(made);
  rv_liquid_particles_free(&p);
  rv_liquid_particles_free(&q);
  rv_liquid_particles_free(&r);
}

//---------------------------------------------------------------------------------------------- two parts as one detail

static void joined_states_are_cut_again(void** state) {
  (void)state;
  RvError error = {0};
  RvParticles p = {0};
  RvLiquidUnits units = {1, 1};
  RvLiquidGlobals g = {{0}, 0.01, 7 * PARTICLES, 0, 0, 0, 0, 0};
  const RvNodeType* wet = rv_node_find("wetsolver");
  Strands s;
  open_strands(&s);
  fill(&p);
  RvState parts = {{s.detail, NULL}}, back;
  CHECK_OK(rv_state_prepare(s.detail, rv_strand_fields, RV_STRAND_FIELD_COUNT, &error), error);
  CHECK_OK(rv_liquid_save(&p, &units, &g, NULL, &parts.part[1], &error), error);
  // Attributes that only pass through stay with their part.
  rv_detail_f32_write(parts.part[0], RV_PRIM, "shade", 1, &error)[3] = 0.5f;
  rv_detail_f32_write(parts.part[1], RV_POINT, "heat", 1, &error)[3] = 0.5f;
  rv_detail_f32_write(parts.part[1], RV_GLOBAL, "take", 1, &error)[0] = 2;
  RvDetail* joined;
  CHECK_OK(rv_node_join_state(&parts, &joined, &error), error);
  assert_int_equal(rv_detail_count(joined, RV_POINT), STRANDS * VERTICES + PARTICLES);
  CHECK_OK(rv_node_cut_state(wet, joined, &back, &error), error);
  for (int i = 0; i < RV_STATE_PARTS; ++i) assert_true(rv_detail_hash(back.part[i]) == rv_detail_hash(parts.part[i]));
  // The hash of the joined state is that of its parts; a part alone has another.
  uint64_t hash = rv_state_hash(&parts, wet->fields, wet->nfield);
  assert_true(rv_node_state_hash(wet, joined) == hash);
  assert_true(rv_state_hash(&(RvState){{NULL, parts.part[1]}}, wet->fields, wet->nfield) != hash);
  assert_true(rv_state_hash(&(RvState){{NULL, parts.part[1]}}, wet->fields, wet->nfield) ==
              rv_state_hash(&(RvState){{parts.part[1]}}, rv_liquid_fields, RV_LIQUID_FIELD_COUNT));
  // Parts in the wrong places, a second part of a solver of one, and too many points, are refused.
  CHECK_FAILS(rv_node_check_state(wet, &(RvState){{parts.part[1], parts.part[0]}}, &error), RV_BAD_INPUT, error,
              "another solver");
  CHECK_FAILS(rv_node_check_state(rv_node_find("liquidsolver"), &(RvState){{NULL, parts.part[1]}}, &error),
              RV_BAD_INPUT, error, "second part");
  rv_state_free(&back);
  *rv_detail_i64_write(joined, RV_GLOBAL, "rv_points", 1, &error) = 1 << 20;
  CHECK_FAILS(rv_node_cut_state(wet, joined, &back, &error), RV_BAD_INPUT, error, "rv_points");
  assert_int_equal(rv_node_state_hash(wet, joined), 0);
  rv_detail_free(joined);
  rv_detail_free(parts.part[1]);
  rv_liquid_particles_free(&p);
  close_strands(&s);
}

RV_TESTS(cmocka_unit_test(strands_round_trip), cmocka_unit_test(faulty_rows_are_noticed),
         cmocka_unit_test(film_round_trip), cmocka_unit_test(liquid_round_trip),
         cmocka_unit_test(joined_states_are_cut_again))
