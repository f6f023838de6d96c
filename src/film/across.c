// Capillary flow between neighbouring strands (WH-27, spec 1.2.7 with E6).
//
// Pressure. The meniscus between two wet fibres is concave. Its suction is sigma cos(angle), with the fibre's own
// contact angle, over a meniscus radius r + h + distance / 2. Suction falls with h, so liquid wicks from the wetter to
// the drier fibre until the pressures are equal. (The curvature 1 / (r + h) of a film around a single fibre has the
// opposite sign: thick films would drain thin ones. That is the Rayleigh-Plateau instability, not wicking. The
// curvature h'' is part of the flow along the strand, tension_kernel.c.)
//
// Flow. u = (r^2 + 4 slip r) / (8 mu) dp / distance of axes, through the height of the donor's film times the length
// that the bridge stands for, times the number of hairs that both strands have. All bridges start from the same
// volumes. Each takes its part of one linearised implicit step, and no vertex gives more than half of its film: so
// volumes stay positive, do not oscillate, and depend on the order of the bridges only by rounding.
//
// Bridges are evaluated independently; the changes at their ends are summed batch by batch in their order, without
// atomics.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

enum { BATCHES = 8, BRIDGES = 256 };         // of a parallel task
static const double LEAST_VISCOSITY = 1e-6;  // Pa s: bounds the flow of liquids without viscosity

// One end of a bridge: a point of an edge.
typedef struct End {
  const RvFilmBatch* b;
  int lane;
  int j;             // lower vertex of the edge, in its strand
  size_t vertex[2];  // block indices of both vertices
  double weight[2];  // of both vertices at the point
} End;

// The flow over one bridge.
typedef struct Flow {
  End end[2];
  int donor;                  // the end that gives liquid
  bool valid;                 // both ends lie on edges, and its numbers are finite
  double conductance;         // m3 per Pa within the step
  double pressure_drop;       // Pa
  double volume;              // m3 that flows
  double part[2];             // m3 of it from either vertex of the donor
  double strain, solids;      // of the liquid that flows
  double excess_momentum[3];  // kg m/s beyond that of the receiver's own film
} Flow;

typedef struct Across {
  const RvFilmModel* m;
  RvFilmState* s;
  const RvFilmStepDef* def;
  const RvFilmBridge* bridges;
  Flow* flows;
  uint32_t* ends;  // [2 bridges] 2 x bridge + side, by batches, ascending
  size_t* first;   // [nbatch + 1] of each batch
  double* cosine;  // [nbatch x RV_LANES] of the strands' contact angles, at least 0
  double* kick;    // [unknowns] kg m/s
  double* height;  // [vertices] m, of the film
  double* cell;    // [vertices] m, half of both edges
  double* stiff;   // [vertices] sum over bridges of conductance times pressure slope
  double* given;   // [vertices] m3 that the bridges would take
} Across;

// Finds the batch of a vertex by bisection. False: there is no edge above it.
static bool find_end(const RvFilmModel* m, size_t vertex, double t, End* out) {
  size_t lo = 0, hi = m->nbatch;
  *out = (End){.b = m->batches};
  if (vertex >= m->vertices || !(t >= 0 && t <= 1)) return false;
  while (hi - lo > 1) {
    size_t middle = lo + (hi - lo) / 2;
    *(m->batches[middle].vertex_at <= vertex ? &lo : &hi) = middle;
  }
  const RvFilmBatch* b = &m->batches[lo];
  size_t k = vertex - b->vertex_at;
  *out = (End){b, (int)(k % RV_LANES), (int)(k / RV_LANES), {vertex, vertex + RV_LANES}, {1 - t, t}};
  return out->j + 1 < b->vertices && out->lane < b->lanes;
}

// Coordinate c of a vertex of an end's strand, m.
static double coordinate(const Across* a, const End* e, int vertex, int c) {
  return a->def->x[e->b->at + (size_t)((4 * vertex + c) * RV_LANES + e->lane)];
}

// Unit tangent of edge j of a strand; returns its length.
static double tangent(const Across* a, const End* e, int j, double t[3]) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    t[c] = coordinate(a, e, j + 1, c) - coordinate(a, e, j, c);
    sum += t[c] * t[c];
  }
  double length = fmax(sqrt(sum), RV_FILM_NO_LENGTH);
  for (int c = 0; c < 3; ++c) t[c] /= length;
  return length;
}

// A quantity of vertices, interpolated at an end.
static double interpolate(const End* e, const double* a) {
  return e->weight[0] * a[e->vertex[0]] + e->weight[1] * a[e->vertex[1]];
}

