// Dripping: pendant drops and film above the carrying capacity become particles (WH-28 to WH-30, spec 1.2.8 with E50).
//
// The size of drops is physical and does not depend on the particles' size.
//   - A tip lets its pendant drop fall when it is heavier than the tension of its one line of contact: Tate's law,
//     V = 2 pi r tension / (density a). The film keeps the hair above the drop wet, so that the surface leaves the
//     hair along it, whatever the contact angle; the drop's pressure is lower than the film's and drains its neck to
//     the radius of the hair. The share of the drop that falls (Harkins and Brown) is 1 for thin fibres: it depends on
//     r / V^(1/3), which is below 0.06 for hairs of up to 0.1 mm. All of the drop falls. N hairs side by side hold
//     sqrt(N) times as much, as in (17). The momentum of the film that flows into the drop counts with its weight
//     (Scheele and Meister); where it alone exceeds the tension the film leaves as a jet, in the drops that a jet of
//     its section breaks into.
//   - Film above the capacity of a stretch of 2 r_max leaves at a rate, as drops of the ball of r_max, which is what
//   the
//     stretch holds by (17). What is due in a step and less than a drop is the probability of one: so the mean rate
//     does not depend on the step. A drop leaves once half of it is above the capacity and takes the other half from
//     below, so that the mean film that is kept equals the capacity.
// A drop of more than a particle's volume is a ball of particles with one velocity, a smaller one is one particle.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "couple/store.h"
#include "liquid/drop.h"
#include "math/scalar.h"

enum { MOST_DROPS = 16 };         // of one stretch in a substep
static const double DUST = 1e-4;  // of nominal: smallest drop, so that film of no capacity does not become dust
enum { VERTEX_KEYS = 64 };        // keys of random numbers: drops of vertex i are numbered from i * VERTEX_KEYS on

// A drop that leaves.
typedef struct Drop {
  RvVec3 x, v;      // m in the liquid's space, its centre; m/s
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

// Volume of the drops of a jet, in its radius times its section: the length of the fastest growing wave (Rayleigh).
static const double JET = 9.02;

// Volume that the strand's tip holds against a pull, m3: its share of what the hairs around hold together.
static double tip_holds(const Drip* k, const RvCoupleStrand* s, double pull) {
  int i = s->count - 1;
  size_t packed = s->first + (size_t)i;
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  const RvFilmState* film = k->strands->film_state;
  double multiplier = fmax(rv_couple_at(k->set->capacity_at, s, i), 0) * k->set->capacity;
  double one = rv_couple_tate_volume(v->radius, k->set->tension, k->set->density, pull);
  double still = multiplier * one * s->hairs / sqrt(k->c->hair_count.data[packed]);
  // The film that flows in: its section, m2, its momentum as the volume of the same weight, and the drop of a jet.
  double section = v->length > 0 ? film->volume[s->vertex + (size_t)i * RV_LANES] / v->length : 0;
  double speed = fmax(film->speed[s->edge + (size_t)(i - 1) * RV_LANES], 0);
  double jet = JET * section * (v->radius + rv_film_height(section / s->hairs, v->radius));
  return fmax(still - section * speed * speed / pull, fmin(jet, still));
}

// The pendant drop at the tip falls when it exceeds what the tip holds. What came within the step after that belongs to
// the next drop: so that the size of drops does not depend on the step, whole multiples of what the tip holds fall,
// more than one where the pull has suddenly risen. The centre is a drop's radius from the tip, in the direction of the
// pull. False: no memory.
static bool drip_tip(const Drip* k, uint32_t index, Drops* out, double* retained) {
  const RvCoupleStrand* s = &k->c->strands.data[index];
  double* hangs = &k->strands->film_state->drop[s->drop];
  int i = s->count - 1;
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)i];
  if (!(*hangs > 0)) return true;
  // The part that falls.
  RvVec3 pull = rv_vec3_load64(&k->c->tip_pull.data[3 * (size_t)index]);
  double strength = sqrt(rv_dot(pull, pull) + RV_COUPLE_LEAST_PULL * RV_COUPLE_LEAST_PULL);
  double holds = fmax(tip_holds(k, s, strength), DUST * k->set->nominal);
  double volume = fmin(holds * floor(*hangs / holds), *hangs);
  RvVec3 centre = rv_mad(rv_couple_x(v), rv_liquid_drop_radius(volume) / strength, pull);
  if (!(volume > 0) || !(rate_at(k, s, i) > 0) || !in_range(k, centre)) {
    *retained += *hangs;
    return true;
  }
  // Its velocity and its share of the momentum, which is relative to the tip.
  double* p = rv_couple_drop_momentum(k->strands->film_state, s);
  RvVec3 own = rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
  RvVec3 u = rv_mad(rv_couple_v(v), 1 / (k->set->density * *hangs), own);
  double rest = *hangs - volume;
  for (size_t a = 0; a < 3; ++a) p[a * RV_LANES] *= rest / *hangs;
  Drop drop = {centre, u, *hangs - rest, index, i};
  *hangs = rest;
  return rv_array_push(out, drop);
}

