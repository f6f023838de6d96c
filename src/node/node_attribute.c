// Attribute: sets one attribute to a constant, a ramp, a list, random numbers, or a value within a box.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/platform.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "node/define.h"
#include "node/groom/curveu.h"
#include "node/shape/select.h"

#define ATTRIBUTE_PARMS(X)                                                                                            \
  X(STRING, name, "Name", "attrib1", "Name of the attribute. A missing attribute is created.")                        \
  X(MENU, class, "Class", 0, "point=Point|vertex=Vertex|prim=Primitive|detail=Detail",                                \
    "Element that carries the attribute.")                                                                            \
  X(MENU, type, "Type", 0, "float=Float|int=Integer|string=String|double=Double|int64=Integer 64 bit",                \
    "Type of a new attribute; an existing one keeps its own.")                                                        \
  X(INT, size, "Size", 1, HARD(1), HARD(16), "", "Numbers of one element: 1 for a scalar, 3 for a vector or colour.") \
  X(MENU, typeinfo, "Qualifier", 0,                                                                                   \
    "none=None|point=Position|vector=Vector|normal=Normal|color=Color|quaternion=Quaternion",                         \
    "Meaning of a new attribute, by which transform moves it.")                                                       \
  X(MENU, mode, "Mode", 0,                                                                                            \
    "constant=Constant|ramp=Ramp over curveu|list=List|random=Random|axis=Ramp over an Axis|box=Box",                 \
    "Source of the values. Ramps multiply the Value, from root to tip of curves or along an axis through the whole "  \
    "geometry; a box gives the Value inside and 0 outside. Ramps and boxes are for points.")                          \
  X(VEC4, value, "Value", 0, 0, 0, 0, SOFT(0), SOFT(1), "",                                                           \
    "The constant, the factor of the ramp, or the smallest random value. Components beyond the fourth repeat the "    \
    "last.",                                                                                                          \
    HIDE("{ mode == list }"))                                                                                         \
  X(VEC4, valuemax, "Maximum", 1, 1, 1, 1, SOFT(0), SOFT(1), "", "Largest random value.", HIDE("{ mode != random }")) \
  X(STRING, string, "String", "", "Constant of a string attribute.")                                                  \
  X(RAMP, ramp, "Ramp", "0 0 linear, 1 1 linear",                                                                     \
    "Factor on the Value from root (left) to tip (right), or along the Axis.", HIDE("{ mode != ramp mode != axis }")) \
  X(VEC3, axis, "Axis", 0, 1, 0, SOFT(-1), SOFT(1), "",                                                               \
    "Direction of the ramp: it begins at the point that lies farthest back along it and ends at the farthest "        \
    "forward.",                                                                                                       \
    HIDE("{ mode != axis }"))                                                                                         \
  X(VEC3, boxmin, "Box Minimum", -1, -1, -1, SOFT(-10), SOFT(10), "m", "Lowest corner of the box.",                   \
    HIDE("{ mode != box }"))                                                                                          \
  X(VEC3, boxmax, "Box Maximum", 1, 1, 1, SOFT(-10), SOFT(10), "m", "Highest corner of the box.",                     \
    HIDE("{ mode != box }"))                                                                                          \
  X(FLOAT, falloff, "Falloff", 0, HARD(0), SOFT(0.1), "m",                                                            \
    "Distance outside the box over which the Value falls to 0, as for a soft hairline.", HIDE("{ mode != box }"))     \
  X(STRING, list, "List", "",                                                                                         \
    "Numbers, or words for strings, separated by spaces or commas, element after element. The list repeats when it "  \
    "ends.",                                                                                                          \
    HIDE("{ mode != list }"))                                                                                         \
  X(INT, seed, "Seed", 0, SOFT(0), SOFT(100), "",                                                                     \
    "Seed of the random numbers, which follow the attribute id if there is one.", HIDE("{ mode != random }"))         \
  X(STRING, group, "Group", "", "Elements to set: groups, numbers and ranges of points or primitives. Empty: all.")
