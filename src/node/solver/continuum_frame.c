// Strands of the continuum solver between inputs and state (continuum_frame.h).
#include "node/solver/continuum_frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

typedef RvContinuumFrame Frame;

// Indices of the node's inputs, those of the strand solver.
enum { STRANDS, COLLIDERS, WIND };
// Bytes of a vertex: state, model and work memory of strands, chains and medium, as measured.
static const double BYTES_A_VERTEX = 2400;
enum { MAX_SWEEPS = 200 };  // of the pressures
enum { MOST_PARTICLE_STEPS = 1000, MOST_EXPLICIT_STEPS = 20000 };
// Values of the parameter `integrator`.
enum { MIDPOINT_RULE = 1, RUNGE_KUTTA = 2 };
static const double MIDPOINT = 0.5;
// Strands in a cell below which hair is no medium: its density there depends on where the cell is.
static const double LEAST_STRANDS = 4;
// Reach of the slip, in smoothing lengths: the seed's boundary particles act over a part of their distance.
static const double SLIP_LAYER = 0.1;

#define NAME(name) #name,
const char* const rv_continuum_node_stages[] = {"load", "inputs", RV_CONTINUUM_STAGES(NAME) "save", NULL};
#undef NAME

static const RvFieldDef fields[] = {RV_CHAIN_FIELDS("")};
enum { FIELDS = sizeof fields / sizeof *fields };

//---------------------------------------------------------------------------------------------- parameters

static void translate(const void* parms, RvWetParms* out) {
  const RvContinuumParms* in = parms;
  out->rootcfl = in->cfl;
  out->dragnormal = in->airdrag * in->dragnormal;
  out->dragtangent = in->airdrag * in->dragtangent;
}

static RvWetParms wet_parms(const RvCook* cook, const void* own) {
  static const RvWetNode node = {.translate = translate};
  RvWetParms out = rv_wet_parms_of(&node, cook, own);
  out.strandcollisions = false;
  return out;
}

static RvMediumDef medium_of(const Frame* f, const RvContinuumParms* p) {
  bool acts = p->interaction != 0;
  return (RvMediumDef){.law = {.rest_density = p->restdensity > 0 ? p->restdensity : f->groom_density,
                               .packing_density = p->packingdensity,
                               .stiffness = acts ? p->volumepressure : 0,
                               .power = p->volumepower},
                       .smoothing = p->smoothing * rv_cook_meters(f->cook),
                       .particles = p->interaction == 2,
                       .continuity = p->continuity,
                       .friction = acts ? p->hairfriction : 0,
                       .tolerance = p->tolerance,
                       .max_sweeps = MAX_SWEEPS,
                       .corrections = (int)p->niter};
}

// Settings of the solver at a moment. Refuses a medium that has no meaning.
static RvResult set_up(Frame* f, const RvContinuumParms* p, RvError* error) {
  RvContinuum* c = &f->hair.continuum;
  c->implicitness = p->integrator == MIDPOINT_RULE ? MIDPOINT : 1;
  c->integrator = p->integrator == RUNGE_KUTTA ? RV_CHAIN_RK4 : RV_CHAIN_IMPLICIT;
  c->medium_def = medium_of(f, p);
  c->wet.load = f->water_load;
  c->wet.softness = p->wetsoftness;
  c->wet.collapse = p->wetcollapse;
  c->solids.rootfree = p->rootfree * rv_cook_meters(f->cook);
  c->solids.slip = p->slip;
  c->solids.layer = SLIP_LAYER * c->medium_def.smoothing;
  rv_continuum_air_set_up(f, p);
  return rv_medium_acts(&c->medium_def) ? rv_medium_check(&c->medium_def, error) : RV_OK;
}

// RvSolverMedia.init
static RvResult init(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  (void)error;
  *f = (Frame){.scaffold = s, .cook = s->cook};
  f->strands = (RvStrandPort){.cook = s->cook,
                              .input = STRANDS,
                              .frame_solids = &s->colliders,
                              .wind_input = WIND,
                              .solids_only = true,
                              .inextensible = true};
  f->parms = wet_parms(s->cook, s->cook->parms);
  f->now = f->parms;
  return RV_OK;
}

// RvSolverMedia.end
static void end(RvSolver* s) {
  Frame* f = s->data;
  rv_continuum_hair_free(&f->hair);
  rv_strand_port_free(&f->strands);
  RV_FREE_ALL(f->water_load, f->edited, f->air);
  rv_state_free(&f->state);
}

