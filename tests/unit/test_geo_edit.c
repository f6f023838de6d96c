// keep, merge and gather against a model that is too simple to be wrong: a list of elements, each a list of texts.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "geo/detail.h"
#include "support/rv_test.h"

enum { MAX_ATTRIB = 12, MAX_ELEMENT = 400, TEXT = 160 };

//---------------------------------------------------------------------------------------------- model

// one owner: the values of each attribute and group, written out
typedef struct Table {
  size_t count;
  size_t ncolumn;
  char column[MAX_ATTRIB][64];
  char standard[MAX_ATTRIB][TEXT];
  char (*cell)[MAX_ATTRIB][TEXT];
} Table;

typedef struct Model {
  Table table[3];
  int nvertex[MAX_ELEMENT], type[MAX_ELEMENT];  // of each primitive
  int point[MAX_ELEMENT];                       // of each vertex
} Model;

// a tuple as text: exact for every storage
static void write_tuple(char out[TEXT], const RvAttrib* attrib, const void* tuple) {
  size_t used = 0;
  for (int c = 0; c < rv_attrib_size(attrib); ++c) {
    const char* at = (const char*)tuple + (size_t)c * rv_storage_bytes(rv_attrib_storage(attrib));
    char* to = out + used;
    size_t room = TEXT - used;
    int n = 0;
    switch (rv_attrib_storage(attrib)) {
      case RV_F16:
        n = snprintf(to, room, "%x ", *(const uint16_t*)at);
        break;
      case RV_F32:
        n = snprintf(to, room, "%a ", (double)*(const float*)at);
        break;
      case RV_F64:
        n = snprintf(to, room, "%a ", *(const double*)at);
        break;
      case RV_I8:
        n = snprintf(to, room, "%d ", *(const int8_t*)at);
        break;
      case RV_I32:
        n = snprintf(to, room, "%d ", *(const int32_t*)at);
        break;
      case RV_I64:
        n = snprintf(to, room, "%" PRId64 " ", *(const int64_t*)at);
        break;
      default:
        n = snprintf(to, room, "'%s' ", rv_attrib_string_at(attrib, *(const int32_t*)at));
    }
    assert_true(n > 0 && (size_t)n < room);
    used += (size_t)n;
  }
}

static Model* model_of(const RvDetail* detail) {
  Model* model = calloc(1, sizeof *model);
  for (int owner = 0; owner < 3; ++owner) {
    Table* table = &model->table[owner];
    table->count = rv_detail_count(detail, owner);
    assert_true(table->count <= MAX_ELEMENT);
    table->cell = calloc(MAX_ELEMENT, sizeof *table->cell);
    for (size_t a = 0; a < rv_detail_attrib_count(detail, owner); ++a, ++table->ncolumn) {
      const RvAttrib* attrib = rv_detail_attrib(detail, owner, a);
      size_t stride = (size_t)rv_attrib_size(attrib) * rv_storage_bytes(rv_attrib_storage(attrib));
      assert_true(table->ncolumn < MAX_ATTRIB);
      snprintf(table->column[table->ncolumn], 64, "%.60s", rv_attrib_name(attrib));
      write_tuple(table->standard[table->ncolumn], attrib, rv_attrib_default(attrib));
      for (size_t i = 0; i < table->count; ++i)
        write_tuple(table->cell[i][table->ncolumn], attrib, (const char*)rv_attrib_read(attrib) + i * stride);
    }
    for (size_t g = 0; g < rv_detail_group_count(detail, owner); ++g, ++table->ncolumn) {
      const RvGroup* group = rv_detail_group(detail, owner, g);
      assert_true(table->ncolumn < MAX_ATTRIB);
      snprintf(table->column[table->ncolumn], 64, "@%.60s", rv_group_name(group));
      strcpy(table->standard[table->ncolumn], "0");
      for (size_t i = 0; i < table->count; ++i)
        snprintf(table->cell[i][table->ncolumn], TEXT, "%d", rv_group_read(group)[i]);
    }
  }
  const int32_t* start = rv_detail_prim_start(detail);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    model->nvertex[i] = start[i + 1] - start[i];
    model->type[i] = (int)rv_detail_prim_type(detail, i);
  }
  for (size_t i = 0; i < rv_detail_count(detail, RV_VERTEX); ++i) model->point[i] = rv_detail_vertex_point(detail)[i];
  return model;
}

