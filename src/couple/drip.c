// Dripping: film above the carrying capacity becomes particles (WH-28 to WH-30, spec 1.2.8 with E50).
//
// Film above the capacity of a stretch leaves at a rate. A stretch is 2 r_max long, or longer until it has film for two
// drops. Drops have a quarter of nominal, or less down to a tenth. A remainder that is less than a drop is the
// probability of one: so the mean rate does not depend on the size of drops, and no dust is made. A drop leaves once
// half of it is above the capacity and takes the other half from below, so that the mean film that is kept equals the
// capacity for drops of any size.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "couple/store.h"
#include "math/scalar.h"

enum { MOST_DROPS = 16 };         // of one stretch or tip in a substep
static const double DROP = 0.25;  // of nominal: volume of a drop
static const double DUST = 0.1;   // of nominal: smallest drop
// Keys of random numbers: drops of a tip are numbered from TIP_KEY on, those of vertex i from i * VERTEX_KEYS on.
enum { TIP_KEY = 1000003, VERTEX_KEYS = 64 };

// A drop that leaves.
typedef struct Drop {
  RvVec3 x, v;      // m in the liquid's space, m/s
  double volume;    // m3
  uint32_t strand;  // and the vertex that it leaves
  int vertex;
} Drop;

typedef RV_ARRAY(Drop) Drops;

// Lists that are kept from call to call.
typedef struct RvDripWork {
  Drops chunk[RV_COUPLE_CHUNKS];
} RvDripWork;

void rv_couple_drip_free(RvDripWork* w) {
  if (!w) return;
  for (int k = 0; k < RV_COUPLE_CHUNKS; ++k) rv_array_free(&w->chunk[k]);
  rv_free(w);
}

typedef struct Drip {
  RvCouple* c;
  RvDripWork* w;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  double dt;
  uint64_t random;
  size_t grain;
  double retained[RV_COUPLE_CHUNKS];  // m3 above the capacity that stays
  bool failed[RV_COUPLE_CHUNKS];
} Drip;

// Whether the particles' tiles reach x.
static bool in_range(const Drip* k, RvVec3 x) {
  double at[3] = {x.x, x.y, x.z};
  for (int a = 0; a < 3; ++a)
    if (!(fabs((at[a] - k->grid->origin[a]) / k->grid->dx) < (double)(RV_TILE_RANGE - 1) * RV_TILE_SIDE)) return false;
  return true;
}

// Drip rate of a vertex, 1/s.
static double rate_at(const Drip* k, const RvCoupleStrand* s, int i) {
  return fmax(k->set->drip * rv_couple_at(k->set->drip_at, s, i), 0);
}

//---------------------------------------------------------------------------------------------- tips

// The pendant drop at the tip falls when it has the volume of a drop, or when it exceeds what the tip can hold: (17)
// with the whole acceleration, as at the end nothing slides along. False: no memory.
static bool drip_tip(const Drip* k, uint32_t index, Drops* out, double* retained) {
  const RvCoupleStrand* s = &k->c->strands.data[index];
  RvFilmState* film = k->strands->film_state;
  int i = s->count - 1;
  size_t packed = s->first + (size_t)i;
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  double volume = film->drop[s->drop];
  double nominal = k->set->nominal;
  double pull = k->c->tip_acceleration.data[index];
  if (!(volume > 0)) return true;
  // Whether it falls.
  double reach = rv_couple_capacity_radius(v->radius, k->set->tension, k->set->density, pull, s->hairs);
  double holds = 4.0 / 3 * RV_PI * reach * reach * reach * k->set->capacity;
  bool falls = volume >= DROP * nominal || (volume >= DUST * nominal && volume >= holds);
  double* p = rv_couple_drop_momentum(film, s);
  if (!falls || !(rate_at(k, s, i) > 0) || !in_range(k, rv_couple_x(v))) {
    *retained += volume;
    return true;
  }
  // Its velocity, and the drops.
  RvVec3 own = rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
  RvVec3 u = rv_mad(rv_couple_v(v), 1 / (k->set->density * volume), own);
  int count = (int)rv_clamp(floor(volume / (DROP * nominal)), 1, MOST_DROPS);
  double left = volume;
  for (int n = 0; n < count; ++n) {
    double each = n + 1 < count ? volume / count : left;
    double t = 0.5 * rv_random(k->random, (uint64_t)s->input, (uint64_t)(TIP_KEY + n), 0);
    Drop drop = {rv_lerp(rv_couple_x(v), rv_couple_x(v - 1), n ? t : 0), u, each, index, i};
    if (!rv_array_push(out, drop)) return false;
    left -= each;
  }
  film->drop[s->drop] = 0;
  for (size_t a = 0; a < 3; ++a) p[a * RV_LANES] = 0;
  return true;
}