//---------------------------------------------------------------------------------------------- start frame

// Refuses more strands than `maxmemory` allows.
static RvResult check_memory(const Frame* f, const RvDetail* in, RvError* error) {
  double gigabytes = 1e-9 * BYTES_A_VERTEX * (double)rv_detail_count(in, RV_POINT), most = f->parms.maxmemory;
  if (gigabytes <= most) return RV_OK;
  return rv_fail(error, RV_LIMIT,
                 "%s, has %zu points, which need about %.2g GB; raise maxmemory (%g), or simulate fewer guides",
                 rv_solver_port(f->cook, STRANDS).text, rv_detail_count(in, RV_POINT), gigabytes, most);
}

// Tells what the rest shape could not balance.
static void tell_rest(const Frame* f, const RvChainRestReport* report) {
  size_t count = f->strands.solver.set.count;
  if (report->capped)
    rv_cook_warn(f->cook,
                 "%zu of %zu strands sag from the start: to hold their pose they would have to be bent by more than "
                 "restangle; raise restangle, reststiffen or stiffness, or shorten them",
                 report->capped, count);
  if (report->loose)
    rv_cook_warn(f->cook,
                 "%zu of %zu strands hold their pose only until they are pushed; raise reststiffen or stiffness, or "
                 "shorten them",
                 report->loose, count);
  rv_cook_info(f->cook, "the rest shape balances %zu strands; %zu were made up to %g times stiffer",
               count - report->capped, report->stiffened, f->strands.solver.settings.reststiffen);
}

// Writes the chains' rows.
static RvResult save_chains(Frame* f, RvDetail* out, RvError* error) {
  RvStateLanes lanes = rv_strands_lanes(&f->strands.solver.set, f->strands.solver.model);
  RvResult result = rv_state_save_lanes(out, fields, FIELDS, &f->hair.continuum, &lanes, error);
  double* density = result ? NULL : rv_detail_f64_write(out, RV_GLOBAL, "rv_groomdensity", 1, error);
  if (!density) return result ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  *density = f->groom_density;
  return RV_OK;
}

// Density of LEAST_STRANDS parallel strands in a cell, kg/m3.
static double least_density(const RvContinuum* c, double smoothing) {
  double mass = 0, length = 0;
  for (size_t i = 0; i < c->model->links; ++i) {
    mass += c->model->mass[i];
    length += c->model->length[i];
  }
  return length > 0 ? LEAST_STRANDS * mass / (length * smoothing * smoothing) : 1;
}

// The densest place of the groom, without its water, and the factors by which strands were stiffened.
static RvResult measure_groom(Frame* f, RvDetail* out, RvError* error) {
  RvContinuum* c = &f->hair.continuum;
  RvMediumDef def = medium_of(f, f->cook->parms);
  def.law.rest_density = 1;
  def.law.packing_density = 2;  // any law: only the density is asked for
  RvResult result = rv_medium_place(&c->medium, &def, c->model, c->state->x, NULL, error);
  if (result) return result;
  f->groom_density = fmax(c->medium.largest_density, least_density(c, def.smoothing));
  double* stiffen = rv_detail_f64_write(out, RV_PRIM, "rv_stiffen", 1, error);
  if (!stiffen) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = 0; i < f->strands.solver.set.count; ++i)
    stiffen[f->strands.solver.set.prim[i]] = f->strands.solver.stiffen[i];
  return RV_OK;
}

// RvSolverMedia.start
static RvResult start(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  const RvDetail* in = rv_solver_input(f->cook, STRANDS);
  const bool equilibrium = f->parms.restmode == 0;
  RvChainRestReport report;
  RvResult result = in ? check_memory(f, in, error) : RV_OK;
  // The chains have a rest shape of their own.
  f->parms.restmode = 1;
  if (!result) result = rv_strand_port_start(&f->strands, &f->parms, &state->part[0], error);
  if (!result) result = rv_continuum_hair_init(&f->hair, &f->strands.solver, error);
  if (result) return result;
  f->strands.solver.settings.equilibrium = equilibrium;
  result = rv_continuum_hair_start(&f->hair, &report, error);
  if (!result && equilibrium) tell_rest(f, &report);
  if (!result) result = rv_state_prepare(state->part[0], fields, FIELDS, error);
  if (!result) result = measure_groom(f, state->part[0], error);
  if (!result) result = save_chains(f, state->part[0], error);
  if (!result) result = set_up(f, f->cook->parms, error);
  return result ? result : rv_continuum_look(f, state->part[0], error);
}

