// Scenes given as text, and the warnings of their nodes.
#include "rig/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Message hook: collects warnings.
static void collect_warning(void* user, RvLevel level, const char* node, double frame, const char* text) {
  (void)node;
  (void)frame;
  RvSceneRig* rig = user;
  if (level != RV_LEVEL_WARNING) return;
  rig->warnings++;
  size_t used = strlen(rig->text);
  snprintf(rig->text + used, sizeof rig->text - used, "%s\n", text);
}

// Hook of a finished frame: takes its figures.
static void take_figures(void* user, const RvFrameReport* report) {
  RvSceneFigures* figures = &((RvSceneRig*)user)->figures;
  const RvLedger* ledger = &report->stats.ledger;
  figures->film = ledger->film;
  figures->dripped = ledger->bulk + ledger->killed;
  figures->clumps = (double)report->stats.clumps;
  if (report->frame > 1) figures->fewest_clumps = fmin(figures->fewest_clumps, figures->clumps);
  figures->drift = fmax(figures->drift, rv_rig_scene_ledger_error(ledger));
  figures->iterations = fmax(figures->iterations, report->stats.iterations);
}

RvResult rv_rig_scene_open(RvSceneRig* rig, const char* nodes, RvError* error) {
  static const char head[] = "{\"rivulet\": 1, \"fps\": 24, \"frames\": [1, 48], \"nodes\": {";
  *rig = (RvSceneRig){0};
  size_t bytes = sizeof head + strlen(nodes) + 2;
  char* text = rv_alloc(bytes, 1);
  if (!text) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  snprintf(text, bytes, "%s%s}}", head, nodes);
  RvResult result = rv_scene_parse(text, strlen(text), "check", &rig->scene, error);
  rv_free(text);
  const RvSceneHooks hooks = {.user = rig, .message = collect_warning, .frame_done = take_figures};
  if (!result) rv_scene_set_hooks(rig->scene, &hooks);
  return result;
}

RvResult rv_rig_scene_cook(RvSceneRig* rig, const char* output, double frame, RvDetail** out, RvError* error) {
  const RvDetail* cooked;
  *out = NULL;
  RvResult result = rv_scene_cook(rig->scene, output, frame, &cooked, error);
  if (result) return result;
  *out = rv_detail_copy(cooked);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

RvResult rv_rig_scene_run(RvSceneRig* rig, int last, RvError* error) {
  rig->figures = (RvSceneFigures){.fewest_clumps = INFINITY};
  return rv_scene_run(rig->scene, &(RvRun){.node = "s", .first = 1, .last = last}, error);
}

void rv_rig_scene_close(RvSceneRig* rig) {
  rv_scene_free(rig->scene);
  rig->scene = NULL;
}

double rv_rig_scene_warned(const RvSceneRig* rig, const char* words) {
  const char* at = strstr(rig->text, words);
  while (at && at > rig->text && at[-1] != '\n') --at;
  return at ? strtod(at, NULL) : 0;
}

double rv_rig_scene_ledger_error(const RvLedger* l) {
  double in = l->initial + l->sources, out = l->killed + l->evaporated + l->outflow;
  return fabs(l->bulk + l->film + l->absorbed + out - in) / in;
}
