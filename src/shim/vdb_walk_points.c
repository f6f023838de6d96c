// The walk over the buffers of a points grid. They are written in passes over all leaves: sizes of the voxel buffers;
// descriptor of the attributes and size of each array; for each attribute the sizes of its pages; the voxel buffers;
// for each attribute its pages. A page holds the arrays of several leaves and is compressed as one block.
#include <string.h>

#include "base/array.h"
#include "shim/vdb_walk_file.h"

enum {
  LEAF_VOXELS = 512,
  VOXEL_BYTES = LEAF_VOXELS * 4,  // an end of the points of each voxel
  RAW_VOXELS = 65535,             // size that stands for a voxel buffer without compression
  FIXED_PASSES = 4,               // sizes, descriptor, voxels and one that reads nothing
  MATCHING = 1,                   // flag of a descriptor: later leaves have the same
  EXTENDED = 2,                   // flag of a descriptor: more bytes follow
  HEADER_MAX = MATCHING | EXTENDED,
  CONSTANT_STRIDE = 8,  // flag of an array
  FLAGS_END = 32,       // first flag that is not known
  STRIDED = 1,          // flag of how an array is stored: several values a point
  UNIFORM = 2,          // all values are equal, and one is stored
  PAGED = 8,            // the values are in pages
  STORED_END = 16,      // first such flag that is not known
  ARRAY_BYTES = 160,    // of an array beside its values, with the allocator's share
  ARRAY_HEAD = 6,       // bytes that the size of an array counts besides its values
};

// An array of a leaf.
typedef struct Array {
  size_t bytes;     // stored
  size_t expected;  // in memory
  bool paged, uniform;
} Array;

typedef struct Page {
  int32_t compressed;  // bytes; negative: stored as they are
  int32_t bytes;       // of all arrays in it
} Page;

typedef struct Points {
  size_t leaves, attributes;     // attributes of the leaf that has most
  RV_ARRAY(size_t) value_bytes;  // of the attributes of the descriptor in use
  RV_ARRAY(Array) arrays;        // leaf by leaf
  RV_ARRAY(size_t) first;        // first array of each leaf, and the end
  RV_ARRAY(Page) pages;          // attribute by attribute
  RV_ARRAY(size_t) first_page;   // of each attribute, and the end
} Points;

//---------------------------------------------------------------------------------------------- descriptor

// Texts with a number each: names of attributes with their index, or of groups with their bit.
static bool named_numbers(RvVdbWalk* walk, uint64_t count, uint64_t limit) {
  for (uint64_t i = 0; i < count; ++i) {
    RvVdbText name;
    uint64_t index;
    if (!rv_vdb_text(walk, &name) || !rv_vdb_number(walk, 8, &index)) return false;
    if (index >= limit) return rv_vdb_damaged(walk, "a point attribute has an impossible index");
  }
  return true;
}

// Types, names and groups of the attributes.
static bool descriptor(RvVdbWalk* walk, Points* points) {
  uint64_t count, groups;
  if (!rv_vdb_number(walk, 8, &count)) return false;
  // More attributes than passes would stay without values.
  if (count > points->attributes) return rv_vdb_damaged(walk, "a points grid has more attributes than it stores");
  points->value_bytes.count = 0;
  for (uint64_t i = 0; i < count; ++i) {
    RvVdbText type, codec;
    if (!rv_vdb_text(walk, &type) || !rv_vdb_text(walk, &codec)) return false;
    size_t bytes = walk->types->attribute(type, codec);
    if (bytes == RV_VDB_NO_MEMORY) return rv_vdb_no_memory(walk);
    if (!bytes) return rv_vdb_damaged(walk, "a point attribute has an unknown type");
    if (!rv_array_push(&points->value_bytes, bytes)) return rv_vdb_no_memory(walk);
  }
  if (!named_numbers(walk, count, count) || !rv_vdb_number(walk, 8, &groups)) return false;
  if (!named_numbers(walk, groups, UINT64_MAX)) return false;
  return rv_vdb_metadata(walk, NULL);
}

// The descriptor of a leaf with its header. *shared: all later leaves have this one, without a header.
static bool leaf_descriptor(RvVdbWalk* walk, Points* points, bool* shared) {
  uint64_t header, more = 0;
  if (!rv_vdb_number(walk, 1, &header)) return false;
  if (header > HEADER_MAX) return rv_vdb_damaged(walk, "the attributes of a points grid have an unknown header");
  if (!descriptor(walk, points)) return false;
  *shared = header & MATCHING;
  if ((header & EXTENDED) && (!rv_vdb_number(walk, 8, &more) || !rv_vdb_take(walk, (size_t)more))) return false;
  return true;
}

