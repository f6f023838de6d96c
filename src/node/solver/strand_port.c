#include "node/solver/strand_port.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/input_notes.h"
#include "strand/rest.h"

// Relative residual of the linear solve that joins strands in contact; Newton itself asks for less in early iterations.
static const double CG_TOLERANCE = 1e-3;
// pintoanimation from which on a point is pinned.
static const float PIN_THRESHOLD = 0.5f;

RvStrandSettings rv_strand_port_settings(const RvWetParms* p, double meters) {
  RvStrandSettings d = {.substeps = (int)p->substeps,
                        .maxsubsteps = (int)p->maxsubsteps,
                        .niter = (int)p->niter,
                        .max_cg = (int)p->collisionsiter,
                        .cfl = p->rootcfl,
                        .tolerance = p->tolerance,
                        .cg_tolerance = CG_TOLERANCE,
                        .integrator = p->integrator ? RV_BDF2 : RV_EULER,
                        .material = {p->hairradius, p->density, p->youngs, p->shear, p->damping, p->stiffness,
                                     p->hairsperguide, p->usewidth, meters},
                        // Animated strands hold no weight: their rest shape is their own, whatever the fibre.
                        .equilibrium = p->restmode == 0 && p->hairmode == 0,
                        .restangle = rv_radians(p->restangle),
                        .reststretch = p->reststretch,
                        .reststiffen = p->reststiffen,
                        .dragnormal = p->dragnormal,
                        .dragtangent = p->dragtangent,
                        .inertiascale = p->inertiascale,
                        .targettime = p->targettime};
  memcpy(d.gravity, p->gravity, sizeof d.gravity);
  memcpy(d.wind, p->wind, sizeof d.wind);
  return d;
}

//---------------------------------------------------------------------------------------------- warnings

// Tells how many strands are not simulated, for each reason.
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

// Tells of roots and pins that the input lost in this frame.
static void warn_roots(const RvStrandPort* s) {
  int32_t first = 0;
  const float* P = rv_detail_f32(s->cook->input[s->input], RV_POINT, "P", 3);
  size_t lost = rv_strand_solver_lost_roots(&s->solver, P, &first);
  if (lost)
    rv_cook_warn(s->cook,
                 "%s of %zu strand%s is not a number in the input and stays where it was; the first is primitive %d",
                 s->solver.animated ? "a point" : "the root or a pinned point", lost, lost == 1 ? "" : "s", first);
}

// Vertices with a value that is not a number.
static size_t count_bad(const float* values, size_t vertices, int size) {
  size_t bad = 0;
  for (size_t i = 0; values && i < vertices; ++i) {
    bool fine = true;
    for (int c = 0; c < size; ++c) fine = fine && isfinite(values[(size_t)size * i + (size_t)c]);
    bad += !fine;
  }
  return bad;
}

// Tells of attributes that guide the strands and are no numbers: these vertices go without.
static void warn_guide(const RvStrandPort* s) {
  const RvStrandGuide* g = &s->solver.guide;
  const struct {
    const char* name;
    const float* values;
    int size;
  } guides[] = {{"wind", g->wind, 3}, {"force", g->force, 3}, {"targetweight", g->goal, 1}};
  for (size_t k = 0; k < sizeof guides / sizeof *guides; ++k) {
    size_t bad = count_bad(guides[k].values, s->solver.set.vertices, guides[k].size);
    if (bad)
      rv_cook_warn(s->cook, "%s of %zu of %zu points of the strands is not a number and counts as 0 there",
                   guides[k].name, bad, s->solver.set.vertices);
  }
}

//---------------------------------------------------------------------------------------------- saving

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
    // an attribute of the input with another type is told already
    rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", n);
    return error->code;
  }
  // Points of simulated strands are saved already.
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

