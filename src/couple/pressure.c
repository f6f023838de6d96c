// Action of the pressure on the strands and on the submerged film (WH-41, WH-42, spec 1.2.11 with E11, E12, E48).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"
#include "liquid/pressure.h"
#include "math/scalar.h"

#define UNKNOWN 1e30f  // Pa/m: marks a face whose gradient is not known

enum { STRANDS_OF_TASK = 32, TILES_OF_TASK = 4 };

typedef struct Push {
  RvCouple* c;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  double dt;
  double* force;        // [unknowns] N
  double* kick;         // [unknowns] kg m/s
  RvCoupleFaces slope;  // Pa/m, pressure gradient on faces
} Push;

//---------------------------------------------------------------------------------------------- the gradient on faces

// Channels of a tile with a margin of one cell.
typedef struct Halo {
  float p[RV_HALO1_CELLS], distance[RV_HALO1_CELLS], fill[RV_HALO1_CELLS], surface[RV_HALO1_CELLS];
} Halo;

// Pressure difference over a face as in the solve (liquid/pressure.h): at the surface a ghost value over the distance
// to the surface; UNKNOWN beyond a wall.
static float pressure_difference(const Halo* h, int lo, int hi, bool tension) {
  float d_lo = h->distance[lo], d_hi = h->distance[hi];
  bool wet_lo = d_lo < 0, wet_hi = d_hi < 0;
  if (wet_lo && wet_hi) return h->p[hi] - h->p[lo];
  if (!wet_lo && !wet_hi) return 0;
  int wet = wet_lo ? lo : hi, dry = wet_lo ? hi : lo;
  if (h->fill[dry] < 0) return UNKNOWN;
  float theta = h->distance[wet] / (h->distance[wet] - h->distance[dry]);
  float top = tension ? h->surface[wet] + theta * (h->surface[dry] - h->surface[wet]) : 0;
  theta = theta > (float)RV_PRESSURE_THETA ? theta < 1 ? theta : 1 : (float)RV_PRESSURE_THETA;
  return (wet_lo ? top - h->p[lo] : h->p[hi] - top) / theta;
}

// Pressure gradients on the faces of some tiles.
static void find_slopes(void* arg, size_t begin, size_t end) {
  const Push* s = arg;
  const RvLiquidGrid* g = s->grid;
  static const int step[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE * RV_HALO1_SIDE};
  bool tension = g->surface.data && g->surface.capacity >= g->tiles.count && s->set->tension > 0;
  Halo h;
  for (size_t n = begin; n < end; ++n) {
    size_t t = s->c->near_home.data[n];
    rv_channel_gather1(&g->tiles, g->pressure.data, t, 0, h.p);
    rv_channel_gather1(&g->tiles, g->distance.data, t, 1, h.distance);
    rv_channel_gather1(&g->tiles, g->fill.data, t, -1, h.fill);
    if (tension) rv_channel_gather1(&g->tiles, g->surface.data, t, 0, h.surface);
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < RV_TILE_CELLS; ++i) {
        int hi = rv_halo1_at(i & 7, i >> 3 & 7, i >> 6);
        float difference = pressure_difference(&h, hi - step[a], hi, tension);
        s->slope.axis[a][n * RV_TILE_CELLS + (size_t)i] = difference == UNKNOWN ? UNKNOWN : difference / (float)g->dx;
      }
  }
}

//---------------------------------------------------------------------------------------------- at a point

// Sums over the faces of an axis around a point.
typedef struct Faces {
  double change;    // kg m/s, change of momentum by the pressure solve
  double momentum;  // kg m/s
  double gradient;  // Pa/m, mean
} Faces;

