// Checks of pores: forces of wet hair, and the ledger of the liquid that it takes up and gives back (AH-17 to AH-23).
#include <math.h>

#include "check/check.h"
#include "math/scalar.h"
#include "rig/lookdev_pore.h"

static const double FRAME = 1.0 / 30;  // s
enum { SIDE = 6, POINTS = 19 };
#define APART 0.004    // m, of the strands
#define LENGTH 0.09    // m
#define SPACING 0.005  // m, of the liquid
#define HAIRS 70.0     // that a strand stands for

// What a bundle of strands feels in one substep.
typedef struct Feels {
  double largest;       // force on a point, N
  double sum, parts;    // of all forces: length of their sum, and sum of their lengths
  double upper, lower;  // sums of lengths over the half at the roots and that at the tips
  double dry;           // largest on strands that hold nothing
  double inward;        // sum of the components towards the axis of the bundle
} Feels;

typedef struct Wet {
  double held;  // m3 a pore
  double porosity;
  bool half;  // only the strands of the first rows are wet
  bool under_water;
  int finer;   // edges in place of one
  bool alone;  // a single strand
} Wet;

static Feels sum_forces(const RvPoreRig* rig, size_t wet_points) {
  Feels f = {0};
  RvVec3 sum = rv_vec3(0, 0, 0);
  for (size_t i = 0; i < rig->nstrand * rig->points; ++i) {
    RvVec3 force = rv_vec3_load64(rig->force + 3 * i);
    double size = rv_length(force);
    sum = rv_add(sum, force);
    f.parts += size;
    f.largest = rv_max(f.largest, size);
    RvVec3 x = rv_vec3_load64(rig->x + 3 * i);
    RvVec3 axis = rv_normalize(rv_vec3(-x.x, 0, -x.z), rv_vec3(0, 0, 0));
    f.inward += rv_dot(force, axis);
    if (i % rig->points < rig->points / 2)
      f.upper += size;
    else
      f.lower += size;
    if (i >= wet_points) f.dry = rv_max(f.dry, size);
  }
  f.sum = rv_length(sum);
  return f;
}

// One substep of a bundle, with or without liquid all around. Adhesion is off: it has a check of its own.
static RvResult feel(const Wet* wet, Feels* out, RvError* error) {
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(SPACING);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  model.adhesion = 0;
  model.uptake = 0;
  model.porosity = wet->porosity;
  const int points = (POINTS - 1) * wet->finer + 1;
  RvResult result = rv_rig_pore_new(&rig, &liquid, &model, wet->alone ? 1 : SIDE, APART, points, LENGTH, HAIRS, error);
  if (result) return result;
  size_t wet_pores = wet->half ? rig.pores.count / 2 : rig.pores.count;
  for (size_t k = 0; k < wet_pores; ++k) rig.pores.held[k] = wet->held / wet->finer;
  const double low[3] = {-0.035, -LENGTH - 0.02, -0.035};
  const double high[3] = {0.035, 0.02, 0.035};
  if (wet->under_water) result = rv_rig_lookdev_liquid_fill(&rig.bulk, low, high, 0.2, error);
  if (!result) result = rv_rig_pore_frame(&rig, FRAME / 5, 1, error);
  if (!result) *out = sum_forces(&rig, wet->half ? rig.nstrand * rig.points / 2 : rig.nstrand * rig.points);
  rv_rig_pore_free(&rig);
  return result;
}

// What liquid and hair gain by adhesion in one substep.
typedef struct Adhesion {
  double pull;  // N s that the liquid gains towards the hair, negative
  double sum;   // of both, over what the liquid gains
  double told;  // what the report says that the hair did not feel, the same
} Adhesion;

