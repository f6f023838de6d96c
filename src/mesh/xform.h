// Affine transforms with the parameters of Houdini's Transform SOP (t, r, s, p and orders), and their effect on
// attributes by tag.
#ifndef RV_MESH_XFORM_H
#define RV_MESH_XFORM_H

#include "math/vec.h"
#include "rivulet/geo.h"

#define RV_XFORM_ORDER_MENU                                                                              \
  "srt=Scale Rot Trans|str=Scale Trans Rot|rst=Rot Scale Trans|rts=Rot Trans Scale|tsr=Trans Scale Rot|" \
  "trs=Trans Rot Scale"
#define RV_ROTATE_ORDER_MENU "xyz=Rx Ry Rz|xzy=Rx Rz Ry|yxz=Ry Rx Rz|yzx=Ry Rz Rx|zxy=Rz Rx Ry|zyx=Rz Ry Rx"

// The transform p -> linear p + offset.
typedef struct RvXform {
  RvMat3 linear;
  RvVec3 offset;
  RvMat3 normal;    // for normals: the inverse transpose up to a positive factor
  RvMat3 rotation;  // the rotation nearest to `linear`, or to -linear if it is a reflection
} RvXform;

// The parameters. Orders are indices into the menus above; the first letter is applied first. Angles are in degrees.
typedef struct RvXformParts {
  int order, rotate_order;
  RvVec3 translate, rotate, scale, pivot;
} RvXformParts;

// The transform of the parameters.
RvXform rv_xform_make(const RvXformParts* parts);
// The transform of a linear part and an offset, with `normal` and `rotation` derived from them.
RvXform rv_xform_from(RvMat3 linear, RvVec3 offset);
// The inverse of an invertible transform.
RvXform rv_xform_inverse(const RvXform* xform);
// Transforms a point.
RvVec3 rv_xform_point(const RvXform* xform, RvVec3 point);
// Transforms one value of an attribute in place, by its tag and size. False if such values are not transformed.
bool rv_xform_tuple(const RvXform* xform, RvTag tag, int size, double* tuple);
// True if attributes of this tag and size are transformed.
bool rv_xform_moves(RvTag tag, int size);
// Transforms one element of an attribute's array, whose storage must be a floating-point one.
void rv_xform_element(const RvXform* xform, RvTag tag, RvStorage storage, int size, void* values, size_t element);
// Reads and writes a number of an attribute's array, whose storage must be a floating-point one.
double rv_xform_load(RvStorage storage, const void* values, size_t at);
void rv_xform_store(RvStorage storage, void* values, size_t at, double value);
// Appends the transform to the index-to-world matrix of a grid (row vectors, row major, as of rv_grid_transform).
void rv_xform_grid(const RvXform* xform, const double in[16], double out[16]);

#endif
