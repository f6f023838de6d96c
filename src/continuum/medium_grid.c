// Mass and momentum from the points to the nodes, and the nodes' change of velocity back to the links.
#include <string.h>

#include "base/parallel.h"
#include "continuum/medium.h"

enum { SIDE = RV_TILE_SIDE + 1, ROOM = SIDE * SIDE * SIDE };  // nodes of the cells of a tile
enum { BATCHES_A_TASK = 8, TILES_A_TASK = 8 };

//---------------------------------------------------------------------------------------------- to the nodes

typedef struct Scatter {
  RvMedium* m;
  const double* mass;  // [links] kg
  const double* v;     // [vertices][3]; NULL: none
  size_t first;        // tiles of this colour begin here
} Scatter;

// Velocity of a point, which moves with its rigid link.
static RvVec3 velocity(const RvMedium* m, const RvMediumPoint* p, const double* v) {
  size_t at = rv_medium_vector(p->vertex);
  return rv_lerp(rv_strand_vector(v, at), rv_strand_vector(v, at + 3 * RV_LANES), (p->part + 0.5) / m->parts);
}

// Sums of the points of a tile: mass and momentum of its nodes and of the first nodes of its upper neighbours.
static void sum_points(const Scatter* s, const RvMediumTile* t, double (*room)[4]) {
  static const int step[8] = {
      0, 1, SIDE, SIDE + 1, SIDE * SIDE, SIDE * SIDE + 1, SIDE * SIDE + SIDE, SIDE * SIDE + SIDE + 1};
  const RvMedium* m = s->m;
  memset(room, 0, ROOM * sizeof *room);
  for (size_t i = t->first; i < t->last; ++i) {
    const RvMediumPoint* p = &m->points.data[m->order.data[i]];
    double mass = s->mass[p->link] / m->parts, w[8];
    RvVec3 v = s->v ? velocity(m, p, s->v) : rv_vec3(0, 0, 0);
    const double give[4] = {mass, mass * v.x, mass * v.y, mass * v.z};
    rv_medium_weights(p->f, w);
    double(*out)[4] = room + ((p->cell >> 6) * SIDE + (p->cell >> 3 & 7)) * SIDE + (p->cell & 7);
    for (int n = 0; n < 8; ++n)
      for (int c = 0; c < 4; ++c) out[step[n]][c] += w[n] * give[c];
  }
}

// Adds the sums to the nodes.
static void hand_out(const RvMedium* m, size_t tile, double (*room)[4]) {
  for (int z = 0; z < SIDE; ++z)
    for (int y = 0; y < SIDE; ++y)
      for (int x = 0; x < SIDE; ++x) {
        const double* sum = room[(z * SIDE + y) * SIDE + x];
        if (sum[0] == 0) continue;
        double* to = m->sums.data[rv_tiles_at(&m->tiles, tile, x, y, z)].n;
        for (int c = 0; c < 4; ++c) to[c] += sum[c];
      }
}

static void scatter_tiles(void* arg, size_t begin, size_t end) {
  const Scatter* s = arg;
  double room[ROOM][4];
  for (size_t k = begin; k < end; ++k) {
    const RvMediumTile* t = &s->m->occupied.data[s->first + k];
    sum_points(s, t, room);
    hand_out(s->m, t->tile, room);
  }
}

static void clear_tiles(void* arg, size_t begin, size_t end) {
  RvMedium* m = arg;
  memset(m->sums.data + begin * RV_TILE_CELLS, 0, (end - begin) * RV_TILE_CELLS * sizeof *m->sums.data);
}

void rv_medium_scatter(RvMedium* m, const double* mass, const double* v) {
  Scatter s = {m, mass, v, 0};
  rv_parallel_for(m->tiles.count, TILES_A_TASK, clear_tiles, m);
  for (int colour = 0; colour < RV_MEDIUM_COLOURS; ++colour) {
    s.first = m->tile_colour[colour];
    rv_parallel_for(m->tile_colour[colour + 1] - s.first, 1, scatter_tiles, &s);
  }
}

//---------------------------------------------------------------------------------------------- smoothing

enum { HALO = RV_TILE_SIDE + 2 };

// A tile with its neighbours' nearest nodes, four numbers each.
typedef struct Halo {
  double n[HALO][HALO][HALO][4];
} Halo;