// Capillary pressure at an end, Pa, and its derivative by the volume there, Pa/m3.
static double pressure(const Across* a, const RvFilmBridge* bridge, const End* e, double* slope) {
  double sum = 0;
  double pull = a->m->liquid.tension * a->cosine[(e->b - a->m->batches) * RV_LANES + e->lane];
  *slope = 0;
  for (int v = 0; v < 2; ++v) {
    size_t k = e->vertex[v];
    double outer = a->m->radius[k] + a->height[k];
    double meniscus = outer + 0.5 * bridge->distance;
    double suction = pull / meniscus;
    sum -= e->weight[v] * suction;
    *slope += e->weight[v] * suction / meniscus / (2 * RV_PI * outer * a->m->hairs[k] * a->cell[k]);
  }
  return sum;
}

// Conductance of a bridge, m3/s per Pa; 0 where the donor has no film.
static double conductance(const Across* a, const RvFilmBridge* bridge, const End* donor, const End* receiver) {
  double r = 0.5 * (interpolate(donor, a->m->radius) + interpolate(receiver, a->m->radius));
  double slip = a->def->settings.slip;
  double mu = fmax(a->m->liquid.consistency, LEAST_VISCOSITY);
  double apart = bridge->distance + 2 * r;
  double hairs = fmin(interpolate(donor, a->m->hairs), interpolate(receiver, a->m->hairs));
  return hairs * (r * r + 4 * slip * r) / (8 * mu) / apart * interpolate(donor, a->height) * bridge->length;
}

// Cosine of a strand's contact angle, the mean of its points.
static double cosine_of(const Across* a, const RvFilmBatch* b, int lane) {
  const double* angle = a->def->settings.angle_at;
  double sum = 0;
  for (int i = 0; angle && i < b->vertices; ++i) sum += angle[b->vertex_at + (size_t)(i * RV_LANES + lane)];
  return fmax(rv_cos(angle ? sum / b->vertices : a->m->liquid.angle), 0);
}

// Heights, cells and contact angles of some batches.
static void measure_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const End e = {.b = b, .lane = lane};
      double before = 0, t[3];
      a->cosine[k * RV_LANES + (size_t)lane] = cosine_of(a, b, lane);
      for (int i = 0; i < b->vertices; ++i) {
        size_t at = b->vertex_at + (size_t)(i * RV_LANES + lane);
        double after = i + 1 < b->vertices ? tangent(a, &e, i, t) : 0;
        a->cell[at] = 0.5 * (before + after);
        a->height[at] = rv_film_height(a->s->volume[at] / (a->m->hairs[at] * a->cell[at]), a->m->radius[at]);
        before = after;
      }
    }
  }
}

static bool is_valid(const RvFilmBridge* b) {
  return b->distance >= 0 && b->distance < INFINITY && b->length >= 0 && b->length < INFINITY;
}

// Direction, pressure drop and conductance of some bridges.
static void drive_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBridge* bridge = &a->bridges[k];
    Flow* f = &a->flows[k];
    double slope, p[2];
    f->valid = is_valid(bridge);
    for (int v = 0; v < 2; ++v) f->valid &= find_end(a->m, bridge->vertex[v], bridge->t[v], &f->end[v]);
    if (!f->valid) continue;
    for (int v = 0; v < 2; ++v) p[v] = pressure(a, bridge, &f->end[v], &slope);
    f->donor = p[0] > p[1] ? 0 : 1;
    f->pressure_drop = fabs(p[0] - p[1]);
    f->conductance = a->def->dt * conductance(a, bridge, &f->end[f->donor], &f->end[1 - f->donor]);
  }
}

// Names the first bridge that is not valid.
static RvResult validate(const Across* a, size_t count, RvError* error) {
  for (size_t k = 0; k < count; ++k) {
    const RvFilmBridge* b = &a->bridges[k];
    if (a->flows[k].valid) continue;
    if (is_valid(b)) return rv_fail(error, RV_BAD_INPUT, "film: bridge %zu does not lie on an edge of a strand", k);
    return rv_fail(error, RV_BAD_INPUT,
                   "film: bridge %zu has distance %g m and length %g m; both must be finite and not negative", k,
                   b->distance, b->length);
  }
  return RV_OK;
}

// Counting sort of the ends by batch; it is stable, so each batch has its ends in the order of the bridges.
static void sort_ends(const Across* a, size_t count) {
  size_t n = a->m->nbatch;
  for (size_t k = 0; k < 2 * count; ++k) a->first[a->flows[k / 2].end[k % 2].b - a->m->batches + 1]++;
  for (size_t k = 0; k < n; ++k) a->first[k + 1] += a->first[k];
  for (size_t k = 0; k < 2 * count; ++k)
    a->ends[a->first[a->flows[k / 2].end[k % 2].b - a->m->batches]++] = (uint32_t)k;
  for (size_t k = n; k > 0; --k) a->first[k] = a->first[k - 1];
  a->first[0] = 0;
}

