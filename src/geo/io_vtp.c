// VTK XML PolyData with appended raw data (VTK file formats, "XML file formats": AppendedData, header_type UInt64).
// The XML part lists all arrays with their offsets; the arrays follow as raw bytes, each behind its length.
#include <string.h>

#include "base/file.h"
#include "geo/detail.h"
#include "geo/half.h"
#include "geo/io.h"
#include "geo/text.h"

// The XML element that an array belongs to.
typedef enum Section { FIELD, POINT_DATA, CELL_DATA, POINTS, VERTS, LINES, POLYS, SECTION_COUNT } Section;

// The three lists of cells of a PolyData; VTK numbers cells in this order.
enum { CELL_VERTS, CELL_LINES, CELL_POLYS, CELL_KINDS };

// One array of the file.
typedef struct Block {
  Section section;
  const char* type;  // VTK's name of the number type
  char* name;        // escaped for XML
  int components;
  size_t tuples;
  size_t bytes;
  const void* data;
  void* owned;  // `data` where it was allocated for the file, else NULL
} Block;

// The file being built. A free point is one that no primitive uses.
typedef struct Vtp {
  const RvDetail* detail;
  const RvLog* log;
  RV_ARRAY(Block) blocks;    // in the order of the appended data
  int32_t* cell_prim;        // primitive of each cell in VTK's order, -1 for a free point
  size_t count[CELL_KINDS];  // cells of each kind
  int32_t* point_vertex;     // the only vertex of each point, -1 if none; NULL if a point has several
} Vtp;

// Fails because memory is out.
static RvResult no_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Appends an array to the file. Takes `owned`, on failure too.
static RvResult add_block(Vtp* vtp, Section section, const char* type, const char* name, int components, size_t tuples,
                          size_t bytes, const void* data, void* owned, RvError* error) {
  char* escaped = rv_text_xml(name);
  Block block = {section, type, escaped, components, tuples, bytes, data, owned};
  if (escaped && rv_array_push(&vtp->blocks, block)) return RV_OK;
  rv_free(escaped);
  rv_free(owned);
  return no_memory(error);
}

//---------------------------------------------------------------------------------------------- cells

// Number of the first cell of a kind.
static size_t first_cell(const Vtp* vtp, int kind) {
  size_t first = 0;
  for (int k = 0; k < kind; ++k) first += vtp->count[k];
  return first;
}

// Number of all cells.
static size_t cell_count(const Vtp* vtp) {
  return first_cell(vtp, CELL_KINDS);
}

// Kind of cell of a primitive, -1 for none: VDBs and empty primitives. A primitive of one vertex is a point, one of two
// a line.
static int cell_kind(const RvDetail* detail, size_t prim) {
  const int32_t* start = rv_detail_prim_start(detail);
  int32_t n = start[prim + 1] - start[prim];
  RvPrimType type = rv_detail_prim_type(detail, prim);
  if (type == RV_PRIM_VDB || n == 0) return -1;
  if (n == 1) return CELL_VERTS;
  return type == RV_PRIM_CURVE || n == 2 ? CELL_LINES : CELL_POLYS;
}

// Sorts primitives and free points into VTK's cell order. *used_out (rv_free) is 1 for each point that a primitive
// uses.
static RvResult sort_cells(Vtp* vtp, uint8_t** used_out, RvError* error) {
  const RvDetail* detail = vtp->detail;
  size_t npoint = detail->count[RV_POINT];
  size_t nprim = detail->count[RV_PRIM];
  size_t free_points = 0;
  size_t empty = 0;
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* points = rv_detail_vertex_point(detail);
  // Count the cells of each kind.
  uint8_t* used = rv_alloc_zero(npoint, 1);
  *used_out = used;
  if (!used) return no_memory(error);
  for (size_t i = 0; i < nprim; ++i) {
    int kind = cell_kind(detail, i);
    if (kind >= 0) ++vtp->count[kind];
    empty += kind < 0 && rv_detail_prim_type(detail, i) != RV_PRIM_VDB;
    for (int32_t v = start[i]; v < start[i + 1]; ++v) used[points[v]] = 1;
  }
  if (empty) rv_log(vtp->log, RV_LEVEL_WARNING, "%zu polygons without vertices were not written", empty);
  // Points without a primitive become vertex cells.
  for (size_t i = 0; i < npoint; ++i) free_points += !used[i];
  vtp->count[CELL_VERTS] += free_points;
  // List them: free points first, then the primitives of each kind in order.
  vtp->cell_prim = rv_alloc(cell_count(vtp), sizeof *vtp->cell_prim);
  if (!vtp->cell_prim) return no_memory(error);
  for (size_t i = 0; i < free_points; ++i) vtp->cell_prim[i] = -1;
  size_t at[CELL_KINDS] = {free_points, first_cell(vtp, CELL_LINES), first_cell(vtp, CELL_POLYS)};
  for (size_t i = 0; i < nprim; ++i) {
    int kind = cell_kind(detail, i);
    if (kind >= 0) vtp->cell_prim[at[kind]++] = (int32_t)i;
  }
  return RV_OK;
}

