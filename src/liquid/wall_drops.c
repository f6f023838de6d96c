// Drops on solids (wall_drops.h): connected cells, the motion of a body, the shape of a cap, beads that are left.
#include "liquid/wall_drops.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/scalar.h"

enum { UNKNOWN, BULK, CURRENT, DROP };  // states of a cell
enum { MOST_BEADS = 4 };                // that a drop leaves in a substep
enum { BEAD_SEED = 0x64726f70 };        // "drop"

// Lengths in cells.
static const double TOUCH = 0.35;      // distance of a particle that touches a solid: the radius of a nominal one
static const double BEHIND = 2;        // gap between a drop and its beads, so that they are no neighbours
static const double MOST_PULL = 0.25;  // of a particle towards the cap, a substep
static const double BLUR =
    0.06;  // squared: a quarter of a particle separation and more, so that two particles have a shape

static const double LEAVES = 1e-6;         // cells that a drop moves away from its solid: more than rounding
static const double LEAST_GRAVITY = 1;     // m/s^2: in less a drop is no larger than in this
static const double FLAT_GRADIENT = 1e-6;  // squared gradient of the distance below which there is no direction
static const double LARGEST_STRETCH = 2;   // of the shape, as far as it is corrected at once

void rv_liquid_wall_drops_free(RvWallDrops* w) {
  rv_array_free(&w->drops);
  rv_array_free(&w->cells);
  rv_array_free(&w->beads);
  rv_free(w->state);
  *w = (RvWallDrops){0};
}

//---------------------------------------------------------------------------------------------- solids

