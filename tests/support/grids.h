// What tests ask grids for; a failure ends the test.
#ifndef RV_TEST_GRIDS_H
#define RV_TEST_GRIDS_H

#include "rivulet/vdb.h"
#include "support/rv_test.h"

static inline uint64_t rv_test_active(const RvGrid* grid) {
  uint64_t count = 0;
  assert_int_equal(rv_grid_active_count(grid, &count, NULL), RV_OK);
  return count;
}

// View of block `index`.
static inline RvLeaf rv_test_leaf(const RvGrid* grid, size_t index) {
  const RvLeaf* leaves = NULL;
  assert_int_equal(rv_grid_leaves(grid, &leaves, NULL), RV_OK);
  assert_true(index < rv_grid_leaf_count(grid));
  return leaves[index];
}

// Metadata entry as text, to be freed; NULL if there is none.
static inline char* rv_test_meta(const RvGrid* grid, const char* name) {
  char* text = NULL;
  assert_int_equal(rv_grid_meta(grid, name, &text, NULL), RV_OK);
  return text;
}

#endif
