// Groups of a Houdini file: flags, run lengths or ordered lists (reference C.1).
#include <string.h>

#include "geo/houdini_read.h"

// Reads ["i8", [...]] or ["boolRLE", [...]]: a flag for each element, or runs of flags.
static bool read_unordered(RvHouFile* file, RvHouGroup* group) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "unordered")) return false;
  while (rv_json_key(file->in, &key)) {
    bool runs = rv_json_is(&key, "boolRLE");
    if (!runs && !rv_json_is(&key, "i8") && !rv_json_is(&key, "bool") && !rv_json_is(&key, "b"))
      return rv_json_fail(file->in, key.offset, "group members written as '%s' are not supported", key.text);
    // A repeated key replaces the members.
    rv_numbers_free(&group->numbers);
    group->selection = runs ? RV_HOU_RUNS : RV_HOU_FLAGS;
    group->present = true;
    if (!rv_json_numbers(file->in, key.text, RV_ELEMENT_I64, &group->numbers)) return false;
  }
  return !file->in->failed;
}

// Reads the members of an ordered group: a plain list of element numbers, or one behind its type. Their order is not
// kept.
static bool read_ordered(RvHouFile* file, RvHouGroup* group) {
  rv_numbers_free(&group->numbers);
  group->selection = RV_HOU_LIST;
  group->present = true;
  const RvJsonToken* token = rv_json_peek(file->in);
  if (token->kind == RV_JSON_UNIFORM) return rv_json_numbers(file->in, "ordered", RV_ELEMENT_I64, &group->numbers);
  if (!rv_json_begin(file->in, "ordered")) return false;
  // The list may begin with its type, contain a nested list, or be the numbers themselves.
  while (rv_json_more(file->in)) {
    token = rv_json_peek(file->in);
    if (token->kind == RV_JSON_STRING) {
      if (!rv_json_skip(file->in)) return false;
    } else if (token->kind == RV_JSON_ARRAY || token->kind == RV_JSON_UNIFORM) {
      if (!rv_json_numbers(file->in, "ordered", RV_ELEMENT_I64, &group->numbers)) return false;
    } else {
      int64_t element;
      if (!rv_json_int(file->in, "a member", 0, INT32_MAX, &element)) return false;
      if (!rv_numbers_reserve(&group->numbers, RV_ELEMENT_I64, 1)) return rv_hou_no_memory(file);
      memcpy(group->numbers.own.data + group->numbers.own.used, &element, sizeof element);
      group->numbers.own.used += sizeof element;
      ++group->numbers.count;
    }
  }
  return !file->in->failed;
}

// Reads the members of a group in either form.
static bool read_selection(RvHouFile* file, RvHouGroup* group) {
  RvJsonKey key;
  if (!rv_json_begin(file->in, "selection")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    if (rv_json_is(&key, "unordered"))
      good = read_unordered(file, group);
    else if (rv_json_is(&key, "ordered"))
      good = read_ordered(file, group);
    else
      good = rv_json_skip(file->in);
    if (!good) return false;
  }
  return !file->in->failed;
}

// Reads one group, [["name", n], ["selection", ...]].
static bool read_group(RvHouFile* file, RvHouGroup* group, const char* where) {
  RvJsonKey key;
  // First part: the name.
  if (!rv_json_begin(file->in, "a group") || !rv_json_begin(file->in, "a group's definition")) return false;
  while (rv_json_key(file->in, &key)) {
    bool good;
    if (rv_json_is(&key, "name")) {
      rv_free(group->name);
      group->name = NULL;
      good = rv_json_string(file->in, "name", RV_GEO_MAX_NAME, &group->name);
    } else {
      good = rv_json_skip(file->in);
    }
    if (!good) return false;
  }
  if (file->in->failed) return false;
  if (!group->name) return rv_json_fail(file->in, file->in->at, "%s: a group without a name", where);
  // Second part: the members.
  if (!rv_json_begin(file->in, "a group's data")) return false;
  while (rv_json_key(file->in, &key)) {
    if (!(rv_json_is(&key, "selection") ? read_selection(file, group) : rv_json_skip(file->in))) {
      rv_error_context(file->error, "%s '%s'", where, group->name);
      return false;
    }
  }
  // Further parts are unknown.
  while (rv_json_more(file->in))
    if (!rv_json_skip(file->in)) return false;
  return !file->in->failed;
}

