// Strand solver: the hair stage alone (design section 3). Its method is in substep().
#include "base/timer.h"
#include "node/solver/strandsolver_contact.h"
#include "node/solver/strandsolver_parms.h"

RV_PARM_ROWS(RvStrandParms, strand_table, RV_STRAND_PARMS)

#define STAGES(X)     \
  X(SAMPLE, "sample") \
  X(CARRY, "carry") X(FORCES, "forces") X(CONTACTS, "contacts") X(STRANDS, "strands") X(UPDATE, "update")
enum {
#define STAGE_ENUM(name, text) STAGE_##name,
  STAGES(STAGE_ENUM) STAGE_COUNT
};
static const char* const stages[] = {
#define STAGE_TEXT(name, text) text,
    STAGES(STAGE_TEXT) NULL};

//---------------------------------------------------------------------------------------------- one substep

// From one share of the frame to another.
static RvResult substep(RvStrandSolve* s, RvStrandSampler* sampler, double from, double to, RvStrandStats* stats,
                        RvError* error) {
  RvStrandSample in;
  RvForceDef forces;
  double dt = s->cook->dt * s->def.timescale * (to - from), clock[STAGE_COUNT + 1] = {rv_clock_wall()};
  RvResult result = rv_strandsolve_sample(s, sampler, to, dt, &in, error);
  clock[1] = rv_clock_wall();
  if (!result) result = rv_strandsolve_carry(s, &in, dt, error);
  clock[2] = rv_clock_wall();
  if (!result) rv_strand_forces(s->model, s->state, rv_strandsolve_force_def(s, &forces), &s->forces);
  RvStrandStepDef step = rv_strandsolve_step_def(s, dt);
  clock[3] = rv_clock_wall();
  if (!result) result = rv_strand_contacts_find(s->contacts, s, &step, from, to, &step.couple, error);
  clock[4] = rv_clock_wall();
  if (!result) result = rv_strandsolve_step(s, &step, stats, error);
  clock[5] = rv_clock_wall();
  if (!result) rv_strandsolve_update(s, dt);
  clock[6] = rv_clock_wall();
  for (int i = 0; i < STAGE_COUNT; ++i) s->cook->stats->stage_seconds[i] += clock[i + 1] - clock[i];
  return result;
}

static RvResult start(RvCook* cook, RvError* error) {
  return rv_strandsolve_start(cook, &cook->output[2], error);
}

static RvResult solve(RvStrandSolve* s, RvDetail* out, RvError* error) {
  RvStrandSampler sampler = {0};
  RvResult result = rv_strandsolve_begin(s, &sampler, out, error);
  if (!result) result = rv_strandsolve_frame(s, &sampler, error);
  if (!result) result = rv_strandsolve_end(s, &sampler, out, error);
  rv_sampler_end(&sampler);
  return result;
}

static RvResult step(RvCook* cook, RvError* error) {
  RvStrandContacts contacts = {.def = rv_strandsolve_contact_def(cook->parms)};
  RvStrandSolve s = {.cook = cook,
                     .def = rv_strandsolve_def(cook->parms, rv_cook_meters(cook)),
                     .contacts = &contacts,
                     .substep = substep};
  if (!cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is empty");
  RvResult result = rv_state_check(cook->prev, rv_strand_fields, RV_STRAND_FIELD_COUNT, error);
  if (result) return result;
  RvDetail* out = rv_detail_copy(cook->prev);
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  result = s.def.timescale > 0 ? solve(&s, out, error) : rv_strandsolve_freeze(out, error);
  if (!result) rv_strandsolve_tell(&s);
  if (!result) {
    cook->output[2] = out;
    out = NULL;
  }
  cook->stats->contacts = (int64_t)(contacts.stats.links + contacts.stats.touches);
  if (!result) rv_strand_contacts_warn(&contacts, cook);
  rv_strand_contacts_end(&contacts);
  rv_detail_free(out);
  rv_solve_strands_free(&s);
  return result;
}

static RvResult split(RvCook* cook, const RvDetail* state, RvError* error) {
  const RvStrandParms* p = cook->parms;
  cook->output[0] = rv_detail_copy(state);
  cook->output[1] = rv_detail_new();
  if (!cook->output[0] || !cook->output[1]) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_state_strip(cook->output[0], p->keepstate);
  return RV_OK;
}

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     true},
    {"colliders", "Colliders", "Solids that the strands meet.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const RvPortDef outputs[] = {{"strands", "Strands", "The simulated strands.", false},
                                    {"liquid", "Liquid", "Nothing: this solver is dry.", false},
                                    {"state", "State", "The strands with all that a resumed run needs.", false}};

const RvNodeType rv_node_strandsolver = {
    .type = "strandsolver",
    .label = "Strand Solver",
    .category = "Solvers",
    .summary = "Simulates hair and fur as elastic rods.",
    .help =
        "Every curve is a discrete elastic rod that stretches, bends and twists; its first edge is held by the "
        "animated "
        "input, whose orient turns it. At the start frame the output is the groom itself, and with the rest shape in "
        "equilibrium nothing sags afterwards.\n\n"
        "Attributes of points, or else of primitives, come before the parameters: hairradius, density, youngs, shear, "
        "damping, stiffness, hairsperguide, and ellipse, the ratio of the section's half axes (the first is "
        "hairradius, along "
        "the frame of the root); a 0 is not given. They are metres, kilograms and seconds whatever the "
        "scene's unit; P, v and width are units of the scene. A radius that tapers to nothing is held at a tenth of "
        "the strand's largest.\n\n"
        "Each frame the input's attributes are read that guide the strands: pintoanimation of 0.5 or more holds a "
        "point to the animation, targetweight pulls it there, force (newton a hair) and wind (metres a second) push "
        "it.\n\n"
        "Roots are sampled at every substep. Where the input has whole frames only, as files do, the motion between "
        "them is interpolated: its common turn as a turn, the rest with continuous velocity.\n\n"
        "Drag is linear in the speed relative to the air, with one coefficient across and one along a hair.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 6,
    .inputs = inputs,
    .ninput = 3,
    .outputs = outputs,
    .noutput = 3,
    .parms = &strand_table,
    .stages = stages,
    .fields = rv_strand_fields,
    .nfield = RV_STRAND_FIELD_COUNT,
    .start = start,
    .step = step,
    .split = split,
};
