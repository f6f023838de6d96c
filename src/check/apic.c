// Checks of the liquid's particles and transfers: apic (WH-34), resample (WH-33), extrapolate (WH-37).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/liquid.h"

#define DX 0.01

static float noise(uint64_t stream, size_t i, int k) {
  return (float)rv_random(stream, i, (uint64_t)k, 0) - 0.5f;
}

static RvResult to_grid(RvLiquidRig* rig, RvError* error) {
  RvLiquid* l = &rig->liquid;
  RvResult result = rv_liquid_particles_sort(&l->particles, NULL, error);
  if (!result) result = rv_liquid_grid_build(&l->grid, &l->particles, error);
  if (!result) result = rv_liquid_to_grid(&l->grid, &l->scatter, &l->particles, l->model.density, error);
  if (!result) rv_liquid_grid_velocity(&l->grid);
  return result;
}

static RvResult make_blob(RvLiquidRig* rig, RvError* error) {
  RvLiquidModel model = rv_liquid_model_default(DX);
  RvResult result = rv_rig_liquid_new(rig, &model, error);
  if (!result) result = rv_rig_liquid_fill(rig, (double[3]){-0.1, -0.05, 0.03}, (double[3]){0.1, 0.1, 0.2}, 1, error);
  // unequal volumes
  for (size_t i = 0; i < rig->liquid.particles.count; ++i)
    rig->liquid.particles.volume[i] *= 1 + (double)noise(21, i, 0);
  return result;
}

//---------------------------------------------------------------------------------------------- affine, momentum