//---------------------------------------------------------------------------------------------- along the strand

// A stretch of a strand: vertices first .. last - 1.
typedef struct Stretch {
  int first, last;
  double length;    // m
  double volume;    // m3 of film
  double capacity;  // m3
  double excess;    // m3 above the capacity
  double due;       // m3 that leaves in the step
  int fullest;      // vertex of the largest excess
} Stretch;

// Adds a vertex to a stretch.
static void add_vertex(const Drip* k, const RvCoupleStrand* s, int i, double* most, Stretch* r) {
  size_t packed = s->first + (size_t)i;
  double film = k->strands->film_state->volume[s->vertex + (size_t)i * RV_LANES];
  double excess = fmax(film - k->c->capacity.data[packed], 0);
  r->volume += film;
  r->capacity += k->c->capacity.data[packed];
  r->excess += excess;
  if (excess > 0) r->due += excess * (1 - rv_exp(-rate_at(k, s, i) * k->dt));
  if (excess > *most) {
    *most = excess;
    r->fullest = i;
  }
  r->length += k->c->vertices.data[packed].length;
  r->last = i + 1;
}

// The stretch that begins at a vertex, `left` m before the tip: 2 r_max, and all of the rest if it is shorter than
// that.
static Stretch stretch_from(const Drip* k, const RvCoupleStrand* s, int first, double left) {
  Stretch r = {.first = first, .last = first, .fullest = first};
  double most = -1;
  while (r.last < s->count) {
    double whole = 2 * k->c->capacity_radius.data[s->first + (size_t)r.last];
    add_vertex(k, s, r.last, &most, &r);
    if (r.length >= whole && left - r.length >= whole) break;
  }
  return r;
}

