// The VDBs of a detail as a USD Volume: the grids go to a .vdb file beside the layer, and a prim of OpenVDBAsset refers
// to each of them by its name (UsdVol).
#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "geo/io.h"
#include "geo/io_usda.h"
#include "geo/text.h"
#include "geo/usda.h"
#include "shim/number.h"

static const double LARGEST_PADDED_FRAME = 1e6;  // whole frames below this have four digits or more in file names

//---------------------------------------------------------------------------------------------- files

// Length of the path of a layer without its ending.
static size_t stem(const char* path) {
  return strlen(path) - (rv_text_ends(path, ".usda") ? strlen(".usda") : 0);
}

char* rv_usda_volume_path(const char* path) {
  return rv_strf("%.*s.volume.vdb", (int)stem(path), path);
}

// Path of the .vdb file of a frame. Free with rv_free; NULL when out of memory.
static char* file_of(const RvUsda* usda, size_t frame) {
  if (usda->sequence->count == 1) return rv_usda_volume_path(usda->path);
  size_t length = stem(usda->path);
  // Fractional frames are written as they are.
  double code = usda->sequence->frames[frame];
  char number[RV_NUMBER_TEXT];
  if (code == floor(code) && fabs(code) < LARGEST_PADDED_FRAME)
    snprintf(number, sizeof number, "%04d", (int)code);
  else
    number[rv_number_print_f64(number, code)] = 0;
  return rv_strf("%.*s.volume.%s.vdb", (int)length, usda->path, number);
}

// Grids that USD has types for.
static bool has_type(const RvGrid* grid) {
  RvGridType type = rv_grid_type(grid);
  return type == RV_GRID_FLOAT || type == RV_GRID_VEC3;
}

bool rv_usda_has_volume(const RvDetail* detail) {
  for (size_t i = 0; i < detail->grids.count; ++i)
    if (has_type(detail->grids.data[i].grid)) return true;
  return false;
}

// Whether a grid is written: those of other types are left out with a warning.
static bool is_field(const RvUsda* usda, const RvGrid* grid) {
  if (has_type(grid)) return true;
  rv_log(
      usda->log, RV_LEVEL_WARNING,
      "the VDB '%s' was not written: a Volume of .usda has grids of floats and of three floats; write a .vdb as well",
      rv_grid_name(grid));
  return false;
}

//---------------------------------------------------------------------------------------------- fields

// True if a field has this prim name.
static bool prim_taken(const RvUsda* usda, const char* prim) {
  for (size_t i = 0; i < usda->fields.count; ++i)
    if (strcmp(usda->fields.data[i].prim, prim) == 0) return true;
  return false;
}

// A prim name of letters, digits and '_' that no other field has. Free with rv_free; NULL when out of memory.
static char* prim_name(const RvUsda* usda, const char* grid) {
  char* identifier = rv_text_identifier(*grid ? grid : "field");
  char* name = identifier ? rv_strdup(identifier) : NULL;
  for (int number = 2; name && prim_taken(usda, name); ++number) {
    rv_free(name);
    name = rv_strf("%s_%d", identifier, number);
  }
  rv_free(identifier);
  return name;
}

// The field of a grid: by name, number among grids of that name, type and class. It is made if it is new. NULL when out
// of memory.
static RvUsdaField* field_of(RvUsda* usda, const RvGrid* grid, int index) {
  for (size_t i = 0; i < usda->fields.count; ++i) {
    RvUsdaField* f = &usda->fields.data[i];
    if (strcmp(f->grid, rv_grid_name(grid)) == 0 && f->index == index && f->type == rv_grid_type(grid) &&
        f->grid_class == rv_grid_class(grid))
      return f;
  }
  RvUsdaField field = {.grid = rv_strdup(rv_grid_name(grid)),
                       .prim = prim_name(usda, rv_grid_name(grid)),
                       .index = index,
                       .type = rv_grid_type(grid),
                       .grid_class = rv_grid_class(grid)};
  if (field.grid && field.prim && rv_array_push(&usda->fields, field))
    return &usda->fields.data[usda->fields.count - 1];
  rv_free(field.grid);
  rv_free(field.prim);
  return NULL;
}

// Notes that the current frame has the field. False when out of memory.
static bool mark_frame(const RvUsda* usda, RvUsdaField* field) {
  while (field->present.count < usda->frame)
    if (!rv_array_push(&field->present, 0)) return false;
  return rv_array_push(&field->present, 1);
}

// Adds the box of the active voxels of all grids as the extent of the volume.
static RvResult add_extent(RvUsda* usda, RvGrid* const* grids, size_t count, RvError* error) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < count; ++i) {
    int32_t first[3], last[3];
    double low[3], high[3];
    if (!rv_grid_bounds(grids[i], first, last, low, high)) continue;
    for (int c = 0; c < 3; ++c) {
      lo[c] = fmin(lo[c], low[c]);
      hi[c] = fmax(hi[c], high[c]);
    }
  }
  if (!(lo[0] <= hi[0])) return RV_OK;
  for (int side = 0; side < 2; ++side) {
    rv_usda_put(usda, side ? "), (" : "[(");
    for (int c = 0; c < 3; ++c) {
      if (c) rv_usda_put(usda, ", ");
      rv_usda_put_f32(usda, (float)(side ? hi[c] : lo[c]));
    }
  }
  rv_usda_put(usda, ")]");
  return rv_usda_sample(usda, RV_USDA_VOLUME, "extent", "extent", "float3[]", "", error);
}

