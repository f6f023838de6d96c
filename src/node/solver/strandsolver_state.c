// The strands' state in a frame: made at the start frame, loaded, and saved.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/strandsolver_contact.h"
#include "node/solver/strandsolver_parms.h"
#include "strand/rest.h"

static void warn_faults(const RvCook* cook, const RvStrandSet* set) {
  for (int f = 1; f < RV_STRAND_FAULT_COUNT; ++f)
    if (set->faults[f])
      rv_cook_warn(cook, "%zu strand%s cannot be simulated and stay%s as animated; the first, primitive %d, %s",
                   set->faults[f], set->faults[f] == 1 ? "" : "s", set->faults[f] == 1 ? "s" : "", set->fault_prim[f],
                   rv_strand_fault_text((RvStrandFault)f));
  if (set->bad_rest)
    rv_cook_warn(cook,
                 "rest of %zu strand%s is no shape (not a number, or points in one place): the start pose is taken for "
                 "it; the first is primitive %d",
                 set->bad_rest, set->bad_rest == 1 ? "" : "s", set->bad_rest_prim);
}

static void warn_roots(const RvStrandSolve* s) {
  int32_t first = 0;
  size_t lost = rv_solve_lost_roots(s, rv_detail_f32(s->cook->input[0], RV_POINT, "P", 3), &first);
  if (lost)
    rv_cook_warn(s->cook,
                 "%s of %zu strand%s is not a number in the input and stays where it was; the first is primitive %d",
                 s->animated ? "a point" : "the root or a pinned point", lost, lost == 1 ? "" : "s", first);
}

// points that are not simulated show the input, and the state says so
static RvResult show_others(const RvStrandSet* set, const float* P, const float* v, double rate, RvDetail* out,
                            RvError* error) {
  size_t n = rv_detail_count(out, RV_POINT);
  uint8_t* mine = rv_alloc_zero(n, 1);
  float *p = rv_detail_f32_write(out, RV_POINT, "P", 3, error),
        *shown = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  double *x = rv_detail_f64_write(out, RV_POINT, "rv_x", 3, error),
         *exact = rv_detail_f64_write(out, RV_POINT, "rv_v", 3, error);
  if (!mine || !p || !shown || !x || !exact) {
    rv_free(mine);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", n);
  }
  for (size_t i = 0; i < set->vertices; ++i) mine[set->point[i]] = 1;
  for (size_t i = 0; i < 3 * n; ++i) {
    if (mine[i / 3]) continue;
    p[i] = P[i];
    x[i] = (double)P[i] - set->origin[i % 3];
    shown[i] = v ? v[i] : 0;
    exact[i] = rate > 0 ? shown[i] / rate : 0;
    shown[i] = (float)(exact[i] * rate);
  }
  rv_free(mine);
  return RV_OK;
}

static RvResult save_start(RvStrandSolve* s, RvDetail* out, RvError* error) {
  RvResult result = rv_state_prepare(out, rv_strand_fields, RV_STRAND_FIELD_COUNT, error);
  if (!result) result = rv_strands_save(&s->set, s->model, s->state, &s->globals, out, error);
  const RvDetail* in = s->cook->input[0];
  const float *P = rv_detail_f32(in, RV_POINT, "P", 3), *v = rv_detail_f32(in, RV_POINT, "v", 3);
  if (!result) result = show_others(&s->set, P, v, s->globals.rate, out, error);
  if (result) return result;
  int32_t* simulated = rv_detail_i32_write(out, RV_PRIM, "rv_simulated", 1, error);
  double* rootdir = rv_detail_f64_write(out, RV_PRIM, "rv_rootdir", 3, error);
  double* stiffen = rv_detail_f64_write(out, RV_PRIM, "rv_stiffen", 1, error);
  float* sample = rv_detail_f32_write(out, RV_POINT, "rv_sample", 6, error);
  if (!simulated || !rootdir || !sample || !stiffen) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = 0; i < s->set.count; ++i) {
    simulated[s->set.prim[i]] = 1;
    stiffen[s->set.prim[i]] = s->stiffen[i];
    memcpy(rootdir + 3 * (size_t)s->set.prim[i], s->rootdir + 3 * i, 3 * sizeof *rootdir);
  }
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    memcpy(sample + 6 * i, P + 3 * i, 3 * sizeof *sample);
    memset(sample + 6 * i + 3, 0, 3 * sizeof *sample);
  }
  return RV_OK;
}

