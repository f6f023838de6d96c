// Checks of the liquid's particles and transfers: apic (WH-34), resample (WH-33), extrapolate (WH-37).
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/liquid.h"

#define DX 0.01  // cell size, m
// Seeds of the random streams; each quantity has its own.
enum {
  SEED_VOLUME = 21,
  SEED_VELOCITY,
  SEED_AFFINE,
  SEED_RESAMPLE_VOLUME,
  SEED_RESAMPLE_VELOCITY,
  SEED_RESAMPLE_AFFINE
};
static const float AFFINE_NOISE = 50;  // 1/s: random affine entries of up to 25/s, 0.25 m/s over a cell

// Uniform random number in -0.5 to 0.5.
static float noise(uint64_t stream, size_t i, int k) {
  return (float)rv_random(stream, i, (uint64_t)k, 0) - 0.5f;
}

// Sorts the particles and transfers mass and momentum to the grid; velocities follow.
static RvResult to_grid(RvLiquidRig* rig, RvError* error) {
  RvLiquid* l = &rig->liquid;
  RvResult result = rv_liquid_particles_sort(&l->particles, NULL, error);
  if (!result) result = rv_liquid_grid_build(&l->grid, &l->particles, error);
  if (!result) result = rv_liquid_to_grid(&l->grid, &l->scatter, &l->particles, l->model.density, NULL, error);
  if (!result) rv_liquid_grid_velocity(&l->grid);
  return result;
}

// A box of jittered particles of unequal volumes, away from solids.
static RvResult make_blob(RvLiquidRig* rig, RvError* error) {
  RvLiquidModel model = rv_liquid_model_default(DX);
  RvResult result = rv_rig_liquid_new(rig, &model, error);
  if (!result) result = rv_rig_liquid_fill(rig, (double[3]){-0.1, -0.05, 0.03}, (double[3]){0.1, 0.1, 0.2}, 1, error);
  // Volumes of 0.5 to 1.5 of the nominal.
  for (size_t i = 0; i < rig->liquid.particles.count; ++i)
    rig->liquid.particles.volume[i] *= 1 + (double)noise(SEED_VOLUME, i, 0);
  return result;
}

//---------------------------------------------------------------------------------------------- affine, momentum

// u = u0 + A x must come back from the grid exactly, value and slope (WH-34).
static RvResult check_affine(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  static const double A[3][3] = {{1, -4, 2}, {3, 0.5, -1}, {0.7, 5, -1.5}}, u0[3] = {0.3, -0.1, 0.2};
  RvResult result = make_blob(&rig, error);
  RvParticles* p = &rig.liquid.particles;
  // Particles take the affine field.
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_rig_liquid_at(&rig, i);
    for (int a = 0; a < 3; ++a) {
      p->v[a][i] = (float)(u0[a] + A[a][0] * x.x + A[a][1] * x.y + A[a][2] * x.z);
      for (int b = 0; b < 3; ++b) p->c[3 * a + b][i] = (float)A[a][b];
    }
  }
  if (!result) result = to_grid(&rig, error);
  // To the grid and back, then compare.
  double velocity_error = 0, slope_error = 0, largest_speed = 0;
  if (!result) rv_liquid_from_grid(&rig.liquid.grid, &rig.liquid.scatter, p, 0);
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_rig_liquid_at(&rig, i);
    for (int a = 0; a < 3; ++a) {
      double v = u0[a] + A[a][0] * x.x + A[a][1] * x.y + A[a][2] * x.z;
      largest_speed = fmax(largest_speed, fabs(v));
      velocity_error = fmax(velocity_error, fabs((double)p->v[a][i] - v));
      for (int b = 0; b < 3; ++b) slope_error = fmax(slope_error, fabs((double)p->c[3 * a + b][i] - A[a][b]) * DX);
    }
  }
  if (!result) {
    rv_check_emit(out, "affine_velocity", velocity_error / largest_speed, 0, 1e-6);
    rv_check_emit(out, "affine_slope", slope_error / largest_speed, 0, 1e-6);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

// 200 transfers without a step in between conserve linear and angular momentum (WH-34).
static RvResult check_momentum(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_blob(&rig, error);
  RvParticles* p = &rig.liquid.particles;
  // A rotation about `about` with a drift, and noise in velocities and affine parts.
  RvVec3 about = {0.02, 0, 0.1};
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_sub(rv_rig_liquid_at(&rig, i), about), turn = rv_cross(rv_vec3(1, 8, -3), x);
    double v[3] = {turn.x + 0.3, turn.y, turn.z - 0.1};
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)v[a] + noise(SEED_VELOCITY, i, a);
    for (int a = 0; a < 9; ++a) p->c[a][i] = AFFINE_NOISE * noise(SEED_AFFINE, i, a);
  }
  // 200 times to the grid and back, without a step in between.
  RvLiquidSums before = rv_rig_liquid_sums(&rig, about);
  for (int trip = 0; trip < 200 && !result; ++trip) {
    result = to_grid(&rig, error);
    if (!result) rv_liquid_from_grid(&rig.liquid.grid, &rig.liquid.scatter, p, 0);
  }
  // Floats leave 1e-7.
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

