// Far-field scattering of a fibre: Chiang et al. 2016, "A practical and controllable hair and fur model for production
// path tracing", after Marschner et al. 2003 and d'Eon et al. 2011. The lobes R, TT, TRT and the sum of all further
// ones are products of a longitudinal part (exact on the sphere, with the Bessel function I0), the attenuation along
// the path, and an azimuthal part (a logistic distribution, cut at half a turn), averaged over the width of the fibre:
// a hair is thinner than a pixel. Each part is normalised, so a fibre that absorbs nothing returns all light, whatever
// its roughness. A liquid film covers a share of the fibre: its reflection replaces that of the scales, is smooth and
// has no tilt.
#ifndef RV_VIEW_CHIANG_H
#define RV_VIEW_CHIANG_H

#include "math/vec.h"

// Passes through the fibre: off its surface, straight through, back from the far wall, all further ones.
enum { RV_FIBRE_R, RV_FIBRE_TT, RV_FIBRE_TRT, RV_FIBRE_REST, RV_FIBRE_LOBES };
// What surrounds it: air, a film in air, water.
enum { RV_FIBRE_DRY, RV_FIBRE_FILM, RV_FIBRE_SUNK, RV_FIBRE_MEDIA };
enum { RV_FIBRE_ANGLES = 16, RV_FIBRE_TURNS = 64 };  // inclinations and azimuths of the table

// Means over the width of a fibre with an index of refraction and a roughness around it, by the cosine of the eye's
// inclination. Absorption is not in it: light is attenuated over the mean path of each pass.
typedef struct RvFibreTable {
  double index, around;
  double forward_whole;  // share within a turn of the distribution by which TT is sampled
  float turn[2][RV_FIBRE_REST][RV_FIBRE_ANGLES]
            [RV_FIBRE_TURNS];  // density over the azimuth, 0 (back) to pi, times share
  float share[RV_FIBRE_MEDIA][RV_FIBRE_LOBES][RV_FIBRE_ANGLES];  // of light without absorption; their sum is 1
  float back[RV_FIBRE_MEDIA][RV_FIBRE_LOBES][RV_FIBRE_ANGLES];   // part of the share within a quarter turn of the light
  float path[RV_FIBRE_ANGLES];                                   // of a pass across the fibre, in radii
} RvFibreTable;
void rv_view_fibre_table(RvFibreTable* table, double index, double around);

// What a fibre is made of at one place.
typedef struct RvFibreLook {
  RvVec3 absorption;  // per fibre radius
  double along;       // roughness, 0 to 1
  double tilt;        // of the scales towards the root, radians
  double wet;         // share covered by film, 0 to 1
  double film_along;  // roughness of the film's reflection
  double sunk;        // share of water around the strands of its pile, which keeps light inside: 0 to 1
} RvFibreLook;

// Longitudinal parts: R off the scales, R off the film, TT, TRT, the rest.
enum { RV_FIBRE_CONES = RV_FIBRE_LOBES + 1 };

// A fibre as seen from one direction.
typedef struct RvFibre {
  const RvFibreTable* table;
  int row;  // of the table, and the weight of the next one
  double between;
  double wet, sunk;
  RvVec3 tangent, x, y;             // unit: along the fibre; x towards the eye; y completes them
  double sin_eye, cos_eye;          // inclination of the eye to the normal plane
  double variance[RV_FIBRE_CONES];  // longitudinal; their inverses and the norms of the lobes
  double peak[RV_FIBRE_CONES], norm[RV_FIBRE_CONES];
  double sin_cone[RV_FIBRE_CONES], cos_cone[RV_FIBRE_CONES];  // inclination of the eye, turned by the tilt
  RvVec3 through[RV_FIBRE_LOBES];                             // attenuation of the passes
  double chance[RV_FIBRE_CONES];                              // of each part in sampling
} RvFibre;

// Prepares a fibre. `tangent` runs from root to tip, `view` to the eye, both unit.
RvFibre rv_view_fibre(const RvFibreTable* table, const RvFibreLook* look, RvVec3 tangent, RvVec3 view);
// Scattered radiance per radiance and solid angle of light, the cosine included: its integral over all directions is
// the share of light that is not absorbed. *density: of rv_view_fibre_sample.
RvVec3 rv_view_fibre_scatter(const RvFibre* fibre, RvVec3 light, double* density);
// Samples a direction of light about in proportion to what it scatters.
RvVec3 rv_view_fibre_sample(const RvFibre* fibre, const double lobe[2], const double angle[2]);
// Shares of light that the fibre sends forward and back, by colour, with the water around it.
void rv_view_fibre_shares(const RvFibre* fibre, RvVec3* forward, RvVec3* back);

#endif
