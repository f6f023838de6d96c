#include "support/cook.h"
#include "support/rv_test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(void* user, RvLevel level, const char* text) {
  RvTestCook* cook = user;
  if (level != RV_LEVEL_WARNING) return;
  cook->nwarning++;
  size_t used = strlen(cook->warnings);
  snprintf(cook->warnings + used, sizeof cook->warnings - used, "%s\n", text);
}

static char* trim(char* text) {
  while (isspace((unsigned char)*text)) ++text;
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1])) text[--n] = 0;
  return text;
}

static RvResult set_all(RvParms* values, const char* parms, RvError* error) {
  char* copy = strdup(parms ? parms : "");
  RvResult result = RV_OK;
  char* rest = copy;
  for (char* part; result == RV_OK && (part = strsep(&rest, ";"));) {
    part = trim(part);
    if (!*part) continue;
    char* equals = strchr(part, '=');
    if (!equals) {
      result = rv_fail(error, RV_BAD_INPUT, "test: \"%s\" has no =", part);
      break;
    }
    *equals = 0;
    result = rv_parms_set_text(values, trim(part), trim(equals + 1), error);
  }
  free(copy);
  return result;
}

typedef struct Host {
  RvTestCook* cook;
  const RvTestHost* test;
  RvParms* values;
  RvVars vars;
} Host;

static void hear(void* user, RvLevel level, const char* text) {
  note(((Host*)user)->cook, level, text);
}

static RvResult input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  const RvTestHost* test = ((Host*)user)->test;
  return test->input_at(test->user, index, frame, out, error);
}

static RvResult parms_at(void* user, double frame, void* out, RvError* error) {
  Host* host = user;
  RvVars vars = host->vars;
  vars.frame = frame;
  return rv_parms_eval(host->values, &vars, out, error);
}

static RvTestCook cook_row(const RvNodeType* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                           double frame, void** cache, const RvTestHost* test) {
  RvTestCook out = {0};
  RvVars vars = {.frame = frame, .fps = 24, .out = test->out ? test->out : "/tmp", .hip = ".", .node = "test"};
  RvParms* values = rv_parms_new(type->parms);
  void* block = calloc(1, type->parms->struct_bytes ? type->parms->struct_bytes : 1);
  void* none = NULL;
  Host user = {&out, test, values, vars};
  RvHost host = {.user = &user, .message = hear, .parms_at = parms_at};
  if (test->input_at) host.input_at = input_at;
  RvCook cook = {.type = type,
                 .node = "test",
                 .time = {.frame = frame, .fps = 24, .time = (frame - 1) / 24, .meters_per_unit = 1},
                 .start_frame = 1,
                 .parms = block,
                 .ninput = ninput,
                 .input = inputs,
                 .write = !test->no_write,
                 .stats = &out.stats,
                 .cache = cache ? cache : &none,
                 .vars = &vars,
                 .host = &host};
  out.result = values && block ? RV_OK : rv_fail(&out.error, RV_NO_MEMORY, "test: no memory");
  if (out.result == RV_OK) out.result = set_all(values, parms, &out.error);
  if (out.result == RV_OK) out.result = rv_parms_eval(values, &vars, block, &out.error);
  if (out.result == RV_OK) out.result = type->cook(&cook, &out.error);
  memcpy(out.output, cook.output, sizeof out.output);
  if (none && type->free_cache) type->free_cache(none);
  free(block);
  rv_parms_free(values);
  return out;
}

RvTestCook rv_test_cook_type(const RvNodeType* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                             double frame, void** cache) {
  return cook_row(type, parms, ninput, inputs, frame, cache, &(RvTestHost){0});
}

RvTestCook rv_test_cook_host(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                             double frame, const RvTestHost* host) {
  const RvNodeType* row = rv_node_find(type);
  if (row) return cook_row(row, parms, ninput, inputs, frame, NULL, host);
  RvTestCook out = {0};
  out.result = rv_fail(&out.error, RV_NOT_FOUND, "test: no node type %s", type);
  return out;
}

RvTestCook rv_test_cook_at(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                           double frame) {
  const RvNodeType* row = rv_node_find(type);
  if (row) return rv_test_cook_type(row, parms, ninput, inputs, frame, NULL);
  RvTestCook out = {0};
  out.result = rv_fail(&out.error, RV_NOT_FOUND, "test: no node type %s", type);
  return out;
}

RvTestCook rv_test_cook(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs) {
  return rv_test_cook_at(type, parms, ninput, inputs, 1);
}

void rv_test_cook_free(RvTestCook* cook) {
  for (int i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) {
    rv_detail_free(cook->output[i]);
    cook->output[i] = NULL;
  }
}

RvDetail* rv_test_cooked(const char* type, const char* parms, const RvDetail* input) {
  RvTestCook c = rv_test_cook(type, parms, input ? 1 : 0, &input);
  CHECK_OK(c.result, c.error);
  CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
  return c.output[0];
}

void rv_test_cook_fails(const char* type, const char* parms, const RvDetail* input, RvResult code, const char* part) {
  RvTestCook c = rv_test_cook(type, parms, input ? 1 : 0, &input);
  CHECK_FAILS(c.result, code, c.error, part);
  rv_test_cook_free(&c);
}

RvDetail* rv_test_carried(const RvDetail* hairs, const RvDetail* rest, const RvDetail* moved, const char* parms) {
  RvTestCook c = rv_test_cook("transfer", parms, 3, (const RvDetail*[]){hairs, rest, moved});
  CHECK_OK(c.result, c.error);
  if (c.nwarning) fail_msg("%s", c.warnings);
  return c.output[0];
}