// The state of the start frame: fields of the strands, and those that only the start writes.
static RvResult save_start(RvStrandPort* s, RvDetail* out, RvError* error) {
  RvResult result = rv_state_prepare(out, rv_strand_fields, RV_STRAND_FIELD_COUNT, error);
  if (!result)
    result = rv_strands_save(&s->solver.set, s->solver.model, s->solver.state, &s->solver.globals, out, error);
  const RvDetail* in = s->cook->input[s->input];
  const float *P = rv_detail_f32(in, RV_POINT, "P", 3), *v = rv_detail_f32(in, RV_POINT, "v", 3);
  if (!result) result = show_others(&s->solver.set, P, v, s->solver.globals.rate, out, error);
  if (result) return result;
  // Which strands are simulated, how much the rest shape stiffened them, and how their roots are turned.
  int32_t* simulated = rv_detail_i32_write(out, RV_PRIM, "rv_simulated", 1, error);
  double* rootdir = rv_detail_f64_write(out, RV_PRIM, "rv_rootdir", 3, error);
  double* stiffen = rv_detail_f64_write(out, RV_PRIM, "rv_stiffen", 1, error);
  double* natural = rv_detail_f64_write(out, RV_POINT, "rv_naturallength", 1, error);
  float* sample = rv_detail_f32_write(out, RV_POINT, "rv_sample", 6, error);
  if (!simulated || !rootdir || !sample || !stiffen || !natural)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = 0; i < s->solver.set.count; ++i) {
    simulated[s->solver.set.prim[i]] = 1;
    stiffen[s->solver.set.prim[i]] = s->solver.stiffen[i];
    memcpy(rootdir + 3 * (size_t)s->solver.set.prim[i], s->solver.root_director + 3 * i, 3 * sizeof *rootdir);
    const RvStrandDef* strand = &s->solver.set.defs[i];
    const int32_t* points = s->solver.set.point + s->solver.set.first[i];
    for (int k = 0; k + 1 < strand->vertices; ++k) natural[points[k]] = strand->length[k];
  }
  // The input at the start frame, whose slope is not known yet.
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    memcpy(sample + 6 * i, P + 3 * i, 3 * sizeof *sample);
    memset(sample + 6 * i + 3, 0, 3 * sizeof *sample);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- start frame

// The rest shape that holds the start pose against its weight alone: air at rest, no goals.
static RvResult balance(RvStrandPort* s, RvError* error) {
  RvStrandSolver* solver = &s->solver;
  const RvStrandSettings* set = &solver->settings;
  RvRestReport report;
  RvForceDef forces = rv_strand_solver_force_def(solver);
  // Weight alone.
  forces.drag_normal = forces.drag_tangent = 0;
  forces.force_at = NULL;
  forces.goal_weight = NULL;
  rv_strand_forces(solver->model, solver->state, &forces, &solver->forces);
  RvRestDef def = {solver->forces.force, set->restangle, set->reststretch, set->reststiffen};
  RvResult result = rv_strand_balance(solver->model, solver->state, &def, solver->stiffen, &report, error);
  if (result) return result;
  // What could not be balanced.
  if (report.capped)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands sag from the start: to hold their pose they would have to be bent by more than "
                 "restangle; raise restangle, reststiffen or stiffness, or shorten them",
                 report.capped, solver->set.count);
  if (report.loose)
    rv_cook_warn(s->cook,
                 "%zu of %zu strands hold their pose only until they are pushed; raise reststiffen or stiffness, or "
                 "shorten them",
                 report.loose, solver->set.count);
  rv_cook_info(s->cook,
               "the rest shape balances %zu strands to %.1e of their weight; %zu were made up to %g times stiffer",
               solver->set.count - report.capped, report.residual, report.stiffened, set->reststiffen);
  return RV_OK;
}

