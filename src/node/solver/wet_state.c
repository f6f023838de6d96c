// The state of strands, film and liquid: two details, of which the first has the film.
#include "base/memory.h"
#include "node/solver/wet_frame.h"

const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT] = {RV_WET_FIELDS};
const char* const rv_wet_parts[RV_STATE_PARTS] = {"strands", "liquid"};

// Removes the attributes of an owner that `other` does not have.
static void remove_missing(RvDetail* detail, const RvDetail* other, RvOwner owner) {
  for (size_t i = rv_detail_attrib_count(detail, owner); i > 0; --i) {
    const char* name = rv_attrib_name(rv_detail_attrib(detail, owner, i - 1));
    if (!rv_detail_find(other, owner, name)) rv_detail_remove_attrib(detail, owner, name);
  }
}

RvResult rv_wet_liquid_output(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error) {
  // The strands without points: what is left are the kinds of their attributes and their groups.
  RvDetail* made = rv_detail_copy(strands);
  uint8_t* none = rv_alloc_zero(rv_detail_count(strands, RV_POINT) + 1, 1);
  RvResult result = made && none ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the liquid");
  if (!result) {
    remove_missing(made, liquid, RV_POINT);
    remove_missing(made, liquid, RV_GLOBAL);
    result = rv_detail_keep(made, none, NULL, false, error);
  }
  if (!result) result = rv_detail_merge(made, liquid, error);
  rv_free(none);
  if (result)
    rv_detail_free(made);
  else
    *out = made;
  return result;
}
