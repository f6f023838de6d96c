// Capture of particles near strands by the film (WH-31, WH-32, spec 1.2.9 with E9, E10, E42).
//
// Each particle offers a part of its volume to the edges within reach; each vertex accepts what its capacity has room
// for; the remainder of a particle is 0 or at least a tenth of nominal. In dense hair a particle has a hundred edges
// within reach, so the weights of such pairs are not stored but computed again in each pass (capture_kernel.h). Stored
// are the edges of each tile of particles, and the groups of its particles that each of them reaches. A particle
// belongs to one tile, so sums over its edges go in their order there; sums over an edge's particles are made for each
// of its tiles and then added in a fixed order.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/capture_work.h"
#include "math/scalar.h"

static const double FRESH = 0.03;  // s: a new drop is not captured at once; about the time to fall out of reach
static const double DUST = 0.1;    // of nominal: a smaller particle is captured as a whole
static const double DUST_ROUNDING = 1.0001;  // of DUST: tolerance of its comparison
static const size_t GROUPS = 12;             // groups of eight particles of a piece in dense hair, for the first guess
enum { STRANDS_OF_TASK = 64, VERTICES_OF_TASK = 1024 };

void rv_couple_capture_free(RvCaptureWork* w) {
  if (!w) return;
  for (int k = 0; k < RV_COUPLE_CHUNKS; ++k) {
    rv_array_free(&w->chunk[k]);
    rv_array_free(&w->overflow[k]);
  }
  rv_array_free(&w->entries);
  rv_free(w);
}

// Whether a particle is too small to be divided.
static bool is_dust(const RvCapture* k, double volume) {
  return volume <= DUST * k->set->nominal * DUST_ROUNDING;
}

static double smooth_step(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

//---------------------------------------------------------------------------------------------- offers and answers

// Rate of capture of a vertex, 1/s. It is 0 under water (WH-18), by the present positions of the particles: the grid is
// that of the step before, and a front that advances over hair would wet it the more the longer the step is.
static double rate_in_air(const RvCapture* k, const RvCoupleStrand* s, int i) {
  const RvCouple* c = k->c;
  size_t packed = s->first + (size_t)i;
  double rate = fmax(k->set->capture * rv_couple_at(k->set->capture_at, s, i), 0);
  if (!(rate > 0)) return rate;
  double fibres = c->vertices.data[packed].radius / c->capacity_radius.data[packed];
  double share = rv_clamp(c->hair_count.data[packed] * fibres * fibres, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  double submersion =
      smooth_step(rv_couple_fill(k->grid, k->p, c->vertices.data[packed].x) / (RV_COUPLE_FULL * (1 - share)));
  return rate * smooth_step(1 - submersion);
}

static double capture_rate(const RvCapture* k, const RvCoupleStrand* s, int i) {
  return k->given_rate ? k->given_rate[s->vertex + (size_t)i * RV_LANES] : rate_in_air(k, s, i);
}

// Rates and free capacities of some strands.
static void set_room(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  const RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      double room = k->c->capacity.data[packed] - film->volume[s->vertex + (size_t)i * RV_LANES];
      double rate = s->valid ? capture_rate(k, s, i) : 0;
      // `scale` holds the rate until the offers are made
      k->scale[packed] = rate;
      k->room[packed] = s->valid && rate > 0 && room > 0 ? room : 0;
    }
  }
}

// The arrays of a tile for the kernels.
static RvCaptureTile tile_of(const RvCapture* k, size_t tile) {
  const RvParticles* p = k->p;
  return (RvCaptureTile){.x = {p->x[0], p->x[1], p->x[2]},
                         .v = {p->v[0], p->v[1], p->v[2]},
                         .cell = p->cell_first + tile * RV_TILE_CELLS,
                         .count = p->count,
                         .rows = k->rows[tile],
                         .weight = k->weight,
                         .rate = k->rate,
                         .nearest = k->nearest,
                         .each = k->each,
                         .given = k->weight,
                         .refused = k->nearest};
}

// A piece relative to its tile, in cells.
static RvCapturePiece piece_of(const RvCapture* k, const RvCaptureEntry* e) {
  double a[3], d[3], reach = k->reach[e->edge], square = 0;
  RvCapturePiece p = {.from = e->from, .to = e->to, .near = (float)(1 / (reach * reach)), .reach = (float)reach};
  rv_couple_capture_edge(k, e->edge, a, d);
  for (int n = 0; n < 3; ++n) {
    square += d[n] * d[n];
    p.a[n] = (float)(a[n] - (double)k->p->homes.coord[e->home][n] * RV_TILE_SIDE);
    p.d[n] = (float)d[n];
  }
  p.inverse = square > 0 ? (float)(1 / square) : 0;
  return p;
}

