// Attributes of a Houdini file: definitions, defaults, and values in tuples, arrays or pages (reference C.1, C.2).
#include <string.h>

#include "base/parallel.h"
#include "geo/houdini_read.h"

enum {
  DEFAULT_PAGE_SIZE = 1024,  // elements of a page where the file does not say
  DECODE_GRAIN = 64,         // pages of a task of the parallel decoding
};

// Frees the content of the values.
static void values_free(RvHouValues* values) {
  rv_numbers_free(&values->numbers);
  rv_numbers_free(&values->packing);
  for (size_t i = 0; i < values->constant.count; ++i) rv_numbers_free(&values->constant.data[i]);
  rv_array_free(&values->constant);
}

void rv_hou_attrib_free(RvHouAttrib* attrib) {
  rv_free(attrib->name);
  rv_numbers_free(&attrib->defaults);
  values_free(&attrib->values);
  rv_array_free(&attrib->letters);
}

//---------------------------------------------------------------------------------------------- reading

// Storage for Houdini's name of one. Types without a storage of their own go to the next wider one.
static bool storage_from_name(const char* name, RvStorage* out) {
  static const struct {
    const char* name;
    RvStorage storage;
  } table[] = {{"fpreal16", RV_F16}, {"fpreal32", RV_F32}, {"fpreal64", RV_F64}, {"fpreal", RV_F64}, {"int8", RV_I8},
               {"int16", RV_I32},    {"int32", RV_I32},    {"int64", RV_I64},    {"uint8", RV_I32},  {"uint16", RV_I32},
               {"uint32", RV_I64},   {"bool", RV_I8},      {"int", RV_I64}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (strcmp(name, table[i].name) == 0) {
      *out = table[i].storage;
      return true;
    }
  return false;
}

// Reads the name of a storage; an unknown one is an error.
static bool read_storage(RvHouFile* file, RvStorage* out) {
  RvJsonKey name;
  if (!rv_json_word(file->in, "storage", &name)) return false;
  return storage_from_name(name.text, out) || rv_json_fail(file->in, name.offset, "unknown storage '%.40s'", name.text);
}

// Reads a number of components, at least `lo`.
static bool read_size(RvHouFile* file, int64_t lo, int* out) {
  int64_t size;
  if (!rv_json_int(file->in, "size", lo, RV_GEO_MAX_LIST, &size)) return false;
  *out = (int)size;
  return true;
}

// Element type for numbers of a storage that come from text.
static RvElement wanted_element(RvStorage storage) {
  return storage == RV_F64 ? RV_ELEMENT_F64 : storage == RV_F32 || storage == RV_F16 ? RV_ELEMENT_F32 : RV_ELEMENT_I64;
}

// Reads [[x, y, z], ...]: one list an element.
static bool read_tuples(RvHouFile* file, RvHouValues* values, RvElement wanted) {
  values->layout = RV_HOU_TUPLES;
  if (!rv_json_begin(file->in, "tuples")) return false;
  while (rv_json_more(file->in)) {
    // Each tuple must have all components.
    size_t before = values->numbers.count;
    size_t at = rv_json_peek(file->in)->offset;
    if (!rv_json_numbers(file->in, "tuples", wanted, &values->numbers)) return false;
    if (values->numbers.count - before != (size_t)values->size)
      return rv_json_fail(file->in, at, "a tuple of %zu values where %d are expected", values->numbers.count - before,
                          values->size);
  }
  return !file->in->failed;
}

// Reads [[x, x, ...], [y, y, ...], ...]: one list a component, all of one length.
static bool read_arrays(RvHouFile* file, RvHouValues* values, RvElement wanted) {
  values->layout = RV_HOU_ARRAYS;
  if (!rv_json_begin(file->in, "arrays")) return false;
  size_t length = 0, lists = 0;
  while (rv_json_more(file->in)) {
    // Each list has a value of every element.
    size_t before = values->numbers.count;
    size_t at = rv_json_peek(file->in)->offset;
    if (!rv_json_numbers(file->in, "arrays", wanted, &values->numbers)) return false;
    if (lists++ && values->numbers.count - before != length)
      return rv_json_fail(file->in, at, "components with %zu and %zu values", length, values->numbers.count - before);
    length = values->numbers.count - before;
  }
  if (!file->in->failed && length && lists != (size_t)values->size)
    return rv_json_fail(file->in, file->in->at, "%zu lists of values for size %d", lists, values->size);
  return !file->in->failed;
}

// Reads the flags of constant pages: one list a pack. An empty list means that no page of it is constant.
static bool read_flags(RvHouFile* file, RvHouValues* values) {
  if (!rv_json_begin(file->in, "constantpageflags")) return false;
  while (rv_json_more(file->in)) {
    RvNumbers flags = {0};
    if (!rv_json_numbers(file->in, "constantpageflags", RV_ELEMENT_I64, &flags) ||
        !rv_array_push(&values->constant, flags)) {
      rv_numbers_free(&flags);
      return file->in->failed ? false : rv_hou_no_memory(file);
    }
  }
  return !file->in->failed;
}

// Reads the values of an attribute in whichever layout the file has them.
static bool read_values(RvHouFile* file, RvHouValues* values, RvStorage storage, int size) {
  RvJsonKey key;
  values->size = size;
  values->page_size = DEFAULT_PAGE_SIZE;
  values->present = true;
  if (!rv_json_begin(file->in, "values")) return false;
  while (rv_json_key(file->in, &key)) {
    RvElement wanted = wanted_element(storage);
    bool good;
    // Form of the values.
    if (rv_json_is(&key, "size")) {
      good = read_size(file, 1, &values->size);
    } else if (rv_json_is(&key, "storage")) {
      // Checked but not used: the attribute's storage counts, and binary numbers carry their own type.
      RvStorage own;
      good = read_storage(file, &own);
    } else if (rv_json_is(&key, "pagesize")) {
      int64_t page = 0;
      good = rv_json_int(file->in, "pagesize", 1, INT32_MAX, &page);
      values->page_size = (size_t)page;
    } else if (rv_json_is(&key, "packing")) {
      rv_numbers_free(&values->packing);
      good = rv_json_numbers(file->in, "packing", RV_ELEMENT_I64, &values->packing);
    } else if (rv_json_is(&key, "constantpageflags")) {
      good = read_flags(file, values);
    } else if (rv_json_is(&key, "rawpagedata")) {
      rv_numbers_free(&values->numbers);
      values->layout = RV_HOU_PAGES;
      good = rv_json_numbers(file->in, "rawpagedata", wanted, &values->numbers);
    } else if (rv_json_is(&key, "tuples")) {
      rv_numbers_free(&values->numbers);
      good = read_tuples(file, values, wanted);
    } else if (rv_json_is(&key, "arrays")) {
      rv_numbers_free(&values->numbers);
      good = read_arrays(file, values, wanted);
    } else {
      rv_hou_log(file, RV_LEVEL_WARNING, "values: the unknown key '%s' was skipped", key.text);
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads the default tuple; strings have none.
static bool read_defaults(RvHouFile* file, RvHouAttrib* attrib) {
  RvJsonKey key;
  bool integers = attrib->storage == RV_I8 || attrib->storage == RV_I32 || attrib->storage == RV_I64;
  rv_numbers_free(&attrib->defaults);
  if (!rv_json_begin(file->in, "defaults")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    if (rv_json_is(&key, "values") && !attrib->is_string)
      good = rv_json_numbers(file->in, "defaults", integers ? RV_ELEMENT_I64 : RV_ELEMENT_F64, &attrib->defaults);
    else
      good = rv_json_skip(file->in);
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads the table of a string attribute.
static bool read_strings(RvHouFile* file, RvHouAttrib* attrib) {
  RvJsonToken token;
  if (!rv_json_begin(file->in, "strings")) return false;
  while (rv_json_more(file->in)) {
    RvJsonKind kind = rv_json_next(file->in, &token);
    // A null among the strings is an unused entry; it becomes an empty string.
    size_t length = kind == RV_JSON_STRING ? token.length : 0;
    if (kind != RV_JSON_STRING && kind != RV_JSON_NULL)
      return rv_json_fail(file->in, token.offset, "strings: %s where a string is expected", rv_json_kind_name(kind));
    if (length && memchr(token.text, 0, length))
      return rv_json_fail(file->in, token.offset, "a 0 byte inside a string");
    // A binary file can repeat a long string with two bytes, so its bytes are charged.
    if (!rv_hou_charge(file, length + 1, 1, "texts")) return false;
    size_t at = attrib->letters.count;
    if (!rv_array_resize(&attrib->letters, at + length + 1)) return rv_hou_no_memory(file);
    if (length) memcpy(attrib->letters.data + at, token.text, length);
    attrib->letters.data[at + length] = 0;
    ++attrib->nstring;
  }
  return !file->in->failed;
}

// Reads the second part of an attribute: size, storage, defaults, strings, values or indices.
static bool read_data(RvHouFile* file, RvHouAttrib* attrib, const char* where) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "the data")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    // Size and storage come before the values that need them.
    if (rv_json_is(&key, "size")) {
      good = read_size(file, 1, &attrib->size);
    } else if (rv_json_is(&key, "storage")) {
      RvStorage storage = attrib->storage;
      good = read_storage(file, &storage);
      attrib->storage = attrib->is_string ? RV_STRING : storage;
    } else if (rv_json_is(&key, "defaults")) {
      good = read_defaults(file, attrib);
    } else if (rv_json_is(&key, "values") && !attrib->is_string) {
      good = read_values(file, &attrib->values, attrib->storage, attrib->size);
    } else if (rv_json_is(&key, "indices") && attrib->is_string) {
      good = read_values(file, &attrib->values, RV_I32, attrib->size);
    } else if (rv_json_is(&key, "strings") && attrib->is_string) {
      good = read_strings(file, attrib);
    } else {
      rv_hou_log(file, RV_LEVEL_WARNING, "%s '%s': the unknown key '%s' was skipped", where, attrib->name, key.text);
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads {"type": {"type": "string", "value": "vector"}}: the tag that says how values are transformed.
static bool read_options(RvHouFile* file, RvHouAttrib* attrib) {
  RvJsonKey key, inner;
  if (!rv_json_begin(file->in, "options")) return false;
  while (rv_json_key(file->in, &key)) {
    // Only the option named "type" matters.
    RvJsonKind kind = rv_json_peek(file->in)->kind;
    if (!rv_json_is(&key, "type") || (kind != RV_JSON_MAP && kind != RV_JSON_ARRAY)) {
      if (!rv_json_skip(file->in)) return false;
      continue;
    }
    if (!rv_json_begin(file->in, "options type")) return false;
    while (rv_json_key(file->in, &inner)) {
      RvJsonKey value;
      if (!rv_json_is(&inner, "value") || rv_json_peek(file->in)->kind != RV_JSON_STRING) {
        if (!rv_json_skip(file->in)) return false;
      } else if (!rv_json_word(file->in, "options type value", &value)) {
        return false;
      } else {
        attrib->tag = rv_tag_from_name(value.text);
      }
    }
  }
  return !file->in->failed;
}

// Reads the first part of an attribute: name, type and options.
static bool read_definition(RvHouFile* file, RvHouAttrib* attrib) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "an attribute's definition")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    if (rv_json_is(&key, "name")) {
      rv_free(attrib->name);
      attrib->name = NULL;
      good = rv_json_string(file->in, "name", RV_GEO_MAX_NAME, &attrib->name);
    } else if (rv_json_is(&key, "type")) {
      good = rv_json_word(file->in, "type", &attrib->type);
    } else if (rv_json_is(&key, "options")) {
      good = read_options(file, attrib);
    } else {
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  // Defaults for what the data do not say.
  if (file->in->failed) return false;
  if (!attrib->name || !attrib->type.text[0])
    return rv_json_fail(file->in, file->in->at, "an attribute's definition lacks its name or type");
  attrib->is_string = rv_json_is(&attrib->type, "string");
  attrib->storage = attrib->is_string ? RV_STRING : RV_F32;
  attrib->size = 1;
  return true;
}

// Reads one attribute, [definition, data]. *keep is false for an unsupported type, which is skipped with a warning.
static bool read_attrib(RvHouFile* file, RvHouAttrib* attrib, const char* where, bool* keep) {
  RvJsonIn* in = file->in;
  if (!rv_json_begin(in, "an attribute") || !read_definition(file, attrib)) return false;
  // Other types (arrays, dictionaries) cannot be represented.
  *keep = attrib->is_string || rv_json_is(&attrib->type, "numeric");
  if (!*keep)
    rv_hou_log(file, RV_LEVEL_WARNING, "%s '%s' is of type '%s', which is not supported: it was skipped", where,
               attrib->name, attrib->type.text);
  if (!(*keep ? read_data(file, attrib, where) : rv_json_skip(in))) {
    rv_error_context(file->error, "%s '%s'", where, attrib->name);
    return false;
  }
  while (rv_json_more(in))
    if (!rv_json_skip(in)) return false;
  return !in->failed;
}

bool rv_hou_read_attribs(RvHouFile* file, RvOwner owner, const char* where) {
  if (!rv_json_begin(file->in, where)) return false;
  while (rv_json_more(file->in)) {
    RvHouAttrib attrib = {0};
    bool keep = false;
    size_t at = rv_json_peek(file->in)->offset;
    // Read it, check that its name is new, and list it.
    bool good = read_attrib(file, &attrib, where, &keep);
    for (size_t i = 0; good && keep && i < file->attribs[owner].count; ++i)
      if (strcmp(file->attribs[owner].data[i].name, attrib.name) == 0)
        good = rv_json_fail(file->in, at, "%s '%.80s' appears twice", where, attrib.name);
    if (good && file->attribs[owner].count >= RV_GEO_MAX_NAMES)
      good = rv_json_fail(file->in, at, "%s: more than %d attributes", where, RV_GEO_MAX_NAMES);
    if (good && keep && !rv_array_push(&file->attribs[owner], attrib)) good = rv_hou_no_memory(file);
    if (!good || !keep) rv_hou_attrib_free(&attrib);
    if (!good) return false;
  }
  return !file->in->failed;
}

//---------------------------------------------------------------------------------------------- decoding

// Work of the parallel decoding of pages.
typedef struct Pages {
  const RvHouValues* values;
  size_t count;  // elements
  size_t npage;
  size_t npack;
  size_t size;  // components of an element
  RvStorage storage;
  uint8_t* out;
  size_t* first;  // number of the first value of each page
} Pages;

// Components of a pack.
static size_t pack_width(const Pages* pages, size_t pack) {
  return pages->values->packing.count ? (size_t)rv_numbers_i64(&pages->values->packing, pack) : pages->size;
}

// True if all elements of a page have the same values in a pack, which are then stored once.
static bool is_constant(const Pages* pages, size_t pack, size_t page) {
  if (pack >= pages->values->constant.count) return false;
  const RvNumbers* flags = &pages->values->constant.data[pack];
  return page < flags->count && rv_numbers_i64(flags, page) != 0;
}

// Elements of a page; the last one may be shorter.
static size_t page_elements(const Pages* pages, size_t page) {
  size_t begin = page * pages->values->page_size;
  size_t remaining = pages->count - begin;
  return remaining < pages->values->page_size ? remaining : pages->values->page_size;
}

// Decodes pages [begin, end): packs are spread to their components of each element.
static void decode_pages(void* arg, size_t begin, size_t end) {
  Pages* pages = arg;
  size_t element = rv_storage_bytes(pages->storage);
  size_t stride = pages->size * element;
  for (size_t page = begin; page < end; ++page) {
    size_t at = pages->first[page];
    size_t n = page_elements(pages, page);
    size_t component = 0;
    uint8_t* row = pages->out + page * pages->values->page_size * stride;
    // A constant pack is repeated, any other copied row by row.
    for (size_t pack = 0; pack < pages->npack; ++pack) {
      size_t width = pack_width(pages, pack);
      bool constant = is_constant(pages, pack, page);
      (constant ? rv_numbers_fill : rv_numbers_convert)(&pages->values->numbers, at, n, width, pages->storage,
                                                        row + component * element, stride);
      at += constant ? width : n * width;
      component += width;
    }
  }
}

// Finds where each page begins, and checks the packing and the total number of values.
static bool locate_pages(RvHouFile* file, Pages* pages) {
  size_t at = 0, total = 0;
  // The widths of the packs add up to the size.
  for (size_t pack = 0; pack < pages->npack; ++pack) {
    int64_t width = (int64_t)pack_width(pages, pack);
    if (width < 1 || width > RV_GEO_MAX_LIST)
      return rv_json_fail(file->in, file->in->at, "a pack of %lld components", (long long)width);
    total += (size_t)width;
  }
  if (total != pages->size)
    return rv_json_fail(file->in, file->in->at, "the packing adds up to %zu, the size is %zu", total, pages->size);
  // A constant pack of a page takes one tuple, any other as many as the page has elements.
  for (size_t page = 0; page < pages->npage; ++page) {
    pages->first[page] = at;
    for (size_t pack = 0; pack < pages->npack; ++pack)
      at += pack_width(pages, pack) * (is_constant(pages, pack, page) ? 1 : page_elements(pages, page));
  }
  if (at != pages->values->numbers.count)
    return rv_json_fail(file->in, file->in->at, "the pages need %zu values, %zu are there", at,
                        pages->values->numbers.count);
  return true;
}

// Decodes values in pages.
static bool decode_paged(RvHouFile* file, const RvHouValues* values, size_t count, RvStorage storage, uint8_t* out) {
  Pages pages = {.values = values, .count = count, .size = (size_t)values->size, .storage = storage, .out = out};
  pages.npage = count / values->page_size + (count % values->page_size != 0);
  pages.npack = values->packing.count ? values->packing.count : 1;
  // A pack has one component at least.
  if (pages.npack > pages.size)
    return rv_json_fail(file->in, file->in->at, "%zu packs for %zu components", pages.npack, pages.size);
  if (!rv_hou_charge(file, pages.npage, sizeof *pages.first, "pages")) return false;
  if (!(pages.first = rv_alloc(pages.npage, sizeof *pages.first))) return rv_hou_no_memory(file);
  bool good = locate_pages(file, &pages);
  if (good) rv_parallel_for(pages.npage, DECODE_GRAIN, decode_pages, &pages);
  rv_free(pages.first);
  return good;
}

void* rv_hou_decode(RvHouFile* file, const RvHouValues* values, size_t count, int size, RvStorage storage) {
  size_t element = rv_storage_bytes(storage);
  size_t total;
  if (values->size != size) {
    rv_json_set_failed(file->in, file->in->at, "values of size %d for an attribute of size %d", values->size, size);
    return NULL;
  }
  // Without packs and constant pages the values are in element order, as tuples are.
  bool paged = values->layout == RV_HOU_PAGES && (values->packing.count > 1 || values->constant.count);
  if (!rv_mul_ok(count, (size_t)size, &total) || (!paged && total != values->numbers.count)) {
    rv_json_set_failed(file->in, file->in->at, "%zu elements of %d values announced, but %zu values found", count, size,
                       values->numbers.count);
    return NULL;
  }
  if (!rv_hou_charge(file, total, element, "attribute values")) return NULL;
  uint8_t* out = rv_alloc(total, element);
  if (!out) {
    rv_hou_no_memory(file);
    return NULL;
  }
  // Convert by the layout.
  if (paged) {
    if (!decode_paged(file, values, count, storage, out)) {
      rv_free(out);
      return NULL;
    }
  } else if (values->layout == RV_HOU_ARRAYS && size > 1) {
    for (size_t c = 0; c < (size_t)size; ++c)
      rv_numbers_convert(&values->numbers, c * count, count, 1, storage, out + c * element, (size_t)size * element);
  } else {
    rv_numbers_convert_all(&values->numbers, storage, out);
  }
  return out;
}
