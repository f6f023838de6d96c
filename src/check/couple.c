// Checks of strands in liquid on a grid: drag law, terminal velocity, seepage, submerged film, submersion, fibre share
// (WH-18, WH-38 to WH-42).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/check.h"
#include "math/scalar.h"
#include "rig/couple.h"
#include "rig/liquid.h"

static const double G = 9.81;             // m/s2
static const double HAIR_DENSITY = 1300;  // kg/m3

//---------------------------------------------------------------------------------------------- the law

// Against the table of spec 8.3: fibre share, coefficient along, across.
RvResult rv_check_drag_law(const RvCheckOut* out, RvError* error) {
  static const double table[][3] = {{0.001, 2.313, 4.625}, {0.01, 3.990, 7.981},  {0.05, 7.764, 15.554},
                                    {0.1, 12.301, 24.812}, {0.2, 24.475, 50.763}, {0.3, 44.408, 90.270},
                                    {0.4, 78.397, 115.583}};
  double worst = 0, along, across, at_limit[2], beyond_limit[2];
  (void)error;
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    rv_couple_drag_law(table[i][0], &along, &across);
    worst = fmax(worst, fmax(fabs(along - table[i][1]), fabs(across - table[i][2])));
  }
  rv_check_emit(out, "table", worst, 0, 6e-4);
  // Limits: a single thin fibre, and the constant above a share of 0.4.
  rv_couple_drag_law(1e-6, &along, &across);
  rv_check_emit(out, "thin_ratio", across / along, 2, 1e-3);
  rv_couple_drag_law(0.4, &at_limit[0], &at_limit[1]);
  rv_couple_drag_law(0.9, &beyond_limit[0], &beyond_limit[1]);
  rv_check_emit(out, "clamped", fabs(at_limit[0] - beyond_limit[0]) + fabs(at_limit[1] - beyond_limit[1]), 0, 0);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a strand falls

// Liquid below a height.
static double box_of_liquid(const void* user, const double x[3]) {
  return x[1] - *(const double*)user;
}

typedef struct Fall {
  double speed;    // mean over the vertices, upwards, m/s
  double balance;  // drag by the law at the sampled velocities, over weight less buoyancy
} Fall;

// Drag of the whole strand by the law (spec 1.2.10): viscous term and Ergun's inertial term, 1.75 / sqrt(150), at the
// sampled fibre share and relative velocity.
static double drag_by_law(const RvCoupleRig* rig, int n, bool vertical, double length, double radius) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    size_t v = rv_rig_couple_vertex(rig, 0, i), u = rv_rig_couple_unknown(rig, 0, i, 1);
    double phi = rig->sample->share[v];
    double along, across;
    double slip = rig->sample->velocity[u] - rig->state->v[u];
    rv_couple_drag_law(phi, &along, &across);
    double d = vertical ? along : across;
    double porosity = 1 - phi;
    double segment = length / (n - 1) * (i == 0 || i == n - 1 ? 0.5 : 1);
    sum += segment * slip *
           (porosity * porosity * rig->set.viscosity * d +
            1.75 / sqrt(150) * rig->set.density * radius * sqrt(d) * porosity * porosity * porosity * fabs(slip));
  }
  return sum;
}

// A free strand of that density in liquid of 20 times water's viscosity, 20 ms: long enough for a constant speed.
static RvResult fall(double density, bool vertical, Fall* f, RvError* error) {
  const double dx = 0.005, top = 0.113, radius = 1e-4, length = 0.04;
  const int lo[3] = {0, 0, 0}, hi[3] = {2, 3, 2}, n = 21;
  RvCoupleLine line = {
      .from = {0.0412, 0.05, 0.0407},
      .to = {0.0412, 0.05, 0.0407},
      .radius = radius,
      .density = density,
  };
  line.from[vertical ? 1 : 0] -= length / 2;
  line.to[vertical ? 1 : 0] += length / 2;
  RvCoupleRig rig;
  RvResult result = rv_rig_couple_new(&rig, &line, 1, n, 1, error);
  if (result) return result;
  rig.set.viscosity = 0.02;
  result = rv_rig_couple_tank(&rig, lo, hi, dx, box_of_liquid, &top, error);
  for (int i = 0; i < 40 && !result; ++i) result = rv_rig_couple_substep(&rig, 5e-4, error);
  if (!result) {
    double weight = (density - 1000) * RV_PI * radius * radius * length * G;
    f->speed = 0;
    for (int i = 0; i < n; ++i) f->speed += rig.state->v[rv_rig_couple_unknown(&rig, 0, i, 1)] / n;
    f->balance = weight != 0 ? drag_by_law(&rig, n, vertical, length, radius) / weight : 0;
  }
  rv_rig_couple_free(&rig);
  return result;
}