// Adds connectivity (the points of all cells) and offsets (the end of each cell in it) of one kind of cell.
static RvResult add_cells(Vtp* vtp, int kind, const uint8_t* used, RvError* error) {
  const int32_t* start = rv_detail_prim_start(vtp->detail);
  const int32_t* points = rv_detail_vertex_point(vtp->detail);
  size_t total = 0;
  size_t count = vtp->count[kind];
  const int32_t* prims = vtp->cell_prim + first_cell(vtp, kind);
  for (size_t i = 0; i < count; ++i) total += prims[i] < 0 ? 1 : (size_t)(start[prims[i] + 1] - start[prims[i]]);
  int32_t* connectivity = rv_alloc(total, sizeof *connectivity);
  int32_t* offsets = rv_alloc(count, sizeof *offsets);
  if (!connectivity || !offsets) {
    rv_free(connectivity);
    rv_free(offsets);
    return no_memory(error);
  }
  // Free points come first; the next one is the next point that is not used.
  size_t used_so_far = 0, free_point = 0;
  for (size_t i = 0; i < count; ++i) {
    if (prims[i] < 0) {
      while (used[free_point]) ++free_point;
      connectivity[used_so_far++] = (int32_t)free_point++;
    } else {
      // Houdini's faces are clockwise seen from outside, VTK's counterclockwise: the order is reversed, the first
      // vertex stays.
      int32_t first_vertex = start[prims[i]], last = start[prims[i] + 1] - 1;
      connectivity[used_so_far++] = points[first_vertex];
      for (int32_t k = 1; k <= last - first_vertex; ++k)
        connectivity[used_so_far++] = points[kind == CELL_POLYS ? last + 1 - k : first_vertex + k];
    }
    offsets[i] = (int32_t)used_so_far;
  }
  Section section = (Section)(VERTS + kind);
  RvResult result = add_block(vtp, section, "Int32", "connectivity", 1, total, total * sizeof *connectivity,
                              connectivity, connectivity, error);
  if (result) {
    rv_free(offsets);
    return result;
  }
  return add_block(vtp, section, "Int32", "offsets", 1, count, count * sizeof *offsets, offsets, offsets, error);
}

