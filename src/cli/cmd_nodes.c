// rivulet nodes: prints the node and parameter tables, and writes the manual pages.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "node/describe/docs.h"

// True for types that the palette shows.
static bool visible(const RvNodeType* type) {
  return !(type->flags & RV_NODE_HIDDEN);
}

// True if an earlier visible type has the same category.
static bool listed(size_t index) {
  for (size_t i = 0; i < index; ++i)
    if (visible(rv_node_type(i)) && !strcmp(rv_node_type(i)->category, rv_node_type(index)->category)) return true;
  return false;
}

// Lists all types by category, in the order in which the table first names them.
static void list(void) {
  for (size_t i = 0; i < rv_node_type_count(); ++i) {
    const char* category = rv_node_type(i)->category;
    if (!visible(rv_node_type(i)) || listed(i)) continue;
    printf("%s%s\n", i ? "\n" : "", category);
    for (size_t j = i; j < rv_node_type_count(); ++j) {
      const RvNodeType* type = rv_node_type(j);
      if (visible(type) && !strcmp(type->category, category)) printf("  %-16s %s\n", type->type, type->summary);
    }
  }
  printf("\nrivulet nodes TYPE shows the parameters of one.\n");
}

// Prints one type in a format.
static RvResult print_one(const RvNodeType* type, const char* format, RvError* error) {
  char* text = rv_node_describe(type, format);
  if (!text) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  fputs(text, stdout);
  size_t length = strlen(text);
  if (length && text[length - 1] != '\n') putchar('\n');
  rv_free(text);
  return RV_OK;
}

// Prints all visible types as a JSON array.
static RvResult print_json_list(RvError* error) {
  RvResult result = RV_OK;
  bool first = true;
  printf("[\n");
  for (size_t i = 0; !result && i < rv_node_type_count(); ++i) {
    if (!visible(rv_node_type(i))) continue;
    if (!first) printf(",\n");
    first = false;
    result = print_one(rv_node_type(i), "json", error);
  }
  printf("]\n");
  return result;
}

// Reads the options and prints.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  bool json = false, ds = false, page = false, md = false;
  const char* docs = NULL;
  const RvOption options[] = {{"--json", RV_OPTION_FLAG, &json},
                              {"--ds", RV_OPTION_FLAG, &ds},
                              {"--help-page", RV_OPTION_FLAG, &page},
                              {"--md", RV_OPTION_FLAG, &md},
                              {"--write-docs", RV_OPTION_TEXT, &docs}};
  RvResult result = rv_cli_options(argc, argv, options, sizeof options / sizeof *options, words, error);
  if (result) return result;
  if (docs) return rv_node_write_docs(docs, error);
  if (words->count > 1) return rv_fail(error, RV_BAD_INPUT, "nodes takes one type at most");
  const char* format = json ? "json" : ds ? "ds" : page ? "help" : md ? "md" : "text";
  if (words->count == 0 && json) return print_json_list(error);
  if (words->count == 0 && strcmp(format, "text") != 0)
    return rv_fail(error, RV_BAD_INPUT, "name a node type for this format; 'rivulet nodes' lists them");
  if (words->count == 0) {
    list();
    return RV_OK;
  }
  const RvNodeType* type = rv_node_find(words->items[0]);
  if (!type)
    return rv_fail(error, RV_NOT_FOUND, "there is no node type '%s'; 'rivulet nodes' lists them", words->items[0]);
  return print_one(type, format, error);
}

int rv_cli_nodes(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
