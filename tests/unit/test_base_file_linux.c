// Files of Linux: links, pipes and full disks.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/files.h"

// a pipe that nobody writes to is refused, not waited for
static void pipes_are_not_waited_for(void** state) {
  (void)state;
  RvError error = {0};
  void* bytes;
  size_t count;
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  CHECK_FAILS(rv_file_read(in_folder("pipe"), 0, &bytes, &count, &error), RV_IO, error, "not a file");
}

static void a_lock_follows_no_link(void** state) {
  (void)state;
  RvError error = {0};
  int lock;
  assert_int_equal(symlink(in_folder("elsewhere"), in_folder(".link")), 0);
  assert_int_equal(rv_file_lock(in_folder(".link"), "it", &lock, &error), RV_IO);
}

// a file system of 64 KB: the write fails, says why, leaves no temporary and the older file
static void full_disk(void** state) {
  (void)state;
  const char* disk = in_folder("disk");
  RvError error = {0};
  CHECK_OK(rv_file_make_folder(disk, &error), error);
  if (mount("none", disk, "tmpfs", 0, "size=64k") != 0) skip();
  char path[600];
  snprintf(path, sizeof path, "%s/file", disk);
  char* large = calloc(1, 1 << 20);
  RvResult small = rv_file_write(path, "old", 3, &error);
  RvResult full = small ? small : rv_file_write(path, large, 1 << 20, &error);
  int left = entries(disk);
  void* bytes = NULL;
  size_t count = 0;
  RvError none = {0};
  RvResult read = rv_file_read(path, 0, &bytes, &count, &none);
  umount(disk);
  free(large);
  assert_int_equal(small, RV_OK);
  assert_int_equal(full, RV_IO);
  assert_non_null(strstr(error.text, "No space left"));
  assert_int_equal(left, 1);
  assert_int_equal(read, RV_OK);
  assert_string_equal(bytes, "old");
  rv_free(bytes);
}

// Somebody who guesses the name of a temporary file and puts a link there gets nothing overwritten.
static void links_in_the_place_of_temporaries_are_removed(void** state) {
  (void)state;
  RvError error = {0};
  const char* path = in_folder("links/x.txt");
  const char* victim = in_folder("victim.txt");
  CHECK_OK(rv_file_write(victim, "precious", 8, &error), error);
  char *temporary, next[600];
  CHECK_OK(rv_file_temporary(path, &temporary, NULL, &error), error);
  assert_int_equal(unlink(temporary), 0);
  // the next name has the next number
  unsigned number = 0;
  char* dot = strstr(temporary, ".x.txt.");
  assert_non_null(dot);
  assert_int_equal(sscanf(dot, ".x.txt.%u", &number), 1);
  char* rest = strchr(dot + strlen(".x.txt."), '.');
  snprintf(next, sizeof next, "%.*s.x.txt.%u%s", (int)(dot - temporary), temporary, number + 1, rest);
  assert_int_equal(symlink(victim, next), 0);
  CHECK_OK(rv_file_write(path, "new", 3, &error), error);
  check_content(victim, "precious");
  check_content(path, "new");
  assert_int_equal(entries(in_folder("links")), 1);
  rv_free(temporary);
}

static void check_resolved(const char* path, bool follow, const char* expected) {
  RvError error = {0};
  char* resolved;
  CHECK_OK(rv_file_resolve(path, follow, &resolved, &error), error);
  assert_string_equal(resolved, expected);
  rv_free(resolved);
}

static void paths_are_resolved(void** state) {
  (void)state;
  char top[512], path[600], expected[600];
  assert_non_null(realpath(rv_test_folder(), top));
  RvError error = {0};
  CHECK_OK(rv_file_make_folder(in_folder("r/a"), &error), error);
  assert_int_equal(symlink("a", in_folder("r/link")), 0);
  assert_int_equal(symlink("nowhere", in_folder("r/a/dangling")), 0);
  const struct {
    const char* path;
    bool follow;
    const char* expected;
  } cases[] = {{"r/a", true, "r/a"},
               {"r/link", true, "r/a"},
               {"r/link", false, "r/link"},
               {"r/link/", false, "r/a"},
               {"r/link/x", false, "r/a/x"},
               {"r/link/../b/c", true, "r/b/c"},
               {"r/./a//x/../y/new", true, "r/a/y/new"},
               {"r/a/dangling", false, "r/a/dangling"},
               {"r/new/../..", true, ""},
               {"r/new/../../q", false, "q"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    snprintf(path, sizeof path, "%s/%s", top, cases[i].path);
    snprintf(expected, sizeof expected, "%s%s%s", top, *cases[i].expected ? "/" : "", cases[i].expected);
    check_resolved(path, cases[i].follow, expected);
  }
  char* resolved;
  snprintf(path, sizeof path, "%s/r/a/dangling", top);
  assert_int_equal(rv_file_resolve(path, true, &resolved, &error), RV_IO);
  check_resolved("/../..", true, "/");
  assert_true(rv_file_is_within("/a/b", "/a") && rv_file_is_within("/a", "/a") && rv_file_is_within("/a", "/"));
  assert_false(rv_file_is_within("/ab", "/a") || rv_file_is_within("/", "/a"));
}

RV_TESTS(cmocka_unit_test(links_in_the_place_of_temporaries_are_removed), cmocka_unit_test(paths_are_resolved),
         cmocka_unit_test(a_lock_follows_no_link), cmocka_unit_test(pipes_are_not_waited_for),
         cmocka_unit_test(full_disk))
