#include "support/node_counter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "parm/table.h"
#include "rivulet/state.h"
#include "support/rv_test.h"

#define SOLVER_PARMS(X)                                                                                      \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the initial state.")                \
  X(INT, substeps, "Substeps", 4, HARD(1), HARD(1000), "", "Steps a frame.")                                 \
  X(INT, seed, "Seed", 7, SOFT(0), SOFT(100), "", "Of the kicks and births.")                                \
  X(FLOAT, stiffness, "Stiffness", 400, HARD(0), SOFT(1000), "", "Of the springs, per mass.")                \
  X(FLOAT, damping, "Damping", 2, HARD(0), SOFT(10), "", "Of the springs, per mass.")                        \
  X(FLOAT, kick, "Kick", 20, HARD(0), SOFT(100), "", "Largest random acceleration.")                         \
  X(FLOAT, birthrate, "Birth Rate", 0.2, HARD(0), HARD(1), "", "Chance of a strand to shed a drop a frame.") \
  X(FLOAT, life, "Life", 0.4, HARD(0), SOFT(10), "s", "Age at which a drop dies.")                           \
  X(FLOAT, dropvolume, "Drop Volume", 1e-9, HARD(0), SOFT(1), "m3", "Volume of a drop.")
RV_PARM_TABLE(SolverParms, solver_table, SOLVER_PARMS)

static const RvPortDef solver_inputs[] = {{"anchors", "Anchors", "The springs hang on these points.", true},
                                          {"wind", "Wind", "Its first point is added to gravity.", false}};
static const RvPortDef solver_outputs[] = {{"strands", "Strands", "The springs.", false},
                                           {"liquid", "Liquid", "The drops.", false},
                                           {"state", "State", "All of it.", false}};

enum { STAGE_SAMPLE, STAGE_SPRINGS, STAGE_DROPS, STAGE_BIRTHS };
static const char* const solver_stages[] = {"sample", "springs", "drops", "births", NULL};

static const RvFieldDef solver_fields[] = {
    RV_FIELD("rv_x", RV_POINT, RV_F64, 3, RV_TAG_POINT, "", "m", "springs", true, "Exact position."),
    RV_FIELD("rv_v", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, "", "m/s", "springs", true, "Exact velocity."),
    RV_FIELD("rv_age", RV_POINT, RV_F64, 1, RV_TAG_NONE, "liquid", "s", "drops", true, "Age of a drop."),
    RV_FIELD("id", RV_POINT, RV_I64, 1, RV_TAG_ID, "", "", "births", true, "Never used again."),
    RV_FIELD("rv_nextid", RV_GLOBAL, RV_I64, 1, RV_TAG_NONE, "", "", "births", true, "The next id."),
    RV_FIELD("rv_kicks", RV_GLOBAL, RV_I64, 1, RV_TAG_NONE, "", "", "springs", true, "Counter of the random numbers."),
    RV_FIELD("rv_ledger", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, "", "m3", "births", true, "Born and killed volume."),
    RV_FIELD("rv_stiff", RV_POINT, RV_F64, 1, RV_TAG_NONE, "strands", "", "springs", false,
             "Multiplier, made from the id."),
};
enum { SOLVER_FIELDS = sizeof solver_fields / sizeof *solver_fields };

// derived data, keyed by the state it belongs to
typedef struct Cache {
  uint64_t key;
  size_t count;
  double* stiff;
} Cache;

static void free_cache(void* memory) {
  Cache* cache = memory;
  rv_free(cache->stiff);
  rv_free(cache);
}

static Cache* get_cache(const RvCook* cook, const RvDetail* state, const int64_t* id, size_t count) {
  const SolverParms* p = cook->parms;
  uint64_t key = rv_state_hash(&(RvState){{(RvDetail*)state}}, solver_fields, SOLVER_FIELDS);
  Cache* cache = *cook->cache;
  if (cache && cache->key == key && cache->count == count) return cache;
  if (cache) free_cache(cache);
  *cook->cache = NULL;
  cache = rv_alloc_zero(1, sizeof *cache);
  if (!cache || !(cache->stiff = rv_alloc(count, sizeof(double)))) {
    rv_free(cache);
    return NULL;
  }
  cache->key = key;
  cache->count = count;
  for (size_t i = 0; i < count; ++i) cache->stiff[i] = 0.5 + rv_random((uint64_t)p->seed, 1, (uint64_t)id[2 * i], 0);
  *cook->cache = cache;
  return cache;
}