//---------------------------------------------------------------------------------------------- along the strand

// A stretch of a strand: vertices first .. last - 1.
typedef struct Stretch {
  int first, last;
  double volume;  // m3 of film
  double excess;  // m3 above the capacity
  double due;     // m3 that leaves in the step
  int fullest;    // vertex of the largest excess
} Stretch;

// The stretch that begins at a vertex.
static Stretch stretch_from(const Drip* k, const RvCoupleStrand* s, int first) {
  Stretch r = {.first = first, .last = first, .fullest = first};
  double length = 0, most = -1;
  while (r.last < s->count) {
    size_t packed = s->first + (size_t)r.last;
    double film = k->strands->film_state->volume[s->vertex + (size_t)r.last * RV_LANES];
    double excess = fmax(film - k->c->capacity.data[packed], 0);
    r.volume += film;
    r.excess += excess;
    r.due += excess * (1 - rv_exp(-rate_at(k, s, r.last) * k->dt));
    if (excess > most) {
      most = excess;
      r.fullest = r.last;
    }
    length += k->c->vertices.data[packed].length;
    r.last++;
    if (length >= 2 * k->c->capacity_radius.data[packed] && r.volume >= 2 * DUST * k->set->nominal) break;
  }
  return r;
}

// Removes `volume` from the film of a stretch and returns its momentum; *got is the volume that really left. Speeds
// stay, as the drop leaves with them.
static RvVec3 take(const Drip* k, const RvCoupleStrand* s, const Stretch* r, double volume, double* got) {
  RvFilmState* film = k->strands->film_state;
  double part = r->excess > volume ? volume / r->excess : 1;
  double part_below = r->excess < volume ? (volume - r->excess) / (r->volume - r->excess) : 0;
  // Excess first, then film below the capacity; momentum of the vertex and of the flow along its edges.
  RvVec3 sum = {0, 0, 0};
  *got = 0;
  for (int i = r->first; i < r->last; ++i) {
    size_t packed = s->first + (size_t)i;
    const RvCoupleVertex* v = &k->c->vertices.data[packed];
    double *own = &film->volume[s->vertex + (size_t)i * RV_LANES], before = *own;
    double excess = fmax(before - k->c->capacity.data[packed], 0);
    double share = fmin(part * excess + part_below * (before - excess), before);
    double above = rv_couple_above(v, i, s->count);
    // after rounding: the difference of the two doubles
    *own = before - share;
    share = before - *own;
    *got += share;
    sum = rv_mad(sum, share, rv_couple_v(v));
    for (int side = 0; side < 2; ++side) {
      double weight = side ? above : 1 - above;
      if (weight == 0) continue;
      double speed = film->speed[s->edge + (size_t)(side ? i : i - 1) * RV_LANES];
      sum = rv_mad(sum, share * weight * speed, rv_couple_tangent(side ? v : v - 1));
    }
  }
  return rv_scale(sum, k->set->density);
}

// WH-30: a random position within the vertex's part of the strand.
static RvVec3 random_position(const Drip* k, const RvCoupleStrand* s, int i, int number) {
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)i];
  double u = rv_random(k->random, (uint64_t)s->input, (uint64_t)i * VERTEX_KEYS + (uint64_t)number, 0) - 0.5;
  if (i == 0) u = fabs(u);
  if (i == s->count - 1) u = -fabs(u);
  return u < 0 ? rv_lerp(rv_couple_x(v), rv_couple_x(v - 1), -u) : rv_lerp(rv_couple_x(v), rv_couple_x(v + 1), u);
}

// Drops of a stretch; false: no memory.
static bool drip_stretch(const Drip* k, uint32_t index, const Stretch* r, Drops* out, double* retained) {
  const RvCoupleStrand* s = &k->c->strands.data[index];
  double quarter = DROP * k->set->nominal;
  double sure = floor(r->due / quarter);
  double remainder = r->due - sure * quarter;
  if (sure > MOST_DROPS) {
    sure = MOST_DROPS;
    remainder = 0;
  }
  // One more drop, with the probability of the remainder.
  double left = r->excess - sure * quarter;
  double one = rv_clamp(left, DUST * k->set->nominal, quarter);
  double chance = rv_random(k->random, (uint64_t)s->input, (uint64_t)r->first, 1);
  bool more = sure * quarter + one <= r->volume && left >= 0.5 * one && chance * one < remainder;
  int count = (int)sure + more;
  double total = sure * quarter + (more ? one : 0), got;
  if (count == 0 || !in_range(k, rv_couple_x(&k->c->vertices.data[s->first + (size_t)r->fullest]))) {
    *retained += r->excess;
    return true;
  }
  // Drops from the fullest vertex, with the mean velocity of their liquid.
  RvVec3 p = take(k, s, r, total, &got), v = rv_scale(p, 1 / (k->set->density * got));
  double sized = quarter * (got / total);
  for (int n = 0; n < count; ++n) {
    double each = n + 1 < count ? sized : got;
    Drop drop = {random_position(k, s, r->fullest, n), v, each, index, r->fullest};
    if (!rv_array_push(out, drop)) return false;
    got -= each;
  }
  return true;
}

