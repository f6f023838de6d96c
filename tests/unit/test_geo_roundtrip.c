// What is written reads back bit for bit, whatever the bits; the bytes do not depend on the threads; containers hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/rng.h"
#include "geo/io_houdini.h"
#include "support/detail_compare.h"
#include "support/rv_test.h"

static const char* const formats[] = {"geo", "bgeo", "bgeo.sc"};

static void fill_bits(void* out, size_t bytes, uint64_t stream) {
  uint8_t* to = out;
  for (size_t i = 0; i < bytes; i += 16) {
    RvRandom4 r = rv_random4(7, stream, i);
    memcpy(to + i, r.v, bytes - i < 16 ? bytes - i : 16);
  }
}

// text knows one NaN of each sign: the bits below the first are not kept
static void plain_nans(RvStorage storage, void* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint16_t* h = (uint16_t*)values + i;
    float* f = (float*)values + i;
    double* d = (double*)values + i;
    if (storage == RV_F16 && (*h & 0x7fff) > 0x7c00) *h = (*h & 0x8000) | 0x7e00;
    if (storage == RV_F32 && isnan(*f)) *f = copysignf(NAN, *f);
    if (storage == RV_F64 && isnan(*d)) *d = copysign((double)NAN, *d);
  }
}

// curves and faces in turn, every owner, every storage, sizes 1 to 4 and 9, awkward names, groups
static RvDetail* make_detail(size_t nprim) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  size_t first;
  CHECK_OK(rv_detail_add_points(d, 3 * nprim + 5, &first, &error), error);
  for (size_t i = 0; i < nprim; ++i) {
    int32_t count = 1 + (int32_t)(i % 5), points[5];
    for (int k = 0; k < 5; ++k) points[k] = (int32_t)((i * 7 + (size_t)k * 3) % (3 * nprim));
    CHECK_OK(rv_detail_add_polygons(d, i / 3 % 2 ? RV_PRIM_CURVE : RV_PRIM_POLYGON, 1, &count, points, NULL, &error),
             error);
  }
  static const int sizes[] = {1, 2, 3, 4, 9};
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner) {
    for (int storage = 0; storage < RV_STRING; ++storage) {
      char name[32], group[32];
      RvAttrib* attrib;
      int size = sizes[(owner + storage) % 5];
      snprintf(name, sizeof name, "a%d_\xc3\xa9\"\\%d", owner, storage);
      CHECK_OK(rv_detail_add_attrib(d, (RvOwner)owner, name, (RvStorage)storage, size, (RvTag)(storage % RV_TAG_COUNT),
                                    &attrib, &error),
               error);
      size_t n = rv_attrib_count(attrib) * (size_t)size, bytes = rv_storage_bytes((RvStorage)storage);
      void* values = rv_attrib_write(attrib);
      fill_bits(values, n * bytes, (uint64_t)(owner * 10 + storage));
      plain_nans((RvStorage)storage, values, n);
      uint64_t standard[9] = {0};
      fill_bits(standard, (size_t)size * bytes, 99);
      plain_nans((RvStorage)storage, standard, (size_t)size);
      // a default goes through double in the file: a NaN of a half or a float keeps its sign
      CHECK_OK(rv_attrib_set_default(attrib, standard, &error), error);
      RvGroup* g;
      snprintf(group, sizeof group, "g%d", storage);
      if (owner == RV_GLOBAL || storage > 1) continue;
      CHECK_OK(rv_detail_add_group(d, (RvOwner)owner, group, &g, &error), error);
      for (size_t i = 0; i < rv_detail_count(d, (RvOwner)owner); ++i)
        rv_group_write(g)[i] = (uint8_t)(rv_random4(1, 5, i).v[storage] & 1);
    }
    RvAttrib* text;
    static const char* const texts[] = {"", "plain", "tab\t \"quoted\" \\ \x01 end", "\xe6\xb0\xb4"};
    CHECK_OK(rv_detail_add_attrib(d, (RvOwner)owner, "text", RV_STRING, 2, RV_TAG_NONE, &text, &error), error);
    for (size_t i = 0; i < rv_attrib_count(text); ++i)
      for (int c = 0; c < 2; ++c)
        CHECK_OK(rv_attrib_set_string(text, i, c, texts[(i + 2 * (size_t)c) % 4], &error), error);
  }
  fill_bits(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), 12 * (3 * nprim + 5), 1000);
  plain_nans(RV_F32, rv_detail_f32_write(d, RV_POINT, "P", 3, &error), 3 * (3 * nprim + 5));
  return d;
}