// Distance (cells) of a place in cells from the grid's origin, and its gradient; infinite where no solid is near.
static double solid_at(const RvWallDropsIn* in, const double cell[3], RvVec3* gradient) {
  int32_t at[3];
  double w[3], c[8];
  for (int a = 0; a < 3; ++a) {
    at[a] = (int32_t)floor(cell[a]);
    w[a] = cell[a] - at[a];
  }
  for (int k = 0; k < 8; ++k) {
    int64_t i = rv_tiles_locate(&in->grid->tiles, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
    float d = i < 0 ? RV_SOLID_FAR : in->solids->distance.data[i];
    if (!(d < in->solids->known)) return INFINITY;
    c[k] = (double)d / in->grid->dx;
  }
  // trilinear, by pairs along x, y and z
  double x[4], slope[4];
  for (int k = 0; k < 4; ++k) {
    slope[k] = c[2 * k + 1] - c[2 * k];
    x[k] = c[2 * k] + slope[k] * w[0];
  }
  double low = x[0] + (x[1] - x[0]) * w[1], high = x[2] + (x[3] - x[2]) * w[1];
  double low_x = slope[0] + (slope[1] - slope[0]) * w[1], high_x = slope[2] + (slope[3] - slope[2]) * w[1];
  *gradient = rv_vec3(low_x + (high_x - low_x) * w[2], (x[1] - x[0]) * (1 - w[2]) + (x[3] - x[2]) * w[2], high - low);
  return low + (high - low) * w[2];
}

// Velocity of the solid near a place: per axis that of the nearest face.
static RvVec3 solid_velocity(const RvWallDropsIn* in, const double cell[3]) {
  double v[3] = {0};
  for (int a = 0; a < 3; ++a) {
    int32_t at[3];
    if (!in->solids->velocity[a].data) continue;
    for (int b = 0; b < 3; ++b) at[b] = (int32_t)floor(cell[b] + (a == b ? 0.5 : 0));
    int64_t i = rv_tiles_locate(&in->grid->tiles, at[0], at[1], at[2]);
    if (i >= 0) v[a] = (double)in->solids->velocity[a].data[i];
  }
  return rv_vec3_load64(v);
}

//---------------------------------------------------------------------------------------------- finding

// Particles of a cell: begin and end.
static void span_of(const RvParticles* p, uint32_t cell, size_t span[2]) {
  span[0] = p->cell_first[cell];
  span[1] = p->cell_first[cell + 1];
}

// Whether a particle of the cell touches a solid.
static bool touches(const RvWallDropsIn* in, uint32_t cell) {
  size_t span[2];
  span_of(in->particles, cell, span);
  for (size_t i = span[0]; i < span[1]; ++i) {
    double x[3];
    RvVec3 n;
    rv_liquid_particles_place(in->particles, i, x);
    if (solid_at(in, x, &n) < TOUCH) return true;
  }
  return false;
}

// Marks the neighbours of a cell that have particles, and appends them. *bulk: one is known to be of a larger body.
static bool grow(RvWallDrops* w, const RvWallDropsIn* in, uint32_t cell, bool* bulk) {
  const RvParticles* p = in->particles;
  int at[3] = {(int)(cell & 7), (int)(cell >> 3 & 7), (int)(cell >> 6 & 7)};
  for (int k = 0; k < RV_TILE_NEAR; ++k) {
    int64_t other =
        rv_tiles_at(&p->homes, cell / RV_TILE_CELLS, at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1);
    if (other < 0 || p->cell_first[other] == p->cell_first[other + 1]) continue;
    *bulk = *bulk || w->state[other] == BULK;
    if (w->state[other] != UNKNOWN) continue;
    w->state[other] = CURRENT;
    if (!rv_array_push(&w->cells, (uint32_t)other)) return false;
  }
  return true;
}

// Volume of the particles of a cell, m^3.
static double cell_volume(const RvParticles* p, uint32_t cell) {
  size_t span[2];
  double sum = 0;
  span_of(p, cell, span);
  for (size_t i = span[0]; i < span[1]; ++i) sum += p->volume[i];
  return sum;
}

// The body of a cell that touches a solid: cell by cell, until it is known or too large.
static bool find_body(RvWallDrops* w, const RvWallDropsIn* in, uint32_t cell, double most) {
  size_t first = w->cells.count;
  RvWallDrop drop = {.first = first};
  bool bulk = false;
  w->state[cell] = CURRENT;
  if (!rv_array_push(&w->cells, cell)) return false;
  for (size_t n = first; n < w->cells.count && !bulk; ++n) {
    drop.volume += cell_volume(in->particles, w->cells.data[n]);
    bulk = drop.volume > most;
    if (!grow(w, in, w->cells.data[n], &bulk)) return false;
  }
  // A cell that was seen knows what it is of, so that each is visited once.
  for (size_t n = first; n < w->cells.count; ++n) w->state[w->cells.data[n]] = bulk ? BULK : DROP;
  if (bulk) w->cells.count = first;
  drop.count = w->cells.count - first;
  return bulk || !(drop.volume > 0) || rv_array_push(&w->drops, drop);
}

// Mean velocity of a drop's particles, and whether strands drag it.
static void measure(const RvWallDrops* w, const RvWallDropsIn* in, RvWallDrop* drop) {
  const RvParticles* p = in->particles;
  RvVec3 sum = {0, 0, 0};
  for (size_t n = drop->first; n < drop->first + drop->count; ++n) {
    uint32_t cell = w->cells.data[n];
    const int32_t* tile = p->homes.coord[cell / RV_TILE_CELLS];
    size_t span[2];
    span_of(p, cell, span);
    for (size_t i = span[0]; i < span[1]; ++i)
      sum = rv_mad(sum, p->volume[i], rv_vec3((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]));
    int64_t at =
        rv_tiles_locate(&in->grid->tiles, tile[0] * RV_TILE_SIDE + (int)(cell & 7),
                        tile[1] * RV_TILE_SIDE + (int)(cell >> 3 & 7), tile[2] * RV_TILE_SIDE + (int)(cell >> 6 & 7));
    for (int a = 0; a < 3 && in->grid->dragged && at >= 0; ++a)
      drop->dragged = drop->dragged || in->grid->drag[a].data[at] > 0;
  }
  drop->velocity = rv_scale(sum, 1 / drop->volume);
}

// Whether a solid lies near a tile of the grid.
static bool tile_near_solid(const RvWallDropsIn* in, size_t tile) {
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    int32_t other = in->grid->tiles.near[tile][n];
    if (other >= 0 && in->solids->touched[other]) return true;
  }
  return false;
}

bool rv_liquid_wall_drops_find(RvWallDrops* w, const RvWallDropsIn* in) {
  const RvParticles* p = in->particles;
  size_t cells = p->homes.count * RV_TILE_CELLS;
  w->drops.count = w->cells.count = w->beads.count = 0;
  if (cells > UINT32_MAX) return false;
  if (cells > w->capacity && !rv_renew(&w->state, cells, 1)) return false;
  w->capacity = cells > w->capacity ? cells : w->capacity;
  memset(w->state, UNKNOWN, cells);
  double most = rv_liquid_sessile_most(in->law, in->density, rv_max(rv_length(in->gravity), LEAST_GRAVITY));
  // bodies of the cells that touch a solid, in the order of the tiles
  for (size_t t = 0; t < in->grid->tiles.count; ++t) {
    int32_t home = in->scatter->home_of[t];
    if (home < 0 || !tile_near_solid(in, t)) continue;
    for (uint32_t k = 0; k < RV_TILE_CELLS; ++k) {
      uint32_t cell = (uint32_t)home * RV_TILE_CELLS + k;
      if (w->state[cell] != UNKNOWN || p->cell_first[cell] == p->cell_first[cell + 1] || !touches(in, cell)) continue;
      if (!find_body(w, in, cell, most)) return false;
    }
  }
  for (size_t d = 0; d < w->drops.count; ++d) measure(w, in, &w->drops.data[d]);
  return true;
}