// Volume that a particle offers for each weight. The offered share is 1 - exp(-rate fade dt) with the mean rate of the
// hairs within reach; fade is the largest weight, 1 on a hair and 0 at its reach.
static double offer(const RvCapture* k, size_t i) {
  double weight = k->weight[i];
  double volume = k->p->volume[i];
  double least = DUST * k->set->nominal;
  if (!(weight > 0) || !(volume > 0)) return 0;
  double fade = fmin((double)k->nearest[i], 1) * smooth_step((double)k->p->age[i] / FRESH);
  double part = 1 - rv_exp(-(double)k->rate[i] / weight * fade * k->dt);
  // dust is captured as a whole or not at all; the remainder of a larger particle does not become dust
  double want = is_dust(k, volume) ? (part > 0 ? volume : 0) : fmin(part * volume, volume - least);
  return want / weight;
}

// Whether no strand is near a tile.
static bool is_far(const RvCapture* k, size_t tile) {
  return k->tile_first[tile] == k->tile_first[tile + 1];
}

static size_t groups_most(const RvCapture* k, size_t tile) {
  const uint32_t* cell = k->p->cell_first + tile * RV_TILE_CELLS;
  return rv_couple_capture_groups_most(cell[RV_TILE_CELLS] - cell[0]);
}

// Divides the tiles into shares of about equal numbers of entries, with room for their groups; false: no memory.
static bool share_tiles(RvCapture* k) {
  size_t tiles = k->p->homes.count, total = k->w->entries.count, t = 0;
  for (size_t n = 0; n < RV_COUPLE_CHUNKS; ++n) {
    size_t most = 0, first = k->shares[n] = t;
    for (; t < tiles && (uint64_t)k->tile_first[t] * RV_COUPLE_CHUNKS < (uint64_t)total * (n + 1); ++t)
      if (!is_far(k, t) && groups_most(k, t) > most) most = groups_most(k, t);
    RvCaptureGroups* g = &k->groups[n];
    g->capacity = GROUPS * (k->tile_first[t] - k->tile_first[first]) + most;
    g->overflow = &k->w->overflow[n];
    if (!(g->data = RV_TAKE(k->c->scratch, RvCaptureGroup, g->capacity))) return false;
  }
  k->shares[RV_COUPLE_CHUNKS] = tiles;
  return true;
}

// Room for `more` groups; false: no memory.
static bool make_room(RvCaptureGroups* g, size_t more) {
  size_t need = g->count + more;
  if (need <= g->capacity) return true;
  if (need > UINT32_MAX / 2) return false;
  // The overflow stays for the next calls, and holds the groups already once it is in use.
  RvCaptureOverflow* o = g->overflow;
  bool fresh = g->data != o->data;
  o->count = fresh ? 0 : g->count;
  if (!rv_array_reserve(o, need)) return false;
  if (fresh) memcpy(o->data, g->data, g->count * sizeof *o->data);
  g->data = o->data;
  g->capacity = o->capacity;
  return true;
}

// Offers of a tile's particles to its pieces.
static void sum_offers(const RvCapture* k, size_t t, const RvCaptureTile* tile, const RvCaptureGroups* groups) {
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j)
    RV_KERNEL_CALL(rv_couple_capture_ask,
                   (tile, &k->pieces[j], groups->data + k->pieces[j].first_group, k->sums[k->order[j]].at));
}

// Weights of a tile's particles over its pieces; false: no memory.
static bool weigh_tile(const RvCapture* k, size_t t, const RvCaptureTile* tile, RvCaptureGroups* groups) {
  size_t most = groups_most(k, t);
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j) {
    const RvCaptureEntry* e = &k->w->entries.data[k->order[j]];
    const float rate[2] = {(float)k->scale[e->edge], (float)k->scale[e->edge + 1]};
    RvCapturePiece* piece = &k->pieces[j];
    *piece = piece_of(k, e);
    piece->first_group = (uint32_t)groups->count;
    if (!make_room(groups, most)) return false;
    RV_KERNEL_CALL(rv_couple_capture_weigh, (tile, piece, rate, groups->data + groups->count));
    groups->count += piece->groups;
  }
  return true;
}

