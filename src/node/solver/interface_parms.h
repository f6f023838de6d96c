// The parameters of the interface solver. Those that the liquid solver has too have its names and meanings, so that one
// node takes the place of the other.
#ifndef RV_NODE_SOLVER_INTERFACE_PARMS_H
#define RV_NODE_SOLVER_INTERFACE_PARMS_H

#include "node/solver/liquid_parms.h"

#define RV_INTERFACE_SOLVE_PARMS(X)                                                                                  \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                  \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the input; simulation begins after it.")    \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "", "Simulated seconds a second of the scene; 0 freezes.")  \
  X(INT, substeps, "Min Substeps", 1, HARD(1), HARD(10000), "", "Fewest steps a frame.")                             \
  X(INT, maxsubsteps, "Max Substeps", 1000, HARD(1), HARD(10000), "",                                                \
    "Most steps a frame. Small drops need many: a warning says how many if these are too few.", ADVANCED)            \
  X(FLOAT, densitytolerance, "Density Tolerance", 0.001, HARD(1e-6), HARD(0.1), "",                                  \
    "Mean excess of density at which the iterations of a step end.", ADVANCED)                                       \
  X(INT, densityiter, "Density Iterations", 100, HARD(1), HARD(10000), "", "Most iterations of the density a step.", \
    ADVANCED)                                                                                                        \
  X(MENU, solver, "Solver", 0, "implicit=Implicit|pcisph=PCISPH|explicit=Explicit",                                  \
    "How the pressure is found. Implicit needs the fewest and longest steps. PCISPH and Explicit are the published " \
    "forms, to compare with: PCISPH begins every step at no pressure, Explicit takes the pressure from the density " \
    "before the step and needs ten times as many steps for the same density.",                                       \
    ADVANCED)                                                                                                        \
  X(TOGGLE, pairupdates, "Pair Updates", false,                                                                      \
    "Sums the pair forces again in every iteration of the density, where the particles are going to be. It takes "   \
    "three times as long and changes little.",                                                                       \
    WHEN("{ solver == explicit }"), ADVANCED)

#define RV_INTERFACE_PAIR_PARMS(X)                                                                                     \
  X(MENU, pairforce, "Pair Force", 2, "cosine=Cosine|twokernels=Two Kernels|spline=Spline",                            \
    "Shape of the force between two particles. Spline flows most freely; cosine makes the roundest drops but resists " \
    "slow, small motions.",                                                                                            \
    ADVANCED)                                                                                                          \
  X(FLOAT, pairsupport, "Pair Support", 1.4, HARD(1), HARD(1.6), "",                                                   \
    "Reach of the pair force, in reaches of the density: two particle separations. At 1 drops do not become round.",   \
    ADVANCED)

#define RV_INTERFACE_LIQUID_PARMS(X)                                                                       \
  X(FLOAT, particlesep, "Particle Separation", 0, HARD(0), SOFT(0.1), "m",                                 \
    "Spacing of the particles. 0 takes the cube root of the mean volume of the input's particles.")        \
  X(FLOAT, density, "Density", 1000, HARD(0.001), SOFT(2000), "kg1m-3", "Mass of a volume of the liquid.") \
  X(FLOAT, viscosity, "Viscosity", 0.001, HARD(0), SOFT(1), "kg1m-1s-1",                                   \
    "Of the whole liquid: water 0.001, oil 0.1. Thick liquids need more steps.")                           \
  X(FLOAT, surfacetension, "Surface Tension", 0.072, HARD(0), SOFT(0.1), "kg1s-2",                         \
    "At the surface against air: water 0.072. Higher rounds drops faster and holds threads together for longer.")

// Particles with the attribute phase 1 are the second liquid.
#define RV_INTERFACE_SECOND_PARMS(X)                                                                                 \
  X(FLOAT, density2, "Density", 915, HARD(0.001), SOFT(2000), "kg1m-3",                                              \
    "Of the second liquid: particles with the attribute phase 1.")                                                   \
  X(FLOAT, viscosity2, "Viscosity", 0.08, HARD(0), SOFT(1), "kg1m-1s-1", "Of the second liquid.")                    \
  X(FLOAT, surfacetension2, "Surface Tension", 0.032, HARD(0), SOFT(0.1), "kg1s-2", "Of the second liquid, in air.") \
  X(FLOAT, interfacetension, "Interface Tension", 0.045, HARD(0), SOFT(0.1), "kg1s-2",                               \
    "Between the two liquids. It must lie between the difference and the sum of their surface tensions.")            \
  X(FLOAT, contactangle2, "Contact Angle", -1, HARD(-1), HARD(180), "deg",                                           \
    "Of the second liquid in air, on all colliders and walls. -1: that of the collider or wall, as the first has it.")

