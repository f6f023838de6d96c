// State fields of solvers that do not store element after element: strands side by side in SIMD lanes, and particles
// with one array for each number. The rows name the members; these functions copy them, in parallel.
#ifndef RV_GEO_STATE_MAP_H
#define RV_GEO_STATE_MAP_H

#include "rivulet/state.h"

//---------------------------------------------------------------------------------------------- state_fields.c

// The member that the row of a field names.
void* rv_state_member(const RvFieldDef* field, void* data);
// The values of a saved field. Fails, with its name, where the detail has none of this storage and size.
RvResult rv_state_values(const RvDetail* detail, const RvFieldDef* field, const void** out, RvError* error);
// The same for writing.
RvResult rv_state_values_write(RvDetail* detail, const RvFieldDef* field, void** out, RvError* error);

// The least and the most that a number of the field may be.
void rv_state_bounds(const RvFieldDef* field, double* least, double* most);
// The error for `bad` numbers that the row does not allow.
RvResult rv_state_refuse(const RvFieldDef* field, size_t bad, RvError* error);

//---------------------------------------------------------------------------------------------- state_lanes.c

// Strands of equal length, side by side. Row r of lanes of its vertex i is at (width * (vertex_at / RV_LANES + i) + r)
// * RV_LANES in a member with `width` rows a vertex; edges and strands accordingly.
typedef struct RvStateBatch {
  const int32_t* strand;      // [RV_LANES]
  int lanes;                  // in use
  int vertices;               // of each strand
  size_t vertex_at, edge_at;  // begin of the batch in members with one row a vertex or edge
} RvStateBatch;

// Where the strands of a detail are in the lanes. The solver describes it once for all its fields.
typedef struct RvStateLanes {
  size_t nbatch;
  void (*batch)(const void* user, size_t index, RvStateBatch* out);
  const void* user;
  const int32_t* prim;   // [strands] primitive of the detail
  const int32_t* first;  // [strands] first vertex in `point`
  const int32_t* point;  // points of the detail, strand after strand, root first
  bool spare_lanes;      // lanes that are not in use repeat a strand and are loaded too
  double scale;          // of the rows that are scaled
} RvStateLanes;

// Loads the fields in lanes. An optional field without an array is neither loaded nor saved; one that the state lacks
// keeps its numbers. Fails, with the name of the field, on numbers that the row does not allow.
RvResult rv_state_load_lanes(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                             const RvStateLanes* lanes, RvError* error);
// Saves the fields in lanes; elements of the detail that are in no lane keep their values.
RvResult rv_state_save_lanes(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                             const RvStateLanes* lanes, RvError* error);

//---------------------------------------------------------------------------------------------- state_planes.c

// Loads the fields of RV_LAYOUT_PLANES: number i of each array from element[i] of the detail; NULL: from i. An optional
// field without arrays is not loaded, and not saved.
RvResult rv_state_load_planes(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                              const int32_t* element, size_t number, RvError* error);
// Saves them: element i of the detail from number order[i] of each array.
RvResult rv_state_save_planes(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                              const uint32_t* order, size_t number, RvError* error);

#endif