// Velocities of the input, where it has v and they are numbers.
static void start_velocity(RvStrandPort* s, const RvDetail* in) {
  const float* v = rv_detail_f32(in, RV_POINT, "v", 3);
  for (size_t k = 0; v && k < s->solver.model->nbatch; ++k) {
    const RvStrandBatch* b = &s->solver.model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c) {
          float value = v[3 * (size_t)s->solver.set.point[s->solver.set.first[b->strand[lane]] + i] + (size_t)c];
          if (isfinite(value)) s->solver.state->v[rv_strand_index(b, lane, i, c)] = value / s->solver.globals.rate;
        }
  }
}

// Rest lengths of strands that cannot stretch: those of the start pose.
static void keep_lengths(RvStrandSolver* solver) {
  const double* q = solver->state->q;
  for (size_t k = 0; k < solver->model->nbatch; ++k) {
    const RvStrandBatch* b = &solver->model->batches[k];
    for (int i = 0; i + 1 < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0);
        solver->model->rest_length[b->edge_at + (size_t)i * RV_LANES + (size_t)lane] =
            rv_distance(rv_strand_vector(q, at), rv_strand_vector(q, at + 4 * RV_LANES));
      }
  }
}

RvResult rv_strand_port_start(RvStrandPort* s, const RvWetParms* parms, RvDetail** out, RvError* error) {
  RvCook* cook = s->cook;
  const RvDetail* in = rv_solver_input(cook, s->input);
  RvStrandSolver* solver = &s->solver;
  if (!in) return rv_fail(error, RV_BAD_INPUT, "%s, is empty", rv_solver_port(cook, s->input).text);
  solver->settings = rv_strand_port_settings(parms, rv_cook_meters(cook));
  solver->animated = parms->hairmode != 0;
  const RvStrandMaterial* material = &solver->settings.material;
  // Positions are relative to the middle of the roots, so that a shot far from zero keeps its precision.
  rv_strands_origin(in, solver->globals.origin);
  solver->globals.rate = (parms->timescale > 0 ? parms->timescale : 1) / material->metersperunit;

  // curves become strands, in equilibrium if asked for
  RvResult result = rv_strands_read(in, material, solver->globals.origin, false, &solver->set, error);
  if (!result) {
    warn_faults(cook, &solver->set);
    rv_solver_note_overrides(cook, in);
    rv_solver_note_hair_size(cook, &solver->set);
  }
  if (!result) result = rv_strand_model_new(solver->set.defs, solver->set.count, &solver->model, error);
  if (!result) result = rv_strand_state_new(solver->model, solver->set.defs, &solver->state, error);
  if (!result && s->inextensible) keep_lengths(solver);
  if (!result) result = rv_strand_solver_init(solver, error);
  if (!result && solver->settings.equilibrium) result = balance(s, error);
  if (result) return result;

  // the state is the input with the solver's own attributes; those of a solver before it, whose keepstate is on, are
  // not this solver's: its contacts, film and ledger would be taken for ours
  start_velocity(s, in);
  rv_strand_solver_root_directors(solver, rv_detail_f32(in, RV_POINT, "orient", 4));
  RvDetail* made = rv_detail_copy(in);
  if (made) rv_state_strip(made, false);
  result = made ? save_start(s, made, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // An attribute of the input with the name of one of the solver's, but of another type.
  if (result && error && error->code == RV_BAD_INPUT)
    rv_error_context(error, "%s, cannot become a state", rv_solver_port(cook, s->input).text);
  if (!result) rv_strand_port_tell(s);
  if (!result) rv_strand_port_tell_squeezed(s);
  if (result)
    rv_detail_free(made);
  else
    *out = made;
  return result;
}

//---------------------------------------------------------------------------------------------- loading

// The state in lanes.
static RvResult load(RvStrandPort* s, RvDetail* state, RvError* error) {
  RvStrandSolver* solver = &s->solver;
  size_t edited;
  // Edits first: the strands are read with them.
  RvResult result = rv_strands_reconcile(state, &edited, error);
  if (!result) result = rv_strands_load_globals(state, &solver->globals, error);
  if (!result) result = rv_strand_port_model(s, state, error);
  if (result) return result;
  if (edited) rv_cook_info(s->cook, "P or v of %zu points were edited: the edits are taken", edited);
  warn_faults(s->cook, &solver->set);
  result = rv_strands_load(state, &solver->set, solver->model, &solver->state, error);
  if (!result) result = rv_strand_solver_init(solver, error);
  if (result) return result;
  solver->state->has_before = solver->globals.has_before;
  // Strands that have a fault in this frame are animated from now on.
  const double* rootdir = rv_detail_f64(state, RV_PRIM, "rv_rootdir", 3);
  int32_t* simulated = rv_detail_i32_write(state, RV_PRIM, "rv_simulated", 1, error);
  if (!simulated) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(simulated, 0, rv_detail_count(state, RV_PRIM) * sizeof *simulated);
  for (size_t i = 0; i < solver->set.count; ++i) {
    size_t prim = (size_t)solver->set.prim[i];
    simulated[prim] = 1;
    memcpy(solver->root_director + 3 * i, rootdir + 3 * prim, 3 * sizeof *rootdir);
  }
  return RV_OK;
}

bool rv_strand_port_gather(const RvStrandSet* set, const RvDetail* d, const char* name, int size, float** out) {
  const RvAttrib *point, *prim;
  rv_solver_find_attrib(d, name, size, &point, &prim);
  *out = NULL;
  const RvAttrib* from = point ? point : prim;
  if (!from) return true;
  float* values = rv_alloc(set->vertices * (size_t)size, sizeof *values);
  if (!values) return false;
  for (size_t s = 0; s < set->count; ++s)
    for (int32_t v = set->first[s]; v < set->first[s + 1]; ++v)
      for (int c = 0; c < size; ++c)
        values[(size_t)v * (size_t)size + (size_t)c] =
            (float)rv_attrib_get(from, (size_t)(point ? set->point[v] : set->prim[s]), c);
  *out = values;
  return true;
}

// Attributes of the frame that guide the strands.
static RvResult read_guide(RvStrandPort* s, const RvDetail* in, RvError* error) {
  const RvStrandSet* set = &s->solver.set;
  RvStrandGuide* g = &s->solver.guide;
  float* pins = NULL;
  // Attributes of this frame; each may be missing.
  bool fine = rv_strand_port_gather(set, in, "wind", 3, &g->wind) &&
              rv_strand_port_gather(set, in, "force", 3, &g->force) &&
              rv_strand_port_gather(set, in, "targetweight", 1, &g->goal) &&
              rv_strand_port_gather(set, in, "pintoanimation", 1, &pins);
  if (fine && pins) {
    g->pinned = rv_alloc(set->vertices, 1);
    for (size_t i = 0; g->pinned && i < set->vertices; ++i) g->pinned[i] = pins[i] >= PIN_THRESHOLD;
    fine = g->pinned != NULL;
  }
  rv_free(pins);
  return fine ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the attributes of the strands");
}

// The velocity field of the air, where the input wind has one.
static RvResult find_wind(RvStrandPort* s, RvError* error) {
  const RvDetail* wind = rv_solver_input(s->cook, s->wind_input);
  RvPortName port = rv_solver_port(s->cook, s->wind_input);
  s->wind = wind ? rv_detail_find_vdb(wind, "vel") : NULL;
  if (s->wind && rv_grid_type(s->wind) != RV_GRID_VEC3)
    return rv_fail(error, RV_BAD_INPUT, "%s, has a VDB vel that does not hold vectors", port.text);
  if (wind && !s->wind && rv_detail_count(wind, RV_PRIM))
    rv_cook_warn(s->cook, "%s, has no VDB named vel and is ignored", port.text);
  if (!s->wind) return RV_OK;
  // Room for samples at the vertices.
  size_t vertices = s->solver.set.vertices;
  s->solver.air = rv_alloc_zero(3 * vertices, sizeof *s->solver.air);
  s->wind_places = rv_alloc(3 * vertices, sizeof *s->wind_places);
  return s->solver.air && s->wind_places ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the wind");
}

// The strands' view of the frame's solids; animated strands meet none.
static RvResult begin_solids(RvStrandPort* s, RvError* error) {
  if (s->solver.animated) return RV_OK;
  // hair takes level sets as they are, and of bare meshes what the collider node would make of them
  RvResult result = rv_collider_view_begin(&s->solids, s->frame_solids, &(RvColliderNeeds){0}, error);
  if (result || !s->solids.count) return result;
  s->colliders = rv_alloc_zero(s->solids.count, sizeof *s->colliders);
  s->steps = rv_alloc_zero(s->solids.count, sizeof *s->steps);
  s->contacts.colliders = s->colliders;
  s->contacts.ncollider = s->solids.count;
  return s->colliders && s->steps ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
}

// Settings of contacts, and those that the state remembers.
static RvResult begin_contacts(RvStrandPort* s, const RvWetParms* p, const RvDetail* state, RvError* error) {
  RvContactSolver* c = &s->contacts;
  // Animated strands touch nothing: their motion is given.
  c->def = rv_contact_defaults();
  c->def.strands = p->strandcollisions && !s->solver.animated;
  c->def.friction = p->friction;
  c->def.root_free = p->rootfree;
  s->thickness = p->thickness;
  RvResult result = begin_solids(s, error);
  if (s->solids_only) return result;
  // nothing is made where nothing can touch
  if (result || !s->solver.set.count || (!s->solids.count && !c->def.strands)) return result;
  result = rv_contact_solver_init(c, s->solver.model, error);
  return result ? result : rv_strand_port_load_contacts(s, state, error);
}

// The input at the frame before, as the target that the first step starts from.
static RvResult set_target_before(RvStrandPort* s, RvError* error) {
  size_t n = 3 * s->sampler.npoint;
  float* before = rv_alloc(n, sizeof *before);
  if (!before) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < n; ++i) before[i] = s->sampler.before[i / 3 * 6 + i % 3];
  rv_strand_solver_targets(&s->solver, &(RvStrandSample){.P = before}, s->solver.target_before);
  rv_free(before);
  return RV_OK;
}

