// Exchange of liquid between the film and the particles around it (WH-31, WH-32, spec 1.2.9 with E42, E74, E77).
//
// How much passes follows from physics (capture_demand.c); the particles around only pay for it, each by its weight,
// and take back what the film returns. In dense hair a particle has many edges within reach, so the weights of such
// pairs are not stored but computed again in each pass (capture_kernel.h). Stored are the edges of each tile of
// particles, and the groups of its particles that each of them reaches. A particle belongs to one tile, so sums over
// its edges go in their order there; sums over an edge's particles are made for each of its tiles and then added in a
// fixed order.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "couple/capture_work.h"
#include "math/scalar.h"

static const double FRESH = 0.03;      // s: a new drop is not captured at once; about the time to fall out of reach
static const double DUST = 0.1;        // of nominal: a smaller particle is captured as a whole
static const double DROP_DUST = 1e-3;  // the same of a drop of known size, which may be smaller than a particle
static const double DUST_ROUNDING = 1.0001;  // of DUST: tolerance of its comparison
enum { RANDOM_STREAM = 7 };                  // of the random numbers that decide about dust
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

// Least volume of a particle that is divided, m3.
static double dust_of(const RvCapture* k, size_t i) {
  return (k->ball[i] > 0 ? DROP_DUST : DUST) * k->set->nominal;
}

// Whether a particle is too small to be divided.
static bool is_dust(const RvCapture* k, size_t i) {
  return k->p->volume[i] <= dust_of(k, i) * DUST_ROUNDING;
}

//---------------------------------------------------------------------------------------------- tiles

// The arrays of a tile for the kernels.
static RvCaptureTile tile_of(const RvCapture* k, size_t tile) {
  const RvParticles* p = k->p;
  return (RvCaptureTile){.x = {p->x[0], p->x[1], p->x[2]},
                         .v = {p->v[0], p->v[1], p->v[2]},
                         .cell = p->cell_first + tile * RV_TILE_CELLS,
                         .count = p->count,
                         .rows = k->rows[tile],
                         .available = k->available,
                         .dispersed = k->dispersed,
                         .drop = k->drop,
                         .ball = k->ball,
                         .has_drops = k->tile_ball[tile] > 0,
                         .way = (float)(k->dt / k->grid->dx),
                         .asked = k->asked,
                         .each = k->each,
                         .returned = k->returned,
                         .momentum = {k->momentum[0], k->momentum[1], k->momentum[2]}};
}

// A piece relative to its tile, in cells.
static RvCapturePiece piece_of(const RvCapture* k, const RvCaptureEntry* e) {
  double a[3], d[3], wide = (double)k->reach[e->edge], reach = wide / k->grid->dx, square = 0;
  const RvCoupleVertex* v = &k->c->vertices.data[e->edge];
  RvCapturePiece p = {.from = e->from, .to = e->to, .near = (float)(1 / (reach * reach)), .reach = k->search[e->edge]};
  const double hit = RV_CAPTURE_HIT * v->radius / k->grid->dx;
  p.hit = (float)(hit * hit);
  // (1 - d^2 / R^2)^2 has the integral pi R^2 / 3 over a section
  p.density = (float)(3 / (RV_PI * wide * wide));
  rv_couple_capture_edge(k, e->edge, a, d);
  for (int n = 0; n < 3; ++n) {
    square += d[n] * d[n];
    p.a[n] = (float)(a[n] - (double)k->p->homes.coord[e->home][n] * RV_TILE_SIDE);
    p.d[n] = (float)d[n];
    p.v[n] = (float)v[0].v[n];
    p.dv[n] = (float)(v[1].v[n] - v[0].v[n]);
  }
  p.inverse = square > 0 ? (float)(1 / square) : 0;
  for (int n = 0; n < 3; ++n) p.along[n] = square > 0 ? (float)(d[n] / sqrt(square)) : 0;
  return p;
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

//---------------------------------------------------------------------------------------------- passes

// Pieces of a tile, their particles and the liquid around them; false: no memory.
static bool weigh_tile(const RvCapture* k, size_t t, const RvCaptureTile* tile, RvCaptureGroups* groups) {
  size_t most = groups_most(k, t);
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j) {
    RvCapturePiece* piece = &k->pieces[j];
    *piece = piece_of(k, &k->w->entries.data[k->order[j]]);
    piece->first_group = (uint32_t)groups->count;
    if (!make_room(groups, most)) return false;
    RV_KERNEL_CALL(rv_couple_capture_weigh, (tile, piece, groups->data + groups->count, k->sums[k->order[j]].at));
    groups->count += piece->groups;
  }
  return true;
}

