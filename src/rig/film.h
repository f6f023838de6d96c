// One batch of strands with film, for the checks of the film: the strands' motion is prescribed, or their vertices are
// free masses.
#ifndef RV_RIG_FILM_H
#define RV_RIG_FILM_H

#include "film/film.h"
#include "math/ldlt.h"

typedef struct RvFilmRig {
  int n, lanes;  // vertices of a strand; strands
  RvFilmBatch batch;
  RvFilmModel model;
  RvFilmState state;
  RvFilmStepDef def;
  RvFilmReport report;
  double *radius, *hairs, *hair_mass;   // [vertices] m; hairs of a strand; kg
  double* hair_turn;                    // [edges] hair's moment of inertia about its axis, kg m2
  double *x_before, *v_before, *x, *v;  // [unknowns] before and after the step
  double* load;                         // [vertices] film's mass, kg
  double* slide;  // [vertices][3] e along the tangent; e . e is the film's mass that does not follow along it, kg
  double* turn;   // [edges] film's moment of inertia about the axis, kg m2
  double *force, *kick;   // [unknowns] N; N s
  double* mass;           // [edges] film's mass on the edge, kg
  double* volume_before;  // [vertices] m3, before the last film step
  bool local_rescaling;   // momentum stays at its vertex though its mass moves on, p = m_before v (WH-26)
  double* arrays;         // block of all these
} RvFilmRig;

// Straight strands along +x from the origin with equal edges; water without tension, friction or gravity; equal lanes.
RvResult rv_rig_film_new(RvFilmRig* rig, int vertices, int lanes, double length, double radius, RvError* error);
void rv_rig_film_free(RvFilmRig* rig);

// Position and velocity of a vertex after the step; its coordinates are RV_LANES apart.
double* rv_rig_film_x(RvFilmRig* rig, int vertex, int lane);
double* rv_rig_film_v(RvFilmRig* rig, int vertex, int lane);
double rv_rig_film_arclength(const RvFilmRig* rig, int vertex);  // arclength from the root, lane 0, m
// Sets the film's volume at a vertex from a height (m), in all lanes.
void rv_rig_film_set_height(RvFilmRig* rig, int vertex, double height);
// Replaces all film by one smooth drop, `width` (m) to each side of `centre`, `height` (m) in its middle.
void rv_rig_film_put_drop(RvFilmRig* rig, double centre, double width, double height);
double rv_rig_film_height(const RvFilmRig* rig, int vertex);
void rv_rig_film_set_speed(RvFilmRig* rig, int edge, double speed);
double rv_rig_film_speed(const RvFilmRig* rig, int edge);
double rv_rig_film_volume(const RvFilmRig* rig);                        // film and drops of all lanes, m3
double rv_rig_film_strained(const RvFilmState* film, size_t vertices);  // sum of volume times strain, m3

// Copies x and v to x_before and v_before, at the start of a step.
void rv_rig_film_save_before(RvFilmRig* rig);
// One step of the film while the strands go from x_before, v_before to x, v. The impulses in `kick` are not applied.
RvResult rv_rig_film_step(RvFilmRig* rig, RvError* error);
// One step of free vertices: masses with the film's load and force, then the film's step, then its impulses. Axes in
// `fixed_axes` (bits 1 x, 2 y, 4 z) keep their velocity.
RvResult rv_rig_film_free_step(RvFilmRig* rig, unsigned fixed_axes, RvError* error);
// Momentum of hair, film and drops of all lanes, kg m/s.
void rv_rig_film_momentum(RvFilmRig* rig, double momentum[3]);
// Arclength of the film's centre of mass, lane 0, m.
double rv_rig_film_centre(const RvFilmRig* rig);

#endif