static void free_model(Model* model) {
  for (int owner = 0; owner < 3; ++owner) free(model->table[owner].cell);
  free(model);
}

static int column_of(const Table* table, const char* name) {
  for (size_t i = 0; i < table->ncolumn; ++i) {
    if (strcmp(table->column[i], name) == 0) return (int)i;
  }
  return -1;
}

static void same_models(const Model* a, const Model* b) {
  for (int owner = 0; owner < 3; ++owner) {
    const Table *ta = &a->table[owner], *tb = &b->table[owner];
    assert_int_equal(ta->count, tb->count);
    assert_int_equal(ta->ncolumn, tb->ncolumn);
    for (size_t c = 0; c < ta->ncolumn; ++c) {
      int other = column_of(tb, ta->column[c]);
      assert_true(other >= 0);
      for (size_t i = 0; i < ta->count; ++i) assert_string_equal(ta->cell[i][c], tb->cell[i][other]);
    }
  }
  for (size_t i = 0; i < a->table[RV_PRIM].count; ++i) {
    assert_int_equal(a->nvertex[i], b->nvertex[i]);
    assert_int_equal(a->type[i], b->type[i]);
  }
  for (size_t i = 0; i < a->table[RV_VERTEX].count; ++i) assert_int_equal(a->point[i], b->point[i]);
}

// keeps the rows of the mask
static void model_filter(Table* table, const uint8_t* keep) {
  size_t kept = 0;
  for (size_t i = 0; i < table->count; ++i) {
    if (keep[i]) memmove(table->cell[kept++], table->cell[i], sizeof table->cell[i]);
  }
  table->count = kept;
}

static void model_keep(Model* model, const uint8_t* points, const uint8_t* prims, bool drop) {
  size_t npoint = model->table[RV_POINT].count, nprim = model->table[RV_PRIM].count;
  uint8_t keep_prim[MAX_ELEMENT], keep_vertex[MAX_ELEMENT], keep_point[MAX_ELEMENT];
  int first = 0, fresh[MAX_ELEMENT];
  for (size_t i = 0; i < nprim; first += model->nvertex[i++]) {
    keep_prim[i] = !prims || prims[i];
    for (int v = first; v < first + model->nvertex[i]; ++v) keep_prim[i] &= !points || points[model->point[v]];
    for (int v = first; v < first + model->nvertex[i]; ++v) keep_vertex[v] = keep_prim[i];
  }
  for (size_t p = 0; p < npoint; ++p) {
    bool in_kept = false, in_removed = false;
    for (size_t v = 0; v < model->table[RV_VERTEX].count; ++v) {
      if (model->point[v] == (int)p) *(keep_vertex[v] ? &in_kept : &in_removed) = true;
    }
    keep_point[p] = (!points || points[p]) && !(drop && in_removed && !in_kept);
  }
  int count = 0;
  for (size_t p = 0; p < npoint; ++p) fresh[p] = keep_point[p] ? count++ : -1;
  size_t kept = 0;
  for (size_t v = 0; v < model->table[RV_VERTEX].count; ++v) {
    if (keep_vertex[v]) model->point[kept++] = fresh[model->point[v]];
  }
  kept = 0;
  for (size_t i = 0; i < nprim; ++i) {
    if (!keep_prim[i]) continue;
    model->nvertex[kept] = model->nvertex[i];
    model->type[kept++] = model->type[i];
  }
  model_filter(&model->table[RV_POINT], keep_point);
  model_filter(&model->table[RV_VERTEX], keep_vertex);
  model_filter(&model->table[RV_PRIM], keep_prim);
}

