// The walk over a VDB file. Layout: header; metadata; number of grids; for each grid its descriptor (three texts, three
// offsets), compression flags, metadata, transform, topology (masks and tile values of the inner nodes, masks of the
// leaves) and buffers (values of the leaves).
#include "shim/vdb_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shim/vdb_walk_file.h"

enum {
  MAGIC = 0x56444220,         // "VDB "
  VERSION_MIN = 222,          // OpenVDB 2.0 of 2013, the first with compression flags for each grid
  VERSION_POINTS = 224,       // first with several passes over the leaves
  UUID_BYTES = 36,            // identity of the file
  LIBRARY_BYTES = 8,          // version of the library
  DESCRIPTOR_MIN_BYTES = 36,  // three empty texts and three offsets
  ROOT_CHILD_SIDE = 4096,     // voxels of a child of the root: 32 x 16 x 8
  UPPER = 32768,              // values of a child of the root
  LOWER = 4096,               // values of a child of that
  LEAF = 512,                 // values of a leaf
  NODE_BYTES = 128,           // of a node beside its masks and values, with the allocator's share
  TILE_BYTES = 128,           // of a tile in the map of the root
  GRID_BYTES = 4096,          // of a grid beside its tree
  ALL_VALUES = 6,             // flag of a node that stores inactive values too; the largest flag
};

// How a type of grid is stored.
typedef struct TreeType {
  const char* name;
  size_t value, half;  // bytes of a value, and of one with half precision
  enum { VALUES, BOOLS, MASKS, POINTS } leaf;
} TreeType;
static const TreeType tree_types[] = {
    {"Tree_float_5_4_3", 4, 2, VALUES},       {"Tree_double_5_4_3", 8, 2, VALUES}, {"Tree_vec3s_5_4_3", 12, 6, VALUES},
    {"Tree_vec3d_5_4_3", 24, 6, VALUES},      {"Tree_int32_5_4_3", 4, 0, VALUES},  {"Tree_int64_5_4_3", 8, 0, VALUES},
    {"Tree_vec3i_5_4_3", 12, 0, VALUES},      {"Tree_bool_5_4_3", 1, 0, BOOLS},    {"Tree_mask_5_4_3", 1, 0, MASKS},
    {"Tree_ptdataidx32_5_4_3", 4, 0, POINTS},
};

// A grid that is being walked.
typedef struct Tree {
  const TreeType* type;
  bool half;
  unsigned compression;
  size_t leaves;
} Tree;

static const TreeType* find_type(RvVdbText name) {
  static const char HALF[] = "_HalfFloat";
  const size_t tail = sizeof HALF - 1;
  if (name.length > tail && memcmp(name.text + name.length - tail, HALF, tail) == 0) name.length -= tail;
  for (size_t i = 0; i < sizeof tree_types / sizeof *tree_types; ++i)
    if (rv_vdb_text_is(name, tree_types[i].name)) return &tree_types[i];
  return NULL;
}

bool rv_vdb_walks_type(const char* type) {
  return find_type((RvVdbText){type, strlen(type)}) != NULL;
}

//---------------------------------------------------------------------------------------------- nodes

// Number of set bits of a mask of `bits` bits.
static size_t count_bits(const unsigned char* mask, size_t bits) {
  size_t count = 0;
  for (size_t i = 0; i < bits / 8; i += 8) {
    uint64_t word;
    memcpy(&word, mask + i, sizeof word);
    count += (size_t)__builtin_popcountll(word);
  }
  return count;
}

// The values of a node: a flag, up to two inactive values, a mask that chooses between them, and the block.
static bool node_values(RvVdbWalk* walk, const Tree* tree, const unsigned char* mask, size_t count) {
  uint64_t flag;
  if (!rv_vdb_number(walk, 1, &flag)) return false;
  if (flag > ALL_VALUES) return rv_vdb_damaged(walk, "a node has an unknown kind of compression");
  size_t inactive = flag == 2 || flag == 4 ? 1 : flag == 5 ? 2 : 0;
  bool selects = flag == 3 || flag == 4 || flag == 5;
  if (!rv_vdb_take(walk, inactive * tree->type->value)) return false;
  if (selects && !rv_vdb_take(walk, count / 8)) return false;
  if ((tree->compression & RV_VDB_ACTIVE_MASK) && flag != ALL_VALUES) count = count_bits(mask, count);
  bool half = tree->half && tree->type->half;
  // Of no values with half precision nothing is stored, not even their length.
  if (half && count == 0) return true;
  return rv_vdb_block(walk, tree->compression, count * (half ? tree->type->half : tree->type->value));
}

