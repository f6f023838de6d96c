// Checks of the air around hair (HC-16, HC-17): momentum, wake, shelter, solids, terminal speed.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/continuum.h"

enum { SIDE = 8, STRANDS = SIDE * SIDE, LINKS = 8 };
static const double DENSITY = 1.2;  // kg/m3 of air
static const double RADIUS = 40e-6, FIBRE = 1320, LENGTH = 0.08;

// A square bundle of strands along -y.
typedef struct Tuft {
  RvContinuum c;
  double hairs[STRANDS];
  int32_t first[STRANDS];
} Tuft;

typedef struct TuftDef {
  double spacing;  // m
  double hairs;    // a strand
  double youngs;   // Pa
  double drag;     // kg/(m s) of a hair
  double dx;       // m: cell of the air; 0: passive air
  double wind;     // m/s along x
} TuftDef;

static RvResult tuft_new(Tuft* t, const TuftDef* d, RvError* error) {
  double root[STRANDS][2];
  for (int i = 0; i < STRANDS; ++i) {
    root[i][0] = d->spacing * (i % SIDE - 0.5 * (SIDE - 1));
    root[i][1] = d->spacing * (i / SIDE - 0.5 * (SIDE - 1));
    t->hairs[i] = d->hairs;
    t->first[i] = i * (LINKS + 1);
  }
  const RvRigBundleDef def = {.root = (const double(*)[2])root,
                              .strands = STRANDS,
                              .links = LINKS,
                              .length = LENGTH,
                              .radius = RADIUS,
                              .density = FIBRE,
                              .youngs = d->youngs,
                              .shear = 0.4 * d->youngs,
                              .viscosity = 0,
                              .hairs = d->hairs};
  RvResult result = rv_rig_bundle_new(&t->c, &def, error);
  t->c.loads.first = t->first;
  t->c.loads.multiple = t->hairs;
  t->c.loads.drag_normal = t->c.loads.drag_tangent = d->drag;
  t->c.loads.wind[0] = d->wind;
  t->c.air_solved = d->dx > 0;
  t->c.air_def = (RvAirDef){.dx = d->dx, .reach = 6, .density = DENSITY, .fibre_density = FIBRE};
  return result;
}

//---------------------------------------------------------------------------------------------- momentum

// What the chains' equations of motion say that the air gave the links in a step from the state `s`.
static RvResult add_impulses(const RvContinuum* c, const RvChainState* s, double dt, double sum[3], double* size,
                             RvError* error) {
  const RvChainModel* m = c->model;
  const RvChainStepDef def = {.dt = dt,
                              .implicitness = c->implicitness,
                              .force = c->load.force,
                              .torque = c->load.torque,
                              .line_mass = c->load.line_mass};
  double* rate = rv_alloc_zero(3 * m->links, sizeof *rate);
  if (!rate) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_chain_accelerate(m, s, &def, rate, error);
  for (size_t k = 0; k < m->nbatch && !result; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane) {
      RvVec3 a = {0};
      for (int i = 0; i < m->batches[k].links; ++i) {
        const RvChainBatch* b = &m->batches[k];
        size_t vertex = rv_chain_vertex(b, lane, i, 3, 0), link = rv_chain_link(b, lane, i, 3, 0);
        RvVec3 arm = rv_sub(rv_strand_vector(s->x, vertex + 3 * RV_LANES), rv_strand_vector(s->x, vertex));
        RvVec3 spin = rv_strand_vector(s->spin, link);
        RvVec3 turn = rv_add(rv_cross(rv_strand_vector(rate, link), arm), rv_cross(spin, rv_cross(spin, arm)));
        double added = c->load.line_mass[rv_chain_link(b, lane, i, 1, 0)];
        RvVec3 f = rv_mad(rv_strand_vector(c->load.force, link), -added, rv_mad(a, 0.5, turn));
        const double impulse[3] = {dt * f.x, dt * f.y, dt * f.z};
        for (int x = 0; x < 3; ++x) {
          sum[x] += impulse[x];
          *size += fabs(impulse[x]);
        }
        a = rv_add(a, turn);
      }
    }
  rv_free(rate);
  return result;
}

