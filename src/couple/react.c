// Reaction of the strands' step on the liquid (WH-35, WH-40, spec 1.2.11 with E13, E48, E51).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"
#include "math/scalar.h"

enum { STRANDS_OF_TASK = 64, TILES_OF_TASK = 8 };

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

// Velocity of the submerged film of a vertex (E51: the grid has 1 - w_FF of the film). Along the strand it is the
// film's own. Across the strand the strands' step did not move it, so the momentum `lag` that v ascribes to it is
// subtracted.
static RvVec3 film_velocity(const React* r, const RvCoupleStrand* s, int i, double mass) {
  const RvFilmState* film = r->strands->film_state;
  size_t packed = s->first + (size_t)i;
  const RvCoupleVertex* v = &r->c->vertices.data[packed];
  const double* lag = r->strands->lag;
  RvVec3 now = rv_couple_v(v);
  RvVec3 change = rv_sub(now, rv_vec3_load64(&r->c->sampled_velocity.data[3 * packed]));
  RvVec3 sum = now;
  double above = rv_couple_above(v, i, s->count);
  if (lag) sum = rv_mad(sum, -1 / mass, rv_couple_get3(lag, s, i));
  for (int side = 0; side < 2; ++side) {
    double part = side ? above : 1 - above;
    if (part == 0) continue;
    RvVec3 t = rv_couple_tangent(side ? v : v - 1);
    if (!lag) sum = rv_mad(sum, part, rv_mad(rv_scale(change, -1), rv_dot(change, t), t));
    sum = rv_mad(sum, part * film->speed[s->edge + (size_t)(side ? i : i - 1) * RV_LANES], t);
  }
  return sum;
}

// The grid takes no film that is too light: below a share of the hair's mass, or where so much film has run off since
// `lag` was summed that the remainder would be faster than MOST_LAG. The lag then stays with the strand.
static const double LEAST_FILM = 1e-9;  // of the hair's mass
static const double MOST_LAG = 10;      // m/s

static bool too_light(const React* r, const RvCoupleStrand* s, int i, size_t at, double mass) {
  if (!(mass > LEAST_FILM * r->strands->model->hair_mass[at])) return true;
  return r->strands->lag && !(rv_length(rv_couple_get3(r->strands->lag, s, i)) < MOST_LAG * mass);
}

// Mass and velocity of the submerged film of some strands.
static void submerge_some(void* arg, size_t begin, size_t end) {
  const React* r = arg;
  RvCouple* c = r->c;
  const RvFilmState* film = r->strands->film_state;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      double share = r->strands->film_share_in_bulk ? r->strands->film_share_in_bulk[at] : 1 - c->sample.wet[at];
      double mass = s->valid && c->wet_length.data[packed] > 0 ? share * r->set->density * film->volume[at] : 0;
      if (too_light(r, s, i, at, mass)) mass = 0;
      c->submerged.data[packed] = mass;
      if (!(mass > 0)) continue;
      rv_vec3_store64(&c->film_v.data[3 * packed], film_velocity(r, s, i, mass));
    }
  }
}

// Finds the submerged film; false: no memory.
static bool submerge(React* r) {
  RvCouple* c = r->c;
  size_t n = c->vertices.count;
  bool film = r->strands->film && r->set->film_in_bulk;
  if (film && (!rv_array_resize(&c->submerged, n) || !rv_array_resize(&c->film_v, 3 * n))) return false;
  if (film) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, submerge_some, r);
  c->has_submerged_film = false;
  for (size_t i = 0; i < n && film && !c->has_submerged_film; ++i) c->has_submerged_film = c->submerged.data[i] > 0;
  return true;
}