static void model_merge(Model* a, const Model* b) {
  size_t npoint = a->table[RV_POINT].count, nvertex = a->table[RV_VERTEX].count, nprim = a->table[RV_PRIM].count;
  for (size_t v = 0; v < b->table[RV_VERTEX].count; ++v) a->point[nvertex + v] = b->point[v] + (int)npoint;
  for (size_t i = 0; i < b->table[RV_PRIM].count; ++i) {
    a->nvertex[nprim + i] = b->nvertex[i];
    a->type[nprim + i] = b->type[i];
  }
  for (int owner = 0; owner < 3; ++owner) {
    Table* ta = &a->table[owner];
    const Table* tb = &b->table[owner];
    for (size_t c = 0; c < tb->ncolumn; ++c) {
      if (column_of(ta, tb->column[c]) >= 0) continue;
      strcpy(ta->column[ta->ncolumn], tb->column[c]);
      strcpy(ta->standard[ta->ncolumn], tb->standard[c]);
      for (size_t i = 0; i < ta->count; ++i) strcpy(ta->cell[i][ta->ncolumn], tb->standard[c]);
      ++ta->ncolumn;
    }
    for (size_t c = 0; c < ta->ncolumn; ++c) {
      int other = column_of(tb, ta->column[c]);
      for (size_t i = 0; i < tb->count; ++i)
        strcpy(ta->cell[ta->count + i][c], other >= 0 ? tb->cell[i][other] : ta->standard[c]);
    }
    ta->count += tb->count;
  }
}

//---------------------------------------------------------------------------------------------- random details

typedef struct Dice {
  uint64_t seed, counter;
} Dice;

static uint32_t roll(Dice* dice, uint32_t sides) {
  return rv_random4(dice->seed, 5, dice->counter++).v[0] % sides;
}

static void random_values(Dice* dice, RvAttrib* attrib) {
  RvError error = {0};
  size_t n = rv_attrib_count(attrib) * (size_t)rv_attrib_size(attrib);
  if (rv_attrib_storage(attrib) == RV_STRING) {
    char text[16];
    for (size_t i = 0; i < rv_attrib_count(attrib); ++i) {
      uint32_t which = roll(dice, 6);
      snprintf(text, sizeof text, "t%" PRIu32, which);
      if (!which) text[0] = 0;
      for (int c = 0; c < rv_attrib_size(attrib); ++c)
        CHECK_OK(rv_attrib_set_string(attrib, i, c, text, &error), error);
    }
    return;
  }
  char* data = rv_attrib_write(attrib);
  for (size_t i = 0; i < n; ++i) {
    int32_t value = (int32_t)roll(dice, 200) - 100;
    switch (rv_attrib_storage(attrib)) {
      case RV_F16:
        ((uint16_t*)data)[i] = (uint16_t)roll(dice, 0x7c00);
        break;
      case RV_F32:
        ((float*)data)[i] = (float)value / 7;
        break;
      case RV_F64:
        ((double*)data)[i] = value / 7.0;
        break;
      case RV_I8:
        ((int8_t*)data)[i] = (int8_t)value;
        break;
      case RV_I32:
        ((int32_t*)data)[i] = value * 1000003;
        break;
      default:
        ((int64_t*)data)[i] = value * INT64_C(1000000000039);
    }
  }
}

// points, curves and polygons, any of the attributes a0..a6 (one storage each) and some groups
static RvDetail* random_detail(Dice* dice) {
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  uint32_t npoint = roll(dice, 60), nprim = npoint ? roll(dice, 12) : 0;
  CHECK_OK(rv_detail_add_points(detail, npoint, NULL, &error), error);
  for (uint32_t i = 0; i < nprim; ++i) {
    int32_t n = (int32_t)roll(dice, 7), points[8];
    for (int v = 0; v < n; ++v) points[v] = (int32_t)roll(dice, npoint);
    CHECK_OK(
        rv_detail_add_polygons(detail, roll(dice, 2) ? RV_PRIM_CURVE : RV_PRIM_POLYGON, 1, &n, points, NULL, &error),
        error);
  }
  for (int owner = 0; owner < 3; ++owner) {
    for (int s = 0; s < RV_STORAGE_COUNT; ++s) {
      if (roll(dice, 2)) continue;
      char name[16];
      snprintf(name, sizeof name, "a%d", s);
      RvAttrib* attrib;
      CHECK_OK(rv_detail_add_attrib(detail, owner, name, s, 1 + s % 3, RV_TAG_NONE, &attrib, &error), error);
      int64_t standard[3] = {0x0101010101010101, 2, 3};
      if (s != RV_STRING) CHECK_OK(rv_attrib_set_default(attrib, standard, &error), error);
      random_values(dice, attrib);
    }
    for (int g = 0; g < 2; ++g) {
      if (roll(dice, 2)) continue;
      RvGroup* group;
      CHECK_OK(rv_detail_add_group(detail, owner, g ? "wet" : "dry", &group, &error), error);
      uint8_t* bytes = rv_group_write(group);
      for (size_t i = 0; i < rv_detail_count(detail, owner); ++i) bytes[i] = (uint8_t)roll(dice, 2);
    }
  }
  random_values(dice, rv_detail_find_mutable(detail, RV_POINT, "P"));
  CHECK_OK(rv_detail_check(detail, &error), error);
  return detail;
}

