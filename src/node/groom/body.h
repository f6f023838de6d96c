// What a skin has besides the faces that bear hair, such as shoulders below a scalp: strands slide along it instead of
// entering it.
#ifndef RV_NODE_GROOM_BODY_H
#define RV_NODE_GROOM_BODY_H

#include "math/vec.h"
#include "mesh/nearest.h"
#include "rivulet/geo.h"

typedef struct RvGroomBody {
  size_t count;    // triangles of the whole skin; 0: nothing to avoid
  float* corners;  // [count][3][3]
  float* normals;  // [count][3] unit, outwards
  uint8_t* bare;   // [count] the face bears no hair
  RvNearest tree;
} RvGroomBody;

// Prepares the body of a closed skin. `scalp` masks the faces that bear hair; NULL, or a skin that bears hair
// everywhere: nothing is avoided. Free it by rv_groom_body_free.
RvResult rv_groom_body_init(RvGroomBody* body, const RvDetail* skin, const uint8_t* scalp, RvError* error);
void rv_groom_body_free(RvGroomBody* body);

// Moves the points of a strand, from root to tip, out of the body. The lengths of its segments stay.
void rv_groom_body_avoid(const RvGroomBody* body, float* points, size_t count);

#endif
