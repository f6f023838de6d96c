// The USD file. While the frames come in, the text of each sample goes to a spool file; at the end every property is
// written with all of its samples.
#include "geo/io_usda.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "geo/text.h"
#include "geo/usda.h"
#include "shim/number.h"

enum { COPY_BYTES = 1 << 16 };  // of the copy buffer

// Frames per second where the sequence gives none; USD's own default of timeCodesPerSecond.
static const double DEFAULT_FPS = 24;

// The prims of the file.
static const struct {
  const char* schema;  // USD type of the prim
  const char* name;
  const char* fixed;  // properties that do not depend on the geometry
} KINDS[RV_USDA_KIND_COUNT] = {
    {"BasisCurves", "strands", ""},
    {"Mesh", "mesh",
     "        uniform token orientation = \"leftHanded\"\n        uniform token subdivisionScheme = \"none\"\n"},
    {"Points", "points", ""},
    {"Volume", "volume", ""},
    {"Camera", "camera",
     "        token projection = \"perspective\"\n"
     "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"},
};

// The names of the bases.
static const char* const BASES[] = {"", "catmullRom", "bspline"};

//---------------------------------------------------------------------------------------------- properties

// The property with this key, or NULL.
static RvUsdaProperty* find_key(const RvUsda* usda, RvUsdaKind kind, const char* key) {
  for (size_t i = 0; i < usda->properties[kind].count; ++i) {
    if (strcmp(usda->properties[kind].data[i].key, key) == 0) return &usda->properties[kind].data[i];
  }
  return NULL;
}

// True if a property of the prim has this name.
static bool name_taken(const RvUsda* usda, RvUsdaKind kind, const char* name) {
  for (size_t i = 0; i < usda->properties[kind].count; ++i) {
    if (strcmp(usda->properties[kind].data[i].name, name) == 0) return true;
  }
  return false;
}

char* rv_usda_unique_name(const RvUsda* usda, RvUsdaKind kind, const char* key, const char* wanted, RvOwner owner) {
  const RvUsdaProperty* known = find_key(usda, kind, key);
  if (known) return rv_strdup(known->name);
  // USD allows only letters, digits and '_'.
  char* identifier = rv_text_identifier(wanted);
  char* name = identifier ? rv_strf("primvars:%s", identifier) : NULL;
  // If the name is taken, the owner is added to it, then a number.
  for (int attempt = 1; name && name_taken(usda, kind, name); ++attempt) {
    rv_free(name);
    name = attempt == 1 ? rv_strf("primvars:%s_%s", identifier, rv_owner_name(owner))
                        : rv_strf("primvars:%s_%s%d", identifier, rv_owner_name(owner), attempt);
  }
  rv_free(identifier);
  return name;
}

// Adds a property. NULL when out of memory.
static RvUsdaProperty* add_property(RvUsda* usda, RvUsdaKind kind, const char* key, const char* name, const char* type,
                                    const char* metadata) {
  RvUsdaProperty property = {
      .key = rv_strdup(key), .name = rv_strdup(name), .type = rv_strdup(type), .metadata = rv_strdup(metadata)};
  // All strings are copied, or none stays.
  bool ok = property.key && property.name && property.type && property.metadata;
  if (ok && rv_array_push(&usda->properties[kind], property))
    return &usda->properties[kind].data[usda->properties[kind].count - 1];
  rv_free(property.key);
  rv_free(property.name);
  rv_free(property.type);
  rv_free(property.metadata);
  return NULL;
}