// Diagonal of the linearised implicit step: conductance times pressure slope of all bridges of a vertex.
static void stiffen_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    const End* e = &f->end[a->ends[k] % 2];
    double slope;
    pressure(a, &a->bridges[a->ends[k] / 2], e, &slope);
    for (int i = 0; i < 2; ++i) a->stiff[e->vertex[i]] += f->conductance * slope * e->weight[i];
  }
}

// Splits a flow between the donor's vertices by weight and line density.
static void split_flow(const Across* a, Flow* f) {
  const End* donor = &f->end[f->donor];
  double has[2], sum = 0;
  for (int i = 0; i < 2; ++i) {
    size_t v = donor->vertex[i];
    has[i] = donor->weight[i] * a->s->volume[v] / a->cell[v];
    sum += has[i];
  }
  for (int i = 0; i < 2; ++i) f->part[i] = sum > 0 ? f->volume * has[i] / sum : 0;
}

// Volume of some bridges after one implicit step. Both ends change, hence the factor 2.
static void solve_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    Flow* f = &a->flows[k];
    f->volume = f->conductance * f->pressure_drop /
                (1 + 2 * (interpolate(&f->end[0], a->stiff) + interpolate(&f->end[1], a->stiff)));
    split_flow(a, f);
  }
}

// Volume that all bridges would take from each vertex.
static void sum_given(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    if ((int)(a->ends[k] % 2) != f->donor) continue;
    for (int i = 0; i < 2; ++i) a->given[f->end[f->donor].vertex[i]] += f->part[i];
  }
}

// Share of vertex i's film that belongs to its edge before (side 0) or after it (side 1).
static double share(const Across* a, const End* e, int i, int side) {
  double t[3], before = i > 0 ? tangent(a, e, i - 1, t) : 0, after = i + 1 < e->b->vertices ? tangent(a, e, i, t) : 0;
  return (side ? after : before) / (before + after);
}

// World velocity of the film of vertex i.
static void film_velocity(const Across* a, const End* e, int i, double out[3]) {
  for (int c = 0; c < 3; ++c) out[c] = a->def->v[e->b->at + (size_t)((4 * i + c) * RV_LANES + e->lane)];
  for (int side = 0; side < 2; ++side) {
    int j = i - 1 + side;
    if (j < 0 || j + 1 >= e->b->vertices) continue;
    double t[3], part = share(a, e, i, side);
    tangent(a, e, j, t);
    double u = a->s->speed[e->b->edge_at + (size_t)(j * RV_LANES + e->lane)];
    for (int c = 0; c < 3; ++c) out[c] += part * u * t[c];
  }
}

// Limits the flow so that no vertex gives more than half of its film; then finds strain and solids of the flowing
// liquid and its momentum in excess of the receiver's film, as it has the donor's velocity.
static void limit_bridges(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  for (size_t k = begin; k < end; ++k) {
    Flow* f = &a->flows[k];
    const End *donor = &f->end[f->donor], *receiver = &f->end[1 - f->donor];
    double scale = 1, v[3], density = a->m->liquid.density;
    for (int i = 0; i < 2; ++i) {
      size_t at = donor->vertex[i];
      if (a->given[at] > 0.5 * a->s->volume[at]) scale = fmin(scale, 0.5 * a->s->volume[at] / a->given[at]);
    }
    f->volume *= scale;
    split_flow(a, f);
    f->volume = f->part[0] + f->part[1];
    if (!(f->volume > 0)) continue;
    for (int i = 0; i < 2; ++i) {
      film_velocity(a, donor, donor->j + i, v);
      for (int c = 0; c < 3; ++c) f->excess_momentum[c] += density * f->part[i] * v[c];
      f->strain += f->part[i] / f->volume * a->s->strain[donor->vertex[i]];
      if (a->s->solids) f->solids += f->part[i] / f->volume * a->s->solids[donor->vertex[i]];
      film_velocity(a, receiver, receiver->j + i, v);
      for (int c = 0; c < 3; ++c) f->excess_momentum[c] -= density * f->volume * receiver->weight[i] * v[c];
    }
  }
}

// Excess momentum of arriving liquid: its part along the edge changes the film's speed; the part across is an impulse
// on the strand.
static void give_momentum(const Across* a, const End* e, const double p[3]) {
  double t[3], along = 0, mass = 0;
  tangent(a, e, e->j, t);
  for (int c = 0; c < 3; ++c) along += t[c] * p[c];
  for (int i = 0; i < 2; ++i) mass += a->m->liquid.density * a->s->volume[e->vertex[i]] * share(a, e, e->j + i, 1 - i);
  size_t at = e->b->edge_at + (size_t)(e->j * RV_LANES + e->lane);
  if (mass > RV_FILM_NO_MASS)
    a->s->speed[at] += along / mass;
  else
    along = 0;
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 3; ++c)
      a->kick[e->b->at + (size_t)((4 * (e->j + i) + c) * RV_LANES + e->lane)] += e->weight[i] * (p[c] - along * t[c]);
}

