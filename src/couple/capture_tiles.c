// Edges of strands within reach of the tiles of particles: the pairs that capture works on.
//
// Long edges are cut into pieces; an entry is a piece and a tile within its reach. Entries are made strand by strand in
// chunks, and sorted by tiles.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/capture_work.h"
#include "math/scalar.h"

static const double PIECE = 2;          // cells: long edges are cut into pieces of this length
static const double MOST_PLACE = 1e9;   // cells: an edge farther out is ignored
static const double MOST_LENGTH = 1e6;  // cells: a longer edge is ignored
enum { MOST_PIECES = 1 << 16 };         // of an edge
enum { TILES_OF_TASK = 64 };

void rv_couple_capture_edge(const RvCapture* k, uint32_t edge, double a[3], double d[3]) {
  const RvCoupleVertex* v = &k->c->vertices.data[edge];
  for (int n = 0; n < 3; ++n) {
    a[n] = (v[0].x[n] - k->grid->origin[n]) / k->grid->dx;
    d[n] = (v[1].x[n] - v[0].x[n]) / k->grid->dx;
  }
}

// Rows of cells of some tiles that hold particles.
static void find_rows(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t t = begin; t < end; ++t) {
    const uint32_t* cell = k->p->cell_first + t * RV_TILE_CELLS;
    uint64_t rows = 0;
    for (int n = 0; n < 64; ++n)
      if (cell[8 * n + 8] > cell[8 * n]) rows |= (uint64_t)1 << n;
    k->rows[t] = rows;
  }
}

// Adds an entry for each tile with particles within reach of a piece; false: no memory.
static bool walk_tiles(const RvCapture* k, const double* a, const double* d, double reach, RvCaptureEntry entry,
                       RvCaptureEntries* out) {
  // Box of the piece, and its tiles among those with particles.
  int32_t lo[3], hi[3], tile[3];
  double least[3], most[3];
  for (int n = 0; n < 3; ++n) {
    double x0 = a[n] + (double)entry.from * d[n], x1 = a[n] + (double)entry.to * d[n];
    least[n] = fmin(x0, x1) - reach;
    most[n] = fmax(x0, x1) + reach;
    double low = floor(least[n] / RV_TILE_SIDE), high = floor(most[n] / RV_TILE_SIDE);
    if (low >= k->hi[n] || high < k->lo[n]) return true;
    lo[n] = (int32_t)fmax(low, k->lo[n]);
    hi[n] = (int32_t)fmin(high, k->hi[n] - 1);
  }
  for (tile[2] = lo[2]; tile[2] <= hi[2]; ++tile[2])
    for (tile[1] = lo[1]; tile[1] <= hi[1]; ++tile[1])
      for (tile[0] = lo[0]; tile[0] <= hi[0]; ++tile[0]) {
        int32_t home = rv_tiles_find(&k->p->homes, tile[0], tile[1], tile[2]);
        if (home < 0) continue;
        // Rows of cells of the tile within the box.
        int first[2], last[2];
        for (int n = 0; n < 2; ++n) {
          double from = (double)tile[n + 1] * RV_TILE_SIDE;
          first[n] = (int)rv_clamp(least[n + 1] - from, 0, RV_TILE_SIDE - 1);
          last[n] = (int)rv_clamp(most[n + 1] - from, 0, RV_TILE_SIDE - 1);
        }
        entry.home = (uint32_t)home;
        if (k->rows[home] & rv_couple_capture_rows(first[0], last[0], first[1], last[1]) && !rv_array_push(out, entry))
          return false;
      }
  return true;
}

// Entries of all pieces of an edge; false: no memory.
static bool walk_edge(const RvCapture* k, const RvCoupleStrand* s, int i, RvCaptureEntries* out) {
  size_t packed = s->first + (size_t)i;
  if (!rv_couple_capture_active(k, s, i) && !rv_couple_capture_active(k, s, i + 1)) return true;
  double a[3], d[3], reach = (double)k->search[packed], wide = 0;
  rv_couple_capture_edge(k, (uint32_t)packed, a, d);
  for (int n = 0; n < 3; ++n) {
    wide = fmax(wide, fabs(d[n]));
    if (!(fabs(a[n]) < MOST_PLACE) || !(fabs(d[n]) < MOST_LENGTH)) return true;
  }
  int pieces = (int)fmin(ceil(wide / PIECE), MOST_PIECES);
  if (pieces < 1) pieces = 1;
  for (int n = 0; n < pieces; ++n) {
    RvCaptureEntry entry = {(uint32_t)packed, 0, (float)((double)n / pieces), (float)((double)(n + 1) / pieces)};
    if (!walk_tiles(k, a, d, reach, entry, out)) return false;
  }
  return true;
}