typedef struct Work {
  const SolverParms* p;
  size_t nstrand, npoint;  // strands have points 2 i (root) and 2 i + 1 (tip); drops follow
  double *x, *v, *age;
  const int64_t* id;
  const float* anchors;
  const double* stiff;
  double h, gravity[3];
  uint64_t counter;
} Work;

static RvResult get_work(RvCook* cook, RvDetail* out, Work* w, RvError* error) {
  *w = (Work){.p = cook->parms, .nstrand = rv_detail_count(out, RV_PRIM), .npoint = rv_detail_count(out, RV_POINT)};
  w->x = rv_detail_f64_write(out, RV_POINT, "rv_x", 3, error);
  w->v = rv_detail_f64_write(out, RV_POINT, "rv_v", 3, error);
  w->age = rv_detail_f64_write(out, RV_POINT, "rv_age", 1, error);
  w->id = rv_detail_i64_write(out, RV_POINT, "id", 1, error);
  return w->x && w->v && w->age && w->id ? RV_OK : error->code;
}

// P and v are rounded copies
static RvResult publish(RvDetail* out, RvError* error) {
  size_t n = rv_detail_count(out, RV_POINT) * 3;
  const double *x = rv_detail_f64(out, RV_POINT, "rv_x", 3), *v = rv_detail_f64(out, RV_POINT, "rv_v", 3);
  float* P = rv_detail_f32_write(out, RV_POINT, "P", 3, error);
  float* V = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  if (!P || !V) return error->code;
  for (size_t i = 0; i < n; ++i) {
    P[i] = (float)x[i];
    V[i] = (float)v[i];
  }
  return RV_OK;
}

static RvResult set_groups(RvDetail* out, size_t nstrand, RvError* error) {
  RvGroup *strands, *liquid;
  RvResult result = rv_detail_add_group(out, RV_POINT, "strands", &strands, error);
  if (!result) result = rv_detail_add_group(out, RV_POINT, "liquid", &liquid, error);
  if (result) return result;
  uint8_t *s = rv_group_write(strands), *l = rv_group_write(liquid);
  size_t n = rv_detail_count(out, RV_POINT);
  for (size_t i = 0; i < n; ++i) {
    s[i] = i < 2 * nstrand;
    l[i] = i >= 2 * nstrand;
  }
  return RV_OK;
}

static void count_up(RvCook* cook, const RvDetail* out, size_t nstrand) {
  const SolverParms* p = cook->parms;
  const double* ledger = rv_detail_f64(out, RV_GLOBAL, "rv_ledger", 2);
  RvStats* s = cook->stats;
  s->strands = (int64_t)nstrand;
  s->vertices = 2 * (int64_t)nstrand;
  s->particles = (int64_t)(rv_detail_count(out, RV_POINT) - 2 * nstrand);
  s->ledger.bulk = (double)s->particles * p->dropvolume;
  s->ledger.sources = ledger[0];
  s->ledger.killed = ledger[1];
}

static RvResult start(RvCook* cook, RvError* error) {
  const RvDetail* in = cook->input[0];
  size_t n = rv_detail_count(in, RV_POINT);
  const float* P = rv_detail_f32(in, RV_POINT, "P", 3);
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  Work w;
  RvResult result = rv_detail_add_curves(out, n, 2, NULL, NULL, error);
  if (!result) result = rv_state_prepare(out, solver_fields, SOLVER_FIELDS, error);
  if (!result) result = get_work(cook, out, &w, error);
  int64_t* id = result ? NULL : rv_detail_i64_write(out, RV_POINT, "id", 1, error);
  int64_t* next = result ? NULL : rv_detail_i64_write(out, RV_GLOBAL, "rv_nextid", 1, error);
  if (!result && (!id || !next)) result = error->code;
  for (size_t i = 0; i < 2 * n && !result; ++i) {
    id[i] = (int64_t)i;
    for (int k = 0; k < 3; ++k) w.x[3 * i + k] = P[3 * (i / 2) + k];
  }
  if (!result) {
    next[0] = (int64_t)(2 * n);
    result = set_groups(out, n, error);
  }
  if (!result) result = publish(out, error);
  if (result) {
    rv_detail_free(out);
    return result;
  }
  count_up(cook, out, n);
  cook->state.part[0] = out;
  return RV_OK;
}

