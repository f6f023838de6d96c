// Hand-made .bgeo bytes: every storage, pages, byte order, short names of runs. The little builder below knows the
// format by itself (reference C.2) and shares nothing with the writer.
#include <string.h>

#include "rivulet/geo.h"
#include "support/rv_test.h"

typedef struct Bytes {
  uint8_t data[65536];
  size_t count;
  bool big;
} Bytes;

static void raw(Bytes* b, const void* value, size_t size) {
  const uint8_t* p = value;
  assert_true(b->count + size < sizeof b->data);
  for (size_t i = 0; i < size; ++i) b->data[b->count++] = p[b->big ? size - 1 - i : i];
}

static void byte(Bytes* b, int value) {
  b->data[b->count++] = (uint8_t)value;
}

static void open_array(Bytes* b) {
  byte(b, '[');
}

static void close_array(Bytes* b) {
  byte(b, ']');
}

static void word(Bytes* b, const char* text) {
  byte(b, 0x27);
  byte(b, (int)strlen(text));
  for (; *text; ++text) byte(b, *text);
}

static void whole(Bytes* b, int32_t value) {
  byte(b, 0x13);
  raw(b, &value, 4);
}

static void uniform(Bytes* b, int type, size_t size, size_t count, const void* values) {
  uint16_t length = (uint16_t)count;
  byte(b, 0x40);
  byte(b, type);
  byte(b, 0xf2);
  raw(b, &length, 2);
  for (size_t i = 0; i < count; ++i) raw(b, (const uint8_t*)values + i * size, size);
}

static void key_int(Bytes* b, const char* key, int32_t value) {
  word(b, key);
  whole(b, value);
}

static void begin(Bytes* b, bool big, int32_t points, int32_t vertices, int32_t prims, const int32_t* indices) {
  const uint32_t magic = 0x624a534e;
  b->count = 0;
  b->big = big;
  byte(b, 0x7f);
  raw(b, &magic, 4);
  open_array(b);
  key_int(b, "pointcount", points);
  key_int(b, "vertexcount", vertices);
  key_int(b, "primitivecount", prims);
  word(b, "topology");
  open_array(b);
  word(b, "pointref");
  open_array(b);
  word(b, "indices");
  uniform(b, 0x13, 4, (size_t)vertices, indices);
  close_array(b);
  close_array(b);
}

// [definition, [size, storage, values [size, storage, pagesize ...
static void begin_attrib(Bytes* b, const char* name, int32_t size, const char* storage, int32_t page) {
  open_array(b);
  open_array(b);
  word(b, "type");
  word(b, "numeric");
  word(b, "name");
  word(b, name);
  close_array(b);
  open_array(b);
  key_int(b, "size", size);
  word(b, "storage");
  word(b, storage);
  word(b, "values");
  open_array(b);
  key_int(b, "size", size);
  word(b, "storage");
  word(b, storage);
  key_int(b, "pagesize", page);
}

static void end_attrib(Bytes* b) {
  close_array(b);
  close_array(b);
  close_array(b);
}

static void attrib(Bytes* b, const char* name, int32_t size, const char* storage, int type, size_t bytes, size_t count,
                   const void* values) {
  begin_attrib(b, name, size, storage, 1024);
  word(b, "rawpagedata");
  uniform(b, type, bytes, count, values);
  end_attrib(b);
}

static RvDetail* decode(const Bytes* b) {
  RvError error = {0};
  RvDetail* detail;
  CHECK_OK(rv_detail_decode(b->data, b->count, &detail, NULL, &error), error);
  CHECK_OK(rv_detail_check(detail, &error), error);
  return detail;
}

