// Writes the generated pages of the manual: one for each node type, and the index.
#include "node/describe/docs.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "node/table.h"
#include "parm/text.h"

enum { MAX_PAGE_BYTES = 1 << 20 };

// A built-in type; NULL if it is hidden.
static const RvNodeType* visible(size_t index) {
  const RvNodeType* type = rv_node_type(index);
  return type->flags & RV_NODE_HIDDEN ? NULL : type;
}

// Writes the index: categories in the order in which the table first names them, each with its nodes.
static void write_index(RvText* out) {
  size_t count = rv_node_builtin_count();
  rv_text_addf(out,
               "%s\n# Nodes\n\nEvery node of Rivulet, by category. Values of parameters may move: see "
               "[values](../values.md).\n",
               RV_DOCS_MARK);
  for (size_t i = 0; i < count; ++i) {
    const RvNodeType* first = visible(i);
    bool named = !first;
    for (size_t j = 0; j < i && !named; ++j) named = visible(j) && !strcmp(visible(j)->category, first->category);
    if (named) continue;
    rv_text_addf(out, "\n## %s\n\n| node | type | |\n|---|---|---|\n", first->category);
    for (size_t j = i; j < count; ++j) {
      const RvNodeType* type = visible(j);
      if (type && !strcmp(type->category, first->category))
        rv_text_addf(out, "| [%s](%s.md) | `%s` | %s |\n", type->label, type->type, type->type, type->summary);
    }
  }
}

// Writes a page and frees its text.
static RvResult write_page(const char* folder, const char* name, char* text, RvError* error) {
  RvResult result;
  char* path = rv_strf("%s/%s.md", folder, name);
  if (!path || !text)
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the page of %s", name);
  else
    result = rv_file_write(path, text, strlen(text), error);
  rv_free(path);
  rv_free(text);
  return result;
}

// True for a generated page whose type no longer exists.
static bool orphan(const char* folder, const char* name) {
  size_t length = strlen(name);
  if (length < 4 || strcmp(name + length - 3, ".md") != 0 || strcmp(name, "README.md") == 0) return false;
  for (size_t i = 0; i < rv_node_builtin_count(); ++i)
    if (visible(i) && strlen(visible(i)->type) == length - 3 && memcmp(visible(i)->type, name, length - 3) == 0)
      return false;
  char* path = rv_strf("%s/%s", folder, name);
  void* bytes = NULL;
  size_t count;
  bool generated = path && !rv_file_read(path, MAX_PAGE_BYTES, &bytes, &count, NULL) &&
                   strncmp(bytes, RV_DOCS_MARK, sizeof RV_DOCS_MARK - 1) == 0;
  rv_free(bytes);
  rv_free(path);
  return generated;
}

// Removes generated pages of types that no longer exist.
static RvResult remove_orphans(const char* folder, RvError* error) {
  RvFolder* dir = rv_platform_folder_open(folder);
  if (!dir) return rv_fail(error, RV_IO, "%s: the folder cannot be read", folder);
  RvResult result = RV_OK;
  for (const char* name = rv_platform_folder_next(dir); !result && name; name = rv_platform_folder_next(dir)) {
    if (!orphan(folder, name)) continue;
    char* path = rv_strf("%s/%s", folder, name);
    if (!path || !rv_platform_remove(path))
      result = rv_fail(error, RV_IO, "%s/%s: the page cannot be removed", folder, name);
    rv_free(path);
  }
  rv_platform_folder_close(dir);
  return result;
}

// Pages first, then the index, then pages without a type are removed.
RvResult rv_node_write_docs(const char* folder, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; !result && i < rv_node_builtin_count(); ++i)
    if (visible(i)) result = write_page(folder, visible(i)->type, rv_node_describe(visible(i), "md"), error);
  if (result) return result;
  RvText index = {0};
  write_index(&index);
  result = write_page(folder, "README", rv_text_done(&index), error);
  return result ? result : remove_orphans(folder, error);
}