//---------------------------------------------------------------------------------------------- a frame

// Marks points whose place or velocity an artist changed in the state: bits 1 and 2, by point.
static RvResult find_edits(const RvDetail* state, uint8_t** out, RvError* error) {
  size_t count = rv_detail_count(state, RV_POINT);
  const float *P = rv_detail_f32(state, RV_POINT, "P", 3), *V = rv_detail_f32(state, RV_POINT, "v", 3);
  const double *x = rv_detail_f64(state, RV_POINT, "rv_x", 3), *v = rv_detail_f64(state, RV_POINT, "rv_v", 3);
  const double* origin = rv_detail_f64(state, RV_GLOBAL, "rv_origin", 3);
  const double* dt = rv_detail_f64(state, RV_GLOBAL, "rv_dt", 2);
  *out = NULL;
  if (!P || !V || !x || !v || !origin || !dt) return RV_OK;
  uint8_t* moved = rv_alloc_zero(count + 1, 1);
  if (!moved) return rv_fail(error, RV_NO_MEMORY, "out of memory for the edits");
  bool any = false;
  for (size_t i = 0; i < 3 * count; ++i) {
    bool place = (float)(origin[i % 3] + x[i]) != P[i], speed = dt[1] > 0 && (float)(v[i] * dt[1]) != V[i];
    moved[i / 3] |= (uint8_t)(place | speed << 1);
    any |= place || speed;
  }
  if (any)
    *out = moved;
  else
    rv_free(moved);
  return RV_OK;
}

// The same by vertex of the set.
static RvResult order_edits(Frame* f, const uint8_t* moved, RvError* error) {
  const RvStrandSet* set = &f->strands.solver.set;
  if (!moved) return RV_OK;
  f->edited = rv_alloc(set->vertices + 1, 1);
  if (!f->edited) return rv_fail(error, RV_NO_MEMORY, "out of memory for the edits");
  for (size_t i = 0; i < set->vertices; ++i) f->edited[i] = moved[set->point[i]];
  return RV_OK;
}

// Only the root itself is on the skin: the first link swings.
static void free_first_links(RvStrandSolver* s) {
  for (size_t k = 0; k < s->model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvStrandBatch* b = &s->model->batches[k];
      bool pinned = s->guide.pinned && s->guide.pinned[s->set.first[b->strand[lane]] + 1];
      for (int c = 0; c < 3; ++c) s->model->free[rv_strand_index(b, lane, 1, c)] = !pinned;
    }
}

// The state of the chains, for strands that are there.
static RvResult load_chains(Frame* f, const RvDetail* state, const uint8_t* moved, RvError* error) {
  RvStateLanes lanes = rv_strands_lanes(&f->strands.solver.set, f->strands.solver.model);
  lanes.spare_lanes = true;
  const double* density = rv_detail_f64(state, RV_GLOBAL, "rv_groomdensity", 1);
  f->groom_density = density ? *density : 0;
  RvResult result = rv_state_load_lanes(state, fields, FIELDS, &f->hair.continuum, &lanes, error);
  if (!result) result = order_edits(f, moved, error);
  if (!result) rv_continuum_hair_loaded(&f->hair, f->edited);
  return result;
}

// RvSolverMedia.load
static RvResult load(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  uint8_t* moved = NULL;
  RvResult result = rv_state_copy(f->cook->prev, &f->state, error);
  // a frozen frame moves no strand, and its input may be anywhere
  if (result || !(f->parms.timescale > 0)) return result;
  result = find_edits(f->state.part[0], &moved, error);
  f->parms.restmode = 1;
  if (!result) result = rv_strand_port_begin(&f->strands, &f->parms, f->state.part[0], error);
  if (!result) result = rv_continuum_hair_init(&f->hair, &f->strands.solver, error);
  if (!result) result = load_chains(f, f->state.part[0], moved, error);
  rv_free(moved);
  if (result) return result;
  free_first_links(&f->strands.solver);
  f->first = !(f->strands.solver.globals.dt > 0);
  f->hair.continuum.solids.colliders = f->strands.colliders;
  f->hair.continuum.solids.count = f->strands.solids.count;
  if (f->strands.solids.count) result = rv_chain_solids_init(&f->hair.continuum.solids, f->hair.continuum.model, error);
  if (!result) result = rv_continuum_read_water(f, error);
  if (!result) result = set_up(f, f->cook->parms, error);
  return result ? result : rv_continuum_air_load(f, f->state.part[0], error);
}

