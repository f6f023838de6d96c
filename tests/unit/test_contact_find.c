// The broad phase of contact: its pairs are those of a search of all with all, in an order that does not depend on the
// workers, for work that grows with the number of edges.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "contact/store.h"
#include "space/sort.h"
#include "support/rv_test.h"
#include "support/strands.h"

#define RADIUS 1e-3

static double uniform(uint64_t stream, uint64_t i) {
  return rv_random(21, stream, i, 0);
}

// random walks of edges of 2 to 12 mm in a box whose side is *user
static RvVec3 walk(void* user, size_t strand, int vertex) {
  RvVec3 x = rv_scale(rv_vec3(uniform(1, strand), uniform(2, strand), uniform(3, strand)), *(double*)user);
  for (int i = 0; i < vertex; ++i) {
    uint64_t k = strand * 64 + (uint64_t)i;
    RvVec3 d = rv_normalize(rv_vec3(uniform(4, k) - 0.5, uniform(5, k) - 0.5, uniform(6, k) - 0.5), rv_vec3(1, 0, 0));
    x = rv_mad(x, 0.002 + 0.01 * uniform(7, k) * uniform(8, k), d);
  }
  return x;
}

// Least distance of two segments, apart from the tested code: golden search of the convex function of s whose value is
// the distance of a point to the other segment.
static double point_segment(RvVec3 x, RvVec3 b0, RvVec3 b1) {
  RvVec3 e = rv_sub(b1, b0);
  double t = rv_dot(rv_sub(x, b0), e) / rv_dot(e, e);
  return rv_distance(x, rv_mad(b0, t < 0 ? 0 : t > 1 ? 1 : t, e));
}

static double distance(const RvVec3* a, const RvVec3* b) {
  double lo = 0, hi = 1;
  for (int k = 0; k < 100; ++k) {
    double s = lo + (hi - lo) / 3, t = hi - (hi - lo) / 3;
    if (point_segment(rv_lerp(a[0], a[1], s), b[0], b[1]) < point_segment(rv_lerp(a[0], a[1], t), b[0], b[1]))
      hi = t;
    else
      lo = s;
  }
  return point_segment(rv_lerp(a[0], a[1], lo), b[0], b[1]);
}

static void find(RvContacts* c, const RvTestStrands* s, double dt, RvContactStats* stats) {
  RvError error = {0};
  RvContactDef def = rv_contact_defaults();
  def.acceleration = rv_vec3(0, 0, 0);
  CHECK_OK(rv_contacts_find(c, s->state->q, s->velocity, dt, &def, stats, &error), error);
}

static RvContacts* contacts_of(const RvTestStrands* s) {
  RvContacts* c = NULL;
  RvError error = {0};
  CHECK_OK(rv_contacts_new(s->model, &c, &error), error);
  return c;
}

// At rest a pair counts up to d0 and its margin. Distances that close to the limit may fall on either side: 1e-12 m.
static void pairs_are_those_of_brute_force(void** state) {
  (void)state;
  double side = 0.06;
  RvTestStrands s = rv_test_strands(60, 12, (RvTestHair){RADIUS, 1300, 1e9, 0}, walk, &side, rv_vec3(0, 0, 0));
  RvContacts* c = contacts_of(&s);
  RvContactStats stats;
  find(c, &s, 0.01, &stats);
  size_t at = 0, n = c->nedge;
  const RvVec3* x = c->segments.x;
  for (size_t e = 0; e < n; ++e)
    for (size_t f = e + 1; f < n; ++f) {
      if (c->strand_of[e] == c->strand_of[f] && f - e <= 4) continue;
      double d = distance(x + rv_contact_vertex(c, e), x + rv_contact_vertex(c, f)), limit = 2 * 1.5 * 2 * RADIUS;
      uint64_t key = (uint64_t)e << 32 | f;
      bool found = at < c->pairs.count && c->pairs.data[at] == key;
      if (fabs(d - limit) > 1e-12 && found != (d < limit))
        fail_msg("edges %zu and %zu at %.17g of %.17g: %s", e, f, d, limit, found ? "found" : "missed");
      at += found;
    }
  // none twice, none beyond
  assert_int_equal(at, c->pairs.count);
  print_message("%zu pairs of %zu edges, %zu tests\n", at, n, stats.tests);
  assert_true(at > 500);
  rv_contacts_free(c);
  rv_test_strands_free(&s);
}

