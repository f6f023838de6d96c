// Particles near strands go to the film (WH-31, WH-32, spec 1.2.9 with E9, E10, E42).
//
// Each particle offers a part of its volume, which is split among the edges within reach; each vertex takes what it has
// room for; what is left of a particle is nothing or at least a tenth of nominal. Pairs stand by edges, and through
// `order` by particles: so both sides sum in a fixed order.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/store.h"
#include "math/scalar.h"
#include "space/sort.h"

// A drop that has just left is not taken back at once: it falls out of reach in about that time, s.
static const double FRESH = 0.03;
static const double HALF_PARTICLE = 0.62;  // of its side: radius of a ball of its volume
static const double FAR = 6;               // cells: reach at most
static const double PIECE = 2;             // cells: pieces of long edges
static const double DUST = 0.1;            // of nominal

typedef struct Pair {
  uint32_t particle, edge;
  float t, weight;
  double volume;  // m3 that it asks for, then gets
} Pair;

typedef RV_ARRAY(Pair) Pairs;

typedef struct RvCaptureWork {
  Pairs chunk[RV_COUPLE_CHUNKS], pairs;
  RvCoupleKeys keys, spare_keys;
  RvCoupleIndices order, spare_order, first;  // first: of each particle's pairs in `order`
  RvCoupleDoubles room, scale, gain;          // [packed]; gain: 4 numbers a vertex, m3 and kg m/s
  RvCoupleDoubles taken;                      // [particles with pairs] m3
} RvCaptureWork;

void rv_capture_free(RvCaptureWork* w) {
  if (!w) return;
  for (int k = 0; k < RV_COUPLE_CHUNKS; ++k) rv_array_free(&w->chunk[k]);
  rv_array_free(&w->pairs), rv_array_free(&w->keys), rv_array_free(&w->spare_keys), rv_array_free(&w->order);
  rv_array_free(&w->spare_order), rv_array_free(&w->first), rv_array_free(&w->room), rv_array_free(&w->scale);
  rv_array_free(&w->gain), rv_array_free(&w->taken);
  rv_free(w);
}

typedef struct Capture {
  RvCouple* c;
  RvCaptureWork* w;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  RvParticles* p;
  double dt, side;  // side: m, of a particle's cube
  const double* wet;
  double* kick;
  int32_t lo[3], hi[3];  // box of the particles' tiles, hi not among them
  size_t grain;
  bool failed[RV_COUPLE_CHUNKS];
  size_t at[RV_COUPLE_CHUNKS + 1];  // pairs of each chunk
} Capture;

// too small to be parted
static bool is_dust(const Capture* k, double volume) {
  return volume <= DUST * k->set->nominal * 1.0001;
}