// One of `count` equal parts of the frame.
static RvResult part(Frame* f, int k, int count, RvError* error) {
  double from = (double)k / count, to = k + 1 == count ? 1 : (double)(k + 1) / count;
  double dt = f->scaffold->frame_seconds * (to - from);
  bool changed;
  RvStrandSample sample;
  RvResult result = rv_solver_sample_parms(f->scaffold, to, &changed, error);
  if (!result && changed) {
    f->now = wet_parms(f->cook, f->scaffold->parms);
    f->now.timescale = f->parms.timescale;
    result = set_up(f, f->scaffold->parms, error);
  }
  if (!result) result = rv_strand_port_inputs(&f->strands, &f->now, from, to, dt, &sample, error);
  if (!result) result = rv_continuum_gusts(f, f->scaffold->parms, to, error);
  if (!result) rv_continuum_air_set_up(f, f->scaffold->parms);
  return result ? result : rv_continuum_hair_substep(&f->hair, &sample, dt, error);
}

// Way of a solid's box over the frame, at most, m.
static double solid_way(const RvCollider* c, double seconds) {
  RvColliderBox box = rv_contact_collider_box(c, seconds);
  RvPose start = rv_contact_collider_pose(c, 0), end = rv_contact_collider_pose(c, seconds);
  double way = 0;
  for (int corner = 0; corner < 8 && !box.empty; ++corner) {
    RvVec3 at = rv_vec3(corner & 1 ? box.hi[0] : box.lo[0], corner & 2 ? box.hi[1] : box.lo[1],
                        corner & 4 ? box.hi[2] : box.lo[2]);
    way = fmax(way, rv_distance(rv_contact_pose_out(&start, at), rv_contact_pose_out(&end, at)));
  }
  return way + c->fastest * seconds;
}

// Whether a solid comes near a strand in the frame: any vertex is nearer to its box than its way.
static bool comes_near(const Frame* f, const RvCollider* c, double way, double seconds) {
  const RvChainModel* m = f->hair.continuum.model;
  RvColliderBox box = rv_contact_collider_box(c, seconds);
  RvPose start = rv_contact_collider_pose(c, 0);
  for (size_t i = 0; i < m->vertices; ++i) {
    RvVec3 x = rv_strand_vector(f->hair.continuum.state->x, i / RV_LANES * 3 * RV_LANES + i % RV_LANES);
    if (rv_contact_collider_near(c, &box, rv_contact_pose_in(&start, x), way)) return true;
  }
  return false;
}

// Substeps in which a solid that meets hair moves by `cfl` edges at most, at least `count`: one tangent plane a substep
// must describe its surface.
static RvResult solid_substeps(Frame* f, int* count, RvError* error) {
  const RvContinuum* c = &f->hair.continuum;
  const double seconds = f->scaffold->frame_seconds;
  RvStrandSample sample;
  if (!c->solids.count || !c->model->links) return RV_OK;
  RvResult result = rv_strand_port_inputs(&f->strands, &f->parms, 0, 1, seconds, &sample, error);
  double length = 0, wanted = 0;
  for (size_t i = 0; i < c->model->links; ++i) length += c->model->length[i];
  length /= (double)c->model->links;
  for (size_t k = 0; k < c->solids.count && !result; ++k) {
    double way = solid_way(&c->solids.colliders[k], seconds), own = ceil(way / (f->parms.rootcfl * length));
    if (own > fmax(*count, wanted) && comes_near(f, &c->solids.colliders[k], way, seconds)) wanted = own;
  }
  f->steps_wanted = fmax(f->steps_wanted, wanted);
  if (wanted > *count) *count = (int)fmin(wanted, fmax((double)f->parms.maxsubsteps, *count));
  return result;
}

// Substeps in which particles resolve the sound and the friction of the medium.
static RvResult sound_substeps(Frame* f, int* count, RvError* error) {
  const RvMediumDef* def = &f->hair.continuum.medium_def;
  if (!def->particles || !rv_medium_acts(def)) return RV_OK;
  double wanted = ceil(f->scaffold->frame_seconds / rv_medium_pairs_longest(def)), most = MOST_PARTICLE_STEPS;
  if (!(wanted <= most))
    return rv_fail(
        error, RV_LIMIT,
        "interaction particles needs %g steps a frame for the sound of the medium, at most %g are taken; lower "
        "volumepressure or hairfriction, raise smoothing, or choose grid",
        wanted, most);
  if (wanted > *count) *count = (int)wanted;
  return RV_OK;
}

