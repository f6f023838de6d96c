// Small files that ask for much: each would take gigabytes if one kind of copy were made without being charged. The
// process may have 2 GiB, so that a reader that lost its measure ends in "out of memory" here and not in a swap file.
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include "geo/io_houdini.h"
#include "rivulet/geo.h"
#include "support/rv_test.h"
#include "support/sanitized.h"

typedef struct Bytes {
  uint8_t* data;
  size_t count, capacity;
} Bytes;

static void raw(Bytes* b, const void* value, size_t size) {
  if (b->count + size > b->capacity) {
    b->capacity = 2 * (b->count + size);
    b->data = realloc(b->data, b->capacity);
    assert_non_null(b->data);
  }
  memcpy(b->data + b->count, value, size);
  b->count += size;
}

static void byte(Bytes* b, int value) {
  uint8_t one = (uint8_t)value;
  raw(b, &one, 1);
}

static void word(Bytes* b, const char* text) {
  byte(b, 0x27);
  byte(b, (int)strlen(text));
  raw(b, text, strlen(text));
}

static void whole(Bytes* b, int32_t value) {
  byte(b, 0x13);
  raw(b, &value, 4);
}

static void length(Bytes* b, uint32_t value) {
  byte(b, 0xf4);
  raw(b, &value, 4);
}

// a token whose text is `size` letters
static void define(Bytes* b, uint32_t id, size_t size) {
  byte(b, 0x2b);
  length(b, id);
  length(b, (uint32_t)size);
  for (size_t i = 0; i < size; ++i) byte(b, 'x');
}

static void use(Bytes* b, int id) {
  byte(b, 0x26);
  byte(b, id);
}

static void open(Bytes* b, const char* key) {
  if (key) word(b, key);
  byte(b, '[');
}

static void close(Bytes* b, int count) {
  for (int i = 0; i < count; ++i) byte(b, ']');
}

static void head(Bytes* b, int32_t points, int32_t vertices, int32_t prims) {
  word(b, "pointcount");
  whole(b, points);
  word(b, "vertexcount");
  whole(b, vertices);
  word(b, "primitivecount");
  whole(b, prims);
  open(b, "topology");
  open(b, "pointref");
  word(b, "indices");
  byte(b, 0x40);
  byte(b, 0x13);
  length(b, (uint32_t)vertices);
  for (int32_t i = 0; i < vertices; ++i) raw(b, &i, 4);
  close(b, 2);
}

static Bytes begin(int32_t points, int32_t vertices, int32_t prims) {
  Bytes b = {0};
  raw(&b, "\x7fNSJb[", 6);
  head(&b, points, vertices, prims);
  return b;
}

static void definition(Bytes* b, const char* type, const char* name) {
  open(b, NULL);
  word(b, "type");
  word(b, type);
  word(b, "name");
  if (name) word(b, name);
}

// decodes and frees the bytes; `part` NULL: it must end well
static RvDetail* decode(Bytes* b, RvResult code, const char* part) {
  RvError error = {0};
  RvDetail* detail = NULL;
  close(b, 1);
  // the files are small: that is what they are here for
  assert_true(b->count < 1 << 20);
  RvResult result = rv_detail_decode(b->data, b->count, &detail, NULL, &error);
  free(b->data);
  if (part)
    CHECK_FAILS(result, code, error, part);
  else
    CHECK_OK(result, error);
  return detail;
}

static void one_long_text_many_times(void** state) {
  (void)state;
  Bytes b = begin(0, 0, 0);
  define(&b, 0, 32768);
  open(&b, "attributes");
  open(&b, "pointattributes");
  open(&b, NULL);
  definition(&b, "string", "label");
  close(&b, 1);
  open(&b, NULL);
  open(&b, "strings");
  for (int i = 0; i < 100000; ++i) use(&b, 0);
  close(&b, 5);
  decode(&b, RV_LIMIT, "texts");
}