static void move_strands(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t i = begin; i < end; ++i) {
    double *root = w->x + 6 * i, *tip = root + 3, *v = w->v + 6 * i;
    uint64_t id = (uint64_t)w->id[2 * i + 1];
    for (int k = 0; k < 3; ++k) {
      double to = w->anchors[3 * i + k];
      v[k] = (to - root[k]) / w->h;
      root[k] = to;
      double kick = 2 * rv_random((uint64_t)w->p->seed, id, w->counter * 3 + (uint64_t)k, 0) - 1;
      double a =
          w->gravity[k] - w->p->stiffness * w->stiff[i] * (tip[k] - to) - w->p->damping * v[3 + k] + w->p->kick * kick;
      v[3 + k] += w->h * a;
      tip[k] += w->h * v[3 + k];
    }
  }
}

static void move_drops(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t i = 2 * w->nstrand + begin; i < 2 * w->nstrand + end; ++i) {
    w->age[i] += w->h;
    for (int k = 0; k < 3; ++k) {
      w->v[3 * i + k] += w->h * w->gravity[k];
      w->x[3 * i + k] += w->h * w->v[3 * i + k];
    }
  }
}

static RvResult sample(RvCook* cook, Work* w, double frame, RvError* error) {
  const RvDetail *anchors, *wind;
  RvResult result = rv_cook_input_at(cook, 0, frame, &anchors, error);
  if (!result) result = rv_cook_input_at(cook, 1, frame, &wind, error);
  if (result) return result;
  if (rv_detail_count(anchors, RV_POINT) != w->nstrand)
    return rv_fail(error, RV_BAD_INPUT, "input 1 has %zu points at frame %g and had %zu at the start",
                   rv_detail_count(anchors, RV_POINT), frame, w->nstrand);
  w->anchors = rv_detail_f32(anchors, RV_POINT, "P", 3);
  const float* air = wind && rv_detail_count(wind, RV_POINT) ? rv_detail_f32(wind, RV_POINT, "P", 3) : NULL;
  for (int k = 0; k < 3; ++k) w->gravity[k] = (k == 1 ? -9.81 : 0) + (air ? air[k] : 0);
  return RV_OK;
}

static RvResult substeps(RvCook* cook, Work* w, int64_t* kicks, RvError* error) {
  double* seconds = cook->stats->stage_seconds;
  for (int64_t s = 1; s <= w->p->substeps; ++s) {
    if (rv_cook_cancelled(cook, (double)s / (double)w->p->substeps, solver_stages[STAGE_SPRINGS])) return RV_CANCELLED;
    double t0 = rv_clock_wall();
    RvResult result = sample(cook, w, cook->time.frame - 1 + (double)s / (double)w->p->substeps, error);
    if (result) return result;
    double t1 = rv_clock_wall();
    w->counter = (uint64_t)(*kicks)++;
    rv_parallel_for(w->nstrand, 64, move_strands, w);
    double t2 = rv_clock_wall();
    rv_parallel_for(w->npoint - 2 * w->nstrand, 64, move_drops, w);
    seconds[STAGE_SAMPLE] += t1 - t0;
    seconds[STAGE_SPRINGS] += t2 - t1;
    seconds[STAGE_DROPS] += rv_clock_wall() - t2;
  }
  cook->stats->substeps = (int)w->p->substeps;
  return RV_OK;
}

static RvResult kill_old(RvDetail* out, const Work* w, double* ledger, RvError* error) {
  uint8_t* keep = rv_alloc(w->npoint, 1);
  if (!keep) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < w->npoint; ++i) {
    keep[i] = i < 2 * w->nstrand || w->age[i] <= w->p->life;
    if (!keep[i]) ledger[1] += w->p->dropvolume;
  }
  RvResult result = rv_detail_keep(out, keep, NULL, false, error);
  rv_free(keep);
  return result;
}