static double smooth_step(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

//---------------------------------------------------------------------------------------------- who is near

// An edge in cells from the grid's origin.
typedef struct Edge {
  double a[3], d[3], reach, square;
  uint32_t index;
} Edge;

static bool test_particle(const Capture* k, const Edge* e, const double* cell, size_t i, double t0, double t1,
                          Pairs* out) {
  double r[3], along = 0, far = 0;
  for (int a = 0; a < 3; ++a) {
    r[a] = cell[a] + (double)k->p->x[a][i] - e->a[a];
    along += r[a] * e->d[a];
  }
  double t = e->square > 0 ? rv_clamp(along / e->square, 0, 1) : 0;
  // of the pieces of an edge the one with its nearest point has it
  if (t < t0 || (t >= t1 && t1 < 1)) return true;
  for (int a = 0; a < 3; ++a) {
    double d = r[a] - t * e->d[a];
    far += d * d;
  }
  double near = 1 - far / (e->reach * e->reach);
  if (!(near > 0) || !(k->p->volume[i] > 0)) return true;
  Pair pair = {(uint32_t)i, e->index, (float)t, (float)(near * near), 0};
  return rv_array_push(out, pair);
}

static bool walk_cells(const Capture* k, const Edge* e, double t0, double t1, Pairs* out) {
  int32_t lo[3], hi[3], at[3];
  for (int a = 0; a < 3; ++a) {
    double x0 = e->a[a] + t0 * e->d[a], x1 = e->a[a] + t1 * e->d[a];
    double low = floor(fmin(x0, x1) - e->reach), high = floor(fmax(x0, x1) + e->reach);
    if (low >= (double)k->hi[a] * RV_TILE_SIDE || high < (double)k->lo[a] * RV_TILE_SIDE) return true;
    lo[a] = (int32_t)fmax(low, (double)k->lo[a] * RV_TILE_SIDE);
    hi[a] = (int32_t)fmin(high, (double)k->hi[a] * RV_TILE_SIDE - 1);
  }
  int32_t tile[3];
  for (tile[2] = lo[2] >> 3; tile[2] <= hi[2] >> 3; ++tile[2])
    for (tile[1] = lo[1] >> 3; tile[1] <= hi[1] >> 3; ++tile[1])
      for (tile[0] = lo[0] >> 3; tile[0] <= hi[0] >> 3; ++tile[0]) {
        int32_t home = rv_tiles_find(&k->p->homes, tile[0], tile[1], tile[2]);
        if (home < 0) continue;
        int from[3], to[3];
        double corner[3];
        for (int a = 0; a < 3; ++a) {
          from[a] = lo[a] > tile[a] * 8 ? lo[a] - tile[a] * 8 : 0;
          to[a] = hi[a] < tile[a] * 8 + 7 ? hi[a] - tile[a] * 8 : 7;
          corner[a] = (double)tile[a] * RV_TILE_SIDE;
        }
        const uint32_t* first = k->p->cell_first + (size_t)home * RV_TILE_CELLS;
        for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
          for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
            // the cells of a row stand one after the other
            for (size_t i = first[rv_tile_cell(from[0], at[1], at[2])];
                 i < first[rv_tile_cell(to[0], at[1], at[2]) + 1]; ++i)
              if (!test_particle(k, e, corner, i, t0, t1, out)) return false;
      }
  return true;
}

// Cells: as far as one hair holds liquid (17), however many stand around it, and half of a particle more. So a particle
// among a thousand hairs goes to those next by, and a coarse one is within reach of what it covers.
static double reach_of(const Capture* k, const RvCoupleStrand* s, int i) {
  const RvCouple* c = k->c;
  size_t packed = s->first + (size_t)i;
  double one = rv_capacity_radius(c->vertices.data[packed].radius, k->set->tension, k->set->density,
                                  0.5 * (c->pull.data[packed] + c->pull.data[packed + 1]), s->hairs);
  return (one + HALF_PARTICLE * k->side) / k->grid->dx;
}

static bool walk_edge(const Capture* k, const RvCoupleStrand* s, int i, Pairs* out) {
  const RvCouple* c = k->c;
  const RvCoupleVertex* v = &c->vertices.data[s->first + (size_t)i];
  size_t packed = s->first + (size_t)i;
  if (!(k->w->room.data[packed] > 0) && !(k->w->room.data[packed + 1] > 0)) return true;
  Edge e = {.index = (uint32_t)packed};
  double reach = reach_of(k, s, i), wide = 0;
  for (int a = 0; a < 3; ++a) {
    e.a[a] = (v[0].x[a] - k->grid->origin[a]) / k->grid->dx;
    e.d[a] = (v[1].x[a] - v[0].x[a]) / k->grid->dx;
    e.square += e.d[a] * e.d[a];
    wide = fmax(wide, fabs(e.d[a]));
    if (!(fabs(e.a[a]) < 1e9) || !(fabs(e.d[a]) < 1e6)) return true;
  }
  e.reach = reach < FAR ? reach : FAR;
  if (!(e.reach > 0)) return true;
  int pieces = (int)fmin(ceil(wide / PIECE), 1 << 16);
  for (int n = 0; n < (pieces > 1 ? pieces : 1); ++n)
    if (!walk_cells(k, &e, pieces > 1 ? (double)n / pieces : 0, pieces > 1 ? (double)(n + 1) / pieces : 1, out))
      return false;
  return true;
}

static void walk_some(void* arg, size_t begin, size_t end) {
  Capture* k = arg;
  RvCouple* c = k->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    Pairs* out = &k->w->chunk[chunk];
    size_t first = chunk * k->grain, last = first + k->grain < c->strands.count ? first + k->grain : c->strands.count;
    out->count = 0;
    for (size_t n = first; n < last; ++n) {
      const RvCoupleStrand* s = &c->strands.data[n];
      for (int i = 0; i + 1 < s->count && s->sound && !k->failed[chunk]; ++i)
        k->failed[chunk] = !walk_edge(k, s, i, out);
    }
  }
}