// Sums over the eight faces of an axis around a point, by weight and mass.
static Faces faces_at(const Push* s, const RvCouplePoint* p, int axis) {
  const RvCouple* c = s->c;
  const RvLiquidGrid* g = s->grid;
  RvStencil st = rv_couple_stencil(p, axis);
  int64_t at[8], home[8];
  double known = 0;
  Faces r = {0, 0, 0};
  rv_couple_stencil_nodes(&st, &c->near, p->tile, at);
  rv_couple_stencil_homes(c, &st, p->tile, at, home);
  for (int k = 0; k < 8; ++k) {
    if (at[k] < 0) continue;
    double m = st.w[k] * (double)c->mass.axis[axis][at[k]];
    double u = (double)g->velocity[axis].data[home[k]];
    float gradient = s->slope.axis[axis][at[k]];
    // faces without liquid beside them are not part of the solve: they took the whole acceleration
    if (g->valid[axis].data[home[k]] > 0) r.change += m * (u - (double)g->drag_target[axis].data[home[k]]);
    r.momentum += m * u;
    if (gradient != UNKNOWN) {
      r.gradient += m * (double)gradient;
      known += m;
    }
  }
  r.gradient = known > 0 ? r.gradient / known : 0;
  return r;
}

// Force at a point, N, and the velocity of the liquid there. WH-42, E12: -V grad p; E48: the drag of the change of
// velocity, which is the acceleration that the liquid did not get.
static RvVec3 push_point(const Push* s, const RvCouplePoint* p, double radius, double* film) {
  double f[3], volume = (double)p->length * (double)p->hairs * RV_PI * radius * radius * (double)p->under_water;
  for (int a = 0; a < 3; ++a) {
    film[a] = 0;
    if (s->set->bulk_fixed) {
      // cached liquid has no pressure: that of a liquid at rest is taken
      f[a] = -volume * s->set->density * s->set->gravity[a];
      continue;
    }
    Faces r = faces_at(s, p, a);
    f[a] = (double)p->drag[a] * (double)p->inverse_mass[a] * r.change - volume * r.gradient;
    film[a] = r.momentum * (double)p->inverse_mass[a];
  }
  return rv_vec3_load64(f);
}

//---------------------------------------------------------------------------------------------- film

// Velocity of the submerged film of a vertex relative to the strand, stored in film_v; its part across the strand is an
// inelastic impulse on the strand, for the mass with all of its film, so that both go on with one velocity.
static void join_across(const Push* s, const RvCoupleStrand* strand, int i) {
  RvCouple* c = s->c;
  size_t packed = strand->first + (size_t)i;
  double mass = c->submerged.data[packed];
  if (!(mass > 0)) {
    // the grid took none of it: the lag stays with the strand
    if (s->strands->lag) rv_couple_kick(s->kick, strand, i, rv_scale(rv_couple_get3(s->strands->lag, strand, i), -1));
    return;
  }
  const RvCoupleVertex* v = &c->vertices.data[packed];
  RvVec3 slip = rv_sub(rv_scale(rv_vec3_load64(&c->film_v.data[3 * packed]), 1 / mass), rv_couple_v(v));
  RvVec3 across = slip;
  double above = rv_couple_above(v, i, strand->count);
  for (int side = 0; side < 2; ++side) {
    double part = side ? above : 1 - above;
    if (part == 0) continue;
    RvVec3 t = rv_couple_tangent(side ? v : v - 1);
    across = rv_mad(across, -part * rv_dot(slip, t), t);
  }
  rv_couple_kick(s->kick, strand, i, rv_scale(across, mass));
  rv_vec3_store64(&c->film_v.data[3 * packed], slip);
}

