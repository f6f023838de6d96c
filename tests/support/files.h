// What the tests of files share: paths in the folder of the test, the number of its entries, and a file's content.
#ifndef RV_TEST_FILES_H
#define RV_TEST_FILES_H

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "support/rv_test.h"

static inline const char* in_folder(const char* name) {
  static char paths[4][512];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", rv_test_folder(), name);
  return path;
}

static inline int entries(const char* path) {
  RvFolder* folder = rv_platform_folder_open(path);
  int count = -2;  // "." and ".." are listed too
  while (rv_platform_folder_next(folder)) ++count;
  rv_platform_folder_close(folder);
  return count;
}

static inline void check_content(const char* path, const char* expected) {
  RvError error = {0};
  void* bytes = NULL;
  size_t count = 0;
  CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
  assert_int_equal(count, strlen(expected));
  assert_string_equal(bytes, expected);
  rv_free(bytes);
}

#endif
