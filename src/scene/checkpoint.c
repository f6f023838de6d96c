// Encoding and decoding of checkpoint files; the layout is in checkpoint.h.
#include "scene/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "parm/number.h"

static const char magic[8] = {'R', 'V', 'C', 'H', 'E', 'C', 'K', '\n'};
enum {
  VERSION = 2,
  // Offsets in bytes of the fields of the header.
  AT_VERSION = 8,
  AT_FRAME = 16,
  AT_KEY = 24,
  AT_STATE_HASH = 32,
  AT_TEXT_BYTES = 40,
  AT_STATE_BYTES = 48,
  HEADER = 56,          // bytes of the header
  HASH = 8,             // bytes of the hash at the end
  NTEXT = 4,            // texts after the header
  MAX_TEXT = 64 << 20,  // bytes of all texts; bounds what a damaged file can ask for
};

//------------------------------------------------------------------------------------------------ stats

// The fields of RvStats that belong to the state, written as name=value words. Times belong to the run and are left
// out.
#define NUMBERS(X)   \
  X(ledger.bulk)     \
  X(ledger.film)     \
  X(ledger.absorbed) \
  X(ledger.initial) X(ledger.sources) X(ledger.killed) X(ledger.evaporated) X(ledger.outflow) X(residual)
#define INTEGERS(X) X(substeps) X(iterations) X(strands) X(vertices) X(particles) X(tiles) X(contacts) X(bridges)

