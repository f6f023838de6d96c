// What C17 lacks: text, files, folders, processes. Nothing here is of one system, so that the test runs on all of them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "support/rv_test.h"

static const char* in_folder(const char* name) {
  static char paths[4][RV_PATH_BYTES];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", rv_test_folder(), name);
  return path;
}

// Writes a small file.
static void put(const char* path, const char* text) {
  int file = rv_platform_open(path, RV_OPEN_WRITE | RV_OPEN_CREATE | RV_OPEN_EMPTY);
  assert_true(file >= 0);
  assert_int_equal(rv_platform_write(file, text, strlen(text)), strlen(text));
  assert_true(rv_platform_sync(file));
  rv_platform_close(file);
}

// Reads a small file.
static const char* get(const char* path) {
  static char text[64];
  memset(text, 0, sizeof text);
  int file = rv_platform_open(path, RV_OPEN_READ);
  assert_true(file >= 0);
  assert_true(rv_platform_read(file, text, sizeof text - 1) >= 0);
  rv_platform_close(file);
  return text;
}

static void patterns_match_as_in_a_shell(void** state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    bool matches;
  } rows[] = {{"*", "", true},
              {"hair*", "hair_left", true},
              {"*_left", "hair_left", true},
              {"h*r*t", "hair_left", true},
              {"hair", "hair2", false},
              {"hair?", "hair2", true},
              {"hair?", "hair", false},
              {"[a-c]x", "bx", true},
              {"[!a-c]x", "bx", false},
              {"[]x]", "]", true},
              {"a\\*", "a*", true},
              {"a\\*", "ab", false},
              {"[ab", "[ab", true},
              {"*a*b*c", "xaybzbc", true},
              {"*a*b*c", "xaybzb", false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rv_platform_match(rows[i].pattern, rows[i].text) != rows[i].matches)
      fail_msg("'%s' and '%s' should %smatch", rows[i].pattern, rows[i].text, rows[i].matches ? "" : "not ");
}

static void words_are_cut_at_delimiters(void** state) {
  (void)state;
  char list[] = "a,,b c", *at = list, words[] = "  a \t b ", *next = NULL;
  const char* expected[] = {"a", "", "b", "c"};
  for (int i = 0; i < 4; ++i) assert_string_equal(rv_platform_strsep(&at, ", "), expected[i]);
  assert_null(rv_platform_strsep(&at, ", "));
  assert_string_equal(rv_platform_strtok(words, " \t", &next), "a");
  assert_string_equal(rv_platform_strtok(NULL, " \t", &next), "b");
  assert_null(rv_platform_strtok(NULL, " \t", &next));
}

static void texts_are_compared_without_case(void** state) {
  (void)state;
  assert_int_equal(rv_platform_strcasecmp("Hair.VDB", "hAIR.vdb"), 0);
  assert_true(rv_platform_strcasecmp("a", "B") < 0);
  assert_true(rv_platform_strcasecmp("ab", "a") > 0);
  assert_int_equal(rv_platform_strncasecmp("NaNx", "nany", 3), 0);
  assert_int_equal(rv_platform_strnlen("abc", 2), 2);
  assert_int_equal(rv_platform_strnlen("abc", 9), 3);
}

static void little_endian_has_the_low_byte_first(void** state) {
  (void)state;
  uint64_t value = rv_platform_little64(0x0102030405060708u);
  assert_int_equal(*(unsigned char*)&value, 8);
  assert_int_equal(((unsigned char*)&value)[7], 1);
  assert_true(rv_platform_little64(value) == 0x0102030405060708u);
}

