// The texts made from a table, read back by parsers that know nothing of it and compared with it.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "parm/find.h"
#include "rivulet/node.h"
#include "support/node_stub.h"
#include "support/parm_sample.h"
#include "support/rv_test.h"

static const RvPortDef inputs[] = {{"strands", "Strands", "Open curves, root first.", true},
                                   {"colliders", "Colliders", "What is in the way.", false}};
static const RvPortDef outputs[] = {{"strands", "Strands", "The curves.", false}, {"state", "State", "All.", false}};
static const unsigned takes[] = {RV_PORT_CURVES | RV_PORT_VDBS, 0};
static const char* const stages[] = {"sort", "solve", NULL};
static const RvFieldDef fields[] = {
    RV_FIELD("P", RV_POINT, RV_F32, 3, RV_TAG_POINT, "strands", "m", "solve", true, "Place."),
    RV_FIELD("rv_x", RV_PRIM, RV_F64, 1, RV_TAG_NONE, "", "", "sort", false, "Scratch | it.")};

static const RvNodeType sample = {.type = "sample",
                                  .label = "Sample",
                                  .category = "Hair",
                                  .summary = "Shows a row of every kind.",
                                  .help = "First \"paragraph\".\n\nSecond\tone, with a back\\slash.",
                                  .flags = RV_NODE_SOLVER | RV_NODE_WRITES | RV_NODE_DOP,
                                  .inputs = inputs,
                                  .ninput = 2,
                                  .takes = takes,
                                  .outputs = outputs,
                                  .noutput = 2,
                                  .parms = &sample_table,
                                  .stages = stages,
                                  .fields = fields,
                                  .nfield = 2,
                                  .start = nothing,
                                  .step = nothing,
                                  .split = split};

//---------------------------------------------------------------------------------------------- DialogScript

enum { MAX_WORD = 400, MAX_WORDS = 4000 };

typedef struct Word {
  char text[MAX_WORD];
  bool quoted;
} Word;

static Word words[MAX_WORDS];
static int nword, at;

// words, quoted words with backslashes, and braces
static void tokenize(const char* text) {
  nword = at = 0;
  while (*text) {
    if (strchr(" \n", *text)) {
      ++text;
      continue;
    }
    assert_true(nword < MAX_WORDS);
    Word* word = &words[nword++];
    int n = 0;
    word->quoted = *text == '"';
    if (word->quoted) {
      for (++text; *text != '"'; ++text) {
        assert_true(*text && *text != '\n' && n < MAX_WORD - 1);
        if (*text == '\\') ++text;
        word->text[n++] = *text;
      }
      ++text;
    } else if (*text == '{' || *text == '}') {
      word->text[n++] = *text++;
    } else {
      while (*text && !strchr(" \n{}\"", *text)) word->text[n++] = *text++;
    }
    word->text[n] = 0;
  }
}

static bool next_is(const char* text) {
  return at < nword && !words[at].quoted && strcmp(words[at].text, text) == 0;
}

static void expect(const char* text) {
  if (!next_is(text)) fail_msg("word %d of the script is '%s', expected '%s'", at, words[at].text, text);
  ++at;
}

static const char* quoted(void) {
  assert_true(at < nword && words[at].quoted);
  return words[at++].text;
}

static const char* expected_type(const RvParmDef* row) {
  const char* names[] = {"", "float", "integer", "toggle", "ordinal", "string", "file", "color", "ramp_flt", "button"};
  if (row->type == RV_PARM_FLOAT && row->size == 2) return "vector2";
  if (row->type == RV_PARM_FLOAT && row->size == 3) return "vector";
  if (row->type == RV_PARM_FLOAT && row->size == 4) return "vector4";
  if (row->type == RV_PARM_INT && row->size == 3) return "intvector";
  return names[row->type];
}

static void parse_default(const RvParmDef* row) {
  expect("default");
  expect("{");
  if (row->type == RV_PARM_FILE)
    assert_string_equal(quoted(), "$HIP/geo/x.$F4.bgeo.sc");
  else if (row->type == RV_PARM_STRING)
    assert_string_equal(quoted(), row->standard_text);
  else if (row->type == RV_PARM_RAMP)
    assert_string_equal(quoted(), "3");
  else if (row->type == RV_PARM_BUTTON)
    assert_string_equal(quoted(), "0");
  else
    for (int c = 0; c < row->size; ++c) CHECK_NEAR(strtod(quoted(), NULL), row->standard[c], 0);
  expect("}");
}

static void parse_bound(double expected, bool hard) {
  char* end;
  CHECK_NEAR(strtod(words[at].text, &end), expected, 0);
  assert_string_equal(end, hard ? "!" : "");
  ++at;
}