// Entries of some chunks of strands.
static void walk_some(void* arg, size_t begin, size_t end) {
  RvCapture* k = arg;
  RvCouple* c = k->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    RvCaptureEntries* out = &k->w->chunk[chunk];
    out->count = 0;
    for (size_t n = k->first + chunk * RV_COUPLE_GRAIN; n < rv_couple_chunk_end(c, k->first, chunk); ++n) {
      const RvCoupleStrand* s = &c->strands.data[n];
      for (int i = 0; i < s->count; ++i) {
        k->edge_first[s->first + (size_t)i] = (uint32_t)out->count;
        if (i + 1 < s->count && s->valid && !k->failed[chunk]) k->failed[chunk] = !walk_edge(k, s, i, out);
      }
    }
  }
}

void rv_couple_capture_set_box(RvCapture* k) {
  for (int a = 0; a < 3; ++a) {
    k->lo[a] = INT32_MAX;
    k->hi[a] = INT32_MIN;
  }
  for (size_t t = 0; t < k->p->homes.count; ++t)
    for (int a = 0; a < 3; ++a) {
      int32_t x = k->p->homes.coord[t][a];
      k->lo[a] = x < k->lo[a] ? x : k->lo[a];
      k->hi[a] = x + 1 > k->hi[a] ? x + 1 : k->hi[a];
    }
}

// Appends the entries of some chunks; false: no memory.
static bool join(RvCapture* k, size_t chunks) {
  RvCaptureWork* w = k->w;
  RvCouple* c = k->c;
  size_t total = w->entries.count, at = total;
  for (size_t n = 0; n < chunks; ++n) {
    if (k->failed[n]) return false;
    total += w->chunk[n].count;
  }
  if (total > UINT32_MAX / 2) return false;
  // A quarter to spare: the number changes a little from substep to substep, as particles move.
  if (total > w->entries.capacity && !rv_array_reserve(&w->entries, total + total / 4)) return false;
  w->entries.count = total;
  for (size_t n = 0; n < chunks; ++n) {
    size_t first = k->first + n * RV_COUPLE_GRAIN, last = rv_couple_chunk_end(c, k->first, n);
    size_t lo = c->strands.data[first].first;
    size_t hi = last < c->strands.count ? c->strands.data[last].first : c->vertices.count;
    for (size_t i = lo; i < hi; ++i) k->edge_first[i] += (uint32_t)at;
    if (w->chunk[n].count) memcpy(w->entries.data + at, w->chunk[n].data, w->chunk[n].count * sizeof(RvCaptureEntry));
    at += w->chunk[n].count;
  }
  k->edge_first[c->vertices.count] = (uint32_t)total;
  return true;
}

// Chunks of strands are walked in waves, so few entries are in memory twice.
bool rv_couple_capture_find_entries(RvCapture* k) {
  rv_parallel_for(k->p->homes.count, TILES_OF_TASK, find_rows, k);
  const size_t wave = RV_COUPLE_CHUNKS * RV_COUPLE_GRAIN;
  k->w->entries.count = 0;
  for (k->first = 0; k->first < k->c->strands.count; k->first += wave) {
    size_t left = k->c->strands.count - k->first;
    size_t chunks = ((left < wave ? left : wave) + RV_COUPLE_GRAIN - 1) / RV_COUPLE_GRAIN;
    rv_parallel_for(chunks, 1, walk_some, k);
    if (!join(k, chunks)) return false;
  }
  return true;
}

// Counting sort of the entries by tiles, those of a tile by edges; memory of the passes. False: no memory.
bool rv_couple_capture_sort_entries(RvCapture* k) {
  RvCaptureWork* w = k->w;
  RvArena* arena = k->c->scratch;
  size_t total = w->entries.count, tiles = k->p->homes.count, room = k->p->sorted;
  k->tile_first = RV_TAKE(arena, uint32_t, tiles + 2);
  k->order = RV_TAKE(arena, uint32_t, total);
  k->pieces = RV_TAKE(arena, RvCapturePiece, total);
  k->sums = RV_TAKE(arena, RvCaptureSums, total);
  double** numbers[] = {&k->available,   &k->asked,       &k->each,       &k->returned,
                        &k->momentum[0], &k->momentum[1], &k->momentum[2]};
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n)
    if (!(*numbers[n] = RV_TAKE(arena, double, room))) return false;
  k->dispersed = RV_TAKE(arena, float, room);
  k->drop = RV_TAKE(arena, float, room);
  if (!k->dispersed || !k->drop || !k->tile_first || !k->order || !k->pieces || !k->sums) return false;
  uint32_t* first = k->tile_first;
  memset(first, 0, (tiles + 2) * sizeof *first);
  for (size_t i = 0; i < total; ++i) first[w->entries.data[i].home + 2]++;
  for (size_t t = 2; t < tiles + 2; ++t) first[t] += first[t - 1];
  for (size_t i = 0; i < total; ++i) k->order[first[w->entries.data[i].home + 1]++] = (uint32_t)i;
  return true;
}