// two sheets that fly through each other, far apart at the start
static RvVec3 sheets(void* user, size_t strand, int vertex) {
  (void)user;
  double along = 0.01 * vertex, across = 0.004 * (double)(strand / 2);
  return strand % 2 ? rv_vec3(along, 0.010, across) : rv_vec3(across + 0.03, 0, along);
}

// 10 mm apart, 20 mm a step against each other: every crossing must have a link, though the edges are 10 mm long and d0
// is 3 mm.
static void fast_pairs_are_found(void** state) {
  (void)state;
  RvTestStrands s = rv_test_strands(20, 10, (RvTestHair){RADIUS, 1300, 1e9, 0}, sheets, NULL, rv_vec3(0, 0, 0));
  for (size_t k = 0; k < 20; ++k)
    for (int i = 0; i < 10; ++i) rv_test_set(&s, s.velocity, k, i, rv_vec3(5, k % 2 ? -0.4 : 0.4, 2));
  RvContacts* c = contacts_of(&s);
  RvContactStats stats;
  find(c, &s, 0.025, &stats);
  // each strand of one sheet crosses each of the other once; over a vertex a crossing is shared by two links
  bool met[20][20] = {{0}};
  for (size_t k = 0; k < rv_contacts_link_count(c); ++k) {
    RvLinkState l = rv_contacts_link(c, k);
    met[l.strand[0]][l.strand[1]] = met[l.strand[1]][l.strand[0]] = true;
    // near a vertex a hundredth of the way along the edge is in the normal
    if ((l.strand[0] + l.strand[1]) % 2) CHECK_NEAR(fabs(l.normal[1]), 1, 1e-3);
  }
  for (int a = 0; a < 20; a += 2)
    for (int b = 1; b < 20; b += 2) assert_true(met[a][b]);
  rv_contacts_free(c);
  rv_test_strands_free(&s);
}

static void order_does_not_depend_on_workers(void** state) {
  (void)state;
  double side = 0.08;
  RvTestStrands s = rv_test_strands(300, 12, (RvTestHair){RADIUS, 1300, 1e9, 0}, walk, &side, rv_vec3(0, 0, 0));
  for (size_t k = 0; k < s.model->unknowns; ++k) s.velocity[k] = uniform(9, k) - 0.5;
  uint64_t* pairs = NULL;
  RvLinkBlock* blocks = NULL;
  size_t npair = 0, nlink = 0, nblock = 0;
  const int workers[] = {1, 2, 8};
  for (int k = 0; k < 3; ++k) {
    rv_threads_set(workers[k]);
    RvContacts* c = contacts_of(&s);
    RvContactStats stats;
    find(c, &s, 0.01, &stats);
    if (k == 0) {
      npair = c->pairs.count;
      nlink = c->keys.count;
      nblock = c->blocks.count;
      pairs = rv_alloc(npair, sizeof *pairs);
      blocks = rv_alloc(nblock, sizeof *blocks);
      memcpy(pairs, c->pairs.data, npair * sizeof *pairs);
      memcpy(blocks, c->blocks.data, nblock * sizeof *blocks);
      assert_true(nlink > 1000);
    }
    assert_int_equal(npair, c->pairs.count);
    assert_int_equal(nlink, c->keys.count);
    assert_memory_equal(pairs, c->pairs.data, npair * sizeof *pairs);
    assert_int_equal(nblock, c->blocks.count);
    assert_memory_equal(blocks, c->blocks.data, nblock * sizeof *blocks);
    rv_contacts_free(c);
  }
  rv_threads_set(0);
  rv_free(pairs);
  rv_free(blocks);
  rv_test_strands_free(&s);
}

// Eight times the strands in eight times the room: the work an edge stays the same, but for the share of the rim.
static void work_is_linear(void** state) {
  (void)state;
  double each[2][3];
  for (int k = 0; k < 2; ++k) {
    double side = k ? 0.2 : 0.1;
    size_t count = k ? 2400 : 300;
    RvTestStrands s = rv_test_strands(count, 12, (RvTestHair){RADIUS, 1300, 1e9, 0}, walk, &side, rv_vec3(0, 0, 0));
    RvContacts* c = contacts_of(&s);
    RvContactStats stats;
    find(c, &s, 0.01, &stats);
    double n = (double)stats.segments;
    each[k][0] = (double)stats.entries / n;
    each[k][1] = (double)stats.tests / n;
    each[k][2] = (double)stats.pairs / n;
    print_message("%g edges: %.1f entries, %.1f tests, %.1f pairs, %.2f links an edge\n", n, each[k][0], each[k][1],
                  each[k][2], (double)stats.links / n);
    rv_contacts_free(c);
    rv_test_strands_free(&s);
  }
  for (int k = 0; k < 3; ++k) assert_true(each[1][k] < 1.6 * each[0][k]);
}