static RvResult balance(RvStrandSolve* s, RvError* error) {
  RvForceDef forces;
  RvRestReport report;
  RvStrandSolve still = *s;
  // the weight alone: air at rest, no goals
  still.def.dragnormal = still.def.dragtangent = 0;
  rv_strandsolve_force_def(&still, &forces);
  forces.force_at = NULL;
  forces.goal_weight = NULL;
  rv_strand_forces(s->model, s->state, &forces, &s->forces);
  RvRestDef def = {s->forces.force, s->def.restangle, s->def.reststretch, s->def.reststiffen};
  RvResult result = rv_strand_balance(s->model, s->state, &def, s->stiffen, &report, error);
  if (result) return result;
  if (report.capped)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands sag from the start: to hold their pose they would have to be bent by more than "
                 "restangle; raise restangle, reststiffen or stiffness, or shorten them",
                 report.capped, s->set.count);
  if (report.loose)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands hold their pose only until they are pushed; raise reststiffen or stiffness, or "
                 "shorten them",
                 report.loose, s->set.count);
  rv_cook_info(s->cook,
               "the rest shape balances %zu strands to %.1e of their weight; %zu were made up to %g times stiffer",
               s->set.count - report.capped, report.residual, report.stiffened, s->def.reststiffen);
  return RV_OK;
}

static void start_velocity(RvStrandSolve* s, const RvDetail* in) {
  const float* v = rv_detail_f32(in, RV_POINT, "v", 3);
  for (size_t k = 0; v && k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c) {
          float value = v[3 * (size_t)s->set.point[s->set.first[b->strand[lane]] + i] + (size_t)c];
          if (isfinite(value)) s->state->v[rv_strand_index(b, lane, i, c)] = value / s->globals.rate;
        }
  }
}

void rv_strandsolve_tell(const RvStrandSolve* s) {
  RvStats* stats = s->cook->stats;
  stats->strands = (int64_t)s->set.count;
  stats->vertices = (int64_t)s->set.vertices;
  stats->substeps = s->substeps;
  stats->iterations = s->iterations;
  stats->residual = s->residual;
  if (s->unconverged)
    rv_cook_warn(s->cook, "%zu of %d substeps did not converge (residual %.1e); raise niter, substeps or maxsubsteps",
                 s->unconverged, s->substeps, s->residual);
  if (s->healed)
    rv_cook_warn(s->cook, "%zu strands were lost in a step and put back where they were, at rest", s->healed);
}

