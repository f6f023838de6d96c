// Attributes as USD values: types, tuples and primvars.
#include <math.h>
#include <string.h>

#include "geo/half.h"
#include "geo/text.h"
#include "geo/usda.h"
#include "shim/number.h"

// Appends bytes to the current sample.
static void put_bytes(RvUsda* usda, const char* bytes, size_t count) {
  if (usda->failed) return;
  if (usda->used + count > usda->capacity &&
      !rv_array_reserve_bytes((void**)&usda->text, &usda->capacity, usda->used, usda->used + count, 1)) {
    usda->failed = true;
    return;
  }
  memcpy(usda->text + usda->used, bytes, count);
  usda->used += count;
}

void rv_usda_put(RvUsda* usda, const char* text) {
  put_bytes(usda, text, strlen(text));
}

// Digits from the last one on; unsigned arithmetic, as the least int64 has no negative.
void rv_usda_put_int(RvUsda* usda, int64_t value) {
  char digits[24];  // sign and 19 digits at most
  size_t at = sizeof digits;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    digits[--at] = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude);
  if (value < 0) digits[--at] = '-';
  put_bytes(usda, digits + at, sizeof digits - at);
}

// Appends USD's word for a value that is not finite; false if it is finite.
static bool put_special(RvUsda* usda, double value) {
  if (isfinite(value)) return false;
  rv_usda_put(usda, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  return true;
}

void rv_usda_put_f32(RvUsda* usda, float value) {
  char text[RV_NUMBER_TEXT];
  if (!put_special(usda, value)) put_bytes(usda, text, rv_number_print_f32(text, value));
}

void rv_usda_put_f64(RvUsda* usda, double value) {
  char text[RV_NUMBER_TEXT];
  if (!put_special(usda, value)) put_bytes(usda, text, rv_number_print_f64(text, value));
}

//---------------------------------------------------------------------------------------------- types

// How an element is written: as one USD value of `width` numbers, or as `per_element` single values (elementSize).
typedef struct Form {
  char type[24];    // USD type of a value, without []
  int width;        // numbers of a value; 1 for a scalar
  int per_element;  // values of an element
  int matrix;       // rows of a matrix, else 0
  bool quaternion;
} Form;

// USD's role type of a tuple of reals with this size and tag ("point3", to be followed by the letter of the
// precision), or NULL if it has none.
static const char* role_of(int size, RvTag tag) {
  static const struct {
    int size;
    RvTag tag;
    const char* role;
  } roles[] = {{3, RV_TAG_POINT, "point3"}, {3, RV_TAG_VECTOR, "vector3"},    {3, RV_TAG_NORMAL, "normal3"},
               {3, RV_TAG_COLOR, "color3"}, {3, RV_TAG_TEXTURE, "texCoord3"}, {4, RV_TAG_QUATERNION, "quat"},
               {4, RV_TAG_COLOR, "color4"}, {2, RV_TAG_TEXTURE, "texCoord2"}};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i)
    if (roles[i].size == size && roles[i].tag == tag) return roles[i].role;
  return NULL;
}

enum { MATRIX3_SIZE = 9, MATRIX4_SIZE = 16 };  // numbers of a matrix

// The form of an attribute: by its tag where USD has a role type for it, else a tuple of 2 to 4 numbers, else scalars.
static Form form_of(const RvAttrib* attrib) {
  static const char* const scalars[RV_STORAGE_COUNT] = {"half", "float", "double", "int", "int", "int64", "string"};
  static const char letters[RV_STORAGE_COUNT] = {'h', 'f', 'd', 0, 0, 0, 0};  // of the precision; reals only
  Form form = {.width = 1, .per_element = attrib->size};
  int size = attrib->size;
  char letter = letters[attrib->storage];
  const char* role = letter ? role_of(size, attrib->tag) : NULL;
  bool matrix3 = size == MATRIX3_SIZE && attrib->tag == RV_TAG_MATRIX3;
  bool matrix4 = size == MATRIX4_SIZE && attrib->tag == RV_TAG_MATRIX;
  form.quaternion = role && attrib->tag == RV_TAG_QUATERNION;
  if (letter && (matrix3 || matrix4)) {
    // USD has matrices in double only.
    form.matrix = matrix3 ? 3 : 4;
    form.width = size;
    form.per_element = 1;
    snprintf(form.type, sizeof form.type, "matrix%dd", form.matrix);
  } else if (role) {
    form.width = size;
    form.per_element = 1;
    snprintf(form.type, sizeof form.type, "%s%c", role, letter);
  } else if (size >= 2 && size <= 4 && attrib->storage != RV_I64 && attrib->storage != RV_STRING) {
    form.width = size;
    form.per_element = 1;
    snprintf(form.type, sizeof form.type, "%s%d", scalars[attrib->storage], size);
  } else {
    snprintf(form.type, sizeof form.type, "%s", scalars[attrib->storage]);
  }
  return form;
}