//---------------------------------------------------------------------------------------------- moving

// A drop on its solid: places in cells from the grid's origin, before the move; velocities in m/s.
typedef struct Seat {
  RvVec3 middle;         // mean of the particles
  RvVec3 normal;         // of the solid
  double height;         // mean distance of the particles, cells
  RvVec3 solid;          // velocity of the solid
  RvVec3 grid;           // mean velocity of the particles after the grid's forces
  RvVec3 along[2];       // directions along the solid
  double covariance[3];  // of the particles along these: 00, 01, 11, cells^2
  size_t oldest;         // particle of the lowest id
} Seat;

// Place of a particle before the move, cells from the grid's origin.
static RvVec3 place_before(const RvParticles* p, size_t i) {
  const int32_t* tile = rv_liquid_particles_tile(p, i);
  const float x[3] = {((const float*)p->room)[i], ((const float*)p->room)[p->capacity + i],
                      ((const float*)p->spare)[i]};
  return rv_vec3((double)tile[0] * RV_TILE_SIDE + (double)x[0], (double)tile[1] * RV_TILE_SIDE + (double)x[1],
                 (double)tile[2] * RV_TILE_SIDE + (double)x[2]);
}

// Runs over the particles of a drop: *n is the cell, *i the particle; begin with count 0. False at the end.
typedef struct Walk {
  const RvWallDrops* w;
  const RvWallDrop* drop;
  const RvParticles* p;
  size_t cell, i, end;
} Walk;

static Walk walk_of(const RvWallDrops* w, const RvWallDrop* drop, const RvParticles* p) {
  return (Walk){w, drop, p, drop->first, 0, 0};
}

static bool walk_next(Walk* k, size_t* i) {
  while (k->i == k->end) {
    if (k->cell == k->drop->first + k->drop->count) return false;
    size_t span[2];
    span_of(k->p, k->w->cells.data[k->cell++], span);
    k->i = span[0];
    k->end = span[1];
  }
  *i = k->i++;
  return true;
}

// Middle, height, normal and velocities of a drop. False: no solid gives a direction.
static bool sit(const RvWallDrops* w, const RvWallDropsIn* in, const RvWallDrop* drop, Seat* s) {
  const RvParticles* p = in->particles;
  Walk walk = walk_of(w, drop, p);
  RvVec3 normal = {0, 0, 0};
  double touching = 0;
  bool any = false;
  *s = (Seat){0};
  for (size_t i; walk_next(&walk, &i);) {
    RvVec3 x = place_before(p, i), n;
    double cell[3], share = p->volume[i] / drop->volume;
    rv_vec3_store64(cell, x);
    double d = solid_at(in, cell, &n);
    s->middle = rv_mad(s->middle, share, x);
    s->grid = rv_mad(s->grid, share, rv_vec3((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]));
    s->oldest = !any || p->id[i] < p->id[s->oldest] ? i : s->oldest;
    any = true;
    if (!(d < TOUCH)) continue;
    normal = rv_mad(normal, p->volume[i], n);
    s->solid = rv_mad(s->solid, p->volume[i], solid_velocity(in, cell));
    touching += p->volume[i];
  }
  if (!(touching > 0) || !(rv_dot(normal, normal) > FLAT_GRADIENT * touching * touching)) return false;
  s->normal = rv_normalize(normal, rv_vec3(0, 1, 0));
  s->solid = rv_scale(s->solid, 1 / touching);
  s->along[0] = rv_perpendicular(s->normal);
  s->along[1] = rv_cross(s->normal, s->along[0]);
  return true;
}

// Height and covariance of the particles about their middle.
static void spread_of(const RvWallDrops* w, const RvWallDropsIn* in, const RvWallDrop* drop, Seat* s) {
  const RvParticles* p = in->particles;
  Walk walk = walk_of(w, drop, p);
  double lowest = INFINITY;
  for (size_t i; walk_next(&walk, &i);) {
    RvVec3 off = rv_sub(place_before(p, i), s->middle), n;
    double share = p->volume[i] / drop->volume, u = rv_dot(off, s->along[0]), v = rv_dot(off, s->along[1]), cell[3];
    s->covariance[0] += share * u * u;
    s->covariance[1] += share * u * v;
    s->covariance[2] += share * v * v;
    rv_vec3_store64(cell, place_before(p, i));
    double d = solid_at(in, cell, &n) - rv_dot(off, s->normal);
    lowest = rv_min(lowest, d);
  }
  s->height = lowest;
}

