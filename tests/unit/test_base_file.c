// Files are whole or not there, and an older one stays when the new one fails.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "support/rv_test.h"

static const char* in_folder(const char* name) {
  static char paths[4][512];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", rv_test_folder(), name);
  return path;
}

static int entries(const char* folder) {
  DIR* stream = opendir(folder);
  int count = 0;
  for (const struct dirent* e; (e = readdir(stream));) count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
  closedir(stream);
  return count;
}

static void check_content(const char* path, const char* expected) {
  RvError error = {0};
  void* bytes = NULL;
  size_t count = 0;
  CHECK_OK(rv_file_read(path, 0, &bytes, &count, &error), error);
  assert_int_equal(count, strlen(expected));
  assert_string_equal(bytes, expected);
  rv_free(bytes);
}

static void writes_and_replaces(void** state) {
  (void)state;
  RvError error = {0};
  const char* path = in_folder("a/b/c.txt");  // folders are made
  CHECK_OK(rv_file_write(path, "one", 3, &error), error);
  check_content(path, "one");
  CHECK_OK(rv_file_write(path, "three", 5, &error), error);
  check_content(path, "three");
  CHECK_OK(rv_file_write(in_folder("a/b/empty"), "", 0, &error), error);
  assert_int_equal(entries(in_folder("a/b")), 2);  // no temporary is left
}

static void abandoned_leaves_the_old_one(void** state) {
  (void)state;
  RvError error = {0};
  const char* path = in_folder("kept/old.txt");
  CHECK_OK(rv_file_write(path, "old", 3, &error), error);
  RvFileOut out;
  CHECK_OK(rv_file_begin(&out, path, &error), error);
  assert_int_equal(fputs("half", out.stream) >= 0, 1);
  rv_file_abandon(&out);
  check_content(path, "old");
  assert_int_equal(entries(in_folder("kept")), 1);
}

static void errors_name_the_file(void** state) {
  (void)state;
  RvError error = {0};
  void* bytes;
  size_t count;
  CHECK_FAILS(rv_file_read(in_folder("none"), 0, &bytes, &count, &error), RV_NOT_FOUND, error, "none");
  CHECK_FAILS(rv_file_read(rv_test_folder(), 0, &bytes, &count, &error), RV_IO, error, "not a file");
  CHECK_OK(rv_file_write(in_folder("long"), "0123456789", 10, &error), error);
  CHECK_FAILS(rv_file_read(in_folder("long"), 9, &bytes, &count, &error), RV_LIMIT, error, "limit of 9");
  CHECK_FAILS(rv_file_write(in_folder("long/x"), "x", 1, &error), RV_IO, error, "long");
  CHECK_FAILS(rv_file_write("", "x", 1, &error), RV_BAD_INPUT, error, "empty");
  CHECK_FAILS(rv_file_make_folder("", &error), RV_BAD_INPUT, error, "empty");
  // a pipe that nobody writes to is refused, not waited for
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  CHECK_FAILS(rv_file_read(in_folder("pipe"), 0, &bytes, &count, &error), RV_IO, error, "not a file");
  CHECK_OK(rv_file_make_folder(in_folder("folder"), &error), error);
  CHECK_FAILS(rv_file_write(in_folder("folder"), "x", 1, &error), RV_IO, error, "is a folder");
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

// ".<name>.<number>.<host>.<pid>.tmp", and only a process that is known to be gone has abandoned its file
static void temporaries_name_their_maker(void** state) {
  (void)state;
  RvError error = {0};
  char* temporary;
  CHECK_OK(rv_file_temporary(in_folder("t/x.rvck"), &temporary, NULL, &error), error);
  assert_int_equal(unlink(temporary), 0);
  const char* name = strrchr(temporary, '/') + 1;
  char host[256] = "", base[300], other[400];
  gethostname(host, sizeof host - 1);
  // dots and the like become dashes, and a long name is cut
  host[32] = 0;
  for (char* c = host; *c; ++c)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c)) *c = '-';
  snprintf(base, sizeof base, ".%s.%ld.tmp", host, (long)getpid());
  unsigned number = 0;
  assert_int_equal(sscanf(name, ".x.rvck.%u", &number), 1);
  snprintf(other, sizeof other, ".x.rvck.%u%s", number, base);
  assert_string_equal(name, other);
  assert_false(rv_file_is_abandoned(name));
  const struct {
    const char *host, *pid, *ending;
    bool gone;
  } cases[] = {{host, "999999999", ".tmp", true},
               {host, "1", ".tmp", false},
               {"other", "999999999", ".tmp", false},
               {host, "0", ".tmp", false},
               {host, "", ".tmp", false},
               {host, "999999999", ".tm", false},
               {"", "999999999", ".tmp", false},
               {host, "9x9999999", ".tmp", false},
               {host, "99999999999999999999", ".tmp", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    snprintf(other, sizeof other, ".x.rvck.%s.%s%s", cases[i].host, cases[i].pid, cases[i].ending);
    if (rv_file_is_abandoned(other) != cases[i].gone) fail_msg("%s is%s abandoned", other, cases[i].gone ? " not" : "");
  }
  // a part of another machine's name is not this one's, and a visible file is nobody's temporary
  snprintf(other, sizeof other, ".x.rvck.old-%s.999999999.tmp", host);
  assert_false(rv_file_is_abandoned(other));
  snprintf(other, sizeof other, "x.%s.999999999.tmp", host);
  assert_false(rv_file_is_abandoned(other));
  assert_false(rv_file_is_abandoned(""));
  assert_false(rv_file_is_abandoned("."));
  assert_false(rv_file_is_abandoned(".tmp"));
  rv_free(temporary);
}