RV_PARM_TABLE(AttributeParms, attribute_table, ATTRIBUTE_PARMS)

enum { CONSTANT, RAMP, LIST, RANDOM, AXIS, BOX };
enum { STREAM_VALUE = 50 };  // first random stream, one for each component

typedef RV_ARRAY(double) Numbers;
typedef RV_ARRAY(char*) Words;

// State of one cook.
typedef struct Setting {
  const AttributeParms* p;
  RvAttrib* attrib;
  size_t count;
  int size;
  uint8_t* mask;       // elements to set; NULL: all
  float* curveu;       // of points, for the ramp: share of the way along it
  const float* P;      // of points, for the box
  Numbers numbers;     // of the list
  Words words;         // of the list
  char* text;          // memory of the words
  const RvAttrib* id;  // key of the random numbers; NULL: the element number
} Setting;

// Splits the list into numbers or words.
static RvResult split_list(Setting* s, bool strings, RvError* error) {
  s->text = rv_strdup(s->p->list);
  if (!s->text) return rv_fail(error, RV_NO_MEMORY, "out of memory for the list");
  char* position = s->text;
  for (char* word = rv_platform_strsep(&position, " ,\t\n"); word; word = rv_platform_strsep(&position, " ,\t\n")) {
    if (!*word) continue;
    char* end = word;
    double value = strings ? 0 : strtod(word, &end);
    if (!strings && (*end || end == word || !isfinite(value)))
      return rv_fail(error, RV_BAD_INPUT, "list: \"%.40s\" is not a finite number", word);
    if (!(strings ? rv_array_push(&s->words, word) : rv_array_push(&s->numbers, value)))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the list");
  }
  if (!s->numbers.count && !s->words.count)
    return rv_fail(error, RV_BAD_INPUT, "list: the list is empty; give at least one value");
  return RV_OK;
}

// 1 within the box, falling to 0 over the falloff outside it.
static double box_share(const AttributeParms* p, RvVec3 x) {
  double outside = 0, place[3] = {x.x, x.y, x.z};
  for (int k = 0; k < 3; ++k) {
    double beyond = fmax(fmax(p->boxmin[k] - place[k], place[k] - p->boxmax[k]), 0);
    outside += beyond * beyond;
  }
  if (outside == 0) return 1;
  return p->falloff > 0 ? rv_smooth_step(1 - sqrt(outside) / p->falloff) : 0;
}

// Share of the way along the axis for every point; 0 for geometry without extent. NULL with an error.
static float* axis_shares(const RvDetail* detail, const AttributeParms* p, RvError* error) {
  size_t count = rv_detail_count(detail, RV_POINT);
  const float* P = rv_detail_f32(detail, RV_POINT, "P", 3);
  RvVec3 axis = rv_vec3_load64(p->axis);
  float* share = rv_alloc(count, sizeof *share);
  if (!share) {
    rv_fail(error, RV_NO_MEMORY, "out of memory for the ramp");
    return NULL;
  }
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    double along = rv_dot(axis, rv_vec3_load(P + 3 * i));
    low = fmin(low, along);
    high = fmax(high, along);
  }
  for (size_t i = 0; i < count; ++i)
    share[i] = high > low ? (float)((rv_dot(axis, rv_vec3_load(P + 3 * i)) - low) / (high - low)) : 0;
  return share;
}

// Value of component k of element i.
static double number_of(const Setting* s, size_t i, int k) {
  const AttributeParms* p = s->p;
  int c = k < 4 ? k : 3;
  switch (p->mode) {
    case RAMP:
    case AXIS:
      return p->value[c] * rv_ramp_eval(&p->ramp, s->curveu[i]);
    case LIST:
      return s->numbers.data[(i * (size_t)s->size + (size_t)k) % s->numbers.count];
    case BOX:
      return p->value[c] * box_share(p, rv_vec3_load(s->P + 3 * i));
    // Random numbers belong to ids, so that they stay when elements are added or deleted.
    case RANDOM: {
      uint64_t who = s->id ? (uint64_t)(int64_t)rv_attrib_get(s->id, i, 0) : i;
      return p->value[c] +
             (p->valuemax[c] - p->value[c]) * rv_random((uint64_t)p->seed, STREAM_VALUE + (uint64_t)k, who, 0);
    }
    default:
      return p->value[c];
  }
}