// Weights of some shares of tiles. A drop that has just left a strand takes no part at first.
static void weigh_some(void* arg, size_t begin, size_t end) {
  RvCapture* k = arg;
  for (size_t share = begin; share < end; ++share)
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t) {
      if (is_far(k, t)) continue;
      RvCaptureTile tile = tile_of(k, t);
      rv_couple_capture_disperse(k, t);
      for (size_t i = tile.cell[0]; i < tile.cell[RV_TILE_CELLS]; ++i) {
        bool dripped = rv_couple_drop_kind(k->set, k->p->row[i]) == RV_DROP_OF_STRAND;
        k->available[i] = fmax(k->p->volume[i], 0) * (dripped ? rv_smooth_step((double)k->p->age[i] / FRESH) : 1);
      }
      if (!k->failed[share]) k->failed[share] = !weigh_tile(k, t, &tile, &k->groups[share]);
      if (k->failed[share]) return;
    }
}

void rv_couple_capture_add(const RvCapture* k, size_t vertex, int width, int count, double* sum) {
  for (size_t side = 0; side < 2; ++side) {
    if (vertex < side) continue;
    for (size_t j = k->edge_first[vertex - side]; j < k->edge_first[vertex - side + 1]; ++j)
      for (int n = 0; n < count; ++n) sum[n] += k->sums[j].at[(size_t)width * side + (size_t)n];
  }
}

// Velocity of the film of a packed vertex: the strand's, and that of the flow along its edges.
static void film_velocity(const RvCapture* k, const RvCoupleStrand* s, int i, double u[3]) {
  const RvCoupleVertex* v = &k->c->vertices.data[s->first + (size_t)i];
  double above = rv_couple_above(v, i, s->count);
  RvVec3 sum = rv_couple_v(v);
  for (int side = 0; side < 2; ++side) {
    double part = side ? above : 1 - above;
    if (part == 0) continue;
    double speed = k->strands->film_state->speed[s->edge + (size_t)(side ? i : i - 1) * RV_LANES];
    sum = rv_mad(sum, part * speed, rv_couple_tangent(side ? v : v - 1));
  }
  rv_vec3_store64(u, sum);
}

// The strand of a packed edge: that of the last one that begins not after it.
static const RvCoupleStrand* strand_of(const RvCouple* c, size_t packed) {
  size_t lo = 0, hi = c->strands.count;
  while (hi - lo > 1) {
    size_t mid = (lo + hi) / 2;
    if (c->strands.data[mid].first <= packed)
      lo = mid;
    else
      hi = mid;
  }
  return &c->strands.data[lo];
}

// What both ends of an edge ask for: of all liquid, and of drops besides.
static void shares_of(const RvCapture* k, size_t edge, double out[4]) {
  const RvCaptureVertex* r = &k->around[edge];
  out[0] = r[0].taken_share;
  out[1] = r[1].taken_share;
  out[2] = r[0].swept_share;
  out[3] = r[1].swept_share;
}

// Demands and returns of the pieces of a tile.
static void ask_tile(const RvCapture* k, size_t t, const RvCaptureTile* tile, const RvCaptureGroups* groups) {
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j) {
    size_t edge = k->w->entries.data[k->order[j]].edge;
    const RvCaptureVertex* r = &k->around[edge];
    const RvCaptureGroup* own = groups->data + k->pieces[j].first_group;
    double taken[4], given[2] = {r[0].given_share, r[1].given_share};
    shares_of(k, edge, taken);
    if (taken[0] > 0 || taken[1] > 0 || taken[2] > 0 || taken[3] > 0)
      RV_KERNEL_CALL(rv_couple_capture_ask, (tile, &k->pieces[j], own, taken));
    if (!(given[0] > 0) && !(given[1] > 0)) continue;
    double u[2][3];
    const RvCoupleStrand* s = strand_of(k->c, edge);
    for (int n = 0; n < 2; ++n) film_velocity(k, s, (int)(edge - s->first) + n, u[n]);
    RV_KERNEL_CALL(rv_couple_capture_return, (tile, &k->pieces[j], own, given, u));
  }
}

