// Cross-sections, tangents, shapes (WH-19, spec E14).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "film/work.h"
#include "math/ldlt.h"
#include "math/scalar.h"

double rv_film_area(double height, double radius) {
  return RV_PI * height * (height + 2 * radius);
}

// sqrt(A / pi + r^2) - r without the difference, which would leave nothing of a thin film
double rv_film_height(double area, double radius) {
  double section = area / RV_PI, outer = sqrt(section + radius * radius);
  return outer + radius > 0 ? section / (outer + radius) : 0;
}

static double length_at(const double* x, int j, int lane) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    double d = x[(4 * (j + 1) + c) * RV_LANES + lane] - x[(4 * j + c) * RV_LANES + lane];
    sum += d * d;
  }
  return fmax(sqrt(sum), RV_FILM_NO_LENGTH);
}

void rv_film_areas(const RvFilmModel* model, const RvFilmState* state, const double* x, double* area) {
  for (size_t k = 0; k < model->nbatch; ++k) {
    const RvFilmBatch* b = &model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double before = 0;
      for (int i = 0; i < b->vertices; ++i) {
        size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        double after = i + 1 < b->vertices ? length_at(x + b->at, i, lane) : 0;
        area[at] = state->volume[at] / (model->hairs[at] * 0.5 * (before + after));
        before = after;
      }
    }
  }
}

void rv_film_edge_masses(const RvFilmModel* model, const RvFilmState* state, const double* x, double* mass) {
  for (size_t k = 0; k < model->nbatch; ++k) {
    const RvFilmBatch* b = &model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double before = 0, here = length_at(x + b->at, 0, lane);
      for (int j = 0; j + 1 < b->vertices; ++j) {
        size_t at = b->vertex_at + (size_t)j * RV_LANES + (size_t)lane;
        double after = j + 2 < b->vertices ? length_at(x + b->at, j + 1, lane) : 0;
        mass[b->edge_at + (size_t)j * RV_LANES + (size_t)lane] =
            model->liquid.density *
            (state->volume[at] * here / (before + here) + state->volume[at + RV_LANES] * here / (here + after));
        before = here, here = after;
      }
    }
  }
}

// one batch's shape into room that the caller gives; false: no memory
static bool batch_tangents(const RvFilmBatch* b, const double* x, double* tangent) {
  double* room = rv_alloc(rv_film_shape_size(b->vertices), sizeof(double));
  if (!room) return false;
  RvFilmShape s;
  rv_film_shape_place(&s, b->vertices, room);
  RV_KERNEL_CALL(rv_film_shape, (b->vertices, x + b->at, &s));
  memcpy(tangent + 3 * b->vertex_at, s.along, (size_t)b->vertices * 3 * RV_LANES * sizeof(double));
  rv_free(room);
  return true;
}

void rv_film_tangents(const RvFilmModel* model, const double* x, double* tangent) {
  for (size_t k = 0; k < model->nbatch; ++k) {
    const RvFilmBatch* b = &model->batches[k];
    if (!batch_tangents(b, x, tangent))
      memset(tangent + 3 * b->vertex_at, 0, (size_t)b->vertices * 3 * RV_LANES * sizeof(double));
  }
}

size_t rv_film_shape_size(int vertices) {
  return (size_t)vertices * 9 * RV_LANES;
}

double* rv_film_shape_place(RvFilmShape* s, int vertices, double* room) {
  size_t n = (size_t)vertices * RV_LANES;
  *s = (RvFilmShape){
      .length = room, .tangent = room + n, .cell = room + 4 * n, .share = room + 5 * n, .along = room + 6 * n};
  return room + 9 * n;
}