// Particles with the attribute bodyid above 0 are the rigid body of that number.
#define RV_INTERFACE_BODY_PARMS(X)                                                                                  \
  X(FLOAT, bodydensity, "Density", 500, HARD(0.001), SOFT(8000), "kg1m-3",                                          \
    "Of free bodies: particles with the attribute bodyid. Below the liquid's they float.")                          \
  X(FLOAT, bodyangle, "Contact Angle", 90, HARD(0), HARD(180), "deg",                                               \
    "Angle at which liquid meets bodies. Below 90 degrees it covers them, above it beads.")

// Particles with the attribute bubbleid above 0 are the gas of that bubble.
#define RV_INTERFACE_BUBBLE_PARMS(X)                                                                                  \
  X(FLOAT, film, "Film", 0.1, HARD(0), HARD(1), "",                                                                  \
    "Share of a bubble's volume that is liquid film, if its particles bring no attribute film. Higher makes bubbles " \
    "tauter.")                                                                                                       \
  X(FLOAT, gascohesion, "Gas Cohesion", 0, HARD(0), HARD(1), "",                                                     \
    "Attraction within the gas, over that of the film. 0 makes soft bubbles, 1 rigid ones that behave as drops do.")  \
  X(INT, popbubble, "Pop Bubble", 0, HARD(0), HARD(65535), "",                                                       \
    "Number of the bubble that pops at this frame; key it. 0: none. Its particles leave the liquid as killed.")      \
  X(FLOAT, poplife, "Bubble Life", 0, HARD(0), SOFT(10), "s",                                                        \
    "Age at which bubbles pop, in simulated seconds. 0: never.")                                                     \
  X(FLOAT, popthin, "Pop Below Film", 0, HARD(0), HARD(1), "",                                                       \
    "Bubbles pop whose surface is film by a smaller share than this. 0: none.")

#define RV_INTERFACE_PARMS(X)                                                                               \
  X(FOLDER, "Simulation")                                                                                   \
  RV_INTERFACE_SOLVE_PARMS(X)                                                                               \
  X(FOLDER, "Liquid")                                                                                       \
  RV_INTERFACE_LIQUID_PARMS(X)                                                                              \
  RV_INTERFACE_PAIR_PARMS(X)                                                                                \
  X(FLOAT, contactangle, "Contact Angle", 90, HARD(0), HARD(180), "deg",                                    \
    "On the walls of the tank. Colliders bring their own: the node collider has a parameter of this name.", \
    WHEN("{ walls == 0 }"))                                                                                 \
  X(FOLDER, "Second Liquid")                                                                                \
  RV_INTERFACE_SECOND_PARMS(X)                                                                              \
  X(FOLDER, "Bodies")                                                                                       \
  RV_INTERFACE_BODY_PARMS(X)                                                                                \
  X(FOLDER, "Bubbles")                                                                                      \
  RV_INTERFACE_BUBBLE_PARMS(X)                                                                              \
  X(FOLDER, "Forces")                                                                                       \
  X(VEC3, gravity, "Gravity", 0, -9.81, 0, SOFT(-20), SOFT(20), "m1s-2", "Acceleration.")                   \
  X(FOLDER, "Walls")                                                                                        \
  RV_LIQUID_WALL_PARMS(X)                                                                                   \
  X(FOLDER, "Limits")                                                                                       \
  RV_LIQUID_LIMIT_PARMS(X)                                                                                  \
  X(FLOAT, maxmemory, "Max Memory", 16, HARD(0.01), SOFT(64), "",                                           \
    "Gigabytes that the particles may take; more is refused before it is taken.", ADVANCED)                 \
  X(FOLDER, "Output")                                                                                       \
  X(INT, layers, "Surface Layers", 0, HARD(0), HARD(255), "",                                               \
    "Layers of particles to find from the surface inwards: the attribute layer is 1 on the surface, 2 below it, and 0 " \
    "where it is deeper than these. 0 finds none and writes no attribute.")                                 \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the liquid.", ADVANCED)
RV_PARM_STRUCT(RvInterfaceParms, RV_INTERFACE_PARMS)

#endif
