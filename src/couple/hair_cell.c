#include "couple/hair_cell.h"

#include <math.h>
#include <stdint.h>

enum { DIRECTIONS = 16, PARTS = DIRECTIONS / 4 };
// Cosine of the angle between a direction and the neighbour that bounds the cell there: below the first the direction
// has no neighbour, above the second it has one. They make the edges and corners of a square bundle right within 2%.
static const float ASIDE = 0.6F, TOWARDS = 0.8F;
// Neighbours within so many squares of the nearest distance bound the cell first, which spares most of the others.
static const float FIRST_ROUND = 6.25F;

// Four directions at a time on every machine, so that the bits do not depend on it.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t Four32 __attribute__((vector_size(16)));

// Unit vectors of the directions: cosines and sines of multiples of 22.5 degrees.
#define COS_22 0.92387953F
#define COS_45 0.70710678F
#define COS_67 0.38268343F
static const Four ALONG[PARTS] = {{1, COS_22, COS_45, COS_67},
                                  {0, -COS_67, -COS_45, -COS_22},
                                  {-1, -COS_22, -COS_45, -COS_67},
                                  {0, COS_67, COS_45, COS_22}};
static const Four ACROSS[PARTS] = {{0, COS_67, COS_45, COS_22},
                                   {1, COS_22, COS_45, COS_67},
                                   {0, -COS_67, -COS_45, -COS_22},
                                   {-1, -COS_22, -COS_45, -COS_67}};

// The border of the cell, direction by direction.
typedef struct Border {
  Four inverse[PARTS];   // 1/m: u
  Four distance[PARTS];  // m, of the neighbour that bounds it
  float farthest;        // m2: square of the distance from which on neighbours bound it no more
} Border;

static Four select(Four32 mask, Four yes, Four no) {
  return (Four)(((Four32)yes & mask) | ((Four32)no & ~mask));
}

// A neighbour bounds the cell; (c, s) is the unit vector that directions count from.
static void bound(const RvHairNeighbour* n, float c, float s, Border* border) {
  float scale = 2 * n->weight / n->square, distance = sqrtf(n->square);
  float x = scale * (n->x * c + n->y * s), y = scale * (n->y * c - n->x * s);
  for (int i = 0; i < PARTS; ++i) {
    Four u = ALONG[i] * x + ACROSS[i] * y;
    Four32 nearer = u > border->inverse[i];
    border->inverse[i] = select(nearer, u, border->inverse[i]);
    border->distance[i] = select(nearer, (Four){distance, distance, distance, distance}, border->distance[i]);
  }
}

// A cell that is bounded in all directions bounds the search: u of a neighbour is at most 2 / distance.
static void limit_search(Border* border) {
  float least = INFINITY;
  for (int i = 0; i < DIRECTIONS; ++i) least = fminf(least, border->inverse[i / 4][i % 4]);
  if (least > 0) border->farthest = 4 / (least * least);
}

// The near neighbours bound the cell first.
static Border find_border(const RvHairNeighbour* all, int count) {
  const RvHairNeighbour* nearest = all;
  for (int i = 1; i < count; ++i)
    if (all[i].square < nearest->square) nearest = &all[i];
  float distance = sqrtf(nearest->x * nearest->x + nearest->y * nearest->y);
  float c = distance > 0 ? nearest->x / distance : 1, s = distance > 0 ? nearest->y / distance : 0;
  float first = FIRST_ROUND * nearest->square;
  Border border = {.farthest = INFINITY};
  for (int i = 0; i < count; ++i)
    if (all[i].square <= first) bound(&all[i], c, s, &border);
  limit_search(&border);
  for (int i = 0; i < count; ++i)
    if (all[i].square > first && all[i].square < border.farthest) bound(&all[i], c, s, &border);
  return border;
}

double rv_couple_hair_cell(const RvHairNeighbour* neighbours, int count, double* moment) {
  double sum = 0, weights = 0, along = 0, across = 0;
  *moment = 1;
  if (count == 0) return INFINITY;
  Border border = find_border(neighbours, count);
  for (int i = 0; i < DIRECTIONS; ++i) {
    float u = border.inverse[i / 4][i % 4], d = border.distance[i / 4][i % 4];
    if (!(u > 0)) continue;
    float weight = rv_couple_smooth(0.5F * u * d, ASIDE, TOWARDS);
    double x = (double)ALONG[i / 4][i % 4], y = (double)ACROSS[i / 4][i % 4];
    sum += (double)(weight / (u * u));
    weights += (double)weight;
    along += (double)weight * (x * x - y * y);
    across += (double)weight * 2 * x * y;
  }
  if (!(weights > 0)) return INFINITY;
  *moment = sqrt(along * along + across * across) / weights;
  return sum / weights;
}
