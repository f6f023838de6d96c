// rivulet check: runs the physics checks and prints measured value, expected value and tolerance.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "cli/cli.h"

// Where results are printed, and their tally.
typedef struct Printer {
  const RvCheck* check;
  bool json;
  size_t passed, failed;
} Printer;

// A JSON number; null for values that are not finite.
static json_t* number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

// Prints and counts one comparison.
static void print_line(void* user, const RvCheckLine* line) {
  Printer* printer = user;
  bool pass = fabs(line->measured - line->expected) <= line->tolerance;
  if (pass)
    printer->passed++;
  else
    printer->failed++;
  char name[128];
  snprintf(name, sizeof name, "%s%s%s", printer->check->name, line->name ? "." : "", line->name ? line->name : "");
  if (!printer->json) {
    printf("%-4s %-40s measured %-13.7g expected %-13.7g within %-9.3g %s\n", pass ? "ok" : "FAIL", name,
           line->measured, line->expected, line->tolerance, printer->check->spec);
    return;
  }
  json_t* row = json_pack("{s:s,s:s,s:o,s:o,s:o,s:b}", "check", name, "spec", printer->check->spec, "measured",
                          number(line->measured), "expected", number(line->expected), "tolerance",
                          number(line->tolerance), "pass", pass);
  char* text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17));
  printf("%s\n", text ? text : "{}");
  free(text);
  json_decref(row);
}

// True if a check is named on the command line, or none is.
static bool wanted(const RvTextList* words, const char* name) {
  for (size_t i = 0; i < words->count; ++i)
    if (strcmp(words->items[i], name) == 0) return true;
  return words->count == 0;
}

// Fails on a name that is no check.
static RvResult names_exist(const RvTextList* words, RvError* error) {
  for (size_t i = 0; i < words->count; ++i) {
    bool found = false;
    for (size_t k = 0; k < rv_check_count; ++k) found |= strcmp(rv_checks[k].name, words->items[i]) == 0;
    if (!found)
      return rv_fail(error, RV_NOT_FOUND, "there is no check '%s'; 'rivulet check' runs all", words->items[i]);
  }
  return RV_OK;
}

// Runs the named checks, or all; fails if a comparison fails.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  Printer printer = {0};
  const RvOption options[] = {{"--json", RV_OPTION_FLAG, &printer.json}};
  RvResult result = rv_cli_options(argc, argv, options, 1, words, error);
  if (!result) result = names_exist(words, error);
  for (size_t k = 0; k < rv_check_count && !result; ++k) {
    if (!wanted(words, rv_checks[k].name)) continue;
    printer.check = &rv_checks[k];
    if (!printer.json) printf("     %s: %s\n", rv_checks[k].name, rv_checks[k].formula);
    result = rv_checks[k].run(&(RvCheckOut){&printer, print_line}, error);
    fflush(stdout);
    if (rv_cli_interrupted()) return rv_fail(error, RV_CANCELLED, "interrupted");
  }
  if (result) return result;
  if (!printer.json) printf("%zu passed, %zu failed\n", printer.passed, printer.failed);
  return printer.failed ? rv_fail(error, RV_INTERNAL, "%zu checks failed", printer.failed) : RV_OK;
}

int rv_cli_check(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
