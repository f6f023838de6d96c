// Cross-sections, edge masses and tangents of the film (WH-19, spec E14).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

double rv_film_area(double height, double radius) {
  return RV_PI * height * (height + 2 * radius);
}

// h = sqrt(A / pi + r^2) - r, written as a quotient: the difference would cancel for thin films.
double rv_film_height(double area, double radius) {
  double section = area / RV_PI, outer = sqrt(section + radius * radius);
  return outer + radius > 0 ? section / (outer + radius) : 0;
}

// Lengths of edge j of all lanes, m.
static void lengths_at(const double* x, int j, double length[RV_LANES]) {
  for (int lane = 0; lane < RV_LANES; ++lane) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      double d = x[(4 * (j + 1) + c) * RV_LANES + lane] - x[(4 * j + c) * RV_LANES + lane];
      sum += d * d;
    }
    length[lane] = fmax(sqrt(sum), RV_FILM_NO_LENGTH);
  }
}

enum { GRAIN = 8 };  // batches of a parallel task

typedef struct Sizes {
  const RvFilmModel* m;
  const RvFilmState* s;
  const double* x;
  double* out;
} Sizes;

// A vertex holds the film of half of both of its edges.
static void area_batches(void* arg, size_t begin, size_t end) {
  const Sizes* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    double before[RV_LANES] = {0}, after[RV_LANES];
    for (int i = 0; i < b->vertices; ++i) {
      size_t at = b->vertex_at + (size_t)i * RV_LANES;
      if (i + 1 < b->vertices)
        lengths_at(a->x + b->at, i, after);
      else
        memset(after, 0, sizeof after);
      for (size_t lane = 0; lane < RV_LANES; ++lane)
        a->out[at + lane] = a->s->volume[at + lane] / (a->m->hairs[at + lane] * 0.5 * (before[lane] + after[lane]));
      memcpy(before, after, sizeof before);
    }
  }
}

void rv_film_areas(const RvFilmModel* model, const RvFilmState* state, const double* x, double* area) {
  Sizes a = {model, state, x, area};
  rv_parallel_for(model->nbatch, GRAIN, area_batches, &a);
}

// A vertex gives its film to its edges in the ratio of their lengths.
static void mass_batches(void* arg, size_t begin, size_t end) {
  const Sizes* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    double before[RV_LANES] = {0}, here[RV_LANES], after[RV_LANES];
    lengths_at(a->x + b->at, 0, here);
    for (int j = 0; j + 1 < b->vertices; ++j) {
      size_t at = b->vertex_at + (size_t)j * RV_LANES;
      size_t edge = b->edge_at + (size_t)j * RV_LANES;
      const double* volume = a->s->volume;
      if (j + 2 < b->vertices)
        lengths_at(a->x + b->at, j + 1, after);
      else
        memset(after, 0, sizeof after);
      for (size_t i = 0; i < RV_LANES; ++i)
        a->out[edge + i] = a->m->liquid.density * (volume[at + i] * here[i] / (before[i] + here[i]) +
                                                   volume[at + RV_LANES + i] * here[i] / (here[i] + after[i]));
      memcpy(before, here, sizeof before);
      memcpy(here, after, sizeof here);
    }
  }
}

void rv_film_edge_masses(const RvFilmModel* model, const RvFilmState* state, const double* x, double* mass) {
  Sizes a = {model, state, x, mass};
  rv_parallel_for(model->nbatch, GRAIN, mass_batches, &a);
}

// Tangents of some batches.
static void tangent_batches(void* arg, size_t begin, size_t end) {
  const Sizes* a = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &a->m->batches[k];
    RV_KERNEL_CALL(rv_film_vertex_tangents, (b->vertices, a->x + b->at, a->out + 3 * b->vertex_at));
  }
}

void rv_film_tangents(const RvFilmModel* model, const double* x, double* tangent) {
  Sizes a = {model, NULL, x, tangent};
  rv_parallel_for(model->nbatch, GRAIN, tangent_batches, &a);
}

enum { SHAPE_NUMBERS = 9 };  // a vertex: three scalars and two vectors

size_t rv_film_shape_size(int vertices) {
  return (size_t)vertices * SHAPE_NUMBERS * RV_LANES;
}

double* rv_film_shape_place(RvFilmShape* s, int vertices, double* memory) {
  size_t n = (size_t)vertices * RV_LANES;
  *s = (RvFilmShape){.length = memory,
                     .tangent = memory + n,
                     .cell = memory + 4 * n,
                     .share = memory + 5 * n,
                     .along = memory + 6 * n};
  return memory + SHAPE_NUMBERS * n;
}