static RvResult give_birth(RvCook* cook, RvDetail* out, double* ledger, int64_t kicks, RvError* error) {
  Work w;
  const SolverParms* p = cook->parms;
  size_t nstrand = rv_detail_count(out, RV_PRIM), born = 0, first;
#define SHEDS(i) (rv_random((uint64_t)p->seed + 1, (uint64_t)(i), (uint64_t)kicks, 1) < p->birthrate)
  for (size_t i = 0; i < nstrand; ++i) born += SHEDS(i);
  RvResult result = rv_detail_add_points(out, born, &first, error);
  if (!result) result = get_work(cook, out, &w, error);
  if (result) return result;
  int64_t* id = rv_detail_i64_write(out, RV_POINT, "id", 1, error);
  int64_t* next = rv_detail_i64_write(out, RV_GLOBAL, "rv_nextid", 1, error);
  if (!id || !next) return error->code;
  for (size_t i = 0, to = first; i < nstrand; ++i) {
    if (!SHEDS(i)) continue;
    memcpy(w.x + 3 * to, w.x + 6 * i + 3, 3 * sizeof(double));
    memcpy(w.v + 3 * to, w.v + 6 * i + 3, 3 * sizeof(double));
    w.age[to] = 0;
    id[to++] = next[0]++;
    ledger[0] += p->dropvolume;
  }
  return set_groups(out, nstrand, error);
}

static RvResult step(RvCook* cook, RvError* error) {
  RvResult result = rv_state_check(cook->prev->part[0], solver_fields, SOLVER_FIELDS, error);
  if (result) return result;
  RvDetail* out = rv_detail_copy(cook->prev->part[0]);
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  Work w;
  double ledger[2];
  result = get_work(cook, out, &w, error);
  int64_t* kicks = result ? NULL : rv_detail_i64_write(out, RV_GLOBAL, "rv_kicks", 1, error);
  Cache* cache = result ? NULL : get_cache(cook, cook->prev->part[0], w.id, w.nstrand);
  if (!result && (!kicks || !cache)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    w.stiff = cache->stiff;
    w.h = cook->dt / (double)w.p->substeps;
    memcpy(ledger, rv_detail_f64(cook->prev->part[0], RV_GLOBAL, "rv_ledger", 2), sizeof ledger);
    result = substeps(cook, &w, kicks, error);
  }
  double began = rv_clock_wall();
  int64_t counter = result ? 0 : *kicks;
  if (!result) result = kill_old(out, &w, ledger, error);
  if (!result) result = give_birth(cook, out, ledger, counter, error);
  double* stored = result ? NULL : rv_detail_f64_write(out, RV_GLOBAL, "rv_ledger", 2, error);
  if (stored) memcpy(stored, ledger, sizeof ledger);
  if (!result) result = stored ? publish(out, error) : error->code;
  if (result) {
    rv_detail_free(out);
    return result;
  }
  cook->stats->stage_seconds[STAGE_BIRTHS] = rv_clock_wall() - began;
  count_up(cook, out, w.nstrand);
  cache->key = rv_state_hash(&(RvState){{out}}, solver_fields, SOLVER_FIELDS);
  cook->state.part[0] = out;
  return RV_OK;
}

static RvResult take_part(const RvDetail* state, const char* group, RvDetail** out, RvError* error) {
  *out = rv_detail_copy(state);
  if (!*out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const uint8_t* mask = rv_group_read(rv_detail_find_group(state, RV_POINT, group));
  RvResult result = rv_detail_keep(*out, mask, NULL, false, error);
  rv_state_strip(*out, false);
  return result;
}

static RvResult split(RvCook* cook, const RvState* state, RvError* error) {
  RvResult result = take_part(state->part[0], "strands", &cook->output[0], error);
  return result ? result : take_part(state->part[0], "liquid", &cook->output[1], error);
}

const RvNodeType rv_node_testsolver = {
    .type = "testsolver",
    .label = "Test Solver",
    .category = "Solvers",
    .summary = "Springs that shed drops, for tests of the host.",
    .help = "",
    .flags = RV_NODE_SOLVER | RV_NODE_HIDDEN,
    .inputs = solver_inputs,
    .ninput = 2,
    .outputs = solver_outputs,
    .noutput = 3,
    .parms = &solver_table,
    .stages = solver_stages,
    .fields = solver_fields,
    .nfield = SOLVER_FIELDS,
    .start = start,
    .step = step,
    .split = split,
    .free_cache = free_cache,
};

void rv_test_register(void) {
  static const RvNodeType* const types[] = {&rv_node_testsolver, &rv_node_testpoints, &rv_node_testcopy,
                                            &rv_node_testfail, &rv_node_testmotion};
  for (int i = 0; i < 5; ++i)
    if (!rv_node_find(types[i]->type)) rv_node_register(types[i], NULL);
}

RvScene* rv_test_parse(const char* text) {
  RvError error = {0};
  RvScene* scene;
  rv_test_register();
  CHECK_OK(rv_scene_parse(text, strlen(text), "test", &scene, &error), error);
  return scene;
}
