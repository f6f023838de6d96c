// A manifest lists everything that the results of some nodes depend on, one fact per line. Equal manifests mean equal
// results. A line is "kind<TAB>node<TAB>name<TAB>value"; no part contains a tab or a line end.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "parm/number.h"
#include "scene/host.h"

enum {
  MAX_PATTERN = 200,  // bytes of a file name in a manifest; longer ones are cut, their stamps are not
  HASH_TEXT = 24,     // bytes of a hash or an index as text
  SHOWN_VALUE = 80,   // bytes of a value that a comparison shows
  DESCRIPTION = 300,  // bytes of the description of a fact
  SUBJECT_WORDS = 3,  // tabs of a line: after kind, node and name
};

// Appends a line.
static void add_fact(RvText* text, const char* kind, const char* node, const char* name, const char* value) {
  rv_text_addf(text, "%s\t%s\t%s\t%s\n", kind, node, name, value);
}

// Appends a line with a number.
static void add_number(RvText* text, const char* kind, const char* node, const char* name, double value) {
  char buffer[RV_NUMBER_BYTES];
  add_fact(text, kind, node, name, rv_number_write(value, buffer));
}

// Adds the parameters that differ from their defaults. The lines of rv_scene_values_write are `"token": value`.
static void add_parms(RvText* text, const RvSceneNode* node) {
  RvText values = {0};
  rv_scene_values_write(&values, node->parms, "\n");
  char* lines = rv_text_done(&values);
  if (!lines) {
    text->failed = true;
    return;
  }
  for (char *line = lines, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    // Split the line into token and value.
    char* quote = strchr(line + 1, '"');
    *quote = 0;
    const char* value = quote + strlen("\": ");
    add_fact(text, "parm", node->name, line + 1, value);
  }
  rv_free(lines);
}

// The node's file name as the artist wrote it, without control characters.
static void write_pattern(const RvSceneNode* node, char* text, size_t size) {
  const RvParmTable* table = node->type->parms;
  RvValue value;
  *text = 0;
  for (size_t i = 0; i < table->count && !*text; ++i)
    if (table->rows[i].type == RV_PARM_FILE && rv_parms_get(node->parms, table->rows[i].token, 0, &value) && value.text)
      snprintf(text, size, "%s", value.text);
  for (; *text; ++text)
    if ((unsigned char)*text < ' ') *text = ' ';
}

// Appends a line with a hash.
static void add_hash(RvText* text, const char* kind, const RvSceneNode* node, const char* name, uint64_t hash) {
  char value[HASH_TEXT];
  snprintf(value, sizeof value, "%016llx", (unsigned long long)hash);
  add_fact(text, kind, node->name, name, value);
}

// Adds all facts of one node.
static RvResult add_node(RvText* text, RvScene* scene, RvSceneNode* node, RvError* error) {
  add_fact(text, "type", node->name, "", node->type->type);
  add_number(text, "revision", node->name, "", node->type->revision);
  // Wires.
  for (size_t i = 0; i < rv_scene_graph_live_inputs(node); ++i) {
    const RvWire* wire = &node->inputs[i];
    if (!wire->node) continue;
    char name[HASH_TEXT], value[RV_SCENE_MAX_NAME + HASH_TEXT];
    snprintf(name, sizeof name, "%zu", i + 1);
    snprintf(value, sizeof value, "%s:%zu", wire->node->name, wire->output + 1);
    add_fact(text, "input", node->name, name, value);
  }
  add_parms(text, node);
  if (node->type->flags & RV_NODE_SOLVER) add_number(text, "start", node->name, "", node->start);
  if (!rv_state_empty(&node->initial_state)) add_hash(text, "from", node, "", node->initial_state_hash);
  // Files with a fixed name are identified by size and time; sequences are added frame by frame.
  char pattern[MAX_PATTERN];
  if (!rv_scene_files_read(node) || rv_scene_files_sequence(node)) return RV_OK;
  write_pattern(node, pattern, sizeof pattern);
  uint64_t stamp;
  RvResult result = rv_scene_files_stamp(scene, node, scene->first, &stamp, error);
  add_hash(text, "file", node, pattern, stamp);
  return result;
}

// Hands over the text, unless something failed.
static RvResult finish(RvText* text, RvResult result, char** out, RvError* error) {
  *out = rv_text_done(text);
  if (!result && !*out) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) return RV_OK;
  rv_free(*out);
  *out = NULL;
  return result;
}

RvResult rv_scene_manifest_write(RvScene* scene, RvSceneNode* const* nodes, size_t nnode, char** out, RvError* error) {
  *out = NULL;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_live(scene, nodes, nnode, &order, &count, error);
  if (result) return result;
  RvText text = {0};
  add_fact(&text, "scene", "", "rivulet", rv_version());
  add_number(&text, "scene", "", "fps", scene->fps);
  add_number(&text, "scene", "", "metersperunit", scene->meters);
  // Downstream nodes first: a change is most often near the solver, and the first difference is reported.
  for (size_t i = count; i-- > 0 && !result;) result = add_node(&text, scene, order[i], error);
  rv_free(order);
  return finish(&text, result, out, error);
}