// Substeps at which explicit chains are stable.
static RvResult explicit_substeps(Frame* f, int* count, RvError* error) {
  const RvContinuum* c = &f->hair.continuum;
  if (c->integrator != RV_CHAIN_RK4 || !c->model->links) return RV_OK;
  double wanted = ceil(f->scaffold->frame_seconds / rv_chain_explicit_step(c->model)), most = MOST_EXPLICIT_STEPS;
  if (!(wanted <= most))
    return rv_fail(error, RV_LIMIT,
                   "integrator Runge-Kutta needs %g steps a frame for the stiffness and damping of the joints, at most "
                   "%g are taken; lower damping, shear or youngs, give strands fewer points, or choose euler",
                   wanted, most);
  if (wanted > *count) *count = (int)wanted;
  return RV_OK;
}

RvResult rv_continuum_advance(RvSolver* s, RvError* error) {
  Frame* f = s->data;
  int count;
  RvResult result = rv_strand_port_substeps(&f->strands, &count, error);
  f->steps_wanted = f->strands.steps_wanted;
  if (!result) result = solid_substeps(f, &count, error);
  if (!result) result = sound_substeps(f, &count, error);
  if (!result) result = explicit_substeps(f, &count, error);
  for (int k = 0; k < count && !result; ++k) {
    if (rv_cook_cancelled(f->cook, (double)k / count, "chains"))
      result = rv_fail(error, RV_CANCELLED, "cancelled");
    else
      result = part(f, k, count, error);
  }
  return result;
}

// RvSolverMedia.save
static RvResult save(RvSolver* s, RvState* state, RvError* error) {
  Frame* f = s->data;
  RvDetail* out = f->state.part[0];
  RvResult result;
  if (s->frame_seconds > 0) {
    f->strands.solver.healed = f->hair.healed;
    f->strands.solver.substeps = f->hair.substeps;
    result = rv_strand_port_end(&f->strands, out, error);
    if (!result) result = save_chains(f, out, error);
    if (!result) result = rv_continuum_air_save(f, out, error);
    if (!result) result = rv_continuum_look(f, out, error);
  } else {
    result = rv_strand_port_freeze(out, error);
  }
  if (result) return result;
  state->part[0] = out;
  f->state.part[0] = NULL;
  return RV_OK;
}

// Tells of roots and colliders that go farther in a step than cfl allows.
static void tell_speed(const Frame* f) {
  if (!(f->steps_wanted > f->hair.substeps)) return;
  rv_cook_warn(f->cook,
               "roots or colliders move so fast that cfl asks for %g substeps, but maxsubsteps allows %d: hair lags or "
               "is thrown; raise maxsubsteps or cfl, or check the animation",
               f->steps_wanted, f->hair.substeps);
}

static void tell_solids(const Frame* f) {
  const RvChainSolids* solids = &f->hair.continuum.solids;
  f->cook->stats->contacts = (int64_t)solids->touching;
  // only the frame after the start tells of the groom
  if (solids->inside && f->first)
    rv_cook_warn(
        f->cook,
        "%zu points of strands begin inside of colliders and are pushed out; raise rootfree, or comb the groom",
        solids->inside);
  if (solids->passed)
    rv_cook_warn(f->cook, "%zu times a point of a strand ended inside a collider; raise substeps", solids->passed);
}

// RvSolverMedia.tell
static void tell(RvSolver* s) {
  Frame* f = s->data;
  const RvMedium* medium = &f->hair.continuum.medium;
  RvStats* stats = f->cook->stats;
  if (!(s->frame_seconds > 0)) return;
  rv_strand_port_tell(&f->strands);
  stats->substeps = f->hair.substeps;
  stats->iterations = medium->sweeps;
  stats->residual = medium->residual;
  stats->tiles = (int64_t)medium->tiles.count;
  tell_speed(f);
  tell_solids(f);
#define TELL(name) rv_solver_add_seconds(s, #name, f->hair.continuum.seconds[RV_CONTINUUM_STAGE_##name]);
  RV_CONTINUUM_STAGES(TELL)
#undef TELL
}

// RvSolverMedia.split
static RvResult split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  (void)type;
  if (state->part[0] && !(cook->output[0] = rv_detail_copy(state->part[0])))
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return RV_OK;
}

const RvSolverMedia rv_continuum_media = {
    .init = init, .start = start, .load = load, .save = save, .split = split, .tell = tell, .end = end};
