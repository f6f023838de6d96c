// Merges and splits particles within the cells of the last sort (resample.h, WH-33). Tiles are independent: a pass
// merges, a pass counts the splits, and a last one makes them at places and with ids that are known by then.
#include "liquid/resample.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "liquid/rheology.h"
#include "liquid/spin.h"
#include "math/scalar.h"
#include "math/vec.h"

enum { GRAIN = 4 };           // tiles a task
enum { MOST_TRIED = 64 };     // particles of a cell among which a partner is looked for
#define SPLIT_STREAM 0x5b117  // random numbers of the directions of splits
#define MERGE_LIMIT 0.99      // of the volume that is split: a merged particle must not be split again
#define SPLIT_LEAST 0.5       // of the nominal volume that a particle needs to be split for seeding
#define OFFSET_GRID 4096      // offsets of halves are whole multiples of 1/4096 cell

typedef struct Job {
  RvParticles* p;
  const RvResample* how;
  int64_t first_id;  // of the children
  size_t old_count;  // index of the first child
} Job;

RvResample rv_liquid_resample_default(double dx) {
  return (RvResample){.dx = dx,
                      .nominal = dx * dx * dx / 8,  // eight particles a cell
                      .small = 0.2,
                      .large = 2,
                      .fewest_in_cell = 3,
                      .most_in_cell = 16,
                      .tiny = 4.0 / 3 * RV_PI * 1e-27,  // a ball of 1e-9 m
                      .seed = true};
}

//---------------------------------------------------------------------------------------------- merge

// Squared distance of two particles of one tile, cells^2.
static float square_distance(const RvParticles* p, size_t i, size_t j) {
  float sum = 0;
  for (int a = 0; a < 3; ++a) {
    float d = p->x[a][i] - p->x[a][j];
    sum += d * d;
  }
  return sum;
}

static RvVec3 float_vec(float* const v[3], size_t i) {
  return rv_vec3((double)v[0][i], (double)v[1][i], (double)v[2][i]);
}

// Angular momentum per mass of a pair about its common centre: of each in itself, and of their motion around each
// other. Cells^2/s; `part` is the mass share of j.
static RvVec3 pair_spin(const RvParticles* p, size_t i, size_t j, double part, double dx) {
  RvVec3 arm = rv_sub(float_vec(p->x, j), float_vec(p->x, i)), speed = rv_sub(float_vec(p->v, j), float_vec(p->v, i));
  RvVec3 own = rv_add(rv_scale(rv_liquid_particle_spin(p, i), 1 - part), rv_scale(rv_liquid_particle_spin(p, j), part));
  return rv_mad(own, part * (1 - part) / dx, rv_cross(arm, speed));
}

// Strain of a merged pair: the deviator is the mean by volume, `part` of it that of j; its trace makes the
// determinant 1.
static void merge_strain(RvParticles* p, size_t i, size_t j, double part) {
  double mean[RV_STRAINS];
  for (int a = 0; a < RV_STRAINS; ++a) mean[a] = (1 - part) * (double)p->strain[a][i] + part * (double)p->strain[a][j];
  rv_liquid_plastic_unit_determinant(mean);
  for (int a = 0; a < RV_STRAINS; ++a) p->strain[a][i] = (float)mean[a];
}

// Merges j into i, both of one tile; i is the larger.
static void merge(RvParticles* p, size_t i, size_t j, double dx) {
  double m = p->volume[i], n = p->volume[j], sum = m + n, part = n / sum;
  RvVec3 spin = pair_spin(p, i, j, part, dx);
  for (int a = 0; a < 3; ++a) {
    p->x[a][i] = (float)((double)p->x[a][i] + part * ((double)p->x[a][j] - (double)p->x[a][i]));
    p->v[a][i] = (float)((m * (double)p->v[a][i] + n * (double)p->v[a][j]) / sum);
  }
  for (int a = 0; a < 9; ++a) p->c[a][i] = (float)((m * (double)p->c[a][i] + n * (double)p->c[a][j]) / sum);
  rv_liquid_particle_set_spin(p, i, spin);
  if (p->strained) merge_strain(p, i, j, part);
  p->volume[i] = sum;
  p->volume[j] = 0;
}

// Order of a pair: by volume, then by id.
static bool larger(const RvParticles* p, size_t i, size_t j) {
  return p->volume[i] > p->volume[j] || (p->volume[i] == p->volume[j] && p->id[i] < p->id[j]);
}

