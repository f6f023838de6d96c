// What the strands' step did to the liquid (WH-35, WH-40, spec 1.2.11 with E13, E48, E51).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"
#include "math/scalar.h"

typedef struct React {
  RvCouple* c;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  RvLiquidGrid* grid;
  double dt;
  // from the scratch
  RvCoupleFaces fibre;  // m3 m/s: volume times velocity
  double* moved;        // [3 packed] m/s at the end of the strands' step
} React;

//---------------------------------------------------------------------------------------------- the film under water

// E51: of the film of a vertex the grid has 1 - w_FF. Along the strand it moves as film does now; across it, it was not
// part of what the strand's step moved: it lags behind.
static RvVec3 film_velocity(const React* r, const RvCoupleStrand* s, int i, double mass) {
  const RvFilmState* film = r->strands->film_state;
  size_t packed = s->first + (size_t)i;
  const RvCoupleVertex* v = &r->c->vertices.data[packed];
  const double* lag = r->strands->lag;
  RvVec3 now = rv_couple_v(v), back = rv_sub(now, rv_vec3_load64(&r->c->start.data[3 * packed])), sum = now;
  double above = rv_couple_above(v, i, s->count);
  if (lag) sum = rv_mad(sum, -1 / mass, rv_couple_get3(lag, s, i));
  for (int side = 0; side < 2; ++side) {
    double part = side ? above : 1 - above;
    if (part == 0) continue;
    RvVec3 t = rv_couple_tangent(side ? v : v - 1);
    if (!lag) sum = rv_mad(sum, part, rv_mad(rv_scale(back, -1), rv_dot(back, t), t));
    sum = rv_mad(sum, part * film->speed[s->edge + (size_t)(side ? i : i - 1) * RV_LANES], t);
  }
  return sum;
}

// Film that has run off since it lagged behind leaves too little to carry that, and some is below any weight: the grid
// takes none of such, and what lagged is the strand's.
static const double LEAST_FILM = 1e-9;  // of the hair's mass
static const double MOST_LAG = 10;      // m/s

static bool too_light(const React* r, const RvCoupleStrand* s, int i, size_t at, double mass) {
  if (!(mass > LEAST_FILM * r->strands->model->hair_mass[at])) return true;
  return r->strands->lag && !(rv_length(rv_couple_get3(r->strands->lag, s, i)) < MOST_LAG * mass);
}

static void submerge_some(void* arg, size_t begin, size_t end) {
  const React* r = arg;
  RvCouple* c = r->c;
  const RvFilmState* film = r->strands->film_state;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      double share = r->strands->sunk ? r->strands->sunk[at] : 1 - c->sample.wet[at];
      double mass = s->sound && c->span.data[packed] > 0 ? share * r->set->density * film->volume[at] : 0;
      if (too_light(r, s, i, at, mass)) mass = 0;
      c->submerged.data[packed] = mass;
      if (!(mass > 0)) continue;
      rv_vec3_store64(&c->film_v.data[3 * packed], film_velocity(r, s, i, mass));
    }
  }
}

static bool submerge(React* r) {
  RvCouple* c = r->c;
  size_t n = c->vertices.count;
  bool film = r->strands->film && r->set->film_in_bulk;
  if (film && (!rv_array_resize(&c->submerged, n) || !rv_array_resize(&c->film_v, 3 * n))) return false;
  if (film) rv_parallel_for(c->strands.count, 64, submerge_some, r);
  c->any_film = false;
  for (size_t i = 0; i < n && film && !c->any_film; ++i) c->any_film = c->submerged.data[i] > 0;
  return true;
}

// velocities that the strands' step ended with
static void move_some(void* arg, size_t begin, size_t end) {
  const React* r = arg;
  const double* v = r->strands->v_step ? r->strands->v_step : r->strands->v;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* s = &r->c->strands.data[k];
    for (int i = 0; i < s->count; ++i)
      for (int a = 0; a < 3; ++a)
        r->moved[3 * (s->first + (size_t)i) + (size_t)a] = v[s->unknown + (size_t)(4 * i + a) * RV_LANES];
  }
}

