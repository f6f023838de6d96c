#include "scene/checkpoint.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "parm/number.h"

static const char magic[8] = {'R', 'V', 'C', 'H', 'E', 'C', 'K', '\n'};
enum { VERSION = 1, HEADER = 56, NTEXT = 4, MAX_TEXT = 64 << 20 };

//------------------------------------------------------------------------------------------------ numbers of the frame

// the part of the stats that belongs to the state, as name=value words; times are of the run that took them
#define NUMBERS(X)   \
  X(ledger.bulk)     \
  X(ledger.film)     \
  X(ledger.absorbed) \
  X(ledger.initial) X(ledger.sources) X(ledger.killed) X(ledger.evaporated) X(ledger.outflow) X(residual)
#define INTEGERS(X) X(substeps) X(iterations) X(strands) X(vertices) X(particles) X(tiles) X(contacts) X(bridges)

static void write_stats(RvText* text, const RvStats* stats) {
#define PUT(field) rv_text_add(text, #field "="), rv_text_number(text, stats->field), rv_text_add(text, " ");
  NUMBERS(PUT)
#undef PUT
#define PUT(field) rv_text_addf(text, #field "=%lld ", (long long)stats->field);
  INTEGERS(PUT)
#undef PUT
}

static const char* find_number(const char* text, const char* name) {
  size_t length = strlen(name);
  for (const char* at = text; (at = strstr(at, name)); at += length)
    if ((at == text || at[-1] == ' ') && at[length] == '=') return at + length + 1;
  return NULL;
}

static double read_number(const char* text, const char* name) {
  const char *at = find_number(text, name), *end;
  double value;
  return at && rv_number_read(at, &end, &value) ? value : 0;
}

static int64_t read_integer(const char* text, const char* name) {
  const char* at = find_number(text, name);
  return at ? strtoll(at, NULL, 10) : 0;
}

static void read_stats(const char* text, RvStats* stats) {
#define GET(field) stats->field = read_number(text, #field);
  NUMBERS(GET)
#undef GET
#define GET(field) stats->field = (__typeof__(stats->field))read_integer(text, #field);
  INTEGERS(GET)
#undef GET
}

//------------------------------------------------------------------------------------------------ encode