static void parse_menu(const char* menu) {
  char copy[200];
  snprintf(copy, sizeof copy, "%s", menu);
  expect("menu");
  expect("{");
  for (char* item = strtok(copy, "|"); item; item = strtok(NULL, "|")) {
    char* label = strchr(item, '=');
    *label++ = 0;
    assert_string_equal(quoted(), item);
    assert_string_equal(quoted(), label);
  }
  expect("}");
}

static void parse_tag(const char* name, const char* value) {
  expect("parmtag");
  expect("{");
  assert_string_equal(quoted(), name);
  assert_string_equal(quoted(), value);
  expect("}");
}

static void parse_parm(const RvParmDef* row) {
  expect("parm");
  expect("{");
  expect("name");
  assert_string_equal(quoted(), row->token);
  expect("label");
  assert_string_equal(quoted(), row->label);
  expect("type");
  expect(expected_type(row));
  if (row->size > 1) {
    expect("size");
    CHECK_NEAR(atoi(words[at++].text), row->size, 0);
  }
  parse_default(row);
  if (row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT) {
    expect("range");
    expect("{");
    parse_bound(row->min, row->hard_min);
    parse_bound(row->max, row->hard_max);
    expect("}");
  }
  if (row->menu) parse_menu(row->menu);
  expect("help");
  assert_string_equal(quoted(), row->help);
  // The conditions and units of the sample, by hand.
  bool pitch = !strcmp(row->token, "pitch");
  if (pitch) {
    expect("disablewhen");
    assert_string_equal(quoted(), "{ closed == 0 }");
  }
  if (pitch || !strcmp(row->token, "uv")) {
    expect("hidewhen");
    assert_string_equal(quoted(), pitch ? "{ style == straight }" : "{ hasinput(0) == 0 }");
  }
  if (pitch || !strcmp(row->token, "length") || !strcmp(row->token, "t")) parse_tag("units", "m1");
  if (!strcmp(row->token, "res")) parse_tag("units", "kg1m-3");
  if (row->type == RV_PARM_RAMP)
    parse_tag("rampfloatdefault",
              "1pos ( 0 ) 1value ( 1 ) 1interp ( linear ) 2pos ( 0.5 ) 2value ( 0.75 ) 2interp ( monotonecubic ) "
              "3pos ( 1 ) 3value ( 0 ) 3interp ( constant )");
  if (row->type == RV_PARM_FILE) parse_tag("filechooser_mode", "write");
  expect("}");
}

// The advanced rows of a folder, closed at first and below the others.
static void parse_advanced(const char* name, const char* const* tokens) {
  expect("groupcollapsible");
  expect("{");
  expect("name");
  assert_string_equal(quoted(), name);
  expect("label");
  assert_string_equal(quoted(), "Advanced");
  expect("grouptag");
  expect("{");
  assert_string_equal(quoted(), "group_type");
  assert_string_equal(quoted(), "collapsible");
  expect("}");
  parse_tag("group_default", "0");
  for (; *tokens; ++tokens) parse_parm(rv_parm_find(&sample_table, *tokens));
  expect("}");
}

static void parse_folder(const char* name, const char* label, const char* const* simple) {
  expect("group");
  expect("{");
  expect("name");
  assert_string_equal(quoted(), name);
  expect("label");
  assert_string_equal(quoted(), label);
  for (; *simple; ++simple) parse_parm(rv_parm_find(&sample_table, *simple));
}

static void dialog_script(void** state) {
  (void)state;
  char* text = rv_node_describe(&sample, "ds");
  tokenize(text);
  expect("{");
  expect("name");
  expect("parameters");
  parse_parm(rv_parm_find(&sample_table, "reset"));
  parse_folder("fd_shape", "Shape", (const char*[]){"length", "style", "pitch", NULL});
  parse_advanced("fd_shape_advanced", (const char*[]){"count", "closed", NULL});
  expect("}");
  parse_folder("fd_placelook", "Place & Look",
               (const char*[]){"uv", "t", "res", "tint", "name", "file", "taper", NULL});
  parse_advanced("fd_placelook_advanced", (const char*[]){"q", NULL});
  expect("}");
  expect("}");
  assert_int_equal(at, nword);
  rv_free(text);
}

//---------------------------------------------------------------------------------------------- JSON

static const char* string_of(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  if (!text) fail_msg("no text '%s'", key);
  return text;
}

