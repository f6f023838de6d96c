// Our text functions do what those of Linux do; links, child processes and sockets of Linux.
#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/rng.h"
#include "support/rv_test.h"

enum { TRIES = 200000 };

typedef struct Random {
  uint64_t seed, count;
} Random;

static uint32_t next_word(Random* rng) {
  return rv_random4(rng->seed, 0, rng->count++).v[0];
}

// A text of a few letters that patterns and lists are made of.
static void make_text(Random* rng, const char* letters, char* text, size_t most) {
  size_t length = next_word(rng) % most;
  for (size_t i = 0; i < length; ++i) text[i] = letters[next_word(rng) % strlen(letters)];
  text[length] = 0;
}

// A pattern of up to five parts. Brackets are closed: what an open one means differs between C libraries.
static void make_pattern(Random* rng, char pattern[32]) {
  static const char* const parts[] = {"a",    "b",    "-",     "*",    "?",    "\\a",   "\\*",   "]",    "[ab]",
                                      "[!a]", "[^b]", "[a-b]", "[]a]", "[a-]", "[!]b]", "[b-a]", "[\\]]"};
  pattern[0] = 0;
  for (uint32_t left = next_word(rng) % 6; left > 0; --left)
    strcat(pattern, parts[next_word(rng) % (sizeof parts / sizeof *parts)]);
}

static void patterns_match_as_fnmatch_does(void** state) {
  (void)state;
  Random rng = {.seed = 1};
  size_t matches = 0;
  for (int i = 0; i < TRIES; ++i) {
    char pattern[32], text[6];
    make_pattern(&rng, pattern);
    make_text(&rng, "aab*]-\\", text, sizeof text);
    bool theirs = fnmatch(pattern, text, 0) == 0;
    matches += theirs;
    if (rv_platform_match(pattern, text) != theirs)
      fail_msg("pattern '%s', text '%s': fnmatch says %d", pattern, text, theirs);
  }
  assert_true(matches > TRIES / 100);
}

static void words_are_cut_as_linux_cuts_them(void** state) {
  (void)state;
  Random rng = {.seed = 2};
  for (int i = 0; i < TRIES / 10; ++i) {
    char text[12], copies[4][12];
    make_text(&rng, "ab ,\t", text, sizeof text);
    for (int k = 0; k < 4; ++k) strcpy(copies[k], text);
    char *ours = copies[0], *theirs = copies[1], *our_word, *their_word, *our_next = NULL, *their_next = NULL;
    do {
      our_word = rv_platform_strsep(&ours, " ,");
      their_word = strsep(&theirs, " ,");
      assert_int_equal(!our_word, !their_word);
      if (our_word) assert_string_equal(our_word, their_word);
    } while (our_word);
    our_word = rv_platform_strtok(copies[2], " ,", &our_next);
    their_word = strtok_r(copies[3], " ,", &their_next);
    while (our_word && their_word) {
      assert_string_equal(our_word, their_word);
      our_word = rv_platform_strtok(NULL, " ,", &our_next);
      their_word = strtok_r(NULL, " ,", &their_next);
    }
    assert_int_equal(!our_word, !their_word);
  }
}

static int sign(int x) {
  return (x > 0) - (x < 0);
}

static void texts_are_compared_as_linux_compares_them(void** state) {
  (void)state;
  Random rng = {.seed = 3};
  for (int i = 0; i < TRIES / 10; ++i) {
    char a[6], b[6];
    make_text(&rng, "aAbZz_9", a, sizeof a);
    make_text(&rng, "aAbZz_9", b, sizeof b);
    assert_int_equal(sign(rv_platform_strcasecmp(a, b)), sign(strcasecmp(a, b)));
    assert_int_equal(sign(rv_platform_strncasecmp(a, b, 2)), sign(strncasecmp(a, b, 2)));
    assert_int_equal(rv_platform_strnlen(a, 3), strnlen(a, 3));
  }
}