// Writes the file of the frame, and remembers its path for a failure later.
static RvResult write_grids(RvUsda* usda, RvGrid* const* grids, size_t count, RvError* error) {
  char* path = file_of(usda, usda->frame);
  if (!path || !rv_array_push(&usda->files, path)) {
    rv_free(path);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the name of a .vdb file");
  }
  return rv_grid_write_file(path, grids, count, false, error);
}

RvResult rv_usda_add_grids(RvUsda* usda, const RvDetail* detail, RvError* error) {
  RvUsdaCounts counts = {{0}};
  RvGrid** grids = rv_alloc(detail->grids.count, sizeof *grids);
  size_t count = 0;
  bool ok = grids != NULL;
  for (size_t i = 0; ok && i < detail->grids.count; ++i)
    if (is_field(usda, detail->grids.data[i].grid)) grids[count++] = detail->grids.data[i].grid;
  // Fields, numbered among those of the same name.
  for (size_t i = 0; ok && i < count; ++i) {
    int index = 0;
    for (size_t k = 0; k < i; ++k) index += strcmp(rv_grid_name(grids[k]), rv_grid_name(grids[i])) == 0;
    RvUsdaField* field = field_of(usda, grids[i], index);
    ok = field && mark_frame(usda, field);
  }
  counts.element[RV_POINT] = count;
  ok = ok && rv_array_push(&usda->counts[RV_USDA_VOLUME], counts);
  RvResult result = ok ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu grids", detail->grids.count);
  if (!result && count) result = write_grids(usda, grids, count, error);
  if (!result && count) result = add_extent(usda, grids, count, error);
  rv_free(grids);
  return result;
}

//---------------------------------------------------------------------------------------------- text

// Writes the path of a frame's .vdb file, relative to the layer, as an asset. Names with '@' need USD's longer quotes.
// False: out of memory.
static bool write_asset(const RvUsda* usda, FILE* out, size_t frame) {
  char* path = file_of(usda, frame);
  if (!path) return false;
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  const char* quote = strchr(name, '@') ? "@@@" : "@";
  fprintf(out, "%s./%s%s", quote, name, quote);
  rv_free(path);
  return true;
}

// Writes the file of a field: one for all frames, or a time sample at each frame; frames without the grid have none.
// False: out of memory.
static bool write_file_path(const RvUsda* usda, FILE* out, const RvUsdaField* field) {
  const RvUsdaSequence* sequence = usda->sequence;
  bool ok = true;
  fputs("            asset filePath", out);
  if (!sequence->frames) {
    fputs(" = ", out);
    ok = write_asset(usda, out, 0);
    fputs("\n", out);
    return ok;
  }
  fputs(".timeSamples = {\n", out);
  for (size_t i = 0; i < sequence->count; ++i) {
    rv_usda_write_number(out, "                ", sequence->frames[i], ": ");
    if (i < field->present.count && field->present.data[i])
      ok &= write_asset(usda, out, i);
    else
      fputs("None", out);
    fputs(",\n", out);
  }
  fputs("            }\n", out);
  return ok;
}

bool rv_usda_write_fields(const RvUsda* usda, FILE* out) {
  static const char* const classes[] = {"unknown", "levelSet", "fogVolume", "staggered"};
  for (size_t i = 0; i < usda->fields.count; ++i)
    fprintf(out, "        rel field:%s = </rivulet/volume/%s>\n", usda->fields.data[i].prim, usda->fields.data[i].prim);
  for (size_t i = 0; i < usda->fields.count; ++i) {
    const RvUsdaField* field = &usda->fields.data[i];
    bool vector = field->type == RV_GRID_VEC3;
    char* name = rv_text_usda_string(field->grid);
    if (!name) return false;
    fprintf(out, "\n        def OpenVDBAsset \"%s\"\n        {\n", field->prim);
    fprintf(out, "            token fieldClass = \"%s\"\n", classes[field->grid_class]);
    fprintf(out, "            token fieldDataType = \"%s\"\n", vector ? "float3" : "float");
    fprintf(out, "            int fieldIndex = %d\n", field->index);
    fprintf(out, "            token fieldName = %s\n", name);
    fprintf(out, "            token vectorDataRoleHint = \"%s\"\n", vector ? "Vector" : "None");
    bool ok = write_file_path(usda, out, field);
    fputs("        }\n", out);
    rv_free(name);
    if (!ok) return false;
  }
  return true;
}

void rv_usda_remove_files(const RvUsda* usda) {
  for (size_t i = 0; i < usda->files.count; ++i) rv_platform_remove(usda->files.data[i]);
}

void rv_usda_free_fields(RvUsda* usda) {
  for (size_t i = 0; i < usda->fields.count; ++i) {
    rv_free(usda->fields.data[i].grid);
    rv_free(usda->fields.data[i].prim);
    rv_array_free(&usda->fields.data[i].present);
  }
  for (size_t i = 0; i < usda->files.count; ++i) rv_free(usda->files.data[i]);
  rv_array_free(&usda->fields);
  rv_array_free(&usda->files);
}