RvResult rv_strand_port_begin(RvStrandPort* s, const RvWetParms* p, RvDetail* state, RvError* error) {
  RvCook* cook = s->cook;
  if (!rv_solver_input(cook, s->input))
    return rv_fail(error, RV_BAD_INPUT, "%s, is empty, but was not at the start frame",
                   rv_solver_port(cook, s->input).text);
  // The state in lanes, and what guides the strands in this frame.
  s->timescale = p->timescale;
  s->solver.settings = rv_strand_port_settings(p, rv_cook_meters(cook));
  s->solver.animated = p->hairmode != 0;
  RvResult result = rv_sampler_begin(&s->sampler, cook, s->input, state, error);
  if (!result) result = load(s, state, error);
  if (!result) result = read_guide(s, cook->input[s->input], error);
  if (result) return result;
  // What holds them and what they meet.
  rv_strand_solver_fix(&s->solver);
  warn_roots(s);
  warn_guide(s);
  result = find_wind(s, error);
  if (!result) result = begin_contacts(s, p, state, error);
  if (!result) result = set_target_before(s, error);
  s->solver.globals.rate = p->timescale / s->solver.settings.material.metersperunit;
  return result;
}

//---------------------------------------------------------------------------------------------- a step

RvResult rv_strand_port_substeps(RvStrandPort* s, int* count, RvError* error) {
  RvStrandSample middle, end;
  *count = s->solver.settings.substeps;
  RvResult result = rv_sampler_at(&s->sampler, 1, &end, error);
  if (!result) result = rv_sampler_at(&s->sampler, 0.5, &middle, error);
  if (!result) *count = rv_strand_solver_substeps(&s->solver, &middle, &end, &s->steps_wanted);
  return result;
}