// Rounds to an integer within the range of the type; NaN becomes 0.
static int64_t whole(double x, double lo, double hi) {
  return x != x ? 0 : x <= lo ? (int64_t)lo : x >= hi ? (int64_t)hi : (int64_t)floor(x + 0.5);
}

// Reports a number that a 32-bit float cannot hold: it would become infinite, and all that reads it after it.
static RvResult too_large(const Setting* s, double x, RvError* error) {
  return rv_fail(error, RV_BAD_INPUT, "%s: %g is beyond 32-bit floats (3.4e38); use a smaller number or type double",
                 s->p->mode == LIST                         ? "list"
                 : s->p->mode == RAMP || s->p->mode == AXIS ? "ramp times value"
                                                            : "value",
                 x);
}

// Stores a number in the storage of the attribute.
static void put(void* values, RvStorage storage, size_t at, double x) {
  switch (storage) {
    case RV_F32:
      ((float*)values)[at] = (float)x;
      break;
    case RV_F64:
      ((double*)values)[at] = x;
      break;
    case RV_I8:
      ((int8_t*)values)[at] = (int8_t)whole(x, -128, 127);
      break;
    case RV_I32:
      ((int32_t*)values)[at] = (int32_t)whole(x, INT32_MIN, INT32_MAX);
      break;
    case RV_I64:
      ((int64_t*)values)[at] = whole(x, -0x1p62, 0x1p62);
      break;
    default:
      break;
  }
}

// Sets the elements of a string attribute.
static RvResult set_strings(Setting* s, RvError* error) {
  RvResult result = RV_OK;
  if (s->p->mode != CONSTANT && s->p->mode != LIST)
    return rv_fail(error, RV_BAD_INPUT, "mode: a string takes a constant or a list");
  for (size_t i = 0; result == RV_OK && i < s->count; ++i) {
    if (s->mask && !s->mask[i]) continue;
    for (int k = 0; result == RV_OK && k < s->size; ++k) {
      const char* word = s->p->string;
      if (s->p->mode == LIST) word = s->words.data[(i * (size_t)s->size + (size_t)k) % s->words.count];
      result = rv_attrib_set_string(s->attrib, i, k, word, error);
    }
  }
  return result;
}

// Sets the elements of the attribute.
static RvResult set_values(Setting* s, RvError* error) {
  RvStorage storage = rv_attrib_storage(s->attrib);
  if (storage == RV_STRING) return set_strings(s, error);
  if (storage == RV_F16)
    return rv_fail(error, RV_UNSUPPORTED, "name: '%s' has 16-bit floats, which cannot be set; choose another name",
                   s->p->name);
  // Numbers, rounded to the storage of the attribute.
  void* values = rv_attrib_write(s->attrib);
  if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute '%s'", s->p->name);
  for (size_t i = 0; i < s->count; ++i) {
    if (s->mask && !s->mask[i]) continue;
    for (int k = 0; k < s->size; ++k) {
      const double x = number_of(s, i, k);
      if (storage == RV_F32 && fabs(x) > FLT_MAX) return too_large(s, x, error);
      put(values, storage, i * (size_t)s->size + (size_t)k, x);
    }
  }
  return RV_OK;
}