//---------------------------------------------------------------------------------------------- arrays

// Values of an array: the product of its points, its stride and the bytes of a value, 1 for a uniform array.
static bool array_size(RvVdbWalk* walk, uint64_t points, uint64_t stride, unsigned flags, Array* array,
                       size_t value_bytes) {
  size_t values = (size_t)stride;  // without a constant stride this is the number of all values
  if ((flags & CONSTANT_STRIDE) && !rv_mul_ok((size_t)points, (size_t)stride, &values))
    return rv_vdb_damaged(walk, "a point attribute has an impossible size");
  if (array->uniform) values = 1;
  if (!rv_mul_ok(values, value_bytes, &array->expected))
    return rv_vdb_damaged(walk, "a point attribute has an impossible size");
  return true;
}

// Flags and size of an array.
static bool array_head(RvVdbWalk* walk, size_t value_bytes, Array* array) {
  uint64_t bytes, flags, stored, count, stride = 1;
  if (!rv_vdb_number(walk, 8, &bytes) || !rv_vdb_number(walk, 1, &flags) || !rv_vdb_number(walk, 1, &stored) ||
      !rv_vdb_number(walk, 4, &count))
    return false;
  if (bytes < ARRAY_HEAD || flags >= FLAGS_END || stored >= STORED_END)
    return rv_vdb_damaged(walk, "a point attribute has an impossible size or unknown flags");
  if ((stored & STRIDED) && !rv_vdb_number(walk, 4, &stride)) return false;
  *array = (Array){.bytes = (size_t)bytes - ARRAY_HEAD, .paged = stored & PAGED, .uniform = stored & UNIFORM};
  if (!array_size(walk, count, stride, (unsigned)flags, array, value_bytes)) return false;
  // Only an array that is compressed on its own may be stored with fewer bytes than it has.
  bool as_it_is = array->paged || array->uniform;
  if (as_it_is && (array->bytes != array->expected || array->bytes == 0 || array->bytes > INT32_MAX))
    return rv_vdb_damaged(walk, "a point attribute has not the size of its values");
  return rv_vdb_memory(walk, ARRAY_BYTES) && rv_vdb_memory(walk, array->expected);
}

// Pass 1: descriptors and sizes of the arrays of all leaves.
static bool descriptors(RvVdbWalk* walk, Points* points) {
  bool shared = false;
  for (size_t leaf = 0; leaf < points->leaves; ++leaf) {
    if (!shared && !leaf_descriptor(walk, points, &shared)) return false;
    if (!rv_array_push(&points->first, points->arrays.count)) return rv_vdb_no_memory(walk);
    for (size_t i = 0; i < points->value_bytes.count; ++i) {
      Array array;
      if (!array_head(walk, points->value_bytes.data[i], &array)) return false;
      if (!rv_array_push(&points->arrays, array)) return rv_vdb_no_memory(walk);
    }
  }
  return rv_array_push(&points->first, points->arrays.count) || rv_vdb_no_memory(walk);
}

// The array of an attribute of a leaf; NULL if the leaf has not so many attributes.
static const Array* array_of(const Points* points, size_t leaf, size_t attribute) {
  const size_t begin = points->first.data[leaf], end = points->first.data[leaf + 1];
  return attribute < end - begin ? &points->arrays.data[begin + attribute] : NULL;
}

//---------------------------------------------------------------------------------------------- pages

// The size of a page.
static bool page_head(RvVdbWalk* walk, Page* page) {
  uint64_t compressed, bytes = 0;
  if (!rv_vdb_number(walk, 4, &compressed)) return false;
  page->compressed = (int32_t)(uint32_t)compressed;
  if (page->compressed > 0 && !rv_vdb_number(walk, 4, &bytes)) return false;
  if (page->compressed <= 0) bytes = 0 - (uint64_t)(int64_t)page->compressed;
  if (bytes == 0 || bytes > INT32_MAX) return rv_vdb_damaged(walk, "a page of points has an impossible size");
  page->bytes = (int32_t)bytes;
  return true;
}

