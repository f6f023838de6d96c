// Porous particles: how hair holds liquid in lookdev (AH-17 to AH-23, spec 6.2 with E62, E64, E65).
//
// A pore stands in the middle of each edge of a strand and moves with its two points. It represents the space around
// its edge, Psi = 1 / sum W over the pores (AH-18), at most the edge's length times the square of the capillary length:
// wider gaps hold no liquid against gravity, however far apart the guides are. Its capacity is porosity times Psi, and
// its saturation the liquid that it holds over its capacity (E65).
//
// Liquid. A pore that liquid surrounds takes up what it lacks; the volume leaves the particles. What is above the share
// that capillarity retains runs down the strand, and where it cannot run on it drips as a new particle. Drying is a
// sink. Volumes are doubles, and every exchange is the same number on both sides, so that bulk + held + dried is
// constant.
//
// Pores of dense hair have hundreds of others around. Particles then have complete lists of pores, and clumping takes a
// random batch of the pairs, with forces in proportion (sph/crowd.h), so that dense hair clumps as sparse hair does.
//
// Forces. Liquid is attracted by pores (AH-19) and slowed to their velocity, and hair feels the reverse, at most
// `most_reaction` times its weight: a drop of water weighs more than all hairs that it touches, and the head bears the
// difference. Wet pores attract each other by the cohesion kernel (E64) with the geometric mean of their saturations,
// so that a dry one feels nothing; under water there is none; both factors are those of the pair, so that forces are
// equal and opposite; they grow towards the tips. Forces are accelerations of the hair's mass and do not depend on
// substeps (E62).
//
// Everything here is arrays of points; the solver of the rods reads `force`, `mass_factor` and `stiffness_factor`.
#ifndef RV_LOOKDEV_PORE_H
#define RV_LOOKDEV_PORE_H

#include "lookdev/liquid.h"

typedef struct RvPoreModel {
  double porosity;          // of the space that a pore represents
  double adhesion;          // m/s2 by which hair attracts liquid
  double drag;              // 1/s at which liquid gets the velocity of hair that fills all space
  double clumping;          // m/s2 by which wet hair attracts wet hair
  double clump_damping;     // 1/s: rate at which wet hairs that clump get the same velocity
  double uptake;            // 1/s at which a pore under water fills
  double retention;         // share of the capacity that does not run down
  double drain;             // 1/s at which the rest runs down a vertical edge
  double drying;            // m/s at which surfaces evaporate
  double dripping;          // 1/s: growth of gravity on liquid that hair holds (AH-22)
  double wet_mass;          // mass of a saturated hair over its dry mass, less 1
  double wet_softness;      // share of its stiffness that saturated hair loses
  double most_reaction;     // of adhesion on hair, in weights of the hair
  double capillary_length;  // m
} RvPoreModel;

// The hair of a substep: all arrays by point.
typedef struct RvPoreHair {
  const double* x;     // [points][3] m
  const double* v;     // [points][3] m/s
  const double* mass;  // [points] kg, of all hairs that the strand stands for, dry
  const double* area;  // [points] m2, surface of all hairs of the edge after the point
  double* force;       // [points][3] N: set by rv_pores_meet
} RvPoreHair;

// No pore, in `pore_of`.
#define RV_NO_PORE UINT32_MAX

