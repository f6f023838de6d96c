// The liquid over long times: its volume while it sloshes and when it was poured, the momentum of a free blob.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/check.h"
#include "cli/liquid_rig.h"

enum { TOP = 1 << 3 };  // the side of a tank that is open

static RvResult advance(RvLiquidRig* rig, double dt, RvError* error) {
  return rv_liquid_advance(&rig->liquid, dt, 1, 1000, &rig->hooks, error);
}

// Volume of the cells that the liquid takes: each by how much of it lies under a flat surface at its centre's distance,
// and no more than its solids leave open, m^3.
static double occupied(const RvLiquidRig* rig) {
  const RvLiquidGrid* g = &rig->liquid.grid;
  double dx = g->dx, sum = 0;
  for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i) {
    double inside = 0.5 - g->distance.data[i] / dx;
    sum += inside < 0 ? 0 : inside > 1 ? 1 : inside;
  }
  return sum * dx * dx * dx;
}

static double in_particles(const RvLiquidRig* rig) {
  return rv_particles_volume(&rig->liquid.particles) + rig->liquid.report.resampled.dropped_volume +
         rig->liquid.report.lost.volume;
}

//---------------------------------------------------------------------------------------------- sloshing

// A tank that is shaken: gravity swings by 20 degrees at its first frequency for five seconds, then it slowly calms.
static RvResult slosh(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  const double dx = 1.0 / 20, lo[3] = {0, 0, 0}, hi[3] = {1, 1.5, 0.4}, full[3] = {1, 0.5, 0.4};
  RvLiquidModel model = rv_liquid_model_default(dx);
  double frequency = sqrt(9.81 * M_PI * tanh(M_PI * 0.5)), first = 0, drift = 0, ledger = 0, before = 0;
  RvResult result = rv_liquid_rig_new(&rig, &model, error);
  if (result) return result;
  rv_liquid_rig_tank(&rig, lo, hi, TOP);
  result = rv_liquid_rig_fill(&rig, lo, full, 0.5, error);
  before = in_particles(&rig);
  for (int frame = 0; frame < 20 * 24 && !result; ++frame) {
    double angle = frame < 5 * 24 ? 0.35 * sin(frequency * frame / 24.0) : 0;
    rig.liquid.model.gravity[0] = 9.81 * sin(angle), rig.liquid.model.gravity[1] = -9.81 * cos(angle);
    result = advance(&rig, 1.0 / 24, error);
    if (frame == 0) first = occupied(&rig);
    // the mean over a second: single cells come and go
    static double mean;
    mean = frame % 24 ? mean + occupied(&rig) / 24 : occupied(&rig) / 24;
    if (frame % 48 == 47 && getenv("DBG")) { const RvLiquidGrid* g = &rig.liquid.grid; double row[32]={0}; int n[32]={0}; double xcol[24]={0}; int xn[24]={0};
      for (size_t t = 0; t < g->tiles.count; ++t) for (int i = 0; i < 512; ++i) { if (!(g->distance.data[t*512+(size_t)i] < 0)) continue; int y = g->tiles.coord[t][1]*8 + i/8%8, x = g->tiles.coord[t][0]*8 + i%8; if (y>=0&&y<32) row[y] += g->fill.data[t*512+(size_t)i], n[y]++; if (y>1&&y<5&&x>=0&&x<20) xcol[x] += g->fill.data[t*512+(size_t)i], xn[x]++; }
      double dv[32]={0}, vy[32]={0}; int m[32]={0}; for (size_t t = 0; t < g->tiles.count; ++t) for (int i = 0; i < 512; ++i) { if (!(g->distance.data[t*512+(size_t)i] < 0)) continue; int y = g->tiles.coord[t][1]*8 + i/8%8; if (y>=0&&y<32) dv[y] += g->divergence.data[t*512+(size_t)i], vy[y] += g->velocity[1].data[t*512+(size_t)i], m[y]++; }
      int hist[20]={0}; for (size_t k = 0; k < rig.liquid.particles.count; ++k) { double c[3]; rv_particles_place(&rig.liquid.particles, k, c); if (c[1] < 2) hist[(int)(c[1]*10)]++; }
      RvPressureReport* pr = &rig.liquid.report.pressure; fprintf(stderr, "it %d conv %d closed %zu incompat %g res %g worst %g unconv %d cells %zu\n", pr->iterations, pr->converged, pr->closed, pr->incompatible, pr->residual, pr->worst, rig.liquid.report.unconverged, pr->cells);
      fprintf(stderr, "div: "); for (int y = 0; y < 4; ++y) fprintf(stderr, " %.2f v %.4f", dv[y]/m[y], vy[y]/m[y]); fprintf(stderr, " particles by 0.1 cell:"); for (int y = 0; y < 20; ++y) fprintf(stderr, " %d", hist[y]); fprintf(stderr, "\n");
      fprintf(stderr, "fill by y:"); for (int y = 0; y < 14; ++y) fprintf(stderr, " %.2f(%d)", row[y]/n[y], n[y]); fprintf(stderr, " by x:"); for (int x = 0; x < 20; x += 1) fprintf(stderr, " %.2f", xcol[x]/xn[x]); fprintf(stderr, "\n"); }
    if (frame % 24 == 23 && getenv("DBG")) fprintf(stderr, "s %d mean %.4f parts %.4f n %zu\n", frame/24, mean/first, rv_particles_volume(&rig.liquid.particles)/first, rig.liquid.particles.count);
    if (frame % 24 == 23) drift = fmax(drift, fabs(mean / first - 1));
    ledger = fmax(ledger, fabs(in_particles(&rig) / before - 1));
  }
  rv_liquid_rig_free(&rig);
  if (result) return result;
  rv_check_emit(out, "slosh_ledger", ledger, 0, 1e-12);
  rv_check_emit(out, "slosh_occupied", drift, 0, 0.01);
  return RV_OK;
}