// Drops of some chunks of strands.
static void drip_some(void* arg, size_t begin, size_t end) {
  Drip* k = arg;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Drops* out = &k->w->chunk[chunk];
    size_t count = k->c->strands.count, first = chunk * k->grain;
    size_t last = first + k->grain < count ? first + k->grain : count;
    bool ok = true;
    out->count = 0;
    for (size_t n = first; n < last && ok; ++n) {
      const RvCoupleStrand* s = &k->c->strands.data[n];
      if (!s->valid) continue;
      ok = drip_tip(k, (uint32_t)n, out, &k->retained[chunk]);
      for (int i = 0; i < s->count && ok;) {
        Stretch r = stretch_from(k, s, i);
        if (r.excess > 0) ok = drip_stretch(k, (uint32_t)n, &r, out, &k->retained[chunk]);
        i = r.last;
      }
    }
    k->failed[chunk] = !ok;
  }
}

//---------------------------------------------------------------------------------------------- particles

// A drop becomes a particle; the rounding error of its float velocity is an impulse on the strand. False: no memory.
static bool add_particle(const Drip* k, const Drop* d, RvParticles* p, int64_t* next_id, int32_t row, double* kick) {
  double x[3], u[3] = {d->v.x, d->v.y, d->v.z}, lost[3];
  rv_vec3_store64(x, d->x);
  for (int a = 0; a < 3; ++a) x[a] = (x[a] - k->grid->origin[a]) / k->grid->dx;
  size_t i = rv_liquid_particles_add(p, x);
  if (i == SIZE_MAX) return false;
  p->volume[i] = d->volume;
  p->id[i] = (*next_id)++;
  p->row[i] = row;
  p->age[i] = 0;
  for (int a = 0; a < 3; ++a) {
    p->v[a][i] = (float)u[a];
    lost[a] = k->set->density * d->volume * (u[a] - (double)p->v[a][i]);
  }
  rv_couple_kick(kick, &k->c->strands.data[d->strand], d->vertex, rv_vec3_load64(lost));
  return true;
}

// The method, after the trivial cases.
static RvResult drip(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                     const RvLiquidGrid* grid_space, RvParticles* particles, int64_t* next_id, int32_t row, double dt,
                     uint64_t random, double* kick, RvCoupleReport* report, RvError* error) {
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  if (result || c->strands.count == 0) return result;
  if (!c->drip && !(c->drip = rv_alloc_zero(1, sizeof *c->drip)))
    return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for drops");
  // Drops of all strands.
  Drip k = {.c = c,
            .w = c->drip,
            .strands = strands,
            .set = settings,
            .grid = grid_space,
            .dt = dt,
            .random = random,
            .grain = (c->strands.count + RV_COUPLE_CHUNKS - 1) / RV_COUPLE_CHUNKS};
  size_t chunks = (c->strands.count + k.grain - 1) / k.grain, count = particles->count;
  rv_parallel_for(chunks, 1, drip_some, &k);
  for (size_t n = 0; n < chunks; ++n) {
    if (k.failed[n]) return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for drops");
    count += k.w->chunk[n].count;
    report->retained_volume += k.retained[n];
  }
  // Their particles, in the order of the strands.
  result = rv_liquid_particles_reserve(particles, count, error);
  for (size_t n = 0; n < chunks && !result; ++n)
    for (size_t i = 0; i < k.w->chunk[n].count && !result; ++i) {
      const Drop* d = &k.w->chunk[n].data[i];
      if (!add_particle(&k, d, particles, next_id, row, kick))
        result = rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for %zu particles", count);
      report->dripped++;
      report->dripped_volume += d->volume;
    }
  return result;
}

RvResult rv_couple_drip(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                        const RvLiquidGrid* grid_space, RvParticles* particles, int64_t* next_id, int32_t row,
                        double dt, uint64_t random, double* kick, RvCoupleReport* report, RvError* error) {
  if (!(settings->drip > 0) || !strands->film || !(dt > 0)) return RV_OK;
  if (!(settings->nominal > 0) || !(grid_space->dx > 0))
    return rv_fail(error, RV_BAD_INPUT,
                   "coupling: the nominal volume of particles must be above 0 for drops, not %g m3", settings->nominal);
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = drip(c, strands, settings, grid_space, particles, next_id, row, dt, random, kick, report, error);
  rv_arena_release(c->scratch, mark);
  return result;
}