// Merging and splitting conserves volume, momentum and centre, and bounds sizes and number (WH-33).
RvResult rv_check_resample(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_blob(&rig, error);
  RvLiquid* l = &rig.liquid;
  RvParticles* p = &l->particles;
  double nominal = l->model.resample.nominal;
  const RvVec3 about = {0.02, 0, 0.1};
  for (size_t i = 0; !result && i < p->count; ++i) {
    // Volumes of 1/20 to 6.4 times the nominal, evenly in the logarithm; a rotation with noise.
    p->volume[i] = nominal * 0.05 * exp2(7 * rv_random(SEED_RESAMPLE_VOLUME, i, 0, 0));
    RvVec3 turn = rv_cross(rv_vec3(1, 8, -3), rv_sub(rv_rig_liquid_at(&rig, i), about));
    const double v[3] = {turn.x, turn.y, turn.z};
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)v[a] + noise(SEED_RESAMPLE_VELOCITY, i, a) + 0.2f;
    for (int a = 0; a < 9; ++a) p->c[a][i] = AFFINE_NOISE * noise(SEED_RESAMPLE_AFFINE, i, a);
  }
  RvLiquidSums before = rv_rig_liquid_sums(&rig, about);
  // Six passes are enough for all particles to reach their final size.
  RvResampled resampled = {0};
  for (int pass = 0; pass < 6 && !result; ++pass) {
    result = rv_liquid_particles_sort(p, NULL, error);
    if (!result) result = rv_liquid_resample(p, &l->model.resample, &l->next_id, &resampled, error);
  }
  if (!result) result = rv_liquid_particles_sort(p, NULL, error);
  RvLiquidSums after = rv_rig_liquid_sums(&rig, about);
  // Largest particle afterwards.
  double largest_volume = 0;
  for (size_t i = 0; i < p->count; ++i) largest_volume = fmax(largest_volume, p->volume[i] / nominal);
  if (!result) {
    rv_check_emit(out, "volume", after.volume / before.volume - 1, 0, 1e-13);
    rv_check_emit(out, "linear_momentum", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-6);
    rv_check_emit(out, "angular_momentum", rv_distance(after.angular, before.angular) / rv_length(before.angular), 0,
                  1e-5);
    rv_check_emit(out, "center_in_cells", rv_distance(after.center, before.center) / DX, 0, 1e-6);
    rv_check_emit(out, "merged_and_split", resampled.merged > 1000 && resampled.split > 1000, 1, 0);
    rv_check_emit(out, "largest_over_nominal", fmax(largest_volume, 2), 2, 0);
    // Eight particles a cell have the nominal volume; below 0.2 of it every particle with a neighbour merges.
    rv_check_emit(out, "particles_bounded", (double)p->count * nominal < 2 * after.volume, 1, 0);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- extrapolation

// Liquid below the plane n . x = 0 has the velocity t . x on all axes, t a tangent. Gives the largest error of the
// extrapolated velocity within half the band, in units of the slope times a cell. Pass 0 sets the field and marks faces
// above the plane invalid with a value that must not survive; pass 1 measures.
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
        int k = (int)(c % RV_TILE_CELLS);
        int at[3] = {k & 7, k >> 3 & 7, k >> 6};
        // Centre of the face, in cells.
        double x[3];
        for (int b = 0; b < 3; ++b) x[b] = tile[b] * 8 + at[b] + (a == b ? 0 : 0.5);
        double height = rv_dot(n, rv_vec3_load64(x));
        double u = rv_dot(t, rv_vec3_load64(x));
        // Away from the box's own sides.
        bool inside = fabs(x[0]) < 8 && fabs(x[1]) < 8 && fabs(x[2]) < 8;
        if (pass == 0) {
          g->valid[a].data[c] = height < 0;
          if (height >= 0) g->mass[a].data[c] = 0;
          g->velocity[a].data[c] = height < 0 ? (float)u : 1e3f;
        } else if (inside && height < RV_LIQUID_BAND * 0.5) {
          *error_cells = fmax(*error_cells, fabs((double)g->velocity[a].data[c] - u));
        }
      }
    if (pass == 0) rv_liquid_extrapolate(g, NULL);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

// A level plane, a uniform flow (t = 0 leaves only the constant 0) and a slope of 3 to 4.
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