static bool same_material(const RvParticles* p, const int32_t* material, size_t i, size_t j) {
  return !material || material[p->row[i]] == material[p->row[j]];
}

// Nearest particle of the same material in a cell with which the sum is not too large; SIZE_MAX: none.
static size_t find_mate(const RvParticles* p, const RvResample* how, size_t i, size_t begin, size_t end) {
  double limit = MERGE_LIMIT * how->large * how->nominal;
  size_t best = SIZE_MAX;
  float nearest = INFINITY;
  for (size_t j = begin; j < end; ++j) {
    if (j == i || !(p->volume[j] > 0) || p->volume[i] + p->volume[j] > limit) continue;
    if (!same_material(p, how->material, i, j)) continue;
    float d = square_distance(p, i, j);
    if (d < nearest || (d == nearest && p->id[j] < p->id[best])) {
      nearest = d;
      best = j;
    }
  }
  return best;
}

// Merges the small particles of a cell, and in a crowded cell all below the nominal volume; removes tiny ones without a
// partner.
static void merge_cell(const Job* job, size_t begin, size_t end, RvParticleTally* tally) {
  RvParticles* p = job->p;
  const RvResample* how = job->how;
  size_t alive = end - begin;
  // partners are looked for among MOST_TRIED particles, so that the work of a crowded cell stays linear
  for (size_t i = begin; i < end; ++i) {
    bool crowded = alive > (size_t)how->most_in_cell;
    double below = (crowded ? 1 : how->small) * how->nominal;
    if (!(p->volume[i] > 0) || p->volume[i] >= below) continue;
    size_t low = begin + (i - begin) / MOST_TRIED * MOST_TRIED, high = low + MOST_TRIED < end ? low + MOST_TRIED : end;
    size_t mate = find_mate(p, how, i, low, high);
    if (mate == SIZE_MAX && p->volume[i] < how->tiny) {
      tally->dropped++;
      tally->dropped_volume += p->volume[i];
      p->volume[i] = 0;
      alive--;
    }
    if (mate == SIZE_MAX) continue;
    if (larger(p, i, mate))
      merge(p, i, mate, how->dx);
    else
      merge(p, mate, i, how->dx);
    tally->merged++;
    alive--;
  }
}

//---------------------------------------------------------------------------------------------- split