// Swinging hair in the wind: what hair, open sides and solids get is what the air loses. Relative to the impulses.
static RvResult momentum(double hairs, bool solid, double* worst, double* lost, RvError* error) {
  const double dt = 1.0 / 120;
  const TuftDef def = {.spacing = 0.006, .hairs = hairs, .youngs = 1e8, .drag = 6e-4, .dx = 0.01, .wind = 1.5};
  const RvCollider ball = {.shape = RV_COLLIDER_SPHERE,
                           .radius = 0.03,
                           .position = {0.06, -0.03, 0.01},
                           .orientation = rv_quat_identity(),
                           .linear = {-0.2, 0, 0}};
  Tuft t;
  RvResult result = tuft_new(&t, &def, error);
  RvContinuum* c = &t.c;
  RvChainState* before = result ? NULL : rv_chain_state_alloc(c->model);
  double gained[3] = {0}, size = 0, air[3] = {0};
  if (!result && !before) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < 3 * c->model->links; ++i) c->state->spin[i] = 4 * rv_random(9, 0, i, 0) - 2;
  if (!result) rv_chain_place(c->model, c->state);
  for (int k = 0; k < 12 && !result; ++k) {
    rv_chain_state_copy(c->model, c->state, before);
    // the air alone meets the ball
    c->air_def.colliders = solid ? &ball : NULL;
    c->air_def.ncollider = solid;
    result = rv_continuum_substep(c, dt, error);
    if (!result) result = add_impulses(c, before, dt, gained, &size, error);
  }
  rv_air_momentum(&c->air, air);
  *worst = *lost = 0;
  for (int x = 0; x < 3; ++x) {
    *worst = fmax(*worst, fabs(gained[x] + air[x] + c->air.lost[x]) / size);
    *lost = fmax(*lost, fabs(c->air.lost[x]) / size);
  }
  rv_chain_state_free(before);
  rv_continuum_free(c);
  return result;
}