// Wind of the points and of the VDB together, where the strands are.
static RvResult sample_wind(RvStrandPort* s, RvError* error) {
  if (!s->wind) return RV_OK;
  const RvStrandSet* set = &s->solver.set;
  const RvStrandModel* m = s->solver.model;
  float* air = s->solver.air;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        for (int c = 0; c < 3; ++c)
          s->wind_places[3 * (size_t)(set->first[b->strand[lane]] + i) + (size_t)c] =
              s->solver.state->q[rv_strand_index(b, lane, i, c)] / set->metersperunit + set->origin[c];
  }
  // Metres a second of both.
  RvResult result = rv_grid_sample(s->wind, set->vertices, s->wind_places, air, error);
  if (!result) s->bad_wind = count_bad(air, set->vertices, 3);
  const float* own = s->solver.guide.wind;
  for (size_t i = 0; !result && i < 3 * set->vertices; ++i)
    air[i] = (float)(air[i] * set->metersperunit + (own ? own[i] : 0));
  return result;
}

// Solids of a part, in the strands' frame: metres about their origin.
static RvResult set_colliders(RvStrandPort* s, double from, double to, double dt, RvError* error) {
  RvVec3 origin = rv_scale(rv_vec3_load64(s->solver.set.origin), s->solver.set.metersperunit);
  RvResult result = rv_collider_view_step(&s->solids, from, to, dt, s->steps, error);
  if (!result) rv_solver_solids(&s->solids, s->steps, origin, s->thickness, dt, s->colliders);
  return result;
}