static void all_bits_come_back(void** state) {
  (void)state;
  static const size_t sizes[] = {1, 7, 700};
  for (size_t s = 0; s < 3; ++s) {
    RvDetail* d = make_detail(sizes[s]);
    for (size_t f = 0; f < 3; ++f) {
      RvError error = {0};
      void* bytes;
      size_t count;
      RvDetail* back;
      char why[256];
      CHECK_OK(rv_detail_encode(d, formats[f], &bytes, &count, NULL, &error), error);
      CHECK_OK(rv_detail_decode(bytes, count, &back, NULL, &error), error);
      if (!rv_test_details_equal(d, back, why, sizeof why)) fail_msg("%s: %s", formats[f], why);
      assert_true(rv_detail_hash(d) == rv_detail_hash(back));
      rv_free(bytes);
      rv_detail_free(back);
    }
    rv_detail_free(d);
  }
}

static void same_in_all_formats(const RvDetail* d) {
  RvError error = {0};
  for (size_t f = 0; f < 3; ++f) {
    void* bytes;
    size_t count;
    RvDetail* back;
    CHECK_OK(rv_detail_encode(d, formats[f], &bytes, &count, NULL, &error), error);
    CHECK_OK(rv_detail_decode(bytes, count, &back, NULL, &error), error);
    assert_true(rv_detail_hash(d) == rv_detail_hash(back));
    rv_free(bytes);
    rv_detail_free(back);
  }
}

// the contacts of a solver are a list in a detail attribute, of any length; elements have a bound
static void long_lists_come_back(void** state) {
  (void)state;
  enum { COUNT = 300000 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  double* list = rv_detail_f64_write(d, RV_GLOBAL, "list", COUNT, &error);
  assert_non_null(list);
  for (int i = 0; i < COUNT; ++i) list[i] = 1.0 / (i + 1);
  same_in_all_formats(d);
  RvAttrib* attrib;
  CHECK_FAILS(rv_detail_add_attrib(d, RV_POINT, "wide", RV_F64, COUNT, RV_TAG_NONE, &attrib, &error), RV_LIMIT, error,
              "'wide': 300000 components");
  rv_detail_free(d);
}

static void empty_details_too(void** state) {
  (void)state;
  RvDetail* d = rv_detail_new();
  same_in_all_formats(d);
  RvError error = {0};
  void* bytes;
  size_t count;
  CHECK_FAILS(rv_detail_encode(d, "abc", &bytes, &count, NULL, &error), RV_BAD_INPUT, error, "'abc'");
  rv_detail_free(d);
}

// several blocks and pages: the same bytes and the same detail from 1 to 8 threads
static void threads_do_not_show(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  size_t n = 300001;
  CHECK_OK(rv_detail_add_points(d, n, NULL, &error), error);
  fill_bits(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), 12 * n, 3);
  int32_t* id = rv_detail_i32_write(d, RV_POINT, "id", 1, &error);
  for (size_t i = 0; i < n; ++i) id[i] = (int32_t)i;
  void *first = NULL, *bytes;
  size_t first_count = 0, count;
  for (int threads = 1; threads <= 8; threads *= 2) {
    RvDetail* back;
    rv_threads_set(threads);
    CHECK_OK(rv_detail_encode(d, "bgeo.sc", &bytes, &count, NULL, &error), error);
    CHECK_OK(rv_detail_decode(bytes, count, &back, NULL, &error), error);
    assert_true(rv_detail_hash(d) == rv_detail_hash(back));
    rv_detail_free(back);
    if (!first) {
      first = bytes;
      first_count = count;
      continue;
    }
    assert_int_equal(count, first_count);
    assert_memory_equal(bytes, first, count);
    rv_free(bytes);
  }
  rv_threads_set(0);
  rv_free(first);
  rv_detail_free(d);
}

static uint64_t big(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | at[i];
  return value;
}

