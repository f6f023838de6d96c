// Drops of the interface solver for the checks: what their particles measure.
#ifndef RV_RIG_INTERFACE_H
#define RV_RIG_INTERFACE_H

#include "rivulet/geo.h"

// A cloud of particles of one size. Lengths in metres.
typedef struct RvDropFigures {
  size_t count;
  double centre[3];
  double reach;          // mean of the support function over 200 directions: its largest extent along each
  double spread;         // standard deviation of the support function over its mean
  double stretch;        // (<y^2> - (<x^2> + <z^2>) / 2) / <r^2>: the second mode along y
  double kinetic;        // mean of v^2 / 2 about the mean velocity, m2/s2
  double momentum[3];    // mean velocity, m/s
  double angular[3];     // mean of (x - centre) x v, m2/s
  double speed, moment;  // mean of |v| and of |x - centre| |v|, what the two are relative to
} RvDropFigures;

// Figures of the points of a detail with P and v.
RvResult rv_rig_drop_measure(const RvDetail* points, RvDropFigures* out, RvError* error);
// Distance of the closest pair over the mean distance to the nearest neighbour, by all pairs.
double rv_rig_drop_closest(const RvDetail* points);

// The angle, degrees, at which outer surface and wall of two equal drops or bubbles meet, by the distance of their
// centres over the cube root of the volume of each. Both are parts of spheres, and their wall is flat.
double rv_rig_meeting_angle(double distance);

// A damped oscillation y = offset + amplitude exp(-decay t) cos(omega t + phase), fitted by least squares.
typedef struct RvOscillation {
  double omega, decay, amplitude, offset;
  double residual;  // rms error over the amplitude
} RvOscillation;

// Fit to `count` samples, `dt` apart, from a first guess of omega (rad/s) and decay (1/s).
RvOscillation rv_rig_fit_oscillation(const double* y, int count, double dt, double omega, double decay);

#endif
