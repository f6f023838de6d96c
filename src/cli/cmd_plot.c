// rivulet plot: draws the report of a cook as one sheet, SVG and PNG.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/plot.h"

// The name of the report with another ending.
static char* beside(const char* path, const char* ending) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t n = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
  return rv_strf("%.*s%s", (int)n, path, ending);
}

// Writes the sheet to the files of -o, or beside the report.
static RvResult write_all(const RvSheet* sheet, const char* path, const RvTextList* files, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < files->count && !result; ++i) result = rv_view_sheet_write(sheet, files->items[i], error);
  static const char* const endings[] = {".svg", ".png"};
  for (int i = 0; i < 2 && !files->count && !result; ++i) {
    char* name = beside(path, endings[i]);
    result = name ? rv_view_sheet_write(sheet, name, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (!result) printf("%s\n", name);
    rv_free(name);
  }
  return result;
}

// Reads the report, draws and writes the sheet.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  RvTextList files = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0};
  if (!files.items) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const RvOption options[] = {{"-o", RV_OPTION_LIST, &files}};
  RvResult result = rv_cli_options(argc, argv, options, 1, words, error);
  if (!result && words->count != 1)
    result = rv_fail(error, RV_BAD_INPUT, "plot takes one report, as `cook --report FILE` writes it");
  RvPlotReport report = {0};
  if (!result) result = rv_cli_plot_read(words->items[0], &report, error);
  RvSheet* sheet = result ? NULL : rv_cli_plot_draw(&report, words->items[0]);
  if (!result)
    result = sheet ? write_all(sheet, words->items[0], &files, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_view_sheet_free(sheet);
  rv_cli_plot_free(&report);
  rv_free(files.items);
  return result;
}

int rv_cli_plot(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