static void check_default(const RvParmDef* row, const json_t* value) {
  RvMenuItem item;
  switch (row->type) {
    case RV_PARM_TOGGLE:
      assert_int_equal(json_is_true(value), row->standard[0] != 0);
      break;
    case RV_PARM_MENU:
      assert_true(rv_menu_item(row->menu, (int)row->standard[0], &item));
      assert_int_equal(json_string_length(value), item.token_length);
      assert_memory_equal(json_string_value(value), item.token, item.token_length);
      break;
    case RV_PARM_STRING:
    case RV_PARM_FILE:
    case RV_PARM_RAMP:
      assert_string_equal(json_string_value(value), row->standard_text);
      break;
    case RV_PARM_BUTTON:
      assert_null(value);
      break;
    default:
      if (row->size == 1) {
        CHECK_NEAR(json_number_value(value), row->standard[0], 0);
        break;
      }
      assert_int_equal(json_array_size(value), row->size);
      for (int c = 0; c < row->size; ++c)
        CHECK_NEAR(json_number_value(json_array_get(value, (size_t)c)), row->standard[c], 0);
  }
}

static void check_parm(const RvParmDef* row, const char* folder, const json_t* parm) {
  const char* types[] = {"", "float", "int", "toggle", "menu", "string", "file", "color", "ramp", "button"};
  assert_string_equal(string_of(parm, "token"), row->token);
  assert_string_equal(string_of(parm, "label"), row->label);
  assert_string_equal(string_of(parm, "type"), types[row->type]);
  assert_string_equal(string_of(parm, "folder"), folder);
  assert_string_equal(string_of(parm, "unit"), row->unit);
  assert_string_equal(string_of(parm, "help"), row->help);
  assert_int_equal(json_integer_value(json_object_get(parm, "size")), row->size);
  check_default(row, json_object_get(parm, "default"));
  if (row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT) {
    CHECK_NEAR(json_number_value(json_object_get(parm, "min")), row->min, 0);
    CHECK_NEAR(json_number_value(json_object_get(parm, "max")), row->max, 0);
    assert_int_equal(json_is_true(json_object_get(parm, "hard_min")), row->hard_min);
    assert_int_equal(json_is_true(json_object_get(parm, "hard_max")), row->hard_max);
  }
  assert_int_equal(json_object_get(parm, "disable_when") != NULL, !strcmp(row->token, "pitch"));
  assert_int_equal(json_object_get(parm, "hide_when") != NULL,
                   !strcmp(row->token, "pitch") || !strcmp(row->token, "uv"));
  if (row->disable_when) assert_string_equal(string_of(parm, "disable_when"), row->disable_when);
  if (row->hide_when) assert_string_equal(string_of(parm, "hide_when"), row->hide_when);
  bool advanced = !strcmp(row->token, "count") || !strcmp(row->token, "closed") || !strcmp(row->token, "q");
  assert_string_equal(string_of(parm, "level"), advanced ? "advanced" : "simple");
  if (!row->menu) return;
  const json_t* menu = json_object_get(parm, "menu");
  assert_int_equal(json_array_size(menu), 3);
  assert_string_equal(string_of(json_array_get(menu, 1), "token"), "wavy");
  assert_string_equal(string_of(json_array_get(menu, 1), "label"), "Wavy Hair");
}

static void json_text(void** state) {
  (void)state;
  char* text = rv_node_describe(&sample, "json");
  json_error_t why;
  json_t* root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
  if (!root) fail_msg("line %d: %s", why.line, why.text);
  assert_string_equal(string_of(root, "type"), "sample");
  assert_string_equal(string_of(root, "name"), "rivulet::sample::1.0");
  assert_string_equal(string_of(root, "help"), sample.help);
  assert_string_equal(string_of(root, "summary"), sample.summary);
  json_t* flags = json_object_get(root, "flags");
  assert_int_equal(json_array_size(flags), 3);
  assert_string_equal(json_string_value(json_array_get(flags, 0)), "solver");
  assert_string_equal(json_string_value(json_array_get(flags, 2)), "dop");
  json_t *ins = json_object_get(root, "inputs"), *outs = json_object_get(root, "outputs");
  assert_int_equal(json_array_size(ins), 2);
  assert_int_equal(json_array_size(outs), 2);
  assert_true(json_is_true(json_object_get(json_array_get(ins, 0), "required")));
  assert_true(json_is_false(json_object_get(json_array_get(ins, 1), "required")));
  assert_string_equal(string_of(json_array_get(outs, 1), "name"), "state");
  const json_t* takes = json_object_get(json_array_get(ins, 0), "takes");
  assert_int_equal(json_array_size(takes), 2);
  assert_string_equal(json_string_value(json_array_get(takes, 0)), "curves");
  assert_string_equal(json_string_value(json_array_get(takes, 1)), "vdbs");
  assert_int_equal(json_array_size(json_object_get(json_array_get(ins, 1), "takes")), 0);
  json_t* parms = json_object_get(root, "parms");
  const char* folder = "";
  size_t n = 0;
  for (size_t i = 0; i < sample_table.count; ++i) {
    if (sample_table.rows[i].type == RV_PARM_FOLDER)
      folder = sample_table.rows[i].label;
    else
      check_parm(sample_table.rows + i, folder, json_array_get(parms, n++));
  }
  assert_int_equal(json_array_size(parms), n);
  assert_int_equal(json_array_size(json_object_get(root, "stages")), 2);
  json_t* field = json_array_get(json_object_get(root, "fields"), 0);
  assert_string_equal(string_of(field, "storage"), "fpreal32");
  assert_string_equal(string_of(field, "tag"), "point");
  assert_string_equal(string_of(field, "group"), "strands");
  assert_true(json_is_true(json_object_get(field, "saved")));
  json_decref(root);
  rv_free(text);
}

