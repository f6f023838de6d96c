// One batch of strands under film, for the checks: their motion is given, or their vertices are free masses.
#ifndef RV_RIG_FILM_H
#define RV_RIG_FILM_H

#include "film/film.h"
#include "math/ldlt.h"

typedef struct RvFilmRig {
  int n, lanes;
  RvFilmBatch batch;
  RvFilmModel model;
  RvFilmState state;
  RvFilmStepDef def;
  RvFilmReport report;
  double *radius, *hairs, *hair_mass, *hair_turn;  // [vertices]; turn [edges]
  double *x_before, *v_before, *x, *v;             // [unknowns]
  double *load, *slide, *turn, *force, *kick, *mass;
  double* volume_before;  // [vertices] m3, before the last film step
  bool local_rescaling;   // momentum stays at its vertex though its mass moves on, p = m_before v (WH-26)
  double* arrays;
} RvFilmRig;

// Straight along +x from the origin, equal edges, water without tension, friction or gravity, all lanes alike.
RvResult rv_rig_film_new(RvFilmRig* rig, int vertices, int lanes, double length, double radius, RvError* error);
void rv_rig_film_free(RvFilmRig* rig);

double* rv_rig_film_x(RvFilmRig* rig, int vertex, int lane);  // its coordinates are RV_LANES apart; x_before: no
double* rv_rig_film_v(RvFilmRig* rig, int vertex, int lane);
double rv_rig_film_place(const RvFilmRig* rig, int vertex);  // arclength of a straight one, lane 0
// Volume for a height at a vertex; all lanes.
void rv_rig_film_set_height(RvFilmRig* rig, int vertex, double height);
// A smooth bump of film, `width` to each side, and nothing else.
void rv_rig_film_put_drop(RvFilmRig* rig, double centre, double width, double height);
double rv_rig_film_height(const RvFilmRig* rig, int vertex);
void rv_rig_film_set_speed(RvFilmRig* rig, int edge, double speed);
double rv_rig_film_speed(const RvFilmRig* rig, int edge);
double rv_rig_film_volume(const RvFilmRig* rig);                        // film and drops of all lanes
double rv_rig_film_strained(const RvFilmState* film, size_t vertices);  // volume times strain of all, m3

// What is now becomes what was.
void rv_rig_film_keep(RvFilmRig* rig);
// The film's step for strands at x, v, which were at x_before, v_before; kick is not applied.
RvResult rv_rig_film_film(RvFilmRig* rig, RvError* error);
// Free vertices: one step of masses with the film's load, slide and force, then the film's, then its kick. `hold` bits
// of coordinates (1 x, 2 y, 4 z) that keep their velocity.
RvResult rv_rig_film_free_step(RvFilmRig* rig, unsigned hold, RvError* error);
// Momentum of hair, film and drops of all lanes.
void rv_rig_film_momentum(RvFilmRig* rig, double momentum[3]);
// Film's centre of mass along a strand, lane 0.
double rv_rig_film_centre(const RvFilmRig* rig);

#endif
