// The USD file: samples are spooled while the frames come, then each property is written with all of its own.
#include "geo/io_usda.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "geo/text.h"
#include "geo/usda.h"
#include "shim/number.h"

enum { COPY_BYTES = 1 << 16 };

static const struct {
  const char* schema;
  const char* name;
  const char* fixed;  // properties that never change
} KINDS[RV_USDA_KIND_COUNT] = {
    {"BasisCurves", "strands",
     "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n"},
    {"Mesh", "mesh",
     "        uniform token orientation = \"leftHanded\"\n        uniform token subdivisionScheme = \"none\"\n"},
    {"Points", "points", ""},
};

//---------------------------------------------------------------------------------------------- properties

static RvUsdaProperty* find_key(const RvUsda* usda, RvUsdaKind kind, const char* key) {
  for (size_t i = 0; i < usda->properties[kind].count; ++i) {
    if (strcmp(usda->properties[kind].data[i].key, key) == 0) return &usda->properties[kind].data[i];
  }
  return NULL;
}

static bool name_taken(const RvUsda* usda, RvUsdaKind kind, const char* name) {
  for (size_t i = 0; i < usda->properties[kind].count; ++i) {
    if (strcmp(usda->properties[kind].data[i].name, name) == 0) return true;
  }
  return false;
}

char* rv_usda_unique_name(const RvUsda* usda, RvUsdaKind kind, const char* key, const char* wanted, RvOwner owner) {
  const RvUsdaProperty* known = find_key(usda, kind, key);
  if (known) return rv_strdup(known->name);
  char* identifier = rv_text_identifier(wanted);
  char* name = identifier ? rv_strf("primvars:%s", identifier) : NULL;
  // the owner tells two apart, and a number whatever is still alike
  for (int attempt = 1; name && name_taken(usda, kind, name); ++attempt) {
    rv_free(name);
    name = attempt == 1 ? rv_strf("primvars:%s_%s", identifier, rv_owner_name(owner))
                        : rv_strf("primvars:%s_%s%d", identifier, rv_owner_name(owner), attempt);
  }
  rv_free(identifier);
  return name;
}

