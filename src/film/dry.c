// Absorption of film by the fibre, and evaporation of both; solids stay in the film. The volume that left is what is
// reported, so the ledger closes.
#include <math.h>

#include "base/parallel.h"
#include "film/solids.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

#define MOLECULE 3e-10                  // m, thickness of a layer of water molecules
#define LEAST_FILM (1e-9 * MOLECULE)    // m: a thinner film evaporates as a whole
#define MOST_EXPONENT 700.0             // exp(-700) is above the smallest normal double
#define BALL_SURFACE 4.835975862049408  // (36 pi)^(1/3): surface of a ball over the 2/3 power of its volume

enum { GRAIN = 16 };  // batches of a parallel task

// A vertex and the fibre around it.
typedef struct Place {
  double length;  // m, half of both edges
  double radius;  // m
  double hairs;
  double share;  // share of its film that belongs to the edge after it
} Place;

// Vertex i of a strand at the positions x.
static Place place_at(const RvFilmModel* m, const RvFilmBatch* b, const double* x, int i, int lane) {
  double length[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    int j = i - 1 + side;
    if (j < 0 || j + 1 >= b->vertices) continue;
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      double d =
          x[b->at + (size_t)((4 * (j + 1) + c) * RV_LANES + lane)] - x[b->at + (size_t)((4 * j + c) * RV_LANES + lane)];
      sum += d * d;
    }
    length[side] = fmax(sqrt(sum), RV_FILM_NO_LENGTH);
  }
  size_t k = b->vertex_at + (size_t)(i * RV_LANES + lane);
  double both = length[0] + length[1];
  return (Place){0.5 * both, m->radius[k], m->hairs[k], length[1] / both};
}

// Evaporates a layer of thickness `depth`: from the film's surface first, down to what it keeps for its solids; the
// remaining depth dries the fibre. Returns the evaporated volume, m3.
static double evaporate(const Place* p, double depth, double kept, double* film, double* absorbed) {
  double height = rv_film_height(*film / (p->hairs * p->length), p->radius);
  double around = 2 * RV_PI * p->length * p->hairs;
  // Film.
  double water = fmax(*film - kept, 0);
  double evaporated = fmin(water, depth * around * (p->radius + height));
  if (water - evaporated <= LEAST_FILM * around * p->radius) evaporated = water;
  double spent = evaporated > 0 ? evaporated / (around * (p->radius + height)) : 0;
  *film -= evaporated;
  if (water > evaporated) return evaporated;
  // Absorbed liquid.
  double from_fibre = fmin(*absorbed, fmax(depth - spent, 0) * around * p->radius);
  if (*absorbed - from_fibre <= LEAST_FILM * around * p->radius) from_fibre = *absorbed;
  *absorbed -= from_fibre;
  return evaporated + from_fibre;
}

// m3 of the film of a vertex that only its solids hold.
static double kept_at(const RvFilmState* s, size_t at) {
  return s->solids ? rv_film_solids_kept(s->volume[at], s->solids[at]) : 0;
}

// Moves the share `part` of the free room in the fibre from the film into it, but not the volume `kept`. Absorbed
// liquid stops, so its momentum along the strand becomes an impulse on it.
static void soak(const RvFilmModel* m, RvFilmState* s, const RvFilmBatch* b, const RvFilmStepDef* d, const Place* p,
                 double part, double kept, int i, int lane, double* kick) {
  size_t k = (size_t)(i * RV_LANES + lane), at = b->vertex_at + k;
  double room = RV_PI * p->radius * p->radius * p->length * p->hairs * d->settings.saturation - s->absorbed[at];
  double in = fmin(s->volume[at] - kept, fmax(room, 0) * part);
  if (!(in > 0)) return;
  s->volume[at] -= in;
  s->absorbed[at] += in;
  if (!kick) return;
  for (int side = 0; side < 2; ++side) {
    int j = i - 1 + side;
    if (j < 0 || j + 1 >= b->vertices) continue;
    double e[3], sum = 0, share = side ? p->share : 1 - p->share;
    for (int c = 0; c < 3; ++c) {
      e[c] = d->x[b->at + (size_t)((4 * (j + 1) + c) * RV_LANES + lane)] -
             d->x[b->at + (size_t)((4 * j + c) * RV_LANES + lane)];
      sum += e[c] * e[c];
    }
    double momentum = m->liquid.density * in * share * s->speed[b->edge_at + (size_t)(j * RV_LANES + lane)];
    for (int c = 0; c < 3 && sum > 0; ++c)
      kick[b->at + (size_t)((4 * i + c) * RV_LANES + lane)] += momentum * e[c] / sqrt(sum);
  }
}

