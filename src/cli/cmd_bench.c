// rivulet bench: runs the benchmarks and prints their figures.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/cli.h"

// Where figures are printed, and how.
typedef struct Printer {
  const RvBench* bench;
  bool json;
} Printer;

// Prints one figure as a line of text or JSON.
static void print_figure(void* user, const char* metric, double value, const char* unit) {
  const Printer* printer = user;
  if (!printer->json) {
    printf("%-16s %-36s %12.5g %s\n", printer->bench->name, metric, value, unit);
  } else {
    json_t* row = json_pack("{s:s,s:s,s:o,s:s}", "bench", printer->bench->name, "metric", metric, "value",
                            isfinite(value) ? json_real(value) : json_null(), "unit", unit);
    char* text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(9));
    printf("%s\n", text ? text : "{}");
    free(text);
    json_decref(row);
  }
  fflush(stdout);
}

// Finds a benchmark by name; NULL if there is none.
static const RvBench* find(const char* name) {
  for (size_t k = 0; k < rv_bench_count; ++k)
    if (strcmp(rv_benches[k].name, name) == 0) return &rv_benches[k];
  return NULL;
}

// Fails with the list of benchmarks.
static RvResult no_benchmark(const char* name, RvError* error) {
#define RV_BENCH(name, help) " " #name
  static const char names[] =
#include "bench/benches.def"
      ;
#undef RV_BENCH
  return rv_fail(error, RV_NOT_FOUND, "there is no benchmark '%s'; there are%s", name, names);
}

// Runs the named benchmarks, or all of them.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  Printer printer = {0};
  int threads = 0, shrink = 1;
  const RvOption options[] = {{"--json", RV_OPTION_FLAG, &printer.json},
                              {"--threads", RV_OPTION_INT, &threads},
                              {"--shrink", RV_OPTION_INT, &shrink}};
  RvResult result = rv_cli_options(argc, argv, options, 3, words, error);
  if (result) return result;
  if (shrink < 1) return rv_fail(error, RV_BAD_INPUT, "--shrink takes a whole number of at least 1");
  if (threads) rv_threads_set(threads);
  rv_bench_set_interrupt(rv_cli_interrupted);
  size_t count = words->count ? words->count : rv_bench_count;
  for (size_t k = 0; k < count && !result; ++k) {
    printer.bench = words->count ? find(words->items[k]) : &rv_benches[k];
    if (!printer.bench) return no_benchmark(words->items[k], error);
    result = printer.bench->run(&(RvBenchOut){&printer, print_figure, shrink}, error);
    if (rv_cli_interrupted()) return rv_fail(error, RV_CANCELLED, "interrupted");
  }
  return result;
}

int rv_cli_bench(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