// three points, one open curve, every storage, a vertex group; in both byte orders
static void build_storages(Bytes* b, bool big) {
  static const int32_t indices[3] = {2, 0, 1};
  static const float p[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static const uint16_t half[3] = {0x3c00, 0xc000, 0x0001};
  static const double wide[3] = {1e-300, -0.1, 3};
  static const int64_t large[3] = {INT64_MIN, 0x0102030405060708, -1};
  static const int16_t shorts[3] = {-32768, 5, 32767};
  static const uint8_t small[3] = {0, 128, 255};
  static const int8_t tiny[3] = {-128, 0, 127};
  static const int8_t flags[3] = {1, 0, 1};
  begin(b, big, 3, 3, 1, indices);
  word(b, "attributes");
  open_array(b);
  word(b, "pointattributes");
  open_array(b);
  attrib(b, "P", 3, "fpreal32", 0x19, 4, 9, p);
  attrib(b, "half", 1, "fpreal16", 0x18, 2, 3, half);
  attrib(b, "wide", 1, "fpreal64", 0x1a, 8, 3, wide);
  attrib(b, "large", 1, "int64", 0x14, 8, 3, large);
  attrib(b, "short", 1, "int16", 0x12, 2, 3, shorts);
  attrib(b, "small", 1, "uint8", 0x21, 1, 3, small);
  attrib(b, "tiny", 1, "int8", 0x11, 1, 3, tiny);
  close_array(b);
  close_array(b);
  word(b, "primitives");
  open_array(b);
  open_array(b);
  open_array(b);
  word(b, "type");
  word(b, "c_r");
  close_array(b);
  open_array(b);
  key_int(b, "s_v", 0);
  key_int(b, "n_p", 1);
  word(b, "r_v");
  static const int32_t pair[2] = {3, 1};
  uniform(b, 0x13, 4, 2, pair);
  close_array(b);
  close_array(b);
  close_array(b);
  word(b, "vertexgroups");
  open_array(b);
  open_array(b);
  open_array(b);
  word(b, "name");
  word(b, "ends");
  close_array(b);
  open_array(b);
  word(b, "selection");
  open_array(b);
  word(b, "unordered");
  open_array(b);
  word(b, "i8");
  uniform(b, 0x11, 1, 3, flags);
  for (int i = 0; i < 6; ++i) close_array(b);
}

static void every_storage_in_both_byte_orders(void** state) {
  (void)state;
  static Bytes b;
  uint64_t hash = 0;
  for (int big = 0; big < 2; ++big) {
    build_storages(&b, big);
    RvDetail* d = decode(&b);
    assert_int_equal(rv_detail_prim_type(d, 0), RV_PRIM_CURVE);
    const int32_t points[3] = {2, 0, 1};
    assert_memory_equal(rv_detail_vertex_point(d), points, sizeof points);
    const RvAttrib* half = rv_detail_find(d, RV_POINT, "half");
    assert_int_equal(rv_attrib_storage(half), RV_F16);
    assert_true(rv_attrib_get(half, 0, 0) == 1 && rv_attrib_get(half, 1, 0) == -2 &&
                rv_attrib_get(half, 2, 0) == 0x1p-24);
    const double* wide = rv_detail_f64(d, RV_POINT, "wide", 1);
    assert_true(wide && wide[0] == 1e-300 && wide[1] == -0.1);
    const int64_t* large = rv_detail_i64(d, RV_POINT, "large", 1);
    assert_true(large && large[0] == INT64_MIN && large[1] == 0x0102030405060708);
    const int32_t *shorts = rv_detail_i32(d, RV_POINT, "short", 1), *small = rv_detail_i32(d, RV_POINT, "small", 1);
    assert_true(shorts && shorts[0] == -32768 && shorts[2] == 32767);
    assert_true(small && small[1] == 128 && small[2] == 255);
    const RvAttrib* tiny = rv_detail_find(d, RV_POINT, "tiny");
    assert_true(rv_attrib_storage(tiny) == RV_I8 && rv_attrib_get(tiny, 0, 0) == -128);
    const uint8_t* ends = rv_group_read(rv_detail_find_group(d, RV_VERTEX, "ends"));
    assert_true(ends[0] == 1 && ends[1] == 0 && ends[2] == 1);
    if (big) assert_true(rv_detail_hash(d) == hash);
    hash = rv_detail_hash(d);
    rv_detail_free(d);
  }
}

// 10 points in pages of 4 (the last has 2), packs of 3 and 1: page 1 of the first and pages 0, 2 of the second are
// constant; flags as bits of a word
static void pages_with_packs_and_constants(void** state) {
  (void)state;
  static Bytes b;
  for (int big = 0; big < 2; ++big) {
    float values[64], expected[10][4];
    size_t n = 0;
    for (int i = 0; i < 10; ++i)
      for (int c = 0; c < 4; ++c) expected[i][c] = (float)(10 * i + c);
    for (int i = 4; i < 8; ++i)
      for (int c = 0; c < 3; ++c) expected[i][c] = (float)(100 + c);
    for (int i = 0; i < 4; ++i) expected[i][3] = 7;
    for (int i = 8; i < 10; ++i) expected[i][3] = 9;
    for (int page = 0; page < 3; ++page) {
      int first = 4 * page, last = page == 2 ? 10 : first + 4;
      for (int i = first; i < (page == 1 ? first + 1 : last); ++i)
        for (int c = 0; c < 3; ++c) values[n++] = expected[i][c];
      for (int i = first; i < (page == 1 ? last : first + 1); ++i) values[n++] = expected[i][3];
    }
    begin(&b, big, 10, 0, 0, NULL);
    word(&b, "attributes");
    open_array(&b);
    word(&b, "pointattributes");
    open_array(&b);
    begin_attrib(&b, "orient", 4, "fpreal32", 4);
    word(&b, "packing");
    static const int32_t packing[2] = {3, 1};
    uniform(&b, 0x13, 4, 2, packing);
    word(&b, "constantpageflags");
    open_array(&b);
    static const uint32_t flags[2] = {2, 5};
    for (int pack = 0; pack < 2; ++pack) {
      byte(&b, 0x40);
      byte(&b, 0x10);
      byte(&b, 3);
      raw(&b, &flags[pack], 4);
    }
    close_array(&b);
    word(&b, "rawpagedata");
    uniform(&b, 0x19, 4, n, values);
    end_attrib(&b);
    close_array(&b);
    close_array(&b);
    close_array(&b);
    RvDetail* d = decode(&b);
    const float* got = rv_detail_f32(d, RV_POINT, "orient", 4);
    assert_non_null(got);
    assert_memory_equal(got, expected, sizeof expected);
    rv_detail_free(d);
  }
}

// real numbers where integers are stored, and the other way round, are converted
static void values_of_another_type(void** state) {
  (void)state;
  static Bytes b;
  static const double reals[2] = {3, -4.75};
  static const int32_t ints[2] = {16777217, -2};
  begin(&b, false, 2, 0, 0, NULL);
  word(&b, "attributes");
  open_array(&b);
  word(&b, "pointattributes");
  open_array(&b);
  attrib(&b, "i", 1, "int32", 0x1a, 8, 2, reals);
  attrib(&b, "f", 1, "fpreal64", 0x13, 4, 2, ints);
  close_array(&b);
  close_array(&b);
  close_array(&b);
  RvDetail* d = decode(&b);
  const int32_t* i = rv_detail_i32(d, RV_POINT, "i", 1);
  const double* f = rv_detail_f64(d, RV_POINT, "f", 1);
  assert_true(i[0] == 3 && i[1] == -4 && f[0] == 16777217 && f[1] == -2);
  rv_detail_free(d);
}

static void lying_counts_are_refused(void** state) {
  (void)state;
  static Bytes b;
  static const float p[3] = {0, 0, 0};
  RvDetail* detail;
  // two thousand million points in a few bytes, by constant pages
  begin(&b, false, 2000000000, 0, 0, NULL);
  word(&b, "attributes");
  open_array(&b);
  word(&b, "pointattributes");
  open_array(&b);
  attrib(&b, "P", 3, "fpreal32", 0x19, 4, 3, p);
  close_array(&b);
  close_array(&b);
  close_array(&b);
  RvError error = {0};
  CHECK_FAILS(rv_detail_decode(b.data, b.count, &detail, NULL, &error), RV_LIMIT, error, "pointcount");
  assert_null(detail);
  // an array longer than the file
  begin(&b, false, 3, 0, 0, NULL);
  word(&b, "attributes");
  open_array(&b);
  word(&b, "pointattributes");
  open_array(&b);
  begin_attrib(&b, "v", 3, "fpreal32", 1024);
  word(&b, "rawpagedata");
  byte(&b, 0x40);
  byte(&b, 0x19);
  byte(&b, 0xf8);
  const uint64_t many = UINT64_C(1) << 60;
  raw(&b, &many, 8);
  error = (RvError){0};
  CHECK_FAILS(rv_detail_decode(b.data, b.count, &detail, NULL, &error), RV_BAD_FILE, error, "pointattributes 'v'");
}

RV_TESTS(cmocka_unit_test(every_storage_in_both_byte_orders), cmocka_unit_test(pages_with_packs_and_constants),
         cmocka_unit_test(values_of_another_type), cmocka_unit_test(lying_counts_are_refused))