RvResult rv_strand_port_inputs(RvStrandPort* s, const RvWetParms* parms, double share_from, double share_to, double dt,
                               RvStrandSample* sample, RvError* error) {
  RvResult result = rv_sampler_at(&s->sampler, share_to, sample, error);
  s->solver.settings = rv_strand_port_settings(parms, s->solver.set.metersperunit);
  if (!result) result = sample_wind(s, error);
  const bool meets_solids = s->contacts.contacts || (s->solids_only && s->solids.count);
  if (!result && meets_solids) result = set_colliders(s, share_from, share_to, dt, error);
  return result;
}

//---------------------------------------------------------------------------------------------- end

RvResult rv_strand_port_end(RvStrandPort* s, RvDetail* state, RvError* error) {
  RvStrandSolver* solver = &s->solver;
  float* v = rv_sampler_velocity(&s->sampler, error);
  if (!v) return error->code;
  // Roots and pins show the velocity of the skin.
  rv_strand_solver_skin_velocity(solver, v);
  RvResult result = rv_strands_save(&solver->set, solver->model, solver->state, &solver->globals, state, error);
  if (!result) result = show_others(&solver->set, s->sampler.now, v, solver->globals.rate, state, error);
  if (!result) result = rv_sampler_keep(&s->sampler, state, error);
  if (!result) result = rv_strand_port_save_contacts(s, state, error);
  rv_free(v);
  return result;
}

RvResult rv_strand_port_freeze(RvDetail* state, RvError* error) {
  float* v = rv_detail_f32_write(state, RV_POINT, "v", 3, error);
  double* dt = rv_detail_f64_write(state, RV_GLOBAL, "rv_dt", 2, error);
  if (!v || !dt) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  memset(v, 0, 3 * rv_detail_count(state, RV_POINT) * sizeof *v);
  dt[1] = 0;
  return RV_OK;
}

void rv_strand_port_free(RvStrandPort* s) {
  rv_sampler_end(&s->sampler);
  rv_contact_solver_free(&s->contacts);
  rv_collider_view_end(&s->solids);
  rv_free(s->colliders);
  rv_free(s->steps);
  rv_free(s->wind_places);
  rv_strand_port_keep(s);
  rv_strand_solver_free(&s->solver);
}