// Adhesion of one substep, with the reaction on hair limited to some weights of it; `finer` edges in place of one.
static RvResult adhere(double most_reaction, int finer, Adhesion* out, RvError* error) {
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(SPACING);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  model.uptake = 0;
  model.most_reaction = most_reaction;
  RvResult result = rv_rig_pore_new(&rig, &liquid, &model, SIDE, APART, (POINTS - 1) * finer + 1, LENGTH, HAIRS, error);
  if (result) return result;
  // A small block beside the hair, far enough apart for no pressure; only gravity besides.
  const double low[3] = {0.011, -0.06, -0.01};
  const double high[3] = {0.021, -0.03, 0.01};
  double dt = FRAME / 5;
  result = rv_rig_lookdev_liquid_fill(&rig.bulk, low, high, 0, error);
  rig.bulk.liquid.model.tension = 0;
  if (!result) result = rv_rig_pore_frame(&rig, dt, 1, error);
  if (!result) {
    double mass = liquid.density * SPACING * SPACING * SPACING;
    RvVec3 momentum = rv_vec3(0, 0, 0);
    for (size_t i = 0; i < rig.bulk.particles.count; ++i)
      for (int a = 0; a < 3; ++a) {
        double v = (double)rig.bulk.particles.v[a][i] - dt * liquid.gravity[a];
        (a == 0 ? &momentum.x : a == 1 ? &momentum.y : &momentum.z)[0] += mass * v;
      }
    RvVec3 impulse = rv_vec3(0, 0, 0);
    for (size_t i = 0; i < rig.nstrand * rig.points; ++i)
      impulse = rv_mad(impulse, dt, rv_vec3_load64(rig.force + 3 * i));
    *out = (Adhesion){.pull = momentum.x,
                      .sum = rv_length(rv_add(momentum, impulse)) / rv_length(momentum),
                      .told = rig.pores.unfelt / rv_length(momentum)};
  }
  rv_rig_pore_free(&rig);
  return result;
}

