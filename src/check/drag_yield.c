// Check drag_yield: drag of a fibre in liquids that yield, thin or thicken (SD-19, SD-20; E56).
#include <math.h>

#include "check/list.h"
#include "couple/couple.h"

static const double RADIUS = 5e-5;  // of the hair, m

// Renaud's coefficient of a ball, by the numbers of spec 8.5.
static void coefficients(const RvCheckOut* out) {
  static const double reynolds[] = {0.1, 1, 10, 100, 1000};
  static const double plain[] = {245.403, 27.1729, 4.19457, 1.09086, 0.40707};
  static const double thinning[] = {344.643, 34.8297, 3.80929, 0.70761, 0.55550};
  RvRenaud one = rv_couple_renaud(1), half = rv_couple_renaud(0.5);
  double worst[2] = {0};
  for (int k = 0; k < 5; ++k) {
    worst[0] = fmax(worst[0], fabs(rv_couple_renaud_coefficient(&one, 4, reynolds[k]) / plain[k] - 1));
    worst[1] = fmax(worst[1], fabs(rv_couple_renaud_coefficient(&half, 4, reynolds[k]) / thinning[k] - 1));
  }
  rv_check_emit(out, "ball_index_1", worst[0], 0, 1e-5);
  rv_check_emit(out, "ball_index_half", worst[1], 0, 1e-5);
}

// Di Felice's exponent, by the numbers of spec 8.5.
static void voidage(const RvCheckOut* out) {
  static const double reynolds[] = {0.1, 1, 10, 31.6227766, 100, 1000};
  static const double power[] = {3.6714, 3.48898, 3.12638, 3.05, 3.12638, 3.48898};
  double worst = 0;
  for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(rv_couple_voidage_power(reynolds[k]) - power[k]));
  rv_check_emit(out, "voidage", worst, 0, 5e-5);
}

typedef struct Liquid {
  double yield, consistency, index;
} Liquid;

// Drag for its length of a lone hair, N/m, at a speed; along or across.
static double drag(Liquid l, double phi, double speed, bool along) {
  RvCoupleSettings s = {.viscosity = l.consistency, .density = 1000, .yield = l.yield, .index = l.index};
  RvRenaud renaud = rv_couple_renaud(l.index);
  double d[2];
  rv_couple_drag(&s, &renaud, phi, RADIUS, speed, &d[0], &d[1]);
  return d[along ? 0 : 1] * speed;
}

// A slow hair feels the drag of plasticity, whatever the index; a plain liquid that creeps gives that of (19).
static void slow(const RvCheckOut* out) {
  static const double indices[] = {0.3, 0.5, 1, 1.5};
  const double alone = 2.4e-3, lone = 1e-6, speed = 2e-5, yield = 30;  // shares of a hair alone; m/s; Pa
  double worst[2] = {0}, law[2];
  for (int k = 0; k < 4; ++k) {
    Liquid l = {yield, 1e-3, indices[k]};
    worst[0] = fmax(worst[0], fabs(drag(l, lone, speed, false) / (yield * 2 * RADIUS) - 11.94));
    worst[1] = fmax(worst[1], fabs(drag(l, lone, speed, true) / (yield * 2 * RADIUS) - 3.14159));
  }
  rv_check_emit(out, "plastic_across", worst[0], 0, 0.06);
  rv_check_emit(out, "plastic_along", worst[1], 0, 0.02);
  rv_couple_drag_law(alone, &law[0], &law[1]);
  rv_check_emit(out, "creeping", drag((Liquid){0, 1, 1}, alone, 1e-3, false) / (1e-3 * law[1]), 1, 0.05);
}

// The coefficient rises with yield, consistency and index and falls with speed (Fig. 13.8 of the seed).
static void trends(const RvCheckOut* out) {
  const Liquid base = {5, 2, 0.5};
  int wrong = 0;
  for (int k = 0; k < 24; ++k) {
    double u = 2e-3 * pow(1.3, k), here = drag(base, 0.01, u, false);
    Liquid yields = {6, 2, 0.5}, thicker = {5, 2.4, 0.5}, thins_less = {5, 2, 0.6};
    wrong += drag(yields, 0.01, u, false) <= here || drag(thicker, 0.01, u, false) <= here;
    wrong += drag(thins_less, 0.01, u, false) <= here || drag(base, 0.05, u, false) <= here;
    wrong += drag(base, 0.01, 1.3 * u, false) / (1.69 * u * u) >= here / (u * u);
    wrong += drag(base, 0.01, 1.3 * u, false) <= here || drag(base, 0.01, u, true) >= here;
  }
  rv_check_emit(out, "trends", wrong, 0, 0);
}

RvResult rv_check_drag_yield(const RvCheckOut* out, RvError* error) {
  (void)error;
  coefficients(out);
  voidage(out);
  slow(out);
  trends(out);
  return RV_OK;
}
