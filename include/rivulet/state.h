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
enum { RV_STATE_SCHEMA = 1 };
#define RV_STATE_VERSION "rv_state_version"

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
} RvFieldDef;

// Adds every saved field that is missing, with zeros, and the schema number. A field of another kind is an
// error.
RV_API RvResult rv_state_prepare(RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// A state of a known schema in which each saved field is there with its exact storage and size; the error
// names the field. Ask it of every state that comes from outside.
RV_API RvResult rv_state_check(const RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// Hash of every byte of every saved field, the counts and the topology.
RV_API uint64_t rv_state_hash(const RvDetail* detail, const RvFieldDef* fields, size_t count);
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