RvResult rv_check_lookdev_clump(const RvCheckOut* out, RvError* error) {
  const double held = 2e-9;
  Feels wet;
  Feels dry;
  Feels under;
  Feels half;
  Feels porous;
  Feels crowded;
  Feels alone;
  Adhesion whole = {0};
  Adhesion fine = {0};
  Adhesion capped = {0};
  RvResult result = feel(&(Wet){held, 0.25, false, false, 1, false}, &wet, error);
  if (!result) result = feel(&(Wet){0, 0.25, false, false, 1, false}, &dry, error);
  if (!result) result = feel(&(Wet){held, 0.25, false, true, 1, false}, &under, error);
  if (!result) result = feel(&(Wet){held, 0.25, true, false, 1, false}, &half, error);
  if (!result) result = feel(&(Wet){held, 0.5, false, false, 1, false}, &porous, error);
  if (!result) result = feel(&(Wet){held, 0.25, false, false, 8, false}, &crowded, error);
  if (!result) result = feel(&(Wet){held, 0.25, false, false, 8, true}, &alone, error);
  if (!result) result = adhere(1e9, 1, &whole, error);
  if (!result) result = adhere(1e9, 8, &fine, error);
  if (!result) result = adhere(5, 1, &capped, error);
  if (result) return result;
  rv_check_emit(out, "wet", wet.largest > 0, 1, 0);
  rv_check_emit(out, "dry", dry.largest, 0, 0);
  rv_check_emit(out, "under_water", under.largest, 0, 0);
  rv_check_emit(out, "wet_half", half.largest > 0, 1, 0);
  rv_check_emit(out, "dry_half", half.dry, 0, 0);
  rv_check_emit(out, "pairs", wet.sum / wet.parts, 0, 1e-6);
  rv_check_emit(out, "one_strand", alone.largest, 0, 0);
  rv_check_emit(out, "crowded_pairs", crowded.sum / crowded.parts, 0, 1e-6);
  rv_check_emit(out, "crowded", crowded.inward / wet.inward, 1, 0.1);
  rv_check_emit(out, "porosity", porous.parts / wet.parts, 0.5, 1e-5);
  rv_check_emit(out, "tips_stronger", wet.lower > wet.upper, 1, 0);
  rv_check_emit(out, "adhesion_pulls", whole.pull < 0, 1, 0);
  rv_check_emit(out, "adhesion_pairs", whole.sum, 0, 1e-5);
  rv_check_emit(out, "crowded_adhesion", fine.pull / whole.pull, 1, 0.1);
  rv_check_emit(out, "crowded_adhesion_pairs", fine.sum, 0, 1e-5);
  rv_check_emit(out, "adhesion_whole_untold", whole.told, 0, 0);
  rv_check_emit(out, "adhesion_limit_acts", capped.sum > 0.1, 1, 0);
  rv_check_emit(out, "adhesion_beyond_what_is_told", rv_max(capped.sum - capped.told, 0), 0, 1e-6);
  rv_check_emit(out, "adhesion_limit_told", capped.told / capped.sum, 1, 0.3);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- ledger

typedef struct Shower {
  double drift;               // largest relative change of the total
  double held, largest_held;  // m3 at the end, and the most
  double dripped, dried;      // m3
  double wetness;             // mean over the points, at its largest
  double end_wetness;         // largest over the points at the end
  double hold_far;            // largest hold of particles far below the hair
} Shower;

// A block of liquid falls through a bundle, drips and dries; `spacing` of the liquid, `points` of a strand.
static RvResult pour(double spacing, int points, int substeps, int frames, double drying, Shower* out, RvError* error) {
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(spacing);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  model.drying = drying;
  RvResult result = rv_rig_pore_new(&rig, &liquid, &model, SIDE, APART, points, LENGTH, HAIRS, error);
  if (result) return result;
  const double low[3] = {-0.02, 0.01, -0.02};
  const double high[3] = {0.02, 0.05, 0.02};
  result = rv_rig_lookdev_liquid_fill(&rig.bulk, low, high, 0.1, error);
  double total = rv_rig_pore_total(&rig);
  *out = (Shower){0};
  for (int f = 0; f < frames && !result; ++f) {
    result = rv_rig_pore_frame(&rig, FRAME, substeps, error);
    double wetness = 0;
    out->end_wetness = 0;
    for (size_t i = 0; i < rig.pores.points; ++i) {
      wetness += (double)rig.pores.wetness[i] / (double)rig.pores.points;
      out->end_wetness = rv_max(out->end_wetness, (double)rig.pores.wetness[i]);
    }
    out->wetness = rv_max(out->wetness, wetness);
    out->held = rv_pores_volume(&rig.pores);
    out->largest_held = rv_max(out->largest_held, out->held);
    out->drift = rv_max(out->drift, fabs(rv_rig_pore_total(&rig) / total - 1));
  }
  for (size_t i = 0; i < rig.bulk.particles.count && !result; ++i)
    if (rv_rig_lookdev_liquid_at(&rig.bulk, i).y < -LENGTH - 2 * liquid.support)
      out->hold_far = rv_max(out->hold_far, (double)rig.bulk.particles.c[RV_LOOKDEV_HOLD][i]);
  out->dripped = rig.pores.dripped;
  out->dried = rig.pores.evaporated;
  rv_rig_pore_free(&rig);
  return result;
}

RvResult rv_check_lookdev_ledger(const RvCheckOut* out, RvError* error) {
  Shower wet;
  Shower short_steps;
  Shower fine;
  Shower dried;
  Shower crowded;
  RvResult result = pour(SPACING, POINTS, 5, 60, 1e-6, &wet, error);
  if (!result) result = pour(SPACING, POINTS, 10, 60, 1e-6, &short_steps, error);
  if (!result) result = pour(0.7 * SPACING, POINTS, 10, 60, 1e-6, &fine, error);
  if (!result) result = pour(SPACING, POINTS, 5, 60, 3e-4, &dried, error);
  if (!result) result = pour(SPACING, 5 * POINTS, 5, 20, 1e-6, &crowded, error);
  if (result) return result;
  rv_check_emit(out, "crowded_drift", crowded.drift, 0, 1e-12);
  rv_check_emit(out, "crowded_held", crowded.largest_held > 0, 1, 0);
  rv_check_emit(out, "drift", rv_max(wet.drift, short_steps.drift), 0, 1e-12);
  rv_check_emit(out, "fine_drift", fine.drift, 0, 1e-12);
  rv_check_emit(out, "drying_drift", dried.drift, 0, 1e-12);
  rv_check_emit(out, "taken_up", wet.largest_held > 0, 1, 0);
  rv_check_emit(out, "dripped", wet.dripped > 0, 1, 0);
  rv_check_emit(out, "dried", dried.dried > 0, 1, 0);
  rv_check_emit(out, "dry_at_the_end", dried.end_wetness, 0, 0);
  rv_check_emit(out, "hold_ends", wet.hold_far, 0, 0);
  rv_check_emit(out, "held_substeps", short_steps.largest_held / wet.largest_held, 1, 0.1);
  rv_check_emit(out, "held_spacing", fine.largest_held / wet.largest_held, 1, 0.2);
  return RV_OK;
}