// Finds the attribute, whatever its numeric type, or creates it.
static RvResult find_or_add(Setting* s, RvDetail* out, RvOwner owner, RvError* error) {
  static const RvStorage storages[] = {RV_F32, RV_I32, RV_STRING, RV_F64, RV_I64};
  static const RvTag tags[] = {RV_TAG_NONE,   RV_TAG_POINT, RV_TAG_VECTOR,
                               RV_TAG_NORMAL, RV_TAG_COLOR, RV_TAG_QUATERNION};
  const AttributeParms* p = s->p;
  if (!*p->name) return rv_fail(error, RV_BAD_INPUT, "name: give the attribute a name");
  // An existing attribute keeps its storage, which must be of the same kind and size.
  s->attrib = rv_detail_find_mutable(out, owner, p->name);
  if (!s->attrib)
    return rv_detail_add_attrib(out, owner, p->name, storages[p->type], (int)p->size, tags[p->typeinfo], &s->attrib,
                                error);
  if ((rv_attrib_storage(s->attrib) == RV_STRING) != (storages[p->type] == RV_STRING) ||
      rv_attrib_size(s->attrib) != p->size)
    return rv_fail(error, RV_BAD_INPUT,
                   "name: there is already a %s attribute '%s' of %d x %s; choose that type and size, or another name",
                   rv_owner_name(owner), p->name, rv_attrib_size(s->attrib),
                   rv_storage_name(rv_attrib_storage(s->attrib)));
  return RV_OK;
}

// Reads the selection, the ramp positions and the list.
static RvResult prepare(Setting* s, RvDetail* out, RvOwner owner, RvError* error) {
  RvOwner selected;
  RvResult result = RV_OK;
  // Elements that are set.
  if (*s->p->group && owner != RV_POINT && owner != RV_PRIM)
    return rv_fail(error, RV_BAD_INPUT, "group: only points and primitives have groups here");
  if (*s->p->group)
    result =
        rv_select(out, s->p->group, owner == RV_PRIM ? RV_SELECT_PRIMS : RV_SELECT_POINTS, &selected, &s->mask, error);
  // Positions of the ramp.
  if (result == RV_OK && (s->p->mode == RAMP || s->p->mode == AXIS || s->p->mode == BOX)) {
    if (owner != RV_POINT)
      return rv_fail(error, RV_BAD_INPUT, "mode: ramps and boxes are for points; set class to point");
    if (s->p->mode == RAMP) s->curveu = rv_curveu(out, error);
    if (s->p->mode == AXIS) s->curveu = axis_shares(out, s->p, error);
    if (s->p->mode != BOX && !s->curveu) return RV_NO_MEMORY;
  }
  // The attribute, and what its values depend on.
  if (result == RV_OK) result = find_or_add(s, out, owner, error);
  if (result != RV_OK) return result;
  s->count = rv_detail_count(out, owner);
  s->size = rv_attrib_size(s->attrib);
  s->P = rv_detail_f32(out, RV_POINT, "P", 3);
  const RvAttrib* id = rv_detail_find(out, owner, "id");
  s->id = id && rv_attrib_storage(id) != RV_STRING && id != s->attrib ? id : NULL;
  return s->p->mode == LIST ? split_list(s, rv_attrib_storage(s->attrib) == RV_STRING, error) : RV_OK;
}

// Copies the input and sets the attribute.
static RvResult cook(RvCook* cook, RvError* error) {
  static const RvOwner owners[] = {RV_POINT, RV_VERTEX, RV_PRIM, RV_GLOBAL};
  const AttributeParms* p = cook->parms;
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired");
  Setting s = {.p = p};
  RvDetail* out = rv_detail_copy(cook->input[0]);
  RvResult result = out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for a copy");
  if (result == RV_OK) result = prepare(&s, out, owners[p->class], error);
  if (result == RV_OK) result = set_values(&s, error);
  rv_node_give(cook, out, result);
  rv_free(s.mask);
  rv_free(s.curveu);
  rv_free(s.text);
  rv_array_free(&s.numbers);
  rv_array_free(&s.words);
  return result;
}

static const RvPortDef inputs[] = {{"geometry", "Geometry", "Geometry that gets the attribute.", true}};
static const RvPortDef outputs[] = {{"geometry", "Geometry", "The same geometry with the attribute.", false}};

RV_NODE_TYPE(attribute, "Attribute", "Geometry",
             "Sets an attribute to a constant, a ramp, a list, random numbers, or a value within a box.",
             "An existing attribute keeps its type. With a group, the other elements keep their values; in a new "
             "attribute they have 0 or the empty string. Without the attribute curveu the ramp runs over arc length.",
             RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