static RvResult check_affine(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  static const double A[3][3] = {{1, -4, 2}, {3, 0.5, -1}, {0.7, 5, -1.5}}, u0[3] = {0.3, -0.1, 0.2};
  RvResult result = make_blob(&rig, error);
  RvParticles* p = &rig.liquid.particles;
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_rig_liquid_at(&rig, i);
    for (int a = 0; a < 3; ++a) {
      p->v[a][i] = (float)(u0[a] + A[a][0] * x.x + A[a][1] * x.y + A[a][2] * x.z);
      for (int b = 0; b < 3; ++b) p->c[3 * a + b][i] = (float)A[a][b];
    }
  }
  if (!result) result = to_grid(&rig, error);
  double worst = 0, slope = 0, largest = 0;
  if (!result) rv_liquid_from_grid(&rig.liquid.grid, &rig.liquid.scatter, p, 0);
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_rig_liquid_at(&rig, i);
    for (int a = 0; a < 3; ++a) {
      double v = u0[a] + A[a][0] * x.x + A[a][1] * x.y + A[a][2] * x.z;
      largest = fmax(largest, fabs(v));
      worst = fmax(worst, fabs((double)p->v[a][i] - v));
      for (int b = 0; b < 3; ++b) slope = fmax(slope, fabs((double)p->c[3 * a + b][i] - A[a][b]) * DX);
    }
  }
  if (!result) {
    rv_check_emit(out, "affine_velocity", worst / largest, 0, 1e-6);
    rv_check_emit(out, "affine_slope", slope / largest, 0, 1e-6);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

static RvResult check_momentum(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_blob(&rig, error);
  RvParticles* p = &rig.liquid.particles;
  RvVec3 about = {0.02, 0, 0.1};
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_sub(rv_rig_liquid_at(&rig, i), about), turn = rv_cross(rv_vec3(1, 8, -3), x);
    double v[3] = {turn.x + 0.3, turn.y, turn.z - 0.1};
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)v[a] + noise(22, i, a);
    for (int a = 0; a < 9; ++a) p->c[a][i] = 50 * noise(23, i, a);
  }
  RvLiquidSums before = rv_rig_liquid_sums(&rig, about);
  for (int trip = 0; trip < 200 && !result; ++trip) {
    result = to_grid(&rig, error);
    if (!result) rv_liquid_from_grid(&rig.liquid.grid, &rig.liquid.scatter, p, 0);
  }
  RvLiquidSums after = rv_rig_liquid_sums(&rig, about);
  if (!result) {
    rv_check_emit(out, "linear_momentum", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-6);
    rv_check_emit(out, "angular_momentum", rv_distance(after.angular, before.angular) / rv_length(before.angular), 0,
                  1e-6);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

RvResult rv_check_apic(const RvCheckOut* out, RvError* error) {
  RvResult result = check_affine(out, error);
  return result ? result : check_momentum(out, error);
}

//---------------------------------------------------------------------------------------------- resample

RvResult rv_check_resample(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_blob(&rig, error);
  RvLiquid* l = &rig.liquid;
  RvParticles* p = &l->particles;
  double nominal = l->model.resample.nominal;
  const RvVec3 about = {0.02, 0, 0.1};
  for (size_t i = 0; !result && i < p->count; ++i) {
    // from a twentieth to six times the nominal
    p->volume[i] = nominal * 0.05 * exp2(7 * rv_random(24, i, 0, 0));
    RvVec3 turn = rv_cross(rv_vec3(1, 8, -3), rv_sub(rv_rig_liquid_at(&rig, i), about));
    const double v[3] = {turn.x, turn.y, turn.z};
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)v[a] + noise(25, i, a) + 0.2f;
    for (int a = 0; a < 9; ++a) p->c[a][i] = 50 * noise(26, i, a);
  }
  RvLiquidSums before = rv_rig_liquid_sums(&rig, about);
  RvResampled done = {0};
  for (int pass = 0; pass < 6 && !result; ++pass) {
    result = rv_liquid_particles_sort(p, NULL, error);
    if (!result) result = rv_liquid_resample(p, &l->model.resample, &l->next_id, &done, error);
  }
  if (!result) result = rv_liquid_particles_sort(p, NULL, error);
  RvLiquidSums after = rv_rig_liquid_sums(&rig, about);
  double largest = 0;
  for (size_t i = 0; i < p->count; ++i) largest = fmax(largest, p->volume[i] / nominal);
  if (!result) {
    rv_check_emit(out, "volume", after.volume / before.volume - 1, 0, 1e-13);
    rv_check_emit(out, "linear_momentum", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-6);
    rv_check_emit(out, "angular_momentum", rv_distance(after.angular, before.angular) / rv_length(before.angular), 0,
                  1e-5);
    rv_check_emit(out, "center_in_cells", rv_distance(after.center, before.center) / DX, 0, 1e-6);
    rv_check_emit(out, "merged_and_split", done.merged > 1000 && done.split > 1000, 1, 0);
    rv_check_emit(out, "largest_over_nominal", fmax(largest, 2), 2, 0);
    // eight a cell of liquid at the nominal volume; below 0.2 of it all that have a neighbour merge
    rv_check_emit(out, "particles_bounded", (double)p->count * nominal < 2 * after.volume, 1, 0);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- extrapolation

// liquid below the plane n x = 0 with u = slope along t, a tangent; the largest error within the band, in slopes a cell
static RvResult plane_error(RvVec3 n, RvVec3 t, double* error_cells, RvError* error) {
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(1);
  *error_cells = 0;
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  if (!result) result = rv_rig_liquid_fill(&rig, (double[3]){-16, -16, -16}, (double[3]){16, 16, 16}, 0, error);
  if (!result) result = to_grid(&rig, error);
  RvLiquidGrid* g = &rig.liquid.grid;
  for (int pass = 0; pass < 2 && !result; ++pass) {
    for (size_t c = 0; c < g->tiles.count * RV_TILE_CELLS; ++c)
      for (int a = 0; a < 3; ++a) {
        const int32_t* tile = g->tiles.coord[c / RV_TILE_CELLS];
        int k = (int)(c % RV_TILE_CELLS), at[3] = {k & 7, k >> 3 & 7, k >> 6};
        double x[3];
        for (int b = 0; b < 3; ++b) x[b] = tile[b] * 8 + at[b] + (a == b ? 0 : 0.5);
        double s = rv_dot(n, rv_vec3_load64(x)), u = rv_dot(t, rv_vec3_load64(x));
        bool deep = fabs(x[0]) < 8 && fabs(x[1]) < 8 && fabs(x[2]) < 8;
        if (pass == 0) {
          g->valid[a].data[c] = s < 0;
          if (s >= 0) g->mass[a].data[c] = 0;
          g->velocity[a].data[c] = s < 0 ? (float)u : 1e3f;
        } else if (deep && s < RV_LIQUID_BAND * 0.5) {
          *error_cells = fmax(*error_cells, fabs((double)g->velocity[a].data[c] - u));
        }
      }
    if (pass == 0) rv_liquid_extrapolate(g, NULL);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

RvResult rv_check_extrapolate(const RvCheckOut* out, RvError* error) {
  double level = 0, uniform = 0, oblique = 0;
  RvResult result = plane_error(rv_vec3(0, 1, 0), rv_vec3(1, 0, 0.5), &level, error);
  if (!result) result = plane_error(rv_vec3(0.6, 0.64, 0.48), rv_vec3(0, 0, 0), &uniform, error);
  if (!result) result = plane_error(rv_vec3(0.6, 0.8, 0), rv_vec3(0.8, -0.6, 0), &oblique, error);
  if (result) return result;
  rv_check_emit(out, "level", level, 0, 1e-6);
  rv_check_emit(out, "uniform", uniform, 0, 1e-6);
  rv_check_emit(out, "oblique_in_cells", oblique, 0, 1.5);
  return RV_OK;
}
