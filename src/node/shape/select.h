// Selection of elements by the `group` parameter of a node: names of groups, numbers and ranges, separated by spaces.
#ifndef RV_NODE_SHAPE_SELECT_H
#define RV_NODE_SHAPE_SELECT_H

#include "rivulet/geo.h"

// Menu of a node that takes points or primitives; the indices are those of RvSelectType.
#define RV_SELECT_MENU "guess=Guess from Group|points=Points|prims=Primitives"
typedef enum RvSelectType { RV_SELECT_GUESS, RV_SELECT_POINTS, RV_SELECT_PRIMS } RvSelectType;

// One byte an element of `*owner` (points or primitives), 1 where selected; rv_free it. `text` holds names of groups
// ("hair*" matches many), numbers "7" and ranges "3-9", "3-9:2"; "!" before a word removes it. An empty text
// gives NULL, which means everything. RV_SELECT_GUESS takes the owner of the first name, points first; numbers mean
// points. A name that matches no group is an error that lists the groups.
RvResult rv_select(const RvDetail* detail, const char* text, RvSelectType type, RvOwner* owner, uint8_t** mask,
                   RvError* error);

// The same, always as points: for primitives, their points.
RvResult rv_select_points(const RvDetail* detail, const char* text, RvSelectType type, uint8_t** mask, RvError* error);

// True if a list of patterns ("v wet* ^wetold") selects the name; the last matching pattern decides.
bool rv_select_name(const char* patterns, const char* name);

#endif