//---------------------------------------------------------------------------------------------- properties

static void keep_equals_the_model(void** state) {
  (void)state;
  RvError error = {0};
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Dice dice = {seed, 0};
    RvDetail* detail = random_detail(&dice);
    RvDetail* untouched = rv_detail_copy(detail);
    uint64_t hash = rv_detail_hash(untouched);
    Model* model = model_of(detail);
    uint8_t points[MAX_ELEMENT], prims[MAX_ELEMENT];
    for (int i = 0; i < MAX_ELEMENT; ++i) {
      points[i] = roll(&dice, 8) != 0;
      prims[i] = (uint8_t)(roll(&dice, 3) * 80);
    }
    const uint8_t* by_point = roll(&dice, 3) ? points : NULL;
    const uint8_t* by_prim = roll(&dice, 3) ? prims : NULL;
    bool drop = roll(&dice, 2);
    model_keep(model, by_point, by_prim, drop);
    CHECK_OK(rv_detail_keep(detail, by_point, by_prim, drop, &error), error);
    CHECK_OK(rv_detail_check(detail, &error), error);
    Model* result = model_of(detail);
    same_models(result, model);
    // a copy taken before is as it was
    assert_int_equal(rv_detail_hash(untouched), hash);
    free_model(result);
    free_model(model);
    rv_detail_free(detail);
    rv_detail_free(untouched);
  }
}

static void merge_equals_the_model(void** state) {
  (void)state;
  RvError error = {0};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice = {seed, 1000};
    RvDetail* a = random_detail(&dice);
    Model* model = model_of(a);
    for (int round = 0; round < 3; ++round) {
      RvDetail* b = random_detail(&dice);
      RvDetail* shared = rv_detail_copy(a);
      uint64_t hash_a = rv_detail_hash(shared), hash_b = rv_detail_hash(b);
      Model* other = model_of(b);
      model_merge(model, other);
      CHECK_OK(rv_detail_merge(a, b, &error), error);
      CHECK_OK(rv_detail_check(a, &error), error);
      assert_int_equal(rv_detail_hash(shared), hash_a);
      assert_int_equal(rv_detail_hash(b), hash_b);
      free_model(other);
      rv_detail_free(b);
      rv_detail_free(shared);
    }
    Model* result = model_of(a);
    same_models(result, model);
    free_model(result);
    free_model(model);
    rv_detail_free(a);
  }
}

static void merge_with_itself(void** state) {
  (void)state;
  RvError error = {0};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Dice dice = {seed, 7000};
    RvDetail* a = random_detail(&dice);
    Model *model = model_of(a), *twin = model_of(a);
    model_merge(model, twin);
    CHECK_OK(rv_detail_merge(a, a, &error), error);
    CHECK_OK(rv_detail_check(a, &error), error);
    Model* result = model_of(a);
    same_models(result, model);
    free_model(result);
    free_model(model);
    free_model(twin);
    rv_detail_free(a);
  }
}