static RvUsdaProperty* add_property(RvUsda* usda, RvUsdaKind kind, const char* key, const char* name, const char* type,
                                    const char* metadata) {
  RvUsdaProperty property = {
      .key = rv_strdup(key), .name = rv_strdup(name), .type = rv_strdup(type), .metadata = rv_strdup(metadata)};
  bool made = property.key && property.name && property.type && property.metadata;
  if (made && rv_array_push(&usda->properties[kind], property))
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
  RvUsdaProperty* property = find_key(usda, kind, key);
  if (property && (strcmp(property->type, type) != 0 || strcmp(property->metadata, metadata) != 0)) {
    rv_log(usda->log, RV_LEVEL_WARNING, "'%s' changes from %s to %s in the sequence; the later values were not written",
           name, property->type, type);
    return RV_OK;
  }
  if (!property) property = add_property(usda, kind, key, name, type, metadata);
  if (!property) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvUsdaSample sample = {usda->frame, usda->spooled, used, rv_hash(usda->text, used, 0)};
  size_t count = property->samples.count;
  const RvUsdaSample* last = count ? &property->samples.data[count - 1] : NULL;
  if (last && last->length == sample.length && last->hash == sample.hash) {
    // the same text once more is the same place in the spool
    sample.offset = last->offset;
  } else {
    if (fwrite(usda->text, 1, used, usda->spool) != used)
      return rv_fail(error, RV_IO, "cannot keep the samples of '%s': %s", name, strerror(errno));
    usda->spooled += used;
  }
  return rv_array_push(&property->samples, sample) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

//---------------------------------------------------------------------------------------------- file

// a number between two texts, whatever the locale
static void write_number(FILE* out, const char* before, double value, const char* after) {
  char text[RV_NUMBER_TEXT];
  size_t length = rv_number_print_f64(text, value);
  fprintf(out, "%s%.*s%s", before, (int)length, text, after);
}

static RvResult copy_sample(const RvUsda* usda, FILE* out, const RvUsdaSample* sample, RvError* error) {
  char bytes[COPY_BYTES];
  if (fseeko(usda->spool, (off_t)sample->offset, SEEK_SET) != 0)
    return rv_fail(error, RV_IO, "cannot read the samples back: %s", strerror(errno));
  for (uint64_t left = sample->length; left;) {
    size_t n = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
    if (fread(bytes, 1, n, usda->spool) != n) return rv_fail(error, RV_IO, "cannot read the samples back");
    if (fwrite(bytes, 1, n, out) != n) return RV_OK;  // told at the commit
    left -= n;
  }
  return RV_OK;
}

static bool same_place(const RvUsdaSample* a, const RvUsdaSample* b) {
  return a && b && a->offset == b->offset && a->length == b->length;
}

static RvResult write_samples(const RvUsda* usda, FILE* out, RvUsdaKind kind, const RvUsdaProperty* property,
                              const RvUsdaSequence* sequence, RvError* error) {
  size_t next = 0;
  const RvUsdaSample* previous = NULL;
  RvResult result = RV_OK;
  fputs(".timeSamples = {\n", out);
  for (size_t frame = 0; !result && frame < sequence->count; ++frame) {
    const RvUsdaSample* samples = property->samples.data;
    bool here = next < property->samples.count && samples[next].frame == frame;
    const RvUsdaSample* sample = here ? &samples[next++] : NULL;
    const RvUsdaSample* after =
        next < property->samples.count && samples[next].frame == frame + 1 ? &samples[next] : NULL;
    // between equal neighbours interpolation gives the same
    bool inner = sample && same_place(previous, sample) && same_place(sample, after);
    previous = sample;
    if (inner) continue;
    write_number(out, "            ", sequence->frames[frame], ": ");
    if (sample) {
      result = copy_sample(usda, out, sample, error);
    } else {
      // no geometry: an empty array, but no box; geometry without this attribute: no value
      bool array = strstr(property->type, "[]") && !usda->present[kind].data[frame];
      if (strcmp(property->name, "extent") == 0) array = false;
      fputs(array ? "[]" : "None", out);
    }
    fputs(",\n", out);
  }
  fputs("        }", out);
  return result;
}

static RvResult write_property(const RvUsda* usda, FILE* out, RvUsdaKind kind, const RvUsdaProperty* property,
                               const RvUsdaSequence* sequence, RvError* error) {
  size_t count = property->samples.count;
  bool constant = count == sequence->count;
  for (size_t i = 1; constant && i < count; ++i)
    constant = same_place(&property->samples.data[0], &property->samples.data[i]);
  RvResult result = RV_OK;
  if (constant) {
    fprintf(out, "        %s %s = ", property->type, property->name);
    result = copy_sample(usda, out, &property->samples.data[0], error);
    if (*property->metadata) fprintf(out, " (\n            %s\n        )", property->metadata);
    fputs("\n", out);
    return result;
  }
  // metadata stands with the declaration, the samples apart
  if (*property->metadata)
    fprintf(out, "        %s %s (\n            %s\n        )\n", property->type, property->name, property->metadata);
  fprintf(out, "        %s %s", property->type, property->name);
  result = write_samples(usda, out, kind, property, sequence, error);
  fputs("\n", out);
  return result;
}

static RvResult write_file(const RvUsda* usda, FILE* out, const RvUsdaSequence* sequence, RvError* error) {
  double fps = sequence->fps > 0 && isfinite(sequence->fps) ? sequence->fps : 24;
  double meters = sequence->meters_per_unit > 0 && isfinite(sequence->meters_per_unit) ? sequence->meters_per_unit : 1;
  bool timed = sequence->frames && sequence->count;
  fputs("#usda 1.0\n(\n    defaultPrim = \"rivulet\"\n", out);
  if (timed) write_number(out, "    endTimeCode = ", sequence->frames[sequence->count - 1], "\n");
  write_number(out, "    framesPerSecond = ", fps, "\n");
  write_number(out, "    metersPerUnit = ", meters, "\n");
  if (timed) write_number(out, "    startTimeCode = ", sequence->frames[0], "\n");
  write_number(out, "    timeCodesPerSecond = ", fps, "\n");
  fputs("    upAxis = \"Y\"\n)\n\ndef Xform \"rivulet\"\n{\n", out);
  RvResult result = RV_OK;
  for (int kind = 0; !result && kind < RV_USDA_KIND_COUNT; ++kind) {
    if (!usda->properties[kind].count) continue;
    fprintf(out, "    def %s \"%s\"\n    {\n%s", KINDS[kind].schema, KINDS[kind].name, KINDS[kind].fixed);
    for (size_t i = 0; !result && i < usda->properties[kind].count; ++i)
      result = write_property(usda, out, (RvUsdaKind)kind, &usda->properties[kind].data[i], sequence, error);
    fputs("    }\n\n", out);
  }
  fputs("}\n", out);
  return result;
}

// the spool lies beside the target, where there is room for it, and has no name
static RvResult open_spool(RvUsda* usda, const char* path, RvError* error) {
  char* beside = rv_strf("%s.samples", path);
  char* name = NULL;
  RvResult result = beside ? rv_file_temporary(beside, &name, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    usda->spool = fopen(name, "w+be");
    if (!usda->spool) result = rv_fail(error, RV_IO, "cannot write '%s': %s", path, strerror(errno));
    if (usda->spool) unlink(name);
  }
  rv_free(beside);
  rv_free(name);
  return result;
}

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
    rv_array_free(&usda->present[kind]);
  }
  rv_free(usda->text);
  if (usda->spool) fclose(usda->spool);
}

static RvResult check_sequence(const RvUsdaSequence* sequence, const char* path, RvError* error) {
  if (!sequence->count) return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': there are no frames", path);
  if (!sequence->frames && sequence->count > 1)
    return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': %zu frames without time codes", path, sequence->count);
  for (size_t i = 0; sequence->frames && i < sequence->count; ++i) {
    if (!isfinite(sequence->frames[i]))
      return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': time code %zu is no number", path, i);
    if (i && !(sequence->frames[i] > sequence->frames[i - 1]))
      return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': frame %g follows frame %g", path, sequence->frames[i],
                     sequence->frames[i - 1]);
  }
  return RV_OK;
}

RvResult rv_usda_write_sequence(const RvUsdaSequence* sequence, const char* path, const RvLog* log, RvError* error) {
  RvUsda usda = {.log = log};
  RvFileOut out = {0};
  RvResult result = check_sequence(sequence, path, error);
  if (!result) result = open_spool(&usda, path, error);
  for (size_t i = 0; !result && i < sequence->count; ++i) {
    const RvDetail* detail = NULL;
    usda.frame = i;
    result = sequence->detail_at(sequence->user, i, &detail, error);
    if (!result) result = rv_usda_add_detail(&usda, detail, error);
  }
  if (!result && fflush(usda.spool) != 0)
    result = rv_fail(error, RV_IO, "cannot write '%s': %s", path, strerror(errno));
  if (!result) result = rv_file_begin(&out, path, error);
  if (!result) {
    result = write_file(&usda, out.stream, sequence, error);
    if (result) {
      rv_file_abandon(&out);
    } else {
      result = rv_file_commit(&out, error);
    }
  }
  free_usda(&usda);
  return result;
}

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