static void set_big(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (uint8_t)(value >> (56 - 8 * i));
}

// bytes in pieces of any length, empty ones too, are packed as if they stood together
static void container_of_pieces(void** state) {
  (void)state;
  RvError error = {0};
  enum { N = 3500000, PIECES = 9 };
  static const size_t ends[PIECES] = {0, 1, 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 1, 1200000, 3400000, N};
  uint8_t* plain = malloc(N);
  assert_non_null(plain);
  for (size_t i = 0; i < N; ++i) plain[i] = (uint8_t)(i * i / 777);
  RvPiece pieces[PIECES];
  // each in memory of its own, so that nobody reads past one
  for (size_t i = 0, at = 0; i < PIECES; at = ends[i++]) {
    uint8_t* copy = malloc(ends[i] - at + 1);
    assert_non_null(copy);
    memcpy(copy, plain + at, ends[i] - at);
    pieces[i] = (RvPiece){copy, ends[i] - at};
  }
  void *whole, *parts;
  size_t whole_count, parts_count;
  CHECK_OK(rv_container_pack(plain, N, &whole, &whole_count, &error), error);
  CHECK_OK(rv_container_pack_pieces(pieces, PIECES, &parts, &parts_count, &error), error);
  assert_int_equal(whole_count, parts_count);
  assert_memory_equal(whole, parts, whole_count);
  rv_free(whole);
  rv_free(parts);
  for (size_t i = 0; i < PIECES; ++i) free((void*)(uintptr_t)pieces[i].bytes);
  free(plain);
}

// a .bgeo.sc holds the bytes of the .bgeo, long arrays of every owner included
static void packed_is_the_same_document(void** state) {
  (void)state;
  enum { CURVES = 30000, LENGTH = 5 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, CURVES, LENGTH, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 3 * CURVES * LENGTH; ++i) p[i] = (float)(i % 1013);
  int64_t* id = rv_detail_i64_write(d, RV_PRIM, "id", 1, &error);
  for (int i = 0; i < CURVES; ++i) id[i] = i;
  double* u = rv_detail_f64_write(d, RV_VERTEX, "u", 1, &error);
  for (int i = 0; i < CURVES * LENGTH; ++i) u[i] = 0.1 * i;
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(d, RV_POINT, "roots", &group, &error), error);
  for (int i = 0; i < CURVES; ++i) rv_group_write(group)[i * LENGTH] = 1;
  void *plain, *packed, *unpacked;
  size_t plain_count, count, unpacked_count;
  CHECK_OK(rv_detail_encode(d, "bgeo", &plain, &plain_count, NULL, &error), error);
  CHECK_OK(rv_detail_encode(d, "bgeo.sc", &packed, &count, NULL, &error), error);
  CHECK_OK(rv_container_unpack(packed, count, &unpacked, &unpacked_count, &error), error);
  assert_int_equal(plain_count, unpacked_count);
  assert_memory_equal(plain, unpacked, plain_count);
  rv_free(plain);
  rv_free(packed);
  rv_free(unpacked);
  rv_detail_free(d);
}

