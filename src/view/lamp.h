// Lamps: light from a direction, from a rectangle or disc, and from a dome with an image around the scene.
#ifndef RV_VIEW_LAMP_H
#define RV_VIEW_LAMP_H

#include "math/vec.h"
#include "node/look.h"
#include "rivulet/base.h"
#include "rivulet/geo.h"

// A direction of a dome, its radiance and the density of sampling it; 28 bytes, as they are read in random order.
typedef struct RvDomeSample {
  float direction[3];  // unit
  float density;
  float radiance[3];
} RvDomeSample;

// A latitude-longitude image of radiance, with the sums by which directions are sampled in proportion to brightness.
typedef struct RvDome {
  int width, height;
  float* rgb;                     // first row on top
  double* rows;                   // [height + 1] sums over the rows above, from 0 to 1
  float* columns;                 // [height][width + 1] sums within a row, from 0 to 1
  RvDomeSample* samples;          // made beforehand, one a cell of a square of numbers
  int *row_guide, *column_guide;  // where the search for a number in the sums begins
} RvDome;

typedef struct RvLamp {
  int kind;         // RV_LIGHT_DISTANT ...
  RvVec3 color;     // distant: irradiance of a surface that faces it; others: radiance, or factor on the image
  RvVec3 position;  // relative to the lens's origin
  RvVec3 forward, right, up;  // unit; forward: in which it shines
  double half[2];             // half sides of a rectangle; radius of a disc
  double radius;              // distant: tangent of half its angle
  double reach;               // length of its shadow rays; infinite: all
  bool soft_sky;              // the built-in room's ceiling: sampled by the surface alone
  bool background;            // the camera sees the dome
  RvDome* dome;               // NULL: the same radiance from everywhere
  RvDome* floor;              // the dome's light on the floor: radiance times the cosine
  double floor_irradiance;    // of the floor by the dome
} RvLamp;

typedef struct RvLamps {
  RvLamp* list;
  size_t count, capacity;
} RvLamps;

// Light that arrives at a point from one direction of a lamp.
typedef struct RvLampRay {
  RvVec3 direction;  // unit, towards the lamp
  RvVec3 radiance;
  double distance;
  double density;  // of the sampled direction, per solid angle; 0: the lamp has no extent
} RvLampRay;

// Reads the lamps of the details: loose points with a kind. Loads the images of domes.
RvResult rv_view_lamps_read(RvLamps* lamps, const RvDetail* const* details, size_t count, RvVec3 origin,
                            RvError* error);
void rv_view_lamps_free(RvLamps* lamps);
// Room for one more; NULL when out of memory.
RvLamp* rv_view_lamps_add(RvLamps* lamps);
// The attribute that makes points of a detail lamps; NULL: it has none.
const RvAttrib* rv_view_lamp_kinds(const RvDetail* detail);
// Path of the image that a point's dome is read from; NULL: the point is no such dome.
const char* rv_view_lamp_image(const RvDetail* detail, size_t point);

// Samples a direction towards a lamp. False if no light arrives from there. A lamp without extent gives its irradiance
// as radiance, with density 0.
bool rv_view_lamp_sample(const RvLamp* lamp, RvVec3 from, const double u[2], RvLampRay* ray);
// Radiance of a lamp in a direction, its distance, and the density with which the direction would be sampled; false if
// the lamp is not there.
bool rv_view_lamp_towards(const RvLamp* lamp, RvVec3 from, RvVec3 direction, RvLampRay* ray);
// Unoccluded irradiance of a horizontal plane, about: weights of lamps for the shadows on the floor.
double rv_view_lamp_on_floor(const RvLamp* lamp, RvVec3 at);
// Radiance of a dome as it is seen in mirrors and behind the scene: interpolated between the pixels of its image.
RvVec3 rv_view_lamp_seen(const RvLamp* lamp, RvVec3 direction);
// Direction of a dome with an image, sampled in proportion to its light on the floor.
RvVec3 rv_view_lamp_floor_direction(const RvLamp* lamp, const double u[2]);

// Domes (dome.c). The image is copied; freed by rv_view_dome_free.
RvResult rv_view_dome_make(int width, int height, const float* rgb, RvDome** dome, RvError* error);
RvResult rv_view_dome_load(const char* path, RvDome** dome, RvError* error);
RvResult rv_view_dome_studio(const double factors[3], RvDome** dome, RvError* error);
void rv_view_dome_free(RvDome* dome);
// Directions here are in the frame of the image: its middle along -z, its top along y, right of the middle is x.
// Radiance, in pixels with the density of their sampling, or interpolated between them.
RvVec3 rv_view_dome_towards(const RvDome* dome, RvVec3 direction, double* density);
RvVec3 rv_view_dome_smooth(const RvDome* dome, RvVec3 direction);
RvVec3 rv_view_dome_sample(const RvDome* dome, const double u[2], RvVec3* radiance, double* density);
// The light of a dome on a floor whose normal is `up`, as an image by which the floor samples it, and its irradiance.
RvResult rv_view_dome_floor(const RvDome* dome, RvVec3 up, RvDome** floor, double* irradiance, RvError* error);

// Pictures read from files (picture.c): linear light, width x height x 3 floats that the caller frees by rv_free.
RvResult rv_view_read_picture(const char* path, int* width, int* height, float** rgb, RvError* error);

#endif