// What a particle gives for each share that is asked of it: at most all of it. A particle too small to be divided goes
// as a whole, as often as that is due; the remainder of a larger one is not too small. One that film goes back to
// stays: nothing but that film would be left of it, which may be as little as rounding.
static double give(const RvCapture* k, size_t i) {
  double share = k->asked[i], volume = k->p->volume[i];
  if (!(share > 0) || !(volume > 0)) return 0;
  double due = k->available[i] * fmin(share, 1);
  if (is_dust(k, i) && k->returned[i] > 0)
    due = 0;
  else if (is_dust(k, i))
    due = rv_random(k->random, (uint64_t)k->p->id[i], RANDOM_STREAM, 0) * volume < due ? volume : 0;
  else
    due = fmin(due, volume - dust_of(k, i));
  return due / share;
}

// Removes what a particle gave, and adds what the film returns: volume, and momentum by the mean velocity.
static void settle(const RvCapture* k, size_t i) {
  double volume = k->p->volume[i], taken = k->each[i] * k->asked[i], more = k->available[i] * k->returned[i];
  k->asked[i] = taken;
  if (taken > 0) volume = is_dust(k, i) ? 0 : volume - taken;
  if (more > 0) {
    double part = more / (volume + more);
    for (int a = 0; a < 3; ++a) {
      double u = k->momentum[a][i] / k->returned[i], v = (double)k->p->v[a][i];
      k->p->v[a][i] = (float)(v + part * (u - v));
    }
  }
  k->p->volume[i] = volume + more;
  if (k->loss) k->loss[i] = taken - more;
}

// What goes to the ends of the pieces of a tile.
static void take_tile(const RvCapture* k, size_t t, const RvCaptureTile* tile, const RvCaptureGroups* groups) {
  for (size_t j = k->tile_first[t]; j < k->tile_first[t + 1]; ++j) {
    double taken[4];
    shares_of(k, k->w->entries.data[k->order[j]].edge, taken);
    RV_KERNEL_CALL(rv_couple_capture_take,
                   (tile, &k->pieces[j], groups->data + k->pieces[j].first_group, taken, k->sums[k->order[j]].at));
  }
}

// Demands of some shares of tiles, and what their particles give.
static void exchange_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t share = begin; share < end; ++share)
    for (size_t t = k->shares[share]; t < k->shares[share + 1]; ++t) {
      if (is_far(k, t)) continue;
      RvCaptureTile tile = tile_of(k, t);
      const RvCaptureGroups* groups = &k->groups[share];
      size_t first = tile.cell[0], last = tile.cell[RV_TILE_CELLS];
      for (size_t i = first; i < last; ++i) {
        k->asked[i] = k->returned[i] = 0;
        for (int a = 0; a < 3; ++a) k->momentum[a][i] = 0;
      }
      ask_tile(k, t, &tile, groups);
      for (size_t i = first; i < last; ++i) k->each[i] = give(k, i);
      take_tile(k, t, &tile, groups);
      for (size_t i = first; i < last; ++i) settle(k, i);
    }
}

//---------------------------------------------------------------------------------------------- to the film

// Volume and momentum that some vertices gain.
static void gather_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t i = begin; i < end; ++i) {
    double* gain = &k->gain[4 * i];
    memset(gain, 0, 4 * sizeof *gain);
    rv_couple_capture_add(k, i, RV_CAPTURE_TAKEN, 4, gain);
    for (int a = 1; a < 4; ++a) gain[a] *= k->set->density;
  }
}

