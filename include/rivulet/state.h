// The state of a solver as attributes of a detail: one table of fields, from which the check, the hash and
// the manual are made. load(save(state)) is the identity, bit for bit.
#ifndef RIVULET_STATE_H
#define RIVULET_STATE_H

#include "rivulet/base.h"
#include "rivulet/geo.h"

#ifdef __cplusplus
extern "C" {
#endif

// The schema this library writes and reads, kept in the int detail attribute of that name.
enum { RV_STATE_SCHEMA = 2 };
#define RV_STATE_VERSION "rv_state_version"

// How a field stands in a solver's own data.
typedef enum RvLayout {
  RV_LAYOUT_OWN,      // the solver loads and saves it itself
  RV_LAYOUT_ARRAY,    // the member is a pointer to `size` numbers an element; loading makes the array
  RV_LAYOUT_NUMBERS,  // the member is the `size` numbers themselves; of detail fields
} RvLayout;

// One array of a solver's state. Saved fields go to attributes and back without loss; the rest is rebuilt.
typedef struct RvFieldDef {
  const char* name;  // attribute name; solver-private ones begin with rv_
  RvOwner owner;
  RvStorage storage;
  int size;  // numbers an element; 0: a list of any length, which is absent while it is empty
  RvTag tag;
  const char*
      group;  // which part of a solver's state: "strands", "liquid"; a part is there whole or not at all. "": always
  const char* unit;
  const char* producer;  // the stage that writes it
  bool saved;
  const char* help;
  RvLayout layout;
  size_t member;  // offset in the solver's data, for those that are not its own to load
} RvFieldDef;

// A row of a table of fields that the solver loads and saves itself.
#define RV_FIELD(field, of, type, numbers, kind, part, units, stage, is_saved, text)                         \
  {                                                                                                          \
    .name = field, .owner = of, .storage = type, .size = numbers, .tag = kind, .group = part, .unit = units, \
    .producer = stage, .saved = is_saved, .help = text                                                       \
  }
// A row that is loaded and saved as it is laid out in the member `m` of the solver's data.
#define RV_FIELD_OF(Data, m, field, of, type, numbers, how, part, units, stage, text)                               \
  {                                                                                                                 \
    .name = field, .owner = of, .storage = type, .size = numbers, .tag = RV_TAG_NONE, .group = part, .unit = units, \
    .producer = stage, .saved = true, .help = text, .layout = how, .member = offsetof(Data, m)                      \
  }

// Adds every saved field that is missing, with zeros, and the schema number. A field of another kind is an
// error.
RV_API RvResult rv_state_prepare(RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// A state of a known schema in which each saved field is there with its exact storage and size; the error
// names the field. Ask it of every state that comes from outside.
RV_API RvResult rv_state_check(const RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// Hash of every byte of every saved field, the counts and the topology.
RV_API uint64_t rv_state_hash(const RvDetail* detail, const RvFieldDef* fields, size_t count);
// The fields of `data` that rows lay out, from a state: arrays are made, one element for each of the detail's.
RV_API RvResult rv_state_load(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                              RvError* error);
// The same to the attributes of a state, bit for bit. The detail must have as many elements as the arrays.
RV_API RvResult rv_state_save(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                              RvError* error);
// Frees the arrays that rv_state_load made.
RV_API void rv_state_release(const RvFieldDef* fields, size_t count, void* data);
// Removes what is the solver's own (attributes and groups that begin with rv_), unless `keepstate`.
RV_API void rv_state_strip(RvDetail* detail, bool keepstate);
// `rounded` is what the artist sees, `exact` what the solver keeps, relative to `origin` (`size` numbers;
// NULL: zero). Where (float)(origin + exact) is not `rounded`, somebody edited it, and the edit wins: exact =
// rounded - origin. Returns how many elements were edited.
RV_API size_t rv_state_reconcile(const float* rounded, double* exact, size_t count, int size, const double* origin);

#ifdef __cplusplus
}
#endif
#endif
