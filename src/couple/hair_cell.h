// The cell of a hair among its neighbours: the points of the plane across it that are nearer to it than to them.
// Private to src/couple.
//
// A neighbour at D in the plane bounds the cell at half of its distance: in the direction e the border is at 1 / u,
// u = max over neighbours of 2 e.D / D^2. So the area is pi mean(1 / u^2) over directions. Directions without a
// neighbour, as at the border of a bundle, are left out: a direction counts by the cosine of its angle with the
// neighbour that bounds it. Square and hexagonal bundles have their area within 5%, inside, at edges and at corners;
// random ones on the mean. Directions are counted from the nearest neighbour, so turned hair has the same cells.
#ifndef RV_COUPLE_HAIR_CELL_H
#define RV_COUPLE_HAIR_CELL_H

typedef struct RvHairNeighbour {
  float x, y;    // m
  float square;  // m2, of its distance
  float weight;  // 0 to 1
} RvHairNeighbour;

// Mean of 1 / u^2 over the directions that have a neighbour, m2; INFINITY without any. `moment` is their second moment,
// |mean of exp(2 i angle)|: 1 without any, 0.59 of a pair and a row, 0.25 among three hairs, 0 at corners and inside.
double rv_couple_hair_cell(const RvHairNeighbour* neighbours, int count, double* moment);

// From 0 at `from` to 1 at `to`, smoothly.
static inline float rv_couple_smooth(float x, float from, float to) {
  x = (x - from) / (to - from);
  x = x < 0 ? 0 : x > 1 ? 1 : x;
  return x * x * (3 - 2 * x);
}

#endif