// All strands on one spot: the work and the links are bounded, and what was left out is told.
static RvVec3 spot(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.01 * vertex, 1e-9 * (double)strand, 0);
}

static void a_heap_on_one_spot_is_bounded(void** state) {
  (void)state;
  RvTestStrands s = rv_test_strands(500, 4, rv_test_hair(), spot, NULL, rv_vec3(0, 0, 0));
  RvContacts* c = contacts_of(&s);
  RvContactStats stats;
  find(c, &s, 0.01, &stats);
  print_message("%zu tests, %zu skipped, %zu links, %zu dropped\n", stats.tests, stats.skipped, stats.links,
                stats.dropped);
  assert_true(stats.links > 0 && stats.links <= RV_CONTACT_MAX_LINKS * stats.segments);
  assert_true(c->pairs.count <= RV_CONTACT_MAX_PAIRS * stats.segments);
  assert_true(stats.skipped > 0);
  // nothing jumps: pairs that met nearer than d0 push no further
  const RvOperator* op = rv_contacts_operator(c);
  CHECK_NEAR(op->energy(op->user, s.state->q, NULL), 0, 0);
  rv_contacts_free(c);
  rv_test_strands_free(&s);
}

static void sorts_as_it_says(void** state) {
  (void)state;
  enum { N = 20000 };
  uint64_t* key = rv_alloc(2 * N, sizeof *key);
  uint32_t* value = rv_alloc(2 * N, sizeof *value);
  for (uint32_t k = 0; k < N; ++k) {
    key[k] = rv_random4(1, 2, k).v[0] & 0xfff000;
    value[k] = k;
  }
  rv_sort_keys(key, value, key + N, value + N, N, 24);
  for (size_t k = 1; k < N; ++k) assert_true(key[k - 1] < key[k] || (key[k - 1] == key[k] && value[k - 1] < value[k]));
  for (size_t k = 0; k < N; ++k) assert_int_equal(key[k], rv_random4(1, 2, value[k]).v[0] & 0xfff000);
  assert_int_equal(rv_sort_bits(0), 0);
  assert_int_equal(rv_sort_bits(255), 8);
  assert_int_equal(rv_sort_bits(UINT64_MAX), 64);
  rv_free(key);
  rv_free(value);
}

static void bad_input_is_refused(void** state) {
  (void)state;
  double side = 0.1;
  RvTestStrands s = rv_test_strands(3, 4, rv_test_hair(), walk, &side, rv_vec3(0, 0, 0));
  RvContacts* c = contacts_of(&s);
  RvContactStats stats;
  RvError error = {0};
  RvContactDef def = rv_contact_defaults();
  RvCollider ball = {.shape = RV_COLLIDER_SPHERE, .radius = 0, .orientation = {0, 0, 0, 1}};
  CHECK_FAILS(rv_contacts_find(c, s.state->q, s.velocity, 0, &def, &stats, &error), RV_BAD_INPUT, error, "step");
  error = (RvError){0};
  def.colliders = &ball;
  def.ncollider = 1;
  CHECK_FAILS(rv_contacts_find(c, s.state->q, s.velocity, 0.01, &def, &stats, &error), RV_BAD_INPUT, error,
              "collider 0");
  error = (RvError){0};
  ball.shape = RV_COLLIDER_GRID;
  CHECK_FAILS(rv_contacts_find(c, s.state->q, s.velocity, 0.01, &def, &stats, &error), RV_BAD_INPUT, error, "grid");
  error = (RvError){0};
  def.ncollider = 0;
  s.state->q[rv_strand_index(&s.model->batches[0], 1, 2, 1)] = NAN;
  CHECK_FAILS(rv_contacts_find(c, s.state->q, s.velocity, 0.01, &def, &stats, &error), RV_BAD_INPUT, error, "finite");
  assert_int_equal(rv_contacts_link_count(c), 0);
  rv_contacts_free(c);
  rv_test_strands_free(&s);
}

RV_TESTS(cmocka_unit_test(sorts_as_it_says), cmocka_unit_test(pairs_are_those_of_brute_force),
         cmocka_unit_test(fast_pairs_are_found), cmocka_unit_test(order_does_not_depend_on_workers),
         cmocka_unit_test(work_is_linear), cmocka_unit_test(a_heap_on_one_spot_is_bounded),
         cmocka_unit_test(bad_input_is_refused))