// Adds the gains of some strands to the film (E42). The captured liquid's velocity relative to the vertex is split:
// along each of its edges, by their shares of the vertex, that of drops changes the film's speed; the remainder is an
// impulse on the strand: all that is across, and that of liquid that the strand draws out of the bulk, which it has
// brought to rest. So total momentum is exact.
static void apply_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    // What goes back has the speeds that the film had before it gained anything.
    for (int i = 0; i < s->count; ++i) {
      double* volume = &film->volume[s->vertex + (size_t)i * RV_LANES];
      double* given = &k->around[s->first + (size_t)i].given;
      *given = fmin(*given, *volume);
      *volume -= *given;
    }
    double last_moved = 0, last_flow = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      const double* gain = &k->gain[4 * packed];
      const RvCoupleVertex* v = &k->c->vertices.data[packed];
      double above = rv_couple_above(v, i, s->count), moved[2] = {0, 0}, flow[2] = {0, 0};
      const double flowing = 1 - k->around[packed].stopped;
      // Captured liquid relative to the vertex: along its edges, and across.
      if (gain[0] > 0) {
        RvVec3 slip = rv_sub(rv_scale(rv_vec3_load64(gain + 1), 1 / (k->set->density * gain[0])), rv_couple_v(v));
        RvVec3 stopped = slip;
        for (int side = 0; side < 2; ++side) {
          double part = side ? above : 1 - above;
          if (part == 0) continue;
          RvVec3 t = rv_couple_tangent(side ? v : v - 1);
          double along = rv_dot(slip, t);
          stopped = rv_mad(stopped, -part * flowing * along, t);
          moved[side] = part * gain[0];
          flow[side] = part * gain[0] * flowing * along;
        }
        rv_couple_kick(k->kick, s, i, rv_scale(stopped, k->set->density * gain[0]));
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
      rv_film_gain(film, at, gain[0], k->set->added_solids);
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
  size_t n = c->vertices.count, tiles = k->p->homes.count;
  k->around = RV_TAKE(c->scratch, RvCaptureVertex, n);
  k->gain = RV_TAKE(c->scratch, double, 4 * n);
  k->edge_first = RV_TAKE(c->scratch, uint32_t, n + 1);
  k->rows = RV_TAKE(c->scratch, uint64_t, tiles);
  k->cell_fill = RV_TAKE(c->scratch, float, tiles* RV_TILE_CELLS);
  k->tile_velocity = RV_TAKE(c->scratch, float, 6 * tiles);
  k->reach = RV_TAKE(c->scratch, float, n);
  k->search = RV_TAKE(c->scratch, float, n);
  k->tile_ball = RV_TAKE(c->scratch, float, tiles);
  k->ball = RV_TAKE(c->scratch, float, k->p->sorted);
  return k->around && k->gain && k->edge_first && k->rows && k->cell_fill && k->tile_velocity && k->reach &&
         k->search && k->tile_ball && k->ball;
}

// Adds the captured particles and the volumes to the report.
static void count_exchanged(const RvCapture* k, RvCoupleReport* report) {
  for (size_t t = 0; t < k->p->homes.count; ++t) {
    if (is_far(k, t)) continue;
    for (size_t i = k->p->cell_first[t * RV_TILE_CELLS]; i < k->p->cell_first[(t + 1) * RV_TILE_CELLS]; ++i) {
      report->captured += k->asked[i] > 0;
      report->captured_volume += k->asked[i];
    }
  }
  // The film's own gain is summed here: differences of particle volumes, which are far larger, would cancel.
  RvSum gain = {0};
  for (size_t i = 0; i < k->c->vertices.count; ++i) {
    report->returned_volume += k->around[i].given;
    rv_sum_add(&gain, k->gain[4 * i]);
    rv_sum_add(&gain, -k->around[i].given);
  }
  report->film_gain = rv_sum_total(&gain);
}

// The method; false: no memory.
static bool exchange(RvCapture* k, RvCoupleReport* report) {
  size_t strands = k->c->strands.count, vertices = k->c->vertices.count;
  if (!fit(k)) return false;
  // Where the strands are under water, and the pairs of their edges and tiles of particles within reach.
  rv_couple_capture_set_box(k);
  rv_couple_capture_look(k);
  if (!rv_couple_capture_find_entries(k)) return false;
  if (k->w->entries.count == 0) return true;
  if (!rv_couple_capture_sort_entries(k) || !share_tiles(k)) return false;
  // The liquid around the vertices, and what they ask for and return.
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, weigh_some, k);
  for (int n = 0; n < RV_COUPLE_CHUNKS; ++n)
    if (k->failed[n]) return false;
  rv_couple_capture_demand(k);
  // The particles pay, and are paid.
  rv_parallel_for(RV_COUPLE_CHUNKS, 1, exchange_some, k);
  // To the film.
  rv_parallel_for(vertices, VERTICES_OF_TASK, gather_some, k);
  rv_parallel_for(strands, STRANDS_OF_TASK, apply_some, k);
  count_exchanged(k, report);
  return true;
}

RvResult rv_couple_capture(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, uint64_t random,
                           double* kick, RvCoupleReport* report, RvError* error) {
  report->film_gain = 0;
  if (report->particle_loss) memset(report->particle_loss, 0, particles->count * sizeof *report->particle_loss);
  if (particles->sorted == 0 || !strands->film || !(dt > 0) || !(grid_space->dx > 0) || !(settings->nominal > 0))
    return RV_OK;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  RvCapture k = {.c = c,
                 .strands = strands,
                 .set = settings,
                 .grid = grid_space,
                 .p = particles,
                 .dt = dt,
                 .random = random,
                 .side = rv_root3(settings->nominal),
                 .kick = kick,
                 .loss = report->particle_loss};
  if (!result && c->strands.count && !exchange(&k, report))
    result =
        rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for the particles near %zu strands", c->strands.count);
  rv_arena_release(c->scratch, mark);
  return result;
}