// Removes the volumes from the donors of some batches, or adds them to the receivers, mixing their strain (SD-8) and
// solids.
static void move_volumes(const Across* a, size_t begin, size_t end, bool take) {
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    int side = (int)(a->ends[k] % 2);
    const End* e = &f->end[side];
    if ((side != f->donor) != take || !(f->volume > 0)) continue;
    for (int i = 0; i < 2; ++i) {
      double *volume = &a->s->volume[e->vertex[i]], *strain = &a->s->strain[e->vertex[i]];
      double comes = take ? f->volume * e->weight[i] : -f->part[i];
      *volume += comes;
      if (!take || !(*volume > 0)) continue;
      *strain += comes / *volume * (f->strain - *strain);
      double* solids = a->s->solids ? &a->s->solids[e->vertex[i]] : NULL;
      if (solids) *solids += comes / *volume * (f->solids - *solids);
    }
  }
}

// All volumes of a batch change first, as speeds are for the masses at the end.
static void move_batches(void* arg, size_t begin, size_t end) {
  const Across* a = arg;
  move_volumes(a, begin, end, false);
  move_volumes(a, begin, end, true);
  for (size_t k = a->first[begin]; k < a->first[end]; ++k) {
    const Flow* f = &a->flows[a->ends[k] / 2];
    int side = (int)(a->ends[k] % 2);
    if (side != f->donor && f->volume > 0) give_momentum(a, &f->end[side], f->excess_momentum);
  }
}

// The method; the caller has taken the memory.
static RvResult flow_across(Across* a, size_t count, RvError* error) {
  size_t n = a->m->nbatch;
  // Pressures and conductances.
  rv_parallel_for(n, BATCHES, measure_batches, a);
  rv_parallel_for(count, BRIDGES, drive_bridges, a);
  RvResult result = validate(a, count, error);
  if (result) return result;
  // Volumes of one linearised implicit step.
  sort_ends(a, count);
  rv_parallel_for(n, BATCHES, stiffen_batches, a);
  rv_parallel_for(count, BRIDGES, solve_bridges, a);
  // Limits, then the exchange of volume and momentum.
  rv_parallel_for(n, BATCHES, sum_given, a);
  rv_parallel_for(count, BRIDGES, limit_bridges, a);
  rv_parallel_for(n, BATCHES, move_batches, a);
  return RV_OK;
}

// Cleared memory of `count` elements, from the arena or, without one, allocated.
static void* take_zero(RvArena* arena, size_t count, size_t size) {
  if (!arena) return rv_alloc_zero(count, size);
  void* memory = rv_arena_take(arena, count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

// Sets the temporary arrays; false: no memory.
static bool take_arrays(Across* a, size_t count) {
  RvArena* arena = a->def->scratch;
  size_t n = a->m->vertices;
  size_t strands = a->m->nbatch * RV_LANES;
  double* numbers = take_zero(arena, 4 * n + strands, sizeof(double));
  a->flows = take_zero(arena, count, sizeof(Flow));
  a->ends = take_zero(arena, 2 * count, sizeof(uint32_t));
  a->first = take_zero(arena, a->m->nbatch + 1, sizeof(size_t));
  a->height = numbers;
  if (!numbers || !a->flows || !a->ends || !a->first) return false;
  a->cell = numbers + n;
  a->stiff = numbers + 2 * n;
  a->given = numbers + 3 * n;
  a->cosine = numbers + 4 * n;
  return true;
}

RvResult rv_film_across(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def,
                        const RvFilmBridge* bridges, size_t count, double* kick, RvError* error) {
  RvResult result = rv_film_validate(model, state, def, error);
  if (result || count == 0 || def->dt == 0) return result;
  if (count > UINT32_MAX / 2)
    return rv_fail(error, RV_BAD_INPUT, "film: %zu bridges between strands are more than fit", count);
  RvArena* scratch = def->scratch;
  RvArenaMark mark = scratch ? rv_arena_mark(scratch) : (RvArenaMark){0};
  Across a = {.m = model, .s = state, .def = def, .bridges = bridges, .kick = kick};
  if (take_arrays(&a, count))
    result = flow_across(&a, count, error);
  else
    result = rv_fail(error, RV_NO_MEMORY, "film: out of memory for %zu bridges between strands", count);
  if (scratch) {
    rv_arena_release(scratch, mark);
    return result;
  }
  rv_free(a.height);
  rv_free(a.flows);
  rv_free(a.ends);
  rv_free(a.first);
  return result;
}
