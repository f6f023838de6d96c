// The files that a run writes: their plan, the journal of their checksums, and its comparison with the disk.
#include "scene/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "geo/io_usda.h"
#include "geo/text.h"
#include "parm/number.h"

static const char title[] = "rivulet outputs 1\n";
enum {
  MAX_JOURNAL = 1 << 30,  // bytes; larger journals are refused
  HEX_DIGITS = 16,        // of a hash
  REASON_BYTES = 700,     // of the sentence about the first file that is not what was written
};

// True if the node writes its files in a run.
static bool writes(const RvSceneNode* node) {
  return (node->type->flags & RV_NODE_WRITES) && !node->loads_from_disk;
}

// The node's file parameter `row` in its evaluated struct; NULL if the row is none or empty.
static const char* file_of(const RvSceneNode* node, size_t row, const void* parms) {
  const RvParmDef* def = &node->type->parms->rows[row];
  if (def->type != RV_PARM_FILE) return NULL;
  const char* path = *(const char* const*)((const char*)parms + def->offset);
  return path && *path ? path : NULL;
}

// The file beside another one, to free with rv_free: that of the VDBs of a USD stage. NULL in *beside: it has none.
static RvResult beside_of(const char* path, char** beside, RvError* error) {
  *beside = NULL;
  if (!rv_text_ends(path, ".usda")) return RV_OK;
  *beside = rv_usda_volume_path(path);
  return *beside ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

//------------------------------------------------------------------------------------------------ plan

// A file that will be written.
typedef struct Planned {
  uint64_t file;  // hash of its resolved path
  RvSceneNode* node;
  double frame;
  bool beside;  // the file of VDBs beside the node's file
} Planned;

typedef struct Plan {
  RvScene* scene;
  RV_ARRAY(Planned) files;
  char *folder, *resolved;  // the last folder that was resolved: those of a sequence are the same
} Plan;

// Order of qsort: by file, then by the order of the nodes, then by frame.
static int by_file(const void* a, const void* b) {
  const Planned *x = a, *y = b;
  if (x->file != y->file) return x->file < y->file ? -1 : 1;
  if (x->node != y->node) return x->node->index < y->node->index ? -1 : 1;
  return x->frame < y->frame ? -1 : x->frame > y->frame;
}

// Hash of the place of a file, whatever links and dots are in its path. A folder that cannot be resolved yet stands for
// itself.
static RvResult place_of(Plan* plan, const char* path, uint64_t* hash, RvError* error) {
  const char* slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (!plan->folder || strlen(plan->folder) != length || strncmp(plan->folder, path, length) != 0) {
    rv_free(plan->folder);
    rv_free(plan->resolved);
    plan->resolved = NULL;
    plan->folder = rv_strf("%.*s", (int)length, path);
    if (!plan->folder) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    RvError why = {0};
    RvResult result = rv_file_resolve(length ? plan->folder : ".", true, &plan->resolved, &why);
    if (result == RV_NO_MEMORY) return rv_fail(error, result, "%s", why.text);
  }
  RvHasher hasher = rv_hasher_new(RV_SCENE_SEED_PATH);
  rv_hasher_add_string(&hasher, plan->resolved ? plan->resolved : plan->folder);
  rv_hasher_add_string(&hasher, path + length);
  *hash = rv_hasher_done(&hasher);
  return RV_OK;
}

// Adds a file of a node.
static RvResult plan_file(Plan* plan, Planned file, const char* path, RvError* error) {
  RvResult result = place_of(plan, path, &file.file, error);
  if (!result && !rv_array_push(&plan->files, file)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  return result;
}

// Adds the files of a node at a frame.
static RvResult plan_frame(Plan* plan, RvSceneNode* node, double frame, RvError* error) {
  void* parms;
  RvResult result = rv_scene_order_values(plan->scene, node, frame, &parms, error);
  // A value that cannot be evaluated fails in the cook, with its reason.
  if (!parms) return result;
  for (size_t row = 0; row < node->type->parms->count && !result; ++row) {
    const char* path = file_of(node, row, parms);
    char* beside = NULL;
    if (!path) continue;
    result = plan_file(plan, (Planned){.node = node, .frame = frame}, path, error);
    if (!result) result = beside_of(path, &beside, error);
    if (beside) result = plan_file(plan, (Planned){.node = node, .frame = frame, .beside = true}, beside, error);
    rv_free(beside);
  }
  rv_free(parms);
  return result;
}

// Adds the files of a node at all whole frames. A path without variables is the same at all of them.
static RvResult plan_node(Plan* plan, RvSceneNode* node, double first, double last, RvError* error) {
  double end = rv_parms_animated(node->parms) ? last : fmin(last, ceil(first) + 1);
  RvResult result = RV_OK;
  for (double frame = ceil(first); frame <= end && !result; ++frame) result = plan_frame(plan, node, frame, error);
  return result;
}

// True if the node is one of the targets.
static bool is_target(const RvSceneNode* node, RvSceneNode* const* targets, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (targets[i] == node) return true;
  return false;
}

// The error for a file with two writers, or with two frames of one.
static RvResult refuse_pair(Plan* plan, const Planned* a, const Planned* b, RvError* error) {
  void* parms;
  RvResult result = rv_scene_order_values(plan->scene, b->node, b->frame, &parms, error);
  if (result) return result;
  const char* path = NULL;
  for (size_t row = 0; parms && !path && row < b->node->type->parms->count; ++row) path = file_of(b->node, row, parms);
  char* beside = NULL;
  if (path && b->beside && beside_of(path, &beside, error) == RV_OK) path = beside;
  if (a->node == b->node)
    rv_fail(error, RV_BAD_INPUT,
            "node '%s': file: the frames %g and %g are both written to '%s', and only the last would stay; put $F4 "
            "into the name, or cook one frame",
            b->node->name, a->frame, b->frame, path ? path : "");
  else
    rv_fail(error, RV_BAD_INPUT,
            "nodes '%s' and '%s': file: both write '%s' (frames %g and %g); give one of them another name",
            a->node->name, b->node->name, path ? path : "", a->frame, b->frame);
  rv_free(beside);
  rv_free(parms);
  return RV_BAD_INPUT;
}

// Finds two plans for one file, the earliest. A target whose input never changes may write the same file at every
// frame.
static RvResult compare_plans(Plan* plan, RvSceneNode* const* targets, size_t count, RvError* error) {
  if (plan->files.count) qsort(plan->files.data, plan->files.count, sizeof *plan->files.data, by_file);
  const Planned* first = NULL;
  for (size_t i = 1; i < plan->files.count; ++i) {
    const Planned *a = &plan->files.data[i - 1], *b = &plan->files.data[i];
    if (a->file != b->file) continue;
    bool harmless = a->node == b->node && (!b->node->time_dependent || !is_target(b->node, targets, count));
    if (!harmless && (!first || b->frame < first->frame)) first = b;
  }
  return first ? refuse_pair(plan, first - 1, first, error) : RV_OK;
}

RvResult rv_scene_outputs_check(RvScene* scene, RvSceneNode* const* targets, size_t count, double first, double last,
                                RvError* error) {
  // Files are written at whole frames only.
  for (size_t i = 0; i < count; ++i)
    if (writes(targets[i]) && first != floor(first))
      return rv_fail(error, RV_BAD_INPUT,
                     "node '%s' writes its file at whole frames only, and the run begins at frame %g; choose a whole "
                     "first frame",
                     targets[i]->name, first);
  Plan plan = {.scene = scene};
  RvResult result = RV_OK;
  for (size_t i = 0; i < scene->nodes.count && !result; ++i)
    if (writes(scene->nodes.data[i])) result = plan_node(&plan, scene->nodes.data[i], first, last, error);
  if (!result) result = compare_plans(&plan, targets, count, error);
  rv_array_free(&plan.files);
  rv_free(plan.folder);
  rv_free(plan.resolved);
  return result;
}

//------------------------------------------------------------------------------------------------ lines of the journal

// The path as the journal has it; the caller frees it. NULL: out of memory.
static char* journal_form(const RvScene* scene, const char* path) {
  static const char digits[] = "0123456789ABCDEF";
  RvText text = {0};
  size_t length = strlen(scene->out);
  if (strncmp(path, scene->out, length) == 0 && path[length] == '/') {
    rv_text_add(&text, "$OUT");
    path += length;
  }
  for (; *path; ++path) {
    unsigned char c = (unsigned char)*path;
    char code[3] = {'%', digits[c >> 4], digits[c & 15]};
    if (c <= ' ' || c == 0x7f || c == '%')
      rv_text_add_bytes(&text, code, sizeof code);
    else
      rv_text_add_bytes(&text, path, 1);
  }
  return rv_text_done(&text);
}

// Appends the line of a record.
static void add_line(RvText* text, const RvOutputRecord* r) {
  RvText line = {0};
  rv_text_number(&line, r->frame);
  rv_text_addf(&line, " %" PRIu64 " %016" PRIx64 " %s %s", r->bytes, r->hash, r->node, r->path);
  if (line.failed)
    text->failed = true;
  else {
    rv_text_add_bytes(text, line.data, line.count);
    rv_text_addf(text, "\t%016" PRIx64 "\n", rv_hash(line.data, line.count, 0));
  }
  rv_free(line.data);
}

// Reads the line from `at` to `end` in place; false if it is damaged. Names stay empty when out of memory.
static bool read_line(char* at, char* end, RvOutputRecord* out) {
  char* tab = memchr(at, '\t', (size_t)(end - at));
  char check[HEX_DIGITS + 1];
  if (!tab || end - tab != HEX_DIGITS + 1) return false;
  snprintf(check, sizeof check, "%016" PRIx64, rv_hash(at, (size_t)(tab - at), 0));
  if (memcmp(tab + 1, check, HEX_DIGITS) != 0) return false;
  // The check agrees, so the words are as they were written.
  *tab = 0;
  const char* next;
  if (!rv_number_read(at, &next, &out->frame) || *next != ' ') return false;
  char node[RV_SCENE_MAX_NAME + 1];
  int used = 0;
  if (sscanf(next, " %" SCNu64 " %16" SCNx64 " %64s %n", &out->bytes, &out->hash, node, &used) != 3 || !used)
    return false;
  out->node = rv_strdup(node);
  out->path = rv_strdup(next + used);
  return true;
}

// Order of qsort: frame, node, line.
static int by_frame(const void* a, const void* b) {
  const RvOutputRecord *x = a, *y = b;
  if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
  int names = strcmp(x->node, y->node);
  if (names) return names;
  int paths = strcmp(x->path, y->path);
  if (paths) return paths;
  return x->order < y->order ? -1 : x->order > y->order;
}

// Order of qsort: as the lines were written, so that a resumed run has the journal of a straight one.
static int by_line(const void* a, const void* b) {
  const RvOutputRecord *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}

// Frees the texts of a record.
static void free_record(RvOutputRecord* r) {
  rv_free(r->node);
  rv_free(r->path);
}

// Keeps the last record of each file, of frames up to `done`.
static void keep_latest(RvOutputs* o, double done) {
  size_t kept = 0;
  if (o->records.count) qsort(o->records.data, o->records.count, sizeof *o->records.data, by_frame);
  for (size_t i = 0; i < o->records.count; ++i) {
    RvOutputRecord *r = &o->records.data[i], *next = i + 1 < o->records.count ? r + 1 : NULL;
    bool replaced = next && next->frame == r->frame && !strcmp(next->node, r->node) && !strcmp(next->path, r->path);
    if (replaced || !(r->frame <= done))
      free_record(r);
    else
      o->records.data[kept++] = *r;
  }
  o->records.count = kept;
}

// Reads the journal; a missing one has no records, and lines that are damaged are left out.
static RvResult read_journal(RvOutputs* o, double done, RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  RvError why = {0};
  RvResult result = rv_file_read(o->journal_path, MAX_JOURNAL, &bytes, &count, &why);
  if (result == RV_NOT_FOUND) return RV_OK;
  if (result) return rv_fail(error, result, "%s", why.text);
  char *at = bytes, *end = at + count;
  bool known = count >= sizeof title - 1 && memcmp(at, title, sizeof title - 1) == 0;
  for (at += known ? sizeof title - 1 : 0; known && at < end && !result;) {
    char* line_end = memchr(at, '\n', (size_t)(end - at));
    RvOutputRecord r = {.order = o->records.count};
    if (!line_end) break;
    if (read_line(at, line_end, &r) && (!r.node || !r.path || !rv_array_push(&o->records, r))) {
      free_record(&r);
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
    at = line_end + 1;
  }
  rv_free(bytes);
  keep_latest(o, done);
  return result;
}

//------------------------------------------------------------------------------------------------ journal

// Writes the journal anew with the records that are kept, and opens it for appending.
static RvResult open_journal(RvOutputs* o, RvError* error) {
  RvText text = {0};
  rv_text_add(&text, title);
  if (o->records.count) qsort(o->records.data, o->records.count, sizeof *o->records.data, by_line);
  for (size_t i = 0; i < o->records.count; ++i) add_line(&text, &o->records.data[i]);
  if (o->records.count) qsort(o->records.data, o->records.count, sizeof *o->records.data, by_frame);
  RvResult result = text.failed ? rv_fail(error, RV_NO_MEMORY, "out of memory")
                                : rv_file_write(o->journal_path, text.data, text.count, error);
  rv_free(text.data);
  if (result) return result;
  o->journal = rv_platform_open(o->journal_path, RV_OPEN_WRITE | RV_OPEN_APPEND | RV_OPEN_NO_LINK);
  return o->journal >= 0
             ? RV_OK
             : rv_fail(error, rv_file_reason(errno), "cannot write '%s': %s", o->journal_path, strerror(errno));
}

RvResult rv_scene_outputs_begin(RvScene* scene, const char* folder, bool resume, double done, RvError* error) {
  RvOutputs* o = scene->outputs = rv_alloc_zero(1, sizeof *o);
  if (!o) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  o->journal = -1;
  o->journal_path = rv_strf("%s/outputs.rvck", folder);
  if (!o->journal_path) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = resume ? read_journal(o, done, error) : RV_OK;
  return result ? result : open_journal(o, error);
}

// Adds the line of a file. One that was not written (`written` false) has no bytes.
static RvResult add_file(RvScene* scene, const RvSceneNode* node, double frame, const char* path, bool written,
                         RvError* error) {
  RvOutputRecord r = {.frame = frame, .node = node->name};
  // The file is in the system's cache: reading it costs far less than flushing it did.
  if (written && rv_file_checksum(path, &r.bytes, &r.hash, error))
    return rv_error_context(error, "file: it was written, but");
  r.path = journal_form(scene, path);
  if (r.path) add_line(&scene->outputs->lines, &r);
  bool added = r.path && !scene->outputs->lines.failed;
  rv_free(r.path);
  return added ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

RvResult rv_scene_outputs_wrote(RvScene* scene, const RvSceneNode* node, double frame, const void* parms,
                                const RvDetail* detail, RvError* error) {
  RvResult result = RV_OK;
  if (!scene->outputs || !writes(node) || frame != floor(frame)) return RV_OK;
  for (size_t row = 0; row < node->type->parms->count && !result; ++row) {
    const char* path = file_of(node, row, parms);
    char* beside = NULL;
    if (!path) continue;
    result = add_file(scene, node, frame, path, true, error);
    if (!result) result = beside_of(path, &beside, error);
    if (beside) result = add_file(scene, node, frame, beside, rv_usda_has_volume(detail), error);
    rv_free(beside);
  }
  return result;
}

// Appends bytes to the journal and flushes them. Returns 0, or an error number.
static int append_all(int fd, const char* bytes, size_t count) {
  while (count) {
    ptrdiff_t put = rv_platform_write(fd, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes += put;
    count -= (size_t)put;
  }
  return rv_platform_sync(fd) ? 0 : errno;
}

RvResult rv_scene_outputs_commit(RvScene* scene, RvError* error) {
  RvOutputs* o = scene->outputs;
  if (!o || !o->lines.count) return RV_OK;
  int reason = append_all(o->journal, o->lines.data, o->lines.count);
  o->lines.count = 0;
  return reason ? rv_fail(error, rv_file_reason(reason), "cannot write '%s': %s", o->journal_path, strerror(reason))
                : RV_OK;
}

void rv_scene_outputs_end(RvScene* scene) {
  RvOutputs* o = scene->outputs;
  if (!o) return;
  if (o->journal >= 0) rv_platform_close(o->journal);
  for (size_t i = 0; i < o->records.count; ++i) free_record(&o->records.data[i]);
  rv_array_free(&o->records);
  rv_free(o->lines.data);
  rv_free(o->journal_path);
  rv_free(o);
  scene->outputs = NULL;
}

//------------------------------------------------------------------------------------------------ verification

// What can be wrong with a file.
typedef enum Fault { FINE, MISSING, SIZE, CONTENT, UNKNOWN, FAULTS } Fault;

// What is wrong with a file; `why` gets a phrase. A file that its node did not write may be anything.
static RvResult examine(const char* path, const RvOutputRecord* r, Fault* fault, char* why, size_t size,
                        RvError* error) {
  RvFileInfo info;
  *fault = FINE;
  if (r && !r->bytes) return RV_OK;
  if (!r) {
    *fault = UNKNOWN;
    snprintf(why, size, "there is no record of its checksum");
  } else if (!rv_platform_info(path, &info) || info.kind != RV_FILE_REGULAR) {
    *fault = MISSING;
    snprintf(why, size, "it is missing");
  } else if (info.bytes != r->bytes) {
    *fault = SIZE;
    snprintf(why, size, "it has %" PRIu64 " bytes and had %" PRIu64, info.bytes, r->bytes);
  } else {
    // A byte may differ although size and time are the same, so the contents are read.
    uint64_t bytes, hash;
    RvError ignored = {0};
    RvResult result = rv_file_checksum(path, &bytes, &hash, &ignored);
    if (result == RV_NO_MEMORY) return rv_fail(error, result, "%s", ignored.text);
    if (!result && bytes == r->bytes && hash == r->hash) return RV_OK;
    *fault = CONTENT;
    snprintf(why, size, "%s", result ? "it cannot be read" : "its contents have changed");
  }
  return RV_OK;
}

// The record of a file; NULL if there is none.
static const RvOutputRecord* find_record(const RvOutputs* o, const RvSceneNode* node, double frame, const char* path) {
  size_t low = 0, high = o->records.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const RvOutputRecord* r = &o->records.data[middle];
    int order = r->frame < frame ? -1 : r->frame > frame ? 1 : strcmp(r->node, node->name);
    if (!order) order = strcmp(r->path, path);
    if (!order) return r;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// The state of a verification.
typedef struct Verify {
  RvScene* scene;
  size_t checked, faults[FAULTS], frames;
  char first[REASON_BYTES];  // the first file that is not what was written
} Verify;

// Examines a file of a node at a frame. *bad is set if it is not what was written.
static RvResult verify_file(Verify* v, const RvSceneNode* node, double frame, const char* path, bool* bad,
                            RvError* error) {
  char why[100] = "";
  Fault fault = FINE;
  char* form = journal_form(v->scene, path);
  if (!form) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  const RvOutputRecord* record = find_record(v->scene->outputs, node, frame, form);
  RvResult result = examine(path, record, &fault, why, sizeof why, error);
  rv_free(form);
  bool counts = !record || record->bytes;
  v->checked += counts;
  v->faults[fault] += counts;
  if (fault == FINE) return result;
  *bad = true;
  if (!v->first[0]) snprintf(v->first, sizeof v->first, "'%.500s' of node '%s': %s", path, node->name, why);
  return result;
}

// Examines the files of a node at a frame. *bad is set if one is not what was written.
static RvResult verify_frame(Verify* v, RvSceneNode* node, double frame, bool* bad, RvError* error) {
  void* parms;
  RvResult result = rv_scene_order_values(v->scene, node, frame, &parms, error);
  // A value that cannot be evaluated fails in the cook, with its reason.
  if (!parms) return result;
  for (size_t row = 0; row < node->type->parms->count && !result; ++row) {
    const char* path = file_of(node, row, parms);
    char* beside = NULL;
    if (!path) continue;
    result = verify_file(v, node, frame, path, bad, error);
    if (!result) result = beside_of(path, &beside, error);
    if (beside) result = verify_file(v, node, frame, beside, bad, error);
    rv_free(beside);
  }
  rv_free(parms);
  return result;
}

RvResult rv_scene_outputs_verify(RvScene* scene, RvSceneNode* const* targets, size_t count, double first, double last,
                                 RvFrameList* bad, size_t* checked, RvError* error) {
  Verify v = {.scene = scene};
  RvResult result = RV_OK;
  for (double frame = ceil(first); frame <= last && !result; ++frame) {
    if (rv_scene_is_cancelled(scene, "host", frame, 0, "verify"))
      return rv_fail(error, RV_CANCELLED, "interrupted while the files of frame %g were verified", frame);
    bool wrong = false;
    for (size_t i = 0; i < count && !result; ++i)
      if (writes(targets[i])) result = verify_frame(&v, targets[i], frame, &wrong, error);
    if (!result && wrong && !rv_array_push(bad, frame)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    v.frames += wrong;
  }
  *checked = v.checked;
  if (!result && v.frames)
    rv_scene_message(scene, RV_LEVEL_WARNING, "host", bad->data[0],
                     "%zu of %zu files of finished frames are not what was written (%zu missing, %zu cut or longer, "
                     "%zu changed, %zu without a record; first %s); %zu frame%s cooked again",
                     v.checked - v.faults[FINE], v.checked, v.faults[MISSING], v.faults[SIZE], v.faults[CONTENT],
                     v.faults[UNKNOWN], v.first, v.frames, v.frames == 1 ? " is" : "s are");
  return result;
}