// Volume of a drop of a stretch, m3: what 2 r_max of the strand hold at its fullest vertex, or the stretch if it is
// shorter.
static double drop_of(const Drip* k, const RvCoupleStrand* s, const Stretch* r) {
  size_t packed = s->first + (size_t)r->fullest;
  double length = k->c->vertices.data[packed].length, reach = k->c->capacity_radius.data[packed];
  double ball = length > 0 ? k->c->capacity.data[packed] / length * 2 * reach : 0;
  return fmax(fmin(ball, r->capacity), DUST * k->set->nominal);
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
  double each = drop_of(k, s, r);
  double sure = fmin(floor(r->due / each), MOST_DROPS);
  double remainder = sure < MOST_DROPS ? r->due - sure * each : 0;
  // One more drop, with the probability of the remainder.
  double chance = rv_random(k->random, (uint64_t)s->input, (uint64_t)r->first, 1);
  bool more = (sure + 1) * each <= r->volume && r->excess - sure * each >= 0.5 * each && chance * each < remainder;
  int count = (int)sure + more;
  if (count == 0 || !in_range(k, rv_couple_x(&k->c->vertices.data[s->first + (size_t)r->fullest]))) {
    *retained += r->excess;
    return true;
  }
  // Drops from the fullest vertex, with the mean velocity of their liquid.
  double got;
  RvVec3 p = take(k, s, r, count * each, &got), v = rv_scale(p, 1 / (k->set->density * got));
  double sized = got / count;
  for (int n = 0; n < count; ++n) {
    Drop drop = {random_position(k, s, r->fullest, n), v, n + 1 < count ? sized : got, index, r->fullest};
    if (!rv_array_push(out, drop)) return false;
    got -= drop.volume;
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
      double left = 0;
      for (int i = 0; i < s->count; ++i) left += k->c->vertices.data[s->first + (size_t)i].length;
      for (int i = 0; i < s->count && ok;) {
        Stretch r = stretch_from(k, s, i, left);
        if (r.excess > 0) ok = drip_stretch(k, (uint32_t)n, &r, out, &k->retained[chunk]);
        i = r.last;
        left -= r.length;
      }
    }
    k->failed[chunk] = !ok;
  }
}

//---------------------------------------------------------------------------------------------- particles

// Adds a particle of a drop at x; the rounding error of its float velocity is an impulse on the strand. False: no
// memory.
static bool add_particle(const Drip* k, const Drop* d, RvVec3 place, double volume, RvParticles* p, int64_t* next_id,
                         int32_t row, double* kick) {
  double x[3], u[3] = {d->v.x, d->v.y, d->v.z}, lost[3];
  rv_vec3_store64(x, place);
  for (int a = 0; a < 3; ++a) x[a] = (x[a] - k->grid->origin[a]) / k->grid->dx;
  size_t i = rv_liquid_particles_add(p, x);
  if (i == SIZE_MAX) return false;
  p->volume[i] = volume;
  p->id[i] = (*next_id)++;
  p->row[i] = row;
  p->age[i] = 0;
  for (int a = 0; a < 3; ++a) {
    p->v[a][i] = (float)u[a];
    lost[a] = k->set->density * volume * (u[a] - (double)p->v[a][i]);
  }
  rv_couple_kick(kick, &k->c->strands.data[d->strand], d->vertex, rv_vec3_load64(lost));
  return true;
}

// A drop becomes particles: a ball of its volume, with its centre where the drop's is. False: no memory.
static bool add_drop(const Drip* k, const Drop* d, RvParticles* p, int64_t* next_id, int32_t row, double* kick) {
  size_t count = rv_liquid_drop_count(d->volume, k->set->nominal);
  double radius = rv_liquid_drop_radius(d->volume), left = d->volume, each = d->volume / (double)count;
  RvVec3 mean = rv_liquid_drop_mean(count);
  for (size_t n = 0; n < count; ++n) {
    RvVec3 place = rv_mad(d->x, radius, rv_sub(rv_liquid_drop_place(n, count), mean));
    double volume = n + 1 < count ? each : left;
    if (!add_particle(k, d, place, volume, p, next_id, row, kick)) return false;
    left -= volume;
  }
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
    for (size_t i = 0; i < k.w->chunk[n].count; ++i)
      count += rv_liquid_drop_count(k.w->chunk[n].data[i].volume, settings->nominal);
    report->retained_volume += k.retained[n];
  }
  // Their particles, in the order of the strands.
  result = rv_liquid_particles_reserve(particles, count, error);
  for (size_t n = 0; n < chunks && !result; ++n)
    for (size_t i = 0; i < k.w->chunk[n].count && !result; ++i) {
      const Drop* d = &k.w->chunk[n].data[i];
      if (!add_drop(&k, d, particles, next_id, row, kick))
        result = rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for %zu particles", count);
      report->dripped += rv_liquid_drop_count(d->volume, settings->nominal);
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
