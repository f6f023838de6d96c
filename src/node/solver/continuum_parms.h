// The parameters of the continuum solver. Those that the strand solver has too have its names and meanings, so that one
// node takes the place of the other.
#ifndef RV_NODE_SOLVER_CONTINUUM_PARMS_H
#define RV_NODE_SOLVER_CONTINUUM_PARMS_H

#include "node/solver/wet_parms.h"

#define RV_CONTINUUM_SIMULATION_PARMS(X)                                                                               \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                    \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the groom; simulation begins after it.")      \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "",                                                           \
    "Simulated seconds a second of the scene. 0 freezes the strands, also where the input moves.")                     \
  X(INT, substeps, "Substeps", 4, HARD(1), HARD(1000), "",                                                             \
    "Fewest steps a frame. Hair hangs the same with any number; more follow fast motion with less damping.")           \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "",                                                     \
    "Most steps a frame, when roots or colliders move fast.", ADVANCED)                                                \
  X(FLOAT, cfl, "CFL", 1, HARD(0.01), SOFT(10), "",                                                                    \
    "Edge lengths that a root, or a collider near hair, may move in a step.", ADVANCED)                                \
  X(MENU, integrator, "Integrator", 0, "euler=Implicit Euler|midpoint=Midpoint|rk4=Runge-Kutta",                       \
    "Implicit Euler damps motion with long steps; Midpoint keeps swings alive, and lets stiff hair ring. Runge-Kutta " \
    "is explicit, for comparison: it takes as many steps as stiffness and damping ask for, thousands for hair.",       \
    ADVANCED)

#define RV_CONTINUUM_NO_VOLUME "{ interaction == none }"
#define RV_CONTINUUM_VOLUME_PARMS(X)                                                                                   \
  X(MENU, interaction, "Interaction", 1, "none=None|grid=Grid|particles=Particles",                                    \
    "How strands feel each other. Grid: all hair is one medium that resists being compressed. Particles: the same by " \
    "sums over pairs of points, for small scenes and comparison; Smoothing is then half the distance at which points " \
    "meet, and steps follow the sound of the medium. None: each strand is alone.")                                     \
  X(TOGGLE, continuity, "Density by Flow", false,                                                                      \
    "The density of particles follows the flow within a frame, and is summed anew at the next. Off: it is summed in "  \
    "every step.",                                                                                                     \
    ADVANCED, WHEN("{ interaction != particles }"))                                                                    \
  X(FLOAT, restdensity, "Rest Density", 0, HARD(0), SOFT(200), "kg1m-3",                                               \
    "Mass of hair in a volume below which strands do not feel each other: lower keeps more volume. 0 takes the "       \
    "densest place of the groom, or four strands in a cell, so that the groom stays.",                                 \
    WHEN(RV_CONTINUUM_NO_VOLUME))                                                                                      \
  X(FLOAT, packingdensity, "Packing Density", 1197, HARD(1), SOFT(1320), "kg1m-3",                                     \
    "Hair as close as it can lie: 1197 is that of round fibres side by side.", ADVANCED, WHEN(RV_CONTINUUM_NO_VOLUME)) \
  X(FLOAT, volumepressure, "Volume Pressure", 2000, HARD(0), SOFT(1e4), "kg1m-1s-2",                                   \
    "Pressure at packing density: higher keeps more volume.", WHEN(RV_CONTINUUM_NO_VOLUME))                            \
  X(FLOAT, volumepower, "Volume Power", 1, HARD(1), SOFT(4), "",                                                       \
    "1 resists evenly, as wavy hair does; larger resists late and hard, as aligned hair does.",                        \
    WHEN(RV_CONTINUUM_NO_VOLUME))                                                                                      \
  X(FLOAT, hairfriction, "Hair Friction", 0.05, HARD(0), SOFT(1), "m1s-1",                                             \
    "Friction of hair on hair: strands take on the velocity of the hair around them. Higher moves as one body.",       \
    WHEN(RV_CONTINUUM_NO_VOLUME))                                                                                      \
  X(FLOAT, smoothing, "Smoothing", 0.01, HARD(1e-5), SOFT(0.05), "m",                                                  \
    "Size over which the density of hair is measured. A wisp should be four times as wide; smaller costs more.")       \
  X(INT, niter, "Volume Iterations", 1, HARD(0), HARD(20), "",                                                         \
    "Corrections of the pressure by the stiffness of the strands, each step. 0 is fast, and lets hair be squeezed a "  \
    "little.",                                                                                                         \
    ADVANCED, WHEN(RV_CONTINUUM_NO_VOLUME))                                                                            \
  X(FLOAT, tolerance, "Tolerance", 1e-2, HARD(1e-12), HARD(1), "",                                                     \
    "Change of a pressure over the largest one that ends its solve.", ADVANCED, WHEN(RV_CONTINUUM_NO_VOLUME))