//---------------------------------------------------------------------------------------------- to the faces

enum { RATE, PULL, FIBRE, FILM, FILM_MOMENTUM };

// WH-40: what drag gave to the strand, by the numbers that the strand's side had; the film's mass and momentum by line
// integrals, so that their sums are its own (WH-35); fibres' volume times velocity
static bool give_reaction(void* user, size_t point, double* give) {
  const React* r = user;
  const RvCouple* c = r->c;
  const RvCouplePoint* p = &c->points.data[point];
  const RvCoupleVertex* v = &c->vertices.data[p->edge];
  const double* moved = &r->moved[3 * (size_t)p->edge];
  int width = c->any_film ? 5 : 3;
  double t = (double)p->t, part[2] = {0, 0}, radius = v[0].radius + t * (v[1].radius - v[0].radius);
  double hairs = (double)p->hairs, volume = (double)p->length * hairs * RV_PI * radius * radius;
  if (c->any_film && rv_couple_point_wet(p))
    for (int k = 0; k < 2; ++k) {
      double mass = c->submerged.data[p->edge + k];
      if (mass > 0) part[k] = mass * (double)p->length * (k ? t : 1 - t) / c->span.data[p->edge + k];
    }
  for (int a = 0; a < 3; ++a, give += width) {
    double vp = (1 - t) * moved[a] + t * moved[a + 3];
    give[RATE] = (double)p->drag[a] * (double)p->inverse[a];
    give[PULL] = give[RATE] * vp - (double)p->off[a];
    give[FIBRE] = volume * vp;
    if (width == 3) continue;
    const double* u = &c->film_v.data[3 * (size_t)p->edge + (size_t)a];
    give[FILM] = (part[0] + part[1]) * (double)p->inverse[a];
    give[FILM_MOMENTUM] =
        ((part[0] > 0 ? part[0] * u[0] : 0) + (part[1] > 0 ? part[1] * u[3] : 0)) * (double)p->inverse[a];
  }
  return true;
}

// adds to a float; what its rounding leaves goes to the next
static void add_rounded(float* to, double value, double* carry) {
  double want = (double)*to + (value + *carry);
  *to = (float)want;
  *carry = want - (double)*to;
}

static void take_reaction(void* user, int axis, size_t at, int count, const double* sums, size_t stride,
                          double carry[2]) {
  const React* r = user;
  const RvCouple* c = r->c;
  size_t home = rv_couple_home(c, at);
  float *mass = r->grid->mass[axis].data + home, *momentum = r->grid->momentum[axis].data + home;
  float* fibre = r->fibre.axis[axis] + at;
  for (int i = 0; i < count; ++i, ++sums) {
    fibre[i] += (float)sums[FIBRE * stride];
    double m = (double)c->mass.axis[axis][at + (size_t)i];
    if (!(m > 0)) continue;
    double yields = (double)c->yield.axis[axis][at + (size_t)i];
    double pull = (double)c->velocity.axis[axis][at + (size_t)i] * sums[RATE * stride] - sums[PULL * stride];
    double gain = -r->dt * yields * pull;
    if (c->any_film) {
      gain += m * sums[FILM_MOMENTUM * stride];
      if (sums[FILM * stride] > 0) add_rounded(&mass[i], m * sums[FILM * stride], &carry[1]);
    }
    if (gain != 0) add_rounded(&momentum[i], gain, &carry[0]);
  }
}

//---------------------------------------------------------------------------------------------- for the pressure