static void gather_equals_the_model(void** state) {
  (void)state;
  RvError error = {0};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice = {seed, 9000};
    RvDetail *to = random_detail(&dice), *from = random_detail(&dice);
    bool itself = roll(&dice, 4) == 0;
    const RvDetail* source = itself ? to : from;
    int owner = (int)roll(&dice, 3);
    size_t have = rv_detail_count(to, owner), there = rv_detail_count(source, owner);
    size_t first = have ? roll(&dice, (uint32_t)have) : 0,
           count = there && have ? roll(&dice, (uint32_t)(have - first) + 1) : 0;
    int32_t index[MAX_ELEMENT];
    for (size_t i = 0; i < count; ++i) index[i] = (int32_t)roll(&dice, (uint32_t)there);
    Model *model = model_of(to), *other = model_of(source);
    // new columns by a merge with nothing of the owner's, then the copies
    Table *target = &model->table[owner], *rows = &other->table[owner];
    for (size_t c = 0; c < rows->ncolumn; ++c) {
      if (strcmp(rows->column[c], "a2") == 0 || strcmp(rows->column[c], "@wet") == 0) continue;
      int at = column_of(target, rows->column[c]);
      if (at < 0) {
        at = (int)target->ncolumn++;
        strcpy(target->column[at], rows->column[c]);
        for (size_t i = 0; i < target->count; ++i) strcpy(target->cell[i][at], rows->standard[c]);
      }
      for (size_t i = 0; i < count; ++i) strcpy(target->cell[first + i][at], rows->cell[index[i]][c]);
    }
    CHECK_OK(rv_detail_gather(to, owner, first, count, source, index, "a2 zz  wet", &error), error);
    CHECK_OK(rv_detail_check(to, &error), error);
    Model* result = model_of(to);
    same_models(result, model);
    free_model(result);
    free_model(model);
    free_model(other);
    rv_detail_free(to);
    rv_detail_free(from);
  }
}

//---------------------------------------------------------------------------------------------- known answers

// numbers of all kinds into all kinds: exact where it fits, the nearest bound where not
static void merge_converts(void** state) {
  (void)state;
  static const double expected[RV_STRING][6] = {
      // -3.75, 1e10, NaN, 100, 2^40, 0.5 as f64 source, seen in each storage
      [RV_F16] = {-3.75, INFINITY, NAN, 100, INFINITY, 0.5},
      [RV_F32] = {-3.75, 1e10, NAN, 100, 1099511627776.0, 0.5},
      [RV_F64] = {-3.75, 1e10, NAN, 100, 1099511627776.0, 0.5},
      [RV_I8] = {-3, 127, 0, 100, 127, 0},
      [RV_I32] = {-3, 2147483647, 0, 100, 2147483647, 0},
      [RV_I64] = {-3, 1e10, 0, 100, 1099511627776.0, 0},
  };
  RvError error = {0};
  for (int s = 0; s < RV_STRING; ++s) {
    RvDetail *a = rv_detail_new(), *b = rv_detail_new();
    RvAttrib *to, *from;
    CHECK_OK(rv_detail_add_points(a, 1, NULL, &error), error);
    CHECK_OK(rv_detail_add_points(b, 6, NULL, &error), error);
    CHECK_OK(rv_detail_add_attrib(a, RV_POINT, "x", s, 2, RV_TAG_VECTOR, &to, &error), error);
    CHECK_OK(rv_detail_add_attrib(b, RV_POINT, "x", RV_F64, 1, RV_TAG_NONE, &from, &error), error);
    double values[6] = {-3.75, 1e10, NAN, 100, 1099511627776.0, 0.5};
    memcpy(rv_attrib_write(from), values, sizeof values);
    CHECK_OK(rv_detail_merge(a, b, &error), error);
    assert_int_equal(rv_attrib_storage(to), s);
    assert_int_equal(rv_attrib_tag(to), RV_TAG_VECTOR);
    for (size_t i = 0; i < 6; ++i) {
      double got = rv_attrib_get(to, i + 1, 0);
      assert_true(got == expected[s][i] || (got != got && expected[s][i] != expected[s][i]));
      CHECK_NEAR(rv_attrib_get(to, i + 1, 1), 0, 0);
    }
    rv_detail_free(a);
    rv_detail_free(b);
  }
}

static void wide_integers_do_not_pass_through_doubles(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, 1, NULL, &error), error);
  CHECK_OK(rv_detail_add_points(b, 1, NULL, &error), error);
  rv_detail_i64_write(a, RV_POINT, "k", 2, &error);
  rv_detail_i64_write(b, RV_POINT, "k", 1, &error)[0] = INT64_MAX - 1;
  CHECK_OK(rv_detail_merge(a, b, &error), error);
  assert_int_equal(rv_detail_i64(a, RV_POINT, "k", 2)[2], INT64_MAX - 1);
  rv_detail_free(a);
  rv_detail_free(b);
}

