// Files are whole or not there, and an older one stays when the new one fails.
#include "base/hash.h"
#include "support/files.h"

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
  CHECK_OK(rv_file_make_folder(in_folder("folder"), &error), error);
  CHECK_FAILS(rv_file_write(in_folder("folder"), "x", 1, &error), RV_IO, error, "is a folder");
}

// ".<name>.<number>.<host>.<pid>.tmp", and only a process that is known to be gone has abandoned its file
static void temporaries_name_their_maker(void** state) {
  (void)state;
  RvError error = {0};
  char* temporary;
  CHECK_OK(rv_file_temporary(in_folder("t/x.rvck"), &temporary, NULL, &error), error);
  assert_true(rv_platform_remove(temporary));
  const char* name = strrchr(temporary, '/') + 1;
  char host[256] = "", base[300], other[400];
  rv_platform_host_name(host, sizeof host - 1);
  // dots and the like become dashes, and a long name is cut
  host[32] = 0;
  for (char* c = host; *c; ++c)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c)) *c = '-';
  snprintf(base, sizeof base, ".%s.%ld.tmp", host, rv_platform_process());
  unsigned number = 0;
  assert_int_equal(sscanf(name, ".x.rvck.%u", &number), 1);
  snprintf(other, sizeof other, ".x.rvck.%u%s", number, base);
  assert_string_equal(name, other);
  assert_false(rv_file_is_abandoned(name));
  const struct {
    const char *host, *pid, *ending;
    bool gone;
  } cases[] = {
    {host, "999999999", ".tmp", true},
#if !defined(_WIN32)
    {host, "1", ".tmp", false},  // always runs
#endif
    {"other", "999999999", ".tmp", false},
    {host, "0", ".tmp", false},
    {host, "", ".tmp", false},
    {host, "999999999", ".tm", false},
    {"", "999999999", ".tmp", false},
    {host, "9x9999999", ".tmp", false},
    {host, "99999999999999999999", ".tmp", false}
  };
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
  snprintf(owner, sizeof owner, "another run (process %ld on ", rv_platform_process());
  assert_non_null(strstr(error.text, owner));
  assert_non_null(strstr(error.text, "uses the folder 'x'"));
  rv_platform_close(lock);
  error = (RvError){0};
  CHECK_OK(rv_file_lock(path, "the folder 'x'", &lock, &error), error);
  rv_platform_close(lock);
}

RV_TESTS(cmocka_unit_test(checksums_see_every_byte), cmocka_unit_test(a_lock_is_held_by_one),
         cmocka_unit_test(writes_and_replaces), cmocka_unit_test(abandoned_leaves_the_old_one),
         cmocka_unit_test(errors_name_the_file), cmocka_unit_test(temporaries_name_their_maker),
         cmocka_unit_test(long_names))
