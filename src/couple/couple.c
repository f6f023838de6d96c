// Life of the coupling, validation of its input, and packing of the strands' lanes.
#include "couple/couple.h"

#include <math.h>

#include "base/parallel.h"
#include "couple/store.h"

enum { FIRST_BLOCK = 1 << 16 };       // bytes of the own arena at first
enum { PACK_STRANDS = 64 };           // strands of a parallel task
static const double FARTHEST = 1e12;  // m: a strand farther out is invalid, as its places have no useful digits

RvCouple* rv_couple_new(void) {
  RvCouple* c = rv_alloc_zero(1, sizeof(RvCouple));
  if (!c) return NULL;
  if ((c->own = c->scratch = rv_arena_new(FIRST_BLOCK))) return c;
  rv_free(c);
  return NULL;
}

void rv_couple_set_scratch(RvCouple* c, RvArena* scratch) {
  c->scratch = scratch ? scratch : c->own;
}

void rv_couple_free(RvCouple* c) {
  if (!c) return;
  for (int k = 0; k < RV_COUPLE_CHUNKS; ++k) rv_array_free(&c->chunk[k]);
  rv_array_free(&c->strands);
  rv_array_free(&c->vertices);
  rv_array_free(&c->points);
  rv_array_free(&c->edge_first);
  rv_array_free(&c->tile_first);
  rv_array_free(&c->order);
  rv_array_free(&c->tiles);
  rv_array_free(&c->near_home);
  rv_array_free(&c->near_of);
  rv_array_free(&c->near_near);
  rv_array_free(&c->crowded);
  rv_channel_free(&c->fill);
  RvChannel* axes[] = {c->volume, c->rate, c->mass_kept};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k)
    for (int a = 0; a < 3; ++a) rv_channel_free(&axes[k][a]);
  RvCoupleDoubles* doubles[] = {&c->out,        &c->sampled_velocity, &c->wet_length,      &c->submerged,
                                &c->film_v,     &c->capacity,         &c->capacity_radius, &c->acceleration,
                                &c->hair_count, &c->tip_pull,         &c->fibre_share};
  for (size_t k = 0; k < sizeof doubles / sizeof *doubles; ++k) rv_array_free(doubles[k]);
  rv_couple_capture_free(c->capture);
  rv_couple_drip_free(c->drip);
  rv_array_free(&c->free_area);
  rv_array_free(&c->bundle_share);
  rv_couple_springs_free(&c->springs);
  rv_arena_free(c->own);
  rv_free(c);
}

// Refuses strands without film arrays of their size, and liquids without meaning.
static RvResult validate(const RvCoupleStrands* s, const RvCoupleSettings* set, RvError* error) {
  if (!s->model || !s->q || !s->v) return rv_fail(error, RV_BAD_INPUT, "coupling: there are no strands");
  if (s->film && (s->film->vertices != s->model->vertices || s->film->edges != s->model->edges || !s->film_state))
    return rv_fail(error, RV_BAD_INPUT, "coupling: the film has %zu vertices, its strands %zu", s->film->vertices,
                   s->model->vertices);
  if (!(set->density > 0) || !(set->viscosity >= 0) || !(set->tension >= 0) || !isfinite(set->density) ||
      !isfinite(set->viscosity) || !isfinite(set->tension))
    return rv_fail(error, RV_BAD_INPUT,
                   "coupling: density %g kg/m3 must be above 0, viscosity %g Pa s and tension %g N/m not below",
                   set->density, set->viscosity, set->tension);
  return RV_OK;
}