RvResult rv_scene_manifest_frames(RvScene* scene, const char* base, RvSceneNode* const* nodes, size_t nnode,
                                  double first, double last, char** out, RvError* error) {
  *out = NULL;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_live(scene, nodes, nnode, &order, &count, error);
  if (result) return result;
  // Widen the range by what solvers and nodes that sample frames depend on.
  double from = first, to = last;
  for (size_t i = 0; i < nnode; ++i) {
    double a = first, b = last;
    rv_scene_files_range(nodes[i], &a, &b);
    from = fmin(from, a);
    to = fmax(to, b);
  }
  // Add the sum of each sequence over the range.
  RvText text = {0};
  rv_text_add(&text, base);
  for (size_t i = count; i-- > 0 && !result;) {
    char pattern[MAX_PATTERN];
    if (!rv_scene_files_sequence(order[i])) continue;
    write_pattern(order[i], pattern, sizeof pattern);
    uint64_t sum;
    result = rv_scene_files_sum(scene, order[i], floor(from), ceil(to), &sum, error);
    add_hash(&text, "files", order[i], pattern, sum);
  }
  rv_free(order);
  return finish(&text, result, out, error);
}

//------------------------------------------------------------------------------------------------ comparison

// A line of a manifest, split into words. All numbers are bytes.
typedef struct Line {
  const char* at;
  int length;         // of the line without its end
  int subject;        // of the part before the value, with its tab
  int kind;           // length of the kind
  int node, node_at;  // length and offset of the node's name
  int name, name_at;  // length and offset of the name
} Line;

// Splits the line at `at`.
static Line read_line(const char* at) {
  Line line = {.at = at, .length = (int)strcspn(at, "\n")};
  const char* tab[SUBJECT_WORDS];
  const char* from = at;
  for (int i = 0; i < SUBJECT_WORDS; ++i) {
    tab[i] = memchr(from, '\t', (size_t)(at + line.length - from));
    if (!tab[i]) return line;
    from = tab[i] + 1;
  }
  line.kind = (int)(tab[0] - at);
  line.node_at = line.kind + 1;
  line.node = (int)(tab[1] - tab[0]) - 1;
  line.name_at = (int)(tab[1] - at) + 1;
  line.name = (int)(tab[2] - tab[1]) - 1;
  line.subject = (int)(tab[2] - at) + 1;
  return line;
}

// True if two lines, or only their subjects, are equal.
static bool same(const Line* a, const Line* b, bool whole) {
  int a_length = whole ? a->length : a->subject;
  int b_length = whole ? b->length : b->subject;
  return a_length == b_length && memcmp(a->at, b->at, (size_t)a_length) == 0;
}

// The beginning of the next line, or the end of the text.
static const char* next_line(const Line* line) {
  return line->at[line->length] ? line->at + line->length + 1 : line->at + line->length;
}

// Writes the subject of a line for a message: "node 'wet', parm 'substeps'".
static void describe(const Line* line, char* text, size_t size) {
  size_t used = 0;
  if (line->node) used += (size_t)snprintf(text, size, "node '%.*s', ", line->node, line->at + line->node_at);
  if (used >= size) return;
  if (line->name)
    snprintf(text + used, size - used, "%.*s '%.*s'", line->kind, line->at, line->name, line->at + line->name_at);
  else
    snprintf(text + used, size - used, "%.*s", line->kind, line->at);
}

// Bytes of a line's value that a message shows.
static int value_length(const Line* line) {
  int length = line->length - line->subject;
  return length > SHOWN_VALUE ? SHOWN_VALUE : length;
}

// True if the manifest has a line with the same subject.
static bool has_subject(const char* text, const Line* wanted) {
  while (*text) {
    Line line = read_line(text);
    if (same(&line, wanted, false)) return true;
    text = next_line(&line);
  }
  return false;
}

void rv_scene_manifest_compare(const char* old_text, const char* new_text, char* sentence, size_t size) {
  // Find the first line that differs.
  Line a = read_line(old_text);
  Line b = read_line(new_text);
  while (a.length && b.length && same(&a, &b, true)) {
    a = read_line(next_line(&a));
    b = read_line(next_line(&b));
  }
  // Describe it: a changed file, a changed value, a new fact, or one that is gone.
  char what[DESCRIPTION];
  if (a.length && b.length && same(&a, &b, false) && strncmp(a.at, "file", strlen("file")) == 0) {
    bool many = a.kind == (int)strlen("files");
    snprintf(sentence, size, "node '%.*s': %s '%.*s' %s changed on disk", a.node, a.at + a.node_at,
             many ? "files of the sequence" : "the file", a.name, a.at + a.name_at, many ? "have" : "has");
  } else if (a.length && b.length && same(&a, &b, false)) {
    describe(&a, what, sizeof what);
    snprintf(sentence, size, "%s was %.*s and is %.*s", what, value_length(&a), a.at + a.subject, value_length(&b),
             b.at + b.subject);
  } else if (b.length && !(a.length && !has_subject(b.at, &a))) {
    describe(&b, what, sizeof what);
    snprintf(sentence, size, "%s is %.*s and was not set", what, value_length(&b), b.at + b.subject);
  } else if (a.length) {
    describe(&a, what, sizeof what);
    snprintf(sentence, size, "%s was %.*s and is not set now", what, value_length(&a), a.at + a.subject);
  } else {
    snprintf(sentence, size, "no listed fact differs");
  }
}