// Heavy strands across and along their fall, a light one and a neutral one (WH-38, WH-42).
RvResult rv_check_terminal(const RvCheckOut* out, RvError* error) {
  Fall heavy, along, light, even;
  RvResult result = fall(4000, false, &heavy, error);
  if (!result) result = fall(4000, true, &along, error);
  if (!result) result = fall(250, false, &light, error);
  if (!result) result = fall(1000, false, &even, error);
  if (result) return result;
  // 3%: the liquid around the strand still accelerates.
  rv_check_emit(out, "across", heavy.balance, 1, 0.03);
  rv_check_emit(out, "along", along.balance, 1, 0.03);
  rv_check_emit(out, "rising", light.balance, 1, 0.03);
  rv_check_emit(out, "sinks", heavy.speed < 0, 1, 0);
  rv_check_emit(out, "floats", light.speed > 0, 1, 0);
  rv_check_emit(out, "hovers", even.speed / heavy.speed, 0, 1e-3);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- seepage

// A slug of liquid in a channel between two heights, with air above and below.
static double slug(const void* user, const double x[3]) {
  const double* h = user;
  return fmax(h[0] - x[1], x[1] - h[1]);
}

// Force of the liquid on the bed along y: drag and pressure.
static double load_of(const RvCoupleRig* rig) {
  double sum = 0;
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = 0; lane < rig->model->batches[b].lanes; ++lane)
      for (int i = 0; i < rig->model->batches[b].vertices; ++i) {
        size_t at = rv_strand_index(&rig->model->batches[b], lane, i, 1);
        sum += rig->sample->drag[at] * rig->sample->drag_velocity[at] + rig->force[at] + rig->stored[at];
      }
  return sum;
}

// Seepage through a fixed bed of level strands for 80 steps. Gives the flux over Darcy's, and the bed's load over the
// weight of the liquid.
static RvResult seep(double dt, double* ratio, double* load, RvError* error) {
  enum { WIDE = 16, HIGH = 64 };
  const double dx = 0.004;
  const double gap = dx / 2;
  const double phi = 0.1;
  const double radius = gap * sqrt(phi / RV_PI);
  const double ends[2] = {8.3 * dx, 56.6 * dx};
  const double bed = 16 * dx;
  const double viscosity = 1;
  const int lo[3] = {0, 0, 0}, hi[3] = {1, 8, 1};
  // The bed: a square lattice of strands across the channel.
  RvCoupleLine* lines = rv_alloc_zero(WIDE * HIGH, sizeof *lines);
  RvCoupleRig rig;
  if (!lines) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int j = 0; j < HIGH; ++j)
    for (int k = 0; k < WIDE; ++k)
      lines[j * WIDE + k] = (RvCoupleLine){.from = {0, bed + (j + 0.5) * gap, (k + 0.5) * gap},
                                           .to = {8 * dx, bed + (j + 0.5) * gap, (k + 0.5) * gap},
                                           .radius = radius,
                                           .density = HAIR_DENSITY};
  RvResult result = rv_rig_couple_new(&rig, lines, WIDE * HIGH, 4, 1, error);
  rv_free(lines);
  if (result) return result;
  rig.fixed = true;
  rig.set.viscosity = viscosity;
  result = rv_rig_couple_tank(&rig, lo, hi, dx, slug, ends, error);
  for (int i = 0; i < 80 && !result; ++i) result = rv_rig_couple_substep(&rig, dt, error);
  if (!result) {
    // Flux through the middle of a plane of the bed; beside the walls the kernel reaches beyond the strands and the
    // share falls.
    const RvLiquidGrid* g = &rig.tank.grid;
    double flow = 0, along, across;
    for (int k = 0; k < 16; ++k) {
      int64_t at = rv_tiles_locate(&g->tiles, 2 + (k & 3), 32, 2 + (k >> 2));
      flow += (double)g->share[1].data[at] * (double)g->velocity[1].data[at] / 16;
    }
    rv_couple_drag_law(phi, &along, &across);
    double expected = -1000 * G * (ends[1] - ends[0]) / (viscosity * across * HIGH * gap / (gap * gap));
    *ratio = flow / expected;
    *load = load_of(&rig) / (-1000 * G * 64 * dx * dx * (ends[1] - ends[0] - phi * HIGH * gap));
  }
  rv_rig_couple_free(&rig);
  return result;
}