// Offers of some shares of tiles.
static void offer_some(void* arg, size_t begin, size_t end) {
  RvCapture* k = arg;
  for (size_t share = begin; share < end; ++share) {
    RvCaptureGroups* groups = &k->groups[share];
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t) {
      if (is_far(k, t)) continue;
      RvCaptureTile tile = tile_of(k, t);
      size_t first = tile.cell[0], last = tile.cell[RV_TILE_CELLS];
      for (size_t i = first; i < last; ++i) {
        k->weight[i] = k->each[i] = 0;
        k->rate[i] = k->nearest[i] = 0;
      }
      if (!k->failed[share]) k->failed[share] = !weigh_tile(k, t, &tile, groups);
      if (k->failed[share]) return;
      for (size_t i = first; i < last; ++i) k->each[i] = offer(k, i);
      sum_offers(k, t, &tile, groups);
    }
  }
}

// Adds the first `count` numbers of the offers to a vertex, from the edges above and below it.
static void add_offers(const RvCapture* k, size_t vertex, int count, double* sum) {
  for (size_t side = 0; side < 2; ++side) {
    if (vertex < side) continue;
    for (size_t j = k->edge_first[vertex - side]; j < k->edge_first[vertex - side + 1]; ++j)
      for (int n = 0; n < count; ++n) sum[n] += k->sums[j].at[4 * side + (size_t)n];
  }
}

// Share of the offers that each vertex accepts.
static void scale_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t i = begin; i < end; ++i) {
    double asked = 0, room = k->room[i];
    add_offers(k, i, 1, &asked);
    k->scale[i] = asked > room ? room / asked : 1;
  }
}

// Whether some vertex near a tile refuses a part of its offers.
static bool lacks_room(const RvCapture* k, size_t tile) {
  for (size_t j = k->tile_first[tile]; j < k->tile_first[tile + 1]; ++j) {
    const double* s = &k->scale[k->w->entries.data[k->order[j]].edge];
    if (s[0] < 1 || s[1] < 1) return true;
  }
  return false;
}

// Removes the accepted volume from a particle. Dust is kept whole where some of it was refused; true: so it was, and
// the offers must be summed again without it.
static bool give(const RvCapture* k, size_t i) {
  double volume = k->p->volume[i], sum = k->each[i] * k->weight[i];
  bool dust = is_dust(k, volume), refused = dust && sum > 0 && k->nearest[i] > 0;
  if (refused || !(sum > 0)) sum = k->each[i] = 0;
  if (!k->set->bulk_fixed && sum > 0) k->p->volume[i] = dust ? 0 : volume - sum;
  k->weight[i] = sum;
  return refused;
}

// Captured volume of a tile's particles.
static void give_tile(const RvCapture* k, size_t t, const RvCaptureGroups* groups) {
  RvCaptureTile tile = tile_of(k, t);
  size_t first = tile.cell[0], last = tile.cell[RV_TILE_CELLS];
  bool again = false;
  // without refusals the sums of weights are those of the offers
  bool lacks = lacks_room(k, t);
  for (size_t i = first; i < last; ++i) k->nearest[i] = 0;
  for (size_t i = first; i < last && lacks; ++i) k->weight[i] = 0;
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1] && lacks; ++j)
    RV_KERNEL_CALL(rv_couple_capture_give, (&tile, &k->pieces[j], groups->data + k->pieces[j].first_group,
                                            &k->scale[k->w->entries.data[k->order[j]].edge]));
  for (size_t i = first; i < last; ++i) again |= give(k, i);
  // refused dust leaves the sums
  if (again) sum_offers(k, t, &tile, groups);
}

static void give_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t share = begin; share < end; ++share)
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t)
      if (!is_far(k, t)) give_tile(k, t, &k->groups[share]);
}

//---------------------------------------------------------------------------------------------- to the film

// Volume and momentum that some vertices gain.
static void gather_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t i = begin; i < end; ++i) {
    double* gain = &k->gain[4 * i];
    memset(gain, 0, 4 * sizeof *gain);
    add_offers(k, i, 4, gain);
    gain[0] *= k->scale[i];
    for (int a = 1; a < 4; ++a) gain[a] *= k->scale[i] * k->set->density;
  }
}