RvResult rv_usda_sample(RvUsda* usda, RvUsdaKind kind, const char* key, const char* name, const char* type,
                        const char* metadata, RvError* error) {
  size_t used = usda->used;
  usda->used = 0;
  if (usda->failed) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // The property, which must keep its type over the frames.
  RvUsdaProperty* property = find_key(usda, kind, key);
  if (property && (strcmp(property->type, type) != 0 || strcmp(property->metadata, metadata) != 0)) {
    rv_log(usda->log, RV_LEVEL_WARNING, "'%s' changes from %s to %s in the sequence; the later values were not written",
           name, property->type, type);
    return RV_OK;
  }
  if (!property) property = add_property(usda, kind, key, name, type, metadata);
  if (!property) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // The text goes to the spool, unless it is that of the sample before.
  RvUsdaSample sample = {usda->frame, usda->spooled, used, rv_hash(usda->text, used, 0)};
  size_t count = property->samples.count;
  const RvUsdaSample* last = count ? &property->samples.data[count - 1] : NULL;
  if (last && last->length == sample.length && last->hash == sample.hash) {
    // A sample with the text of the one before refers to the same place in the spool.
    sample.offset = last->offset;
  } else {
    if (fwrite(usda->text, 1, used, usda->spool) != used)
      return rv_fail(error, rv_file_reason(errno), "cannot write the temporary file with the samples of '%s': %s", name,
                     strerror(errno));
    usda->spooled += used;
  }
  return rv_array_push(&property->samples, sample) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

void rv_usda_set_missing(RvUsda* usda, RvUsdaKind kind, const char* key, RvOwner owner, int per_element,
                         const char* missing) {
  RvUsdaProperty* property = find_key(usda, kind, key);
  if (!property) return;
  property->owner = owner;
  property->per_element = per_element;
  property->missing = missing;
}

//---------------------------------------------------------------------------------------------- samples

double rv_usda_meters(const RvUsdaSequence* sequence) {
  return sequence->meters_per_unit > 0 && isfinite(sequence->meters_per_unit) ? sequence->meters_per_unit : 1;
}

void rv_usda_write_number(FILE* out, const char* before, double value, const char* after) {
  char text[RV_NUMBER_TEXT];
  size_t length = rv_number_print_f64(text, value);
  fprintf(out, "%s%.*s%s", before, (int)length, text, after);
}

// Copies the text of a sample from the spool to the file.
static RvResult copy_sample(const RvUsda* usda, FILE* out, const RvUsdaSample* sample, RvError* error) {
  char bytes[COPY_BYTES];
  if (!rv_platform_seek(usda->spool, sample->offset))
    return rv_fail(error, rv_file_reason(errno), "cannot read the temporary file of samples: %s", strerror(errno));
  for (uint64_t remaining = sample->length; remaining;) {
    size_t n = remaining < COPY_BYTES ? (size_t)remaining : COPY_BYTES;
    if (fread(bytes, 1, n, usda->spool) != n) return rv_fail(error, RV_IO, "cannot read the temporary file of samples");
    if (fwrite(bytes, 1, n, out) != n) return RV_OK;  // rv_file_commit reports the error
    remaining -= n;
  }
  return RV_OK;
}

// True if two samples (may be NULL) have the same text.
static bool same_text(const RvUsdaSample* a, const RvUsdaSample* b) {
  return a && b && a->offset == b->offset && a->length == b->length;
}

// The sample of a frame; NULL if it has none.
static const RvUsdaSample* sample_at(const RvUsdaProperty* property, size_t frame) {
  size_t low = 0, high = property->samples.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (property->samples.data[middle].frame < frame)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < property->samples.count && property->samples.data[low].frame == frame;
  return found ? &property->samples.data[low] : NULL;
}

// True if the sample of a frame lies between two equal ones, so that interpolation gives it.
static bool is_inner(const RvUsdaProperty* property, size_t frame) {
  const RvUsdaSample* sample = sample_at(property, frame);
  return frame > 0 && same_text(sample_at(property, frame - 1), sample) &&
         same_text(sample, sample_at(property, frame + 1));
}

// True if all frames have the same value.
static bool is_constant(const RvUsdaProperty* property, const RvUsdaSequence* sequence) {
  bool constant = property->samples.count == sequence->count;
  for (size_t i = 1; constant && i < property->samples.count; ++i)
    constant = same_text(&property->samples.data[0], &property->samples.data[i]);
  return constant;
}

// Points and their motion have the same time codes: readers take velocities only where they match (UsdGeomPointBased).
static bool is_motion(const RvUsdaProperty* property) {
  return strcmp(property->name, "points") == 0 || strcmp(property->name, "velocities") == 0 ||
         strcmp(property->name, "accelerations") == 0;
}

// True if no sample is written at the frame: it is given by its neighbours, as are those of its group.
static bool is_skipped(const RvUsda* usda, RvUsdaKind kind, const RvUsdaProperty* property, size_t frame) {
  bool inner = is_inner(property, frame);
  for (size_t i = 0; inner && is_motion(property) && i < usda->properties[kind].count; ++i) {
    const RvUsdaProperty* other = &usda->properties[kind].data[i];
    if (is_motion(other)) inner = is_inner(other, frame);
  }
  return inner;
}

// True if the property is written as one value. That of a single frame with a time code has a sample, because value
// clips read nothing else.
static bool is_single(const RvUsda* usda, RvUsdaKind kind, const RvUsdaProperty* property) {
  const RvUsdaSequence* sequence = usda->sequence;
  bool constant = is_constant(property, sequence) && !(sequence->frames && sequence->count == 1);
  for (size_t i = 0; constant && is_motion(property) && i < usda->properties[kind].count; ++i) {
    const RvUsdaProperty* other = &usda->properties[kind].data[i];
    if (is_motion(other)) constant = is_constant(other, sequence);
  }
  return constant;
}

// Writes the value of a frame without a sample. Without geometry arrays are empty; where only the attribute is missing,
// elements have its default. Other properties have no value there.
static void write_missing(FILE* out, const RvUsdaProperty* property, const RvUsdaCounts* counts) {
  bool array = strstr(property->type, "[]") != NULL, geometry = counts->element[RV_POINT] > 0;
  bool extent = strcmp(property->name, "extent") == 0;
  if (extent || (!geometry && !array) || (geometry && !property->missing)) {
    fputs("None", out);
    return;
  }
  size_t count = geometry ? counts->element[property->owner] * (size_t)property->per_element : 0;
  if (array) fputs("[", out);
  for (size_t i = 0; i < count; ++i) fprintf(out, "%s%s", i ? ", " : "", property->missing);
  if (array) fputs("]", out);
}

// Writes the time samples of a property.
static RvResult write_samples(const RvUsda* usda, FILE* out, RvUsdaKind kind, const RvUsdaProperty* property,
                              RvError* error) {
  const RvUsdaSequence* sequence = usda->sequence;
  RvResult result = RV_OK;
  fputs(".timeSamples = {\n", out);
  for (size_t frame = 0; !result && frame < sequence->count; ++frame) {
    if (is_skipped(usda, kind, property, frame)) continue;
    const RvUsdaSample* sample = sample_at(property, frame);
    rv_usda_write_number(out, "            ", sequence->frames[frame], ": ");
    if (sample)
      result = copy_sample(usda, out, sample, error);
    else
      write_missing(out, property, &usda->counts[kind].data[frame]);
    fputs(",\n", out);
  }
  fputs("        }", out);
  return result;
}

// Writes a property: a single value if all frames have the same one, else time samples.
static RvResult write_property(const RvUsda* usda, FILE* out, RvUsdaKind kind, const RvUsdaProperty* property,
                               RvError* error) {
  RvResult result = RV_OK;
  if (is_single(usda, kind, property)) {
    fprintf(out, "        %s %s = ", property->type, property->name);
    result = copy_sample(usda, out, &property->samples.data[0], error);
    if (*property->metadata) fprintf(out, " (\n            %s\n        )", property->metadata);
    fputs("\n", out);
    return result;
  }
  // Metadata belongs to the declaration, which is separate from the samples.
  if (*property->metadata)
    fprintf(out, "        %s %s (\n            %s\n        )\n", property->type, property->name, property->metadata);
  fprintf(out, "        %s %s", property->type, property->name);
  result = write_samples(usda, out, kind, property, error);
  fputs("\n", out);
  return result;
}

//---------------------------------------------------------------------------------------------- file

// Writes how the points of curves are joined. Pinned curves begin and end in their first and last points, as linear
// ones do.
static void write_basis(FILE* out, RvUsdaBasis basis) {
  bool cubic = basis != RV_USDA_LINEAR;
  if (cubic) fprintf(out, "        uniform token basis = \"%s\"\n", BASES[basis]);
  fprintf(out, "        uniform token type = \"%s\"\n", cubic ? "cubic" : "linear");
  fprintf(out, "        uniform token wrap = \"%s\"\n", cubic ? "pinned" : "nonperiodic");
}

// Writes a prim with its properties, the grids of a volume, and its material.
static RvResult write_prim(const RvUsda* usda, FILE* out, RvUsdaKind kind, RvError* error) {
  const char* material = rv_usda_material(usda, kind);
  RvResult result = RV_OK;
  fprintf(out, "    def %s \"%s\"", KINDS[kind].schema, KINDS[kind].name);
  if (material) fputs(" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )", out);
  fprintf(out, "\n    {\n%s", KINDS[kind].fixed);
  if (kind == RV_USDA_CURVES) write_basis(out, usda->sequence->basis);
  if (material) fprintf(out, "        rel material:binding = </rivulet/materials/%s>\n", material);
  for (size_t i = 0; !result && i < usda->properties[kind].count; ++i)
    result = write_property(usda, out, kind, &usda->properties[kind].data[i], error);
  if (!result && kind == RV_USDA_VOLUME && !rv_usda_write_fields(usda, out))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the grids of '%s'", usda->path);
  fputs("    }\n\n", out);
  return result;
}

// Writes the layer metadata and all prims.
static RvResult write_file(const RvUsda* usda, FILE* out, RvError* error) {
  const RvUsdaSequence* sequence = usda->sequence;
  double fps = sequence->fps > 0 && isfinite(sequence->fps) ? sequence->fps : DEFAULT_FPS;
  bool timed = sequence->frames && sequence->count;
  // Layer metadata.
  fputs("#usda 1.0\n(\n    defaultPrim = \"rivulet\"\n", out);
  if (timed) rv_usda_write_number(out, "    endTimeCode = ", sequence->frames[sequence->count - 1], "\n");
  rv_usda_write_number(out, "    framesPerSecond = ", fps, "\n");
  rv_usda_write_number(out, "    metersPerUnit = ", rv_usda_meters(sequence), "\n");
  if (timed) rv_usda_write_number(out, "    startTimeCode = ", sequence->frames[0], "\n");
  rv_usda_write_number(out, "    timeCodesPerSecond = ", fps, "\n");
  fputs("    upAxis = \"Y\"\n)\n\ndef Xform \"rivulet\" (\n    kind = \"component\"\n)\n{\n", out);
  // One prim for each kind of geometry that any frame has; then their materials.
  RvResult result = RV_OK;
  for (int kind = 0; !result && kind < RV_USDA_KIND_COUNT; ++kind) {
    bool fields = kind == RV_USDA_VOLUME && usda->fields.count;
    if (usda->properties[kind].count || fields) result = write_prim(usda, out, (RvUsdaKind)kind, error);
  }
  rv_usda_write_materials(usda, out);
  fputs("}\n", out);
  return result;
}

// Opens the spool as a temporary file beside the target, where there is room for it, and removes its name at once.
static RvResult open_spool(RvUsda* usda, const char* path, RvError* error) {
  char* beside = rv_strf("%s.samples", path);
  char* name = NULL;
  int file;
  RvResult result =
      beside ? rv_file_temporary(beside, &name, &file, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    usda->spool = rv_platform_spool(file, name);
    if (!usda->spool) {
      result = rv_fail(error, rv_file_reason(errno), "cannot write '%s': %s", path, strerror(errno));
      rv_platform_close(file);
    }
  }
  rv_free(beside);
  rv_free(name);
  return result;
}

// Frees everything and closes the spool, which deletes it.
static void free_usda(RvUsda* usda) {
  for (int kind = 0; kind < RV_USDA_KIND_COUNT; ++kind) {
    for (size_t i = 0; i < usda->properties[kind].count; ++i) {
      RvUsdaProperty* property = &usda->properties[kind].data[i];
      rv_free(property->key);
      rv_free(property->name);
      rv_free(property->type);
      rv_free(property->metadata);
      rv_array_free(&property->samples);
    }
    rv_array_free(&usda->properties[kind]);
    rv_array_free(&usda->counts[kind]);
  }
  rv_usda_free_fields(usda);
  rv_free(usda->text);
  if (usda->spool) fclose(usda->spool);
}

// Checks that there are frames and that their time codes ascend.
static RvResult check_sequence(const RvUsdaSequence* sequence, const char* path, RvError* error) {
  if (!sequence->count) return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': there are no frames", path);
  if (!sequence->frames && sequence->count > 1)
    return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': %zu frames without time codes", path, sequence->count);
  // Time codes are finite and ascend.
  for (size_t i = 0; sequence->frames && i < sequence->count; ++i) {
    if (!isfinite(sequence->frames[i]))
      return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': time code %zu is not a finite number", path, i);
    if (i && !(sequence->frames[i] > sequence->frames[i - 1]))
      return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': frame %g follows frame %g; frames must ascend", path,
                     sequence->frames[i], sequence->frames[i - 1]);
  }
  return RV_OK;
}