// Velocities of some strands at the end of their step.
static void pack_step_velocities(void* arg, size_t begin, size_t end) {
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

// Numbers that each point gives to the faces of an axis: drag over mass; that times the strand's velocity, less the
// off-diagonal drag; fibre volume times velocity; film's mass and momentum, each over the liquid's mass.
enum { RATE, PULL, FIBRE, FILM, FILM_MOMENTUM };
enum { WIDTH_DRY = FILM, WIDTH_WITH_FILM = FILM_MOMENTUM + 1 };  // numbers without and with film

// WH-40: the drag's impulse by the same numbers as on the strand's side; the film's mass and momentum by line
// integrals, so that their sums over the points are the film's own (WH-35); the fibres' volume times velocity.
static bool give_reaction(void* user, size_t point, double* give) {
  const React* r = user;
  const RvCouple* c = r->c;
  const RvCouplePoint* p = &c->points.data[point];
  const RvCoupleVertex* v = &c->vertices.data[p->edge];
  const double* moved = &r->moved[3 * (size_t)p->edge];
  int width = c->has_submerged_film ? WIDTH_WITH_FILM : WIDTH_DRY;
  double t = (double)p->t, part[2] = {0, 0}, radius = v[0].radius + t * (v[1].radius - v[0].radius);
  double hairs = (double)p->hairs;
  double volume = (double)p->length * hairs * RV_PI * radius * radius;
  // The point's part of the film of both vertices.
  if (c->has_submerged_film && rv_couple_point_wet(p))
    for (int k = 0; k < 2; ++k) {
      double mass = c->submerged.data[p->edge + k];
      if (mass > 0) part[k] = mass * (double)p->length * (k ? t : 1 - t) / c->wet_length.data[p->edge + k];
    }
  // Numbers of each axis.
  for (int a = 0; a < 3; ++a, give += width) {
    double vp = (1 - t) * moved[a] + t * moved[a + 3];
    give[RATE] = (double)p->drag[a] * (double)p->inverse_mass[a];
    give[PULL] = give[RATE] * vp - (double)p->off_diagonal[a];
    give[FIBRE] = volume * vp;
    if (width == WIDTH_DRY) continue;
    const double* u = &c->film_v.data[3 * (size_t)p->edge + (size_t)a];
    give[FILM] = (part[0] + part[1]) * (double)p->inverse_mass[a];
    give[FILM_MOMENTUM] =
        ((part[0] > 0 ? part[0] * u[0] : 0) + (part[1] > 0 ? part[1] * u[3] : 0)) * (double)p->inverse_mass[a];
  }
  return true;
}

// Adds to a float and hands the rounding error on to the next sum, so that the total is exact.
static void add_rounded(float* to, double value, double* carry) {
  double want = (double)*to + (value + *carry);
  *to = (float)want;
  *carry = want - (double)*to;
}

// Adds the sums of some faces to the grid's mass and momentum.
static void take_reaction(void* user, int axis, size_t at, int count, const double* sums, size_t stride,
                          double carry[2]) {
  const React* r = user;
  const RvCouple* c = r->c;
  size_t home = rv_couple_home(c, at);
  float* mass = r->grid->mass[axis].data + home;
  float* momentum = r->grid->momentum[axis].data + home;
  float* fibre = r->fibre.axis[axis] + at;
  for (int i = 0; i < count; ++i, ++sums) {
    fibre[i] += (float)sums[FIBRE * stride];
    double m = (double)c->mass.axis[axis][at + (size_t)i];
    if (!(m > 0)) continue;
    double effective_mass = (double)c->effective_mass.axis[axis][at + (size_t)i];
    double pull = (double)c->velocity.axis[axis][at + (size_t)i] * sums[RATE * stride] - sums[PULL * stride];
    double gain = -r->dt * effective_mass * pull;
    if (c->has_submerged_film) {
      gain += m * sums[FILM_MOMENTUM * stride];
      if (sums[FILM * stride] > 0) add_rounded(&mass[i], m * sums[FILM * stride], &carry[1]);
    }
    if (gain != 0) add_rounded(&momentum[i], gain, &carry[0]);
  }
}

//---------------------------------------------------------------------------------------------- for the pressure

// Fill of the cells, and volume fraction, fibre velocity, drag and drag target of the faces of a tile (E48). With R the
// drag over the mass,
// film included, the liquid of a face keeps 1 / (1 + dt R) of its acceleration. The drag target is the velocity after
// the exchange, so that only the change by the pressure is shared with the strands.
static void set_near(const React* r, size_t tile, size_t near) {
  const RvCouple* c = r->c;
  const RvLiquidGrid* g = r->grid;
  double cube = g->dx * g->dx * g->dx;
  memcpy(g->fill.data + tile * RV_TILE_CELLS, c->fill.data + near * RV_TILE_CELLS, RV_TILE_CELLS * sizeof(float));
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

// The same for some tiles of the grid; tiles away from strands have neither fibres nor drag.
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

// Room for the grid's channels, and for the faces' mass, which is kept until the pressure is done; false: no memory.
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

// The exchange with the grid; false: no memory.
static bool exchange(React* r) {
  RvCouple* c = r->c;
  r->moved = RV_TAKE(c->scratch, double, 3 * c->vertices.count);
  if (!r->moved || !submerge(r) || !rv_couple_take(c, &c->velocity) || !rv_couple_take(c, &c->effective_mass) ||
      !rv_couple_take(c, &r->fibre))
    return false;
  for (int a = 0; a < 3; ++a) memset(r->fibre.axis[a], 0, c->near.count * RV_TILE_CELLS * sizeof(float));
  rv_parallel_for(c->strands.count, STRANDS_OF_TASK, pack_step_velocities, r);
  // the grid still holds what was sampled
  rv_couple_copy_faces(c, r->grid);
  rv_couple_find_effective_mass(c, r->dt);
  rv_couple_scatter(c, &c->near, c->has_submerged_film ? WIDTH_WITH_FILM : WIDTH_DRY, give_reaction, take_reaction, r);
  rv_parallel_for(r->grid->tiles.count, TILES_OF_TASK, set_faces, r);
  return true;
}

RvResult rv_couple_react(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                         RvLiquidGrid* grid, double dt, RvError* error) {
  if (!c->has_points) return RV_OK;
  size_t before = c->vertices.count;
  React r = {.c = c, .strands = strands, .set = settings, .grid = grid, .dt = dt};
  bool exchanges = !settings->bulk_fixed;
  if (exchanges && c->grid_tiles != grid->tiles.count)
    return rv_fail(error, RV_INTERNAL, "coupling: the liquid's grid changed between sample and reaction");
  // memory that outlives this call is taken before the mark
  bool fits = !exchanges || take_faces(&r);
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = fits ? rv_couple_pack(c, strands, settings, error) : RV_OK;
  if (!result && c->vertices.count != before)
    result = rv_fail(error, RV_INTERNAL, "coupling: the strands changed between sample and reaction");
  if (!result && (!fits || (exchanges && !exchange(&r))))
    result =
        rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for the drag of %zu tiles of liquid", grid->tiles.count);
  rv_arena_release(c->scratch, mark);
  return result;
}