static void links_are_told_and_not_followed(void** state) {
  (void)state;
  char link[512];
  RvFileInfo info;
  snprintf(link, sizeof link, "%s/link", rv_test_folder());
  assert_int_equal(symlink("nowhere", link), 0);
  assert_true(rv_platform_link_info(link, &info));
  assert_int_equal(info.kind, RV_FILE_LINK);
  assert_int_equal(rv_platform_open(link, RV_OPEN_WRITE | RV_OPEN_CREATE | RV_OPEN_NO_LINK), -1);
  assert_int_equal(errno, ELOOP);
}

static void a_pipe_without_writer_is_not_waited_for(void** state) {
  (void)state;
  char path[512];
  RvFileInfo info;
  snprintf(path, sizeof path, "%s/fifo", rv_test_folder());
  assert_int_equal(mkfifo(path, 0600), 0);
  int file = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_NO_WAIT);
  assert_true(file >= 0 && rv_platform_open_info(file, &info));
  assert_int_equal(info.kind, RV_FILE_PIPE);
  rv_platform_close(file);
}

static void children_read_write_and_end(void** state) {
  (void)state;
  // cat copies what is sent into a file, and ends well
  char path[512];
  int ends[2];
  int code = -1;
  RvProcess process;
  snprintf(path, sizeof path, "%s/copy", rv_test_folder());
  assert_true(rv_platform_channel(ends));
  int out = rv_platform_open(path, RV_OPEN_READ | RV_OPEN_WRITE | RV_OPEN_NEW);
  const char* cat[] = {"cat", NULL};
  assert_int_equal(rv_platform_start("cat", cat, ends[0], out, RV_FILE_NONE, &process), 0);
  rv_platform_close(ends[0]);
  assert_int_equal(rv_platform_send(ends[1], "moo", 3), 3);
  rv_platform_close(ends[1]);
  assert_int_equal(rv_platform_wait(&process, 1, &code), 0);
  assert_int_equal(code, 0);
  char text[8] = "";
  assert_int_equal(rv_platform_read_at(out, text, 7, 0), 3);
  assert_string_equal(text, "moo");
  rv_platform_close(out);
  // of two processes the one that ends is told, with its failure; the other one is stopped
  const char *wait[] = {"sleep", "100", NULL}, *fails[] = {"false", NULL}, *none[] = {"no-such-program", NULL};
  RvProcess both[2];
  assert_int_equal(rv_platform_start("sleep", wait, RV_FILE_NONE, RV_FILE_NONE, RV_FILE_NONE, &both[0]), 0);
  assert_int_equal(rv_platform_start("false", fails, RV_FILE_NONE, RV_FILE_NONE, RV_FILE_NONE, &both[1]), 0);
  assert_int_equal(rv_platform_wait(both, 2, &code), 1);
  assert_int_equal(code, 1);
  rv_platform_stop(both[0]);
  assert_int_equal(rv_platform_wait(both, 1, &code), 0);
  assert_int_equal(code, -1);
  assert_int_equal(rv_platform_start("no-such-program", none, RV_FILE_NONE, RV_FILE_NONE, RV_FILE_NONE, &process),
                   ENOENT);
  assert_false(rv_platform_process_exists((long)both[0]));
}

// The reader is gone: no signal, and an error.
static void a_closed_channel_is_an_error(void** state) {
  (void)state;
  int ends[2];
  assert_true(rv_platform_channel(ends));
  rv_platform_close(ends[0]);
  assert_true(rv_platform_send(ends[1], "x", 1) < 0);
  rv_platform_close(ends[1]);
}

static void the_locale_of_the_thread_comes_back(void** state) {
  (void)state;
  locale_t before = uselocale((locale_t)0);
  RvNumberLocale locale = rv_platform_locale_enter();
  assert_true(uselocale((locale_t)0) != before);
  rv_platform_locale_leave(locale);
  assert_true(uselocale((locale_t)0) == before);
}

RV_TESTS(cmocka_unit_test(patterns_match_as_fnmatch_does), cmocka_unit_test(words_are_cut_as_linux_cuts_them),
         cmocka_unit_test(texts_are_compared_as_linux_compares_them), cmocka_unit_test(links_are_told_and_not_followed),
         cmocka_unit_test(a_pipe_without_writer_is_not_waited_for), cmocka_unit_test(children_read_write_and_end),
         cmocka_unit_test(a_closed_channel_is_an_error), cmocka_unit_test(the_locale_of_the_thread_comes_back))