// Velocity of the drop at the end of the substep: that of a body under gravity, which the solid holds and slows. The
// grid's pressure does not count: it would hold any drop under a ceiling by suction. *speed: along the solid.
static RvVec3 velocity_of(const RvWallDropsIn* in, const RvWallDrop* drop, const Seat* s, double* speed) {
  RvVec3 body = drop->dragged ? s->grid : rv_mad(drop->velocity, in->dt, in->gravity);
  RvVec3 relative = rv_sub(body, s->solid);
  RvVec3 along = rv_mad(relative, -rv_dot(relative, s->normal), s->normal);
  double gain = rv_length(along), held = in->dt * rv_liquid_sessile_hold(in->law, in->density, drop->volume);
  double left =
      gain > held ? (gain - held) / (1 + in->dt * rv_liquid_sessile_drag(in->law, in->density, drop->volume)) : 0;
  double away = rv_dot(relative, s->normal);
  double hung = in->dt * rv_liquid_sessile_hang(in->law, in->density, drop->volume);
  // What goes into the solid ends there, without the friction of a hard body.
  away = rv_max(away - hung, 0);
  *speed = left;
  return rv_mad(rv_mad(s->solid, gain > held ? left / gain : 0, along), away, s->normal);
}

// Pull of the particles into the cap: along the solid by the map that turns their covariance into that of the cap,
// towards it by the ratio of mean heights.
typedef struct Pull {
  double map[3];  // symmetric: 00, 01, 11; less the identity
  double lower;   // share of the height above the solid
} Pull;

static Pull pull_of(const RvWallDropsIn* in, const RvWallDrop* drop, const Seat* s, bool leaves) {
  RvCap cap = rv_liquid_cap(in->law, drop->volume);
  double dx = in->grid->dx, wanted = 0.5 * cap.spread / (dx * dx);
  // the square root of a symmetric matrix of two rows, and its inverse
  double a = s->covariance[0] + BLUR, b = s->covariance[1], c = s->covariance[2] + BLUR;
  double root = sqrt(rv_max(a * c - b * b, BLUR * BLUR)), scale = sqrt((wanted + BLUR) * (a + c + 2 * root)) / root;
  // inverse root of [a b; b c] is ([c -b; -b a] + root I) / (root sqrt(a + c + 2 root))
  double norm = scale / (a + c + 2 * root);
  double share = rv_min(in->dt / sqrt(in->density * drop->volume / in->law->tension), 1);
  double most = LARGEST_STRETCH - 1;
  return (Pull){
      .map = {share * rv_clamp(norm * (c + root) - 1, -0.5, most), share * rv_clamp(-norm * b, -most, most),
              share * rv_clamp(norm * (a + root) - 1, -0.5, most)},
      .lower = leaves ? 0 : share * rv_clamp(cap.mean_height / dx / rv_max(s->height, in->margin) - 1, -0.5, most)};
}

// Gives the particles of a drop its velocity, and their places of before, moved by it and pulled into the cap.
static void carry(const RvWallDrops* w, const RvWallDropsIn* in, const RvWallDrop* drop, const Seat* s, RvVec3 v) {
  RvParticles* p = in->particles;
  Walk walk = walk_of(w, drop, p);
  // A drop that leaves the solid is not drawn back to it.
  Pull pull = pull_of(in, drop, s, rv_dot(rv_sub(v, s->solid), s->normal) > LEAVES * in->grid->dx / in->dt);
  double cells = in->dt / in->grid->dx;
  for (size_t i; walk_next(&walk, &i);) {
    RvVec3 before = place_before(p, i), off = rv_sub(before, s->middle);
    double a = rv_dot(off, s->along[0]), b = rv_dot(off, s->along[1]);
    double up = pull.lower * (s->height + rv_dot(off, s->normal));
    RvVec3 move = rv_scale(s->along[0], pull.map[0] * a + pull.map[1] * b);
    move = rv_mad(rv_mad(move, pull.map[1] * a + pull.map[2] * b, s->along[1]), up, s->normal);
    double length = rv_length(move);
    if (length > MOST_PULL) move = rv_scale(move, MOST_PULL / length);
    move = rv_mad(move, cells, v);
    const double step[3] = {move.x, move.y, move.z}, own[3] = {v.x, v.y, v.z};
    const float x[3] = {((const float*)p->room)[i], ((const float*)p->room)[p->capacity + i],
                        ((const float*)p->spare)[i]};
    for (int k = 0; k < 3; ++k) {
      p->x[k][i] = (float)((double)x[k] + step[k]);
      p->v[k][i] = (float)own[k];
    }
    for (int k = 0; k < 9; ++k) p->c[k][i] = 0;
  }
}

