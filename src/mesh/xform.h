// An affine transform as the stock nodes spell it (t r s p, orders), and what it does to values of each tag.
#ifndef RV_MESH_XFORM_H
#define RV_MESH_XFORM_H

#include "math/vec.h"
#include "rivulet/geo.h"

#define RV_XFORM_ORDER_MENU                                                                              \
  "srt=Scale Rot Trans|str=Scale Trans Rot|rst=Rot Scale Trans|rts=Rot Trans Scale|tsr=Trans Scale Rot|" \
  "trs=Trans Rot Scale"
#define RV_ROTATE_ORDER_MENU "xyz=Rx Ry Rz|xzy=Rx Rz Ry|yxz=Ry Rx Rz|yzx=Ry Rz Rx|zxy=Rz Rx Ry|zyx=Rz Ry Rx"

// p -> linear p + offset
typedef struct RvXform {
  RvMat3 linear;
  RvVec3 offset;
  RvMat3 normal;    // carries normals: the inverse transpose up to a positive factor
  RvMat3 rotation;  // the nearest rotation to `linear`; of a reflection, to -linear
} RvXform;

// Orders are indices into the menus above; the letter that stands first is applied first. Degrees.
typedef struct RvXformParts {
  int order, rotate_order;
  RvVec3 translate, rotate, scale, pivot;
} RvXformParts;

RvXform rv_xform_make(const RvXformParts* parts);
// Fills `normal` and `rotation` for a linear part and an offset.
RvXform rv_xform_from(RvMat3 linear, RvVec3 offset);
RvXform rv_xform_inverse(const RvXform* xform);  // of an invertible one
RvVec3 rv_xform_point(const RvXform* xform, RvVec3 point);
// One value of an attribute in place, by its tag and size; false if such values do not move.
bool rv_xform_tuple(const RvXform* xform, RvTag tag, int size, double* tuple);
bool rv_xform_moves(RvTag tag, int size);
// The same of one element of an attribute's values; their storage must be one of floats.
void rv_xform_element(const RvXform* xform, RvTag tag, RvStorage storage, int size, void* values, size_t element);
// index-to-world of a grid (row vectors, row major, as rv_grid_transform gives it) followed by the transform
void rv_xform_grid(const RvXform* xform, const double in[16], double out[16]);

#endif