// Appends one number or string of an attribute.
static void put_number(RvUsda* usda, const RvAttrib* attrib, size_t element, int component) {
  size_t at = element * (size_t)attrib->size + (size_t)component;
  const void* data = attrib->values->data;
  // Reals as the shortest decimal of their own precision; strings quoted.
  switch (attrib->storage) {
    case RV_F16:
      rv_usda_put_f32(usda, rv_half_to_float(((const uint16_t*)data)[at]));
      break;
    case RV_F32:
      rv_usda_put_f32(usda, ((const float*)data)[at]);
      break;
    case RV_F64:
      rv_usda_put_f64(usda, ((const double*)data)[at]);
      break;
    case RV_I8:
      rv_usda_put_int(usda, ((const int8_t*)data)[at]);
      break;
    case RV_I32:
      rv_usda_put_int(usda, ((const int32_t*)data)[at]);
      break;
    case RV_I64:
      rv_usda_put_int(usda, ((const int64_t*)data)[at]);
      break;
    default: {
      char* quoted = rv_text_usda_string(rv_attrib_string(attrib, element, component));
      usda->failed |= !quoted;
      if (quoted) rv_usda_put(usda, quoted);
      rv_free(quoted);
    }
  }
}

// Appends one USD value: a scalar, a tuple, or a matrix by rows.
static void put_value(RvUsda* usda, const RvAttrib* attrib, const Form* form, size_t element, int first) {
  if (form->width == 1) {
    put_number(usda, attrib, element, first);
    return;
  }
  rv_usda_put(usda, form->matrix ? "( (" : "(");
  for (int c = 0; c < form->width; ++c) {
    if (c) rv_usda_put(usda, form->matrix && c % form->matrix == 0 ? "), (" : ", ");
    // Houdini's quaternion is (x, y, z, w), USD's (w, x, y, z).
    put_number(usda, attrib, element, form->quaternion ? (c + 3) % 4 : c);
  }
  rv_usda_put(usda, form->matrix ? ") )" : ")");
}

// The default of a value, in frames without the attribute: zeros, no text, no rotation.
static const char* missing_value(const RvAttrib* attrib, const Form* form) {
  static const char* const zeros[] = {"", "0", "(0, 0)", "(0, 0, 0)", "(0, 0, 0, 0)"};
  if (form->matrix == 3) return "( (0, 0, 0), (0, 0, 0), (0, 0, 0) )";
  if (form->matrix) return "( (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0) )";
  if (form->quaternion) return "(1, 0, 0, 0)";
  return attrib->storage == RV_STRING ? "\"\"" : zeros[form->width];
}

RvResult rv_usda_add_primvar(RvUsda* usda, RvUsdaKind kind, const RvAttrib* attrib, const int32_t* index, size_t count,
                             const char* interpolation, RvError* error) {
  Form form = form_of(attrib);
  // The values; a detail attribute of one value is no array.
  bool array = attrib->owner != RV_GLOBAL || form.per_element > 1;
  if (array) rv_usda_put(usda, "[");
  for (size_t i = 0; i < count; ++i) {
    size_t element = index ? (size_t)index[i] : i;
    for (int c = 0; c < form.per_element; ++c) {
      if (i || c) rv_usda_put(usda, ", ");
      put_value(usda, attrib, &form, element, c);
    }
  }
  if (array) rv_usda_put(usda, "]");
  // Color and opacity have names of their own in USD.
  const char* wanted = attrib->name;
  if (strcmp(wanted, "Cd") == 0 && form.width == 3) wanted = "displayColor";
  if (strcmp(wanted, "Alpha") == 0 && attrib->size == 1) wanted = "displayOpacity";
  // The key has the owner, as attributes of two owners may have one name.
  char* key = rv_strf("%d %s", (int)attrib->owner, attrib->name);
  char* name = key ? rv_usda_unique_name(usda, kind, key, wanted, attrib->owner) : NULL;
  char* type = rv_strf("%s%s", form.type, array ? "[]" : "");
  char* metadata = form.per_element > 1 ? rv_strf("elementSize = %d\n            interpolation = \"%s\"",
                                                  form.per_element, interpolation)
                                        : rv_strf("interpolation = \"%s\"", interpolation);
  RvResult result = name && type && metadata ? rv_usda_sample(usda, kind, key, name, type, metadata, error)
                                             : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) rv_usda_set_missing(usda, kind, key, attrib->owner, form.per_element, missing_value(attrib, &form));
  rv_free(key);
  rv_free(name);
  rv_free(type);
  rv_free(metadata);
  return result;
}