static void set_box(Capture* k) {
  for (int a = 0; a < 3; ++a) k->lo[a] = INT32_MAX, k->hi[a] = INT32_MIN;
  for (size_t t = 0; t < k->p->homes.count; ++t)
    for (int a = 0; a < 3; ++a) {
      int32_t x = k->p->homes.coord[t][a];
      k->lo[a] = x < k->lo[a] ? x : k->lo[a], k->hi[a] = x + 1 > k->hi[a] ? x + 1 : k->hi[a];
    }
}

// all pairs one after the other, and their order by particles
static bool join(Capture* k) {
  RvCaptureWork* w = k->w;
  size_t total = 0, at = 0, chunks = (k->c->strands.count + k->grain - 1) / k->grain;
  for (size_t n = 0; n < chunks; ++n) {
    if (k->failed[n]) return false;
    total += w->chunk[n].count;
  }
  if (total > UINT32_MAX / 2 || !rv_array_resize(&w->pairs, total) || !rv_array_resize(&w->keys, total) ||
      !rv_array_resize(&w->spare_keys, total) || !rv_array_resize(&w->order, total) ||
      !rv_array_resize(&w->spare_order, total) || !rv_array_resize(&w->first, total + 1))
    return false;
  for (size_t n = 0; n < chunks; ++n) {
    if (w->chunk[n].count) memcpy(w->pairs.data + at, w->chunk[n].data, w->chunk[n].count * sizeof(Pair));
    k->at[n] = at;
    at += w->chunk[n].count;
    k->at[n + 1] = at;
  }
  for (size_t i = 0; i < total; ++i) w->keys.data[i] = w->pairs.data[i].particle, w->order.data[i] = (uint32_t)i;
  if (!rv_sort_keys(w->keys.data, w->order.data, w->spare_keys.data, w->spare_order.data, total,
                    rv_sort_bits(k->p->count)))
    return false;
  w->first.count = 0;
  for (size_t i = 0; i < total; ++i)
    if (i == 0 || w->keys.data[i] != w->keys.data[i - 1]) w->first.data[w->first.count++] = (uint32_t)i;
  w->first.data[w->first.count] = (uint32_t)total;
  return rv_array_resize(&w->taken, w->first.count);
}

//---------------------------------------------------------------------------------------------- offers and answers

// rate of an edge's vertex now, 1/s: none under water
static double rate_at(const Capture* k, const RvCoupleStrand* s, int i) {
  double wet = k->wet ? smooth_step(k->wet[s->vertex + (size_t)i * RV_LANES]) : 1;
  return fmax(k->set->capture * rv_couple_at(k->set->capture_at, s, i), 0) * wet;
}

static void set_room(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  const RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      double rate = rate_at(k, s, i),
             room = k->c->capacity.data[packed] - film->volume[s->vertex + (size_t)i * RV_LANES];
      // scale holds the rate until it is needed
      k->w->scale.data[packed] = rate;
      k->w->room.data[packed] = s->sound && rate > 0 && room > 0 ? room : 0;
    }
  }
}