// E48. The liquid of a face has 1 / (1 + dt R) of what accelerates it, R its drag over its mass, film included; the
// drag pulls to what it has after the exchange, so that only what comes now is shared.
static void set_near(const React* r, size_t tile, size_t near) {
  const RvCouple* c = r->c;
  const RvLiquidGrid* g = r->grid;
  double cube = g->dx * g->dx * g->dx;
  for (int a = 0; a < 3; ++a)
    for (size_t k = 0; k < RV_TILE_CELLS; ++k) {
      size_t i = tile * RV_TILE_CELLS + k, n = near * RV_TILE_CELLS + k;
      double volume = (double)c->volume[a].data[n], mass = (double)g->mass[a].data[i];
      double share = 1 - (volume < RV_COUPLE_SHARE_MOST ? volume : RV_COUPLE_SHARE_MOST);
      g->share[a].data[i] = (float)share;
      g->fibre[a].data[i] = volume > 0 ? (float)((double)r->fibre.axis[a][n] / (volume * cube)) : 0;
      g->drag_target[a].data[i] = mass > 0 ? g->momentum[a].data[i] / g->mass[a].data[i] : 0;
      g->drag[a].data[i] =
          mass > 0 ? (float)(share * r->set->density * (double)c->rate[a].data[n] * (double)c->mass.axis[a][n] / mass)
                   : 0;
    }
}

static void set_faces(void* arg, size_t begin, size_t end) {
  const React* r = arg;
  const RvLiquidGrid* g = r->grid;
  for (size_t t = begin; t < end; ++t) {
    uint32_t near = r->c->near_of.data[t];
    if (near != RV_COUPLE_FAR) {
      set_near(r, t, near);
      continue;
    }
    for (int a = 0; a < 3; ++a)
      for (size_t i = t * RV_TILE_CELLS; i < (t + 1) * RV_TILE_CELLS; ++i) {
        g->share[a].data[i] = 1;
        g->fibre[a].data[i] = g->drag[a].data[i] = g->drag_target[a].data[i] = 0;
      }
  }
}

// The grid's channels, and the coupling's own: mass stays until the pressure is done.
static bool take_faces(React* r) {
  RvCouple* c = r->c;
  if (!rv_liquid_grid_share_room(r->grid)) return false;
  for (int a = 0; a < 3; ++a) {
    RvChannel given = {0}, *kept = r->grid->scratch ? &given : &c->mass_kept[a];
    if (!rv_liquid_grid_fit(r->grid, kept, c->near.count)) return false;
    c->mass.axis[a] = kept->data;
  }
  return true;
}

static bool exchange(React* r) {
  RvCouple* c = r->c;
  r->moved = RV_TAKE(c->scratch, double, 3 * c->vertices.count);
  if (!r->moved || !submerge(r) || !rv_couple_take(c, &c->velocity) || !rv_couple_take(c, &c->yield) ||
      !rv_couple_take(c, &r->fibre))
    return false;
  for (int a = 0; a < 3; ++a) memset(r->fibre.axis[a], 0, c->near.count * RV_TILE_CELLS * sizeof(float));
  rv_parallel_for(c->strands.count, 64, move_some, r);
  // the grid is that of the sample still
  rv_couple_copy_faces(c, r->grid);
  rv_couple_find_yield(c, r->dt);
  rv_couple_scatter(c, &c->near, c->any_film ? 5 : 3, give_reaction, take_reaction, r);
  rv_parallel_for(r->grid->tiles.count, 8, set_faces, r);
  return true;
}

RvResult rv_couple_react(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                         RvLiquidGrid* grid, double dt, RvError* error) {
  if (!c->any) return RV_OK;
  size_t before = c->vertices.count;
  React r = {.c = c, .strands = strands, .set = settings, .grid = grid, .dt = dt};
  bool exchanges = !settings->bulk_fixed;
  if (exchanges && c->grid_tiles != grid->tiles.count)
    return rv_fail(error, RV_INTERNAL, "coupling: the grid is not that of the sample");
  // what stays is taken first
  bool fits = !exchanges || take_faces(&r);
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = fits ? rv_couple_load(c, strands, settings, error) : RV_OK;
  if (!result && c->vertices.count != before)
    result = rv_fail(error, RV_INTERNAL, "coupling: the strands are not those of the sample");
  if (!result && (!fits || (exchanges && !exchange(&r))))
    result = rv_fail(error, RV_NO_MEMORY, "no memory for the drag of %zu tiles of liquid", grid->tiles.count);
  rv_arena_release(c->scratch, mark);
  return result;
}