static void texts_and_numbers_do_not_mix(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, 2, NULL, &error), error);
  CHECK_OK(rv_detail_add_points(b, 2, NULL, &error), error);
  CHECK_OK(rv_detail_add_attrib(a, RV_POINT, "name", RV_STRING, 1, RV_TAG_NONE, NULL, &error), error);
  CHECK_OK(rv_detail_add_attrib(b, RV_POINT, "name", RV_I32, 1, RV_TAG_NONE, NULL, &error), error);
  rv_detail_f32_write(b, RV_POINT, "extra", 1, &error);
  uint64_t before = rv_detail_hash(a);
  CHECK_FAILS(rv_detail_merge(a, b, &error), RV_BAD_INPUT, error, "'name' is string in one input and int32");
  int32_t index[2] = {0, 1};
  CHECK_FAILS(rv_detail_gather(a, RV_POINT, 0, 2, b, index, NULL, &error), RV_BAD_INPUT, error, "'name'");
  // nothing was changed, and the exception lets the rest through
  assert_int_equal(rv_detail_hash(a), before);
  CHECK_OK(rv_detail_gather(a, RV_POINT, 0, 2, b, index, "name", &error), error);
  assert_non_null(rv_detail_find(a, RV_POINT, "extra"));
  rv_detail_free(a);
  rv_detail_free(b);
}

static void gather_checks_its_ranges(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, 4, NULL, &error), error);
  CHECK_OK(rv_detail_add_points(b, 2, NULL, &error), error);
  int32_t good[2] = {0, 1}, high[2] = {0, 2}, low[2] = {0, -1};
  CHECK_FAILS(rv_detail_gather(a, RV_POINT, 3, 2, b, good, NULL, &error), RV_BAD_INPUT, error, "there are 4");
  CHECK_FAILS(rv_detail_gather(a, RV_POINT, SIZE_MAX, 2, b, good, NULL, &error), RV_BAD_INPUT, error, "there are 4");
  CHECK_FAILS(rv_detail_gather(a, RV_POINT, 0, 2, b, high, NULL, &error), RV_BAD_INPUT, error, "point 2");
  CHECK_FAILS(rv_detail_gather(a, RV_POINT, 0, 2, b, low, NULL, &error), RV_BAD_INPUT, error, "point -1");
  CHECK_FAILS(rv_detail_gather(a, 17, 0, 2, b, good, NULL, &error), RV_BAD_INPUT, error, "owner");
  rv_detail_free(a);
  rv_detail_free(b);
}

static void first_detail_attribute_wins(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  *rv_detail_f32_write(a, RV_GLOBAL, "both", 1, &error) = 1;
  *rv_detail_f32_write(b, RV_GLOBAL, "both", 1, &error) = 2;
  *rv_detail_f32_write(b, RV_GLOBAL, "second", 1, &error) = 3;
  CHECK_OK(rv_detail_merge(a, b, &error), error);
  CHECK_NEAR(*rv_detail_f32(a, RV_GLOBAL, "both", 1), 1, 0);
  CHECK_NEAR(*rv_detail_f32(a, RV_GLOBAL, "second", 1), 3, 0);
  assert_int_equal(rv_detail_count(a, RV_GLOBAL), 1);
  rv_detail_free(a);
  rv_detail_free(b);
}

// a thousand small merges must not copy everything a thousand times: the buffer moves only when it grows by half
static void many_merges_are_linear(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *a = rv_detail_new(), *b = rv_detail_new();
  CHECK_OK(rv_detail_add_points(b, 100, NULL, &error), error);
  int moves = 0;
  const void* at = NULL;
  for (int i = 0; i < 1000; ++i) {
    CHECK_OK(rv_detail_merge(a, b, &error), error);
    const void* now = rv_detail_f32(a, RV_POINT, "P", 3);
    moves += now != at;
    at = now;
  }
  assert_int_equal(rv_detail_count(a, RV_POINT), 100000);
  // log(1000) / log(1.5) is 17
  assert_true(moves < 25);
  rv_detail_free(a);
  rv_detail_free(b);
}

RV_TESTS(cmocka_unit_test(keep_equals_the_model), cmocka_unit_test(merge_equals_the_model),
         cmocka_unit_test(merge_with_itself), cmocka_unit_test(gather_equals_the_model),
         cmocka_unit_test(merge_converts), cmocka_unit_test(wide_integers_do_not_pass_through_doubles),
         cmocka_unit_test(texts_and_numbers_do_not_mix), cmocka_unit_test(gather_checks_its_ranges),
         cmocka_unit_test(first_detail_attribute_wins), cmocka_unit_test(many_merges_are_linear))