RvResult rv_check_air_momentum(const RvCheckOut* out, RvError* error) {
  // A strand stands for one hair, and for so many that the air sticks to them within a step.
  static const struct {
    const char *sum, *lost;
    double hairs;
    bool solid;
  } cases[3] = {{"sum_thin", "lost_thin", 1, false},
                {"sum_dense", "lost_dense", 300, false},
                {"sum_solid", "lost_solid", 30, true}};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    double sum = 0, lost = 0;
    result = momentum(cases[k].hairs, cases[k].solid, &sum, &lost, error);
    if (result) break;
    rv_check_emit(out, cases[k].sum, sum, 0, 1e-10);
    // Some of it has left, so that the ledger is not idle.
    rv_check_emit(out, cases[k].lost, lost > 1e-6, 1, 0);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- wake

// Stiff hair in a wind of 2 m/s.
typedef struct Wake {
  double deficit;   // m/s by which the air behind the hair is slower, two bundles away
  double before;    // the same before it
  double force;     // rate at which momentum leaves, over the drag of hair in the free wind
} Wake;

static RvResult wake(double drag, double dx, Wake* w, RvError* error) {
  const double dt = 1.0 / 120, wind = 2;
  enum { STEPS = 60, LAST = 20 };
  const TuftDef def = {.spacing = 0.005, .hairs = 1, .youngs = 1e13, .drag = drag, .dx = dx, .wind = wind};
  Tuft t;
  RvResult result = tuft_new(&t, &def, error);
  double start = 0;
  t.c.air_def.reach = dx > 0.008 ? 4 : 8;
  for (int k = 0; k < STEPS && !result; ++k) {
    if (k == STEPS - LAST) start = t.c.air.lost[0];
    result = rv_continuum_substep(&t.c, dt, error);
  }
  double force = STRANDS * LENGTH * drag * wind;
  w->force = force > 0 ? -(t.c.air.lost[0] - start) / (LAST * dt * force) : 0;
  w->deficit = w->before = 0;
  for (int y = 2; y <= 6 && !result; ++y)
    for (int z = -1; z <= 1; ++z) {
      double behind[3] = {0.04, -0.01 * y, 0.008 * z}, ahead[3] = {-0.04, -0.01 * y, 0.008 * z}, v[3];
      rv_air_at(&t.c.air, behind, v);
      w->deficit -= v[0] / 15;
      rv_air_at(&t.c.air, ahead, v);
      w->before -= v[0] / 15;
    }
  rv_continuum_free(&t.c);
  return result;
}

RvResult rv_check_air_wake(const RvCheckOut* out, RvError* error) {
  Wake none, weak, strong, fine;
  RvResult result = wake(0, 0.01, &none, error);
  if (!result) result = wake(2e-6, 0.01, &weak, error);
  if (!result) result = wake(3e-4, 0.01, &strong, error);
  if (!result) result = wake(3e-4, 0.005, &fine, error);
  if (result) return result;
  rv_check_emit(out, "without_drag", none.deficit, 0, 0);
  rv_check_emit(out, "weak_force", weak.force, 1, 0.02);
  rv_check_emit(out, "strong_deficit", strong.deficit, fine.deficit, 0.1 * fine.deficit);
  rv_check_emit(out, "strong_behind_more", strong.deficit > 2 * strong.before, 1, 0);
  rv_check_emit(out, "strong_slows", strong.deficit > 0.1, 1, 0);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- solids

// Air that begins to flow around a ball is a potential flow: at r beside the ball its speed is U (1 + R^3 / (2 r^3)).
RvResult rv_check_air_ball(const RvCheckOut* out, RvError* error) {
  static const double sizes[2] = {0.01, 0.005};
  static const char* const names[2][3] = {{"beside_10mm", "before_10mm", "within_10mm"},
                                          {"beside_5mm", "before_5mm", "within_5mm"}};
  const double radius = 0.03, r = 0.045, wind = 2, share = radius * radius * radius / (r * r * r);
  const RvCollider ball = {
      .shape = RV_COLLIDER_SPHERE, .radius = radius, .position = {0, -0.04, 0}, .orientation = rv_quat_identity()};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    const TuftDef def = {.spacing = 0.02, .hairs = 1, .youngs = 1e13, .drag = 0, .dx = sizes[k], .wind = wind};
    Tuft t;
    result = tuft_new(&t, &def, error);
    t.c.air_def.colliders = &ball;
    t.c.air_def.ncollider = 1;
    t.c.air_def.reach = k ? 8 : 4;
    if (!result) result = rv_continuum_substep(&t.c, 1e-4, error);
    const double beside[3] = {0, -0.04, r}, ahead[3] = {-r, -0.04, 0}, within[3] = {0, -0.04, 0};
    double v[3][3] = {{0}};
    rv_air_at(&t.c.air, beside, v[0]);
    rv_air_at(&t.c.air, ahead, v[1]);
    rv_air_at(&t.c.air, within, v[2]);
    rv_continuum_free(&t.c);
    if (result) break;
    rv_check_emit(out, names[k][0], (wind + v[0][0]) / wind, 1 + 0.5 * share, k ? 0.02 : 0.04);
    rv_check_emit(out, names[k][1], (wind + v[1][0]) / wind, 1 - share, k ? 0.02 : 0.04);
    rv_check_emit(out, names[k][2], (wind + v[2][0]) / wind, 0, 1e-6);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- shelter

// Mean over a set of strands of the way of their tips along x, over the time, m/s.
typedef struct Shelter {
  double lone, behind, rim, middle, air;
} Shelter;

// Hair in a wind that rises from calm: how far the tips of a lone hair, of the last row of a bundle, of its rim and of
// its middle are blown in 1/5 s.
static RvResult blow(double hairs, double dx, Shelter* s, RvError* error) {
  const double dt = 1.0 / 240;
  const TuftDef def = {.spacing = 0.004, .hairs = hairs, .youngs = 4e9, .drag = 3e-4, .dx = dx, .wind = 2};
  Tuft t;
  RvResult result = tuft_new(&t, &def, error);
  for (int k = 0; k < 48 && !result; ++k) result = rv_continuum_substep(&t.c, dt, error);
  double rim = 0, middle = 0, behind = 0;
  int nrim = 0, nmiddle = 0;
  *s = (Shelter){0};
  const RvChainModel* m = t.c.model;
  for (size_t k = 0; !result && k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane) {
      const RvChainBatch* b = &m->batches[k];
      int strand = b->strand[lane], x = strand % SIDE, z = strand / SIDE;
      double root = t.c.state->x[rv_chain_vertex(b, lane, 0, 3, 0)];
      double way = t.c.state->x[rv_chain_vertex(b, lane, LINKS, 3, 0)] - root;
      bool inner = x >= 2 && x < SIDE - 2 && z >= 2 && z < SIDE - 2;
      bool outer = z == 0 || z == SIDE - 1 || x == 0;
      if (inner) {
        middle += way;
        nmiddle++;
      }
      if (outer) {
        rim += way;
        nrim++;
      }
      if (x == SIDE - 1 && z >= 2 && z < SIDE - 2) behind += way / (SIDE - 4);
    }
  s->behind = behind;
  s->rim = rim / fmax(nrim, 1);
  s->middle = middle / fmax(nmiddle, 1);
  rv_continuum_free(&t.c);
  return result;
}

RvResult rv_check_air_shelter(const RvCheckOut* out, RvError* error) {
  Shelter lone, thin, coarse, fine;
  // One strand in passive air; strands of a thousandth of a hair, which leave the air alone; and a thick bundle.
  RvResult result = blow(1, 0, &lone, error);
  if (!result) result = blow(1e-6, 0.01, &thin, error);
  if (!result) result = blow(100, 0.01, &coarse, error);
  if (!result) result = blow(100, 0.006, &fine, error);
  if (result) return result;
  rv_check_emit(out, "thin_as_alone", thin.middle, lone.middle, 1e-3 * lone.middle);
  rv_check_emit(out, "behind_over_lone", coarse.behind / lone.behind < 0.7, 1, 0);
  rv_check_emit(out, "middle_over_rim", coarse.middle / coarse.rim < 0.9, 1, 0);
  rv_check_emit(out, "behind_fine", coarse.behind, fine.behind, 0.15 * fine.behind);
  rv_check_emit(out, "rim_fine", coarse.rim, fine.rim, 0.15 * fine.rim);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- terminal speed

// A limp strand that lies level, carried down at a multiple of the speed at which drag bears its weight: its tip's way
// down relative to the root, over the length, after half a second.
static RvResult carry(double share, double dx, double* sag, RvError* error) {
  const double dt = 1.0 / 240, gravity = 9.81, wind = 0.7, drag = 6e-4;
  // hairs: so few that the air does not follow
  const TuftDef def = {.spacing = 0.02, .hairs = 1e-9, .youngs = 1, .drag = drag, .dx = dx};
  const double line = FIBRE * RV_PI * RADIUS * RADIUS, fall = wind + line * gravity / drag * share;
  Tuft t;
  RvResult result = tuft_new(&t, &def, error);
  RvContinuum* c = &t.c;
  size_t bases = result ? 0 : c->model->nbatch * RV_LANES;
  double *x = rv_alloc_zero(3 * bases + 1, sizeof *x), *v = rv_alloc_zero(3 * bases + 1, sizeof *v);
  if (!result && !(x && v)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  // strands run along -y: gravity and wind along x
  for (size_t k = 0; !result && k < bases; ++k) {
    size_t at = k / RV_LANES * 3 * RV_LANES + k % RV_LANES;
    v[at] = c->state->base_v[at] = fall;
  }
  if (!result) rv_chain_place(c->model, c->state);
  c->gravity[0] = gravity;
  c->loads.wind[0] = wind;
  c->base_x = x;
  c->base_v = v;
  for (int k = 0; k < 120 && !result; ++k) {
    memcpy(x, c->state->base_x, 3 * bases * sizeof *x);
    for (size_t i = 0; i < 3 * bases; ++i) x[i] += dt * v[i];
    result = rv_continuum_substep(c, dt, error);
  }
  if (!result)
    *sag = (c->state->x[rv_chain_vertex(&c->model->batches[0], 0, LINKS, 3, 0)] -
            c->state->x[rv_chain_vertex(&c->model->batches[0], 0, 0, 3, 0)]) /
           LENGTH;
  rv_free(x);
  rv_free(v);
  rv_continuum_free(c);
  return result;
}

RvResult rv_check_air_fall(const RvCheckOut* out, RvError* error) {
  static const char* const names[2][3] = {{"slower", "terminal", "faster"},
                                          {"slower_solved", "terminal_solved", "faster_solved"}};
  RvResult result = RV_OK;
  for (int k = 0; k < 2; ++k) {
    double sag[3] = {0};
    for (int i = 0; i < 3 && !result; ++i) result = carry(0.9 + 0.1 * i, k ? 0.02 : 0, &sag[i], error);
    if (result) return result;
    // A tenth of its terminal speed in still air, for half a second.
    const double line = FIBRE * RV_PI * RADIUS * RADIUS, way = 0.1 * line * 9.81 / 6e-4 * 0.5 / LENGTH;
    rv_check_emit(out, names[k][0], sag[0], way, 0.1 * way);
    rv_check_emit(out, names[k][1], sag[1], 0, k ? 1e-6 : 1e-9);
    rv_check_emit(out, names[k][2], sag[2], -way, 0.1 * way);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a swung head

// Hair that is carried sideways at 1 m/s for 0.3 s: speed of the air in its middle, and momentum over that of what it
// would be in still air at this drag.
static RvResult swing(double hairs, double dx, double* speed, RvError* error) {
  const double dt = 1.0 / 120, fast = 1;
  const TuftDef def = {.spacing = 0.005, .hairs = hairs, .youngs = 1e13, .drag = 3e-4, .dx = dx};
  Tuft t;
  RvResult result = tuft_new(&t, &def, error);
  RvContinuum* c = &t.c;
  size_t bases = result ? 0 : c->model->nbatch * RV_LANES;
  double *x = rv_alloc_zero(3 * bases + 1, sizeof *x), *v = rv_alloc_zero(3 * bases + 1, sizeof *v), air[3] = {0};
  if (!result && !(x && v)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; !result && k < bases; ++k) v[k / RV_LANES * 3 * RV_LANES + k % RV_LANES] = fast;
  c->base_x = x;
  c->base_v = v;
  for (int k = 0; k < 36 && !result; ++k) {
    memcpy(x, c->state->base_x, 3 * bases * sizeof *x);
    for (size_t i = 0; i < 3 * bases; ++i) x[i] += dt * v[i];
    result = rv_continuum_substep(c, dt, error);
  }
  const double middle[3] = {36 * dt * fast, -0.5 * LENGTH, 0};
  if (!result) rv_air_at(&c->air, middle, air);
  *speed = air[0] / fast;
  rv_free(x);
  rv_free(v);
  rv_continuum_free(c);
  return result;
}

RvResult rv_check_air_swing(const RvCheckOut* out, RvError* error) {
  double none = 0, some = 0, many = 0, fine = 0;
  RvResult result = swing(0.01, 0.01, &none, error);
  if (!result) result = swing(1, 0.01, &some, error);
  if (!result) result = swing(100, 0.01, &many, error);
  if (!result) result = swing(100, 0.006, &fine, error);
  if (result) return result;
  rv_check_emit(out, "one_hundredth", none < 0.02 && none > 0, 1, 0);
  rv_check_emit(out, "more_hair_more_air", some > none && many > some, 1, 0);
  rv_check_emit(out, "thick_hair_carries", many, 1, 0.1);
  rv_check_emit(out, "fine", fine, many, 0.1);
  return RV_OK;
}