// a name may be as long as the file system allows, though its temporary is longer
static void long_names(void** state) {
  (void)state;
  RvError error = {0};
  char name[300] = "wide/";
  memset(name + 5, 'n', 250);
  CHECK_OK(rv_file_write(in_folder(name), "x", 1, &error), error);
  check_content(in_folder(name), "x");
  char *a, *b;
  CHECK_OK(rv_file_temporary(in_folder(name), &a, NULL, &error), error);
  name[254] = 'm';
  CHECK_OK(rv_file_temporary(in_folder(name), &b, NULL, &error), error);
  assert_string_not_equal(a, b);
  rv_free(a);
  rv_free(b);
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

static void checksums_see_every_byte(void** state) {
  (void)state;
  RvError error = {0};
  const char* path = in_folder("sum.bin");
  enum { BYTES = 3000000 };  // more than one chunk
  char* data = rv_alloc_zero(BYTES, 1);
  uint64_t bytes, first, second;
  CHECK_OK(rv_file_write(path, data, BYTES, &error), error);
  CHECK_OK(rv_file_checksum(path, &bytes, &first, &error), error);
  assert_true(bytes == BYTES && first == rv_hash(data, BYTES, 0));
  data[BYTES - 1] = 1;
  CHECK_OK(rv_file_write(path, data, BYTES, &error), error);
  CHECK_OK(rv_file_checksum(path, &bytes, &second, &error), error);
  assert_true(bytes == BYTES && first != second);
  rv_free(data);
  assert_int_equal(rv_file_checksum(in_folder("none"), &bytes, &first, &error), RV_NOT_FOUND);
  error = (RvError){0};
  assert_int_equal(rv_file_checksum(rv_test_folder(), &bytes, &first, &error), RV_IO);
}

static void a_lock_is_held_by_one(void** state) {
  (void)state;
  RvError error = {0};
  int lock, other;
  const char* path = in_folder(".lock");
  CHECK_OK(rv_file_lock(path, "the folder 'x'", &lock, &error), error);
  assert_true(lock >= 0);
  assert_int_equal(rv_file_lock(path, "the folder 'x'", &other, &error), RV_BAD_INPUT);
  char owner[60];
  snprintf(owner, sizeof owner, "another run (process %ld on ", (long)getpid());
  assert_non_null(strstr(error.text, owner));
  assert_non_null(strstr(error.text, "uses the folder 'x'"));
  close(lock);
  error = (RvError){0};
  CHECK_OK(rv_file_lock(path, "the folder 'x'", &lock, &error), error);
  close(lock);
  // a link is not followed
  assert_int_equal(symlink(in_folder("elsewhere"), in_folder(".link")), 0);
  assert_int_equal(rv_file_lock(in_folder(".link"), "it", &lock, &error), RV_IO);
}

RV_TESTS(cmocka_unit_test(links_in_the_place_of_temporaries_are_removed), cmocka_unit_test(paths_are_resolved),
         cmocka_unit_test(checksums_see_every_byte), cmocka_unit_test(a_lock_is_held_by_one),
         cmocka_unit_test(writes_and_replaces), cmocka_unit_test(abandoned_leaves_the_old_one),
         cmocka_unit_test(errors_name_the_file), cmocka_unit_test(full_disk),
         cmocka_unit_test(temporaries_name_their_maker), cmocka_unit_test(long_names))
