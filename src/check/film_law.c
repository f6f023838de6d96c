// Check film_law: films that yield, thin or thicken flow along their fibre as their law says (SD-7, SD-9, SD-11; E55).
#include <math.h>

#include "check/list.h"
#include "film/flow_law.h"
#include "node/presets.h"
#include "rig/film.h"

static const double GRAVITY = 9.81;  // m/s2
static const double RADIUS = 5e-5;   // of the hair, m
static const double LENGTH = 0.04;   // of the strand, m
enum { N = 41, MIDDLE = 20 };        // vertices; the edge that is measured
enum { LAYERS = 20000 };             // of the quadrature: 1e-7 of the speed
static const double RESTS = 1e-9;    // m/s: a film that rests is slower, 30 micrometres in an hour

// Exact mean speed (m/s) under a force G (Pa/m): the layers' rates, each moving what is above it, by the midpoint rule.
static double exact(const RvFilmLiquid* l, double h, double slip, double force) {
  double outer = RADIUS + h, square = outer * outer, sum = 0;
  double wall = 0.5 * force * (square - RADIUS * RADIUS) / RADIUS;
  for (int k = 0; k < LAYERS; ++k) {
    double s = RADIUS + h * (k + 0.5) / LAYERS;
    double excess = 0.5 * force * (square - s * s) / s - l->yield;
    if (excess > 0) sum += pow(excess / l->consistency, 1 / l->index) * (square - s * s) * h / LAYERS;
  }
  double slips = wall > l->yield ? slip * pow((wall - l->yield) / l->consistency, 1 / l->index) : 0;
  return sum / (square - RADIUS * RADIUS) + slips;
}

typedef struct Case {
  double height, slip, dt;
  int steps;
  double lean;  // m/s2 of the strand along itself, which the film feels in the place of gravity; 0: gravity
} Case;

// Speed of a uniform film after some steps; what flows off is replaced.
static RvResult run(const RvFilmLiquid* liquid, const Case* c, double* speed, RvError* error) {
  RvFilmFlow flow;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 1, LENGTH, RADIUS, error);
  if (result) return result;
  rv_film_flow_make(&flow, liquid->index);
  r.model.liquid = *liquid;
  r.model.liquid.flow = &flow;
  r.def.settings.viscous = true;
  r.def.settings.slip = c->slip;
  r.def.dt = c->dt;
  r.def.gravity[0] = c->lean != 0 ? 0 : GRAVITY;
  for (int k = 0; k < c->steps && !result; ++k) {
    for (int i = 0; i < N; ++i) rv_rig_film_set_height(&r, i, c->height);
    rv_rig_film_save_before(&r);
    for (int i = 0; i < N; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) rv_rig_film_v(&r, i, lane)[0] -= c->lean * c->dt;
    result = rv_rig_film_step(&r, error);
  }
  *speed = rv_rig_film_speed(&r, MIDDLE);
  rv_rig_film_free(&r);
  return result;
}

static RvFilmLiquid of_preset(const char* token) {
  const RvLiquidPreset* p = rv_liquid_preset_find(token);
  return (RvFilmLiquid){
      .density = p->density, .consistency = p->consistency, .index = p->flowindex, .yield = p->yieldstress};
}

// Terminal speeds of liquids from thick to thin, without and with slip.
static RvResult flows(const RvCheckOut* out, RvError* error) {
  static const double yields[] = {1, 2, 0, 0, 5}, consistencies[] = {0.5, 0.5, 0.02, 2, 5};
  static const double indices[] = {1, 1, 0.4, 1.6, 0.3}, heights[] = {2e-4, 2e-4, 3e-5, 5e-4, 5e-4};
  double worst = 0, speed, first[2] = {0};
  RvResult result = RV_OK;
  for (int k = 0; k < 20 && !result; ++k) {
    int i = k % 5;
    RvFilmLiquid l = {.density = 1000, .consistency = consistencies[i], .index = indices[i], .yield = yields[i]};
    Case c = {.height = heights[i], .slip = k / 10 ? 1e-5 : 0, .dt = k / 5 % 2 ? 4e-3 : 5e-4, .steps = 400};
    result = run(&l, &c, &speed, error);
    worst = fmax(worst, fabs(speed / exact(&l, c.height, c.slip, l.density * GRAVITY) - 1));
    if (k < 2) first[k] = speed;
  }
  if (result) return result;
  rv_check_emit(out, "yield_1", first[0] / 3.489e-4, 1, 0.002);
  rv_check_emit(out, "yield_2", first[1] / 1.897e-4, 1, 0.002);
  rv_check_emit(out, "terminal", worst, 0, 0.003);
  return result;
}

