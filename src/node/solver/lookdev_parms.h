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

#define RV_LOOKDEV_LIQUID_PARMS(X)                                                                                  \
  X(FLOAT, particlesep, "Particle Separation", 0, HARD(0), SOFT(0.1), "m",                                          \
    "Spacing of the particles. 0 takes the cube root of the mean volume of the input's particles.")                 \
  X(FLOAT, liquiddensity, "Liquid Density", 1000, HARD(1), SOFT(2000), "kg1m-3", "Mass of a volume of the liquid.") \
  X(FLOAT, viscosity, "Viscosity", 0.001, HARD(0), SOFT(1), "kg1m-1s-1",                                            \
    "Of the whole liquid: water 0.001, oil 0.1. Large values need more substeps, and a warning says so.")           \
  X(FLOAT, surfacetension, "Surface Tension", 0.072, HARD(0), SOFT(0.1), "kg1s-2",                                  \
    "Cohesion of the liquid: water 0.072. Drops are rounder and sheets tear later.")                                \
  X(FLOAT, curvature, "Curvature", 0.01, HARD(0), SOFT(0.03), "",                                                   \
    "Smooths the surface of the liquid, beside cohesion. Above 0.03 drops blow up.", ADVANCED)                      \
  X(FLOAT, smoothing, "Smoothing", 5, HARD(0), SOFT(30), "s-1",                                                     \
    "Rate at which neighbouring particles get the same velocity. Higher is calmer and thicker.", ADVANCED)          \
  X(INT, densityiter, "Density Iterations", 4, HARD(1), HARD(100), "",                                              \
    "Most iterations of the density a substep. More keep deep liquid from being squeezed; 1 is fast and bouncy.")   \
  X(FLOAT, densitytolerance, "Density Tolerance", 0.01, HARD(0), SOFT(0.1), "",                                     \
    "Mean excess of density at which the iterations end.", ADVANCED, WHEN("{ densityiter == 1 }"))

#define RV_LOOKDEV_WET_PARMS(X)                                                                                      \
  X(FLOAT, cohesion, "Cohesion", 1, HARD(0), SOFT(4), "", "Scales the pull of wet strands on each other: clumps.",   \
    HIDE(RV_WET_ANIMATED))                                                                                           \
  X(FLOAT, clumpdamping, "Clump Damping", 20, HARD(0), SOFT(100), "s-1",                                             \
    "Rate at which clumped strands get the same velocity. 0 lets clumps tremble.", ADVANCED, HIDE(RV_WET_ANIMATED))  \
  X(FLOAT, porosity, "Porosity", 0.25, HARD(0.01), HARD(1), "",                                                      \
    "Share of the space between hairs that liquid can fill. Higher holds more, and the same liquid clumps less.")    \
  X(FLOAT, adhesion, "Adhesion", 30, HARD(0), SOFT(100), "m1s-2",                                                    \
    "Acceleration of liquid towards hair and solids that it touches.")                                               \
  X(FLOAT, drag, "Drag", 1, HARD(0), SOFT(10), "",                                                                   \
    "Scales the drag between hair and the liquid that flows through it.")                                            \
  X(FLOAT, capture, "Capture", 1, HARD(0), SOFT(4), "", "Scales how fast hair takes up liquid around it; 0: never.") \
  X(FLOAT, capacity, "Capacity", 1, HARD(0), SOFT(2.5), "",                                                          \
    "Scales the liquid that hair keeps; the rest runs down and drips.")                                              \
  X(FLOAT, drip, "Drip", 4, HARD(0), SOFT(100), "s-1", "Rate at which liquid runs down vertical hair.")              \
  X(FLOAT, dripgrowth, "Drip Growth", 1, HARD(0), SOFT(10), "s-1",                                                   \
    "Rate at which gravity grows on particles that cling to hair, until they fall. At most fivefold.", ADVANCED)     \
  X(FLOAT, drying, "Drying", 0, HARD(0), SOFT(1e-4), "m1s-1",                                                        \
    "Speed at which surfaces evaporate: 1e-7 is a room, 1e-5 a hair dryer.")                                         \
  X(FLOAT, wetmass, "Wet Mass", 1, HARD(0), SOFT(4), "",                                                             \
    "Mass of the liquid in saturated hair over that of dry hair: 1 doubles its weight.")                             \
  X(FLOAT, wetsoftness, "Wet Softness", 0.5, HARD(0), HARD(0.95), "",                                                \
    "Share of its stiffness that saturated hair loses.", HIDE(RV_WET_ANIMATED))

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
  X(FOLDER, "Wetting")                                                                                              \
  RV_LOOKDEV_WET_PARMS(X)                                                                                           \
  X(FOLDER, "Liquid")                                                                                               \
  RV_LOOKDEV_LIQUID_PARMS(X)                                                                                        \
  X(FOLDER, "Forces")                                                                                               \
  RV_STRAND_FORCE_PARMS(X, RV_WET_ANIMATED)                                                                         \
  X(FOLDER, "Contact")                                                                                              \
  RV_LOOKDEV_VOLUME_PARMS(X)                                                                                        \
  X(FLOAT, thickness, "Thickness", 0, HARD(0), SOFT(0.01), "m", "Added to the surface of the colliders.",           \
    HIDE(RV_WET_ANIMATED))                                                                                          \
  X(FLOAT, rootfree, "Root Free", 0.01, HARD(0), SOFT(0.1), "m",                                                    \
    "Length at the root that colliders do not touch, since roots begin inside the skin.", ADVANCED,                 \
    HIDE(RV_WET_ANIMATED))                                                                                          \
  X(FOLDER, "Walls")                                                                                                \
  RV_LIQUID_WALL_PARMS(X)                                                                                           \
  X(FOLDER, "Limits")                                                                                               \
  RV_LIQUID_LIMIT_PARMS(X)                                                                                          \
  X(FLOAT, maxmemory, "Max Memory", 16, HARD(0.01), SOFT(64), "",                                                   \
    "Gigabytes that the solver may take; more is refused before it is taken.", ADVANCED)                            \
  X(FOLDER, "Output")                                                                                               \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on strands and liquid.", ADVANCED)
RV_PARM_STRUCT(RvLookdevParms, RV_LOOKDEV_PARMS)

#endif