// the knots of the run fit none of its curves: all are read, with knots of their own
static void long_knots_of_short_curves(void** state) {
  (void)state;
  enum { CURVES = 40000, KNOTS = 8192 };
  Bytes b = begin(4, 4, CURVES);
  open(&b, "primitives");
  open(&b, NULL);
  open(&b, NULL);
  word(&b, "type");
  word(&b, "run");
  word(&b, "runtype");
  word(&b, "NURBCurve");
  open(&b, "varyingfields");
  word(&b, "vertex");
  close(&b, 1);
  open(&b, "uniformfields");
  open(&b, "basis");
  word(&b, "knots");
  byte(&b, 0x40);
  byte(&b, 0x19);
  length(&b, KNOTS);
  for (int i = 0; i < KNOTS; ++i) raw(&b, &(float){(float)i}, 4);
  close(&b, 3);
  open(&b, NULL);
  for (int i = 0; i < CURVES; ++i) raw(&b, "[\x40\x11\x04\x00\x01\x02\x03]", 9);
  close(&b, 3);
  RvDetail* detail = decode(&b, RV_OK, NULL);
  assert_int_equal(rv_detail_count(detail, RV_PRIM), CURVES);
  // one span of a cubic, four segments
  assert_int_equal(rv_detail_prim_start(detail)[CURVES], 5 * CURVES);
  rv_detail_free(detail);
}

static void packed_run(Bytes* b, int count, int token) {
  open(b, "primitives");
  open(b, NULL);
  open(b, NULL);
  word(b, "type");
  word(b, "run");
  word(b, "runtype");
  word(b, "PackedGeometry");
  open(b, "varyingfields");
  word(b, "vertex");
  close(b, 1);
  open(b, "uniformfields");
  open(b, "parameters");
  word(b, "embedded");
  use(b, token);
  close(b, 3);
  open(b, NULL);
  for (int i = 0; i < count; ++i) raw(b, "[\x11\x00]", 4);
  close(b, 3);
}

static void long_texts_of_packed_primitives(void** state) {
  (void)state;
  enum { COUNT = 40000 };
  Bytes b = begin(1, 1, COUNT);
  define(&b, 0, 65536);
  packed_run(&b, COUNT, 0);
  decode(&b, RV_LIMIT, "packed primitives");
}

static void long_names(void** state) {
  (void)state;
  static const char* const owners[] = {"pointattributes", "vertexattributes", "primitiveattributes",
                                       "globalattributes"};
  for (int i = 0; i < 4; ++i) {
    Bytes b = begin(0, 0, 0);
    define(&b, 0, 65536);
    open(&b, "attributes");
    open(&b, owners[i]);
    open(&b, NULL);
    definition(&b, "numeric", NULL);
    use(&b, 0);
    close(&b, 4);
    decode(&b, RV_BAD_FILE, "name: a text of 65536 bytes; 1023 are allowed");
  }
  static const char* const groups[] = {"pointgroups", "vertexgroups", "primitivegroups", "edgegroups"};
  for (int i = 0; i < 4; ++i) {
    Bytes b = begin(0, 0, 0);
    define(&b, 0, 1024);
    open(&b, groups[i]);
    open(&b, NULL);
    open(&b, NULL);
    word(&b, "name");
    use(&b, 0);
    close(&b, 3);
    decode(&b, RV_BAD_FILE, "name: a text of 1024 bytes");
  }
}

static void tokens_with_far_ids(void** state) {
  (void)state;
  Bytes b = begin(0, 0, 0);
  for (uint32_t i = 1; i < 20000; ++i) define(&b, i * 65000, 1);
  decode(&b, RV_BAD_FILE, "token");
}

static void wide_attributes_of_no_points(void** state) {
  (void)state;
  Bytes b = begin(0, 0, 0);
  open(&b, "attributes");
  open(&b, "pointattributes");
  for (int i = 0; i < 8000; ++i) {
    char name[16];
    snprintf(name, sizeof name, "a%d", i);
    open(&b, NULL);
    definition(&b, "numeric", name);
    close(&b, 1);
    open(&b, NULL);
    word(&b, "storage");
    word(&b, "fpreal64");
    word(&b, "size");
    whole(&b, 65536);
    close(&b, 2);
  }
  close(&b, 2);
  decode(&b, RV_LIMIT, "attribute defaults");
}