// Whether all six cells around have liquid.
static bool inside(const RvParticles* p, size_t t, int x, int y, int z) {
  static const int side[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  for (int k = 0; k < 6; ++k) {
    int64_t at = rv_tiles_at(&p->homes, t, x + side[k][0], y + side[k][1], z + side[k][2]);
    if (at < 0 || p->cell_first[at] == p->cell_first[at + 1]) return false;
  }
  return true;
}

// Whether particle i of a cell is to be split: too large, or one of the first `wanted` that are large enough. Counting
// and splitting ask in the same order, so the answers agree.
static bool splits(const RvParticles* p, const RvResample* how, size_t i, int* wanted) {
  if (p->volume[i] > how->large * how->nominal) return true;
  if (*wanted <= 0 || !(p->volume[i] > SPLIT_LEAST * how->nominal)) return false;
  (*wanted)--;
  return true;
}

// Particles that cell k of tile t lacks: only inside the liquid, where it has too few.
static int wanted_in(const Job* job, size_t t, int k) {
  const RvParticles* p = job->p;
  size_t begin = p->cell_first[t * RV_TILE_CELLS + (size_t)k], end = p->cell_first[t * RV_TILE_CELLS + (size_t)k + 1];
  int alive = 0;
  if (!job->how->seed || end - begin >= (size_t)job->how->fewest_in_cell + MOST_TRIED) return 0;
  for (size_t i = begin; i < end; ++i) alive += p->volume[i] > 0;
  if (alive >= job->how->fewest_in_cell || alive == 0 || !inside(p, t, k & 7, k >> 3 & 7, k >> 6)) return 0;
  return job->how->fewest_in_cell - alive;
}

// Splits particle i; the second half becomes particle `child`.
static void split(const Job* job, size_t i, size_t child) {
  RvParticles* p = job->p;
  RvVec3 spin = rv_liquid_particle_spin(p, i);
  for (int a = 0; a < 3; ++a) p->v[a][child] = p->v[a][i];
  for (int a = 0; a < 9; ++a) p->c[a][child] = p->c[a][i];
  for (int a = 0; p->strained && a < RV_STRAINS; ++a) p->strain[a][child] = p->strain[a][i];
  p->age[child] = p->age[i];
  p->row[child] = p->row[i];
  p->home[child] = p->home[i];
  p->id[child] = job->first_id + (int64_t)(child - job->old_count);
  // halving a double is exact
  p->volume[i] = 0.5 * p->volume[i];
  p->volume[child] = p->volume[i];
  // to opposite sides, by a quarter of the parent's spacing (0.5 cells for the nominal volume, kept within 0.1 to 2
  // cells), in a random direction that the child's id gives
  double z = 2 * rv_random(SPLIT_STREAM, (uint64_t)p->id[child], 0, 0) - 1;
  double angle = 2 * RV_PI * rv_random(SPLIT_STREAM, (uint64_t)p->id[child], 0, 1), r = sqrt(1 - z * z);
  double direction[3] = {r * rv_cos(angle), r * rv_sin(angle), z};
  double offset = 0.25 * rv_clamp(rv_pow(2 * p->volume[i] / job->how->nominal, 1.0 / 3) * 0.5, 0.1, 2);
  for (int a = 0; a < 3; ++a) {
    // multiples of 2^-12 are added to floats without rounding nearly everywhere, so the centre of mass is kept
    float step = (float)(floor(direction[a] * offset * OFFSET_GRID) / OFFSET_GRID), x = p->x[a][i];
    p->x[a][i] = x + step;
    p->x[a][child] = x - step;
  }
  rv_liquid_particle_set_spin(p, i, spin);
  rv_liquid_particle_set_spin(p, child, spin);
}

//---------------------------------------------------------------------------------------------- tiles

// Merges in the cells of each tile.
static void merge_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvParticles* p = job->p;
  for (size_t t = begin; t < end; ++t) {
    const uint32_t* first = p->cell_first + t * RV_TILE_CELLS;
    RvParticleTally tally = {0};
    for (int k = 0; k < RV_TILE_CELLS; ++k)
      if (first[k + 1] > first[k]) merge_cell(job, first[k], first[k + 1], &tally);
    p->tallies[t] = tally;
  }
}

// Counts the splits of a tile, and makes them if `make`.
static void count_or_split(const Job* job, size_t t, bool make) {
  const RvParticles* p = job->p;
  const uint32_t* first = p->cell_first + t * RV_TILE_CELLS;
  size_t n = 0;
  for (int k = 0; k < RV_TILE_CELLS; ++k) {
    if (first[k + 1] == first[k]) continue;
    int wanted = wanted_in(job, t, k);
    for (size_t i = first[k]; i < first[k + 1]; ++i) {
      if (!splits(p, job->how, i, &wanted)) continue;
      if (make) split(job, i, p->tallies[t].child_at + n);
      n++;
    }
  }
  p->tallies[t].split = n;
}

static void count_tiles(void* arg, size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) count_or_split(arg, t, false);
}

static void split_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  for (size_t t = begin; t < end; ++t)
    if (job->p->tallies[t].split) count_or_split(job, t, true);
}

RvResult rv_liquid_resample(RvParticles* p, const RvResample* how, int64_t* next_id, RvResampled* done,
                            RvError* error) {
  size_t tiles = p->homes.count, children = 0;
  Job job = {.p = p, .how = how, .first_id = *next_id, .old_count = p->count};
  // merge, and count the splits
  rv_parallel_for(tiles, GRAIN, merge_tiles, &job);
  rv_parallel_for(tiles, GRAIN, count_tiles, &job);
  // where the children of each tile go, in the order of the tiles
  for (size_t t = 0; t < tiles; ++t) {
    RvParticleTally* tally = &p->tallies[t];
    tally->child_at = p->count + children;
    children += tally->split;
    done->merged += tally->merged;
    done->dropped += tally->dropped;
    done->dropped_volume += tally->dropped_volume;
  }
  // children, behind the others; without memory for them the merged particles are a valid state
  RvResult result = rv_liquid_particles_reserve(p, p->count + children, error);
  if (result) return result;
  rv_parallel_for(tiles, GRAIN, split_tiles, &job);
  p->count += children;
  *next_id += (int64_t)children;
  done->split += children;
  return RV_OK;
}