// Lists the strands of all used lanes and makes room for their vertices; false: no memory.
static bool list_strands(RvCouple* c, const RvCoupleStrands* strands) {
  const RvStrandModel* m = strands->model;
  size_t first = 0, count = 0;
  if (!rv_array_resize(&c->strands, m->nstrand)) return false;
  for (size_t b = 0; b < m->nbatch; ++b) {
    const RvStrandBatch* batch = &m->batches[b];
    for (int lane = 0; lane < batch->lanes; ++lane, first += (size_t)batch->vertices) {
      int32_t input = batch->strand[lane];
      double hairs = strands->hairs ? strands->hairs[input] : 1;
      c->strands.data[count++] = (RvCoupleStrand){.unknown = batch->at + (size_t)lane,
                                                  .vertex = batch->vertex_at + (size_t)lane,
                                                  .edge = batch->edge_at + (size_t)lane,
                                                  .first = first,
                                                  .count = batch->vertices,
                                                  .lane = lane,
                                                  .last = lane + 1 < batch->lanes ? lane : RV_LANES - 1,
                                                  .input = input,
                                                  .drop = b * RV_LANES + (size_t)lane,
                                                  .hairs = hairs > 0 && isfinite(hairs) ? hairs : 1};
    }
  }
  c->strands.count = count;
  return rv_array_resize(&c->vertices, first);
}

typedef struct Pack {
  RvCouple* c;
  const RvCoupleStrands* strands;
} Pack;

// Positions, lengths and radii of some strands. x - x is 0 for finite x and NaN otherwise, so the sum tells whether all
// positions are finite.
static void pack_positions(void* arg, size_t begin, size_t end) {
  const Pack* pack = arg;
  const RvCoupleStrands* in = pack->strands;
  for (size_t k = begin; k < end; ++k) {
    RvCoupleStrand* s = &pack->c->strands.data[k];
    RvCoupleVertex* vertex = pack->c->vertices.data + s->first;
    double before = 0;
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t at = s->unknown + (size_t)(4 * i) * RV_LANES;
      for (int a = 0; a < 3; ++a) {
        vertex[i].x[a] = in->q[at + (size_t)a * RV_LANES] + in->offset[a];
        sum += vertex[i].x[a] - vertex[i].x[a];
      }
      vertex[i].radius = in->model->radius[s->vertex + (size_t)i * RV_LANES];
    }
    for (int i = 0; i < s->count; ++i) {
      double edge = i + 1 < s->count ? rv_distance(rv_couple_x(&vertex[i]), rv_couple_x(&vertex[i + 1])) : 0;
      vertex[i].length = 0.5 * (before + edge);
      before = edge;
    }
    double far = fabs(vertex[0].x[0]) + fabs(vertex[0].x[1]) + fabs(vertex[0].x[2]);
    s->placed = sum == 0 && s->count > 1 && far < FARTHEST;
  }
}

// Velocities of some strands, and whether all numbers of a strand are finite.
static void pack_velocities(void* arg, size_t begin, size_t end) {
  const Pack* pack = arg;
  for (size_t k = begin; k < end; ++k) {
    RvCoupleStrand* s = &pack->c->strands.data[k];
    RvCoupleVertex* vertex = pack->c->vertices.data + s->first;
    const double* v = pack->strands->v + s->unknown;
    double sum = 0;
    for (int i = 0; i < s->count; ++i)
      for (int a = 0; a < 3; ++a) {
        vertex[i].v[a] = v[(size_t)(4 * i + a) * RV_LANES];
        sum += vertex[i].v[a] - vertex[i].v[a];
      }
    s->valid = s->placed && sum == 0;
  }
}

static void pack_all(void* arg, size_t begin, size_t end) {
  pack_positions(arg, begin, end);
  pack_velocities(arg, begin, end);
}

RvResult rv_couple_pack(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings, RvError* error) {
  RvResult result = validate(strands, settings, error);
  if (result) return result;
  Pack pack = {c, strands};
  if (strands->pose_key && strands->pose_key == c->pose_key) {
    rv_parallel_for(c->strands.count, PACK_STRANDS, pack_velocities, &pack);
    return RV_OK;
  }
  c->pose_key = 0;
  if (!list_strands(c, strands))
    return rv_fail(error, RV_NO_MEMORY, "coupling: out of memory for %zu strands", strands->model->nstrand);
  rv_parallel_for(c->strands.count, PACK_STRANDS, pack_all, &pack);
  c->pose_key = strands->pose_key;
  return RV_OK;
}