// The submerged film returns from the grid with its velocity: along the strand it mixes with the film's speed, across
// it joins the strand. Momentum is conserved for every ratio of masses.
static void return_film(const Push* s, const RvCoupleStrand* strand) {
  RvCouple* c = s->c;
  RvFilmState* film = s->strands->film_state;
  double density = s->set->density;
  for (int i = 0; i < strand->count; ++i) join_across(s, strand, i);
  for (int i = 0; i + 1 < strand->count; ++i) {
    size_t packed = strand->first + (size_t)i, at = strand->vertex + (size_t)i * RV_LANES;
    const RvCoupleVertex* v = &c->vertices.data[packed];
    double part[2] = {rv_couple_above(v, i, strand->count), 1 - rv_couple_above(v + 1, i + 1, strand->count)};
    double volume = part[0] * film->volume[at] + part[1] * film->volume[at + RV_LANES];
    double moved = 0;
    double flow = 0;
    if (!(volume > 0)) continue;
    RvVec3 t = rv_couple_tangent(v);
    for (int k = 0; k < 2; ++k) {
      double mass = part[k] * c->submerged.data[packed + (size_t)k];
      if (!(mass > 0)) continue;
      moved += mass / density;
      flow += mass / density * rv_dot(rv_vec3_load64(&c->film_v.data[3 * (packed + (size_t)k)]), t);
    }
    double* speed = &film->speed[strand->edge + (size_t)i * RV_LANES];
    if (moved > 0) *speed += (flow - moved * *speed) / volume;
  }
}

// Forces on some strands, and the return of their submerged film.
static void push_some(void* arg, size_t begin, size_t end) {
  const Push* s = arg;
  RvCouple* c = s->c;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* strand = &c->strands.data[k];
    size_t first = c->edge_first.data[strand->first];
    if (c->has_submerged_film)
      memset(&c->film_v.data[3 * strand->first], 0, (size_t)strand->count * 3 * sizeof(double));
    RvVec3 here = {0, 0, 0};
    for (int i = 0; i < strand->count; ++i) {
      size_t packed = strand->first + (size_t)i, last = c->edge_first.data[packed + 1];
      const RvCoupleVertex* v = &c->vertices.data[packed];
      RvVec3 next = {0, 0, 0};
      for (size_t n = first; n < last; ++n) {
        const RvCouplePoint* p = &c->points.data[n];
        double film[3], t = (double)p->t;
        // Force of the point on both vertices.
        RvVec3 f = push_point(s, p, v[0].radius + t * (v[1].radius - v[0].radius), film);
        here = rv_mad(here, 1 - t, f);
        next = rv_mad(next, t, f);
        // the liquid's momentum at the point, for the film of both vertices
        for (size_t end_of = 0; c->has_submerged_film && rv_couple_point_wet(p) && end_of < 2; ++end_of) {
          double mass = c->submerged.data[packed + end_of];
          if (!(mass > 0)) continue;
          mass *= (double)p->length * (end_of ? t : 1 - t) / c->wet_length.data[packed + end_of];
          for (size_t a = 0; a < 3; ++a) c->film_v.data[3 * (packed + end_of) + a] += mass * film[a];
        }
      }
      rv_couple_put3(s->force, strand, i, here);
      here = next;
      first = last;
    }
    if (c->has_submerged_film || (s->strands->lag && s->set->film_in_bulk && c->submerged.count == c->vertices.count))
      return_film(s, strand);
  }
}

RvResult rv_couple_pressure(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                            const RvLiquidGrid* grid, double dt, double* force, double* kick, RvError* error) {
  memset(force, 0, strands->model->unknowns * sizeof *force);
  if (!c->has_points) return RV_OK;
  size_t before = c->vertices.count;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  Push s = {.c = c, .strands = strands, .set = settings, .grid = grid, .dt = dt, .force = force, .kick = kick};
  RvResult result = rv_couple_pack(c, strands, settings, error);
  if (!result &&
      (c->vertices.count != before || c->grid_tiles != grid->tiles.count || (!settings->bulk_fixed && !grid->dragged)))
    result =
        rv_fail(error, RV_INTERNAL, "coupling: the strands or the liquid's grid changed between sample and pressure");
  if (!result && !settings->bulk_fixed && !rv_couple_take(c, &s.slope))
    result = rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for the pressure on %zu strands", c->strands.count);
  if (!result && !settings->bulk_fixed) rv_parallel_for(c->near.count, TILES_OF_TASK, find_slopes, &s);
  if (!result) rv_parallel_for(c->strands.count, STRANDS_OF_TASK, push_some, &s);
  rv_arena_release(c->scratch, mark);
  return result;
}
