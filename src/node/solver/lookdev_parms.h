// The parameters of the lookdev solver. Those that the wet solver has too have its names and meanings, so that one node
// takes the place of the other.
#ifndef RV_NODE_SOLVER_LOOKDEV_PARMS_H
#define RV_NODE_SOLVER_LOOKDEV_PARMS_H

#include "node/solver/wet_parms.h"

#define RV_LOOKDEV_SOLVE_PARMS(X)                                                                                      \
  X(INT, substeps, "Substeps", 5, HARD(1), HARD(1000), "",                                                             \
    "Fewest steps a frame. Hair hangs the same with any number; more follow fast motion with less damping.")           \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "", "Most steps a frame, when roots are fast.",         \
    ADVANCED)                                                                                                          \
  X(FLOAT, rootcfl, "Root CFL", 4, HARD(0.01), SOFT(10), "", "Edge lengths that a root may move in a step.", ADVANCED) \
  X(INT, niter, "Iterations", 1, HARD(1), HARD(100), "",                                                               \
    "Linear solves of a strand a step, or sweeps over its constraints. More keep hair in fast motion from "            \
    "stretching.",                                                                                                     \
    ADVANCED, HIDE(RV_WET_ANIMATED))                                                                                   \
  X(MENU, rodsolve, "Rod Solve", 0, "direct=Direct|sweeps=Sweeps",                                                     \
    "Direct solves a strand at once. Sweeps go over its constraints one by one, as games do: long hair stretches "     \
    "and sags until iterations are many.",                                                                             \
    ADVANCED, HIDE(RV_WET_ANIMATED))                                                                                   \
  X(FLOAT, relaxation, "Relaxation", 1.36, HARD(0.1), HARD(1.95), "", "Over-relaxation of the sweeps.", ADVANCED,      \
    WHEN("{ rodsolve == direct }"), HIDE(RV_WET_ANIMATED))

#define RV_LOOKDEV_VOLUME_PARMS(X)                                                                                  \
  X(TOGGLE, strandcollisions, "Hair Volume", true,                                                                  \
    "Strands that are denser than in the groom push apart, as contacts of all hairs would.", HIDE(RV_WET_ANIMATED)) \
  X(FLOAT, volumespeed, "Volume Speed", 0.5, HARD(0), SOFT(2), "m1s-1",                                             \
    "Speed with which squeezed hair expands. Higher is firmer.", WHEN("{ strandcollisions == 0 }"),                 \
    HIDE(RV_WET_ANIMATED))                                                                                          \
  X(FLOAT, volumecell, "Volume Cell", 0.01, HARD(1e-4), SOFT(0.1), "m",                                             \
    "Size over which the density of hair is measured: some distances of neighbouring strands.", ADVANCED,           \
    WHEN("{ strandcollisions == 0 }"), HIDE(RV_WET_ANIMATED))

#define RV_LOOKDEV_PARMS(X)                                                                                         \
  X(FOLDER, "Simulation")                                                                                           \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                 \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the groom; simulation begins after it.")   \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "", "Simulated seconds a second of the scene; 0 freezes.") \
  RV_LOOKDEV_SOLVE_PARMS(X)                                                                                         \
  X(MENU, hairmode, "Hair Mode", 0, "simulate=Simulate|animated=Animated",                                          \
    "Animated strands go where the input goes.")                                                                    \
  X(FOLDER, "Strands")                                                                                              \
  RV_STRAND_MATERIAL_PARMS(X, RV_WET_ANIMATED, RV_WET_UNBALANCED)                                                   \
  X(FOLDER, "Forces")                                                                                               \
  RV_STRAND_FORCE_PARMS(X, RV_WET_ANIMATED)                                                                         \
  X(FOLDER, "Contact")                                                                                              \
  RV_LOOKDEV_VOLUME_PARMS(X)                                                                                        \
  X(FLOAT, thickness, "Thickness", 0, HARD(0), SOFT(0.01), "m", "Added to the surface of the colliders.",           \
    HIDE(RV_WET_ANIMATED))                                                                                          \
  X(FLOAT, rootfree, "Root Free", 0.01, HARD(0), SOFT(0.1), "m",                                                    \
    "Length at the root that colliders do not touch, since roots begin inside the skin.", ADVANCED,                 \
    HIDE(RV_WET_ANIMATED))                                                                                          \
  X(FOLDER, "Limits")                                                                                               \
  X(FLOAT, maxmemory, "Max Memory", 16, HARD(0.01), SOFT(64), "",                                                   \
    "Gigabytes that the solver may take; more is refused before it is taken.", ADVANCED)                            \
  X(FOLDER, "Output")                                                                                               \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on strands and liquid.", ADVANCED)
RV_PARM_STRUCT(RvLookdevParms, RV_LOOKDEV_PARMS)

#endif