// Adds the gains of some strands to the film (E42). The captured liquid's velocity relative to the vertex is split:
// along each of its edges, by their shares of the vertex, it changes the film's speed; across it is an impulse on the
// strand. So total momentum is exact.
static void apply_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    double last_moved = 0, last_flow = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      const double* gain = &k->gain[4 * packed];
      const RvCoupleVertex* v = &k->c->vertices.data[packed];
      double above = rv_couple_above(v, i, s->count), moved[2] = {0, 0}, flow[2] = {0, 0};
      // Captured liquid relative to the vertex: along its edges, and across.
      if (gain[0] > 0) {
        RvVec3 slip = rv_sub(rv_scale(rv_vec3_load64(gain + 1), 1 / (k->set->density * gain[0])), rv_couple_v(v));
        RvVec3 across = slip;
        for (int side = 0; side < 2; ++side) {
          double part = side ? above : 1 - above;
          if (part == 0) continue;
          RvVec3 t = rv_couple_tangent(side ? v : v - 1);
          double along = rv_dot(slip, t);
          across = rv_mad(across, -part * along, t);
          moved[side] = part * gain[0];
          flow[side] = part * gain[0] * along;
        }
        rv_couple_kick(k->kick, s, i, rv_scale(across, k->set->density * gain[0]));
      }
      // Speed of the edge below, which has the gains of both of its vertices now.
      if (i > 0) {
        // film of the edge below before capture; the volume of its lower vertex has changed already
        double below = rv_couple_above(v - 1, i - 1, s->count);
        double before =
            below * (film->volume[at - RV_LANES] - k->gain[4 * (packed - 1)]) + (1 - above) * film->volume[at];
        double more = last_moved + moved[0];
        double* speed = &film->speed[s->edge + (size_t)(i - 1) * RV_LANES];
        if (more > 0) *speed = (before * *speed + last_flow + flow[0]) / (before + more);
      }
      rv_film_gain(film, at, gain[0]);
      last_moved = moved[1];
      last_flow = flow[1];
    }
  }
}

// Memory of the packed vertices; false: no memory.
static bool fit(RvCapture* k) {
  RvCouple* c = k->c;
  if (!c->capture && !(c->capture = rv_alloc_zero(1, sizeof *c->capture))) return false;
  k->w = c->capture;
  size_t n = c->vertices.count;
  k->room = RV_TAKE(c->scratch, double, n);
  k->scale = RV_TAKE(c->scratch, double, n);
  k->gain = RV_TAKE(c->scratch, double, 4 * n);
  k->reach = RV_TAKE(c->scratch, double, n);
  k->edge_first = RV_TAKE(c->scratch, uint32_t, n + 1);
  k->rows = RV_TAKE(c->scratch, uint64_t, k->p->homes.count);
  return k->room && k->scale && k->gain && k->reach && k->edge_first && k->rows;
}

// Adds the captured particles and volume to the report.
static void count_captured(const RvCapture* k, RvCoupleReport* report) {
  for (size_t t = 0; t < k->p->homes.count; ++t) {
    if (is_far(k, t)) continue;
    for (size_t i = k->p->cell_first[t * RV_TILE_CELLS]; i < k->p->cell_first[(t + 1) * RV_TILE_CELLS]; ++i) {
      report->captured += k->weight[i] > 0;
      report->captured_volume += k->weight[i];
    }
  }
}

// The method; false: no memory.
static bool capture(RvCapture* k, RvCoupleReport* report) {
  size_t strands = k->c->strands.count, vertices = k->c->vertices.count;
  if (!fit(k)) return false;
  // Pairs of edges and tiles within reach.
  rv_parallel_for(strands, STRANDS_OF_TASK, set_room, k);
  if (!rv_couple_capture_find_entries(k)) return false;
  if (k->w->entries.count == 0) return true;
  if (!rv_couple_capture_sort_entries(k) || !share_tiles(k)) return false;
  // Offers of the particles.
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, offer_some, k);
  for (int n = 0; n < RV_COUPLE_CHUNKS; ++n)
    if (k->failed[n]) return false;
  // What the vertices accept.
  rv_parallel_for(vertices, VERTICES_OF_TASK, scale_some, k);
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, give_some, k);
  // To the film.
  rv_parallel_for(vertices, VERTICES_OF_TASK, gather_some, k);
  rv_parallel_for(strands, STRANDS_OF_TASK, apply_some, k);
  count_captured(k, report);
  return true;
}

RvResult rv_couple_capture_at_rates(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                    const RvLiquidGrid* grid_space, RvParticles* particles, double dt,
                                    const double* rate, double* kick, RvCoupleReport* report, RvError* error) {
  if (!(settings->capture > 0) || particles->sorted == 0 || !strands->film || !(dt > 0) || !(grid_space->dx > 0))
    return RV_OK;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  RvCapture k = {.c = c,
                 .strands = strands,
                 .set = settings,
                 .grid = grid_space,
                 .p = particles,
                 .dt = dt,
                 .side = rv_couple_root3(fmax(settings->nominal, 0)),
                 .given_rate = rate,
                 .kick = kick};
  if (!result && c->strands.count && !capture(&k, report))
    result =
        rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for the particles near %zu strands", c->strands.count);
  rv_arena_release(c->scratch, mark);
  return result;
}

RvResult rv_couple_capture(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, double* kick,
                           RvCoupleReport* report, RvError* error) {
  return rv_couple_capture_at_rates(c, strands, settings, grid_space, particles, dt, NULL, kick, report, error);
}
