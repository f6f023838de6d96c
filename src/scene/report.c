// The report of a run: one line of JSON per frame with times, counts, the liquid ledger, residuals, warnings and a
// hash.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scene/doc.h"
#include "scene/host.h"

void rv_scene_report_begin(RvScene* scene) {
  for (size_t i = 0; i < scene->log.warnings.count; ++i) rv_free(scene->log.warnings.data[i].text);
  scene->log.warnings.count = 0;
  scene->log.incomplete = false;
  scene->log.geometry_seconds = 0;
  scene->log.write_seconds = 0;
  scene->log.checkpoint_seconds = 0;
}

void rv_scene_report_free(RvScene* scene) {
  rv_scene_report_begin(scene);
  rv_array_free(&scene->log.warnings);
}

// Appends "name": value.
static void add_member(RvText* text, const char* name, double value) {
  rv_scene_doc_add_string(text, name);
  rv_text_add(text, ": ");
  rv_scene_doc_add_number(text, value);
}

//------------------------------------------------------------------------------------------------ stages

typedef RV_ARRAY(RvStageTime) StageList;

// Adds the time of a stage; stages of the same name are summed. False: out of memory.
static bool add_stage(StageList* list, const char* name, double seconds) {
  for (size_t i = 0; i < list->count; ++i) {
    if (strcmp(list->data[i].name, name) != 0) continue;
    list->data[i].seconds += seconds;
    return true;
  }
  RvStageTime stage = {name, seconds};
  return rv_array_push(list, stage);
}

// Lists the times of all solvers' stages and of the host. False: out of memory.
static bool list_stages(const RvScene* scene, RvEntry* const* states, size_t nstate, RvFrameReport* report) {
  StageList list = {0};
  bool ok = true;
  for (size_t i = 0; i < nstate; ++i) {
    const char* const* names = states[i]->node->type->stages;
    for (size_t k = 0; names && names[k] && k < RV_STAGE_MAX; ++k)
      ok = ok && add_stage(&list, names[k], states[i]->stats.stage_seconds[k]);
  }
  // The host's own work.
  ok = ok && add_stage(&list, "geometry", scene->log.geometry_seconds);
  ok = ok && add_stage(&list, "write", scene->log.write_seconds);
  ok = ok && add_stage(&list, "checkpoint", scene->log.checkpoint_seconds);
  report->stages = list.data;
  report->nstage = list.count;
  return ok;
}

// Writes the times of the stages.
static void write_stages(RvText* text, const RvFrameReport* report) {
  rv_text_add(text, ", \"stages\": {");
  for (size_t i = 0; i < report->nstage; ++i) {
    if (i) rv_text_add(text, ", ");
    add_member(text, report->stages[i].name, report->stages[i].seconds);
  }
  rv_text_add(text, "}");
}

//------------------------------------------------------------------------------------------------ counts

// Counts strands (curves), their vertices, and particles (points without a primitive).
static bool count_detail(const RvDetail* detail, RvStats* sum) {
  size_t nprim = rv_detail_count(detail, RV_PRIM);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  size_t nvertex = rv_detail_count(detail, RV_VERTEX);
  // Strands.
  const int32_t* start = rv_detail_prim_start(detail);
  for (size_t i = 0; i < nprim; ++i) {
    if (rv_detail_prim_type(detail, i) != RV_PRIM_CURVE) continue;
    sum->strands++;
    sum->vertices += start[i + 1] - start[i];
  }
  // Particles: mark the points of primitives and count the others.
  uint8_t* used = rv_alloc_zero(npoint, 1);
  if (!used) return false;
  const int32_t* point = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < nvertex; ++i) used[point[i]] = 1;
  for (size_t i = 0; i < npoint; ++i) sum->particles += !used[i];
  rv_free(used);
  return true;
}

// Sums the stats of all solvers; in a scene without solvers the targets' geometry is counted.
// False: out of memory.
static bool sum_stats(RvEntry* const* targets, size_t ntarget, RvEntry* const* states, size_t nstate, RvStats* out) {
  RvStats sum = {0};
  bool counted = true;
  for (size_t i = 0; i < nstate; ++i) {
    const RvStats* s = &states[i]->stats;
    sum.substeps += s->substeps;
    sum.iterations += s->iterations;
#define RV_COUNT_SUM(name) sum.name += s->name;
    RV_COUNTS(RV_COUNT_SUM)
#undef RV_COUNT_SUM
    sum.ledger.bulk += s->ledger.bulk;
    sum.ledger.film += s->ledger.film;
    sum.ledger.absorbed += s->ledger.absorbed;
    sum.ledger.initial += s->ledger.initial;
    sum.ledger.sources += s->ledger.sources;
    sum.ledger.killed += s->ledger.killed;
    sum.ledger.evaporated += s->ledger.evaporated;
    sum.ledger.outflow += s->ledger.outflow;
  }
  for (size_t i = 0; i < ntarget && !nstate; ++i)
    if (targets[i]->output[0]) counted &= count_detail(targets[i]->output[0], &sum);
  *out = sum;
  return counted;
}