static void files_are_read_written_cut_and_replaced(void** state) {
  (void)state;
  const char *path = in_folder("one.txt"), *other = in_folder("two.txt");
  char bytes[8] = "";
  put(path, "hello");
  assert_string_equal(get(path), "hello");
  // at a place, and to the end
  int file = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE);
  assert_int_equal(rv_platform_write_at(file, "JE", 2, 0), 2);
  assert_int_equal(rv_platform_read_at(file, bytes, 3, 1), 3);
  assert_string_equal(bytes, "Ell");
  assert_int_equal(rv_platform_read_at(file, bytes, 3, 100), 0);
  assert_true(rv_platform_cut(file, 4));
  rv_platform_close(file);
  file = rv_platform_open(path, RV_OPEN_WRITE | RV_OPEN_APPEND);
  assert_int_equal(rv_platform_write(file, "y!", 2), 2);
  rv_platform_close(file);
  assert_string_equal(get(path), "JElly!");
  // a file in the place of another one
  put(other, "old");
  assert_true(rv_platform_replace(path, other));
  assert_string_equal(get(other), "JElly!");
  assert_false(rv_platform_exists(path));
  assert_false(rv_platform_replace(path, other));
  assert_int_equal(errno, ENOENT);
}

static void new_files_are_new(void** state) {
  (void)state;
  const char* path = in_folder("new.txt");
  int file = rv_platform_open(path, RV_OPEN_WRITE | RV_OPEN_NEW);
  assert_true(file >= 0);
  rv_platform_close(file);
  assert_int_equal(rv_platform_open(path, RV_OPEN_WRITE | RV_OPEN_NEW), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(rv_platform_open(in_folder("none.txt"), RV_OPEN_READ), -1);
  assert_int_equal(errno, ENOENT);
}

static void infos_tell_kinds_and_sameness(void** state) {
  (void)state;
  RvFileInfo folder, file, again, other, opened;
  put(in_folder("f.txt"), "12345");
  put(in_folder("g.txt"), "");
  assert_true(rv_platform_info(rv_test_folder(), &folder));
  assert_int_equal(folder.kind, RV_FILE_FOLDER);
  assert_true(rv_platform_info(in_folder("f.txt"), &file));
  assert_true(rv_platform_info(in_folder("./f.txt"), &again));
  assert_true(rv_platform_link_info(in_folder("g.txt"), &other));
  assert_int_equal(file.kind, RV_FILE_REGULAR);
  assert_int_equal(file.bytes, 5);
  // written in this century, and within the second
  assert_true(file.seconds > 946684800 && file.nanoseconds >= 0 && file.nanoseconds < 1000000000);
  assert_true(rv_platform_same_file(&file, &again));
  assert_false(rv_platform_same_file(&file, &other));
  int descriptor = rv_platform_open(in_folder("f.txt"), RV_OPEN_READ);
  assert_true(rv_platform_open_info(descriptor, &opened));
  assert_true(rv_platform_same_file(&file, &opened));
  rv_platform_close(descriptor);
  assert_false(rv_platform_info(in_folder("none"), &other));
}

static void a_lock_is_held_once(void** state) {
  (void)state;
  const char* path = in_folder("lock");
  put(path, "7 farm");
  int first = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE);
  int second = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE);
  assert_int_equal(rv_platform_lock(first), RV_LOCK_HELD);
  assert_int_equal(rv_platform_lock(second), RV_LOCK_TAKEN);
  // its contents can still be read
  assert_string_equal(get(path), "7 farm");
  rv_platform_close(first);
  assert_int_equal(rv_platform_lock(second), RV_LOCK_HELD);
  rv_platform_close(second);
}

static void folders_are_made_listed_and_removed(void** state) {
  (void)state;
  char path[RV_PATH_BYTES], real[RV_PATH_BYTES];
  snprintf(path, sizeof path, "%s/folder-XXXXXX", rv_test_folder());
  assert_true(rv_platform_temporary_folder(path));
  assert_null(strstr(path, "XXXXXX"));
  assert_false(rv_platform_make_folder(path));
  assert_int_equal(errno, EEXIST);
  char file[RV_PATH_BYTES + 8];
  snprintf(file, sizeof file, "%s/a.txt", path);
  put(file, "x");
  int count = 0;
  RvFolder* folder = rv_platform_folder_open(path);
  assert_non_null(folder);
  for (const char* name = rv_platform_folder_next(folder); name; name = rv_platform_folder_next(folder)) {
    if (name[0] == '.') continue;
    ++count;
    assert_string_equal(name, "a.txt");
    assert_true(rv_platform_folder_remove(folder, name));
  }
  rv_platform_folder_close(folder);
  assert_int_equal(count, 1);
  assert_false(rv_platform_exists(file));
  assert_true(rv_platform_real_path(path, real));
  assert_non_null(strstr(real, "folder-"));
  assert_true(rv_platform_remove_folder(path));
  assert_null(rv_platform_folder_open(path));
  assert_false(rv_platform_real_path(path, real));
}