// Two groups of one name in an owner are refused, as a detail cannot have them.
bool rv_hou_read_groups(RvHouFile* file, RvOwner owner, const char* where) {
  if (!rv_json_begin(file->in, where)) return false;
  while (rv_json_more(file->in)) {
    RvHouGroup group = {0};
    size_t at = rv_json_peek(file->in)->offset;
    bool good = read_group(file, &group, where);
    // Its name must be new.
    for (size_t i = 0; good && i < file->groups[owner].count; ++i)
      if (strcmp(file->groups[owner].data[i].name, group.name) == 0)
        good = rv_json_fail(file->in, at, "%s '%.80s' appears twice", where, group.name);
    if (good && file->groups[owner].count >= RV_GEO_MAX_NAMES)
      good = rv_json_fail(file->in, at, "%s: more than %d groups", where, RV_GEO_MAX_NAMES);
    // The order of an ordered group is lost.
    if (good && group.selection == RV_HOU_LIST && group.present)
      rv_hou_log(file, RV_LEVEL_INFO, "%s '%s' is ordered: its members were read, their order was not", where,
                 group.name);
    if (good && !rv_array_push(&file->groups[owner], group)) good = rv_hou_no_memory(file);
    if (!good) {
      rv_free(group.name);
      rv_numbers_free(&group.numbers);
      return false;
    }
  }
  return !file->in->failed;
}

// Expands runs, pairs (length, flag), which must cover all elements exactly.
static bool decode_runs(RvHouFile* file, const RvNumbers* runs, size_t count, uint8_t* out) {
  // Elements covered so far.
  size_t at = 0;
  if (runs->count % 2) return rv_json_fail(file->in, file->in->at, "boolRLE of odd length");
  for (size_t i = 0; i < runs->count; i += 2) {
    int64_t length = rv_numbers_i64(runs, i);
    if (length < 0 || (uint64_t)length > count - at)
      return rv_json_fail(file->in, file->in->at, "boolRLE runs past %zu elements", count);
    memset(out + at, rv_numbers_i64(runs, i + 1) != 0, (size_t)length);
    at += (size_t)length;
  }
  return at == count || rv_json_fail(file->in, file->in->at, "boolRLE covers %zu of %zu elements", at, count);
}

uint8_t* rv_hou_decode_group(RvHouFile* file, const RvHouGroup* group, size_t count) {
  if (!rv_hou_charge(file, count, 1, "a group")) return NULL;
  uint8_t* out = rv_alloc_zero(count, 1);
  if (!out) {
    rv_hou_no_memory(file);
    return NULL;
  }
  // Without a selection nothing is a member.
  bool good = true;
  const RvNumbers* numbers = &group->numbers;
  if (!group->present) return out;
  if (group->selection == RV_HOU_RUNS) {
    good = decode_runs(file, numbers, count, out);
  } else if (group->selection == RV_HOU_FLAGS) {
    // An empty list of flags is a group without members.
    if (numbers->count && numbers->count != count)
      good = rv_json_fail(file->in, file->in->at, "%zu flags for %zu elements", numbers->count, count);
    for (size_t i = 0; good && i < numbers->count; ++i) out[i] = rv_numbers_i64(numbers, i) != 0;
  } else {
    // A list of members.
    for (size_t i = 0; good && i < numbers->count; ++i) {
      int64_t element = rv_numbers_i64(numbers, i);
      if (element < 0 || (uint64_t)element >= count)
        good = rv_json_fail(file->in, file->in->at, "member %lld of %zu elements does not exist", (long long)element,
                            count);
      else
        out[element] = 1;
    }
  }
  if (good) return out;
  rv_free(out);
  return NULL;
}