typedef struct RvPores {
  RvPoreModel model;
  size_t nstrand, points, count;        // count: pores
  double adhesion_pull, cohesion_pull;  // largest pull of a half space by the kernels
  uint32_t* point;                      // [count] the first of its two points
  uint32_t* below;                      // [count] number of pores of its strand behind it
  uint32_t* pore_of;                    // [points + 1] the pore that ends at each point; RV_NO_PORE: none
  float* along;                         // [count] 1/n at the root to 1 at the tip
  float* arc;                           // [count] along all strands, in supports, with gaps between strands
  double* held;                         // [count] m3; a part of the state
  double* space;                        // [count] Psi, m3
  float* saturation;                    // [count]
  float* dry;                           // [count] U: 1 in air, 0 under water
  double evaporated;                    // m3 since it was set to 0
  double dripped, taken;                // m3, the same
  double painted;                       // m3, the same
  bool known_space;                     // space is that of this frame: set it to false when a frame begins
  bool crowded;                         // some pores have more pores around than a list holds, in this frame
  float* thin;                          // [count] where they do: the share of pairs that clumps is 1 / thin
  // of the points, for the rods
  float *wetness, *mass_factor, *stiffness_factor;  // [points]
  // of the substep, in the liquid's arena
  size_t nactive;      // pores that are wet or may have liquid around; where their space is not known, all
  uint32_t* active;    // [nactive] which
  double* place;       // [nactive][3] m
  float* velocity;     // [count][4] m/s, and the place along all strands in supports
  RvSphSet set;        // active ones; its `from` are pores
  RvSphLists pores;    // of each pore, where the space is not known
  RvSphLists liquid;   // of each pore
  RvSphLists reverse;  // pores of each particle
  double* push;        // [count][3] N, on the pores
  float* pull;         // [particles][4] acceleration of the liquid; and how many pores are near; sorted
  float* around;       // [count] sum of the kernel over the liquid around; sorted
  float* density;      // [count] of liquid at the pore, relative to that at rest; sorted
  double seconds;
  size_t full;    // pores with more particles around than a list holds, summed over substeps
  size_t capped;  // pores whose reaction was limited, summed over substeps
  double unfelt;  // N s of it that the hair did not feel, and its head bears; summed
} RvPores;

RvPoreModel rv_pore_defaults(void);
// Strands by their first points, `first` has nstrand + 1 numbers. Strands of one point have no pores.
RvResult rv_pores_init(RvPores* pores, const RvPoreModel* model, size_t nstrand, const uint32_t* first, RvError* error);
void rv_pores_free(RvPores* pores);

// Within a substep of the liquid, in this order:
// place: after rv_lookdev_liquid_predict; `place` and `nactive` are for rv_lookdev_liquid_arrange.
RvResult rv_pores_place(RvPores* pores, const RvPoreHair* hair, RvLookdevLiquid* liquid, RvError* error);
// meet: after arrange; saturations, and forces on the hair.
RvResult rv_pores_meet(RvPores* pores, const RvPoreHair* hair, RvLookdevLiquid* liquid, RvError* error);
// adhere: after project; velocities of the liquid, and how long hair holds it.
void rv_pores_adhere(RvPores* pores, RvLookdevLiquid* liquid);
// soak: before move; liquid that hair takes up.
RvResult rv_pores_soak(RvPores* pores, RvLookdevLiquid* liquid, RvError* error);
// drain: after move; liquid that runs down, drips and dries, and the factors of the rods. New particles have ids from
// *next_id on and the row `row`.
RvResult rv_pores_drain(RvPores* pores, const RvPoreHair* hair, RvLookdevLiquid* liquid, double dt, int64_t* next_id,
                        int32_t row, RvError* error);

// Wetness of the points, and what it does to their mass and stiffness.
void rv_pores_wet_points(RvPores* pores);
// Height of the film that `volume` m3 are on hairs of the surface `area` m2 and the radius (m), and the reverse.
double rv_pores_film_height(double volume, double area, double radius);
double rv_pores_film_volume(double height, double area, double radius);
// paint: before place; film grows by `rate` [points] m/s of height on the edges, up to that which wetsolver allows.
void rv_pores_paint(RvPores* pores, const double* rate, const double* area, const double* radius, double dt);
// Liquid that all pores hold, m3.
double rv_pores_volume(const RvPores* pores);
// A whole substep of liquid and pores; a solver with rods calls the parts.
RvResult rv_pores_substep(RvPores* pores, const RvPoreHair* hair, RvLookdevLiquid* liquid, double dt, int64_t* next_id,
                          RvError* error);

#endif