static void a_spool_is_gone_when_it_is_closed(void** state) {
  (void)state;
  const char* path = in_folder("spool");
  int file = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE | RV_OPEN_NEW);
  FILE* stream = rv_platform_spool(file, path);
  assert_non_null(stream);
  fputs("abc", stream);
  assert_true(rv_platform_seek(stream, 1));
  assert_int_equal(fgetc(stream), 'b');
  fclose(stream);
  assert_false(rv_platform_exists(path));
}

static void clocks_and_memory_are_told(void** state) {
  (void)state;
  double wall = rv_platform_wall_seconds(), cpu = rv_platform_cpu_seconds();
  while (rv_platform_wall_seconds() < wall + 0.02) continue;
  assert_true(rv_platform_cpu_seconds() >= cpu);
  assert_true(rv_platform_physical_memory() > (size_t)64 << 20);
  assert_true(rv_platform_allowed_memory() > 0);
  assert_true(rv_platform_resident() > 0 && rv_platform_peak_resident() > 0);
  assert_true(rv_platform_cores() >= 1);
  void* memory = rv_platform_alloc(4096, 64, false);
  assert_int_equal((uintptr_t)memory % 64, 0);
  rv_platform_free(memory);
}

static void this_process_exists(void** state) {
  (void)state;
  char name[64], path[RV_PATH_BYTES];
  assert_true(rv_platform_process_exists(rv_platform_process()));
  rv_platform_host_name(name, sizeof name);
  assert_true(name[0] != 0);
  assert_true(rv_platform_program(path) && rv_platform_is_program(path));
  assert_int_equal(rv_platform_try_threads(4, 1 << 20), 0);
}

typedef struct Counter {
  RvMutex mutex;
  int count;
} Counter;

static void count_up(void* arg, size_t begin, size_t end) {
  Counter* counter = arg;
  for (size_t i = begin; i < end; ++i) {
    rv_platform_mutex_lock(&counter->mutex);
    ++counter->count;
    rv_platform_mutex_unlock(&counter->mutex);
  }
}

static void a_mutex_excludes(void** state) {
  (void)state;
  Counter counter = {0};
  rv_parallel_for(20000, 10, count_up, &counter);
  assert_int_equal(counter.count, 20000);
}

static void numbers_have_points(void** state) {
  (void)state;
  RvNumberLocale locale = rv_platform_locale_enter();
  char text[16];
  snprintf(text, sizeof text, "%g", 1.5);
  rv_platform_locale_leave(locale);
  assert_string_equal(text, "1.5");
}

RV_TESTS(cmocka_unit_test(patterns_match_as_in_a_shell), cmocka_unit_test(words_are_cut_at_delimiters),
         cmocka_unit_test(texts_are_compared_without_case), cmocka_unit_test(little_endian_has_the_low_byte_first),
         cmocka_unit_test(files_are_read_written_cut_and_replaced), cmocka_unit_test(new_files_are_new),
         cmocka_unit_test(infos_tell_kinds_and_sameness), cmocka_unit_test(a_lock_is_held_once),
         cmocka_unit_test(folders_are_made_listed_and_removed), cmocka_unit_test(a_spool_is_gone_when_it_is_closed),
         cmocka_unit_test(clocks_and_memory_are_told), cmocka_unit_test(this_process_exists),
         cmocka_unit_test(a_mutex_excludes), cmocka_unit_test(numbers_have_points))
