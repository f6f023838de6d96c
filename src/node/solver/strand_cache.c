// The strands, their model and the solver's memory between the frames of one cook. Reading strands from the state,
// building the model and mapping fresh memory take longer than loading the state itself, and none of it changes while
// the state's topology, materials and rest lengths stay.
#include "base/memory.h"
#include "node/solver/cache.h"
#include "node/solver/strand_port.h"

struct RvStrandCache {
  uint64_t key;         // rv_strands_key of the state that the strands were read from
  RvStrandSolver kept;  // set, without faults; model, memory, backup and scratch. All else is zero
};

void rv_strand_cache_free(RvStrandCache* cache) {
  if (cache) rv_strand_solver_free(&cache->kept);
  rv_free(cache);
}

// The strands that the node keeps; NULL: there is no place for them.
static RvStrandCache* cache_of(const RvCook* cook) {
  RvSolverCache* cache = rv_solver_cache(cook);
  if (cache && !cache->strands) cache->strands = rv_alloc_zero(1, sizeof *cache->strands);
  return cache ? cache->strands : NULL;
}

// A model as rv_strand_model_new makes it. The step changes its masses; the rest strains are loaded from the state, and
// rv_strand_solver_fix sets which unknowns are prescribed.
static void dry(RvStrandModel* model) {
  rv_strand_set_load(model, NULL);
  rv_strand_set_turn(model, NULL);
}

// Moves the strands that are kept from one solver to another.
static void move(RvStrandSolver* from, RvStrandSolver* to) {
  to->set = from->set;
  to->model = from->model;
  to->memory = from->memory;
  to->backup = from->backup;
  to->scratch = from->scratch;
  from->set = (RvStrandSet){0};
  from->model = NULL;
  from->memory = NULL;
  from->backup = NULL;
  from->scratch = NULL;
}

RvResult rv_strand_port_model(RvStrandPort* s, const RvDetail* state, RvError* error) {
  RvStrandSolver* solver = &s->solver;
  const RvStrandMaterial* material = &solver->settings.material;
  const double* origin = solver->globals.origin;
  RvStrandCache* cache = cache_of(s->cook);
  RvStrandSolver* kept = cache ? &cache->kept : NULL;
  s->model_key = cache ? rv_strands_key(state, material, origin) : 0;
  if (kept && kept->model && cache->key == s->model_key && rv_strands_move(state, &kept->set)) {
    move(kept, solver);
    // batches are in the order of the roots, which may have changed
    if (rv_strand_model_in_order(solver->model, solver->set.defs)) {
      dry(solver->model);
      return RV_OK;
    }
    rv_strand_model_free(solver->model);
    solver->model = NULL;
  } else {
    if (kept) rv_strand_solver_free(kept);
    RvResult result = rv_strands_read(state, material, origin, true, &solver->set, error);
    if (result) return result;
  }
  return rv_strand_model_new(solver->set.defs, solver->set.count, &solver->model, error);
}

void rv_strand_port_keep(RvStrandPort* s) {
  RvStrandSolver* solver = &s->solver;
  // a strand that was left out for its position may be fine in another frame
  for (int f = 1; f < RV_STRAND_FAULT_COUNT; ++f)
    if (solver->set.faults[f]) return;
  bool whole = solver->model && solver->memory && solver->backup && solver->scratch;
  RvStrandCache* cache = whole && s->model_key ? cache_of(s->cook) : NULL;
  // a step that failed may have left its scratch memory taken
  if (!cache || !rv_arena_empty(solver->scratch)) return;
  rv_strand_solver_free(&cache->kept);
  cache->key = s->model_key;
  move(solver, &cache->kept);
}
