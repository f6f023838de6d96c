// Viewport guides of wet strands: point attributes that every viewport draws without a shader. Cd goes from a dry to a
// wet colour with wetness, and pscale is the radius of strand and film. They are of the output alone: no state and no
// solver reads them.
#include "node/solver/film_port.h"

// Linear colours that are far apart in hue and in brightness, so that they are told apart in grey as well.
static const double DRY_COLOR[3] = {0.55, 0.42, 0.3};
static const double WET_COLOR[3] = {0.02, 0.2, 0.8};

// Radius of strand and film. The start frame may have no film yet: there it is the fibre's, of its points or strands.
static void write_radii(double hair_radius, const RvDetail* strands, float* pscale) {
  const RvAttrib* tube = rv_detail_find(strands, RV_POINT, "filmradius");
  const RvAttrib* point_radius = tube ? tube : rv_detail_find(strands, RV_POINT, "hairradius");
  const RvAttrib* strand_radius = rv_detail_find(strands, RV_PRIM, "hairradius");
  size_t count = rv_detail_count(strands, RV_POINT);
  for (size_t i = 0; i < count; ++i)
    pscale[i] = (float)(point_radius ? rv_attrib_get(point_radius, i, 0) : hair_radius);
  if (point_radius || !strand_radius) return;
  const int32_t* start = rv_detail_prim_start(strands);
  const int32_t* point = rv_detail_vertex_point(strands);
  for (size_t k = 0; k < rv_detail_count(strands, RV_PRIM); ++k)
    for (int32_t corner = start[k]; corner < start[k + 1]; ++corner)
      pscale[point[corner]] = (float)rv_attrib_get(strand_radius, k, 0);
}

RvResult rv_film_port_guides(double hair_radius, RvDetail* strands, RvError* error) {
  size_t count = rv_detail_count(strands, RV_POINT);
  // A colour of the input's own gives way: it may have another storage.
  rv_detail_remove_attrib(strands, RV_POINT, "Cd");
  RvAttrib* color = NULL;
  RvResult result = rv_detail_add_attrib(strands, RV_POINT, "Cd", RV_F32, 3, RV_TAG_COLOR, &color, error);
  float* Cd = result ? NULL : rv_detail_f32_write(strands, RV_POINT, "Cd", 3, error);
  float* pscale = Cd ? rv_detail_f32_write(strands, RV_POINT, "pscale", 1, error) : NULL;
  if (!pscale) return result ? result : error->code;
  const RvAttrib* wetness = rv_detail_find(strands, RV_POINT, "wetness");
  for (size_t i = 0; i < count; ++i) {
    double wet = wetness ? rv_attrib_get(wetness, i, 0) : 0;
    for (int c = 0; c < 3; ++c) Cd[3 * i + c] = (float)(DRY_COLOR[c] + wet * (WET_COLOR[c] - DRY_COLOR[c]));
  }
  write_radii(hair_radius, strands, pscale);
  return RV_OK;
}