// the part of a particle that is offered: 1 - exp(-rate dt), the rate that of the nearest hairs, fading at their reach
static void offer_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvCaptureWork* w = k->w;
  for (size_t n = begin; n < end; ++n) {
    size_t first = w->first.data[n], last = w->first.data[n + 1];
    double weight = 0, rate = 0, nearest = 0;
    for (size_t j = first; j < last; ++j) {
      const Pair* q = &w->pairs.data[w->order.data[j]];
      const double* r = &w->scale.data[q->edge];
      double own = (1 - (double)q->t) * r[0] + (double)q->t * r[1];
      weight += (double)q->weight, rate += (double)q->weight * own;
      nearest = fmax(nearest, (double)q->weight);
    }
    size_t i = w->keys.data[first];
    double volume = k->p->volume[i], least = DUST * k->set->nominal;
    double fade = fmin(nearest, 1) * smooth_step((double)k->p->age[i] / FRESH);
    double part = weight > 0 ? 1 - rv_exp(-rate / weight * fade * k->dt) : 0;
    // dust is taken whole or not at all; else no dust is made
    double want = is_dust(k, volume) ? (part > 0 ? volume : 0) : fmin(part * volume, volume - least);
    for (size_t j = first; j < last; ++j) {
      Pair* q = &w->pairs.data[w->order.data[j]];
      q->volume = weight > 0 ? want * ((double)q->weight / weight) : 0;
    }
  }
}

// what is asked of each vertex; the strands of a chunk are no other's
static void ask_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvCaptureWork* w = k->w;
  for (size_t j = k->at[begin]; j < k->at[end]; ++j) {
    const Pair* q = &w->pairs.data[j];
    double* asked = &w->gain.data[4 * (size_t)q->edge];
    asked[0] += (1 - (double)q->t) * q->volume, asked[4] += (double)q->t * q->volume;
  }
}

// the part of it that it has room for
static void scale_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvCaptureWork* w = k->w;
  for (size_t i = begin; i < end; ++i) {
    double asked = w->gain.data[4 * i], room = w->room.data[i];
    w->scale.data[i] = asked > room ? room / asked : 1;
    memset(&w->gain.data[4 * i], 0, 4 * sizeof(double));
  }
}

// what a particle gives in the end
static void give_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvCaptureWork* w = k->w;
  for (size_t n = begin; n < end; ++n) {
    size_t first = w->first.data[n], last = w->first.data[n + 1], i = w->keys.data[first];
    double volume = k->p->volume[i], sum = 0;
    bool dust = is_dust(k, volume), whole = true;
    for (size_t j = first; j < last; ++j) {
      const Pair* q = &w->pairs.data[w->order.data[j]];
      const double* s = &w->scale.data[q->edge];
      whole = whole && (q->volume == 0 || (s[0] == 1 && s[1] == 1));
      sum += (1 - (double)q->t) * q->volume * s[0] + (double)q->t * q->volume * s[1];
    }
    if (dust && !whole) sum = 0;
    for (size_t j = first; j < last && !(sum > 0); ++j) w->pairs.data[w->order.data[j]].volume = 0;
    if (!k->set->bulk_fixed && sum > 0) k->p->volume[i] = dust ? 0 : volume - sum;
    w->taken.data[n] = sum;
  }
}

//---------------------------------------------------------------------------------------------- to the film

// volume and momentum that each vertex gets
static void gather_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvCaptureWork* w = k->w;
  for (size_t j = k->at[begin]; j < k->at[end]; ++j) {
    const Pair* q = &w->pairs.data[j];
    double* to = &w->gain.data[4 * (size_t)q->edge];
    for (int end_of = 0; end_of < 2 && q->volume > 0; ++end_of, to += 4) {
      double got = (end_of ? (double)q->t : 1 - (double)q->t) * q->volume * w->scale.data[q->edge + (size_t)end_of];
      to[0] += got;
      for (int a = 0; a < 3; ++a) to[1 + a] += got * k->set->density * (double)k->p->v[a][q->particle];
    }
  }
}