// Appends the stats as words.
static void write_stats(RvText* text, const RvStats* stats) {
#define PUT(field)                    \
  rv_text_add(text, #field "=");      \
  rv_text_number(text, stats->field); \
  rv_text_add(text, " ");
  NUMBERS(PUT)
#undef PUT
#define PUT(field) rv_text_addf(text, #field "=%lld ", (long long)stats->field);
  INTEGERS(PUT)
#undef PUT
}

// The text after "name="; NULL if there is no such word.
static const char* find_number(const char* text, const char* name) {
  size_t length = strlen(name);
  for (const char* at = strstr(text, name); at; at = strstr(at + length, name))
    if ((at == text || at[-1] == ' ') && at[length] == '=') return at + length + 1;
  return NULL;
}

// The number of a name; 0 if it is missing, as in files of older versions.
static double read_number(const char* text, const char* name) {
  const char *at = find_number(text, name), *end;
  double value;
  return at && rv_number_read(at, &end, &value) ? value : 0;
}

// The integer of a name; 0 if it is missing.
static int64_t read_integer(const char* text, const char* name) {
  const char* at = find_number(text, name);
  return at ? strtoll(at, NULL, 10) : 0;
}

// Reads the stats from words.
static void read_stats(const char* text, RvStats* stats) {
#define GET(field) stats->field = read_number(text, #field);
  NUMBERS(GET)
#undef GET
#define GET(field) stats->field = (__typeof__(stats->field))read_integer(text, #field);
  INTEGERS(GET)
#undef GET
}

//------------------------------------------------------------------------------------------------ encode

// Writes a little-endian number; returns the position after it.
static unsigned char* put64(unsigned char* at, uint64_t value) {
  value = rv_platform_little64(value);
  memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

// Reads a little-endian number.
static uint64_t get64(const unsigned char* at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return rv_platform_little64(value);
}

// The bits of a double.
static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Joins header, texts, state and hash into one block of memory.
static RvResult assemble(const RvCheckpoint* c, const RvText* texts, const void* payload, size_t payload_bytes,
                         void** bytes, size_t* count, RvError* error) {
  *count = HEADER + texts->count + payload_bytes + HASH;
  unsigned char* data = rv_alloc(*count, 1);
  if (!data) return rv_fail(error, RV_NO_MEMORY, "out of memory for a checkpoint of %zu bytes", *count);
  // Header.
  unsigned char* at = data;
  memcpy(at, magic, sizeof magic);
  at = put64(at + sizeof magic, VERSION);
  at = put64(at, double_bits(c->frame));
  at = put64(at, c->key);
  at = put64(at, c->state_hash);
  at = put64(at, texts->count);
  at = put64(at, payload_bytes);
  // Texts, state and the hash of everything before.
  memcpy(at, texts->data, texts->count);
  memcpy(at + texts->count, payload, payload_bytes);
  at += texts->count + payload_bytes;
  put64(at, rv_hash(data, *count - HASH, 0));
  *bytes = data;
  return RV_OK;
}

// Refuses a state with VDB primitives: .bgeo.sc does not store them, so the state would not read back identically.
static RvResult refuse_grids(const RvCheckpoint* c, RvError* error) {
  for (int part = 0; part < RV_STATE_PARTS; ++part) {
    const RvDetail* state = c->state.part[part];
    const RvGrid* grid = NULL;
    for (size_t i = 0; state && !grid && i < rv_detail_count(state, RV_PRIM); ++i) grid = rv_detail_prim_grid(state, i);
    if (grid)
      return rv_fail(error, RV_UNSUPPORTED,
                     "node '%s', frame %g: input 1 brings the VDB '%s', and a checkpoint of the state cannot store it; "
                     "leave VDBs out of that input (blast), and wire colliders and wind into their own",
                     c->node, c->frame, rv_grid_name(grid));
  }
  return RV_OK;
}

// Appends the parts of the state, each after its size.
static RvResult add_parts(RvText* payload, const RvState* state, RvError* error) {
  for (int i = 0; i < RV_STATE_PARTS; ++i) {
    void* bytes = NULL;
    size_t count = 0;
    RvResult result = RV_OK;
    if (state->part[i]) result = rv_detail_encode(state->part[i], "bgeo.sc", &bytes, &count, NULL, error);
    if (result) return result;
    unsigned char size[sizeof(uint64_t)];
    put64(size, count);
    rv_text_add_bytes(payload, (const char*)size, sizeof size);
    if (count) rv_text_add_bytes(payload, bytes, count);
    rv_free(bytes);
  }
  return payload->failed ? rv_fail(error, RV_NO_MEMORY, "out of memory for a checkpoint") : RV_OK;
}

RvResult rv_scene_checkpoint_encode(const RvCheckpoint* c, void** bytes, size_t* count, RvError* error) {
  *bytes = NULL;
  *count = 0;
  RvResult result = refuse_grids(c, error);
  if (result) return result;
  // Texts, each with its ending zero.
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
  // State.
  RvText payload = {0};
  if (texts.failed)
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  else
    result = add_parts(&payload, &c->state, error);
  if (!result) result = assemble(c, &texts, payload.data, payload.count, bytes, count, error);
  rv_free(payload.data);
  rv_free(texts.data);
  return result;
}

//------------------------------------------------------------------------------------------------ decode

bool rv_scene_checkpoint_is(const void* bytes, size_t count) {
  return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

// The error for a damaged checkpoint.
static RvResult bad(RvError* error, const char* name, const char* what) {
  return rv_fail(error, RV_BAD_FILE, "checkpoint '%s': %s", name, what);
}

// Checks signature, length, hash, version and the sizes of the parts.
static RvResult check_header(const unsigned char* data, size_t count, const char* name, RvError* error) {
  if (!rv_scene_checkpoint_is(data, count))
    return bad(error, name, "this is not a checkpoint: the signature at offset 0 is missing");
  if (count < HEADER + HASH)
    return rv_fail(error, RV_BAD_FILE, "checkpoint '%s': cut off after %zu bytes, inside its header", name, count);
  // The hash comes first: if it agrees, any other fault was written that way and is no damage.
  if (get64(data + count - HASH) != rv_hash(data, count - HASH, 0))
    return rv_fail(error, RV_BAD_FILE, "checkpoint '%s' is damaged: the hash of its %zu bytes does not agree", name,
                   count);
  // Version and sizes.
  if (get64(data + AT_VERSION) != VERSION)
    return rv_fail(error, RV_UNSUPPORTED,
                   "checkpoint '%s' has version %llu, but this program reads version %d (offset %d); use the program "
                   "that wrote it, or run without resuming",
                   name, (unsigned long long)get64(data + AT_VERSION), VERSION, AT_VERSION);
  uint64_t texts = get64(data + AT_TEXT_BYTES);
  uint64_t payload = get64(data + AT_STATE_BYTES);
  uint64_t room = count - HEADER - HASH;
  if (texts > room || texts > MAX_TEXT || payload != room - texts)
    return bad(error, name, "the sizes of its parts do not add up to the size of the file (offset 40)");
  return RV_OK;
}

// Reads the four texts, each ended by a zero byte; nothing may follow the last.
static RvResult read_texts(const char* texts, size_t bytes, const char* name, RvCheckpoint* out, RvError* error) {
  char* parts[NTEXT] = {0};
  RvResult result = RV_OK;
  size_t at = 0;
  for (int i = 0; i < NTEXT && !result; ++i) {
    size_t length = rv_platform_strnlen(texts + at, bytes - at);
    if (at + length >= bytes)
      result = bad(error, name, "its texts are cut off (offset 56)");
    else if (!(parts[i] = rv_strdup(texts + at)))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    at += length + 1;
  }
  if (!result && at != bytes) result = bad(error, name, "there are extra bytes after its texts (offset 56)");
  // Hand over node, type and manifest; the stats are parsed.
  out->node = parts[0];
  out->type = parts[1];
  out->manifest = parts[3];
  if (!result) read_stats(parts[2], &out->stats);
  rv_free(parts[2]);
  return result;
}

// Reads the parts of the state, each after its size; nothing may follow the last.
static RvResult read_parts(const unsigned char* at, uint64_t bytes, const char* name, RvCheckpoint* out,
                           RvError* error) {
  for (int i = 0; i < RV_STATE_PARTS; ++i) {
    uint64_t size = bytes >= sizeof size ? get64(at) : UINT64_MAX;
    if (bytes < sizeof size || size > bytes - sizeof size)
      return bad(error, name, "a part of its state is cut off (offset 48)");
    at += sizeof size;
    bytes -= sizeof size;
    RvResult result = size ? rv_detail_decode(at, size, &out->state.part[i], NULL, error) : RV_OK;
    if (result) return rv_error_context(error, "checkpoint '%s', part %d of its state", name, i + 1);
    at += size;
    bytes -= size;
  }
  return bytes ? bad(error, name, "there are extra bytes after its state (offset 48)") : RV_OK;
}

// The state must be what its hash says; that of a type which this program does not have is not known.
static RvResult check_hash(const RvCheckpoint* c, const char* name, RvError* error) {
  const RvNodeType* type = rv_node_find(c->type);
  if (rv_state_empty(&c->state)) return bad(error, name, "it has no state (offset 48)");
  uint64_t hash = type ? rv_state_hash(&c->state, type->fields, type->nfield) : c->state_hash;
  if (!hash) return rv_fail(error, RV_NO_MEMORY, "out of memory for the hash of checkpoint '%s'", name);
  if (hash == c->state_hash) return RV_OK;
  return bad(error, name, "the hash of its state does not agree (offset 32)");
}

RvResult rv_scene_checkpoint_decode(const void* bytes, size_t count, const char* name, RvCheckpoint* out,
                                    RvError* error) {
  *out = (RvCheckpoint){0};
  const unsigned char* data = bytes;
  RvResult result = check_header(data, count, name, error);
  if (result) return result;
  // Header.
  uint64_t frame = get64(data + AT_FRAME);
  uint64_t texts = get64(data + AT_TEXT_BYTES);
  uint64_t payload = get64(data + AT_STATE_BYTES);
  memcpy(&out->frame, &frame, sizeof frame);
  out->key = get64(data + AT_KEY);
  out->state_hash = get64(data + AT_STATE_HASH);
  if (!isfinite(out->frame)) result = bad(error, name, "its frame is not a number (offset 16)");
  // Texts.
  if (!result) result = read_texts((const char*)data + HEADER, texts, name, out, error);
  if (!result && rv_hash(out->manifest, strlen(out->manifest), 0) != out->key)
    result = bad(error, name, "its key does not match its manifest (offset 24)");
  // State.
  if (!result) result = read_parts(data + HEADER + texts, payload, name, out, error);
  if (!result) result = check_hash(out, name, error);
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
  rv_state_free(&checkpoint->state);
  *checkpoint = (RvCheckpoint){0};
}