// Thickest film that rests, by bisection, um: h (1 + h / 2 r) = yield / (density g). Through the step one a little
// thinner rests.
static RvResult thickest(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char *token, *line;
    double height;
  } rows[] = {{"paint", "rests_paint", 41.9},
              {"mud", "rests_mud", 53.0},
              {"oystersauce", "rests_oystersauce", 74.2},
              {"chocolate", "rests_chocolate", 384}};
  RvResult result = RV_OK;
  double fastest = 0;
  for (int k = 0; k < 4 && !result; ++k) {
    RvFilmFlow flow;
    RvFilmLiquid l = of_preset(rows[k].token);
    rv_film_flow_make(&flow, l.index);
    l.flow = &flow;
    double low = 0.1 * rows[k].height, high = 10 * rows[k].height, speed;
    for (int i = 0; i < 20; ++i) {
      double mid = 0.5 * (low + high);
      if (rv_film_flow_speed(&l, 1e-6 * mid, RADIUS, 0, l.density * GRAVITY) > 0)
        high = mid;
      else
        low = mid;
    }
    rv_check_emit(out, rows[k].line, low / rows[k].height, 1, 0.02);
    Case c = {.height = 0.98e-6 * low, .dt = 4e-3, .steps = 60};
    result = run(&l, &c, &speed, error);
    fastest = fmax(fastest, fabs(speed));
  }
  if (!result) rv_check_emit(out, "rests_in_steps", fastest, 0, RESTS);
  return result;
}

// A strand that accelerates along itself throws film off only above yield / (density arm), however thick the liquid:
// the film feels the motion of its strand within the step.
static RvResult thrown(const RvCheckOut* out, RvError* error) {
  RvFilmLiquid l = of_preset("cream");
  const double h = 1e-4, onset = l.yield / (l.density * rv_film_flow_arm(h, RADIUS));
  double below, above;
  Case c = {.height = h, .dt = 1e-3, .steps = 30, .lean = 0.98 * onset};
  const double gained = c.lean * c.dt;  // m/s in a step, of which a film that rests keeps 1e-9
  RvResult result = run(&l, &c, &below, error);
  c.lean = 1.2 * onset;
  if (!result) result = run(&l, &c, &above, error);
  if (result) return result;
  rv_check_emit(out, "onset_below", fabs(below) < 1e-8 * gained, 1, 0);
  rv_check_emit(out, "onset_above", above / exact(&l, h, 0, l.density * c.lean), 1, 0.003);
  return result;
}

// Free hair with films that stop and go: the impulses that the law adds conserve momentum.
static RvResult momentum(const RvCheckOut* out, RvError* error) {
  enum { STEPS = 40 };
  RvFilmFlow flow;
  RvFilmRig r;
  RvResult result = rv_rig_film_new(&r, N, 2, LENGTH, RADIUS, error);
  if (result) return result;
  rv_film_flow_make(&flow, 0.5);
  r.model.liquid = (RvFilmLiquid){.density = 1000, .consistency = 0.02, .index = 0.5, .yield = 0.4, .tension = 0.03};
  r.model.liquid.flow = &flow;
  r.def.settings.viscous = true;
  r.def.settings.most_substeps = 32;
  r.def.dt = 2e-3;
  rv_rig_film_put_drop(&r, 0.02, 0.01, 3e-4);
  for (int j = 0; j + 1 < N; ++j) rv_rig_film_set_speed(&r, j, 0.3);
  double start[3], end[3], scale, stopped;
  rv_rig_film_momentum(&r, start);
  scale = fabs(start[0]);
  for (int k = 0; k < STEPS && !result; ++k) result = rv_rig_film_free_step(&r, 0, error);
  rv_rig_film_momentum(&r, end);
  stopped = fabs(rv_rig_film_speed(&r, MIDDLE));
  double off = 0;
  for (int c = 0; c < 3; ++c) off = fmax(off, fabs(end[c] - start[c]));
  rv_rig_film_free(&r);
  if (result) return result;
  rv_check_emit(out, "momentum", off / scale, 0, 1e-11);
  rv_check_emit(out, "stops", stopped < 0.03, 1, 0);
  return result;
}

RvResult rv_check_film_law(const RvCheckOut* out, RvError* error) {
  RvResult result = flows(out, error);
  if (!result) result = thickest(out, error);
  if (!result) result = thrown(out, error);
  return result ? result : momentum(out, error);
}