RvResult rv_usda_write_sequence(const RvUsdaSequence* sequence, const char* path, const RvLog* log, RvError* error) {
  RvUsda usda = {.log = log, .sequence = sequence, .path = path};
  RvFileOut out = {0};
  RvResult result = check_sequence(sequence, path, error);
  if (!result) result = open_spool(&usda, path, error);
  // Spool the samples of all frames.
  for (size_t i = 0; !result && i < sequence->count; ++i) {
    const RvDetail* detail = NULL;
    usda.frame = i;
    result = sequence->detail_at(sequence->user, i, &detail, error);
    if (!result) result = rv_usda_add_detail(&usda, detail, error);
  }
  if (!result && fflush(usda.spool) != 0)
    result = rv_fail(error, rv_file_reason(errno), "cannot write '%s': %s", path, strerror(errno));
  // Write the file.
  if (!result) result = rv_file_begin(&out, path, error);
  if (!result) {
    result = write_file(&usda, out.stream, error);
    if (result) {
      rv_file_abandon(&out);
    } else {
      result = rv_file_commit(&out, error);
    }
  }
  if (result) rv_usda_remove_files(&usda);
  free_usda(&usda);
  return result;
}

// detail_at of a sequence of one frame: `user` is the detail.
static RvResult only_detail(void* user, size_t index, const RvDetail** out, RvError* error) {
  (void)index;
  (void)error;
  *out = user;
  return RV_OK;
}

RvResult rv_usda_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error) {
  RvUsdaSequence sequence = {.count = 1, .user = (void*)detail, .detail_at = only_detail};
  return rv_usda_write_sequence(&sequence, path, log, error);
}