//---------------------------------------------------------------------------------------------- for people

static void check_has(const char* text, const char* part) {
  if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static void terminal_text_fits(void** state) {
  (void)state;
  char* text = rv_node_describe(&sample, "text");
  for (const char* line = text; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 100);
  check_has(text, "sample: Sample (Hair)");
  check_has(text, "\nShape\n");
  check_has(text, "  length             float = 0.25 m, 0! to 2\n      Length of a \"strand\".\n");
  check_has(text, "  count              int = 1000, 1! to 5000!\n");
  check_has(text, "One of: straight, wavy, coiled.");
  check_has(text, "Not used when { closed == 0 }.\n      Not used when { style == straight }.\n");
  check_has(text, "      Number of strands.\n      Advanced.\n");
  rv_free(text);
}

static void help_page(void** state) {
  (void)state;
  char* text = rv_node_describe(&sample, "help");
  assert_int_equal(strncmp(text, "= Sample =\n\n#type: node\n#context: sop\n#internal: rivulet::sample::1.0\n", 70), 0);
  check_has(text, "\"\"\"Shows a row of every kind.\"\"\"\n");
  check_has(text, "\n@inputs\nStrands:\n    Open curves, root first.\n");
  check_has(text, "\n@outputs\nStrands:\n    The curves.\n");
  check_has(text, "\n@parameters\n");
  for (size_t i = 0; i < sample_table.count; ++i) {
    const RvParmDef* row = sample_table.rows + i;
    char part[200];
    snprintf(part, sizeof part, "\n%s:\n    #id: %s\n    %s\n", row->label, row->token, row->help);
    if (row->type == RV_PARM_FOLDER) snprintf(part, sizeof part, "\n== %s ==\n", row->label);
    check_has(text, part);
  }
  rv_free(text);
}

// every line of a Markdown table has the columns of its head; escaped bars do not count
static int bars(const char* line) {
  int count = 0;
  for (const char* c = line; *c && *c != '\n'; ++c) count += *c == '|' && (c == line || c[-1] != '\\');
  return count;
}

static void manual_page(void** state) {
  (void)state;
  char* text = rv_node_describe(&sample, "md");
  int columns = 0, rows = 0;
  for (const char* line = text; *line; line += strcspn(line, "\n") + 1) {
    if (*line != '|')
      columns = 0;
    else if (!columns)
      columns = bars(line);
    else
      assert_int_equal(bars(line), columns);
    rows += *line == '|';
    if (!line[strcspn(line, "\n")]) break;
  }
  // 5 tables of two lines each before their rows: inputs 2, outputs 2, parameters 14 in three tables, state 2
  assert_int_equal(rows, 6 * 2 + 2 + 2 + 14 + 2);
  check_has(text, "| Length | `length` | float | 0.25 | 0! to 2 | m | Length of a \"strand\". |\n");
  check_has(text, "`wavy` Wavy Hair;");
  check_has(text, "Not used when `{ closed == 0 }`. Not used when `{ style == straight }`. |");
  check_has(text, "Number of strands. *Advanced.* |");
  check_has(text, "| `rv_x` | prim");
  rv_free(text);
}

static void unknown_format(void** state) {
  (void)state;
  assert_null(rv_node_describe(&sample, "xml"));
}

RV_TESTS(cmocka_unit_test(dialog_script), cmocka_unit_test(json_text), cmocka_unit_test(terminal_text_fits),
         cmocka_unit_test(help_page), cmocka_unit_test(manual_page), cmocka_unit_test(unknown_format))