static unsigned char* put64(unsigned char* at, uint64_t value) {
  value = htole64(value);
  memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

static uint64_t get64(const unsigned char* at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return le64toh(value);
}

static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static RvResult assemble(const RvCheckpoint* c, const RvText* texts, const void* payload, size_t payload_bytes,
                         void** bytes, size_t* count, RvError* error) {
  *count = HEADER + texts->count + payload_bytes + 8;
  unsigned char* data = rv_alloc(*count, 1);
  if (!data) return rv_fail(error, RV_NO_MEMORY, "out of memory for a checkpoint of %zu bytes", *count);
  unsigned char* at = data;
  memcpy(at, magic, sizeof magic);
  at = put64(at + sizeof magic, VERSION);
  at = put64(at, double_bits(c->frame));
  at = put64(at, c->key);
  at = put64(at, c->state_hash);
  at = put64(at, texts->count);
  at = put64(at, payload_bytes);
  memcpy(at, texts->data, texts->count);
  memcpy(at + texts->count, payload, payload_bytes);
  at += texts->count + payload_bytes;
  put64(at, rv_hash(data, *count - 8, 0));
  *bytes = data;
  return RV_OK;
}

// the state's form keeps no VDBs, and without them it would read back as another
static RvResult refuse_grids(const RvCheckpoint* c, RvError* error) {
  for (size_t i = 0; i < rv_detail_count(c->state, RV_PRIM); ++i) {
    const RvGrid* grid = rv_detail_prim_grid(c->state, i);
    if (grid)
      return rv_fail(
          error, RV_UNSUPPORTED,
          "node '%s', frame %g: its state holds the VDB '%s', which a checkpoint cannot keep; a solver keeps "
          "grids as attributes, or cook without checkpoints",
          c->node, c->frame, rv_grid_name(grid));
  }
  return RV_OK;
}

RvResult rv_scene_checkpoint_encode(const RvCheckpoint* c, void** bytes, size_t* count, RvError* error) {
  *bytes = NULL;
  *count = 0;
  RvResult result = refuse_grids(c, error);
  if (result) return result;
  RvText texts = {0};
  const char zero = 0;
  rv_text_add(&texts, c->node);
  rv_text_add_bytes(&texts, &zero, 1);
  rv_text_add(&texts, c->type);
  rv_text_add_bytes(&texts, &zero, 1);
  write_stats(&texts, &c->stats);
  rv_text_add_bytes(&texts, &zero, 1);
  rv_text_add(&texts, c->manifest);
  rv_text_add_bytes(&texts, &zero, 1);
  void* payload = NULL;
  size_t payload_bytes = 0;
  if (texts.failed)
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  else if (!(result = rv_detail_encode(c->state, "bgeo.sc", &payload, &payload_bytes, NULL, error)))
    result = assemble(c, &texts, payload, payload_bytes, bytes, count, error);
  rv_free(payload);
  rv_free(texts.data);
  return result;
}

//------------------------------------------------------------------------------------------------ decode

bool rv_scene_checkpoint_is(const void* bytes, size_t count) {
  return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static RvResult bad(RvError* error, const char* name, const char* what) {
  return rv_fail(error, RV_BAD_FILE, "checkpoint '%s': %s", name, what);
}

static RvResult check_frame(const unsigned char* data, size_t count, const char* name, RvError* error) {
  if (!rv_scene_checkpoint_is(data, count))
    return bad(error, name, "it does not begin as a checkpoint does (offset 0)");
  if (count < HEADER + 8)
    return rv_fail(error, RV_BAD_FILE, "checkpoint '%s': cut off after %zu bytes, inside its header", name, count);
  // the hash first: with it right, whatever else is wrong was written so
  if (get64(data + count - 8) != rv_hash(data, count - 8, 0))
    return rv_fail(error, RV_BAD_FILE, "checkpoint '%s' is damaged: the hash of its %zu bytes does not agree", name,
                   count);
  if (get64(data + 8) != VERSION)
    return rv_fail(error, RV_UNSUPPORTED, "checkpoint '%s' is of version %llu, this program reads %d (offset 8)", name,
                   (unsigned long long)get64(data + 8), VERSION);
  uint64_t texts = get64(data + 40), payload = get64(data + 48), room = count - HEADER - 8;
  if (texts > room || texts > MAX_TEXT || payload != room - texts)
    return bad(error, name, "the sizes of its parts do not add up (offset 40)");
  return RV_OK;
}

// the four texts, each ended by its zero and nothing after the last
static RvResult read_texts(const char* texts, size_t bytes, const char* name, RvCheckpoint* out, RvError* error) {
  char* parts[NTEXT] = {0};
  RvResult result = RV_OK;
  size_t at = 0;
  for (int i = 0; i < NTEXT && !result; ++i) {
    size_t length = strnlen(texts + at, bytes - at);
    if (at + length >= bytes)
      result = bad(error, name, "its texts are cut off (offset 56)");
    else if (!(parts[i] = rv_strdup(texts + at)))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    at += length + 1;
  }
  if (!result && at != bytes) result = bad(error, name, "there is more than its texts (offset 56)");
  out->node = parts[0];
  out->type = parts[1];
  out->manifest = parts[3];
  if (!result) read_stats(parts[2], &out->stats);
  rv_free(parts[2]);
  return result;
}

RvResult rv_scene_checkpoint_decode(const void* bytes, size_t count, const char* name, RvCheckpoint* out,
                                    RvError* error) {
  *out = (RvCheckpoint){0};
  const unsigned char* data = bytes;
  RvResult result = check_frame(data, count, name, error);
  if (result) return result;
  uint64_t frame = get64(data + 16), texts = get64(data + 40), payload = get64(data + 48);
  memcpy(&out->frame, &frame, sizeof frame);
  out->key = get64(data + 24);
  out->state_hash = get64(data + 32);
  if (!isfinite(out->frame)) result = bad(error, name, "its frame is not a number (offset 16)");
  if (!result) result = read_texts((const char*)data + HEADER, texts, name, out, error);
  if (!result && rv_hash(out->manifest, strlen(out->manifest), 0) != out->key)
    result = bad(error, name, "its key is not that of its manifest (offset 24)");
  if (!result && (result = rv_detail_decode(data + HEADER + texts, payload, &out->state, NULL, error)))
    rv_error_context(error, "checkpoint '%s', state at offset %llu", name, (unsigned long long)(HEADER + texts));
  if (!result && rv_detail_hash(out->state) != out->state_hash)
    result = bad(error, name, "the hash of its state does not agree (offset 32)");
  if (result) rv_scene_checkpoint_free(out);
  return result;
}

RvResult rv_scene_checkpoint_read(const char* path, RvCheckpoint* out, RvError* error) {
  *out = (RvCheckpoint){0};
  void* bytes;
  size_t count;
  RvResult result = rv_file_read(path, 0, &bytes, &count, error);
  if (result) return result;
  result = rv_scene_checkpoint_decode(bytes, count, path, out, error);
  rv_free(bytes);
  return result;
}

void rv_scene_checkpoint_free(RvCheckpoint* checkpoint) {
  rv_free(checkpoint->node);
  rv_free(checkpoint->type);
  rv_free(checkpoint->manifest);
  rv_detail_free(checkpoint->state);
  *checkpoint = (RvCheckpoint){0};
}
