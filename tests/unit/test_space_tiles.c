// Sparse tiles against a dense oracle: the list, look-ups, neighbours, halos, remapping, and independence of order and
// workers.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "space/channel.h"
#include "support/rv_test.h"

enum { CELLS = 3000 };

static void make_cells(int32_t (*cell)[3], uint64_t seed) {
  // two clouds, one of them across the origin and one far away
  for (uint64_t i = 0; i < CELLS; ++i) {
    RvRandom4 r = rv_random4(seed, 7, i);
    for (int a = 0; a < 3; ++a) cell[i][a] = (int32_t)(r.v[a] % 60) - 30 + (i % 2 ? 4000000 : 0);
  }
}

// unlike any other cell's value within the clouds, and exact in a float
static float value_at(int32_t i, int32_t j, int32_t k) {
  return (float)((i & 127) + 128 * (j & 127) + 16384 * (k & 127));
}

static void fill(const RvTiles* tiles, float* channel) {
  for (size_t t = 0; t < tiles->count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      channel[t * RV_TILE_CELLS + (size_t)c] =
          value_at(tiles->coord[t][0] * 8 + c % 8, tiles->coord[t][1] * 8 + c / 8 % 8, tiles->coord[t][2] * 8 + c / 64);
}

static void keys_are_invertible(void** state) {
  (void)state;
  int32_t at[][3] = {{0, 0, 0}, {-1, 5, 77}, {-RV_TILE_RANGE, RV_TILE_RANGE - 1, -3}, {123456, -654321, 999999}};
  for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
    int32_t back[3];
    rv_tile_from_key(rv_tile_key(at[i][0], at[i][1], at[i][2]), back);
    for (int a = 0; a < 3; ++a) assert_int_equal(back[a], at[i][a]);
  }
  assert_true(rv_tile_key(1, 0, 0) - rv_tile_key(0, 0, 0) == 1);
  assert_true(rv_tile_key(0, 1, 0) - rv_tile_key(0, 0, 0) == 2);
}

static void holds_what_was_asked_and_no_more(void** state) {
  (void)state;
  static int32_t cell[CELLS][3];
  make_cells(cell, 1);
  for (int reach = 0; reach <= 8; reach += 4) {
    RvTiles tiles = {0};
    RvError error = {0};
    CHECK_OK(rv_tiles_build_cells(&tiles, (const int32_t(*)[3])cell, CELLS, reach, &error), error);
    uint8_t* needed = calloc(tiles.count, 1);
    for (int i = 0; i < CELLS; ++i)
      for (int corner = 0; corner < 27; ++corner) {
        int32_t d[3] = {corner % 3 - 1, corner / 3 % 3 - 1, corner / 9 - 1}, c[3];
        for (int a = 0; a < 3; ++a) c[a] = (cell[i][a] + d[a] * reach) >> 3;
        int32_t t = rv_tiles_find(&tiles, c[0], c[1], c[2]);
        assert_true(t >= 0);
        needed[t] = 1;
      }
    for (size_t t = 0; t < tiles.count; ++t) {
      assert_int_equal(needed[t], 1);
      if (t) assert_true(tiles.key[t - 1] < tiles.key[t]);
      assert_int_equal(tiles.near[t][RV_TILE_SELF], (int32_t)t);
    }
    assert_int_equal(rv_tiles_find(&tiles, 999, 0, 0), -1);
    assert_int_equal(rv_tiles_find(&tiles, INT32_MAX, 0, INT32_MIN), -1);
    free(needed);
    rv_tiles_free(&tiles);
  }
}

static void neighbours_and_halos_agree_with_coordinates(void** state) {
  (void)state;
  static int32_t cell[CELLS][3];
  static float out[24 * 24 * 24], ten[RV_HALO1_CELLS];
  make_cells(cell, 2);
  RvTiles tiles = {0};
  RvChannel channel = {0};
  RvError error = {0};
  CHECK_OK(rv_tiles_build_cells(&tiles, (const int32_t(*)[3])cell, CELLS, 2, &error), error);
  assert_true(rv_channel_fit(&channel, tiles.count));
  fill(&tiles, channel.data);
  for (size_t t = 0; t < tiles.count; t += 3)
    for (int halo = 1; halo <= 8; ++halo) {
      int side = 8 + 2 * halo, n = 0;
      rv_channel_gather(&tiles, channel.data, t, halo, -5, out);
      for (int z = -halo; z < 8 + halo; ++z)
        for (int y = -halo; y < 8 + halo; ++y)
          for (int x = -halo; x < 8 + halo; ++x, ++n) {
            int32_t i = tiles.coord[t][0] * 8 + x, j = tiles.coord[t][1] * 8 + y, k = tiles.coord[t][2] * 8 + z;
            float expected = rv_tiles_locate(&tiles, i, j, k) < 0 ? -5 : value_at(i, j, k);
            assert_int_equal(n, ((z + halo) * side + y + halo) * side + x + halo);
            if (out[n] != expected) fail_msg("tile %zu halo %d (%d %d %d): %g", t, halo, x, y, z, (double)out[n]);
            assert_true(rv_tiles_read(&tiles, channel.data, t, x, y, z, -5) == expected);
          }
      if (halo > 1) continue;
      rv_channel_gather1(&tiles, channel.data, t, -5, ten);
      assert_memory_equal(ten, out, sizeof ten);
      assert_int_equal(rv_halo1_at(-1, -1, -1), 0);
      assert_int_equal(rv_halo1_at(8, 8, 8), RV_HALO1_CELLS - 1);
    }
  rv_channel_free(&channel);
  rv_tiles_free(&tiles);
}