#define RV_CONTINUUM_PASSIVE_AIR "{ air == passive }"
#define RV_CONTINUUM_AIR_PARMS(X)                                                                              \
  X(FLOAT, airdrag, "Air Drag", 1, HARD(0), SOFT(10), "", "Scales Drag Normal and Drag Tangent; 0: no air.")   \
  X(MENU, air, "Air", 0, "passive=Passive|solved=Solved",                                                      \
    "Passive: hair feels the wind and leaves it as it is. Solved: the air around the hair is simulated. Hair " \
    "shelters "                                                                                                \
    "hair behind it, drags air along, and colliders stand in the wind. Costs about half as much again.")       \
  X(FLOAT, airsize, "Air Cell", 0, HARD(0), SOFT(0.1), "m",                                                    \
    "Size of a cell of the solved air; smaller shows finer wakes and costs more. 0: twice Smoothing.",         \
    WHEN(RV_CONTINUUM_PASSIVE_AIR))                                                                            \
  X(INT, airreach, "Air Reach", 4, HARD(1), HARD(8), "",                                                       \
    "Cells of air around the hair that are simulated; beyond them is the wind.", ADVANCED,                     \
    WHEN(RV_CONTINUUM_PASSIVE_AIR))                                                                            \
  X(FLOAT, airdensity, "Air Density", 1.204, HARD(1e-3), SOFT(10), "kg1m-3",                                   \
    "Heavier air is harder to set moving and carries hair along for longer.", ADVANCED,                        \
    WHEN(RV_CONTINUUM_PASSIVE_AIR))

#define RV_CONTINUUM_WET_PARMS(X)                                                                         \
  X(FLOAT, wetsoftness, "Wet Softness", 0.5, HARD(0), HARD(0.95), "",                                     \
    "Share of its stiffness that saturated hair loses, where the strands bring waterload or filmheight.") \
  X(FLOAT, wetcollapse, "Wet Collapse", 0.5, HARD(0), HARD(0.95), "",                                     \
    "How far saturated hair collapses before it resists: 0 as dry hair, 1 until it is packed.",           \
    WHEN(RV_CONTINUUM_NO_VOLUME))

#define RV_CONTINUUM_PARMS(X)                                                                                        \
  X(FOLDER, "Simulation")                                                                                            \
  RV_CONTINUUM_SIMULATION_PARMS(X)                                                                                   \
  X(FOLDER, "Strands")                                                                                               \
  RV_STRAND_SIZE_PARMS(X)                                                                                            \
  RV_STRAND_ELASTIC_PARMS(X, "")                                                                                     \
  RV_STRAND_GUIDE_PARMS(X)                                                                                           \
  RV_STRAND_REST_BEND_PARMS(X, "", "{ restmode == natural }")                                                        \
  RV_STRAND_REST_STIFFEN_PARMS(X, "{ restmode == natural }")                                                         \
  X(FOLDER, "Volume")                                                                                                \
  RV_CONTINUUM_VOLUME_PARMS(X)                                                                                       \
  RV_CONTINUUM_WET_PARMS(X)                                                                                          \
  X(FOLDER, "Forces")                                                                                                \
  RV_STRAND_FORCE_PARMS(X, "")                                                                                       \
  X(FLOAT, turbulence, "Turbulence", 0, HARD(0), SOFT(5), "m1s-1",                                                   \
    "Gusts that come on top of the wind: their speed, root of the mean square.")                                     \
  X(FLOAT, turbulencescale, "Turbulence Scale", 0.3, HARD(1e-4), SOFT(2), "m", "Size of the largest gusts.",         \
    WHEN("{ turbulence == 0 }"))                                                                                     \
  X(INT, turbulenceseed, "Turbulence Seed", 0, SOFT(0), SOFT(100), "", "Another seed gives other gusts.", ADVANCED,  \
    WHEN("{ turbulence == 0 }"))                                                                                     \
  RV_CONTINUUM_AIR_PARMS(X)                                                                                          \
  X(FOLDER, "Contact")                                                                                               \
  RV_STRAND_SOLID_PARMS(X, "")                                                                                       \
  X(FLOAT, slip, "Slip", 1e-3, HARD(0), SOFT(0.1), "kg1m-1s-1",                                                      \
    "Drag of hair that slips on a collider, a length and a speed of one hair; the collider's own friction comes on " \
    "top.")                                                                                                          \
  X(FOLDER, "Limits")                                                                                                \
  X(FLOAT, maxmemory, "Max Memory", 16, HARD(0.01), SOFT(64), "",                                                    \
    "Gigabytes that the solver may take; more is refused before it is taken.", ADVANCED)                             \
  X(FOLDER, "Output")                                                                                                \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the strands.", ADVANCED)
RV_PARM_STRUCT(RvContinuumParms, RV_CONTINUUM_PARMS)

#endif