// Writes the liquid ledger (m^3).
static void write_ledger(RvText* text, const RvLedger* ledger) {
  rv_text_add(text, ", \"ledger\": {");
  const char* const names[] = {"bulk", "film", "absorbed", "initial", "sources"};
  const double values[] = {ledger->bulk, ledger->film, ledger->absorbed, ledger->initial, ledger->sources};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    add_member(text, names[i], values[i]);
    rv_text_add(text, ", ");
  }
  // Volumes that left, by cause.
  rv_text_add(text, "\"sinks\": {");
  add_member(text, "killed", ledger->killed);
  rv_text_add(text, ", ");
  add_member(text, "evaporated", ledger->evaporated);
  rv_text_add(text, ", ");
  add_member(text, "outflow", ledger->outflow);
  rv_text_add(text, "}, ");
  // Total, and relative error of the balance.
  add_member(text, "total", rv_ledger_total(ledger));
  rv_text_add(text, ", ");
  add_member(text, "drift", rv_ledger_drift(ledger));
  rv_text_add(text, "}");
}

//------------------------------------------------------------------------------------------------ hash and warnings

// Adds a hash; false if it is 0, for lack of memory.
static bool add_hash(RvHasher* hasher, uint64_t hash) {
  rv_hasher_add_u64(hasher, hash);
  return hash != 0;
}

// Hash of the frame: the state of the only solver, the states of several in order, or without solvers the outputs. 0:
// out of memory.
static uint64_t frame_hash(RvEntry* const* targets, size_t ntarget, RvEntry* const* states, size_t nstate) {
  if (nstate == 1) return rv_scene_entry_state_hash(states[0]);
  RvHasher hasher = rv_hasher_new(RV_SCENE_SEED_REPORT);
  for (size_t i = 0; i < nstate; ++i)
    if (!add_hash(&hasher, rv_scene_entry_state_hash(states[i]))) return 0;
  for (size_t i = 0; i < ntarget && !nstate; ++i)
    for (int k = 0; k < RV_NODE_MAX_OUTPUTS; ++k)
      if (!targets[i]->output[k])
        rv_hasher_add_u64(&hasher, 0);
      else if (!add_hash(&hasher, rv_detail_hash(targets[i]->output[k])))
        return 0;
  return rv_hasher_done(&hasher);
}

// Writes the warnings of the frame; repeated ones with their number.
static void write_warnings(RvText* text, const RvFrameLog* log) {
  rv_text_add(text, ", \"warnings\": [");
  for (size_t i = 0; i < log->warnings.count; ++i) {
    const RvWarning* warning = &log->warnings.data[i];
    if (i) rv_text_add(text, ", ");
    char* line =
        warning->count > 1 ? rv_strf("%s (%zu times)", warning->text, warning->count) : rv_strdup(warning->text);
    if (line)
      rv_scene_doc_add_string(text, line);
    else
      text->failed = true;
    rv_free(line);
  }
  rv_text_add(text, "]");
}

RvResult rv_scene_report_write(RvScene* scene, RvEntry* const* targets, size_t ntarget, RvEntry* const* states,
                               size_t nstate, RvFrameReport* report, RvError* error) {
  bool counted = sum_stats(targets, ntarget, states, nstate, &report->stats);
  const RvStats* sum = &report->stats;
  RvText text = {.failed = !list_stages(scene, states, nstate, report) || !counted || scene->log.incomplete};
  // Times.
  rv_text_add(&text, "{");
  add_member(&text, "frame", report->frame);
  rv_text_add(&text, ", ");
  add_member(&text, "seconds", report->seconds);
  rv_text_add(&text, ", ");
  add_member(&text, "cpu_seconds", report->cpu_seconds);
  rv_text_addf(&text, ", \"substeps\": %d", sum->substeps);
  write_stages(&text, report);
  // Counts and ledger.
  rv_text_add(&text, ", \"counts\": {");
  const char* separator = "";
#define RV_COUNT_WRITE(name)                                                     \
  rv_text_addf(&text, "%s\"" #name "\": %lld", separator, (long long)sum->name); \
  separator = ", ";
  RV_COUNTS(RV_COUNT_WRITE)
#undef RV_COUNT_WRITE
  rv_text_add(&text, "}");
  write_ledger(&text, &sum->ledger);
  // Convergence, warnings and hash.
  rv_text_addf(&text, ", \"iterations\": %d, \"residuals\": [", sum->iterations);
  for (size_t i = 0; i < nstate; ++i) {
    if (i) rv_text_add(&text, ", ");
    rv_scene_doc_add_number(&text, states[i]->stats.residual);
  }
  rv_text_add(&text, "]");
  write_warnings(&text, &scene->log);
  uint64_t hash = frame_hash(targets, ntarget, states, nstate);
  if (!hash) text.failed = true;
  rv_text_addf(&text, ", \"hash\": \"%016llx\"}", (unsigned long long)hash);
  report->json = rv_text_done(&text);
  return report->json ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the report of frame %g", report->frame);
}

void rv_scene_report_clear(RvFrameReport* report) {
  rv_free((void*)report->stages);
  rv_free((void*)report->json);
  *report = (RvFrameReport){0};
}