RvResult rv_strandsolve_start(RvCook* cook, RvDetail** out, RvError* error) {
  const RvDetail* in = cook->input[0];
  RvStrandSolve s = {.cook = cook, .def = rv_strandsolve_def(cook->parms, rv_cook_meters(cook))};
  RvDetail* made = NULL;
  if (!in) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is empty");
  rv_strands_origin(in, s.globals.origin);
  s.globals.rate = (s.def.timescale > 0 ? s.def.timescale : 1) / s.def.material.metersperunit;
  RvResult result = rv_strands_read(in, &s.def.material, s.globals.origin, false, &s.set, error);
  if (!result) warn_faults(cook, &s.set);
  if (!result) result = rv_strand_model_new(s.set.defs, s.set.count, &s.model, error);
  if (!result) result = rv_strand_state_new(s.model, s.set.defs, &s.state, error);
  if (!result) result = rv_solve_strands_new(&s, error);
  if (!result && s.def.equilibrium) result = balance(&s, error);
  if (!result) {
    start_velocity(&s, in);
    rv_solve_root_directors(&s, rv_detail_f32(in, RV_POINT, "orient", 4));
    made = rv_detail_copy(in);
    result = made ? save_start(&s, made, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (!result) rv_strandsolve_tell(&s);
  if (!result) {
    *out = made;
    made = NULL;
  }
  rv_detail_free(made);
  rv_solve_strands_free(&s);
  return result;
}

// the state in lanes
static RvResult load(RvStrandSolve* s, RvDetail* out, RvError* error) {
  size_t edited;
  RvResult result = rv_strands_reconcile(out, &edited, error);
  if (!result) result = rv_strands_load_globals(out, &s->globals, error);
  if (!result) result = rv_strands_read(out, &s->def.material, s->globals.origin, true, &s->set, error);
  if (result) return result;
  if (edited) rv_cook_info(s->cook, "P or v of %zu points were edited: the edits are taken", edited);
  warn_faults(s->cook, &s->set);
  result = rv_strand_model_new(s->set.defs, s->set.count, &s->model, error);
  if (!result) result = rv_strands_load(out, &s->set, s->model, &s->state, error);
  if (!result) result = rv_solve_strands_new(s, error);
  if (result) return result;
  s->state->has_before = s->globals.has_before;
  const double* rootdir = rv_detail_f64(out, RV_PRIM, "rv_rootdir", 3);
  int32_t* simulated = rv_detail_i32_write(out, RV_PRIM, "rv_simulated", 1, error);
  if (!simulated) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(simulated, 0, rv_detail_count(out, RV_PRIM) * sizeof *simulated);
  for (size_t i = 0; i < s->set.count; ++i) {
    simulated[s->set.prim[i]] = 1;
    memcpy(s->rootdir + 3 * i, rootdir + 3 * (size_t)s->set.prim[i], 3 * sizeof *rootdir);
  }
  return RV_OK;
}

static RvResult find_wind(RvStrandSolve* s, RvError* error) {
  const RvDetail* wind = s->cook->ninput > 2 ? s->cook->input[2] : NULL;
  s->wind_grid = wind ? rv_detail_find_vdb(wind, "vel") : NULL;
  if (s->wind_grid && rv_grid_type(s->wind_grid) != RV_GRID_VEC3)
    return rv_fail(error, RV_BAD_INPUT, "the wind's VDB vel is not one of vectors");
  if (wind && !s->wind_grid && rv_detail_count(wind, RV_PRIM))
    rv_cook_warn(s->cook, "the input wind has no VDB named vel and is ignored");
  return RV_OK;
}

RvResult rv_strandsolve_begin(RvStrandSolve* s, RvStrandSampler* sampler, RvDetail* out, RvError* error) {
  RvResult result = rv_sampler_begin(sampler, s->cook, out, error);
  if (!result) result = load(s, out, error);
  if (!result) result = rv_solve_guide(s, s->cook->input[0], error);
  if (!result) warn_roots(s);
  if (!result) result = find_wind(s, error);
  if (!result) result = rv_strand_contacts_begin(s->contacts, s, out, error);
  float* before = result ? NULL : rv_alloc(3 * sampler->npoint, sizeof *before);
  if (!result && !before) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    for (size_t i = 0; i < 3 * sampler->npoint; ++i) before[i] = sampler->sample[i / 3 * 6 + i % 3];
    rv_solve_targets(s, &(RvStrandSample){.P = before}, s->target_before);
    s->globals.rate = s->def.timescale / s->def.material.metersperunit;
  }
  rv_free(before);
  return result;
}

RvResult rv_strandsolve_end(RvStrandSolve* s, RvStrandSampler* sampler, RvDetail* out, RvError* error) {
  float* v = rv_sampler_velocity(sampler, error);
  if (!v) return error->code;
  rv_solve_skin_velocity(s, v);
  RvResult result = rv_strands_save(&s->set, s->model, s->state, &s->globals, out, error);
  if (!result) result = show_others(&s->set, sampler->now, v, s->globals.rate, out, error);
  if (!result) result = rv_sampler_keep(sampler, out, error);
  if (!result) result = rv_strand_contacts_save(s->contacts, s, out, error);
  rv_free(v);
  return result;
}

// nothing moves, and nothing is forgotten
RvResult rv_strandsolve_freeze(RvDetail* out, RvError* error) {
  float* v = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  double* dt = rv_detail_f64_write(out, RV_GLOBAL, "rv_dt", 2, error);
  if (!v || !dt) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(v, 0, 3 * rv_detail_count(out, RV_POINT) * sizeof *v);
  dt[1] = 0;
  return RV_OK;
}
