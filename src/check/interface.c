// Checks of the interface solver as the node that ships: a cube becomes round, and drops oscillate and rest (VI-1 to
// VI-5, VI-11).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/interface.h"
#include "rig/interface_drops.h"
#include "rig/node.h"
#include "rig/scene.h"

//---------------------------------------------------------------------------------------------- a cube becomes round

// A cube of particles, `side` along each edge, in free space; its shape after some frames.
static RvResult round_off(int side, const char* parms, int last, RvDropFigures* drop, double* closest, RvError* error) {
  char nodes[1000];
  snprintf(nodes, sizeof nodes,
           "\"cube\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"particlesep\": 0.001}},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"cube\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"viscosity\": 0.03%s}}",
           1e-3 * side, 1e-3 * side, 1e-3 * side, parms);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:liquid", last, &now, error);
  if (!result) result = rv_rig_drop_measure(now, drop, error);
  *closest = result ? 0 : rv_rig_drop_closest(now);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_interface_round(const RvCheckOut* out, RvError* error) {
  enum { LAST = 17, SIDE = 17 };
  static const struct {
    const char *name, *parms;
    double spread;  // at most; at k = 1 at least
    bool narrow;
  } forms[] = {{"spline", "", 0.015, false},
               {"cosine", ", \"pairforce\": \"cosine\"", 0.012, false},
               {"two_kernels", ", \"pairforce\": \"twokernels\"", 0.02, false},
               {"cosine_narrow", ", \"pairforce\": \"cosine\", \"pairsupport\": 1", 0.012, true},
               {"spline_narrow", ", \"pairsupport\": 1", 0.015, true}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof forms / sizeof *forms && !result; ++k) {
    RvDropFigures drop;
    double closest;
    char name[64];
    result = round_off(SIDE, forms[k].parms, LAST, &drop, &closest, error);
    if (result) break;
    snprintf(name, sizeof name, "%s_spread", forms[k].name);
    if (forms[k].narrow) {
      rv_check_emit(out, name, rv_max(forms[k].spread - drop.spread, 0), 0, 0);
      continue;
    }
    rv_check_emit(out, name, drop.spread, 0, forms[k].spread);
    snprintf(name, sizeof name, "%s_closest", forms[k].name);
    rv_check_emit(out, name, rv_max(0.6 - closest, 0), 0, 0);
    // Momentum and angular momentum, relative to the sums of their absolute values.
    snprintf(name, sizeof name, "%s_momentum", forms[k].name);
    rv_check_emit(out, name, rv_length(rv_vec3_load64(drop.momentum)) / drop.speed, 0, 1e-6);
    snprintf(name, sizeof name, "%s_angular", forms[k].name);
    rv_check_emit(out, name, rv_length(rv_vec3_load64(drop.angular)) / drop.moment, 0, 1e-6);
  }
  return result;
}

RvResult rv_check_interface_methods(const RvCheckOut* out, RvError* error) {
  // A tenth of a spacing, over the radius of 11^3 particles.
  enum { LAST = 13, SIDE = 11 };
  const double spread = 0.1 / cbrt(3 * SIDE * SIDE * SIDE / (4 * RV_PI)) * 1.5;
  static const struct {
    const char *name, *parms;
  } forms[] = {{"implicit", ""},
               {"updates", ", \"pairupdates\": true"},
               {"pcisph", ", \"solver\": \"pcisph\""},
               {"pcisph_updates", ", \"solver\": \"pcisph\", \"pairupdates\": true"},
               {"explicit", ", \"solver\": \"explicit\""}};
  RvResult result = RV_OK;
  double reach = 0;
  for (size_t k = 0; k < sizeof forms / sizeof *forms && !result; ++k) {
    RvDropFigures drop;
    double closest;
    char name[64];
    result = round_off(SIDE, forms[k].parms, LAST, &drop, &closest, error);
    if (result) break;
    snprintf(name, sizeof name, "%s_spread", forms[k].name);
    rv_check_emit(out, name, drop.spread, 0, spread);
    if (!k) reach = drop.reach;
    // The radius is that of the density: 1% of it is three a thousandth of the radius.
    snprintf(name, sizeof name, "%s_reach", forms[k].name);
    rv_check_emit(out, name, drop.reach / reach, 1, 0.01);
    snprintf(name, sizeof name, "%s_momentum", forms[k].name);
    rv_check_emit(out, name, rv_length(rv_vec3_load64(drop.momentum)) / drop.speed, 0, 1e-5);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- a drop oscillates

RvResult rv_check_interface_tension(const RvCheckOut* out, RvError* error) {
  static const RvDropSwing drops[] = {{7, 0.072, 5e-3, "spline", 1}, {9, 0.072, 5e-3, "spline", 1}};
  RvResult result = RV_OK;
  double period = 0;
  for (int k = 0; k < 2 && !result; ++k) {
    RvDropPeriod now;
    char name[64];
    result = rv_rig_drop_swing(&drops[k], &now, error);
    if (result) break;
    snprintf(name, sizeof name, "period_%g", drops[k].radius);
    rv_check_emit(out, name, now.period, 1, 0.05);
    snprintf(name, sizeof name, "residual_%g", drops[k].radius);
    rv_check_emit(out, name, now.residual, 0, 0.05);
    if (!k) period = now.period;
  }
  // Twice as many substeps as the frame of the drop of 7 spacings needs by itself.
  RvDropSwing half = drops[0];
  RvDropPeriod now;
  half.substeps = 14;
  if (!result) result = rv_rig_drop_swing(&half, &now, error);
  if (!result) rv_check_emit(out, "period_half_step", now.period / period, 1, 0.05);
  return result;
}

//---------------------------------------------------------------------------------------------- a drop on a plane

RvResult rv_check_interface_angle(const RvCheckOut* out, RvError* error) {
  static const double angles[] = {60, 90, 120, 150};
  static const RvCapBlock blocks[] = {{18, 9, 0.05}, {18, 9, 0.05}, {14, 15, 0.05}, {14, 15, 0.05}};
  RvResult result = RV_OK;
  for (int k = 0; k < 4 && !result; ++k) {
    char name[64];
    double measured = 0;
    result = rv_rig_cap_angle(angles[k], &blocks[k], &measured, error);
    snprintf(name, sizeof name, "angle_%g", angles[k]);
    if (!result) rv_check_emit(out, name, measured, angles[k], 8);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- a drop at rest

// A ball of a lattice of particles, 6 spacings in radius.
static RvResult make_ball(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  enum { RADIUS = 6 };
  const double spacing = 1e-3;
  (void)user;
  (void)frame;
  *out = NULL;
  if (index) return RV_OK;
  RvDetail* d = rv_detail_new();
  size_t first = 0;
  size_t count = 0;
  for (int pass = 0; pass < 2 && d; ++pass) {
    float* P = pass ? rv_detail_f32_write(d, RV_POINT, "P", 3, error) : NULL;
    float* pscale = pass ? rv_detail_f32_write(d, RV_POINT, "pscale", 1, error) : NULL;
    size_t n = 0;
    for (int i = -RADIUS; i <= RADIUS; ++i)
      for (int j = -RADIUS; j <= RADIUS; ++j)
        for (int k = -RADIUS; k <= RADIUS; ++k) {
          if (i * i + j * j + k * k > RADIUS * RADIUS) continue;
          if (P && pscale) {
            P[3 * n] = (float)(i * spacing);
            P[3 * n + 1] = (float)(j * spacing);
            P[3 * n + 2] = (float)(k * spacing);
            // The radius of the ball of a particle's volume.
            pscale[n] = (float)(spacing * cbrt(3 / (4 * RV_PI)));
          }
          ++n;
        }
    count = n;
    if (!pass && rv_detail_add_points(d, count, &first, error)) break;
  }
  *out = d;
  return d && count ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Kinetic energies of the ball over some frames with at least `substeps` each, and the largest mean excess of density.
static RvResult calm_down(const char* substeps, int frames, double energy[], double* excess, RvError* error) {
  const char* const parms[] = {"gravity", "0 0 0", "viscosity", "0.01", "substeps", substeps, NULL};
  RvNodeRig rig;
  RvNodeRigDef def = {"interfacesolver", parms, 3, make_ball, NULL, true};
  RvResult result = rv_rig_node_open(&rig, &def, error);
  for (int k = 1; k <= frames && !result; ++k) {
    RvDropFigures drop;
    result = rv_rig_node_next(&rig, error);
    if (!result) result = rv_rig_node_step(&rig, error);
    if (!result) result = rv_rig_drop_measure(rig.state.part[0], &drop, error);
    energy[k] = result ? 0 : drop.kinetic;
    *excess = rv_max(*excess, rig.stats.residual);
  }
  rv_rig_node_close(&rig);
  return result;
}

// Sum of four successive energies.
static double four_of(const double* energy) {
  return energy[0] + energy[1] + energy[2] + energy[3];
}

RvResult rv_check_interface_rest(const RvCheckOut* out, RvError* error) {
  enum { FRAMES = 24, SHORT = 9 };
  double energy[FRAMES + 1] = {0};
  double shorter[SHORT + 1] = {0};
  double excess = 0;
  RvResult result = calm_down("1", FRAMES, energy, &excess, error);
  // A quarter of the steps that 35 a frame are.
  if (!result) result = calm_down("140", SHORT, shorter, &excess, error);
  if (result) return result;
  double early = four_of(energy + 2);
  rv_check_emit(out, "density_excess", excess, 0, 1e-3);
  rv_check_emit(out, "energy_falls", four_of(energy + 10) / early, 0, 0.5);
  rv_check_emit(out, "energy_stays_low", four_of(energy + FRAMES - 3) / early, 0, 0.5);
  rv_check_emit(out, "energy_short_steps", four_of(shorter + SHORT - 3) / early, 0, 0.5);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- two liquids

// A cube of one liquid within a cube of another; what they are after some frames.
static RvResult enclose(const char* parms, int last, double* gap, double* centred, RvError* error) {
  const double spacing = 1e-3;
  char nodes[1500];
  snprintf(nodes, sizeof nodes,
           "\"box\": {\"type\": \"fill\", \"parms\": {\"size\": [0.013, 0.013, 0.013], \"particlesep\": %g}},"
           "\"phase\": {\"type\": \"attribute\", \"inputs\": [\"box\"], \"parms\": {\"name\": \"phase\","
           "  \"type\": \"int\", \"mode\": \"box\", \"boxmin\": [-0.003, -0.003, -0.003],"
           "  \"boxmax\": [0.003, 0.003, 0.003], \"value\": [1, 0, 0, 0]}},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"phase\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"viscosity\": 0.03, %s}}",
           spacing, parms);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:liquid", last, &now, error);
  const float* P = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
  const int32_t* phase = result ? NULL : rv_detail_i32(now, RV_POINT, "phase", 1);
  if (!result && (!P || !phase)) result = rv_fail(error, RV_INTERNAL, "the liquid has no phase");
  // Centre of the second liquid, and by direction its outermost and the first liquid's innermost particle in a cone.
  RvVec3 centre = rv_vec3(0, 0, 0);
  double count = 0;
  size_t points = result ? 0 : rv_detail_count(now, RV_POINT);
  for (size_t i = 0; i < points; ++i)
    if (phase[i]) {
      centre = rv_add(centre, rv_vec3_load(P + 3 * i));
      count += 1;
    }
  centre = rv_scale(centre, 1 / rv_max(count, 1));
  *centred = rv_length(centre) / spacing;
  *gap = 0;
  int mixed = 0;
  for (int k = 0; k < 27 && !result; ++k) {
    RvVec3 n = rv_normalize(rv_vec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1), rv_vec3(0, 0, 0));
    double inner = 0;
    double outer = INFINITY;
    for (size_t i = 0; i < points; ++i) {
      RvVec3 x = rv_sub(rv_vec3_load(P + 3 * i), centre);
      double r = rv_length(x);
      if (rv_dot(x, n) < 0.9 * r) continue;
      if (phase[i]) inner = rv_max(inner, r);
      if (!phase[i]) outer = rv_min(outer, r);
    }
    if (rv_dot(n, n) > 0 && inner > 0) *gap = rv_max(*gap, (outer - inner) / spacing);
    mixed += outer < 0.5 * inner;
  }
  if (mixed) *centred = INFINITY;
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_interface_two(const RvCheckOut* out, RvError* error) {
  static const char* const parms[] = {"\"viscosity2\": 0.03", "\"density2\": 200, \"viscosity2\": 0.01",
                                      "\"density2\": 10, \"viscosity2\": 0.005, \"maxsubsteps\": 4000"};
  static const char* const names[][2] = {
      {"oil_gap", "oil_centre"}, {"light_gap", "light_centre"}, {"gas_gap", "gas_centre"}};
  // Gas takes ten times as many steps a frame.
  static const int last[] = {9, 9, 3};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    double gap = 0, centred = 0;
    result = enclose(parms[k], last[k], &gap, &centred, error);
    if (result) break;
    rv_check_emit(out, names[k][0], gap, 0, 1.3);
    rv_check_emit(out, names[k][1], centred, 0, 1);
  }
  return result;
}