// The binomial mean along x, y and z; the result begins at n[0][0][0].
static void smooth(Halo* h) {
  for (int z = 0; z < HALO; ++z)
    for (int y = 0; y < HALO; ++y)
      for (int x = 0; x < RV_TILE_SIDE; ++x)
        for (int c = 0; c < 4; ++c)
          h->n[z][y][x][c] = 0.25 * h->n[z][y][x][c] + 0.5 * h->n[z][y][x + 1][c] + 0.25 * h->n[z][y][x + 2][c];
  for (int z = 0; z < HALO; ++z)
    for (int y = 0; y < RV_TILE_SIDE; ++y)
      for (int x = 0; x < RV_TILE_SIDE; ++x)
        for (int c = 0; c < 4; ++c)
          h->n[z][y][x][c] = 0.25 * h->n[z][y][x][c] + 0.5 * h->n[z][y + 1][x][c] + 0.25 * h->n[z][y + 2][x][c];
  for (int z = 0; z < RV_TILE_SIDE; ++z)
    for (int y = 0; y < RV_TILE_SIDE; ++y)
      for (int x = 0; x < RV_TILE_SIDE; ++x)
        for (int c = 0; c < 4; ++c)
          h->n[z][y][x][c] = 0.25 * h->n[z][y][x][c] + 0.5 * h->n[z + 1][y][x][c] + 0.25 * h->n[z + 2][y][x][c];
}

// Smoothed sums of a tile.
static void smooth_sums(const RvMedium* m, size_t tile, Halo* h) {
  for (int z = 0; z < HALO; ++z)
    for (int y = 0; y < HALO; ++y)
      for (int x = 0; x < HALO; ++x) {
        int64_t at = rv_tiles_at(&m->tiles, tile, x - 1, y - 1, z - 1);
        for (int c = 0; c < 4; ++c) h->n[z][y][x][c] = at < 0 ? 0 : m->sums.data[at].n[c];
      }
  smooth(h);
}

static void water_tiles(void* arg, size_t begin, size_t end) {
  RvMedium* m = arg;
  Halo h;
  for (size_t t = begin; t < end; ++t) {
    smooth_sums(m, t, &h);
    for (int i = 0; i < RV_TILE_CELLS; ++i)
      m->water.data[t * RV_TILE_CELLS + (size_t)i] = h.n[i >> 6][i >> 3 & 7][i & 7][0];
  }
}

void rv_medium_keep_water(RvMedium* m) {
  rv_parallel_for(m->tiles.count, TILES_A_TASK, water_tiles, m);
}

// Makes mass and velocity of the smoothed sums.
static void begin_tiles(void* arg, size_t begin, size_t end) {
  RvMedium* m = arg;
  Halo h;
  for (size_t t = begin; t < end; ++t) {
    smooth_sums(m, t, &h);
    for (int i = 0; i < RV_TILE_CELLS; ++i) {
      RvMediumNode* node = &m->nodes.data[t * RV_TILE_CELLS + (size_t)i];
      const double* sum = h.n[i >> 6][i >> 3 & 7][i & 7];
      node->mass = sum[0];
      node->inverse = sum[0] > 0 ? 1 / sum[0] : 0;
      for (int c = 0; c < 3; ++c) node->v[c] = node->before[c] = sum[c + 1] * node->inverse;
    }
  }
}

void rv_medium_begin_nodes(RvMedium* m) {
  rv_parallel_for(m->tiles.count, TILES_A_TASK, begin_tiles, m);
}

typedef struct End {
  RvMedium* m;
  double share;
} End;

// Smooths what the nodes of a tile give back: their change of velocity, and a share of their velocity.
static void end_tiles(void* arg, size_t begin, size_t end) {
  const End* e = arg;
  RvMedium* m = e->m;
  Halo h;
  for (size_t t = begin; t < end; ++t) {
    for (int z = 0; z < HALO; ++z)
      for (int y = 0; y < HALO; ++y)
        for (int x = 0; x < HALO; ++x) {
          int64_t at = rv_tiles_at(&m->tiles, t, x - 1, y - 1, z - 1);
          double* to = h.n[z][y][x];
          to[0] = 0;
          for (int c = 0; c < 3; ++c) {
            const RvMediumNode* node = at < 0 ? NULL : &m->nodes.data[at];
            to[c + 1] = node ? (node->v[c] - node->before[c]) + e->share * node->before[c] : 0;
          }
        }
    smooth(&h);
    for (int i = 0; i < RV_TILE_CELLS; ++i)
      memcpy(m->sums.data[t * RV_TILE_CELLS + (size_t)i].n, h.n[i >> 6][i >> 3 & 7][i & 7], 4 * sizeof(double));
  }
}

void rv_medium_end_nodes(RvMedium* m, double share) {
  End e = {m, share};
  rv_parallel_for(m->tiles.count, TILES_A_TASK, end_tiles, &e);
}

//---------------------------------------------------------------------------------------------- back to the links

typedef struct Gather {
  const RvMedium* m;
  const RvChainModel* model;
  const double *x, *v;
  double share;            // of the difference to the medium's velocity that friction takes in the step
  double rate;             // 1/s: 1 / dt
  double *force, *torque;  // [links][3]
} Gather;