// Finds the vertex of each point, if no point has several. Vertex attributes can then be written as point data.
static RvResult find_point_vertices(Vtp* vtp, RvError* error) {
  size_t npoint = vtp->detail->count[RV_POINT], nvertex = vtp->detail->count[RV_VERTEX];
  if (!vtp->detail->attribs[RV_VERTEX].count && !vtp->detail->groups[RV_VERTEX].count) return RV_OK;
  int32_t* map = rv_alloc(npoint, sizeof *map);
  if (!map) return rv_fail(error, RV_NO_MEMORY, "out of memory for the vertices of %zu points", npoint);
  memset(map, 0xff, npoint * sizeof *map);  // all -1
  const int32_t* points = rv_detail_vertex_point(vtp->detail);
  for (size_t v = 0; v < nvertex; ++v) {
    if (map[points[v]] >= 0) {
      rv_free(map);
      return RV_OK;
    }
    map[points[v]] = (int32_t)v;
  }
  vtp->point_vertex = map;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- values

// VTK's name of a storage. Half becomes float, as VTK has no half.
static const char* vtk_type(RvStorage storage) {
  switch (storage) {
    case RV_F16:
    case RV_F32:
      return "Float32";
    case RV_F64:
      return "Float64";
    case RV_I8:
      return "Int8";
    case RV_I32:
      return "Int32";
    case RV_I64:
      return "Int64";
    default:
      return "String";
  }
}

// The element of the detail of each tuple of an owner's arrays, -1 for the default; NULL: the same number.
static const int32_t* source_of(const Vtp* vtp, RvOwner owner) {
  return owner == RV_PRIM ? vtp->cell_prim : owner == RV_VERTEX ? vtp->point_vertex : NULL;
}

// Tuples of an owner's arrays: cells for primitives, points for points and vertices.
static size_t tuples_of(const Vtp* vtp, RvOwner owner) {
  if (owner == RV_PRIM) return cell_count(vtp);
  return owner == RV_GLOBAL ? 1 : vtp->detail->count[RV_POINT];
}

// Adds a string attribute: the strings one behind the other, each ended by 0.
static RvResult add_strings(Vtp* vtp, Section section, const RvAttrib* attrib, const char* name, RvError* error) {
  const int32_t* source = source_of(vtp, attrib->owner);
  size_t tuples = tuples_of(vtp, attrib->owner);
  size_t bytes = 0;
  const int32_t* values = attrib->values->data;
  const int32_t* default_tuple = attrib->default_tuple;
  char* out = NULL;
  // The first pass counts the bytes, the second one copies them.
  for (int pass = 0; pass < 2; ++pass) {
    size_t at = 0;
    for (size_t i = 0; i < tuples; ++i) {
      int64_t element = source ? source[i] : (int64_t)i;
      const int32_t* tuple = element < 0 ? default_tuple : values + (size_t)element * (size_t)attrib->size;
      for (int c = 0; c < attrib->size; ++c) {
        const char* text = rv_attrib_string_at(attrib, tuple[c]);
        size_t length = strlen(text) + 1;
        if (out) memcpy(out + at, text, length);
        at += length;
      }
    }
    bytes = at;
    if (!out) out = rv_alloc(bytes, 1);
    if (!out) return no_memory(error);
  }
  return add_block(vtp, section, "String", name, attrib->size, tuples, bytes, out, out, error);
}

// Adds a numeric attribute. Its array is written as it is where neither order nor storage change.
static RvResult add_numbers(Vtp* vtp, Section section, const RvAttrib* attrib, const char* name, RvError* error) {
  const int32_t* source = source_of(vtp, attrib->owner);
  size_t tuples = tuples_of(vtp, attrib->owner);
  size_t size = (size_t)attrib->size;
  bool half = attrib->storage == RV_F16;
  size_t stride = half ? sizeof(float) * size : attrib->stride;
  const char* type = vtk_type(attrib->storage);
  if (!source && !half)
    return add_block(vtp, section, type, name, attrib->size, tuples, tuples * stride, attrib->values->data, NULL,
                     error);
  // Gather the tuples, halves as floats.
  char* out = rv_alloc(tuples, stride);
  if (!out) return no_memory(error);
  for (size_t i = 0; i < tuples; ++i) {
    int64_t element = source ? source[i] : (int64_t)i;
    const char* tuple =
        element < 0 ? attrib->default_tuple : (const char*)attrib->values->data + (size_t)element * attrib->stride;
    if (!half) {
      memcpy(out + i * stride, tuple, stride);
      continue;
    }
    for (size_t c = 0; c < size; ++c) ((float*)out)[i * size + c] = rv_half_to_float(((const uint16_t*)tuple)[c]);
  }
  return add_block(vtp, section, type, name, attrib->size, tuples, tuples * stride, out, out, error);
}

// Adds a group as a 0/1 array named group_<name>.
static RvResult add_group(Vtp* vtp, Section section, const RvGroup* group, RvError* error) {
  char* name = rv_strf("group_%s", group->name);
  if (!name) return no_memory(error);
  // Cells and points without an element are no members.
  const int32_t* source = source_of(vtp, group->owner);
  size_t tuples = tuples_of(vtp, group->owner);
  uint8_t* out = rv_alloc(tuples, 1);
  RvResult result = RV_OK;
  if (!out) {
    result = no_memory(error);
  } else {
    const uint8_t* values = group->values->data;
    for (size_t i = 0; i < tuples; ++i) {
      int64_t element = source ? source[i] : (int64_t)i;
      out[i] = element >= 0 && values[element];
    }
    result = add_block(vtp, section, "UInt8", name, 1, tuples, tuples, out, out, error);
  }
  rv_free(name);
  return result;
}

// Adds all attributes and groups of an owner. Those of vertices become point data where each point has one vertex and
// no point attribute has the name; else a warning names them.
static RvResult add_owner(Vtp* vtp, RvOwner owner, RvError* error) {
  const RvDetail* detail = vtp->detail;
  Section section = owner == RV_PRIM ? CELL_DATA : owner == RV_GLOBAL ? FIELD : POINT_DATA;
  bool unsupported = owner == RV_VERTEX && !vtp->point_vertex;
  // Attributes, then groups; P is written as the points themselves.
  RvResult result = RV_OK;
  for (size_t i = 0; !result && i < detail->attribs[owner].count; ++i) {
    const RvAttrib* attrib = detail->attribs[owner].data[i];
    if (owner == RV_POINT && strcmp(attrib->name, "P") == 0) continue;
    if (unsupported || (owner == RV_VERTEX && rv_detail_find(detail, RV_POINT, attrib->name))) {
      rv_log(vtp->log, RV_LEVEL_WARNING,
             "the vertex attribute '%s' was not written: .vtp has data of points and cells only", attrib->name);
    } else if (attrib->storage == RV_STRING) {
      result = add_strings(vtp, section, attrib, attrib->name, error);
    } else {
      result = add_numbers(vtp, section, attrib, attrib->name, error);
    }
  }
  for (size_t i = 0; !result && i < detail->groups[owner].count; ++i) {
    const RvGroup* group = detail->groups[owner].data[i];
    if (unsupported || (owner == RV_VERTEX && rv_detail_find_group(detail, RV_POINT, group->name))) {
      rv_log(vtp->log, RV_LEVEL_WARNING,
             "the vertex group '%s' was not written: .vtp has data of points and cells only", group->name);
    } else {
      result = add_group(vtp, section, group, error);
    }
  }
  return result;
}

//---------------------------------------------------------------------------------------------- file

static const char* const SECTIONS[SECTION_COUNT] = {"FieldData", "PointData", "CellData", "Points",
                                                    "Verts",     "Lines",     "Polys"};

// Writes one XML element with its arrays. The offset of an array counts from the start of the appended data.
static void write_section(const Vtp* vtp, FILE* out, Section section) {
  const RvDetail* detail = vtp->detail;
  const char* indent = section == FIELD ? "    " : "      ";
  fprintf(out, "%s<%s", indent, SECTIONS[section]);
  if (section == POINT_DATA && rv_detail_f32(detail, RV_POINT, "v", 3)) fputs(" Vectors=\"v\"", out);
  if (section == POINT_DATA && rv_detail_f32(detail, RV_POINT, "N", 3)) fputs(" Normals=\"N\"", out);
  fputs(">\n", out);
  // An array of another section only advances the offset.
  size_t offset = 0;
  for (size_t i = 0; i < vtp->blocks.count; ++i) {
    const Block* block = &vtp->blocks.data[i];
    if (block->section == section) {
      fprintf(out, "%s  <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", indent, block->type, block->name,
              block->components);
      if (section == FIELD) fprintf(out, " NumberOfTuples=\"%zu\"", block->tuples);
      fprintf(out, " format=\"appended\" offset=\"%zu\"/>\n", offset);
    }
    offset += block->bytes + sizeof(uint64_t);
  }
  fprintf(out, "%s</%s>\n", indent, SECTIONS[section]);
}

// Writes the XML part and the appended data. Errors of the stream are found at its commit.
static void write_file(const Vtp* vtp, FILE* out) {
  const char* order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
  fprintf(out,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
          "header_type=\"UInt64\">\n  <PolyData>\n",
          order);
  // XML: field data, then the piece with all other arrays.
  write_section(vtp, out, FIELD);
  fprintf(out,
          "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" NumberOfStrips=\"0\" "
          "NumberOfPolys=\"%zu\">\n",
          vtp->detail->count[RV_POINT], vtp->count[CELL_VERTS], vtp->count[CELL_LINES], vtp->count[CELL_POLYS]);
  for (int section = POINT_DATA; section < SECTION_COUNT; ++section) write_section(vtp, out, (Section)section);
  // Appended data: each array behind its length.
  fputs("    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _", out);
  for (size_t i = 0; i < vtp->blocks.count && !ferror(out); ++i) {
    const Block* block = &vtp->blocks.data[i];
    uint64_t bytes = block->bytes;
    fwrite(&bytes, sizeof bytes, 1, out);
    if (block->bytes) fwrite(block->data, 1, block->bytes, out);
  }
  fputs("\n  </AppendedData>\n</VTKFile>\n", out);
}

RvResult rv_vtp_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  Vtp vtp = {.detail = detail, .log = log};
  uint8_t* used = NULL;
  RvFileOut out = {0};
  // Collect all arrays.
  rv_geo_warn_grids(detail, ".vtp", log);
  RvResult result = sort_cells(&vtp, &used, error);
  if (!result) result = find_point_vertices(&vtp, error);
  size_t npoint = detail->count[RV_POINT];
  if (!result)
    result = add_block(&vtp, POINTS, "Float32", "Points", 3, npoint, npoint * 3 * sizeof(float),
                       rv_detail_f32(detail, RV_POINT, "P", 3), NULL, error);
  for (int kind = 0; !result && kind < CELL_KINDS; ++kind) result = add_cells(&vtp, kind, used, error);
  for (int owner = 0; !result && owner < RV_OWNER_COUNT; ++owner) result = add_owner(&vtp, (RvOwner)owner, error);
  // Write the file.
  if (!result) result = rv_file_begin(&out, path, error);
  if (!result) {
    write_file(&vtp, out.stream);
    result = rv_file_commit(&out, error);
  }
  for (size_t i = 0; i < vtp.blocks.count; ++i) {
    rv_free(vtp.blocks.data[i].name);
    rv_free(vtp.blocks.data[i].owned);
  }
  rv_array_free(&vtp.blocks);
  rv_free(vtp.cell_prim);
  rv_free(vtp.point_vertex);
  rv_free(used);
  return result;
}
