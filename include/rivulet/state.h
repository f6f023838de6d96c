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
enum { RV_STATE_SCHEMA = 3 };
#define RV_STATE_VERSION "rv_state_version"

// The state of a solver: a detail for each of its parts (RvNodeType.parts), NULL where the part is absent.
enum { RV_STATE_PARTS = 2 };
typedef struct RvState {
  RvDetail* part[RV_STATE_PARTS];
} RvState;

// How a solver's data store a field. Arrays in lanes hold several strands side by side: `width` rows of lanes a vertex,
// edge or strand, of which the field is the rows from `component` on.
typedef enum RvLayout {
  RV_LAYOUT_OWN,           // the solver loads and saves the field itself
  RV_LAYOUT_ARRAY,         // the member is a pointer to `size` numbers an element; loading allocates the array
  RV_LAYOUT_NUMBERS,       // the member is the `size` numbers themselves; for detail fields
  RV_LAYOUT_LIST,          // the member is an RvStateList; for detail fields of size 0
  RV_LAYOUT_PLANES,        // the member is `size` pointers, each to one number an element
  RV_LAYOUT_VERTEX_LANES,  // the member points to the lanes of the strands' vertices
  RV_LAYOUT_EDGE_LANES,    // of their edges; an edge belongs to the point before it, and the tip has the value 0
  RV_LAYOUT_STRAND_LANES,  // of the strands; for primitive fields
} RvLayout;

// A field of any length.
typedef struct RvStateList {
  double* data;  // NULL while it is empty
  size_t count;
} RvStateList;

// One array of a solver's state. Saved fields are written to attributes and read again without loss; the others are
// rebuilt.
typedef struct RvFieldDef {
  const char* name;  // attribute name; solver-private ones begin with rv_
  RvOwner owner;
  RvStorage storage;
  int size;  // numbers an element; 0: a list of any length, which is absent while it is empty
  RvTag tag;
  // Part of the solver's state, "strands" or "liquid": its fields are all present or all absent. "": always present.
  const char* group;
  const char* unit;
  const char* producer;  // the stage that writes it
  bool saved;
  const char* help;  // one sentence for the manual
  RvLayout layout;
  size_t member;  // offset in the solver's data, or in the struct that `holder` points to; not used by RV_LAYOUT_OWN
  bool held;      // the solver's data have a pointer to the struct with the member
  size_t holder;  // offset of that pointer
  int width;      // lanes: rows of the member for each vertex, edge or strand
  int component;  // lanes: the first of them that is the field's
  bool scaled;    // lanes: attribute = member / RvStateLanes.scale
  // Lanes and RV_LAYOUT_NUMBERS: 64-bit numbers outside of [least, most] are refused. Both 0: all finite ones are
  // taken.
  double least, most;
  // RV_LAYOUT_PLANES: the field is absent while its pointers are NULL.
  bool optional;
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

// A row with any layout; the last arguments say where the numbers are: RV_AT and RV_IN_LANES, or other initializers.
#define RV_FIELD_AT(field, of, type, numbers, kind, part, units, stage, text, ...)                           \
  {                                                                                                          \
    .name = field, .owner = of, .storage = type, .size = numbers, .tag = kind, .group = part, .unit = units, \
    .producer = stage, .saved = true, .help = text, __VA_ARGS__                                              \
  }
// The member `m` of the solver's data.
#define RV_AT(Data, m) .member = offsetof(Data, m)
// The member `m` of a struct `Held` that `pointer` in the solver's data points to.
#define RV_AT_HELD(Data, pointer, Held, m) .held = true, .holder = offsetof(Data, pointer), .member = offsetof(Held, m)
// Rows of lanes from `first` on, of `rows` a vertex, edge or strand.
#define RV_IN_LANES(how, rows, first) .layout = how, .width = rows, .component = first
// Number of the rows of a list such as RV_LIQUID_FIELDS(""), as a constant.
#define RV_FIELD_COUNT(...) (sizeof((const RvFieldDef[]){__VA_ARGS__}) / sizeof(RvFieldDef))

// Adds every missing saved field, filled with zeros, and the schema number. Fails on a field of another owner, storage
// or size.
RV_API RvResult rv_state_prepare(RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// Checks that the schema is known and each saved field is present with its exact storage and size; the error names the
// field. Call it for every state that comes from outside.
RV_API RvResult rv_state_check(const RvDetail* detail, const RvFieldDef* fields, size_t count, RvError* error);
// Hash of every byte of every saved field, of the counts and of the topology of every part: the one hash of a state, in
// reports, checkpoints and rv_sim_hash. Absent parts do not enter it, so a solver of several parts that has only one
// has the hash of the solver of that part alone. 0: out of memory; no state has the hash 0.
RV_API uint64_t rv_state_hash(const RvState* state, const RvFieldDef* fields, size_t count);
// Frees the parts and zeroes the state.
RV_API void rv_state_free(RvState* state);
// Copies a state; values are shared until one of the copies is written.
RV_API RvResult rv_state_copy(const RvState* state, RvState* out, RvError* error);
// True if no part is present.
RV_API bool rv_state_empty(const RvState* state);
// Loads the fields of the layouts RV_LAYOUT_ARRAY, RV_LAYOUT_NUMBERS and RV_LAYOUT_LIST from a state into `data`;
// arrays are allocated, with one element for each of the detail's.
RV_API RvResult rv_state_load(const RvDetail* detail, const RvFieldDef* fields, size_t count, void* data,
                              RvError* error);
// Saves the same fields of `data` to the attributes of a state, bit for bit. The detail must have as many elements as
// the arrays.
RV_API RvResult rv_state_save(RvDetail* detail, const RvFieldDef* fields, size_t count, const void* data,
                              RvError* error);
// Frees the arrays and lists that rv_state_load allocated.
RV_API void rv_state_release(const RvFieldDef* fields, size_t count, void* data);
// Removes the solver's private attributes and groups, whose names begin with rv_, unless `keepstate`.
RV_API void rv_state_strip(RvDetail* detail, bool keepstate);
// Takes over an artist's edits. `rounded` is what the artist sees, `exact` what the solver stores, relative to `origin`
// (`size` numbers; NULL: zero). Where (float)(origin + exact) differs from `rounded`, the edit wins: exact = rounded -
// origin. Returns the number of edited elements.
RV_API size_t rv_state_reconcile(const float* rounded, double* exact, size_t count, int size, const double* origin);

#ifdef __cplusplus
}
#endif
#endif