// E42. Of what a vertex gets, the velocity relative to it goes along each of its edges to the film there, by the part
// of the vertex that belongs to the edge, and across to the strand: so the sum of all is exact.
static void apply_some(void* arg, size_t begin, size_t end) {
  const Capture* k = arg;
  RvFilmState* film = k->strands->film_state;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    double last_moved = 0, last_flow = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i, at = s->vertex + (size_t)i * RV_LANES;
      const double* gain = &k->w->gain.data[4 * packed];
      const RvCoupleVertex* v = &k->c->vertices.data[packed];
      double above = rv_couple_above(v, i, s->count), moved[2] = {0, 0}, flow[2] = {0, 0};
      if (gain[0] > 0) {
        RvVec3 slip = rv_sub(rv_scale(rv_vec3_load64(gain + 1), 1 / (k->set->density * gain[0])), rv_couple_v(v));
        RvVec3 across = slip;
        for (int side = 0; side < 2; ++side) {
          double part = side ? above : 1 - above;
          if (part == 0) continue;
          RvVec3 t = rv_couple_tangent(side ? v : v - 1);
          double along = rv_dot(slip, t);
          across = rv_mad(across, -part * along, t);
          moved[side] = part * gain[0], flow[side] = part * gain[0] * along;
        }
        rv_couple_kick(k->kick, s, i, rv_scale(across, k->set->density * gain[0]));
      }
      if (i > 0) {
        // volumes of the edge below, before; that of its lower vertex has changed already
        double below = rv_couple_above(v - 1, i - 1, s->count);
        double before =
            below * (film->volume[at - RV_LANES] - k->w->gain.data[4 * (packed - 1)]) + (1 - above) * film->volume[at];
        double more = last_moved + moved[0];
        double* speed = &film->speed[s->edge + (size_t)(i - 1) * RV_LANES];
        if (more > 0) *speed = (before * *speed + last_flow + flow[0]) / (before + more);
      }
      film->volume[at] += gain[0];
      last_moved = moved[1], last_flow = flow[1];
    }
  }
}

static bool fit(Capture* k) {
  RvCouple* c = k->c;
  if (!c->capture && !(c->capture = rv_alloc_zero(1, sizeof *c->capture))) return false;
  RvCaptureWork* w = k->w = c->capture;
  size_t n = c->vertices.count;
  if (!rv_array_resize(&w->room, n) || !rv_array_resize(&w->scale, n) || !rv_array_resize(&w->gain, 4 * n))
    return false;
  memset(w->gain.data, 0, 4 * n * sizeof(double));
  return true;
}

RvResult rv_couple_capture(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                           const RvLiquidGrid* grid_space, RvParticles* particles, double dt, const double* wet,
                           double* kick, RvCoupleReport* report, RvError* error) {
  if (!(settings->capture > 0) || particles->sorted == 0 || !strands->film || !(dt > 0) || !(grid_space->dx > 0))
    return RV_OK;
  RvResult result = rv_couple_find_capacity(c, strands, settings, error);
  if (result || c->strands.count == 0) return result;
  Capture k = {.c = c,
               .strands = strands,
               .set = settings,
               .grid = grid_space,
               .p = particles,
               .dt = dt,
               .side = rv_couple_root3(fmax(settings->nominal, 0)),
               .wet = wet,
               .kick = kick,
               .grain = (c->strands.count + RV_COUPLE_CHUNKS - 1) / RV_COUPLE_CHUNKS};
  size_t chunks = (c->strands.count + k.grain - 1) / k.grain;
  bool ok = fit(&k);
  if (ok) {
    rv_parallel_for(c->strands.count, 64, set_room, &k);
    set_box(&k);
    rv_parallel_for(chunks, 1, walk_some, &k);
    ok = join(&k);
  }
  if (!ok) return rv_fail(error, RV_NO_MEMORY, "no memory for the particles near %zu strands", c->strands.count);
  if (k.w->pairs.count == 0) return RV_OK;
  rv_parallel_for(k.w->first.count, 256, offer_some, &k);
  rv_parallel_for(chunks, 1, ask_some, &k);
  rv_parallel_for(c->vertices.count, 4096, scale_some, &k);
  rv_parallel_for(k.w->first.count, 256, give_some, &k);
  rv_parallel_for(chunks, 1, gather_some, &k);
  rv_parallel_for(c->strands.count, 64, apply_some, &k);
  for (size_t n = 0; n < k.w->first.count; ++n) {
    report->captured += k.w->taken.data[n] > 0;
    report->captured_volume += k.w->taken.data[n];
  }
  return RV_OK;
}