static void does_not_depend_on_order_or_workers(void** state) {
  (void)state;
  static int32_t cell[CELLS][3], turned[CELLS][3];
  make_cells(cell, 3);
  for (int i = 0; i < CELLS; ++i) memcpy(turned[i], cell[CELLS - 1 - i], sizeof *turned);
  RvTiles a = {0}, b = {0};
  RvError error = {0};
  rv_threads_set(1);
  CHECK_OK(rv_tiles_build_cells(&a, (const int32_t(*)[3])cell, CELLS, 3, &error), error);
  rv_threads_set(7);
  CHECK_OK(rv_tiles_build_cells(&b, (const int32_t(*)[3])cell, 1, 3, &error), error);
  CHECK_OK(rv_tiles_build_cells(&b, (const int32_t(*)[3])turned, CELLS, 3, &error), error);
  rv_threads_set(0);
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.coord, b.coord, a.count * sizeof *a.coord);
  assert_memory_equal(a.near, b.near, a.count * sizeof *a.near);
  rv_tiles_free(&a);
  rv_tiles_free(&b);
}

static void carries_a_field_over_a_change(void** state) {
  (void)state;
  int32_t first[2][3] = {{0, 0, 0}, {5, 0, 0}}, second[2][3] = {{5, 0, 0}, {6, 0, 0}};
  RvTiles a = {0}, b = {0};
  RvChannel from = {0}, to = {0};
  RvError error = {0};
  CHECK_OK(rv_tiles_build_coords(&a, (const int32_t(*)[3])first, 2, &error), error);
  CHECK_OK(rv_tiles_build_coords(&b, (const int32_t(*)[3])second, 2, &error), error);
  assert_true(rv_channel_fit(&from, a.count) && rv_channel_fit(&to, b.count));
  fill(&a, from.data);
  rv_channel_remap(&a, from.data, &b, to.data, 9);
  assert_true(to.data[rv_tiles_locate(&b, 41, 2, 3)] == value_at(41, 2, 3));
  assert_true(to.data[rv_tiles_locate(&b, 49, 2, 3)] == 9);
  rv_channel_free(&from);
  rv_channel_free(&to);
  rv_tiles_free(&a);
  rv_tiles_free(&b);
}

static void refuses_what_is_too_far_and_takes_nothing(void** state) {
  (void)state;
  int32_t far[1][3] = {{0, RV_TILE_RANGE, 0}};
  RvTiles tiles = {0};
  RvError error = {0};
  CHECK_FAILS(rv_tiles_build_coords(&tiles, (const int32_t(*)[3])far, 1, &error), RV_LIMIT, error, "too far");
  CHECK_OK(rv_tiles_build(&tiles, NULL, 0, &error), error);
  assert_int_equal(rv_tiles_find(&tiles, 0, 0, 0), -1);
  // a tile at the edge of the range has no neighbour beyond
  far[0][1] = RV_TILE_RANGE - 1;
  error = (RvError){0};
  CHECK_OK(rv_tiles_build_masks(&tiles, (const int32_t(*)[3])far, &(RvTileMask){RV_TILE_MASK_ALL}, 1, &error), error);
  assert_int_equal(tiles.count, 18);
  rv_tiles_free(&tiles);
}

RV_TESTS(cmocka_unit_test(keys_are_invertible), cmocka_unit_test(holds_what_was_asked_and_no_more),
         cmocka_unit_test(neighbours_and_halos_agree_with_coordinates),
         cmocka_unit_test(does_not_depend_on_order_or_workers), cmocka_unit_test(carries_a_field_over_a_change),
         cmocka_unit_test(refuses_what_is_too_far_and_takes_nothing))