// an empty geometry, packed often, each copy with all the attributes of its primitive
static void many_names_on_empty_copies(void** state) {
  (void)state;
  enum { COUNT = 120000, NAMES = 100 };
  Bytes b = begin(1, 1, COUNT);
  define(&b, 0, 1);
  open(&b, "attributes");
  open(&b, "primitiveattributes");
  for (int i = 0; i < NAMES; ++i) {
    char name[16];
    snprintf(name, sizeof name, "a%d", i);
    open(&b, NULL);
    definition(&b, "numeric", name);
    close(&b, 1);
    open(&b, NULL);
    close(&b, 2);
  }
  close(&b, 2);
  packed_run(&b, COUNT, 0);
  open(&b, "sharedprimitivedata");
  open(&b, "PackedGeometry");
  word(&b, "gu:embeddedgeo");
  use(&b, 0);
  open(&b, NULL);
  head(&b, 0, 0, 0);
  close(&b, 3);
  decode(&b, RV_LIMIT, "attributes of packed primitives");
}

// a container that grows a hundredfold around a reader that grows a thousandfold is measured by its own size
static void limits_do_not_multiply(void** state) {
  (void)state;
  enum { POINTS = 10000000 };
  RvError error = {0};
  RvDetail* detail = NULL;
  Bytes b = begin(POINTS, 0, 0);
  open(&b, "attributes");
  open(&b, "pointattributes");
  open(&b, NULL);
  definition(&b, "numeric", "P");
  close(&b, 1);
  open(&b, NULL);
  word(&b, "size");
  whole(&b, 3);
  open(&b, "values");
  word(&b, "size");
  whole(&b, 3);
  word(&b, "pagesize");
  whole(&b, INT32_MAX);
  open(&b, "constantpageflags");
  raw(&b, "\x40\x11\x01\x01", 4);
  close(&b, 1);
  word(&b, "rawpagedata");
  raw(&b, "\x40\x19\x03", 3);
  for (int i = 0; i < 3; ++i) raw(&b, &(float){1}, 4);
  close(&b, 5);
  // a megabyte of one letter, which packs to a few thousand bytes
  word(&b, "info");
  byte(&b, 0x27);
  length(&b, 1000000);
  for (int i = 0; i < 1000000; ++i) byte(&b, ' ');
  close(&b, 1);
  void* packed;
  size_t count;
  CHECK_OK(rv_container_pack(b.data, b.count, &packed, &count, &error), error);
  assert_true(count < 20000);
  CHECK_FAILS(rv_detail_decode(packed, count, &detail, NULL, &error), RV_LIMIT, error, "size on disk");
  // the same bytes as they are may become as much: 1024 times a megabyte
  CHECK_OK(rv_detail_decode(b.data, b.count, &detail, NULL, &error), error);
  assert_int_equal(rv_detail_count(detail, RV_POINT), POINTS);
  rv_detail_free(detail);
  rv_free(packed);
  free(b.data);
}

int main(void) {
#if !defined(SANITIZED) && !defined(_WIN32)
  struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
  if (setrlimit(RLIMIT_AS, &limit)) return 1;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_long_text_many_times),
                                     cmocka_unit_test(long_knots_of_short_curves),
                                     cmocka_unit_test(long_texts_of_packed_primitives),
                                     cmocka_unit_test(long_names),
                                     cmocka_unit_test(tokens_with_far_ids),
                                     cmocka_unit_test(wide_attributes_of_no_points),
                                     cmocka_unit_test(many_names_on_empty_copies),
                                     cmocka_unit_test(limits_do_not_multiply)};
  return rv_test_run(tests, sizeof tests / sizeof *tests);
}