// Passes 2 to n + 1: the arrays of an attribute must fill its pages exactly.
static bool page_heads(RvVdbWalk* walk, Points* points, size_t attribute) {
  size_t used = 0, size = 0;
  if (!rv_array_push(&points->first_page, points->pages.count)) return rv_vdb_no_memory(walk);
  for (size_t leaf = 0; leaf < points->leaves; ++leaf) {
    const Array* array = array_of(points, leaf, attribute);
    if (!array || !array->paged) continue;
    if (used == size) {
      Page page;
      if (!page_head(walk, &page)) return false;
      if (!rv_array_push(&points->pages, page)) return rv_vdb_no_memory(walk);
      size = (size_t)page.bytes;
      used = 0;
    }
    used += array->bytes;
    if (used > size) return rv_vdb_damaged(walk, "an array of points is larger than its page");
  }
  return used == size || rv_vdb_damaged(walk, "a page of points is larger than its arrays");
}

// Pass n + 2: mask and voxel buffer of each leaf.
static bool voxels(RvVdbWalk* walk, size_t leaves) {
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    uint64_t stored;
    if (!rv_vdb_take(walk, LEAF_VOXELS / 8) || !rv_vdb_number(walk, 2, &stored)) return false;
    bool raw = stored == RAW_VOXELS;
    const unsigned char* data = rv_vdb_take(walk, raw ? VOXEL_BYTES : (size_t)stored);
    if (!data || (!raw && !rv_vdb_blosc(walk, data, (size_t)stored, VOXEL_BYTES, false))) return false;
  }
  return true;
}

// A page. While it is read, it takes twice its size.
static bool page_data(RvVdbWalk* walk, const Page* page) {
  const unsigned char* data = rv_vdb_take(walk, (size_t)(page->compressed > 0 ? page->compressed : page->bytes));
  if (!data) return false;
  return page->compressed <= 0 || rv_vdb_blosc(walk, data, (size_t)page->compressed, (size_t)page->bytes, true);
}

// An array that is compressed on its own, or not at all.
static bool lone_array(RvVdbWalk* walk, const Array* array) {
  uint64_t blosc = 0;
  if (!array->uniform && !rv_vdb_number(walk, 1, &blosc)) return false;
  const unsigned char* data = rv_vdb_take(walk, array->bytes);
  if (!data) return false;
  if (blosc == 1) return rv_vdb_blosc(walk, data, array->bytes, array->expected, true);
  return array->bytes == array->expected || rv_vdb_damaged(walk, "a point attribute has not the size of its values");
}

// Passes n + 3 to 2 n + 2: the values of an attribute.
static bool attribute_values(RvVdbWalk* walk, const Points* points, size_t attribute) {
  const Page* page = points->pages.data ? points->pages.data + points->first_page.data[attribute] : NULL;
  size_t used = 0, size = 0;
  for (size_t leaf = 0; leaf < points->leaves; ++leaf) {
    const Array* array = array_of(points, leaf, attribute);
    if (!array) continue;
    if (!array->paged) {
      if (!lone_array(walk, array)) return false;
      continue;
    }
    if (used == size) {
      size = (size_t)page->bytes;
      used = 0;
      if (!page_data(walk, page++)) return false;
    }
    used += array->bytes;
  }
  return true;
}

// All passes.
static bool passes(RvVdbWalk* walk, Points* points) {
  if (!rv_vdb_take(walk, points->leaves * sizeof(uint16_t))) return false;
  if (!descriptors(walk, points)) return false;
  for (size_t i = 0; i < points->attributes; ++i)
    if (!page_heads(walk, points, i)) return false;
  if (!voxels(walk, points->leaves)) return false;
  for (size_t i = 0; i < points->attributes; ++i)
    if (!attribute_values(walk, points, i)) return false;
  return true;
}

bool rv_vdb_points(RvVdbWalk* walk, size_t leaves) {
  uint64_t count;
  if (!rv_vdb_number(walk, 2, &count)) return false;
  if (!leaves) return true;
  if (count < FIXED_PASSES || count % 2) return rv_vdb_damaged(walk, "the number of passes of points is impossible");
  Points points = {.leaves = leaves, .attributes = ((size_t)count - FIXED_PASSES) / 2};
  bool good = passes(walk, &points);
  rv_array_free(&points.value_bytes);
  rv_array_free(&points.arrays);
  rv_array_free(&points.first);
  rv_array_free(&points.pages);
  rv_array_free(&points.first_page);
  return good;
}