// Masks and values of an inner node; *children becomes the number of its child nodes.
static bool inner_node(RvVdbWalk* walk, const Tree* tree, size_t count, size_t* children) {
  const unsigned char* child_mask = rv_vdb_take(walk, count / 8);
  const unsigned char* value_mask = child_mask ? rv_vdb_take(walk, count / 8) : NULL;
  if (!value_mask) return false;
  // Values and pointers share their memory.
  size_t slot = tree->type->value > sizeof(void*) ? (tree->type->value + 7) / 8 * 8 : sizeof(void*);
  *children = count_bits(child_mask, count);
  return rv_vdb_memory(walk, count * slot + count / 4 + NODE_BYTES) && node_values(walk, tree, value_mask, count);
}

// A child of the root with everything below it.
static bool upper_node(RvVdbWalk* walk, Tree* tree) {
  size_t lower = 0, leaves = 0;
  if (!inner_node(walk, tree, UPPER, &lower)) return false;
  for (size_t i = 0; i < lower; ++i) {
    if (!inner_node(walk, tree, LOWER, &leaves)) return false;
    if (!rv_vdb_take(walk, leaves * (LEAF / 8))) return false;
    tree->leaves += leaves;
  }
  return true;
}

static int compare_origins(const void* a, const void* b) {
  return memcmp(a, b, 3 * sizeof(int32_t));
}

// OpenVDB would lose a child whose origin comes twice, and then read the leaves of others in its place.
static bool origins_differ(RvVdbWalk* walk, int32_t (*origins)[3], size_t count) {
  qsort(origins, count, sizeof *origins, compare_origins);
  for (size_t i = 1; i < count; ++i)
    if (!compare_origins(origins[i - 1], origins[i])) return rv_vdb_damaged(walk, "a tree has two nodes at one place");
  return true;
}

// The children of the root.
static bool root_children(RvVdbWalk* walk, Tree* tree, size_t count) {
  // A child has 8 KiB of masks at least, so that the list is short.
  if (count > (walk->size - walk->at) / (UPPER / 4)) return rv_vdb_damaged(walk, "the number of nodes is impossible");
  int32_t(*origins)[3] = rv_alloc(count, sizeof *origins);
  if (!origins) {
    walk->result = rv_fail(walk->error, RV_NO_MEMORY, "out of memory for reading '%s'", walk->path);
    return false;
  }
  bool good = true;
  for (size_t i = 0; good && i < count; ++i) {
    const unsigned char* origin = rv_vdb_take(walk, sizeof *origins);
    good = origin != NULL;
    if (good) memcpy(origins[i], origin, sizeof *origins);
    for (int k = 0; good && k < 3; ++k)
      if (origins[i][k] & (ROOT_CHILD_SIDE - 1)) good = rv_vdb_damaged(walk, "a node is not at a place of its size");
    good = good && upper_node(walk, tree);
  }
  good = good && origins_differ(walk, origins, count);
  rv_free(origins);
  return good;
}

// Root, inner nodes and masks of the leaves.
static bool topology(RvVdbWalk* walk, Tree* tree) {
  uint64_t buffers, tiles, children;
  if (!rv_vdb_number(walk, 4, &buffers)) return false;
  if (buffers != 1) return rv_vdb_damaged(walk, "a tree has more than one buffer");
  const unsigned char* background = rv_vdb_take(walk, tree->type->value);
  if (!background) return false;
  // OpenVDB asserts that a leaf of points, which begins as the background, begins without points.
  for (size_t i = 0; tree->type->leaf == POINTS && i < tree->type->value; ++i)
    if (background[i]) return rv_vdb_damaged(walk, "points have a background that is not 0");
  if (!rv_vdb_number(walk, 4, &tiles) || !rv_vdb_number(walk, 4, &children)) return false;
  const size_t tile = 3 * sizeof(int32_t) + tree->type->value + 1;
  const unsigned char* first = rv_vdb_take(walk, (size_t)tiles * tile);
  if (!first || !rv_vdb_memory(walk, (size_t)tiles * TILE_BYTES)) return false;
  // The last byte of a tile says whether it is active. OpenVDB reads it into a bool, for which others are undefined.
  for (uint64_t i = 1; i <= tiles; ++i)
    if (first[(size_t)i * tile - 1] > 1) return rv_vdb_damaged(walk, "a tile is neither active nor inactive");
  if (!root_children(walk, tree, (size_t)children)) return false;
  const size_t leaf = tree->type->leaf == VALUES || tree->type->leaf == POINTS ? LEAF * tree->type->value : LEAF / 4;
  return rv_vdb_memory(walk, tree->leaves * (leaf + LEAF / 8 + NODE_BYTES));
}