// Steps of 1.4 to 22 times the time constant of the drag.
RvResult rv_check_seepage(const RvCheckOut* out, RvError* error) {
  static const double steps[] = {0.25e-3, 1e-3, 4e-3};
  static const char* const names[] = {"quarter_ms", "one_ms", "four_ms"};
  static const char* const loads[] = {"load_quarter_ms", "load_one_ms", "load_four_ms"};
  for (int i = 0; i < 3; ++i) {
    double ratio, load;
    RvResult result = seep(steps[i], &ratio, &load, error);
    if (result) return result;
    // The ends of the bed, where the share falls over a cell, are 1.2%; surfaces cut cells.
    rv_check_emit(out, names[i], ratio, 1, 0.03);
    rv_check_emit(out, loads[i], load, 1, 0.03);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the film under water

// Film of 40 times the hair's volume on a fixed vertical strand under water, moving at 0.1 m/s (WH-41).
RvResult rv_check_submerged(const RvCheckOut* out, RvError* error) {
  const double dx = 0.005, top = 0.113, dt = 1e-3;
  const int lo[3] = {0, 0, 0}, hi[3] = {2, 3, 2}, n = 12;
  const RvCoupleLine line = {
      .from = {0.0412, 0.09, 0.0407},
      .to = {0.0412, 0.03, 0.0407},
      .radius = 5e-5,
      .density = HAIR_DENSITY,
  };
  RvCoupleRig rig;
  RvResult result = rv_rig_couple_new(&rig, &line, 1, n, 1, error);
  if (result) return result;
  rig.fixed = true;
  // Film of 40 times the hair's cross-section.
  rv_rig_couple_set_film(&rig, 40 * RV_PI * 5e-5 * 5e-5);
  result = rv_rig_couple_tank(&rig, lo, hi, dx, box_of_liquid, &top, error);
  double worst = 0, start = 0.1, first = 0;
  for (size_t e = 0; e < rig.model->edges; e += RV_LANES) rig.film_state.speed[e] = start;
  for (int i = 0; i < 50 && !result; ++i) {
    result = rv_rig_couple_substep(&rig, dt, error);
    worst = 0;
    for (size_t e = 0; e < rig.model->edges; e += RV_LANES) {
      worst = fmax(worst, fabs(rig.film_state.speed[e]));
      // Gravity along the strand for the film that moves with it, as in the film's own step (E51).
      rig.film_state.speed[e] += G * dt * rig.sample->wet[rv_rig_couple_vertex(&rig, 0, 1)];
    }
    if (i == 0) first = worst;
  }
  // Water of 20 times the film's mass takes it up; afterwards the pressure holds it, to its tolerance.
  rv_check_emit(out, "stopped_at_once", first / start, 0, 0.05);
  rv_check_emit(out, "speed", worst / (50 * G * dt), 0, 1e-3);
  // The whole strand is submerged.
  double under = 0;
  for (int i = 0; i < n && !result; ++i) under = fmax(under, rig.sample->wet[rv_rig_couple_vertex(&rig, 0, i)]);
  rv_check_emit(out, "under_water", under, 0, 0);
  rv_rig_couple_free(&rig);
  return result;
}

// w_FF (WH-18) along a strand that emerges from the liquid.
RvResult rv_check_submersion(const RvCheckOut* out, RvError* error) {
  const double dx = 0.004, top = 0.0553;
  const int lo[3] = {0, 0, 0}, hi[3] = {1, 3, 1}, n = 97;
  const RvCoupleLine line = {
      .from = {0.015, 0.09, 0.0157},
      .to = {0.0153, 0.02, 0.016},
      .radius = 5e-5,
      .density = HAIR_DENSITY,
  };
  RvCoupleRig rig;
  RvResult result = rv_rig_couple_new(&rig, &line, 1, n, 1, error);
  if (result) return result;
  result = rv_rig_couple_tank(&rig, lo, hi, dx, box_of_liquid, &top, error);
  if (!result)
    result = rv_couple_sample(rig.couple, &rig.strands, &rig.set, &rig.tank.grid, 1e-3, NULL, &rig.sample, error);
  // From the tip in air down: w_FF may not rise nor jump, and there is no drag where it is 1.
  double largest_rise = 0, largest_step = 0, drag_in_air = 0;
  for (int i = 0; i + 1 < n && !result; ++i) {
    double a = rig.sample->wet[rv_rig_couple_vertex(&rig, 0, i)],
           b = rig.sample->wet[rv_rig_couple_vertex(&rig, 0, i + 1)];
    largest_rise = fmax(largest_rise, b - a);
    largest_step = fmax(largest_step, fabs(b - a));
    if (a == 1) drag_in_air = fmax(drag_in_air, rig.sample->drag[rv_rig_couple_unknown(&rig, 0, i, 0)]);
  }
  if (!result) {
    rv_check_emit(out, "in_air", rig.sample->wet[rv_rig_couple_vertex(&rig, 0, 0)], 1, 0);
    rv_check_emit(out, "under_water", rig.sample->wet[rv_rig_couple_vertex(&rig, 0, n - 1)], 0, 0);
    rv_check_emit(out, "rises_downwards", largest_rise, 0, 1e-12);
    // The steepest slope is 1.5 over the transition of about a cell, 4 mm; vertices are 0.73 mm apart.
    rv_check_emit(out, "largest_step", largest_step, 0, 0.35);
    rv_check_emit(out, "drag_in_air", drag_in_air, 0, 0);
  }
  rv_rig_couple_free(&rig);
  return result;
}

// Fibre share (WH-39) in a hexagonal array of vertical strands at distance `gap` of each other.
RvResult rv_check_fibre_share(const RvCheckOut* out, RvError* error) {
  enum { SIDE = 40 };
  const double dx = 0.004, top = 0.09, gap = 0.0008, radius = 1e-4;
  const int lo[3] = {0, 0, 0}, hi[3] = {1, 3, 1};
  // The array; its middle strand is far from the tank's walls.
  RvCoupleLine* lines = rv_alloc_zero(SIDE * SIDE, sizeof *lines);
  RvCoupleRig rig;
  size_t count = 0, central_strand = 0;
  if (!lines) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int j = 0; j < SIDE; ++j)
    for (int i = 0; i < SIDE; ++i) {
      double x = (i + 0.5 * (j & 1)) * gap, z = j * gap * sqrt(0.75);
      if (fabs(x - 0.016) + fabs(z - 0.016) < 0.0008) central_strand = count;
      lines[count++] =
          (RvCoupleLine){.from = {x, 0.005, z}, .to = {x, 0.08, z}, .radius = radius, .density = HAIR_DENSITY};
    }
  RvResult result = rv_rig_couple_new(&rig, lines, count, 9, 1, error);
  rv_free(lines);
  if (result) return result;
  result = rv_rig_couple_tank(&rig, lo, hi, dx, box_of_liquid, &top, error);
  if (!result)
    result = rv_couple_sample(rig.couple, &rig.strands, &rig.set, &rig.tank.grid, 1e-3, NULL, &rig.sample, error);
  if (!result)
    rv_check_emit(out, "hexagonal",
                  rig.sample->share[rv_rig_couple_vertex(&rig, central_strand, 4)] /
                      (RV_PI * radius * radius / (sqrt(0.75) * gap * gap)),
                  1, 0.02);
  rv_rig_couple_free(&rig);
  return result;
}