// The nodes of a point's cell; most cells have all of them in their own tile.
static void corners_of(const RvMedium* m, const RvMediumPoint* p, size_t at[8]) {
  static const size_t step[8] = {0, 1, 8, 9, 64, 65, 72, 73};
  int x = p->cell & 7, y = p->cell >> 3 & 7, z = p->cell >> 6;
  if (x < 7 && y < 7 && z < 7)
    for (int n = 0; n < 8; ++n) at[n] = (size_t)p->tile * RV_TILE_CELLS + p->cell + step[n];
  else
    for (int n = 0; n < 8; ++n)
      at[n] = (size_t)rv_tiles_at(&m->tiles, p->tile, x + (n & 1), y + (n >> 1 & 1), z + (n >> 2));
}

// Change of a point's velocity by the medium.
static RvVec3 change(const Gather* g, const RvMediumPoint* p, RvVec3 own) {
  const RvMedium* m = g->m;
  size_t at[8];
  double w[8], gain[4] = {0};
  rv_medium_weights(p->f, w);
  corners_of(m, p, at);
  for (int n = 0; n < 8; ++n) {
    const double* node = m->sums.data[at[n]].n;
    for (int c = 0; c < 4; ++c) gain[c] += w[n] * node[c];
  }
  return rv_mad(rv_vec3_load64(gain + 1), -g->share, own);
}

// The points of link i of a lane, from point n on.
static void gather_link(const Gather* g, const RvChainBatch* b, int lane, int i, size_t n) {
  const RvMedium* m = g->m;
  size_t at = rv_chain_vertex(b, lane, i, 3, 0), link = rv_chain_link(b, lane, i, 3, 0);
  RvVec3 arm = rv_sub(rv_strand_vector(g->x, at + 3 * RV_LANES), rv_strand_vector(g->x, at));
  RvVec3 force = rv_strand_vector(g->force, link), lever = {0};
  double mass = g->rate * g->model->mass[rv_chain_link(b, lane, i, 1, 0)] / m->parts;
  for (int part = 0; part < m->parts; ++part) {
    const RvMediumPoint* p = &m->points.data[n + (size_t)part];
    if (p->tile == RV_MEDIUM_NOWHERE) continue;
    RvVec3 f = rv_scale(change(g, p, velocity(m, p, g->v)), mass);
    force = rv_add(force, f);
    lever = rv_mad(lever, (part + 0.5) / m->parts, f);
  }
  rv_strand_set_vector(g->force, link, force);
  rv_strand_set_vector(g->torque, link, rv_add(rv_strand_vector(g->torque, link), rv_cross(arm, lever)));
}

static void gather_batches(void* arg, size_t begin, size_t end) {
  const Gather* g = arg;
  size_t n = rv_medium_first_point(g->m, g->model, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &g->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i, n += (size_t)g->m->parts) gather_link(g, b, lane, i, n);
    rv_medium_repeat_lane(g->force, b, 3);
    rv_medium_repeat_lane(g->torque, b, 3);
  }
}

void rv_medium_load(RvMedium* m, const RvChainModel* model, const double* x, const double* v, double dt, double* force,
                    double* torque) {
  double r = m->corrected ? 0 : m->def.friction / m->def.smoothing * dt;
  Gather g = {m, model, x, v, r / (1 + r), 1 / dt, force, torque};
  rv_medium_end_nodes(m, g.share);
  rv_parallel_for(model->nbatch, BATCHES_A_TASK, gather_batches, &g);
}

//---------------------------------------------------------------------------------------------- density

typedef struct Density {
  const RvMedium* m;
  const RvChainModel* model;
  const double* x;
  double* out;
} Density;

// Density of the nodes around a place.
static double density_at(const RvMedium* m, RvVec3 x) {
  const double at[3] = {x.x / m->def.smoothing, x.y / m->def.smoothing, x.z / m->def.smoothing};
  int32_t cell[3];
  float f[3];
  for (int c = 0; c < 3; ++c) {
    double whole = __builtin_floor(at[c]);
    if (!(whole > INT32_MIN / 2 && whole < INT32_MAX / 2)) return 0;
    cell[c] = (int32_t)whole;
    f[c] = (float)(at[c] - whole);
  }
  double w[8], sum = 0;
  rv_medium_weights(f, w);
  for (int n = 0; n < 8; ++n) {
    int64_t node = rv_tiles_locate(&m->tiles, cell[0] + (n & 1), cell[1] + (n >> 1 & 1), cell[2] + (n >> 2));
    if (node >= 0) sum += w[n] * (m->nodes.data[node].mass - (m->water.count ? m->water.data[node] : 0));
  }
  return sum / (m->def.smoothing * m->def.smoothing * m->def.smoothing);
}

static void density_batches(void* arg, size_t begin, size_t end) {
  const Density* d = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &d->model->batches[k];
    for (int i = 0; i <= b->links; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        d->out[rv_chain_vertex(b, lane, i, 1, 0)] =
            density_at(d->m, rv_strand_vector(d->x, rv_chain_vertex(b, lane, i, 3, 0)));
  }
}

void rv_medium_density(const RvMedium* m, const RvChainModel* model, const double* x, double* density) {
  Density d = {m, model, x, density};
  rv_parallel_for(model->nbatch, BATCHES_A_TASK, density_batches, &d);
}