static void container_frame(void** state) {
  (void)state;
  RvError error = {0};
  size_t n = (5 << 20) / 2, count, back_count;
  uint8_t *plain = malloc(n), *packed, *back;
  for (size_t i = 0; i < n; ++i) plain[i] = (uint8_t)(i / 1000);
  CHECK_OK(rv_container_pack(plain, n, (void**)&packed, &count, &error), error);
  // reference C.3, byte by byte: three blocks of 1 MiB, 1 MiB and 1/2 MiB
  assert_memory_equal(packed, "scf1\0\0\0\0\0\0\0\0", 12);
  assert_memory_equal(packed + count - 4, "1fcs", 4);
  assert_int_equal(big(packed + count - 12), 32);
  assert_int_equal(big(packed + count - 20), 1 << 19);
  assert_int_equal(big(packed + count - 28), 1 << 20);
  uint8_t* ends = packed + count - 44;
  assert_true(big(ends) < big(ends + 8) && big(ends + 8) < count);
  // a blosc head: format 2, type size 4, length of the block
  assert_int_equal(packed[12], 2);
  assert_int_equal(packed[15], 4);
  assert_int_equal(packed[16] | packed[17] << 8 | packed[18] << 16, 1 << 20);
  CHECK_OK(rv_container_unpack(packed, count, (void**)&back, &back_count, &error), error);
  assert_int_equal(back_count, n);
  assert_memory_equal(back, plain, n);
  rv_free(back);
  // one thing wrong at a time
  struct {
    size_t at;
    uint64_t value;
    const char* part;
    RvResult code;
  } cases[] = {{4, 1 << 30, "metadata", RV_BAD_FILE},
               {count - 12, 33, "index", RV_BAD_FILE},
               {count - 12, UINT64_MAX - 7, "index", RV_BAD_FILE},
               {count - 20, 0, "size of a block", RV_BAD_FILE},
               {count - 20, 1 << 18, "head of a block", RV_BAD_FILE},
               {count - 28, 1 << 30, "more than 1024 times", RV_LIMIT},
               {count - 44, UINT64_MAX, "offset of a block", RV_BAD_FILE},
               {count - 36, 3, "offset of a block", RV_BAD_FILE},
               {16, UINT64_MAX, "head of a block", RV_BAD_FILE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    uint64_t kept = big(packed + cases[i].at);
    set_big(packed + cases[i].at, cases[i].value);
    error = (RvError){0};
    CHECK_FAILS(rv_container_unpack(packed, count, (void**)&back, &back_count, &error), cases[i].code, error,
                cases[i].part);
    set_big(packed + cases[i].at, kept);
  }
  error = (RvError){0};
  CHECK_FAILS(rv_container_unpack(packed, count - 1, (void**)&back, &back_count, &error), RV_BAD_FILE, error,
              "cut short");
  rv_free(packed);
  free(plain);
}

static void gzip_is_read(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *d = make_detail(7), *back;
  void* bytes;
  size_t count;
  CHECK_OK(rv_detail_encode(d, "bgeo", &bytes, &count, NULL, &error), error);
  uint8_t* packed = malloc(count + 1000);
  z_stream z = {.next_in = bytes, .avail_in = (uInt)count, .next_out = packed, .avail_out = (uInt)count + 1000};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  CHECK_OK(rv_detail_decode(packed, z.total_out, &back, NULL, &error), error);
  assert_true(rv_detail_hash(d) == rv_detail_hash(back));
  rv_detail_free(back);
  CHECK_FAILS(rv_detail_decode(packed, z.total_out / 2, &back, NULL, &error), RV_BAD_FILE, error, "gzip");
  deflateEnd(&z);
  free(packed);
  rv_free(bytes);
  rv_detail_free(d);
}

// with values and without, and after each of two trips
static void a_string_keeps_its_tag(void** state) {
  (void)state;
  RvError error = {0};
  for (int owner = 0; owner < RV_OWNER_COUNT; ++owner)
    for (size_t f = 0; f < sizeof formats / sizeof *formats; ++f) {
      RvDetail *d = make_detail(3), *back;
      RvAttrib* attrib;
      void* bytes;
      size_t count;
      CHECK_OK(rv_detail_add_attrib(d, (RvOwner)owner, "shop", RV_STRING, 1, RV_TAG_COLOR, &attrib, &error), error);
      CHECK_OK(rv_attrib_set_string(attrib, 0, 0, "red", &error), error);
      CHECK_OK(rv_detail_encode(d, formats[f], &bytes, &count, NULL, &error), error);
      CHECK_OK(rv_detail_decode(bytes, count, &back, NULL, &error), error);
      assert_int_equal(rv_attrib_tag(rv_detail_find(back, (RvOwner)owner, "shop")), RV_TAG_COLOR);
      assert_true(rv_detail_hash(d) == rv_detail_hash(back));
      rv_free(bytes);
      rv_detail_free(back);
      rv_detail_free(d);
    }
}

RV_TESTS(cmocka_unit_test(all_bits_come_back), cmocka_unit_test(long_lists_come_back),
         cmocka_unit_test(empty_details_too), cmocka_unit_test(threads_do_not_show), cmocka_unit_test(container_frame),
         cmocka_unit_test(container_of_pieces), cmocka_unit_test(packed_is_the_same_document),
         cmocka_unit_test(gzip_is_read), cmocka_unit_test(a_string_keeps_its_tag))