// The values of the leaves.
static bool buffers(RvVdbWalk* walk, const Tree* tree) {
  const size_t mask_bytes = LEAF / 8, origin_bytes = 3 * sizeof(int32_t);
  switch (tree->type->leaf) {
    case BOOLS:
      return rv_vdb_take(walk, tree->leaves * (2 * mask_bytes + origin_bytes)) != NULL;
    case MASKS:
      return rv_vdb_take(walk, tree->leaves * (mask_bytes + origin_bytes)) != NULL;
    case POINTS:
      return rv_vdb_points(walk, tree->leaves);
    case VALUES:
      break;
  }
  for (size_t i = 0; i < tree->leaves; ++i) {
    const unsigned char* mask = rv_vdb_take(walk, mask_bytes);
    if (!mask || !node_values(walk, tree, mask, LEAF)) return false;
  }
  return true;
}

//---------------------------------------------------------------------------------------------- transform

// How a map is stored: doubles, all of which must be finite. `scale` is the place of the scale among them, whose
// inverse stands two triples later; -1: the map has none.
static const struct {
  const char* name;
  size_t doubles;
  int scale;
} maps[] = {{"AffineMap", 16, -1},
            {"UnitaryMap", 16, -1},
            {"ScaleMap", 15, 0},
            {"UniformScaleMap", 15, 0},
            {"TranslationMap", 3, -1},
            {"ScaleTranslateMap", 18, 3},
            {"UniformScaleTranslateMap", 18, 3}};
enum { INVERSE = 6 };
// Relative error of scale times inverse: both are rounded once; a program may have stored floats.
static const double INVERSE_TOLERANCE = 1e-5;

static bool finite_numbers(RvVdbWalk* walk, size_t count, double* numbers) {
  const unsigned char* data = rv_vdb_take(walk, count * sizeof(double));
  if (!data) return false;
  memcpy(numbers, data, count * sizeof(double));
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(numbers[i])) return rv_vdb_damaged(walk, "the transform of a grid is not finite");
  return true;
}

// A linear map of a name that was read.
static bool linear_map(RvVdbWalk* walk, RvVdbText name) {
  double numbers[18];
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i) {
    if (!rv_vdb_text_is(name, maps[i].name)) continue;
    if (!finite_numbers(walk, maps[i].doubles, numbers)) return false;
    for (int k = maps[i].scale; maps[i].scale >= 0 && k < maps[i].scale + 3; ++k)
      if (!(fabs(numbers[k] * numbers[k + INVERSE] - 1) < INVERSE_TOLERANCE))
        return rv_vdb_damaged(walk, "the transform of a grid contradicts itself");
    return true;
  }
  return rv_vdb_damaged(walk, "the transform of a grid is of an unknown kind");
}

static bool transform(RvVdbWalk* walk) {
  enum { FRUSTUM_DOUBLES = 8 };  // box, taper and depth
  RvVdbText name;
  double numbers[FRUSTUM_DOUBLES];
  if (!rv_vdb_text(walk, &name)) return false;
  if (!rv_vdb_text_is(name, "NonlinearFrustumMap")) return linear_map(walk, name);
  // A frustum within a frustum is not possible; OpenVDB would call itself for each.
  return finite_numbers(walk, FRUSTUM_DOUBLES, numbers) && rv_vdb_text(walk, &name) && linear_map(walk, name);
}

//---------------------------------------------------------------------------------------------- file

static bool unsupported(RvVdbWalk* walk, RvVdbText name, RvVdbText type) {
  walk->result = rv_fail(walk->error, RV_UNSUPPORTED,
                         "'%s': grid '%.*s' has the unknown type %.*s and cannot be skipped; remove it from the file",
                         walk->path, (int)name.length, name.text, (int)type.length, type.text);
  return false;
}