// Evaporates the pendant drops of a strand's hairs, each as a ball. Returns the evaporated volume, m3.
static double dry_drop(double* drop, double* momentum, double* solids, double depth, double hairs) {
  if (!(*drop > 0)) return 0;
  double each = *drop / hairs, surface = BALL_SURFACE * rv_pow(each, 2.0 / 3);
  double water = *drop - (solids ? rv_film_solids_kept(*drop, *solids) : 0);
  double evaporated = fmin(water, depth * surface * hairs);
  // a drop smaller than a molecule evaporates as a whole
  if (water - evaporated <= hairs * MOLECULE * MOLECULE * MOLECULE) evaporated = water;
  double remaining = *drop - evaporated;
  if (solids && remaining > 0) *solids = fmin(*solids * (*drop / remaining), RV_FILM_PACKED);
  for (int c = 0; c < 3; ++c) momentum[c * RV_LANES] = remaining > 0 ? momentum[c * RV_LANES] * (remaining / *drop) : 0;
  *drop = remaining;
  return evaporated;
}

// Absorption and evaporation of one strand; returns the evaporated volume, m3.
static double dry_lane(const RvFilmModel* m, RvFilmState* s, const RvFilmStepDef* d, size_t index, int lane,
                       double part, double* kick) {
  const RvFilmBatch* b = &m->batches[index];
  double evaporated = 0;    // m3
  double depth_at_tip = 0;  // m
  // Vertices: absorption, then evaporation.
  for (int i = 0; i < b->vertices; ++i) {
    size_t at = b->vertex_at + (size_t)(i * RV_LANES + lane);
    if (!(s->volume[at] > 0) && !(s->absorbed[at] > 0) && i + 1 < b->vertices) continue;
    Place p = place_at(m, b, d->x, i, lane);
    double rate = d->settings.drying * (d->settings.drying_at ? fmax(d->settings.drying_at[at], 0) : 1);
    double depth = rate < INFINITY ? rate * d->dt : 0;
    double before = s->volume[at];
    // Neither absorption nor evaporation takes what the solids hold. It is found once, with the share that belongs to
    // the volume before.
    double kept = kept_at(s, at);
    if (part > 0) soak(m, s, b, d, &p, part, kept, i, lane, kick);
    if (depth > 0) evaporated += evaporate(&p, depth, kept, &s->volume[at], &s->absorbed[at]);
    if (s->volume[at] == 0) s->strain[at] = 0;
    if (s->solids && s->volume[at] > 0) s->solids[at] = fmin(s->solids[at] * (before / s->volume[at]), RV_FILM_PACKED);
    depth_at_tip = depth;
  }
  size_t k = index * RV_LANES + (size_t)lane;
  size_t tip = b->vertex_at + (size_t)((b->vertices - 1) * RV_LANES + lane);
  // The drop at the tip.
  if (depth_at_tip > 0)
    evaporated += dry_drop(&s->drop[k], &s->drop_momentum[3 * index * RV_LANES + (size_t)lane],
                           s->solids ? &s->drop_solids[k] : NULL, depth_at_tip, m->hairs[tip]);
  // an edge without film has speed 0
  for (int j = 0; j + 1 < b->vertices; ++j) {
    size_t v = b->vertex_at + (size_t)(j * RV_LANES + lane);
    if (s->volume[v] == 0 && s->volume[v + RV_LANES] == 0) s->speed[b->edge_at + (size_t)(j * RV_LANES + lane)] = 0;
  }
  return evaporated;
}

typedef struct Dry {
  const RvFilmModel* m;
  RvFilmState* s;
  const RvFilmStepDef* def;
  double part;  // of the free room in fibres that fills within the step
  double* kick;
} Dry;

// Evaporated volume of some batches, m3.
static double dry_batches(void* arg, size_t begin, size_t end) {
  const Dry* d = arg;
  double evaporated = 0;
  for (size_t k = begin; k < end; ++k)
    for (int lane = 0; lane < d->m->batches[k].lanes; ++lane)
      evaporated += dry_lane(d->m, d->s, d->def, k, lane, d->part, d->kick);
  return evaporated;
}

void rv_film_dry(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                 RvFilmReport* report) {
  const RvFilmSettings* s = &def->settings;
  double soaks = s->absorption * def->dt;
  if (!(s->drying * def->dt > 0) && !(soaks > 0)) return;
  // the free room of a fibre falls as exp(-rate t)
  Dry d = {model, state, def, soaks > 0 ? 1 - rv_exp(-fmin(soaks, MOST_EXPONENT)) : 0, kick};
  report->evaporated += rv_parallel_sum(model->nbatch, GRAIN, dry_batches, &d);
}
