// Selection of elements by names of groups, numbers and ranges.
#include "node/shape/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"

// True for a word that starts with a digit.
static bool is_number(const char* word) {
  return isdigit((unsigned char)word[0]) != 0;
}

// True if a group of the owner matches the word.
static bool owner_has(const RvDetail* detail, RvOwner owner, const char* word) {
  for (size_t i = 0; i < rv_detail_group_count(detail, owner); ++i)
    if (rv_platform_match(word, rv_group_name(rv_detail_group(detail, owner, i)))) return true;
  return false;
}

// Fails with the list of groups.
static RvResult unknown_group(const RvDetail* detail, RvOwner owner, const char* word, RvError* error) {
  char names[400] = "";
  size_t used = 0, count = rv_detail_group_count(detail, owner);
  for (size_t i = 0; i < count && used + 1 < sizeof names; ++i) {
    int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                     rv_group_name(rv_detail_group(detail, owner, i)));
    used += n > 0 ? (size_t)n : 0;
  }
  return rv_fail(error, RV_BAD_INPUT, "group: there is no %s group '%s'; %s%s", rv_owner_name(owner), word,
                 count ? "there are: " : "the input has none", names);
}

// Marks "7", "3-9" or "3-9:2"; numbers beyond the last element are ignored, as in Houdini.
static RvResult mark_range(const char* word, uint8_t value, uint8_t* mask, size_t count, RvError* error) {
  char* end = NULL;
  unsigned long long first = strtoull(word, &end, 10);
  unsigned long long last = first;
  unsigned long long step = 1;
  if (*end == '-' && isdigit((unsigned char)end[1])) last = strtoull(end + 1, &end, 10);
  if (*end == ':' && isdigit((unsigned char)end[1])) step = strtoull(end + 1, &end, 10);
  if (*end || !step || last < first)
    return rv_fail(error, RV_BAD_INPUT, "group: '%s' is neither a number nor a range such as 3-9 or 3-9:2", word);
  for (unsigned long long i = first; i <= last && i < count; i += step) {
    mask[i] = value;
    if (i > UINT64_MAX - step) break;
  }
  return RV_OK;
}

// Marks the members of all groups that match the word.
static RvResult mark_groups(const RvDetail* detail, RvOwner owner, const char* word, uint8_t value, uint8_t* mask,
                            RvError* error) {
  size_t count = rv_detail_count(detail, owner);
  bool any = false;
  for (size_t i = 0; i < rv_detail_group_count(detail, owner); ++i) {
    const RvGroup* group = rv_detail_group(detail, owner, i);
    if (!rv_platform_match(word, rv_group_name(group))) continue;
    const uint8_t* in = rv_group_read(group);
    any = true;
    for (size_t k = 0; k < count; ++k)
      if (in[k]) mask[k] = value;
  }
  return any ? RV_OK : unknown_group(detail, owner, word, error);
}

// Owner of the selection.
static RvOwner choose_owner(const RvDetail* detail, const char* text, RvSelectType type) {
  if (type != RV_SELECT_GUESS) return type == RV_SELECT_PRIMS ? RV_PRIM : RV_POINT;
  char word[256];
  for (int n = 0; sscanf(text, "%255s%n", word, &n) == 1; text += n) {
    const char* name = word + (word[0] == '!');
    if (is_number(name) || owner_has(detail, RV_POINT, name)) return RV_POINT;
    if (owner_has(detail, RV_PRIM, name)) return RV_PRIM;
  }
  return RV_POINT;
}

RvResult rv_select(const RvDetail* detail, const char* text, RvSelectType type, RvOwner* owner, uint8_t** mask,
                   RvError* error) {
  *mask = NULL;
  *owner = choose_owner(detail, text, type);
  char* copy = rv_strdup(text);
  RvResult r = copy ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for a group");
  size_t count = rv_detail_count(detail, *owner);
  char* position = NULL;
  char* word = copy ? rv_platform_strtok(copy, " \t", &position) : NULL;
  if (word) {
    // If the first word removes elements, the selection starts with all.
    *mask = rv_alloc(count, 1);
    if (*mask)
      memset(*mask, word[0] == '!', count);
    else
      r = rv_fail(error, RV_NO_MEMORY, "out of memory for a group");
  }
  // Words apply in order.
  for (; word && r == RV_OK; word = rv_platform_strtok(NULL, " \t", &position)) {
    const char* name = word + (word[0] == '!');
    uint8_t value = word[0] != '!';
    r = is_number(name) ? mark_range(name, value, *mask, count, error)
                        : mark_groups(detail, *owner, name, value, *mask, error);
  }
  rv_free(copy);
  if (r != RV_OK) {
    rv_free(*mask);
    *mask = NULL;
  }
  return r;
}

// The points of selected primitives, or the selected points themselves.
RvResult rv_select_points(const RvDetail* detail, const char* text, RvSelectType type, uint8_t** mask, RvError* error) {
  RvOwner owner;
  RvResult r = rv_select(detail, text, type, &owner, mask, error);
  if (r != RV_OK || !*mask || owner == RV_POINT) return r;
  uint8_t* points = rv_alloc_zero(rv_detail_count(detail, RV_POINT), 1);
  if (!points) {
    rv_free(*mask);
    *mask = NULL;
    return rv_fail(error, RV_NO_MEMORY, "out of memory for a group");
  }
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* corner = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i)
    for (int32_t v = start[i]; (*mask)[i] && v < start[i + 1]; ++v) points[corner[v]] = 1;
  rv_free(*mask);
  *mask = points;
  return RV_OK;
}

// Patterns are separated by blanks or commas; "^" or "!" before a pattern removes names.
bool rv_select_name(const char* patterns, const char* name) {
  bool wanted = false;
  char word[256];
  while (*patterns) {
    size_t n = strcspn(patterns, " \t,");
    if (n && n < sizeof word) {
      memcpy(word, patterns, n);
      word[n] = 0;
      bool out = word[0] == '^' || word[0] == '!';
      if (rv_platform_match(word + out, name)) wanted = !out;
    }
    patterns += n + (patterns[n] != 0);
  }
  return wanted;
}