// What a grid of a known type has after its descriptor.
static bool grid_body(RvVdbWalk* walk, const TreeType* type, bool instance) {
  uint64_t compression;
  Tree tree = {.type = type};
  if (!rv_vdb_number(walk, 4, &compression) || !rv_vdb_metadata(walk, &tree.half) || !transform(walk)) return false;
  tree.compression = (unsigned)compression;
  if (tree.compression & ~(unsigned)(RV_VDB_ZIP | RV_VDB_ACTIVE_MASK | RV_VDB_BLOSC))
    return rv_vdb_damaged(walk, "a grid has an unknown compression");
  if (type->leaf == POINTS && walk->version < VERSION_POINTS)
    return rv_vdb_damaged(walk, "points in a format that had none");
  return instance || (topology(walk, &tree) && buffers(walk, &tree));
}

static bool grid(RvVdbWalk* walk, bool has_offsets) {
  RvVdbText name, type_name, parent;
  uint64_t begin, blocks, end;
  if (!rv_vdb_text(walk, &name) || !rv_vdb_text(walk, &type_name) || !rv_vdb_text(walk, &parent)) return false;
  if (!rv_vdb_number(walk, 8, &begin) || !rv_vdb_number(walk, 8, &blocks) || !rv_vdb_number(walk, 8, &end))
    return false;
  if (has_offsets && (begin != walk->at || blocks < begin || end < blocks || end > walk->size))
    return rv_vdb_damaged(walk, "the offsets of a grid do not lie in order inside the file");
  const TreeType* type = find_type(type_name);
  // A grid of another type is left out.
  if (!type) {
    if (!has_offsets || end <= walk->at) return unsupported(walk, name, type_name);
    walk->at = (size_t)end;
    return true;
  }
  if (!rv_vdb_memory(walk, GRID_BYTES) || !grid_body(walk, type, parent.length > 0)) return false;
  if (has_offsets && walk->at != end) return rv_vdb_damaged(walk, "a grid does not end where its descriptor says");
  return true;
}

// OpenVDB skips white space in the identity, and would then read all that follows it from another place.
static bool identity(RvVdbWalk* walk) {
  const unsigned char* text = rv_vdb_take(walk, UUID_BYTES);
  if (!text) return false;
  for (int i = 0; i < UUID_BYTES; ++i) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (!strchr(dash ? "-" : "0123456789abcdefABCDEF", text[i]) || !text[i])
      return rv_vdb_damaged(walk, "the identity of the file is none");
  }
  return true;
}

// The header up to the file's identity.
static bool header(RvVdbWalk* walk, bool* has_offsets) {
  uint64_t magic, version, offsets;
  if (walk->size < 8 || !rv_vdb_number(walk, 8, &magic) || magic != MAGIC) {
    walk->result = rv_fail(walk->error, RV_BAD_FILE, "'%s' is not a VDB file", walk->path);
    return false;
  }
  if (!rv_vdb_number(walk, 4, &version)) return false;
  walk->version = (uint32_t)version;
  if (version < VERSION_MIN) {
    walk->result = rv_fail(walk->error, RV_UNSUPPORTED,
                           "'%s' has VDB format %u, of before 2013; formats from %d on are read: save it again with a "
                           "newer program",
                           walk->path, walk->version, VERSION_MIN);
    return false;
  }
  if (!rv_vdb_take(walk, LIBRARY_BYTES) || !rv_vdb_number(walk, 1, &offsets)) return false;
  *has_offsets = offsets != 0;
  return identity(walk);
}

static bool all_grids(RvVdbWalk* walk) {
  bool has_offsets = false;
  uint64_t count;
  if (!header(walk, &has_offsets) || !rv_vdb_metadata(walk, NULL) || !rv_vdb_number(walk, 4, &count)) return false;
  if (count > walk->size / DESCRIPTOR_MIN_BYTES) return rv_vdb_damaged(walk, "the number of grids is impossible");
  for (uint64_t i = 0; i < count; ++i)
    if (!grid(walk, has_offsets)) return false;
  return true;
}

RvResult rv_vdb_walk(const RvVdbFile* file, const RvVdbTypes* types, size_t limit, size_t* memory, RvError* error) {
  RvVdbWalk walk = {
      .path = file->path, .bytes = file->bytes, .size = file->size, .types = types, .limit = limit, .error = error};
  all_grids(&walk);
  *memory = walk.memory;
  return walk.result;
}