RvResult rv_check_volume(const RvCheckOut* out, RvError* error) {
  return slosh(out, error);
}

//---------------------------------------------------------------------------------------------- a free blob

RvResult rv_check_blob(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  const double dx = 1.0 / 32, lo[3] = {0.1, 0.1, 0.1}, hi[3] = {0.6, 0.6, 0.6};
  const RvVec3 middle = rv_vec3(0.35, 0.35, 0.35), spin = rv_vec3(0.5, 2, -1), speed = rv_vec3(0.7, -0.3, 0.4);
  RvLiquidModel model = rv_liquid_model_default(dx);
  model.gravity[1] = 0;
  RvResult result = rv_liquid_rig_new(&rig, &model, error);
  if (result) return result;
  result = rv_liquid_rig_fill(&rig, lo, hi, 0.5, error);
  RvParticles* p = &rig.liquid.particles;
  for (size_t i = 0; i < p->count && !result; ++i) {
    RvVec3 r = rv_sub(rv_liquid_rig_at(&rig, i), middle), v = rv_add(speed, rv_cross(spin, r));
    if (rv_length(r) > 0.25) p->volume[i] = 0;
    p->v[0][i] = (float)v.x, p->v[1][i] = (float)v.y, p->v[2][i] = (float)v.z;
    const double w[3] = {spin.x, spin.y, spin.z};
    for (int a = 0; a < 3; ++a) {
      int b = (a + 1) % 3, c = (a + 2) % 3;
      // v = w x r: dv_a / dx_c = w_b, dv_a / dx_b = -w_c
      p->c[3 * a + c][i] = (float)w[b], p->c[3 * a + b][i] = (float)-w[c];
    }
  }
  if (!result) result = rv_particles_sort(p, &rig.liquid.report.lost, error);
  if (!result) {
    RvLiquidSums before = rv_liquid_rig_sums(&rig, rv_vec3(0, 0, 0));
    for (int frame = 0; frame < 24 && !result; ++frame) result = advance(&rig, 1.0 / 24, error);
    if (getenv("DBG")) for (int f = 0; f < 1; ++f) { RvLiquidSums s = rv_liquid_rig_sums(&rig, rv_vec3(0,0,0)); RvVec3 d = rv_sub(s.center, before.center); fprintf(stderr, "moved %g %g %g lin/m %g %g %g vol %g %g\n", d.x,d.y,d.z, s.linear.x/s.volume/1000, s.linear.y/s.volume/1000, s.linear.z/s.volume/1000, s.volume, before.volume); }
    RvLiquidSums after = rv_liquid_rig_sums(&rig, rv_vec3(0, 0, 0));
    rv_check_emit(out, "linear", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-3);
    rv_check_emit(out, "path",
                  rv_distance(after.center, rv_mad(before.center, 1 / (1000 * before.volume), before.linear)) /
                      rv_length(speed),
                  0, 1e-3);
  }
  rv_liquid_rig_free(&rig);
  return result;
}