//---------------------------------------------------------------------------------------------- beads

// Puts a bead behind a drop, onto the solid. False: out of memory.
static bool put_bead(RvWallDrops* w, const RvWallDropsIn* in, size_t drop, RvVec3 at, double volume) {
  RvLeftBead bead = {.volume = volume, .drop = drop};
  RvVec3 n;
  rv_vec3_store64(bead.cell, at);
  double d = solid_at(in, bead.cell, &n), square = rv_dot(n, n);
  // The solid ends there, or bends away.
  if (!(d < RV_LIQUID_BAND) || !(square > FLAT_GRADIENT)) return true;
  rv_vec3_store64(bead.cell, rv_mad(at, (in->margin - d) / square, n));
  bead.velocity = solid_velocity(in, bead.cell);
  return rv_array_push(&w->beads, bead);
}

// The beads that a drop leaves in the substep: on average one a distance, drawn by its oldest particle and that one's
// age, which no order of work changes. False: out of memory.
static bool leave(RvWallDrops* w, const RvWallDropsIn* in, size_t number, const Seat* s, RvVec3 v, double speed) {
  const RvWallDrop* drop = &w->drops.data[number];
  RvBeads beads;
  double g = rv_max(rv_length(in->gravity), LEAST_GRAVITY);
  if (!rv_liquid_sessile_beads(in->law, in->density, g, drop->volume, speed, &beads)) return true;
  const RvParticles* p = in->particles;
  uint32_t age;
  memcpy(&age, &p->age[s->oldest], sizeof age);
  double draw = rv_random(BEAD_SEED, (uint64_t)p->id[s->oldest], age, 0);
  int count = (int)rv_min(floor(speed * in->dt / beads.distance + draw), MOST_BEADS);
  RvVec3 relative = rv_sub(v, s->solid);
  RvVec3 back = rv_normalize(rv_mad(relative, -rv_dot(relative, s->normal), s->normal), rv_vec3(0, 1, 0));
  double behind = 0.5 * rv_liquid_cap(in->law, drop->volume).width / in->grid->dx + BEHIND;
  for (int k = 0; k < count; ++k) {
    RvVec3 at = rv_mad(s->middle, -(behind + k * beads.distance / in->grid->dx), back);
    if (!put_bead(w, in, number, at, beads.volume)) return false;
  }
  return true;
}

bool rv_liquid_wall_drops_move(RvWallDrops* w, const RvWallDropsIn* in) {
  for (size_t d = 0; d < w->drops.count; ++d) {
    const RvWallDrop* drop = &w->drops.data[d];
    Seat seat;
    double speed;
    if (!sit(w, in, drop, &seat)) continue;
    spread_of(w, in, drop, &seat);
    RvVec3 v = velocity_of(in, drop, &seat, &speed);
    carry(w, in, drop, &seat, v);
    if (speed > 0 && !leave(w, in, d, &seat, v, speed)) return false;
  }
  return true;
}

// Takes a bead's volume off the particles of its drop, each by its share. Returns what was taken, m^3; *row is that of
// the first.
static double take_volume(const RvWallDrops* w, RvParticles* p, const RvLeftBead* bead, int32_t* row) {
  const RvWallDrop* drop = &w->drops.data[bead->drop];
  Walk walk = walk_of(w, drop, p);
  double share = bead->volume / drop->volume, sum = 0;
  bool any = false;
  for (size_t i; walk_next(&walk, &i);) {
    double taken = share * p->volume[i];
    p->volume[i] -= taken;
    sum += taken;
    if (!any) *row = p->row[i];
    any = true;
  }
  return sum;
}

RvResult rv_liquid_wall_drops_leave(RvWallDrops* w, RvParticles* p, int64_t* next_id, RvError* error) {
  for (size_t k = 0; k < w->beads.count; ++k) {
    const RvLeftBead* bead = &w->beads.data[k];
    size_t i = rv_liquid_particles_add(p, bead->cell);
    if (i == SIZE_MAX) continue;
    const double v[3] = {bead->velocity.x, bead->velocity.y, bead->velocity.z};
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)v[a];
    p->volume[i] = take_volume(w, p, bead, &p->row[i]);
    p->id[i] = (*next_id)++;
  }
  w->beads.count = 0;
  return rv_liquid_particles_complete(p, error);
}
