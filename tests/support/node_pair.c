// A trial solver of two media on the scaffold: strands whose points are on springs to their animation, and particles
// that fall; both stay outside of solids. Each medium is an RvPointSet with its own part of the state.
#include "support/node_pair.h"

#include "node/solver/scaffold.h"

#define PAIR_PARMS(X) \
  RV_SOLVER_PARMS(X)  \
  X(FLOAT, stiffness, "Stiffness", 400, HARD(0), SOFT(1e3), "s-2", "Pull of the strands towards their animation.")
RV_PARM_TABLE(PairParms, pair_table, PAIR_PARMS)

enum { STRANDS, PARTICLES, MEDIA };

typedef struct Medium {
  double *x, *v;  // by the rows of the fields
  RvPointSet points;
  RvDetail* state;
} Medium;

typedef struct Pair {
  Medium media[MEDIA];
} Pair;

// Rows of a medium; and of the state, which has them in each part.
static const RvFieldDef fields[] = {RV_SOLVER_FIELDS(Medium)};
enum { FIELDS = sizeof fields / sizeof *fields };
static const RvFieldDef all_fields[] = {RV_SOLVER_PART_FIELDS(Medium, "strands"),
                                        RV_SOLVER_PART_FIELDS(Medium, "particles")};
static const char* const parts[MEDIA] = {"strands", "particles"};

//---------------------------------------------------------------------------------------------- media

// The arrays of a medium from its part of the state.
static RvResult load_medium(RvSolver* s, Medium* m, RvError* error) {
  RvResult result = rv_state_load(m->state, fields, FIELDS, m, error);
  m->points = (RvPointSet){.cook = s->cook, .meters = s->meters, .timescale = s->timescale};
  m->points.count = rv_detail_count(m->state, RV_POINT);
  m->points.x = m->x;
  m->points.v = m->v;
  return result;
}

static RvResult save(RvSolver* s, RvState* state, RvError* error) {
  Pair* pair = s->data;
  RvResult result = RV_OK;
  for (int k = 0; k < MEDIA && !result; ++k) {
    Medium* m = &pair->media[k];
    result = rv_state_save(m->state, fields, FIELDS, m, error);
    if (!result) result = rv_points_save(&m->points, s->substep_seconds, m->state, error);
    state->part[k] = m->state;
    m->state = NULL;
  }
  return result;
}

static RvResult start(RvSolver* s, RvState* state, RvError* error) {
  Pair* pair = s->data;
  RvResult result = RV_OK;
  for (int k = 0; k < MEDIA && !result; ++k) {
    Medium* m = &pair->media[k];
    m->state = rv_detail_copy(s->cook->input[k]);
    result = rv_state_prepare(m->state, fields, FIELDS, error);
    if (!result) result = load_medium(s, m, error);
    if (!result) result = rv_points_start(&m->points, s->cook->input[k], m->state, error);
  }
  return result ? result : save(s, state, error);
}

static RvResult load(RvSolver* s, RvError* error) {
  Medium* media = ((Pair*)s->data)->media;
  RvState before;
  RvResult result = rv_state_copy(s->cook->prev, &before, error);
  for (int k = 0; k < MEDIA && !result; ++k) media[k].state = before.part[k];
  for (int k = 0; k < MEDIA && !result; ++k)
    if (!media[k].state) result = rv_fail(error, RV_BAD_INPUT, "the state has no %s", parts[k]);
  for (int k = 0; k < MEDIA && !result; ++k) {
    result = load_medium(s, &media[k], error);
    // particles are their own from the start frame on
    if (!result) result = rv_points_begin(&media[k].points, k == STRANDS ? STRANDS : -1, media[k].state, error);
  }
  return result ? result : rv_solver_begin_solids(s, error);
}

static RvResult inputs(RvSolver* s, double from, double to, double dt, RvError* error) {
  RvResult result = rv_points_sample(&((Pair*)s->data)->media[STRANDS].points, to, error);
  return result ? result : rv_solver_move_solids(s, from, to, dt, error);
}

static RvResult split(const RvSolverType* type, RvCook* cook, const RvState* state, RvError* error) {
  (void)type;
  RvState copy;
  RvResult result = rv_state_copy(state, &copy, error);
  for (int k = 0; k < MEDIA && !result; ++k) cook->output[k] = copy.part[k];
  return result;
}

static void end(RvSolver* s) {
  for (int k = 0; k < MEDIA; ++k) {
    Medium* m = &((Pair*)s->data)->media[k];
    rv_state_release(fields, FIELDS, m);
    rv_points_end(&m->points);
    rv_detail_free(m->state);
  }
}

//---------------------------------------------------------------------------------------------- method

static RvResult substep(RvSolver* s, double dt, RvError* error) {
  RvResult result = RV_OK;
  for (int k = 0; k < MEDIA; ++k) {
    RvPointSet* p = &((Pair*)s->data)->media[k].points;
    double pull = k == STRANDS ? ((const PairParms*)s->parms)->stiffness : 0;
    for (size_t i = 0; i < p->count && !result; ++i) {
      double distance, *x = p->x + 3 * i, *v = p->v + 3 * i;
      RvVec3 normal, velocity;
      for (size_t c = 0; c < 3; ++c) {
        v[c] += dt * ((pull > 0 ? pull * (p->goals[3 * i + c] - x[c]) : 0) - (c == 1) * 9.81);
        x[c] += dt * v[c];
      }
      result = rv_solver_distance(s, x, &distance, &normal, &velocity, error);
      if (!(distance < 0)) continue;
      rv_vec3_store64(x, rv_mad(rv_vec3_load64(x), -distance, normal));
      rv_vec3_store64(v, velocity);
    }
  }
  return result;
}

static const RvSolverMedia media = {
    .start = start, .load = load, .inputs = inputs, .save = save, .split = split, .end = end};
static const RvSolverType pair = {.data_bytes = sizeof(Pair), .collider_input = 2, .substep = substep, .media = &media};
RV_SOLVER_CALLS(pair, pair)

static const RvPortDef ports[] = {{"strands", "Strands", "Curves.", true},
                                  {"particles", "Particles", "Points.", true},
                                  {"colliders", "Colliders", "Solids.", false}};
static const RvPortDef outputs[] = {{"strands", "Strands", "Curves.", false},
                                    {"particles", "Particles", "Points.", false},
                                    {"state", "State", "Both.", false}};
const RvNodeType rv_test_pair = {.type = "testpair",
                                 .label = "Pair",
                                 .category = "Solvers",
                                 .summary = "Strands on springs and particles that fall.",
                                 .help = "",
                                 .flags = RV_NODE_SOLVER,
                                 .inputs = ports,
                                 .ninput = 3,
                                 .outputs = outputs,
                                 .noutput = 3,
                                 .parms = &pair_table,
                                 .stages = rv_solver_stages,
                                 .fields = all_fields,
                                 .nfield = sizeof all_fields / sizeof *all_fields,
                                 .parts = parts,
                                 .npart = MEDIA,
                                 RV_SOLVER_MEMBERS(pair)};
