// The committed pages of docs/nodes are those that the tables give, no more and no fewer.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "node/describe/docs.h"
#include "support/rv_test.h"

#define RENEW "renew them with: cmake --build build/release --target docs"

static bool is_page(const char* name) {
  size_t n = strlen(name);
  return n > 3 && strcmp(name + n - 3, ".md") == 0;
}

static char* read_page(const char* folder, const char* name) {
  void* bytes = NULL;
  size_t count;
  char* path = rv_strf("%s/%s", folder, name);
  rv_file_read(path, 0, &bytes, &count, NULL);
  rv_free(path);
  return bytes;
}

// each page of `these` is the same among `those`; returns the faults
static int compare(const char* these, const char* those, const char* what) {
  DIR* dir = opendir(these);
  if (!dir) fail_msg("%s cannot be read; %s", these, RENEW);
  int faults = 0;
  for (struct dirent* entry; (entry = readdir(dir));) {
    if (!is_page(entry->d_name)) continue;
    char *a = read_page(these, entry->d_name), *b = read_page(those, entry->d_name);
    if (!a || !b || strcmp(a, b) != 0) {
      print_error("docs/nodes/%s is %s\n", entry->d_name, a && b ? "stale" : what);
      ++faults;
    }
    rv_free(a);
    rv_free(b);
  }
  closedir(dir);
  return faults;
}

static void pages_are_fresh(void** state) {
  (void)state;
  RvError e = {0};
  const char* fresh = rv_test_folder();
  CHECK_OK(rv_node_write_docs(fresh, &e), e);
  int faults = compare(fresh, RV_SOURCE_DIR "/docs/nodes", "missing");
  faults += compare(RV_SOURCE_DIR "/docs/nodes", fresh, "of no node");
  if (faults) fail_msg("pages of docs/nodes are out of date; %s", RENEW);
}

// a page of a node that is gone goes too; what somebody else wrote stays
static void orphans_are_removed(void** state) {
  (void)state;
  RvError e = {0};
  char* folder = rv_strf("%s/orphans", rv_test_folder());
  char *gone = rv_strf("%s/gone.md", folder), *mine = rv_strf("%s/mine.md", folder);
  const char *generated = RV_DOCS_MARK "\n# Gone\n", *written = "# Mine\n";
  CHECK_OK(rv_file_write(gone, generated, strlen(generated), &e), e);
  CHECK_OK(rv_file_write(mine, written, strlen(written), &e), e);
  CHECK_OK(rv_node_write_docs(folder, &e), e);
  char *no = read_page(folder, "gone.md"), *yes = read_page(folder, "mine.md"), *index = read_page(folder, "README.md");
  assert_null(no);
  assert_string_equal(yes, written);
  assert_non_null(index);
  rv_free(yes);
  rv_free(index);
  rv_free(gone);
  rv_free(mine);
  rv_free(folder);
}

RV_TESTS(cmocka_unit_test(pages_are_fresh), cmocka_unit_test(orphans_are_removed))
